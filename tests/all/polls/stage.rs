//! Where a scenario is played: a home, its servers, and the answers as bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::script::{Answer, Answers, Deed, Script};
use crate::support::{Gate, Identity, Reply, Server};

/// A home with its servers.
pub struct Stage {
    home: TempDir,
    /// In the order of the script.
    pub servers: Vec<(String, Server)>,
    /// What a held answer waits for.
    pub gate: Gate,
}

impl Stage {
    /// Sets the stage: nothing has been run yet.
    pub fn set(script: &Script) -> Self {
        let identity = Identity::for_names(&["127.0.0.1"]);
        let servers = script.servers.iter().map(|name| {
            let server = if script.secure.contains(name) {
                Server::start_tls(&identity)
            } else {
                Server::start()
            };
            (name.clone(), server)
        });
        let stage = Self {
            servers: servers.collect(),
            home: tempfile::tempdir().expect("a temporary directory"),
            gate: Gate::new(),
        };
        stage.write("ca.pem", &identity.pem);
        stage.write("config/config.toml", &stage.filled(&script.config));
        let mut list = script
            .feeds_toml
            .as_deref()
            .map_or_else(String::new, |t| stage.filled(t));
        for feed in &script.feeds {
            let _ = writeln!(list, "[[feed]]\nurl = {:?}", stage.url(feed));
        }
        if !list.is_empty() {
            stage.write("config/feeds.toml", &list);
        }
        for (name, text) in &script.files {
            stage.write(name, &stage.filled(text));
        }
        stage
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("below home")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.path().join(below)
    }

    /// The binary, at home here.
    pub fn command(&self, line: &str) -> Command {
        let line = self.filled(line);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command
            .args(line.split_whitespace())
            .current_dir(self.home.path())
            .env_clear()
            .env("HOME", self.home.path())
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("TIDINGS_CONFIG_DIR", self.path("config"))
            .env("TIDINGS_DATA_DIR", self.path("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The text with what its braces stand for.
    pub fn filled(&self, text: &str) -> String {
        let mut text = text
            .replace("{closed}", "http://127.0.0.1:1")
            .replace("{version}", env!("CARGO_PKG_VERSION"))
            .replace("{home}", &self.home.path().to_string_lossy());
        for (name, server) in &self.servers {
            text = text
                .replace(&format!("{{{name}}}"), &server.url(""))
                .replace(&format!("{{@{name}}}"), &server.address().to_string());
        }
        text
    }

    /// The URL of a feed as scripts name it.
    pub fn url(&self, feed: &str) -> String {
        if feed.contains("://") || feed.starts_with('{') {
            return self.filled(feed);
        }
        let (server, path) = self.place(feed);
        server.url(path)
    }

    /// The server and the target of a feed.
    pub fn place<'a>(&self, feed: &'a str) -> (&Server, &'a str) {
        let named = feed.split_once(':').filter(|_| !feed.starts_with('/'));
        let (name, path) = named.unwrap_or((&self.servers[0].0, feed));
        let found = self.servers.iter().find(|(known, _)| known == name);
        let (_, server) = found.unwrap_or_else(|| panic!("no server {name} for {feed}"));
        (server, path)
    }

    /// From now on the servers answer like this, and remember only what comes from now on.
    pub fn script(&self, answers: &BTreeMap<String, Answers>) {
        for (feed, answers) in answers {
            let (server, path) = self.place(feed);
            let list = match answers {
                Answers::One(answer) => std::slice::from_ref(&**answer),
                Answers::Many(list) => list,
            };
            let replies = list.iter().map(|answer| self.reply(answer)).collect();
            server.script(path, replies);
        }
        for (_, server) in &self.servers {
            server.forget();
        }
    }

    fn reply(&self, answer: &Answer) -> Reply {
        let mut body = self.body(answer);
        let mut reply = Reply::new(answer.status);
        for line in &answer.head {
            let line = latin1(&self.filled(line));
            let colon = line.iter().position(|byte| *byte == b':').expect("a colon");
            let value = line[colon + 1..].strip_prefix(b" ");
            reply = reply.header(&line[..colon], value.unwrap_or(&line[colon + 1..]));
        }
        if answer.entries.is_some() {
            reply = reply.header("Content-Type", "application/rss+xml");
        }
        if answer.does == Some(Deed::Bomb) {
            body = bomb();
            reply = reply.header("Content-Encoding", "gzip");
        }
        if let Some(coding) = &answer.coding {
            body = coded(coding, &body);
            reply = reply.header("Content-Encoding", coding.trim_start_matches("raw-"));
        }
        if answer.status == 304 && answer.text.is_none() && answer.does.is_none() {
            reply = reply.without_length();
        }
        reply = match answer.does {
            None | Some(Deed::Bomb) => reply.body(body),
            Some(Deed::Hold) => reply.body(body).body_held(&self.gate),
            Some(Deed::Reset) => Reply::reset(),
            Some(Deed::HangUp) => Reply::hang_up(),
            Some(Deed::Silence) => Reply::silence(),
            Some(Deed::Drip) => reply.trickle(body, Duration::from_millis(200)),
            Some(Deed::Endless) => reply.endless(body),
            Some(Deed::Raw) => Reply::raw(body),
            Some(Deed::RawKept) => Reply::raw_kept(body),
        };
        if let Some(length) = answer.length {
            reply = reply.claiming(length).then_close();
        }
        if let Some(size) = answer.chunked {
            reply = reply.chunked(size);
        }
        if answer.closes {
            reply = reply.then_close();
        }
        if answer.unfinished {
            reply = reply.unfinished(7);
        }
        match answer.cut {
            Some(bytes) => reply.cut_after(bytes),
            None => reply,
        }
    }

    fn body(&self, answer: &Answer) -> Vec<u8> {
        if let Some(text) = &answer.text {
            return self.filled(text).into_bytes();
        }
        let Some(entries) = &answer.entries else {
            return Vec::new();
        };
        let every = answer.every.as_deref().map(span);
        let newest = answer.newest.as_deref().map(span).or(every);
        let mut items = String::new();
        for (at, entry) in entries.iter().enumerate() {
            let (id, title) = entry.split_once(": ").unwrap_or((entry, entry));
            let date = newest.map_or_else(String::new, |newest| {
                let age = newest + every.unwrap_or_default() * at as u32;
                let date = httpdate::fmt_http_date(SystemTime::now() - age);
                format!("<pubDate>{date}</pubDate>")
            });
            let _ = write!(
                items,
                "<item><guid>{id}</guid><title>{title}</title>{date}{}</item>",
                answer.item
            );
        }
        let pad = match answer.pad {
            0 => String::new(),
            bytes => format!("<!--{}-->", noise(bytes)),
        };
        format!(
            "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>The Feed</title>{}{pad}{items}</channel></rss>",
            self.filled(&answer.channel)
        )
        .into_bytes()
    }
}

/// A span of time.
pub fn span(text: &str) -> Duration {
    humantime::parse_duration(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Letters that do not repeat soon.
fn noise(bytes: usize) -> String {
    let mut state = 1_u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    };
    (0..bytes).map(|_| letter()).collect()
}

/// Each character as one byte.
pub fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("a character up to U+00FF"))
        .collect()
}

fn coded(coding: &str, body: &[u8]) -> Vec<u8> {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    let level = Compression::default();
    let done = match coding {
        "gzip" | "x-gzip" => {
            let mut coder = GzEncoder::new(Vec::new(), level);
            coder.write_all(body).and_then(|()| coder.finish())
        }
        "deflate" => {
            let mut coder = ZlibEncoder::new(Vec::new(), level);
            coder.write_all(body).and_then(|()| coder.finish())
        }
        "raw-deflate" => {
            let mut coder = DeflateEncoder::new(Vec::new(), level);
            coder.write_all(body).and_then(|()| coder.finish())
        }
        "zstd" => zstd::encode_all(body, 3),
        other => panic!("no coder for {other}"),
    };
    done.expect("a vector takes it")
}

fn bomb() -> Vec<u8> {
    coded("gzip", &vec![b' '; 64 << 20])
}
