//! Properties: options, registers, states and transitions.

use std::collections::HashMap;

use watchword_model::{
    Boxes, Branch, ContextId, Creation, Deadline, Lang, Place, Property, PropertyOrigin, Register,
    RegisterId, Severity, State, StateId, StateKind, Target, Time, Transition, Type,
};

use super::Lowering;
use super::context::{Owner, Surroundings};
use super::flow::{Edge, Flow, early_reads};
use super::label::event_scope;
use super::letters::Atoms;
use super::scope::Scope;
use super::types::stored;
use super::visit::{Use, uses};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::ltl::Ltl;
use crate::ww::tree::{self, ArgKind, LabelKind, Member, MemberKind, Name};

/// More transitions than this from one `on … or …` are refused.
const MAX_ALTERNATIVES: usize = 256;

/// The states of a property by name.
type States<'t> = HashMap<&'t str, usize>;

/// How a property is written.
pub(super) enum Form<'t> {
    States,
    Never(&'t tree::Regex),
    Only(&'t tree::Regex),
    Ltl(&'t tree::Formula),
    Proven,
}

impl Lowering<'_> {
    pub(super) fn property(&mut self, property: &tree::Property, outside: &Surroundings) {
        if let Some(first) = self.properties.insert(property.name.text.clone(), property.name.span)
        {
            self.declared_twice("property", &property.name, first);
        }
        let Some(context) = outside.id else { return };
        self.refuse_repeated(&property.members);
        let registers = self.model.contexts[context.index()].rule == Creation::Registers;
        let mut around = outside.clone();
        let mut lowered = Property {
            name: property.name.text.clone(),
            doc: property.doc.clone(),
            severity: Severity::Error,
            tags: Vec::new(),
            message: None,
            context,
            alphabet: Vec::new(),
            registers: Vec::new(),
            windows: Vec::new(),
            states: Vec::new(),
            start: StateId(0),
            transitions: Vec::new(),
            lang: Lang::Ww,
            origin: PropertyOrigin::Automaton,
            boxes: Boxes::ByIdentity,
            span: property.span,
        };
        self.settings(&property.members, &mut around);
        if registers {
            lowered.registers = self.registers(&property.members, &mut around);
            // Clocks are refused there with their reason.
            let clocks: Vec<Member> = property
                .members
                .iter()
                .filter(|m| matches!(m.kind, MemberKind::Clock(_)))
                .cloned()
                .collect();
            self.context_members(&clocks, &mut around, context);
        } else {
            self.context_members(&property.members, &mut around, context);
        }
        let mut owner = Owner {
            params: around.params.clone(),
            base: around.scope.clone(),
            alphabet: Vec::new(),
            registers,
            span: property.name.span,
        };
        let form = self.form(property);
        self.windows(&property.members, &form, context, &mut owner, &mut lowered);
        if matches!(form, Some(Form::States)) && !registers {
            owner.base = owner.base.behind(Scope::of_now());
        }
        match form {
            Some(Form::States) => self.states(&property.members, &mut owner, &mut lowered),
            Some(Form::Proven) => proven(&mut lowered),
            _ => {}
        }
        let atoms = Atoms::beside(lowered.windows.clone(), context);
        let compiled = form.and_then(|form| self.atoms(form, atoms, property, &mut owner));
        // Patterns and formulas are compiled over the whole alphabet, which is complete only now.
        self.options(&property.members, &mut owner, context, &mut lowered);
        self.refuse_endless(&lowered);
        match compiled {
            Some((Form::Never(regex), atoms, text, _)) => {
                self.never(regex, text, &atoms, &owner, &mut lowered);
            }
            Some((Form::Only(regex), atoms, text, _)) => {
                self.only(regex, text, &atoms, &owner, &mut lowered);
            }
            Some((Form::Ltl(formula), atoms, text, Some(ltl))) => {
                self.windows_of_formula(&atoms.windows, context, &owner, &mut lowered);
                self.ltl(formula, &ltl, text, &atoms, &owner, &mut lowered);
            }
            _ => {}
        }
        lowered.alphabet = owner.alphabet;
        self.model.properties.push(lowered);
    }

    /// The atoms of a pattern or formula, with its text.
    fn atoms<'t>(
        &mut self,
        form: Form<'t>,
        mut atoms: Atoms,
        property: &tree::Property,
        owner: &mut Owner,
    ) -> Option<(Form<'t>, Atoms, String, Option<Ltl>)> {
        let (what, span) = match &form {
            Form::States | Form::Proven => return None,
            Form::Never(regex) => ("never", regex.span),
            Form::Only(regex) => ("only", regex.span),
            Form::Ltl(formula) => ("ltl", formula.span),
        };
        if owner.registers {
            self.report(
                Diagnostic::error(
                    Code::NotInRegisters,
                    span,
                    format!("`{what}` needs a property with parameters"),
                )
                .also(owner.span(), "this property has registers")
                .rule(
                    "patterns and formulas are about the events of a slice; without a parameter list there are no slices",
                )
                .help(format!(
                    "write `property {}()` for one slice of all events, or name parameters",
                    property.name.text
                )),
            );
            return None;
        }
        let mut ltl = None;
        match &form {
            Form::States | Form::Proven => {}
            Form::Never(regex) | Form::Only(regex) => {
                self.regex_atoms(regex, owner, &mut atoms)?;
            }
            Form::Ltl(formula) => {
                atoms.promise = self.promise(formula, owner)?;
                ltl = Some(self.formula_atoms(formula, owner, &mut atoms)?);
            }
        }
        Some((form, atoms, self.text(span), ltl))
    }

    /// Options that can be given once.
    fn refuse_repeated(&mut self, members: &[Member]) {
        let single = |m: &Member| match m.kind {
            MemberKind::Severity(_) => Some("severity"),
            MemberKind::Message(_) => Some("message"),
            MemberKind::Rule(_) => Some("rule"),
            MemberKind::BoxesByValue => Some("boxes by value"),
            _ => None,
        };
        for (i, member) in members.iter().enumerate() {
            let Some(word) = single(member) else { continue };
            if let Some(first) = members[..i].iter().find(|m| single(m) == Some(word)) {
                self.report(
                    Diagnostic::error(
                        Code::OptionTwice,
                        member.span,
                        format!("`{word}` is given twice"),
                    )
                    .also(first.span, "first option here"),
                );
            }
        }
    }

    fn form<'t>(&mut self, property: &'t tree::Property) -> Option<Form<'t>> {
        let mut form: Option<(Form<'t>, &Member)> = None;
        for member in &property.members {
            let this = match &member.kind {
                MemberKind::State(_) => Form::States,
                MemberKind::Never(regex) => Form::Never(regex),
                MemberKind::Only(regex) => Form::Only(regex),
                MemberKind::Ltl(formula) => Form::Ltl(formula),
                MemberKind::Proven => Form::Proven,
                _ => continue,
            };
            match &form {
                None => form = Some((this, member)),
                Some((Form::States, _)) if matches!(this, Form::States) => {}
                Some((_, first)) => {
                    self.report(
                        Diagnostic::error(
                            Code::TwoForms,
                            member.span,
                            "this property has two forms",
                        )
                        .also(first.span, "the first form is here")
                        .rule("a property has either states, or one `never`, one `only`, one `ltl` or `proven`")
                        .help("write two properties"),
                    );
                    return None;
                }
            }
        }
        if form.is_none() {
            self.report(
                Diagnostic::error(
                    Code::EmptyBody,
                    property.name.span,
                    format!("property `{}` has no states, pattern or formula", property.name.text),
                )
                .rule("a property has states, a `never`, an `only` or an `ltl` line"),
            );
        }
        form.map(|(form, _)| form)
    }

    fn options(
        &mut self,
        members: &[Member],
        owner: &mut Owner,
        context: ContextId,
        lowered: &mut Property,
    ) {
        for member in members {
            match &member.kind {
                MemberKind::Severity(severity) => lowered.severity = *severity,
                MemberKind::Tags(tags) => {
                    lowered.tags.extend(tags.iter().map(|t| t.text.clone()));
                }
                MemberKind::Message(template) => {
                    self.flow.clear();
                    lowered.message = Some(self.template(template, &owner.base));
                    self.flow.clear();
                }
                MemberKind::BoxesByValue if !owner.registers => {
                    self.report(
                        Diagnostic::error(
                            Code::RegistersOnly,
                            member.span,
                            "a property with parameters compares values by their declared types",
                        )
                        .rule("`boxes by value` is for properties with registers")
                        .help("declare the type of the parameter: `string`, `int`, `bool`, …"),
                    );
                }
                MemberKind::BoxesByValue => lowered.boxes = Boxes::ByValue,
                MemberKind::Also(names, Some(filter)) => {
                    for name in names {
                        self.filter(name, filter, owner);
                    }
                }
                MemberKind::Also(names, None) | MemberKind::Creation(names) => {
                    for name in names {
                        if let Some(event) = self.event_named(name) {
                            let decl = self.model.events[event.index()].clone();
                            let placement = owner.placement_by_name(&decl);
                            if owner.alphabet.iter().all(|o| o.event != event)
                                || matches!(member.kind, MemberKind::Also(..))
                            {
                                owner.observe(event, placement);
                            }
                        }
                    }
                }
                MemberKind::Ends(name, label) => {
                    if owner.registers {
                        self.report(
                            Diagnostic::error(
                                Code::SlicedOnly,
                                member.span,
                                "a property with registers has no parameters that end",
                            )
                            .rule("configurations end with `-> drop`"),
                        );
                        continue;
                    }
                    self.end_of_life(name, label, owner, context);
                }
                _ => {}
            }
        }
    }

    /// `also e if …`: of this event, only these exist for the property.
    fn filter(&mut self, name: &Name, filter: &tree::Expr, owner: &mut Owner) {
        let Some(event) = self.event_named(name) else { return };
        let decl = self.model.events[event.index()].clone();
        if owner.alphabet.iter().all(|o| o.event != event) {
            owner.observe(event, owner.placement_by_name(&decl));
        }
        self.locals = 0;
        let scope = owner.base.settings().behind(event_scope(&decl));
        let condition = self.condition(filter, &scope);
        let observed = owner.alphabet.iter_mut().find(|o| o.event == event);
        let known = observed.and_then(|o| o.filter.replace(condition));
        if known.is_some() {
            self.report(
                Diagnostic::error(
                    Code::OptionTwice,
                    name.span,
                    format!("a condition for `{}` is given twice", name.text),
                )
                .rule("an event is observed under one condition")
                .help("join the conditions with `and` or `or`"),
            );
        }
    }

    /// Registers: declared variables first, then binders in the order they are written.
    fn registers(&mut self, members: &[Member], around: &mut Surroundings) -> Vec<Register> {
        let mut registers: Vec<Register> = Vec::new();
        for member in members {
            let MemberKind::Var(var) = &member.kind else { continue };
            self.refuse_taken(&var.name, &around.scope, "variable");
            let declared = var.ty.as_ref().map(|ty| self.variable_type(ty));
            let (init, found) = match (&var.init, declared) {
                (Some(init), Some(ty)) => (Some(self.expr_as(init, ty, &Scope::default())), ty),
                (Some(init), None) => {
                    let (init, found) = self.expr(init, &Scope::default());
                    (Some(init), found)
                }
                (None, ty) => (None, ty.unwrap_or(Type::Any)),
            };
            let id = RegisterId::from_index(registers.len());
            around.scope.add(&var.name.text, Place::Register(id), found, var.name.span);
            self.guessed.extend(declared.is_none().then_some(var.name.span));
            registers.push(Register {
                name: var.name.text.clone(),
                ty: stored(found),
                init,
                span: var.name.span,
            });
        }
        let mut bound: Vec<&Name> = Vec::new();
        uses(members, &mut |u| {
            let Use::Label(label) = u else { return };
            let LabelKind::Event(_, Some(args)) = &label.kind else { return };
            for arg in &args.list {
                if let ArgKind::Bind(name) = &arg.kind {
                    bound.push(name);
                }
            }
        });
        for name in bound {
            if registers.iter().any(|r| r.name == name.text) {
                continue;
            }
            let ty = self.register_type(&name.text, members);
            let id = RegisterId::from_index(registers.len());
            around.scope.add(&name.text, Place::Register(id), ty, name.span);
            registers.push(Register { name: name.text.clone(), ty, init: None, span: name.span });
        }
        registers
    }

    fn states(&mut self, members: &[Member], owner: &mut Owner, lowered: &mut Property) {
        let states: Vec<&tree::State> = members
            .iter()
            .filter_map(|m| if let MemberKind::State(s) = &m.kind { Some(s) } else { None })
            .collect();
        let mut names = States::new();
        for (i, state) in states.iter().enumerate() {
            match names.get(state.name.text.as_str()) {
                Some(first) => {
                    self.declared_twice("state", &state.name, states[*first].name.span);
                }
                None => {
                    names.insert(&state.name.text, i);
                }
            }
        }
        self.start_state(&states, lowered);
        let whole = members.iter().find_map(|m| match &m.kind {
            MemberKind::Message(template) => Some(template),
            _ => None,
        });
        let mut edges = Vec::new();
        let mut entries = Vec::new();
        for (i, state) in states.iter().enumerate() {
            self.locals = 0;
            self.flow.clear();
            let entry = self.block(&state.entry, &mut owner.base.clone());
            // A report about a state comes after its entry action, whichever transition entered it.
            let message = state.message.as_ref().map(|m| self.template(m, &owner.base));
            if state.kind != StateKind::Normal
                && let Some(whole) = whole
            {
                self.template(whole, &owner.base);
            }
            entries.push(std::mem::take(&mut self.flow));
            let deadline = state.deadline.as_ref().map(|deadline| {
                self.locals = 0;
                let mut scope = owner.base.clone();
                let (branch, after) = self.branch(&deadline.branch, &mut scope, &names);
                edges.push(Edge {
                    source: i,
                    target: target_index(branch.target),
                    flow: std::mem::take(&mut self.flow),
                    after,
                });
                let known = self.duration(&deadline.after, &owner.base);
                // Where it is not known, that is the only error.
                let after = known.unwrap_or(Time::MAX);
                Deadline { after, branch }
            });
            lowered.states.push(State {
                name: state.name.text.clone(),
                kind: state.kind,
                message,
                entry,
                deadline,
                span: state.name.span,
            });
        }
        for (i, state) in states.iter().enumerate() {
            for transition in &state.transitions {
                self.transition(i, transition, owner, &names, lowered, &mut edges);
            }
        }
        if owner.registers && !lowered.states.is_empty() {
            self.report_early_reads(lowered, &edges, &entries);
            self.refuse_deadlines_beside_rows(&states, lowered);
        }
    }

    /// Look-ahead and deadlines cannot be combined: pending sequences would have to be ordered with
    /// deadlines.
    fn refuse_deadlines_beside_rows(&mut self, states: &[&tree::State], lowered: &Property) {
        let Some(row) = lowered.transitions.iter().find(|t| t.labels.len() > 1) else { return };
        for state in states.iter().filter(|s| s.deadline.is_some()) {
            self.report(
                Diagnostic::error(
                    Code::SlicedOnly,
                    state.name.span,
                    format!("state `{}` cannot have a deadline", state.name.text),
                )
                .also(row.span, "this transition takes several events")
                .rule(
                    "a property with registers has deadlines or transitions of several events, \
                     not both",
                )
                .help("add a state between the events"),
            );
        }
    }

    fn start_state(&mut self, states: &[&tree::State], lowered: &mut Property) {
        let starts: Vec<usize> =
            states.iter().enumerate().filter(|(_, s)| s.start).map(|(i, _)| i).collect();
        match starts[..] {
            [] => {
                let Some(first) = states.first() else { return };
                self.report(
                    Diagnostic::error(
                        Code::StartState,
                        first.name.span,
                        "no state is the start state",
                    )
                    .rule("a property begins in exactly one state")
                    .help(format!("mark it: `start state {}`", first.name.text)),
                );
            }
            [start] => lowered.start = StateId::from_index(start),
            [start, second, ..] => {
                lowered.start = StateId::from_index(start);
                self.report(
                    Diagnostic::error(
                        Code::StartState,
                        states[second].name.span,
                        "there are two start states",
                    )
                    .also(states[start].name.span, "the first")
                    .rule("a property begins in exactly one state"),
                );
            }
        }
    }

    fn transition(
        &mut self,
        source: usize,
        transition: &tree::Transition,
        owner: &mut Owner,
        states: &States<'_>,
        lowered: &mut Property,
        edges: &mut Vec<Edge>,
    ) {
        self.check_regime(transition, owner);
        let count = transition.steps.iter().map(|s| s.labels.len()).fold(1, usize::saturating_mul);
        if count > MAX_ALTERNATIVES {
            self.report(
                Diagnostic::error(
                    Code::TooManyAlternatives,
                    transition.span,
                    format!("these alternatives stand for {count} transitions"),
                )
                .rule(format!("one `on` stands for at most {MAX_ALTERNATIVES} transitions"))
                .help("write them as several transitions"),
            );
            return;
        }
        // Every choice of alternatives is a transition, in the order they are written.
        for choice in 0..count {
            let mut rest = choice;
            let mut chosen = Vec::new();
            for step in transition.steps.iter().rev() {
                chosen.push((&step.labels[rest % step.labels.len()], step.guard.as_ref()));
                rest /= step.labels.len();
            }
            chosen.reverse();
            self.one_transition(source, transition, &chosen, owner, states, lowered, edges);
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "every transition of a sequence must have the same source"
    )]
    fn one_transition(
        &mut self,
        source: usize,
        transition: &tree::Transition,
        chosen: &[(&tree::Label, Option<&tree::Expr>)],
        owner: &mut Owner,
        states: &States<'_>,
        lowered: &mut Property,
        edges: &mut Vec<Edge>,
    ) {
        self.locals = 0;
        self.flow.clear();
        let mut labels = Vec::new();
        let mut scope = owner.base.clone();
        for (label, guard) in chosen {
            let Some(parts) = self.label(label, owner) else { continue };
            let mut label = parts.label;
            // The event's own parameters hide nothing; names that the label binds hide them.
            scope = owner.base.behind(parts.args);
            scope.append(parts.locals);
            label.guard = guard.map(|g| self.guard(g, label.span, &scope));
            self.flow.extend(parts.writes.into_iter().map(Flow::Write));
            labels.push(label);
        }
        if labels.len() < chosen.len() {
            return;
        }
        let before_branch = self.flow.clone();
        let (then, after) = self.branch(&transition.then, &mut scope.clone(), states);
        edges.push(Edge {
            source,
            target: edge_target(then.target, source),
            flow: std::mem::take(&mut self.flow),
            after,
        });
        let otherwise = transition.otherwise.as_ref().map(|(_, branch)| {
            self.flow = before_branch;
            self.branch(branch, &mut scope, states).0
        });
        self.flow.clear();
        lowered.transitions.push(Transition {
            source: StateId::from_index(source),
            labels,
            keep: transition.keep,
            then,
            otherwise,
            span: transition.span,
        });
    }

    fn check_regime(&mut self, transition: &tree::Transition, owner: &Owner) {
        if !owner.registers {
            if transition.steps.len() > 1 {
                self.report(
                    Diagnostic::error(
                        Code::RegistersOnly,
                        transition.span,
                        "`then` is allowed only in properties with registers",
                    )
                    .also(owner.span(), "this property has parameters")
                    .rule("a transition of a sliced property takes one event")
                    .help("add a state between the two events"),
                );
            }
            if let (true, Some(arrow)) = (transition.keep, transition.arrow) {
                self.report(
                    Diagnostic::error(
                        Code::RegistersOnly,
                        arrow,
                        "`=>` is allowed only in properties with registers",
                    )
                    .also(owner.span(), "this property has parameters")
                    .rule("an instance of a sliced property is in one state; it cannot fork")
                    .help("write `->`, or remove the parameter list"),
                );
            }
        }
        if let Some((span, _)) = &transition.otherwise {
            if owner.registers {
                self.report(
                    Diagnostic::error(
                        Code::SlicedOnly,
                        *span,
                        "`else` is not allowed in a property with registers",
                    )
                    .rule("all enabled transitions are taken, so there is no order for an `else`")
                    .help("write a second transition with the opposite guard"),
                );
            } else if transition.steps.iter().all(|s| s.guard.is_none()) {
                self.report(
                    Diagnostic::error(Code::ElseWithoutIf, *span, "this `else` has no guard")
                        .rule("`else` says what happens when the guard is false")
                        .help("add a guard: `on e(x) if … -> … else -> …`"),
                );
            }
        }
    }

    /// A branch, and the places that its message reads.
    fn branch(
        &mut self,
        branch: &tree::Branch,
        scope: &mut Scope,
        states: &States<'_>,
    ) -> (Branch, Vec<Flow>) {
        let update = self.block(&branch.update, scope);
        let target = match &branch.target {
            None => Target::Stay,
            Some(tree::Target::Drop) => Target::Drop,
            Some(tree::Target::State(name)) => match states.get(name.text.as_str()).copied() {
                Some(state) => Target::State(StateId::from_index(state)),
                None => {
                    self.unknown_state(name, states);
                    Target::Stay
                }
            },
        };
        let flow = std::mem::take(&mut self.flow);
        let message = branch.message.as_ref().map(|m| self.template(m, scope));
        let after = std::mem::replace(&mut self.flow, flow);
        (Branch { update, target, message }, after)
    }

    fn unknown_state(&mut self, name: &Name, states: &States<'_>) {
        let near = nearest(&name.text, states.keys().copied());
        self.report(
            Diagnostic::error(
                Code::UnknownState,
                name.span,
                format!("there is no state `{}`", name.text),
            )
            .help(format!("declare it: `state {}`", name.text))
            .did_you_mean(near),
        );
    }

    fn report_early_reads(&mut self, lowered: &Property, edges: &[Edge], entries: &[Vec<Flow>]) {
        let initial = lowered.registers.iter().map(|r| r.init.is_some()).collect();
        let start = lowered.start.index();
        for read in early_reads(lowered.states.len(), start, initial, edges, entries) {
            let register = &lowered.registers[read.register.index()];
            let name = &register.name;
            self.report(
                Diagnostic::error(
                    Code::ReadBeforeWrite,
                    read.span,
                    format!("`{name}` may be read here before it is written"),
                )
                .also(register.span, "written here, on another path or later")
                .rule("a label reads before it writes, and registers are empty at first")
                .help(
                    "write it on every path to this state. For the value of this event, use the event's own parameter name, with `_` in the label",
                ),
            );
        }
    }
}

fn target_index(target: Target) -> Option<usize> {
    if let Target::State(state) = target { Some(state.index()) } else { None }
}

/// Staying leads to the current state. Nothing is entered, but written registers keep their values.
fn edge_target(target: Target, source: usize) -> Option<usize> {
    match target {
        Target::State(state) => Some(state.index()),
        Target::Stay => Some(source),
        Target::Drop => None,
    }
}

/// An automaton without transitions, for a proven property.
fn proven(lowered: &mut Property) {
    lowered.states.push(State {
        name: "proven".to_string(),
        kind: StateKind::Normal,
        deadline: None,
        message: None,
        entry: Vec::new(),
        span: lowered.span,
    });
    lowered.origin = PropertyOrigin::Proven;
}
