//! The feed pane: All, Starred, the tags as a tree, and the feeds below them.

use std::collections::{BTreeSet, HashMap};

use crate::engine::protocol::Ticket;
use crate::model::{FeedId, FeedRow, ListScope, SmartFeed};

use super::list::scrolled;
use super::say;
use super::smart::Smart;

/// What a line of the tree stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    /// Every entry, but for those of muted feeds.
    #[default]
    All,
    /// Starred entries.
    Starred,
    /// A list of the user's own, by its name.
    Smart(String),
    /// The feeds of a tag and of the tags below it; its whole path.
    Tag(String),
    /// One feed.
    Feed(FeedId),
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it stands for.
    pub choice: Choice,
    /// The tag it stands under; a feed of two tags has two lines.
    pub under: String,
    /// How far it is indented.
    pub depth: u16,
    /// Indices in `rows` of the feeds it covers; a feed counts once.
    pub feeds: Vec<usize>,
}

/// The feeds, and which line the cursor is on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FeedPane {
    /// One row a feed, in the order of feeds.toml.
    pub rows: Vec<FeedRow>,
    /// Lists of the user's own.
    pub smart: Vec<Smart>,
    /// The visible lines.
    pub lines: Vec<Line>,
    /// Index in `lines` of the cursor.
    pub at: usize,
    /// First line on the screen.
    pub top: usize,
    /// Paths of folded tags.
    pub folded: BTreeSet<String>,
    /// The rows came at least once.
    pub loaded: bool,
    /// The newest question for rows.
    pub asked: Ticket,
    /// Feeds that are being asked right now.
    pub polling: BTreeSet<FeedId>,
    index: HashMap<FeedId, usize>,
}

impl FeedPane {
    /// A pane with these lists above the feeds that are to come.
    pub fn with_smart(smart: &[SmartFeed]) -> Self {
        let smart = smart.iter().map(|feed| Smart {
            feed: feed.clone(),
            unread: 0,
        });
        Self {
            smart: smart.collect(),
            ..Self::default()
        }
    }

    /// Takes over the lists of settings that were read again; what stays the same keeps its count.
    pub fn replace_smart(&mut self, smart: &[SmartFeed]) {
        let known = std::mem::take(&mut self.smart);
        let counted = |feed: &SmartFeed| {
            let same = known.iter().find(|smart| smart.feed == *feed);
            Smart {
                feed: feed.clone(),
                unread: same.map_or(0, |smart| smart.unread),
            }
        };
        self.smart = smart.iter().map(counted).collect();
        self.rebuild();
    }

    /// Takes over a list that was saved: in place of one of the same name, or as the last.
    pub fn keep_smart(&mut self, feed: SmartFeed) {
        match self
            .smart
            .iter_mut()
            .find(|smart| smart.feed.name == feed.name)
        {
            Some(known) => known.feed = feed,
            None => self.smart.push(Smart { feed, unread: 0 }),
        }
        self.rebuild();
    }

    /// The query of the line under the cursor; empty where it has none.
    pub fn within(&self) -> String {
        let Choice::Smart(name) = self.choice() else {
            return String::new();
        };
        let smart = self.smart.iter().find(|smart| smart.feed.name == name);
        smart
            .map(|smart| smart.feed.query.clone())
            .unwrap_or_default()
    }

    /// Takes over a new list of feeds. The cursor stays on what it stood on.
    pub fn replace(&mut self, rows: Vec<FeedRow>) {
        self.index = rows
            .iter()
            .enumerate()
            .map(|(at, row)| (row.feed.id, at))
            .collect();
        self.rows = rows;
        self.loaded = true;
        self.polling.retain(|id| self.index.contains_key(id));
        self.rebuild();
    }

    /// Takes over one row. A feed that is not in the list is not added: the list comes as a whole.
    pub fn update(&mut self, row: FeedRow) {
        if let Some(at) = self.index.get(&row.feed.id) {
            self.rows[*at] = row;
        }
    }

    /// The row of a feed.
    pub fn row(&self, id: FeedId) -> Option<&FeedRow> {
        self.rows.get(*self.index.get(&id)?)
    }

    /// The row of a feed, to change its counts.
    pub fn row_mut(&mut self, id: FeedId) -> Option<&mut FeedRow> {
        self.rows.get_mut(*self.index.get(&id)?)
    }

    /// The line under the cursor.
    pub fn current(&self) -> Option<&Line> {
        self.lines.get(self.at)
    }

    /// What the line under the cursor stands for.
    pub fn choice(&self) -> Choice {
        self.current()
            .map_or(Choice::All, |line| line.choice.clone())
    }

    /// The entries that the line under the cursor stands for.
    pub fn scope(&self) -> ListScope {
        match self.current() {
            None => ListScope::All,
            Some(line) => match &line.choice {
                Choice::All | Choice::Smart(_) => ListScope::All,
                Choice::Starred => ListScope::Starred,
                Choice::Feed(id) => ListScope::Feed(*id),
                Choice::Tag(_) => ListScope::Feeds(self.ids(line)),
            },
        }
    }

    /// Muted feeds, in the order of their numbers.
    pub fn muted(&self) -> Vec<FeedId> {
        let muted = self.rows.iter().filter(|row| row.mute);
        let mut muted: Vec<FeedId> = muted.map(|row| row.feed.id).collect();
        muted.sort_unstable();
        muted
    }

    /// The feeds that a line covers.
    pub fn ids(&self, line: &Line) -> Vec<FeedId> {
        let rows = line.feeds.iter().filter_map(|at| self.rows.get(*at));
        rows.map(|row| row.feed.id).collect()
    }

    /// The number at the end of a line: starred entries for Starred, unread ones for the others.
    pub fn count(&self, line: &Line) -> u64 {
        let rows = line.feeds.iter().filter_map(|at| self.rows.get(*at));
        match &line.choice {
            Choice::Smart(name) => {
                let smart = self.smart.iter().find(|smart| smart.feed.name == *name);
                smart.map_or(0, |smart| smart.unread)
            }
            Choice::Starred => rows.map(|row| row.starred).sum(),
            _ => rows.map(|row| row.unread).sum(),
        }
    }

    /// What a line is called.
    pub fn label(&self, line: &Line) -> String {
        match &line.choice {
            Choice::All => "All".to_owned(),
            Choice::Starred => "Starred".to_owned(),
            Choice::Smart(name) => name.clone(),
            Choice::Tag(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
            Choice::Feed(id) => self.row(*id).map(say::name).unwrap_or_default(),
        }
    }

    /// Moves the cursor by `lines`.
    pub fn step(&mut self, lines: isize) {
        let last = self.lines.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(lines).min(last);
    }

    /// Moves the cursor to the line of `choice`, unfolding what hides it. False where there is none.
    pub fn go_to(&mut self, choice: &Choice) -> bool {
        if !self.lines.iter().any(|line| line.choice == *choice)
            && let Choice::Feed(id) = choice
            && let Some(tags) = self.row(*id).map(|row| row.feed.tags.clone())
        {
            for tag in tags.iter().take(1) {
                self.folded.retain(|path| !is_within(tag, path));
            }
            self.rebuild();
        }
        let found = self.lines.iter().position(|line| line.choice == *choice);
        if let Some(at) = found {
            self.at = at;
        }
        found.is_some()
    }

    /// Folds or unfolds the tag under the cursor, or the one that the cursor's feed stands under.
    pub fn fold(&mut self) {
        let Some(line) = self.current() else { return };
        let path = match &line.choice {
            Choice::Tag(path) => path.clone(),
            _ => line.under.clone(),
        };
        if path.is_empty() {
            return;
        }
        if !self.folded.remove(&path) {
            self.folded.insert(path.clone());
        }
        self.rebuild();
        self.go_to(&Choice::Tag(path));
    }

    /// Folds the tag under the cursor; where there is nothing to fold, goes to the tag above.
    pub fn fold_or_ascend(&mut self) {
        let Some(line) = self.current() else { return };
        match line.choice.clone() {
            Choice::Tag(path) if !self.folded.contains(&path) => self.fold(),
            _ if !line.under.is_empty() => {
                let under = Choice::Tag(line.under.clone());
                self.go_to(&under);
            }
            _ => {}
        }
    }

    /// Folds all tags, or unfolds them where all are folded.
    pub fn fold_all(&mut self) {
        let tags: BTreeSet<String> = self
            .rows
            .iter()
            .flat_map(|row| row.feed.tags.iter())
            .flat_map(|tag| prefixes(tag))
            .map(str::to_owned)
            .collect();
        let under = self.current().map(|line| line.under.clone());
        self.folded = if self.folded == tags {
            BTreeSet::new()
        } else {
            tags
        };
        let was = self.choice();
        self.rebuild();
        if let (false, Some(under)) = (self.go_to_visible(&was), under) {
            let top = under.split('/').next().unwrap_or_default().to_owned();
            self.go_to_visible(&Choice::Tag(top));
        }
    }

    fn go_to_visible(&mut self, choice: &Choice) -> bool {
        let found = self.lines.iter().position(|line| line.choice == *choice);
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    /// Keeps the cursor on a line and the line on the screen.
    pub fn settle(&mut self, height: usize) {
        self.at = self.at.min(self.lines.len().saturating_sub(1));
        self.top = scrolled(self.top, self.at, self.lines.len(), height);
    }

    fn rebuild(&mut self) {
        let was = self
            .current()
            .map(|line| (line.choice.clone(), line.under.clone()));
        self.lines = lines(&self.rows, &self.smart, &self.folded);
        let Some((choice, under)) = was else { return };
        let exact = |line: &Line| line.choice == choice && line.under == under;
        let alike = |line: &Line| line.choice == choice;
        let at = self.lines.iter().position(exact);
        let at = at.or_else(|| self.lines.iter().position(alike));
        self.at = at.unwrap_or_else(|| self.at.min(self.lines.len().saturating_sub(1)));
    }
}

/// `path` is `above` or lies below it.
fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `a/b/c` as `a`, `a/b`, `a/b/c`.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.chain(Some(path.len())).map(move |end| &path[..end])
}

#[derive(Default)]
struct Node {
    path: String,
    children: Vec<Node>,
    feeds: Vec<usize>,
}

impl Node {
    fn child(&mut self, path: &str) -> &mut Node {
        let found = self.children.iter().position(|node| node.path == path);
        let at = found.unwrap_or_else(|| {
            self.children.push(Node {
                path: path.to_owned(),
                ..Node::default()
            });
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    fn all_feeds(&self, into: &mut BTreeSet<usize>) {
        into.extend(&self.feeds);
        for child in &self.children {
            child.all_feeds(into);
        }
    }

    fn write(&self, depth: u16, rows: &[FeedRow], folded: &BTreeSet<String>, out: &mut Vec<Line>) {
        for child in &self.children {
            let mut feeds = BTreeSet::new();
            child.all_feeds(&mut feeds);
            out.push(Line {
                choice: Choice::Tag(child.path.clone()),
                under: self.path.clone(),
                depth,
                feeds: feeds.into_iter().collect(),
            });
            if !folded.contains(&child.path) {
                child.write(depth.saturating_add(1), rows, folded, out);
            }
        }
        out.extend(self.feeds.iter().map(|at| Line {
            choice: Choice::Feed(rows[*at].feed.id),
            under: self.path.clone(),
            depth,
            feeds: vec![*at],
        }));
    }
}

/// The visible lines. Tags stand in the order in which feeds.toml first names them, feeds after the tags.
fn lines(rows: &[FeedRow], smart: &[Smart], folded: &BTreeSet<String>) -> Vec<Line> {
    let mut root = Node::default();
    for (at, row) in rows.iter().enumerate() {
        if row.feed.tags.is_empty() {
            root.feeds.push(at);
        }
        for tag in &row.feed.tags {
            let node = prefixes(tag).fold(&mut root, |node, path| node.child(path));
            if !node.feeds.contains(&at) {
                node.feeds.push(at);
            }
        }
    }
    let heard = (0..rows.len()).filter(|at| !rows[*at].mute).collect();
    let whole = |choice, feeds| Line {
        choice,
        under: String::new(),
        depth: 0,
        feeds,
    };
    let mut out = vec![
        whole(Choice::All, heard),
        whole(Choice::Starred, (0..rows.len()).collect()),
    ];
    out.extend(smart.iter().map(|smart| Line {
        choice: Choice::Smart(smart.feed.name.clone()),
        under: String::new(),
        depth: 0,
        feeds: Vec::new(),
    }));
    root.write(0, rows, folded, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use crate::model::Feed;

    use super::*;

    fn row(id: u32, tags: &[&str], unread: u64) -> FeedRow {
        FeedRow {
            feed: Feed {
                id: FeedId(id),
                title: format!("feed {id}"),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                ..Feed::default()
            },
            unread,
            ..FeedRow::default()
        }
    }

    fn pane() -> FeedPane {
        let mut pane = FeedPane::default();
        pane.replace(vec![
            row(1, &["tech/rust"], 3),
            row(2, &["tech", "fun"], 5),
            row(3, &[], 7),
            row(4, &["fun"], 0),
        ]);
        pane
    }

    fn drawn(pane: &FeedPane) -> Vec<String> {
        let line = |line: &Line| {
            let indent = " ".repeat(usize::from(line.depth));
            format!("{indent}{} {}", pane.label(line), pane.count(line))
        };
        pane.lines.iter().map(line).collect()
    }

    #[test]
    fn tags_are_a_tree_and_count_a_feed_once() {
        assert_eq!(
            drawn(&pane()),
            [
                "All 15",
                "Starred 0",
                "tech 8",
                " rust 3",
                "  feed 1 3",
                " feed 2 5",
                "fun 5",
                " feed 2 5",
                " feed 4 0",
                "feed 3 7",
            ]
        );
    }

    #[test]
    fn a_muted_feed_stands_under_its_tag_and_not_in_all() {
        let mut pane = pane();
        let mut rows = pane.rows.clone();
        rows[1].mute = true;
        pane.replace(rows);
        let drawn = drawn(&pane);
        assert_eq!(drawn[..3], ["All 10", "Starred 0", "tech 8"]);
        assert_eq!(
            (pane.scope(), pane.muted()),
            (ListScope::All, vec![FeedId(2)])
        );
        pane.go_to(&Choice::Feed(FeedId(2)));
        assert_eq!(pane.scope(), ListScope::Feed(FeedId(2)));
    }

    #[test]
    fn folding_hides_what_is_below_and_keeps_the_cursor() {
        let mut pane = pane();
        assert!(pane.go_to(&Choice::Feed(FeedId(1))));
        pane.fold();
        assert_eq!(pane.choice(), Choice::Tag("tech/rust".to_owned()));
        pane.fold_all();
        assert_eq!(pane.choice(), Choice::Tag("tech".to_owned()));
        assert_eq!(
            drawn(&pane),
            ["All 15", "Starred 0", "tech 8", "fun 5", "feed 3 7"]
        );
        assert!(
            pane.go_to(&Choice::Feed(FeedId(1))),
            "what hides it is unfolded"
        );
    }

    #[test]
    fn left_folds_and_then_climbs() {
        let mut pane = pane();
        pane.go_to(&Choice::Feed(FeedId(1)));
        pane.fold_or_ascend();
        assert_eq!(pane.choice(), Choice::Tag("tech/rust".to_owned()));
        pane.fold_or_ascend();
        assert!(pane.folded.contains("tech/rust"));
        pane.fold_or_ascend();
        assert_eq!(pane.choice(), Choice::Tag("tech".to_owned()));
    }

    #[test]
    fn the_cursor_stays_on_its_feed_when_the_list_changes() {
        let mut pane = pane();
        pane.go_to(&Choice::Feed(FeedId(3)));
        let mut rows = pane.rows.clone();
        rows.insert(0, row(9, &["new"], 1));
        pane.replace(rows);
        assert_eq!(pane.choice(), Choice::Feed(FeedId(3)));
        pane.replace(vec![row(9, &[], 1)]);
        assert_eq!(pane.choice(), Choice::Feed(FeedId(9)), "a neighbour");
    }

    #[test]
    fn lists_of_the_users_own_stand_above_the_feeds() {
        let smart = |name: &str, query: &str| SmartFeed {
            name: name.to_owned(),
            query: query.to_owned(),
        };
        let mut pane = FeedPane::with_smart(&[smart("Rust", "rust")]);
        pane.replace(vec![row(1, &[], 3)]);
        pane.keep_smart(smart("Long", "tag:essays"));
        pane.smart[0].unread = 2;
        assert_eq!(
            drawn(&pane),
            ["All 3", "Starred 0", "Rust 2", "Long 0", "feed 1 3"]
        );
        assert!(pane.go_to(&Choice::Smart("Long".to_owned())));
        assert_eq!(
            (pane.scope(), pane.within()),
            (ListScope::All, "tag:essays".to_owned())
        );
        pane.keep_smart(smart("Long", "tag:novels"));
        assert_eq!(pane.within(), "tag:novels");
        assert_eq!(pane.lines.len(), 5);
    }

    #[test]
    fn a_tag_stands_for_all_feeds_below_it() {
        let mut pane = pane();
        pane.go_to(&Choice::Tag("tech".to_owned()));
        assert_eq!(pane.scope(), ListScope::Feeds(vec![FeedId(1), FeedId(2)]));
    }
}
