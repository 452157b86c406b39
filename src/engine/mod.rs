//! The engine.
pub mod protocol;
