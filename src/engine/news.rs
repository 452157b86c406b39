//! New entries that somebody wants to hear of, gathered until the refresh is over: one sentence for all of them.

use super::rules::Deed;

/// Titles that are told by name.
const TITLES: usize = 5;
/// Entries that a program is given to read.
const LINES: usize = 500;

/// What came since somebody was told the last time.
#[derive(Debug, Default)]
pub struct Notice {
    /// How many.
    pub count: usize,
    /// The first ones: title and feed.
    first: Vec<(String, String)>,
    /// Each as a line of JSON, as many as a program may want to read.
    pub input: String,
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
    pub fn words(&self) -> (String, String) {
        match &self.first[..] {
            [(title, feed)] => (title.clone(), feed.clone()),
            first => {
                let titles: Vec<&str> = first.iter().map(|(title, _)| title.as_str()).collect();
                (format!("{} new entries", self.count), titles.join("\n"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
