//! Which language a property file is written in.

use watchword_model::Lang;

/// The language of a file: by its extension, and, as both dialects of TOPL share theirs, by
/// what is in it. `.ww` if nothing tells.
pub fn lang_of(name: &str, text: &str) -> Lang {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("topl") => detect(text).unwrap_or(Lang::Topl),
        Some("infer") => Lang::Infer,
        Some("prop" | "verde") => Lang::Verde,
        Some("lrv" | "larva") => Lang::Larva,
        Some("mop") => Lang::Mop,
        _ => Lang::Ww,
    }
}

/// Which dialect of TOPL a text is written in, if something in it belongs to one of them only.
pub fn detect(text: &str) -> Option<Lang> {
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or("");
        let second = words.next().unwrap_or("");
        match first {
            "observe" => return Some(Lang::Topl),
            "prefix" if second.starts_with('"') => return Some(Lang::Infer),
            "prefix" if second.starts_with('<') => return Some(Lang::Topl),
            "nondet" => return Some(Lang::Infer),
            _ => {}
        }
        if second != "->" {
            continue;
        }
        let Some((_, label)) = line.split_once(':') else { continue };
        let label = label.trim_start();
        if label.starts_with(['"', '#', '@', '~'])
            || label.starts_with("!\"")
            || label.contains(" when ")
            || label.contains("=>")
        {
            return Some(Lang::Infer);
        }
        let letter = label.split_whitespace().next().unwrap_or("");
        if label.contains(['<', '[', '.'])
            || label.contains(":=")
            || letter == "call"
            || letter == "return"
        {
            return Some(Lang::Topl);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_told_apart() {
        let infer = [
            "property P\n  prefix \"java.util.Iterator\"\n  start -> error: next(I, R)",
            "property P\n  start -> start: *\n  start -> a: source(Ret) => x := Ret",
            "property P\n  start -> error: \"A.b\"(X, R)",
            "property P\n  start -> error: #ArrayWrite(A, I)",
            "property P\n  start -> error: sink(X, R) when X == 0",
        ];
        for text in infer {
            assert_eq!(detect(text), Some(Lang::Infer), "{text}");
        }
        let topl = [
            "property P\n  observe <A.*>",
            "property P\n  prefix <A>",
            "property P\n  start -> error: call m(x)",
            "property P\n  start -> error: X := m()",
            "property P\n  start -> error: x.m()",
        ];
        for text in topl {
            assert_eq!(detect(text), Some(Lang::Topl), "{text}");
        }
        assert_eq!(detect("property P\n  start -> error: m(X)"), None);
        assert_eq!(lang_of("a.topl", topl[0]), Lang::Topl);
        assert_eq!(lang_of("a.topl", infer[0]), Lang::Infer);
        assert_eq!(lang_of("a.ww", topl[0]), Lang::Ww);
    }
}
