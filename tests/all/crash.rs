//! Two hundred times kill -9 in the middle of a refresh, half of them with two processes at once: no entry is lost, none
//! is there twice, and validators are never ahead of entries (R13, R14, R66).
//!
//! `TIDINGS_CRASH_SEED` repeats the choices of a run (its seed is printed), `TIDINGS_CRASH_ROUNDS` makes it longer. When
//! exactly a process dies is the machine's doing and cannot be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value;

use crate::support::garden::{self, Bed, Garden, Step};
use crate::support::process::{Ended, Home, LIMIT, Process};

const ROUNDS: u64 = 200;
const FEEDS: usize = 5;
const HOSTS: usize = 3;
/// After so many kills a run is let finish, and everything is looked at.
const EVERY: u64 = 8;

#[test]
fn r14_two_hundred_kills_lose_nothing_and_double_nothing() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("TIDINGS_CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    let rounds = number("TIDINGS_CRASH_ROUNDS").unwrap_or(ROUNDS);
    println!("seed {seed}");
    let mut ordeal = Ordeal::new(seed);
    let mut kills = 0;
    while kills < rounds {
        ordeal.round += 1;
        assert!(ordeal.round < rounds * 4, "only {kills} kills hit");
        ordeal.grow();
        if ordeal.kill(kills % 2 == 1) {
            kills += 1;
            if kills % EVERY == 0 {
                ordeal.finish();
            }
        }
    }
    // Once more, with nothing new: all is there, and nothing is sent again.
    ordeal.finish();
    let entries = ordeal.keys.len();
    let lines = ordeal.refresh().lines();
    assert!(lines.iter().all(|line| line["status"] == 304), "{lines:?}");
    ordeal.look();
    assert_eq!(ordeal.keys.len(), entries);
    println!(
        "{kills} kills in {} rounds, {} of them between two commits, {entries} entries",
        ordeal.round, ordeal.halves
    );
}

/// The store under test, and what is known of it for certain.
struct Ordeal {
    home: Home,
    garden: Garden,
    urls: Vec<String>,
    rng: Rng,
    round: u64,
    /// Kills after which some of the round's polls were on disk and some were not.
    halves: u64,
    /// Entries that were seen in the store.
    keys: BTreeSet<String>,
    /// The version of every feed when it was last looked at, with the counters.
    seen: Vec<Seen>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Seen {
    version: u64,
    ok200: u64,
    not_modified: u64,
}

/// Who runs in a round, and who of them dies.
struct Cast {
    processes: Vec<Process>,
    victims: Vec<usize>,
    marks: Option<&'static str>,
}

impl Ordeal {
    fn new(seed: u64) -> Self {
        let garden = Garden::plant(FEEDS, HOSTS, seed);
        let (home, urls) = (Home::new(), garden.urls());
        home.subscribe(&urls);
        Self {
            home,
            garden,
            urls,
            rng: Rng::with_seed(seed),
            round: 0,
            halves: 0,
            keys: BTreeSet::new(),
            seen: vec![Seen::default(); FEEDS],
        }
    }

    /// About half of the feeds have something new.
    fn grow(&mut self) {
        for feed in 0..FEEDS {
            if self.rng.bool() {
                self.garden.grow(feed, self.rng.u64(1..=2));
            }
        }
    }

    fn cast(&mut self, two: bool) -> Cast {
        let refresh = ["--refresh-only", "--force", "--json"];
        let mut cast = Cast {
            processes: vec![self.home.start(&refresh)],
            victims: vec![0],
            marks: None,
        };
        if two {
            let second = match self.rng.u8(..4) {
                0 => {
                    let mark = if self.rng.bool() { "read" } else { "unread" };
                    cast.marks = Some(mark);
                    self.home.start(&["mark", mark, "all"])
                }
                _ => self.home.start(&refresh),
            };
            cast.processes.push(second);
            cast.victims = match self.rng.u8(..4) {
                0 if cast.marks.is_none() => vec![1],
                1 => vec![0],
                _ => vec![0, 1],
            };
        }
        cast
    }

    /// Starts one or two processes and kills one or both. True when one died that was at work.
    fn kill(&mut self, two: bool) -> bool {
        self.garden.calm();
        let steps = self.garden.watch();
        let (before, keys) = (self.seen.clone(), self.keys.clone());
        let mut cast = self.cast(two);
        // About three steps are taken for a feed; in the middle is anywhere among them, and a little after the last.
        let mut at = self.rng.usize(1..FEEDS * if two { 4 } else { 3 });
        let most = [1, 4, 40, 120][self.rng.usize(..4)];
        let mut delay = self.rng.u64(..most);
        // Or between two commits of one run: most feeds are on disk by then, one is still being answered.
        let between = self.rng.u8(..6) == 0;
        if between {
            (at, delay) = (6, self.rng.u64(260..420));
        }
        self.garden.slow(between);
        let delay = Duration::from_millis(delay);
        let began = await_step(&steps, at, delay, &mut cast.processes);
        self.garden.about_to_kill();
        for victim in &cast.victims {
            cast.processes[*victim].kill();
        }
        let ends: Vec<Ended> = cast.processes.into_iter().map(Process::end).collect();
        let died = began
            && cast
                .victims
                .iter()
                .any(|victim| ends[*victim].code.is_none());
        for (at, end) in ends.iter().enumerate() {
            let well = end.code == Some(0) || (end.code.is_none() && cast.victims.contains(&at));
            assert!(well, "round {}: process {at}: {end:?}", self.round);
        }
        let entries = self.look();
        let polls = if cast.marks.is_some() { 1 } else { ends.len() };
        self.kept_its_word(&before, &ends[..polls]);
        if let (Some(mark), Some(Some(0))) = (cast.marks, ends.get(1).map(|end| end.code)) {
            self.marked(mark, &keys, &entries);
        }
        if died {
            let after = self.seen.iter().zip(&before);
            let moved = after.filter(|(after, before)| after != before).count();
            self.halves += u64::from(moved > 0 && moved < FEEDS);
        }
        died
    }

    /// What was printed is on disk: a line leaves after its commit.
    fn kept_its_word(&self, before: &[Seen], ends: &[Ended]) {
        let mut told = BTreeMap::<String, u64>::new();
        for line in ends.iter().flat_map(Ended::lines) {
            let url = line["url"].as_str().expect("a URL").to_owned();
            *told.entry(url).or_default() += 1;
        }
        for (feed, url) in self.urls.iter().enumerate() {
            let (now, then) = (&self.seen[feed], &before[feed]);
            let stored = now.ok200 + now.not_modified - then.ok200 - then.not_modified;
            let told = told.get(url).copied().unwrap_or_default();
            assert!(
                told <= stored,
                "round {}: {told} told, {stored} stored",
                self.round
            );
        }
    }

    /// Every entry of `before` has the mark that a finished `mark … all` gave it; what came meanwhile may be on either
    /// side.
    fn marked(&self, mark: &str, before: &BTreeSet<String>, entries: &[Value]) {
        for entry in entries {
            let right = entry["unread"] == (mark == "unread");
            assert!(
                right || !before.contains(&name(entry)),
                "{}: {entry}",
                self.round
            );
        }
    }

    fn entries(&self) -> Vec<Value> {
        let value = self.home.run(&["entries", "--json"]).json();
        value.as_array().expect("an array").clone()
    }

    /// Whatever happened, the store holds whole versions, and says so. The entries.
    fn look(&mut self) -> Vec<Value> {
        let round = self.round;
        let stats = self.home.run(&["stats", "--json"]).json();
        let entries = self.entries();
        let mut ids = vec![BTreeMap::<u64, String>::new(); FEEDS];
        let mut keys = BTreeSet::new();
        for entry in &entries {
            assert!(keys.insert(name(entry)), "round {round}: twice: {entry}");
            let (feed, number) = place(entry);
            let title = entry["title"].as_str().expect("a title").to_owned();
            let twice = ids[feed].insert(number, title);
            assert_eq!(twice, None, "round {round}: twice: {entry}");
        }
        let lost: Vec<_> = self.keys.difference(&keys).collect();
        assert!(lost.is_empty(), "round {round}: lost: {lost:?}");
        self.keys = keys;
        let beds = self.garden.beds();
        for (feed, url) in self.urls.iter().enumerate() {
            let rows = stats.as_array().expect("an array");
            let row = rows
                .iter()
                .find(|row| row["url"] == **url)
                .expect("subscribed");
            let seen = whole(round, row, &ids[feed], &beds[feed]);
            assert!(seen.version >= self.seen[feed].version, "round {round}");
            assert!(seen.ok200 >= self.seen[feed].ok200, "round {round}");
            assert!(
                seen.not_modified >= self.seen[feed].not_modified,
                "round {round}"
            );
            self.seen[feed] = seen;
        }
        assert_eq!(
            self.garden.doubled(),
            0,
            "round {round}: a feed was asked by two at once"
        );
        // None was set aside, none is suspected.
        assert_eq!(self.home.stores(), ["tidings.redb"], "round {round}");
        entries
    }

    fn refresh(&self) -> Ended {
        let end = self.home.run(&["--refresh-only", "--force", "--json"]);
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""), "{}", end.out);
        end
    }

    /// A run that nobody disturbs: afterwards everything that is served is there, and was asked for once.
    fn finish(&mut self) {
        self.garden.calm();
        self.garden.slow(false);
        let before = self.garden.beds();
        let lines = self.refresh().lines();
        let round = self.round;
        for (feed, url) in self.urls.iter().enumerate() {
            let mine: Vec<_> = lines.iter().filter(|line| line["url"] == **url).collect();
            assert_eq!(mine.len(), 1, "round {round}: {lines:?}");
            let known = self.seen[feed].version == before[feed].version;
            let status = if known { 304 } else { 200 };
            assert_eq!(mine[0]["status"], status, "round {round}: {mine:?}");
        }
        let entries = self.look();
        self.counted(&entries);
        for (feed, bed) in self.garden.beds().iter().enumerate() {
            assert_eq!(bed.requests, before[feed].requests + 1, "round {round}");
            assert_eq!(self.seen[feed].version, bed.version, "round {round}");
        }
    }

    /// The counts that are kept agree with what can be counted.
    fn counted(&self, entries: &[Value]) {
        let feeds = self.home.run(&["feeds", "--json"]).json();
        for (feed, row) in feeds.as_array().expect("an array").iter().enumerate() {
            let mine = || {
                entries
                    .iter()
                    .filter(|entry| entry["feed_url"] == row["url"])
            };
            let unread = mine().filter(|entry| entry["unread"] == true).count();
            assert_eq!(row["total"], mine().count(), "feed {feed}");
            assert_eq!(row["unread"], unread, "feed {feed}");
        }
    }
}

/// One feed as the store has it: exactly the version that its validator names.
fn whole(round: u64, row: &Value, ids: &BTreeMap<u64, String>, bed: &Bed) -> Seen {
    let version = row["etag"].as_str().map_or(0, garden::version_of);
    let context = format!("round {round}: {row}: {ids:?}");
    assert_eq!(ids.len() as u64, version, "{context}");
    assert_eq!(ids.keys().max().copied().unwrap_or(0), version, "{context}");
    let edited = ids
        .get(&1)
        .map(|title| format!("Edited by {version}") == *title);
    assert!(edited.unwrap_or(version == 0), "{context}");
    assert!(version <= bed.version, "{context}");
    let count = |key: &str| row[key].as_u64().expect("a count");
    assert!(count("ok200") <= bed.ok200, "{context}: {bed:?}");
    assert!(
        count("not_modified304") <= bed.not_modified,
        "{context}: {bed:?}"
    );
    assert!(
        count("conditional") <= bed.conditional,
        "{context}: {bed:?}"
    );
    assert!(
        count("conditional") >= count("not_modified304"),
        "{context}"
    );
    assert_eq!(
        count("errors") + count("deferred") + count("identical200"),
        0,
        "{context}"
    );
    Seen {
        version,
        ok200: count("ok200"),
        not_modified: count("not_modified304"),
    }
}

/// Feed and number of an entry.
fn place(entry: &Value) -> (usize, u64) {
    let id = entry["id"].as_str().expect("an id");
    let (feed, number) = id.split_once('-').expect("one of ours");
    (
        feed.parse().expect("a feed"),
        number.parse().expect("a number"),
    )
}

fn name(entry: &Value) -> String {
    format!("{} {}", entry["feed_url"], entry["key"])
}

/// Waits for the `at`th step and `delay` longer, or until everybody ended. True when anything was asked.
fn await_step(
    steps: &Receiver<Step>,
    at: usize,
    delay: Duration,
    processes: &mut [Process],
) -> bool {
    let limit = Instant::now() + LIMIT;
    let mut taken = 0;
    while taken < at {
        match steps.recv_timeout(Duration::from_millis(5)) {
            Ok(_) => taken += 1,
            Err(RecvTimeoutError::Timeout) => {
                if processes
                    .iter_mut()
                    .all(|process| process.ended().is_some())
                {
                    return false;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        assert!(Instant::now() < limit, "{taken} steps of {at}");
    }
    let end = Instant::now() + delay;
    while let Ok(_) | Err(RecvTimeoutError::Timeout) =
        steps.recv_timeout(end.saturating_duration_since(Instant::now()))
        && Instant::now() < end
    {}
    true
}
