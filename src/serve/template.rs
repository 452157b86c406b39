//! Bundled feeds have no dates of their own: `{{rfc822 -1d -3h}}` is filled in when the server starts, so that the demo
//! never looks old. `{{base}}` is the server's own address.

use crate::model::Timestamp;

/// A template filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) text: String,
    /// The newest moment named in it; `now` where none is.
    pub(super) newest: Timestamp,
}

/// Fills in addresses and moments. What is in braces and not understood stays as it is; a test sees to it that there is
/// none in the bundle.
pub(super) fn fill(template: &str, base: &str, now: Timestamp) -> Filled {
    let mut text = String::with_capacity(template.len() + 512);
    let mut newest = None;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((mark, after)) = after.split_once("}}") else {
            text.push_str("{{");
            rest = after;
            continue;
        };
        rest = after;
        match moment(mark, now) {
            Some((at, written)) => {
                newest = newest.max(Some(at));
                text.push_str(&written);
            }
            None if mark == "base" => text.push_str(base),
            None => text.extend(["{{", mark, "}}"]),
        }
    }
    text.push_str(rest);
    Filled {
        text,
        newest: newest.unwrap_or(now),
    }
}

/// `rfc822 -1d -3h` or `rfc3339 -80m`: the moment, and how it is written.
fn moment(mark: &str, now: Timestamp) -> Option<(Timestamp, String)> {
    let mut words = mark.split(' ');
    let form = words.next()?;
    let mut at = now;
    for word in words {
        let ago = word.strip_prefix('-')?;
        let unit = match ago.chars().next_back()? {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            _ => return None,
        };
        let count: i64 = ago[..ago.len() - 1].parse().ok()?;
        at = at.plus(-count * unit);
    }
    match form {
        "rfc822" => Some((at, at.datetime().to_rfc2822())),
        "rfc3339" => Some((at, at.rfc3339())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_796_040_000);

    #[test]
    fn moments_are_told_from_now() {
        let filled = fill("<a>{{rfc3339 -1d -2h}}</a><b>{{rfc822 -90m}}</b>", "", NOON);
        assert_eq!(
            filled.text,
            "<a>2026-11-29T10:00:00Z</a><b>Mon, 30 Nov 2026 10:30:00 +0000</b>"
        );
        assert_eq!(filled.newest, NOON.plus(-5400));
    }

    #[test]
    fn the_base_is_filled_in_and_the_rest_stays() {
        let filled = fill("{{base}}/x {{other}} {{rfc822 soon}} {{", "http://h", NOON);
        assert_eq!(filled.text, "http://h/x {{other}} {{rfc822 soon}} {{");
        assert_eq!(filled.newest, NOON);
    }
}
