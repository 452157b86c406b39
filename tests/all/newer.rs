//! Asking for what is newer than a date (R77): the overlap brings no doubles, a refusal costs one more request, `explain` says both.

use serde_json::Value;

use crate::support::process::Home;
use crate::support::{Reply, Server};

fn feed(entries: &[(&str, &str)]) -> Reply {
    let item = |(guid, date): &(&str, &str)| {
        format!("<item><guid>{guid}</guid><title>{guid}</title><pubDate>{date}</pubDate></item>")
    };
    let items: Vec<_> = entries.iter().map(item).collect();
    let items = items.concat();
    Reply::ok(format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed</title>{items}</channel></rss>"
    ))
}

fn delta(home: &Home, url: &str) -> Value {
    let explained = home.run(&["explain", "--json", url]).json();
    explained["delta"].clone()
}

#[test]
fn r77_the_overlap_brings_no_doubles_and_a_refusal_is_remembered_and_explained() {
    let (home, server) = (Home::new(), Server::start());
    let url = server.url("/f");
    home.write(
        "config/feeds.toml",
        &format!(
            "[[feed]]\nurl = \"{url}\"\ndelta = {{ param = \"after\", kind = \"updated\" }}\n"
        ),
    );
    let (first, second) = (
        "Tue, 05 Mar 2024 06:07:08 GMT",
        "Wed, 06 Mar 2024 06:07:08 GMT",
    );
    server.serve(
        "/f",
        feed(&[("a", first), ("b", "Mon, 04 Mar 2024 00:00:00 GMT")]),
    );
    let since = "/f?after=2024-03-05T05%3A07%3A08Z";
    server.serve(since, feed(&[("c", second), ("a", first)]));
    home.run(&["--refresh-only"]).well();
    let known = delta(&home, &url);
    assert_eq!(known["next_value"], "2024-03-05T05:07:08Z", "{known}");

    let told = home
        .run(&["--refresh-only", "--force", "--json"])
        .json_lines(1);
    assert_eq!(
        (&told[0]["new"], &told[0]["updated"]),
        (&1.into(), &0.into())
    );
    assert_eq!(server.requests_for("/f").len(), 1);
    assert_eq!(server.requests_for(since).len(), 1);
    let entries = home.run(&["entries", "--json"]).json();
    assert_eq!(entries.as_array().map(Vec::len), Some(3));

    let later = "/f?after=2024-03-06T05%3A07%3A08Z";
    server.serve(later, Reply::new(422));
    let told = home
        .run(&["--refresh-only", "--force", "--json"])
        .json_lines(1);
    let warning = told[0]["warning"].as_str().unwrap_or_default();
    assert!(warning.contains("refused the cursor (422)"), "{told:?}");
    assert_eq!(server.requests_for("/f").len(), 2);
    let known = delta(&home, &url);
    assert_eq!(known["next_value"], Value::Null, "{known}");
    assert!(known["refused_until"].is_string(), "{known}");
    let text = home.run(&["explain", &url]).well();
    assert!(text.contains("the server refused after"), "{text}");
    home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(
        server.requests_for(later).len(),
        1,
        "not tried again at once"
    );
    let entries = home.run(&["entries", "--json"]).json();
    assert_eq!(entries.as_array().map(Vec::len), Some(3), "nothing is lost");
}
