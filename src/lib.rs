//! tidings: a terminal feed reader that asks before it downloads.

pub mod article;
pub mod cli;
pub mod commands;
pub mod config;
pub mod engine;
pub mod fetch;
pub mod files;
pub mod headless;
pub mod log;
pub mod model;
pub mod parse;
pub mod paths;
pub mod poll;
pub mod query;
pub mod serve;
pub mod store;
pub mod tui;
