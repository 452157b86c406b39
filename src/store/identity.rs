//! When two URLs are one subscription (R65).

use crate::config::normalise;

/// The identity of a subscription's URL. What cannot be polled at all is nobody's but its own.
pub(crate) fn identity(url: &str) -> String {
    normalise(url).unwrap_or_else(|_| url.trim().to_owned())
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
            (
                "https://Me:Pw@example.org/%7e",
                "https://Me:Pw@example.org/%7e",
            ),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("no url at all", "no url at all"),
        ] {
            assert_eq!(identity(url), same);
            assert_eq!(identity(same), same, "and again");
        }
    }
}
