//! Names of types: descriptors, internal names, and names as properties write them.

/// `Ljava/util/List;` → `java.util.List`, `[I` → `int[]`.
pub fn dotted_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let name = match element {
        "B" => "byte".to_string(),
        "C" => "char".to_string(),
        "D" => "double".to_string(),
        "F" => "float".to_string(),
        "I" => "int".to_string(),
        "J" => "long".to_string(),
        "S" => "short".to_string(),
        "Z" => "boolean".to_string(),
        "V" => "void".to_string(),
        _ => element
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(element)
            .replace('/', "."),
    };
    name + &"[]".repeat(descriptor.len() - element.len())
}

/// Internal name or array descriptor, as class constants have them → name with dots.
pub fn dotted(internal: &str) -> String {
    if internal.starts_with('[') { dotted_type(internal) } else { internal.replace('/', ".") }
}
