//! What comes in at the door: verifications are answered when their state is on disk, deliveries when they are.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::callback::{Call, Reply};
use crate::config;
use crate::push::{self, Delivery, Push, Verdict};
use crate::store::Delivered;

use super::super::clock;
use super::super::protocol::Event;
use super::super::run::{Engine, Halt};
use super::delivery::{Judged, Letter, Stored, judge};
use super::state::{Done, Stir};

impl Engine {
    /// Something happened at the door, or behind it.
    pub(in super::super) fn stirred(&mut self, stir: Stir) {
        match stir {
            // Dropping the call is a 404; a hub tries again.
            Stir::Call(_) if self.halt != Halt::No => {}
            Stir::Call(Call::Verify { path, query, reply }) => self.verify(&path, &query, reply),
            Stir::Call(Call::Knock { path, reply }) => self.knock(&path, reply),
            Stir::Call(Call::Deliver {
                path,
                signature,
                content_type,
                body,
                reply,
            }) => self.deliver(Letter {
                path,
                signature,
                content_type,
                body,
                reply,
            }),
            Stir::Done(Done::Answered) => {}
            Stir::Done(Done::Judged(judged)) => self.judged(*judged),
            Stir::Done(Done::Stored(stored)) => self.delivered(*stored),
        }
    }

    fn verify(&mut self, path: &str, query: &str, reply: oneshot::Sender<Reply>) {
        let now = clock::now();
        let Some(sub) = self.pushes.subs.get(path) else {
            return;
        };
        let hub = config::masked(sub.push.hub());
        let topic = config::masked(&sub.push.topic);
        match push::verify(&sub.push, query, now) {
            Verdict::NotFound => {}
            Verdict::Echo(challenge, push) => {
                let said = match push.lease {
                    Some(lease) => {
                        let until = lease.until().rfc3339();
                        format!("{hub} pushes {topic} until {until}")
                    }
                    None => format!("{hub} pushes {topic} no longer"),
                };
                self.answer(path, *push, Reply::Echo(challenge), reply);
                self.say_push(said);
            }
            Verdict::Denied(mut push) => {
                let reason = push.denied.as_ref().map_or("", |(_, reason)| reason);
                let said = format!("{hub} will not push {topic}: {reason}");
                // What the hub may have kept back is asked for.
                push.owed = true;
                self.answer(path, *push, Reply::Done, reply);
                self.say_push(said);
            }
            Verdict::Useless(push) => {
                self.answer(path, *push, Reply::NotFound, reply);
                self.say_push(format!("{hub} promised too little for {topic}"));
            }
        }
    }

    /// Answers as soon as the state is on disk; where it cannot be written, with a 404.
    fn answer(&mut self, path: &str, push: Push, say: Reply, reply: oneshot::Sender<Reply>) {
        let Some(sub) = self.pushes.subs.get_mut(path) else {
            return;
        };
        sub.push = push.clone();
        let stored = self
            .shared
            .writer
            .push(sub.feed, path.to_owned(), Some(push));
        self.pushes.hurry(clock::now());
        self.pushes.tasks.spawn(async move {
            if let Ok(Ok(_)) = stored.await {
                let _ = reply.send(say);
            }
            Done::Answered
        });
    }

    /// Is there anybody who wants a delivery? Its body is read only then.
    fn knock(&self, path: &str, reply: oneshot::Sender<Reply>) {
        let Some(sub) = self.pushes.subs.get(path) else {
            return;
        };
        let wanted = push::is_wanted(&sub.push, clock::now());
        let _ = reply.send(if wanted { Reply::Done } else { Reply::Gone });
    }

    fn deliver(&mut self, letter: Letter) {
        let Some(sub) = self.pushes.subs.get(&letter.path) else {
            return;
        };
        let (feed, push) = (sub.feed, sub.push.clone());
        // The feed is gone, and its subscription not yet left: nobody wants it.
        let Ok(Some(job)) = self.job(feed) else {
            let _ = letter.reply.send(Reply::Gone);
            return;
        };
        let shared = Arc::clone(&self.shared);
        let judged = judge(shared, job, push, letter);
        self.pushes.tasks.spawn(async move {
            match judged.await {
                Some(judged) => Done::Judged(Box::new(judged)),
                None => Done::Answered,
            }
        });
    }

    /// A delivery was judged, and what was worth reading is read.
    fn judged(&mut self, judged: Judged) {
        let now = clock::now();
        let Judged {
            letter,
            delivery,
            news,
            took,
        } = judged;
        let Some(sub) = self.pushes.subs.get_mut(&letter.path) else {
            return;
        };
        let feed = sub.feed;
        let mut push = push::mark_delivered(sub.push.clone(), delivery, &letter.body, now);
        match (delivery, news) {
            (Delivery::Unwanted, _) => {
                let _ = letter.reply.send(Reply::Gone);
            }
            (Delivery::Refused(why), _) => {
                // Not written: whoever forges must not be able to make the disk work.
                sub.push = push;
                tracing::debug!(feed = feed.0, ?why, "a delivery was refused");
                let _ = letter.reply.send(Reply::Done);
            }
            (Delivery::Fat { .. }, Some(Ok(news))) => {
                push.latency = news.newest.map(|newest| now.since(newest).max(0));
                sub.push = push.clone();
                let delivered = Delivered {
                    feed,
                    at: now,
                    entries: news.entries,
                    audit: news.audit,
                    keep: news.keep,
                    push,
                };
                let written = self.shared.writer.deliver(delivered);
                let mut stored = Box::new(Stored {
                    feed,
                    url: news.url,
                    new: news.new,
                    updated: news.updated,
                    bytes: letter.body.len() as u64,
                    took,
                    deeds: news.deeds,
                });
                let reply = letter.reply;
                self.pushes.tasks.spawn(async move {
                    match written.await {
                        Ok(Ok(true)) => {
                            let _ = reply.send(Reply::Done);
                            Done::Stored(stored)
                        }
                        Ok(Ok(false)) => {
                            let _ = reply.send(Reply::Gone);
                            stored.deeds.clear();
                            Done::Answered
                        }
                        // The hub tries again.
                        Ok(Err(_)) | Err(_) => Done::Answered,
                    }
                });
            }
            // A ping, or a body that is no feed, or another's: the topic says what there is.
            (Delivery::Thin | Delivery::Fat { .. }, news) => {
                if let Some(Err(why)) = news {
                    let feed = config::masked(&push.topic);
                    self.say_push(format!("a delivery of {feed} brought {why}; it is polled"));
                }
                push.owed = true;
                self.answer(&letter.path, push, Reply::Done, letter.reply);
            }
        }
    }

    /// A delivery is on disk: it is told like a poll.
    fn delivered(&mut self, stored: Stored) {
        self.glance.forget();
        let row = self.shared.store.row(stored.feed);
        if let Ok(Some(row)) = row {
            let (report, deeds) = stored.report(row);
            self.tell(Event::Polled(Box::new(report)));
            self.carry_out(deeds);
        }
    }
}
