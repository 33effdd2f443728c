//! The instruction set in one table.
//!
//! A row gives the opcode, its mnemonic, how its operands are laid out, what it pops and pushes,
//! and flags. Pops and pushes are type letters, deepest first: `I` int (and smaller), `J` long,
//! `F` float, `D` double, `A` reference, `R` return address of `jsr`; `*` means that it depends on
//! the operand or on the values, see [`crate::simulate`].

use std::fmt;

/// How the operands of an instruction are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// No operands.
    None,
    /// A signed byte.
    Byte,
    /// A signed 16-bit number.
    Short,
    /// An 8-bit constant index (`ldc`).
    ConstantByte,
    /// A 16-bit constant index.
    Constant,
    /// A local-variable slot; 16 bits under `wide`.
    Local,
    /// A slot and a signed increment; 16 bits each under `wide`.
    Increment,
    /// A 16-bit branch offset.
    Branch,
    /// A 32-bit branch offset.
    WideBranch,
    /// Padding, default, low, high, offsets.
    TableSwitch,
    /// Padding, default, count, key-offset pairs.
    LookupSwitch,
    /// Constant index, slot count, zero.
    InvokeInterface,
    /// Constant index, two zeros.
    InvokeDynamic,
    /// An element-type code.
    NewArray,
    /// Constant index and dimensions.
    MultiArray,
    /// The `wide` prefix.
    Wide,
}

/// Properties of an opcode that analyses ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags(u16);

impl Flags {
    /// Nothing special.
    pub const NONE: Flags = Flags(0);
    /// Has a branch target operand.
    pub const BRANCH: Flags = Flags(1);
    /// Branches or falls through.
    pub const CONDITIONAL: Flags = Flags(1 << 1);
    /// `tableswitch` or `lookupswitch`.
    pub const SWITCH: Flags = Flags(1 << 2);
    /// `jsr`, `jsr_w` or `ret`.
    pub const SUBROUTINE: Flags = Flags(1 << 3);
    /// Leaves the method normally.
    pub const RETURN: Flags = Flags(1 << 4);
    /// Control never reaches the next instruction from here.
    pub const STOPS: Flags = Flags(1 << 5);
    /// May throw by itself (asynchronous exceptions aside). `ldc` throws only for some constants.
    pub const THROWS: Flags = Flags(1 << 6);
    /// Reads or writes a field.
    pub const FIELD: Flags = Flags(1 << 7);
    /// Calls a method.
    pub const INVOKE: Flags = Flags(1 << 8);
    /// Creates, reads, writes or measures an array.
    pub const ARRAY: Flags = Flags(1 << 9);
    /// Reads a local variable.
    pub const LOAD: Flags = Flags(1 << 10);
    /// Writes a local variable.
    pub const STORE: Flags = Flags(1 << 11);
    /// Creates an object.
    pub const ALLOCATES: Flags = Flags(1 << 12);
    /// `checkcast` or `instanceof`.
    pub const TYPE_TEST: Flags = Flags(1 << 13);
    /// Enters or leaves a monitor.
    pub const MONITOR: Flags = Flags(1 << 14);
    /// Only rearranges the stack (`dup`, `pop`, `swap` and kin).
    pub const SHUFFLE: Flags = Flags(1 << 15);

    /// Whether all of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    const fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Name as `javap` prints it; empty when the byte is not an opcode.
    pub mnemonic: &'static str,
    /// Operand layout.
    pub layout: Layout,
    /// Types popped, deepest first.
    pub pops: &'static str,
    /// Types pushed, deepest first.
    pub pushes: &'static str,
    /// Properties.
    pub flags: Flags,
}

/// An opcode byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opcode(u8);

macro_rules! opcodes {
    ($($code:literal $name:ident $mnemonic:literal $layout:ident $pops:literal $pushes:literal [$($flag:ident)|+];)*) => {
        #[allow(missing_docs, reason = "the names are those of the JVM specification")]
        impl Opcode {
            $(pub const $name: Opcode = Opcode($code);)*
        }

        static TABLE: [OpcodeInfo; 256] = {
            let none = OpcodeInfo {
                mnemonic: "",
                layout: Layout::None,
                pops: "",
                pushes: "",
                flags: Flags::NONE,
            };
            let mut table = [none; 256];
            $(table[$code] = OpcodeInfo {
                mnemonic: $mnemonic,
                layout: Layout::$layout,
                pops: $pops,
                pushes: $pushes,
                flags: Flags::NONE$(.or(Flags::$flag))+,
            };)*
            table
        };
    };
}

opcodes! {
    0x00 NOP "nop" None "" "" [NONE];
    0x01 ACONST_NULL "aconst_null" None "" "A" [NONE];
    0x02 ICONST_M1 "iconst_m1" None "" "I" [NONE];
    0x03 ICONST_0 "iconst_0" None "" "I" [NONE];
    0x04 ICONST_1 "iconst_1" None "" "I" [NONE];
    0x05 ICONST_2 "iconst_2" None "" "I" [NONE];
    0x06 ICONST_3 "iconst_3" None "" "I" [NONE];
    0x07 ICONST_4 "iconst_4" None "" "I" [NONE];
    0x08 ICONST_5 "iconst_5" None "" "I" [NONE];
    0x09 LCONST_0 "lconst_0" None "" "J" [NONE];
    0x0a LCONST_1 "lconst_1" None "" "J" [NONE];
    0x0b FCONST_0 "fconst_0" None "" "F" [NONE];
    0x0c FCONST_1 "fconst_1" None "" "F" [NONE];
    0x0d FCONST_2 "fconst_2" None "" "F" [NONE];
    0x0e DCONST_0 "dconst_0" None "" "D" [NONE];
    0x0f DCONST_1 "dconst_1" None "" "D" [NONE];
    0x10 BIPUSH "bipush" Byte "" "I" [NONE];
    0x11 SIPUSH "sipush" Short "" "I" [NONE];
    0x12 LDC "ldc" ConstantByte "" "*" [THROWS];
    0x13 LDC_W "ldc_w" Constant "" "*" [THROWS];
    0x14 LDC2_W "ldc2_w" Constant "" "*" [THROWS];
    0x15 ILOAD "iload" Local "" "I" [LOAD];
    0x16 LLOAD "lload" Local "" "J" [LOAD];
    0x17 FLOAD "fload" Local "" "F" [LOAD];
    0x18 DLOAD "dload" Local "" "D" [LOAD];
    0x19 ALOAD "aload" Local "" "A" [LOAD];
    0x1a ILOAD_0 "iload_0" None "" "I" [LOAD];
    0x1b ILOAD_1 "iload_1" None "" "I" [LOAD];
    0x1c ILOAD_2 "iload_2" None "" "I" [LOAD];
    0x1d ILOAD_3 "iload_3" None "" "I" [LOAD];
    0x1e LLOAD_0 "lload_0" None "" "J" [LOAD];
    0x1f LLOAD_1 "lload_1" None "" "J" [LOAD];
    0x20 LLOAD_2 "lload_2" None "" "J" [LOAD];
    0x21 LLOAD_3 "lload_3" None "" "J" [LOAD];
    0x22 FLOAD_0 "fload_0" None "" "F" [LOAD];
    0x23 FLOAD_1 "fload_1" None "" "F" [LOAD];
    0x24 FLOAD_2 "fload_2" None "" "F" [LOAD];
    0x25 FLOAD_3 "fload_3" None "" "F" [LOAD];
    0x26 DLOAD_0 "dload_0" None "" "D" [LOAD];
    0x27 DLOAD_1 "dload_1" None "" "D" [LOAD];
    0x28 DLOAD_2 "dload_2" None "" "D" [LOAD];
    0x29 DLOAD_3 "dload_3" None "" "D" [LOAD];
    0x2a ALOAD_0 "aload_0" None "" "A" [LOAD];
    0x2b ALOAD_1 "aload_1" None "" "A" [LOAD];
    0x2c ALOAD_2 "aload_2" None "" "A" [LOAD];
    0x2d ALOAD_3 "aload_3" None "" "A" [LOAD];
    0x2e IALOAD "iaload" None "AI" "I" [ARRAY | THROWS];
    0x2f LALOAD "laload" None "AI" "J" [ARRAY | THROWS];
    0x30 FALOAD "faload" None "AI" "F" [ARRAY | THROWS];
    0x31 DALOAD "daload" None "AI" "D" [ARRAY | THROWS];
    0x32 AALOAD "aaload" None "AI" "A" [ARRAY | THROWS];
    0x33 BALOAD "baload" None "AI" "I" [ARRAY | THROWS];
    0x34 CALOAD "caload" None "AI" "I" [ARRAY | THROWS];
    0x35 SALOAD "saload" None "AI" "I" [ARRAY | THROWS];
    0x36 ISTORE "istore" Local "I" "" [STORE];
    0x37 LSTORE "lstore" Local "J" "" [STORE];
    0x38 FSTORE "fstore" Local "F" "" [STORE];
    0x39 DSTORE "dstore" Local "D" "" [STORE];
    0x3a ASTORE "astore" Local "A" "" [STORE];
    0x3b ISTORE_0 "istore_0" None "I" "" [STORE];
    0x3c ISTORE_1 "istore_1" None "I" "" [STORE];
    0x3d ISTORE_2 "istore_2" None "I" "" [STORE];
    0x3e ISTORE_3 "istore_3" None "I" "" [STORE];
    0x3f LSTORE_0 "lstore_0" None "J" "" [STORE];
    0x40 LSTORE_1 "lstore_1" None "J" "" [STORE];
    0x41 LSTORE_2 "lstore_2" None "J" "" [STORE];
    0x42 LSTORE_3 "lstore_3" None "J" "" [STORE];
    0x43 FSTORE_0 "fstore_0" None "F" "" [STORE];
    0x44 FSTORE_1 "fstore_1" None "F" "" [STORE];
    0x45 FSTORE_2 "fstore_2" None "F" "" [STORE];
    0x46 FSTORE_3 "fstore_3" None "F" "" [STORE];
    0x47 DSTORE_0 "dstore_0" None "D" "" [STORE];
    0x48 DSTORE_1 "dstore_1" None "D" "" [STORE];
    0x49 DSTORE_2 "dstore_2" None "D" "" [STORE];
    0x4a DSTORE_3 "dstore_3" None "D" "" [STORE];
    0x4b ASTORE_0 "astore_0" None "A" "" [STORE];
    0x4c ASTORE_1 "astore_1" None "A" "" [STORE];
    0x4d ASTORE_2 "astore_2" None "A" "" [STORE];
    0x4e ASTORE_3 "astore_3" None "A" "" [STORE];
    0x4f IASTORE "iastore" None "AII" "" [ARRAY | THROWS];
    0x50 LASTORE "lastore" None "AIJ" "" [ARRAY | THROWS];
    0x51 FASTORE "fastore" None "AIF" "" [ARRAY | THROWS];
    0x52 DASTORE "dastore" None "AID" "" [ARRAY | THROWS];
    0x53 AASTORE "aastore" None "AIA" "" [ARRAY | THROWS];
    0x54 BASTORE "bastore" None "AII" "" [ARRAY | THROWS];
    0x55 CASTORE "castore" None "AII" "" [ARRAY | THROWS];
    0x56 SASTORE "sastore" None "AII" "" [ARRAY | THROWS];
    0x57 POP "pop" None "*" "*" [SHUFFLE];
    0x58 POP2 "pop2" None "*" "*" [SHUFFLE];
    0x59 DUP "dup" None "*" "*" [SHUFFLE];
    0x5a DUP_X1 "dup_x1" None "*" "*" [SHUFFLE];
    0x5b DUP_X2 "dup_x2" None "*" "*" [SHUFFLE];
    0x5c DUP2 "dup2" None "*" "*" [SHUFFLE];
    0x5d DUP2_X1 "dup2_x1" None "*" "*" [SHUFFLE];
    0x5e DUP2_X2 "dup2_x2" None "*" "*" [SHUFFLE];
    0x5f SWAP "swap" None "*" "*" [SHUFFLE];
    0x60 IADD "iadd" None "II" "I" [NONE];
    0x61 LADD "ladd" None "JJ" "J" [NONE];
    0x62 FADD "fadd" None "FF" "F" [NONE];
    0x63 DADD "dadd" None "DD" "D" [NONE];
    0x64 ISUB "isub" None "II" "I" [NONE];
    0x65 LSUB "lsub" None "JJ" "J" [NONE];
    0x66 FSUB "fsub" None "FF" "F" [NONE];
    0x67 DSUB "dsub" None "DD" "D" [NONE];
    0x68 IMUL "imul" None "II" "I" [NONE];
    0x69 LMUL "lmul" None "JJ" "J" [NONE];
    0x6a FMUL "fmul" None "FF" "F" [NONE];
    0x6b DMUL "dmul" None "DD" "D" [NONE];
    0x6c IDIV "idiv" None "II" "I" [THROWS];
    0x6d LDIV "ldiv" None "JJ" "J" [THROWS];
    0x6e FDIV "fdiv" None "FF" "F" [NONE];
    0x6f DDIV "ddiv" None "DD" "D" [NONE];
    0x70 IREM "irem" None "II" "I" [THROWS];
    0x71 LREM "lrem" None "JJ" "J" [THROWS];
    0x72 FREM "frem" None "FF" "F" [NONE];
    0x73 DREM "drem" None "DD" "D" [NONE];
    0x74 INEG "ineg" None "I" "I" [NONE];
    0x75 LNEG "lneg" None "J" "J" [NONE];
    0x76 FNEG "fneg" None "F" "F" [NONE];
    0x77 DNEG "dneg" None "D" "D" [NONE];
    0x78 ISHL "ishl" None "II" "I" [NONE];
    0x79 LSHL "lshl" None "JI" "J" [NONE];
    0x7a ISHR "ishr" None "II" "I" [NONE];
    0x7b LSHR "lshr" None "JI" "J" [NONE];
    0x7c IUSHR "iushr" None "II" "I" [NONE];
    0x7d LUSHR "lushr" None "JI" "J" [NONE];
    0x7e IAND "iand" None "II" "I" [NONE];
    0x7f LAND "land" None "JJ" "J" [NONE];
    0x80 IOR "ior" None "II" "I" [NONE];
    0x81 LOR "lor" None "JJ" "J" [NONE];
    0x82 IXOR "ixor" None "II" "I" [NONE];
    0x83 LXOR "lxor" None "JJ" "J" [NONE];
    0x84 IINC "iinc" Increment "" "" [NONE];
    0x85 I2L "i2l" None "I" "J" [NONE];
    0x86 I2F "i2f" None "I" "F" [NONE];
    0x87 I2D "i2d" None "I" "D" [NONE];
    0x88 L2I "l2i" None "J" "I" [NONE];
    0x89 L2F "l2f" None "J" "F" [NONE];
    0x8a L2D "l2d" None "J" "D" [NONE];
    0x8b F2I "f2i" None "F" "I" [NONE];
    0x8c F2L "f2l" None "F" "J" [NONE];
    0x8d F2D "f2d" None "F" "D" [NONE];
    0x8e D2I "d2i" None "D" "I" [NONE];
    0x8f D2L "d2l" None "D" "J" [NONE];
    0x90 D2F "d2f" None "D" "F" [NONE];
    0x91 I2B "i2b" None "I" "I" [NONE];
    0x92 I2C "i2c" None "I" "I" [NONE];
    0x93 I2S "i2s" None "I" "I" [NONE];
    0x94 LCMP "lcmp" None "JJ" "I" [NONE];
    0x95 FCMPL "fcmpl" None "FF" "I" [NONE];
    0x96 FCMPG "fcmpg" None "FF" "I" [NONE];
    0x97 DCMPL "dcmpl" None "DD" "I" [NONE];
    0x98 DCMPG "dcmpg" None "DD" "I" [NONE];
    0x99 IFEQ "ifeq" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9a IFNE "ifne" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9b IFLT "iflt" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9c IFGE "ifge" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9d IFGT "ifgt" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9e IFLE "ifle" Branch "I" "" [BRANCH | CONDITIONAL];
    0x9f IF_ICMPEQ "if_icmpeq" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa0 IF_ICMPNE "if_icmpne" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa1 IF_ICMPLT "if_icmplt" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa2 IF_ICMPGE "if_icmpge" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa3 IF_ICMPGT "if_icmpgt" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa4 IF_ICMPLE "if_icmple" Branch "II" "" [BRANCH | CONDITIONAL];
    0xa5 IF_ACMPEQ "if_acmpeq" Branch "AA" "" [BRANCH | CONDITIONAL];
    0xa6 IF_ACMPNE "if_acmpne" Branch "AA" "" [BRANCH | CONDITIONAL];
    0xa7 GOTO "goto" Branch "" "" [BRANCH | STOPS];
    0xa8 JSR "jsr" Branch "" "R" [BRANCH | SUBROUTINE];
    0xa9 RET "ret" Local "" "" [SUBROUTINE | STOPS];
    0xaa TABLESWITCH "tableswitch" TableSwitch "I" "" [SWITCH | STOPS];
    0xab LOOKUPSWITCH "lookupswitch" LookupSwitch "I" "" [SWITCH | STOPS];
    0xac IRETURN "ireturn" None "I" "" [RETURN | STOPS];
    0xad LRETURN "lreturn" None "J" "" [RETURN | STOPS];
    0xae FRETURN "freturn" None "F" "" [RETURN | STOPS];
    0xaf DRETURN "dreturn" None "D" "" [RETURN | STOPS];
    0xb0 ARETURN "areturn" None "A" "" [RETURN | STOPS];
    0xb1 RETURN "return" None "" "" [RETURN | STOPS];
    0xb2 GETSTATIC "getstatic" Constant "" "*" [FIELD | THROWS];
    0xb3 PUTSTATIC "putstatic" Constant "*" "" [FIELD | THROWS];
    0xb4 GETFIELD "getfield" Constant "A" "*" [FIELD | THROWS];
    0xb5 PUTFIELD "putfield" Constant "*" "" [FIELD | THROWS];
    0xb6 INVOKEVIRTUAL "invokevirtual" Constant "*" "*" [INVOKE | THROWS];
    0xb7 INVOKESPECIAL "invokespecial" Constant "*" "*" [INVOKE | THROWS];
    0xb8 INVOKESTATIC "invokestatic" Constant "*" "*" [INVOKE | THROWS];
    0xb9 INVOKEINTERFACE "invokeinterface" InvokeInterface "*" "*" [INVOKE | THROWS];
    0xba INVOKEDYNAMIC "invokedynamic" InvokeDynamic "*" "*" [INVOKE | THROWS];
    0xbb NEW "new" Constant "" "A" [ALLOCATES | THROWS];
    0xbc NEWARRAY "newarray" NewArray "I" "A" [ALLOCATES | ARRAY | THROWS];
    0xbd ANEWARRAY "anewarray" Constant "I" "A" [ALLOCATES | ARRAY | THROWS];
    0xbe ARRAYLENGTH "arraylength" None "A" "I" [ARRAY | THROWS];
    0xbf ATHROW "athrow" None "A" "" [STOPS | THROWS];
    0xc0 CHECKCAST "checkcast" Constant "A" "A" [TYPE_TEST | THROWS];
    0xc1 INSTANCEOF "instanceof" Constant "A" "I" [TYPE_TEST | THROWS];
    0xc2 MONITORENTER "monitorenter" None "A" "" [MONITOR | THROWS];
    0xc3 MONITOREXIT "monitorexit" None "A" "" [MONITOR | THROWS];
    0xc4 WIDE "wide" Wide "*" "*" [NONE];
    0xc5 MULTIANEWARRAY "multianewarray" MultiArray "*" "A" [ALLOCATES | ARRAY | THROWS];
    0xc6 IFNULL "ifnull" Branch "A" "" [BRANCH | CONDITIONAL];
    0xc7 IFNONNULL "ifnonnull" Branch "A" "" [BRANCH | CONDITIONAL];
    0xc8 GOTO_W "goto_w" WideBranch "" "" [BRANCH | STOPS];
    0xc9 JSR_W "jsr_w" WideBranch "" "R" [BRANCH | SUBROUTINE];
}

impl Opcode {
    /// The opcode with this byte, if the specification defines one for class files.
    pub fn new(byte: u8) -> Option<Opcode> {
        let opcode = Opcode(byte);
        (!opcode.info().mnemonic.is_empty()).then_some(opcode)
    }

    /// The byte.
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// Its row of the table.
    #[inline]
    pub fn info(self) -> &'static OpcodeInfo {
        &TABLE[usize::from(self.0)]
    }

    /// Whether the opcode has all these properties.
    #[inline]
    pub fn is(self, flags: Flags) -> bool {
        self.info().flags.has(flags)
    }

    /// Name as `javap` prints it.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// Stack slots popped and pushed, when the opcode alone decides.
    pub fn static_effect(self) -> Option<(u16, u16)> {
        let slots = |types: &str| {
            types.bytes().try_fold(0u16, |sum, t| match t {
                b'*' => None,
                b'J' | b'D' => Some(sum + 2),
                _ => Some(sum + 1),
            })
        };
        let info = self.info();
        match self {
            Opcode::POP => Some((1, 0)),
            Opcode::POP2 => Some((2, 0)),
            Opcode::DUP => Some((1, 2)),
            Opcode::DUP_X1 => Some((2, 3)),
            Opcode::DUP_X2 => Some((3, 4)),
            Opcode::DUP2 => Some((2, 4)),
            Opcode::DUP2_X1 => Some((3, 5)),
            Opcode::DUP2_X2 => Some((4, 6)),
            Opcode::SWAP => Some((2, 2)),
            Opcode::LDC | Opcode::LDC_W => Some((0, 1)),
            Opcode::LDC2_W => Some((0, 2)),
            _ => Some((slots(info.pops)?, slots(info.pushes)?)),
        }
    }

    /// The conditional branch that jumps exactly when this one does not.
    pub fn inverted(self) -> Option<Opcode> {
        match self {
            Opcode::IFNULL => Some(Opcode::IFNONNULL),
            Opcode::IFNONNULL => Some(Opcode::IFNULL),
            // Opposite conditions are neighbours, odd before even.
            _ if self.is(Flags::CONDITIONAL) => Some(Opcode(((self.0 + 1) ^ 1) - 1)),
            _ => None,
        }
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mnemonic() {
            "" => write!(f, "{:#04x}", self.0),
            name => f.pad(name),
        }
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversion_is_an_involution_that_keeps_operands() {
        let mut count = 0;
        for opcode in (0..=255).filter_map(Opcode::new) {
            let Some(inverse) = opcode.inverted() else { continue };
            count += 1;
            assert_ne!(inverse, opcode);
            assert_eq!(inverse.inverted(), Some(opcode));
            assert_eq!(inverse.info().pops, opcode.info().pops);
        }
        assert_eq!(count, 16);
        assert_eq!(Opcode::IFLT.inverted(), Some(Opcode::IFGE));
        assert_eq!(Opcode::IF_ICMPGT.inverted(), Some(Opcode::IF_ICMPLE));
    }

    #[test]
    fn the_table_has_every_opcode_once() {
        let names: std::collections::BTreeSet<_> =
            (0..=255).filter_map(Opcode::new).map(Opcode::mnemonic).collect();
        assert_eq!(names.len(), 202);
        assert_eq!(Opcode::new(0xca), None);
        assert_eq!(Opcode::JSR_W.byte(), 0xc9);
        assert_eq!(Opcode::IASTORE.static_effect(), Some((3, 0)));
        assert_eq!(Opcode::LSHL.static_effect(), Some((3, 2)));
        assert_eq!(Opcode::GETFIELD.static_effect(), None);
    }
}
