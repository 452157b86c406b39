//! What a publisher wants of whoever asks, in words, and what tidings does about it.

use super::feed::{FeedRow, SourceKind};
use super::poll_state::Off;
use super::push::PushState;
use super::schedule::{Why, human};
use super::time::Timestamp;

/// All hours of a day, and all days of a week.
const ALL_HOURS: u32 = (1 << 24) - 1;
const ALL_DAYS: u8 = (1 << 7) - 1;
/// Whoever wants nothing to be asked for longer hardly means it. The default of `hint_max`.
const LONG: u32 = 86_400;

/// A wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// What is wanted, a clause without a URL: `the server said 410: it is gone`.
    pub says: String,
    /// What is done about it, a clause: `not asked any more; its entries stay`.
    pub does: &'static str,
}

impl Wish {
    fn new(says: impl Into<String>, does: &'static str) -> Self {
        Self {
            says: says.into(),
            does,
        }
    }
}

impl FeedRow {
    /// What its publisher and its host want at `now`, the weightiest first; empty where they want nothing.
    pub fn wishes(&self, now: Timestamp) -> Vec<Wish> {
        let mut wishes = Vec::new();
        let stays = match self.kind {
            SourceKind::List => "not asked any more; its feeds are followed as before",
            SourceKind::Feed | SourceKind::Sitemap => "not asked any more; its entries stay",
        };
        match self.off {
            Some(Off::Gone) => wishes.push(Wish::new("the server said 410: it is gone", stays)),
            Some(Off::Dead) => {
                wishes.push(Wish::new("the server has said 404 for two weeks", stays));
            }
            None => {}
        }
        wishes.extend(self.parked());
        if let Some(left) = self
            .hold_until
            .map(|until| until.since(now))
            .filter(|left| *left > 0)
        {
            let left = human(u32::try_from(left).unwrap_or(u32::MAX));
            wishes.push(Wish::new(
                format!("its host wants to be left alone, {left} more"),
                "none of the host's feeds is asked before",
            ));
        }
        if self.moved.is_some() {
            wishes.push(Wish::new(
                "it has moved for good",
                "asked at its new address",
            ));
        } else if self.moving.is_some() {
            wishes.push(Wish::new(
                "it says that it has moved for good",
                "followed, and believed when it has said so for long enough",
            ));
        }
        wishes.extend(self.never());
        wishes.extend(self.pace());
        wishes.extend(self.pushes(now));
        wishes
    }

    /// The list that named it does not name it any more.
    fn parked(&self) -> Option<Wish> {
        let followed = self.followed.as_ref()?;
        let parked = followed.parked?;
        let says = format!(
            "the list “{}” has not named it since {}; it is dropped when that lasts {} longer",
            followed.name,
            &parked.since.rfc3339()[..10],
            human(parked.left)
        );
        // What comes and goes meanwhile would be lost otherwise, should the list have been empty by mistake.
        Some(Wish::new(says, "asked until then all the same"))
    }

    /// Its hub, and what has come of that (R78, R79).
    fn pushes(&self, now: Timestamp) -> Option<Wish> {
        if self.feed.hubs.is_empty() {
            return None;
        }
        let offers = "it offers pushes through a hub";
        let state = self.push.as_ref().map(|push| &push.state);
        let left = |until: &Timestamp| human(u32::try_from(until.since(now).max(0)).unwrap_or(0));
        Some(match state {
            None => Wish::new(
                offers,
                "polled all the same: the hub is noted, and never asked",
            ),
            Some(PushState::Active { until, .. }) => Wish::new(
                format!("its hub pushes what is new, {} more", left(until)),
                "polled once a day besides",
            ),
            Some(PushState::Denied(_, reason)) if reason.is_empty() => Wish::new(
                "its hub refuses to push",
                "polled, and asked again in a week",
            ),
            Some(PushState::Denied(_, reason)) => Wish::new(
                format!("its hub refuses to push ({reason})"),
                "polled, and asked again in a week",
            ),
            Some(PushState::Lapsed(_)) => Wish::new(offers, "the lease ran out; polled meanwhile"),
            Some(PushState::Pending(_)) => Wish::new(offers, "the hub was asked; polled meanwhile"),
            Some(PushState::Waiting(_) | PushState::Off | PushState::Leaving) => {
                Wish::new(offers, "polled until the hub agrees")
            }
        })
    }

    /// A pace that it asked for, where that is what decided.
    fn pace(&self) -> Option<Wish> {
        self.schedule.next?;
        let (server, feed) = (
            self.hints.max_age.max(self.hints.expires),
            self.hints.ttl.max(self.hints.update_period),
        );
        let nothing =
            |whose, secs| format!("{whose} says that nothing new comes for {}", human(secs));
        let (whose, believed, wanted) = match self.schedule.why {
            Why::MaxAge(secs) | Why::Expires(secs) => ("the server", secs, server),
            Why::Ttl(secs) | Why::UpdatePeriod(secs) => ("the feed", secs, feed),
            Why::Skip => {
                let says = "the feed names hours or days on which it is not to be asked";
                return Some(Wish::new(says, "asked after them"));
            }
            _ if server.max(feed) > LONG && server >= feed => ("the server", LONG, server),
            _ if feed > LONG => ("the feed", LONG, feed),
            _ => return None,
        };
        if wanted > believed {
            let does = "believed for hint_max of config.toml at a time, and asked then";
            return Some(Wish::new(nothing(whose, wanted), does));
        }
        Some(Wish::new(nothing(whose, believed), "not asked before"))
    }

    /// It names all hours, or all days, as those on which it is not to be asked (R42).
    fn never(&self) -> Option<Wish> {
        self.schedule.next?;
        let what = if self.hints.skip_hours & ALL_HOURS == ALL_HOURS {
            "hour"
        } else if self.hints.skip_days & ALL_DAYS == ALL_DAYS {
            "day"
        } else {
            return None;
        };
        Some(Wish::new(
            format!("the feed names every {what} as one on which it is not to be asked"),
            "taken for a mistake, and asked by its own rhythm; unsubscribe if it is meant",
        ))
    }

    /// The wish that a line of its own is due to: one that its next poll and the rule behind that do not tell.
    pub fn main_wish(&self, now: Timestamp) -> Option<Wish> {
        self.never()
            .or_else(|| {
                let pace = self.pace()?;
                (pace.does != "not asked before" && self.schedule.why != Why::Skip).then_some(pace)
            })
            .or_else(|| self.pushes(now))
    }
}

#[cfg(test)]
mod tests {
    use super::super::poll_state::{Moved, PermanentMove};
    use super::super::roster::{Followed, Parked};
    use super::super::schedule::Schedule;
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000);

    fn told(change: impl FnOnce(&mut FeedRow)) -> Vec<String> {
        let mut row = FeedRow::default();
        row.schedule = Schedule {
            next: Some(NOW),
            ..row.schedule
        };
        change(&mut row);
        let wishes = row.wishes(NOW);
        let text = wishes
            .iter()
            .map(|wish| format!("{}: {}", wish.says, wish.does));
        text.collect()
    }

    #[test]
    fn a_feed_without_wishes_says_nothing() {
        assert!(told(|_| {}).is_empty());
        assert!(told(|row| row.hold_until = Some(NOW)).is_empty());
        assert!(told(|row| row.schedule.why = Why::User(60)).is_empty());
    }

    #[test]
    fn a_feed_that_its_list_does_not_name_any_more_is_told_with_what_becomes_of_it() {
        let followed = |parked| {
            let followed = Followed {
                name: "Team".to_owned(),
                parked,
                ..Followed::default()
            };
            told(|row| row.followed = Some(Box::new(followed)))
        };
        assert!(followed(None).is_empty());
        let parked = Parked {
            since: Timestamp(1_799_900_000),
            left: 5 * 86_400,
        };
        assert_eq!(
            followed(Some(parked)),
            [
                "the list “Team” has not named it since 2027-01-14; it is dropped when that lasts 5 d longer: asked until then all the same"
            ]
        );
        let gone = told(|row| {
            row.kind = SourceKind::List;
            row.off = Some(Off::Gone);
        });
        assert!(
            gone[0].ends_with("its feeds are followed as before"),
            "{gone:?}"
        );
    }

    #[test]
    fn r49_r50_gone_and_dead_are_told() {
        let stays = "not asked any more; its entries stay";
        for (off, says) in [
            (Off::Gone, "the server said 410: it is gone"),
            (Off::Dead, "the server has said 404 for two weeks"),
        ] {
            let told = told(|row| {
                row.off = Some(off);
                row.schedule.next = None;
                // What it asked for before counts no longer.
                row.schedule.why = Why::Ttl(60);
            });
            assert_eq!(told, [format!("{says}: {stays}")]);
        }
    }

    #[test]
    fn r36_a_retry_after_of_days_is_told_with_what_is_left() {
        let told = told(|row| row.hold_until = Some(NOW.plus(5 * 86_400)));
        assert_eq!(
            told,
            ["its host wants to be left alone, 5 d more: none of the host's feeds is asked before"]
        );
    }

    #[test]
    fn r53_a_move_is_told_before_and_after_it_is_believed() {
        let seen = told(|row| {
            row.moving = Some(PermanentMove {
                target: "https://b.example/".to_owned(),
                seen: 1,
                since: NOW,
            });
        });
        assert_eq!(
            seen,
            [
                "it says that it has moved for good: followed, and believed when it has said so for long enough"
            ]
        );
        let believed = told(|row| {
            row.moved = Some(Moved {
                from: "https://a.example/".to_owned(),
                to: "https://b.example/".to_owned(),
                at: NOW,
                undone: false,
            });
        });
        assert_eq!(
            believed,
            ["it has moved for good: asked at its new address"]
        );
    }

    #[test]
    fn r31_r41_r42_a_pace_that_decided_is_told() {
        for (why, text) in [
            (
                Why::MaxAge(14_400),
                "the server says that nothing new comes for 4 h: not asked before",
            ),
            (
                Why::Ttl(604_800),
                "the feed says that nothing new comes for 7 d: not asked before",
            ),
            (
                Why::Skip,
                "the feed names hours or days on which it is not to be asked: asked after them",
            ),
        ] {
            assert_eq!(told(|row| row.schedule.why = why), [text]);
        }
    }

    #[test]
    fn r41_r42_a_wish_for_never_is_told_with_what_is_believed_of_it() {
        let never = told(|row| row.hints.skip_days = ALL_DAYS);
        assert_eq!(
            never,
            [
                "the feed names every day as one on which it is not to be asked: taken for a mistake, and asked by its own rhythm; \
                 unsubscribe if it is meant"
            ]
        );
        assert!(told(|row| row.hints.skip_hours = ALL_HOURS)[0].contains("every hour"));
        assert!(told(|row| row.hints.skip_days = ALL_DAYS - 1).is_empty());
        for why in [Why::Ttl(LONG), Why::Dormant(LONG)] {
            let years = told(|row| {
                row.hints.ttl = 2 * 365 * LONG;
                row.schedule.why = why;
            });
            assert!(
                years[0].starts_with(
                    "the feed says that nothing new comes for 730 d: believed for hint_max"
                ),
                "{years:?}"
            );
        }
        let cached = told(|row| row.hints.max_age = 365 * LONG);
        assert!(
            cached[0].starts_with("the server says that nothing new comes for 365 d"),
            "{cached:?}"
        );
        assert!(told(|row| row.hints.max_age = LONG).is_empty());
        let row = FeedRow::default();
        assert_eq!(row.main_wish(NOW), None);
    }

    #[test]
    fn r78_a_hub_is_told_last_and_that_it_is_not_asked() {
        let told = told(|row| {
            row.feed.hubs = vec!["https://hub.example/".to_owned()];
            row.schedule.why = Why::Skip;
        });
        assert_eq!(told.len(), 2);
        assert_eq!(
            told[1],
            "it offers pushes through a hub: polled all the same: the hub is noted, and never asked"
        );
    }
}
