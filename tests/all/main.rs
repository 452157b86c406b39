//! Every test that needs more than one room, in one binary: fewer links, faster runs.

#[path = "../support/mod.rs"]
mod support;

mod article;
mod cli;
mod clocks;
mod command_line;
mod commands;
mod configuration;
mod crash;
mod demo;
mod desk;
mod fetch;
mod floors;
mod full_text;
mod hostile;
mod hosts;
mod inspect;
mod keys;
mod ledger;
mod lists;
mod marking;
mod moves;
mod newer;
mod newsboat;
mod page;
mod pictures;
mod polls;
mod preview;
mod processes;
mod properties;
mod prune;
mod push;
mod reading;
mod readme;
mod repro;
mod screens;
mod search;
mod session;
mod sitemaps;
mod sources;
mod status;
mod storms;
mod tending;
mod terminal;
mod watch;
