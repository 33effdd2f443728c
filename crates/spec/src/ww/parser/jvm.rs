//! Sources in a JVM: join points, patterns, captured terms.

use watchword_model::{
    About, FieldPattern, Glob, InstanceOf, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern,
    ParamPattern, PointFacts, PointKind, PointPattern, ThrownBy, TypePattern, Within,
};

use super::{MAX_DEPTH, Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Capture, SourceKind};

impl Parser<'_> {
    pub(super) fn jvm_source(&mut self) -> Parsed<SourceKind> {
        let when = if self.eat_word("before") {
            JvmWhen::Before
        } else if self.eat_word("after") {
            JvmWhen::After
        } else if self.eat_word("throwing") {
            JvmWhen::Throwing
        } else {
            return self.unexpected_word(
                "`before`, `after` or `throwing`",
                &["before", "after", "throwing"],
            );
        };
        let point = self.join_point()?;
        let mut thrown = None;
        let (mut thrown_by, mut saying) = (ThrownBy::Anybody, None);
        let (mut instances, mut within) = (Vec::new(), Vec::new());
        let mut captures = Vec::new();
        loop {
            if self.eat_word("on") {
                let term = point.kind.facts().subject();
                match self.eat_word("_") {
                    true if !self.at(Punct::Colon) => {
                        return self.unexpected_word("`:` and a type", &[]);
                    }
                    true => {}
                    false => self.capture(term.clone(), &mut captures)?,
                }
                if term == JvmTerm::Receiver {
                    instances.extend(self.instance_of(term)?);
                }
            } else if self.eat_word("returns") {
                self.result(&mut instances, &mut captures)?;
            } else if self.eat_word("throws") {
                (thrown_by, saying) = self.thrown(&mut thrown, &mut captures)?;
            } else if self.eat_word("value") {
                match self.eat_word("_") {
                    true if !self.at(Punct::Colon) => {
                        return self.unexpected_word("`:` and a type", &[]);
                    }
                    true => {}
                    false => self.capture(JvmTerm::Value, &mut captures)?,
                }
                instances.extend(self.instance_of(JvmTerm::Value)?);
            } else if self.eat_word("args") {
                self.arg_captures(&mut instances, &mut captures)?;
            } else if self.eat_word("with") {
                self.captures(&mut captures, |p| p.jvm_term())?;
            } else if self.at_word("within") || (self.at_word("not") && self.is_word(1, "within")) {
                let negated = self.eat_word("not");
                self.bump();
                within.push(self.within(negated)?);
            } else {
                break;
            }
        }
        let source = JvmSource {
            when,
            point,
            thrown,
            thrown_by,
            saying,
            instances,
            within,
            captures: Vec::new(),
        };
        Ok(SourceKind::Jvm { source, captures })
    }

    fn capture(&mut self, term: JvmTerm, captures: &mut Vec<Capture<JvmTerm>>) -> Parsed<()> {
        let word = self.last;
        let param = self.name("a parameter of the event")?;
        captures.push(Capture { param, term, span: self.span_of(word) });
        Ok(())
    }

    /// `e`, `e: java.io.IOException` or `_: java.io.IOException`; who threw it, and what it says.
    fn thrown(
        &mut self,
        thrown: &mut Option<String>,
        captures: &mut Vec<Capture<JvmTerm>>,
    ) -> Parsed<(ThrownBy, Option<String>)> {
        let unnamed = self.eat_word("_");
        if !unnamed {
            self.capture(JvmTerm::Exception, captures)?;
        }
        if unnamed || self.at(Punct::Colon) {
            self.glue();
            self.expect(Punct::Colon)?;
            *thrown = Some(self.class_name()?);
        }
        if !self.eat_word("from") {
            return Ok((ThrownBy::Anybody, None));
        }
        thrown.get_or_insert_with(|| "java.lang.Throwable".to_string());
        let by = if self.eat_word("itself") {
            ThrownBy::Itself
        } else if self.eat_word("jdk") {
            ThrownBy::Jdk
        } else {
            return self.unexpected_word("`itself` or `jdk`", &["itself", "jdk"]);
        };
        let saying = match self.eat_word("saying") {
            true => {
                Some(self.expect_string("a text that the message of the exception contains")?.0)
            }
            false => None,
        };
        Ok((by, saying))
    }

    /// `java.io.IOException`: one class, by its name.
    fn class_name(&mut self) -> Parsed<String> {
        let start = self.peek().start;
        let name = self.dotted("the class of an exception")?.join(".");
        if name.contains(['*', '?', '{', '<']) {
            let span = self.span(start, self.last.end);
            return self.report(
                Diagnostic::error(Code::Unexpected, span, "this is not the name of a single class")
                    .rule("an exception is of the class after `:` or of a subclass of it"),
            );
        }
        Ok(name)
    }

    /// `x`, `x: java.util.List` or `_: java.util.List`.
    fn result(
        &mut self,
        instances: &mut Vec<InstanceOf>,
        captures: &mut Vec<Capture<JvmTerm>>,
    ) -> Parsed<()> {
        match self.eat_word("_") {
            true if !self.at(Punct::Colon) => {
                return self.unexpected_word("`:` and a type", &[]);
            }
            true => {}
            false => self.capture(JvmTerm::Result, captures)?,
        }
        instances.extend(self.instance_of(JvmTerm::Result)?);
        Ok(())
    }

    /// `: java.util.List` behind a value: only if it is one, whatever its declared type is.
    fn instance_of(&mut self, term: JvmTerm) -> Parsed<Option<InstanceOf>> {
        if !self.at(Punct::Colon) {
            return Ok(None);
        }
        self.glue();
        self.expect(Punct::Colon)?;
        let ty = TypePattern { subtypes: true, ..self.type_pattern()? };
        Ok(Some(InstanceOf { term, ty }))
    }

    fn arg_captures(
        &mut self,
        instances: &mut Vec<InstanceOf>,
        captures: &mut Vec<Capture<JvmTerm>>,
    ) -> Parsed<()> {
        let mut position = 0;
        self.expect(Punct::ParenOpen)?;
        let names = self.list(Punct::ParenClose, |p| {
            let param = if p.eat_word("_") { None } else { Some(p.name("a parameter or `_`")?) };
            instances.extend(p.instance_of(JvmTerm::Arg(position))?);
            position += 1;
            Ok(param.map(|param| (position - 1, param)))
        })?;
        for (position, param) in names.into_iter().flatten() {
            let span = param.span;
            captures.push(Capture { param, term: JvmTerm::Arg(position), span });
        }
        Ok(())
    }

    fn join_point(&mut self) -> Parsed<JoinPoint> {
        let kind = self.point_kind()?;
        let pattern = match kind.facts().about {
            About::Method => PointPattern::Method(self.method_pattern()?),
            About::Field => PointPattern::Field(self.field_pattern()?),
            About::Type | About::Object | About::Element => {
                PointPattern::Type(self.type_pattern()?)
            }
            About::Mnemonic => {
                PointPattern::Mnemonic(Glob::new(&self.dotted("a mnemonic")?.join(".")))
            }
            About::Nothing => PointPattern::All,
        };
        Ok(JoinPoint { kind, pattern })
    }

    /// A kind of program point: a word, or two.
    fn point_kind(&mut self) -> Parsed<PointKind> {
        let parts = |facts: &'static PointFacts| match facts.words.split_once(' ') {
            Some((first, second)) => (first, Some(second)),
            None => (facts.words, None),
        };
        let rows = PointKind::ALL.iter().map(|facts| (facts.kind, parts(facts)));
        let Some(first) = rows.clone().map(|(_, (first, _))| first).find(|w| self.at_word(w))
        else {
            let words: Vec<&'static str> = rows.map(|(_, (first, _))| first).collect();
            return self.unexpected_word("a kind of program point, such as `call`", &words);
        };
        self.bump();
        let seconds = rows.filter(|(_, row)| row.0 == first).map(|(kind, row)| (kind, row.1));
        let mut missing = Vec::new();
        for (kind, second) in seconds {
            match second {
                Some(word) if !self.eat_word(word) => missing.push(word),
                _ => return Ok(kind),
            }
        }
        let quoted: Vec<String> = missing.iter().map(|word| format!("`{word}`")).collect();
        self.unexpected_word(&quoted.join(" or "), &missing)
    }

    fn annotations(&mut self) -> Parsed<Vec<Glob>> {
        let mut annotations = Vec::new();
        while self.eat(Punct::At) {
            self.glue();
            annotations.push(Glob::new(&self.dotted("an annotation")?.join(".")));
        }
        Ok(annotations)
    }

    /// `@A not java.util.List+[]`.
    fn type_pattern(&mut self) -> Parsed<TypePattern> {
        let annotations = self.annotations()?;
        let negated = self.at_word("not") && !self.is_word(1, "within") && self.eat_word("not");
        let name = self.dotted("a type")?.join(".");
        self.type_rest(name, annotations, negated)
    }

    fn type_rest(
        &mut self,
        mut name: String,
        annotations: Vec<Glob>,
        negated: bool,
    ) -> Parsed<TypePattern> {
        let subtypes = self.tight_plus();
        while self.at(Punct::BracketOpen) {
            self.glue();
            self.bump();
            self.expect_tight(Punct::BracketClose)?;
            name.push_str("[]");
        }
        Ok(TypePattern { name: Glob::new(&name), subtypes, annotations, negated })
    }

    fn tight_plus(&mut self) -> bool {
        let next = self.peek();
        let plus = self.at(Punct::Plus) && self.last.touches(&next);
        if plus {
            self.glue();
            self.bump();
        }
        plus
    }

    /// The owner and the name of a method or field.
    fn member_pattern(&mut self) -> Parsed<(TypePattern, Glob)> {
        if self.at(Punct::ParenOpen) {
            self.bump();
            self.glue();
            let owner = self.type_pattern()?;
            self.expect_tight(Punct::ParenClose)?;
            return Ok((owner, self.member_name()?));
        }
        let mut segments = self.dotted("a type and a name, such as `java.util.Iterator+.next`")?;
        if self.tight_plus() {
            let owner = TypePattern {
                name: Glob::new(&segments.join(".")),
                subtypes: true,
                annotations: Vec::new(),
                negated: false,
            };
            return Ok((owner, self.member_name()?));
        }
        if segments.len() < 2 {
            return self.unexpected_with("`.` and a name", |d| {
                d.rule("a pattern consists of a type and a member: `T.m`")
                    .help("for any type write `*.` before the name")
            });
        }
        let name = segments.pop().unwrap_or_default();
        let owner = TypePattern {
            name: Glob::new(&segments.join(".")),
            subtypes: false,
            annotations: Vec::new(),
            negated: false,
        };
        Ok((owner, Glob::new(&name)))
    }

    fn member_name(&mut self) -> Parsed<Glob> {
        self.expect_tight(Punct::Dot)?;
        self.glue();
        let segments = self.dotted("a name")?;
        if segments.len() > 1 {
            return self.unexpected_with("one name after the type", |d| {
                d.rule("after `+` comes one name: `T+.m`")
            });
        }
        Ok(Glob::new(&segments.join(".")))
    }

    /// `not super @A not java.util.Collection+.{add, remove}(int, ..): boolean`.
    fn method_pattern(&mut self) -> Parsed<MethodPattern> {
        let supers = !(self.at_word("not") && self.is_word(1, "super"));
        if !supers {
            self.bump();
            self.bump();
        }
        let annotations = self.annotations()?;
        let negated = self.eat_word("not");
        let (owner, name) = self.member_pattern()?;
        if !self.at(Punct::ParenOpen) {
            return self.unexpected_with("`(`", |d| {
                d.rule("a method pattern needs parameters").help("write `(..)` for any parameters")
            });
        }
        let params = self.param_patterns()?;
        let returns = self.result_pattern()?;
        Ok(MethodPattern { owner, name, params, returns, annotations, negated, supers })
    }

    fn param_patterns(&mut self) -> Parsed<Option<Vec<ParamPattern>>> {
        self.glue();
        self.bump();
        let params = self.list(Punct::ParenClose, |p| {
            if p.eat(Punct::DotDot) {
                return Ok(ParamPattern::Rest);
            }
            p.type_pattern().map(ParamPattern::One)
        })?;
        Ok(if params == [ParamPattern::Rest] { None } else { Some(params) })
    }

    fn result_pattern(&mut self) -> Parsed<Option<TypePattern>> {
        if !self.at(Punct::Colon) {
            return Ok(None);
        }
        self.glue();
        self.bump();
        self.type_pattern().map(Some)
    }

    /// `@A java.awt.Point.x: int`.
    fn field_pattern(&mut self) -> Parsed<FieldPattern> {
        let annotations = self.annotations()?;
        let (owner, name) = self.member_pattern()?;
        let ty = self.result_pattern()?;
        Ok(FieldPattern { owner, name, ty, annotations })
    }

    /// `T` or `T.m(..)`.
    fn within(&mut self, negated: bool) -> Parsed<Within> {
        let annotations = self.annotations()?;
        let mut segments = self.dotted("a type or a method")?;
        if self.at(Punct::ParenOpen) && segments.len() > 1 {
            let method = segments.pop().unwrap_or_default();
            self.any_params()?;
            let name = Glob::new(&segments.join("."));
            let owner = TypePattern { name, subtypes: false, annotations, negated: false };
            return Ok(Within { owner, method: Some(Glob::new(&method)), negated });
        }
        let owner = self.type_rest(segments.join("."), annotations, false)?;
        let next = self.peek();
        if self.at(Punct::Dot) && self.last.touches(&next) {
            let method = self.member_name()?;
            self.any_params()?;
            return Ok(Within { owner, method: Some(method), negated });
        }
        Ok(Within { owner, method: None, negated })
    }

    fn any_params(&mut self) -> Parsed<()> {
        self.expect_tight(Punct::ParenOpen)?;
        self.expect_tight(Punct::DotDot)?;
        self.expect_tight(Punct::ParenClose)?;
        Ok(())
    }

    fn jvm_term(&mut self) -> Parsed<JvmTerm> {
        if self.eat_word("equal") {
            return Ok(JvmTerm::Equal(Box::new(self.jvm_path()?)));
        }
        if self.eat_word("holds") {
            return Ok(JvmTerm::Holds(Box::new(self.jvm_path()?)));
        }
        self.jvm_path()
    }

    fn jvm_path(&mut self) -> Parsed<JvmTerm> {
        let token = self.peek();
        let word = if token.kind == TokenKind::Ident { self.text_of(token) } else { "" };
        let mut term =
            if let Some((_, term)) = JvmTerm::WORDS.iter().find(|(name, _)| *name == word) {
                self.bump();
                term.clone()
            } else if self.eat_word("arg") {
                JvmTerm::Arg(self.position()?)
            } else if self.eat_word("local") {
                if self.peek().kind == TokenKind::Int {
                    JvmTerm::LocalSlot(self.position()?)
                } else {
                    JvmTerm::LocalName(self.name("a local variable")?.text)
                }
            } else if self.eat_word("static") {
                let mut segments = self.dotted("a static field, such as `java.lang.System.out`")?;
                let field = segments.pop().unwrap_or_default();
                if segments.is_empty() {
                    return self.unexpected("`.` and a field");
                }
                return Ok(JvmTerm::StaticField(segments.join("."), field));
            } else {
                let mut words: Vec<&'static str> =
                    JvmTerm::WORDS.iter().map(|(name, _)| *name).collect();
                words.extend(["arg", "local", "static", "equal", "holds"]);
                return self.unexpected_word("a value, such as `arg 0` or `this`", &words);
            };
        let mut length = 0;
        while self.at(Punct::Dot) {
            length += 1;
            if length > MAX_DEPTH {
                let span = self.since(token.start);
                return self.too_deep(span);
            }
            self.glue();
            self.bump();
            self.glue();
            let name = self.name("a field or method")?.text;
            if self.at(Punct::ParenOpen) {
                self.glue();
                self.bump();
                self.expect_tight(Punct::ParenClose)?;
                term = JvmTerm::Call(Box::new(term), name);
            } else {
                term = JvmTerm::Field(Box::new(term), name);
            }
        }
        Ok(term)
    }
}
