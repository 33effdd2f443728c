//! Identities of objects, kept in the objects.
//!
//! A class that [takes](inject) an identity implements `watchword/Tracked`, whose two methods read
//! and write a hidden `long` field, 0 until the runtime sets it. Subclasses inherit it, so only
//! the topmost class of a hierarchy that can take it gets it. Objects of other classes are the
//! business of a side table.

use std::fmt;

use crate::facts::ClassFacts;

/// Internal name of the interface.
pub const INTERFACE: &str = "watchword/Tracked";
/// Name of the field, of type `long`.
pub const FIELD: &str = "$watchword$id";
/// Reads the identity: `()J`.
pub const GETTER: &str = "$watchword$id";
/// Writes it: `(J)V`.
pub const SETTER: &str = "$watchword$setId";

/// Why a class cannot take an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An interface, annotation or module: it has no instances of its own.
    NoInstances,
    /// A record: its components are what it is made of.
    Record,
    /// An enum: few objects, held forever.
    Enum,
    /// The JVM knows the layout of its objects, or makes them before anything can be changed.
    KnownToTheVm,
    /// A superclass has it already.
    Inherited,
    /// Value-based or hidden: identity is not to be relied upon.
    NoIdentity,
    /// A member of that name is there already.
    Taken,
    /// The class file could not be read or written.
    Malformed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NoInstances => "it has no instances of its own",
            Refusal::Record => "it is a record",
            Refusal::Enum => "it is an enum",
            Refusal::KnownToTheVm => "the JVM knows the layout of its objects",
            Refusal::Inherited => "a superclass has an identity field already",
            Refusal::NoIdentity => "its objects have no identity of their own",
            Refusal::Taken => "it has a member of that name already",
            Refusal::Malformed(why) => return f.write_str(why),
        })
    }
}

impl std::error::Error for Refusal {}

/// Whether a class could take an identity, as far as the class alone decides.
pub fn refuses(class: &ClassFacts) -> Option<Refusal> {
    let _ = class;
    None
}

/// Adds the field, the accessors and the interface to a class. A serialisable class without a
/// `serialVersionUID` gets the one it had. The caller sees to it that no superclass has an
/// identity already, and that the class is not loaded yet: shapes cannot change afterwards.
pub fn inject(class: &[u8], hierarchy: &dyn crate::Hierarchy) -> Result<Vec<u8>, Refusal> {
    let _ = (class, hierarchy);
    Err(Refusal::NoIdentity)
}

/// The class file of the interface.
pub fn interface() -> watchword_classfile::Result<Vec<u8>> {
    use watchword_classfile::{ClassEditor, access};
    let flags = access::PUBLIC | access::INTERFACE | access::ABSTRACT | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, INTERFACE, "java/lang/Object")?;
    let member = access::PUBLIC | access::ABSTRACT;
    class.add_method(member, GETTER, "()J", None)?;
    class.add_method(member, SETTER, "(J)V", None)?;
    class.to_bytes()
}
