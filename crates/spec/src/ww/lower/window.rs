//! Windows over the events of a slice.

use watchword_model::{ContextId, Creation, Expr, Place, Property, Span, Type, Window, WindowId};

use super::Lowering;
use super::context::Owner;
use super::property::Form;
use crate::diagnostic::{Code, Diagnostic};
use crate::lint::walk;
use crate::ww::tree::{self, LabelKind, Member, MemberKind};

impl Lowering<'_> {
    /// The windows of a property: from here on their names stand for what they come to.
    pub(super) fn windows(
        &mut self,
        members: &[Member],
        form: &Option<Form<'_>>,
        context: ContextId,
        owner: &mut Owner,
        lowered: &mut Property,
    ) {
        let mut declared: Vec<(String, Type, Span)> = Vec::new();
        for member in members {
            let MemberKind::Window(window) = &member.kind else { continue };
            self.refuse_taken(&window.name, &owner.base, "window");
            if let Some((_, _, first)) = declared.iter().find(|(n, ..)| *n == window.name.text) {
                self.declared_twice("window", &window.name, *first);
            }
            let ty = match self.window(window, member, form, context, owner) {
                Some((window, ty)) => {
                    lowered.windows.push(window);
                    ty
                }
                None => Type::Any,
            };
            declared.push((window.name.text.clone(), ty, window.name.span));
        }
        // What a mistake has left out is known by its name all the same.
        for (at, (name, ty, span)) in declared.into_iter().enumerate() {
            owner.base.add_window(&name, WindowId::from_index(at), ty, span);
        }
    }

    /// The windows that bounds of time in a formula need.
    pub(super) fn windows_of_formula(
        &mut self,
        windows: &[Window],
        context: ContextId,
        owner: &Owner,
        lowered: &mut Property,
    ) {
        for window in windows {
            if !self.may_have_windows(context, owner, window.span) {
                return;
            }
            let mut reads_variable = false;
            window.label.guard.iter().for_each(|guard| {
                walk::expr(guard, &mut |e| {
                    reads_variable |= matches!(e, Expr::Read(Place::Var(_)));
                });
            });
            if reads_variable {
                self.report(
                    Diagnostic::error(
                        Code::NotMonitorable,
                        window.span,
                        "the condition of an event with a bound of time reads a variable",
                    )
                    .rule("such a condition may read only parameters, arguments and `param`s"),
                );
                return;
            }
        }
        lowered.windows = windows.to_vec();
    }

    /// Whether properties of a context may have windows; reports it at `span` if not.
    pub(super) fn may_have_windows(
        &mut self,
        context: ContextId,
        owner: &Owner,
        span: Span,
    ) -> bool {
        let definition = &self.model.contexts[context.index()];
        if definition.parent.is_none() && matches!(definition.rule, Creation::ChenRosu { .. }) {
            return true;
        }
        let error = Diagnostic::error(Code::SlicedOnly, span, "this property cannot have windows")
            .rule("a window, or a bound of time in a formula, is over the events of a slice");
        self.report(match owner.registers {
            true => error
                .also(owner.span(), "this property has registers")
                .help("write `()` after its name for one slice of all events, or add parameters"),
            false => error.help("use a property with the default rule, outside of contexts"),
        });
        false
    }

    /// A window and the type of what it comes to.
    fn window(
        &mut self,
        window: &tree::Window,
        member: &Member,
        form: &Option<Form<'_>>,
        context: ContextId,
        owner: &mut Owner,
    ) -> Option<(Window, Type)> {
        if !self.may_have_windows(context, owner, member.span) {
            return None;
        }
        if let Some(Form::Never(_) | Form::Only(_) | Form::Proven) = form {
            self.report(
                Diagnostic::error(
                    Code::OptionMisplaced,
                    member.span,
                    "windows belong to a property with states or a formula",
                )
                .rule("only guards and messages can read the value of a window"),
            );
            return None;
        }
        let LabelKind::Event(..) = &window.label.kind else {
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    window.label.span,
                    "a window contains events of one name",
                )
                .rule("`any`, `end` and alarms of clocks cannot be in a window"),
            );
            return None;
        };
        self.locals = 0;
        self.flow.clear();
        // Parameters and constants only: what enters must not depend on what entered.
        let base = owner.base.constants();
        let whole = std::mem::replace(&mut owner.base, base);
        let parts = self.label(&window.label, owner);
        let base = std::mem::replace(&mut owner.base, whole);
        let parts = parts?;
        let mut label = parts.label;
        let mut scope = base.behind(parts.args);
        scope.append(parts.locals);
        label.guard = window.guard.as_ref().map(|g| self.guard(g, label.span, &scope));
        let wants_value = window.aggregate != watchword_model::Aggregate::Count;
        if wants_value != window.of.is_some() {
            let words = window.aggregate.words();
            let error = Diagnostic::error(
                Code::OptionMisplaced,
                window.of.as_ref().map_or(window.aggregate_span, |of| of.span),
                match wants_value {
                    true => format!("`{words}` needs a value of the event"),
                    false => "`count` counts events and ignores their values".to_string(),
                },
            );
            self.report(match wants_value {
                true => error
                    .rule("`of` names the value of the event")
                    .help(format!("bind it and name it: `{words} e(?x) of x within …`")),
                false => error
                    .rule("`count distinct` counts how many different values there are")
                    .help("remove `of`, or write `count distinct`"),
            });
            return None;
        }
        let (of, ty) = match &window.of {
            None => (None, Type::Int),
            Some(of) => {
                let (lowered, ty) = self.expr(of, &scope);
                if window.aggregate.wants_numbers() && !ty.is_number() && ty != Type::Any {
                    self.mismatch(of.span, "a number", ty);
                }
                (Some(lowered), ty)
            }
        };
        let within = self.duration(&window.within, &base)?;
        self.flow.clear();
        let (name, aggregate) = (window.name.text.clone(), window.aggregate);
        let span = window.name.span;
        let ty = aggregate.gives(ty);
        Some((Window { name, aggregate, label, of, within, span }, ty))
    }
}
