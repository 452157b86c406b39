//! The terminal while the reader has it: entered, drawn on, measured and given back, also after a panic.

use std::io::{self, Write};
use std::sync::Arc;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use super::super::columns;
use super::super::model::Model;
use super::super::view;
use crate::model::is_caught;

/// The terminal while the reader has it, and what it shows.
pub struct Screen {
    /// What is on the screen; `None` when that is not known.
    shown: Option<Buffer>,
    cursor: Option<Position>,
    bytes: Vec<u8>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        let mut screen = Self {
            shown: None,
            cursor: None,
            bytes: Vec::with_capacity(64 * 1024),
            mouse,
        };
        screen.come_back()?;
        Ok(screen)
    }

    /// Takes the terminal, also when it was taken before: after a stop by somebody else it may be in any state.
    pub fn come_back(&mut self) -> io::Result<()> {
        // crossterm remembers that raw mode is on and would do nothing.
        let _ = disable_raw_mode();
        enable_raw_mode()?;
        let mut out = io::stdout();
        let entered = (|| {
            execute!(
                out,
                EnterAlternateScreen,
                DisableLineWrap,
                EnableBracketedPaste,
                Hide
            )?;
            if self.mouse {
                execute!(out, EnableMouseCapture)?;
            }
            Ok(())
        })();
        if entered.is_err() {
            restore();
        }
        self.forget();
        entered
    }

    /// Gives the terminal back.
    pub fn leave(&mut self) {
        restore();
        self.forget();
    }

    /// What is on the screen is not known any more: the next frame is drawn whole.
    pub fn forget(&mut self) {
        self.shown = None;
        self.cursor = None;
    }

    /// Draws a frame: one write of what changed, nothing where nothing did.
    pub fn draw(&mut self, model: &Model) -> io::Result<()> {
        let area = Rect::new(0, 0, model.size.0, model.size.1);
        let mut next = Buffer::empty(area);
        let cursor = view::draw(model, &mut next);
        self.bytes.clear();
        let shown = self.shown.take().filter(|shown| shown.area == area);
        let blank;
        let before = if let Some(shown) = &shown {
            shown
        } else {
            // Not Terminal::clear: it asks the terminal for its cursor, and the answer may never come.
            queue!(self.bytes, ResetColor, Clear(ClearType::All))?;
            blank = Buffer::empty(area);
            &blank
        };
        let changes = changes(before, &next);
        if !changes.is_empty() || cursor != self.cursor || shown.is_none() {
            let mut frame = Vec::with_capacity(self.bytes.len() + changes.len() * 4 + 64);
            queue!(frame, BeginSynchronizedUpdate, Hide)?;
            frame.append(&mut self.bytes);
            paint(&mut frame, &changes)?;
            if let Some(at) = cursor {
                queue!(frame, MoveTo(at.x, at.y), Show)?;
            }
            queue!(frame, EndSynchronizedUpdate)?;
            write_out(&frame)?;
        }
        self.shown = Some(next);
        self.cursor = cursor;
        Ok(())
    }

    /// The clipboard of the terminal (OSC 52).
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        self.bytes.clear();
        queue!(self.bytes, CopyToClipboard::to_clipboard_from(text))?;
        write_out(&self.bytes)
    }
}

/// Columns and rows of the terminal at this moment; `None` where it does not say.
#[cfg(unix)]
pub fn size() -> Option<(u16, u16)> {
    // One system call: crossterm would open the terminal anew each time.
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// Columns and rows of the terminal at this moment; `None` where it does not say.
#[cfg(not(unix))]
pub fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

type Change<'a> = (u16, u16, &'a Cell);

/// A character whose width terminals do not agree on: joined emoji, flags, marks that combine.
fn is_doubtful(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.len() > 3 || symbol.chars().nth(1).is_some()
}

/// The cells to be written. A line with a doubtful character is written whole, before and after: where the terminal
/// takes more columns for it than we count, what follows covers the surplus.
fn changes<'a>(before: &Buffer, next: &'a Buffer) -> Vec<Change<'a>> {
    let changes = before.diff(next);
    let width = usize::from(next.area.width).max(1);
    let rows = before.content.chunks(width).zip(next.content.chunks(width));
    let doubtful: Vec<bool> = rows
        .map(|(old, new)| old.iter().chain(new).any(is_doubtful))
        .collect();
    if !doubtful.contains(&true) {
        return changes;
    }
    let mut all = Vec::with_capacity(changes.len() + width);
    let mut whole = None;
    for change in changes {
        let y = change.1;
        if !doubtful
            .get(usize::from(y))
            .is_some_and(|doubtful| *doubtful)
        {
            all.push(change);
        } else if whole != Some(y) {
            whole = Some(y);
            let mut x = 0;
            while x < next.area.width {
                let cell = &next[(x, y)];
                let width = columns::width(cell.symbol()).max(1) as u16;
                // Where the terminal takes fewer columns, what it leaves out is blank.
                if is_doubtful(cell) {
                    let hidden = (x + 1)..(x + width).min(next.area.width);
                    all.extend(hidden.map(|x| (x, y, &next[(x, y)])));
                }
                all.push((x, y, cell));
                x += width;
            }
        }
    }
    all
}

/// Writes cells; after each doubtful one the cursor is placed anew.
fn paint(frame: &mut Vec<u8>, changes: &[Change]) -> io::Result<()> {
    for run in changes.split_inclusive(|(_, _, cell)| is_doubtful(cell)) {
        let mut terminal = CrosstermBackend::new(&mut *frame);
        terminal.draw(run.iter().copied())?;
    }
    Ok(())
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Gives the terminal back. What cannot be written any more has nobody to read it.
fn restore() {
    let mut out = io::stdout();
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        ResetColor,
        EnableLineWrap,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

/// While it lives, a panic of this thread gives the terminal back first. A panic elsewhere is caught where it
/// happens, by whoever waits for that task: it goes to the log, not over the screen.
pub struct PanicHook {
    before: Arc<Hook>,
}

type Hook = dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync;

impl PanicHook {
    /// From now on.
    pub fn install() -> Self {
        let screen = std::thread::current().id();
        let before: Arc<Hook> = std::panic::take_hook().into();
        let then = Arc::clone(&before);
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == screen && !is_caught() {
                restore();
                then(panic);
            } else {
                tracing::error!("{panic}");
            }
        }));
        Self { before }
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let before = Arc::clone(&self.before);
            std::panic::set_hook(Box::new(move |panic| before(panic)));
        }
    }
}
