//! The rules of the moment, and who is told of new entries: read by every poll, replaced when config.toml is saved.

use std::sync::{Arc, PoisonError, RwLock};

use crate::model::{Rule, Subscription, UiSettings, is_under};
use crate::query::{QueryError, Rules};

/// The rules of the moment: one more may be written while they are in use.
#[derive(Debug, Default)]
pub struct Book {
    rules: RwLock<Arc<Rules>>,
    news: RwLock<Arc<News>>,
}

impl Book {
    /// Reads the rules. `config` has read their queries before.
    pub fn new(rules: &[Rule], news: News) -> Result<Self, QueryError> {
        Ok(Self {
            rules: RwLock::new(Arc::new(Rules::new(rules)?)),
            news: RwLock::new(Arc::new(news)),
        })
    }

    /// Who is told, as it is now.
    pub fn news(&self) -> Arc<News> {
        Arc::clone(&self.news.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells others from now on.
    pub fn tell(&self, news: News) {
        *self.news.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(news);
    }

    /// As they are now.
    pub fn now(&self) -> Arc<Rules> {
        // Whoever panicked swapped an Arc: it is whole.
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts others in their place.
    pub fn replace(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }
}

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
}
