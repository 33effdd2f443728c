//! Registers of the selected thread, in the layout the debugger was told.

use watchword_debug::{ExtendedState, Registers, ThreadId};

use super::{Answer, Server};
use crate::protocol::hex;
use crate::protocol::layout::{Layout, Register};

/// The state of a thread, to look at and to change.
struct State {
    general: Registers,
    extended: ExtendedState,
}

impl State {
    fn get(&self, register: &Register) -> Option<Vec<u8>> {
        if let Some(value) = self.general.by_name(&register.name) {
            return Some(value.to_le_bytes()[..register.size].to_vec());
        }
        self.extended.get(&register.name)
    }

    /// Whether there is such a register, of this size.
    fn set(&mut self, register: &Register, bytes: &[u8]) -> bool {
        if bytes.len() != register.size {
            return false;
        }
        if self.general.by_name(&register.name).is_some() {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            return self.general.set_by_name(&register.name, u64::from_le_bytes(word));
        }
        self.extended.set(&register.name, bytes)
    }
}

impl Server<'_> {
    fn state(&mut self, thread: ThreadId) -> Option<State> {
        let tracer = self.session.program().debugger().tracer_mut();
        let general = tracer.registers(thread).ok()?;
        let extended = tracer.extended_state(thread).ok()?;
        if self.layout.is_none() {
            self.layout = Some(Layout::new(extended.has_avx(), extended.has_avx512()));
        }
        Some(State { general, extended })
    }

    /// The layout of the registers here.
    pub(super) fn layout(&mut self) -> Layout {
        if self.layout.is_none()
            && let Some(thread) = self.current()
        {
            self.state(thread);
        }
        self.layout.clone().unwrap_or_else(|| Layout::new(false, false))
    }

    pub(super) fn read_registers(&mut self) -> Answer {
        let layout = self.layout();
        let Some(state) = self.current().and_then(|t| self.state(t)) else {
            return Answer::error();
        };
        let mut out = String::new();
        for register in layout.registers() {
            match state.get(register) {
                Some(bytes) => out.push_str(&hex::encode(&bytes)),
                None => out.push_str(&"xx".repeat(register.size)),
            }
        }
        Answer::text(out)
    }

    pub(super) fn read_register(&mut self, number: usize) -> Answer {
        let layout = self.layout();
        let state = self.current().and_then(|t| self.state(t));
        let register = layout.registers().get(number);
        match state.zip(register).and_then(|(state, register)| state.get(register)) {
            Some(bytes) => Answer::text(hex::encode(&bytes)),
            None => Answer::error(),
        }
    }

    /// Registers that are told with a stop, with their numbers.
    pub(super) fn usual_registers(&mut self, thread: ThreadId) -> Vec<(usize, String)> {
        let layout = self.layout();
        let Some(state) = self.state(thread) else { return Vec::new() };
        let value = |number: usize| {
            let bytes = state.get(layout.registers().get(number)?)?;
            Some((number, hex::encode(&bytes)))
        };
        crate::protocol::layout::USUAL.into_iter().filter_map(value).collect()
    }

    pub(super) fn write_registers(&mut self, bytes: &[u8]) -> Answer {
        let layout = self.layout();
        let Some(thread) = self.current() else { return Answer::error() };
        let Some(mut state) = self.state(thread) else { return Answer::error() };
        let mut rest = bytes;
        for register in layout.registers() {
            // A debugger may send the first of them only.
            let Some((now, later)) = rest.split_at_checked(register.size) else { break };
            state.set(register, now);
            rest = later;
        }
        self.put(thread, &state)
    }

    pub(super) fn write_register(&mut self, number: usize, bytes: &[u8]) -> Answer {
        let layout = self.layout();
        let Some(register) = layout.registers().get(number) else { return Answer::error() };
        let Some(thread) = self.current() else { return Answer::error() };
        let Some(mut state) = self.state(thread) else { return Answer::error() };
        match state.set(register, bytes) {
            true => self.put(thread, &state),
            false => Answer::error(),
        }
    }

    fn put(&mut self, thread: ThreadId, state: &State) -> Answer {
        let tracer = self.session.program().debugger().tracer_mut();
        let general = tracer.set_registers(thread, state.general);
        Answer::done(general.and_then(|()| tracer.set_extended_state(thread, &state.extended)))
    }
}
