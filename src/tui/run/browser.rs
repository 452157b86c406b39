//! The user's browser.

use std::ffi::OsStr;
use std::process::Stdio;

use super::super::programs::{candidates, with_url};

/// Opens `url` with the argument vector of the settings, else with what `$BROWSER` names, else the system's own way.
/// Never through a shell.
pub fn open(browser: &[String], variable: Option<&OsStr>, url: &str) -> Result<(), String> {
    if !browser.is_empty() {
        return run(browser, url)
            .map_err(|why| format!("{why}; `browser` in config.toml names it"));
    }
    let named = variable.and_then(OsStr::to_str).map(candidates);
    let mut failed = None;
    for command in named.unwrap_or_default() {
        match run(&command, url) {
            Ok(()) => return Ok(()),
            Err(why) => failed = Some(why),
        }
    }
    // Its error is a list of exit codes of launchers that a person never heard of.
    open::that_detached(url).map_err(|error| {
        tracing::warn!("{error}");
        match failed {
            Some(why) => format!("{why}; $BROWSER names it, `browser` in config.toml another"),
            None => {
                format!("no browser could be started for {url}; `browser` in config.toml names one")
            }
        }
    })
}

fn run(command: &[String], url: &str) -> Result<(), String> {
    let words = with_url(command, url);
    let Some((program, arguments)) = words.split_first() else {
        return Ok(());
    };
    let status = std::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| {
            format!(
                "`{program}` could not be started: {}",
                crate::model::reason(&error)
            )
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{program}` ended with {status}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_that_works_is_taken() {
        let variable = OsStr::new("/no/such/program:true");
        assert_eq!(open(&[], Some(variable), "https://a.example/"), Ok(()));
    }
}
