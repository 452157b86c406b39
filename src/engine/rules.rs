//! Rules at work: new entries are judged before their commit. What is to be done outside of the store is done after it: `deeds`.
//!
//! A deed hangs on an entry that was new in a commit: it is done at most once, and lost rather than done twice where the
//! process ends in between.

use crate::article::sanitize;
use crate::config;
use crate::model::Incoming;
use crate::query::{FeedFacts, Ruled, rule_key};
use crate::store::Packed;

use super::clock;
use super::job::Job;
use super::shared::Shared;

/// Something to be done for a new entry once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The title of the entry.
    pub title: String,
    /// Its link.
    pub link: String,
    /// The title of its feed.
    pub feed: String,
    /// Somebody is told of it.
    pub notify: bool,
    /// Commands of rules.
    pub run: Vec<Vec<String>>,
    /// What they are given to read.
    pub input: String,
}

impl Deed {
    /// What names in braces stand for.
    pub fn known(&self) -> [(&str, &str); 3] {
        [
            ("{title}", &self.title),
            ("{link}", &self.link),
            ("{feed}", &self.feed),
        ]
    }
}

/// What the rules say of the new entries of a poll.
pub fn judge(shared: &Shared, job: &Job, title: Option<&str>, new: &[Incoming]) -> Judged {
    let book = shared.rules.now();
    let subscription = &job.subscription;
    let wanted = shared.rules.news().wants(subscription);
    if (book.is_empty() && !wanted) || new.is_empty() {
        return Judged::default();
    }
    let own = subscription.title.as_deref();
    let title = own.or(title).unwrap_or(&job.input.feed.title);
    let feed = FeedFacts {
        title,
        url: &subscription.url,
        tags: &subscription.tags,
    };
    let moment = clock::moment();
    let ruled: Vec<Ruled> = new
        .iter()
        .map(|entry| book.judge(entry, feed, moment))
        .collect();
    // Whoever subscribes wants to hear of what comes, not of what was there.
    let first = job.input.state.last.is_none();
    // What a rule has read or hidden is no news.
    let told = |ruled: &Ruled| ruled.notify || (wanted && !ruled.marks.read);
    let loud = |(_, ruled): &(&Incoming, &Ruled)| !first && (told(ruled) || !ruled.run.is_empty());
    let deeds = new
        .iter()
        .zip(&ruled)
        .filter(loud)
        .map(|(entry, ruled)| Deed {
            title: sanitize::line(&entry.title),
            link: entry.link.clone().unwrap_or_default(),
            feed: title.to_owned(),
            notify: told(ruled),
            run: ruled
                .run
                .iter()
                .filter_map(|at| book.rule(*at).map(|rule| rule.run.clone()))
                .collect(),
            input: input_of(entry, title, &subscription.url),
        });
    let hits = ruled.iter().flat_map(|ruled| &ruled.hits);
    let hits = hits.filter_map(|at| book.rule(*at).map(rule_key)).collect();
    Judged {
        deeds: deeds.collect(),
        hits,
        ruled,
    }
}

/// What became of the new entries of a poll.
#[derive(Debug, Default)]
pub struct Judged {
    ruled: Vec<Ruled>,
    hits: Vec<String>,
    /// To be done after the commit.
    pub deeds: Vec<Deed>,
}

impl Judged {
    /// Writes the marks into what is to be stored.
    pub fn mark(&mut self, packed: &mut Packed) {
        let marks = self.ruled.iter_mut();
        let marks = marks.map(|ruled| (ruled.marks, std::mem::take(&mut ruled.tags)));
        packed.begin_with(marks, std::mem::take(&mut self.hits));
    }
}

/// An entry as a command reads it: one line of JSON, with the keys of `entries --json`.
fn input_of(entry: &Incoming, feed: &str, url: &str) -> String {
    let published = entry.published.map(crate::model::Timestamp::rfc3339);
    let value = serde_json::json!({
        "feed": feed,
        "feed_url": config::masked(url),
        "id": entry.guid,
        "key": entry.key.to_string(),
        "title": entry.title,
        "link": entry.link,
        "author": entry.author,
        "published": published,
    });
    format!("{value}\n")
}
