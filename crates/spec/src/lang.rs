//! The languages a property file can be written in.

/// A language of property files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Watchword's own.
    Ww,
    /// Classic TOPL.
    Topl,
    /// Infer's dialect of TOPL.
    Infer,
    /// Verde.
    Verde,
    /// LARVA scripts.
    Larva,
}

impl Lang {
    /// Every language.
    pub const ALL: [Lang; 5] = [Lang::Ww, Lang::Topl, Lang::Infer, Lang::Verde, Lang::Larva];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Lang::Ww => "ww",
            Lang::Topl => "topl",
            Lang::Infer => "infer",
            Lang::Verde => "verde",
            Lang::Larva => "larva",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Lang> {
        Lang::ALL.into_iter().find(|lang| lang.name() == name)
    }

    /// The language of a file: by its extension, and, as both dialects of TOPL share theirs, by
    /// what is in it. `.ww` if nothing tells.
    pub fn of_file(name: &str, text: &str) -> Lang {
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("topl") => Lang::detect(text).unwrap_or(Lang::Topl),
            Some("infer") => Lang::Infer,
            Some("prop" | "verde") => Lang::Verde,
            Some("lrv" | "larva") => Lang::Larva,
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
            assert_eq!(Lang::detect(text), Some(Lang::Infer), "{text}");
        }
        let topl = [
            "property P\n  observe <A.*>",
            "property P\n  prefix <A>",
            "property P\n  start -> error: call m(x)",
            "property P\n  start -> error: X := m()",
            "property P\n  start -> error: x.m()",
        ];
        for text in topl {
            assert_eq!(Lang::detect(text), Some(Lang::Topl), "{text}");
        }
        assert_eq!(Lang::detect("property P\n  start -> error: m(X)"), None);
        assert_eq!(Lang::of_file("a.topl", topl[0]), Lang::Topl);
        assert_eq!(Lang::of_file("a.topl", infer[0]), Lang::Infer);
        assert_eq!(Lang::of_file("a.ww", topl[0]), Lang::Ww);
        for lang in Lang::ALL {
            assert_eq!(Lang::from_name(lang.name()), Some(lang));
        }
    }
}
