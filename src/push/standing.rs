//! How a subscription stands, in the words of the model.

use super::state::{Mode, Push};
use crate::model::{PushRow, PushState, Timestamp};

/// The row of a feed, without its URL and title; `None` for one that is not subscribed at its hub.
pub fn row(push: Option<&Push>, now: Timestamp) -> PushRow {
    let mut row = PushRow {
        url: String::new(),
        title: String::new(),
        hub: String::new(),
        topic: String::new(),
        state: PushState::Off,
        signed: false,
        delivered: None,
        deliveries: 0,
        refused: 0,
        latency: None,
    };
    if let Some(push) = push {
        push.hub().clone_into(&mut row.hub);
        row.topic.clone_from(&push.topic);
        row.state = state(push, now);
        row.signed = push.shared;
        row.delivered = push.delivered;
        row.deliveries = push.deliveries;
        row.refused = push.refused;
        row.latency = push.latency;
    }
    row
}

fn state(push: &Push, now: Timestamp) -> PushState {
    if push.leaving.is_some() {
        return PushState::Leaving;
    }
    // A lease that holds goes on while its renewal is pending.
    if let Some(lease) = push.lease.filter(|_| push.is_active(now)) {
        return PushState::Active {
            until: lease.until(),
            renew: lease.renew_at(),
        };
    }
    if let Some(pending) = push.pending.filter(|p| p.mode == Mode::Subscribe) {
        return PushState::Pending(pending.asked);
    }
    if let Some((at, reason)) = &push.denied {
        return PushState::Denied(*at, reason.clone());
    }
    match push.lease {
        Some(lease) => PushState::Lapsed(lease.until()),
        None => PushState::Waiting(push.not_before.filter(|at| *at > now)),
    }
}
