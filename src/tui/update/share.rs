//! Share targets (`[[share]]`): the address of a page or a mail with the entry in it, opened as any link is.

use crate::model::Share;

use super::super::keys::Action;
use super::super::model::{Model, Overlay, Prompt};
use super::super::msg::Effect;
use super::super::say;
use super::{action, command, reading};

/// Asks for one of several targets; a single one needs no question.
pub fn choose(model: &mut Model, out: &mut Vec<Effect>) {
    match model.keymap.targets().as_slice() {
        [] => model.fail(
            "there is nothing to share with; write [[share]] into config.toml, for example name = \"Mail\" and url = \"mailto:?subject={title}&body={url}\"",
        ),
        [only] => {
            let only = (*only).to_owned();
            to(model, &only, out);
        }
        _ => {
            model.overlay = Overlay::Command(Prompt::with("share "));
            command::complete(model, 1);
        }
    }
}

/// Hands the entry to the target of that name.
pub fn to(model: &mut Model, name: &str, out: &mut Vec<Effect>) {
    if name.is_empty() {
        return choose(model, out);
    }
    let is_target = |action: &Action| matches!(action, Action::ShareTo(_) | Action::External(_));
    let mut own = model
        .keymap
        .bindings()
        .iter()
        .filter(|b| is_target(&b.action));
    if let Some(action) = own.find(|b| b.name == name).map(|b| b.action) {
        action::act(model, action, out);
    }
}

/// Opens the target of that number with the entry here in it.
pub fn begin(model: &mut Model, nth: usize, out: &mut Vec<Effect>) {
    let Some(share) = model.settings.shares.get(nth).cloned() else {
        return;
    };
    let Some(head) = model.subject().or_else(|| model.entries.current()).cloned() else {
        model.say(format!(
            "go to an entry first; then it is shared by \"{}\"",
            share.name
        ));
        return;
    };
    let link = match head.link {
        Some(link) if reading::is_safe(&link) => link,
        None if !share.url.contains("{url}") => String::new(),
        Some(_) | None => {
            let name = &share.name;
            model.fail(format!(
                "this entry has no link to the web, and \"{name}\" needs one"
            ));
            return;
        }
    };
    let row = model.feeds.row(head.id.feed);
    let feed = row.map(say::name).unwrap_or_default();
    let url = filled(&share, &link, &head.title, &feed);
    reading::open_url(model, &url, out);
}

/// The address with the values in their places, every byte of them that could mean something escaped (RFC 3986, section 2.1).
fn filled(share: &Share, link: &str, title: &str, feed: &str) -> String {
    let values = [("{url}", link), ("{title}", title), ("{feed}", feed)];
    let mut url = String::new();
    let mut rest = share.url.as_str();
    while let Some(brace) = rest.find('{') {
        url.push_str(&rest[..brace]);
        rest = &rest[brace..];
        if let Some((name, value)) = values.iter().find(|(name, _)| rest.starts_with(name)) {
            escape(value, &mut url);
            rest = &rest[name.len()..];
        } else {
            url.push('{');
            rest = &rest[1..];
        }
    }
    url + rest
}

fn escape(value: &str, into: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push('%');
            into.push(char::from(HEX[usize::from(byte >> 4)]));
            into.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_entry_has_stays_within_its_place() {
        let share = Share {
            url: "https://s.example/?u={url}&t={title}&f={feed}{x}".to_owned(),
            ..Share::default()
        };
        assert_eq!(
            filled(&share, "https://a.org/?x=1&y#z", "50 % {url} & “ü”\n", "F"),
            "https://s.example/?u=https%3A%2F%2Fa.org%2F%3Fx%3D1%26y%23z&t=50%20%25%20%7Burl%7D%20%26%20%E2%80%9C%C3%BC%E2%80%9D%0A&f=F{x}"
        );
    }
}
