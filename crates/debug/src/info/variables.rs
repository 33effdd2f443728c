//! Variables: globals, and what is visible at an address.

use std::collections::HashMap;

use super::types::Lazy;
use super::{DebugInfo, Reader};

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Lazy,
    /// Whether it is a parameter.
    pub is_parameter: bool,
    pub(crate) unit: usize,
    pub(crate) location: Option<gimli::AttributeValue<Reader>>,
    /// A value fixed at compile time.
    pub(crate) constant: Option<Vec<u8>>,
    /// Of the enclosing function.
    pub(crate) frame_base: Option<gimli::AttributeValue<Reader>>,
}

impl Variable {
    /// A parameter of which only the type is known.
    pub(super) fn of_type(ty: Lazy) -> Variable {
        let (location, constant, frame_base) = (None, None, None);
        let name = String::new();
        Variable { name, ty, is_parameter: true, unit: 0, location, constant, frame_base }
    }
}

type Entry = gimli::DebuggingInformationEntry<Reader>;

impl DebugInfo {
    /// Variables that exist once: globals, statics, also those inside functions.
    pub fn globals(&self) -> &[Variable] {
        self.globals.get_or_init(|| {
            let mut all = Vec::new();
            let mut prefixes: HashMap<(usize, usize), String> = HashMap::new();
            for unit in 0..self.units().len() {
                let mut scope: Vec<(isize, String)> = Vec::new();
                let mut cursor = self.units()[unit].entries();
                while let Ok(Some(entry)) = cursor.next_dfs() {
                    let depth = entry.depth();
                    while scope.last().is_some_and(|(d, _)| *d >= depth) {
                        scope.pop();
                    }
                    let is_scope = matches!(
                        entry.tag(),
                        gimli::DW_TAG_namespace
                            | gimli::DW_TAG_class_type
                            | gimli::DW_TAG_structure_type
                            | gimli::DW_TAG_union_type
                    );
                    if is_scope && scope.len() < 64 {
                        let name = self.string(unit, entry.attr_value(gimli::DW_AT_name));
                        scope.push((depth, name.unwrap_or_default()));
                        continue;
                    }
                    let is_static_member = entry.tag() == gimli::DW_TAG_member
                        && entry.attr_value(gimli::DW_AT_external).is_some();
                    if entry.tag() != gimli::DW_TAG_variable && !is_static_member {
                        continue;
                    }
                    let prefix: String = scope.iter().map(|(_, n)| format!("{n}::")).collect();
                    if !prefix.is_empty() {
                        prefixes.insert((unit, entry.offset().0), prefix.clone());
                    }
                    if !self.is_static(entry) {
                        continue;
                    }
                    // A definition outside its namespace refers to the declaration inside.
                    let declared = entry
                        .attr_value(gimli::DW_AT_specification)
                        .and_then(|v| self.reference(unit, v))
                        .and_then(|(u, o)| prefixes.get(&(u, o.0)).cloned());
                    if let Some(mut v) = self.variable(unit, entry, None) {
                        v.name = format!("{}{}", declared.unwrap_or(prefix), v.name);
                        all.push(v);
                    }
                }
            }
            all
        })
    }

    /// The variables that exist once and have this name, written from the outermost scope on.
    pub(crate) fn globals_named(&self, name: &str) -> impl Iterator<Item = &Variable> {
        let index = self.globals_by_name.get_or_init(|| {
            let mut index: HashMap<String, Vec<usize>> = HashMap::new();
            for (i, variable) in self.globals().iter().enumerate() {
                index.entry(variable.name.clone()).or_default().push(i);
            }
            index
        });
        index.get(name).into_iter().flatten().map(|i| &self.globals()[*i])
    }

    /// Whether the location is a fixed (or thread-local) address.
    fn is_static(&self, entry: &Entry) -> bool {
        let Some(gimli::AttributeValue::Exprloc(e)) = entry.attr_value(gimli::DW_AT_location)
        else {
            return false;
        };
        let first = gimli::Reader::to_slice(&e.0).ok().and_then(|b| b.first().copied());
        matches!(
            first.map(gimli::DwOp),
            Some(
                gimli::DW_OP_addr
                    | gimli::DW_OP_addrx
                    | gimli::DW_OP_GNU_addr_index
                    | gimli::DW_OP_const8u
                    | gimli::DW_OP_const4u
                    | gimli::DW_OP_constx
            )
        )
    }

    fn variable(
        &self,
        unit: usize,
        entry: &Entry,
        frame_base: Option<&gimli::AttributeValue<Reader>>,
    ) -> Option<Variable> {
        let name = self.name_through_origin(unit, entry)?;
        let constant = entry.attr_value(gimli::DW_AT_const_value).map(|v| match v {
            gimli::AttributeValue::Block(b) => {
                gimli::Reader::to_slice(&b).map(|b| b.into_owned()).unwrap_or_default()
            }
            other => {
                let word = other.sdata_value().map(|v| v as u64).or(other.udata_value());
                word.unwrap_or(0).to_le_bytes().to_vec()
            }
        });
        Some(Variable {
            name,
            ty: self.type_of(unit, entry),
            is_parameter: entry.tag() == gimli::DW_TAG_formal_parameter,
            unit,
            location: entry.attr_value(gimli::DW_AT_location),
            constant,
            frame_base: frame_base.cloned(),
        })
    }

    /// The entry that has the attributes that this one leaves out.
    fn origin(&self, unit: usize, entry: &Entry) -> Option<(usize, Entry)> {
        let next = entry
            .attr_value(gimli::DW_AT_abstract_origin)
            .or_else(|| entry.attr_value(gimli::DW_AT_specification))?;
        let (unit, at) = self.reference(unit, next)?;
        Some((unit, self.units()[unit].entry(at).ok()?))
    }

    fn name_through_origin(&self, unit: usize, entry: &Entry) -> Option<String> {
        let (mut unit, mut entry) = (unit, entry.clone());
        for _ in 0..8 {
            if let Some(name) = self.string(unit, entry.attr_value(gimli::DW_AT_name)) {
                return Some(name);
            }
            (unit, entry) = self.origin(unit, &entry)?;
        }
        None
    }

    fn frame_base(&self, die: (usize, usize)) -> Option<gimli::AttributeValue<Reader>> {
        let entry = self.units()[die.0].entry(gimli::UnitOffset(die.1)).ok()?;
        entry.attr_value(gimli::DW_AT_frame_base)
    }

    /// The units of a source file, by its name or the end of its path.
    pub(crate) fn units_of_file(&self, file: &str) -> Vec<usize> {
        let is_meant = |name: &str| {
            name == file || name.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'))
        };
        let name = |unit: &gimli::Unit<Reader>| {
            let name = unit.name.as_ref()?;
            gimli::Reader::to_string_lossy(name).ok().map(|n| n.into_owned())
        };
        let units = self.units().iter().enumerate();
        units.filter(|(_, u)| name(u).is_some_and(|n| is_meant(&n))).map(|(i, _)| i).collect()
    }

    /// What a function body was compiled from: the file as it was named, the folder, the compiler.
    pub(crate) fn unit_of_body(&self, body: &super::Instance) -> Option<(String, String, String)> {
        let unit = body.die?.0;
        let text = |r: &Reader| gimli::Reader::to_string_lossy(r).ok().map(|t| t.into_owned());
        let known = &self.units()[unit];
        let name = known.name.as_ref().and_then(text).unwrap_or_default();
        let folder = known.comp_dir.as_ref().and_then(text).unwrap_or_default();
        let mut cursor = known.entries();
        let root = cursor.next_dfs().ok().flatten()?;
        let compiler =
            self.string(unit, root.attr_value(gimli::DW_AT_producer)).unwrap_or_default();
        Some((name, folder, compiler))
    }

    /// The variables of a function body that exist once, in any of its blocks.
    pub(crate) fn statics_of(&self, instance: &super::Instance) -> Vec<Variable> {
        self.everything_in(instance)
            .into_iter()
            .filter(|(_, is_static)| *is_static)
            .map(|(v, _)| v)
            .collect()
    }

    /// The parameters and variables of a function body, of all its blocks, in the order of the source, and
    /// whether they exist once.
    pub fn everything_in(&self, instance: &super::Instance) -> Vec<(Variable, bool)> {
        let mut all = Vec::new();
        let Some((unit, offset)) = instance.die else { return all };
        let base = self.frame_base((unit, offset));
        let Ok(mut cursor) = self.units()[unit].entries_at_offset(gimli::UnitOffset(offset)) else {
            return all;
        };
        if !matches!(cursor.next_dfs(), Ok(Some(_))) {
            return all;
        }
        let top = cursor.depth();
        while let Ok(Some(entry)) = cursor.next_dfs() {
            if entry.depth() <= top {
                break;
            }
            let is_variable =
                matches!(entry.tag(), gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable);
            if is_variable && let Some(v) = self.variable(unit, entry, base.as_ref()) {
                all.push((v, self.is_static(entry)));
            }
        }
        all
    }

    /// For a virtual method: which entry of the object's table names the function.
    pub(crate) fn virtual_slot(&self, instance: &super::Instance) -> Option<u64> {
        let (mut unit, offset) = instance.die?;
        let mut entry = self.units()[unit].entry(gimli::UnitOffset(offset)).ok()?;
        for _ in 0..8 {
            if let Some(gimli::AttributeValue::Exprloc(e)) =
                entry.attr_value(gimli::DW_AT_vtable_elem_location)
            {
                let bytes = gimli::Reader::to_slice(&e.0).ok()?;
                let (operation, number) = bytes.split_first()?;
                return match gimli::DwOp(*operation) {
                    gimli::DW_OP_constu => {
                        let mut bits = 0;
                        let part = |n: u64, b: &u8| {
                            let part = u64::from(b & 0x7f).checked_shl(bits).unwrap_or(0);
                            bits += 7;
                            n | part
                        };
                        Some(number.iter().fold(0, part))
                    }
                    gimli::DwOp(op) => u64::from(op)
                        .checked_sub(u64::from(gimli::DW_OP_lit0.0))
                        .filter(|n| *n < 32),
                };
            }
            (unit, entry) = self.origin(unit, &entry)?;
        }
        None
    }

    /// The parameters of a function body, in order.
    pub fn parameters(&self, instance: &super::Instance) -> Vec<Variable> {
        let Some(die) = instance.die else { return Vec::new() };
        let base = self.frame_base(die);
        let mut all = self.parameters_of(die, base.as_ref());
        // A body of an inlined function may leave out parameters it does not use.
        if let Ok(entry) = self.units()[die.0].entry(gimli::UnitOffset(die.1))
            && let Some(origin) = entry.attr_value(gimli::DW_AT_abstract_origin)
            && let Some((u, o)) = self.reference(die.0, origin)
        {
            let declared = self.parameters_of((u, o.0), None);
            if declared.len() > all.len() {
                all = declared
                    .into_iter()
                    .map(|d| all.iter().find(|v| v.name == d.name).cloned().unwrap_or(d))
                    .collect();
            }
        }
        all
    }

    fn parameters_of(
        &self,
        die: (usize, usize),
        base: Option<&gimli::AttributeValue<Reader>>,
    ) -> Vec<Variable> {
        let mut all = Vec::new();
        if let Ok(entry) = self.units()[die.0].entry(gimli::UnitOffset(die.1)) {
            let _ = self.children(die.0, &entry, |child| {
                if child.tag() == gimli::DW_TAG_formal_parameter {
                    let mut v = self.variable(die.0, child, base).unwrap_or(Variable {
                        name: String::new(),
                        ty: self.type_of(die.0, child),
                        is_parameter: true,
                        unit: die.0,
                        location: child.attr_value(gimli::DW_AT_location),
                        constant: None,
                        frame_base: base.cloned(),
                    });
                    v.is_parameter = true;
                    all.push(v);
                }
            });
        }
        all
    }

    /// The type a function returns.
    pub fn return_type(&self, instance: &super::Instance) -> Lazy {
        match instance.die {
            Some((unit, offset)) => match self.units()[unit].entry(gimli::UnitOffset(offset)) {
                Ok(entry) => self.type_of(unit, &entry),
                Err(_) => Lazy::void(),
            },
            None => Lazy::void(),
        }
    }

    /// Whether the function takes more arguments than it names.
    pub(crate) fn is_variadic(&self, instance: &super::Instance) -> bool {
        let Some((unit, offset)) = instance.die else { return false };
        let Ok(entry) = self.units()[unit].entry(gimli::UnitOffset(offset)) else { return false };
        let mut variadic = false;
        let _ = self.children(unit, &entry, |child| {
            variadic |= child.tag() == gimli::DW_TAG_unspecified_parameters;
        });
        variadic
    }

    /// Whether the compiler says that the function does not return.
    pub(crate) fn never_returns(&self, instance: &super::Instance) -> bool {
        let Some((unit, offset)) = instance.die else { return false };
        let Ok(entry) = self.units()[unit].entry(gimli::UnitOffset(offset)) else { return false };
        matches!(entry.attr_value(gimli::DW_AT_noreturn), Some(gimli::AttributeValue::Flag(true)))
    }

    /// Whether the compiler says that the body does not follow the calling convention.
    pub(crate) fn is_unconventional(&self, instance: &super::Instance) -> bool {
        let Some((unit, offset)) = instance.die else { return false };
        let Ok(entry) = self.units()[unit].entry(gimli::UnitOffset(offset)) else { return false };
        matches!(
            entry.attr_value(gimli::DW_AT_calling_convention),
            Some(gimli::AttributeValue::CallingConvention(gimli::DW_CC_nocall))
        )
    }

    /// Whether the function was written in Rust, whose calling convention is its own.
    pub(crate) fn is_rust(&self, instance: &super::Instance) -> bool {
        let Some((unit, _)) = instance.die else { return false };
        let mut cursor = self.units()[unit].entries();
        let Ok(Some(root)) = cursor.next_dfs() else { return false };
        matches!(
            root.attr_value(gimli::DW_AT_language),
            Some(gimli::AttributeValue::Language(gimli::DW_LANG_Rust))
        )
    }

    /// The variables visible at an address of a function body: innermost scope last. Scopes of
    /// functions inlined there count as inner scopes.
    pub fn variables_at(&self, instance: &super::Instance, pc: u64) -> Vec<Variable> {
        let Some(die) = instance.die else { return Vec::new() };
        let base = self.frame_base(die);
        let mut all = Vec::new();
        let unit = die.0;
        let Ok(mut cursor) = self.units()[unit].entries_at_offset(gimli::UnitOffset(die.1)) else {
            return all;
        };
        if !matches!(cursor.next_dfs(), Ok(Some(_))) {
            return all;
        }
        let top = cursor.depth();
        // Depth below which everything is skipped, being in a scope elsewhere.
        let mut skip: Option<isize> = None;
        while let Ok(Some(entry)) = cursor.next_dfs() {
            let depth = entry.depth();
            if depth <= top {
                break;
            }
            if let Some(s) = skip {
                if depth > s {
                    continue;
                }
                skip = None;
            }
            match entry.tag() {
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                    let inside = match self.ranges_of(unit, entry) {
                        Some((_, ranges)) => ranges.iter().any(|(l, h)| (*l..*h).contains(&pc)),
                        None => entry.tag() == gimli::DW_TAG_lexical_block,
                    };
                    if !inside {
                        skip = Some(depth);
                    }
                }
                gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable => {
                    all.extend(self.variable(unit, entry, base.as_ref()));
                }
                // Nested functions, types and call sites have their own variables.
                _ => skip = Some(depth),
            }
        }
        all
    }
}
