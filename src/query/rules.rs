//! What rules do with a new entry: a decision, nothing more.

use super::expr::{Expr, Facts, FeedFacts, MarkFacts};
use super::{QueryError, parse, plain};
use crate::model::{Incoming, Markup, Moment, Rule, RuleAct};

/// Rules whose queries were read.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<(Rule, Expr)>);

/// What becomes of a new entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ruled {
    /// Read, hidden, starred from the start.
    pub marks: RuledMarks,
    /// The rules that found it, by their place.
    pub hits: Vec<usize>,
    /// Tags that it begins with.
    pub tags: Vec<String>,
    /// Somebody is to be told of it.
    pub notify: bool,
    /// Rules whose command is to be run, by their place.
    pub run: Vec<usize>,
}

/// The marks that a new entry begins with. A hidden one is read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuledMarks {
    /// Read.
    pub read: bool,
    /// Hidden.
    pub hidden: bool,
    /// Starred.
    pub starred: bool,
}

impl Rules {
    /// Reads the queries.
    pub fn new(rules: &[Rule]) -> Result<Self, QueryError> {
        let read = rules
            .iter()
            .map(|rule| Ok((rule.clone(), parse(&rule.when)?)));
        read.collect::<Result<_, _>>().map(Self)
    }

    /// There are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rule at this place.
    pub fn rule(&self, at: usize) -> Option<&Rule> {
        self.0.get(at).map(|(rule, _)| rule)
    }

    /// What becomes of `entry`. Every rule sees it as it came, not as an earlier rule left it.
    pub fn judge(&self, entry: &Incoming, feed: FeedFacts<'_>, moment: Moment) -> Ruled {
        let mut ruled = Ruled::default();
        let published = entry.published.unwrap_or(moment.now);
        let facts = Facts {
            title: &entry.title,
            author: &entry.author,
            link: entry.link.as_deref().unwrap_or_default(),
            key: entry.key,
            sort: published.min(moment.now),
            edited: false,
            enclosed: !entry.enclosures.is_empty(),
            marks: Some(MarkFacts {
                unread: true,
                starred: false,
                hidden: false,
                withdrawn: false,
            }),
            tags: &[],
            feed,
        };
        let mut text = None;
        for (at, (rule, expr)) in self.0.iter().enumerate() {
            let over = rule.until.is_some_and(|until| until < moment.today());
            let holds = !over
                && expr
                    .judge(&facts, moment, &mut |needle| {
                        let text = text.get_or_insert_with(|| match entry.body.markup {
                            Markup::Html => plain(&entry.body.text),
                            Markup::Text => entry.body.text.as_str().into(),
                        });
                        Some(needle.is_in(text))
                    })
                    .unwrap_or(false);
            if holds {
                ruled.obey(at, rule);
            }
        }
        ruled
    }
}

impl Ruled {
    fn obey(&mut self, at: usize, rule: &Rule) {
        self.hits.push(at);
        for act in &rule.acts {
            match act {
                RuleAct::Read => self.marks.read = true,
                RuleAct::Hide => (self.marks.read, self.marks.hidden) = (true, true),
                RuleAct::Star => self.marks.starred = true,
                RuleAct::Notify => self.notify = true,
                RuleAct::Run => self.run.push(at),
                RuleAct::Tag(tag) if !self.tags.contains(tag) => self.tags.push(tag.clone()),
                RuleAct::Tag(_) => {}
            }
        }
    }
}

/// What the hits of a rule are counted under: another query or act is another rule.
pub fn rule_key(rule: &Rule) -> String {
    let acts: Vec<String> = rule.acts.iter().map(RuleAct::name).collect();
    format!("{}\n{}", rule.when, acts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EntryBody, EntryKey, Timestamp};

    const NOW: Timestamp = Timestamp(1_796_047_200);

    fn entry(title: &str, text: &str) -> Incoming {
        Incoming {
            key: EntryKey([1; 16]),
            guid: String::new(),
            title: title.to_owned(),
            link: None,
            author: String::new(),
            published: None,
            updated: None,
            enclosures: Vec::new(),
            body: EntryBody {
                text: text.to_owned(),
                ..EntryBody::default()
            },
            content_hash: [0; 32],
        }
    }

    fn rule(when: &str, acts: &[RuleAct]) -> Rule {
        Rule {
            when: when.to_owned(),
            acts: acts.to_vec(),
            ..Rule::default()
        }
    }

    #[test]
    fn every_rule_that_finds_an_entry_is_obeyed() {
        let rules = Rules::new(&[
            rule("title:sponsored", &[RuleAct::Hide]),
            rule(
                "body:rust",
                &[RuleAct::Star, RuleAct::Notify, RuleAct::Tag("x".to_owned())],
            ),
            rule("rust", &[RuleAct::Tag("x".to_owned())]),
            rule("unread tag:tech", &[RuleAct::Run]),
            Rule {
                until: Some(Moment::from(NOW).today() - 1),
                ..rule("rust", &[RuleAct::Read])
            },
        ])
        .expect("rules");
        let tags = ["tech/x".to_owned()];
        let feed = FeedFacts {
            title: "A feed",
            url: "https://a.example/",
            tags: &tags,
        };
        let judge = |title, text| rules.judge(&entry(title, text), feed, NOW.into());
        let sponsored = judge("Sponsored: x", "<b>Ru</b>st");
        assert_eq!(sponsored.hits, [0, 1, 2, 3]);
        assert_eq!(sponsored.tags, ["x"], "once");
        assert_eq!(
            sponsored.marks,
            RuledMarks {
                read: true,
                hidden: true,
                starred: true
            }
        );
        assert!(sponsored.notify);
        assert_eq!(sponsored.run, [3]);
        let plain = judge("Plain", "nothing");
        assert_eq!((plain.hits, plain.notify), (vec![3], false));
        assert_eq!(plain.marks, RuledMarks::default());
    }

    #[test]
    fn a_rule_holds_up_to_its_last_day() {
        let today = Moment::from(NOW).today();
        for (until, holds) in [(today - 1, false), (today, true), (today + 1, true)] {
            let read = Rules::new(&[Rule {
                until: Some(until),
                ..rule("x", &[RuleAct::Read])
            }]);
            let feed = FeedFacts {
                title: "",
                url: "",
                tags: &[],
            };
            let ruled = read
                .expect("rules")
                .judge(&entry("x", ""), feed, NOW.into());
            assert_eq!(ruled.marks.read, holds);
        }
    }
}
