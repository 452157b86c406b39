//! An article as another reader kept it: the keys under which its feed may bring it, so that it does not come back as new.

use super::identity;
use super::links::is_web;
use super::{dates, titles};
use crate::article::sanitize;
use crate::model::{Enclosure, EntryBody, EntryKey, Incoming, Markup, Timestamp};

/// An article of another reader's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// As the feed sent it; or what that reader made of link, date and title where the feed sent none.
    pub guid: String,
    /// Plain text.
    pub title: String,
    /// Plain text.
    pub author: String,
    /// Absolute URL.
    pub link: String,
    /// The feed's own date.
    pub published: Option<Timestamp>,
    /// What relative links are resolved against.
    pub base: String,
    /// The article.
    pub text: String,
    /// It is HTML.
    pub is_html: bool,
    /// Address and media type of what is attached.
    pub enclosure: Option<(String, String)>,
}

/// The entry, and every key under which its feed may bring it; the first is its own. Its content hash is zeros: the feed's own
/// text, when that comes, is no edit.
pub fn stored(article: Stored) -> (Incoming, Vec<EntryKey>) {
    let link = sanitize::line(&article.link);
    let link = is_web(&link).then_some(link);
    let title = titles::literal(&article.title);
    let enclosure = article.enclosure.filter(|(url, _)| is_web(url));
    let base = is_web(&article.base).then(|| sanitize::line(&article.base).into());
    let mut entry = Incoming {
        key: EntryKey([0; 16]),
        guid: sanitize::text(&article.guid)
            .trim()
            .replace(['\n', '\t'], " "),
        title,
        link,
        author: sanitize::line(&article.author),
        published: article.published,
        updated: None,
        enclosures: enclosure
            .map(|(url, media_type)| Enclosure {
                url: sanitize::line(&url),
                media_type: sanitize::line(&media_type),
                length: None,
                duration: None,
            })
            .into_iter()
            .collect(),
        body: EntryBody {
            base,
            text: sanitize::text(&article.text),
            markup: if article.is_html {
                Markup::Html
            } else {
                Markup::Text
            },
            ..EntryBody::default()
        },
        content_hash: [0; 32],
    };
    let made = without_guid(&entry);
    let mut keys = Vec::new();
    if let Some(nameless) = &made {
        keys.push(identity::first(nameless));
    }
    keys.push(identity::first(&entry));
    if made.is_none() && entry.link.as_deref() == Some(&entry.guid) {
        // It may have been the guid, or what stood in for one.
        let nameless = Incoming {
            guid: String::new(),
            ..entry.clone()
        };
        keys.push(identity::first(&nameless));
    }
    if let Some(nameless) = made {
        entry.guid = nameless.guid;
    }
    if entry.title.is_empty() {
        entry.title = titles::beginning(&entry.body);
    }
    entry.key = keys[0];
    (entry, keys)
}

/// The entry as its feed sends it, where its guid was made of link and date, or of the title alone.
fn without_guid(entry: &Incoming) -> Option<Incoming> {
    let is_made = match &entry.link {
        Some(link) => {
            let rest = entry.guid.strip_prefix(link.as_str());
            rest.is_some_and(|rest| dates::parse(rest).is_some())
        }
        None => entry.guid == entry.title,
    };
    (is_made || entry.guid.is_empty()).then(|| Incoming {
        guid: String::new(),
        ..entry.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_feed(guid: &str, link: &str, title: &str) -> EntryKey {
        let item = format!(
            "<rss version='2.0'><channel><title>t</title><item>{guid}<link>{link}</link><title>{title}</title><pubDate>Mon, 24 Nov 2025 00:00:00 +0000</pubDate></item></channel></rss>"
        );
        let parsed = crate::parse::parse(item.as_bytes(), None, "https://a.example/");
        parsed.expect("a feed").entries[0].key
    }

    fn kept(guid: &str, link: &str) -> Vec<EntryKey> {
        stored(Stored {
            guid: guid.to_owned(),
            link: link.to_owned(),
            title: "T".to_owned(),
            published: Some(Timestamp(1_763_942_400)),
            ..Stored::default()
        })
        .1
    }

    #[test]
    fn an_article_is_known_under_what_its_feed_sends() {
        let link = "https://a.example/1";
        let sent = of_feed("<guid isPermaLink='false'>tag:1</guid>", link, "T");
        assert_eq!(kept("tag:1", link)[0], sent);
        let sent = of_feed(&format!("<guid>{link}</guid>"), link, "T");
        assert!(kept(link, link).contains(&sent));
        let sent = of_feed("", link, "T");
        assert!(kept(link, link).contains(&sent));
        let made = format!("{link}Mon, 24 Nov 2025 00:00:00 +0000");
        assert_eq!(kept(&made, link)[0], sent);
        assert_eq!(kept("", link)[0], sent);
        let sent = of_feed("", "", "T");
        assert_eq!(kept("T", "")[0], sent);
        // A guid that merely begins with the link is one.
        assert_eq!(kept(&format!("{link}#2"), link).len(), 1);
    }

    #[test]
    fn nothing_of_it_steers_a_terminal_or_leads_elsewhere() {
        let (entry, _) = stored(Stored {
            guid: "g".to_owned(),
            title: "T\u{1b}[2J\u{7}".to_owned(),
            link: "javascript:alert(1)".to_owned(),
            text: "a\u{1b}]0;x\u{7}b".to_owned(),
            base: "file:///etc".to_owned(),
            enclosure: Some(("file:///etc/passwd".to_owned(), "x".to_owned())),
            ..Stored::default()
        });
        assert_eq!(entry.link, None);
        assert_eq!(entry.body.base, None);
        assert!(entry.enclosures.is_empty());
        let all = format!("{}{}", entry.title, entry.body.text);
        assert!(!all.contains(['\u{1b}', '\u{7}']), "{all:?}");
    }
}
