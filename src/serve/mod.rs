//! The server inside the reader: the feeds of `tidings demo`, each on a loopback port of its own.
//!
//! Its feeds are bundled, its dates are told from the moment it starts, and its faults are on purpose.

mod answer;
mod bundle;
pub mod demo;
mod template;
