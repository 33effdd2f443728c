//! A persistent sequence: a weight-balanced tree whose nodes versions share.
//!
//! Changing one element makes a new version in O(log n) and leaves the old one as it is, so that
//! any number of instances can hold versions of one list, and a branch that fails has changed
//! nothing.

use std::cmp::Ordering;
use std::sync::Arc;

/// What trees sum up of their elements.
pub(crate) trait Measure {
    /// What it counts for in [`Tree::weight`].
    fn weight(&self) -> usize;
    /// A hash that elements have in common that cannot be told apart.
    fn digest(&self) -> u64;
    /// Whether a NaN is in it, so that it is not even the same as itself.
    fn has_nan(&self) -> bool;
}

/// See the module's text.
#[derive(Clone, Debug)]
pub(crate) struct Tree<T>(Option<Arc<Node<T>>>);

#[derive(Debug)]
struct Node<T> {
    item: T,
    size: usize,
    weight: usize,
    digest: u64,
    has_nan: bool,
    /// [`BASE`] to the power of `size`.
    power: u64,
    left: Tree<T>,
    right: Tree<T>,
}

/// The digest of a sequence is a polynomial of its elements' digests: it does not depend on the
/// shape of the tree.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// One side may have so many times the elements of the other.
const DELTA: usize = 3;
/// A single rotation is enough if the inner grandchild has less than so many times the elements of
/// the outer one.
const GAMMA: usize = 2;

impl<T> Default for Tree<T> {
    fn default() -> Tree<T> {
        Tree(None)
    }
}

impl<T: Clone + Measure> Tree<T> {
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |n| n.size)
    }

    /// The sum of what the elements weigh; it does not wrap.
    pub fn weight(&self) -> usize {
        self.0.as_ref().map_or(0, |n| n.weight)
    }

    /// A hash of all elements in order.
    pub fn digest(&self) -> u64 {
        self.0.as_ref().map_or(0, |n| n.digest)
    }

    /// Whether a NaN is in one of them.
    pub fn has_nan(&self) -> bool {
        self.0.as_ref().is_some_and(|n| n.has_nan)
    }

    fn power(&self) -> u64 {
        self.0.as_ref().map_or(1, |n| n.power)
    }

    /// The element at a position.
    pub fn get(&self, at: usize) -> Option<&T> {
        let node = self.0.as_ref()?;
        let before = node.left.len();
        match at.cmp(&before) {
            Ordering::Less => node.left.get(at),
            Ordering::Equal => Some(&node.item),
            Ordering::Greater => node.right.get(at - before - 1),
        }
    }

    /// Where the element is that `order` calls equal, or would have to be. Elements are in that
    /// order.
    pub fn search(&self, order: impl Fn(&T) -> Ordering) -> Result<usize, usize> {
        let mut tree = self;
        let mut before = 0;
        while let Some(node) = &tree.0 {
            match order(&node.item) {
                Ordering::Equal => return Ok(before + node.left.len()),
                Ordering::Greater => tree = &node.left,
                Ordering::Less => {
                    before += node.left.len() + 1;
                    tree = &node.right;
                }
            }
        }
        Err(before)
    }

    /// The same with another element at a position, which there is.
    pub fn put(&self, at: usize, item: T) -> Tree<T> {
        let Some(node) = &self.0 else { return Tree::default() };
        let before = node.left.len();
        match at.cmp(&before) {
            Ordering::Less => {
                Tree::join(node.left.put(at, item), node.item.clone(), node.right.clone())
            }
            Ordering::Equal => Tree::join(node.left.clone(), item, node.right.clone()),
            Ordering::Greater => {
                let right = node.right.put(at - before - 1, item);
                Tree::join(node.left.clone(), node.item.clone(), right)
            }
        }
    }

    /// The same with one more element, before the one at a position or at the end.
    pub fn insert(&self, at: usize, item: T) -> Tree<T> {
        let Some(node) = &self.0 else { return Tree::join(Tree(None), item, Tree(None)) };
        let before = node.left.len();
        if at <= before {
            Tree::balance(node.left.insert(at, item), node.item.clone(), node.right.clone())
        } else {
            let right = node.right.insert(at - before - 1, item);
            Tree::balance(node.left.clone(), node.item.clone(), right)
        }
    }

    /// The same without the element at a position, which there is.
    pub fn remove(&self, at: usize) -> Tree<T> {
        let Some(node) = &self.0 else { return Tree::default() };
        let before = node.left.len();
        match at.cmp(&before) {
            Ordering::Less => {
                Tree::balance(node.left.remove(at), node.item.clone(), node.right.clone())
            }
            Ordering::Greater => {
                let right = node.right.remove(at - before - 1);
                Tree::balance(node.left.clone(), node.item.clone(), right)
            }
            Ordering::Equal => match node.right.get(0) {
                None => node.left.clone(),
                Some(next) => Tree::balance(node.left.clone(), next.clone(), node.right.remove(0)),
            },
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> Iter<'_, T> {
        let mut iter = Iter { above: Vec::new() };
        iter.descend(self);
        iter
    }

    /// Of elements in order; they are taken out.
    fn build(items: &mut [Option<T>]) -> Tree<T> {
        let middle = items.len() / 2;
        let Some(item) = items.get_mut(middle).and_then(Option::take) else { return Tree(None) };
        let (left, right) = items.split_at_mut(middle);
        Tree::join(Tree::build(left), item, Tree::build(&mut right[1..]))
    }

    fn join(left: Tree<T>, item: T, right: Tree<T>) -> Tree<T> {
        let size = left.len() + right.len() + 1;
        let weight = left.weight().saturating_add(right.weight()).saturating_add(item.weight());
        let shift = left.power();
        let rest = right.digest().wrapping_mul(BASE).wrapping_add(item.digest());
        let digest = left.digest().wrapping_add(rest.wrapping_mul(shift));
        let has_nan = left.has_nan() || item.has_nan() || right.has_nan();
        let power = shift.wrapping_mul(right.power()).wrapping_mul(BASE);
        Tree(Some(Arc::new(Node { item, size, weight, digest, has_nan, power, left, right })))
    }

    /// Joins trees of which one may have become too large for the other.
    fn balance(left: Tree<T>, item: T, right: Tree<T>) -> Tree<T> {
        let (l, r) = (left.len(), right.len());
        if l + r > 1 && r > DELTA * l {
            if let Some(node) = &right.0 {
                let (inner, outer) = (&node.left, &node.right);
                if inner.len() < GAMMA * outer.len() {
                    let left = Tree::join(left, item, inner.clone());
                    return Tree::join(left, node.item.clone(), outer.clone());
                }
                if let Some(middle) = &inner.0 {
                    let left = Tree::join(left, item, middle.left.clone());
                    let right = Tree::join(middle.right.clone(), node.item.clone(), outer.clone());
                    return Tree::join(left, middle.item.clone(), right);
                }
            }
        } else if l + r > 1
            && l > DELTA * r
            && let Some(node) = &left.0
        {
            let (outer, inner) = (&node.left, &node.right);
            if inner.len() < GAMMA * outer.len() {
                let right = Tree::join(inner.clone(), item, right);
                return Tree::join(outer.clone(), node.item.clone(), right);
            }
            if let Some(middle) = &inner.0 {
                let right = Tree::join(middle.right.clone(), item, right);
                let left = Tree::join(outer.clone(), node.item.clone(), middle.left.clone());
                return Tree::join(left, middle.item.clone(), right);
            }
        }
        Tree::join(left, item, right)
    }
}

impl<T: Clone + Measure> FromIterator<T> for Tree<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Tree<T> {
        let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
        Tree::build(&mut items)
    }
}

/// The elements of a tree in order.
pub(crate) struct Iter<'t, T> {
    above: Vec<&'t Node<T>>,
}

impl<'t, T> Iter<'t, T> {
    fn descend(&mut self, mut tree: &'t Tree<T>) {
        while let Some(node) = &tree.0 {
            self.above.push(node);
            tree = &node.left;
        }
    }
}

impl<'t, T> Iterator for Iter<'t, T> {
    type Item = &'t T;

    fn next(&mut self) -> Option<&'t T> {
        let node = self.above.pop()?;
        self.descend(&node.right);
        Some(&node.item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Measure for u32 {
        fn weight(&self) -> usize {
            1
        }

        fn digest(&self) -> u64 {
            u64::from(*self) + 1
        }

        fn has_nan(&self) -> bool {
            false
        }
    }

    /// The height, if every node is balanced.
    fn height(tree: &Tree<u32>) -> usize {
        let Some(node) = &tree.0 else { return 0 };
        let (l, r) = (node.left.len(), node.right.len());
        assert!(l + r <= 1 || l <= DELTA * r && r <= DELTA * l, "{l} beside {r}");
        1 + height(&node.left).max(height(&node.right))
    }

    #[test]
    fn every_version_stays_what_it_was() {
        let mut random = 7u64;
        let mut below = |n: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % n
        };
        let mut tree: Tree<u32> = (0..10).collect();
        let mut list: Vec<u32> = (0..10).collect();
        let mut versions = Vec::new();
        for round in 0..5_000u32 {
            let len = list.len();
            match below(if len > 400 { 3 } else { 5 }) {
                0 if len > 0 => {
                    let at = below(len);
                    list.remove(at);
                    tree = tree.remove(at);
                }
                1 if len > 0 => {
                    let at = below(len);
                    list[at] = round;
                    tree = tree.put(at, round);
                }
                _ => {
                    let at = if below(2) == 0 { len } else { below(len + 1) };
                    list.insert(at, round);
                    tree = tree.insert(at, round);
                }
            }
            if round % 250 == 0 {
                versions.push((tree.clone(), list.clone()));
            }
            assert_eq!((tree.len(), tree.weight()), (list.len(), list.len()));
            assert!(height(&tree) <= 24);
            let built: Tree<u32> = list.iter().copied().collect();
            assert_eq!(tree.digest(), built.digest());
        }
        for (tree, list) in versions {
            assert!(tree.iter().eq(&list));
            assert!((0..list.len() + 1).all(|at| tree.get(at) == list.get(at)));
        }
    }

    #[test]
    fn elements_are_found_by_their_order() {
        let tree: Tree<u32> = (0..100).map(|i| i * 2).collect();
        for i in 0..200usize {
            let expected = if i % 2 == 0 { Ok(i / 2) } else { Err(i.div_ceil(2)) };
            assert_eq!(tree.search(|x| (*x as usize).cmp(&i)), expected);
        }
    }
}
