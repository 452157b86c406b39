//! Small documents, one for each thing that real feeds do wrong, with the right reading beside each.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tidings::model::{Incoming, Timestamp};
use tidings::parse::{self, Parsed};

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repro");
    let files = fs::read_dir(dir).expect("the documents are there");
    let mut cases: Vec<_> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .collect();
    cases.sort();
    cases
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn read(case: &Path) -> (Value, Result<Parsed, parse::ParseError>) {
    let told = fs::read_to_string(case).expect("a reading");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let bytes = fs::read(case.with_extension("xml")).expect("a document");
    let base = text(&told, "base_url").unwrap_or("");
    let parsed = parse::parse(&bytes, text(&told, "content_type"), base);
    (told, parsed)
}

/// What differs between an entry and what is told of it.
fn differences(entry: &Incoming, told: &Value) -> Vec<String> {
    let published = entry.published.map(Timestamp::rfc3339).unwrap_or_default();
    let link = entry.link.clone().unwrap_or_default();
    let enclosures: Vec<_> = entry.enclosures.iter().map(|e| e.url.clone()).collect();
    let mut wrong = Vec::new();
    let title = text(told, "title").unwrap_or("");
    // White space is folded on purpose.
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if title != entry.title {
        wrong.push(format!("title: want {title:?}, have {:?}", entry.title));
    }
    let mut same = |key: &str, have: &str| {
        if let Some(want) = text(told, key)
            && want != have
        {
            wrong.push(format!("{key}: want {want:?}, have {have:?}"));
        }
    };
    same("id", &entry.guid);
    same("link", &link);
    same("published", &published);
    // The body is the content where there is one, else the summary.
    let body = if told.get("content").is_some() {
        "content"
    } else {
        "summary"
    };
    same(body, &entry.body.text);
    if let Some(part) = text(told, "summary_has")
        && !entry.body.text.contains(part)
    {
        wrong.push(format!("the text lacks {part:?}: {:?}", entry.body.text));
    }
    if let Some(Value::Array(want)) = told.get("enclosures") {
        let want: Vec<_> = want.iter().filter_map(Value::as_str).collect();
        if want != enclosures {
            wrong.push(format!("enclosures: want {want:?}, have {enclosures:?}"));
        }
    }
    wrong
}

#[test]
fn every_odd_document_gives_the_right_reading() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert_eq!(cases.len(), 111);
    for case in &cases {
        let name = case.file_stem().unwrap_or_default().to_string_lossy();
        let (told, parsed) = read(case);
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let expect = &told["expect"];
        if let Some(title) = text(expect, "title")
            && title != parsed.title
        {
            wrong.push(format!("{name}: feed title {:?}", parsed.title));
        }
        let entries = expect["entries"].as_array().expect("entries");
        if entries.len() != parsed.entries.len() {
            wrong.push(format!(
                "{name}: want {} entries, have {}",
                entries.len(),
                parsed.entries.len()
            ));
        }
        for (entry, told) in parsed.entries.iter().zip(entries) {
            wrong.extend(
                differences(entry, told)
                    .into_iter()
                    .map(|d| format!("{name}: {d}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn reading_an_odd_document_again_gives_the_same() {
    for case in cases() {
        let (_, first) = read(&case);
        let (_, second) = read(&case);
        assert_eq!(first, second, "{}", case.display());
    }
}
