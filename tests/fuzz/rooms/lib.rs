//! The floors of tidings that read the network, from the very files of the project: a tenth of its dependencies, so that
//! a mended fault is fuzzed again within a minute.
#![allow(dead_code)]

#[path = "../../../src/article/mod.rs"]
pub mod article;
#[path = "../../../src/model/mod.rs"]
pub mod model;
#[path = "../../../src/parse/mod.rs"]
pub mod parse;
#[path = "../../../src/poll/mod.rs"]
pub mod poll;
