//! Decisions about polling: when, how, what an answer means. Pure: time and chance are arguments.
