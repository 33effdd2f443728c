//! Words of a text, one after the other: what the smaller languages read from.

use watchword_model::Span;

/// A token and where it stands.
#[derive(Clone, Debug)]
pub struct Lexed<T> {
    /// The token.
    pub token: T,
    /// Where it stands.
    pub span: Span,
}

/// Tokens that have words and symbols among them.
pub trait Spelt {
    /// Whether it is this word.
    fn is_word(&self, word: &str) -> bool;
    /// Whether it is this symbol.
    fn is_symbol(&self, symbol: &str) -> bool;
}

/// What a token says about lines and blocks of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The end of a line.
    Newline,
    /// The beginning of a block.
    Indent,
    /// The end of a block.
    Dedent,
    /// The end of the text.
    End,
}

/// Tokens of a language whose blocks are indented.
pub trait Indented: Spelt {
    /// What the token says about lines, if it is no word, symbol or value.
    fn layout(&self) -> Option<Layout>;
}

/// Makes an enumeration that has the variants `Word`, `Symbol`, `Newline`, `Indent`, `Dedent` and `End`
/// the tokens of an indented language.
#[macro_export]
macro_rules! indented_tokens {
    ($token:ident) => {
        impl $crate::tokens::Spelt for $token {
            fn is_word(&self, word: &str) -> bool {
                matches!(self, $token::Word(w) if w == word)
            }

            fn is_symbol(&self, symbol: &str) -> bool {
                matches!(self, $token::Symbol(s) if *s == symbol)
            }
        }

        impl $crate::tokens::Indented for $token {
            fn layout(&self) -> Option<$crate::tokens::Layout> {
                match self {
                    $token::Newline => Some($crate::tokens::Layout::Newline),
                    $token::Indent => Some($crate::tokens::Layout::Indent),
                    $token::Dedent => Some($crate::tokens::Layout::Dedent),
                    $token::End => Some($crate::tokens::Layout::End),
                    _ => None,
                }
            }
        }
    };
}

/// A place in a row of tokens. The last token marks the end; it is never passed.
#[derive(Debug)]
pub struct Tokens<T> {
    all: Vec<Lexed<T>>,
    at: usize,
}

impl<T: Spelt> Tokens<T> {
    /// Before the first of them; there is at least the one that marks the end.
    pub fn new(all: Vec<Lexed<T>>) -> Tokens<T> {
        Tokens { all, at: 0 }
    }

    /// The token so many places on.
    pub fn nth(&self, n: usize) -> &T {
        &self.all[(self.at + n).min(self.all.len() - 1)].token
    }

    /// The next token.
    pub fn peek(&self) -> &T {
        self.nth(0)
    }

    /// The token before, if there is one.
    pub fn before(&self) -> Option<&T> {
        self.at.checked_sub(1).map(|at| &self.all[at].token)
    }

    /// Where the next token stands.
    pub fn span(&self) -> Span {
        self.all[self.at].span
    }

    /// Where the token before stands.
    pub fn last(&self) -> Span {
        self.all[self.at.saturating_sub(1)].span
    }

    /// Passes a token.
    pub fn advance(&mut self) {
        if self.at + 1 < self.all.len() {
            self.at += 1;
        }
    }

    /// Whether the next token is this word.
    pub fn is(&self, word: &str) -> bool {
        self.peek().is_word(word)
    }

    /// Passes this word, if it is next.
    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.advance();
        }
        found
    }

    /// Whether the next token is this symbol.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.peek().is_symbol(symbol)
    }

    /// Passes this symbol, if it is next.
    pub fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }
}

impl<T: Indented> Tokens<T> {
    /// Goes on after the line and the block that may hang on it.
    pub fn skip_block(&mut self) {
        let ends = [Layout::Newline, Layout::Dedent, Layout::End];
        while !self.peek().layout().is_some_and(|layout| ends.contains(&layout)) {
            self.advance();
        }
        if self.peek().layout() == Some(Layout::Newline) {
            self.advance();
        }
        if self.peek().layout() != Some(Layout::Indent) {
            return;
        }
        let mut open = 0usize;
        loop {
            match self.peek().layout() {
                Some(Layout::Indent) => open += 1,
                Some(Layout::Dedent) => open -= 1,
                Some(Layout::End) => return,
                _ => {}
            }
            self.advance();
            if open == 0 {
                return;
            }
        }
    }
}
