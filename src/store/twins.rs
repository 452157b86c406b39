//! Lists in which a story that several feeds tell stands once: its first row leads, the others stand behind it.
//!
//! There is no index of stories. A window is read with some rows more on both sides, and what leads is decided among them:
//! so a window costs the same in a store of any size, and a feed that is told the same story more rows later tells it anew.

use std::collections::HashSet;

use super::error::StoreError;
use super::list::List;
use super::walk::Row;
use crate::model::{
    Anchor, EntriesPage, EntryHead, ListScope, ListSpec, Order, Part, Timestamp, Window,
};
use crate::parse::leaders;

/// Rows on each side of a window in which its stories are looked for.
pub(super) const AROUND: usize = if cfg!(test) { 6 } else { 1_024 };

/// Whether stories stand once in this list: it has several feeds, in an order in which twins are near each other, and
/// nothing is looked for in it.
pub(super) fn folds(spec: &ListSpec, seeks_words: bool) -> bool {
    let feeds = matches!(spec.scope, ListScope::All | ListScope::Feeds(_));
    spec.fold_twins && feeds && spec.order != Order::Feed && spec.query.is_empty() && !seeks_words
}

/// What a window with more rows on both sides says about the window itself.
pub(super) fn fold(raw: EntriesPage, window: &Window) -> EntriesPage {
    let leaders = leaders(&raw.heads);
    let first_of = |at: usize| leaders.get(at).copied().flatten().unwrap_or(at);
    let anchor = first_of(raw.anchor);
    let shown: Vec<usize> = (0..raw.heads.len())
        .filter(|at| leaders[*at].is_none())
        .collect();
    let place = shown.partition_point(|at| *at < anchor);
    let from = place.saturating_sub(window.before);
    let to = (place + window.after.max(1)).min(shown.len());
    let (mut page, kept) = (
        EntriesPage {
            anchor: place - from,
            more_before: raw.more_before || from > 0,
            more_after: raw.more_after || to < shown.len(),
            total: None,
            ..EntriesPage::default()
        },
        &shown[from..to],
    );
    let mut behind: Vec<Vec<EntryHead>> = kept.iter().map(|_| Vec::new()).collect();
    for (at, head) in raw.heads.into_iter().enumerate() {
        match leaders[at] {
            None if kept.binary_search(&at).is_ok() => page.heads.push(head),
            None => {}
            Some(leader) => {
                if let Ok(row) = kept.binary_search(&leader) {
                    behind[row].push(head);
                }
            }
        }
    }
    let stories = page.heads.iter().zip(behind);
    let stories = stories.filter(|(_, twins)| !twins.is_empty());
    page.twins = stories.map(|(head, twins)| (head.id, twins)).collect();
    page
}

/// A window with more rows on both sides.
pub(super) fn widened(window: &Window) -> Window {
    Window {
        anchor: window.anchor,
        before: window.before + AROUND,
        after: window.after.max(1) + AROUND,
    }
}

impl List<'_> {
    /// Rows of one side of a place, as a person sees them: twins stand where their story stands.
    pub(super) fn side_of(&self, part: Part, rows: &mut Vec<Row>) -> Result<(), StoreError> {
        let (Part::Above(sort, no) | Part::Below(sort, no)) = part else {
            return Ok(());
        };
        let (heads, leaders, at) = self.around(sort, no)?;
        // Twins whose story stands above the place, or at it, while they themselves would stand below.
        let twins = (at + 1..heads.len()).filter_map(|twin| Some((twin, leaders[twin]?)));
        if let Part::Above(..) = part {
            let above = twins.filter(|(_, leader)| *leader < at);
            rows.extend(above.map(|(twin, _)| Row {
                sort: heads[twin].sort.0,
                no: heads[twin].no,
                feed: heads[twin].id.feed.0,
            }));
        } else {
            let elsewhere = twins.filter(|(_, leader)| *leader <= at);
            let elsewhere: HashSet<u64> = elsewhere.map(|(twin, _)| heads[twin].no).collect();
            rows.retain(|row| !elsewhere.contains(&row.no));
        }
        Ok(())
    }

    /// The row that leads the story of this one, where that is another.
    pub(super) fn leader_of(&self, head: &EntryHead) -> Result<Option<EntryHead>, StoreError> {
        let (mut heads, leaders, at) = self.around(head.sort, head.no)?;
        let leader = leaders.get(at).copied().flatten();
        let same = heads.get(at).is_some_and(|here| here.no == head.no);
        Ok(leader.filter(|_| same).map(|at| heads.swap_remove(at)))
    }

    /// The rows around a place, their leaders, and which of them stands there.
    #[expect(clippy::type_complexity, reason = "read where it is made")]
    fn around(
        &self,
        sort: Timestamp,
        no: u64,
    ) -> Result<(Vec<EntryHead>, Vec<Option<usize>>, usize), StoreError> {
        let window = Window {
            anchor: Anchor::At { sort, no },
            before: AROUND,
            after: AROUND,
        };
        let raw = self.rows_of(&window)?;
        let leaders = leaders(&raw.heads);
        Ok((raw.heads, leaders, raw.anchor))
    }
}
