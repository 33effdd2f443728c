//! The events of a script: the program points of an event, and the labels of a transition that
//! names it.

use std::collections::HashMap;

use watchword_model::{
    Glob, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern, ParamPattern, PointKind, ThrownBy,
    TypePattern, Within,
};

use super::code::{dotted, free};
use super::lower::{Scope, Words};
use super::tree::{self, Collection, EventMember, ExprKind, MethodArg, Name, TypeName, Variation};
use super::types::Ty;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree as ww;

/// Types of exceptions that `uponThrowing` may name: which one it was is not looked at.
const WHATEVER_IS_THROWN: [&str; 4] =
    ["Throwable", "java.lang.Throwable", "Exception", "java.lang.Exception"];

/// Types every Java file knows by their last name: those of `java.lang`.
const JAVA_LANG: &[&str] = &[
    "AbstractMethodError",
    "Appendable",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "AutoCloseable",
    "Boolean",
    "BootstrapMethodError",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "ClassCastException",
    "ClassCircularityError",
    "ClassFormatError",
    "ClassLoader",
    "ClassNotFoundException",
    "ClassValue",
    "CloneNotSupportedException",
    "Cloneable",
    "Comparable",
    "Compiler",
    "Deprecated",
    "Double",
    "Enum",
    "EnumConstantNotPresentException",
    "Error",
    "Exception",
    "ExceptionInInitializerError",
    "Float",
    "FunctionalInterface",
    "IllegalAccessError",
    "IllegalAccessException",
    "IllegalArgumentException",
    "IllegalCallerException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IllegalThreadStateException",
    "IncompatibleClassChangeError",
    "IndexOutOfBoundsException",
    "InheritableThreadLocal",
    "InstantiationError",
    "InstantiationException",
    "Integer",
    "InternalError",
    "InterruptedException",
    "Iterable",
    "LayerInstantiationException",
    "LinkageError",
    "Long",
    "Math",
    "Module",
    "ModuleLayer",
    "NegativeArraySizeException",
    "NoClassDefFoundError",
    "NoSuchFieldError",
    "NoSuchFieldException",
    "NoSuchMethodError",
    "NoSuchMethodException",
    "NullPointerException",
    "Number",
    "NumberFormatException",
    "Object",
    "OutOfMemoryError",
    "Override",
    "Package",
    "Process",
    "ProcessBuilder",
    "ProcessHandle",
    "Readable",
    "Record",
    "ReflectiveOperationException",
    "Runnable",
    "Runtime",
    "RuntimeException",
    "RuntimePermission",
    "SafeVarargs",
    "SecurityException",
    "SecurityManager",
    "Short",
    "StackOverflowError",
    "StackTraceElement",
    "StackWalker",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "StringIndexOutOfBoundsException",
    "SuppressWarnings",
    "System",
    "Thread",
    "ThreadDeath",
    "ThreadGroup",
    "ThreadLocal",
    "Throwable",
    "TypeNotPresentException",
    "UnknownError",
    "UnsatisfiedLinkError",
    "UnsupportedClassVersionError",
    "UnsupportedOperationException",
    "VerifyError",
    "VirtualMachineError",
    "Void",
];

/// The labels of a transition that names an event.
#[derive(Clone)]
pub enum Waits {
    /// An event with sources of its own.
    Event(Name),
    /// A clock.
    Clock(Name, i64),
    /// A clock, at a time that was computed.
    Rings(Name),
    /// A channel, and the name and type of the received value.
    Channel(Name, Option<(Name, Ty)>),
}

/// A label, and the filters an event must pass to be it.
#[derive(Clone)]
pub struct Member<'s> {
    /// The event or clock.
    pub waits: Waits,
    /// The filters around it, outermost first.
    pub filters: Vec<&'s tree::Expr>,
}

/// Resolves names of types by the imports of a script.
pub struct Imports<'s> {
    /// As written.
    pub paths: &'s [String],
}

impl Imports<'_> {
    /// The pattern of a type.
    pub fn pattern(&self, ty: &TypeName) -> TypePattern {
        let (base, brackets) = match ty.name.find('[') {
            Some(at) => ty.name.split_at(at),
            None => (ty.name.as_str(), ""),
        };
        let name = match base.split_once('.') {
            _ if base.chars().next().is_some_and(char::is_lowercase) => base.to_string(),
            // A class that is nested in one that may be imported.
            Some((outer, nested)) if outer.chars().next().is_some_and(char::is_uppercase) => {
                format!("{}.{nested}", self.qualified(outer))
            }
            Some(_) => base.to_string(),
            None => self.qualified(base),
        };
        TypePattern {
            name: Glob::new(&format!("{name}{brackets}")),
            subtypes: ty.subtypes,
            annotations: Vec::new(),
            negated: false,
        }
    }

    /// The class of a name, as far as the imports determine it.
    pub fn class(&self, name: &str) -> String {
        let packages: Vec<&str> = self.paths.iter().filter_map(|p| p.strip_suffix(".*")).collect();
        match (name.contains('.'), self.qualified(name), packages.as_slice()) {
            (true, ..) => name.to_string(),
            (_, qualified, _) if !qualified.starts_with('{') => qualified,
            (_, _, [package]) => format!("{package}.{name}"),
            _ => name.to_string(),
        }
    }

    fn qualified(&self, name: &str) -> String {
        if let Some(path) = self.paths.iter().find(|p| p.rsplit('.').next() == Some(name)) {
            return path.clone();
        }
        if JAVA_LANG.contains(&name) {
            return format!("java.lang.{name}");
        }
        let packages: Vec<String> = self
            .paths
            .iter()
            .filter_map(|p| p.strip_suffix(".*"))
            .map(|package| format!("{package}.{name}"))
            .collect();
        if packages.is_empty() {
            return name.to_string();
        }
        format!("{{{name},{}}}", packages.join(","))
    }
}

/// An event of the script while its sources are collected.
struct Building<'s> {
    event: &'s tree::Event,
    name: Name,
    params: Vec<ww::Param>,
    sources: Vec<ww::Source>,
}

/// Events, by name, in the words of Watchword.
#[derive(Default)]
pub struct Events<'s> {
    /// The labels and bindings for a named event.
    pub groups: HashMap<String, Vec<Member<'s>>>,
    /// Events that have sources, in order.
    pub declared: Vec<ww::Event>,
    /// Filters that read nothing but the event, and so decide whether it happens at all.
    pub admission: HashMap<String, &'s tree::Expr>,
    /// Java types of their parameters.
    pub types: HashMap<(String, String), Ty>,
}

impl<'s> Events<'s> {
    /// Adds the events of a context; gives those of them that have sources.
    pub fn add(
        &mut self,
        events: &'s [tree::Event],
        scope: &Scope<'s>,
        imports: &Imports<'_>,
        words: &Words,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Name> {
        let mut own = Vec::new();
        for event in events {
            if events
                .iter()
                .take_while(|e| !std::ptr::eq(*e, event))
                .any(|e| e.name.text == event.name.text)
            {
                diagnostics.push(
                    Diagnostic::error(
                        Code::DeclaredTwice,
                        event.name.span,
                        format!("event `{}` is declared twice", event.name.text),
                    )
                    .rule("the events of a context have different names"),
                );
                continue;
            }
            let mut name = words.event(&event.name);
            // An event of an outer context is hidden by one of an inner context.
            let taken = |text: &str| self.declared.iter().any(|e| e.name.text == text);
            if taken(&name.text) {
                name.text = free(&name.text, |text| taken(text) || words.is_taken(text));
            }
            for (ty, param) in &event.params {
                if let Some(ty) = ty {
                    let key = (name.text.clone(), param.text.clone());
                    self.types.insert(key, Ty::of(ty));
                }
            }
            let params = event.params.iter().map(|(ty, name)| param(ty.as_ref(), name)).collect();
            if let Some(filter) = admission(event) {
                self.admission.insert(name.text.clone(), filter);
            }
            let mut building = Building { event, name, params, sources: Vec::new() };
            let mut members = Vec::new();
            self.collect(
                &event.collection,
                &[],
                &[],
                scope,
                imports,
                &mut building,
                &mut members,
                diagnostics,
            );
            if !building.sources.is_empty() {
                own.push(building.name.clone());
                self.declared.push(ww::Event {
                    doc: String::new(),
                    name: building.name,
                    params: ww::Params { list: building.params, variadic: false },
                    sources: building.sources,
                    span: event.name.span,
                });
            }
            self.groups.insert(event.name.text.clone(), members);
        }
        own
    }

    #[allow(clippy::too_many_arguments)] // One walk over a tree with everything it needs.
    fn collect(
        &mut self,
        collection: &'s Collection,
        filters: &[&'s tree::Expr],
        wheres: &[&'s (Name, tree::Expr)],
        scope: &Scope<'s>,
        imports: &Imports<'_>,
        building: &mut Building<'s>,
        members: &mut Vec<Member<'s>>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut filters = filters.to_vec();
        if !self.admission.contains_key(&building.name.text) {
            filters.extend(&collection.filter);
        }
        let mut wheres = wheres.to_vec();
        wheres.extend(&collection.wheres);
        for member in &collection.members {
            match member {
                EventMember::Collection(inner) => self.collect(
                    inner,
                    &filters,
                    &wheres,
                    scope,
                    imports,
                    building,
                    members,
                    diagnostics,
                ),
                EventMember::Named(name) => match self.groups.get(&name.text) {
                    Some(group) => members.extend(group.iter().map(|m| Member {
                        waits: m.waits.clone(),
                        filters: filters.iter().chain(&m.filters).copied().collect(),
                    })),
                    None => diagnostics.push(unknown_event(name, self.groups.keys())),
                },
                EventMember::Clock(clock, after) => {
                    if !scope.outside.clocks.contains(&clock.text) {
                        diagnostics.push(undeclared("clock", "Clock", clock));
                        continue;
                    }
                    members.push(Member {
                        waits: Waits::Clock(clock.clone(), *after),
                        filters: filters.clone(),
                    });
                }
                EventMember::Rings(clock) => {
                    if !scope.outside.clocks.contains(&clock.text) {
                        diagnostics.push(undeclared("clock", "Clock", clock));
                        continue;
                    }
                    members.push(Member {
                        waits: Waits::Rings(clock.clone()),
                        filters: filters.clone(),
                    });
                }
                EventMember::Channel(channel, received) => {
                    if !scope.outside.channels.contains_key(&channel.text) {
                        diagnostics.push(undeclared("channel", "Channel", channel));
                        continue;
                    }
                    let received = received.as_ref().map(|(ty, name)| {
                        let params = &building.event.params;
                        let declared = params.iter().find(|(_, p)| p.text == name.text);
                        let ty = ty.as_ref().or(declared.and_then(|(ty, _)| ty.as_ref()));
                        (name.clone(), ty.map_or(Ty::Object, Ty::of))
                    });
                    members.push(Member {
                        waits: Waits::Channel(channel.clone(), received),
                        filters: filters.clone(),
                    });
                }
                EventMember::Method(method) => {
                    let source = source(method, &wheres, scope, imports, building, diagnostics);
                    building.sources.push(source);
                    let waits = Waits::Event(building.name.clone());
                    let known = members.iter().any(
                        |m| matches!(&m.waits, Waits::Event(n) if n.text == building.name.text),
                    );
                    if !known {
                        members.push(Member { waits, filters: filters.clone() });
                    }
                }
            }
        }
    }
}

/// The filter of an event, if the event is made of methods and the filter reads the event only.
fn admission(event: &tree::Event) -> Option<&tree::Expr> {
    let filter = event.collection.filter.as_ref()?;
    let methods = event.collection.members.iter().all(|m| matches!(m, EventMember::Method(_)));
    let own = |name: &str| event.params.iter().any(|(_, n)| n.text == name);
    (methods && reads_only(filter, &own)).then_some(filter)
}

fn reads_only(e: &tree::Expr, own: &dyn Fn(&str) -> bool) -> bool {
    let all = |list: &[tree::Expr]| list.iter().all(|e| reads_only(e, own));
    match &e.kind {
        ExprKind::Name(name) => own(name),
        // A constant of a class, which the translation knows or refuses.
        ExprKind::Field(..) => dotted(e).is_some(),
        ExprKind::Call(target, _, args) => {
            all(args)
                && target.as_ref().is_none_or(|t| {
                    dotted(t).is_some_and(|p| own(&p) || p.starts_with(char::is_uppercase))
                })
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => reads_only(a, own),
        ExprKind::Binary(_, a, b) => reads_only(a, own) && reads_only(b, own),
        ExprKind::Choice(a, b, c) => reads_only(a, own) && reads_only(b, own) && reads_only(c, own),
        ExprKind::Int(..)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::Null => true,
        _ => false,
    }
}

fn param(ty: Option<&TypeName>, name: &Name) -> ww::Param {
    let ty = ty.and_then(|ty| Ty::of(ty).name(ty.span));
    ww::Param { name: name.clone(), ty, key: None }
}

fn undeclared(what: &str, class: &str, name: &Name) -> Diagnostic {
    Diagnostic::error(Code::UnknownName, name.span, format!("there is no {what} `{}`", name.text))
        .help(format!("declare it: `{class} {} = new {class}();` in VARIABLES", name.text))
}

/// Reports that there is no such event.
pub fn unknown_event<'n>(name: &Name, known: impl Iterator<Item = &'n String>) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownName,
        name.span,
        format!("there is no event `{}` before this", name.text),
    )
    .did_you_mean(nearest(&name.text, known.map(String::as_str)))
}

fn source<'s>(
    method: &'s tree::MethodEvent,
    wheres: &[&'s (Name, tree::Expr)],
    scope: &Scope<'s>,
    imports: &Imports<'_>,
    building: &mut Building<'s>,
    diagnostics: &mut Vec<Diagnostic>,
) -> ww::Source {
    let event = building.event;
    let declared = |name: &str| event.params.iter().find(|(_, n)| n.text == name);
    let declared_type = |name: &str| {
        declared(name)
            .and_then(|(ty, _)| ty.as_ref())
            .or_else(|| scope.foreach.iter().find(|f| f.name.text == name).map(|f| &f.ty))
    };
    // Values that the member names in its signature can be used after `where`.
    let mut captures: Vec<ww::Capture<JvmTerm>> = Vec::new();
    let mut capture = |name: &Name, term: JvmTerm| {
        captures.push(ww::Capture { param: name.clone(), term, span: name.span });
    };
    let constructor = method.method.text == "new";
    let handles = matches!(method.variation, Variation::Handling(..));

    // A target that is no parameter is a type: `Account.new(*)`, `Registry.lookup(*)`.
    let is_variable =
        |name: &Name| declared_type(&name.text).is_some() || declared(&name.text).is_some();
    let owner = match (&method.owner, &method.target) {
        (Some(ty), _) => imports.pattern(ty),
        (None, Some(name)) if !is_variable(name) => {
            imports.pattern(&TypeName { name: name.text.clone(), subtypes: false, span: name.span })
        }
        (None, Some(name)) => match declared_type(&name.text) {
            Some(ty) => TypePattern { subtypes: true, ..imports.pattern(ty) },
            None => TypePattern::any(),
        },
        (None, None) => TypePattern::any(),
    };
    if let Some(target) = method.target.as_ref().filter(|_| !constructor) {
        // An exception is handled inside the method.
        capture(target, if handles { JvmTerm::This } else { JvmTerm::Receiver });
    }
    let mut params = Vec::new();
    let mut at = 0u32;
    for arg in &method.args {
        match arg {
            MethodArg::Rest => params.push(ParamPattern::Rest),
            MethodArg::One(ty, name) => {
                let ty = ty.as_ref().or_else(|| name.as_ref().and_then(|n| declared_type(&n.text)));
                let pattern = ty.map_or_else(TypePattern::any, |ty| imports.pattern(ty));
                params.push(ParamPattern::One(pattern));
                if let Some(name) = name {
                    if handles && declared(&name.text).is_some() {
                        diagnostics.push(
                            Diagnostic::error(
                                Code::LarvaSubset,
                                name.span,
                                format!(
                                    "`{}` is not known where an exception is handled",
                                    name.text
                                ),
                            )
                            .rule("the arguments of a method are known only where it is called")
                            .help("write `*` for the arguments, and remove the parameter"),
                        );
                    } else {
                        capture(name, JvmTerm::Arg(at));
                    }
                }
                at += 1;
            }
        }
    }
    let pattern = MethodPattern {
        owner: owner.clone(),
        name: Glob::new(if constructor { "<init>" } else { &method.method.text }),
        params: if matches!(params.as_slice(), [ParamPattern::Rest]) { None } else { Some(params) },
        returns: None,
        annotations: Vec::new(),
        negated: false,
        supers: true,
    };
    let mut point =
        if method.execution { JoinPoint::execution(pattern) } else { JoinPoint::call(pattern) };
    let mut within: Vec<Within> = Vec::new();
    let when = match &method.variation {
        Variation::Before => JvmWhen::Before,
        Variation::Returning(value) => {
            if let Some(value) = value {
                let term = if constructor { JvmTerm::Receiver } else { JvmTerm::Result };
                capture(value, term);
            }
            JvmWhen::After
        }
        Variation::Throwing(ty, value) => {
            if let Some(ty) = ty.as_ref().filter(|ty| !WHATEVER_IS_THROWN.contains(&&*ty.name)) {
                let what = "the event happens for every exception, not only for this type";
                diagnostics.push(
                    Diagnostic::error(Code::LarvaSubset, ty.span, what)
                        .help("remove the type, or write `uponHandling` where it is caught"),
                );
            }
            if let Some(value) = value {
                capture(value, JvmTerm::Exception);
            }
            JvmWhen::Throwing
        }
        Variation::Handling(ty, value) => {
            if let Some(value) = value {
                capture(value, JvmTerm::Exception);
            }
            let caught =
                ty.as_ref().or_else(|| value.as_ref().and_then(|v| declared_type(&v.text)));
            let caught = caught.map_or_else(TypePattern::any, |ty| imports.pattern(ty));
            point = JoinPoint::of_type(PointKind::Handler, caught);
            let name = if constructor { "<init>" } else { &method.method.text };
            let name = Some(Glob::new(name)).filter(|_| method.method.text != "*");
            within.push(Within { owner, method: name, negated: false });
            JvmWhen::Before
        }
    };
    if let Some((ty, name)) = &method.within {
        within.push(Within { owner: imports.pattern(ty), method: None, negated: false });
        if let Some(name) = name {
            capture(name, JvmTerm::This);
        }
    }
    assign(wheres, scope, event, imports, &mut captures, diagnostics);
    captures.retain(|c| {
        declared(&c.param.text).is_some()
            || scope.foreach.iter().any(|f| f.name.text == c.param.text)
    });
    // The event must determine the value of the FOREACH variable.
    for each in &scope.foreach {
        let given = captures.iter().any(|c| c.param.text == each.name.text);
        if !given {
            diagnostics.push(
                Diagnostic::error(
                    Code::LarvaWhere,
                    method.span,
                    format!(
                        "this event does not determine which `{}` it belongs to",
                        each.name.text
                    ),
                )
                .also(each.name.span, "for each of these")
                .help(format!("add `where {} = …;` after the event", each.name.text)),
            );
        }
        if !building.params.iter().any(|p| p.name.text == each.name.text) {
            building.params.push(param(Some(&each.ty), &each.name));
        }
    }
    for (_, param) in &event.params {
        let context = scope.foreach.iter().any(|each| each.name.text == param.text);
        if !context && !captures.iter().any(|c| c.param.text == param.text) {
            diagnostics.push(
                Diagnostic::error(
                    Code::UnboundParam,
                    method.span,
                    format!("this event does not supply `{}`", param.text),
                )
                .also(param.span, "a parameter of the event")
                .rule("every member of an event must supply all of its parameters")
                .help(format!(
                    "name it: `m(int {0})`, `uponReturning({0})`, or `where {0} = …;` after it",
                    param.text
                )),
            );
        }
    }
    for (name, term) in &scope.invariants {
        let value = on_capture(term, &captures, imports);
        match value {
            Some(value) => {
                let param_name = Name { text: name.text.clone(), span: name.span };
                captures.push(ww::Capture { param: param_name.clone(), term: value, span: term.span });
                if !building.params.iter().any(|p| p.name.text == name.text) {
                    building.params.push(param(None, &param_name));
                }
            }
            None => diagnostics.push(
                Diagnostic::error(
                    Code::LarvaSubset,
                    term.span,
                    "an invariant reads a field, or calls a method without arguments, of a FOREACH variable",
                )
                .help("write `x.field` or `x.method()`"),
            ),
        }
    }
    for capture in &mut captures {
        if scope.equal.contains(&capture.param.text.as_str()) {
            capture.term = JvmTerm::Equal(Box::new(capture.term.clone()));
        }
    }
    let source = JvmSource {
        when,
        point,
        thrown: None,
        thrown_by: ThrownBy::Anybody,
        saying: None,
        instances: Vec::new(),
        within,
        captures: Vec::new(),
    };
    ww::Source { kind: ww::SourceKind::Jvm { source, captures }, span: method.span }
}

/// `where` assignments: terms over the captured values of the event.
fn assign(
    wheres: &[&(Name, tree::Expr)],
    scope: &Scope<'_>,
    event: &tree::Event,
    imports: &Imports<'_>,
    captures: &mut Vec<ww::Capture<JvmTerm>>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (name, value) in wheres {
        let known = scope.foreach.iter().any(|f| f.name.text == name.text)
            || event.params.iter().any(|(_, n)| n.text == name.text);
        if !known {
            diagnostics.push(
                Diagnostic::error(
                    Code::UnknownName,
                    name.span,
                    format!("`{}` is neither a parameter of the event nor of a FOREACH", name.text),
                )
                .rule("`where` says which object of a FOREACH an event belongs to"),
            );
            continue;
        }
        let term = on_capture(value, captures, imports).unwrap_or_else(|| {
            diagnostics.push(
                Diagnostic::error(
                    Code::LarvaWhere,
                    value.span,
                    "this cannot be computed when the event happens",
                )
                .rule(
                    "`where` may use an object of the event or an argument of the method, its fields, and its methods without arguments: `u = account.getOwner();`",
                ),
            );
            // The mistake was already reported; no further one follows from it.
            JvmTerm::Thread
        });
        captures.retain(|c| c.param.text != name.text);
        captures.push(ww::Capture { param: name.clone(), term, span: value.span });
    }
}

/// A term over the captured values of the event, and static fields.
pub fn on_capture(
    e: &tree::Expr,
    captures: &[ww::Capture<JvmTerm>],
    imports: &Imports<'_>,
) -> Option<JvmTerm> {
    let on = |e: &tree::Expr| on_capture(e, captures, imports);
    match &e.kind {
        ExprKind::Name(name) => {
            let found = captures.iter().find(|c| c.param.text == *name)?;
            // If objects are equal, the term is evaluated on the object of the event.
            Some(match &found.term {
                JvmTerm::Equal(inner) => (**inner).clone(),
                term => term.clone(),
            })
        }
        ExprKind::Field(inner, field) => match on(inner) {
            Some(term) => Some(JvmTerm::Field(Box::new(term), field.text.clone())),
            None => {
                let owner = dotted(inner)?;
                let is_type = owner.rsplit('.').next()?.chars().next()?.is_uppercase();
                let owner = imports.class(&owner);
                is_type.then(|| JvmTerm::StaticField(owner, field.text.clone()))
            }
        },
        ExprKind::Call(Some(inner), method, args) if args.is_empty() => {
            Some(JvmTerm::Call(Box::new(on(inner)?), method.text.clone()))
        }
        ExprKind::Call(..) => Some(JvmTerm::Holds(Box::new(on(held(e)?)?))),
        ExprKind::Cast(_, inner) => on(inner),
        _ => None,
    }
}

/// The object in `Thread.holdsLock(o)`.
fn held(e: &tree::Expr) -> Option<&tree::Expr> {
    let ExprKind::Call(Some(class), method, args) = &e.kind else { return None };
    match (dotted(class)?.as_str(), method.text.as_str(), args.as_slice()) {
        ("Thread" | "java.lang.Thread", "holdsLock", [object]) => Some(object),
        _ => None,
    }
}

/// Whether a term begins with a static field. Classes of the program are not found where the values of
/// an event are fetched.
fn begins_static(term: &JvmTerm) -> bool {
    match term {
        JvmTerm::StaticField(..) => true,
        JvmTerm::Field(inner, _) | JvmTerm::Call(inner, _) => begins_static(inner),
        _ => false,
    }
}

/// The name of a term that an event supplies: `u.isActive()` is `u__isActive`.
pub fn parameter_name(e: &tree::Expr) -> Option<String> {
    match &e.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Field(inner, name) => Some(format!("{}__{}", parameter_name(inner)?, name.text)),
        _ if let Some(object) = held(e) => Some(format!("{}__held", parameter_name(object)?)),
        ExprKind::Call(Some(inner), name, _) => {
            Some(format!("{}__{}", parameter_name(inner)?, name.text))
        }
        ExprKind::Cast(_, inner) => parameter_name(inner),
        _ => None,
    }
}

/// Adds a term of the program to the parameters of an event, if all of its sources can supply it.
/// Returns the name of the term.
pub fn bring(e: &tree::Expr, event: &mut ww::Event, imports: &Imports<'_>) -> Option<Name> {
    let name = Name { text: parameter_name(e)?, span: e.span };
    if event.params.list.iter().any(|p| p.name.text == name.text) {
        return Some(name);
    }
    let term = |source: &ww::Source| match &source.kind {
        ww::SourceKind::Jvm { captures, .. } => on_capture(e, captures, imports),
        _ => None,
    };
    let terms: Vec<JvmTerm> = event.sources.iter().map(term).collect::<Option<_>>()?;
    if terms.iter().any(begins_static) {
        return None;
    }
    for (source, term) in event.sources.iter_mut().zip(terms) {
        if let ww::SourceKind::Jvm { captures, .. } = &mut source.kind {
            captures.push(ww::Capture { param: name.clone(), term, span: e.span });
        }
    }
    event.params.list.push(ww::Param { name: name.clone(), ty: None, key: None });
    Some(name)
}
