//! Files that cannot be read or written, a disk that is full, a store that is damaged or of another time.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use redb::{Database, TableDefinition};

use super::{House, REFRESH, feed};
use crate::support::process::{Ended, Process};

/// The binary in a room of its own, where `first` is done before: mounts that nobody outside sees. `None` where this
/// system makes no such rooms.
fn walled(house: &House, first: &str, words: &[&str]) -> Option<Ended> {
    let made = Command::new("unshare").args(["-Urm", "true"]).output();
    if !made.is_ok_and(|made| made.status.success()) {
        eprintln!("skipped: no mounts of its own for a process of this user");
        return None;
    }
    Some(shell(house, "unshare -Urm", first, words))
}

/// The binary from a shell that does something before.
fn shell(house: &House, how: &str, first: &str, words: &[&str]) -> Ended {
    let mut command = Command::new("sh");
    let script = format!("exec {how} sh -c '{first} && exec \"$0\" \"$@\"' \"$0\" \"$@\"");
    command.arg("-c").arg(script);
    command.arg(env!("CARGO_BIN_EXE_tidings")).args(words);
    house.home.settle(&mut command);
    Process::start(command).end()
}

/// One sentence of ours, and no trace of a bug.
fn sentence(end: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(end.code, Some(code), "{end:?}");
    assert!(end.err.starts_with("tidings: "), "{end:?}");
    assert!(!end.err.contains("internal error"), "{end:?}");
    for part in parts {
        assert!(end.err.contains(part), "no {part:?}: {end:?}");
    }
}

#[test]
fn settings_and_lists_that_cannot_be_read_are_named_and_nothing_is_asked() {
    for (file, parts) in [
        ("config/config.toml", ["config.toml", "cannot be read"]),
        ("config/feeds.toml", ["feeds.toml", "cannot be read"]),
    ] {
        let house = House::with(&["/a"]);
        let path = house.home.path(file);
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("made");
        for words in [&REFRESH[..], &["feeds"], &["entries"]] {
            sentence(&house.home.run(words), 2, &parts);
        }
        assert_eq!(house.asked("/a"), 0);
    }
}

#[test]
fn a_broken_list_names_its_line_and_the_store_keeps_the_good_one() {
    let house = House::with(&["/a"]);
    house.home.run(&REFRESH).json_lines(1);
    let good = fs::read_to_string(house.home.path("config/feeds.toml")).expect("read");
    for (bad, parts) in [
        ("[[feed]]\nurl = \"http://x.example/\n", ["feeds.toml:2"; 2]),
        ("[[feed]]\nurl = 3\n", ["feeds.toml:2", "url"]),
        (
            "\n[[feed]]\nuri = \"http://x.example/\"\n",
            ["feeds.toml:3", "url"],
        ),
        (
            "[[feed]]\nurl = \"gopher://x.example/\"\n",
            ["feeds.toml:2", "url"],
        ),
    ] {
        house.home.write("config/feeds.toml", bad);
        for words in [&REFRESH[..], &["entries"], &["mark", "read", "all"]] {
            sentence(&house.home.run(words), 2, &parts);
        }
    }
    house.home.write("config/feeds.toml", &good);
    house.home.run(&REFRESH).json_lines(0);
    assert_eq!((house.asked("/a"), house.stored("/a")), (1, 2));
}

#[test]
fn a_data_directory_that_cannot_be_written_is_said() {
    // Nothing there yet, and a store there already.
    for polled in [false, true] {
        let house = House::with(&["/a"]);
        if polled {
            house.home.run(&REFRESH).json_lines(1);
        }
        fs::create_dir_all(house.home.path("data")).expect("made");
        let before = house.asked("/a");
        for words in [&["--refresh-only", "--force"][..], &["mark", "read", "all"]] {
            let first = "mount --bind data data && mount -o remount,bind,ro data";
            let Some(end) = walled(&house, first, words) else {
                return;
            };
            sentence(&end, 70, &["data", "ead-only file system"]);
        }
        assert_eq!(
            house.asked("/a"),
            before,
            "a 304 must not be earned and lost"
        );
        house.home.run(&["--refresh-only", "--force"]).well();
        assert_eq!(house.stored("/a"), 2);
    }
}

#[test]
fn a_full_disk_is_said_and_costs_no_entry() {
    let house = House::with(&["/small", "/big"]);
    let big = |entries| {
        let text = "x".repeat(3000);
        let items: Vec<_> = (0..entries)
            .map(|n| {
                let noise: String = (0..3000).map(|_| fastrand::alphanumeric()).collect();
                format!("<item><guid>{n}</guid><title>{n}</title><description>{noise}{text}</description></item>")
            })
            .collect();
        let items = items.concat();
        format!("<rss version=\"2.0\"><channel><title>Big</title>{items}</channel></rss>")
    };
    house.server.serve(
        "/big",
        crate::support::Reply::ok(big(2000)).header("ETag", "\"big\""),
    );
    house
        .home
        .run(&["--refresh-only", &house.server.url("/small")])
        .well();
    let blocks = fs::metadata(house.home.path("data/tidings.redb"))
        .expect("there")
        .len()
        / 512;
    // dash counts in blocks of 512 bytes, bash in KiB: too little either way.
    let first = format!("trap \"\" XFSZ; ulimit -f {}", blocks / 2 + 64);
    let end = shell(&house, "env", &first, &["--refresh-only", "--force"]);
    sentence(
        &end,
        70,
        &["could not be stored", "tidings.redb", "ile too large"],
    );
    assert!(end.out.contains("not done"), "{end:?}");
    assert_eq!(house.stored("/small"), 2);
    assert_eq!(house.stored("/big"), 0);
    // With room again: no 304 was earned and lost.
    house.home.run(&["--refresh-only", "--force"]).well();
    assert_eq!((house.stored("/small"), house.stored("/big")), (2, 2000));
    assert!(
        !house
            .server
            .requests_for("/big")
            .iter()
            .any(crate::support::Seen::is_conditional)
    );
    assert_eq!(house.home.stores(), ["tidings.redb"]);
}

#[test]
fn a_file_system_without_room_for_a_store_is_said() {
    let house = House::with(&["/a"]);
    fs::create_dir_all(house.home.path("data")).expect("made");
    let first = "mount -t tmpfs -o size=16k none data";
    let Some(end) = walled(&house, first, &REFRESH) else {
        return;
    };
    sentence(&end, 70, &["tidings.redb", "o space left on device"]);
    assert_eq!(house.asked("/a"), 0);
}

#[test]
fn a_store_of_a_newer_version_is_refused_and_left_alone() {
    let house = House::with(&["/a"]);
    house.home.run(&REFRESH).json_lines(1);
    let path = house.home.path("data/tidings.redb");
    let known = put_schema(&path, &999_u64.to_le_bytes());
    for words in [
        &["--refresh-only", "--force"][..],
        &["entries"],
        &["mark", "read", "all"],
    ] {
        sentence(&house.home.run(words), 70, &["newer tidings", "--data-dir"]);
    }
    assert_eq!(house.asked("/a"), 1);
    assert_eq!(house.home.stores(), ["tidings.redb"]);
    put_schema(&path, &known);
    let unread = house.home.run(&["entries", "--json", "unread"]).json();
    assert_eq!(
        unread.as_array().map(Vec::len),
        Some(2),
        "nothing was touched"
    );
}

/// Changes the number of the store's layout; the one before.
fn put_schema(path: &Path, number: &[u8]) -> Vec<u8> {
    const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");
    let database = Database::open(path).expect("opened");
    let txn = database.begin_write().expect("begun");
    let before = {
        let mut meta = txn.open_table(META).expect("there");
        let before = meta.insert("schema", number).expect("written");
        before.expect("there").value().to_vec()
    };
    txn.commit().expect("committed");
    before
}

/// Spoils a file of that length.
type Damage = fn(&mut fs::File, u64);

#[test]
fn a_damaged_store_is_set_aside_and_filled_again_from_the_subscriptions() {
    let damages: [(&str, Damage); 4] = [
        ("emptied", |file, _| file.set_len(0).expect("cut")),
        ("cut", |file, length| file.set_len(length / 2).expect("cut")),
        ("overwritten", |file, length| {
            file.write_all(&vec![0xa5; length as usize])
                .expect("written");
        }),
        ("another file", |file, _| {
            file.set_len(0).expect("cut");
            file.write_all(b"this is a letter to my aunt\n")
                .expect("written");
        }),
    ];
    for (what, damage) in damages {
        let house = House::with(&["/a", "/b"]);
        house.home.run(&REFRESH).json_lines(2);
        let path = house.home.path("data/tidings.redb");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .expect("opened");
        let length = file.metadata().expect("known").len();
        file.seek(SeekFrom::Start(0)).expect("sought");
        damage(&mut file, length);
        drop(file);
        for path in ["/a", "/b"] {
            house.server.serve(path, feed(path, 2));
        }
        let end = house.home.run(&REFRESH);
        assert_eq!(end.code, Some(0), "{what}: {end:?}");
        assert_eq!(end.lines().len(), 2, "{what}: {end:?}");
        let aside = house.home.stores();
        let aside: Vec<_> = aside
            .iter()
            .filter(|name| name.contains("damaged"))
            .collect();
        // An empty file is what a crash in the very first moment leaves: there is nothing to keep.
        if what != "emptied" {
            assert_eq!(aside.len(), 1, "{what}: {aside:?}");
            for part in ["damaged", aside[0].as_str()] {
                assert!(end.err.contains(part), "{what}: {}", end.err);
            }
        }
        assert_eq!((house.stored("/a"), house.stored("/b")), (2, 2), "{what}");
        let quiet = house.home.run(&REFRESH);
        assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""), "{what}");
    }
}

#[test]
fn a_page_of_the_store_that_is_rubbish_is_damage_and_no_internal_error() {
    let house = House::with(&["/a"]);
    house.home.run(&REFRESH).json_lines(1);
    let path = house.home.path("data/tidings.redb");
    let whole = fs::read(&path).expect("a store");
    let mut told = 0;
    for page in 10..50 {
        let mut damaged = whole.clone();
        let Some(bytes) = damaged.get_mut(page * 4096..(page + 1) * 4096) else {
            break;
        };
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = (at * 167 + page * 13 + at / 7) as u8;
        }
        fs::write(&path, damaged).expect("written");
        let end = house.home.run(&["entries", "--limit", "1"]);
        assert!(!end.err.contains("internal error"), "page {page}: {end:?}");
        assert_eq!(end.code, Some(0), "page {page}: {end:?}");
        told += usize::from(end.err.contains("was damaged"));
    }
    assert!(told > 0, "no page mattered");
}

#[test]
fn certificates_that_are_not_there_are_a_fault_of_the_settings() {
    let house = House::with(&["/a"]);
    house
        .home
        .write("config/config.toml", "[http]\nca_file = \"/no/such.pem\"\n");
    let parts = ["`ca_file`", "/no/such.pem", "no such file"];
    sentence(&house.home.run(&REFRESH), 2, &parts);
    assert_eq!(house.asked("/a"), 0);
}

#[test]
fn two_that_meet_the_same_damage_set_it_aside_once() {
    let house = House::with(&["/a"]);
    house.home.run(&REFRESH).json_lines(1);
    fs::write(house.home.path("data/tidings.redb"), vec![7; 300_000]).expect("written");
    house.server.serve("/a", feed("/a", 2));
    let commands: [&[&str]; 4] = [&REFRESH, &["feeds"], &REFRESH, &["stats"]];
    let running: Vec<_> = commands
        .iter()
        .map(|words| house.home.start(words))
        .collect();
    let ends: Vec<_> = running.into_iter().map(Process::end).collect();
    assert!(ends.iter().all(|end| end.code == Some(0)), "{ends:?}");
    let told = ends
        .iter()
        .filter(|end| end.err.contains("the store was damaged"))
        .count();
    assert_eq!(told, 1, "{ends:?}");
    let aside = house.home.stores();
    let aside = aside.iter().filter(|name| name.contains("damaged")).count();
    assert_eq!(aside, 1);
    assert_eq!((house.asked("/a"), house.stored("/a")), (2, 2));
}

#[test]
fn a_lock_that_cannot_be_had_for_a_strange_reason_is_said() {
    let house = House::with(&["/a"]);
    fs::create_dir_all(house.home.path("data/poll.lock")).expect("made");
    let end = house.home.run(&["--refresh-only"]);
    sentence(&end, 70, &["poll.lock", "s a directory"]);
    assert_eq!(house.asked("/a"), 0);
}
