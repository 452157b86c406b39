//! The only door between a front end and the engine: commands go in, events come out, both plain data.

mod command;
mod event;
mod results;

pub use command::{Command, Own, Pick, Scope, Ticket};
pub use event::{Event, FailureKind, LIST_BROKEN, STORE_LOST};
pub use results::{
    AddResult, Inspected, NAMES_NONE, NewSettings, Newest, Planned, Preview, RuleRow, Summary,
};
