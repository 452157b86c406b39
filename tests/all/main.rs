//! Every test that needs more than one room, in one binary: fewer links, faster runs.

#[path = "../support/mod.rs"]
mod support;

mod article;
mod cli;
mod demo;
mod desk;
mod fetch;
mod floors;
mod polls;
mod repro;
mod screens;
