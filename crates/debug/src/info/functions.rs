//! Functions: where they begin, whether they exist at all outside their callers.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::demangle::{bare, demangle};
use super::{DebugInfo, Reader, cache};

/// A function of the program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Qualified source name, without parameters: `Queue::push`.
    pub name: String,
    /// The name the linker sees.
    pub linkage_name: Option<String>,
    /// The bodies that can be stopped at. More than one when the compiler made clones or when a
    /// function of the same name exists in several files; none when it was inlined everywhere.
    pub instances: Vec<Instance>,
    /// How many times the compiler put the body into a caller: calls that are no events.
    pub inlined: u32,
}

/// One body of a function.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Address of the first instruction.
    pub entry: u64,
    /// Address ranges; the first contains the entry.
    pub ranges: Vec<(u64, u64)>,
    /// The symbol at the entry, when it is not the function's own name: `f.constprop.0`.
    pub clone_of: Option<String>,
    /// Unit and entry in the debug information; absent for symbols without any.
    pub(crate) die: Option<(usize, usize)>,
}

impl Instance {
    /// Whether the address belongs to this body.
    pub fn contains(&self, address: u64) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..*high).contains(&address))
    }

    /// Whether it is the part of a body that the compiler put elsewhere because it is rarely
    /// needed. It is jumped to, not called.
    pub fn is_fragment(&self) -> bool {
        self.clone_of.as_deref().is_some_and(|s| whole_of(s).is_some())
    }
}

/// The name in the source that a symbol stands for, without parameters.
pub(crate) fn source_name(symbol: &str) -> String {
    bare(&demangle(symbol))
}

/// Whether a symbol that the compiler has mangled stands for a function with this name in the source.
pub(crate) fn is_called(symbol: &str, name: &str) -> bool {
    // Most symbols need not be decoded: the last identifier is in them as it is.
    let end = name.find(['(', '<']).unwrap_or(name.len());
    let last = name[..end].rsplit("::").next().unwrap_or_default();
    let is_identifier = !last.starts_with(['~', '{']) && !last.starts_with("operator");
    let is_mangled = symbol.starts_with("_Z") || symbol.starts_with("_R");
    is_mangled
        && (!is_identifier || symbol.contains(last))
        && (source_name(symbol) == name || demangle(symbol) == name)
}

/// What the symbol of a fragment (`f.cold`, `f.cold.3`) is a fragment of, by its name.
fn whole_of(symbol: &str) -> Option<&str> {
    let (whole, rest) = symbol.rsplit_once(".cold")?;
    let is_number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let is_suffix = rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number);
    (is_suffix && !whole.is_empty()).then_some(whole)
}

pub(super) struct Index {
    pub functions: Vec<Function>,
    by_name: HashMap<String, Vec<usize>>,
    /// By the last part of a qualified name.
    by_last: HashMap<String, Vec<usize>>,
    /// Range start → (range end, function, instance).
    by_address: BTreeMap<u64, (u64, usize, usize)>,
}

/// A function with the names it can be found by.
#[derive(Debug)]
pub(super) struct Named {
    pub function: Function,
    pub names: Vec<String>,
    /// The last part of its qualified name.
    pub last: Option<String>,
}

/// What is collected before functions are put together.
#[derive(Default)]
struct Found {
    name: String,
    linkage: Option<String>,
    instances: Vec<Instance>,
    inlined: u32,
    is_declared_here: bool,
}

impl Index {
    fn new(all: Vec<Named>) -> Index {
        let (mut by_name, mut by_last) = (HashMap::<_, Vec<usize>>::new(), HashMap::new());
        let mut by_address = BTreeMap::new();
        let mut functions = Vec::with_capacity(all.len());
        for (f, Named { function, names, last }) in all.into_iter().enumerate() {
            for name in names {
                by_name.entry(name).or_default().push(f);
            }
            if let Some(last) = last {
                by_last.entry(last).or_insert_with(Vec::new).push(f);
            }
            for (i, instance) in function.instances.iter().enumerate() {
                for (low, high) in &instance.ranges {
                    by_address.insert(*low, (*high, f, i));
                }
            }
            functions.push(function);
        }
        Index { functions, by_name, by_last, by_address }
    }

    /// The functions with these numbers, each once.
    fn of<'a>(&'a self, numbers: impl Iterator<Item = &'a usize>) -> Vec<&'a Function> {
        let mut seen = HashSet::new();
        numbers.filter(|i| seen.insert(**i)).map(|i| &self.functions[*i]).collect()
    }
}

impl DebugInfo {
    fn index(&self) -> &Index {
        self.functions.get_or_init(|| Index::new(self.named_functions()))
    }

    /// All functions, from an earlier run if there was one.
    fn named_functions(&self) -> Vec<Named> {
        if let Some(known) = self.kept.as_deref().and_then(cache::load) {
            return known;
        }
        let all = self.find_functions();
        if let Some(path) = &self.kept {
            cache::store(path, &all);
        }
        all
    }

    /// All functions, inlined ones and those known only by symbol included.
    pub fn functions(&self) -> &[Function] {
        &self.index().functions
    }

    /// The functions of this name, written from the outermost scope on (a bare name is a function
    /// of no scope), with or without parameters or generic arguments, or as the linker writes it.
    pub fn functions_called(&self, name: &str) -> Vec<&Function> {
        let index = self.index();
        index.of(index.by_name.get(name.trim()).into_iter().flatten())
    }

    /// The functions that a person may mean by `name`: as [`DebugInfo::functions_called`], and
    /// those of any scope whose own name it is.
    pub fn functions_named(&self, name: &str) -> Vec<&Function> {
        let index = self.index();
        let both = [&index.by_name, &index.by_last].map(|names| names.get(name.trim()));
        index.of(both.into_iter().flatten().flatten())
    }

    /// Names close to one that was not found, best first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Vec<String> {
        let wanted = bare(name).to_lowercase();
        let mut scored: Vec<(usize, &str)> = self
            .index()
            .functions
            .iter()
            .filter_map(|f| {
                let last = f.name.rsplit("::").next().unwrap_or(&f.name).to_lowercase();
                let d = distance(&wanted, &last).min(distance(&wanted, &f.name.to_lowercase()));
                (d <= 1 + wanted.len() / 3).then_some((d, f.name.as_str()))
            })
            .collect();
        scored.sort();
        scored.dedup();
        scored.into_iter().take(limit).map(|(_, n)| n.to_string()).collect()
    }

    /// The name of a symbol if it stands for a fragment of a function. Other languages have dots in
    /// the names of functions, too, so there must be something it is a fragment of.
    fn fragment(&self, symbol: &super::Symbol) -> Option<String> {
        let whole = whole_of(&symbol.name)?;
        self.symbols_named(whole).any(|s| s.is_code).then(|| symbol.name.clone())
    }

    /// The function of a symbol, without looking at debug information.
    fn function_of(&self, symbol: &super::Symbol) -> Function {
        let end = symbol.address.saturating_add(symbol.size.max(1));
        Function {
            name: bare(&demangle(&symbol.name)),
            linkage_name: Some(symbol.name.clone()),
            instances: vec![Instance {
                entry: symbol.address,
                ranges: vec![(symbol.address, end)],
                clone_of: self.fragment(symbol),
                die: None,
            }],
            inlined: 0,
        }
    }

    /// Functions whose symbol fulfils a condition, without looking at debug information.
    pub(crate) fn functions_by_symbol(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<Function> {
        let is_wanted = |s: &&super::Symbol| s.is_code && s.address != 0 && wanted(&s.name);
        self.symbols.iter().filter(is_wanted).map(|s| self.function_of(s)).collect()
    }

    /// As [`DebugInfo::function_at`], but a large separate file is not read for it.
    pub(crate) fn function_at_quickly(&self, address: u64) -> Option<(Function, Instance)> {
        if !self.is_separate() {
            return self.function_at(address).map(|(f, i)| (f.clone(), i.clone()));
        }
        let function = self.function_of(self.symbol_at(address)?);
        let instance = function.instances[0].clone();
        Some((function, instance))
    }

    /// As [`DebugInfo::function_at`], if the debug information was read already or is no trouble;
    /// else as far as symbols tell.
    pub(crate) fn function_at_hand(&self, address: u64) -> Option<(Function, Instance)> {
        if self.dwarf.get().is_some() {
            return self.function_at(address).map(|(f, i)| (f.clone(), i.clone()));
        }
        self.function_at_quickly(address)
    }

    /// The function and body an address belongs to.
    pub fn function_at(&self, address: u64) -> Option<(&Function, &Instance)> {
        let index = self.index();
        let (_, (end, f, i)) = index.by_address.range(..=address).next_back()?;
        (address < *end).then(|| {
            let function = &index.functions[*f];
            (function, &function.instances[*i])
        })
    }

    /// The C++ destructor that begins at an address, with its parameters. There may be several
    /// bodies of it: one that also gives back the memory, one for parts of larger objects.
    pub(crate) fn destructor_at(&self, address: u64) -> Option<String> {
        self.symbols_at(address)
            .filter(|s| s.is_code && s.name.starts_with("_Z"))
            .map(|s| demangle(&s.name))
            .find(|name| name.contains("::~"))
    }

    /// Whether a function was compiled from Go. Its stack may be moved while it runs.
    pub(crate) fn is_go(&self, function: &Function) -> bool {
        let grows_stacks = |name: &str| self.by_name.contains_key(name);
        function.name.contains('.')
            && ["runtime.morestack", "runtime.morestack.abi0"].into_iter().any(grows_stacks)
    }

    /// Whether this is the first instruction of a function (the program's start, which nobody
    /// calls, aside).
    pub(crate) fn is_entry(&self, address: u64) -> bool {
        self.function_at_quickly(address)
            .is_some_and(|(f, i)| i.entry == address && i.clone_of.is_none() && f.name != "_start")
    }

    fn find_functions(&self) -> Vec<Named> {
        let mut found: HashMap<(usize, usize), Found> = HashMap::new();
        let names = self.die_names();
        for unit in 0..self.units().len() {
            self.collect_functions(unit, &names, &mut found);
        }
        // The same function seen in several units is one function with several bodies.
        let mut merged: BTreeMap<(String, String), Function> = BTreeMap::new();
        let mut keys: Vec<(usize, usize)> = found.keys().copied().collect();
        keys.sort_unstable();
        let mut covered: HashSet<u64> = HashSet::new();
        for key in keys {
            let Some(f) = found.remove(&key) else { continue };
            if f.instances.is_empty() && f.inlined == 0 && !f.is_declared_here {
                continue;
            }
            for instance in &f.instances {
                covered.insert(instance.entry);
                covered.extend(instance.ranges.iter().map(|(low, _)| *low));
            }
            let id = (f.name.clone(), f.linkage.clone().unwrap_or_default());
            let function = merged.entry(id).or_insert_with(|| Function {
                name: f.name.clone(),
                linkage_name: f.linkage.clone(),
                instances: Vec::new(),
                inlined: 0,
            });
            function.inlined += f.inlined;
            for instance in f.instances {
                if !function.instances.iter().any(|i| i.entry == instance.entry) {
                    function.instances.push(instance);
                }
            }
        }
        for function in merged.values_mut() {
            let own = function.linkage_name.clone().unwrap_or_else(|| function.name.clone());
            for instance in &mut function.instances {
                instance.clone_of = self
                    .symbol_at(instance.entry)
                    .filter(|s| s.address == instance.entry)
                    .map(|s| s.name.clone())
                    .filter(|n| n.split_once('.').is_some_and(|(base, _)| base == own));
            }
        }
        let mut functions: Vec<Function> = merged.into_values().collect();
        for s in &self.symbols {
            if s.is_code && s.address != 0 && covered.insert(s.address) {
                functions.push(self.function_of(s));
            }
        }
        functions.into_iter().map(|function| self.name_function(function)).collect()
    }

    /// A function with all names it can be found by.
    fn name_function(&self, function: Function) -> Named {
        let mut names = Vec::new();
        let mut add = |name: &str| {
            if !name.is_empty() {
                names.push(name.to_string());
            }
        };
        let plain = bare(&function.name);
        add(&function.name);
        add(&plain);
        let last = plain.rsplit_once("::").map(|(_, last)| last.to_string());
        if let Some(linkage) = &function.linkage_name {
            add(linkage);
            let full = demangle(linkage);
            add(&bare(&full));
            add(&full);
        }
        for instance in &function.instances {
            if let Some(s) = &instance.clone_of {
                add(s);
            }
        }
        // Other symbols at the same address are other names of the same function.
        for instance in &function.instances {
            self.symbols_at(instance.entry).filter(|s| s.is_code).for_each(|s| add(&s.name));
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Named { function, names, last }
    }

    /// Qualified and linkage names of every named function entry, by unit and offset.
    fn die_names(&self) -> HashMap<(usize, usize), (String, Option<String>)> {
        let mut names = HashMap::new();
        for unit in 0..self.units().len() {
            let mut scope: Vec<(isize, String)> = Vec::new();
            let mut cursor = self.units()[unit].entries();
            while let Ok(Some(entry)) = cursor.next_dfs() {
                let depth = entry.depth();
                while scope.last().is_some_and(|(d, _)| *d >= depth) {
                    scope.pop();
                }
                let tag = entry.tag();
                let is_scope = matches!(
                    tag,
                    gimli::DW_TAG_namespace
                        | gimli::DW_TAG_structure_type
                        | gimli::DW_TAG_class_type
                        | gimli::DW_TAG_union_type
                        | gimli::DW_TAG_enumeration_type
                );
                if !is_scope && tag != gimli::DW_TAG_subprogram {
                    continue;
                }
                let Some(name) = self.string(unit, entry.attr_value(gimli::DW_AT_name)) else {
                    continue;
                };
                let mut full: String = scope.iter().map(|(_, n)| format!("{n}::")).collect();
                full.push_str(&name);
                if tag == gimli::DW_TAG_subprogram {
                    let linkage = entry
                        .attr_value(gimli::DW_AT_linkage_name)
                        .or_else(|| entry.attr_value(gimli::DW_AT_MIPS_linkage_name));
                    names.insert((unit, entry.offset().0), (full, self.string(unit, linkage)));
                } else if scope.len() < 64 {
                    scope.push((depth, name));
                }
            }
        }
        names
    }

    fn collect_functions(
        &self,
        unit: usize,
        names: &HashMap<(usize, usize), (String, Option<String>)>,
        found: &mut HashMap<(usize, usize), Found>,
    ) {
        let mut cursor = self.units()[unit].entries();
        while let Ok(Some(entry)) = cursor.next_dfs() {
            let tag = entry.tag();
            if tag != gimli::DW_TAG_subprogram && tag != gimli::DW_TAG_inlined_subroutine {
                continue;
            }
            // The entry that stands for the function as such, whichever body this is.
            let Some(root) = self.root_of(unit, entry) else { continue };
            let named = names
                .get(&root.named)
                .cloned()
                .or_else(|| names.get(&(unit, entry.offset().0)).cloned());
            let Some((name, mut linkage)) = named else { continue };
            if linkage.is_none() {
                linkage = root.linkage;
            }
            let ranges = self.ranges_of(unit, entry);
            let f = found.entry(root.key).or_default();
            f.name = name;
            f.linkage = f.linkage.take().or(linkage);
            if tag == gimli::DW_TAG_inlined_subroutine {
                f.inlined += 1;
            } else if let Some((entry_pc, ranges)) = ranges {
                f.instances.push(Instance {
                    entry: entry_pc,
                    ranges,
                    clone_of: None,
                    die: Some((unit, entry.offset().0)),
                });
            } else if entry.attr_value(gimli::DW_AT_inline).is_some() {
                f.is_declared_here = f.inlined > 0;
            }
        }
    }

    fn root_of(
        &self,
        unit: usize,
        entry: &gimli::DebuggingInformationEntry<Reader>,
    ) -> Option<Root> {
        let mut at = (unit, entry.offset());
        let mut key = (unit, entry.offset().0);
        let mut linkage = None;
        let mut current = entry.clone();
        for _ in 0..8 {
            linkage = linkage
                .or_else(|| self.string(at.0, current.attr_value(gimli::DW_AT_linkage_name)));
            let origin = current.attr_value(gimli::DW_AT_abstract_origin);
            let next = origin.clone().or_else(|| current.attr_value(gimli::DW_AT_specification));
            let Some(next) = next.and_then(|v| self.reference(at.0, v)) else { break };
            at = next;
            if origin.is_some() {
                key = (at.0, at.1.0);
            }
            current = self.units()[at.0].entry(at.1).ok()?;
        }
        Some(Root { key, named: (at.0, at.1.0), linkage })
    }

    /// The entry address and ranges of a body; `None` for one that has no code (or was dropped by
    /// the linker).
    pub(super) fn ranges_of(
        &self,
        unit: usize,
        entry: &gimli::DebuggingInformationEntry<Reader>,
    ) -> Option<(u64, Vec<(u64, u64)>)> {
        let mut iter = self.dwarf_of(unit).die_ranges(&self.units()[unit], entry).ok()?;
        let mut ranges = Vec::new();
        while let Ok(Some(range)) = iter.next() {
            if range.begin != 0 && range.begin < range.end && ranges.len() < 4096 {
                ranges.push((range.begin, range.end));
            }
        }
        let first = ranges.first()?.0;
        let entry_pc = entry
            .attr_value(gimli::DW_AT_entry_pc)
            .and_then(|v| self.dwarf_of(unit).attr_address(&self.units()[unit], v).ok().flatten())
            .unwrap_or(first);
        Some((entry_pc, ranges))
    }
}

struct Root {
    /// The entry all bodies of the function lead to.
    key: (usize, usize),
    /// The entry that carries the name.
    named: (usize, usize),
    linkage: Option<String>,
}

/// Edit distance, for “did you mean”.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = if ca == *cb { diagonal } else { diagonal + 1 };
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
