//! Why a feed waits: what the store and the user's list know, put before the function that decided it.

use crate::config;
use crate::model::{
    AuditRecord, ChangeFiles, Cursor, Explanation, FeedId, Hold, HostState, Newer, OutcomeCode,
    Pace, Settings, SourceKind, Subscription, Timestamp, Why,
};
use crate::parse;
use crate::poll::{self, Known};
use crate::store::{PollInput, Store, StoreError};

/// All that bears on the next poll of `feed`; `None` for one that is not known.
pub fn explain(
    store: &Store,
    feed: FeedId,
    subscription: &Subscription,
    settings: &Settings,
    now: Timestamp,
) -> Result<Option<Explanation>, StoreError> {
    let (Some(row), Some(input)) = (store.row(feed)?, store.poll_input(feed)?) else {
        return Ok(None);
    };
    let (records, exchanges) = store.ledger(feed)?;
    let (from, status) = decided(&input, &records);
    let hold = hold(store, &input, settings, now)?;
    let then = known(&input, subscription, settings, from);
    let weighed = poll::considered(&then, status, input.host.hold_until);
    let next = input.state.schedule.next.unwrap_or(now).max(now);
    let later = known(&input, subscription, settings, next);
    let address = poll::address(&input.state, &subscription.url).to_owned();
    Ok(Some(Explanation {
        row,
        from,
        bounds: weighed
            .bounds
            .into_iter()
            .filter(|bound| bound.why != Why::HostHold || hold.is_some())
            .collect(),
        skip_hours: input.state.hints.skip_hours,
        skip_days: input.state.hints.skip_days,
        hold,
        sends: poll::validators_for(
            input.state.answered_by.as_deref().unwrap_or(&address),
            Pace::Scheduled,
            &later,
        ),
        validators_reason: poll::validators_reason(&later),
        address,
        older: store.backfill(feed)?,
        newer: newer(store, feed, subscription, &later)?,
        source: source(store, feed, subscription)?,
        full_wire: input.state.full_wire,
        plain_every: poll::plain_every(input.state.full_decoded, &settings.poll),
        records,
        exchanges,
    }))
}

/// What the next scheduled poll of a feed with `delta` asks for.
fn newer(
    store: &Store,
    feed: FeedId,
    subscription: &Subscription,
    later: &Known<'_>,
) -> Result<Option<Newer>, StoreError> {
    let Some(delta) = &subscription.delta else {
        return Ok(None);
    };
    let cursor = store.cursor(feed)?;
    let value = poll::since(delta, cursor.as_ref(), Pace::Scheduled, later);
    let resync = i64::try_from(delta.resync.as_secs()).unwrap_or(i64::MAX);
    let whole_at = cursor.as_ref().map(|cursor| cursor.whole_at);
    Ok(Some(Newer {
        param: delta.param.clone(),
        value,
        whole_at,
        resync_at: whole_at.map(|at| at.plus(resync)),
        refused_until: cursor.and_then(|cursor| cursor.refused_until),
    }))
}

/// What is remembered of a list or a sitemap, in words.
fn source(
    store: &Store,
    feed: FeedId,
    subscription: &Subscription,
) -> Result<Option<String>, StoreError> {
    Ok(match subscription.kind {
        SourceKind::Feed => match &subscription.changes {
            Some(changes) => Some(changed(store.cursor(feed)?, changes)),
            None => None,
        },
        SourceKind::List => Some(match store.roster(feed)? {
            None => "a list of feeds that was not read yet".to_owned(),
            Some(roster) => {
                let parked = roster.feeds.iter().filter(|feed| feed.absent.is_some());
                let parked = parked.count();
                let named = roster.feeds.len() - parked;
                format!("a list that names {named} feeds; {parked} more are parked")
            }
        }),
        SourceKind::Sitemap => Some(match store.site(feed)? {
            None => "a sitemap that was not read yet".to_owned(),
            Some(site) if site.files.is_empty() => {
                format!("a sitemap; {} pages seen", site.seen.len())
            }
            Some(site) => {
                let due = site.files.iter().filter(|file| file.due).count();
                let (files, seen) = (site.files.len(), site.seen.len());
                format!(
                    "an index of {files} sitemaps, {due} of them still to be read; {seen} pages seen"
                )
            }
        }),
    })
}

/// How far the change files of a feed were read, and when the feed itself is.
fn changed(cursor: Option<Cursor>, changes: &ChangeFiles) -> String {
    let pattern = config::masked(&changes.pattern);
    let read = cursor.filter(|cursor| cursor.whole_at > Timestamp::default());
    let Some((cursor, day)) = read.and_then(|cursor| Some((cursor.clone(), cursor.token?))) else {
        return format!("a feed with changes at {pattern}; the whole feed is asked for next");
    };
    let resync = i64::try_from(changes.resync.as_secs()).unwrap_or(i64::MAX);
    let again = cursor.whole_at.plus(resync).rfc3339();
    format!("changes at {pattern} are asked for from {day} on, the whole feed again after {again}")
}

const fn known<'a>(
    input: &'a PollInput,
    subscription: &'a Subscription,
    settings: &'a Settings,
    now: Timestamp,
) -> Known<'a> {
    Known {
        now,
        state: &input.state,
        host: &input.host,
        subscription,
        validators: input.validators.as_slice(),
        settings: &settings.poll,
        parser: parse::VERSION,
    }
}

/// The moment of the last decision that an answer led to, and that answer's status: a deferral since then has set
/// another time, but weighed nothing.
fn decided(input: &PollInput, records: &[AuditRecord]) -> (Timestamp, Option<u16>) {
    let schedule = &input.state.schedule;
    let answered = |record: &&AuditRecord| {
        !matches!(record.pace, Pace::Probe | Pace::Older)
            && (record.status != 0 || record.outcome != OutcomeCode::Deferred)
    };
    let last = records.iter().find(answered);
    let status = last
        .map(|record| record.status)
        .filter(|status| *status != 0);
    let unsent = matches!(schedule.why, Why::HostHold | Why::Budget | Why::Offline);
    let from = match last {
        Some(last) if unsent => last.at,
        _ => schedule.set_at,
    };
    (from, status)
}

/// The hold of the feed's host while it lasts, and the answer that set it.
fn hold(
    store: &Store,
    input: &PollInput,
    settings: &Settings,
    now: Timestamp,
) -> Result<Option<Hold>, StoreError> {
    let host: &HostState = &input.host;
    let Some(until) = poll::held(host, now, &settings.poll) else {
        return Ok(None);
    };
    let since = host.hold_since;
    let by = match since {
        Some(since) => store.hold_cause(&input.host_key, since)?,
        None => None,
    };
    Ok(Some(Hold { until, since, by }))
}
