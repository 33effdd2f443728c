//! The languages a property can be written in.

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
    /// JavaMOP specifications.
    Mop,
}

impl Lang {
    /// Every language.
    pub const ALL: [Lang; 6] =
        [Lang::Ww, Lang::Topl, Lang::Infer, Lang::Verde, Lang::Larva, Lang::Mop];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Lang::Ww => "ww",
            Lang::Topl => "topl",
            Lang::Infer => "infer",
            Lang::Verde => "verde",
            Lang::Larva => "larva",
            Lang::Mop => "mop",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Lang> {
        Lang::ALL.into_iter().find(|lang| lang.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_name() {
        for lang in Lang::ALL {
            assert_eq!(Lang::from_name(lang.name()), Some(lang));
        }
    }
}
