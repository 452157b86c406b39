//! `changes` of a feed in `feeds.toml`: files that say what changed on a day (R77).

use std::ops::RangeInclusive;
use std::time::Duration;

use toml_edit::{InlineTable, Item, Value};

use super::reader::{Given, closest, span_text};
use super::url::clean_url;
use crate::model::{ChangeFiles, SourceKind, Subscription};

const OVERLAP: Duration = Duration::from_secs(6 * 3_600);
const OVERLAPS: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(7 * 86_400);
const RESYNC: Duration = Duration::from_secs(7 * 86_400);
const RESYNCS: RangeInclusive<Duration> =
    Duration::from_secs(86_400)..=Duration::from_secs(365 * 86_400);
const NAMES: [&str; 3] = ["pattern", "overlap", "resync"];
const EXAMPLE: &str = "\"https://example.org/changes-{date}.xml\"";

/// Reads the pattern alone, with the defaults for all else.
pub fn changes(pattern: &str) -> Result<ChangeFiles, String> {
    let pattern = pattern.trim();
    let parts = ["{year}", "{month}", "{day}"];
    if !pattern.contains("{date}") && parts.iter().any(|part| !pattern.contains(part)) {
        return Err(format!(
            "names no day; write it like {EXAMPLE}, or with {{year}}, {{month}} and {{day}}"
        ));
    }
    // What a URL may not hold is checked with a day in its place.
    let filled = ["{date}", "{year}", "{month}", "{day}"]
        .iter()
        .fold(pattern.to_owned(), |text, part| text.replace(part, "1"));
    if filled.contains(['{', '}']) {
        return Err(format!(
            "holds braces around something else than date, year, month or day; write it like {EXAMPLE}"
        ));
    }
    clean_url(&filled).map_err(|error| error.to_string())?;
    let scheme = if pattern.contains("://") {
        ""
    } else {
        "https://"
    };
    Ok(ChangeFiles {
        pattern: format!("{scheme}{pattern}"),
        overlap: OVERLAP,
        resync: RESYNC,
    })
}

/// Reads `changes = "https://example.org/changes-{date}.xml"`, or a table with `pattern`, `overlap` and `resync`.
pub(super) fn of_feed(given: Given<'_>) -> Result<ChangeFiles, String> {
    if let Some(pattern) = given.0.as_str() {
        return changes(pattern);
    }
    let Some(table) = given.0.as_table_like() else {
        return given.wrong(&format!(
            "must be an address with a date; write it like {EXAMPLE}"
        ));
    };
    let pattern = table.get("pattern").and_then(Item::as_str);
    let pattern = pattern.ok_or_else(|| format!("needs pattern = {EXAMPLE}"))?;
    let mut read = changes(pattern).map_err(|why| format!("pattern {why}"))?;
    for (name, item) in table.iter() {
        let given = Given(item);
        let named = |why: String| format!("{name} {why}");
        match name {
            "pattern" => {}
            "overlap" => read.overlap = given.duration(OVERLAPS).map_err(named)?,
            "resync" => read.resync = given.duration(RESYNCS).map_err(named)?,
            _ => {
                let near = closest(name, NAMES.into_iter()).map_or(NAMES[0], |(_, near)| near);
                let name = crate::article::sanitize::line(name);
                return Err(format!(
                    "holds \"{name}\", which it does not know; did you mean {near}?"
                ));
            }
        }
    }
    Ok(read)
}

/// The same as it is written: the pattern, or a table where something differs from the defaults.
pub(super) fn value(changes: &ChangeFiles) -> Value {
    if changes.overlap == OVERLAP && changes.resync == RESYNC {
        return changes.pattern.as_str().into();
    }
    let mut table = InlineTable::new();
    table.insert("pattern", changes.pattern.as_str().into());
    if changes.overlap != OVERLAP {
        table.insert("overlap", span_text(changes.overlap).into());
    }
    if changes.resync != RESYNC {
        table.insert("resync", span_text(changes.resync).into());
    }
    Value::InlineTable(table)
}

/// What does not go together with change files: the key, and why.
pub(super) fn contradiction(feed: &Subscription) -> Option<(&'static str, &'static str)> {
    feed.changes.as_ref()?;
    if feed.kind != SourceKind::Feed || super::local(&feed.url).is_some() {
        return Some((
            "changes",
            "only a feed at a web address has files of changes beside it",
        ));
    }
    if feed.delta.is_some() {
        return Some((
            "delta",
            "this feed has both changes and delta; keep one of them",
        ));
    }
    if !feed.filter.is_empty() {
        return Some((
            "filter",
            "files of changes go through no filter; keep one of changes and filter",
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(text: &str) -> Result<ChangeFiles, String> {
        let document = text.parse::<toml_edit::DocumentMut>().expect("TOML");
        of_feed(Given(document.get("changes").expect("changes")))
    }

    #[test]
    fn r77_files_of_changes_are_named_by_a_pattern() {
        let plain = feed("changes = \"a.org/c-{date}.xml\"").expect("read");
        assert_eq!(plain.pattern, "https://a.org/c-{date}.xml");
        assert_eq!((plain.overlap, plain.resync), (OVERLAP, RESYNC));
        let own = feed(
            "changes = { pattern = \"http://a.org/{year}/{month}{day}\", overlap = \"1day\", resync = \"30days\" }",
        )
        .expect("read");
        assert_eq!(own.resync, Duration::from_secs(30 * 86_400));
        for read in [plain, own] {
            assert_eq!(feed(&format!("changes = {}", value(&read))), Ok(read));
        }
    }

    #[test]
    fn r77_what_is_wrong_with_them_is_said() {
        for (text, why) in [
            ("changes = true", "must be an address with a date"),
            ("changes = \"https://a.org/x.xml\"", "names no day"),
            ("changes = \"https://a.org/{year}-{month}\"", "names no day"),
            (
                "changes = \"https://a.org/{date}{hour}\"",
                "braces around something else",
            ),
            ("changes = \"ftp://a.org/{date}\"", "only http and https"),
            ("changes = { resync = \"7d\" }", "needs pattern"),
            (
                "changes = { pattern = \"a.org/{date}\", resnyc = \"7d\" }",
                "did you mean resync?",
            ),
            (
                "changes = { pattern = \"a.org/{date}\", resync = \"1h\" }",
                "resync = \"1h\" is out of range",
            ),
        ] {
            let error = feed(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
