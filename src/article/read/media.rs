//! Pictures, sounds, films and embedded pages as a line each; what only counts readers is left out.

use scraper::node::Element;

use super::super::document::{Image, MediaKind};
use super::super::sanitize;
use super::super::style::{Kind, Style, Traits};
use super::build::Builder;
use super::links::Target;

/// Writes the placeholder of a picture, numbered as a link to it unless it stands in one. Pictures that count readers
/// are left out, a smiley is its letters.
pub fn image(builder: &mut Builder, element: &Element) {
    let alt = sanitize::line(element.attr("alt").unwrap_or_default());
    let class = element.attr("class").unwrap_or_default();
    if !alt.is_empty()
        && ["emoji", "smiley", "emoticon"]
            .iter()
            .any(|c| class.contains(c))
    {
        let style = builder.style;
        builder.say(&alt, style);
        return;
    }
    let url = picture_url(builder, element);
    if is_pixel(element, &url) || url.is_empty() && alt.is_empty() {
        return;
    }
    let title = sanitize::line(element.attr("title").unwrap_or_default());
    placeholder(builder, Image { url, alt, title });
}

/// Writes the placeholder of the picture that stands for an entry, as a paragraph of its own. `url` is resolved, and
/// checked here once more.
pub fn head(builder: &mut Builder, url: &str) {
    let Target::Url(url) = builder.targets.resolve(url) else {
        return;
    };
    let image = Image {
        url,
        ..Image::default()
    };
    placeholder(builder, image);
    builder.flush();
}

fn placeholder(builder: &mut Builder, image: Image) {
    let Image { url, alt, title } = image.clone();
    let Some(index) = builder.targets.image(image) else {
        return;
    };
    let words = if alt.is_empty() { file_name(&url) } else { alt };
    let mut label = if words.is_empty() {
        "[image".to_owned()
    } else {
        format!("[image: {words}")
    };
    if !title.is_empty() && title != words {
        label.push_str(" – ");
        label.push_str(&title);
    }
    label.push(']');
    let outer = builder.style.link;
    let own = if outer.is_none() && !url.is_empty() {
        builder.targets.number(&url)
    } else {
        None
    };
    let style = Style {
        kind: Kind::Image(index),
        link: outer.or(own),
        ..builder.style
    };
    builder.say(&label, style);
    if let Some(number) = own {
        builder.targets.name(number, &label);
        builder.number(number);
    }
}

fn picture_url(builder: &Builder, element: &Element) -> String {
    let lazy = ["data-src", "data-lazy-src", "data-original"];
    let candidates = ["src"]
        .iter()
        .chain(&lazy)
        .filter_map(|name| element.attr(name));
    let set = element
        .attr("srcset")
        .and_then(|set| set.split([' ', ',']).find(|s| !s.is_empty()));
    for candidate in candidates.chain(set) {
        if let Target::Url(url) = builder.targets.resolve(candidate) {
            return url;
        }
    }
    String::new()
}

/// Writes the line of an embedded page.
pub fn embed(builder: &mut Builder, element: &Element) {
    let target = element.attr("src").map(|src| builder.targets.resolve(src));
    let Some(Target::Url(url)) = target else {
        return;
    };
    if is_tiny(element.attr("width")) || is_tiny(element.attr("height")) {
        return;
    }
    let (kind, url) = watch_page(url);
    let title = sanitize::line(element.attr("title").unwrap_or_default());
    show(builder, kind, &url, &title);
}

/// Writes the line of a sound, a film or an embedded page, as a link to it.
pub fn show(builder: &mut Builder, kind: MediaKind, url: &str, title: &str) {
    let what = match kind {
        MediaKind::Audio => "audio",
        MediaKind::Video => "video",
        MediaKind::Page => "embedded",
    };
    let words = if title.is_empty() {
        place(url)
    } else {
        title.to_owned()
    };
    let label = format!("[{what}: {words}]");
    let number = builder.targets.number(url);
    let style = Style {
        kind: Kind::Media,
        traits: Traits::NONE,
        link: number,
    };
    builder.flush();
    builder.say(&label, style);
    if let Some(number) = number {
        builder.targets.name(number, &label);
        builder.number(number);
    }
    builder.flush();
}

fn is_tiny(size: Option<&str>) -> bool {
    size.is_some_and(|size| {
        let size = size.trim();
        let size = size.strip_suffix("px").unwrap_or(size);
        size.parse::<f32>().is_ok_and(|size| size <= 2.0)
    })
}

/// A picture that counts readers and shows nothing.
fn is_pixel(element: &Element, url: &str) -> bool {
    const COUNTERS: &[&str] = &[
        "feeds.feedburner.com/~",
        "feedproxy.google.com/~",
        "feedsportal.com/",
        "pixel.wp.com/",
        "stats.wordpress.com/",
        "doubleclick.net/",
        "google-analytics.com/",
        "/tracking-pixel",
        "/pixel.gif",
        "/pixel.png",
        "/1x1.",
        "/blank.gif",
        "/spacer.gif",
        "feedads.g.",
        "/open.aspx",
        "list-manage.com/track",
        "/o.gif",
        "vg04.met.vgwort.de/",
    ];
    let style = element.attr("style").unwrap_or_default();
    let styled = style.to_ascii_lowercase().split(';').any(|rule| {
        rule.split_once(':').is_some_and(|(name, value)| {
            matches!(name.trim(), "width" | "height") && is_tiny(Some(value))
        })
    });
    styled
        || element.attr("hidden").is_some()
        || is_tiny(element.attr("width"))
        || is_tiny(element.attr("height"))
        || COUNTERS.iter().any(|counter| url.contains(counter))
}

/// The file's name, where it says something.
fn file_name(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let telling = name.len() <= 40
        && name.contains('.')
        && !name.contains('%')
        && path.matches('/').count() > 2;
    if telling {
        name.to_owned()
    } else {
        String::new()
    }
}

/// Host and file of a URL, for a label.
fn place(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let name = file_name(url);
    if name.is_empty() {
        host.to_owned()
    } else {
        format!("{host}, {name}")
    }
}

/// The page where an embedded film is watched.
fn watch_page(url: String) -> (MediaKind, String) {
    let id = |rest: &str| {
        let id: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect();
        id
    };
    for prefix in ["youtube.com/embed/", "youtube-nocookie.com/embed/"] {
        if let Some((_, rest)) = url.split_once(prefix) {
            let id = id(rest);
            if !id.is_empty() && id != "videoseries" {
                return (
                    MediaKind::Video,
                    format!("https://www.youtube.com/watch?v={id}"),
                );
            }
        }
    }
    if let Some((_, rest)) = url.split_once("player.vimeo.com/video/") {
        return (MediaKind::Video, format!("https://vimeo.com/{}", id(rest)));
    }
    (MediaKind::Page, url)
}
