//! `tidings config check`, `tidings config show`: they read the files alone, and no store.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::say::say;
use super::{Failure, exit, json};
use crate::article::sanitize;
use crate::cli::{Config, ConfigAct};
use crate::config::{self, ConfigError, Setting, ShownFeed};
use crate::files::{self, FilesError};
use crate::model::{Locations, Settings, Subscription, arrange, bytes, human, is_under};
use crate::tui::{self, Colours, Theme, Themes};

/// Checks or shows.
pub fn configuration(
    wanted: &Config,
    locations: &Locations,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let code = match wanted.act {
        ConfigAct::Check if wanted.feed.is_some() => {
            return Err(Failure::usage(
                "`config check` checks every file; only `config show` takes a feed".to_owned(),
            ));
        }
        ConfigAct::Check => check(wanted.json, locations, out),
        ConfigAct::Show => match &wanted.feed {
            Some(feed) => show_feed(feed, wanted.json, locations, out),
            None => show(wanted.json, locations, out),
        },
    }?;
    out.flush()?;
    Ok(code)
}

/// One member of `config check --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Fault {
    file: String,
    /// `null` where no line can be named.
    line: Option<usize>,
    key: Option<String>,
    message: String,
    nearest: Option<String>,
    /// It can be lived with.
    warning: bool,
    #[serde(skip)]
    sentence: String,
}

impl Fault {
    fn of(error: &ConfigError) -> Self {
        Self {
            file: error.file.display().to_string(),
            line: (error.line > 0).then_some(error.line),
            key: Some(error.key.clone()).filter(|key| !key.is_empty()),
            message: error.message.clone(),
            nearest: error.nearest.clone(),
            warning: false,
            sentence: error.to_string(),
        }
    }

    fn said(file: &Path, line: usize, message: String) -> Self {
        let place = match line {
            0 => format!("{}: ", file.display()),
            line => format!("{}:{line}: ", file.display()),
        };
        Self {
            file: file.display().to_string(),
            line: (line > 0).then_some(line),
            key: None,
            sentence: place + &message,
            message,
            nearest: None,
            warning: false,
        }
    }

    /// A whole sentence that names its place itself.
    fn whole(file: &Path, sentence: &str, warning: bool) -> Self {
        let rest = sentence.strip_prefix(&format!("{}:", file.display()));
        let parts = rest.and_then(|rest| rest.split_once(": "));
        let placed = parts.and_then(|(line, message)| Some((line.parse().ok()?, message)));
        let (line, message) = placed.unwrap_or((0, sentence));
        Self {
            warning,
            sentence: sentence.to_owned(),
            ..Self::said(file, line, message.to_owned())
        }
    }
}

/// Names everything that is wrong.
fn check(as_json: bool, locations: &Locations, out: &mut dyn Write) -> Result<u8, Failure> {
    let faults = faults(locations);
    if as_json {
        let mut array = json::Array::begin(out)?;
        for fault in &faults {
            array.push(fault)?;
        }
        array.end()?;
    } else {
        for fault in &faults {
            let kind = if fault.warning { "warning: " } else { "" };
            writeln!(out, "{kind}{}", sanitize::line(&fault.sentence))?;
        }
    }
    let wrong = faults.iter().filter(|fault| !fault.warning).count();
    if wrong > 0 {
        let what = if wrong == 1 { "fault" } else { "faults" };
        say(&format!("{wrong} {what}"));
        return Ok(exit::USAGE);
    }
    if !as_json {
        writeln!(out, "{} is well", locations.config_dir.display())?;
    }
    Ok(exit::WELL)
}

fn faults(locations: &Locations) -> Vec<Fault> {
    let mut faults = settings_faults(locations);
    faults.extend(feeds_faults(locations));
    faults.extend(theme_faults(locations));
    faults
}

/// Of config.toml, in the order of its lines.
fn settings_faults(locations: &Locations) -> Vec<Fault> {
    let mut faults = Vec::new();
    let path = files::config_path(locations);
    let Some(text) = text(&path, &mut faults) else {
        return faults;
    };
    let (settings, errors, warnings) = config::settings_faults(&text, &path);
    add(&mut faults, &path, &errors, &warnings);
    // Steps of macros and the theme's name are only known to the reader. A step may name a table that could not be read.
    let own = ["[[macro]]", "[[command]]", "[[share]]"];
    let is_own = |error: &ConfigError| own.iter().any(|table| error.key.starts_with(table));
    let steps_known = !errors.iter().any(is_own);
    for (line, message) in tui::look_faults(&settings.ui, &themes(locations)) {
        match line {
            Some(line) if steps_known => faults.push(Fault::said(&path, line, message)),
            Some(_) => {}
            None => {
                let line = config::line_of(&text, "", "theme");
                faults.push(Fault::said(&path, line, message));
            }
        }
    }
    if let Some(file) = &settings.http.ca_file
        && let Err(error) = files::read(&files::resolve(file, locations))
    {
        let line = config::line_of(&text, "http", "ca_file");
        faults.push(Fault::said(&path, line, format!("[http] ca_file: {error}")));
    }
    arrange(&mut faults, by_line);
    faults
}

fn by_line(a: &Fault, b: &Fault) -> Ordering {
    a.line.cmp(&b.line)
}

/// Of feeds.toml. A login that cannot be read here may be there where the feeds are polled.
fn feeds_faults(locations: &Locations) -> Vec<Fault> {
    let mut faults = Vec::new();
    let path = files::feeds_path(locations);
    let Some(text) = text(&path, &mut faults) else {
        return faults;
    };
    let (list, errors, warnings) = config::subscriptions_faults(&text, &path);
    add(&mut faults, &path, &errors, &warnings);
    for feed in list {
        if let Err(error) = files::credentials(&feed.http, locations) {
            let message = format!("{}: {}", config::masked(&feed.url), error.detail);
            faults.push(Fault {
                warning: true,
                ..Fault::said(&path, 0, message)
            });
        }
    }
    faults
}

/// Of the user's themes, those that are not in use too.
fn theme_faults(locations: &Locations) -> Vec<Fault> {
    let (own, unread) = files::load_themes(locations);
    let dir = files::themes_path(locations);
    let unread = unread.iter().map(|text| Fault::whole(&dir, text, false));
    let mut faults: Vec<Fault> = unread.collect();
    for (name, text) in own {
        let path = dir.join(format!("{name}.toml"));
        let errors = Theme::faults(&name, &text).into_iter().map(|error| {
            let sentence = locations.config_dir.join(error.to_string());
            Fault::whole(&path, &sentence.display().to_string(), false)
        });
        let mut errors: Vec<Fault> = errors.collect();
        arrange(&mut errors, by_line);
        faults.extend(errors);
    }
    faults
}

fn add(faults: &mut Vec<Fault>, path: &Path, errors: &[ConfigError], warnings: &[String]) {
    faults.extend(errors.iter().map(Fault::of));
    faults.extend(warnings.iter().map(|text| Fault::whole(path, text, true)));
}

fn themes(locations: &Locations) -> Themes {
    Themes {
        own: files::load_themes(locations).0,
        colours: Colours::All,
    }
}

/// The text of a file; empty where there is none, `None` where it cannot be read.
fn text(path: &Path, faults: &mut Vec<Fault>) -> Option<String> {
    match read(path) {
        Ok(text) => Some(text),
        Err(error) => {
            faults.push(Fault::whole(path, &error.to_string(), false));
            None
        }
    }
}

fn read(path: &Path) -> Result<String, FilesError> {
    match files::read(path) {
        Err(FilesError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(String::new())
        }
        result => result,
    }
}

/// One member of `config show --json`. The keys are an interface: they may gain members, never change.
#[derive(Debug, Serialize)]
struct Row<'a> {
    table: &'a str,
    /// Which of several tables of that name, from 1; `null` where there is one only.
    nth: Option<usize>,
    key: &'a str,
    value: Option<&'a serde_json::Value>,
    /// `default` or `file`.
    from: &'static str,
    line: Option<usize>,
}

impl<'a> Row<'a> {
    fn of(setting: &'a Setting) -> Self {
        Self {
            table: &setting.table,
            nth: (setting.nth > 0).then_some(setting.nth),
            key: &setting.key,
            value: setting.value.as_ref(),
            from: if setting.line > 0 { "file" } else { "default" },
            line: (setting.line > 0).then_some(setting.line),
        }
    }
}

/// Lists every setting, as TOML that says where each comes from.
fn show(as_json: bool, locations: &Locations, out: &mut dyn Write) -> Result<u8, Failure> {
    let path = files::config_path(locations);
    let all = config::shown(&read(&path)?, &path).map_err(|error| {
        Failure::usage(format!("{error}; `tidings config check` names every fault"))
    })?;
    if as_json {
        let mut array = json::Array::begin(out)?;
        for setting in &all {
            array.push(&Row::of(setting))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    let there = if path.exists() {
        ""
    } else {
        " (there is none)"
    };
    writeln!(out, "# {}{there}", path.display())?;
    let mut before = (String::new(), 0);
    for setting in &all {
        let table = (setting.table.clone(), setting.nth);
        if table != before {
            let name = match setting.nth {
                0 => format!("[{}]", setting.table),
                _ => format!("[[{}]]", setting.table),
            };
            writeln!(out, "\n{name}")?;
            before = table;
        }
        writeln!(out, "{}", line(setting))?;
    }
    Ok(exit::WELL)
}

/// Lists the settings of one feed, and what holds of it because of config.toml.
fn show_feed(
    sought: &str,
    as_json: bool,
    locations: &Locations,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let refused = |error: ConfigError| {
        Failure::usage(format!("{error}; `tidings config check` names every fault"))
    };
    let path = files::feeds_path(locations);
    let shown = config::shown_feed(&read(&path)?, &path, sought).map_err(refused)?;
    let (feed, rows) = match shown {
        ShownFeed::One(feed, rows) => (feed, rows),
        ShownFeed::None => {
            let why = format!(
                "{} has no feed {sought}; `tidings feeds` lists all",
                path.display()
            );
            return Err(Failure::usage(why));
        }
        ShownFeed::Several(urls) => {
            let why = format!("{sought} may be {}; name one of them", urls.join(" or "));
            return Err(Failure::usage(why));
        }
    };
    let settings = files::config_path(locations);
    let (settings, _) = config::settings(&read(&settings)?, &settings).map_err(refused)?;
    if as_json {
        let mut array = json::Array::begin(out)?;
        for setting in &rows {
            array.push(&Row::of(setting))?;
        }
        array.end()?;
        return Ok(exit::WELL);
    }
    writeln!(out, "# {}\n\n[[feed]]", path.display())?;
    for setting in &rows {
        writeln!(out, "{}", sanitize::line(&line(setting)))?;
    }
    for (name, value) in because_of(&settings, &feed) {
        writeln!(
            out,
            "{:<VALUE$} # {name} of config.toml",
            format!("# {value}")
        )?;
    }
    Ok(exit::WELL)
}

/// What holds of a feed because of config.toml, where the feed says nothing itself.
fn because_of(settings: &Settings, feed: &Subscription) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let keep = settings.keep_of(feed);
    if keep != feed.keep {
        let seconds = |age: std::time::Duration| u32::try_from(age.as_secs()).unwrap_or(u32::MAX);
        let age = keep.age.map(|age| format!("age {}", human(seconds(age))));
        let entries = keep.entries.map(|most| format!("{most} entries"));
        let size = keep.size.map(bytes);
        let parts: Vec<String> = [age, entries, size].into_iter().flatten().collect();
        if !parts.is_empty() {
            found.push(("[keep]", format!("keeps {}", parts.join(", "))));
        }
    }
    let tags = &settings.ui.notify_tags;
    let tagged = |tag: &String| tags.iter().any(|upper| is_under(tag, upper));
    if feed.notify.is_none() && feed.tags.iter().any(tagged) {
        found.push(("notify_tags", "its new entries are told".to_owned()));
    }
    found
}

/// Columns before the note.
const VALUE: usize = 44;

fn line(setting: &Setting) -> String {
    let Setting {
        key, value, line, ..
    } = setting;
    match (value, line) {
        (None, _) => format!("{:<VALUE$} # not set", format!("# {key}")),
        (Some(value), 0) => format!("{:<VALUE$} # default", format!("{key} = {value}")),
        (Some(value), line) => format!("{:<VALUE$} # line {line}", format!("{key} = {value}")),
    }
}
