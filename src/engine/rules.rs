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
use super::protocol::Event;
use super::run::Engine;
use super::shared::Shared;

/// A command of a rule may take so long.
const LONGEST: Duration = Duration::from_secs(60);
/// What it writes is read up to here, and forgotten.
const OUTPUT: u64 = 64 << 10;
/// The program that shows a notification, where there is one.
const NOTIFIER: &str = if cfg!(target_os = "macos") {
    "osascript"
} else {
    "notify-send"
};

/// The rules of the moment: one more may be written while they are in use.
#[derive(Debug, Default)]
pub struct Book(RwLock<Arc<Rules>>);

impl Book {
    /// Reads them. `config` has read their queries before.
    pub fn new(rules: &[Rule]) -> Result<Self, QueryError> {
        Ok(Self(RwLock::new(Arc::new(Rules::new(rules)?))))
    }

    /// As they are now.
    pub fn now(&self) -> Arc<Rules> {
        // Whoever panicked swapped an Arc: it is whole.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts others in their place.
    pub fn replace(&self, rules: Rules) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }
}

/// Something to be done for a new entry once it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// The entry for whoever is told of it.
    title: String,
    link: String,
    feed: String,
    notify: bool,
    /// Commands, and what they are given to read.
    run: Vec<Vec<String>>,
    input: String,
}

/// What the rules say of the new entries of a poll.
pub fn judge(shared: &Shared, job: &Job, title: Option<&str>, new: &[Incoming]) -> Judged {
    let book = shared.rules.now();
    if book.is_empty() || new.is_empty() {
        return Judged::default();
    }
    let subscription = &job.subscription;
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
    let loud = |(_, ruled): &(&Incoming, &Ruled)| !first && (ruled.notify || !ruled.run.is_empty());
    let deeds = new
        .iter()
        .zip(&ruled)
        .filter(loud)
        .map(|(entry, ruled)| Deed {
            title: sanitize::line(&entry.title),
            link: entry.link.clone().unwrap_or_default(),
            feed: title.to_owned(),
            notify: ruled.notify,
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
    /// Does what is to be done for entries that are on disk now, one thing after the other, beside everything else.
    pub(super) fn carry_out(&mut self, deeds: Vec<Deed>) {
        if deeds.is_empty() {
            return;
        }
        let told: Vec<&Deed> = deeds.iter().filter(|deed| deed.notify).collect();
        let notice = notice(&told);
        if let Some((text, _)) = &notice {
            self.tell(Event::Noticed { text: text.clone() });
        }
        let folder = self.shared.locations.config_dir.clone();
        self.deeds.spawn(async move {
            let mut failures = Vec::new();
            if let Some((text, body)) = notice {
                // No desktop, no program: the reader's bottom line has it, and the log.
                if let Err(error) = notify(&text, &body, &folder).await {
                    tracing::info!(%error, "not shown on the desktop");
                }
            }
            for deed in deeds {
                for words in &deed.run {
                    if let Err(error) = run(words, &deed, &folder).await {
                        tracing::warn!(%error, "a rule's command failed");
                        failures.push(error.to_string());
                    }
                }
            }
            failures.dedup();
            failures
        });
    }
}

/// One sentence for all that came together, and what stands below it.
fn notice(told: &[&Deed]) -> Option<(String, String)> {
    let titles = || told.iter().take(5).map(|deed| deed.title.as_str());
    match told {
        [] => None,
        [one] => Some((one.title.clone(), one.feed.clone())),
        more => {
            let body = titles().collect::<Vec<_>>().join("\n");
            Some((format!("{} new entries", more.len()), body))
        }
    }
}

async fn notify(text: &str, body: &str, folder: &std::path::Path) -> Result<(), PollError> {
    let words: Vec<String> = if cfg!(target_os = "macos") {
        // The text travels as an argument, never as a part of the script.
        let script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
        ["osascript", "-e", script, text, body]
            .map(str::to_owned)
            .to_vec()
    } else {
        [NOTIFIER, "--app-name=tidings", "--", text, body]
            .map(str::to_owned)
            .to_vec()
    };
    source::run(&words, folder, None, limits()).await.map(drop)
}

/// `{title}`, `{link}` and `{feed}` in an argument stand for the entry's; the program itself is what the user wrote.
async fn run(words: &[String], deed: &Deed, folder: &std::path::Path) -> Result<(), PollError> {
    let filled: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            if at == 0 {
                word.clone()
            } else {
                filled(word, deed)
            }
        })
        .collect();
    let input = deed.input.clone().into_bytes();
    source::run(&filled, folder, Some(input), limits())
        .await
        .map(drop)
}

/// In one walk: what an entry brings is not looked at again.
fn filled(word: &str, deed: &Deed) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [
            ("{title}", &deed.title),
            ("{link}", &deed.link),
            ("{feed}", &deed.feed),
        ];
        let value = known.into_iter().find(|(name, _)| rest.starts_with(name));
        let (shown, taken) = value.map_or(("{", 1), |(name, value)| (value.as_str(), name.len()));
        out.push_str(shown);
        rest = &rest[taken..];
    }
    out + rest
}

const fn limits() -> Limits {
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
            filled("--x={title} {feed} {other", &deed),
            "--x={link}; rm -rf $HOME F {other"
        );
    }
}
