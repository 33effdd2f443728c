//! Whether something matches, and what is left to test.

/// The answer to whether something matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// It does not.
    No,
    /// It does.
    Yes,
    /// It does if this holds when the program runs.
    Maybe(Test),
}

/// What only the running program can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Test {
    /// The object (the receiver, the lock, the exception) is of this type (internal name).
    Instance(String),
    /// The object is not of this type, or there is none.
    NotInstance(String),
    /// A class or a fact that decides is not known here.
    Unknown,
}

impl Answer {
    /// Yes or no.
    pub fn of(truth: bool) -> Answer {
        if truth { Answer::Yes } else { Answer::No }
    }

    /// Whether it can match.
    pub fn may(&self) -> bool {
        *self != Answer::No
    }

    /// The opposite: what depends on a test depends on the opposite test.
    pub fn negated(self) -> Answer {
        match self {
            Answer::No => Answer::Yes,
            Answer::Yes => Answer::No,
            Answer::Maybe(Test::Instance(ty)) => Answer::Maybe(Test::NotInstance(ty)),
            Answer::Maybe(Test::NotInstance(ty)) => Answer::Maybe(Test::Instance(ty)),
            Answer::Maybe(Test::Unknown) => Answer::Maybe(Test::Unknown),
        }
    }

    /// The opposite if `negated`.
    pub fn negated_if(self, negated: bool) -> Answer {
        if negated { self.negated() } else { self }
    }

    /// Both tests. Two different tests cannot be combined into one with a name.
    pub fn and(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            (Answer::Yes, answer) | (answer, Answer::Yes) => answer,
            (one, two) if one == two => one,
            _ => Answer::Maybe(Test::Unknown),
        }
    }

    /// At least one of them.
    pub fn or(self, other: Answer) -> Answer {
        self.negated().and(other.negated()).negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_an_instance_test_is_the_opposite_test() {
        let instance = Answer::Maybe(Test::Instance("a/B".into()));
        let other = Answer::Maybe(Test::NotInstance("a/B".into()));
        assert_eq!(instance.clone().negated(), other);
        assert_eq!(instance.clone().negated().negated(), instance);
        assert_eq!(Answer::Maybe(Test::Unknown).negated(), Answer::Maybe(Test::Unknown));
    }

    #[test]
    fn combinations() {
        let unknown = || Answer::Maybe(Test::Unknown);
        assert_eq!(Answer::Yes.and(unknown()), unknown());
        assert_eq!(Answer::No.and(unknown()), Answer::No);
        assert_eq!(Answer::Yes.or(unknown()), Answer::Yes);
        assert_eq!(Answer::No.or(unknown()), unknown());
    }
}
