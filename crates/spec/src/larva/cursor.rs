//! The position in a script while it is parsed, and what every part of the parser asks.

use watchword_model::Span;

use super::advice;
use super::lexer::{Tok, Token};
use super::tree::{Name, TypeName};
use crate::diagnostic::{Code, Diagnostic};

/// Nesting deeper than this is refused, so that recursion over a tree is safe.
const MAX_DEPTH: u32 = 100;

/// A mistake that was already reported.
pub struct Reported;

/// What parsing a piece gives.
pub type Parsed<T> = Result<T, Reported>;

/// The position in a script.
pub struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    diagnostics: &'t mut Vec<Diagnostic>,
}

impl<'t> Cursor<'t> {
    /// At the first token.
    pub fn new(tokens: &'t [Token], diagnostics: &'t mut Vec<Diagnostic>) -> Cursor<'t> {
        Cursor { tokens, at: 0, depth: 0, diagnostics }
    }

    /// The token `ahead` of the next one.
    pub fn peek(&self, ahead: usize) -> &Tok {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].tok
    }

    /// Where the next token is.
    pub fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    /// Where the last token was.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The position, to come back to.
    pub fn mark(&self) -> usize {
        self.at
    }

    /// Comes back to a position.
    pub fn back(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Goes on by one token.
    pub fn skip(&mut self) {
        if self.at < self.tokens.len() - 1 {
            self.at += 1;
        }
    }

    /// Whether the script ends here.
    pub fn at_end(&self) -> bool {
        *self.peek(0) == Tok::End
    }

    /// Whether a mark comes next.
    pub fn is(&self, mark: &str) -> bool {
        matches!(self.peek(0), Tok::Mark(m) if *m == mark)
    }

    /// Takes a mark if it comes next.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.skip();
        }
        found
    }

    /// Whether a word comes next; LARVA accepts `GLOBAL` and `Global`.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(0), Tok::Name(n) if n.eq_ignore_ascii_case(word))
    }

    /// Takes a word if it comes next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.skip();
        }
        found
    }

    /// A mark must come next.
    pub fn expect(&mut self, mark: &str) -> Parsed<Span> {
        let span = self.span();
        if self.eat(mark) { Ok(span) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    /// A name must come next.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.peek(0) {
            Tok::Name(text) => {
                let name = Name { text: text.clone(), span: self.span() };
                self.skip();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// A type: a name with dots, type arguments (which do not matter), `[]` and `+`.
    pub fn type_name(&mut self) -> Parsed<TypeName> {
        let first = self.name("a type")?;
        let mut ty = TypeName { name: first.text, subtypes: false, span: first.span };
        while self.is(".") && matches!(self.peek(1), Tok::Name(_)) {
            self.skip();
            let part = self.name("a name")?;
            ty.name = format!("{}.{}", ty.name, part.text);
        }
        if self.is("<") {
            self.type_arguments()?;
        }
        while self.is("[") && matches!(self.peek(1), Tok::Mark("]")) {
            self.skip();
            self.skip();
            ty.name.push_str("[]");
        }
        ty.subtypes = self.is("+") && matches!(self.peek(1), Tok::Name(_) | Tok::Mark("*"));
        if ty.subtypes {
            self.skip();
        }
        ty.span = ty.span.to(self.last_span());
        Ok(ty)
    }

    fn type_arguments(&mut self) -> Parsed<()> {
        let mut open = 0i32;
        loop {
            match self.peek(0) {
                Tok::Mark("<") => open += 1,
                Tok::Mark(">") => open -= 1,
                Tok::Mark(">>") => open -= 2,
                Tok::Mark(">>>") => open -= 3,
                Tok::Name(_) | Tok::Mark("," | "." | "?" | "[" | "]" | "&") => {}
                _ => return Err(self.unexpected("`>`")),
            }
            self.skip();
            if open <= 0 {
                return Ok(());
            }
        }
    }

    /// One level deeper, if there may be one.
    pub fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(Code::TooDeep, span, "this is nested too deeply")
                    .rule(format!("at most {MAX_DEPTH} levels")),
            ));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Says that something else should be here.
    pub fn unexpected(&mut self, wanted: &str) -> Reported {
        let found = match self.peek(0) {
            Tok::Name(n) => format!("`{n}`"),
            Tok::Mark(m) => format!("`{m}`"),
            Tok::Int(..) | Tok::Float(_) => "a number".to_string(),
            Tok::Text(_) => "a text".to_string(),
            Tok::Char(_) => "a character".to_string(),
            Tok::End => "the end of the file".to_string(),
        };
        let span = self.span();
        let error =
            Diagnostic::error(Code::Unexpected, span, format!("expected {wanted}, found {found}"));
        self.report(error.help_if(advice::expected(wanted).map(str::to_string)))
    }

    /// Says something.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// What is inside braces, until they close. After a mistake it goes on with the next item, told by
    /// how one `begins`.
    pub fn braced(
        &mut self,
        begins: impl Fn(&Self) -> bool,
        mut item: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        self.expect("{")?;
        while !self.eat("}") {
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            let start = self.mark();
            if item(self).is_err() && !self.next_item(start, &begins) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// After a mistake inside braces: to the next item, or behind the brace that closes them.
    fn next_item(&mut self, start: usize, begins: impl Fn(&Self) -> bool) -> bool {
        let wrong = self.mark();
        // Braces of the item may be open.
        self.back(start);
        let mut open = 0u32;
        while !self.at_end() {
            if open == 0 && self.mark() > start && self.mark() >= wrong && begins(self) {
                return true;
            }
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                if open == 0 {
                    self.skip();
                    return false;
                }
                open -= 1;
            }
            self.skip();
        }
        false
    }

    /// Whether a mark came last.
    pub fn is_behind(&self, mark: &str) -> bool {
        self.at > 0 && matches!(self.tokens[self.at - 1].tok, Tok::Mark(m) if m == mark)
    }
}
