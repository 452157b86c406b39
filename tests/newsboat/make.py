#!/usr/bin/env python3
"""Makes the databases beside this script, with the schema that newsboat gives them. Run it in this directory."""

import os
import shutil
import sqlite3

OLD = [
    "CREATE TABLE rss_feed (  rssurl VARCHAR(1024) PRIMARY KEY NOT NULL,  url VARCHAR(1024) NOT NULL,  title VARCHAR(1024) NOT NULL );",
    "CREATE TABLE rss_item (  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,  guid VARCHAR(64) NOT NULL,  title VARCHAR(1024) NOT NULL,  author VARCHAR(1024) NOT NULL,  url VARCHAR(1024) NOT NULL,  feedurl VARCHAR(1024) NOT NULL,  pubDate INTEGER NOT NULL,  content VARCHAR(65535) NOT NULL, unread INTEGER(1) NOT NULL );",
    "CREATE TABLE google_replay (  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,  guid VARCHAR(64) NOT NULL,  state INTEGER NOT NULL,  ts INTEGER NOT NULL );",
    "ALTER TABLE rss_item ADD enclosure_url VARCHAR(1024);",
    "ALTER TABLE rss_item ADD enclosure_type VARCHAR(1024);",
    "ALTER TABLE rss_item ADD enqueued INTEGER(1) NOT NULL DEFAULT 0;",
    "ALTER TABLE rss_item ADD flags VARCHAR(52);",
    "CREATE INDEX IF NOT EXISTS idx_rssurl ON rss_feed(rssurl);",
    "CREATE INDEX IF NOT EXISTS idx_guid ON rss_item(guid);",
    "CREATE INDEX IF NOT EXISTS idx_feedurl ON rss_item(feedurl);",
    "ALTER TABLE rss_feed ADD lastmodified INTEGER(11) NOT NULL DEFAULT 0;",
    "CREATE INDEX IF NOT EXISTS idx_lastmodified ON rss_feed(lastmodified);",
    "ALTER TABLE rss_item ADD deleted INTEGER(1) NOT NULL DEFAULT 0;",
    "CREATE INDEX IF NOT EXISTS idx_deleted ON rss_item(deleted);",
    "ALTER TABLE rss_feed ADD is_rtl INTEGER(1) NOT NULL DEFAULT 0;",
    'ALTER TABLE rss_feed ADD etag VARCHAR(128) NOT NULL DEFAULT "";',
    'ALTER TABLE rss_item ADD base VARCHAR(128) NOT NULL DEFAULT "";',
]
NEW = [
    "CREATE TABLE metadata (  db_schema_version_major INTEGER NOT NULL,  db_schema_version_minor INTEGER NOT NULL );",
    "INSERT INTO metadata VALUES ( 2, 33 );",
    'ALTER TABLE rss_item ADD COLUMN content_mime_type VARCHAR(255) NOT NULL DEFAULT "";',
    'ALTER TABLE rss_item ADD COLUMN enclosure_description VARCHAR(1024) NOT NULL DEFAULT "";',
    'ALTER TABLE rss_item ADD COLUMN enclosure_description_mime_type VARCHAR(128) NOT NULL DEFAULT "";',
]
DAY = 86_400
BEGIN = 1_764_000_000  # 2025-11-24


def item(db, guid, title, feed, **more):
    row = {
        "guid": guid,
        "title": title,
        "author": "",
        "url": guid,
        "feedurl": feed,
        "pubDate": BEGIN,
        "content": f"<p>Text of {title}.</p>",
        "unread": 0,
        "enclosure_url": "",
        "enclosure_type": "",
        "flags": "",
        "deleted": 0,
    } | more
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO rss_item ({names}) VALUES ({marks})", list(row.values()))


def fill(db):
    blog = "http://127.0.0.1:65432/blog.xml"
    cast = "http://127.0.0.1:65432/cast.xml"
    for url, title in [(blog, "A blog"), (cast, "A podcast")]:
        db.execute("INSERT INTO rss_feed (rssurl, url, title) VALUES (?, ?, ?)", (url, url, title))
    item(db, "https://blog.example/1", "Read long ago", blog, author="Ada", pubDate=BEGIN - 30 * DAY)
    item(db, "https://blog.example/2", "Not read yet", blog, unread=1, pubDate=BEGIN - DAY)
    item(db, "tag:blog.example,2025:3", "Flagged", blog, url="https://blog.example/3", flags="ab", pubDate=BEGIN)
    item(db, "https://blog.example/4", "Thrown away", blog, deleted=1)
    long = "".join(f"<p>Paragraph {n} of a long story, with words enough to fill some pages.</p>" for n in range(60))
    item(db, "https://blog.example/5", "A long story \u00fc \u65e5\u672c", blog, content=long, pubDate=BEGIN + DAY)
    item(
        db,
        "https://cast.example/e1Mon, 24 Nov 2025 00:00:00 +0000",
        "Episode without a guid",
        cast,
        url="https://cast.example/e1",
        enclosure_url="https://cast.example/e1.mp3",
        enclosure_type="audio/mpeg",
        unread=1,
    )
    item(db, "exec:1", "From a command", "exec:~/bin/news tech", url="https://exec.example/1")
    item(db, "f:1", "Filtered", "filter:~/bin/tidy:http://127.0.0.1:65432/raw.xml", url="https://raw.example/1")
    item(db, "https://gone.example/1", "Of a feed that left", "https://gone.example/feed")


def make(name, sentences, pragmas=()):
    for end in ["", "-wal", "-shm", "-journal"]:
        if os.path.exists(name + end):
            os.remove(name + end)
    db = sqlite3.connect(name)
    for pragma in ("page_size = 1024",) + tuple(pragmas):
        db.execute(f"PRAGMA {pragma}")
    for sentence in sentences:
        db.execute(sentence)
    fill(db)
    db.commit()
    db.close()


make("old.db", OLD)
make("cache.db", OLD + NEW)
make("utf16.db", OLD, ['encoding = "UTF-16le"'])


def deep(db):
    """Enough rows for three levels of pages, and holes between the rowids."""
    db.execute("CREATE TABLE deep (n INTEGER PRIMARY KEY, text TEXT)")
    db.executemany("INSERT INTO deep VALUES (?, ?)", [(3 * n, f"row {n} " + "x" * (n % 90)) for n in range(900)])
    db.execute("CREATE TABLE kinds (a, b, c, d, e, f, g, h)")
    db.execute("INSERT INTO kinds VALUES (NULL, 0, 1, -2, 70000, 9007199254740993, 1.5, x'00ff')")
    db.execute("CREATE TABLE rowless (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
    db.execute("INSERT INTO rowless VALUES ('a', 1)")
    db.commit()


if os.path.exists("deep.db"):
    os.remove("deep.db")
db = sqlite3.connect("deep.db")
db.execute("PRAGMA page_size = 512")
deep(db)
db.close()


def wal():
    """What a program leaves that died with a -wal file: one transaction committed there, and one that was not."""
    for end in ["", "-wal", "-shm"]:
        if os.path.exists("live.db" + end):
            os.remove("live.db" + end)
    live = sqlite3.connect("live.db")
    live.execute("PRAGMA page_size = 512")
    live.execute("PRAGMA journal_mode = WAL")
    live.execute("PRAGMA wal_autocheckpoint = 0")
    live.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text)")
    live.execute("INSERT INTO t VALUES (1, 'in the file')")
    live.commit()
    live.execute("PRAGMA wal_checkpoint(FULL)")
    live.execute("UPDATE t SET text = 'changed' WHERE n = 1")
    live.execute("INSERT INTO t VALUES (2, 'in the wal')")
    live.commit()
    live.execute("PRAGMA cache_size = 1")
    live.execute("PRAGMA cache_spill = 1")
    live.executemany("INSERT INTO t VALUES (?, ?)", [(n, "never committed " * 20) for n in range(3, 60)])
    shutil.copy("live.db", "wal.db")
    shutil.copy("live.db-wal", "wal.db-wal")
    live.rollback()
    live.close()
    for end in ["", "-wal", "-shm"]:
        if os.path.exists("live.db" + end):
            os.remove("live.db" + end)


wal()
