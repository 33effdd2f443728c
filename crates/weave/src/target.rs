//! A method as an instruction names it.

use watchword_classfile::{FieldType, JStr, MethodDescriptor};
use watchword_select::{Called, Ty, full_name};

/// A method as an instruction names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Internal name or array descriptor.
    pub owner: String,
    /// Another class that counts as named: for method references, see [`lambda`](crate::lambda).
    pub also: Option<String>,
    /// The name.
    pub name: String,
    /// The descriptor.
    pub descriptor: String,
    /// Descriptors of the parameters.
    pub params: Vec<String>,
    /// Descriptor of the result; `V` for none.
    pub result: String,
    /// Whether there is a receiver to test.
    pub virtual_call: bool,
    /// Whether it is called by `super.m()`.
    pub by_super: bool,
}

impl Target {
    /// A method; `None` if the descriptor is none.
    pub fn new(owner: &str, name: &str, descriptor: &str, virtual_call: bool) -> Option<Target> {
        let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes())).ok()?;
        let text = |ty: FieldType<'_>| ty.descriptor().to_str().into_owned();
        Some(Target {
            owner: owner.to_string(),
            also: None,
            name: name.to_string(),
            descriptor: descriptor.to_string(),
            params: parsed.parameters().map(text).collect(),
            result: parsed.result().map_or("V".to_string(), text),
            virtual_call,
            by_super: false,
        })
    }

    /// As selectors see it.
    pub fn called(&self) -> Called<'_> {
        Called {
            owner: &self.owner,
            also: self.also.as_deref(),
            name: &self.name,
            descriptor: &self.descriptor,
            params: Some(self.params.iter().map(|ty| Ty::of_descriptor(ty)).collect()),
            result: Ty::of_descriptor(&self.result),
            on_object: self.virtual_call,
            by_super: self.by_super,
        }
    }

    /// `java.util.Iterator.next`.
    pub fn full_name(&self) -> String {
        full_name(&self.owner, &self.name)
    }
}
