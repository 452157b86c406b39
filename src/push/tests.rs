use ring::hmac;
use url::form_urlencoded;

use super::*;
use crate::model::Timestamp;

const T: Timestamp = Timestamp(1_800_000_000);
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
const TOPIC: &str = "https://blog.example/feed?a=1&b=2";

const CALLBACK: &str = "https://me.example/push/?k=1";

fn next(push: Push, now: Timestamp) -> (Push, Act) {
    super::next(push, CALLBACK, now)
}

fn answered(push: Push, status: Option<u16>, patience: Option<i64>, now: Timestamp) -> Push {
    let answer = HubAnswer {
        status,
        patience,
        moved: None,
    };
    super::answered(push, &answer, now)
}

fn discover(base: &str, headers: &[&[u8]], hubs: &[String], own: Option<&str>) -> Option<Found> {
    super::discover(base, base, headers, hubs, own)
}

fn push() -> Push {
    let hubs = [
        "https://hub.example/".to_owned(),
        "http://two.example/".to_owned(),
    ];
    Push::new(TOPIC, &hubs, &[0xa5; 48]).expect("a hub")
}

fn query(mode: &str, topic: &str, lease: &str) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("hub.mode", mode)
        .append_pair("hub.topic", topic)
        .append_pair("hub.challenge", "c0ffee")
        .append_pair("hub.lease_seconds", lease)
        .finish()
}

fn asked(at: Timestamp) -> Push {
    let (push, act) = next(push(), at);
    assert_eq!(act, Act::Ask(Mode::Subscribe));
    push
}

fn confirm(push: &Push, mode: &str, lease: &str, at: Timestamp) -> Push {
    match verify(push, &query(mode, TOPIC, lease), at) {
        Verdict::Echo(challenge, push) => {
            assert_eq!(challenge, "c0ffee");
            *push
        }
        other => panic!("{other:?}"),
    }
}

fn active() -> Push {
    confirm(&asked(T), "subscribe", "864000", T)
}

fn sign(push: &Push, method: &str, body: &[u8]) -> String {
    let algorithm = match method {
        "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => hmac::HMAC_SHA256,
        "sha384" => hmac::HMAC_SHA384,
        _ => hmac::HMAC_SHA512,
    };
    let key = hmac::Key::new(algorithm, push.secret.as_bytes());
    format!("{method}={}", state::hex(hmac::sign(&key, body).as_ref()))
}

fn sent(push: &Push, method: &str, body: &[u8]) -> Delivery {
    deliver(push, Some(sign(push, method, body).as_bytes()), body, T)
}

#[test]
fn r79_headers_decide_before_the_document() {
    let document = ["https://other.example/".to_owned()];
    let headers: [&[u8]; 2] = [
        b"<https://hub.example/>; rel=\"hub\", </feed>; rel=self",
        b"<two>; REL=\"preload Hub\"; title=\"a, b; c\", <https://hub.example/#x>; rel=hub",
    ];
    let found = discover(
        "https://blog.example/now",
        &headers,
        &document,
        Some("/not"),
    )
    .expect("hubs");
    assert_eq!(found.topic, "https://blog.example/feed");
    assert_eq!(
        found.hubs,
        ["https://hub.example/", "https://blog.example/two"]
    );
}

#[test]
fn r79_the_document_is_asked_when_no_header_names_a_hub() {
    let hubs = ["/hub".to_owned(), "ftp://x.example/".to_owned()];
    let headers: [&[u8]; 1] = [b"<https://blog.example/h>; rel=self"];
    let found = discover(
        "https://blog.example/now",
        &headers,
        &hubs,
        Some("feed#top"),
    )
    .expect("hubs");
    assert_eq!(found.topic, "https://blog.example/feed");
    assert_eq!(found.hubs, ["https://blog.example/hub"]);
    let found = discover("https://blog.example/now", &headers, &hubs, None).expect("hubs");
    assert_eq!(found.topic, "https://blog.example/h");
    let found = discover("https://blog.example/now", &[], &hubs, None).expect("hubs");
    assert_eq!(found.topic, "https://blog.example/now");
}

#[test]
fn r79_links_that_are_no_hubs_are_left_out() {
    let none: [&[u8]; 5] = [
        b"<javascript:alert(1)>; rel=hub",
        b"<https://u:p@hub.example/>; rel=hub",
        b"<https://hub.example/>; rel=hub; anchor=\"/other\"",
        b"<https://hub.example/; rel=hub",
        b"\xff\xfe;;;===,,\"",
    ];
    assert_eq!(discover("https://blog.example/", &none, &[], None), None);
    let many: Vec<String> = (0..50).map(|n| format!("https://h{n}.example/")).collect();
    let found = discover("https://blog.example/", &[], &many, None).expect("hubs");
    assert_eq!(found.hubs.len(), HUBS_MAX);
}

#[test]
fn r79_the_request_names_callback_topic_and_lease() {
    let push = asked(T);
    let body = form(&push, Mode::Subscribe);
    let pairs: Vec<_> = form_urlencoded::parse(body.as_bytes()).collect();
    let of = |name: &str| {
        let found = pairs.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.to_string())
    };
    let callback = format!("https://me.example/push/{}?k=1", push.path);
    assert_eq!(of("hub.callback"), Some(callback));
    assert_eq!(of("hub.topic").as_deref(), Some(TOPIC));
    assert_eq!(of("hub.mode").as_deref(), Some("subscribe"));
    assert_eq!(of("hub.lease_seconds").as_deref(), Some("864000"));
    assert_eq!(of("hub.secret"), Some(push.secret.clone()));
    assert!(push.secret.len() < 200 && push.path.len() == 32);
    let goodbye = form(&push, Mode::Unsubscribe);
    assert!(!goodbye.contains("secret") && goodbye.contains("hub.mode=unsubscribe"));
}

#[test]
fn r79_a_secret_never_goes_over_http() {
    let push = Push::new(TOPIC, &["http://hub.example/".to_owned()], &[7; 48]).expect("a hub");
    let (push, _) = next(push, T);
    let body = form(&push, Mode::Subscribe);
    assert!(!body.contains("secret"));
    // So nothing that comes can prove itself.
    let push = confirm(&push, "subscribe", "864000", T);
    assert_eq!(deliver(&push, None, b"<rss/>", T), Delivery::Thin);
    let there = Trail::new("https://hub.example/").follow(307, Some("http://hub.example/"));
    assert_eq!(there, None);
}

#[test]
fn r79_only_what_is_pending_is_verified() {
    let nobody = |push: &Push, mode: &str, topic: &str| {
        assert_eq!(
            verify(push, &query(mode, topic, "864000"), T),
            Verdict::NotFound
        );
    };
    nobody(&push(), "subscribe", TOPIC);
    let pending = asked(T);
    nobody(&pending, "subscribe", "https://blog.example/feed");
    nobody(&pending, "unsubscribe", TOPIC);
    nobody(&pending, "Subscribe", TOPIC);
    nobody(&pending, "publish", TOPIC);
    assert_eq!(verify(&pending, "", T), Verdict::NotFound);
    let bare = query("subscribe", TOPIC, "864000").replace("c0ffee", "");
    assert_eq!(verify(&pending, &bare, T), Verdict::NotFound);
    let long = query("subscribe", TOPIC, "864000").replace("c0ffee", &"x".repeat(1025));
    assert_eq!(verify(&pending, &long, T), Verdict::NotFound);
    assert!(confirm(&pending, "subscribe", "864000", T).is_active(T));
}

#[test]
fn r79_a_repeated_verification_changes_nothing() {
    let first = active();
    let again = confirm(&first, "subscribe", "5000000", T.plus(60));
    assert_eq!(again, first);
    let late = verify(
        &first,
        &query("subscribe", TOPIC, "864000"),
        T.plus(2 * HOUR),
    );
    assert_eq!(late, Verdict::NotFound);
}

#[test]
fn r79_a_hub_that_never_verifies_is_left_for_the_next() {
    let pending = asked(T);
    let (still, act) = next(pending.clone(), T.plus(23 * HOUR));
    assert_eq!((still, act), (pending.clone(), Act::Rest(T.plus(DAY))));
    // Late, and in time.
    assert!(
        confirm(&pending, "subscribe", "864000", T.plus(23 * HOUR)).is_active(T.plus(23 * HOUR))
    );
    let (other, act) = next(pending, T.plus(DAY));
    assert_eq!(act, Act::Rest(T.plus(DAY + HOUR)));
    assert_eq!(other.hub(), "http://two.example/");
    // Too late: nobody waits for it any more.
    let late = verify(&other, &query("subscribe", TOPIC, "864000"), T.plus(DAY));
    assert_eq!(late, Verdict::NotFound);
    assert_eq!(relied_until(&other, T.plus(DAY)), None);
    let (_, act) = next(other, T.plus(DAY + HOUR));
    assert_eq!(act, Act::Ask(Mode::Subscribe));
}

#[test]
fn r79_failures_wait_longer_each_time_but_no_more_than_a_day() {
    let mut push = push();
    let mut now = T;
    let mut waits = Vec::new();
    for _ in 0..7 {
        let (pending, act) = next(push, now);
        assert_eq!(act, Act::Ask(Mode::Subscribe));
        let failed = answered(pending, Some(500), None, now);
        let (failed, act) = next(failed, now);
        let Act::Rest(until) = act else {
            panic!("{act:?}")
        };
        waits.push(until.since(now) / HOUR);
        now = until;
        push = failed;
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 24, 24]);
    let patient = answered(asked(T), Some(503), Some(10 * HOUR), T);
    assert_eq!(next(patient, T).1, Act::Rest(T.plus(10 * HOUR)));
}

#[test]
fn r79_a_request_follows_the_hub_and_is_sent_on_five_times_at_most() {
    let walk = |hops: &[(u16, &str)]| {
        let begin = Some(Trail::new("https://hub.example/a/"));
        hops.iter().fold(begin, |trail, (status, location)| {
            trail?.follow(*status, Some(location))
        })
    };
    for (hops, url, moved) in [
        (
            &[(308, "/new")][..],
            "https://hub.example/new",
            Some("https://hub.example/new"),
        ),
        (&[(307, "/once")], "https://hub.example/once", None),
        // Each against the URL that answered.
        (
            &[(302, "https://two.example/x/"), (307, "y")],
            "https://two.example/x/y",
            None,
        ),
        (
            &[(301, "/new"), (302, "/once"), (308, "/other")],
            "https://hub.example/other",
            Some("https://hub.example/new"),
        ),
    ] {
        let trail = walk(hops).expect("somewhere");
        assert_eq!((trail.url.as_str(), trail.moved.as_deref()), (url, moved));
    }
    for nowhere in [
        "http://hub.example/",
        "https://u:p@x.example/",
        "ftp://x.example/",
        "https://",
    ] {
        assert_eq!(walk(&[(307, nowhere)]), None, "{nowhere}");
    }
    assert_eq!(walk(&[(200, "/")]), None);
    assert_eq!(Trail::new("https://hub.example/").follow(308, None), None);
    assert!(walk(&[(307, "/"); 5]).is_some());
    assert_eq!(walk(&[(307, "/"); 6]), None);
}

#[test]
fn r79_a_hub_that_moved_for_good_is_asked_there_until_another_has_its_turn() {
    let moved = HubAnswer {
        status: Some(202),
        moved: Some("https://new.example/".to_owned()),
        ..HubAnswer::default()
    };
    let push = super::answered(asked(T), &moved, T);
    assert_eq!(push.hub(), "https://new.example/");
    // The publisher still names the old one: nothing has changed.
    let found = Found {
        topic: TOPIC.to_owned(),
        hubs: push.hubs.clone(),
    };
    assert_eq!(agree(Some(&push), Some(&found), &[1; 48], T), Agreed::Same);
    let failed = answered(push, Some(500), None, T);
    assert_eq!(failed.hub(), "http://two.example/");
}

#[test]
fn r79_what_the_publisher_says_now_decides() {
    let found = |topic: &str, hubs: &[&str]| Found {
        topic: topic.to_owned(),
        hubs: hubs.iter().map(|hub| (*hub).to_owned()).collect(),
    };
    let agreed = |there: Option<&Push>, found: Option<&Found>| agree(there, found, &[1; 48], T);
    assert_eq!(agreed(None, None), Agreed::Same);
    let new = found(TOPIC, &["https://hub.example/"]);
    assert!(matches!(agreed(None, Some(&new)), Agreed::Goes(push) if push.topic == TOPIC));
    let push = active();
    // The hub that pushes is still named, behind another.
    let more = found(TOPIC, &["https://first.example/", "https://hub.example/"]);
    let Agreed::Goes(same) = agreed(Some(&push), Some(&more)) else {
        panic!("it goes on")
    };
    assert!(same.is_active(T) && same.hub() == "https://hub.example/");
    // It is not.
    let other = found(TOPIC, &["https://first.example/"]);
    let Agreed::Goes(anew) = agreed(Some(&push), Some(&other)) else {
        panic!("it goes on elsewhere")
    };
    assert_eq!(next(*anew, T).1, Act::Ask(Mode::Subscribe));
    // Another topic: the old one is left, the new one begins.
    let moved = found("https://blog.example/new", &["https://hub.example/"]);
    let Agreed::Ends(Some(left), Some(begun)) = agreed(Some(&push), Some(&moved)) else {
        panic!("it ends")
    };
    assert_eq!(next(*left, T).1, Act::Ask(Mode::Unsubscribe));
    assert_eq!(begun.topic, "https://blog.example/new");
    // No hub any more; and one that no hub knows of.
    assert!(matches!(
        agreed(Some(&push), None),
        Agreed::Ends(Some(_), None)
    ));
    assert_eq!(
        agreed(Some(&super::tests::push()), None),
        Agreed::Ends(None, None)
    );
}

#[test]
fn r79_another_callback_is_another_subscription() {
    let push = active();
    let (push, act) = super::next(push, "https://new.example/", T);
    assert_eq!(act, Act::Ask(Mode::Subscribe));
    assert!(form(&push, Mode::Subscribe).contains("new.example"));
    assert!(!push.is_active(T));
    // A farewell goes by the callback that the hub knows.
    let (left, _) = leave(active(), T);
    let (left, _) = super::next(left, "https://new.example/", T);
    assert!(form(&left, Mode::Unsubscribe).contains("me.example"));
}

#[test]
fn r79_leases_are_held_to_what_makes_sense() {
    for useless in ["0", "599", "-5", "", "soon"] {
        let verdict = verify(&asked(T), &query("subscribe", TOPIC, useless), T);
        let Verdict::Useless(push) = verdict else {
            panic!("{useless}: {verdict:?}")
        };
        assert!(!push.is_active(T) && push.pending.is_none());
    }
    for long in ["315360000", "99999999999999999999999"] {
        let push = confirm(&asked(T), "subscribe", long, T);
        assert_eq!(next(push, T).1, Act::Rest(T.plus(24 * DAY)));
    }
}

#[test]
fn r79_a_lease_is_renewed_at_four_fifths_and_the_old_one_holds_meanwhile() {
    let push = active();
    assert_eq!(relied_until(&push, T), Some(T.plus(10 * DAY)));
    let (push, act) = next(push, T.plus(8 * DAY - 1));
    assert_eq!(act, Act::Rest(T.plus(8 * DAY)));
    let (push, act) = next(push, T.plus(8 * DAY));
    assert_eq!(act, Act::Ask(Mode::Subscribe));
    assert!(push.is_active(T.plus(9 * DAY)));
    // A failed renewal is asked again at the same hub.
    let failed = answered(push.clone(), None, None, T.plus(8 * DAY));
    assert_eq!(
        (failed.hub(), failed.shared),
        ("https://hub.example/", true)
    );
    assert!(failed.is_active(T.plus(9 * DAY)));
    let push = confirm(&push, "subscribe", "864000", T.plus(8 * DAY + 5));
    assert_eq!(
        next(push, T.plus(9 * DAY)).1,
        Act::Rest(T.plus(16 * DAY + 5))
    );
}

#[test]
fn r79_a_clock_that_jumps_ends_in_normal_polling_and_a_new_request() {
    for jump in [30 * DAY, -30 * DAY] {
        let now = T.plus(jump);
        let push = active();
        assert!(!push.is_active(now), "{jump}");
        assert_eq!(relied_until(&push, now), None);
        let (push, act) = next(push, now);
        assert_eq!(act, Act::Ask(Mode::Subscribe), "{jump}");
        assert!(confirm(&push, "subscribe", "864000", now).is_active(now));
    }
    // A pause and a wait that were set in another time bind nobody.
    let failed = answered(asked(T), Some(500), None, T);
    assert_eq!(next(failed, T.plus(-30 * DAY)).1, Act::Ask(Mode::Subscribe));
    let (push, _) = next(asked(T), T.plus(-30 * DAY));
    assert_eq!(push.failures, 1);
    // A clock put right by seconds is nothing.
    assert!(active().is_active(T.plus(-10)));
}

#[test]
fn r79_a_denial_is_believed_for_a_week() {
    let told = query("denied", TOPIC, "").replace("c0ffee", "") + "&hub.reason=no%0Aroom";
    assert_eq!(verify(&push(), &told, T), Verdict::NotFound);
    for push in [asked(T), active()] {
        let Verdict::Denied(push) = verify(&push, &told, T) else {
            panic!("{push:?}")
        };
        assert_eq!(push.denied, Some((T, "noroom".to_owned())));
        assert_eq!(relied_until(&push, T), None);
        let (push, act) = next(*push, T);
        assert_eq!(act, Act::Rest(T.plus(7 * DAY)));
        assert_eq!(next(push, T.plus(7 * DAY)).1, Act::Ask(Mode::Subscribe));
    }
}

#[test]
fn r79_a_removed_feed_is_unsubscribed() {
    let (_, at_once) = leave(push(), T);
    assert!(at_once);
    let (push, at_once) = leave(active(), T);
    assert!(!at_once);
    assert_eq!(deliver(&push, None, b"x", T), Delivery::Unwanted);
    let (push, act) = next(push, T);
    assert_eq!(act, Act::Ask(Mode::Unsubscribe));
    assert_eq!(
        verify(&push, &query("subscribe", TOPIC, "864000"), T),
        Verdict::NotFound
    );
    let gone = confirm(&push, "unsubscribe", "", T);
    assert_eq!(next(gone, T).1, Act::Forget);
    // One that does not let go is forgotten all the same.
    let failed = answered(push, None, None, T);
    assert!(matches!(next(failed.clone(), T).1, Act::Rest(_)));
    assert_eq!(next(failed, T.plus(3 * DAY)).1, Act::Forget);
    // Nobody who was asked and has not verified brings a subscription of a removed feed about.
    let (push, at_once) = leave(asked(T), T);
    assert!(!at_once);
    assert_eq!(
        verify(&push, &query("subscribe", TOPIC, "864000"), T),
        Verdict::NotFound
    );
    assert_eq!(next(push, T).1, Act::Forget);
}

#[test]
fn r79_every_method_is_verified() {
    for (word, method) in [
        ("sha256", Method::Sha256),
        ("sha384", Method::Sha384),
        ("sha512", Method::Sha512),
    ] {
        assert_eq!(sent(&active(), word, b"<rss/>"), Delivery::Fat { method });
        assert_eq!(sent(&active(), word, b" \n"), Delivery::Thin);
    }
    let loud = sign(&active(), "sha256", b"x").to_ascii_uppercase();
    assert!(matches!(
        deliver(&active(), Some(loud.as_bytes()), b"x", T),
        Delivery::Fat { .. }
    ));
}

#[test]
fn r79_the_first_method_is_pinned() {
    let push = active();
    let first = sent(&push, "sha384", b"one");
    let push = mark_delivered(push, first, b"one", T);
    assert_eq!(push.method, Some(Method::Sha384));
    assert_eq!(
        sent(&push, "sha256", b"two"),
        Delivery::Refused(Refusal::Weak)
    );
    let stronger = sent(&push, "sha512", b"two");
    assert_eq!(
        stronger,
        Delivery::Fat {
            method: Method::Sha512
        }
    );
    assert_eq!(
        mark_delivered(push, stronger, b"two", T).method,
        Some(Method::Sha384)
    );
}

#[test]
fn r79_what_is_not_signed_right_is_thrown_away() {
    let push = active();
    let other = Push::new(TOPIC, &push.hubs, &[1; 48]).expect("a hub");
    let refused = |signature: Option<&[u8]>| match deliver(&push, signature, b"<rss/>", T) {
        Delivery::Refused(why) => why,
        believed => panic!("{believed:?}"),
    };
    assert_eq!(refused(None), Refusal::Unsigned);
    assert_eq!(
        refused(Some(sign(&push, "sha1", b"<rss/>").as_bytes())),
        Refusal::Weak
    );
    assert_eq!(
        refused(Some(sign(&push, "sha256", b"<rss>").as_bytes())),
        Refusal::Forged
    );
    assert_eq!(
        refused(Some(sign(&other, "sha256", b"<rss/>").as_bytes())),
        Refusal::Forged
    );
    let right = sign(&push, "sha256", b"<rss/>");
    assert_eq!(refused(Some(&right.as_bytes()[..60])), Refusal::Forged);
    for wrong in [
        "sha256=",
        "sha256",
        "=",
        "",
        "sha256=zz",
        "sha256=abc",
        "sha256=\u{e9}a",
    ] {
        assert_eq!(refused(Some(wrong.as_bytes())), Refusal::Forged, "{wrong}");
    }
    let counted = mark_delivered(push.clone(), Delivery::Refused(Refusal::Forged), b"", T);
    assert_eq!(
        (counted.refused, counted.deliveries, counted.method),
        (1, 0, None)
    );
}

#[test]
fn r79_a_replayed_delivery_says_nothing() {
    let mut push = active();
    for n in 0..40 {
        let body = format!("body {n}");
        let delivery = sent(&push, "sha256", body.as_bytes());
        push = mark_delivered(push, delivery, body.as_bytes(), T);
        assert_eq!(
            sent(&push, "sha256", body.as_bytes()),
            Delivery::Refused(Refusal::Replayed)
        );
    }
    assert_eq!(
        (push.seen.len(), push.deliveries, push.delivered),
        (32, 40, Some(T))
    );
}

#[test]
fn r79_nothing_is_delivered_without_a_lease() {
    let body = b"<rss/>";
    let signed = sign(&active(), "sha256", body);
    let at = |push: &Push, now| deliver(push, Some(signed.as_bytes()), body, now);
    assert_eq!(at(&asked(T), T), Delivery::Unwanted);
    assert!(matches!(
        at(&active(), T.plus(10 * DAY + HOUR)),
        Delivery::Fat { .. }
    ));
    assert_eq!(at(&active(), T.plus(12 * DAY)), Delivery::Unwanted);
}

/// Four weeks of a hub that does as it should, asked at every hour: what is asked, and that no hour is without pushes.
#[test]
fn r79_weeks_of_renewals_leave_no_gap() {
    let mut push = push();
    let mut requests = 0;
    for hour in 0..28 * 24 {
        let now = T.plus(hour * HOUR);
        let (after, act) = next(push, now);
        push = after;
        if act == Act::Ask(Mode::Subscribe) {
            requests += 1;
            push = answered(push, Some(202), None, now);
            push = confirm(&push, "subscribe", "604800", now.plus(3));
        }
        assert!(push.is_active(now.plus(4)), "hour {hour}");
    }
    // Every 5.6 days.
    assert_eq!(requests, 5);
}
