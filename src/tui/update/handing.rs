//! What is handed to programs of the user's: an attachment to the player, the article to an editor or any command.

use crossterm::event::KeyCode;

use super::super::keys::Key;
use super::super::model::{Hint, LinkAct, Model, Overlay, Prompt};
use super::super::msg::Effect;
use super::super::page::Article;
use super::super::programs::{Hands, Program, Stage, with_url, words};
use super::prompt::edit;
use super::reading;

/// Plays what is attached; asks which, where several could be meant.
pub fn play(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(head) = model.subject() else {
        model.say("go to an entry first; then e plays what is attached to it");
        return;
    };
    let playable: Vec<String> = head.enclosures.iter().map(|one| one.url.clone()).collect();
    let opened = model.article.as_ref().map(|article| article.head.id) == Some(head.id);
    match playable.as_slice() {
        [] => model.say("nothing is attached to this entry"),
        [_, _, ..] if opened => {
            model.overlay = Overlay::Links(Hint {
                act: LinkAct::Play,
                ..Hint::default()
            });
        }
        [first, ..] => {
            let first = first.clone();
            play_url(model, &first, out);
        }
    }
}

/// Plays a URL with the user's command.
pub fn play_url(model: &mut Model, url: &str, out: &mut Vec<Effect>) {
    if model.settings.player.is_empty() {
        model.fail(
            "no player is set; write one into config.toml, for example player = [\"mpv\", \"--no-video\"]",
        );
        return;
    }
    if !reading::is_safe(url) {
        model.fail(format!(
            "not played, only http, https and mailto are handed to a program: {url}"
        ));
        return;
    }
    model.say(format!("{} {url}", model.settings.player[0]));
    out.push(Effect::Run(Program {
        words: with_url(&model.settings.player, url),
        hands: Hands::Nothing,
        stage: if model.settings.player_terminal {
            Stage::Terminal
        } else {
            Stage::Beside
        },
        named_by: "`player` in config.toml names it",
    }));
}

/// Shows the article as text in an editor or a pager.
pub fn editor(model: &mut Model, out: &mut Vec<Effect>) {
    let Some(text) = text(model) else {
        model.say("open an entry first; then E shows it in your editor");
        return;
    };
    out.push(Effect::Run(Program {
        words: model.settings.editor.clone(),
        hands: Hands::File(text),
        stage: Stage::Terminal,
        named_by: "`editor` in config.toml, $VISUAL, $EDITOR or $PAGER names it",
    }));
}

/// Asks for the command that gets the article.
pub fn pipe(model: &mut Model) {
    if model.article.is_some() {
        model.overlay = Overlay::Pipe(Prompt::with(&model.piped));
    } else {
        model.say("open an entry first; then | hands it to a command");
    }
}

/// A key while that command is typed.
pub fn pipe_key(model: &mut Model, key: Key, out: &mut Vec<Effect>) {
    let Overlay::Pipe(prompt) = &mut model.overlay else {
        return;
    };
    match key.code {
        KeyCode::Enter => {
            let line = prompt.input.value().trim().to_owned();
            let Some(words) = words(&line) else {
                prompt.problem = Some("a quote is not closed".to_owned());
                return;
            };
            model.overlay = Overlay::None;
            if !words.is_empty() {
                model.piped = line;
                hand(model, words, out);
            }
        }
        KeyCode::Esc => model.overlay = Overlay::None,
        KeyCode::Backspace if prompt.input.value().is_empty() => model.overlay = Overlay::None,
        _ => {
            if edit(&mut prompt.input, key) {
                prompt.problem = None;
            }
        }
    }
}

fn hand(model: &Model, words: Vec<String>, out: &mut Vec<Effect>) {
    if let Some(text) = text(model) {
        out.push(Effect::Run(Program {
            words,
            hands: Hands::Input(text),
            stage: Stage::TerminalToRead,
            named_by: "| takes a program and its arguments, without a shell",
        }));
    }
}

/// The article as text, as wide as the measure.
fn text(model: &Model) -> Option<String> {
    let article = model.article.as_ref()?;
    Some(Article::plain(article, model.settings.measure, model.zone))
}
