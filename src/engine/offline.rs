//! Polls that nothing answered wait here until it is clear whether this machine is offline (R44).

use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};

use crate::model::{ErrorKind, HostKey, Timestamp};
use crate::poll;

/// No such poll waits longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The polls in doubt.
#[derive(Default)]
pub struct Doubt {
    waiting: Vec<oneshot::Sender<Option<Timestamp>>>,
    failures: Vec<(HostKey, ErrorKind)>,
    since: Option<Instant>,
    answered_in_run: bool,
    last_success: Option<Timestamp>,
    probes: u32,
}

impl Doubt {
    /// A host did not answer. The poll gets its verdict at once where another host has answered in this run.
    pub fn unanswered(
        &mut self,
        failure: (HostKey, ErrorKind),
        reply: oneshot::Sender<Option<Timestamp>>,
        now: Instant,
    ) {
        if self.answered_in_run {
            // Whoever asked may have been broken off meanwhile.
            let _ = reply.send(None);
            return;
        }
        self.failures.push(failure);
        self.waiting.push(reply);
        self.since.get_or_insert(now);
    }

    /// A host answered: whoever waits had an ordinary error.
    pub fn answered(&mut self, at: Timestamp) {
        self.answered_in_run = true;
        self.last_success = Some(at);
        self.probes = 0;
        self.settle(None);
    }

    /// The doubt can be decided: nobody else is in flight, or patience is at its end.
    pub fn is_ripe(&self, in_flight: usize, now: Instant) -> bool {
        self.since
            .is_some_and(|since| in_flight == 0 || now.duration_since(since) >= PATIENCE)
    }

    /// Decides: offline until then, or `None` for ordinary errors.
    pub fn decide(&mut self, now: Timestamp) -> Option<Timestamp> {
        let failures = self.failures.iter().map(|(host, kind)| (host, *kind));
        let until = poll::offline(failures, self.last_success, now).then(|| {
            let delay = poll::probe_delay(self.probes);
            self.probes += 1;
            now.after(delay)
        });
        self.settle(until);
        until
    }

    /// Ends the doubt.
    pub fn settle(&mut self, offline: Option<Timestamp>) {
        for reply in self.waiting.drain(..) {
            let _ = reply.send(offline);
        }
        self.failures.clear();
        self.since = None;
    }

    /// A new run begins: whether anything answers is open again.
    pub const fn new_run(&mut self) {
        self.answered_in_run = false;
    }

    /// When `is_ripe` may change by time alone.
    pub fn wake(&self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(doubt: &mut Doubt, host: &str, now: Instant) -> oneshot::Receiver<Option<Timestamp>> {
        let (reply, verdict) = oneshot::channel();
        let failure = (HostKey(host.to_owned()), ErrorKind::Dns);
        doubt.unanswered(failure, reply, now);
        verdict
    }

    #[tokio::test]
    async fn three_hosts_that_are_not_found_mean_offline() {
        let now = Instant::now();
        let mut doubt = Doubt::default();
        let verdicts = ["a:80", "b:80", "c:80"].map(|host| fail(&mut doubt, host, now));
        assert!(!doubt.is_ripe(1, now), "somebody may still answer");
        assert!(doubt.is_ripe(0, now));
        let until = doubt.decide(Timestamp(1000));
        assert_eq!(until, Some(Timestamp(1300)));
        for verdict in verdicts {
            assert_eq!(verdict.await, Ok(until));
        }
    }

    #[tokio::test]
    async fn two_hosts_are_two_ordinary_errors() {
        let now = Instant::now();
        let mut doubt = Doubt::default();
        let _first = fail(&mut doubt, "a:80", now);
        let second = fail(&mut doubt, "b:80", now);
        assert_eq!(doubt.decide(Timestamp(1000)), None);
        assert_eq!(second.await, Ok(None));
    }

    #[tokio::test]
    async fn an_answer_ends_the_doubt_for_the_whole_run() {
        let now = Instant::now();
        let mut doubt = Doubt::default();
        let early = fail(&mut doubt, "a:80", now);
        doubt.answered(Timestamp(1000));
        assert_eq!(early.await, Ok(None));
        let late = fail(&mut doubt, "b:80", now);
        assert_eq!(late.await, Ok(None));
    }
}
