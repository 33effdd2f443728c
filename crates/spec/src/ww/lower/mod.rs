//! Trees to model: names are resolved, types checked, automata built.
//!
//! Lowering goes on after a mistake and reports as many as it can; the caller throws the model
//! away if there was an error.

mod bind;
mod context;
mod declare;
mod elapsed;
mod endless;
mod expr;
mod flow;
mod formula;
mod label;
mod letters;
mod pattern;
mod promise;
mod property;
mod recall;
mod scope;
mod setting;
mod source;
mod stmt;
mod types;
mod undeclared;
mod visit;
mod window;

pub(crate) use declare::RESERVED_EVENTS;
pub(crate) use expr::ARGUMENT;
pub(crate) use setting::setting_text;

use std::collections::HashMap;

use flow::Flow;
use watchword_model::{ClockId, EventId, FunctionId, Model, Span};

use super::tree::File;
use crate::diagnostic::Diagnostic;
use crate::files::{SourceFile, text_of};
use crate::given::{Given, Setting};

/// Nobody reads more, and telling them apart takes time.
const MAX_DIAGNOSTICS: usize = 500;

/// What is known of a declared event.
struct EventEntry {
    id: EventId,
    /// Where the name was declared or first used.
    span: Span,
    /// Not declared; known from its uses.
    implicit: bool,
}

/// What is known of a declared function.
#[derive(Clone, Copy)]
struct FunctionEntry {
    id: FunctionId,
    span: Span,
}

/// The work in progress.
pub(super) struct Lowering<'f> {
    model: Model,
    files: &'f [SourceFile],
    diagnostics: Vec<Diagnostic>,
    events: HashMap<String, EventEntry>,
    functions: HashMap<String, FunctionEntry>,
    properties: HashMap<String, Span>,
    contexts: HashMap<String, Span>,
    /// Clocks that can be named where statements and labels are being lowered.
    clocks: Vec<(String, ClockId)>,
    /// By clock: the names of the contexts and the property around it.
    clock_owners: Vec<String>,
    /// Calls of functions by what is being lowered.
    calls: Vec<(FunctionId, Span)>,
    /// Which function calls which.
    call_graph: Vec<(FunctionId, Vec<(FunctionId, Span)>)>,
    /// Reads and writes of registers by what is being lowered, in order.
    flow: Vec<Flow>,
    /// How many locals the transition or function being lowered has.
    locals: u32,
    /// How many loops are open where statements are being lowered.
    loops: u32,
    /// Where variables stand that have the type of their first value.
    guessed: Vec<Span>,
    /// What was given from outside.
    given: &'f Given,
    /// By assignment from outside: whether there is a `param` for it.
    taken: Vec<bool>,
    settings: Vec<Setting>,
    /// How often a `param` was read so far.
    setting_reads: usize,
    /// Labels whose guards read a `param`.
    chosen: Vec<Span>,
}

/// What lowering gives.
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// What is to be said.
    pub diagnostics: Vec<Diagnostic>,
    /// Every `param`, with its value in this run.
    pub settings: Vec<Setting>,
    /// Labels whose guards read a `param`: what they are in this run, they need not be in others.
    pub chosen: Vec<Span>,
}

/// Lowers all files of a run together.
pub fn lower(trees: &[File], files: &[SourceFile], given: &Given) -> Lowered {
    let mut lowering = Lowering {
        model: Model::default(),
        files,
        diagnostics: Vec::new(),
        events: HashMap::new(),
        functions: HashMap::new(),
        properties: HashMap::new(),
        contexts: HashMap::new(),
        clocks: Vec::new(),
        clock_owners: Vec::new(),
        calls: Vec::new(),
        call_graph: Vec::new(),
        flow: Vec::new(),
        locals: 0,
        loops: 0,
        guessed: Vec::new(),
        given,
        taken: vec![false; given.set.len()],
        settings: Vec::new(),
        setting_reads: 0,
        chosen: Vec::new(),
    };
    lowering.declare(trees);
    lowering.bodies(trees);
    elapsed::remember_starts(&mut lowering.model);
    lowering.refuse_unknown_settings();
    lowering.tell_unused_settings();
    let Lowering { model, diagnostics, settings, chosen, .. } = lowering;
    Lowered { model, diagnostics, settings, chosen }
}

impl Lowering<'_> {
    /// What was written there, on one line.
    fn text(&self, span: Span) -> String {
        text_of(self.files, span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // A transition with alternatives is lowered once per alternative.
        if self.diagnostics.len() < MAX_DIAGNOSTICS && !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}
