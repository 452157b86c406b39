//! `tidings explain --json`.

use serde::Serialize;

use super::backfill::PlaceLine;
use super::feeds::{next_poll, off};
use super::figures::{bytes_as_text, in_use};
use super::say::shown;
use crate::model::{
    AuditRecord, Bound, Explanation, Moved, Newer, Off, OutcomeCode, Pace, Timestamp, Why, Wish,
};

/// The object. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    url: String,
    url_asked: String,
    title: &'a str,
    host: &'a str,
    next_poll: Option<String>,
    why: String,
    rule: &'static str,
    off: Option<&'static str>,
    bounds_from: String,
    bounds: Vec<BoundLine>,
    skip_hours: Vec<u8>,
    skip_days: Vec<&'static str>,
    hold: Option<HoldLine>,
    wishes: Vec<WishLine>,
    hubs: Vec<String>,
    /// The list that names it; absent for what stands in feeds.toml.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<String>,
    /// What is remembered of a list or a sitemap; absent for a feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    /// How its hub pushes it; absent where pushes are not set up, or it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    push: Option<&'static str>,
    validators: &'static str,
    validators_why: String,
    etag: Option<String>,
    last_modified: Option<String>,
    next_is_conditional: bool,
    /// Absent where nobody asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    older_pages: Option<PlaceLine>,
    /// Absent without `delta` in feeds.toml.
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<NewerLine<'a>>,
    errors_in_a_row: u32,
    unchanged_in_a_row: u32,
    moving: Option<MovingLine>,
    moves: Vec<MoveLine>,
    last_requests: Vec<RecordLine>,
}

/// One bound of the formula.
#[derive(Debug, Serialize)]
struct BoundLine {
    bound: &'static str,
    rule: &'static str,
    seconds: i64,
    until: String,
    binds: bool,
    decides: bool,
    text: String,
}

#[derive(Debug, Serialize)]
struct HoldLine {
    until: String,
    since: Option<String>,
    by_status: Option<u16>,
    by_url: Option<String>,
    by_at: Option<String>,
}

/// What is asked for instead of the whole feed.
#[derive(Debug, Serialize)]
struct NewerLine<'a> {
    param: &'a str,
    next_value: Option<&'a str>,
    whole_at: Option<String>,
    resync_at: Option<String>,
    refused_until: Option<String>,
}

impl<'a> NewerLine<'a> {
    fn of(newer: &'a Newer) -> Self {
        Self {
            param: &newer.param,
            next_value: newer.value.as_deref(),
            whole_at: newer.whole_at.map(Timestamp::rfc3339),
            resync_at: newer.resync_at.map(Timestamp::rfc3339),
            refused_until: newer.refused_until.map(Timestamp::rfc3339),
        }
    }
}

/// What the publisher wants, and what is done about it.
#[derive(Debug, Serialize)]
struct WishLine {
    says: String,
    does: &'static str,
}

#[derive(Debug, Serialize)]
struct MovingLine {
    to: String,
    seen: u32,
    since: String,
}

/// A move that was believed.
#[derive(Debug, Serialize)]
pub(super) struct MoveLine {
    from: String,
    to: String,
    at: String,
    undone: bool,
}

impl MoveLine {
    /// Of a move of the record.
    pub fn of(moved: &Moved) -> Self {
        Self {
            from: shown(&moved.from),
            to: shown(&moved.to),
            at: moved.at.rfc3339(),
            undone: moved.undone,
        }
    }
}

/// One request or deferral.
#[derive(Debug, Serialize)]
struct RecordLine {
    at: String,
    times: u32,
    pace: &'static str,
    status: Option<u16>,
    redirects: Vec<u16>,
    outcome: &'static str,
    error: Option<&'static str>,
    sent_etag: bool,
    sent_last_modified: bool,
    new: u32,
    updated: u32,
    bytes: u64,
    decoded: u64,
    ms: u32,
    next_poll: Option<String>,
    why: String,
}

impl<'a> Line<'a> {
    /// Of an explanation, with so many of the last requests.
    pub fn of(found: &'a Explanation, now: Timestamp, last: usize) -> Self {
        let row = &found.row;
        let hold = found.hold.as_ref().filter(|hold| hold.until > now);
        Self {
            url: shown(&row.feed.url),
            url_asked: shown(&found.address),
            title: &row.feed.title,
            host: &row.host,
            next_poll: next_poll(row).map(Timestamp::rfc3339),
            why: row.schedule.why.to_string(),
            rule: match row.off {
                Some(Off::Gone) => "gone",
                Some(Off::Dead) => "dead",
                None => rule(row.schedule.why),
            },
            off: off(row),
            bounds_from: found.from.rfc3339(),
            bounds: found
                .bounds
                .iter()
                .map(|bound| bound_line(bound, found))
                .collect(),
            skip_hours: hours(found.skip_hours),
            skip_days: days(found.skip_days),
            hold: hold.map(|hold| HoldLine {
                until: hold.until.rfc3339(),
                since: hold.since.map(Timestamp::rfc3339),
                by_status: hold.by.as_ref().map(|by| by.status),
                by_url: hold.by.as_ref().map(|by| shown(&by.url)),
                by_at: hold.by.as_ref().map(|by| by.at.rfc3339()),
            }),
            wishes: row
                .wishes(now)
                .into_iter()
                .map(|Wish { says, does }| WishLine { says, does })
                .collect(),
            hubs: row.feed.hubs.iter().map(|hub| shown(hub)).collect(),
            list: row.followed.as_ref().map(|followed| shown(&followed.list)),
            source: found.source.as_deref(),
            push: row.push.as_ref().map(|push| push.state.word()),
            validators: in_use(row),
            validators_why: found.validators_reason.to_string(),
            etag: row.validators.etag.as_deref().map(bytes_as_text),
            last_modified: row.validators.last_modified.as_deref().map(bytes_as_text),
            next_is_conditional: !found.sends.is_empty(),
            older_pages: found.older.as_ref().map(PlaceLine::of),
            delta: found.newer.as_ref().map(NewerLine::of),
            errors_in_a_row: row.schedule.failures,
            unchanged_in_a_row: row.schedule.streak,
            moving: row.moving.as_ref().map(|moving| MovingLine {
                to: shown(&moving.target),
                seen: moving.seen,
                since: moving.since.rfc3339(),
            }),
            moves: row.moves.iter().map(MoveLine::of).collect(),
            last_requests: found.records.iter().take(last).map(record_line).collect(),
        }
    }
}

fn bound_line(bound: &Bound, found: &Explanation) -> BoundLine {
    BoundLine {
        bound: bound.letter(),
        rule: rule(bound.why),
        seconds: bound.secs,
        until: found.from.plus(bound.secs).rfc3339(),
        binds: bound.binds,
        decides: bound.binds && bound.why == found.row.schedule.why,
        text: bound.why.to_string(),
    }
}

fn record_line(record: &AuditRecord) -> RecordLine {
    RecordLine {
        at: record.at.rfc3339(),
        times: record.times.max(1),
        pace: pace(record.pace),
        status: Some(record.status).filter(|status| *status != 0),
        redirects: record.hops.clone(),
        outcome: outcome(record),
        error: match record.outcome {
            OutcomeCode::Failed(kind) => Some(kind.sentence()),
            _ => None,
        },
        sent_etag: record.sent_etag != 0,
        sent_last_modified: record.sent_date != 0,
        new: record.new,
        updated: record.updated,
        bytes: record.wire,
        decoded: record.decoded,
        ms: record.ms,
        next_poll: record.next.map(Timestamp::rfc3339),
        why: record.why.to_string(),
    }
}

const fn outcome(record: &AuditRecord) -> &'static str {
    match record.outcome {
        OutcomeCode::NotModified => "not_modified",
        OutcomeCode::Unchanged => "unchanged",
        OutcomeCode::Changed if record.new == 0 => "updated",
        OutcomeCode::Changed => "new",
        OutcomeCode::Deferred => "deferred",
        OutcomeCode::Gone => "gone",
        OutcomeCode::Failed(_) => "error",
    }
}

const fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Scheduled => "scheduled",
        Pace::Manual => "manual",
        Pace::Force => "force",
        Pace::Plain => "refetch",
        Pace::Probe => "probe",
        Pace::Push => "push",
        Pace::Older => "backfill",
    }
}

/// A rule in one word, for programs.
const fn rule(why: Why) -> &'static str {
    match why {
        Why::First => "first",
        Why::Base(_) => "base",
        Why::Rhythm(_) => "rhythm",
        Why::Dormant(_) => "dormant",
        Why::Streak { .. } => "streak",
        Why::User(_) => "every",
        Why::MaxAge(_) => "max-age",
        Why::Expires(_) => "expires",
        Why::Ttl(_) => "ttl",
        Why::UpdatePeriod(_) => "sy:updatePeriod",
        Why::Skip => "skip",
        Why::Bytes(_) => "bytes",
        Why::Errors { .. } => "errors",
        Why::HostHold => "hold",
        Why::Budget => "budget",
        Why::Offline => "offline",
        Why::Gone => "gone",
        Why::Dead => "dead",
        Why::Twin => "twin",
        Why::Push(_) => "push",
    }
}

fn hours(bits: u32) -> Vec<u8> {
    (0..24).filter(|hour| bits & (1 << hour) != 0).collect()
}

fn days(bits: u8) -> Vec<&'static str> {
    let names = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    let skipped = names.iter().enumerate();
    skipped
        .filter(|(day, _)| bits & (1 << day) != 0)
        .map(|(_, name)| *name)
        .collect()
}

/// Skipped hours and days for a person: `hours 1, 2 GMT; Sunday`.
pub(super) fn letters(skip_hours: u32, skip_days: u8) -> String {
    let hours: Vec<String> = hours(skip_hours).iter().map(u8::to_string).collect();
    let days = days(skip_days).join(", ");
    let hours = match hours.len() {
        0 => String::new(),
        _ => format!("hours {} GMT", hours.join(", ")),
    };
    let parts = [hours, days];
    let said: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::explain::tests::explanation;
    use super::super::json;
    use super::*;
    use crate::model::{Feed, FeedRow, Schedule};

    #[test]
    fn the_keys_of_an_explanation_are_the_interface() {
        let now = Timestamp(1_000_000);
        let row = FeedRow {
            feed: Feed {
                url: "https://u:p@a.org/x".to_owned(),
                ..Feed::default()
            },
            host: "a.org:443".to_owned(),
            schedule: Schedule {
                next: Some(now.plus(14_100)),
                why: Why::MaxAge(14_400),
                ..Schedule::default()
            },
            hold_until: Some(now.plus(7_200)),
            ..FeedRow::default()
        };
        let text = json::line(&Line::of(&explanation(row, now), now, 5));
        insta::assert_snapshot!(text.replace(",\"", ",\n\""), @r#"
        {"url":"https://***@a.org/x",
        "url_asked":"https://***@a.org/x",
        "title":"",
        "host":"a.org:443",
        "next_poll":"1970-01-12T17:41:40Z",
        "why":"server's max-age, 4 h",
        "rule":"max-age",
        "off":null,
        "bounds_from":"1970-01-12T13:41:40Z",
        "bounds":[{"bound":"every",
        "rule":"every",
        "seconds":7200,
        "until":"1970-01-12T15:41:40Z",
        "binds":true,
        "decides":false,
        "text":"every in feeds.toml, 2 h"},{"bound":"I",
        "rule":"base",
        "seconds":3600,
        "until":"1970-01-12T14:41:40Z",
        "binds":false,
        "decides":false,
        "text":"base interval, 1 h"},{"bound":"L",
        "rule":"max-age",
        "seconds":14400,
        "until":"1970-01-12T17:41:40Z",
        "binds":true,
        "decides":true,
        "text":"server's max-age, 4 h"}],
        "skip_hours":[1,2],
        "skip_days":["Sunday"],
        "hold":{"until":"1970-01-12T15:46:40Z",
        "since":"1970-01-12T13:41:40Z",
        "by_status":429,
        "by_url":"https://***@a.org/y",
        "by_at":"1970-01-12T13:41:39Z"},
        "wishes":[{"says":"its host wants to be left alone, 2 h more",
        "does":"none of the host's feeds is asked before"},{"says":"the server says that nothing new comes for 4 h",
        "does":"not asked before"}],
        "hubs":[],
        "validators":"none",
        "validators_why":"the server gives none",
        "etag":null,
        "last_modified":null,
        "next_is_conditional":false,
        "errors_in_a_row":0,
        "unchanged_in_a_row":0,
        "moving":null,
        "moves":[],
        "last_requests":[]}
        "#);
    }

    #[test]
    fn skipped_hours_and_days_are_named() {
        for (hours, days, text) in [
            (0b110, 0b100_0000, "hours 1, 2 GMT; Sunday"),
            (0, 0b11, "Monday, Tuesday"),
            (1 << 23, 0, "hours 23 GMT"),
            (0, 0, ""),
        ] {
            assert_eq!(letters(hours, days), text);
        }
    }
}
