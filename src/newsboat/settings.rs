//! Lines of newsboat's `config`, one by one, as settings of this house.

use super::binds::{self, Made};
use super::given::Keys;
use super::lines::Line;
use super::programs::program;
use super::{Left, Wish, colours, filter, strange, terms};
use crate::config::{Wanted, Worth};
use crate::model::{External, Rule, RuleAct, SmartFeed};
use crate::parse::urls;

/// What of a `config` found a place, and what did not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// For config.toml, in the order of the lines.
    pub wishes: Vec<Wish>,
    /// Names and looks of a theme.
    pub theme: Vec<(&'static str, String)>,
    /// Lines without a place.
    pub left: Vec<Left>,
    /// Lines with a place and a difference.
    pub noted: Vec<Left>,
    /// Where the cache is, if not in its usual place.
    pub cache_file: Option<String>,
    /// What is ignored lies in the cache all the same, and is only not shown.
    pub hides: bool,
}

/// Finds a place for every line that has one.
pub fn map(lines: &[Line]) -> Mapping {
    let mut mapping = Mapping::default();
    let mut keys = Keys::new();
    let on = |name: &str| {
        let mut last = lines.iter().rev();
        let last = last.find(|line| line.words[0] == name);
        last.is_some_and(|line| matches!(line.word(1), "yes" | "true"))
    };
    let last = |name: &str| {
        let line = lines.iter().rev().find(|line| line.words[0] == name);
        line.map_or("", |line| line.word(1))
    };
    let around = Around {
        reloads: on("auto-reload"),
        proxied: on("use-proxy"),
        proxy_type: last("proxy-type").to_owned(),
    };
    for line in lines {
        if let Err(why) = one(line, &around, &mut mapping, &mut keys) {
            mapping.left.push(line.left(why));
        }
    }
    keys.wish(&mut mapping.wishes);
    mapping
}

/// What other lines say that one line hangs on.
struct Around {
    reloads: bool,
    proxied: bool,
    proxy_type: String,
}

/// One line; an error is why it has no place.
fn one(line: &Line, around: &Around, mapping: &mut Mapping, keys: &mut Keys) -> Result<(), String> {
    if line.words.iter().any(|word| word.contains('`')) {
        return Err("a command in backticks is not run; write what it prints".to_owned());
    }
    let placed = programs(line, mapping)?
        || amounts(line, around, mapping)?
        || surroundings(line, around, mapping)?
        || own(line, mapping, keys)?;
    let (name, value) = (line.words[0].as_str(), line.word(1));
    match name {
        _ if placed || strange::is_default(name, value) => Ok(()),
        "unbind-key" => {
            Err("keys that tidings has stay; an empty list in [keys] takes one away".to_owned())
        }
        "urls-source" => Err(format!(
            "the list of feeds is at {value}, and only that of the file urls was read; export OPML there and import it"
        )),
        "include" => Err("it could not be read".to_owned()),
        _ => Err(strange::why(name).to_owned()),
    }
}

/// Programs of the user's. True: the line has its place; so below.
fn programs(line: &Line, mapping: &mut Mapping) -> Result<bool, String> {
    let value = line.word(1);
    let named = |hole: &str| program(value, hole).ok_or("no program is named");
    match line.words[0].as_str() {
        "browser" => browser(line, mapping)?,
        "player" => {
            let player = Worth::List(named("%u")?.open("%u"));
            set(line, mapping, "", "player", player);
        }
        "pager" if value == "internal" => {}
        "pager" => {
            let pager = named("%f")?;
            if pager.words.last().is_none_or(|last| last != "{}") {
                return Err("the file must come last in `editor`".to_owned());
            }
            set(line, mapping, "", "editor", Worth::List(pager.open("%f")));
        }
        "notify-program" => {
            let notifier = Worth::List(named("%u")?.filled("{title}"));
            set(line, mapping, "", "notifier", notifier);
            let of = "of feeds with notify = true and of notify_tags; newsboat told of all";
            mapping.noted.push(line.left(of));
        }
        "bookmark-cmd" => bookmark(line, mapping)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Numbers.
fn amounts(line: &Line, around: &Around, mapping: &mut Mapping) -> Result<bool, String> {
    let number = || {
        let number = line.word(1).parse::<u32>();
        number.map_err(|_| "a number is needed".to_owned())
    };
    match line.words[0].as_str() {
        "text-width" | "max-items" | "keep-articles-days" if number()? == 0 => {}
        "text-width" => set(line, mapping, "", "measure", Worth::Count(number()?)),
        "max-items" => set(line, mapping, "keep", "entries", Worth::Count(number()?)),
        "keep-articles-days" => {
            let days = Worth::Text(format!("{}d", number()?));
            set(line, mapping, "keep", "age", days);
        }
        "reload-time" if around.reloads && (30..=360).contains(&number()?) => {
            let minutes = Worth::Text(format!("{}m", number()?));
            set(line, mapping, "poll", "base", minutes);
            let learns = "as long as the rhythm of a feed is not known; tidings learns it";
            mapping.noted.push(line.left(learns));
        }
        "download-timeout" => {
            let seconds = Worth::Text(format!("{}s", number()?));
            set(line, mapping, "http", "total_timeout", seconds);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// What hangs on other lines, and what is said of newsboat's own surroundings.
fn surroundings(line: &Line, around: &Around, mapping: &mut Mapping) -> Result<bool, String> {
    let value = line.word(1);
    match line.words[0].as_str() {
        "auto-reload" if around.reloads => {}
        "use-proxy" => {}
        "proxy-type" if around.proxied => {}
        "proxy" if around.proxied => {
            let kind = match around.proxy_type.as_str() {
                "" => "http",
                kind => kind,
            };
            let proxy = Worth::Text(format!("{kind}://{value}"));
            set(line, mapping, "http", "proxy", proxy);
        }
        "notify-xterm" if matches!(value, "yes" | "true") => {
            set(line, mapping, "", "title", Worth::Flag(true));
        }
        "ignore-mode" => mapping.hides = value == "display",
        "cache-file" => mapping.cache_file = Some(value.to_owned()),
        "urls-source" if value == "local" => {}
        "color" => mapping.theme.push(colours::tone(&line.words)?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Lists, rules, keys and macros.
fn own(line: &Line, mapping: &mut Mapping, keys: &mut Keys) -> Result<bool, String> {
    let value = line.word(1);
    match line.words[0].as_str() {
        "define-filter" => {
            let query = filter::query_of(line.word(2)).map_err(|error| error.to_string())?;
            let smart = SmartFeed {
                name: value.to_owned(),
                query,
            };
            wish(line, mapping, Wanted::Smart(smart));
        }
        "ignore-article" => {
            let rule = Rule {
                when: ignored(value, line.word(2))?,
                acts: vec![RuleAct::Hide],
                ..Rule::default()
            };
            wish(line, mapping, Wanted::Rule(rule));
        }
        "bind-key" => keys.bind(line, value, line.word(2), line.word(3))?,
        "bind" => bind(line, mapping, keys)?,
        "macro" => {
            let key = binds::key(value).ok_or("no such key")?;
            let words = line.words.get(2..).unwrap_or_default();
            taken(
                line,
                mapping,
                binds::made(vec![format!(", {key}")], words, "")?,
            );
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn wish(line: &Line, mapping: &mut Mapping, wanted: Wanted) {
    mapping.wishes.push(Wish {
        place: line.place.clone(),
        text: line.text.clone(),
        wanted,
    });
}

/// A key; of several lines about it the last counts, as in newsboat.
fn set(line: &Line, mapping: &mut Mapping, table: &'static str, key: &str, value: Worth) {
    mapping.wishes.retain(|wish| {
        !matches!(&wish.wanted, Wanted::Set { table: of, key: known, .. } if *of == table && known == key)
    });
    let key = key.to_owned();
    wish(line, mapping, Wanted::Set { table, key, value });
}

/// A browser that draws into the terminal is a command: the reader's browser runs beside it.
fn browser(line: &Line, mapping: &mut Mapping) -> Result<(), String> {
    let browser = program(line.word(1), "%u").ok_or("no program is named")?;
    if !browser.in_terminal {
        set(
            line,
            mapping,
            "",
            "browser",
            Worth::List(browser.open("%u")),
        );
        return Ok(());
    }
    let command = External {
        name: browser.name(),
        run: browser.filled("{url}"),
        terminal: true,
        ..External::default()
    };
    let beside = format!(
        "`browser` runs beside the reader; this one gets the terminal by `b` or `:{}`",
        command.name
    );
    mapping.noted.push(line.left(beside));
    taken(line, mapping, Made::Command(command));
    Ok(())
}

/// The plugin gets address, title, description and feed; for a description there is nothing but the title.
fn bookmark(line: &Line, mapping: &mut Mapping) -> Result<(), String> {
    let plugin = program(line.word(1), "%u").ok_or("no program is named")?;
    let told = ["{url}", "{title}", "{title}", "{feed}"].map(str::to_owned);
    let mut run = match plugin.words.as_slice() {
        [sh, c, shell, ..] if sh == "sh" && c == "-c" => {
            let shell = shell.replace("\"$1\"", "\"$@\"");
            vec![sh.clone(), c.clone(), shell, sh.clone()]
        }
        _ => plugin.open("{url}"),
    };
    run.extend(told);
    let command = External {
        name: "bookmark".to_owned(),
        run,
        ..External::default()
    };
    taken(line, mapping, Made::Command(command));
    Ok(())
}

/// `bind KEYS DIALOG,… OPERATION [; …] [-- DESCRIPTION]`: one operation is a key of its action, several are a macro.
fn bind(line: &Line, mapping: &mut Mapping, keys: &mut Keys) -> Result<(), String> {
    let pressed = binds::sequence(line.word(1)).ok_or("no such key")?;
    let dialog = line.word(2).split(',').next().unwrap_or_default();
    let end = line.words.iter().position(|word| word == "--");
    let operations = line.words.get(3..end.unwrap_or(line.words.len()));
    match operations {
        Some([operation]) => keys.add(line, pressed, operation, dialog),
        Some([_, ..]) => {
            let made = binds::made(vec![pressed], &line.words[3..], dialog)?;
            taken(line, mapping, made);
            Ok(())
        }
        _ => Err("no operation is named".to_owned()),
    }
}

/// A macro or a command, under a name that none before it has.
fn taken(line: &Line, mapping: &mut Mapping, made: Made) {
    let is_taken = |name: &str| {
        mapping.wishes.iter().any(|wish| match &wish.wanted {
            Wanted::Macro(one) => one.name == name,
            Wanted::Command(one) => one.name == name,
            _ => false,
        })
    };
    let named = |name: String, keys: &[String]| {
        let last = keys.first().and_then(|keys| keys.rsplit(' ').next());
        match last {
            _ if name.is_empty() => format!("macro {}", last.unwrap_or_default()),
            Some(key) if is_taken(&name) => format!("{name} {key}"),
            _ => name,
        }
    };
    let wanted = match made {
        Made::Macro(mut one) => {
            one.name = named(one.name, &one.keys);
            Wanted::Macro(one)
        }
        Made::Command(mut one) => {
            one.name = named(one.name, &one.keys);
            Wanted::Command(one)
        }
    };
    wish(line, mapping, wanted);
}

/// The query of what `ignore-article FEED EXPRESSION` ignores.
fn ignored(feed: &str, expression: &str) -> Result<String, String> {
    let query = filter::query_of(expression).map_err(|error| error.to_string())?;
    let which = match feed.strip_prefix("regex:") {
        _ if feed == "*" => return Ok(query),
        Some(pattern) => format!("feed:{}", terms::between_slashes(pattern)),
        None => {
            let known = urls::feed(feed).map_or_else(|| feed.to_owned(), |feed| feed.url);
            format!("feed:{}", terms::phrase(&known))
        }
    };
    let both = crate::query::parse(&format!("{which} ({query})"));
    both.map(|query| query.to_string())
        .map_err(|error| error.message)
}
