//! Names that Java's words keep a script from using.

use watchword_model::{Model, Origin};

use crate::larva::free;

const WORDS: [&str; 53] = [
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "try",
    "void",
    "volatile",
    "while",
    "true",
    "false",
    "null",
];

/// The model with other names for what is called like a word of Java, where a script would read them
/// as code: variables, parameters, clocks, channels and functions.
pub fn without_java_words(model: &Model) -> Model {
    let mut left = model.clone();
    let mut names: Vec<&mut String> = Vec::new();
    names.extend(left.variables.iter_mut().map(|v| &mut v.name));
    names.extend(left.clocks.iter_mut().map(|c| &mut c.name));
    names.extend(left.contexts.iter_mut().flat_map(|c| &mut c.params).map(|p| &mut p.name));
    for event in &mut left.events {
        if matches!(event.origin, Origin::Channel) {
            names.push(&mut event.name);
        }
        names.extend(event.params.iter_mut().map(|p| &mut p.name));
    }
    for function in &mut left.functions {
        names.push(&mut function.name);
        names.extend(function.params.iter_mut().map(|(name, _)| name));
    }
    // A word has one name everywhere: values of an event are identified by name.
    let all: Vec<String> = names.iter().map(|n| n.to_string()).collect();
    for name in names.into_iter().filter(|n| WORDS.contains(&n.as_str())) {
        *name = free(&format!("{name}_"), |text| all.iter().any(|other| other == text));
    }
    left
}
