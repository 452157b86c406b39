//! What header fields say, read as RFC 9110 and 9111 ask and as servers really write them. Never panics, whatever the bytes.

use crate::model::{HeaderList, Timestamp, Validators};

use super::date::date;

/// Where a count of seconds ends: RFC 9111 §1.2.2 lets 2^31 stand for anything larger.
pub const SECONDS_MAX: u32 = 1 << 31;

/// What `Retry-After` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// There is none.
    Unsaid,
    /// There is one, but it is unreadable, zero, or over already (R40).
    Unreadable,
    /// Seconds from the answer on, at least 1.
    Seconds(u32),
}

/// What an answer says about how long it stays fresh. `None`: the answer does not say (R9: then what was known stays).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Freshness {
    /// From `Cache-Control`: seconds of `max-age` left after `Age`; 0 when it forbids reuse or has no `max-age`.
    pub max_age: Option<u32>,
    /// From `Expires`: seconds from `Date`; 0 when unreadable, past, or overruled by `Cache-Control`.
    pub expires: Option<u32>,
}

/// `ETag` and `Last-Modified` as received; empty values and those over 8 KB do not count (R2–R4).
pub fn validators(headers: &HeaderList) -> Validators {
    let value = |name| {
        headers
            .get(name)
            .filter(|v| !v.is_empty() && v.len() <= Validators::MAX_BYTES)
            .map(<[u8]>::to_vec)
    };
    Validators {
        etag: value("etag"),
        last_modified: value("last-modified"),
    }
}

/// The weak comparison of RFC 9110 §8.8.3.2: equal but for `W/`.
pub fn weakly_equal(one: &[u8], other: &[u8]) -> bool {
    one.strip_prefix(b"W/").unwrap_or(one) == other.strip_prefix(b"W/").unwrap_or(other)
}

/// How long the answer stays fresh (R31–R34). `at` is the time of receipt, used only where the answer has no `Date`.
pub fn freshness(headers: &HeaderList, at: Timestamp) -> Freshness {
    let control = directives(headers);
    let said = |name: &str| control.iter().find(|(n, _)| n == name);
    // `no-cache="field"` speaks of that field alone; only the bare form forbids reuse.
    let barred = said("no-store").is_some() || said("no-cache").is_some_and(|(_, v)| v.is_empty());
    let max_age = said("max-age").map(|(_, v)| seconds(v).unwrap_or(0));
    let age = headers.get("age").map_or(0, |v| {
        let first = v.split(|b| *b == b',').next().unwrap_or(v);
        seconds(&String::from_utf8_lossy(first)).unwrap_or(0)
    });
    let left = match max_age {
        Some(secs) if !barred => secs.saturating_sub(age),
        _ => 0,
    };
    let expires = headers.get("expires").map(|value| match date(value) {
        Some(until) if !barred && max_age.is_none() => {
            u32::try_from(until.since(sent_at(headers, at)).max(0)).unwrap_or(SECONDS_MAX)
        }
        _ => 0,
    });
    Freshness {
        max_age: (!control.is_empty()).then_some(left),
        // `Cache-Control: max-age` or `no-store` overrules an `Expires` of an earlier answer as well.
        expires: expires.or((barred || max_age.is_some()).then_some(0)),
    }
}

/// `Retry-After`, in either form; a date counts from the answer's own `Date` (R36, R37). Of several the longest.
pub fn retry_after(headers: &HeaderList, at: Timestamp) -> Wait {
    let sent = sent_at(headers, at);
    headers
        .all("retry-after")
        .map(|value| {
            let text = String::from_utf8_lossy(value);
            let secs = seconds(&text)
                .map(i64::from)
                .or_else(|| date(value).map(|until| until.since(sent)))
                .unwrap_or(0);
            match u32::try_from(secs.min(i64::from(SECONDS_MAX))) {
                Ok(secs) if secs > 0 => Wait::Seconds(secs),
                _ => Wait::Unreadable,
            }
        })
        .max_by_key(|wait| match wait {
            Wait::Seconds(secs) => *secs,
            _ => 0,
        })
        .unwrap_or(Wait::Unsaid)
}

/// The `IM` field names the manipulation `feed` (RFC 3229, R76).
pub fn is_feed_delta(headers: &HeaderList) -> bool {
    headers.all("im").any(|value| {
        String::from_utf8_lossy(value)
            .split([',', ';'])
            .any(|word| word.trim().eq_ignore_ascii_case("feed"))
    })
}

/// `Date` of the answer, else the time of receipt (RFC 9110 §6.6.1).
fn sent_at(headers: &HeaderList, at: Timestamp) -> Timestamp {
    headers.get("date").and_then(date).unwrap_or(at)
}

/// Digits, quoted or not, any number of them: more than fits counts as 2^31.
pub fn seconds(text: &str) -> Option<u32> {
    let text = text.trim();
    let text = text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or(text)
        .trim();
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(
        text.parse()
            .map_or(SECONDS_MAX, |n: u32| n.min(SECONDS_MAX)),
    )
}

/// `Cache-Control` over all its lines: names in lower case, values without quotes, in order.
fn directives(headers: &HeaderList) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in headers.all("cache-control") {
        let text = String::from_utf8_lossy(line);
        for part in split_outside_quotes(&text) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let name = name.trim().to_ascii_lowercase();
            if !name.is_empty() {
                found.push((name, value.trim().trim_matches('"').trim().to_owned()));
            }
        }
    }
    found
}

/// The members of a comma list; a comma inside a quoted string belongs to its member.
fn split_outside_quotes(text: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c: char| {
        let separates = c == ',' && !quoted;
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        separates
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: Timestamp = Timestamp(1_796_047_043);

    fn list(fields: &[(&str, &str)]) -> HeaderList {
        fields.iter().copied().collect()
    }

    #[test]
    fn r31_max_age_minus_age_is_what_is_left() {
        for (control, age, left) in [
            ("max-age=3600", None, 3600),
            ("MAX-AGE=3600", None, 3600),
            ("public, max-age=\"3600\"", None, 3600),
            ("max-age=3600", Some("600"), 3000),
            ("max-age=3600", Some("7200"), 0),
            ("max-age=3600", Some("soon"), 3600),
            ("max-age=3600", Some("600, 700"), 3000),
            ("max-age=99999999999999999999", None, SECONDS_MAX),
            ("max-age=-1", None, 0),
            ("max-age=soon", None, 0),
            ("max-age=", None, 0),
            ("max-age=60, max-age=3600", None, 60),
            ("s-maxage=9000", None, 0),
            ("s-maxage=9000, max-age=60", None, 60),
            ("x=\"a, max-age=5\", max-age=60", None, 60),
            (
                "stale-while-revalidate=9000, stale-if-error=9000, immutable",
                None,
                0,
            ),
        ] {
            let mut fields = vec![("cache-control", control)];
            fields.extend(age.map(|a| ("age", a)));
            let got = freshness(&list(&fields), AT);
            assert_eq!(got.max_age, Some(left), "{control} {age:?}");
        }
    }

    #[test]
    fn r31_max_age_is_found_on_any_of_several_lines() {
        let fields = list(&[("cache-control", "public"), ("cache-control", "max-age=7")]);
        assert_eq!(freshness(&fields, AT).max_age, Some(7));
    }

    #[test]
    fn r33_directives_against_reuse_set_no_bound() {
        for control in [
            "no-store",
            "no-cache, max-age=60",
            "max-age=0",
            "must-revalidate",
        ] {
            let fields = list(&[("cache-control", control)]);
            assert_eq!(freshness(&fields, AT).max_age, Some(0), "{control}");
        }
        let fields = list(&[("cache-control", "no-cache=\"set-cookie\", max-age=60")]);
        assert_eq!(freshness(&fields, AT).max_age, Some(60));
    }

    #[test]
    fn r34_extensions_for_caches_set_no_bound() {
        for (control, wanted) in [
            ("immutable", 0),
            ("stale-while-revalidate=86400", 0),
            ("stale-if-error=604800, stale-while-revalidate=60", 0),
            ("max-age=60, immutable, stale-if-error=604800", 60),
        ] {
            let fields = list(&[("cache-control", control)]);
            assert_eq!(freshness(&fields, AT).max_age, Some(wanted), "{control}");
        }
    }

    #[test]
    fn r32_expires_counts_from_the_answers_own_date() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let later = "Sun, 06 Nov 1994 10:49:37 GMT";
        for (expires, wanted) in [
            (later, 7200),
            (date, 0),
            ("0", 0),
            ("-1", 0),
            ("rubbish", 0),
        ] {
            let fields = list(&[("date", date), ("expires", expires)]);
            assert_eq!(freshness(&fields, AT).expires, Some(wanted), "{expires}");
        }
        let both = list(&[
            ("date", date),
            ("expires", later),
            ("cache-control", "max-age=60"),
        ]);
        assert_eq!(
            freshness(&both, AT),
            Freshness {
                max_age: Some(60),
                expires: Some(0)
            }
        );
        assert_eq!(freshness(&list(&[]), AT), Freshness::default());
    }

    #[test]
    fn r32_without_date_expires_counts_from_the_receipt() {
        let at = Timestamp(784_111_777);
        let fields = list(&[("expires", "Sun, 06 Nov 1994 09:49:37 GMT")]);
        assert_eq!(freshness(&fields, at).expires, Some(3600));
    }

    #[test]
    fn r36_r37_r40_retry_after_is_read_in_every_form() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        for (value, wanted) in [
            ("7200", Wait::Seconds(7200)),
            (" 7200 ", Wait::Seconds(7200)),
            ("Sun, 06 Nov 1994 10:49:37 GMT", Wait::Seconds(7200)),
            ("Sunday, 06-Nov-94 10:49:37 GMT", Wait::Seconds(7200)),
            ("Sun Nov  6 10:49:37 1994", Wait::Seconds(7200)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Wait::Unreadable),
            ("99999999999999", Wait::Seconds(SECONDS_MAX)),
            ("0", Wait::Unreadable),
            ("-5", Wait::Unreadable),
            ("1.5", Wait::Unreadable),
            ("soon", Wait::Unreadable),
            ("", Wait::Unreadable),
        ] {
            assert_eq!(
                retry_after(&list(&[date, ("retry-after", value)]), AT),
                wanted,
                "{value}"
            );
        }
        assert_eq!(retry_after(&list(&[date]), AT), Wait::Unsaid);
    }

    #[test]
    fn r4_an_oversized_or_empty_validator_does_not_count() {
        let long = "x".repeat(Validators::MAX_BYTES + 1);
        let fields = list(&[("etag", &long), ("last-modified", "")]);
        assert!(validators(&fields).is_empty());
    }

    #[test]
    fn r10_tags_are_compared_without_their_weakness() {
        for (one, other, equal) in [
            ("\"a\"", "W/\"a\"", true),
            ("W/\"a\"", "W/\"a\"", true),
            ("\"a\"", "\"a-gzip\"", false),
            ("w/\"a\"", "\"a\"", false),
        ] {
            assert_eq!(
                weakly_equal(one.as_bytes(), other.as_bytes()),
                equal,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn r76_a_delta_is_named_by_im() {
        for (value, wanted) in [("feed", true), ("gzip, Feed", true), ("vcdiff", false)] {
            assert_eq!(is_feed_delta(&list(&[("im", value)])), wanted, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_the_reader_of_headers_panic(
            values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 6),
            at in any::<i64>(),
        ) {
            let names = ["cache-control", "expires", "date", "age", "retry-after", "im"];
            let fields = names.iter().zip(values).collect::<HeaderList>();
            freshness(&fields, Timestamp(at));
            retry_after(&fields, Timestamp(at));
            validators(&fields);
            is_feed_delta(&fields);
        }
    }
}
