//! What a probe asks and what it concludes, against servers of all kinds.

use proptest::prelude::*;

use crate::model::{
    Content, Grade, Honour, ProbeEnd, Shot, Timestamp, Validators, ValidatorsChoice,
};
use crate::poll::{PROBE_SHOTS, ProbeStart, Step, probe_step, probe_verdict};

const A: &str = "https://a.example/feed";

/// A server: what it makes of validators.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "ways of a server, any of which may meet any other"
)]
struct Server {
    tag: bool,
    date: bool,
    /// `If-None-Match` is compared, and masks the date as RFC 9110 §13.1.3 has it.
    heeds_tag: bool,
    heeds_date: bool,
    /// Both must match (RFC 2616 §13.3.4).
    wants_both: bool,
    /// Another tag, another date with every answer.
    turns_tag: bool,
    turns_date: bool,
    /// 304 to anything conditional.
    lies: bool,
    /// Another content with every answer.
    busy: bool,
    /// Answers from then on are 429.
    tires_after: Option<usize>,
    redirects: bool,
}

fn content(n: u8) -> Content {
    Content {
        body: [n; 32],
        entries: [n; 32],
    }
}

fn pair(tag: Option<String>, date: Option<String>) -> Validators {
    Validators {
        etag: tag.map(String::into_bytes),
        last_modified: date.map(String::into_bytes),
    }
}

impl Server {
    fn validators(&self, nth: usize) -> Validators {
        let turn = |turns: bool| if turns { nth } else { 0 };
        pair(
            self.tag
                .then(|| format!("\"t{}\"", turn(self.turns_tag || self.busy))),
            self.date
                .then(|| format!("d{}", turn(self.turns_date || self.busy))),
        )
    }

    fn answer(&self, url: &str, sent: &Validators, nth: usize) -> Shot {
        let got = self.validators(nth);
        let shot = Shot {
            url: url.to_owned(),
            sent: sent.clone(),
            ..Shot::default()
        };
        if self.tires_after.is_some_and(|after| nth >= after) {
            return Shot {
                status: 429,
                wait_until: Some(Timestamp(7200)),
                ..shot
            };
        }
        if self.redirects {
            return Shot {
                status: 301,
                location: Some("https://b.example/".to_owned()),
                ..shot
            };
        }
        let tag = sent
            .etag
            .as_ref()
            .map(|sent| self.heeds_tag && Some(sent) == got.etag.as_ref());
        let date = sent
            .last_modified
            .as_ref()
            .map(|sent| self.heeds_date && Some(sent) == got.last_modified.as_ref());
        let matches = match (tag, date) {
            (Some(tag), Some(date)) if self.wants_both => tag && date,
            (Some(tag), _) => tag,
            (None, Some(date)) => date,
            (None, None) => false,
        };
        if !sent.is_empty() && (self.lies || (matches && !self.busy)) {
            return Shot {
                status: 304,
                got,
                ..shot
            };
        }
        Shot {
            status: 200,
            got,
            content: Some(content(if self.busy { nth as u8 } else { 0 })),
            ..shot
        }
    }
}

fn run(server: &Server, start: &ProbeStart) -> (Vec<Shot>, ProbeEnd) {
    let mut shots = Vec::new();
    loop {
        match probe_step(start, &shots) {
            Step::Ask(url, sent) => {
                let shot = server.answer(&url, &sent, shots.len());
                shots.push(shot);
            }
            Step::End(end) => return (shots, end),
        }
    }
}

fn stranger() -> ProbeStart {
    ProbeStart {
        url: A.to_owned(),
        ..ProbeStart::default()
    }
}

const BOTH: Server = Server {
    tag: true,
    date: true,
    heeds_tag: true,
    heeds_date: true,
    wants_both: false,
    turns_tag: false,
    turns_date: false,
    lies: false,
    busy: false,
    tires_after: None,
    redirects: false,
};

/// A good server but for this.
fn but(change: fn(&mut Server)) -> Server {
    let mut server = BOTH;
    change(&mut server);
    server
}

/// Which validators went out, request by request.
fn asked(shots: &[Shot]) -> Vec<&'static str> {
    let word = |shot: &Shot| match (&shot.sent.etag, &shot.sent.last_modified) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "tag",
        (None, Some(_)) => "date",
        (None, None) => "plain",
    };
    shots.iter().map(word).collect()
}

#[test]
fn a_probe_tells_servers_apart() {
    use Honour::{No, Unknown, Yes};
    let useless = Some(ValidatorsChoice::None);
    let date_alone = Some(ValidatorsChoice::LastModified);
    let table = [
        (BOTH, Grade::Good, None, [Yes, Yes, Yes]),
        (
            but(|s| s.heeds_tag = false),
            Grade::Partly,
            date_alone,
            [No, No, Yes],
        ),
        (
            but(|s| s.turns_tag = true),
            Grade::Partly,
            date_alone,
            [No, No, Yes],
        ),
        (
            but(|s| s.heeds_date = false),
            Grade::Partly,
            None,
            [Yes, Yes, No],
        ),
        (
            but(|s| (s.turns_date, s.wants_both) = (true, true)),
            Grade::Partly,
            Some(ValidatorsChoice::Etag),
            [No, Yes, No],
        ),
        (
            but(|s| (s.turns_date, s.turns_tag) = (true, true)),
            Grade::Useless,
            useless,
            [No, No, No],
        ),
        (
            but(|s| s.date = false),
            Grade::Good,
            None,
            [Unknown, Yes, Unknown],
        ),
        (
            but(|s| (s.date, s.heeds_tag) = (false, false)),
            Grade::Useless,
            useless,
            [Unknown, No, Unknown],
        ),
        (
            but(|s| s.tag = false),
            Grade::Good,
            None,
            [Unknown, Unknown, Yes],
        ),
        (
            but(|s| (s.tag, s.date) = (false, false)),
            Grade::NoValidators,
            None,
            [Unknown; 3],
        ),
        (but(|s| s.busy = true), Grade::Unknown, None, [Unknown; 3]),
    ];
    for (server, grade, setting, honours) in table {
        let (shots, end) = run(&server, &stranger());
        let verdict = probe_verdict(&stranger(), &shots);
        assert_eq!(end, ProbeEnd::Done);
        assert_eq!(
            (verdict.grade, verdict.setting),
            (grade, setting),
            "{server:?} {verdict:?}"
        );
        assert_eq!(
            [verdict.both, verdict.etag, verdict.date],
            honours,
            "{server:?}"
        );
        let moves = (
            server.turns_tag && server.tag,
            server.turns_date && server.date,
        );
        if verdict.both == No {
            assert_eq!(
                (verdict.etag_moves, verdict.date_moves),
                (Some(moves.0), Some(moves.1)),
                "{server:?}"
            );
        }
    }
}

#[test]
fn a_stranger_is_asked_plainly_first_and_a_known_feed_last() {
    let (shots, _) = run(&BOTH, &stranger());
    assert_eq!(asked(&shots), ["plain", "both", "tag", "date"]);
    let known = ProbeStart {
        stored: BOTH.validators(0),
        content: Some(content(0)),
        ..stranger()
    };
    let (shots, _) = run(&BOTH, &known);
    assert_eq!(asked(&shots), ["both", "tag", "date", "plain"]);
    let (shots, _) = run(
        &Server {
            heeds_tag: false,
            ..BOTH
        },
        &known,
    );
    assert_eq!(
        asked(&shots),
        ["both", "tag", "date"],
        "a whole answer was seen"
    );
    let (shots, _) = run(
        &Server {
            date: false,
            ..BOTH
        },
        &stranger(),
    );
    assert_eq!(asked(&shots), ["plain", "tag"]);
    let (shots, _) = run(
        &Server {
            tag: false,
            date: false,
            ..BOTH
        },
        &stranger(),
    );
    assert_eq!(asked(&shots), ["plain"]);
}

#[test]
fn r22_a_server_that_says_304_to_anything_is_found_out() {
    let liar = Server { lies: true, ..BOTH };
    let known = |content| ProbeStart {
        stored: pair(Some("\"old\"".to_owned()), None),
        content,
        ..stranger()
    };
    let start = known(Some(content(9)));
    let (shots, _) = run(&liar, &start);
    let verdict = probe_verdict(&start, &shots);
    assert_eq!(
        (verdict.grade, verdict.setting),
        (Grade::Lies, Some(ValidatorsChoice::None))
    );
    let start = known(None);
    let (shots, _) = run(&liar, &start);
    assert_ne!(
        probe_verdict(&start, &shots).grade,
        Grade::Lies,
        "the content is not known"
    );
    let start = known(Some(content(0)));
    let (shots, _) = run(&BOTH, &start);
    assert_ne!(
        probe_verdict(&start, &shots).grade,
        Grade::Lies,
        "it is the same"
    );
}

#[test]
fn r36_r53_a_probe_stops_at_once_when_it_is_told_to_wait_or_sent_elsewhere() {
    let (shots, end) = run(
        &Server {
            tires_after: Some(1),
            ..BOTH
        },
        &stranger(),
    );
    assert_eq!((shots.len(), end), (2, ProbeEnd::Held(Timestamp(7200))));
    let (shots, end) = run(
        &Server {
            redirects: true,
            ..BOTH
        },
        &stranger(),
    );
    assert_eq!(
        (shots.len(), end),
        (1, ProbeEnd::Redirect("https://b.example/".to_owned()))
    );
    assert_eq!(probe_verdict(&stranger(), &shots).grade, Grade::Unknown);
}

#[test]
fn what_compressors_and_proxies_leave_behind_is_named() {
    let shot = |status: u16, sent: Option<&str>, got: &str| Shot {
        status,
        sent: pair(sent.map(str::to_owned), None),
        got: pair(Some(got.to_owned()), None),
        content: (status == 200).then(|| content(0)),
        between: vec!["via: 1.1 cache".to_owned()],
        ..Shot::default()
    };
    for (shots, part) in [
        (
            vec![shot(200, None, "\"a-gzip\"")],
            "the mark of a compressor: -gzip",
        ),
        (
            vec![shot(200, None, "\"a;br\"")],
            "the mark of a compressor: ;br",
        ),
        (vec![shot(200, None, "W/\"a\"")], "a weak one (W/)"),
        (
            vec![
                shot(200, None, "\"a\""),
                shot(304, Some("\"a\""), "W/\"a\""),
            ],
            "with W/ added or taken off",
        ),
        (
            vec![shot(200, None, "\"a\""), shot(304, Some("\"a\""), "\"b\"")],
            "names another ETag",
        ),
    ] {
        let verdict = probe_verdict(&stranger(), &shots);
        assert!(
            verdict.altered.iter().any(|clause| clause.contains(part)),
            "{part}: {:?}",
            verdict.altered
        );
    }
    let mut bare = shot(200, Some("\"a\""), "");
    bare.got = Validators::default();
    let verdict = probe_verdict(&stranger(), &[shot(200, None, "\"a\""), bare]);
    assert_eq!(
        verdict.altered,
        ["an answer came without the ETag of the one before"]
    );
}

prop_compose! {
    fn servers()(flags in prop::array::uniform9(any::<bool>()), tires in prop::option::of(0..5_usize), redirects in any::<bool>()) -> Server {
        let [tag, date, heeds_tag, heeds_date, wants_both, turns_tag, turns_date, lies, busy] = flags;
        Server {
            tag, date, heeds_tag, heeds_date, wants_both, turns_tag, turns_date, lies, busy,
            tires_after: tires, redirects: redirects && busy,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r06_no_server_gets_more_than_four_requests_one_plain_one_or_what_it_never_gave(
        server in servers(), stored in any::<bool>(), known in any::<bool>(),
    ) {
        let start = ProbeStart {
            stored: if stored { server.validators(0) } else { Validators::default() },
            content: known.then(|| content(0)),
            ..stranger()
        };
        let (shots, _) = run(&server, &start);
        prop_assert!(shots.len() <= PROBE_SHOTS);
        prop_assert!(shots.iter().filter(|shot| shot.is_plain()).count() <= 1);
        for (at, shot) in shots.iter().enumerate() {
            let given = |of: fn(&Validators) -> &Option<Vec<u8>>| {
                of(&shot.sent).is_none()
                    || of(&shot.sent) == of(&start.stored)
                    || shots[..at].iter().any(|before| of(&before.got) == of(&shot.sent))
            };
            prop_assert!(given(|pair| &pair.etag) && given(|pair| &pair.last_modified));
        }
        let verdict = probe_verdict(&start, &shots);
        prop_assert!(!verdict.sentences.is_empty());
    }
}
