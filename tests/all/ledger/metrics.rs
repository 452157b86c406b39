//! A reader of `OpenMetrics` 1.0 text that forgives nothing.

use std::collections::{BTreeMap, BTreeSet};

/// A page that obeys the specification.
pub struct Metrics {
    samples: Vec<Sample>,
}

type Labels = Vec<(String, String)>;

struct Sample {
    name: String,
    labels: Labels,
    value: f64,
}

#[derive(Default)]
struct Family {
    name: String,
    kind: Option<String>,
    unit: Option<String>,
    help: Option<String>,
    samples: bool,
}

impl Metrics {
    /// Reads a page, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let body = text
            .strip_suffix("# EOF\n")
            .ok_or("it does not end in # EOF and a line feed")?;
        let mut seen = BTreeSet::new();
        let mut families = BTreeSet::new();
        let mut family = Family::default();
        let mut samples = Vec::new();
        for line in body.split_terminator('\n') {
            let wrong = |why: &str| format!("{why}: {line}");
            if line.contains('\r') || line.is_empty() {
                return Err(wrong("an empty line, or a carriage return"));
            }
            if let Some(meta) = line.strip_prefix("# ") {
                metadata(meta, &mut family, &mut families).map_err(|why| wrong(&why))?;
                continue;
            }
            if line.starts_with('#') {
                return Err(wrong("a comment"));
            }
            let sample = sample(line).map_err(|why| wrong(&why))?;
            belongs(&sample, &family).map_err(|why| wrong(&why))?;
            family.samples = true;
            let mut labels = sample.labels.clone();
            labels.sort();
            if !seen.insert((sample.name.clone(), labels)) {
                return Err(wrong("the same sample twice"));
            }
            samples.push(sample);
        }
        together(&samples)?;
        Ok(Self { samples })
    }

    /// The value of the only sample of this name that has these labels among its own.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let has = |sample: &&Sample| {
            labels.iter().all(|(name, value)| {
                let mut own = sample.labels.iter();
                own.any(|(own, is)| own == name && is == value)
            })
        };
        let mut found = self
            .samples
            .iter()
            .filter(|sample| sample.name == name)
            .filter(has);
        let value = found.next()?.value;
        assert!(found.next().is_none(), "{name} {labels:?} is not one alone");
        Some(value)
    }
}

/// `TYPE`, `UNIT` or `HELP`: once a family, before its samples; a family comes once.
fn metadata(
    meta: &str,
    family: &mut Family,
    families: &mut BTreeSet<String>,
) -> Result<(), String> {
    let mut words = meta.splitn(3, ' ');
    let (what, name) = (
        words.next().unwrap_or_default(),
        words.next().ok_or("no name")?,
    );
    let text = words.next().ok_or("no text")?;
    if !is_name(name, true) {
        return Err("a name that is none".into());
    }
    if name != family.name {
        if !families.insert(name.to_owned()) {
            return Err("a family that comes again".into());
        }
        *family = Family {
            name: name.to_owned(),
            ..Family::default()
        };
    }
    if family.samples {
        return Err("metadata behind samples".into());
    }
    let place = match what {
        "TYPE" if ["counter", "gauge", "info"].contains(&text) => &mut family.kind,
        "UNIT" if name.ends_with(&format!("_{text}")) && family.kind.as_deref() != Some("info") => {
            &mut family.unit
        }
        "HELP" => {
            unescaped(text)?;
            &mut family.help
        }
        _ => return Err("unknown metadata".into()),
    };
    match place.replace(text.to_owned()) {
        None => Ok(()),
        Some(_) => Err("metadata that comes again".into()),
    }
}

/// Letters, digits, underscore; no digit first. Colons only in names of metrics.
fn is_name(name: &str, colons: bool) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || (colons && c == ':');
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(good)
}

fn sample(line: &str) -> Result<Sample, String> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, mut rest) = line.split_at(end);
    if !is_name(name, true) {
        return Err("a name that is none".into());
    }
    let mut labels: Labels = Vec::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            if !labels.is_empty() {
                rest = rest.strip_prefix(',').ok_or("no comma")?;
            }
            let (name, behind) = rest.split_once("=\"").ok_or("no label")?;
            if !is_name(name, false) || name.starts_with("__") {
                return Err("a label's name that is none".into());
            }
            let end = closing(behind).ok_or("no closing quote")?;
            let value = unescaped(&behind[..end])?;
            if labels.iter().any(|(known, _)| known == name) {
                return Err("a label twice".into());
            }
            labels.push((name.to_owned(), value));
            rest = &behind[end + 1..];
        }
        rest = &rest[1..];
    }
    let number = rest.strip_prefix(' ').ok_or("no space before the value")?;
    let good = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e');
    if !number.chars().all(good) {
        return Err("more than a number behind the labels".into());
    }
    let value = number.parse().map_err(|_| "no number")?;
    Ok(Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Where the quote is that no backslash hides.
fn closing(text: &str) -> Option<usize> {
    let mut hidden = false;
    text.char_indices().find_map(|(at, c)| {
        let end = c == '"' && !hidden;
        hidden = c == '\\' && !hidden;
        end.then_some(at)
    })
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('\\') => '\\',
                Some('"') => '"',
                Some('n') => '\n',
                other => return Err(format!("an escape that is none: {other:?}")),
            },
            '"' => return Err("a quote that is not escaped".into()),
            c => c,
        });
    }
    Ok(plain)
}

/// The sample's name is its family's with the ending of the kind, and its value fits the kind.
fn belongs(sample: &Sample, family: &Family) -> Result<(), String> {
    let kind = family.kind.as_deref().ok_or("a family without a type")?;
    family.help.as_ref().ok_or("a family without help")?;
    let suffix = match kind {
        "counter" => "_total",
        "info" => "_info",
        _ => "",
    };
    if sample.name != format!("{}{suffix}", family.name) {
        return Err(format!("a sample in the family {}", family.name));
    }
    let fits = match kind {
        "counter" => sample.value >= 0.0,
        "info" => (sample.value - 1.0).abs() < f64::EPSILON,
        _ => sample.value.is_finite(),
    };
    if fits {
        Ok(())
    } else {
        Err("a value that does not fit".into())
    }
}

/// All samples of a family have the same label names.
fn together(samples: &[Sample]) -> Result<(), String> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for sample in samples {
        let own: Vec<&str> = sample
            .labels
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let known = names.entry(&sample.name).or_insert_with(|| own.clone());
        if *known != own {
            return Err(format!("{} has other labels", sample.name));
        }
    }
    Ok(())
}

#[test]
fn the_reader_refuses_what_is_not_valid() {
    let head = "# TYPE a counter\n# HELP a x\n";
    for bad in [
        "",
        "# EOF",
        "# EOF\n\n",
        "a_total 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total -1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total{x=\"\"y\"} 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total{x=\"\\z\"} 1\n# EOF\n",
        "# TYPE a counter\n# UNIT a bytes\n# HELP a x\na_total 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total 1\na_total 1\n# EOF\n",
        "# TYPE a counter\n# HELP a x\na_total 1\n# TYPE b gauge\n# HELP b x\nb 1\n# TYPE a counter\n# EOF\n",
    ] {
        assert!(Metrics::parse(bad).is_err(), "{bad}");
    }
    let good = format!("{head}a_total{{x=\"q\\\"\\\\\\n\"}} 1\n# EOF\n");
    assert!(Metrics::parse(&good).is_ok());
}
