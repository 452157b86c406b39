//! The servers of the demo, asked as the reader asks.

use std::time::Duration;

use tidings::fetch::{Fetcher, Request};
use tidings::model::{HostKey, HttpSettings, Timestamp, Validators};
use tidings::serve::demo;
use tokio::time::Instant;

async fn statuses(
    fetcher: &Fetcher,
    urls: &[String],
    known: &[Validators],
) -> Vec<(u16, Validators)> {
    let mut answers = Vec::new();
    for (url, validators) in urls.iter().zip(known) {
        let mut request = Request::new(url, validators);
        request.private_ok = true;
        let deadline = Instant::now() + Duration::from_secs(30);
        let answer = fetcher
            .get(request, deadline, || Timestamp(0))
            .await
            .unwrap_or_else(|failure| panic!("{url}: {}", failure.error));
        let kept = Validators {
            etag: answer.headers.get("etag").map(<[u8]>::to_vec),
            last_modified: answer.headers.get("last-modified").map(<[u8]>::to_vec),
        };
        answers.push((answer.status, kept));
    }
    answers
}

#[tokio::test]
async fn the_demo_shows_every_kind_of_answer() {
    let demo = demo::start().expect("loopback");
    let subscriptions = demo.subscriptions();
    let urls: Vec<String> = subscriptions.iter().map(|s| s.url.clone()).collect();
    let hosts: std::collections::BTreeSet<_> =
        urls.iter().map(|url| HostKey::of_str(url)).collect();
    assert_eq!(hosts.len(), urls.len(), "a host of its own for each");
    assert!(
        subscriptions
            .iter()
            .all(|s| s.title.is_some() && !s.tags.is_empty())
    );

    let fetcher = Fetcher::new(&HttpSettings::default()).expect("settings");
    let none = vec![Validators::default(); urls.len()];
    let first = statuses(&fetcher, &urls, &none).await;
    let count = |answers: &[(u16, Validators)], status| {
        answers.iter().filter(|(got, _)| *got == status).count()
    };
    assert_eq!(
        [200, 301, 410, 503].map(|status| count(&first, status)),
        [7, 1, 1, 1]
    );
    let known: Vec<_> = first
        .iter()
        .map(|(_, validators)| validators.clone())
        .collect();
    let second = statuses(&fetcher, &urls, &known).await;
    assert!(count(&second, 304) >= 5, "{second:?}");
    assert!(count(&second, 200) >= 1, "one knows no 304");
}

#[tokio::test]
async fn the_feeds_of_the_demo_are_worth_reading() {
    let demo = demo::start().expect("loopback");
    let fetcher = Fetcher::new(&HttpSettings::default()).expect("settings");
    let none = Validators::default();
    let mut entries = 0;
    for subscription in demo.subscriptions() {
        let mut request = Request::new(&subscription.url, &none);
        request.private_ok = true;
        let deadline = Instant::now() + Duration::from_secs(30);
        let answer = fetcher
            .get(request, deadline, || Timestamp(0))
            .await
            .expect("an answer");
        if answer.status != 200 {
            continue;
        }
        let feed = feed_rs::parser::parse(&answer.body.bytes[..]).expect("a feed");
        for entry in &feed.entries {
            assert!(entry.title.is_some(), "{}", subscription.url);
            assert!(entry.published.is_some(), "{}", subscription.url);
            assert!(!entry.links.is_empty(), "{}", subscription.url);
        }
        assert!(
            (6..=12).contains(&feed.entries.len()),
            "{}",
            subscription.url
        );
        entries += feed.entries.len();
    }
    assert!(entries >= 40, "{entries}");
}

#[tokio::test]
async fn the_demo_ends_when_it_is_dropped() {
    let demo = demo::start().expect("loopback");
    let url = demo.subscriptions()[0].url.clone();
    drop(demo);
    let fetcher = Fetcher::new(&HttpSettings::default()).expect("settings");
    let none = Validators::default();
    let mut request = Request::new(&url, &none);
    request.private_ok = true;
    let deadline = Instant::now() + Duration::from_secs(30);
    assert!(
        fetcher
            .get(request, deadline, || Timestamp(0))
            .await
            .is_err()
    );
}
