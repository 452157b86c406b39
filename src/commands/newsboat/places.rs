//! Where newsboat's files lie, and its `config` with all that it includes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::super::Failure;
use crate::article::sanitize;
use crate::files;
use crate::newsboat::{self, Line};

/// A text file of newsboat's is never larger.
const LARGEST: u64 = 8 << 20;

/// Files that a `config` includes, together.
const INCLUDED: usize = 64;

/// newsboat's three files.
pub(super) struct Places {
    /// The list of feeds.
    pub urls: PathBuf,
    /// The settings.
    pub config: PathBuf,
    /// The articles.
    pub cache: PathBuf,
    home: String,
}

/// Finds them: in `dir`, or where newsboat looks: `$XDG_CONFIG_HOME/newsboat` with `$XDG_DATA_HOME/newsboat`, else `~/.newsboat`.
pub(super) fn find(
    dir: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Places, Failure> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from);
    let below = |name: &str, usual: &str| {
        let named = set(name).map(PathBuf::from);
        let usual = || home.as_ref().map(|home| home.join(usual));
        named.or_else(usual).map(|dir| dir.join("newsboat"))
    };
    let config = below("XDG_CONFIG_HOME", ".config");
    let data = below("XDG_DATA_HOME", ".local/share");
    let old = home.as_ref().map(|home| home.join(".newsboat"));
    let (config, data) = match dir {
        // Who names the directory of the settings means the usual one of the data beside it.
        Some(dir) => match (config, data) {
            (Some(config), Some(data)) if config == dir && !dir.join("cache.db").exists() => {
                (config, data)
            }
            _ => (dir.to_owned(), dir.to_owned()),
        },
        None => match (config, data, old) {
            (Some(config), Some(data), _) if config.is_dir() => (config, data),
            (_, _, Some(old)) => (old.clone(), old),
            (Some(config), Some(data), None) => (config, data),
            _ => {
                return Err(Failure::usage(
                    "no home directory is known; name newsboat's directory: `tidings import --newsboat DIR`",
                ));
            }
        },
    };
    let places = Places {
        urls: config.join("urls"),
        config: config.join("config"),
        cache: data.join("cache.db"),
        home: home.map_or_else(String::new, |home| home.to_string_lossy().into_owned()),
    };
    let any = [&places.urls, &places.config, &places.cache];
    if any.iter().any(|path| path.exists()) {
        return Ok(places);
    }
    Err(Failure::usage(format!(
        "newsboat has no files in {}; name its directory: `tidings import --newsboat DIR`",
        shown(&config)
    )))
}

/// A path as it may be shown.
pub(super) fn shown(path: &Path) -> String {
    sanitize::line(&path.to_string_lossy())
}

impl Places {
    /// A text of newsboat's; `None` where there is no such file. What is no UTF-8 stands as U+FFFD.
    pub fn read(path: &Path) -> Result<Option<String>, Failure> {
        let failed = |why: String| {
            Failure::usage(format!(
                "{} cannot be read: {why}; nothing was imported",
                shown(path)
            ))
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(files::reason(&error))),
        };
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(files::reason(&error)))?;
        if bytes.len() as u64 > LARGEST {
            return Err(failed("it is too large for a list".to_owned()));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A path that newsboat's files name: of the home directory, absolute, or beside `config`.
    pub fn beside(&self, path: &str) -> PathBuf {
        let path = PathBuf::from(newsboat::plain(path, &self.home));
        match self.config.parent() {
            Some(dir) if path.is_relative() => dir.join(path),
            _ => path,
        }
    }

    /// The lines of `config`, with those of an included file where it is included.
    pub fn config_lines(&self) -> Result<Vec<Line>, Failure> {
        let mut lines = Vec::new();
        let mut seen = Vec::new();
        self.include(&self.config, "config", &mut seen, &mut lines)?;
        Ok(lines)
    }

    /// A line whose file is not there, or was read already, stays.
    fn include(
        &self,
        path: &Path,
        name: &str,
        seen: &mut Vec<PathBuf>,
        into: &mut Vec<Line>,
    ) -> Result<bool, Failure> {
        if seen.len() >= INCLUDED || seen.iter().any(|known| known == path) {
            return Ok(false);
        }
        let Some(text) = Self::read(path)? else {
            return Ok(false);
        };
        seen.push(path.to_owned());
        for line in newsboat::lines(&text, name) {
            let is_read = line.words[0] == "include" && {
                let included = self.beside(line.word(1));
                let name = included.file_name().unwrap_or_default();
                let name = sanitize::line(&name.to_string_lossy());
                self.include(&included, &name, seen, into)?
            };
            if !is_read {
                into.push(line);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(home: &Path, dir: Option<&Path>) -> Result<Places, Failure> {
        find(dir, |name| match name {
            "HOME" => Some(home.as_os_str().to_owned()),
            _ => None,
        })
    }

    #[test]
    fn newsboats_own_places_are_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = dir.path();
        let error = found(home, None).map(|_| ()).expect_err("nothing there");
        assert!(error.sentence.contains(".newsboat"), "{error}");
        fs::create_dir_all(home.join(".newsboat")).expect("made");
        fs::write(home.join(".newsboat/urls"), "").expect("written");
        let places = found(home, None).expect("there");
        assert_eq!(places.cache, home.join(".newsboat/cache.db"));
        // As newsboat does: the newer place goes first.
        let config = home.join(".config/newsboat");
        fs::create_dir_all(&config).expect("made");
        fs::write(config.join("urls"), "").expect("written");
        for dir in [None, Some(config.as_path())] {
            let places = found(home, dir).expect("there");
            assert_eq!(places.urls, config.join("urls"));
            assert_eq!(places.cache, home.join(".local/share/newsboat/cache.db"));
        }
        let old = home.join(".newsboat");
        let places = found(home, Some(&old)).expect("there");
        assert_eq!(places.cache, old.join("cache.db"));
    }

    #[test]
    fn an_included_file_stands_where_it_is_included_and_never_twice() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = dir.path();
        let own = home.join(".newsboat");
        fs::create_dir_all(&own).expect("made");
        fs::write(
            own.join("config"),
            "a 1\ninclude ~/.newsboat/more\ninclude no\nb 2\n",
        )
        .expect("written");
        fs::write(own.join("more"), "c 3\ninclude config\n").expect("written");
        let lines = found(home, None).expect("there").config_lines();
        let lines: Vec<String> = lines
            .expect("read")
            .iter()
            .map(|line| format!("{} {}", line.place, line.text))
            .collect();
        assert_eq!(
            lines,
            [
                "config:1 a 1",
                "more:1 c 3",
                "more:2 include config",
                "config:3 include no",
                "config:4 b 2",
            ]
        );
    }
}
