//! Windows: what the events of the last minute come to.

use crate::{Expr, Label, Span, Time, Type};

/// A sliding window over the events of a slice.
///
/// Before an event is offered to the transitions, it enters the windows whose label it matches. A
/// window comes to something by the events that are in it: those that entered it `within` so long
/// ago, the bound included. Events before the first one with a time count as if they had happened
/// at that time.
#[derive(Clone, Debug)]
pub struct Window {
    /// The name.
    pub name: String,
    /// What it comes to.
    pub aggregate: Aggregate,
    /// The events that enter it. Binds nothing but locals and reads parameters, arguments and these
    /// locals only.
    pub label: Label,
    /// The value of an event, which sees what the label sees. `None` for [`Aggregate::Count`] only.
    pub of: Option<Expr>,
    /// How long an event stays in it.
    pub within: Time,
    /// Where it was written.
    pub span: Span,
}

/// What the events in a window come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// How many there are.
    Count,
    /// How many different values they have. A NaN differs from every value.
    Distinct,
    /// The sum of their values, rounded once; an integer if all of them are.
    Sum,
    /// The least value; the earliest of equal ones.
    Min,
    /// The greatest value; the earliest of equal ones.
    Max,
    /// The sum of the values, divided by how many there are.
    Avg,
}

impl Aggregate {
    /// Every aggregate with the words it is written with.
    pub const TABLE: [(Aggregate, &'static str); 6] = [
        (Aggregate::Count, "count"),
        (Aggregate::Distinct, "count distinct"),
        (Aggregate::Sum, "sum"),
        (Aggregate::Min, "min"),
        (Aggregate::Max, "max"),
        (Aggregate::Avg, "avg"),
    ];

    /// The words it is written with.
    pub fn words(self) -> &'static str {
        let row = Aggregate::TABLE.iter().find(|(aggregate, _)| *aggregate == self);
        row.map_or("", |(_, words)| words)
    }

    /// The type of what it comes to, if the values are of type `of`.
    pub fn gives(self, of: Type) -> Type {
        match self {
            Aggregate::Count | Aggregate::Distinct => Type::Int,
            Aggregate::Avg => Type::Float,
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => of,
        }
    }

    /// Whether the values must be numbers: neither a NaN nor of a magnitude above
    /// [`Aggregate::LARGEST`]. An instance that meets another value there is inconclusive.
    pub fn wants_numbers(self) -> bool {
        !matches!(self, Aggregate::Count | Aggregate::Distinct)
    }

    /// Sums of numbers up to this magnitude, 2^960, cannot leave the range of floats.
    pub const LARGEST: f64 = f64::from_bits((960 + 1023) << 52);
}
