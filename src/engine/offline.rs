//! Polls that nothing answered wait here until it is clear whether this machine is offline (R44).

use tokio::sync::oneshot;
use tokio::time::{Duration, Instant};

use crate::model::{ErrorKind, HostKey, Offline, Timestamp};
use crate::poll;

/// No such poll waits longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// What an earlier run found is forgotten this long after its time: the machine was off, not offline. Seconds.
const STALE: i64 = 86_400;

/// The polls in doubt.
#[derive(Default)]
pub struct Doubt {
    waiting: Vec<oneshot::Sender<Option<Timestamp>>>,
    failures: Vec<(HostKey, ErrorKind)>,
    since: Option<Instant>,
    answered_in_run: bool,
    last_success: Option<Timestamp>,
    probes: u32,
    offline: Option<Until>,
}

/// The end of a wait, by both clocks: one may be set, the other stands still while a machine sleeps.
#[derive(Debug, Clone, Copy)]
struct Until {
    wall: Timestamp,
    steady: Instant,
}

impl Until {
    fn is_over(&self, wall: Timestamp, steady: Instant) -> bool {
        wall >= self.wall || steady >= self.steady
    }
}

/// What the schedule may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Everybody who is due.
    All,
    /// One feed, to see whether the network is back.
    Probe,
    /// Nobody yet.
    Nobody,
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
        self.offline = None;
        self.settle(None);
    }

    /// The doubt can be decided: nobody else is in flight, or patience is at its end.
    pub fn is_ripe(&self, in_flight: usize, now: Instant) -> bool {
        self.since
            .is_some_and(|since| in_flight == 0 || now.duration_since(since) >= PATIENCE)
    }

    /// Decides: offline until then, or `None` for ordinary errors. While offline one more failure is proof enough.
    pub fn decide(&mut self, now: Timestamp, steady: Instant) -> Option<Timestamp> {
        let failures = self.failures.iter().map(|(host, kind)| (host, *kind));
        let offline = self.offline.is_some() || poll::offline(failures, self.last_success, now);
        let until = offline.then(|| self.wait(now, steady));
        self.settle(until);
        until
    }

    /// A probe came to nothing.
    pub fn silent(&mut self, now: Timestamp, steady: Instant) {
        if self.offline.is_some() {
            self.wait(now, steady);
        }
    }

    /// The end of the wait under way, or of the next one.
    fn wait(&mut self, now: Timestamp, steady: Instant) -> Timestamp {
        match self.offline {
            Some(until) if !until.is_over(now, steady) => until.wall,
            _ => {
                let delay = poll::probe_delay(self.probes);
                self.probes = self.probes.saturating_add(1);
                let wall = now.after(delay);
                let steady = steady + delay;
                self.offline = Some(Until { wall, steady });
                wall
            }
        }
    }

    /// What the next run must know.
    pub fn kept(&self) -> Option<Offline> {
        self.offline.map(|until| Offline {
            until: until.wall,
            probes: self.probes,
        })
    }

    /// An earlier run found this machine offline: its steps go on (R44). What lies further ahead than a step can reach
    /// is an error of the clock (R48), and its time has come.
    pub fn restore(&mut self, kept: Offline, now: Timestamp, steady: Instant) {
        let ahead = kept.until.since(now);
        if ahead < -STALE {
            return;
        }
        let longest = poll::probe_delay(u32::MAX);
        let left = Duration::from_secs(u64::try_from(ahead).unwrap_or(0));
        let left = if left > longest { Duration::ZERO } else { left };
        self.probes = kept.probes;
        self.offline = Some(Until {
            wall: now.after(left),
            steady: steady + left,
        });
    }

    /// Somebody opened a reader: the next probe need not wait.
    pub fn look_at_once(&mut self, now: Timestamp, steady: Instant) {
        if let Some(until) = &mut self.offline {
            *until = Until { wall: now, steady };
        }
    }

    /// When the next probe may be sent, while offline.
    pub fn until(&self) -> Option<Timestamp> {
        self.offline.map(|until| until.wall)
    }

    /// What the schedule may ask now.
    pub fn reach(&self, now: Timestamp, steady: Instant) -> Reach {
        match self.offline {
            None => Reach::All,
            Some(until) if until.is_over(now, steady) => Reach::Probe,
            Some(_) => Reach::Nobody,
        }
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
        let until = doubt.decide(Timestamp(1000), now);
        assert_eq!(until, Some(Timestamp(1300)));
        for verdict in verdicts {
            assert_eq!(verdict.await, Ok(until));
        }
    }

    #[tokio::test]
    async fn r44_while_offline_one_feed_is_asked_after_5_10_20_minutes() {
        let start = Instant::now();
        let at = |secs: i64| {
            (
                Timestamp(1000 + secs),
                start + Duration::from_secs(secs as u64),
            )
        };
        let mut doubt = Doubt::default();
        assert_eq!(doubt.reach(at(0).0, at(0).1), Reach::All);
        let _three = ["a:80", "b:80", "c:80"].map(|host| fail(&mut doubt, host, start));
        assert_eq!(doubt.decide(at(0).0, at(0).1), Some(at(300).0));
        assert_eq!(doubt.reach(at(299).0, at(299).1), Reach::Nobody);
        assert_eq!(doubt.reach(at(300).0, at(300).1), Reach::Probe);
        // The probe alone is proof enough, and no error of its feed.
        let probe = fail(&mut doubt, "a:80", at(300).1);
        assert_eq!(doubt.decide(at(300).0, at(300).1), Some(at(900).0));
        assert_eq!(probe.await, Ok(Some(at(900).0)));
        // By hand before the time: offline still, and the wait is no longer.
        let _hand = fail(&mut doubt, "b:80", at(400).1);
        assert_eq!(doubt.decide(at(400).0, at(400).1), Some(at(900).0));
        // A probe that times out.
        doubt.silent(at(900).0, at(900).1);
        assert_eq!(doubt.reach(at(2099).0, at(2099).1), Reach::Nobody);
        assert_eq!(doubt.reach(at(2100).0, at(2100).1), Reach::Probe);
        // Either clock: one is set back, the other stood still.
        assert_eq!(doubt.reach(Timestamp(0), at(2100).1), Reach::Probe);
        assert_eq!(doubt.reach(at(2100).0, at(0).1), Reach::Probe);
        doubt.answered(at(2100).0);
        assert_eq!(doubt.reach(at(2101).0, at(2101).1), Reach::All);
    }

    #[tokio::test]
    async fn r44_the_steps_go_on_in_the_next_run() {
        let steady = Instant::now();
        let mut doubt = Doubt::default();
        let _three = ["a:80", "b:80", "c:80"].map(|host| fail(&mut doubt, host, steady));
        doubt.decide(Timestamp(1000), steady);
        let kept = doubt.kept().expect("offline");
        let next_run = |now: i64| {
            let mut doubt = Doubt::default();
            doubt.restore(kept, Timestamp(now), steady);
            doubt
        };
        let early = next_run(1200);
        assert_eq!(early.reach(Timestamp(1200), steady), Reach::Nobody);
        assert_eq!(early.until(), Some(Timestamp(1300)));
        let mut due = next_run(1300);
        assert_eq!(due.reach(Timestamp(1300), steady), Reach::Probe);
        let _probe = fail(&mut due, "d:80", steady);
        assert_eq!(due.decide(Timestamp(1300), steady), Some(Timestamp(1900)));
        let mut opened = next_run(1200);
        opened.look_at_once(Timestamp(1200), steady);
        assert_eq!(opened.reach(Timestamp(1200), steady), Reach::Probe);
        // The clock was set back, or the machine was off for days.
        assert_eq!(
            next_run(-9000).reach(Timestamp(-9000), steady),
            Reach::Probe
        );
        assert_eq!(
            next_run(99_000).reach(Timestamp(99_000), steady),
            Reach::All
        );
        due.answered(Timestamp(1900));
        assert_eq!(due.kept(), None);
    }

    #[tokio::test]
    async fn two_hosts_are_two_ordinary_errors() {
        let now = Instant::now();
        let mut doubt = Doubt::default();
        let _first = fail(&mut doubt, "a:80", now);
        let second = fail(&mut doubt, "b:80", now);
        assert_eq!(doubt.decide(Timestamp(1000), now), None);
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
