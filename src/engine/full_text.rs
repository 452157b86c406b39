//! The article of an entry's own page: fetched once, extracted, kept beside the entry.

use std::sync::Arc;

use crate::article;
use crate::model::{Answer, EntryId, FullText, Validators};
use crate::parse;

use super::clock;
use super::flight::{Flown, Radio};
use super::guest::{self, Errand};
use super::protocol::{Event, FailureKind, Ticket};
use super::shared::Shared;

/// Bytes of a page that are read.
const MAX_PAGE: u64 = 8 * 1024 * 1024;

/// Whose page is wanted.
pub struct Wish {
    /// The entry.
    pub id: EntryId,
    /// Ask again, though it is kept.
    pub again: bool,
    /// The URL of its feed.
    pub feed_url: String,
    /// Of the command.
    pub ticket: Ticket,
}

/// Gives the article of an entry's page, from the store or from its server.
pub async fn full_text(shared: Arc<Shared>, wish: Wish, radio: Radio) -> Flown {
    let (id, ticket) = (wish.id, wish.ticket);
    let event = match steps(&shared, &wish, &radio).await {
        Ok(full) => Event::FullText {
            ticket,
            id,
            full: Box::new(full),
        },
        Err(why) => Event::Failed {
            ticket,
            what: "the full text could not be fetched, the feed's own stays".to_owned(),
            why,
            kind: FailureKind::Busy,
        },
    };
    Flown::Told(vec![event])
}

async fn steps(shared: &Arc<Shared>, wish: &Wish, radio: &Radio) -> Result<FullText, String> {
    let read = |error: crate::store::StoreError| error.to_string();
    let kept = shared.store.full_text(wish.id).map_err(read)?;
    let (kept, validators) = match kept {
        Some((full, _)) if !wish.again => return Ok(full),
        Some((full, validators)) => (Some(full), validators),
        None => (None, Validators::default()),
    };
    let entry = shared.store.entry(wish.id).map_err(read)?;
    let link = entry
        .ok_or("the entry is not stored any more")?
        .head
        .link
        .ok_or("the feed names no page for this entry")?;
    let errand = Errand {
        url: &link,
        feed_url: &wish.feed_url,
        validators: &validators,
        max_body: MAX_PAGE,
    };
    let answer = guest::get(shared, &errand, radio).await?;
    if answer.status == 304 {
        return kept.ok_or_else(|| "the server says that nothing has changed".to_owned());
    }
    let full = extracted(shared, answer, wish, &link).await?;
    Ok(full)
}

async fn extracted(
    shared: &Arc<Shared>,
    answer: Answer,
    wish: &Wish,
    link: &str,
) -> Result<FullText, String> {
    let content_type = answer.headers.text("content-type").unwrap_or_default();
    let kind = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    if !(kind.is_empty() || kind.contains("html") || kind == "text/plain") {
        return Err(format!("{kind} is no web page"));
    }
    // Validators belong to the URL that was asked; after a redirect they would be sent to another.
    let validators = if answer.url == link.split('#').next().unwrap_or_default() {
        Validators {
            etag: answer.headers.get("etag").map(<[u8]>::to_vec),
            last_modified: answer.headers.get("last-modified").map(<[u8]>::to_vec),
        }
    } else {
        Validators::default()
    };
    let place = shared.parsing.acquire().await;
    let url = answer.url.clone();
    let from = url.clone();
    let text = tokio::task::spawn_blocking(move || {
        let html = parse::text_of(&answer.body.bytes, Some(&content_type));
        article::extract(&html, &from)
    });
    let text = text
        .await
        .map_err(|_| "the page could not be read".to_owned())?;
    drop(place);
    let full = FullText {
        url,
        text: text.ok_or("no article was found on the page; o opens it in the browser")?,
        at: clock::now(),
    };
    let written = shared.writer.full_text(wish.id, full.clone(), validators);
    match written.await {
        Ok(Ok(_)) => {}
        // It can be read all the same.
        Ok(Err(error)) => tracing::warn!("the full text could not be stored: {error}"),
        Err(_) => tracing::warn!("the full text could not be stored: the store is closed"),
    }
    Ok(full)
}
