//! May this feed be asked now? Before anything is sent (R25, R46–R49).

use crate::model::{
    HostState, Off, Pace, PollSettings, PollState, Subscription, Timestamp, Validators, Why,
};

use super::host::held;
use super::schedule::believable;

/// All that is known of a feed when a decision is taken.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The moment: of the request for `plan` and `validators_for`, of the answer for `conclude`.
    pub now: Timestamp,
    /// Its record.
    pub state: &'a PollState,
    /// The record of the host: for `plan` the feed's own, for `conclude` that of the URL asked last.
    pub host: &'a HostState,
    /// What the user wrote about it.
    pub subscription: &'a Subscription,
    /// Its validators by the URL that answered (R55).
    pub validators: &'a [(String, Validators)],
    /// The policy.
    pub settings: &'a PollSettings,
    /// Version of the parser in use (`parse::VERSION`, R80).
    pub parser: u16,
}

/// What to do with a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Send the request.
    Ask,
    /// Its time has not come.
    NotDue {
        /// When it does.
        until: Timestamp,
        /// The rule that set it.
        why: Why,
    },
    /// Its host asked to wait: nothing pierces that (R47).
    Held {
        /// The end of the hold.
        until: Timestamp,
    },
    /// Asked by hand just now (R46).
    Debounced {
        /// When it may be asked by hand again.
        until: Timestamp,
    },
    /// Polling is off, also under force (R49).
    Off(Off),
}

/// Decides for one feed at one pace.
pub fn plan(pace: Pace, known: &Known) -> Plan {
    if let Some(off) = known.state.off {
        return Plan::Off(off);
    }
    if pace == Pace::Scheduled
        && let Some((until, why)) = not_due(known)
    {
        return Plan::NotDue { until, why };
    }
    if let Some(until) = held(known.host, known.now, known.settings) {
        return Plan::Held { until };
    }
    match debounced(known).filter(|_| matches!(pace, Pace::Manual | Pace::Plain)) {
        Some(until) => Plan::Debounced { until },
        None => Plan::Ask,
    }
}

/// The stored time, unless it is past, never set, or further ahead than its rule can put it (R25, R48).
fn not_due(known: &Known) -> Option<(Timestamp, Why)> {
    let schedule = &known.state.schedule;
    let until = believable(schedule, known.now, known.settings).filter(|next| *next > known.now)?;
    Some((until, schedule.why))
}

/// The end of the minute after the last request; deferrals that sent nothing do not count.
fn debounced(known: &Known) -> Option<Timestamp> {
    let last = known.state.last.as_ref()?;
    let sent =
        last.status.is_some() || !matches!(last.outcome, crate::model::Outcome::Deferred { .. });
    let until = last.at.after(known.settings.debounce);
    (sent && last.at <= known.now && known.now < until).then_some(until)
}
