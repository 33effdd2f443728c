//! Debug information that the compiler has put into files of its own (`-gsplit-dwarf`): one per
//! object file (`.dwo`), or all in a package beside the program (`.dwp`).

use std::path::{Path, PathBuf};
use std::rc::Rc;

use gimli::{DwarfPackage, EndianRcSlice, LittleEndian};

use super::{DebugInfo, DwarfPart, Reader, parse_elf, section};
use crate::error::{Error, Result};

type Dwarf = gimli::Dwarf<Reader>;
type Unit = gimli::Unit<Reader>;

impl DwarfPart {
    /// Puts units of other files in the place of those that only name them.
    pub(super) fn read_split(&mut self, path: Option<&Path>) {
        let is_skeleton = |unit: &Unit| unit.dwo_id.is_some();
        if !self.units.iter().any(is_skeleton) {
            return;
        }
        let package = path.and_then(|p| self.package(p));
        for at in 0..self.units.len() {
            let Some(id) = self.units[at].dwo_id else { continue };
            let (name, places) = self.places(at, path);
            let packed = package.as_ref().and_then(|p| p.find_cu(id, &self.dwarf).ok().flatten());
            let files = places.iter().filter_map(|p| self.read_file(p).ok());
            let found = packed.into_iter().chain(files).find_map(|dwarf| {
                let units = units_of(&dwarf);
                let main = units.iter().position(|u| u.dwo_id == Some(id))?;
                Some((Rc::new(dwarf), units, main))
            });
            match found {
                Some((dwarf, units, main)) => self.replace(at, dwarf, units, main),
                None => self.lost.push(name),
            }
        }
    }

    /// A unit is described by those of another file, one of which is its own. The others describe
    /// types.
    fn replace(&mut self, at: usize, dwarf: Rc<Dwarf>, units: Vec<Unit>, main: usize) {
        for (i, mut unit) in units.into_iter().enumerate() {
            if i == main {
                let skeleton = &self.units[at];
                unit.copy_relocated_attributes(skeleton);
                unit.line_program = skeleton.line_program.clone();
                unit.comp_dir = skeleton.comp_dir.clone();
                self.units[at] = unit;
                self.split[at] = Some(dwarf.clone());
            } else {
                self.units.push(unit);
                self.unit_starts.push(usize::MAX);
                self.split.push(Some(dwarf.clone()));
            }
        }
    }

    /// The name of the file a unit is in, and where it may be.
    fn places(&self, at: usize, path: Option<&Path>) -> (String, Vec<PathBuf>) {
        let unit = &self.units[at];
        let text = |v: Reader| {
            let bytes = gimli::Reader::to_slice(&v).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let name = unit.dwo_name().ok().flatten();
        let name = name.and_then(|v| self.dwarf.attr_string(unit, v).ok()).and_then(text);
        let name = name.unwrap_or_default();
        let built = unit.comp_dir.clone().and_then(text).map(PathBuf::from).unwrap_or_default();
        let mut places = vec![built.join(&name)];
        if let Some(beside) = path.and_then(Path::parent) {
            places.push(beside.join(&name));
            places.extend(Path::new(&name).file_name().map(|file| beside.join(file)));
        }
        (name, places)
    }

    fn read_file(&self, path: &Path) -> Result<Dwarf> {
        let bytes = read(path)?;
        let file = parse_elf(&bytes)?;
        let mut dwarf = Dwarf::load(|id| split_section(&file, id))?;
        dwarf.make_dwo(&self.dwarf);
        Ok(dwarf)
    }

    fn package(&self, program: &Path) -> Option<DwarfPackage<Reader>> {
        let mut path = program.as_os_str().to_owned();
        path.push(".dwp");
        let bytes = read(Path::new(&path)).ok()?;
        let file = parse_elf(&bytes).ok()?;
        DwarfPackage::load(|id| split_section(&file, id), nothing()).ok()
    }
}

impl DebugInfo {
    /// The unit at a place in the file that another unit is in.
    pub(super) fn split_unit_of(
        &self,
        unit: usize,
        offset: usize,
    ) -> Option<(usize, gimli::UnitOffset<usize>)> {
        let part = self.part();
        let own = part.split[unit].as_ref()?;
        (0..part.units.len()).find_map(|i| {
            let is_there = part.split[i].as_ref().is_some_and(|d| Rc::ptr_eq(d, own));
            let start = part.units[i].header.debug_info_offset().filter(|_| is_there)?.0;
            let at = gimli::UnitOffset(offset.checked_sub(start)?);
            at.is_in_bounds(&part.units[i].header).then_some((i, at))
        })
    }
}

/// The units of a file, those that describe types included.
fn units_of(dwarf: &Dwarf) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        units.extend(dwarf.unit(header));
    }
    let mut types = dwarf.type_units();
    while let Ok(Some(header)) = types.next() {
        units.extend(dwarf.unit(header));
    }
    units
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::system(format!("cannot read {}", path.display()), e))
}

fn nothing() -> Reader {
    EndianRcSlice::new(Rc::from(&[][..]), LittleEndian)
}

fn split_section(file: &object::File<'_>, id: gimli::SectionId) -> Result<Reader> {
    id.dwo_name().map_or_else(|| Ok(nothing()), |name| section(file, name))
}
