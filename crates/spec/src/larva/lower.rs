//! Translates a script to a file of Watchword's own language: contexts, events, properties,
//! functions.
//!
//! The result uses the same names as the script, so names, types and meaning are checked in one
//! place. Three things differ. A transition waits for all members of its event's *group*: an event
//! with sources, clocks, channels, and the members of other groups. Entering an accepting state
//! ends the automaton, after the code of the state. The value of an invariant is supplied by every
//! event of its context, and a separate automaton compares it.

use std::collections::HashSet;

use watchword_model::{Builtin, Span, StateKind};

use super::code::{Bring, Known, Names, OF_FOREACH, Outside, Translation, both, free, initial};
use super::equality::{self, Compared};
use super::events::{Events, Imports, Member, Waits, unknown_event};
use super::tree::{self, Group, Name, Script};
use super::types::Ty;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::lower::{ARGUMENT, RESERVED_EVENTS};
use crate::ww::tree as ww;

/// The names that are visible in a context.
#[derive(Default)]
pub struct Scope<'s> {
    /// Variables of the FOREACHs around, outermost first.
    pub foreach: Vec<&'s tree::ForEach>,
    /// Those of them whose objects are compared by `equals`.
    pub equal: Vec<&'s str>,
    /// Variables, and the variables of FOREACH.
    pub names: Names,
    /// Clocks, channels, methods.
    pub outside: Outside,
    /// Invariants of the context itself.
    pub invariants: Vec<(&'s Name, &'s tree::Expr)>,
}

/// The script as a file.
pub fn lower(script: &Script, diagnostics: &mut Vec<Diagnostic>) -> ww::File {
    let words = Words::of(script);
    let mut lowering = Lowering {
        words,
        imports: Imports { paths: &script.imports },
        events: Events::default(),
        items: Vec::new(),
        diagnostics,
        methods: &script.methods,
    };
    let mut outside = Outside::default();
    for method in &script.methods {
        let named = |text: &str| script.methods.iter().any(|m| m.name.text == text);
        let built_in =
            |text: &str| text == ARGUMENT || Builtin::TABLE.iter().any(|(_, n, _)| *n == text);
        let own = match built_in(&method.name.text) {
            true => free(&format!("{}_", method.name.text), |t| named(t) || built_in(t)),
            false => method.name.text.clone(),
        };
        outside.methods.insert(method.name.text.clone(), (own, Ty::of(&method.ty)));
    }
    let mut compared = HashSet::new();
    comparisons(&script.global, &mut compared);
    // The comparison becomes a key of one object; it is a function only if other code calls it.
    let is_comparison = |method: &&tree::Method| {
        method.params.len() == 2 && compared.contains(method.name.text.as_str())
    };
    for method in script.methods.iter().filter(|m| !is_comparison(m)) {
        lowering.method(method, &outside);
    }
    let scope = Scope { outside: outside.clone(), ..Scope::default() };
    let context = lowering.context(&script.global, scope);
    for method in script.methods.iter().filter(is_comparison) {
        if outside.called.borrow().contains(&method.name.text) {
            lowering.method(method, &outside);
        }
    }
    let mut items: Vec<ww::Item> =
        lowering.events.declared.into_iter().map(ww::Item::Event).collect();
    items.extend(lowering.items);
    items.push(ww::Item::Context(context));
    ww::File { items }
}

/// The methods that `equateUsing` names.
fn comparisons<'s>(context: &'s tree::Context, found: &mut HashSet<&'s str>) {
    found
        .extend(context.params.iter().filter_map(|each| Some(each.equate.as_ref()?.text.as_str())));
    context.inner.iter().for_each(|inner| comparisons(inner, found));
}

/// Names of a script that Watchword's language has other uses for.
#[derive(Default)]
pub struct Words {
    /// Events and channels, which share their names there.
    events: HashSet<String>,
    /// Names that hide variables: parameters of events, and variables of FOREACH.
    hiding: HashSet<String>,
}

impl Words {
    fn of(script: &Script) -> Words {
        let mut words = Words::default();
        words.context(&script.global);
        words
    }

    fn context(&mut self, context: &tree::Context) {
        for event in &context.events {
            self.events.insert(event.name.text.clone());
            self.hiding.extend(event.params.iter().map(|(_, name)| name.text.clone()));
        }
        self.hiding.extend(context.params.iter().map(|each| each.name.text.clone()));
        self.hiding.extend(context.invariants.iter().map(|i| i.name.text.clone()));
        context.inner.iter().for_each(|inner| self.context(inner));
    }

    /// Whether an event or a channel has that name, or the language.
    pub fn is_taken(&self, text: &str) -> bool {
        RESERVED_EVENTS.contains(&text) || self.events.contains(text)
    }

    /// The name of an event in Watchword's language.
    pub fn event(&self, name: &Name) -> Name {
        let text = match RESERVED_EVENTS.contains(&name.text.as_str()) {
            true => free(&format!("{}_", name.text), |text| self.is_taken(text)),
            false => name.text.clone(),
        };
        Name { text, span: name.span }
    }
}

/// How the objects of a FOREACH are compared.
enum Comparison {
    /// By themselves.
    Identity,
    /// By `equals`; values by value.
    Equals,
    /// By the key that a method computes from them.
    Key(Name),
}

struct Lowering<'s, 'd> {
    words: Words,
    imports: Imports<'s>,
    events: Events<'s>,
    /// Channels and functions.
    items: Vec<ww::Item>,
    diagnostics: &'d mut Vec<Diagnostic>,
    methods: &'s [tree::Method],
}

impl<'s> Lowering<'s, '_> {
    fn method(&mut self, method: &tree::Method, outside: &Outside) {
        let names =
            method.params.iter().map(|(ty, name)| Known::new(&name.text, Ty::of(ty))).collect();
        let own = outside.methods.get(&method.name.text).map_or("", |(own, _)| own);
        let list = method
            .params
            .iter()
            .map(|(ty, name)| ww::Param {
                name: name.clone(),
                ty: Ty::of(ty).name(ty.span),
                key: None,
            })
            .collect();
        let mut found = Vec::new();
        let body = Translation::new(outside, names, &mut found).block(&method.body);
        self.diagnostics.extend(first_of(found));
        self.items.push(ww::Item::Function(ww::Function {
            name: Name { text: own.to_string(), span: method.name.span },
            params: ww::Params { list, variadic: false },
            body,
            span: method.name.span,
        }));
    }

    fn context(&mut self, context: &'s tree::Context, mut scope: Scope<'s>) -> ww::Context {
        let span = context.span.unwrap_or(Span::NONE);
        let mut params = Vec::new();
        for each in &context.params {
            let ty = Ty::of(&each.ty);
            let comparison = self.comparison(each, &scope.outside);
            if matches!(comparison, Comparison::Equals) && ty == Ty::Object {
                scope.equal.push(&each.name.text);
            }
            let key = match comparison {
                Comparison::Identity | Comparison::Equals => None,
                Comparison::Key(method) => Some(ww::Expr {
                    span: method.span,
                    kind: ww::ExprKind::Call(
                        method,
                        vec![super::code::named(&each.name.text, each.name.span)],
                    ),
                    depth: 2,
                }),
            };
            params.push(ww::Param { name: each.name.clone(), ty: ty.name(each.ty.span), key });
            scope.names.push(Known::fixed(&each.name.text, ty, OF_FOREACH));
            scope.foreach.push(each);
        }
        let mut members = Vec::new();
        for variable in &context.variables {
            self.variable(variable, &mut scope, &mut members);
        }
        for invariant in &context.invariants {
            self.remember(invariant, &mut scope, &mut members);
        }
        let own =
            self.events.add(&context.events, &scope, &self.imports, &self.words, self.diagnostics);
        let mut properties = Vec::new();
        for property in &context.properties {
            properties.push(self.property(property, &scope, &own, context));
        }
        for invariant in &context.invariants {
            properties.push(self.watch(invariant, &own));
        }
        let mut contexts = Vec::new();
        for inner in &context.inner {
            let inside = Scope {
                foreach: scope.foreach.clone(),
                equal: scope.equal.clone(),
                names: scope.names.clone(),
                outside: scope.outside.clone(),
                invariants: Vec::new(),
            };
            // What an inner context declares hides, and is known in it alone.
            let outer = self.events.groups.clone();
            contexts.push(self.context(inner, inside));
            self.events.groups = outer;
        }
        let params = (!params.is_empty()).then_some(ww::Params { list: params, variadic: false });
        let name = Name { text: String::new(), span };
        ww::Context { name, params, members, properties, contexts }
    }

    /// How the objects of a FOREACH are compared. LARVA's methods compare two objects; the instance
    /// of an event is looked up by a key that is computed from one.
    fn comparison(&mut self, each: &tree::ForEach, outside: &Outside) -> Comparison {
        let Some(name) = &each.equate else { return Comparison::Equals };
        let Some(method) = self.methods.iter().find(|m| m.name.text == name.text) else {
            let known = self.methods.iter().map(|m| m.name.text.as_str());
            self.diagnostics.push(
                Diagnostic::error(
                    Code::UnknownFunction,
                    name.span,
                    format!("there is no method `{}` in METHODS", name.text),
                )
                .help("write it into METHODS: `boolean same(User a, User b) { return a == b; }`")
                .did_you_mean(nearest(&name.text, known)),
            );
            return Comparison::Identity;
        };
        let own = outside.methods.get(&name.text).map_or(&name.text, |(own, _)| own);
        if method.params.len() == 1 {
            return Comparison::Key(Name { text: own.clone(), span: name.span });
        }
        match equality::compared(method) {
            Some(Compared::Identity) => Comparison::Identity,
            Some(Compared::Equals) => Comparison::Equals,
            Some(Compared::By(key)) => {
                let taken = |text: &str| outside.methods.values().any(|(own, _)| own == text);
                let text = free(&format!("{own}_key"), taken);
                let key_name = Name { text, span: name.span };
                let (ty, param) = &method.params[0];
                let names = vec![Known::new(&param.text, Ty::of(ty))];
                let stmt =
                    tree::Stmt { kind: tree::StmtKind::Return(Some(key.clone())), span: key.span };
                let body = Translation::new(outside, names, self.diagnostics).block(&[stmt]);
                let list = vec![ww::Param {
                    name: param.clone(),
                    ty: Ty::of(ty).name(ty.span),
                    key: None,
                }];
                let known = self
                    .items
                    .iter()
                    .any(|i| matches!(i, ww::Item::Function(f) if f.name.text == key_name.text));
                if !known {
                    self.items.push(ww::Item::Function(ww::Function {
                        name: key_name.clone(),
                        params: ww::Params { list, variadic: false },
                        body,
                        span: method.name.span,
                    }));
                }
                Comparison::Key(key_name)
            }
            None => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::LarvaSubset,
                        method.name.span,
                        format!("`{}` does not compare the same value of both objects", name.text),
                    )
                    .also(name.span, "it decides which objects count as the same")
                    .rule("a comparison returns `a == b`, `a.equals(b)`, or one of these for a value that is computed from each object: `a % 10 == b % 10`")
                    .help("or write a method with one parameter: its results are compared"),
                );
                Comparison::Identity
            }
        }
    }

    fn variable(
        &mut self,
        variable: &'s tree::Variable,
        scope: &mut Scope<'s>,
        members: &mut Vec<ww::Member>,
    ) {
        let name = variable.name.clone();
        let span = name.span;
        match variable.ty.name.as_str() {
            "Clock" => {
                scope.outside.clocks.push(name.text.clone());
                let kind = ww::MemberKind::Clock(ww::Clock { name, stopped: false });
                members.push(ww::Member { kind, span });
            }
            "Channel" => {
                // A message belongs to the instance it was sent in.
                let keys: Vec<String> = scope.foreach.iter().map(|f| f.name.text.clone()).collect();
                let mut list: Vec<ww::Param> = scope
                    .foreach
                    .iter()
                    .map(|f| ww::Param {
                        name: f.name.clone(),
                        ty: Ty::of(&f.ty).name(f.ty.span),
                        key: None,
                    })
                    .collect();
                let value = Name { text: "value".to_string(), span };
                list.push(ww::Param { name: value, ty: None, key: None });
                let own = free(&name.text, |text| self.words.is_taken(text));
                self.words.events.insert(own.clone());
                scope.outside.channels.insert(name.text.clone(), (own.clone(), keys));
                let params = ww::Params { list, variadic: false };
                self.items.push(ww::Item::Channel(ww::Channel {
                    doc: String::new(),
                    name: Name { text: own, span },
                    params,
                }));
            }
            _ => {
                let ty = Ty::of(&variable.ty);
                let init = match &variable.init {
                    Some(e) => {
                        let names = scope.names.clone();
                        Some(Translation::new(&scope.outside, names, self.diagnostics).value(e, ty))
                    }
                    None => initial(ty, span),
                };
                // Parameters of events and names in inner scopes hide it, so it gets another name
                // there.
                let own = free(&name.text, |text| {
                    self.words.hiding.contains(text) || scope.names.iter().any(|k| k.own == text)
                });
                scope.names.push(Known { own: own.clone(), ..Known::new(&name.text, ty) });
                let name = Name { text: own, span };
                let kind =
                    ww::MemberKind::Var(ww::Var { name, ty: ty.name(variable.ty.span), init });
                members.push(ww::Member { kind, span });
            }
        }
    }

    fn property(
        &mut self,
        property: &'s tree::Property,
        scope: &Scope<'s>,
        own: &[Name],
        context: &'s tree::Context,
    ) -> ww::Property {
        let span = property.name.span;
        let mut members = Vec::new();
        self.observe(property, own, scope, &mut members);
        for arrow in &property.arrows {
            for end in [&arrow.source, &arrow.target] {
                if !property.states.iter().any(|s| s.name.text == end.text) {
                    let known = property.states.iter().map(|s| s.name.text.as_str());
                    let near = nearest(&end.text, known);
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::UnknownState,
                            end.span,
                            format!("there is no state `{}`", end.text),
                        )
                        .did_you_mean(near),
                    );
                }
            }
        }
        let start = self.start(property);
        for (at, state) in property.states.iter().enumerate() {
            let entry = Translation::new(&scope.outside, scope.names.clone(), self.diagnostics)
                .block(&state.entry);
            // An automaton that accepted is gone: it waits for nothing.
            let accepting = state.group == Group::Accepting;
            let mut transitions = Vec::new();
            let arrows = property.arrows.iter().filter(|a| a.source.text == state.name.text);
            for arrow in arrows {
                if accepting {
                    self.diagnostics.push(
                        Diagnostic::warning(
                            Code::Unreachable,
                            arrow.span,
                            "this transition leaves an accepting state and is never taken",
                        )
                        .rule("entering an accepting state ends the automaton"),
                    );
                    continue;
                }
                self.arrow(arrow, property, scope, context, &mut transitions);
            }
            if accepting {
                continue;
            }
            let kind = match state.group {
                Group::Bad => StateKind::Bad,
                _ => StateKind::Normal,
            };
            let state = ww::State {
                start: start == Some(at),
                kind,
                name: state.name.clone(),
                deadline: None,
                message: None,
                entry,
                transitions,
            };
            members.push(ww::Member { span: state.name.span, kind: ww::MemberKind::State(state) });
        }
        ww::Property {
            doc: String::new(),
            name: property.name.clone(),
            params: None,
            members,
            span,
        }
    }

    /// The start state of an automaton; reports a mistake unless there is exactly one. The message
    /// uses the terms of scripts, so a state is chosen in any case.
    fn start(&mut self, property: &tree::Property) -> Option<usize> {
        let mut starting =
            property.states.iter().enumerate().filter(|(_, s)| s.group == Group::Starting);
        let rule = "a property begins in exactly one state";
        match (starting.next(), starting.next()) {
            (Some((at, _)), None) => Some(at),
            (Some((at, first)), Some((_, second))) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::StartState,
                        second.name.span,
                        "there are two starting states",
                    )
                    .also(first.name.span, "the first")
                    .rule(rule)
                    .help("leave one in STARTING, and move the other to NORMAL"),
                );
                Some(at)
            }
            (None, _) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::StartState,
                        property.name.span,
                        format!("property `{}` has no starting state", property.name.text),
                    )
                    .rule(rule)
                    .help("declare the state in which it begins in STATES: `STARTING { s }`"),
                );
                property.states.iter().position(|s| s.group != Group::Accepting)
            }
        }
    }

    /// An automaton observes all events of its context, and those outside it that it waits for.
    fn observe(
        &mut self,
        property: &tree::Property,
        own: &[Name],
        scope: &Scope<'s>,
        members: &mut Vec<ww::Member>,
    ) {
        let span = property.name.span;
        let groups = property.arrows.iter().filter_map(|a| self.events.groups.get(&a.event.text));
        let waited = groups.flatten().filter_map(|m| match &m.waits {
            Waits::Event(name) => Some(name.clone()),
            _ => None,
        });
        let mut names: Vec<Name> = own.to_vec();
        for name in waited {
            if !names.iter().any(|n| n.text == name.text) {
                names.push(name);
            }
        }
        for name in names {
            let filter = self.events.admission.get(&name.text).copied().map(|filter| {
                let mut known = Vec::new();
                let member = Member { waits: Waits::Event(name.clone()), filters: Vec::new() };
                self.received(&member, &mut known);
                Translation::new(&scope.outside, known, self.diagnostics).expr(filter).0
            });
            members.push(ww::Member { kind: ww::MemberKind::Also(vec![name], filter), span });
        }
    }

    fn arrow(
        &mut self,
        arrow: &'s tree::Arrow,
        property: &'s tree::Property,
        scope: &Scope<'s>,
        context: &'s tree::Context,
        transitions: &mut Vec<ww::Transition>,
    ) {
        let Some(group) = self.events.groups.get(&arrow.event.text).cloned() else {
            self.diagnostics.push(unknown_event(&arrow.event, self.events.groups.keys()));
            return;
        };
        let target = property.states.iter().find(|s| s.name.text == arrow.target.text);
        for member in &group {
            let mut names = scope.names.clone();
            self.received(member, &mut names);
            let mut code = Translation::new(&scope.outside, names, self.diagnostics);
            if let Waits::Event(event) = &member.waits {
                let imports = &self.imports;
                let declared = self.events.declared.iter_mut().find(|e| e.name.text == event.text);
                code.bring = declared.map(|declared| -> Bring<'_> {
                    Box::new(|term| super::events::bring(term, declared, imports))
                });
            }
            let mut guard = None;
            for filter in &member.filters {
                guard = both(guard, Some(code.expr(filter).0));
            }
            guard = both(guard, arrow.condition.as_ref().map(|e| code.expr(e).0));
            let mut update = code.block(&arrow.action);
            code.bring = None;
            let target = match target {
                Some(state) if state.group == Group::Accepting => {
                    update.extend(code.block(&state.entry));
                    ww::Target::Drop
                }
                _ => ww::Target::State(arrow.target.clone()),
            };
            drop(code);
            for (enable, invariant) in &arrow.switches {
                if !context.invariants.iter().any(|i| i.name.text == invariant.text) {
                    self.diagnostics.push(Diagnostic::error(
                        Code::UnknownName,
                        invariant.span,
                        format!("there is no invariant `{}` in this context", invariant.text),
                    ));
                    continue;
                }
                update.extend(switch(invariant, *enable));
            }
            transitions.push(ww::Transition {
                steps: vec![ww::Step { labels: vec![self.label(member, scope, arrow)], guard }],
                keep: false,
                then: ww::Branch { update, target: Some(target), message: None },
                otherwise: None,
                span: arrow.span,
                arrow: Some(arrow.span),
            });
        }
    }

    /// Parameters of the event can be named, too, and hide variables.
    fn received(&self, member: &Member<'_>, names: &mut Names) {
        match &member.waits {
            Waits::Event(event) => {
                let declared = self.events.declared.iter().find(|e| e.name.text == event.text);
                for param in declared.iter().flat_map(|e| &e.params.list) {
                    let key = (event.text.clone(), param.name.text.clone());
                    let known = self.events.types.get(&key).copied();
                    let outer = names.iter().rev().find(|k| k.name == param.name.text);
                    let ty = known.or(outer.map(|k| k.ty)).unwrap_or(Ty::Object);
                    names.push(Known::fixed(&param.name.text, ty, "is a value of the event"));
                }
            }
            Waits::Channel(_, Some((received, ty))) => {
                let own = bound(received, names);
                let known = Known::fixed(&received.text, *ty, "is the received value");
                names.push(Known { own: own.text, ..known });
            }
            _ => {}
        }
    }

    fn label(&self, member: &Member<'_>, scope: &Scope<'_>, arrow: &tree::Arrow) -> ww::Label {
        let span = arrow.event.span;
        let kind = match &member.waits {
            Waits::Event(event) => {
                ww::LabelKind::Event(Name { text: event.text.clone(), span }, None)
            }
            Waits::Clock(clock, after) => {
                let after = ww::Duration::Fixed(*after);
                ww::LabelKind::Clock(Name { text: clock.text.clone(), span }, after)
            }
            Waits::Rings(clock) => ww::LabelKind::Rings(Name { text: clock.text.clone(), span }),
            Waits::Channel(channel, received) => {
                let known = scope.outside.channels.get(&channel.text);
                let keys = known.into_iter().flat_map(|(_, keys)| keys);
                let mut list: Vec<ww::Arg> = keys
                    .map(|key| ww::Arg {
                        kind: ww::ArgKind::Equal(Name { text: key.clone(), span }),
                        span,
                    })
                    .collect();
                let kind = match received {
                    Some((name, _)) => ww::ArgKind::Bind(bound(name, &scope.names)),
                    None => ww::ArgKind::Any,
                };
                list.push(ww::Arg { kind, span });
                let text = known.map_or(&channel.text, |(own, _)| own).clone();
                ww::LabelKind::Event(Name { text, span }, Some(ww::Args { list, rest: false }))
            }
        };
        ww::Label { kind, span }
    }

    /// The variables that store the expected value of an invariant.
    fn remember(
        &mut self,
        invariant: &'s tree::Invariant,
        scope: &mut Scope<'s>,
        members: &mut Vec<ww::Member>,
    ) {
        let span = invariant.name.span;
        scope.invariants.push((&invariant.name, &invariant.value));
        let [watched, known, value] = names_of(&invariant.name);
        let truth = |b: bool| Some(constant(watchword_model::Value::Bool(b), span));
        let bool_type = || Some(Name { text: "bool".to_string(), span });
        for var in [
            ww::Var { name: watched, ty: bool_type(), init: truth(invariant.enabled) },
            ww::Var { name: known, ty: bool_type(), init: truth(false) },
            ww::Var {
                name: value,
                ty: None,
                init: Some(constant(watchword_model::Value::Null, span)),
            },
        ] {
            members.push(ww::Member { kind: ww::MemberKind::Var(var), span });
        }
    }

    /// The automaton that reports when an invariant's value is another one than before.
    fn watch(&mut self, invariant: &'s tree::Invariant, own: &[Name]) -> ww::Property {
        use watchword_model::{BinaryOp, UnaryOp, Value};
        let span = invariant.name.span;
        let [watched, known, value] = names_of(&invariant.name);
        let read = |name: &Name| super::code::named(&name.text, span);
        let deep = |kind, depth| ww::Expr { kind, span, depth };
        let changed = deep(
            ww::ExprKind::Binary(
                BinaryOp::Ne,
                Box::new(read(&invariant.name)),
                Box::new(read(&value)),
            ),
            2,
        );
        let first = deep(ww::ExprKind::Unary(UnaryOp::Not, Box::new(read(&known))), 2);
        let assign = |name: &Name, e: ww::Expr| ww::Stmt {
            kind: ww::StmtKind::Assign(name.clone(), None, e),
            span,
        };
        let learn = || {
            vec![
                assign(&value, read(&invariant.name)),
                assign(&known, constant(Value::Bool(true), span)),
            ]
        };
        let broken = Name { text: "Broken".to_string(), span };
        let holds = Name { text: "Holds".to_string(), span };
        let transition = |event: &Name, guard, target: Option<&Name>| ww::Transition {
            steps: vec![ww::Step {
                labels: vec![ww::Label { kind: ww::LabelKind::Event(event.clone(), None), span }],
                guard,
            }],
            keep: false,
            then: ww::Branch {
                update: learn(),
                target: target.map(|t| ww::Target::State(t.clone())),
                message: None,
            },
            otherwise: None,
            span,
            arrow: Some(span),
        };
        let transitions: Vec<ww::Transition> = own
            .iter()
            .flat_map(|event| {
                let learns = both(Some(read(&watched)), Some(first.clone()));
                let breaks = both(Some(read(&watched)), Some(changed.clone()));
                [transition(event, learns, None), transition(event, breaks, Some(&broken))]
            })
            .collect();
        let state = |start: bool, kind, name: Name| ww::Member {
            kind: ww::MemberKind::State(ww::State {
                start,
                kind,
                name,
                deadline: None,
                message: None,
                entry: Vec::new(),
                transitions: transitions.clone(),
            }),
            span,
        };
        ww::Property {
            doc: String::new(),
            name: Name { text: format!("Invariant_{}", invariant.name.text), span },
            params: None,
            members: vec![
                state(true, StateKind::Normal, holds),
                state(false, StateKind::Bad, broken),
            ],
            span,
        }
    }
}

/// Reports the mistakes in the code of a method. If it uses the program, all consequences are one
/// mistake.
fn first_of(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_use = |d: &Diagnostic| d.code == Code::LarvaSubset.text();
    let Some(at) = found.iter().position(is_use) else { return found };
    let more = found.len() - 1;
    let mut first = found[at].clone();
    if more > 0 {
        let places = if more == 1 { "place" } else { "places" };
        first = first.rule(format!("{more} more {places} of this method use the program as well"));
    }
    vec![first]
}

/// The name to which a received value is bound: its own, unless a FOREACH variable has the same.
fn bound(received: &Name, names: &Names) -> Name {
    let taken = |text: &str| names.iter().any(|known| known.own == text);
    Name { text: free(&received.text, taken), span: received.span }
}

/// Whether it is watched, whether a value is known, and which.
fn names_of(invariant: &Name) -> [Name; 3] {
    ["watched", "known", "was"]
        .map(|suffix| Name { text: format!("{}_{suffix}", invariant.text), span: invariant.span })
}

fn constant(value: watchword_model::Value, span: Span) -> ww::Expr {
    ww::Expr { kind: ww::ExprKind::Const(value), span, depth: 1 }
}

/// `[enable i]` and `[disable i]`.
fn switch(invariant: &Name, enable: bool) -> Vec<ww::Stmt> {
    let [watched, known, _] = names_of(invariant);
    let set = |name: Name, value: bool| ww::Stmt {
        span: invariant.span,
        kind: ww::StmtKind::Assign(
            name,
            None,
            constant(watchword_model::Value::Bool(value), invariant.span),
        ),
    };
    vec![set(watched, enable), set(known, false)]
}
