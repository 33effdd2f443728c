//! Monitoring without silenced sites reports what full monitoring reports.
//!
//! Programs run once, fully monitored, and leave a trace in which every event has its site. Then the
//! trace is checked twice, as it is and without the events of silenced sites: the reports must be
//! the same, at the same events.

mod applications;
mod asked;
mod commands;
mod compiler;
mod directed;
mod events;
mod generator;
mod library;
mod own;
mod sites;
mod taken_back;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use watchword_classfile::source::JImage;
use watchword_model::{Event, EventId, EventRef, Model, PropertyId, Value, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_residual::analysis::{self, Asked, Shared, Status};
use watchword_residual::jvm::program::Program;
use watchword_spec::SourceFile;

use super::{compile, java, jdks, jdks_since, report};
use crate::support::{Dir, root};
use compiler::Compiler;

fn model(text: &str) -> Model {
    let loaded =
        watchword_spec::load(&[SourceFile::new("test.ww", text)], &|_, path| Err(path.to_owned()));
    let errors: Vec<String> =
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{}", errors.join("\n")))
}

/// An event of a trace and where it happened: class, method, offset.
struct Traced {
    event: Event,
    site: String,
}

fn read_trace(path: &Path, model: &Model) -> Vec<Traced> {
    let text = std::fs::read_to_string(path).unwrap();
    let names: HashMap<&str, usize> =
        model.events.iter().enumerate().map(|(i, e)| (e.name.as_str(), i)).collect();
    let read = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let event = EventId::from_index(names[json["event"].as_str().unwrap()]);
        let args = json["args"].as_array().unwrap().iter().map(|arg| match arg["ref"].as_u64() {
            Some(id) => Value::object(id),
            None => Value::Null,
        });
        let site = json["site"].as_str().unwrap().to_owned();
        Traced { event: Event::new(event, args.collect()), site }
    };
    text.lines().map(read).collect()
}

/// Sites by property: class, method and offset, then the event.
type Sites = HashSet<(PropertyId, String, String)>;

/// What the analysis knows about some classes.
#[derive(Default)]
struct Known {
    all: Sites,
    silenced: Sites,
}

impl Known {
    fn add(
        &mut self,
        classes: &[(String, &[u8])],
        image: &JImage<Vec<u8>>,
        model: &Model,
        alone: bool,
    ) {
        let program = Program::new(classes.to_vec(), Vec::new(), image, true);
        assert!(program.code.broken.is_empty(), "{:?}", program.code.broken);
        let shared = Shared::of((0..model.properties.len()).map(PropertyId::from_index).collect());
        for index in 0..model.properties.len() {
            let property = PropertyId::from_index(index);
            let mut quiet = |_, _| {};
            let (progress, shared) = (&mut quiet, &shared);
            let asked = Asked { alone, progress, keep: None, given: None, shared };
            let report = analysis::analyse_as(&program, model, property, asked);
            assert_eq!(report.unsupported, None);
            for site in report.sites {
                let place =
                    format!("{} {}{} {}", site.class, site.method, site.descriptor, site.offset);
                let key = (property, place, site.event);
                if matches!(site.status, Status::Silenced(_)) {
                    self.silenced.insert(key.clone());
                } else if let Status::Left(why) = &site.status {
                    assert!(!why.contains("not confirmed"), "{key:?}: {why}");
                }
                self.all.insert(key);
            }
        }
    }
}

/// What came of a comparison.
#[derive(Default)]
struct Tally {
    events: usize,
    silenced: usize,
    reports: usize,
    /// Events at places that the analysis does not count as sites.
    elsewhere: usize,
}

/// Checks a trace twice and compares. `Err`: what differs first.
fn compare(model: &Model, trace: &[Traced], known: &Known) -> Result<Tally, String> {
    let mut full = Engine::new(model, Options::default());
    let mut residual = Engine::new(model, Options::default());
    let mut tally = Tally::default();
    let told = |engine: &mut Engine| {
        let reports = engine.take_reports();
        let mut lines: Vec<String> = reports
            .iter()
            .map(|r| {
                format!("{:?} {:?} {:?} {:?} {}", r.property, r.kind, r.binding, r.state, r.message)
            })
            .collect();
        lines.sort();
        lines
    };
    for (position, traced) in trace.iter().enumerate() {
        let args: Vec<ValueRef<'_>> = traced.event.args.iter().map(ValueRef::from).collect();
        let kind = traced.event.kind;
        let event = EventRef { kind, args: &args, time: None, thread: None, location: None };
        let observers = model.properties.iter().enumerate().filter(|(_, property)| {
            property.alphabet.iter().any(|observed| observed.event == traced.event.kind)
        });
        let name = &model.events[traced.event.kind.index()].name;
        let mut only = Vec::new();
        for (index, _) in observers {
            let key = (PropertyId::from_index(index), traced.site.clone(), name.clone());
            // Method references raise events where they are made, not at calls.
            tally.elsewhere += usize::from(!known.all.contains(&key));
            tally.events += 1;
            match known.silenced.contains(&key) {
                true => tally.silenced += 1,
                false => only.push(PropertyId::from_index(index)),
            }
        }
        full.step(&event).unwrap();
        residual.step_for(&event, Some(&only)).unwrap();
        let (one, two) = (told(&mut full), told(&mut residual));
        tally.reports += one.len();
        if one != two {
            let site = &traced.site;
            return Err(format!(
                "event {position}, {name} at {site}:\nfull {one:#?}\nresidual {two:#?}"
            ));
        }
    }
    full.end();
    residual.end();
    let (one, two) = (told(&mut full), told(&mut residual));
    if one != two {
        return Err(format!("at the end:\nfull {one:#?}\nresidual {two:#?}"));
    }
    if tally.elsewhere * 20 > tally.events {
        return Err(format!("{} of {} events are at no site", tally.elsewhere, tally.events));
    }
    Ok(tally)
}

fn image(jdk: &Path) -> JImage<Vec<u8>> {
    JImage::parse(std::fs::read(jdk.join("lib/modules")).unwrap()).unwrap()
}

/// Class files below a folder, by simple file name.
fn class_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "class"))
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())
        })
        .collect();
    all.sort();
    all
}

fn of_class<'c>(all: &'c [(String, Vec<u8>)], name: &str) -> Vec<(String, &'c [u8])> {
    let own =
        |file: &str| file == name || file.strip_prefix(name).is_some_and(|r| r.starts_with('$'));
    all.iter().filter(|(file, _)| own(file)).map(|(f, b)| (f.clone(), b.as_slice())).collect()
}

/// The counterexamples to published analyses, Clara's loop and one method per rule.
#[test]
fn programs_of_the_documentation_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let folder = root().join("crates/residual/tests/programs");
    let mut sources: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    let dir = Dir::new();
    let classes = dir.path().join("classes");
    compile(&sources, &classes);
    let all = class_files(&classes);
    let image = image(jdk);
    let mut violated = 0;
    for source in &sources {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let own = source.with_extension("ww");
        let property = if own.exists() { own } else { folder.join("default.ww") };
        let model = model(&std::fs::read_to_string(&property).unwrap());
        let flags = ["-p", property.to_str().unwrap(), "--collect-trace", "trace.jsonl"];
        java(jdk, &dir, &flags, &["-cp", "classes", name]).expect(0);
        let trace = read_trace(&dir.path().join("trace.jsonl"), &model);
        assert!(!trace.is_empty(), "{name} has no events");
        let mut known = Known::default();
        // Some programs are about runs of a single thread.
        known.add(&of_class(&all, name), &image, &model, name.starts_with("Alone"));
        match compare(&model, &trace, &known) {
            Ok(tally) => violated += usize::from(tally.reports > 0),
            Err(why) => panic!("{name}: {why}"),
        }
    }
    assert!(violated >= 11, "only {violated} programs violate their property");
}

const PROPERTIES: &str = "\
event hasNext(i)   = jvm before call java.util.Iterator+.hasNext() on i
event next(i)      = jvm before call java.util.Iterator+.next() on i
event create(c, i) = jvm after call java.util.Collection+.iterator() on c returns i
event update(c)    = jvm before call java.util.Collection+.{add, addAll, remove, clear}(..) on c
event added(c)     = jvm after call java.util.Collection+.add(..) on c
event failed(i)    = jvm throwing call java.util.Iterator+.next() on i
event view(m, v)   = jvm after call java.util.Map+.{keySet, values}() on m returns v
event put(m)       = jvm before call java.util.Map+.put(..) on m

property HasNext(i) {
  start state Unknown { on hasNext(i) -> Asked on next(i) -> Error }
  state Asked { on next(i) -> Unknown }
  bad state Error
}
property SafeIterator(c, i) { never create next* update+ next }
property SafeMap(m, v, i) {
  start state S { on view(m, v) -> V }
  state V { on create(v, i) -> I }
  state I { on put(m) -> U }
  state U { on next(i) -> Bad }
  bad state Bad
}
property Three(c) {
  start state S0 { on added(c) -> S1 }
  state S1 { on added(c) -> S2 on create(c, _) -> S0 }
  state S2 { on added(c) -> Bad on create(c, _) -> S0 }
  bad state Bad { on create(c, _) -> S0 }
}
property Looked(c) {
  start state S { on update(c) -> Changed }
  pending state Changed { on create(c, _) -> S }
}
property Calm(i) { never failed next+ failed }
";

/// How many random programs are compiled and run together.
const BATCH: usize = 250;

/// Random programs: thousands here, a hundred thousand in the soak, from the one that
/// `RESIDUAL_FIRST` numbers on; as many batches at once as there are processors.
#[test]
fn random_programs_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let number = |name: &str| std::env::var(name).ok().map(|n| n.parse::<usize>().unwrap());
    let programs = number("RESIDUAL_SOAK").unwrap_or(3000);
    let start = number("RESIDUAL_FIRST").unwrap_or(0);
    let (model, image) = (model(PROPERTIES), image(jdk));
    let next = AtomicUsize::new(0);
    let batches = || {
        let mut total = (Tally::default(), 0, 0);
        let mut compiler = Compiler::start(jdk);
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= programs {
                return total;
            }
            let (tally, sites, silenced) = batch(
                start + first,
                BATCH.min(programs - first),
                &model,
                &image,
                jdk,
                &mut compiler,
            );
            total.0.events += tally.events;
            total.0.silenced += tally.silenced;
            total.0.reports += tally.reports;
            total.1 += sites;
            total.2 += silenced;
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<(Tally, usize, usize)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(batches)).collect();
        running.into_iter().map(|one| one.join().expect("see above")).collect()
    });
    let sum = |number: &dyn Fn(&(Tally, usize, usize)) -> usize| found.iter().map(number).sum();
    let (sites, silenced): (usize, usize) = (sum(&|f| f.1), sum(&|f| f.2));
    let reports: usize = sum(&|f| f.0.reports);
    println!(
        "{programs} programs: {silenced} of {sites} sites silenced, {} of {} events, {reports} reports",
        sum(&|f| f.0.silenced),
        sum(&|f| f.0.events),
    );
    assert!(reports > programs / 4, "the programs hardly violate anything");
    assert!(silenced * 10 > sites, "next to nothing is silenced");
}

/// Writes and compiles random programs, and the class that runs them; returns the folder.
fn compiled(dir: &Dir, numbers: &[usize], compiler: &mut Compiler) -> PathBuf {
    let mut files = vec![dir.path().join("Main.java")];
    std::fs::write(&files[0], generator::shared(numbers, 3)).unwrap();
    // One file holds twenty programs.
    for (index, some) in numbers.chunks(20).enumerate() {
        let mut text = generator::IMPORTS.to_owned();
        for number in some {
            text += &generator::program(*number);
        }
        files.push(dir.path().join(format!("G{index}.java")));
        std::fs::write(&files[index + 1], text).unwrap();
    }
    let classes = dir.path().join("classes");
    compiler.compile(&files, &classes);
    classes
}

/// Compiles, runs and analyses some random programs: what came of it, how many sites there are and how
/// many are silenced.
fn batch(
    first: usize,
    count: usize,
    model: &Model,
    image: &JImage<Vec<u8>>,
    jdk: &Path,
    compiler: &mut Compiler,
) -> (Tally, usize, usize) {
    let dir = Dir::new();
    dir.write("p.ww", PROPERTIES);
    let numbers: Vec<usize> = (first..first + count).collect();
    let classes = compiled(&dir, &numbers, compiler);
    let trace = ["--collect-trace", "trace.jsonl", "--history", "0", "--max-violations", "1"];
    let flags = [&["-q", "-p", "p.ww"][..], &trace].concat();
    java(jdk, &dir, &flags, &["-cp", "classes", "Main"]).expect(0);
    let trace = read_trace(&dir.path().join("trace.jsonl"), model);
    let all = class_files(&classes);
    let mut known = Known::default();
    // The class that is run by all is the same for all.
    known.add(&[of_class(&all, "R"), of_class(&all, "Main")].concat(), image, model, false);
    let shared: Sites = known.all.clone();
    for number in first..first + count {
        let own = of_class(&all, &format!("P{number}"));
        known.add(&own, image, model, false);
    }
    known.silenced.retain(|key| !shared.contains(key));
    // The same of programs without threads, if it may rely on that.
    let mut single = Known { silenced: Sites::default(), all: known.all.clone() };
    for number in (first..first + count).filter(is_alone) {
        let own = of_class(&all, &format!("P{number}"));
        single.add(&own, image, model, true);
    }
    single.silenced.retain(|key| !shared.contains(key));
    let compared = compare(model, &trace, &known).and_then(|tally| {
        let one = compare(model, &trace, &single);
        one.map_err(|why| format!("with one thread: {why}")).map(|_| tally)
    });
    match compared {
        Ok(tally) => {
            let (sites, silenced) = (known.all.len(), known.silenced.len());
            // Whoever silences too much is found out.
            known.silenced = known.all.clone();
            assert!(compare(model, &trace, &known).is_err(), "nobody misses any event");
            (tally, sites, silenced)
        }
        Err(why) => {
            let number: Option<usize> = why
                .split_once(" P")
                .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next())
                .and_then(|digits| digits.parse().ok());
            let text = number.map(generator::program);
            panic!("{why}\n{}", text.unwrap_or_default());
        }
    }
}

/// Whether a random program has one thread only.
fn is_alone(number: &usize) -> bool {
    let text = generator::program(*number);
    !text.contains("Thread") && !text.contains("R.start(")
}

/// Some of the programs, by the command: `java --residual` reports what `java` does. Programs with
/// threads are left out, as no two runs of theirs are the same.
#[test]
fn random_programs_keep_their_reports_by_the_command() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write("p.ww", PROPERTIES);
    let numbers: Vec<usize> = (0..).filter(is_alone).take(100).collect();
    compiled(&dir, &numbers, &mut Compiler::start(jdk));
    let reports = |flags: &[&str]| {
        let flags = [&["-p", "p.ww", "--report", "out.json"], flags].concat();
        let ran = java(jdk, &dir, &flags, &["-cp", "classes", "Main"]).expect(0);
        let report = report(&dir, "out.json");
        let violations = report["violations"].as_array().unwrap().iter();
        let mut told: Vec<String> = violations
            .map(|v| format!("{} {} {} {}", v["property"], v["location"], v["state"], v["count"]))
            .collect();
        told.sort();
        (told, ran.stderr)
    };
    let (full, _) = reports(&[]);
    let (residual, told) = reports(&["--residual"]);
    assert!(full.len() > 50, "{full:#?}");
    assert_eq!(full, residual);
    let silenced = told.lines().filter(|line| line.contains(" silenced"));
    assert!(silenced.count() >= 6 && !told.contains(": 0 of "), "{told}");
}

/// Directed programs: a share here, all of them in the soak, and those whose titles contain
/// `RESIDUAL_DIRECTED` if that is set.
#[test]
fn directed_programs_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let all = std::env::var_os("RESIDUAL_SOAK").is_some();
    let step = if all { 1 } else { 7 };
    let numbers: Vec<usize> = match std::env::var("RESIDUAL_DIRECTED") {
        Ok(about) => {
            (0..directed::count()).filter(|n| directed::title(*n).contains(&about)).collect()
        }
        Err(_) => (0..directed::count()).step_by(step).collect(),
    };
    let grammar = Grammar {
        letter: 'D',
        alone: false,
        release: 17,
        program: directed::program,
        title: directed::title,
    };
    grammar.keeps_reports(&numbers, jdk);
}

/// The same with what newer JDKs have: a share here, all of them in the soak.
#[test]
fn directed_programs_of_newer_jdks_keep_their_reports() {
    // Older compilers do not know what these programs call.
    const RELEASE: u32 = 25;
    // Its programs are of that release; `jdks_since` says so where no JDK is.
    let Some(jdk) = jdks_since(RELEASE).first().copied() else { return };
    let step = if std::env::var_os("RESIDUAL_SOAK").is_some() { 1 } else { 3 };
    let numbers: Vec<usize> = (0..directed::newer::count()).step_by(step).collect();
    let grammar = Grammar {
        letter: 'D',
        alone: false,
        release: RELEASE,
        program: directed::newer::program,
        title: directed::newer::title,
    };
    grammar.keeps_reports(&numbers, jdk);
}

/// The same for programs of one thread, where methods of the JDK run methods of the program.
#[test]
fn directed_programs_of_one_thread_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let about = std::env::var("RESIDUAL_DIRECTED").unwrap_or_default();
    let numbers: Vec<usize> =
        (0..asked::count()).filter(|n| asked::title(*n).contains(&about)).collect();
    let grammar = Grammar {
        letter: 'A',
        alone: true,
        release: 17,
        program: asked::program,
        title: asked::title,
    };
    grammar.keeps_reports(&numbers, jdk);
}

/// The same for programs with collections of their own.
#[test]
fn programs_with_collections_of_their_own_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let about = std::env::var("RESIDUAL_DIRECTED").unwrap_or_default();
    let numbers: Vec<usize> =
        (0..own::count()).filter(|n| own::title(*n).contains(&about)).collect();
    let grammar = Grammar {
        letter: 'O',
        alone: false,
        release: 17,
        program: own::program,
        title: own::title,
    };
    grammar.keeps_reports(&numbers, jdk);
}

/// Programs that are numbered: classes with a method `start`, named by a letter and their number.
struct Grammar {
    letter: char,
    /// Whether they are analysed as programs of one thread.
    alone: bool,
    /// The JDK that they are compiled for.
    release: u32,
    program: fn(usize) -> String,
    title: fn(usize) -> String,
}

impl Grammar {
    /// Compiles, runs and analyses some of the programs. Every one violates its property, and the
    /// analysis silences nothing that the reports need.
    fn keeps_reports(&self, numbers: &[usize], jdk: &Path) {
        let (model, image) = (model(PROPERTIES), image(jdk));
        let mut compiler = Compiler::start(jdk);
        let dir = Dir::new();
        dir.write("p.ww", PROPERTIES);
        let mut files = vec![dir.path().join("Main.java")];
        std::fs::write(&files[0], directed::main(self.letter, numbers)).unwrap();
        for (index, some) in numbers.chunks(50).enumerate() {
            let programs: String = some.iter().map(|number| (self.program)(*number)).collect();
            files.push(dir.path().join(format!("Part{index}.java")));
            std::fs::write(&files[index + 1], directed::IMPORTS.to_owned() + &programs).unwrap();
        }
        let classes = dir.path().join("classes");
        compiler.compile_for(self.release, &files, &classes);
        let trace = ["--collect-trace", "trace.jsonl", "--history", "0", "--max-violations", "1"];
        let flags = [&["-q", "-p", "p.ww"][..], &trace].concat();
        java(jdk, &dir, &flags, &["-cp", "classes", "Main"]).expect(0);
        let mut traces: HashMap<String, Vec<Traced>> = HashMap::new();
        for traced in read_trace(&dir.path().join("trace.jsonl"), &model) {
            let program = traced.site.split(['$', ' ']).next().unwrap().to_owned();
            traces.entry(program).or_default().push(traced);
        }
        let files = class_files(&classes);
        let mut wrong = Vec::new();
        for number in numbers {
            let name = format!("{}{number}", self.letter);
            let trace = traces.remove(&name).unwrap_or_default();
            let mut known = Known::default();
            known.add(&of_class(&files, &name), &image, &model, self.alone);
            let title = (self.title)(*number);
            match compare(&model, &trace, &known) {
                Ok(tally) if tally.reports == 0 => wrong.push(format!("{title}: violates nothing")),
                Ok(_) => {}
                Err(why) => wrong.push(format!("{title}: {}", why.lines().next().unwrap_or(""))),
            }
        }
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), numbers.len(), wrong.join("\n"));
    }
}
