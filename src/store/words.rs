//! The words of a stretch of blocks, and where they stand: what tells that a text need not be read. Pure; knows no table.
//!
//! Blocks are joined to units of some 64 KiB of text. Of every word (a run of letters and digits, folded; in scripts that are
//! written without blanks every two letters) a segment holds the units that have it. Looking something up goes through the
//! words of a segment from end to end, so that a part of a word is found as well: what a segment rules out holds no match, what
//! it does not rule out has to be read.

use std::collections::HashMap;

use super::error::StoreError;
use crate::query::{self, Needle};

/// The layout. A segment of another one is as good as none.
const VERSION: u8 = 1;
/// Text after which a unit is closed.
const UNIT: usize = if cfg!(test) { 1 << 10 } else { 64 << 10 };
/// Text after which a segment is full.
const SEGMENT: usize = if cfg!(test) { 4 << 10 } else { 4 << 20 };
/// Units of a segment: a place takes two bytes at most.
const MOST_UNITS: usize = 4_096;
/// Words for each unit that hold what is looked for, after which it is taken to stand in every unit.
const MANY: usize = 8;
/// Bytes of the longest word that is held; a unit with a longer one is never ruled out.
const LONGEST: usize = 64;
/// Between two words.
const PART: u8 = b'\n';
const LEVEL: i32 = 3;
/// No list of words unpacks to more.
const MAX_UNPACKED: usize = 1 << 26;

/// A segment in the making.
#[derive(Debug, Default)]
pub(super) struct Builder {
    from: u64,
    /// The first block of each unit.
    units: Vec<u64>,
    /// Text in the last unit, and in all.
    unit: usize,
    size: usize,
    /// The number of each word, and the last unit that has it.
    words: HashMap<Box<str>, (u32, u16)>,
    /// By number the units that have a word.
    places: Vec<(u32, u16)>,
    /// Units that are never ruled out.
    wild: Vec<u16>,
}

impl Builder {
    /// Begins at this block.
    pub(super) fn new(from: u64) -> Self {
        Self {
            from,
            ..Self::default()
        }
    }

    /// Enough for a segment.
    pub(super) fn is_full(&self) -> bool {
        self.size >= SEGMENT || self.units.len() >= MOST_UNITS
    }

    /// The next block begins, which is so long.
    pub(super) fn block(&mut self, no: u64, len: usize) {
        if self.units.is_empty() || self.unit >= UNIT {
            self.units.push(no);
            self.unit = 0;
        }
        self.unit += len;
        self.size += len;
    }

    /// A text of the block that was begun.
    pub(super) fn text(&mut self, text: &str) {
        let unit = self.last();
        let folded = query::folded(text);
        let (words, places) = (&mut self.words, &mut self.places);
        let mut wild = false;
        each_word(&folded, &mut |word| {
            if word.len() > LONGEST {
                wild = true;
            } else if let Some((number, last)) = words.get_mut(word) {
                if *last != unit {
                    *last = unit;
                    places.push((*number, unit));
                }
            } else {
                let number = words.len() as u32;
                words.insert(word.into(), (number, unit));
                places.push((number, unit));
            }
        });
        if wild {
            self.never_rule_out();
        }
    }

    /// What is in the block that was begun is not known.
    pub(super) fn never_rule_out(&mut self) {
        let unit = self.last();
        if self.wild.last() != Some(&unit) {
            self.wild.push(unit);
        }
    }

    const fn last(&self) -> u16 {
        self.units.len().saturating_sub(1) as u16
    }

    /// As it is stored. It covers the blocks up to `to`, which is not in it.
    pub(super) fn finish(mut self, to: u64) -> Result<Vec<u8>, StoreError> {
        self.places.sort_unstable();
        let numbered = self.words.into_iter().map(|(word, (no, _))| (word, no));
        let mut words: Vec<(Box<str>, u32)> = numbered.collect();
        words.sort_unstable();
        let mut text = Vec::with_capacity(words.len() * 9);
        let mut places = Vec::with_capacity(words.len() * 4);
        text.push(PART);
        for (word, number) in &words {
            text.extend_from_slice(word.as_bytes());
            text.push(PART);
            let first = self.places.partition_point(|(of, _)| of < number);
            let own = self.places[first..].iter();
            let units: Vec<u16> = own
                .take_while(|(of, _)| of == number)
                .map(|(_, unit)| *unit)
                .collect();
            put_units(&mut places, &units);
        }
        let mut out = vec![VERSION];
        put(&mut out, self.from);
        put(&mut out, to);
        put(&mut out, self.units.len() as u64);
        let mut last = self.from;
        for unit in &self.units {
            put(&mut out, unit - last);
            last = *unit;
        }
        put_units(&mut out, &self.wild);
        for part in [&text, &places] {
            let packed = zstd::bulk::compress(part, LEVEL)
                .map_err(|error| StoreError::damaged(format!("words: {error}")))?;
            put(&mut out, part.len() as u64);
            put(&mut out, packed.len() as u64);
            out.extend_from_slice(&packed);
        }
        Ok(out)
    }
}

/// A segment that was read: its words. Where they stand is read when one of them is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The first block.
    pub(super) from: u64,
    /// The one after the last.
    pub(super) to: u64,
    units: Vec<u64>,
    wild: Vec<u16>,
    text: Vec<u8>,
    /// Where the places begin among its bytes.
    rest: usize,
}

/// The words of a segment that a needle may stand in: for each run of its letters the numbers of those that hold it, or `None`
/// where they are so many that they tell nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hits(Vec<Option<Vec<usize>>>);

impl Hits {
    /// Some run stands in no word.
    fn none(&self) -> bool {
        self.0.iter().flatten().any(Vec::is_empty)
    }

    /// Where the words stand has to be known.
    pub(super) fn ask_places(&self) -> bool {
        !self.none() && self.0.iter().any(Option::is_some)
    }
}

/// Bytes that zstd packed, and how many they were.
#[derive(Debug, Clone, Copy)]
struct Packed<'b> {
    bytes: &'b [u8],
    len: usize,
}

impl<'b> Packed<'b> {
    fn take(rest: &mut &'b [u8]) -> Option<Self> {
        let (len, packed) = Self::sizes(rest)?;
        let bytes = rest.get(..packed)?;
        *rest = &rest[packed..];
        Some(Self { bytes, len })
    }

    /// The length unpacked and packed.
    fn sizes(rest: &mut &[u8]) -> Option<(usize, usize)> {
        let len = usize::try_from(take(rest)?).ok()?;
        let packed = usize::try_from(take(rest)?).ok()?;
        (len <= MAX_UNPACKED && packed <= MAX_UNPACKED).then_some((len, packed))
    }

    fn unpacked(self) -> Option<Vec<u8>> {
        zstd::bulk::decompress(self.bytes, self.len).ok()
    }
}

/// The units of every word of a segment, in the order of the words.
#[derive(Debug)]
pub(super) struct Places(Vec<u8>);

impl Places {
    /// Marks the units of these words, whose numbers are in order.
    fn mark(&self, words: &[usize], units: &mut [bool]) -> Option<()> {
        let mut rest = self.0.as_slice();
        let mut number = 0;
        for word in words {
            while number < *word {
                for _ in 0..take(&mut rest)? {
                    take(&mut rest)?;
                }
                number += 1;
            }
            for unit in take_units(&mut rest)? {
                *units.get_mut(usize::from(unit))? = true;
            }
            number += 1;
        }
        Some(())
    }
}

/// What stands before the words, and where they begin.
struct Opening {
    from: u64,
    to: u64,
    units: Vec<u64>,
    wild: Vec<u16>,
    words: usize,
}

impl Opening {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (from, to) = Segment::span(bytes)?;
        let mut rest = &bytes[1..];
        take(&mut rest)?;
        take(&mut rest)?;
        let count = usize::try_from(take(&mut rest)?).ok()?;
        if count > MOST_UNITS {
            return None;
        }
        let mut units = Vec::with_capacity(count);
        let mut last = from;
        for _ in 0..count {
            last = last.checked_add(take(&mut rest)?)?;
            units.push(last);
        }
        let wild = take_units(&mut rest)?;
        Some(Self {
            from,
            to,
            units,
            wild,
            words: bytes.len() - rest.len(),
        })
    }
}

impl Segment {
    /// The blocks that it covers, without reading more of it.
    pub(super) fn span(bytes: &[u8]) -> Option<(u64, u64)> {
        let mut bytes = bytes.strip_prefix(&[VERSION])?;
        let span = (take(&mut bytes)?, take(&mut bytes)?);
        (span.0 < span.1).then_some(span)
    }

    /// How many of its bytes hold the words, as the first of them tell.
    pub(super) fn size_of_words(bytes: &[u8]) -> Option<usize> {
        let opening = Opening::read(bytes)?;
        let mut rest = &bytes[opening.words..];
        let (_, packed) = Packed::sizes(&mut rest)?;
        Some(bytes.len() - rest.len() + packed)
    }

    /// Reads its words; `None` where it is damaged or of another layout.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let opening = Opening::read(bytes)?;
        let mut rest = &bytes[opening.words..];
        let text = Packed::take(&mut rest)?.unpacked()?;
        Some(Self {
            from: opening.from,
            to: opening.to,
            units: opening.units,
            wild: opening.wild,
            text,
            rest: bytes.len() - rest.len(),
        })
    }

    /// Reads where the words stand, from all its bytes.
    pub(super) fn places(&self, bytes: &[u8]) -> Option<Places> {
        let packed = Packed::take(&mut bytes.get(self.rest..)?)?;
        packed.unpacked().map(Places)
    }

    /// Looks for the words that `needle` may stand in; `None` where words do not tell.
    pub(super) fn find(&self, needle: &Needle) -> Option<Hits> {
        let Needle::Text(text) = needle else {
            return None;
        };
        let mut runs = Vec::new();
        each_word(text, &mut |run| runs.push(run));
        runs.retain(|run| run.len() <= LONGEST);
        let hits: Vec<_> = runs.into_iter().map(|run| self.words_with(run)).collect();
        hits.iter().any(Option::is_some).then_some(Hits(hits))
    }

    /// The numbers of the words that hold `part`; `None` where they are many for the units there are, which then have one each.
    fn words_with(&self, part: &str) -> Option<Vec<usize>> {
        let most = self.units.len() * MANY;
        let mut words: Vec<usize> = Vec::new();
        let mut word = 0;
        let mut counted = 1;
        for at in memchr::memmem::find_iter(&self.text, part.as_bytes()) {
            word +=
                memchr::memchr_iter(PART, self.text.get(counted..at).unwrap_or_default()).count();
            counted = counted.max(at);
            if words.last() != Some(&word) {
                if words.len() >= most {
                    return None;
                }
                words.push(word);
            }
        }
        Some(words)
    }

    /// Stretches of blocks that may hold what was found, in order; `None` where that is not known.
    pub(super) fn blocks_of(
        &self,
        hits: &Hits,
        places: Option<&Places>,
    ) -> Option<Vec<(u64, u64)>> {
        let mut fit = vec![!hits.none(); self.units.len()];
        if hits.ask_places() {
            let places = places?;
            for words in hits.0.iter().flatten() {
                let mut has = vec![false; self.units.len()];
                places.mark(words, &mut has)?;
                for (fit, has) in fit.iter_mut().zip(has) {
                    *fit &= has;
                }
            }
        }
        for unit in &self.wild {
            *fit.get_mut(usize::from(*unit))? = true;
        }
        let ends = self.units.iter().skip(1).chain([&self.to]);
        let spans = self.units.iter().zip(ends).zip(fit);
        let fitting = spans.filter(|(_, fit)| *fit);
        Some(fitting.map(|((from, to), _)| (*from, *to)).collect())
    }
}

/// Every word of a folded text.
fn each_word<'t>(text: &'t str, each: &mut dyn FnMut(&'t str)) {
    // Where the word began that is going on, and where the letter before stands, of a script without blanks.
    let mut word: Option<usize> = None;
    let mut before: Option<usize> = None;
    let mut paired = false;
    for (at, c) in text.char_indices() {
        let dense = is_dense(c);
        if dense {
            if let Some(from) = word.take() {
                each(&text[from..at]);
            }
            if let Some(from) = before {
                each(&text[from..at + c.len_utf8()]);
            }
            paired = before.is_some();
            before = Some(at);
            continue;
        }
        if let Some(from) = before.take()
            && !paired
        {
            each(&text[from..at]);
        }
        paired = false;
        match (c.is_alphanumeric(), word) {
            (true, None) => word = Some(at),
            (false, Some(from)) => {
                each(&text[from..at]);
                word = None;
            }
            _ => {}
        }
    }
    if let Some(from) = word {
        each(&text[from..]);
    }
    if let Some(from) = before.filter(|_| !paired) {
        each(&text[from..]);
    }
}

/// Scripts that are written without blanks: Thai, Lao, Tibetan, Burmese, Khmer, Japanese, Chinese.
const fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn put_units(out: &mut Vec<u8>, units: &[u16]) {
    put(out, units.len() as u64);
    let mut last = 0;
    for unit in units {
        put(out, u64::from(unit - last));
        last = *unit;
    }
}

fn take_units(bytes: &mut &[u8]) -> Option<Vec<u16>> {
    let count = usize::try_from(take(bytes)?).ok()?;
    if count > MOST_UNITS {
        return None;
    }
    let mut units = Vec::with_capacity(count);
    let mut last = 0_u16;
    for _ in 0..count {
        last = last.checked_add(u16::try_from(take(bytes)?).ok()?)?;
        units.push(last);
    }
    Some(units)
}

/// A number in groups of seven bits, the lowest first.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn needle(text: &str) -> Needle {
        match query::parse(&format!("\"{text}\"")).expect("a phrase") {
            query::Expr::Term(query::Term::Text(_, needle)) => needle,
            other => panic!("{other:?}"),
        }
    }

    fn words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        each_word(text, &mut |word| found.push(word));
        found
    }

    /// One unit a text, blocks counted from 10 by twos.
    fn segment(texts: &[&str]) -> Vec<u8> {
        let mut builder = Builder::new(10);
        for (text, no) in texts.iter().zip((10..).step_by(2)) {
            builder.block(no, UNIT);
            builder.text(text);
        }
        builder.finish(10 + 2 * texts.len() as u64).expect("packed")
    }

    /// What the bytes of a segment tell of a needle.
    fn told(bytes: &[u8], needle: &Needle) -> Option<Vec<(u64, u64)>> {
        let words = Segment::size_of_words(bytes).expect("a size");
        let segment = Segment::read(&bytes[..words]).expect("it is read");
        let hits = segment.find(needle)?;
        segment.blocks_of(&hits, segment.places(bytes).as_ref())
    }

    #[test]
    fn words_are_runs_of_letters_and_pairs_where_there_are_no_blanks() {
        assert_eq!(words("it's größer, 1.99"), ["it", "s", "größer", "1", "99"]);
        assert_eq!(
            words("日本語の abc本"),
            ["日本", "本語", "語の", "abc", "本"]
        );
        assert_eq!(words("한국어 신문"), ["한국어", "신문"]);
        assert_eq!(words("a日b"), ["a", "日", "b"]);
        assert_eq!(words(" -- "), [""; 0]);
    }

    #[test]
    fn a_segment_rules_out_what_has_no_such_word_and_finds_parts_of_words() {
        let bytes = segment(&[
            "The borrow checker",
            "日本語の新聞",
            "Checkers and borrowing",
            "c++",
        ]);
        for (text, blocks) in [
            ("borrow", Some(vec![(10, 12), (14, 16)])),
            ("BORROWING", Some(vec![(14, 16)])),
            ("orro", Some(vec![(10, 12), (14, 16)])),
            ("the checker", Some(vec![(10, 12)])),
            ("新聞", Some(vec![(12, 14)])),
            ("新", Some(vec![(12, 14)])),
            ("本新", Some(vec![])),
            ("perl", Some(vec![])),
            ("++", None),
            ("e", Some(vec![(10, 12), (14, 16)])),
        ] {
            assert_eq!(told(&bytes, &needle(text)), blocks, "{text}");
        }
        assert_eq!(Segment::span(&bytes), Some((10, 18)));
    }

    #[test]
    fn a_word_too_long_to_be_held_rules_nothing_out() {
        let long = "x".repeat(LONGEST + 1);
        let bytes = segment(&[&long, "y"]);
        assert_eq!(told(&bytes, &needle("xxx")), Some(vec![(10, 12)]));
        assert_eq!(told(&bytes, &needle(&long)), None);
        assert_eq!(told(&bytes, &needle("y")), Some(vec![(10, 12), (12, 14)]));
    }

    #[test]
    fn what_stands_in_very_many_words_rules_nothing_out() {
        let many: Vec<String> = (0..30).map(|n| format!("an{n}")).collect();
        let bytes = segment(&[&many.join(" "), "none", "more"]);
        assert_eq!(told(&bytes, &needle("an")), None);
        assert_eq!(told(&bytes, &needle("an an7")), Some(vec![(10, 12)]));
        assert_eq!(told(&bytes, &needle("an perl")), Some(vec![]));
    }

    #[test]
    fn a_damaged_segment_is_none() {
        let mut builder = Builder::new(3);
        builder.block(3, 9);
        builder.text("some words");
        let bytes = builder.finish(4).expect("packed");
        assert!(Segment::read(&bytes).is_some());
        let words = Segment::size_of_words(&bytes).expect("a size");
        for len in 0..words {
            assert_eq!(Segment::read(&bytes[..len]), None, "{len}");
        }
        let segment = Segment::read(&bytes).expect("it is read");
        for len in words..bytes.len() {
            assert!(segment.places(&bytes[..len]).is_none(), "{len}");
        }
        // Where words stand that cannot be unpacked, nothing is ruled out.
        let mut torn = bytes.clone();
        let last = torn.len() - 1;
        torn[last - 8..].fill(0xff);
        assert_eq!(told(&torn, &needle("words")), None);
        let other = [&[VERSION + 1], &bytes[1..]].concat();
        assert_eq!(Segment::read(&other), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_that_stands_in_a_text_is_ruled_out(text in "[a-zA-ZäßİςΣK日本語のก .,-]{1,30}", at in 0_usize..30, len in 1_usize..8) {
            let part: String = text.chars().skip(at).take(len).collect();
            prop_assume!(!part.is_empty());
            let needle = needle(&part);
            prop_assume!(needle.is_in(&text));
            let bytes = segment(&[&text]);
            let found = told(&bytes, &needle);
            prop_assert!(found.is_none_or(|blocks| blocks == [(10, 12)]));
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let bytes = [&[VERSION], bytes.as_slice()].concat();
            if Segment::size_of_words(&bytes).is_some() && Segment::read(&bytes).is_some() {
                told(&bytes, &needle("a"));
            }
        }
    }
}
