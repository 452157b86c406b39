//! Programs of the user's, run: beside the reader, or with its terminal. What goes wrong comes back as a sentence.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

use super::super::programs::{Hands, Program, Stage, editor};
use crate::model::reason;

/// Bytes of the end of what a program says on its standard error that are kept.
const LAST_WORDS: usize = 2048;

/// Runs it to its end on this thread; a sentence where it failed. The terminal, where the program gets it, was left before.
pub fn run(program: Program) -> Result<(), String> {
    let mut words = if program.words.is_empty() {
        editor(|name| std::env::var(name).ok())
    } else {
        program.words
    };
    if words.is_empty() {
        return Ok(());
    }
    let (input, file) = hand(program.hands, &mut words)?;
    let (name, arguments) = (&words[0], &words[1..]);
    let mut command = Command::new(name);
    command.args(arguments);
    let beside = program.stage == Stage::Beside;
    if beside {
        step_aside(&mut command);
    }
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let started = command.spawn().map_err(|error| {
        let why = reason(&error);
        format!("`{name}` could not be started: {why}; {}", program.named_by)
    })?;
    let (status, said) = to_the_end(started, input)
        .map_err(|error| format!("`{name}` was lost: {}", reason(&error)))?;
    drop(file);
    if program.stage == Stage::TerminalToRead {
        wait_for_enter(name, status);
        return Ok(());
    }
    ended(name, status, &said)
}

/// What stands on the standard input, and the file that is to go when the program has ended; its path stands in `words`.
fn hand(
    hands: Hands,
    words: &mut Vec<String>,
) -> Result<(Option<String>, Option<tempfile::NamedTempFile>), String> {
    let put = |text: &str, ending| {
        in_file(text, ending).map_err(|error| {
            let why = reason(&error);
            format!("the article could not be written to a file: {why}")
        })
    };
    match hands {
        Hands::Nothing => Ok((None, None)),
        Hands::Input(text) => Ok((Some(text), None)),
        Hands::File(text) => {
            let written = put(&text, ".md")?;
            words.push(written.path().to_string_lossy().into_owned());
            Ok((None, Some(written)))
        }
        Hands::Placed {
            file,
            ending,
            at,
            input,
        } => {
            let written = put(&file, ending)?;
            let path = written.path().to_string_lossy();
            for (word, byte) in at {
                words[word].insert_str(byte, &path);
            }
            Ok((input, Some(written)))
        }
    }
}

/// Without the terminal, and not in the group that a closed terminal ends.
fn step_aside(command: &mut Command) {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Hands it its input and waits; what it said last on its standard error, where that is ours to read.
fn to_the_end(mut child: Child, input: Option<String>) -> io::Result<(ExitStatus, Vec<u8>)> {
    let writer = child.stdin.take().zip(input).map(|(mut pipe, text)| {
        std::thread::spawn(move || {
            // A program that has read enough closes its end: that is no failure.
            let _ = pipe.write_all(text.as_bytes());
        })
    });
    let said = child.stderr.take().map(last_words).unwrap_or_default();
    let status = child.wait()?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    Ok((status, said))
}

/// Reads to the end and keeps the last bytes.
fn last_words(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut part = [0; 1024];
    while let Ok(count) = from.read(&mut part) {
        if count == 0 {
            break;
        }
        kept.extend_from_slice(&part[..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    kept
}

/// A file that the owner alone can read. Headings are marked as in Markdown, and so it is called.
fn in_file(text: &str, ending: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("tidings-")
        .suffix(ending)
        .tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

fn ended(name: &str, status: ExitStatus, said: &[u8]) -> Result<(), String> {
    if status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(said);
    let last = said
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty());
    Err(match last {
        Some(last) => format!("`{name}` ended with {status}: {last}"),
        None => format!("`{name}` ended with {status}"),
    })
}

/// What the program wrote is on the terminal: it stays until a person has read it.
fn wait_for_enter(name: &str, status: ExitStatus) {
    let mut out = io::stdout();
    let how = if status.success() {
        String::new()
    } else {
        format!("`{name}` ended with {status}. ")
    };
    let _ = write!(out, "\r\n{how}Enter leads back to tidings. ");
    let _ = out.flush();
    let mut line = String::new();
    let _ = match File::open("/dev/tty") {
        Ok(terminal) => io::BufReader::new(terminal).read_line(&mut line),
        Err(_) => io::stdin().read_line(&mut line),
    };
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn program(words: &[&str], hands: Hands) -> Program {
        Program {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            hands,
            stage: Stage::Beside,
            named_by: "`player` in config.toml names another",
        }
    }

    #[test]
    fn what_goes_wrong_is_one_sentence() {
        let missing = run(program(&["/no/such/player", "x"], Hands::Nothing));
        let why = missing.expect_err("it is not there");
        assert!(
            why.starts_with("`/no/such/player` could not be started: "),
            "{why}"
        );
        assert!(
            why.ends_with("`player` in config.toml names another"),
            "{why}"
        );
        let failed = run(program(
            &["sh", "-c", "echo one >&2; echo the end >&2; exit 3"],
            Hands::Nothing,
        ));
        assert_eq!(
            failed,
            Err("`sh` ended with exit status: 3: the end".to_owned())
        );
        assert_eq!(run(program(&["true"], Hands::Nothing)), Ok(()));
    }

    #[test]
    fn a_file_is_there_while_the_program_runs_and_gone_afterwards() {
        let dir = tempfile::tempdir().expect("a directory");
        let copy = dir.path().join("copy");
        let script = format!(
            "cp \"$1\" {0} && printf %s \"$1\" > {0}.name",
            copy.display()
        );
        let hands = Hands::File("# the article\n".to_owned());
        assert_eq!(run(program(&["sh", "-c", &script, "sh"], hands)), Ok(()));
        assert_eq!(
            std::fs::read_to_string(&copy).expect("copied"),
            "# the article\n"
        );
        let name = std::fs::read_to_string(dir.path().join("copy.name")).expect("named");
        assert!(!std::path::Path::new(&name).exists(), "{name}");
    }

    #[test]
    fn a_program_that_does_not_read_its_input_is_no_failure() {
        let text = "line\n".repeat(200_000);
        let mut child = Command::new("true");
        let child = child.stdin(Stdio::piped()).spawn().expect("started");
        let (status, _) = to_the_end(child, Some(text)).expect("ended");
        assert!(status.success());
    }

    #[test]
    fn of_what_it_said_the_end_is_kept() {
        let long = [b'a'; 10_000].chain(&b"end"[..]);
        let kept = last_words(long);
        assert!(kept.len() <= LAST_WORDS && kept.ends_with(b"end"));
    }
}
