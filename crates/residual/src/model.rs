//! CFG automata: what a method can do, as an automaton over a property's events.
//!
//! Every instruction is an event, an *escape* (`#`: an object may leave the method, and anything may
//! happen to it) or erased. States stand for events and escapes; an edge is labelled by the state it
//! leaves, so that a sink behind the exits is needed for the last label to count. Erased instructions
//! are merged away. Exceptional edges are part of the graph: an event before an instruction that
//! throws has happened, one after it has not.
//!
//! Two published variants differ in what is accepting (the exits, or everything: the language is then
//! closed under prefixes) and in what escapes (calls that pass objects, or also stores to fields and
//! returned objects). A [`SafeList`] says which instructions are harmless; both papers suggest calls
//! of the JDK.
//!
//! ```
//! use watchword_automata::finite::Letter;
//! use watchword_residual::model::{Label, MethodModel, Node};
//!
//! // create; next*; an escape; next
//! let node = |label, next: &[usize]| Node { label, next: next.to_vec(), offset: 0, line: None, through: None };
//! let model = MethodModel {
//!     letters: 2,
//!     entries: vec![0],
//!     nodes: vec![
//!         node(Some(Label::Event(0)), &[1, 2]),
//!         node(Some(Label::Event(1)), &[1, 2]),
//!         node(Some(Label::Escape), &[3]),
//!         node(None, &[]),
//!     ],
//!     accept_all: false,
//! };
//! let (create, next) = (Letter(0), Letter(1));
//! // As a word over events and escapes, and with an escape read as “anything may happen”.
//! assert!(model.automaton().accepts(&[create, next, Letter(2)]));
//! assert!(model.language().accepts(&[create, next, next, create]));
//! assert!(!model.language().accepts(&[next]));
//! ```

use std::collections::{BTreeMap, BTreeSet};

use watchword_automata::finite::{Alphabet, Dfa, Letter, Nfa};
use watchword_classfile::cfg::can_throw;
use watchword_classfile::simulate::{effect, has_receiver};
use watchword_classfile::{Cfg, Constants, Flags, Instruction, Kind, Member, Opcode, Result};
use watchword_model::Glob;

use crate::body::When;
use crate::jvm::lower::line;
use crate::jvm::select::Found;

/// What a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// An event, by its letter.
    Event(usize),
    /// An object escapes.
    Escape,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What happens on leaving it; `None` for the sink.
    pub label: Option<Label>,
    /// The states that can follow, ascending.
    pub next: Vec<usize>,
    /// Bytecode offset.
    pub offset: u32,
    /// Source line.
    pub line: Option<u32>,
    /// Of an escape: the method that is called or the field that is written, by its full name, or `return`.
    pub through: Option<String>,
}

/// The CFG automaton of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodModel {
    /// How many event letters there are; the escape is the letter behind them.
    pub letters: usize,
    /// The states that can be first.
    pub entries: Vec<usize>,
    /// The states, in code order; the last one is the sink.
    pub nodes: Vec<Node>,
    /// Whether every state is accepting, or the sink only.
    pub accept_all: bool,
}

/// How a model is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether every state is accepting, or the exits only.
    pub accept_all: bool,
    /// Whether stores to fields and returned objects escape, or only what calls are given.
    pub all_escapes: bool,
    /// Instructions that are no escapes.
    pub safe: SafeList,
    /// Whether exceptions are followed.
    pub exceptions: bool,
}

/// Instructions that are no escapes.
#[derive(Clone, Debug, Default)]
pub struct SafeList {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
enum Rule {
    Method(Glob),
    Type(Glob),
    Package(Glob),
    Opcode(Glob),
}

impl SafeList {
    /// What both papers suggest: calls of the JDK.
    pub fn jdk() -> SafeList {
        let packages = ["java", "java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"];
        SafeList { rules: packages.map(|p| Rule::Package(Glob::new(p))).to_vec() }
    }

    /// Reads a list: one rule per line, `method`, `type`, `package` or `opcode` and a pattern; `jdk`
    /// alone stands for calls of the JDK; `#` begins a comment.
    ///
    /// ```
    /// use watchword_residual::model::SafeList;
    /// assert!(SafeList::parse("jdk\nmethod app.Log.*  # never keeps anything\n").is_ok());
    /// assert!(SafeList::parse("methods app.Log.*").unwrap_err().contains("line 1"));
    /// ```
    pub fn parse(text: &str) -> std::result::Result<SafeList, String> {
        let mut list = SafeList::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            let rule = match words[..] {
                [] => continue,
                ["jdk"] => {
                    list.rules.extend(SafeList::jdk().rules);
                    continue;
                }
                ["method", pattern] => Rule::Method(Glob::new(pattern)),
                ["type", pattern] => Rule::Type(Glob::new(pattern)),
                ["package", pattern] => Rule::Package(Glob::new(pattern)),
                ["opcode", pattern] => Rule::Opcode(Glob::new(pattern)),
                _ => {
                    return Err(format!(
                        "line {}: expected `method`, `type`, `package` or `opcode` and a pattern, or `jdk`",
                        number + 1
                    ));
                }
            };
            list.rules.push(rule);
        }
        Ok(list)
    }

    fn contains(&self, instruction: &Instruction<'_>, member: Option<(&str, &str)>) -> bool {
        self.rules.iter().any(|rule| match (rule, member) {
            (Rule::Opcode(glob), _) => glob.matches(instruction.opcode.mnemonic()),
            (Rule::Method(glob), Some((class, name))) => glob.matches(&format!("{class}.{name}")),
            (Rule::Type(glob), Some((class, _))) => glob.matches(class),
            (Rule::Package(glob), Some((class, _))) => {
                class.rsplit_once('.').is_some_and(|(package, _)| glob.matches(package))
            }
            _ => false,
        })
    }
}

/// The model of a method; `None` if it has no code.
pub fn model(
    method: Member<'_, '_>,
    letters: usize,
    found: &[Found],
    options: &Options,
) -> Result<Option<MethodModel>> {
    let Some(code) = method.code()? else { return Ok(None) };
    let class = method.class();
    let pool = class.pool();
    let cfg = Cfg::of(&code, pool)?;
    let instructions = cfg.instructions();
    let monitors = instructions.iter().any(|i| i.opcode.is(Flags::MONITOR));
    // The split graph. An instruction is a chain: events before, itself, events after; exceptions
    // leave from itself.
    let mut graph = Graph::default();
    let mut first = BTreeMap::new();
    let mut last = BTreeMap::new();
    let mut middle = BTreeMap::new();
    for instruction in instructions {
        let here: Vec<&Found> = found.iter().filter(|f| f.offset == instruction.offset).collect();
        let add = |graph: &mut Graph, label| graph.add(label, instruction.offset);
        let mut chain = Vec::new();
        for event in here.iter().filter(|f| f.when == When::Before) {
            chain.push(add(&mut graph, Some(Label::Event(event.letter))));
        }
        let escapes = here.is_empty() && escapes(instruction, pool, options)?;
        let own = add(&mut graph, escapes.then_some(Label::Escape));
        chain.push(own);
        for event in here.iter().filter(|f| f.when == When::After) {
            chain.push(add(&mut graph, Some(Label::Event(event.letter))));
        }
        for pair in chain.windows(2) {
            graph.next[pair[0]].insert(pair[1]);
        }
        first.insert(instruction.offset, chain[0]);
        middle.insert(instruction.offset, own);
        last.insert(instruction.offset, chain[chain.len() - 1]);
    }
    let sink = graph.add(None, code.bytecode.len() as u32);
    for block in cfg.blocks() {
        for instruction in &instructions[block.instructions.clone()] {
            let from = last[&instruction.offset];
            let mut next: Vec<u32> = instruction.targets().collect();
            if instruction.falls_through() {
                next.push(instruction.end());
            }
            for to in next {
                graph.next[from].insert(first[&to]);
            }
            if instruction.opcode.is(Flags::RETURN) {
                graph.next[from].insert(sink);
            }
            if (options.exceptions || instruction.opcode == Opcode::ATHROW)
                && can_throw(instruction, monitors, pool)?
            {
                let from = middle[&instruction.offset];
                let throwing: Vec<usize> = found
                    .iter()
                    .filter(|f| f.offset == instruction.offset && f.when == When::Throwing)
                    .map(|f| graph.add(Some(Label::Event(f.letter)), instruction.offset))
                    .collect();
                let mut from = from;
                for event in throwing {
                    graph.next[from].insert(event);
                    from = event;
                }
                let mut out = true;
                for handler in &block.handlers {
                    graph.next[from].insert(first[&cfg.block(handler.to).range.start]);
                    out &= handler.catch_type != 0;
                }
                if out {
                    graph.next[from].insert(sink);
                }
            }
        }
    }
    let start = first[&0];
    let mut model = graph.merged(start, sink, letters, options.accept_all);
    for node in &mut model.nodes {
        node.line = node.label.and_then(|_| line(&code, class, node.offset));
        let at = instructions.iter().find(|i| i.offset == node.offset);
        let at = at.filter(|_| node.label == Some(Label::Escape));
        node.through = at.map(|instruction| through(instruction, pool));
    }
    Ok(Some(model))
}

/// How an object escapes at an instruction.
fn through(instruction: &Instruction<'_>, pool: &watchword_classfile::ConstantPool<'_>) -> String {
    let member = instruction.constant().and_then(|index| pool.member(index).ok());
    match member {
        Some(m) => format!("{}.{}", m.class.to_str().replace('/', "."), m.name.to_str()),
        None if instruction.opcode.is(Flags::RETURN) => "return".to_owned(),
        None => instruction.opcode.mnemonic().to_owned(),
    }
}

fn escapes(
    instruction: &Instruction<'_>,
    pool: &watchword_classfile::ConstantPool<'_>,
    options: &Options,
) -> Result<bool> {
    let opcode = instruction.opcode;
    let member = match instruction.constant() {
        Some(index) if opcode.is(Flags::INVOKE) || opcode.is(Flags::FIELD) => {
            pool.member(index).ok().map(|m| (m.class.to_str().replace('/', "."), m.name.to_str()))
        }
        _ => None,
    };
    let escapes = if opcode.is(Flags::INVOKE) {
        let pops = effect(instruction, pool)?.pops;
        pops[usize::from(has_receiver(opcode))..].contains(&Kind::Reference)
    } else {
        options.all_escapes
            && match opcode {
                Opcode::PUTFIELD | Opcode::PUTSTATIC => {
                    effect(instruction, pool)?.pops.last() == Some(&Kind::Reference)
                }
                Opcode::ARETURN => true,
                _ => false,
            }
    };
    let member = member.as_ref().map(|(class, name)| (class.as_str(), &**name));
    Ok(escapes && !options.safe.contains(instruction, member))
}

/// A graph with erased nodes.
#[derive(Default)]
struct Graph {
    labels: Vec<Option<Label>>,
    offsets: Vec<u32>,
    next: Vec<BTreeSet<usize>>,
}

impl Graph {
    fn add(&mut self, label: Option<Label>, offset: u32) -> usize {
        self.labels.push(label);
        self.offsets.push(offset);
        self.next.push(BTreeSet::new());
        self.labels.len() - 1
    }

    /// The labelled nodes (and the sink) that can be reached over erased ones.
    fn ahead(&self, from: impl Iterator<Item = usize>, sink: usize) -> BTreeSet<usize> {
        let mut work: Vec<usize> = from.collect();
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            if self.labels[node].is_some() || node == sink {
                found.insert(node);
            } else {
                work.extend(&self.next[node]);
            }
        }
        found
    }

    fn merged(&self, start: usize, sink: usize, letters: usize, accept_all: bool) -> MethodModel {
        let first = self.ahead([start].into_iter(), sink);
        let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut work: Vec<usize> = first.iter().copied().collect();
        while let Some(node) = work.pop() {
            if edges.contains_key(&node) {
                continue;
            }
            let next = match node == sink {
                true => BTreeSet::new(),
                false => self.ahead(self.next[node].iter().copied(), sink),
            };
            work.extend(&next);
            edges.insert(node, next);
        }
        edges.entry(sink).or_default();
        // In code order, the sink last.
        let mut order: Vec<usize> = edges.keys().copied().filter(|n| *n != sink).collect();
        order.sort_by_key(|n| (self.offsets[*n], *n));
        order.push(sink);
        let position = |node: &usize| order.iter().position(|n| n == node).unwrap_or(0);
        let ascending = |set: &BTreeSet<usize>| {
            let mut list: Vec<usize> = set.iter().map(position).collect();
            list.sort_unstable();
            list
        };
        MethodModel {
            letters,
            entries: ascending(&first),
            nodes: order
                .iter()
                .map(|node| Node {
                    label: self.labels[*node],
                    next: ascending(&edges[node]),
                    offset: self.offsets[*node],
                    line: None,
                    through: None,
                })
                .collect(),
            accept_all,
        }
    }
}

impl MethodModel {
    /// The letter that stands for an escape.
    pub fn escape(&self) -> Letter {
        Letter(self.letters as u32)
    }

    /// Whether an escape is possible.
    pub fn has_escapes(&self) -> bool {
        self.nodes.iter().any(|n| n.label == Some(Label::Escape))
    }

    /// The automaton over events and the escape letter.
    pub fn automaton(&self) -> Nfa {
        let mut nfa = Nfa::new(Alphabet::new(self.letters as u32 + 1));
        let ids: Vec<_> = self.nodes.iter().map(|_| nfa.add_state()).collect();
        for (node, id) in self.nodes.iter().zip(&ids) {
            let letter = match node.label {
                Some(Label::Event(letter)) => Letter(letter as u32),
                Some(Label::Escape) => self.escape(),
                None => continue,
            };
            for next in &node.next {
                nfa.add_edge(*id, letter, ids[*next]);
            }
        }
        self.mark(&mut nfa, &ids);
        nfa
    }

    /// The automaton over events alone, an escape read as any word.
    pub fn language(&self) -> Nfa {
        let alphabet = Alphabet::new(self.letters as u32);
        let mut nfa = Nfa::new(alphabet);
        let ids: Vec<_> = self.nodes.iter().map(|_| nfa.add_state()).collect();
        for (node, id) in self.nodes.iter().zip(&ids) {
            match node.label {
                Some(Label::Event(letter)) => {
                    for next in &node.next {
                        nfa.add_edge(*id, Letter(letter as u32), ids[*next]);
                    }
                }
                Some(Label::Escape) => {
                    for letter in alphabet.letters() {
                        nfa.add_edge(*id, letter, *id);
                    }
                    for next in &node.next {
                        nfa.add_silent_edge(*id, ids[*next]);
                    }
                }
                None => {}
            }
        }
        self.mark(&mut nfa, &ids);
        nfa
    }

    fn mark(&self, nfa: &mut Nfa, ids: &[watchword_automata::finite::StateId]) {
        for entry in &self.entries {
            nfa.add_start(ids[*entry]);
        }
        for (index, id) in ids.iter().enumerate() {
            if self.accept_all || index + 1 == ids.len() {
                nfa.add_accepting(*id);
            }
        }
    }

    /// The words of events the method may make that an automaton accepts, too.
    pub fn intersection(&self, other: &Dfa) -> Nfa {
        self.language().intersection(&other.to_nfa())
    }

    /// The words of events that the method cannot make.
    pub fn complement(&self) -> Dfa {
        self.language().determinise().complement()
    }

    /// The words of events that this method or another can make.
    pub fn union(&self, other: &MethodModel) -> Nfa {
        self.language().union(&other.language())
    }
}
