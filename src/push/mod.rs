//! Decisions about WebSub (W3C Recommendation of 23 January 2018): whom to ask for pushes, what to send, what to accept, when to
//! renew. Pure: time and chance are arguments.
//!
//! In the order of a subscription's life:
//! - `discover` finds the topic and its hubs in what the publisher answered;
//! - `agree` holds that against the subscription that is there: it begins, goes on, or ends;
//! - `next` says what is to be done now, or when to look again;
//! - `form` is the body of the request to the hub, `Trail` follows its redirects, `answered` says what its answer means;
//! - `verify` judges a GET at the callback, `deliver` a POST there;
//! - `relied_until` says for how long the daily poll is enough.
//!
//! A hub is a stranger: nothing that it sends can do more than make tidings poll as if there were no hub.

mod agree;
mod ask;
mod deliver;
mod discover;
mod standing;
mod state;
#[cfg(test)]
mod tests;
mod verify;

pub use agree::{Agreed, agree};
pub use ask::{Act, HubAnswer, Trail, answered, form, leave, next, relied_until};
pub use deliver::{Delivery, Refusal, Signature, deliver, is_wanted, mark_delivered};
pub use discover::{Found, HUBS_MAX, discover};
pub use standing::row;
pub use state::{Lease, Method, Mode, Pending, Push, Settled};
pub use verify::{Verdict, verify};
