//! `tidings explain`: when a feed is asked next, and everything that was considered.

use std::io::Write;

use super::ask::{Asking, find};
use super::backfill;
use super::explained::{Line, letters};
use super::feeds::next_poll;
use super::figures::{bytes_as_text, in_use};
use super::push::span;
use super::say::{away, count, local, name, now, shown};
use super::{Context, Failure, exit, json};
use crate::article::sanitize;
use crate::cli;
use crate::engine::{Command, Event};
use crate::model::{
    AuditRecord, Bound, Explanation, Hold, Newer, Off, Outcome, OutcomeCode, Pace, PushRow,
    Timestamp, Why, human,
};

/// Says when a feed is polled next, and which rule decided it.
pub(super) fn explain(
    wanted: &cli::Explain,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let feed = find(&rows, &wanted.url)?.feed.id;
    let found = asking.ask(
        |ticket| Command::Explain { feed, ticket },
        |event, ticket| match event {
            Event::Explained {
                ticket: of,
                explanation,
            } if of == ticket => Some(explanation),
            _ => None,
        },
    )?;
    asking.end();
    let found = found.ok_or_else(|| {
        let url = shown(&wanted.url);
        Failure::usage(format!(
            "{url} is not subscribed any more; `tidings feeds` lists what is"
        ))
    })?;
    if wanted.json {
        writeln!(out, "{}", json::line(&Line::of(&found, now(), wanted.last)))?;
    } else {
        print(&found, now(), wanted.last, out)?;
    }
    Ok(exit::WELL)
}

fn print(
    found: &Explanation,
    now: Timestamp,
    last: usize,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let row = &found.row;
    writeln!(out, "{}", name(&row.feed.title, &row.feed.url))?;
    for (what, value) in facts(found, now) {
        writeln!(out, "  {what:<12}{}", sanitize::line(&value))?;
    }
    if !found.bounds.is_empty() {
        writeln!(out, "  bounds, from the last poll at {}", local(found.from))?;
    }
    for bound in &found.bounds {
        writeln!(out, "    {}", bound_line(bound, found))?;
    }
    if last > 0 && !found.records.is_empty() {
        writeln!(out, "  last requests")?;
    }
    for record in found.records.iter().take(last) {
        writeln!(out, "    {}", record_line(record))?;
    }
    Ok(())
}

/// A moment and how far away it is.
fn moment(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", local(at), away(at, now))
}

/// What there is to say of a feed's schedule.
fn facts(found: &Explanation, now: Timestamp) -> Vec<(&'static str, String)> {
    let row = &found.row;
    let mut facts = vec![("url", shown(&row.feed.url))];
    if found.address != row.feed.url {
        facts.push((
            "asked at",
            format!("{}; it moved there for good", shown(&found.address)),
        ));
    }
    if let Some(moving) = &row.moving {
        let target = shown(&moving.target);
        facts.push((
            "moving to",
            format!(
                "{target}; seen {} times since {}",
                moving.seen,
                local(moving.since)
            ),
        ));
    }
    if let Some(followed) = &row.followed {
        let list = shown(&followed.list);
        let names = followed.parked.map_or("names", |_| "named");
        facts.push(("list", format!("followed because {list} {names} it")));
    }
    if let Some(source) = &found.source {
        facts.push(("source", source.clone()));
    }
    facts.push(("host", row.host.clone()));
    facts.push(("next poll", next(found, now)));
    facts.push(("why", row.schedule.reason()));
    if let Some(hold) = &found.hold {
        facts.push(("held until", held(hold, &row.host, now)));
    }
    let wishes = row.wishes(now);
    facts.extend(
        wishes
            .iter()
            .map(|wish| ("wish", format!("{}: {}", wish.says, wish.does))),
    );
    facts.extend(row.feed.hubs.iter().map(|hub| ("hub", shown(hub))));
    if let Some(push) = row.push.as_deref().filter(|push| push.delivered.is_some()) {
        facts.push(("pushed", deliveries(push)));
    }
    facts.push(("last answer", last_answer(found, now)));
    if row.schedule.failures > 0 {
        facts.push(("errors", format!("{} in a row", row.schedule.failures)));
    }
    if row.schedule.streak > 0 {
        let streak = match row.schedule.streak {
            1 => "1 answer".to_owned(),
            many => format!("{many} answers in a row"),
        };
        facts.push(("unchanged", streak));
    }
    if let Some(newer) = &found.newer {
        facts.push(("newer", asks_for(newer)));
    }
    if let Some(place) = &found.older {
        facts.push(("older pages", backfill::fact(place)));
    }
    let why = &found.validators_reason;
    facts.push(("validators", format!("{}; {why}", in_use(row))));
    if let Some(etag) = &row.validators.etag {
        facts.push(("  etag", bytes_as_text(etag)));
    }
    if let Some(date) = &row.validators.last_modified {
        facts.push(("  modified", bytes_as_text(date)));
    }
    facts
}

fn next(found: &Explanation, now: Timestamp) -> String {
    let row = &found.row;
    if let Some(off) = row.off {
        let why = match off {
            Off::Gone => "gone: the server said 410",
            Off::Dead => "dead: not found for two weeks",
        };
        let url = shown(&row.feed.url);
        return format!("never; {why}; `tidings enable {url}` polls it again");
    }
    match next_poll(row) {
        Some(next) if next <= now => "now: it is due".to_owned(),
        Some(next) => moment(next, now),
        None => "not set".to_owned(),
    }
}

/// A hold: its end, its beginning, the answer that set it, and what ends it.
fn held(hold: &Hold, host: &str, now: Timestamp) -> String {
    let since = hold
        .since
        .map_or_else(String::new, |since| format!(", since {}", local(since)));
    let by = hold.by.as_ref().map_or_else(
        || "the host asked for it".to_owned(),
        |by| format!("set by the {} to {}", by.status, shown(&by.url)),
    );
    format!(
        "{}{since}; {by}; `tidings lift {host}` ends it",
        moment(hold.until, now)
    )
}

fn last_answer(found: &Explanation, now: Timestamp) -> String {
    let Some(last) = &found.row.last else {
        return "none yet".to_owned();
    };
    let status = last
        .status
        .map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    let outcome = match &last.outcome {
        Outcome::Failed(error) => format!("error: {error}"),
        Outcome::Deferred { until } => format!("deferred until {}", local(*until)),
        outcome => outcome.word().replace('_', " "),
    };
    format!("{}, {status}, {outcome}", moment(last.at, now))
}

/// A bound: its letter, its rule and figure, when it ends, and what became of it.
fn bound_line(bound: &Bound, found: &Explanation) -> String {
    let mut rule = bound.why.to_string();
    if bound.why == Why::Skip {
        rule = format!("{rule} ({})", letters(found.skip_hours, found.skip_days));
    } else if bound.why == Why::HostHold {
        let secs = u32::try_from(bound.secs.max(0)).unwrap_or(u32::MAX);
        rule = format!("{rule}, {}", human(secs));
    }
    let note = if !bound.binds {
        ", replaced by another"
    } else if bound.why == found.row.schedule.why {
        ", decides"
    } else {
        ""
    };
    let end = local(found.from.plus(bound.secs));
    format!("{:<6}{end}  {rule}{note}", bound.letter())
}

/// What its hub has delivered.
fn deliveries(push: &PushRow) -> String {
    let last = push.delivered.map_or_else(String::new, local);
    let late = push.latency.map_or_else(String::new, |secs| {
        format!(", {} after the entry's own date", span(secs))
    });
    let times = count(push.deliveries, "delivery", "deliveries");
    format!("{times}, the last {last}{late}")
}

fn record_line(record: &AuditRecord) -> String {
    let status = match record.status {
        0 => "  -".to_owned(),
        status => status.to_string(),
    };
    let outcome = match record.outcome {
        OutcomeCode::NotModified => "not modified".to_owned(),
        OutcomeCode::Unchanged => "unchanged".to_owned(),
        OutcomeCode::Changed if record.pace == Pace::Probe => "other content".to_owned(),
        OutcomeCode::Changed => format!("{} new, {} updated", record.new, record.updated),
        OutcomeCode::Deferred => "deferred".to_owned(),
        OutcomeCode::Gone => "gone".to_owned(),
        OutcomeCode::Failed(kind) => format!("error: {}", kind.sentence()),
    };
    let times = match record.times {
        0 | 1 => String::new(),
        n => format!(", {n} times"),
    };
    let sent = match (record.status, record.sent_etag | record.sent_date) {
        (0, _) if record.outcome == OutcomeCode::Deferred => "not sent",
        (_, 0) => "plain",
        _ => "conditional",
    };
    let until = record
        .next
        .map_or_else(String::new, |next| format!(", next {}", local(next)));
    let by = match record.pace {
        Pace::Scheduled => "",
        Pace::Manual => ", by hand",
        Pace::Force => ", forced",
        Pace::Plain => ", refetched",
        Pace::Push if record.status == 0 && record.outcome != OutcomeCode::Deferred => {
            return format!("{}    -  {outcome}, pushed by a hub", local(record.at));
        }
        Pace::Push => ", on a push",
        Pace::Probe => return format!("{}  {status}  {outcome}, {sent}, probe", local(record.at)),
        Pace::Older => return format!("{}  {status}  {outcome}, older page", local(record.at)),
    };
    format!(
        "{}  {status}  {outcome}{times}, {sent}{by}{until}: {}",
        local(record.at),
        record.why
    )
}

/// What a feed with `delta` is asked for next (R77).
fn asks_for(newer: &Newer) -> String {
    let param = sanitize::line(&newer.param);
    let again = newer.resync_at.map(local).unwrap_or_default();
    match (&newer.value, newer.whole_at, newer.refused_until) {
        (Some(value), _, _) => {
            let value = sanitize::line(value);
            format!("{param}={value} is sent; the whole feed is asked for again from {again} on")
        }
        (None, None, _) => "the whole feed is asked for at first".to_owned(),
        (None, Some(_), Some(until)) => {
            let until = local(until);
            format!("the server refused {param}; it is not sent before {until}")
        }
        (None, Some(_), None) => format!(
            "the whole feed is asked for: it is time ({again}), or it names nothing to begin from"
        ),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{
        Feed, FeedId, FeedRow, HoldCause, LastAnswer, Schedule, Validators, ValidatorsReason,
    };

    /// An explanation with something of everything.
    pub fn explanation(row: FeedRow, now: Timestamp) -> Explanation {
        Explanation {
            address: row.feed.url.clone(),
            from: now.plus(-300),
            bounds: vec![
                Bound {
                    why: Why::User(7200),
                    secs: 7200,
                    binds: true,
                },
                Bound {
                    why: Why::Base(3600),
                    secs: 3600,
                    binds: false,
                },
                Bound {
                    why: Why::MaxAge(14_400),
                    secs: 14_400,
                    binds: true,
                },
            ],
            skip_hours: 0b110,
            skip_days: 0b100_0000,
            hold: row.hold_until.map(|until| Hold {
                until,
                since: Some(now.plus(-300)),
                by: Some(HoldCause {
                    feed: FeedId(2),
                    url: "https://u:p@a.org/y".to_owned(),
                    at: now.plus(-301),
                    status: 429,
                }),
            }),
            older: None,
            newer: None,
            source: None,
            sends: Validators::default(),
            validators_reason: ValidatorsReason::NoneGiven,
            full_wire: 0,
            plain_every: 1800,
            records: Vec::new(),
            exchanges: Vec::new(),
            row,
        }
    }

    #[test]
    fn a_bound_is_told_with_its_end_and_what_became_of_it() {
        let now = Timestamp(1_000_000);
        let mut found = explanation(FeedRow::default(), now);
        found.row.schedule.why = Why::MaxAge(14_400);
        let lines: Vec<String> = found
            .bounds
            .iter()
            .map(|bound| {
                bound_line(bound, &found).replace(&local(found.from.plus(bound.secs)), "…")
            })
            .collect();
        assert_eq!(
            lines,
            [
                "every …  every in feeds.toml, 2 h",
                "I     …  base interval, 1 h, replaced by another",
                "L     …  server's max-age, 4 h, decides",
            ]
        );
    }

    #[test]
    fn what_holds_a_feed_back_is_said_with_what_ends_it() {
        let now = Timestamp(1_000_000);
        let row = FeedRow {
            feed: Feed {
                url: "https://u:p@a.org/x".to_owned(),
                ..Feed::default()
            },
            host: "a.org:443".to_owned(),
            schedule: Schedule {
                next: Some(now.plus(60)),
                failures: 2,
                ..Schedule::default()
            },
            hold_until: Some(now.plus(7_200)),
            last: Some(LastAnswer {
                at: now.plus(-300),
                status: Some(429),
                outcome: Outcome::Deferred {
                    until: now.plus(7_200),
                },
            }),
            validators: Validators {
                etag: Some(b"W/\"1\"".to_vec()),
                last_modified: None,
            },
            ..FeedRow::default()
        };
        let feed = explanation(row, now);
        let fact = |found: &Explanation, what: &str| {
            facts(found, now)
                .into_iter()
                .find(|(name, _)| name.trim() == what)
                .map(|(_, value)| value)
        };
        assert_eq!(fact(&feed, "url").as_deref(), Some("https://***@a.org/x"));
        assert!(fact(&feed, "next poll").is_some_and(|text| text.ends_with("(in 2 h)")));
        assert!(fact(&feed, "held until").is_some_and(|text| {
            text.ends_with(
                "set by the 429 to https://***@a.org/y; `tidings lift a.org:443` ends it",
            )
        }));
        assert!(
            fact(&feed, "last answer")
                .is_some_and(|text| text.contains("(5 min ago), 429, deferred until "))
        );
        assert_eq!(fact(&feed, "errors").as_deref(), Some("2 in a row"));
        assert_eq!(fact(&feed, "etag").as_deref(), Some("W/\"1\""));
        let mut gone = feed;
        gone.row.off = Some(Off::Gone);
        assert_eq!(
            fact(&gone, "next poll").as_deref(),
            Some(
                "never; gone: the server said 410; `tidings enable https://***@a.org/x` polls it again"
            )
        );
    }
}
