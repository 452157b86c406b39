//! `tidings stats --by-day`: what was counted on each of the last days.

use std::io::{self, Write};

use chrono::NaiveDate;
use serde::Serialize;

use super::Failure;
use super::ask::Asking;
use super::figures::{COUNTED, counted, rate};
use super::json;
use super::table::{Side, Table};
use crate::engine::{Command, Event};
use crate::model::{Counters, FeedId};

/// A day (since 1970, UTC) and what was counted on it.
pub(super) type Day = (u32, Counters);

/// One member of `stats --by-day --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Line {
    day: String,
    ok200: u64,
    not_modified304: u64,
    identical200: u64,
    errors: u64,
    deferred: u64,
    conditional: u64,
    bytes: u64,
    bytes_saved: u64,
    not_modified_rate: Option<f64>,
}

/// Asks for the last days, over all feeds or of one.
pub(super) fn ask(
    asking: &mut Asking,
    feed: Option<FeedId>,
    days: u32,
) -> Result<Vec<Day>, Failure> {
    asking.ask(
        |ticket| Command::Days { feed, days, ticket },
        |event, ticket| match event {
            Event::Days { ticket: of, days } if of == ticket => Some(days),
            _ => None,
        },
    )
}

/// Prints them, oldest first: as JSON every day, as a table those on which something happened and what they add up to.
pub(super) fn print(days: &[Day], as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    if as_json {
        let mut array = json::Array::begin(out)?;
        for (day, counters) in days {
            array.push(&line(*day, counters))?;
        }
        return array.end();
    }
    let mut columns = vec![("DAY (UTC)", Side::Left)];
    columns.extend(COUNTED);
    let mut table = Table::new(&columns);
    let mut total = Counters::default();
    let quiet = Counters::default();
    for (day, counters) in days.iter().filter(|(_, counters)| *counters != quiet) {
        total.add(counters);
        let mut cells = vec![date(*day)];
        cells.extend(counted(counters));
        table.push(&cells);
    }
    let mut cells = vec![format!("{} days", days.len())];
    cells.extend(counted(&total));
    table.push(&cells);
    table.write(out)
}

fn line(day: u32, counters: &Counters) -> Line {
    Line {
        day: date(day),
        ok200: counters.ok200,
        not_modified304: counters.not_modified304,
        identical200: counters.identical200,
        errors: counters.errors,
        deferred: counters.deferred,
        conditional: counters.conditional,
        bytes: counters.bytes,
        bytes_saved: counters.bytes_saved,
        not_modified_rate: rate(counters),
    }
}

/// `2026-11-30`.
fn date(day: u32) -> String {
    let day = i32::try_from(day).unwrap_or(i32::MAX);
    NaiveDate::from_epoch_days(day).map_or_else(String::new, |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(as_json: bool) -> String {
        let busy = Counters {
            ok200: 2,
            not_modified304: 6,
            bytes: 100,
            bytes_saved: 300,
            ..Counters::default()
        };
        let days = [
            (20_786, busy),
            (20_787, Counters::default()),
            (20_788, busy),
        ];
        let mut out = Vec::new();
        print(&days, as_json, &mut out).expect("a vector takes it");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn days_on_which_nothing_happened_are_left_out_of_the_table() {
        insta::assert_snapshot!(printed(false), @r#"
        DAY (UTC)   304  200  SAME  ERRORS  WAIT  HIT RATE  BYTES  SAVED
        2026-11-29    6    2     0       0     0      75 %  100 B  300 B
        2026-12-01    6    2     0       0     0      75 %  100 B  300 B
        3 days       12    4     0       0     0      75 %  200 B  600 B
        "#);
    }

    #[test]
    fn the_keys_of_a_day_are_the_interface() {
        let text = printed(true);
        let second = text.lines().nth(1).expect("a day");
        insta::assert_snapshot!(second, @r#"{"day":"2026-11-29","ok200":2,"not_modified304":6,"identical200":0,"errors":0,"deferred":0,"conditional":0,"bytes":100,"bytes_saved":300,"not_modified_rate":0.75},"#);
    }
}
