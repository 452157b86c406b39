//! What a feed says of documents beside it (RFC 5005): older ones, and whether it is whole itself.

/// Links to other documents of a feed, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paging {
    /// The archive document before this one (`prev-archive`, §4); absolute URL.
    pub archive: Option<String>,
    /// The next page of it (`next`, §3; `next_url` of JSON Feed); absolute URL.
    pub next: Option<String>,
    /// It holds every entry that there is (`fh:complete`, §2).
    pub complete: bool,
}

impl Paging {
    /// Takes a link of the feed by its relation, lower case, without what precedes its last slash. True: it was one of these.
    pub(super) fn link(&mut self, rel: &str, href: &str) -> bool {
        let place = match rel {
            // The names of the drafts before the RFC are still written.
            "prev-archive" | "previous-archive" => &mut self.archive,
            "next" => &mut self.next,
            _ => return false,
        };
        place.get_or_insert_with(|| href.to_owned());
        true
    }
}
