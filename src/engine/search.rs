//! Lists for a front end: rows are told as they are found, and whoever asks for another list no longer waits for this one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use crate::model::{EntriesPage, ListSpec, Window};
use crate::store::{Pace, Waiting};

use super::clock;
use super::flight::Flown;
use super::protocol::{Event, FailureKind, Ticket};
use super::run::Engine;
use super::trouble::Trouble;

/// When what was found so far is shown first, and then how often.
const FIRST: Duration = Duration::from_millis(40);
const EVERY: Duration = Duration::from_millis(120);

/// The front end, as a search sees it.
struct Lookout {
    ticket: Ticket,
    /// Which question this is, and which was the last one.
    own: u64,
    newest: Arc<AtomicU64>,
    events: UnboundedSender<Event>,
    next: Instant,
}

impl Waiting for Lookout {
    fn pace(&mut self) -> Pace {
        if self.newest.load(Ordering::Relaxed) != self.own {
            Pace::Stop
        } else if Instant::now() >= self.next {
            Pace::Show
        } else {
            Pace::Go
        }
    }

    fn show(&mut self, page: EntriesPage) {
        let ticket = self.ticket;
        // A front end that is gone asks for nothing any more: the engine ends.
        let _ = self.events.send(Event::Entries { ticket, page });
        self.next = Instant::now() + EVERY;
    }
}

impl Engine {
    /// Looks for the rows of a list, in place of those asked for before.
    pub(super) fn list_entries(&mut self, spec: ListSpec, window: Window, ticket: Ticket) {
        let own = self.newest_list.fetch_add(1, Ordering::Relaxed) + 1;
        let mut lookout = Lookout {
            ticket,
            own,
            newest: Arc::clone(&self.newest_list),
            events: self.events.clone(),
            next: Instant::now() + FIRST,
        };
        let store = self.shared.store.clone();
        let answer = self.desk.give(move || {
            // Letters were typed faster than they could be looked for.
            if lookout.pace() == Pace::Stop {
                return Vec::new();
            }
            match store.search(&spec, &window, clock::moment(), &mut lookout) {
                Ok(Some(page)) => vec![Event::Entries { ticket, page }],
                Ok(None) => Vec::new(),
                Err(error) => {
                    let trouble = Trouble::store("the entries could not be read", &error);
                    vec![trouble.event(ticket)]
                }
            }
        });
        self.tasks.spawn(async move {
            Flown::Told(answer.await.unwrap_or_else(|_| {
                vec![Event::Failed {
                    ticket,
                    what: "the entries could not be read".to_owned(),
                    why: "the search ended in a fault of this program".to_owned(),
                    kind: FailureKind::Internal,
                }]
            }))
        });
    }
}
