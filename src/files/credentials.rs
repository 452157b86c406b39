//! User and password of a feed, from where the user keeps them.

use std::fs;

use super::resolve;
use crate::model::{ErrorKind, FeedHttp, Locations, PollError, reason};

/// User and password from `auth_file` (its first line, `user:password`) or the variable `auth_env`; `None` where the feed
/// names neither. Read anew at every poll: a password may be changed while the reader is open. Nothing secret is in an error.
pub fn credentials(
    http: &FeedHttp,
    locations: &Locations,
) -> Result<Option<(String, String)>, PollError> {
    let failed = |detail: String| PollError::new(ErrorKind::Credentials, detail);
    let (text, place) = if let Some(file) = &http.auth_file {
        let path = resolve(file, locations);
        let shown = path.display().to_string();
        let text = fs::read_to_string(&path)
            .map_err(|error| failed(format!("{shown}: {}", reason(&error))))?;
        (text, shown)
    } else if let Some(name) = &http.auth_env {
        let text = std::env::var(name).map_err(|_| {
            failed(format!(
                "the environment variable {name} is not set; set it to user:password"
            ))
        })?;
        (text, format!("the environment variable {name}"))
    } else {
        return Ok(None);
    };
    let line = text.lines().next().unwrap_or_default();
    match line.split_once(':') {
        Some((user, password)) if !user.is_empty() && !line.chars().any(char::is_control) => {
            Ok(Some((user.to_owned(), password.to_owned())))
        }
        _ => Err(failed(format!(
            "the first line of {place} must be user:password"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_file(text: Option<&str>) -> Result<Option<(String, String)>, String> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let locations = Locations {
            config_dir: dir.path().to_owned(),
            data_dir: dir.path().to_owned(),
            state_dir: dir.path().to_owned(),
        };
        if let Some(text) = text {
            fs::write(dir.path().join("login"), text).expect("written");
        }
        let http = FeedHttp {
            auth_file: Some("login".into()),
            ..FeedHttp::default()
        };
        credentials(&http, &locations).map_err(|error| {
            error
                .to_string()
                .replace(&dir.path().display().to_string(), "/c")
        })
    }

    #[test]
    fn the_first_line_is_user_and_password_and_a_password_may_hold_colons() {
        for (text, user, password) in [
            ("me:secret\n", "me", "secret"),
            ("me:a:b\r\nrest", "me", "a:b"),
            ("me:", "me", ""),
            ("me: with blanks ", "me", " with blanks "),
        ] {
            let expected = Some((user.to_owned(), password.to_owned()));
            assert_eq!(from_file(Some(text)), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_said_without_the_secret() {
        let wrong =
            "the credentials cannot be read: the first line of /c/login must be user:password";
        for text in ["", "secret", ":secret", "me:a\u{1b}b"] {
            assert_eq!(from_file(Some(text)), Err(wrong.to_owned()), "{text:?}");
        }
        let missing = from_file(None).expect_err("no file");
        assert!(
            missing.starts_with("the credentials cannot be read: /c/login: "),
            "{missing}"
        );
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let http = FeedHttp {
            auth_env: Some("TIDINGS_TEST_NOT_SET".to_owned()),
            ..FeedHttp::default()
        };
        let locations = Locations {
            config_dir: "/".into(),
            data_dir: "/".into(),
            state_dir: "/".into(),
        };
        assert_eq!(
            credentials(&http, &locations).map_err(|error| error.to_string()),
            Err("the credentials cannot be read: the environment variable TIDINGS_TEST_NOT_SET is not set; set it to user:password".to_owned())
        );
        assert_eq!(credentials(&FeedHttp::default(), &locations), Ok(None));
    }
}
