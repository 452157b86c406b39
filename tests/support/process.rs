//! A home for the binary, and the binary running in it: started, signalled, killed, waited for with a limit.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use tempfile::{NamedTempFile, TempDir};

/// How long anything may take before a test gives up.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Directories of its own for one test.
pub struct Home(TempDir);

impl Home {
    /// Empty, but for settings without a gap between requests, and without robots.txt.
    pub fn new() -> Self {
        let home = Self(tempfile::tempdir().expect("a temporary directory"));
        home.write(
            "config/config.toml",
            "[http]\nhost_gap = \"0s\"\nrespect_crawl_delay = false\n",
        );
        home
    }

    /// A path below it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Writes a file, and the directories above it.
    pub fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        let dir = path.parent().expect("below the home");
        fs::create_dir_all(dir).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Subscribes to these URLs, by hand.
    pub fn subscribe(&self, urls: &[String]) {
        let feeds: Vec<_> = urls
            .iter()
            .map(|url| format!("[[feed]]\nurl = \"{url}\"\n"))
            .collect();
        self.write("config/feeds.toml", &feeds.concat());
    }

    /// The binary with these arguments, at home here and nowhere else.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command.args(arguments);
        self.settle(&mut command);
        command
    }

    /// Gives a program this home as its environment.
    pub fn settle(&self, command: &mut Command) {
        command
            .current_dir(self.0.path())
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null());
    }

    /// The whole environment of a program that is at home here.
    pub fn variables(&self) -> [(&'static str, OsString); 6] {
        [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", self.0.path().into()),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC".into()),
            ("TIDINGS_CONFIG_DIR", self.path("config").into()),
            ("TIDINGS_DATA_DIR", self.path("data").into()),
        ]
    }

    /// Starts it.
    pub fn start(&self, arguments: &[&str]) -> Process {
        Process::start(self.command(arguments))
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.start(arguments).end()
    }

    /// Names of the store and of what was made of it: copies, files set aside.
    pub fn stores(&self) -> Vec<String> {
        let mut names = names(&self.path("data"));
        names.retain(|name| name.starts_with("tidings.redb"));
        names
    }
}

fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("listed").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What a process ended with.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ended {
    /// It went well; what it printed.
    pub fn well(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self.out
    }

    /// It went well and had nothing to complain of; the JSON it printed.
    pub fn json(self) -> serde_json::Value {
        assert_eq!(self.err, "");
        let text = self.well();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// It went well, in silence; the objects of its lines, so many.
    pub fn json_lines(self, count: usize) -> Vec<serde_json::Value> {
        let lines = self.lines();
        assert_eq!(
            (lines.len(), self.err.as_str()),
            (count, ""),
            "{}",
            self.out
        );
        self.well();
        lines
    }

    /// The objects of its lines; a last line without its end is left out.
    pub fn lines(&self) -> Vec<serde_json::Value> {
        self.out
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect()
    }
}

/// A running process, killed when dropped. What it prints goes to files: no pipe can fill up.
pub struct Process {
    child: Child,
    out: NamedTempFile,
    err: NamedTempFile,
}

impl Process {
    /// Starts `command`.
    pub fn start(mut command: Command) -> Self {
        let file = || NamedTempFile::new().expect("a temporary file");
        let (out, err) = (file(), file());
        let child = command
            .stdout(out.reopen().expect("opened"))
            .stderr(err.reopen().expect("opened"))
            .spawn()
            .expect("it starts");
        Self { child, out, err }
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child of this process")
    }

    /// Waits for its end, so long at most.
    pub fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            pause(Duration::from_millis(2));
        }
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let status = self.ended_within(LIMIT);
        let Some(status) = status else {
            panic!("it does not end: {}{}", self.out(), self.err());
        };
        Ended {
            code: status.code(),
            out: self.out(),
            err: self.err(),
        }
    }

    /// Waits until its standard error has this text.
    pub fn says(&mut self, text: &str) {
        let end = Instant::now() + LIMIT;
        while !self.err().contains(text) {
            let over = self.ended().is_some() || Instant::now() > end;
            assert!(!over, "no {text:?} in {}{}", self.out(), self.err());
            pause(Duration::from_millis(5));
        }
    }

    /// What it printed up to now.
    pub fn out(&self) -> String {
        read(&self.out)
    }

    /// What it complained of up to now.
    pub fn err(&self) -> String {
        read(&self.err)
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        // It may have ended a moment ago.
        let _ = self.child.kill();
    }

    /// Sends a signal; it has not been waited for, so the number is its own.
    #[cfg(unix)]
    pub fn signal(&mut self, signal: rustix::process::Signal) {
        if self.ended().is_none() {
            let pid = i32::try_from(self.child.id()).expect("a process number");
            let pid = rustix::process::Pid::from_raw(pid).expect("not 0");
            rustix::process::kill_process(pid, signal).expect("it is ours");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        // Nobody is left to be told.
        let _ = self.child.wait();
    }
}

fn read(file: &NamedTempFile) -> String {
    let bytes = fs::read(file.path()).expect("it is there");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Lets others run for a moment, on a channel that nobody sends on.
pub fn pause(span: Duration) {
    let (_keep, never) = channel::<()>();
    let _ = never.recv_timeout(span);
}
