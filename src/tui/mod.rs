//! The reader: three panes, the status pane, help and prompts. Knows of the world only the terminal and the engine's
//! client. `update` and `draw` are pure; `run` alone waits and touches the terminal.

mod columns;
mod handed;
mod jump;
mod keys;
mod list;
mod marks;
mod model;
mod msg;
mod page;
mod panes;
mod programs;
mod progress;
mod prompt;
mod run;
mod say;
mod smart;
mod status;
mod tagging;
mod tending;
mod theme;
mod tree;
mod update;
mod view;

pub use keys::{Action, Binding, Key, Keymap, Keys, KeysError, Meaning, Place};
pub use list::{EntryList, Line};
pub use model::{LookError, Message, Model, Overlay, Screen, Start};
pub use msg::{Effect, Mouse, MouseKind, Msg};
pub use panes::{Pane, Panes};
pub use programs::{Hands, Program, Stage};
pub use prompt::{Help, Prompt, Topic, Typed, Visit};
pub use run::{Memory, TuiError, TuiOptions, run};
pub use say::{Zone, local, utc};
pub use theme::{Colours, Theme, ThemeError, Themes, Tone};
pub use update::{check_macros, look_faults, start, update, update_all};
pub use view::draw;
