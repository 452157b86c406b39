//! The README says what is so.

use std::fmt::Write;
use std::path::Path;

#[test]
fn the_readme_shows_the_keys_as_they_are() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    let (_, rest) = readme
        .split_once("<!-- keys -->\n")
        .expect("the table begins");
    let (table, _) = rest.split_once("<!-- /keys -->").expect("the table ends");
    let keymap = tidings::tui::Keymap::new(&[]).expect("the built-in keys");
    let mut wanted = "| key | does |\n|---|---|\n".to_owned();
    for binding in keymap.bindings() {
        // A bar in a table ends the cell, also inside of code.
        let shown = |key: &tidings::tui::Keys| format!("`{}`", key.to_string().replace('|', "\\|"));
        let keys: Vec<String> = binding.keys.iter().map(shown).collect();
        let _ = writeln!(wanted, "| {} | {} |", keys.join(" "), binding.help);
    }
    assert!(
        table == wanted,
        "put this between the marks of README.md:\n{wanted}"
    );
}
