//! How often each rule found something; a table apart, for few polls bring anything that a rule finds.

use std::collections::{BTreeMap, HashMap};

use redb::{ReadableTable, TableDefinition, TableError};

use super::Store;
use super::error::StoreError;
use super::transaction::Writing;
use crate::model::Timestamp;

/// By rule: how many entries it found, and when last.
const RULES: TableDefinition<'static, &'static str, (u64, i64)> = TableDefinition::new("rules");

impl Store {
    /// Of every rule that ever found something, how many entries, and when last.
    pub fn rule_hits(&self) -> Result<HashMap<String, (u64, Timestamp)>, StoreError> {
        self.read(|txn| {
            let table = match txn.open_table(RULES) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(HashMap::new()),
                table => table?,
            };
            let mut hits = HashMap::new();
            for row in table.iter()? {
                let (rule, value) = row?;
                let (count, last) = value.value();
                hits.insert(rule.value().to_owned(), (count, Timestamp(last)));
            }
            Ok(hits)
        })
    }
}

/// Adds what the new entries of one delivery hit.
pub(super) fn note(
    writing: &Writing<'_>,
    hits: &[String],
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut sums = BTreeMap::new();
    for rule in hits {
        let sum: &mut (u64, i64) = sums.entry(rule.clone()).or_default();
        *sum = (sum.0 + 1, at.0);
    }
    add(writing, &sums)
}

/// Adds what the polls of a transaction hit.
pub(super) fn add(
    writing: &Writing<'_>,
    hits: &BTreeMap<String, (u64, i64)>,
) -> Result<(), StoreError> {
    if hits.is_empty() {
        return Ok(());
    }
    let mut table = writing.extra(RULES)?;
    for (rule, (more, at)) in hits {
        let (count, last) = table
            .get(rule.as_str())?
            .map_or((0, i64::MIN), |row| row.value());
        table.insert(rule.as_str(), (count + more, last.max(*at)))?;
    }
    Ok(())
}
