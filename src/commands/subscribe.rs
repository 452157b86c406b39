//! `tidings add` and `tidings remove`.

use std::io::Write;

use super::ask::{Asking, find};
use super::say::{count, local, name, say, shown};
use super::table::fit;
use super::{Context, Failure, exit, saved};
use crate::cli::{Add, AddKind};
use crate::config;
use crate::engine::{AddResult, Command, Event, NAMES_NONE, Pick, Scope};
use crate::model::{Outcome, Pace, PollReport, SourceKind, Subscription};

/// A title in a sentence is never longer.
const TITLE_COLUMNS: usize = 80;

/// Subscribes to feeds, one after the other, and fetches each once. A mistake in any of them is found before the first.
pub(super) fn add(wanted: &Add, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let tags = tags_of(&wanted.tags)?;
    let title = title_of(wanted.title.as_deref())?;
    let kind = match wanted.kind {
        None => SourceKind::Feed,
        Some(AddKind::List) => SourceKind::List,
        Some(AddKind::Sitemap) => SourceKind::Sitemap,
    };
    if let Some(path) = wanted
        .paths
        .iter()
        .find(|path| !path.starts_with(['/', '*']))
    {
        let path = crate::article::sanitize::line(path);
        return Err(Failure::usage(format!(
            "--path {path} does not begin with / or *; write it like /blog/ or '*/post-*'"
        )));
    }
    let changes = wanted.changes.as_deref().map(config::changes).transpose();
    let changes = changes.map_err(|why| Failure::usage(format!("--changes {why}")))?;
    let mut urls = Vec::new();
    for url in &wanted.urls {
        let url = match url.as_str() {
            "-" => saved::keep(title.as_deref(), context)?,
            url => saved::settled(url)?,
        };
        let clean = config::clean_source(&url);
        let clean = clean.map_err(|error| Failure::usage(error.to_string()))?;
        if kind != SourceKind::Feed && config::local(&clean).is_some() {
            return Err(Failure::usage(format!(
                "{} is on this machine: lists and sitemaps are read on the web; `tidings import` reads a list of feeds once",
                shown(&clean)
            )));
        }
        urls.push(url);
    }
    let pick = match (wanted.first, wanted.all) {
        (true, _) => Pick::First,
        (_, true) => Pick::All,
        _ => Pick::Ask,
    };
    let mut asking = Asking::start(context)?;
    let mut code = exit::WELL;
    for (url, given) in urls.iter().zip(&wanted.urls) {
        let subscription = Subscription {
            url: url.clone(),
            title: title.clone(),
            tags: tags.clone(),
            kind,
            paths: wanted.paths.clone(),
            changes: changes.clone(),
            ..Subscription::default()
        };
        let result = asking.ask(
            |ticket| Command::Add {
                subscription: Box::new(subscription),
                pick,
                guess: wanted.guess,
                ticket,
            },
            |event, ticket| match event {
                Event::Added { ticket: of, result } if of == ticket => Some(result),
                _ => None,
            },
        )?;
        let again = given == "-" && matches!(result, AddResult::Already { revived: false, .. });
        code = graver(
            code,
            if again {
                read_again(&mut asking, url, title.as_deref(), out)?
            } else {
                tell(url, &result, out, &mut say)?
            },
        );
        out.flush()?;
    }
    asking.end();
    Ok(code)
}

/// The file of a feed that came by standard input is new: it is read at once.
fn read_again(
    asking: &mut Asking,
    url: &str,
    title: Option<&str>,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    saved::say_replaced(title.unwrap_or_default());
    let feed = find(&asking.feeds()?, url)?.feed.id;
    let report = asking.ask(
        |ticket| Command::Refresh {
            scope: Scope::Feeds(vec![feed]),
            pace: Pace::Force,
            ticket,
        },
        |event, ticket| match event {
            Event::Polled(report) => Some(Some(report)),
            Event::RefreshDone { ticket: of, .. } if of == ticket => Some(None),
            _ => None,
        },
    )?;
    let Some(report) = report else {
        say(
            "another tidings was polling and did not finish in time; it is read with the next poll",
        );
        return Ok(exit::LATER);
    };
    if let Outcome::Failed(error) = &report.outcome {
        say(&format!("{} could not be read: {error}", shown(url)));
        return Ok(exit::FEED);
    }
    let new = u64::from(report.outcome.new_entries());
    writeln!(
        out,
        "{}: {} new",
        name(&report.row.feed.title, url),
        count(new, "entry", "entries")
    )?;
    Ok(exit::WELL)
}

/// Of two exit codes the one that says more: a mistake of the user, then "later", then a feed's error.
fn graver(one: u8, other: u8) -> u8 {
    const ORDER: [u8; 5] = [
        exit::WELL,
        exit::FEED,
        exit::LATER,
        exit::USAGE,
        exit::INTERNAL,
    ];
    let rank = |code: u8| ORDER.iter().position(|known| *known == code);
    if rank(other) > rank(one) { other } else { one }
}

/// Tells what came of one URL and gives its exit code. Results go to `out`, everything else is said.
fn tell(
    given: &str,
    result: &AddResult,
    out: &mut dyn Write,
    say: &mut dyn FnMut(&str),
) -> Result<u8, Failure> {
    Ok(match result {
        AddResult::Already {
            url,
            revived: false,
        } => {
            writeln!(out, "{} is subscribed already", shown(url))?;
            exit::WELL
        }
        AddResult::Already { url, revived: true } => {
            writeln!(out, "{} is polled again", shown(url))?;
            exit::WELL
        }
        AddResult::Subscribed { reports } => {
            let mut code = exit::WELL;
            for report in reports {
                code = graver(code, tell_report(report, out, say)?);
            }
            code
        }
        AddResult::Queued { url } => {
            say(&format!(
                "{} is subscribed, but another tidings was polling and did not finish in time; it is fetched with the next poll",
                shown(url)
            ));
            exit::LATER
        }
        AddResult::Several { candidates } => {
            for candidate in candidates {
                let title = name(&candidate.title, &candidate.url);
                let kind = match candidate.kind.as_str() {
                    "" => String::new(),
                    kind => format!(" ({kind})"),
                };
                writeln!(out, "{}  {title}{kind}", shown(&candidate.url))?;
            }
            say(&format!(
                "{} names {}; add the one you want, or use --first or --all",
                shown(given),
                count(candidates.len() as u64, "feed", "feeds")
            ));
            exit::USAGE
        }
        AddResult::Seen(preview) => {
            say(&format!(
                "{} was looked at, and not subscribed",
                shown(&preview.url)
            ));
            exit::FEED
        }
        AddResult::Refused { url, why } => {
            let advice = if why.ends_with(NAMES_NONE) {
                "; give the feed's own URL, or try --guess"
            } else {
                ""
            };
            say(&format!("{} was not subscribed: {why}{advice}", shown(url)));
            exit::FEED
        }
    })
}

fn tell_report(
    report: &PollReport,
    out: &mut dyn Write,
    say: &mut dyn FnMut(&str),
) -> Result<u8, Failure> {
    let url = shown(&report.url);
    let title = fit(&name(&report.row.feed.title, &report.url), TITLE_COLUMNS);
    let called = if title == url {
        url.clone()
    } else {
        format!("{title} ({url})")
    };
    match &report.outcome {
        Outcome::Failed(error) => {
            let again = report.row.schedule.next.map_or_else(String::new, |next| {
                format!("; it is tried again at {}", local(next))
            });
            say(&format!(
                "{url} is subscribed, but could not be fetched: {error}{again}"
            ));
            Ok(exit::FEED)
        }
        Outcome::Deferred { until } => {
            let until = local(*until);
            writeln!(
                out,
                "subscribed to {called}; its host asked to wait, it is fetched after {until}"
            )?;
            Ok(exit::WELL)
        }
        _ => {
            let what = match (report.row.kind, &report.outcome) {
                (SourceKind::List, Outcome::Changed { updated, .. }) => {
                    let feeds = count(u64::from(*updated), "feed", "feeds");
                    format!("a list of {feeds}, due now")
                }
                (SourceKind::List, _) => "a list of no feeds".to_owned(),
                (SourceKind::Feed | SourceKind::Sitemap, _) => {
                    count(report.row.total, "entry", "entries")
                }
            };
            writeln!(out, "subscribed to {called}: {what}")?;
            if let Some(warning) = report.warning_text() {
                say(&format!("{url}: {warning}"));
            }
            Ok(exit::WELL)
        }
    }
}

fn tags_of(given: &[String]) -> Result<Vec<String>, Failure> {
    let mut tags = Vec::new();
    for tag in given {
        let clean = config::clean_tag(tag).ok_or_else(|| {
            Failure::usage("--tag needs a word, or words with / between them, such as tech/rust")
        })?;
        if !tags.contains(&clean) {
            tags.push(clean);
        }
    }
    Ok(tags)
}

fn title_of(given: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(title) = given else {
        return Ok(None);
    };
    let title = crate::article::sanitize::line(title);
    if title.is_empty() {
        return Err(Failure::usage("--title needs a title that can be seen"));
    }
    Ok(Some(title))
}

/// Unsubscribes. What was not subscribed is a mistake, but the others go all the same.
pub(super) fn remove(
    urls: &[String],
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let (removed, unknown) = asking.ask(
        |ticket| Command::Remove {
            urls: urls.to_vec(),
            ticket,
        },
        |event, ticket| match event {
            Event::Removed {
                ticket: of,
                removed,
                unknown,
            } if of == ticket => Some((removed, unknown)),
            _ => None,
        },
    )?;
    asking.end();
    for url in &removed {
        writeln!(out, "unsubscribed from {}", shown(url))?;
    }
    for url in &unknown {
        say(&format!(
            "{} is not subscribed; `tidings feeds` lists what is",
            shown(url)
        ));
    }
    Ok(if unknown.is_empty() {
        exit::WELL
    } else {
        exit::USAGE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ErrorKind, PollError, Timestamp};
    use crate::parse::Candidate;

    fn report(outcome: Outcome) -> PollReport {
        PollReport {
            feed: crate::model::FeedId(1),
            url: "https://u:p@a.org/feed".to_owned(),
            url_now: None,
            status: Some(200),
            outcome,
            warning: None,
            bytes: 10,
            took: std::time::Duration::ZERO,
            early: None,
            pushed: false,
            row: crate::model::FeedRow {
                total: 3,
                ..crate::model::FeedRow::default()
            },
        }
    }

    /// Exit code, standard output, and what is said besides.
    fn told(result: &AddResult) -> (u8, String, String) {
        let (mut out, mut said) = (Vec::new(), String::new());
        let code = tell("a.org", result, &mut out, &mut |text| said.push_str(text));
        let out = String::from_utf8(out).expect("text");
        (code.expect("a vector takes it"), out, said)
    }

    #[test]
    fn what_came_of_an_add_sets_the_exit_code_and_the_sentence() {
        let subscribed = |outcome| AddResult::Subscribed {
            reports: vec![report(outcome)],
        };
        let url = "https://u:p@a.org".to_owned();
        for (result, code, out, said) in [
            (
                subscribed(Outcome::Changed { new: 3, updated: 0 }),
                0,
                "subscribed to https://***@a.org/feed: 3 entries\n",
                "",
            ),
            (
                subscribed(Outcome::Failed(PollError::new(ErrorKind::Dns, "a.org"))),
                1,
                "",
                "https://***@a.org/feed is subscribed, but could not be fetched: the host name was not found: a.org",
            ),
            (
                AddResult::Already {
                    url: url.clone(),
                    revived: false,
                },
                0,
                "https://***@a.org is subscribed already\n",
                "",
            ),
            (
                AddResult::Already {
                    url: url.clone(),
                    revived: true,
                },
                0,
                "https://***@a.org is polled again\n",
                "",
            ),
            (
                AddResult::Queued { url: url.clone() },
                75,
                "",
                "https://***@a.org is subscribed, but another tidings was polling and did not finish in time; it is fetched with the next poll",
            ),
            (
                AddResult::Refused {
                    url,
                    why: "the server said 404".to_owned(),
                },
                1,
                "",
                "https://***@a.org was not subscribed: the server said 404",
            ),
        ] {
            assert_eq!(told(&result), (code, out.to_owned(), said.to_owned()));
        }
        let (code, out, said) = told(&subscribed(Outcome::Deferred {
            until: Timestamp(0),
        }));
        assert_eq!((code, said.as_str()), (0, ""));
        assert!(out.contains("its host asked to wait"), "{out}");
    }

    #[test]
    fn several_feeds_are_listed_clean() {
        let candidates = vec![
            Candidate {
                url: "https://a.org/1".to_owned(),
                title: "One\u{1b}[2J".to_owned(),
                kind: "RSS".to_owned(),
            },
            Candidate {
                url: "https://a.org/2".to_owned(),
                title: String::new(),
                kind: String::new(),
            },
        ];
        assert_eq!(
            told(&AddResult::Several { candidates }),
            (
                2,
                "https://a.org/1  One[2J (RSS)\nhttps://a.org/2  https://a.org/2\n".to_owned(),
                "a.org names 2 feeds; add the one you want, or use --first or --all".to_owned(),
            )
        );
    }

    #[test]
    fn the_gravest_exit_code_wins() {
        assert_eq!([0, 1, 75, 0].into_iter().fold(0, graver), 75);
        assert_eq!([2, 75, 1].into_iter().fold(0, graver), 2);
        assert_eq!([1, 70, 2].into_iter().fold(0, graver), 70);
    }

    #[test]
    fn a_tag_is_cleaned_and_must_name_something() {
        let tags =
            |list: &[&str]| tags_of(&list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            tags(&[" a / b ", "a/b", "c"]),
            Ok(vec!["a/b".to_owned(), "c".to_owned()])
        );
        assert_eq!(tags(&["/"]).map_err(|failure| failure.code), Err(2));
    }
}
