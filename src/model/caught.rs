//! Panics of foreign code that are expected, caught and turned into errors: redb over a damaged file, a parser over a
//! strange document. They are no internal errors, so nobody is told of one.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `act`; its panic is an error, and the panic hook can know by [`is_caught`] that it will be.
///
/// # Errors
/// What `act` panicked with.
pub fn caught<T>(act: impl FnOnce() -> T) -> thread::Result<T> {
    DEPTH.with(|depth| depth.set(depth.get() + 1));
    let ended = catch_unwind(AssertUnwindSafe(act));
    DEPTH.with(|depth| depth.set(depth.get() - 1));
    ended
}

/// Whether this thread is inside of [`caught`]: its panic becomes an error that somebody reports in better words.
#[must_use]
pub fn is_caught() -> bool {
    DEPTH.try_with(Cell::get).is_ok_and(|depth| depth > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_known_to_be_caught_only_inside() {
        assert!(!is_caught());
        let ended = caught(|| {
            assert!(caught(is_caught).expect("no panic"));
            assert!(is_caught(), "after the inner one ended");
            panic!("x");
        });
        assert!(ended.is_err());
        assert!(!is_caught(), "after a panic");
    }
}
