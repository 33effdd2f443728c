//! The sections of a script.

use watchword_model::FileId;

use super::cursor::{Cursor, Parsed};
use super::lexer::{Tok, lex};
use super::tree::{
    Arrow, Collection, Context, Event, EventMember, ForEach, Group, Invariant, Method, MethodArg,
    MethodEvent, Name, Property, Script, State, TypeName, Variable, Variation,
};
use crate::diagnostic::{Code, Diagnostic};

const GROUPS: [(&str, Group); 4] = [
    ("ACCEPTING", Group::Accepting),
    ("BAD", Group::Bad),
    ("NORMAL", Group::Normal),
    ("STARTING", Group::Starting),
];

/// Units of clock events, in nanoseconds. Without one: seconds.
const UNITS: [(&str, f64); 5] =
    [("s", 1e9), ("l", 1e6), ("m", 60e9), ("h", 3600e9), ("d", 86400e9)];

/// What a context consists of.
const SECTIONS: [&str; 5] = ["INVARIANTS", "VARIABLES", "EVENTS", "PROPERTY", "FOREACH"];

fn behind_semicolon(cursor: &Cursor<'_>) -> bool {
    cursor.is_behind(";")
}

/// The script in a text. Mistakes are added to `diagnostics`.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Script {
    let tokens = lex(file, text, diagnostics);
    let mut script = Script::default();
    let mut cursor = Cursor::new(&tokens, diagnostics);
    // What stopped the parser was reported.
    let _ = cursor.script(&mut script);
    script
}

impl Cursor<'_> {
    fn script(&mut self, script: &mut Script) -> Parsed<()> {
        if self.eat_word("IMPORTS") {
            self.braced(behind_semicolon, |c| {
                if !c.eat_word("import") {
                    return Err(c.unexpected("`import`"));
                }
                let mut path = c.name("a package")?.text;
                while c.eat(".") {
                    if c.eat("*") {
                        path.push_str(".*");
                    } else {
                        path = format!("{path}.{}", c.name("a name")?.text);
                    }
                }
                c.expect(";")?;
                script.imports.push(path);
                Ok(())
            })?;
        }
        let global = self.span();
        if !self.eat_word("GLOBAL") {
            return Err(self.unexpected("`GLOBAL`"));
        }
        script.global.span = Some(global);
        self.context(&mut script.global)?;
        if self.eat_word("METHODS") {
            self.braced(
                |c| c.is_behind("}"),
                |c| {
                    let method = c.method()?;
                    script.methods.push(method);
                    Ok(())
                },
            )?;
        }
        if self.at_end() { Ok(()) } else { Err(self.unexpected("the end of the script")) }
    }

    fn context(&mut self, context: &mut Context) -> Parsed<()> {
        let begins = |c: &Self| SECTIONS.iter().any(|word| c.is_word(word));
        self.deeper(|c| c.braced(begins, |c| c.section(context)))
    }

    fn section(&mut self, context: &mut Context) -> Parsed<()> {
        let start = self.span();
        if self.eat_word("INVARIANTS") {
            self.braced(behind_semicolon, |c| {
                c.type_name()?;
                let name = c.name("the invariant's name")?;
                c.expect("=")?;
                let value = c.expr()?;
                c.expect(";")?;
                let enabled = c.eat_word("enable");
                context.invariants.push(Invariant { name, value, enabled });
                Ok(())
            })
        } else if self.eat_word("VARIABLES") {
            self.braced(behind_semicolon, |c| {
                let ty = c.type_name()?;
                let name = c.name("the variable's name")?;
                let init = if c.eat("=") { Some(c.expr()?) } else { None };
                c.expect(";")?;
                context.variables.push(Variable { ty, name, init });
                Ok(())
            })
        } else if self.eat_word("EVENTS") {
            self.braced(Self::event_begins, |c| {
                let event = c.event()?;
                context.events.push(event);
                Ok(())
            })
        } else if self.eat_word("PROPERTY") {
            let property = self.property()?;
            context.properties.push(property);
            Ok(())
        } else if self.eat_word("FOREACH") {
            let mut inner = Context { span: Some(start), ..Context::default() };
            self.expect("(")?;
            loop {
                let ty = self.type_name()?;
                let name = self.name("a name")?;
                let mut equate = None;
                loop {
                    if self.eat_word("equateUsing") {
                        equate = Some(self.name("a method")?);
                    } else if self.eat_word("stringUsing") {
                        self.name("a method")?;
                    } else {
                        break;
                    }
                }
                inner.params.push(ForEach { ty, name, equate });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            self.context(&mut inner)?;
            context.inner.push(inner);
            Ok(())
        } else {
            let wanted = "`INVARIANTS`, `VARIABLES`, `EVENTS`, `PROPERTY`, `FOREACH` or `}`";
            Err(self.unexpected(wanted))
        }
    }

    /// `name(…) =`
    fn event_begins(&self) -> bool {
        let mut ahead = 1;
        if !matches!((self.peek(0), self.peek(1)), (Tok::Name(_), Tok::Mark("("))) {
            return false;
        }
        // Parameters are few; a long way is not looked ahead from every name.
        while ahead < 100
            && !matches!(self.peek(ahead), Tok::Mark(")" | "{" | "}" | ";") | Tok::End)
        {
            ahead += 1;
        }
        matches!((self.peek(ahead), self.peek(ahead + 1)), (Tok::Mark(")"), Tok::Mark("=")))
    }

    fn event(&mut self) -> Parsed<Event> {
        let name = self.name("the event's name")?;
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            let first = self.type_name()?;
            if matches!(self.peek(0), Tok::Name(_)) {
                let name = self.name("a name")?;
                params.push((Some(first), name));
            } else {
                params.push((None, Name { text: first.name, span: first.span }));
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        self.expect("=")?;
        let collection = self.collection()?;
        Ok(Event { name, params, collection })
    }

    fn collection(&mut self) -> Parsed<Collection> {
        self.expect("{")?;
        let mut members = Vec::new();
        loop {
            members.push(self.deeper(Self::member)?);
            if self.eat("}") {
                break;
            }
            self.expect("|")?;
        }
        let mut collection = Collection { members, filter: None, wheres: Vec::new() };
        if self.eat_word("filter") {
            self.expect("{")?;
            collection.filter = Some(self.expr()?);
            self.eat(";");
            self.expect("}")?;
        }
        if self.eat_word("where") {
            if self.eat("{") {
                while !self.eat("}") {
                    self.assignment(&mut collection)?;
                }
            } else {
                self.assignment(&mut collection)?;
            }
        }
        Ok(collection)
    }

    fn assignment(&mut self, collection: &mut Collection) -> Parsed<()> {
        let name = self.name("the name of a variable of FOREACH")?;
        self.expect("=")?;
        let value = self.expr()?;
        self.expect(";")?;
        collection.wheres.push((name, value));
        Ok(())
    }

    fn member(&mut self) -> Parsed<EventMember> {
        let start = self.span();
        if self.is("{") {
            return Ok(EventMember::Collection(self.collection()?));
        }
        let word = |tok: &Tok, w: &str| matches!(tok, Tok::Name(n) if n == w);
        let prefixed = matches!(self.peek(1), Tok::Name(_) | Tok::Mark("*"));
        let execution = prefixed && word(self.peek(0), "execution");
        if execution || (prefixed && word(self.peek(0), "call")) {
            self.skip();
        }
        if self.eat("*") {
            self.expect(".")?;
            let method = self.method_name()?;
            return self.method_event(execution, None, None, method, start);
        }
        // `x.*(…)`, `x.set*(…)`.
        let at_star = match self.peek(2) {
            Tok::Name(_) => 3,
            _ => 2,
        };
        if matches!((self.peek(0), self.peek(1)), (Tok::Name(_), Tok::Mark(".")))
            && matches!(
                (self.peek(at_star), self.peek(at_star + 1)),
                (Tok::Mark("*"), Tok::Mark("("))
            )
        {
            let target = self.name("a name")?;
            self.expect(".")?;
            let method = self.method_name()?;
            return self.method_event(execution, None, Some(target), method, start);
        }
        let first = self.type_name()?;
        if self.is("@") || self.is("@@") {
            return self.clock_event(Name { text: first.name, span: first.span });
        }
        if !first.subtypes && !matches!(self.peek(0), Tok::Name(_) | Tok::Mark("*")) {
            // `a.b.m(…)`, `x.m(…)`, `event(…)` or `event`.
            if self.is("(") && first.name.contains('.') {
                let (owner, method) = first.name.rsplit_once('.').unwrap_or(("", &first.name));
                let at = first.span.end - method.len() as u32;
                let method = Name {
                    text: method.to_string(),
                    span: watchword_model::Span { start: at, ..first.span },
                };
                let span = watchword_model::Span { end: at.saturating_sub(1), ..first.span };
                let (owner, target) = if owner.contains('.') {
                    (Some(TypeName { name: owner.to_string(), subtypes: false, span }), None)
                } else {
                    (None, Some(Name { text: owner.to_string(), span }))
                };
                return self.method_event(execution, owner, target, method, start);
            }
            if self.is("(") {
                let mut open = 0u32;
                loop {
                    open += u32::from(self.is("("));
                    open -= u32::from(self.is(")"));
                    if self.at_end() {
                        return Err(self.unexpected("`)`"));
                    }
                    self.skip();
                    if open == 0 {
                        break;
                    }
                }
            }
            return Ok(EventMember::Named(Name { text: first.name, span: first.span }));
        }
        let target = if self.eat("*") { None } else { Some(self.name("a name")?) };
        self.expect(".")?;
        let method = self.method_name()?;
        self.method_event(execution, Some(first), target, method, start)
    }

    /// A method, perhaps with `*` in its name: `set*`.
    fn method_name(&mut self) -> Parsed<Name> {
        let start = self.span();
        let mut text = String::new();
        loop {
            // `set*(`: the parts stand side by side.
            match self.peek(0) {
                Tok::Name(part) => text.push_str(part),
                Tok::Mark("*") => text.push('*'),
                _ => break,
            }
            self.skip();
        }
        if text.is_empty() {
            return Err(self.unexpected("a method"));
        }
        Ok(Name { text, span: start.to(self.last_span()) })
    }

    fn clock_event(&mut self, clock: Name) -> Parsed<EventMember> {
        if self.eat("@@") {
            return Ok(EventMember::Rings(clock));
        }
        self.expect("@")?;
        if self.is("%") {
            let span = self.span();
            return Err(self.report(
                Diagnostic::error(Code::LarvaSubset, span, "clocks do not repeat their alarms")
                    .help("reset the clock at its alarm: `s -> s [tick\\\\c.reset();]`"),
            ));
        }
        let mut unit = 1e9;
        let mut digits = None;
        if let Tok::Name(word) = self.peek(0).clone() {
            let Some((letter, scale)) = UNITS.iter().find(|(l, _)| word.starts_with(l)) else {
                return Err(
                    self.unexpected("a number of seconds, or `s`, `l` (ms), `m`, `h` or `d`")
                );
            };
            unit = *scale;
            let rest = &word[letter.len()..];
            if !rest.is_empty() {
                digits = rest.parse::<f64>().ok();
                if digits.is_none() {
                    return Err(self.unexpected("a number"));
                }
            }
            self.skip();
        }
        let number = match (digits, self.peek(0)) {
            (Some(number), _) => number,
            (None, Tok::Int(n, _)) => {
                let n = *n as f64;
                self.skip();
                n
            }
            (None, Tok::Float(f)) => {
                let f = *f;
                self.skip();
                f
            }
            _ => return Err(self.unexpected("a number")),
        };
        let nanoseconds = number * unit;
        if !(0.0..9e18).contains(&nanoseconds) {
            let span = self.last_span();
            return Err(self.report(Diagnostic::error(
                Code::BadNumber,
                span,
                "this time is too long",
            )));
        }
        Ok(EventMember::Clock(clock, nanoseconds as i64))
    }

    fn method_event(
        &mut self,
        execution: bool,
        owner: Option<TypeName>,
        target: Option<Name>,
        method: Name,
        start: watchword_model::Span,
    ) -> Parsed<EventMember> {
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.eat(")") {
            if self.eat("*") || self.eat("..") {
                args.push(MethodArg::Rest);
            } else {
                let first = self.type_name()?;
                if matches!(self.peek(0), Tok::Name(_)) {
                    let name = self.name("a name")?;
                    args.push(MethodArg::One(Some(first), Some(name)));
                } else if self.eat("*") {
                    args.push(MethodArg::One(Some(first), None));
                } else {
                    let name = Name { text: first.name, span: first.span };
                    args.push(MethodArg::One(None, Some(name)));
                }
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        if method.text == "receive"
            && owner.is_none()
            && let Some(channel) = target
        {
            let received = match args.into_iter().next() {
                Some(MethodArg::One(ty, Some(name))) => Some((ty, name)),
                _ => None,
            };
            return Ok(EventMember::Channel(channel, received));
        }
        let variation = if self.eat_word("uponReturning") {
            Variation::Returning(self.bound()?.1)
        } else if self.eat_word("uponThrowing") {
            let (ty, name) = self.bound()?;
            Variation::Throwing(ty, name)
        } else if self.eat_word("uponHandling") {
            let (ty, name) = self.bound()?;
            Variation::Handling(ty, name)
        } else {
            Variation::Before
        };
        let within = if self.eat_word("within") {
            self.expect("(")?;
            let ty = self.type_name()?;
            let name = if self.is(")") { None } else { Some(self.name("a name")?) };
            self.expect(")")?;
            Some((ty, name))
        } else {
            None
        };
        let span = start.to(self.last_span());
        Ok(EventMember::Method(Box::new(MethodEvent {
            execution,
            owner,
            target,
            method,
            args,
            variation,
            within,
            span,
        })))
    }

    /// `()`, `(*)`, `(x)` or `(T x)`.
    fn bound(&mut self) -> Parsed<(Option<TypeName>, Option<Name>)> {
        self.expect("(")?;
        let any = self.eat("*");
        if any {
            self.expect(")")?;
        }
        if any || self.eat(")") {
            return Ok((None, None));
        }
        let first = self.type_name()?;
        let result = if matches!(self.peek(0), Tok::Name(_)) {
            let name = self.name("a name")?;
            (Some(first), Some(name))
        } else {
            (None, Some(Name { text: first.name, span: first.span }))
        };
        self.expect(")")?;
        Ok(result)
    }

    fn property(&mut self) -> Parsed<Property> {
        let name = self.name("the property's name")?;
        let mut property = Property { name, states: Vec::new(), arrows: Vec::new() };
        let part = |c: &Self| c.is_word("STATES") || c.is_word("TRANSITIONS");
        let group = |c: &Self| GROUPS.iter().any(|(word, _)| c.is_word(word));
        let arrow = |c: &Self| matches!((c.peek(0), c.peek(1)), (Tok::Name(_), Tok::Mark("->")));
        self.braced(part, |c| {
            if c.eat_word("STATES") {
                c.braced(group, |c| c.states(&mut property))
            } else if c.eat_word("TRANSITIONS") {
                c.braced(arrow, |c| {
                    let arrow = c.arrow()?;
                    property.arrows.push(arrow);
                    Ok(())
                })
            } else {
                Err(c.unexpected("`STATES`, `TRANSITIONS` or `}`"))
            }
        })?;
        Ok(property)
    }

    fn states(&mut self, property: &mut Property) -> Parsed<()> {
        let Some((word, group)) = GROUPS.iter().find(|(word, _)| self.is_word(word)) else {
            return Err(self.unexpected("`ACCEPTING`, `BAD`, `NORMAL`, `STARTING` or `}`"));
        };
        self.eat_word(word);
        self.braced(
            |c| c.is_behind(",") || c.is_behind("}"),
            |c| {
                let name = c.name("a state")?;
                let entry = if c.is("{") { c.block()? } else { Vec::new() };
                c.eat(",");
                property.states.push(State { group: *group, name, entry });
                Ok(())
            },
        )
    }

    fn arrow(&mut self) -> Parsed<Arrow> {
        let source = self.name("a state")?;
        self.expect("->")?;
        let target = self.name("a state")?;
        self.expect("[")?;
        let event = self.name("an event")?;
        // Only the name counts.
        while !self.is("\\") && !self.is("]") && !self.at_end() {
            self.skip();
        }
        let mut condition = None;
        let mut action = Vec::new();
        if self.eat("\\") {
            if !self.is("\\") && !self.is("]") {
                condition = Some(self.expr()?);
            }
            if self.eat("\\") {
                action = self.statements(&["]"])?;
            }
        }
        let end = self.expect("]")?;
        let mut switches = Vec::new();
        while self.is("[") {
            self.skip();
            let enable = self.eat_word("enable");
            if !enable && !self.eat_word("disable") {
                return Err(self.unexpected("`enable` or `disable`"));
            }
            switches.push((enable, self.name("an invariant")?));
            self.expect("]")?;
        }
        let span = source.span.to(end);
        Ok(Arrow { source, target, event, condition, action, switches, span })
    }

    fn method(&mut self) -> Parsed<Method> {
        while ["public", "private", "protected", "static", "final"].iter().any(|w| self.eat_word(w))
        {
        }
        let ty = self.type_name()?;
        let name = self.name("the method's name")?;
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            self.eat_word("final");
            let ty = self.type_name()?;
            params.push((ty, self.name("a name")?));
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        let body = self.block()?;
        Ok(Method { ty, name, params, body })
    }
}
