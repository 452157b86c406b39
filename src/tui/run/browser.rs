//! The user's browser.

use std::process::Stdio;

/// Opens `url` with the user's argument vector (`%u` stands for the URL, else it comes last) or the system's own way.
/// Never through a shell.
pub fn open(browser: &[String], url: &str) -> Result<(), String> {
    let Some((program, arguments)) = browser.split_first() else {
        // Its error is a list of exit codes of launchers that a person never heard of.
        return open::that_detached(url).map_err(|error| {
            tracing::warn!("{error}");
            format!("no browser could be started for {url}; `browser` in config.toml names one")
        });
    };
    let mut command = std::process::Command::new(program);
    let mut placed = false;
    for argument in arguments {
        placed |= argument.contains("%u");
        command.arg(argument.replace("%u", url));
    }
    if !placed {
        command.arg(url);
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "`{program}` ended with {status}; `browser` in config.toml names it"
        ))
    }
}
