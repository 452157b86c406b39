//! An entry in the forms in which programs are handed it: text, HTML, JSON.

use serde_json::{Value, json};

use super::page::Article;
use super::programs::Hands;
use super::say::Zone;
use crate::model::{Entry, Handed, Kept, Markup, Timestamp};

/// An entry with what is known of where it came from.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The title of its feed.
    pub feed: &'a str,
    /// The address of its feed, without a password.
    pub address: &'a str,
    /// Columns of text.
    pub measure: u16,
    /// Moments as a person sees them.
    pub zone: Zone,
}

impl Page<'_> {
    /// In that form.
    pub fn written(&self, form: Handed) -> String {
        match form {
            Handed::Nothing => String::new(),
            Handed::Text => self.text(),
            Handed::Html => self.html(),
            Handed::Json => self.json().to_string() + "\n",
        }
    }

    fn text(&self) -> String {
        Article::new(self.entry.clone(), Kept::default(), self.feed.to_owned())
            .plain(self.measure, self.zone)
    }

    fn html(&self) -> String {
        let body = &self.entry.body;
        match body.markup {
            Markup::Html => body.text.clone(),
            Markup::Text => {
                let text = body.text.replace('&', "&amp;").replace('<', "&lt;");
                format!("<pre>{text}</pre>\n")
            }
        }
    }

    fn json(&self) -> Value {
        let head = &self.entry.head;
        let time = |at: Timestamp| at.rfc3339();
        let attached = head.enclosures.iter();
        json!({
            "feed_url": self.address,
            "feed": self.feed,
            "id": head.guid,
            "title": head.title,
            "link": head.link,
            "author": head.author,
            "published": head.published.map(time),
            "updated": head.updated.map(time),
            "first_seen": time(head.first_seen),
            "unread": head.unread,
            "starred": head.starred,
            "categories": self.entry.body.categories,
            "comments": self.entry.body.comments,
            "enclosures": attached
                .map(|one| json!({"url": one.url, "type": one.media_type, "length": one.length}))
                .collect::<Vec<_>>(),
            "html": self.html(),
            "text": self.text(),
        })
    }
}

/// What a program is handed: a file where its arguments name one, and its standard input.
pub fn hands(form: Handed, file: String, input: Option<String>, at: Vec<(usize, usize)>) -> Hands {
    if !at.is_empty() {
        return Hands::Placed {
            file,
            ending: match form {
                Handed::Html => ".html",
                Handed::Json => ".json",
                Handed::Text | Handed::Nothing => ".md",
            },
            at,
            input,
        };
    }
    input.map_or(Hands::Nothing, Hands::Input)
}
