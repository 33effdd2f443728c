//! The settings of the weaver.

use watchword_model::Glob;

use crate::outline::Outline;
use crate::silenced::Silenced;
use crate::site::Site;

/// The settings of the weaver, besides the model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which classes are woven.
    pub scope: Scope,
    /// Where `call` program points are.
    pub events: CallEvents,
    /// Sites that do not concern a property.
    pub silenced: Silenced,
    /// Weave ahead of time: the classes carry their sites with them, and get their numbers when
    /// they are woven again, by whoever loads them.
    pub ahead: bool,
    /// Add no members: for classes that are loaded already. Method references to selected methods
    /// are then reported instead of woven.
    pub keep_shape: bool,
    /// Which class, by internal name, has the hook of a site: it is asked for every site before its
    /// code is written. Without it, or if it has none, the [hook class](crate::hook).
    pub hooks: Option<fn(&Site) -> Option<String>>,
    /// Which class, by internal name, has the static method for the handler of a call. Without it, or if it has none,
    /// the handler does it by itself.
    pub outlines: Option<fn(&Outline) -> Option<String>>,
}

/// Which classes are woven, by name with dots.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only these, if not empty. A class of the JDK is woven only if it is named here.
    pub within: Vec<Glob>,
    /// None of these.
    pub without: Vec<Glob>,
}

/// Where `call` program points are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallEvents {
    /// At the call sites: methods of the JDK are seen, too.
    #[default]
    Caller,
    /// In the called methods, as TOPL was published: only methods that are woven are seen, called
    /// by whomever; a call of a selected method is one of the methods that override it.
    Callee,
}

/// Packages of the JDK.
const JDK: [&str; 7] =
    ["java.", "javax.", "jdk.", "sun.", "com.sun.", "org.ietf.jgss.", "netscape."];

impl Scope {
    /// Whether a class is woven, by its name with dots. Watchword's own classes never are.
    pub fn includes(&self, class: &str) -> bool {
        if class.starts_with("watchword.") || self.without.iter().any(|g| g.matches(class)) {
            return false;
        }
        if self.within.is_empty() {
            return !is_jdk(class);
        }
        self.within.iter().any(|g| g.matches(class))
    }
}

/// Whether a class, by its name with dots, belongs to the JDK.
pub fn is_jdk(class: &str) -> bool {
    JDK.iter().any(|prefix| class.starts_with(prefix))
}
