//! Which class extends which, and what a method reference means.

use std::collections::HashMap;
use std::fmt;

use crate::class::{ClassFile, access};
use crate::descriptor::MethodDescriptor;
use crate::error::Result;
use crate::jstr::JStr;
use crate::source::ClassSource;

/// A class known to a [`Hierarchy`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(u32);

/// An interned name or descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Text(u32);

#[derive(Clone, Debug)]
struct Node {
    name: String,
    /// `None` until the class itself has been added: somebody names it, nobody has shown it.
    facts: Option<Facts>,
    /// Classes that name this one as direct superclass or superinterface.
    subtypes: Vec<ClassId>,
}

#[derive(Clone, Debug)]
struct Facts {
    access: u16,
    super_class: Option<ClassId>,
    interfaces: Vec<ClassId>,
    /// Sorted by name and descriptor.
    methods: Vec<(Text, Text, u16)>,
    fields: Vec<(Text, Text, u16)>,
}

/// A class on which an answer depends but that has not been added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingClass {
    /// Its internal name.
    pub name: String,
}

impl fmt::Display for MissingClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the class {} is missing", self.name)
    }
}

impl std::error::Error for MissingClass {}

/// A member found by resolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved<'h> {
    /// Internal name of the class that declares it.
    pub class: &'h str,
    /// Its access flags.
    pub access: u16,
}

/// The types of a program and how they extend each other.
///
/// Classes are added one by one or from a [`ClassSource`]; a question whose answer depends on a
/// class that is not there is answered with [`MissingClass`], never with a guess.
///
/// ```
/// use watchword_classfile::{Hierarchy, source::MemoryClasses};
///
/// let hierarchy = Hierarchy::new();
/// assert_eq!(
///     hierarchy.is_subtype("app/A", "app/B").unwrap_err().name,
///     "app/A",
/// );
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    ids: HashMap<String, ClassId>,
    texts: HashMap<Box<[u8]>, Text>,
    /// By text: how many parameters it says a method has, if it is a descriptor.
    parameters: Vec<u16>,
}

const OBJECT: &str = "java/lang/Object";

impl Hierarchy {
    /// An empty hierarchy.
    pub fn new() -> Hierarchy {
        Hierarchy::default()
    }

    /// Adds a parsed class. A class that is already there is replaced.
    pub fn add(&mut self, class: &ClassFile<'_>) -> Result<ClassId> {
        let name = class.name()?.to_str();
        let super_name = class.super_name()?;
        let interfaces = class.interface_names().collect::<Result<Vec<JStr<'_>>>>()?;
        let id = self.intern(&name);
        self.forget(id);
        let super_class = super_name.map(|name| self.intern(&name.to_str()));
        let interfaces: Vec<ClassId> =
            interfaces.iter().map(|name| self.intern(&name.to_str())).collect();
        for parent in super_class.iter().chain(&interfaces) {
            let subtypes = &mut self.nodes[parent.0 as usize].subtypes;
            if subtypes.last() != Some(&id) {
                subtypes.push(id);
            }
        }
        let methods = class
            .methods()
            .map(|m| Ok((self.text(m.name()?), self.text(m.descriptor()?), m.access())));
        let mut methods = methods.collect::<Result<Vec<_>>>()?;
        methods.sort_unstable();
        let fields = class
            .fields()
            .map(|f| Ok((self.text(f.name()?), self.text(f.descriptor()?), f.access())));
        let mut fields = fields.collect::<Result<Vec<_>>>()?;
        fields.sort_unstable();
        let facts = Facts { access: class.access, super_class, interfaces, methods, fields };
        self.nodes[id.0 as usize].facts = Some(facts);
        Ok(id)
    }

    /// Removes what is known about a class, before it is replaced.
    fn forget(&mut self, id: ClassId) {
        let Some(facts) = self.nodes[id.0 as usize].facts.take() else { return };
        for parent in facts.super_class.iter().chain(&facts.interfaces) {
            self.nodes[parent.0 as usize].subtypes.retain(|subtype| *subtype != id);
        }
    }

    /// Adds every class of a source; returns how many.
    pub fn add_all(&mut self, source: &dyn ClassSource) -> Result<usize> {
        let names = source.names()?;
        for name in &names {
            if let Some(bytes) = source.class(name)? {
                let class = ClassFile::parse(&bytes).map_err(|e| e.in_context(name))?;
                self.add(&class)?;
            }
        }
        Ok(names.len())
    }

    /// Adds a class of a source and all its supertypes, as far as the source has them and they
    /// are not there yet. Returns whether the class itself is there.
    pub fn load(&mut self, name: &str, source: &dyn ClassSource) -> Result<bool> {
        let mut work = vec![name.to_owned()];
        while let Some(name) = work.pop() {
            if self.contains(&name) {
                continue;
            }
            let Some(bytes) = source.class(&name)? else { continue };
            let class = ClassFile::parse(&bytes).map_err(|e| e.in_context(&name))?;
            let id = self.add(&class)?;
            if let Some(facts) = &self.nodes[id.0 as usize].facts {
                let parents = facts.super_class.iter().chain(&facts.interfaces);
                work.extend(parents.map(|p| self.nodes[p.0 as usize].name.clone()));
            }
        }
        Ok(self.contains(name))
    }

    fn intern(&mut self, name: &str) -> ClassId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = ClassId(self.nodes.len() as u32);
        self.nodes.push(Node { name: name.to_owned(), facts: None, subtypes: Vec::new() });
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn text(&mut self, text: JStr<'_>) -> Text {
        let next = Text(self.texts.len() as u32);
        match self.texts.get(text.as_bytes()) {
            Some(known) => *known,
            None => {
                let parameters = MethodDescriptor::parse(text).map(|d| d.parameters().count());
                self.parameters.push(parameters.unwrap_or(0) as u16);
                self.texts.insert(text.as_bytes().into(), next);
                next
            }
        }
    }

    /// Number of classes added.
    pub fn len(&self) -> usize {
        self.nodes.iter().filter(|node| node.facts.is_some()).count()
    }

    /// Whether no class has been added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this class has been added.
    pub fn contains(&self, name: &str) -> bool {
        self.ids.get(name).is_some_and(|id| self.nodes[id.0 as usize].facts.is_some())
    }

    /// Names that added classes mention as supertypes but that have not been added, sorted.
    pub fn missing(&self) -> Vec<&str> {
        let missing = self.nodes.iter().filter(|n| n.facts.is_none() && !n.subtypes.is_empty());
        let mut names: Vec<&str> = missing.map(|node| node.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    fn find(&self, name: &str) -> std::result::Result<(ClassId, &Facts), MissingClass> {
        let id = self.ids.get(name).copied();
        match id.and_then(|id| Some((id, self.nodes[id.0 as usize].facts.as_ref()?))) {
            Some(found) => Ok(found),
            None => Err(MissingClass { name: name.to_owned() }),
        }
    }

    fn facts(&self, id: ClassId) -> std::result::Result<&Facts, MissingClass> {
        let node = &self.nodes[id.0 as usize];
        node.facts.as_ref().ok_or_else(|| MissingClass { name: node.name.clone() })
    }

    fn name(&self, id: ClassId) -> &str {
        &self.nodes[id.0 as usize].name
    }

    /// The class and everything it extends or implements, nearest first. Fails only if the class
    /// itself is missing; supertypes that are missing are left out.
    pub fn supertypes(&self, name: &str) -> std::result::Result<Vec<&str>, MissingClass> {
        Ok(self.upwards(name)?.into_iter().map(|id| self.name(id)).collect())
    }

    fn upwards(&self, name: &str) -> std::result::Result<Vec<ClassId>, MissingClass> {
        let (start, _) = self.find(name)?;
        let mut found = vec![start];
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            next += 1;
            let Ok(facts) = self.facts(id) else { continue };
            for parent in facts.super_class.iter().chain(&facts.interfaces) {
                let known = found.contains(parent) || self.facts(*parent).is_err();
                if !known {
                    found.push(*parent);
                }
            }
        }
        Ok(found)
    }

    /// Every name a call of `class.name` with so many parameters goes by, with dots: first the one
    /// by the class itself, then those by its supertypes that declare a method of that name and
    /// number of parameters, nearest first. A constructor, a class initialiser and a method that
    /// is private there goes by one name; a static method also by its superclasses'.
    pub fn call_names(
        &self,
        class: &str,
        name: &str,
        parameters: usize,
    ) -> std::result::Result<Vec<String>, MissingClass> {
        let dotted = |class: &str| format!("{}.{name}", class.replace('/', "."));
        let mut names = vec![dotted(class)];
        // Arrays have the methods of `Object`.
        let from = if class.starts_with('[') { OBJECT } else { class };
        let supertypes = self.upwards(from)?;
        let text = self.texts.get(&*crate::jstr::encode(name)).copied();
        let Some(text) = text.filter(|_| !name.starts_with('<')) else { return Ok(names) };
        for (at, id) in supertypes.into_iter().enumerate() {
            let Ok(facts) = self.facts(id) else { continue };
            let first = facts.methods.partition_point(|m| m.0 < text);
            let mut named = facts.methods[first..].iter().take_while(|m| m.0 == text);
            let found = named.find(|m| usize::from(self.parameters[m.1.0 as usize]) == parameters);
            let Some((_, _, flags)) = found else { continue };
            let private = flags & access::PRIVATE != 0;
            if at == 0 && private {
                break;
            }
            if !private && (at > 0 || from != class) {
                names.push(dotted(self.name(id)));
            }
        }
        Ok(names)
    }

    /// Access flags of a class.
    pub fn access(&self, name: &str) -> std::result::Result<u16, MissingClass> {
        self.find(name).map(|(_, facts)| facts.access)
    }

    /// Whether a class is an interface.
    pub fn is_interface(&self, name: &str) -> std::result::Result<bool, MissingClass> {
        self.access(name).map(|flags| flags & access::INTERFACE != 0)
    }

    /// The direct superclass.
    pub fn super_class(&self, name: &str) -> std::result::Result<Option<&str>, MissingClass> {
        self.find(name).map(|(_, facts)| facts.super_class.map(|id| self.name(id)))
    }

    /// The direct superinterfaces, in declaration order.
    pub fn interfaces(&self, name: &str) -> std::result::Result<Vec<&str>, MissingClass> {
        self.find(name).map(|(_, facts)| facts.interfaces.iter().map(|i| self.name(*i)).collect())
    }

    /// The classes that extend or implement this one directly, sorted. Needs every class added.
    pub fn direct_subtypes(&self, name: &str) -> Vec<&str> {
        let Some(id) = self.ids.get(name) else { return Vec::new() };
        let subtypes = &self.nodes[id.0 as usize].subtypes;
        let mut names: Vec<&str> = subtypes.iter().map(|id| self.name(*id)).collect();
        names.sort_unstable();
        names
    }

    /// The classes that extend or implement this one, directly or not, sorted, itself not
    /// included. Complete only if every class has been added.
    pub fn subtypes(&self, name: &str) -> Vec<&str> {
        let Some(root) = self.ids.get(name) else { return Vec::new() };
        let mut seen = vec![false; self.nodes.len()];
        seen[root.0 as usize] = true;
        let (mut work, mut names) = (vec![*root], Vec::new());
        while let Some(id) = work.pop() {
            for subtype in &self.nodes[id.0 as usize].subtypes {
                if !std::mem::replace(&mut seen[subtype.0 as usize], true) {
                    names.push(self.name(*subtype));
                    work.push(*subtype);
                }
            }
        }
        names.sort_unstable();
        names
    }

    /// Whether a value of type `sub` may be assigned to `super_type`. Both are internal names or
    /// array descriptors, as `Class` constants hold them. Interfaces are subtypes of `Object`.
    pub fn is_subtype(
        &self,
        sub: &str,
        super_type: &str,
    ) -> std::result::Result<bool, MissingClass> {
        let (mut sub, mut super_type) = (sub, super_type);
        loop {
            if sub == super_type || super_type == OBJECT {
                return Ok(true);
            }
            match (sub.strip_prefix('['), super_type.strip_prefix('[')) {
                (None, None) => break,
                (None, Some(_)) => return Ok(false),
                (Some(_), None) => {
                    return Ok(matches!(
                        super_type,
                        "java/lang/Cloneable" | "java/io/Serializable"
                    ));
                }
                (Some(a), Some(b)) => match (reference(a), reference(b)) {
                    (Some(a), Some(b)) => (sub, super_type) = (a, b),
                    _ => return Ok(a == b),
                },
            }
        }
        let (start, _) = self.find(sub)?;
        let target = self.ids.get(super_type).copied();
        let mut missing = None;
        let mut seen = vec![start];
        let mut next = 0;
        while let Some(id) = seen.get(next).copied() {
            next += 1;
            if Some(id) == target {
                return Ok(true);
            }
            match self.facts(id) {
                Ok(facts) => {
                    for parent in facts.super_class.iter().chain(&facts.interfaces) {
                        if !seen.contains(parent) {
                            seen.push(*parent);
                        }
                    }
                }
                // A missing supertype matters only if nothing else gives the answer.
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        missing.map_or(Ok(false), Err)
    }

    /// The superclasses from the class itself upwards. Ends early at a missing class or a cycle.
    fn ancestry(&self, start: ClassId) -> (Vec<ClassId>, Option<MissingClass>) {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(id) = at {
            if chain.contains(&id) {
                break;
            }
            chain.push(id);
            match self.facts(id) {
                Ok(facts) => at = facts.super_class,
                Err(missing) => return (chain, Some(missing)),
            }
        }
        (chain, None)
    }

    fn declared(list: &[(Text, Text, u16)], name: Text, descriptor: Text) -> Option<u16> {
        let at = list.partition_point(|m| (m.0, m.1) < (name, descriptor));
        list.get(at).filter(|m| (m.0, m.1) == (name, descriptor)).map(|m| m.2)
    }

    /// The method that a reference `class.name descriptor` means, by the JVM's rules: superclasses
    /// first; then the superinterfaces' maximally specific method that is neither private nor
    /// static, or else any of theirs. For an interface, its own methods, then the public instance
    /// methods of `Object`, then its superinterfaces. Signature-polymorphic methods are found by
    /// name alone. `None` means that there is no such method.
    pub fn resolve_method(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> std::result::Result<Option<Resolved<'_>>, MissingClass> {
        // Arrays have the methods of `Object`, with a public `clone`.
        let class = if class.starts_with('[') { OBJECT } else { class };
        let (start, facts) = self.find(class)?;
        let text = |text: &str| self.texts.get(&*crate::jstr::encode(text)).copied();
        let Some(name_text) = text(name) else { return self.absent(start) };
        let descriptor_text = text(descriptor);
        let resolved = |id: ClassId, access: u16| Some(Resolved { class: self.name(id), access });
        let interface = facts.access & access::INTERFACE != 0;
        let (chain, missing) = self.ancestry(start);
        let mut object = None;
        for id in &chain {
            let Ok(facts) = self.facts(*id) else { break };
            if let Some(found) = polymorphic(self.name(*id), &facts.methods, name_text) {
                return Ok(resolved(*id, found));
            }
            let found = descriptor_text.and_then(|d| Self::declared(&facts.methods, name_text, d));
            match found {
                Some(found) if !interface || *id == start => return Ok(resolved(*id, found)),
                Some(found) if found & (access::PUBLIC | access::STATIC) == access::PUBLIC => {
                    object = resolved(*id, found);
                }
                _ => {}
            }
        }
        if let Some(missing) = missing {
            return Err(missing);
        }
        if object.is_some() {
            return Ok(object);
        }
        let Some(descriptor_text) = descriptor_text else { return self.absent(start) };
        self.resolve_in_interfaces(&chain, name_text, descriptor_text)
    }

    /// No class has such a name or descriptor: certain only if no supertype is missing.
    fn absent(&self, start: ClassId) -> std::result::Result<Option<Resolved<'_>>, MissingClass> {
        let (chain, missing) = self.ancestry(start);
        missing.map_or(Ok(()), Err)?;
        self.superinterfaces(&chain).map(|_| None)
    }

    /// All superinterfaces of the given classes, nearest first.
    fn superinterfaces(
        &self,
        chain: &[ClassId],
    ) -> std::result::Result<Vec<ClassId>, MissingClass> {
        let mut found: Vec<ClassId> = Vec::new();
        let mut work: Vec<ClassId> = chain.to_vec();
        let mut next = 0;
        while let Some(id) = work.get(next).copied() {
            next += 1;
            for interface in &self.facts(id)?.interfaces {
                if !found.contains(interface) {
                    found.push(*interface);
                    work.push(*interface);
                }
            }
        }
        Ok(found)
    }

    fn resolve_in_interfaces(
        &self,
        chain: &[ClassId],
        name: Text,
        descriptor: Text,
    ) -> std::result::Result<Option<Resolved<'_>>, MissingClass> {
        let mut candidates: Vec<(ClassId, u16)> = Vec::new();
        for id in self.superinterfaces(chain)? {
            let declared = Self::declared(&self.facts(id)?.methods, name, descriptor);
            if let Some(found) = declared
                && found & (access::PRIVATE | access::STATIC) == 0
            {
                candidates.push((id, found));
            }
        }
        // Maximally specific: no other candidate is declared in a subinterface.
        let mut specific: Vec<(ClassId, u16)> = Vec::new();
        for (id, found) in &candidates {
            let mut hidden = false;
            for (other, _) in &candidates {
                hidden |= other != id && self.is_subtype(self.name(*other), self.name(*id))?;
            }
            if !hidden {
                specific.push((*id, *found));
            }
        }
        let concrete: Vec<&(ClassId, u16)> =
            specific.iter().filter(|(_, found)| found & access::ABSTRACT == 0).collect();
        let choice = match concrete.as_slice() {
            [only] => Some(**only),
            _ => specific.first().or(candidates.first()).copied(),
        };
        Ok(choice.map(|(id, access)| Resolved { class: self.name(id), access }))
    }

    /// The method that runs when a reference is invoked virtually on an object of the given class:
    /// the first that overrides it, from the class upwards, else a default method. Private and
    /// static methods never override; a package-private method is taken to be overridden also from
    /// another package. `None` when nothing would run (an abstract method error).
    pub fn select_method(
        &self,
        receiver: &str,
        name: &str,
        descriptor: &str,
    ) -> std::result::Result<Option<Resolved<'_>>, MissingClass> {
        let receiver = if receiver.starts_with('[') { OBJECT } else { receiver };
        let (start, _) = self.find(receiver)?;
        let text = |text: &str| self.texts.get(&*crate::jstr::encode(text)).copied();
        let (Some(name), Some(descriptor)) = (text(name), text(descriptor)) else {
            return self.absent(start);
        };
        let (chain, missing) = self.ancestry(start);
        for id in &chain {
            let Ok(facts) = self.facts(*id) else { break };
            if let Some(found) = Self::declared(&facts.methods, name, descriptor)
                && found & (access::PRIVATE | access::STATIC) == 0
            {
                let runs = found & access::ABSTRACT == 0;
                return Ok(runs.then_some(Resolved { class: self.name(*id), access: found }));
            }
        }
        missing.map_or(Ok(()), Err)?;
        let found = self.resolve_in_interfaces(&chain, name, descriptor)?;
        Ok(found.filter(|method| method.access & access::ABSTRACT == 0))
    }

    /// The field that a reference `class.name descriptor` means: the class's own, then those of
    /// its superinterfaces, then its superclass's by the same rule.
    pub fn resolve_field(
        &self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> std::result::Result<Option<Resolved<'_>>, MissingClass> {
        let (start, _) = self.find(class)?;
        let text = |text: &str| self.texts.get(&*crate::jstr::encode(text)).copied();
        let (Some(name), Some(descriptor)) = (text(name), text(descriptor)) else {
            return self.absent(start);
        };
        let (chain, missing) = self.ancestry(start);
        for id in &chain {
            let Ok(facts) = self.facts(*id) else { break };
            if let Some(access) = Self::declared(&facts.fields, name, descriptor) {
                return Ok(Some(Resolved { class: self.name(*id), access }));
            }
            for interface in self.superinterfaces(&[*id])? {
                let facts = self.facts(interface)?;
                if let Some(access) = Self::declared(&facts.fields, name, descriptor) {
                    return Ok(Some(Resolved { class: self.name(interface), access }));
                }
            }
        }
        missing.map_or(Ok(None), Err)
    }
}

/// The class name behind a reference element type; `None` for primitives.
fn reference(element: &str) -> Option<&str> {
    if element.starts_with('[') {
        return Some(element);
    }
    element.strip_prefix('L')?.strip_suffix(';')
}

/// A signature-polymorphic method: native, variable arity, of a method-handle class, the only one
/// of its name.
fn polymorphic(class: &str, methods: &[(Text, Text, u16)], name: Text) -> Option<u16> {
    if !matches!(class, "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle") {
        return None;
    }
    let at = methods.partition_point(|m| m.0 < name);
    let named = methods[at..].iter().take_while(|m| m.0 == name);
    let flags = access::NATIVE | access::VARARGS;
    let mut named = named.map(|m| m.2);
    named.next().filter(|found| found & flags == flags && named.next().is_none())
}
