//! Signals from outside, and the stop of Ctrl-Z.

use std::io;

/// What a signal means here.
pub enum Signal {
    /// SIGTERM, SIGHUP from outside: the end, in order.
    End,
    /// SIGINT: the end too, unless a program has the terminal: then it was meant for that.
    Interrupted,
    /// SIGCONT: somebody stopped the process and let it go on; the terminal may have changed meanwhile.
    Continued,
    /// SIGWINCH: the terminal has, or is about to have, another size. crossterm hears it too, but asks for the size at
    /// once and may miss the last of several changes.
    Resized,
}

/// The signals that mean something here.
#[cfg(unix)]
pub struct Signals {
    term: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    cont: tokio::signal::unix::Signal,
    winch: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let cont = rustix::process::Signal::CONT.as_raw();
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            cont: signal(SignalKind::from_raw(cont))?,
            winch: signal(SignalKind::window_change())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::End,
            _ = self.hup.recv() => Signal::End,
            _ = self.int.recv() => Signal::Interrupted,
            _ = self.cont.recv() => Signal::Continued,
            _ = self.winch.recv() => Signal::Resized,
        }
    }
}

/// Stops this process as Ctrl-Z would in a cooked terminal: with everything else in the foreground.
#[cfg(unix)]
pub fn stop_process() {
    use rustix::process::{Signal, kill_current_process_group};
    if let Err(error) = kill_current_process_group(Signal::TSTP) {
        tracing::warn!("the process could not be stopped: {error}");
    }
}

/// The signals that mean something here.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        // Closing the window ends the process by itself.
        let _ = tokio::signal::ctrl_c().await;
        Signal::Interrupted
    }
}

/// There is no shell to go back to.
#[cfg(not(unix))]
pub fn stop_process() {}
