//! Every test that needs more than one room, in one binary: fewer links, faster runs.

#[path = "../support/mod.rs"]
mod support;

mod demo;
mod fetch;
mod article;
mod cli;
mod floors;
mod repro;
