//! Lists that are looked for by words: what matches may be anywhere, and whoever waits is told of it as it is found.
//!
//! A common word needs no more than the list's own walk: the first rows are found at once. When that has looked at too much
//! for too little, every entry is decided, the newest first, and the walk goes over what was found. What was found stays until
//! a head is written.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, RwLock};

use redb::ReadableTable;

use super::Store;
use super::codes::READ;
use super::error::StoreError;
use super::filter::{Facts, Filter};
use super::index::Hints;
use super::list::List;
use super::records::{HeadV1, decode};
use crate::model::{EntriesPage, ListScope, ListSpec, Moment, Window};

/// Heads that a walk may read in vain.
const HEADS: usize = if cfg!(test) { 20 } else { 3_000 };
/// Texts that it may read.
const TEXTS: usize = if cfg!(test) { 8 } else { 250 };
/// Entries decided between two looks at who waits.
const STRETCH: usize = 64;

/// How whoever waits for a search wants it to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// On.
    Go,
    /// Show what there is, then on.
    Show,
    /// Nobody waits any more.
    Stop,
}

/// Somebody who waits for a search.
pub trait Waiting {
    /// Asked again and again while it goes on.
    fn pace(&mut self) -> Pace;
    /// Rows that were found so far; better ones may follow.
    fn show(&mut self, page: EntriesPage);
}

/// Waits for the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patient;

impl Waiting for Patient {
    fn pace(&mut self) -> Pace {
        Pace::Go
    }

    fn show(&mut self, _: EntriesPage) {}
}

/// Numbers of entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    words: Vec<u64>,
    count: u64,
}

impl Numbers {
    fn insert(&mut self, no: u64) {
        let at = usize::try_from(no / 64).unwrap_or(usize::MAX);
        if at >= self.words.len() {
            self.words.resize(at.saturating_add(1), 0);
        }
        self.words[at] |= 1 << (no % 64);
        self.count += 1;
    }

    pub(super) fn contains(&self, no: u64) -> bool {
        let word = usize::try_from(no / 64)
            .ok()
            .and_then(|at| self.words.get(at));
        word.is_some_and(|word| word & (1 << (no % 64)) != 0)
    }
}

/// The last search that was carried to its end, for the next window of the same list.
#[derive(Debug, Default)]
pub(super) struct FoundCache(RwLock<Option<Arc<Found>>>);

/// What a query found.
#[derive(Debug)]
struct Found {
    query: String,
    /// How many heads had been written.
    written: u64,
    numbers: Arc<Numbers>,
}

impl FoundCache {
    fn get(&self, query: &str, written: u64) -> Option<Arc<Numbers>> {
        let kept = match self.0.read() {
            Ok(kept) => kept.clone(),
            // Whoever panicked swapped an Option: it is whole.
            Err(poisoned) => poisoned.into_inner().clone(),
        };
        let kept = kept.filter(|found| found.query == query && found.written == written);
        kept.map(|found| Arc::clone(&found.numbers))
    }

    fn put(&self, found: Found) {
        let found = Some(Arc::new(found));
        match self.0.write() {
            Ok(mut kept) => *kept = found,
            Err(poisoned) => *poisoned.into_inner() = found,
        }
    }
}

/// How far a walk may look for rows, and what is decided already.
#[derive(Debug, Default)]
pub(super) struct Effort {
    heads: Cell<Option<usize>>,
    texts: Cell<Option<usize>>,
    decided: RefCell<Option<Arc<Numbers>>>,
}

impl Effort {
    fn bound(&self) {
        self.heads.set(Some(HEADS));
        self.texts.set(Some(TEXTS));
    }

    fn unbound(&self) {
        self.heads.set(None);
        self.texts.set(None);
    }

    /// Nothing more may be read.
    pub(super) fn is_spent(&self) -> bool {
        self.heads.get() == Some(0) || self.texts.get() == Some(0)
    }

    pub(super) fn head(&self) {
        self.heads
            .set(self.heads.get().map(|left| left.saturating_sub(1)));
    }

    pub(super) fn text(&self) {
        self.texts
            .set(self.texts.get().map(|left| left.saturating_sub(1)));
    }

    /// Whether an entry is in the list, where that is decided.
    pub(super) fn decided(&self, no: u64) -> Option<bool> {
        let decided = self.decided.borrow();
        decided.as_ref().map(|numbers| numbers.contains(no))
    }
}

impl Store {
    /// A window of a list, with whoever waits told of rows as they are found. `None` when nobody waited for the end.
    pub fn search(
        &self,
        spec: &ListSpec,
        window: &Window,
        moment: Moment,
        waiting: &mut dyn Waiting,
    ) -> Result<Option<EntriesPage>, StoreError> {
        self.read(|txn| {
            let list = List::new(txn, spec, moment, &self.shared.titles)?;
            list.search(window, &self.shared.found, waiting)
        })
    }
}

impl List<'_> {
    /// See `Store::search`.
    fn search(
        &self,
        window: &Window,
        cache: &FoundCache,
        waiting: &mut dyn Waiting,
    ) -> Result<Option<EntriesPage>, StoreError> {
        // A feed's own entries are few enough to walk through.
        let Some(filter) = self
            .words()
            .filter(|_| !matches!(self.scope, ListScope::Feed(_)))
        else {
            return self.window(window).map(Some);
        };
        let written = self.heads_written()?;
        let kept = filter.is_lasting().then(|| cache.get(&self.query, written));
        if let Some(numbers) = kept.flatten() {
            *self.effort.decided.borrow_mut() = Some(numbers);
            return self.found(window).map(Some);
        }
        self.effort.bound();
        let page = self.window(window)?;
        if !self.effort.is_spent() {
            return Ok(Some(page));
        }
        self.effort.unbound();
        if !self.decide(filter, Some(window), waiting)? {
            return Ok(None);
        }
        if let (true, Some(numbers)) = (filter.is_lasting(), &*self.effort.decided.borrow()) {
            cache.put(Found {
                query: self.query.clone(),
                written,
                numbers: Arc::clone(numbers),
            });
        }
        self.found(window).map(Some)
    }

    /// Decides every entry for good, before a walk that may need them all.
    pub(super) fn decide_all(&self) -> Result<(), StoreError> {
        let small = matches!(self.scope, ListScope::Feed(_));
        if let Some(filter) = self.words().filter(|_| !small) {
            self.decide(filter, None, &mut Patient)?;
        }
        Ok(())
    }

    /// The filter, where it asks for words.
    fn words(&self) -> Option<&Filter> {
        self.filter.as_ref().filter(|filter| filter.names_text())
    }

    /// A window over what was found, which is counted.
    fn found(&self, window: &Window) -> Result<EntriesPage, StoreError> {
        let mut page = self.window(window)?;
        if self.scope == ListScope::All && !self.unread_only && self.removed.is_empty() {
            let decided = self.effort.decided.borrow();
            page.total = decided.as_ref().map(|numbers| numbers.count);
        }
        Ok(page)
    }

    /// Decides every entry, the last written first. False: nobody waits any more.
    fn decide(
        &self,
        filter: &Filter,
        window: Option<&Window>,
        waiting: &mut dyn Waiting,
    ) -> Result<bool, StoreError> {
        let mut numbers = Numbers::default();
        let unknown = Facts::default();
        let mut hints = Hints::of(self.txn, filter.needles())?;
        // What is found for a window is kept for other lists; what nobody keeps need not know of read entries.
        let narrow = window.is_none() && self.unread_only;
        for (done, row) in self.heads.iter()?.rev().enumerate() {
            if done % STRETCH == 0 {
                match waiting.pace() {
                    Pace::Go => {}
                    Pace::Stop => return Ok(false),
                    Pace::Show => {
                        numbers = self.show(numbers, window, waiting)?;
                    }
                }
            }
            let (no, value) = row?;
            let no = no.value();
            let head: HeadV1<'_> = decode(value.value())?;
            if !filter.may_be_of(head.sort) {
                continue;
            }
            if narrow && self.bits(no)? & READ != 0 {
                continue;
            }
            let feed = self.facts.get(&head.feed).unwrap_or(&unknown);
            // What its head or the index decides costs nothing more.
            let block = head.body.block;
            let tags = self.asked_tags(no)?;
            let known = filter.judge(&head, None, &tags, feed, &mut |needle| {
                hints.judge(needle, block)
            });
            let passes = match known {
                Some(passes) => passes,
                None => self.passes(filter, &head, self.bits(no)?, &tags)?,
            };
            if passes {
                numbers.insert(no);
            }
        }
        *self.effort.decided.borrow_mut() = Some(Arc::new(numbers));
        Ok(true)
    }

    /// Shows what is found so far, and gives it back to be added to.
    fn show(
        &self,
        numbers: Numbers,
        window: Option<&Window>,
        waiting: &mut dyn Waiting,
    ) -> Result<Numbers, StoreError> {
        let Some(window) = window else {
            return Ok(numbers);
        };
        let numbers = Arc::new(numbers);
        *self.effort.decided.borrow_mut() = Some(Arc::clone(&numbers));
        let mut page = self.window(window)?;
        page.searching = true;
        waiting.show(page);
        *self.effort.decided.borrow_mut() = None;
        Ok(Arc::unwrap_or_clone(numbers))
    }
}
