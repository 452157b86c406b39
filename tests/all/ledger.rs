//! The ledger by the real binary: what was asked, answered and saved, and why a feed waits (R46, R47, R74, R75).

mod metrics;
mod probes;
mod restraint;

use crate::commands::{Bench, is_clean, rss};
use crate::support::Reply;

use self::metrics::Metrics;

/// A feed of one entry that has no date: nothing is known of its rhythm.
pub fn undated(title: &str) -> String {
    rss(title, 1)
        .replace("<pubDate>", "<x>")
        .replace("</pubDate>", "</x>")
}

/// Such a feed with these headers.
pub fn whole(headers: &[(&str, &str)]) -> Reply {
    headers.iter().fold(
        Reply::ok(undated("F")).header("Content-Type", "application/rss+xml"),
        |reply, (name, value)| reply.header(*name, *value),
    )
}

/// A 304 with these headers.
pub fn unchanged(headers: &[(&str, &str)]) -> Reply {
    headers
        .iter()
        .fold(Reply::new(304).without_length(), |reply, (name, value)| {
            reply.header(*name, *value)
        })
}

#[test]
fn r74_openmetrics_is_valid_and_adds_up() {
    let bench = Bench::new();
    bench.server.script(
        "/a%22b",
        vec![
            whole(&[("ETag", "\"1\"")]),
            unchanged(&[]),
            unchanged(&[]),
            Reply::new(500),
        ],
    );
    bench
        .server
        .script("/c", vec![Reply::new(429).header("Retry-After", "7200")]);
    let secret = bench.server.url("/a%22b").replace("://", "://me:secret@");
    let masked = secret.replace("me:secret@", "***@");
    bench.run(&["add", &secret]).well();
    for _ in 0..3 {
        bench.run(&["--refresh-only", "--force", &secret]);
    }
    bench.run(&["add", &bench.server.url("/c")]).well();
    let text = bench.run(&["stats", "--openmetrics"]).well();
    assert!(is_clean(&text) && !text.contains("secret"), "{text}");
    let metrics = Metrics::parse(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let of = |outcome: &'static str| vec![("feed", masked.as_str()), ("outcome", outcome)];
    for (outcome, polls) in [
        ("not_modified", 2.0),
        ("changed", 1.0),
        ("identical", 0.0),
        ("error", 1.0),
        ("deferred", 0.0),
    ] {
        let found = metrics.value("tidings_feed_polls_total", &of(outcome));
        assert_eq!(found, Some(polls), "{outcome}\n{text}");
    }
    let feed = [("feed", masked.as_str())];
    let body = undated("F").len() as f64;
    for (name, value) in [
        ("tidings_feed_conditional_requests_total", 3.0),
        ("tidings_feed_received_bytes_total", body),
        ("tidings_feed_saved_bytes_total", body * 2.0),
        ("tidings_feed_not_modified_ratio", 0.666_667),
        ("tidings_feed_errors_in_a_row", 1.0),
    ] {
        assert_eq!(metrics.value(name, &feed), Some(value), "{name}\n{text}");
    }
    let host = bench.server.address().to_string();
    let host = [("host", host.as_str())];
    assert_eq!(metrics.value("tidings_host_feeds", &host), Some(2.0));
    let hold = metrics.value("tidings_host_hold_until_timestamp_seconds", &host);
    let next = metrics.value("tidings_host_next_poll_timestamp_seconds", &host);
    assert!(hold.is_some() && next >= hold, "{text}");
    let one = bench.run(&["stats", "--openmetrics", &secret]).well();
    let one = Metrics::parse(&one).unwrap_or_else(|why| panic!("{why}\n{one}"));
    assert_eq!(one.value("tidings_host_feeds", &host), None);
    assert_eq!(
        one.value("tidings_feed_saved_bytes_total", &feed),
        Some(body * 2.0)
    );
}

#[test]
fn r74_a_feed_less_home_has_valid_metrics_too() {
    let bench = Bench::new();
    let text = bench.run(&["stats", "--openmetrics"]).well();
    Metrics::parse(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
}

#[test]
fn r74_days_are_counted_and_the_share_of_304s_is_told() {
    let bench = Bench::new();
    bench
        .server
        .script("/a", vec![whole(&[("ETag", "\"1\"")]), unchanged(&[])]);
    bench.server.script("/b", vec![whole(&[])]);
    let (a, b) = (bench.server.url("/a"), bench.server.url("/b"));
    bench.run(&["add", &a, &b]).well();
    for _ in 0..2 {
        bench.run(&["--refresh-only", "--force", &a]).well();
    }
    let all = bench
        .run(&["stats", "--by-day", "--json", "--days", "2"])
        .json();
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    let sum = |key: &str| {
        all.as_array()
            .map(|days| days.iter().filter_map(|day| day[key].as_u64()).sum())
    };
    assert_eq!((sum("ok200"), sum("not_modified304")), (Some(2), Some(2)));
    let table = bench.run(&["stats", "--by-day", &b]).well();
    let last = table.lines().last().expect("a line");
    assert!(
        last.starts_with("30 days") && last.contains("  0 %"),
        "{table}"
    );
    let hosts = bench.run(&["stats", "--by-host", "--json"]).json();
    assert_eq!(hosts[0]["not_modified_rate"], 0.5);
    let feeds = bench.run(&["stats", "--json"]).json();
    assert_eq!(feeds[0]["not_modified_rate"], 0.6667);
    assert_eq!(feeds[1]["not_modified_rate"], 0.0);
}

#[test]
fn r74_explain_lists_every_bound_and_who_decided() {
    let bench = Bench::new();
    // Half a day away: it is not the hour that decides.
    let now = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .expect("after 1970");
    let hour = (now.as_secs() / 3_600 + 12) % 24;
    let channel = format!("<ttl>180</ttl><skipHours><hour>{hour}</hour></skipHours>");
    let body = undated("F").replace("<channel>", &format!("<channel>{channel}"));
    let reply = Reply::ok(body)
        .header("Content-Type", "application/rss+xml")
        .header("ETag", "\"1\"")
        .header("Cache-Control", "max-age=14400");
    bench.server.script("/a", vec![reply]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    let found = bench.run(&["explain", "--json", &url]).json();
    let bounds = found["bounds"].as_array().expect("an array");
    let named = |rule: &str| bounds.iter().find(|bound| bound["rule"] == rule);
    let max_age = named("max-age").expect("listed");
    assert_eq!(
        (&max_age["bound"], &max_age["seconds"], &max_age["decides"]),
        (&"L".into(), &14_400.into(), &true.into())
    );
    assert_eq!(
        named("ttl").map(|bound| &bound["seconds"]),
        Some(&10_800.into())
    );
    assert_eq!(
        named("base").map(|bound| &bound["decides"]),
        Some(&false.into())
    );
    assert_eq!(found["skip_hours"], serde_json::json!([hour]));
    assert_eq!(found["rule"], "max-age");
    assert_eq!(found["validators"], "etag");
    assert_eq!(found["next_is_conditional"], true);
    assert_eq!(found["last_requests"][0]["status"], 200);
    let text = bench.run(&["explain", &url]).well();
    for part in [
        "server's max-age, 4 h, decides",
        "feed's ttl, 3 h",
        "validators  etag; all that the server gives are sent",
        "200  1 new, 0 updated, plain, by hand, next ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn r78_a_hub_is_named_with_what_is_done_about_it_and_never_asked() {
    let bench = Bench::new();
    bench.server.script("/hub", vec![Reply::new(202)]);
    let hub = bench.server.url("/hub");
    let link = format!("<link xmlns='http://www.w3.org/2005/Atom' rel='hub' href='{hub}'/>");
    let body = undated("F").replace("<channel>", &format!("<channel>{link}"));
    bench.server.script("/a", vec![Reply::ok(body)]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    bench.run(&["--refresh-only", "--force"]).well();
    let found = bench.run(&["explain", "--json", &url]).json();
    assert_eq!(found["hubs"], serde_json::json!([hub]));
    assert_eq!(
        found["wishes"],
        serde_json::json!([{
            "says": "it offers pushes through a hub",
            "does": "polled all the same: the hub is noted, and never asked",
        }])
    );
    let text = bench.run(&["explain", &url]).well();
    for part in ["wish        it offers pushes through a hub: ", &hub] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!((bench.requests("/a"), bench.requests("/hub")), (2, 0));
}

#[test]
fn r74_explain_names_the_answer_that_set_the_hold() {
    let bench = Bench::new();
    bench.server.script("/a", vec![whole(&[("ETag", "\"1\"")])]);
    bench.server.script(
        "/b",
        vec![whole(&[]), Reply::new(429).header("Retry-After", "7200")],
    );
    let (a, b) = (bench.server.url("/a"), bench.server.url("/b"));
    bench.run(&["add", &a, &b]).well();
    bench.run(&["--refresh-only", "--force", &b]).well();
    bench.run(&["--refresh-only", "--force", &a]).well();
    let found = bench.run(&["explain", "--json", &a]).json();
    assert_eq!(found["hold"]["by_status"], 429);
    assert_eq!(found["hold"]["by_url"], b);
    assert!(found["hold"]["since"].is_string());
    assert_eq!(found["rule"], "hold");
    assert_eq!(
        found["wishes"][0]["does"],
        "none of the host's feeds is asked before"
    );
    let bounds = found["bounds"].as_array().expect("an array");
    let hold = bounds
        .iter()
        .find(|bound| bound["bound"] == "H")
        .expect("listed");
    assert_eq!(
        (&hold["decides"], &hold["until"]),
        (&true.into(), &found["hold"]["until"])
    );
    let text = bench.run(&["explain", &a]).well();
    assert!(
        text.contains(&format!("set by the 429 to {b}; `tidings lift ")),
        "{text}"
    );
}

#[test]
fn r53_moves_are_listed_adopted_and_taken_back_by_command() {
    let bench = Bench::new();
    let (old, new) = (bench.server.url("/old"), bench.server.url("/new"));
    bench
        .server
        .script("/old", vec![Reply::redirect(301, &new)]);
    bench
        .server
        .script("/new", vec![whole(&[("ETag", "\"1\"")]), unchanged(&[])]);
    bench.run(&["add", &old]).well();
    bench.run(&["mark", "read", "all"]).well();
    let list = bench.run(&["feeds", "--moved"]).well();
    assert!(
        list.contains(&format!("redirects to   {new}, seen 1 time since ")),
        "{list}"
    );
    for _ in 0..4 {
        bench.run(&["--refresh-only", "--force"]).well();
    }
    let ended = bench.run(&["feeds", "--moved"]);
    assert!(
        ended.out.contains(&format!(
            "in feeds.toml  {old}\n  asked at       {new}, since "
        )),
        "{}",
        ended.out
    );
    assert!(ended.err.contains("--adopt URL"), "{}", ended.err);
    let moved = bench.run(&["feeds", "--moved", "--json"]).json();
    assert_eq!(
        (&moved[0]["state"], &moved[0]["url"], &moved[0]["url_now"]),
        (&"moved".into(), &old.as_str().into(), &new.as_str().into())
    );
    assert_eq!(moved[0]["moves"][0]["to"], new);
    let told = bench.run(&["feeds", "--moved", "--adopt", "all"]).well();
    assert_eq!(told, format!("{old} is now {new} in feeds.toml\n"));
    assert!(bench.feeds_toml().contains(&new) && !bench.feeds_toml().contains(&old));
    let feeds = bench.run(&["feeds", "--json"]).json();
    assert_eq!(
        (&feeds[0]["total"], &feeds[0]["unread"]),
        (&1.into(), &0.into()),
        "the marks stay"
    );
    let settled = bench.run(&["feeds", "--moved"]).well();
    assert!(
        settled.contains(&format!("adopted        {old} → {new}, ")),
        "{settled}"
    );
    let told = bench.run(&["feeds", "--moved", "--undo", &new]).well();
    assert!(told.starts_with(&format!("{old} is asked again")), "{told}");
    assert!(bench.feeds_toml().contains(&old));
    let refused = bench.run(&["feeds", "--moved", "--adopt", &old]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    let ended = bench.run(&["feeds", "--moved", "--adopt", "all"]);
    assert!(ended.err.contains("no feed has moved"), "{}", ended.err);
}
