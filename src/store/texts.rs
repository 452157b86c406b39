//! The texts of entries, for looking something up in them: unpacked block by block, without their markup.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use redb::{ReadOnlyTable, ReadTransaction};

use super::error::StoreError;
use super::pack::unpack;
use super::records::{BodyV2, Place, decode};
use super::tables::BODIES;
use crate::model::Markup;
use crate::query::{self, Needle};

/// Unpacked blocks that are kept: entries of one block are often asked for one after the other, but not always.
const KEPT: usize = 4;

/// The texts of one snapshot.
pub(super) struct Texts {
    bodies: ReadOnlyTable<u64, &'static [u8]>,
    blocks: RefCell<VecDeque<(u64, Rc<Vec<u8>>)>>,
    /// The last one: a query has several needles.
    last: RefCell<Option<(Place, Rc<str>)>>,
}

impl Texts {
    pub(super) fn new(txn: &ReadTransaction) -> Result<Self, StoreError> {
        Ok(Self {
            bodies: txn.open_table(BODIES)?,
            blocks: RefCell::default(),
            last: RefCell::default(),
        })
    }

    /// `needle` stands in the text that lies at `place`.
    pub(super) fn holds(&self, place: Place, needle: &Needle) -> Result<bool, StoreError> {
        let last = self.last.borrow().clone();
        if let Some((_, text)) = last.filter(|(of, _)| *of == place) {
            return Ok(needle.is_in(&text));
        }
        let block = self.block(place.block)?;
        let text: Rc<str> = plain_at(&block, place)?.into();
        *self.last.borrow_mut() = Some((place, Rc::clone(&text)));
        Ok(needle.is_in(&text))
    }

    fn block(&self, no: u64) -> Result<Rc<Vec<u8>>, StoreError> {
        let mut blocks = self.blocks.borrow_mut();
        if let Some((_, block)) = blocks.iter().find(|(of, _)| *of == no) {
            return Ok(Rc::clone(block));
        }
        let packed = self.bodies.get(no)?;
        let packed = packed.ok_or_else(|| missing(no))?;
        let block = Rc::new(unpack(packed.value())?);
        if blocks.len() >= KEPT {
            blocks.pop_front();
        }
        blocks.push_back((no, Rc::clone(&block)));
        Ok(block)
    }
}

fn missing(block: u64) -> StoreError {
    StoreError::damaged(format!("bodies: no block {block}"))
}

/// The words of the body at `place` of an unpacked block.
pub(super) fn plain_at(block: &[u8], place: Place) -> Result<String, StoreError> {
    let (at, len) = (place.at as usize, place.len as usize);
    let body = at
        .checked_add(len)
        .and_then(|end| block.get(at..end))
        .ok_or_else(|| missing(place.block))?;
    let body: BodyV2<'_> = decode(body)?;
    Ok(match body.markup {
        Markup::Html => query::plain(body.text).into_owned(),
        Markup::Text => body.text.to_owned(),
    })
}
