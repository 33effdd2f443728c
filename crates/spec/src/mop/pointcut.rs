//! Pointcuts to program points, and to what an event brings.

use watchword_model::{
    FieldPattern, Glob, InstanceOf, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern,
    ParamPattern, PointKind, PointPattern, Span, ThrownBy, TypePattern, Within,
};

use super::tree::{Advice, Event, Name, Pointcut, Refused, Token, TypeName};
use crate::larva::events::Imports;
use crate::larva::lexer::Tok;
use crate::ww::tree as ww;

/// Pointcuts with more alternatives are refused.
const MAX_ALTERNATIVES: usize = 64;
/// Pointcuts with more designators, alternatives multiplied out, are refused.
const MAX_DESIGNATORS: usize = 4096;
/// Types whose values are no objects.
const PRIMITIVES: [&str; 8] =
    ["boolean", "byte", "char", "short", "int", "long", "float", "double"];

/// What an event comes from.
pub enum Origin<'e> {
    /// Program points, and the conditions it happens under.
    Points(Vec<ww::Source>, Vec<Condition<'e>>),
    /// The end of the program.
    End,
}

/// A condition in Java.
#[derive(Clone, Copy)]
pub struct Condition<'e> {
    /// The code.
    pub tokens: &'e [Token],
    /// Where `condition` or `if` is.
    pub span: Span,
}

type Refusable<T> = Result<T, Refused>;

/// A designator of a conjunction.
struct Literal<'p> {
    name: &'p Name,
    tokens: &'p [Token],
    negated: bool,
}

/// Where an event comes from.
pub fn origin<'e>(event: &'e Event, imports: &Imports<'_>) -> Refusable<Origin<'e>> {
    let alternatives = alternatives(&event.pointcut, false, event.name.span)?;
    let is_end = |l: &Literal<'_>| l.name.text == "endProgram" && !l.negated;
    if let [only] = alternatives.as_slice()
        && let [literal] = only.as_slice()
        && is_end(literal)
    {
        return match event.params.first() {
            None => Ok(Origin::End),
            Some((_, name)) => Err(Refused::new(name.span, "the end of the program has no values")),
        };
    }
    let mut sources = Vec::new();
    let mut conditions: Option<Vec<Condition<'e>>> = None;
    for literals in &alternatives {
        let mut finder = Finder {
            event,
            imports,
            captures: Vec::new(),
            instances: Vec::new(),
            owner: None,
            writes: false,
            args: None,
        };
        let (points, own) = finder.conjunction(literals)?;
        let places = |all: &[Condition<'_>]| all.iter().map(|c| c.span).collect::<Vec<_>>();
        match &conditions {
            None => conditions = Some(own),
            Some(known) if places(known) == places(&own) => {}
            Some(_) => {
                let why = "alternatives of its pointcut have different conditions";
                return Err(Refused::new(event.name.span, why));
            }
        }
        sources.extend(points);
    }
    Ok(Origin::Points(sources, conditions.unwrap_or_default()))
}

/// The pointcut as alternatives of conjunctions.
fn alternatives<'p>(
    pointcut: &'p Pointcut,
    negated: bool,
    span: Span,
) -> Refusable<Vec<Vec<Literal<'p>>>> {
    let result = match (pointcut, negated) {
        (Pointcut::Atom(name, tokens), _) => vec![vec![Literal { name, tokens, negated }]],
        (Pointcut::Not(inner), _) => alternatives(inner, !negated, span)?,
        (Pointcut::One(parts), false) | (Pointcut::All(parts), true) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part, negated, span)?);
            }
            all
        }
        (Pointcut::All(parts), false) | (Pointcut::One(parts), true) => {
            let mut all: Vec<Vec<Literal<'p>>> = vec![Vec::new()];
            for part in parts {
                let more = alternatives(part, negated, span)?;
                let mut joined = Vec::new();
                for before in &all {
                    for after in &more {
                        let both = before.iter().chain(after);
                        joined.push(both.map(Literal::copy).collect());
                    }
                    let size: usize = joined.iter().map(Vec::len).sum();
                    if joined.len() > MAX_ALTERNATIVES || size > MAX_DESIGNATORS {
                        return Err(Refused::new(span, "its pointcut has too many alternatives"));
                    }
                }
                all = joined;
            }
            all
        }
    };
    match result.len() {
        n if n > MAX_ALTERNATIVES => {
            Err(Refused::new(span, "its pointcut has too many alternatives"))
        }
        _ => Ok(result),
    }
}

impl<'p> Literal<'p> {
    fn copy(&self) -> Literal<'p> {
        Literal { name: self.name, tokens: self.tokens, negated: self.negated }
    }
}

/// One conjunction while it is read.
struct Finder<'e> {
    event: &'e Event,
    imports: &'e Imports<'e>,
    captures: Vec<ww::Capture<JvmTerm>>,
    /// What `args`, `returning` and `!target` ask of the classes that values have.
    instances: Vec<InstanceOf>,
    /// The type that `target` asks for.
    owner: Option<TypePattern>,
    /// Whether a field is written: then its new value is the argument.
    writes: bool,
    /// The primitive types that `args` asks for, and whether there may be more.
    args: Option<(Vec<Option<TypePattern>>, bool)>,
}

impl Finder<'_> {
    /// The program points, and their conditions.
    fn conjunction<'p>(
        &mut self,
        literals: &[Literal<'p>],
    ) -> Refusable<(Vec<ww::Source>, Vec<Condition<'p>>)> {
        let event = self.event;
        let mut point: Option<JoinPoint> = None;
        let mut within: Vec<Within> = Vec::new();
        let mut conditions = Vec::new();
        let (mut args, mut not_args) = (Vec::new(), Vec::new());
        for literal in literals {
            let Literal { name, tokens, negated } = literal;
            let no = |why: String| Err(Refused::new(name.span, why));
            match name.text.as_str() {
                "target" if *negated => self.not_target(name, tokens)?,
                "args" if *negated => not_args.push((*name, *tokens)),
                other if *negated && other != "within" => {
                    return no(format!("`!{other}` is not supported"));
                }
                "call" | "execution" | "get" | "set" | "staticinitialization" => {
                    if point.is_some() {
                        return no("its pointcut selects two program points at once".into());
                    }
                    point = Some(self.point(name, tokens)?);
                }
                "target" => self.target(name, tokens)?,
                // The method that is executed is one of this object.
                "this" if literals.iter().any(|l| l.name.text == "execution") => {
                    self.target(name, tokens)?;
                }
                "this" => return no("`this` without `execution` is not supported".into()),
                "thread" if literals.iter().any(|l| l.name.text == "startThread") => {
                    // The thread that starts, not the one that starts it.
                    self.bind_only(name, tokens, JvmTerm::Object)?;
                }
                "thread" => self.bind_only(name, tokens, JvmTerm::Thread)?,
                "args" => args.push(*tokens),
                "startThread" => {
                    if point.is_some() {
                        return no("its pointcut selects two program points at once".into());
                    }
                    point = Some(JoinPoint::of_type(PointKind::ThreadStart, TypePattern::any()));
                }
                "within" => {
                    let owner = with_nested(name, self.one_type(name, tokens)?)?;
                    within.push(Within { owner, method: None, negated: *negated });
                }
                "condition" | "if" => {
                    conditions.push(Condition { tokens, span: name.span });
                }
                other => return no(format!("`{other}` is not supported")),
            }
        }
        let Some(mut point) = point else {
            let why = "its pointcut names no call, execution or field";
            return Err(Refused::new(event.name.span, why));
        };
        let count = point.method().and_then(exact_count);
        self.writes = point.kind == PointKind::Set;
        for tokens in args {
            self.args(tokens, if self.writes { Some(1) } else { count })?;
        }
        for (name, tokens) in not_args {
            self.not_args(name, tokens, count)?;
        }
        let constructor = self.narrow(&mut point);
        if constructor && self.owner.is_some() && point.kind == PointKind::Call {
            let why = "calls of constructors have no target";
            return Err(Refused::new(event.name.span, why));
        }
        let mut thrown = None;
        if let Some((ty, name)) = &event.result {
            let term = match (event.advice, constructor) {
                (Advice::Throwing, _) => JvmTerm::Exception,
                (_, true) => JvmTerm::Receiver,
                _ if point.kind == PointKind::Get => JvmTerm::Value,
                _ => JvmTerm::Result,
            };
            self.capture(name, term.clone());
            let pattern = self.imports.pattern(ty);
            match term {
                JvmTerm::Exception => thrown = self.thrown(ty)?,
                _ if !PRIMITIVES.contains(&pattern.name.text()) => self.instance(term, pattern),
                // Of a primitive value the declared type decides.
                _ => returns(&mut point, pattern),
            }
        }
        for (_, param) in &event.params {
            if !self.captures.iter().any(|c| c.param.text == param.text) {
                let why = format!("nothing in its pointcut binds `{}`", param.text);
                return Err(Refused::new(param.span, why));
            }
        }
        let whens: &[JvmWhen] = match event.advice {
            Advice::Before => &[JvmWhen::Before],
            Advice::Returning => &[JvmWhen::After],
            Advice::Throwing => &[JvmWhen::Throwing],
            Advice::After if point.method().is_some() => &[JvmWhen::After, JvmWhen::Throwing],
            Advice::After => &[JvmWhen::After],
        };
        let sources = whens.iter().map(|when| ww::Source {
            kind: ww::SourceKind::Jvm {
                source: JvmSource {
                    when: *when,
                    point: point.clone(),
                    thrown: thrown.clone(),
                    thrown_by: ThrownBy::Anybody,
                    saying: None,
                    instances: self.instances.clone(),
                    within: within.clone(),
                    captures: Vec::new(),
                },
                captures: self.captures.clone(),
            },
            span: event.name.span,
        });
        Ok((sources.collect(), conditions))
    }

    fn capture(&mut self, name: &Name, term: JvmTerm) {
        self.captures.push(ww::Capture { param: name.clone(), term, span: name.span });
    }

    /// The class of exceptions that `throwing` asks for; of all of them none.
    fn thrown(&self, ty: &TypeName) -> Refusable<Option<String>> {
        let class = self.imports.class(&ty.name);
        match class.as_str() {
            "java.lang.Throwable" => Ok(None),
            _ if class.contains('.') => Ok(Some(class)),
            _ => {
                let why = format!("the package of the exception `{}` is not known", ty.name);
                Err(Refused::new(ty.span, why))
            }
        }
    }

    /// The parameter of the event of that name, with its type.
    fn param(&self, text: &str) -> Option<&(TypeName, Name)> {
        self.event.params.iter().find(|(_, name)| name.text == text)
    }

    fn bind_only(&mut self, name: &Name, tokens: &[Token], term: JvmTerm) -> Refusable<()> {
        let word = one_word(name, tokens)?;
        let Some((_, param)) = self.param(&word.text).cloned() else {
            return Err(Refused::new(word.span, "only parameters of the event are bound here"));
        };
        self.capture(&param, term);
        Ok(())
    }

    fn target(&mut self, name: &Name, tokens: &[Token]) -> Refusable<()> {
        let word = one_word(name, tokens)?;
        let ty = match self.param(&word.text).cloned() {
            Some((ty, name)) => {
                self.capture(&name, JvmTerm::Receiver);
                ty
            }
            None => type_name(&word)?,
        };
        let is_object = ["Object", "java.lang.Object"].contains(&ty.name.as_str());
        let ty = TypePattern { subtypes: true, ..self.imports.pattern(&ty) };
        if !is_object && self.owner.is_none() {
            self.owner = Some(ty.clone());
        }
        // Also of an `Object`: static methods have no target.
        self.instances.push(InstanceOf { term: JvmTerm::Receiver, ty });
        Ok(())
    }

    /// `!target(T)`.
    fn not_target(&mut self, name: &Name, tokens: &[Token]) -> Refusable<()> {
        let word = one_word(name, tokens)?;
        if self.param(&word.text).is_some() {
            return Err(Refused::new(word.span, "`!target` with a parameter is not supported"));
        }
        let ty = self.imports.pattern(&type_name(&word)?);
        self.instance(JvmTerm::Receiver, TypePattern { negated: true, ..ty });
        Ok(())
    }

    /// What `args` binds and asks for, in calls with so many arguments, if that is known.
    fn args(&mut self, tokens: &[Token], count: Option<usize>) -> Refusable<()> {
        let words = words(tokens);
        let is_rest = |word: &Word| word.text == "..";
        let rest = words.iter().position(is_rest);
        let behind = rest.map_or(0, |at| words.len() - at - 1);
        if words.iter().filter(|w| is_rest(w)).count() > 1 || (behind > 0 && count.is_none()) {
            let span = words[rest.unwrap_or(0)].span;
            return Err(Refused::new(
                span,
                "`args` has something behind `..`, and the pattern has no list of types",
            ));
        }
        let mut types = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let at = match (rest, count) {
                (Some(rest), Some(count)) if at > rest => {
                    let Some(at) = (count + at).checked_sub(words.len()) else {
                        return Err(Refused::new(
                            word.span,
                            "`args` has more values than the call",
                        ));
                    };
                    types.resize(types.len().max(at), None);
                    at
                }
                _ => at,
            };
            match word.text.as_str() {
                ".." => {}
                "*" => types.push(None),
                text => match self.param(text).cloned() {
                    Some((ty, name)) => {
                        self.capture(&name, self.given(at));
                        types.push(self.argument(at, &ty));
                    }
                    None => types.push(self.argument(at, &type_name(word)?)),
                },
            }
        }
        // Of several `args` the first says how many there are.
        if self.args.is_none() {
            self.args = Some((types, rest.is_some() && behind == 0));
        }
        Ok(())
    }

    /// `!args(T, ..)`: one of the types is asked for, and the value is not of it.
    fn not_args(&mut self, name: &Name, tokens: &[Token], count: Option<usize>) -> Refusable<()> {
        let words = words(tokens);
        let refuse = |why: &str| Err(Refused::new(name.span, why));
        let rest = words.last().is_some_and(|word| word.text == "..");
        let listed = words.len() - usize::from(rest);
        let mut typed = words.iter().enumerate().filter(|(_, w)| !["*", ".."].contains(&&*w.text));
        let (Some((at, word)), None) = (typed.next(), typed.next()) else {
            return refuse("`!args` with more than one type is not supported");
        };
        if self.param(&word.text).is_some() || words[..listed].iter().any(|w| w.text == "..") {
            return refuse(
                "`!args` with a parameter, or with something behind `..`, is not supported",
            );
        }
        let known = |all: &(Vec<Option<TypePattern>>, bool)| match all.1 {
            true => None,
            false => Some(all.0.len()),
        };
        let least = self.args.as_ref().map_or(0, |(types, _)| types.len());
        match count.or(self.args.as_ref().and_then(known)) {
            // Calls with other numbers of arguments are never of those types.
            Some(count) if count < listed || (count > listed && !rest) => return Ok(()),
            Some(_) => {}
            None if rest && least >= listed => {}
            None => {
                return refuse(
                    "`!args` where the number of arguments is not known is not supported",
                );
            }
        }
        let ty = self.imports.pattern(&type_name(word)?);
        if PRIMITIVES.contains(&ty.name.text()) {
            return refuse("`!args` with a primitive type is not supported");
        }
        self.instance(JvmTerm::Arg(at as u32), TypePattern { negated: true, ..ty });
        Ok(())
    }

    /// The argument at a position.
    fn given(&self, at: usize) -> JvmTerm {
        if self.writes { JvmTerm::Value } else { JvmTerm::Arg(at as u32) }
    }

    /// The declared type that an argument must have if it is primitive; of others the class is tested that
    /// the argument has, if the declared type leaves it open.
    fn argument(&mut self, at: usize, ty: &TypeName) -> Option<TypePattern> {
        let pattern = self.imports.pattern(ty);
        if PRIMITIVES.contains(&pattern.name.text()) {
            return Some(pattern);
        }
        self.instance(self.given(at), pattern);
        None
    }

    /// Asks for the class that a value has. Everything is an `Object`, even what is none.
    fn instance(&mut self, term: JvmTerm, ty: TypePattern) {
        if ty.name.text() != "java.lang.Object" {
            self.instances.push(InstanceOf { term, ty: TypePattern { subtypes: true, ..ty } });
        }
    }

    fn one_type(&self, name: &Name, tokens: &[Token]) -> Refusable<TypePattern> {
        Ok(self.imports.pattern(&type_name(&one_word(name, tokens)?)?))
    }

    /// Makes a method pattern as narrow as `target` and `args` ask for; answers whether it is of
    /// constructors.
    fn narrow(&self, point: &mut JoinPoint) -> bool {
        let method = match &mut point.pattern {
            PointPattern::Method(method) => method,
            PointPattern::Field(field) => {
                if let (Some(owner), "*") = (&self.owner, field.owner.name.text()) {
                    field.owner = owner.clone();
                }
                return false;
            }
            _ => return false,
        };
        if let (Some(owner), "*") = (&self.owner, method.owner.name.text()) {
            method.owner = owner.clone();
        }
        if let (Some((types, rest)), None) = (&self.args, &method.params) {
            let param = |ty: &Option<TypePattern>| {
                ParamPattern::One(ty.clone().unwrap_or_else(TypePattern::any))
            };
            let mut params: Vec<ParamPattern> = types.iter().map(param).collect();
            params.extend(rest.then_some(ParamPattern::Rest));
            method.params = Some(params);
        }
        method.name.text() == "<init>"
    }

    /// What `call`, `execution`, `get`, `set` and `staticinitialization` ask for.
    fn point(&self, name: &Name, tokens: &[Token]) -> Refusable<JoinPoint> {
        let kind = name.text.as_str();
        if kind == "staticinitialization" {
            return Ok(JoinPoint::of_type(PointKind::ClassInit, self.one_type(name, tokens)?));
        }
        let open = tokens.iter().position(|t| t.tok == Tok::Mark("(")).unwrap_or(tokens.len());
        let mut words = spaced(&tokens[..open]);
        let Some(member) = words.pop() else {
            return Err(Refused::new(name.span, "its pattern is empty"));
        };
        let result = words.pop().filter(|word| word.text != "*");
        let modifier = words.iter().find(|word| word.text != "*");
        if let Some(modifier) = modifier {
            let why = format!("`{}` in a pattern is not supported", modifier.text);
            return Err(Refused::new(modifier.span, why));
        }
        let (owner, member_name) = match member.text.rsplit_once('.') {
            Some((owner, _)) if owner.ends_with('.') => {
                return Err(Refused::new(member.span, "`..` in a type is not supported"));
            }
            Some((owner, member_name)) => {
                let owner = Word { text: owner.to_string(), span: member.span };
                (self.imports.pattern(&type_name(&owner)?), member_name)
            }
            None => (TypePattern::any(), member.text.as_str()),
        };
        let ty = |word: &Word| Ok(self.imports.pattern(&type_name(word)?));
        if kind == "get" || kind == "set" {
            let ty = result.as_ref().map(ty).transpose()?;
            let pattern = FieldPattern {
                owner: TypePattern { subtypes: true, ..owner },
                name: Glob::new(member_name),
                ty,
                annotations: Vec::new(),
            };
            let kind = if kind == "get" { PointKind::Get } else { PointKind::Set };
            return Ok(JoinPoint::of_field(kind, pattern));
        }
        let constructor = member_name == "new";
        let close = tokens.iter().rposition(|t| t.tok == Tok::Mark(")")).unwrap_or(open);
        if let Some(behind) = tokens.get(close + 1) {
            let why = "`throws` in a pattern is not supported";
            return Err(Refused::new(behind.span, why));
        }
        let mut params = Vec::new();
        for word in self::words(tokens.get(open + 1..close).unwrap_or_default()) {
            params.push(match word.text.as_str() {
                ".." => ParamPattern::Rest,
                _ => ParamPattern::One(ty(&word)?),
            });
        }
        let pattern = MethodPattern {
            // A call on a subtype is a call of what the type declares.
            owner: TypePattern { subtypes: owner.subtypes || !constructor, ..owner },
            name: Glob::new(if constructor { "<init>" } else { member_name }),
            params: (!matches!(params.as_slice(), [ParamPattern::Rest])).then_some(params),
            returns: result.as_ref().map(ty).transpose()?,
            annotations: Vec::new(),
            negated: false,
            // In AspectJ, `super.m()` is no call, and constructors are no methods.
            supers: constructor,
        };
        let execution = kind == "execution";
        Ok(if execution { JoinPoint::execution(pattern) } else { JoinPoint::call(pattern) })
    }
}

/// A class with those that are nested in it, as `within` means it.
fn with_nested(name: &Name, ty: TypePattern) -> Refusable<TypePattern> {
    if ty.subtypes {
        return Err(Refused::new(name.span, "`within` with `+` is not supported"));
    }
    let class = ty.name.text();
    Ok(TypePattern { name: Glob::new(&format!("{{{class},{class}$*}}")), ..ty })
}

/// Makes a pattern one of methods and fields with that type.
fn returns(point: &mut JoinPoint, ty: TypePattern) {
    match &mut point.pattern {
        PointPattern::Method(method) => method.returns = Some(ty),
        PointPattern::Field(field) => field.ty = Some(ty),
        _ => {}
    }
}

/// How many arguments the methods of a pattern have, if it lists all of their types.
fn exact_count(method: &MethodPattern) -> Option<usize> {
    let params = method.params.as_ref()?;
    let is_one = |param: &ParamPattern| matches!(param, ParamPattern::One(_));
    params.iter().all(is_one).then_some(params.len())
}

/// Tokens that were written together.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    span: Span,
}

/// The words between commas. Type arguments do not matter.
fn words(tokens: &[Token]) -> Vec<Word> {
    let mut depth = 0i32;
    let mut found: Vec<Word> = Vec::new();
    let mut begun = false;
    for token in tokens {
        match &token.tok {
            Tok::Mark("<") => depth += 1,
            Tok::Mark(">") => depth -= 1,
            Tok::Mark(",") if depth == 0 => begun = false,
            _ if depth > 0 => {}
            tok => {
                let text = text_of(tok);
                match found.last_mut().filter(|_| begun) {
                    Some(word) => {
                        word.text.push_str(&text);
                        word.span = word.span.to(token.span);
                    }
                    None => found.push(Word { text, span: token.span }),
                }
                begun = true;
            }
        }
    }
    found
}

/// What a designator with one argument is given.
fn one_word(name: &Name, tokens: &[Token]) -> Refusable<Word> {
    let mut words = words(tokens);
    match (words.pop(), words.is_empty()) {
        (Some(word), true) => Ok(word),
        _ => Err(Refused::new(name.span, format!("`{}` has one argument", name.text))),
    }
}

/// The words between blanks.
fn spaced(tokens: &[Token]) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    for token in tokens {
        let text = text_of(&token.tok);
        match found.last_mut() {
            Some(word) if word.span.end == token.span.start => {
                word.text.push_str(&text);
                word.span = word.span.to(token.span);
            }
            _ => found.push(Word { text, span: token.span }),
        }
    }
    found
}

fn text_of(tok: &Tok) -> String {
    match tok {
        Tok::Name(name) => name.clone(),
        Tok::Mark(mark) => (*mark).to_string(),
        Tok::Int(n, _) => n.to_string(),
        _ => "?".to_string(),
    }
}

/// A type as a pattern writes it.
fn type_name(word: &Word) -> Refusable<TypeName> {
    let name = word.text.trim_end_matches('+');
    let part = |c: char| c.is_alphanumeric() || "_$.[]".contains(c);
    if name != "*" && (name.is_empty() || !name.chars().all(part) || name.contains("..")) {
        return Err(Refused::new(word.span, format!("the type `{}` is not supported", word.text)));
    }
    Ok(TypeName { name: name.to_string(), subtypes: word.text.ends_with('+'), span: word.span })
}
