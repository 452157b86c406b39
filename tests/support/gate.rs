//! Holds a server still until the test lets it go on: order without sleeping.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Shut at first. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<u64>, Condvar)>);

impl Gate {
    /// A shut gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets one step pass, now or later.
    pub fn step(&self) {
        self.add(1);
    }

    /// Lets everything pass from now on.
    pub fn open(&self) {
        self.add(u64::MAX / 2);
    }

    fn add(&self, steps: u64) {
        let (count, changed) = &*self.0;
        let mut count = count.lock().expect("gate");
        *count = count.saturating_add(steps);
        changed.notify_all();
    }

    /// Waits for a step; `false` when `stop` was set meanwhile.
    pub fn pass(&self, stop: &AtomicBool) -> bool {
        let (count, changed) = &*self.0;
        let mut count = count.lock().expect("gate");
        loop {
            if *count > 0 {
                *count -= 1;
                return true;
            }
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            count = changed
                .wait_timeout(count, Duration::from_millis(20))
                .expect("gate")
                .0;
        }
    }
}
