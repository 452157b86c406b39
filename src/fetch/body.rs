//! A body: read as a stream, decoded under limits, complete or an error (R13, R67–R70).
//!
//! reqwest's own decompression is off: wire bytes must be counted, and the ratio watched while decoding.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes};
use futures_util::stream::{Stream, try_unfold};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};
use reqwest::{Response, Version};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio::time::{Instant, timeout_at};
use tokio_util::io::StreamReader;

use crate::model::{ErrorKind, PollError};

use super::budget::{Budget, Grant};
use super::coding::{Coding, begins_like_zlib, codings, ends_early, unpacker};
use super::exchange::{Exchange, Late};
use super::failure::root;

/// Decoded in steps of this size.
const STEP: usize = 16 * 1024;

/// The ratio is looked at once a body is larger than this (R69).
const RATIO_FROM: u64 = 1024 * 1024;

/// Decoded bytes for each byte on the wire; XML packs well, but never like this (R69).
const RATIO: u64 = 200;

/// So much of a body that is no feed is looked at, packed and unpacked.
const BEGINNING: usize = 64 * 1024;

/// So long it is waited for.
const SOON: Duration = Duration::from_secs(1);

/// Bytes after the end of the packed data that are passed over.
const TRAILING: u64 = 64 * 1024;

/// Reads the body of `response` to its end: at most `max` decoded bytes, complete, decoded whole.
///
/// # Errors
/// `CutBody`, `Decode`, `TooLarge`, `Timeout`; each with how far it came.
pub(super) async fn read(
    response: Response,
    exchange: &Arc<Exchange>,
    budget: &Arc<Budget>,
    max: u64,
) -> Result<(Vec<u8>, Grant), PollError> {
    let codings = codings(response.headers())?;
    let length = content_length(response.headers());
    if length.is_some_and(|length| length > max) {
        return Err(too_large(max));
    }
    exchange.progress(0);
    let stream: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>> =
        Box::pin(wire(response, Arc::clone(exchange), max));
    let mut reading = Reading {
        body: Vec::new(),
        expected: expected(length, codings.is_empty()) + STEP,
        granted: 0,
        grant: Grant::open(budget),
        exchange,
        max,
        length,
    };
    reading.whole(&codings, StreamReader::new(stream)).await?;
    // It may wait for a parser: without the room that it did not need.
    reading.body.shrink_to_fit();
    reading.grant.settle(reading.body.len() as u64);
    Ok((reading.body, reading.grant))
}

/// The beginning of a body that is no feed, for a sentence: what comes soon and can be decoded, at most 64 KiB. Nothing is an
/// error here: the status says it all.
pub(super) async fn beginning(mut response: Response, exchange: &Exchange) -> Vec<u8> {
    exchange.progress(0);
    let until = Instant::now() + SOON;
    let mut wire = Vec::new();
    while wire.len() < BEGINNING {
        let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await else {
            break;
        };
        exchange.progress(chunk.len());
        wire.extend_from_slice(&chunk[..chunk.len().min(BEGINNING - wire.len())]);
    }
    let Ok(codings) = codings(response.headers()) else {
        return Vec::new();
    };
    if codings.is_empty() {
        return wire;
    }
    let raw = codings.last() == Some(&Coding::Deflate) && !begins_like_zlib(&wire);
    let mut unpacker = unpacker(&codings, wire.as_slice(), raw);
    let mut body = Vec::new();
    // Cut data ends in an error; what came before it is there.
    while body.len() < BEGINNING
        && let Ok(1..) = unpacker.read_buf(&mut (&mut body).limit(STEP)).await
    {}
    body
}

/// A first guess at the size in memory; a claim alone reserves a megabyte at most.
fn expected(length: Option<u64>, plain: bool) -> usize {
    let length = length.unwrap_or(0).min(RATIO_FROM) as usize;
    if plain {
        length
    } else {
        (length * 3).min(8 * STEP)
    }
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    // Chunks have the last word (RFC 9112 §6.3).
    if headers.contains_key(TRANSFER_ENCODING) {
        return None;
    }
    let text = headers.get(CONTENT_LENGTH)?.to_str().ok()?;
    text.trim().parse().ok()
}

/// The body as it comes over the wire, each read under the clocks of `exchange`.
fn wire(
    response: Response,
    exchange: Arc<Exchange>,
    max: u64,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    try_unfold(
        (response, exchange),
        move |(mut response, exchange)| async move {
            let chunk = chunk(&mut response, &exchange, max)
                .await
                .map_err(io::Error::other)?;
            Ok(chunk.map(|chunk| (chunk, (response, exchange))))
        },
    )
}

async fn chunk(
    response: &mut Response,
    exchange: &Exchange,
    max: u64,
) -> Result<Option<Bytes>, WireError> {
    let read = exchange.within(response.chunk()).await;
    let chunk = match read.map_err(WireError::Late)? {
        Ok(Some(chunk)) => chunk,
        Ok(None) => return Ok(None),
        Err(error) if ends_without_goodbye(&error, response) => return Ok(None),
        Err(error) => return Err(WireError::Broken(error)),
    };
    exchange.progress(chunk.len());
    // Packed data can be endless and come to nothing: empty members, frames to be skipped.
    if exchange.wire() > max {
        return Err(WireError::TooLarge);
    }
    Ok(Some(chunk))
}

/// Old servers end a body by closing, and TLS by not saying so. Where nothing else marks the end that is no worse than
/// the same over plain http: whether the feed is whole, its own end tells.
fn ends_without_goodbye(error: &reqwest::Error, response: &Response) -> bool {
    let headers = response.headers();
    response.version() <= Version::HTTP_11
        && !headers.contains_key(CONTENT_LENGTH)
        && !headers.contains_key(TRANSFER_ENCODING)
        && is_goodbye_missing(&root(error))
}

/// rustls says so in a long sentence with a link.
fn is_goodbye_missing(text: &str) -> bool {
    text.contains("close_notify")
}

/// An error of the wire, told apart from those of the decoders.
#[derive(Debug)]
enum WireError {
    TooLarge,
    Late(Late),
    Broken(reqwest::Error),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("too large"),
            Self::Late(late) => late.fmt(f),
            Self::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WireError {}

/// A body on its way into memory.
struct Reading<'a> {
    body: Vec<u8>,
    /// Room for so many bytes is made at first.
    expected: usize,
    granted: u64,
    grant: Grant,
    exchange: &'a Exchange,
    max: u64,
    length: Option<u64>,
}

impl Reading<'_> {
    async fn whole<S>(&mut self, codings: &[Coding], mut source: S) -> Result<(), PollError>
    where
        S: AsyncBufRead + Send + Unpin,
    {
        let Some(last) = codings.last() else {
            return self.pull(&mut source).await;
        };
        loop {
            let first = source.fill_buf().await.map_err(|e| self.error(&e))?;
            if first.is_empty() {
                // Nothing at all is no damaged data: the parser says that the body is empty.
                return Ok(());
            }
            let raw = *last == Coding::Deflate && !begins_like_zlib(first);
            let mut unpacker = unpacker(codings, &mut source, raw);
            self.pull(&mut unpacker).await?;
            drop(unpacker);
            let rest = source.fill_buf().await.map_err(|e| self.error(&e))?;
            // A file may hold several gzip members, one after the other (RFC 1952 §2.2); of several codings the outer
            // one sees to it itself.
            let again = codings == [Coding::Gzip] && rest.first() == Some(&0x1f);
            if !again {
                return self.pass_over(&mut source).await;
            }
        }
    }

    /// Reads to the end of `source`, under the limits.
    async fn pull<R>(&mut self, source: &mut R) -> Result<(), PollError>
    where
        R: AsyncRead + Unpin + ?Sized,
    {
        loop {
            self.make_room().await?;
            let read = source
                .read_buf(&mut (&mut self.body).limit(STEP))
                .await
                .map_err(|e| self.error(&e))?;
            if read == 0 {
                return Ok(());
            }
            self.check()?;
        }
    }

    /// Room for one more step, in the budget and in the buffer. What the buffer holds in advance counts too.
    async fn make_room(&mut self) -> Result<(), PollError> {
        let (held, full) = (self.body.capacity(), self.body.len());
        if held - full >= STEP {
            return Ok(());
        }
        let wanted = (full + STEP).max(held + held / 2).max(self.expected);
        let more = (wanted as u64).saturating_sub(self.granted);
        if !self.grant.try_grow(more) {
            self.exchange.queue(self.grant.grow(more)).await?;
        }
        self.granted += more;
        self.body.reserve_exact(wanted - full);
        Ok(())
    }

    fn check(&self) -> Result<(), PollError> {
        let decoded = self.body.len() as u64;
        let wire = self.exchange.wire();
        if decoded > self.max {
            return Err(too_large(self.max));
        }
        if decoded > RATIO_FROM && decoded > wire.saturating_mul(RATIO) {
            let detail = format!(
                "{wire} bytes unpack to more than {decoded}; nothing honest shrinks like that"
            );
            return Err(PollError::new(ErrorKind::TooLarge, detail));
        }
        Ok(())
    }

    /// The end of the packed data need not be the end of the body: only there is it known to be complete.
    async fn pass_over<S>(&self, source: &mut S) -> Result<(), PollError>
    where
        S: AsyncBufRead + Unpin,
    {
        let mut passed = 0;
        loop {
            let rest = source.fill_buf().await.map_err(|e| self.error(&e))?.len();
            if rest == 0 {
                return Ok(());
            }
            passed += rest as u64;
            if passed > TRAILING {
                let detail = "more data follows after its end";
                return Err(PollError::new(ErrorKind::Decode, detail));
            }
            source.consume(rest);
        }
    }

    fn error(&self, error: &io::Error) -> PollError {
        let wire = self.exchange.wire();
        let inner = error.get_ref().and_then(|e| e.downcast_ref::<WireError>());
        match inner {
            Some(WireError::TooLarge) => too_large(self.max),
            Some(WireError::Late(late)) => (*late).into(),
            Some(WireError::Broken(error)) => {
                let came = match self.length {
                    Some(length) => format!("{wire} of {length} bytes came"),
                    None => format!("{wire} bytes came, and no end"),
                };
                let why = root(error);
                let detail = if why.is_empty() || is_goodbye_missing(&why) {
                    came
                } else {
                    format!("{came} ({why})")
                };
                PollError::new(ErrorKind::CutBody, detail)
            }
            None if ends_early(error) => PollError::new(
                ErrorKind::CutBody,
                format!("its packed data ends too early, after {wire} bytes"),
            ),
            None => PollError::new(
                ErrorKind::Decode,
                format!(
                    "it is not packed as its Content-Encoding says ({})",
                    root(error)
                ),
            ),
        }
    }
}

fn too_large(max: u64) -> PollError {
    PollError::new(
        ErrorKind::TooLarge,
        format!(
            "more than {}; `max_body` under [http] in config.toml allows more",
            bytesize::ByteSize(max).display().iec()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::exchange::Places;
    use crate::model::HttpSettings;
    use proptest::prelude::{Strategy, any, prop_assert, proptest};

    /// Unpacks `packed` from memory under a limit of 100,000 bytes.
    fn unpack(codings: &[Coding], packed: &[u8]) -> Result<Vec<u8>, PollError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let settings = HttpSettings::default();
            let places = Arc::new(Places::new(&settings));
            let deadline = Instant::now() + Duration::from_secs(60);
            let exchange = Exchange::begin(&places, &settings, 0, deadline).await?;
            let mut reading = Reading {
                body: Vec::new(),
                expected: 0,
                granted: 0,
                grant: Grant::open(&Budget::new(100_000)),
                exchange: &exchange,
                max: 100_000,
                length: None,
            };
            reading.whole(codings, packed).await?;
            Ok(reading.body)
        })
    }

    fn any_codings() -> impl Strategy<Value = Vec<Coding>> {
        use Coding::{Brotli, Deflate, Gzip, Zstd};
        let one = proptest::sample::select(vec![Gzip, Deflate, Brotli, Zstd]);
        proptest::collection::vec(one, 1..3)
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_decoder_panic_or_exceed_the_limit(
            codings in any_codings(),
            head in proptest::sample::select(vec![
                &b""[..], &b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], &b"\x28\xb5\x2f\xfd"[..], &b"\x78\x9c"[..],
            ]),
            rest in proptest::collection::vec(any::<u8>(), 0..600),
        ) {
            let packed = [head, &rest].concat();
            if let Ok(body) = unpack(&codings, &packed) {
                prop_assert!(body.len() <= 100_000);
            }
        }
    }
}
