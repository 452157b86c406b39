//! Bounds that must not cross.

use super::super::reader::{Page, Section, place, span_text};
use crate::model::Settings;

/// Bounds that must not cross.
pub(super) fn check(page: &Page<'_>, root: &toml_edit::Table, settings: &Settings) {
    let poll = &settings.poll;
    let http = &settings.http;
    let pairs = [
        ("poll", "min", poll.min, "active_max", poll.active_max),
        ("poll", "active_max", poll.active_max, "max", poll.max),
        ("poll", "base", poll.base, "max", poll.max),
        (
            "poll",
            "error_first",
            poll.error_first,
            "error_max",
            poll.error_max,
        ),
        ("poll", "hold_min", poll.hold_min, "hold_max", poll.hold_max),
        (
            "poll",
            "hold_first",
            poll.hold_first,
            "hold_max",
            poll.hold_max,
        ),
        (
            "http",
            "connect_timeout",
            http.connect_timeout,
            "total_timeout",
            http.total_timeout,
        ),
    ];
    for (table, small, least, large, most) in pairs {
        if least > most {
            let at = [large, small]
                .iter()
                .find_map(|name| {
                    let table = root.get(table)?.as_table_like()?;
                    Some(place(table, name, table.get(name)?))
                })
                .unwrap_or(0);
            let message = format!(
                "[{table}] {small} ({}) is longer than {large} ({}); set both so that {small} is the shorter one",
                span_text(least),
                span_text(most)
            );
            page.fault(page.error(at, Section(table).key(small), message));
        }
    }
}
