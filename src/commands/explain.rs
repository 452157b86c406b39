//! `tidings explain`, `lift`, `enable`: why a feed waits, and how a person ends the waiting.

use std::io::Write;

use super::ask::{Asking, find};
use super::feeds::next_poll;
use super::say::{away, local, name, now, shown};
use super::stats::{bytes_as_text, in_use};
use super::{Context, Failure, exit};
use crate::article::sanitize;
use crate::config;
use crate::engine::{Command, Event, Ticket};
use crate::model::{AuditRecord, FeedRow, HostKey, Off, OutcomeCode, Timestamp};

/// Requests and deferrals that `explain` shows.
const SHOWN: usize = 5;

/// Says when a feed is polled next, and which rule decided it.
pub(super) fn explain(url: &str, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let row = find(&rows, url)?;
    let feed = row.feed.id;
    let records = asking.ask(
        |ticket| Command::Ledger { feed, ticket },
        |event, ticket| match event {
            Event::Ledger {
                ticket: of,
                records,
                ..
            } if of == ticket => Some(records),
            _ => None,
        },
    )?;
    asking.end();
    writeln!(out, "{}", name(&row.feed.title, &row.feed.url))?;
    for (what, value) in facts(row, now()) {
        writeln!(out, "  {what:<12}{}", sanitize::line(&value))?;
    }
    if !records.is_empty() {
        writeln!(out, "  last requests")?;
    }
    for record in records.iter().take(SHOWN) {
        writeln!(out, "    {}", record_line(record))?;
    }
    Ok(exit::WELL)
}

/// What there is to say of a feed's schedule.
fn facts(row: &FeedRow, now: Timestamp) -> Vec<(&'static str, String)> {
    let moment = |at: Timestamp| format!("{} ({})", local(at), away(at, now));
    let url = shown(&row.feed.url);
    let mut facts = vec![("url", url.clone()), ("host", row.host.clone())];
    match (row.off, next_poll(row)) {
        (Some(off), _) => {
            let why = match off {
                Off::Gone => "gone: the server said 410",
                Off::Dead => "dead: not found for two weeks",
            };
            facts.push((
                "next poll",
                format!("never; {why}; `tidings enable {url}` polls it again"),
            ));
        }
        (None, Some(next)) if next <= now => facts.push(("next poll", "now: it is due".to_owned())),
        (None, Some(next)) => facts.push(("next poll", moment(next))),
        (None, None) => facts.push(("next poll", "not set".to_owned())),
    }
    facts.push(("why", row.schedule.reason()));
    if let Some(until) = row.hold_until.filter(|until| *until > now) {
        let held = moment(until);
        facts.push((
            "held until",
            format!(
                "{held}; the host asked for it; `tidings lift {}` ends it",
                row.host
            ),
        ));
    }
    match &row.last {
        Some(last) => {
            let status = last
                .status
                .map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            let outcome = match &last.outcome {
                crate::model::Outcome::Failed(error) => format!("error: {error}"),
                outcome => outcome.word().replace('_', " "),
            };
            facts.push((
                "last answer",
                format!("{}, {status}, {outcome}", moment(last.at)),
            ));
        }
        None => facts.push(("last answer", "none yet".to_owned())),
    }
    if row.schedule.failures > 0 {
        facts.push(("errors", format!("{} in a row", row.schedule.failures)));
    }
    if row.schedule.streak > 0 {
        facts.push((
            "unchanged",
            format!("{} answers in a row", row.schedule.streak),
        ));
    }
    facts.push(("validators", in_use(row).to_owned()));
    if let Some(etag) = &row.validators.etag {
        facts.push(("  etag", bytes_as_text(etag)));
    }
    if let Some(date) = &row.validators.last_modified {
        facts.push(("  modified", bytes_as_text(date)));
    }
    facts
}

fn record_line(record: &AuditRecord) -> String {
    let status = match record.status {
        0 => "  -".to_owned(),
        status => status.to_string(),
    };
    let outcome = match record.outcome {
        OutcomeCode::NotModified => "not modified".to_owned(),
        OutcomeCode::Unchanged => "unchanged".to_owned(),
        OutcomeCode::Changed => format!("{} new, {} updated", record.new, record.updated),
        OutcomeCode::Deferred => "deferred".to_owned(),
        OutcomeCode::Gone => "gone".to_owned(),
        OutcomeCode::Failed(kind) => format!("error: {}", kind.sentence()),
    };
    let times = match record.times {
        0 | 1 => String::new(),
        n => format!(", {n} times"),
    };
    let conditional = if record.sent_etag != 0 || record.sent_date != 0 {
        "conditional"
    } else {
        "plain"
    };
    format!(
        "{}  {status}  {outcome}{times}, {conditional}, then {}",
        local(record.at),
        record.why
    )
}

fn any_feeds(event: Event, ticket: Ticket) -> Option<Vec<FeedRow>> {
    match event {
        Event::Feeds { ticket: of, rows } if of == ticket => Some(rows),
        _ => None,
    }
}

/// Ends the hold of a host.
pub(super) fn lift(host: &str, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let held = hosts_of(&rows, host);
    if held.is_empty() {
        return Err(Failure::usage(format!(
            "no feed is subscribed on {}; `tidings stats --by-host` lists the hosts",
            shown(host)
        )));
    }
    for host in held {
        let until = rows
            .iter()
            .filter(|row| row.host == host.0)
            .find_map(|row| row.hold_until);
        if until.is_none_or(|until| until <= now()) {
            writeln!(out, "{} is not held", host.0)?;
            continue;
        }
        let key = host.clone();
        asking.ask(|ticket| Command::Lift { host: key, ticket }, any_feeds)?;
        writeln!(out, "the hold of {} is lifted", host.0)?;
    }
    asking.end();
    Ok(exit::WELL)
}

/// The hosts that a person means: `example.org` with any port, `example.org:8080`, or the URL of a feed. Only hosts of
/// subscribed feeds.
fn hosts_of(rows: &[FeedRow], meant: &str) -> Vec<HostKey> {
    let Some(key) = config::normalise(meant)
        .ok()
        .and_then(|url| HostKey::of_str(&url))
    else {
        return Vec::new();
    };
    let port_given = meant.contains('/')
        || meant
            .rsplit_once(':')
            .is_some_and(|(_, port)| is_port(port));
    let name = |host: &str| host.rsplit_once(':').map(|(name, _)| name.to_owned());
    let mut hosts: Vec<HostKey> = rows
        .iter()
        .filter(|row| row.host == key.0 || (!port_given && name(&row.host) == name(&key.0)))
        .map(|row| HostKey(row.host.clone()))
        .collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Polls a feed again that was given up.
pub(super) fn enable(url: &str, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let row = find(&rows, url)?;
    let title = name(&row.feed.title, &row.feed.url);
    let feed = row.feed.id;
    if row.off.is_none() {
        writeln!(out, "{title} is polled already")?;
    } else {
        asking.ask(|ticket| Command::Enable { feed, ticket }, any_feeds)?;
        writeln!(out, "{title} is polled again and due now")?;
    }
    asking.end();
    Ok(exit::WELL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Feed, LastAnswer, Outcome, Schedule, Validators};

    fn row(host: &str) -> FeedRow {
        FeedRow {
            host: host.to_owned(),
            ..FeedRow::default()
        }
    }

    #[test]
    fn a_host_is_meant_by_name_by_name_and_port_or_by_url() {
        let rows = [
            row("a.org:443"),
            row("a.org:8080"),
            row("b.org:443"),
            row("[::1]:80"),
            row("a.org:443"),
        ];
        for (meant, hosts) in [
            ("a.org", vec!["a.org:443", "a.org:8080"]),
            ("A.ORG:8080", vec!["a.org:8080"]),
            ("https://a.org/feed", vec!["a.org:443"]),
            ("http://[::1]/", vec!["[::1]:80"]),
            ("[::1]", vec!["[::1]:80"]),
            ("a.org/feed", vec!["a.org:443"]),
            ("https://a.org:8080", vec!["a.org:8080"]),
            ("a.org:99", vec![]),
            ("", vec![]),
            ("c.org", vec![]),
            ("org", vec![]),
        ] {
            let found: Vec<String> = hosts_of(&rows, meant)
                .into_iter()
                .map(|host| host.0)
                .collect();
            assert_eq!(found, hosts, "{meant}");
        }
    }

    #[test]
    fn what_holds_a_feed_back_is_said_with_what_ends_it() {
        let now = Timestamp(1_000_000);
        let feed = FeedRow {
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
        let fact = |row: &FeedRow, what: &str| {
            facts(row, now)
                .into_iter()
                .find(|(name, _)| name.trim() == what)
                .map(|(_, value)| value)
        };
        assert_eq!(fact(&feed, "url").as_deref(), Some("https://***@a.org/x"));
        assert!(fact(&feed, "next poll").is_some_and(|text| text.ends_with("(in 2 h)")));
        assert!(
            fact(&feed, "held until")
                .is_some_and(|text| text.ends_with("`tidings lift a.org:443` ends it"))
        );
        assert!(
            fact(&feed, "last answer")
                .is_some_and(|text| text.ends_with("(5 min ago), 429, deferred"))
        );
        assert_eq!(fact(&feed, "errors").as_deref(), Some("2 in a row"));
        assert_eq!(fact(&feed, "etag").as_deref(), Some("W/\"1\""));
        let gone = FeedRow {
            off: Some(Off::Gone),
            ..feed
        };
        assert_eq!(
            fact(&gone, "next poll").as_deref(),
            Some(
                "never; gone: the server said 410; `tidings enable https://***@a.org/x` polls it again"
            )
        );
    }
}
