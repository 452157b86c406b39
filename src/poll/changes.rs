//! Files that say what changed on a day, beside a feed that is the whole: which of them are asked for, and how far they count.

use chrono::{Datelike, Days, NaiveDate};

use crate::model::{ChangeFiles, Cursor, Pace, Timestamp};

use super::efficacy::parser_changed;
use super::plan::Known;

/// Files that one poll asks for; those of further days are asked for by the next.
pub const CHANGES_A_POLL: usize = 8;
const DAY: i64 = 86_400;

/// What became of the file of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayEnd {
    /// It was read, or is the same as before.
    Had,
    /// There is none: nothing changed.
    Missing,
    /// It is there, and cannot be read.
    Broken,
}

/// The days whose files are asked for now, in order. `None`: the feed itself is, at first, when it is time for it, for whoever
/// insists on the whole, and where a new parser has to see everything (R80).
pub fn days(
    changes: &ChangeFiles,
    cursor: Option<&Cursor>,
    pace: Pace,
    known: &Known,
) -> Option<Vec<NaiveDate>> {
    let cursor = cursor?;
    let resync = seconds(changes.resync);
    // A clock that was set back makes the cursor one of the future (R48).
    let is_fresh = (0..resync).contains(&known.now.since(cursor.whole_at));
    if !is_fresh || pace >= Pace::Plain || parser_changed(known) {
        return None;
    }
    let today = day_of(known.now);
    let from = first_unsettled(cursor)?.max(day_of(known.now.plus(-resync)));
    let days = from.iter_days().take_while(|day| *day <= today);
    let days: Vec<NaiveDate> = days.take(CHANGES_A_POLL).collect();
    (!days.is_empty()).then_some(days)
}

fn first_unsettled(cursor: &Cursor) -> Option<NaiveDate> {
    cursor.token.as_deref()?.parse().ok()
}

fn day_of(at: Timestamp) -> NaiveDate {
    at.datetime().date_naive()
}

fn seconds(span: std::time::Duration) -> i64 {
    i64::try_from(span.as_secs()).unwrap_or(i64::MAX)
}

/// The address of a day's file.
pub fn address_of(pattern: &str, day: NaiveDate) -> String {
    pattern
        .replace("{date}", &day.to_string())
        .replace("{year}", &format!("{:04}", day.year()))
        .replace("{month}", &format!("{:02}", day.month()))
        .replace("{day}", &format!("{:02}", day.day()))
}

/// The file of this day will not be asked for again: its day has been over for long enough.
pub fn is_settled(day: NaiveDate, changes: &ChangeFiles, now: Timestamp) -> bool {
    let midnight = day.checked_add_days(Days::new(1));
    let end = midnight.and_then(|day| day.and_hms_opt(0, 0, 0));
    end.is_some_and(|end| {
        let over = end
            .and_utc()
            .timestamp()
            .saturating_add(seconds(changes.overlap));
        now.0 >= over
    })
}

/// The cursor after files were asked for in the order of their days. A file that stayed broken leaves a gap: the feed itself is
/// asked for next.
pub fn after_days(
    before: &Cursor,
    ends: &[(NaiveDate, DayEnd)],
    changes: &ChangeFiles,
    now: Timestamp,
) -> Cursor {
    let mut cursor = before.clone();
    for (day, end) in ends {
        if !is_settled(*day, changes, now) {
            break;
        }
        if *end == DayEnd::Broken {
            cursor.whole_at = Timestamp::default();
        }
        let next = day.checked_add_days(Days::new(1));
        cursor.token = next.map(|day| day.to_string()).or(cursor.token);
    }
    cursor
}

/// The cursor after the feed itself was read at `now`. Its files count from where they were read to; at first from the day of
/// the feed's own `Last-Modified`, for it may have been made long ago, but no further back than the feed is read again.
pub fn after_whole(
    before: Option<&Cursor>,
    modified: Option<Timestamp>,
    changes: &ChangeFiles,
    now: Timestamp,
) -> Cursor {
    let mut cursor = before.cloned().unwrap_or_default();
    cursor.whole_at = now;
    if first_unsettled(&cursor).is_none() {
        let from = modified.unwrap_or(now).min(now);
        let earliest = now.plus(-seconds(changes.resync).min(365 * DAY));
        cursor.token = Some(day_of(from.max(earliest)).to_string());
    }
    cursor
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{HostState, PollSettings, PollState, Subscription};

    fn changes() -> ChangeFiles {
        ChangeFiles {
            pattern: "https://a.example/{date}.xml".to_owned(),
            overlap: Duration::from_secs(6 * 3_600),
            resync: Duration::from_secs(7 * 86_400),
        }
    }

    fn at(text: &str) -> Timestamp {
        let date = chrono::DateTime::parse_from_rfc3339(text).expect("a date");
        Timestamp(date.timestamp())
    }

    fn cursor(whole: &str, token: &str) -> Cursor {
        Cursor {
            whole_at: at(whole),
            token: Some(token.to_owned()),
            ..Cursor::default()
        }
    }

    fn asked(cursor: Option<&Cursor>, pace: Pace, now: &str) -> Option<Vec<String>> {
        let (state, host) = (PollState::default(), HostState::default());
        let (subscription, settings) = (Subscription::default(), PollSettings::default());
        let known = Known {
            now: at(now),
            state: &state,
            host: &host,
            subscription: &subscription,
            validators: &[],
            settings: &settings,
            parser: 0,
        };
        let days = days(&changes(), cursor, pace, &known)?;
        Some(days.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn r77_files_are_asked_for_in_order_from_the_first_day_that_is_not_settled() {
        let known = cursor("2026-11-28T10:00:00Z", "2026-11-29");
        let days = |pace, now| asked(Some(&known), pace, now);
        assert_eq!(
            days(Pace::Scheduled, "2026-12-01T00:10:00Z").expect("days"),
            ["2026-11-29", "2026-11-30", "2026-12-01"]
        );
        assert_eq!(
            days(Pace::Manual, "2026-11-29T00:00:00Z")
                .expect("days")
                .len(),
            1
        );
        assert_eq!(
            days(Pace::Plain, "2026-12-01T00:10:00Z"),
            None,
            "the whole was wanted"
        );
        assert_eq!(
            days(Pace::Scheduled, "2026-12-05T10:00:00Z"),
            None,
            "time for the whole"
        );
        assert_eq!(
            days(Pace::Scheduled, "2026-11-27T10:00:00Z"),
            None,
            "a clock set back"
        );
        assert_eq!(asked(None, Pace::Scheduled, "2026-12-01T00:00:00Z"), None);
        let never = Cursor {
            token: None,
            ..known
        };
        assert_eq!(
            asked(Some(&never), Pace::Scheduled, "2026-12-01T00:00:00Z"),
            None
        );
    }

    #[test]
    fn r77_a_poll_asks_for_a_few_files_and_none_that_the_whole_covers() {
        let old = cursor("2026-12-01T00:00:00Z", "2026-01-01");
        let days = asked(Some(&old), Pace::Scheduled, "2026-12-01T10:00:00Z").expect("days");
        assert_eq!((days.len(), days[0].as_str()), (8, "2026-11-24"));
    }

    #[test]
    fn r77_a_day_is_settled_some_hours_after_it_ended_and_the_cursor_moves_over_settled_days_only()
    {
        let day = |text: &str| text.parse::<NaiveDate>().expect("a day");
        let all = |ends: [DayEnd; 3]| {
            let days = ["2026-11-29", "2026-11-30", "2026-12-01"].map(day);
            days.into_iter().zip(ends).collect::<Vec<_>>()
        };
        let before = cursor("2026-11-28T10:00:00Z", "2026-11-29");
        let after = |ends, now| after_days(&before, &all(ends), &changes(), at(now));
        let had = [DayEnd::Had, DayEnd::Missing, DayEnd::Had];
        let early = after(had, "2026-12-01T05:59:59Z");
        assert_eq!(early.token.as_deref(), Some("2026-11-30"));
        let late = after(had, "2026-12-01T06:00:00Z");
        assert_eq!(
            (late.token.as_deref(), late.whole_at),
            (Some("2026-12-01"), before.whole_at)
        );
        let broken = [DayEnd::Had, DayEnd::Broken, DayEnd::Broken];
        let gap = after(broken, "2026-12-01T06:00:00Z");
        assert_eq!(
            (gap.token.as_deref(), gap.whole_at),
            (Some("2026-12-01"), Timestamp(0))
        );
        let perhaps = after(broken, "2026-12-01T05:00:00Z");
        assert_eq!(
            perhaps.whole_at, before.whole_at,
            "it may still become whole"
        );
    }

    #[test]
    fn r77_after_the_whole_files_count_from_its_own_date() {
        let now = at("2026-12-01T12:00:00Z");
        let token = |modified: Option<&str>, before: Option<&Cursor>| {
            after_whole(before, modified.map(at), &changes(), now)
                .token
                .expect("a day")
        };
        assert_eq!(token(None, None), "2026-12-01");
        assert_eq!(token(Some("2026-11-28T23:59:59Z"), None), "2026-11-28");
        assert_eq!(token(Some("2026-01-01T00:00:00Z"), None), "2026-11-24");
        assert_eq!(token(Some("2031-01-01T00:00:00Z"), None), "2026-12-01");
        let known = cursor("2026-11-01T00:00:00Z", "2026-11-30");
        assert_eq!(
            token(Some("2026-11-28T00:00:00Z"), Some(&known)),
            "2026-11-30"
        );
    }

    #[test]
    fn r77_a_pattern_names_a_day() {
        let day = NaiveDate::from_ymd_opt(2026, 3, 9).expect("a day");
        assert_eq!(address_of("x/{date}.xml", day), "x/2026-03-09.xml");
        assert_eq!(
            address_of("{year}/{month}/{day}-{year}{month}", day),
            "2026/03/09-202603"
        );
    }
}
