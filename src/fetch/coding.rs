//! How bodies are packed (RFC 9110 §8.4): the codings that are offered, and what servers make of them.

use std::io;

use async_compression::tokio::bufread::{
    BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder,
};
use async_compression::zstd::DParameter;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::io::{AsyncBufRead, AsyncRead, BufReader};

use crate::model::{ErrorKind, PollError};

use super::failure::{clean, root};

/// Codings in a row; more is a joke or an attack.
const CODINGS: usize = 4;

/// zstd may ask for a window of at most 8 MiB over HTTP (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;

/// A way of packing a body (RFC 9110 §8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

pub(super) type Unpacker<'a> = Box<dyn AsyncRead + Send + Unpin + 'a>;

/// The codings in the order they were applied; those that pack nothing left out.
pub(super) fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, PollError> {
    let mut list = Vec::new();
    for field in headers.get_all(CONTENT_ENCODING) {
        for token in field.as_bytes().split(|b| *b == b',') {
            let token = token.trim_ascii().to_ascii_lowercase();
            list.push(match token.as_slice() {
                b"gzip" | b"x-gzip" => Coding::Gzip,
                b"deflate" => Coding::Deflate,
                b"br" => Coding::Brotli,
                b"zstd" => Coding::Zstd,
                // Some servers put the charset here, or a word for "none".
                b"" | b"identity" | b"none" | b"utf-8" | b"utf8" | b"binary" => continue,
                other => {
                    let name = clean(&String::from_utf8_lossy(other));
                    let detail = format!("it is packed as `{name}`, which was not asked for");
                    return Err(PollError::new(ErrorKind::Decode, detail));
                }
            });
        }
    }
    if list.len() > CODINGS {
        let detail = format!("it is packed {} times over", list.len());
        return Err(PollError::new(ErrorKind::Decode, detail));
    }
    Ok(list)
}

/// HTTP's "deflate" is zlib (RFC 9110 §8.4.1.2), but some servers send it raw: the first two bytes tell.
pub(super) fn begins_like_zlib(first: &[u8]) -> bool {
    match *first {
        [method, flags, ..] => {
            method & 0x0f == 8 && (u16::from(method) << 8 | u16::from(flags)) % 31 == 0
        }
        [method] => method == 0x78,
        [] => true,
    }
}

pub(super) fn unpacker<'a, S>(codings: &[Coding], source: S, raw_deflate: bool) -> Unpacker<'a>
where
    S: AsyncBufRead + Send + Unpin + 'a,
{
    let mut inner_out = codings.iter().rev();
    let mut reader: Unpacker<'a> = match inner_out.next() {
        Some(Coding::Deflate) if raw_deflate => Box::new(DeflateDecoder::new(source)),
        Some(outer) => decoder(*outer, source, codings.len() > 1),
        None => Box::new(source),
    };
    for coding in inner_out {
        reader = decoder(*coding, BufReader::new(reader), true);
    }
    reader
}

fn decoder<'a, S>(coding: Coding, source: S, members: bool) -> Unpacker<'a>
where
    S: AsyncBufRead + Send + Unpin + 'a,
{
    match coding {
        Coding::Gzip => {
            let mut decoder = GzipDecoder::new(source);
            decoder.multiple_members(members);
            Box::new(decoder)
        }
        Coding::Deflate => Box::new(ZlibDecoder::new(source)),
        Coding::Brotli => Box::new(BrotliDecoder::new(source)),
        Coding::Zstd => {
            let window = [DParameter::window_log_max(ZSTD_WINDOW_LOG)];
            let mut decoder = ZstdDecoder::with_params(source, &window);
            decoder.multiple_members(true);
            Box::new(decoder)
        }
    }
}

/// The decoders say it in two ways; zlib's is that it could use more and there is none.
pub(super) fn ends_early(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::UnexpectedEof || root(error) == "unexpected BufError"
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn named(values: &[&'static str]) -> Result<Vec<Coding>, PollError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
        }
        codings(&headers)
    }

    #[test]
    fn codings_are_read_in_the_order_they_were_applied() {
        use Coding::{Brotli, Deflate, Gzip, Zstd};
        for (fields, expected) in [
            (&[][..], vec![]),
            (&["identity"][..], vec![]),
            (&["UTF-8"][..], vec![]),
            (&["gzip"][..], vec![Gzip]),
            (&["X-GZIP"][..], vec![Gzip]),
            (&["deflate, br"][..], vec![Deflate, Brotli]),
            (&["zstd", "identity , gzip,"][..], vec![Zstd, Gzip]),
        ] {
            assert_eq!(named(fields), Ok(expected), "{fields:?}");
        }
    }

    #[test]
    fn a_coding_that_was_not_asked_for_is_an_error_with_its_name() {
        let error = named(&["compress"]).expect_err("not offered");
        assert_eq!(error.kind, ErrorKind::Decode);
        assert!(error.detail.contains("`compress`"), "{error}");
        assert!(named(&["gzip,gzip,gzip,gzip,gzip"]).is_err());
    }

    #[test]
    fn zlib_is_told_from_raw_deflate_by_its_first_two_bytes() {
        for (bytes, zlib) in [
            (&[0x78, 0x9c][..], true),
            (&[0x78, 0x01], true),
            (&[0x78, 0xda], true),
            (&[0x68, 0x81], true),
            (&[0x4b, 0x4c], false),
            (&[0xcb, 0x48], false),
            (&[0x78, 0x00], false),
        ] {
            assert_eq!(begins_like_zlib(bytes), zlib, "{bytes:x?}");
        }
    }
}
