//! Rules at work: new entries are judged before their commit, and what is to be done outside of the store is done after it.
//!
//! A deed hangs on an entry that was new in a commit: it is done at most once, and lost rather than done twice where the
//! process ends in between.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use crate::article::sanitize;
use crate::config;
use crate::model::{Incoming, PollError, Rule};
use crate::query::{FeedFacts, QueryError, Ruled, Rules, rule_key};
use crate::source::{self, Limits};
use crate::store::Packed;

use super::clock;
use super::job::Job;
use super::news::News;
use super::run::Engine;
use super::shared::Shared;

/// A command of a rule may take so long.
const LONGEST: Duration = Duration::from_secs(60);
/// What it writes is read up to here, and forgotten.
const OUTPUT: u64 = 64 << 10;
/// The rules of the moment: one more may be written while they are in use.
#[derive(Debug, Default)]
pub struct Book {
    rules: RwLock<Arc<Rules>>,
    news: RwLock<Arc<News>>,
}

impl Book {
    /// Reads the rules. `config` has read their queries before.
    pub fn new(rules: &[Rule], news: News) -> Result<Self, QueryError> {
        Ok(Self {
            rules: RwLock::new(Arc::new(Rules::new(rules)?)),
            news: RwLock::new(Arc::new(news)),
        })
    }

    /// Who is told, as it is now.
    pub fn news(&self) -> Arc<News> {
        Arc::clone(&self.news.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells others from now on.
    pub fn tell(&self, news: News) {
        *self.news.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(news);
    }

    /// As they are now.
    pub fn now(&self) -> Arc<Rules> {
        // Whoever panicked swapped an Arc: it is whole.
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts others in their place.
    pub fn replace(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }
}

/// Something to be done for a new entry once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The entry for whoever is told of it.
    pub title: String,
    pub link: String,
    pub feed: String,
    /// Somebody is told of it.
    pub notify: bool,
    /// Commands, and what they are given to read.
    pub run: Vec<Vec<String>>,
    pub input: String,
}

impl Deed {
    fn known(&self) -> [(&str, &str); 3] {
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

impl Engine {
    /// Does what is to be done for entries that are on disk now, one thing after the other, beside everything else. Of
    /// what is to be told one sentence is made when the refresh is over.
    pub(super) fn carry_out(&mut self, deeds: Vec<Deed>) {
        let told = deeds.iter().filter(|deed| deed.notify);
        told.for_each(|deed| self.notice.add(deed));
        if deeds.iter().all(|deed| deed.run.is_empty()) {
            return;
        }
        let folder = self.shared.locations.config_dir.clone();
        self.deeds.spawn(async move {
            let mut failures = Vec::new();
            for deed in deeds {
                for words in &deed.run {
                    if let Err(error) = run(words, &deed, &folder).await {
                        tracing::warn!(%error, "a rule's command failed");
                        failures.push(("a rule's command failed", error.to_string()));
                    }
                }
            }
            failures.dedup();
            failures
        });
    }
}

/// `{title}`, `{link}` and `{feed}` stand for the entry's.
async fn run(words: &[String], deed: &Deed, folder: &std::path::Path) -> Result<(), PollError> {
    command(words, &deed.known(), deed.input.clone(), folder).await
}

/// Names in braces stand for what is known in every argument; the program itself is what the user wrote.
pub async fn command(
    words: &[String],
    known: &[(&str, &str)],
    input: String,
    folder: &std::path::Path,
) -> Result<(), PollError> {
    let mut words = words.to_vec();
    for word in words.iter_mut().skip(1) {
        *word = filled(word, known);
    }
    source::run(&words, folder, Some(input.into_bytes()), limits())
        .await
        .map(drop)
}

/// In one walk: what an entry brings is not looked at again.
fn filled(word: &str, known: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = known.iter().find(|(name, _)| rest.starts_with(name));
        let (shown, taken) = value.map_or(("{", 1), |(name, value)| (*value, name.len()));
        out.push_str(shown);
        rest = &rest[taken..];
    }
    out + rest
}

pub const fn limits() -> Limits {
    Limits {
        time: LONGEST,
        bytes: OUTPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_entry_brings_stays_one_argument_and_is_not_filled_in_again() {
        let deed = Deed {
            title: "{link}; rm -rf $HOME".to_owned(),
            link: "https://a.example/".to_owned(),
            feed: "F".to_owned(),
            notify: false,
            run: Vec::new(),
            input: String::new(),
        };
        assert_eq!(
            filled("--x={title} {feed} {other", &deed.known()),
            "--x={link}; rm -rf $HOME F {other"
        );
    }
}
