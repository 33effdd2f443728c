//! The code of a trampoline.

use iced_x86::code_asm::*;

use crate::error::{Error, Result};
use crate::plan::{Capture, Mark, Moment, Need, Plan, Returning, Start};
use crate::prologue::{PATCH, Prologue};
use crate::resident;
use crate::ring;

/// Bytes of stack between the return address of a function and that of the call that its trampoline
/// makes. An odd number of words, so that the function finds the stack aligned as it expects.
pub const FRAME: u64 = 8 * Returning::MOST as u64;

/// Bytes of registers that are saved while a record is written.
const SAVED: i32 = 40;

/// What the code begins with that a function returns to, so that return addresses of trampolines are
/// told from those of the program: an instruction without effect, with this number in it.
const MARK: i32 = 0x5d1a_97c3;
/// How far from the beginning the number is.
const MARK_AT: i32 = 3;

/// Where in the program a trampoline finds things.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The code of the trampoline.
    pub code: u64,
    /// The shared memory.
    pub shared: u64,
    /// A byte that is zero in processes whose returns are not recorded any more: forked children.
    pub enabled: u64,
}

/// A trampoline.
#[derive(Clone, Debug)]
pub struct Code {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Instructions that may fault because a captured pointer is bad, each with where to go on then.
    pub faults: Vec<(u64, u64)>,
    /// Where threads stop when the shared memory is full: one past an `int3`. They try again when they go on.
    pub stops: Vec<u64>,
    /// Those of the stops where a thread waits for the answer to a [`crate::QUESTION`], with where it goes
    /// on if there will be none.
    pub escapes: Vec<(u64, u64)>,
    /// Instructions of the program that are executed here, each with where it belongs.
    pub moved: Vec<(u64, u64)>,
}

/// The instruction at `from` that goes to `to`, if it is near enough.
pub fn jump(from: u64, to: u64) -> Option<[u8; PATCH]> {
    let distance = to.wrapping_sub(from.wrapping_add(PATCH as u64)) as i64;
    let distance = i32::try_from(distance).ok()?.to_le_bytes();
    Some([0xe9, distance[0], distance[1], distance[2], distance[3]])
}

/// The code that does what a plan says at the entry of a function with this prologue.
pub fn emit(plan: &Plan, prologue: &Prologue, places: Places) -> Result<Code> {
    let mut w = Writer {
        a: CodeAssembler::new(64)?,
        places,
        depth: 0,
        faults: Vec::new(),
        mended: Vec::new(),
        stops: Vec::new(),
        escapes: Vec::new(),
        moved: Vec::new(),
    };
    if let Some(moment) = &plan.entering {
        w.save()?;
        w.record(moment, 0, false)?;
        w.restore()?;
    }
    let mut body = w.a.create_label();
    if let Some(returning) = &plan.returning {
        w.a.lea(rsp, rsp - FRAME)?;
        for (i, start) in returning.kept.iter().enumerate() {
            let slot = qword_ptr(rsp + 8 * i as u64);
            match *start {
                Start::Vector(n) => w.a.movq(slot, vector(n))?,
                Start::Register(n) => w.a.mov(slot, register(n))?,
                _ => return Err(Error::new("only registers are kept")),
            }
        }
        w.a.call(body)?;
        w.a.nop_1(dword_ptr(rax + MARK))?;
        w.save()?;
        w.a.mov(rax, places.enabled)?;
        w.a.cmp(byte_ptr(rax), 0)?;
        let mut off = w.a.create_label();
        w.a.je(off)?;
        w.record(&returning.moment, FRAME as i32, true)?;
        w.a.set_label(&mut off)?;
        w.restore()?;
        w.a.lea(rsp, rsp + FRAME)?;
        w.a.ret()?;
    }
    w.a.set_label(&mut body)?;
    // An instruction of this code has to follow a label that is called.
    w.a.nop()?;
    for i in &prologue.instructions {
        let mut here = w.a.create_label();
        w.a.set_label(&mut here)?;
        w.moved.push((here, i.ip()));
        w.a.add_instruction(*i)?;
    }
    if prologue.falls_through {
        w.a.jmp(prologue.next())?;
    }
    w.finish()
}

pub(crate) struct Writer {
    pub(crate) a: CodeAssembler,
    pub(crate) places: Places,
    /// Bytes of stack that are in use below the registers saved.
    pub(crate) depth: i32,
    /// Instructions that may fault, each with the number of the place to go on.
    faults: Vec<(CodeLabel, usize)>,
    /// Those places, once they are known.
    pub(crate) mended: Vec<Option<CodeLabel>>,
    pub(crate) stops: Vec<CodeLabel>,
    /// Stops at which a thread waits for an answer, with where it goes on without one.
    pub(crate) escapes: Vec<(CodeLabel, CodeLabel)>,
    /// Instructions of the program, with their addresses there.
    moved: Vec<(CodeLabel, u64)>,
}

impl Writer {
    /// Saves the registers that a record needs, and the flags.
    fn save(&mut self) -> Result<()> {
        self.a.push(rax)?;
        self.a.push(r10)?;
        self.a.push(r11)?;
        self.a.push(rbx)?;
        self.a.lahf()?;
        self.a.seto(al)?;
        Ok(self.a.push(rax)?)
    }

    fn restore(&mut self) -> Result<()> {
        self.a.pop(rax)?;
        // Overflows exactly if the flag was set.
        self.a.add(al, 127)?;
        self.a.sahf()?;
        self.a.pop(rbx)?;
        self.a.pop(r11)?;
        self.a.pop(r10)?;
        Ok(self.a.pop(rax)?)
    }

    /// Writes a record. The return address of the function is `above` bytes above the registers saved.
    fn record(&mut self, moment: &Moment, above: i32, is_return: bool) -> Result<()> {
        if moment.captures.len() > ring::WORDS {
            return Err(Error::new("too many words for a record"));
        }
        let mut end = self.a.create_label();
        for mark in &moment.marks {
            self.mark_of(moment, *mark, is_return)?;
            self.a.mov(byte_ptr(r11 + rax), 1)?;
        }
        let mut matters = self.a.create_label();
        if !moment.steps.is_empty() {
            self.steps(moment, above, is_return, matters, end)?;
        }
        if let Some(needs) = &moment.needs {
            let mut unread = Vec::new();
            for need in needs {
                self.need(moment, need, is_return, matters, &mut unread)?;
            }
            self.a.jmp(end)?;
            self.a.set_label(&mut matters)?;
            unread.into_iter().for_each(|place| self.mended[place] = Some(matters));
        } else {
            self.a.set_label(&mut matters)?;
        }
        self.reserve(moment.id)?;
        match moment.steps.is_empty() {
            true => self.values(moment, above, is_return)?,
            false => self.values_of_frame(moment)?,
        }
        self.publish()?;
        self.a.set_label(&mut end)?;
        // The label needs an instruction of this block.
        match self.depth {
            0 => self.a.nop()?,
            depth => self.a.lea(rsp, rsp + depth)?,
        }
        self.depth = 0;
        Ok(())
    }

    /// Begins a record: `r11` is where it is, `r10` its number. Waits until there is room.
    pub(crate) fn reserve(&mut self, id: u32) -> Result<()> {
        let (mut check, mut stop) = (self.a.create_label(), self.a.create_label());
        let mut room = self.a.create_label();
        self.a.mov(r11, self.places.shared)?;
        self.a.mov(r10d, 1)?;
        self.a.lock().xadd(qword_ptr(r11 + ring::HEAD), r10)?;
        self.a.set_label(&mut check)?;
        self.a.cmp(r10, qword_ptr(r11 + ring::LIMIT))?;
        self.a.jb(room)?;
        self.a.int3()?;
        self.a.set_label(&mut stop)?;
        self.a.jmp(check)?;
        self.stops.push(stop);
        self.a.set_label(&mut room)?;
        self.a.mov(eax, r10d)?;
        self.a.and(eax, (ring::SLOTS - 1) as i32)?;
        self.a.shl(eax, ring::SLOT.trailing_zeros())?;
        self.a.lea(r11, r11 + rax + ring::FIRST)?;
        self.a.mov(eax, id)?;
        self.a.mov(qword_ptr(r11 + ring::ID), rax)?;
        self.a.rdfsbase(rax)?;
        Ok(self.a.mov(qword_ptr(r11 + ring::THREAD), rax)?)
    }

    /// Ends a record: the tracer may read it.
    pub(crate) fn publish(&mut self) -> Result<()> {
        self.a.inc(r10)?;
        Ok(self.a.mov(qword_ptr(r11), r10)?)
    }

    /// Writes down where the function returns to, and the values.
    fn values(&mut self, moment: &Moment, above: i32, is_return: bool) -> Result<()> {
        self.caller(above)?;
        self.a.mov(qword_ptr(r11 + ring::CALLER), rax)?;
        let mut mended = Vec::new();
        for (i, capture) in moment.captures.iter().enumerate() {
            if let Some(bad) = self.capture(i, capture, is_return)? {
                mended.push(bad);
            }
        }
        let mut written = self.a.create_label();
        if !mended.is_empty() {
            self.a.jmp(written)?;
        }
        for (i, place, next) in mended {
            let mut bad = self.a.create_label();
            self.a.set_label(&mut bad)?;
            self.mended[place] = Some(bad);
            self.a.or(byte_ptr(r11 + ring::UNREAD), 1 << i)?;
            self.a.jmp(next)?;
        }
        self.a.set_label(&mut written)?;
        Ok(self.a.nop()?)
    }

    /// The same of what was read before the steps.
    fn values_of_frame(&mut self, moment: &Moment) -> Result<()> {
        let copies = [(resident::CALLER, ring::CALLER)].into_iter();
        let words = (0..moment.captures.len()).map(|i| (8 * i as i32, ring::VALUES + 8 * i as u64));
        for (from, to) in copies.chain(words) {
            self.a.mov(rax, qword_ptr(rsp + from))?;
            self.a.mov(qword_ptr(r11 + to), rax)?;
        }
        self.a.mov(al, byte_ptr(rsp + resident::UNREAD))?;
        self.a.mov(byte_ptr(r11 + ring::UNREAD), al)?;
        self.a.mov(al, byte_ptr(rsp + resident::DONE))?;
        Ok(self.a.mov(byte_ptr(r11 + (ring::UNREAD + 1)), al)?)
    }

    /// Puts where the function returns to into `rax`. If it was jumped to by one whose trampoline waits for
    /// its return, that is where the other one returns to.
    pub(crate) fn caller(&mut self, above: i32) -> Result<()> {
        let (mut again, mut done) = (self.a.create_label(), self.a.create_label());
        let place = self.new_place();
        self.a.lea(rbx, rsp + (SAVED + above + self.depth))?;
        self.a.set_label(&mut again)?;
        self.a.mov(rax, qword_ptr(rbx))?;
        self.fault(place)?;
        self.a.cmp(dword_ptr(rax + MARK_AT), MARK)?;
        self.a.lea(rbx, rbx + (FRAME + 8))?;
        self.a.je(again)?;
        self.a.set_label(&mut done)?;
        self.mended[place] = Some(done);
        // The label needs an instruction of this block.
        Ok(self.a.nop()?)
    }

    /// Puts a captured value into its word. The answer says, for a value that may not be readable, where
    /// to mark it as unread and where to go on then.
    fn capture(
        &mut self,
        index: usize,
        capture: &Capture,
        is_return: bool,
    ) -> Result<Option<(usize, usize, CodeLabel)>> {
        let word = qword_ptr(r11 + (ring::VALUES + 8 * index as u64));
        match capture.start {
            Start::Vector(n) if !capture.follows() => {
                self.a.movq(word, vector(n))?;
                return Ok(None);
            }
            start => self.begin(start, is_return)?,
        }
        if !capture.follows() {
            self.a.mov(word, rax)?;
            return Ok(None);
        }
        let (place, mut next) = (self.new_place(), self.a.create_label());
        self.follow(capture, place)?;
        self.a.mov(word, rax)?;
        self.a.set_label(&mut next)?;
        self.a.nop()?;
        Ok(Some((index, place, next)))
    }

    /// Goes to a label if a record is needed; otherwise what comes next is executed. Adds the places to
    /// go on if a word cannot be read, which is at the label, too.
    pub(crate) fn need(
        &mut self,
        moment: &Moment,
        need: &Need,
        is_return: bool,
        matters: CodeLabel,
        unread: &mut Vec<usize>,
    ) -> Result<()> {
        let mut next = self.a.create_label();
        for test in &need.tests {
            let capture = moment
                .captures
                .get(test.word)
                .filter(|c| c.follows() || !matches!(c.start, Start::Vector(_)));
            let capture = capture.ok_or(Error::new("what is tested is no word"))?;
            self.begin(capture.start, is_return)?;
            if capture.follows() {
                let place = self.new_place();
                unread.push(place);
                self.follow(capture, place)?;
            }
            match test.size {
                1 => self.a.cmp(al, i32::from(test.number as i8))?,
                2 => self.a.cmp(ax, i32::from(test.number as i16))?,
                4 => self.a.cmp(eax, test.number as i32)?,
                8 => {
                    self.a.mov(r11, test.number)?;
                    self.a.cmp(rax, r11)?;
                }
                _ => return Err(Error::new("no width of a word")),
            }
            match test.equal {
                true => self.a.jne(next)?,
                false => self.a.je(next)?,
            }
        }
        match &need.marks {
            None => self.a.jmp(matters)?,
            Some(marks) => {
                for mark in marks {
                    self.mark_of(moment, *mark, is_return)?;
                    self.a.cmp(byte_ptr(r11 + rax), 0)?;
                    self.a.jne(matters)?;
                }
            }
        }
        self.a.set_label(&mut next)?;
        // The label needs an instruction of this block.
        Ok(self.a.nop()?)
    }

    /// Follows the memory of a capture from where it begins; the word is in `rax` then. The thread goes
    /// on at the place of this number if some of it cannot be read.
    pub(crate) fn follow(&mut self, capture: &Capture, place: usize) -> Result<()> {
        for offset in &capture.hops {
            self.fault(place)?;
            self.a.mov(rax, qword_ptr(rax + *offset))?;
        }
        if let Some((offset, width)) = capture.last {
            self.fault(place)?;
            match width {
                1 => self.a.movzx(eax, byte_ptr(rax + offset))?,
                2 => self.a.movzx(eax, word_ptr(rax + offset))?,
                4 => self.a.mov(eax, dword_ptr(rax + offset))?,
                8 => self.a.mov(rax, qword_ptr(rax + offset))?,
                _ => return Err(Error::new("no width of a word")),
            }
        }
        Ok(())
    }

    /// Puts where a capture begins into `rax`.
    pub(crate) fn begin(&mut self, start: Start, is_return: bool) -> Result<()> {
        match start {
            // Saved, and used since.
            Start::Register(0) => self.a.mov(rax, qword_ptr(rsp + (32 + self.depth)))?,
            Start::Register(10) => self.a.mov(rax, qword_ptr(rsp + (24 + self.depth)))?,
            Start::Register(11) => self.a.mov(rax, qword_ptr(rsp + (16 + self.depth)))?,
            Start::Register(3) => self.a.mov(rax, qword_ptr(rsp + (8 + self.depth)))?,
            Start::Register(7) => return Err(Error::new("the stack pointer is not captured")),
            Start::Register(n) => self.a.mov(rax, register(n))?,
            Start::Vector(_) => return Err(Error::new("a vector register is no address")),
            Start::Stack(offset) if !is_return => {
                self.a.mov(rax, qword_ptr(rsp + (SAVED + self.depth + 8 + offset as i32)))?;
            }
            Start::Kept(i) if is_return => {
                self.a.mov(rax, qword_ptr(rsp + (SAVED + self.depth + 8 * i as i32)))?;
            }
            Start::Stack(_) | Start::Kept(_) => return Err(Error::new("not there then")),
            Start::Thread => self.a.rdfsbase(rax)?,
            Start::Constant(number) => self.a.mov(rax, number)?,
        }
        Ok(())
    }

    /// Puts the map of a mark into `r11`, and how far the mark is from its beginning into `rax`.
    fn mark_of(&mut self, moment: &Moment, mark: Mark, is_return: bool) -> Result<()> {
        let capture = moment.captures.get(mark.word).filter(|c| !c.follows());
        let capture = capture.ok_or(Error::new("what is marked is no word"))?;
        if mark.map >= ring::MAPS {
            return Err(Error::new("there is no such map"));
        }
        self.begin(capture.start, is_return)?;
        self.a.imul_3(eax, eax, ring::MIXER as i32)?;
        self.a.shr(eax, 32 - ring::MAP_BITS)?;
        let map = self.places.shared + ring::MARKS + mark.map as u64 * ring::MAP;
        Ok(self.a.mov(r11, map)?)
    }

    /// The next instruction may fault. The thread goes on at the place of this number then.
    fn fault(&mut self, place: usize) -> Result<()> {
        let mut here = self.a.create_label();
        self.a.set_label(&mut here)?;
        self.faults.push((here, place));
        Ok(())
    }

    /// A number for a place to go on after a fault.
    pub(crate) fn new_place(&mut self) -> usize {
        self.mended.push(None);
        self.mended.len() - 1
    }

    fn finish(mut self) -> Result<Code> {
        let options = iced_x86::BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS;
        let done = self.a.assemble_options(self.places.code, options)?;
        let mut faults = Vec::new();
        for (at, place) in &self.faults {
            let next = self.mended[*place].ok_or(Error::new("a fault that nobody mends"))?;
            faults.push((done.label_ip(at)?, done.label_ip(&next)?));
        }
        let stops = self.stops.iter().map(|s| Ok(done.label_ip(s)?)).collect::<Result<_>>()?;
        let escapes =
            self.escapes.iter().map(|(at, to)| Ok((done.label_ip(at)?, done.label_ip(to)?)));
        let escapes = escapes.collect::<Result<_>>()?;
        let moved = self.moved.iter().map(|(at, of)| Ok((done.label_ip(at)?, *of)));
        let moved = moved.collect::<Result<_>>()?;
        Ok(Code { bytes: done.inner.code_buffer, faults, stops, escapes, moved })
    }
}

/// An integer register, by its DWARF number.
fn register(number: u16) -> AsmRegister64 {
    const ALL: [AsmRegister64; 16] =
        [rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15];
    ALL[usize::from(number) % 16]
}

pub(crate) fn vector(number: u16) -> AsmRegisterXmm {
    const ALL: [AsmRegisterXmm; 16] = [
        xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13,
        xmm14, xmm15,
    ];
    ALL[usize::from(number) % 16]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effect, Keys, Layout, Operand, Start, Step, Test};

    fn step(caller: Option<(bool, u64)>, needs: Option<Vec<Need>>, effect: Effect) -> Step {
        let layout = Layout { history: 10, words: 1, start: 0, initial: 0 };
        Step { table: 0x7000_0000, layout, site: 0, kind: 0, caller, needs, effect, kept: vec![1] }
    }

    #[test]
    fn there_is_code_for_every_combination() {
        let function = [0x55, 0x48, 0x89, 0xe5, 0x8d, 0x47, 0x01, 0x5d, 0xc3];
        let prologue = Prologue::read(0x40_1000, &function, &[]).unwrap();
        let places = Places { code: 0x50_0000, shared: 0x7f00_0000_0000, enabled: 0x50_f000 };
        let followed = Capture { start: Start::Thread, hops: vec![8], last: Some((0, 4)) };
        let tests = vec![Test { word: 1, size: 4, equal: true, number: 9 }];
        let needs = Some(vec![Need { marks: None, tests }]);
        let keys = Keys { first: Operand::Word(0, 8, false), second: Operand::Thread };
        for caller in [None, Some((true, 0x40_1000))] {
            for is_needed in [false, true] {
                let given = || is_needed.then(|| needs.clone()).flatten();
                let effects = [Effect::One(keys, vec![Vec::new()]), Effect::Out(vec![keys, keys])];
                let steps = effects.into_iter().map(|effect| step(caller, given(), effect));
                for steps in [Vec::new(), steps.collect()] {
                    let moment = Moment {
                        id: 1,
                        captures: vec![Capture::word(Start::Register(5)), followed.clone()],
                        marks: vec![Mark { map: 0, word: 0 }],
                        needs: given(),
                        steps,
                    };
                    let count = if caller.is_some() { moment.steps.len() } else { 0 };
                    let plan = Plan { entering: Some(moment), returning: None };
                    let code = emit(&plan, &prologue, places).unwrap();
                    assert_eq!(code.escapes.len(), count);
                    assert!(!code.faults.is_empty() && code.bytes.len() < 16 << 10);
                }
            }
        }
    }
}
