//! Redirects: where the next hop goes, and when a permanent one is believed.

use url::Url;

use crate::model::{
    Answer, ErrorKind, Hop, Moved, PermanentMove, PollError, PollSettings, PollState, Timestamp,
};

use super::schedule::span;

/// Redirects followed in one poll (R56).
pub const HOPS_MAX: usize = 5;
/// From http to https of the same place a move is believed after this many polls (R53).
const SAFER_AFTER: u32 = 2;
/// Moves kept in the history of a feed.
const HISTORY: usize = 16;

/// The next hop after the redirect `answer`, resolved, its fragment and userinfo dropped; or why it is not taken
/// (R56–R58). `hops` are those already followed.
pub fn follow(hops: &[Hop], answer: &Answer, allow_http: bool) -> Result<Hop, PollError> {
    let refuse = |detail: String| PollError::new(ErrorKind::Redirect, detail);
    let location = answer.headers.get("location").unwrap_or_default();
    let location = ascii(location);
    if location.is_empty() {
        return Err(refuse(format!("{} without a Location", answer.status)));
    }
    let from =
        Url::parse(&answer.url).map_err(|e| refuse(format!("from an unreadable URL: {e}")))?;
    let mut to = from
        .join(&location)
        .map_err(|e| refuse(format!("to an unreadable URL: {e}")))?;
    match (from.scheme(), to.scheme()) {
        ("https", "http") if !allow_http => {
            return Err(refuse(
                "from https to http; allow_http = true permits it".into(),
            ));
        }
        (_, "http" | "https") => {}
        (_, other) => {
            return Err(refuse(format!(
                "to {other}:, only http and https are followed"
            )));
        }
    }
    to.set_fragment(None);
    // Credentials go to the configured origin alone (R61); http and https URLs can always be stripped of them.
    if to.set_username("").is_err() || to.set_password(None).is_err() {
        return Err(refuse("to a URL without a host".into()));
    }
    let to = String::from(to);
    if to == without_userinfo(from) || hops.iter().any(|hop| hop.from == to || hop.to == to) {
        return Err(refuse("it leads in a circle".into()));
    }
    if hops.len() >= HOPS_MAX {
        return Err(refuse(format!("more than {HOPS_MAX} in a row")));
    }
    Ok(Hop {
        from: answer.url.clone(),
        status: answer.status,
        to,
    })
}

/// Bytes of a `Location` as a URL can hold them: what is not ASCII is percent-encoded, never guessed at.
fn ascii(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes.trim_ascii() {
        if byte.is_ascii() {
            text.push(char::from(*byte));
        } else if write!(text, "%{byte:02X}").is_err() {
            break;
        }
    }
    text
}

fn without_userinfo(mut url: Url) -> String {
    // Fails only for URLs that cannot have userinfo.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url.into()
}

/// Where the permanent beginning of a chain leads: the last hop before the first temporary one (R54).
pub fn permanent_target(hops: &[Hop]) -> Option<&str> {
    hops.iter()
        .take_while(|hop| hop.is_permanent())
        .last()
        .map(|hop| hop.to.as_str())
}

/// Counts a poll that ended in a feed or a 304: the same permanent target again is one more, another starts anew,
/// none ends the row. `None` as well for a move that a person took back (R53).
pub fn watch(state: &PollState, hops: &[Hop], now: Timestamp) -> Option<PermanentMove> {
    let target = permanent_target(hops)?;
    let from = &hops.first()?.from;
    if state
        .moves
        .iter()
        .any(|m| m.undone && m.from == *from && m.to == target)
    {
        return None;
    }
    let known = state.moving.as_ref().filter(|m| m.target == target);
    Some(PermanentMove {
        target: target.to_owned(),
        seen: known.map_or(0, |m| m.seen).saturating_add(1),
        // A beginning in the future was written by a clock that was wrong (R48).
        since: known.map_or(now, |m| m.since.min(now)),
    })
}

/// A move has been seen often and long enough to replace the address `from` (R53).
pub fn believed(
    moving: &PermanentMove,
    from: &str,
    now: Timestamp,
    settings: &PollSettings,
) -> bool {
    let wanted = if is_same_place_made_safe(from, &moving.target) {
        SAFER_AFTER.min(settings.move_after)
    } else {
        settings.move_after
    };
    moving.seen >= wanted && now.since(moving.since) >= span(settings.move_min_age)
}

/// http to https of the same host and path (R53). Ports differ between the two by their nature.
fn is_same_place_made_safe(from: &str, to: &str) -> bool {
    let (Ok(from), Ok(to)) = (Url::parse(from), Url::parse(to)) else {
        return false;
    };
    from.scheme() == "http"
        && to.scheme() == "https"
        && from.host_str() == to.host_str()
        && from.path() == to.path()
        && from.query() == to.query()
}

/// Writes the move into the history: `from` is asked no longer.
pub fn adopt(state: &mut PollState, from: &str, to: &str, now: Timestamp) {
    state
        .moves
        .retain(|m| m.undone || (m.from != from && m.from != to));
    if state.moves.len() >= HISTORY {
        state.moves.remove(0);
    }
    state.moves.push(Moved {
        from: from.to_owned(),
        to: to.to_owned(),
        at: now,
        undone: false,
    });
    state.moving = None;
}

/// The address to ask: the subscribed one, or where believed moves have led from it.
pub fn address<'a>(state: &'a PollState, subscribed: &'a str) -> &'a str {
    led(&state.moves, subscribed).map_or(subscribed, |last| last.to.as_str())
}

/// The move that feeds.toml does not know yet: from the subscribed address to the one that is asked, and when that
/// was believed. `None` where the subscribed address is asked.
pub fn moved(moves: &[Moved], subscribed: &str) -> Option<Moved> {
    let last = led(moves, subscribed).filter(|last| last.to != subscribed)?;
    Some(Moved {
        from: subscribed.to_owned(),
        ..last.clone()
    })
}

/// The last of the believed moves that lead on from `from`.
fn led<'a>(moves: &'a [Moved], from: &str) -> Option<&'a Moved> {
    let step = |at: &str| moves.iter().find(|m| !m.undone && m.from == at);
    let mut last = step(from)?;
    // Each move leads on at most once, so that a circle in the record ends.
    for _ in 1..moves.len() {
        let Some(next) = step(&last.to) else { break };
        last = next;
    }
    Some(last)
}

/// A person takes back all moves that lead away from the subscribed address: it is asked again, and those
/// targets are never believed again. False: none leads away.
pub fn undo_moves(state: &mut PollState, subscribed: &str) -> bool {
    let mut at = subscribed.to_owned();
    let mut undone = false;
    while let Some(step) = state.moves.iter_mut().find(|m| !m.undone && m.from == at) {
        step.undone = true;
        undone = true;
        at.clone_from(&step.to);
    }
    state.moving = None;
    undone
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{Body, HeaderList};

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn redirect(url: &str, location: &[u8]) -> Answer {
        Answer {
            url: url.into(),
            status: 301,
            sent: HeaderList::default(),
            headers: HeaderList::from_iter([("location", location)]),
            body: Body::default(),
            at: NOW,
            took: Duration::ZERO,
        }
    }

    fn hop(from: &str, status: u16, to: &str) -> Hop {
        Hop {
            from: from.into(),
            status,
            to: to.into(),
        }
    }

    #[test]
    fn r57_r58_a_location_is_resolved_and_only_http_and_https_are_followed() {
        let from = "https://a.example/x/feed?q=1";
        for (location, wanted) in [
            ("/y", Some("https://a.example/y")),
            ("y?Z=%2f", Some("https://a.example/x/y?Z=%2f")),
            ("//b.example/y#frag", Some("https://b.example/y")),
            ("https://user:secret@b.example/", Some("https://b.example/")),
            (
                " https://b.example/\u{e4} ",
                Some("https://b.example/%C3%A4"),
            ),
            ("?q=2", Some("https://a.example/x/feed?q=2")),
            ("http://a.example/y", None),
            ("file:///etc/passwd", None),
            ("ftp://a.example/y", None),
            ("data:text/xml,x", None),
            ("javascript:alert(1)", None),
            ("", None),
            ("  ", None),
            ("https://", None),
            ("http://[::1", None),
        ] {
            let got = follow(&[], &redirect(from, location.as_bytes()), false);
            assert_eq!(got.ok().map(|h| h.to).as_deref(), wanted, "{location}");
        }
    }

    #[test]
    fn r57_http_is_followed_from_https_only_with_leave() {
        let answer = redirect("https://a.example/", b"http://b.example/");
        assert!(follow(&[], &answer, false).is_err());
        assert!(follow(&[], &answer, true).is_ok());
        assert!(
            follow(
                &[],
                &redirect("http://a.example/", b"http://b.example/"),
                false
            )
            .is_ok()
        );
    }

    #[test]
    fn r58_a_location_that_is_not_utf8_is_percent_encoded() {
        let got =
            follow(&[], &redirect("https://a.example/", b"/caf\xe9"), false).expect("followed");
        assert_eq!(got.to, "https://a.example/caf%E9");
    }

    #[test]
    fn a_redirect_without_location_is_an_error() {
        let mut answer = redirect("https://a.example/", b"/y");
        answer.headers = HeaderList::default();
        let error = follow(&[], &answer, false).expect_err("refused");
        assert_eq!(
            error.to_string(),
            "the redirect cannot be followed: 301 without a Location"
        );
    }

    #[test]
    fn r56_loops_are_seen_at_once_and_the_sixth_hop_is_refused() {
        let itself = redirect("https://a.example/", b"https://a.example/#x");
        assert!(follow(&[], &itself, false).is_err());
        let hops = [hop("https://a.example/", 302, "https://b.example/")];
        assert!(
            follow(
                &hops,
                &redirect("https://b.example/", b"https://a.example/"),
                false
            )
            .is_err()
        );
        let mut hops = Vec::new();
        for n in 0..5 {
            let answer = redirect(
                &format!("https://a.example/{n}"),
                format!("/{}", n + 1).as_bytes(),
            );
            hops.push(follow(&hops, &answer, false).expect("within five"));
        }
        assert!(follow(&hops, &redirect("https://a.example/5", b"/6"), false).is_err());
    }

    #[test]
    fn r54_only_the_permanent_beginning_of_a_chain_counts() {
        let (a, b, c) = (
            "https://a.example/",
            "https://b.example/",
            "https://c.example/",
        );
        assert_eq!(permanent_target(&[hop(a, 301, b), hop(b, 308, c)]), Some(c));
        assert_eq!(permanent_target(&[hop(a, 301, b), hop(b, 302, c)]), Some(b));
        assert_eq!(permanent_target(&[hop(a, 302, b), hop(b, 301, c)]), None);
        assert_eq!(permanent_target(&[]), None);
    }

    #[test]
    fn r53_a_move_is_believed_after_five_polls_and_another_target_starts_anew() {
        let settings = PollSettings::default();
        let (a, b, c) = (
            "https://a.example/",
            "https://b.example/",
            "https://c.example/",
        );
        let mut state = PollState::default();
        for seen in 1..=5 {
            state.moving = watch(&state, &[hop(a, 301, b)], NOW);
            let moving = state.moving.as_ref().expect("watched");
            assert_eq!(moving.seen, seen);
            assert_eq!(believed(moving, a, NOW, &settings), seen == 5);
        }
        let other = watch(&state, &[hop(a, 301, c)], NOW).expect("watched");
        assert_eq!(other.seen, 1);
        assert_eq!(watch(&state, &[], NOW), None);
    }

    #[test]
    fn r53_http_to_https_of_the_same_place_is_believed_after_two() {
        let settings = PollSettings::default();
        for (from, to, wanted) in [
            ("http://a.example/f?x", "https://a.example/f?x", 2),
            ("http://a.example/f", "https://a.example/g", 5),
            ("http://a.example/f", "https://www.a.example/f", 5),
            ("http://a.example:8080/f", "https://a.example:8443/f", 2),
            ("https://a.example/f", "http://a.example/f", 5),
            ("http://a.example/f?x", "https://a.example/f?y", 5),
        ] {
            let moving = |seen| PermanentMove {
                target: to.into(),
                seen,
                since: NOW,
            };
            assert!(!believed(&moving(wanted - 1), from, NOW, &settings), "{to}");
            assert!(believed(&moving(wanted), from, NOW, &settings), "{to}");
        }
    }

    #[test]
    fn r53_move_min_age_adds_a_time() {
        let settings = PollSettings {
            move_min_age: Duration::from_secs(86_400),
            ..PollSettings::default()
        };
        let moving = PermanentMove {
            target: "https://b.example/".into(),
            seen: 9,
            since: NOW,
        };
        assert!(!believed(
            &moving,
            "https://a.example/",
            NOW.plus(3600),
            &settings
        ));
        assert!(believed(
            &moving,
            "https://a.example/",
            NOW.plus(86_400),
            &settings
        ));
    }

    #[test]
    fn r53_moves_chain_circles_end_and_an_undone_move_is_not_believed_again() {
        let (a, b, c) = (
            "https://a.example/",
            "https://b.example/",
            "https://c.example/",
        );
        let mut state = PollState::default();
        assert_eq!(address(&state, a), a);
        adopt(&mut state, a, b, NOW);
        adopt(&mut state, b, c, NOW);
        assert_eq!(address(&state, a), c);
        adopt(&mut state, c, a, NOW);
        assert_eq!(address(&state, a), a, "the way back replaces the way out");
        adopt(&mut state, a, b, NOW);
        undo_moves(&mut state, a);
        assert_eq!(address(&state, a), a);
        assert_eq!(watch(&state, &[hop(a, 301, b)], NOW), None);
    }
}
