//! Bytes into text: unpacked, decoded, byte order mark gone.
//!
//! Order: byte order mark, NUL pattern, valid UTF-8, HTTP header, XML declaration, guess. Valid UTF-8 beats every
//! label, because text in another charset is practically never valid UTF-8 by chance, and labels lie.

use std::borrow::Cow;
use std::io::Read;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

const MARK: &str = "its byte order mark";
const HEADER: &str = "the Content-Type header";
const DECLARED: &str = "its XML declaration";

/// A gzip body that unpacks to more is not read further.
const UNPACKED_MAX: u64 = 32 * 1024 * 1024;

/// How a gzip member begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    /// The text, without byte order marks.
    pub text: Cow<'a, str>,
    /// How its bytes were read.
    pub charset: Charset,
    /// What had to be done, a short name each.
    pub repairs: Vec<&'static str>,
    /// The packed body was cut, or larger than the limit.
    pub cut: bool,
}

/// How bytes were read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Charset {
    /// As the Encoding Standard writes it; `UTF-32LE` and `UTF-32BE` besides.
    pub name: &'static str,
    /// What told, a clause: `its byte order mark`, `the Content-Type header`.
    pub by: &'static str,
}

impl Charset {
    const fn new(name: &'static str, by: &'static str) -> Self {
        Self { name, by }
    }
}

/// Decodes a body.
pub(crate) fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    if !bytes.starts_with(&GZIP) {
        return text(bytes, content_type);
    }
    let (mut unpacked, mut cut) = unpack(bytes);
    if unpacked.starts_with(&GZIP) {
        // Packed once by a program and once more by its server.
        let (twice, cut_too) = unpack(&unpacked);
        (unpacked, cut) = (twice, cut || cut_too);
    }
    let inner = text(&unpacked, content_type);
    let charset = inner.charset;
    let mut repairs = vec!["gzip body"];
    repairs.extend(inner.repairs);
    let other = match inner.text {
        Cow::Borrowed(text) if text.len() == unpacked.len() => None,
        text => Some(text.into_owned()),
    };
    // What was unpacked is the text in most cases: no need for a second copy.
    let text = other.unwrap_or_else(|| String::from_utf8(unpacked).unwrap_or_default());
    Decoded {
        text: Cow::Owned(text),
        charset,
        repairs,
        cut,
    }
}

/// What is behind the last member is ignored, as gzip does.
fn unpack(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    while bytes.starts_with(&GZIP) {
        let left = UNPACKED_MAX.saturating_sub(out.len() as u64);
        let mut reader = flate2::bufread::GzDecoder::new(bytes).take(left);
        let failed = reader.read_to_end(&mut out).is_err();
        if failed || out.len() as u64 >= UNPACKED_MAX {
            return (out, true);
        }
        bytes = reader.into_inner().into_inner();
    }
    (out, false)
}

fn text<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let mut repairs = Vec::new();
    let (text, charset) =
        wide(bytes, &mut repairs).unwrap_or_else(|| narrow(bytes, content_type, &mut repairs));
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(unmarked(text)),
        Cow::Owned(text) if text.starts_with(is_mark) => Cow::Owned(unmarked(&text).to_owned()),
        owned @ Cow::Owned(_) => owned,
    };
    Decoded {
        text,
        charset,
        repairs,
        cut: false,
    }
}

const fn is_mark(c: char) -> bool {
    matches!(c, '\u{feff}' | '\0')
}

/// Concatenated templates carry more than one mark.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches(is_mark)
}

/// UTF-16 and UTF-32, told by their mark or by the NULs around the first `<` or `{`.
fn wide<'a>(bytes: &'a [u8], repairs: &mut Vec<&'static str>) -> Option<(Cow<'a, str>, Charset)> {
    let mut four = [0xaa; 4];
    for (to, from) in four.iter_mut().zip(bytes) {
        *to = *from;
    }
    let (found, name) = match four {
        [0xff, 0xfe, 0, 0] | [b'<' | b'{', 0, 0, 0] => {
            (utf32(bytes, u32::from_le_bytes), "UTF-32LE")
        }
        [0, 0, 0xfe, 0xff] | [0, 0, 0, b'<' | b'{'] => {
            (utf32(bytes, u32::from_be_bytes), "UTF-32BE")
        }
        [0xff, 0xfe, ..] | [b'<' | b'{', 0, _, 0] => {
            (UTF_16LE.decode(bytes).0.into_owned(), "UTF-16LE")
        }
        [0xfe, 0xff, ..] | [0, b'<' | b'{', 0, _] => {
            (UTF_16BE.decode(bytes).0.into_owned(), "UTF-16BE")
        }
        _ => return None,
    };
    repairs.push("wide charset");
    let by = if four.contains(&0xff) {
        MARK
    } else {
        "the zeros among its first bytes"
    };
    Some((Cow::Owned(found), Charset::new(name, by)))
}

fn utf32(bytes: &[u8], number: fn([u8; 4]) -> u32) -> String {
    bytes
        .chunks_exact(4)
        .filter_map(|chunk| chunk.try_into().ok())
        .map(|four| char::from_u32(number(four)).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn narrow<'a>(
    bytes: &'a [u8],
    content_type: Option<&str>,
    repairs: &mut Vec<&'static str>,
) -> (Cow<'a, str>, Charset) {
    let declared = declaration(bytes).and_then(label);
    if let Ok(text) = std::str::from_utf8(bytes) {
        // The one 7-bit charset still met: its bytes are valid UTF-8, full of escapes.
        if declared == Some(ISO_2022_JP) && memchr::memchr(0x1b, bytes).is_some() {
            let charset = Charset::new(ISO_2022_JP.name(), DECLARED);
            return (ISO_2022_JP.decode(bytes).0, charset);
        }
        let by = if text.starts_with('\u{feff}') {
            MARK
        } else {
            "its bytes, which are valid"
        };
        return (Cow::Borrowed(text), Charset::new(UTF_8.name(), by));
    }
    if let Some(text) = paired_surrogates(bytes) {
        repairs.push("broken UTF-8");
        let charset = Charset::new(UTF_8.name(), "its bytes, surrogates among them");
        return (Cow::Owned(text), charset);
    }
    let header = content_type.and_then(charset).and_then(label);
    let (good, bad) = sequences(bytes);
    let named = [header, declared];
    let legacy = named.iter().flatten().any(|e| *e != UTF_8);
    let enough = if legacy { 20 } else { 2 };
    if good >= enough * bad && (good > 0 || named.contains(&Some(UTF_8))) {
        repairs.push("broken UTF-8");
        let charset = Charset::new(UTF_8.name(), "most of its bytes");
        return (String::from_utf8_lossy(bytes), charset);
    }
    repairs.push("legacy charset");
    let witnesses = [(header, HEADER), (declared, DECLARED)];
    let labels = || {
        witnesses
            .iter()
            .filter_map(|(label, by)| Some((label.filter(|e| *e != UTF_8)?, *by)))
    };
    for (encoding, by) in labels() {
        let (text, _, errors) = encoding.decode(bytes);
        if !errors {
            return (text, Charset::new(encoding.name(), by));
        }
    }
    repairs.push("charset guessed");
    let guess = guess(bytes);
    match labels().next() {
        // With errors either way the label is the better witness.
        Some((labelled, by)) if guess.decode(bytes).2 => {
            (labelled.decode(bytes).0, Charset::new(labelled.name(), by))
        }
        _ => {
            let charset = Charset::new(guess.name(), "a guess from its bytes");
            (guess.decode(bytes).0, charset)
        }
    }
}

/// What the header and the declaration call the charset, as far as they do, by its name in the Encoding Standard; `None` for a
/// word that names none.
pub(super) fn labels(bytes: &[u8], content_type: Option<&str>) -> Vec<Option<&'static str>> {
    let words = [content_type.and_then(charset), declaration(bytes)];
    words
        .into_iter()
        .flatten()
        .map(|word| label(word).map(Encoding::name))
        .collect()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let part = &bytes[..bytes.len().min(256 * 1024)];
    detector.feed(part, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Multi-byte sequences that are valid UTF-8, and places that are not. One that the end of the document cuts is neither.
fn sequences(bytes: &[u8]) -> (usize, usize) {
    let (mut good, mut bad, mut at) = (0, 0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().bytes().filter(|b| *b >= 0xc0).count();
        at += chunk.valid().len() + chunk.invalid().len();
        let whole = |error: std::str::Utf8Error| error.error_len().is_some();
        bad += usize::from(
            std::str::from_utf8(chunk.invalid()).is_err_and(|e| at < bytes.len() || whole(e)),
        );
    }
    (good, bad)
}

/// Text in which characters beyond the first plane are two of three bytes each: what programs make that take UTF-16 for
/// characters. `None` where that is not the whole fault.
fn paired_surrogates(bytes: &[u8]) -> Option<String> {
    let half = |at: usize, first: std::ops::RangeInclusive<u8>| match bytes.get(at..at + 3)? {
        [0xed, a, b @ 0x80..=0xbf] if first.contains(a) => {
            Some(u32::from(a & 0x0f) << 6 | u32::from(b & 0x3f))
        }
        _ => None,
    };
    let mut out = String::new();
    let mut done = 0;
    for at in memchr::memchr_iter(0xed, bytes) {
        if at >= done
            && let (Some(high), Some(low)) = (half(at, 0xa0..=0xaf), half(at + 3, 0xb0..=0xbf))
        {
            out.push_str(std::str::from_utf8(&bytes[done..at]).ok()?);
            let low = low & 0x3ff;
            out.push(char::from_u32(0x1_0000 + (high << 10 | low))?);
            done = at + 6;
        }
    }
    if done == 0 {
        return None;
    }
    out.push_str(std::str::from_utf8(&bytes[done..]).ok()?);
    Some(out)
}

/// The charset parameter of a media type.
fn charset(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']).trim())
    })
}

/// The encoding that the XML declaration names, wherever in the first bytes it stands.
fn declaration(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(4096)];
    let at = memchr::memmem::find(head, b"<?xml")?;
    let rest = &head[at..];
    let end = memchr::memchr(b'>', rest)?;
    let inside = std::str::from_utf8(&rest[..end]).ok()?;
    let value = inside.split_once("encoding")?.1.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value
        .find(|c: char| matches!(c, '"' | '\'' | '?') || c.is_whitespace())
        .unwrap_or(value.len());
    Some(&value[..end])
}

/// The WHATWG labels, and a few that old tools write. UTF-16 in narrow bytes is no charset (a .NET writer's habit).
fn label(name: &str) -> Option<&'static Encoding> {
    const ALIASES: &[(&str, &str)] = &[
        ("cp949", "euc-kr"),
        ("ms949", "euc-kr"),
        ("uhc", "euc-kr"),
        ("cp936", "gbk"),
        ("ms936", "gbk"),
        ("euc-cn", "gbk"),
        ("hz-gb-2312", "gbk"),
        ("cp932", "shift_jis"),
        ("ms932", "shift_jis"),
        ("cp950", "big5"),
        ("ms950", "big5"),
        ("eucjp", "euc-jp"),
        ("win-1251", "windows-1251"),
        ("windows1251", "windows-1251"),
        ("windows1252", "windows-1252"),
        ("iso-latin-1", "windows-1252"),
        ("latin-1", "windows-1252"),
        ("iso-8859-1-windows-1252", "windows-1252"),
        ("utf", "utf-8"),
        ("utf_8", "utf-8"),
        ("utf8mb4", "utf-8"),
    ];
    let lower = name.trim().to_ascii_lowercase();
    let canonical = ALIASES
        .iter()
        .find(|(alias, _)| *alias == lower)
        .map_or(lower.as_str(), |(_, name)| name);
    Encoding::for_label(canonical.as_bytes())
        .filter(|e| *e != UTF_16LE && *e != UTF_16BE && *e != encoding_rs::REPLACEMENT)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8], content_type: Option<&str>) -> String {
        decode(bytes, content_type).text.into_owned()
    }

    #[test]
    fn the_better_witness_of_the_charset_wins() {
        let utf8 = "Žluť €";
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"plain", None, "plain"),
            (b"\xef\xbb\xbf\xef\xbb\xbfbom", None, "bom"),
            (utf8.as_bytes(), Some("text/xml; charset=iso-8859-1"), utf8),
            (
                b"<?xml encoding='koi8-r'?>\xf0",
                Some("a/b; Charset=\"windows-1251\""),
                "<?xml encoding='koi8-r'?>р",
            ),
            (
                b"\n\n<?xml version='1.0' encoding = \"ISO-8859-1\" ?>\x92\xfc",
                None,
                "\n\n<?xml version='1.0' encoding = \"ISO-8859-1\" ?>’ü",
            ),
            (b"\xc3\x9c \xc3\xaf \xff ok", None, "Ü ï \u{fffd} ok"),
            (b"\xc3\x9c cut in \xc3", None, "Ü cut in \u{fffd}"),
            (b"x \xed\xa0\xbd\xed\xb8\x80", None, "x \u{1f600}"),
            (b"<\0?\0\xac\x20", None, "<?€"),
            (b"\xfe\xff\0<\x20\xac", None, "<€"),
            (b"\xff\xfe\0\0<\0\0\0", None, "<"),
            (
                b"<?xml encoding='cp949'?>\xb0\xa1",
                None,
                "<?xml encoding='cp949'?>가",
            ),
            (
                b"<?xml encoding='utf-16'?>x",
                None,
                "<?xml encoding='utf-16'?>x",
            ),
        ];
        for (bytes, content_type, want) in cases {
            assert_eq!(read(bytes, *content_type), *want, "{want}");
        }
    }

    #[test]
    fn a_charset_nobody_names_is_guessed() {
        let (bytes, _, _) = encoding_rs::EUC_JP
            .encode("日本語の表題についての長い説明文です。今日の天気は晴れときどき曇りでした");
        assert!(read(&bytes, None).starts_with("日本語"));
    }

    #[test]
    fn a_packed_body_is_unpacked_and_a_cut_one_read_as_far_as_it_goes() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all("<rss>grün".as_bytes()).expect("in memory");
        let bytes = packer.finish().expect("in memory");
        assert_eq!(read(&bytes, None), "<rss>grün");
        let half = decode(&bytes[..bytes.len() - 9], None);
        assert!(half.cut);
        let junk = [&bytes, &b"garbage"[..]].concat();
        let behind = decode(&junk, None);
        assert_eq!((behind.text.as_ref(), behind.cut), ("<rss>grün", false));
        let members = [&bytes[..], &bytes].concat();
        assert_eq!(read(&members, None), "<rss>grün<rss>grün");
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(&bytes).expect("in memory");
        assert_eq!(
            read(&packer.finish().expect("in memory"), None),
            "<rss>grün"
        );
    }

    #[test]
    fn no_bytes_are_no_text() {
        assert_eq!(read(b"", None), "");
        assert_eq!(read(b"\0\0", None), "");
    }
}
