//! Shell completions and the manual page.

use std::io::{self, Write};

use super::{EXIT_CODES, Shell, USAGE, command};

/// Writes the completions of a shell.
pub fn completions(shell: Shell, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "tidings", &mut text);
    out.write_all(&text)
}

/// Writes the manual: one page, every command a part of it.
pub fn man(out: &mut dyn Write) -> io::Result<()> {
    let mut command = command();
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    out.write_all(b".SH SYNOPSIS\n")?;
    for line in USAGE.lines() {
        writeln!(out, "{}\n.br", line.trim().replace('-', "\\-"))?;
    }
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    out.write_all(b".SH COMMANDS\n")?;
    for part in command
        .get_subcommands()
        .filter(|part| part.get_name() != "help")
    {
        man_part(part, out)?;
    }
    out.write_all(b".SH \"EXIT STATUS\"\n")?;
    for (code, meaning) in EXIT_CODES {
        writeln!(out, ".TP\n{code}\n{meaning}")?;
    }
    out.write_all(
        b".SH ENVIRONMENT\n.TP\nTIDINGS_CONFIG_DIR, TIDINGS_DATA_DIR, TIDINGS_STATE_DIR\n\
        Like \\-\\-config\\-dir, \\-\\-data\\-dir and \\-\\-state\\-dir.\n.TP\nNO_COLOR\nNo colours, when set.\n\
        .SH FILES\n.TP\nconfig.toml\nSettings, in the config directory.\n\
        .TP\nfeeds.toml\nThe subscriptions, in the config directory.\n\
        .TP\ntidings.redb\nEntries, marks and what polling learned, in the data directory.\n\
        .TP\ntidings.log\nThe log, in the state directory.\n",
    )
}

/// One command: what `clap_mangen` writes as a page, as a part of ours.
fn man_part(command: &clap::Command, out: &mut dyn Write) -> io::Result<()> {
    // The global options stand once, at the top of the page.
    let part = command.clone().mut_args(|arg| {
        if arg.is_global_set() {
            arg.hide(true)
        } else {
            arg
        }
    });
    let name = part.get_name().to_owned();
    let part = part
        .display_name(format!("tidings {name}"))
        .bin_name(format!("tidings {name}"));
    let options = part
        .get_arguments()
        .any(|arg| !arg.is_hide_set() && arg.get_id() != "help");
    let page = clap_mangen::Man::new(part);
    let mut text = Vec::new();
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    if options {
        page.render_options_section(&mut text)?;
    }
    writeln!(out, ".SS \"tidings {name}\"")?;
    for line in String::from_utf8_lossy(&text).lines() {
        match line.strip_prefix(".SH ") {
            Some("SYNOPSIS") => {}
            Some(_) => out.write_all(b".PP\n")?,
            // The lead of roff, once per rendered piece.
            None if line.starts_with(".ie") || line.starts_with(".el") => {}
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}
