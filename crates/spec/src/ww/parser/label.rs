//! Labels and their argument patterns.

use super::{Parsed, Parser};
use crate::ww::lexer::Punct;
use crate::ww::tree::{Arg, ArgKind, Args, Label, LabelKind};

impl Parser<'_> {
    /// `e`, `e(…)`, `any`, `end`, `t at 5 s`, `t rings`.
    pub(super) fn label(&mut self) -> Parsed<Label> {
        let start = self.peek().start;
        let kind = if self.at_word("any") {
            self.bump();
            LabelKind::Any
        } else if self.at_word("end") {
            self.bump();
            LabelKind::End
        } else if self.at_word("if") || self.at_word("or") || self.at_word("then") {
            return self.unexpected("the name of an event");
        } else {
            let name = self.name("the name of an event")?;
            if self.eat_word("at") {
                LabelKind::Clock(name, self.duration()?)
            } else if self.eat_word("rings") {
                LabelKind::Rings(name)
            } else {
                let next = self.peek();
                let args = if self.at(Punct::ParenOpen) && self.last.touches(&next) {
                    Some(self.args()?)
                } else {
                    None
                };
                LabelKind::Event(name, args)
            }
        };
        Ok(Label { kind, span: self.since(start) })
    }

    fn args(&mut self) -> Parsed<Args> {
        self.expect_tight(Punct::ParenOpen)?;
        self.glue();
        let mut args = Args { list: Vec::new(), rest: false };
        while !self.at(Punct::ParenClose) {
            if self.eat(Punct::DotDot) {
                args.rest = true;
                break;
            }
            args.list.push(self.arg()?);
            if !self.at(Punct::Comma) {
                break;
            }
            self.comma();
        }
        if !self.at(Punct::ParenClose) {
            return self.unexpected("`,` or `)`");
        }
        self.expect_tight(Punct::ParenClose)?;
        Ok(args)
    }

    fn arg(&mut self) -> Parsed<Arg> {
        let start = self.peek().start;
        let kind = if self.eat(Punct::Question) {
            self.glue();
            ArgKind::Bind(self.name("a name to bind")?)
        } else if self.eat(Punct::Bang) {
            self.glue();
            match self.optional_literal() {
                Some(value) => ArgKind::NotConst(value),
                None => ArgKind::Differs(self.name("a name or a literal")?),
            }
        } else if self.eat_word("_") {
            ArgKind::Any
        } else {
            match self.optional_literal() {
                Some(value) => ArgKind::Const(value),
                None if self.at_name() => ArgKind::Equal(self.bump_name()),
                None => {
                    return self.unexpected_with("an argument", |d| {
                        d.rule(
                            "an argument is `x`, `!x`, `?x`, `_`, a literal or `!` and a literal",
                        )
                        .help("write conditions in a guard: `on e(?x) if x > 3`")
                    });
                }
            }
        };
        Ok(Arg { kind, span: self.since(start) })
    }
}
