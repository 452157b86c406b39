use super::{Fixture, NOW, check_lists, done, id, open};
use crate::model::{FeedId, ListSpec, Mark, Order, Part, Timestamp};

fn one_feed() -> (Fixture, FeedId) {
    let fixture = Fixture::new();
    let feed = fixture.subscribe(&["https://a.example/"])[0];
    fixture.entries(feed, &[(1, 10), (2, 20), (3, 30), (4, 40)]);
    (fixture, feed)
}

/// Read and starred of every entry, the oldest first.
fn marks(fixture: &Fixture) -> Vec<(bool, bool)> {
    let spec = ListSpec {
        order: Order::Oldest,
        ..ListSpec::default()
    };
    let window = crate::model::Window {
        after: 100,
        ..crate::model::Window::default()
    };
    let page = fixture.store.list(&spec, &window, NOW).expect("a list");
    let heads = page.heads.iter();
    heads.map(|head| (!head.unread, head.starred)).collect()
}

#[test]
fn what_was_taken_back_is_done_again_in_its_order() {
    let (fixture, feed) = one_feed();
    let writer = &fixture.writer;
    done(writer.mark(vec![id(feed, 1)], Mark::Read(true)));
    done(writer.mark(vec![id(feed, 2)], Mark::Starred(true)));
    done(writer.mark_all(ListSpec::default(), Mark::Read(true), NOW));
    let all = marks(&fixture);
    for _ in 0..3 {
        done(writer.undo());
    }
    assert_eq!(marks(&fixture), vec![(false, false); 4]);
    assert_eq!(
        done(writer.redo()).changed,
        [(id(feed, 1), true, false)],
        "the first act comes first"
    );
    assert_eq!(done(writer.redo()).count, 1);
    assert_eq!(done(writer.redo()).count, 3);
    assert_eq!(done(writer.redo()).count, 0, "nothing is left");
    assert_eq!(marks(&fixture), all);
    assert_eq!(done(writer.undo()).count, 3, "and it can be taken back");
    check_lists(&fixture.store);
}

#[test]
fn what_was_taken_back_before_another_mark_is_not_done_again() {
    let (fixture, feed) = one_feed();
    let writer = &fixture.writer;
    done(writer.mark(vec![id(feed, 1)], Mark::Read(true)));
    done(writer.undo());
    done(writer.mark(vec![id(feed, 2)], Mark::Starred(true)));
    assert_eq!(done(writer.redo()).count, 0);
    done(writer.undo());
    assert_eq!(
        done(writer.redo()).changed,
        [(id(feed, 2), false, true)],
        "the later act, not the earlier one"
    );
    assert_eq!(done(writer.redo()).count, 0);
    check_lists(&fixture.store);
}

#[test]
fn what_was_taken_back_is_done_again_by_the_next_process() {
    let (fixture, feed) = one_feed();
    done(fixture.writer.mark(vec![id(feed, 1)], Mark::Read(true)));
    done(fixture.writer.undo());
    done(fixture.writer.close());
    let opened = open(&fixture.dir);
    assert_eq!(
        done(opened.writer.redo()).changed,
        [(id(feed, 1), true, false)]
    );
}

#[test]
fn a_part_of_a_list_is_what_stands_above_or_below_in_its_order() {
    let (above, below) = (
        |sort, no| Part::Above(Timestamp(sort), no),
        |sort, no| Part::Below(Timestamp(sort), no),
    );
    let (fixture, _) = one_feed();
    let page = |order| {
        let spec = ListSpec {
            order,
            ..ListSpec::default()
        };
        let window = crate::model::Window {
            after: 100,
            ..crate::model::Window::default()
        };
        let page = fixture.store.list(&spec, &window, NOW).expect("a list");
        (spec, page.heads)
    };
    for order in [Order::Newest, Order::Oldest, Order::Title, Order::Feed] {
        let (spec, heads) = page(order);
        let place = (heads[1].sort.0, heads[1].no);
        for (part, wanted) in [
            (above(place.0, place.1), vec![heads[0].id]),
            (below(place.0, place.1), vec![heads[2].id, heads[3].id]),
        ] {
            let writer = &fixture.writer;
            let marked = done(writer.mark_part(spec.clone(), part, Mark::Read(true), NOW));
            let mut changed: Vec<_> = marked.changed.iter().map(|(id, ..)| *id).collect();
            changed.sort();
            let mut wanted = wanted;
            wanted.sort();
            assert_eq!(changed, wanted, "{order:?} {part:?}");
            done(writer.undo());
        }
    }
    check_lists(&fixture.store);
}
