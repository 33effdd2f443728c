//! Labels: patterns, placements and the alphabet.

use watchword_model::{
    Alarm, Arity, ClockId, EventDecl, EventId, Label, Observed, Origin, ParamId, Pattern, Place,
    Placement, RegisterId, Span, Time, Type, Value,
};

use super::Lowering;
use super::context::Owner;
use super::flow::Flow;
use super::scope::{EventArgs, Meaning, Scope};
use super::types::constant;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::{self, Arg, ArgKind, LabelKind, Name};

/// A label and what else is known of it.
pub(super) struct Lowered {
    pub label: Label,
    /// Registers its binders write.
    pub writes: Vec<RegisterId>,
    /// Names its binders make, and the event's own parameters, for guard and updates.
    pub locals: Scope,
    pub args: Scope,
}

impl Lowering<'_> {
    /// A label without its guard; the property observes its event.
    pub(super) fn label(&mut self, label: &tree::Label, owner: &mut Owner) -> Option<Lowered> {
        let empty = |event| Lowered {
            label: Label {
                event,
                arity: Arity::Any,
                args: Vec::new(),
                guard: None,
                span: label.span,
            },
            writes: Vec::new(),
            locals: Scope::default(),
            args: Scope::default(),
        };
        match &label.kind {
            LabelKind::Any => {
                let mut any = empty(None);
                any.args.event = Some(EventArgs { types: Vec::new(), more: true });
                Some(any)
            }
            LabelKind::End => {
                owner.observe(EventId::END, Placement::default());
                Some(empty(Some(EventId::END)))
            }
            LabelKind::Clock(name, after) => {
                let clock = self.clock_named(name)?;
                let after = self.duration(after, &owner.base)?;
                let event = self.alarm(clock, after);
                owner.observe(event, Placement::default());
                Some(empty(Some(event)))
            }
            LabelKind::Rings(name) => {
                let clock = self.clock_named(name)?;
                let event = self.ring(clock);
                owner.observe(event, Placement::default());
                Some(empty(Some(event)))
            }
            LabelKind::Event(name, args) => self.event_label(label, name, args.as_ref(), owner),
        }
    }

    fn event_label(
        &mut self,
        label: &tree::Label,
        name: &Name,
        args: Option<&tree::Args>,
        owner: &mut Owner,
    ) -> Option<Lowered> {
        let id = self.event_named(name)?;
        let decl = self.model.events[id.index()].clone();
        let own = event_scope(&decl);
        let mut lowered = Lowered {
            label: Label {
                event: Some(id),
                arity: Arity::Any,
                args: Vec::new(),
                guard: None,
                span: label.span,
            },
            writes: Vec::new(),
            locals: Scope::default(),
            args: own,
        };
        let Some(args) = args else {
            let placement = owner.placement_by_name(&decl);
            lowered.label.args = by_name(&decl, &placement);
            owner.observe(id, placement);
            return Some(lowered);
        };
        self.check_count(name, args, &decl);
        if decl.variadic {
            let listed = args.list.len() as u32;
            lowered.label.arity = match args.rest {
                false => Arity::Exactly(listed),
                // What is declared is always there.
                true if args.list.len() <= decl.params.len() => Arity::Any,
                true => Arity::AtLeast(listed),
            };
        }
        let mut placement: Vec<(ParamId, u32)> = Vec::new();
        let mut bound: Vec<&Name> = Vec::new();
        for (i, arg) in args.list.iter().enumerate() {
            let ty = decl.params.get(i).map_or(Type::Any, |p| p.ty);
            let pattern = self.pattern(arg, ty, owner, &mut bound, &mut lowered);
            if let Pattern::Equal(Place::Param(param)) = pattern
                && !placement.iter().any(|(p, _)| *p == param)
            {
                placement.push((param, i as u32));
            }
            lowered.label.args.push(pattern);
        }
        placement.sort();
        owner.observe(id, Placement(placement));
        Some(lowered)
    }

    fn pattern<'t>(
        &mut self,
        arg: &'t Arg,
        ty: Type,
        owner: &Owner,
        bound: &mut Vec<&'t Name>,
        lowered: &mut Lowered,
    ) -> Pattern {
        match &arg.kind {
            ArgKind::Any => Pattern::Any,
            ArgKind::Const(value) | ArgKind::NotConst(value) => {
                let same = matches!(arg.kind, ArgKind::Const(_));
                self.constant_pattern(value, value.type_of(), same, ty, arg.span)
            }
            ArgKind::Equal(name) | ArgKind::Differs(name) => {
                let Some(binding) = owner.base.find(&name.text) else {
                    self.unknown_in_label(name, bound, owner);
                    return Pattern::Any;
                };
                let same = matches!(arg.kind, ArgKind::Equal(_));
                let place = match binding.means {
                    Meaning::Place(place) => place,
                    Meaning::Setting(value) => {
                        self.read_setting(binding.span);
                        return self.constant_pattern(&value, binding.ty, same, ty, arg.span);
                    }
                };
                if let Place::Register(register) = place {
                    self.flow.push(Flow::Read(register, name.span));
                }
                if let Place::Window(_) = place {
                    self.report(
                        Diagnostic::error(
                            Code::WrongKind,
                            name.span,
                            format!(
                                "`{}` is a window, which labels do not compare with",
                                name.text
                            ),
                        )
                        .also(binding.span, "declared here")
                        .help(format!(
                            "bind the argument and compare in a guard: `if x == {}`",
                            name.text
                        )),
                    );
                    return Pattern::Any;
                }
                if !binding.ty.overlaps(ty) {
                    self.never_equal(arg.span, binding.ty, ty);
                }
                if same { Pattern::Equal(place) } else { Pattern::Differs(place) }
            }
            ArgKind::Bind(name) => {
                if let Some(first) = bound.iter().find(|n| n.text == name.text) {
                    self.report(
                        Diagnostic::error(
                            Code::BoundTwice,
                            name.span,
                            format!("`{}` is bound twice by one label", name.text),
                        )
                        .also(first.span, "first bound here")
                        .rule("a label binds a name at most once")
                        .help("bind another name and compare them in a guard"),
                    );
                    return Pattern::Any;
                }
                bound.push(name);
                self.binder(name, ty, owner, lowered)
            }
        }
    }

    /// An argument of type `ty` that is, or is not, a constant of type `found`.
    fn constant_pattern(
        &mut self,
        value: &Value,
        found: Type,
        same: bool,
        ty: Type,
        span: Span,
    ) -> Pattern {
        let fitting = constant(value.clone(), ty).filter(|_| found != Type::Duration);
        match (fitting, same) {
            (None, _) => {
                self.never_equal(span, ty, found);
                Pattern::Any
            }
            (Some(fitting), true) => Pattern::Const(fitting),
            (Some(fitting), false) => Pattern::NotConst(fitting),
        }
    }

    fn binder(&mut self, name: &Name, ty: Type, owner: &Owner, lowered: &mut Lowered) -> Pattern {
        match owner.base.find(&name.text) {
            Some(binding) => match binding.means {
                Meaning::Place(place @ Place::Register(register)) => {
                    lowered.writes.push(register);
                    Pattern::Bind(place)
                }
                means => {
                    let (what, help) = match means {
                        Meaning::Setting(_) => (
                            "a `param` of the property",
                            format!("write `{}` without `?` to compare with it", name.text),
                        ),
                        Meaning::Place(Place::Param(_)) => (
                            "a parameter of the property",
                            format!(
                                "write `{}` without `?`: it is the slice's own value",
                                name.text
                            ),
                        ),
                        Meaning::Place(Place::Window(_)) => {
                            ("a window", "bind another name".to_string())
                        }
                        _ => (
                            "a variable",
                            format!("bind another name and assign it: `{{ {} = … }}`", name.text),
                        ),
                    };
                    self.report(
                        Diagnostic::error(
                            Code::BindsTaken,
                            name.span,
                            format!("`{}` is {what} and cannot be bound", name.text),
                        )
                        .also(binding.span, "declared here")
                        .help(help),
                    );
                    Pattern::Any
                }
            },
            None => {
                let place = Place::Local(self.new_local());
                lowered.locals.add(&name.text, place, ty, name.span);
                Pattern::Bind(place)
            }
        }
    }

    fn unknown_in_label(&mut self, name: &Name, bound: &[&Name], owner: &Owner) {
        let mut error = Diagnostic::error(
            Code::UnknownName,
            name.span,
            format!("`{}` is not known here", name.text),
        );
        error = if let Some(binder) = bound.iter().find(|n| n.text == name.text) {
            error
                .also(binder.span, "bound by this very label")
                .rule("a label makes all comparisons before it binds")
                .help("compare in a guard instead")
        } else {
            let near = owner.base.nearest(&name.text);
            let error =
                error.rule("`x` compares with a parameter, register or variable; `?x` binds");
            match near {
                Some(near) => error
                    .help(format!("did you mean `{near}`, or `?{}`?", name.text))
                    .fix(name.span, near),
                None => error
                    .help(format!("to bind it here, write `?{}`; for any value, `_`", name.text))
                    .fix(name.span, format!("?{}", name.text)),
            }
        };
        self.report(error);
    }

    fn check_count(&mut self, name: &Name, args: &tree::Args, decl: &EventDecl) {
        let (wanted, found) = (decl.params.len(), args.list.len());
        let good = match (decl.variadic, args.rest) {
            (true, _) => true,
            (false, true) => found <= wanted,
            (false, false) => found == wanted,
        };
        if good {
            return;
        }
        let implicit = self.events[&name.text].implicit;
        let declared = self.events[&name.text].span;
        let plural = if wanted == 1 { "" } else { "s" };
        let mut error = Diagnostic::error(
            Code::WrongCount,
            name.span,
            format!("`{}` has {wanted} argument{plural}, found {found}", name.text),
        )
        .also(declared, if implicit { "first used here" } else { "declared here" });
        error = if implicit {
            error
                .rule("an undeclared event has the arguments of its first label")
                .help(format!("declare it: `event {}(…)`", name.text))
        } else if found < wanted {
            error.help("write `_` if any value is allowed")
        } else {
            error
        };
        self.report(error);
    }

    /// The event of that name; there is one, unless the name is of another kind.
    pub(super) fn event_named(&mut self, name: &Name) -> Option<EventId> {
        if let Some(entry) = self.events.get(&name.text) {
            return Some(entry.id);
        }
        self.report(
            Diagnostic::error(
                Code::WrongKind,
                name.span,
                format!("`{}` is not an event that can be named here", name.text),
            )
            .rule("`any` and `end` are words of the language"),
        );
        None
    }

    /// The clock of that name, if there is one.
    pub(super) fn clock_called(&self, name: &str) -> Option<ClockId> {
        self.clocks.iter().rev().find(|(n, _)| n == name).map(|(_, clock)| *clock)
    }

    /// The clock of that name; reports that there is none.
    pub(super) fn clock_named(&mut self, name: &Name) -> Option<ClockId> {
        if let Some(clock) = self.clock_called(&name.text) {
            return Some(clock);
        }
        let near = nearest(&name.text, self.clocks.iter().map(|(n, _)| n.as_str()));
        let error = Diagnostic::error(
            Code::WrongKind,
            name.span,
            format!("there is no clock `{}`", name.text),
        )
        .help(format!("declare it: `clock {}`", name.text))
        .did_you_mean(near);
        self.report(error);
        None
    }

    /// The name of an event that a clock of some owner raises; those of a script have no names.
    fn clock_event(&self, owner: &str, what: &str) -> String {
        if !owner.is_empty() {
            return format!("{owner}.{what}");
        }
        let mut name = what.to_string();
        while self.model.event(&name).is_some() {
            name.push('\'');
        }
        name
    }

    /// The event a clock raises after a time that was computed.
    fn ring(&mut self, clock: ClockId) -> EventId {
        let declared = &self.model.clocks[clock.index()];
        if let Some(event) = declared.rings {
            return event;
        }
        let owner = self.clock_owners.get(clock.index()).cloned().unwrap_or_default();
        let name = self.clock_event(&owner, &format!("{} rings", declared.name));
        let event = EventId::from_index(self.model.events.len());
        self.model.events.push(EventDecl { origin: Origin::Clock, ..EventDecl::named(&name) });
        self.model.clocks[clock.index()].rings = Some(event);
        event
    }

    /// The event a clock raises after so long.
    fn alarm(&mut self, clock: ClockId, after: Time) -> EventId {
        let declared = &self.model.clocks[clock.index()];
        if let Some(alarm) = declared.alarms.iter().find(|a| a.after == after) {
            return alarm.event;
        }
        let owner = self.clock_owners.get(clock.index()).cloned().unwrap_or_default();
        let after_text = crate::ww::duration_text(after);
        let name = self.clock_event(&owner, &format!("{} at {after_text}", declared.name));
        let event = EventId::from_index(self.model.events.len());
        self.model.events.push(EventDecl { origin: Origin::Clock, ..EventDecl::named(&name) });
        self.model.clocks[clock.index()].alarms.push(Alarm { after, event });
        event
    }
}

/// The names an event gives its arguments.
pub(super) fn event_scope(decl: &EventDecl) -> Scope {
    let mut own = Scope::default();
    for (i, param) in decl.params.iter().enumerate() {
        own.add(&param.name, Place::Arg(i as u32), param.ty, decl.span);
    }
    let types = decl.params.iter().map(|p| p.ty).collect();
    own.event = Some(EventArgs { types, more: decl.variadic });
    own
}

/// The patterns of a label that is a name alone.
fn by_name(decl: &EventDecl, placement: &Placement) -> Vec<Pattern> {
    (0..decl.params.len() as u32)
        .map(|i| match placement.0.iter().find(|(_, arg)| *arg == i) {
            Some((param, _)) => Pattern::Equal(Place::Param(*param)),
            None => Pattern::Any,
        })
        .collect()
}

impl Owner {
    /// Which parameters of the property have the names of parameters of the event.
    pub(super) fn placement_by_name(&self, decl: &EventDecl) -> Placement {
        let mut placement = Vec::new();
        for (i, (name, _)) in self.params.iter().enumerate() {
            if let Some(arg) = decl.param(name) {
                placement.push((ParamId::from_index(i), arg as u32));
            }
        }
        Placement(placement)
    }

    /// The property observes the event, placed so.
    pub(super) fn observe(&mut self, event: EventId, placement: Placement) {
        match self.alphabet.iter_mut().find(|o| o.event == event) {
            Some(observed) => {
                if !observed.placements.contains(&placement) {
                    observed.placements.push(placement);
                }
            }
            None => {
                self.alphabet.push(Observed { event, filter: None, placements: vec![placement] })
            }
        }
    }

    /// A span to point at when the property itself is meant.
    pub(super) fn span(&self) -> Span {
        self.span
    }
}
