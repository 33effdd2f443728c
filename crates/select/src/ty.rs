//! Types, and whether patterns mean them.

use watchword_model::{Glob, TypePattern, names_class};

use crate::answer::{Answer, Test};
use crate::names::{dotted, listed, primitive};
use crate::types::{Annotated, Types};

/// A type as code or a record names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty<'a> {
    element: Element<'a>,
    /// How many dimensions it has as an array.
    dimensions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element<'a> {
    /// A class, with slashes or dots.
    Class(&'a str),
    /// A primitive type or `void`, as sources write it.
    Primitive(&'a str),
    /// The record does not name it.
    Unknown,
}

const PRIMITIVES: [&str; 9] =
    ["boolean", "byte", "char", "short", "int", "long", "float", "double", "void"];

impl<'a> Ty<'a> {
    /// A type nothing is known of.
    pub const UNKNOWN: Ty<'static> = Ty { element: Element::Unknown, dimensions: 0 };

    /// From a descriptor: `Ljava/util/List;`, `[I`, `V`.
    pub fn of_descriptor(descriptor: &'a str) -> Ty<'a> {
        let element = descriptor.trim_start_matches('[');
        let dimensions = descriptor.len() - element.len();
        let class = element.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let element = match (class, primitive(element)) {
            (Some(class), _) => Element::Class(class),
            (None, Some(name)) => Element::Primitive(name),
            (None, None) => Element::Class(element),
        };
        Ty { element, dimensions }
    }

    /// From what a constant of a class file says: an internal name or the descriptor of an array.
    pub fn of_class(class: &'a str) -> Ty<'a> {
        match class.starts_with('[') {
            true => Ty::of_descriptor(class),
            false => Ty { element: Element::Class(class), dimensions: 0 },
        }
    }

    /// From a name as sources write it, `int`, `java.util.List[]`, or as constants of a class file do.
    pub fn of_source(mut name: &'a str) -> Ty<'a> {
        if name.starts_with('[') {
            return Ty::of_descriptor(name);
        }
        let mut dimensions = 0;
        while let Some(element) = name.strip_suffix("[]") {
            (name, dimensions) = (element, dimensions + 1);
        }
        let element = match PRIMITIVES.contains(&name) {
            true => Element::Primitive(name),
            false => Element::Class(name),
        };
        Ty { element, dimensions }
    }

    /// Whether it is a class or an array.
    pub fn is_reference(self) -> bool {
        self.dimensions > 0 || matches!(self.element, Element::Class(_))
    }

    /// The class, if it is one.
    pub fn class(self) -> Option<&'a str> {
        match self.element {
            Element::Class(name) if self.dimensions == 0 => Some(name),
            _ => None,
        }
    }
}

/// Whether the name of a pattern means a class. Most patterns are plain names: they are compared
/// without making a name with dots.
fn names(pattern: &Glob, class: &str) -> bool {
    if !pattern.is_literal() {
        let nested = class.contains('$');
        return is_spelt(pattern, class, b'$') || (nested && is_spelt(pattern, class, b'.'));
    }
    let text = pattern.text().as_bytes();
    let is = |nested: u8| {
        let dots = class.bytes().map(|byte| match byte {
            b'/' => b'.',
            b'$' => nested,
            other => other,
        });
        text.len() == class.len() && dots.eq(text.iter().copied())
    };
    is(b'$') || is(b'.')
}

/// Whether a pattern matches the name of a class with dots, and that character before nested classes.
fn is_spelt(pattern: &Glob, class: &str, nested: u8) -> bool {
    let spelt = |byte: &u8| match byte {
        b'/' => b'.',
        b'$' => nested,
        other => *other,
    };
    // Hardly any name is longer, and this is asked very often.
    let mut room = [0; 128];
    let Some(dotted) = room.get_mut(..class.len()) else {
        let name = dotted(class);
        return pattern.matches(&if nested == b'.' { name.replace('$', ".") } else { name });
    };
    dotted.iter_mut().zip(class.as_bytes()).for_each(|(to, from)| *to = spelt(from));
    std::str::from_utf8(dotted).is_ok_and(|name| pattern.matches(name))
}

/// Whether a type matches by what the code says about it, whatever the object may be.
pub fn is_type(pattern: &TypePattern, ty: Ty<'_>, types: &dyn Types) -> Answer {
    matches_named(pattern, ty, types).negated_if(pattern.negated)
}

/// Whether an object of a static type matches: where the pattern is of subtypes and names a type below
/// the static one, the object has to be tested.
pub fn is_object(pattern: &TypePattern, ty: Ty<'_>, types: &dyn Types) -> Answer {
    matches_object(pattern, ty, types).negated_if(pattern.negated)
}

fn matches_object(pattern: &TypePattern, ty: Ty<'_>, types: &dyn Types) -> Answer {
    let answer = matches_named(pattern, ty, types);
    if answer == Answer::Yes {
        return answer;
    }
    let below = || {
        let (class, wanted) = (ty.class()?, plain(pattern, types)?);
        let is = is_subtype(&wanted, class, types).unwrap_or(types.unknown().may());
        is.then_some(Answer::Maybe(Test::Instance(wanted)))
    };
    below().unwrap_or(answer)
}

/// The class that a pattern of one class and its subtypes names; of alternatives, the only one that exists.
pub(crate) fn plain(pattern: &TypePattern, types: &dyn Types) -> Option<String> {
    let text = pattern.name.text();
    if !pattern.subtypes || !pattern.annotations.is_empty() || text.ends_with("[]") {
        return None;
    }
    if pattern.name.is_literal() {
        return Some(types.class_named(text));
    }
    // Of alternatives, such as one per imported package, one class may exist.
    let names = listed(text)?.into_iter().map(|name| types.class_named(&name));
    let mut names = names.filter(|name| types.exists(name));
    names.next().filter(|_| names.next().is_none())
}

/// Whether a class is another or below it.
pub(crate) fn is_subtype(sub: &str, above: &str, types: &dyn Types) -> Option<bool> {
    if sub == above || above == "java/lang/Object" {
        return Some(true);
    }
    types.above(sub, &mut |name| name == above)
}

/// Whether a type is named, or one above it where the pattern is of subtypes; and annotated.
fn matches_named(pattern: &TypePattern, ty: Ty<'_>, types: &dyn Types) -> Answer {
    let named = match (ty.class(), ty.element) {
        (_, Element::Unknown) => types.unknown(),
        (Some(class), _) => {
            if names(&pattern.name, class) {
                Answer::Yes
            } else if pattern.subtypes {
                known(types.above(class, &mut |name| names(&pattern.name, name)), types)
            } else {
                Answer::No
            }
        }
        (None, element) => is_other(pattern, element, ty.dimensions, types),
    };
    if pattern.annotations.is_empty() || named == Answer::No {
        return named;
    }
    let Some(class) = ty.class() else { return Answer::No };
    named.and(has_all(&pattern.annotations, Annotated::Class(class), types))
}

/// Whether a primitive type or an array is named, or a type above it.
fn is_other(
    pattern: &TypePattern,
    element: Element<'_>,
    dimensions: usize,
    types: &dyn Types,
) -> Answer {
    let brackets = "[]".repeat(dimensions);
    let named = |name: &str| pattern.names(&format!("{}{brackets}", dotted(name)));
    let (Element::Class(name) | Element::Primitive(name)) = element else {
        return types.unknown();
    };
    if named(name) {
        return Answer::Yes;
    }
    if !pattern.subtypes || dimensions == 0 {
        return Answer::No;
    }
    let general = ["java.lang.Object", "java.lang.Cloneable", "java.io.Serializable"];
    if general.iter().any(|name| pattern.names(name)) {
        return Answer::Yes;
    }
    match element {
        Element::Class(class) => known(types.above(class, &mut |name| named(name)), types),
        Element::Primitive(_) | Element::Unknown => Answer::No,
    }
}

/// Whether something has all of these annotations.
pub(crate) fn has_all(patterns: &[Glob], what: Annotated<'_>, types: &dyn Types) -> Answer {
    patterns.iter().fold(Answer::Yes, |all, pattern| {
        all.and(known(types.annotated(what, &mut |name| names_class(pattern, name)), types))
    })
}

/// An answer where it is known.
pub(crate) fn known(truth: Option<bool>, types: &dyn Types) -> Answer {
    truth.map_or_else(|| types.unknown(), Answer::of)
}
