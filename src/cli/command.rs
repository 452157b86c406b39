//! The commands by name, each with the sentence that `--help` says of it.

use clap::{Subcommand, ValueHint};

use super::Shell;
use super::backfill::Backfill;
use super::config::Config;
use super::entries::{Entries, MarkWord, Prune};
use super::feeds::{Add, Demo, Export, Feeds, Import};
use super::polling::{Explain, Probe, Push, Refetch, Stats, Watch};
use super::rules::Rules;

/// The commands.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Open the reader on built-in feeds: no network, no set-up, nothing kept
    #[command(
        long_about = "Open the reader on a built-in server with bundled feeds, in a temporary directory: no network, \
        no set-up, nothing kept. The feeds answer 200, 304, 301, 410, 503 and slowly, so that the status pane (s) has \
        something to show."
    )]
    Demo(Demo),
    /// Subscribe to feeds and fetch them once
    #[command(
        long_about = "Subscribe to feeds and fetch each once. The URL given is stored, whatever it redirects to; \
        without a scheme it means https. A web page is searched for its feeds: with one it is taken, with several they are \
        listed unless --first or --all is given. A feed that was given up (gone) is polled again."
    )]
    Add(Add),
    /// Unsubscribe; entries and marks stay
    Remove {
        /// The feeds, as in feeds.toml
        #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
        urls: Vec<String>,
    },
    /// Subscribe to the feeds of an OPML file or of a newsboat `urls` file
    #[command(
        long_about = "Subscribe to the feeds of an OPML file or of a newsboat urls file; which it is, is seen from its \
        content. Folders become tags. Nothing is fetched: the feeds are due at the next poll. With --state, marks that \
        `tidings export --state` wrote are taken over instead. With --newsboat, newsboat's feeds, articles, what was \
        read, flagged and deleted, and what of its settings has a place here are taken over; its files are only read, \
        and what config.toml says already stays."
    )]
    Import(Import),
    /// Write the subscriptions as OPML 2.0
    #[command(
        long_about = "Write the subscriptions as OPML 2.0, to standard output without a file. With --state, write which \
        entries are read and starred, for another machine or a rebuilt store."
    )]
    Export(Export),
    /// List the feeds; with --moved those whose address has moved
    #[command(
        long_about = "List the feeds. With --moved only those whose address redirects for good: where feeds.toml says one \
        address and another is asked, since when, those that are only watched yet, and what was adopted or taken back before. \
        feeds.toml keeps the old address until you say otherwise: --adopt writes the new one into it, changing nothing but the \
        URL; entries, marks and schedule stay with the feed. --undo takes a move back, adopted or not: the former address is asked \
        again and that target is never believed again."
    )]
    Feeds(Feeds),
    /// List entries, newest first
    #[command(after_help = QUERY_HELP)]
    Entries(Entries),
    /// Mark entries read, unread, starred or unstarred
    #[command(after_help = QUERY_HELP)]
    Mark {
        /// What to mark them
        #[arg(value_enum)]
        mark: MarkWord,
        /// Which entries, or `all`
        #[arg(required = true, value_name = "QUERY|all")]
        query: Vec<String>,
    },
    /// Give entries a tag of your own, or take it away
    #[command(
        long_about = "Give entries a tag of your own, or take it away. Such a tag is a mark: it stays with the entry whatever its \
        feed does. `tag:NAME` in a query finds entries with it, as well as those of feeds with a tag of that name.",
        after_help = QUERY_HELP
    )]
    Tag {
        /// Take it away
        #[arg(long)]
        remove: bool,
        /// The tag; a/b is one below a
        tag: String,
        /// Which entries, or `all`
        #[arg(required = true, value_name = "QUERY|all")]
        query: Vec<String>,
    },
    /// List the rules of config.toml and how often each found something; try one
    #[command(
        long_about = "List the [[rule]] tables of config.toml, how many new entries each found, and when last. `tidings rules test \
        QUERY` lists the entries of the last 30 days that such a rule would have found, and changes nothing.",
        after_help = QUERY_HELP
    )]
    Rules(Rules),
    /// Take the last mark back, or the last change of feeds.toml, also one of the reader
    Undo,
    /// Do again what `undo` took back, unless something else was marked since then
    Redo,
    /// Take entries beyond the limits that config.toml sets, and those of feeds no longer subscribed
    #[command(
        long_about = "Take entries that are beyond the limits of [keep] in config.toml or of keep = { … } in feeds.toml, and all \
        entries of feeds that are subscribed no longer. Starred entries stay. What went never comes back as new, and its mark \
        is kept. A feed that brings something new is held to its limits by itself; this command does it for all at once."
    )]
    Prune(Prune),
    /// Poll what is due without a screen, until it is told to stop
    #[command(
        long_about = "Poll what is due without a screen, until it is told to stop (SIGINT, SIGTERM): for a small server, or as a \
        service of the user; assets/tidings-watch.service of the source is one for systemd. A line for every poll and whatever else \
        happens. feeds.toml may be edited meanwhile. A reader, a script and other commands may be used beside it: what arrives \
        shows in an open reader within a second."
    )]
    Watch(Watch),
    /// Show what polling cost and saved, per feed, per host or per day
    #[command(
        long_about = "Show what polling cost and saved: answers 304 and 200, those with the same content as before, errors, \
        requests that had to wait, the share of 304s, bytes received and saved, per feed, per host or per day. With \
        --openmetrics as text that Prometheus and its kind read; for the textfile collector of node_exporter there is --textfile of \
        `tidings watch` and of --refresh-only."
    )]
    Stats(Stats),
    /// Show which feeds hubs push, and how well
    #[command(
        long_about = "Show the feeds that name a hub of WebSub: how each is subscribed there, until when, what was delivered last and \
        how long after the publisher's own date. Hubs are asked only where [push] in config.toml says at which address they reach \
        tidings, and while `tidings watch` or a reader listens. Nothing is sent by this command."
    )]
    Push(Push),
    /// Say when a feed is polled next, and which rule decided it
    #[command(
        long_about = "Say when a feed is polled next and which rule decided it; every bound that was considered, in the \
        letters of the formula: I the interval learned from the feed, every your own, V the byte budget of a feed without \
        usable validators, L what the publisher asks for, E the back-off after errors, H the hold of the host, skip hours and \
        days; which validators are sent and why; and the last requests."
    )]
    Explain(Explain),
    /// Say how well a server does conditional requests; with --parse how a feed is read
    #[command(
        long_about = "Ask a server how well it does conditional requests, and say which setting of the feed would serve better. At \
        most four requests, two seconds apart, at most one of them without validators: both validators, each alone, as far as \
        the server gives them. Of a subscribed feed the stored validators are used, and the requests stand in its ledger; nothing \
        else of it changes. A host that asked to be left alone is not asked, and a probe that is told to wait stops at once. Works \
        for any URL.\n\nWith --parse it shows how a feed is read instead: its charset and what told it, what had to be repaired, and \
        the entries as they would be stored. Of a file, or of standard input (-), nothing is sent; a URL is asked once, without \
        validators, and not while its host is held. Nothing is stored."
    )]
    Probe(Probe),
    /// Fetch a whole feed again without asking whether it has changed, once, if you insist
    #[command(
        long_about = "Fetch a whole feed again without asking whether it has changed: one request without validators, for a feed \
        that a server or a proxy garbled. A poll, even a forced one, asks first and costs the publisher next to nothing; this \
        costs the whole feed, and so has to be confirmed, or given --yes. A host that asked to be left alone is not asked, and the \
        space between two requests is kept."
    )]
    Refetch(Refetch),
    /// Fetch older pages of a feed: what it no longer lists
    #[command(
        long_about = "Fetch older pages of a feed, where it names them (RFC 5005): archives (prev-archive), else further pages of \
        itself (next, or next_url of JSON Feed). At most 10 in a run, or as many as --pages says; the next run goes on where this \
        one ended, also after Ctrl-C. The requests are spaced and held like any, and robots.txt is obeyed for these pages. An \
        archive that was read is not asked for again. The entries arrive as read, unless --unread is given; those that are known \
        stay as they are. Pages of other hosts are not followed.\n\nMost feeds name no older pages, and none are guessed. Where you \
        know that a server has a parameter for the number of a page, name it: --param paged for WordPress.\n\nWithout a feed it \
        lists how far those of all feeds were read."
    )]
    Backfill(Backfill),
    /// End the hold of a host that asked to be left alone
    Lift {
        /// The host, or the URL of one of its feeds
        #[arg(value_name = "HOST|URL", value_hint = ValueHint::Url)]
        host: String,
    },
    /// Poll a feed again that was given up as gone or dead
    Enable {
        /// The feed, as in feeds.toml
        #[arg(value_name = "URL", value_hint = ValueHint::Url)]
        url: String,
    },
    /// Check config.toml, feeds.toml and the themes, or show the settings in force
    #[command(
        long_about = "Check the files of the configuration, or show the settings in force. `tidings config check` names everything that \
        is wrong with config.toml, feeds.toml and themes/*.toml, each with file, line, key and the nearest valid key, and exits with 2 \
        if anything is. `tidings config show` lists every setting with where it comes from: a line of config.toml, or the default."
    )]
    Config(Config),
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  tidings completions bash > ~/.local/share/bash-completion/completions/tidings\n  \
        tidings completions fish > ~/.config/fish/completions/tidings.fish\n  \
        tidings completions zsh > ~/.zfunc/_tidings"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page (roff)
    #[command(after_help = "Example:\n  tidings man > ~/.local/share/man/man1/tidings.1")]
    Man,
}

/// The query language in short.
const QUERY_HELP: &str = "QUERY is words, \"phrases\" and /patterns/, looked for in title, author, feed title and text, or with \
    title: body: author: feed: link: there alone; tag:tech, unread, starred, edited, is:read, is:hidden, has:enclosure, age:<7d, \
    age:>30d, date:2026-11-30, date:2026-11, date:today, key:HEX; joined by and (which may be left out), or, not and ( ).";
