//! Registers are written before they are read, whatever path was taken.
//!
//! While transitions are lowered their reads and writes of registers are noted, in order. A
//! forward analysis over the states then finds the registers that are surely written when a state
//! is entered, and every read of one that is not.

use watchword_model::{RegisterId, Span};

/// Something that happens to registers.
#[derive(Clone, Debug)]
pub(super) enum Flow {
    Read(RegisterId, Span),
    Write(RegisterId),
    /// One of two.
    Either(Vec<Flow>, Vec<Flow>),
    /// Perhaps, perhaps not, perhaps often.
    Maybe(Vec<Flow>),
}

/// One way from a state to another (or to nowhere).
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub source: usize,
    pub target: Option<usize>,
    pub flow: Vec<Flow>,
    /// What is read after the target's entry action: messages.
    pub after: Vec<Flow>,
}

/// A read that some path reaches without a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EarlyRead {
    pub register: RegisterId,
    pub span: Span,
}

type Written = Vec<bool>;

/// The early reads; `entry` is what happens on entering each state.
pub(super) fn early_reads(
    states: usize,
    start: usize,
    initial: Written,
    edges: &[Edge],
    entry: &[Vec<Flow>],
) -> Vec<EarlyRead> {
    // `None`: not reached yet, every register counts as written.
    let mut at: Vec<Option<Written>> = vec![None; states];
    at[start] = Some(initial);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        for edge in edges.iter().filter(|e| e.source == state) {
            let Some(target) = edge.target else { continue };
            let mut written = at[state].clone().unwrap_or_default();
            apply(&edge.flow, &mut written, &mut |_, _| {});
            apply(&entry[target], &mut written, &mut |_, _| {});
            let merged = match &at[target] {
                None => written,
                Some(before) => before.iter().zip(&written).map(|(a, b)| *a && *b).collect(),
            };
            if at[target].as_ref() != Some(&merged) {
                at[target] = Some(merged);
                todo.push(target);
            }
        }
    }
    let mut early = Vec::new();
    for edge in edges {
        let Some(written) = &at[edge.source] else { continue };
        let mut written = written.clone();
        let mut note = |register, span| {
            let read = EarlyRead { register, span };
            if !early.contains(&read) {
                early.push(read);
            }
        };
        apply(&edge.flow, &mut written, &mut note);
        if let Some(target) = edge.target {
            apply(&entry[target], &mut written, &mut note);
        }
        apply(&edge.after, &mut written, &mut note);
    }
    early
}

fn apply(flow: &[Flow], written: &mut Written, note: &mut dyn FnMut(RegisterId, Span)) {
    for step in flow {
        match step {
            Flow::Read(register, span) => {
                if !written[register.index()] {
                    note(*register, *span);
                }
            }
            Flow::Write(register) => written[register.index()] = true,
            Flow::Either(a, b) => {
                let mut other = written.clone();
                apply(a, written, note);
                apply(b, &mut other, note);
                for (w, o) in written.iter_mut().zip(other) {
                    *w &= o;
                }
            }
            Flow::Maybe(a) => apply(a, &mut written.clone(), note),
        }
    }
}
