//! The query language in one screen: what can be written, and what it finds.

/// A row a form: an example that can be read as it stands, and what it finds.
pub const HELP: &[(&str, &str)] = &[
    (
        "rust async",
        "both words: in title, author, feed title or text",
    ),
    ("\"release notes\"", "the words side by side"),
    ("/cargo|crate/", "a regular expression"),
    ("title:rust", "there alone; also body: author: feed: link:"),
    ("feed:lwn", "of feeds whose title or address has it"),
    ("tag:tech", "of feeds with that tag, or one below it"),
    ("unread starred", "not read yet, and starred"),
    ("edited", "changed by its feed since it came"),
    ("is:read", "also is:unread is:starred is:edited"),
    ("is:hidden", "hidden by a rule; nothing else finds these"),
    (
        "is:withdrawn",
        "taken back by a feed that says that it is complete",
    ),
    ("has:enclosure", "with something attached"),
    (
        "age:<7d",
        "younger than a week; age:>30d older than a month",
    ),
    (
        "date:2026-11-30",
        "that day; also 2026-11, 2026, today, yesterday",
    ),
    (
        "date:2026-01..2026-03",
        "from and to; date:<2026 before, date:>2026 after",
    ),
    ("rust or go", "one of them; side by side means both"),
    ("not tag:news", "everything else"),
    ("(rust or go) unread", "brackets hold together"),
    (
        "key:0123456789abcdef0123456789abcdef",
        "one entry, as `entries --json` names it",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::term::{DAYS, FLAGS};
    use super::super::{PREFIXES, parse};
    use super::HELP;

    #[test]
    fn every_example_can_be_read_and_nothing_is_left_out() {
        let mut all = Vec::new();
        for (example, help) in HELP {
            assert!(parse(example).is_ok(), "{example}: {:?}", parse(example));
            all.push(format!("{example} {help}"));
        }
        let all = all.join("\n");
        for prefix in PREFIXES {
            assert!(all.contains(&format!("{prefix}:")), "{prefix}");
        }
        for (flag, _) in FLAGS {
            assert!(all.contains(&format!("is:{flag}")), "{flag}");
        }
        for (day, _) in DAYS {
            assert!(all.contains(day), "{day}");
        }
    }
}
