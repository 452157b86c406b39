//! Dates in headers: the three forms of RFC 9110 §5.6.7, and the slips of real servers.

use crate::model::Timestamp;

/// A date in any of the three forms of RFC 9110 §5.6.7; the weekday may be wrong or missing, the zone `UTC` or numeric.
pub fn date(value: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(value).ok()?;
    let mut words: Vec<&str> = text
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|w| !w.is_empty())
        .collect();
    if words.first().is_some_and(|w| is_weekday(w)) {
        words.remove(0);
    }
    let hyphens: Vec<&str>;
    if let Some(first) = words.first()
        && first.contains('-')
    {
        hyphens = first.split('-').collect();
        words.splice(0..1, hyphens);
    }
    let (day, month, year, clock, zone) = match words.as_slice() {
        // Sun Nov  6 08:49:37 1994
        [month, day, clock, year] if self::month(month).is_some() => {
            (day, month, year, clock, &"GMT")
        }
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT
        [day, month, year, clock] => (day, month, year, clock, &"GMT"),
        [day, month, year, clock, zone] => (day, month, year, clock, zone),
        _ => return None,
    };
    let moment = days(self::year(year)?, self::month(month)?, digits(day, 2)?)?;
    Some(Timestamp(
        moment * 86_400 + time_of_day(clock)? - offset(zone)?,
    ))
}

fn is_weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    word.get(..3)
        .is_some_and(|start| DAYS.contains(&start.to_ascii_lowercase().as_str()))
}

fn month(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start = word.get(..3)?.to_ascii_lowercase();
    MONTHS
        .iter()
        .position(|m| *m == start)
        .map(|m| m as i64 + 1)
}

/// Four digits, or the two of RFC 850: 70 to 99 are of the last century, as in every implementation at hand.
fn year(word: &str) -> Option<i64> {
    match (word.len(), digits(word, 4)?) {
        (2, year @ 70..) => Some(1900 + year),
        (2, year) => Some(2000 + year),
        (4, year) => Some(year),
        _ => None,
    }
}

fn digits(word: &str, most: usize) -> Option<i64> {
    let all = !word.is_empty() && word.len() <= most && word.bytes().all(|b| b.is_ascii_digit());
    all.then(|| word.parse().ok()).flatten()
}

fn time_of_day(word: &str) -> Option<i64> {
    let mut parts = word.split(':').map(|part| digits(part, 2));
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let sound = hour < 24 && minute < 60 && second <= 60 && parts.next().is_none();
    sound.then_some(hour * 3600 + minute * 60 + second)
}

/// Seconds east of Greenwich. Other names than those of Greenwich are not HTTP and not guessed at.
fn offset(zone: &str) -> Option<i64> {
    if ["gmt", "utc", "ut", "z"].contains(&zone.to_ascii_lowercase().as_str()) {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let figures = zone.get(1..).filter(|f| f.len() == 4)?;
    let (hours, minutes) = (digits(figures.get(..2)?, 2)?, digits(figures.get(2..)?, 2)?);
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Days since 1970-01-01 of a civil date that exists.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let date = chrono::NaiveDate::from_ymd_opt(
        i32::try_from(year).ok()?,
        u32::try_from(month).ok()?,
        u32::try_from(day).ok()?,
    )?;
    Some(
        date.signed_duration_since(chrono::NaiveDate::default())
            .num_days(),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_three_forms_of_a_date_are_read_and_small_slips_forgiven() {
        let same = Some(Timestamp(784_111_777));
        for (text, wanted) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", same),
            ("Sunday, 06-Nov-94 08:49:37 GMT", same),
            ("Sun Nov  6 08:49:37 1994", same),
            ("Tue, 06 Nov 1994 08:49:37 GMT", same),
            ("06 Nov 1994 08:49:37 GMT", same),
            ("Sun, 6 Nov 1994 08:49:37 UTC", same),
            ("Sun, 06 Nov 1994 08:49:37 +0000", same),
            ("Sun, 06 Nov 1994 10:49:37 +0200", same),
            ("sun, 06 nov 1994 08:49:37 gmt", same),
            ("Tue, 19 Jan 2038 03:14:08 GMT", Some(Timestamp(1 << 31))),
            ("Fri, 31 Feb 2023 00:00:00 GMT", None),
            ("Sun, 06 Nov 1994 25:00:00 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 EST", None),
            ("0", None),
            ("-1", None),
            ("", None),
            ("never", None),
            ("Sun,", None),
        ] {
            assert_eq!(date(text.as_bytes()), wanted, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_like_a_date_makes_the_reader_of_dates_panic(text in "[A-Za-z0-9 ,:+\\-é]{0,40}") {
            date(text.as_bytes());
        }
    }
}
