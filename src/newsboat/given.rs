//! The keys that newsboat's lines give, as rows of `[keys]`.

use super::lines::Line;
use super::{Wish, binds};
use crate::config::{self, Wanted, Worth};

/// Actions with the keys that newsboat's lines give them besides the built-in ones.
pub(super) struct Keys {
    built_in: Vec<(String, Vec<String>)>,
    /// Action, keys, and the last line that gave it one.
    given: Vec<(&'static str, Vec<String>, Line)>,
}

impl Keys {
    /// None yet.
    pub fn new() -> Self {
        let rows = config::key_table().unwrap_or_default();
        Self {
            built_in: rows.into_iter().map(|row| (row.name, row.keys)).collect(),
            given: Vec::new(),
        }
    }

    /// `bind-key KEY OPERATION DIALOG`.
    pub fn bind(
        &mut self,
        line: &Line,
        key: &str,
        operation: &str,
        dialog: &str,
    ) -> Result<(), String> {
        let key = binds::key(key).ok_or("no such key")?;
        self.add(line, key, operation, dialog)
    }

    /// The same of a key that is read already, or of several one after the other.
    pub fn add(
        &mut self,
        line: &Line,
        key: String,
        operation: &str,
        dialog: &str,
    ) -> Result<(), String> {
        let action = binds::action(operation, dialog)
            .ok_or_else(|| format!("nothing in tidings does what `{operation}` does there"))?;
        // A key that is given anew is taken from whatever had it.
        for (of, keys, _) in &mut self.given {
            if *of != action {
                keys.retain(|known| *known != key);
            }
        }
        let of = |(name, _): &&(String, Vec<String>)| name == action;
        let built_in = self.built_in.iter().find(of);
        if built_in.is_some_and(|(_, keys)| keys.contains(&key)) {
            return Ok(());
        }
        match self.given.iter_mut().find(|(of, ..)| *of == action) {
            Some((_, keys, _)) if keys.contains(&key) => {}
            Some((_, keys, last)) => {
                keys.push(key);
                last.clone_from(line);
            }
            None => self.given.push((action, vec![key], line.clone())),
        }
        Ok(())
    }

    /// A row of `[keys]` stands for all keys of an action: the built-in ones come first.
    pub fn wish(self, wishes: &mut Vec<Wish>) {
        for (action, keys, line) in self.given {
            if keys.is_empty() {
                continue;
            }
            let built_in = self.built_in.iter().find(|(name, _)| name == action);
            let mut all = built_in.map_or_else(Vec::new, |(_, keys)| keys.clone());
            all.extend(keys);
            wishes.push(Wish {
                place: line.place,
                text: line.text,
                wanted: Wanted::Set {
                    table: "keys",
                    key: action.to_owned(),
                    value: Worth::List(all),
                },
            });
        }
    }
}
