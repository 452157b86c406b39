//! Whatever text comes in, what goes out is well-formed, and holds the entries that it says it holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quick_xml::Reader;
use quick_xml::events::Event;
use tidings::parse::fuzzing::repair;

fuzz_target!(|text: &str| {
    let Some(documents) = repair(text, "https://a.example/feed") else {
        return;
    };
    for (entries, document) in documents {
        let mut reader = Reader::from_str(&document);
        let (mut depth, mut found) = (0_usize, 0_usize);
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Start(tag) => {
                    assert!(tag.attributes().all(|a| a.is_ok()));
                    depth += 1;
                    found += usize::from(depth == 2 && tag.name().as_ref() == "entry");
                }
                Event::Empty(tag) => assert!(tag.attributes().all(|a| a.is_ok())),
                Event::End(_) => depth -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        assert_eq!(found, entries);
    }
});
