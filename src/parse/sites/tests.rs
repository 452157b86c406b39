use std::fs;
use std::path::Path;

use super::*;
use crate::parse::discover;

/// A page of `tests/sites`, and what its first comment says of it.
struct Page {
    name: String,
    url: String,
    feeds: Vec<String>,
    also: Vec<(String, String)>,
    html: String,
}

fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| page(path)).collect()
}

fn page(path: &Path) -> Page {
    let text = fs::read_to_string(path).expect("text");
    let (said, html) = text
        .strip_prefix("<!--\n")
        .and_then(|text| text.split_once("\n-->\n"))
        .expect("a comment");
    let values = |name: &str| {
        said.lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    Page {
        name: path.file_stem().expect("a name").to_string_lossy().into(),
        url: values("url").remove(0),
        feeds: values("feed"),
        also: values("also")
            .iter()
            .map(|line| line.split_once(" -> ").expect("an arrow"))
            .map(|(url, feed)| (url.to_owned(), feed.to_owned()))
            .collect(),
        html: html.to_owned(),
    }
}

fn urls(found: Vec<Candidate>) -> Vec<String> {
    found.into_iter().map(|candidate| candidate.url).collect()
}

#[test]
fn every_page_gives_its_feeds() {
    let mut wrong = Vec::new();
    for page in pages() {
        let found = urls(discover(page.html.as_bytes(), None, &page.url));
        if found != page.feeds {
            wrong.push(format!("{}: {found:#?}", page.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn where_the_address_tells_nobody_is_asked() {
    let mut wrong = Vec::new();
    for page in pages() {
        for (url, feed) in &page.also {
            let found = urls(known(url));
            if found.first() != Some(feed) {
                wrong.push(format!("{url}: {found:?}"));
            }
        }
        // What an address tells, its page tells too.
        let told = urls(known(&page.url));
        if told.iter().any(|url| !page.feeds.contains(url)) {
            wrong.push(format!("{}: {told:?}", page.url));
        }
        // The address of a feed is no page.
        for feed in page
            .feeds
            .iter()
            .chain(page.also.iter().map(|(_, feed)| feed))
        {
            if !known(feed).is_empty() {
                wrong.push(format!("{feed} is taken for a page"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_rule_has_a_page() {
    let pages = pages();
    let applies = |rule: &Rule| {
        pages.iter().any(|page| {
            let url = Url::parse(&page.url).expect("a URL");
            let also = page.also.iter().any(|(url, _)| {
                let url = Url::parse(url).expect("a URL");
                rule.apply(&url, "").is_some()
            });
            also || rule.apply(&url, &page.html).is_some()
        })
    };
    let unused: Vec<_> = RULES.iter().filter(|rule| !applies(rule)).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

#[test]
fn a_rule_takes_no_more_than_it_should() {
    for url in [
        "https://notgithub.com/a/b",
        "https://github.com/features/actions",
        "https://github.com/",
        "https://github.com/a/b/issues/1",
        "https://www.youtube.com/@name",
        "https://www.youtube.com/playlist?list=a%22b",
        "https://www.substack.com/",
        "https://substack.com/home",
        "https://www.wordpress.com/",
        "https://vimeo.com/watch",
        "nonsense",
        "file:///r/rust",
    ] {
        assert_eq!(known(url), [], "{url}");
    }
    // What a page says is no address unless it is one.
    for value in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "exec:rm",
        "not an address",
        "",
    ] {
        let html = format!("<script>{{\"feedUrl\":\"{value}\"}}</script>");
        let found = by_rule("https://podcasts.apple.com/us/podcast/x/id1", &html);
        assert_eq!(found, [], "{value}");
    }
}
