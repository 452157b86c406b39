//! What the bottom line says, and what it said before.

use crate::article::sanitize;
use crate::model::Timestamp;

use super::Model;

/// What who comes the first time reads until a key is pressed.
const GREETING: &str = "welcome: ? shows the keys that work here, : takes commands, q quits";

/// How many messages `:messages` remembers besides errors.
const MESSAGES: usize = 200;

/// How many errors it remembers.
const ERRORS: usize = 2_000;

/// A sentence in the bottom line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// When.
    pub at: Timestamp,
    /// The sentence.
    pub text: String,
    /// Something went wrong.
    pub error: bool,
}

impl Model {
    /// Says something in the bottom line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.push(&text.into(), false);
    }

    /// Says something that nobody asked for: it never takes the place of an answer.
    pub fn mention(&mut self, text: impl Into<String>) {
        let said = self.message.take();
        self.push(&text.into(), false);
        self.message = said.or_else(|| self.message.take());
    }

    /// Greets who comes the first time.
    pub fn greet(&mut self) {
        self.say(GREETING);
    }

    /// The greeting is there to be read.
    pub fn greets(&self) -> bool {
        self.message
            .as_ref()
            .is_some_and(|said| said.text == GREETING)
    }

    /// Says that something went wrong.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.push(&text.into(), true);
    }

    fn push(&mut self, text: &str, error: bool) {
        let message = Message {
            at: self.now,
            text: sanitize::line(text),
            error,
        };
        // An error stays until a key was pressed, and so does the greeting; what merely informs waits in `:messages`.
        let stays = |said: &Message| said.error || said.text == GREETING;
        if error || !self.message.as_ref().is_some_and(stays) {
            self.message = Some(message.clone());
        }
        self.remember(message);
    }

    /// Keeps a message for `:messages`. What merely informs goes first: the errors of a session stay.
    fn remember(&mut self, message: Message) {
        let most = if message.error { ERRORS } else { MESSAGES };
        let alike = |said: &&Message| said.error == message.error;
        if self.log.iter().filter(alike).count() >= most
            && let Some(oldest) = self.log.iter().position(|said| said.error == message.error)
        {
            self.log.remove(oldest);
        }
        self.log.push_back(message);
    }
}
