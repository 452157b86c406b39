//! The loop, and the only place that waits or touches the terminal.
//!
//! Draw, wait for one of input, engine event, signal or tick, take all that is waiting, update, draw again.
//! Nothing ticks while nothing on the screen counts. A frame is one write inside a synchronized update,
//! and a frame that changes nothing writes nothing.

use std::future::poll_fn;
use std::io::{self, Write};
use std::process::Stdio;
use std::task::Poll;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as Input, EventStream, KeyEventKind, MouseButton, MouseEventKind,
};
use crossterm::style::{ResetColor, force_color_output};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};
use futures_util::StreamExt;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until, timeout};

use crate::engine::Client;
use crate::engine::protocol::{Command, Event};
use crate::model::{Clock, UiSettings};

use super::columns;
use super::keys::Key;
use super::model::{LookError, Model, Start};
use super::msg::{Effect, Mouse, MouseKind, Msg};
use super::say;
use super::theme::{Colours, Themes};
use super::{update, view};

/// What the reader is told besides the settings.
#[derive(Debug, Clone)]
pub struct TuiOptions {
    /// The time.
    pub clock: Clock,
    /// Path of `feeds.toml`, to be shown.
    pub list: String,
    /// No colours are wanted (`NO_COLOR`, `--color never`).
    pub plain: bool,
    /// Name and text of the files in the user's `themes/`.
    pub themes: Vec<(String, String)>,
    /// Sentences for the bottom line at the start: warnings of the settings, notices of the store.
    pub notices: Vec<String>,
}

/// Why the reader ended, other than by being told to.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The user's keys or theme.
    #[error(transparent)]
    Look(#[from] LookError),
    /// There is no terminal, or it went away.
    #[error(
        "the reader needs a terminal, and this one cannot be used: {0}; `tidings --refresh-only` works without"
    )]
    Terminal(#[source] io::Error),
    /// The engine is gone, though nobody told it to end.
    #[error(
        "the engine ended by itself; what was read and marked is stored, and tidings.log may say why"
    )]
    Engine,
}

/// Input that is taken in before the screen is drawn again.
const INPUT_AT_ONCE: usize = 64;

/// Events that are taken in before the screen is drawn again.
const EVENTS_AT_ONCE: usize = 2048;

/// How long the engine may take to hold still before a suspend.
const SUSPEND_LIMIT: Duration = Duration::from_secs(5);

/// How long the engine may take to end.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Runs the reader until it is quit, the engine stops, or a signal ends it. The terminal is as before afterwards,
/// also after a panic.
pub fn run(client: Client, settings: UiSettings, options: TuiOptions) -> Result<(), TuiError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(TuiError::Terminal)?;
    let hook = PanicHook::install();
    let ended = runtime.block_on(session(client, settings, options));
    drop(hook);
    // A browser that never ends must not keep the reader.
    runtime.shutdown_background();
    ended
}

async fn session(
    client: Client,
    settings: UiSettings,
    options: TuiOptions,
) -> Result<(), TuiError> {
    let mut model = Model::new(Start {
        now: (options.clock)(),
        zone: say::local,
        list: options.list,
        size: size().map_err(TuiError::Terminal)?,
        themes: Themes {
            own: options.themes,
            colours: colours(options.plain),
        },
        settings,
    })?;
    for notice in options.notices {
        model.say(notice);
    }
    // crossterm obeys NO_COLOR by itself, also where `--color always` has overruled it.
    force_color_output(!options.plain);
    let screen = Screen::enter(model.settings.mouse).map_err(TuiError::Terminal)?;
    let (trouble, troubles) = unbounded_channel();
    let mut reader = Reader {
        client,
        screen,
        input: EventStream::new(),
        signals: Signals::new().map_err(TuiError::Terminal)?,
        clock: options.clock,
        trouble,
        troubles,
    };
    let ended = reader.turn(&mut model).await;
    reader.screen.leave();
    reader.stop().await;
    match ended {
        Ok(End::Quit) => Ok(()),
        Ok(End::Engine) => Err(TuiError::Engine),
        Err(error) => Err(TuiError::Terminal(error)),
    }
}

fn colours(plain: bool) -> Colours {
    if plain {
        return Colours::None;
    }
    let variable = |name| std::env::var(name).unwrap_or_default();
    Colours::promised(&variable("TERM"), &variable("COLORTERM"))
}

/// Whether the loop goes on.
#[derive(PartialEq)]
enum Turn {
    On,
    End,
}

/// Why the loop ended.
enum End {
    /// The user, a signal, or the end of the terminal.
    Quit,
    /// The engine is gone.
    Engine,
}

/// What the loop waited for.
enum Woken {
    /// Something happened, or it is time to draw again.
    By(Option<Msg>),
    /// It is the end.
    Over(End),
}

struct Reader {
    client: Client,
    screen: Screen,
    input: EventStream,
    signals: Signals,
    clock: Clock,
    trouble: UnboundedSender<String>,
    troubles: UnboundedReceiver<String>,
}

impl Reader {
    async fn turn(&mut self, model: &mut Model) -> io::Result<End> {
        let effects = update::start(model);
        let mut turn = self.carry_out(model, effects).await?;
        while turn == Turn::On {
            self.screen.draw(model)?;
            let first = match self.wait(model).await? {
                Woken::By(first) => first,
                Woken::Over(end) => return Ok(end),
            };
            let mut messages = vec![Msg::Tick((self.clock)())];
            messages.extend(first);
            self.take_waiting(&mut messages).await?;
            let effects = update::update_all(model, messages);
            turn = self.carry_out(model, effects).await?;
        }
        Ok(End::Quit)
    }

    /// Waits for one thing to happen.
    async fn wait(&mut self, model: &Model) -> io::Result<Woken> {
        let tick = view::next_tick(model).map(|after| Instant::now() + after);
        let ticking = async {
            match tick {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            input = self.input.next() => match input {
                Some(input) => Ok(Woken::By(message(&input?))),
                None => Ok(Woken::Over(End::Quit)),
            },
            event = self.client.recv() => Ok(match event {
                Some(event) => Woken::By(Some(Msg::Engine(event))),
                None => Woken::Over(End::Engine),
            }),
            text = self.troubles.recv() => Ok(Woken::By(text.map(Msg::Trouble))),
            signal = self.signals.next() => match signal {
                Signal::End => Ok(Woken::Over(End::Quit)),
                Signal::Continued => {
                    self.screen.come_back()?;
                    Ok(Woken::By(resized()))
                }
            },
            () = ticking => Ok(Woken::By(None)),
        }
    }

    /// Takes what is there without waiting.
    async fn take_waiting(&mut self, messages: &mut Vec<Msg>) -> io::Result<()> {
        for _ in 0..INPUT_AT_ONCE {
            // With the waker of this very task: a stream polled with another one would never wake it again.
            let input = poll_fn(|cx| match self.input.poll_next_unpin(cx) {
                Poll::Ready(input) => Poll::Ready(input),
                Poll::Pending => Poll::Ready(None),
            });
            match input.await {
                Some(input) => messages.extend(message(&input?)),
                None => break,
            }
        }
        for _ in 0..EVENTS_AT_ONCE {
            match self.client.try_recv() {
                Some(event) => messages.push(Msg::Engine(event)),
                None => break,
            }
        }
        Ok(())
    }

    async fn carry_out(&mut self, model: &mut Model, effects: Vec<Effect>) -> io::Result<Turn> {
        for effect in effects {
            match effect {
                Effect::Send(command) => self.client.send(command),
                Effect::OpenUrl(url) => self.open(&model.settings.browser, url),
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::Redraw => self.screen.forget(),
                Effect::Suspend => self.suspend(model).await?,
                Effect::Quit => return Ok(Turn::End),
            }
        }
        Ok(Turn::On)
    }

    /// Opens a URL beside the loop; what goes wrong comes back as a message.
    fn open(&self, browser: &[String], url: String) {
        let browser = browser.to_vec();
        let trouble = self.trouble.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(text) = open_url(&browser, &url) {
                // The reader may be gone by now.
                let _ = trouble.send(text);
            }
        });
    }

    /// Ctrl-Z: the engine holds still, the shell gets the terminal, and after `fg` all goes on.
    async fn suspend(&mut self, model: &mut Model) -> io::Result<()> {
        self.client.send(Command::Suspend);
        let mut missed = Vec::new();
        // A slow disk must not take the keyboard away for ever.
        let held = timeout(SUSPEND_LIMIT, async {
            while let Some(event) = self.client.recv().await {
                if event == Event::Suspended {
                    return;
                }
                missed.push(Msg::Engine(event));
            }
        });
        // Late or not, the shell gets its terminal: SIGTSTP stops every thread.
        let _ = held.await;
        self.screen.leave();
        stop_process();
        self.screen.come_back()?;
        self.client.send(Command::Resume);
        missed.push(Msg::Tick((self.clock)()));
        missed.extend(resized());
        let effects = update::update_all(model, missed);
        for effect in effects {
            if let Effect::Send(command) = effect {
                self.client.send(command);
            }
        }
        Ok(())
    }

    /// Ends the engine. The screen was left before, so that the shell is there at once.
    async fn stop(&mut self) {
        self.client.send(Command::Shutdown);
        let stopped = timeout(STOP_LIMIT, async {
            while let Some(event) = self.client.recv().await {
                if event == Event::Stopped {
                    return;
                }
            }
        });
        if stopped.await.is_err() {
            tracing::warn!("the engine did not end in time");
        }
    }
}

/// What an input means; `None` where it means nothing.
fn message(input: &Input) -> Option<Msg> {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => Some(Msg::Key(Key::of(key))),
        Input::Paste(text) => Some(Msg::Paste(text.clone())),
        Input::Resize(width, height) => Some(Msg::Resized(*width, *height)),
        Input::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                _ => return None,
            };
            Some(Msg::Mouse(Mouse {
                x: mouse.column,
                y: mouse.row,
                kind,
            }))
        }
        _ => None,
    }
}

fn resized() -> Option<Msg> {
    let (width, height) = size().ok()?;
    Some(Msg::Resized(width, height))
}

/// Opens `url` with the user's argument vector (`%u` stands for the URL, else it comes last) or the system's own way.
/// Never through a shell.
fn open_url(browser: &[String], url: &str) -> Result<(), String> {
    let Some((program, arguments)) = browser.split_first() else {
        // Its error is a list of exit codes of launchers that a person never heard of.
        return open::that_detached(url).map_err(|error| {
            tracing::warn!("{error}");
            format!("no browser could be started for {url}; `browser` in config.toml names one")
        });
    };
    let mut command = std::process::Command::new(program);
    let mut placed = false;
    for argument in arguments {
        placed |= argument.contains("%u");
        command.arg(argument.replace("%u", url));
    }
    if !placed {
        command.arg(url);
    }
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!(
            "`{program}` ended with {status}; `browser` in config.toml names it"
        ))
    }
}

/// The terminal while the reader has it, and what it shows.
struct Screen {
    /// What is on the screen; `None` when that is not known.
    shown: Option<Buffer>,
    cursor: Option<Position>,
    bytes: Vec<u8>,
    mouse: bool,
}

impl Screen {
    fn enter(mouse: bool) -> io::Result<Self> {
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
    fn come_back(&mut self) -> io::Result<()> {
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

    fn leave(&mut self) {
        restore();
        self.forget();
    }

    /// What is on the screen is not known any more: the next frame is drawn whole.
    fn forget(&mut self) {
        self.shown = None;
        self.cursor = None;
    }

    /// Draws a frame: one write of what changed, nothing where nothing did.
    fn draw(&mut self, model: &Model) -> io::Result<()> {
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
    fn copy(&mut self, text: &str) -> io::Result<()> {
        self.bytes.clear();
        queue!(self.bytes, CopyToClipboard::to_clipboard_from(text))?;
        write_out(&self.bytes)
    }
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
struct PanicHook;

impl PanicHook {
    fn install() -> Self {
        let screen = std::thread::current().id();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == screen {
                restore();
                before(panic);
            } else {
                tracing::error!("{panic}");
            }
        }));
        Self
    }
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // The hook before it lies inside of it: the default one takes its place.
            let _ = std::panic::take_hook();
        }
    }
}

/// What a signal means here.
enum Signal {
    /// SIGTERM, SIGHUP, SIGINT from outside: the end, in order.
    End,
    /// SIGCONT: somebody stopped the process and let it go on; the terminal may have changed meanwhile.
    Continued,
}

#[cfg(unix)]
struct Signals {
    term: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    cont: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let cont = rustix::process::Signal::CONT.as_raw();
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            cont: signal(SignalKind::from_raw(cont))?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::End,
            _ = self.hup.recv() => Signal::End,
            _ = self.int.recv() => Signal::End,
            _ = self.cont.recv() => Signal::Continued,
        }
    }
}

/// Stops this process as Ctrl-Z would in a cooked terminal: with everything else in the foreground.
#[cfg(unix)]
fn stop_process() {
    use rustix::process::{Signal, kill_current_process_group};
    if let Err(error) = kill_current_process_group(Signal::TSTP) {
        tracing::warn!("the process could not be stopped: {error}");
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        // Closing the window ends the process by itself.
        let _ = tokio::signal::ctrl_c().await;
        Signal::End
    }
}

/// There is no shell to go back to.
#[cfg(not(unix))]
fn stop_process() {}
