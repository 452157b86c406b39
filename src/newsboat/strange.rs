//! Settings of newsboat's that have no counterpart, and why.

/// Beginnings of names, and a clause for each. The first that fits counts.
const REASONS: &[(&[&str], &str)] = &[
    (
        &["reload-time", "auto-reload", "suppress-first-reload"],
        "tidings learns how often each feed brings something and asks accordingly, from 30 minutes to 6 hours; `every` of a feed in feeds.toml sets it by hand",
    ),
    (
        &["refresh-on-startup"],
        "the reader polls what is due as soon as it is open; R asks all feeds",
    ),
    (
        &[
            "reload-threads",
            "download-retries",
            "max-download-speed",
            "curl-",
        ],
        "tidings asks many hosts at a time, each after its own pause, and tries again by its schedule; see [http] and [poll]",
    ),
    (
        &["download-full-page"],
        "full_text = true of a feed in feeds.toml fetches the page when an entry is opened",
    ),
    (
        &["always-download"],
        "validators = \"none\" of a feed in feeds.toml asks without them",
    ),
    (
        &["ssl-verify"],
        "certificates are always checked; ca_file in [http] trusts one more",
    ),
    (
        &["user-agent"],
        "tidings says who it is; user_agent of a feed in feeds.toml says something else to one server",
    ),
    (
        &["cookie-cache", "http-auth-method", "proxy-auth"],
        "logins stand in the environment or a file: auth_env and auth_file of a feed in feeds.toml",
    ),
    (
        &["notify-"],
        "notify = true of a feed, notify_tags and a [[rule]] tell of new entries, by the desktop or `notifier`",
    ),
    (
        &[
            "podcast-",
            "download-path",
            "download-filename-format",
            "max-downloads",
            "enqueue-",
        ],
        "there is no queue of downloads; `player` may be a program that downloads",
    ),
    (
        &["html-renderer", "external-url-viewer"],
        "articles are set by tidings itself, f follows their links and | hands them to a program",
    ),
    (
        &["article-sort-order", "feed-sort-order"],
        "S and :sort change the order; feeds stand in the order of feeds.toml",
    ),
    (
        &["show-read-articles", "show-read-feeds", "goto-first-unread"],
        "v shows unread entries only, and n goes to the next",
    ),
    (
        &[
            "mark-as-read-on-hover",
            "toggleitemread-",
            "openbrowser-and-mark-",
        ],
        "an entry is read when it is opened; a [[macro]] may do several things at once",
    ),
    (
        &[
            "delete-read-articles-on-quit",
            "cleanup-on-quit",
            "delete-played-files",
        ],
        "nothing is deleted on quitting; [keep] says how much is kept",
    ),
    (
        &["reset-unread-on-update"],
        "an edited entry is marked as edited and stays read; `edited` in a query finds it",
    ),
    (
        &["save-path"],
        "| hands the article to a program, which may save it",
    ),
    (
        &["highlight", "search-highlight-colors"],
        "nothing is coloured by its words; a [[rule]] may star or tag it, and what was searched for is marked",
    ),
    (
        &["bookmark-autopilot", "bookmark-interactive"],
        "b shares an entry with what config.toml names as [[share]] and [[command]]",
    ),
    (
        &[
            "ttrss-",
            "oldreader-",
            "inoreader-",
            "newsblur-",
            "feedhq-",
            "ocnews-",
            "miniflux-",
            "freshrss-",
            "feedbin-",
        ],
        "tidings asks the feeds themselves and has no account at a service; export OPML there and import it here",
    ),
    (
        &["opml-url"],
        "save that list and import it: `tidings import FILE`",
    ),
    (
        &[
            "cache-file",
            "error-log",
            "history-limit",
            "prepopulate-query-feeds",
        ],
        "it belongs to newsboat's own files",
    ),
    (
        &[
            "articlelist-",
            "feedlist-",
            "itemview-",
            "dialogs-",
            "filebrowser-",
            "dirbrowser-",
            "help-",
            "searchresult-",
            "selectfilter-",
            "selecttag-",
            "urlview-",
            "datetime-format",
            "display-article-progress",
            "show-keymap-hint",
            "show-title-bar",
            "swap-title-and-hints",
            "scrolloff",
            "text-width",
            "wrap-scroll",
            "max-browser-tabs",
            "confirm-",
            "always-display-description",
            "ignore-",
            "goto-next-feed",
            "keep-articles-days",
            "max-items",
            "reload-only-visible-feeds",
            "use-proxy",
            "proxy",
            "pager",
            "player",
            "browser",
            "run-on-startup",
            "selecttag",
            "restrict-filename",
            "switch-focus",
            "bind",
            "unbind",
            "macro",
            "color",
            "cleanup",
        ],
        "tidings has no such setting",
    ),
];

/// Why a setting of that name has no place here.
pub(super) fn why(name: &str) -> &'static str {
    REASONS
        .iter()
        .find(|(begins, _)| begins.iter().any(|begin| name.starts_with(begin)))
        .map_or("no setting of newsboat's that tidings knows", |(_, why)| {
            why
        })
}

/// Settings that are off unless they say `yes`: one that says `no` asks for nothing.
const OFF: [&str; 16] = [
    "always-display-description",
    "auto-reload",
    "bookmark-autopilot",
    "bookmark-interactive",
    "confirm-exit",
    "delete-read-articles-on-quit",
    "download-full-page",
    "mark-as-read-on-hover",
    "notify-always",
    "notify-beep",
    "notify-screen",
    "notify-xterm",
    "podcast-auto-enqueue",
    "prepopulate-query-feeds",
    "refresh-on-startup",
    "suppress-first-reload",
];

/// The line says what newsboat does without it.
pub(super) fn is_default(name: &str, value: &str) -> bool {
    OFF.contains(&name) && matches!(value, "no" | "false")
}
