//! How the list of entries is parted and folded, and that the keyboard never meets a line that is no entry.

use tidings::model::{Group, Order};
use tidings::tui::{Line, Model, Mouse, MouseKind, Msg, update};

use super::desk::Desk;
use super::screens::text;

fn title(model: &Model) -> &str {
    model.entries.current().map_or("", |head| &head.title)
}

fn shown(model: &Model) -> Vec<Line> {
    let pane = model.panes().entries.expect("the list is on the screen");
    let lines = model.entries.lines(model.days(pane));
    lines.shown(model.entries.top, usize::from(pane.height) - 2)
}

fn is_shown(model: &Model) -> bool {
    shown(model).contains(&Line::Row(model.entries.at))
}

/// The row of the screen that shows the cursor's entry, and what stands above it.
fn lines_above(model: &Model, row: usize) -> (String, String) {
    let screen = text(model);
    let lines: Vec<&str> = screen.lines().collect();
    (lines[row - 1].to_owned(), lines[row].to_owned())
}

#[test]
fn days_have_headings_and_the_cursor_passes_over_them() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    assert!(!text(&model).contains("Today"), "off, until it is wanted");
    desk.press(&mut model, "V");
    let (heading, first) = lines_above(&model, 2);
    assert!(heading.contains("Today"), "{heading}");
    assert!(first.contains(title(&model)), "{first}");
    let screen = text(&model);
    for day in ["Yesterday", "Saturday 28 November", "Friday 27 November"] {
        assert_eq!(screen.matches(day).count(), 1, "{day}");
    }
    // Every row down is another entry, whatever lies between.
    let mut seen = vec![title(&model).to_owned()];
    for _ in 0..59 {
        desk.press(&mut model, "j");
        assert!(is_shown(&model));
        seen.push(title(&model).to_owned());
    }
    assert_eq!(model.entries.at, 59);
    desk.press(&mut model, "1 0 g");
    assert_eq!((model.entries.at, title(&model)), (9, &*seen[9]));
    desk.press(&mut model, ": g r o u p Space n o n e Enter");
    assert_eq!(model.group, Group::None);
    assert!(!text(&model).contains("Today"));
}

#[test]
fn a_click_means_the_row_that_is_under_it() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "V");
    let click = |y| {
        Msg::Mouse(Mouse {
            x: 60,
            y,
            kind: MouseKind::Click,
        })
    };
    // The heading of today is no entry.
    let effects = update(&mut model, click(1));
    desk.settle(&mut model, effects);
    assert!(model.article.is_none());
    let screen = text(&model);
    let yesterday = screen.lines().position(|line| line.contains("Yesterday"));
    let below = yesterday.expect("a heading") + 1;
    let row = screen.lines().nth(below).expect("a row").to_owned();
    let effects = update(&mut model, click(below as u16));
    desk.settle(&mut model, effects);
    assert!(row.contains(title(&model)), "{row}");
    assert!(model.article.is_some());
}

#[test]
fn days_part_only_what_is_sorted_by_date_and_only_where_there_is_room() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "V S g");
    assert_eq!(model.order, Order::Oldest);
    assert!(
        text(&model).contains("Friday 13 November"),
        "oldest first has days too"
    );
    desk.press(&mut model, "S");
    assert_eq!(model.order, Order::Title);
    assert!(!text(&model).contains("Yesterday"));
    desk.press(&mut model, ": s o r t Space d a t e Enter g Enter");
    update(&mut model, Msg::Resized(120, 20));
    assert!(!text(&model).contains("Today"), "{}", text(&model));
    update(&mut model, Msg::Resized(120, 40));
    assert!(text(&model).contains("Today"));
}

#[test]
fn pages_leave_no_entry_out() {
    let mut desk = Desk::with(60);
    let mut model = desk.reader((80, 24), "dark");
    desk.press(&mut model, "V");
    let titles: Vec<u64> = model.entries.heads.iter().map(|head| head.no).collect();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..12 {
        for line in shown(&model) {
            if let Line::Row(at) = line {
                seen.insert(model.entries.heads[at].no);
            }
        }
        desk.press(&mut model, "PageDown");
    }
    assert_eq!(seen.len(), titles.len());
    desk.press(&mut model, "PageUp PageUp ^u ^d");
    assert!(is_shown(&model));
}
