//! Objects that a property compares by `equals`.
//!
//! Where they are, what the analyses know about identities says nothing: all sites may be about
//! objects that are equal. But most classes of most programs do not say what is equal, and then
//! `equals` is identity.

use std::borrow::Cow;

use watchword_classfile::ClassFile;
use watchword_model::{
    Capture, EventId, JoinPoint, JvmSource, JvmTerm, Model, Origin, ParamPattern, Property, Source,
    TypePattern,
};

use crate::jvm::program::Program;
use crate::jvm::select::Types;
use crate::mistake::Mistake;

/// The model, in which objects are compared by identity wherever that is the same in this program.
pub fn resolved<'m>(program: &Program<'_>, model: &'m Model) -> Cow<'m, Model> {
    let events = || (0..model.events.len()).map(EventId::from_index);
    if !events().any(|event| captures(model, event).any(|(_, c)| is_equal(&c.term))) {
        return Cow::Borrowed(model);
    }
    let harmless = |property: &Property| {
        property.alphabet.iter().all(|observed| {
            captures(model, observed.event)
                .filter(|(_, capture)| is_equal(&capture.term))
                .all(|(source, capture)| is_identity(program, source, &capture.term))
        })
    };
    let all: Vec<bool> = model.properties.iter().map(harmless).collect();
    let mut resolved = model.clone();
    for event in events() {
        let mut observers =
            model.properties.iter().zip(&all).filter(|(p, _)| p.observes(event).is_some());
        if observers.all(|(_, harmless)| *harmless)
            && let Origin::World(sources) = &mut resolved.events[event.index()].origin
        {
            for source in sources {
                let Source::Jvm(source) = source else { continue };
                for capture in &mut source.captures {
                    if let JvmTerm::Equal(inner) = &capture.term {
                        capture.term = (**inner).clone();
                    }
                }
            }
        }
    }
    Cow::Owned(resolved)
}

/// Whether a term stands for all objects that are equal.
pub fn is_equal(term: &JvmTerm) -> bool {
    matches!(term, JvmTerm::Equal(_))
}

fn captures(
    model: &Model,
    event: EventId,
) -> impl Iterator<Item = (&JvmSource, &Capture<JvmTerm>)> {
    let sources = match &model.events[event.index()].origin {
        Origin::World(sources) => &sources[..],
        _ => &[],
    };
    let sources = sources.iter().filter_map(|source| match source {
        Source::Jvm(source) => Some(source),
        _ => None,
    });
    sources.flat_map(|source| source.captures.iter().map(move |capture| (source, capture)))
}

/// Whether `equals` of all objects that a term can be is that of `java.lang.Object`.
fn is_identity(program: &Program<'_>, source: &JvmSource, term: &JvmTerm) -> bool {
    if Mistake::NobodySaysWhatIsEqual.is_made() {
        return true;
    }
    let JvmTerm::Equal(term) = term else { return true };
    let (JoinPoint::Call(method) | JoinPoint::Execution(method)) = &source.point else {
        return false;
    };
    match (&**term, &method.params) {
        (JvmTerm::Receiver, _) if !method.negated => all_by_identity(program, &method.owner),
        (JvmTerm::Arg(at), Some(params)) if !method.negated => {
            let listed = &params[..params.len().min(*at as usize + 1)];
            match listed.last() {
                Some(ParamPattern::One(ty))
                    if listed.len() == *at as usize + 1
                        && listed.iter().all(|p| matches!(p, ParamPattern::One(_))) =>
                {
                    all_by_identity(program, ty)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether no object of a type, or of a type below it, is compared otherwise.
fn all_by_identity(program: &Program<'_>, pattern: &TypePattern) -> bool {
    if pattern.negated || !pattern.annotations.is_empty() {
        return false;
    }
    let text = pattern.name.text();
    let alternatives = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    let mut own = Vec::new();
    for name in alternatives.split(',') {
        let name = name.replace('.', "/");
        if program.is_own_class(&name) {
            own.push(name);
        } else if name.contains(['*', '?', '[', '{']) || program.platform_class(&name).is_some() {
            return false;
        }
    }
    let names = program.classes.iter().filter_map(|class| Some(class.name().ok()?.to_str()));
    let below = |class: &str| own.iter().any(|ty| program.is_subtype(class, ty) != Some(false));
    !own.is_empty() && names.filter(|class| below(class)).all(|class| inherits(program, &class))
}

/// Whether a class has the `equals` of `java.lang.Object`.
fn inherits(program: &Program<'_>, class: &str) -> bool {
    let mut name = class.to_owned();
    while name != "java/lang/Object" {
        let own = program.classes.iter().find(|c| c.name().is_ok_and(|n| n.to_str() == name));
        let above = match own {
            Some(class) => above_unless_equals(class),
            None => program
                .platform_class(&name)
                .and_then(|bytes| above_unless_equals(&ClassFile::parse(&bytes).ok()?)),
        };
        match above {
            Some(above) => name = above,
            None => return false,
        }
    }
    true
}

/// The class above, if this one has no `equals` of its own.
fn above_unless_equals(class: &ClassFile<'_>) -> Option<String> {
    let declares = class.methods().into_iter().any(|method| {
        method.name().is_ok_and(|n| n == "equals")
            && method.descriptor().is_ok_and(|d| d == "(Ljava/lang/Object;)Z")
    });
    let above = class.super_name().ok()??.to_str().into_owned();
    (!declares).then_some(above)
}
