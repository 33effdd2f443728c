//! Selectors of program points and variables in a native program.

use super::Capture;
use crate::Glob;

/// Program points or variables of a native program, and what an event there carries.
#[derive(Clone, Debug)]
pub struct NativeSource {
    /// On which side of the point.
    pub when: NativeWhen,
    /// The point.
    pub point: NativePoint,
    /// The module (executable or shared library) it is in, where that is said.
    pub module: Option<Glob>,
    /// What the event carries.
    pub captures: Vec<Capture<NativeTerm>>,
}

/// On which side of a program point an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeWhen {
    /// Before it happens.
    Before,
    /// After it has happened.
    After,
}

/// A kind of program point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativePoint {
    /// A call of a function.
    Call(Glob),
    /// A write of a variable, or of a field of every object of a type.
    Write(NativeVariable),
    /// A read of one.
    Read(NativeVariable),
    /// The value of an expression changed.
    Update(NativeVariable),
}

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeVariable {
    /// The variable: `v`, `*p`, `p->f`, `a[i]`.
    pub term: NativeTerm,
    /// The function or type the names are to be looked up in.
    pub scope: Option<String>,
}

/// A term over the state of a native program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeTerm {
    /// A variable in scope, or a global one.
    Name(String),
    /// An argument, from 0.
    Arg(u32),
    /// The returned value.
    Ret,
    /// The value written or read; before a write, the old one.
    Value,
    /// The address of the variable.
    Address,
    /// The thread.
    Thread,
    /// An integer.
    Int(i64),
    /// `*p`.
    Deref(Box<NativeTerm>),
    /// `&v`.
    AddressOf(Box<NativeTerm>),
    /// `s.f`.
    Field(Box<NativeTerm>, String),
    /// `p->f`.
    Arrow(Box<NativeTerm>, String),
    /// `a[i]`.
    Index(Box<NativeTerm>, Box<NativeTerm>),
}
