//! Selectors of program points and variables in a native program.

use std::fmt;

use super::{Capture, NativePoint};
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
    /// For calls: from where they come, where that is said.
    pub caller: Option<NativeCaller>,
    /// What the event carries.
    pub captures: Vec<Capture<NativeTerm>>,
}

impl NativeSource {
    /// Whether the module is given as the C library, whatever its file is called.
    pub fn is_in_c_library(&self) -> bool {
        self.module.as_ref().is_some_and(|m| m.text() == "libc")
    }
}

/// On which side of a program point an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeWhen {
    /// Before it happens.
    Before,
    /// After it has happened.
    After,
}

/// From where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NativeCaller {
    /// From its own module, or from the C library.
    Inside,
    /// From anywhere else: by a user of the module.
    Outside,
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
    /// `(unsigned int) e`: read as this type of C, for functions without debug information.
    Cast(String, Box<NativeTerm>),
}

impl NativeTerm {
    /// What is looked at through pointers, fields, elements and casts, in the end.
    pub fn root(&self) -> &NativeTerm {
        match self {
            NativeTerm::Deref(inner)
            | NativeTerm::AddressOf(inner)
            | NativeTerm::Field(inner, _)
            | NativeTerm::Arrow(inner, _)
            | NativeTerm::Cast(_, inner)
            | NativeTerm::Index(inner, _) => inner.root(),
            other => other,
        }
    }

    /// The words that types of a cast are made of.
    pub const TYPE_WORDS: [&'static str; 9] =
        ["signed", "unsigned", "char", "short", "int", "long", "float", "double", "bool"];

    /// Whether the words of a cast are a type of C.
    pub fn is_type(name: &str) -> bool {
        let mut words: Vec<&str> = name.split(' ').collect();
        words.sort_unstable();
        let is_sign = |w: &&str| matches!(*w, "signed" | "unsigned");
        let signs = words.iter().filter(|w| is_sign(w)).count();
        words.retain(|w| !is_sign(w));
        match words.as_slice() {
            ["float"] | ["double"] | ["bool"] => signs == 0,
            [] => signs == 1,
            ["char"]
            | ["int"]
            | ["short"]
            | ["int", "short"]
            | ["long"]
            | ["int", "long"]
            | ["long", "long"]
            | ["int", "long", "long"] => signs <= 1,
            _ => false,
        }
    }
}

/// A term as C writes it, with the parentheses that its meaning needs.
impl fmt::Display for NativeTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = |t: &NativeTerm| match t {
            NativeTerm::Deref(_) | NativeTerm::AddressOf(_) | NativeTerm::Cast(..) => {
                format!("({t})")
            }
            _ => t.to_string(),
        };
        match self {
            NativeTerm::Name(name) => f.write_str(name),
            NativeTerm::Arg(index) => write!(f, "arg {index}"),
            NativeTerm::Ret => f.write_str("ret"),
            NativeTerm::Value => f.write_str("value"),
            NativeTerm::Address => f.write_str("address"),
            NativeTerm::Thread => f.write_str("thread"),
            NativeTerm::Int(i) => write!(f, "{i}"),
            NativeTerm::Deref(t) => write!(f, "*{t}"),
            NativeTerm::AddressOf(t) => write!(f, "&{t}"),
            NativeTerm::Field(t, field) => write!(f, "{}.{field}", operand(t)),
            NativeTerm::Arrow(t, field) => write!(f, "{}->{field}", operand(t)),
            NativeTerm::Index(t, index) => write!(f, "{}[{index}]", operand(t)),
            NativeTerm::Cast(ty, t) => write!(f, "({ty}) {t}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_differ_are_written_differently() {
        let p = || Box::new(NativeTerm::Name("p".into()));
        let field_of_target = NativeTerm::Field(Box::new(NativeTerm::Deref(p())), "f".into());
        let target_of_field = NativeTerm::Deref(Box::new(NativeTerm::Field(p(), "f".into())));
        assert_eq!(field_of_target.to_string(), "(*p).f");
        assert_eq!(target_of_field.to_string(), "*p.f");
        let cast = NativeTerm::Cast("unsigned int".into(), Box::new(NativeTerm::Arg(0)));
        assert_eq!(cast.to_string(), "(unsigned int) arg 0");
    }

    #[test]
    fn types_of_c_are_known() {
        for name in ["int", "unsigned", "long long unsigned", "unsigned char", "double", "bool"] {
            assert!(NativeTerm::is_type(name), "{name}");
        }
        for name in ["float int", "unsigned bool", "signed unsigned", "short long"] {
            assert!(!NativeTerm::is_type(name), "{name}");
        }
    }
}
