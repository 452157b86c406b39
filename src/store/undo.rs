//! Acts of marking, and changes of feeds.toml, taken back, and done again: both from disk, so that another process, or the next one, can do it too.

use redb::{ReadableTable, TableDefinition};

use super::error::StoreError;
use super::marks::{Changes, ListAct, Marked, target};
use super::own_tags;
use super::pack::{squeeze, unpack};
use super::records::{ActV2, ListActV1, decode, encode_into};
use super::tables::UNDO_ACTS;
use super::transaction::Writing;
use crate::model::Mark;

/// Acts that were taken back, by the number that the next act had then and by their own. A later act makes them stale
/// without touching this table: marks never open it.
const REDO: TableDefinition<'static, (u64, u64), &'static [u8]> = TableDefinition::new("redo");

/// Changes of feeds.toml, by the number of the act.
const LIST_ACTS: TableDefinition<'static, u64, &'static [u8]> = TableDefinition::new("list_acts");

/// Keeps a change of feeds.toml among the acts that can be taken back.
pub(super) fn note_list(writing: &mut Writing<'_>, act: &ListAct) -> Result<bool, StoreError> {
    let no = writing.numbers.next_act;
    writing.numbers.next_act += 1;
    writing.touch();
    let record = ListActV1 {
        before: squeeze(act.before.as_bytes())?,
        after: squeeze(act.after.as_bytes())?,
    };
    encode_into(&record, &mut writing.buffer)?;
    let mut lists = writing.extra(LIST_ACTS)?;
    lists.insert(no, writing.buffer.as_slice())?;
    lists.retain(|of, _| of + UNDO_ACTS > no)?;
    Ok(true)
}

/// The change of feeds.toml that came after the last mark, which is forgotten with this.
fn last_list(writing: &mut Writing<'_>) -> Result<Option<ListAct>, StoreError> {
    let marked = writing.tables.undo.last()?.map(|(act, _)| act.value());
    let mut lists = writing.extra(LIST_ACTS)?;
    let last = match lists.last()? {
        Some((act, value)) if Some(act.value()) > marked => {
            (act.value(), decode::<ListActV1>(value.value())?)
        }
        _ => return Ok(None),
    };
    let (act, record) = last;
    lists.remove(act)?;
    drop(lists);
    writing.touch();
    let text = |packed: &[u8]| {
        String::from_utf8(unpack(packed)?).map_err(|_| StoreError::damaged("list_acts: no text"))
    };
    Ok(Some(ListAct {
        before: text(&record.before)?,
        after: text(&record.after)?,
    }))
}

/// Takes the last act back. An entry that was marked otherwise since then keeps its later mark.
pub(super) fn undo(writing: &mut Writing<'_>) -> Result<Marked, StoreError> {
    if let Some(list) = last_list(writing)? {
        return Ok(Marked {
            list: Some(Box::new(list)),
            ..Marked::default()
        });
    }
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
