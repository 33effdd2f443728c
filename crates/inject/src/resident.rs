//! The code that steps instances inside the program; see [`crate::Table`].
//!
//! The words of the moment are read first, into a frame on the stack, because reading may fault; then each
//! step takes the lock of one bucket, changes it, and lets it go. Nothing is waited for while a lock is
//! held. What cannot be stepped is marked in the frame: a record is written after the steps.

use iced_x86::code_asm::*;

use crate::error::{Error, Result};
use crate::plan::{
    Choice, Comparison, Condition, Effect, Keys, Moment, Operand, Step, Then, Update,
};
use crate::ring;
use crate::table;
use crate::trampoline::Writer;

// The frame: the words, then
/// which of them could not be read,
pub(crate) const UNREAD: i32 = 32;
/// whether a record is needed,
const NEEDED: i32 = 33;
/// which steps are done,
pub(crate) const DONE: i32 = 34;
/// the number of the thread,
const THREAD: i32 = 40;
/// where the function returns to,
pub(crate) const CALLER: i32 = 48;
/// and registers of the program.
const KEPT: i32 = 56;
/// Bytes of the frame.
pub(crate) const FRAME: i32 = 96;

/// So often a lock is looked at before the tracer is asked to let its holder run.
const PATIENCE: i32 = 2000;
/// What numbers are mixed with to be keys; see [`Operand::Key`].
const KEY: u64 = 1 << 63;

/// Where the code of a step goes on.
#[derive(Clone, Copy)]
struct Ways {
    /// The event is dealt with, and the bucket is locked.
    done: CodeLabel,
    /// The tracer has to deal with it, and the bucket is locked.
    out: CodeLabel,
}

/// Where a condition goes on.
#[derive(Clone, Copy)]
struct Answers {
    yes: CodeLabel,
    no: CodeLabel,
    unknown: CodeLabel,
}

impl Writer {
    /// Does the steps of a moment. Afterwards the frame is there, and all registers are as before but for
    /// those that [`Writer::save`] has saved. Goes to `record` if a record is needed, and to `end` if the
    /// thread is lent to a child process, whose events are nobody's.
    pub(crate) fn steps(
        &mut self,
        moment: &Moment,
        above: i32,
        is_return: bool,
        record: CodeLabel,
        end: CodeLabel,
    ) -> Result<()> {
        if moment.steps.len() > Step::MOST {
            return Err(Error::new("too many steps"));
        }
        self.a.lea(rsp, rsp - FRAME)?;
        self.depth = FRAME;
        self.a.mov(dword_ptr(rsp + UNREAD), 0)?;
        let mut others = self.a.create_label();
        self.unneeded(moment, is_return, others)?;
        for (i, capture) in moment.captures.iter().enumerate() {
            self.frame_word(i, capture, is_return)?;
        }
        self.caller(above)?;
        self.a.mov(qword_ptr(rsp + CALLER), rax)?;
        for (i, register) in [rcx, rdx, rsi, rdi].into_iter().enumerate() {
            self.a.mov(qword_ptr(rsp + (KEPT + 8 * i as i32)), register)?;
        }
        let mut lent = self.a.create_label();
        self.thread(lent)?;
        for (i, step) in moment.steps.iter().enumerate() {
            self.step(i, step)?;
        }
        self.keep_back()?;
        self.a.cmp(byte_ptr(rsp + NEEDED), 0)?;
        self.a.jne(record)?;
        self.a.jmp(others)?;
        self.a.set_label(&mut lent)?;
        self.keep_back()?;
        self.a.jmp(end)?;
        self.a.set_label(&mut others)?;
        Ok(self.a.nop()?)
    }

    /// Marks the steps as done that do not matter; goes to `none` if none does, with the frame as if it
    /// were filled.
    fn unneeded(&mut self, moment: &Moment, is_return: bool, none: CodeLabel) -> Result<()> {
        for (i, step) in moment.steps.iter().enumerate() {
            let Some(needs) = &step.needs else { continue };
            let (mut matters, mut unread) = (self.a.create_label(), Vec::new());
            for need in needs {
                self.need(moment, need, is_return, matters, &mut unread)?;
            }
            self.a.or(byte_ptr(rsp + DONE), 1 << i)?;
            self.a.set_label(&mut matters)?;
            self.a.nop()?;
            unread.into_iter().for_each(|place| self.mended[place] = Some(matters));
        }
        if moment.needs.is_some() && moment.steps.iter().all(|step| step.needs.is_some()) {
            let all = (1u32 << moment.steps.len()) - 1;
            self.a.cmp(byte_ptr(rsp + DONE), i32::from(all as u8 as i8))?;
            self.a.je(none)?;
        }
        Ok(())
    }

    /// Gives the program its registers back.
    fn keep_back(&mut self) -> Result<()> {
        for (i, register) in [rcx, rdx, rsi, rdi].into_iter().enumerate() {
            self.a.mov(register, qword_ptr(rsp + (KEPT + 8 * i as i32)))?;
        }
        Ok(())
    }

    fn frame_word(&mut self, i: usize, capture: &crate::Capture, is_return: bool) -> Result<()> {
        let word = qword_ptr(rsp + 8 * i as i32);
        match capture.start {
            crate::Start::Vector(n) if !capture.follows() => {
                return Ok(self.a.movq(word, crate::trampoline::vector(n))?);
            }
            start => self.begin(start, is_return)?,
        }
        if !capture.follows() {
            return Ok(self.a.mov(word, rax)?);
        }
        let (place, mut bad, mut next) =
            (self.new_place(), self.a.create_label(), self.a.create_label());
        self.follow(capture, place)?;
        self.a.jmp(next)?;
        self.a.set_label(&mut bad)?;
        self.mended[place] = Some(bad);
        self.a.or(byte_ptr(rsp + UNREAD), 1 << i)?;
        self.a.set_label(&mut next)?;
        Ok(self.a.mov(word, rax)?)
    }

    /// Puts the number of the thread into the frame; goes to `lent` if it has none.
    fn thread(&mut self, lent: CodeLabel) -> Result<()> {
        let (mut found, mut known) = (self.a.create_label(), self.a.create_label());
        self.a.rdfsbase(rax)?;
        self.a.mov(r11, self.places.shared)?;
        self.known_at()?;
        for i in 0..ring::PROBES {
            let at = ring::THREADS + 16 * i;
            let mut next = self.a.create_label();
            self.a.cmp(qword_ptr(r11 + rcx + at), rax)?;
            self.a.jne(next)?;
            self.a.mov(eax, dword_ptr(r11 + rcx + (at + 8)))?;
            self.a.jmp(found)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        self.a.mov(eax, dword_ptr(r11 + ring::FIRST_THREAD))?;
        self.a.jmp(known)?;
        self.a.set_label(&mut found)?;
        self.a.test(eax, eax)?;
        self.a.je(lent)?;
        self.a.set_label(&mut known)?;
        Ok(self.a.mov(qword_ptr(rsp + THREAD), rax)?)
    }

    /// Puts how far from the beginning of its table what is known of `eax` is into `rcx`.
    fn known_at(&mut self) -> Result<()> {
        self.a.imul_3(ecx, eax, ring::MIXER as i32)?;
        self.a.shr(ecx, 32 - ring::KNOWN_BITS)?;
        Ok(self.a.shl(ecx, 4)?)
    }

    fn step(&mut self, number: usize, step: &Step) -> Result<()> {
        let (mut over, mut finished) = (self.a.create_label(), self.a.create_label());
        if step.needs.is_some() {
            self.a.test(byte_ptr(rsp + DONE), 1 << number)?;
            self.a.jne(over)?;
        }
        let mut unanswered = self.a.create_label();
        let waiting = match step.caller {
            Some((is_inside, function)) => Some(self.is_called(is_inside, function, finished)?),
            None => None,
        };
        match &step.effect {
            Effect::One(keys, rows) => {
                let ways = self.lock(step, *keys)?;
                self.one(step, *keys, rows, ways)?;
                self.unlock(step, ways, finished, over)?;
                if let Some(waiting) = waiting {
                    self.a.set_label(&mut unanswered)?;
                    self.escapes.push((waiting, unanswered));
                    self.all_out(step, &[*keys], over)?;
                }
            }
            Effect::Out(all) => {
                if let Some(waiting) = waiting {
                    self.a.set_label(&mut unanswered)?;
                    self.escapes.push((waiting, unanswered));
                }
                self.all_out(step, all, over)?;
            }
            Effect::All(first) => {
                if waiting.is_some() {
                    return Err(Error::new("the caller of such an event is not known in time"));
                }
                let keys = Keys { first: *first, second: Operand::Constant(0) };
                let ways = self.lock(step, keys)?;
                self.all(step, ways)?;
                self.unlock(step, ways, finished, over)?;
            }
        }
        self.a.set_label(&mut finished)?;
        self.a.or(byte_ptr(rsp + DONE), 1 << number)?;
        self.a.set_label(&mut over)?;
        Ok(self.a.nop()?)
    }

    /// The tracer takes over the instances with these keys.
    fn all_out(&mut self, step: &Step, all: &[Keys], over: CodeLabel) -> Result<()> {
        self.a.nop()?;
        for keys in all {
            let mut ways = self.lock(step, *keys)?;
            self.out(step, *keys, ways)?;
            self.a.set_label(&mut ways.done)?;
            self.a.nop()?;
            self.a.set_label(&mut ways.out)?;
            self.a.mov(dword_ptr(r11 + table::LOCK), 0)?;
        }
        self.a.mov(byte_ptr(rsp + NEEDED), 1)?;
        Ok(self.a.jmp(over)?)
    }

    /// Lets the lock go. An event that is dealt with is counted; of others the tracer gets a record.
    fn unlock(
        &mut self,
        step: &Step,
        mut ways: Ways,
        finished: CodeLabel,
        over: CodeLabel,
    ) -> Result<()> {
        self.a.set_label(&mut ways.done)?;
        self.a.inc(dword_ptr(r11 + (table::COUNTS + 4 * step.kind as u64)))?;
        self.a.mov(dword_ptr(r11 + table::LOCK), 0)?;
        self.a.jmp(finished)?;
        self.a.set_label(&mut ways.out)?;
        self.a.mov(dword_ptr(r11 + table::LOCK), 0)?;
        self.a.mov(byte_ptr(rsp + NEEDED), 1)?;
        Ok(self.a.jmp(over)?)
    }

    /// Goes on if the function was called from where it has to be, and otherwise to `finished`: then there
    /// is no event. If it is not known yet, the tracer is asked; the thread stops at the label of the answer
    /// until it knows.
    fn is_called(
        &mut self,
        is_inside: bool,
        function: u64,
        finished: CodeLabel,
    ) -> Result<CodeLabel> {
        let (mut again, mut ask) = (self.a.create_label(), self.a.create_label());
        let (mut wait, mut known) = (self.a.create_label(), self.a.create_label());
        // Whether it was asked already.
        self.a.xor(ebx, ebx)?;
        self.a.set_label(&mut again)?;
        self.a.mov(rax, qword_ptr(rsp + CALLER))?;
        self.known_at()?;
        self.a.mov(r11, self.places.shared)?;
        self.a.mov(rdi, function)?;
        for i in 0..ring::PROBES {
            let at = ring::CALLERS + 16 * i;
            let mut next = self.a.create_label();
            self.a.mov(rdx, qword_ptr(r11 + rcx + (at + 8)))?;
            self.a.mov(rsi, rdx)?;
            self.a.shr(rsi, 1)?;
            self.a.cmp(rsi, rax)?;
            self.a.jne(next)?;
            self.a.cmp(qword_ptr(r11 + rcx + at), rdi)?;
            self.a.jne(next)?;
            // It may have been written in between.
            self.a.cmp(qword_ptr(r11 + rcx + (at + 8)), rdx)?;
            self.a.je(known)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        self.a.test(ebx, ebx)?;
        self.a.je(ask)?;
        self.a.set_label(&mut wait)?;
        self.a.int3()?;
        let mut stop = self.a.create_label();
        self.a.set_label(&mut stop)?;
        self.a.jmp(again)?;
        self.stops.push(stop);
        self.a.set_label(&mut ask)?;
        self.reserve(ring::QUESTION)?;
        self.a.mov(qword_ptr(r11 + ring::VALUES), rdi)?;
        self.a.mov(rax, qword_ptr(rsp + CALLER))?;
        self.a.mov(qword_ptr(r11 + ring::CALLER), rax)?;
        self.publish()?;
        self.a.inc(ebx)?;
        self.a.jmp(wait)?;
        self.a.set_label(&mut known)?;
        self.a.test(dl, 1)?;
        match is_inside {
            true => self.a.je(finished)?,
            false => self.a.jne(finished)?,
        }
        Ok(stop)
    }

    /// Puts the keys of an instance into `rsi` and `rdi` and its bucket into `r11`, and locks it. What
    /// has no first key is dealt with.
    fn lock(&mut self, step: &Step, keys: Keys) -> Result<Ways> {
        let ways = Ways { done: self.a.create_label(), out: self.a.create_label() };
        let (mut again, mut locked) = (self.a.create_label(), self.a.create_label());
        let (mut spin, mut look) = (self.a.create_label(), self.a.create_label());
        self.operand(keys.second, rdi)?;
        self.operand(keys.first, rsi)?;
        self.a.imul_3(ecx, esi, ring::MIXER as i32)?;
        self.a.shr(ecx, 32 - table::BUCKET_BITS)?;
        self.a.imul_3(rcx, rcx, step.layout.bucket() as i32)?;
        self.a.mov(r11, step.table)?;
        self.a.add(r11, rcx)?;
        self.a.set_label(&mut again)?;
        self.a.mov(eax, 1)?;
        self.a.xchg(dword_ptr(r11 + table::LOCK), eax)?;
        self.a.test(eax, eax)?;
        self.a.je(locked)?;
        self.a.mov(r10d, PATIENCE)?;
        self.a.set_label(&mut look)?;
        self.a.pause()?;
        self.a.cmp(dword_ptr(r11 + table::LOCK), 0)?;
        self.a.je(again)?;
        self.a.dec(r10d)?;
        self.a.jne(look)?;
        self.a.int3()?;
        self.a.set_label(&mut spin)?;
        self.a.jmp(again)?;
        self.stops.push(spin);
        self.a.set_label(&mut locked)?;
        self.a.test(rsi, rsi)?;
        match keys.first {
            Operand::Key(..) => self.a.je(ways.out)?,
            _ => self.a.je(ways.done)?,
        }
        Ok(ways)
    }

    /// Puts the entry of the instance into `rbx` and goes to `found`, or goes on.
    fn search(&mut self, step: &Step, keys: Keys, found: CodeLabel) -> Result<()> {
        for way in 0..table::WAYS {
            let mut next = self.a.create_label();
            self.a.cmp(qword_ptr(r11 + (table::KEYS + 8 * way)), rsi)?;
            self.a.jne(next)?;
            if keys.second != Operand::Constant(0) {
                self.a.cmp(qword_ptr(r11 + (table::OTHERS + 8 * way)), rdi)?;
                self.a.jne(next)?;
            }
            self.a.lea(rbx, r11 + entry(step, way))?;
            self.a.jmp(found)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        Ok(())
    }

    /// Makes a place for an instance that is not there, and goes on with it in `rbx`. The tracer's
    /// are those for which there is none.
    fn insert(&mut self, step: &Step, ways: Ways) -> Result<()> {
        let mut there = self.a.create_label();
        self.a.test(dword_ptr(r11 + table::FLAGS), table::OVERFLOWED as i32)?;
        self.a.jne(ways.out)?;
        for way in 0..table::WAYS {
            let (mut next, mut free) = (self.a.create_label(), self.a.create_label());
            self.a.lea(rbx, r11 + entry(step, way))?;
            self.a.cmp(qword_ptr(r11 + (table::KEYS + 8 * way)), 0)?;
            self.a.je(free)?;
            // Neither out nor different from a new one.
            self.a.cmp(word_ptr(rbx + table::LENGTH), 0)?;
            self.a.jne(next)?;
            self.a.cmp(word_ptr(rbx + table::OUT), 0)?;
            self.a.jne(next)?;
            self.a.set_label(&mut free)?;
            self.a.mov(qword_ptr(r11 + (table::KEYS + 8 * way)), rsi)?;
            self.a.mov(qword_ptr(r11 + (table::OTHERS + 8 * way)), rdi)?;
            self.a.jmp(there)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        self.a.or(dword_ptr(r11 + table::FLAGS), table::OVERFLOWED as i32)?;
        self.a.jmp(ways.out)?;
        self.a.set_label(&mut there)?;
        self.a.mov(rax, u64::from(step.layout.start))?;
        self.a.mov(qword_ptr(rbx + table::STATE), rax)?;
        self.a.mov(rax, step.layout.initial)?;
        Ok(self.a.mov(qword_ptr(rbx + table::VARIABLE), rax)?)
    }

    /// The tracer takes an instance over.
    fn out(&mut self, step: &Step, keys: Keys, ways: Ways) -> Result<()> {
        let mut found = self.a.create_label();
        self.search(step, keys, found)?;
        self.insert(step, ways)?;
        self.a.set_label(&mut found)?;
        // The tracer changes it once it is out.
        self.a.cmp(word_ptr(rbx + table::OUT), 0)?;
        self.a.jne(ways.out)?;
        self.a.mov(word_ptr(rbx + table::OUT), 1)?;
        Ok(self.a.jmp(ways.out)?)
    }

    /// The tracer takes over all instances with the first key that are not as new.
    fn all(&mut self, step: &Step, ways: Ways) -> Result<()> {
        self.a.mov(edx, dword_ptr(r11 + table::FLAGS))?;
        self.a.and(edx, table::OVERFLOWED as i32)?;
        for way in 0..table::WAYS {
            let (mut next, mut is) = (self.a.create_label(), self.a.create_label());
            self.a.cmp(qword_ptr(r11 + (table::KEYS + 8 * way)), rsi)?;
            self.a.jne(next)?;
            self.a.lea(rbx, r11 + entry(step, way))?;
            self.a.cmp(word_ptr(rbx + table::OUT), 0)?;
            self.a.jne(is)?;
            self.a.cmp(word_ptr(rbx + table::LENGTH), 0)?;
            self.a.je(next)?;
            self.a.mov(word_ptr(rbx + table::OUT), 1)?;
            self.a.set_label(&mut is)?;
            self.a.mov(edx, 1)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        self.a.test(edx, edx)?;
        Ok(self.a.jne(ways.out)?)
    }

    /// Steps one instance.
    fn one(&mut self, step: &Step, keys: Keys, rows: &[Vec<Choice>], ways: Ways) -> Result<()> {
        let (mut found, mut there) = (self.a.create_label(), self.a.create_label());
        let mut leave = self.a.create_label();
        self.search(step, keys, found)?;
        if rows.get(usize::from(step.layout.start)).is_some_and(Vec::is_empty) {
            // Nothing happens to an instance that is as new; if it is the tracer's, that knows.
            self.a.test(dword_ptr(r11 + table::FLAGS), table::OVERFLOWED as i32)?;
            self.a.jne(ways.out)?;
            self.a.jmp(ways.done)?;
        } else {
            self.insert(step, ways)?;
            self.a.jmp(there)?;
        }
        self.a.set_label(&mut found)?;
        self.a.cmp(word_ptr(rbx + table::OUT), 0)?;
        self.a.jne(ways.out)?;
        self.a.set_label(&mut there)?;
        self.a.cmp(byte_ptr(rsp + UNREAD), 0)?;
        self.a.jne(leave)?;
        self.a.movzx(eax, word_ptr(rbx + table::STATE))?;
        for (state, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            let mut next = self.a.create_label();
            self.a.cmp(eax, state as i32)?;
            self.a.jne(next)?;
            for choice in row {
                self.choice(step, choice, ways, leave)?;
            }
            self.a.jmp(ways.done)?;
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        self.a.jmp(ways.done)?;
        self.a.set_label(&mut leave)?;
        self.a.mov(word_ptr(rbx + table::OUT), 1)?;
        Ok(self.a.jmp(ways.out)?)
    }

    /// Takes a choice if it fits, or goes on.
    fn choice(&mut self, step: &Step, choice: &Choice, ways: Ways, leave: CodeLabel) -> Result<()> {
        let (mut yes, mut no) = (self.a.create_label(), self.a.create_label());
        self.condition(&choice.when, Answers { yes, no, unknown: leave })?;
        self.a.set_label(&mut yes)?;
        self.a.nop()?;
        match choice.then {
            Then::Out => self.a.jmp(leave)?,
            Then::Go(update, state) => {
                match update {
                    Some(Update::Set(number)) => {
                        self.a.mov(rax, number)?;
                        self.a.mov(qword_ptr(rbx + table::VARIABLE), rax)?;
                    }
                    Some(Update::Add(number)) => {
                        self.a.mov(rax, qword_ptr(rbx + table::VARIABLE))?;
                        self.a.add(rax, number)?;
                        self.a.jo(leave)?;
                        self.a.mov(qword_ptr(rbx + table::VARIABLE), rax)?;
                    }
                    None => {}
                }
                self.remember(step, state, ways)?;
            }
        }
        self.a.set_label(&mut no)?;
        Ok(self.a.nop()?)
    }

    /// The instance enters a state, and the step becomes part of its history, unless it is as new then.
    fn remember(&mut self, step: &Step, state: u16, ways: Ways) -> Result<()> {
        let layout = &step.layout;
        let (mut differs, mut made) = (self.a.create_label(), self.a.create_label());
        if state == layout.start {
            self.a.mov(rax, layout.initial)?;
            self.a.cmp(qword_ptr(rbx + table::VARIABLE), rax)?;
            self.a.jne(differs)?;
            self.a.mov(rax, u64::from(state))?;
            self.a.mov(qword_ptr(rbx + table::STATE), rax)?;
            self.a.jmp(ways.done)?;
        }
        self.a.set_label(&mut differs)?;
        self.a.movzx(edx, word_ptr(rbx + table::LENGTH))?;
        self.a.test(edx, edx)?;
        self.a.jne(made)?;
        self.a.inc(dword_ptr(r11 + table::CREATED))?;
        self.a.set_label(&mut made)?;
        self.a.mov(word_ptr(rbx + table::STATE), i32::from(state))?;
        let (mut counted, mut around) = (self.a.create_label(), self.a.create_label());
        self.a.cmp(edx, i32::from(layout.history) + 1)?;
        self.a.jae(counted)?;
        self.a.inc(edx)?;
        self.a.mov(word_ptr(rbx + table::LENGTH), dx)?;
        self.a.set_label(&mut counted)?;
        if layout.history == 0 {
            return Ok(self.a.jmp(ways.done)?);
        }
        self.a.movzx(edx, word_ptr(rbx + table::NEXT))?;
        self.a.imul_3(ecx, edx, layout.step() as i32)?;
        self.a.lea(rcx, rbx + rcx + table::STEPS)?;
        self.a.mov(eax, dword_ptr(rsp + THREAD))?;
        self.a.mov(dword_ptr(rcx + table::STEP_THREAD), eax)?;
        self.a.mov(
            dword_ptr(rcx + table::STEP_SITE),
            (u32::from(step.site) | u32::from(state) << 16) as i32,
        )?;
        self.a.mov(rax, qword_ptr(rsp + CALLER))?;
        self.a.mov(qword_ptr(rcx + table::STEP_CALLER), rax)?;
        for (i, word) in step.kept.iter().enumerate().take(usize::from(layout.words)) {
            self.a.mov(rax, qword_ptr(rsp + 8 * *word as i32))?;
            self.a.mov(qword_ptr(rcx + (table::STEP_WORDS + 8 * i as u64)), rax)?;
        }
        self.a.inc(edx)?;
        self.a.cmp(edx, i32::from(layout.history))?;
        self.a.jb(around)?;
        self.a.xor(edx, edx)?;
        self.a.set_label(&mut around)?;
        self.a.mov(word_ptr(rbx + table::NEXT), dx)?;
        Ok(self.a.jmp(ways.done)?)
    }

    fn condition(&mut self, condition: &Condition, to: Answers) -> Result<()> {
        match condition {
            Condition::Constant(true) => Ok(self.a.jmp(to.yes)?),
            Condition::Constant(false) => Ok(self.a.jmp(to.no)?),
            Condition::Unknown => Ok(self.a.jmp(to.unknown)?),
            Condition::Not(inner) => {
                self.condition(inner, Answers { yes: to.no, no: to.yes, ..to })
            }
            Condition::And(one, other) => {
                let mut next = self.a.create_label();
                self.condition(one, Answers { yes: next, ..to })?;
                self.a.set_label(&mut next)?;
                self.a.nop()?;
                self.condition(other, to)
            }
            Condition::Or(one, other) => {
                let mut next = self.a.create_label();
                self.condition(one, Answers { no: next, ..to })?;
                self.a.set_label(&mut next)?;
                self.a.nop()?;
                self.condition(other, to)
            }
            Condition::Compare(one, how, other) => {
                self.operand(*one, rcx)?;
                self.operand(*other, rdx)?;
                self.a.cmp(rcx, rdx)?;
                match how {
                    Comparison::Equal => self.a.je(to.yes)?,
                    Comparison::Different => self.a.jne(to.yes)?,
                    Comparison::Less => self.a.jl(to.yes)?,
                    Comparison::LessOrEqual => self.a.jle(to.yes)?,
                    Comparison::Greater => self.a.jg(to.yes)?,
                    Comparison::GreaterOrEqual => self.a.jge(to.yes)?,
                }
                Ok(self.a.jmp(to.no)?)
            }
        }
    }

    /// Puts a number into a register. `rax` changes.
    fn operand(&mut self, operand: Operand, to: AsmRegister64) -> Result<()> {
        let word = |word: usize| rsp + 8 * word as i32;
        match operand {
            Operand::Word(at, size, signed) | Operand::Key(at, size, signed) => {
                match (size, signed) {
                    (8, _) => self.a.mov(to, qword_ptr(word(at)))?,
                    (4, true) => self.a.movsxd(to, dword_ptr(word(at)))?,
                    (4, false) => {
                        self.a.mov(eax, dword_ptr(word(at)))?;
                        self.a.mov(to, rax)?;
                    }
                    (2, true) => self.a.movsx(to, word_ptr(word(at)))?,
                    (2, false) => self.a.movzx(to, word_ptr(word(at)))?,
                    (1, true) => self.a.movsx(to, byte_ptr(word(at)))?,
                    (1, false) => self.a.movzx(to, byte_ptr(word(at)))?,
                    _ => return Err(Error::new("no width of a word")),
                }
                if let Operand::Key(..) = operand {
                    self.a.mov(rax, KEY)?;
                    self.a.xor(to, rax)?;
                }
            }
            Operand::Thread => self.a.mov(to, qword_ptr(rsp + THREAD))?,
            Operand::Variable => self.a.mov(to, qword_ptr(rbx + table::VARIABLE))?,
            Operand::Constant(number) => self.a.mov(to, number)?,
        }
        Ok(())
    }
}

fn entry(step: &Step, way: u64) -> u64 {
    table::ENTRIES + way * step.layout.entry()
}
