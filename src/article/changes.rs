//! What an edit changed, as a page: words that went are struck, words that came are underlined.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::document::{Block, Document, Span};
use super::style::{Kind, Style, Traits};
use super::walk::{each_text, words_of};

/// Paragraphs of each text that are compared.
const MAX_PARAGRAPHS: usize = 3000;
/// Words of a changed passage that are compared one by one; a longer one went and came as a whole.
const MAX_WORDS: usize = 2000;

/// Paragraphs that differ between two documents, in order, and a mark for what stayed. Empty where nothing differs.
pub fn changes(before: &Document, now: &Document) -> Document {
    let (old, new) = (paragraphs(before), paragraphs(now));
    let mut blocks = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        let (tag, from, to) = op.as_tag_tuple();
        match tag {
            DiffTag::Equal => blocks.push(stayed(to.len())),
            DiffTag::Delete => blocks.extend(old[from].iter().map(|text| went(text))),
            DiffTag::Insert => blocks.extend(new[to].iter().map(|text| whole(text, CAME))),
            DiffTag::Replace => replaced(&old[from], &new[to], &mut blocks),
        }
    }
    if blocks.iter().all(is_mark) {
        blocks.clear();
    }
    Document {
        blocks,
        ..Document::default()
    }
}

const GONE: Traits = Traits::STRIKE;
const CAME: Traits = Traits::UNDERLINE;

fn paragraphs(document: &Document) -> Vec<String> {
    let mut texts = Vec::new();
    each_text(&document.blocks, &mut |spans| {
        let shown: Vec<Span> = spans
            .iter()
            .filter(|span| span.style.kind != Kind::Number)
            .cloned()
            .collect();
        let text = words_of(&shown);
        if texts.len() < MAX_PARAGRAPHS && !text.trim().is_empty() {
            texts.push(text);
        }
    });
    texts
}

/// Passages that took each other's place: compared paragraph by paragraph where there are as many.
fn replaced(old: &[String], new: &[String], blocks: &mut Vec<Block>) {
    let pairs = old.len().min(new.len());
    for (old, new) in old.iter().zip(new) {
        blocks.push(words_changed(old, new));
    }
    blocks.extend(old[pairs..].iter().map(|text| went(text)));
    blocks.extend(new[pairs..].iter().map(|text| whole(text, CAME)));
}

fn words_changed(old: &str, new: &str) -> Block {
    let (old, new) = (tokens(old), tokens(new));
    let ops = if old.len().max(new.len()) > MAX_WORDS {
        vec![DiffOp::Replace {
            old_index: 0,
            old_len: old.len(),
            new_index: 0,
            new_len: new.len(),
        }]
    } else {
        capture_diff_slices(Algorithm::Patience, &old, &new)
    };
    let mut spans = Vec::new();
    for op in ops {
        let (tag, from, to) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            add(&mut spans, &new[to], Traits::NONE);
        } else {
            gone(&mut spans, &old[from]);
            add(&mut spans, &new[to], CAME);
        }
    }
    Block::Paragraph(spans)
}

/// In brackets besides: not every terminal strikes words, and those beside them would run together.
fn gone(spans: &mut Vec<Span>, words: &[&str]) {
    let text = words.concat();
    let words = text.trim();
    if words.is_empty() {
        return;
    }
    let (lead, rest) = text.split_at(text.len() - text.trim_start().len());
    let tail = &rest[words.len()..];
    add(spans, &[lead], Traits::NONE);
    add(spans, &["[", words, "]"], GONE);
    add(
        spans,
        &[if tail.is_empty() { " " } else { tail }],
        Traits::NONE,
    );
}

/// Words with the blanks behind them; ideographs one by one.
fn tokens(text: &str) -> Vec<&str> {
    unicode_segmentation::UnicodeSegmentation::split_word_bounds(text).collect()
}

fn add(spans: &mut Vec<Span>, words: &[&str], traits: Traits) {
    let text = words.concat();
    if !text.is_empty() {
        spans.push(Span {
            text,
            style: Style::default().with(traits),
        });
    }
}

fn whole(text: &str, traits: Traits) -> Block {
    Block::Paragraph(vec![Span {
        text: text.to_owned(),
        style: Style::default().with(traits),
    }])
}

fn went(text: &str) -> Block {
    whole(&format!("[{}]", text.trim()), GONE)
}

fn stayed(count: usize) -> Block {
    let text = match count {
        1 => "… one paragraph is as it was".to_owned(),
        count => format!("… {count} paragraphs are as they were"),
    };
    Block::Paragraph(vec![Span {
        text,
        style: Style::of(Kind::Note),
    }])
}

fn is_mark(block: &Block) -> bool {
    matches!(block, Block::Paragraph(spans) if spans.iter().all(|span| span.style.kind == Kind::Note))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `-gone-` and `+came+`.
    fn shown(before: &str, now: &str) -> String {
        let document = changes(&Document::from(before), &Document::from(now));
        let mut lines = Vec::new();
        each_text(&document.blocks, &mut |spans| {
            let parts = spans.iter().map(|span| {
                if span.style.traits.has(GONE) {
                    format!("-{}-", span.text)
                } else if span.style.traits.has(CAME) {
                    format!("+{}+", span.text)
                } else {
                    span.text.clone()
                }
            });
            lines.push(parts.collect::<String>());
        });
        lines.join("|")
    }

    #[test]
    fn words_that_went_and_came_are_marked() {
        for (before, now, expected) in [
            ("one two three", "one 2 three", "one -[two]- +2+ three"),
            ("one", "one", ""),
            ("", "", ""),
            (
                "a\n\nb\n\nc",
                "a\n\nc",
                "… one paragraph is as it was|-[b]-|… one paragraph is as it was",
            ),
            ("a", "a\n\nnew", "… one paragraph is as it was|+new+"),
            ("日本語です", "日本酒です", "日本-[語]- +酒+です"),
        ] {
            assert_eq!(shown(before, now), expected, "{before:?} -> {now:?}");
        }
    }

    #[test]
    fn texts_of_any_size_are_compared() {
        let long = |word: &str| format!("{word} ").repeat(200_000);
        assert!(shown(&long("a"), &long("b")).starts_with("-[a a"));
        let many = |word: &str| {
            let all: Vec<String> = (0..20_000).map(|n| format!("{word}{n}\n\n")).collect();
            all.concat()
        };
        assert!(shown(&many("a"), &many("b")).contains("-[a0]- +b0+"));
    }
}
