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
fn r26_a_busy_feed_is_asked_often_and_answers_with_what_is_new() {
    let (bench, world) = month(2 * HOUR, World::honest);
    assert!((600..=1440).contains(&world.asked), "{}", world.asked);
    assert_eq!(world.plain, 1);
    assert!(rate(&bench.state.counters) > 0.5);
}

#[test]
fn r26_r27_a_quiet_feed_is_asked_a_few_times_a_day_and_nearly_always_says_304() {
    let (bench, world) = month(7 * DAY, World::honest);
    assert!((100..=160).contains(&world.asked), "{}", world.asked);
    assert!(rate(&bench.state.counters) > 0.9);
    assert_eq!(world.plain, 1);
}

#[test]
fn r82_a_dormant_feed_is_asked_once_a_day() {
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
fn r19_r21_rotating_tags_are_given_up_and_tried_again_now_and_then() {
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
fn r44_a_failing_feed_is_left_alone_ever_longer() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(500, &[]));
    assert!((30..=40).contains(&world.asked), "{}", world.asked);
    assert_eq!(bench.state.counters.errors, u64::from(world.asked));
}

#[test]
fn r50_a_missing_feed_is_asked_ten_times_and_then_no_more() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(404, &[]));
    assert_eq!((world.asked, bench.state.off), (10, Some(Off::Dead)));
}

#[test]
fn r49_a_gone_feed_is_asked_once() {
    let (_, world) = month(DAY, |_, _, _| Reply::new(410, &[]));
    assert_eq!(world.asked, 1);
}

#[test]
fn r38_a_throttling_host_is_asked_ever_more_rarely() {
    let (bench, world) = month(DAY, |_, _, _| Reply::new(429, &[]));
    assert!(world.asked <= 36, "{}", world.asked);
    assert_eq!(bench.state.counters.errors, 0);
}

#[test]
fn r53_a_moved_feed_is_asked_at_its_new_address_after_five_polls() {
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
fn r22_a_liar_is_doubted_found_out_and_read_in_full_from_then_on() {
    let (bench, _) = month(6 * HOUR, |world, now, conditional| {
        if conditional {
            return Reply::not_modified(&[]);
        }
        world.feed(now, &[("etag", "\"e\"")])
    });
    assert!(bench.state.efficacy.liar);
    assert!(bench.state.counters.ok200 > 40);
}

#[test]
fn r30_a_large_feed_without_validators_costs_a_megabyte_a_day() {
    let (bench, world) = month(6 * HOUR, |world, now, _| {
        let mut reply = world.feed(now, &[]);
        // 600 KB decoded, a third of that on the wire.
        reply.size = 200 * 1024;
        reply
    });
    assert_eq!(world.plain, world.asked);
    let decoded = u64::from(world.asked) * 600 * 1024;
    assert!(
        decoded <= 31 * 1024 * 1024,
        "a megabyte a day: {}",
        world.asked
    );
    assert!(world.asked >= 40, "{}", world.asked);
    assert_eq!(bench.state.counters.conditional, 0);
}

#[test]
fn r31_a_publishers_max_age_is_kept_for_a_month() {
    let (_, world) = month(2 * HOUR, |world, now, conditional| {
        let mut reply = world.honest(now, conditional);
        reply
            .fields
            .push(("cache-control".into(), b"max-age=21600".to_vec()));
        reply
    });
    assert!((100..=120).contains(&world.asked), "{}", world.asked);
}

#[test]
fn r20_a_tag_that_hides_a_date_costs_six_bodies_and_no_more() {
    let (bench, _) = month(7 * DAY, |world, now, conditional| {
        // Five times the tag goes along and the date is ignored.
        if conditional && world.asked > 6 && now.0.div_euclid(world.every) == world.given {
            return Reply::not_modified(&[]);
        }
        world.feed(now, &[("etag", "\"x-gzip\""), ("last-modified", "d")])
    });
    assert_eq!(
        bench.state.efficacy.mode,
        ValidatorsChoice::LastModified,
        "the date alone"
    );
    let bodies = bench.state.counters.ok200;
    assert!((6..=12).contains(&bodies), "{bodies}");
}

/// Everybody at once: what the servers of a hundred feeds see of one reader in a month.
#[test]
fn r25_to_r54_a_month_of_a_mixed_population_adds_up_to_what_is_polite() {
    let rotating: Script = |world, now, _| {
        let tag = format!("\"{}\"", world.asked);
        world.feed(now, &[("etag", &tag)])
    };
    let lying: Script = |world, now, conditional| {
        if conditional {
            return Reply::not_modified(&[]);
        }
        world.feed(now, &[("etag", "\"e\"")])
    };
    let moved: Script = |world, now, conditional| {
        let reply = world.honest(now, conditional);
        if world.asked <= 5 {
            reply.via(&[(A, 301, B)])
        } else {
            reply
        }
    };
    let failing: Script = |_, _, _| Reply::new(500, &[]);
    let gone: Script = |world, now, conditional| {
        if world.asked > 20 {
            return Reply::new(410, &[]);
        }
        world.honest(now, conditional)
    };
    let population: [(usize, i64, Script); 9] = [
        (15, 2 * HOUR, World::honest),
        (30, DAY, World::honest),
        (30, 7 * DAY, World::honest),
        (10, 50 * DAY, World::honest),
        (3, 7 * DAY, rotating),
        (3, 6 * HOUR, lying),
        (3, DAY, moved),
        (3, DAY, failing),
        (3, DAY, gone),
    ];
    let (mut total, mut asked, mut plain) = (Counters::default(), 0, 0);
    for (feeds, every, script) in population {
        for _ in 0..feeds {
            let (bench, world) = month(every, script);
            total.add(&bench.state.counters);
            asked += u64::from(world.asked);
            plain += u64::from(world.plain);
        }
    }
    let a_day = asked / 30 / 100;
    assert!((4..=12).contains(&a_day), "{a_day} requests a feed and day");
    let first = 100;
    assert!(plain - first < asked / 20, "{plain} plain of {asked}");
    // The moved ones are plain at the old address and conditional at the new one, four times each.
    assert_eq!(total.conditional + plain, asked + 3 * 4);
    assert!(
        total.not_modified304 * 10 > asked * 6,
        "{} of {asked} are 304",
        total.not_modified304
    );
    assert!(total.identical200 < asked / 20, "{}", total.identical200);
    assert!(total.errors < asked / 50, "{}", total.errors);
    assert!(
        total.bytes_saved > total.bytes,
        "it saves more than it costs"
    );
    let answered = total.ok200 + total.not_modified304 + total.errors + total.deferred;
    assert_eq!(
        answered,
        asked - 3,
        "each once, but for the three that are gone"
    );
}
