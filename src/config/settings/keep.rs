//! `[keep]`: how much of what feeds bring is kept.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml_edit::TableLike;

use super::super::error::ConfigError;
use super::super::reader::{Given, Key, Page, Section, anything, closest, place, read_table};
use super::set;
use crate::model::{Keep, KeepSettings};

/// A hundred years: who means no limit writes zero.
const AGES: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(36_525 * 86_400);

/// In `[keep]`, in `[keep.tags.TAG]` and in the `keep` of a feed.
pub(super) const KEYS: &[Key<Keep>] = &[
    Key::new("age", |s, v| set(&mut s.age, v.duration(AGES).map(Some))),
    Key::new("entries", |s, v| {
        set(
            &mut s.entries,
            v.count(0..=u32::MAX).map(|n| Some(n.into())),
        )
    }),
    Key::new("size", |s, v| {
        set(&mut s.size, v.size(0..=1 << 40).map(Some))
    }),
    Key::new("tags", anything),
];

/// Reads `[keep]` with its `tags`.
pub(super) fn read(
    page: &Page<'_>,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Result<KeepSettings, ConfigError> {
    let mut settings = KeepSettings::default();
    page.note(read_table(
        page,
        Section("keep"),
        table,
        KEYS,
        &mut settings.all,
        nearest,
        warnings,
    ));
    // Of all feeds nobody is asked after this: no limit is no limit.
    settings.all = settings.all.in_force();
    let Some(item) = table.get("tags") else {
        return Ok(settings);
    };
    let wrong = |at, name: &str| {
        let message =
            "must be a table with age, entries or size; begin it with a line [keep.tags.TAG]";
        page.error(at, name.to_owned(), format!("{name} {message}"))
    };
    let tags = item
        .as_table_like()
        .ok_or_else(|| wrong(place(table, "tags", item), "[keep] tags"))?;
    for (tag, item) in tags.iter() {
        let Some(limits) = item.as_table_like() else {
            page.fault(wrong(place(tags, tag, item), "[keep.tags]"));
            continue;
        };
        let mut keep = Keep::default();
        page.note(read_table(
            page,
            Section("keep.tags"),
            limits,
            &KEYS[..3],
            &mut keep,
            nearest,
            warnings,
        ));
        settings.tags.push((tag.to_owned(), keep));
    }
    Ok(settings)
}

/// The limits of one feed: `keep = { age = "30d", entries = 100 }`.
pub(in super::super) fn of_feed(given: Given<'_>) -> Result<Keep, String> {
    let Some(table) = given.0.as_table_like() else {
        return given.wrong("must be a table; write it like { age = \"30d\", entries = 100 }");
    };
    let mut keep = Keep::default();
    for (name, item) in table.iter() {
        let Some(key) = KEYS[..3].iter().find(|key| key.name == name) else {
            let near = nearest(name).unwrap_or_default();
            let name = crate::article::sanitize::line(name);
            return Err(format!(
                "holds \"{name}\", which it does not know; did you mean {near}?"
            ));
        };
        (key.set)(&mut keep, Given(item)).map_err(|why| format!("{name} {why}"))?;
    }
    Ok(keep)
}

fn nearest(wrong: &str) -> Option<String> {
    closest(wrong, KEYS.iter().map(|key| key.name)).map(|(_, name)| name.to_owned())
}

/// Whether a table of the file is this one, for lists of all keys.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(text: &str) -> Result<Keep, String> {
        let document = text.parse::<toml_edit::DocumentMut>().expect("TOML");
        let item = document.get("keep").expect("a keep");
        of_feed(Given(item))
    }

    #[test]
    fn a_feed_says_what_it_keeps_in_one_line() {
        assert_eq!(
            feed("keep = { age = \"30d\", size = \"1MiB\" }"),
            Ok(Keep {
                age: Some(Duration::from_secs(30 * 86_400)),
                entries: None,
                size: Some(1 << 20),
            })
        );
        for (text, why) in [
            (
                "keep = 30",
                "= 30 must be a table; write it like { age = \"30d\", entries = 100 }",
            ),
            (
                "keep = { entry = 3 }",
                "holds \"entry\", which it does not know; did you mean entries?",
            ),
            (
                "keep = { age = 30 }",
                "age = 30 is not a duration; write it like \"90s\", \"30m\", \"6h\" or \"7d\"",
            ),
        ] {
            assert_eq!(feed(text), Err(why.to_owned()));
        }
    }
}
