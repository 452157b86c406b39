//! Sites that keep their feeds where a rule can tell. The rules are data.

use url::Url;

use super::{Candidate, titles};

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

/// First parts of a path that are the site's own and nobody's name.
const RESERVED: &[&str] = &[
    "about",
    "blog",
    "contact",
    "enterprise",
    "explore",
    "features",
    "help",
    "login",
    "marketplace",
    "me",
    "new",
    "orgs",
    "pricing",
    "search",
    "settings",
    "signup",
    "sponsors",
    "tag",
    "tags",
    "topics",
    "trending",
    "watch",
];

/// A Mastodon server is known by what its pages say of themselves, not by its name.
const FEDIVERSE: &[&str] = &[
    "id=\"mastodon\"",
    "id='mastodon'",
    "content='Mastodon'",
    "content=\"Mastodon\"",
];

/// The feeds that the rules give for a page at `base`; a few need to look into it.
pub(super) fn by_rule(base: &str, html: &str) -> Vec<Candidate> {
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
        if taken.first().is_some_and(|part| RESERVED.contains(part)) {
            return None;
        }
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
        let found = by_rule(base, html);
        found.into_iter().map(|candidate| candidate.url).collect()
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
        assert!(urls("", "https://github.com/features/actions").is_empty());
        assert!(urls("", "nonsense").is_empty());
    }
}
