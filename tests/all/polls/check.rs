//! What must be true after a turn.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;
use tidings::article::sanitize;

use super::Ended;
use super::script::{Asked, Request, Told, Turn};
use super::stage::{Stage, latin1, span};
use crate::support::Seen;

/// What a request must look like, whatever it asks for (R59–R63).
fn manners(seen: &Seen) -> Result<(), String> {
    if seen.method != "GET" {
        return Err(format!("the method is {}", seen.method));
    }
    for (name, wanted) in [
        (
            "accept",
            "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
        ),
        ("accept-encoding", "gzip, br, zstd, deflate"),
    ] {
        if seen.text(name).as_deref() != Some(wanted) {
            return Err(format!("{name} is {:?}", seen.text(name)));
        }
    }
    for name in [
        "cookie",
        "referer",
        "cache-control",
        "pragma",
        "range",
        "if-range",
        "if-match",
        "if-unmodified-since",
        "origin",
    ] {
        if seen.header(name).is_some() {
            return Err(format!("there is a {name}"));
        }
    }
    if seen.header("a-im").is_some() && seen.header("if-none-match").is_none() {
        return Err("A-IM without If-None-Match".to_owned());
    }
    for name in ["if-none-match", "if-modified-since", "user-agent", "host"] {
        let fields = seen.headers.iter();
        if fields.filter(|(n, _)| n.eq_ignore_ascii_case(name)).count() > 1 {
            return Err(format!("{name} twice"));
        }
    }
    Ok(())
}

/// A request as a line to compare and to read: server, target, conditions.
fn line(server: &str, target: &str, inm: Option<&[u8]>, ims: Option<&[u8]>) -> String {
    let mut line = format!("{server}:{target}");
    for (name, value) in [("If-None-Match", inm), ("If-Modified-Since", ims)] {
        if let Some(value) = value {
            let _ = write!(line, " | {name}: {}", value.escape_ascii());
        }
    }
    line
}

/// Exactly these requests came, and each had manners.
pub fn requests(stage: &Stage, wanted: &[Asked]) -> Result<(), String> {
    let mut came = Vec::new();
    for (name, server) in &stage.servers {
        for seen in server.requests() {
            manners(&seen).map_err(|why| format!("{name}{}: {why}", seen.target))?;
            let text = line(
                name,
                &seen.target,
                seen.header("if-none-match"),
                seen.header("if-modified-since"),
            );
            came.push((text, seen));
        }
    }
    came.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut due: Vec<_> = wanted.iter().map(|asked| expected(stage, asked)).collect();
    due.sort_by(|(one, _), (other, _)| one.cmp(other));
    let lines = |list: &[(String, Seen)]| list.iter().map(|(l, _)| l.clone()).collect::<Vec<_>>();
    let due_lines: Vec<_> = due.iter().map(|(l, _)| l.clone()).collect();
    if lines(&came) != due_lines {
        return Err(format!(
            "requests\n  want {due_lines:#?}\n  have {:#?}",
            lines(&came)
        ));
    }
    for ((_, seen), (text, request)) in came.iter().zip(&due) {
        details(stage, seen, *request).map_err(|why| format!("{text}: {why}"))?;
    }
    Ok(())
}

/// On each server one request at a time, their starts that far apart.
pub fn spaced(stage: &Stage, turn: &Turn) -> Result<(), String> {
    // A start is told by its arrival, which a busy machine delays by more or less.
    const TOLERANCE: Duration = Duration::from_millis(60);
    let Some(gap) = turn.spaced.as_deref().map(span) else {
        return Ok(());
    };
    for (name, server) in &stage.servers {
        let starts: Vec<_> = server.requests().iter().map(|seen| seen.at).collect();
        let gaps: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if gaps.iter().any(|found| *found + TOLERANCE < gap) || server.most_active() > 1 {
            return Err(format!(
                "{name}: gaps {gaps:?}, {} at once",
                server.most_active()
            ));
        }
    }
    Ok(())
}

fn expected<'a>(stage: &Stage, asked: &'a Asked) -> (String, Option<&'a Request>) {
    let (path, request) = match asked {
        Asked::Plain(path) => (path, None),
        Asked::With(request) => (&request.path, Some(request)),
    };
    let (server, target) = stage.place(path);
    let name = stage
        .servers
        .iter()
        .find(|(_, known)| known.address() == server.address())
        .map_or("", |(name, _)| name);
    let bytes = |value: Option<&String>| value.map(|text| latin1(&stage.filled(text)));
    let inm = bytes(request.and_then(|request| request.inm.as_ref()));
    let ims = bytes(request.and_then(|request| request.ims.as_ref()));
    (line(name, target, inm.as_deref(), ims.as_deref()), request)
}

fn details(stage: &Stage, seen: &Seen, request: Option<&Request>) -> Result<(), String> {
    let Some(request) = request else {
        return Ok(());
    };
    for wanted in &request.head {
        let wanted = stage.filled(wanted);
        let (name, value) = wanted.split_once(": ").expect("a header line");
        if seen.header(name) != Some(latin1(value).as_slice()) {
            return Err(format!("want {wanted}, have {:?}", seen.text(name)));
        }
    }
    match request
        .lacks
        .iter()
        .find(|name| seen.header(name).is_some())
    {
        Some(name) => Err(format!("there is a {name}: {:?}", seen.text(name))),
        None => Ok(()),
    }
}

/// Exit code and texts.
pub fn texts(stage: &Stage, turn: &Turn, ended: &Ended) -> Result<(), String> {
    if ended.code != Some(turn.exit) {
        return Err(format!("exit code {:?}, want {}", ended.code, turn.exit));
    }
    for (name, text, parts) in [
        ("stdout", &ended.out, &turn.out),
        ("stderr", &ended.err, &turn.err),
    ] {
        for part in parts {
            let part = stage.filled(part);
            if !text.contains(&part) {
                return Err(format!("{name} lacks {part:?}"));
            }
        }
        if text.contains("geheim") {
            return Err(format!("{name} shows a secret"));
        }
        let raw = text
            .chars()
            .find(|c| *c != '\n' && sanitize::is_forbidden(*c));
        if let Some(c) = raw {
            return Err(format!("{name} has a raw {c:?}"));
        }
    }
    if turn.err.is_empty() && !ended.err.is_empty() {
        return Err("stderr is not empty".to_owned());
    }
    Ok(())
}

/// The objects of `--json`.
pub fn told(
    stage: &Stage,
    first: &str,
    turn: &Turn,
    ended: &Ended,
    began: i64,
) -> Result<(), String> {
    let Some(wanted) = &turn.told else {
        return Ok(());
    };
    let lines: Result<Vec<Value>, _> = ended.out.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|error| format!("stdout is not JSON: {error}"))?;
    if lines.len() != wanted.len() {
        return Err(format!("{} objects, want {}", lines.len(), wanted.len()));
    }
    if let Some(first) = turn.first.as_deref().map(|feed| stage.url(feed))
        && lines
            .first()
            .is_none_or(|line| line["url"] != first.as_str())
    {
        return Err(format!("{first} is not the first"));
    }
    let moments: BTreeSet<_> = lines
        .iter()
        .map(|line| line["next_poll"].as_str())
        .collect();
    if turn.moments.is_some_and(|least| moments.len() < least) {
        return Err(format!("the next polls are all at {moments:?}"));
    }
    for told in wanted {
        let url = stage.url(told.feed.as_deref().unwrap_or(first));
        let found = lines.iter().find(|line| line["url"] == url.as_str());
        let found = found.ok_or_else(|| format!("no object for {url}"))?;
        object(stage, told, found, began).map_err(|why| format!("{url}: {why}\n  {found}"))?;
    }
    Ok(())
}

fn object(stage: &Stage, told: &Told, found: &Value, began: i64) -> Result<(), String> {
    const KEYS: [&str; 9] = [
        "url",
        "status",
        "outcome",
        "new",
        "updated",
        "bytes",
        "next_poll",
        "why",
        "error",
    ];
    if let Some(key) = KEYS.iter().find(|key| found.get(**key).is_none()) {
        return Err(format!("{key} is missing"));
    }
    let outcome = told.outcome.as_deref();
    if let Some(outcome) = outcome
        && found["outcome"] != outcome
    {
        return Err(format!("want outcome {outcome}"));
    }
    let status = told.status.map(|status| match status {
        0 => Value::Null,
        status => status.into(),
    });
    for (key, wanted) in [
        ("status", status),
        ("new", told.new.map(Value::from)),
        ("updated", told.updated.map(Value::from)),
        ("bytes", told.bytes.map(Value::from)),
    ] {
        if let Some(wanted) = wanted
            && found[key] != wanted
        {
            return Err(format!("want {key} {wanted}"));
        }
    }
    if found["error"].is_null() != (found["outcome"] != "error") {
        return Err("an error is told when the outcome is one, and only then".to_owned());
    }
    for (key, part) in [
        ("why", &told.why),
        ("warning", &told.warning),
        ("error", &told.error),
    ] {
        let text = found[key].as_str();
        let right = match part {
            Some(part) => text.is_some_and(|text| text.contains(&stage.filled(part))),
            None => key != "warning" || text.is_none(),
        };
        if !right {
            return Err(format!("want {key} {part:?}"));
        }
    }
    let url_now = told.url_now.as_ref().map(|url| stage.filled(url));
    if url_now.as_deref() != found["url_now"].as_str() {
        return Err(format!("want url_now {url_now:?}"));
    }
    calendar(told, found["next_poll"].as_str())?;
    match &told.next {
        Some(wanted) => next(wanted, found["next_poll"].as_str(), began),
        None => Ok(()),
    }
}

/// The next poll is in that hour and on that day.
fn calendar(told: &Told, next: Option<&str>) -> Result<(), String> {
    let at = next.and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
    let found = |format: &str| at.map(|at| at.to_utc().format(format).to_string());
    let hour = told.hour.map(|hour| format!("{hour:02}"));
    let same = |wanted: &Option<String>, format| wanted.is_none() || *wanted == found(format);
    if same(&hour, "%H") && same(&told.weekday, "%a") {
        Ok(())
    } else {
        Err(format!("want hour {hour:?} of {:?}", told.weekday))
    }
}

/// Seconds since 1970.
pub fn now() -> i64 {
    chrono::Utc::now().timestamp()
}

/// The next poll lies in the span, the duration of the turn allowed for.
fn next(wanted: &str, found: Option<&str>, began: i64) -> Result<(), String> {
    const TOLERANCE: i64 = 2;
    const JITTER_MAX: Duration = Duration::from_secs(30 * 60);
    if wanted == "never" || found.is_none() {
        return match (wanted, found) {
            ("never", None) => Ok(()),
            _ => Err(format!("want next {wanted}, have {found:?}")),
        };
    }
    let (least, most) = if let Some((least, most)) = wanted.split_once("..") {
        (span(least), span(most))
    } else {
        let least = span(wanted);
        (least, least + (least / 10).min(JITTER_MAX))
    };
    let found = found.and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
    let found = found.ok_or("next_poll is no time")?.timestamp();
    let secs = |span: Duration| span.as_secs() as i64;
    let early = found - began < secs(least) - TOLERANCE;
    let late = found - now() > secs(most) + TOLERANCE;
    if early || late {
        let far = Duration::from_secs((found - now()).max(0).unsigned_abs());
        let far = humantime::format_duration(far);
        return Err(format!("want next {wanted}, have {far}"));
    }
    Ok(())
}

/// The entries that are stored.
pub fn entries(turn: &Turn, json: &str) -> Result<(), String> {
    let Some(wanted) = &turn.entries else {
        return Ok(());
    };
    let list: Vec<Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut titles: Vec<_> = list
        .iter()
        .filter_map(|entry| entry["title"].as_str())
        .collect();
    titles.sort_unstable();
    let mut wanted: Vec<_> = wanted.iter().map(String::as_str).collect();
    wanted.sort_unstable();
    if titles != wanted {
        return Err(format!("entries\n  want {wanted:?}\n  have {titles:?}"));
    }
    Ok(())
}

/// Members of the ledger.
pub fn stats(stage: &Stage, turn: &Turn, json: &str) -> Result<(), String> {
    let rows: Vec<Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    for (feed, wanted) in &turn.stats {
        let url = stage.url(feed);
        let row = rows.iter().find(|row| row["url"] == url.as_str());
        let row = row.ok_or_else(|| format!("{url} is not in the ledger"))?;
        for (key, value) in wanted {
            let found = row
                .get(key)
                .ok_or_else(|| format!("no {key} in the ledger"))?;
            let null = value == "null" && found.is_null();
            if !null && found != value {
                return Err(format!("{url}: want {key} {value}\n  {row}"));
            }
        }
    }
    Ok(())
}
