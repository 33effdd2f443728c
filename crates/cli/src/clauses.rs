//! What the documentation of the JDK promises for objects in a wrong state, and which shipped property
//! reports it: the table `properties/jdk/clauses.txt`.

const TABLE: &str = include_str!("../../../properties/jdk/clauses.txt");

/// A row of the table: alike clauses of some types and methods.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// The types, as a pattern: `{a, b}` are alternatives, `*` is any run of characters.
    pub types: &'static str,
    /// Their methods, as a pattern.
    pub methods: &'static str,
    /// Exceptions, as a pattern of their simple names; or `undefined` or `loss`.
    pub consequence: &'static str,
    /// When.
    pub condition: &'static str,
    /// What reports it.
    verdict: &'static str,
}

/// What becomes of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These shipped properties report it.
    Covered(Vec<&'static str>),
    /// None does, for this reason.
    NotCovered(&'static str),
    /// No property could, for this reason.
    NotExpressible(&'static str),
}

impl Clause {
    /// What becomes of it.
    pub fn verdict(&self) -> Verdict {
        match self.verdict.split_once(": ") {
            Some(("no", why)) => Verdict::NotCovered(why),
            Some(("never", why)) => Verdict::NotExpressible(why),
            _ => Verdict::Covered(self.verdict.split(", ").collect()),
        }
    }

    /// It in words, for people.
    pub fn text(&self) -> String {
        let Clause { types, methods, consequence, condition, .. } = self;
        let what = match *consequence {
            "loss" => "something is lost".to_string(),
            "undefined" => "undefined behaviour".to_string(),
            exceptions => format!("throws {}", alternatives(exceptions).join(" or ")),
        };
        let methods = alternatives(methods).join(", ");
        format!("{}, {methods}: {what} if {condition}", alternatives(types).join(", "))
    }
}

/// All rows, in the order of the file.
pub fn all() -> impl Iterator<Item = Clause> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut fields = line.split(" | ");
        let mut next = || fields.next().map(str::trim);
        let (types, methods, consequence) = (next()?, next()?, next()?);
        Some(Clause { types, methods, consequence, condition: next()?, verdict: next()? })
    })
}

/// The clauses that a shipped property reports.
pub fn of(property: &str) -> impl Iterator<Item = Clause> {
    all().filter(move |clause| match clause.verdict() {
        Verdict::Covered(by) => by.contains(&property),
        _ => false,
    })
}

/// The texts that a pattern with `{a, b}` stands for; `*` stays.
pub fn alternatives(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_string()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![pattern.to_string()] };
    let each = inside.split(',').map(|one| format!("{before}{}{after}", one.trim()));
    each.flat_map(|one| alternatives(&one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_their_alternatives() {
        assert_eq!(alternatives("java.util.{A, B}.c"), ["java.util.A.c", "java.util.B.c"]);
        assert_eq!(alternatives("{a, b}{c, d}"), ["ac", "ad", "bc", "bd"]);
        assert_eq!(alternatives("get*"), ["get*"]);
    }

    #[test]
    fn every_line_is_a_row() {
        let rows = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
        assert_eq!(all().count(), rows);
        assert!(
            all().all(|clause| clause.verdict.starts_with("std/") || clause.verdict.contains(": "))
        );
    }

    #[test]
    fn clauses_are_told_in_words() {
        let texts: Vec<String> = of("std/mac-init").map(|clause| clause.text()).collect();
        let wanted = "javax.crypto.Mac, update, doFinal: throws IllegalStateException if it is not initialised";
        assert_eq!(texts, [wanted]);
    }
}
