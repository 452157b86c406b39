//! Sites that keep their feeds where a rule can tell. The rules are data (`rules`); here is how they are read.

mod rules;
#[cfg(test)]
mod tests;

use url::Url;

use super::{Candidate, titles};
use rules::{RESERVED, RULES, Rule, Site};

/// The value that a page holds is never longer.
const VALUE_MAX: usize = 300;

/// The feeds of a page at `url` where its address alone tells them for certain: nobody need be asked for the page.
/// Empty where it does not, and for the address of a feed.
pub fn known(url: &str) -> Vec<Candidate> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    if is_feed_address(&url) {
        return Vec::new();
    }
    let rules = RULES
        .iter()
        .filter(|rule| rule.value.is_none() && matches!(rule.site, Site::Hosts(_)));
    found(rules, &url, "")
}

/// The feeds that the rules give for a page at `base`; a few need to look into it.
pub(super) fn by_rule(base: &str, html: &str) -> Vec<Candidate> {
    Url::parse(base).map_or_else(|_| Vec::new(), |url| found(RULES.iter(), &url, html))
}

/// One rule of a site may stand for all of it, so an address that two rules give is given once.
fn found<'r>(rules: impl Iterator<Item = &'r Rule>, url: &Url, html: &str) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for candidate in rules.filter_map(|rule| rule.apply(url, html)) {
        if found.iter().all(|known| known.url != candidate.url) {
            found.push(candidate);
        }
    }
    found
}

/// `wanted` itself or below it; with a dot in front only below it, and not its `www`; with `=` it alone.
fn is_host(host: &str, wanted: &str) -> bool {
    if let Some(wanted) = wanted.strip_prefix('=') {
        return host == wanted;
    }
    match wanted.strip_prefix('.') {
        Some(_) => host
            .strip_suffix(wanted)
            .is_some_and(|front| !front.is_empty() && front != "www"),
        None => host
            .strip_suffix(wanted)
            .is_some_and(|front| front.is_empty() || front.ends_with('.')),
    }
}

/// The address is a feed's own, as far as sites with rules go.
fn is_feed_address(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    let named = |part: &str| matches!(part, "feed" | "feeds" | "rss" | "atom" | "services");
    let ends = |part: &str| {
        [".rss", ".atom", ".xml", ".rdf", "feed.json"]
            .iter()
            .any(|end| part.ends_with(end))
    };
    path.split('/').any(|part| named(part) || ends(part))
        || url
            .query_pairs()
            .any(|(name, value)| name == "format" && matches!(&*value, "rss" | "atom"))
}

impl Rule {
    fn apply(&self, url: &Url, html: &str) -> Option<Candidate> {
        let host = url.host_str()?;
        let here = match self.site {
            Site::Hosts(hosts) => hosts.iter().any(|wanted| is_host(host, wanted)),
            Site::Says(marks) => marks.iter().any(|mark| html.contains(mark)),
        };
        if !here {
            return None;
        }
        let taken = take(self.path, url)?;
        let reserved = |part: &&str| RESERVED.contains(part);
        if self.path.starts_with("/{") && taken.first().is_some_and(|part| reserved(&&**part)) {
            return None;
        }
        let value = match self.value {
            Some(find) => Some(find_value(html, find)?),
            None => None,
        };
        let fill = |template: &str| {
            let mut out = template
                .replace("{site}", &site_of(url))
                .replace("{host}", host)
                .replace("{path}", url.path().trim_end_matches('/'));
            if let Some(value) = &value {
                out = out.replace("{value}", value);
            }
            for (at, part) in taken.iter().enumerate() {
                out = out.replace(&format!("{{{}}}", at + 1), part);
            }
            out
        };
        let feed = Url::parse(&fill(self.feed)).ok()?;
        let web = matches!(feed.scheme(), "http" | "https");
        web.then(|| Candidate {
            url: feed.into(),
            title: titles::literal(&fill(self.title)),
            kind: self.kind.to_owned(),
        })
    }
}

/// Scheme, host and port.
fn site_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// What the braces of `pattern` take of the path and query; `None` when it does not fit.
fn take(pattern: &str, url: &Url) -> Option<Vec<String>> {
    let (pattern, query) = match pattern.split_once('?') {
        Some((pattern, name)) => (pattern, Some(name)),
        None => (pattern, None),
    };
    let mut parts = url.path().split('/').filter(|part| !part.is_empty());
    let mut taken = Vec::new();
    let mut open = false;
    for wanted in pattern.split('/').filter(|part| !part.is_empty()) {
        if wanted == "*" {
            open = true;
            break;
        }
        let part = parts.next()?;
        match wanted.split_once('{') {
            None => {
                if part != wanted {
                    return None;
                }
            }
            Some((front, brace)) => {
                let (kind, back) = brace.split_once('}')?;
                let inner = part.strip_prefix(front)?.strip_suffix(back)?;
                if inner.is_empty() || !fits(kind, inner) {
                    return None;
                }
                taken.push(inner.to_owned());
            }
        }
    }
    if !open && parts.next().is_some() {
        return None;
    }
    if let Some(name) = query {
        let (_, value) = url.query_pairs().find(|(given, _)| given == name)?;
        taken.push(fits("-", &value).then(|| value.into_owned())?);
    }
    Some(taken)
}

/// `{}` takes anything, `{#}` digits, `{-}` what may stand in a host name or an id, `{@}` a number of Flickr's.
fn fits(kind: &str, part: &str) -> bool {
    match kind {
        "#" => part.bytes().all(|b| b.is_ascii_digit()),
        "-" => part
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')),
        "@" => part
            .split_once('@')
            .is_some_and(|(number, rest)| fits("#", number) && fits("-", rest)),
        _ => true,
    }
}

/// The value behind the first of these marks that a page holds one behind: up to a quote, `<`, `&` or a blank.
fn find_value(html: &str, marks: &[&str]) -> Option<String> {
    marks.iter().find_map(|mark| {
        let rest = html.split_once(mark)?.1;
        let end = rest.find(['"', '\'', '<', '&', ' ', '\n'])?;
        let value = rest[..end].replace("\\u002F", "/").replace("\\/", "/");
        let clean = !value.is_empty()
            && value.len() <= VALUE_MAX
            && value.bytes().all(|b| b.is_ascii_graphic());
        clean.then_some(value)
    })
}
