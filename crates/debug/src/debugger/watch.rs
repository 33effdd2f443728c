//! Watching what an expression names.

use super::Debugger;
use crate::error::{Error, Result};
use crate::point::{Owner, PointId};
use crate::tracer::ThreadId;
use crate::watch::{Access, WatchMethod};

impl Debugger {
    /// Watches the object an expression names now: `queue.size`, `p->next`, `a[3]`. If the
    /// expression later means another object (because `p` changed), that is for the caller to
    /// notice, by watching `p` as well.
    pub fn watch(
        &mut self,
        thread: ThreadId,
        frame: usize,
        text: &str,
        access: Access,
        method: WatchMethod,
        owner: Owner,
    ) -> Result<PointId> {
        let value = self.eval(thread, frame, text)?;
        let address = value.address().ok_or_else(|| {
            Error::expression(format!("`{text}` is not in memory and cannot be watched"))
        })?;
        let process = self.tracer.process_of(thread)?;
        self.tracer.watch(process, address, value.ty.size.max(1), access, method, owner)
    }
}
