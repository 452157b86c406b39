use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::model::{Body, HeaderList, Timestamp};

/// One of `tests/odd`: what it is, and the answer.
struct Sample {
    name: String,
    want: String,
    line: String,
    asked: String,
    answer: Answer,
}

fn sample(path: &Path) -> Sample {
    let text = fs::read_to_string(path).expect("text");
    let (head, body) = text.split_once("\n\n").expect("a blank line");
    let mut fields = head.lines().map(|line| {
        let (name, value) = line.split_once(':').expect("a field");
        (name.to_ascii_lowercase(), value.trim().to_owned())
    });
    let mut next = |wanted: &str| {
        let (name, value) = fields.next().expect("five fields");
        assert_eq!(name, wanted, "{}", path.display());
        value
    };
    let (want, line, asked) = (next("want"), next("line"), next("asked"));
    let (url, status) = (next("url"), next("status"));
    let headers = fields.map(|(name, value)| (name, value.into_bytes()));
    Sample {
        name: path.file_stem().expect("a name").to_string_lossy().into(),
        want,
        line,
        asked,
        answer: answer(
            &url,
            status.parse().expect("a number"),
            headers.collect(),
            body,
        ),
    }
}

fn answer(url: &str, status: u16, headers: Vec<(String, Vec<u8>)>, body: &str) -> Answer {
    Answer {
        url: url.to_owned(),
        status,
        sent: HeaderList::default(),
        headers: headers.into_iter().collect(),
        body: Body {
            bytes: body.as_bytes().to_vec(),
            wire: body.len() as u64,
        },
        at: Timestamp(0),
        took: Duration::ZERO,
    }
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/odd");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| sample(path)).collect()
}

#[test]
fn every_odd_answer_has_its_name_and_honest_ones_have_none() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let found = odd(&sample.answer, &sample.asked);
        let name = found.as_ref().map_or("none".to_owned(), |odd| {
            format!("{:?} {}", odd.kind, odd.by).trim().to_owned()
        });
        let line = found.map_or(sample.line.clone(), |odd| odd.line);
        if (&name, &line) != (&sample.want, &sample.line) {
            wrong.push(format!("{}: {name}, {line:?}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_kind_has_a_sample_and_no_sign_is_shouted() {
    let wants: Vec<String> = samples().into_iter().map(|sample| sample.want).collect();
    for sign in SIGNS {
        let kind = format!("{:?}", sign.kind);
        assert!(wants.iter().any(|want| want.starts_with(&kind)), "{kind}");
        assert_eq!(sign.text, sign.text.to_lowercase());
    }
}

#[test]
fn the_error_says_what_stands_there_and_what_can_be_done() {
    let page = "<html><head><title>\n Just a moment...\u{1b}[2J\u{202e}</title></head><script>_cf_chl_opt</script>";
    let said = |status: u16, error: PollError, before: bool, body: &str| {
        let answer = answer("https://a.example/f", status, Vec::new(), body);
        named(&answer, "https://a.example/f", &error, before).to_string()
    };
    let status = |text: &str| PollError::new(ErrorKind::Status, text);
    let html = || PollError::new(ErrorKind::Html, "“x”");
    for (got, want) in [
        (
            said(403, status("403 Forbidden"), true, page),
            "the server answered 403 Forbidden, a Cloudflare challenge for browsers, “Just a moment...[2J”; only the site's owner can let feed readers through",
        ),
        (
            said(200, html(), false, page),
            "a web page, not a feed: a Cloudflare challenge for browsers, “Just a moment...[2J”; only the site's owner can let feed readers through",
        ),
        (
            said(200, html(), true, "<html><title>My new home</title>"),
            "a web page, not a feed: “My new home”; it was a feed before",
        ),
        (
            said(
                404,
                status("404 Not Found"),
                false,
                "<html><title>404 Not Found</title>",
            ),
            "the server answered 404 Not Found",
        ),
        (
            said(
                500,
                status("500 Internal Server Error"),
                false,
                "Error establishing a database connection\n",
            ),
            "the server answered 500 Internal Server Error, “Error establishing a database connection”",
        ),
        (
            said(500, status("500 Internal Server Error"), false, ""),
            "the server answered 500 Internal Server Error",
        ),
        (
            said(200, PollError::new(ErrorKind::Empty, ""), false, ""),
            "the body is empty",
        ),
        (
            said(200, PollError::new(ErrorKind::TooLarge, "x"), true, page),
            "the body is too large: x",
        ),
    ] {
        assert_eq!(got, want);
    }
}

#[test]
fn a_long_line_is_cut() {
    let body = format!("<html><title>{}</title>", "so long ".repeat(100));
    let answer = answer("https://a.example/f", 200, Vec::new(), &body);
    let error = PollError::new(ErrorKind::Html, "");
    let named = named(&answer, "https://a.example/f", &error, false);
    assert!(named.detail.chars().count() <= 130, "{}", named.detail);
}
