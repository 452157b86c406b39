//! Time zones, by number and by name.

/// Seconds east of UTC that a zone says; nothing where it is not a zone at all.
pub(super) fn offset(zone: &str) -> Option<i64> {
    let zone = zone
        .trim()
        .trim_matches(['(', ')', '[', ']', ',', ';'])
        .trim();
    if zone.is_empty() {
        return Some(0);
    }
    if let Some(sign) = zone.find(['+', '-', '−']) {
        let (name, number) = zone.split_at(sign);
        let named = if name.trim().is_empty() {
            0
        } else {
            zone_named(name.trim())?
        };
        let negative = !number.starts_with('+');
        let digits: String = number
            .chars()
            .skip(1)
            .skip_while(|c| c.is_whitespace())
            .take_while(|c| c.is_ascii_digit() || *c == ':')
            .filter(char::is_ascii_digit)
            .collect();
        let (hours, minutes) = match digits.len() {
            0 => (0, 0),
            1 | 2 => (digits.parse().ok()?, 0),
            3 => (digits[..1].parse().ok()?, digits[1..].parse().ok()?),
            _ => (
                digits[..2].parse::<i64>().ok()?,
                digits[2..4].parse::<i64>().ok()?,
            ),
        };
        let seconds = hours * 3600 + minutes * 60;
        return Some(named + if negative { -seconds } else { seconds });
    }
    let first = zone.split([' ', '(', ',']).next().unwrap_or(zone);
    zone_named(first)
}

/// Hours east of UTC, in minutes, of named zones. Military letters count as UTC: RFC 822 had their signs wrong.
fn zone_named(name: &str) -> Option<i64> {
    #[rustfmt::skip]
    const ZONES: &[(&str, i64)] = &[
        ("z", 0), ("ut", 0), ("utc", 0), ("gmt", 0), ("wet", 0), ("uct", 0), ("zulu", 0), ("west", 60),
        ("bst", 60), ("cet", 60), ("met", 60), ("mez", 60), ("wat", 60), ("ist", 330), ("cest", 120),
        ("mest", 120), ("mesz", 120), ("eet", 120), ("sast", 120), ("cat", 120), ("idt", 180),
        ("eest", 180), ("msk", 180), ("eat", 180), ("trt", 180), ("msd", 240), ("gst", 240),
        ("pkt", 300), ("npt", 345), ("ict", 420), ("wib", 420), ("hkt", 480), ("sgt", 480),
        ("awst", 480), ("myt", 480), ("jst", 540), ("kst", 540), ("acst", 570), ("aest", 600),
        ("acdt", 630), ("aedt", 660), ("nzst", 720), ("nzdt", 780), ("brt", -180), ("art", -180),
        ("clt", -240), ("brst", -120), ("ndt", -150), ("nst", -210), ("adt", -180), ("ast", -240),
        ("edt", -240), ("est", -300), ("et", -300), ("cdt", -300), ("cst", -360), ("ct", -360),
        ("mdt", -360), ("mst", -420), ("mt", -420), ("pdt", -420), ("pst", -480), ("pt", -480),
        ("akdt", -480), ("akst", -540), ("hst", -600),
    ];
    let lower = name.trim_end_matches('.').to_ascii_lowercase();
    let known = ZONES.iter().find(|(zone, _)| *zone == lower);
    known.map(|(_, minutes)| minutes * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_read_by_number_and_by_name() {
        for (zone, minutes) in [
            ("", Some(0)),
            ("+0530", Some(330)),
            ("-03:30", Some(-210)),
            ("+1", Some(60)),
            ("GMT+2", Some(120)),
            ("EST", Some(-300)),
            ("(PDT)", Some(-420)),
            ("z", Some(0)),
            ("Uhr", None),
        ] {
            assert_eq!(offset(zone), minutes.map(|m| m * 60), "{zone}");
        }
    }
}
