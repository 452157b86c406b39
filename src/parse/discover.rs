//! From a page to its feeds: what it links as alternate, what a site's rule says, links that look like feeds.
//!
//! A scan over tags, not a tree: html5ever needs quadratic time for deep pages, and nothing here needs a tree.

use url::Url;

use super::links::Base;
use super::tokens::{Entities, Tag, Token, Tokens, decode};
use super::{Candidate, decode as charset, titles};

/// More candidates help nobody choose.
const MOST: usize = 50;
/// A page beyond it is not read further.
const PAGE_MAX: usize = 4 * 1024 * 1024;

/// The feeds that a page names, the most trustworthy first, each once. `base` is the URL that answered.
pub fn discover(html: &[u8], content_type: Option<&str>, base: &str) -> Vec<Candidate> {
    let html = &html[..html.len().min(PAGE_MAX)];
    let page = charset::decode(html, content_type);
    let mut scan = Scan::new(base);
    scan.page(&page.text);
    let mut found = by_rule(base, &page.text);
    found.append(&mut scan.linked);
    if found.is_empty() {
        found = scan.anchors;
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|candidate| seen.insert(candidate.url.clone()));
    found.truncate(MOST);
    found
}

/// Addresses worth one request each, with the user's consent, where a page names no feed. Empty for a base that is no URL.
pub fn well_known(base: &str) -> Vec<String> {
    const PATHS: &[&str] = &["/feed", "/rss", "/atom.xml", "/index.xml", "/feed.json"];
    let Ok(base) = Url::parse(base) else {
        return Vec::new();
    };
    PATHS
        .iter()
        .filter_map(|path| base.join(path).ok())
        .map(String::from)
        .collect()
}

struct Scan {
    base: Base,
    based: bool,
    linked: Vec<Candidate>,
    anchors: Vec<Candidate>,
}

impl Scan {
    fn new(base: &str) -> Self {
        Self {
            base: Base::new(base),
            based: false,
            linked: Vec::new(),
            anchors: Vec::new(),
        }
    }

    fn page(&mut self, html: &str) {
        let mut tokens = Tokens::new(html);
        while let Some(token) = tokens.next() {
            let Token::Start(tag) = token else { continue };
            match tag.name.to_ascii_lowercase().as_str() {
                "script" | "style" | "textarea" | "template" => tokens.skip_raw(tag.name),
                "base" if !self.based => {
                    self.based = true;
                    self.base = self.base.inside(Some(&attribute(&tag, "href")));
                }
                "link" => self.link(&tag),
                "a" if self.anchors.len() < MOST => {
                    let text = text_after(&tokens);
                    self.anchor(&tag, &text);
                }
                _ => {}
            }
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let rel = attribute(tag, "rel").to_ascii_lowercase();
        let mut words = rel.split_ascii_whitespace();
        let feed = words.clone().any(|word| word == "feed");
        if !feed && !words.any(|word| word == "alternate") {
            return;
        }
        let kind = kind(&attribute(tag, "type"));
        if kind.is_empty() && !feed {
            return;
        }
        if let Some(url) = self
            .base
            .resolve(&attribute(tag, "href"))
            .filter(|u| u.starts_with("http"))
        {
            self.linked.push(Candidate {
                url,
                title: titles::html(&attribute(tag, "title")),
                kind: kind.to_owned(),
            });
        }
    }

    fn anchor(&mut self, tag: &Tag<'_>, text: &str) {
        let href = attribute(tag, "href");
        let Some(url) = self.base.resolve(&href).filter(|u| u.starts_with("http")) else {
            return;
        };
        let kind = kind(&attribute(tag, "type"));
        if kind.is_empty() && !looks_like_feed(&url) {
            return;
        }
        self.anchors.push(Candidate {
            url,
            title: titles::html(text),
            kind: kind.to_owned(),
        });
    }
}

fn attribute(tag: &Tag<'_>, name: &str) -> String {
    decode(tag.raw(name).unwrap_or(""), &Entities::default())
        .trim()
        .to_owned()
}

/// The text right behind an opening tag, as far as one look reaches.
fn text_after(tokens: &Tokens<'_>) -> String {
    let mut ahead = tokens.clone();
    let mut text = String::new();
    for _ in 0..8 {
        match ahead.next() {
            Some(Token::Text(piece)) => text.extend(piece.chars().take(200)),
            Some(Token::End(name)) if name.eq_ignore_ascii_case("a") => break,
            None => break,
            Some(_) => {}
        }
    }
    text
}

/// The kind that a media type names; empty when it is none of a feed.
fn kind(media_type: &str) -> &'static str {
    const KINDS: &[(&str, &str)] = &[
        ("application/rss+xml", "RSS"),
        ("application/rss", "RSS"),
        ("text/rss", "RSS"),
        ("text/rss+xml", "RSS"),
        ("application/x-rss+xml", "RSS"),
        ("application/rdf+xml", "RSS"),
        ("application/atom+xml", "Atom"),
        ("application/atom", "Atom"),
        ("text/atom+xml", "Atom"),
        ("application/feed+json", "JSON Feed"),
    ];
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    KINDS
        .iter()
        .find(|(name, _)| *name == essence)
        .map_or("", |(_, kind)| kind)
}

/// The last part of the path says feed.
fn looks_like_feed(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    let path = url.path().trim_end_matches('/').to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or("");
    let ending = last.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        last,
        "feed" | "feeds" | "rss" | "atom" | "rss2" | "feed.json" | "rss.php" | "atom.php"
    ) || matches!(ending, "rss" | "atom" | "rdf")
        || (matches!(ending, "xml" | "json")
            && ["feed", "rss", "atom", "index.xml"]
                .iter()
                .any(|w| last.contains(w)))
        || url.query().is_some_and(|q| {
            matches!(
                q.to_ascii_lowercase().as_str(),
                "feed=rss2" | "feed=atom" | "feed=rss"
            )
        })
}

/// Where a site keeps the feed of a page. `host` matches itself and its subdomains; `path` is a pattern whose `{}` takes one
/// part of the path, `*` the rest; `{1}`, `{2}` in `feed` are what the braces took, `{host}` the page's host.
struct Rule {
    host: &'static str,
    path: &'static str,
    feed: &'static str,
    title: &'static str,
    kind: &'static str,
}

const fn rule(
    host: &'static str,
    path: &'static str,
    feed: &'static str,
    title: &'static str,
    kind: &'static str,
) -> Rule {
    Rule {
        host,
        path,
        feed,
        title,
        kind,
    }
}

const YOUTUBE: &str = "https://www.youtube.com/feeds/videos.xml";

/// Rules are tried in order; every one that fits gives a candidate.
const RULES: &[Rule] = &[
    rule(
        "youtube.com",
        "/channel/{}/*",
        "https://www.youtube.com/feeds/videos.xml?channel_id={1}",
        "Videos of this channel",
        "Atom",
    ),
    rule(
        "youtube.com",
        "/user/{}/*",
        "https://www.youtube.com/feeds/videos.xml?user={1}",
        "Videos of this user",
        "Atom",
    ),
    rule(
        "reddit.com",
        "/r/{}",
        "https://www.reddit.com/r/{1}/.rss",
        "r/{1}",
        "Atom",
    ),
    rule(
        "reddit.com",
        "/r/{}/comments/{}/*",
        "https://www.reddit.com/r/{1}/comments/{2}/.rss",
        "Comments of this post",
        "Atom",
    ),
    rule(
        "reddit.com",
        "/user/{}",
        "https://www.reddit.com/user/{1}/.rss",
        "u/{1}",
        "Atom",
    ),
    rule(
        "github.com",
        "/{}/{}",
        "https://github.com/{1}/{2}/releases.atom",
        "Releases of {2}",
        "Atom",
    ),
    rule(
        "github.com",
        "/{}/{}/releases/*",
        "https://github.com/{1}/{2}/releases.atom",
        "Releases of {2}",
        "Atom",
    ),
    rule(
        "github.com",
        "/{}/{}/tags",
        "https://github.com/{1}/{2}/tags.atom",
        "Tags of {2}",
        "Atom",
    ),
    rule(
        "github.com",
        "/{}/{}/commits/{}",
        "https://github.com/{1}/{2}/commits/{3}.atom",
        "Commits of {2}",
        "Atom",
    ),
    rule(
        "github.com",
        "/{}/{}",
        "https://github.com/{1}/{2}/commits.atom",
        "Commits of {2}",
        "Atom",
    ),
    rule(
        "gitlab.com",
        "/{}/{}",
        "https://gitlab.com/{1}/{2}.atom",
        "Activity of {2}",
        "Atom",
    ),
    rule(
        "medium.com",
        "/{}",
        "https://medium.com/feed/{1}",
        "{1} on Medium",
        "RSS",
    ),
    rule(
        "medium.com",
        "/tag/{}",
        "https://medium.com/feed/tag/{1}",
        "{1} on Medium",
        "RSS",
    ),
    rule("substack.com", "/*", "https://{host}/feed", "{host}", "RSS"),
    rule("tumblr.com", "/*", "https://{host}/rss", "{host}", "RSS"),
    rule(
        "vimeo.com",
        "/{}",
        "https://vimeo.com/{1}/videos/rss",
        "Videos of {1}",
        "RSS",
    ),
    rule(
        "dev.to",
        "/{}",
        "https://dev.to/feed/{1}",
        "{1} on DEV",
        "RSS",
    ),
    rule(
        "lobste.rs",
        "/t/{}",
        "https://lobste.rs/t/{1}.rss",
        "Tag {1}",
        "RSS",
    ),
    rule(
        "news.ycombinator.com",
        "/*",
        "https://news.ycombinator.com/rss",
        "Hacker News",
        "RSS",
    ),
    rule(
        "bsky.app",
        "/profile/{}",
        "https://bsky.app/profile/{1}/rss",
        "{1} on Bluesky",
        "RSS",
    ),
];

/// A Mastodon server is known by what its pages say of themselves, not by its name.
const FEDIVERSE: &[&str] = &[
    "id=\"mastodon\"",
    "id='mastodon'",
    "content='Mastodon'",
    "content=\"Mastodon\"",
];

fn by_rule(base: &str, html: &str) -> Vec<Candidate> {
    let Ok(url) = Url::parse(base) else {
        return Vec::new();
    };
    let host = url.host_str().unwrap_or("");
    let mut found: Vec<Candidate> = RULES
        .iter()
        .filter_map(|rule| rule.apply(&url, host))
        .collect();
    if is_host(host, "youtube.com") {
        found.extend(youtube(&url, html));
    }
    let account = url.path().trim_end_matches('/');
    if account.starts_with("/@")
        && account.matches('/').count() == 1
        && FEDIVERSE.iter().any(|mark| html.contains(mark))
    {
        found.push(Candidate {
            url: format!("https://{host}{account}.rss"),
            title: account.trim_start_matches('/').to_owned(),
            kind: "RSS".to_owned(),
        });
    }
    found
}

fn is_host(host: &str, wanted: &str) -> bool {
    host.strip_suffix(wanted)
        .is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

impl Rule {
    fn apply(&self, url: &Url, host: &str) -> Option<Candidate> {
        if !is_host(host, self.host) {
            return None;
        }
        let taken = take(self.path, url.path())?;
        let fill = |template: &str| {
            let mut out = template.replace("{host}", host);
            for (at, part) in taken.iter().enumerate() {
                out = out.replace(&format!("{{{}}}", at + 1), part);
            }
            out
        };
        Some(Candidate {
            url: fill(self.feed),
            title: titles::literal(&fill(self.title)),
            kind: self.kind.to_owned(),
        })
    }
}

/// What the braces of `pattern` take of `path`; `None` when it does not fit.
fn take<'p>(pattern: &str, path: &'p str) -> Option<Vec<&'p str>> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let mut taken = Vec::new();
    for wanted in pattern.split('/').filter(|part| !part.is_empty()) {
        match wanted {
            "*" => return Some(taken),
            "{}" => taken.push(parts.next()?),
            word => {
                parts.next().filter(|part| *part == word)?;
            }
        }
    }
    parts.next().is_none().then_some(taken)
}

/// Playlists by their address; handles (`/@name`) by the channel id that the page holds.
fn youtube(url: &Url, html: &str) -> Option<Candidate> {
    let list = url.query_pairs().find(|(name, _)| name == "list");
    if let Some((_, id)) = list {
        return Some(Candidate {
            url: format!("{YOUTUBE}?playlist_id={id}"),
            title: "This playlist".to_owned(),
            kind: "Atom".to_owned(),
        });
    }
    let handle = url.path().starts_with("/@") || url.path().starts_with("/c/");
    let marks = [
        "\"channelId\":\"",
        "\"externalId\":\"",
        "itemprop=\"channelId\" content=\"",
    ];
    let id = marks.iter().find_map(|mark| {
        let id = html.split_once(mark)?.1.get(..24)?;
        let plain = id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        (id.starts_with("UC") && plain).then_some(id)
    });
    id.filter(|_| handle).map(|id| Candidate {
        url: format!("{YOUTUBE}?channel_id={id}"),
        title: "Videos of this channel".to_owned(),
        kind: "Atom".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(html: &str, base: &str) -> Vec<String> {
        let found = discover(html.as_bytes(), Some("text/html"), base);
        found.into_iter().map(|candidate| candidate.url).collect()
    }

    #[test]
    fn alternates_of_feed_types_are_found_wherever_they_stand() {
        let html = "<html><head><base href='/blog/'><link rel=stylesheet href=x.css>\
            <link REL='Alternate' type='application/rss+xml; charset=utf-8' title='All &amp; &lt;b&gt;more&lt;/b&gt;' href='feed.xml'>\
            <link rel='alternate' hreflang=de href=/de>\
            <script>document.write('<link rel=\"alternate\" type=\"application/rss+xml\" href=\"no\">')</script></head>\
            <body><link rel=alternate type=application/atom+xml href=//b.example/a><link rel='alternate' type='application/feed+json' href='feed.xml'>\
            <a href=/rss>RSS</a>";
        let found = discover(html.as_bytes(), None, "https://a.example/x");
        assert_eq!(
            found,
            [
                Candidate {
                    url: "https://a.example/blog/feed.xml".to_owned(),
                    title: "All & more".to_owned(),
                    kind: "RSS".to_owned(),
                },
                Candidate {
                    url: "https://b.example/a".to_owned(),
                    title: String::new(),
                    kind: "Atom".to_owned(),
                },
            ]
        );
    }

    #[test]
    fn links_that_look_like_feeds_serve_where_no_alternate_does() {
        let html = "<a href='/about'>About</a> <a href='/feed/'><b>Follow</b> us</a> <a href=blog.atom>x</a> <a href='javascript:rss'>no</a>";
        let found = discover(html.as_bytes(), None, "https://a.example/");
        let shown: Vec<_> = found
            .iter()
            .map(|c| (c.url.as_str(), c.title.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("https://a.example/feed/", "Follow us"),
                ("https://a.example/blog.atom", "x")
            ]
        );
    }

    #[test]
    fn special_sites_are_rules() {
        for (base, html, want) in [
            (
                "https://www.youtube.com/channel/UCx/videos",
                "",
                "https://www.youtube.com/feeds/videos.xml?channel_id=UCx",
            ),
            (
                "https://www.youtube.com/playlist?list=PL1",
                "",
                "https://www.youtube.com/feeds/videos.xml?playlist_id=PL1",
            ),
            (
                "https://www.youtube.com/@name",
                "<script>{\"channelId\":\"UC0123456789abcdefghijkl\"}</script>",
                "https://www.youtube.com/feeds/videos.xml?channel_id=UC0123456789abcdefghijkl",
            ),
            (
                "https://old.reddit.com/r/rust/",
                "",
                "https://www.reddit.com/r/rust/.rss",
            ),
            (
                "https://github.com/a/b",
                "",
                "https://github.com/a/b/releases.atom",
            ),
            (
                "https://social.example/@ann",
                "<div id=\"mastodon\">",
                "https://social.example/@ann.rss",
            ),
            (
                "https://ann.substack.com/p/one",
                "",
                "https://ann.substack.com/feed",
            ),
            (
                "https://medium.com/@ann",
                "",
                "https://medium.com/feed/@ann",
            ),
        ] {
            assert_eq!(
                urls(html, base).first().map(String::as_str),
                Some(want),
                "{base}"
            );
        }
        assert!(urls("", "https://notgithub.com/a/b").is_empty());
        assert!(urls("", "nonsense").is_empty());
    }

    #[test]
    fn few_paths_are_well_known() {
        assert_eq!(
            well_known("https://a.example/x/y?z")[0],
            "https://a.example/feed"
        );
        assert_eq!(well_known("https://a.example/").len(), 5);
        assert!(well_known("nonsense").is_empty());
    }
}
