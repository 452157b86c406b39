//! `delta` of a feed in `feeds.toml`: how it is asked for what is newer (R77).

use std::ops::RangeInclusive;
use std::time::Duration;

use toml_edit::{InlineTable, Item};

use super::reader::{Given, closest, span_text};
use crate::model::{CursorKind, Delta};

const OVERLAP: Duration = Duration::from_secs(3_600);
const OVERLAPS: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(30 * 86_400);
const RESYNC: Duration = Duration::from_secs(7 * 86_400);
const RESYNCS: RangeInclusive<Duration> =
    Duration::from_secs(86_400)..=Duration::from_secs(365 * 86_400);
const NAMES: [&str; 4] = ["param", "kind", "overlap", "resync"];
const EXAMPLE: &str = "{ param = \"updated_since\", kind = \"updated\" }";

/// Reads `delta = { param = "updated_since", kind = "updated", overlap = "1h", resync = "7d" }`.
pub(super) fn of_feed(given: Given<'_>) -> Result<Delta, String> {
    let Some(table) = given.0.as_table_like() else {
        return given.wrong(&format!("must be a table; write it like {EXAMPLE}"));
    };
    let mut delta = Delta {
        param: String::new(),
        kind: CursorKind::Updated,
        overlap: OVERLAP,
        resync: RESYNC,
    };
    for (name, item) in table.iter() {
        read(&mut delta, name, item)?;
    }
    if delta.param.is_empty() {
        return Err(format!(
            "needs param, the name of the parameter; write it like {EXAMPLE}"
        ));
    }
    Ok(delta)
}

fn read(delta: &mut Delta, name: &str, item: &Item) -> Result<(), String> {
    let given = Given(item);
    let named = |why: String| format!("{name} {why}");
    match name {
        "param" => delta.param = given.text().map_err(named)?,
        "kind" => delta.kind = kind(given).map_err(named)?,
        "overlap" => delta.overlap = given.duration(OVERLAPS).map_err(named)?,
        "resync" => delta.resync = given.duration(RESYNCS).map_err(named)?,
        _ => {
            let near = closest(name, NAMES.into_iter()).map_or(NAMES[0], |(_, near)| near);
            let name = crate::article::sanitize::line(name);
            return Err(format!(
                "holds \"{name}\", which it does not know; did you mean {near}?"
            ));
        }
    }
    Ok(())
}

fn kind(given: Given<'_>) -> Result<CursorKind, String> {
    match given.text()?.as_str() {
        "updated" => Ok(CursorKind::Updated),
        "token" => Ok(CursorKind::Token),
        _ => given.wrong("must be \"updated\" or \"token\""),
    }
}

/// The same as it is written: what differs from the defaults.
pub(super) fn table(delta: &Delta) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("param", delta.param.as_str().into());
    let kind = match delta.kind {
        CursorKind::Updated => "updated",
        CursorKind::Token => "token",
    };
    table.insert("kind", kind.into());
    if delta.overlap != OVERLAP {
        table.insert("overlap", span_text(delta.overlap).into());
    }
    if delta.resync != RESYNC {
        table.insert("resync", span_text(delta.resync).into());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(text: &str) -> Result<Delta, String> {
        let document = text.parse::<toml_edit::DocumentMut>().expect("TOML");
        of_feed(Given(document.get("delta").expect("a delta")))
    }

    #[test]
    fn r77_a_feed_says_how_it_is_asked_for_what_is_newer() {
        let delta = feed("delta = { param = \"since\", kind = \"token\", resync = \"2days\" }");
        let delta = delta.expect("read");
        assert_eq!(
            delta,
            Delta {
                param: "since".to_owned(),
                kind: CursorKind::Token,
                overlap: OVERLAP,
                resync: Duration::from_secs(2 * 86_400),
            }
        );
        assert_eq!(feed(&format!("delta = {}", table(&delta))), Ok(delta));
    }

    #[test]
    fn r77_what_is_wrong_with_it_is_said() {
        for (text, why) in [
            ("delta = true", "must be a table"),
            ("delta = { kind = \"token\" }", "needs param"),
            ("delta = { parm = \"x\" }", "did you mean param?"),
            (
                "delta = { param = \"x\", kind = \"id\" }",
                "kind = \"id\" must be",
            ),
            (
                "delta = { param = \"x\", resync = \"1h\" }",
                "resync = \"1h\" is out of range",
            ),
        ] {
            let error = feed(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
