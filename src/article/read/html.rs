//! HTML to blocks: the parser's tree, walked from front to back.

use scraper::Html;

use super::super::document::Document;
use super::build::Builder;
use super::close::finish;
use super::filter::filter;
use super::reader::Reader;

/// Reads HTML behind what `builder` holds.
pub fn read(html: &str, builder: Builder) -> Document {
    let filtered = filter(html);
    let tree = Html::parse_fragment(&filtered.html);
    let mut reader = Reader::new(builder);
    let mut leaves = Vec::new();
    let root = *tree.root_element();
    let mut next = root.first_child();
    // By hand and not by recursion: depth costs no stack.
    'walk: while let Some(node) = next {
        if reader.enter(node.value(), &mut leaves)
            && let Some(child) = node.first_child()
        {
            next = Some(child);
            continue;
        }
        let mut at = node;
        loop {
            if let Some(leave) = leaves.pop() {
                reader.leave(leave);
            }
            if let Some(sibling) = at.next_sibling() {
                next = Some(sibling);
                break;
            }
            match at.parent() {
                Some(parent) if parent.id() != root.id() => at = parent,
                _ => break 'walk,
            }
        }
    }
    finish(reader.builder, filtered.cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::walk::{each_text, words_of};

    fn depth(html: &str) -> usize {
        let tree = Html::parse_fragment(&filter(html).html);
        let mut deepest = 0;
        for node in tree.root_element().descendants() {
            deepest = deepest.max(node.ancestors().count());
        }
        deepest
    }

    #[test]
    fn the_parser_never_sees_a_deep_page() {
        let many = |unit: &str| unit.repeat(3_000);
        let marks = (0..3_000).fold(String::new(), |text, n| {
            text + &format!("<p><b a{n}=x><a href={n}>y</p>")
        });
        let pages = [
            many("<div>"),
            many("<b><div></b>"),
            many("<i><p></i>"),
            many("<ul><table><td></ul>"),
            many("<table><tr><td>"),
            many("<table><td><b>"),
            many("<span></p>"),
            many("<a href=x><div></a>"),
            many("<li><ul>"),
            many("<dl><dd><table>"),
            many("<h1><h2></h1><div>"),
            many("<figure></div><figcaption>"),
            many("<svg><p>"),
            many("<math><p>"),
            many("<template><td>"),
            many("<object><b>"),
            marks,
        ];
        for page in pages {
            let deepest = depth(&page);
            // Rows and bodies that the parser adds to tables, and formatting elements that it opens again.
            assert!(deepest <= 2_200, "{deepest}: {}", &page[..40]);
        }
    }

    #[test]
    fn text_of_any_element_is_read_once_and_in_order() {
        let cases = [
            ("<p>a<div>b</div>c", "a|b|c"),
            ("<ul>x<li>a<ul><li>b</ul></ul>", "a|b|x"),
            ("<li>a<li>b", "a|b"),
            ("<dl>x<dt>a<dd>b<dd>c</dl>", "a|b|c|x"),
            ("<h2><p>a<p>b</h2>", "a b"),
            ("<figure>a<figcaption><p>b</p></figcaption></figure>", "a|b"),
            ("<details>a<summary>b</summary>c</details>", "b|a|c"),
            ("<pre>a<div>b</div>c</pre>", "a b c"),
            (
                "<table><caption>c<tr><td>a<td>b<tr><td>d<td>e</table>",
                "c|a|b|d|e",
            ),
            ("<table><tr><td>a<h2>b</h2><td>c</table>", "a|b|c"),
            ("<ruby>漢<rt>かん</ruby>", "漢(かん)"),
            ("<q>a</q> <sup>2</sup>", "“a” ²"),
            ("<h1>a <a href=#a>#</a></h1>", "a"),
            ("<video>fallback</video>a", "a"),
            ("<p hidden>a</p><p>b", "b"),
            ("<h2>a<a href=/x aria-hidden=true>#</a></h2>", "a"),
            (
                "<a href=/x aria-hidden=true><img src=https://e.example/i alt=b></a>c",
                "[image: b][1]c",
            ),
            ("a<span aria-hidden=true>b</span>", "a"),
            ("<h:p>a</h:p>", "a"),
            ("a<br><br>b<br>c", "a|b c"),
        ];
        for (html, wanted) in cases {
            let mut parts = Vec::new();
            each_text(&read(html, Builder::new(None)).blocks, &mut |spans| {
                if !spans.is_empty() {
                    parts.push(words_of(spans));
                }
            });
            assert_eq!(parts.join("|"), wanted, "{html}");
        }
    }
}
