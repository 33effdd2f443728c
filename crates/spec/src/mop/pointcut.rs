//! Pointcuts to program points, and to what an event brings.

use watchword_model::{
    FieldPattern, Glob, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern, ParamPattern,
    PointKind, PointPattern, Span, ThrownBy, TypePattern, Within,
};

use super::java;
use super::tree::{Advice, Event, Name, Pointcut, Refused, Token, TypeName};
use crate::larva::events::Imports;
use crate::larva::lexer::Tok;
use crate::ww::tree as ww;

/// Pointcuts with more alternatives are refused.
const MAX_ALTERNATIVES: usize = 64;

/// What an event comes from.
pub enum Origin {
    /// Program points, and the condition it happens under.
    Points(Vec<ww::Source>, Option<ww::Expr>),
    /// The end of the program.
    End,
}

type Refusable<T> = Result<T, Refused>;

/// A designator of a conjunction.
struct Literal<'p> {
    name: &'p Name,
    tokens: &'p [Token],
    negated: bool,
}

/// Where an event comes from.
pub fn origin(event: &Event, imports: &Imports<'_>) -> Refusable<Origin> {
    let alternatives = alternatives(&event.pointcut, false, event.name.span)?;
    let is_end = |l: &Literal<'_>| l.name.text == "endProgram" && !l.negated;
    if let [only] = alternatives.as_slice()
        && let [literal] = only.as_slice()
        && is_end(literal)
    {
        return match event.params.first() {
            None => Ok(Origin::End),
            Some((_, name)) => {
                Err(Refused::new(name.span, "the end of the program brings nothing"))
            }
        };
    }
    let mut sources = Vec::new();
    let mut conditions: Option<(Vec<Span>, Option<ww::Expr>)> = None;
    for literals in &alternatives {
        let mut finder = Finder { event, imports, captures: Vec::new(), owner: None, args: None };
        let (points, places, condition) = finder.conjunction(literals)?;
        match &conditions {
            None => conditions = Some((places, condition)),
            Some((known, _)) if *known == places => {}
            Some(_) => {
                let why = "alternatives of its pointcut have different conditions";
                return Err(Refused::new(event.name.span, why));
            }
        }
        sources.extend(points);
    }
    Ok(Origin::Points(sources, conditions.and_then(|(_, condition)| condition)))
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
                    if joined.len() > MAX_ALTERNATIVES {
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
    /// The type that `target` asks for.
    owner: Option<TypePattern>,
    /// The types that `args` asks for, and whether there may be more.
    args: Option<(Vec<Option<TypePattern>>, bool)>,
}

impl Finder<'_> {
    /// The program points, where conditions stand, and the condition of all of them.
    fn conjunction(
        &mut self,
        literals: &[Literal<'_>],
    ) -> Refusable<(Vec<ww::Source>, Vec<Span>, Option<ww::Expr>)> {
        let event = self.event;
        let mut point: Option<JoinPoint> = None;
        let mut within: Vec<Within> = Vec::new();
        let (mut places, mut condition) = (Vec::new(), None);
        for literal in literals {
            let Literal { name, tokens, negated } = literal;
            let no = |why: String| Err(Refused::new(name.span, why));
            if *negated && name.text != "within" {
                return no(format!("`!{}` is not supported", name.text));
            }
            match name.text.as_str() {
                "call" | "execution" | "get" | "set" | "staticinitialization" => {
                    if point.is_some() {
                        return no("its pointcut asks for two program points at once".into());
                    }
                    point = Some(self.point(name, tokens)?);
                }
                "target" => self.target(name, tokens)?,
                "this" => self.bind_only(name, tokens, JvmTerm::This)?,
                "thread" => self.bind_only(name, tokens, JvmTerm::Thread)?,
                "args" => self.args(tokens)?,
                "within" => {
                    let owner = self.one_type(name, tokens)?;
                    within.push(Within { owner, method: None, negated: *negated });
                }
                "condition" | "if" => {
                    let is_known = |text: &str| {
                        let all = event.params.iter().chain(&event.result);
                        all.into_iter().any(|(_, name)| name.text == text)
                    };
                    let this = java::condition(tokens, name.span, &is_known)?;
                    places.push(name.span);
                    condition = both(condition, this);
                }
                other => return no(format!("`{other}` is not supported")),
            }
        }
        let Some(mut point) = point else {
            let why = "its pointcut names no call, execution or field";
            return Err(Refused::new(event.name.span, why));
        };
        let constructor = self.narrow(&mut point);
        if let Some((_, name)) = &event.result {
            let term = match (event.advice, constructor) {
                (Advice::Throwing, _) => JvmTerm::Exception,
                (_, true) => JvmTerm::Receiver,
                _ if point.kind == PointKind::Get => JvmTerm::Value,
                _ => JvmTerm::Result,
            };
            self.capture(name, term);
        }
        for (_, param) in &event.params {
            if !self.captures.iter().any(|c| c.param.text == param.text) {
                let why = format!("nothing brings `{}` to the event", param.text);
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
                    thrown: None,
                    thrown_by: ThrownBy::Anybody,
                    within: within.clone(),
                    captures: Vec::new(),
                },
                captures: self.captures.clone(),
            },
            span: event.name.span,
        });
        Ok((sources.collect(), places, condition))
    }

    fn capture(&mut self, name: &Name, term: JvmTerm) {
        self.captures.push(ww::Capture { param: name.clone(), term, span: name.span });
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
        if !is_object {
            self.owner = Some(TypePattern { subtypes: true, ..self.imports.pattern(&ty) });
        }
        Ok(())
    }

    fn args(&mut self, tokens: &[Token]) -> Refusable<()> {
        let (mut types, mut rest) = (Vec::new(), false);
        for (at, word) in words(tokens).iter().enumerate() {
            if rest {
                return Err(Refused::new(word.span, "`args` has something behind `..`"));
            }
            match word.text.as_str() {
                ".." => rest = true,
                "*" => types.push(None),
                text => match self.param(text).cloned() {
                    Some((ty, name)) => {
                        self.capture(&name, JvmTerm::Arg(at as u32));
                        types.push(Some(self.imports.pattern(&ty)));
                    }
                    None => {
                        let why = "`args` with a type is a test of the argument's class";
                        return Err(Refused::new(word.span, why));
                    }
                },
            }
        }
        self.args = Some((types, rest));
        Ok(())
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
                if let Some(owner) = &self.owner {
                    field.owner = owner.clone();
                }
                return false;
            }
            _ => return false,
        };
        if let Some(owner) = &self.owner {
            method.owner = owner.clone();
        }
        if let (Some((types, rest)), None) = (&self.args, &method.params) {
            // A parameter of the bound type or a narrower one; primitive types have none.
            let param = |ty: &Option<TypePattern>| match ty {
                Some(ty) => {
                    let name = ty.name.text();
                    let object = name == "java.lang.Object";
                    let ty = TypePattern { subtypes: name.contains('.'), ..ty.clone() };
                    ParamPattern::One(if object { TypePattern::any() } else { ty })
                }
                None => ParamPattern::One(TypePattern::any()),
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
        let modifier = words.iter().find(|word| !["public", "*"].contains(&word.text.as_str()));
        if let Some(modifier) = modifier {
            let why = format!("`{}` in a pattern is not supported", modifier.text);
            return Err(Refused::new(modifier.span, why));
        }
        let Some((owner, member_name)) = member.text.rsplit_once('.') else {
            return Err(Refused::new(member.span, "its pattern names no type"));
        };
        if owner.ends_with('.') {
            return Err(Refused::new(member.span, "`..` in a type is not supported"));
        }
        let owner = Word { text: owner.to_string(), span: member.span };
        let owner = self.imports.pattern(&type_name(&owner)?);
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
        };
        let execution = kind == "execution";
        Ok(if execution { JoinPoint::execution(pattern) } else { JoinPoint::call(pattern) })
    }
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
    let part = |c: char| c.is_alphanumeric() || "_$.*[]".contains(c);
    if name.is_empty() || !name.chars().all(part) || name.contains("..") {
        return Err(Refused::new(word.span, format!("`{}` is no type that is read", word.text)));
    }
    Ok(TypeName { name: name.to_string(), subtypes: word.text.ends_with('+'), span: word.span })
}

fn both(left: Option<ww::Expr>, right: ww::Expr) -> Option<ww::Expr> {
    match left {
        None => Some(right),
        left => crate::larva::both(left, Some(right)),
    }
}
