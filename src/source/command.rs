//! A command of the user's: its output is a feed. No shell, a group of its own, a time and a size.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::article::sanitize;
use crate::model::{ErrorKind, PollError, reason};

use super::{Limits, path_of, too_large};

/// So much of what a command complains of is looked at.
const COMPLAINT: u64 = 4096;
/// A longer complaint is cut, in characters.
const LINE_MAX: usize = 160;

/// Runs `words`, the first of which is the program, in `folder`; `input` goes to its standard input. `~/` at the beginning of a
/// word is the home directory. Gives its standard output.
///
/// # Errors
/// It cannot be started, ends with another code than 0, takes too long, or writes too much.
pub async fn run(
    words: &[String],
    folder: &Path,
    input: Option<Vec<u8>>,
    limits: Limits,
) -> Result<Vec<u8>, PollError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(PollError::new(ErrorKind::Command, "no command is named"));
    };
    let failed = |why: String| {
        PollError::new(
            ErrorKind::Command,
            sanitize::line(&format!("{program}: {why}")),
        )
    };
    let mut command = Command::new(if program.contains('/') {
        path_of(program, folder)
    } else {
        program.into()
    });
    command
        .args(arguments.iter().map(|word| expanded(word, folder)))
        .current_dir(folder)
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().map_err(|error| {
        failed(format!(
            "{}; is it there, and may it be run?",
            reason(&error)
        ))
    })?;
    let mut group = Group { leader: child.id() };
    let ended = timeout(limits.time, listen(child, input, limits.bytes)).await;
    let heard = match ended {
        Err(_) => {
            let time = humantime::format_duration(limits.time);
            return Err(failed(format!(
                "it did not end within {time} and was killed"
            )));
        }
        Ok(Err(error)) => return Err(failed(reason(&error))),
        Ok(Ok(heard)) => heard,
    };
    if heard.output.len() as u64 > limits.bytes {
        return Err(PollError::new(ErrorKind::TooLarge, too_large(limits)));
    }
    // It has ended by itself: what it left running is its own affair.
    group.leader = None;
    match heard.status {
        Some(status) if status.success() => Ok(heard.output),
        status => Err(failed(complaint(status, &heard.complaint))),
    }
}

fn expanded(word: &str, folder: &Path) -> std::ffi::OsString {
    if word.starts_with("~/") {
        path_of(word, folder).into()
    } else {
        word.into()
    }
}

/// What came of a command.
struct Heard {
    /// One byte more than allowed where it wrote too much.
    output: Vec<u8>,
    complaint: Vec<u8>,
    status: Option<ExitStatus>,
}

async fn listen(mut child: Child, input: Option<Vec<u8>>, most: u64) -> std::io::Result<Heard> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ((), output, complaint) = tokio::join!(
        feed(stdin, input.unwrap_or_default()),
        // Dropped at the limit: a command that writes on gets a broken pipe, and is killed besides.
        head(stdout, most.saturating_add(1), false),
        head(stderr, COMPLAINT, true),
    );
    let (output, complaint) = (output?, complaint?);
    let status = if output.len() as u64 > most {
        None
    } else {
        Some(child.wait().await?)
    };
    Ok(Heard {
        output,
        complaint,
        status,
    })
}

/// A command need not read what it is given.
async fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(&input).await;
        let _ = stdin.shutdown().await;
    }
}

/// The first `most` bytes; the rest is read and forgotten, or not read at all.
async fn head(
    pipe: Option<impl AsyncRead + Unpin>,
    most: u64,
    to_the_end: bool,
) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        (&mut pipe).take(most).read_to_end(&mut bytes).await?;
        if to_the_end {
            tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await?;
        }
    }
    Ok(bytes)
}

fn complaint(status: Option<ExitStatus>, said: &[u8]) -> String {
    let how = match status {
        None => "it was killed".to_owned(),
        Some(status) => match status.code() {
            Some(code) => format!("it ended with code {code}"),
            None => "it was killed by a signal".to_owned(),
        },
    };
    let said = String::from_utf8_lossy(said);
    let line = said
        .lines()
        .map(sanitize::line)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let line: String = line.chars().take(LINE_MAX).collect();
    if line.is_empty() {
        how
    } else {
        format!("{how}: “{line}”")
    }
}

/// The process group of a command; whatever is left of it is killed with this.
struct Group {
    leader: Option<u32>,
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self
            .leader
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
        {
            // Nobody may be left of it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn limits(time: Duration, bytes: u64) -> Limits {
        Limits { time, bytes }
    }

    fn run_it(words: &[&str], input: Option<&str>, limits: Limits) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let input = input.map(|text| text.as_bytes().to_vec());
        runtime
            .block_on(run(&words, Path::new("/"), input, limits))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|error| error.to_string())
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn words_reach_a_command_as_they_are() {
        let got = run_it(
            &["printf", "%s|", "a b", "$HOME", "*", ";ls"],
            None,
            limits(LONG, 100),
        );
        assert_eq!(got.as_deref(), Ok("a b|$HOME|*|;ls|"));
    }

    #[test]
    fn a_filter_reads_what_it_is_given_or_leaves_it() {
        assert_eq!(
            run_it(&["tr", "a", "b"], Some("aha"), limits(LONG, 100)).as_deref(),
            Ok("bhb")
        );
        let much = "x".repeat(1 << 20);
        assert_eq!(
            run_it(&["echo", "hi"], Some(&much), limits(LONG, 100)).as_deref(),
            Ok("hi\n")
        );
    }

    #[test]
    fn a_failure_says_what_the_command_said() {
        let got = run_it(
            &[
                "sh",
                "-c",
                "echo; printf 'no \\033[2Jluck\\nmore' >&2; exit 3",
            ],
            None,
            limits(LONG, 100),
        );
        assert_eq!(
            got,
            Err("the command failed: sh: it ended with code 3: “no [2Jluck”".to_owned())
        );
        let missing = run_it(&["/no/such/program"], None, limits(LONG, 100)).expect_err("missing");
        assert!(
            missing.starts_with("the command failed: /no/such/program: "),
            "{missing}"
        );
    }

    #[test]
    fn a_command_has_a_time_and_its_whole_group_is_killed() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        let began = Instant::now();
        let got = run_it(
            &["sh", "-c", &script],
            None,
            limits(Duration::from_secs(2), 100),
        );
        assert!(began.elapsed() < LONG);
        assert_eq!(
            got,
            Err("the command failed: sh: it did not end within 2s and was killed".to_owned())
        );
        let pid: i32 = std::fs::read_to_string(&file)
            .expect("it began")
            .trim()
            .parse()
            .expect("a number");
        let pid = rustix::process::Pid::from_raw(pid).expect("a process");
        // Killed, it may still wait for somebody to collect it.
        let gone = || {
            rustix::process::test_kill_process(pid).is_err()
                || std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
                    .is_ok_and(|stat| stat.contains(") Z "))
        };
        while !gone() {
            assert!(began.elapsed() < LONG, "the child lives on");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_command_that_writes_without_end_is_ended() {
        let began = Instant::now();
        let got = run_it(&["yes"], None, limits(LONG, 10_000));
        assert!(got.is_err_and(|error| error.contains("more than 10000 bytes")));
        assert!(began.elapsed() < LONG);
    }

    #[test]
    fn complaints_without_end_are_not_kept() {
        let got = run_it(
            &["sh", "-c", "head -c 3000000 /dev/zero >&2; echo well"],
            None,
            limits(LONG, 100),
        );
        assert_eq!(got.as_deref(), Ok("well\n"));
    }
}
