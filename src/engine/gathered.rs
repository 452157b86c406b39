//! What the documents of a source brought together.

use crate::model::{Answer, Counters, Cursor, Incoming, Memory, PollError, Timestamp, Validators};
use crate::poll::Root;
use crate::store::About;

/// How a part ended that ends the poll: with an answer that is an error, or without any.
pub type Failed = Result<Box<Answer>, PollError>;

/// What the documents of a source brought together.
pub struct Gathered {
    /// What became of the document that names the others.
    pub root: Root,
    /// All went well, but for what is warned of; if not, the poll's end says what did not. What was had counts either way.
    pub well: bool,
    /// The document itself could not be read.
    pub refused: Option<PollError>,
    /// Entries of all of them.
    pub entries: Vec<Incoming>,
    /// To be stored.
    pub memory: Memory,
    /// How far it is read from now on.
    pub cursor: Option<Cursor>,
    /// What the source says of itself.
    pub about: Option<About>,
    /// Validators of the parts, by URL.
    pub validators: Vec<(String, Option<Validators>)>,
    /// What the parts cost.
    pub cost: Counters,
    /// Decoded bytes of the document.
    pub decoded: u64,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Gathered {
    /// Nothing yet.
    pub fn new(root: Root) -> Self {
        Self {
            root,
            well: true,
            refused: None,
            entries: Vec::new(),
            memory: Memory::Nothing,
            cursor: None,
            about: None,
            validators: Vec::new(),
            cost: Counters::default(),
            decoded: 0,
            warnings: Vec::new(),
        }
    }

    /// A part ends the poll as it ended itself: what it cost is counted there.
    pub fn ends_with(&mut self, end: Result<Box<Answer>, PollError>) -> Result<(), Failed> {
        self.well = false;
        if let Ok(answer) = &end {
            self.cost.bytes -= answer.body.wire.min(self.cost.bytes);
        }
        Err(end)
    }

    /// Dates of all entries.
    pub fn dates(&self) -> Vec<Timestamp> {
        let entries = self.entries.iter();
        entries
            .filter_map(|entry| entry.published.or(entry.updated))
            .collect()
    }
}
