//! What went wrong on the way, in the words of a person.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError, InvalidMessage};
use url::Url;

use crate::article::sanitize;
use crate::model::{ErrorKind, PollError};

use super::clients::Way;
use super::exchange::Late;
use super::guard::PrivateAddress;

/// A text from elsewhere on one line without control characters, cut to a reasonable length.
pub(super) fn clean(text: &str) -> String {
    sanitize::line(text).chars().take(300).collect()
}

impl From<Late> for PollError {
    fn from(late: Late) -> Self {
        // The end of a run is no fault of the server's.
        let kind = match late {
            Late::Deadline => ErrorKind::Cancelled,
            _ => ErrorKind::Timeout,
        };
        Self::new(kind, late.to_string())
    }
}

/// The error beneath this one; what an `io::Error` wraps included, which its own `source` passes over.
fn beneath<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// Every error of the chain, the outermost first.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| {
        beneath(*error)
    })
}

/// The innermost I/O error: the outer ones only wrap it, and say that it is "other".
fn innermost_io<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    chain(error).filter_map(|e| e.downcast_ref()).last()
}

fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    chain(error).find_map(|e| e.downcast_ref::<E>())
}

/// The innermost message: what really happened.
pub(super) fn root(error: &(dyn Error + 'static)) -> String {
    chain(error)
        .last()
        .map_or_else(String::new, |e| clean(&e.to_string()))
}

/// Whom a request went to, as a sentence names it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Clean of control characters.
    host: String,
    port: u16,
    secure: bool,
}

impl Asked {
    /// The server of `url`.
    pub(super) fn of(url: &Url) -> Self {
        Self {
            host: clean(url.host_str().unwrap_or_default()),
            port: url.port_or_known_default().unwrap_or_default(),
            secure: url.scheme() == "https",
        }
    }
}

/// A request without an answer.
pub(super) fn unanswered(error: &reqwest::Error, asked: &Asked, way: Way) -> PollError {
    let error = describe(error, asked);
    if way == Way::Proxied && error.kind != ErrorKind::Timeout {
        let detail = if error.detail.is_empty() {
            "through the proxy".to_owned()
        } else {
            format!("through the proxy: {}", error.detail)
        };
        return PollError::new(error.kind, detail);
    }
    error
}

fn describe(error: &reqwest::Error, asked: &Asked) -> PollError {
    if let Some(late) = find::<Late>(error) {
        return (*late).into();
    }
    if let Some(private) = find::<PrivateAddress>(error) {
        return PollError::new(ErrorKind::Redirect, private.to_string());
    }
    if error.is_dns() {
        return PollError::new(ErrorKind::Dns, dns(error, &asked.host));
    }
    if let Some(tls) = find::<rustls::Error>(error) {
        return PollError::new(ErrorKind::Tls, tls_words(tls, &asked.host));
    }
    if let Some(http) = find::<hyper::Error>(error)
        && let Some(error) = http_words(http, asked)
    {
        return error;
    }
    if let Some(io) = innermost_io(error) {
        return io_words(io, error.is_connect(), asked);
    }
    let kind = if error.is_connect() {
        // Of a proxy, for the most part: it refused the tunnel.
        ErrorKind::Unreachable
    } else {
        // HTTP/2 says more than that the connection ended: why.
        ErrorKind::Reset
    };
    PollError::new(kind, root(error))
}

fn dns(error: &reqwest::Error, host: &str) -> String {
    let root = root(error);
    let reason = root
        .strip_prefix("failed to lookup address information: ")
        .unwrap_or(&root);
    format!("{host} ({reason})")
}

fn http_words(error: &hyper::Error, asked: &Asked) -> Option<PollError> {
    if error.is_parse_too_large() {
        return Some(too_large_headers());
    }
    if error.is_parse() {
        let mut detail = clean(&error.to_string());
        if !asked.secure {
            detail.push_str("; perhaps the URL should begin with https://");
        }
        return Some(PollError::new(ErrorKind::Protocol, detail));
    }
    if error.is_incomplete_message() {
        return Some(PollError::new(
            ErrorKind::Reset,
            "the server closed the connection without an answer",
        ));
    }
    None
}

/// More than 64 KB of header fields.
pub(super) fn too_large_headers() -> PollError {
    PollError::new(
        ErrorKind::Headers,
        format!("more than {} KiB", super::MAX_HEADERS / 1024),
    )
}

fn io_words(error: &io::Error, connecting: bool, asked: &Asked) -> PollError {
    use io::ErrorKind as Io;
    let Asked { host, port, .. } = asked;
    match error.kind() {
        Io::ConnectionRefused => PollError::new(
            ErrorKind::Refused,
            format!("nobody listens at port {port} of {host}"),
        ),
        Io::NetworkUnreachable | Io::HostUnreachable | Io::NetworkDown | Io::AddrNotAvailable => {
            PollError::new(ErrorKind::Unreachable, format!("no way to {host}"))
        }
        Io::PermissionDenied => PollError::new(
            ErrorKind::Unreachable,
            format!("this system forbids it to reach {host}"),
        ),
        Io::TimedOut => PollError::new(ErrorKind::Timeout, format!("{host} does not react")),
        Io::UnexpectedEof if connecting => PollError::new(
            ErrorKind::Tls,
            "the server closed the connection during the handshake",
        ),
        Io::ConnectionReset | Io::ConnectionAborted | Io::BrokenPipe | Io::UnexpectedEof => {
            PollError::new(ErrorKind::Reset, format!("by {host}, without an answer"))
        }
        _ => {
            let kind = if connecting {
                ErrorKind::Unreachable
            } else {
                ErrorKind::Reset
            };
            PollError::new(kind, clean(&error.to_string()))
        }
    }
}

/// Why the handshake failed, for a person.
fn tls_words(error: &rustls::Error, host: &str) -> String {
    use rustls::Error as Tls;
    match error {
        Tls::InvalidCertificate(certificate) => certificate_words(certificate, host),
        Tls::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => format!(
            "{host} does not speak TLS at this port; perhaps the URL should begin with http://"
        ),
        Tls::AlertReceived(AlertDescription::UnrecognisedName) => {
            format!("the server does not know the name {host}")
        }
        Tls::AlertReceived(alert) => format!("the server refused the handshake ({alert:?})"),
        Tls::PeerIncompatible(_) => {
            "the server has no version or cipher of TLS in common with this reader".to_owned()
        }
        other => clean(&other.to_string()),
    }
}

fn certificate_words(error: &CertificateError, host: &str) -> String {
    use CertificateError as Bad;
    match error {
        Bad::Expired | Bad::ExpiredContext { .. } => {
            format!("the certificate of {host} has expired")
        }
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            format!(
                "the certificate of {host} is not valid yet; is the clock of this machine right?"
            )
        }
        Bad::UnknownIssuer => format!(
            "the certificate of {host} is signed by nobody this system trusts; for an authority of your own name its file as `ca_file` under [http] in config.toml"
        ),
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
            format!("the certificate is for another name than {host}")
        }
        Bad::Revoked => format!("the certificate of {host} was revoked"),
        Bad::BadSignature => format!("the certificate of {host} has a false signature"),
        Bad::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            format!("{host} shows the certificate of an authority as its own")
        }
        other => format!(
            "the certificate of {host} cannot be used: {}",
            clean(&other.to_string())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_io_errors_wrap_is_found() {
        let late = Late::FirstByte(std::time::Duration::from_secs(20));
        let error = io::Error::other(io::Error::other(late));
        assert_eq!(find::<Late>(&error), Some(&late));
        assert_eq!(root(&error), "connected, but no answer within 20s");
    }

    #[test]
    fn an_io_error_is_what_lies_innermost() {
        let eof = io::Error::new(io::ErrorKind::UnexpectedEof, "tls handshake eof");
        let wrapped = io::Error::other(io::Error::other(eof));
        let kind = innermost_io(&wrapped).map(io::Error::kind);
        assert_eq!(kind, Some(io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn no_control_character_passes() {
        assert_eq!(clean("a\u{1b}[31mb\nc"), "a[31mb c");
    }

    #[test]
    fn io_errors_have_kinds() {
        use io::ErrorKind as Io;
        for (io, connecting, kind) in [
            (Io::ConnectionRefused, true, ErrorKind::Refused),
            (Io::NetworkUnreachable, true, ErrorKind::Unreachable),
            (Io::HostUnreachable, true, ErrorKind::Unreachable),
            (Io::TimedOut, true, ErrorKind::Timeout),
            (Io::UnexpectedEof, true, ErrorKind::Tls),
            (Io::ConnectionReset, false, ErrorKind::Reset),
            (Io::BrokenPipe, false, ErrorKind::Reset),
        ] {
            let asked = Asked::of(&Url::parse("https://example.org/").expect("a URL"));
            assert_eq!(
                io_words(&io.into(), connecting, &asked).kind,
                kind,
                "{io:?}"
            );
        }
    }
}
