//! The user's browser.

use std::ffi::OsStr;
use std::process::Stdio;

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

/// The commands of `$BROWSER`, the first choice first: parted by colons, their words by blanks.
fn candidates(variable: &str) -> Vec<Vec<String>> {
    variable
        .split(':')
        .map(|command| command.split_whitespace().map(str::to_owned).collect())
        .filter(|command: &Vec<String>| !command.is_empty())
        .collect()
}

/// The words to run: `%u` (`%s` in `$BROWSER`) stands for the URL, else it comes last.
fn words(command: &[String], url: &str) -> Vec<String> {
    let place = |word: &String| word.contains("%u") || word.contains("%s");
    let placed = command.iter().skip(1).any(place);
    let mut words: Vec<String> = command.iter().take(1).cloned().collect();
    let arguments = command.iter().skip(1);
    // In one step: a URL may hold the placeholder itself.
    words.extend(
        arguments.map(|word| match word.find("%u").or(word.find("%s")) {
            Some(at) => format!("{}{url}{}", &word[..at], &word[at + 2..]),
            None => word.clone(),
        }),
    );
    if !placed {
        words.push(url.to_owned());
    }
    words
}

fn run(command: &[String], url: &str) -> Result<(), String> {
    let words = words(command, url);
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
    fn the_variable_names_commands_in_order() {
        let found = candidates("firefox --new-tab %s::w3m");
        assert_eq!(found, [vec!["firefox", "--new-tab", "%s"], vec!["w3m"]]);
        assert!(candidates(" : ").is_empty());
    }

    #[test]
    fn the_url_takes_its_place_or_the_end_and_is_one_word() {
        let url = "https://a.example/%s?%u=a b";
        for (command, expected) in [
            (vec!["b"], vec!["b", url]),
            (vec!["b", "-n", "%u"], vec!["b", "-n", url]),
            (
                vec!["b", "x=%s", "-n"],
                vec!["b", "x=https://a.example/%s?%u=a b", "-n"],
            ),
        ] {
            let command: Vec<String> = command.into_iter().map(str::to_owned).collect();
            assert_eq!(words(&command, url), expected);
        }
    }

    #[test]
    fn the_first_command_that_works_is_taken() {
        let variable = OsStr::new("/no/such/program:true");
        assert_eq!(open(&[], Some(variable), "https://a.example/"), Ok(()));
    }
}
