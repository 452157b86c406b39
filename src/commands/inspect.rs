//! `tidings probe --parse`: what a feed's bytes are read as, what had to be repaired, and the entries as they would be stored.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ask::Asking;
use super::say::{bytes, count, shown};
use super::{Context, Failure, exit, json};
use crate::article::sanitize;
use crate::cli::Probe;
use crate::config;
use crate::engine::{Command, Event, Inspected};
use crate::files;
use crate::model::{Enclosure, HostKey, Incoming, Markup, Timestamp};
use crate::parse::{self, Parsed};

/// Text of an entry is shown so far, in characters.
const TEXT_SHOWN: usize = 160;

/// The object of `probe --parse --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Report<'a> {
    source: String,
    status: Option<u16>,
    bytes: u64,
    charset: &'static str,
    charset_by: &'static str,
    kind: Option<&'static str>,
    title: Option<&'a str>,
    site: Option<&'a str>,
    hubs: &'a [String],
    ttl: u32,
    update_period: u32,
    repaired: &'a [&'static str],
    truncated: bool,
    entries: Vec<EntryLine<'a>>,
    error: Option<String>,
}

/// An entry as it would be stored.
#[derive(Debug, Serialize)]
struct EntryLine<'a> {
    key: String,
    id: &'a str,
    title: &'a str,
    link: Option<&'a str>,
    author: &'a str,
    published: Option<String>,
    updated: Option<String>,
    comments: Option<&'a str>,
    categories: &'a [String],
    enclosures: Vec<EnclosureLine<'a>>,
    markup: &'static str,
    base: Option<&'a str>,
    image: Option<&'a str>,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct EnclosureLine<'a> {
    url: &'a str,
    #[serde(rename = "type")]
    media_type: &'a str,
    length: Option<u64>,
    duration: Option<u64>,
}

/// Shows what a URL, a file or standard input holds. Nothing is stored; a file needs no network.
pub(super) fn inspect(
    wanted: &Probe,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let body = body_of(&wanted.url, context)?;
    let content_type = body.content_type.as_deref();
    // A file has no address: its relative links lead nowhere, as they would when it is subscribed.
    let base = if HostKey::of_str(&body.url).is_some() && config::local(&body.url).is_none() {
        body.url.as_str()
    } else {
        ""
    };
    let parsed = match &body.error {
        Some(why) => Err(why.clone()),
        None => parse::parse(&body.bytes, content_type, base).map_err(|error| error.to_string()),
    };
    let repaired = repaired(&body, &parsed);
    let report = report(&body, &parsed, &repaired);
    if wanted.json {
        writeln!(out, "{}", json::line(&report))?;
    } else {
        print(&report, out)?;
    }
    Ok(if parsed.is_ok() {
        exit::WELL
    } else {
        exit::FEED
    })
}

/// From where the argument says: `-`, a file that is there, else a URL.
fn body_of(from: &str, context: &Context) -> Result<Inspected, Failure> {
    if from == "-" {
        let bytes = limited(std::io::stdin().lock(), "standard input", context)?;
        return Ok(Inspected {
            url: "standard input".to_owned(),
            bytes,
            ..Inspected::default()
        });
    }
    let source = super::saved::settled(from)?;
    let named = source.strip_prefix("file:").or_else(|| {
        let is_path = ["/", "./", "../", "~/"]
            .iter()
            .any(|start| from.starts_with(start));
        is_path.then_some(from)
    });
    if let Some(path) = named.or_else(|| Path::new(from).is_file().then_some(from)) {
        let path = match path.strip_prefix("~/") {
            Some(_) => files::resolve(Path::new(path), &context.locations),
            None => PathBuf::from(path),
        };
        let shown = path.display().to_string();
        let file = std::fs::File::open(&path)
            .map_err(|error| Failure::usage(format!("{shown}: {}", files::reason(&error))))?;
        let bytes = limited(file, &shown, context)?;
        return Ok(Inspected {
            url: shown,
            bytes,
            ..Inspected::default()
        });
    }
    let url = config::clean_source(&source).map_err(|error| Failure::usage(error.to_string()))?;
    let mut asking = Asking::start(context)?;
    let body = asking.ask(
        |ticket| Command::Inspect { url, ticket },
        |event, ticket| match event {
            Event::Inspected { ticket: of, body } if of == ticket => Some(*body),
            _ => None,
        },
    )?;
    asking.end();
    Ok(body)
}

fn limited(from: impl Read, name: &str, context: &Context) -> Result<Vec<u8>, Failure> {
    let most = context.settings.http.max_body;
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("{name}: {}", files::reason(&error))))?;
    if bytes.len() as u64 > most {
        return Err(Failure::usage(format!(
            "{name} holds more than {most} bytes; `max_body` under [http] in config.toml allows more"
        )));
    }
    Ok(bytes)
}

/// What reading had to mend: what it noted itself, then what is found in the document besides.
fn repaired(body: &Inspected, parsed: &Result<Parsed, String>) -> Vec<&'static str> {
    let Ok(feed) = parsed else {
        return Vec::new();
    };
    let mut kinds = feed.repairs.clone();
    for fault in parse::faults(&body.bytes, body.content_type.as_deref(), feed) {
        if !kinds.contains(&fault) {
            kinds.push(fault);
        }
    }
    kinds
}

fn report<'a>(
    body: &Inspected,
    parsed: &'a Result<Parsed, String>,
    repaired: &'a [&'static str],
) -> Report<'a> {
    let charset = parse::charset(&body.bytes, body.content_type.as_deref());
    let mut report = Report {
        source: shown(&body.url),
        status: body.status,
        bytes: body.bytes.len() as u64,
        charset: charset.name,
        charset_by: charset.by,
        kind: None,
        title: None,
        site: None,
        hubs: &[],
        ttl: 0,
        update_period: 0,
        repaired: &[],
        truncated: false,
        entries: Vec::new(),
        error: None,
    };
    match parsed {
        Err(why) => report.error = Some(sanitize::line(why)),
        Ok(feed) => {
            report.kind = Some(feed.kind);
            report.title = Some(&feed.title);
            report.site = feed.site.as_deref();
            report.hubs = &feed.hubs;
            report.ttl = feed.wishes.ttl;
            report.update_period = feed.wishes.update_period;
            report.repaired = repaired;
            report.truncated = feed.truncated;
            report.entries = feed.entries.iter().map(entry_line).collect();
        }
    }
    report
}

fn entry_line(entry: &Incoming) -> EntryLine<'_> {
    EntryLine {
        key: entry.key.to_string(),
        id: &entry.guid,
        title: &entry.title,
        link: entry.link.as_deref(),
        author: &entry.author,
        published: entry.published.map(Timestamp::rfc3339),
        updated: entry.updated.map(Timestamp::rfc3339),
        comments: entry.body.comments.as_deref(),
        categories: &entry.body.categories,
        enclosures: entry.enclosures.iter().map(enclosure_line).collect(),
        markup: match entry.body.markup {
            Markup::Html => "html",
            Markup::Text => "text",
        },
        base: entry.body.base.as_deref(),
        image: entry.body.image.as_deref(),
        text: &entry.body.text,
    }
}

fn enclosure_line(enclosure: &Enclosure) -> EnclosureLine<'_> {
    EnclosureLine {
        url: &enclosure.url,
        media_type: &enclosure.media_type,
        length: enclosure.length,
        duration: enclosure.duration,
    }
}

fn print(report: &Report<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut fact = |name: &str, value: &str| writeln!(out, "{name:<10} {}", sanitize::line(value));
    let status = report
        .status
        .map_or_else(String::new, |status| format!(", status {status}"));
    fact(
        "source",
        &format!("{}{status}, {}", report.source, bytes(report.bytes)),
    )?;
    if report.bytes > 0 {
        fact(
            "charset",
            &format!("{}, told by {}", report.charset, report.charset_by),
        )?;
    }
    if let Some(why) = &report.error {
        fact("error", why)?;
        return Ok(());
    }
    fact("kind", report.kind.unwrap_or_default())?;
    fact(
        "title",
        report
            .title
            .filter(|title| !title.is_empty())
            .unwrap_or("none"),
    )?;
    if let Some(site) = report.site {
        fact("site", site)?;
    }
    for hub in report.hubs {
        fact("hub", hub)?;
    }
    if report.ttl > 0 {
        fact("ttl", &format!("{} min", report.ttl / 60))?;
    }
    if report.update_period > 0 {
        fact("period", &format!("{} min", report.update_period / 60))?;
    }
    let repaired = match report.repaired {
        [] => "nothing".to_owned(),
        kinds => kinds.join(", "),
    };
    fact("repaired", &repaired)?;
    if report.truncated {
        fact(
            "cut off",
            "the document ends too early: its whole entries are read, and no validators would be kept",
        )?;
    }
    fact(
        "entries",
        &count(report.entries.len() as u64, "entry", "entries"),
    )?;
    for (nth, entry) in report.entries.iter().enumerate() {
        writeln!(out)?;
        print_entry(nth + 1, entry, out)?;
    }
    Ok(())
}

fn print_entry(nth: usize, entry: &EntryLine<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let title = if entry.title.is_empty() {
        "(no title)"
    } else {
        entry.title
    };
    writeln!(out, "{nth:>4}  {}", sanitize::line(title))?;
    let mut fact = |name: &str, value: &str| -> std::io::Result<()> {
        if value.is_empty() {
            return Ok(());
        }
        writeln!(out, "      {name:<10} {}", sanitize::line(value))
    };
    fact("key", &entry.key)?;
    fact("id", entry.id)?;
    fact("link", entry.link.unwrap_or_default())?;
    fact("author", entry.author)?;
    fact(
        "published",
        entry
            .published
            .as_deref()
            .unwrap_or("none: the time of first sight counts"),
    )?;
    fact("updated", entry.updated.as_deref().unwrap_or_default())?;
    fact("categories", &entry.categories.join(", "))?;
    fact("comments", entry.comments.unwrap_or_default())?;
    for enclosure in &entry.enclosures {
        let length = enclosure
            .length
            .map_or_else(String::new, |length| format!(", {}", bytes(length)));
        fact(
            "enclosure",
            &format!("{} {}{length}", enclosure.url, enclosure.media_type),
        )?;
    }
    let line = sanitize::line(entry.text);
    let cut: String = line.chars().take(TEXT_SHOWN).collect();
    let more = if cut.len() < line.len() { " …" } else { "" };
    fact(entry.markup, &format!("{cut}{more}"))?;
    Ok(())
}
