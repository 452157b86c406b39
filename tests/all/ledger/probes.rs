//! `probe` against scripted servers: what it asks, what it concludes, what it leaves alone.

use std::time::Duration;

use serde_json::Value;

use super::{unchanged, undated, whole};
use crate::commands::Bench;
use crate::support::{Reply, Seen};

const DATE: (&str, &str) = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");
const TAG: (&str, &str) = ("ETag", "\"1\"");

/// Probes a path whose server answers like this, one after the other.
fn probe(bench: &Bench, path: &str, replies: Vec<Reply>) -> (Value, Vec<Seen>) {
    bench.server.script(path, replies);
    bench.server.forget();
    let ended = bench.run(&["probe", "--json", &bench.server.url(path)]);
    let seen = bench.server.requests_for(path);
    let json = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.err));
    (json, seen)
}

/// Which validators went out, request by request.
fn asked(seen: &[Seen]) -> Vec<&'static str> {
    let word = |seen: &Seen| match (
        seen.header("if-none-match"),
        seen.header("if-modified-since"),
    ) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "tag",
        (None, Some(_)) => "date",
        (None, None) => "plain",
    };
    seen.iter().map(word).collect()
}

#[test]
fn a_good_server_that_nobody_subscribed_is_asked_four_times_and_nothing_is_stored() {
    let bench = Bench::new();
    let fresh = ("Cache-Control", "max-age=3600");
    let (json, seen) = probe(
        &bench,
        "/good",
        vec![whole(&[TAG, DATE, fresh]), unchanged(&[TAG, DATE])],
    );
    assert_eq!(asked(&seen), ["plain", "both", "tag", "date"]);
    for two in seen.windows(2) {
        let apart = two[1].at - two[0].at;
        assert!(apart >= Duration::from_secs(2), "{apart:?}");
    }
    assert_eq!(seen[1].text("if-none-match").as_deref(), Some(TAG.1));
    assert_eq!(seen[1].text("if-modified-since").as_deref(), Some(DATE.1));
    assert_eq!(
        (&json["verdict"], &json["suggest"]),
        (&"good".into(), &Value::Null)
    );
    assert_eq!(
        json["honours"],
        serde_json::json!({"both": true, "etag": true, "last_modified": true})
    );
    assert_eq!(json["requests"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        (&json["end"], &json["fresh_seconds"]),
        (&"done".into(), &3600.into())
    );
    assert_eq!(bench.feeds_toml(), "");
    assert_eq!(
        bench.run(&["feeds", "--json"]).json(),
        serde_json::json!([])
    );
}

#[test]
fn r74_a_probe_of_a_subscribed_feed_stands_in_its_audit_and_nowhere_else() {
    let bench = Bench::new();
    bench.server.script("/a", vec![whole(&[TAG, DATE])]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    let known = |bench: &Bench| {
        let all = [
            &["stats", "--json"][..],
            &["entries", "--json"],
            &["feeds", "--json"],
            &["stats", "--by-day", "--json"],
        ];
        all.map(|line| bench.run(line).json())
    };
    let before = known(&bench);
    let changed = whole(&[("ETag", "\"2\""), DATE]).body(undated("F").replace("Entry 0", "News"));
    let (json, seen) = probe(
        &bench,
        "/a",
        vec![unchanged(&[TAG]), unchanged(&[]), unchanged(&[]), changed],
    );
    assert_eq!(asked(&seen), ["both", "tag", "date", "plain"]);
    assert_eq!(
        (&json["verdict"], &json["suggest"]),
        (&"lies".into(), &"none".into()),
        "{json}"
    );
    assert_eq!(json["feeds_toml"], "validators = \"none\"");
    assert_eq!(known(&bench), before, "no entry, validator, time or count");
    let found = bench.run(&["explain", "--json", &url]).json();
    let paces: Vec<&Value> = found["last_requests"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|record| &record["pace"])
        .collect();
    assert_eq!(paces, ["probe", "probe", "probe", "probe", "manual"]);
    assert_eq!(found["rule"], "base", "the schedule is what it was");
    // The news was not taken for known.
    bench.run(&["--refresh-only", "--force"]).well();
    let text = bench.run(&["entries"]).well();
    assert!(text.contains("News"), "{text}");
}

#[test]
fn r20_a_dead_tag_before_a_living_date_is_found_and_the_setting_is_named() {
    let bench = Bench::new();
    let dead = [("ETag", "\"x-gzip\""), DATE];
    bench.server.script(
        "/a",
        vec![whole(&dead), whole(&dead), whole(&dead), unchanged(&[DATE])],
    );
    let url = bench.server.url("/a");
    let text = bench.run(&["probe", &url]).well();
    for part in [
        "  1  200 asked plain, ",
        "  4  304 asked with Last-Modified alone, ",
        "A dead ETag masks a living date",
        "the mark of a compressor: -gzip",
        &format!("[[feed]]\nurl = \"{url}\"\nvalidators = \"last-modified\"\n"),
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn tags_that_change_with_every_answer_are_useless() {
    let bench = Bench::new();
    let turning = ["\"1\"", "\"2\"", "\"3\""].map(|tag| whole(&[("ETag", tag)]));
    let (json, seen) = probe(&bench, "/a", turning.to_vec());
    assert_eq!(asked(&seen), ["plain", "tag"]);
    assert_eq!(
        (&json["verdict"], &json["suggest"]),
        (&"useless".into(), &"none".into()),
        "{json}"
    );
    assert_eq!(json["changes_each_time"]["etag"], true);
    let (json, seen) = probe(&bench, "/none", vec![whole(&[])]);
    assert_eq!(asked(&seen), ["plain"]);
    assert_eq!(json["verdict"], "no_validators");
}

#[test]
fn r36_r39_a_429_ends_a_probe_at_once_and_holds_the_host() {
    let bench = Bench::new();
    bench.server.script("/other", vec![whole(&[TAG])]);
    let other = bench.server.url("/other");
    bench.run(&["add", &other]).well();
    let tired = Reply::new(429).header("Retry-After", "7200");
    let (json, seen) = probe(&bench, "/a", vec![whole(&[TAG, DATE]), tired]);
    assert_eq!(asked(&seen), ["plain", "both"]);
    assert_eq!(
        (&json["end"], &json["verdict"]),
        (&"held".into(), &"unknown".into())
    );
    assert!(json["until"].is_string());
    bench.server.forget();
    let told = bench.run(&["--refresh-only", "--force"]).well();
    assert!(told.contains("deferred until "), "{told}");
    assert!(told.contains(" (its host asked to wait)"), "{told}");
    let ended = bench.run(&["probe", &bench.server.url("/a")]);
    assert!(
        ended.out.contains("asks to be left alone until ")
            && ended.out.contains("nothing was sent"),
        "{}",
        ended.out
    );
    assert_eq!(ended.code, 0);
    let told = bench.run(&["refetch", "--yes", &other]).well();
    assert!(told.contains("deferred until "), "{told}");
    assert_eq!(bench.server.requests().len(), 0, "nothing pierces a hold");
}

#[test]
fn a_probe_goes_no_further_than_a_redirect_a_page_or_an_error() {
    let bench = Bench::new();
    let to = bench.server.url("/b");
    let (json, seen) = probe(&bench, "/a", vec![Reply::redirect(301, &to)]);
    assert_eq!(
        (asked(&seen), &json["redirect"]),
        (vec!["plain"], &to.into())
    );
    assert_eq!(
        bench.requests("/b"),
        0,
        "it would be a second plain request"
    );
    let page = Reply::ok("<!doctype html><html><head><title>Hi</title></head></html>")
        .header("Content-Type", "text/html");
    for (path, reply, part) in [
        ("/page", page, "a web page, not a feed"),
        ("/304", unchanged(&[TAG]), "304 without condition"),
        ("/404", Reply::new(404), "404 Not Found"),
        ("/cut", Reply::hang_up(), "the connection broke"),
    ] {
        let (json, seen) = probe(&bench, path, vec![reply]);
        assert_eq!(seen.len(), 1, "{path}");
        assert_eq!(json["end"], "error", "{path}");
        assert!(
            json["end_text"]
                .as_str()
                .is_some_and(|text| text.contains(part)),
            "{path} {json}"
        );
    }
    let ended = bench.run(&["probe", &bench.server.url("/page")]);
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert_eq!(bench.run(&["probe", "ftp://a.org/x"]).code, 2);
}
