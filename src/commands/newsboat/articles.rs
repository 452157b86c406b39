//! newsboat's cache: which of its articles are of subscribed feeds, and these stored, feed by feed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::super::ask::Asking;
use super::super::say;
use super::super::{Context, Failure};
use crate::article::sanitize;
use crate::config;
use crate::engine::{Command, Event};
use crate::model::{Adopted, Incoming, Moment, Standing, Subscription, Timestamp};
use crate::newsboat::{Article, COLUMNS};
use crate::parse::urls;
use crate::query::{FeedFacts, Rules};
use crate::sqlite::{Database, SqliteError, Table, Value};

/// So many articles take a while, which is said.
const MANY: usize = 2_000;

/// Addresses of feeds that are not subscribed and are told apart.
const TOLD_APART: usize = 10_000;

/// Entries and bytes of text that are stored at a time.
const BATCH: (usize, usize) = (256, 2 << 20);

/// What came of the articles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Articles {
    /// Stored now.
    pub added: u64,
    /// Here already: they got the marks.
    pub known: u64,
    /// Of these, in newsboat: unread, flagged, thrown away there.
    pub unread: u64,
    pub flagged: u64,
    pub gone: u64,
    /// Kept from sight there by a rule.
    pub hidden: u64,
    /// Flags that were found.
    pub letters: Vec<String>,
    /// Of feeds that are not subscribed: articles and feeds.
    pub strange: (u64, usize),
    /// Larger than what is read.
    pub too_large: u64,
}

impl Articles {
    /// How many were read.
    pub const fn read(&self) -> u64 {
        self.added + self.known
    }
}

/// What two addresses of one feed share.
pub(super) fn identity(url: &str) -> String {
    config::normalise(url).unwrap_or_else(|_| url.trim().to_owned())
}

/// What is to be taken.
pub(super) struct Taking<'a> {
    /// Articles of these feeds.
    pub feeds: &'a [Subscription],
    /// What newsboat kept from sight, though it lies in the cache.
    pub hides: Option<Rules>,
    /// Only read.
    pub dry_run: bool,
}

impl Taking<'_> {
    fn hides(&self, entry: &Incoming, feed: &Subscription) -> bool {
        let facts = FeedFacts {
            title: feed.title.as_deref().unwrap_or_default(),
            url: &feed.url,
            tags: &feed.tags,
        };
        // newsboat's filters know ages and no days.
        let moment = Moment {
            now: say::now(),
            midnight: |day| Timestamp(day.saturating_mul(86_400)),
        };
        let rules = self.hides.as_ref();
        rules.is_some_and(|rules| rules.judge(entry, facts, moment).marks.hidden)
    }
}

/// An open cache.
pub(super) struct Cache {
    database: Database,
}

/// Why not everything came over: a clause.
type Why = String;

impl Cache {
    /// `None`: there is none.
    pub fn open(path: &Path) -> Result<Option<Self>, SqliteError> {
        match Database::open(path) {
            Ok(database) => Ok(Some(Self { database })),
            Err(SqliteError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// newsboat did not write since then.
    pub fn is_unchanged(&self) -> bool {
        self.database.is_unchanged()
    }

    /// Stores the articles of these feeds.
    pub fn take(&self, taking: &Taking<'_>, context: &Context) -> Result<Articles, Why> {
        let table = self.items()?;
        let feeds = taking.feeds;
        let mut done = Articles::default();
        let mut known = Known::new(feeds);
        let said = |error: SqliteError| error.to_string();
        let by_feed = self.rows_by_feed(table, &mut known, &mut done);
        let by_feed = by_feed.map_err(said)?;
        let titles = self.titles(&mut known).map_err(said)?;
        let all: usize = by_feed.values().map(Vec::len).sum();
        if all > MANY {
            say::say(&format!("reading {all} articles; this takes a while"));
        }
        let mut asking = if taking.dry_run || by_feed.is_empty() {
            None
        } else {
            Some(Asking::start(context).map_err(|failure| failure.sentence)?)
        };
        let mut letters = HashSet::new();
        for (at, rowids) in by_feed {
            let feed = &feeds[at];
            let title = titles.get(&at).map_or("", String::as_str);
            let mut batch = Batch::default();
            for rowid in rowids {
                let Some(one) = self.article(table, rowid, taking, feed, &mut done)? else {
                    continue;
                };
                done.note(&one, &mut letters);
                batch.push(one);
                if batch.is_full() {
                    done.send((&feed.url, title), &mut batch, asking.as_mut())?;
                }
            }
            done.send((&feed.url, title), &mut batch, asking.as_mut())?;
        }
        if let Some(asking) = asking {
            asking.end();
        }
        done.letters = letters.into_iter().collect();
        crate::model::arrange(&mut done.letters, Ord::cmp);
        Ok(done)
    }

    /// One article of a feed; `None` where it is too large, or gone.
    fn article(
        &self,
        table: &Table,
        rowid: i64,
        taking: &Taking<'_>,
        feed: &Subscription,
        done: &mut Articles,
    ) -> Result<Option<Adopted>, Why> {
        let columns = COLUMNS.map(|name| table.column(name).unwrap_or(usize::MAX));
        let row = match self.database.row(table, rowid, &columns) {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(None),
            Err(SqliteError::TooLarge(_)) => {
                done.too_large += 1;
                return Ok(None);
            }
            Err(error) => return Err(error.to_string()),
        };
        let mut one = article(row).adopted(&feed.url);
        if one.standing != Standing::Gone && taking.hides(&one.entry, feed) {
            one.standing = Standing::Hidden;
        }
        Ok(Some(one))
    }

    fn items(&self) -> Result<&Table, Why> {
        let table = self.database.table("rss_item");
        let table = table.ok_or("it has no table rss_item: newsboat did not make it")?;
        let needed = ["guid", "title", "url", "feedurl", "unread"];
        match needed.iter().find(|name| table.column(name).is_none()) {
            Some(name) => Err(format!("its table rss_item has no column {name}")),
            None => Ok(table),
        }
    }

    /// The rows of each subscribed feed, by its place in the list; of other feeds only how many.
    fn rows_by_feed(
        &self,
        table: &Table,
        known: &mut Known,
        done: &mut Articles,
    ) -> Result<BTreeMap<usize, Vec<i64>>, SqliteError> {
        let mut rows: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        let column = table.column("feedurl").unwrap_or(usize::MAX);
        self.database.each(table, &[column], |rowid, mut values| {
            let url = values.pop().map(Value::text).unwrap_or_default();
            match known.place(url) {
                Some(at) => rows.entry(at).or_default().push(rowid),
                None => done.strange.0 += 1,
            }
            Ok::<_, SqliteError>(())
        })?;
        done.strange.1 = known.strangers();
        Ok(rows)
    }

    /// What feeds call themselves, by their places in the list.
    fn titles(&self, known: &mut Known) -> Result<HashMap<usize, String>, SqliteError> {
        let mut titles = HashMap::new();
        let Some(table) = self.database.table("rss_feed") else {
            return Ok(titles);
        };
        let columns = ["rssurl", "title"].map(|name| table.column(name).unwrap_or(usize::MAX));
        self.database.each(table, &columns, |_, mut values| {
            let title = values.pop().map(Value::text).unwrap_or_default();
            let url = values.pop().map(Value::text).unwrap_or_default();
            if let Some(at) = known.place(url) {
                titles.insert(at, sanitize::line(&title));
            }
            Ok::<_, SqliteError>(())
        })?;
        Ok(titles)
    }
}

/// The subscribed feeds, by what newsboat calls them.
struct Known {
    by_identity: HashMap<String, usize>,
    told: HashMap<String, Option<usize>>,
}

impl Known {
    fn new(feeds: &[Subscription]) -> Self {
        let feeds = feeds.iter().enumerate();
        Self {
            by_identity: feeds.map(|(at, feed)| (identity(&feed.url), at)).collect(),
            told: HashMap::new(),
        }
    }

    /// The place of a feed in the list, by the first word of its line in `urls`.
    fn place(&mut self, url: String) -> Option<usize> {
        if let Some(place) = self.told.get(&url) {
            return *place;
        }
        let feed = urls::feed(&url);
        let place = feed.and_then(|feed| self.by_identity.get(&identity(&feed.url)).copied());
        if place.is_some() || self.told.len() < TOLD_APART {
            self.told.insert(url, place);
        }
        place
    }

    /// How many were asked for that are not in the list.
    fn strangers(&self) -> usize {
        self.told.values().filter(|place| place.is_none()).count()
    }
}

fn article(row: Vec<Value>) -> Article {
    let mut article = Article::default();
    for (value, into) in row.into_iter().zip(&mut article.values) {
        *into = value.text();
    }
    article
}

/// What is stored together.
#[derive(Default)]
struct Batch {
    entries: Vec<Adopted>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, one: Adopted) {
        self.bytes += one.entry.body.text.len();
        self.entries.push(one);
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= BATCH.0 || self.bytes >= BATCH.1
    }
}

impl Articles {
    fn note(&mut self, one: &Adopted, letters: &mut HashSet<String>) {
        match one.standing {
            Standing::Gone => {
                self.gone += 1;
                return;
            }
            Standing::Hidden => self.hidden += 1,
            Standing::Unread => self.unread += 1,
            Standing::Read => {}
        }
        self.flagged += u64::from(one.starred);
        letters.extend(one.tags.iter().cloned());
    }

    fn send(
        &mut self,
        (url, title): (&str, &str),
        batch: &mut Batch,
        asking: Option<&mut Asking>,
    ) -> Result<(), Why> {
        let entries = std::mem::take(&mut batch.entries);
        batch.bytes = 0;
        if entries.is_empty() {
            return Ok(());
        }
        let Some(asking) = asking else {
            self.added += {
                let kept = entries.iter().filter(|one| one.standing != Standing::Gone);
                kept.count() as u64
            };
            return Ok(());
        };
        let (url, title) = (url.to_owned(), title.to_owned());
        let answer: Result<_, Failure> = asking.ask(
            |ticket| Command::Adopt {
                url,
                title,
                entries,
                ticket,
            },
            |event, ticket| match event {
                Event::Adopted {
                    ticket: of,
                    added,
                    known,
                } if of == ticket => Some((added, known)),
                _ => None,
            },
        );
        let (added, known) = answer.map_err(|failure| failure.sentence)?;
        self.added += added;
        self.known += known;
        Ok(())
    }
}
