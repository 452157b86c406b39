//! JSON read for what is in it, whatever type it has: a string may be a number, an object may be missing, a list may be
//! one thing. Nothing is ever a type error; only broken JSON is an error.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The text without what JSON forbids and writers write: line breaks in strings, escapes that are none, commas before the
/// end of a list, numbers that are none.
pub(super) fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut quoted = false;
    let mut comma = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !quoted {
            match c {
                ']' | '}' => {
                    if let Some(at) = comma.take() {
                        out.replace_range(at..=at, " ");
                    }
                }
                ',' => comma = Some(out.len()),
                c if c.is_whitespace() => {}
                _ => comma = None,
            }
            quoted = c == '"';
            out.push(c);
            if c == 'N' && out.ends_with("NaN") {
                out.truncate(out.len() - 3);
                out.push_str("null");
            }
            continue;
        }
        match c {
            '"' => {
                quoted = false;
                out.push(c);
            }
            // What no escape stands for stands for itself.
            '\\' => {
                if let Some(next) = chars.next_if(|next| "\"\\/bfnrtu".contains(*next)) {
                    out.extend(['\\', next]);
                }
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A string, or a number written as one, without blanks around it; empty for all else.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Line<'a>(pub Cow<'a, str>);

impl Line<'_> {
    /// The text on its own, `None` when empty.
    pub fn owned(self) -> Option<String> {
        let text = match self.0 {
            Cow::Borrowed(text) => text.trim().to_owned(),
            Cow::Owned(text) if text.trim().len() == text.len() => text,
            Cow::Owned(text) => text.trim().to_owned(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// As a whole number, in quotes or not.
    pub fn number(&self) -> Option<u64> {
        let text = self.0.trim();
        text.split_once('.')
            .map_or(text, |(whole, _)| whole)
            .parse()
            .ok()
    }
}

/// An object that takes its members one by one; of a member that repeats the last counts.
pub(super) trait Object<'de>: Default {
    /// Takes the value of `key` off `map`; must take exactly one value.
    fn member<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;

    /// What a plain string in the object's place means.
    fn text(&mut self, _text: &str) {}
}

/// An object, or nothing of it where something else stands.
#[derive(Debug, Default)]
pub(super) struct Loose<T>(pub T);

/// A list; one thing alone is a list of it.
#[derive(Debug, PartialEq)]
pub(super) struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Line(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Line(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Line(Cow::Owned(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Line(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Line(Cow::Owned(number.to_string())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Line::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Line::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Line::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Line::default())
    }
}

impl<'de> Deserialize<'de> for Line<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LineVisitor)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Loose<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut object = T::default();
        while let Some(key) = map.next_key::<Line<'de>>()? {
            object.member(&key.0, &mut map)?;
        }
        Ok(Loose(object))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let mut object = T::default();
        object.text(text);
        Ok(Loose(object))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose(T::default()))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose(T::default()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose(T::default()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose(T::default()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose(T::default()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose(T::default()))
    }
}

impl<'de, T: Object<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ObjectVisitor(PhantomData))
    }
}

/// More things of a list are not kept.
const LIST_MAX: usize = 64;

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Object<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Loose(object)) = seq.next_element()? {
            if list.len() < LIST_MAX {
                list.push(object);
            }
        }
        Ok(List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let Loose(object) = ObjectVisitor(PhantomData).visit_map(map)?;
        Ok(List(vec![object]))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let mut object = T::default();
        object.text(text);
        Ok(List(vec![object]))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(List::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(List::default())
    }
}

impl<'de, T: Object<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ListVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Named(String);

    impl<'de> Object<'de> for Named {
        fn member<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
            let value: Line<'_> = map.next_value()?;
            if key == "name" {
                self.0 = value.0.into_owned();
            }
            Ok(())
        }

        fn text(&mut self, text: &str) {
            text.clone_into(&mut self.0);
        }
    }

    #[test]
    fn a_line_is_read_from_anything() {
        for (json, want) in [
            ("\" a \"", Some("a")),
            ("\"\\u0061\"", Some("a")),
            ("7", Some("7")),
            ("-1.5", Some("-1.5")),
            ("null", None),
            ("true", None),
            ("[1, {\"a\": []}]", None),
            ("{\"a\": [1]}", None),
        ] {
            let line: Line<'_> = serde_json::from_str(json).expect("no type is wrong");
            assert_eq!(line.owned().as_deref(), want, "{json}");
        }
    }

    #[test]
    fn a_list_is_read_from_anything() {
        for (json, want) in [
            (
                "[{\"name\": \"a\"}, \"b\", 3, null, [], {\"x\": {}}]",
                vec!["a", "b", "", "", "", ""],
            ),
            ("{\"name\": 1, \"name\": \"c\"}", vec!["c"]),
            ("\"d\"", vec!["d"]),
            ("null", vec![]),
            ("5", vec![]),
        ] {
            let List(names): List<Named> = serde_json::from_str(json).expect("no type is wrong");
            let names: Vec<_> = names.into_iter().map(|name| name.0).collect();
            assert_eq!(names, want, "{json}");
        }
    }
}
