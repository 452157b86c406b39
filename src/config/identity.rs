//! When two addresses are one subscription.

use super::local::{clean_source, local};
use super::url::{self, UrlError};

/// The identity of a subscription (R65): scheme and host in lower case, the default port dropped, an empty path as `/`.
/// Path, query and escapes stay byte for byte.
/// A file and a command are themselves.
pub fn normalise(url: &str) -> Result<String, UrlError> {
    // Most are, and a start looks at each several times.
    if url::is_plain(url) {
        return Ok(url.to_owned());
    }
    match clean_source(url) {
        Ok(source) if local(&source).is_some() => Ok(source),
        _ => url::normalise(url),
    }
}
