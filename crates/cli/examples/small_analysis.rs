//! A small analysis of one's own, on CFG automata: which methods can violate a property all by
//! themselves, and whether all methods together can. If they cannot, no site needs to be monitored.
//!
//!     cargo run --release -p watchword --example small_analysis -- PROP.ww CLASSES… > app.silenced
//!     watchword java -p PROP.ww --silenced app.silenced -- -cp CLASSES app.Main

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use watchword_automata::finite::{Alphabet, Dfa, Letter, Nfa};
use watchword_classfile::ClassFile;
use watchword_cli::classes::{self, Classes};
use watchword_model::PropertyId;
use watchword_residual::analysis::find_sites;
use watchword_residual::jvm::program::Program;
use watchword_residual::jvm::select::Selector;
use watchword_residual::machine::{Machine, Machines};
use watchword_residual::model::{Label, Options, SafeList, model};
use watchword_spec::SourceFile;
use watchword_weave::hash;

/// The silenced-site file of the first property of a text, for classes below some paths.
pub fn silenced(property: &str, paths: &[PathBuf]) -> anyhow::Result<String> {
    let file = SourceFile::new("property.ww", property);
    let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
    let loaded = loaded.model.context("the property has errors: `watchword lint` tells them")?;
    let read = Classes::read(paths)?;
    let platform = classes::platform(None)?;
    let program = Program::new(read.borrowed(), Vec::new(), &*platform, true);
    if let Some((place, why)) = program.code.broken.first() {
        bail!("{place}: {why}");
    }

    // The property as machines over its events, and the instructions that make them happen.
    let machines = Machines::of(&loaded, PropertyId(0)).map_err(|why| anyhow!("{}", why.0))?;
    let selector = Selector::new(&loaded, &machines).map_err(|why| anyhow!("{}", why.0))?;
    let sites = find_sites(&program, &selector);
    let alphabet = Alphabet::new(machines.letters.len() as u32);
    let bad: Vec<Dfa> = machines.machines.iter().map(|m| reported(m, alphabet)).collect();

    // What each method can do, as an automaton. That the JDK keeps nothing is only assumed for what
    // is told, not for what is silenced.
    let safe = SafeList::jdk();
    let options = Options { accept_all: true, all_escapes: true, safe, exceptions: true };
    // Events of method references happen wherever these are called.
    let mut happens: Vec<bool> =
        (0..machines.letters.len()).map(|letter| sites.elsewhere() >> letter & 1 == 1).collect();
    for (id, here) in &sites.by_method {
        let method = program.method(*id);
        let found: Vec<_> = here.iter().map(|(_, found)| found.clone()).collect();
        let Some(made) = model(method, machines.letters.len(), &found, &options)? else { continue };
        for node in &made.nodes {
            if let Some(Label::Event(letter)) = node.label {
                happens[letter] = true;
            }
        }
        // An escape is any word; without one, what is left is what the method does itself.
        let mut words = bad.iter().filter(|_| !made.has_escapes());
        if let Some(word) = words.find_map(|bad| made.intersection(bad).shortest_word()) {
            let names = word.iter().map(|letter| machines.letters[letter.index()].name.as_str());
            let names: Vec<&str> = names.collect();
            eprintln!("{} may do: {}", method.name()?.to_str(), names.join(" "));
        }
    }

    // A word over the program's events, in any order and from any method.
    let mut any = Nfa::new(alphabet);
    let state = any.add_state();
    any.add_start(state);
    any.add_accepting(state);
    for letter in alphabet.letters().filter(|letter| happens[letter.index()]) {
        any.add_edge(state, letter, state);
    }
    let mut out = String::new();
    if bad.iter().all(|bad| any.intersection(&bad.to_nfa()).is_empty_language()) {
        for (id, found) in &sites.all {
            let method = program.method(*id);
            let class = method.class().name()?.to_str().replace('/', ".");
            let (name, descriptor) = (method.name()?.to_str(), method.descriptor()?.to_str());
            let event = &machines.letters[found.letter].name;
            let (property, offset) = (&machines.name, found.offset);
            out += &format!("{property}\t{class}\t{name}{descriptor}\t{offset}\t{event}\n");
        }
    }
    // With these lines, a class that has changed is fully watched. Of two classes the first counts.
    for (_, bytes) in read.0.iter().rev() {
        let class = ClassFile::parse(bytes)?.name()?.to_str().replace('/', ".");
        out += &format!("class\t{class}\t{:016x}\n", hash(bytes));
    }
    Ok(out)
}

/// The words that a machine reports something of, at their last event or if the run ends there.
fn reported(machine: &Machine, alphabet: Alphabet) -> Dfa {
    let mut dfa = Dfa::new(alphabet);
    // It has a start state from the beginning.
    let mut states = vec![dfa.start()];
    states.extend((1..machine.len()).map(|_| dfa.add_state()));
    let reported = dfa.add_state();
    dfa.add_accepting(reported);
    for (from, state) in states.iter().enumerate() {
        if machine.at_end[from] != 0 {
            dfa.add_accepting(*state);
        }
        for letter in 0..alphabet.len() {
            let to = match machine.out[from][letter] {
                0 => states[machine.next[from][letter] as usize],
                _ => reported,
            };
            dfa.set_next(*state, Letter(letter as u32), to);
        }
    }
    dfa
}

#[allow(dead_code, reason = "the tests of this file call what is above")]
fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args();
    let _itself = arguments.next();
    let property = arguments.next().context("a property file and classes are expected")?;
    let property = std::fs::read_to_string(property)?;
    print!("{}", silenced(&property, &arguments.map(PathBuf::from).collect::<Vec<_>>())?);
    Ok(())
}
