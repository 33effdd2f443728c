//! Source lines and addresses.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{DebugInfo, Instance};

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One level of inlining at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedFrame {
    /// The function whose code this is.
    pub function: Option<String>,
    /// The place in it.
    pub line: Option<SourceLine>,
}

/// The code around an address that belongs to its source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The line.
    pub line: u32,
    /// Tells files apart.
    pub file: u32,
    /// Whether a statement begins at the start.
    pub is_statement: bool,
}

pub(super) struct Index {
    /// Rows by address.
    rows: BTreeMap<u64, Row>,
    /// File → line → addresses of statements.
    files: HashMap<String, BTreeMap<u32, Vec<u64>>>,
    /// File → its number.
    numbers: HashMap<String, u32>,
}

#[derive(Clone, Copy)]
struct Row {
    file: u32,
    line: u32,
    is_statement: bool,
    prologue_end: bool,
    end: bool,
}

impl DebugInfo {
    fn line_index(&self) -> &Index {
        self.lines.get_or_init(|| {
            let mut index =
                Index { rows: BTreeMap::new(), files: HashMap::new(), numbers: HashMap::new() };
            for unit in self.units() {
                // A damaged line table costs its own unit only.
                let _ = self.add_lines(unit, &mut index);
            }
            for lines in index.files.values_mut() {
                for addresses in lines.values_mut() {
                    addresses.sort_unstable();
                    addresses.dedup();
                }
            }
            index
        })
    }

    fn add_lines(&self, unit: &gimli::Unit<super::Reader>, index: &mut Index) -> crate::Result<()> {
        const ROW_LIMIT: usize = 50_000_000;
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let mut names: HashMap<u64, (String, u32)> = HashMap::new();
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            if index.rows.len() > ROW_LIMIT {
                break;
            }
            let address = row.address();
            if address == 0 {
                continue;
            }
            if row.end_sequence() {
                index.rows.entry(address).or_insert(Row {
                    file: 0,
                    line: 0,
                    is_statement: false,
                    prologue_end: false,
                    end: true,
                });
                continue;
            }
            let Some(line) = row.line().map(|l| l.get() as u32) else { continue };
            let (name, file) = names.entry(row.file_index()).or_insert_with(|| {
                let file = row.file(header).and_then(|f| self.file_name(unit, header, f));
                let name = file.unwrap_or_default();
                let next = index.numbers.len() as u32 + 1;
                let number = *index.numbers.entry(name.clone()).or_insert(next);
                (name, number)
            });
            let entry = Row {
                file: *file,
                line,
                is_statement: row.is_stmt(),
                prologue_end: row.prologue_end(),
                end: false,
            };
            match index.rows.get_mut(&address) {
                // Several rows at one address: the last one counts, flags add up.
                Some(old) => {
                    let prologue_end = old.prologue_end || entry.prologue_end;
                    let is_statement = old.is_statement || entry.is_statement;
                    *old = Row { prologue_end, is_statement, ..entry };
                }
                None => {
                    index.rows.insert(address, entry);
                }
            }
            if row.is_stmt() {
                if !index.files.contains_key(name.as_str()) {
                    index.files.insert(name.clone(), BTreeMap::new());
                }
                if let Some(lines) = index.files.get_mut(name.as_str()) {
                    lines.entry(line).or_default().push(address);
                }
            }
        }
        Ok(())
    }

    fn file_name(
        &self,
        unit: &gimli::Unit<super::Reader>,
        header: &gimli::LineProgramHeader<super::Reader>,
        file: &gimli::FileEntry<super::Reader>,
    ) -> Option<String> {
        let text = |v| {
            let s = self.dwarf().attr_string(unit, v).ok()?;
            let bytes = gimli::Reader::to_slice(&s).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let name = text(file.path_name())?;
        if Path::new(&name).is_absolute() {
            return Some(name);
        }
        match file.directory(header).and_then(text) {
            Some(dir) if !dir.is_empty() => {
                Some(Path::new(&dir).join(name).to_string_lossy().into_owned())
            }
            _ => Some(name),
        }
    }

    /// The addresses where code of a line begins, one per function body (or inlined copy of it).
    /// If the line has no code, the next one that has. The file may be a suffix of the path.
    pub fn addresses_of_line(&self, file: &str, line: u32) -> Vec<(u64, SourceLine)> {
        let index = self.line_index();
        let mut best: Vec<(u64, SourceLine)> = Vec::new();
        let matching: Vec<(&String, &BTreeMap<u32, Vec<u64>>)> =
            index.files.iter().filter(|(f, _)| Path::new(f).ends_with(file)).collect();
        let Some(actual) = matching
            .iter()
            .filter_map(|(_, lines)| lines.range(line..).next().map(|(l, _)| *l))
            .min()
        else {
            return best;
        };
        for (name, lines) in matching {
            let Some(addresses) = lines.get(&actual) else { continue };
            for &address in addresses {
                // Only where the line is entered, not where it is continued.
                let continued = index
                    .rows
                    .range(..address)
                    .next_back()
                    .is_some_and(|(_, r)| !r.end && r.line == actual);
                let entry = self.function_at(address).map(|(_, i)| i.entry);
                let again = best.iter().any(|(a, _)| {
                    entry.is_some() && self.function_at(*a).map(|(_, i)| i.entry) == entry
                });
                if !continued && !again {
                    let place = SourceLine { file: name.clone(), line: actual };
                    best.push((address, place));
                }
            }
        }
        best.sort_by_key(|b| b.0);
        best
    }

    /// The source files that contributed code.
    pub fn source_files(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.line_index().files.keys().map(|f| f.as_str()).collect();
        all.sort_unstable();
        all
    }

    /// The code that belongs to the source line of an address, without interruption. It begins
    /// with the row of the address itself.
    pub fn line_range(&self, address: u64) -> Option<LineRange> {
        let rows = &self.line_index().rows;
        let (start, row) = rows.range(..=address).next_back()?;
        if row.end || row.line == 0 {
            return None;
        }
        let is_same = |r: &Row| !r.end && (r.file, r.line) == (row.file, row.line);
        let end = rows.range(address + 1..).find(|(_, r)| !is_same(r)).map(|(a, _)| *a)?;
        Some(LineRange {
            start: *start,
            end,
            line: row.line,
            file: row.file,
            is_statement: row.is_statement,
        })
    }

    /// The address after a function's prologue, where its frame is set up.
    pub fn after_prologue(&self, instance: &Instance) -> u64 {
        let index = self.line_index();
        let Some((_, high)) =
            instance.ranges.iter().find(|(l, h)| (*l..*h).contains(&instance.entry))
        else {
            return instance.entry;
        };
        let rows: Vec<(u64, Row)> =
            index.rows.range(instance.entry..*high).take(64).map(|(a, r)| (*a, *r)).collect();
        if let Some((address, _)) = rows.iter().find(|(_, r)| r.prologue_end) {
            return *address;
        }
        // Compilers that do not mark it begin the second row there.
        rows.iter().find(|(a, r)| *a > instance.entry && !r.end).map_or(instance.entry, |(a, _)| *a)
    }

    fn context(&self) -> Option<&addr2line::Context<super::Reader>> {
        self.locations
            .get_or_init(|| {
                let copy = gimli::Dwarf::load(|id| {
                    Ok::<_, gimli::Error>(self.part().sections[&id].clone())
                });
                addr2line::Context::from_dwarf(copy.ok()?).ok()
            })
            .as_ref()
    }

    /// The source line of an address.
    pub fn line_at(&self, address: u64) -> Option<SourceLine> {
        let location = self.context()?.find_location(address).ok()??;
        Some(SourceLine { file: location.file?.to_string(), line: location.line? })
    }

    /// The functions whose code an address is, innermost first: inlined ones, then the body.
    pub fn inlined_at(&self, address: u64) -> Vec<InlinedFrame> {
        let Some(context) = self.context() else { return Vec::new() };
        let mut all = Vec::new();
        if let Ok(mut frames) = context.find_frames(address).skip_all_loads() {
            while let Ok(Some(frame)) = frames.next() {
                let function =
                    frame.function.and_then(|f| f.demangle().ok().map(|n| n.into_owned()));
                let line = frame
                    .location
                    .and_then(|l| Some(SourceLine { file: l.file?.to_string(), line: l.line? }));
                all.push(InlinedFrame { function, line });
                if all.len() > 64 {
                    break;
                }
            }
        }
        all
    }
}
