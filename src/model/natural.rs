//! The order in which a person expects names: without regard to case, and `Feed 2` before `Feed 10`.

/// A text by whose bytes `text` is sorted: lower case, and before every run of digits how many there are.
pub fn natural(text: &str) -> String {
    let mut key = String::with_capacity(text.len() + 4);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !c.is_ascii_digit() {
            key.extend(c.to_lowercase());
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (run, after) = rest.split_at(end.unwrap_or(rest.len()));
        let digits = run.trim_start_matches('0');
        // A zero keeps numbers where digits stand among other characters.
        key.push('0');
        // Longer runs than this are sorted as text.
        key.push(char::from(digits.len().min(127) as u8));
        key.push_str(digits);
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_in_names_count() {
        let wanted = [
            "",
            "10",
            "?",
            "Episode 9",
            "episode 10",
            "Episode 0100",
            "episode 101a",
            "Feed",
            "feed 2",
            "Feed 2.5",
            "feed 2.10",
            "Feed 10",
            "feeds",
            "Été 1",
            "été 2",
        ];
        let mut names = wanted;
        names.reverse();
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, wanted);
        let long = "9".repeat(300);
        assert!(natural(&long) < natural(&format!("{long}1")));
    }
}
