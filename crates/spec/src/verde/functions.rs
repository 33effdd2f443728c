//! Companion functions: read once, put into the model when a property uses them.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{FileId, Function, FunctionId, LocalId, Model, Place, Stmt, Type, Value};

use super::python;
use super::python::flow::{self, Names};
use super::python::lower::{Binding, Callee, Lowering, Mode, Types};
use super::python::tree::{self, ExprKind, each_expr};
use crate::diagnostic::{Code, Diagnostic};

/// Names that mean something in every block.
const BUILT_IN: [&str; 10] =
    ["print", "str", "len", "int", "float", "bool", "abs", "min", "max", "range"];

/// The functions of the companion files.
#[derive(Default)]
pub(crate) struct Companion {
    functions: Vec<tree::Function>,
    constants: Vec<(tree::Name, tree::Expr)>,
    /// A file could not be read: complaints about what it lacks could be due to that.
    pub(super) broken: bool,
    /// Those that are in the model.
    known: BTreeMap<String, Callee>,
}

/// Reads a file of functions.
pub fn read(file: FileId, text: &str, into: &mut Companion, said: &mut Vec<Diagnostic>) {
    let before = said.len();
    let (functions, constants) = python::parse_module(file, text, said);
    into.broken |= said[before..].iter().any(Diagnostic::is_error);
    for function in functions {
        let name = &function.name;
        if BUILT_IN.contains(&name.text.as_str()) {
            let message =
                format!("`{}` is a word of the language and cannot be redefined", name.text);
            said.push(Diagnostic::error(Code::ReservedName, name.span, message));
        } else if let Some(first) = into.functions.iter().find(|f| f.name.text == name.text) {
            let message = format!("the function `{}` is defined twice", name.text);
            said.push(
                Diagnostic::error(Code::DeclaredTwice, name.span, message)
                    .also(first.name.span, "first defined here"),
            );
        } else {
            into.functions.push(function);
        }
    }
    into.constants.extend(constants);
}

/// The functions that statements call.
pub fn called<'t>(stmts: &'t [tree::Stmt], into: &mut BTreeSet<&'t str>) {
    each_expr(stmts, &mut |e| {
        if let ExprKind::Call(name, _) = &e.kind {
            into.insert(&name.text);
        }
    });
}

impl Companion {
    /// What can be called, after [`Companion::put`].
    pub fn known(&self) -> &BTreeMap<String, Callee> {
        &self.known
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|f| f.name.text == name)
    }

    /// Puts the functions that are needed, and those they call, into the model.
    pub fn put(&mut self, needed: &BTreeSet<&str>, model: &mut Model, said: &mut Vec<Diagnostic>) {
        let calls: Vec<Vec<usize>> = self
            .functions
            .iter()
            .map(|function| {
                let mut names = BTreeSet::new();
                called(&function.body, &mut names);
                names.into_iter().filter_map(|name| self.find(name)).collect()
            })
            .collect();
        let mut new: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = needed.iter().filter_map(|name| self.find(name)).collect();
        while let Some(at) = open.pop() {
            if !self.known.contains_key(&self.functions[at].name.text) && new.insert(at) {
                open.extend(&calls[at]);
            }
        }
        if self.refuse_recursion(&new, &calls, said) {
            return;
        }
        let mut prints: BTreeSet<usize> =
            (0..self.functions.len()).filter(|at| does_print(&self.functions[*at].body)).collect();
        // As many rounds as calls can nest.
        for _ in 0..self.functions.len() {
            let more = (0..self.functions.len())
                .filter(|at| calls[*at].iter().any(|callee| prints.contains(callee)));
            prints.extend(more.collect::<Vec<_>>());
        }
        let first = model.functions.len();
        for (i, at) in new.iter().enumerate() {
            let function = &self.functions[*at];
            let callee = Callee {
                id: FunctionId::from_index(first + i),
                params: function.params.len(),
                prints: prints.contains(at),
            };
            self.known.insert(function.name.text.clone(), callee);
        }
        for at in new {
            let function = self.lower(&self.functions[at], said);
            model.functions.push(function);
        }
    }

    /// A function that calls itself, by detours or not, is refused.
    fn refuse_recursion(
        &self,
        among: &BTreeSet<usize>,
        calls: &[Vec<usize>],
        said: &mut Vec<Diagnostic>,
    ) -> bool {
        // Take away functions that call nothing that is left, until none is or the rest is a cycle.
        let mut left = among.clone();
        loop {
            let leaf = left.iter().find(|at| !calls[**at].iter().any(|c| left.contains(c)));
            match leaf.copied() {
                Some(at) => left.remove(&at),
                None => break,
            };
        }
        let in_cycle = left.iter().find(|at| {
            let mut seen = BTreeSet::new();
            let mut open = calls[**at].clone();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    open.extend(&calls[next]);
                }
            }
            seen.contains(at)
        });
        let Some(at) = in_cycle else { return false };
        let name = &self.functions[*at].name;
        let message = format!("`{}` calls itself", name.text);
        said.push(
            Diagnostic::error(Code::Recursion, name.span, message)
                .rule("functions must not be recursive, neither directly nor indirectly")
                .help("write a loop"),
        );
        true
    }

    fn lower(&self, function: &tree::Function, said: &mut Vec<Diagnostic>) -> Function {
        let params: Vec<&str> = function.params.iter().map(|p| p.text.as_str()).collect();
        let names = flow::names(&function.body, &params);
        let mut types = Types::default();
        for param in &params {
            types.join(0, param, Type::Any);
        }
        let mut result = None;
        for round in 0.. {
            types.changed = false;
            let mut found = Vec::new();
            let lowered = self.lower_body(function, &names, &mut types, &mut found);
            if !types.changed || round > MAX_ROUNDS {
                said.extend(found);
                result = Some(lowered);
                break;
            }
            if round == MAX_ROUNDS {
                types.give_up();
            }
        }
        let (body, locals) = result.unwrap_or_default();
        Function {
            name: function.name.text.clone(),
            params: function.params.iter().map(|p| (p.text.clone(), Type::Any)).collect(),
            locals,
            body,
            span: function.name.span,
        }
    }

    fn lower_body(
        &self,
        function: &tree::Function,
        names: &Names<'_>,
        types: &mut Types,
        said: &mut Vec<Diagnostic>,
    ) -> (Vec<Stmt>, u32) {
        let mut lowering = Lowering {
            mode: Mode::Function,
            scope: 0,
            names: BTreeMap::new(),
            functions: &self.known,
            types,
            next_local: 0,
            said,
        };
        for (name, value) in &self.constants {
            if !names.assigned.contains(name.text.as_str()) {
                let (expr, ty) = lowering.value(value);
                lowering.names.insert(name.text.clone(), Binding::Constant(expr, ty));
            }
        }
        for (i, param) in function.params.iter().enumerate() {
            let local = Binding::Local(LocalId::from_index(i));
            lowering.names.insert(param.text.clone(), local);
        }
        lowering.next_local = function.params.len() as u32;
        let mut body = declare_locals(&mut lowering, names);
        body.extend(lowering.block(&function.body));
        (body, lowering.next_local)
    }
}

/// How often types are asked for before nothing is taken for certain.
pub const MAX_ROUNDS: usize = 12;

/// Gives every name a block assigns to, and that is nothing else, a place in it. Those that may be
/// read before they are assigned to begin as null.
pub fn declare_locals(lowering: &mut Lowering<'_>, names: &Names<'_>) -> Vec<Stmt> {
    let mut first = Vec::new();
    for name in &names.assigned {
        if lowering.names.contains_key(*name) {
            continue;
        }
        let local = LocalId(lowering.next_local);
        lowering.next_local += 1;
        lowering.names.insert(name.to_string(), Binding::Local(local));
        if names.free.contains(name) {
            lowering.types.join(lowering.scope, name, Type::Any);
            let null = watchword_model::Expr::Const(Value::Null);
            first.push(Stmt::Assign(Place::Local(local), null));
        }
    }
    first
}

fn does_print(stmts: &[tree::Stmt]) -> bool {
    let mut names = BTreeSet::new();
    called(stmts, &mut names);
    names.contains("print")
}
