//! Every code there is, in one table. A code keeps its meaning for ever.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal $title:literal $remedy:literal),* $(,)?) => {
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

            /// Its page: what it means, an example that has it, the example corrected.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$name => include_str!(concat!(
                        env!("CARGO_MANIFEST_DIR"), "/diagnostics/", $code, ".md"
                    ))),*
                }
            }

            /// The general remedy, for places that know no better one.
            pub fn remedy(self) -> &'static str {
                match self { $(Code::$name => $remedy),* }
            }

            /// What it is about, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }
        }
    };
}

codes! {
    UnknownCharacter "WW0001" "a character that is not part of the language"
        "remove it, or put it into a text in quotes",
    Unterminated "WW0002" "a text that does not end on its line"
        "close it where it ends",
    BadEscape "WW0003" "an escape that does not exist"
        "write a backslash twice if a backslash is meant",
    BadNumber "WW0004" "a number that does not fit"
        "write a number that fits into 64 bits",
    FileTooLarge "WW0005" "a file that is too large"
        "split it into several files; is it a trace?",
    Unexpected "WW0101" "unexpected text"
        "write what the message names",
    TooDeep "WW0102" "nested too deeply"
        "split it into parts with names of their own",
    TooManyErrors "WW0103" "too many errors"
        "correct the first ones; many of the others may follow from them",
    BadPlaceholder "WW0104" "a placeholder that is not an expression"
        "write an expression between the braces, or `\\{` for a brace",
    LostDoc "WW0105" "a documentation comment that documents nothing"
        "put it directly before what it documents, or begin it with `//`",
    DeclaredTwice "WW0201" "declared twice"
        "rename one of them, or remove it",
    UndeclaredEvent "WW0202" "an event that is not declared, with a name close to one that is"
        "declare it, or use the name that is declared",
    UnknownName "WW0203" "a name that is not known here"
        "declare it, or use a name that is known here",
    UnknownState "WW0204" "a state that does not exist"
        "add the state, or lead to one that exists",
    UnknownFunction "WW0205" "a function that does not exist"
        "declare it, or call one that exists",
    BadImport "WW0206" "an import that cannot be read"
        "write the path of the file as seen from the one that imports it",
    ReservedName "WW0207" "a reserved name"
        "choose another name",
    UnknownArguments "WW0208" "an event whose arguments are not declared"
        "declare the event with its parameters: `event e(x)`",
    WrongKind "WW0209" "a name of the wrong kind"
        "use a name of the kind that is required here",
    BoundTwice "WW0210" "a label that binds a name twice"
        "bind another name and compare the two in the guard",
    BindsTaken "WW0211" "a binder for a name that means something else"
        "bind another name",
    WrongCount "WW0212" "the wrong number of arguments"
        "give as many as are declared",
    ReadBeforeWrite "WW0213" "a register that may be read before it is written"
        "bind or assign it on every path that leads here",
    NotOfProgram "WW0214" "an event that is not declared, beside events of programs"
        "declare it with a source, or use the name of an event that is declared",
    StartState "WW0301" "a property needs exactly one start state"
        "mark the one state it begins in: `start state S`",
    EmptyBody "WW0302" "a property without states, pattern or formula"
        "write states and transitions, or one `never`, `only` or `ltl` line",
    RegistersOnly "WW0303" "allowed only in a property with registers"
        "remove the parameter list of the property, or write it in another way",
    SlicedOnly "WW0304" "not allowed in a property with registers"
        "give the property parameters, or write it in another way",
    ElseWithoutIf "WW0305" "an `else` without a guard"
        "add a guard, `if …`, or remove the `else`",
    TwoForms "WW0306" "a property in two forms"
        "keep one form and make a second property of the other",
    OptionTwice "WW0307" "an option given twice"
        "keep one of them",
    OptionMisplaced "WW0308" "an option that does not apply here"
        "remove it",
    BadOption "WW0309" "an option with a value that does not exist"
        "write a value that exists",
    TooManyAlternatives "WW0310" "too many alternatives"
        "write several transitions, or add states in between",
    NotAssignable "WW0311" "something that cannot be assigned to"
        "declare a variable and assign to that",
    OutsideLoop "WW0312" "a `break` or `continue` outside a loop"
        "remove it, or put it into a loop",
    Recursion "WW0313" "a function that calls itself"
        "write a loop",
    Endless "WW0314" "time limits of zero that lead in a circle"
        "give one of the states a time limit above zero",
    TypeMismatch "WW0401" "a value of the wrong type"
        "use a value of the required type, or convert it",
    NotACondition "WW0402" "a condition that is not a truth value"
        "compare it with something",
    UnknownType "WW0403" "a type that does not exist"
        "use `int`, `float`, `bool`, `string`, `ref`, `ptr`, `list`, `map` or `any`",
    NeverEqual "WW0404" "a comparison of values that are never equal"
        "compare values of the same kind, or remove the comparison",
    GuessedType "WW0405" "a value that may not fit the type a variable begins with"
        "declare the type of the variable: `var x: any = …`",
    UnboundParam "WW0501" "an event parameter that its source does not supply"
        "capture it in the source: `with x = …`",
    UnknownCapture "WW0502" "a capture for a parameter that does not exist"
        "capture into a parameter of the event, or add the parameter",
    TermUnavailable "WW0503" "a value that does not exist at this program point"
        "use a value that exists here, or another program point",
    BadRegex "WW0504" "a malformed regular expression"
        "escape characters that mean something else with `\\`",
    UnknownGroup "WW0505" "a group the regular expression does not have"
        "name the group in the regular expression: `(?<name>…)`",
    CapturedTwice "WW0506" "a parameter that is captured twice"
        "keep one of the captures",
    NotInRegisters "WW0601" "a pattern or formula in a property with registers"
        "give the property parameters, or write it with states",
    TooManyOverlaps "WW0602" "too many labels that overlap"
        "split the pattern into several properties",
    AutomatonTooLarge "WW0603" "an automaton that grows too large"
        "split it into several properties, or write it with states",
    NotMonitorable "WW0604" "a formula that no monitor can decide"
        "limit what must happen by an event or a time, or write it with states",
    EmptyPattern "WW0605" "a pattern that forbids doing nothing"
        "make the pattern require at least one event",
    BinderInPattern "WW0606" "a binder in a pattern or formula"
        "name a parameter of the property, or write `_`",
    Unreachable "WW1001" "a state that can never be reached"
        "remove it, or lead to it from another state",
    Shadowed "WW1002" "a transition that is never taken"
        "put the more specific transition first",
    NeverMatches "WW1003" "a label that can never match"
        "correct the label, or remove its transition",
    NeverFails "WW1004" "a property that can never fail"
        "lead a transition that can be taken to a bad or pending state",
    AlwaysFails "WW1005" "a property that always fails"
        "begin in a state that is neither bad nor pending",
    ConstantGuard "WW1006" "a guard that is always true or always false"
        "correct the guard, or remove it",
    UnboundByEvents "WW1007" "a parameter that no event binds"
        "name the parameter in a label, or remove it",
    UnusedEvent "WW1008" "an event that no property observes"
        "name it in a property, or remove it",
    UnusedVariable "WW1009" "a variable or register that is never read"
        "use it, or remove it",
    UnusedFunction "WW1010" "a function that is never called"
        "call it, or remove it",
    UnusedClock "WW1011" "a clock that nothing uses"
        "add a label that waits for it, or remove it",
    UnusedBinder "WW1012" "a name that is bound and never used"
        "use it, or bind nothing",
    Product "WW1013" "instances that multiply"
        "let one event bind all parameters before the others: `creation EVENT`",
    WindowBound "WW1014" "a bound that a window never reaches, or never leaves"
        "correct the bound, or what the window counts",
    ShortCircle "WW1015" "short time limits that lead in a circle"
        "give one of the states a longer time limit",
    ToplStart "WW0901" "a TOPL property that does not begin in `start`"
        "call the first state `start`",
    ToplError "WW0902" "a TOPL property that never leads to `error`"
        "lead a transition to `error`",
    ToplAfterError "WW0903" "a transition that leaves `error`"
        "remove the transition: a configuration ends in `error`",
    ToplConstant "WW0904" "a constant that is not a Java literal"
        "write a Java literal: `<null>`, `<true>`, `<-1>`, `<\"text\">`",
    ToplClassConstant "WW0905" "a class constant whose value is not known here"
        "write its value as a literal, or name the classes with `--cp`",
    ToplReturn "WW0906" "a `return` label that uses arguments"
        "use the arguments in a `call` label",
    ToplCall "WW0907" "a `call` label that uses the result"
        "use the result in a `return` label",
    ToplVoid "WW0908" "the result of a method that has none"
        "remove the result",
    ToplPattern "WW0909" "a name pattern that is malformed"
        "write `<java.util.Iterator.next>`, with `*` and `{a,b}` for several names",
    ToplArity "WW0910" "an impossible number of arguments"
        "write the number of arguments, including the receiver, or `[*]`",
    ToplDialect "WW0911" "a construct of the other TOPL dialect"
        "read the file as the other dialect: `--lang topl` or `--lang infer`",
    NotConvertible "WW0912" "something the other language cannot express"
        "write it with features that both languages have, or keep the property as it is: every command reads both",
    InferStatic "WW0921" "something that only a static analysis can decide"
        "write it with values of calls, which a monitor sees",
    InferRegex "WW0922" "a regular expression that no name pattern can express"
        "use names, `.*`, `?`, `\\|` and sets of characters",
    InferBinder "WW0923" "a name in the wrong case"
        "write values of the event in upper case and registers in lower case",
    VerdeInit "WW0931" "a Verde property without a state `init`"
        "call the state it begins in `init`",
    VerdePython "WW0932" "Python that is not in the subset"
        "write it with assignments, `if`, `while`, `for` and calls of companion functions",
    VerdeGuardEffect "WW0933" "a guard with side effects"
        "move it to the block of a transition",
    VerdeFailure "WW0934" "a failure that can never happen"
        "add a guard, or remove the failure",
    VerdeAction "WW0935" "an action that no companion function defines"
        "define it in a file of functions: `--functions FILE`",
    VerdeParameter "WW0936" "a parameter without a name"
        "give it a name",
    LarvaSubset "WW0941" "unsupported code in a LARVA script"
        "write it with variables, clocks, channels and methods of METHODS",
    LarvaWhere "WW0942" "a LARVA event that does not say which object it belongs to"
        "say which object it belongs to: `where x = …;`",
    ScenarioState "WW0951" "a scenario about a state or property that does not exist"
        "use the name of a state or property that is loaded",
    ScenarioName "WW0952" "an unknown name in a scenario"
        "use a known name, or assign to it first",
    ScenarioFirst "WW0953" "an initial value that is not constant"
        "write a constant: a number, a text, `true` or `false`",
    MopRefused "WW0961" "a JavaMOP specification that is not monitored"
        "remove what is not supported, or write the property as a `.ww` file",
    MopIgnored "WW0962" "a part of a JavaMOP specification that has no effect"
        "write the event with `before`, and without `__SKIP`",
}

/// A code's page: what it means, an example that has it, and the example corrected.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = Code::ALL.iter().find(|c| c.text().eq_ignore_ascii_case(code))?;
    Some(code.page())
}

/// Every code with its title, in order.
pub fn all_codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    Code::ALL.iter().map(|c| (c.text(), c.title()))
}
