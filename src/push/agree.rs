//! What the publisher says now against the subscription that is there.

use super::ask::leave;
use super::discover::Found;
use super::state::Push;
use crate::model::Timestamp;

/// What becomes of the subscription of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreed {
    /// Nothing changes.
    Same,
    /// It goes on, or begins, so.
    Goes(Box<Push>),
    /// The one that was there ends: so, or with `None` without a word, for no hub knows of it. Another may begin.
    Ends(Option<Box<Push>>, Option<Box<Push>>),
}

/// `there` is the feed's subscription, unless it is leaving; `found` what the publisher says, `None` when the feed is gone, names
/// no hub or is not to be pushed. `chance`: bytes that nobody can guess, for a new one.
pub fn agree(
    there: Option<&Push>,
    found: Option<&Found>,
    chance: &[u8; 48],
    now: Timestamp,
) -> Agreed {
    let fresh = || {
        let found = found?;
        Push::new(&found.topic, &found.hubs, chance).map(Box::new)
    };
    let Some(push) = there else {
        return fresh().map_or(Agreed::Same, Agreed::Goes);
    };
    match found {
        Some(found) if found.topic == push.topic => with_hubs(push, &found.hubs),
        _ => {
            let (left, at_once) = leave(push.clone(), now);
            let left = (!at_once).then(|| Box::new(left));
            Agreed::Ends(left, fresh())
        }
    }
}

/// The same topic, perhaps at other hubs. Where the hub that pushes is named no longer, nothing will come from it: the others
/// are asked at once.
fn with_hubs(push: &Push, hubs: &[String]) -> Agreed {
    if push.hubs == hubs || hubs.is_empty() {
        return Agreed::Same;
    }
    let mut next = push.clone();
    let turn = hubs.iter().position(|hub| hub == push.named());
    next.hubs = hubs.to_vec();
    if let Some(turn) = turn {
        next.turn = turn;
        return Agreed::Goes(Box::new(next));
    }
    next.turn = 0;
    next.moved = None;
    next.lease = None;
    next.pending = None;
    next.method = None;
    next.shared = false;
    next.denied = None;
    next.failures = 0;
    next.not_before = None;
    Agreed::Goes(Box::new(next))
}
