//! What comes in and what goes out: `update` turns the one into the other.

use crate::engine::protocol::{Command, Event};
use crate::model::Timestamp;

use super::keys::Key;
use super::programs::Program;

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Msg {
    /// The clock, before anything else that happened at that moment.
    Tick(Timestamp),
    /// A key.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse, where and what.
    Mouse(Mouse),
    /// The terminal has this many columns and rows.
    Resized(u16, u16),
    /// The engine speaks.
    Engine(Event),
    /// An effect could not be carried out: a sentence.
    Trouble(String),
}

/// A mouse event that means something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Column, from 0.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
    /// What it did.
    pub kind: MouseKind,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button was pressed.
    Click,
    /// The wheel turned towards the user.
    WheelDown,
    /// The wheel turned away.
    WheelUp,
}

/// Something is to be done to the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Send(Command),
    /// Open a URL in the user's browser. Checked to be http, https or mailto.
    OpenUrl(String),
    /// Run a program of the user's.
    Run(Program),
    /// Put text on the clipboard (OSC 52). Clean of control characters.
    Copy(String),
    /// Keep a line of the command line for the next session.
    Keep(String),
    /// Draw everything anew.
    Redraw,
    /// Back to the shell until it says `fg`.
    Suspend,
    /// The end.
    Quit,
}
