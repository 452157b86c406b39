//! The listener for hubs of WebSub: takes what comes at the callback and asks the engine about it. It decides nothing but what is
//! too much: more than 32 connections wait at the door, bodies that wait occupy at most 16 MiB together, and who is slow is cut.

mod body;
mod door;
mod listen;
#[cfg(test)]
mod tests;

pub use body::{BODY_MAX, Body, POOL};
pub use door::{Call, Reply};
pub use listen::{CONNECTIONS, Listener};
