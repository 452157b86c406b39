//! One thread for what reads much of the store: searches, and the index of words. An allocator keeps a heap for each thread;
//! were every search read on a thread of its own, each of those heaps would grow to the size of the largest search.

use std::sync::mpsc;
use std::thread;

use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// The thread; started with the first work, and again should it have died.
#[derive(Debug, Default)]
pub(super) struct Desk(Option<mpsc::Sender<Work>>);

impl Desk {
    /// Does `work` after what was given before. There is no answer where it panicked, or where no thread could be started.
    pub(super) fn give<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (told, answer) = oneshot::channel();
        // Whoever asked may be gone.
        let mut work: Work = Box::new(move || drop(told.send(work())));
        for _ in 0..2 {
            if let Some(thread) = &self.0 {
                let Err(back) = thread.send(work) else {
                    return answer;
                };
                work = back.0;
            }
            self.0 = start();
        }
        answer
    }
}

fn start() -> Option<mpsc::Sender<Work>> {
    let (sender, works) = mpsc::channel::<Work>();
    let thread = thread::Builder::new().name("reading".to_owned());
    let started = thread.spawn(move || works.into_iter().for_each(|work| work()));
    started.ok().map(|_| sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_work_is_done_in_turn_on_one_thread() {
        let mut desk = Desk::default();
        let answers: Vec<_> = (0..5)
            .map(|n| desk.give(move || (n, thread::current().id())))
            .collect();
        let done: Vec<_> = answers
            .into_iter()
            .map(|answer| answer.blocking_recv().expect("an answer"))
            .collect();
        assert_eq!(
            done.iter().map(|(n, _)| *n).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4]
        );
        assert!(done.iter().all(|(_, id)| *id == done[0].1));
        assert_ne!(done[0].1, thread::current().id());
    }

    #[test]
    fn work_that_panics_gives_no_answer_and_the_next_is_done() {
        let mut desk = Desk::default();
        let lost = desk.give(|| -> u8 { panic!("as it should") });
        assert!(lost.blocking_recv().is_err());
        // The thread may still be dying: what it took with it has no answer either.
        let done = (0..1_000).any(|_| desk.give(|| 7).blocking_recv() == Ok(7));
        assert!(done);
    }
}
