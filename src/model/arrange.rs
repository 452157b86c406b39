//! One sort for short lists: each type that the standard library sorts costs six kilobytes of the binary.

use std::cmp::Ordering;

/// Sorts a list that is short, or seldom sorted; what is equal keeps its order. Where thousands are sorted while somebody
/// waits, the standard library's own sort is the right one.
pub fn arrange<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut old: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| old[at].take()));
}

/// The places of so many things in their order.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_arranged_and_equals_keep_their_order() {
        let mut list = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        arrange(&mut list, |a, b| a.0.cmp(&b.0));
        assert_eq!(list, [(0, 'e'), (1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        let mut none: Vec<String> = Vec::new();
        arrange(&mut none, Ord::cmp);
        assert!(none.is_empty());
    }
}
