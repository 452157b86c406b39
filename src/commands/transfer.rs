//! `tidings import` and `tidings export`: lists of feeds, and marks, from and to other programs and machines.

use std::io::{self, Read, Write};
use std::path::Path;

use super::ask::Asking;
use super::say::{count, say, shown};
use super::{Context, Failure, exit, marks, state};
use crate::cli::{Export, Import};
use crate::config;
use crate::engine::{Command, Event};
use crate::files;
use crate::model::{SourceKind, Subscription};
use crate::parse::{self, Imported, Skipped};

/// A list of feeds, or of marks, is never larger.
const LARGEST: u64 = 256 << 20;

/// Lines that were left out and are told one by one.
const TOLD: usize = 20;

/// Subscribes to the feeds of a file, or takes marks over.
pub(super) fn import(
    wanted: &Import,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    if let Some(path) = &wanted.state {
        return import_state(path, context, out);
    }
    let path = wanted.file.as_deref().unwrap_or_else(|| Path::new("-"));
    let mut imported = read_list(&read(path)?, path)?;
    // Of a file that is no list at all, a few lines tell enough.
    let told = if imported.subscriptions.is_empty() {
        3
    } else {
        TOLD
    };
    say_skipped(&imported.skipped, told);
    for Skipped { line, text, why } in &imported.noted {
        let text = super::table::fit(&shown(text), 80);
        say(&format!("line {line} {why}: {text}"));
    }
    let (known, _) = files::load_subscriptions(&context.locations)?;
    let bare = unmask(&mut imported.subscriptions, &known);
    if bare > 0 {
        say(&format!(
            "{} without the login that was in the URL; put it in by hand, or use auth_file or auth_env",
            count(bare as u64, "feed comes", "feeds come")
        ));
    }
    if imported.subscriptions.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no feeds; an OPML file or a newsboat urls file is needed",
            place(path)
        )));
    }
    let mut asking = Asking::start(context)?;
    let (added, duplicates) = asking.import(imported.subscriptions)?;
    asking.end();
    let mut parts = vec![count(added as u64, "feed", "feeds") + " imported"];
    if duplicates > 0 {
        parts.push(format!(
            "{duplicates} subscribed already or twice in the file"
        ));
    }
    if !imported.skipped.is_empty() {
        let lines = count(imported.skipped.len() as u64, "line", "lines");
        parts.push(format!("{lines} left out"));
    }
    writeln!(out, "{}", parts.join(", "))?;
    if added > 0 {
        say("they are due now: open the reader, or run `tidings --refresh-only`");
    }
    Ok(exit::WELL)
}

/// OPML begins with `<`; everything else is read as newsboat's list.
fn read_list(text: &str, path: &Path) -> Result<Imported, Failure> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return parse::opml::read(text).map_err(|error| {
            Failure::usage(format!("{} cannot be imported: {error}", place(path)))
        });
    }
    Ok(parse::urls::read(text))
}

fn say_skipped(skipped: &[Skipped], told: usize) {
    for left_out in skipped.iter().take(told) {
        let text = super::table::fit(&shown(&left_out.text), 80);
        let Skipped { line, why, .. } = left_out;
        say(&format!("line {line} is left out: {why}: {text}"));
    }
    if skipped.len() > told {
        let more = count((skipped.len() - told) as u64, "line", "lines");
        say(&format!("{more} more are left out"));
    }
}

/// Writes the subscriptions, or the marks.
pub(super) fn export(
    wanted: &Export,
    context: &Context,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    if let Some(path) = &wanted.state {
        return export_state(path, context, out);
    }
    let mut list = subscribed(context)?;
    let all = list.len();
    list.retain(|feed| config::local(&feed.url).is_none());
    if list.len() < all {
        let left = count((all - list.len()) as u64, "feed", "feeds");
        say(&format!(
            "{left} made by a file or a command of this machine: left out, no other program could read them"
        ));
    }
    let filtered = list.iter().filter(|feed| !feed.filter.is_empty()).count();
    if filtered > 0 {
        let feeds = count(filtered as u64, "feed", "feeds");
        say(&format!(
            "{feeds} with a filter: written without it, as no list may bring a command; where the list is imported, put the filter into feeds.toml by hand"
        ));
    }
    let secrets = mask(&mut list);
    if secrets > 0 {
        say(&format!(
            "{} with a login in the URL: it is written as ***, put it in by hand where the list is imported",
            count(secrets as u64, "feed", "feeds")
        ));
    }
    let text = parse::opml::write(&list);
    write_to(wanted.file.as_deref(), text.as_bytes(), out)?;
    Ok(exit::WELL)
}

/// The feeds of feeds.toml; where it has lists, what they name stands behind each, and only then the store is asked.
fn subscribed(context: &Context) -> Result<Vec<Subscription>, Failure> {
    let (own, warnings) = files::load_subscriptions(&context.locations)?;
    for warning in warnings {
        say(&warning);
    }
    if own.iter().all(|feed| feed.kind != SourceKind::List) {
        return Ok(own);
    }
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    asking.end();
    let mut own: Vec<Option<Subscription>> = own.into_iter().map(Some).collect();
    let list = rows.into_iter().filter_map(|row| {
        if row.followed.is_some() {
            return Some(Subscription {
                title: Some(row.feed.title).filter(|title| !title.is_empty()),
                url: row.feed.url,
                tags: row.feed.tags,
                ..Subscription::default()
            });
        }
        let is_it = |feed: &&mut Option<Subscription>| {
            let feed = feed.as_ref();
            feed.is_some_and(|feed| feed.url == row.feed.url)
        };
        let feed = own.iter_mut().find(is_it)?.take();
        feed.filter(|feed| feed.kind != SourceKind::List)
    });
    Ok(list.collect())
}

/// A list that travels carries no passwords. Gives how many there were.
fn mask(list: &mut [Subscription]) -> usize {
    let mut secrets = 0;
    for feed in list {
        let masked = config::masked(&feed.url);
        if masked != feed.url {
            feed.url = masked;
            secrets += 1;
        }
    }
    secrets
}

/// A masked login of an exported list is the one of feeds.toml where the feed is subscribed. Elsewhere it is dropped; gives
/// how often.
fn unmask(list: &mut [Subscription], known: &[Subscription]) -> usize {
    let mut bare = 0;
    for feed in list.iter_mut().filter(|feed| feed.url.contains("://***@")) {
        let same = |known: &&Subscription| config::masked(&known.url) == feed.url;
        if let Some(known) = known.iter().find(same) {
            feed.url.clone_from(&known.url);
        } else {
            bare += 1;
            feed.url = feed.url.replacen("***@", "", 1);
        }
    }
    bare
}

fn export_state(path: &Path, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let marks = asking.ask(
        |ticket| Command::ExportState { ticket },
        |event, ticket| match event {
            Event::State { ticket: of, marks } if of == ticket => Some(marks),
            _ => None,
        },
    )?;
    asking.end();
    let mut text = Vec::new();
    state::write(&marks, &mut text)?;
    write_to(Some(path), &text, out)?;
    if path != Path::new("-") {
        let marks = count(marks.len() as u64, "entry", "entries");
        writeln!(out, "marks of {marks} written to {}", path.display())?;
    }
    Ok(exit::WELL)
}

fn import_state(path: &Path, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let marks = state::read(&read(path)?)
        .map_err(|why| Failure::usage(format!("{} cannot be imported: {why}", place(path))))?;
    let (feeds, _) = files::load_subscriptions(&context.locations)?;
    let marks = state::unmask(marks, &feeds);
    let mut asking = Asking::start(context)?;
    let changed = asking.ask(
        |ticket| Command::ImportState { marks, ticket },
        marks::marked,
    )?;
    asking.end();
    writeln!(out, "{} marked", count(changed, "entry", "entries"))?;
    Ok(exit::WELL)
}

/// Where a text came from, for a sentence.
fn place(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Reads a file, or standard input for `-`.
fn read(path: &Path) -> Result<String, Failure> {
    let failed = |error: io::Error| {
        Failure::usage(format!(
            "{} cannot be read: {}; nothing was imported",
            place(path),
            files::reason(&error)
        ))
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = io::stdin().lock();
        stdin
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    } else {
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!(
            "{} is too large for a list",
            place(path)
        )));
    }
    if is_binary(&bytes) {
        return Err(Failure::usage(format!(
            "{} is no text; an OPML file or a newsboat urls file is needed",
            place(path)
        )));
    }
    Ok(text_of(bytes))
}

/// A zero byte stands in no text but in UTF-16, which says so in its first bytes.
fn is_binary(bytes: &[u8]) -> bool {
    !matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && bytes.contains(&0)
}

/// The text of a list: UTF-8, or UTF-16 with its mark, or else Latin-1, which old programs wrote.
fn text_of(bytes: Vec<u8>) -> String {
    let units = |of: fn([u8; 2]) -> u16| -> String {
        let pairs = bytes[2..]
            .chunks_exact(2)
            .map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(pairs)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => return units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => return units(u16::from_be_bytes),
        _ => {}
    }
    String::from_utf8(bytes).unwrap_or_else(|error| {
        error
            .as_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect()
    })
}

fn write_to(path: Option<&Path>, bytes: &[u8], out: &mut dyn Write) -> Result<(), Failure> {
    match path {
        Some(path) if path != Path::new("-") => {
            // The place was named by the user: no fault of the program's.
            files::write(path, bytes).map_err(|error| Failure::usage(error.to_string()))
        }
        _ => Ok(out.write_all(bytes)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_the_encodings_it_comes_in() {
        for (bytes, text) in [
            ("<ü>".as_bytes().to_vec(), "<ü>"),
            (b"<\xfc>".to_vec(), "<ü>"),
            (b"\xff\xfe<\0\xfc\0>\0".to_vec(), "<ü>"),
            (b"\xfe\xff\0<\0\xfc\0>".to_vec(), "<ü>"),
            (Vec::new(), ""),
        ] {
            assert!(!is_binary(&bytes), "{text}");
            assert_eq!(text_of(bytes), text);
        }
        assert!(is_binary(b"\x7fELF\x02\0"));
    }

    #[test]
    fn a_list_that_travels_carries_no_password() {
        let mut list = vec![
            Subscription {
                url: "https://u:p@a.org/x".to_owned(),
                ..Subscription::default()
            },
            Subscription {
                url: "https://b.org/@me".to_owned(),
                ..Subscription::default()
            },
        ];
        assert_eq!(mask(&mut list), 1);
        assert_eq!(list[0].url, "https://***@a.org/x");
        assert_eq!(list[1].url, "https://b.org/@me");
        // Back where it came from it is the same feed, elsewhere it is the address without a login.
        let known = [Subscription {
            url: "https://u:p@a.org/x".to_owned(),
            ..Subscription::default()
        }];
        let mut back = list.clone();
        assert_eq!(unmask(&mut back, &known), 0);
        assert_eq!(back[0].url, "https://u:p@a.org/x");
        assert_eq!(unmask(&mut list, &[]), 1);
        assert_eq!(list[0].url, "https://a.org/x");
        assert_eq!(list[1].url, "https://b.org/@me");
    }
}
