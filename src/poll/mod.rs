//! Decisions about polling: when, how, what an answer means. Pure: time and chance are arguments.
//!
//! The engine asks in this order: `plan` (may it be asked), `address` (at which URL), `validators_for` and `asks_delta` at
//! every hop, `judge` for every answer, `follow` for a redirect, and `conclude` once, whatever happened.

mod conclude;
mod efficacy;
mod explain;
mod headers;
mod host;
mod judge;
mod plan;
mod redirect;
mod schedule;
mod unsent;
mod validators;

#[cfg(test)]
mod tests;

pub use conclude::{Asked, Conclusion, Ending, Facts, Wishes, conclude};
pub use efficacy::host_is_useless;
pub use explain::{considered, mode};
pub use headers::{Freshness, Wait, date, freshness, retry_after, validators, weakly_equal};
pub use host::{
    gap, held, hold, hold_after_403, lift, offline, probe_delay, says_offline, start_at,
};
pub use judge::{Verdict, judge};
pub use plan::{Known, Plan, plan};
pub use redirect::{HOPS_MAX, address, follow, undo_moves};
pub use schedule::{Inputs, Trouble, bounds, cap, next, rhythm};
pub use unsent::{conclude_offline, defer, defer_for_budget, enable};
pub use validators::{asks_delta, same_body, same_entries, stored, validators_for};
