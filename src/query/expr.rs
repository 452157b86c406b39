//! A query as it was understood, and whether an entry matches it.

use std::time::Duration;

use super::fold::{contains, fold};
use super::needle::Needle;
use crate::model::{EntryHead, EntryKey, Moment, Timestamp};

/// A query. What `parse` and the makers below give is flat: no `All` in an `All`, no list of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// All of these hold; of none: everything matches.
    All(Vec<Expr>),
    /// One of these holds.
    Any(Vec<Expr>),
    /// This does not hold.
    Not(Box<Expr>),
    /// One condition.
    Term(Term),
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// The needle stands in this part of the entry.
    Text(Field, Needle),
    /// The entry or its feed has this tag, folded, or one below it.
    Tag(String),
    /// The entry with this key.
    Key(EntryKey),
    /// Its marks say so.
    Is(Flag),
    /// Something is attached.
    HasEnclosure,
    /// Younger than that.
    Younger(Duration),
    /// Older than that.
    Older(Duration),
    /// Of these local days, counted from 1970-01-01: the first, and the one after the last.
    Days(Option<i64>, Option<i64>),
    /// Of the day so many days ago; 0 is today.
    DayAgo(i64),
}

/// A part of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Title, author, title of the feed, or text.
    Anywhere,
    /// Title.
    Title,
    /// Text.
    Body,
    /// Author.
    Author,
    /// Title or URL of the feed.
    Feed,
    /// Address.
    Link,
}

/// What marks say of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flag {
    /// Not read.
    Unread,
    /// Read.
    Read,
    /// Starred.
    Starred,
    /// Changed after it was first stored.
    Edited,
    /// Hidden by a rule.
    Hidden,
    /// Listed no longer by a feed that is complete.
    Withdrawn,
}

/// What a query may ask of an entry's feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedFacts<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its URL as in feeds.toml.
    pub url: &'a str,
    /// Its tags, `a/b` for nesting.
    pub tags: &'a [String],
}

/// What a query may ask of an entry without its text.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its author.
    pub author: &'a str,
    /// Its address.
    pub link: &'a str,
    /// Its key.
    pub key: EntryKey,
    /// Its place in lists by date.
    pub sort: Timestamp,
    /// It was changed.
    pub edited: bool,
    /// Something is attached.
    pub enclosed: bool,
    /// Its marks; `None` where they were not looked up.
    pub marks: Option<MarkFacts>,
    /// Tags of the user's own.
    pub tags: &'a [String],
    /// Its feed.
    pub feed: FeedFacts<'a>,
}

/// The marks of an entry.
#[expect(
    clippy::struct_excessive_bools,
    reason = "marks are independent of each other"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkFacts {
    /// Not read.
    pub unread: bool,
    /// Starred.
    pub starred: bool,
    /// Hidden.
    pub hidden: bool,
    /// Listed no longer by its feed.
    pub withdrawn: bool,
}

impl<'a> Facts<'a> {
    /// Of a head.
    pub fn of(head: &'a EntryHead, feed: FeedFacts<'a>) -> Self {
        Self {
            title: &head.title,
            author: &head.author,
            link: head.link.as_deref().unwrap_or_default(),
            key: head.id.key,
            sort: head.sort,
            edited: head.edited,
            enclosed: !head.enclosures.is_empty(),
            marks: Some(MarkFacts {
                unread: head.unread,
                starred: head.starred,
                hidden: head.hidden,
                withdrawn: head.withdrawn,
            }),
            tags: &head.tags,
            feed,
        }
    }
}

impl Default for Expr {
    /// Everything matches.
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Expr {
    /// All of `parts`.
    pub fn all(parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match <[Self; 1]>::try_from(flat) {
            Ok([one]) => one,
            Err(flat) => Self::All(flat),
        }
    }

    /// One of `parts`.
    pub fn any(parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                part => flat.push(part),
            }
        }
        match <[Self; 1]>::try_from(flat) {
            Ok([one]) => one,
            Err(flat) => Self::Any(flat),
        }
    }

    /// What `part` is not.
    #[expect(
        clippy::should_implement_trait,
        reason = "named after the word of the language"
    )]
    pub fn not(part: Self) -> Self {
        match part {
            Self::Not(inner) => *inner,
            part => Self::Not(Box::new(part)),
        }
    }

    /// Every entry matches.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    /// Whether this entry matches; `None` while that hangs on what is not known. `body` says whether a needle stands in the
    /// entry's text, or `None` where that is not known either.
    pub fn judge(
        &self,
        entry: &Facts<'_>,
        moment: Moment,
        body: &mut dyn FnMut(&Needle) -> Option<bool>,
    ) -> Option<bool> {
        match self {
            Self::All(parts) => settle(parts, false, |part| part.judge(entry, moment, body)),
            Self::Any(parts) => settle(parts, true, |part| part.judge(entry, moment, body)),
            Self::Not(part) => part.judge(entry, moment, body).map(|holds| !holds),
            Self::Term(term) => term.judge(entry, moment, body),
        }
    }

    /// Whether an entry with this text matches.
    pub fn matches(
        &self,
        head: &EntryHead,
        text: &str,
        feed: FeedFacts<'_>,
        moment: Moment,
    ) -> bool {
        let facts = Facts::of(head, feed);
        self.judge(&facts, moment, &mut |needle| Some(needle.is_in(text)))
            .unwrap_or(false)
    }

    /// The conditions that hold for every match.
    fn musts(&self) -> impl Iterator<Item = &Term> {
        let parts = match self {
            Self::All(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        parts.iter().filter_map(|part| match part {
            Self::Term(term) => Some(term),
            _ => None,
        })
    }

    /// Only unread entries can match: the store need not look at others.
    pub fn unread_only(&self) -> bool {
        self.musts().any(|term| *term == Term::Is(Flag::Unread))
    }

    /// Only starred entries can match.
    pub fn starred_only(&self) -> bool {
        self.musts().any(|term| *term == Term::Is(Flag::Starred))
    }

    /// The span of sort times outside of which nothing can match.
    pub fn span(&self, moment: Moment) -> (Timestamp, Timestamp) {
        let mut span = (Timestamp(i64::MIN), Timestamp(i64::MAX));
        for (from, to) in self.musts().filter_map(|term| term.span(moment)) {
            span = (span.0.max(from), span.1.min(to));
        }
        span
    }

    /// Hidden entries are asked about: otherwise nobody wants to see them.
    pub fn names_hidden(&self) -> bool {
        self.terms().any(|term| *term == Term::Is(Flag::Hidden))
    }

    /// Every condition, wherever it stands.
    pub fn terms(&self) -> Box<dyn Iterator<Item = &Term> + '_> {
        match self {
            Self::All(parts) | Self::Any(parts) => Box::new(parts.iter().flat_map(Self::terms)),
            Self::Not(part) => part.terms(),
            Self::Term(term) => Box::new(std::iter::once(term)),
        }
    }

    /// It asks for tags, which a person sets.
    pub fn names_tags(&self) -> bool {
        self.terms().any(|term| matches!(term, Term::Tag(_)))
    }

    /// What is looked for in texts.
    pub fn body_needles(&self) -> impl Iterator<Item = &Needle> {
        self.terms().filter_map(|term| match term {
            Term::Text(Field::Anywhere | Field::Body, needle) => Some(needle),
            _ => None,
        })
    }

    /// It asks for words somewhere in an entry, not only for marks, feeds and dates.
    pub fn names_text(&self) -> bool {
        self.terms()
            .any(|term| matches!(term, Term::Text(field, _) if *field != Field::Feed))
    }

    /// It hangs neither on marks nor on the time: what matches does so until it is changed.
    pub fn is_lasting(&self) -> bool {
        self.terms().all(|term| {
            matches!(
                term,
                Term::Text(..) | Term::Key(_) | Term::HasEnclosure | Term::Is(Flag::Edited)
            )
        })
    }

    /// What a match may show of itself in `field`: needles that are wanted there, not those that are unwanted.
    pub fn needles_in(&self, field: Field) -> Vec<&Needle> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts
                .iter()
                .flat_map(|part| part.needles_in(field))
                .collect(),
            Self::Term(Term::Text(of, needle)) if *of == field || *of == Field::Anywhere => {
                vec![needle]
            }
            Self::Not(_) | Self::Term(_) => Vec::new(),
        }
    }
}

/// `end` from one part decides; otherwise what is not known stays so.
fn settle<'e>(
    parts: &'e [Expr],
    end: bool,
    mut judge: impl FnMut(&'e Expr) -> Option<bool>,
) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match judge(part) {
            Some(holds) if holds == end => return Some(end),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(!end)
}

impl Term {
    fn judge(
        &self,
        entry: &Facts<'_>,
        moment: Moment,
        body: &mut dyn FnMut(&Needle) -> Option<bool>,
    ) -> Option<bool> {
        Some(match self {
            Self::Text(Field::Anywhere, needle) => {
                let head = needle.is_in(entry.title)
                    || needle.is_in(entry.author)
                    || needle.is_in(entry.feed.title);
                return if head { Some(true) } else { body(needle) };
            }
            Self::Text(Field::Body, needle) => return body(needle),
            Self::Text(Field::Title, needle) => needle.is_in(entry.title),
            Self::Text(Field::Author, needle) => needle.is_in(entry.author),
            Self::Text(Field::Link, needle) => needle.is_in(entry.link),
            Self::Text(Field::Feed, needle) => {
                needle.is_in(entry.feed.title) || needle.is_in(entry.feed.url)
            }
            Self::Tag(tag) => {
                let mut tags = entry.feed.tags.iter().chain(entry.tags);
                tags.any(|of| is_within(of, tag))
            }
            Self::Key(key) => entry.key == *key,
            Self::Is(Flag::Edited) => entry.edited,
            Self::Is(flag) => return entry.marks.map(|marks| marks.say(*flag)),
            Self::HasEnclosure => entry.enclosed,
            Self::Younger(_) | Self::Older(_) | Self::Days(..) | Self::DayAgo(_) => {
                let (from, to) = self.span(moment)?;
                (from..=to).contains(&entry.sort)
            }
        })
    }

    /// The first and the last sort time that this condition allows, where it is about time.
    fn span(&self, moment: Moment) -> Option<(Timestamp, Timestamp)> {
        let (least, most) = (Timestamp(i64::MIN), Timestamp(i64::MAX));
        let back = |span: &Duration| {
            let seconds = i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
            moment.now.plus(-seconds)
        };
        let day = |day: i64| (moment.midnight)(day);
        Some(match self {
            Self::Younger(span) => (back(span).plus(1), most),
            Self::Older(span) => (least, back(span).plus(-1)),
            Self::Days(from, until) => (
                from.map_or(least, day),
                until.map_or(most, |until| day(until).plus(-1)),
            ),
            Self::DayAgo(ago) => {
                let which = moment.today().saturating_sub(*ago);
                (day(which), day(which.saturating_add(1)).plus(-1))
            }
            _ => return None,
        })
    }
}

impl MarkFacts {
    const fn say(self, flag: Flag) -> bool {
        match flag {
            Flag::Unread => self.unread,
            Flag::Read => !self.unread,
            Flag::Starred => self.starred,
            Flag::Hidden => self.hidden,
            Flag::Withdrawn => self.withdrawn,
            Flag::Edited => false,
        }
    }
}

/// `a/b` is within `a` and within `a/b`, not within `a/bc`. `parent` is folded already.
fn is_within(tag: &str, parent: &str) -> bool {
    if !contains(tag, parent) {
        return false;
    }
    let tag = fold(tag);
    tag.strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
