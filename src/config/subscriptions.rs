//! `feeds.toml` into subscriptions.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use toml_edit::{Item, TableLike, Value};

use super::error::ConfigError;
use super::identity::normalise;
use super::local::{clean_source, line_of_words, words};
use super::reader::{Given, Key, Page, Section, closest, place, read_table};
use super::url::{clean_url, masked};
use crate::model::{SourceKind, Subscription, ValidatorsChoice};

/// What `every` may be (POLLING, section 4).
const EVERY: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(30 * 60)..=Duration::from_secs(7 * 86_400);

/// `[[feed]]`.
pub(super) const FEED: &[Key<Subscription>] = &[
    Key::new("url", source),
    Key::new("exec", |s, v| set(&mut s.url, exec(v))),
    Key::new("filter", |s, v| set(&mut s.filter, filter(v))),
    Key::new("shell", |s, v| set(&mut s.shell, v.flag())),
    Key::new("kind", |s, v| set(&mut s.kind, super::sitemap::kind(v))),
    Key::new("path", |s, v| set(&mut s.paths, super::sitemap::paths(v))),
    Key::new("title", |s, v| set(&mut s.title, v.text().map(Some))),
    Key::new("tags", |s, v| set(&mut s.tags, tags(v))),
    Key::new("every", |s, v| {
        set(&mut s.every, v.duration(EVERY).map(Some))
    }),
    Key::new("validators", |s, v| {
        set(&mut s.http.validators, validators(v))
    }),
    Key::new("a_im", |s, v| set(&mut s.http.a_im, v.flag())),
    Key::new("allow_http", |s, v| set(&mut s.http.allow_http, v.flag())),
    Key::new("auth_file", |s, v| {
        set(&mut s.http.auth_file, v.path().map(Some))
    }),
    Key::new("auth_env", |s, v| {
        set(&mut s.http.auth_env, variable(v).map(Some))
    }),
    Key::new("user_agent", |s, v| {
        set(&mut s.http.user_agent, field_value(v).map(Some))
    }),
    Key::new("headers", |s, v| set(&mut s.http.headers, headers(v))),
    Key::new("keep", |s, v| {
        set(&mut s.keep, super::settings::keep::of_feed(v))
    }),
    Key::new("full_text", |s, v| set(&mut s.full_text, v.flag())),
    Key::new("notify", |s, v| set(&mut s.notify, v.flag().map(Some))),
    Key::new("mute", |s, v| set(&mut s.mute, v.flag())),
    Key::new("delta", |s, v| {
        set(&mut s.delta, super::delta::of_feed(v).map(Some))
    }),
    Key::new("changes", |s, v| {
        set(&mut s.changes, super::changes::of_feed(v).map(Some))
    }),
];

/// `[[list]]`: feeds that others choose. What it says of how much is kept, of full text and muting holds for each of its feeds;
/// all else is about the list itself.
pub(super) const LIST: &[Key<Subscription>] = &[
    Key::new("opml", |s, v| set(&mut s.url, address(v))),
    Key::new("title", |s, v| set(&mut s.title, v.text().map(Some))),
    Key::new("tags", |s, v| set(&mut s.tags, tags(v))),
    Key::new("except", |s, v| set(&mut s.except, addresses(v))),
    Key::new("every", |s, v| {
        set(&mut s.every, v.duration(EVERY).map(Some))
    }),
    Key::new("keep", |s, v| {
        set(&mut s.keep, super::settings::keep::of_feed(v))
    }),
    Key::new("full_text", |s, v| set(&mut s.full_text, v.flag())),
    Key::new("mute", |s, v| set(&mut s.mute, v.flag())),
    Key::new("validators", |s, v| {
        set(&mut s.http.validators, validators(v))
    }),
    Key::new("allow_http", |s, v| set(&mut s.http.allow_http, v.flag())),
    Key::new("auth_file", |s, v| {
        set(&mut s.http.auth_file, v.path().map(Some))
    }),
    Key::new("auth_env", |s, v| {
        set(&mut s.http.auth_env, variable(v).map(Some))
    }),
    Key::new("user_agent", |s, v| {
        set(&mut s.http.user_agent, field_value(v).map(Some))
    }),
    Key::new("headers", |s, v| set(&mut s.http.headers, headers(v))),
];

const SECTION: Section = Section("[feed]");
const LIST_SECTION: Section = Section("[list]");

/// Reads `feeds.toml`. Feeds come in the order of the file; of several with one address the first wins and the others are
/// warned of, so that a slip in a list of hundreds never keeps the reader from opening. `file` is for the sentences only.
pub fn subscriptions(
    text: &str,
    file: &Path,
) -> Result<(Vec<Subscription>, Vec<String>), ConfigError> {
    let page = Page::new(text, file);
    let read = read(&page)?;
    page.whole(read)
}

/// What of `feeds.toml` could be read, everything that is wrong with it in the order of the file, and the warnings.
pub fn subscriptions_faults(
    text: &str,
    file: &Path,
) -> (Vec<Subscription>, Vec<ConfigError>, Vec<String>) {
    let page = Page::new(text, file);
    match read(&page) {
        Ok((list, warnings)) => (list, page.faults(), warnings),
        Err(broken) => (Vec::new(), vec![broken], Vec::new()),
    }
}

/// Reads what can be read; what cannot is left with the page. Only broken TOML ends it.
fn read(page: &Page<'_>) -> Result<(Vec<Subscription>, Vec<String>), ConfigError> {
    let document = page.parse()?;
    let root = document.as_table();
    let mut list = Vec::new();
    let mut warnings = Vec::new();
    let mut seen = HashMap::new();
    for (name, item) in root {
        let key = match name {
            "feed" => "url",
            "list" => "opml",
            _ => {
                page.fault(unknown(page, root, name, item));
                continue;
            }
        };
        for (at, table) in page
            .note(tables(page, root, name, item))
            .unwrap_or_default()
        {
            let read = match name {
                "list" => feed_list(page, at, table, &mut warnings),
                _ => feed(page, at, table, &mut warnings),
            };
            let Some(feed) = page.note(read) else {
                continue;
            };
            let url_at = table.get(key).map_or(at, |item| place(table, key, item));
            let identity = normalise(&feed.url).unwrap_or_else(|_| feed.url.clone());
            if let Some(first) = seen.get(&identity) {
                let first = page.line(*first);
                warnings.push(page.warning(
                    url_at,
                    &format!(
                        "{} is subscribed already in line {first}; this one is ignored",
                        masked(&feed.url)
                    ),
                ));
            } else {
                seen.insert(identity, url_at);
                list.push(feed);
            }
        }
    }
    Ok((list, warnings))
}

/// The tables of `name`, `[[feed]]` or `feed = [{…}]`, each with the offset of its beginning.
pub(super) fn tables<'a>(
    page: &Page<'_>,
    root: &dyn TableLike,
    name: &str,
    item: &'a Item,
) -> Result<Vec<(usize, &'a dyn TableLike)>, ConfigError> {
    let start = place(root, name, item);
    if let Some(array) = item.as_array_of_tables() {
        return Ok(array
            .iter()
            .map(|table| {
                let at = table.span().map_or(start, |span| span.start);
                (at, table as &dyn TableLike)
            })
            .collect());
    }
    let wrong = |at| {
        let message =
            format!("{name} must be a list of tables; begin each {name} with a line [[{name}]]");
        page.error(at, name.to_owned(), message)
    };
    let array = item.as_array().ok_or_else(|| wrong(start))?;
    array
        .iter()
        .map(|value| {
            let at = value.span().map_or(start, |span| span.start);
            match value {
                Value::InlineTable(table) => Ok((at, table as &dyn TableLike)),
                _ => Err(wrong(at)),
            }
        })
        .collect()
}

fn unknown(page: &Page<'_>, root: &dyn TableLike, name: &str, item: &Item) -> ConfigError {
    let shown = crate::article::sanitize::line(name);
    let of = |keys: &[Key<Subscription>]| keys.iter().any(|key| key.name == name);
    let (message, nearest) = if of(FEED) {
        let text =
            format!("\"{shown}\" stands outside of any feed; begin each feed with a line [[feed]]");
        (text, "[[feed]]")
    } else if of(LIST) {
        let text =
            format!("\"{shown}\" stands outside of any list; begin each list with a line [[list]]");
        (text, "[[list]]")
    } else {
        (format!("unknown key \"{shown}\""), "[[feed]]")
    };
    ConfigError {
        nearest: Some(nearest.to_owned()),
        ..page.error(place(root, name, item), shown, message)
    }
}

pub(super) fn feed(
    page: &Page<'_>,
    at: usize,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Result<Subscription, ConfigError> {
    let mut feed = Subscription::default();
    let nearest = |wrong: &str| {
        closest(wrong, FEED.iter().map(|key| key.name)).map(|(_, name)| name.to_owned())
    };
    read_table(page, SECTION, table, FEED, &mut feed, nearest, warnings)?;
    let twice = table.get("exec").filter(|_| table.contains_key("url"));
    if let Some(item) = twice {
        return Err(page.error(
            place(table, "exec", item),
            SECTION.key("exec"),
            "this feed has both url and exec; keep one of them".to_owned(),
        ));
    }
    // A shell gets the line as it was written.
    if feed.shell
        && let Some(line) = table.get("filter").and_then(Item::as_str)
    {
        feed.filter = vec![line.trim().to_owned()];
    }
    if feed.url.is_empty() {
        return Err(page.error(
            at,
            SECTION.key("url"),
            "this feed has no url; add a line url = \"https://…\"".to_owned(),
        ));
    }
    one_login(page, SECTION, at, table, &feed)?;
    if let Some((name, why)) =
        super::sitemap::contradiction(&feed).or_else(|| super::changes::contradiction(&feed))
    {
        let at = table.get(name).map_or(at, |item| place(table, name, item));
        return Err(page.error(at, SECTION.key(name), why.to_owned()));
    }
    Ok(feed)
}

pub(super) fn feed_list(
    page: &Page<'_>,
    at: usize,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Result<Subscription, ConfigError> {
    let mut list = Subscription {
        kind: SourceKind::List,
        ..Subscription::default()
    };
    let nearest = |wrong: &str| {
        closest(wrong, LIST.iter().map(|key| key.name)).map(|(_, name)| name.to_owned())
    };
    read_table(
        page,
        LIST_SECTION,
        table,
        LIST,
        &mut list,
        nearest,
        warnings,
    )?;
    if list.url.is_empty() {
        return Err(page.error(
            at,
            LIST_SECTION.key("opml"),
            "this list has no address; add a line opml = \"https://…\"".to_owned(),
        ));
    }
    one_login(page, LIST_SECTION, at, table, &list)?;
    Ok(list)
}

fn one_login(
    page: &Page<'_>,
    section: Section,
    at: usize,
    table: &dyn TableLike,
    read: &Subscription,
) -> Result<(), ConfigError> {
    if read.http.auth_file.is_none() || read.http.auth_env.is_none() {
        return Ok(());
    }
    let at = table
        .get("auth_env")
        .map_or(at, |item| place(table, "auth_env", item));
    let what = section.0.trim_matches(['[', ']']);
    Err(page.error(
        at,
        section.key("auth_env"),
        format!("this {what} has both auth_file and auth_env; keep one of them"),
    ))
}

fn set<V>(into: &mut V, value: Result<V, String>) -> Result<(), String> {
    *into = value?;
    Ok(())
}

/// The address, `file:`, `exec:`, or newsboat's `filter:COMMAND:URL`.
fn source(feed: &mut Subscription, given: Given<'_>) -> Result<(), String> {
    let Some(text) = given.0.as_str() else {
        return given.wrong("must be text in quotes");
    };
    let clean = |text: &str| clean_source(text).map_err(|error| error.to_string());
    if let Some((command, url)) = super::local::filter(text) {
        feed.filter = words(command)?;
        return set(&mut feed.url, clean(url));
    }
    set(&mut feed.url, clean(text))
}

/// A web address, and nothing else: a list that is a file of this machine is for `tidings import`.
fn address(given: Given<'_>) -> Result<String, String> {
    let url = clean_source(&given.text()?).map_err(|error| error.to_string())?;
    if super::local(&url).is_some() {
        return given.wrong("must be a web address; `tidings import` reads a list on this machine");
    }
    Ok(url)
}

/// Addresses of feeds, in whatever way they are written.
fn addresses(given: Given<'_>) -> Result<Vec<String>, String> {
    let clean = |url: &String| clean_url(url).map_err(|error| error.to_string());
    given.list()?.iter().map(clean).collect()
}

/// A command as a list of words becomes the `url` that stands for it.
fn exec(given: Given<'_>) -> Result<String, String> {
    let words = given.list()?;
    clean_source(&format!("exec:{}", line_of_words(&words))).map_err(|error| error.to_string())
}

/// A command as a list of words, or as a line.
fn filter(given: Given<'_>) -> Result<Vec<String>, String> {
    let words = match given.0.as_str() {
        Some(line) => words(line)?,
        None => given.list()?,
    };
    if words.is_empty() {
        return Err("names no command; write it like [\"~/bin/filter\", \"argument\"]".to_owned());
    }
    Ok(words)
}

/// A tag as `a/b`, without empty parts and control characters; `None` when nothing is left.
pub fn clean_tag(tag: &str) -> Option<String> {
    let clean = tag
        .split('/')
        .map(crate::article::sanitize::line)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("/");
    (!clean.is_empty()).then_some(clean)
}

/// A tag given twice counts once.
fn tags(given: Given<'_>) -> Result<Vec<String>, String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given.list()? {
        let Some(clean) = clean_tag(&tag) else {
            return Err(format!("holds \"{tag}\", which names nothing"));
        };
        if !tags.contains(&clean) {
            tags.push(clean);
        }
    }
    Ok(tags)
}

fn validators(given: Given<'_>) -> Result<ValidatorsChoice, String> {
    let word = given.word(&["auto", "both", "etag", "last-modified", "none"])?;
    Ok(match word {
        "both" => ValidatorsChoice::Both,
        "etag" => ValidatorsChoice::Etag,
        "last-modified" => ValidatorsChoice::LastModified,
        "none" => ValidatorsChoice::None,
        _ => ValidatorsChoice::Auto,
    })
}

fn variable(given: Given<'_>) -> Result<String, String> {
    let name = given.text()?;
    let valid = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if valid {
        Ok(name)
    } else {
        // Perhaps the secret itself was written here: it is not shown.
        Err("must be the name of an environment variable, such as \"EXAMPLE_LOGIN\"".to_owned())
    }
}

fn field_value(given: Given<'_>) -> Result<String, String> {
    let text = given.text()?;
    if text.is_ascii() {
        Ok(text)
    } else {
        given.wrong("must hold ASCII only: it goes into an HTTP header")
    }
}

/// Headers that tidings itself must answer for: conditions, framing, what can be decoded.
const OWN_HEADERS: [&str; 14] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "upgrade",
    "accept-encoding",
    "if-none-match",
    "if-modified-since",
    "if-match",
    "if-range",
    "range",
    "a-im",
    "user-agent",
];

fn headers(given: Given<'_>) -> Result<Vec<(String, String)>, String> {
    let Some(table) = given.0.as_table_like() else {
        return given.wrong("must be a table, like { \"X-Token\" = \"…\" }");
    };
    table
        .iter()
        .map(|(name, item)| {
            let shown = crate::article::sanitize::line(name);
            let token = !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
            if !token {
                return Err(format!(
                    "holds \"{shown}\", which cannot name an HTTP header"
                ));
            }
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                let rather = match name.to_ascii_lowercase().as_str() {
                    "user-agent" => "use user_agent",
                    "if-none-match" | "if-modified-since" => "use validators",
                    "a-im" => "use a_im",
                    _ => "leave it out",
                };
                return Err(format!(
                    "holds \"{shown}\", which tidings sets itself; {rather}"
                ));
            }
            // A header may be a secret: its value is not shown.
            match item.as_str() {
                Some(value)
                    if value
                        .bytes()
                        .all(|b| b == b'\t' || (0x20..0x7f).contains(&b)) =>
                {
                    Ok((name.to_owned(), value.trim().to_owned()))
                }
                _ => Err(format!(
                    "holds \"{shown}\", whose value must be ASCII text in quotes"
                )),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SAMPLE_FEEDS;
    use crate::model::{FeedHttp, Keep};

    fn read(text: &str) -> Result<(Vec<Subscription>, Vec<String>), ConfigError> {
        subscriptions(text, Path::new("/c/feeds.toml"))
    }

    #[test]
    fn an_empty_file_is_an_empty_list() {
        assert_eq!(read("# nothing yet\n"), Ok((Vec::new(), Vec::new())));
    }

    #[test]
    fn every_key_of_a_feed_is_read() {
        let (list, warnings) = read(
            r#"
            [[feed]]
            url = "https://Example.org/Feed?x=1#top"
            title = "Example"
            tags = ["tech", "a/b", "tech"]
            every = "90m"
            validators = "last-modified"
            a_im = false
            allow_http = true
            auth_file = "~/secret"
            user_agent = "me/1"
            headers = { "X-B" = "1", "X-A" = "2" }
            filter = ["~/f", "x"]
            keep = { entries = 9 }
            full_text = true
            mute = true
            [[feed]]
            url = "example.net/feed"
            auth_env = "LOGIN"
            [feed.headers]
            X-C = "3"
            "#,
        )
        .expect("valid");
        assert_eq!(warnings, Vec::<String>::new());
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let first = Subscription {
            url: "https://Example.org/Feed?x=1".to_owned(),
            title: Some("Example".to_owned()),
            tags: vec!["tech".to_owned(), "a/b".to_owned()],
            every: Some(Duration::from_secs(5_400)),
            http: FeedHttp {
                validators: ValidatorsChoice::LastModified,
                a_im: false,
                allow_http: true,
                auth_file: Some("~/secret".into()),
                auth_env: None,
                user_agent: Some("me/1".to_owned()),
                headers: vec![pair("X-B", "1"), pair("X-A", "2")],
            },
            filter: vec!["~/f".to_owned(), "x".to_owned()],
            shell: false,
            keep: Keep {
                entries: Some(9),
                ..Keep::default()
            },
            full_text: true,
            mute: true,
            notify: None,
            delta: None,
            ..Subscription::default()
        };
        let second = Subscription {
            url: "https://example.net/feed".to_owned(),
            http: FeedHttp {
                auth_env: Some("LOGIN".to_owned()),
                headers: vec![pair("X-C", "3")],
                ..FeedHttp::default()
            },
            ..Subscription::default()
        };
        assert_eq!(list, [first, second]);
    }

    #[test]
    fn a_command_is_a_source_or_a_filter() {
        let (list, _) = read(
            "[[feed]]\nexec = [\"~/g\", \"a b\"]\n[[feed]]\nurl = \"filter:~/f 'x y':https://a.org/\"\n\
             [[feed]]\nurl = \"b.org\"\nfilter = \"f | g $X\"\nshell = true\n[[feed]]\nurl = \"file:///x.xml\"\n",
        )
        .expect("valid");
        let got: Vec<_> = list
            .iter()
            .map(|feed| (feed.url.as_str(), feed.filter.join("|")))
            .collect();
        assert_eq!(
            got,
            [
                ("exec:~/g 'a b'", String::new()),
                ("https://a.org/", "~/f|x y".to_owned()),
                ("https://b.org", "f | g $X".to_owned()),
                ("file:/x.xml", String::new()),
            ]
        );
    }

    #[test]
    fn the_sample_explains_every_key_whose_feature_exists_and_subscribes_nothing() {
        assert_eq!(read(SAMPLE_FEEDS), Ok((Vec::new(), Vec::new())));
        let text = SAMPLE_FEEDS
            .lines()
            .map(|line| line.strip_prefix("#= ").unwrap_or(line))
            .fold(String::new(), |text, line| text + line + "\n");
        let (list, warnings) = read(&text).expect("the examples are valid");
        assert_eq!((list.len(), warnings), (8, Vec::new()));
        let of_list = LIST
            .iter()
            .filter(|key| ["opml", "except"].contains(&key.name));
        for key in FEED.iter().chain(of_list) {
            let shown = text
                .lines()
                .any(|line| line.starts_with(&format!("{} =", key.name)));
            assert_eq!(shown, key.landed, "{}", key.name);
        }
    }

    #[test]
    fn a_sitemap_says_which_pages_are_wanted_and_what_does_not_go_with_it_is_said() {
        let (list, _) = read(
            "[[feed]]\nurl = \"a.org/s.xml\"\nkind = \"sitemap\"\npath = \"/blog/\"\n[[feed]]\nurl = \"b.org\"\nkind = \"sitemap\"\npath = [\"/a\", \"*b\"]\n",
        )
        .expect("valid");
        let told: Vec<_> = list
            .iter()
            .map(|feed| (feed.kind, feed.paths.join(" ")))
            .collect();
        assert_eq!(
            told,
            [
                (SourceKind::Sitemap, "/blog/".to_owned()),
                (SourceKind::Sitemap, "/a *b".to_owned())
            ]
        );
        let url = "[[feed]]\nurl = \"a.org\"\n";
        for (text, why) in [
            (format!("{url}path = \"/x\""), "add kind = \"sitemap\""),
            (format!("{url}kind = \"list\""), "is not one of"),
            (
                format!("{url}kind = \"sitemap\"\npath = \"blog\""),
                "begins with / or *",
            ),
            (
                format!("{url}kind = \"sitemap\"\nfilter = \"x\""),
                "no filter",
            ),
            (
                format!("{url}kind = \"sitemap\"\ndelta = {{ param = \"x\" }}"),
                "no cursor",
            ),
            (
                "[[feed]]\nurl = \"~/x.xml\"\nkind = \"sitemap\"".to_owned(),
                "a web address only",
            ),
        ] {
            let error = read(&text).expect_err(&text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_list_says_where_it_is_and_what_holds_for_its_feeds() {
        let (list, warnings) = read(
            "[[list]]\nopml = \"a.org/x.opml#y\"\ntags = [\"team\"]\nexcept = [\"b.org/f\"]\nevery = \"6h\"\nmute = true\n",
        )
        .expect("valid");
        let expected = Subscription {
            kind: SourceKind::List,
            url: "https://a.org/x.opml".to_owned(),
            tags: vec!["team".to_owned()],
            except: vec!["https://b.org/f".to_owned()],
            every: Some(Duration::from_secs(21_600)),
            mute: true,
            ..Subscription::default()
        };
        assert_eq!((list, warnings), (vec![expected], Vec::new()));
        for (text, why) in [
            (
                "[[list]]\ntitle = \"x\"",
                "this list has no address; add a line opml",
            ),
            ("[[list]]\nopml = \"~/x.opml\"", "must be a web address"),
            ("[[list]]\nopml = \"exec:x\"", "must be a web address"),
            (
                "[[list]]\nopml = \"a.org\"\nfilter = \"x\"",
                "unknown key \"filter\" in [[list]]",
            ),
            (
                "[[list]]\nopml = \"a.org\"\nauth_file = \"x\"\nauth_env = \"X\"",
                "this list has both",
            ),
            ("except = []", "stands outside of any list"),
            ("list = 1", "list must be a list of tables"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn of_two_feeds_with_one_address_the_first_wins_and_the_other_is_warned_of() {
        let (list, warnings) = read(
            "[[feed]]\nurl = \"https://u:p@a.org\"\ntitle = \"one\"\n\n[[feed]]\nurl = \"https://u:p@A.org/#x\"\n",
        )
        .expect("valid");
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].title.as_deref(), Some("one"));
        assert_eq!(
            warnings,
            [
                "/c/feeds.toml:6: https://***@A.org/ is subscribed already in line 2; this one is ignored"
            ]
        );
    }

    #[test]
    fn feeds_may_be_written_as_a_list_of_inline_tables() {
        let (list, _) = read("feed = [{ url = \"a.org\" }, { url = \"b.org\", tags = [\"x\"] }]")
            .expect("valid");
        assert_eq!(list.len(), 2);
        assert_eq!(list[1].tags, ["x"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_file_line_key_and_the_nearest_valid_key() {
        for (text, expected) in [
            (
                "[[feed]]\nurl = \"a.org\"\ntag = [\"x\"]",
                "/c/feeds.toml:3: unknown key \"tag\" in [[feed]]; the nearest valid key is tags",
            ),
            (
                "[[feeds]]\nurl = \"a.org\"",
                "/c/feeds.toml:1: unknown key \"feeds\"; the nearest valid key is [[feed]]",
            ),
            (
                "url = \"a.org\"",
                "/c/feeds.toml:1: \"url\" stands outside of any feed; begin each feed with a line [[feed]]; the nearest valid key is [[feed]]",
            ),
            (
                "[[feed]]\nexec = [\"x\"]\nurl = \"a.org\"",
                "/c/feeds.toml:2: this feed has both url and exec; keep one of them",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nfilter = \"\"",
                "/c/feeds.toml:3: [[feed]] filter names no command; write it like [\"~/bin/filter\", \"argument\"]",
            ),
            (
                "[feed]\nurl = \"a.org\"",
                "/c/feeds.toml:1: feed must be a list of tables; begin each feed with a line [[feed]]",
            ),
            (
                "\n[[feed]]\ntitle = \"x\"",
                "/c/feeds.toml:2: this feed has no url; add a line url = \"https://…\"",
            ),
            (
                "[[feed]]\nurl = \"ftp://u:p@a.org\"",
                "/c/feeds.toml:2: [[feed]] url \"ftp://***@a.org\" begins with \"ftp:\"; only http and https can be polled",
            ),
            (
                "[[feed]]\nurl = 1",
                "/c/feeds.toml:2: [[feed]] url = 1 must be text in quotes",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nevery = \"5m\"",
                "/c/feeds.toml:3: [[feed]] every = \"5m\" is out of range; it must be between 30m and 7d",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\ntags = \"x\"",
                "/c/feeds.toml:3: [[feed]] tags = \"x\" must be a list of texts, like [\"a\", \"b\"]",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\ntags = [\"/\"]",
                "/c/feeds.toml:3: [[feed]] tags holds \"/\", which names nothing",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nvalidators = \"ETag\"",
                "/c/feeds.toml:3: [[feed]] validators = \"ETag\" is not one of \"auto\", \"both\", \"etag\", \"last-modified\", \"none\"",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nauth_env = \"me:secret\"",
                "/c/feeds.toml:3: [[feed]] auth_env must be the name of an environment variable, such as \"EXAMPLE_LOGIN\"",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nauth_file = \"x\"\nauth_env = \"X\"",
                "/c/feeds.toml:4: this feed has both auth_file and auth_env; keep one of them",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nheaders = { If-None-Match = \"x\" }",
                "/c/feeds.toml:3: [[feed]] headers holds \"If-None-Match\", which tidings sets itself; use validators",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nheaders = { \"X Y\" = \"x\" }",
                "/c/feeds.toml:3: [[feed]] headers holds \"X Y\", which cannot name an HTTP header",
            ),
            (
                "[[feed]]\nurl = \"a.org\"\nuser_agent = \"ü\"",
                "/c/feeds.toml:3: [[feed]] user_agent = \"ü\" must hold ASCII only: it goes into an HTTP header",
            ),
            (
                "[[feed]\nurl = 1",
                "/c/feeds.toml:1: this is not valid TOML: unclosed array table, expected `]`",
            ),
        ] {
            assert_eq!(
                read(text).map_err(|error| error.to_string()),
                Err(expected.to_owned())
            );
        }
    }
}
