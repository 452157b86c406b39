//! A screen as SVG: a rectangle for each run of cells of one background, a text for each run of one look.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// A cell in pixels, with the font size that fills it.
const WIDE: f64 = 8.4;
const HIGH: f64 = 18.0;
const FONT: f64 = 14.0;
const MARGIN: f64 = 10.0;

const BACK: &str = "#14161a";
const FORE: &str = "#c8ccd2";
/// The sixteen colours of a terminal.
const SIXTEEN: [&str; 16] = [
    "#1c1f24", "#d16d6d", "#8fb573", "#d0b35f", "#6f9fd8", "#b48ac8", "#5fb3b3", "#c8ccd2",
    "#6b7280", "#e58f8f", "#a8cf8a", "#e6cb7c", "#8fb8ea", "#c9a4da", "#7fcccc", "#f2f4f7",
];

/// What a run of cells has in common.
#[derive(PartialEq, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "as a terminal has them")]
struct Look {
    fore: String,
    back: String,
    bold: bool,
    italic: bool,
    underline: bool,
    dim: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (fore, back) = (hex(cell.fgcolor(), FORE), hex(cell.bgcolor(), BACK));
        let (fore, back) = if cell.inverse() {
            (back, fore)
        } else {
            (fore, back)
        };
        Self {
            fore,
            back,
            bold: cell.bold(),
            italic: cell.italic(),
            underline: cell.underline(),
            dim: cell.dim(),
        }
    }
}

fn hex(color: Color, default: &str) -> String {
    match color {
        Color::Default => default.to_owned(),
        Color::Idx(n @ 0..=15) => SIXTEEN[usize::from(n)].to_owned(),
        Color::Idx(n @ 16..=231) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            let (r, g, b) = (level(n / 36), level(n / 6 % 6), level(n % 6));
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        Color::Idx(n) => {
            let grey = 8 + 10 * (n - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}

/// The whole screen.
pub fn draw(screen: &Screen, title: &str) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f64::from(columns).mul_add(WIDE, 2.0 * MARGIN);
    let height = f64::from(rows).mul_add(HIGH, 2.0 * MARGIN);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"{FONT}\">\n<title>tidings: {title}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{BACK}\"/>"
    );
    for row in 0..rows {
        for (from, to, look, text) in runs(screen, row, columns) {
            run(&mut svg, row, (from, to), &look, &text);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The runs of a row: first column, the one after the last, look, text.
fn runs(screen: &Screen, row: u16, columns: u16) -> Vec<(u16, u16, Look, String)> {
    let mut runs: Vec<(u16, u16, Look, String)> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        if cell.is_wide_continuation() {
            if let Some((_, to, _, _)) = runs.last_mut() {
                *to = column + 1;
            }
            continue;
        }
        let look = Look::of(cell);
        let said = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        match runs.last_mut() {
            Some((_, to, known, text)) if *known == look => {
                *to = column + 1;
                text.push_str(said);
            }
            _ => runs.push((column, column + 1, look, said.to_owned())),
        }
    }
    runs
}

fn run(svg: &mut String, row: u16, (from, to): (u16, u16), look: &Look, text: &str) {
    let x = f64::from(from).mul_add(WIDE, MARGIN);
    let y = f64::from(row).mul_add(HIGH, MARGIN);
    let width = f64::from(to - from) * WIDE;
    if look.back != BACK {
        let back = &look.back;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{HIGH}\" fill=\"{back}\"/>"
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let mut style = String::new();
    for (set, said) in [
        (look.bold, " font-weight=\"bold\""),
        (look.italic, " font-style=\"italic\""),
        (look.underline, " text-decoration=\"underline\""),
        (look.dim, " opacity=\"0.6\""),
    ] {
        style.push_str(if set { said } else { "" });
    }
    let (fore, y) = (&look.fore, y + 13.5);
    let text = escaped(text.trim_end());
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{fore}\" xml:space=\"preserve\"{style}>{text}</text>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
