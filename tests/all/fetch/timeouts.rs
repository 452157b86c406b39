//! Servers that make one wait, and servers that many wait for.

use std::time::Duration;

use tidings::fetch::{Fetcher, Request};
use tidings::model::{ErrorKind, HttpSettings, Validators};
use tokio::time::Instant;

use super::{NOW, ask, fetcher, get, impatient, told};
use crate::support::{Deaf, Gate, Reply, Server};

#[tokio::test]
async fn no_answer_is_a_timeout_that_says_so() {
    let server = Server::start();
    server.serve("/feed", Reply::silence());
    let (kind, sentence) = told(get(&impatient(), &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::Timeout);
    assert_eq!(sentence, "timed out: connected, but no answer within 150ms");
}

#[tokio::test]
async fn a_body_that_stands_still_is_a_timeout_that_says_so() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("half of it").claiming(100).then_hang());
    let failure = get(&impatient(), &server.url("/feed"))
        .await
        .expect_err("stands still");
    assert_eq!(
        failure.error.to_string(),
        "timed out: the body stood still for 150ms"
    );
    assert_eq!(failure.wire, 10);
    assert_eq!(failure.status, Some(200));
}

#[tokio::test]
async fn a_body_that_drips_is_stopped_by_the_total() {
    let server = Server::start();
    let slowly = Reply::ok("").trickle(vec![b'x'; 100_000], Duration::from_millis(20));
    server.serve("/feed", slowly);
    // However late a drop comes on a busy machine, the whole is what runs out.
    let fetcher = Fetcher::new(&HttpSettings {
        read_timeout: Duration::from_secs(60),
        total_timeout: Duration::from_millis(600),
        ..HttpSettings::default()
    })
    .expect("settings");
    let (kind, sentence) = told(get(&fetcher, &server.url("/feed")).await);
    assert_eq!(kind, ErrorKind::Timeout);
    assert_eq!(
        sentence,
        "timed out: the answer was not complete after 600ms"
    );
}

#[tokio::test]
async fn the_callers_deadline_ends_everything() {
    let server = Server::start();
    server.serve("/feed", Reply::silence());
    let (none, url) = (Validators::default(), server.url("/feed"));
    let mut request = Request::new(&url, &none);
    request.private_ok = true;
    let deadline = Instant::now() + Duration::from_millis(100);
    let (kind, sentence) = told(fetcher().get(request, deadline, || NOW).await);
    assert_eq!(kind, ErrorKind::Cancelled, "no fault of the server's");
    assert_eq!(sentence, "broken off: the time of this run was up");
}

fn with_places(connections: usize) -> Fetcher {
    Fetcher::new(&HttpSettings {
        connections,
        ..HttpSettings::default()
    })
    .expect("settings")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_requests_are_in_flight_than_there_are_places() {
    let server = Server::start();
    let gate = Gate::new();
    server.serve("/feed", Reply::ok("<rss/>").held(&gate));
    let fetcher = with_places(3);
    let polls: Vec<_> = (0..12)
        .map(|_| {
            let (fetcher, url) = (fetcher.clone(), server.url("/feed"));
            tokio::spawn(async move { get(&fetcher, &url).await.map(|answer| answer.status) })
        })
        .collect();
    server.wait_for(3);
    gate.open();
    for poll in polls {
        assert_eq!(poll.await.expect("ended"), Ok(200));
    }
    assert_eq!(server.most_active(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_polls_at_once_all_get_their_turn() {
    let server = Server::start();
    server.serve("/feed", Reply::ok("<rss/>"));
    let fetcher = with_places(8);
    let polls: Vec<_> = (0..1000)
        .map(|n| {
            let (fetcher, url) = (fetcher.clone(), server.url("/feed"));
            tokio::spawn(async move {
                let none = Validators::default();
                let mut request = Request::new(&url, &none);
                request.failures = n % 5;
                ask(&fetcher, request).await.map(|answer| answer.status)
            })
        })
        .collect();
    for poll in polls {
        assert_eq!(poll.await.expect("ended"), Ok(200));
    }
    assert!(server.most_active() <= 8, "{}", server.most_active());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_a_connection_takes_no_place() {
    let deaf = Deaf::start();
    let server = Server::start();
    server.serve("/feed", Reply::ok("<rss/>"));
    let fetcher = with_places(2);
    let stuck: Vec<_> = (0..8)
        .map(|_| {
            let (fetcher, url) = (fetcher.clone(), deaf.url("/feed"));
            tokio::spawn(async move { told(get(&fetcher, &url).await) })
        })
        .collect();
    tokio::task::yield_now().await;
    for _ in 0..10 {
        get(&fetcher, &server.url("/feed"))
            .await
            .expect("a healthy feed");
    }
    for poll in stuck {
        assert!(!poll.is_finished(), "still connecting");
        poll.abort();
    }
}

#[tokio::test]
async fn no_connection_is_a_timeout_that_says_so() {
    let deaf = Deaf::start();
    for millis in [200, 400] {
        let fetcher = Fetcher::new(&HttpSettings {
            connect_timeout: Duration::from_millis(millis),
            ..HttpSettings::default()
        })
        .expect("settings");
        let (kind, sentence) = told(get(&fetcher, &deaf.url("/feed")).await);
        assert_eq!(kind, ErrorKind::Timeout);
        assert_eq!(
            sentence,
            format!("timed out: no connection within {millis}ms")
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_that_is_dropped_leaves_its_place() {
    let server = Server::start();
    server.serve("/silent", Reply::silence());
    server.serve("/feed", Reply::ok("<rss/>"));
    let fetcher = with_places(1);
    let dropped = {
        let (fetcher, url) = (fetcher.clone(), server.url("/silent"));
        tokio::spawn(async move { get(&fetcher, &url).await.is_ok() })
    };
    server.wait_for(1);
    dropped.abort();
    get(&fetcher, &server.url("/feed"))
        .await
        .expect("a free place");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_large_bodies_all_arrive() {
    const SIZE: usize = 9 * 1024 * 1024;
    let server = Server::start();
    server.serve(
        "/feed",
        Reply::ok("").blocks(vec![b'x'; 64 * 1024], SIZE / 64 / 1024),
    );
    let fetcher = fetcher();
    let polls: Vec<_> = (0..8)
        .map(|_| {
            let (fetcher, url) = (fetcher.clone(), server.url("/feed"));
            tokio::spawn(async move {
                let none = Validators::default();
                let mut request = Request::new(&url, &none);
                request.private_ok = true;
                let deadline = Instant::now() + Duration::from_secs(60);
                let (answer, grant) = fetcher.get_held(request, deadline, || NOW).await?;
                // As if a parser had it for a while.
                tokio::task::yield_now().await;
                drop(grant);
                Ok::<_, tidings::fetch::Failure>(answer.body.bytes.len())
            })
        })
        .collect();
    for poll in polls {
        assert_eq!(poll.await.expect("ended"), Ok(SIZE));
    }
}
