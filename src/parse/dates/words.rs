//! Dates in words, and numbers in any order: everything that is not ISO 8601.

use super::zones::offset;
use super::{Half, Moment, half_day};

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
    if let Ok(short) = <[u8; 3]>::try_from(word.as_bytes())
        && let Some(known) = english(short.map(|b| b.to_ascii_lowercase()))
    {
        return Some(known).filter(|month| *month > 0);
    }
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

/// Nearly every date has these words: no need to search for them. A day is month 0.
fn english(word: [u8; 3]) -> Option<u32> {
    Some(match &word {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat" | b"sun" => 0,
        _ => return None,
    })
}

/// Day, month and year in any order with a named month, or `03/05/2024` and `5.3.2024`; time and zone anywhere behind.
pub(super) fn loose(text: &str) -> Option<i64> {
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
    /// `5.3.2024`: nobody who writes dots puts the month first.
    dotted: bool,
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

    /// `5`, `5th`, `5.`, `2024`, `05-Mar-2024`, `05Mar2024`, `03/05/2024`, `2024年3月5日`.
    fn day_parts(&mut self, word: &str) -> Option<()> {
        self.dotted |= word.matches('.').count() > 1;
        for part in word.split(['-', '/', '.', '年', '月', '日']) {
            let mut rest = part;
            while !rest.is_empty() {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 {
                    self.numbers.push((rest[..digits].parse().ok()?, digits));
                    rest = &rest[digits..];
                }
                let word = rest.find(|c: char| c.is_ascii_digit());
                let (word, behind) = rest.split_at(word.unwrap_or(rest.len()));
                if self.month.is_none() {
                    self.month = month(word);
                }
                rest = behind;
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
                Some(second) if first.1 == 4 => Some((first.0 as i32, month, small(second.0)?)),
                Some(second) => Some((full_year(second)?, month, small(first.0)?)),
            };
        }
        let (first, second, third) = (number(0)?, number(1)?, number(2)?);
        if first.1 == 4 {
            return Some((first.0 as i32, small(second.0)?, small(third.0)?));
        }
        // American order unless it cannot be, the reading that most feeds of this shape mean.
        let day_first = first.0 > 12 || (self.dotted && second.0 <= 12);
        let (month, day) = if day_first {
            (second.0, first.0)
        } else {
            (first.0, second.0)
        };
        Some((full_year(third)?, small(month)?, small(day)?))
    }
}

/// A day or a month: a number too large for one is none, not what is left of it.
fn small(number: i64) -> Option<u32> {
    u32::try_from(number).ok()
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
