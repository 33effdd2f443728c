//! The meaning of every name in a set of `.ww` files.
//!
//! The rules are those of lowering, but nothing is checked, so that a file with mistakes has an
//! index, too. Names without a declaration are ignored.

use std::collections::{HashMap, HashSet};

use watchword_model::{FileId, Span, StateKind};
use watchword_spec::SourceFile;
use watchword_spec::files::text_of;
use watchword_spec::ww::parser;
use watchword_spec::ww::tree::{
    ArgKind, Atom, Branch, Context, Duration, Event, Expr, ExprKind, File, Formula, FormulaKind,
    Function, Item, Label, LabelKind, Member, MemberKind, Name, Param, Params, Property, Regex,
    RegexKind, Source, SourceKind, State, Stmt, StmtKind, Target, Template, TemplatePart,
    Transition, Var,
};

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is a word of the language")]
pub enum Kind {
    Event,
    Channel,
    Function,
    Property,
    Context,
    State,
    Clock,
    /// A window over events.
    Window,
    /// A `param`.
    Setting,
    /// A parameter of a property, a context or a function.
    Param,
    /// A parameter of an event or a channel.
    EventParam,
    Variable,
    Register,
    /// A name that a label of a sliced property binds.
    Binder,
    /// A variable of a block.
    Local,
}

impl Kind {
    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Event => "event",
            Kind::Channel => "channel",
            Kind::Function => "function",
            Kind::Property => "property",
            Kind::Context => "context",
            Kind::State => "state",
            Kind::Clock => "clock",
            Kind::Window => "window",
            Kind::Setting => "value chosen for a run",
            Kind::Param => "parameter",
            Kind::EventParam => "parameter of an event",
            Kind::Variable => "variable",
            Kind::Register => "register",
            Kind::Binder => "value bound by a label",
            Kind::Local => "local variable",
        }
    }
}

/// A symbol: something with a name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The place of its declaration; without a declaration, of its first use.
    pub declared: Vec<Span>,
    /// The enclosing symbol: for a state, the property.
    pub owner: Option<usize>,
    /// Its declaration on one line.
    pub detail: String,
    /// Its documentation.
    pub doc: String,
}

/// How a place refers to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Declares it.
    Declares,
    /// Names it.
    Names,
    /// Refers to it without its name: a label without parentheses. The place is where the arguments
    /// would be.
    Implies,
}

/// A place that refers to a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The place.
    pub span: Span,
    /// The symbol.
    pub symbol: usize,
    /// The kind of reference.
    pub role: Role,
}

/// The meanings of the names in a set of files.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// The references, by place.
    pub uses: Vec<Use>,
    /// The parameters of events and channels, by symbol, in order; and whether there may be more.
    pub events: HashMap<usize, (Vec<usize>, bool)>,
}

impl Index {
    /// The index of `.ww` files that are loaded together.
    pub fn of(files: &[SourceFile]) -> Index {
        let trees: Vec<File> = files
            .iter()
            .enumerate()
            .map(|(i, file)| parser::parse(&file.text, FileId::from_index(i)).file)
            .collect();
        let mut builder = Builder {
            files,
            index: Index::default(),
            events: HashMap::new(),
            functions: HashMap::new(),
            clocks: Vec::new(),
        };
        for item in trees.iter().flat_map(|t| &t.items) {
            builder.declare(item);
        }
        for item in trees.iter().flat_map(|t| &t.items) {
            builder.body(item);
        }
        let mut index = builder.index;
        index.uses.sort_by_key(|u| (u.span.file, u.span.start, u.span.end));
        index
    }

    /// The symbols named at a byte of a file, with the place.
    pub fn at(&self, file: FileId, offset: usize) -> Vec<Use> {
        let here = |u: &&Use| {
            u.role != Role::Implies
                && u.span.file == file
                && (u.span.start as usize..=u.span.end as usize).contains(&offset)
        };
        let found: Vec<Use> = self.uses.iter().filter(here).copied().collect();
        // Between two adjacent names, the one that begins here is meant.
        let start = found.iter().map(|u| u.span.start).max();
        found.into_iter().filter(|u| Some(u.span.start) == start).collect()
    }

    /// These symbols, and all symbols to which the same places refer: they can only be renamed
    /// together.
    pub fn tied(&self, symbols: &[usize]) -> Vec<usize> {
        let mut tied: Vec<usize> = symbols.to_vec();
        let mut at = 0;
        while at < tied.len() {
            let places: HashSet<Span> = self.named(tied[at]).map(|u| u.span).collect();
            for other in self.uses.iter().filter(|u| u.role != Role::Implies) {
                if places.contains(&other.span) && !tied.contains(&other.symbol) {
                    tied.push(other.symbol);
                }
            }
            at += 1;
        }
        tied
    }

    /// The places that refer to a symbol by name.
    pub fn named(&self, symbol: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |u| u.symbol == symbol && u.role != Role::Implies)
    }

    /// The symbols inside an owner.
    pub fn members(&self, owner: usize) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(move |s| s.owner == Some(owner))
    }

    /// The innermost property, context or function of that name.
    pub fn owner_named(&self, kind: Kind, name: &str) -> Option<usize> {
        self.symbols.iter().position(|s| s.kind == kind && s.name == name)
    }
}

/// Names and their symbols; later ones hide earlier ones.
type Names = Vec<(String, Vec<usize>)>;

fn find<'n>(names: &'n Names, name: &str) -> Option<&'n [usize]> {
    names.iter().rev().find(|(n, _)| n == name).map(|(_, symbols)| &symbols[..])
}

struct Builder<'f> {
    files: &'f [SourceFile],
    index: Index,
    /// Events and channels.
    events: HashMap<String, usize>,
    functions: HashMap<String, usize>,
    /// Clocks in scope.
    clocks: Names,
}

/// The context of a label.
struct Around<'n> {
    names: &'n Names,
    owner: usize,
}

/// The names that the labels of one transition define.
#[derive(Default)]
struct Bound {
    /// The parameters of the events.
    args: Names,
    /// Bound names.
    locals: Names,
}

impl Bound {
    /// All names that can be used after the labels.
    fn with(&self, names: &Names) -> Names {
        let mut all = self.args.clone();
        all.extend(names.iter().cloned());
        all.extend(self.locals.iter().cloned());
        all
    }
}

impl Builder<'_> {
    fn symbol(&mut self, kind: Kind, name: &Name, owner: Option<usize>, detail: String) -> usize {
        self.index.symbols.push(Symbol {
            kind,
            name: name.text.clone(),
            declared: vec![name.span],
            owner,
            detail,
            doc: String::new(),
        });
        let symbol = self.index.symbols.len() - 1;
        self.note(name.span, symbol, Role::Declares);
        symbol
    }

    fn note(&mut self, span: Span, symbol: usize, role: Role) {
        self.index.uses.push(Use { span, symbol, role });
    }

    fn names(&mut self, name: &str, span: Span, names: &Names) {
        for symbol in find(names, name).unwrap_or_default().to_vec() {
            self.note(span, symbol, Role::Names);
        }
    }

    /// The text of the source, on one line.
    fn text(&self, span: Span) -> String {
        text_of(self.files, span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn declare(&mut self, item: &Item) {
        match item {
            Item::Event(event) => {
                let detail = self.text(event.span);
                self.declare_event(Kind::Event, &event.name, &event.params, &event.doc, detail);
            }
            Item::Channel(channel) => {
                let params: Vec<&str> =
                    channel.params.list.iter().map(|p| p.name.text.as_str()).collect();
                let detail = format!("channel {}({})", channel.name.text, params.join(", "));
                let (name, doc) = (&channel.name, &channel.doc);
                self.declare_event(Kind::Channel, name, &channel.params, doc, detail);
            }
            Item::Function(function) => {
                let detail = self.text(function.span);
                let symbol = self.symbol(Kind::Function, &function.name, None, detail);
                self.functions.insert(function.name.text.clone(), symbol);
            }
            Item::Import(_) | Item::Property(_) | Item::Context(_) | Item::Java(_) => {}
        }
    }

    fn declare_event(
        &mut self,
        kind: Kind,
        name: &Name,
        params: &Params,
        doc: &str,
        detail: String,
    ) {
        // Several files may contain the same declaration of an event.
        let known = self.events.get(&name.text).copied();
        let symbol = match known {
            Some(symbol) => {
                self.index.symbols[symbol].declared.push(name.span);
                self.note(name.span, symbol, Role::Declares);
                symbol
            }
            None => self.symbol(kind, name, None, detail),
        };
        self.events.insert(name.text.clone(), symbol);
        let about = &mut self.index.symbols[symbol];
        if about.doc.is_empty() {
            about.doc = doc.to_string();
        }
        let before = self.index.events.remove(&symbol).map_or(Vec::new(), |(list, _)| list);
        let mut list = Vec::new();
        for (i, param) in params.list.iter().enumerate() {
            let same = before.get(i).copied();
            let same = same.filter(|s| self.index.symbols[*s].name == param.name.text);
            let found = match same {
                Some(found) => {
                    self.index.symbols[found].declared.push(param.name.span);
                    self.note(param.name.span, found, Role::Declares);
                    found
                }
                None => {
                    let detail = self.param_text(param);
                    self.symbol(Kind::EventParam, &param.name, Some(symbol), detail)
                }
            };
            list.push(found);
        }
        self.index.events.insert(symbol, (list, params.variadic));
    }

    fn param_text(&self, param: &Param) -> String {
        match &param.ty {
            Some(ty) => format!("{}: {}", param.name.text, ty.text),
            None => param.name.text.clone(),
        }
    }

    fn body(&mut self, item: &Item) {
        match item {
            Item::Event(event) => self.sources(event),
            Item::Function(function) => self.function(function),
            Item::Property(property) => self.property(property, &Names::new(), None),
            Item::Context(context) => self.context(context, &Names::new(), None),
            Item::Import(_) | Item::Channel(_) | Item::Java(_) => {}
        }
    }

    fn sources(&mut self, event: &Event) {
        let Some(symbol) = self.events.get(&event.name.text).copied() else { return };
        let params = self.index.events.get(&symbol).map_or(Vec::new(), |(list, _)| list.clone());
        let names: Names =
            params.iter().map(|p| (self.index.symbols[*p].name.clone(), vec![*p])).collect();
        for source in &event.sources {
            let mut given: Vec<String> = Vec::new();
            let mut capture = |builder: &mut Self, name: &Name| {
                given.push(name.text.clone());
                builder.names(&name.text, name.span, &names);
            };
            match &source.kind {
                SourceKind::Program(_) => {}
                SourceKind::Jvm { captures, .. } => {
                    captures.iter().for_each(|c| capture(self, &c.param));
                }
                SourceKind::Native { captures, .. } => {
                    captures.iter().for_each(|c| capture(self, &c.param));
                    self.watched(source, &names);
                }
                SourceKind::Log { captures, select_span, .. } => {
                    captures.iter().for_each(|c| capture(self, &c.param));
                    let text = text_of(self.files, *select_span).to_string();
                    for (name, at) in groups(&text) {
                        if !given.contains(&name) {
                            let start = select_span.start + at as u32;
                            let span =
                                Span { start, end: start + name.len() as u32, ..*select_span };
                            self.names(&name, span, &names);
                        }
                    }
                }
            }
        }
    }

    /// Names in the watched term of a native source that are parameters of the event.
    fn watched(&mut self, source: &Source, names: &Names) {
        let text = text_of(self.files, source.span).to_string();
        let part = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
        let mut at = 0;
        let mut watching = false;
        while let Some(start) = text[at..].find(part).map(|i| at + i) {
            let end = text[start..].find(|c| !part(c)).map_or(text.len(), |i| start + i);
            let word = &text[start..end];
            at = end;
            match word {
                "write" | "read" | "update" if !watching => watching = true,
                "in" | "with" | "module" => return,
                _ if watching && !text[..start].trim_end().ends_with(['.', '>']) => {
                    let span = Span {
                        start: source.span.start + start as u32,
                        end: source.span.start + end as u32,
                        ..source.span
                    };
                    self.names(word, span, names);
                }
                _ => {}
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let Some(owner) = self.functions.get(&function.name.text).copied() else { return };
        let mut names = Names::new();
        for param in &function.params.list {
            let detail = self.param_text(param);
            let symbol = self.symbol(Kind::Param, &param.name, Some(owner), detail);
            names.push((param.name.text.clone(), vec![symbol]));
        }
        self.block(&function.body, &mut names, owner);
    }

    fn params(&mut self, params: &Params, names: &mut Names, owner: usize) {
        for param in &params.list {
            let detail = self.param_text(param);
            let symbol = self.symbol(Kind::Param, &param.name, Some(owner), detail);
            names.push((param.name.text.clone(), vec![symbol]));
            if let Some(key) = &param.key {
                self.expr(key, names);
            }
        }
    }

    fn context(&mut self, context: &Context, outer: &Names, owner: Option<usize>) {
        let params: Vec<String> =
            context.params.iter().flat_map(|p| &p.list).map(|p| self.param_text(p)).collect();
        let detail = format!("context {}({})", context.name.text, params.join(", "));
        let symbol = self.symbol(Kind::Context, &context.name, owner, detail);
        let mut names = outer.clone();
        if let Some(params) = &context.params {
            self.params(params, &mut names, symbol);
        }
        let clocks = self.clocks.len();
        self.variables(&context.members, &mut names, symbol);
        let around = Around { names: &names, owner: symbol };
        for member in &context.members {
            self.member(member, &around, &[]);
        }
        for property in &context.properties {
            self.property(property, &names, Some(symbol));
        }
        for inner in &context.contexts {
            self.context(inner, &names, Some(symbol));
        }
        self.clocks.truncate(clocks);
    }

    fn property(&mut self, property: &Property, outer: &Names, owner: Option<usize>) {
        let detail = self.text(property.span);
        let symbol = self.symbol(Kind::Property, &property.name, owner, detail);
        self.index.symbols[symbol].doc = property.doc.clone();
        let mut names = outer.clone();
        match &property.params {
            Some(params) => self.params(params, &mut names, symbol),
            None if owner.is_none() => self.registers(&property.members, &mut names, symbol),
            None => {}
        }
        let clocks = self.clocks.len();
        self.variables(&property.members, &mut names, symbol);
        let mut states: Vec<(String, usize)> = Vec::new();
        for member in &property.members {
            let MemberKind::State(state) = &member.kind else { continue };
            let declared = self.symbol(Kind::State, &state.name, Some(symbol), state_text(state));
            states.push((state.name.text.clone(), declared));
        }
        let around = Around { names: &names, owner: symbol };
        for member in &property.members {
            self.member(member, &around, &states);
        }
        self.clocks.truncate(clocks);
    }

    /// Every name a label binds, unless it is declared otherwise.
    fn registers(&mut self, members: &[Member], names: &mut Names, owner: usize) {
        let declared: Vec<&str> = members
            .iter()
            .filter_map(|m| match &m.kind {
                MemberKind::Var(var) => Some(var.name.text.as_str()),
                _ => None,
            })
            .collect();
        for member in members {
            let MemberKind::State(state) = &member.kind else { continue };
            let labels = state.transitions.iter().flat_map(|t| &t.steps).flat_map(|s| &s.labels);
            for label in labels {
                let LabelKind::Event(_, Some(args)) = &label.kind else { continue };
                for arg in &args.list {
                    let ArgKind::Bind(name) = &arg.kind else { continue };
                    if find(names, &name.text).is_some() || declared.contains(&&*name.text) {
                        continue;
                    }
                    self.index.symbols.push(Symbol {
                        kind: Kind::Register,
                        name: name.text.clone(),
                        declared: vec![name.span],
                        owner: Some(owner),
                        detail: name.text.clone(),
                        doc: String::new(),
                    });
                    names.push((name.text.clone(), vec![self.index.symbols.len() - 1]));
                }
            }
        }
    }

    fn variables(&mut self, members: &[Member], names: &mut Names, owner: usize) {
        for member in members {
            match &member.kind {
                MemberKind::Var(var) => self.variable(Kind::Variable, var, names, owner),
                MemberKind::Setting(setting) => {
                    let ty =
                        setting.ty.as_ref().map_or(String::new(), |ty| format!(": {}", ty.text));
                    let default = self.text(setting.default_span);
                    let detail = format!("param {}{ty} = {default}", setting.name.text);
                    let symbol = self.symbol(Kind::Setting, &setting.name, Some(owner), detail);
                    self.index.symbols[symbol].doc = setting.doc.clone();
                    names.push((setting.name.text.clone(), vec![symbol]));
                }
                MemberKind::Clock(clock) => {
                    let detail = format!("clock {}", clock.name.text);
                    let symbol = self.symbol(Kind::Clock, &clock.name, Some(owner), detail);
                    self.clocks.push((clock.name.text.clone(), vec![symbol]));
                }
                MemberKind::Window(window) => {
                    let detail = format!("window {}", self.text(window.span));
                    let symbol = self.symbol(Kind::Window, &window.name, Some(owner), detail);
                    names.push((window.name.text.clone(), vec![symbol]));
                }
                _ => {}
            }
        }
    }

    fn variable(&mut self, kind: Kind, var: &Var, names: &mut Names, owner: usize) {
        if let Some(init) = &var.init {
            self.expr(init, names);
        }
        let detail = match &var.ty {
            Some(ty) => format!("var {}: {}", var.name.text, ty.text),
            None => format!("var {}", var.name.text),
        };
        let symbol = self.symbol(kind, &var.name, Some(owner), detail);
        names.push((var.name.text.clone(), vec![symbol]));
    }

    fn member(&mut self, member: &Member, around: &Around<'_>, states: &[(String, usize)]) {
        match &member.kind {
            MemberKind::Message(template) => self.template(template, around.names),
            MemberKind::Also(events, condition) => {
                let mut args = Names::new();
                for event in events {
                    let symbol = self.event(event);
                    self.event_args(symbol, &mut args);
                }
                if let Some(condition) = condition {
                    self.expr(condition, &args);
                }
            }
            MemberKind::Creation(events) => {
                for event in events {
                    self.event(event);
                }
            }
            MemberKind::Ends(name, label) => {
                self.names(&name.text, name.span, around.names);
                self.label(label, around, &mut Bound::default());
            }
            MemberKind::Window(window) => {
                let mut bound = Bound::default();
                self.label(&window.label, around, &mut bound);
                for value in window.guard.iter().chain(&window.of) {
                    self.expr(value, &bound.with(around.names));
                }
                self.duration(&window.within, around.names);
            }
            MemberKind::State(state) => self.state(state, around, states),
            MemberKind::Never(regex) | MemberKind::Only(regex) => self.regex(regex, around),
            MemberKind::Ltl(formula) => self.formula(formula, around),
            MemberKind::Severity(_)
            | MemberKind::Tags(_)
            | MemberKind::Rule(_)
            | MemberKind::Setting(_)
            | MemberKind::Var(_)
            | MemberKind::Clock(_)
            | MemberKind::BoxesByValue
            | MemberKind::Proven => {}
        }
    }

    /// The event of that name, with a reference. The first use of an undeclared event counts as its
    /// declaration.
    fn event(&mut self, name: &Name) -> usize {
        if let Some(symbol) = self.events.get(&name.text).copied() {
            self.note(name.span, symbol, Role::Names);
            return symbol;
        }
        let detail = format!("event {} (not declared)", name.text);
        let symbol = self.symbol(Kind::Event, name, None, detail);
        self.events.insert(name.text.clone(), symbol);
        symbol
    }

    fn event_args(&self, event: usize, args: &mut Names) {
        let Some((params, _)) = self.index.events.get(&event) else { return };
        for param in params {
            let name = &self.index.symbols[*param].name;
            match args.iter_mut().find(|(n, _)| n == name) {
                Some((_, symbols)) => symbols.push(*param),
                None => args.push((name.clone(), vec![*param])),
            }
        }
    }

    fn label(&mut self, label: &Label, around: &Around<'_>, bound: &mut Bound) {
        match &label.kind {
            LabelKind::Any | LabelKind::End => {}
            LabelKind::Clock(name, after) => {
                let clocks = self.clocks.clone();
                self.names(&name.text, name.span, &clocks);
                self.duration(after, around.names);
            }
            LabelKind::Rings(name) => {
                let clocks = self.clocks.clone();
                self.names(&name.text, name.span, &clocks);
            }
            LabelKind::Event(name, None) => {
                let event = self.event(name);
                self.event_args(event, &mut bound.args);
                let params = self.index.events.get(&event).map_or(Vec::new(), |(p, _)| p.clone());
                let behind = Span { start: name.span.end, ..name.span };
                for param in params {
                    let own = find(around.names, &self.index.symbols[param].name);
                    let own = own.and_then(|s| s.first().copied());
                    if let Some(own) = own.filter(|s| self.index.symbols[*s].kind == Kind::Param) {
                        self.note(behind, own, Role::Implies);
                        self.note(behind, param, Role::Implies);
                    }
                }
            }
            LabelKind::Event(name, Some(args)) => {
                let event = self.event(name);
                self.event_args(event, &mut bound.args);
                for arg in &args.list {
                    match &arg.kind {
                        ArgKind::Equal(name) | ArgKind::Differs(name) => {
                            self.names(&name.text, name.span, around.names);
                        }
                        ArgKind::Bind(name) => self.bind(name, around, bound),
                        ArgKind::Any | ArgKind::Const(_) | ArgKind::NotConst(_) => {}
                    }
                }
            }
        }
    }

    fn bind(&mut self, name: &Name, around: &Around<'_>, bound: &mut Bound) {
        if let Some([symbol, ..]) = find(around.names, &name.text) {
            let symbol = *symbol;
            let declares = self.index.symbols[symbol].kind == Kind::Register;
            let role = if declares { Role::Declares } else { Role::Names };
            self.note(name.span, symbol, role);
        } else if let Some([symbol, ..]) = find(&bound.locals, &name.text) {
            // Another label of the same transition.
            let symbol = *symbol;
            self.index.symbols[symbol].declared.push(name.span);
            self.note(name.span, symbol, Role::Declares);
        } else {
            let detail = format!("?{}", name.text);
            let symbol = self.symbol(Kind::Binder, name, Some(around.owner), detail);
            bound.locals.push((name.text.clone(), vec![symbol]));
        }
    }

    fn duration(&mut self, duration: &Duration, names: &Names) {
        if let Duration::Setting(name) = duration {
            self.names(&name.text, name.span, names);
        }
    }

    fn state(&mut self, state: &State, around: &Around<'_>, states: &[(String, usize)]) {
        let mut names = around.names.clone();
        if let Some(deadline) = &state.deadline {
            self.duration(&deadline.after, &names);
            self.branch(&deadline.branch, &mut names, around.owner, states);
        }
        if let Some(message) = &state.message {
            self.template(message, &names);
        }
        self.block(&state.entry, &mut names, around.owner);
        for transition in &state.transitions {
            self.transition(transition, around, states);
        }
    }

    fn transition(&mut self, it: &Transition, around: &Around<'_>, states: &[(String, usize)]) {
        let mut bound = Bound::default();
        for step in &it.steps {
            for label in &step.labels {
                self.label(label, around, &mut bound);
            }
            if let Some(guard) = &step.guard {
                self.expr(guard, &bound.with(around.names));
            }
        }
        let mut names = bound.with(around.names);
        self.branch(&it.then, &mut names, around.owner, states);
        if let Some((_, branch)) = &it.otherwise {
            self.branch(branch, &mut names, around.owner, states);
        }
    }

    fn branch(
        &mut self,
        branch: &Branch,
        names: &mut Names,
        owner: usize,
        states: &[(String, usize)],
    ) {
        self.block(&branch.update, names, owner);
        if let Some(Target::State(name)) = &branch.target
            && let Some((_, state)) = states.iter().find(|(n, _)| *n == name.text)
        {
            self.note(name.span, *state, Role::Names);
        }
        if let Some(message) = &branch.message {
            self.template(message, names);
        }
    }

    fn regex(&mut self, regex: &Regex, around: &Around<'_>) {
        match &regex.kind {
            RegexKind::Atom(atom) => self.atom(atom, around),
            RegexKind::Sequence(list) | RegexKind::Choice(list) => {
                list.iter().for_each(|part| self.regex(part, around));
            }
            RegexKind::Star(part) | RegexKind::Plus(part) | RegexKind::Optional(part) => {
                self.regex(part, around);
            }
            RegexKind::Error => {}
        }
    }

    fn formula(&mut self, formula: &Formula, around: &Around<'_>) {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.atom(atom, around),
            FormulaKind::Not(a) | FormulaKind::Unary(_, a) => self.formula(a, around),
            FormulaKind::Timed(_, bound, a) => {
                self.bound(bound, around);
                self.formula(a, around);
            }
            FormulaKind::TimedBinary(_, bound, a, b) => {
                self.bound(bound, around);
                self.formula(a, around);
                self.formula(b, around);
            }
            FormulaKind::Binary(_, a, b) => {
                self.formula(a, around);
                self.formula(b, around);
            }
            FormulaKind::Const(_) | FormulaKind::Error => {}
        }
    }

    fn bound(&mut self, bound: &watchword_spec::ww::tree::Bound, around: &Around<'_>) {
        match bound {
            watchword_spec::ww::tree::Bound::Within(d)
            | watchword_spec::ww::tree::Bound::After(d) => self.duration(d, around.names),
            watchword_spec::ww::tree::Bound::Between(from, to) => {
                self.duration(from, around.names);
                self.duration(to, around.names);
            }
        }
    }

    fn atom(&mut self, atom: &Atom, around: &Around<'_>) {
        let mut bound = Bound::default();
        self.label(&atom.label, around, &mut bound);
        if let Some(guard) = &atom.guard {
            self.expr(guard, &bound.with(around.names));
        }
    }

    fn template(&mut self, template: &Template, names: &Names) {
        for part in &template.parts {
            if let TemplatePart::Value(expr) = part {
                self.expr(expr, names);
            }
        }
    }

    fn block(&mut self, statements: &[Stmt], names: &mut Names, owner: usize) {
        let outside = names.len();
        for statement in statements {
            self.statement(statement, names, owner);
        }
        names.truncate(outside);
    }

    fn statement(&mut self, statement: &Stmt, names: &mut Names, owner: usize) {
        match &statement.kind {
            StmtKind::Var(var) => self.variable(Kind::Local, var, names, owner),
            StmtKind::Assign(name, _, value) => {
                self.names(&name.text, name.span, names);
                self.expr(value, names);
            }
            StmtKind::AssignIndex(name, key, _, value) => {
                self.names(&name.text, name.span, names);
                self.expr(key, names);
                self.expr(value, names);
            }
            StmtKind::If(condition, then, otherwise) => {
                self.expr(condition, names);
                self.block(then, names, owner);
                self.block(otherwise, names, owner);
            }
            StmtKind::While(condition, body) => {
                self.expr(condition, names);
                self.block(body, names, owner);
            }
            StmtKind::For(name, list, body) => {
                self.expr(list, names);
                let outside = names.len();
                let symbol = self.symbol(Kind::Local, name, Some(owner), name.text.clone());
                names.push((name.text.clone(), vec![symbol]));
                self.block(body, names, owner);
                names.truncate(outside);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value, names);
                }
            }
            StmtKind::Call(expr) | StmtKind::Print(expr) => self.expr(expr, names),
            StmtKind::Send(name, args) => {
                if let Some(channel) = self.events.get(&name.text).copied() {
                    self.note(name.span, channel, Role::Names);
                }
                args.iter().for_each(|a| self.expr(a, names));
            }
            StmtKind::PrintText(template) => self.template(template, names),
            StmtKind::Do(_, args) => args.iter().for_each(|a| self.expr(a, names)),
            StmtKind::Reset(name) | StmtKind::Stop(name) => {
                let clocks = self.clocks.clone();
                self.names(&name.text, name.span, &clocks);
            }
            StmtKind::ResetFor(name, after) => {
                let clocks = self.clocks.clone();
                self.names(&name.text, name.span, &clocks);
                self.expr(after, names);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn expr(&mut self, expr: &Expr, names: &Names) {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Error => {}
            ExprKind::Name(name) => {
                let span = self.inside_parentheses(expr.span);
                // What is nothing else may be a clock.
                match find(names, name) {
                    Some(_) => self.names(name, span, names),
                    None => self.names(name, span, &self.clocks.clone()),
                }
            }
            ExprKind::Unary(_, a) | ExprKind::Time(a, ..) => self.expr(a, names),
            ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Index(a, b) => {
                self.expr(a, names);
                self.expr(b, names);
            }
            ExprKind::Quantified(_, name, within, condition) => {
                self.expr(within, names);
                let symbol = self.symbol(Kind::Local, name, None, name.text.clone());
                let mut inside = names.clone();
                inside.push((name.text.clone(), vec![symbol]));
                self.expr(condition, &inside);
            }
            ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e, names)),
            ExprKind::Call(name, args) => {
                if let Some(function) = self.functions.get(&name.text).copied() {
                    self.note(name.span, function, Role::Names);
                }
                args.iter().for_each(|a| self.expr(a, names));
            }
            ExprKind::List(items) => items.iter().for_each(|e| self.expr(e, names)),
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    self.expr(key, names);
                    self.expr(value, names);
                }
            }
        }
    }

    /// The span of an expression includes parentheses around it; that of a name does not.
    fn inside_parentheses(&self, span: Span) -> Span {
        let text = text_of(self.files, span);
        let blank = |c: char| c == '(' || c == ')' || c.is_whitespace();
        let start = text.len() - text.trim_start_matches(blank).len();
        let end = text.trim_end_matches(blank).len();
        if start >= end {
            return span;
        }
        Span { start: span.start + start as u32, end: span.start + end as u32, ..span }
    }
}

fn state_text(state: &State) -> String {
    let start = if state.start { "start " } else { "" };
    let kind = match state.kind {
        StateKind::Bad => "bad ",
        StateKind::Good => "good ",
        StateKind::Pending => "pending ",
        StateKind::Normal => "",
    };
    format!("{start}{kind}state {}", state.name.text)
}

/// The named groups of a regular expression, with the positions of their names.
fn groups(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("(?") {
        let rest = &text[at + 2..];
        let begin = if rest.starts_with("P<") { 2 } else { 1 };
        if !rest.starts_with('<') && begin == 1 {
            continue;
        }
        if let Some(end) = rest.find('>') {
            let name = &rest[begin.min(end)..end];
            found.push((name.to_string(), at + 2 + begin));
        }
    }
    found
}
