//! Feeds of a list that the user does not want: written into the list's `except`, where it stands.

use toml_edit::{Array, Item, TableLike, Value};

use super::edit::identity_of;
use super::error::ConfigError;
use super::identity::normalise;
use super::touch::touch;

/// `text` with feeds left out of their lists: pairs of a list's URL and a feed's. A list that is not there is passed over.
pub fn except(text: &str, feeds: &[(String, String)]) -> Result<String, ConfigError> {
    touch(text, &["list"], |table| {
        let identity = identity_of(table);
        let meant = |url: &str| normalise(url).unwrap_or_else(|_| url.to_owned()) == identity;
        for (_, feed) in feeds.iter().filter(|(list, _)| meant(list)) {
            leave_out(table, feed);
        }
    })
}

fn leave_out(table: &mut dyn TableLike, feed: &str) {
    if let Some(list) = table.get_mut("except").and_then(Item::as_array_mut) {
        list.push(feed);
    } else {
        let list: Array = [feed].into_iter().collect();
        table.insert("except", Item::Value(Value::Array(list)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_is_left_out_of_its_list_and_all_else_stays() {
        let text = "# mine\n[[feed]]\nurl = \"https://a.example/f\"\n\n[[list]] # theirs\nopml = \"https://L.example/x\"\n\n[[list]]\nopml = \"https://m.example/\"\nexcept = [\"https://a.example/1\"]\n";
        let pair = |list: &str, feed: &str| (list.to_owned(), feed.to_owned());
        let pairs = [
            pair("https://l.example/x", "https://b.example/f"),
            pair("https://m.example/", "https://c.example/f"),
            pair("https://none.example/", "https://d.example/f"),
        ];
        let after = except(text, &pairs).expect("written");
        let expected = text
            .replace("x\"\n", "x\"\nexcept = [\"https://b.example/f\"]\n")
            .replace("/1\"]", "/1\", \"https://c.example/f\"]");
        assert_eq!(after, expected);
    }
}
