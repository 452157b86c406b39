//! The binary in a pseudo-terminal: typed at, resized, signalled; its screen is read by a terminal emulator.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::{MouseProtocolMode, Parser, Screen};

use super::process::{Home, pause};

/// How long the screen may take to show something.
pub const SHOWN_WITHIN: Duration = Duration::from_secs(30);

/// A terminal with a program in it. The program is killed when it is dropped.
pub struct Terminal {
    master: Option<Box<dyn MasterPty + Send>>,
    keyboard: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<Mutex<Shown>>,
    news: Receiver<()>,
}

struct Shown {
    parser: Parser,
    raw: Vec<u8>,
    /// So many of the bytes are on the screen.
    drawn: usize,
    closing: bool,
}

impl Terminal {
    /// Starts the binary with these arguments, at home there, so many columns and rows wide and high.
    pub fn start(home: &Home, arguments: &[&str], size: (u16, u16)) -> Self {
        let words: Vec<&str> = [env!("CARGO_BIN_EXE_tidings")]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        Self::start_with(home, &words, size, &[])
    }

    /// Starts any program, with variables besides.
    pub fn start_with(
        home: &Home,
        words: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system()
            .openpty(pty_size(columns, rows))
            .expect("a terminal");
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.env_clear();
        command.cwd(home.path("."));
        for (name, value) in home.variables() {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("it starts");
        drop(pair.slave);
        let shown = Arc::new(Mutex::new(Shown {
            parser: Parser::new(cells(rows), cells(columns), 0),
            raw: Vec::new(),
            drawn: 0,
            closing: false,
        }));
        let reader = pair.master.try_clone_reader().expect("a reader");
        let news = watch(reader, Arc::clone(&shown));
        let keyboard = pair.master.take_writer().expect("a keyboard");
        Self {
            master: Some(pair.master),
            keyboard: Some(keyboard),
            child,
            shown,
            news,
        }
    }

    /// Types this.
    pub fn keys(&mut self, text: &str) {
        let keyboard = self.keyboard.as_mut().expect("not closed");
        keyboard.write_all(text.as_bytes()).expect("somebody reads");
        keyboard.flush().expect("somebody reads");
    }

    /// Waits until the screen is as `right` says; `what` is told when it does not become so.
    pub fn wait(&self, what: &str, right: impl Fn(&Screen) -> bool) {
        let end = Instant::now() + SHOWN_WITHIN;
        loop {
            if right(self.shown.lock().expect("shown").parser.screen()) {
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "not shown: {what}\n{}", self.text());
            if let Err(RecvTimeoutError::Disconnected) = self.news.recv_timeout(left) {
                // Nothing comes any more; what came last may be right.
                pause(Duration::from_millis(20));
            }
        }
    }

    /// Waits until this stands on the screen.
    pub fn sees(&self, text: &str) {
        self.wait(text, |screen| screen.contents().contains(text));
    }

    /// Waits until this does not stand on the screen any more.
    pub fn sees_no(&self, text: &str) {
        self.wait(&format!("no {text}"), |screen| {
            !screen.contents().contains(text)
        });
    }

    /// Types, and waits for a text.
    pub fn after(&mut self, keys: &str, text: &str) {
        self.keys(keys);
        self.sees(text);
    }

    /// Looks at the screen as it is now.
    pub fn with_screen<T>(&self, look: impl FnOnce(&Screen) -> T) -> T {
        look(self.shown.lock().expect("shown").parser.screen())
    }

    /// The screen as it is now.
    pub fn text(&self) -> String {
        self.shown.lock().expect("shown").parser.screen().contents()
    }

    /// The row that has this text, once there is one.
    pub fn row(&self, text: &str) -> String {
        self.sees(text);
        let screen = self.text();
        let row = screen.lines().find(|row| row.contains(text));
        row.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
            .to_owned()
    }

    /// Somebody else writes over the screen.
    pub fn spoil(&self) {
        let mut shown = self.shown.lock().expect("shown");
        shown.parser.process(b"\x1b[2J\x1b[Hspoiled");
    }

    /// Every byte that was written to the terminal.
    pub fn raw(&self) -> Vec<u8> {
        self.shown.lock().expect("shown").raw.clone()
    }

    /// Makes the window another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let mut shown = self.shown.lock().expect("shown");
        shown
            .parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        drop(shown);
        let master = self.master.as_ref().expect("not closed");
        master.resize(pty_size(columns, rows)).expect("resized");
    }

    /// Takes the window away.
    pub fn close(&mut self) {
        // Whoever reads holds it open, and lets go with the next byte.
        self.shown.lock().expect("shown").closing = true;
        self.resize(100, 30);
        while self.news.recv_timeout(SHOWN_WITHIN).is_ok() {}
        self.keyboard = None;
        self.master = None;
    }

    /// The number of the process that was started.
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("a number")
    }

    /// Waits for the end; the exit code.
    pub fn end(&mut self) -> u32 {
        let end = Instant::now() + SHOWN_WITHIN;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of this process") {
                // What it wrote last may still be on its way.
                while self.news.recv_timeout(Duration::from_millis(200)).is_ok() {}
                return status.exit_code();
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.text());
            pause(Duration::from_millis(5));
        }
    }

    /// The terminal is as a shell wants it: its own screen, a cursor, no mouse, no bracketed paste.
    pub fn is_given_back(&self) {
        self.wait("the terminal given back", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == MouseProtocolMode::None
        });
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("at least one")
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Feeds the emulator, and tells when there was something.
fn watch(mut reader: Box<dyn Read + Send>, shown: Arc<Mutex<Shown>>) -> Receiver<()> {
    let (told, news) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            let mut shown = shown.lock().expect("shown");
            shown.take(&buffer[..read]);
            if told.send(()).is_err() || shown.closing {
                return;
            }
        }
    });
    news
}

impl Shown {
    /// Shows whole frames only, as a terminal does that knows synchronized updates.
    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        let new = &self.raw[self.drawn..];
        let last = |mark: &[u8]| new.windows(mark.len()).rposition(|at| at == mark);
        let whole = match (last(b"\x1b[?2026h"), last(b"\x1b[?2026l")) {
            (Some(begun), ended) if ended.is_none_or(|ended| ended < begun) => begun,
            _ => new.len(),
        };
        self.parser.process(&new[..whole]);
        self.drawn += whole;
    }
}
