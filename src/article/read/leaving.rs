//! Elements: what each of them ends.

use super::super::document::List;
use super::super::sanitize;
use super::super::walk::words_of;
use super::build::What;
use super::inline::Inline;
use super::media;
use super::reader::{Leave, Media, Reader};
use super::scripts::{is_way_mark, scripted};

impl Reader {
    /// Ends an element.
    pub fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Flush => self.builder.flush(),
            Leave::Pop(times) => (0..times).for_each(|_| self.pop()),
            Leave::Join(times) => {
                (0..times).for_each(|_| self.pop());
                if times > 1 {
                    self.builder.join_lists();
                }
            }
            Leave::Style(before) => self.builder.style = before,
            Leave::Link(before, number, new, written) => {
                self.builder.style = before;
                if self.builder.written > written {
                    self.name(number);
                    self.builder.number(number);
                } else if new {
                    self.builder.targets.forget(number);
                }
            }
            Leave::Script(around, up) => {
                let mut script = std::mem::replace(self.builder.inline(), around);
                if let Some((words, style)) = scripted(&script, up) {
                    script = Inline::default();
                    script.push(&words, style);
                }
                self.builder.inline().append(script);
            }
            Leave::Here(around) => {
                let inside = std::mem::replace(self.builder.inline(), around);
                if !is_way_mark(words_of(inside.spans()).trim()) {
                    self.builder.inline().append(inside);
                }
            }
            Leave::Say(words) => self.say(words),
            Leave::Media => self.end_media(),
            Leave::Head => {
                if let What::Table { in_head, .. } = self.builder.holder() {
                    *in_head = false;
                }
            }
        }
    }

    fn pop(&mut self) {
        if let What::List(list, next, -1) = self.builder.holder() {
            renumber(list, *next);
        }
        self.builder.pop();
    }

    /// Gives a link the words that lead to it, where they are at hand.
    fn name(&mut self, number: u32) {
        let words: String = self
            .builder
            .inline()
            .spans()
            .iter()
            .rev()
            .take_while(|span| span.style.link == Some(number))
            .map(|span| span.text.as_str())
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        let words = sanitize::line(&words);
        if !words.is_empty() {
            self.builder.targets.name(number, &words);
        }
    }

    fn end_media(&mut self) {
        if let Some(Media {
            kind,
            url: Some(url),
            title,
        }) = self.media.take()
        {
            media::show(&mut self.builder, kind, &url, &title);
        }
    }
}

/// Items of a reversed list without a start, counted down to 1.
fn renumber(list: &mut List, next: i64) {
    if next > i64::MIN + 1_000_000_000 {
        return;
    }
    let count = list.items.len() as i64;
    for (at, item) in list.items.iter_mut().enumerate() {
        item.number = count - at as i64;
    }
}
