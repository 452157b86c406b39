//! Rules that need more than one file of this room, by their numbers.

mod bad_input;
mod carried;
mod histories;
mod population;
mod rules;
mod schedules;
mod server;
mod statuses;
mod trust;
