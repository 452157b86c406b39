//! Who may ask which host: a turn at its gate, what bars it, the pass that holds its lane, and what a poll tells the loop.

use tokio::sync::{mpsc, oneshot};

use crate::model::{ErrorKind, HostKey, HostState, Pace, PollReport, Settings, Timestamp};
use crate::poll::{self, Conclusion, Known};
use crate::push::HubAnswer;
use crate::store::PackedExchanges;

/// A message from a poll to the loop.
pub enum Inner {
    /// Wants to send a request to this host.
    Gate {
        /// The host.
        host: HostKey,
        /// What its budget asks of it.
        toll: Toll,
        /// Gets the pass when the turn has come; dropped when it will not come.
        reply: oneshot::Sender<Pass>,
    },
    /// Something was stored beside the loop: what was read before is old.
    Stored,
    /// A request ended.
    Leave {
        /// The host.
        host: HostKey,
        /// What is known of it now.
        state: Option<HostState>,
    },
    /// A 304 of this host spoke of a body, or one came unannounced: it would be read as the next answer (R24).
    StrayBody {
        /// The host.
        host: HostKey,
    },
    /// A poll needs the network no longer.
    Landed(Landing),
    /// Nothing answered: is this machine offline? The poll waits uncommitted for the answer (R44).
    Unanswered {
        /// The host that did not, and how.
        failure: (HostKey, ErrorKind),
        /// Offline until then, or an ordinary error.
        reply: oneshot::Sender<Option<Timestamp>>,
    },
    /// A hub has answered, or not (R79).
    Hub {
        /// The path of the callback.
        path: String,
        /// What came of it.
        answer: HubAnswer,
        /// For the feed's ring.
        exchanges: PackedExchanges,
    },
    /// feeds.toml was written: read it again, then answer.
    Reload {
        /// Told when the list is the new one; the error when it was not read.
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// A list of feeds is on disk that names others than before: the report of its poll, and what changed in words.
    Relisted(Box<PollReport>, String),
}

/// How a request stands to its host's budget (R72).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Toll {
    /// How urgent it is.
    pub pace: Pace,
    /// It belongs to a first poll.
    pub first: bool,
}

/// Why a host may not be asked now, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// It is held (R39, R47).
    Held(Timestamp),
    /// Its budget for this hour is spent (R72).
    Spent(Timestamp),
}

impl Bar {
    /// What stands between a request and its host.
    pub fn of(host: &HostState, toll: Toll, now: Timestamp, settings: &Settings) -> Option<Self> {
        if let Some(until) = poll::held(host, now, &settings.poll) {
            return Some(Self::Held(until));
        }
        let budget = settings.http.host_budget;
        poll::over_budget(host, toll.pace, toll.first, now, budget).map(Self::Spent)
    }

    /// When it is gone.
    pub const fn until(self) -> Timestamp {
        match self {
            Self::Held(until) | Self::Spent(until) => until,
        }
    }

    /// What becomes of a feed that met it.
    pub fn conclude(self, known: &Known) -> Conclusion {
        match self {
            Self::Held(until) => poll::defer(until, known),
            Self::Spent(until) => poll::defer_for_budget(until, known),
        }
    }
}

/// The end of a poll's time on the network.
pub struct Landing {
    /// The flight it ends.
    pub flight: u64,
    /// The host that was asked last.
    pub host: HostKey,
    /// The status, when something answered.
    pub status: Option<u16>,
    /// Something answered, be it a refusal: this machine is not offline.
    pub answered: bool,
}

/// The right to use a host's lane. Dropped, it frees the lane.
pub struct Pass {
    host: HostKey,
    /// The host's record, as this run has it.
    pub state: HostState,
    /// How often it has answered 403 in this run (R51).
    pub forbidden: usize,
    /// Which turn of the lanes this is: later ones know more of the host.
    pub turn: u64,
    /// It may not be asked now: the lane is had, but nothing may be sent.
    pub bar: Option<Bar>,
    changed: Option<HostState>,
    left: bool,
    inner: mpsc::UnboundedSender<Inner>,
}

impl Pass {
    /// A pass for `host`, whose record is `state`, and which has answered 403 so often in this run.
    pub const fn new(
        host: HostKey,
        state: HostState,
        forbidden: usize,
        inner: mpsc::UnboundedSender<Inner>,
    ) -> Self {
        Self {
            host,
            state,
            forbidden,
            turn: 0,
            bar: None,
            changed: None,
            left: false,
            inner,
        }
    }

    /// The host.
    pub const fn host(&self) -> &HostKey {
        &self.host
    }

    /// The lane is still taken, so that nobody else learned anything of the host meanwhile.
    pub const fn holds(&self) -> bool {
        !self.left
    }

    /// The same pass, of that turn.
    pub const fn of_turn(mut self, turn: u64) -> Self {
        self.turn = turn;
        self
    }

    /// The same pass, behind a bar.
    pub const fn behind(mut self, bar: Option<Bar>) -> Self {
        self.bar = bar;
        self
    }

    /// What is known of the host now, for when the lane is left.
    pub fn learn(&mut self, state: HostState) {
        self.changed = Some(state);
    }

    /// Leaves the lane and says what is known of the host now.
    pub fn leave_with(mut self, state: HostState) {
        self.changed = Some(state);
    }

    /// Leaves the lane after something was stored that whoever is next there must see.
    pub fn leave_written(self) {
        let _ = self.inner.send(Inner::Stored);
    }

    /// Leaves the lane before the pass itself goes.
    pub fn leave(&mut self) {
        if !std::mem::replace(&mut self.left, true) {
            let _ = self.inner.send(Inner::Leave {
                host: self.host.clone(),
                state: self.changed.take(),
            });
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.leave();
    }
}
