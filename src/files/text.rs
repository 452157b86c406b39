//! `config.toml` and `feeds.toml`: read, and the latter edited.

use std::fs;
use std::io;
use std::path::Path;

use super::error::FilesError;
use super::lock::EditLock;
use super::write::{is_read_only, make_private, resolve_links, write};
use super::{config_path, feeds_path, resolve};
use crate::config::{self, ConfigError};
use crate::model::{Locations, Settings, Subscription};

/// Reads `config.toml`; without one, the defaults. Paths in it are absolute afterwards. Warnings are whole sentences.
pub fn load_settings(locations: &Locations) -> Result<(Settings, Vec<String>), FilesError> {
    let path = config_path(locations);
    let (mut settings, warnings) = config::settings(&read_or_empty(&path)?, &path)?;
    if let Some(file) = &settings.http.ca_file {
        settings.http.ca_file = Some(resolve(file, locations));
    }
    Ok((settings, warnings))
}

/// Reads `feeds.toml`; without one, no feeds. Warnings are whole sentences.
pub fn load_subscriptions(
    locations: &Locations,
) -> Result<(Vec<Subscription>, Vec<String>), FilesError> {
    let path = feeds_path(locations);
    Ok(config::subscriptions(&read_or_empty(&path)?, &path)?)
}

/// Edits `feeds.toml`: locks, reads it again, and replaces it whole. A file that does not exist yet is read as empty. Symbolic
/// links stay links and the mode stays. Blocks for at most ten seconds while another tidings edits.
pub fn edit_subscriptions(
    locations: &Locations,
    edit: impl FnOnce(&str) -> Result<String, ConfigError>,
) -> Result<(), FilesError> {
    edit_file(locations, &feeds_path(locations), edit)
}

/// Edits `config.toml` in the same way.
pub fn edit_settings(
    locations: &Locations,
    edit: impl FnOnce(&str) -> Result<String, ConfigError>,
) -> Result<(), FilesError> {
    edit_file(locations, &config_path(locations), edit)
}

fn edit_file(
    locations: &Locations,
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, ConfigError>,
) -> Result<(), FilesError> {
    let _lock = EditLock::acquire(locations, path)?;
    let before = read_or_empty(path)?;
    let after = edit(&before).map_err(|error| error.in_file(path))?;
    if after == before {
        return Ok(());
    }
    let target = resolve_links(path);
    if is_read_only(&target) {
        return Err(read_only(&target, &before, &after));
    }
    make_private(&locations.config_dir)?;
    match write(path, after.as_bytes()) {
        Err(FilesError::Write { source, .. })
            if matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Err(read_only(&target, &before, &after))
        }
        result => result,
    }
}

/// Reads a text file of the user.
pub fn read(path: &Path) -> Result<String, FilesError> {
    let bytes = fs::read(path).map_err(|source| FilesError::Read {
        path: path.to_owned(),
        source,
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        FilesError::Encoding {
            path: path.to_owned(),
            line: 1 + memchr::memchr_iter(b'\n', good).count(),
        }
    })
}

fn read_or_empty(path: &Path) -> Result<String, FilesError> {
    match read(path) {
        Err(FilesError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(String::new())
        }
        result => result,
    }
}

fn read_only(path: &Path, before: &str, after: &str) -> FilesError {
    let (gone, come) = difference(before, after);
    let (what, lines) = match (gone.is_empty(), come.is_empty()) {
        (_, true) => ("take these lines out where it is managed", gone),
        (true, false) => ("add these lines where it is managed", come),
        (false, false) => (
            "put the second of these lines in place of the first where it is managed",
            [gone, come].concat(),
        ),
    };
    let lines = lines.join("\n");
    FilesError::ReadOnly {
        path: path.to_owned(),
        what,
        lines: lines.trim_matches('\n').to_owned(),
    }
}

/// Lines that went and lines that came. An edit only adds, only takes out, or changes one line, so one walk finds them.
fn difference<'a>(before: &'a str, after: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let missing = |from: &[&'a str], of: &[&'a str]| {
        // From the end: a block that is cut out is then found with its own header, not with the next one's.
        let mut of = of.iter().rev().peekable();
        let mut missing: Vec<&'a str> = from
            .iter()
            .rev()
            .filter(|line| of.next_if(|kept| kept == line).is_none())
            .copied()
            .collect();
        missing.reverse();
        missing
    };
    if new.len() == old.len() {
        return old.iter().zip(&new).filter(|(a, b)| a != b).unzip();
    }
    if new.len() > old.len() {
        // Feeds are added at the end.
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        return (Vec::new(), new[same..].to_vec());
    }
    (missing(&old, &new), Vec::new())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use tempfile::TempDir;

    use super::*;

    fn home() -> (TempDir, Locations) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let locations = Locations {
            config_dir: dir.path().join("config"),
            data_dir: dir.path().join("data"),
            state_dir: dir.path().join("state"),
        };
        (dir, locations)
    }

    fn feed(url: &str) -> Subscription {
        Subscription {
            url: url.to_owned(),
            ..Subscription::default()
        }
    }

    fn add(locations: &Locations, url: &str) -> Result<(), FilesError> {
        edit_subscriptions(locations, |text| config::add(text, &[feed(url)]))
    }

    fn urls(locations: &Locations) -> Vec<String> {
        let (list, _) = load_subscriptions(locations).expect("valid");
        list.into_iter().map(|feed| feed.url).collect()
    }

    #[test]
    fn missing_files_are_the_defaults_and_no_feeds() {
        let (_dir, locations) = home();
        assert_eq!(
            load_settings(&locations).expect("no file").0,
            Settings::default()
        );
        assert_eq!(urls(&locations), Vec::<String>::new());
    }

    #[test]
    fn the_first_edit_makes_private_directories_and_a_private_file() {
        let (_dir, locations) = home();
        add(&locations, "https://example.org/a").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o777;
        assert_eq!(mode(&locations.config_dir), 0o700);
        assert_eq!(mode(&feeds_path(&locations)), 0o600);
        assert_eq!(mode(&locations.data_dir), 0o700);
        assert_eq!(urls(&locations), ["https://example.org/a"]);
    }

    #[test]
    fn a_linked_file_stays_a_link_and_its_target_keeps_its_mode() {
        let (dir, locations) = home();
        let dotfiles = dir.path().join("dotfiles");
        fs::create_dir_all(&dotfiles).expect("made");
        fs::create_dir_all(&locations.config_dir).expect("made");
        let target = dotfiles.join("feeds.toml");
        fs::write(&target, "# mine\n").expect("written");
        fs::set_permissions(&target, Permissions::from_mode(0o644)).expect("set");
        symlink("../dotfiles/feeds.toml", feeds_path(&locations)).expect("linked");
        add(&locations, "https://example.org/a").expect("written");
        let link = fs::symlink_metadata(feeds_path(&locations)).expect("there");
        assert!(link.is_symlink());
        assert_eq!(fs::metadata(&target).expect("there").mode() & 0o777, 0o644);
        assert!(
            fs::read_to_string(&target)
                .expect("text")
                .starts_with("# mine\n")
        );
        let left: Vec<_> = fs::read_dir(&dotfiles).expect("list").collect();
        assert_eq!(left.len(), 1, "no temporary file stays");
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
        let (dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        symlink(dir.path().join("later.toml"), feeds_path(&locations)).expect("linked");
        add(&locations, "https://example.org/a").expect("written");
        assert!(dir.path().join("later.toml").is_file());
        assert!(
            fs::symlink_metadata(feeds_path(&locations))
                .expect("there")
                .is_symlink()
        );
    }

    #[test]
    fn a_read_only_file_gives_exactly_the_lines_to_paste() {
        let (_dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        let path = feeds_path(&locations);
        let text = "[[feed]]\nurl = \"https://a.org\"\n\n[[feed]]\nurl = \"https://b.org\"\ntags = [\"x\"]\n\n[[feed]]\nurl = \"https://c.org\"\n";
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
        let shown = path.canonicalize().expect("there");
        let error = add(&locations, "d.org").expect_err("read-only");
        assert_eq!(error.exit_code(), 2);
        assert_eq!(
            error.to_string(),
            format!(
                "{} is read-only; add these lines where it is managed:\n\n[[feed]]\nurl = \"https://d.org\"",
                shown.display()
            )
        );
        let error = edit_subscriptions(&locations, |text| {
            config::remove(text, &["b.org".to_owned(), "c.org".to_owned()])
        })
        .expect_err("read-only");
        assert_eq!(
            error.to_string(),
            format!(
                "{} is read-only; take these lines out where it is managed:\n\n[[feed]]\nurl = \"https://b.org\"\ntags = [\"x\"]\n\n[[feed]]\nurl = \"https://c.org\"",
                shown.display()
            )
        );
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }

    #[test]
    fn a_read_only_directory_gives_the_lines_too() {
        let (_dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        fs::set_permissions(&locations.config_dir, Permissions::from_mode(0o555)).expect("set");
        let error = add(&locations, "d.org").expect_err("read-only");
        assert!(matches!(error, FilesError::ReadOnly { .. }), "{error}");
        fs::set_permissions(&locations.config_dir, Permissions::from_mode(0o755)).expect("set");
    }

    #[test]
    fn an_edit_that_changes_nothing_needs_no_right_to_write() {
        let (_dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        fs::write(feeds_path(&locations), "# mine\n").expect("written");
        fs::set_permissions(feeds_path(&locations), Permissions::from_mode(0o444)).expect("set");
        edit_subscriptions(&locations, |text| Ok(text.to_owned())).expect("nothing to do");
    }

    #[test]
    fn edits_at_the_same_time_all_arrive() {
        let (_dir, locations) = home();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let locations = &locations;
                scope.spawn(move || {
                    for m in 0..5 {
                        add(locations, &format!("https://example.org/{n}/{m}")).expect("written");
                    }
                });
            }
        });
        assert_eq!(urls(&locations).len(), 40);
    }

    #[test]
    fn a_file_that_is_not_text_names_the_line() {
        let (_dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        let path = config_path(&locations);
        fs::write(&path, b"theme = \"dark\"\n# \xff\n").expect("written");
        assert_eq!(
            load_settings(&locations).expect_err("not text").to_string(),
            format!(
                "{}:2: this is not UTF-8; save the file as UTF-8",
                path.display()
            )
        );
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        let error = load_settings(&locations).expect_err("a directory");
        assert_eq!(error.exit_code(), 2);
        assert_eq!(
            error.to_string(),
            format!(
                "{} cannot be read: is a directory; check that it is a file and that you may read it",
                path.display()
            )
        );
    }

    #[test]
    fn a_certificate_file_lies_beside_the_configuration() {
        let (_dir, locations) = home();
        fs::create_dir_all(&locations.config_dir).expect("made");
        fs::write(config_path(&locations), "[http]\nca_file = \"ca.pem\"\n").expect("written");
        let (settings, _) = load_settings(&locations).expect("valid");
        assert_eq!(
            settings.http.ca_file,
            Some(locations.config_dir.join("ca.pem"))
        );
    }
}
