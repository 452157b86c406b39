//! What a person may and may not do: asked early conditionally, unconditionally only when it is meant, never through a hold.

use serde_json::Value;

use super::{unchanged, whole};
use crate::commands::Bench;
use crate::support::Reply;

const TAG: (&str, &str) = ("ETag", "\"1\"");

/// A subscribed feed that asked not to be asked for four hours.
fn fresh() -> (Bench, String) {
    let bench = Bench::new();
    let control = ("Cache-Control", "max-age=14400");
    bench
        .server
        .script("/a", vec![whole(&[TAG, control]), unchanged(&[])]);
    let url = bench.server.url("/a");
    bench.run(&["add", &url]).well();
    bench.server.forget();
    (bench, url)
}

#[test]
fn r46_a_fresh_feed_is_asked_conditionally_by_force_and_that_is_told() {
    let (bench, url) = fresh();
    bench.run(&["--refresh-only", &url]).well();
    assert_eq!(bench.server.requests().len(), 0, "the schedule waits");
    let told = bench.run(&["--refresh-only", "--force", &url]).well();
    assert!(
        told.contains("unchanged (304), asked before its time ("),
        "{told}"
    );
    assert!(told.contains("), conditionally, next "), "{told}");
    let seen = bench.server.requests();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].is_conditional());
    assert_eq!(seen[0].header("cache-control"), None);
    let told = bench
        .run(&["--refresh-only", "--force", "--json", &url])
        .well();
    let json: Value = serde_json::from_str(&told).expect("an object");
    assert_eq!(json["early"]["conditional"], true, "{json}");
    assert!(json["early"]["due"].is_string());
}

#[test]
fn r46_an_unconditional_fetch_is_an_act_of_its_own_that_must_be_meant() {
    let (bench, url) = fresh();
    let ended = bench.run(&["refetch", &url]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("say --yes if you mean it"),
        "{}",
        ended.err
    );
    assert!(
        ended
            .err
            .contains("the byte budget has room for one every 30 min"),
        "{}",
        ended.err
    );
    assert_eq!(bench.server.requests().len(), 0);
    bench.server.script("/a", vec![whole(&[TAG])]);
    // Added a moment ago: the minute after a request holds for this too.
    let ended = bench.run(&["refetch", "--yes", &url]);
    assert!(ended.out.contains("deferred until "), "{}", ended.out);
    assert!(ended.out.contains(" (asked a moment ago)"), "{}", ended.out);
    let again = "nothing was fetched; say it again after ";
    assert!(ended.err.contains(again), "{}", ended.err);
    assert_eq!(bench.server.requests().len(), 0);
    let config = "[http]\nhost_gap = \"0s\"\n[poll]\ndebounce = \"0s\"\n";
    std::fs::write(bench.path("config/config.toml"), config).expect("written");
    let ended = bench.run(&["refetch", "--yes", &url]);
    assert!(
        ended
            .out
            .contains("identical (200), asked before its time ("),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("), without validators, next "),
        "{}",
        ended.out
    );
    assert!(ended.err.contains("a whole copy is "), "{}", ended.err);
    let seen = bench.server.requests();
    assert_eq!((seen.len(), seen[0].is_conditional()), (1, false));
    bench.server.forget();
    bench.run(&["--refresh-only", "--force", &url]).well();
    assert!(
        bench.server.requests()[0].is_conditional(),
        "the next one asks again"
    );
}

#[test]
fn r47_only_lift_ends_a_hold_and_only_enable_revives() {
    let bench = Bench::new();
    let tired = Reply::new(429).header("Retry-After", "7200");
    bench
        .server
        .script("/a", vec![whole(&[TAG]), tired, whole(&[TAG])]);
    bench
        .server
        .script("/gone", vec![whole(&[]), Reply::new(410), whole(&[])]);
    let (a, gone) = (bench.server.url("/a"), bench.server.url("/gone"));
    bench.run(&["add", &gone, &a]).well();
    bench.run(&["--refresh-only", "--force", &gone]).well();
    bench.run(&["--refresh-only", "--force", &a]).well();
    bench.server.forget();
    for line in [
        &["--refresh-only"][..],
        &["--refresh-only", "--force"],
        &["--refresh-only", "--force", &a],
        &["refetch", "--yes", &a],
        &["probe", &a],
        &["add", &a],
        &["--refresh-only", "--force", &gone],
        &["refetch", "--yes", &gone],
        &["probe", &gone],
    ] {
        let ended = bench.run(line);
        assert_eq!(
            bench.server.requests().len(),
            0,
            "{line:?}: {}{}",
            ended.out,
            ended.err
        );
        if line.len() > 1 && line.contains(&a.as_str()) && line[0] != "add" {
            assert!(ended.out.contains(" until 20"), "{line:?}: {}", ended.out);
        }
    }
    let plan = bench
        .run(&["--refresh-only", "--force", "--dry-run"])
        .well();
    assert!(plan.contains("its host is held"), "{plan}");
    bench.run(&["lift", &a]).well();
    bench.run(&["--refresh-only", "--force", &a]).well();
    assert_eq!(bench.requests("/a"), 1);
    bench.run(&["enable", &gone]).well();
    bench.run(&["--refresh-only", &gone]).well();
    assert_eq!(bench.requests("/gone"), 1);
}
