//! Layout for the languages other than Watchword's own: indentation, blanks at the end of lines,
//! blank lines, and, in TOPL, blanks between tokens.
//!
//! Lines stay where their author broke them, and every token and comment is printed as it was
//! written; if what comes out did not consist of the same tokens, the text is left alone.

use std::ops::Range;

use watchword_model::{FileId, Lang};

use crate::classes::NoClasses;
use crate::diagnostic::{Code, Diagnostic};
use crate::topl::cursor::Kind;
use crate::{infer, larva, mop, topl, verde, ww};

const INDENT: usize = 2;

/// The file laid out; its errors if it cannot be read.
///
/// # Errors
/// What is wrong with its syntax.
pub fn format_as(lang: Lang, text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let file = FileId(0);
    let laid = match lang {
        Lang::Ww => return ww::print::format(text),
        Lang::Topl => {
            topl::parse(file, text, &NoClasses, &mut found);
            topl_lines(text, &topl::tokens(text))
        }
        Lang::Infer => {
            infer::parse(file, text, &mut found);
            topl_lines(text, &infer::tokens(text))
        }
        Lang::Verde => {
            verde::parse(file, text, &mut found);
            verde_lines(text)
        }
        Lang::Larva => {
            larva::read(file, text, &mut found);
            larva_lines(text)
        }
        // Lines stay as their author has them.
        Lang::Mop => {
            mop::read(file, text, &mut found);
            text.to_string()
        }
    };
    // The value of a constant does not matter here.
    found.retain(|d| d.is_error() && d.code != Code::ToplClassConstant.text());
    if !found.is_empty() {
        return Err(found);
    }
    Ok(if same(text, &laid) { laid } else { text.to_string() })
}

/// A token of a text that is laid out.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Where it stands.
    pub range: Range<usize>,
    /// How far in its line is if it begins one.
    pub level: usize,
    /// Whether it closes what lines before it are inside of.
    pub closes: bool,
}

/// Lays out a text of these tokens; what is between them are blanks and comments. `blank` says what
/// stands between two tokens of a line: nothing, or what the author wrote.
pub fn lay_out(
    text: &str,
    pieces: &[Piece],
    blank: &dyn Fn(&Piece, &Piece) -> Option<&'static str>,
) -> String {
    let mut out = String::new();
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut before: Option<&Piece> = None;
    for piece in pieces {
        let gap = &text[at..piece.range.start];
        match before {
            Some(last) if !gap.contains('\n') => match blank(last, piece) {
                Some(fixed) if gap.trim().is_empty() => out.push_str(fixed),
                _ => out.push_str(gap),
            },
            _ => {
                between(&mut out, gap, before.is_none(), piece.level + usize::from(piece.closes));
                // A comment may stand in front of the token.
                let own = gap.rsplit('\n').next().unwrap_or(gap).trim();
                out.push_str(&" ".repeat(INDENT * piece.level));
                if !own.is_empty() {
                    out.push_str(own);
                    out.push(' ');
                }
            }
        }
        // A block of code may have lines of its own, which end as all the others do.
        out.push_str(&text[piece.range.clone()].replace("\r\n", "\n"));
        at = piece.range.end;
        before = Some(piece);
    }
    let rest = &text[at..];
    between(&mut out, rest, before.is_none(), 0);
    // The last line may be a comment that does not end with a line break.
    let last = rest.rsplit('\n').next().unwrap_or_default().trim();
    if rest.contains('\n') && !last.is_empty() {
        out.push_str(last);
    }
    let end = out.trim_end().len();
    out.truncate(end);
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The comments and blank lines between two tokens on different lines, up to the last line break.
fn between(out: &mut String, gap: &str, first: bool, level: usize) {
    let mut lines = gap.split('\n');
    let rest = lines.next().unwrap_or_default();
    // What is behind a token stays there.
    if !first || !rest.trim().is_empty() {
        out.push_str(rest.trim_end());
    }
    let lines: Vec<&str> = lines.collect();
    let Some((_, whole)) = lines.split_last() else { return };
    if !out.is_empty() {
        out.push('\n');
    }
    for line in whole {
        let line = line.trim();
        if line.is_empty() {
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
            continue;
        }
        // The lines of a comment of several lines are lined up with its first star.
        let star = if line.starts_with('*') { " " } else { "" };
        out.push_str(&format!("{}{star}{line}\n", " ".repeat(INDENT * level)));
    }
}

/// Whether two texts differ in blanks only.
fn same(a: &str, b: &str) -> bool {
    let solid = |text: &str| {
        text.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').collect::<String>()
    };
    solid(a) == solid(b)
}

/// Both dialects: a property at the margin, its lines one step in.
fn topl_lines<K: Kind>(text: &str, tokens: &[topl::cursor::Token<K>]) -> String {
    let piece = |token: &topl::cursor::Token<K>| {
        let closes = token.kind == K::CLOSE;
        let begins = token.kind.word() == Some("property");
        let range = token.range.start as usize..token.range.end as usize;
        Piece { range, level: usize::from(!closes && !begins), closes }
    };
    let pieces: Vec<Piece> = tokens.iter().filter(|t| t.kind != K::END).map(piece).collect();
    lay_out(text, &pieces, &|a, b| Some(topl_blank(&text[a.range.clone()], &text[b.range.clone()])))
}

fn topl_blank(before: &str, after: &str) -> &'static str {
    let is_name = before.ends_with(|c: char| c.is_alphanumeric() || "_>\"*)]".contains(c));
    let none = matches!(before, "(" | "[" | "." | "!" | "¬" | "@" | "~@" | "#")
        || matches!(after, ")" | "]" | "." | "," | ":" | ";")
        || (matches!(after, "(" | "[") && is_name && !matches!(before, "->" | "call" | "return"));
    if none { "" } else { " " }
}

/// Verde: states at the margin, transitions one step in, what they have two.
fn verde_lines(text: &str) -> String {
    let tokens = verde::tokens(text);
    let piece = |range: Range<usize>| {
        let level = match &text[range.clone()] {
            "slice" | "initialization" | "state" => 0,
            "transition" => 1,
            "before" | "after" | "event" | "success" | "failure" => 2,
            _ => 3,
        };
        Piece { range, level, closes: false }
    };
    let pieces: Vec<Piece> = tokens.into_iter().map(piece).collect();
    lay_out(text, &pieces, &|_, _| None)
}

/// LARVA: as far in as there are brackets open.
fn larva_lines(text: &str) -> String {
    let mut depth = 0usize;
    let mut pieces = Vec::new();
    for range in larva::tokens(text) {
        let token = &text[range.clone()];
        let closes = matches!(token, "}" | ")" | "]");
        depth -= usize::from(closes && depth > 0);
        pieces.push(Piece { range, level: depth, closes });
        depth += usize::from(matches!(token, "{" | "(" | "["));
    }
    lay_out(text, &pieces, &|_, _| None)
}
