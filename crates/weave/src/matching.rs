//! Do types, methods and fields match patterns?

use watchword_classfile::{FieldType, JStr, MethodDescriptor};
use watchword_model::{
    FieldPattern, MethodPattern, ParamPattern, TypePattern, Within, names_class, source_name,
};

use crate::names::{dotted, dotted_type};
use crate::world::World;

/// The answer to whether something matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// No.
    No,
    /// Yes.
    Yes,
    /// If the object turns out to be of this type (internal name).
    IfInstance(String),
}

impl Verdict {
    fn of(truth: bool) -> Verdict {
        if truth { Verdict::Yes } else { Verdict::No }
    }

    /// The opposite, where only a certain yes counts as one.
    fn negated(self) -> Verdict {
        Verdict::of(self != Verdict::Yes)
    }
}

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
        })
    }

    /// `java.util.Iterator.next`.
    pub fn full_name(&self) -> String {
        full_name(&self.owner, &self.name)
    }
}

/// `java.util.Iterator.next`.
pub fn full_name(owner: &str, name: &str) -> String {
    format!("{}.{name}", dotted(owner))
}

/// Every name a called method goes by: its own, those by which supertypes of its owner declare it,
/// and the same with dots before nested classes, as sources have them.
pub fn names_of(target: &Target, world: &World<'_>) -> Vec<String> {
    let owners = overridden(target, world);
    let mut names: Vec<String> = owners.iter().map(|o| full_name(o, &target.name)).collect();
    let nested: Vec<String> = names.iter().filter_map(|name| source_name(name)).collect();
    names.extend(nested);
    names
}

/// Internal name or array descriptor → descriptor.
pub fn descriptor_of(internal: &str) -> String {
    if internal.starts_with('[') { internal.to_string() } else { format!("L{internal};") }
}

/// Whether a type, by its descriptor, matches.
pub fn matches_type(pattern: &TypePattern, descriptor: &str, world: &World<'_>) -> Verdict {
    let positive = type_verdict(pattern, descriptor, world);
    if pattern.negated { positive.negated() } else { positive }
}

/// [`TypePattern::names`] for an internal name: asked so often that most patterns, which are plain
/// names, are compared without making one with dots.
fn names_internal(pattern: &TypePattern, internal: &str) -> bool {
    if !pattern.name.is_literal() {
        return pattern.names(&dotted(internal));
    }
    let text = pattern.name.text().as_bytes();
    let is = |nested: u8| {
        let dots = internal.bytes().map(|byte| match byte {
            b'/' => b'.',
            b'$' => nested,
            other => other,
        });
        text.len() == internal.len() && dots.eq(text.iter().copied())
    };
    is(b'$') || is(b'.')
}

fn type_verdict(pattern: &TypePattern, descriptor: &str, world: &World<'_>) -> Verdict {
    let class = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
    let named = match class {
        Some(class) => {
            names_internal(pattern, class)
                || (pattern.subtypes
                    && world.supertypes(class).iter().any(|name| names_internal(pattern, name)))
        }
        None => {
            let named = |descriptor: &str| pattern.names(&dotted_type(descriptor));
            named(descriptor)
                || (pattern.subtypes
                    && world.supertype_descriptors(descriptor).iter().any(|s| named(s)))
        }
    };
    if named {
        return Verdict::of(
            pattern.annotations.is_empty() || {
                let facts = class.and_then(|name| world.class(name));
                facts.is_some_and(|facts| has_all(&pattern.annotations, &facts.annotations))
            },
        );
    }
    // Only the object can tell whether it is of a subtype.
    if let Some(class) = class
        && pattern.subtypes
        && pattern.name.is_literal()
        && pattern.annotations.is_empty()
    {
        let wanted = world.class_named(pattern.name.text());
        if !wanted.ends_with("[]") && world.is_subtype(&wanted, class) {
            return Verdict::IfInstance(wanted);
        }
    }
    Verdict::No
}

fn has_all(patterns: &[watchword_model::Glob], names: &[String]) -> bool {
    patterns.iter().all(|pattern| names.iter().any(|name| names_class(pattern, name)))
}

/// Whether a called method matches.
pub fn matches_method(pattern: &MethodPattern, target: &Target, world: &World<'_>) -> Verdict {
    let mut positive = method_verdict(pattern, target, world);
    if let (Some(also), true) = (&target.also, positive != Verdict::Yes) {
        let other = Target { owner: also.clone(), also: None, ..target.clone() };
        // Of what only the object can tell, the type that was captured tells more.
        if let verdict @ Verdict::Yes = method_verdict(pattern, &other, world) {
            positive = verdict;
        }
    }
    if pattern.negated { positive.negated() } else { positive }
}

fn method_verdict(pattern: &MethodPattern, target: &Target, world: &World<'_>) -> Verdict {
    if !signature_matches(pattern, target, world) {
        return Verdict::No;
    }
    let resolved = || world.resolve_method(&target.owner, &target.name, &target.descriptor);
    if !pattern.annotations.is_empty() {
        let annotated = resolved()
            .is_some_and(|(_, method)| has_all(&pattern.annotations, &method.annotations));
        if !annotated {
            return Verdict::No;
        }
    }
    match matches_type(&pattern.owner, &descriptor_of(&target.owner), world) {
        Verdict::Yes => Verdict::Yes,
        Verdict::IfInstance(_) if !target.virtual_call => Verdict::No,
        Verdict::IfInstance(ty) => Verdict::IfInstance(ty),
        // The pattern may name the class the method is inherited from.
        Verdict::No if !pattern.owner.subtypes && !pattern.owner.negated => {
            Verdict::of(resolved().is_some_and(|(class, _)| {
                class.name != target.owner
                    && matches_type(&pattern.owner, &descriptor_of(&class.name), world)
                        == Verdict::Yes
            }))
        }
        Verdict::No => called_beside(pattern, target, world),
    }
}

/// Whether a method may be called on an object of a selected type through a type beside it: both have
/// the method, and a class may be below both. Then only the object can tell.
fn called_beside(pattern: &MethodPattern, target: &Target, world: &World<'_>) -> Verdict {
    let owner = &pattern.owner;
    let is_plain =
        owner.subtypes && !owner.negated && owner.name.is_literal() && owner.annotations.is_empty();
    if !is_plain || !target.virtual_call || target.owner.starts_with('[') {
        return Verdict::No;
    }
    let wanted = world.class_named(owner.name.text());
    match world.may_share(&wanted, &target.owner)
        && world.resolve_method(&wanted, &target.name, &target.descriptor).is_some()
    {
        true => Verdict::IfInstance(wanted),
        false => Verdict::No,
    }
}

/// Name, parameters and result.
fn signature_matches(pattern: &MethodPattern, target: &Target, world: &World<'_>) -> bool {
    let same = |pattern: &TypePattern, ty: &str| matches_type(pattern, ty, world) == Verdict::Yes;
    pattern.name.matches(&target.name)
        && pattern
            .params
            .as_ref()
            .is_none_or(|params| fits(params, &target.params, &|pattern, ty| same(pattern, ty)))
        && pattern.returns.as_ref().is_none_or(|returns| same(returns, &target.result))
}

/// Whether the method being executed matches: as it is declared or, where `overriding`, as a
/// supertype declares it.
pub fn matches_execution(
    pattern: &MethodPattern,
    target: &Target,
    overriding: bool,
    world: &World<'_>,
) -> bool {
    if matches_method(pattern, target, world) == Verdict::Yes {
        return true;
    }
    overriding
        && !pattern.negated
        && overridden(target, world).into_iter().any(|owner| {
            let above = Target { owner, ..target.clone() };
            matches_method(pattern, &above, world) == Verdict::Yes
        })
}

/// The supertypes that declare a method which the target is, or overrides; the owner itself comes
/// first, whoever declares it.
pub fn overridden(target: &Target, world: &World<'_>) -> Vec<String> {
    let owner = if target.owner.starts_with('[') { "java/lang/Object" } else { &target.owner };
    let mut owners = vec![target.owner.clone()];
    if target.name.starts_with('<') {
        return owners;
    }
    for class in world.supertypes(owner).iter().skip(1) {
        let Some(facts) = world.class(class) else { continue };
        let declares = facts.methods.iter().any(|m| {
            m.name == target.name
                && (m.descriptor == target.descriptor || erases_to(&m.descriptor, target))
        });
        if declares {
            owners.push(class.clone());
        }
    }
    owners
}

/// Whether a method with that descriptor could be what the target overrides after erasure: as many
/// parameters, references where the target has references.
fn erases_to(descriptor: &str, target: &Target) -> bool {
    let Some(other) = Target::new("", "", descriptor, false) else { return false };
    let reference = |ty: &str| ty.starts_with(['L', '[']);
    other.params.len() == target.params.len()
        && other
            .params
            .iter()
            .zip(&target.params)
            .all(|(a, b)| a == b || (a == "Ljava/lang/Object;" && reference(b)))
}

/// Whether a field matches. `ty` is its descriptor.
pub fn matches_field(
    pattern: &FieldPattern,
    owner: &str,
    name: &str,
    ty: &str,
    has_receiver: bool,
    world: &World<'_>,
) -> Verdict {
    let typed =
        pattern.ty.as_ref().is_none_or(|wanted| matches_type(wanted, ty, world) == Verdict::Yes);
    if !pattern.name.matches(name) || !typed {
        return Verdict::No;
    }
    let declared = world.resolve_field(owner, name);
    if !pattern.annotations.is_empty()
        && !declared.as_ref().is_some_and(|(_, f)| has_all(&pattern.annotations, &f.annotations))
    {
        return Verdict::No;
    }
    match matches_type(&pattern.owner, &descriptor_of(owner), world) {
        Verdict::IfInstance(_) if !has_receiver => Verdict::No,
        Verdict::No if !pattern.owner.negated => Verdict::of(declared.is_some_and(|(class, _)| {
            matches_type(&pattern.owner, &descriptor_of(&class.name), world) == Verdict::Yes
        })),
        verdict => verdict,
    }
}

/// Whether a method is inside of all of these.
pub fn is_within(within: &[Within], class: &str, method: &str, world: &World<'_>) -> bool {
    within.iter().all(|within| {
        let inside = matches_type(&within.owner, &descriptor_of(class), world) == Verdict::Yes
            && within.method.as_ref().is_none_or(|glob| {
                glob.matches(method) || lambda_home(method).is_some_and(|m| glob.matches(m))
            });
        inside != within.negated
    })
}

/// The method a lambda was written in: `run` for `lambda$run$0`.
fn lambda_home(method: &str) -> Option<&str> {
    let rest = method.strip_prefix("lambda$")?;
    rest.rsplit_once('$').map(|(home, _)| home)
}

/// Whether the types are like the patterns, where `..` stands for any number of them: `open[i]`
/// says whether the patterns so far can have used up `i` types.
fn fits(
    patterns: &[ParamPattern],
    types: &[String],
    same: &dyn Fn(&TypePattern, &str) -> bool,
) -> bool {
    let mut open = vec![false; types.len() + 1];
    open[0] = true;
    for pattern in patterns {
        match pattern {
            ParamPattern::Rest => {
                for i in 1..open.len() {
                    open[i] |= open[i - 1];
                }
            }
            ParamPattern::One(ty) => {
                for i in (1..open.len()).rev() {
                    open[i] = open[i - 1] && same(ty, &types[i - 1]);
                }
                open[0] = false;
            }
        }
    }
    open[types.len()]
}
