//! What is typed, what it means, and what is said of a slip.

use proptest::prelude::*;

use super::fold::fold;
use super::*;
use crate::model::{EntryHead, EntryId, EntryKey, FeedId, Moment, Timestamp};

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
        link: Some("https://example.org/a".to_owned()),
        author: "Ada Lovelace".to_owned(),
        published: None,
        updated: None,
        first_seen: NOW,
        sort: NOW.plus(-3 * DAY),
        edited: false,
        enclosures: Vec::new(),
        unread: true,
        starred: false,
        hidden: false,
        withdrawn: false,
        tags: Vec::new(),
    }
}

const TEXT: &str = "The borrow checker grew up. 日本語の新聞 は 大きい。";

fn found(query: &str) -> bool {
    let tags = ["tech/rust".to_owned(), "News".to_owned()];
    let feed = FeedFacts {
        title: "Rust Blog",
        url: "https://blog.rust-lang.org/feed.xml",
        tags: &tags,
    };
    parse(query)
        .expect(query)
        .matches(&head(), TEXT, feed, NOW.into())
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
        ("borrow", true),
        ("\"BORROW checker\"", true),
        ("新聞", true),
        ("新闻", false),
        ("title:rust", true),
        ("title:borrow", false),
        ("body:borrow", true),
        ("body:announcing", false),
        ("author:ada", true),
        ("author:rust", false),
        ("link:example.org/a", true),
        ("link:rust", false),
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
        ("is:unread", true),
        ("is:read", false),
        ("starred", false),
        ("\"starred\"", false),
        ("edited", false),
        ("is:hidden", false),
        ("has:enclosure", false),
        ("unread announcing", true),
        ("age:<7d", true),
        ("age:<2d", false),
        ("age:>2d", true),
        ("age:>72h", false),
        ("age:<72h", false),
        ("age:>1d age:<1w", true),
        ("date:2026-11-27", true),
        ("date:2026-11-26", false),
        ("date:2026-11", true),
        ("date:2026", true),
        ("date:2025", false),
        ("date:2026-11-27..2026-11-28", true),
        ("date:2026-11-28..", false),
        ("date:..2026-11-27", true),
        ("date:<2026-11-27", false),
        ("date:>2026-10", true),
        ("date:today", false),
        ("not date:yesterday", true),
        ("key:abababababababababababababababab", true),
        ("key:00000000000000000000000000000000", false),
        ("1.99:", true),
        ("https://example.org", false),
        ("python or rust", true),
        ("python OR perl", false),
        ("not python", true),
        ("NOT rust", false),
        ("not not rust", true),
        ("rust and not python", true),
        ("python or rust starred", false),
        ("(python or rust) unread", true),
        ("not(python or perl)", true),
        ("not (python or rust)", false),
        ("(python starred) or (rust unread)", true),
        ("/rust \\d/", true),
        ("/rust$/", false),
        ("title:/^announcing .*99/", true),
        ("body:/check(er|ed)/", true),
        ("/(?-i)RUST/", false),
        ("(/perl/ or /borr.w/)", true),
        ("\"/rust/\"", false),
        ("fn(x)", false),
    ] {
        assert_eq!(found(query), wanted, "{query}");
    }
}

#[test]
fn a_slip_is_named_with_its_column_and_the_nearest_right_word() {
    for (query, column, part) in [
        ("rust fed:lwn", 6, "did you mean feed:?"),
        ("tga:x", 1, "did you mean tag:?"),
        ("nonsense:x", 1, "known are title:, body:, author:, feed:"),
        ("age:7d", 1, "needs < or >"),
        ("ä age:<soon", 3, "cannot read the duration `soon`"),
        ("age:<", 1, "cannot read the duration ``"),
        ("feed:", 1, "feed: needs a value, e.g. feed:lwn"),
        ("tag:\"\"", 1, "tag: needs a value"),
        ("tag:/", 1, "tag: needs a value"),
        ("key:12", 1, "32 hex digits"),
        ("a \"b", 3, "never closed"),
        ("feed:\"b", 6, "never closed"),
        ("is:stared", 1, "did you mean is:starred?"),
        ("is:x", 1, "known are is:unread, is:read"),
        ("has:x", 1, "known are has:enclosure"),
        ("date:2026-13", 1, "write it like 2026"),
        ("date:2026-1-1-1", 1, "write it like 2026"),
        ("date:2026-02-30", 1, "write it like 2026"),
        ("date:2026-11..2026-10", 1, "ends before it begins"),
        ("date:..", 1, "write it like 2026"),
        ("tag:/x/", 1, "takes no pattern"),
        ("a (b", 3, "this ( is never closed"),
        ("a b)", 4, "closes nothing"),
        ("a ()", 3, "nothing in these brackets"),
        ("or b", 1, "joins two terms"),
        ("a and", 6, "a term is missing here"),
        ("a or", 5, "a term is missing here"),
        ("a not", 6, "a term is missing here"),
        ("(a or )", 7, "a term is missing before this )"),
        ("a /b", 3, "this pattern is never closed"),
        ("a /(/", 3, "cannot be read: unclosed group"),
        ("/x{9999}{9999}/", 1, "too large"),
    ] {
        let error = parse(query).expect_err(query);
        assert_eq!(error.column, column, "{query}: {error}");
        let part = part.replace("this pattern is never", "is never");
        assert!(error.message.contains(&part), "{query}: {}", error.message);
    }
    assert_eq!(
        parse("age:7d").expect_err("no side").to_string(),
        "column 1: age: needs < or >, e.g. age:<7d"
    );
    let deep = "(".repeat(5_000);
    assert!(parse(&deep).is_err());
    assert!(parse(&"not ".repeat(5_000)).is_err());
}

#[test]
fn quotes_make_text_of_keywords_and_hold_blanks_and_escapes() {
    assert!(!parse("\"unread\"").expect("text").unread_only());
    let expr = parse(r#""a \"b\" \\ \n""#).expect("phrase");
    let needle = Needle::Text(r#"a "b" \ \n"#.to_owned());
    assert_eq!(expr, Expr::Term(Term::Text(Field::Anywhere, needle)));
}

#[test]
fn a_store_can_narrow_by_what_a_query_says_of_itself() {
    let moment = Moment::from(NOW);
    let expr = parse("unread starred age:<7d age:<3d age:>1h tag:tech").expect("query");
    assert!(expr.unread_only() && expr.starred_only() && !expr.is_empty());
    assert_eq!(expr.span(moment), (NOW.plus(-3 * DAY + 1), NOW.plus(-3601)));
    let everything = (Timestamp(i64::MIN), Timestamp(i64::MAX));
    for query in ["word", "unread or age:<1d", "not age:<1d"] {
        let expr = parse(query).expect("query");
        assert_eq!(expr.span(moment), everything, "{query}");
        assert!(!expr.unread_only());
    }
    assert!(parse("a or not is:hidden").expect("query").names_hidden());
    assert!(!parse("a or b").expect("query").names_hidden());
}

#[test]
fn a_query_is_printed_in_its_shortest_form() {
    for (query, printed) in [
        ("  a   b ", "a b"),
        ("a and b or c", "a b or c"),
        ("a and (b or c)", "a (b or c)"),
        ("((a))", "a"),
        ("(a b) c", "a b c"),
        ("not (a b)", "not (a b)"),
        ("not not a", "a"),
        ("Title:\"Two Words\"", "title:\"two words\""),
        ("is:unread is:read", "unread is:read"),
        ("age:<14d age:>90m", "age:<2w age:>90m"),
        ("date:2026-11", "date:2026-11-01..2026-11-30"),
        ("date:>2026-11-05", "date:2026-11-06.."),
        ("date:Today", "date:today"),
        ("feed:/feed.xml", "feed:\"/feed.xml\""),
        (r"/a\/b\\/", r"/a\/b\\/"),
        ("\"or\" \"a:b\"", "\"or\" \"a:b\""),
        ("tag:A/b", "tag:a/b"),
        ("", ""),
    ] {
        let expr = parse(query).expect(query);
        assert_eq!(expr.to_string(), printed, "{query}");
        assert_eq!(parse(printed), Ok(expr), "{query}");
    }
}

#[test]
fn what_was_begun_is_completed() {
    let tags = ["tech/rust".to_owned(), "my news".to_owned()];
    let feeds = [
        "Rust Blog".to_owned(),
        "LWN".to_owned(),
        "This Week in Rust".to_owned(),
    ];
    let names = Names {
        tags: &tags,
        feeds: &feeds,
    };
    for (line, offers) in [
        ("ti", vec!["title:"]),
        ("rust (un", vec!["rust (unread"]),
        ("a", vec!["author:", "age:", "and"]),
        ("x tag:", vec!["x tag:tech/rust", "x tag:\"my news\""]),
        ("tag:rust", vec!["tag:tech/rust"]),
        (
            "feed:ru",
            vec!["feed:\"rust blog\"", "feed:\"this week in rust\""],
        ),
        ("feed:\"rust b", vec!["feed:\"rust blog\""]),
        ("is:s", vec!["is:starred"]),
        ("age:", vec!["age:<1d", "age:<7d", "age:<30d", "age:>30d"]),
        ("date:y", vec!["date:yesterday"]),
        ("title:x", vec![]),
        ("is:starred", vec![]),
        ("\"ti", vec![]),
        ("", vec![]),
    ] {
        let offered = complete(line, names);
        let offered: Vec<String> = offered.iter().map(|line| fold(line)).collect();
        assert_eq!(offered, offers, "{line}");
    }
}

#[test]
fn a_match_is_found_where_it_stands() {
    for (query, text, places) in [
        ("ab", "xABxab", vec![(1, 3), (4, 6)]),
        ("größe", "Die GRÖßE zählt", vec![(4, 11)]),
        ("i", "İ", vec![(0, 2)]),
        ("/b+/", "abba b", vec![(1, 3), (5, 6)]),
        ("a or not b", "b a", vec![(2, 3)]),
        ("title:a body:b", "a b", vec![(0, 1)]),
    ] {
        let expr = parse(query).expect(query);
        let needles = expr.needles_in(Field::Title);
        let found: Vec<_> = needles.iter().flat_map(|n| n.places(text)).collect();
        let found: Vec<_> = found.iter().map(|range| (range.start, range.end)).collect();
        assert_eq!(found, places, "{query}");
    }
}

#[test]
fn what_is_not_known_stays_open_only_where_it_decides() {
    let tags = [];
    let feed = FeedFacts {
        title: "",
        url: "",
        tags: &tags,
    };
    let head = head();
    let facts = Facts {
        marks: None,
        ..Facts::of(&head, feed)
    };
    for (query, judged) in [
        ("rust", Some(true)),
        ("borrow", None),
        ("borrow or rust", Some(true)),
        ("borrow title:python", Some(false)),
        ("unread rust", None),
        ("unread title:python", Some(false)),
        ("not borrow", None),
    ] {
        let expr = parse(query).expect(query);
        assert_eq!(
            expr.judge(&facts, NOW.into(), &mut |_| None),
            judged,
            "{query}"
        );
    }
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9äéß日]{1,6}",
        "[ -~]{0,10}",
        Just("or".to_owned()),
        Just("unread".to_owned()),
        any::<String>(),
    ]
}

/// A term as someone may type it.
fn term_text() -> impl Strategy<Value = String> {
    let quote = |text: String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let prefix = prop_oneof![
        Just(""),
        Just("title:"),
        Just("body:"),
        Just("author:"),
        Just("feed:"),
        Just("link:"),
        Just("tag:"),
    ];
    prop_oneof![
        (prefix.clone(), word()).prop_map(move |(prefix, word)| format!("{prefix}{}", quote(word))),
        (prefix, "[a-z/(){}.*+?\\\\ ]{1,8}").prop_map(|(prefix, p)| format!("{prefix}/{p}/")),
        "[a-z]{1,4}",
        (0_u64..10_000_000).prop_map(|s| format!("age:<{s}s")),
        (0_u64..10_000_000).prop_map(|s| format!("age:>{s}s")),
        (1990_u32..2100, 1_u32..13, 1_u32..29).prop_map(|(y, m, d)| format!("date:{y}-{m}-{d}")),
        (1990_u32..2100, 1_u32..13).prop_map(|(y, m)| format!("date:<{y}-{m:02}")),
        prop_oneof![
            Just("unread"),
            Just("starred"),
            Just("edited"),
            Just("is:hidden"),
            Just("has:enclosure"),
            Just("date:today"),
        ]
        .prop_map(str::to_owned),
    ]
}

fn query_text() -> impl Strategy<Value = String> {
    term_text().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.join(" ")),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.join(" or ")),
            inner.clone().prop_map(|part| format!("({part})")),
            inner.prop_map(|part| format!("not ({part})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let feed = FeedFacts { title: "", url: "", tags: &[] };
        if let Ok(expr) = parse(&text) {
            expr.matches(&head(), TEXT, feed, NOW.into());
            prop_assert_eq!(parse(&expr.to_string()), Ok(expr));
        }
        complete(&text, Names::default());
    }

    #[test]
    fn a_query_that_is_printed_is_read_as_the_same_query(text in query_text()) {
        if let Ok(expr) = parse(&text) {
            let printed = expr.to_string();
            prop_assert_eq!(parse(&printed), Ok(expr), "{} printed {}", text, printed);
        }
    }

    #[test]
    fn html_of_any_kind_is_read(text in "[<>&;a-z\"'!/ é-]{0,40}") {
        plain(&text);
    }

    #[test]
    fn a_word_in_a_title_is_found_in_any_case(before in "[ -~é]{0,8}", word in "[a-zA-Zäöü]{1,6}", after in "[ -~]{0,8}") {
        let title = format!("{before}{word}{after}");
        for needle in [Needle::text(&word.to_uppercase()), Needle::text(&word.to_lowercase())] {
            prop_assert!(needle.is_in(&title));
            let places = needle.places(&title);
            prop_assert!(places.iter().any(|range| title[range.clone()].to_lowercase() == word.to_lowercase()));
        }
    }
}
