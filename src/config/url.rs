//! What a feed URL is: as stored, as an identity (R65), and as it may be shown.

/// Text that cannot be polled, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{url}\" {why}")]
pub struct UrlError {
    /// As given, userinfo masked, without control characters.
    pub url: String,
    /// A clause: what is wrong and what would be right.
    pub why: String,
}

/// A URL in its parts, each byte for byte as given.
struct Parts<'a> {
    /// `http` or `https`.
    secure: bool,
    /// The scheme as given; empty when it was left out.
    scheme: &'a str,
    /// From after `://` to before the path.
    authority: &'a str,
    /// Path and query; may be empty.
    rest: &'a str,
}

/// The URL as it is stored and asked: as given, `https` where the scheme was left out, the fragment dropped, nothing else.
/// `feed:` in front, an old way to link to feeds, is dropped too.
pub fn clean_url(url: &str) -> Result<String, UrlError> {
    if is_plain(url) {
        return Ok(url.to_owned());
    }
    let parts = split(url)?;
    let scheme = match parts.scheme {
        "" => "https",
        given => given,
    };
    Ok(format!("{scheme}://{}{}", parts.authority, parts.rest))
}

/// A URL that is clean and its own identity at first sight. Most are, and a start looks at each several times.
pub(super) fn is_plain(url: &str) -> bool {
    let (default, rest) = match url.strip_prefix("https://") {
        Some(rest) => (443, rest),
        None => match url.strip_prefix("http://") {
            Some(rest) => (80, rest),
            None => return false,
        },
    };
    let Some((host, path)) = rest.split_once('/') else {
        return false;
    };
    let host = match host.split_once(':') {
        Some((host, port)) if is_plain_port(port, default) => host,
        Some(_) => return false,
        None => host,
    };
    let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let label = |label: &str| {
        let ends = !label.starts_with('-') && !label.ends_with('-');
        // Two dashes in the third place begin what stands for other scripts.
        (1..64).contains(&label.len())
            && ends
            && label.get(2..4) != Some("--")
            && label.bytes().all(good)
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let host_is_plain = if last.starts_with(|c: char| c.is_ascii_lowercase()) {
        host.len() < 254 && host.split('.').all(label)
    } else {
        // An address, in the one form that its parser writes.
        host.parse::<std::net::Ipv4Addr>().is_ok()
    };
    host_is_plain && path.bytes().all(|b| b.is_ascii_graphic() && b != b'#')
}

/// A port as its parser writes it, and not the one that goes without saying.
fn is_plain_port(port: &str, default: u16) -> bool {
    let digits = !port.starts_with('0') && port.bytes().all(|b| b.is_ascii_digit());
    digits && port.parse::<u16>().is_ok_and(|port| port != default)
}

/// A web address as its identity has it.
pub(super) fn normalise(url: &str) -> Result<String, UrlError> {
    let parts = split(url)?;
    let (scheme, port) = if parts.secure {
        ("https", 443)
    } else {
        ("http", 80)
    };
    let parsed = parse(url, &parts)?;
    let host = parsed.host_str().unwrap_or_default();
    let port = match parsed.port_or_known_default() {
        Some(given) if given != port => format!(":{given}"),
        _ => String::new(),
    };
    let user = parts
        .authority
        .rsplit_once('@')
        .map_or(String::new(), |(user, _)| format!("{user}@"));
    let slash = if parts.rest.starts_with('/') { "" } else { "/" };
    Ok(format!(
        "{scheme}://{user}{host}{port}{slash}{}",
        parts.rest
    ))
}

/// The URL with its userinfo as `***@`, for every output.
pub fn masked(url: &str) -> String {
    if !url.contains('@') {
        return url.to_owned();
    }
    let (scheme, rest) = match url.find("://") {
        Some(at) => url.split_at(at + 3),
        None => ("", url),
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    // A password with a slash in it ends the authority early: what does not parse is masked up to its last @.
    let end = if url::Url::parse(url).is_ok() || scheme.is_empty() {
        end
    } else {
        rest.len()
    };
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}***{}", &rest[at..]),
        None => url.to_owned(),
    }
}

pub(super) fn wrong(url: &str, why: impl Into<String>) -> UrlError {
    UrlError {
        url: crate::article::sanitize::line(&masked(url)),
        why: why.into(),
    }
}

fn split(given: &str) -> Result<Parts<'_>, UrlError> {
    let url = given.trim();
    if url.is_empty() {
        return Err(wrong(
            given,
            "is empty; give the address of a feed or of a page",
        ));
    }
    if let Some(c) = url.chars().find(|c| c.is_whitespace() || c.is_control()) {
        let what = if c.is_control() {
            "a control character"
        } else {
            "a blank"
        };
        return Err(wrong(
            given,
            format!("holds {what}; write it as %20 or leave it out"),
        ));
    }
    let url = url.split('#').next().unwrap_or_default();
    let url = without_feed_scheme(url);
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?', '@']) => (scheme, rest),
        _ => ("", url),
    };
    if scheme.is_empty()
        && let Some(scheme) = other_scheme(rest)
    {
        return Err(wrong(given, not_http(scheme)));
    }
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "" | "https" => true,
        "http" => false,
        _ => return Err(wrong(given, not_http(scheme))),
    };
    let end = rest.find(['/', '?', '\\']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if rest.starts_with('\\') {
        return Err(wrong(given, "holds a backslash; a path begins with /"));
    }
    let parts = Parts {
        secure,
        scheme,
        authority,
        rest,
    };
    parse(given, &parts)?;
    Ok(parts)
}

fn not_http(scheme: &str) -> String {
    format!("begins with \"{scheme}:\"; only http and https can be polled")
}

fn without_feed_scheme(url: &str) -> &str {
    let feed = url.get(..5).filter(|s| s.eq_ignore_ascii_case("feed:"));
    match feed {
        Some(_) => url[5..].strip_prefix("//").unwrap_or(&url[5..]),
        None => url,
    }
}

/// The scheme of something like `mailto:a@example.org` or `file:/etc`, as opposed to `host:8080/path`.
fn other_scheme(text: &str) -> Option<&str> {
    let (scheme, after) = text.split_once(':')?;
    let name = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let end = after.find(['/', '?']).unwrap_or(after.len());
    let port = end > 0 && after[..end].bytes().all(|b| b.is_ascii_digit());
    let known = [
        "mailto",
        "file",
        "data",
        "javascript",
        "exec",
        "filter",
        "query",
        "http",
        "https",
    ];
    let userinfo = after[..end].contains('@') && !known.contains(&scheme);
    (name && !port && !userinfo).then_some(scheme)
}

fn parse(given: &str, parts: &Parts<'_>) -> Result<url::Url, UrlError> {
    let scheme = if parts.secure { "https" } else { "http" };
    let text = format!("{scheme}://{}{}", parts.authority, parts.rest);
    let host = parts
        .authority
        .rsplit_once('@')
        .map_or(parts.authority, |(_, host)| host);
    if host.is_empty() || host.starts_with(':') {
        return Err(wrong(
            given,
            "names no host; a feed's address looks like https://example.org/feed",
        ));
    }
    url::Url::parse(&text).map_err(|error| wrong(given, format!("is not a URL: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_at_sight_is_what_the_long_way_gives() {
        let mut plain = 0;
        for url in [
            "https://example.org/",
            "http://example.org/feed.xml?a=B&c=%7e",
            "http://127.1.0.0/f/1",
            "https://a-b.c3.example/x",
            "https://localhost/feed",
            "https://example.org",
            "https://Example.org/",
            "http://example.org:80/",
            "http://127.1/",
            "http://127.0.0.01/",
            "http://0x7f.1/",
            "http://1.example.2/",
            "https://xn--bcher-kva.example/",
            "https://ab--c.example/",
            "https://-a.example/",
            "https://a..example/",
            "https://a_b.example/",
            "https://user@example.org/",
            "https://example.org/a b",
            "https://example.org/a#b",
            "https://example.org\\/a",
            "https://example.org./",
            "feed://example.org/",
            " https://example.org/",
        ] {
            if is_plain(url) {
                plain += 1;
                assert_eq!(normalise(url).as_deref(), Ok(url));
                assert!(split(url).is_ok());
            }
        }
        assert_eq!(plain, 5);
    }

    #[test]
    fn a_url_is_stored_as_given_without_its_fragment() {
        for (given, stored) in [
            (
                "https://Example.ORG/Feed?b=2&a=1#top",
                "https://Example.ORG/Feed?b=2&a=1",
            ),
            ("example.org/feed", "https://example.org/feed"),
            ("  example.org  ", "https://example.org"),
            ("HTTP://example.org:80/", "HTTP://example.org:80/"),
            ("example.org:8080/feed", "https://example.org:8080/feed"),
            ("localhost:8080", "https://localhost:8080"),
            ("user:pa@example.org/x", "https://user:pa@example.org/x"),
            ("feed://example.org/x", "https://example.org/x"),
            ("feed:http://example.org/x", "http://example.org/x"),
            ("http://[::1]:8000/a", "http://[::1]:8000/a"),
            (
                "https://example.org/a%2Fb/%7e",
                "https://example.org/a%2Fb/%7e",
            ),
            (
                "https://example.org/?u=http://x.org",
                "https://example.org/?u=http://x.org",
            ),
            (
                "example.org/?u=http://x.org",
                "https://example.org/?u=http://x.org",
            ),
            ("https://example.org/ü", "https://example.org/ü"),
        ] {
            assert_eq!(clean_url(given).as_deref(), Ok(stored), "{given}");
        }
    }

    #[test]
    fn one_address_is_one_subscription() {
        for (given, same) in [
            ("https://Example.ORG/Feed#x", "https://example.org/Feed"),
            ("HTTPS://example.org:443/a", "https://example.org/a"),
            ("http://example.org:80", "http://example.org/"),
            ("https://example.org:80/", "https://example.org:80/"),
            ("https://example.org?x=1", "https://example.org/?x=1"),
            (
                "https://Me:Secret@Example.org/",
                "https://Me:Secret@example.org/",
            ),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            (
                "https://example.org/a%2fb//c/../d?",
                "https://example.org/a%2fb//c/../d?",
            ),
        ] {
            assert_eq!(normalise(given).as_deref(), Ok(same), "{given}");
            assert_eq!(normalise(same).as_deref(), Ok(same), "{given} twice");
        }
    }

    #[test]
    fn what_cannot_be_polled_is_refused_with_a_reason() {
        for (given, sentence) in [
            ("", "\"\" is empty; give the address of a feed or of a page"),
            (
                "ftp://a.org/x",
                "\"ftp://a.org/x\" begins with \"ftp:\"; only http and https can be polled",
            ),
            (
                "mailto:me@a.org",
                "\"***@a.org\" begins with \"mailto:\"; only http and https can be polled",
            ),
            (
                "https:///x",
                "\"https:///x\" names no host; a feed's address looks like https://example.org/feed",
            ),
            (
                "https://a b.org",
                "\"https://a b.org\" holds a blank; write it as %20 or leave it out",
            ),
            (
                "https://a.org/\u{1b}[31m",
                "\"https://a.org/[31m\" holds a control character; write it as %20 or leave it out",
            ),
            (
                "https://a.org:99999/",
                "\"https://a.org:99999/\" is not a URL: invalid port number",
            ),
            (
                "https://u:p@a.org:x/",
                "\"https://***@a.org:x/\" is not a URL: invalid port number",
            ),
        ] {
            assert_eq!(
                normalise(given).map_err(|e| e.to_string()),
                Err(sentence.to_owned())
            );
            assert!(clean_url(given).is_err(), "{given}");
        }
        // They are sources, and never addresses.
        for given in ["file:/etc/passwd", "exec:rm", "filter:x:https://a.org"] {
            assert!(clean_url(given).is_err(), "{given}");
        }
    }

    #[test]
    fn userinfo_is_masked_and_nothing_else() {
        for (given, shown) in [
            (
                "https://me:secret@example.org/x",
                "https://***@example.org/x",
            ),
            ("https://me@example.org", "https://***@example.org"),
            ("https://medium.com/@me/feed", "https://medium.com/@me/feed"),
            (
                "https://example.org/?mail=a@b",
                "https://example.org/?mail=a@b",
            ),
            ("me:secret@example.org/x", "***@example.org/x"),
            ("https://me:a/b@example.org/x", "https://***@example.org/x"),
            ("https://me:a@b@example.org/x", "https://***@example.org/x"),
            ("", ""),
        ] {
            assert_eq!(masked(given), shown, "{given}");
        }
    }
}
