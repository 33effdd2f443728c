//! What expressions and statements read and do.

use watchword_model::{
    Branch, Expr, Pattern, Place, Property, Stmt, Target, Template, TemplatePart,
};

/// Calls `see` for an expression and every expression and statement inside it.
fn walk_expr(expr: &Expr, see: &mut impl FnMut(Seen<'_>)) {
    see(Seen::Expr(expr));
    match expr {
        Expr::Const(_) | Expr::Read(_) => {}
        Expr::Unary(_, e) => walk_expr(e, see),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            walk_expr(a, see);
            walk_expr(b, see);
        }
        Expr::If(a, b, c) => {
            walk_expr(a, see);
            walk_expr(b, see);
            walk_expr(c, see);
        }
        Expr::Builtin(_, args) | Expr::Call(_, args) | Expr::List(args) => {
            args.iter().for_each(|e| walk_expr(e, see));
        }
        Expr::Block(stmts) => walk_stmts(stmts, see),
        Expr::Map(entries) => entries.iter().for_each(|(k, v)| {
            walk_expr(k, see);
            walk_expr(v, see);
        }),
    }
}

enum Seen<'a> {
    Expr(&'a Expr),
    Stmt(&'a Stmt),
}

fn walk_stmts(stmts: &[Stmt], see: &mut impl FnMut(Seen<'_>)) {
    for stmt in stmts {
        see(Seen::Stmt(stmt));
        match stmt {
            Stmt::Assign(_, e)
            | Stmt::Return(Some(e))
            | Stmt::Eval(e)
            | Stmt::Print(e)
            | Stmt::SetClock(_, e) => {
                walk_expr(e, see);
            }
            Stmt::If(cond, then, otherwise) => {
                walk_expr(cond, see);
                walk_stmts(then, see);
                walk_stmts(otherwise, see);
            }
            Stmt::While(cond, body) | Stmt::ForEach(_, cond, body) => {
                walk_expr(cond, see);
                walk_stmts(body, see);
            }
            Stmt::Send(_, args) | Stmt::Action(_, args) => {
                args.iter().for_each(|e| walk_expr(e, see));
            }
            Stmt::Break
            | Stmt::Continue
            | Stmt::Return(None)
            | Stmt::ResetClock(_)
            | Stmt::StopClock(_) => {}
        }
    }
}

/// Whether an expression may write or output: it has statements in it, or calls a function.
/// Calls count because a function could print; what they write is their own.
pub(crate) fn expr_writes(expr: &Expr) -> bool {
    let mut writes = false;
    walk_expr(expr, &mut |seen| {
        writes |= matches!(seen, Seen::Stmt(_) | Seen::Expr(Expr::Call(..)));
    });
    writes
}

/// Whether an expression reads a parameter of the instance.
pub(crate) fn expr_reads_params(expr: &Expr) -> bool {
    let mut reads = false;
    walk_expr(expr, &mut |seen| {
        // What a function does is not looked into: it may.
        reads |= matches!(seen, Seen::Expr(Expr::Read(Place::Param(_)) | Expr::Call(..)));
    });
    reads
}

/// Whether statements read a parameter of the instance.
pub(crate) fn stmts_read_params(stmts: &[Stmt]) -> bool {
    let mut reads = false;
    walk_stmts(stmts, &mut |seen| {
        reads |= matches!(seen, Seen::Expr(Expr::Read(Place::Param(_)) | Expr::Call(..)));
    });
    reads
}

/// Calls `see` for every place an expression reads.
pub(crate) fn places_read(expr: &Expr, see: &mut impl FnMut(Place)) {
    walk_expr(expr, &mut |seen| {
        if let Seen::Expr(Expr::Read(place)) = seen {
            see(*place);
        }
    });
}

/// Whether statements have an effect outside the configuration. Calls may.
pub(crate) fn stmts_output(stmts: &[Stmt]) -> bool {
    let mut outputs = false;
    walk_stmts(stmts, &mut |seen| {
        outputs |= matches!(
            seen,
            Seen::Stmt(
                Stmt::Send(..)
                    | Stmt::Print(_)
                    | Stmt::Action(..)
                    | Stmt::ResetClock(_)
                    | Stmt::SetClock(..)
                    | Stmt::StopClock(_)
            ) | Seen::Expr(Expr::Call(..))
        );
    });
    outputs
}

/// Calls `see` for every place statements assign to.
pub(crate) fn assigned(stmts: &[Stmt], see: &mut impl FnMut(Place)) {
    walk_stmts(stmts, &mut |seen| {
        if let Seen::Stmt(Stmt::Assign(place, _)) = seen {
            see(*place);
        }
    });
}

/// The statements a branch runs: its update, and the entry action of its target.
pub(crate) fn run_by<'a>(property: &'a Property, branch: &'a Branch) -> [&'a [Stmt]; 2] {
    let entry: &[Stmt] = match branch.target {
        Target::State(state) => &property.states[state.index()].entry,
        Target::Stay | Target::Drop => &[],
    };
    [&branch.update, entry]
}

/// Every branch of a property.
pub(crate) fn branches(property: &Property) -> impl Iterator<Item = &Branch> {
    let of_transitions =
        property.transitions.iter().flat_map(|t| std::iter::once(&t.then).chain(&t.otherwise));
    let of_deadlines =
        property.states.iter().filter_map(|s| s.deadline.as_ref().map(|d| &d.branch));
    of_transitions.chain(of_deadlines)
}

/// Every argument position an expression anywhere in a property reads, as bits; positions from
/// 63 on share the last bit.
pub(crate) fn args_read(property: &Property) -> u64 {
    let mut bits = 0;
    let mut see = |seen: Seen<'_>| {
        if let Seen::Expr(Expr::Read(Place::Arg(i))) = seen {
            bits |= arg_bit(*i);
        }
    };
    for branch in branches(property) {
        walk_stmts(&branch.update, &mut see);
        branch.message.iter().for_each(|t| walk_template(t, &mut see));
    }
    for state in &property.states {
        walk_stmts(&state.entry, &mut see);
        state.message.iter().for_each(|t| walk_template(t, &mut see));
    }
    property.message.iter().for_each(|t| walk_template(t, &mut see));
    let labels = || {
        let of_windows = property.windows.iter().map(|w| &w.label);
        property.transitions.iter().flat_map(|t| &t.labels).chain(of_windows)
    };
    property.windows.iter().flat_map(|w| &w.of).for_each(|of| walk_expr(of, &mut see));
    for label in labels() {
        label.guard.iter().for_each(|g| walk_expr(g, &mut see));
    }
    for observed in &property.alphabet {
        observed.filter.iter().for_each(|f| walk_expr(f, &mut see));
    }
    for (arg, pattern) in labels().flat_map(|l| (0..).zip(&l.args)) {
        if !matches!(pattern, Pattern::Any) {
            bits |= arg_bit(arg);
        }
    }
    bits
}

/// The bit of an argument position.
pub(crate) fn arg_bit(arg: u32) -> u64 {
    1 << arg.min(63)
}

fn walk_template(template: &Template, see: &mut impl FnMut(Seen<'_>)) {
    for part in &template.parts {
        if let TemplatePart::Value(expr) = part {
            walk_expr(expr, see);
        }
    }
}
