//! A change to tables of feeds.toml where they stand: comments, order and line ends stay.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::error::ConfigError;
use super::page::Page;
use super::subscriptions::subscriptions;

/// Changes each table of these names. The text is read before and after: what cannot be read is not written.
pub(super) fn touch(
    text: &str,
    names: &[&str],
    mut each: impl FnMut(&mut dyn TableLike),
) -> Result<String, ConfigError> {
    subscriptions(text, Path::new(""))?;
    let page = Page::new(text, Path::new(""));
    let mut document: DocumentMut = page.parse()?.into_mut();
    for name in names {
        match document.get_mut(name) {
            Some(Item::ArrayOfTables(tables)) => tables.iter_mut().for_each(|table| each(table)),
            Some(Item::Value(Value::Array(list))) => list
                .iter_mut()
                .filter_map(Value::as_inline_table_mut)
                .for_each(|table| each(table)),
            _ => {}
        }
    }
    let mut result = document.to_string();
    if text.contains("\r\n") {
        result = result.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    subscriptions(&result, Path::new(""))?;
    Ok(result)
}
