//! One engine under every front end: it owns the store, the schedule, the clock and all tasks. Reached through `Client` alone.

mod add;
mod answers;
mod ask;
mod audit;
mod backfill;
mod batch;
mod book;
mod changes;
mod clock;
mod deeds;
mod desk;
mod digest;
mod explain;
mod flight;
mod following;
mod full_text;
mod gather;
mod gathered;
mod glance;
mod ground;
mod guest;
mod held_back;
mod hop;
mod idle;
mod import;
mod indexing;
mod inspect;
mod job;
mod landing;
mod lanes;
mod list;
mod lists;
mod local;
mod looks;
mod manners;
mod moves;
mod news;
mod offline;
mod older;
mod older_runs;
mod own;
mod pass;
mod polling;
mod preview;
mod probe;
pub mod protocol;
mod prune;
mod push;
mod questions;
mod queue;
mod reach;
mod reading;
mod retune;
mod robots;
mod rulebook;
mod rules;
mod run;
mod search;
mod settings;
mod shared;
mod shelf;
mod sitemaps;
mod starting;
mod subscribe;
mod trouble;
mod watching;
mod withdrawn;

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::fetch::{FetchSetupError, Fetcher};
use crate::files::{self, FilesError, Watch};
use crate::model::{Locations, Settings};
use crate::store::{Store, StoreError};

pub use clock::now;
pub use protocol::{
    AddResult, Command, Event, FailureKind, Inspected, NAMES_NONE, Newest, Own, Pick, Planned,
    Preview, RuleRow, Scope, Summary, Ticket,
};

/// What the engine is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A reader is open: feeds are polled when due, changes of others are watched.
    Reader,
    /// Nobody reads: as with a reader, but what only a screen needs is left out.
    Watch,
    /// A command: only what is asked for is done.
    OneShot,
}

/// How to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the files lie.
    pub locations: Locations,
    /// The user's settings.
    pub settings: Settings,
    /// Reader or command.
    pub mode: Mode,
}

/// The engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The user's files.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Certificates, proxy.
    #[error(transparent)]
    Fetch(#[from] FetchSetupError),
    /// The list of feeds could not be stored.
    #[error("the list of feeds could not be stored: {0}")]
    List(String),
    /// No thread, no runtime.
    #[error("the engine could not start: {0}")]
    Thread(#[from] std::io::Error),
}

/// redb's cache: the reader scrolls, a command does not. A round of 1,000 feeds reads and writes each page once: with
/// 8 MiB for commands it took 7 MB more and no less time.
const READER_CACHE: usize = 12 * 1024 * 1024;
const COMMAND_CACHE: usize = 1024 * 1024;

/// How long polls of a command wait for company in the end: the first are told after 250 ms, and a round of 1,000 feeds over
/// a slow network pays a few syncs instead of dozens. The last ones never wait.
const COMMAND_GROUP: std::time::Duration = std::time::Duration::from_secs(1);

/// How long threads that wait for the system may hold up the exit.
const PATIENCE_AT_END: std::time::Duration = std::time::Duration::from_millis(200);

/// A front end's end of the two channels.
pub struct Client {
    commands: UnboundedSender<Command>,
    events: UnboundedReceiver<Event>,
    tickets: u64,
    thread: Option<JoinHandle<()>>,
}

impl Client {
    /// Sends a command; never waits.
    pub fn send(&self, command: Command) {
        // After `Stopped` nobody listens, and nothing is lost by it.
        let _ = self.commands.send(command);
    }

    /// A new ticket.
    pub const fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// The next event; `None` after the engine has ended.
    pub async fn recv(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// An event that has come already.
    pub fn try_recv(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// The next event, waiting on this thread; `None` after the engine has ended.
    pub fn recv_blocking(&mut self) -> Option<Event> {
        self.events.blocking_recv()
    }

    /// The sending end, for a signal handler.
    pub fn sender(&self) -> UnboundedSender<Command> {
        self.commands.clone()
    }

    /// Ends the engine and waits until everything is on disk.
    pub fn shutdown(mut self) {
        self.send(Command::Shutdown);
        self.join();
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the engine has been told and logged where it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.send(Command::Shutdown);
        self.join();
    }
}

/// The store's file in the data directory.
const STORE: &str = "tidings.redb";

/// Makes the store's file as small as what it holds. No engine may run on it, here or elsewhere: otherwise it is busy. Its
/// sizes before and after, in bytes.
pub fn compact(locations: &Locations) -> Result<(u64, u64), StoreError> {
    Store::compact(&locations.data_dir.join(STORE))
}

/// Opens the store, makes it agree with feeds.toml, and starts the loop on threads of its own.
/// Gives what a person should know of the start besides: warnings, a store that was set aside.
pub fn start(options: Options) -> Result<(Client, Vec<String>), StartError> {
    let Options {
        locations,
        settings,
        mode,
    } = options;
    files::prepare(&locations)?;
    // First the watch: what is written while the list is read is seen as a change.
    let watch = Watch::new(files::feeds_path(&locations));
    let (subscriptions, mut notices) = files::load_subscriptions(&locations)?;
    let cache = match mode {
        Mode::Reader => READER_CACHE,
        Mode::Watch | Mode::OneShot => COMMAND_CACHE,
    };
    let path = locations.data_dir.join(STORE);
    let opened = Store::open(&path, cache, clock::now())?;
    notices.extend(opened.notices);
    if mode == Mode::OneShot {
        opened.writer.longest_wait(COMMAND_GROUP);
    }
    let fetcher = Fetcher::new(&settings.http)?;
    // `config` has read them: a slip in a query was told with its line.
    let rules =
        rulebook::Book::new(&settings.rules, rulebook::News::of(&settings.ui)).unwrap_or_default();
    let shared = Arc::new(shared::Shared {
        store: opened.store,
        writer: opened.writer,
        fetcher,
        settings,
        locations,
        parsing: Arc::new(Semaphore::new(2)),
        kept: shelf::Shelf::default(),
        rules,
        manners: manners::Manners::default(),
    });
    // One thread for the loop and the network, so that a poll wakes nobody; parsing and reading have threads of their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .thread_name("tidings-worker")
        .enable_all()
        .build()?;
    let (commands, command_end) = mpsc::unbounded_channel();
    let (event_end, events) = mpsc::unbounded_channel();
    let (inner, inner_end) = mpsc::unbounded_channel();
    let (started, start) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("tidings-loop".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                let mut engine = run::Engine::new(shared, mode, watch, event_end, inner);
                let mut adopted = engine.adopt(subscriptions).await;
                if adopted.is_ok() {
                    adopted = engine.catch_up().await;
                }
                let well = adopted.is_ok();
                let _ = started.send(adopted.map_err(|trouble| trouble.why));
                if well {
                    engine.look_at_others();
                    engine.remember_offline();
                    engine.look_for_listener();
                    engine.run(command_end, inner_end).await;
                }
            });
            // A name server that hangs holds up nobody's exit.
            runtime.shutdown_timeout(PATIENCE_AT_END);
        })?;
    let client = Client {
        commands,
        events,
        tickets: 0,
        thread: Some(thread),
    };
    match start.recv() {
        Ok(Ok(())) => Ok((client, notices)),
        Ok(Err(why)) => Err(StartError::List(why)),
        Err(_) => Err(StartError::List("the engine broke off".to_owned())),
    }
}
