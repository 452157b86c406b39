//! Older pages of a feed (R81), one request a step: the feed itself to find the way, robots.txt, then page after page. Each page
//! is committed with the place it leads to, so that whatever ends a run loses nothing but the page under way.

use std::sync::Arc;

use tokio::sync::oneshot;
use url::Url;

use crate::config;
use crate::model::{
    Answer, Backfill, ErrorKind, FeedId, HostKey, Keep, Pace, PollError, SourceKind, Subscription,
    Timestamp, WayEnd,
};
use crate::parse::{self, Changes, Parsed};
use crate::poll::{self, Disallow, NextPage, Older, PageFacts, Verdict};
use crate::store::{HostNote, OlderCommit, Packed, PackedExchanges, PollInput};

use super::ask::ask;
use super::audit;
use super::clock;
use super::digest::former;
use super::flight::{Flown, Radio};
use super::hop::same_origin;
use super::job::{Fetched, Job};
use super::older_runs::Run;
use super::pass::{Bar, Inner, Pass, Toll};
use super::preview::obey;
use super::protocol::Event;
use super::reading::poll_error;
use super::rules;
use super::shared::Shared;
use super::subscribe::stranger;

/// What a step came to.
enum Step {
    /// There is more to do.
    On,
    /// A page is on disk, and there is more to do.
    Page,
    /// The run is over.
    Done,
}

/// One step: at most one page, and whatever redirects lead to it.
pub async fn step(shared: Arc<Shared>, mut run: Box<Run>, radio: Radio) -> Flown {
    let (ticket, feed) = (run.ticket, run.feed);
    let before = run.tally.entries;
    let done = match run.step(&shared, &radio).await {
        Ok(Step::On) => return Flown::Followed(Vec::new(), Some(run)),
        Ok(Step::Page) => false,
        Ok(Step::Done) => true,
        Err(why) => {
            run.tally.trouble = Some(why);
            true
        }
    };
    if let Ok(Some(place)) = shared.store.backfill(feed) {
        run.tally.place = place;
    }
    let told = Box::new(run.tally.clone());
    let told = if done {
        Event::Backfilled {
            ticket,
            feed,
            run: told,
        }
    } else {
        Event::BackfillPage {
            ticket,
            feed,
            run: told,
        }
    };
    let grew = run.tally.entries > before;
    let events = match Flown::with_list(&shared, told) {
        Flown::Told(mut events) => match events.pop() {
            Some(last) if !grew => vec![last],
            last => events.into_iter().chain(last).collect(),
        },
        _ => Vec::new(),
    };
    Flown::Followed(events, (!done).then_some(run))
}

impl Run {
    async fn step(&mut self, shared: &Arc<Shared>, radio: &Radio) -> Result<Step, String> {
        let place = shared.store.backfill(self.feed).map_err(told)?;
        let place = place.unwrap_or_default();
        let url = match poll::backfill_begins(&place, &self.wish, clock::now()) {
            NextPage::Rest(_) => return Ok(Step::Done),
            NextPage::Head => return self.head(shared, &place, radio).await,
            NextPage::Page(url) => url,
        };
        if self.tally.pages >= self.tally.most {
            return Ok(Step::Done);
        }
        if self.is_full(shared)? {
            return self.bar(shared, &place, WayEnd::Limits).await;
        }
        match &self.robots {
            None => {
                self.robots = Some(self.robots(shared, &url, radio).await?);
                Ok(Step::On)
            }
            Some(robots) if !robots.allows(&url) => {
                self.bar(shared, &place, WayEnd::Disallowed).await
            }
            Some(_) => self.page(shared, &place, &url, radio).await,
        }
    }

    /// Looks at the feed itself for the way, and at nothing else of it: its entries are the next poll's, and neither validators
    /// nor schedule hear of this request.
    async fn head(
        &mut self,
        shared: &Arc<Shared>,
        place: &Backfill,
        radio: &Radio,
    ) -> Result<Step, String> {
        let input = self.input(shared)?;
        let url = poll::address(&input.state, &self.subscription.url).to_owned();
        let mut fetched = self.ask(shared, &url, radio, false).await?;
        let read = self.read(shared, &mut fetched).await;
        let (answer, parsed) = match read {
            Ok(read) => read,
            Err(error) => return self.fail(shared, place, &fetched, &error).await,
        };
        let again = self.wish.again;
        let known = |url: &str| {
            let pass = shared.store.older_page(self.feed, url).ok().flatten();
            pass.filter(|_| !again)
        };
        let (place, wire) = (
            if again { &Backfill::default() } else { place },
            answer.body.wire,
        );
        let older = older(&parsed);
        let found = (answer.url.as_str(), wire);
        let after = poll::backfill_found(place, &self.wish, older, found, clock::now(), known);
        let commit = OlderCommit {
            anew: again,
            audit: vec![audit::of_older(&fetched, Ok(0), &input.state.schedule)],
            exchanges: PackedExchanges::pack(&fetched.exchanges).map_err(told)?,
            ..self.commit(after)
        };
        self.tally.bytes += wire;
        write(shared, commit).await?;
        self.wish.again = false;
        Ok(Step::On)
    }

    async fn page(
        &mut self,
        shared: &Arc<Shared>,
        place: &Backfill,
        url: &str,
        radio: &Radio,
    ) -> Result<Step, String> {
        let mut fetched = self.ask(shared, url, radio, true).await?;
        let read = self.read(shared, &mut fetched).await;
        let (answer, parsed) = match read {
            Ok(read) => read,
            Err(error) => return self.fail(shared, place, &fetched, &error).await,
        };
        if self
            .robots
            .as_ref()
            .is_some_and(|robots| !robots.allows(&answer.url))
        {
            return self.bar(shared, place, WayEnd::Disallowed).await;
        }
        let input = self.input(shared)?;
        let links = parsed.paging.clone();
        let (entries, hash) = (parsed.entries.len(), parsed.entries_hash);
        let (new, too_old, packed) = self.pack(shared, &input, parsed).await?;
        let facts = PageFacts {
            older: Older {
                archive: links.archive.as_deref(),
                next: links.next.as_deref(),
            },
            entries,
            new,
            hash,
            bytes: answer.body.wire,
        };
        let known = |url: &str| shared.store.older_page(self.feed, url).ok().flatten();
        let mut after = poll::backfill_read(place, &facts, clock::now(), known);
        if too_old && after.end.is_none() {
            after = poll::barred(&after, WayEnd::Limits);
        }
        let schedule = &input.state.schedule;
        let count = u32::try_from(new).unwrap_or(u32::MAX);
        let commit = OlderCommit {
            page: Some(url.to_owned()),
            entries: packed,
            keep: shared.settings.keep_of(&self.subscription),
            audit: vec![audit::of_older(&fetched, Ok(count), schedule)],
            exchanges: PackedExchanges::pack(&fetched.exchanges).map_err(told)?,
            ..self.commit(after)
        };
        let had = shared.store.row(self.feed).map_err(told)?;
        let place = commit.place.clone();
        let has = write(shared, commit).await?;
        self.tally.pages += 1;
        self.tally.entries += new as u64;
        self.tally.bytes += answer.body.wire;
        self.tally.page = Some(config::masked(url));
        let too_many = had.is_some_and(|row| has < row.total + new as u64);
        if too_many && place.end.is_none() {
            return self.bar(shared, &place, WayEnd::Limits).await;
        }
        Ok(if too_old { Step::Done } else { Step::Page })
    }

    /// What a page says of the host's wishes; its `Crawl-delay` holds from now on (R73).
    async fn robots(
        &self,
        shared: &Arc<Shared>,
        page: &str,
        radio: &Radio,
    ) -> Result<Disallow, String> {
        let Some(url) = poll::robots_url(page) else {
            return Ok(Disallow::unreachable());
        };
        let plain = Subscription {
            url,
            ..Subscription::default()
        };
        let mut job = stranger(shared, &plain);
        job.subscription = Arc::new(plain);
        let pass = gate(&job.subscription.url, radio).await?;
        let known = pass.state.clone();
        let mut fetched = ask(shared, &job, pass, &radio.inner).await;
        if let Some(bar) = fetched.barred {
            return Err(barred(bar));
        }
        let end = fetched.end.as_deref().map_err(|error| error.kind);
        let policy = &shared.settings.poll;
        let asked = fetched.hops.is_empty();
        if let Some(after) = poll::robots_read(end, false, &known, clock::now(), policy)
            && asked
        {
            let note = HostNote::Robots {
                state: Box::new(after.clone()),
                turn: fetched.pass.turn,
            };
            shared.writer.host(fetched.pass.host().clone(), note);
            fetched.pass.learn(after);
        }
        let text = |bytes: &[u8]| {
            let most = usize::try_from(poll::ROBOTS_MAX).unwrap_or(usize::MAX);
            Disallow::read(&bytes[..bytes.len().min(most)])
        };
        match &fetched.end {
            Ok(answer) => match poll::judge(answer, false) {
                Verdict::Parse => Ok(text(&answer.body.bytes)),
                Verdict::Throttled => Err(format!("the server asks to wait ({})", answer.status)),
                _ if answer.status < 500 => Ok(Disallow::default()),
                _ => Ok(Disallow::unreachable()),
            },
            Err(error) => match error.kind {
                // A file of this size or a chain that leads nowhere is none.
                ErrorKind::TooLarge | ErrorKind::Redirect | ErrorKind::Empty => {
                    Ok(Disallow::default())
                }
                _ => Err(format!("robots.txt of the host could not be read: {error}")),
            },
        }
    }

    /// Asks for a page with the settings of the feed; what is the feed's own secret goes to its origin alone.
    async fn ask(
        &self,
        shared: &Arc<Shared>,
        url: &str,
        radio: &Radio,
        stays: bool,
    ) -> Result<Fetched, String> {
        let mut page = Subscription::clone(&self.subscription);
        // A page is a feed by itself, whatever stands beside the newest.
        (page.delta, page.changes, page.kind) = (None, None, SourceKind::Feed);
        url.clone_into(&mut page.url);
        if !same_origin(url, &self.subscription.url) {
            page.http.headers.clear();
            page.http.auth_file = None;
            page.http.auth_env = None;
        } else if let (Ok(own), Ok(mut with)) =
            (Url::parse(&self.subscription.url), Url::parse(url))
        {
            // An http URL always takes these.
            let _ = with.set_username(own.username());
            let _ = with.set_password(own.password());
            page.url = with.into();
        }
        let mut job: Job = stranger(shared, &page);
        job.stays = stays;
        let pass = gate(url, radio).await?;
        let mut fetched = ask(shared, &job, pass, &radio.inner).await;
        obey(shared, &mut fetched);
        match fetched.barred {
            Some(bar) => Err(barred(bar)),
            None => Ok(fetched),
        }
    }

    /// Judges and parses.
    async fn read(
        &self,
        shared: &Shared,
        fetched: &mut Fetched,
    ) -> Result<(Arc<Answer>, Parsed), PollError> {
        let answer = match &fetched.end {
            Ok(answer) => answer,
            Err(error) => return Err(error.clone()),
        };
        match poll::judge(answer, false) {
            Verdict::Parse => {}
            Verdict::Failed(error) => {
                return Err(parse::named(answer, &self.subscription.url, &error, true));
            }
            Verdict::Gone => return Err(PollError::new(ErrorKind::Status, "410")),
            _ => {
                let why = format!("{}: the server asks to wait", answer.status);
                return Err(PollError::new(ErrorKind::Status, why));
            }
        }
        let answer = Arc::new(Answer::clone(answer));
        let place = shared.parsing.acquire().await;
        let of = Arc::clone(&answer);
        let parsed = tokio::task::spawn_blocking(move || {
            let content_type = of.headers.text("content-type");
            parse::parse(&of.body.bytes, content_type.as_deref(), &of.url)
        });
        let parsed = parsed
            .await
            .map_err(|error| PollError::new(ErrorKind::NotAFeed, error.to_string()))?;
        drop(place);
        Ok((answer, parsed.map_err(|error| poll_error(&error))?))
    }

    /// What the store does not have of a page: how many, whether all of it is older than what is kept, and the entries.
    async fn pack(
        &self,
        shared: &Arc<Shared>,
        input: &PollInput,
        parsed: Parsed,
    ) -> Result<(usize, bool, Packed), String> {
        let keep = shared.settings.keep_of(&self.subscription).in_force();
        let oldest = keep.age.map(|age| {
            let seconds = i64::try_from(age.as_secs()).unwrap_or(i64::MAX);
            clock::now().plus(-seconds)
        });
        let mut job = stranger(shared, &self.subscription);
        job.input.feed.clone_from(&input.feed);
        let (room, unread) = (Arc::clone(shared), self.wish.unread);
        let packed = tokio::task::spawn_blocking(move || {
            let mut changes = changes(&room, job.input.feed.id, parsed)?;
            let found = changes.new.len();
            let is_young = |date: Option<Timestamp>| match (oldest, date) {
                (Some(oldest), Some(date)) => date >= oldest,
                _ => true,
            };
            changes
                .new
                .retain(|entry| is_young(entry.published.or(entry.updated)));
            let new = changes.new.len();
            let mut judged = rules::judge(&room, &job, None, &changes.new);
            let mut packed = crate::store::pack(changes).map_err(told)?;
            judged.mark(&mut packed);
            if !unread {
                packed.begin_read();
            }
            Ok::<_, String>((new, found > 0 && new == 0, packed))
        });
        packed.await.map_err(told)?
    }

    /// There is no room for more entries of this feed.
    fn is_full(&self, shared: &Shared) -> Result<bool, String> {
        let keep = shared.settings.keep_of(&self.subscription).in_force();
        let Some(most) = keep.entries else {
            return Ok(false);
        };
        let row = shared.store.row(self.feed).map_err(told)?;
        Ok(row.is_some_and(|row| row.total >= most))
    }

    /// Nothing is asked: the place says why.
    async fn bar(&self, shared: &Shared, place: &Backfill, end: WayEnd) -> Result<Step, String> {
        write(shared, self.commit(poll::barred(place, end))).await?;
        Ok(Step::Done)
    }

    /// What the audit is told of a request that brought nothing, and whether that is the end of the way.
    async fn fail(
        &mut self,
        shared: &Shared,
        place: &Backfill,
        fetched: &Fetched,
        error: &PollError,
    ) -> Result<Step, String> {
        let input = self.input(shared)?;
        let status = fetched.end.as_ref().map_or(0, |answer| answer.status);
        let end = poll::backfill_missing(place, status);
        let commit = OlderCommit {
            audit: vec![audit::of_older(
                fetched,
                Err(error.kind),
                &input.state.schedule,
            )],
            exchanges: PackedExchanges::pack(&fetched.exchanges).map_err(told)?,
            ..self.commit(end.clone().unwrap_or_else(|| place.clone()))
        };
        write(shared, commit).await?;
        match end {
            Some(_) => Ok(Step::Done),
            None => Err(error.to_string()),
        }
    }

    fn input(&self, shared: &Shared) -> Result<PollInput, String> {
        let input = shared.store.poll_input(self.feed).map_err(told)?;
        input.ok_or_else(|| "the feed is not subscribed any more".to_owned())
    }

    fn commit(&self, place: Backfill) -> OlderCommit {
        OlderCommit {
            feed: self.feed,
            at: clock::now(),
            place,
            page: None,
            anew: false,
            entries: Packed::default(),
            audit: Vec::new(),
            exchanges: PackedExchanges::default(),
            keep: Keep::default(),
        }
    }
}

/// Never seen entries alone: what is known by now is at least as new as what an older page says of it.
fn changes(shared: &Shared, feed: FeedId, parsed: Parsed) -> Result<Changes, String> {
    let keys: Vec<_> = parsed.entries.iter().map(|entry| entry.key).collect();
    let known = shared.store.known_entries(feed, &keys).map_err(told)?;
    let former = former(shared, feed, &parsed.entries, &known).map_err(told)?;
    let changes = parse::change(parsed.entries, &known, &former);
    Ok(Changes {
        new: changes.new,
        ..Changes::default()
    })
}

fn older(parsed: &Parsed) -> Older<'_> {
    Older {
        archive: parsed.paging.archive.as_deref(),
        next: parsed.paging.next.as_deref(),
    }
}

/// Entries of the feed afterwards.
async fn write(shared: &Shared, commit: OlderCommit) -> Result<u64, String> {
    match shared.writer.older(commit).await {
        Ok(Ok((total, ..))) => Ok(total),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the store is closed".to_owned()),
    }
}

/// Waits for the turn of a host: spacing, holds and budget are those of every request (R39, R71, R72).
async fn gate(url: &str, radio: &Radio) -> Result<Pass, String> {
    let host =
        HostKey::of_str(url).ok_or_else(|| format!("{} has no host", config::masked(url)))?;
    let (reply, turn) = oneshot::channel();
    let toll = Toll {
        pace: Pace::Manual,
        first: false,
    };
    let _ = radio.inner.send(Inner::Gate { host, toll, reply });
    let pass = turn.await.map_err(|_| {
        "its turn did not come: another tidings was polling, or this machine is offline".to_owned()
    })?;
    match pass.bar {
        Some(bar) => Err(barred(bar)),
        None => Ok(pass),
    }
}

fn barred(bar: Bar) -> String {
    match bar {
        Bar::Held(until) => format!(
            "its host asked to be left alone until {}; it was not asked",
            until.rfc3339()
        ),
        Bar::Spent(until) => format!(
            "the requests that its host gets in an hour (host_budget) are spent; it may be asked at {}",
            until.rfc3339()
        ),
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where `map_err` hands the error over"
)]
fn told(why: impl ToString) -> String {
    why.to_string()
}
