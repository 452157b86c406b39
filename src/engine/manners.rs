//! What robots.txt of a host allows to be fetched besides feeds: pages that entries link to (R73). Read once a day for each host.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::model::{HostKey, Timestamp};
use crate::poll::Disallow;

/// What was read holds so long, in seconds (RFC 9309 §2.4).
const DAY: i64 = 24 * 3600;
/// Hosts that are remembered.
const HOSTS: usize = 256;

/// By host: when it was read, and what it says.
#[derive(Default)]
pub struct Manners(Mutex<HashMap<HostKey, (Timestamp, Disallow)>>);

impl Manners {
    /// Whether a URL of this host may be fetched; `None` where that is not known, or was read too long ago.
    pub fn allows(&self, host: &HostKey, url: &str, now: Timestamp) -> Option<bool> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, rules) = known.get(host)?;
        (0..DAY)
            .contains(&now.since(*at))
            .then(|| rules.allows(url))
    }

    /// Keeps what was read.
    pub fn learn(&self, host: HostKey, rules: Disallow, now: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= HOSTS {
            known.clear();
        }
        known.insert(host, (now, rules));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r73_what_was_read_holds_for_a_day() {
        let now = Timestamp(1_800_000_000);
        let host = HostKey("a.example:443".to_owned());
        let manners = Manners::default();
        let page = "https://a.example/private/page";
        assert_eq!(manners.allows(&host, page, now), None);
        let rules = Disallow::read(b"User-agent: *\nDisallow: /private/\n");
        manners.learn(host.clone(), rules, now);
        assert_eq!(manners.allows(&host, page, now), Some(false));
        let other = "https://a.example/page";
        assert_eq!(manners.allows(&host, other, now.plus(DAY - 1)), Some(true));
        assert_eq!(manners.allows(&host, page, now.plus(DAY)), None);
        // A clock that was put back.
        assert_eq!(manners.allows(&host, page, now.plus(-1)), None);
    }
}
