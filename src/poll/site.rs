//! Sitemaps: which files of an index are asked for, and which pages are news.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::model::{Site, SiteFile, SitePage, Timestamp, arrange};

/// Files of an index that are followed: those that changed last.
pub const FILES_MAX: usize = 500;
/// Files of an index that one poll asks for.
const FILES_A_POLL: usize = 5;
/// Files that the first poll of an index asks for.
const FILES_AT_FIRST: usize = 2;
/// Entries that the first poll makes of pages, the newest ones.
const PAGES_AT_FIRST: usize = 50;
/// Entries that any other poll makes of pages: a site that renames all its pages has no more news than that.
pub const PAGES_A_POLL: usize = 500;
/// Pages that are remembered: those seen last.
const SEEN_MAX: usize = 400_000;

/// What is known of a sitemap after its index was read: `files` are the addresses that it names, with their `lastmod`.
pub fn indexed(
    before: Option<&Site>,
    files: Vec<(String, Option<Timestamp>)>,
    now: Timestamp,
) -> Site {
    let mut site = before.cloned().unwrap_or_else(|| Site {
        begun: now,
        ..Site::default()
    });
    let mut known: HashMap<String, SiteFile> = site
        .files
        .drain(..)
        .map(|file| (file.url.clone(), file))
        .collect();
    for (url, changed) in files {
        let file = match known.remove(&url) {
            Some(old) => SiteFile {
                due: old.due || changed > old.applied,
                changed,
                ..old
            },
            None => SiteFile {
                url,
                changed,
                applied: None,
                since: before.map_or_else(Timestamp::default, |_| now),
                due: true,
                ..SiteFile::default()
            },
        };
        site.files.push(file);
    }
    arrange(&mut site.files, |a, b| b.changed.cmp(&a.changed));
    site.files.truncate(FILES_MAX);
    site
}

/// The files that are asked for in this poll, in order: those that changed and were not asked for the longest, of these the
/// latest first. One without a `lastmod` may change unseen. At first the latest few stand for all.
pub fn turn(site: &Site, first: bool) -> Vec<usize> {
    let mut due: Vec<usize> = (0..site.files.len())
        .filter(|at| site.files[*at].due || site.files[*at].changed.is_none())
        .collect();
    arrange(&mut due, |a, b| {
        let order = |at: &usize| (site.files[*at].asked, Reverse(site.files[*at].changed), *at);
        order(a).cmp(&order(b))
    });
    due.truncate(if first { FILES_AT_FIRST } else { FILES_A_POLL });
    due
}

/// After the first poll of an index: files that were not asked for count from what they are now.
pub fn settled(site: &mut Site) {
    for file in site.files.iter_mut().filter(|file| file.asked.is_none()) {
        (file.due, file.applied) = (false, file.changed);
    }
}

/// The file was had, or is known to be gone: it is due again when its `lastmod` advances.
pub fn applied(file: &mut SiteFile, now: Timestamp) {
    file.asked = Some(now);
    file.applied = file.changed.or(file.applied);
    file.due = false;
}

/// Which pages are news, and remembers all of them.
#[derive(Debug)]
pub struct Reading {
    begun: Timestamp,
    first: bool,
    seen: HashSet<u64>,
    order: Vec<u64>,
    news: Vec<SitePage>,
}

impl Reading {
    /// Begins with what is remembered; `first`: the sitemap was never read.
    pub fn new(site: &Site, first: bool) -> Self {
        Self {
            begun: site.begun,
            first,
            seen: site.seen.iter().copied().collect(),
            order: site.seen.clone(),
            news: Vec::new(),
        }
    }

    /// The pages of a file of the index, or with `None` of the sitemap itself. `wanted` says which the user wants.
    pub fn take(
        &mut self,
        file: Option<&SiteFile>,
        pages: Vec<SitePage>,
        wanted: impl Fn(&str) -> bool,
    ) {
        for page in pages {
            if !self.seen.insert(page.mark) {
                continue;
            }
            self.order.push(page.mark);
            if (self.first || self.is_news(file, &page)) && wanted(&page.url) {
                self.news.push(page);
            }
        }
    }

    /// In a file that is read for the first time, only what is newer than what was known of the file is.
    fn is_news(&self, file: Option<&SiteFile>, page: &SitePage) -> bool {
        let Some(file) = file.filter(|file| !file.read) else {
            return true;
        };
        match page.date() {
            Some(date) => date > file.applied.unwrap_or(self.begun),
            None => file.since > Timestamp::default(),
        }
    }

    /// The news, latest first, how many more there are, and what is remembered from now on.
    pub fn end(mut self) -> (Vec<SitePage>, usize, Vec<u64>) {
        arrange(&mut self.news, |a, b| b.date().cmp(&a.date()));
        let most = if self.first {
            PAGES_AT_FIRST
        } else {
            PAGES_A_POLL
        };
        let more = self.news.len().saturating_sub(most);
        self.news.truncate(most);
        let over = self.order.len().saturating_sub(SEEN_MAX);
        self.order.drain(..over);
        // What the first poll leaves out is no news that anybody misses.
        let more = if self.first { 0 } else { more };
        (self.news, more, self.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_796_000_000);

    fn page(n: u64, date: Option<i64>) -> SitePage {
        SitePage {
            url: format!("https://a.example/{n}"),
            changed: date.map(|ago| NOW.plus(-ago)),
            mark: n,
            ..SitePage::default()
        }
    }

    fn read(
        site: &mut Site,
        first: bool,
        file: Option<&SiteFile>,
        pages: Vec<SitePage>,
    ) -> Vec<u64> {
        let mut reading = Reading::new(site, first);
        reading.take(file, pages, |url| !url.ends_with("/9"));
        let (news, _, seen) = reading.end();
        site.seen = seen;
        news.into_iter().map(|page| page.mark).collect()
    }

    fn index(before: Option<&Site>, files: &[(&str, Option<i64>)], now: Timestamp) -> Site {
        let files = files.iter().map(|(url, ago)| {
            let changed = ago.map(|ago| NOW.plus(-ago));
            ((*url).to_owned(), changed)
        });
        indexed(before, files.collect(), now)
    }

    fn due(site: &Site, first: bool) -> Vec<&str> {
        let turn = turn(site, first).into_iter();
        turn.map(|at| site.files[at].url.as_str()).collect()
    }

    #[test]
    fn a_page_is_news_once_whatever_its_date_becomes() {
        let mut site = Site::default();
        let all = vec![
            page(1, Some(50)),
            page(2, None),
            page(3, Some(10)),
            page(9, Some(5)),
        ];
        assert_eq!(read(&mut site, true, None, all), [3, 1, 2]);
        assert_eq!(site.seen, [1, 2, 3, 9]);
        let later = vec![
            page(1, Some(0)),
            page(4, None),
            page(9, Some(0)),
            page(5, Some(900)),
        ];
        assert_eq!(read(&mut site, false, None, later), [5, 4]);
        assert!(read(&mut site, false, None, Vec::new()).is_empty());
        let all = vec![page(1, None), page(2, None), page(3, None)];
        assert!(
            read(&mut site, false, None, all).is_empty(),
            "empty for an hour"
        );
    }

    #[test]
    fn fifty_thousand_pages_are_fifty_entries_at_first_and_five_hundred_later() {
        let mut site = Site::default();
        let many = |from: u64| {
            (from..from + 50_000)
                .map(|n| page(n, Some(n as i64)))
                .collect()
        };
        assert_eq!(read(&mut site, true, None, many(10)).len(), PAGES_AT_FIRST);
        let mut reading = Reading::new(&site, false);
        reading.take(None, many(100_000), |_| true);
        let (news, more, seen) = reading.end();
        assert_eq!((news.len(), more, seen.len()), (500, 49_500, 100_000));
    }

    #[test]
    fn of_an_index_only_files_whose_lastmod_advanced_are_asked_for() {
        let mut site = index(
            None,
            &[("a", Some(300)), ("b", Some(100)), ("c", Some(200))],
            NOW,
        );
        assert_eq!(due(&site, true), ["b", "c"]);
        for at in turn(&site, true) {
            applied(&mut site.files[at], NOW);
        }
        settled(&mut site);
        assert!(due(&site, false).is_empty());
        let same = index(
            Some(&site),
            &[("a", Some(300)), ("b", Some(150)), ("c", None)],
            NOW,
        );
        assert_eq!(
            due(&same, false),
            ["c"],
            "without a lastmod it may have changed"
        );
        let next = index(
            Some(&site),
            &[
                ("a", Some(250)),
                ("b", Some(100)),
                ("c", Some(200)),
                ("new", None),
            ],
            NOW.plus(60),
        );
        assert_eq!(due(&next, false), ["a", "new"]);
        let later = index(
            Some(&next),
            &[("a", Some(250)), ("b", Some(100))],
            NOW.plus(120),
        );
        assert_eq!(due(&later, false), ["a"], "what was not had is still due");
    }

    #[test]
    fn who_waits_longest_is_asked_first_and_an_index_is_bounded() {
        let urls: Vec<String> = (0..600).map(|n| format!("f{n}")).collect();
        let files: Vec<_> = urls.iter().map(|url| (url.as_str(), None)).collect();
        let mut site = index(None, &files, NOW);
        assert_eq!(site.files.len(), FILES_MAX);
        for at in turn(&site, false) {
            applied(&mut site.files[at], NOW);
        }
        assert_eq!(due(&site, false), ["f5", "f6", "f7", "f8", "f9"]);
    }

    #[test]
    fn in_a_file_that_is_read_for_the_first_time_only_what_is_newer_is_news() {
        let mut site = Site {
            begun: NOW.plus(-1_000),
            ..Site::default()
        };
        let known = SiteFile {
            applied: Some(NOW.plus(-500)),
            ..SiteFile::default()
        };
        let pages = || vec![page(1, Some(600)), page(2, Some(400)), page(3, None)];
        assert_eq!(read(&mut site, false, Some(&known), pages()), [2]);
        site.seen.clear();
        let new = SiteFile {
            since: NOW,
            ..SiteFile::default()
        };
        let all = vec![page(1, Some(2_000)), page(2, Some(900)), page(3, None)];
        assert_eq!(read(&mut site, false, Some(&new), all), [2, 3]);
        site.seen.clear();
        let read_before = SiteFile {
            read: true,
            ..known
        };
        assert_eq!(read(&mut site, false, Some(&read_before), pages()).len(), 3);
    }
}
