//! The numbers of list items.

use super::super::document::Numbering;

/// A number as its list writes it.
pub fn numeral(numbering: Numbering, number: i64) -> String {
    match numbering {
        Numbering::Bullet | Numbering::Decimal => number.to_string(),
        Numbering::Lower => letters(number).unwrap_or_else(|| number.to_string()),
        Numbering::Upper => {
            letters(number).map_or_else(|| number.to_string(), |l| l.to_uppercase())
        }
        Numbering::LowerRoman => roman(number).unwrap_or_else(|| number.to_string()),
        Numbering::UpperRoman => {
            roman(number).map_or_else(|| number.to_string(), |r| r.to_uppercase())
        }
    }
}

fn letters(mut number: i64) -> Option<String> {
    if number < 1 {
        return None;
    }
    let mut out = Vec::new();
    while number > 0 {
        number -= 1;
        out.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    Some(out.into_iter().rev().collect())
}

fn roman(mut number: i64) -> Option<String> {
    const SIGNS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut out = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            out.push_str(sign);
            number -= value;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_list_asks() {
        let cases = [
            (Numbering::Decimal, -3, "-3"),
            (Numbering::Lower, 1, "a"),
            (Numbering::Lower, 28, "ab"),
            (Numbering::Upper, 0, "0"),
            (Numbering::LowerRoman, 1994, "mcmxciv"),
            (Numbering::UpperRoman, 4000, "4000"),
        ];
        for (numbering, number, wanted) in cases {
            assert_eq!(numeral(numbering, number), wanted);
        }
        assert!(letters(i64::MAX).is_some());
    }
}
