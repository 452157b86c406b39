//! The terminal while the reader has it: entered, drawn on, measured and given back, also after a panic.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use super::super::columns;
use super::super::model::Model;
use super::super::view::{self, Hyperlink};
use crate::model::{UiSettings, is_caught};

/// Puts the title of the terminal on its stack (XTWINOPS 22), and takes it from there.
const KEEP_TITLE: &[u8] = b"\x1b[22;0t";
const TITLE_OF_BEFORE: &[u8] = b"\x1b[23;0t";

/// The title is on the stack: whoever gives the terminal back, also after a panic, takes it from there.
static TITLED: AtomicBool = AtomicBool::new(false);

/// The terminal while the reader has it, and what it shows.
pub struct Screen {
    /// What is on the screen; `None` when that is not known.
    shown: Option<Buffer>,
    cursor: Option<Position>,
    bytes: Vec<u8>,
    mouse: bool,
    /// The title of the terminal says how much is unread.
    titled: bool,
    /// The title as it was set last.
    title: Option<String>,
    /// Links of an article are links of the terminal.
    linking: bool,
    /// Those on the screen.
    links: Vec<Hyperlink>,
}

impl Screen {
    /// Takes the terminal.
    pub fn enter(settings: &UiSettings, linking: bool) -> io::Result<Self> {
        let mut screen = Self {
            shown: None,
            cursor: None,
            bytes: Vec::with_capacity(64 * 1024),
            mouse: settings.mouse,
            titled: settings.title,
            title: None,
            linking,
            links: Vec::new(),
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
            // Once, until it is given back: what is kept is the title of before.
            if self.titled && !TITLED.swap(true, Ordering::Relaxed) {
                out.write_all(KEEP_TITLE)?;
                out.flush()?;
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
        self.title = None;
        self.links.clear();
        self.cursor = None;
    }

    /// Draws a frame: one write of what changed, nothing where nothing did.
    pub fn draw(&mut self, model: &Model) -> io::Result<()> {
        let area = Rect::new(0, 0, model.size.0, model.size.1);
        let mut next = Buffer::empty(area);
        let cursor = view::draw(model, &mut next);
        let links = if self.linking {
            view::hyperlinks(model, &next)
        } else {
            Vec::new()
        };
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
        let title = self.titled.then(|| view::title(model));
        let retitled = title != self.title;
        let relinked = relinked(&self.links, &links);
        let changes = changes(before, &next, &relinked);
        if !changes.is_empty() || cursor != self.cursor || shown.is_none() || retitled {
            let mut frame = Vec::with_capacity(self.bytes.len() + changes.len() * 4 + 64);
            queue!(frame, BeginSynchronizedUpdate, Hide)?;
            frame.append(&mut self.bytes);
            paint(&mut frame, &changes, &links)?;
            if let Some(title) = title.as_ref().filter(|_| retitled) {
                queue!(frame, SetTitle(title))?;
            }
            if let Some(at) = cursor {
                queue!(frame, MoveTo(at.x, at.y), Show)?;
            }
            queue!(frame, EndSynchronizedUpdate)?;
            write_out(&frame)?;
        }
        self.shown = Some(next);
        self.links = links;
        self.cursor = cursor;
        self.title = title;
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

/// The rows on which other cells lead somewhere than before, or elsewhere.
fn relinked(before: &[Hyperlink], now: &[Hyperlink]) -> BTreeSet<u16> {
    if before == now {
        return BTreeSet::new();
    }
    let gone = before.iter().filter(|link| !now.contains(link));
    let new = now.iter().filter(|link| !before.contains(link));
    gone.chain(new).map(|link| link.y).collect()
}

/// The cells to be written. A line with a doubtful character is written whole, before and after: where the terminal
/// takes more columns for it than we count, what follows covers the surplus. So is one whose links are others.
fn changes<'a>(before: &Buffer, next: &'a Buffer, relinked: &BTreeSet<u16>) -> Vec<Change<'a>> {
    let changes = before.diff(next);
    let width = usize::from(next.area.width).max(1);
    let rows = before.content.chunks(width).zip(next.content.chunks(width));
    let doubtful: Vec<bool> = rows
        .map(|(old, new)| old.iter().chain(new).any(is_doubtful))
        .collect();
    if !doubtful.contains(&true) && relinked.is_empty() {
        return changes;
    }
    let mut all = Vec::with_capacity(changes.len() + width);
    let mut changes = changes.into_iter().peekable();
    for y in 0..next.area.height {
        let doubtful = doubtful
            .get(usize::from(y))
            .is_some_and(|doubtful| *doubtful);
        let mut touched = false;
        while let Some(change) = changes.next_if(|change| change.1 == y) {
            touched = true;
            if !doubtful && !relinked.contains(&y) {
                all.push(change);
            }
        }
        if doubtful && touched || relinked.contains(&y) {
            whole_row(next, y, &mut all);
        }
    }
    all
}

fn whole_row<'a>(next: &'a Buffer, y: u16, all: &mut Vec<Change<'a>>) {
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

/// Writes cells; after each doubtful one the cursor is placed anew, and around those that lead somewhere stands where.
fn paint(frame: &mut Vec<u8>, changes: &[Change], links: &[Hyperlink]) -> io::Result<()> {
    let leads = |(x, y, _): &Change| {
        let from = links.partition_point(|link| (link.y, link.end) <= (*y, *x));
        links.get(from).filter(|link| link.y == *y && link.x <= *x)
    };
    for run in changes.chunk_by(|one, next| leads(one) == leads(next)) {
        let link = run.first().and_then(leads);
        if let Some(link) = link {
            // The same id on every row: a terminal shows a link that was broken as one.
            let id = short_name(link.url.as_bytes());
            write!(frame, "\x1b]8;id={id:x};{}\x1b\\", link.url)?;
        }
        for run in run.split_inclusive(|(_, _, cell)| is_doubtful(cell)) {
            let mut terminal = CrosstermBackend::new(&mut *frame);
            terminal.draw(run.iter().copied())?;
        }
        if link.is_some() {
            write!(frame, "\x1b]8;;\x1b\\")?;
        }
    }
    Ok(())
}

/// A short name for a URL (FNV-1a).
fn short_name(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Gives the terminal back. What cannot be written any more has nobody to read it.
fn restore() {
    let mut out = io::stdout();
    if TITLED.swap(false, Ordering::Relaxed) {
        // A terminal without such a stack keeps what it can: an empty title is its own.
        let _ = execute!(out, SetTitle(""));
        let _ = out.write_all(TITLE_OF_BEFORE);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn link(x: u16, end: u16, url: &str) -> Hyperlink {
        Hyperlink {
            x,
            end,
            y: 0,
            url: url.into(),
        }
    }

    fn bytes(text: &str, links: &[Hyperlink]) -> String {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
        buf.set_string(0, 0, text, Style::default());
        let cells: Vec<Change> = (0..12).map(|x| (x, 0, &buf[(x, 0)])).collect();
        let mut frame = Vec::new();
        paint(&mut frame, &cells, links).expect("memory takes it");
        String::from_utf8(frame).expect("text")
    }

    #[test]
    fn a_link_is_opened_and_closed_around_its_cells() {
        let written = bytes("see a link x", &[link(4, 10, "https://a.example/")]);
        let (before, rest) = written.split_once("\x1b]8;id=").expect("it begins");
        let (inside, after) = rest.split_once("\x1b]8;;\x1b\\").expect("it ends");
        assert!(
            before.contains("see ") && after.contains(" x"),
            "{written:?}"
        );
        assert!(inside.contains(";https://a.example/\x1b\\"), "{inside:?}");
        assert!(inside.contains("a link"), "{inside:?}");
        assert!(!bytes("see a link x", &[]).contains("\x1b]8"));
    }

    #[test]
    fn neighbours_that_lead_elsewhere_are_two_links() {
        let links = [
            link(0, 3, "https://a.example/"),
            link(3, 6, "https://b.example/"),
        ];
        assert_eq!(bytes("onetwo", &links).matches("\x1b]8;id=").count(), 2);
    }

    #[test]
    fn a_row_whose_links_are_others_is_written_whole() {
        let buf = Buffer::empty(Rect::new(0, 0, 12, 2));
        let (one, other) = (
            link(0, 3, "https://a.example/"),
            link(0, 3, "https://b.example/"),
        );
        let rows = relinked(std::slice::from_ref(&one), &[other]);
        assert_eq!(changes(&buf, &buf, &rows).len(), 12);
        assert!(
            changes(
                &buf,
                &buf,
                &relinked(std::slice::from_ref(&one), std::slice::from_ref(&one))
            )
            .is_empty()
        );
    }
}
