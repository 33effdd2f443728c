//! From words of Python to its tree. A statement that cannot be parsed is reported and skipped.

mod expressions;
mod statements;

use std::ops::Range;

use watchword_model::{FileId, Span};

use super::lexer::{Token, lex};
use super::tree::{Expr, ExprKind, Function, Name, Stmt, StmtKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::tokens::Tokens;

/// Blocks and expressions nest no deeper.
const MAX_DEPTH: usize = 48;
/// An expression has no more operators in a row.
const MAX_CHAIN: usize = 200;

/// Words that begin what is not in the subset, and why.
const REFUSED: [(&str, &str); 17] = [
    ("import", "blocks use nothing but the companion functions"),
    ("from", "blocks use nothing but the companion functions"),
    ("class", "there are no classes"),
    ("lambda", "define a named function in the companion file"),
    ("try", "there are no exceptions: an error makes the transition not relevant"),
    ("raise", "there are no exceptions: an error makes the transition not relevant"),
    ("except", "there are no exceptions: an error makes the transition not relevant"),
    ("finally", "there are no exceptions: an error makes the transition not relevant"),
    ("with", "there is nothing to open and close"),
    ("yield", "there are no generators"),
    ("async", "there are no coroutines"),
    ("await", "there are no coroutines"),
    ("global", "functions keep nothing between calls; keep values in the property's environment"),
    ("nonlocal", "functions keep nothing between calls; keep values in the property's environment"),
    ("assert", "express a wrong situation as a non-accepting state"),
    ("def", "define functions at the top level of the companion file"),
    ("match", "write `if` and `elif`"),
];

/// Words that are no names.
const KEYWORDS: [&str; 20] = [
    "if", "elif", "else", "while", "for", "in", "is", "and", "or", "not", "break", "continue",
    "pass", "return", "del", "True", "False", "None", "as", "print",
];

/// The statements of a block.
pub fn parse_block(
    file: FileId,
    text: &str,
    range: Range<usize>,
    said: &mut Vec<Diagnostic>,
) -> Vec<Stmt> {
    let tokens = lex(file, text, range, said);
    let mut parser = Parser { file, text, tokens: Tokens::new(tokens), depth: 0, loops: 0, said };
    let mut stmts = Vec::new();
    while *parser.tokens.peek() != Token::End && parser.said.len() <= crate::verde::MAX_ERRORS {
        parser.line(&mut stmts);
    }
    stmts
}

/// The functions of a companion file, and the constants beside them.
pub fn parse_module(
    file: FileId,
    text: &str,
    said: &mut Vec<Diagnostic>,
) -> (Vec<Function>, Vec<(Name, Expr)>) {
    let tokens = lex(file, text, 0..text.len(), said);
    let mut parser = Parser { file, text, tokens: Tokens::new(tokens), depth: 0, loops: 0, said };
    let (mut functions, mut constants) = (Vec::new(), Vec::new());
    while *parser.tokens.peek() != Token::End && parser.said.len() <= crate::verde::MAX_ERRORS {
        if parser.tokens.is("def") {
            match parser.function() {
                Ok(function) => functions.push(function),
                Err(Lost) => parser.tokens.skip_block(),
            }
            continue;
        }
        let mut stmts = Vec::new();
        parser.line(&mut stmts);
        for stmt in stmts {
            match stmt.kind {
                // A text alone is a remark, as Python has them.
                StmtKind::Expr(Expr { kind: ExprKind::Str(_), .. }) | StmtKind::Pass => {}
                StmtKind::Assign(targets, value) if targets.len() == 1 && is_literal(&value) => {
                    match &targets[0].kind {
                        ExprKind::Name(name) => {
                            let name = Name { text: name.clone(), span: targets[0].span };
                            constants.push((name, value));
                        }
                        _ => parser.only_functions(stmt.span),
                    }
                }
                _ => parser.only_functions(stmt.span),
            }
        }
    }
    (functions, constants)
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bool(_)
        | ExprKind::None => true,
        ExprKind::Negate(inner) => matches!(inner.kind, ExprKind::Int(_) | ExprKind::Float(_)),
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().all(is_literal),
        ExprKind::Dict(entries) => entries.iter().all(|(k, v)| is_literal(k) && is_literal(v)),
        _ => false,
    }
}

/// The place where reading stopped; what is to be said about it has been said.
struct Lost;

type Parse<T> = Result<T, Lost>;

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Tokens<Token>,
    depth: usize,
    /// How many loops the statement is in.
    loops: usize,
    said: &'t mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn outside<T>(&mut self, span: Span, what: String, why: &str) -> Parse<T> {
        self.said.push(Diagnostic::error(Code::VerdePython, span, what).rule(why));
        Err(Lost)
    }

    fn only_functions(&mut self, span: Span) {
        let message = "a companion file contains only functions and constants";
        self.said.push(
            Diagnostic::error(Code::VerdePython, span, message)
                .rule("functions keep nothing between calls"),
        );
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let found = match self.tokens.peek() {
            Token::Word(word) => {
                if let Some((_, why)) = REFUSED.iter().find(|(w, _)| w == word) {
                    let message = format!("`{word}` is not in the subset of Python");
                    return self.outside(self.tokens.span(), message, why);
                }
                format!("`{word}`")
            }
            Token::Int(_) | Token::Float(_) => "a number".to_string(),
            Token::Str(_) | Token::Format(_) => "a text".to_string(),
            Token::Symbol(s) => format!("`{s}`"),
            Token::Newline => "the end of the line".to_string(),
            Token::Indent => "a line that is indented".to_string(),
            Token::Dedent => "the end of the block".to_string(),
            Token::End => "the end of the block".to_string(),
        };
        let message = format!("expected {expected}, found {found}");
        self.said.push(Diagnostic::error(Code::Unexpected, self.tokens.span(), message));
        Err(Lost)
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parse<()> {
        if self.tokens.eat_symbol(symbol) {
            Ok(())
        } else {
            self.unexpected(&format!("`{symbol}`"))
        }
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Token::Word(text) if is_name(&text) => {
                self.tokens.advance();
                Ok(Name { text, span })
            }
            _ => self.unexpected(what),
        }
    }

    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            self.said.push(Diagnostic::error(Code::TooDeep, self.tokens.span(), message));
            return Err(Lost);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}

fn is_name(word: &str) -> bool {
    !KEYWORDS.contains(&word) && !REFUSED.iter().any(|(refused, _)| *refused == word)
}
