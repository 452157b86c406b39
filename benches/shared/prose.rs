//! Sample text and a cheap source of chance, for benches that fill a store.

/// A cheap source of chance: the same seed, the same row.
pub struct Chance(u32);

impl Chance {
    pub const fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// 24 bits.
    pub const fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

/// HTML of about `size` bytes that compresses like prose.
pub fn prose(seed: u32, size: usize) -> String {
    const WORDS: [&str; 16] = [
        "the",
        "reader",
        "asks",
        "before",
        "it",
        "downloads",
        "a",
        "feed",
        "<em>only</em>",
        "when",
        "something",
        "has",
        "changed",
        "</p><p>",
        "server",
        "<a href=\"https://example.org/\">",
    ];
    let mut chance = Chance::new(seed | 1);
    let mut text = String::with_capacity(size + 64);
    while text.len() < size {
        let word = chance.next();
        text.push_str(WORDS[(word >> 20) as usize & 15]);
        text.push(' ');
        if word.trailing_zeros() >= 3 {
            text.push_str(&word.to_string());
        }
    }
    text
}
