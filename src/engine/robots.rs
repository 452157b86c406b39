//! robots.txt of hosts with several feeds: the last request of a scheduled run to its host, once a week (R73).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::fetch::{Request, is_private_host};
use crate::model::{HostKey, Pace};
use crate::poll;
use crate::store::HostNote;

use super::batch::STARTS_FOR;
use super::clock;
use super::flight::{Flown, Radio};
use super::pass::{Inner, Toll};
use super::shared::Shared;

/// The files that a run is to read when its feeds are done.
#[derive(Default)]
pub struct Errands {
    /// Where they are, by host.
    wanted: BTreeMap<HostKey, String>,
    /// Being read.
    running: HashSet<HostKey>,
}

impl Errands {
    /// To be read at the end of the run.
    pub fn want(&mut self, host: &HostKey, url: String) {
        if !self.running.contains(host) {
            self.wanted.insert(host.clone(), url);
        }
    }

    /// Not in this run: the host gives no answer.
    pub fn spare(&mut self, host: &HostKey) {
        self.wanted.remove(host);
    }

    /// Not in this run, whoever it is.
    pub fn spare_all(&mut self) {
        self.wanted.clear();
    }

    /// The feeds are done: these are read now.
    pub fn begin(&mut self) -> Vec<(HostKey, String)> {
        let begun: Vec<_> = std::mem::take(&mut self.wanted).into_iter().collect();
        self.running
            .extend(begun.iter().map(|(host, _)| host.clone()));
        begun
    }

    /// One was read, or not.
    pub fn end(&mut self, host: &HostKey) {
        self.running.remove(host);
    }

    /// None is being read.
    pub fn is_quiet(&self) -> bool {
        self.running.is_empty()
    }
}

/// Reads one file in its host's turn.
pub async fn read(shared: Arc<Shared>, host: HostKey, url: String, radio: Radio) -> Flown {
    let (reply, turn) = oneshot::channel();
    let toll = Toll {
        pace: Pace::Scheduled,
        first: false,
    };
    let gate = Inner::Gate {
        host: host.clone(),
        toll,
        reply,
    };
    let _ = radio.inner.send(gate);
    let done = Flown::Told(Vec::new());
    // The loop drops the gate where the turn will not come.
    let Ok(pass) = turn.await else {
        return done;
    };
    if pass.bar.is_some() {
        return done;
    }
    let known = pass.state.clone();
    let request = Request {
        private_ok: is_private_host(&url),
        max_body: Some(poll::ROBOTS_MAX),
        ..Request::new(&url, &known.robots.validators)
    };
    let deadline = Instant::now() + shared.settings.http.total_timeout + STARTS_FOR;
    let asked = shared.fetcher.get(request, deadline, clock::now).await;
    let end = asked.as_ref().map_err(|failure| failure.error.kind);
    let conditional = !known.robots.validators.is_empty();
    let policy = &shared.settings.poll;
    if let Some(after) = poll::robots_read(end, conditional, &known, clock::now(), policy) {
        tracing::debug!(host = host.0, delay_ms = after.crawl_delay_ms, "robots.txt");
        let note = HostNote::Robots {
            state: Box::new(after.clone()),
            turn: pass.turn,
        };
        shared.writer.host(host, note);
        pass.leave_with(after);
    }
    done
}
