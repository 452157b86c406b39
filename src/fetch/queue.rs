//! Places for requests in flight. Who waits is served in order; feeds that failed often after everybody else (R70).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Where one stands in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// In order.
    Usual,
    /// Only when nobody of the usual rank waits.
    Last,
}

/// A number of places, and the lines before them.
#[derive(Debug)]
pub(super) struct Queue {
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    free: usize,
    usual: VecDeque<oneshot::Sender<Place>>,
    last: VecDeque<oneshot::Sender<Place>>,
}

/// A place; free again when dropped.
#[derive(Debug)]
pub(super) struct Place(Option<Arc<Queue>>);

impl Queue {
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self {
            lines: Mutex::new(Lines {
                free: places,
                usual: VecDeque::new(),
                last: VecDeque::new(),
            }),
        })
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place. Whoever stops waiting loses nothing to anybody.
    pub(super) async fn take(self: &Arc<Self>, rank: Rank) -> Place {
        let coming = {
            let mut lines = self.lines();
            if lines.free > 0 {
                lines.free -= 1;
                return Place(Some(Arc::clone(self)));
            }
            let (sender, coming) = oneshot::channel();
            match rank {
                Rank::Usual => lines.usual.push_back(sender),
                Rank::Last => lines.last.push_back(sender),
            }
            coming
        };
        // The senders live as long as the queue, and we hold the queue.
        coming.await.unwrap_or(Place(None))
    }

    fn give_back(self: &Arc<Self>) {
        let mut lines = self.lines();
        loop {
            let next = lines.usual.pop_front();
            let Some(next) = next.or_else(|| lines.last.pop_front()) else {
                lines.free += 1;
                return;
            };
            match next.send(Place(Some(Arc::clone(self)))) {
                Ok(()) => return,
                // It has gone. Its place goes to the next one here, not by its own drop: the lines are locked.
                Err(mut unwanted) => unwanted.0 = None,
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    #[test]
    fn those_who_failed_often_go_last() {
        let queue = Queue::new(1);
        let first = poll(pin!(queue.take(Rank::Usual))).expect("free");
        let mut last = pin!(queue.take(Rank::Last));
        let mut usual = pin!(queue.take(Rank::Usual));
        assert!(poll(last.as_mut()).is_none());
        assert!(poll(usual.as_mut()).is_none());
        drop(first);
        assert!(poll(last.as_mut()).is_none());
        let place = poll(usual.as_mut()).expect("its turn");
        drop(place);
        assert!(poll(last.as_mut()).is_some());
    }

    #[test]
    fn a_place_is_not_lost_with_who_waited_for_it() {
        let queue = Queue::new(1);
        let first = poll(pin!(queue.take(Rank::Usual))).expect("free");
        {
            let mut gone_before = pin!(queue.take(Rank::Usual));
            assert!(poll(gone_before.as_mut()).is_none());
        }
        let mut gone_after = Box::pin(queue.take(Rank::Usual));
        assert!(poll(gone_after.as_mut()).is_none());
        drop(first);
        drop(gone_after);
        assert!(poll(pin!(queue.take(Rank::Usual))).is_some());
    }
}
