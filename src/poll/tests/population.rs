//! A month of a scripted population of feeds, polled exactly when due: what politeness adds up to.

use super::server::{A, B, Bench, DAY, HOUR, MINUTE, NOW, Reply};
use crate::model::{Counters, Off, Timestamp, ValidatorsChoice};
use crate::poll::address;

/// A server: what it says at `now` to a request that is conditional or not.
type Script = fn(&mut World, Timestamp, bool) -> Reply;

/// What a server remembers.
#[derive(Default)]
struct World {
    asked: u32,
    plain: u32,
    /// The number of the newest entry that was given out, and the seconds between entries.
    given: i64,
    every: i64,
}

impl World {
    /// The whole feed as it is at `now`: an entry every `every` seconds since two months ago.
    fn feed(&mut self, now: Timestamp, fields: &[(&str, &str)]) -> Reply {
        let newest = now.0.div_euclid(self.every);
        let new = u32::try_from(newest - self.given).unwrap_or(0).min(20);
        self.given = newest;
        let mut reply = Reply::ok(fields).with((newest.rem_euclid(25) * 10) as u8, new);
        reply.dates = (0..20)
            .map(|n| Timestamp((newest - n) * self.every))
            .collect();
        reply
    }

    fn honest(&mut self, now: Timestamp, conditional: bool) -> Reply {
        if conditional && now.0.div_euclid(self.every) == self.given {
            return Reply::not_modified(&[]);
        }
        self.feed(now, &[("etag", "\"e\""), ("last-modified", "d")])
    }
}

/// Polls for 30 days; the jitter is a fixed sequence.
fn month(every: i64, script: Script) -> (Bench, World) {
    let mut bench = Bench::new();
    let mut world = World {
        every,
        ..World::default()
    };
    let mut seed = 7_u32;
    let mut last: Option<Timestamp> = None;
    while bench.state.off.is_none() && bench.now < NOW.plus(30 * DAY) {
        if let Some(last) = last {
            assert!(
                bench.now.since(last) >= 30 * MINUTE,
                "never sooner than MIN"
            );
        }
        last = Some(bench.now);
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bench.chance = f64::from(seed >> 8) / f64::from(1 << 24);
        let url = address(&bench.state, A).to_owned();
        let conditional = bench.sends(&url) != (None, None);
        world.asked += 1;
        world.plain += u32::from(!conditional);
        let reply = script(&mut world, bench.now, conditional);
        bench.poll(&reply);
        if let Some(next) = bench.state.schedule.next {
            bench.now = next;
        }
    }
    (bench, world)
}

fn rate(counters: &Counters) -> f64 {
    counters.hit_rate().unwrap_or(0.0)
}

#[test]
fn a_busy_feed_is_asked_often_and_answers_with_what_is_new() {
    let (bench, world) = month(2 * HOUR, World::honest);
    assert!((600..=1440).contains(&world.asked), "{}", world.asked);
    assert_eq!(world.plain, 1);
    assert!(rate(&bench.state.counters) > 0.5);
}

#[test]
fn a_quiet_feed_is_asked_a_few_times_a_day_and_nearly_always_says_304() {
    let (bench, world) = month(7 * DAY, World::honest);
    assert!((100..=160).contains(&world.asked), "{}", world.asked);
    assert!(rate(&bench.state.counters) > 0.9);
    assert_eq!(world.plain, 1);
}

#[test]
fn a_dormant_feed_is_asked_once_a_day() {
    let (_, world) = month(DAY, |world, now, conditional| {
        // Nothing since a hundred days ago.
        let mut reply = world.honest(Timestamp(NOW.0 - 100 * DAY), conditional);
        if world.asked > 1 && conditional {
            reply = Reply::not_modified(&[]);
        }
        let _ = now;
        reply
    });
    assert!((28..=33).contains(&world.asked), "{}", world.asked);
    assert!(world.plain <= 3, "{}", world.plain);
}

#[test]
fn rotating_tags_are_given_up_and_tried_again_now_and_then() {
    let (bench, world) = month(7 * DAY, |world, now, _| {
        let tag = format!("\"{}\"", world.asked);
        world.feed(now, &[("etag", &tag)])
    });
    assert_eq!(bench.state.efficacy.mode, ValidatorsChoice::None);
    let conditional = world.asked - world.plain;
    assert!(
        conditional < world.asked / 4,
        "{conditional} of {}",
        world.asked
    );
    assert!(conditional > 10, "and tried again");
}

#[test]
fn a_failing_feed_is_left_alone_ever_longer() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(500, &[]));
    assert!((30..=40).contains(&world.asked), "{}", world.asked);
    assert_eq!(bench.state.counters.errors, u64::from(world.asked));
}

#[test]
fn a_missing_feed_is_asked_ten_times_and_then_no_more() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(404, &[]));
    assert_eq!((world.asked, bench.state.off), (10, Some(Off::Dead)));
}

#[test]
fn a_gone_feed_is_asked_once() {
    let (_, world) = month(DAY, |_, _, _| Reply::new(410, &[]));
    assert_eq!(world.asked, 1);
}

#[test]
fn a_throttling_host_is_asked_ever_more_rarely() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(429, &[]));
    assert!(world.asked <= 36, "{}", world.asked);
    assert_eq!(bench.state.counters.errors, 0);
}

#[test]
fn a_moved_feed_is_asked_at_its_new_address_after_five_polls() {
    let (bench, world) = month(DAY, |world, now, conditional| {
        let reply = world.honest(now, conditional);
        if world.asked <= 5 {
            reply.via(&[(A, 301, B)])
        } else {
            reply
        }
    });
    assert_eq!(address(&bench.state, A), B);
    assert!(world.asked > 100);
}

#[test]
fn a_liar_is_doubted_found_out_and_read_in_full_from_then_on() {
    let (bench, _) = month(6 * HOUR, |world, now, conditional| {
        if conditional {
            return Reply::not_modified(&[]);
        }
        world.feed(now, &[("etag", "\"e\"")])
    });
    assert!(bench.state.efficacy.liar);
    assert!(bench.state.counters.ok200 > 40);
}
