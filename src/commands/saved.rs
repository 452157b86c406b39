//! `tidings add` of what is no web address: a saved feed, and one that comes in by standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::say::say;
use super::{Context, Failure};
use crate::files;
use crate::parse;

/// More of a title does not go into the name of its file.
const NAME_MAX: usize = 40;

/// A path as the user wrote it here, as it holds everywhere: feeds.toml knows nothing of the directory somebody was in.
pub(super) fn settled(url: &str) -> Result<String, Failure> {
    let path = url.strip_prefix("file:").unwrap_or(url);
    let is_path = path != url || path.starts_with("./") || path.starts_with("../");
    let elsewhere = path.starts_with('/') || path.starts_with("~/");
    if !is_path || elsewhere || path.is_empty() {
        return Ok(url.to_owned());
    }
    let whole = std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .map_err(|error| Failure::usage(format!("{path}: {}", files::reason(&error))))?;
    match whole.to_str() {
        Some(whole) => Ok(format!("file:{whole}")),
        None => Err(Failure::usage(format!(
            "the path of {path} is not UTF-8; feeds.toml cannot hold it"
        ))),
    }
}

/// Keeps the feed on standard input as a file in the data directory, named for `title`, and gives its source. The next feed with
/// the same title replaces it: what is new in it is new then.
pub(super) fn keep(title: Option<&str>, context: &Context) -> Result<String, Failure> {
    let Some(title) = title else {
        return Err(Failure::usage(
            "a feed on standard input needs a name; write `tidings add - --title NAME`",
        ));
    };
    let most = context.settings.http.max_body;
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Failure::usage(format!(
            "standard input holds more than {most} bytes; `max_body` under [http] in config.toml allows more"
        )));
    }
    if let Err(error) = parse::parse(&bytes, None, "") {
        return Err(Failure::usage(format!(
            "standard input holds no feed: {error}; nothing was changed"
        )));
    }
    let path = place_of(title, &context.locations.data_dir);
    if let Some(folder) = path.parent() {
        files::make_private(folder)?;
    }
    files::write(&path, &bytes)?;
    match path.to_str() {
        Some(path) => Ok(format!("file:{path}")),
        None => Err(Failure::usage(
            "the path of the data directory is not UTF-8; feeds.toml cannot hold it",
        )),
    }
}

/// Letters and digits of the title for a person, a part of its hash against mix-ups.
fn place_of(title: &str, data_dir: &Path) -> PathBuf {
    let mut name = String::new();
    for c in title.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(NAME_MAX);
    let hash = Sha256::digest(title.as_bytes());
    let name = format!(
        "{}-{:02x}{:02x}{:02x}{:02x}.feed",
        name.trim_matches('-'),
        hash[0],
        hash[1],
        hash[2],
        hash[3]
    );
    data_dir.join("saved").join(name.trim_start_matches('-'))
}

/// Tells that a file was there already and is read anew.
pub(super) fn say_replaced(title: &str) {
    say(&format!("the feed kept as \"{title}\" is replaced"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_never_leads_out_of_the_folder() {
        for title in [
            "../../etc/passwd",
            "/",
            "Wëekly: builds!",
            "\u{1b}[2J",
            "日本",
            "a".repeat(300).as_str(),
        ] {
            let path = place_of(title, Path::new("/d"));
            assert_eq!(path.parent(), Some(Path::new("/d/saved")), "{title}");
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            assert!(
                name.len() < 60
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.'),
                "{name}"
            );
        }
        assert_ne!(
            place_of("日", Path::new("/d")),
            place_of("本", Path::new("/d"))
        );
        assert_eq!(
            place_of("A b", Path::new("/d")),
            place_of("A b", Path::new("/d"))
        );
    }

    #[test]
    fn a_path_holds_everywhere() {
        for same in ["https://a.org/x", "a.org", "file:/x", "~/x", "/x", "file:"] {
            assert_eq!(settled(same).map_err(|f| f.sentence), Ok(same.to_owned()));
        }
        let here = settled("./no-such-file.xml")
            .map_err(|f| f.sentence)
            .expect("settled");
        assert!(
            here.starts_with("file:/") && here.ends_with("no-such-file.xml"),
            "{here}"
        );
    }
}
