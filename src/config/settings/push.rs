//! `[push]`: where hubs reach tidings.

use std::net::SocketAddr;

use toml_edit::TableLike;
use url::{Host, Url};

use super::super::reader::{Given, Key, Page, Section, place, read_table};
use super::{nearest, set};
use crate::model::PushSettings;

/// What stands there so far.
#[derive(Default)]
pub(super) struct Draft {
    callback: Option<String>,
    listen: Option<SocketAddr>,
}

/// `[push]`.
pub(super) const KEYS: &[Key<Draft>] = &[
    Key::new("callback", |s, v| {
        set(&mut s.callback, callback(v).map(Some))
    }),
    Key::new("listen", |s, v| set(&mut s.listen, listen(v).map(Some))),
];

/// Reads the table. One key without the other is a fault: neither is of use alone.
pub(super) fn read(
    page: &Page<'_>,
    root: &toml_edit::Table,
    table: &dyn TableLike,
    warnings: &mut Vec<String>,
) -> Option<PushSettings> {
    let mut draft = Draft::default();
    let clean = page.faulty();
    page.note(read_table(
        page,
        Section("push"),
        table,
        KEYS,
        &mut draft,
        |wrong| nearest("push", wrong),
        warnings,
    ));
    match draft {
        Draft {
            callback: Some(callback),
            listen: Some(listen),
        } => Some(PushSettings { callback, listen }),
        Draft {
            callback: None,
            listen: None,
        } => None,
        one => {
            if page.faulty() == clean {
                let missing = if one.callback.is_some() {
                    "listen is missing: the address where tidings waits for hubs, such as listen = \"127.0.0.1:8930\""
                } else {
                    "callback is missing: the address that hubs are told, such as callback = \"https://me.example/push\""
                };
                if let Some(item) = root.get("push") {
                    let at = place(root, "push", item);
                    page.fault(page.error(at, "push".to_owned(), missing.to_owned()));
                }
            }
            None
        }
    }
}

fn callback(given: Given<'_>) -> Result<String, String> {
    let text = given.text()?;
    let fits = Url::parse(&text).is_ok_and(|url| {
        let here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let way = url.scheme() == "https" || (url.scheme() == "http" && here);
        way && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    });
    if fits {
        Ok(text)
    } else {
        given.wrong(
            "must be the https:// address that hubs reach, without a login, such as \"https://me.example/push\"",
        )
    }
}

fn listen(given: Given<'_>) -> Result<SocketAddr, String> {
    let text = given.text()?;
    match text.parse() {
        Ok(address) => Ok(address),
        Err(_) => {
            given.wrong("must be an address of this machine and a port, such as \"127.0.0.1:8930\"")
        }
    }
}
