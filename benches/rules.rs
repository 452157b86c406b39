//! What the rules cost a poll that ends in a 304: may it be asked, with what, what does the answer mean, when next. To be held
//! against the processor time of a whole poll in a warm round (at most a twentieth).

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use tidings::model::{
    Answer, Body, HeaderList, HostState, Pace, PollSettings, PollState, Subscription, Timestamp,
    Validators,
};
use tidings::poll::{
    Asked, Ending, Known, Verdict, address, conclude, judge, over_budget, plan, validators_for,
};

const NOW: Timestamp = Timestamp(1_796_000_000);
const URL: &str = "https://blog.example/feed.xml";

fn fields(list: &[(&str, &str)]) -> HeaderList {
    list.iter().copied().collect()
}

/// What a CDN sends with a 304.
fn not_modified() -> Answer {
    Answer {
        url: URL.to_owned(),
        status: 304,
        sent: fields(&[("if-none-match", "\"65f2a-1b4c8\"")]),
        headers: fields(&[
            ("date", "Mon, 30 Nov 2026 13:57:23 GMT"),
            ("etag", "\"65f2a-1b4c8\""),
            ("last-modified", "Mon, 30 Nov 2026 13:57:23 GMT"),
            ("cache-control", "public, max-age=600"),
            ("expires", "Mon, 30 Nov 2026 14:07:23 GMT"),
            ("age", "17"),
            ("vary", "Accept-Encoding"),
            ("server", "nginx/1.24.0"),
        ]),
        body: Body::default(),
        at: NOW,
        took: Duration::from_millis(40),
    }
}

fn known<'a>(
    state: &'a PollState,
    host: &'a HostState,
    subscription: &'a Subscription,
    validators: &'a [(String, Validators)],
    settings: &'a PollSettings,
) -> Known<'a> {
    Known {
        now: NOW,
        state,
        host,
        subscription,
        validators,
        settings,
        parser: 1,
    }
}

fn a_304(c: &mut Criterion) {
    let state = PollState {
        answered_by: Some(URL.to_owned()),
        body_hash: Some([1; 32]),
        entries_hash: Some([2; 32]),
        newest: Some(NOW.plus(-90_000)),
        median_gap: Some(40_000),
        full_wire: 20_000,
        full_decoded: 80_000,
        parser: 1,
        ..PollState::default()
    };
    let (host, settings) = (HostState::default(), PollSettings::default());
    let subscription = Subscription {
        url: URL.to_owned(),
        ..Subscription::default()
    };
    let pair = Validators {
        etag: Some(b"\"65f2a-1b4c8\"".to_vec()),
        last_modified: Some(b"Mon, 30 Nov 2026 13:57:23 GMT".to_vec()),
    };
    let validators = [(URL.to_owned(), pair)];
    let answer = not_modified();
    c.bench_function("the rules of a poll that ends in a 304", |b| {
        b.iter(|| {
            let known = known(&state, &host, &subscription, &validators, &settings);
            black_box(plan(Pace::Scheduled, &known));
            black_box(over_budget(&host, Pace::Scheduled, false, NOW, 60));
            let url = address(&state, &subscription.url);
            let sent = validators_for(url, Pace::Scheduled, &known);
            assert_eq!(judge(&answer, !sent.is_empty()), Verdict::NotModified);
            let asked = Asked {
                pace: Pace::Scheduled,
                hops: &[],
                sent,
                answer: Some(&answer),
                wire: 0,
                decoded: 0,
                newer: false,
                pushed: None,
            };
            black_box(conclude(&Ending::NotModified, &asked, &known, 0.5))
        });
    });
}

criterion_group!(benches, a_304);
criterion_main!(benches);
