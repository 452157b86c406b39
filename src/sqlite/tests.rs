use std::io;

use proptest::prelude::*;

use super::pages::ReadAt;
use super::*;

impl ReadAt for Vec<u8> {
    fn exact(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        let bytes = usize::try_from(at)
            .ok()
            .and_then(|at| self.get(at..at.checked_add(into.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(bytes);
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

const CACHE: &[u8] = include_bytes!("../../tests/newsboat/cache.db");
const OLD: &[u8] = include_bytes!("../../tests/newsboat/old.db");
const UTF16: &[u8] = include_bytes!("../../tests/newsboat/utf16.db");
const DEEP: &[u8] = include_bytes!("../../tests/newsboat/deep.db");
const WAL: &[u8] = include_bytes!("../../tests/newsboat/wal.db");
const WAL_WAL: &[u8] = include_bytes!("../../tests/newsboat/wal.db-wal");

fn open(bytes: &[u8]) -> Result<Database, SqliteError> {
    Database::over(Box::new(bytes.to_vec()), None)
}

fn with_wal(wal: &[u8]) -> Result<Database, SqliteError> {
    Database::over(Box::new(WAL.to_vec()), Some(Box::new(wal.to_vec())))
}

/// All rows of a table, all columns.
fn rows(database: &Database, name: &str) -> Result<Vec<(i64, Vec<Value>)>, SqliteError> {
    let table = database.table(name).expect("a table");
    let columns: Vec<usize> = (0..table.columns.len()).collect();
    let mut rows = Vec::new();
    database.each(table, &columns, |rowid, values| {
        rows.push((rowid, values));
        Ok::<_, SqliteError>(())
    })?;
    Ok(rows)
}

fn texts(database: &Database, name: &str) -> Vec<String> {
    let rows = rows(database, name).expect("whole");
    let line = |(rowid, values): (i64, Vec<Value>)| {
        let values: Vec<String> = values.into_iter().map(Value::text).collect();
        format!("{rowid}: {}", values.join(" "))
    };
    rows.into_iter().map(line).collect()
}

#[test]
fn every_schema_and_encoding_gives_the_same_rows() {
    for bytes in [CACHE, OLD, UTF16] {
        let database = open(bytes).expect("a database");
        let table = database.table("RSS_item").expect("the table");
        let columns = [
            "id", "title", "feedurl", "unread", "flags", "deleted", "base",
        ];
        let columns = columns.map(|name| table.column(name).expect("a column"));
        let mut seen = Vec::new();
        database
            .each(table, &columns, |rowid, values| {
                assert_eq!(values[0], Value::Int(rowid));
                seen.push(values);
                Ok::<_, SqliteError>(())
            })
            .expect("whole");
        assert_eq!(seen.len(), 9);
        assert_eq!(seen[2][1].clone().text(), "Flagged");
        assert_eq!(seen[2][4].clone().text(), "ab");
        assert_eq!(seen[3][5].int(), 1);
        assert_eq!(seen[4][1].clone().text(), "A long story ü 日本");
    }
}

#[test]
fn a_text_over_many_pages_comes_out_whole() {
    let database = open(CACHE).expect("a database");
    let table = database.table("rss_item").expect("the table");
    let content = table.column("content").expect("a column");
    let row = database.row(table, 5, &[content]).expect("whole");
    let text = row.expect("there").remove(0).text();
    assert!(text.starts_with("<p>Paragraph 0 of"), "{text}");
    assert!(text.ends_with("fill some pages.</p>"), "{text}");
    assert_eq!(text.matches("<p>").count(), 60);
}

#[test]
fn a_column_that_was_added_later_is_null_in_rows_before() {
    let database = open(DEEP).expect("a database");
    let table = database.table("deep").expect("the table");
    let row = database.row(table, 3, &[0, 1, 2, 17]).expect("whole");
    let row = row.expect("there");
    assert_eq!(row[0], Value::Int(3));
    assert_eq!(row[1], Value::Text("row 1 x".to_owned()));
    assert_eq!(row[2..], [Value::Null, Value::Null]);
}

#[test]
fn rows_are_found_by_their_number_over_all_levels() {
    let database = open(DEEP).expect("a database");
    let table = database.table("deep").expect("the table");
    let all = rows(&database, "deep").expect("whole");
    assert_eq!(all.len(), 900);
    assert!(all.windows(2).all(|two| two[0].0 < two[1].0));
    for (rowid, values) in all {
        let row = database.row(table, rowid, &[0, 1]).expect("whole");
        assert_eq!(row, Some(values));
        assert_eq!(database.row(table, rowid + 1, &[0]).expect("whole"), None);
    }
    for none in [-1, 2700, i64::MAX, i64::MIN] {
        assert_eq!(database.row(table, none, &[0]).expect("whole"), None);
    }
}

#[test]
fn every_kind_of_value_is_read() {
    let database = open(DEEP).expect("a database");
    let (_, row) = rows(&database, "kinds").expect("whole").remove(0);
    assert_eq!(
        row,
        [
            Value::Null,
            Value::Int(0),
            Value::Int(1),
            Value::Int(-2),
            Value::Int(70_000),
            Value::Int(9_007_199_254_740_993),
            Value::Real(1.5),
            Value::Blob(vec![0, 255]),
        ]
    );
    assert!(matches!(
        rows(&database, "rowless"),
        Err(SqliteError::Unsupported(_))
    ));
}

#[test]
fn a_wal_counts_as_far_as_it_was_committed() {
    let database = with_wal(WAL_WAL).expect("a database");
    assert_eq!(texts(&database, "t"), ["1: 1 changed", "2: 2 in the wal"]);
    assert!(database.is_unchanged());
    // Without it the file is what it was before.
    let database = open(WAL).expect("a database");
    assert_eq!(texts(&database, "t"), ["1: 1 in the file"]);
    // A frame that does not belong there ends it.
    let mut broken = WAL_WAL.to_vec();
    broken[40] ^= 1;
    let database = with_wal(&broken).expect("a database");
    assert_eq!(texts(&database, "t"), ["1: 1 in the file"]);
}

#[test]
fn what_is_no_database_is_named_so() {
    for bytes in [&b""[..], b"SQLite format 3", &[0; 4096]] {
        assert!(matches!(open(bytes), Err(SqliteError::NotADatabase)));
    }
    let mut odd = CACHE.to_vec();
    odd[16..18].copy_from_slice(&[3, 3]);
    assert!(matches!(
        open(&odd),
        Err(SqliteError::Damaged { page: 1, .. })
    ));
}

#[test]
fn a_file_cut_off_is_damaged_where_it_ends() {
    let database = open(&CACHE[..CACHE.len() - 3 * 1024]).expect("the schema is there");
    let error = rows(&database, "rss_item").expect_err("cut");
    assert!(error.to_string().contains("page"), "{error}");
}

#[test]
fn a_tree_in_circles_ends() {
    let mut circle = DEEP.to_vec();
    let database = open(DEEP).expect("a database");
    let root = database.table("deep").expect("the table").root as usize;
    let page = (root - 1) * 512;
    // The last child of the root is the root.
    circle[page + 8..page + 12].copy_from_slice(&(root as u32).to_be_bytes());
    let database = open(&circle).expect("the schema is whole");
    let error = rows(&database, "deep").expect_err("endless");
    assert!(error.to_string().contains("circles"), "{error}");
    let table = database.table("deep").expect("the table");
    assert!(database.row(table, i64::MAX, &[0]).is_err());
}

#[test]
fn a_transaction_that_broke_off_is_not_read_over() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("cache.db");
    std::fs::write(&path, CACHE).expect("written");
    assert!(Database::open(&path).expect("whole").is_unchanged());
    let journal = dir.path().join("cache.db-journal");
    std::fs::write(&journal, [0; 512]).expect("written");
    assert!(Database::open(&path).is_ok());
    let mut hot = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    hot.resize(1024, 0);
    std::fs::write(&journal, hot).expect("written");
    let error = Database::open(&path).expect_err("hot").to_string();
    assert!(error.contains("start that program once"), "{error}");
}

#[test]
fn a_write_meanwhile_is_noticed() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("cache.db");
    std::fs::write(&path, CACHE).expect("written");
    let database = Database::open(&path).expect("whole");
    let mut bytes = CACHE.to_vec();
    bytes[27] += 1;
    std::fs::write(&path, bytes).expect("written");
    assert!(!database.is_unchanged());
}

/// Reads whatever is there; only that it ends counts.
fn read_all(database: &Database) {
    for table in &database.tables {
        let columns: Vec<usize> = (0..table.columns.len().min(40)).collect();
        let _ = database.each(table, &columns, |rowid, _| {
            let _ = database.row(table, rowid.wrapping_add(1), &columns);
            Ok::<_, SqliteError>(())
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_makes_a_walk_panic_or_go_on_for_ever(
        which in 0..4_usize,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = [CACHE, OLD, UTF16, DEEP][which].to_vec();
        for (at, byte) in flips {
            // Half of them where pages begin: that is where the trees are.
            let at = at.index(2 * bytes.len());
            let at = if at < bytes.len() { at } else { (at - bytes.len()) / 512 * 512 + at % 16 };
            bytes[at] = byte;
        }
        if let Some(end) = end {
            let end = end.index(bytes.len());
            bytes.truncate(end);
        }
        if let Ok(database) = open(&bytes) {
            read_all(&database);
        }
    }

    #[test]
    fn no_damage_of_a_wal_makes_it_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        end in any::<prop::sample::Index>(),
    ) {
        let mut wal = WAL_WAL.to_vec();
        for (at, byte) in flips {
            let at = at.index(wal.len());
            wal[at] = byte;
        }
        wal.truncate(end.index(wal.len() + 1));
        if let Ok(database) = with_wal(&wal) {
            read_all(&database);
        }
    }
}
