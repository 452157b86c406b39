//! Arguments to a front end; an error to a sentence and an exit code.

use std::io::{self, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use tidings::article::sanitize;
use tidings::cli::{self, Cli, Command, Refresh};
use tidings::commands::{self, Context, Failure, exit};
use tidings::engine::{self, Mode, Options};
use tidings::headless::{self, Ending, Request};
use tidings::paths::{self, Overrides};
use tidings::{files, log, model};

fn main() -> ExitCode {
    let cli = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(usage) => {
            usage.print();
            return ExitCode::from(usage.exit_code());
        }
    };
    std::panic::set_hook(Box::new(|panic| {
        if model::is_caught() {
            tracing::warn!("{panic}");
            return;
        }
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let what = text.unwrap_or("a panic");
        tracing::error!(place, what, "internal error");
        say(&format!(
            "internal error at {place}: {what}; what was stored is safe, please report this"
        ));
    }));
    let ended = catch_unwind(AssertUnwindSafe(|| run(&cli)));
    let code = match ended {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            say(&failure.sentence);
            failure.code
        }
        Err(_) => exit::INTERNAL,
    };
    ExitCode::from(code)
}

fn run(cli: &Cli) -> Result<u8, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match &cli.command {
        Some(Command::Completions { shell }) => return commands::completions(*shell, &mut out),
        Some(Command::Man) => return commands::man(&mut out),
        // Of a configuration that is broken too: it is not read before.
        Some(Command::Config(wanted)) => {
            return commands::configuration(wanted, &locations(cli)?, &mut out);
        }
        Some(Command::Demo(demo)) => {
            if !demo.refresh_only {
                commands::need_terminal()?;
            }
            // The reader draws on standard output by itself.
            drop(out);
            let mut out = io::stdout();
            return commands::demo(demo, cli.globals.color, &mut out);
        }
        _ => {}
    }
    let (context, warnings) = context(cli)?;
    match &cli.command {
        Some(command) => {
            say_all(&warnings);
            commands::run(command, &context, &mut out)
        }
        None if cli.refresh.refresh_only => {
            say_all(&warnings);
            refresh_only(&cli.refresh, &context, &mut out)
        }
        None => {
            drop(out);
            commands::reader(&context, cli.globals.color, warnings)?;
            Ok(exit::WELL)
        }
    }
}

/// Where the files lie.
fn locations(cli: &Cli) -> Result<model::Locations, Failure> {
    let overrides = Overrides {
        config_dir: cli.globals.config_dir.clone(),
        data_dir: cli.globals.data_dir.clone(),
        state_dir: cli.globals.state_dir.clone(),
    };
    paths::find(&overrides, |name| std::env::var_os(name))
        .map_err(|error| Failure::usage(error.to_string()))
}

/// Finds the files, begins to log, reads the settings.
fn context(cli: &Cli) -> Result<(Context, Vec<String>), Failure> {
    let locations = locations(cli)?;
    log::start(&locations, cli.globals.verbose);
    let (settings, warnings) = files::load_settings(&locations)?;
    let context = Context {
        locations,
        settings,
    };
    Ok((context, warnings))
}

fn refresh_only(wanted: &Refresh, context: &Context, out: &mut dyn Write) -> Result<u8, Failure> {
    let options = Options {
        locations: context.locations.clone(),
        settings: context.settings.clone(),
        mode: Mode::OneShot,
    };
    let (client, notices) =
        engine::start(options).map_err(|error| commands::start_failure(&error))?;
    say_all(&notices);
    let request = Request {
        urls: wanted.urls.clone(),
        force: wanted.force,
        json: wanted.json,
        dry_run: wanted.dry_run,
    };
    let (ending, client) = headless::run(client, &request, out);
    client.shutdown();
    if let Some(path) = &wanted.textfile {
        commands::write_textfile(path, context)?;
    }
    if let Ending::Usage(why) | Ending::Busy(why) | Ending::Internal(why) = &ending {
        say(why);
    }
    Ok(ending.exit_code())
}

fn say_all(sentences: &[String]) {
    for sentence in sentences {
        say(sentence);
    }
}

/// A sentence on standard error, if there is anything to say. Nobody is told when standard error is gone.
fn say(sentence: &str) {
    if !sentence.is_empty() {
        let line = format!("tidings: {}\n", sanitize::text(sentence));
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
