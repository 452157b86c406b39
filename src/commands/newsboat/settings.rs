//! What of newsboat's settings goes into config.toml, planned against the user's own and then written.

use super::super::{Context, Failure};
use crate::config::{self, Adoption, Wanted, Worth};
use crate::files::{self, FilesError};
use crate::newsboat::{Left, Mapping, Wish};
use crate::query::Rules;

/// The name of the theme that `color` lines make.
const THEME: &str = "newsboat";

/// What is to be written.
pub(super) struct Planned {
    /// Into config.toml, in this order.
    pub wishes: Vec<Wish>,
    /// `themes/newsboat.toml`, where it is new.
    pub theme: Option<String>,
    /// What has no place.
    pub left: Vec<Left>,
    /// What has one, with a difference.
    pub noted: Vec<Left>,
}

/// Tries every wish on config.toml as it is. What the user has set stays; what the file would not take is left.
pub(super) fn plan(mapping: Mapping, context: &Context) -> Result<Planned, Failure> {
    let path = files::config_path(&context.locations);
    let mut text = match files::read(&path) {
        Ok(text) => text,
        Err(FilesError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            String::new()
        }
        Err(error) => return Err(error.into()),
    };
    let mut planned = Planned {
        wishes: Vec::new(),
        theme: None,
        left: mapping.left,
        noted: mapping.noted,
    };
    for wish in mapping.wishes {
        let why = match config::adopt(&text, &wish.wanted) {
            Ok(Adoption::Edited(edited)) => {
                text = edited;
                planned.wishes.push(wish);
                continue;
            }
            Ok(Adoption::Same) => continue,
            Ok(Adoption::Other) => own(&wish.wanted),
            Err(error) => error.message,
        };
        planned.left.push(Left {
            place: wish.place,
            text: wish.text,
            why,
        });
    }
    let theme = themed(&mapping.theme);
    let at = files::themes_path(&context.locations).join(format!("{THEME}.toml"));
    if let Some(theme) = theme {
        plan_theme(&mut planned, &text, theme, at.exists());
    }
    Ok(planned)
}

/// The rules among the wishes: what newsboat does not show.
pub(super) fn rules(wishes: &[Wish]) -> Rules {
    let rules = wishes.iter().filter_map(|wish| match &wish.wanted {
        Wanted::Rule(rule) => Some(rule.clone()),
        _ => None,
    });
    // Their queries were made here.
    Rules::new(&rules.collect::<Vec<_>>()).unwrap_or_default()
}

fn own(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Set { table, key, .. } => {
            let table = if table.is_empty() {
                String::new()
            } else {
                format!("[{table}] ")
            };
            format!("config.toml sets {table}{key}, and that stays")
        }
        Wanted::Smart(_) => "config.toml has a list of that name".to_owned(),
        Wanted::Rule(_) => "config.toml has this rule".to_owned(),
        Wanted::Macro(_) => "config.toml has a macro of that name".to_owned(),
        Wanted::Command(_) => "config.toml has a command of that name".to_owned(),
    }
}

/// The user's theme stays, and so does a file that is there.
fn plan_theme(planned: &mut Planned, text: &str, theme: String, is_there: bool) {
    let wanted = Wanted::Set {
        table: "",
        key: "theme".to_owned(),
        value: Worth::Text(THEME.to_owned()),
    };
    let wish = Wish {
        place: "config".to_owned(),
        text: "color …".to_owned(),
        wanted,
    };
    match config::adopt(text, &wish.wanted) {
        Ok(Adoption::Edited(_)) => planned.wishes.push(wish),
        Ok(Adoption::Same) => {}
        Ok(Adoption::Other) | Err(_) => planned.left.push(Left {
            place: wish.place,
            text: wish.text,
            why: format!(
                "config.toml sets a theme, and that stays; theme = \"{THEME}\" shows newsboat's colours"
            ),
        }),
    }
    planned.theme = (!is_there).then_some(theme);
}

/// The file of the theme; of several lines about one name the last counts.
fn themed(lines: &[(&'static str, String)]) -> Option<String> {
    if lines.is_empty() {
        return None;
    }
    let mut theme = String::from(
        "# Colours of newsboat's; a name that is left out is that of the built-in theme \"dark\".\n\n",
    );
    for (at, (name, look)) in lines.iter().enumerate() {
        if lines[at + 1..].iter().all(|(later, _)| later != name) {
            theme = theme + name + " = \"" + look + "\"\n";
        }
    }
    Some(theme)
}

/// Writes the theme, then config.toml, which is read again under its lock: what was set meanwhile stays too.
pub(super) fn write(planned: &Planned, context: &Context) -> Result<(), Failure> {
    if let Some(theme) = &planned.theme {
        let dir = files::themes_path(&context.locations);
        std::fs::create_dir_all(&dir).map_err(|error| {
            let why = files::reason(&error);
            Failure::usage(format!("{} cannot be made: {why}", dir.display()))
        })?;
        files::write(&dir.join(format!("{THEME}.toml")), theme.as_bytes())?;
    }
    if planned.wishes.is_empty() {
        return Ok(());
    }
    files::edit_settings(&context.locations, |text| {
        let mut text = text.to_owned();
        for wish in &planned.wishes {
            if let Adoption::Edited(edited) = config::adopt(&text, &wish.wanted)? {
                text = edited;
            }
        }
        Ok(text)
    })?;
    Ok(())
}
