//! One feed to ask, and what the network gave: what the steps of a poll hand on to each other.

use std::sync::Arc;

use tokio::time::Instant;
use url::Url;

use crate::config;
use crate::fetch::{Grant, Reuse, is_private_host};
use crate::model::{
    Answer, Cursor, ErrorKind, Exchange, Hop, HostState, Memory, Pace, PollError, Settings,
    Subscription, Timestamp, Validators,
};
use crate::parse;
use crate::poll::{self, Known, Since};
use crate::store::PollInput;

use super::gathered::Gathered;
use super::pass::{Bar, Pass, Toll};

/// One feed to ask.
pub struct Job {
    /// What the store knows.
    pub input: PollInput,
    /// What the user wants.
    pub subscription: Arc<Subscription>,
    /// How urgent.
    pub pace: Pace,
    /// The whole chain ends by then.
    pub deadline: Instant,
    /// What becomes of the connection.
    pub reuse: Reuse,
    /// How far it was read, of a feed that is asked for what is newer (R77).
    pub cursor: Option<Cursor>,
    /// What is remembered of a source that is more than one document.
    pub memory: Memory,
    /// Until when a hub can be relied upon to push (R79).
    pub pushed: Option<Timestamp>,
    /// Redirects to other hosts are not followed.
    pub stays: bool,
}

impl Job {
    /// What its requests cost their hosts' budgets.
    pub const fn toll(&self) -> Toll {
        Toll {
            pace: self.pace,
            first: poll::is_first(&self.input.state),
        }
    }

    /// What a decision about this feed may know.
    pub fn known<'a>(
        &'a self,
        host: &'a HostState,
        settings: &'a Settings,
        now: Timestamp,
    ) -> Known<'a> {
        Known {
            now,
            state: &self.input.state,
            host,
            subscription: &self.subscription,
            validators: self.input.validators.as_slice(),
            settings: &settings.poll,
            parser: parse::VERSION,
        }
    }

    /// A private address may answer for `url` (R57): the user named this very host, or another that is private. What a list
    /// names, the user has not named; there it is the list's own host that counts.
    pub fn may_be_private(&self, url: &str) -> bool {
        if let Some(followed) = &self.subscription.followed {
            return is_private_host(&followed.list);
        }
        let named = &self.subscription.url;
        same_host(url, named) || is_private_host(named)
    }

    /// No server gives it.
    pub fn is_local(&self) -> bool {
        config::local(&self.subscription.url).is_some()
    }
}

/// What the network gave.
pub struct Fetched {
    /// Redirects on the way.
    pub hops: Vec<Hop>,
    /// The last answer, or why there is none.
    pub end: Result<Box<Answer>, PollError>,
    /// Validators sent at the last hop.
    pub sent: Validators,
    /// A host on the way may not be asked: nothing was sent to it.
    pub barred: Option<Bar>,
    /// Every exchange, for the audit.
    pub exchanges: Vec<Exchange>,
    /// Bytes on the wire of a body that did not end well.
    pub wire: u64,
    /// From start to end, milliseconds.
    pub ms: u32,
    /// When it began.
    pub at: Timestamp,
    /// The body's part of the memory that all bodies share, kept as long as the body.
    pub grant: Option<Grant>,
    /// The lane of the last host, still taken.
    pub pass: Pass,
    /// What became of the cursor.
    pub since: Since,
    /// What documents besides the last answer brought, of a source that is more than one.
    pub gathered: Option<Box<Gathered>>,
}

impl Fetched {
    /// A 304 whose headers speak of a body, or no answer: perhaps a body that followed the 304 before it without having
    /// been announced, perhaps a server that closes what it said it would keep.
    pub fn may_leave_a_body(&self) -> bool {
        let answer = match &self.end {
            Ok(answer) => answer,
            Err(error) => return matches!(error.kind, ErrorKind::Protocol | ErrorKind::Reset),
        };
        let length = answer.headers.get("content-length");
        answer.status == 304
            && (length.is_some_and(|length| length != b"0")
                || answer.headers.get("transfer-encoding").is_some())
    }

    /// There is something to parse.
    pub fn has_body(&self) -> bool {
        self.end
            .as_ref()
            .is_ok_and(|answer| !answer.body.bytes.is_empty())
    }
}

/// The user named this very host, wherever its name leads (R57 guards redirects to others).
pub fn same_host(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.host().is_some() && one.host() == other.host(),
        _ => false,
    }
}
