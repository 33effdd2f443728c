//! The Java code of a specification as one class, which the JDK's compiler compiles.
//!
//! Members of the specification become members of the class. For every event whose conditions or body
//! need Java there is a method that takes the values of the event; it evaluates the conditions and, if
//! they hold, runs the body. What the body prints is collected and becomes the message. Code of the
//! specification stands in the class as it was written, line by line, so that mistakes that the
//! compiler finds can be shown where they are.

use std::cell::RefCell;
use std::fmt::Write;

use watchword_model::{JavaArg, JavaCall, JavaClass, JavaHandler, JvmTerm, Span};

use super::java::{printed, prints_texts};
use super::tree::{Event, Name, Refused, Specification, Token};
use crate::java_class::{ClassWriter, Does, Method, Piece, is_primitive, passed, type_of};
use crate::larva::lexer::Tok;

/// Words that only JavaMOP's generated code gives a meaning.
const FOREIGN: [&str; 4] = ["__RESET", "__MONITOR", "__ACTIVITY", "__SKIP"];

/// Packages of JavaMOP's runtime, which is not there.
const RUNTIMES: [&str; 4] =
    ["com.runtimeverification.", "rvmonitorrt.", "javamoprt.", "org.aspectj."];

/// The class while it is written.
pub struct JavaCode<'s> {
    specification: &'s Specification,
    /// The text of the file.
    text: &'s str,
    class: RefCell<ClassWriter>,
    /// Whether it has fields, or handlers that look at the slice: then there is an object for every slice.
    has_state: bool,
}

impl<'s> JavaCode<'s> {
    /// Without methods yet.
    pub fn new(specification: &'s Specification, text: &'s str) -> JavaCode<'s> {
        let there = |path: &&String| !RUNTIMES.iter().any(|runtime| path.starts_with(runtime));
        let imported = |paths: &[String]| paths.iter().filter(there).cloned().collect();
        let class = ClassWriter::new(
            specification.name.text.clone(),
            imported(&specification.imports),
            imported(&specification.static_imports),
        );
        let class = RefCell::new(class);
        let mut code = JavaCode { specification, text, class, has_state: false };
        let mut handlers = specification.properties.iter().flat_map(|p| &p.handlers);
        code.has_state = specification.members.iter().any(|member| is_field(member))
            || handlers.any(|(_, tokens)| code.runs(tokens) && code.is_about(tokens));
        code.class.get_mut().has_state = code.has_state;
        code
    }

    /// Whether the code of a handler has to run: it does more than print, or prints values that it has.
    pub fn runs(&self, tokens: &[Token]) -> bool {
        printed(tokens).is_err()
            || !prints_texts(tokens) && (self.binds_all() || !self.is_about(tokens))
    }

    /// Whether every event that begins an instance binds all parameters.
    fn binds_all(&self) -> bool {
        let mut begin = self.specification.events.iter().filter(|event| self.begins(event));
        begin.all(|event| self.bound(event).is_ok())
    }

    /// Whether there is an object of the class for every slice.
    pub fn has_state(&self) -> bool {
        self.has_state
    }

    /// Whether code reads a parameter of the specification.
    fn is_about(&self, tokens: &[Token]) -> bool {
        let is_param = |text: &str| self.specification.params.iter().any(|(_, p)| p.text == text);
        tokens.iter().any(|token| matches!(&token.tok, Tok::Name(name) if is_param(name)))
    }

    /// Whether an instance begins with an event.
    pub fn begins(&self, event: &Event) -> bool {
        event.creation || !self.specification.events.iter().any(|event| event.creation)
    }

    /// A method for an event; its number.
    pub fn method(
        &self,
        event: &Event,
        conditions: &[&[Token]],
        body: Option<&[Token]>,
    ) -> Result<u32, Refused> {
        let piece = |tokens: &[Token]| self.piece(tokens, event.name.span);
        let params = event.params.iter().chain(&event.result).enumerate();
        let params = params.map(|(at, (ty, name))| passed(&type_of(ty), &name.text, at));
        let keys = self.keys(event)?;
        let at: String = keys.iter().map(|key| format!(", {key}")).collect();
        let count = event.params.len() + usize::from(event.result.is_some());
        let on = match self.has_state {
            true => format!("WatchwordSlices.of({}, o, n, {count}{at})", self.begins(event)),
            false => "CODE".to_string(),
        };
        let method = Method {
            params: params.collect(),
            on,
            conditions: conditions.iter().map(|c| piece(c)).collect::<Result<_, _>>()?,
            does: match body {
                Some(body) => Does::Run(piece(body)?),
                None => Does::Nothing,
            },
        };
        Ok(self.class.borrow_mut().add(method))
    }

    /// Which values of an event are the parameters of the specification.
    fn keys(&self, event: &Event) -> Result<Vec<u32>, Refused> {
        if self.has_state { self.bound(event) } else { Ok(Vec::new()) }
    }

    fn bound(&self, event: &Event) -> Result<Vec<u32>, Refused> {
        let of = |param: &Name| {
            let mut all = event.params.iter().chain(&event.result);
            let found = all.position(|(_, name)| name.text == param.text);
            found.map(|at| at as u32).ok_or_else(|| {
                let why = format!(
                    "its Java code has fields or reads parameters, and `{}` does not bind `{}`",
                    event.name.text, param.text
                );
                Refused::new(event.name.span, why)
            })
        };
        self.specification.params.iter().map(|(_, param)| of(param)).collect()
    }

    /// A method for a handler; its number.
    pub fn handler(&self, tokens: &[Token]) -> Result<u32, Refused> {
        let params = self.specification.params.iter().enumerate();
        let params = params.map(|(at, (ty, name))| {
            let declared = type_of(ty);
            let part = match self.has_state {
                true => format!("({declared}) watchwordOn.watchwordPart({at})"),
                false => format!("({declared}) null"),
            };
            (format!("{declared} {}", name.text), part)
        });
        let on = if self.has_state { "WatchwordSlices.known(n)" } else { "CODE" };
        let method = Method {
            params: params.collect(),
            on: on.to_string(),
            conditions: Vec::new(),
            does: Does::Run(self.piece(tokens, self.specification.name.span)?),
        };
        Ok(self.class.borrow_mut().add(method))
    }

    /// A state of a property has a handler.
    pub fn handle(&self, property: &str, state: Option<&str>, method: u32) {
        let params = self.specification.params.iter().map(|(_, name)| name.text.clone());
        self.class.borrow_mut().handlers.push(JavaHandler {
            property: property.to_string(),
            state: state.map(str::to_string),
            method,
            params: params.collect(),
        });
    }

    /// The call of a method, given where the values of the event come from.
    pub fn call(
        &self,
        method: u32,
        event: &Event,
        term: impl Fn(&str) -> Option<JvmTerm>,
    ) -> Option<JavaCall> {
        let params = event.params.iter().chain(&event.result);
        let args = params.map(|(ty, name)| {
            Some(JavaArg { term: term(&name.text)?, primitive: is_primitive(&ty.name) })
        });
        let args = args.collect::<Option<_>>()?;
        let class = self.class.borrow().name();
        Some(JavaCall { class, method, args, keys: self.keys(event).ok()? })
    }

    /// Tokens as they were written, with the words of JavaMOP replaced.
    fn piece(&self, tokens: &[Token], span: Span) -> Result<Piece, Refused> {
        let mut text = String::new();
        let mut at = 0;
        let begins = tokens.first().map_or(span, |first| first.span);
        let mut last = begins.start;
        let word = |at: usize| match tokens.get(at).map(|t| &t.tok) {
            Some(Tok::Name(name)) => name.as_str(),
            Some(Tok::Mark(".")) => ".",
            _ => "",
        };
        while at < tokens.len() {
            let token = &tokens[at];
            text.push_str(self.written(last, token.span.start));
            let mut taken = 1;
            let words = [0, 1, 2, 3, 4, 5, 6].map(|ahead| word(at + ahead));
            match words {
                ["__DEFAULT_MESSAGE", ..] => text.push_str("WatchwordOut.DEFAULT"),
                ["__LOC", ..] => text.push_str("WatchwordOut.where()"),
                ["__STATICSIG", ..] => text.push_str("new Signature(WatchwordOut.declaring())"),
                ["RVMLogging" | "MOPLogging", ..] => text.push_str("WatchwordOut"),
                ["System", ".", out @ ("out" | "err"), ".", print, ..]
                    if print.starts_with("print") || print == "format" =>
                {
                    let _ = write!(text, "WatchwordOut.{out}");
                    taken = 3;
                }
                ["org", ".", "aspectj", ".", "lang", ".", "Signature"] => {
                    text.push_str("Signature");
                    taken = 7;
                }
                [foreign, ..] if FOREIGN.contains(&foreign) => {
                    let why =
                        format!("`{foreign}` is not supported in code that does more than print");
                    return Err(Refused::new(token.span, why));
                }
                _ => text.push_str(self.written(token.span.start, token.span.end)),
            }
            at += taken;
            last = tokens[at.min(tokens.len()) - 1].span.end;
        }
        Ok(Piece { text, span: begins })
    }

    fn written(&self, from: u32, to: u32) -> &str {
        self.text.get(from as usize..to as usize).unwrap_or_default()
    }

    /// The class, if there is a method.
    pub fn finish(self) -> Result<Option<JavaClass>, Refused> {
        let span = self.specification.name.span;
        let mut class = self.class.take();
        for member in &self.specification.members {
            class.members.push(self.piece(member, span)?);
        }
        Ok(class.finish())
    }
}

/// Whether a member is a field whose value can change.
fn is_field(member: &[Token]) -> bool {
    let mark =
        |token: &Token, marks: &[&str]| matches!(token.tok, Tok::Mark(m) if marks.contains(&m));
    let first = member.iter().find(|token| mark(token, &["(", "=", ";", "{"]));
    let word = |text: &str| member.iter().any(|t| t.tok == Tok::Name(text.to_string()));
    let is_constant = word("static") && word("final");
    first.is_some_and(|token| mark(token, &["=", ";"])) && !is_constant
}
