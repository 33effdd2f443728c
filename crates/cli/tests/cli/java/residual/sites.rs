//! The weaver and the analysis select the same sites: silencing is only sound if they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use watchword_classfile::simulate::has_receiver;
use watchword_classfile::source::{ClassSource, JImage};
use watchword_classfile::{ClassFile, Constants, Opcode};
use watchword_cli::classes::{self, Classes};
use watchword_cli::properties::SHIPPED;
use watchword_model::{
    EventDecl, EventId, Glob, JvmTerm, JvmWhen, Label, Model, Observed, Origin, PointKind,
    Property, PropertyId, Source, TransitionId,
};
use watchword_residual::body::When;
use watchword_residual::date::{self, cfg::Depth};
use watchword_residual::jvm::methods::may_hold;
use watchword_residual::jvm::program::{Program, instructions};
use watchword_residual::jvm::select::Selector;
use watchword_residual::machine::{LetterInfo, Machines};
use watchword_select::{Called, KnownTypes};
use watchword_spec::{Lang, SourceFile, load_with};
use watchword_weave::{Numbers, Options, Outcome, Scope, Weaver};

use super::applications::UNREADABLE;
use super::{image, jdks};
use crate::java::artifacts::class_path;

const PROGRAMS: [&str; 6] = [
    "pmd:pmd:4.2.5",
    "com.h2database:h2:2.1.214",
    "org.apache.pdfbox:pdfbox-tools:2.0.27",
    "com.google.javascript:closure-compiler:v20131014",
    "com.google.code.gson:gson:2.10.1",
    "org.jsoup:jsoup:1.17.2",
];

/// An event at an instruction, on one side of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Site {
    method: String,
    offset: u32,
    event: EventId,
    when: u8,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?} {}", self.method, self.offset, self.event, self.when)
    }
}

/// By site: whether the event happens whenever control passes.
type Sites = BTreeMap<Site, bool>;

/// What a model has beside calls happens anywhere for the analysis, and is compared by [`expect_known`].
fn only_calls(model: &mut Model) {
    for decl in &mut model.events {
        let Origin::World(sources) = &mut decl.origin else { continue };
        sources.retain(|s| matches!(s, Source::Jvm(s) if s.point.kind == PointKind::Call));
        for source in sources {
            let Source::Jvm(source) = source else { continue };
            for capture in &mut source.captures {
                while let JvmTerm::Equal(inner) = &capture.term {
                    capture.term = (**inner).clone();
                }
            }
        }
    }
}

/// The events of all shipped properties and of the examples beside them, observed by one property.
fn shipped() -> Model {
    let mut all = Model::default();
    let mut observer: Option<Property> = None;
    let texts = SHIPPED.iter().map(|shipped| (shipped.name.to_owned(), shipped.text.to_owned()));
    for (name, text) in texts.chain(examples("ww")) {
        let loaded = load_with(&[(SourceFile::new(&name, &text), Lang::Ww)], &|_, path| {
            let found = SHIPPED.iter().find(|s| s.name == path.trim_end_matches(".ww"));
            found.map(|s| SourceFile::new(s.name, s.text)).ok_or_else(|| path.to_owned())
        });
        // Some examples import files beside them.
        let Some(mut model) = loaded.model else { continue };
        only_calls(&mut model);
        observer = observer.or(model.properties.pop());
        let called = |decl: &EventDecl| match &decl.origin {
            Origin::World(sources) => !sources.is_empty() && !decl.variadic,
            _ => false,
        };
        all.events.extend(model.events.into_iter().filter(called));
    }
    let observed =
        |at: usize| Observed { event: EventId::from_index(at), filter: None, placements: vec![] };
    let mut observer = observer.expect("properties are shipped");
    observer.alphabet = (1..all.events.len()).map(observed).collect();
    all.properties.push(observer);
    assert!(all.events.len() > 150, "only {} events", all.events.len());
    all
}

/// Names and texts of the examples of a language.
fn examples(extension: &str) -> Vec<(String, String)> {
    let read =
        |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
    crate::fronts::examples(extension).into_iter().map(read).collect()
}

/// The properties that name methods of any class.
fn topl() -> Model {
    let files: Vec<(SourceFile, Lang)> = examples("topl")
        .into_iter()
        .map(|(name, text)| (SourceFile::new(&name, &text), Lang::Topl))
        .collect();
    let loaded = load_with(&files, &|_, path| Err(path.to_owned()));
    let mut model = loaded.model.expect("the examples are fine");
    only_calls(&mut model);
    model
}

fn place(class: &str, method: &str, descriptor: &str) -> String {
    format!("{class} {method}{descriptor}")
}

/// By property: the sites that the weaver makes; and the methods it left alone.
fn woven(model: &Model, classes: &[(String, &[u8])], program: &Program<'_>) -> (Vec<Sites>, usize) {
    let scope = Scope { within: vec![Glob::new("*")], without: Vec::new() };
    let weaver = Weaver::new(model, Options { scope, ..Options::default() });
    let numbers = Numbers::default();
    let mut sites = vec![Sites::new(); model.properties.len()];
    let mut left = 0;
    for (_, bytes) in classes {
        let class = match weaver.weave(bytes, program, &numbers) {
            Outcome::Woven(class) => class,
            Outcome::Unchanged { .. } => continue,
            Outcome::Left { .. } => {
                left += 1;
                continue;
            }
        };
        for site in class.sites {
            let when = match site.when {
                JvmWhen::Before => When::Before,
                JvmWhen::After => When::After,
                JvmWhen::Throwing => When::Throwing,
            } as u8;
            let method = place(&site.place.class, &site.place.method, &site.place.descriptor);
            for emit in &site.emits {
                let (offset, event) = (site.place.offset, emit.event);
                let key = Site { method: method.clone(), offset, event, when };
                for property in &emit.properties {
                    let certain = sites[property.index()].entry(key.clone()).or_default();
                    *certain |= site.tests.is_empty();
                }
            }
        }
    }
    (sites, left)
}

/// The sites that the analysis knows for one property, and those among them that need not be woven:
/// `super(…)` and `this(…)` cannot be told from other calls of constructors there, calls that name missing
/// classes may be of any method, and an event that no transition is for changes nothing.
fn known(model: &Model, property: PropertyId, program: &Program<'_>) -> (Sites, BTreeSet<Site>) {
    let property = &model.properties[property.index()];
    let awaited = |event: EventId, names: &[String]| {
        let labels = property.transitions.iter().flat_map(|transition| &transition.labels);
        let fits = |label: &Label| label.guard.as_ref().is_none_or(|guard| may_hold(guard, names));
        !model.events[event.index()].names_methods()
            || labels.into_iter().any(|label| label.event.is_none_or(|e| e == event) && fits(label))
    };
    let letters = property.alphabet.iter().map(|observed| LetterInfo {
        event: observed.event,
        name: model.events[observed.event.index()].name.clone(),
        binds: Vec::new(),
        params: 0,
    });
    let machines = Machines {
        name: property.name.clone(),
        params: Vec::new(),
        letters: letters.collect(),
        machines: Vec::new(),
    };
    let selector = Selector::new(model, &machines).map_err(|why| why.0).unwrap();
    let selector = selector.observed_by(model, property);
    let types = KnownTypes::open(program);
    let (mut sites, mut spare) = (Sites::new(), BTreeSet::new());
    for id in program.bodies().filter(|id| program.is_own(*id)) {
        let method = program.method(id);
        let code = instructions(method).unwrap();
        let class = method.class().name().unwrap().to_str().replace('/', ".");
        let (name, descriptor) = (method.name().unwrap(), method.descriptor().unwrap());
        let at = place(&class, &name.to_str(), &descriptor.to_str());
        let mut found = selector.sites(method, &code, &types);
        let mut referred = selector.references(method, &code, &types);
        // Some references are left alone, and reported.
        referred.iter_mut().for_each(|found| found.certain = false);
        found.extend(referred);
        for found in found {
            let (offset, when) = (found.offset, found.when as u8);
            let event = machines.letters[found.letter].event;
            let site = Site { method: at.clone(), offset, event, when };
            let instruction = code.iter().find(|i| i.offset == offset).unwrap();
            let called = method.class().pool().member(instruction.constant().unwrap());
            let constructs = called.as_ref().is_ok_and(|called| called.name == "<init>");
            let (mut whole, mut spared) = (true, constructs && name == "<init>");
            if let Ok(called) = called {
                let (class, name) = (called.class.to_str(), called.name.to_str());
                let descriptor = called.descriptor.to_str();
                whole = is_whole(&class, &descriptor, &types);
                let on_object = has_receiver(instruction.opcode);
                let called = Called::new(&class, &name, &descriptor, on_object);
                let names = called.map_or(Vec::new(), |called| types.names_of(&called));
                spared |= whole && !awaited(event, &names);
            }
            let open = !whole && !found.certain;
            if instruction.opcode == Opcode::INVOKEDYNAMIC || open || spared {
                spare.insert(site.clone());
            }
            *sites.entry(site).or_default() |= found.certain;
        }
    }
    (sites, spare)
}

/// Of a class that is there twice, the first is loaded.
fn first_of_each<'a>(classes: &[(String, &'a [u8])]) -> Vec<(String, &'a [u8])> {
    let mut seen = BTreeSet::new();
    let first = |(_, bytes): &&(String, &[u8])| {
        let class = ClassFile::parse(bytes).unwrap();
        seen.insert(class.name().unwrap().to_str().into_owned())
    };
    classes.iter().filter(first).cloned().collect()
}

/// Whether all classes are known that the reference of a call names, and everything above them.
fn is_whole(class: &str, descriptor: &str, types: &KnownTypes<'_>) -> bool {
    let named = descriptor.split(';').filter_map(|part| part.split_once('L'));
    types.is_whole(class) && named.into_iter().all(|(_, class)| types.is_whole(class))
}

/// Compares, and answers how many sites there are.
#[track_caller]
fn compare(
    what: &str,
    model: &Model,
    classes: &[(String, &[u8])],
    image: &JImage<Vec<u8>>,
) -> usize {
    let classes = &first_of_each(classes)[..];
    let program = Program::new(classes.to_vec(), Vec::new(), image, true);
    let (woven, left) = woven(model, classes, &program);
    assert!(left * 100 <= classes.len(), "{what}: {left} classes were not woven");
    let mut count = 0;
    for (at, woven) in woven.iter().enumerate() {
        let property = PropertyId::from_index(at);
        let (known, spare) = known(model, property, &program);
        let name = |site: &Site| &model.events[site.event.index()].name;
        let mut wrong = Vec::new();
        for (site, certain) in woven {
            match known.get(site) {
                None => wrong.push(format!("only woven: {site:?} {}", name(site))),
                Some(true) if !certain => {
                    wrong.push(format!("tested, but taken for certain: {site:?} {}", name(site)));
                }
                Some(_) => {}
            }
        }
        for (site, certain) in known.iter().filter(|(site, _)| !woven.contains_key(site)) {
            if !spare.contains(site) {
                wrong.push(format!("only known ({certain}): {site:?} {}", name(site)));
            }
        }
        count += woven.len();
        wrong.truncate(40);
        assert!(wrong.is_empty(), "{what}, {}:\n{}", model.properties[at].name, wrong.join("\n"));
    }
    count
}

#[test]
fn weaver_and_analysis_select_the_same_sites_of_the_jdk() {
    let Some(jdk) = jdks().first() else { return };
    let (shipped, image) = (shipped(), image(jdk));
    let mut names = Vec::new();
    image.for_each_name(&mut |name| names.push(name.to_owned())).unwrap();
    names.retain(|name| !name.ends_with("-info"));
    names.sort();
    let each = names.len() / 2000;
    let chosen: Vec<(String, Vec<u8>)> = names
        .into_iter()
        .step_by(each)
        .map(|name| {
            let bytes = image.class(&name).unwrap().unwrap().into_owned();
            (name, bytes)
        })
        .collect();
    assert!(chosen.len() >= 2000, "only {} classes", chosen.len());
    let classes: Vec<(String, &[u8])> =
        chosen.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let sites = compare("the JDK", &shipped, &classes, &image);
    println!("{} classes of the JDK, {sites} sites", classes.len());
    assert!(sites > 500, "hardly a site");
}

/// The classes of an application; `None` without Maven.
fn classes_of(artifact: &str, jdk: &Path) -> Option<Classes> {
    let mut jars = class_path(&[artifact])?;
    jars.retain(|jar| !jar.ends_with(UNREADABLE));
    Some(Classes::read_for(&jars, classes::release_of(jdk)).unwrap())
}

#[test]
fn weaver_and_analysis_select_the_same_sites_of_applications() {
    let Some(jdk) = jdks().first() else { return };
    let (shipped, topl, image) = (shipped(), topl(), image(jdk));
    for artifact in PROGRAMS {
        let Some(classes) = classes_of(artifact, jdk) else { return };
        let classes = classes.borrowed();
        let sites = compare(artifact, &shipped, &classes, &image);
        println!("{artifact}: {} classes, {sites} sites", classes.len());
        assert!(sites > 500, "{artifact}: hardly a site");
        if artifact.starts_with("pmd") || artifact.starts_with("org.jsoup") {
            let sites = compare(artifact, &topl, &classes, &image);
            println!("{artifact}: {sites} sites of TOPL");
            assert!(sites > 100, "{artifact}: hardly a site of TOPL");
        }
    }
}

/// All shipped properties with sources in a JVM as they are, and beside them properties that are violated by each of
/// their events.
fn violated_by_every_event() -> Model {
    let mut files: Vec<(SourceFile, Lang)> = SHIPPED
        .iter()
        .filter(|s| s.text.contains(" jvm "))
        .map(|s| (SourceFile::new(s.name, s.text), Lang::Ww))
        .collect();
    let load = |files: &[(SourceFile, Lang)]| {
        load_with(files, &|_, path| Err(path.to_owned())).model.expect("they are fine")
    };
    let model = load(&files);
    let in_a_jvm = |event: &&EventDecl| match &event.origin {
        Origin::World(sources) => sources.iter().any(|s| matches!(s, Source::Jvm(_))),
        _ => false,
    };
    let names: Vec<&str> =
        model.events.iter().filter(in_a_jvm).map(|event| event.name.as_str()).collect();
    assert!(names.len() > 200, "only {} events", names.len());
    let mut text = String::new();
    for (at, names) in names.chunks(30).enumerate() {
        let moves: String = names.iter().map(|name| format!("on `{name}` -> Seen\n")).collect();
        text += &format!(
            "property Observer{at}() {{\nstart state Watching {{\n{moves}}}\nbad state Seen\n}}\n"
        );
    }
    files.push((SourceFile::new("observers.ww", &text), Lang::Ww));
    let mut model = load(&files);
    model.properties.retain(|property| property.name.starts_with("Observer"));
    model
}

/// Checks that the analysis knows of each event which the weaver can make, wherever it happens; answers by kind
/// of program point how many sites there are.
#[track_caller]
fn expect_known(
    what: &str,
    model: &Model,
    classes: &[(String, &[u8])],
    image: &JImage<Vec<u8>>,
) -> BTreeMap<&'static str, usize> {
    let classes = first_of_each(classes);
    let program = Program::new(classes.to_vec(), Vec::new(), image, true);
    let scope = Scope { within: vec![Glob::new("*")], without: Vec::new() };
    let weaver = Weaver::new(model, Options { scope, ..Options::default() });
    let numbers = Numbers::default();
    let residual = date::jvm::analyse(&program, model, &[], Depth::Absent);
    let mut counts = BTreeMap::new();
    for (_, bytes) in &classes {
        let Outcome::Woven(class) = weaver.weave(bytes, &program, &numbers) else { continue };
        for site in class.sites {
            for (emit, property) in
                site.emits.iter().flat_map(|emit| emit.properties.iter().map(move |p| (emit, p)))
            {
                *counts.entry(site.point.kind.facts().words).or_default() += 1;
                let left = &residual.properties[property.index()];
                assert_eq!(left.unsupported, None);
                let name = &model.events[emit.event.index()].name;
                let moves = &model.properties[property.index()].transitions;
                let at = moves.iter().position(|t| t.labels[0].event == Some(emit.event));
                let id = TransitionId::from_index(at.expect("every event is seen"));
                assert!(
                    !left.lost.proven && !left.lost.transitions.contains(&id),
                    "{what}: `{name}` is woven at {:?} and taken to be absent",
                    site.place
                );
            }
        }
    }
    counts
}

/// A property is only proven if its events are absent: also those at fields, arrays, locks and other points
/// that are no calls, which the analysis does not look at one by one.
#[test]
fn the_analysis_expects_every_event_that_is_woven() {
    let Some(jdk) = jdks().first() else { return };
    let (model, image) = (violated_by_every_event(), image(jdk));
    let points = model_of_all_points();
    for artifact in PROGRAMS {
        let Some(classes) = classes_of(artifact, jdk) else { return };
        let classes = classes.borrowed();
        println!("{artifact}: {:?}", expect_known(artifact, &model, &classes, &image));
        let counts = expect_known(artifact, &points, &classes, &image);
        println!("{artifact}: {counts:?}");
        assert!(counts.len() > 12, "{artifact}: {counts:?}");
    }
}

/// Events at program points of every kind.
fn model_of_all_points() -> Model {
    let text = "\
event called(o)    = jvm before call java.util.List+.add(..) on o
event executed(o)  = jvm before execution *.{get*, is*}(..) on o
event left(o)      = jvm after execution *.{get*, is*}(..) on o
event threw(o)     = jvm throwing execution *.{get*, is*}(..) on o
event read(o)      = jvm after get *.{a*, m*} on o
event written(o)   = jvm before set *.{a*, m*} on o
event loaded(a)    = jvm before array read * on a
event stored(a)    = jvm after array write * on a
event made(o)      = jvm after new java.util.*+ on o
event cast(o)      = jvm before cast java.util.*+ on o
event locked(o)    = jvm after lock * on o
event unlocked(o)  = jvm before unlock * on o
event handled(e)   = jvm before handler java.lang.Exception+ with e = exception
event raised(e)    = jvm before raise java.lang.Exception+ on e
event class_begun  = jvm before class init *
event class_done   = jvm after class init *
event started(t)   = jvm before thread start * on t
event branched     = jvm before branch within *.{get*, is*}(..)
event entered      = jvm before block within *.{get*, is*}(..)
event executed_one = jvm before opcode *switch

property Observer() {
  start state Watching {
    on called -> Seen
    on executed -> Seen
    on left -> Seen
    on threw -> Seen
    on read -> Seen
    on written -> Seen
    on loaded -> Seen
    on stored -> Seen
    on made -> Seen
    on cast -> Seen
    on locked -> Seen
    on unlocked -> Seen
    on handled -> Seen
    on raised -> Seen
    on class_begun -> Seen
    on class_done -> Seen
    on started -> Seen
    on branched -> Seen
    on entered -> Seen
    on executed_one -> Seen
  }
  bad state Seen
}
";
    super::model(text)
}
