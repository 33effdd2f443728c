//! The layout of scenarios: two columns for every level.

use watchword_spec::Diagnostic;
use watchword_spec::layout::{Piece, lay_out};

use crate::lexer::{Token, lex};
use crate::parser::parse;

/// The scenario laid out: lines, words and comments as they were written, indentation and blank
/// lines in the one way there is.
///
/// # Errors
/// What is wrong with its syntax.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (_, mut found) = parse(text, "scenario");
    found.retain(Diagnostic::is_error);
    if !found.is_empty() {
        return Err(found);
    }
    let (tokens, _) = lex(text);
    let mut pieces = Vec::new();
    let (mut level, mut depth) = (0usize, 0usize);
    for lexed in &tokens {
        match &lexed.token {
            Token::Indent => level += 1,
            Token::Dedent => level = level.saturating_sub(1),
            Token::Newline | Token::End => {}
            token => {
                let range = lexed.span.start as usize..lexed.span.end as usize;
                let inside = usize::from(depth > 0);
                pieces.push(Piece { range, level: level + inside, closes: false });
                match token {
                    Token::Symbol("(" | "[") => depth += 1,
                    Token::Symbol(")" | "]") => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }
    let laid = lay_out(text, &pieces, &|_, _| None);
    let words = |text: &str| lex(text).0.into_iter().map(|l| l.token).collect::<Vec<_>>();
    Ok(if words(&laid) == words(text) { laid } else { text.to_string() })
}
