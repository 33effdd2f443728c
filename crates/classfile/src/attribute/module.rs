//! The `Module` attribute.

use super::table::{Index, Requires, Row, Table, write_table};
use crate::bytes::{Cursor, put_count, put_u2};
use crate::error::Result;

/// A package a module exports or opens, and to whom.
#[derive(Clone, Debug)]
pub struct Exports<'a> {
    /// `Package` index.
    pub package: u16,
    /// Flags.
    pub flags: u16,
    /// `Module` indices; empty means everyone.
    pub to: Table<'a, Index>,
}

/// A service a module provides.
#[derive(Clone, Debug)]
pub struct Provides<'a> {
    /// `Class` index of the service.
    pub service: u16,
    /// `Class` indices of the implementations.
    pub with: Table<'a, Index>,
}

/// A module declaration.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    /// `Module` index.
    pub name: u16,
    /// Flags.
    pub flags: u16,
    /// `Utf8` index of the version, or 0.
    pub version: u16,
    /// Modules needed.
    pub requires: Table<'a, Requires>,
    /// Packages exported.
    pub exports: Vec<Exports<'a>>,
    /// Packages opened for reflection.
    pub opens: Vec<Exports<'a>>,
    /// `Class` indices of services used.
    pub uses: Table<'a, Index>,
    /// Services provided.
    pub provides: Vec<Provides<'a>>,
}

impl<'a> Module<'a> {
    pub(crate) fn parse(c: &mut Cursor<'a>) -> Result<Module<'a>> {
        const WHAT: &str = "a module declaration";
        Ok(Module {
            name: c.u2(WHAT)?,
            flags: c.u2(WHAT)?,
            version: c.u2(WHAT)?,
            requires: Table::parse(c)?,
            exports: parse_exports(c)?,
            opens: parse_exports(c)?,
            uses: Table::parse(c)?,
            provides: {
                let count = c.u2(WHAT)?;
                let mut list = Vec::new();
                for _ in 0..count {
                    list.push(Provides { service: c.u2(WHAT)?, with: Table::parse(c)? });
                }
                list
            },
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u2(out, self.name);
        put_u2(out, self.flags);
        put_u2(out, self.version);
        write_table(self.requires.iter(), out)?;
        for exports in [&self.exports, &self.opens] {
            put_count(out, exports.len(), "packages")?;
            for export in exports {
                put_u2(out, export.package);
                put_u2(out, export.flags);
                write_table(export.to.iter(), out)?;
            }
        }
        write_table(self.uses.iter(), out)?;
        put_count(out, self.provides.len(), "services")?;
        for provides in &self.provides {
            put_u2(out, provides.service);
            write_table(provides.with.iter(), out)?;
        }
        Ok(())
    }
}

fn parse_exports<'a>(c: &mut Cursor<'a>) -> Result<Vec<Exports<'a>>> {
    const WHAT: &str = "an exported package";
    let count = c.u2(WHAT)?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(Exports { package: c.u2(WHAT)?, flags: c.u2(WHAT)?, to: Table::parse(c)? });
    }
    Ok(list)
}

/// The hash of one module, in `ModuleHashes`.
#[derive(Clone, Copy, Debug)]
pub struct ModuleHash<'a> {
    /// `Module` index.
    pub module: u16,
    /// Hash bytes.
    pub hash: &'a [u8],
}

/// Hashes of the modules that may be used with this one (a JDK attribute).
#[derive(Clone, Debug)]
pub struct ModuleHashes<'a> {
    /// `Utf8` index of the algorithm's name.
    pub algorithm: u16,
    /// One hash each.
    pub modules: Vec<ModuleHash<'a>>,
}

impl<'a> ModuleHashes<'a> {
    pub(crate) fn parse(c: &mut Cursor<'a>) -> Result<ModuleHashes<'a>> {
        const WHAT: &str = "module hashes";
        let algorithm = c.u2(WHAT)?;
        let count = c.u2(WHAT)?;
        let mut modules = Vec::new();
        for _ in 0..count {
            let module = c.u2(WHAT)?;
            let len = c.u2(WHAT)?;
            modules.push(ModuleHash { module, hash: c.take(len.into(), WHAT)? });
        }
        Ok(ModuleHashes { algorithm, modules })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u2(out, self.algorithm);
        put_count(out, self.modules.len(), "module hashes")?;
        for module in &self.modules {
            put_u2(out, module.module);
            put_count(out, module.hash.len(), "bytes in a hash")?;
            out.extend_from_slice(module.hash);
        }
        Ok(())
    }
}

/// A bootstrap method and its arguments.
#[derive(Clone, Debug)]
pub struct BootstrapMethod<'a> {
    /// `MethodHandle` index.
    pub method: u16,
    /// Constant indices of the static arguments.
    pub arguments: Table<'a, Index>,
}

pub(crate) fn parse_bootstrap_methods<'a>(c: &mut Cursor<'a>) -> Result<Vec<BootstrapMethod<'a>>> {
    const WHAT: &str = "a bootstrap method";
    let count = c.u2(WHAT)?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(BootstrapMethod { method: c.u2(WHAT)?, arguments: Table::parse(c)? });
    }
    Ok(list)
}

pub(crate) fn write_bootstrap_methods(
    list: &[BootstrapMethod<'_>],
    out: &mut Vec<u8>,
) -> Result<()> {
    put_count(out, list.len(), "bootstrap methods")?;
    for entry in list {
        put_u2(out, entry.method);
        write_table(entry.arguments.iter(), out)?;
    }
    Ok(())
}

/// Writes a table whose count takes one byte.
pub(crate) fn write_short_table<R: Row>(table: Table<'_, R>, out: &mut Vec<u8>) {
    out.push(table.len() as u8);
    table.iter().for_each(|row| row.write(out));
}
