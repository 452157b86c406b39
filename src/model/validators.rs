//! What a server gave to recognise its own answer by (RFC 9110 §8.8), as bytes and never as text (R4).

use serde::{Deserialize, Serialize};

/// `ETag` and `Last-Modified` of one URL, byte for byte as received (R2, R3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// The value of `ETag`, quotes and `W/` included.
    pub etag: Option<Vec<u8>>,
    /// The value of `Last-Modified`, whether it is a date or not.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// A longer value is not stored (R4).
    pub const MAX_BYTES: usize = 8 * 1024;

    /// Neither is known: the request goes out plain.
    pub const fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }

    /// After a 304: what it carries replaces, what it lacks stays (R9).
    #[must_use]
    pub fn refreshed_by(&self, from_304: &Self) -> Self {
        Self {
            etag: from_304.etag.clone().or_else(|| self.etag.clone()),
            last_modified: from_304
                .last_modified
                .clone()
                .or_else(|| self.last_modified.clone()),
        }
    }
}

/// Which of the known validators are sent. The user's per-feed setting, and what efficacy decides (R5, R19–R21).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValidatorsChoice {
    /// All that are known, until they prove useless.
    #[default]
    Auto,
    /// Both, always.
    Both,
    /// `If-None-Match` alone.
    Etag,
    /// `If-Modified-Since` alone.
    LastModified,
    /// Neither: every poll is plain.
    None,
}

impl ValidatorsChoice {
    /// The word of feeds.toml and of `stats --json`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Both => "both",
            Self::Etag => "etag",
            Self::LastModified => "last-modified",
            Self::None => "none",
        }
    }

    /// The part of `known` that goes out under this choice.
    #[must_use]
    pub fn pick(self, known: &Validators) -> Validators {
        let etag = matches!(self, Self::Auto | Self::Both | Self::Etag);
        let date = matches!(self, Self::Auto | Self::Both | Self::LastModified);
        Validators {
            etag: known.etag.clone().filter(|_| etag),
            last_modified: known.last_modified.clone().filter(|_| date),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(etag: Option<&str>, date: Option<&str>) -> Validators {
        Validators {
            etag: etag.map(|v| v.as_bytes().to_vec()),
            last_modified: date.map(|v| v.as_bytes().to_vec()),
        }
    }

    #[test]
    fn a_bare_304_keeps_both() {
        let known = pair(Some("\"a\""), Some("yesterday"));
        assert_eq!(known.refreshed_by(&Validators::default()), known);
    }

    #[test]
    fn a_304_replaces_only_what_it_carries() {
        let known = pair(Some("\"a\""), Some("yesterday"));
        let merged = known.refreshed_by(&pair(None, Some("today")));
        assert_eq!(merged, pair(Some("\"a\""), Some("today")));
    }

    #[test]
    fn a_choice_picks_its_part() {
        let known = pair(Some("\"a\""), Some("d"));
        for (choice, etag, date) in [
            (ValidatorsChoice::Auto, true, true),
            (ValidatorsChoice::Both, true, true),
            (ValidatorsChoice::Etag, true, false),
            (ValidatorsChoice::LastModified, false, true),
            (ValidatorsChoice::None, false, false),
        ] {
            let picked = choice.pick(&known);
            assert_eq!(
                (picked.etag.is_some(), picked.last_modified.is_some()),
                (etag, date),
                "{choice:?}"
            );
        }
    }
}
