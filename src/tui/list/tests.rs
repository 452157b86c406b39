//! Windows that move, rows that stay, answers that are old.

use crate::model::{EntryKey, FeedId, Timestamp};

use super::*;

pub(super) fn head(no: u64) -> EntryHead {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&no.to_le_bytes());
    EntryHead {
        id: EntryId {
            feed: FeedId(1),
            key: EntryKey(key),
        },
        no,
        guid: no.to_string(),
        title: format!("entry {no}"),
        link: None,
        author: String::new(),
        published: None,
        updated: None,
        first_seen: Timestamp(0),
        sort: Timestamp(no as i64),
        edited: false,
        enclosures: Vec::new(),
        unread: true,
        starred: false,
        hidden: false,
        withdrawn: false,
        tags: Vec::new(),
    }
}

/// Newest first: the numbers go down.
fn page(numbers: impl IntoIterator<Item = u64>, anchor: usize) -> EntriesPage {
    EntriesPage {
        heads: numbers.into_iter().map(head).collect(),
        anchor,
        ..EntriesPage::default()
    }
}

fn loaded(numbers: impl IntoIterator<Item = u64>) -> EntryList {
    let mut list = EntryList::default();
    list.ask(Goal::Top, Ticket(1));
    assert_eq!(list.arrive(Ticket(1), page(numbers, 0)), Arrival::Placed);
    list
}

fn numbers(list: &EntryList) -> Vec<u64> {
    list.heads.iter().map(|head| head.no).collect()
}

#[test]
fn an_old_answer_is_dropped() {
    let mut list = EntryList::default();
    list.ask(Goal::Top, Ticket(1));
    list.ask(Goal::Top, Ticket(2));
    assert_eq!(list.arrive(Ticket(1), page([9], 0)), Arrival::Old);
    assert!(list.heads.is_empty());
    assert_eq!(list.arrive(Ticket(2), page([8], 0)), Arrival::Placed);
    assert_eq!(numbers(&list), [8]);
}

#[test]
fn rows_of_a_list_that_was_left_are_shown_but_not_used() {
    let mut list = loaded([3, 2, 1]);
    list.turn_to(ListSpec {
        unread_only: true,
        ..ListSpec::default()
    });
    list.ask(Goal::Top, Ticket(2));
    assert_eq!(numbers(&list), [3, 2, 1]);
    assert_eq!(list.current(), None);
    list.arrive(Ticket(2), page([7], 0));
    assert_eq!(list.current().map(|h| h.no), Some(7));
}

#[test]
fn the_cursor_stays_on_its_entry_and_its_line() {
    let mut list = loaded((1..=50).rev());
    list.settle(10, None);
    list.step(20);
    list.settle(10, None);
    let (line, on) = (list.at - list.top, list.current().map(|h| h.no));
    list.ask(Goal::Keep, Ticket(2));
    list.arrive(Ticket(2), page((1..=60).rev(), 0));
    list.settle(10, None);
    assert_eq!(list.current().map(|h| h.no), on);
    assert_eq!(list.at - list.top, line);
}

#[test]
fn an_untouched_list_follows_what_is_new() {
    let mut list = loaded([3, 2, 1]);
    list.ask(Goal::Keep, Ticket(2));
    list.arrive(Ticket(2), page([5, 4, 3, 2, 1], 0));
    assert_eq!(list.current().map(|h| h.no), Some(5));
}

#[test]
fn a_row_that_was_read_stays_until_the_list_is_left() {
    let mut list = loaded([5, 4, 3, 2, 1]);
    list.spec.unread_only = true;
    list.step(2);
    let id = list.current().expect("a row").id;
    list.mark(&[(id, true, false)]);
    list.ask(Goal::Keep, Ticket(2));
    list.arrive(Ticket(2), page([6, 5, 4, 2, 1], 3));
    assert_eq!(numbers(&list), [6, 5, 4, 3, 2, 1]);
    assert_eq!(list.current().map(|h| (h.no, h.unread)), Some((3, false)));
}

#[test]
fn a_stayed_row_outside_the_window_does_not_show() {
    let mut list = loaded([5, 4, 3, 2, 1]);
    list.mark(&[(head(5).id, true, false)]);
    list.go(4);
    list.ask(Goal::Keep, Ticket(2));
    let mut window = page([3, 2, 1], 2);
    window.more_before = true;
    list.arrive(Ticket(2), window);
    assert_eq!(numbers(&list), [3, 2, 1]);
}

#[test]
fn the_cursor_goes_to_a_neighbour_when_its_entry_is_gone() {
    let mut list = loaded([5, 4, 3, 2, 1]);
    list.go(2);
    list.ask(Goal::Keep, Ticket(2));
    list.arrive(Ticket(2), page([5, 4, 2, 1], 2));
    assert_eq!(list.current().map(|h| h.no), Some(2));
}

#[test]
fn the_next_window_is_asked_for_before_the_edge_is_reached() {
    let mut list = EntryList::default();
    list.ask(Goal::Top, Ticket(1));
    let mut first = page((0..512).rev(), 0);
    first.more_after = true;
    list.arrive(Ticket(1), first);
    list.settle(40, None);
    assert!(!list.wants());
    list.step(420);
    list.settle(40, None);
    assert!(list.wants());
    let command = list.ask(Goal::Keep, Ticket(2));
    let Command::ListEntries { window, .. } = command else {
        panic!("{command:?}")
    };
    assert_eq!((window.before, window.after), (REACH, REACH));
    assert!(!list.wants(), "one question at a time");
}

#[test]
fn unread_beyond_what_is_loaded_is_the_stores_to_find() {
    let mut list = loaded([3, 2, 1]);
    let all: Vec<_> = list.heads.iter().map(|h| (h.id, true, false)).collect();
    list.mark(&all);
    assert_eq!(list.next_unread(true), Ok(None));
    list.more.after = true;
    assert_eq!(list.next_unread(true), Err(Outside));
}

#[test]
fn the_screen_moves_as_little_as_possible() {
    for (top, at, len, height, expected) in [
        (0, 0, 100, 10, 0),
        (0, 7, 100, 10, 0),
        (0, 8, 100, 10, 1),
        (50, 40, 100, 10, 38),
        (0, 99, 100, 10, 90),
        (5, 0, 3, 10, 0),
        (0, 5, 10, 1, 5),
        (0, 5, 10, 0, 5),
    ] {
        assert_eq!(
            scrolled(top, at, len, height),
            expected,
            "{top} {at} {len} {height}"
        );
    }
}
