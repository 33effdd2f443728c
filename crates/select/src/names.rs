//! Names of types: descriptors, internal names, and names as properties write them.

/// The name of a primitive type, or `void`, by its descriptor.
pub(crate) fn primitive(descriptor: &str) -> Option<&'static str> {
    Some(match descriptor {
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        "Z" => "boolean",
        "V" => "void",
        _ => return None,
    })
}

/// `Ljava/util/List;` → `java.util.List`, `[I` → `int[]`.
pub fn dotted_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let class = || element.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let name = match primitive(element) {
        Some(name) => name.to_string(),
        None => class().unwrap_or(element).replace('/', "."),
    };
    name + &"[]".repeat(descriptor.len() - element.len())
}

/// Internal name or array descriptor, as class constants have them → name with dots.
pub fn dotted(internal: &str) -> String {
    if internal.starts_with('[') { dotted_type(internal) } else { internal.replace('/', ".") }
}

/// Internal name or array descriptor → descriptor.
pub fn descriptor_of(internal: &str) -> String {
    if internal.starts_with('[') { internal.to_string() } else { format!("L{internal};") }
}

/// The name of a member: `java.util.Iterator.next`.
pub fn full_name(owner: &str, name: &str) -> String {
    format!("{}.{name}", dotted(owner))
}

/// At most so many names come out of a pattern.
const MAX_NAMES: usize = 256;

/// The alternatives of a pattern, spelt out; wildcards stay. If there are too many, the pattern.
pub fn expand(glob: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut work = vec![glob.to_string()];
    while let Some(text) = work.pop() {
        if done.len() + work.len() > MAX_NAMES {
            return vec![glob.to_string()];
        }
        // An innermost group: the last opening brace before the first closing one.
        let group = text.find('}').and_then(|close| Some((text[..close].rfind('{')?, close)));
        match group {
            Some((open, close)) => {
                for part in text[open + 1..close].split(',') {
                    work.push(format!("{}{}{}", &text[..open], part.trim(), &text[close + 1..]));
                }
            }
            None => done.push(text),
        }
    }
    done
}

/// The names that a pattern matches, if they can be listed.
pub fn listed(glob: &str) -> Option<Vec<String>> {
    let names = expand(glob);
    let plain = |name: &String| !name.contains(['*', '?', '{', '}']);
    names.iter().all(plain).then_some(names)
}
