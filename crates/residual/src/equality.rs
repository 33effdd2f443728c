//! Objects that a property compares by `equals`.
//!
//! Where they are, what the analyses know about identities says nothing: all sites may be about
//! objects that are equal. But most classes of most programs do not say what is equal, and then
//! `equals` is identity.

use std::borrow::Cow;

use watchword_classfile::{ClassFile, access};
use watchword_model::{
    Capture, EventId, JvmSource, JvmTerm, Model, Origin, ParamPattern, Property, Source,
    TypePattern,
};

use crate::analysis::Assumed;
use crate::jvm::program::Program;
use crate::mistake::Mistake;

/// What results about properties that compare by `equals` assume.
pub const ASSUMPTION: Assumed = Assumed {
    name: "equals is stable",
    text: "objects compared by `equals` are observed after their constructors, and those whose fields are \
     all final do not change what they equal",
};

/// Whether some property of a model compares objects by `equals`.
pub fn compares(model: &Model) -> bool {
    model.properties.iter().any(|property| compares_objects(model, property))
}

/// Whether a property compares objects by `equals`.
pub fn compares_objects(model: &Model, property: &Property) -> bool {
    let compared = |event| captures(model, event).any(|(_, capture)| is_equal(&capture.term));
    property.alphabet.iter().any(|observed| compared(observed.event))
}

/// The model, in which objects are compared by identity wherever that is the same in this program.
pub fn resolved<'m>(program: &Program<'_>, model: &'m Model) -> Cow<'m, Model> {
    let events = || (0..model.events.len()).map(EventId::from_index);
    if !compares(model) {
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

/// Whether what is equal may change, while the program runs, among objects that a model compares by
/// `equals`. Then it matters which of them is seen first: it stands for those that equal it then.
pub fn may_change(program: &Program<'_>, model: &Model) -> bool {
    if Mistake::EqualForGood.is_made() {
        return false;
    }
    let observed = model.properties.iter().flat_map(|p| &p.alphabet);
    observed
        .flat_map(|observed| captures(model, observed.event))
        .filter(|(_, capture)| is_equal(&capture.term))
        .any(|(source, capture)| !all_objects(program, source, &capture.term, is_steady))
}

/// Whether `equals` of all objects that a term can be is that of `java.lang.Object`.
fn is_identity(program: &Program<'_>, source: &JvmSource, term: &JvmTerm) -> bool {
    Mistake::NobodySaysWhatIsEqual.is_made() || all_objects(program, source, term, inherits)
}

type OfClass = fn(&Program<'_>, &str) -> bool;

/// Whether all objects that a term can be are of classes that are like this.
fn all_objects(program: &Program<'_>, source: &JvmSource, term: &JvmTerm, like: OfClass) -> bool {
    let JvmTerm::Equal(term) = term else { return true };
    let Some(method) = source.point.method() else {
        return false;
    };
    match (&**term, &method.params) {
        (JvmTerm::Receiver, _) if !method.negated => all_named(program, &method.owner, like),
        (JvmTerm::Arg(at), Some(params)) if !method.negated => {
            let listed = &params[..params.len().min(*at as usize + 1)];
            match listed.last() {
                Some(ParamPattern::One(ty))
                    if listed.len() == *at as usize + 1
                        && listed.iter().all(|p| matches!(p, ParamPattern::One(_))) =>
                {
                    all_named(program, ty, like)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether all objects of a type are of classes that are like this.
fn all_named(program: &Program<'_>, pattern: &TypePattern, like: OfClass) -> bool {
    if pattern.negated || !pattern.annotations.is_empty() {
        return false;
    }
    let text = pattern.name.text();
    let alternatives = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    if alternatives.contains(['*', '?', '[', '{']) {
        return false;
    }
    // What neither the program nor the platform has is none at all.
    let named: Vec<String> =
        alternatives.split(',').flat_map(|name| classes_named(program, name)).collect();
    !named.is_empty() && named.iter().all(|name| all_below(program, name, like))
}

/// The classes that a name with dots stands for: it may be that of a nested class, `Outer.Inner`.
fn classes_named(program: &Program<'_>, name: &str) -> Vec<String> {
    let is_named =
        |class: &String| class.replace('/', ".") == name || class.replace(['/', '$'], ".") == name;
    let all =
        program.code.classes.iter().filter_map(|c| Some(c.name().ok()?.to_str().into_owned()));
    let mut named: Vec<String> = all.filter(is_named).collect();
    let parts: Vec<&str> = name.split('.').collect();
    for at in 1..=parts.len() {
        let (outer, nested) = parts.split_at(at);
        let outer = outer.join("/");
        let class = nested.iter().fold(outer, |outer, inner| format!("{outer}${inner}"));
        if !named.contains(&class) && program.types.platform_class(&class).is_some() {
            named.push(class);
        }
    }
    named
}

/// Whether a class and all below it are like this. Those below a class of the platform are not all
/// known, unless it is final.
fn all_below(program: &Program<'_>, name: &str, like: OfClass) -> bool {
    if !program.is_own_class(name) {
        let is_final = |bytes: &[u8]| {
            ClassFile::parse(bytes).is_ok_and(|class| class.has_access(access::FINAL))
        };
        return program.types.platform_class(name).is_some_and(|b| is_final(&b))
            && like(program, name);
    }
    below(program, name).iter().all(|class| like(program, class))
}

/// The program's classes that are, or may be, below one: also those whose ancestors are missing.
fn below(program: &Program<'_>, name: &str) -> Vec<String> {
    let names =
        program.code.classes.iter().filter_map(|c| Some(c.name().ok()?.to_str().into_owned()));
    names.filter(|class| program.types.is_subtype(class, name) != Some(false)).collect()
}

/// Final classes of the platform whose objects stay as they are.
const CONSTANTS: [&str; 11] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/String",
    "java/time/LocalDate",
    "java/util/UUID",
];

/// Whether what objects of a class equal stays as it is: all their fields are final and hold what
/// stays as it is, or identity decides.
fn is_steady(program: &Program<'_>, class: &str) -> bool {
    is_steady_within(program, class, &mut Vec::new())
}

fn is_steady_within(program: &Program<'_>, class: &str, around: &mut Vec<String>) -> bool {
    if CONSTANTS.contains(&class) || inherits(program, class) {
        return true;
    }
    // Objects that hold objects of their own class may be compared however deep.
    if around.iter().any(|name| name == class) {
        return false;
    }
    around.push(class.to_owned());
    let mut name = class.to_owned();
    let steady = loop {
        if ["java/lang/Object", "java/lang/Record", "java/lang/Enum"].contains(&&*name) {
            break true;
        }
        let Some(own) = program.class_file(&name) else { break false };
        let stays = own.fields().all(|field| {
            let ty = field.descriptor().map(|d| d.to_str().into_owned()).unwrap_or_default();
            let holds_steady = match ty.strip_prefix('L').and_then(|t| t.strip_suffix(';')) {
                Some(class) => is_held_steady(program, class, around),
                None => !ty.starts_with('['),
            };
            field.has_access(access::STATIC) || field.has_access(access::FINAL) && holds_steady
        });
        match own.super_name() {
            Ok(Some(above)) if stays => name = above.to_str().into_owned(),
            _ => break false,
        }
    };
    around.pop();
    steady
}

/// Whether what a field of a type holds stays as it is.
fn is_held_steady(program: &Program<'_>, class: &str, around: &mut Vec<String>) -> bool {
    if CONSTANTS.contains(&class) {
        return true;
    }
    if !program.is_own_class(class) {
        return false;
    }
    below(program, class).iter().all(|class| is_steady_within(program, class, around))
}

/// Whether a class has the `equals` of `java.lang.Object`.
fn inherits(program: &Program<'_>, class: &str) -> bool {
    let mut name = class.to_owned();
    while name != "java/lang/Object" {
        let above = match program.class_file(&name) {
            Some(class) => above_unless_equals(class),
            None => program
                .types
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
