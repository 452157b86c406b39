//! Acts of marking taken back, and done again: both from disk, so that another process, or the next one, can do it too.

use redb::{ReadableTable, TableDefinition};

use super::error::StoreError;
use super::marks::{Changes, Marked, target};
use super::records::{ActV1, decode};
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
    say(writing, decode(&bytes)?, opposite)
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
    say(writing, decode(&bytes)?, |mark| mark)
}

/// Says of the entries of an act what `of` makes of what it said.
fn say(
    writing: &mut Writing<'_>,
    ActV1 { said }: ActV1,
    of: impl Fn(Mark) -> Mark,
) -> Result<Marked, StoreError> {
    let mut changes = Changes::default();
    for (mark, steps) in said {
        let mut no = 0;
        let mut targets = Vec::with_capacity(steps.len());
        for step in steps {
            no += step;
            targets.push(target(writing, no, 0)?);
        }
        changes.apply(writing, targets, of(mark))?;
    }
    changes.finish(writing)
}

const fn opposite(mark: Mark) -> Mark {
    match mark {
        Mark::Read(read) => Mark::Read(!read),
        Mark::Starred(starred) => Mark::Starred(!starred),
    }
}
