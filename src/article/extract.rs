//! The article of a web page: what a person came for, without menus, advertisements and the rest (Mozilla's Readability).

use dom_smoothie::{Config, Readability};

use super::read::harmless;
use super::sanitize::beginning;

/// Elements of a page that is read.
const MAX_ELEMENTS: usize = 60_000;
/// Bytes of an article that are kept.
const MAX_ARTICLE: usize = 1024 * 1024;
/// Letters below which what was found is no article.
const LEAST: usize = 140;

/// The article of the page `html` that came from `url`, as HTML; `None` where there is none to be found. The page is made
/// harmless first: bounded in depth and size, without scripts.
pub fn extract(html: &str, url: &str) -> Option<String> {
    let page = harmless(html);
    let config = Config {
        max_elements_to_parse: MAX_ELEMENTS,
        disable_json_ld: true,
        ..Config::default()
    };
    let mut reader = Readability::new(page.as_str(), Some(url), Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let letters = article.text_content.chars().filter(|c| c.is_alphanumeric());
    if letters.take(LEAST).count() < LEAST {
        return None;
    }
    Some(beginning(&article.content, MAX_ARTICLE).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(article: &str) -> String {
        format!(
            "<html><head><title>T</title><script>alert(1)</script></head><body>\
             <nav class=menu><a href=/a>Home</a><a href=/b>About</a></nav>\
             <div id=content class=post>{article}</div>\
             <div class=sidebar><a href=/x>Buy now</a></div><footer>Imprint</footer></body></html>"
        )
    }

    #[test]
    fn the_article_is_found_and_the_rest_is_not() {
        let text =
            "<p>It was a long sentence, with commas, and it said what the page is about. </p>"
                .repeat(8);
        let found = extract(&page(&text), "https://a.example/post").expect("an article");
        assert!(found.contains("what the page is about"), "{found}");
        for other in ["Home", "Buy now", "Imprint", "alert"] {
            assert!(!found.contains(other), "{other}: {found}");
        }
    }

    #[test]
    fn a_page_without_an_article_has_none() {
        for html in [
            "",
            "x",
            "<p>Short.</p>",
            &page("<a href=/x>one</a>"),
            "\u{0}<<<>>>",
        ] {
            assert_eq!(extract(html, "https://a.example/"), None, "{html}");
        }
    }

    #[test]
    fn a_hostile_page_costs_bounded_time() {
        let deep = format!("{}<p>{}</p>", "<div>".repeat(30_000), "a, b. ".repeat(400));
        extract(&deep, "https://a.example/");
        let wide = "<p>one, two, three and some more words.</p>".repeat(4_000);
        extract(&wide, "https://a.example/");
        extract(&"x".repeat(2_000_000), "not a url");
        extract(&"<b><i><a href=x>".repeat(4_000), "https://a.example/");
    }
}
