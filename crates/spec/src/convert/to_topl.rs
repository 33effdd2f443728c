//! Properties with registers over calls and returns as classic TOPL.

use std::fmt::Write;

use watchword_model::{
    Arity, BinaryOp, Boxes, Builtin, EventId, Expr, Label, Model, Observed, Pattern, Place,
    ProgramEvent, Property, Severity, Span, StateId, StateKind, Target, TemplatePart, Transition,
    UnaryOp, Value,
};

use super::words::java_text;
use crate::diagnostic::{Code, Diagnostic};
use crate::topl::flow::{ERROR, START};

/// Where configurations go that are dropped.
const DROPPED: &str = "dropped";

/// Properties as a file of classic TOPL that gives the same verdicts.
///
/// # Errors
/// Everything that has no counterpart there, with its place.
pub fn to_topl(model: &Model) -> Result<String, Vec<Diagnostic>> {
    let mut refused = Vec::new();
    let mut text = String::new();
    for property in &model.properties {
        if !text.is_empty() {
            text.push('\n');
        }
        let mut writer = Writer { model, property, refused: &mut refused };
        text.push_str(&writer.property());
    }
    // One `on` with alternatives is several transitions.
    let mut once: Vec<Diagnostic> = Vec::new();
    for diagnostic in refused {
        if !once.contains(&diagnostic) {
            once.push(diagnostic);
        }
    }
    if once.is_empty() { Ok(text) } else { Err(once) }
}

/// Which letter an event is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Call,
    Return,
}

/// What a label asks of the method.
#[derive(PartialEq)]
struct Method {
    negated: bool,
    glob: String,
}

struct Writer<'m, 'd> {
    model: &'m Model,
    property: &'m Property,
    refused: &'d mut Vec<Diagnostic>,
}

impl<'m> Writer<'m, '_> {
    fn refuse(&mut self, span: Span, what: impl Into<String>, help: &str) {
        let span = if span == Span::NONE { self.property.span } else { span };
        let diagnostic = Diagnostic::error(Code::NotConvertible, span, what)
            .rule("a classic TOPL property has states, registers, calls and returns, nothing else");
        self.refused.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn property(&mut self) -> String {
        let property = self.property;
        if !self.model.has_registers(property) {
            self.refuse(
                property.span,
                format!("`{}` has instances, and TOPL has none", property.name),
                "write it with registers: without a parameter list, `?x` binds and `x` compares",
            );
            return String::new();
        }
        if property.boxes == Boxes::ByIdentity {
            self.refuse(
                property.span,
                "TOPL compares strings and boxed values by value, and this property by identity",
                "add the line `boxes by value`",
            );
        }
        let mut out = String::new();
        for line in property.doc.lines() {
            let _ = writeln!(out, "// {line}");
        }
        if property.severity != Severity::Error || !property.tags.is_empty() {
            let tags = property.tags.join(", ");
            let _ = writeln!(out, "// {} {tags}", property.severity.name());
        }
        let _ = writeln!(out, "property {}", property.name);
        if let Some(message) = &property.message {
            let mut text = String::new();
            for part in &message.parts {
                match part {
                    TemplatePart::Text(part) => text.push_str(part),
                    TemplatePart::Value(_) => {
                        let help = "write a message without `{…}`";
                        self.refuse(property.span, "messages of TOPL show no values", help);
                        break;
                    }
                }
            }
            if text.contains(['"', '\n', '\r']) {
                let help = "write the message without quotes";
                self.refuse(property.span, "messages of TOPL have no quotes and no lines", help);
            }
            let _ = writeln!(out, "  message \"{text}\"");
        }
        self.states();
        for register in &property.registers {
            if register.init.is_some() {
                let what = format!("the register `{}` has a first value", register.name);
                self.refuse(register.span, what, "bind it by a label");
            }
            if !register.name.starts_with(char::is_lowercase) {
                let what = format!("`{}` cannot be the name of a register in TOPL", register.name);
                let help = "begin it with a small letter: the capital one binds it";
                self.refuse(register.span, what, help);
            }
        }
        let observe = self.observe();
        let _ = writeln!(out, "  observe <{}>", escaped(&observe));
        let mut loops: Vec<String> = Vec::new();
        for transition in &property.transitions {
            let Some((label, staying)) = self.transition(transition) else { continue };
            let source = self.state(transition.source);
            let target = match transition.then.target {
                Target::State(state) => self.state(state),
                Target::Stay => source.clone(),
                Target::Drop => DROPPED.to_string(),
            };
            let _ = writeln!(out, "  {source} -> {target}: {label}");
            let staying = format!("  {source} -> {source}: {staying}\n");
            if transition.keep && !loops.contains(&staying) {
                out.push_str(&staying);
                loops.push(staying);
            }
        }
        out
    }

    fn states(&mut self) {
        let property = self.property;
        let mut bad = None;
        for (at, state) in property.states.iter().enumerate() {
            let id = StateId::from_index(at);
            match state.kind {
                StateKind::Normal => {}
                StateKind::Bad => {
                    if property.leaving(id).next().is_some() {
                        let what = "in TOPL a violation is the end of its configuration";
                        self.refuse(state.span, what, "remove the transitions that leave it");
                    }
                    if bad.replace(id).is_some() {
                        let what = "TOPL has one state of violations, `error`";
                        self.refuse(state.span, what, "lead to one bad state only");
                    }
                    if id == property.start {
                        self.refuse(
                            state.span,
                            "the start state cannot be the state of violations",
                            "",
                        );
                    }
                }
                StateKind::Good => {
                    let what = "TOPL reports no satisfactions";
                    self.refuse(state.span, what, "make it an ordinary state, or write `-> drop`");
                }
                StateKind::Pending => {
                    self.refuse(state.span, "TOPL reports nothing at the end of a run", "");
                }
            }
            if state.deadline.is_some() {
                self.refuse(state.span, "TOPL has no time", "");
            }
            if !state.entry.is_empty() {
                self.refuse(state.span, "TOPL has no updates", "");
            }
            if state.message.is_some() {
                let help = "give the property a `message`";
                self.refuse(state.span, "messages of states have no counterpart", help);
            }
            let taken = [START, ERROR, DROPPED].contains(&state.name.as_str());
            if taken && self.state(id) != state.name {
                let what = format!("`{}` means something else in TOPL", state.name);
                self.refuse(state.span, what, "rename the state");
            }
        }
        if bad.is_none() {
            let help = "mark one: `bad state …`";
            self.refuse(property.span, "no state is bad, so nothing is reported", help);
        }
    }

    /// The name of a state: where one begins is `start`, what is reported is `error`.
    fn state(&self, id: StateId) -> String {
        let state = &self.property.states[id.index()];
        if id == self.property.start {
            START.to_string()
        } else if state.kind == StateKind::Bad {
            ERROR.to_string()
        } else {
            state.name.clone()
        }
    }

    fn letter(&self, event: EventId) -> Option<Letter> {
        match self.model.events[event.index()].program? {
            ProgramEvent::Call => Some(Letter::Call),
            ProgramEvent::Return => Some(Letter::Return),
            ProgramEvent::Done | ProgramEvent::ArrayWrite => None,
        }
    }

    /// The glob of what is observed.
    fn observe(&mut self) -> String {
        let property = self.property;
        let mut found: Vec<(Letter, String)> = Vec::new();
        for Observed { event, filter, .. } in &property.alphabet {
            let decl = &self.model.events[event.index()];
            let Some(letter) = self.letter(*event) else {
                let span = if decl.span == Span::NONE { property.span } else { decl.span };
                self.refuse(
                    span,
                    format!("the event `{}` has no counterpart in TOPL", decl.name),
                    "TOPL has only calls and returns: `event call(method, ..) = program call`, `event return(method, value, ..) = program return`",
                );
                continue;
            };
            let glob = match filter {
                None => Some("*".to_string()),
                Some(filter) => method(filter).filter(|m| !m.negated).map(|m| m.glob),
            };
            match glob.filter(|g| plain(g)) {
                Some(glob) => found.push((letter, glob)),
                None => {
                    let help = "write `also … if matches(method, \"…\")`";
                    self.refuse(property.span, "TOPL observes methods by their names only", help);
                }
            }
        }
        let one = found.first().map_or("*".to_string(), |(_, glob)| glob.clone());
        if found.iter().any(|(_, glob)| *glob != one) {
            let what = "TOPL observes the calls and the returns of the same methods";
            self.refuse(property.span, what, "write one line, `also call, return if …`");
        }
        // A letter that is observed too is skipped, unless a label may take any, or two in a row.
        let letters = [Letter::Call, Letter::Return];
        let both = letters.iter().all(|l| found.iter().any(|(f, _)| f == l));
        let sensitive = property
            .transitions
            .iter()
            .any(|t| t.labels.len() > 1 || t.labels.iter().any(|l| l.event.is_none()));
        if !both && sensitive && !found.is_empty() {
            let what = "TOPL observes the calls and the returns of the same methods";
            self.refuse(property.span, what, "observe both: `also call, return`");
        }
        one
    }

    /// The label of a transition, and the same label without its binders.
    fn transition(&mut self, transition: &'m Transition) -> Option<(String, String)> {
        let before = self.refused.len();
        if transition.then.message.is_some() {
            let help = "give the property a `message`";
            self.refuse(transition.span, "messages of transitions have no counterpart", help);
        }
        if !transition.then.update.is_empty() {
            let help = "bind registers by labels, `?x`";
            self.refuse(transition.span, "TOPL has no updates", help);
        }
        if transition.keep && transition.labels.len() > 1 {
            let help = "write `->`, or take one event at a time";
            self.refuse(transition.span, "TOPL has no `=>` for several events", help);
        }
        let (written, staying) = match transition.labels.as_slice() {
            [label] => (self.label(label, true), self.label(label, false)),
            [call, ret] => (self.complete(call, ret), String::new()),
            labels => {
                let what =
                    format!("a label of TOPL takes at most two events, not {}", labels.len());
                self.refuse(transition.span, what, "add states between the events");
                return None;
            }
        };
        (self.refused.len() == before).then_some((written, staying))
    }

    fn register(&self, place: Place) -> &'m str {
        match place {
            Place::Register(id) => &self.property.registers[id.index()].name,
            _ => "",
        }
    }

    fn value(&mut self, pattern: &Pattern, binding: bool, span: Span) -> String {
        match pattern {
            Pattern::Any => "*".to_string(),
            Pattern::Bind(_) if !binding => "*".to_string(),
            Pattern::Bind(place) => {
                let mut chars = self.register(*place).chars();
                chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
            }
            Pattern::Equal(place) => self.register(*place).to_string(),
            Pattern::Differs(place) => format!("!{}", self.register(*place)),
            Pattern::Const(value) | Pattern::NotConst(value) => {
                let sign = if matches!(pattern, Pattern::Const(_)) { "" } else { "!" };
                match java_literal(value) {
                    Some(literal) => format!("{sign}<{literal}>"),
                    None => {
                        self.refuse(span, format!("`{value}` is not a Java literal"), "");
                        String::new()
                    }
                }
            }
        }
    }

    /// What a guard asks of the method; everything else is refused. Whether a receiver must be
    /// there is the business of the caller.
    fn guard(&mut self, label: &Label, receiver: bool) -> Option<Method> {
        let mut parts = Vec::new();
        if let Some(guard) = &label.guard {
            conjuncts(guard, &mut parts);
        }
        let mut found = None;
        if let Some(Pattern::Const(Value::Str(name))) = label.args.first() {
            found = Some(Method { negated: false, glob: name.to_string() });
        }
        for part in parts {
            if receiver && is_present(part) {
                continue;
            }
            match method(part) {
                Some(method) if found.is_none() && plain(&method.glob) => found = Some(method),
                _ => {
                    let what = "this guard has no counterpart in classic TOPL";
                    let help = "one `matches(method, \"…\")`, perhaps after `not`, has";
                    self.refuse(label.span, what, help);
                }
            }
        }
        found
    }

    fn method(&self, method: Option<&Method>) -> String {
        match method {
            None => "<*>".to_string(),
            Some(Method { negated: false, glob }) => format!("<{}>", escaped(glob)),
            Some(Method { negated: true, glob }) => format!("(!<{}>)", escaped(glob)),
        }
    }

    /// A label of one event.
    fn label(&mut self, label: &Label, binding: bool) -> String {
        let Some(event) = label.event else {
            let method = self.guard(label, false);
            return match &method {
                None => "*".to_string(),
                some => format!("{}[*]", self.method(some.as_ref())),
            };
        };
        match self.letter(event) {
            Some(Letter::Call) => format!("call {}", self.called(label, binding)),
            Some(Letter::Return) => {
                let method = self.guard(label, false);
                let (receiver, count) = self.count(label);
                let value = self.result(label, binding);
                format!("return {value} := {receiver}{}{count}", self.method(method.as_ref()))
            }
            // Refused where it is observed.
            None => String::new(),
        }
    }

    fn result(&mut self, label: &Label, binding: bool) -> String {
        label.args.get(1).map_or("*".to_string(), |p| self.value(p, binding, label.span))
    }

    /// What stands before and behind the method of a return, whose arguments are not to be seen.
    fn count(&mut self, label: &Label) -> (&'static str, String) {
        /// Method and value.
        const FIXED: u32 = 2;
        if label.args.iter().skip(FIXED as usize).any(|p| !matches!(p, Pattern::Any)) {
            let help = "use the arguments of the call";
            self.refuse(label.span, "a return of TOPL does not carry the arguments", help);
        }
        match label.arity {
            Arity::Exactly(n) => ("", format!("[{}]", n.saturating_sub(FIXED))),
            open => (self.open(label, open.least().saturating_sub(FIXED)), "[*]".to_string()),
        }
    }

    /// The receiver pattern that asks for so many arguments or more.
    fn open(&mut self, label: &Label, least: u32) -> &'static str {
        match least {
            0 => "",
            1 => "*.",
            _ => {
                let what = "TOPL requires a receiver or an exact number of arguments";
                let help = "say how many arguments there are: without `..`";
                self.refuse(label.span, what, help);
                ""
            }
        }
    }

    /// Method and arguments of a call.
    fn called(&mut self, label: &Label, binding: bool) -> String {
        let on_name = label.args.first();
        if let Some(Pattern::Bind(_) | Pattern::Equal(_) | Pattern::Differs(_)) = on_name {
            self.refuse(label.span, "registers of TOPL do not hold names of methods", "");
        }
        let values: Vec<String> =
            label.args.iter().skip(1).map(|p| self.value(p, binding, label.span)).collect();
        match label.arity {
            Arity::Exactly(n) => {
                let method = self.guard(label, false);
                let count = (n as usize).saturating_sub(1);
                let values: Vec<&str> =
                    (0..count).map(|at| values.get(at).map_or("*", String::as_str)).collect();
                format!("{}({})", self.method(method.as_ref()), values.join(", "))
            }
            open => {
                let method = self.guard(label, true);
                if values.iter().skip(1).any(|v| v != "*") {
                    let help = "say how many arguments there are: without `..`";
                    let what = "TOPL sees the receiver only if the number of arguments is open";
                    self.refuse(label.span, what, help);
                }
                let asked = self.open(label, open.least().saturating_sub(1));
                let mut parts = Vec::new();
                if let Some(guard) = &label.guard {
                    conjuncts(guard, &mut parts);
                }
                // A receiver pattern of TOPL asks for a receiver, and a receiver is not null.
                if parts.iter().any(|p| is_present(p)) == asked.is_empty() {
                    let what = "with an open number of arguments, TOPL requires a receiver";
                    let help = "require one: `call(_, _, ..)`, and `arg(1) != null` in the guard";
                    self.refuse(label.span, what, help);
                }
                let method = self.method(method.as_ref());
                match values.first() {
                    Some(receiver) if !asked.is_empty() => format!("{receiver}.{method}[*]"),
                    _ => format!("{asked}{method}[*]"),
                }
            }
        }
    }

    /// A call and the return directly after it, as one label.
    fn complete(&mut self, call: &Label, ret: &Label) -> String {
        let letters = [call, ret].map(|l| l.event.and_then(|e| self.letter(e)));
        let value = self.result(ret, true);
        let called = self.called(call, true);
        let arguments = call.args.iter().skip(1).any(|p| !matches!(p, Pattern::Any));
        let same_method = self.guard(ret, false) == self.guard(call, true);
        // A return has its value beside what its call has.
        let same_count = match (call.arity, ret.arity) {
            (Arity::Exactly(call), Arity::Exactly(ret)) => ret == call + 1,
            (Arity::AtLeast(call), Arity::AtLeast(ret)) => ret == call + 1,
            (call, ret) => call == ret,
        };
        let good = letters == [Some(Letter::Call), Some(Letter::Return)]
            && same_method
            && same_count
            && arguments
            && value != "*";
        if !good {
            self.refuse(
                call.span,
                "of two events, TOPL takes a call and the return of the same method only",
                "use an argument of the call and the value of the return, with equal guards",
            );
        }
        self.count(ret);
        format!("{value} := {called}")
    }
}

fn conjuncts<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match expr {
        Expr::And(a, b) => {
            conjuncts(a, parts);
            conjuncts(b, parts);
        }
        other => parts.push(other),
    }
}

/// `matches(method, "…")`, perhaps negated.
fn method(expr: &Expr) -> Option<Method> {
    match expr {
        Expr::Unary(UnaryOp::Not, inner) => {
            method(inner).map(|m| Method { negated: !m.negated, ..m })
        }
        Expr::Builtin(Builtin::Matches, args) => match args.as_slice() {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => {
                Some(Method { negated: false, glob: glob.to_string() })
            }
            _ => None,
        },
        Expr::Binary(BinaryOp::Eq, a, b) => match (&**a, &**b) {
            (Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(name))) => {
                Some(Method { negated: false, glob: name.to_string() })
            }
            _ => None,
        },
        _ => None,
    }
}

/// `arg(1) != null`: there is a receiver.
fn is_present(expr: &Expr) -> bool {
    let Expr::Binary(BinaryOp::Ne, a, b) = expr else { return false };
    matches!(
        (&**a, &**b),
        (Expr::Read(Place::Arg(1)), Expr::Const(Value::Null))
            | (Expr::Const(Value::Null), Expr::Read(Place::Arg(1)))
    )
}

/// Whether a glob means the same in TOPL, where commas separate patterns.
fn plain(glob: &str) -> bool {
    let mut depth = 0usize;
    for c in glob.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return false,
            c if c.is_whitespace() && depth == 0 => return false,
            _ => {}
        }
    }
    !glob.is_empty() && !glob.contains(['"', '\\', '\n'])
}

fn escaped(glob: &str) -> String {
    glob.replace('<', "\\<").replace('>', "\\>")
}

fn java_literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Int(i) if i32::try_from(*i).is_ok() => i.to_string(),
        Value::Int(i64::MIN) => "Long.MIN_VALUE".to_string(),
        Value::Int(i) => format!("{i}L"),
        Value::Float(f) if f.is_finite() => format!("{f:?}"),
        Value::Float(f) if f.is_nan() => "Double.NaN".to_string(),
        Value::Float(f) if *f > 0.0 => "Double.POSITIVE_INFINITY".to_string(),
        Value::Float(_) => "Double.NEGATIVE_INFINITY".to_string(),
        Value::Str(text) => java_text(text).replace('<', "\\<").replace('>', "\\>"),
        _ => return None,
    })
}
