//! The formatter.
//!
//! A block is on one line if its author wrote it so and it holds at most one thing; otherwise each
//! thing has a line of its own. Within a thing, lines stay where their author broke them. What
//! changes is indentation, blanks between tokens, blank lines, where braces and `else` stand, and
//! what is lined up: the `=` of neighbouring events, the arrows of neighbouring transitions,
//! comments at the end of neighbouring lines. Every token and comment is printed as it was
//! written, so nothing can get lost.

use watchword_model::FileId;

use super::lexer::{Comment, Punct, TokenKind};
use super::parser::{Column, Consumed, parse};
use crate::diagnostic::Diagnostic;

const INDENT: usize = 2;
/// Lines whose columns are further apart than this are not lined up.
const MAX_SHIFT: usize = 12;

/// The file laid out in the one way there is; its errors if it has any.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let output = parse(text, FileId(0));
    if output.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(output.diagnostics.into_iter().filter(Diagnostic::is_error).collect());
    }
    let mut printer = Printer { text, lines: Vec::new(), open: Vec::new(), last_end: 0 };
    printer.all(&output.tokens, &brackets(&output.tokens), &output.comments);
    Ok(printer.finish())
}

#[derive(Default)]
struct Line {
    /// Indentation in steps.
    indent: usize,
    text: String,
    /// Where in the text something can be lined up, in characters.
    column: Option<(Column, usize)>,
    /// A comment at the end.
    comment: Option<String>,
    /// The whole line is a comment.
    is_comment: bool,
    blank_before: bool,
    closes: bool,
    opens: bool,
}

/// What is known of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    /// Parentheses, lists, maps, alternatives: lines break where the author broke them.
    Plain,
    /// A block on one line.
    Short,
    /// A block with a line for each thing in it.
    Long,
}

/// For every opening bracket, by its index among the tokens, what it is.
fn brackets(tokens: &[Consumed]) -> Vec<Option<Bracket>> {
    struct Open {
        at: usize,
        block: bool,
        things: usize,
        broken: bool,
    }
    let mut kinds = vec![None; tokens.len()];
    let mut open: Vec<Open> = Vec::new();
    for (i, consumed) in tokens.iter().enumerate() {
        let commented = consumed.token.comments.0 != consumed.token.comments.1;
        if consumed.token.newline_before || commented {
            open.iter_mut().for_each(|o| o.broken = true);
        }
        if let Some(innermost) = open.last_mut()
            && consumed.begins
        {
            innermost.things += 1;
        }
        match consumed.token.kind {
            TokenKind::Punct(Punct::BraceOpen | Punct::ParenOpen | Punct::BracketOpen) => {
                let brace = consumed.token.kind == TokenKind::Punct(Punct::BraceOpen);
                // Maps and alternatives hug what is inside.
                let block = brace && !tokens.get(i + 1).is_some_and(|next| next.tight);
                open.push(Open { at: i, block, things: 0, broken: false });
            }
            TokenKind::Punct(Punct::BraceClose | Punct::ParenClose | Punct::BracketClose) => {
                let Some(o) = open.pop() else { continue };
                let long = o.things > 1 || (o.broken && i > o.at + 1) || commented;
                kinds[o.at] = Some(match (o.block, long) {
                    (false, _) => Bracket::Plain,
                    (true, false) => Bracket::Short,
                    (true, true) => Bracket::Long,
                });
                // What holds something long is long itself.
                if o.things > 1 {
                    open.iter_mut().for_each(|outer| outer.broken = true);
                }
            }
            _ => {}
        }
    }
    kinds
}

struct Printer<'a> {
    text: &'a str,
    lines: Vec<Line>,
    /// Brackets that are open, with the line they were opened on.
    open: Vec<(usize, Bracket)>,
    /// Where the last token or comment ended.
    last_end: usize,
}

impl Printer<'_> {
    fn all(&mut self, tokens: &[Consumed], kinds: &[Option<Bracket>], comments: &[Comment]) {
        let mut comments = comments.iter().peekable();
        let mut before: Option<&Consumed> = None;
        for (consumed, kind) in tokens.iter().zip(kinds) {
            let mut commented = false;
            while let Some(comment) = comments.next_if(|c| c.start < consumed.token.start) {
                self.comment(comment);
                commented = true;
            }
            self.token(consumed, *kind, before, commented);
            before = Some(consumed);
        }
        for comment in comments {
            self.comment(comment);
        }
    }

    fn blank_since(&self, start: u32) -> bool {
        let between = self.text.get(self.last_end..start as usize).unwrap_or("");
        self.last_end > 0 && between.bytes().filter(|b| *b == b'\n').count() > 1
    }

    fn comment(&mut self, comment: &Comment) {
        let text = self.text[comment.start as usize..comment.end as usize].to_string();
        let blank_before = self.blank_since(comment.start);
        self.last_end = comment.end as usize;
        match self.lines.last_mut() {
            Some(line) if !comment.own_line && !line.is_comment && line.comment.is_none() => {
                line.comment = Some(text);
            }
            _ => self.lines.push(Line {
                indent: self.indent(),
                text,
                is_comment: true,
                blank_before,
                ..Line::default()
            }),
        }
    }

    /// The indentation of what is inside all open brackets. Brackets opened on one line count
    /// once.
    fn indent(&self) -> usize {
        let mut lines: Vec<usize> = self.open.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        lines.len()
    }

    fn token(
        &mut self,
        consumed: &Consumed,
        kind: Option<Bracket>,
        before: Option<&Consumed>,
        commented: bool,
    ) {
        let token = &consumed.token;
        let text = &self.text[token.range()];
        let closes = matches!(
            token.kind,
            TokenKind::Punct(Punct::BraceClose | Punct::ParenClose | Punct::BracketClose)
        );
        let after_brace =
            before.is_some_and(|b| b.token.kind == TokenKind::Punct(Punct::BraceClose));
        let joins = (token.kind == TokenKind::Punct(Punct::BraceOpen) && !consumed.begins)
            || (text == "else" && token.kind == TokenKind::Ident && after_brace);
        let inside = self.open.last().map_or(Bracket::Long, |(_, kind)| *kind);
        let fresh = before.is_none()
            || commented
            || match inside {
                // A thing has a line of its own, and so has the end of the block.
                Bracket::Long => consumed.begins || closes || (token.newline_before && !joins),
                Bracket::Short => false,
                Bracket::Plain => token.newline_before,
            };
        if closes {
            self.open.pop();
        }
        if fresh {
            let continued = !consumed.begins && !closes && inside != Bracket::Plain;
            self.lines.push(Line {
                indent: self.indent() + usize::from(continued),
                blank_before: self.blank_since(token.start),
                closes,
                ..Line::default()
            });
        } else {
            let empty_block = closes
                && before.is_some_and(|b| b.token.kind == TokenKind::Punct(Punct::BraceOpen));
            let line = self.lines.last_mut().expect("a line was begun");
            if !consumed.tight && !empty_block {
                line.text.push(' ');
            }
        }
        let number = self.lines.len() - 1;
        let line = &mut self.lines[number];
        if let Some(column) = consumed.column {
            let at = line.text.chars().count();
            // Two places to line up in one line: then none.
            line.column = if line.column.is_none() { Some((column, at)) } else { None };
        }
        line.text.push_str(text);
        line.opens = kind.is_some();
        if let Some(kind) = kind {
            self.open.push((number, kind));
        }
        self.last_end = token.end as usize;
    }

    fn finish(mut self) -> String {
        self.align_columns();
        self.align_comments();
        let mut out = String::new();
        for (i, line) in self.lines.iter().enumerate() {
            let after_open = i > 0 && self.lines[i - 1].opens;
            if line.blank_before && !line.closes && !after_open && i > 0 {
                out.push('\n');
            }
            let mut text = " ".repeat(line.indent * INDENT);
            text.push_str(&line.text);
            if let Some(comment) = &line.comment {
                text.push_str(comment);
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        out
    }

    /// Runs of neighbouring lines for which `key` is the same and present.
    fn runs<K: PartialEq>(&self, key: impl Fn(&Line) -> Option<K>) -> Vec<std::ops::Range<usize>> {
        let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let Some(this) = key(line) else { continue };
            match runs.last_mut() {
                Some(run)
                    if run.end == i
                        && !line.blank_before
                        && self.lines[i - 1].indent == line.indent
                        && key(&self.lines[i - 1]).as_ref() == Some(&this) =>
                {
                    run.end = i + 1;
                }
                _ => runs.push(i..i + 1),
            }
        }
        runs
    }

    fn align_columns(&mut self) {
        let begins = |line: &Line, word: &str| line.text.starts_with(word);
        let runs = self.runs(|line| {
            let (column, _) = line.column?;
            let whole = match column {
                Column::Equals => begins(line, "event "),
                Column::Arrow => begins(line, "on "),
            };
            whole.then_some(column)
        });
        for run in runs {
            let at = |line: &Line| line.column.map_or(0, |(_, at)| at);
            let columns: Vec<usize> = self.lines[run.clone()].iter().map(at).collect();
            let widest = columns.iter().max().copied().unwrap_or(0);
            let least = columns.iter().min().copied().unwrap_or(0);
            if widest - least > MAX_SHIFT {
                continue;
            }
            for (line, column) in self.lines[run].iter_mut().zip(columns) {
                let byte = line.text.char_indices().nth(column).map_or(line.text.len(), |(b, _)| b);
                line.text.insert_str(byte, &" ".repeat(widest - column));
            }
        }
    }

    fn align_comments(&mut self) {
        for run in self.runs(|line| line.comment.as_ref().map(|_| ())) {
            let widths: Vec<usize> =
                self.lines[run.clone()].iter().map(|l| l.text.chars().count()).collect();
            let widest = widths.iter().max().copied().unwrap_or(0);
            for (line, width) in self.lines[run].iter_mut().zip(widths) {
                let shift = if widest - width > 3 * MAX_SHIFT { 0 } else { widest - width };
                line.text.push_str(&" ".repeat(shift + 2));
            }
        }
    }
}
