//! Dates as feeds write them: RFC 822 with every slip, ISO 8601 in all cuts, numbers, month names of many tongues.
//!
//! One reader for all: the text is cut into numbers and words, each is given the role it can have.
//! A date without a zone is taken as UTC.

mod words;
mod zones;

use chrono::{DateTime, Datelike, NaiveDate, Utc};

use words::loose;
use zones::offset;

/// Reads a date, or nothing when no day can be made out. Its year has four digits, in UTC too: a zone may carry the last
/// evening of 9999 beyond, which nothing can write in a form that is read again.
pub(crate) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.is_empty() || text.len() > 200 {
        return None;
    }
    epoch(text)
        .or_else(|| iso(text))
        .or_else(|| loose(text))
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        .filter(|date| (0..=9999).contains(&date.year()))
}

/// Seconds since 1970 as 9 to 11 digits, or milliseconds as 13.
fn epoch(text: &str) -> Option<i64> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    if !whole.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match whole.len() {
        9..=11 => whole.parse().ok(),
        13 => whole.parse::<i64>().ok().map(|ms| ms / 1000),
        _ => None,
    }
}

/// A day, a time and the seconds east of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    year: i32,
    month: u32,
    day: u32,
    hour: i64,
    minute: i64,
    second: i64,
    offset: i64,
}

impl Moment {
    fn seconds(self) -> Option<i64> {
        if self.hour > 24 || self.minute > 59 || self.second > 60 || self.offset.abs() > 26 * 3600 {
            return None;
        }
        let day = NaiveDate::from_ymd_opt(self.year, self.month, self.day)?;
        let midnight = day.and_hms_opt(0, 0, 0)?.and_utc().timestamp();
        let time = self.hour * 3600 + self.minute * 60 + self.second.min(59);
        Some(midnight + time - self.offset)
    }
}

/// A place in ASCII text, read digit by digit.
struct Digits<'a> {
    rest: &'a [u8],
}

impl Digits<'_> {
    fn number(&mut self, min: usize, max: usize) -> Option<i64> {
        let len = self
            .rest
            .iter()
            .take(max)
            .take_while(|b| b.is_ascii_digit())
            .count();
        if len < min {
            return None;
        }
        let (digits, rest) = self.rest.split_at(len);
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    fn take(&mut self, wanted: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        wanted.contains(first).then(|| {
            self.rest = rest;
            *first
        })
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }
}

/// `2024`, `2024-03`, `2024-03-05`, `20240305`, week and ordinal dates, with or without a time.
fn iso(text: &str) -> Option<i64> {
    let mut at = Digits {
        rest: text.as_bytes(),
    };
    let year = at.number(4, 4)? as i32;
    let dash = at.take(b"-/.");
    if dash == Some(b'-') && at.take(b"Ww").is_some() {
        return week(year, &mut at);
    }
    let (month, day) = match dash {
        None if at.rest.is_empty() => (1, 1),
        // A year followed by a blank is another shape: `2024 Mar 5`.
        None if !at.rest.first().is_some_and(u8::is_ascii_digit) => return None,
        None => (at.number(2, 2)?, at.number(2, 2)?),
        Some(b'-') if ordinal(at.rest) => {
            let of_year = u32::try_from(at.number(3, 3)?).ok()?;
            let day = NaiveDate::from_yo_opt(year, of_year)?;
            return time_of(day, &mut at);
        }
        Some(mark) => {
            let month = at.number(1, 2)?;
            let day = match at.take(&[mark]) {
                Some(_) => at.number(1, 2)?,
                None => 1,
            };
            (month, day)
        }
    };
    let day = NaiveDate::from_ymd_opt(year, month as u32, day as u32)?;
    time_of(day, &mut at)
}

fn ordinal(rest: &[u8]) -> bool {
    rest.len() >= 3
        && rest[..3].iter().all(u8::is_ascii_digit)
        && !rest
            .get(3)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'-')
}

fn week(year: i32, at: &mut Digits<'_>) -> Option<i64> {
    let week = at.number(2, 2)? as u32;
    at.take(b"-");
    let weekday = at.number(1, 1).unwrap_or(1).clamp(1, 7);
    let monday = NaiveDate::from_isoywd_opt(year, week, chrono::Weekday::Mon)?;
    let day = monday.checked_add_days(chrono::Days::new(weekday as u64 - 1))?;
    time_of(day, at)
}

/// The time after an ISO day, if there is one.
fn time_of(day: NaiveDate, at: &mut Digits<'_>) -> Option<i64> {
    let mut moment = Moment {
        year: day.year(),
        month: day.month(),
        day: day.day(),
        hour: 0,
        minute: 0,
        second: 0,
        offset: 0,
    };
    at.blanks();
    at.take(b"Tt,:_");
    at.blanks();
    if at.rest.first().is_some_and(u8::is_ascii_digit) {
        moment.hour = at.number(1, 2)?;
        let colon = at.take(b":.").is_some();
        if let Some(minute) = at.number(2, 2) {
            moment.minute = minute;
            if !colon || at.take(b":.").is_some() {
                moment.second = at.number(1, 2).unwrap_or(0);
            }
        }
        if at.take(b".,:").is_some() {
            while at.take(b"0123456789").is_some() {}
        }
    }
    let zone = std::str::from_utf8(at.rest).ok()?.trim();
    let (half, zone) = half_day(zone);
    moment.hour = half.apply(moment.hour);
    // A name nobody knows (`Europe/Paris`, `XYZ`) leaves the time as it stands.
    let named = zone.starts_with(|c: char| c.is_alphabetic());
    moment.offset = offset(zone).or(named.then_some(0))?;
    moment.seconds()
}

/// `AM`, `PM` or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
    Neither,
}

impl Half {
    const fn apply(self, hour: i64) -> i64 {
        match (self, hour) {
            (Self::Morning, 12) => 0,
            (Self::Afternoon, 1..=11) => hour + 12,
            _ => hour,
        }
    }
}

fn half_day(text: &str) -> (Half, &str) {
    let lower = text.get(..2).map(str::to_ascii_lowercase);
    match lower.as_deref() {
        Some("am") => (Half::Morning, text[2..].trim_start()),
        Some("pm") => (Half::Afternoon, text[2..].trim_start()),
        _ => (Half::Neither, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_feeds_write_them() {
        let at = "2024-03-05T06:07:08Z";
        for (text, want) in [
            ("Tue, 05 Mar 2024 06:07:08 GMT", at),
            ("Tue, 05 Mar 2024 06:07:08 +0000", at),
            ("Mon, 05 Mar 2024 06:07:08 Z", at),
            ("05 Mar 2024 06:07:08 UT", at),
            ("Tue,05 Mar 2024 06:07:08 GMT", at),
            ("Tue, 5 Mar 2024 6:07:08 GMT", at),
            ("Tue, 05 Mar 2024 06:07:08", at),
            ("Tue, 05 Mar 24 06:07:08 +0000", at),
            ("Tue, 05 Mar 2024 6:07:08 AM GMT", at),
            ("Tue, 05 Mar 2024 08:07:08 GMT+2", at),
            ("Tue, 05 Mar 2024 01:07:08 EST", at),
            ("Tuesday, 05 March 2024 07:07:08 CET", at),
            ("Tue Mar  5 06:07:08 2024", at),
            ("Tue Mar  5 06:07:08 UTC 2024", at),
            (
                "Tue Mar 05 2024 06:07:08 GMT+0000 (Coordinated Universal Time)",
                at,
            ),
            ("March 5, 2024 6:07:08 am", at),
            ("Вт, 05 мар 2024 09:07:08 +0300", at),
            ("2024-03-05T06:07:08Z", at),
            ("2024-03-05T06:07:08.123456Z", at),
            ("2024-03-05T07:07:08+01:00", at),
            ("2024-03-05T07:07:08+0100", at),
            ("2024-03-05t07:07:08 +01", at),
            ("2024-03-05 06:07:08", at),
            ("2024-03-05 06:07:08 UTC", at),
            ("2024/03/05 06:07:08", at),
            ("20240305T060708Z", at),
            ("1709618828", at),
            ("1709618828000", at),
            ("2024-03-05T06:07Z", "2024-03-05T06:07:00Z"),
            ("2024-03-05", "2024-03-05T00:00:00Z"),
            ("20240305", "2024-03-05T00:00:00Z"),
            ("2024-065", "2024-03-05T00:00:00Z"),
            ("2024-W10-2", "2024-03-05T00:00:00Z"),
            ("2024-03", "2024-03-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("5 mars 2024", "2024-03-05T00:00:00Z"),
            ("5. März 2024", "2024-03-05T00:00:00Z"),
            ("5 de marzo de 2024", "2024-03-05T00:00:00Z"),
            ("mar, 05 nov 2024 00:00:00 +0000", "2024-11-05T00:00:00Z"),
            ("5 marzo 2024", "2024-03-05T00:00:00Z"),
            ("5 de fevereiro de 2024", "2024-02-05T00:00:00Z"),
            ("5 de março de 2024", "2024-03-05T00:00:00Z"),
            ("5 maart 2024", "2024-03-05T00:00:00Z"),
            ("5 марта 2024", "2024-03-05T00:00:00Z"),
            ("5 août 2024", "2024-08-05T00:00:00Z"),
            ("5 juillet 2024", "2024-07-05T00:00:00Z"),
            ("03/05/2024 6:07 PM", "2024-03-05T18:07:00Z"),
            ("25/03/2024", "2024-03-25T00:00:00Z"),
            ("05.03.2024 06:07", "2024-03-05T06:07:00Z"),
            ("3.25.2024", "2024-03-25T00:00:00Z"),
            ("5-Mar-2024", "2024-03-05T00:00:00Z"),
            ("Tue,05Mar2024 06:07:08GMT", at),
            ("2024年3月5日", "2024-03-05T00:00:00Z"),
            ("Tue, 05 Mar 2024 24:00:00 GMT", "2024-03-06T00:00:00Z"),
            ("12:30 PM 5 Mar 2024", "2024-03-05T12:30:00Z"),
            ("12:30 AM 5 Mar 2024", "2024-03-05T00:30:00Z"),
            ("5. März 2024, 7:07 Uhr MEZ", "2024-03-05T06:07:00Z"),
            ("2024-03-05T06:07:08 Europe/Paris", at),
        ] {
            let got = parse(text).map(|d| d.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
            assert_eq!(got.as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "yesterday",
            "99",
            "Tue",
            "00/00/0000",
            "2024-13-45",
            "0000-00-00 00:00:00",
            "Tue, 35 Mar 2024 06:07:08 GMT",
            "1 2 3 4 5 6 7",
            "é",
            "12:",
            "+",
            "d'",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "2024/4294967299/5 6:07",
            "4294967301 Mar 2024",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
