//! When a cursor is sent, what an answer makes of it, and what refuses it (R77).

use url::{Url, form_urlencoded};

use crate::model::{Cursor, CursorKind, Delta, Pace, Timestamp};

use super::efficacy::parser_changed;
use super::plan::Known;

/// What became of the cursor in a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Since {
    /// None was sent: the answer is about the whole feed.
    #[default]
    Whole,
    /// It was taken: the answer is about what is newer.
    Newer,
    /// It was refused with this status, and the whole feed was asked for instead.
    Refused(u16),
}

/// The newest of what a body brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Newest {
    /// The latest date of its entries.
    pub date: Option<Timestamp>,
    /// The id of that entry; without dates that of the first.
    pub id: Option<String>,
}

/// The value to send, or `None` for the whole feed: at first, when it is time for it, after a refusal, for whoever insists
/// on the whole, and where a new parser has to see everything (R80).
pub fn since(delta: &Delta, cursor: Option<&Cursor>, pace: Pace, known: &Known) -> Option<String> {
    let cursor = cursor?;
    let resync = i64::try_from(delta.resync.as_secs()).unwrap_or(i64::MAX);
    let age = known.now.since(cursor.whole_at);
    // A clock that was set back makes the cursor one of the future (R48).
    let is_fresh = (0..resync).contains(&age);
    let refused = cursor.refused_until.is_some_and(|until| known.now < until);
    if !is_fresh || refused || matches!(pace, Pace::Plain | Pace::Probe) || parser_changed(known) {
        return None;
    }
    match delta.kind {
        CursorKind::Updated => {
            let overlap = i64::try_from(delta.overlap.as_secs()).unwrap_or(i64::MAX);
            Some(cursor.newest?.plus(-overlap).rfc3339())
        }
        CursorKind::Token => cursor.token.clone(),
    }
}

/// The feed's URL with the cursor in its parameter. One that stands there already is replaced, the rest stays as it is.
pub fn address_since(url: &str, param: &str, value: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    let is_param =
        |pair: &&str| form_urlencoded::parse(pair.as_bytes()).any(|(name, _)| name == param);
    let rest = url.query().unwrap_or_default().split('&');
    let mut pairs: Vec<String> = rest
        .filter(|pair| !pair.is_empty() && !is_param(pair))
        .map(str::to_owned)
        .collect();
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    pairs.push(format!("{}={}", encoded(param), encoded(value)));
    url.set_query(Some(&pairs.join("&")));
    Some(url.into())
}

/// The server does not take the cursor: it is too old, or means nothing to it. A redirect leads nowhere with a cursor in it.
pub const fn refuses(status: u16) -> bool {
    matches!(status, 300..=303 | 305..=399 | 400 | 404 | 405 | 409 | 410 | 412 | 414 | 416 | 422)
}

/// The cursor after a good answer that was read whole; `newest` is empty where nothing had to be read.
pub fn advanced(
    before: Option<&Cursor>,
    since: Since,
    newest: &Newest,
    delta: &Delta,
    now: Timestamp,
) -> Cursor {
    let mut cursor = before.cloned().unwrap_or_default();
    if let Since::Refused(_) = since {
        let resync = i64::try_from(delta.resync.as_secs()).unwrap_or(i64::MAX);
        cursor.refused_until = Some(now.plus(resync));
    }
    if since != Since::Newer {
        cursor.whole_at = now;
        if cursor.refused_until.is_some_and(|until| until <= now) {
            cursor.refused_until = None;
        }
    }
    // An entry of the future would hide all that comes before it.
    let date = newest.date.map(|date| date.min(now));
    // Entries without dates are newer than what was asked for, as the server sees it.
    if date.is_none() || date >= cursor.newest {
        cursor.newest = date.or(cursor.newest);
        cursor.token = newest.id.clone().or(cursor.token);
    }
    cursor
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn delta(kind: CursorKind) -> Delta {
        Delta {
            param: "since".to_owned(),
            kind,
            overlap: Duration::from_secs(3_600),
            resync: Duration::from_secs(7 * 86_400),
        }
    }

    fn newest(date: Option<i64>, id: &str) -> Newest {
        Newest {
            date: date.map(Timestamp),
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        }
    }

    #[test]
    fn r77_the_cursor_goes_into_its_parameter_and_nowhere_else() {
        let address = |url: &str| address_since(url, "updated since", "2026-11-30T10:00:00Z");
        assert_eq!(
            address("https://a.example/f").as_deref(),
            Some("https://a.example/f?updated+since=2026-11-30T10%3A00%3A00Z")
        );
        assert_eq!(
            address("https://a.example/f?a=%20b&updated%20since=1&c").as_deref(),
            Some("https://a.example/f?a=%20b&c&updated+since=2026-11-30T10%3A00%3A00Z")
        );
        assert_eq!(address("no url"), None);
        let hostile =
            address_since("https://a.example/", "p", "x&y=z\r\nHost: b #").expect("a URL");
        assert_eq!(hostile, "https://a.example/?p=x%26y%3Dz%0D%0AHost%3A+b+%23");
    }

    #[test]
    fn r77_a_cursor_moves_forward_only_and_never_into_the_future() {
        let wish = delta(CursorKind::Updated);
        let now = Timestamp(1_000_000);
        let first = advanced(None, Since::Whole, &newest(Some(900_000), "a"), &wish, now);
        assert_eq!(
            (first.newest, first.token.as_deref(), first.whole_at),
            (Some(Timestamp(900_000)), Some("a"), now)
        );
        let later = now.plus(60);
        let old = newest(Some(800_000), "old");
        assert_eq!(
            advanced(Some(&first), Since::Newer, &old, &wish, later),
            first
        );
        let ahead = newest(Some(9_000_000), "b");
        let moved = advanced(Some(&first), Since::Newer, &ahead, &wish, later);
        assert_eq!((moved.newest, moved.whole_at), (Some(later), now));
        assert_eq!(moved.token.as_deref(), Some("b"));
        let nothing = Newest::default();
        assert_eq!(
            advanced(Some(&first), Since::Newer, &nothing, &wish, later),
            first
        );
    }

    #[test]
    fn r77_a_feed_without_dates_goes_by_the_id_of_its_first_entry() {
        let wish = delta(CursorKind::Token);
        let now = Timestamp(1_000_000);
        let first = advanced(None, Since::Whole, &newest(None, "a"), &wish, now);
        let next = advanced(Some(&first), Since::Newer, &newest(None, "b"), &wish, now);
        assert_eq!(next.token.as_deref(), Some("b"));
        let quiet = advanced(Some(&next), Since::Newer, &newest(None, ""), &wish, now);
        assert_eq!(quiet.token.as_deref(), Some("b"));
        let dated = advanced(Some(&next), Since::Newer, &newest(Some(9), "c"), &wish, now);
        let undated = advanced(Some(&dated), Since::Newer, &newest(None, "d"), &wish, now);
        assert_eq!(undated.token.as_deref(), Some("d"));
        assert_eq!(undated.newest, Some(Timestamp(9)));
    }

    #[test]
    fn r77_a_refusal_is_remembered_until_the_whole_feed_is_due() {
        let wish = delta(CursorKind::Updated);
        let now = Timestamp(1_000_000);
        let refused = advanced(None, Since::Refused(410), &Newest::default(), &wish, now);
        assert_eq!(refused.refused_until, Some(now.plus(7 * 86_400)));
        let later = now.plus(8 * 86_400);
        let whole = advanced(
            Some(&refused),
            Since::Whole,
            &Newest::default(),
            &wish,
            later,
        );
        assert_eq!((whole.refused_until, whole.whole_at), (None, later));
        for status in [200, 226, 304, 429, 500, 503] {
            assert!(!refuses(status), "{status}");
        }
        for status in [301, 400, 404, 410, 422] {
            assert!(refuses(status), "{status}");
        }
    }
}
