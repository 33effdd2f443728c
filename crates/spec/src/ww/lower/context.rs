//! Contexts, variables and clocks: what surrounds an automaton.

use watchword_model::{
    Clock, ClockId, Context, ContextId, Creation, EndOfLife, Observed, Param, ParamId, Place, Span,
    Type, VarId, Variable,
};

use super::Lowering;
use super::scope::Scope;
use super::stmt::default_value;
use super::types::{join, stored};
use super::visit::{Use, uses};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::tree::{self, ArgKind, File, Item, LabelKind, Member, MemberKind, Name, Rule};

/// The property that labels and expressions are lowered for.
pub(super) struct Owner {
    /// Parameters of the whole chain, outermost first.
    pub params: Vec<(String, Type)>,
    /// Parameters, variables and registers.
    pub base: Scope,
    pub alphabet: Vec<Observed>,
    pub registers: bool,
    pub span: Span,
}

/// A context while its members are lowered.
#[derive(Clone, Default)]
pub(super) struct Surroundings {
    pub id: Option<ContextId>,
    pub params: Vec<(String, Type)>,
    pub spans: Vec<Span>,
    /// Variables of all contexts around.
    pub scope: Scope,
    /// The names of the contexts around, with dots.
    pub path: String,
}

impl Lowering<'_> {
    pub(super) fn bodies(&mut self, files: &[File]) {
        for item in files.iter().flat_map(|f| &f.items) {
            match item {
                Item::Property(property) => self.top_level(property),
                Item::Context(context) => self.context(context, &Surroundings::default()),
                _ => {}
            }
        }
    }

    /// A property outside contexts has a context of its own.
    fn top_level(&mut self, property: &tree::Property) {
        let rule = self.rule_of(property);
        let creation = self.creation_of(property, &rule);
        let rule = match (creation, rule) {
            (_, Creation::Registers) => Creation::Registers,
            (creation, Creation::ChenRosu { .. }) => Creation::ChenRosu { creation },
            (_, rule) => rule,
        };
        let params = property.params.clone().unwrap_or_default();
        let mut around = Surroundings { path: property.name.text.clone(), ..Default::default() };
        let clocks = self.clocks.len();
        self.open_context(&mut around, &params, &[&property.members], None, rule);
        self.property(property, &around);
        self.clocks.truncate(clocks);
    }

    fn rule_of(&mut self, property: &tree::Property) -> Creation {
        let mut rule = None;
        for member in &property.members {
            if let MemberKind::Rule(r) = member.kind {
                if property.params.is_none() {
                    self.report(
                        Diagnostic::error(
                            Code::OptionMisplaced,
                            member.span,
                            "`rule` does not apply to a property with registers",
                        )
                        .rule("a property without a parameter list has one set of configurations, and no instances")
                        .help(format!("give it parameters: `property {}(…)`", property.name.text)),
                    );
                }
                rule = Some(r);
            }
        }
        match (&property.params, rule) {
            (None, _) => Creation::Registers,
            (Some(_), Some(Rule::Verde)) => Creation::Verde,
            (Some(_), Some(Rule::Larva)) => Creation::Larva,
            (Some(_), Some(Rule::ChenRosu) | None) => Creation::ChenRosu { creation: Vec::new() },
        }
    }

    fn creation_of(
        &mut self,
        property: &tree::Property,
        rule: &Creation,
    ) -> Vec<watchword_model::EventId> {
        let mut events = Vec::new();
        for member in &property.members {
            let MemberKind::Creation(names) = &member.kind else { continue };
            if !matches!(rule, Creation::ChenRosu { .. }) {
                self.report(
                    Diagnostic::error(
                        Code::OptionMisplaced,
                        member.span,
                        "`creation` does not apply here",
                    )
                    .rule("creation events belong to the rule `chen-rosu` of sliced properties"),
                );
                continue;
            }
            for name in names {
                if let Some(event) = self.event_named(name)
                    && !events.contains(&event)
                {
                    events.push(event);
                }
            }
        }
        events
    }

    /// Makes a context inside `around`; `around` then describes the inside of it.
    fn open_context(
        &mut self,
        around: &mut Surroundings,
        params: &tree::Params,
        members: &[&[Member]],
        parent: Option<ContextId>,
        rule: Creation,
    ) -> ContextId {
        let id = ContextId::from_index(self.model.contexts.len());
        let first = around.params.len();
        let mut own = Vec::new();
        let mut keys = Vec::new();
        for param in &params.list {
            if let Some(i) = around.params.iter().position(|(n, _)| *n == param.name.text) {
                let span = around.spans[i];
                self.declared_twice("parameter", &param.name, span);
            }
            let ty = match &param.ty {
                Some(ty) => self.type_named(ty),
                None => self.inferred(&param.name.text, members),
            };
            around.params.push((param.name.text.clone(), ty));
            around.spans.push(param.name.span);
            own.push(Param { name: param.name.text.clone(), ty });
            keys.push(param.key.as_ref().map(|key| {
                let mut scope = Scope::default();
                scope.add(&param.name.text, Place::Arg(0), ty, param.name.span);
                self.expr(key, &scope).0
            }));
        }
        if params.variadic {
            let span = params.list.last().map_or(Span::NONE, |p| p.name.span);
            self.report(
                Diagnostic::error(Code::OptionMisplaced, span, "`..` does not apply here")
                    .rule("only events have further arguments"),
            );
        }
        self.model.contexts.push(Context {
            parent,
            params: own,
            keys,
            rule,
            variables: Vec::new(),
            clocks: Vec::new(),
            ends: Vec::new(),
        });
        around.id = Some(id);
        // Parameters hide variables further out.
        for (i, (name, ty)) in around.params.iter().enumerate().skip(first) {
            around.scope.add(name, Place::Param(ParamId::from_index(i)), *ty, around.spans[i]);
        }
        id
    }

    /// The type the events give a parameter that was declared without one.
    fn inferred(&self, name: &str, members: &[&[Member]]) -> Type {
        let mut found: Option<Type> = None;
        let mut add = |ty: Type| found = Some(found.map_or(ty, |f| join(f, ty)));
        for members in members {
            uses(members, &mut |u| {
                let (event, args) = match u {
                    Use::Label(label) => match &label.kind {
                        LabelKind::Event(event, args) => (event, args.as_ref()),
                        _ => return,
                    },
                    Use::Name(event) => (event, None),
                };
                let Some(entry) = self.events.get(&event.text) else { return };
                let decl = &self.model.events[entry.id.index()];
                match args {
                    None => {
                        if let Some(i) = decl.param(name) {
                            add(decl.params[i].ty);
                        }
                    }
                    Some(args) => {
                        for (arg, param) in args.list.iter().zip(&decl.params) {
                            if let ArgKind::Equal(n) | ArgKind::Bind(n) = &arg.kind
                                && n.text == name
                            {
                                add(param.ty);
                            }
                        }
                    }
                }
            });
        }
        found.unwrap_or(Type::Any)
    }

    /// The type the binders give a register.
    pub(super) fn register_type(&self, name: &str, members: &[Member]) -> Type {
        self.inferred(name, &[members])
    }

    /// Variables, clocks and ends of a context.
    pub(super) fn context_members(
        &mut self,
        members: &[Member],
        around: &mut Surroundings,
        id: ContextId,
    ) {
        for member in members {
            match &member.kind {
                MemberKind::Var(var) => self.variable(var, around, id),
                MemberKind::Clock(clock) => self.clock(clock, around, id),
                _ => {}
            }
        }
    }

    fn variable(&mut self, var: &tree::Var, around: &mut Surroundings, id: ContextId) {
        self.refuse_taken(&var.name, &around.scope, "variable");
        let declared = var.ty.as_ref().map(|ty| self.variable_type(ty));
        let (init, found) = match (&var.init, declared) {
            (Some(init), Some(ty)) => (self.expr_as(init, ty, &around.scope), ty),
            (Some(init), None) => self.expr(init, &around.scope),
            (None, ty) => {
                (watchword_model::Expr::Const(default_value(ty)), ty.unwrap_or(Type::Any))
            }
        };
        let ty = declared.unwrap_or(found);
        let place = VarId::from_index(self.model.variables.len());
        self.model.variables.push(Variable {
            name: var.name.text.clone(),
            ty: stored(ty),
            init,
            context: id,
            span: var.name.span,
        });
        self.model.contexts[id.index()].variables.push(place);
        around.scope.add(&var.name.text, Place::Var(place), ty, var.name.span);
        self.guessed.extend(declared.is_none().then_some(var.name.span));
    }

    /// Reports a declaration whose name means something in the same property already.
    pub(super) fn refuse_taken(&mut self, name: &Name, scope: &Scope, what: &str) {
        if let Some(first) = scope.find(&name.text) {
            self.declared_twice(what, name, first.span);
        }
    }

    fn clock(&mut self, clock: &tree::Clock, around: &Surroundings, id: ContextId) {
        if self.model.contexts[id.index()].rule == Creation::Registers {
            self.report(
                Diagnostic::error(
                    Code::SlicedOnly,
                    clock.name.span,
                    "a property with registers has no clocks",
                )
                .rule("a clock belongs to an instance; configurations have deadlines instead")
                .help("use `state NAME within 5 s else TARGET`, or give the property parameters"),
            );
            return;
        }
        let place = ClockId::from_index(self.model.clocks.len());
        self.model.clocks.push(Clock {
            name: clock.name.text.clone(),
            alarms: Vec::new(),
            rings: None,
            autostart: !clock.stopped,
            since: None,
            context: id,
        });
        self.clock_owners.push(around.path.clone());
        self.model.contexts[id.index()].clocks.push(place);
        self.clocks.push((clock.name.text.clone(), place));
    }

    /// `ends x on e(x)`; the event's argument that ends the parameter's life.
    pub(super) fn end_of_life(
        &mut self,
        name: &Name,
        label: &tree::Label,
        owner: &mut Owner,
        id: ContextId,
    ) {
        let Some(param) = owner.params.iter().position(|(n, _)| *n == name.text) else {
            let near = crate::diagnostic::nearest(
                &name.text,
                owner.params.iter().map(|(n, _)| n.as_str()),
            );
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    name.span,
                    format!("`{}` is not a parameter", name.text),
                )
                .rule("`ends x on e(x)` says when the life of a parameter's value ends")
                .did_you_mean(near),
            );
            return;
        };
        let param = ParamId::from_index(param);
        let Some(lowered) = self.label(label, owner) else { return };
        let Some(event) = lowered.label.event else { return };
        let equal = |p: &watchword_model::Pattern| matches!(p, watchword_model::Pattern::Equal(Place::Param(q)) if *q == param);
        let Some(arg) = lowered.label.args.iter().position(equal) else {
            self.report(
                Diagnostic::error(
                    Code::OptionMisplaced,
                    label.span,
                    format!("this event does not carry `{}`", name.text),
                )
                .rule("the event that ends the life of a value must have this value as an argument")
                .help(format!("name it in the label: `ends {0} on e({0})`", name.text)),
            );
            return;
        };
        self.model.contexts[id.index()].ends.push(EndOfLife { param, event, arg: arg as u32 });
    }

    /// A context with what is inside it.
    fn context(&mut self, context: &tree::Context, outer: &Surroundings) {
        // Those of a script have no names.
        let named = !context.name.text.is_empty();
        if named
            && let Some(first) = self.contexts.insert(context.name.text.clone(), context.name.span)
        {
            self.declared_twice("context", &context.name, first);
        }
        let mut around = outer.clone();
        if named {
            around.path = match outer.path.as_str() {
                "" => context.name.text.clone(),
                path => format!("{path}.{}", context.name.text),
            };
        }
        let mut all = Vec::new();
        collect_members(context, &mut all);
        let params = context.params.clone().unwrap_or_default();
        let clocks = self.clocks.len();
        let id = self.open_context(&mut around, &params, &all, outer.id, Creation::Larva);
        self.settings(&context.members, &mut around);
        self.context_members(&context.members, &mut around, id);
        for member in &context.members {
            match &member.kind {
                MemberKind::Var(_) | MemberKind::Clock(_) | MemberKind::Setting(_) => {}
                MemberKind::Ends(..) if outer.id.is_some() => self.report(
                    Diagnostic::error(
                        Code::OptionMisplaced,
                        member.span,
                        "`ends` belongs to the outermost context",
                    )
                    .rule("when an instance of it ends, all inner instances end, too")
                    .help("end the instances of an inner context with `-> drop`"),
                ),
                MemberKind::Ends(name, label) => {
                    let mut owner = Owner {
                        params: around.params.clone(),
                        base: around.scope.clone(),
                        alphabet: Vec::new(),
                        registers: false,
                        span: context.name.span,
                    };
                    self.end_of_life(name, label, &mut owner, id);
                }
                _ => self.report(
                    Diagnostic::error(
                        Code::OptionMisplaced,
                        member.span,
                        "this is not allowed in a context",
                    )
                    .rule(
                        "a context contains params, variables, clocks, `ends`, properties and contexts",
                    )
                    .help("write it in a property of the context"),
                ),
            }
        }
        for property in &context.properties {
            self.inner_property(property, &around, id);
        }
        for inner in &context.contexts {
            self.context(inner, &around);
        }
        self.clocks.truncate(clocks);
    }

    fn inner_property(&mut self, property: &tree::Property, around: &Surroundings, id: ContextId) {
        if property.params.is_some() {
            self.report(
                Diagnostic::error(
                    Code::OptionMisplaced,
                    property.name.span,
                    "a property of a context has no parameters of its own",
                )
                .rule("its parameters are those of the context and of the contexts around it")
                .help("move it to an inner context with these parameters"),
            );
        }
        for member in &property.members {
            if let MemberKind::Rule(_) | MemberKind::Creation(_) = member.kind {
                self.report(
                    Diagnostic::error(
                        Code::OptionMisplaced,
                        member.span,
                        "this does not apply to a property of a context",
                    )
                    .rule("contexts have a rule of their own: instances begin in the start state"),
                );
            }
        }
        let clocks = self.clocks.len();
        let mut around = around.clone();
        around.path = format!("{}.{}", around.path, property.name.text);
        around.id = Some(id);
        self.property(property, &around);
        self.clocks.truncate(clocks);
    }
}

fn collect_members<'t>(context: &'t tree::Context, all: &mut Vec<&'t [Member]>) {
    all.push(&context.members);
    for property in &context.properties {
        all.push(&property.members);
    }
    for inner in &context.contexts {
        collect_members(inner, all);
    }
}
