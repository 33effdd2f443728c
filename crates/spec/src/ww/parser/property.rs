//! Properties, contexts, states and transitions.

use watchword_model::{Aggregate, Severity, Span, StateKind};

use super::ltl::UNARY;
use super::{Column, Parsed, Parser, Stop};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::lexer::{Punct, Token, TokenKind};
use crate::ww::tree::{
    Branch, Clock, Context, Deadline, Member, MemberKind, Property, Rule, Setting, State, Step,
    Target, Transition, Window,
};

/// Words a line of a property begins with.
pub(super) const MEMBERS: [&str; 22] = [
    "severity", "tags", "message", "boxes", "also", "creation", "rule", "ends", "param", "var",
    "clock", "window", "start", "bad", "good", "pending", "state", "never", "only", "ltl",
    "proven", "on",
];

/// Words a window is described with.
pub(super) const AGGREGATES: [&str; 5] = ["count", "sum", "min", "max", "avg"];

const SEVERITIES: [(&str, Severity); 3] =
    [("error", Severity::Error), ("warning", Severity::Warning), ("note", Severity::Note)];

const RULES: [(&str, Rule); 3] =
    [("verde", Rule::Verde), ("larva", Rule::Larva), ("chen-rosu", Rule::ChenRosu)];

impl Parser<'_> {
    pub(super) fn property(&mut self, doc: String) -> Parsed<Property> {
        let start = self.bump().start;
        let name = self.name("the name of the property")?;
        let params = if self.at(Punct::ParenOpen) { Some(self.params()?) } else { None };
        let span = self.since(start);
        let open = self.expect(Punct::BraceOpen)?;
        let mut members = Vec::new();
        while !self.at(Punct::BraceClose) {
            if self.body_ends() {
                return self.unclosed(open).or(Ok(Property { doc, name, params, members, span }));
            }
            let documented = if self.at_word("param") { self.doc() } else { String::new() };
            match self.member(documented) {
                Ok(member) => members.push(member),
                Err(_) => self.recover(|p| p.at_member()),
            }
        }
        self.bump();
        Ok(Property { doc, name, params, members, span })
    }

    pub(super) fn context(&mut self) -> Parsed<Context> {
        self.bump();
        let name = self.name("the name of the context")?;
        let params = if self.at(Punct::ParenOpen) { Some(self.params()?) } else { None };
        let open = self.expect(Punct::BraceOpen)?;
        let mut context = Context {
            name,
            params,
            members: Vec::new(),
            properties: Vec::new(),
            contexts: Vec::new(),
        };
        while !self.at(Punct::BraceClose) {
            if self.peek().kind == TokenKind::End || self.at_item() {
                return self.unclosed(open).or(Ok(context));
            }
            let doc = self.doc();
            self.begin();
            let parsed = if self.at_word("property") {
                self.property(doc).map(|p| context.properties.push(p))
            } else if self.at_word("context") {
                self.deeper(|p| p.context()).map(|c| context.contexts.push(c))
            } else {
                self.member(doc).map(|m| context.members.push(m))
            };
            if parsed.is_err() {
                self.recover(|p| p.at_member() || p.at_word("property") || p.at_word("context"));
            }
        }
        self.bump();
        Ok(context)
    }

    /// The file ends or goes on with another declaration although `}` is missing.
    fn body_ends(&mut self) -> bool {
        let token = self.peek();
        token.kind == TokenKind::End
            || self.at_item()
            || (token.newline_before
                && (self.at_word("property") || self.at_word("context"))
                && matches!(self.nth(1).kind, TokenKind::Ident | TokenKind::Quoted))
    }

    fn at_member(&mut self) -> bool {
        let token = self.peek();
        self.body_ends() || MEMBERS.contains(&self.text_of(token))
    }

    /// A line of a property; `doc` is the comment before it, which only a `param` keeps.
    fn member(&mut self, doc: String) -> Parsed<Member> {
        self.begin();
        let token = self.peek();
        let span = self.span_of(token);
        let word = if token.kind == TokenKind::Ident { self.text_of(token) } else { "" };
        let kind = match word {
            "severity" => {
                self.bump();
                MemberKind::Severity(self.choice("a severity", &SEVERITIES)?)
            }
            "tags" => {
                self.bump();
                MemberKind::Tags(self.names("a tag")?)
            }
            "message" => {
                self.bump();
                match self.optional_template() {
                    Some(template) => MemberKind::Message(template),
                    None => return self.unexpected("a text"),
                }
            }
            "boxes" => {
                self.bump();
                self.expect_word("by")?;
                self.expect_word("value")?;
                MemberKind::BoxesByValue
            }
            "also" => {
                self.bump();
                let names = self.names("the name of an event")?;
                let filter = if self.eat_word("if") { Some(self.expr()?) } else { None };
                MemberKind::Also(names, filter)
            }
            "creation" => {
                self.bump();
                MemberKind::Creation(self.names("the name of an event")?)
            }
            "rule" => {
                self.bump();
                MemberKind::Rule(self.choice("a rule", &RULES)?)
            }
            "ends" => {
                self.bump();
                let name = self.name("a parameter of the property")?;
                self.expect_word("on")?;
                MemberKind::Ends(name, self.label()?)
            }
            "param" => {
                self.bump();
                MemberKind::Setting(self.setting(doc)?)
            }
            "var" => {
                self.bump();
                MemberKind::Var(self.var()?)
            }
            "clock" => {
                self.bump();
                let name = self.name("the name of the clock")?;
                let next = self.peek();
                let stopped = !next.newline_before && self.eat_word("stopped");
                MemberKind::Clock(Clock { name, stopped })
            }
            "window" => {
                self.bump();
                MemberKind::Window(self.window()?)
            }
            "never" => {
                self.bump();
                MemberKind::Never(self.regex()?)
            }
            "only" => {
                self.bump();
                MemberKind::Only(self.regex()?)
            }
            "ltl" => {
                self.bump();
                let formula = self.formula()?;
                if self.at(Punct::ParenOpen) {
                    // A name before a parenthesis was meant to be an operator.
                    let token = self.last;
                    let near = nearest(self.text_of(token), UNARY.iter().map(|(word, _)| *word));
                    let span = self.span_of(token);
                    return self.unexpected_with("an operator or the end of the formula", |d| {
                        match near {
                            Some(near) => d.help(format!("did you mean `{near}`?")).fix(span, near),
                            None => d.help(
                                "operators of formulas are `always`, `eventually`, `next`, `until` and others",
                            ),
                        }
                    });
                }
                MemberKind::Ltl(formula)
            }
            "proven" => {
                self.bump();
                MemberKind::Proven
            }
            "start" | "bad" | "good" | "pending" | "state" => MemberKind::State(self.state()?),
            "on" => {
                let stop = self.unexpected_with("a line of a property", |d| {
                    d.rule("transitions are written inside a state")
                        .help("write it in the braces of a state: `start state Name { on … }`")
                });
                self.close_state();
                return stop;
            }
            _ => return self.unexpected_word("a line of a property", &MEMBERS),
        };
        Ok(Member { kind, span })
    }

    /// `n = sum e(x, ?y) if y > 0 of y within 1 min`, after `window`.
    fn window(&mut self) -> Parsed<Window> {
        let begin = self.peek().start;
        let name = self.name("the name of the window")?;
        self.expect(Punct::Eq)?;
        let start = self.peek().start;
        let word = self.peek();
        let text = if word.kind == TokenKind::Ident { self.text_of(word) } else { "" };
        let found = Aggregate::TABLE.iter().find(|(_, words)| *words == text);
        let Some((mut aggregate, _)) = found.copied() else {
            return self.unexpected_word("`count`, `sum`, `min`, `max` or `avg`", &AGGREGATES);
        };
        self.bump();
        // Before a label it is a word; before anything else it is the name of an event.
        let next = self.nth(1);
        let is_word = next.kind == TokenKind::Quoted
            || next.kind == TokenKind::Ident
                && !["if", "of", "within"].contains(&self.text_of(next));
        if aggregate == Aggregate::Count && is_word && self.eat_word("distinct") {
            aggregate = Aggregate::Distinct;
        }
        let aggregate_span = self.since(start);
        let label = self.label()?;
        let guard = if self.eat_word("if") { Some(self.expr()?) } else { None };
        let of = if self.eat_word("of") { Some(self.expr()?) } else { None };
        if !self.at_word("within") {
            return self.unexpected_with("`within`", |d| {
                d.rule("a window needs the time for which an event stays in it")
                    .help("write it after the event: `window n = count e(x) within 1 min`")
            });
        }
        self.bump();
        let within = self.duration()?;
        let span = self.since(begin);
        Ok(Window { name, aggregate, aggregate_span, label, guard, of, within, span })
    }

    /// `limit: duration = 5 s`, after `param`.
    fn setting(&mut self, doc: String) -> Parsed<Setting> {
        let name = self.name("the name of the `param`")?;
        let ty = self.optional_type()?;
        if !self.at(Punct::Eq) {
            return self.unexpected_with("`=`", |d| {
                d.rule("a `param` needs a default value")
                    .help("write it after `=`: `param limit: duration = 5 s`")
            });
        }
        self.bump();
        let start = self.peek().start;
        let default = self.constant()?;
        Ok(Setting { doc, name, ty, default, default_span: self.since(start) })
    }

    /// After a state whose opening brace is missing: the brace that closes it does not close the
    /// property, if lines of the property follow.
    fn close_state(&mut self) {
        self.skip_to(&mut 0, |_| false);
        let next = self.nth(1);
        let follows = next.kind == TokenKind::Ident && MEMBERS.contains(&self.text_of(next));
        if self.at(Punct::BraceClose) && follows {
            self.bump();
        }
    }

    /// One of some words; they may have a hyphen inside.
    fn choice<T: Copy>(&mut self, what: &str, choices: &[(&'static str, T)]) -> Parsed<T> {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return self.unexpected(what);
        }
        self.bump();
        while self.at(Punct::Minus) && self.nth(1).kind == TokenKind::Ident {
            let (minus, word) = (self.peek(), self.nth(1));
            if !self.last.touches(&minus) || !minus.touches(&word) {
                break;
            }
            self.glue();
            self.bump();
            self.glue();
            self.bump();
        }
        let span = self.since(token.start);
        let found = &self.text[span.start as usize..span.end as usize];
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == found) {
            return Ok(*value);
        }
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let near = nearest(found, choices.iter().map(|(name, _)| *name));
        self.report(
            Diagnostic::error(Code::BadOption, span, format!("`{found}` is not {what}"))
                .rule(format!("{what} is one of {}", names.join(", ")))
                .did_you_mean(near),
        )
    }

    fn state(&mut self) -> Parsed<State> {
        let start = self.eat_word("start");
        let kind = if self.eat_word("bad") {
            StateKind::Bad
        } else if self.eat_word("good") {
            StateKind::Good
        } else if self.eat_word("pending") {
            StateKind::Pending
        } else {
            StateKind::Normal
        };
        if self.at_word("start") {
            return self.unexpected_with("`state`", |d| {
                d.help("write `start` first: `start bad state …`")
            });
        }
        self.expect_word("state")?;
        let name = self.name("the name of the state")?;
        let deadline = if self.eat_word("within") {
            let after = self.duration()?;
            self.expect_word("else")?;
            let update = if self.at(Punct::BraceOpen) { self.block()? } else { Vec::new() };
            let target = Some(self.target()?);
            let message = self.optional_template();
            Some(Deadline { after, branch: Branch { update, target, message } })
        } else {
            None
        };
        let message = self.optional_template();
        let mut state = State {
            start,
            kind,
            name,
            deadline,
            message,
            entry: Vec::new(),
            transitions: Vec::new(),
        };
        if self.at(Punct::BraceOpen) {
            let open = self.bump();
            self.state_body(open, &mut state)?;
        }
        Ok(state)
    }

    fn state_body(&mut self, open: Token, state: &mut State) -> Parsed<()> {
        while !self.at(Punct::BraceClose) {
            if self.body_ends() {
                return self.unclosed(open);
            }
            self.begin();
            let parsed = if self.at_word("on") {
                self.transition().map(|t| state.transitions.push(t))
            } else if self.at_word("enter") {
                self.bump();
                self.block().map(|mut b| state.entry.append(&mut b))
            } else {
                self.unexpected_word("`on`, `enter` or `}`", &["on", "enter"])
            };
            if parsed.is_err() {
                self.recover(|p| p.at_word("on") || p.at_word("enter") || p.body_ends());
            }
        }
        self.bump();
        Ok(())
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.bump().start;
        let mut steps = vec![self.step()?];
        while self.eat_word("then") {
            steps.push(self.step()?);
        }
        let span = self.since(start);
        let (then, arrow) = self.branch(Some(Column::Arrow))?;
        if let Some(arrow) = arrow.filter(|_| self.at_word("if") || self.at_word("when")) {
            let has_guard = steps.iter().any(|step| step.guard.is_some());
            return self.late_guard(arrow, has_guard);
        }
        let keep = arrow.is_some_and(|a| self.text_of(a) == "=>");
        let arrow = arrow.map(|a| self.span_of(a));
        let mut otherwise = None;
        if self.at_word("else") {
            let token = self.bump();
            let (branch, arrow) = self.branch(None)?;
            let at = self.span_of(token);
            if let Some(arrow) = arrow.filter(|a| self.text_of(*a) == "=>") {
                let span = self.span_of(arrow);
                return self.report(
                    Diagnostic::error(Code::RegistersOnly, span, "`=>` cannot follow `else`")
                        .rule(
                            "`else` is for properties with parameters, `=>` for properties without",
                        )
                        .help("write `->`")
                        .fix(span, "->"),
                );
            }
            otherwise = Some((at, branch));
        }
        Ok(Transition { steps, keep, then, otherwise, span, arrow })
    }

    /// A guard behind the arrow; says how the transition is written with the guard before it.
    fn late_guard<T>(&mut self, arrow: Token, has_guard: bool) -> Parsed<T> {
        let leads = self.since(arrow.start);
        let word = self.bump();
        let error = Diagnostic::error(
            Code::Unexpected,
            self.span_of(word),
            "write a guard before the arrow",
        )
        .label("write this before the `->`");
        let begin = self.peek().start;
        if self.expr().is_err() {
            return Err(Stop);
        }
        let text = |span: Span| &self.text[span.start as usize..span.end as usize];
        let guard = text(self.since(begin));
        let (leads, all) = (text(leads), self.since(arrow.start));
        self.report(match has_guard {
            true => {
                error.help(format!("combine it with the other guard: `if … and {guard} {leads}`"))
            }
            false => {
                let mended = format!("if {guard} {leads}");
                error.help(format!("write `{mended}`")).fix(all, mended)
            }
        })
    }

    fn step(&mut self) -> Parsed<Step> {
        let mut labels = vec![self.label()?];
        while self.eat_word("or") {
            labels.push(self.label()?);
        }
        let guard = if self.eat_word("if") { Some(self.expr()?) } else { None };
        Ok(Step { labels, guard })
    }

    /// `{ … } -> TARGET "…"`, all of it optional; and the arrow.
    fn branch(&mut self, column: Option<Column>) -> Parsed<(Branch, Option<Token>)> {
        let update = if self.at(Punct::BraceOpen) { self.block()? } else { Vec::new() };
        let mut target = None;
        let mut arrow = None;
        if self.at(Punct::Eq) {
            // Behind a value it was meant to compare, behind a label to lead on.
            let label = self.last.kind == TokenKind::Punct(Punct::ParenClose);
            return self.unexpected_with("`->`", |d| match label {
                true => d.help(
                    "an arrow is followed by the next state: `-> Name`; write updates in braces",
                ),
                false => {
                    d.help("compare with `==`; an arrow is followed by the next state: `-> Name`")
                }
            });
        }
        if self.at(Punct::Arrow) || self.at(Punct::FatArrow) {
            self.next_column = column;
            arrow = Some(self.bump());
            target = Some(self.target()?);
        }
        let message = self.optional_template();
        Ok((Branch { update, target, message }, arrow))
    }

    fn target(&mut self) -> Parsed<Target> {
        if self.eat_word("drop") {
            return Ok(Target::Drop);
        }
        self.name("the name of a state, or `drop`").map(Target::State)
    }
}
