//! What is sent: the same few fields in the same order, every time (R59–R63).

use std::borrow::Cow;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderName,
    HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT,
};
use url::Url;

use crate::model::{ErrorKind, HeaderList, PollError};

use super::{Request, Reuse};

/// What a feed may come as. Constant: some servers hash it into the answer's identity (R63).
const FEEDS: HeaderValue = HeaderValue::from_static(
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
);

/// What the body may be packed in. Constant: with Cloudflare the tag flips by it (R63).
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd, deflate");

/// Words in the names of fields that may hold a secret.
const SECRETS: [&str; 7] = [
    "auth", "cookie", "token", "key", "secret", "session", "pass",
];

/// Fields that hold none, though every request has them.
const PUBLIC: [HeaderName; 5] = [
    USER_AGENT,
    ACCEPT,
    ACCEPT_ENCODING,
    IF_NONE_MATCH,
    IF_MODIFIED_SINCE,
];

/// Fields that a user's own list must not touch: they belong to the conversation or to the connection.
const OURS: [&str; 10] = [
    "host",
    "if-none-match",
    "if-modified-since",
    "if-match",
    "if-range",
    "range",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
];

/// The `User-Agent` (R59): constant, honest, with a contact when the user gave one.
pub(super) fn user_agent(contact: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match contact {
        Some(contact) => format!("tidings/{version} (terminal feed reader; +{contact})"),
        None => format!("tidings/{version} (terminal feed reader)"),
    }
}

/// The fields of one request, in the order they go out, and the same as the audit keeps them.
pub(super) fn compose(
    request: &Request<'_>,
    url: &Url,
    agent: &HeaderValue,
) -> Result<(HeaderMap, HeaderList), PollError> {
    let mut fields = HeaderMap::with_capacity(10);
    let agent = match request.user_agent {
        Some(own) => value("user_agent", own)?,
        None => agent.clone(),
    };
    fields.insert(USER_AGENT, agent);
    fields.insert(ACCEPT, FEEDS);
    fields.insert(ACCEPT_ENCODING, CODINGS);
    // Over TLS it may be HTTP/2, which knows no such field; there the pool closes what is idle.
    if request.reuse == Reuse::Last && url.scheme() == "http" {
        fields.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if request.form.is_some() {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        fields.insert(CONTENT_TYPE, form);
    }
    if let Some(etag) = sendable(request.validators.etag.as_deref()) {
        fields.insert(IF_NONE_MATCH, etag);
        // RFC 3229 wants both together (R76).
        if request.a_im {
            fields.insert(
                HeaderName::from_static("a-im"),
                HeaderValue::from_static("feed"),
            );
        }
    }
    if let Some(date) = sendable(request.validators.last_modified.as_deref()) {
        fields.insert(IF_MODIFIED_SINCE, date);
    }
    for (name, text) in request.headers {
        let field = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| unsendable(name, "its name is not one HTTP allows"))?;
        if !OURS.contains(&field.as_str()) {
            fields.insert(field, value(name, text)?);
        }
    }
    if let Some(credentials) = authorization(request, url) {
        let mut secret = value("authorization", &credentials)?;
        secret.set_sensitive(true);
        fields.insert(AUTHORIZATION, secret);
    }
    let sent = reported(&fields, url);
    Ok((fields, sent))
}

/// A validator as it goes out: byte for byte as it came (R2–R4). One that no header can hold never came in one.
fn sendable(bytes: Option<&[u8]>) -> Option<HeaderValue> {
    HeaderValue::from_bytes(bytes?).ok()
}

fn value(name: &str, text: &str) -> Result<HeaderValue, PollError> {
    HeaderValue::from_bytes(text.as_bytes())
        .map_err(|_| unsendable(name, "its value holds a control character"))
}

fn unsendable(name: &str, why: &str) -> PollError {
    let name = name.escape_default();
    PollError::new(
        ErrorKind::Url,
        format!("the header `{name}` cannot be sent, {why}; change it in feeds.toml"),
    )
}

/// `Basic` credentials: those of the settings, else those in the URL.
fn authorization(request: &Request<'_>, url: &Url) -> Option<String> {
    let mut pair = Vec::new();
    if let Some((user, password)) = &request.authorization {
        pair.extend_from_slice(user.as_bytes());
        pair.push(b':');
        pair.extend_from_slice(password.as_bytes());
    } else if url.username().is_empty() && url.password().is_none() {
        return None;
    } else {
        pair.extend(percent_decoded(url.username()));
        pair.push(b':');
        pair.extend(percent_decoded(url.password().unwrap_or("")));
    }
    Some(format!("Basic {}", base64(&pair)))
}

/// User and password in a URL, decoded: they belong to its whole origin, where a redirect leads without them, too (R61).
pub fn login_of(url: &str) -> Option<(String, String)> {
    if !url.contains('@') {
        return None;
    }
    let url = Url::parse(url).ok()?;
    let text = |part: &str| String::from_utf8(percent_decoded(part)).ok();
    let password = url.password().unwrap_or("");
    let there = !url.username().is_empty() || url.password().is_some();
    there.then_some((text(url.username())?, text(password)?))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|b| char::from(*b).to_digit(16))
            .map(|d| d as u8)
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%'
            && let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2))
        {
            out.push(high * 16 + low);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
        for place in 0..4 {
            if place <= three.len() {
                let index = (word >> (18 - 6 * place)) & 63;
                out.push(char::from(ALPHABET[index as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The fields as the audit keeps them: credentials masked, `Host` first as the connection sends it.
fn reported(fields: &HeaderMap, url: &Url) -> HeaderList {
    let host = url.host_str().map(|host| match url.port() {
        Some(port) => Cow::Owned(format!("{host}:{port}").into_bytes()),
        None => Cow::Borrowed(host.as_bytes()),
    });
    let host = host.map(|host| (HOST.as_str(), host));
    let others = fields.iter().map(|(name, value)| {
        let secret =
            !PUBLIC.contains(name) && SECRETS.iter().any(|word| name.as_str().contains(word));
        let shown = if secret { b"***" } else { value.as_bytes() };
        (name.as_str(), Cow::Borrowed(shown))
    });
    host.into_iter().chain(others).collect()
}

/// The fields of an answer; names in lower case, values as bytes.
pub(super) fn received(fields: &HeaderMap) -> HeaderList {
    fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect()
}

/// The size of an answer's fields as they stood on the wire, in bytes.
pub(super) fn size(fields: &HeaderMap) -> usize {
    fields
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Validators;

    fn sent(validators: &Validators, a_im: bool, url: &str) -> Vec<(String, String)> {
        let mut request = Request::new(url, validators);
        request.a_im = a_im;
        let url = Url::parse(url).expect("a URL");
        let agent = HeaderValue::from_static("tidings");
        let (_, list) = compose(&request, &url, &agent).expect("composed");
        list.iter()
            .map(|(n, v)| (n.to_owned(), String::from_utf8_lossy(v).into_owned()))
            .collect()
    }

    #[test]
    fn r63_a_plain_request_has_four_fields_and_the_host() {
        let names: Vec<_> = sent(&Validators::default(), true, "https://example.org/f")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["host", "user-agent", "accept", "accept-encoding"]);
    }

    #[test]
    fn r76_a_delta_is_asked_for_only_together_with_a_tag() {
        let tag = Validators {
            etag: Some(b"\"a\"".to_vec()),
            last_modified: None,
        };
        let date = Validators {
            etag: None,
            last_modified: Some(b"yesterday".to_vec()),
        };
        let asks = |v: &Validators, a_im| {
            sent(v, a_im, "https://example.org/")
                .iter()
                .any(|(name, _)| name == "a-im")
        };
        assert!(asks(&tag, true));
        assert!(!asks(&tag, false));
        assert!(!asks(&date, true));
    }

    #[test]
    fn credentials_are_sent_and_never_reported() {
        let list = sent(
            &Validators::default(),
            true,
            "https://me:p%40ss@example.org/",
        );
        let auth = list.iter().find(|(name, _)| name == "authorization");
        assert_eq!(auth.map(|(_, v)| v.as_str()), Some("***"));
    }

    #[test]
    fn credentials_of_a_url_are_unescaped() {
        let none = Validators::default();
        let request = Request::new("https://me:p%40ss@example.org/", &none);
        let url = Url::parse(request.url).expect("a URL");
        // me:p@ss
        assert_eq!(
            authorization(&request, &url).as_deref(),
            Some("Basic bWU6cEBzcw==")
        );
    }

    #[test]
    fn base64_is_as_in_rfc_4648() {
        for (plain, packed) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), packed);
        }
    }

    #[test]
    fn r59_the_user_agent_names_a_contact_only_when_there_is_one() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            user_agent(None),
            format!("tidings/{version} (terminal feed reader)")
        );
        assert_eq!(
            user_agent(Some("mailto:me@example.org")),
            format!("tidings/{version} (terminal feed reader; +mailto:me@example.org)")
        );
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_an_error_that_names_it() {
        let none = Validators::default();
        let bad = [("x-a".to_owned(), "a\nb".to_owned())];
        let mut request = Request::new("https://example.org/", &none);
        request.headers = &bad;
        let url = Url::parse(request.url).expect("a URL");
        let error = compose(&request, &url, &HeaderValue::from_static("t")).expect_err("refused");
        assert!(error.to_string().contains("`x-a`"), "{error}");
    }

    #[test]
    fn the_users_fields_cannot_touch_the_conversation() {
        let none = Validators::default();
        let own = [
            ("If-None-Match".to_owned(), "\"x\"".to_owned()),
            ("X-Key".to_owned(), "secret".to_owned()),
        ];
        let mut request = Request::new("https://example.org/", &none);
        request.headers = &own;
        let url = Url::parse(request.url).expect("a URL");
        let (map, list) = compose(&request, &url, &HeaderValue::from_static("t")).expect("ok");
        assert!(!map.contains_key("if-none-match"));
        assert_eq!(map["x-key"], "secret");
        assert_eq!(list.get("x-key"), Some(&b"***"[..]));
    }
}
