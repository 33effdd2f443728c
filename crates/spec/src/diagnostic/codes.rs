//! Every code there is, in one table. A code keeps its meaning for ever.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal $title:literal),* $(,)?) => {
        /// What a diagnostic is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name),* }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// The code as people see it, such as `WW0101`.
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $code),* }
            }

            /// Its page: what it means, an example that has it, the example mended.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$name => include_str!(concat!(
                        env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics/", $code, ".md"
                    ))),*
                }
            }

            /// What it is about, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }
        }
    };
}

codes! {
    UnknownCharacter "WW0001" "a character that is no part of the language",
    Unterminated "WW0002" "a text that does not end on its line",
    BadEscape "WW0003" "an escape that does not exist",
    BadNumber "WW0004" "a number that does not fit",
    FileTooLarge "WW0005" "a file that is too large",
    Unexpected "WW0101" "something else was expected here",
    TooDeep "WW0102" "nested too deeply",
    TooManyErrors "WW0103" "too many errors",
    BadPlaceholder "WW0104" "a placeholder that is no expression",
    LostDoc "WW0105" "a documentation comment that documents nothing",
    DeclaredTwice "WW0201" "declared twice",
    UndeclaredEvent "WW0202" "an event that is not declared, with a name close to one that is",
    UnknownName "WW0203" "a name that is not known here",
    UnknownState "WW0204" "a state that does not exist",
    UnknownFunction "WW0205" "a function that does not exist",
    BadImport "WW0206" "an import that cannot be read",
    ReservedName "WW0207" "a name the language keeps for itself",
    UnknownArguments "WW0208" "an event whose arguments nobody declared",
    WrongKind "WW0209" "a name of the wrong kind",
    BoundTwice "WW0210" "a label that binds a name twice",
    BindsTaken "WW0211" "a binder for a name that means something else",
    WrongCount "WW0212" "the wrong number of arguments",
    ReadBeforeWrite "WW0213" "a register that may be read before it is written",
    StartState "WW0301" "a property needs exactly one start state",
    EmptyBody "WW0302" "a property that says nothing",
    RegistersOnly "WW0303" "allowed only in a property with registers",
    SlicedOnly "WW0304" "not allowed in a property with registers",
    ElseWithoutIf "WW0305" "an `else` without a guard",
    TwoForms "WW0306" "a property is written in one form",
    OptionTwice "WW0307" "an option given twice",
    OptionMisplaced "WW0308" "an option that does not apply here",
    BadOption "WW0309" "an option with a value that does not exist",
    TooManyAlternatives "WW0310" "too many alternatives",
    NotAssignable "WW0311" "something that cannot be assigned to",
    OutsideLoop "WW0312" "a `break` or `continue` outside a loop",
    Recursion "WW0313" "a function that calls itself",
    TypeMismatch "WW0401" "a value of the wrong type",
    NotACondition "WW0402" "a condition that is no truth value",
    UnknownType "WW0403" "a type that does not exist",
    NeverEqual "WW0404" "a comparison of things that are never the same",
    GuessedType "WW0405" "a value that may not fit the type a variable begins with",
    UnboundParam "WW0501" "an event parameter that its source does not give",
    UnknownCapture "WW0502" "a capture for a parameter that does not exist",
    TermUnavailable "WW0503" "a value that does not exist at this program point",
    BadRegex "WW0504" "a regular expression that is none",
    UnknownGroup "WW0505" "a group the regular expression does not have",
    CapturedTwice "WW0506" "a parameter that is captured twice",
    NotInRegisters "WW0601" "a pattern or formula in a property with registers",
    TooManyOverlaps "WW0602" "too many labels that overlap",
    AutomatonTooLarge "WW0603" "an automaton that grows too large",
    NotMonitorable "WW0604" "a formula no monitor can decide",
    EmptyPattern "WW0605" "a pattern that forbids doing nothing",
    BinderInPattern "WW0606" "a binder in a pattern or formula",
    Unreachable "WW1001" "a state that can never be reached",
    Shadowed "WW1002" "a transition that is never taken",
    NeverMatches "WW1003" "a label that can never match",
    NeverFails "WW1004" "a property that can never fail",
    AlwaysFails "WW1005" "a property that always fails",
    ConstantGuard "WW1006" "a guard that is always true or always false",
    UnboundByEvents "WW1007" "a parameter no event binds",
    UnusedEvent "WW1008" "an event no property observes",
    UnusedVariable "WW1009" "a variable or register nobody reads",
    UnusedFunction "WW1010" "a function nobody calls",
    UnusedClock "WW1011" "a clock no label waits for",
    UnusedBinder "WW1012" "a name that is bound and never used",
    ToplStart "WW0901" "a TOPL property that does not begin in `start`",
    ToplError "WW0902" "a TOPL property that never leads to `error`",
    ToplAfterError "WW0903" "a transition that leaves `error`",
    ToplConstant "WW0904" "a constant that is no Java literal",
    ToplClassConstant "WW0905" "a class constant, which only a JVM can look up",
    ToplReturn "WW0906" "a `return` label that looks at arguments",
    ToplCall "WW0907" "a `call` label that looks at the result",
    ToplVoid "WW0908" "the result of a method that has none",
    ToplPattern "WW0909" "a name pattern that is malformed",
    ToplArity "WW0910" "a number of arguments that cannot be",
    ToplDialect "WW0911" "a construct of the other TOPL dialect",
    NotConvertible "WW0912" "something the other language cannot express",
    InferStatic "WW0921" "something only a static analysis can decide",
    InferRegex "WW0922" "a regular expression that no name pattern can express",
    InferBinder "WW0923" "a binder that is not written as one",
    VerdeInit "WW0931" "a Verde property without a state `init`",
    VerdePython "WW0932" "Python that is not in the subset",
    VerdeGuardEffect "WW0933" "a guard that does something",
    VerdeFailure "WW0934" "a failure that can never happen",
    VerdeAction "WW0935" "an action that no companion function defines",
    VerdeParameter "WW0936" "a parameter without a name",
    LarvaSubset "WW0941" "something a monitor cannot do for a LARVA script",
    LarvaWhere "WW0942" "a LARVA event that does not say which object it belongs to",
    ScenarioState "WW0951" "a scenario about a state or property that does not exist",
    ScenarioName "WW0952" "a name that means nothing in a scenario",
    ScenarioFirst "WW0953" "a first value that is not constant",
}

/// A code's page: what it means, an example that has it, and how to mend it.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = Code::ALL.iter().find(|c| c.text().eq_ignore_ascii_case(code))?;
    Some(code.page())
}

/// Every code with its title, in order.
pub fn all_codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    Code::ALL.iter().map(|c| (c.text(), c.title()))
}
