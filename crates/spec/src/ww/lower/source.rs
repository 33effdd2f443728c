//! Sources: captures are resolved to parameters, and every parameter must be given.

use std::fmt;

use watchword_model::{
    Capture, JvmSource, JvmTerm, JvmWhen, LogSelect, LogSource, LogTerm, LogTest, NativeKind,
    NativeSource, NativeTerm, NativeWhen, Param, PointKind, Source, Span,
};

use super::Lowering;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::{self, SourceKind};

impl Lowering<'_> {
    pub(super) fn source(
        &mut self,
        source: &tree::Source,
        event: &tree::Event,
        params: &[Param],
    ) -> Option<Source> {
        Some(match &source.kind {
            // An event of the program is one as a whole; see `declare_event`.
            SourceKind::Program(_) => return None,
            SourceKind::Jvm { source: jvm, captures } => {
                for capture in captures {
                    self.check_jvm_term(jvm, &capture.term, capture.span);
                }
                for instance in &jvm.instances {
                    self.check_jvm_term(jvm, &instance.term, source.span);
                }
                if jvm.thrown.is_some() {
                    self.check_jvm_term(jvm, &JvmTerm::Exception, source.span);
                }
                self.check_death(jvm, captures, source.span);
                let captures = self.captures(captures, params);
                self.all_given(&captures, Vec::new(), source.span, event, params, jvm_help);
                Source::Jvm(JvmSource { captures, ..jvm.clone() })
            }
            SourceKind::Native { source: native, captures } => {
                for capture in captures {
                    self.check_native_term(native, &capture.term, capture.span);
                }
                let mut captures = self.captures(captures, params);
                self.name_captures(native, params, &mut captures);
                self.all_given(&captures, Vec::new(), source.span, event, params, native_help);
                Source::Native(NativeSource { captures, ..native.clone() })
            }
            SourceKind::Log { select, select_span, captures: written } => {
                let mut captures = self.captures(written, params);
                // What cannot be read gives nothing, which need not be said as well.
                let groups = self.groups(select, *select_span)?;
                for capture in written {
                    self.check_log_term(select, &groups, capture);
                }
                for group in &groups {
                    let Some(param) = params.iter().position(|p| p.name == *group) else {
                        continue;
                    };
                    if !captures.iter().any(|c| c.param == param) {
                        captures.push(Capture { param, term: LogTerm::Group(group.clone()) });
                    }
                }
                let regex = matches!(select, LogSelect::Regex(_));
                if !regex {
                    // A record has its fields by name.
                    for (param, declared) in params.iter().enumerate() {
                        if !captures.iter().any(|c| c.param == param) {
                            let term = LogTerm::Field(vec![declared.name.clone()]);
                            captures.push(Capture { param, term });
                        }
                    }
                }
                self.all_given(&captures, groups, source.span, event, params, log_regex_help);
                Source::Log(LogSource { select: select.clone(), captures })
            }
        })
    }

    fn captures<T: Clone>(
        &mut self,
        written: &[tree::Capture<T>],
        params: &[Param],
    ) -> Vec<Capture<T>> {
        let mut captures: Vec<Capture<T>> = Vec::new();
        let mut spans: Vec<Span> = Vec::new();
        for capture in written {
            let name = &capture.param;
            let Some(param) = params.iter().position(|p| p.name == name.text) else {
                let near = nearest(&name.text, params.iter().map(|p| p.name.as_str()));
                self.report(
                    Diagnostic::error(
                        Code::UnknownCapture,
                        name.span,
                        format!("the event has no parameter `{}`", name.text),
                    )
                    .help(format!("add `{}` to the parameters of the event", name.text))
                    .did_you_mean(near),
                );
                continue;
            };
            if let Some(first) = captures.iter().position(|c| c.param == param) {
                let first = spans[first];
                self.report(
                    Diagnostic::error(
                        Code::CapturedTwice,
                        name.span,
                        format!("`{}` is captured twice", name.text),
                    )
                    .also(first, "first captured here"),
                );
                continue;
            }
            captures.push(Capture { param, term: capture.term.clone() });
            spans.push(name.span);
        }
        captures
    }

    fn all_given<T>(
        &mut self,
        captures: &[Capture<T>],
        groups: Vec<String>,
        span: Span,
        event: &tree::Event,
        params: &[Param],
        help: fn(&str) -> String,
    ) {
        for (i, param) in params.iter().enumerate() {
            if captures.iter().any(|c| c.param == i) {
                continue;
            }
            let near = nearest(&param.name, groups.iter().map(String::as_str));
            let help = match near {
                Some(group) => {
                    format!("there is a group `{group}`: did you mean `{}`?", param.name)
                }
                None => help(&param.name),
            };
            let declared = event.params.list.get(i).map_or(event.name.span, |p| p.name.span);
            self.report(
                Diagnostic::error(
                    Code::UnboundParam,
                    span,
                    format!("this source does not supply `{}`", param.name),
                )
                .also(declared, "this parameter")
                .rule("every source of an event must supply all of its parameters")
                .help(help),
            );
        }
    }

    fn check_jvm_term(&mut self, source: &JvmSource, term: &JvmTerm, span: Span) {
        let (root, facts) = (term.root(), source.point.kind.facts());
        if facts.gives(root, source.when) {
            return;
        }
        let rows = PointKind::ALL.iter().map(|f| (f.words, f.gives, f.gives_after));
        let throwing = (*root == JvmTerm::Exception).then_some("`throwing`");
        let other = match root {
            JvmTerm::Exception if matches!(facts.kind, PointKind::Call | PointKind::Execution) => {
                Some("throwing")
            }
            _ if facts.gives(root, JvmWhen::After) => Some("after"),
            _ => None,
        };
        let help = other.map(|when| format!("write `jvm {when} {} …`", facts.words));
        self.term_unavailable(span, &whereabouts(root, rows, throwing), help);
    }

    /// An object that has died has nothing left but its identity, and no place in the program.
    fn check_death(&mut self, source: &JvmSource, captures: &[tree::Capture<JvmTerm>], span: Span) {
        if source.point.kind != PointKind::Death {
            return;
        }
        let other = captures.iter().find(|capture| capture.term != JvmTerm::Object);
        if source.when != JvmWhen::After && !captures.is_empty() {
            // That there is no such value then is said already.
        } else if let Some(other) = other {
            self.term_unavailable(
                other.span,
                "a `death` gives the object that died, and nothing of it",
                Some("capture the object only: `jvm after death on x`".to_string()),
            );
        } else if captures.is_empty() || !source.within.is_empty() {
            self.report(
                Diagnostic::error(Code::TermUnavailable, span, "this is no death of an object")
                    .rule("a `death` is at no place in the program, and gives one object")
                    .help("write `jvm after death on x`"),
            );
        }
    }

    fn check_native_term(&mut self, source: &NativeSource, term: &NativeTerm, span: Span) {
        if let Some(name) = unknown_type(term) {
            let message = format!("there is no type `{name}`");
            let rule = "a cast needs a number type of C: `(int)`, `(unsigned long)`, `(double)`";
            self.report(Diagnostic::error(Code::TermUnavailable, span, message).rule(rule));
            return;
        }
        let root = term.root();
        let facts = source.point.kind.facts();
        if !facts.gives(root, source.when) {
            let rows = NativeKind::ALL.iter().map(|f| (f.word, f.gives, f.gives_after));
            let after = facts.gives(root, NativeWhen::After);
            let help = after.then(|| format!("write `native after {} …`", facts.word));
            self.term_unavailable(span, &whereabouts(root, rows, None), help);
        }
    }

    fn term_unavailable(&mut self, span: Span, why: &str, help: Option<String>) {
        self.report(
            Diagnostic::error(Code::TermUnavailable, span, "there is no such value at this point")
                .rule(why)
                .help_if(help),
        );
    }

    /// A name in the watched term that is a parameter of the event stands for that value.
    fn name_captures(
        &mut self,
        source: &NativeSource,
        params: &[Param],
        captures: &mut Vec<Capture<NativeTerm>>,
    ) {
        let Some(variable) = source.point.variable() else { return };
        let mut names = Vec::new();
        native_names(&variable.term, &mut names);
        for name in names {
            let Some(param) = params.iter().position(|p| p.name == name) else { continue };
            if !captures.iter().any(|c| c.param == param) {
                captures.push(Capture { param, term: NativeTerm::Name(name) });
            }
        }
    }

    /// The named groups of a regular expression; a bad one is reported.
    fn groups(&mut self, select: &LogSelect, span: Span) -> Option<Vec<String>> {
        let text = match select {
            LogSelect::Regex(text) => text,
            LogSelect::Record(_) => return Some(Vec::new()),
            LogSelect::Where(test) => {
                let mut bad = None;
                test.each(&mut |test| {
                    if let LogTest::Finds(_, text) | LogTest::Misses(_, text) = test {
                        bad = bad.take().or_else(|| check_regex(text).err());
                    }
                });
                if let Some(message) = bad {
                    self.report(
                        Diagnostic::error(
                            Code::BadRegex,
                            span,
                            format!("this is not a valid regular expression: {message}"),
                        )
                        .rule(REGEX_SYNTAX),
                    );
                    return None;
                }
                return Some(Vec::new());
            }
        };
        let mut parser = regex_syntax::ParserBuilder::new().nest_limit(64).build();
        match parser.parse(text) {
            Ok(hir) => {
                let mut names = Vec::new();
                group_names(&hir, &mut names);
                Some(names)
            }
            Err(error) => {
                let (message, inside) = match &error {
                    regex_syntax::Error::Parse(e) => (e.kind().to_string(), Some(*e.span())),
                    regex_syntax::Error::Translate(e) => (e.kind().to_string(), Some(*e.span())),
                    _ => ("it cannot be read".to_string(), None),
                };
                // Point into the expression, where its text is the text of the file.
                let span = match inside {
                    Some(at) if !text.contains('/') => Span {
                        start: span.start + 1 + at.start.offset as u32,
                        end: (span.start + 1 + at.end.offset as u32)
                            .max(span.start + 2 + at.start.offset as u32)
                            .min(span.end),
                        ..span
                    },
                    _ => span,
                };
                self.report(
                    Diagnostic::error(
                        Code::BadRegex,
                        span,
                        format!("this is not a regular expression: {message}"),
                    )
                    .rule(REGEX_SYNTAX)
                    .help_if(message.contains("unclosed group").then(|| {
                        "close it with `)`, or write `\\(` for a parenthesis itself".to_string()
                    })),
                );
                None
            }
        }
    }

    fn check_log_term(
        &mut self,
        select: &LogSelect,
        groups: &[String],
        capture: &tree::Capture<LogTerm>,
    ) {
        match (&capture.term, select) {
            (LogTerm::Group(group), LogSelect::Regex(_)) if !groups.contains(group) => {
                let near = nearest(group, groups.iter().map(String::as_str));
                self.report(
                    Diagnostic::error(
                        Code::UnknownGroup,
                        capture.span,
                        format!("the regular expression has no group `{group}`"),
                    )
                    .help(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("name one: `(?<{group}>…)`"),
                    }),
                );
            }
            (LogTerm::Group(_), LogSelect::Record(_) | LogSelect::Where(_)) => {
                self.term_unavailable(capture.span, "only regular expressions have groups", None);
            }
            (LogTerm::Field(_) | LogTerm::Position(_), LogSelect::Regex(_)) => {
                self.term_unavailable(
                    capture.span,
                    "a line of text has no fields, only groups",
                    None,
                );
            }
            _ => {}
        }
    }
}

const REGEX_SYNTAX: &str =
    "the syntax is that of Rust's `regex`: no look-around, no back-references";

/// Whether a text is a regular expression; if not, what is wrong.
fn check_regex(text: &str) -> Result<(), String> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(64).build();
    parser.parse(text).map(drop).map_err(|error| match &error {
        regex_syntax::Error::Parse(e) => e.kind().to_string(),
        regex_syntax::Error::Translate(e) => e.kind().to_string(),
        _ => "it cannot be read".to_string(),
    })
}

/// Names of the groups, in order.
fn group_names(hir: &regex_syntax::hir::Hir, names: &mut Vec<String>) {
    use regex_syntax::hir::HirKind;
    match hir.kind() {
        HirKind::Capture(capture) => {
            names.extend(capture.name.as_deref().map(str::to_string));
            group_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => group_names(&repetition.sub, names),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            for part in parts {
                group_names(part, names);
            }
        }
        _ => {}
    }
}

/// Where events have a value of this kind. Rows are kinds of events, with what they give, and what they
/// give after they have happened.
fn whereabouts<T: fmt::Display + 'static>(
    term: &T,
    rows: impl Iterator<Item = (&'static str, &'static [T], &'static [T])>,
    more: Option<&str>,
) -> String {
    let alike = |given: &&T| std::mem::discriminant(*given) == std::mem::discriminant(term);
    let (mut at, mut after) = (Vec::new(), Vec::new());
    for (word, gives, gives_after) in rows {
        let list = match (gives.iter().any(|t| alike(&t)), gives_after.iter().any(|t| alike(&t))) {
            (true, _) => &mut at,
            (false, true) => &mut after,
            (false, false) => continue,
        };
        list.push(format!("`{word}`"));
    }
    after.extend(more.map(str::to_string));
    let at = (!at.is_empty()).then(|| format!("at {}", at.join(", ")));
    let after = (!after.is_empty()).then(|| format!("after {}", after.join(", ")));
    let text = term.to_string();
    let word = text.split(' ').next().unwrap_or_default();
    let places: Vec<String> = at.into_iter().chain(after).collect();
    format!("`{word}` exists {}", places.join(", and "))
}

/// The type of a cast in the term that is none.
fn unknown_type(term: &NativeTerm) -> Option<&str> {
    match term {
        NativeTerm::Cast(name, _) if !NativeTerm::is_type(name) => Some(name),
        NativeTerm::Index(inner, index) => unknown_type(inner).or_else(|| unknown_type(index)),
        NativeTerm::Deref(inner)
        | NativeTerm::AddressOf(inner)
        | NativeTerm::Field(inner, _)
        | NativeTerm::Cast(_, inner)
        | NativeTerm::Arrow(inner, _) => unknown_type(inner),
        _ => None,
    }
}

fn native_names(term: &NativeTerm, names: &mut Vec<String>) {
    match term {
        NativeTerm::Name(name) => names.push(name.clone()),
        NativeTerm::Deref(inner)
        | NativeTerm::AddressOf(inner)
        | NativeTerm::Field(inner, _)
        | NativeTerm::Cast(_, inner)
        | NativeTerm::Arrow(inner, _) => native_names(inner, names),
        NativeTerm::Index(inner, index) => {
            native_names(inner, names);
            native_names(index, names);
        }
        _ => {}
    }
}

fn jvm_help(param: &str) -> String {
    format!("capture it: `on {param}`, `returns {param}`, `args ({param})` or `with {param} = …`")
}

fn native_help(param: &str) -> String {
    format!("capture it: `with {param} = arg 0`")
}

fn log_regex_help(param: &str) -> String {
    format!("give a group its name: `(?<{param}>…)`")
}
