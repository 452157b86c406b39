//! Sitemaps with the commands of a person: added, shown, filtered by path; a bomb, one of 50,000 pages, a packed one.

use std::io::Write as _;

use crate::support::process::Home;
use crate::support::{Reply, Server};

fn urlset(server: &Server, paths: &[&str]) -> String {
    let page = |path: &&str| format!("<url><loc>{}</loc></url>", server.url(path));
    let pages: Vec<_> = paths.iter().map(page).collect();
    format!("<?xml version=\"1.0\"?><urlset>{}</urlset>", pages.concat())
}

fn packed(pieces: &[&[u8]]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for piece in pieces {
        packer.write_all(piece).expect("packed");
    }
    packer.finish().expect("packed")
}

fn row(home: &Home) -> serde_json::Value {
    home.run(&["feeds", "--json"]).json()[0].clone()
}

#[test]
fn a_sitemap_is_added_with_its_files_and_written_into_feeds_toml() {
    let (home, server) = (Home::new(), Server::start());
    let index = format!(
        "<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>",
        server.url("/s.xml.gz")
    );
    server.serve("/map.xml", Reply::ok(index));
    let pages = urlset(&server, &["/blog/a-post", "/about"]);
    server.serve("/s.xml.gz", Reply::ok(packed(&[pages.as_bytes()])));
    let url = server.url("/map.xml");
    let arguments = ["add", "--kind", "sitemap", "--path", "/blog/", &url];
    let told = home.run(&arguments).well();
    assert!(
        told.contains("127.0.0.1") && told.contains(": 1 entry"),
        "{told}"
    );
    let text = std::fs::read_to_string(home.path("config/feeds.toml")).expect("read");
    assert!(
        text.contains("kind = \"sitemap\"\npath = \"/blog/\"\n"),
        "{text}"
    );
    let row = row(&home);
    assert_eq!(
        (&row["kind"], &row["title"]),
        (&"sitemap".into(), &"127.0.0.1".into())
    );
    let entries = home.run(&["entries", "--json"]).json();
    assert_eq!(entries[0]["title"], "A post");
    assert_eq!(entries[0]["link"], server.url("/blog/a-post").as_str());
    assert_eq!(server.requests().len(), 2);
    let stats = home.run(&["stats", "--json"]).json();
    assert_eq!(stats[0]["ok200"], 2, "the file is counted as well");
}

#[test]
fn what_is_no_sitemap_is_not_added() {
    let (home, server) = (Home::new(), Server::start());
    server.serve(
        "/f",
        Reply::ok("<rss version=\"2.0\"><channel></channel></rss>"),
    );
    let ended = home.run(&["add", "--kind", "sitemap", &server.url("/f")]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.err.contains("a sitemap was expected"),
        "{}",
        ended.err
    );
    let ended = home.run(&[
        "add",
        "--kind",
        "sitemap",
        "--path",
        "blog",
        &server.url("/f"),
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("does not begin with /"), "{}", ended.err);
}

#[test]
fn fifty_thousand_pages_are_fifty_entries_and_a_bomb_is_an_error() {
    let (home, server) = (Home::new(), Server::start());
    let paths: Vec<String> = (0..50_000).map(|n| format!("/page/{n}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    server.serve("/s.xml", Reply::ok(urlset(&server, &paths)));
    let url = server.url("/s.xml");
    let told = home.run(&["add", "--kind", "sitemap", &url]).well();
    assert!(told.contains("50 entries"), "{told}");
    let mut more = paths.clone();
    more.push("/one-more");
    server.serve("/s.xml", Reply::ok(urlset(&server, &more[1..])));
    let told = home
        .run(&["--refresh-only", "--force", "--json"])
        .json_lines(1);
    assert_eq!(told[0]["new"], 1, "{told:?}");

    let blanks = vec![b' '; 1 << 20];
    let mut pieces: Vec<&[u8]> = vec![b"<urlset>"];
    pieces.extend(std::iter::repeat_n(blanks.as_slice(), 64));
    server.serve("/s.xml", Reply::ok(packed(&pieces)));
    let ended = home.run(&["--refresh-only", "--force", "--json"]);
    assert_eq!(ended.code, Some(1));
    let error = ended.lines()[0]["error"].to_string();
    assert!(error.contains("unpacks to more than is read"), "{error}");
    // What was seen is remembered: nothing comes twice.
    server.serve("/s.xml", Reply::ok(urlset(&server, &more)));
    let told = home
        .run(&["--refresh-only", "--force", "--json"])
        .json_lines(1);
    assert_eq!(told[0]["new"], 0, "{told:?}");
}

#[test]
fn requests_for_files_of_an_index_are_spaced_like_any_other_and_an_index_is_bounded() {
    let (home, server) = (Home::new(), Server::start());
    home.write("config/config.toml", "[http]\nhost_gap = \"300ms\"\n");
    let index = |day: u32| {
        let file = |n: u32| {
            let url = server.url(&format!("/f{n}.xml"));
            format!("<sitemap><loc>{url}</loc><lastmod>2026-01-{day:02}</lastmod></sitemap>")
        };
        let files: Vec<_> = (0..9).map(file).collect();
        Reply::ok(format!("<sitemapindex>{}</sitemapindex>", files.concat()))
    };
    for n in 0..9 {
        let path = format!("/p{n}");
        server.serve(&format!("/f{n}.xml"), Reply::ok(urlset(&server, &[&path])));
    }
    server.serve("/map.xml", index(1));
    let url = server.url("/map.xml");
    home.run(&["add", "--kind", "sitemap", &url]).well();
    assert_eq!(server.requests().len(), 1 + 2, "at first the latest two");
    server.serve("/map.xml", index(2));
    server.forget();
    home.run(&["--refresh-only", "--force"]).well();
    let seen = server.requests();
    assert_eq!(seen.len(), 1 + 5, "five in a poll");
    let least = std::time::Duration::from_millis(250);
    assert!(
        seen.windows(2)
            .all(|pair| pair[1].at.duration_since(pair[0].at) >= least),
        "spaced"
    );
    let why = home.run(&["explain", &url]).well();
    let source = "an index of 9 sitemaps, 4 of them still to be read; 7 pages seen";
    assert!(why.contains(source), "{why}");
    server.forget();
    home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(server.requests().len(), 1 + 4, "the others in the next");
    server.forget();
    home.run(&["--refresh-only", "--force"]).well();
    assert_eq!(server.requests().len(), 1);
}
