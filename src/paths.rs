//! Where this user's files lie: flags, then variables, then the places of the platform (XDG on Linux). The only room that
//! knows `directories`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use crate::model::Locations;

/// Directories that the command line names instead of the platform's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// `--config-dir`.
    pub config_dir: Option<PathBuf>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--state-dir`.
    pub state_dir: Option<PathBuf>,
}

/// No place for files is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no home directory is known, so there is no place for {0}; set HOME, or give --config-dir and --data-dir"
)]
pub struct NoHome(&'static str);

/// Finds the directories; makes none. `variable` looks into the environment: `TIDINGS_CONFIG_DIR`, `TIDINGS_DATA_DIR`,
/// `TIDINGS_STATE_DIR`. The state goes where the data goes when that was chosen by hand or the platform has no place for it.
pub fn find(
    overrides: &Overrides,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Locations, NoHome> {
    let chosen = |flag: &Option<PathBuf>, name: &str| {
        let named = || variable(name).filter(|value| !value.is_empty());
        flag.clone().or_else(|| named().map(PathBuf::from))
    };
    let platform = ProjectDirs::from("", "", "tidings");
    let platform = platform.as_ref();
    let config = chosen(&overrides.config_dir, "TIDINGS_CONFIG_DIR");
    let data = chosen(&overrides.data_dir, "TIDINGS_DATA_DIR");
    let state = chosen(&overrides.state_dir, "TIDINGS_STATE_DIR").or_else(|| {
        let own = || platform?.state_dir().map(Path::to_owned);
        data.clone().or_else(own)
    });
    let config = config
        .or_else(|| platform.map(|dirs| dirs.config_dir().to_owned()))
        .ok_or(NoHome("the configuration"))?;
    let data = data
        .or_else(|| platform.map(|dirs| dirs.data_dir().to_owned()))
        .ok_or(NoHome("the data"))?;
    Ok(Locations {
        config_dir: absolute(config),
        state_dir: absolute(state.unwrap_or_else(|| data.clone())),
        data_dir: absolute(data),
    })
}

/// A message names the whole path, and a later change of directory changes nothing.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of a look into the environment"
    )]
    fn variables(name: &str) -> Option<OsString> {
        match name {
            "TIDINGS_CONFIG_DIR" => Some("/env/config".into()),
            "TIDINGS_DATA_DIR" => Some("/env/data".into()),
            _ => Some(OsString::new()),
        }
    }

    #[test]
    fn a_flag_goes_before_a_variable() {
        let flags = Overrides {
            config_dir: Some("/flag/config".into()),
            ..Overrides::default()
        };
        let found = find(&flags, variables).expect("all are named");
        assert_eq!(found.config_dir, Path::new("/flag/config"));
        assert_eq!(found.data_dir, Path::new("/env/data"));
    }

    #[test]
    fn the_state_goes_where_chosen_data_goes() {
        let flags = Overrides {
            data_dir: Some("/flag/data".into()),
            ..Overrides::default()
        };
        let found = find(&flags, variables).expect("all are named");
        assert_eq!(found.state_dir, Path::new("/flag/data"));
        let flags = Overrides {
            state_dir: Some("/flag/state".into()),
            ..flags
        };
        let found = find(&flags, variables).expect("all are named");
        assert_eq!(found.state_dir, Path::new("/flag/state"));
    }

    #[test]
    fn a_relative_directory_becomes_absolute() {
        let flags = Overrides {
            config_dir: Some("here".into()),
            data_dir: Some("there".into()),
            state_dir: None,
        };
        let found = find(&flags, |_| None).expect("all are named");
        assert!(found.config_dir.is_absolute());
        assert!(found.data_dir.ends_with("there"));
    }
}
