//! What was taken over and what was not, as one page.

use std::io::Write;

use unicode_width::UnicodeWidthStr;

use super::super::Failure;
use super::super::say::{count, shown};
use super::super::table::{fill, fit};
use super::Feeds;
use super::articles::Articles;
use super::places::{self, Places};
use super::settings::Planned;
use crate::article::sanitize;
use crate::config::{self, Wanted};
use crate::newsboat::{self, Left};
use crate::parse::{Imported, Skipped};

/// Columns of a line of newsboat's.
const WIDTH: usize = 90;

/// The page, piece by piece.
pub(super) struct Page {
    dry_run: bool,
    lines: Vec<String>,
    left: Vec<Left>,
    noted: Vec<Left>,
}

impl Page {
    /// With the files that were read.
    pub fn new(places: &Places, dry_run: bool) -> Self {
        let files = [&places.urls, &places.config, &places.cache];
        let there = files.into_iter().filter(|path| path.exists());
        let there: Vec<String> = there.map(|path| places::shown(path)).collect();
        Self {
            dry_run,
            lines: vec![format!("From {}", there.join(", "))],
            left: Vec::new(),
            noted: Vec::new(),
        }
    }

    fn head(&mut self, text: &str) {
        self.lines.extend([String::new(), text.to_owned()]);
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("  {}", text.as_ref()));
    }

    /// Lines of `urls` that are no feeds, and feeds that run a command.
    pub fn told(&mut self, imported: &Imported) {
        let left = |skipped: &Skipped| Left {
            place: format!("urls:{}", skipped.line),
            text: shown(&skipped.text),
            why: skipped.why.clone(),
        };
        self.left.extend(imported.skipped.iter().map(left));
        self.noted.extend(imported.noted.iter().map(left));
    }

    /// What of the list is subscribed.
    pub fn feeds(&mut self, has_urls: bool, feeds: &Feeds) {
        self.head("Feeds, in feeds.toml");
        if !has_urls {
            self.line("newsboat has no file urls");
            return;
        }
        let mut parts = vec![count(feeds.added as u64, "feed", "feeds") + " added"];
        if feeds.duplicates > 0 {
            parts.push(format!(
                "{} subscribed already or twice in the file",
                feeds.duplicates
            ));
        }
        self.line(parts.join(", "));
    }

    /// What of the cache is stored.
    pub fn articles(&mut self, articles: &Result<Option<Articles>, String>) {
        self.head("Articles");
        let articles = match articles {
            Ok(Some(articles)) => articles,
            Ok(None) => return self.line("newsboat has no cache.db"),
            Err(why) => return self.line(why),
        };
        let read = articles.read();
        self.line(format!(
            "{} with their text: {} unread, {} read",
            count(read, "article", "articles"),
            articles.unread,
            read.saturating_sub(articles.unread),
        ));
        if articles.known > 0 {
            self.line(format!(
                "{} of them here already: those only get their marks",
                articles.known
            ));
        }
        if articles.flagged > 0 {
            self.line(format!(
                "{} starred, as they had flags, which are tags now: {}",
                articles.flagged,
                articles.letters.join(" ")
            ));
        }
        if articles.hidden > 0 {
            self.line(format!(
                "{} hidden by newsboat's rules, and found with is:hidden",
                articles.hidden
            ));
        }
        if articles.gone > 0 {
            self.line(format!(
                "{} thrown away in newsboat: they do not come back as new",
                articles.gone
            ));
        }
        if articles.strange.0 > 0 {
            let of = count(articles.strange.1 as u64, "feed that is", "feeds that are");
            let articles = count(articles.strange.0, "article", "articles");
            self.line(format!("{articles} of {of} not subscribed: left out"));
        }
        if articles.too_large > 0 {
            self.line(format!("{} too large: left out", articles.too_large));
        }
    }

    /// What goes into config.toml, and what does not.
    pub fn settings(&mut self, planned: &Planned) {
        if !planned.wishes.is_empty() {
            self.head("Settings, in config.toml");
        }
        let rows = planned.wishes.iter();
        let rows: Vec<_> = rows
            .map(|wish| (wish.place.as_str(), one_line(&wish.wanted)))
            .collect();
        self.rows(&rows, "");
        if planned.theme.is_some() {
            self.head("Colours, in themes/newsboat.toml");
            self.line("the colour lines of config");
        }
        self.left.extend(planned.left.iter().cloned());
        self.noted.extend(planned.noted.iter().cloned());
    }

    /// Places, one below the other, and what stands there.
    fn rows(&mut self, rows: &[(&str, String)], indent: &str) {
        let width = rows.iter().map(|(place, _)| place.width()).max();
        let width = width.unwrap_or(0);
        for (place, text) in rows {
            self.line(format!("{indent}{}  {text}", fill(place, width)));
        }
    }

    /// Lines with the same reason stand together.
    fn group(&mut self, head: &str, lines: &[Left]) {
        if lines.is_empty() {
            return;
        }
        self.head(head);
        let mut whys: Vec<String> = Vec::new();
        for line in lines {
            if !whys.contains(&line.why) {
                whys.push(line.why.clone());
            }
        }
        for why in whys {
            self.line(&why);
            let rows = lines.iter().filter(|line| line.why == why);
            let rows: Vec<_> = rows
                .map(|Left { place, text, .. }| (place.as_str(), fit(text, WIDTH)))
                .collect();
            self.rows(&rows, "  ");
        }
    }

    /// The whole.
    pub fn write(mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let (left, noted) = (
            std::mem::take(&mut self.left),
            std::mem::take(&mut self.noted),
        );
        self.group("Worth knowing", &noted);
        self.group("Not taken over", &left);
        if self.dry_run {
            self.lines[0].insert_str(0, "Nothing is written. ");
        }
        for line in self.lines {
            let clean = line.chars().filter(|c| !sanitize::is_forbidden(*c));
            writeln!(out, "{}", clean.collect::<String>())?;
        }
        Ok(())
    }
}

/// As config.toml has it, on one line.
fn one_line(wanted: &Wanted) -> String {
    let written = config::written(wanted);
    let lines: Vec<&str> = written.lines().filter(|line| !line.is_empty()).collect();
    newsboat::without_login(&lines.join("  "))
}
