//! Articles from HTML to rows: pages as text at three widths, and any input at any width.

use std::fmt::Write;

use proptest::prelude::{ProptestConfig, any, prop, prop_oneof, proptest};
use proptest::strategy::{Just, Strategy};
use tidings::article::{self, Document, Kind, Page, Run, Traits};
use tidings::model::{EntryBody, Markup};

fn read(html: &str) -> Document {
    article::document(&EntryBody {
        text: html.to_owned(),
        markup: Markup::Html,
        base: Some("https://example.org/blog/post".into()),
        ..EntryBody::default()
    })
}

fn name(run: &Run) -> String {
    let style = run.style;
    let mut name = match style.kind {
        Kind::Text => String::new(),
        Kind::Image(_) => "Image".to_owned(),
        kind => format!("{kind:?}"),
    };
    if style.traits != Traits::NONE {
        let _ = write!(name, " {:?}", style.traits);
    }
    if let Some(link) = style.link {
        let _ = write!(name, " ->{link}");
    }
    name.trim().to_owned()
}

/// Rows with a ruler's edge, then the styles of rows that have any.
fn screen(page: &Page, width: usize) -> String {
    let mut out = String::new();
    for row in &page.rows {
        let pad = width.saturating_sub(row.width());
        let _ = writeln!(out, "{}{}│", row.text(), " ".repeat(pad));
    }
    out
}

fn styles(page: &Page) -> String {
    let mut out = String::new();
    for run in page.rows.iter().flat_map(|row| &row.runs) {
        let name = name(run);
        if !name.is_empty() {
            let _ = writeln!(out, "{:?}: {name}", run.text);
        }
    }
    out
}

macro_rules! pages {
    ($($test:ident: $file:literal;)*) => {$(
        #[test]
        fn $test() {
            let document = read(include_str!(concat!("articles/", $file, ".html")));
            for width in [80, 40, 20] {
                let page = article::layout(&document, width);
                check(&page, usize::from(width));
                insta::assert_snapshot!(format!("{}_{width}", $file), screen(&page, usize::from(width)));
            }
        }
    )*};
}

pages! {
    a_blog_post_is_well_set: "blog";
    tables_fit_or_fold: "tables";
    a_newsletter_reads_from_top_to_bottom: "newsletter";
    every_script_keeps_its_columns: "scripts";
}

#[test]
fn the_picture_of_an_entry_stands_first_unless_the_text_shows_it() {
    let page = |text: &str, image: &str| {
        let document = article::document(&EntryBody {
            text: text.to_owned(),
            image: Some(image.to_owned()),
            ..EntryBody::default()
        });
        screen(&article::layout(&document, 44), 44)
    };
    let image = "https://img.example.org/2024/spring.jpg?w=300&h=200";
    let text = "<p>The first words, and <a href='https://a.example/'>a link</a>.</p>";
    insta::assert_snapshot!("head_picture", page(text, image));
    let shown =
        "<p>The words.</p><img src='http://img.example.org/2024/spring.jpg?w=900&amp;h=600'>";
    assert_eq!(page(shown, image).matches("[image").count(), 1);
    assert!(page("<p>Words.</p>", "javascript:alert(1)").starts_with("Words."));
    assert!(page("plain words", image).contains("[image: spring.jpg]"));
}

#[test]
fn every_run_says_what_it_is() {
    let document = read(include_str!("articles/blog.html"));
    insta::assert_snapshot!("blog_styles", styles(&article::layout(&document, 80)));
}

#[test]
fn plain_text_for_a_pipe_has_heading_marks() {
    insta::assert_snapshot!(
        "blog_plain",
        article::plain(&read(include_str!("articles/blog.html")), 72)
    );
}

fn forbidden(page: &Page) -> Option<char> {
    page.rows
        .iter()
        .flat_map(|row| &row.runs)
        .flat_map(|run| run.text.chars())
        .find(|c| article::sanitize::is_forbidden(*c) || c.is_control())
}

fn check(page: &Page, width: usize) {
    for row in &page.rows {
        let text = row.text();
        let shown = unicode_width::UnicodeWidthStr::width(text.as_str());
        assert!(
            row.width() <= width && shown <= width,
            "{shown} columns at {width}: {text:?}"
        );
        assert!(
            row.runs.iter().all(|run| !run.text.is_empty()),
            "an empty run in {text:?}"
        );
    }
    assert!(page.rows.is_sorted_by_key(|row| row.at), "places go back");
    assert_eq!(forbidden(page), None);
    for link in page.links.iter() {
        assert!(
            !link
                .url
                .chars()
                .any(|c| c.is_control() || c.is_whitespace()),
            "{link:?}"
        );
        assert!(
            !link.url.starts_with("javascript:") && !link.url.starts_with("data:"),
            "{link:?}"
        );
    }
    for run in page.rows.iter().flat_map(|row| &row.runs) {
        if let Some(number) = run.style.link {
            assert!(page.link(number).is_some(), "no link {number}");
        }
    }
}

#[test]
fn a_place_is_found_again_at_another_width() {
    let tables = include_str!("articles/tables.html");
    let document = read(&(tables.to_owned() + include_str!("articles/blog.html")));
    let wide = article::layout(&document, 100);
    let narrow = article::layout(&document, 17);
    let last = |page: &Page| page.rows.last().map(|row| row.at);
    assert_eq!(last(&wide), last(&article::layout(&document, 500)));
    for (at, row) in wide
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| !row.runs.is_empty())
    {
        let there = narrow.row_of(row.at);
        assert!(narrow.rows[there].at <= row.at);
        assert!(
            narrow
                .rows
                .get(there + 1)
                .is_none_or(|next| next.at > row.at)
        );
        assert!(wide.rows[wide.row_of(row.at)].at == row.at, "row {at}");
    }
}

#[test]
fn hostile_pages_stay_within_bounds() {
    let cases = [
        ("nested divs", "<div>".repeat(100_000) + "end"),
        ("nested bold", "<b x=1>".repeat(100_000) + "end"),
        ("nested lists", "<ul><li>x".repeat(100_000)),
        ("nested quotes", "<blockquote>".repeat(100_000) + "end"),
        ("nested tables", "<table><tr><td>x".repeat(50_000)),
        ("overlapping", "<b><div></b>".repeat(50_000)),
        (
            "reopened",
            (0..40_000).fold(String::new(), |s, n| {
                s + &format!("<p><b a{n}=1><i b{n}=2>x</p>")
            }),
        ),
        (
            "attributes",
            format!(
                "<p {}>x",
                (0..100_000).fold(String::new(), |s, n| s + &format!("a{n} "))
            ),
        ),
        ("one word", "x".repeat(1_000_000)),
        ("one line", "word ".repeat(200_000)),
        ("five megabytes in one line", "wide 漢字 ".repeat(400_000)),
        (
            "links",
            (0..50_000).fold(String::new(), |s, n| s + &format!("<a href=/{n}>x</a> ")),
        ),
        (
            "rows",
            format!("<table>{}</table>", "<tr><td>a<td>b<td>c".repeat(10_000)),
        ),
        (
            "columns",
            format!(
                "<table><tr>{}<tr>{}</table>",
                "<th>h".repeat(5_000),
                "<td>v".repeat(5_000)
            ),
        ),
        (
            "spans",
            format!(
                "<table>{}</table>",
                "<tr><td colspan=1000 rowspan=65535>a<td>b".repeat(5_000)
            ),
        ),
        ("open comments", "<!--".repeat(200_000)),
        ("open scripts", "<script>".repeat(100_000)),
        ("open quotes", "<a href=\"".repeat(100_000)),
        ("brackets", "<".repeat(100_000)),
        ("breaks", "<br>".repeat(100_000)),
        ("entities", "&amp".repeat(100_000)),
        ("soft hyphens", "&shy;a".repeat(80_000)),
        ("marks", format!("a{}", "&#x301;".repeat(150_000))),
    ];
    for (what, html) in cases {
        let begin = std::time::Instant::now();
        let document = read(&html);
        for width in [1, 80] {
            let page = article::layout(&document, width);
            check(&page, usize::from(width));
            assert!(
                page.rows.len() <= 300_100,
                "{what}: {} rows",
                page.rows.len()
            );
        }
        // A hundredfold of what a release build needs: only growth out of all proportion fails.
        let took = begin.elapsed();
        assert!(took.as_secs() < 60, "{what}: {took:?}");
    }
}

/// Words with links of every kind between them; where each word is to lead.
fn linked(words: &[(String, usize)]) -> (String, Vec<Option<String>>) {
    const TARGETS: &[(&str, Option<&str>)] = &[
        (
            "https://a.example/x?y=1&amp;z=2",
            Some("https://a.example/x?y=1&z=2"),
        ),
        ("/relative/path", Some("https://example.org/relative/path")),
        ("mailto:me@a.example", Some("mailto:me@a.example")),
        (
            "https://a.example/%20;$(id)`id`|x",
            Some("https://a.example/%20;$(id)%60id%60|x"),
        ),
        ("https://a.example/a\nb", Some("https://a.example/ab")),
        (
            "https://a.example/&#x1b;[31m",
            Some("https://a.example/%1B[31m"),
        ),
        ("javascript:alert(1)", None),
        ("java&#10;script:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("vbscript:x", None),
        ("#here", None),
    ];
    let mut html = String::new();
    let mut wanted = Vec::new();
    for (at, (word, target)) in words.iter().enumerate() {
        let (href, url) = TARGETS[target % TARGETS.len()];
        // A number makes the word one of its kind.
        let _ = write!(html, "<a href=\"{href}\">{word}{at}q</a> and ");
        wanted.push(url.map(str::to_owned));
    }
    (html, wanted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn links_keep_their_target(
        words in prop::collection::vec(("[a-z漢字👨é\u{301}\u{200b}\u{ad}]{0,12}", 0_usize..12), 1..30),
        width in 1_u16..100,
    ) {
        let (html, wanted) = linked(&words);
        let document = read(&html);
        let page = article::layout(&document, width);
        check(&page, usize::from(width));
        let mut led = vec![None; wanted.len()];
        // A word may be broken over rows: its mark is put together again.
        let mut text = String::new();
        let mut links = Vec::new();
        for run in page.rows.iter().flat_map(|row| &row.runs) {
            if matches!(run.style.kind, Kind::Number | Kind::Reference) {
                continue;
            }
            for c in run.text.chars() {
                text.push(c);
                links.extend(std::iter::repeat_n(run.style.link, c.len_utf8()));
            }
        }
        for (at, slot) in led.iter_mut().enumerate() {
            let mark = format!("{at}q");
            let place = text.match_indices(&mark).find(|(place, _)| {
                !text[..*place].ends_with(|c: char| c.is_ascii_digit())
            });
            let Some((place, _)) = place else {
                // Too narrow to be whole; then it is nowhere else either.
                continue;
            };
            *slot = Some(links[place].and_then(|number| page.link(number)).map(|link| link.url.clone()));
        }
        for (at, found) in led.into_iter().enumerate() {
            if let Some(found) = found {
                assert_eq!(found, wanted[at], "word {at} at {width}: {html}");
            }
        }
    }
}

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<ul>",
    "<ol start=98>",
    "<ol reversed>",
    "<li>",
    "</ul>",
    "</ol>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th>",
    "<td colspan=3>",
    "<td rowspan=2>",
    "<thead>",
    "</thead>",
    "<caption>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<blockquote>",
    "</blockquote>",
    "<a href=https://a.example/x>",
    "<a href=#x>",
    "</a>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<sup>",
    "</sup>",
    "<h1>",
    "<h3>",
    "</h3>",
    "<br>",
    "<hr>",
    "<img src=/a.png alt='a b'>",
    "<figure>",
    "<figcaption>",
    "</figure>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dl>",
    "<details>",
    "<summary>",
    "</details>",
    "<iframe src=/v>",
    "<video src=/v>",
    "</video>",
    "<ruby>",
    "<rt>",
    "</ruby>",
    "<q>",
    "</q>",
    "<wbr>",
    "&shy;",
    "&nbsp;",
    "&#x1b;",
    "&#x202e;",
    "\u{200b}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{301}",
    "❤",
    "#",
    "👨",
    "👩",
    "🏽",
    "🇩",
    "لا",
    "ل",
    "ا",
    "日本",
    "。",
    "「",
    "한국",
    "ก็",
    "क्ष",
    " ",
    "\n",
    "\t",
    "word",
    "-",
    "averyveryverylongword",
    "https://b.example/x_(y)",
    "<",
    "&",
    "\"",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "\u{9b}",
    "\u{1b}[31m",
    "\u{ad}",
    "\u{3000}",
    "1",
    ".",
    "\u{1160}",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => Just("x ".repeat(30)),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_soup_at_any_width_stays_in_its_columns(html in soup(), width in 1_u16..120) {
        let document = read(&html);
        let page = article::layout(&document, width);
        check(&page, usize::from(width));
        article::plain(&document, width);
        let text = article::layout(&Document::from(html.as_str()), width);
        check(&text, usize::from(width));
    }
}
