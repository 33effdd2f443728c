//! What an object file tells about itself: symbols, functions, variables, types, lines, frames.

mod cache;
mod demangle;
mod frames;
mod functions;
mod lines;
mod location;
mod signatures;
mod split;
mod types;
mod variables;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use gimli::{EndianRcSlice, LittleEndian};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::error::{Error, ErrorKind, Result};

pub use demangle::demangle;
pub(crate) use frames::unwind_by_frame_pointer;
pub use frames::{Caller, FrameRegisters};
pub use functions::{Function, Instance};
pub(crate) use functions::{is_called, source_name};
pub use lines::{InlinedFrame, LineRange, SourceLine};
pub(crate) use location::{Machine, Place, optimized_out};
pub(crate) use signatures::Signature;
pub use types::{Case, Kind, Lazy, Member, Type, Variants};
pub use variables::Variable;

pub(crate) type Reader = EndianRcSlice<LittleEndian>;

/// Sections that claim to unpack to more than this are refused.
const SECTION_LIMIT: u64 = 2 << 30;
/// An unpacked section may be this many times as large as the packed one.
const PACKING_LIMIT: u64 = 1100;

/// An entry of a symbol table.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name as linked.
    pub name: String,
    /// Its address in the file's own numbering.
    pub address: u64,
    /// Its size; zero if the file does not say.
    pub size: u64,
    /// Whether it is code.
    pub is_code: bool,
    /// Whether it is code that chooses, once, which function the name stands for.
    pub is_chooser: bool,
    /// Whether other modules can mean it by its name.
    pub is_global: bool,
    /// Whether it is among the names that the dynamic linker looks up.
    pub is_exported: bool,
}

/// Everything known from one object file (and its separate debug file, if there is one).
///
/// Addresses are those of the file; the process adds a bias.
pub struct DebugInfo {
    this: Weak<DebugInfo>,
    symbols: Vec<Symbol>,
    by_name: HashMap<String, Vec<usize>>,
    /// The file's own debug sections, until they are looked at.
    own: RefCell<Option<Sections>>,
    /// Its file.
    path: Option<PathBuf>,
    /// Whether parts of the debug information may be in other files.
    may_be_split: bool,
    /// Where its functions are kept between runs, if it is large.
    kept: Option<PathBuf>,
    /// Where a separate debug file is; read when it is needed.
    separate: Option<PathBuf>,
    dwarf: OnceCell<DwarfPart>,
    frames: frames::FrameTable,
    lowest: u64,
    position_independent: bool,
    /// Space below the thread pointer that thread-local variables of the program take.
    thread_local_size: Option<u64>,
    /// Whether it is a program and no library. Libraries that can be executed have names.
    is_program: bool,
    /// Whether it is a program without a dynamic linker.
    is_linked_statically: bool,
    functions: OnceCell<functions::Index>,
    globals: OnceCell<Vec<Variable>>,
    globals_by_name: OnceCell<HashMap<String, Vec<usize>>>,
    lines: OnceCell<lines::Index>,
    types: RefCell<HashMap<(usize, usize), Rc<Type>>>,
    named_types: OnceCell<HashMap<String, (usize, usize)>>,
    locations: OnceCell<Option<addr2line::Context<Reader>>>,
}

type Sections = HashMap<gimli::SectionId, Reader>;

/// The source-level information.
struct DwarfPart {
    sections: Sections,
    dwarf: gimli::Dwarf<Reader>,
    units: Vec<gimli::Unit<Reader>>,
    /// Where each unit starts in `.debug_info`; the largest number for those of other files.
    unit_starts: Vec<usize>,
    /// For units that are in files of their own: what those files hold.
    split: Vec<Option<Rc<gimli::Dwarf<Reader>>>>,
    /// Files of units that are not there.
    lost: Vec<String>,
}

impl DwarfPart {
    /// `path`: the program's or library's own file; others are looked for beside it.
    fn new(sections: Sections, path: Option<&Path>) -> DwarfPart {
        let empty = || EndianRcSlice::new(Rc::from(&[][..]), LittleEndian);
        let load = |id: gimli::SectionId| {
            Ok::<_, std::convert::Infallible>(sections.get(&id).cloned().unwrap_or_else(empty))
        };
        let dwarf = match gimli::Dwarf::load(load) {
            Ok(dwarf) => dwarf,
            Err(never) => match never {},
        };
        let mut units = Vec::new();
        let mut unit_starts = Vec::new();
        let mut headers = dwarf.units();
        // A damaged unit hides those after it, not those before.
        while let Ok(Some(header)) = headers.next() {
            let start = header.debug_info_offset().map_or(0, |o| o.0);
            if let Ok(unit) = dwarf.unit(header) {
                units.push(unit);
                unit_starts.push(start);
            }
        }
        let split = vec![None; units.len()];
        let mut part = DwarfPart { sections, dwarf, units, unit_starts, split, lost: Vec::new() };
        part.read_split(path);
        part
    }
}

impl std::fmt::Debug for DebugInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebugInfo")
            .field("symbols", &self.symbols.len())
            .field("units", &self.dwarf.get().map(|d| d.units.len()))
            .finish_non_exhaustive()
    }
}

impl DebugInfo {
    /// Reads an object file and, if it has none itself, its separate debug information.
    pub fn open(path: &Path) -> Result<Rc<DebugInfo>> {
        let bytes = std::fs::read(path).map_err(|e| {
            Error::with_source(ErrorKind::DebugInfo, format!("cannot read {}", path.display()), e)
        })?;
        Self::build(&bytes, Some(path), separate_file(path, &bytes))
    }

    /// Reads an object file from memory.
    pub fn parse(bytes: &[u8]) -> Result<Rc<DebugInfo>> {
        Self::build(bytes, None, None)
    }

    fn build(
        bytes: &[u8],
        path: Option<&Path>,
        separate: Option<PathBuf>,
    ) -> Result<Rc<DebugInfo>> {
        let file = parse_elf(bytes)?;
        let mut symbols = Vec::new();
        let tables = [(file.symbols(), false), (file.dynamic_symbols(), true)];
        for (s, is_exported) in tables.into_iter().flat_map(|(t, e)| t.map(move |s| (s, e))) {
            let is_code = s.kind() == SymbolKind::Text;
            if s.is_undefined() || !(is_code || s.kind() == SymbolKind::Data) {
                continue;
            }
            if let Ok(name) = s.name()
                && !name.is_empty()
            {
                // A version suffix belongs to the linker, not to the name.
                let name = name.split('@').next().unwrap_or(name).to_string();
                let is_chooser = matches!(s.flags(),
                    object::SymbolFlags::Elf { st_info, .. }
                        if st_info.st_type() == object::elf::STT_GNU_IFUNC);
                let (address, size, is_global) = (s.address(), s.size(), s.is_global());
                symbols.push(Symbol {
                    name,
                    address,
                    size,
                    is_code,
                    is_chooser,
                    is_global,
                    is_exported,
                });
            }
        }
        symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        symbols.dedup_by(|again, first| {
            let is_same = again.address == first.address && again.name == first.name;
            if is_same {
                first.is_global |= again.is_global;
                first.is_exported |= again.is_exported;
            }
            is_same
        });
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, s) in symbols.iter().enumerate() {
            by_name.entry(s.name.clone()).or_default().push(i);
        }
        let own = debug_sections(&file)?;
        let size = |id: gimli::SectionId| own.get(&id).map_or(0, gimli::Reader::len);
        let is_large = size(gimli::SectionId::DebugInfo) > cache::WORTHWHILE;
        let may_be_split = size(gimli::SectionId::DebugAddr) > 0;
        let build_id = file.build_id().ok().flatten().filter(|_| is_large && !may_be_split);
        let kept = build_id.and_then(|id| cache::place(id, bytes.len() as u64));
        let frames = frames::FrameTable::load(&file)?;
        let lowest = file.segments().map(|s| s.address()).min().unwrap_or(0) & !0xfff;
        let position_independent = file.kind() == object::ObjectKind::Dynamic;
        let thread_local_size = (file.entry() != 0).then(|| thread_local_size(bytes)).flatten();
        Ok(Rc::new_cyclic(|this| DebugInfo {
            this: this.clone(),
            symbols,
            by_name,
            own: RefCell::new(Some(own)),
            path: path.map(Path::to_owned),
            kept: kept.filter(|_| separate.is_none()),
            may_be_split,
            separate,
            dwarf: OnceCell::new(),
            frames,
            lowest,
            position_independent,
            thread_local_size,
            is_program: file.entry() != 0 && !has_library_name(bytes),
            is_linked_statically: file.entry() != 0 && !has_interpreter(bytes),
            functions: OnceCell::new(),
            globals: OnceCell::new(),
            globals_by_name: OnceCell::new(),
            lines: OnceCell::new(),
            types: RefCell::new(HashMap::new()),
            named_types: OnceCell::new(),
            locations: OnceCell::new(),
        }))
    }

    /// Whether there is any source-level debug information.
    pub fn has_debug_info(&self) -> bool {
        !self.units().is_empty()
    }

    /// Whether the source-level information is in a file of its own and that of a library. Such
    /// files are large, and read only where nothing else will do. That of the program itself is
    /// read as if it were in the program.
    pub fn is_separate(&self) -> bool {
        self.separate.is_some() && !self.is_program
    }

    fn part(&self) -> &DwarfPart {
        self.dwarf.get_or_init(|| {
            let mut sections = self.own.borrow_mut().take().unwrap_or_default();
            // A separate file that cannot be read is as good as none.
            if let Some(path) = &self.separate
                && let Ok(bytes) = std::fs::read(path)
                && let Ok(file) = parse_elf(&bytes)
                && let Ok(found) = debug_sections(&file)
            {
                sections = found;
            }
            DwarfPart::new(sections, self.path.as_deref())
        })
    }

    fn units(&self) -> &[gimli::Unit<Reader>] {
        &self.part().units
    }

    fn dwarf(&self) -> &gimli::Dwarf<Reader> {
        &self.part().dwarf
    }

    /// What a unit's attributes refer to.
    fn dwarf_of(&self, unit: usize) -> &gimli::Dwarf<Reader> {
        let part = self.part();
        part.split[unit].as_deref().unwrap_or(&part.dwarf)
    }

    /// The bias of this file when its first byte is mapped at `start`.
    pub fn bias(&self, start: u64) -> u64 {
        if self.position_independent { start.wrapping_sub(self.lowest) } else { 0 }
    }

    /// Whether it is a program without a dynamic linker.
    pub(crate) fn is_linked_statically(&self) -> bool {
        self.is_linked_statically
    }

    /// Files that parts of the debug information are in (`-gsplit-dwarf`) and that are not there.
    pub(crate) fn lost_files(&self) -> &[String] {
        // Large files are not read for it in vain.
        if self.is_separate() || !self.may_be_split { &[] } else { &self.part().lost }
    }

    /// The symbols, by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The symbols of this name.
    pub fn symbols_named(&self, name: &str) -> impl Iterator<Item = &Symbol> {
        self.by_name.get(name).into_iter().flatten().map(|i| &self.symbols[*i])
    }

    /// Whether looking for the name here can succeed. The debug files of system libraries are
    /// large; they are only read for names that the library's own symbols vouch for.
    pub(crate) fn may_define(&self, name: &str) -> bool {
        !self.is_separate() || self.by_name.contains_key(name) || self.is_in_linkage_names(name)
    }

    /// Whether a name of the source may stand for a symbol that the compiler has mangled.
    fn is_in_linkage_names(&self, name: &str) -> bool {
        self.symbols.iter().any(|s| is_called(&s.name, name))
    }

    /// Whether the code at an address only chooses which function a name stands for.
    pub(crate) fn is_chooser(&self, address: u64) -> bool {
        self.symbols_at(address).any(|s| s.is_chooser)
    }

    /// All symbols that stand for exactly this address.
    pub(crate) fn symbols_at(&self, address: u64) -> impl Iterator<Item = &Symbol> {
        let start = self.symbols.partition_point(|s| s.address < address);
        self.symbols[start..].iter().take_while(move |s| s.address == address)
    }

    /// The code symbol that covers the address.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        let end = self.symbols.partition_point(|s| s.address <= address);
        self.symbols[..end]
            .iter()
            .rev()
            .take(64)
            .find(|s| s.is_code && (address < s.address.saturating_add(s.size) || s.size == 0))
    }

    /// The symbol of data that covers the address.
    pub(crate) fn data_symbol_at(&self, address: u64) -> Option<&Symbol> {
        /// Symbols that begin before it and may cover it.
        const NEAR: usize = 64;
        let end = self.symbols.partition_point(|s| s.address <= address);
        let covers = |s: &&Symbol| !s.is_code && address < s.address.saturating_add(s.size);
        self.symbols[..end].iter().rev().take(NEAR).find(covers)
    }

    fn unit_of(&self, offset: usize) -> Option<(usize, gimli::UnitOffset<usize>)> {
        let part = self.part();
        let index = part.unit_starts.partition_point(|s| *s <= offset).checked_sub(1)?;
        let at = gimli::UnitOffset(offset - part.unit_starts[index]);
        at.is_in_bounds(&part.units[index].header).then_some((index, at))
    }

    /// Follows a reference attribute to the unit and entry it names.
    fn reference(
        &self,
        unit: usize,
        value: gimli::AttributeValue<Reader>,
    ) -> Option<(usize, gimli::UnitOffset<usize>)> {
        match value {
            gimli::AttributeValue::UnitRef(offset) => Some((unit, offset)),
            gimli::AttributeValue::DebugInfoRef(offset) => match &self.part().split[unit] {
                Some(_) => self.split_unit_of(unit, offset.0),
                None => self.unit_of(offset.0),
            },
            gimli::AttributeValue::DebugTypesRef(signature) => {
                self.units().iter().enumerate().find_map(|(i, u)| match u.header.type_() {
                    gimli::UnitType::Type { type_signature, type_offset }
                    | gimli::UnitType::SplitType { type_signature, type_offset }
                        if type_signature == signature =>
                    {
                        Some((i, type_offset))
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }

    fn string(&self, unit: usize, value: Option<gimli::AttributeValue<Reader>>) -> Option<String> {
        let text = self.dwarf_of(unit).attr_string(&self.units()[unit], value?).ok()?;
        let bytes = gimli::Reader::to_slice(&text).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn parse_elf(bytes: &[u8]) -> Result<object::File<'_>> {
    let file = object::File::parse(bytes)?;
    if file.format() != object::BinaryFormat::Elf
        || file.architecture() != object::Architecture::X86_64
        || !file.is_little_endian()
    {
        return Err(Error::new(ErrorKind::DebugInfo, "not an x86-64 ELF file"));
    }
    Ok(file)
}

fn debug_sections(file: &object::File<'_>) -> Result<Sections> {
    let mut sections = HashMap::new();
    gimli::Dwarf::<Reader>::load(|id| {
        let data = section(file, id.name())?;
        sections.insert(id, data.clone());
        Ok::<_, Error>(data)
    })?;
    Ok(sections)
}

/// The contents of a section, unpacked; empty if absent.
fn section(file: &object::File<'_>, name: &str) -> Result<Reader> {
    let empty = || EndianRcSlice::new(Rc::from(&[][..]), LittleEndian);
    let Some(section) = file.section_by_name(name) else { return Ok(empty()) };
    let packed = section.compressed_data()?;
    let limit = SECTION_LIMIT.min((packed.data.len() as u64 + 1).saturating_mul(PACKING_LIMIT));
    if packed.uncompressed_size > limit {
        return Err(Error::new(
            ErrorKind::DebugInfo,
            format!("section {name} claims to unpack to {} bytes", packed.uncompressed_size),
        ));
    }
    let data = section.uncompressed_data()?;
    Ok(EndianRcSlice::new(Rc::from(&*data), LittleEndian))
}

/// The size of the program's thread-local segment, rounded as the C library places it.
fn thread_local_size(bytes: &[u8]) -> Option<u64> {
    use object::read::elf::ProgramHeader;
    let endian = object::LittleEndian;
    let segment = segment(bytes, object::elf::PT_TLS)?;
    let align = segment.p_align(endian).max(1);
    Some(segment.p_memsz(endian).checked_add(align - 1)? / align * align)
}

/// Whether the file names a dynamic linker.
fn has_interpreter(bytes: &[u8]) -> bool {
    segment(bytes, object::elf::PT_INTERP).is_some()
}

/// Whether the file has a name for programs that are linked to it.
fn has_library_name(bytes: &[u8]) -> bool {
    use object::read::elf::{Dyn, ProgramHeader};
    let endian = object::LittleEndian;
    let dynamic = segment(bytes, object::elf::PT_DYNAMIC);
    let entries = dynamic.and_then(|s| s.dynamic(endian, bytes).ok().flatten());
    entries.is_some_and(|all| all.iter().any(|e| e.tag(endian) == object::elf::DT_SONAME))
}

/// The first program header of a kind.
fn segment(
    bytes: &[u8],
    kind: object::elf::ProgramType,
) -> Option<&object::elf::ProgramHeader64<object::LittleEndian>> {
    use object::read::elf::{FileHeader, ProgramHeader};
    let header = object::elf::FileHeader64::<object::LittleEndian>::parse(bytes).ok()?;
    let endian = object::LittleEndian;
    header.program_headers(endian, bytes).ok()?.iter().find(|p| p.p_type(endian) == kind)
}

/// Where distributions keep the debug information of a stripped file.
fn separate_file(path: &Path, bytes: &[u8]) -> Option<PathBuf> {
    let file = parse_elf(bytes).ok()?;
    if file.section_by_name(".debug_info").is_some() {
        return None;
    }
    if let Ok(Some(id)) = file.build_id()
        && let [first, rest @ ..] = id
    {
        let rest: String = rest.iter().map(|b| format!("{b:02x}")).collect();
        let p = PathBuf::from(format!("/usr/lib/debug/.build-id/{first:02x}/{rest}.debug"));
        if p.exists() {
            return Some(p);
        }
    }
    let (name, checksum) = file.gnu_debuglink().ok()??;
    let name = Path::new(std::str::from_utf8(name).ok()?).file_name()?;
    let dir = path.parent()?;
    let beneath = Path::new("/usr/lib/debug").join(dir.strip_prefix("/").unwrap_or(dir));
    [dir.to_owned(), dir.join(".debug"), beneath]
        .into_iter()
        .map(|d| d.join(name))
        .find(|p| p != path && std::fs::read(p).is_ok_and(|debug| checksum_of(&debug) == checksum))
}

/// The checksum by which a debug link knows its file: CRC-32.
fn checksum_of(bytes: &[u8]) -> u32 {
    let mut table = [0u32; 256];
    for (i, entry) in table.iter_mut().enumerate() {
        *entry =
            (0..8).fold(i as u32, |c, _| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 });
    }
    let step = |c: u32, b: &u8| table[usize::from(c as u8 ^ b)] ^ (c >> 8);
    !bytes.iter().fold(!0, step)
}
