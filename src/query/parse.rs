//! Tokens into an `Expr`: `or` binds least, then `and`, which may be left out, then `not`.

use super::expr::Expr;
use super::lex::{Token, Word, is_keyword, tokens};
use super::{QueryError, term};

/// Brackets and `not` may be nested so deep.
const DEEPEST: usize = 100;

/// Reads a query. The empty text is the empty query.
pub fn parse(text: &str) -> Result<Expr, QueryError> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        tokens: &tokens,
        end: text.chars().count() + 1,
        depth: 0,
    };
    if reader.tokens.is_empty() {
        return Ok(Expr::default());
    }
    let expr = reader.any()?;
    match reader.tokens.first() {
        None => Ok(expr),
        Some(token) => Err(wrong(
            column(token),
            "this ) closes nothing; to look for it, put it in quotes",
        )),
    }
}

struct Reader<'t> {
    tokens: &'t [Token],
    /// The column behind the text.
    end: usize,
    depth: usize,
}

const fn column(token: &Token) -> usize {
    match token {
        Token::Open(column) | Token::Close(column) => *column,
        Token::Word(word) => word.column,
    }
}

fn wrong(column: usize, message: &str) -> QueryError {
    QueryError {
        column,
        message: message.to_owned(),
    }
}

/// The keyword that a word is, in lower case.
fn keyword(word: &Word) -> Option<&'static str> {
    let plain = word.prefix.is_none() && !word.quoted && !word.pattern && is_keyword(&word.text);
    let known = ["and", "or", "not"].into_iter();
    plain.then_some(())?;
    known
        .into_iter()
        .find(|known| word.text.eq_ignore_ascii_case(known))
}

impl<'t> Reader<'t> {
    fn next_keyword(&self) -> Option<&'static str> {
        match self.tokens.first() {
            Some(Token::Word(word)) => keyword(word),
            _ => None,
        }
    }

    fn take(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// Parts joined by `or`.
    fn any(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.all()?];
        while self.next_keyword() == Some("or") {
            self.take();
            parts.push(self.all()?);
        }
        Ok(Expr::any(parts))
    }

    /// Parts side by side, or joined by `and`.
    fn all(&mut self) -> Result<Expr, QueryError> {
        let mut parts = vec![self.one()?];
        loop {
            match self.tokens.first() {
                None | Some(Token::Close(_)) => break,
                Some(_) if self.next_keyword() == Some("or") => break,
                Some(_) => {}
            }
            if self.next_keyword() == Some("and") {
                self.take();
            }
            parts.push(self.one()?);
        }
        Ok(Expr::all(parts))
    }

    /// A term, what is in brackets, or either with `not` before it.
    fn one(&mut self) -> Result<Expr, QueryError> {
        let next = self.take();
        let at = next.map_or(self.end, column);
        if self.depth >= DEEPEST {
            return Err(wrong(at, "brackets are nested too deep here"));
        }
        self.depth += 1;
        let found = match next {
            None => Err(wrong(at, "a term is missing here, e.g. title:rust")),
            Some(Token::Close(_)) => Err(wrong(at, "a term is missing before this )")),
            Some(Token::Open(_)) => self.bracket(at),
            Some(Token::Word(word)) => match keyword(word) {
                Some("not") => self.one().map(Expr::not),
                Some(joint) => Err(QueryError {
                    column: at,
                    message: format!(
                        "`{joint}` joins two terms, and there is none before it; to look for the word, put it in quotes"
                    ),
                }),
                None => term::read(word).map(Expr::Term),
            },
        };
        self.depth -= 1;
        found
    }

    fn bracket(&mut self, at: usize) -> Result<Expr, QueryError> {
        if matches!(self.tokens.first(), Some(Token::Close(_))) {
            return Err(wrong(at, "there is nothing in these brackets"));
        }
        let inside = self.any()?;
        match self.take() {
            Some(Token::Close(_)) => Ok(inside),
            _ => Err(wrong(at, "this ( is never closed")),
        }
    }
}
