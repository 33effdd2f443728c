//! Numbers for values, and answers that are found once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use crate::hash::FastMap;

/// Numbers for values.
pub(super) struct Interner<T: ?Sized> {
    ids: RefCell<HashMap<Rc<T>, u32>>,
    values: RefCell<Vec<Rc<T>>>,
}

impl<T: ?Sized + Eq + Hash> Interner<T> {
    pub fn new() -> Self {
        Interner { ids: RefCell::default(), values: RefCell::default() }
    }

    pub fn id(&self, value: &T) -> u32
    where
        T: ToRc,
    {
        if let Some(id) = self.ids.borrow().get(value) {
            return *id;
        }
        let value = value.to_rc();
        let mut values = self.values.borrow_mut();
        values.push(value.clone());
        let id = values.len() as u32 - 1;
        self.ids.borrow_mut().insert(value, id);
        id
    }

    pub fn get(&self, id: u32) -> Rc<T> {
        self.values.borrow()[id as usize].clone()
    }
}

/// A copy that can be shared.
pub(super) trait ToRc {
    fn to_rc(&self) -> Rc<Self>;
}

impl ToRc for str {
    fn to_rc(&self) -> Rc<str> {
        self.into()
    }
}

impl<T: Clone> ToRc for T {
    fn to_rc(&self) -> Rc<T> {
        Rc::new(self.clone())
    }
}

/// What was found out before, or is now.
pub(super) fn remember<K: Copy + Eq + Hash, V: Clone>(
    known: &RefCell<FastMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Some(known) = known.borrow().get(&key) {
        return known.clone();
    }
    let found = find();
    known.borrow_mut().insert(key, found.clone());
    found
}
