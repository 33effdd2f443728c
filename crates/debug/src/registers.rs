//! General registers of a stopped thread, by name, by DWARF number, by role.

use std::fmt;
use std::rc::Rc;

use crate::info::{Kind, Lazy, Member, Type};

/// The general registers of a thread.
#[derive(Clone, Copy)]
pub struct Registers {
    pub(crate) raw: libc::user_regs_struct,
}

/// Names in DWARF order (System V ABI, x86-64), then the rest.
const NAMES: [&str; 17] = [
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip",
];

/// DWARF number of the program counter (the “return address” column).
pub(crate) const DWARF_RIP: u16 = 16;
/// DWARF number of the stack pointer.
pub(crate) const DWARF_RSP: u16 = 7;
/// DWARF number of the frame pointer.
pub(crate) const DWARF_RBP: u16 = 6;

/// The flags of the processor that programs and people look at.
const FLAGS: [(&str, i64); 9] = [
    ("CF", 1),
    ("PF", 1 << 2),
    ("AF", 1 << 4),
    ("ZF", 1 << 6),
    ("SF", 1 << 7),
    ("TF", 1 << 8),
    ("IF", 1 << 9),
    ("DF", 1 << 10),
    ("OF", 1 << 11),
];

/// The type in which a register is shown.
pub(crate) fn type_of(name: &str) -> Rc<Type> {
    let pointer = |target: Type| {
        let name = match target.kind {
            Kind::Function => "void (*)()".to_string(),
            _ => format!("{} *", target.name),
        };
        Rc::new(Type { name, size: 8, kind: Kind::Pointer(Lazy::Known(Rc::new(target))) })
    };
    match name {
        "pc" | "rip" => pointer(Type { name: "void ()".into(), size: 1, kind: Kind::Function }),
        "sp" | "rsp" | "fp" | "rbp" => pointer((*Type::void()).clone()),
        "eflags" | "rflags" => {
            // The second bit is always set.
            let names = FLAGS.iter().copied().chain([("", 2)]);
            let variants = names.map(|(name, bit)| (name.to_string(), bit)).collect();
            let kind = Kind::Enumeration { signed: false, variants };
            Rc::new(Type { name: "flags".into(), size: 4, kind })
        }
        _ => Type::integer("long", 8, true),
    }
}

/// The type in which a register for vectors or floating-point numbers is shown.
pub(crate) fn vector_type(name: &str, size: u64) -> Rc<Type> {
    if name.starts_with("st") {
        return Rc::new(Type { name: "long double".into(), size, kind: Kind::Float });
    }
    if size < 16 {
        return Type::integer(if size == 8 { "long" } else { "int" }, size, false);
    }
    let views: [(&str, &str, u64); 6] = [
        ("float", "float", 4),
        ("double", "double", 8),
        ("int8", "i8", 1),
        ("int16", "i16", 2),
        ("int32", "i32", 4),
        ("int64", "i64", 8),
    ];
    let view = |(name, element, each): (&str, &str, u64)| {
        let count = size / each;
        let element = Lazy::Known(Type::builtin(element).unwrap_or_else(Type::word));
        let kind = Kind::Array { element, count };
        let ty = Rc::new(Type { name: format!("{name}[{count}]"), size, kind });
        let name = format!("v{count}_{name}");
        Member { name, offset: 0, bits: None, ty: Lazy::Known(ty), is_transparent: false }
    };
    let members = views.into_iter().map(view).collect();
    let kind = Kind::Structure { members, is_union: true, by_reference: false, variants: None };
    Rc::new(Type { name: format!("vector{size}"), size, kind })
}

/// A part of a general register by its name: `eax`, `ax`, `al`, `ah`, `r8d`.
fn part_named(name: &str) -> Option<iced_x86::Register> {
    let is_part = |r: &iced_x86::Register| r.is_gpr32() || r.is_gpr16() || r.is_gpr8();
    let is_called =
        |r: &iced_x86::Register| is_part(r) && format!("{r:?}").eq_ignore_ascii_case(name);
    // `sp` is the whole stack pointer for people who debug.
    iced_x86::Register::values().find(is_called).filter(|_| name != "sp")
}

impl Registers {
    /// The program counter.
    pub fn pc(&self) -> u64 {
        self.raw.rip
    }

    /// Sets the program counter.
    pub fn set_pc(&mut self, pc: u64) {
        self.raw.rip = pc;
    }

    /// Whether everything but the program counter is the same.
    pub(crate) fn differs_in_pc_only(&self, other: &Registers) -> bool {
        let mut moved = *other;
        moved.set_pc(self.pc());
        moved.words() == self.words()
    }

    /// Stands for everything a program can see of them: equal for equal registers, and hardly ever for
    /// others.
    pub(crate) fn digest(&self) -> u64 {
        /// Flags that say how a thread is traced.
        const OF_TRACERS: u64 = 0x1_0100;
        let mut seen = *self;
        seen.raw.eflags &= !OF_TRACERS;
        // Which system call was under way is not the program's to see.
        seen.raw.orig_rax = 0;
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&seen.words(), &mut hasher);
        std::hash::Hasher::finish(&hasher)
    }

    /// All of them, in the kernel's order.
    fn words(&self) -> [u64; 27] {
        // SAFETY: the structure is 27 words without padding, or this would not compile.
        unsafe { std::mem::transmute(self.raw) }
    }

    /// What thread-local variables are found by; 0 before there are any.
    pub fn thread_pointer(&self) -> u64 {
        self.raw.fs_base
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.raw.rsp
    }

    /// Sets the stack pointer.
    pub fn set_sp(&mut self, sp: u64) {
        self.raw.rsp = sp;
    }

    /// The integer result register.
    pub fn result(&self) -> u64 {
        self.raw.rax
    }

    /// The `index`-th integer argument register of the System V ABI (0 to 5).
    pub fn argument(&self, index: usize) -> Option<u64> {
        let r = &self.raw;
        [r.rdi, r.rsi, r.rdx, r.rcx, r.r8, r.r9].get(index).copied()
    }

    pub(crate) fn set_argument(&mut self, index: usize, value: u64) {
        let r = &mut self.raw;
        let registers = [&mut r.rdi, &mut r.rsi, &mut r.rdx, &mut r.rcx, &mut r.r8, &mut r.r9];
        if let Some(register) = registers.into_iter().nth(index) {
            *register = value;
        }
    }

    /// A register by its DWARF number, 0 to 16.
    pub fn dwarf(&self, number: u16) -> Option<u64> {
        let mut copy = *self;
        copy.slot(number).map(|r| *r)
    }

    pub(crate) fn set_dwarf(&mut self, number: u16, value: u64) -> bool {
        self.slot(number).map(|r| *r = value).is_some()
    }

    fn slot(&mut self, number: u16) -> Option<&mut u64> {
        let r = &mut self.raw;
        Some(match number {
            0 => &mut r.rax,
            1 => &mut r.rdx,
            2 => &mut r.rcx,
            3 => &mut r.rbx,
            4 => &mut r.rsi,
            5 => &mut r.rdi,
            6 => &mut r.rbp,
            7 => &mut r.rsp,
            8 => &mut r.r8,
            9 => &mut r.r9,
            10 => &mut r.r10,
            11 => &mut r.r11,
            12 => &mut r.r12,
            13 => &mut r.r13,
            14 => &mut r.r14,
            15 => &mut r.r15,
            16 => &mut r.rip,
            _ => return None,
        })
    }

    /// A part of a general register by its name, and its size in bytes.
    pub(crate) fn part_by_name(&self, name: &str) -> Option<(u64, u64)> {
        let part = part_named(name)?;
        Some((self.decoded(part)?, part.size() as u64))
    }

    /// Sets a part of a general register; false if there is no such part. Like the processor, what sets
    /// the lower half clears the upper one.
    pub(crate) fn set_part_by_name(&mut self, name: &str, value: u64) -> bool {
        part_named(name).is_some_and(|part| self.set_decoded(part, value))
    }

    /// A register by its usual name (`rax`, `rip`, `pc`, `sp`, `eflags`, `fs_base`, …).
    pub fn by_name(&self, name: &str) -> Option<u64> {
        match name {
            "pc" => return Some(self.raw.rip),
            "sp" => return Some(self.raw.rsp),
            "fp" => return Some(self.raw.rbp),
            "eflags" | "rflags" => return Some(self.raw.eflags),
            "fs_base" => return Some(self.raw.fs_base),
            "gs_base" => return Some(self.raw.gs_base),
            "orig_rax" => return Some(self.raw.orig_rax),
            "cs" => return Some(self.raw.cs),
            "ss" => return Some(self.raw.ss),
            "ds" => return Some(self.raw.ds),
            "es" => return Some(self.raw.es),
            "fs" => return Some(self.raw.fs),
            "gs" => return Some(self.raw.gs),
            _ => {}
        }
        let number = NAMES.iter().position(|n| *n == name)?;
        self.dwarf(number as u16)
    }

    /// Sets a register by its usual name; false when there is no such register.
    pub fn set_by_name(&mut self, name: &str, value: u64) -> bool {
        let special = match name {
            "fs_base" => Some(&mut self.raw.fs_base),
            "gs_base" => Some(&mut self.raw.gs_base),
            "orig_rax" => Some(&mut self.raw.orig_rax),
            "cs" => Some(&mut self.raw.cs),
            "ss" => Some(&mut self.raw.ss),
            "ds" => Some(&mut self.raw.ds),
            "es" => Some(&mut self.raw.es),
            "fs" => Some(&mut self.raw.fs),
            "gs" => Some(&mut self.raw.gs),
            _ => None,
        };
        if let Some(register) = special {
            *register = value;
            return true;
        }
        let number = match name {
            "pc" => DWARF_RIP,
            "sp" => DWARF_RSP,
            "fp" => DWARF_RBP,
            "eflags" | "rflags" => {
                self.raw.eflags = value;
                return true;
            }
            _ => match NAMES.iter().position(|n| *n == name) {
                Some(n) => n as u16,
                None => return false,
            },
        };
        self.set_dwarf(number, value)
    }

    /// Names and values, in the order debuggers show them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        NAMES.iter().enumerate().filter_map(|(i, n)| Some((*n, self.dwarf(i as u16)?)))
    }

    /// A register as the instruction decoder names it, sub-registers included.
    pub(crate) fn decoded(&self, register: iced_x86::Register) -> Option<u64> {
        use iced_x86::Register as R;
        let raw = &self.raw;
        match register {
            R::None => return Some(0),
            R::FS => return Some(raw.fs_base),
            R::GS => return Some(raw.gs_base),
            R::CS | R::DS | R::ES | R::SS => return Some(0),
            R::RIP | R::EIP => return Some(raw.rip),
            _ => {}
        }
        let full = match register.full_register() {
            R::RAX => raw.rax,
            R::RBX => raw.rbx,
            R::RCX => raw.rcx,
            R::RDX => raw.rdx,
            R::RSI => raw.rsi,
            R::RDI => raw.rdi,
            R::RBP => raw.rbp,
            R::RSP => raw.rsp,
            R::R8 => raw.r8,
            R::R9 => raw.r9,
            R::R10 => raw.r10,
            R::R11 => raw.r11,
            R::R12 => raw.r12,
            R::R13 => raw.r13,
            R::R14 => raw.r14,
            R::R15 => raw.r15,
            _ => return None,
        };
        Some(match register.size() {
            8 => full,
            4 => full & 0xffff_ffff,
            2 => full & 0xffff,
            _ if matches!(register, R::AH | R::BH | R::CH | R::DH) => (full >> 8) & 0xff,
            _ => full & 0xff,
        })
    }

    /// Writes a register as the instruction decoder names it, with the processor's rules for
    /// sub-registers (a 32-bit write clears the upper half).
    pub(crate) fn set_decoded(&mut self, register: iced_x86::Register, value: u64) -> bool {
        use iced_x86::Register as R;
        let number = match register.full_register() {
            R::RAX => 0,
            R::RDX => 1,
            R::RCX => 2,
            R::RBX => 3,
            R::RSI => 4,
            R::RDI => 5,
            R::RBP => 6,
            R::RSP => 7,
            R::R8 => 8,
            R::R9 => 9,
            R::R10 => 10,
            R::R11 => 11,
            R::R12 => 12,
            R::R13 => 13,
            R::R14 => 14,
            R::R15 => 15,
            _ => return false,
        };
        let Some(slot) = self.slot(number) else { return false };
        *slot = match register.size() {
            8 => value,
            4 => value & 0xffff_ffff,
            2 => (*slot & !0xffff) | (value & 0xffff),
            _ if matches!(register, R::AH | R::BH | R::CH | R::DH) => {
                (*slot & !0xff00) | ((value & 0xff) << 8)
            }
            _ => (*slot & !0xff) | (value & 0xff),
        };
        true
    }
}

impl fmt::Debug for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (name, value) in self.iter() {
            map.entry(&name, &format_args!("{value:#x}"));
        }
        map.finish()
    }
}
