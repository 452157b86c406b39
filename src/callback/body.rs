//! The bodies of deliveries, which wait in memory that is counted.

use std::ops::Deref;
use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All bodies that wait, in bytes.
pub const POOL: usize = 16 * 1024 * 1024;
/// One body, in bytes: a fat ping holds a few entries, or the whole feed.
pub const BODY_MAX: usize = 8 * 1024 * 1024;
/// What memory is counted in, in bytes.
const UNIT: usize = 1024;

/// A body; its share of the pool comes back when it is dropped.
#[derive(Debug)]
pub struct Body {
    bytes: Vec<u8>,
    held: Option<OwnedSemaphorePermit>,
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// More than one body may have.
    TooLarge,
    /// Others occupy the pool.
    NoRoom,
    /// The peer broke off.
    Broken,
}

/// The pool, empty.
pub(super) fn pool() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(POOL / UNIT))
}

/// Reads all of it. Frames are copied: each would keep the buffer that it was read into.
pub(super) async fn read(mut incoming: Incoming, pool: &Arc<Semaphore>) -> Result<Body, Unread> {
    let mut body = Body {
        bytes: Vec::new(),
        held: None,
    };
    while let Some(frame) = incoming.frame().await {
        let Ok(frame) = frame else {
            return Err(Unread::Broken);
        };
        if let Some(data) = frame.data_ref() {
            body.push(data, pool)?;
        }
    }
    Ok(body)
}

impl Body {
    fn push(&mut self, data: &[u8], pool: &Arc<Semaphore>) -> Result<(), Unread> {
        let len = self.bytes.len() + data.len();
        if len > BODY_MAX {
            return Err(Unread::TooLarge);
        }
        let had = self.bytes.capacity();
        if len > had {
            let wanted = len.max(2 * had).min(BODY_MAX).next_multiple_of(UNIT);
            let more = ((wanted - had) / UNIT) as u32;
            let permit = Arc::clone(pool).try_acquire_many_owned(more);
            let permit = permit.map_err(|_| Unread::NoRoom)?;
            match &mut self.held {
                Some(held) => held.merge(permit),
                None => self.held = Some(permit),
            }
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }
}
