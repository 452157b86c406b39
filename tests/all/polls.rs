//! Conversations: what the binary asks, given what servers answer, and what it makes of it. The scenarios are data, one file
//! of `tests/polls` for a rule of POLLING or a few; each is a test here by its name.

mod check;
mod crowd;
mod script;
mod stage;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Output};

use self::script::{Moment, Script, Turn};
use self::stage::Stage;

/// How a command ended.
pub struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/polls")
}

fn load(name: &str) -> Script {
    let text = fs::read_to_string(folder().join(name).with_extension("toml")).expect("a file");
    toml_edit::de::from_str(&text).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
}

/// Plays a scenario; a difference ends the test with the turn it came in.
fn play(name: &str) {
    let script = load(name);
    let stage = Stage::set(&script);
    for (at, turn) in script.turn.iter().enumerate() {
        let began = check::now();
        stage.script(&turn.server);
        let ended = run(&stage, turn);
        let judged = judge(&stage, &script, turn, &ended, began);
        if let Err(why) = judged {
            panic!(
                "{name}, {}\nturn {} ({}) {}\n{why}\nstdout: {}\nstderr: {}",
                script.about,
                at + 1,
                turn.run,
                turn.say,
                ended.out,
                ended.err
            );
        }
    }
}

fn judge(
    stage: &Stage,
    script: &Script,
    turn: &Turn,
    ended: &Ended,
    began: i64,
) -> Result<(), String> {
    let first = script.feeds.first().map_or("/feed", String::as_str);
    check::requests(stage, &turn.asked)?;
    check::spaced(stage, turn)?;
    if matches!(turn.kill, None | Some(Moment::Interrupted)) {
        check::texts(stage, turn, ended)?;
        check::told(stage, first, turn, ended, began)?;
    }
    if turn.entries.is_some() {
        check::entries(turn, &look(stage, "entries --json")?)?;
    }
    if !turn.stats.is_empty() {
        check::stats(stage, turn, &look(stage, "stats --json")?)?;
    }
    Ok(())
}

/// What a command prints that only looks.
fn look(stage: &Stage, line: &str) -> Result<String, String> {
    let ended = Ended::of(stage.command(line).output().expect("the binary runs"));
    if ended.code == Some(0) {
        Ok(ended.out)
    } else {
        Err(format!("{line} ended with {:?}: {}", ended.code, ended.err))
    }
}

fn run(stage: &Stage, turn: &Turn) -> Ended {
    let mut command = stage.command(&turn.run);
    let child = command.spawn().expect("the binary runs");
    match (turn.kill, &turn.beside) {
        (Some(moment), _) => kill(stage, child, moment),
        (None, Some(other)) => beside(stage, child, other),
        (None, None) => Ended::of(child.wait_with_output().expect("it ends")),
    }
}

/// Ends a command as a crash would, or a user.
fn kill(stage: &Stage, mut child: Child, moment: Moment) -> Ended {
    let mut told = vec![0];
    if moment == Moment::Asked {
        stage.servers[0].1.wait_for(1);
        told.clear();
    } else {
        for (_, server) in &stage.servers {
            server.wait_for(1);
        }
        let pipe = child.stdout.as_mut().expect("piped");
        pipe.read_exact(&mut told).expect("it tells something");
    }
    if moment == Moment::Interrupted {
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it was there");
    } else {
        child.kill().expect("it was there");
        stage.gate.open();
    }
    let mut output = child.wait_with_output().expect("it ends");
    output.stdout.splice(..0, told);
    Ended::of(output)
}

/// Starts another command while the first waits for an answer; lets the answer go when the other says that it waits.
fn beside(stage: &Stage, first: Child, other: &str) -> Ended {
    stage.servers[0].1.wait_for(1);
    let mut second = stage.command(other).spawn().expect("the binary runs");
    let mut said = String::new();
    let mut lines = BufReader::new(second.stderr.take().expect("piped"));
    lines.read_line(&mut said).expect("text");
    assert!(said.contains("another tidings "), "{said}");
    stage.gate.open();
    let first = Ended::of(first.wait_with_output().expect("it ends"));
    lines.read_to_string(&mut said).expect("text");
    let second = Ended::of(second.wait_with_output().expect("it ends"));
    Ended {
        code: first.code.max(second.code),
        out: first.out + &second.out,
        err: first.err + &said,
    }
}

/// A test for each file.
macro_rules! scenarios {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { play(stringify!($name)); })*
    };
}

scenarios! {
    add_by_a_rule_of_a_site
    add_from_a_page
    add_stores_the_url_given
    add_what_cannot_be_had_at_once
    add_what_is_no_feed
    bad_control_bytes
    bad_network
    bad_network_trusted
    bad_urls_of_an_import
    connections_that_end
    interrupted
    lists_of_feeds
    mixed_run
    odd_answers_are_named
    r01_one_plain_request
    r02_etags_come_back_byte_for_byte
    r03_dates_come_back_byte_for_byte
    r04_long_values
    r05_both_validators_unless_told_otherwise
    r06_nothing_is_made_up
    r07_a_200_replaces_the_pair_as_a_set
    r08_a_touched_file_brings_new_validators
    r09_a_304_merges
    r10_the_etag_of_a_304_is_adopted
    r11_a_304_is_success
    r12_a_304_that_nobody_asked_for
    r13_bad_bodies_leave_the_validators
    r13_xml_cut_in_a_whole_answer
    r14_killed_after_a_feed_was_told
    r14_killed_in_the_body
    r15_loading_is_idempotent
    r17_what_readers_do_not_see_is_no_change
    r18_an_edit_without_a_date_is_an_update
    r18_other_guids_bring_nothing_back
    r19_ten_identical_answers
    r19_useless_validators_are_given_up
    r20_a_dead_tag_hides_a_living_date
    r23_errors_neither_store_nor_clear
    r23_the_body_of_an_error_does_not_matter
    r24_a_304_has_no_body
    r24_a_304_with_a_body
    r24_a_304_with_an_unannounced_body
    r25_next_poll_is_on_disk
    r26_every_is_the_users
    r26_the_interval_without_hints
    r27_unchanged_answers_lengthen_the_interval
    r29_jitter_only_adds
    r30_the_byte_budget
    r31_max_age_is_a_lower_bound
    r32_expires_counts_from_date
    r34_stale_and_immutable
    r35_a_304_sets_freshness_anew
    r36_a_short_wait_before_a_redirect
    r36_retry_after_is_kept
    r36_the_hold_of_a_redirects_target
    r37_retry_after_as_a_date
    r38_a_429_without_a_time
    r39_a_503_alone_is_the_feeds_error
    r39_the_hold_is_the_hosts
    r40_absurd_retry_after
    r41_ttl_is_a_lower_bound
    r42_hours_and_days_to_skip
    r43_the_update_period
    r44_errors_back_off_and_success_ends_it
    r44_offline
    r45_one_attempt_a_run
    r49_a_410_behind_a_temporary_redirect
    r49_add_revives_a_gone_feed
    r49_gone_is_for_good
    r50_a_404_is_not_final
    r51_a_challenge_is_no_hold
    r51_no_other_identity_is_tried
    r52_other_answers_of_success
    r53_a_captive_portal
    r53_a_permanent_move
    r53_an_old_address_that_dies
    r53_from_http_to_https
    r54_temporary_redirects
    r55_validators_belong_to_the_url_that_answered
    r56_loops_and_long_chains
    r57_from_a_public_feed_into_a_private_network
    r57_from_https_to_http
    r57_only_http_and_https_are_followed
    r58_relative_locations
    r59_another_name_for_a_feed
    r59_who_asks
    r59_who_asks_without_a_contact
    r60_no_cookies
    r61_a_login_in_the_url
    r61_credentials_stay_at_home
    r62_the_url_as_it_was_given
    r64_a_refresh_asks_for_feeds_only
    r65_feeds_that_move_to_one_address
    r65_one_subscription_per_address
    r65_twice_in_the_list
    r66_add_beside_a_refresh
    r66_patience_ends
    r66_two_at_once
    r67_what_we_offer_is_decoded
    r68_bodies_that_are_too_large
    r69_a_bomb_under_the_limit
    r70_large_headers
    r70_slow_servers
    r71_add_keeps_the_distance
    r71_one_at_a_time_on_a_host
    r71_redirects_that_cross
    r72_the_hourly_budget
    r73_crawl_delay
    r73_off
    r74_the_ledger_adds_up
    r76_a_delta
    r76_a_delta_that_is_the_whole_feed
    r76_a_server_that_lies
    r76_deltas_are_refused_where_none_was_asked_for
    r77_a_cursor
    r81_entries_outlive_the_window
    sitemaps
}

/// The rules that have a scenario of their own.
const RULES: &[u32] = &[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75,
    76, 81, 82,
];

/// What servers and networks do to a client.
const BAD_INPUT: &[&str] = &[
    "not a feed",
    "HTML",
    "empty body",
    "cut body",
    "wrong length",
    "endless body",
    "gzip bomb",
    "1 byte a second",
    "TLS error",
    "DNS error",
    "refused",
    "redirect loop",
    "redirect to another scheme",
    "8 KB headers",
    "control bytes",
];

#[test]
fn every_file_is_played() {
    let files: BTreeSet<_> = fs::read_dir(folder())
        .expect("the scenarios are there")
        .flatten()
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    let played: BTreeSet<_> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(files, played);
}

#[test]
fn every_rule_and_every_bad_input_has_a_scenario() {
    let said: BTreeSet<_> = NAMES.iter().flat_map(|name| load(name).rules).collect();
    let wanted: BTreeSet<_> = RULES
        .iter()
        .map(|rule| format!("R{rule}"))
        .chain(BAD_INPUT.iter().map(|input| format!("bad input: {input}")))
        .collect();
    let missing: Vec<_> = wanted.difference(&said).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
