//! Colours of `.ww` examples, by the language's own parser.

use watchword_model::FileId;
use watchword_spec::ww::lexer::TokenKind;
use watchword_spec::ww::parser;

/// Words that are words of the language wherever they are coloured.
const WORDS: [&str; 31] = [
    "event", "property", "context", "channel", "function", "import", "state", "start", "bad",
    "good", "pending", "on", "if", "else", "within", "never", "only", "ltl", "var", "clock",
    "window", "enter", "also", "severity", "message", "jvm", "native", "log", "drop", "any", "end",
];

/// The text as HTML.
pub fn ww(text: &str) -> String {
    let parsed = parser::parse(text, FileId(0));
    let mut pieces: Vec<(usize, usize, &str)> = Vec::new();
    for consumed in &parsed.tokens {
        let range = consumed.token.range();
        let class = match consumed.token.kind {
            TokenKind::Str | TokenKind::Regex => "s",
            TokenKind::Int | TokenKind::Float => "n",
            TokenKind::Ident if WORDS.contains(&&text[range.clone()]) => "k",
            _ => continue,
        };
        pieces.push((range.start, range.end, class));
    }
    for comment in &parsed.comments {
        pieces.push((comment.start as usize, comment.end as usize, "c"));
    }
    pieces.sort_unstable();
    let mut html = String::new();
    let mut at = 0;
    for (start, end, class) in pieces {
        if start < at {
            continue;
        }
        html.push_str(&escape(&text[at..start]));
        html.push_str(&format!("<span class={class}>{}</span>", escape(&text[start..end])));
        at = end;
    }
    html.push_str(&escape(&text[at..]));
    html
}

/// Text that is text in HTML, too.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
