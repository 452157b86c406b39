//! The ledger as text of `OpenMetrics` 1.0 (the specification of 2020, github.com/prometheus/OpenMetrics): families one after the
//! other, `# TYPE`, `# UNIT`, `# HELP`, samples, and `# EOF`. Or in the older format of Prometheus (0.0.4), which is all that the
//! textfile collector of `node_exporter` reads: it refuses a file with a type that it does not know, as `info` is.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::feeds::next_poll;
use super::figures::{Host, hold};
use super::say::shown;
use crate::model::{Counters, FeedRow, PushState, Timestamp};

/// What a family counts or measures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only ever grows; its samples end in `_total`.
    Counter,
    /// Now so, now so.
    Gauge,
    /// Text about the whole; its samples end in `_info`.
    Info,
}

impl Kind {
    const fn word(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Counter, _) => "counter",
            (Self::Info, Dialect::OpenMetrics) => "info",
            (Self::Gauge, _) | (Self::Info, Dialect::Prometheus) => "gauge",
        }
    }

    const fn suffix(self) -> &'static str {
        match self {
            Self::Counter => "_total",
            Self::Gauge => "",
            Self::Info => "_info",
        }
    }
}

/// How the page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `application/openmetrics-text`, version 1.0.0.
    OpenMetrics,
    /// `text/plain`, version 0.0.4.
    Prometheus,
}

/// The page in the making.
struct Page<'a> {
    out: &'a mut dyn Write,
    dialect: Dialect,
    family: String,
    kind: Kind,
}

impl Page<'_> {
    /// Begins a family. `unit` is the end of its name, or empty.
    fn family(&mut self, name: &str, kind: Kind, unit: &str, help: &str) -> io::Result<()> {
        // The older format names a family as its samples are named.
        let suffix = match self.dialect {
            Dialect::OpenMetrics => "",
            Dialect::Prometheus => kind.suffix(),
        };
        let word = kind.word(self.dialect);
        writeln!(self.out, "# TYPE {name}{suffix} {word}")?;
        if !unit.is_empty() && self.dialect == Dialect::OpenMetrics {
            writeln!(self.out, "# UNIT {name} {unit}")?;
        }
        writeln!(self.out, "# HELP {name}{suffix} {}", escaped(help))?;
        name.clone_into(&mut self.family);
        self.kind = kind;
        Ok(())
    }

    /// A sample of the family that was begun last.
    fn sample(&mut self, labels: &[(&str, &str)], value: &str) -> io::Result<()> {
        let mut text = String::new();
        for (at, (name, value)) in labels.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            // Writing into a string cannot fail.
            let _ = write!(text, "{comma}{name}=\"{}\"", escaped(value));
        }
        let suffix = self.kind.suffix();
        writeln!(self.out, "{}{suffix}{{{text}}} {value}", self.family)
    }
}

impl Page<'_> {
    /// A sample for each of them that has a value.
    fn each(
        &mut self,
        subjects: &[Subject<'_>],
        value: impl Fn(&Subject<'_>) -> Option<String>,
    ) -> io::Result<()> {
        for subject in subjects {
            if let Some(value) = value(subject) {
                self.sample(&subject.labels(), &value)?;
            }
        }
        Ok(())
    }
}

/// Backslash, quote and line feed, as the specification has them (section "Escaping").
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// Whom a row of samples is about.
struct Subject<'a> {
    labels: Vec<(&'static str, String)>,
    counters: &'a Counters,
    next: Option<Timestamp>,
    hold: Option<Timestamp>,
    errors_in_a_row: u32,
}

impl Subject<'_> {
    fn labels(&self) -> Vec<(&str, &str)> {
        self.labels
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect()
    }
}

/// Writes the page. Hosts are left out where one feed alone was asked for: their sums would be taken for the whole.
pub(super) fn write(
    rows: &[FeedRow],
    hosts: Option<&[Host<'_>]>,
    now: Timestamp,
    dialect: Dialect,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page {
        out,
        dialect,
        family: String::new(),
        kind: Kind::Gauge,
    };
    page.family(
        "tidings_build",
        Kind::Info,
        "",
        "Which tidings counted this.",
    )?;
    page.sample(&[("version", env!("CARGO_PKG_VERSION"))], "1")?;
    let feeds: Vec<Subject<'_>> = rows.iter().map(|row| of_feed(row, now)).collect();
    families(&mut page, "feed", &feeds)?;
    page.family(
        "tidings_feed_errors_in_a_row",
        Kind::Gauge,
        "",
        "Polls that ended in an error since the last good one.",
    )?;
    page.each(&feeds, |of| Some(of.errors_in_a_row.to_string()))?;
    deliveries(&mut page, rows, &feeds)?;
    if let Some(hosts) = hosts {
        let subjects: Vec<Subject<'_>> = hosts.iter().map(|host| of_host(host, now)).collect();
        families(&mut page, "host", &subjects)?;
        page.family(
            "tidings_host_feeds",
            Kind::Gauge,
            "",
            "Feeds subscribed on this host.",
        )?;
        for (host, subject) in hosts.iter().zip(&subjects) {
            page.sample(&subject.labels(), &host.feeds().to_string())?;
        }
    }
    match dialect {
        Dialect::OpenMetrics => page.out.write_all(b"# EOF\n"),
        Dialect::Prometheus => Ok(()),
    }
}

/// What hubs brought; of feeds that are subscribed at one.
fn deliveries(page: &mut Page<'_>, rows: &[FeedRow], subjects: &[Subject<'_>]) -> io::Result<()> {
    let pushed = || {
        let both = rows.iter().zip(subjects);
        both.filter_map(|(row, of)| Some((row.push.as_deref()?, of)))
    };
    if pushed().next().is_none() {
        return Ok(());
    }
    let name = "tidings_feed_push_deliveries";
    let help =
        "What a hub delivered, and what of it was refused: forged, sent again, by a weaker method.";
    page.family(name, Kind::Counter, "", help)?;
    for (push, of) in pushed() {
        for (result, count) in [("accepted", push.deliveries), ("refused", push.refused)] {
            let mut labels = of.labels();
            labels.push(("result", result));
            page.sample(&labels, &count.to_string())?;
        }
    }
    let name = "tidings_feed_push_lease_until_timestamp_seconds";
    let help = "Until when a hub has promised to push; absent while none has.";
    page.family(name, Kind::Gauge, "seconds", help)?;
    for (push, of) in pushed() {
        if let PushState::Active { until, .. } = push.state {
            page.sample(&of.labels(), &until.0.to_string())?;
        }
    }
    let name = "tidings_feed_push_latency_seconds";
    let help = "From the newest entry's own date to its coming, of the last delivery.";
    page.family(name, Kind::Gauge, "seconds", help)?;
    for (push, of) in pushed() {
        if let Some(latency) = push.latency {
            page.sample(&of.labels(), &latency.to_string())?;
        }
    }
    Ok(())
}

fn of_feed(row: &FeedRow, now: Timestamp) -> Subject<'_> {
    Subject {
        // Two feeds may differ in their login alone, which is masked: the number tells them apart.
        labels: vec![
            ("id", row.feed.id.0.to_string()),
            ("feed", shown(&row.feed.url)),
            ("host", row.host.clone()),
        ],
        counters: &row.counters,
        next: next_poll(row),
        hold: hold(row, now),
        errors_in_a_row: row.schedule.failures,
    }
}

fn of_host<'a>(host: &'a Host<'_>, now: Timestamp) -> Subject<'a> {
    Subject {
        labels: vec![("host", host.name().to_owned())],
        counters: host.counters(),
        next: host.first().and_then(next_poll),
        hold: host.hold(now),
        errors_in_a_row: 0,
    }
}

/// What feeds and hosts have alike.
fn families(page: &mut Page<'_>, whose: &str, subjects: &[Subject<'_>]) -> io::Result<()> {
    page.family(
        &format!("tidings_{whose}_polls"),
        Kind::Counter,
        "",
        "Polls by what came of them; deferred ones that sent no request included.",
    )?;
    for subject in subjects {
        for (outcome, count) in outcomes(subject.counters) {
            let mut labels = subject.labels();
            labels.push(("outcome", outcome));
            page.sample(&labels, &count.to_string())?;
        }
    }
    counters(page, whose, subjects)?;
    gauges(page, whose, subjects)
}

fn counters(page: &mut Page<'_>, whose: &str, subjects: &[Subject<'_>]) -> io::Result<()> {
    let name = |rest: &str| format!("tidings_{whose}_{rest}");
    let help = "Requests that carried a validator.";
    page.family(&name("conditional_requests"), Kind::Counter, "", help)?;
    page.each(subjects, |of| Some(of.counters.conditional.to_string()))?;
    let help = "Body bytes on the wire.";
    page.family(&name("received_bytes"), Kind::Counter, "bytes", help)?;
    page.each(subjects, |of| Some(of.counters.bytes.to_string()))?;
    let help = "Body bytes that a 304 made unnecessary.";
    page.family(&name("saved_bytes"), Kind::Counter, "bytes", help)?;
    page.each(subjects, |of| Some(of.counters.bytes_saved.to_string()))
}

fn gauges(page: &mut Page<'_>, whose: &str, subjects: &[Subject<'_>]) -> io::Result<()> {
    let name = |rest: &str| format!("tidings_{whose}_{rest}");
    let time = |at: Timestamp| at.0.to_string();
    let help = "Share of good answers that were 304; absent before the first.";
    page.family(&name("not_modified_ratio"), Kind::Gauge, "ratio", help)?;
    page.each(subjects, |of| {
        of.counters.hit_rate().map(|rate| format!("{rate:.6}"))
    })?;
    let help = "When it is asked next; absent when it is not asked any more.";
    let next = name("next_poll_timestamp_seconds");
    page.family(&next, Kind::Gauge, "seconds", help)?;
    page.each(subjects, |of| of.next.map(time))?;
    let help = "No request before then: the host asked for it. Absent when it is not held.";
    let hold = name("hold_until_timestamp_seconds");
    page.family(&hold, Kind::Gauge, "seconds", help)?;
    page.each(subjects, |of| of.hold.map(time))
}

/// Every poll is in one of these, but for the one that found a feed gone.
fn outcomes(counters: &Counters) -> [(&'static str, u64); 5] {
    [
        ("not_modified", counters.not_modified304),
        (
            "changed",
            counters.ok200.saturating_sub(counters.identical200),
        ),
        ("identical", counters.identical200),
        ("error", counters.errors),
        ("deferred", counters.deferred),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r74_what_stands_between_quotes_is_escaped() {
        let mut out = Vec::new();
        let mut page = Page {
            out: &mut out,
            dialect: Dialect::OpenMetrics,
            family: String::new(),
            kind: Kind::Gauge,
        };
        page.family("a_bytes", Kind::Counter, "bytes", "one\\two\nthree")
            .and_then(|()| page.sample(&[("x", "q\"\\\n"), ("y", "")], "1"))
            .expect("a vector takes it");
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "# TYPE a_bytes counter\n# UNIT a_bytes bytes\n# HELP a_bytes one\\\\two\\nthree\n\
             a_bytes_total{x=\"q\\\"\\\\\\n\",y=\"\"} 1\n"
        );
    }
}
