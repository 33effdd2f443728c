//! The x87, SSE, AVX and AVX-512 registers of a thread, by name.

use std::arch::x86_64::__cpuid_count;

/// The extended state of a thread, as the kernel lays it out: the standard form of `XSAVE`.
#[derive(Clone)]
pub struct ExtendedState {
    bytes: Vec<u8>,
}

/// Where the kernel notes which components the state can have.
const AVAILABLE: usize = 464;
/// Where the processor notes which components differ from their initial state.
const PRESENT: usize = 512;

/// Components of the state, by the processor's numbers.
const X87: u32 = 0;
const SSE: u32 = 1;
const AVX: u32 = 2;
const OPMASK: u32 = 5;
const ZMM_HIGH: u32 = 6;
const ZMM_UPPER: u32 = 7;

/// Where a register is.
struct Slot {
    offset: usize,
    size: usize,
    component: u32,
}

impl ExtendedState {
    pub(crate) fn new(bytes: Vec<u8>) -> ExtendedState {
        ExtendedState { bytes }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn word(&self, offset: usize) -> u64 {
        let bytes = self.bytes.get(offset..offset + 8);
        bytes.and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
    }

    fn has(&self, component: u32) -> bool {
        component <= SSE || self.word(AVAILABLE) >> component & 1 == 1
    }

    /// Whether there are AVX registers.
    pub fn has_avx(&self) -> bool {
        self.has(AVX)
    }

    /// Whether there are AVX-512 registers.
    pub fn has_avx512(&self) -> bool {
        self.has(OPMASK) && self.has(ZMM_HIGH) && self.has(ZMM_UPPER)
    }

    /// The bytes of a register: `st0` to `st7`, `fctrl` and its like, `xmm0` on, `ymm0h` on,
    /// `mxcsr`, `k0` to `k7`, `zmm0h` on. `ymm…h` and `zmm…h` are the upper halves.
    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        if name == "ftag" {
            return Some(u32::from(self.full_tags()).to_le_bytes().to_vec());
        }
        let slot = self.slot(name)?;
        let mut bytes = self.bytes.get(slot.offset..slot.offset + slot.size)?.to_vec();
        if is_control(name) {
            bytes.resize(4, 0);
        }
        Some(bytes)
    }

    /// Sets a register; false if there is no such register, or it has another size.
    pub fn set(&mut self, name: &str, value: &[u8]) -> bool {
        if name == "ftag" {
            let [low, high, ..] = *value else { return false };
            let full = u16::from_le_bytes([low, high]);
            let used = (0..8).filter(|i| full >> (2 * i) & 3 != 3).fold(0u8, |all, i| all | 1 << i);
            self.bytes[4] = used;
            self.mark(X87);
            return true;
        }
        let Some(slot) = self.slot(name) else { return false };
        let value = if is_control(name) { value.get(..slot.size).unwrap_or(&[]) } else { value };
        let Some(place) = self.bytes.get_mut(slot.offset..slot.offset + slot.size) else {
            return false;
        };
        if value.len() != slot.size {
            return false;
        }
        place.copy_from_slice(value);
        self.mark(slot.component);
        true
    }

    /// The component is no longer in its initial state.
    fn mark(&mut self, component: u32) {
        let present = self.word(PRESENT) | 1 << component;
        if let Some(place) = self.bytes.get_mut(PRESENT..PRESENT + 8) {
            place.copy_from_slice(&present.to_le_bytes());
        }
    }

    /// The tag word as the x87 had it before `FXSAVE` abridged it: two bits per register.
    fn full_tags(&self) -> u16 {
        let top = self.bytes[3] >> 3 & 7;
        (0..8u8).fold(0, |tags, physical| {
            let tag = match self.bytes[4] >> physical & 1 {
                0 => 3,
                _ => {
                    let at = 32 + 16 * usize::from(physical.wrapping_sub(top) & 7);
                    tag(&self.bytes[at..at + 10])
                }
            };
            tags | tag << (2 * physical)
        })
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        let at = |offset, size, component| Some(Slot { offset, size, component });
        match name {
            "fctrl" => return at(0, 2, X87),
            "fstat" => return at(2, 2, X87),
            "fop" => return at(6, 2, X87),
            "fioff" => return at(8, 4, X87),
            "fiseg" => return at(12, 2, X87),
            "fooff" => return at(16, 4, X87),
            "foseg" => return at(20, 2, X87),
            "mxcsr" => return at(24, 4, SSE),
            _ => {}
        }
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (kind, rest) = name.split_at(digits);
        let (number, is_upper) = match rest.strip_suffix('h') {
            Some(number) => (number, true),
            None => (rest, false),
        };
        let n: usize = number.parse().ok()?;
        let component = |component: u32, index: usize, each: usize, skip: usize, size: usize| {
            let offset = self.has(component).then(|| offset_of(component))?;
            at(offset + each * index + skip, size, component)
        };
        match (kind, is_upper, n) {
            ("st", false, 0..8) => at(32 + 16 * n, 10, X87),
            ("xmm", false, 0..16) => at(160 + 16 * n, 16, SSE),
            ("ymm", true, 0..16) => component(AVX, n, 16, 0, 16),
            ("k", false, 0..8) => component(OPMASK, n, 8, 0, 8),
            ("zmm", true, 0..16) => component(ZMM_HIGH, n, 32, 0, 32),
            ("xmm", false, 16..32) => component(ZMM_UPPER, n - 16, 64, 0, 16),
            ("ymm", true, 16..32) => component(ZMM_UPPER, n - 16, 64, 16, 16),
            ("zmm", true, 16..32) => component(ZMM_UPPER, n - 16, 64, 32, 32),
            _ => None,
        }
    }
}

impl std::fmt::Debug for ExtendedState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExtendedState").field("bytes", &self.bytes.len()).finish()
    }
}

/// Registers of the x87 that debuggers see with 32 bits.
fn is_control(name: &str) -> bool {
    matches!(name, "fctrl" | "fstat" | "fop" | "fiseg" | "foseg")
}

/// Where a component begins, which the processor knows.
fn offset_of(component: u32) -> usize {
    const LAYOUT: u32 = 0xd;
    __cpuid_count(LAYOUT, component).ebx as usize
}

/// What kind of number an x87 register holds: valid 0, zero 1, special 2.
fn tag(register: &[u8]) -> u16 {
    let exponent = u16::from_le_bytes([register[8], register[9]]) & 0x7fff;
    let is_zero = register[..8].iter().all(|b| *b == 0);
    let is_normal = register[7] & 0x80 != 0;
    match exponent {
        0 if is_zero => 1,
        0 | 0x7fff => 2,
        _ if is_normal => 0,
        _ => 2,
    }
}
