//! The weaver and the analysis select the same sites: silencing is only sound if they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use watchword_classfile::source::{ClassSource, JImage};
use watchword_classfile::{ClassFile, Constants, Opcode};
use watchword_cli::properties::SHIPPED;
use watchword_model::{
    EventDecl, EventId, Glob, JvmTerm, JvmWhen, Model, Observed, Origin, PointKind, Property,
    PropertyId, Source,
};
use watchword_residual::body::When;
use watchword_residual::jvm::program::{Program, instructions};
use watchword_residual::jvm::select::Selector;
use watchword_residual::machine::{LetterInfo, Machines};
use watchword_select::KnownTypes;
use watchword_spec::{Lang, SourceFile, load_with};
use watchword_weave::{Numbers, Options, Outcome, Scope, Weaver};

use super::{image, jdks};

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

/// What a model has beside calls happens anywhere for the analysis.
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
/// `super(…)` and `this(…)` cannot be told from other calls of constructors there.
fn known(model: &Model, property: PropertyId, program: &Program<'_>) -> (Sites, BTreeSet<Site>) {
    let property = &model.properties[property.index()];
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
            let constructs = called.is_ok_and(|called| called.name == "<init>");
            if instruction.opcode == Opcode::INVOKEDYNAMIC || constructs && name == "<init>" {
                spare.insert(site.clone());
            }
            *sites.entry(site).or_default() |= found.certain;
        }
    }
    (sites, spare)
}

/// Compares, and answers how many sites there are.
#[track_caller]
fn compare(
    what: &str,
    model: &Model,
    classes: &[(String, &[u8])],
    image: &JImage<Vec<u8>>,
) -> usize {
    // Of a class that is there twice, the first is loaded.
    let mut seen = BTreeSet::new();
    let first = |(_, bytes): &&(String, &[u8])| {
        let class = ClassFile::parse(bytes).unwrap();
        seen.insert(class.name().unwrap().to_str().into_owned())
    };
    let classes: Vec<(String, &[u8])> = classes.iter().filter(first).cloned().collect();
    let classes = &classes[..];
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
            if *certain || !spare.contains(site) {
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
