//! What keys mean where: the built-in table with the user's keys, macros and commands laid over it.

use crate::article::sanitize;
use crate::config::{self, KeyRow, TableError};
use crate::model::UiSettings;

use super::{Action, Key, Keys, PLACES, Place, shown};

/// What keys that were pressed one after the other mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// This is done.
    Done(Action),
    /// Another key is to follow.
    Begun,
    /// Nothing.
    Nothing,
}

/// A line of the help: an action, its keys and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The action.
    pub action: Action,
    /// Its name, also its command.
    pub name: String,
    /// Its keys.
    pub keys: Vec<Keys>,
    /// What it does.
    pub help: String,
    /// The heading it stands under.
    pub group: String,
    /// Where it holds; empty for everywhere.
    pub places: Vec<Place>,
}

impl Binding {
    /// Its keys as the help shows them: `j Down`.
    pub fn keys_text(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(Keys::to_string).collect();
        keys.join(" ")
    }

    /// It holds there.
    pub fn holds_in(&self, place: Place) -> bool {
        self.places.is_empty() || self.places.contains(&place)
    }
}

/// Why the keys cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// The table itself.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No such action.
    #[error("[keys]: there is no action `{name}`")]
    Action {
        /// As written.
        name: String,
    },
    /// No such key.
    #[error("[keys]: `{key}` of `{name}` is no key")]
    Key {
        /// The action.
        name: String,
        /// As written.
        key: String,
    },
    /// No such place; only the built-in table names places.
    #[error("there is no place `{0}`")]
    Place(String),
}

/// All bindings, the user's laid over the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Keymap {
    /// The built-in table with `overrides` (action, keys) over it. A key given to an action is taken from
    /// every other action in the places they share.
    pub fn new(overrides: &[(String, Vec<String>)]) -> Result<Self, KeysError> {
        let rows = config::key_table()?;
        let mut bindings = rows
            .into_iter()
            .map(binding)
            .collect::<Result<Vec<_>, _>>()?;
        for (name, texts) in overrides {
            let keys = texts
                .iter()
                .map(|text| parse_key(name, text))
                .collect::<Result<Vec<_>, _>>()?;
            let Some(at) = bindings.iter().position(|b| b.name == *name) else {
                return Err(KeysError::Action { name: name.clone() });
            };
            let places = bindings[at].places.clone();
            for other in &mut bindings {
                if overlap(&other.places, &places) {
                    other.keys.retain(|key| !keys.contains(key));
                }
            }
            bindings[at].keys = keys;
        }
        Ok(Self { bindings })
    }

    /// The same with everything that the user made of keys: macros and commands hold wherever there are feeds and entries.
    pub fn of(settings: &UiSettings) -> Result<Self, KeysError> {
        let mut keymap = Self::new(&settings.keys)?;
        for (nth, one) in settings.macros.iter().enumerate() {
            let steps: Vec<&str> = one.steps.iter().map(|step| step.text.as_str()).collect();
            let help = format!("{}: {}", one.name, steps.join(", "));
            keymap.own(Action::Macro(nth), &one.name, &one.keys, &help)?;
        }
        for (nth, one) in settings.externals.iter().enumerate() {
            let help = format!("{}: {}", one.name, one.run.join(" "));
            keymap.own(Action::External(nth), &one.name, &one.keys, &help)?;
        }
        for (nth, one) in settings.shares.iter().enumerate() {
            let help = format!("{}: {}", one.name, one.url);
            keymap.own(Action::ShareTo(nth), &one.name, &one.keys, &help)?;
        }
        Ok(keymap)
    }

    /// Names of what an entry can be handed to: share targets, then commands.
    pub fn targets(&self) -> Vec<&str> {
        let named = |is: fn(&Action) -> bool| {
            let own = self.bindings.iter().filter(move |b| is(&b.action));
            own.map(|binding| binding.name.as_str())
        };
        let shares = named(|action| matches!(action, Action::ShareTo(_)));
        let commands = named(|action| matches!(action, Action::External(_)));
        shares.chain(commands).collect()
    }

    fn own(
        &mut self,
        action: Action,
        name: &str,
        keys: &[String],
        help: &str,
    ) -> Result<(), KeysError> {
        let keys = keys.iter().map(|text| parse_key(name, text));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let places = [Place::Feeds, Place::Entries, Place::Article, Place::Status];
        for other in &mut self.bindings {
            if overlap(&other.places, &places) {
                other.keys.retain(|key| !keys.contains(key));
            }
        }
        self.bindings.push(Binding {
            action,
            name: name.to_owned(),
            keys,
            help: sanitize::line(help),
            group: "Your own".to_owned(),
            places: places.to_vec(),
        });
        Ok(())
    }

    /// The action of that name, those of the user as well.
    pub fn named(&self, name: &str) -> Option<Action> {
        let known = self.bindings.iter().find(|binding| binding.name == name)?;
        Some(known.action)
    }

    /// What `keys` do in `place`. A row that names the place wins over one that holds everywhere.
    pub fn meaning(&self, place: Place, keys: &[Key]) -> Meaning {
        let here = || self.bindings.iter().filter(|b| b.holds_in(place));
        let mut found = here().filter(|b| b.keys.iter().any(|known| known.0 == keys));
        if let Some(first) = found.next() {
            let second = found.find(|b| !b.places.is_empty());
            let binding = second.filter(|_| first.places.is_empty()).unwrap_or(first);
            return Meaning::Done(binding.action);
        }
        let begun = |b: &Binding| b.keys.iter().any(|known| known.0.starts_with(keys));
        if here().any(begun) {
            Meaning::Begun
        } else {
            Meaning::Nothing
        }
    }

    /// What may follow `keys` in `place`: the keys that are left to press, and what they do.
    pub fn following(&self, place: Place, keys: &[Key]) -> Vec<(String, &str)> {
        let here = self.bindings.iter().filter(|b| b.holds_in(place));
        let rest = |b: &'_ Binding| -> Vec<String> {
            let rest = b.keys.iter().filter_map(|known| known.0.strip_prefix(keys));
            rest.filter(|rest| !rest.is_empty()).map(shown).collect()
        };
        here.flat_map(|b| rest(b).into_iter().map(|keys| (keys, b.help.as_str())))
            .collect()
    }

    /// Every binding, in the table's order.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The first key of an action, for a hint.
    pub fn hint(&self, action: Action) -> Option<&Keys> {
        let binding = self.bindings.iter().find(|b| b.action == action)?;
        binding.keys.first()
    }
}

fn binding(row: KeyRow) -> Result<Binding, KeysError> {
    let Some(action) = Action::named(&row.name) else {
        return Err(KeysError::Action { name: row.name });
    };
    let keys = row
        .keys
        .iter()
        .map(|text| parse_key(&row.name, text))
        .collect::<Result<_, _>>()?;
    let places = row
        .places
        .iter()
        .map(|name| {
            PLACES
                .iter()
                .find_map(|(known, place)| (known == name).then_some(*place))
                .ok_or_else(|| KeysError::Place(name.clone()))
        })
        .collect::<Result<_, _>>()?;
    Ok(Binding {
        action,
        name: row.name,
        keys,
        help: row.help,
        group: row.group,
        places,
    })
}

fn parse_key(name: &str, text: &str) -> Result<Keys, KeysError> {
    Keys::parse(text).ok_or_else(|| KeysError::Key {
        name: name.to_owned(),
        key: text.to_owned(),
    })
}

fn overlap(one: &[Place], other: &[Place]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|place| other.contains(place))
}
