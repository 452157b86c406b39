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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// Gives it this tag.
    Tag(String),
}

impl RuleAct {
    /// Every act with its name in config.toml, besides `tag:` and a tag.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Read, "read"),
        (Self::Hide, "hide"),
        (Self::Star, "star"),
        (Self::Notify, "notify"),
        (Self::Run, "run"),
    ];

    /// The act of that name.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(tag) = name.strip_prefix("tag:") {
            let tag = tag.trim();
            return (!tag.is_empty()).then(|| Self::Tag(tag.to_owned()));
        }
        let mut known = Self::ALL.into_iter();
        known.find(|(_, of)| *of == name).map(|(act, _)| act)
    }

    /// Its name.
    pub fn name(&self) -> String {
        if let Self::Tag(tag) = self {
            return format!("tag:{tag}");
        }
        let mut known = Self::ALL.into_iter();
        let known = known.find(|(act, _)| act == self);
        known.map_or_else(String::new, |(_, name)| name.to_owned())
    }
}
