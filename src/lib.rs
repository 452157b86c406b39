//! tidings: a terminal feed reader that asks before it downloads. This page is the map of the house.
//!
//! # Floors
//! A room names only rooms below it; `tests/all/floors.rs` refuses the rest, and gives each foreign crate its one room.
//!
//! | floor | rooms | what they know |
//! |---|---|---|
//! | 5 | [`tui`] [`headless`] [`commands`] [`cli`] [`paths`] [`log`] | front ends: a person, a terminal, arguments |
//! | 4 | [`engine`] | the only tasks, channels and clock; owns the store |
//! | 3 | [`store`] [`fetch`] [`source`] [`files`] [`sqlite`] [`serve`] [`callback`] | the world: redb, HTTP, files and commands that are feeds, the user's text files, databases of other programs, the demo's server, the listener for hubs |
//! | 2 | [`poll`] [`push`] [`parse`] [`article`] [`query`] [`config`] [`newsboat`] | decisions: pure functions, time and chance are arguments |
//! | 1 | [`model`] | the nouns: plain data |
//!
//! # One poll
//! ```text
//! poll::plan ──▶ fetch::Fetcher::get ──▶ poll::judge ──▶ parse::parse ──▶ parse::change ──▶ poll::conclude ──▶ store::Writer::poll ──▶ Event::Polled
//!  may it be      one request, one        what does       bytes into      what is new,      schedule, why,     one transaction          to every
//!  asked now?     answer; hops by hand    it mean?        entries         what is edited    validators, holds  for all of it            front end
//! ```
//! In [`engine`] a `job` is one feed to ask: `ask` asks it hop by hop, each with a `pass` for its host, `digest` judges and reads the
//! answer, `flight` carries it to the disk. `polling` says who is wanted and keeps the `book` of it, `lanes` and `batch` decide whose
//! turn it is, `starting` and `landing` begin and settle a poll, and `run` is the loop that waits.
//! An error is an outcome: there is no exit from this line that does not commit and report.
//!
//! Three things hold always:
//! 1. A poll is committed whole: entries, validators, hashes, schedule, counters and audit in one transaction.
//! 2. Validators are stored only with a body that parsed; otherwise a crash would make the next answer a 304 for ever.
//! 3. Marks outlive entries: what was read or starred never comes back as new.
//!
//! # Front ends
//! Every front end speaks to the engine through [`engine::Client`] alone: [`engine::Command`] in, [`engine::Event`] out, both plain
//! data. The reader, `--refresh-only` and every command are the same engine with another face, and several processes may run side by
//! side on one store: see [`store`] for who wins, and `engine::batch` for the poll lock.
//!
//! # Where to change what
//! | to change | go to |
//! |---|---|
//! | when a feed is asked next, and the rule that says so | `poll::schedule`, and [`model::Why`] for its words |
//! | who may start in a run, and how many at once | `engine::lanes`, `engine::polling`, `engine::starting`; the lock between processes: `engine::batch` |
//! | what is said of a publisher's wish | `model::wish` |
//! | what `explain` tells of a decision | `poll::explain`, `engine::explain` |
//! | what a probe asks, and what it concludes | `poll::probe`, `engine::probe` |
//! | what an HTTP status means | `poll::judge` |
//! | what `add` does with an address, and what is shown before | `engine::add`, `engine::preview`, `tui::view::add` |
//! | what a front end may ask, and is told | `engine::protocol` |
//! | what `probe --parse` shows | `commands::inspect`; its one request: `engine::inspect` |
//! | how a file or a command is read as a feed | `source`; what they are called in feeds.toml: `config::local` |
//! | what is sent | `fetch::headers`; which validators: `poll::validators` |
//! | what an answer without a feed is called | `parse::odd`; its signs are data in `parse::odd::signs` |
//! | what a broken feed is read as | `parse::repair` |
//! | what makes two entries the same | `parse::identity` |
//! | what an element of a page means | `article::read` |
//! | how a page is set | `article::layout` |
//! | a key, its help sentence | `assets/keys.toml` and `tui::update` |
//! | what `u` takes back | `store::undo`; changes of feeds.toml: `engine::retune`, `config::retune` |
//! | a tag of the user's own | `store::own_tags`, `tui::update::tagging`; a tag of a feed: `tui::update::tending` |
//! | a pane | `tui::view`, one file each |
//! | a setting | [`model::Settings`], `config::settings`, `assets/config.toml` |
//! | a command of the command line, its help sentence | `tui::update::command` |
//! | what the help says | `tui::view::help`; of queries: `query::help` |
//! | what happens when config.toml is saved | `engine::settings`, then `tui::update::settings` |
//! | what `config check` and `config show` say | `commands::configuration`; `config::shown` |
//! | a key, a macro, a command of the user's own | `config::bound`, `tui::update::macros`, `tui::update::sharing` |
//! | what makes entries of several feeds one story | `parse::story`; lists that show it once: `store::twins` |
//! | a word of the query language | `query::term` and `query::parse`; what it finds: `store::search`, its index: `store::words`; who reads for it: `engine::desk` |
//! | what a rule does to new entries | `query::rules`, `store::pack`; what follows the commit: `engine::deeds`; a smart feed: `config::settings::own`, `tui::update::smart` |
//! | the article of an entry's own page | `engine::full_text`, `store::kept` |
//! | what `watch` prints, and what a service manager is told | `commands::watch`, `commands::service` |
//! | one request of a poll, in its host's turn | `engine::hop` |
//! | a feed that is asked for what is newer than a cursor | `poll::delta`, `engine::ask`, `store::cursors`; its setting: `config::delta` |
//! | files of what changed on a day, beside a feed | `poll::changes`, `engine::changes`; their setting: `config::changes` |
//! | a list of feeds on the web that is followed | `parse::list`, `poll::roster`, `engine::lists`, `store::rosters`; its table: `config::subscriptions` |
//! | a sitemap | `parse::sitemap`, `poll::site`, `engine::sitemaps`, `store::sites`; what a source of several documents brings: `engine::gather` |
//! | what a hub of WebSub is asked, and what it may deliver | `push`; the listener it delivers to: `callback`; both at work: `engine::push`; on disk: `store::pushes` |
//! | which older page of a feed is fetched next, and where that ends | `poll::archive`, `poll::disallow`, `engine::backfill`, `store::older`; turns and stops: `engine::older` |
//! | what a complete feed lists no longer | `poll::complete`, `engine::withdrawn`, `store::withdrawn` |
//! | how much is kept of a feed | `store::prune`; its settings: [`model::Keep`], `config::settings::keep` |
//! | what comes over from newsboat | `newsboat`, and `commands::newsboat` for the page; how a setting is added: `config::adopt`; an article: `parse::stored`, `store::adopt` |
//! | a table of the store | `store::tables`, `store::records`, `store::migrate` |

pub mod article;
pub mod callback;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod fetch;
pub mod files;
pub mod headless;
pub mod log;
pub mod model;
pub mod newsboat;
pub mod parse;
pub mod paths;
pub mod poll;
pub mod push;
pub mod query;
pub mod serve;
pub mod source;
pub mod sqlite;
pub mod store;
pub mod tui;
