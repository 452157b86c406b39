//! Any bytes under any charset are text, the same twice, without a byte order mark in front.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tidings::parse::fuzzing::decode;

/// What the first byte of the input chooses from.
const TYPES: [Option<&str>; 8] = [
    None,
    Some("text/xml"),
    Some("text/xml; charset=utf-8"),
    Some("application/rss+xml; charset=\"iso-8859-1\""),
    Some("text/xml; charset=shift_jis"),
    Some("text/xml; charset=gbk"),
    Some("text/xml; charset=utf-16"),
    Some("text/xml; charset=nonsense"),
];

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let content_type = TYPES[usize::from(*first) % TYPES.len()];
    let text = decode(bytes, content_type);
    assert_eq!(text, decode(bytes, content_type));
    assert!(!text.starts_with(['\u{feff}', '\0']));
    if let Ok(plain) = std::str::from_utf8(bytes)
        && !plain.contains(['\0', '\u{1b}', '\u{1f}'])
    {
        assert_eq!(text, plain.trim_start_matches('\u{feff}'));
    }
});
