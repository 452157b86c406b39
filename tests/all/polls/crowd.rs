//! More hosts than polls may be under way at a time.

use std::fmt::Write as _;

use super::Ended;
use super::script::Script;
use super::stage::Stage;
use crate::support::{Reply, Server};

const HOSTS: usize = 300;

/// All of 127.0.0.0/8 is this machine on Linux.
#[cfg(target_os = "linux")]
#[test]
fn redirects_of_many_hosts_do_not_wait_for_each_others_end() {
    let server = Server::start_at("0.0.0.0:0", None);
    let port = server.address().port();
    let url = |net: usize, host: usize| {
        format!("http://127.{net}.{}.{}:{port}", host / 200, host % 200 + 1)
    };
    let mut list = String::new();
    for host in 0..HOSTS {
        let _ = writeln!(list, "[[feed]]\nurl = \"{}/from/{host}\"", url(1, host));
        let to = format!("{}/to/{host}", url(2, host));
        server.serve(&format!("/from/{host}"), Reply::redirect(302, to));
        let feed = format!("<rss version='2.0'><channel><title>{host}</title></channel></rss>");
        server.serve(&format!("/to/{host}"), Reply::ok(feed));
    }
    let text = "rules = []\nabout = \"\"\nfeeds_toml = \"\"\nturn = []";
    let mut script: Script = toml_edit::de::from_str(text).expect("a script");
    script.feeds_toml = Some(list);
    let stage = Stage::set(&script);
    let output = stage.command("--refresh-only --json").output();
    let ended = Ended::of(output.expect("the binary runs"));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert_eq!(ended.out.lines().count(), HOSTS);
    assert_eq!(server.requests().len(), 2 * HOSTS);
}
