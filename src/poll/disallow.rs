//! `Disallow` of robots.txt (RFC 9309): for what a program asks by itself from page to page, as older pages of a feed.

use memchr::memmem;
use url::Url;

use super::robots::{parts, token};

/// The product token that groups name (RFC 9309 §2.2.1).
const TOKEN: &[u8] = b"tidings";
/// Longer patterns match nothing that is asked for.
const PATTERN_MAX: usize = 2_048;
/// More rules are not read: no site has them.
const RULES_MAX: usize = 10_000;

/// What a robots.txt says of this program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Disallow {
    /// Patterns as they stand, and whether they allow.
    rules: Vec<(Vec<u8>, bool)>,
    /// Nothing may be asked: the file could not be had (§2.3.1.4).
    nothing: bool,
}

impl Disallow {
    /// What holds where the file cannot be reached: nothing is allowed (§2.3.1.4).
    pub const fn unreachable() -> Self {
        Self {
            rules: Vec::new(),
            nothing: true,
        }
    }

    /// Reads the groups that name this program, together; else those of `*` (§2.2.1).
    pub fn read(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let (mut own, mut all) = (None, Vec::new());
        let (mut naming, mut is_own, mut is_all) = (false, false, false);
        for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let Some((field, value)) = parts(line) else {
                continue;
            };
            if field.eq_ignore_ascii_case(b"user-agent") {
                if !std::mem::replace(&mut naming, true) {
                    (is_own, is_all) = (false, false);
                }
                is_own |= token(value).eq_ignore_ascii_case(TOKEN);
                is_all |= value == b"*";
                if is_own {
                    own.get_or_insert_with(Vec::new);
                }
                continue;
            }
            let allow = field.eq_ignore_ascii_case(b"allow");
            if !allow && !field.eq_ignore_ascii_case(b"disallow") {
                continue;
            }
            naming = false;
            // An empty pattern is no rule.
            if value.is_empty() || value.len() > PATTERN_MAX {
                continue;
            }
            let takes = |rules: &mut Vec<(Vec<u8>, bool)>| {
                if rules.len() < RULES_MAX {
                    rules.push((value.to_vec(), allow));
                }
            };
            if is_own {
                own.as_mut().map(takes);
            }
            if is_all {
                takes(&mut all);
            }
        }
        Self {
            rules: own.unwrap_or(all),
            nothing: false,
        }
    }

    /// The page may be asked for: the longest pattern that matches decides, `Allow` where two are as long (§2.2.2).
    pub fn allows(&self, page: &str) -> bool {
        if self.nothing {
            return false;
        }
        let Ok(url) = Url::parse(page) else {
            return false;
        };
        let mut path = url.path().as_bytes().to_vec();
        if let Some(query) = url.query() {
            path.push(b'?');
            path.extend_from_slice(query.as_bytes());
        }
        let found = self
            .rules
            .iter()
            .filter(|(pattern, _)| matches(pattern, &path))
            .map(|(pattern, allow)| (pattern.len(), *allow))
            .max();
        found.is_none_or(|(_, allow)| allow)
    }
}

/// `*` stands for anything, `$` at the end for the end (§2.2.3). Each part is looked for once, from left to right.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !to_the_end || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() && to_the_end {
            return rest.ends_with(part);
        }
        let Some(at) = memmem::find(rest, part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str, path: &str) -> bool {
        Disallow::read(text.as_bytes()).allows(&format!("https://a.example{path}"))
    }

    #[test]
    fn r81_the_longest_pattern_decides_and_the_own_group_before_all() {
        for (text, path, wanted) in [
            ("", "/f?page=2", true),
            ("User-agent: *\nDisallow: /", "/f?page=2", false),
            ("User-agent: *\nDisallow:", "/f", true),
            ("User-agent: *\nDisallow: /a\nAllow: /a/f", "/a/f/2", true),
            ("User-agent: *\nAllow: /a\nDisallow: /a", "/a", true),
            ("User-agent: *\nDisallow: /*?", "/f?page=2", false),
            ("User-agent: *\nDisallow: /*?", "/f/2", true),
            ("User-agent: *\nDisallow: /f$", "/f", false),
            ("User-agent: *\nDisallow: /f$", "/f/2", true),
            ("User-agent: *\nDisallow: /*.xml$", "/old/2024.xml", false),
            ("User-agent: *\nDisallow: /*.xml$", "/old/2024.xml?x", true),
            ("User-agent: bot\nDisallow: /", "/f", true),
            (
                "User-agent: *\nDisallow: /\nUser-agent: Tidings/1\nAllow: /",
                "/f",
                true,
            ),
            (
                "User-agent: tidings\nDisallow: /f\n\nUser-agent: *\nDisallow:",
                "/f",
                false,
            ),
            (
                "User-agent: a\nUser-agent: tidings\nDisallow: /f",
                "/f",
                false,
            ),
            ("\u{feff}user-agent : *\r\ndisallow : /f # old", "/f", false),
            ("Disallow: /", "/f", true),
        ] {
            assert_eq!(allows(text, path), wanted, "{text} {path}");
        }
        assert!(!Disallow::unreachable().allows("https://a.example/f"));
        assert!(!Disallow::default().allows("no url"));
    }

    #[test]
    fn r81_a_hostile_file_costs_little() {
        let line = format!("Disallow: /{}x\n", "*a".repeat(900));
        let text = format!("User-agent: *\n{}", line.repeat(250));
        let path = format!("/{}", "a".repeat(2_000));
        assert!(allows(&text, &path));
    }
}
