//! Every test that needs more than one room, in one binary: fewer links, faster runs.

mod article;
mod floors;
