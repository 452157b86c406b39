//! Addresses: resolved, checked, and never more than an address. What a reader cannot follow is none.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use url::Url;

/// Longer addresses are dropped: nobody typed them, and a browser would not take them.
const LONGEST: usize = 64 * 1024;

/// What relative addresses are resolved against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Base(Option<Rc<Place>>);

/// A base with its text, which every entry below it shares.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    url: Url,
    text: Arc<str>,
}

impl From<Url> for Place {
    fn from(url: Url) -> Self {
        let text = Arc::from(url.as_str());
        Self { url, text }
    }
}

impl Base {
    /// From the feed's final URL; one that is none resolves nothing. Credentials in it are the feed's alone: no link has them.
    pub fn new(url: &str) -> Self {
        let mut url = Url::parse(url).ok();
        if let Some(url) = &mut url {
            // An address that cannot hold credentials refuses, and has none.
            url.set_username("")
                .and_then(|()| url.set_password(None))
                .ok();
        }
        Self(url.map(|url| Rc::new(url.into())))
    }

    /// The base inside an element with this `xml:base`; an invalid one is as good as none.
    pub fn inside(&self, xml_base: Option<&str>) -> Self {
        let Some(text) = xml_base.map(str::trim).filter(|t| !t.is_empty()) else {
            return self.clone();
        };
        let joined = match &self.0 {
            Some(place) => place.url.join(text).ok(),
            None => Url::parse(text).ok(),
        };
        let joined = joined.filter(|url| matches!(url.scheme(), "http" | "https"));
        joined.map_or_else(|| self.clone(), |url| Self(Some(Rc::new(url.into()))))
    }

    /// As text.
    pub fn text(&self) -> Option<&Arc<str>> {
        self.0.as_deref().map(|place| &place.text)
    }

    /// An absolute address that may be followed: http, https, mailto or magnet, no white space or control in it.
    pub fn resolve(&self, href: &str) -> Option<String> {
        let href = tidy(href);
        if href.is_empty() || href.len() > LONGEST {
            return None;
        }
        let url = match Url::parse(&href) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                self.0.as_ref()?.url.join(&href).ok()?
            }
            Err(_) => return None,
        };
        let follow = matches!(url.scheme(), "http" | "https" | "mailto" | "magnet");
        follow.then(|| url.into())
    }
}

/// It begins as the absolute address of a page does.
pub(crate) fn is_web(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        let start = text.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })
}

/// Trimmed, line breaks inside removed (browsers do), a scheme that was typed twice or with a blank left to the parser.
fn tidy(href: &str) -> Cow<'_, str> {
    let href = href.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
    if href.contains(|c: char| c.is_control()) {
        return Cow::Owned(href.chars().filter(|c| !c.is_control()).collect());
    }
    Cow::Borrowed(href)
}

/// The address without what only tells a publisher where a click came from.
pub(crate) fn untracked(link: &str) -> Cow<'_, str> {
    let Some((front, rest)) = link.split_once('?') else {
        return Cow::Borrowed(link);
    };
    let (query, fragment) = match rest.split_once('#') {
        Some((query, fragment)) => (query, Some(fragment)),
        None => (rest, None),
    };
    if !query.split('&').any(is_tracking) {
        return Cow::Borrowed(link);
    }
    let kept: Vec<&str> = query.split('&').filter(|p| !is_tracking(p)).collect();
    let mut out = front.to_owned();
    if !kept.is_empty() {
        out.push('?');
        out.push_str(&kept.join("&"));
    }
    if let Some(fragment) = fragment {
        out.push('#');
        out.push_str(fragment);
    }
    Cow::Owned(out)
}

fn is_tracking(parameter: &str) -> bool {
    const NAMES: &[&str] = &[
        "fbclid",
        "gclid",
        "dclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "yclid",
        "twclid",
        "igshid",
        "mc_cid",
        "mc_eid",
        "_hsenc",
        "_hsmi",
        "mkt_tok",
        "vero_id",
        "oly_enc_id",
        "oly_anon_id",
        "wickedid",
        "cmpid",
        "ncid",
        "sr_share",
        "xtor",
        "at_medium",
        "at_campaign",
        "ref_src",
        "spm",
    ];
    let name = parameter
        .split('=')
        .next()
        .unwrap_or(parameter)
        .to_ascii_lowercase();
    name.starts_with("utm_") || NAMES.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_absolute_and_followable_or_none() {
        let base = Base::new("https://a.example/blog/feed.xml?x=1");
        for (href, want) in [
            (" http://b.example/1 \n", Some("http://b.example/1")),
            ("p/1", Some("https://a.example/blog/p/1")),
            ("/p/1", Some("https://a.example/p/1")),
            ("//c.example/x", Some("https://c.example/x")),
            ("?y", Some("https://a.example/blog/feed.xml?y")),
            ("http://b.example/a b", Some("http://b.example/a%20b")),
            ("http://b.exam\nple/", Some("http://b.example/")),
            ("mailto:a@b.example", Some("mailto:a@b.example")),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("data:text/html,x", None),
            ("http://[bad", None),
            ("", None),
        ] {
            assert_eq!(base.resolve(href).as_deref(), want, "{href}");
        }
        assert_eq!(Base::new("nonsense").resolve("x"), None);
    }

    #[test]
    fn credentials_of_the_feed_reach_no_link() {
        let base = Base::new("https://ann:secret@a.example/feed");
        assert_eq!(base.resolve("/1").as_deref(), Some("https://a.example/1"));
        assert_eq!(
            base.text().map(AsRef::as_ref),
            Some("https://a.example/feed")
        );
    }

    #[test]
    fn an_invalid_base_is_as_good_as_none() {
        let base = Base::new("https://a.example/");
        assert_eq!(base.inside(Some("http://[bad")), base);
        assert_eq!(
            base.inside(Some("blog/")).resolve("1").as_deref(),
            Some("https://a.example/blog/1")
        );
        assert_eq!(base.inside(Some("javascript:x")), base);
    }

    #[test]
    fn tracking_parameters_are_no_part_of_the_address() {
        for (link, want) in [
            (
                "http://a/?utm_source=rss&id=1&UTM_medium=x#top",
                "http://a/?id=1#top",
            ),
            ("http://a/x?utm_source=rss", "http://a/x"),
            ("http://a/x?id=1", "http://a/x?id=1"),
            ("http://a/x?fbclid=1#top", "http://a/x#top"),
        ] {
            assert_eq!(untracked(link), want);
        }
    }
}
