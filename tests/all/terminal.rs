//! The binary in a pseudo-terminal: a reading session, and a terminal that is as it was afterwards.
#![cfg(unix)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::support::{Reply, Server};

/// Far more than anything here takes; a test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

const SIZE: PtySize = PtySize {
    rows: 30,
    cols: 110,
    pixel_width: 0,
    pixel_height: 0,
};

/// A program on a terminal, and what is on its screen.
struct Session {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    dir: tempfile::TempDir,
}

fn least_one(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap_or(NonZero::<u16>::MIN)
}

fn parser(rows: u16, cols: u16) -> vt100::Parser {
    vt100::Parser::new(least_one(rows), least_one(cols), 0)
}

impl Session {
    /// `tidings` with these arguments, in directories of its own.
    fn start(arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().expect("a directory"), arguments)
    }

    /// With one feed of two entries, both unread.
    fn with_a_feed(server: &Server) -> Self {
        Self::configured(server, "")
    }

    /// The same, with these settings.
    fn configured(server: &Server, settings: &str) -> Self {
        let items = ["First words", "Second words"]
            .map(|title| format!("<item><guid>{title}</guid><title>{title}</title></item>"));
        let feed = format!(
            "<rss version=\"2.0\"><channel><title>Small Feed</title>{}</channel></rss>",
            items.concat()
        );
        server.serve("/feed", Reply::ok(feed));
        let dir = tempfile::tempdir().expect("a directory");
        let config = dir.path().join("CONFIG");
        std::fs::create_dir(&config).expect("a directory");
        let list = format!("[[feed]]\nurl = \"{}\"\n", server.url("/feed"));
        std::fs::write(config.join("feeds.toml"), list).expect("a list");
        std::fs::write(config.join("config.toml"), settings).expect("settings");
        let session = Self::start_in(dir, &[]);
        session.shows("First words");
        session
    }

    /// A file of the user, or of tidings.
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn start_in(dir: tempfile::TempDir, arguments: &[&str]) -> Self {
        let pair = native_pty_system().openpty(SIZE).expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tidings"));
        command.args(arguments);
        for name in ["CONFIG", "DATA", "STATE"] {
            command.env(format!("TIDINGS_{name}_DIR"), dir.path().join(name));
        }
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        let child = pair.slave.spawn_command(command).expect("the binary");
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(parser(SIZE.rows, SIZE.cols)));
        let mut output = pair.master.try_clone_reader().expect("its output");
        let shown = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown.lock().expect("a screen").process(&bytes[..count]);
            }
        });
        Self {
            child,
            keyboard: pair.master.take_writer().expect("its input"),
            master: pair.master,
            screen,
            dir,
        }
    }

    fn text(&self) -> String {
        self.screen.lock().expect("a screen").screen().contents()
    }

    /// Waits until the screen is as wanted.
    fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        while !wanted(&self.text()) {
            assert!(begun.elapsed() < PATIENCE, "{what}:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    fn resize(&self, cols: u16, rows: u16) {
        let mut screen = self.screen.lock().expect("a screen");
        screen
            .screen_mut()
            .set_size(least_one(rows), least_one(cols));
        let size = PtySize { cols, rows, ..SIZE };
        self.master.resize(size).expect("a resize");
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("a key");
    }

    /// Waits for the end and checks that the terminal was given back.
    fn ends(&mut self) -> u32 {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "it does not end:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(10));
        };
        self.until("the terminal is given back", |_| {
            let screen = self.screen.lock().expect("a screen");
            let screen = screen.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        status.exit_code()
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().expect("it runs").to_string();
        let kill = std::process::Command::new("kill")
            .args([name, &id])
            .status();
        assert!(kill.expect("kill").success());
    }
}

#[test]
fn a_newcomer_is_told_how_to_begin() {
    let mut session = Session::start(&[]);
    session.shows("have no feeds yet");
    session.press("?");
    session.shows("Help");
    session.press("\u{1b}");
    session.shows("have no feeds yet");
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn an_evening_of_reading() {
    let mut session = Session::start(&["demo"]);
    session.shows("Minute by Minute");
    session.shows("What a 304 says, and what it saves");
    session.press("/a 304 says\r");
    session.until("the search narrows", |text| {
        !text.contains("The room behind the shell")
    });
    session.press("\r");
    session.shows("The Conditional GET ·");
    session.press("*");
    session.shows("★");
    session.press("\u{1b}");
    session.until("the article closes", |text| {
        !text.contains("The Conditional GET ·")
    });
    session.press("\u{1b}");
    session.shows("The room behind the shell");
    session.press("A");
    session.shows("u takes it back");
    session.press("u");
    session.shows("took back the marks of");
    session.press("s");
    session.shows("hosts  log");
    session.shows("rule");
    session.press("\r");
    session.shows("outcome");
    session.press("qq");
    session.shows("The room behind the shell");
    session.press(":theme light\r");
    session.shows("theme light");
    session.resize(50, 15);
    session.until("one pane is left", |text| !text.contains("Starred"));
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_signal_ends_the_reader_and_gives_the_terminal_back() {
    for signal in ["-TERM", "-HUP"] {
        let mut session = Session::start(&[]);
        session.shows("have no feeds yet");
        session.signal(signal);
        assert_eq!(session.ends(), 0, "{signal}");
    }
}

#[test]
fn the_size_of_a_stamp_is_no_reason_to_die() {
    let mut session = Session::start(&["demo"]);
    session.shows("Minute by Minute");
    for (cols, rows) in [(1, 1), (2, 5), (300, 2), (110, 30)] {
        session.resize(cols, rows);
        session.press("j");
    }
    session.shows("Minute by Minute");
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_key_that_comes_with_a_change_of_size_is_not_lost() {
    let mut session = Session::start(&["demo"]);
    session.shows("Minute by Minute");
    for round in 0..40 {
        session.resize(110 + round % 2, 30);
        session.press("?");
        session.shows("┌ Help");
        session.resize(100 + round % 2, 28);
        session.press("?");
        session.until("the help closes", |text| !text.contains("┌ Help"));
    }
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_list_that_is_deleted_is_missed_and_the_last_good_one_stays() {
    let server = Server::start();
    let mut session = Session::with_a_feed(&server);
    let (list, aside) = (session.path("CONFIG/feeds.toml"), session.path("aside"));
    std::fs::rename(&list, &aside).expect("moved away");
    session.shows("the last good list stays");
    session.shows("Small Feed");
    std::fs::rename(&aside, &list).expect("moved back");
    session.shows("feeds.toml is in use again");
    session.shows("Small Feed");
    // An empty file is an answer.
    std::fs::write(&list, "").expect("emptied");
    session.until("the feed goes", |text| !text.contains("Small Feed"));
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_store_that_is_deleted_under_the_reader_is_noticed_and_marks_nothing() {
    let server = Server::start();
    let mut session = Session::with_a_feed(&server);
    let (store, aside) = (session.path("DATA/tidings.redb"), session.path("aside"));
    std::fs::rename(&store, &aside).expect("moved away");
    session.shows("the store is lost");
    session.press("lm");
    session.shows("the marks could not be stored");
    session.press("R");
    session.shows("nothing was asked");
    std::fs::rename(&aside, &store).expect("moved back");
    session.press("h");
    session.shows("the store is back");
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_program_gets_the_terminal_and_gives_it_back() {
    let server = Server::start();
    let editor = r#"editor = ["sh", "-c", "echo THE EDITOR; head -1 $1; read line; echo $line > $1.typed; mv $1.typed TYPED", "sh"]"#;
    let aside = tempfile::tempdir().expect("a directory");
    let typed = aside.path().join("typed");
    let settings = editor.replace("TYPED", &typed.display().to_string());
    let mut session = Session::configured(&server, &settings);
    session.press("l\r");
    session.shows("Small Feed ·");
    session.press("E");
    session.shows("THE EDITOR");
    session.shows("# Second words");
    // Every key is the program's, also those that mean something to the reader.
    session.press("q?s\r");
    session.shows("Small Feed ·");
    assert_eq!(
        std::fs::read_to_string(&typed).expect("it read a line"),
        "q?s\n"
    );
    session.press("|");
    session.shows("| ");
    session.press("sh -c 'tr a-z A-Z; exit 3'\r");
    session.shows("# SECOND WORDS");
    session.shows("ended with exit status: 3");
    session.press("\r");
    session.shows("Small Feed ·");
    session.press("|");
    session.shows("| sh -c");
    // Together with the next key Esc would be Alt.
    session.press("\u{1b}");
    session.until("the line is dropped", |text| !text.contains("| sh -c"));
    session.press("?");
    session.shows("┌ Help");
    session.press("qq");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_program_that_hangs_is_left_with_its_own_key() {
    let server = Server::start();
    // Nothing that is started anew: a signal could come between its fork and its first step, and be lost.
    let settings = r#"editor = ["sh", "-c", "echo IT HANGS; read line; read line"]"#;
    let mut session = Session::configured(&server, settings);
    session.press("l\r");
    session.shows("Small Feed ·");
    session.press("E");
    session.shows("IT HANGS");
    session.press("\u{3}");
    session.shows("`sh` ended with signal: 2");
    session.press("q");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_player_that_is_not_there_is_one_sentence() {
    let server = Server::start();
    let mut session = Session::configured(&server, "player = \"/no/such/player\"");
    session.press("le");
    session.shows("nothing is attached to this entry");
    session.press("q");
    assert_eq!(session.ends(), 0);
}
