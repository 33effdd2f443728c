//! The syntax tree of a file, with the places of its parts, before names are resolved.

use watchword_model::{BinaryOp, Severity, Span, Time, UnaryOp, Value};

/// A name as written.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its declarations, in order.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Item {
    /// `import "path"`.
    Import(Import),
    /// `event`.
    Event(Event),
    /// `channel`.
    Channel(Channel),
    /// `function`.
    Function(Function),
    /// `property`.
    Property(Property),
    /// `context`.
    Context(Context),
    /// Java code that captures call. Front ends that are read into this tree have it.
    Java(watchword_model::JavaClass),
}

/// `import "path"`.
#[derive(Clone, Debug)]
pub struct Import {
    /// The path as written.
    pub path: String,
    /// Where the path is.
    pub span: Span,
}

/// A parameter or variable with an optional type.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Name,
    /// The type's name.
    pub ty: Option<Name>,
    /// `by EXPR`.
    pub key: Option<Expr>,
}

/// A parameter list.
#[derive(Clone, Debug, Default)]
pub struct Params {
    /// The parameters.
    pub list: Vec<Param>,
    /// Ends in `..`.
    pub variadic: bool,
}

/// `event NAME(…) = …`.
#[derive(Clone, Debug)]
pub struct Event {
    /// The `///` comment.
    pub doc: String,
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Params,
    /// The sources.
    pub sources: Vec<Source>,
    /// The declaration's first line or so.
    pub span: Span,
}

/// `channel NAME(…)`.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The `///` comment.
    pub doc: String,
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Params,
}

/// `function NAME(…) { … }`.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Params,
    /// The statements.
    pub body: Vec<Stmt>,
    /// Name and parameters.
    pub span: Span,
}

/// `property NAME … { … }`.
#[derive(Clone, Debug)]
pub struct Property {
    /// The `///` comment.
    pub doc: String,
    /// The name.
    pub name: Name,
    /// The parameters; `None`: no list at all.
    pub params: Option<Params>,
    /// The members, in order.
    pub members: Vec<Member>,
    /// Name and parameters.
    pub span: Span,
}

/// `context NAME(…) { … }`.
#[derive(Clone, Debug)]
pub struct Context {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Option<Params>,
    /// Variables, clocks, ends.
    pub members: Vec<Member>,
    /// Properties, in order.
    pub properties: Vec<Property>,
    /// Inner contexts.
    pub contexts: Vec<Context>,
}

/// A line of a property.
#[derive(Clone, Debug)]
pub struct Member {
    /// The line.
    pub kind: MemberKind,
    /// The word it begins with.
    pub span: Span,
}

/// A line of a property.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// `severity error`.
    Severity(Severity),
    /// `tags a, b`.
    Tags(Vec<Name>),
    /// `message "…"`.
    Message(Template),
    /// `boxes by value`.
    BoxesByValue,
    /// `also e, f if …`.
    Also(Vec<Name>, Option<Expr>),
    /// `creation e, f`.
    Creation(Vec<Name>),
    /// `rule verde`.
    Rule(Rule),
    /// `ends x on e(x)`.
    Ends(Name, Label),
    /// `param limit: duration = 5 s`.
    Setting(Setting),
    /// `var n: int = 0`.
    Var(Var),
    /// `clock t`.
    Clock(Clock),
    /// `window n = count e(x) within 1 min`.
    Window(Window),
    /// `state …`.
    State(State),
    /// `never R`.
    Never(Regex),
    /// `only R`.
    Only(Regex),
    /// `ltl F`.
    Ltl(Formula),
    /// `proven`.
    Proven,
}

/// How instances come to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Parametric slicing.
    ChenRosu,
    /// An ancestor's transition creates.
    Verde,
    /// Nested contexts.
    Larva,
}

/// `param limit: duration = 5 s`: a constant of the run, which the user may choose when the run
/// starts.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The `///` comment.
    pub doc: String,
    /// The name.
    pub name: Name,
    /// The type's name.
    pub ty: Option<Name>,
    /// The value if nothing else is chosen.
    pub default: Constant,
    /// Where that is written.
    pub default_span: Span,
}

/// A value that is written down.
#[derive(Clone, Debug)]
pub enum Constant {
    /// A number, a text, `true`, `false` or `null`.
    Value(Value),
    /// `5 s`, in nanoseconds.
    Duration(Time),
}

/// A length of time.
#[derive(Clone, Debug)]
pub enum Duration {
    /// `5 s`, in nanoseconds.
    Fixed(Time),
    /// That of a `param`.
    Setting(Name),
}

/// `var n: int = 0`.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name.
    pub name: Name,
    /// The type's name.
    pub ty: Option<Name>,
    /// The initial value.
    pub init: Option<Expr>,
}

/// `clock t`.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The name.
    pub name: Name,
    /// `stopped`: does not run until it is reset.
    pub stopped: bool,
}

/// `window n = sum e(x, ?y) if y > 0 of y within 1 min`.
#[derive(Clone, Debug)]
pub struct Window {
    /// The name.
    pub name: Name,
    /// The value that is computed.
    pub aggregate: watchword_model::Aggregate,
    /// Where that is written.
    pub aggregate_span: Span,
    /// The events that enter it.
    pub label: Label,
    /// The guard.
    pub guard: Option<Expr>,
    /// The value of an event.
    pub of: Option<Expr>,
    /// How long an event stays in it.
    pub within: Duration,
    /// From its name to its end.
    pub span: Span,
}

/// The kinds of states.
pub use watchword_model::StateKind;

/// `state NAME …`.
#[derive(Clone, Debug)]
pub struct State {
    /// `start`.
    pub start: bool,
    /// The kind.
    pub kind: StateKind,
    /// The name.
    pub name: Name,
    /// `within 5 s else TARGET "…"`.
    pub deadline: Option<Deadline>,
    /// The message.
    pub message: Option<Template>,
    /// `enter { … }`.
    pub entry: Vec<Stmt>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// `within 5 s else TARGET "…"`.
#[derive(Clone, Debug)]
pub struct Deadline {
    /// So long after entry.
    pub after: Duration,
    /// The members of its body.
    pub branch: Branch,
}

/// `on …`.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The events that it consumes.
    pub steps: Vec<Step>,
    /// `=>`.
    pub keep: bool,
    /// The branch.
    pub then: Branch,
    /// The branch for a false guard, with the span of `else`.
    pub otherwise: Option<(Span, Branch)>,
    /// From `on` to the end of the labels.
    pub span: Span,
    /// The arrow, if any.
    pub arrow: Option<Span>,
}

/// One event of a transition: alternatives and a guard.
#[derive(Clone, Debug)]
pub struct Step {
    /// The alternatives.
    pub labels: Vec<Label>,
    /// The guard.
    pub guard: Option<Expr>,
}

/// Updates, target, message.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The updates.
    pub update: Vec<Stmt>,
    /// The target; `None`: stay.
    pub target: Option<Target>,
    /// The message.
    pub message: Option<Template>,
}

/// Where a transition leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// A state.
    State(Name),
    /// `drop`.
    Drop,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// The event or alarm.
    pub kind: LabelKind,
    /// Where it was written.
    pub span: Span,
}

/// What a label matches: an event or an alarm.
#[derive(Clone, Debug)]
pub enum LabelKind {
    /// `any`.
    Any,
    /// `end`.
    End,
    /// `t at 5 s`.
    Clock(Name, Duration),
    /// `t rings`.
    Rings(Name),
    /// `e` or `e(…)`.
    Event(Name, Option<Args>),
}

/// The arguments of a label.
#[derive(Clone, Debug)]
pub struct Args {
    /// The patterns.
    pub list: Vec<Arg>,
    /// Ends in `..`.
    pub rest: bool,
}

/// A pattern for an argument.
#[derive(Clone, Debug)]
pub struct Arg {
    /// The pattern.
    pub kind: ArgKind,
    /// Where.
    pub span: Span,
}

/// The pattern of an argument.
#[derive(Clone, Debug)]
pub enum ArgKind {
    /// `_`.
    Any,
    /// `?x`.
    Bind(Name),
    /// `x`.
    Equal(Name),
    /// `!x`.
    Differs(Name),
    /// A literal.
    Const(Value),
    /// `!` and a literal.
    NotConst(Value),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// How deep the tree below it is; bounded, so that recursion over it is safe.
    pub depth: u32,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal.
    Const(Value),
    /// A name.
    Name(String),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `and`.
    And(Box<Expr>, Box<Expr>),
    /// `or`.
    Or(Box<Expr>, Box<Expr>),
    /// One or the other. Front ends that are read into this tree have it.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(…)`.
    Call(Name, Vec<Expr>),
    /// `x[k]`.
    Index(Box<Expr>, Box<Expr>),
    /// `[…]`.
    List(Vec<Expr>),
    /// `{…}`.
    Map(Vec<(Expr, Expr)>),
    /// `exists x in e: c`, or `all x in e: c`.
    Quantified(Quantifier, Name, Box<Expr>, Box<Expr>),
    /// `e ms`: a number of a unit of time; the length of the unit in nanoseconds follows its name.
    Time(Box<Expr>, &'static str, Time),
    /// Something that did not parse and was already reported.
    Error,
}

/// How many elements a condition must hold for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// One or more.
    Exists,
    /// Each of them.
    All,
}

/// A text with values in it.
#[derive(Clone, Debug)]
pub struct Template {
    /// The parts.
    pub parts: Vec<TemplatePart>,
    /// The whole text with its quotes.
    pub span: Span,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// As it is.
    Text(String),
    /// A value.
    Value(Expr),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// Its first word or so.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `var x: int = e`.
    Var(Var),
    /// `x = e`, `x += e`.
    Assign(Name, Option<BinaryOp>, Expr),
    /// `x[k] = e`, `x[k] += e`.
    AssignIndex(Name, Expr, Option<BinaryOp>, Expr),
    /// `if c { … } else { … }`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while c { … }`.
    While(Expr, Vec<Stmt>),
    /// `for x in e { … }`.
    For(Name, Expr, Vec<Stmt>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return e`.
    Return(Option<Expr>),
    /// `f(…)`.
    Call(Expr),
    /// `send ch(…)`.
    Send(Name, Vec<Expr>),
    /// `print e`.
    Print(Expr),
    /// `print "…{x}…"`.
    PrintText(Template),
    /// `do action(…)`.
    Do(Name, Vec<Expr>),
    /// `reset t`.
    Reset(Name),
    /// `reset t for e ms`.
    ResetFor(Name, Expr),
    /// `stop t`.
    Stop(Name),
}

/// A regular expression over labels.
#[derive(Clone, Debug)]
pub struct Regex {
    /// The kind.
    pub kind: RegexKind,
    /// Where.
    pub span: Span,
    /// How deep the tree below it is.
    pub depth: u32,
}

/// The kinds of regular expressions.
#[derive(Clone, Debug)]
pub enum RegexKind {
    /// One event.
    Atom(Box<Atom>),
    /// One after the other.
    Sequence(Vec<Regex>),
    /// One of them.
    Choice(Vec<Regex>),
    /// Any number of times.
    Star(Box<Regex>),
    /// At least once.
    Plus(Box<Regex>),
    /// At most once.
    Optional(Box<Regex>),
    /// Something that did not parse and was already reported.
    Error,
}

/// An event in a pattern or formula.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The label.
    pub label: Label,
    /// The guard.
    pub guard: Option<Expr>,
}

/// A temporal formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The kind.
    pub kind: FormulaKind,
    /// Where.
    pub span: Span,
    /// How deep the tree below it is.
    pub depth: u32,
}

/// The kinds of formulas.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// `true` or `false`.
    Const(bool),
    /// This event is one of these.
    Atom(Box<Atom>),
    /// `not`.
    Not(Box<Formula>),
    /// An operator with one operand.
    Unary(TemporalUnary, Box<Formula>),
    /// An operator with two operands.
    Binary(TemporalBinary, Box<Formula>, Box<Formula>),
    /// `once within 5 s F`: an operator with one operand that looks so far only.
    Timed(TemporalUnary, Bound, Box<Formula>),
    /// `F since within 5 s G`, `F until within 5 s G`.
    TimedBinary(TemporalBinary, Bound, Box<Formula>, Box<Formula>),
    /// Something that did not parse and was already reported.
    Error,
}

/// How far an operator of a formula looks. Both bounds are part of it.
#[derive(Clone, Debug)]
pub enum Bound {
    /// `within 5 s`.
    Within(Duration),
    /// `between 5 s and 10 s`.
    Between(Duration, Duration),
    /// `after 5 s`: as far as there are events, but not the last 5 s.
    After(Duration),
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalUnary {
    /// `always`.
    Always,
    /// `eventually`.
    Eventually,
    /// `next`.
    Next,
    /// `once`.
    Once,
    /// `historically`.
    Historically,
    /// `previous`.
    Previous,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalBinary {
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `implies`.
    Implies,
    /// `iff`.
    Iff,
    /// `until`.
    Until,
    /// `weak-until`.
    WeakUntil,
    /// `release`.
    Release,
    /// `since`.
    Since,
}

/// A source of an event: already in the model's words, with captures by name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The selector.
    pub kind: SourceKind,
    /// From its first word to its last.
    pub span: Span,
}

/// A capture as written: parameter, and its span.
#[derive(Clone, Debug)]
pub struct Capture<T> {
    /// The parameter.
    pub param: Name,
    /// The term.
    pub term: T,
    /// Where the term is.
    pub span: Span,
}

/// The kinds of sources.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a file has few sources, and lowers them once")]
pub enum SourceKind {
    /// `program call`.
    Program(watchword_model::ProgramEvent),
    /// `jvm …`.
    Jvm {
        /// The selector, without captures.
        source: watchword_model::JvmSource,
        /// The captures.
        captures: Vec<Capture<watchword_model::JvmTerm>>,
    },
    /// `native …`.
    Native {
        /// The selector, without captures.
        source: watchword_model::NativeSource,
        /// The captures.
        captures: Vec<Capture<watchword_model::NativeTerm>>,
    },
    /// `log …`.
    Log {
        /// The selector.
        select: watchword_model::LogSelect,
        /// Where the regular expression is, if it is one.
        select_span: Span,
        /// The captures.
        captures: Vec<Capture<watchword_model::LogTerm>>,
    },
}
