//! The service manager: told that the program is ready, alive, ending (`sd_notify(3)`, `sd_watchdog_enabled(3)`). Where none
//! asked to be told, nothing happens.

use std::time::Duration;

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// What is due is polled from now on.
    Ready,
    /// The engine answers.
    Alive,
    /// The last polls are brought to the disk.
    Stopping,
}

/// Tells it.
#[cfg(target_os = "linux")]
pub(super) fn tell(state: State) {
    use sd_notify::NotifyState;
    let state = match state {
        State::Ready => NotifyState::Ready,
        State::Alive => NotifyState::Watchdog,
        State::Stopping => NotifyState::Stopping,
    };
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager could not be told");
    }
}

/// How often it wants to hear that the program is alive: half of the time after which it would end it.
#[cfg(target_os = "linux")]
pub(super) fn pulse() -> Option<Duration> {
    let limit = sd_notify::watchdog_enabled()?;
    (!limit.is_zero()).then_some(limit / 2)
}

/// Tells nobody.
#[cfg(not(target_os = "linux"))]
pub(super) fn tell(_: State) {}

/// Nobody wants to hear.
#[cfg(not(target_os = "linux"))]
pub(super) fn pulse() -> Option<Duration> {
    None
}
