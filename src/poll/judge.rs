//! The table of status codes: what an answer is, before its body is looked at.

use crate::model::{Answer, ErrorKind, PollError};

use super::headers::{Wait, is_feed_delta, retry_after};

/// A redirect that asks for less patience than this is simply followed (R36).
const REDIRECT_WAIT: u32 = 60;

/// What to do with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// 304 to a conditional request: success, no body (R11, R24).
    NotModified,
    /// 200, 203, or a 226 that was asked for: the body is a feed or not.
    Parse,
    /// Follow it with `poll::follow`.
    Redirect,
    /// The host asks to wait: 429, or `Retry-After` with 503 or on a redirect (R36).
    Throttled,
    /// 410 (R49).
    Gone,
    /// Anything else.
    Failed(PollError),
}

/// Judges one answer. `conditional`: the request it answers carried a validator. Whether a delta was asked for, the
/// fields that were sent tell (R76).
pub fn judge(answer: &Answer, conditional: bool) -> Verdict {
    match answer.status {
        304 if conditional => Verdict::NotModified,
        304 => Verdict::Failed(PollError::new(ErrorKind::Unasked304, "")),
        200 | 203 => Verdict::Parse,
        226 if asked_delta(answer) && is_feed_delta(&answer.headers) => Verdict::Parse,
        301 | 302 | 303 | 307 | 308 if asks_patience(answer) => Verdict::Throttled,
        301 | 302 | 303 | 307 | 308 => Verdict::Redirect,
        410 => Verdict::Gone,
        429 => Verdict::Throttled,
        // Without Retry-After a 503 is this feed's trouble alone (R39).
        503 if retry_after(&answer.headers, answer.at) != Wait::Unsaid => Verdict::Throttled,
        status => Verdict::Failed(PollError::new(ErrorKind::Status, named(status))),
    }
}

fn asked_delta(answer: &Answer) -> bool {
    answer.sent.get("a-im").is_some()
}

fn asks_patience(answer: &Answer) -> bool {
    matches!(retry_after(&answer.headers, answer.at), Wait::Seconds(secs) if secs > REDIRECT_WAIT)
}

/// The status with its name, and what a person can do where there is something.
fn named(status: u16) -> String {
    let name = match status {
        201 => "Created, not a feed",
        202 => "Accepted, not a feed yet",
        204 => "No Content, no feed in it",
        205 => "Reset Content, no feed in it",
        206 => "Partial Content that nobody asked for",
        226 => "IM Used, a delta that nobody asked for",
        300 => "Multiple Choices",
        400 => "Bad Request",
        401 => "Unauthorized (credentials go into auth_file or auth_env)",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {name}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{Body, HeaderList, Timestamp};

    fn answer(status: u16, fields: &[(&str, &str)]) -> Answer {
        Answer {
            url: "https://a.example/feed".into(),
            status,
            sent: HeaderList::default(),
            headers: fields.iter().copied().collect(),
            body: Body::default(),
            at: Timestamp(0),
            took: Duration::ZERO,
        }
    }

    fn word(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::NotModified => "304",
            Verdict::Parse => "parse",
            Verdict::Redirect => "redirect",
            Verdict::Throttled => "throttled",
            Verdict::Gone => "gone",
            Verdict::Failed(PollError {
                kind: ErrorKind::Unasked304,
                ..
            }) => "unasked",
            Verdict::Failed(_) => "failed",
        }
    }

    #[test]
    fn every_status_has_its_place_in_the_table() {
        for (status, conditional, wanted) in [
            (304, true, "304"),
            (304, false, "unasked"),
            (200, true, "parse"),
            (203, false, "parse"),
            (202, false, "failed"),
            (204, false, "failed"),
            (205, false, "failed"),
            (206, false, "failed"),
            (226, true, "failed"),
            (300, false, "failed"),
            (301, false, "redirect"),
            (302, false, "redirect"),
            (303, false, "redirect"),
            (305, false, "failed"),
            (307, false, "redirect"),
            (308, false, "redirect"),
            (401, false, "failed"),
            (403, false, "failed"),
            (404, true, "failed"),
            (410, true, "gone"),
            (429, false, "throttled"),
            (500, false, "failed"),
            (503, false, "failed"),
            (999, false, "failed"),
        ] {
            assert_eq!(
                word(&judge(&answer(status, &[]), conditional)),
                wanted,
                "{status}"
            );
        }
    }

    #[test]
    fn r36_retry_after_makes_a_503_a_wait_and_so_does_garbage_in_it() {
        for value in ["7200", "soon", "0", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let answer = answer(503, &[("retry-after", value)]);
            assert_eq!(judge(&answer, true), Verdict::Throttled, "{value}");
        }
    }

    #[test]
    fn r36_a_redirect_waits_only_when_it_asks_for_more_than_a_minute() {
        for (value, wanted) in [
            ("60", Verdict::Redirect),
            ("61", Verdict::Throttled),
            ("x", Verdict::Redirect),
        ] {
            assert_eq!(
                judge(&answer(302, &[("retry-after", value)]), false),
                wanted,
                "{value}"
            );
        }
    }

    #[test]
    fn r76_a_226_counts_only_when_it_was_asked_for_and_names_the_feed_manipulation() {
        let mut delta = answer(226, &[("im", "feed")]);
        assert_eq!(
            word(&judge(&delta, true)),
            "failed",
            "conditional, but no A-IM"
        );
        delta.sent = HeaderList::from_iter([("a-im", b"feed")]);
        assert_eq!(judge(&delta, true), Verdict::Parse);
        delta.headers = HeaderList::from_iter([("im", b"vcdiff")]);
        assert_eq!(word(&judge(&delta, true)), "failed");
        delta.headers = HeaderList::default();
        assert_eq!(word(&judge(&delta, true)), "failed");
    }

    #[test]
    fn r12_the_sentence_of_an_unasked_304_says_so() {
        let Verdict::Failed(error) = judge(&answer(304, &[]), false) else {
            panic!("not failed");
        };
        assert_eq!(error.to_string(), "304 without condition");
    }
}
