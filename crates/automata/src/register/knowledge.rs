//! What is known about which unknowns are equal.

use super::Value;

/// An unknown value, numbered from zero.
pub(super) type Symbol = u32;

/// A satisfiable set of equations and inequations between symbols, some of which stand for a fixed
/// value.
///
/// The domain of values is infinite, so such a set is satisfiable unless it equates two symbols it
/// also tells apart, or two different fixed values. For the same reason nothing is lost by
/// forgetting a symbol that equals no other: whatever it differs from, there is room for it.
#[derive(Debug, Clone, Default)]
pub(super) struct Knowledge {
    /// Union-find, without ranks: paths are a few symbols long.
    parent: Vec<Symbol>,
    /// By representative: the value the class is known to have.
    fixed: Vec<Option<Value>>,
    /// Pairs told apart; not necessarily representatives any more.
    apart: Vec<(Symbol, Symbol)>,
}

impl Knowledge {
    /// A symbol about which nothing is known.
    pub(super) fn fresh(&mut self) -> Symbol {
        self.parent.push(self.parent.len() as Symbol);
        self.fixed.push(None);
        self.parent.len() as Symbol - 1
    }

    /// A symbol known to have this value.
    pub(super) fn fixed(&mut self, value: Value) -> Symbol {
        let symbol = self.fresh();
        self.fixed[symbol as usize] = Some(value);
        symbol
    }

    /// How many symbols there are.
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The representative of the symbols known to be equal to this one.
    pub(super) fn find(&self, mut symbol: Symbol) -> Symbol {
        while self.parent[symbol as usize] != symbol {
            symbol = self.parent[symbol as usize];
        }
        symbol
    }

    /// The value the symbol is known to have.
    pub(super) fn value(&self, symbol: Symbol) -> Option<Value> {
        self.fixed[self.find(symbol) as usize]
    }

    /// Whether the symbols are known to differ.
    pub(super) fn differ(&self, one: Symbol, two: Symbol) -> bool {
        let (one, two) = (self.find(one), self.find(two));
        if let (Some(left), Some(right)) = (self.value(one), self.value(two)) {
            return left != right;
        }
        self.apart.iter().any(|&(a, b)| {
            let pair = (self.find(a), self.find(b));
            pair == (one, two) || pair == (two, one)
        })
    }

    /// Learns that the symbols are equal; false, learning nothing, if that cannot be.
    pub(super) fn equate(&mut self, one: Symbol, two: Symbol) -> bool {
        let (one, two) = (self.find(one), self.find(two));
        if one == two {
            return true;
        }
        if self.differ(one, two) {
            return false;
        }
        let (kept, merged) = (one.min(two), one.max(two));
        self.parent[merged as usize] = kept;
        self.fixed[kept as usize] = self.fixed[kept as usize].or(self.fixed[merged as usize]);
        true
    }

    /// Learns that the symbols differ; false, learning nothing, if that cannot be.
    pub(super) fn separate(&mut self, one: Symbol, two: Symbol) -> bool {
        let (one, two) = (self.find(one), self.find(two));
        if one == two {
            return false;
        }
        if !self.differ(one, two) {
            self.apart.push((one, two));
        }
        true
    }

    /// The pairs of representatives told apart, except those with two fixed values.
    pub(super) fn apart(&self) -> impl Iterator<Item = (Symbol, Symbol)> + '_ {
        self.apart
            .iter()
            .map(|&(one, two)| (self.find(one), self.find(two)))
            .filter(|&(one, two)| self.value(one).is_none() || self.value(two).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_differences_survive_equating_in_either_order() {
        let mut knowledge = Knowledge::default();
        let [a, b, c] = std::array::from_fn(|_| knowledge.fresh());
        let (five, six) = (knowledge.fixed(Value(5)), knowledge.fixed(Value(6)));
        assert!(knowledge.equate(a, five));
        assert_eq!(knowledge.value(a), Some(Value(5)));
        assert!(knowledge.differ(six, a) && !knowledge.equate(a, six));
        assert!(knowledge.separate(c, b) && knowledge.equate(b, six));
        assert!(!knowledge.equate(six, c) && knowledge.differ(c, six) && !knowledge.differ(c, a));
        assert!(knowledge.equate(c, a) && !knowledge.separate(c, five));
        assert_eq!(knowledge.apart().count(), 0, "5 and 6 differ anyway");
    }
}
