//! A page of HTML or text into rows of styled runs. Knows no terminal.
pub mod sanitize;
