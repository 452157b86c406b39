//! What follows a commit outside of the store: commands of rules, and somebody is told, once a refresh.

use std::path::Path;
use std::time::Duration;

use crate::model::PollError;
use crate::source::{self, Limits};

use super::protocol::Event;
use super::rules::Deed;
use super::run::{Engine, Halt};

/// A command may take so long.
const LONGEST: Duration = Duration::from_secs(60);
/// What it writes is read up to here, and forgotten.
const OUTPUT: u64 = 64 << 10;
/// The program that shows a notification, where there is one.
const NOTIFIER: &str = if cfg!(target_os = "macos") {
    "osascript"
} else {
    "notify-send"
};

impl Engine {
    /// Does what is to be done for entries that are on disk now, one thing after the other, beside everything else. Of
    /// what is to be told one sentence is made when the refresh is over.
    pub(super) fn carry_out(&mut self, deeds: Vec<Deed>) {
        let told = deeds.iter().filter(|deed| deed.notify);
        told.for_each(|deed| self.notice.add(deed));
        if deeds.iter().all(|deed| deed.run.is_empty()) {
            return;
        }
        let folder = self.shared.locations.config_dir.clone();
        self.deeds.spawn(async move {
            let mut failures = Vec::new();
            for deed in deeds {
                for words in &deed.run {
                    if let Err(error) = run(words, &deed, &folder).await {
                        tracing::warn!(%error, "a rule's command failed");
                        failures.push(("a rule's command failed", error.to_string()));
                    }
                }
            }
            failures.dedup();
            failures
        });
    }

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

async fn notify(text: &str, body: &str, folder: &Path) -> Result<(), PollError> {
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

/// `{title}`, `{link}` and `{feed}` stand for the entry's.
async fn run(words: &[String], deed: &Deed, folder: &Path) -> Result<(), PollError> {
    command(words, &deed.known(), deed.input.clone(), folder).await
}

/// Names in braces stand for what is known in every argument; the program itself is what the user wrote.
async fn command(
    words: &[String],
    known: &[(&str, &str)],
    input: String,
    folder: &Path,
) -> Result<(), PollError> {
    let mut words = words.to_vec();
    for word in words.iter_mut().skip(1) {
        *word = filled(word, known);
    }
    source::run(&words, folder, Some(input.into_bytes()), limits())
        .await
        .map(drop)
}

/// In one walk: what an entry brings is not looked at again.
fn filled(word: &str, known: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = known.iter().find(|(name, _)| rest.starts_with(name));
        let (shown, taken) = value.map_or(("{", 1), |(name, value)| (*value, name.len()));
        out.push_str(shown);
        rest = &rest[taken..];
    }
    out + rest
}

const fn limits() -> Limits {
    Limits {
        time: LONGEST,
        bytes: OUTPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_entry_brings_stays_one_argument_and_is_not_filled_in_again() {
        let deed = Deed {
            title: "{link}; rm -rf $HOME".to_owned(),
            link: "https://a.example/".to_owned(),
            feed: "F".to_owned(),
            notify: false,
            run: Vec::new(),
            input: String::new(),
        };
        assert_eq!(
            filled("--x={title} {feed} {other", &deed.known()),
            "--x={link}; rm -rf $HOME F {other"
        );
    }
}
