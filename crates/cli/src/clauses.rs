//! What the documentation of an API promises for objects in a wrong state, and which shipped property
//! reports it: the tables `properties/jdk/clauses.txt` and `properties/posix/clauses.txt`.

/// An API whose documentation has a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// The JDK: types, methods and exceptions.
    Jdk,
    /// POSIX: headers, functions and errors.
    Posix,
}

impl Api {
    const ALL: [Api; 2] = [Api::Jdk, Api::Posix];

    fn table(self) -> &'static str {
        match self {
            Api::Jdk => include_str!("../../../properties/jdk/clauses.txt"),
            Api::Posix => include_str!("../../../properties/posix/clauses.txt"),
        }
    }
}

/// A row of a table: alike clauses of some types and methods.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// Whose documentation has it.
    pub api: Api,
    /// The types, as a pattern: `{a, b}` are alternatives, `*` is any run of characters. Or a header.
    pub types: &'static str,
    /// Their methods, or functions, as a pattern.
    pub methods: &'static str,
    /// Exceptions, as a pattern of their simple names, or an error; or `undefined`, `deadlock` or `loss`.
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
        let what = match (*consequence, self.api) {
            ("loss", _) => "something is lost".to_string(),
            ("undefined", _) => "undefined behaviour".to_string(),
            ("deadlock", _) => "the thread waits for ever".to_string(),
            (exceptions, Api::Jdk) => format!("throws {}", alternatives(exceptions).join(" or ")),
            (error, Api::Posix) => format!("fails with {error}"),
        };
        let methods = alternatives(methods).join(", ");
        format!("{}, {methods}: {what} if {condition}", alternatives(types).join(", "))
    }
}

fn lines(api: Api) -> impl Iterator<Item = &'static str> {
    api.table().lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// All rows of a table, in the order of the file.
pub fn all(api: Api) -> impl Iterator<Item = Clause> {
    lines(api).filter_map(move |line| {
        let mut fields = line.split(" | ");
        let mut next = || fields.next().map(str::trim);
        let (types, methods, consequence) = (next()?, next()?, next()?);
        Some(Clause { api, types, methods, consequence, condition: next()?, verdict: next()? })
    })
}

/// The clauses that a shipped property reports.
pub fn of(property: &str) -> impl Iterator<Item = Clause> {
    Api::ALL.into_iter().flat_map(all).filter(move |clause| match clause.verdict() {
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
        for api in Api::ALL {
            assert_eq!(all(api).count(), lines(api).count());
            let is_known = |clause: Clause| {
                clause.verdict.starts_with("std/") || clause.verdict.contains(": ")
            };
            assert!(all(api).all(is_known));
        }
    }

    #[test]
    fn clauses_are_told_in_words() {
        let texts: Vec<String> = of("std/mac-init").map(|clause| clause.text()).collect();
        let wanted = "javax.crypto.Mac, update, doFinal: throws IllegalStateException if it is not initialised";
        assert_eq!(texts, [wanted]);
        let texts: Vec<String> = of("std/thread-joined").map(|clause| clause.text()).collect();
        let wanted = "pthread.h, pthread_join: undefined behaviour if the thread was joined or detached before";
        assert_eq!(texts, [wanted]);
    }
}
