//! Data values and the letters made of them.

use std::fmt;

/// A data value. There are infinitely many as far as the theory is concerned, and values can only
/// be compared for equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u64);

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The finite part of a letter: which kind of event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u32);

impl Kind {
    /// The kind as an index into a table with one row per kind.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "k{}", self.0)
    }
}

/// One letter of a data word: a kind and as many values as the kind has components.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DataLetter {
    /// Which kind of letter.
    pub kind: Kind,
    /// Its components.
    pub values: Vec<Value>,
}

impl DataLetter {
    /// The letter of this kind with these components.
    pub fn new(kind: Kind, values: impl IntoIterator<Item = Value>) -> Self {
        DataLetter { kind, values: values.into_iter().collect() }
    }
}

impl fmt::Display for DataLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.kind)?;
        for (i, value) in self.values.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{value}")?;
        }
        f.write_str(")")
    }
}

/// A finite sequence of letters.
pub type DataWord = Vec<DataLetter>;

/// The kinds of letters an automaton reads, and how many components each has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signature {
    arities: Vec<usize>,
}

impl Signature {
    /// Kinds `0, 1, …` with these numbers of components.
    pub fn new(arities: impl IntoIterator<Item = usize>) -> Self {
        Signature { arities: arities.into_iter().collect() }
    }

    /// One kind of letter with `arity` components: the alphabet of n-tuples.
    pub fn tuples(arity: usize) -> Self {
        Signature { arities: vec![arity] }
    }

    /// How many kinds there are.
    pub fn len(&self) -> usize {
        self.arities.len()
    }

    /// Whether there is no kind, and so no letter.
    pub fn is_empty(&self) -> bool {
        self.arities.is_empty()
    }

    /// All kinds, in increasing order.
    pub fn kinds(&self) -> impl DoubleEndedIterator<Item = Kind> + Clone + use<> {
        (0..self.arities.len() as u32).map(Kind)
    }

    /// How many components a letter of this kind has.
    ///
    /// # Panics
    /// If the signature does not have the kind.
    pub fn arity(&self, kind: Kind) -> usize {
        self.arities[kind.index()]
    }

    /// The largest number of components of any kind.
    pub fn max_arity(&self) -> usize {
        self.arities.iter().copied().max().unwrap_or(0)
    }

    /// Whether `letter` is one of the signature's letters.
    pub fn contains(&self, letter: &DataLetter) -> bool {
        self.arities.get(letter.kind.index()) == Some(&letter.values.len())
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        kind.index() < self.arities.len()
    }
}
