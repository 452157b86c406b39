//! `tidings stats`: the politeness ledger, per feed and per host.

use std::io::Write;

use serde::Serialize;

use super::ask::{Asking, find};
use super::backfill;
use super::feeds::{next_poll, off};
use super::figures::{COUNTED, Host, bytes_as_text, counted, hold, hosts, in_use, rate};
use super::json;
use super::openmetrics::{self, Dialect};
use super::say::{NO_FEEDS, bytes, count, local, name, now, say, shown};
use super::table::{Side, Table, fit};
use super::{Context, Failure, days, exit};
use crate::cli::Stats;
use crate::model::{Backfill, Counters, FeedId, FeedRow, Outcome, Timestamp};

/// One member of `stats --json`. The keys are an interface: they may gain members, never change. In a row of a host, what
/// only a feed has is `null`.
#[derive(Debug, Serialize)]
struct Line<'a> {
    url: Option<String>,
    host: &'a str,
    title: Option<&'a str>,
    ok200: u64,
    not_modified304: u64,
    identical200: u64,
    errors: u64,
    deferred: u64,
    conditional: u64,
    bytes: u64,
    bytes_saved: u64,
    last_status: Option<u16>,
    etag: Option<String>,
    last_modified: Option<String>,
    next_poll: Option<String>,
    why: String,
    hold_until: Option<String>,
    validators: Option<&'static str>,
    not_modified_rate: Option<f64>,
    /// Why the last request of the feed failed; absent where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feeds: Option<usize>,
    /// Older pages that were fetched besides, which are no polls; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    older_pages: Option<u32>,
    /// The bytes of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    older_bytes: Option<u64>,
}

impl<'a> Line<'a> {
    /// What feed and host have alike.
    fn new(host: &'a str, counters: &Counters) -> Self {
        Self {
            url: None,
            host,
            title: None,
            ok200: counters.ok200,
            not_modified304: counters.not_modified304,
            identical200: counters.identical200,
            errors: counters.errors,
            deferred: counters.deferred,
            conditional: counters.conditional,
            bytes: counters.bytes,
            bytes_saved: counters.bytes_saved,
            last_status: None,
            etag: None,
            last_modified: None,
            next_poll: None,
            why: String::new(),
            hold_until: None,
            validators: None,
            not_modified_rate: rate(counters),
            error: None,
            feeds: None,
            older_pages: None,
            older_bytes: None,
        }
    }

    fn of_feed(row: &'a FeedRow, now: Timestamp) -> Self {
        Self {
            url: Some(shown(&row.feed.url)),
            title: Some(&row.feed.title),
            last_status: row.last.as_ref().and_then(|last| last.status),
            etag: row.validators.etag.as_deref().map(bytes_as_text),
            last_modified: row.validators.last_modified.as_deref().map(bytes_as_text),
            next_poll: next_poll(row).map(Timestamp::rfc3339),
            why: row.schedule.why.to_string(),
            hold_until: hold(row, now).map(Timestamp::rfc3339),
            validators: Some(in_use(row)),
            error: row.last.as_ref().and_then(|last| match &last.outcome {
                Outcome::Failed(error) => Some(error.to_string()),
                _ => None,
            }),
            ..Self::new(&row.host, &row.counters)
        }
    }

    /// With the older pages that were fetched besides.
    fn beside(self, places: &[(FeedId, Backfill)], feed: FeedId) -> Self {
        let place = places.iter().find(|(of, _)| *of == feed);
        Self {
            older_pages: place.map(|(_, place)| place.pages),
            older_bytes: place.map(|(_, place)| place.bytes),
            ..self
        }
    }

    fn of_host(host: &'a Host<'a>, now: Timestamp) -> Self {
        let first = host.first();
        Self {
            last_status: host.last().and_then(|last| last.status),
            next_poll: first.and_then(next_poll).map(Timestamp::rfc3339),
            why: first.map_or_else(String::new, |row| row.schedule.why.to_string()),
            hold_until: host.hold(now).map(Timestamp::rfc3339),
            feeds: Some(host.feeds()),
            ..Self::new(host.name(), host.counters())
        }
    }
}

/// Shows what polling cost and saved.
pub(super) fn stats(wanted: &Stats, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let mut rows = asking.feeds()?;
    if let Some(url) = &wanted.url {
        rows = vec![find(&rows, url)?.clone()];
    }
    if wanted.by_day {
        let feed = wanted.url.as_ref().and(rows.first());
        let counted = days::ask(&mut asking, feed.map(|row| row.feed.id), wanted.days)?;
        asking.end();
        days::print(&counted, wanted.json, out)?;
        return Ok(exit::WELL);
    }
    let mut places = backfill::places(&mut asking)?;
    places.retain(|(feed, _)| rows.iter().any(|row| row.feed.id == *feed));
    asking.end();
    let now = now();
    let hosts = hosts(&rows);
    if wanted.openmetrics {
        let hosts = wanted.url.is_none().then_some(hosts.as_slice());
        openmetrics::write(&rows, hosts, now, Dialect::OpenMetrics, out)?;
        return Ok(exit::WELL);
    }
    if rows.is_empty() && !wanted.json {
        say(NO_FEEDS);
        return Ok(exit::WELL);
    }
    match (wanted.json, wanted.by_host) {
        (true, false) => print_json(lines(&rows, &places, now), out)?,
        (true, true) => print_json(hosts.iter().map(|host| Line::of_host(host, now)), out)?,
        (false, false) => {
            feed_table(&rows).write(out)?;
            say_older(&places);
        }
        (false, true) => host_table(&hosts, now).write(out)?,
    }
    Ok(exit::WELL)
}

fn lines<'a>(
    rows: &'a [FeedRow],
    places: &[(FeedId, Backfill)],
    now: Timestamp,
) -> impl Iterator<Item = Line<'a>> {
    rows.iter()
        .map(move |row| Line::of_feed(row, now).beside(places, row.feed.id))
}

/// Older pages are no polls, and stand in no column.
fn say_older(places: &[(FeedId, Backfill)]) {
    let pages: u64 = places.iter().map(|(_, place)| u64::from(place.pages)).sum();
    if pages > 0 {
        let bytes = bytes(places.iter().map(|(_, place)| place.bytes).sum());
        let pages = count(pages, "older page", "older pages");
        say(&format!(
            "besides, {pages} were fetched, {bytes}; `tidings backfill` lists them"
        ));
    }
}

fn print_json<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut array = json::Array::begin(out)?;
    for line in lines {
        array.push(&line)?;
    }
    array.end()
}

fn feed_table(rows: &[FeedRow]) -> Table {
    let mut columns = vec![("FEED", Side::Left)];
    columns.extend(COUNTED);
    columns.extend([
        ("LAST", Side::Right),
        ("NEXT POLL", Side::Left),
        ("WHY", Side::Left),
    ]);
    let mut table = Table::new(&columns);
    let mut total = Counters::default();
    for row in rows {
        total.add(&row.counters);
        let mut cells = vec![fit(&name(&row.feed.title, &row.feed.url), 32)];
        cells.extend(counted(&row.counters));
        let last = row.last.as_ref().and_then(|last| last.status);
        cells.push(last.map_or_else(|| "-".to_owned(), |status| status.to_string()));
        cells.push(next_poll(row).map_or_else(|| off(row).unwrap_or("-").to_owned(), local));
        cells.push(row.schedule.why.to_string());
        table.push(&cells);
    }
    if rows.len() > 1 {
        let mut cells = vec!["all".to_owned()];
        cells.extend(counted(&total));
        cells.extend([String::new(), String::new(), String::new()]);
        table.push(&cells);
    }
    table
}

fn host_table(hosts: &[Host<'_>], now: Timestamp) -> Table {
    let mut columns = vec![("HOST", Side::Left), ("FEEDS", Side::Right)];
    columns.extend(COUNTED);
    columns.extend([("NEXT POLL", Side::Left), ("HELD UNTIL", Side::Left)]);
    let mut table = Table::new(&columns);
    for host in hosts {
        let mut cells = vec![host.name().to_owned(), host.feeds().to_string()];
        cells.extend(counted(host.counters()));
        let next = host.first().and_then(next_poll);
        cells.push(next.map_or_else(|| "-".to_owned(), local));
        cells.push(host.hold(now).map_or_else(|| "-".to_owned(), local));
        table.push(&cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Feed, FeedId, LastAnswer, Off, Outcome, Schedule, Validators, Why};

    fn row(url: &str, host: &str) -> FeedRow {
        FeedRow {
            feed: Feed {
                id: FeedId(1),
                url: url.to_owned(),
                title: "A".to_owned(),
                ..Feed::default()
            },
            host: host.to_owned(),
            counters: Counters {
                ok200: 2,
                not_modified304: 6,
                identical200: 1,
                errors: 3,
                deferred: 4,
                conditional: 7,
                bytes: 100,
                bytes_saved: 300,
            },
            schedule: Schedule {
                next: Some(Timestamp(3_600)),
                why: Why::Gone,
                ..Schedule::default()
            },
            last: Some(LastAnswer {
                at: Timestamp(0),
                status: Some(304),
                outcome: Outcome::NotModified,
            }),
            validators: Validators {
                etag: Some(b"\"\xff\"".to_vec()),
                last_modified: None,
            },
            ..FeedRow::default()
        }
    }

    /// Without `why`, whose words are another room's.
    fn keys(line: &Line<'_>) -> String {
        let mut value = serde_json::to_value(line).expect("serialises");
        let why = value.as_object_mut().and_then(|map| map.remove("why"));
        assert!(why.is_some_and(|why| why.is_string()));
        let text = json::line(line);
        let order: Vec<_> = text.match_indices("\":").map(|(at, _)| at).collect();
        assert!(order.is_sorted());
        text.replace(
            &format!("\"why\":{},", json::line(&Why::Gone.to_string())),
            "",
        )
    }

    #[test]
    fn the_keys_of_a_feed_are_the_interface() {
        let row = row("https://u:p@a.org/x", "a.org:443");
        insta::assert_snapshot!(keys(&Line::of_feed(&row, Timestamp(0))), @r#"{"url":"https://***@a.org/x","host":"a.org:443","title":"A","ok200":2,"not_modified304":6,"identical200":1,"errors":3,"deferred":4,"conditional":7,"bytes":100,"bytes_saved":300,"last_status":304,"etag":"\"ÿ\"","last_modified":null,"next_poll":"1970-01-01T01:00:00Z","hold_until":null,"validators":"etag","not_modified_rate":0.75}"#);
    }

    #[test]
    fn a_host_adds_up_its_feeds() {
        let held = FeedRow {
            hold_until: Some(Timestamp(7_200)),
            ..row("https://a.org/y", "a.org:443")
        };
        let rows = [
            row("https://a.org/x", "a.org:443"),
            held,
            row("https://b.org/", "b.org:443"),
        ];
        let hosts = hosts(&rows);
        assert_eq!(hosts.len(), 2);
        insta::assert_snapshot!(keys(&Line::of_host(&hosts[0], Timestamp(0))), @r#"{"url":null,"host":"a.org:443","title":null,"ok200":4,"not_modified304":12,"identical200":2,"errors":6,"deferred":8,"conditional":14,"bytes":200,"bytes_saved":600,"last_status":304,"etag":null,"last_modified":null,"next_poll":"1970-01-01T01:00:00Z","hold_until":"1970-01-01T02:00:00Z","validators":null,"not_modified_rate":0.75,"feeds":2}"#);
    }

    #[test]
    fn a_feed_that_is_off_has_no_next_poll() {
        let row = FeedRow {
            off: Some(Off::Gone),
            ..row("https://a.org/x", "a.org:443")
        };
        assert_eq!(Line::of_feed(&row, Timestamp(0)).next_poll, None);
    }

    #[test]
    fn a_table_has_a_line_that_adds_up() {
        let rows = [
            row("https://a.org/x", "a.org:443"),
            row("https://b.org/", "b.org:443"),
        ];
        let mut out = Vec::new();
        feed_table(&rows)
            .write(&mut out)
            .expect("a vector takes it");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(
            text.lines().last(),
            Some("all    12    4     2       6     8      75 %  200 B  600 B")
        );
    }
}
