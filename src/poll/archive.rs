//! Older pages of a feed: which is asked for next, and where the way ends (RFC 5005, R81).

use url::Url;

use crate::model::{Backfill, BackfillWish, Timestamp, Way, WayEnd};

use super::schedule::DAY;

/// More pages are not read of any feed, over all runs.
const PAGES_MAX: u32 = 10_000;
/// A longer address is none of a page.
const URL_MAX: usize = 2_048;

/// What is asked for next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPage {
    /// The feed itself, to find the way.
    Head,
    /// This page.
    Page(String),
    /// Nothing: the way had ended there, and was looked for within the last day.
    Rest(WayEnd),
}

/// Links of a document to what is older; absolute URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Older<'a> {
    /// `prev-archive`.
    pub archive: Option<&'a str>,
    /// `next`.
    pub next: Option<&'a str>,
}

/// What was read of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFacts<'a> {
    /// Its links.
    pub older: Older<'a>,
    /// Entries in it.
    pub entries: usize,
    /// Of those: never seen before.
    pub new: usize,
    /// Hash over its entries.
    pub hash: [u8; 32],
    /// Bytes on the wire.
    pub bytes: u64,
}

/// Where a run begins, given what is kept of the runs before.
pub fn backfill_begins(place: &Backfill, wish: &BackfillWish, now: Timestamp) -> NextPage {
    let other_way = wish
        .param
        .as_ref()
        .is_some_and(|param| place.way != Way::Param(param.clone()));
    if wish.again || other_way {
        return NextPage::Head;
    }
    if let Some(next) = &place.next {
        return NextPage::Page(next.clone());
    }
    let fresh = place
        .head_at
        .is_some_and(|at| (0..DAY).contains(&now.since(at)));
    match place.end {
        Some(end) if fresh => NextPage::Rest(end),
        _ => NextPage::Head,
    }
}

/// The place after the feed itself was looked at. `feed` is its address, `bytes` what it cost; `known` says in which pass an
/// address was read before.
pub fn backfill_found(
    before: &Backfill,
    wish: &BackfillWish,
    older: Older<'_>,
    (feed, bytes): (&str, u64),
    now: Timestamp,
    known: impl Fn(&str) -> Option<u32>,
) -> Backfill {
    let (way, next) = match (&wish.param, older.archive, older.next) {
        (Some(param), ..) => (Way::Param(param.clone()), numbered(feed, param, 2)),
        (None, Some(archive), _) => (Way::Archive, Some(archive.to_owned())),
        (None, None, Some(next)) => (Way::Paged, Some(next.to_owned())),
        (None, None, None) => (Way::Unknown, None),
    };
    let is_new = next.is_some();
    let mut place = Backfill {
        way,
        pass: if wish.again { 1 } else { before.pass + 1 },
        head_at: Some(now),
        bytes: before.bytes + bytes,
        next: None,
        last_hash: [0; 32],
        end: Some(WayEnd::NoPages),
        ..before.clone()
    };
    if is_new {
        go_on(&mut place, next, feed);
        seen(&mut place, known);
    }
    place
}

/// The place after its next page was read. `known` says in which pass an address was read before.
pub fn backfill_read(
    before: &Backfill,
    page: &PageFacts<'_>,
    now: Timestamp,
    known: impl Fn(&str) -> Option<u32>,
) -> Backfill {
    let mut place = Backfill {
        at: Some(now),
        pages: before.pages + 1,
        entries: before.entries + page.new as u64,
        bytes: before.bytes + page.bytes,
        last_hash: page.hash,
        end: None,
        ..before.clone()
    };
    let current = before.next.as_deref().unwrap_or_default();
    let next = match &before.way {
        Way::Archive => page.older.archive.map(str::to_owned),
        Way::Paged => page.older.next.map(str::to_owned),
        Way::Param(param) => following(current, param),
        Way::Unknown => None,
    };
    place.next = None;
    let changes = before.way != Way::Archive;
    if changes && page.entries == 0 {
        place.end = Some(WayEnd::Whole);
    } else if changes && page.hash == before.last_hash {
        place.end = Some(WayEnd::Same);
    } else if changes && before.pass > 1 && page.new == 0 {
        // What is older was read in an earlier pass.
        place.end = Some(WayEnd::Whole);
    } else if place.pages >= PAGES_MAX {
        place.end = Some(WayEnd::TooMany);
    } else {
        go_on(&mut place, next, current);
    }
    seen(&mut place, known);
    place
}

/// Ends the way where it comes to what was read before.
fn seen(place: &mut Backfill, known: impl Fn(&str) -> Option<u32>) {
    match place.next.as_deref().and_then(known) {
        Some(pass) if pass >= place.pass => stop(place, WayEnd::Loop),
        // An archive does not change: behind it everything was read before.
        Some(_) if place.way == Way::Archive => stop(place, WayEnd::Whole),
        _ => {}
    }
}

/// The page of that number does not exist: the one before it was the last. Where the feed itself names the page, that is an
/// error like any other.
pub fn backfill_missing(before: &Backfill, status: u16) -> Option<Backfill> {
    let last = matches!(before.way, Way::Param(_)) && matches!(status, 404 | 410);
    last.then(|| ended(before, WayEnd::Whole))
}

/// The next page is not asked for now; a later run looks again whether it may be.
pub fn barred(before: &Backfill, end: WayEnd) -> Backfill {
    Backfill {
        end: Some(end),
        ..before.clone()
    }
}

/// The way ends here.
fn ended(before: &Backfill, end: WayEnd) -> Backfill {
    let mut place = before.clone();
    stop(&mut place, end);
    place
}

fn stop(place: &mut Backfill, end: WayEnd) {
    place.next = None;
    place.end = Some(end);
}

fn go_on(place: &mut Backfill, next: Option<String>, from: &str) {
    let (next, end) = match next {
        None => (None, Some(WayEnd::Whole)),
        Some(next) => match page_url(&next, from) {
            // Nothing is a page of its own past.
            Some(next) if page_url(from, from).as_ref() == Some(&next) => {
                (None, Some(WayEnd::Loop))
            }
            Some(next) => (Some(next), None),
            None => (None, Some(WayEnd::Elsewhere)),
        },
    };
    (place.next, place.end) = (next, end);
}

/// The address of a page as it is asked for: on the host of the document that leads to it, by https where that came so; `None`
/// where it is none that is followed.
fn page_url(link: &str, from: &str) -> Option<String> {
    let (mut url, feed) = (Url::parse(link).ok()?, Url::parse(from).ok()?);
    let web = |url: &Url| matches!(url.scheme(), "http" | "https");
    if !web(&url) || !web(&feed) || link.len() > URL_MAX || url.host() != feed.host() {
        return None;
    }
    let upgrade = url.scheme() == "http" && feed.scheme() == "https" && url.port().is_none();
    if upgrade {
        url.set_scheme("https").ok()?;
    }
    let both_usual = url.port().is_none() && feed.port().is_none();
    if !both_usual && url.port_or_known_default() != feed.port_or_known_default() {
        return None;
    }
    // No page brings its own login.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// The address of the feed with the number of a page in its query; the rest of it stays as it is.
fn numbered(feed: &str, param: &str, number: u32) -> Option<String> {
    super::delta::address_since(feed, param, &number.to_string())
}

/// The page after `current`.
fn following(current: &str, param: &str) -> Option<String> {
    let url = Url::parse(current).ok()?;
    let (_, number) = url.query_pairs().filter(|(name, _)| name == param).last()?;
    let number: u32 = number.parse().ok()?;
    numbered(current, param, number.checked_add(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEED: &str = "https://a.example/feed?x=1";
    const NOW: Timestamp = Timestamp(1_000_000);

    fn never(_: &str) -> Option<u32> {
        None
    }

    fn found(older: Older<'_>, wish: &BackfillWish) -> Backfill {
        backfill_found(&Backfill::default(), wish, older, (FEED, 7), NOW, never)
    }

    fn archive(link: &str) -> Older<'_> {
        Older {
            archive: Some(link),
            next: Some("https://a.example/feed?page=2"),
        }
    }

    fn page(older: Older<'_>, hash: u8) -> PageFacts<'_> {
        PageFacts {
            older,
            entries: 5,
            new: 5,
            hash: [hash; 32],
            bytes: 100,
        }
    }

    #[test]
    fn r81_archives_come_before_pages_and_a_persons_parameter_before_both() {
        let wish = BackfillWish::default();
        let place = found(archive("https://a.example/2.xml"), &wish);
        assert_eq!((&place.way, place.pass, place.bytes), (&Way::Archive, 1, 7));
        assert_eq!(place.next.as_deref(), Some("https://a.example/2.xml"));
        let paged = Older {
            archive: None,
            ..archive("")
        };
        assert_eq!(found(paged, &wish).way, Way::Paged);
        let none = found(Older::default(), &wish);
        assert_eq!((none.next, none.end), (None, Some(WayEnd::NoPages)));
        let own = BackfillWish {
            param: Some("paged".to_owned()),
            ..wish
        };
        let place = found(archive("https://a.example/2.xml"), &own);
        assert_eq!(
            place.next.as_deref(),
            Some("https://a.example/feed?x=1&paged=2")
        );
        let next = backfill_read(&place, &page(Older::default(), 1), NOW, never);
        assert_eq!(
            next.next.as_deref(),
            Some("https://a.example/feed?x=1&paged=3")
        );
        assert_eq!((next.pages, next.entries, next.bytes), (1, 5, 107));
    }

    #[test]
    fn r81_no_page_of_another_host_or_scheme_is_followed() {
        for (link, wanted) in [
            ("https://a.example/2#top", Some("https://a.example/2")),
            ("http://a.example/2", Some("https://a.example/2")),
            ("https://u:p@a.example/2", Some("https://a.example/2")),
            ("https://b.example/2", None),
            ("https://a.example:8443/2", None),
            ("file:///etc/passwd", None),
            ("mailto:a@a.example", None),
            ("no url", None),
        ] {
            assert_eq!(page_url(link, FEED).as_deref(), wanted, "{link}");
        }
        let long = format!("https://a.example/{}", "x".repeat(URL_MAX));
        assert_eq!(page_url(&long, FEED), None);
        let own = "http://127.0.0.1:8080/2";
        assert_eq!(
            page_url(own, "http://127.0.0.1:8080/").as_deref(),
            Some(own)
        );
        let away = found(archive("https://b.example/2"), &BackfillWish::default());
        assert_eq!((away.next, away.end), (None, Some(WayEnd::Elsewhere)));
    }

    #[test]
    fn r81_a_way_that_leads_back_ends() {
        let wish = BackfillWish::default();
        let own = found(archive("https://a.example/feed?x=1"), &wish);
        assert_eq!(own.end, Some(WayEnd::Loop));
        let place = found(archive("https://a.example/2"), &wish);
        let itself = backfill_read(&place, &page(archive("https://a.example/2"), 1), NOW, never);
        assert_eq!(itself.end, Some(WayEnd::Loop));
        let known = |url: &str| (url == "https://a.example/1").then_some(1);
        let back = backfill_read(&place, &page(archive("https://a.example/1"), 1), NOW, known);
        assert_eq!((back.next, back.end), (None, Some(WayEnd::Loop)));
    }

    #[test]
    fn r81_an_archive_read_before_is_not_asked_again() {
        let place = Backfill {
            way: Way::Archive,
            pass: 1,
            end: Some(WayEnd::Whole),
            ..Backfill::default()
        };
        let known = |url: &str| (url == "https://a.example/2").then_some(1);
        let wish = BackfillWish::default();
        let head = archive("https://a.example/3");
        let new = backfill_found(&place, &wish, head, (FEED, 0), NOW, known);
        assert_eq!(
            (new.pass, new.next.as_deref()),
            (2, Some("https://a.example/3"))
        );
        let done = backfill_read(&new, &page(archive("https://a.example/2"), 9), NOW, known);
        assert_eq!((done.next, done.end), (None, Some(WayEnd::Whole)));
        let nothing = backfill_found(
            &place,
            &wish,
            archive("https://a.example/2"),
            (FEED, 0),
            NOW,
            known,
        );
        assert_eq!(nothing.end, Some(WayEnd::Whole));
    }

    #[test]
    fn r81_pages_without_an_end_end_where_they_repeat() {
        let paged = |url| Older {
            archive: None,
            next: Some(url),
        };
        let wish = BackfillWish::default();
        let place = found(paged("https://a.example/?p=2"), &wish);
        let third = backfill_read(
            &place,
            &page(paged("https://a.example/?p=3"), 1),
            NOW,
            never,
        );
        assert_eq!(third.end, None);
        let same = backfill_read(
            &third,
            &page(paged("https://a.example/?p=4"), 1),
            NOW,
            never,
        );
        assert_eq!((same.next, same.end), (None, Some(WayEnd::Same)));
        let empty = PageFacts {
            entries: 0,
            ..page(paged("https://a.example/?p=4"), 2)
        };
        assert_eq!(
            backfill_read(&third, &empty, NOW, never).end,
            Some(WayEnd::Whole)
        );
        let many = Backfill {
            pages: PAGES_MAX - 1,
            ..third
        };
        let end = backfill_read(&many, &page(paged("https://a.example/?p=4"), 2), NOW, never);
        assert_eq!(end.end, Some(WayEnd::TooMany));
        // A second pass stops where the first began.
        let second = Backfill { pass: 2, ..place };
        let known = PageFacts {
            new: 0,
            ..page(paged("https://a.example/?p=3"), 3)
        };
        assert_eq!(
            backfill_read(&second, &known, NOW, never).end,
            Some(WayEnd::Whole)
        );
    }

    #[test]
    fn r81_a_run_goes_on_where_the_last_one_was() {
        let wish = BackfillWish::default();
        let mut place = Backfill::default();
        assert_eq!(backfill_begins(&place, &wish, NOW), NextPage::Head);
        place.next = Some("https://a.example/7".to_owned());
        let on = NextPage::Page("https://a.example/7".to_owned());
        assert_eq!(backfill_begins(&place, &wish, NOW), on);
        for other in [
            BackfillWish {
                again: true,
                ..wish.clone()
            },
            BackfillWish {
                param: Some("paged".to_owned()),
                ..wish.clone()
            },
        ] {
            assert_eq!(backfill_begins(&place, &other, NOW), NextPage::Head);
        }
        let done = Backfill {
            head_at: Some(NOW),
            end: Some(WayEnd::Whole),
            ..Backfill::default()
        };
        assert_eq!(
            backfill_begins(&done, &wish, NOW),
            NextPage::Rest(WayEnd::Whole)
        );
        let later = NOW.plus(DAY);
        assert_eq!(backfill_begins(&done, &wish, later), NextPage::Head);
        // A clock that was set back is no reason to wait for it.
        assert_eq!(backfill_begins(&done, &wish, NOW.plus(-1)), NextPage::Head);
    }

    #[test]
    fn r81_a_number_without_a_page_is_the_end_and_a_missing_archive_is_none() {
        let of = |way| Backfill {
            way,
            next: Some(FEED.to_owned()),
            ..Backfill::default()
        };
        let end = |way, status| backfill_missing(&of(way), status).and_then(|place| place.end);
        assert_eq!(end(Way::Param("p".to_owned()), 404), Some(WayEnd::Whole));
        assert_eq!(end(Way::Param("p".to_owned()), 500), None);
        assert_eq!(end(Way::Archive, 404), None);
    }
}
