//! The log: `tracing` into a file, never onto the screen. The only room that knows `tracing_subscriber`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::model::Locations;

/// A log that has grown to this is set aside as `tidings.log.1`; the one set aside before goes.
const LARGEST: u64 = 1 << 20;

/// Begins to log into `tidings.log` in the state directory. `verbose` counts `-v`; the variable `TIDINGS_LOG` names levels by
/// target instead (`warn,tidings=debug`). A run that has nothing to say makes no file.
pub fn start(locations: &Locations, verbose: u8) {
    let level = match verbose {
        0 => "warn,tidings=info",
        1 => "info,tidings=debug",
        _ => "debug,tidings=trace",
    };
    let wanted = std::env::var("TIDINGS_LOG").ok();
    let filter: Targets = wanted
        .and_then(|words| words.parse().ok())
        .or_else(|| level.parse().ok())
        .unwrap_or_default();
    let writer = Mutex::new(Rotating::new(
        locations.state_dir.join("tidings.log"),
        LARGEST,
    ));
    // A second start, in a test, keeps the first log.
    let lines = fmt::layer().with_ansi(false).with_writer(writer);
    let _ = tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .try_init();
}

/// A file that is set aside when it is full. It is opened for every line: several processes append to one log, and whoever
/// sets it aside, the others follow.
struct Rotating {
    path: PathBuf,
    largest: u64,
}

impl Rotating {
    const fn new(path: PathBuf, largest: u64) -> Self {
        Self { path, largest }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        if fs::metadata(&self.path).is_ok_and(|meta| meta.len() >= self.largest) {
            fs::rename(&self.path, aside(&self.path))?;
        }
        open(&self.path)?.write_all(line)
    }
}

/// `tidings.log.1`.
fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(dir)?;
    }
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Write for Rotating {
    /// A line of the log. What cannot be logged is lost in silence: there is no place left to say so.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.append(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_is_set_aside_once_and_two_writers_share_it() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("state/tidings.log");
        let mut one = Rotating::new(path.clone(), 100);
        let mut two = Rotating::new(path.clone(), 100);
        for n in 0..20 {
            let writer = if n % 2 == 0 { &mut one } else { &mut two };
            writer
                .write_all(format!("line {n:02} 89012345\n").as_bytes())
                .expect("never fails");
        }
        let read = |path: &Path| fs::read_to_string(path).expect("there");
        assert!(read(&path).ends_with("line 19 89012345\n"));
        assert!(read(&path).len() < 117);
        assert!(read(&aside(&path)).len() >= 100);
        assert_eq!(
            fs::read_dir(path.parent().expect("a parent"))
                .expect("list")
                .count(),
            2
        );
    }

    #[test]
    fn a_log_that_cannot_be_written_disturbs_nobody() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("file");
        fs::write(&file, "x").expect("written");
        let mut log = Rotating::new(file.join("tidings.log"), 100);
        assert_eq!(log.write(b"line\n").expect("never fails"), 5);
    }
}
