//! The events a property speaks of.

use watchword_model::{
    Capture, EventDecl, EventId, Glob, Model, NativeKind, NativePoint, NativeSource,
    NativeVariable, NativeWhen, Origin, Param, Source, Type,
};

use super::tree::{Event, Point};
use crate::diagnostic::{Code, Diagnostic};

/// An event as a transition uses it: which argument each of its parameters is.
pub struct Used {
    pub event: EventId,
    /// Per parameter as written, the position of its argument.
    pub args: Vec<u32>,
}

/// The name of an event in traces and reports.
fn event_name(event: &Event) -> String {
    let name = match &event.point {
        Point::Call(function) => function.clone(),
        Point::Write(variable) => format!("write.{}", variable.text),
        Point::Read(variable) => format!("read.{}", variable.text),
        Point::Update(variable) => format!("update.{}", variable.text),
    };
    if event.after { format!("{name}.after") } else { name }
}

fn point(event: &Event) -> NativePoint {
    let variable =
        |v: &super::tree::Variable| NativeVariable { term: v.term.clone(), scope: v.scope.clone() };
    match &event.point {
        Point::Call(function) => NativePoint::call(Glob::new(function)),
        Point::Write(v) => NativePoint::of_variable(NativeKind::Write, variable(v)),
        Point::Read(v) => NativePoint::of_variable(NativeKind::Read, variable(v)),
        Point::Update(v) => NativePoint::of_variable(NativeKind::Update, variable(v)),
    }
}

/// Declares an event, or adds what this use of it asks for to its declaration: an event carries
/// every term that some transition wants of it, once.
pub fn declare(event: &Event, model: &mut Model, said: &mut Vec<Diagnostic>) -> Used {
    let name = event_name(event);
    let when = if event.after { NativeWhen::After } else { NativeWhen::Before };
    let point = point(event);
    let at = match model.event(&name) {
        Some(id) => {
            let same = |source: &Source| matches!(source, Source::Native(s) if s.when == when && s.point == point);
            let decl = &model.events[id.index()];
            if !matches!(&decl.origin, Origin::World(sources) if matches!(&sources[..], [s] if same(s)))
            {
                let message = format!("another file declares the event `{name}` differently");
                said.push(
                    Diagnostic::error(Code::DeclaredTwice, event.span, message)
                        .also(decl.span, "here")
                        .help("check the two files in separate runs"),
                );
                return Used { event: id, args: vec![0; event.params.len()] };
            }
            id
        }
        None => {
            let (module, caller) = (None, None);
            let source = NativeSource { when, point, module, caller, captures: Vec::new() };
            model.events.push(EventDecl {
                origin: Origin::World(vec![Source::Native(source)]),
                span: event.span,
                ..EventDecl::named(&name)
            });
            EventId::from_index(model.events.len() - 1)
        }
    };
    let decl = &mut model.events[at.index()];
    let Origin::World(sources) = &mut decl.origin else { unreachable!("declared above") };
    let Some(Source::Native(source)) = sources.first_mut() else { unreachable!("one source") };
    let mut args = Vec::new();
    for param in &event.params {
        let known = source.captures.iter().find(|c| c.term == param.term).map(|c| c.param);
        let index = known.unwrap_or_else(|| {
            let index = decl.params.len();
            source.captures.push(Capture { param: index, term: param.term.clone() });
            // Two names for different terms may be the same word in different transitions.
            let taken = decl.params.iter().any(|p| p.name == param.name.text);
            let name = match taken {
                true => format!("{}#{index}", param.name.text),
                false => param.name.text.clone(),
            };
            decl.params.push(Param { name, ty: param.ty });
            index
        });
        let declared = &mut decl.params[index].ty;
        if *declared == Type::Any {
            *declared = param.ty;
        } else if param.ty != Type::Any && param.ty != *declared {
            let message =
                format!("`{}` is of type {declared} elsewhere, not {}", param.name.text, param.ty);
            said.push(Diagnostic::error(Code::TypeMismatch, param.name.span, message));
        }
        args.push(index as u32);
    }
    Used { event: at, args }
}
