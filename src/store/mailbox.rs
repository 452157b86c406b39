//! The letter box of the writing thread. Who leaves something that waits for company wakes nobody: a thousand polls then
//! cost two or three wake-ups instead of a thousand.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How urgent a letter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// It is written with whatever is written next.
    Rides,
    /// It waits for others of its kind, of roughly so many bytes each.
    Waits {
        /// Its size.
        bytes: usize,
    },
    /// It is taken at once.
    Now,
}

/// How long, and how many, letters wait for company.
#[derive(Debug, Clone, Copy)]
pub(super) struct Company {
    /// The first of them waits no longer.
    pub(super) wait: Duration,
    /// In a row of groups each waits twice as long as the one before, up to this.
    pub(super) longest: Duration,
    /// So many are enough.
    pub(super) letters: usize,
    /// So many bytes are enough.
    pub(super) bytes: usize,
}

/// Why the thread was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Something urgent is there, or company enough.
    Urgent,
    /// The first of those that wait has waited long enough.
    Waited,
    /// The moment that was asked for has come.
    Time,
    /// Nobody will write any more; what is there is the last.
    Closed,
}

/// The end of those who write letters; a clone is another pen for the same box. The last one that goes closes it.
#[derive(Debug)]
pub(super) struct Slot<T>(Arc<Pen<T>>);

#[derive(Debug)]
struct Pen<T>(Arc<Mailbox<T>>);

/// The end of the one who reads them.
#[derive(Debug)]
pub(super) struct Inbox<T>(Arc<Mailbox<T>>);

#[derive(Debug)]
struct Mailbox<T> {
    letters: Mutex<Letters<T>>,
    bell: Condvar,
    company: Mutex<Company>,
}

#[derive(Debug)]
struct Letters<T> {
    all: Vec<T>,
    waiting: usize,
    bytes: usize,
    since: Option<Instant>,
    urgent: bool,
    closed: bool,
    /// How long the next group waits, and when the last one had waited.
    next: Option<(Duration, Instant)>,
}

impl<T> Letters<T> {
    const EMPTY: Self = Self {
        all: Vec::new(),
        waiting: 0,
        bytes: 0,
        since: None,
        urgent: false,
        closed: false,
        next: None,
    };

    /// How long a group that began at `since` waits: longer where another has just gone before it.
    fn patience(&self, company: Company, since: Instant) -> Duration {
        match self.next {
            Some((next, last)) if since.saturating_duration_since(last) < company.longest => {
                next.clamp(company.wait, company.longest)
            }
            _ => company.wait,
        }
    }
}

/// A new box.
pub(super) fn mailbox<T>(company: Company) -> (Slot<T>, Inbox<T>) {
    let mailbox = Arc::new(Mailbox {
        letters: Mutex::new(Letters::EMPTY),
        bell: Condvar::new(),
        company: Mutex::new(company),
    });
    (Slot(Arc::new(Pen(Arc::clone(&mailbox)))), Inbox(mailbox))
}

impl<T> Mailbox<T> {
    fn letters(&self) -> MutexGuard<'_, Letters<T>> {
        // Nothing that could panic is done under the lock.
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn company(&self) -> Company {
        *self.company.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) -> Vec<T> {
        let mut letters = self.letters();
        letters.closed = true;
        self.bell.notify_all();
        std::mem::take(&mut letters.all)
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Slot<T> {
    /// In a row of groups the later ones wait up to so long.
    pub(super) fn longest(&self, longest: Duration) {
        let mut company = self
            .0
            .0
            .company
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        company.longest = longest;
    }

    /// Leaves a letter. Where nobody reads any more it is dropped.
    pub(super) fn put(&self, letter: T, urgency: Urgency) {
        let mailbox = &self.0.0;
        let mut letters = mailbox.letters();
        if letters.closed {
            drop(letters);
            return;
        }
        letters.all.push(letter);
        let ring = match urgency {
            Urgency::Rides => false,
            Urgency::Now => !std::mem::replace(&mut letters.urgent, true),
            Urgency::Waits { bytes } => {
                letters.waiting += 1;
                letters.bytes += bytes;
                let company = mailbox.company();
                let first = letters.since.is_none();
                letters.since.get_or_insert_with(Instant::now);
                let enough = letters.waiting >= company.letters || letters.bytes >= company.bytes;
                first || (enough && !std::mem::replace(&mut letters.urgent, true))
            }
        };
        drop(letters);
        if ring {
            mailbox.bell.notify_one();
        }
    }
}

impl<T> Drop for Pen<T> {
    fn drop(&mut self) {
        self.0.letters().closed = true;
        self.0.bell.notify_all();
    }
}

impl<T> Inbox<T> {
    /// Waits for a call, at the latest until `at`, and takes what is there; on `Time` nothing is taken.
    pub(super) fn wait(&self, at: Option<Instant>) -> (Call, Vec<T>) {
        let mut letters = self.0.letters();
        loop {
            let now = Instant::now();
            let company = self.0.company();
            let patience = |since| letters.patience(company, since);
            let due = letters.since.map(|since| since + patience(since));
            let call = if letters.closed {
                Call::Closed
            } else if letters.urgent {
                Call::Urgent
            } else if due.is_some_and(|due| due <= now) {
                Call::Waited
            } else if at.is_some_and(|at| at <= now) {
                return (Call::Time, Vec::new());
            } else {
                letters = match due.into_iter().chain(at).min() {
                    None => self
                        .0
                        .bell
                        .wait(letters)
                        .unwrap_or_else(PoisonError::into_inner),
                    Some(next) => {
                        self.0
                            .bell
                            .wait_timeout(letters, next - now)
                            .unwrap_or_else(PoisonError::into_inner)
                            .0
                    }
                };
                continue;
            };
            let taken = std::mem::replace(&mut *letters, Letters::EMPTY);
            letters.closed = taken.closed;
            letters.next = match taken.since {
                Some(since) => Some((taken.patience(company, since) * 2, now)),
                None => taken.next,
            };
            return (call, taken.all);
        }
    }
}

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        // Outside of the lock: a letter's end may leave another letter.
        drop(self.0.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn company(wait: Duration) -> Company {
        Company {
            wait,
            longest: wait,
            letters: 3,
            bytes: 100,
        }
    }

    #[test]
    fn what_waits_is_taken_when_it_has_company_enough() {
        for bytes in [1, 50] {
            let (slot, inbox) = mailbox(company(LONG));
            slot.put(0, Urgency::Rides);
            slot.put(1, Urgency::Waits { bytes });
            slot.put(2, Urgency::Waits { bytes });
            if bytes == 1 {
                let now = Some(Instant::now());
                assert_eq!(inbox.wait(now), (Call::Time, vec![]));
                slot.put(3, Urgency::Waits { bytes });
                assert_eq!(inbox.wait(None), (Call::Urgent, vec![0, 1, 2, 3]));
            } else {
                assert_eq!(inbox.wait(None), (Call::Urgent, vec![0, 1, 2]));
            }
        }
    }

    #[test]
    fn what_waits_is_taken_when_it_has_waited() {
        let (slot, inbox) = mailbox(company(Duration::ZERO));
        slot.put(1, Urgency::Waits { bytes: 1 });
        assert_eq!(inbox.wait(None), (Call::Waited, vec![1]));
    }

    #[test]
    fn in_a_row_of_groups_each_waits_longer() {
        let mut letters = Letters::<()>::EMPTY;
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let company = Company {
            longest: second * 3,
            ..company(second)
        };
        assert_eq!(letters.patience(company, now), second);
        letters.next = Some((second * 2, now));
        assert_eq!(letters.patience(company, now + second), second * 2);
        assert_eq!(
            letters.patience(company, now + second * 3),
            second,
            "a new row"
        );
        letters.next = Some((second * 4, now));
        assert_eq!(letters.patience(company, now), second * 3);
    }

    #[test]
    fn an_urgent_letter_takes_the_others_with_it_in_their_order() {
        let (slot, inbox) = mailbox(company(LONG));
        slot.put(1, Urgency::Waits { bytes: 1 });
        slot.clone().put(2, Urgency::Now);
        slot.put(3, Urgency::Rides);
        assert_eq!(inbox.wait(None), (Call::Urgent, vec![1, 2, 3]));
        let now = Some(Instant::now());
        assert_eq!(inbox.wait(now), (Call::Time, vec![]), "it was urgent once");
    }

    #[test]
    fn the_last_letters_of_a_closed_box_are_read() {
        let (slot, inbox) = mailbox(company(LONG));
        slot.put(1, Urgency::Rides);
        drop(slot);
        assert_eq!(inbox.wait(None), (Call::Closed, vec![1]));
        assert_eq!(inbox.wait(None), (Call::Closed, vec![]));
    }

    #[test]
    fn letters_to_nobody_are_dropped() {
        let (slot, inbox) = mailbox(company(LONG));
        let letter = Arc::new(());
        slot.put(Arc::clone(&letter), Urgency::Rides);
        drop(inbox);
        slot.put(Arc::clone(&letter), Urgency::Now);
        assert_eq!(Arc::strong_count(&letter), 1);
    }

    #[test]
    fn who_waits_on_another_thread_hears_the_bell() {
        let (slot, inbox) = mailbox(company(LONG));
        let reader = std::thread::spawn(move || inbox.wait(None));
        slot.put(1, Urgency::Now);
        let end = reader.join().expect("it ends");
        assert_eq!(end, (Call::Urgent, vec![1]));
    }
}
