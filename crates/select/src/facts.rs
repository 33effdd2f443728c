//! What class files say about classes, without their code.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use watchword_classfile::source::ClassSource;
use watchword_classfile::{Attribute, ClassFile, Constants, Decoded, Member, Result, access};

/// Answers questions about classes by internal name (`java/util/List`).
///
/// `None` means that nobody knows the class. The weaver then decides by names alone and says so in a
/// note; it asks while a class is woven, from whichever thread does that.
pub trait Hierarchy {
    /// Facts about a class. Arrays are not asked for.
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>>;

    /// Whether the answer about a class of this name is the same at any time and for whoever asks: no class loader can
    /// have another class of that name.
    fn is_fixed(&self, name: &str) -> bool {
        let _ = name;
        false
    }
}

/// What a class file says about a class without its code.
#[derive(Clone, Debug, Default)]
pub struct ClassFacts {
    /// Internal name.
    pub name: String,
    /// Access flags.
    pub access: u16,
    /// Internal name of the superclass.
    pub super_name: Option<String>,
    /// Internal names of the direct superinterfaces.
    pub interfaces: Vec<String>,
    /// The methods.
    pub methods: Vec<MemberFacts>,
    /// The fields.
    pub fields: Vec<MemberFacts>,
    /// Names of its annotations, with dots.
    pub annotations: Vec<String>,
}

/// What a class file says about a method or field.
#[derive(Clone, Debug, Default)]
pub struct MemberFacts {
    /// The name.
    pub name: String,
    /// The descriptor.
    pub descriptor: String,
    /// Access flags.
    pub access: u16,
    /// Names of its annotations, with dots.
    pub annotations: Vec<String>,
}

impl ClassFacts {
    /// The facts of a parsed class.
    pub fn of(class: &ClassFile<'_>) -> Result<ClassFacts> {
        let text = |name: watchword_classfile::JStr<'_>| name.to_str().into_owned();
        let members = |members: Vec<Member<'_, '_>>| {
            members
                .into_iter()
                .map(|m| {
                    Ok(MemberFacts {
                        name: text(m.name()?),
                        descriptor: text(m.descriptor()?),
                        access: m.access(),
                        annotations: annotations(m.attributes(), class)?,
                    })
                })
                .collect::<Result<Vec<_>>>()
        };
        Ok(ClassFacts {
            name: text(class.name()?),
            access: class.access,
            super_name: class.super_name()?.map(text),
            interfaces: class.interface_names().map(|n| n.map(text)).collect::<Result<_>>()?,
            methods: members(class.methods().collect())?,
            fields: members(class.fields().collect())?,
            annotations: annotations(class.attributes(), class)?,
        })
    }

    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.access & access::INTERFACE != 0
    }

    /// The method of that name and descriptor that the class itself declares.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&MemberFacts> {
        self.methods.iter().find(|m| m.name == name && m.descriptor == descriptor)
    }

    /// The field of that name that the class itself declares.
    pub fn field(&self, name: &str) -> Option<&MemberFacts> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Internal names of the direct supertypes, the superclass first.
    pub fn supertypes(&self) -> impl Iterator<Item = &str> {
        self.super_name.iter().chain(&self.interfaces).map(String::as_str)
    }
}

/// Names of the annotations among some attributes, visible at run time or not.
fn annotations(list: &[Attribute<'_>], class: &ClassFile<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for attribute in list {
        if !attribute.name(class.pool())?.as_bytes().ends_with(b"Annotations") {
            continue;
        }
        if let Decoded::Annotations(found) = attribute.decode(class.pool())? {
            for annotation in found {
                let descriptor = class.pool().utf8(annotation.kind)?.to_str();
                names.push(crate::names::dotted_type(&descriptor));
            }
        }
    }
    Ok(names)
}

/// A [`Hierarchy`] over a [`ClassSource`], remembering what was asked.
pub struct SourceHierarchy<S> {
    source: S,
    known: Mutex<HashMap<String, Option<Arc<ClassFacts>>>>,
}

impl<S: ClassSource> SourceHierarchy<S> {
    /// The classes of a source.
    pub fn new(source: S) -> SourceHierarchy<S> {
        SourceHierarchy { source, known: Mutex::new(HashMap::new()) }
    }
}

impl<S: ClassSource> Hierarchy for SourceHierarchy<S> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(found) = self.known.lock().ok()?.get(name) {
            return found.clone();
        }
        let facts = (|| {
            let bytes = self.source.class(name).ok()??;
            let facts = ClassFacts::of(&ClassFile::parse(&bytes).ok()?).ok()?;
            Some(Arc::new(facts))
        })();
        self.known.lock().ok()?.insert(name.to_string(), facts.clone());
        facts
    }
}
