//! `feeds.toml` edited: feeds are added at the end and cut out where they stand; every other byte stays as the user wrote it.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

use super::error::ConfigError;
use super::identity::normalise;
use super::local::clean_source;
use super::reader::{Page, span_text};
use super::subscriptions::subscriptions;
use crate::model::{FeedHttp, Keep, SourceKind, Subscription, ValidatorsChoice};

/// `text` with `new` feeds at its end. A feed that is subscribed already, or comes twice, is left out.
pub fn add(text: &str, new: &[Subscription]) -> Result<String, ConfigError> {
    let (known, _) = subscriptions(text, Path::new(""))?;
    let mut seen: HashSet<String> = known.iter().map(|feed| identity(&feed.url)).collect();
    let new: Vec<&Subscription> = new
        .iter()
        .filter(|feed| seen.insert(identity(&feed.url)))
        .collect();
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    let (lists, feeds): (Vec<_>, Vec<_>) = (new.into_iter()).partition(|one| is_list(one));
    let mut added = text.to_owned();
    for (name, new) in [("feed", feeds), ("list", lists)] {
        if new.is_empty() {
            continue;
        }
        added = if is_inline(&added, name)? {
            add_inline(&added, name, &new)?
        } else {
            add_tables(&added, &new)
        };
    }
    subscriptions(&added, Path::new(""))?;
    Ok(added)
}

/// `text` without the feeds of these URLs, as in the file or as normalised. Comments outside of a feed's own lines stay.
pub fn remove(text: &str, urls: &[String]) -> Result<String, ConfigError> {
    subscriptions(text, Path::new(""))?;
    let gone: HashSet<String> = urls.iter().map(|url| identity(url)).collect();
    let mut left = text.to_owned();
    for name in ["feed", "list"] {
        if is_inline(&left, name)? {
            left = remove_inline(&left, name, &gone)?;
            continue;
        }
        let page = Page::new(&left, Path::new(""));
        let document = page.parse()?;
        if let Some(tables) = document.get(name).and_then(Item::as_array_of_tables) {
            left = cut(&left, &extents(&left, tables, &gone));
        }
    }
    Ok(left)
}

fn is_list(one: &Subscription) -> bool {
    one.kind == SourceKind::List
}

/// What two URLs of one subscription share; the text itself where it is no URL.
fn identity(url: &str) -> String {
    normalise(url).unwrap_or_else(|_| url.to_owned())
}

fn is_gone(table: &dyn TableLike, gone: &HashSet<String>) -> bool {
    gone.contains(&identity_of(table))
}

/// What a table of the file shares with other ways to write its URL.
pub(super) fn identity_of(table: &dyn TableLike) -> String {
    let text = |name: &str| table.get(name).and_then(Item::as_str);
    let exec = || {
        let words = table.get("exec")?.as_array()?;
        let words: Option<Vec<String>> =
            words.iter().map(|w| Some(w.as_str()?.to_owned())).collect();
        Some(format!("exec:{}", super::local::line_of_words(&words?)))
    };
    let url = match text("url").or_else(|| text("opml")) {
        Some(url) => super::local::filter(url)
            .map_or(url, |(_, url)| url)
            .to_owned(),
        None => exec().unwrap_or_default(),
    };
    identity(&url)
}

/// Feeds, or lists, are written as `feed = [{…}, …]`.
fn is_inline(text: &str, name: &str) -> Result<bool, ConfigError> {
    let page = Page::new(text, Path::new(""));
    Ok(page.parse()?.get(name).is_some_and(Item::is_array))
}

fn add_tables(text: &str, new: &[&Subscription]) -> String {
    let crlf = text.contains("\r\n");
    let mut added = text.to_owned();
    if !added.is_empty() && !added.ends_with('\n') {
        added.push('\n');
    }
    for feed in new {
        if !added.is_empty() {
            added.push_str(if crlf { "\r\n" } else { "\n" });
        }
        let table = table_text(feed);
        added.push_str(&if crlf {
            table.replace('\n', "\r\n")
        } else {
            table
        });
    }
    added
}

/// The lines of every table of `gone`, from its header to the end of its last value, in order.
fn extents(text: &str, feeds: &ArrayOfTables, gone: &HashSet<String>) -> Vec<Range<usize>> {
    let mut extents: Vec<Range<usize>> = feeds
        .iter()
        .filter(|table| is_gone(*table, gone))
        .filter_map(|table| {
            let header = table.span()?;
            let end = last_byte(table).max(header.end);
            let start = text[..header.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
            Some(start..end)
        })
        .collect();
    crate::model::arrange(&mut extents, |a, b| a.start.cmp(&b.start));
    extents
}

/// The end of the last thing in `table`, tables below it included.
fn last_byte(table: &dyn TableLike) -> usize {
    table
        .iter()
        .map(|(_, item)| {
            let own = item.span().map_or(0, |span| span.end);
            own.max(item.as_table_like().map_or(0, last_byte))
        })
        .max()
        .unwrap_or(0)
}

/// Cuts the extents out, each with the blank line that set it apart.
fn cut(text: &str, extents: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for extent in extents {
        left.push_str(&text[from..extent.start]);
        from = extent.end;
        let after_blank = blank_line_at(&text[from..]);
        let at_end = text[from..].is_empty();
        if left.is_empty() || left == "\u{feff}" {
            from += after_blank.unwrap_or(0);
        } else if (at_end || after_blank.is_some())
            && let Some(kept) = before_blank_line(&left)
        {
            left.truncate(kept);
        }
    }
    left.push_str(&text[from..]);
    left
}

/// The length of the blank line at the beginning of `text`, if one is there.
fn blank_line_at(text: &str) -> Option<usize> {
    let end = text.find('\n')? + 1;
    text[..end].trim().is_empty().then_some(end)
}

/// Where `text` ends without its last line, if that is blank.
fn before_blank_line(text: &str) -> Option<usize> {
    let body = text.strip_suffix('\n')?;
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    body[start..].trim().is_empty().then_some(start)
}

/// The values of a feed that differ from the defaults, in the order of the sample.
fn values(feed: &Subscription) -> Vec<(&'static str, Value)> {
    let http = &feed.http;
    let default = FeedHttp::default();
    let url = clean_source(&feed.url).unwrap_or_else(|_| feed.url.clone());
    let address = if is_list(feed) { "opml" } else { "url" };
    let mut values = vec![(address, Value::from(url))];
    if feed.kind == SourceKind::Sitemap {
        values.push(("kind", "sitemap".into()));
    }
    match feed.paths.as_slice() {
        [] => {}
        [path] => values.push(("path", path.as_str().into())),
        paths => {
            let paths: Array = paths.iter().map(String::as_str).collect();
            values.push(("path", Value::Array(paths)));
        }
    }
    if !feed.filter.is_empty() {
        let words: Array = feed.filter.iter().map(String::as_str).collect();
        values.push(("filter", Value::Array(words)));
    }
    if feed.shell {
        values.push(("shell", true.into()));
    }
    if feed.full_text {
        values.push(("full_text", true.into()));
    }
    if feed.mute {
        values.push(("mute", true.into()));
    }
    if let Some(notify) = feed.notify {
        values.push(("notify", notify.into()));
    }
    if let Some(title) = &feed.title {
        values.push(("title", title.as_str().into()));
    }
    if !feed.tags.is_empty() {
        let tags: Array = feed.tags.iter().map(String::as_str).collect();
        values.push(("tags", Value::Array(tags)));
    }
    if let Some(every) = feed.every {
        values.push(("every", span_text(every).into()));
    }
    if feed.keep != Keep::default() {
        values.push(("keep", Value::InlineTable(keep_table(feed.keep))));
    }
    if let Some(delta) = &feed.delta {
        values.push(("delta", Value::InlineTable(super::delta::table(delta))));
    }
    if let Some(changes) = &feed.changes {
        values.push(("changes", super::changes::value(changes)));
    }
    if http.validators != default.validators {
        values.push(("validators", validators_text(http.validators).into()));
    }
    if !feed.except.is_empty() {
        let urls: Array = feed.except.iter().map(String::as_str).collect();
        values.push(("except", Value::Array(urls)));
    }
    if http.a_im != default.a_im {
        values.push(("a_im", http.a_im.into()));
    }
    if http.allow_http != default.allow_http {
        values.push(("allow_http", http.allow_http.into()));
    }
    if let Some(file) = &http.auth_file {
        values.push(("auth_file", file.to_string_lossy().as_ref().into()));
    }
    if let Some(name) = &http.auth_env {
        values.push(("auth_env", name.as_str().into()));
    }
    if let Some(agent) = &http.user_agent {
        values.push(("user_agent", agent.as_str().into()));
    }
    if !http.headers.is_empty() {
        let mut table = InlineTable::new();
        for (name, value) in &http.headers {
            table.insert(name, value.as_str().into());
        }
        values.push(("headers", Value::InlineTable(table)));
    }
    values
}

fn keep_table(keep: Keep) -> InlineTable {
    let number = |n: u64| Value::from(i64::try_from(n).unwrap_or(i64::MAX));
    let size = |n: u64| Value::from(bytesize::ByteSize(n).display().iec().to_string());
    let mut table = InlineTable::new();
    if let Some(age) = keep.age {
        table.insert("age", span_text(age).into());
    }
    if let Some(entries) = keep.entries {
        table.insert("entries", number(entries));
    }
    if let Some(bytes) = keep.size {
        table.insert("size", size(bytes));
    }
    table
}

const fn validators_text(choice: ValidatorsChoice) -> &'static str {
    match choice {
        ValidatorsChoice::Auto => "auto",
        ValidatorsChoice::Both => "both",
        ValidatorsChoice::Etag => "etag",
        ValidatorsChoice::LastModified => "last-modified",
        ValidatorsChoice::None => "none",
    }
}

fn table_text(feed: &Subscription) -> String {
    let header = if is_list(feed) {
        "[[list]]\n"
    } else {
        "[[feed]]\n"
    };
    values(feed)
        .into_iter()
        .fold(header.to_owned(), |text, (name, value)| {
            text + name + " = " + value.to_string().trim() + "\n"
        })
}

fn add_inline(text: &str, name: &str, new: &[&Subscription]) -> Result<String, ConfigError> {
    edit_inline(text, name, |feeds| {
        for feed in new {
            let table: InlineTable = values(feed).into_iter().collect();
            let before = if feeds.is_empty() { "" } else { " " };
            feeds.push_formatted(Value::InlineTable(table).decorated(before, ""));
        }
    })
}

fn remove_inline(text: &str, name: &str, gone: &HashSet<String>) -> Result<String, ConfigError> {
    edit_inline(text, name, |feeds| {
        feeds.retain(|value| {
            !value
                .as_inline_table()
                .is_some_and(|table| is_gone(table, gone))
        });
    })
}

fn edit_inline(
    text: &str,
    name: &str,
    edit: impl FnOnce(&mut Array),
) -> Result<String, ConfigError> {
    let page = Page::new(text, Path::new(""));
    let mut document: DocumentMut = page.parse()?.into_mut();
    if let Some(feeds) = document.get_mut(name).and_then(Item::as_array_mut) {
        edit(feeds);
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feed(url: &str) -> Subscription {
        Subscription {
            url: url.to_owned(),
            ..Subscription::default()
        }
    }

    fn urls(list: &[&str]) -> Vec<String> {
        list.iter().map(|url| (*url).to_owned()).collect()
    }

    #[test]
    fn a_sitemap_is_added_with_its_kind_and_its_paths() {
        let mut site = Subscription {
            kind: SourceKind::Sitemap,
            paths: urls(&["/a/"]),
            ..feed("https://a.org/s.xml")
        };
        let one = add("", std::slice::from_ref(&site)).expect("added");
        assert_eq!(
            one,
            "[[feed]]\nurl = \"https://a.org/s.xml\"\nkind = \"sitemap\"\npath = \"/a/\"\n"
        );
        site.paths.push("*b".to_owned());
        let two = add("", &[site]).expect("added");
        assert!(two.contains("path = [\"/a/\", \"*b\"]\n"), "{two}");
    }

    #[test]
    fn a_list_is_added_under_its_own_name_and_removed_like_a_feed() {
        let list = Subscription {
            kind: SourceKind::List,
            tags: vec!["team".to_owned()],
            ..feed("https://l.org/x.opml")
        };
        let both = add("", &[list.clone(), feed("https://a.org/f")]).expect("added");
        assert_eq!(
            both,
            "[[feed]]\nurl = \"https://a.org/f\"\n\n[[list]]\nopml = \"https://l.org/x.opml\"\ntags = [\"team\"]\n"
        );
        assert_eq!(add(&both, std::slice::from_ref(&list)), Ok(both.clone()));
        let left = remove(&both, &urls(&["https://L.org/x.opml"])).expect("removed");
        assert_eq!(left, "[[feed]]\nurl = \"https://a.org/f\"\n");
        let inline = "list = [{ opml = \"https://b.org/\" }]\n";
        let added = add(inline, &[list]).expect("added");
        assert!(
            added.contains("{ opml = \"https://l.org/x.opml\", tags = [\"team\"] }"),
            "{added}"
        );
    }

    const MINE: &str = r#"# my feeds
# kept in git

# --- tech ---

# the Rust people
[[feed]]   # first
url   = "https://blog.rust-lang.org/feed.xml"   # official
tags  = [
    "tech", # why not
]

[[feed]]
url = "https://lwn.net/headlines/rss"
[feed.headers]
X-A = "1" # a token

# --- comics ---
[[feed]]
title = "xkcd"
url = "https://xkcd.com/atom.xml"
# the end
"#;

    #[test]
    fn a_feed_is_added_at_the_end_with_what_differs_from_the_defaults() {
        let full = Subscription {
            url: "example.org/a#b".to_owned(),
            title: Some("He said \"hi\" \\ ü".to_owned()),
            tags: urls(&["a/b", "c"]),
            every: Some(std::time::Duration::from_secs(5_400)),
            http: FeedHttp {
                validators: ValidatorsChoice::LastModified,
                a_im: false,
                allow_http: true,
                auth_file: Some("secret".into()),
                auth_env: None,
                user_agent: Some("me/1".to_owned()),
                headers: vec![("X-A".to_owned(), "1".to_owned())],
            },
            filter: urls(&["~/bin/f", "a b"]),
            shell: false,
            keep: Keep {
                age: Some(std::time::Duration::from_secs(30 * 86_400)),
                entries: Some(0),
                size: Some(2 << 20),
            },
            full_text: true,
            mute: true,
            notify: Some(false),
            delta: Some(crate::model::Delta {
                param: "since".to_owned(),
                kind: crate::model::CursorKind::Token,
                overlap: std::time::Duration::from_secs(3_600),
                resync: std::time::Duration::from_secs(86_400),
            }),
            ..Subscription::default()
        };
        let text = add(MINE, &[full, feed("https://example.net")]).expect("valid");
        let added = text.strip_prefix(MINE).expect("the rest stays");
        insta::assert_snapshot!(added, @r#"

        [[feed]]
        url = "https://example.org/a"
        filter = ["~/bin/f", "a b"]
        full_text = true
        mute = true
        notify = false
        title = 'He said "hi" \ ü'
        tags = ["a/b", "c"]
        every = "90m"
        keep = { age = "30d", entries = 0, size = "2.0 MiB" }
        delta = { param = "since", kind = "token", resync = "1d" }
        validators = "last-modified"
        a_im = false
        allow_http = true
        auth_file = "secret"
        user_agent = "me/1"
        headers = { X-A = "1" }

        [[feed]]
        url = "https://example.net"
        "#);
    }

    #[test]
    fn what_is_subscribed_already_is_not_added() {
        let text = add(MINE, &[feed("HTTPS://XKCD.com/atom.xml#top")]).expect("valid");
        assert_eq!(text, MINE);
    }

    #[test]
    fn removing_a_feed_keeps_the_comments_around_it() {
        let text = remove(MINE, &urls(&["https://lwn.net/headlines/rss"])).expect("valid");
        insta::assert_snapshot!(text, @r#"
        # my feeds
        # kept in git

        # --- tech ---

        # the Rust people
        [[feed]]   # first
        url   = "https://blog.rust-lang.org/feed.xml"   # official
        tags  = [
            "tech", # why not
        ]

        # --- comics ---
        [[feed]]
        title = "xkcd"
        url = "https://xkcd.com/atom.xml"
        # the end
        "#);
    }

    #[test]
    fn removing_all_feeds_leaves_the_comments() {
        let text = remove(
            MINE,
            &urls(&[
                "blog.rust-lang.org/feed.xml",
                "lwn.net/headlines/rss",
                "xkcd.com/atom.xml",
                "x.org",
            ]),
        )
        .expect("valid");
        insta::assert_snapshot!(text, @r"
        # my feeds
        # kept in git

        # --- tech ---

        # the Rust people

        # --- comics ---
        # the end
        ");
    }

    #[test]
    fn a_list_of_inline_tables_stays_one() {
        let text = "# mine\nfeed = [{ url = \"a.org\" }, # a\n  { url = \"b.org\" }]\n";
        let more = add(text, &[feed("c.org")]).expect("valid");
        assert!(
            more.starts_with("# mine\nfeed = [{ url = \"a.org\" }, # a\n"),
            "{more}"
        );
        assert_eq!(
            subscriptions(&more, Path::new("")).map(|(list, _)| list.len()),
            Ok(3)
        );
        let less = remove(&more, &urls(&["a.org", "c.org"])).expect("valid");
        assert_eq!(
            subscriptions(&less, Path::new("")).map(|(list, _)| list.len()),
            Ok(1)
        );
    }

    #[test]
    fn a_file_with_carriage_returns_keeps_them() {
        let text = "# a\r\n\r\n[[feed]]\r\nurl = \"a.org\"\r\n";
        let more = add(text, &[feed("b.org")]).expect("valid");
        assert_eq!(
            more,
            format!("{text}\r\n[[feed]]\r\nurl = \"https://b.org\"\r\n")
        );
        assert_eq!(remove(&more, &urls(&["b.org"])).as_deref(), Ok(text));
    }

    #[test]
    fn a_broken_file_is_not_edited() {
        let error =
            add("[[feed]]\nurl = \"a.org\"\ntitel = 1", &[feed("b.org")]).expect_err("broken");
        assert_eq!(
            error.in_file(Path::new("/c/feeds.toml")).to_string(),
            "/c/feeds.toml:3: unknown key \"titel\" in [[feed]]; the nearest valid key is title"
        );
    }

    #[test]
    fn five_thousand_feeds_are_added_at_once() {
        let many: Vec<Subscription> = (0..5_000)
            .map(|n| feed(&format!("example.org/{n}")))
            .collect();
        let text = add("", &many).expect("valid");
        assert_eq!(
            subscriptions(&text, Path::new("")).map(|(list, _)| list.len()),
            Ok(5_000)
        );
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(String::new()),
            "# [ -~]{0,12}",
            (0..6u32).prop_map(|n| format!("[[feed]]\nurl = \"https://f{n}.org/\"")),
            (0..6u32).prop_map(|n| format!(
                "[[feed]] # x\ntags = [ \"a\",\n  # in\n ]\nurl = 'f{n}.net' # u"
            )),
            (0..6u32).prop_map(|n| format!(
                "[[feed]]\nurl = \"f{n}.com\"\n[feed.headers]\nX-A = \"[[feed]]\""
            )),
        ]
    }

    proptest! {
        #[test]
        fn adding_and_removing_gives_the_same_text(
            lines in prop::collection::vec(line(), 0..12),
            new in prop::collection::vec("[a-z]{1,5}\\.example/[ -~&&[^ #\\\\]]{0,8}", 1..4),
        ) {
            let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let list: Vec<Subscription> = new.iter().map(|url| feed(url)).collect();
            let more = add(&text, &list).expect("valid");
            prop_assert!(more.starts_with(&text));
            prop_assert_eq!(remove(&more, &new).expect("valid"), text);
        }

        #[test]
        fn no_text_makes_an_edit_panic_or_break_a_good_file(
            text in "(\\PC|[\\[\\]{}=\"'#.,\n\t ]|feed|url|\\[\\[feed\\]\\]\n|url = \"a\\.org\"\n){0,40}",
        ) {
            let good = subscriptions(&text, Path::new("")).is_ok();
            let more = add(&text, &[feed("https://new.example/")]);
            prop_assert_eq!(more.is_ok(), good);
            let less = remove(&text, &["a.org".to_owned()]);
            prop_assert_eq!(less.is_ok(), good);
            if let Ok(less) = less {
                prop_assert!(subscriptions(&less, Path::new("")).is_ok());
            }
            let _ = crate::config::settings(&text, Path::new(""));
        }

        #[test]
        fn removing_takes_only_lines_of_that_feed(lines in prop::collection::vec(line(), 0..12), n in 0..6u32) {
            let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
            let url = format!("https://f{n}.net");
            let less = remove(&text, std::slice::from_ref(&url)).expect("valid");
            let (before, _) = subscriptions(&text, Path::new("")).expect("valid");
            let (after, _) = subscriptions(&less, Path::new("")).expect("still valid");
            let kept: Vec<_> = before.into_iter().filter(|f| identity(&f.url) != identity(&url)).collect();
            prop_assert_eq!(after, kept);
            for comment in text.lines().filter(|line| line.starts_with('#')) {
                prop_assert!(less.lines().any(|line| line == comment));
            }
        }
    }
}
