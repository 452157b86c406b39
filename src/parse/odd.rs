//! Answers that hold no feed, told by name: who stands between the reader and the feed, and what can be done.
//!
//! A pure look at one answer. The signs are data (`signs`); one sign alone proves nothing, as every one of them is met on
//! honest pages too: their weights add up, and a class needs [`ENOUGH`].

mod signs;
#[cfg(test)]
mod tests;

use std::fmt;

use url::{Host, Url};

use super::references::{Entities, decode};
use super::tokens::{Token, Tokens};
use super::{decode as charset, stranger};
use crate::article::sanitize;
use crate::model::{Answer, ErrorKind, PollError};
use signs::{Place, SIGNS, Sign};

/// What the weights of a class must come to.
const ENOUGH: u8 = 2;
/// A page is looked at so far, in bytes.
const LOOK_MAX: usize = 256 * 1024;
/// More text than this, in characters, is an article about something, not a page that stands in the way.
const SHORT: usize = 2_000;

/// What an answer is instead of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OddKind {
    /// The network wants a sign-in before it lets anybody through.
    Portal,
    /// A guard wants to see a browser first.
    Challenge,
    /// A guard has turned this reader away for good.
    Blocked,
    /// The site wants an account.
    Login,
    /// Nobody publishes under this name any more.
    Parked,
    /// The host has switched the site off.
    Suspended,
    /// The site wants a click before it shows anything.
    Consent,
    /// A web server without a site.
    Placeholder,
}

/// An answer told by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    /// What it is.
    pub kind: OddKind,
    /// Whose, `Cloudflare`; empty where that is not known.
    pub by: &'static str,
    /// Its title or first readable line: one clean short line, perhaps empty.
    pub line: String,
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |f: &mut fmt::Formatter<'_>, what: &str| match self.by {
            "" => write!(f, "a {what}"),
            by if by.starts_with(['A', 'E', 'I', 'O', 'U']) => write!(f, "an {by} {what}"),
            by => write!(f, "a {by} {what}"),
        };
        match self.kind {
            OddKind::Portal => by(f, "captive portal"),
            OddKind::Challenge => by(f, "challenge for browsers"),
            OddKind::Blocked => by(f, "block"),
            OddKind::Login => by(f, "login wall"),
            OddKind::Parked => by(f, "parked domain"),
            OddKind::Suspended => by(f, "suspended site"),
            OddKind::Consent => by(f, "consent page"),
            OddKind::Placeholder => by(f, "web server's own start page"),
        }
    }
}

impl OddKind {
    /// What a person can do.
    const fn advice(self) -> &'static str {
        match self {
            Self::Portal => "sign in to this network in a browser, then refresh",
            Self::Challenge => "only the site's owner can let feed readers through",
            Self::Blocked => "ask the site's owner to let feed readers through",
            Self::Login => "look for a feed address that needs no login",
            Self::Parked => "the site has left this address; look where it went",
            Self::Suspended => "its owner has to settle that with the host",
            Self::Consent => "look for a feed address that asks for no consent",
            Self::Placeholder => "the site has left this address, or is not set up yet",
        }
    }
}

/// The error of a poll in the words of what was found. `answer` is the last one of the poll, `asked` the URL that was asked
/// first, `error` what status or parser say, `before` whether this address has answered with a feed earlier.
pub fn named(answer: &Answer, asked: &str, error: &PollError, before: bool) -> PollError {
    if !matches!(
        error.kind,
        ErrorKind::Status | ErrorKind::Html | ErrorKind::NotAFeed | ErrorKind::Empty
    ) {
        return error.clone();
    }
    let seen = Page::of(answer, asked);
    let line = &seen.line;
    let found = seen.odd();
    let status = error.kind == ErrorKind::Status;
    let mut detail = if status {
        error.detail.clone()
    } else {
        String::new()
    };
    let part = |detail: &mut String, gap: &str, text: &str| {
        if !detail.is_empty() {
            detail.push_str(gap);
        }
        detail.push_str(text);
    };
    if let Some(odd) = &found {
        part(&mut detail, ", ", &odd.to_string());
    }
    // "404 Not Found" as the title of a 404 says nothing twice.
    let repeats = status && says_the_same(line, &error.detail);
    if !line.is_empty() && !repeats {
        part(&mut detail, ", ", &format!("“{line}”"));
    }
    if !status && before {
        part(&mut detail, "; ", "it was a feed before");
    }
    if let Some(odd) = &found {
        part(&mut detail, "; ", odd.kind.advice());
    }
    if detail.is_empty() {
        return error.clone();
    }
    PollError::new(error.kind, detail)
}

/// Names an answer, if it is one of the kinds. `asked` is the URL that was asked first. A feed is never odd.
pub fn odd(answer: &Answer, asked: &str) -> Option<Odd> {
    Page::of(answer, asked).odd()
}

fn says_the_same(line: &str, status: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let status = words(status);
    words(line)
        .iter()
        .all(|word| status.contains(word) || word == "error")
}

/// What can be seen of an answer.
struct Page<'a> {
    answer: &'a Answer,
    /// The source in lower case.
    markup: String,
    /// Its text in lower case, blanks folded; empty where there is more than a page in the way has.
    says: String,
    title: String,
    /// For a person.
    line: String,
    password: bool,
    feed: bool,
    asked: Option<Url>,
    answered: Option<Url>,
}

impl<'a> Page<'a> {
    fn of(answer: &'a Answer, asked: &str) -> Self {
        let body = &answer.body.bytes[..answer.body.bytes.len().min(LOOK_MAX)];
        let content_type = answer.headers.text("content-type");
        let decoded = charset::decode(body, content_type.as_deref());
        let text = decoded.text.as_ref();
        let mut page = Self {
            answer,
            markup: text.to_lowercase(),
            says: String::new(),
            title: String::new(),
            line: stranger::look(text).line,
            password: false,
            feed: is_feed(text),
            asked: Url::parse(asked).ok(),
            answered: Url::parse(&answer.url).ok(),
        };
        page.read(text);
        page
    }

    fn read(&mut self, text: &str) {
        let mut tokens = Tokens::new(text);
        let (mut in_title, mut length) = (false, 0);
        while let Some(token) = tokens.next() {
            match token {
                Token::Start(tag) => match tag.name.to_ascii_lowercase().as_str() {
                    "title" => in_title = true,
                    name @ ("script" | "style" | "svg") => tokens.skip_raw(name),
                    "input" => {
                        self.password |= tag
                            .raw("type")
                            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"));
                    }
                    _ => {}
                },
                Token::End(name) => in_title &= !name.eq_ignore_ascii_case("title"),
                Token::Text(piece) | Token::CData(piece) => {
                    let line = sanitize::line(&decode(piece, &Entities::default())).to_lowercase();
                    if line.is_empty() {
                        continue;
                    }
                    if in_title && self.title.is_empty() {
                        self.title = line;
                        continue;
                    }
                    length += line.chars().count();
                    if length <= SHORT {
                        self.says.push_str(&line);
                        self.says.push(' ');
                    }
                }
                Token::Doctype(_) => {}
            }
        }
        if length > SHORT {
            self.says.clear();
        }
    }

    /// The class with the greatest weight; of equal ones the first.
    fn odd(&self) -> Option<Odd> {
        if self.feed {
            return None;
        }
        let mut best: Option<(u8, OddKind)> = None;
        let mut kinds: Vec<OddKind> = SIGNS.iter().map(|sign| sign.kind).collect();
        crate::model::arrange(&mut kinds, Ord::cmp);
        kinds.dedup();
        for kind in kinds {
            let weight = self.weight(kind);
            if weight >= ENOUGH && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, kind));
            }
        }
        let (_, kind) = best?;
        let by = SIGNS
            .iter()
            .filter(|sign| sign.kind == kind && !sign.by.is_empty() && self.shows(sign))
            .max_by_key(|sign| sign.weight)
            .map_or("", |sign| sign.by);
        Some(Odd {
            kind,
            by,
            line: self.line.clone(),
        })
    }

    /// Several words in one place are one sign: a title says what it says once.
    fn weight(&self, kind: OddKind) -> u8 {
        let mut places: Vec<(Place, u8)> = Vec::new();
        for sign in SIGNS
            .iter()
            .filter(|sign| sign.kind == kind && self.shows(sign))
        {
            match places
                .iter_mut()
                .find(|(place, _)| place.is_like(sign.place))
            {
                Some((_, weight)) => *weight = (*weight).max(sign.weight),
                None => places.push((sign.place, sign.weight)),
            }
        }
        places
            .iter()
            .fold(0, |sum, (_, weight)| sum.saturating_add(*weight))
    }

    fn shows(&self, sign: &Sign) -> bool {
        let text = sign.text;
        match sign.place {
            Place::Status(status) => self.answer.status == status,
            Place::Header(name) => self.answer.headers.all(name).any(|value| {
                String::from_utf8_lossy(value)
                    .to_ascii_lowercase()
                    .contains(text)
            }),
            Place::Title => self.title.contains(text),
            Place::TitleIs => self.title == text,
            Place::Markup => self.markup.contains(text),
            Place::Says => self.says.contains(text),
            Place::Password => self.password,
            Place::Path => self.is_elsewhere() && self.path().contains(text),
            Place::Host => self.is_elsewhere() && self.host_is(text),
            Place::Private => self.is_led_home(),
        }
    }

    /// Redirects led to another page.
    fn is_elsewhere(&self) -> bool {
        match (&self.asked, &self.answered) {
            (Some(asked), Some(answered)) => {
                (asked.host(), asked.path()) != (answered.host(), answered.path())
            }
            _ => false,
        }
    }

    fn path(&self) -> String {
        let path = self.answered.as_ref().map_or("", Url::path);
        format!("{}/", path.to_ascii_lowercase().trim_end_matches('/'))
    }

    fn host_is(&self, wanted: &str) -> bool {
        let host = self.answered.as_ref().and_then(Url::host_str);
        host.is_some_and(|host| {
            host.strip_suffix(wanted)
                .is_some_and(|front| front.is_empty() || front.ends_with('.'))
        })
    }

    /// A public name was asked, an address of this very network answered.
    fn is_led_home(&self) -> bool {
        let is_home = |url: &Option<Url>| match url.as_ref().and_then(Url::host) {
            Some(Host::Ipv4(address)) => address.is_private() || address.is_link_local(),
            Some(Host::Domain(name)) => {
                [".lan", ".local", ".home.arpa", ".internal"]
                    .iter()
                    .any(|end| name.ends_with(end))
                    || !name.contains('.')
            }
            _ => false,
        };
        is_home(&self.answered) && !is_home(&self.asked)
    }
}

/// It begins like a feed, whatever it writes about.
fn is_feed(text: &str) -> bool {
    for token in Tokens::new(text) {
        if let Token::Start(tag) = token {
            let name = tag.name.rsplit(':').next().unwrap_or("");
            return ["rss", "feed", "rdf", "entry"]
                .iter()
                .any(|root| root.eq_ignore_ascii_case(name));
        }
    }
    let start = text.trim_start();
    start.starts_with('{') && start.contains("jsonfeed.org/version")
}
