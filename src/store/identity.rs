//! When two URLs are one subscription (R65): textual, so that escapes, case and query stay byte for byte.

/// The identity of a subscription's URL: no scheme means https, fragment dropped, scheme and host in lower case,
/// default port and userinfo as they decide nothing dropped or kept: the port goes, the userinfo stays.
pub(crate) fn identity(url: &str) -> String {
    let url = url.trim();
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => (scheme.to_ascii_lowercase(), rest),
        _ => ("https".to_owned(), url.trim_start_matches('/')),
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (user, host) = authority
        .rsplit_once('@')
        .map_or(("", authority), |(user, host)| (user, host));
    let host = host.to_ascii_lowercase();
    let default = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => "\0",
    };
    let host = host.strip_suffix(default).unwrap_or(&host);
    let at = if user.is_empty() { "" } else { "@" };
    // `https://host` and `https://host/` ask for the same thing.
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{user}{at}{host}{slash}{path}")
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn one_subscription_has_one_identity() {
        for (url, same) in [
            ("example.org/feed", "https://example.org/feed"),
            ("HTTPS://Example.ORG/Feed", "https://example.org/Feed"),
            ("https://example.org:443", "https://example.org/"),
            ("http://example.org:80/?a=B#c", "http://example.org/?a=B"),
            ("http://example.org:443/", "http://example.org:443/"),
            (
                "https://Me:Pw@example.org/%7e",
                "https://Me:Pw@example.org/%7e",
            ),
            (
                "https://example.org?x=http://y",
                "https://example.org/?x=http://y",
            ),
        ] {
            assert_eq!(identity(url), same);
            assert_eq!(identity(same), same, "and again");
        }
    }
}
