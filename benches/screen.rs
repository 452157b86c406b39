//! A frame, and what a key costs before it: a screen full of entries beside a thousand feeds.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tidings::model::FeedId;
use tidings::tui::{Key, Model, Msg, draw, update};

#[path = "../tests/all/desk.rs"]
mod desk;

use desk::Desk;

const SIZE: (u16, u16) = (160, 50);

/// A thousand feeds under ten tags, two thousand entries.
fn large() -> (Desk, Model) {
    let mut desk = Desk::with(2000);
    let sketches = desk.feeds.clone();
    desk.feeds = (0..1000)
        .map(|id| {
            let mut row = sketches[id as usize % sketches.len()].clone();
            row.feed.id = FeedId(id + 1);
            row.feed.tags = vec![format!("tag {}", id % 10)];
            row
        })
        .collect();
    let model = desk.reader(SIZE, "dark");
    (desk, model)
}

fn frame(model: &Model) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    draw(model, &mut buf);
    buf
}

fn screens(c: &mut Criterion) {
    for (name, keys) in [
        ("list", ""),
        ("article", "j j Enter"),
        ("status", "s"),
        ("log", "s Enter"),
        ("help", "?"),
    ] {
        let (mut desk, mut model) = large();
        desk.press(&mut model, keys);
        c.bench_function(&format!("frame/{name}"), |b| {
            b.iter(|| black_box(frame(black_box(&model))));
        });
    }
}

fn keys(c: &mut Criterion) {
    let (mut desk, mut model) = large();
    let (down, up) = (Key::parse("j"), Key::parse("k"));
    c.bench_function("key/j and k in the list", |b| {
        b.iter(|| {
            for key in [down, up].into_iter().flatten() {
                black_box(update(&mut model, Msg::Key(key)));
            }
        });
    });
    desk.press(&mut model, "s");
    c.bench_function("key/j and k in the status pane", |b| {
        b.iter(|| {
            for key in [down, up].into_iter().flatten() {
                black_box(update(&mut model, Msg::Key(key)));
            }
        });
    });
    let before = frame(&model);
    update(&mut model, Msg::Key(Key::parse("Esc").expect("a key")));
    let after = frame(&model);
    c.bench_function("diff of two screens", |b| {
        b.iter(|| black_box(before.diff(black_box(&after)).len()));
    });
}

criterion_group!(benches, screens, keys);
criterion_main!(benches);
