//! Where a publisher says that it pushes (WebSub 4): Link headers first, then the links of the document.

use url::Url;

/// More hubs of a topic are not kept.
pub const HUBS_MAX: usize = 8;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The topic, absolute.
    pub topic: String,
    /// Its hubs, absolute, http or https, none twice, in the publisher's order.
    pub hubs: Vec<String>,
}

/// The topic and its hubs. `headers` are the values of all `Link` headers; `hubs` and `own` what the document links to as
/// `hub` and `self`; `base` the URL that answered, `asked` the one that is asked from now on, without what redirects only for
/// the time being. Headers that name a hub decide alone: the search stops at the first match (R79). Without a `self` in the
/// place that named the hub, the other place is asked, then the topic is `asked`: publishers forget it, and a wrong topic is
/// only refused by the hub.
pub fn discover(
    base: &str,
    asked: &str,
    headers: &[&[u8]],
    hubs: &[String],
    own: Option<&str>,
) -> Option<Found> {
    let base = Url::parse(base).ok()?;
    let links: Vec<Link> = headers.iter().flat_map(|value| links(value)).collect();
    let of = |rel: &'static str| {
        let links = links.iter().filter(move |link| link.is(rel));
        links.filter_map(|link| absolute(&base, &link.target))
    };
    let mut found = unique(of("hub"));
    let from_header = !found.is_empty();
    if !from_header {
        found = unique(hubs.iter().filter_map(|hub| absolute(&base, hub)));
    }
    if found.is_empty() {
        return None;
    }
    let header = of("self").next();
    let document = own.and_then(|own| absolute(&base, own));
    let topic = if from_header {
        header.or(document)
    } else {
        document.or(header)
    };
    let topic = topic.or_else(|| Url::parse(asked).ok().map(plain))?;
    Some(Found { topic, hubs: found })
}

fn unique(urls: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    for url in urls {
        if kept.len() < HUBS_MAX && !kept.contains(&url) {
            kept.push(url);
        }
    }
    kept
}

fn absolute(base: &Url, target: &str) -> Option<String> {
    let url = base.join(target.trim()).ok()?;
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    // What a publisher says must not make tidings send credentials anywhere.
    let plainly = url.username().is_empty() && url.password().is_none();
    (usable && plainly).then(|| plain(url))
}

fn plain(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

/// One link of a Link header (RFC 8288, section 3).
struct Link {
    target: String,
    rel: String,
}

impl Link {
    /// `rel` is a list of words, case does not matter (RFC 8288, section 3.3).
    fn is(&self, rel: &str) -> bool {
        self.rel
            .split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case(rel))
    }
}

/// Links of one header; what is not well formed ends it, what came before counts. A link with an `anchor` is about something
/// else and is left out (section 3.2).
fn links(value: &[u8]) -> Vec<Link> {
    let text = String::from_utf8_lossy(value);
    let mut rest = text.as_ref();
    let mut links = Vec::new();
    while let Some((_, after)) = rest.split_once('<') {
        let Some((target, after)) = after.split_once('>') else {
            break;
        };
        let (parameters, after) = parameters(after);
        rest = after;
        let of = |name: &str| parameters.iter().find(|(key, _)| key == name);
        if let Some((_, rel)) = of("rel")
            && of("anchor").is_none()
        {
            links.push(Link {
                target: target.to_owned(),
                rel: rel.clone(),
            });
        }
    }
    links
}

/// `;name=value` and `;name="value"` up to the comma that ends the link, and what follows it. Names in small letters.
fn parameters(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix(';') {
        let end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let name = name.trim().to_ascii_lowercase();
        let Some(after) = after.strip_prefix('=') else {
            rest = after;
            found.push((name, String::new()));
            continue;
        };
        let (value, after) = value(after.trim_start());
        found.push((name, value));
        rest = after.trim_start();
    }
    (found, rest)
}

/// A token or a quoted string, and what follows it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        let (token, rest) = text.split_at(end);
        return (token.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            _ if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return (value, &quoted[at + 1..]),
            _ => value.push(c),
        }
    }
    (value, "")
}
