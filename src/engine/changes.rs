//! Files that say what changed on a day, asked for in order instead of the feed that is the whole (R77).

use std::collections::HashMap;

use chrono::NaiveDate;
use tokio::sync::mpsc;

use crate::config;
use crate::model::{
    Answer, ChangeFiles, Cursor, EntryKey, ErrorKind, HostKey, Incoming, PollError, Timestamp,
};
use crate::parse;
use crate::poll::{self, DayEnd, Root, Since, Verdict};

use super::clock;
use super::gather::{Part, on_worker, part, part_in_turn};
use super::gathered::{Failed, Gathered};
use super::job::{Fetched, Job};
use super::pass::Inner;
use super::reading::without_login;
use super::shared::Shared;

/// Asks for the files of the days that are not settled. False: the whole feed is to be asked for.
pub async fn ask(
    shared: &Shared,
    job: &Job,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) -> bool {
    let Some(changes) = &job.subscription.changes else {
        return false;
    };
    let known = job.known(&fetched.pass.state, &shared.settings, clock::now());
    let days = poll::days(changes, job.cursor.as_ref(), job.pace, &known);
    let (Some(days), Some(cursor)) = (days, &job.cursor) else {
        return false;
    };
    fetched.since = Since::Newer;
    let mut round = Round {
        shared,
        job,
        changes,
        now: known.now,
        gathered: Gathered::new(Root::Unasked),
        entries: Merged::default(),
        ends: Vec::new(),
        good: None,
    };
    let end = round.run(&days, inner, fetched).await;
    round.finish(cursor, end, fetched);
    true
}

/// One poll of change files.
struct Round<'a> {
    shared: &'a Shared,
    job: &'a Job,
    changes: &'a ChangeFiles,
    now: Timestamp,
    gathered: Gathered,
    entries: Merged,
    ends: Vec<(NaiveDate, DayEnd)>,
    /// The last answer that was none of an error, else the last one.
    good: Option<Box<Answer>>,
}

impl Round<'_> {
    /// The end of a file that failed, where one did.
    async fn run(
        &mut self,
        days: &[NaiveDate],
        inner: &mpsc::UnboundedSender<Inner>,
        fetched: &mut Fetched,
    ) -> Result<(), Failed> {
        for day in days {
            let url = poll::address_of(&self.changes.pattern, *day);
            let cost = &mut self.gathered.cost;
            // The poll's own turn is that of the feed's host.
            let in_turn = self.good.is_none()
                && HostKey::of_str(&url).is_some_and(|host| host == *fetched.pass.host());
            let asked = if in_turn {
                part_in_turn(self.shared, self.job, &url, inner, fetched, cost).await
            } else {
                part(self.shared, self.job, &url, inner, fetched, cost).await
            };
            let (mut answer, conditional) = match asked {
                Part::Answer(answer, conditional) => (answer, conditional),
                Part::NoTurn if self.good.is_none() => {
                    let why = "the host of the changes had no turn for them";
                    return self
                        .gathered
                        .ends_with(Err(PollError::new(ErrorKind::Timeout, why)));
                }
                Part::NoTurn => break,
                Part::Failed(error) => return self.gathered.ends_with(Err(error)),
            };
            let end = match poll::judge(&answer, conditional) {
                Verdict::NotModified => DayEnd::Had,
                Verdict::Parse => self.read(&mut answer, &url).await?,
                Verdict::Gone => DayEnd::Missing,
                Verdict::Failed(_) if answer.status == 404 => DayEnd::Missing,
                _ => return self.gathered.ends_with(Ok(answer)),
            };
            fetched.grant = None;
            self.settle(*day, end, &url, answer);
        }
        Ok(())
    }

    /// Reads the file of a day: its entries come after those of the days before it, and count more.
    async fn read(&mut self, answer: &mut Answer, url: &str) -> Result<DayEnd, Failed> {
        let bytes = std::mem::take(&mut answer.body.bytes);
        let content_type = answer.headers.text("content-type");
        let base = without_login(&answer.url);
        let work = move || parse::parse(&bytes, content_type.as_deref(), &base);
        let url = config::masked(url);
        Ok(match on_worker(self.shared, work).await.map_err(Err)? {
            Ok(parsed) => {
                self.entries.take(parsed.entries);
                if parsed.truncated {
                    let warning = format!("{url} is cut, and asked for again");
                    self.gathered.warnings.push(warning);
                    DayEnd::Broken
                } else {
                    DayEnd::Had
                }
            }
            Err(error @ parse::ParseError::Html(_)) => {
                let warning = format!("{url} counts as missing: {error}");
                self.gathered.warnings.push(warning);
                DayEnd::Missing
            }
            Err(error) => {
                let warning = format!("{url} could not be read, and is asked for again: {error}");
                self.gathered.warnings.push(warning);
                DayEnd::Broken
            }
        })
    }

    /// Validators count as long as the file is asked for, and only with a body that was read.
    fn settle(&mut self, day: NaiveDate, end: DayEnd, url: &str, answer: Box<Answer>) {
        let settled = poll::is_settled(day, self.changes, self.now);
        if settled || end != DayEnd::Had {
            let known = self.job.input.validators.iter().any(|(of, _)| of == url);
            if known {
                self.gathered.validators.push((url.to_owned(), None));
            }
        } else if answer.status != 304 {
            let got = poll::validators(&answer.headers);
            self.gathered.validators.push((url.to_owned(), Some(got)));
        }
        self.ends.push((day, end));
        let is_good = answer.status < 400;
        if is_good || self.good.as_ref().is_none_or(|known| known.status >= 400) {
            self.good = Some(answer);
        }
    }

    fn finish(mut self, cursor: &Cursor, end: Result<(), Failed>, fetched: &mut Fetched) {
        self.gathered.cursor = Some(poll::after_days(cursor, &self.ends, self.changes, self.now));
        self.gathered.entries = self.entries.into_entries();
        // Whether the last request carried validators, the poll itself counts.
        let counted = u64::from(!fetched.sent.is_empty());
        self.gathered.cost.conditional -= counted.min(self.gathered.cost.conditional);
        let nothing = || PollError::new(ErrorKind::Timeout, "no file of changes had a turn");
        fetched.end = match end {
            Ok(()) => self.good.ok_or_else(nothing),
            Err(end) => end,
        };
        fetched.gathered = Some(Box::new(self.gathered));
    }
}

/// Entries of several files: of one that is in several of them the last counts, in the place of the first.
#[derive(Default)]
struct Merged {
    entries: Vec<Incoming>,
    places: HashMap<EntryKey, usize>,
}

impl Merged {
    fn take(&mut self, entries: Vec<Incoming>) {
        for entry in entries {
            if let Some(place) = self.places.get(&entry.key) {
                self.entries[*place] = entry;
            } else {
                self.places.insert(entry.key, self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    fn into_entries(self) -> Vec<Incoming> {
        self.entries
    }
}
