//! The nouns: plain data that every floor may name. Nothing here waits, reads a clock or touches the world.

mod answer;
mod arrange;
mod audit;
mod backfill;
mod caught;
mod delta;
mod entry;
mod explain;
mod feed;
mod host;
mod keep;
mod list;
mod natural;
mod outcome;
mod own;
mod poll_state;
mod probe;
mod push;
mod reason;
mod report;
mod roster;
mod rule;
mod schedule;
mod settings;
mod site;
mod time;
mod validators;
mod wish;

pub use answer::{Answer, Body, HeaderList, Hop};
pub use arrange::arrange;
pub use audit::{AuditRecord, Exchange, OutcomeCode, Pace};
pub use backfill::{Backfill, BackfillRun, BackfillWish, Way, WayEnd};
pub use caught::{caught, is_caught};
pub use delta::{ChangeFiles, Cursor, CursorKind, Delta};
pub use entry::{
    Adopted, Enclosure, Entry, EntryBody, EntryHead, EntryId, EntryKey, Former, FullText, Incoming,
    Kept, Mark, Markup, Standing, StateMark,
};
pub use explain::{Bound, Explanation, Hold, HoldCause, Newer, ValidatorsReason};
pub use feed::{Feed, FeedHttp, FeedId, FeedRow, Retune, SourceKind, Subscription};
pub use host::{HostKey, HostState, Offline, Robots};
pub use keep::{Keep, KeepSettings, Pruned, is_under};
pub use list::{Anchor, EntriesPage, ListScope, ListSpec, Order, Part, Window};
pub use natural::natural;
pub use outcome::{Counters, ErrorKind, LastAnswer, Outcome, PollError, bytes};
pub use own::{External, Handed, Macro, Share, Step};
pub use poll_state::{Efficacy, Hints, Moved, Off, PermanentMove, PollState};
pub use probe::{Content, Grade, Honour, ProbeEnd, ProbeReport, Shot, Verdict304};
pub use push::{PushRow, PushSettings, PushState};
pub use reason::reason;
pub use report::{Early, PollReport};
pub use roster::{Absence, Followed, Listed, Memory, Parked, Roster};
pub use rule::{Rule, RuleAct, SmartFeed};
pub use schedule::{Schedule, Why, human};
pub use settings::{
    Group, HttpSettings, Hyperlinks, Locations, PollSettings, Settings, ThemeChoice, UiSettings,
};
pub use site::{Site, SiteFile, SitePage};
pub use time::{Clock, Moment, Timestamp};
pub use validators::{Validators, ValidatorsChoice};
pub use wish::Wish;
