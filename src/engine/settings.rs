//! Looks at config.toml and the themes while a reader is open, once a tick: what was saved is read again.

use crate::files;
use crate::model::Settings;
use crate::query::Rules;

use super::protocol::{Event, NewSettings};
use super::rulebook::News;
use super::run::Engine;

impl Engine {
    /// config.toml and the themes: read again when they were saved. What is broken changes nothing.
    pub(super) fn look_at_settings(&mut self) {
        if self.looks.changed() {
            let locations = &self.shared.locations;
            let read = match files::load_settings(locations) {
                Ok((settings, warnings)) => Ok(Box::new(self.take_over(settings, warnings))),
                Err(error) => Err(error.to_string()),
            };
            let path = files::config_path(locations).display().to_string();
            self.tell(Event::Settings { path, read });
        }
    }

    /// Rules hold from now on; what polls were started with stays until the next start.
    fn take_over(&self, settings: Settings, warnings: Vec<String>) -> NewSettings {
        let known = &self.shared.settings;
        if let Ok(rules) = Rules::new(&settings.rules) {
            self.shared.rules.replace(rules);
        }
        self.shared.rules.tell(News::of(&settings.ui));
        let parts = [
            ("[poll]", settings.poll == known.poll),
            ("[http]", settings.http == known.http),
            ("[keep]", settings.keep == known.keep),
            ("[push]", settings.push == known.push),
        ];
        let (themes, unread) = files::load_themes(&self.shared.locations);
        NewSettings {
            ui: settings.ui,
            themes,
            later: parts
                .iter()
                .filter(|(_, same)| !same)
                .map(|(name, _)| *name)
                .collect(),
            notices: warnings.into_iter().chain(unread).collect(),
        }
    }
}
