//! Blocks to rows. Data flows one way: `columns` shares a table's width out, `breaks` and `code` break lines, `setting` stacks rows
//! behind their indents, `blocks` says how each block is set.

mod blocks;
mod breaks;
mod code;
mod columns;
mod graphemes;
mod numeral;
mod setting;

use super::document::{Document, Span};
use super::page::{Page, Run};
use super::style::{Kind, Style};

pub use setting::Options;
use setting::Setting;

/// Sets a document for so many columns, links numbered and listed at the end.
pub fn layout(document: &Document, width: u16) -> Page {
    layout_with(document, &Options::of(width))
}

/// Sets a document as the options say. Never fails; no row is wider than the width.
pub fn layout_with(document: &Document, options: &Options) -> Page {
    let mut setting = Setting::new(options, usize::from(options.width.max(1)), 0);
    setting.blocks(&document.blocks, false);
    if options.numbers && options.references {
        references(&mut setting, document);
    }
    if document.cut || setting.full {
        setting.full = false;
        setting.gap_here();
        let note = Span {
            text: "… The rest is too long to be shown here.".to_owned(),
            style: Style::of(Kind::Note),
        };
        setting.limit = usize::MAX;
        setting.text(&[note]);
    }
    Page {
        rows: setting.rows,
        links: document.links.clone(),
        images: document.images.clone(),
    }
}

fn references(setting: &mut Setting, document: &Document) {
    let widest = document.links.len().to_string().len() + 3;
    for (at, link) in document.links.iter().enumerate() {
        if setting.full {
            return;
        }
        if at == 0 {
            setting.gap_here();
        }
        let number = at as u32 + 1;
        let style = |kind| Style {
            link: Some(number),
            ..Style::of(kind)
        };
        let mark = Run {
            text: format!("{:>widest$}", format!("[{number}] ")),
            style: style(Kind::Number),
        };
        setting.indent(Some(mark), None, widest);
        setting.text(&[Span {
            text: link.url.clone(),
            style: style(Kind::Reference),
        }]);
        setting.outdent();
    }
}

/// The page as plain text for stdout, a pipe or the clipboard: headings with `#`, lines without trailing blanks, one
/// line feed at the end of each. Empty for an empty document.
pub fn plain(document: &Document, width: u16) -> String {
    let options = Options {
        heading_marks: true,
        ..Options::of(width)
    };
    let page = layout_with(document, &options);
    let mut out = String::new();
    for row in &page.rows {
        for run in &row.runs {
            out.push_str(&run.text);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}
