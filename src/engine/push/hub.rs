//! One request to a hub, sent on where it says so, each hop in its own host's turn.

use std::sync::Arc;

use tokio::time::Instant;

use crate::fetch::{Request, is_private_host};
use crate::model::{Exchange, Validators};
use crate::poll::{self, Wait};
use crate::push::{self, HubAnswer, Mode, Push, Trail};
use crate::store::{PackedExchanges, Reply};

use super::super::batch::STARTS_FOR;
use super::super::clock;
use super::super::flight::{Flown, Radio};
use super::super::hop::{exchange_of, exchange_of_failure};
use super::super::pass::{Bar, Inner};
use super::super::preview::obey_answer;
use super::super::shared::Shared;
use super::super::subscribe::gate;

/// What a hub is asked.
pub struct Wish {
    /// The subscription, as it is stored before the request leaves.
    pub push: Push,
    /// What is asked.
    pub mode: Mode,
    /// The URL of the feed: on a private network its hub may be there too (R57).
    pub feed_url: String,
}

/// Asks, and tells the loop what came of it.
pub async fn ask(shared: Arc<Shared>, wish: Wish, stored: Reply<bool>, radio: Radio) -> Flown {
    let mut exchanges = Vec::new();
    let answer = match stored.await {
        Ok(Ok(_)) => steps(&shared, &wish, &radio, &mut exchanges).await,
        // Its verification would find nobody who knows of it.
        Ok(Err(_)) | Err(_) => HubAnswer::default(),
    };
    let exchanges = PackedExchanges::pack(&exchanges).unwrap_or_default();
    let _ = radio.inner.send(Inner::Hub {
        path: wish.push.path,
        answer,
        exchanges,
    });
    Flown::Told(Vec::new())
}

async fn steps(
    shared: &Shared,
    wish: &Wish,
    radio: &Radio,
    exchanges: &mut Vec<Exchange>,
) -> HubAnswer {
    let deadline = Instant::now() + shared.settings.http.total_timeout + STARTS_FOR;
    let form = push::form(&wish.push, wish.mode);
    let none = Validators::default();
    let mut trail = Trail::new(wish.push.hub());
    loop {
        let Some(mut pass) = gate(shared, &trail.url, radio).await else {
            return HubAnswer::default();
        };
        let now = clock::now();
        let held = poll::held(&pass.state, now, &shared.settings.poll);
        if let Some(until) = held.or(pass.bar.map(Bar::until)) {
            return HubAnswer {
                patience: Some(until.since(now)),
                ..HubAnswer::default()
            };
        }
        let request = Request {
            private_ok: is_private_host(&wish.feed_url),
            form: Some(&form),
            ..Request::new(&trail.url, &none)
        };
        let asked = shared.fetcher.get(request, deadline, clock::now).await;
        let answer = match asked {
            Ok(answer) => answer,
            Err(failure) => {
                exchanges.push(exchange_of_failure(&failure));
                return HubAnswer::default();
            }
        };
        exchanges.push(exchange_of(&answer));
        obey_answer(shared, &answer, false, &mut pass);
        let location = answer.headers.text("location");
        if let Some(next) = trail.clone().follow(answer.status, location.as_deref()) {
            trail = next;
            continue;
        }
        let well = matches!(answer.status, 200..=299);
        return HubAnswer {
            status: Some(answer.status),
            patience: seconds(poll::retry_after(&answer.headers, answer.at)),
            // One that leads nowhere renames nobody.
            moved: trail.moved.filter(|_| well),
        };
    }
}

fn seconds(wait: Wait) -> Option<i64> {
    match wait {
        Wait::Seconds(seconds) => Some(i64::from(seconds)),
        Wait::Unsaid | Wait::Unreadable => None,
    }
}
