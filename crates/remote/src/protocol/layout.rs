//! The registers of x86-64 as debuggers number them, and the description that tells them so.

use std::fmt::Write;

/// A register of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: usize,
    /// Its type in the description.
    ty: &'static str,
    /// The feature it belongs to, without the common beginning of the names.
    feature: &'static str,
}

/// All registers a machine has, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Layout {
    registers: Vec<Register>,
}

/// The frame pointer, the stack pointer and the program counter: told with every stop.
pub const USUAL: [usize; 3] = [6, 7, 16];

impl Layout {
    /// The layout of a machine with or without AVX and AVX-512.
    pub fn new(has_avx: bool, has_avx512: bool) -> Layout {
        let mut layout = Layout { registers: Vec::new() };
        for name in ["rax", "rbx", "rcx", "rdx", "rsi", "rdi"] {
            layout.add("core", name, 8, "int64");
        }
        layout.add("core", "rbp", 8, "data_ptr");
        layout.add("core", "rsp", 8, "data_ptr");
        layout.add_numbered("core", ("r", 8..16, ""), 8, "int64");
        layout.add("core", "rip", 8, "code_ptr");
        layout.add("core", "eflags", 4, "i386_eflags");
        for name in ["cs", "ss", "ds", "es", "fs", "gs"] {
            layout.add("core", name, 4, "int32");
        }
        layout.add_numbered("core", ("st", 0..8, ""), 10, "i387_ext");
        for name in ["fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"] {
            layout.add("core", name, 4, "int");
        }
        layout.add_numbered("sse", ("xmm", 0..16, ""), 16, "vec128");
        layout.add("sse", "mxcsr", 4, "i386_mxcsr");
        layout.add("linux", "orig_rax", 8, "int");
        layout.add("segments", "fs_base", 8, "int");
        layout.add("segments", "gs_base", 8, "int");
        if has_avx {
            layout.add_numbered("avx", ("ymm", 0..16, "h"), 16, "uint128");
        }
        if has_avx && has_avx512 {
            layout.add_numbered("avx512", ("xmm", 16..32, ""), 16, "vec128");
            layout.add_numbered("avx512", ("ymm", 16..32, "h"), 16, "uint128");
            layout.add_numbered("avx512", ("k", 0..8, ""), 8, "uint64");
            layout.add_numbered("avx512", ("zmm", 0..32, "h"), 32, "v2ui128");
        }
        layout
    }

    fn add(&mut self, feature: &'static str, name: &str, size: usize, ty: &'static str) {
        self.registers.push(Register { name: name.to_string(), size, ty, feature });
    }

    fn add_numbered(
        &mut self,
        feature: &'static str,
        (before, numbers, after): (&str, std::ops::Range<u32>, &str),
        size: usize,
        ty: &'static str,
    ) {
        for number in numbers {
            self.add(feature, &format!("{before}{number}{after}"), size, ty);
        }
    }

    /// The registers, in the order of their numbers.
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// The description debuggers ask for.
    pub fn description(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n\
             <target version=\"1.0\">\n<architecture>i386:x86-64</architecture>\n\
             <osabi>GNU/Linux</osabi>\n",
        );
        let mut feature = "";
        for (number, register) in self.registers.iter().enumerate() {
            if register.feature != feature {
                if !feature.is_empty() {
                    out.push_str("</feature>\n");
                }
                feature = register.feature;
                let _ = writeln!(out, "<feature name=\"org.gnu.gdb.i386.{feature}\">");
                out.extend(types(feature));
            }
            let bits = register.size * 8;
            let _ = writeln!(
                out,
                "<reg name=\"{}\" bitsize=\"{bits}\" type=\"{}\" regnum=\"{number}\"/>",
                register.name, register.ty
            );
        }
        out.push_str("</feature>\n</target>\n");
        out
    }
}

const VECTORS: &str = r#"<vector id="v4f" type="ieee_single" count="4"/>
<vector id="v2d" type="ieee_double" count="2"/>
<vector id="v16i8" type="int8" count="16"/>
<vector id="v8i16" type="int16" count="8"/>
<vector id="v4i32" type="int32" count="4"/>
<vector id="v2i64" type="int64" count="2"/>
<union id="vec128">
<field name="v4_float" type="v4f"/>
<field name="v2_double" type="v2d"/>
<field name="v16_int8" type="v16i8"/>
<field name="v8_int16" type="v8i16"/>
<field name="v4_int32" type="v4i32"/>
<field name="v2_int64" type="v2i64"/>
<field name="uint128" type="uint128"/>
</union>
"#;

const EFLAGS: &str = r#"<flags id="i386_eflags" size="4">
<field name="CF" start="0" end="0"/>
<field name="" start="1" end="1"/>
<field name="PF" start="2" end="2"/>
<field name="AF" start="4" end="4"/>
<field name="ZF" start="6" end="6"/>
<field name="SF" start="7" end="7"/>
<field name="TF" start="8" end="8"/>
<field name="IF" start="9" end="9"/>
<field name="DF" start="10" end="10"/>
<field name="OF" start="11" end="11"/>
<field name="NT" start="14" end="14"/>
<field name="RF" start="16" end="16"/>
<field name="VM" start="17" end="17"/>
<field name="AC" start="18" end="18"/>
<field name="VIF" start="19" end="19"/>
<field name="VIP" start="20" end="20"/>
<field name="ID" start="21" end="21"/>
</flags>
"#;

const MXCSR: &str = r#"<flags id="i386_mxcsr" size="4">
<field name="IE" start="0" end="0"/>
<field name="DE" start="1" end="1"/>
<field name="ZE" start="2" end="2"/>
<field name="OE" start="3" end="3"/>
<field name="UE" start="4" end="4"/>
<field name="PE" start="5" end="5"/>
<field name="DAZ" start="6" end="6"/>
<field name="IM" start="7" end="7"/>
<field name="DM" start="8" end="8"/>
<field name="ZM" start="9" end="9"/>
<field name="OM" start="10" end="10"/>
<field name="UM" start="11" end="11"/>
<field name="PM" start="12" end="12"/>
<field name="FZ" start="15" end="15"/>
</flags>
"#;

/// The types of a feature's registers.
fn types(feature: &str) -> Vec<&'static str> {
    match feature {
        "core" => vec![EFLAGS],
        "sse" => vec![VECTORS, MXCSR],
        "avx512" => {
            vec![VECTORS, "<vector id=\"v2ui128\" type=\"uint128\" count=\"2\"/>\n"]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debuggers_know_registers_by_these_numbers() {
        let layout = Layout::new(true, true);
        let at = |n: usize| layout.registers()[n].name.as_str();
        assert_eq!(USUAL.map(at), ["rbp", "rsp", "rip"]);
        assert_eq!((at(24), at(40), at(56), at(57)), ("st0", "xmm0", "mxcsr", "orig_rax"));
        let sizes: usize = layout.registers().iter().take(40).map(|r| r.size).sum();
        assert_eq!(sizes, 17 * 8 + 7 * 4 + 8 * 10 + 8 * 4);
        let xml = layout.description();
        assert_eq!(xml.matches("<feature ").count(), xml.matches("</feature>").count());
        assert_eq!(xml.matches("<reg ").count(), layout.registers().len());
    }
}
