//! Rules that need more than one file of this room, by their numbers.

mod carried;
mod population;
mod probes;
mod rules;
mod schedules;
mod server;
mod trust;
