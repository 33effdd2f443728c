//! The `Code` attribute.

use super::{
    Attribute, Decoded, ExceptionEntry, LineNumber, LocalVariable, StackMapTable, Table,
    write_attribute, write_table,
};
use crate::bytes::{Cursor, put_count, put_u2, put_u4};
use crate::error::{Error, Result};
use crate::insn::{Instruction, Instructions};
use crate::jstr::JStr;
use crate::pool::Constants;

/// Bytecode with its tables, undecoded.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Deepest operand stack, in slots.
    pub max_stack: u16,
    /// Local-variable slots.
    pub max_locals: u16,
    /// The instructions.
    pub bytecode: &'a [u8],
    /// Where the instructions start in the class file.
    pub bytecode_offset: u32,
    /// Protected ranges, in the order in which the JVM searches them.
    pub exception_table: Table<'a, ExceptionEntry>,
    /// Line numbers, stack maps and the like.
    pub attributes: Vec<Attribute<'a>>,
}

impl<'a> Code<'a> {
    pub(crate) fn parse(c: &mut Cursor<'a>) -> Result<Code<'a>> {
        let max_stack = c.u2("max_stack")?;
        let max_locals = c.u2("max_locals")?;
        let at = c.offset();
        let length = c.u4("a code length")?;
        if length == 0 || length > 0xffff {
            return Err(Error::malformed(
                at,
                format!("expected a code length from 1 to 65535, found {length}"),
            ));
        }
        let bytecode_offset = c.offset() as u32;
        let bytecode = c.take(length as usize, "bytecode")?;
        let exception_table = Table::parse(c)?;
        let mut attributes = Vec::new();
        Attribute::parse_list(c, &mut attributes)?;
        Ok(Code { max_stack, max_locals, bytecode, bytecode_offset, exception_table, attributes })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u2(out, self.max_stack);
        put_u2(out, self.max_locals);
        put_u4(out, self.bytecode.len() as u32);
        out.extend_from_slice(self.bytecode);
        write_table(self.exception_table.iter(), out)?;
        put_count(out, self.attributes.len(), "attributes")?;
        for attribute in &self.attributes {
            write_attribute(attribute.name_index, attribute.info, out)?;
        }
        Ok(())
    }

    /// The instructions in order.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.bytecode, self.bytecode_offset as usize)
    }

    /// All instructions, decoded.
    pub(crate) fn decode_all(&self) -> Result<Vec<Instruction<'a>>> {
        // Instructions average a little over two bytes.
        let mut list = Vec::with_capacity(self.bytecode.len() / 2 + 1);
        for instruction in self.instructions() {
            list.push(instruction?);
        }
        Ok(list)
    }

    fn find<'p>(&self, name: &str, pool: &impl Constants<'p>) -> Result<Option<Decoded<'a>>> {
        for attribute in &self.attributes {
            if attribute.name(pool)?.as_bytes() == name.as_bytes() {
                return attribute.decode(pool).map(Some);
            }
        }
        Ok(None)
    }

    /// The stack-map frames, if the method has any.
    pub fn stack_map<'p>(&self, pool: &impl Constants<'p>) -> Result<Option<StackMapTable<'a>>> {
        Ok(match self.find("StackMapTable", pool)? {
            Some(Decoded::StackMapTable(table)) => Some(table),
            _ => None,
        })
    }

    /// All line-number rows; a method may carry several tables.
    pub fn line_numbers<'p>(&self, pool: &impl Constants<'p>) -> Result<Vec<LineNumber>> {
        let mut rows = Vec::new();
        for attribute in &self.attributes {
            if let Decoded::LineNumberTable(table) = attribute.decode(pool)? {
                rows.extend(table.iter());
            }
        }
        Ok(rows)
    }

    /// The local variables that debug information names.
    pub fn local_variables<'p>(&self, pool: &impl Constants<'p>) -> Result<Vec<LocalVariable>> {
        let mut rows = Vec::new();
        for attribute in &self.attributes {
            if let Decoded::LocalVariableTable(table) = attribute.decode(pool)? {
                rows.extend(table.iter());
            }
        }
        Ok(rows)
    }

    /// The local variable in `slot` at bytecode `offset`, by debug information: name and
    /// descriptor.
    pub fn local_name<'p>(
        &self,
        slot: u16,
        offset: u32,
        pool: &impl Constants<'p>,
    ) -> Result<Option<(JStr<'p>, JStr<'p>)>> {
        for row in self.local_variables(pool)? {
            let start = u32::from(row.start);
            if row.slot == slot && (start..start + u32::from(row.length)).contains(&offset) {
                return Ok(Some((pool.utf8(row.name)?, pool.utf8(row.descriptor)?)));
            }
        }
        Ok(None)
    }
}
