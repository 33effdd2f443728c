//! The table of the JDK, against the JDK itself.
//!
//! `tests/spies/Spies.java` calls every method of the classes that the table describes, with arguments,
//! elements, keys, comparators and wrapped collections that note what they are handed. Whatever is seen
//! must be allowed by the table. `tests/spies/unexercised.txt` lists the methods of the table that never
//! returned; run with `UPDATE_EXPECTED=1` to write it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use watchword_classfile::ClassFile;
use watchword_classfile::source::JImage;
use watchword_residual::jvm::jdk::{self, Contents, Known, Part};
use watchword_residual::world::Returns;

use crate::programs::jdk as default_jdk;

/// The JDKs of this machine, each once.
fn jdks() -> BTreeSet<PathBuf> {
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let installed = installed.map(|entry| entry.path());
    let all = installed.chain(default_jdk()).filter_map(|home| home.canonicalize().ok());
    all.filter(|home| home.join("bin/java").exists() && home.join("lib/modules").exists()).collect()
}

/// What was seen of a method on one receiver.
struct Seen<'l> {
    receiver: &'l str,
    class: &'l str,
    name: &'l str,
    descriptor: &'l str,
    done: bool,
    facts: Vec<&'l str>,
}

impl<'l> Seen<'l> {
    fn of(line: &'l str) -> Option<Seen<'l>> {
        let mut parts = line.split('\t');
        let mut next = || parts.next();
        let (receiver, class, name) = (next()?, next()?, next()?);
        let (descriptor, done) = (next()?, next()? == "done");
        let facts = next()?.split(';').filter(|fact| !fact.is_empty()).collect();
        Some(Seen { receiver, class, name, descriptor, done, facts })
    }

    fn method(&self) -> String {
        format!("{} {}{}", self.class, self.name, self.descriptor)
    }

    /// Whether it holds a collection of the program.
    fn is_wrapper(&self) -> bool {
        self.receiver.starts_with("wrapper ")
    }

    /// The class that the receiver was made of with `new`, and whether it is that object itself.
    fn made(&self) -> Option<(String, bool)> {
        if self.receiver == "static" {
            return (self.name == "<init>").then(|| (self.class.to_owned(), true));
        }
        let (kind, of) = self.receiver.split_once(' ')?;
        let of = of.split(' ').next()?.replace('.', "/");
        match kind {
            "exact" => Some((of, true)),
            // A view, and perhaps an iterator of it.
            "view" => {
                let mut class = of.as_str();
                while !jdk::is_made(class) {
                    class = class.rsplit_once('/')?.0;
                }
                Some((class.to_owned(), false))
            }
            _ => None,
        }
    }
}

/// Something that was handed on: the receiver, an argument, or what is in one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    /// Receiver first.
    Argument(u32),
    /// What the receiver holds.
    Held(Part),
    /// What an argument holds.
    Of(u32, Part),
}

impl Thing {
    fn of(text: &str) -> Option<Thing> {
        let part = |name: &str| match name {
            "key" => Some(Part::Keys),
            "element" | "value" => Some(Part::Values),
            _ => None,
        };
        let arg = |name: &str| name.strip_prefix("arg")?.parse().ok();
        if text == "receiver" {
            return Some(Thing::Argument(0));
        }
        match text.split_once(" of ") {
            Some((held, of)) => Some(Thing::Of(arg(of)?, part(held)?)),
            None => arg(text).map(Thing::Argument).or_else(|| part(text).map(Thing::Held)),
        }
    }
}

/// What the table says of a method, and how it was called.
struct Claim<'s, 'l> {
    seen: &'s Seen<'l>,
    known: Known,
    contents: Option<Contents>,
    looks: Option<u64>,
    /// Whether elements are never shown unless the table says so: a sequence.
    is_sequence: bool,
}

fn has(bits: u64, index: u32) -> bool {
    bits >> index.min(63) & 1 == 1
}

impl Claim<'_, '_> {
    fn keeps(&self, index: u32) -> bool {
        // What a wrapper hands to a collection of the program counts as kept, where there are such.
        let bulk = jdk::asks(self.seen.name, self.seen.descriptor) == jdk::BULK;
        has(self.known.keeps, index) || bulk && self.seen.is_wrapper() && index > 0
    }

    fn looked(&self, index: u32) -> bool {
        self.looks.is_some_and(|bits| has(bits, index))
    }

    /// Whether what the receiver holds, or is given to hold, may be shown to the program.
    fn shows(&self, part: Part) -> bool {
        let own = self.seen.made().is_some();
        match self.contents {
            Some(contents) => {
                contents.shows
                    || !own
                    || part == Part::Keys
                    || !self.holds_values() && !self.is_sequence
            }
            None => true,
        }
    }

    fn holds_values(&self) -> bool {
        self.seen.made().is_some_and(|(class, _)| jdk::is_map(&class))
    }

    /// Whether the program may get something while the method runs.
    fn hands(&self, thing: Thing) -> bool {
        match (thing, &self.contents) {
            (Thing::Argument(n), _) if !self.keeps(n) || self.looked(n) => false,
            // A collection that holds for itself is not shown.
            (Thing::Argument(0), contents) => contents.is_none(),
            // What is copied is shown as what is held; a copied collection itself is only handed on
            // if it is kept.
            (Thing::Of(n, part), Some(contents)) if has(contents.copies, n) => self.shows(part),
            (Thing::Argument(n) | Thing::Of(n, _), Some(contents)) => {
                let part = |part: Part| has(contents.puts[part as usize], n);
                part(Part::Keys) || !part(Part::Values) || self.shows(Part::Values)
            }
            (Thing::Held(part), _) => self.shows(part),
            (_, None) => true,
        }
    }

    /// Whether the result may be something.
    fn returns(&self, thing: Thing) -> bool {
        if let Returns::Argument(index) = self.known.returns {
            return thing == Thing::Argument(index as u32);
        }
        let Returns::Unknown = self.known.returns else { return false };
        match (thing, &self.contents) {
            (Thing::Argument(n), None) => self.keeps(n),
            (Thing::Argument(n), Some(contents)) => {
                let put = has(contents.puts[0] | contents.puts[1], n);
                self.keeps(n) && (put && contents.gives.is_some() || contents.spills)
            }
            // Keys are the elements of a view of keys.
            (Thing::Held(part), Some(contents)) => {
                let class = self.seen.class;
                let apart = jdk::is_map(class) || class == "java/util/Map$Entry";
                contents.gives.is_some_and(|gives| gives == part || !apart)
            }
            (Thing::Of(..), Some(contents)) => contents.gives.is_some(),
            (Thing::Held(_) | Thing::Of(..), None) => self.looks.is_none(),
        }
    }

    /// Whether something may be taken out of the result.
    fn result_holds(&self, thing: Thing) -> bool {
        let Some(contents) = &self.contents else {
            return match thing {
                Thing::Argument(n) => self.keeps(n),
                // What it is, it holds as well.
                Thing::Of(n, _) if self.known.returns == Returns::Argument(n as usize) => true,
                _ => self.looks.is_none(),
            };
        };
        contents.spills || contents.views || contents.iterates.is_some() || contents.gives.is_some()
    }

    /// Whether something may be taken out of the receiver afterwards.
    fn receiver_holds(&self, thing: Thing) -> bool {
        let (n, inside) = match thing {
            Thing::Argument(n) => (n, false),
            Thing::Of(n, _) => (n, true),
            Thing::Held(_) => return true,
        };
        let put = |contents: &Contents| {
            has(contents.puts[0] | contents.puts[1] | contents.keeps, n)
                || inside && has(contents.copies, n)
        };
        match &self.contents {
            Some(contents) => put(contents) && (inside || self.keeps(n)),
            None => (inside || self.keeps(n)) && self.looks.is_none(),
        }
    }

    /// Whether something may be taken out of an argument afterwards.
    fn argument_holds(&self, thing: Thing) -> bool {
        match (&self.contents, thing) {
            (_, Thing::Argument(n)) if !self.keeps(n) => false,
            (Some(contents), Thing::Held(_)) => contents.spills,
            (Some(_), _) => false,
            (None, _) => self.looks.is_none(),
        }
    }

    /// Whether the table allows what was seen; `None`: it is not about that.
    fn allows(&self, fact: &str) -> Option<bool> {
        let exact =
            self.seen.made().is_some_and(|(class, exact)| exact && class == self.seen.class);
        match fact {
            "result is the same again" => {
                return Some(!matches!(self.known.returns, Returns::Fresh(_) | Returns::Part));
            }
            "result is another again" => {
                return Some(!exact || !matches!(self.known.returns, Returns::View(_)));
            }
            _ => {}
        }
        let thing = |start: &str| Thing::of(fact.strip_prefix(start)?);
        if let Some(thing) = thing("handed ") {
            return Some(self.hands(thing));
        }
        if let Some(thing) = thing("result is ") {
            return Some(self.returns(thing));
        }
        if let Some(thing) = thing("result holds ") {
            return Some(self.result_holds(thing));
        }
        if let Some(thing) = thing("receiver holds ") {
            return Some(self.receiver_holds(thing));
        }
        if fact.starts_with("runs ") {
            let (class, name) = (self.seen.class, self.seen.name);
            let quiet =
                jdk::is_collection(class) && jdk::is_quiet(class, name, self.seen.descriptor);
            let made = self.seen.made().is_some_and(|(_, exact)| exact);
            return Some(!quiet || !made);
        }
        let (_, held) = fact.split_once(" holds ")?;
        Some(self.argument_holds(Thing::of(held)?))
    }
}

/// The lines that the driver prints on a JDK.
fn run(home: &Path) -> String {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spies/Spies.java");
    let out = Command::new(home.join("bin/java"))
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"])
        .arg(driver)
        .args(jdk::described().iter().map(|class| class.replace('/', ".")))
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .expect("java runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("text")
}

/// See [`jdk::KINDS`].
#[test]
fn no_class_of_the_jdk_is_of_two_kinds() {
    for home in jdks() {
        let image = fs::read(home.join("lib/modules")).expect("an image");
        let image = JImage::parse(image).expect("an image");
        let mut above: HashMap<String, Vec<String>> = HashMap::new();
        for resource in image.resources() {
            let resource = resource.expect("a resource");
            if resource.class_name().is_none() {
                continue;
            }
            let bytes = image.content(&resource).expect("a class file");
            let class = ClassFile::parse(&bytes).expect("a class");
            let name = class.name().expect("a name").to_str().into_owned();
            let parents = class.super_name().expect("a name").into_iter();
            let parents = parents.chain(class.interface_names().map(|name| name.expect("a name")));
            above.insert(name, parents.map(|name| name.to_str().into_owned()).collect());
        }
        assert!(above.len() > 5000, "{} has next to no classes", home.display());
        for class in above.keys() {
            let mut all = vec![class.as_str()];
            let mut next = 0;
            while let Some(name) = all.get(next).copied() {
                next += 1;
                all.extend(above.get(name).into_iter().flatten().map(String::as_str));
            }
            let kinds: BTreeSet<&str> =
                all.into_iter().filter(|name| jdk::KINDS.contains(name)).collect();
            assert!(kinds.len() < 2, "{class} is {kinds:?}");
        }
    }
}

#[test]
fn the_table_allows_what_spies_see() {
    let mut wrong: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut done: BTreeMap<String, bool> = BTreeMap::new();
    for home in jdks() {
        let (text, mut facts) = (run(&home), 0);
        let mut here: BTreeMap<String, bool> = BTreeMap::new();
        for line in text.lines() {
            let Some(seen) = Seen::of(line) else { continue };
            let (class, name, descriptor) = (seen.class, seen.name, seen.descriptor);
            let Some(known) = jdk::known(class, name, descriptor) else { continue };
            *here.entry(seen.method()).or_default() |= seen.done;
            let is_sequence = seen.made().is_some_and(|(class, _)| jdk::is_sequence(&class));
            let contents = jdk::contents(class, name, descriptor);
            let looks = jdk::looks(class, name);
            let claim = Claim { seen: &seen, known, contents, looks, is_sequence };
            for fact in &seen.facts {
                facts += 1;
                let allowed = claim.allows(fact);
                assert!(allowed.is_some(), "{fact} of {} is not understood", seen.method());
                if allowed == Some(false) {
                    let what = format!("{} on {}", seen.method(), seen.receiver);
                    wrong.entry(what).or_default().insert((*fact).to_owned());
                }
            }
        }
        println!("{}: {} lines, {facts} facts", home.display(), text.lines().count());
        assert!(facts > 5000, "spies see next to nothing");
        // By package: methods that returned, and all.
        let mut packages: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (method, returned) in &here {
            let class = method.split(' ').next().unwrap_or(method);
            let package = class.rsplit_once('/').map_or(class, |(package, _)| package);
            let [some, all] = packages.entry(package).or_default();
            *some += usize::from(*returned);
            *all += 1;
        }
        for (package, [some, all]) in packages {
            println!("  {}: {some} of {all} methods", package.replace('/', "."));
        }
        for (method, returned) in here {
            *done.entry(method).or_default() |= returned;
        }
    }
    let told: Vec<String> =
        wrong.iter().map(|(what, facts)| format!("{what}: {facts:?}")).collect();
    assert!(told.is_empty(), "the table does not allow:\n{}", told.join("\n"));
    let never: Vec<&str> =
        done.iter().filter(|(_, done)| !**done).map(|(m, _)| m.as_str()).collect();
    println!("{} methods of the table, {} never returned", done.len(), never.len());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spies/unexercised.txt");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&file, never.join("\n") + "\n").expect("can be written");
        return;
    }
    let listed = fs::read_to_string(&file).expect("the list is there");
    let listed: BTreeSet<&str> = listed.lines().collect();
    let unlisted: Vec<&&str> = never.iter().filter(|method| !listed.contains(**method)).collect();
    assert!(unlisted.is_empty(), "never returned, and not listed: {unlisted:#?}");
}
