//! New entries that somebody wants to hear of: of which feeds, through which program, once a refresh.

use crate::model::{PollError, Subscription, UiSettings, is_under};
use crate::source;

use super::protocol::Event;
use super::rules::{Deed, command, limits};
use super::run::{Engine, Halt};

/// The program that shows a notification, where there is one.
const NOTIFIER: &str = if cfg!(target_os = "macos") {
    "osascript"
} else {
    "notify-send"
};

/// Titles that are told by name.
const TITLES: usize = 5;
/// Entries that a program is given to read.
const LINES: usize = 500;

/// Of which feeds somebody is told, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct News {
    /// The program; empty for the desktop's.
    pub notifier: Vec<String>,
    /// The tags whose feeds are told of.
    pub tags: Vec<String>,
}

impl News {
    /// As the user set it.
    pub fn of(settings: &UiSettings) -> Self {
        Self {
            notifier: settings.notifier.clone(),
            tags: settings.notify_tags.clone(),
        }
    }

    /// Somebody wants to hear of this feed: it says so itself, or one of its tags does.
    pub fn wants(&self, feed: &Subscription) -> bool {
        let tagged = |tag: &String| self.tags.iter().any(|upper| is_under(tag, upper));
        feed.notify.unwrap_or_else(|| feed.tags.iter().any(tagged))
    }
}

/// What came since somebody was told the last time.
#[derive(Debug, Default)]
pub struct Notice {
    count: usize,
    /// The first ones: title and feed.
    first: Vec<(String, String)>,
    /// Each as a line of JSON, as many as a program may want to read.
    input: String,
}

impl Notice {
    /// One more came.
    pub fn add(&mut self, deed: &Deed) {
        self.count += 1;
        if self.first.len() < TITLES {
            self.first.push((deed.title.clone(), deed.feed.clone()));
        }
        if self.count <= LINES {
            self.input.push_str(&deed.input);
        }
    }

    /// One sentence for all that came together, and what stands below it.
    fn words(&self) -> (String, String) {
        match &self.first[..] {
            [(title, feed)] => (title.clone(), feed.clone()),
            first => {
                let titles: Vec<&str> = first.iter().map(|(title, _)| title.as_str()).collect();
                (format!("{} new entries", self.count), titles.join("\n"))
            }
        }
    }
}

impl Engine {
    /// Nothing is under way: where no refresh is either, whoever wants to know hears what came. What is told is
    /// forgotten, so that no entry is told twice.
    pub(super) fn tell_news(&mut self) {
        let over = self.book.runs.is_empty() || self.halt != Halt::No;
        if self.notice.count == 0 || !over {
            return;
        }
        let notice = std::mem::take(&mut self.notice);
        let (text, body) = notice.words();
        self.tell(Event::Noticed { text: text.clone() });
        let folder = self.shared.locations.config_dir.clone();
        let notifier = self.shared.rules.news().notifier.clone();
        self.deeds.spawn(async move {
            if notifier.is_empty() {
                // No desktop, no program: the reader's bottom line has it, and the log.
                if let Err(error) = notify(&text, &body, &folder).await {
                    tracing::info!(%error, "not shown on the desktop");
                }
                return Vec::new();
            }
            let known = [("{title}", text.as_str()), ("{body}", body.as_str())];
            let ended = command(&notifier, &known, notice.input, &folder).await;
            let what = "the notifier of config.toml failed";
            let failed = ended.err().map(|error| (what, error.to_string()));
            failed.into_iter().collect()
        });
    }
}

async fn notify(text: &str, body: &str, folder: &std::path::Path) -> Result<(), PollError> {
    let words: Vec<String> = if cfg!(target_os = "macos") {
        // The text travels as an argument, never as a part of the script.
        let script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
        ["osascript", "-e", script, text, body]
            .map(str::to_owned)
            .to_vec()
    } else {
        [NOTIFIER, "--app-name=tidings", "--", text, body]
            .map(str::to_owned)
            .to_vec()
    };
    source::run(&words, folder, None, limits()).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_is_told_of_as_it_says_itself_and_else_as_its_tags_say() {
        let news = News {
            tags: vec!["news".to_owned()],
            ..News::default()
        };
        for (tags, notify, wanted) in [
            (&["news"][..], None, true),
            (&["a", "news/daily"], None, true),
            (&["newsletters"], None, false),
            (&[], None, false),
            (&[], Some(true), true),
            (&["news"], Some(false), false),
        ] {
            let feed = Subscription {
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                notify,
                ..Subscription::default()
            };
            assert_eq!(news.wants(&feed), wanted, "{tags:?} {notify:?}");
        }
    }

    #[test]
    fn what_came_together_is_one_sentence() {
        let mut notice = Notice::default();
        let deed = |no: usize| Deed {
            title: format!("Title {no}"),
            link: String::new(),
            feed: "F".to_owned(),
            notify: true,
            run: Vec::new(),
            input: "{}\n".to_owned(),
        };
        notice.add(&deed(1));
        assert_eq!(notice.words(), ("Title 1".to_owned(), "F".to_owned()));
        (2..700).for_each(|no| notice.add(&deed(no)));
        let (text, body) = notice.words();
        assert_eq!(text, "699 new entries");
        assert_eq!(body.lines().count(), TITLES);
        assert_eq!(notice.input.lines().count(), LINES);
    }
}
