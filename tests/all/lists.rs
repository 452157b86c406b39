//! How the list of entries is parted and folded, and that the keyboard never meets a line that is no entry.

use tidings::engine::protocol::Command;
use tidings::model::{Group, Mark, Order};
use tidings::tui::{Line, Model, Mouse, MouseKind, Msg, start, update};

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

/// A desk where entries of the Rust Blog, LWN.net and xkcd.com tell one story, and a reader that shows it once.
fn story(size: (u16, u16)) -> (Desk, Model) {
    let mut desk = Desk::with(60);
    let link = desk.entries[0].head.link.clone();
    for at in [7, 10] {
        desk.entries[at].head.link.clone_from(&link);
        desk.entries[at].head.unread = true;
    }
    let mut model = super::desk::reader(size, "dark");
    model.settings.fold_twins = true;
    let effects = start(&mut model);
    desk.settle(&mut model, effects);
    (desk, model)
}

fn unread(desk: &Desk) -> Vec<bool> {
    let of = |at: usize| desk.entries[at].head.unread;
    [0, 7, 10].map(of).to_vec()
}

#[test]
fn a_story_of_several_feeds_stands_once_and_is_read_everywhere() {
    let (mut desk, mut model) = story((120, 40));
    assert_eq!(model.entries.heads.len(), 58);
    let first = text(&model).lines().nth(1).expect("a row").to_owned();
    assert!(first.contains("+2"), "{first}");
    let all = model.feeds.rows.iter().map(|row| row.unread).sum::<u64>();
    desk.press(&mut model, "Enter");
    assert_eq!(unread(&desk), [false; 3]);
    let now = model.feeds.rows.iter().map(|row| row.unread).sum::<u64>();
    assert_eq!(all - now, 3);
    let marks = desk.commands.iter().filter_map(|command| match command {
        Command::Mark { ids, .. } => Some(ids.len()),
        _ => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), [3], "one act, for one undo");
    let article = text(&model);
    assert!(article.contains("also in LWN.net, xkcd.com"), "{article}");
    // Unread is only what is meant.
    desk.press(&mut model, "m");
    assert_eq!(unread(&desk), [true, false, false]);
}

#[test]
fn a_story_is_unread_while_one_of_its_feeds_is() {
    let (mut desk, mut model) = story((120, 40));
    let id = desk.entries[0].head.id;
    let ticket = model.ticket();
    let event = desk.answer(Command::Mark {
        ids: vec![id],
        mark: Mark::Read(true),
        ticket,
    });
    for event in event {
        let effects = update(&mut model, Msg::Engine(event));
        desk.settle(&mut model, effects);
    }
    assert_eq!(unread(&desk), [false, true, true]);
    let first = text(&model).lines().nth(1).expect("a row").to_owned();
    assert!(first.contains('●'), "{first}");
    desk.press(
        &mut model,
        "G N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N N",
    );
    assert!(
        model
            .entries
            .is_unread(model.entries.current().expect("a row"))
    );
    desk.press(&mut model, "g m");
    assert_eq!(unread(&desk), [false; 3]);
}

#[test]
fn the_feeds_that_tell_a_story_are_shown_and_opened() {
    let (mut desk, mut model) = story((120, 40));
    desk.press(&mut model, "j O");
    assert!(text(&model).contains("no other feed of this list"));
    desk.press(&mut model, "k O");
    for size in [(120, 40), (80, 24), (50, 15)] {
        update(&mut model, Msg::Resized(size.0, size.1));
        insta::assert_snapshot!(format!("twins-{}x{}", size.0, size.1), text(&model));
    }
    update(&mut model, Msg::Resized(120, 40));
    desk.press(&mut model, "j Enter");
    let article = model.article.as_ref().expect("opened");
    assert_eq!(article.head.id, desk.entries[7].head.id);
    assert_eq!((model.entries.at, unread(&desk)), (0, vec![false; 3]));
    // From the article as well, at the feed that is read.
    desk.press(&mut model, "O k Enter");
    let article = model.article.as_ref().expect("opened");
    assert_eq!(article.head.id, desk.entries[0].head.id);
    desk.press(&mut model, "O Esc");
    assert!(model.article.is_some());
}

#[test]
fn without_the_setting_every_feed_has_its_row() {
    let (mut desk, mut model) = story((120, 40));
    model.settings.fold_twins = false;
    desk.press(&mut model, "v v");
    assert_eq!(model.entries.heads.len(), 60);
    desk.press(&mut model, "O");
    assert!(text(&model).contains("fold_twins = true"));
}

#[cfg(unix)]
#[test]
fn the_title_of_the_terminal_says_how_much_is_unread_and_is_given_back() {
    use super::support::process::Home;
    use super::support::terminal::Terminal;
    use super::support::{Reply, Server};

    let (home, server) = (Home::new(), Server::start());
    let feed = "<rss version=\"2.0\"><channel><title>\x07A\x1b]2;evil</title>\
        <item><guid>1</guid><title>One]2;evil</title></item><item><guid>2</guid><title>Two</title></item></channel></rss>";
    let feed = feed.replace(['\x07', '\x1b'], "&#27;");
    server.script("/a", vec![Reply::ok(feed).header("ETag", "\"1\"")]);
    home.subscribe(&[server.url("/a")]);
    let path = home.path("config/config.toml");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, format!("title = true\n{before}")).expect("written");
    let mut terminal = Terminal::start(&home, &[], (80, 24));
    terminal.sees("Two");
    let titled = |terminal: &Terminal, title: &str| {
        let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
        raw.contains(&format!("\x1b]0;{title}\x07")) || raw.contains(&format!("\x1b]2;{title}\x07"))
    };
    let counted = |terminal: &Terminal, count: &str| {
        terminal.wait("the count", |screen| {
            let screen = screen.contents();
            let all = |row: &str| row.starts_with("│ All") && row.contains(count);
            screen.lines().any(all)
        });
    };
    counted(&terminal, " 2 │");
    terminal.keys("m");
    counted(&terminal, " 1 │");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    assert!(titled(&terminal, "tidings (2)"));
    assert!(titled(&terminal, "tidings (1)"));
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    let (kept, back) = (raw.find("\x1b[22;0t"), raw.rfind("\x1b[23;0t"));
    assert!(kept.is_some() && kept < back, "{raw:?}");
    assert!(!titled(&terminal, "evil"), "nothing of a feed is a title");
    assert_eq!(raw.matches("\x1b[22;0t").count(), 1);
}

#[test]
fn a_query_is_completed_with_tags_of_entries_as_with_those_of_feeds() {
    use tidings::engine::protocol::Event;

    let mut desk = Desk::with(60);
    let mut model = desk.reader((120, 40), "dark");
    desk.press(&mut model, "/");
    let asked = desk
        .commands
        .iter()
        .rev()
        .find_map(|command| match command {
            Command::ListTags { ticket } => Some(*ticket),
            _ => None,
        });
    let tags = vec!["later".to_owned(), "to read".to_owned()];
    let ticket = asked.expect("the tags are asked for");
    update(&mut model, Msg::Engine(Event::Tags { ticket, tags }));
    desk.press(&mut model, "t a g : l Tab");
    assert!(text(&model).contains("/tag:later"), "{}", text(&model));
    desk.press(&mut model, "^u t a g : c o Tab");
    assert!(text(&model).contains("/tag:comics"), "{}", text(&model));
}
