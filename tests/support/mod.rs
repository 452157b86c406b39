//! What several tests need: a server that does what it is told.
//!
//! Use it in a test binary with `#[path = "../support/mod.rs"] mod support;`.

#![allow(dead_code, reason = "each test uses its part")]

pub mod garden;
pub mod gate;
pub mod process;
pub mod reply;
pub mod server;
pub mod silence;
#[cfg(unix)]
pub mod terminal;
pub mod tls;

#[allow(unused_imports, reason = "each test uses its part")]
pub use self::{
    gate::Gate,
    reply::Reply,
    server::{Seen, Server},
    silence::{Deaf, nobody_at},
    tls::Identity,
};
