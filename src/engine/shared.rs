//! What every task of an engine shares.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::fetch::Fetcher;
use crate::model::{Locations, Settings};
use crate::store::{Store, Writer};

use super::manners::Manners;
use super::rulebook::Book;
use super::shelf::Shelf;

/// For every task.
pub struct Shared {
    /// For reads.
    pub store: Store,
    /// The one way to write.
    pub writer: Writer,
    /// The one way to ask.
    pub fetcher: Fetcher,
    /// The user's.
    pub settings: Settings,
    /// The user's.
    pub locations: Locations,
    /// Parsing happens on two workers.
    pub parsing: Arc<Semaphore>,
    /// An answer that waits for a person's yes.
    pub kept: Shelf,
    /// What is done with new entries.
    pub rules: Book,
    /// Which pages may be fetched.
    pub manners: Manners,
}
