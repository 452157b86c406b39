//! `tidings lift` and `tidings enable`: how a person ends the waiting. There is no other way (R47, R49).

use std::io::Write;

use super::ask::{Asking, find};
use super::say::{name, now, shown};
use super::{Context, Failure, exit};
use crate::config;
use crate::engine::{Command, Event, Ticket};
use crate::model::{FeedRow, HostKey};

fn any_feeds(event: Event, ticket: Ticket) -> Option<Vec<FeedRow>> {
    match event {
        Event::Feeds { ticket: of, rows } if of == ticket => Some(rows),
        _ => None,
    }
}

/// Ends the hold of a host.
pub(super) fn lift(host: &str, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let held = hosts_of(&rows, host);
    if held.is_empty() {
        return Err(Failure::usage(format!(
            "no feed is subscribed on {}; `tidings stats --by-host` lists the hosts",
            shown(host)
        )));
    }
    for host in held {
        let until = rows
            .iter()
            .filter(|row| row.host == host.0)
            .find_map(|row| row.hold_until);
        if until.is_none_or(|until| until <= now()) {
            writeln!(out, "{} is not held", host.0)?;
            continue;
        }
        let key = host.clone();
        asking.ask(|ticket| Command::Lift { host: key, ticket }, any_feeds)?;
        writeln!(out, "the hold of {} is lifted", host.0)?;
    }
    asking.end();
    Ok(exit::WELL)
}

/// The hosts that a person means: `example.org` with any port, `example.org:8080`, or the URL of a feed. Only hosts of
/// subscribed feeds.
fn hosts_of(rows: &[FeedRow], meant: &str) -> Vec<HostKey> {
    let Some(key) = config::normalise(meant)
        .ok()
        .and_then(|url| HostKey::of_str(&url))
    else {
        return Vec::new();
    };
    let port_given = meant.contains('/')
        || meant
            .rsplit_once(':')
            .is_some_and(|(_, port)| is_port(port));
    let name = |host: &str| host.rsplit_once(':').map(|(name, _)| name.to_owned());
    let mut hosts: Vec<HostKey> = rows
        .iter()
        .filter(|row| row.host == key.0 || (!port_given && name(&row.host) == name(&key.0)))
        .map(|row| HostKey(row.host.clone()))
        .collect();
    crate::model::arrange(&mut hosts, Ord::cmp);
    hosts.dedup();
    hosts
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Polls a feed again that was given up.
pub(super) fn enable(url: &str, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut asking = Asking::start(context)?;
    let rows = asking.feeds()?;
    let row = find(&rows, url)?;
    let title = name(&row.feed.title, &row.feed.url);
    let feed = row.feed.id;
    if row.off.is_none() {
        writeln!(out, "{title} is polled already")?;
    } else {
        asking.ask(|ticket| Command::Enable { feed, ticket }, any_feeds)?;
        writeln!(out, "{title} is polled again and due now")?;
    }
    asking.end();
    Ok(exit::WELL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(host: &str) -> FeedRow {
        FeedRow {
            host: host.to_owned(),
            ..FeedRow::default()
        }
    }

    #[test]
    fn a_host_is_meant_by_name_by_name_and_port_or_by_url() {
        let rows = [
            row("a.org:443"),
            row("a.org:8080"),
            row("b.org:443"),
            row("[::1]:80"),
            row("a.org:443"),
        ];
        for (meant, hosts) in [
            ("a.org", vec!["a.org:443", "a.org:8080"]),
            ("A.ORG:8080", vec!["a.org:8080"]),
            ("https://a.org/feed", vec!["a.org:443"]),
            ("http://[::1]/", vec!["[::1]:80"]),
            ("[::1]", vec!["[::1]:80"]),
            ("a.org/feed", vec!["a.org:443"]),
            ("https://a.org:8080", vec!["a.org:8080"]),
            ("a.org:99", vec![]),
            ("", vec![]),
            ("c.org", vec![]),
            ("org", vec![]),
        ] {
            let found: Vec<String> = hosts_of(&rows, meant)
                .into_iter()
                .map(|host| host.0)
                .collect();
            assert_eq!(found, hosts, "{meant}");
        }
    }
}
