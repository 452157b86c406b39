//! Dates as feeds write them: RFC 822 with every slip, ISO 8601 in all cuts, numbers, month names of many tongues.
//!
//! One reader for all: the text is cut into numbers and words, each is given the role it can have.
//! A date without a zone is taken as UTC.

use chrono::{DateTime, NaiveDate, Utc};

/// Reads a date, or nothing when no day can be made out.
pub(crate) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.is_empty() || text.len() > 200 {
        return None;
    }
    epoch(text)
        .or_else(|| iso(text))
        .or_else(|| loose(text))
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
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
    use chrono::Datelike;
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

/// Seconds east of UTC that a zone says; nothing where it is not a zone at all.
fn offset(zone: &str) -> Option<i64> {
    let zone = zone
        .trim()
        .trim_matches(['(', ')', '[', ']', ',', ';'])
        .trim();
    if zone.is_empty() {
        return Some(0);
    }
    if let Some(sign) = zone.find(['+', '-', '−']) {
        let (name, number) = zone.split_at(sign);
        let named = if name.trim().is_empty() {
            0
        } else {
            zone_named(name.trim())?
        };
        let negative = !number.starts_with('+');
        let digits: String = number
            .chars()
            .skip(1)
            .skip_while(|c| c.is_whitespace())
            .take_while(|c| c.is_ascii_digit() || *c == ':')
            .filter(char::is_ascii_digit)
            .collect();
        let (hours, minutes) = match digits.len() {
            0 => (0, 0),
            1 | 2 => (digits.parse().ok()?, 0),
            3 => (digits[..1].parse().ok()?, digits[1..].parse().ok()?),
            _ => (
                digits[..2].parse::<i64>().ok()?,
                digits[2..4].parse::<i64>().ok()?,
            ),
        };
        let seconds = hours * 3600 + minutes * 60;
        return Some(named + if negative { -seconds } else { seconds });
    }
    let first = zone.split([' ', '(', ',']).next().unwrap_or(zone);
    zone_named(first)
}

/// Hours east of UTC, in minutes, of named zones. Military letters count as UTC: RFC 822 had their signs wrong.
fn zone_named(name: &str) -> Option<i64> {
    #[rustfmt::skip]
    const ZONES: &[(&str, i64)] = &[
        ("z", 0), ("ut", 0), ("utc", 0), ("gmt", 0), ("wet", 0), ("uct", 0), ("zulu", 0), ("west", 60),
        ("bst", 60), ("cet", 60), ("met", 60), ("mez", 60), ("wat", 60), ("ist", 330), ("cest", 120),
        ("mest", 120), ("mesz", 120), ("eet", 120), ("sast", 120), ("cat", 120), ("idt", 180),
        ("eest", 180), ("msk", 180), ("eat", 180), ("trt", 180), ("msd", 240), ("gst", 240),
        ("pkt", 300), ("npt", 345), ("ict", 420), ("wib", 420), ("hkt", 480), ("sgt", 480),
        ("awst", 480), ("myt", 480), ("jst", 540), ("kst", 540), ("acst", 570), ("aest", 600),
        ("acdt", 630), ("aedt", 660), ("nzst", 720), ("nzdt", 780), ("brt", -180), ("art", -180),
        ("clt", -240), ("brst", -120), ("ndt", -150), ("nst", -210), ("adt", -180), ("ast", -240),
        ("edt", -240), ("est", -300), ("et", -300), ("cdt", -300), ("cst", -360), ("ct", -360),
        ("mdt", -360), ("mst", -420), ("mt", -420), ("pdt", -420), ("pst", -480), ("pt", -480),
        ("akdt", -480), ("akst", -540), ("hst", -600),
    ];
    let lower = name.trim_end_matches('.').to_ascii_lowercase();
    let known = ZONES.iter().find(|(zone, _)| *zone == lower);
    known.map(|(_, minutes)| minutes * 60)
}

/// The first letters of month names, lower case; the longest that fits wins. en, de, fr, es, it, pt, nl, ru, uk, pl, cs, sv, tr and more.
#[rustfmt::skip]
const MONTHS: &[(&str, u32)] = &[
    ("jan", 1), ("jän", 1), ("ene", 1), ("gen", 1), ("янв", 1), ("січ", 1), ("sty", 1), ("led", 1),
    ("oca", 1), ("tam", 1), ("ιαν", 1), ("feb", 2), ("fév", 2), ("fev", 2), ("фев", 2), ("лют", 2),
    ("lut", 2), ("úno", 2), ("şub", 2), ("hel", 2), ("φεβ", 2), ("mar", 3), ("mär", 3), ("mrz", 3),
    ("maa", 3), ("mrt", 3), ("мар", 3), ("бер", 3), ("bře", 3), ("μαρ", 3), ("mär.", 3), ("apr", 4),
    ("avr", 4), ("abr", 4), ("апр", 4), ("кві", 4), ("kwi", 4), ("dub", 4), ("nis", 4), ("huh", 4),
    ("απρ", 4), ("ápr", 4), ("may", 5), ("mai", 5), ("mag", 5), ("mei", 5), ("maj", 5), ("май", 5),
    ("мая", 5), ("тра", 5), ("kvě", 5), ("tou", 5), ("μαϊ", 5), ("máj", 5), ("jun", 6), ("juin", 6),
    ("giu", 6), ("июн", 6), ("чер", 6), ("cze", 6), ("čer", 6), ("haz", 6), ("kes", 6), ("ιουν", 6),
    ("jún", 6), ("jul", 7), ("juil", 7), ("lug", 7), ("июл", 7), ("лип", 7), ("lip", 7),
    ("červenec", 7), ("července", 7), ("tem", 7), ("hei", 7), ("ιουλ", 7), ("júl", 7), ("aug", 8),
    ("aoû", 8), ("aou", 8), ("ago", 8), ("авг", 8), ("сер", 8), ("sie", 8), ("srp", 8), ("ağu", 8),
    ("elo", 8), ("αυγ", 8), ("sep", 9), ("set", 9), ("сен", 9), ("вер", 9), ("wrz", 9), ("zář", 9),
    ("eyl", 9), ("syy", 9), ("σεπ", 9), ("sze", 9), ("oct", 10), ("okt", 10), ("ott", 10),
    ("out", 10), ("окт", 10), ("жов", 10), ("paź", 10), ("říj", 10), ("eki", 10), ("lok", 10),
    ("οκτ", 10), ("nov", 11), ("ноя", 11), ("лис", 11), ("lis", 11), ("listopad", 11), ("kas", 11),
    ("mar", 11), ("νοε", 11), ("dec", 12), ("dez", 12), ("déc", 12), ("dic", 12), ("дек", 12),
    ("гру", 12), ("gru", 12), ("pro", 12), ("ara", 12), ("jou", 12), ("δεκ", 12),
];

fn month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let lower = lower.trim_end_matches('.');
    let mut best: Option<(usize, u32)> = None;
    for (start, month) in MONTHS {
        if lower.starts_with(start) && best.is_none_or(|(len, _)| start.len() > len) {
            best = Some((start.len(), *month));
        }
    }
    best.map(|(_, month)| month)
}

/// Day, month and year in any order with a named month, or `03/05/2024` and `5.3.2024`; time and zone anywhere behind.
fn loose(text: &str) -> Option<i64> {
    let mut found = Loose::default();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|')) {
        found.word(word)?;
    }
    found.moment()?.seconds()
}

#[derive(Debug, Default)]
struct Loose {
    numbers: Vec<(i64, usize)>,
    month: Option<u32>,
    time: Option<(i64, i64, i64)>,
    afternoon: Option<bool>,
    offset: Option<i64>,
}

impl Loose {
    /// Gives each word its role; `None` when the text has too many numbers to be a date.
    fn word(&mut self, word: &str) -> Option<()> {
        let word = word.trim_matches(['(', ')', '"', '\'']);
        if word.is_empty() {
            return Some(());
        }
        let digit = word.starts_with(|c: char| c.is_ascii_digit());
        if self.time.is_none() && digit && (word.contains(':') || hour_with_h(word)) {
            return self.clock(word);
        }
        if word.starts_with(['+', '-']) && self.time.is_some() {
            self.offset = Some(self.offset.unwrap_or(0) + offset(word)?);
            return Some(());
        }
        if digit {
            return self.day_parts(word);
        }
        self.name(word);
        Some(())
    }

    fn name(&mut self, word: &str) {
        match word.to_ascii_lowercase().trim_end_matches('.') {
            "am" | "a.m" => self.afternoon = Some(false),
            "pm" | "p.m" => self.afternoon = Some(true),
            lower => {
                // After the time a word is a zone, unless the month is still to come.
                if self.time.is_some() && (self.month.is_some() || self.numbers.len() >= 3) {
                    self.offset = self.offset.or_else(|| offset(lower));
                    return;
                }
                // The last of several wins: `mar` of `mar, 05 nov` was a Tuesday.
                let plain = word.trim_start_matches("d'").trim_start_matches("de");
                self.month = month(word).or_else(|| month(plain)).or(self.month);
            }
        }
    }

    /// `06:07:08`, `6:07PM`, `06:07:08.5+0200`, `06:07:08Z`, `20h15`.
    fn clock(&mut self, word: &str) -> Option<()> {
        let end = word
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | 'h')))
            .unwrap_or(word.len());
        let (clock, tail) = word.split_at(end);
        let mut parts = clock
            .split([':', 'h'])
            .map(|p| p.parse::<i64>().unwrap_or(0));
        let time = (
            parts.next().unwrap_or(0),
            parts.next().unwrap_or(0),
            parts.next().unwrap_or(0),
        );
        self.time = Some(time);
        let tail = match tail.strip_prefix(['.', ',']) {
            Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => tail,
        };
        let (half, zone) = half_day(tail);
        match half {
            Half::Morning => self.afternoon = Some(false),
            Half::Afternoon => self.afternoon = Some(true),
            Half::Neither => {}
        }
        if !zone.is_empty() {
            self.offset = Some(offset(zone)?);
        }
        Some(())
    }

    /// `5`, `5th`, `5.`, `2024`, `05-Mar-2024`, `03/05/2024`, `2024年3月5日`.
    fn day_parts(&mut self, word: &str) -> Option<()> {
        for part in word.split(['-', '/', '.', '年', '月', '日']) {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                self.numbers.push((part[..digits].parse().ok()?, digits));
            } else if self.month.is_none() {
                self.month = month(part);
            }
        }
        (self.numbers.len() <= 4).then_some(())
    }

    fn moment(&self) -> Option<Moment> {
        let (year, month, day) = self.day()?;
        let (hour, minute, second) = self.time.unwrap_or((0, 0, 0));
        let half = match self.afternoon {
            Some(true) => Half::Afternoon,
            Some(false) => Half::Morning,
            None => Half::Neither,
        };
        Some(Moment {
            year,
            month,
            day,
            hour: half.apply(hour),
            minute,
            second,
            offset: self.offset.unwrap_or(0),
        })
    }

    fn day(&self) -> Option<(i32, u32, u32)> {
        let number = |index: usize| self.numbers.get(index).copied();
        if let Some(month) = self.month {
            let (first, second) = (number(0)?, number(1));
            return match second {
                // `Mar 2024`.
                None if first.1 == 4 => Some((first.0 as i32, month, 1)),
                None => None,
                Some(second) if first.1 == 4 => Some((first.0 as i32, month, second.0 as u32)),
                Some(second) => Some((full_year(second)?, month, first.0 as u32)),
            };
        }
        let (first, second, third) = (number(0)?, number(1)?, number(2)?);
        if first.1 == 4 {
            return Some((first.0 as i32, second.0 as u32, third.0 as u32));
        }
        // American order unless it cannot be, the reading that most feeds of this shape mean.
        let (month, day) = if first.0 > 12 {
            (second.0, first.0)
        } else {
            (first.0, second.0)
        };
        Some((full_year(third)?, month as u32, day as u32))
    }
}

fn hour_with_h(word: &str) -> bool {
    let (hour, rest) = word.split_at(word.bytes().take_while(u8::is_ascii_digit).count());
    hour.len() <= 2 && rest.starts_with('h') && rest[1..].bytes().all(|b| b.is_ascii_digit())
}

/// Two digits below 70 are of this century (RFC 2822 has 50; feeds are younger than 1970).
fn full_year((number, digits): (i64, usize)) -> Option<i32> {
    match digits {
        4 => i32::try_from(number).ok(),
        2 if number < 70 => i32::try_from(number + 2000).ok(),
        2 => i32::try_from(number + 1900).ok(),
        // A script's year since 1900: `103` was 2003.
        3 if number >= 100 => i32::try_from(number + 1900).ok(),
        _ => None,
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
            ("5 maart 2024", "2024-03-05T00:00:00Z"),
            ("5 марта 2024", "2024-03-05T00:00:00Z"),
            ("5 août 2024", "2024-08-05T00:00:00Z"),
            ("5 juillet 2024", "2024-07-05T00:00:00Z"),
            ("03/05/2024 6:07 PM", "2024-03-05T18:07:00Z"),
            ("25/03/2024", "2024-03-25T00:00:00Z"),
            ("5-Mar-2024", "2024-03-05T00:00:00Z"),
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
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
