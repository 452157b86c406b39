//! What a channel asks of a poller: `ttl`, `skipHours`, `skipDays`, `sy:updatePeriod` (R41–R43).

use super::Wishes;

/// Minutes of `<ttl>` as seconds; 0 when it is no number.
pub(crate) fn ttl(text: &str) -> u32 {
    let minutes: u64 = text.trim().parse().unwrap_or(0);
    u32::try_from(minutes.saturating_mul(60)).unwrap_or(u32::MAX)
}

/// The length of `hourly`, `daily`, …; 0 when it is another word.
pub(crate) fn period(text: &str) -> u32 {
    match text.trim().to_ascii_lowercase().as_str() {
        "hourly" => 3600,
        "daily" => 86_400,
        "weekly" => 604_800,
        "monthly" => 2_592_000,
        "yearly" => 31_536_000,
        _ => 0,
    }
}

/// Hints as they are met, made into wishes when the channel is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hints {
    pub ttl: u32,
    pub period: u32,
    pub frequency: u32,
    pub hours: u32,
    pub days: u8,
}

impl Hints {
    /// An `<hour>`: 0 to 23, 24 is 0.
    pub fn hour(&mut self, text: &str) {
        if let Ok(hour @ 0..=24) = text.trim().parse::<u32>() {
            self.hours |= 1 << (hour % 24);
        }
    }

    /// A `<day>` by its English name, whole or of three letters; any other word is none (R42).
    pub fn day(&mut self, text: &str) {
        const DAYS: [&str; 7] = [
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ];
        let text = text.trim();
        let named =
            |day: &str| text.eq_ignore_ascii_case(day) || text.eq_ignore_ascii_case(&day[..3]);
        if let Some(day) = DAYS.iter().position(|day| named(day)) {
            self.days |= 1 << day;
        }
    }

    /// As they stand. All hours or all days skipped would be never: the schedule takes it for none (R42), and it is told.
    pub fn wishes(self) -> Wishes {
        Wishes {
            ttl: self.ttl,
            update_period: self.period / self.frequency.max(1),
            skip_hours: self.hours,
            skip_days: self.days,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_become_seconds_and_nonsense_none() {
        for (text, want) in [
            ("60", 3600),
            (" 1 ", 60),
            ("x", 0),
            ("-1", 0),
            ("99999999999", u32::MAX),
        ] {
            assert_eq!(ttl(text), want, "{text}");
        }
    }

    #[test]
    fn a_period_is_divided_by_its_frequency() {
        let hints = Hints {
            period: period(" Daily "),
            frequency: 2,
            ..Hints::default()
        };
        assert_eq!(hints.wishes().update_period, 43_200);
        let once = Hints {
            period: period("hourly"),
            ..Hints::default()
        };
        assert_eq!(once.wishes().update_period, 3600);
    }

    #[test]
    fn r42_a_day_is_named_in_english_or_not_at_all() {
        for (text, want) in [
            ("Monday", 1),
            (" TUESDAY ", 2),
            ("wed", 4),
            ("Montag", 0),
            ("Sonntag", 0),
            ("Mondays", 0),
            ("mo", 0),
            ("", 0),
            ("Freitag\u{e9}", 0),
        ] {
            let mut hints = Hints::default();
            hints.day(text);
            assert_eq!(hints.wishes().skip_days, want, "{text}");
        }
    }

    #[test]
    fn skipping_everything_is_told_as_it_stands() {
        let mut hints = Hints::default();
        for hour in 1..=24 {
            hints.hour(&hour.to_string());
        }
        hints.day("Saturday");
        hints.day("sunday");
        hints.day("someday");
        assert_eq!(hints.wishes().skip_hours, (1 << 24) - 1);
        assert_eq!(hints.wishes().skip_days, 0b110_0000);
    }
}
