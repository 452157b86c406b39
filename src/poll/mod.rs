//! Decisions about polling: when, how, what an answer means. Pure: time and chance are arguments.
//!
//! The engine asks in this order: `plan` (may it be asked), `address` (at which URL), `validators_for` and `asks_delta` at
//! every hop, `judge` for every answer, `follow` for a redirect, and `conclude` once, whatever happened.
//!
//! What only somebody who sees many feeds can know is asked of the engine, and decided by small functions here:
//! - before every start and every hop: `held` for the host of that URL; held means `defer`, nothing sent (R39, R47);
//! - two feeds of a host answered 403 in one run: `hold_after_403` gives the host's record to store (R51);
//! - failures for want of a name or a route wait uncommitted: if `offline` says so, `conclude_offline` ends each, and one
//!   feed is a probe after `probe_delay`; else `conclude` (R44);
//! - `start_at` and `gap` space the starts of a host (R71, R73); `over_budget`, `spent` and `defer_for_budget` are for its
//!   hourly budget (R72); `wants_robots` and `robots_read` for its robots.txt (R73);
//! - older pages of a feed go from `backfill_begins` over `backfill_found` to `backfill_read` each, and what `Disallow` allows (R81).

mod archive;
mod changes;
mod complete;
mod conclude;
mod date;
mod delta;
mod disallow;
mod efficacy;
mod ending;
mod explain;
mod headers;
mod host;
mod judge;
mod plan;
mod probe;
mod probe_words;
mod redirect;
mod robots;
mod roster;
mod schedule;
mod site;
mod unsent;
mod validators;

#[cfg(test)]
mod tests;

pub use archive::{
    NextPage, Older, PageFacts, backfill_begins, backfill_found, backfill_missing, backfill_read,
    barred,
};
pub use changes::{CHANGES_A_POLL, DayEnd, address_of, after_days, after_whole, days, is_settled};
pub use complete::is_withdrawal;
pub use conclude::conclude;
pub use date::date;
pub use delta::{Newest, Since, address_since, advanced, refuses, since};
pub use disallow::Disallow;
pub use efficacy::host_is_useless;
pub use ending::{Asked, Conclusion, Ending, Facts, Root, Wishes};
pub use explain::{considered, mode, validators_reason};
pub use headers::{Freshness, Wait, freshness, retry_after, validators, weakly_equal};
pub use host::{
    gap, held, hold, hold_after_403, is_first, lift, offline, over_budget, probe_delay,
    says_offline, spent, start_at,
};
pub use judge::{Verdict, judge};
pub use plan::{Known, Plan, plan};
pub use probe::{PROBE_GAP, PROBE_SHOTS, ProbeStart, Step, probe_step, probe_verdict};
pub use redirect::{HOPS_MAX, address, follow, moved, undo_moves};
pub use robots::{ROBOTS_MAX, crawl_delay, robots_read, robots_url, wants_robots};
pub use roster::{DROPPED_AFTER, Revised, parked, revise};
pub use schedule::{
    Inputs, Trouble, Weighed, believable, bounds, cap, next, plain_every, rhythm, weigh,
};
pub use site::{FILES_MAX, PAGES_A_POLL, Reading, applied, indexed, settled, turn};
pub use unsent::{conclude_offline, defer, defer_for_budget, defer_to_twin, enable, waits_since};
pub use validators::{asks_delta, same_body, same_entries, stored, validators_for};
