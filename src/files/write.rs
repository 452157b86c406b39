//! Files written whole or not at all.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::FilesError;
use crate::model::Locations;

/// Makes the data and state directories where they are missing, readable by the owner alone.
pub fn prepare(locations: &Locations) -> Result<(), FilesError> {
    make_private(&locations.data_dir)?;
    make_private(&locations.state_dir)
}

/// Writes a file of the user: beside its target where `path` is a symbolic link, then renamed, so that nobody ever sees half
/// of it. The mode stays; a new file is the owner's alone. What is no regular file (a pipe, a terminal) is written straight.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    let target = resolve_links(path);
    let failed = FilesError::write(&target);
    let known = fs::metadata(&target).ok();
    if known.as_ref().is_some_and(|meta| !meta.is_file()) {
        let written = File::options().write(true).open(&target);
        return written
            .and_then(|mut file| file.write_all(bytes))
            .map_err(failed);
    }
    let dir = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    replace(&target, dir, known.map(|meta| meta.permissions()), bytes).map_err(failed)
}

/// As `write`, for others to read: a new file has the mode that the umask gives it.
pub fn publish(path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    if !path.exists() {
        File::create(path).map_err(FilesError::write(path))?;
    }
    write(path, bytes)
}

fn replace(target: &Path, dir: &Path, mode: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let mut beside = tempfile::Builder::new()
        .prefix(".tidings-")
        .suffix(".tmp")
        .tempfile_in(dir)?;
    beside.write_all(bytes)?;
    if let Some(mode) = mode {
        beside.as_file().set_permissions(mode)?;
    }
    beside.as_file().sync_all()?;
    beside.persist(target).map_err(|error| error.error)?;
    // The rename itself must outlive a power cut; where directories cannot be synced there is nothing more to do.
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
    Ok(())
}

/// Where a file really lies, also when it does not exist yet. A loop of links is left as it is: writing says what is wrong.
pub(super) fn resolve_links(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let mut at = path.to_owned();
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&at) else {
            break;
        };
        at = match at.parent() {
            Some(parent) => parent.join(next),
            None => next,
        };
    }
    at
}

/// The file, or the directory that would have to take its replacement, has no right to write for anyone.
pub(super) fn is_read_only(target: &Path) -> bool {
    let locked = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.permissions().readonly());
    locked(target) || target.parent().is_some_and(locked)
}

/// Makes a directory and those above it, for the owner alone. One that is there stays as it is.
pub fn make_private(dir: &Path) -> Result<(), FilesError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| {
        let taken = error.kind() == io::ErrorKind::AlreadyExists;
        FilesError::write(dir)(if taken {
            io::ErrorKind::NotADirectory.into()
        } else {
            error
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_said_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("file");
        fs::write(&file, "x").expect("written");
        let error = write(&file.join("below"), b"y").expect_err("a file is no directory");
        assert!(error.to_string().contains("cannot be written"), "{error}");
        assert_eq!(error.exit_code(), 70);
        assert_eq!(fs::read_dir(dir.path()).expect("list").count(), 1);
    }

    #[test]
    fn a_file_where_a_directory_should_be_is_said() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = dir.path().join("file");
        fs::write(&file, "x").expect("written");
        assert_eq!(
            make_private(&file).expect_err("a file").to_string(),
            format!(
                "{} cannot be written: not a directory; nothing was changed",
                file.display()
            )
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_is_an_error_and_not_an_endless_walk() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::os::unix::fs::symlink(&a, &b).expect("linked");
        std::os::unix::fs::symlink(&b, &a).expect("linked");
        assert!(resolve_links(&a).starts_with(dir.path()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_straight() {
        write(Path::new("/dev/null"), b"gone").expect("written");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }
}
