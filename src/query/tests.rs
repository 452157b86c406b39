//! What is typed, what it means, and what is said of a slip.

use proptest::prelude::*;

use super::*;
use crate::model::{EntryId, FeedId};

const NOW: Timestamp = Timestamp(1_796_047_200);
const DAY: i64 = 86_400;

fn head() -> EntryHead {
    EntryHead {
        id: EntryId {
            feed: FeedId(1),
            key: EntryKey([0xab; 16]),
        },
        no: 1,
        guid: String::new(),
        title: "Announcing Rust 1.99: größer, ΟΔΟΣ".to_owned(),
        link: None,
        author: "Ada Lovelace".to_owned(),
        published: None,
        updated: None,
        first_seen: NOW,
        sort: NOW.plus(-3 * DAY),
        edited: false,
        enclosures: Vec::new(),
        unread: true,
        starred: false,
    }
}

fn found(query: &str) -> bool {
    let tags = ["tech/rust".to_owned(), "News".to_owned()];
    let feed = FeedFacts {
        title: "Rust Blog",
        url: "https://blog.rust-lang.org/feed.xml",
        tags: &tags,
    };
    parse(query).expect(query).matches(&head(), &feed, NOW)
}

#[test]
fn every_term_finds_what_it_should_and_nothing_else() {
    for (query, wanted) in [
        ("", true),
        ("   ", true),
        ("\"\"", true),
        ("announcing", true),
        ("ANNOUNCING rust", true),
        ("announcing python", false),
        ("lovelace", true),
        ("blog", true),
        ("rust-lang", false),
        ("GRÖSSER", false),
        ("GRÖßER", true),
        ("οδος", true),
        ("ΟΔΟΣ", true),
        ("\"rust 1.99\"", true),
        ("\"1.99 rust\"", false),
        ("feed:rust-lang.org", true),
        ("FEED:\"rust blog\"", true),
        ("feed:lwn", false),
        ("feed:/feed.xml", true),
        ("feed://blog.rust-lang.org", true),
        ("tag:tech", true),
        ("tag:tech/", true),
        ("tag:Tech/Rust", true),
        ("tag:tec", false),
        ("tag:rust", false),
        ("tag:news", true),
        ("unread", true),
        ("starred", false),
        ("\"starred\"", false),
        ("unread announcing", true),
        ("age:<7d", true),
        ("age:<2d", false),
        ("age:>2d", true),
        ("age:>72h", false),
        ("age:<72h", false),
        ("age:>1d age:<1w", true),
        ("key:abababababababababababababababab", true),
        ("key:00000000000000000000000000000000", false),
        ("1.99:", true),
        ("https://example.org", false),
    ] {
        assert_eq!(found(query), wanted, "{query}");
    }
}

#[test]
fn a_slip_is_named_with_its_column_and_the_nearest_right_word() {
    for (query, column, part) in [
        ("rust fed:lwn", 6, "did you mean feed:?"),
        ("tga:x", 1, "did you mean tag:?"),
        ("nonsense:x", 1, "known are feed:, tag:, key:, age:"),
        ("age:7d", 1, "needs < or >"),
        ("ä age:<soon", 3, "cannot read the duration `soon`"),
        ("age:<", 1, "cannot read the duration ``"),
        ("feed:", 1, "feed: needs a value"),
        ("tag:\"\"", 1, "tag: needs a value"),
        ("key:12", 1, "32 hex digits"),
        ("a \"b", 3, "never closed"),
        ("feed:\"b", 6, "never closed"),
    ] {
        let error = parse(query).expect_err(query);
        assert_eq!(error.column, column, "{query}");
        assert!(error.message.contains(part), "{query}: {}", error.message);
    }
    assert_eq!(
        parse("age:7d").expect_err("no side").to_string(),
        "column 1: age: needs < or >, e.g. age:<7d"
    );
}

#[test]
fn quotes_make_text_of_keywords_and_hold_blanks_and_escapes() {
    assert!(!parse("\"unread\"").expect("text").unread_only());
    let expr = parse(r#""a \"b\" \\ \n""#).expect("phrase");
    assert_eq!(expr.terms, [Term::Text(r#"a "b" \ \n"#.to_owned())]);
}

#[test]
fn a_store_can_narrow_by_what_a_query_says_of_itself() {
    let expr = parse("unread starred age:<7d age:<3d age:>1h tag:tech").expect("query");
    assert!(expr.unread_only() && expr.starred_only() && !expr.is_empty());
    assert_eq!(expr.since(NOW), Some(NOW.plus(-3 * DAY)));
    assert_eq!(expr.until(NOW), Some(NOW.plus(-3600)));
    let tags = ["news".to_owned()];
    assert!(!expr.allows_feed(&FeedFacts {
        title: "",
        url: "",
        tags: &tags
    }));
    assert_eq!(parse("word").expect("query").since(NOW), None);
    let key = "ab".repeat(16);
    assert_eq!(
        parse(&format!("key:{key}")).expect("query").key(),
        Some(EntryKey([0xab; 16]))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let feed = FeedFacts { title: "", url: "", tags: &[] };
        if let Ok(expr) = parse(&text) {
            expr.matches(&head(), &feed, NOW);
        }
    }

    #[test]
    fn a_word_in_a_title_is_found_in_any_case(before in "[ -~é]{0,8}", word in "[a-zA-Zäöü]{1,6}", after in "[ -~]{0,8}") {
        let title = format!("{before}{word}{after}");
        prop_assert!(contains(&title, &fold(&word.to_uppercase())));
        prop_assert!(contains(&title, &fold(&word.to_lowercase())));
    }
}
