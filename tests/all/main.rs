//! Every test that needs more than one room, in one binary: fewer links, faster runs.

mod floors;
mod hostile;
mod properties;
mod repro;
