//! The reader on a terminal: what it needs of the user's files and of the environment, handed over.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::ask::start_failure;
use super::{Context, Failure};
use crate::cli::Color;
use crate::config;
use crate::engine::{self, Mode, Options};
use crate::files;
use crate::tui::{self, LookError, Memory, TuiError, TuiOptions, Visit};

/// Opens the reader and stays in it until it is quit. `told` is shown in its bottom line first.
pub fn reader(context: &Context, color: Color, mut told: Vec<String>) -> Result<(), Failure> {
    need_terminal()?;
    let (themes, unread) = files::load_themes(&context.locations);
    told.extend(unread);
    let options = Options {
        locations: context.locations.clone(),
        settings: context.settings.clone(),
        mode: Mode::Reader,
    };
    let (client, notices) = engine::start(options).map_err(|error| start_failure(&error))?;
    told.extend(notices);
    let options = TuiOptions {
        clock: engine::now,
        list: home_as_tilde(&files::feeds_path(&context.locations)),
        plain: !wants_colors(color),
        themes,
        notices: told,
        memory: memory(context),
    };
    tui::run(client, context.settings.ui.clone(), options).map_err(|error| match error {
        TuiError::Look(look) => Failure::usage(look_sentence(context, &look)),
        TuiError::Terminal(_) | TuiError::Engine => Failure::internal(error.to_string()),
    })
}

/// What earlier sessions left.
fn memory(context: &Context) -> Memory {
    let file = files::history_path(&context.locations);
    Memory {
        visit: if files::is_first(&context.locations) {
            Visit::First
        } else {
            Visit::Again
        },
        lines: files::history(&file),
        file,
        add: |file, line| files::add_history(file, line).map_err(|error| error.to_string()),
    }
}

/// What is wrong with the look, and where in the user's file.
fn look_sentence(context: &Context, look: &LookError) -> String {
    if let LookError::Macro { line, message } = look {
        let path = files::config_path(&context.locations);
        return format!("{}:{line}: {message}", path.display());
    }
    let LookError::Theme(error) = look else {
        return look.to_string();
    };
    let path = files::config_path(&context.locations);
    let line = files::read(&path).map_or(0, |text| config::line_of(&text, "", "theme"));
    match line {
        0 => error.to_string(),
        line => format!("{}:{line}: theme: {error}", path.display()),
    }
}

/// A path as a person writes it: `~` for the home directory.
fn home_as_tilde(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let below = home
        .as_deref()
        .and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// `--color`, else the environment's `NO_COLOR` (no-color.org: any value but an empty one).
fn wants_colors(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// Said before anything is made or started.
pub fn need_terminal() -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::usage(
        "the reader needs a terminal; without one use --refresh-only, or a command such as `tidings entries`",
    ))
}
