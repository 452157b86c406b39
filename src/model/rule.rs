//! Lists and rules of the user's own: what a query finds, and what is done with it.

/// A list of the user's own: what a query finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SmartFeed {
    /// What it is called.
    pub name: String,
    /// In the language of `query`.
    pub query: String,
}

/// What is done with new entries that a query finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// In the language of `query`.
    pub when: String,
    /// What is done, at least one thing.
    pub acts: Vec<RuleAct>,
    /// The command of `RuleAct::Run`: an argument vector, no shell.
    pub run: Vec<String>,
    /// The last local day on which it holds, counted from 1970-01-01.
    pub until: Option<i64>,
}

/// One thing that a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleAct {
    /// Marks the entry read.
    Read,
    /// Hides it: it stands in no list that does not ask for hidden entries.
    Hide,
    /// Stars it.
    Star,
    /// Tells of it.
    Notify,
    /// Runs the rule's command.
    Run,
}

impl RuleAct {
    /// Every act with its name in config.toml.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Read, "read"),
        (Self::Hide, "hide"),
        (Self::Star, "star"),
        (Self::Notify, "notify"),
        (Self::Run, "run"),
    ];

    /// The act of that name.
    pub fn named(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, of)| *of == name);
        known.map(|(act, _)| *act)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(act, _)| *act == self);
        known.map_or("", |(_, name)| name)
    }
}
