//! What happens in the session, as the editor is told it.

use std::cell::RefCell;
use std::rc::Rc;

use watchword_session::{Client, Happening, Level, Moved, Verdict};

use super::wire::Writer;

/// What was noticed, for those who answer requests.
#[derive(Default)]
pub(super) struct Noticed {
    /// The last violation.
    pub verdict: Option<Box<Verdict>>,
    /// The instance that moved last.
    pub moved: Option<Moved>,
    /// The checkpoint that was restored since this was last asked.
    pub restored: Option<i64>,
    /// Monitors, instances or checkpoints changed since this was last asked.
    pub has_changed: bool,
    /// Text is kept instead of shown.
    captured: Option<String>,
}

/// Shows text in the editor's console, and remembers the rest.
pub(super) struct EditorClient {
    pub writer: Writer,
    pub noticed: Rc<RefCell<Noticed>>,
}

impl Client for EditorClient {
    fn happened(&mut self, happening: &Happening) {
        let mut noticed = self.noticed.borrow_mut();
        match happening {
            Happening::Verdict(verdict) if verdict.is_violation => {
                noticed.verdict = Some(verdict.clone());
            }
            Happening::Moved(moved) => noticed.moved = Some(moved.clone()),
            // What a scenario does is part of the run.
            Happening::Restored(restored) if !restored.by_scenario => {
                noticed.restored = Some(restored.number);
            }
            _ => {}
        }
        noticed.has_changed |= !matches!(happening, Happening::Text { .. } | Happening::Running);
        // Where the program is, the editor shows itself.
        if matches!(happening, Happening::Stopped(_) | Happening::Exited { .. }) {
            return;
        }
        let Some((text, level)) = happening.text() else { return };
        let text = match level {
            Level::Plain => text.to_string(),
            Level::Warning => format!("warning: {text}"),
            Level::Error => format!("error: {text}"),
        };
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match &mut noticed.captured {
            Some(captured) => {
                captured.push_str(&text);
                captured.push_str(end);
            }
            None => self.writer.output("console", &format!("{text}{end}")),
        }
    }

    fn wants_moves(&self) -> bool {
        true
    }
}

/// Keeps the text of what is done instead of showing it.
pub(super) fn captured<T>(noticed: &Rc<RefCell<Noticed>>, act: impl FnOnce() -> T) -> (T, String) {
    noticed.borrow_mut().captured = Some(String::new());
    let result = act();
    let text = noticed.borrow_mut().captured.take().unwrap_or_default();
    (result, text)
}
