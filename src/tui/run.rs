//! The loop: with the files below it the only place that waits or touches the terminal.
//!
//! Draw, wait for one of input, engine event, signal or tick, take all that is waiting, update, draw again.
//! Nothing ticks while nothing on the screen counts. A frame is one write inside a synchronized update,
//! and a frame that changes nothing writes nothing. Before each frame the terminal is asked for its size: what a
//! signal or an event said of it may be old by then.

mod browser;
mod program;
mod screen;
mod signals;
mod terminal;

use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::task::Poll;
use std::time::Duration;

use crossterm::event::{Event as Input, EventStream, KeyEventKind, MouseButton, MouseEventKind};
use crossterm::style::force_color_output;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until, timeout};

use crate::engine::Client;
use crate::engine::protocol::{Command, Event};
use crate::model::{Clock, Hyperlinks, UiSettings};

use super::keys::Key;
use super::model::{LookError, Model, Start, Visit};
use super::msg::{Effect, Mouse, MouseKind, Msg};
use super::programs::{Program, Stage};
use super::say;
use super::theme::{Colours, Themes};
use super::{update, view};
use screen::{PanicHook, Screen};
use signals::{Signal, Signals, stop_process};

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
    /// What is known of earlier sessions.
    pub memory: Memory,
}

/// What the reader remembers of earlier sessions, and how it keeps more.
#[derive(Debug, Clone)]
pub struct Memory {
    /// Whether somebody has opened the reader here before.
    pub visit: Visit,
    /// Lines typed at `:`, oldest first.
    pub lines: Vec<String>,
    /// Where they lie.
    pub file: PathBuf,
    /// Adds one there; a sentence where that fails.
    pub add: fn(&Path, &str) -> Result<(), String>,
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

/// How long the size is watched after it changed, and how often: a signal may come before the size it tells of.
const SETTLING: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(200);

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
        size: crossterm::terminal::size().map_err(TuiError::Terminal)?,
        themes: Themes {
            own: options.themes,
            colours: colours(options.plain),
        },
        settings,
        visit: options.memory.visit,
        history: options.memory.lines.clone(),
    })?;
    let wrong = update::check_macros(&model.settings, &model.keymap, &model.themes);
    if let Some((line, message)) = wrong.into_iter().next() {
        return Err(LookError::Macro { line, message }.into());
    }
    for notice in options.notices {
        model.say(notice);
    }
    // crossterm obeys NO_COLOR by itself, also where `--color always` has overruled it.
    force_color_output(!options.plain);
    let screen = Screen::enter(&model.settings, has_links(model.settings.hyperlinks))
        .map_err(TuiError::Terminal)?;
    let (trouble, troubles) = unbounded_channel();
    let mut reader = Reader {
        client,
        screen,
        input: Some(EventStream::new()),
        signals: Signals::new().map_err(TuiError::Terminal)?,
        clock: options.clock,
        memory: options.memory,
        trouble,
        troubles,
        resized: None,
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

/// Whether links of an article are links of the terminal.
fn has_links(wanted: Hyperlinks) -> bool {
    match wanted {
        Hyperlinks::Always => true,
        Hyperlinks::Never => false,
        Hyperlinks::Auto => terminal::has_links(|name| std::env::var(name).ok()),
    }
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
    /// `None` while a program has the terminal: its keys are its own.
    input: Option<EventStream>,
    signals: Signals,
    clock: Clock,
    memory: Memory,
    trouble: UnboundedSender<String>,
    troubles: UnboundedReceiver<String>,
    /// When the terminal was last seen to change its size, or said so.
    resized: Option<Instant>,
}

impl Reader {
    async fn turn(&mut self, model: &mut Model) -> io::Result<End> {
        let effects = update::start(model);
        let mut turn = self.carry_out(model, effects).await?;
        while turn == Turn::On {
            turn = self.measure(model).await?;
            self.screen.draw(model)?;
            if turn == Turn::End {
                break;
            }
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

    /// Takes the size that the terminal has now, whatever was heard of it.
    async fn measure(&mut self, model: &mut Model) -> io::Result<Turn> {
        match screen::size() {
            Some(size) if size != model.size => {
                self.resized = Some(Instant::now());
                let effects = update::update(model, Msg::Resized(size.0, size.1));
                self.carry_out(model, effects).await
            }
            _ => Ok(Turn::On),
        }
    }

    /// When to look again without anything happening.
    fn next_tick(&mut self, model: &Model) -> Option<Instant> {
        let now = Instant::now();
        self.resized = self.resized.filter(|at| now - *at < SETTLING);
        let settling = self.resized.map(|_| LOOK_AGAIN);
        let ticks = view::next_tick(model).into_iter().chain(settling);
        ticks.min().map(|after| now + after)
    }

    /// Waits for one thing to happen.
    async fn wait(&mut self, model: &Model) -> io::Result<Woken> {
        let tick = self.next_tick(model);
        let ticking = async {
            match tick {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            input = next_input(self.input.as_mut()) => match input {
                Some(input) => Ok(Woken::By(message(&input?))),
                None => Ok(Woken::Over(End::Quit)),
            },
            event = self.client.recv() => Ok(match event {
                Some(event) => Woken::By(Some(Msg::Engine(event))),
                None => Woken::Over(End::Engine),
            }),
            text = self.troubles.recv() => Ok(Woken::By(text.map(Msg::Trouble))),
            signal = self.signals.next() => match signal {
                Signal::End | Signal::Interrupted => Ok(Woken::Over(End::Quit)),
                Signal::Continued => {
                    self.screen.come_back()?;
                    self.resized = Some(Instant::now());
                    Ok(Woken::By(None))
                }
                Signal::Resized => {
                    self.resized = Some(Instant::now());
                    Ok(Woken::By(None))
                }
            },
            () = ticking => Ok(Woken::By(None)),
        }
    }

    /// Takes what is there without waiting.
    async fn take_waiting(&mut self, messages: &mut Vec<Msg>) -> io::Result<()> {
        for _ in 0..INPUT_AT_ONCE {
            // With the waker of this very task: a stream polled with another one would never wake it again.
            let Some(stream) = self.input.as_mut() else {
                break;
            };
            let input = poll_fn(|cx| match stream.poll_next_unpin(cx) {
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
                Effect::Run(program) if program.stage == Stage::Beside => self.run_beside(program),
                Effect::Run(program) => {
                    if self.hand_over(model, program).await? == Turn::End {
                        return Ok(Turn::End);
                    }
                }
                Effect::Keep(line) => {
                    if let Err(why) = (self.memory.add)(&self.memory.file, &line) {
                        // Nobody needs to be told at every command.
                        tracing::warn!("{why}");
                    }
                }
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
            let variable = std::env::var_os("BROWSER");
            if let Err(text) = browser::open(&browser, variable.as_deref(), &url) {
                // The reader may be gone by now.
                let _ = trouble.send(text);
            }
        });
    }

    /// Runs a program beside the loop; what goes wrong comes back as a message.
    fn run_beside(&self, program: Program) {
        let trouble = self.trouble.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(text) = program::run(program) {
                // The reader may be gone by now.
                let _ = trouble.send(text);
            }
        });
    }

    /// Gives a program the terminal and its keys, and takes both back when it has ended. The engine goes on meanwhile; what
    /// it says waits. Ctrl-C is the program's.
    async fn hand_over(&mut self, model: &mut Model, program: Program) -> io::Result<Turn> {
        // The stream reads on a thread of its own: it would take the program's keys.
        self.input = None;
        self.screen.leave();
        let running = tokio::task::spawn_blocking(move || program::run(program));
        tokio::pin!(running);
        let ended = loop {
            tokio::select! {
                ended = &mut running => break ended,
                signal = self.signals.next() => if matches!(signal, Signal::End) {
                    return Ok(Turn::End);
                },
            }
        };
        self.screen.come_back()?;
        self.input = Some(EventStream::new());
        self.resized = Some(Instant::now());
        model.now = (self.clock)();
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(text)) => model.fail(text),
            Err(error) => tracing::error!("a program could not be waited for: {error}"),
        }
        Ok(Turn::On)
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
        self.resized = Some(Instant::now());
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

/// The next input; never, while a program has the terminal.
async fn next_input(stream: Option<&mut EventStream>) -> Option<io::Result<Input>> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// What an input means; `None` where it means nothing.
fn message(input: &Input) -> Option<Msg> {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => Some(Msg::Key(Key::of(key))),
        Input::Paste(text) => Some(Msg::Paste(text.clone())),
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
