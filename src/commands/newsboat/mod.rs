//! `tidings import --newsboat`: feeds, articles with their marks, and what of the settings has a place here; in one page.

mod articles;
mod page;
mod places;
mod settings;

use std::io::Write;
use std::path::Path;

use super::ask::Asking;
use super::say::{count, say};
use super::{Context, Failure, exit};
use crate::cli::Import;
use crate::config;
use crate::files;
use crate::model::{SmartFeed, Subscription};
use crate::newsboat::{self, Left, Mapping, Wish};
use crate::parse::{self, Imported, Skipped};

use articles::{Articles, Cache, Taking};
use page::Page;
use places::Places;

/// Takes newsboat's files over, or with `--dry-run` shows what that would do.
pub(super) fn import(
    wanted: &Import,
    dir: Option<&Path>,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut places = places::find(dir, |name| std::env::var_os(name))?;
    let urls = Places::read(&places.urls)?;
    let lines = places.config_lines()?;
    let mut mapping = newsboat::map(&lines);
    if let Some(file) = mapping.cache_file.take() {
        places.cache = places.beside(&file);
    }
    let mut imported = urls.as_deref().map(parse::urls::read).unwrap_or_default();
    take_queries(
        urls.as_deref().unwrap_or_default(),
        &mut imported,
        &mut mapping,
    );
    let hides = mapping.hides.then(|| settings::rules(&mapping.wishes));
    let planned = settings::plan(mapping, context)?;
    let mut page = Page::new(&places, wanted.dry_run);
    page.told(&imported);
    let feeds = if wanted.dry_run {
        Feeds::guess(&imported.subscriptions, context)?
    } else {
        Feeds::subscribe(imported.subscriptions, context)?
    };
    page.feeds(urls.is_some(), &feeds);
    let taking = Taking {
        feeds: &feeds.all,
        hides,
        dry_run: wanted.dry_run,
    };
    let articles = stored(&places, &taking, context);
    page.articles(&articles);
    page.settings(&planned);
    if !wanted.dry_run {
        settings::write(&planned, context)?;
    }
    page.write(out)?;
    say_what_next(wanted.dry_run, &feeds);
    match articles {
        Err(_) => Ok(exit::USAGE),
        Ok(_) => Ok(exit::WELL),
    }
}

fn say_what_next(dry_run: bool, feeds: &Feeds) {
    if dry_run {
        say("nothing was written; without --dry-run it is");
    } else if feeds.added > 0 {
        say("the feeds are due now: open the reader, or run `tidings --refresh-only`");
    }
}

/// Query feeds become lists of the user's own; those that cannot are left with the reason.
fn take_queries(text: &str, imported: &mut Imported, mapping: &mut Mapping) {
    let mut wishes = Vec::new();
    for query in parse::urls::queries(text) {
        let Some(at) = imported.skipped.iter().position(|s| s.line == query.line) else {
            continue;
        };
        let Skipped { text, line, .. } = imported.skipped.remove(at);
        let place = format!("urls:{line}");
        match newsboat::query_of(&query.expression) {
            Ok(found) => wishes.push(Wish {
                place,
                text,
                wanted: config::Wanted::Smart(SmartFeed {
                    name: query.name,
                    query: found,
                }),
            }),
            Err(error) => mapping.left.push(Left {
                place,
                text,
                why: error.to_string(),
            }),
        }
    }
    mapping.wishes.splice(0..0, wishes);
}

/// The feeds of newsboat's list, subscribed.
struct Feeds {
    added: usize,
    duplicates: usize,
    /// All that are subscribed, as in feeds.toml.
    all: Vec<Subscription>,
}

impl Feeds {
    fn subscribe(subscriptions: Vec<Subscription>, context: &Context) -> Result<Self, Failure> {
        let (mut added, mut duplicates) = (0, 0);
        if !subscriptions.is_empty() {
            let mut asking = Asking::start(context)?;
            (added, duplicates) = asking.import(subscriptions)?;
            asking.end();
        }
        let (all, _) = files::load_subscriptions(&context.locations)?;
        Ok(Self {
            added,
            duplicates,
            all,
        })
    }

    /// What `subscribe` would come to.
    fn guess(subscriptions: &[Subscription], context: &Context) -> Result<Self, Failure> {
        let (mut all, _) = files::load_subscriptions(&context.locations)?;
        let mut known: std::collections::HashSet<String> = all
            .iter()
            .map(|feed| articles::identity(&feed.url))
            .collect();
        let mut added = 0;
        for feed in subscriptions {
            if known.insert(articles::identity(&feed.url)) {
                added += 1;
                all.push(feed.clone());
            }
        }
        Ok(Self {
            added,
            duplicates: subscriptions.len() - added,
            all,
        })
    }
}

/// Reads the cache and stores what is of these feeds. The error is a sentence: feeds and settings come over without articles too.
fn stored(
    places: &Places,
    taking: &Taking<'_>,
    context: &Context,
) -> Result<Option<Articles>, String> {
    let Some(cache) = Cache::open(&places.cache).map_err(|error| {
        let path = places::shown(&places.cache);
        format!("{path} cannot be read: {error}; no articles were taken over")
    })?
    else {
        return Ok(None);
    };
    let read = cache.take(taking, context);
    let changed = !cache.is_unchanged();
    match read {
        Ok(articles) if !changed => Ok(Some(articles)),
        Ok(articles) => Err(format!(
            "newsboat wrote into {} meanwhile, after {} were read; quit it and run this again",
            places::shown(&places.cache),
            count(articles.read(), "article", "articles")
        )),
        Err(why) if changed => Err(format!(
            "newsboat wrote into {} meanwhile ({why}); quit it and run this again",
            places::shown(&places.cache)
        )),
        Err(why) => Err(format!(
            "not all of {} could be taken over: {why}",
            places::shown(&places.cache)
        )),
    }
}
