//! How fast feeds are read beside `feed_rs` alone, over the files from 100 KB on in the directories named:
//! `RUSTFLAGS="--cfg fuzzing" cargo run --release --example throughput -- DIR…`
//!
//! A line for each file that `feed_rs` reads by itself: its time over that of decode, repair and `feed_rs` together (the goal
//! is 0.7), its time over that of all of `parse` (cleaning, links and hashes as well), bytes, entries, path.

use std::hint::black_box;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use feed_rs::parser::{self, Builder};
use tidings::parse::{self, fuzzing};

const BASE: &str = "https://a.example/feed";
const LARGE: u64 = 100_000;
const ROUNDS: usize = 9;

fn main() {
    let mut paths = Vec::new();
    for dir in std::env::args_os().skip(1) {
        large_files(dir.as_ref(), &mut paths);
    }
    paths.sort();
    for path in paths {
        if let Ok(bytes) = std::fs::read(&path) {
            measure(&path, &bytes);
        }
    }
}

fn large_files(dir: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            large_files(&path, into);
        } else if entry.metadata().is_ok_and(|known| known.len() >= LARGE) {
            into.push(path);
        }
    }
}

fn measure(path: &Path, bytes: &[u8]) {
    // It panics on some.
    let Ok(Ok(feed)) = catch_unwind(|| parser::parse(bytes)) else {
        return;
    };
    let parser = Builder::new()
        .sanitize_content(false)
        .id_generator(|_, _, _| String::new())
        .build();
    let alone = best(|| parser::parse(bytes).is_ok());
    let steps = best(|| {
        let text = fuzzing::decode(bytes, None);
        let documents = fuzzing::repair(&text, BASE).unwrap_or_default();
        let read = |(_, document): &(usize, String)| parser.parse(document.as_bytes()).is_ok();
        documents.iter().filter(|document| read(document)).count()
    });
    let whole = best(|| parse::parse(bytes, None, BASE).is_ok());
    println!(
        "{:.2} {:.2} {} {} {}",
        alone / steps,
        alone / whole,
        bytes.len(),
        feed.entries.len(),
        path.display()
    );
}

/// The shortest of several rounds, in seconds.
fn best<T>(act: impl Fn() -> T) -> f64 {
    let round = || {
        let start = Instant::now();
        black_box(act());
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min)
}
