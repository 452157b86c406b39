//! One comparison of newsboat's filter language as a part of a query.

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Equal,
    Like,
    Under,
    Over,
    AtMost,
    AtLeast,
    Between,
    Has,
}

/// One comparison, not turned round.
pub(super) fn term(name: &str, is: Is, value: &str) -> Result<String, String> {
    let field = match name {
        "title" => "title",
        "author" => "author",
        "content" => "body",
        "link" => "link",
        "feedtitle" | "rssurl" => "feed",
        "unread" => return unread(is, value),
        "flags" => return flags(is, value),
        "tags" => return tags(is, value),
        "age" => return age(is, value),
        "enclosure_url" if is_anything(is, value) => return Ok("has:enclosure".to_owned()),
        "enclosure_url" if is == Is::Equal && value.is_empty() => {
            return Ok("not has:enclosure".to_owned());
        }
        _ => return Err(foreign(name)),
    };
    let anywhere = |value: &str| format!("{field}:{}", phrase(value));
    match is {
        _ if is_anything(is, value) => Err(format!("`{name}` is not asked whether it is empty")),
        Is::Like => Ok(like(field, value)),
        Is::Equal if value.is_empty() => Err(format!("`{name}` is not asked whether it is empty")),
        // An address may be written in several ways.
        Is::Equal if matches!(name, "rssurl" | "link") => Ok(anywhere(value)),
        Is::Equal => Ok(format!("{field}:/^{}$/", escaped(value))),
        Is::Has => Ok(format!("{field}:/(^|\\s){}(\\s|$)/", escaped(value))),
        _ => Err(format!("`{name}` is no number")),
    }
}

/// Whatever is not empty matches; turned round by `!=`, where the value is empty.
fn is_anything(is: Is, value: &str) -> bool {
    is == Is::Like && matches!(value, "." | ".+" | "^." | "^.+$" | "^.*.$" | "..*")
}

fn foreign(name: &str) -> String {
    match name {
        "guid" | "enqueued" | "enclosure_url" | "enclosure_type" | "articleindex" | "date" => {
            let besides = match name {
                "date" => "; date: and age: look at the date, see `:help query`",
                "enclosure_url" | "enclosure_type" => {
                    "; has:enclosure asks whether something is attached"
                }
                _ => "",
            };
            format!("tidings has no query for `{name}`{besides}")
        }
        "unread_count" | "total_count" | "feedindex" | "feeddate" | "latest_article_age"
        | "description" | "feedlink" => format!(
            "`{name}` is of a feed, and a query finds entries; feeds are asked for by feed: and tag:"
        ),
        _ => format!("`{name}` is no attribute of newsboat's"),
    }
}

fn unread(is: Is, value: &str) -> Result<String, String> {
    match (is, value) {
        (Is::Equal | Is::Like, "yes" | "y" | "^yes$") => Ok("unread".to_owned()),
        (Is::Equal | Is::Like, "no" | "n" | "^no$") => Ok("is:read".to_owned()),
        _ => Err("`unread` is compared with \"yes\" or \"no\"".to_owned()),
    }
}

/// A flagged article is starred here, and has a tag for each of its letters.
fn flags(is: Is, value: &str) -> Result<String, String> {
    let mut chars = value.chars();
    match (is, chars.next(), chars.next()) {
        (Is::Equal, None, _) => Ok("not starred".to_owned()),
        _ if is_anything(is, value) => Ok("starred".to_owned()),
        (Is::Equal | Is::Like | Is::Has, Some(letter), None) if letter.is_ascii_alphabetic() => {
            Ok(format!("tag:{}", flag_tag(letter)))
        }
        _ => Err(
            "flags become tags, one for a letter: only a single letter can be asked for".to_owned(),
        ),
    }
}

/// The tag that stands for a flag.
pub(super) fn flag_tag(letter: char) -> String {
    format!("flag/{letter}")
}

fn tags(is: Is, value: &str) -> Result<String, String> {
    let value = value.trim_matches(['^', '$']);
    let plain = !value.is_empty() && is_plain(value);
    match is {
        Is::Has | Is::Equal | Is::Like if plain => Ok(format!("tag:{}", phrase(value))),
        _ => Err("a tag is asked for by its whole name".to_owned()),
    }
}

/// Whole days.
fn age(is: Is, value: &str) -> Result<String, String> {
    let days = |value: &str| {
        value
            .parse::<u32>()
            .ok()
            .filter(|days| *days <= 36_525)
            .ok_or_else(|| "`age` is compared with days, like 7".to_owned())
    };
    if is == Is::Between {
        let (from, to) = value
            .split_once(':')
            .ok_or_else(|| "`between` needs two numbers, like 1:7".to_owned())?;
        let (from, to) = (days(from)?, days(to)?);
        return Ok(spans(
            (from > 0).then_some(from),
            Some(to.saturating_add(1)),
        ));
    }
    let days = days(value)?;
    match is {
        Is::Under if days == 0 => Err("nothing is younger than 0 days".to_owned()),
        Is::Under => Ok(spans(None, Some(days))),
        Is::AtMost => Ok(spans(None, Some(days + 1))),
        Is::Over => Ok(spans(Some(days + 1), None)),
        Is::AtLeast if days == 0 => Err("everything is at least 0 days old".to_owned()),
        Is::AtLeast => Ok(spans(Some(days), None)),
        Is::Equal => Ok(spans((days > 0).then_some(days), Some(days + 1))),
        Is::Like | Is::Has | Is::Between => Err("`age` is a number".to_owned()),
    }
}

fn spans(over: Option<u32>, under: Option<u32>) -> String {
    let over = over.map(|days| format!("age:>{days}d"));
    let under = under.map(|days| format!("age:<{days}d"));
    let both: Vec<String> = over.into_iter().chain(under).collect();
    both.join(" ")
}

/// A pattern; one that is nothing but letters is looked for as they are.
fn like(field: &str, pattern: &str) -> String {
    if is_plain(pattern) {
        format!("{field}:{}", phrase(pattern))
    } else {
        format!("{field}:{}", between_slashes(pattern))
    }
}

/// A pattern as a query writes it.
pub(super) fn between_slashes(pattern: &str) -> String {
    let mut out = String::from("/");
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '/' => out.push_str("\\/"),
            '\\' => {
                out.push('\\');
                // A backslash at the very end would take the slash: it stands for itself.
                out.push(chars.next().unwrap_or('\\'));
            }
            c => out.push(c),
        }
    }
    out + "/"
}

/// Nothing in it means anything to a pattern.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.contains([
            '\\', '.', '^', '$', '|', '?', '*', '+', '(', ')', '[', ']', '{', '}',
        ])
}

/// In quotes.
pub(super) fn phrase(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out + "\""
}

/// A text as a pattern that is found where the text stands.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
