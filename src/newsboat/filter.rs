//! newsboat's filter expressions in the language of `query`: `unread = "yes" and tags # "news"` is `unread tag:news`.
//!
//! `and` and `or` bind alike there, and the right part first: `a and b or c` is `a and (b or c)`.

use super::terms::{Is, term};
use crate::query;

/// Brackets and joints within each other, at most.
const DEEPEST: usize = 100;

/// An expression that cannot be put into a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {why}")]
pub struct FilterError {
    /// Of the character where it goes wrong, from 1.
    pub column: usize,
    /// A clause.
    pub why: String,
}

/// The query that finds the same entries.
pub fn query_of(expression: &str) -> Result<String, FilterError> {
    let mut reader = Reader {
        chars: expression.chars().collect(),
        at: 0,
    };
    let read = reader.expression(0)?;
    if let Some(c) = reader.peek() {
        return Err(reader.wrong(format!(
            "`{c}` stands where `and`, `or` or the end should be"
        )));
    }
    // Read again and written as `query` writes it; what was made here is a query, unless a pattern is one only for newsboat.
    let query = query::parse(&read).map_err(|error| FilterError {
        column: 1,
        why: error.message,
    })?;
    Ok(query.to_string())
}

/// What stands for each, the longer before the shorter; true: turned round.
const SIGNS: [(&str, Is, bool); 12] = [
    ("=~", Is::Like, false),
    ("==", Is::Equal, false),
    ("=", Is::Equal, false),
    ("!~", Is::Like, true),
    ("!=", Is::Equal, true),
    ("!#", Is::Has, true),
    ("<=", Is::AtMost, false),
    (">=", Is::AtLeast, false),
    ("<", Is::Under, false),
    (">", Is::Over, false),
    ("between", Is::Between, false),
    ("#", Is::Has, false),
];

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn wrong(&self, why: impl Into<String>) -> FilterError {
        FilterError {
            column: self.at + 1,
            why: why.into(),
        }
    }

    /// `text` stands here; then it is passed.
    fn take(&mut self, text: &str) -> bool {
        self.peek();
        let here = self.chars[self.at..].iter().copied();
        let length = text.chars().count();
        let found = here.take(length).eq(text.chars());
        self.at += if found { length } else { 0 };
        found
    }

    fn expression(&mut self, depth: usize) -> Result<String, FilterError> {
        if depth > DEEPEST {
            return Err(self.wrong("too many brackets and joints within each other"));
        }
        let left = if self.take("(") {
            let inside = self.expression(depth + 1)?;
            if !self.take(")") {
                return Err(self.wrong("the bracket is never closed"));
            }
            inside
        } else {
            self.comparison()?
        };
        let joint = if self.take("and") {
            " "
        } else if self.take("or") {
            " or "
        } else {
            return Ok(left);
        };
        let right = self.expression(depth + 1)?;
        Ok(format!("({left}){joint}({right})"))
    }

    fn comparison(&mut self) -> Result<String, FilterError> {
        self.peek();
        let begin = self.at;
        while self
            .chars
            .get(self.at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        {
            self.at += 1;
        }
        let name: String = self.chars[begin..self.at].iter().collect();
        if name.is_empty() {
            return Err(self.wrong("the name of an attribute is missing"));
        }
        let sign = SIGNS.iter().find(|(sign, ..)| self.take(sign));
        let Some((_, is, turned)) = sign.copied() else {
            return Err(self.wrong("one of = == != =~ !~ < > <= >= between # !# is missing"));
        };
        let value = self.value()?;
        let term = term(&name, is, &value).map_err(|why| FilterError {
            column: begin + 1,
            why,
        })?;
        Ok(if turned {
            format!("not ({term})")
        } else {
            term
        })
    }

    /// A text in quotes, a number, or two with a colon between.
    fn value(&mut self) -> Result<String, FilterError> {
        if !self.take("\"") {
            self.peek();
            let begin = self.at;
            let part = |c: &char| c.is_ascii_digit() || matches!(c, '-' | ':');
            while self.chars.get(self.at).is_some_and(part) {
                self.at += 1;
            }
            let value: String = self.chars[begin..self.at].iter().collect();
            return if value.is_empty() {
                Err(self.wrong("a text in quotes, a number or a range is missing"))
            } else {
                Ok(value)
            };
        }
        let mut value = String::new();
        while let Some(c) = self.chars.get(self.at).copied() {
            self.at += 1;
            match c {
                '"' => return Ok(value),
                // Only a quote is freed of its backslash: the rest belongs to a pattern.
                '\\' if self.chars.get(self.at) == Some(&'"') => {
                    value.push('"');
                    self.at += 1;
                }
                '\\' if self.chars.get(self.at) == Some(&'\\') => {
                    value.push_str("\\\\");
                    self.at += 1;
                }
                c => value.push(c),
            }
        }
        Err(self.wrong("the quote is never closed"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_a_meaning_is_put_into_a_query() {
        for (expression, query) in [
            ("unread = \"yes\"", "unread"),
            ("unread != \"yes\"", "not unread"),
            ("unread = \"no\" and tags # \"news\"", "is:read tag:news"),
            ("tags !# \"big news\"", "not tag:\"big news\""),
            ("title =~ \"rust\"", "title:rust"),
            ("title=~\"Rust is\"", "title:\"rust is\""),
            ("title !~ \"^RT by\"", "not title:/^RT by/"),
            ("title =~ \"a/b|c\\\"d\"", "title:/a\\/b|c\"d/"),
            (
                "title =~ \"\\\\[sponsored\\\\]\"",
                "title:/\\\\[sponsored\\\\]/",
            ),
            ("title = \"One (1)\"", "title:/^One \\(1\\)$/"),
            ("author # \"Ada\"", "author:/(^|\\s)Ada(\\s|$)/"),
            ("content =~ \"borrow checker\"", "body:\"borrow checker\""),
            ("feedtitle =~ \"lwn\"", "feed:lwn"),
            (
                "rssurl = \"https://a.example/f?x=1\"",
                "feed:\"https://a.example/f?x=1\"",
            ),
            ("link =~ \"pdf$\"", "link:/pdf$/"),
            ("age < 7", "age:<1w"),
            ("age <= 7", "age:<8d"),
            ("age > 2", "age:>3d"),
            ("age >= 2", "age:>2d"),
            ("age = 0", "age:<1d"),
            ("age between 2:10", "age:>2d age:<11d"),
            ("flags # \"a\"", "tag:flag/a"),
            ("flags != \"\"", "starred"),
            ("flags = \"\"", "not starred"),
            ("flags =~ \".\"", "starred"),
            ("enclosure_url != \"\"", "has:enclosure"),
            (
                "unread = \"yes\" and age < 2 or flags # \"b\"",
                "unread (age:<2d or tag:flag/b)",
            ),
            (
                "(unread = \"yes\" and age < 2) or flags # \"b\"",
                "unread age:<2d or tag:flag/b",
            ),
            ("((title=\"x\"))and(age<1)", "title:/^x$/ age:<1d"),
        ] {
            assert_eq!(query_of(expression).as_deref(), Ok(query), "{expression}");
        }
    }

    #[test]
    fn what_has_none_is_refused_with_its_column() {
        for (expression, column, why) in [
            ("unread_count > 0", 1, "`unread_count` is of a feed"),
            (
                "age < 3 and guid = \"x\"",
                13,
                "tidings has no query for `guid`",
            ),
            ("age < \"old\"", 1, "`age` is compared with days"),
            ("age between 3", 1, "`between` needs two"),
            ("title < 3", 1, "`title` is no number"),
            ("title = \"\"", 1, "`title` is not asked"),
            ("colour = \"x\"", 1, "`colour` is no attribute"),
            ("flags = \"ab\"", 1, "flags become tags"),
            ("tags =~ \"a|b\"", 1, "a tag is asked for"),
            ("title", 6, "one of ="),
            ("title ~ \"x\"", 7, "one of ="),
            ("title = x", 9, "a text in quotes"),
            ("title = \"x", 11, "the quote is never closed"),
            ("(title = \"x\"", 13, "the bracket is never closed"),
            ("title = \"x\") ", 12, "`)` stands where"),
            ("", 1, "the name of an attribute is missing"),
            ("title =~ \"a(\"", 1, "this regular expression"),
        ] {
            let error = query_of(expression).expect_err(expression);
            assert_eq!(error.column, column, "{expression}: {error}");
            assert!(error.why.starts_with(why), "{expression}: {error}");
        }
    }

    #[test]
    fn brackets_without_end_are_refused() {
        let deep = "(".repeat(100_000);
        assert!(query_of(&deep).is_err());
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_query(
            text in "(title|age|tags|flags|unread|author|x)? ?(=~|=|!=|#|<|between)? ?(\"(\\PC|\\\\\"|/){0,12}\"|[0-9]{1,3}(:[0-9])?)? ?(and|or|\\)|\\()?",
            tail in "(title =~ \"\\PC{0,12}\")?",
        ) {
            if let Ok(query) = query_of(&format!("{text} {tail}")) {
                let read = query::parse(&query).expect("a query");
                prop_assert_eq!(read.to_string(), query);
            }
        }
    }
}
