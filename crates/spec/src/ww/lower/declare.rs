//! Events, channels and functions: what every property can name.

use watchword_model::{
    EventDecl, EventId, Function, FunctionId, Origin, Param, Place, ProgramEvent, Span, Type,
};

use super::expr::ARGUMENT;
use super::scope::Scope;
use super::visit::{Use, context_uses, uses};
use super::{EventEntry, FunctionEntry, Lowering};
use crate::diagnostic::{Code, Diagnostic};
use crate::events;
use crate::ww::tree::{self, ArgKind, File, Item, LabelKind, Name, Params, SourceKind};

/// Names of events the language has itself.
pub(crate) const RESERVED_EVENTS: [&str; 2] = ["any", "end"];

impl Lowering<'_> {
    pub(super) fn declare(&mut self, files: &[File]) {
        let items = || files.iter().flat_map(|f| &f.items);
        for item in items() {
            match item {
                Item::Event(event) => self.declare_event(event),
                Item::Channel(channel) => self.declare_channel(channel),
                Item::Function(function) => self.declare_function(function),
                Item::Java(class) => self.model.java.push(class.clone()),
                _ => {}
            }
        }
        for with_args in [true, false] {
            for item in items() {
                match item {
                    Item::Property(property) => {
                        let sliced = property.params.as_ref().is_some_and(|p| !p.list.is_empty());
                        uses(&property.members, &mut |u| self.implicit(u, sliced, with_args));
                    }
                    Item::Context(context) => {
                        context_uses(context, &mut |u, _| self.implicit(u, true, with_args));
                    }
                    _ => {}
                }
            }
        }
        self.question_undeclared(files);
        self.bind_events();
        for item in items() {
            if let Item::Function(function) = item {
                self.function_body(function);
            }
        }
        self.refuse_recursion();
    }

    /// The parameters of an event, channel or function; a name twice is reported.
    pub(super) fn event_params(&mut self, params: &Params) -> Vec<Param> {
        let mut seen: Vec<&Name> = Vec::new();
        for param in &params.list {
            if let Some(first) = seen.iter().find(|n| n.text == param.name.text) {
                let first = first.span;
                self.declared_twice("parameter", &param.name, first);
            }
            seen.push(&param.name);
        }
        params
            .list
            .iter()
            .map(|param| Param {
                name: param.name.text.clone(),
                ty: param.ty.as_ref().map_or(Type::Any, |ty| self.type_named(ty)),
            })
            .collect()
    }

    fn refuse_keys(&mut self, params: &Params) {
        for key in params.list.iter().filter_map(|p| p.key.as_ref()) {
            self.report(
                Diagnostic::error(Code::OptionMisplaced, key.span, "`by` does not apply here")
                    .rule("only parameters of properties and contexts are compared by a key"),
            );
        }
    }

    pub(super) fn declared_twice(&mut self, what: &str, name: &Name, first: Span) {
        self.report(
            Diagnostic::error(
                Code::DeclaredTwice,
                name.span,
                format!("{what} `{}` is declared twice", name.text),
            )
            .also(first, "first declared here"),
        );
    }

    fn declare_event(&mut self, event: &tree::Event) {
        if RESERVED_EVENTS.contains(&event.name.text.as_str()) {
            self.reserved(&event.name);
            return;
        }
        self.refuse_keys(&event.params);
        let params = self.event_params(&event.params);
        let program = event.sources.iter().find_map(|s| match s.kind {
            SourceKind::Program(program) => Some((program, s.span)),
            _ => None,
        });
        if let Some((program, span)) = program {
            self.declare_program_event(event, params, program, span);
            return;
        }
        let sources = event.sources.iter().filter_map(|s| self.source(s, event, &params)).collect();
        self.add_event(
            &event.name,
            EventDecl {
                name: event.name.text.clone(),
                params,
                variadic: event.params.variadic,
                fixed: 0,
                program: None,
                origin: Origin::World(sources),
                doc: event.doc.clone(),
                span: event.span,
            },
        );
    }

    /// `event call(method, ..) = program call`: an event of the program, which says itself what
    /// it carries.
    fn declare_program_event(
        &mut self,
        event: &tree::Event,
        mut params: Vec<Param>,
        program: ProgramEvent,
        span: Span,
    ) {
        let known = events::declaration(program);
        let fits = params.len() == known.params.len()
            && event.params.variadic == known.variadic
            && params.iter().zip(&known.params).all(|(a, b)| a.ty.overlaps(b.ty));
        if !fits {
            let names: Vec<&str> = known.params.iter().map(|p| p.name.as_str()).collect();
            let rest = if known.variadic { ", .." } else { "" };
            let wanted = format!("event {}({}{rest})", event.name.text, names.join(", "));
            self.report(
                Diagnostic::error(Code::WrongCount, event.span, "this event has other parameters")
                    .also(span, "the parameters of a `program` event are fixed")
                    .help(format!("write `{wanted}`")),
            );
        }
        if event.sources.len() > 1 {
            self.report(
                Diagnostic::error(
                    Code::OptionMisplaced,
                    span,
                    "an event of the program has no other source",
                )
                .help("declare a second event"),
            );
        }
        for (param, known) in params.iter_mut().zip(&known.params) {
            if param.ty == Type::Any {
                param.ty = known.ty;
            }
        }
        let doc = if event.doc.is_empty() { known.doc.clone() } else { event.doc.clone() };
        let name = event.name.text.clone();
        self.add_event(&event.name, EventDecl { name, params, doc, span: event.span, ..known });
    }

    fn declare_channel(&mut self, channel: &tree::Channel) {
        if RESERVED_EVENTS.contains(&channel.name.text.as_str()) {
            self.reserved(&channel.name);
            return;
        }
        self.refuse_keys(&channel.params);
        let params = self.event_params(&channel.params);
        self.add_event(
            &channel.name,
            EventDecl {
                name: channel.name.text.clone(),
                params,
                variadic: false,
                fixed: 0,
                program: None,
                origin: Origin::Channel,
                doc: channel.doc.clone(),
                span: channel.name.span,
            },
        );
    }

    fn reserved(&mut self, name: &Name) {
        self.report(
            Diagnostic::error(
                Code::ReservedName,
                name.span,
                format!("`{}` cannot be declared", name.text),
            )
            .rule("`any` stands for every event of a property and `end` for the end of the run")
            .help("choose another name"),
        );
    }

    /// Adds a declaration. Files that are loaded together may repeat one another's events, as
    /// long as they agree.
    fn add_event(&mut self, name: &Name, decl: EventDecl) {
        if let Some(first) = self.events.get(&name.text) {
            let (first_span, id) = (first.span, first.id);
            let other = &self.model.events[id.index()];
            let same_file = first_span.file == name.span.file;
            if same_file || !same_declaration(other, &decl) {
                let mut error = Diagnostic::error(
                    Code::DeclaredTwice,
                    name.span,
                    format!("event `{}` is declared twice", name.text),
                )
                .also(first_span, "first declared here");
                error = if same_file {
                    error.help("if an event has several sources, write them in its braces")
                } else {
                    error.rule("files loaded together may repeat an event only unchanged").help(
                        format!(
                            "keep one declaration; to say where the event of the other file comes \
                             from, give it a source on the command line: `--bind '{}=…'`",
                            name.text
                        ),
                    )
                };
                self.report(error);
            }
            return;
        }
        let id = EventId::from_index(self.model.events.len());
        self.model.events.push(decl);
        self.events.insert(name.text.clone(), EventEntry { id, span: name.span, implicit: false });
    }

    fn declare_function(&mut self, function: &tree::Function) {
        if let Some(first) = self.functions.get(&function.name.text) {
            let first = first.span;
            self.declared_twice("function", &function.name, first);
            return;
        }
        let mut builtin = watchword_model::Builtin::TABLE.iter().map(|(_, n, _)| *n);
        if function.name.text == ARGUMENT || builtin.any(|n| n == function.name.text) {
            self.report(
                Diagnostic::error(
                    Code::ReservedName,
                    function.name.span,
                    format!("`{}` is a built-in function", function.name.text),
                )
                .help("choose another name"),
            );
            return;
        }
        self.refuse_keys(&function.params);
        let params = self.event_params(&function.params);
        let id = FunctionId::from_index(self.model.functions.len());
        self.model.functions.push(Function {
            name: function.name.text.clone(),
            params: params.into_iter().map(|p| (p.name, p.ty)).collect(),
            locals: function.params.list.len() as u32,
            body: Vec::new(),
            span: function.span,
        });
        self.functions
            .insert(function.name.text.clone(), FunctionEntry { id, span: function.name.span });
    }

    fn function_body(&mut self, function: &tree::Function) {
        let Some(entry) = self.functions.get(&function.name.text).copied() else { return };
        if entry.span != function.name.span {
            return;
        }
        let mut scope = Scope::default();
        let params = self.model.functions[entry.id.index()].params.clone();
        self.locals = 0;
        for ((name, ty), param) in params.iter().zip(&function.params.list) {
            let local = self.new_local();
            scope.add(name, Place::Local(local), *ty, param.name.span);
        }
        self.calls.clear();
        let body = self.block(&function.body, &mut scope);
        let calls = std::mem::take(&mut self.calls);
        self.call_graph.push((entry.id, calls));
        let lowered = &mut self.model.functions[entry.id.index()];
        lowered.body = body;
        lowered.locals = self.locals;
    }

    /// Functions must not call themselves, not even by way of others: frames are laid out ahead.
    fn refuse_recursion(&mut self) {
        let graph = std::mem::take(&mut self.call_graph);
        let calls_of = |id: FunctionId| {
            graph.iter().filter(move |(f, _)| *f == id).flat_map(|(_, calls)| calls)
        };
        let mut found = Vec::new();
        for (function, calls) in &graph {
            for (callee, span) in calls {
                let mut seen = vec![*callee];
                let mut todo = vec![*callee];
                while let Some(at) = todo.pop() {
                    for (next, _) in calls_of(at) {
                        if !seen.contains(next) {
                            seen.push(*next);
                            todo.push(*next);
                        }
                    }
                }
                if seen.contains(function) {
                    found.push((*function, *span));
                }
            }
        }
        for (function, span) in found {
            let name = self.model.functions[function.index()].name.clone();
            self.report(
                Diagnostic::error(
                    Code::Recursion,
                    span,
                    format!("by this call, `{name}` calls itself"),
                )
                .rule(
                    "functions must not be recursive, because a monitor must not run out of stack",
                )
                .help("write a loop"),
            );
        }
    }

    /// An event that was named but not declared: it is the trace event of that name, with the
    /// arguments of its first label.
    fn implicit(&mut self, used: Use<'_>, sliced: bool, with_args: bool) {
        let (name, args) = match used {
            Use::Label(label) => match &label.kind {
                LabelKind::Event(name, args) => (name, args.as_ref()),
                _ => return,
            },
            Use::Name(name) => (name, None),
        };
        if self.events.contains_key(&name.text)
            || RESERVED_EVENTS.contains(&name.text.as_str())
            || args.is_some() != with_args
        {
            return;
        }
        let mut params: Vec<Param> = Vec::new();
        if let Some(args) = args {
            for (i, arg) in args.list.iter().enumerate() {
                let written = match &arg.kind {
                    ArgKind::Bind(n) | ArgKind::Equal(n) | ArgKind::Differs(n) => Some(&n.text),
                    _ => None,
                };
                let name = written
                    .filter(|n| !params.iter().any(|p| p.name == **n))
                    .cloned()
                    .unwrap_or_else(|| format!("arg{i}"));
                params.push(Param { name, ty: Type::Any });
            }
        } else if sliced {
            self.report(
                Diagnostic::error(
                    Code::UnknownArguments,
                    name.span,
                    format!(
                        "event `{}` is not declared, so its arguments are not known",
                        name.text
                    ),
                )
                .rule(
                    "a label without parentheses uses the event's parameters by name; they must be declared",
                )
                .help(format!("declare it: `event {}(…)`", name.text)),
            );
        }
        let id = EventId::from_index(self.model.events.len());
        self.model.events.push(EventDecl {
            params,
            variadic: args.is_none_or(|a| a.rest),
            span: name.span,
            ..EventDecl::named(&name.text)
        });
        self.events.insert(name.text.clone(), EventEntry { id, span: name.span, implicit: true });
    }
}

fn same_declaration(a: &EventDecl, b: &EventDecl) -> bool {
    let shape = |e: &EventDecl| format!("{:?} {:?} {}", e.params, e.origin, e.variadic);
    shape(a) == shape(b)
}
