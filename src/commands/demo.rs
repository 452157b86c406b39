//! `tidings demo`: the product on a built-in server, in a directory that goes away with it.

use std::io::Write;
use std::time::Duration;

use tempfile::TempDir;

use super::ask::start_failure;
use super::say::say;
use super::{Context, Failure, exit, reader};
use crate::cli::{Color, Demo};
use crate::config;
use crate::engine::{self, Client, Mode, Options};
use crate::files;
use crate::headless::{self, Ending, Request};
use crate::model::{Locations, Settings};
use crate::serve;

/// Serves the bundled feeds and opens the reader on them, or polls them twice without it.
pub fn demo(wanted: &Demo, color: Color, out: &mut dyn Write) -> Result<u8, Failure> {
    let dir = tempfile::Builder::new()
        .prefix("tidings-demo-")
        .tempdir()
        .map_err(|error| {
            Failure::internal(format!("no temporary directory could be made: {error}"))
        })?;
    // Served until the end of this function.
    let server = serve::demo::start().map_err(|error| {
        Failure::internal(format!("the demo's server could not start: {error}"))
    })?;
    let locations = locations(&dir);
    files::edit_subscriptions(&locations, |text| {
        config::add(text, &server.subscriptions())
    })?;
    let mut settings = Settings::default();
    // One server plays all the hosts of the demo.
    settings.http.host_budget = 0;
    settings.http.respect_crawl_delay = false;
    // Its server is in this process: whoever presses `R` at once shall see the answers.
    settings.poll.debounce = Duration::from_secs(2);
    let context = Context {
        locations,
        settings,
    };
    if !wanted.refresh_only {
        reader(&context, color, Vec::new())?;
        return Ok(exit::WELL);
    }
    let options = Options {
        locations: context.locations,
        settings: context.settings,
        mode: Mode::OneShot,
    };
    let (client, notices) = engine::start(options).map_err(|error| start_failure(&error))?;
    for notice in notices {
        say(&notice);
    }
    rounds(client, wanted.json, out)
}

fn locations(dir: &TempDir) -> Locations {
    Locations {
        config_dir: dir.path().join("config"),
        data_dir: dir.path().join("data"),
        state_dir: dir.path().join("state"),
    }
}

/// First polls, then a forced round. The demo's failures are part of it: they are no failure of the run.
fn rounds(mut client: Client, json: bool, out: &mut dyn Write) -> Result<u8, Failure> {
    for (round, force) in [("first polls", false), ("once more, by force", true)] {
        if !json {
            writeln!(out, "— {round}")?;
        }
        let request = Request {
            force,
            json,
            ..Request::default()
        };
        let (ending, back) = headless::run(client, &request, out);
        client = back;
        match ending {
            Ending::Done(summary) if !summary.busy && summary.undone == 0 => {}
            Ending::Usage(why) | Ending::Internal(why) => return Err(Failure::internal(why)),
            ending => {
                client.shutdown();
                return Ok(ending.exit_code());
            }
        }
    }
    client.shutdown();
    out.flush()?;
    Ok(exit::WELL)
}
