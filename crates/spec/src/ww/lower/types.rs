//! What types fit together, and what built-in functions take and give.

use watchword_model::{Builtin, Span, Type, Value};

use super::Lowering;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::tree::Name;

/// What an argument of a built-in function must be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    Anything,
    One(Type),
    Number,
    Container,
    ContainerOrText,
    TextOrList,
    Ordered,
}

impl Wanted {
    pub(super) fn accepts(self, ty: Type) -> bool {
        ty == Type::Any
            || match self {
                // A number that has lost its unit would mean nothing.
                Wanted::Any => true,
                Wanted::Anything => ty != Type::Duration,
                Wanted::One(wanted) => fits(ty, wanted),
                Wanted::Number => ty.is_number(),
                Wanted::Container => matches!(ty, Type::List | Type::Map),
                Wanted::ContainerOrText => matches!(ty, Type::List | Type::Map | Type::Str),
                Wanted::TextOrList => matches!(ty, Type::Str | Type::List),
                Wanted::Ordered => ty.is_number() || matches!(ty, Type::Str | Type::Ptr),
            }
    }

    pub(super) fn text(self) -> String {
        match self {
            Wanted::Any => "anything".to_string(),
            Wanted::Anything => "anything but a duration".to_string(),
            Wanted::One(ty) => format!("`{ty}`"),
            Wanted::Number => "a number".to_string(),
            Wanted::Container => "a list or a map".to_string(),
            Wanted::ContainerOrText => "a list, a map or a text".to_string(),
            Wanted::TextOrList => "a text or a list of texts".to_string(),
            Wanted::Ordered => "a number, a text or an address".to_string(),
        }
    }
}

/// What the arguments of a built-in function must be.
pub(super) fn builtin_wants(builtin: Builtin) -> &'static [Wanted] {
    use Wanted::{Any, Anything, Container, ContainerOrText, Number, One, Ordered, TextOrList};
    match builtin {
        Builtin::Len => &[ContainerOrText],
        Builtin::Get => &[Container, Anything],
        Builtin::Put => &[Container, Anything, Anything],
        Builtin::Push => &[One(Type::List), Anything],
        Builtin::Remove => &[Container, Anything],
        Builtin::Contains => &[ContainerOrText, Anything],
        Builtin::Keys => &[One(Type::Map)],
        Builtin::Abs => &[Number],
        Builtin::Min | Builtin::Max => &[Ordered, Ordered],
        // The number of nanoseconds of a duration, for example.
        Builtin::ToInt => &[Any],
        Builtin::ToFloat | Builtin::ToStr => &[Anything],
        Builtin::StartsWith | Builtin::EndsWith => &[One(Type::Str), One(Type::Str)],
        Builtin::Matches => &[TextOrList, One(Type::Str)],
        Builtin::Lower | Builtin::Upper => &[One(Type::Str)],
        Builtin::Wrap32 => &[One(Type::Int)],
    }
}

/// What a built-in function gives.
pub(super) fn builtin_gives(builtin: Builtin, args: &[Type]) -> Type {
    let first = args.first().copied().unwrap_or(Type::Any);
    match builtin {
        Builtin::Len | Builtin::ToInt | Builtin::Wrap32 => Type::Int,
        Builtin::Get => Type::Any,
        Builtin::Put | Builtin::Remove | Builtin::Abs => first,
        Builtin::Push | Builtin::Keys => Type::List,
        Builtin::Contains | Builtin::StartsWith | Builtin::EndsWith | Builtin::Matches => {
            Type::Bool
        }
        Builtin::Min | Builtin::Max => {
            let second = args.get(1).copied().unwrap_or(Type::Any);
            if first == second { first } else { Type::Any }
        }
        Builtin::ToFloat => Type::Float,
        Builtin::ToStr | Builtin::Lower | Builtin::Upper => Type::Str,
    }
}

/// Whether a value of one type may be stored where another is declared.
pub(super) fn fits(value: Type, declared: Type) -> bool {
    value == declared
        || value == Type::Any
        || declared == Type::Any
        || (value == Type::Int && declared == Type::Float)
}

/// A constant as a place of that type holds it, if it fits.
pub(super) fn constant(value: Value, ty: Type) -> Option<Value> {
    value.coerce(ty)
}

/// What a variable of that type is in the model.
pub(super) fn stored(ty: Type) -> Type {
    if ty == Type::Duration { Type::Int } else { ty }
}

/// The type that holds both.
pub(super) fn join(a: Type, b: Type) -> Type {
    if a == b { a } else { Type::Any }
}

impl Lowering<'_> {
    /// The type of a variable: also `duration`.
    pub(super) fn variable_type(&mut self, name: &Name) -> Type {
        if name.text == Type::Duration.name() { Type::Duration } else { self.type_named(name) }
    }

    /// The type of that name; unknown ones are reported and count as `any`.
    pub(super) fn type_named(&mut self, name: &Name) -> Type {
        if let Some(ty) = Type::from_name(&name.text) {
            return ty;
        }
        let other = match name.text.to_ascii_lowercase().as_str() {
            "str" | "text" => Some("string"),
            "integer" | "long" | "i64" | "u64" | "short" | "byte" => Some("int"),
            "double" | "f64" | "number" => Some("float"),
            "boolean" => Some("bool"),
            "object" => Some("ref"),
            "pointer" | "address" => Some("ptr"),
            "dict" => Some("map"),
            "array" => Some("list"),
            _ => nearest(&name.text, Type::ALL.iter().map(|t| t.name())),
        };
        let all: Vec<&str> = Type::ALL.iter().map(|t| t.name()).collect();
        self.report(
            Diagnostic::error(
                Code::UnknownType,
                name.span,
                format!("there is no type `{}`", name.text),
            )
            .rule(format!("types are {}", all.join(", ")))
            .did_you_mean(other),
        );
        Type::Any
    }

    pub(super) fn mismatch(&mut self, span: Span, wanted: &str, found: Type) {
        self.report(
            Diagnostic::error(
                Code::TypeMismatch,
                span,
                format!("expected {wanted}, found `{found}`"),
            )
            .label(format!("this is `{found}`")),
        );
    }
}
