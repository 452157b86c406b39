//! The tables of a database, and the names of their columns, from the sentences that made them.

use super::Database;
use super::error::SqliteError;
use super::record::{Record, Value};

/// A sentence is never longer in what is read here; a table with a longer one is passed over.
const LONGEST: usize = 1 << 20;

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The names of its columns, in their order.
    pub columns: Vec<String>,
    /// The page where its tree begins.
    pub(super) root: u32,
    /// The column that is the rowid by another name; records hold nothing for it.
    alias: Option<usize>,
}

impl Table {
    /// The place of a column by its name, in any case of letters.
    pub fn column(&self, name: &str) -> Option<usize> {
        let mut names = self.columns.iter();
        names.position(|column| column.eq_ignore_ascii_case(name))
    }

    /// Puts the rowid where it has another name.
    pub(super) fn values(
        &self,
        columns: &[usize],
        rowid: i64,
        mut values: Vec<Value>,
    ) -> Vec<Value> {
        for (column, value) in columns.iter().zip(&mut values) {
            if Some(*column) == self.alias {
                *value = Value::Int(rowid);
            }
        }
        values
    }
}

/// Reads the table of tables, which begins on the first page.
pub(super) fn read(database: &Database) -> Result<Vec<Table>, SqliteError> {
    let mut tables = Vec::new();
    database.walk(1, &mut |cell| {
        // type, name, the table it belongs to, root page, sentence
        let row = Record::read(&database.pages, database.encoding, &cell, &[0, 1, 3, 4])?;
        let [kind, name, root, sentence] =
            <[Value; 4]>::try_from(row).unwrap_or([const { Value::Null }; 4]);
        let sentence = sentence.text();
        let is_table = kind == Value::Text("table".to_owned());
        if is_table
            && sentence.len() <= LONGEST
            && let Ok(root) = u32::try_from(root.int())
        {
            let (columns, alias) = columns(&sentence);
            tables.push(Table {
                name: name.text(),
                columns,
                root,
                alias,
            });
        }
        Ok::<(), SqliteError>(())
    })?;
    Ok(tables)
}

/// The names of the columns of `CREATE TABLE …(…)`, and which of them is the rowid.
fn columns(sentence: &str) -> (Vec<String>, Option<usize>) {
    let words = words(sentence);
    let open = words.iter().position(|word| word.is("("));
    let mut names = Vec::new();
    let mut alias = None;
    let mut depth = 0;
    let mut definition: Vec<&Word> = Vec::new();
    for word in &words[open.map_or(words.len(), |open| open + 1)..] {
        let ends = depth == 0 && (word.is(",") || word.is(")"));
        if !ends {
            depth += i32::from(word.is("(")) - i32::from(word.is(")"));
            definition.push(word);
            continue;
        }
        if let Some((name, rest)) = definition.split_first()
            && !is_constraint(name)
        {
            if rest.first().is_some_and(|kind| kind.is("integer"))
                && rest
                    .windows(2)
                    .any(|two| two[0].is("primary") && two[1].is("key"))
            {
                alias = Some(names.len());
            }
            names.push(name.text.clone());
        }
        definition.clear();
        if word.is(")") {
            break;
        }
    }
    (names, alias)
}

/// A definition that begins so is no column.
fn is_constraint(word: &Word) -> bool {
    ["constraint", "primary", "unique", "check", "foreign"]
        .iter()
        .any(|keyword| word.is(keyword))
}

/// A word, a name in quotes, or a mark.
struct Word {
    text: String,
    quoted: bool,
}

impl Word {
    fn is(&self, keyword: &str) -> bool {
        !self.quoted && self.text.eq_ignore_ascii_case(keyword)
    }
}

/// The words of a sentence, without its comments.
fn words(sentence: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = sentence.chars().peekable();
    while let Some(c) = chars.next() {
        let closing = match c {
            '"' | '\'' | '`' => Some(c),
            '[' => Some(']'),
            _ => None,
        };
        if let Some(closing) = closing {
            let mut text = String::new();
            while let Some(c) = chars.next() {
                if c == closing && (closing == ']' || chars.next_if_eq(&closing).is_none()) {
                    break;
                }
                text.push(c);
            }
            words.push(Word { text, quoted: true });
        } else if c == '-' && chars.next_if_eq(&'-').is_some() {
            while chars.next_if(|c| *c != '\n').is_some() {}
        } else if c == '/' && chars.next_if_eq(&'*').is_some() {
            while let Some(c) = chars.next() {
                if c == '*' && chars.next_if_eq(&'/').is_some() {
                    break;
                }
            }
        } else if is_part(c) {
            let mut text = String::from(c);
            while let Some(c) = chars.next_if(|c| is_part(*c)) {
                text.push(c);
            }
            words.push(Word {
                text,
                quoted: false,
            });
        } else if !c.is_whitespace() {
            words.push(Word {
                text: c.to_string(),
                quoted: false,
            });
        }
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        let of = |sentence: &str| {
            let (names, alias) = columns(sentence);
            (names.join("|"), alias)
        };
        assert_eq!(
            of(
                "CREATE TABLE t ( id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL, d DECIMAL(1,2) DEFAULT (1+2), base VARCHAR(128) NOT NULL DEFAULT \"a,b)\")"
            ),
            ("id|guid|d|base".to_owned(), Some(0))
        );
        assert_eq!(
            of(
                "CREATE TABLE \"a(\" (\"x \"\"y\"\"\" TEXT, [z w], `q`, -- note, (\n 'k' INT PRIMARY KEY /* , no */, CONSTRAINT c UNIQUE(q), PRIMARY KEY (q))"
            ),
            ("x \"y\"|z w|q|k".to_owned(), None)
        );
        assert_eq!(of("CREATE TABLE t AS SELECT 1"), (String::new(), None));
        assert_eq!(of("CREATE TABLE t (a, b"), ("a".to_owned(), None));
    }
}
