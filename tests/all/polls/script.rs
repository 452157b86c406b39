//! A scenario as it is written down: who answers what, what is run, and what must come of it.
//!
//! `{name}` stands for the origin of the server `name`, `{@name}` for its address and port, `{closed}` for one where nobody listens, `{version}` for ours.
//! A feed is named by its path on the first server, by `name:/path` on another, or by its whole URL. In header values each
//! character up to U+00FF is one byte.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One file of `tests/polls`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The rules of POLLING, or the bad inputs, that this is about.
    pub rules: Vec<String>,
    /// One sentence.
    pub about: String,
    /// Servers with a port of their own each, the first one is meant where none is named.
    #[serde(default = "one_server")]
    pub servers: Vec<String>,
    /// Those of them that speak TLS with a certificate that nobody trusts.
    #[serde(default)]
    pub secure: Vec<String>,
    /// The whole of `config.toml`.
    #[serde(default = "no_gap")]
    pub config: String,
    /// Subscribed before anything is run.
    #[serde(default)]
    pub feeds: Vec<String>,
    /// The whole of `feeds.toml`, where more than URLs is needed.
    #[serde(default)]
    pub feeds_toml: Option<String>,
    /// Other files at home, by their names.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What happens, one command after the other.
    pub turn: Vec<Turn>,
}

fn one_server() -> Vec<String> {
    vec!["main".to_owned()]
}

fn no_gap() -> String {
    "[http]\nhost_gap = \"0s\"\n".to_owned()
}

/// One command and what came of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// What this turn shows, where it does not speak for itself.
    #[serde(default)]
    pub say: String,
    /// From now on the server answers like this; several answers come in turn, the last one stays.
    #[serde(default)]
    pub server: BTreeMap<String, Answers>,
    /// The words of the command line.
    pub run: String,
    /// A second command that is started while the first one waits for its answer, and must wait for it.
    #[serde(default)]
    pub beside: Option<String>,
    /// The command is killed at this moment.
    #[serde(default)]
    pub kill: Option<Moment>,
    /// Its exit code.
    #[serde(default)]
    pub exit: i32,
    /// All requests that came, in any order, and no other.
    #[serde(default)]
    pub asked: Vec<Asked>,
    /// Requests of one host came one after the other and at least that far apart.
    #[serde(default)]
    pub spaced: Option<String>,
    /// The feed whose object came first.
    #[serde(default)]
    pub first: Option<String>,
    /// So many different times at least among the next polls that are told.
    #[serde(default)]
    pub moments: Option<usize>,
    /// All objects of `--json`, in any order, and no other.
    #[serde(default)]
    pub told: Option<Vec<Told>>,
    /// Parts of standard output.
    #[serde(default)]
    pub out: Vec<String>,
    /// Parts of standard error; none: nothing may be there.
    #[serde(default)]
    pub err: Vec<String>,
    /// The titles of all entries that are stored, in any order.
    #[serde(default)]
    pub entries: Option<Vec<String>>,
    /// Members of `stats --json` by feed.
    #[serde(default)]
    pub stats: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
}

/// When a command is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// The server has its request.
    Asked,
    /// It has told the first feed.
    Told,
    /// Likewise, and it is asked to end by Ctrl-C instead.
    Interrupted,
}

/// One answer, or several in turn.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Answers {
    One(Box<Answer>),
    Many(Vec<Answer>),
}

/// What a server does with a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    #[serde(default = "ok")]
    pub status: u16,
    /// Header lines.
    #[serde(default)]
    pub head: Vec<String>,
    /// An RSS feed of these entries: `id`, or `id: title`.
    #[serde(default)]
    pub entries: Option<Vec<String>>,
    /// The entries are that far apart, the first one that old.
    #[serde(default)]
    pub every: Option<String>,
    /// The age of the first one where it is another.
    #[serde(default)]
    pub newest: Option<String>,
    /// XML that goes before the entries.
    #[serde(default)]
    pub channel: String,
    /// XML that goes into each entry.
    #[serde(default)]
    pub item: String,
    /// A body as it is.
    #[serde(default)]
    pub text: Option<String>,
    /// A comment of so many bytes makes the feed longer.
    #[serde(default)]
    pub pad: usize,
    /// Coded, and said so.
    #[serde(default)]
    pub coding: Option<String>,
    /// Hangs up after so many bytes of the body.
    #[serde(default)]
    pub cut: Option<usize>,
    /// The length that is claimed.
    #[serde(default)]
    pub length: Option<u64>,
    /// In chunks of so many bytes.
    #[serde(default)]
    pub chunked: Option<usize>,
    /// In chunks, and the last one never comes.
    #[serde(default)]
    pub unfinished: bool,
    /// Closes the connection afterwards without having said so.
    #[serde(default)]
    pub closes: bool,
    /// Something that is no plain answer.
    #[serde(default)]
    pub does: Option<Deed>,
}

const fn ok() -> u16 {
    200
}

/// What a server can do to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deed {
    /// Resets the connection without a byte.
    Reset,
    /// Ends the connection without a byte.
    HangUp,
    /// Never says anything.
    Silence,
    /// Sends a byte of the body now and then.
    Drip,
    /// Sends the body again and again without end.
    Endless,
    /// Sends a gzip of 64 MiB of blanks.
    Bomb,
    /// Sends the head and keeps the body until the turn lets it go.
    Hold,
    /// Sends `text` as the whole answer.
    Raw,
    /// Likewise, and keeps the connection.
    RawKept,
}

/// A request that must have come.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Asked {
    /// A plain one.
    Plain(String),
    /// One with conditions, or other headers.
    With(Request),
}

/// A request in detail.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Which target, as in `feeds`.
    pub path: String,
    /// `If-None-Match`, exactly; none: it must not be there.
    #[serde(default)]
    pub inm: Option<String>,
    /// `If-Modified-Since`, exactly; none: it must not be there.
    #[serde(default)]
    pub ims: Option<String>,
    /// Further header lines that must be there.
    #[serde(default)]
    pub head: Vec<String>,
    /// Header names that must not be there.
    #[serde(default)]
    pub lacks: Vec<String>,
}

/// One object of `--refresh-only --json`. What is not named may be anything, but for `warning`, `error` and `url_now`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// Which feed; the first one of the scenario where it is left out.
    #[serde(default)]
    pub feed: Option<String>,
    #[serde(default)]
    pub outcome: Option<String>,
    /// 0: null.
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub new: Option<u64>,
    #[serde(default)]
    pub updated: Option<u64>,
    #[serde(default)]
    pub bytes: Option<u64>,
    /// From now: `never`, `1h..2h`, or `1h` for that and the jitter.
    #[serde(default)]
    pub next: Option<String>,
    /// The next poll is in this hour, GMT.
    #[serde(default)]
    pub hour: Option<u32>,
    /// The next poll is on this day, GMT: `Mon` to `Sun`.
    #[serde(default)]
    pub weekday: Option<String>,
    /// Parts of texts.
    #[serde(default)]
    pub why: Option<String>,
    #[serde(default)]
    pub warning: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
    /// The whole URL.
    #[serde(default)]
    pub url_now: Option<String>,
}
