//! What a script says, before anything is resolved.

use watchword_model::{BinaryOp, Span, UnaryOp};

pub use crate::ww::tree::Name;

/// A script.
#[derive(Debug, Default)]
pub struct Script {
    /// `import a.b.C;` and `import a.b.*;`.
    pub imports: Vec<String>,
    /// What is inside `GLOBAL`.
    pub global: Context,
    /// What is inside `METHODS`.
    pub methods: Vec<Method>,
}

/// `GLOBAL { … }` or `FOREACH (…) { … }`.
#[derive(Debug, Default)]
pub struct Context {
    /// The word it begins with.
    pub span: Option<Span>,
    /// What it is for each of.
    pub params: Vec<ForEach>,
    /// `INVARIANTS`.
    pub invariants: Vec<Invariant>,
    /// `VARIABLES`.
    pub variables: Vec<Variable>,
    /// `EVENTS`.
    pub events: Vec<Event>,
    /// `PROPERTY …`.
    pub properties: Vec<Property>,
    /// `FOREACH …`.
    pub inner: Vec<Context>,
}

/// A variable of `FOREACH`.
#[derive(Debug)]
pub struct ForEach {
    /// Its type.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// `equateUsing m`.
    pub equate: Option<Name>,
}

/// `Type name = expr;` whose value must not change.
#[derive(Debug)]
pub struct Invariant {
    /// The name.
    pub name: Name,
    /// What is looked at.
    pub value: Expr,
    /// Checked from the start.
    pub enabled: bool,
}

/// A type as written, without type arguments.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The name, with dots and perhaps `[]`.
    pub name: String,
    /// `+`.
    pub subtypes: bool,
    /// Where.
    pub span: Span,
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its type.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// The initial value.
    pub init: Option<Expr>,
}

/// `name(params) = { … }`.
#[derive(Debug)]
pub struct Event {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Vec<(Option<TypeName>, Name)>,
    /// The members, filter and assignments.
    pub collection: Collection,
}

/// `{ a | b } filter { … } where { … }`.
#[derive(Debug)]
pub struct Collection {
    /// The members.
    pub members: Vec<EventMember>,
    /// `filter`.
    pub filter: Option<Expr>,
    /// `where`: a name, and what it is.
    pub wheres: Vec<(Name, Expr)>,
}

/// A member of a collection.
#[derive(Debug)]
pub enum EventMember {
    /// A collection inside.
    Collection(Collection),
    /// Another event.
    Named(Name),
    /// `clock@5`: nanoseconds.
    Clock(Name, i64),
    /// `clock@@`.
    Rings(Name),
    /// `channel.receive(x)`.
    Channel(Name, Option<(Option<TypeName>, Name)>),
    /// A method.
    Method(Box<MethodEvent>),
}

/// On which side of the method.
#[derive(Debug)]
pub enum Variation {
    /// Before it.
    Before,
    /// `uponReturning(v)`.
    Returning(Option<Name>),
    /// `uponThrowing(v)`.
    Throwing(Option<TypeName>, Option<Name>),
    /// `uponHandling(Type v)`.
    Handling(Option<TypeName>, Option<Name>),
}

/// An argument of a method event.
#[derive(Debug)]
pub enum MethodArg {
    /// `*`: any number.
    Rest,
    /// One, perhaps with a type and a name.
    One(Option<TypeName>, Option<Name>),
}

/// `[call|execution] target.method(args) variation within (Type name)`.
#[derive(Debug)]
pub struct MethodEvent {
    /// In the method instead of at its calls.
    pub execution: bool,
    /// The type of the target.
    pub owner: Option<TypeName>,
    /// The name of the target.
    pub target: Option<Name>,
    /// The method, `new` for constructors.
    pub method: Name,
    /// The arguments.
    pub args: Vec<MethodArg>,
    /// When.
    pub variation: Variation,
    /// Where it is called.
    pub within: Option<(TypeName, Option<Name>)>,
    /// From its first word to its last.
    pub span: Span,
}

/// A group of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Ends the automaton.
    Accepting,
    /// Reported.
    Bad,
    /// Nothing.
    Normal,
    /// Where it begins.
    Starting,
}

/// A state.
#[derive(Debug)]
pub struct State {
    /// Its group.
    pub group: Group,
    /// Its name.
    pub name: Name,
    /// What is executed on every entry.
    pub entry: Vec<Stmt>,
}

/// `src -> dst [event\cond\action]`.
#[derive(Debug)]
pub struct Arrow {
    /// From.
    pub source: Name,
    /// To.
    pub target: Name,
    /// The event.
    pub event: Name,
    /// The condition.
    pub condition: Option<Expr>,
    /// The action.
    pub action: Vec<Stmt>,
    /// `[enable inv]` and `[disable inv]`.
    pub switches: Vec<(bool, Name)>,
    /// The whole of it.
    pub span: Span,
}

/// `PROPERTY name { … }`.
#[derive(Debug)]
pub struct Property {
    /// The name.
    pub name: Name,
    /// The states.
    pub states: Vec<State>,
    /// The transitions.
    pub arrows: Vec<Arrow>,
}

/// A method of `METHODS`.
#[derive(Debug)]
pub struct Method {
    /// The type of its result.
    pub ty: TypeName,
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Vec<(TypeName, Name)>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A Java expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Java's operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// One the model has too.
    Plain(BinaryOp),
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// What a Java expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, and whether it is a `long`.
    Int(i64, bool),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A character.
    Char(char),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// A name, with the FOREACHs it is in if they are written: `u::a::count`.
    Name(String),
    /// `e.f`.
    Field(Box<Expr>, Name),
    /// `e.m(…)` or `m(…)`.
    Call(Option<Box<Expr>>, Name, Vec<Expr>),
    /// `new T(…)`.
    New(TypeName, Vec<Expr>),
    /// `-e`, `!e`, `~e`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(T) e`.
    Cast(TypeName, Box<Expr>),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `a = e`, `a += e`.
    Assign(Box<Expr>, Option<BinaryOp>, Box<Expr>),
    /// `a++`, `--a`: by how much.
    Step(Box<Expr>, i64),
}

/// A Java statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// What a Java statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `e;`.
    Expr(Expr),
    /// `T x = e;`.
    Local(TypeName, Name, Option<Expr>),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while`.
    While(Expr, Vec<Stmt>),
    /// `for (a; b; c)`.
    For(Vec<Stmt>, Option<Expr>, Vec<Stmt>, Vec<Stmt>),
    /// `for (T x : e)`.
    ForEach(TypeName, Name, Expr, Vec<Stmt>),
    /// `return`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `{ … }`.
    Block(Vec<Stmt>),
}
