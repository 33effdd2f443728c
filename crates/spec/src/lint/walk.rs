//! Every expression and statement of a model.

use watchword_model::{Branch, Expr, Model, Property, Stmt, Template, TemplatePart};

/// Calls `visit` with an expression and everything inside it.
pub(crate) fn expr<'m>(whole: &'m Expr, visit: &mut dyn FnMut(&'m Expr)) {
    visit(whole);
    match whole {
        Expr::Const(_) | Expr::Read(_) => {}
        Expr::Unary(_, a) => expr(a, visit),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        Expr::If(a, b, c) => {
            expr(a, visit);
            expr(b, visit);
            expr(c, visit);
        }
        Expr::Builtin(_, list) | Expr::Call(_, list) | Expr::List(list) => {
            list.iter().for_each(|e| expr(e, visit));
        }
        Expr::Map(list) => {
            for (k, v) in list {
                expr(k, visit);
                expr(v, visit);
            }
        }
        Expr::Block(statements) => stmts(statements, &mut |_| {}, visit),
    }
}

/// Calls `statement` with every statement and `visit` with every expression.
pub(crate) fn stmts<'m>(
    list: &'m [Stmt],
    statement: &mut dyn FnMut(&'m Stmt),
    visit: &mut dyn FnMut(&'m Expr),
) {
    for stmt in list {
        statement(stmt);
        match stmt {
            Stmt::Assign(_, e)
            | Stmt::Eval(e)
            | Stmt::Print(e)
            | Stmt::Return(Some(e))
            | Stmt::SetClock(_, e) => {
                expr(e, visit);
            }
            Stmt::If(c, a, b) => {
                expr(c, visit);
                stmts(a, statement, visit);
                stmts(b, statement, visit);
            }
            Stmt::While(e, body) | Stmt::ForEach(_, e, body) => {
                expr(e, visit);
                stmts(body, statement, visit);
            }
            Stmt::Send(_, list) | Stmt::Action(_, list) => list.iter().for_each(|e| expr(e, visit)),
            Stmt::Return(None)
            | Stmt::Break
            | Stmt::Continue
            | Stmt::ResetClock(_)
            | Stmt::StopClock(_) => {}
        }
    }
}

pub(crate) fn template<'m>(text: &'m Template, visit: &mut dyn FnMut(&'m Expr)) {
    for part in &text.parts {
        if let TemplatePart::Value(e) = part {
            expr(e, visit);
        }
    }
}

pub(crate) fn branch<'m>(
    branch: &'m Branch,
    statement: &mut dyn FnMut(&'m Stmt),
    visit: &mut dyn FnMut(&'m Expr),
) {
    stmts(&branch.update, statement, visit);
    branch.message.iter().for_each(|m| template(m, visit));
}

/// Everything a property computes.
pub(crate) fn property<'m>(
    property: &'m Property,
    statement: &mut dyn FnMut(&'m Stmt),
    visit: &mut dyn FnMut(&'m Expr),
) {
    property.message.iter().for_each(|m| template(m, visit));
    property.alphabet.iter().filter_map(|o| o.filter.as_ref()).for_each(|f| expr(f, visit));
    property.registers.iter().filter_map(|r| r.init.as_ref()).for_each(|e| expr(e, visit));
    for window in &property.windows {
        window.label.guard.iter().chain(&window.of).for_each(|e| expr(e, visit));
    }
    for state in &property.states {
        stmts(&state.entry, statement, visit);
        state.message.iter().for_each(|m| template(m, visit));
        state.deadline.iter().for_each(|d| branch(&d.branch, statement, visit));
    }
    for transition in &property.transitions {
        transition.labels.iter().filter_map(|l| l.guard.as_ref()).for_each(|g| expr(g, visit));
        branch(&transition.then, statement, visit);
        transition.otherwise.iter().for_each(|b| branch(b, statement, visit));
    }
}

/// Everything a model computes.
pub(crate) fn model<'m>(
    model: &'m Model,
    statement: &mut dyn FnMut(&'m Stmt),
    visit: &mut dyn FnMut(&'m Expr),
) {
    for context in &model.contexts {
        context.keys.iter().flatten().for_each(|k| expr(k, visit));
    }
    model.variables.iter().for_each(|v| expr(&v.init, visit));
    model.functions.iter().for_each(|f| stmts(&f.body, statement, visit));
    model.properties.iter().for_each(|p| property(p, statement, visit));
}
