//! What is believed of a feed that says that it is complete (RFC 5005 §2, R81).

/// So few are believed in any case.
const FEW: usize = 3;

/// `gone` of the `had` entries that a complete feed listed before are listed no longer: that is believed, unless it is most of
/// them at once, which a mistake of the server looks like. An empty feed withdraws nothing.
pub const fn is_withdrawal(listed: usize, had: usize, gone: usize) -> bool {
    listed > 0 && (gone <= FEW || 2 * gone <= had)
}

#[cfg(test)]
mod tests {
    use super::is_withdrawal;

    #[test]
    fn r81_most_of_a_feed_at_once_is_a_mistake() {
        for (listed, had, gone, wanted) in [
            (10, 10, 1, true),
            (1, 3, 3, true),
            (0, 1, 1, false),
            (5, 10, 5, true),
            (4, 10, 6, false),
            (4, 4, 4, false),
        ] {
            assert_eq!(
                is_withdrawal(listed, had, gone),
                wanted,
                "{listed} {had} {gone}"
            );
        }
    }
}
