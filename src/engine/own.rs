//! Lists and rules of the user's own: counted, written into config.toml, told with their hits.

use crate::config;
use crate::files;
use crate::model::{ListSpec, Rule};
use crate::query::{Rules, rule_key};

use super::clock;
use super::flight::Flown;
use super::protocol::{Event, FailureKind, Own, RuleRow, Ticket};
use super::run::Engine;
use super::trouble::Trouble;

impl Engine {
    /// How many entries each list has.
    pub(super) fn count(&mut self, specs: Vec<ListSpec>, ticket: Ticket) {
        self.read(ticket, "the entries could not be counted", move |store| {
            let moment = clock::moment();
            let counts = specs.iter().map(|spec| store.count(spec, moment));
            let counts = counts.collect::<Result<_, _>>()?;
            Ok(Event::Counted { ticket, counts })
        });
    }

    /// Writes a list or a rule into config.toml; a rule holds from then on.
    pub(super) fn keep(&mut self, own: Own, ticket: Ticket) {
        let shared = std::sync::Arc::clone(&self.shared);
        self.tasks.spawn_blocking(move || {
            let done = files::edit_settings(&shared.locations, |text| match &own {
                Own::Smart(smart) => config::add_smart(text, smart),
                Own::Rule(rule) => config::add_rule(text, rule),
            });
            if let Err(error) = done {
                let trouble = Trouble {
                    what: "config.toml could not be edited",
                    why: error.to_string(),
                    kind: FailureKind::Usage,
                };
                return Flown::Told(vec![trouble.event(ticket)]);
            }
            if let Own::Rule(_) = &own
                && let Ok((settings, _)) = files::load_settings(&shared.locations)
                && let Ok(rules) = Rules::new(&settings.rules)
            {
                shared.rules.replace(rules);
            }
            Flown::Told(vec![Event::Kept { ticket, own }])
        });
    }

    /// The tags that entries have.
    pub(super) fn list_tags(&mut self, ticket: Ticket) {
        self.read(ticket, "the tags could not be read", move |store| {
            let tags = store.own_tags()?;
            Ok(Event::Tags { ticket, tags })
        });
    }

    /// The rules, each with its hits.
    pub(super) fn list_rules(&mut self, ticket: Ticket) {
        let rules = self.shared.settings.rules.clone();
        self.read(
            ticket,
            "the hits of the rules could not be read",
            move |store| {
                let hits = store.rule_hits()?;
                let row = |rule: Rule| {
                    let known = hits.get(&rule_key(&rule)).copied();
                    let (hits, last) = known.map_or((0, None), |(hits, last)| (hits, Some(last)));
                    RuleRow { rule, hits, last }
                };
                let rules = rules.into_iter().map(row).collect();
                Ok(Event::Rules { ticket, rules })
            },
        );
    }
}
