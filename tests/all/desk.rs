//! A desk for the reader: feeds and entries of every kind in memory, and an engine that answers at once.
#![allow(dead_code, reason = "the bench uses a part of it")]

use tidings::engine::protocol::{AddResult, Command, Event, FailureKind, Summary, Ticket};
use tidings::model::{
    Anchor, AuditRecord, Bound, Counters, Enclosure, EntriesPage, Entry, EntryBody, EntryHead,
    EntryId, EntryKey, ErrorKind, Exchange, Explanation, Feed, FeedId, FeedRow, FullText,
    HeaderList, Hold, HoldCause, Kept, LastAnswer, ListScope, ListSpec, Mark, Markup, Moved, Off,
    Order, Outcome, OutcomeCode, Pace, Part, PollError, Schedule, ThemeChoice, Timestamp,
    UiSettings, Validators, ValidatorsChoice, ValidatorsReason, Why, Window,
};
use tidings::parse::Candidate;
use tidings::tui::{Colours, Effect, Key, Model, Msg, Start, Themes, Visit, start, update, utc};

/// Monday 30 November 2026, 13:57:23 UTC.
pub const NOW: Timestamp = Timestamp(1_796_047_043);

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The store and the engine of the tests.
#[derive(Debug, Clone)]
pub struct Desk {
    pub feeds: Vec<FeedRow>,
    /// Newest first.
    pub entries: Vec<Entry>,
    /// What was opened, copied and so on: the effects that are not for the engine.
    pub world: Vec<Effect>,
    /// Every command that was sent.
    pub commands: Vec<Command>,
    /// What is kept of entries besides themselves.
    pub kept: std::collections::HashMap<EntryId, Kept>,
    /// What pages answer: the article, or why there is none.
    pub pages: Result<FullText, String>,
}

struct Sketch {
    title: &'static str,
    tags: &'static [&'static str],
    host: &'static str,
    counters: (u64, u64, u64, u64),
    next: Option<i64>,
    why: Why,
    last: (Option<u16>, i64, Outcome),
    etag: Option<&'static str>,
    date: Option<&'static str>,
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn sketches() -> Vec<Sketch> {
    let unchanged = |age| (Some(304), age, Outcome::NotModified);
    let new = |age, new| (Some(200), age, Outcome::Changed { new, updated: 0 });
    vec![
        Sketch {
            title: "Rust Blog",
            tags: &["tech/rust"],
            host: "blog.rust-lang.org:443",
            counters: (812, 31, 0, 2),
            next: Some(12 * MINUTE + 5),
            why: Why::Streak {
                unchanged: 14,
                secs: 7200,
            },
            last: unchanged(108 * MINUTE),
            etag: Some("W/\"5f2a-61c0\""),
            date: Some("Thu, 26 Nov 2026 09:12:44 GMT"),
        },
        Sketch {
            title: "This Week in Rust",
            tags: &["tech/rust"],
            host: "this-week-in-rust.org:443",
            counters: (402, 60, 0, 0),
            next: Some(48 * MINUTE),
            why: Why::MaxAge(3600),
            last: new(12 * MINUTE, 1),
            etag: Some("\"6931e0c2\""),
            date: None,
        },
        Sketch {
            title: "LWN.net",
            tags: &["tech"],
            host: "lwn.net:443",
            counters: (12_044, 918, 0, 11),
            next: Some(25),
            why: Why::Base(3600),
            last: unchanged(59 * MINUTE),
            etag: None,
            date: Some("Mon, 30 Nov 2026 12:00:00 GMT"),
        },
        Sketch {
            title: "すべての技術者のための長い名前のブログ",
            tags: &["tech", "日本語"],
            host: "blog.example.jp:443",
            counters: (95, 12, 44, 0),
            next: Some(3 * HOUR + 5 * MINUTE),
            why: Why::UpdatePeriod(21_600),
            last: (Some(200), 3 * HOUR, Outcome::Unchanged),
            etag: Some("\"never-the-same\""),
            date: None,
        },
        Sketch {
            title: "مدونة التقنية",
            tags: &["world"],
            host: "arabic.example:443",
            counters: (7, 3, 0, 0),
            next: Some(20 * HOUR + 26 * MINUTE),
            why: Why::Dormant(86_400),
            last: unchanged(4 * HOUR),
            etag: Some("\"a\""),
            date: None,
        },
        Sketch {
            title: "xkcd.com",
            tags: &["comics"],
            host: "xkcd.com:443",
            counters: (301, 44, 0, 0),
            next: Some(5 * HOUR),
            why: Why::Streak {
                unchanged: 5,
                secs: 18_000,
            },
            last: unchanged(HOUR),
            etag: Some("\"63f\""),
            date: Some("Mon, 30 Nov 2026 05:00:00 GMT"),
        },
        Sketch {
            title: "A Broken Server",
            tags: &["comics"],
            host: "broken.example:443",
            counters: (3, 9, 0, 27),
            next: Some(6 * HOUR),
            why: Why::Errors {
                failures: 5,
                secs: 28_800,
            },
            last: (
                Some(500),
                2 * HOUR,
                Outcome::Failed(PollError::new(
                    ErrorKind::Status,
                    "500 Internal Server Error",
                )),
            ),
            etag: None,
            date: None,
        },
        Sketch {
            title: "Somewhere that asked to wait",
            tags: &["comics"],
            host: "busy.example:443",
            counters: (40, 8, 0, 0),
            next: Some(52 * MINUTE),
            why: Why::HostHold,
            last: (
                Some(429),
                8 * MINUTE,
                Outcome::Deferred {
                    until: NOW.plus(52 * MINUTE),
                },
            ),
            etag: Some("\"b\""),
            date: None,
        },
        Sketch {
            title: "Gone Magazine",
            tags: &[],
            host: "gone.example:443",
            counters: (18, 6, 0, 1),
            next: None,
            why: Why::Gone,
            last: (Some(410), 9 * DAY, Outcome::Gone),
            etag: None,
            date: None,
        },
        Sketch {
            title: "",
            tags: &[],
            host: "untitled.example:8443",
            counters: (0, 0, 0, 0),
            next: Some(0),
            why: Why::First,
            last: (None, 0, Outcome::NotModified),
            etag: None,
            date: None,
        },
    ]
}

fn row(id: u32, sketch: Sketch) -> FeedRow {
    let (hits, ok, same, errors) = sketch.counters;
    let never = sketch.why == Why::First;
    FeedRow {
        feed: Feed {
            id: FeedId(id),
            url: format!("https://me:secret@{}/feed.xml", sketch.host),
            title: sketch.title.to_owned(),
            site: Some(format!("https://{}/", sketch.host)),
            tags: sketch.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            position: id,
            ..Feed::default()
        },
        host: sketch.host.to_owned(),
        counters: Counters {
            ok200: ok,
            not_modified304: hits,
            identical200: same,
            errors,
            deferred: 0,
            conditional: hits + same,
            bytes: ok * 38_211,
            bytes_saved: hits * 38_211,
        },
        schedule: Schedule {
            next: sketch.next.map(|after| NOW.plus(after)),
            set_at: NOW.plus(-sketch.last.1),
            why: sketch.why,
            streak: 0,
            failures: if matches!(sketch.why, Why::Errors { .. }) {
                5
            } else {
                0
            },
        },
        last: (!never).then(|| LastAnswer {
            at: NOW.plus(-sketch.last.1),
            status: sketch.last.0,
            outcome: sketch.last.2,
        }),
        validators: Validators {
            etag: sketch.etag.map(|text| text.as_bytes().to_vec()),
            last_modified: sketch.date.map(|text| text.as_bytes().to_vec()),
        },
        mode: ValidatorsChoice::Auto,
        hold_until: (sketch.why == Why::HostHold).then(|| NOW.plus(52 * MINUTE)),
        off: (sketch.why == Why::Gone).then_some(Off::Gone),
        ..FeedRow::default()
    }
}

const TITLES: &[(u32, &str)] = &[
    (1, "Announcing Rust 1.99"),
    (2, "This Week in Rust 680"),
    (
        3,
        "[$] A kernel development retrospective that needs a title far longer than any pane of any terminal could ever show on one line",
    ),
    (
        4,
        "分散システムにおける一貫性モデルの実践的な比較と、その限界についての長い考察",
    ),
    (5, "كيف تعمل محركات البحث الحديثة؟"),
    (6, "👨\u{200d}👩\u{200d}👧\u{200d}👦 Family reunion 🇯🇵 ①"),
    (1, "Project goals update"),
    (3, "Security updates for Monday"),
    (2, ""),
    (3, "Ze\u{301}ro-width cafe\u{301} … “quotes” and — dashes"),
    (6, "Types of Eye Problems"),
    (4, "全角文字ＡＢＣと半角ｶﾅの混在"),
    (7, "The last thing it said before it broke"),
    (8, "Please come back in an hour"),
    (
        1,
        "Increasing the minimum supported Apple platform versions",
    ),
];

const BODY: &str = "<p>The Rust team is happy to announce a new version of Rust, 1.99. Rust is a programming language empowering everyone to build reliable and efficient software.</p>\
<p>If you have a previous version of Rust installed via <a href=\"https://rustup.rs/\">rustup</a>, getting it is easy. The detailed <a href=\"https://doc.rust-lang.org/stable/releases.html\">release notes</a> are on GitHub.</p>\
<p>信頼性が高く効率的なソフトウェアを、誰もがつくれる言語。 مرحبا بالعالم 👋🏽</p>\
<p>Many people came together to create this version. We could not have done it without all of you. Thanks!</p>";

fn key_of(no: u64) -> EntryKey {
    let mut key = [7; 16];
    key[..8].copy_from_slice(&no.to_be_bytes());
    EntryKey(key)
}

impl Desk {
    /// Ten feeds, and `count` entries over them.
    pub fn with(count: u64) -> Self {
        let feeds: Vec<FeedRow> = sketches()
            .into_iter()
            .zip(1..)
            .map(|(sketch, id)| row(id, sketch))
            .collect();
        let entries = (0..count).map(|nth| entry(nth, count - nth)).collect();
        let mut desk = Self {
            feeds,
            entries,
            world: Vec::new(),
            commands: Vec::new(),
            kept: std::collections::HashMap::new(),
            pages: Err("no page here".to_owned()),
        };
        desk.recount();
        desk
    }

    /// Nobody subscribed to anything.
    pub fn empty() -> Self {
        let mut desk = Self::with(0);
        desk.feeds.clear();
        desk
    }

    fn recount(&mut self) {
        for row in &mut self.feeds {
            let mine = |entry: &&Entry| entry.head.id.feed == row.feed.id;
            let entries: Vec<&Entry> = self.entries.iter().filter(mine).collect();
            row.total = entries.len() as u64;
            row.unread = entries.iter().filter(|entry| entry.head.unread).count() as u64;
            row.starred = entries.iter().filter(|entry| entry.head.starred).count() as u64;
        }
    }

    fn matching(&self, spec: &ListSpec) -> Vec<&EntryHead> {
        let wanted = |head: &&EntryHead| {
            let scope = match &spec.scope {
                ListScope::All => true,
                ListScope::Starred => head.starred,
                ListScope::Feed(id) => head.id.feed == *id,
                ListScope::Feeds(ids) => ids.contains(&head.id.feed),
            };
            let title = head.title.to_lowercase();
            scope
                && (head.unread || !spec.unread_only)
                && title.contains(&spec.query.to_lowercase())
        };
        let mut heads: Vec<&EntryHead> = self
            .entries
            .iter()
            .map(|entry| &entry.head)
            .filter(wanted)
            .collect();
        match spec.order {
            Order::Newest => {}
            Order::Oldest => heads.reverse(),
            Order::Title => heads.sort_by_key(|head| tidings::model::natural(&head.title)),
            Order::Feed => heads.sort_by_key(|head| head.id.feed),
        }
        heads
    }

    fn page(&self, spec: &ListSpec, window: &Window) -> EntriesPage {
        let mut all = self.matching(spec);
        let mut twins: Vec<(EntryId, Vec<EntryHead>)> = Vec::new();
        if spec.fold_twins && spec.query.is_empty() {
            let rows: Vec<EntryHead> = all.iter().map(|head| (*head).clone()).collect();
            let leaders = tidings::parse::leaders(&rows);
            for (row, leader) in rows.iter().zip(&leaders) {
                let Some(leader) = leader.map(|at| rows[at].id) else {
                    continue;
                };
                match twins.iter_mut().find(|(id, _)| *id == leader) {
                    Some((_, behind)) => behind.push(row.clone()),
                    None => twins.push((leader, vec![row.clone()])),
                }
            }
            let mut leaders = leaders.iter();
            all.retain(|_| leaders.next().is_some_and(Option::is_none));
        }
        let at = match window.anchor {
            Anchor::Top => 0,
            Anchor::Bottom => all.len().saturating_sub(1),
            Anchor::At { no, .. } => all.iter().position(|head| head.no <= no).unwrap_or(0),
        };
        let from = at.saturating_sub(window.before);
        let to = (at + window.after).min(all.len());
        EntriesPage {
            heads: all[from..to].iter().map(|head| (*head).clone()).collect(),
            anchor: at - from,
            more_before: from > 0,
            more_after: to < all.len(),
            total: Some(all.len() as u64),
            searching: false,
            twins,
        }
    }

    fn mark(&mut self, ids: &[EntryId], mark: Mark, ticket: Ticket) -> Event {
        let mut changed = Vec::new();
        for entry in &mut self.entries {
            if ids.contains(&entry.head.id) {
                match mark {
                    Mark::Read(read) => entry.head.unread = !read,
                    Mark::Starred(starred) => entry.head.starred = starred,
                }
                changed.push((entry.head.id, !entry.head.unread, entry.head.starred));
            }
        }
        self.recount();
        let counts = self.feeds.iter();
        Event::Marked {
            ticket,
            count: changed.len() as u64,
            changed,
            counts: counts
                .map(|row| (row.feed.id, row.total, row.unread, row.starred))
                .collect(),
        }
    }

    fn opened(&self, id: EntryId, ticket: Ticket) -> Event {
        let found = self.entries.iter().find(|entry| entry.head.id == id);
        let kept = self.kept.get(&id).cloned().unwrap_or_default();
        Event::Opened {
            ticket,
            entry: found.map(|entry| Box::new((entry.clone(), kept))),
        }
    }

    fn page_of(&self, id: EntryId, ticket: Ticket) -> Event {
        match &self.pages {
            Ok(full) => Event::FullText {
                ticket,
                id,
                full: Box::new(full.clone()),
            },
            Err(why) => Event::Failed {
                ticket,
                what: "the full text could not be fetched, the feed's own stays".to_owned(),
                why: why.clone(),
                kind: FailureKind::Busy,
            },
        }
    }

    fn tag(&mut self, ids: &[EntryId], tag: &str, set: bool, ticket: Ticket) -> Event {
        let meant = self.entries.iter_mut().map(|entry| &mut entry.head);
        for head in meant.filter(|head| ids.contains(&head.id)) {
            head.tags.retain(|known| known != tag);
            head.tags.extend(set.then(|| tag.to_owned()));
        }
        Event::Marked {
            ticket,
            changed: Vec::new(),
            count: 1,
            counts: Vec::new(),
        }
    }

    /// What the engine answers.
    #[expect(clippy::too_many_lines, reason = "one arm a command")]
    pub fn answer(&mut self, command: Command) -> Vec<Event> {
        self.commands.push(command.clone());
        match command {
            Command::ListFeeds { ticket }
            | Command::Lift { ticket, .. }
            | Command::Enable { ticket, .. } => vec![Event::Feeds {
                ticket,
                rows: self.feeds.clone(),
            }],
            Command::ListEntries {
                spec,
                window,
                ticket,
            } => vec![Event::Entries {
                ticket,
                page: self.page(&spec, &window),
            }],
            Command::Open { id, ticket } => vec![self.opened(id, ticket)],
            Command::Place { id, place } => {
                self.kept.entry(id).or_default().place = place;
                Vec::new()
            }
            Command::FullText { id, ticket, .. } => vec![self.page_of(id, ticket)],
            Command::Mark { ids, mark, ticket } => vec![self.mark(&ids, mark, ticket)],
            Command::MarkAll {
                spec,
                part,
                mark,
                ticket,
            } => {
                let heads = self.matching(&spec);
                let place = |no: u64| heads.iter().position(|head| head.no == no).unwrap_or(0);
                let part = match part {
                    Part::All => &heads[..],
                    Part::Above(_, no) => &heads[..place(no)],
                    Part::Below(_, no) => &heads[place(no) + 1..],
                };
                let ids: Vec<EntryId> = part.iter().map(|head| head.id).collect();
                vec![self.mark(&ids, mark, ticket)]
            }
            Command::Tag {
                ids,
                tag,
                set,
                ticket,
            } => vec![self.tag(&ids, &tag, set, ticket)],
            Command::Undo { ticket } | Command::Redo { ticket } => {
                vec![self.mark(&[], Mark::Read(true), ticket)]
            }
            Command::FindUnread {
                from,
                forward,
                ticket,
                ..
            } => {
                let no = from.map_or(u64::MAX, |(_, no)| no);
                let mut heads: Vec<&EntryHead> = self.entries.iter().map(|e| &e.head).collect();
                heads.retain(|head| head.unread);
                let found = if forward {
                    heads.iter().find(|head| head.no < no).or(heads.first())
                } else {
                    heads.iter().rfind(|head| head.no > no).or(heads.last())
                };
                let head = found.map(|head| Box::new((*head).clone()));
                vec![Event::Found { ticket, head }]
            }
            Command::Refresh { ticket, pace, .. } => vec![Event::RefreshDone {
                ticket,
                summary: Summary {
                    not_modified: 8,
                    changed: 1,
                    new: 2,
                    failed: 1,
                    early: u32::from(pace == Pace::Manual),
                    ..Summary::default()
                },
            }],
            Command::Ledger { feed, ticket } => vec![ledger(feed, ticket)],
            Command::Totals { days, ticket } => vec![totals(days, ticket)],
            Command::Days { days, ticket, .. } => match totals(days / 2, ticket) {
                Event::Totals { days, .. } => vec![Event::Days { ticket, days }],
                _ => Vec::new(),
            },
            Command::Explain { feed, ticket } => vec![Event::Explained {
                ticket,
                explanation: self.explain(feed).map(Box::new),
            }],
            Command::AdoptMove { feed, ticket } => self.adopt(feed, ticket),
            Command::UndoMove { feed, ticket } => self.undo_move(feed, ticket),
            Command::Add { ticket, .. } => vec![Event::Added {
                ticket,
                result: AddResult::Several {
                    candidates: candidates(),
                },
            }],
            Command::Remove { urls, ticket } => vec![Event::Removed {
                ticket,
                removed: urls,
                unknown: Vec::new(),
            }],
            _ => Vec::new(),
        }
    }

    /// This feed has moved for good.
    pub fn moves(&mut self, feed: u32, to: &str) {
        for row in self.feeds.iter_mut().filter(|row| row.feed.id.0 == feed) {
            let moved = Moved {
                from: row.feed.url.clone(),
                to: to.to_owned(),
                at: NOW.plus(-3 * DAY),
                undone: false,
            };
            row.moved = Some(moved.clone());
            row.moves.push(moved);
        }
    }

    fn adopt(&mut self, feed: FeedId, ticket: Ticket) -> Vec<Event> {
        let Some(row) = self.feeds.iter_mut().find(|row| row.feed.id == feed) else {
            return Vec::new();
        };
        let Some(moved) = row.moved.take() else {
            return Vec::new();
        };
        row.feed.url.clone_from(&moved.to);
        let rows = self.feeds.clone();
        vec![
            Event::Feeds { ticket, rows },
            Event::MoveAdopted {
                ticket,
                feed,
                from: moved.from,
                to: moved.to,
                warning: None,
            },
        ]
    }

    fn undo_move(&mut self, feed: FeedId, ticket: Ticket) -> Vec<Event> {
        let Some(row) = self.feeds.iter_mut().find(|row| row.feed.id == feed) else {
            return Vec::new();
        };
        let Some(moved) = row.moves.pop() else {
            return Vec::new();
        };
        row.moved = None;
        row.feed.url.clone_from(&moved.from);
        let rows = self.feeds.clone();
        vec![
            Event::Feeds { ticket, rows },
            Event::MoveUndone {
                ticket,
                feed,
                from: moved.to,
                to: moved.from,
            },
        ]
    }

    /// Every bound of a feed; the one that its row names decided.
    fn explain(&self, feed: FeedId) -> Option<Explanation> {
        let row = self.feeds.iter().find(|row| row.feed.id == feed)?.clone();
        let bound = |why, secs, binds| Bound { why, secs, binds };
        let mut bounds = vec![
            bound(Why::Base(3600), 3600, false),
            bound(Why::MaxAge(3600), 3600, true),
            bound(Why::Ttl(1800), 1800, true),
        ];
        if let (Some(next), why) = (row.schedule.next, row.schedule.why)
            && !bounds.iter().any(|bound| bound.why == why)
        {
            let secs = next.since(row.schedule.set_at);
            bounds.push(bound(why, secs, true));
        }
        Some(Explanation {
            older: None,
            source: None,
            newer: None,
            address: row.feed.url.clone(),
            from: row.schedule.set_at,
            bounds,
            skip_hours: 0,
            skip_days: 0,
            hold: row.hold_until.map(|until| Hold {
                until,
                since: Some(NOW.plus(-8 * MINUTE)),
                by: Some(HoldCause {
                    feed,
                    url: row.feed.url.clone(),
                    at: NOW.plus(-8 * MINUTE),
                    status: 429,
                }),
            }),
            sends: row.mode.pick(&row.validators),
            validators_reason: ValidatorsReason::AllGiven {
                identical: 0,
                not_modified: row.schedule.streak.max(3),
            },
            full_wire: 60_000,
            plain_every: 1800,
            records: Vec::new(),
            exchanges: Vec::new(),
            row,
        })
    }

    /// Carries out effects until nothing follows from them any more.
    pub fn settle(&mut self, model: &mut Model, effects: Vec<Effect>) {
        let mut waiting = std::collections::VecDeque::from(effects);
        let mut turns = 0;
        while let Some(effect) = waiting.pop_front() {
            turns += 1;
            assert!(turns < 500, "the reader asks without end: {effect:?}");
            match effect {
                Effect::Send(command) => {
                    for event in self.answer(command) {
                        waiting.extend(update(model, Msg::Engine(event)));
                    }
                }
                other => self.world.push(other),
            }
        }
    }

    /// A reader that has started and shows what is stored.
    pub fn reader(&mut self, size: (u16, u16), theme: &str) -> Model {
        let mut model = reader(size, theme);
        let effects = start(&mut model);
        self.settle(&mut model, effects);
        model
    }

    /// Presses keys, parted by blanks, and lets everything follow.
    pub fn press(&mut self, model: &mut Model, keys: &str) {
        for text in keys.split_whitespace() {
            let key = Key::parse(text).unwrap_or_else(|| panic!("{text} is no key"));
            let effects = update(model, Msg::Key(key));
            self.settle(model, effects);
        }
    }

    /// Types a text, letter by letter.
    pub fn type_in(&mut self, model: &mut Model, text: &str) {
        for c in text.chars() {
            let key = match c {
                ' ' => "Space".to_owned(),
                c => c.to_string(),
            };
            self.press(model, &key);
        }
    }
}

/// A reader that knows nothing yet.
pub fn reader(size: (u16, u16), theme: &str) -> Model {
    Model::new(Start {
        list: "~/.config/tidings/feeds.toml".to_owned(),
        now: NOW,
        zone: utc,
        size,
        settings: UiSettings {
            theme: ThemeChoice(theme.to_owned()),
            ..UiSettings::default()
        },
        themes: Themes {
            own: Vec::new(),
            colours: Colours::All,
        },
        visit: Visit::Again,
        history: Vec::new(),
    })
    .expect("the built-in look is usable")
}

/// The `nth` entry from the newest.
fn entry(nth: u64, no: u64) -> Entry {
    let (feed, title) = TITLES[nth as usize % TITLES.len()];
    let age = nth as i64 * nth as i64 * 7 * MINUTE + 3 * MINUTE;
    let sort = NOW.plus(-age.min(900 * DAY + nth as i64));
    let enclosures = if nth % 15 == 5 {
        vec![Enclosure {
            url: "https://xkcd.com/family.mp3".to_owned(),
            media_type: "audio/mpeg".to_owned(),
            length: Some(34_211_000),
            duration: Some(3125),
        }]
    } else {
        Vec::new()
    };
    Entry {
        head: EntryHead {
            id: EntryId {
                feed: FeedId(feed),
                key: key_of(no),
            },
            no,
            guid: format!("tag:{no}"),
            title: title.to_owned(),
            link: (nth % 15 != 8).then(|| format!("https://example.org/{no}/an-article.html")),
            author: if nth.is_multiple_of(3) {
                "The Release Team".to_owned()
            } else {
                String::new()
            },
            published: Some(sort),
            updated: None,
            first_seen: sort,
            sort,
            edited: nth % 7 == 3,
            enclosures,
            unread: nth % 3 != 2,
            starred: nth.is_multiple_of(5),
            hidden: false,
            withdrawn: false,
            tags: Vec::new(),
        },
        body: EntryBody {
            text: BODY.repeat(4),
            markup: Markup::Html,
            base: None,
            comments: Some("https://lobste.rs/s/abcdef".to_owned()),
            ..EntryBody::default()
        },
    }
}

fn candidates() -> Vec<Candidate> {
    let candidate = |url: &str, title: &str, kind: &str| Candidate {
        url: url.to_owned(),
        title: title.to_owned(),
        kind: kind.to_owned(),
    };
    vec![
        candidate("https://example.org/feed.xml", "All posts", "RSS"),
        candidate("https://example.org/comments.xml", "Comments", "Atom"),
        candidate(
            "https://example.org/very/long/path/to/a/feed/of/nothing.json",
            "",
            "JSON Feed",
        ),
    ]
}

fn ledger(feed: FeedId, ticket: Ticket) -> Event {
    let record = |nth: i64, status: u16, outcome, hops: &[u16]| AuditRecord {
        at: NOW.plus(-nth * HOUR),
        times: if nth == 4 { 3 } else { 1 },
        status,
        hops: hops.to_vec(),
        url_hash: 1,
        sent_etag: 1,
        sent_date: 1,
        got_etag: 1,
        got_date: 1,
        wire: if status == 200 { 38_211 } else { 0 },
        decoded: 0,
        ms: 120 + nth as u32,
        new: if outcome == OutcomeCode::Changed {
            2
        } else {
            0
        },
        updated: 0,
        outcome,
        next: Some(NOW.plus(-nth * HOUR + 2 * HOUR)),
        why: Why::Streak {
            unchanged: 14,
            secs: 7200,
        },
        pace: if nth == 2 {
            Pace::Manual
        } else {
            Pace::Scheduled
        },
    };
    let field = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
    let exchange = |nth: i64, status: u16| Exchange {
        at: NOW.plus(-nth * HOUR),
        url: "https://***@blog.rust-lang.org/feed.xml".to_owned(),
        status,
        sent: HeaderList::from_iter([
            field("accept-encoding", "zstd, gzip, deflate, br"),
            field("if-none-match", "W/\"5f2a-61c0\""),
            field("if-modified-since", "Thu, 26 Nov 2026 09:12:44 GMT"),
            field("user-agent", "tidings/0.1 (+https://example.org)"),
        ]),
        received: HeaderList::from_iter([
            field("cache-control", "max-age=3600"),
            field("date", "Mon, 30 Nov 2026 12:57:23 GMT"),
            field("etag", "W/\"5f2a-61c0\""),
        ]),
        error: None,
    };
    Event::Ledger {
        ticket,
        feed,
        records: vec![
            record(1, 304, OutcomeCode::NotModified, &[]),
            record(2, 200, OutcomeCode::Changed, &[301]),
            record(3, 200, OutcomeCode::Unchanged, &[]),
            record(4, 429, OutcomeCode::Deferred, &[]),
            record(5, 0, OutcomeCode::Failed(ErrorKind::Timeout), &[]),
        ],
        exchanges: vec![exchange(1, 304), exchange(2, 200), exchange(2, 301)],
    }
}

fn totals(days: u32, ticket: Ticket) -> Event {
    let today = NOW.day();
    let day = |back: u32| {
        let wave = u64::from(back * 37 % 100) + 40;
        let counters = Counters {
            not_modified304: if back == 9 { 0 } else { wave * 4 },
            ok200: if back == 9 { 0 } else { wave / 3 },
            bytes_saved: if back == 9 { 0 } else { wave * 151_000 },
            ..Counters::default()
        };
        (today - back, counters)
    };
    Event::Totals {
        ticket,
        days: (0..days).rev().map(day).collect(),
        hosts: Vec::new(),
    }
}
