//! What comes at the callback as a delivery (WebSub 7): whose it is, and how far it is believed.

use ring::{digest, hmac};

use super::state::{Method, Push};
use crate::model::Timestamp;

/// So many bodies are remembered.
const SEEN_MAX: usize = 32;
/// The safety net of time: what comes after the lease is still believed so long, a hub need not be on the second.
const GRACE: i64 = 24 * 3600;

/// What a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Signed by who knows the secret: its body is the topic's, committed as a 226 is. `method` is to be pinned.
    Fat {
        /// How it was signed.
        method: Method,
    },
    /// It says that there is news, and proves nothing or holds nothing: the topic is polled conditionally, as its host's
    /// pace allows.
    Thin,
    /// Answered with 2xx and thrown away (WebSub 7.1.2: whoever forges learns nothing).
    Refused(Refusal),
    /// 410: nobody wants it; hubs then stop (WebSub 7).
    Unwanted,
}

/// Why a delivery was thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A secret was agreed upon, and there is no signature.
    Unsigned,
    /// The signature is of another body or another secret, or is no signature.
    Forged,
    /// By a method that is not accepted, `sha1` above all, or weaker than the first that was right.
    Weak,
    /// The same body came before.
    Replayed,
}

/// An `X-Hub-Signature` in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// How; `None` for a method that is not accepted.
    pub method: Option<Method>,
    /// The code.
    pub code: Vec<u8>,
}

impl Signature {
    /// Reads `method=hexadecimal`. `None` when it is not of this form.
    pub fn read(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?.trim();
        let (method, code) = text.split_once('=')?;
        let known = [Method::Sha256, Method::Sha384, Method::Sha512];
        let digits = code.as_bytes();
        if digits.is_empty() || digits.len() > 128 || digits.len() % 2 != 0 {
            return None;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
        let code = digits
            .chunks_exact(2)
            .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
        Some(Self {
            method: known
                .into_iter()
                .find(|known| known.word().eq_ignore_ascii_case(method)),
            code: code.collect::<Option<_>>()?,
        })
    }
}

/// Whether anything is to be delivered to this subscription: it is not left, and has a lease, or had one until lately.
pub fn is_wanted(push: &Push, now: Timestamp) -> bool {
    let lease = push.lease.as_ref();
    push.leaving.is_none() && lease.is_some_and(|lease| now.since(lease.until()) <= GRACE)
}

/// Judges a POST at the callback of `push`; `signature` is the value of its `X-Hub-Signature`. The code is compared in
/// constant time.
pub fn deliver(push: &Push, signature: Option<&[u8]>, body: &[u8], now: Timestamp) -> Delivery {
    if !is_wanted(push, now) {
        return Delivery::Unwanted;
    }
    if !push.shared {
        // Whoever heard the path can send this: it may cause a poll, no more.
        return Delivery::Thin;
    }
    let Some(value) = signature else {
        return Delivery::Refused(Refusal::Unsigned);
    };
    let Some(signature) = Signature::read(value) else {
        return Delivery::Refused(Refusal::Forged);
    };
    let weakest = push.method.unwrap_or(Method::Sha256);
    let Some(method) = signature.method.filter(|method| *method >= weakest) else {
        return Delivery::Refused(Refusal::Weak);
    };
    let algorithm = match method {
        Method::Sha256 => hmac::HMAC_SHA256,
        Method::Sha384 => hmac::HMAC_SHA384,
        Method::Sha512 => hmac::HMAC_SHA512,
    };
    let key = hmac::Key::new(algorithm, push.secret.as_bytes());
    if hmac::verify(&key, body, &signature.code).is_err() {
        return Delivery::Refused(Refusal::Forged);
    }
    if body.iter().all(u8::is_ascii_whitespace) {
        return Delivery::Thin;
    }
    if push.seen.contains(&mark_of(body)) {
        return Delivery::Refused(Refusal::Replayed);
    }
    Delivery::Fat { method }
}

/// The state after `delivery`, to be stored with what it brought.
#[must_use]
pub fn mark_delivered(mut push: Push, delivery: Delivery, body: &[u8], now: Timestamp) -> Push {
    match delivery {
        Delivery::Fat { method } => {
            push.method = push.method.or(Some(method));
            if push.seen.len() >= SEEN_MAX {
                push.seen.drain(..=push.seen.len() - SEEN_MAX);
            }
            push.seen.push(mark_of(body));
        }
        Delivery::Thin => {}
        Delivery::Refused(_) => {
            push.refused = push.refused.saturating_add(1);
            return push;
        }
        Delivery::Unwanted => return push,
    }
    push.delivered = Some(now);
    push.deliveries = push.deliveries.saturating_add(1);
    push
}

fn mark_of(body: &[u8]) -> [u8; 16] {
    let hash = digest::digest(&digest::SHA256, body);
    let mut mark = [0; 16];
    mark.copy_from_slice(&hash.as_ref()[..16]);
    mark
}
