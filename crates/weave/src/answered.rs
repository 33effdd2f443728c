//! What was found out about calls, for classes that are woven later: most selected calls of a program are of methods of
//! the JDK, and which sources mean such a call does not depend on the class that makes it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use watchword_select::Answer;

use crate::target::Target;

/// A source, and whether a call matches it; without an answer where that is not the same for every class.
pub type Known = (usize, Option<Answer>);

/// Answers by call. Sources that no such call matches are left out.
#[derive(Debug, Default)]
pub struct Answered(Mutex<HashMap<String, Arc<[Known]>>>);

/// Programs call some thousands of methods of the JDK.
const MOST: usize = 50_000;

impl Answered {
    /// What is known of a call.
    pub fn of(&self, target: &Target) -> Option<Arc<[Known]>> {
        let key = key(target)?;
        self.0.lock().ok()?.get(&key).cloned()
    }

    /// Keeps the answers about a call: the sources that could concern it, and whether the answer is the same for every
    /// class.
    pub fn keep(&self, target: &Target, asked: &[(usize, Answer, bool)]) {
        let Some(key) = key(target) else { return };
        let known = asked.iter().filter(|(_, answer, fixed)| answer.may() || !fixed);
        let known = known.map(|(i, answer, fixed)| (*i, fixed.then(|| answer.clone())));
        if let Ok(mut all) = self.0.lock()
            && all.len() < MOST
        {
            all.insert(key, known.collect());
        }
    }
}

/// A call as the instruction names it; `None` for one of a class of the program, for which little stays the same.
fn key(target: &Target) -> Option<String> {
    let Target { owner, also, name, descriptor, virtual_call, .. } = target;
    let kept = also.is_none() && owner.starts_with("java/");
    let kind = if *virtual_call { "." } else { "!" };
    kept.then(|| [owner, kind, name, descriptor].concat())
}
