//! Acts of marking taken back, and done again: both from disk, so that another process, or the next one, can do it too.

use redb::{ReadableTable, TableDefinition};

use super::error::StoreError;
use super::marks::{Changes, Marked, target};
use super::own_tags;
use super::records::{ActV2, decode};
use super::transaction::Writing;
use crate::model::Mark;

/// Acts that were taken back, by the number that the next act had then and by their own. A later act makes them stale
/// without touching this table: marks never open it.
const REDO: TableDefinition<'static, (u64, u64), &'static [u8]> = TableDefinition::new("redo");

/// Takes the last act back. An entry that was marked otherwise since then keeps its later mark.
pub(super) fn undo(writing: &mut Writing<'_>) -> Result<Marked, StoreError> {
    let last = match writing.tables.undo.last()? {
        Some((act, value)) => (act.value(), value.value().to_vec()),
        None => return Ok(Marked::default()),
    };
    let (act, bytes) = last;
    writing.touch();
    writing.tables.undo.remove(act)?;
    let next = writing.numbers.next_act;
    let mut undone = writing.extra(REDO)?;
    undone.retain(|(of, _), _| of == next)?;
    undone.insert((next, act), bytes.as_slice())?;
    drop(undone);
    say(writing, decode(&bytes)?, false)
}

/// Does again what was taken back last, unless something else was marked since then.
pub(super) fn redo(writing: &mut Writing<'_>) -> Result<Marked, StoreError> {
    let next = writing.numbers.next_act;
    let mut undone = writing.extra(REDO)?;
    // Acts are taken back from the last to the first: the first of them is the one to do again.
    let first = match undone.range((next, 0)..=(next, u64::MAX))?.next() {
        Some(row) => {
            let (key, value) = row?;
            (key.value().1, value.value().to_vec())
        }
        None => return Ok(Marked::default()),
    };
    let (act, bytes) = first;
    writing.touch();
    undone.remove((next, act))?;
    drop(undone);
    writing.tables.undo.insert(act, bytes.as_slice())?;
    say(writing, decode(&bytes)?, true)
}

/// Says of the entries of an act what it said, or the opposite.
fn say(writing: &mut Writing<'_>, act: ActV2, again: bool) -> Result<Marked, StoreError> {
    let mut changes = Changes::default();
    for (mark, steps) in act.said {
        let mut targets = Vec::with_capacity(steps.len());
        for no in numbers(steps) {
            targets.push(target(writing, no, 0)?);
        }
        changes.apply(writing, targets, if again { mark } else { opposite(mark) })?;
    }
    let mut marked = changes.finish(writing)?;
    for (tag, set, steps) in act.tagged {
        let touched = own_tags::set(writing, numbers(steps).collect(), &tag, set == again)?;
        marked.count += touched.len() as u64;
    }
    Ok(marked)
}

/// What `marks::steps` was made of.
fn numbers(steps: Vec<u64>) -> impl Iterator<Item = u64> {
    steps.into_iter().scan(0, |no, step| {
        *no += step;
        Some(*no)
    })
}

const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Read(read) => Mark::Read(!read),
        Mark::Starred(starred) => Mark::Starred(!starred),
    }
}
