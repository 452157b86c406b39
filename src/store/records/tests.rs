use serde::Serialize;

use super::backfill::{EndV1, WayV1};
use super::exchange::Word;
use super::feed::{EfficacyV1, HintsV1, LastV1, MoveV1, MovedV1};
use super::{
    ActV2, AuditRow, AuditV1, BackfillV1, BodyV2, CountersV1, CursorV1, EnclosureV1, ExchangeV2,
    FeedV1, FormerV1, FullTextV1, HeadV1, HostV2, LinkV1, ListActV1, ListedV1, OfflineV1, PageV1,
    Place, PollV1, PushV1, Record, RosterV1, SiteFileV1, SiteV1, TopicV1, ValidatorsV1, decode,
    encode_into,
};
use crate::model::{
    ErrorKind, Mark, Markup, Off, Outcome, OutcomeCode, Pace, PollError, Timestamp,
    ValidatorsChoice, Why,
};
use crate::store::StoreError;

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).expect("hex"))
        .collect()
}

/// Writes as ever, and reads what was ever written.
fn frozen<R>(record: &R, version_1: &str)
where
    R: for<'a> Record<'a> + PartialEq + std::fmt::Debug,
{
    let mut written = Vec::new();
    encode_into(record, &mut written).expect("encoded");
    assert_eq!(hex(&written), version_1, "{}", R::TABLE);
    assert_eq!(&decode::<R>(&bytes(version_1)).expect("read"), record);
}

fn feed() -> FeedV1 {
    FeedV1 {
        url: "https://a.example/".to_owned(),
        host: "a.example:443".to_owned(),
        own_title: Some("Mine".to_owned()),
        title: "Its own".to_owned(),
        site: Some("https://a.example".to_owned()),
        hubs: vec!["https://hub".to_owned()],
        tags: vec!["a/b".to_owned()],
        position: 3,
        added: 1_796_000_000,
        removed: Some(1_796_000_001),
        history: vec![(5, "http://old".to_owned())],
    }
}

fn poll() -> PollV1 {
    PollV1 {
        audits: 7,
        exchanges: 6,
        next: Some(1_796_000_000),
        set_at: 1_795_000_000,
        why: Why::Streak {
            unchanged: 3,
            secs: 7_200,
        },
        streak: 3,
        failures: 1,
        last: Some(LastV1 {
            at: 1_795_000_000,
            status: Some(500),
            outcome: Outcome::Failed(PollError::new(ErrorKind::Status, "500")),
        }),
        counters: CountersV1 {
            ok200: 1,
            not_modified304: 2,
            identical200: 3,
            errors: 4,
            deferred: 5,
            conditional: 6,
            bytes: 7_000,
            bytes_saved: 8_000,
        },
        body_hash: Some([1; 32]),
        entries_hash: None,
        answered_by: Some("https://b".to_owned()),
        full_wire: 100,
        full_decoded: 1_000,
        hints: HintsV1 {
            max_age: 1,
            expires: 2,
            ttl: 3,
            update_period: 4,
            skip_hours: 5,
            skip_days: 6,
        },
        newest: Some(1_790_000_000),
        median_gap: Some(3_600),
        efficacy: EfficacyV1 {
            mode: ValidatorsChoice::LastModified,
            identical: 1,
            not_modified: 2,
            not_modified_since: Some(3),
            plain: 4,
            verified: None,
            verify_after: Some(5),
            attempts: 6,
            date_moved: true,
            tag_moved: false,
            probed: Some(7),
            pause_days: 30,
            liar: true,
        },
        moving: Some(MoveV1 {
            target: "https://c".to_owned(),
            seen: 2,
            since: 9,
        }),
        off: Some(Off::Dead),
        parser: 1,
        moves: vec![MovedV1 {
            from: "http://a".to_owned(),
            to: "https://b".to_owned(),
            at: 8,
            undone: true,
        }],
        missing: 3,
        missing_since: Some(9),
        reparse_after: None,
    }
}

fn host() -> HostV2 {
    HostV2 {
        hold_until: Some(1_796_000_000),
        hold_since: Some(1_795_000_000),
        throttled: 2,
        last_hold_secs: 3_600,
        last_start_ms: 1_796_000_000_123,
        crawl_delay_ms: 10_000,
        identical: 1,
        not_modified: 2,
        lifted: None,
        hour_began: 1_796_000_000,
        hour_starts: 3,
        judged: 4,
        useless: 5,
        attempts: 6,
        robots_at: Some(1_796_000_000),
        robots_etag: Some(b"W/\"\xFF\"".to_vec()),
        robots_modified: None,
    }
}

fn audit() -> AuditV1 {
    AuditV1 {
        at: 1_796_000_000,
        times: u32::MAX,
        status: 200,
        hops: vec![301, 308, 302, 307, 301],
        url_hash: u32::MAX,
        sent_etag: u32::MAX,
        sent_date: u32::MAX,
        got_etag: u32::MAX,
        got_date: u32::MAX,
        wire: u64::from(u32::MAX),
        decoded: u64::from(u32::MAX),
        ms: 60_000,
        new: 10_000,
        updated: 10_000,
        outcome: OutcomeCode::Failed(ErrorKind::TooLarge),
        next: Some(1_796_000_000),
        why: Why::Errors {
            failures: 100,
            secs: 86_400,
        },
        pace: Pace::Force,
    }
}

fn head() -> HeadV1<'static> {
    HeadV1 {
        feed: 1,
        key: [2; 16],
        guid: "g",
        title: "Title",
        link: LinkV1::Own("https://a/1"),
        author: "Ann",
        published: Some(1_790_000_000),
        updated: None,
        first_seen: 1_796_000_000,
        sort: 1_790_000_000,
        edited: true,
        enclosures: vec![EnclosureV1 {
            url: "https://a/1.mp3",
            media_type: "audio/mpeg",
            length: Some(1_000_000),
            duration: None,
        }],
        body: Place {
            block: 9,
            at: 100,
            len: 2_000,
        },
    }
}

#[test]
fn version_1_is_written_and_read_as_ever() {
    frozen(
        &feed(),
        "011268747470733a2f2f612e6578616d706c652f0d612e6578616d706c653a34343301044d696e6507497473206f776e011168747470733a2f2f612e6578616d706c65010b68747470733a2f2f6875620103612f620380a4e6b00d0182a4e6b00d010a0a687474703a2f2f6f6c64",
    );
    frozen(
        &poll(),
        "0107060180a4e6b00d809becaf0d0403a038030101809becaf0d01f403050903353030010203040506d836c03e01010101010101010101010101010101010101010101010101010101010101010100010968747470733a2f2f6264e8070102030405060180ee89ab0d01901c03010201060400010a060100010e1e01010968747470733a2f2f6302120101010108687474703a2f2f610968747470733a2f2f62100103011200",
    );
    frozen(
        &audit(),
        "0180a4e6b00dffffffff0fc80105ad02b402ae02b302ad02ffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fe0d403904e904e050e0180a4e6b00d0c6480a30502",
    );
    frozen(&poll().counters, "01010203040506d836c03e");
}

#[test]
fn version_2_of_an_act_is_written_as_ever_and_version_1_is_read() {
    let mut act = ActV2 {
        said: vec![
            (Mark::Read(true), vec![5, 1, 300]),
            (Mark::Starred(false), vec![2]),
        ],
        tagged: vec![("later".to_owned(), true, vec![7])],
    };
    let list = ListActV1 {
        before: vec![1, 2],
        after: vec![3],
    };
    frozen(&list, "010201020103");
    frozen(&act, "02020001030501ac020100010201056c61746572010107");
    act.tagged.clear();
    let version_1 = bytes("01020001030501ac0201000102");
    assert_eq!(decode::<ActV2>(&version_1).expect("read"), act);
}

#[test]
fn version_2_of_a_host_is_written_as_ever_and_version_1_is_read() {
    frozen(
        &host(),
        "020180a4e6b00d01809becaf0d02901cf6a1899fc568904e01020080a4e6b00d030405060180a4e6b00d0105572f22ff2200",
    );
    let version_1 = "010180a4e6b00d01809becaf0d02901cf6a1899fc568904e01020080a4e6b00d03040506";
    let without_robots = HostV2 {
        robots_at: None,
        robots_etag: None,
        ..host()
    };
    assert_eq!(
        decode::<HostV2>(&bytes(version_1)).expect("read"),
        without_robots
    );
}

#[test]
fn version_1_of_what_borrows_is_written_and_read_as_ever() {
    let validators = ValidatorsV1 {
        etag: Some(b"W/\"\xFF\""),
        last_modified: None,
    };
    let exchange = ExchangeV2 {
        at: 1_796_000_000,
        url: "https://a",
        status: 304,
        sent: vec![(Word::Known(2), Word::Said(b"*/*"))],
        received: vec![(Word::Known(15), Word::Said(b"\xFF"))],
        error: Some("e"),
    };
    let mut body = BodyV2 {
        text: "<p>",
        markup: Markup::Text,
        base: Some("https://a"),
        comments: None,
        categories: vec!["c", "d"],
        image: Some("https://i"),
    };
    macro_rules! frozen {
        ($record:expr, $type:ident, $version_1:literal) => {
            let mut written = Vec::new();
            encode_into(&$record, &mut written).expect("encoded");
            assert_eq!(hex(&written), $version_1, stringify!($type));
            let old = bytes($version_1);
            assert_eq!(decode::<$type>(&old).expect("read"), $record);
        };
    }
    frozen!(validators, ValidatorsV1, "010105572f22ff2200");
    let old =
        bytes("0180a4e6b00d0968747470733a2f2f61b0020106616363657074032a2f2a01046574616701ff010165");
    let read = decode::<ExchangeV2>(&old).expect("version 1 is read");
    assert_eq!(read, exchange);
    frozen!(
        exchange,
        ExchangeV2,
        "0280a4e6b00d0968747470733a2f2f61b00201000201032a2f2a01000f0101ff010165"
    );
    frozen!(
        body,
        BodyV2,
        "02033c703e01010968747470733a2f2f61000201630164010968747470733a2f2f69"
    );
    body.image = None;
    let old = bytes("01033c703e01010968747470733a2f2f61000201630164");
    assert_eq!(decode::<BodyV2>(&old).expect("version 1 is read"), body);
    frozen!(
        head(),
        HeadV1,
        "0101020202020202020202020202020202020167055469746c65020b68747470733a2f2f612f3103416e6e0180ee89ab0d0080a4e6b00d80ee89ab0d01010f68747470733a2f2f612f312e6d70330a617564696f2f6d70656701c0843d000964d00f"
    );
}

#[test]
fn r74_an_audit_record_has_at_most_120_bytes() {
    let mut written = Vec::new();
    encode_into(&audit(), &mut written).expect("encoded");
    assert!(written.len() <= 120, "{}", written.len());
    let worst = AuditV1 {
        at: i64::MAX,
        times: u32::MAX,
        status: u16::MAX,
        hops: vec![308; crate::poll::HOPS_MAX],
        url_hash: u32::MAX,
        sent_etag: u32::MAX,
        sent_date: u32::MAX,
        got_etag: u32::MAX,
        got_date: u32::MAX,
        wire: u64::MAX,
        decoded: u64::MAX,
        ms: u32::MAX,
        new: u32::MAX,
        updated: u32::MAX,
        outcome: OutcomeCode::Failed(ErrorKind::Cancelled),
        next: Some(i64::MAX),
        why: Why::Streak {
            unchanged: u32::MAX,
            secs: u32::MAX,
        },
        pace: Pace::Probe,
    };
    written.clear();
    encode_into(&worst, &mut written).expect("encoded");
    assert!(written.len() <= 120, "{}", written.len());
}

/// The byte that stands for a variant.
fn place<T: Serialize>(variant: T) -> u8 {
    postcard::to_allocvec(&variant).expect("encoded")[0]
}

#[test]
fn r74_a_block_of_the_audit_is_read_open_and_closed() {
    let first = "80a4e6b00dffffffff0fc80105ad02b402ae02b302ad02ffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fffffffff0fe0d403904e904e050e0180a4e6b00d0c6480a30502";
    let mut row = AuditRow::default();
    row.push(&audit()).expect("encoded");
    assert_eq!(hex(row.bytes()), format!("0200{first}"));
    for _ in 1..20 {
        row.push(&audit()).expect("encoded");
    }
    let open = AuditRow::open(row.bytes());
    assert_eq!(open.as_ref(), Some(&row));
    assert_eq!(
        AuditRow::read(row.bytes()).expect("read"),
        vec![audit(); 20]
    );
    row.close().expect("closed");
    assert!(row.bytes().len() < 200, "{}", row.bytes().len());
    assert_eq!(AuditRow::open(row.bytes()), None);
    assert_eq!(
        AuditRow::read(row.bytes()).expect("read"),
        vec![audit(); 20]
    );
    assert_eq!(
        AuditRow::read(&bytes(&format!("01{first}"))).expect("read"),
        [audit()]
    );
    // As it was written once, by whatever zstd was in use then.
    let closed = "020128b52ffd602c05bd0100740280a4e6b00dffffffff0fc80105ad02b402ae02b302ad02e0d403904e904e050e010c6480a305020400da49f1cb110444116009b309";
    assert_eq!(
        AuditRow::read(&bytes(closed)).expect("read"),
        vec![audit(); 20]
    );
    for rubbish in [&[][..], &[2], &[2, 7], &[2, 1, 9], &[2, 0, 255], &[0]] {
        let error = AuditRow::read(rubbish).expect_err("refused");
        assert!(error.to_string().contains("audit"), "{error}");
    }
    let newer = AuditRow::read(&[3, 0]).expect_err("not known yet");
    assert!(matches!(newer, StoreError::Newer { found: 3, known: 2 }));
}

#[test]
fn offline_keeps_its_bytes() {
    let offline = OfflineV1 {
        until: 1_796_000_000,
        probes: 3,
    };
    frozen(&offline, "0180a4e6b00d03");
}

#[test]
fn cursors_keep_their_bytes() {
    let cursor = CursorV1 {
        whole_at: 1_796_000_000,
        newest: Some(1_795_999_000),
        token: Some("t3_x".to_owned()),
        refused_until: None,
    };
    frozen(&cursor, "0180a4e6b00d01b094e6b00d010474335f7800");
}

#[test]
fn rosters_keep_their_bytes() {
    let listed = |url: &str, absent: Option<_>| ListedV1 {
        url: url.to_owned(),
        title: Some("A".to_owned()).filter(|_| absent.is_none()),
        tags: vec!["t".to_owned()],
        absent,
    };
    let roster = RosterV1 {
        read_at: 1_796_000_000,
        feeds: vec![
            listed("http://a/", None),
            listed("http://b/", Some((1_795_999_000, 1_000))),
        ],
    };
    frozen(
        &roster,
        "0180a4e6b00d0209687474703a2f2f612f0101410101740009687474703a2f2f622f0001017401b094e6b00de807",
    );
}

#[test]
fn sites_keep_their_bytes() {
    let file = SiteFileV1 {
        url: "http://a/1",
        changed: Some(1_796_000_000),
        applied: None,
        since: 1_795_999_000,
        asked: None,
        due: true,
        read: false,
        etag: Some(b"\"1\""),
        last_modified: None,
    };
    let site = SiteV1 {
        begun: 1_795_999_000,
        files: vec![file],
        seen: &[1, 0, 0, 0, 0, 0, 0, 255],
    };
    let mut written = Vec::new();
    encode_into(&site, &mut written).expect("encoded");
    let frozen = "01b094e6b00d010a687474703a2f2f612f310180a4e6b00d00b094e6b00d0001000103223122000801000000000000ff";
    assert_eq!(hex(&written), frozen);
    let old = bytes(frozen);
    assert_eq!(decode::<SiteV1<'_>>(&old).expect("read"), site);
    assert_eq!(site.model().seen, [0xff00_0000_0000_0001]);
}

#[test]
fn topics_and_subscriptions_keep_their_bytes() {
    let topic = TopicV1 {
        topic: "https://a/f".to_owned(),
    };
    frozen(&topic, "010b68747470733a2f2f612f66");
    let push = PushV1 {
        topic: "t".to_owned(),
        hubs: vec!["h".to_owned()],
        turn: 1,
        moved: Some("m".to_owned()),
        callback: "c".to_owned(),
        path: "p".to_owned(),
        secret: "s".to_owned(),
        shared: true,
        method: Some(2),
        lease: Some((1_796_000_000, 864_000)),
        pending: Some((true, 1_796_000_001)),
        settled: Some((false, 1_796_000_002)),
        denied: Some((1_796_000_003, "no".to_owned())),
        leaving: Some(1_796_000_004),
        failures: 3,
        not_before: Some(1_796_000_005),
        delivered: Some(1_796_000_006),
        deliveries: 4,
        refused: 5,
        owed: true,
        latency: Some(6),
        seen: vec![[7; 16]],
    };
    frozen(
        &push,
        "0101740101680101016d0163017001730101020180a4e6b00d80bc69010182a4e6b00d010084a4e6b00d0186a4e6b00d026e6f0188a4e6b00d03018aa4e6b00d018ca4e6b00d040501010c0107070707070707070707070707070707",
    );
    assert_eq!(PushV1::from(&push.clone().model()), push);
}

#[test]
fn older_pages_keep_their_bytes() {
    let place = BackfillV1 {
        way: WayV1::Param("paged".to_owned()),
        next: Some("https://a.example/?paged=3".to_owned()),
        pass: 1,
        head_at: Some(1_796_000_000),
        at: None,
        pages: 2,
        entries: 20,
        bytes: 4_096,
        last_hash: [7; 32],
        end: Some(EndV1::Limits),
    };
    frozen(
        &place,
        "0103057061676564011a68747470733a2f2f612e6578616d706c652f3f70616765643d33010180a4e6b00d000214802007070707070707070707070707070707070707070707070707070707070707070106",
    );
    let page = PageV1 {
        pass: 2,
        at: 1_796_000_000,
    };
    frozen(&page, "010280a4e6b00d");
    let ends = [
        EndV1::Whole,
        EndV1::NoPages,
        EndV1::Loop,
        EndV1::Same,
        EndV1::Elsewhere,
        EndV1::Disallowed,
        EndV1::Limits,
        EndV1::TooMany,
    ];
    for (number, end) in ends.into_iter().enumerate() {
        let bytes = postcard::to_allocvec(&end).expect("encodes");
        assert_eq!(bytes, [number as u8], "{end:?}");
    }
}

#[test]
fn variants_of_the_models_enums_keep_their_numbers() {
    let whys = [
        Why::First,
        Why::Base(0),
        Why::Rhythm(0),
        Why::Dormant(0),
        Why::Streak {
            unchanged: 0,
            secs: 0,
        },
        Why::User(0),
        Why::MaxAge(0),
        Why::Expires(0),
        Why::Ttl(0),
        Why::UpdatePeriod(0),
        Why::Skip,
        Why::Bytes(0),
        Why::Errors {
            failures: 0,
            secs: 0,
        },
        Why::HostHold,
        Why::Budget,
        Why::Offline,
        Why::Gone,
        Why::Dead,
        Why::Twin,
        Why::Push(0),
    ];
    assert!(whys.into_iter().map(place).eq(0..20));
    let kinds = [
        ErrorKind::Url,
        ErrorKind::Dns,
        ErrorKind::Unreachable,
        ErrorKind::Refused,
        ErrorKind::Reset,
        ErrorKind::Tls,
        ErrorKind::Timeout,
        ErrorKind::Protocol,
        ErrorKind::Headers,
        ErrorKind::Status,
        ErrorKind::Unasked304,
        ErrorKind::Redirect,
        ErrorKind::CutBody,
        ErrorKind::Decode,
        ErrorKind::TooLarge,
        ErrorKind::Empty,
        ErrorKind::Html,
        ErrorKind::NotAFeed,
        ErrorKind::Truncated,
        ErrorKind::Credentials,
        ErrorKind::Store,
        ErrorKind::Cancelled,
        ErrorKind::Command,
        ErrorKind::File,
    ];
    assert!(kinds.into_iter().map(place).eq(0..24));
    let codes = [
        OutcomeCode::NotModified,
        OutcomeCode::Unchanged,
        OutcomeCode::Changed,
        OutcomeCode::Deferred,
        OutcomeCode::Gone,
        OutcomeCode::Failed(ErrorKind::Url),
    ];
    assert!(codes.into_iter().map(place).eq(0..6));
    let outcomes = [
        Outcome::NotModified,
        Outcome::Unchanged,
        Outcome::Changed { new: 0, updated: 0 },
        Outcome::Deferred {
            until: Timestamp(0),
        },
        Outcome::Gone,
        Outcome::Failed(PollError::new(ErrorKind::Url, "")),
    ];
    assert!(outcomes.into_iter().map(place).eq(0..6));
    let choices = [
        ValidatorsChoice::Auto,
        ValidatorsChoice::Both,
        ValidatorsChoice::Etag,
        ValidatorsChoice::LastModified,
        ValidatorsChoice::None,
    ];
    assert!(choices.into_iter().map(place).eq(0..5));
    let paces = [Pace::Scheduled, Pace::Manual, Pace::Force];
    let paces = paces
        .into_iter()
        .chain([Pace::Plain, Pace::Probe, Pace::Push, Pace::Older]);
    assert!(paces.map(place).eq(0..7));
    assert!([Off::Gone, Off::Dead].into_iter().map(place).eq(0..2));
    assert!([Markup::Html, Markup::Text].into_iter().map(place).eq(0..2));
    assert!(
        [Mark::Read(true), Mark::Starred(true)]
            .into_iter()
            .map(place)
            .eq(0..2)
    );
}

#[test]
fn the_model_comes_back_as_it_went_in() {
    let state = poll().model();
    assert_eq!(poll().with(&state), poll());
    assert_eq!(poll().with(&state).model(), state);
}

#[test]
fn rubbish_is_an_error_that_names_its_table() {
    for bytes in [&[][..], &[1], &[0], &[1, 255, 255, 255, 255, 255]] {
        let error = decode::<FeedV1>(bytes).expect_err("refused");
        assert!(error.to_string().contains("feeds"), "{error}");
    }
}

#[test]
fn a_record_of_a_newer_version_is_no_damage() {
    let mut written = Vec::new();
    encode_into(&HostV2::default(), &mut written).expect("encoded");
    written[0] += 1;
    let error = decode::<HostV2>(&written).expect_err("not known yet");
    assert!(matches!(error, StoreError::Newer { found: 3, known: 2 }));
    written[0] = 0;
    let error = decode::<HostV2>(&written).expect_err("never was");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
}

#[test]
fn what_is_kept_of_an_entry_is_written_as_ever() {
    let full = FullTextV1 {
        url: "https://a.example/p".to_owned(),
        at: 1_796_000_000,
        etag: Some(b"\"1\"".to_vec()),
        last_modified: None,
        packed: vec![0, 1, 0, 0, 0, b'x'],
    };
    frozen(
        &full,
        "011368747470733a2f2f612e6578616d706c652f7080a4e6b00d01032231220006000100000078",
    );
    let former = FormerV1 {
        title: "Before",
        body: Place {
            block: 300,
            at: 5,
            len: 70_000,
        },
    };
    let mut written = Vec::new();
    encode_into(&former, &mut written).expect("encoded");
    assert_eq!(hex(&written), "01064265666f7265ac0205f0a204");
    assert_eq!(decode::<FormerV1>(&written).expect("read"), former);
}
