//! Types and layouts.

use std::fmt;
use std::rc::{Rc, Weak};

use super::{DebugInfo, Reader};
use crate::error::{Error, ErrorKind, Result};

/// A type of the program.
#[derive(Clone, Debug)]
pub struct Type {
    /// The name as in the source, as far as it has one.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// The type.
    pub kind: Kind,
}

/// The kind of a type. Typedefs and qualifiers are resolved; their name is kept with the type.
#[derive(Clone, Debug)]
pub enum Kind {
    /// No value.
    Void,
    /// An integer.
    Integer {
        /// Whether it has a sign.
        signed: bool,
    },
    /// A truth value.
    Boolean,
    /// A character, printed as such.
    Character {
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number.
    Float,
    /// A pointer.
    Pointer(Lazy),
    /// A C++ reference: a pointer that is followed by itself.
    Reference(Lazy),
    /// An array.
    Array {
        /// The element type.
        element: Lazy,
        /// The number of elements; zero if the source does not give it.
        count: u64,
    },
    /// A structure, class or union.
    Structure {
        /// Members, base classes included (named after the base).
        members: Vec<Member>,
        /// Whether members overlap.
        is_union: bool,
        /// Whether it is passed by invisible reference (C++ classes with a copy constructor or
        /// destructor of their own).
        by_reference: bool,
        /// For a Rust enumeration: its variants.
        variants: Option<Rc<Variants>>,
    },
    /// An enumeration.
    Enumeration {
        /// Whether its values have a sign.
        signed: bool,
        /// Names and values.
        variants: Vec<(String, i64)>,
    },
    /// Code.
    Function,
    /// A type that is only declared, or of a kind not understood here.
    Opaque,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; empty for an anonymous member.
    pub name: String,
    /// Offset in bytes.
    pub offset: u64,
    /// For a bit field: offset in bits from `offset`, and width.
    pub bits: Option<(u64, u64)>,
    /// Its type.
    pub ty: Lazy,
    /// Whether its members are members of the outer structure too (bases, anonymous unions).
    pub is_transparent: bool,
}

/// The variants of a Rust enumeration.
#[derive(Clone, Debug)]
pub struct Variants {
    /// The discriminant; absent if there is only one variant.
    pub discriminant: Option<Member>,
    /// The variants.
    pub cases: Vec<Case>,
}

/// One variant of an enumeration of Rust.
#[derive(Clone, Debug)]
pub struct Case {
    /// The discriminant's value; absent for the variant that is there for all other values.
    pub value: Option<u128>,
    /// The name of the variant, and the structure of its fields.
    pub member: Member,
}

/// A type that is looked up when needed: types refer to each other in circles.
#[derive(Clone)]
pub enum Lazy {
    /// Known.
    Known(Rc<Type>),
    /// To be read from the debug information.
    #[doc(hidden)]
    At(Weak<DebugInfo>, usize, usize),
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lazy::Known(t) => write!(f, "{}", t.name),
            Lazy::At(_, unit, offset) => write!(f, "<{unit}:{offset:#x}>"),
        }
    }
}

impl Lazy {
    /// The type.
    pub fn get(&self) -> Result<Rc<Type>> {
        match self {
            Lazy::Known(t) => Ok(t.clone()),
            Lazy::At(info, unit, offset) => match info.upgrade() {
                Some(info) => info.type_at(*unit, *offset),
                None => Err(Error::new(ErrorKind::DebugInfo, "its debug information is unloaded")),
            },
        }
    }

    pub(crate) fn void() -> Lazy {
        Lazy::Known(Type::void())
    }
}

impl Type {
    /// The type of nothing.
    pub fn void() -> Rc<Type> {
        Rc::new(Type { name: "void".into(), size: 0, kind: Kind::Void })
    }

    /// An integer type.
    pub fn integer(name: &str, size: u64, signed: bool) -> Rc<Type> {
        Rc::new(Type { name: name.into(), size, kind: Kind::Integer { signed } })
    }

    /// A machine word of unknown type: an argument or a result of a function without debug
    /// information.
    pub fn word() -> Rc<Type> {
        Type::integer("word", 8, true)
    }

    /// A number type of C or Rust, or `void`, by its name.
    pub fn builtin(name: &str) -> Option<Rc<Type>> {
        let kind = |size, kind| Some(Rc::new(Type { name: name.into(), size, kind }));
        let integer = |size, signed| kind(size, Kind::Integer { signed });
        let mut words: Vec<&str> = name.split(' ').filter(|w| !w.is_empty()).collect();
        words.sort_unstable();
        match words.as_slice() {
            ["void"] => Some(Type::void()),
            ["bool"] | ["_Bool"] => kind(1, Kind::Boolean),
            ["char"] | ["char", "signed"] => kind(1, Kind::Character { signed: true }),
            ["char", "unsigned"] => kind(1, Kind::Character { signed: false }),
            ["i8"] => integer(1, true),
            ["u8"] => integer(1, false),
            ["i16"] => integer(2, true),
            ["u16"] => integer(2, false),
            ["i32"] => integer(4, true),
            ["u32"] => integer(4, false),
            ["i64"] | ["isize"] => integer(8, true),
            ["u64"] | ["usize"] => integer(8, false),
            ["double"] | ["f64"] => kind(8, Kind::Float),
            ["float"] | ["f32"] => kind(4, Kind::Float),
            words => {
                let has = |w: &str| words.contains(&w);
                let is_known =
                    |w: &&str| matches!(*w, "signed" | "unsigned" | "short" | "int" | "long");
                if words.is_empty() || !words.iter().all(is_known) {
                    return None;
                }
                let size = match (has("short"), has("long")) {
                    (true, false) => 2,
                    (false, true) => 8,
                    _ => 4,
                };
                integer(size, !has("unsigned"))
            }
        }
    }

    /// Whether this is [`Type::word`].
    pub fn is_word(&self) -> bool {
        self.name == "word" && matches!(self.kind, Kind::Integer { .. })
    }

    /// The type of a pointer to this type.
    pub fn pointer_to(target: &Rc<Type>) -> Rc<Type> {
        let name = match target.name.ends_with('*') {
            true => format!("{}*", target.name),
            false => format!("{} *", target.name),
        };
        Rc::new(Type { name, size: 8, kind: Kind::Pointer(Lazy::Known(target.clone())) })
    }

    /// Whether values of this type are numbers, truth values, characters or enumerators.
    pub fn is_integral(&self) -> bool {
        matches!(
            self.kind,
            Kind::Integer { .. }
                | Kind::Boolean
                | Kind::Character { .. }
                | Kind::Enumeration { .. }
        )
    }

    /// Whether values of this type are addresses.
    pub fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer(_) | Kind::Reference(_))
    }

    pub(crate) fn is_signed(&self) -> bool {
        matches!(
            self.kind,
            Kind::Integer { signed: true }
                | Kind::Character { signed: true }
                | Kind::Enumeration { signed: true, .. }
        )
    }

    /// Whether it is an enumeration of Rust with a variant of this name.
    pub fn has_variant(&self, name: &str) -> bool {
        let Kind::Structure { variants: Some(variants), .. } = &self.kind else { return false };
        variants.cases.iter().any(|c| c.member.name == name)
    }

    /// A member by name, looking through bases and anonymous members; its offset is from the
    /// beginning of this type.
    pub fn member(&self, name: &str) -> Option<Member> {
        self.member_within(name, 0)
    }

    fn member_within(&self, name: &str, depth: u32) -> Option<Member> {
        let Kind::Structure { members, .. } = &self.kind else { return None };
        if depth > 16 {
            return None;
        }
        if let Some(m) = members.iter().find(|m| m.name == name) {
            return Some(m.clone());
        }
        members.iter().filter(|m| m.is_transparent).find_map(|outer| {
            let mut m = outer.ty.get().ok()?.member_within(name, depth + 1)?;
            m.offset = m.offset.wrapping_add(outer.offset);
            Some(m)
        })
    }
}

type Entry = gimli::DebuggingInformationEntry<Reader>;

impl DebugInfo {
    fn lazy(&self, unit: usize, value: Option<gimli::AttributeValue<Reader>>) -> Lazy {
        match value.and_then(|v| self.reference(unit, v)) {
            Some((unit, offset)) => Lazy::At(self.this.clone(), unit, offset.0),
            None => Lazy::void(),
        }
    }

    /// The type of an entry, following its origin if it has none itself.
    pub(super) fn type_of(&self, unit: usize, entry: &Entry) -> Lazy {
        let mut unit = unit;
        let mut entry = entry.clone();
        for _ in 0..8 {
            if let Some(ty) = entry.attr_value(gimli::DW_AT_type) {
                return self.lazy(unit, Some(ty));
            }
            let next = entry
                .attr_value(gimli::DW_AT_abstract_origin)
                .or_else(|| entry.attr_value(gimli::DW_AT_specification))
                .and_then(|v| self.reference(unit, v));
            match next.map(|(u, o)| (u, self.units()[u].entry(o))) {
                Some((u, Ok(e))) => {
                    unit = u;
                    entry = e;
                }
                _ => break,
            }
        }
        Lazy::void()
    }

    /// The type described at an entry.
    pub(crate) fn type_at(&self, unit: usize, offset: usize) -> Result<Rc<Type>> {
        if let Some(t) = self.types.borrow().get(&(unit, offset)) {
            return Ok(t.clone());
        }
        let ty = Rc::new(self.read_type(unit, offset, 0)?);
        self.types.borrow_mut().insert((unit, offset), ty.clone());
        Ok(ty)
    }

    fn read_type(&self, unit: usize, offset: usize, depth: u32) -> Result<Type> {
        if depth > 32 {
            return Err(Error::new(ErrorKind::DebugInfo, "a type is defined by itself"));
        }
        let entry = self.units()[unit].entry(gimli::UnitOffset(offset))?;
        let name = self.string(unit, entry.attr_value(gimli::DW_AT_name));
        let size =
            entry.attr_value(gimli::DW_AT_byte_size).and_then(|v| v.udata_value()).unwrap_or(0);
        let target = entry.attr_value(gimli::DW_AT_type);
        let inner = |depth: u32| -> Result<Type> {
            match target.clone().and_then(|v| self.reference(unit, v)) {
                Some((u, o)) => self.read_type(u, o.0, depth + 1),
                None => Ok((*Type::void()).clone()),
            }
        };
        let kind = match entry.tag() {
            gimli::DW_TAG_base_type => {
                let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
                    Some(gimli::AttributeValue::Encoding(e)) => e,
                    _ => gimli::DW_ATE_signed,
                };
                match encoding {
                    gimli::DW_ATE_boolean => Kind::Boolean,
                    gimli::DW_ATE_float => Kind::Float,
                    gimli::DW_ATE_signed_char => Kind::Character { signed: true },
                    gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF => {
                        // Rust's u8 and C's unsigned char are both encoded as characters.
                        if matches!(name.as_deref(), Some("u8")) {
                            Kind::Integer { signed: false }
                        } else {
                            Kind::Character { signed: false }
                        }
                    }
                    gimli::DW_ATE_signed => Kind::Integer { signed: true },
                    gimli::DW_ATE_unsigned | gimli::DW_ATE_address => {
                        Kind::Integer { signed: false }
                    }
                    _ => Kind::Opaque,
                }
            }
            gimli::DW_TAG_pointer_type => {
                let target = self.lazy(unit, target);
                let name = name.unwrap_or_else(|| pointer_name(&self.name_of(&target, depth), "*"));
                return Ok(Type { name, size: 8, kind: Kind::Pointer(target) });
            }
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                let target = self.lazy(unit, target);
                let name = name.unwrap_or_else(|| pointer_name(&self.name_of(&target, depth), "&"));
                return Ok(Type { name, size: 8, kind: Kind::Reference(target) });
            }
            gimli::DW_TAG_ptr_to_member_type => Kind::Opaque,
            gimli::DW_TAG_typedef => {
                let mut t = inner(depth)?;
                if let Some(name) = name {
                    t.name = name;
                }
                return Ok(t);
            }
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => {
                let mut t = inner(depth)?;
                let word = match entry.tag() {
                    gimli::DW_TAG_const_type => "const",
                    gimli::DW_TAG_volatile_type => "volatile",
                    gimli::DW_TAG_atomic_type => "_Atomic",
                    _ => "restrict",
                };
                t.name = match t.is_pointer() {
                    true => format!("{} {word}", t.name),
                    false => format!("{word} {}", t.name),
                };
                return Ok(t);
            }
            gimli::DW_TAG_array_type => return self.read_array(unit, &entry, depth),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                if entry.attr_value(gimli::DW_AT_declaration).is_some()
                    && let Some(found) = self.complete(name.as_deref(), (unit, offset))
                {
                    return self.read_type(found.0, found.1, depth + 1);
                }
                self.read_structure(unit, &entry)?
            }
            gimli::DW_TAG_enumeration_type => {
                let under = target
                    .clone()
                    .and_then(|v| self.reference(unit, v))
                    .and_then(|(u, o)| self.read_type(u, o.0, depth + 1).ok());
                let mut variants = self.read_variants(unit, &entry)?;
                let signed = under
                    .as_ref()
                    .map_or_else(|| variants.iter().any(|v| v.1 < 0), |u| u.is_signed());
                if !signed {
                    // A form with a size has no sign of its own: 200 in one byte is read as -56.
                    let bits = 8 * under.as_ref().map_or(size, |u| u.size).clamp(1, 8);
                    let mask = u64::MAX >> (64 - bits);
                    variants.iter_mut().for_each(|v| v.1 = (v.1 as u64 & mask) as i64);
                }
                let size = if size == 0 { under.map_or(4, |u| u.size) } else { size };
                return Ok(Type {
                    name: name.unwrap_or_else(|| "enum".into()),
                    size,
                    kind: Kind::Enumeration { signed, variants },
                });
            }
            gimli::DW_TAG_subroutine_type => Kind::Function,
            gimli::DW_TAG_unspecified_type => Kind::Void,
            _ => Kind::Opaque,
        };
        if entry.tag() == gimli::DW_TAG_subroutine_type && name.is_none() {
            let name = self.function_type_name(unit, &entry, depth);
            return Ok(Type { name, size, kind });
        }
        let fallback = match entry.tag() {
            gimli::DW_TAG_union_type => "union",
            gimli::DW_TAG_structure_type => "struct",
            _ => "?",
        };
        Ok(Type { name: name.unwrap_or_else(|| fallback.into()), size, kind })
    }

    /// `int (char *, ...)`
    fn function_type_name(&self, unit: usize, entry: &Entry, depth: u32) -> String {
        /// Functions that take functions are not named deeper than this, or with more parameters.
        const DEEPEST: u32 = 3;
        const MOST: usize = 16;
        if depth > DEEPEST {
            return "function".into();
        }
        let mut all = Vec::new();
        let _ = self.children(unit, entry, |child| match child.tag() {
            _ if all.len() > MOST => {}
            gimli::DW_TAG_formal_parameter => {
                let ty = self.lazy(unit, child.attr_value(gimli::DW_AT_type));
                all.push(self.name_of(&ty, depth + 1));
            }
            gimli::DW_TAG_unspecified_parameters => all.push("...".to_string()),
            _ => {}
        });
        let result = self.lazy(unit, entry.attr_value(gimli::DW_AT_type));
        if all.is_empty() {
            all.push("void".to_string());
        }
        format!("{} ({})", self.name_of(&result, depth + 1), all.join(", "))
    }

    fn name_of(&self, target: &Lazy, depth: u32) -> String {
        match target {
            Lazy::Known(t) => t.name.clone(),
            Lazy::At(_, unit, offset) => {
                // Only the name is wanted: reading members here could go round in circles.
                let Ok(entry) = self.units()[*unit].entry(gimli::UnitOffset(*offset)) else {
                    return "?".into();
                };
                if let Some(name) = self.string(*unit, entry.attr_value(gimli::DW_AT_name)) {
                    return name;
                }
                let has_members = matches!(
                    entry.tag(),
                    gimli::DW_TAG_structure_type
                        | gimli::DW_TAG_class_type
                        | gimli::DW_TAG_union_type
                );
                if has_members {
                    return "struct".into();
                }
                self.read_type(*unit, *offset, depth + 1).map_or("?".into(), |t| t.name)
            }
        }
    }

    fn read_array(&self, unit: usize, entry: &Entry, depth: u32) -> Result<Type> {
        let element = self.lazy(unit, entry.attr_value(gimli::DW_AT_type));
        let mut counts = Vec::new();
        self.children(unit, entry, |child| {
            if child.tag() == gimli::DW_TAG_subrange_type {
                let count = child
                    .attr_value(gimli::DW_AT_count)
                    .and_then(|v| v.udata_value())
                    .or_else(|| {
                        let upper = child.attr_value(gimli::DW_AT_upper_bound)?;
                        upper.udata_value()?.checked_add(1)
                    })
                    .unwrap_or(0);
                counts.push(count);
            }
        })?;
        if counts.is_empty() || counts.len() > 16 {
            counts = vec![0];
        }
        let first = match &element {
            Lazy::Known(t) => (**t).clone(),
            Lazy::At(_, u, o) => self.read_type(*u, *o, depth + 1)?,
        };
        let mut ty = first;
        let mut lazy = element;
        let base_name = ty.name.clone();
        let mut suffix = String::new();
        for &count in counts.iter().rev() {
            suffix = format!("[{count}]{suffix}");
            ty = Type {
                name: format!("{base_name}{suffix}"),
                size: ty.size.saturating_mul(count),
                kind: Kind::Array { element: lazy, count },
            };
            lazy = Lazy::Known(Rc::new(ty.clone()));
        }
        Ok(ty)
    }

    fn read_structure(&self, unit: usize, entry: &Entry) -> Result<Kind> {
        let is_union = entry.tag() == gimli::DW_TAG_union_type;
        let convention = entry.attr_value(gimli::DW_AT_calling_convention);
        let mut by_reference = matches!(
            convention,
            Some(gimli::AttributeValue::CallingConvention(gimli::DW_CC_pass_by_reference))
        );
        if entry.attr_value(gimli::DW_AT_declaration).is_some() {
            return Ok(Kind::Opaque);
        }
        let mut members = Vec::new();
        let mut variants = None;
        self.children(unit, entry, |child| {
            // If the compiler does not record how values are passed, their methods show it.
            if child.tag() == gimli::DW_TAG_subprogram && convention.is_none() {
                by_reference |= self.has_say_in_copying(unit, entry, child);
            }
            if child.tag() == gimli::DW_TAG_variant_part {
                variants = self.read_variant_part(unit, child).ok().map(Rc::new);
            }
            let is_base = child.tag() == gimli::DW_TAG_inheritance;
            if !is_base && child.tag() != gimli::DW_TAG_member {
                return;
            }
            // Static members have no place in the layout.
            if child.attr_value(gimli::DW_AT_external).is_some()
                || child.attr_value(gimli::DW_AT_declaration).is_some()
            {
                return;
            }
            let ty = self.lazy(unit, child.attr_value(gimli::DW_AT_type));
            let mut name =
                self.string(unit, child.attr_value(gimli::DW_AT_name)).unwrap_or_default();
            let is_transparent = is_base || name.is_empty();
            if is_base {
                name = self.name_of(&ty, 0);
            }
            let offset = child
                .attr_value(gimli::DW_AT_data_member_location)
                .and_then(|v| v.udata_value())
                .unwrap_or(0);
            let width = child.attr_value(gimli::DW_AT_bit_size).and_then(|v| v.udata_value());
            let (offset, bits) = match width {
                None => (offset, None),
                Some(width) => {
                    match child
                        .attr_value(gimli::DW_AT_data_bit_offset)
                        .and_then(|v| v.udata_value())
                    {
                        Some(bit) => {
                            // The storage unit that contains it, as the compiler reads it; in a
                            // packed structure it may be in two of them.
                            let size = ty.get().map_or(1, |t| t.size.max(1));
                            let unit = bit / 8 / size * size;
                            let fits = (bit - unit * 8).saturating_add(width) <= size * 8;
                            let start = if fits { unit } else { bit / 8 };
                            (start, Some((bit - start * 8, width)))
                        }
                        // The old way counts from the other end of the storage unit.
                        None => {
                            let storage = child
                                .attr_value(gimli::DW_AT_byte_size)
                                .and_then(|v| v.udata_value())
                                .or_else(|| ty.get().ok().map(|t| t.size))
                                .unwrap_or(4);
                            let from_top = child
                                .attr_value(gimli::DW_AT_bit_offset)
                                .and_then(|v| v.udata_value())
                                .unwrap_or(0);
                            let bit = (storage * 8).saturating_sub(from_top).saturating_sub(width);
                            (offset, Some((bit, width)))
                        }
                    }
                }
            };
            members.push(Member { name, offset, bits, ty, is_transparent });
        })?;
        Ok(Kind::Structure { members, is_union, by_reference, variants })
    }

    /// Whether a method of a C++ class is a destructor, or a constructor that copies or moves,
    /// written by the programmer: then values of the class are passed by invisible reference.
    fn has_say_in_copying(&self, unit: usize, class: &Entry, method: &Entry) -> bool {
        let is_set = |what| method.attr_value(what).is_some();
        let defaulted = method.attr_value(gimli::DW_AT_defaulted).and_then(|v| v.udata_value());
        let is_default = defaulted == Some(u64::from(gimli::DW_DEFAULTED_in_class.0));
        if is_set(gimli::DW_AT_artificial) || is_default {
            return false;
        }
        // A class whose values cannot be copied is always passed in this way.
        let Some(name) = self.string(unit, method.attr_value(gimli::DW_AT_name)) else {
            return false;
        };
        if name.starts_with('~') {
            return true;
        }
        let own = self.string(unit, class.attr_value(gimli::DW_AT_name)).unwrap_or_default();
        if own.split('<').next() != Some(name.as_str()) {
            return false;
        }
        let mut given = Vec::new();
        let read = self.children(unit, method, |child| {
            let is_given = child.tag() == gimli::DW_TAG_formal_parameter
                && child.attr_value(gimli::DW_AT_artificial).is_none();
            if is_given {
                given.push(child.attr_value(gimli::DW_AT_type));
            }
        });
        let first = given.into_iter().next().flatten();
        read.is_ok() && first.is_some_and(|ty| self.refers_to(unit, ty, class.offset()))
    }

    /// Whether a type is a reference to the type at an entry of the unit.
    fn refers_to(
        &self,
        unit: usize,
        ty: gimli::AttributeValue<Reader>,
        target: gimli::UnitOffset<usize>,
    ) -> bool {
        let mut at = self.reference(unit, ty);
        let mut is_reference = false;
        for _ in 0..4 {
            let Some((unit, offset)) = at else { return false };
            if is_reference && offset == target {
                return true;
            }
            let Ok(entry) = self.units()[unit].entry(offset) else { return false };
            match entry.tag() {
                gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                    is_reference = true;
                }
                gimli::DW_TAG_const_type => {}
                _ => return false,
            }
            at = entry.attr_value(gimli::DW_AT_type).and_then(|v| self.reference(unit, v));
        }
        false
    }

    fn read_variant_part(&self, unit: usize, entry: &Entry) -> Result<Variants> {
        let told_by = entry.attr_value(gimli::DW_AT_discr).and_then(|v| self.reference(unit, v));
        let mut discriminant = None;
        let mut cases = Vec::new();
        self.children(unit, entry, |child| match child.tag() {
            gimli::DW_TAG_member if told_by == Some((unit, child.offset())) => {
                discriminant = Some(self.plain_member(unit, child));
            }
            gimli::DW_TAG_variant => {
                let value = child.attr_value(gimli::DW_AT_discr_value);
                let value =
                    value.and_then(|v| v.udata_value().or(v.sdata_value().map(|s| s as u64)));
                let mut member = None;
                let read = self.children(unit, child, |inner| {
                    if inner.tag() == gimli::DW_TAG_member {
                        member = Some(self.plain_member(unit, inner));
                    }
                });
                if let (Ok(()), Some(member)) = (read, member) {
                    cases.push((value, member));
                }
            }
            _ => {}
        })?;
        // The value may be stored with or without sign; only the bits of the discriminant matter.
        let size =
            discriminant.as_ref().and_then(|d: &Member| d.ty.get().ok()).map_or(8, |t| t.size);
        let mask = u128::MAX >> (128 - 8 * size.clamp(1, 8));
        let case = |(value, member): (Option<u64>, Member)| Case {
            value: value.map(|v| u128::from(v) & mask),
            member,
        };
        Ok(Variants { discriminant, cases: cases.into_iter().map(case).collect() })
    }

    fn plain_member(&self, unit: usize, entry: &Entry) -> Member {
        let offset = entry.attr_value(gimli::DW_AT_data_member_location);
        Member {
            name: self.string(unit, entry.attr_value(gimli::DW_AT_name)).unwrap_or_default(),
            offset: offset.and_then(|v| v.udata_value()).unwrap_or(0),
            bits: None,
            ty: self.lazy(unit, entry.attr_value(gimli::DW_AT_type)),
            is_transparent: false,
        }
    }

    fn read_variants(&self, unit: usize, entry: &Entry) -> Result<Vec<(String, i64)>> {
        let mut variants = Vec::new();
        self.children(unit, entry, |child| {
            if child.tag() == gimli::DW_TAG_enumerator
                && let Some(name) = self.string(unit, child.attr_value(gimli::DW_AT_name))
                && let Some(value) = child.attr_value(gimli::DW_AT_const_value)
            {
                let value = value.sdata_value().or(value.udata_value().map(|v| v as i64));
                variants.push((name, value.unwrap_or(0)));
            }
        })?;
        Ok(variants)
    }

    /// Calls `f` for each direct child of an entry.
    pub(super) fn children(
        &self,
        unit: usize,
        entry: &Entry,
        mut f: impl FnMut(&Entry),
    ) -> Result<()> {
        if !entry.has_children() {
            return Ok(());
        }
        let mut cursor = self.units()[unit].entries_at_offset(entry.offset())?;
        cursor.next_dfs()?;
        let depth = cursor.depth();
        while let Some(child) = cursor.next_dfs()? {
            if child.depth() <= depth {
                break;
            }
            if child.depth() == depth + 1 {
                f(child);
            }
        }
        Ok(())
    }

    /// The full definition of a type that is only declared in one place.
    fn complete(&self, name: Option<&str>, here: (usize, usize)) -> Option<(usize, usize)> {
        self.named_types().get(name?).copied().filter(|found| *found != here)
    }

    /// The names of all types that have one.
    pub(crate) fn type_names(&self) -> Vec<String> {
        self.named_types().keys().cloned().collect()
    }

    /// A type by its name, as written in a cast.
    pub fn type_named(&self, name: &str) -> Option<Rc<Type>> {
        let (unit, offset) = *self.named_types().get(name)?;
        self.type_at(unit, offset).ok()
    }

    /// An enumerator by name, with its type: `RED`, `Color::RED`.
    pub(crate) fn enumerator(&self, name: &str) -> Option<(Rc<Type>, i64)> {
        let (scope, name) = match name.rsplit_once("::") {
            Some((scope, name)) => (Some(scope), name),
            None => (None, name),
        };
        let own = |scope: &str| scope.rsplit("::").next().map(str::to_string);
        let scope = scope.and_then(own);
        for (unit, u) in self.units().iter().enumerate() {
            let mut cursor = u.entries();
            let mut last = None;
            while let Ok(Some(entry)) = cursor.next_dfs() {
                if entry.tag() == gimli::DW_TAG_enumeration_type {
                    let called = || self.string(unit, entry.attr_value(gimli::DW_AT_name));
                    let is_meant = scope.is_none() || called() == scope;
                    last = is_meant.then_some(entry.offset().0);
                } else if entry.tag() == gimli::DW_TAG_enumerator
                    && last.is_some()
                    && self.string(unit, entry.attr_value(gimli::DW_AT_name)).as_deref()
                        == Some(name)
                {
                    let ty = self.type_at(unit, last?).ok()?;
                    let Kind::Enumeration { variants, .. } = &ty.kind else { return None };
                    let value = variants.iter().find(|v| v.0 == name)?.1;
                    return Some((ty.clone(), value));
                }
            }
        }
        None
    }

    fn named_types(&self) -> &std::collections::HashMap<String, (usize, usize)> {
        self.named_types.get_or_init(|| {
            let mut all = std::collections::HashMap::new();
            for unit in 0..self.units().len() {
                let mut cursor = self.units()[unit].entries();
                while let Ok(Some(entry)) = cursor.next_dfs() {
                    let is_type = matches!(
                        entry.tag(),
                        gimli::DW_TAG_base_type
                            | gimli::DW_TAG_structure_type
                            | gimli::DW_TAG_class_type
                            | gimli::DW_TAG_union_type
                            | gimli::DW_TAG_enumeration_type
                            | gimli::DW_TAG_typedef
                    );
                    if is_type
                        && entry.attr_value(gimli::DW_AT_declaration).is_none()
                        && let Some(name) = self.string(unit, entry.attr_value(gimli::DW_AT_name))
                    {
                        all.entry(name).or_insert((unit, entry.offset().0));
                    }
                }
            }
            all
        })
    }
}

fn pointer_name(target: &str, sign: &str) -> String {
    // A pointer to a function has its name, and more stars, in the middle: `int (*)(char *)`.
    if let Some(at) = target.find("(*").filter(|_| target.ends_with(')')) {
        return format!("{}({sign}{}", &target[..at], &target[at + 1..]);
    }
    if let Some((result, parameters)) = target.strip_suffix(')').and_then(|t| t.split_once(" (")) {
        return format!("{result} ({sign})({parameters})");
    }
    if target.ends_with(['*', '&']) {
        format!("{target}{sign}")
    } else {
        format!("{target} {sign}")
    }
}
