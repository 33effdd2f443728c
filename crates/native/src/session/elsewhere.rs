//! Threads that go on elsewhere than they would: at another place, without the rest of a function, with
//! another signal.

use watchword_debug::{Error, ErrorKind, Result, Value};

use super::Session;

impl Session {
    /// The thread goes on at another place. Nothing else is changed, so that is for places of the same
    /// function.
    pub fn jump_to(&mut self, place: &str) -> Result<u64> {
        let thread = self.thread()?;
        let found = self.locate(place)?;
        let [address] = found[..] else {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("`{place}` is {} places; name one by `*ADDRESS`", found.len()),
            ));
        };
        self.forget_interrupted();
        let tracer = self.program.debugger.tracer_mut();
        let mut registers = tracer.registers(thread)?;
        registers.set_pc(address);
        tracer.set_registers(thread, registers)?;
        // What is there has not been shown yet.
        self.skip = None;
        self.frame = 0;
        self.way = None;
        Ok(address)
    }

    /// Leaves the selected frame at once, as if its function returned this value: the rest of the function
    /// is not executed.
    pub fn leave_frame(&mut self, value: Option<&str>) -> Result<Option<Value>> {
        let thread = self.thread()?;
        self.forget_interrupted();
        let value = self.program.debugger.leave_frame(thread, self.frame, value)?;
        self.skip = None;
        self.frame = 0;
        self.way = None;
        Ok(value)
    }

    /// The thread gets this signal when it goes on, instead of the one it was about to get; 0 is none.
    pub fn send_signal(&mut self, signal: i32) -> Result<()> {
        let thread = self.thread()?;
        let tracer = self.program.debugger.tracer_mut();
        if signal == 0 {
            return tracer.forget_signal(thread);
        }
        tracer.deliver(thread, signal)?;
        self.sent = Some((thread, signal));
        Ok(())
    }
}
