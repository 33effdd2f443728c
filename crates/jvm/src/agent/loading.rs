//! Classes that are loaded: what they become, and what is remembered of that.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Instant;

use watchword_classfile::{ClassFile, Constant, Constants};
use watchword_model::{EventId, Glob, Model, PropertyId};
use watchword_monitor::{Limit, Strangers};
use watchword_weave::identity::Held;
use watchword_weave::{
    CallEvents, ClassFacts, Hierarchy, Judged, LINKER, Note, Numbers, Options, Outcome, Outline,
    Scope, Silenced, Site, Uncalled, Weaver, cells, dotted, dotted_type, identity, is_jdk,
    is_woven_ahead, restore_linker, runtime,
};
use watchword_wire::{Ending, Events, Settings};

use super::{Agent, get, thread_key};
use crate::classes::Seen;
use crate::sites::{Operations, Planned};
use crate::special::Specials;
use crate::vm::{Class, Jni, Object};
use crate::{copies, hidden, hiding, modules, testing};

/// The largest number of notes about single methods.
const MAX_NOTES: usize = 100;

/// What weaves classes, and what has come of it.
pub(super) struct Loading {
    pub weaver: Weaver,
    /// For classes that are loaded already.
    weaver_of_loaded: LazyLock<Weaver, Box<dyn FnOnce() -> Weaver + Send>>,
    /// For classes of the JDK that are outside of the scope, but that properties name.
    weaver_of_jdk: Option<Weaver>,
    numbers: Numbers,
    specials: Specials,
    /// Sites by number whose code is being written.
    planned: Mutex<HashMap<usize, Planned>>,
    /// A class of a framework for tests was loaded.
    has_tests: AtomicBool,
    /// A class was to be woven before that was possible.
    too_early: AtomicBool,
    seen: AtomicU64,
    woven: AtomicU64,
    weaving: AtomicU64,
    /// Sites of each property.
    property_sites: Vec<AtomicU64>,
    /// How many sites each event has.
    event_sites: Vec<AtomicU64>,
    /// Methods that labels name and that are never called.
    pub uncalled: Uncalled,
    notes: Mutex<Vec<Note>>,
    /// Classes, by name, that were given the method that links references.
    linked: Mutex<HashSet<String>>,
    /// How many classes differ from those analysed, or were not analysed at all, and the first.
    strangers: Mutex<(Strange, Strange)>,
    /// The properties that this is about: sites of them are silenced, or they were proven.
    silenced: Vec<PropertyId>,
    /// What is seen of them may be wrong: there are such classes, or the analysis was not sound.
    doubted: AtomicBool,
    begun: Instant,
}

/// Classes that an analysis did not see as they are.
#[derive(Default)]
struct Strange {
    count: u64,
    first: String,
    /// When the first was loaded, in milliseconds.
    since: u64,
}

impl Loading {
    /// Whether the program runs tests.
    pub fn has_tests(&self) -> bool {
        self.has_tests.load(Ordering::Relaxed)
    }

    pub fn new(model: &Arc<Model>, settings: &Settings) -> Result<Loading, String> {
        let options = weaver_options(settings)?;
        let of_loaded = Options { keep_shape: true, ..options.clone() };
        let shared = model.clone();
        let silenced = silenced(model, &options.silenced);
        let unsound = !options.silenced.unsound().is_empty();
        Ok(Loading {
            weaver: Weaver::sharing(model.clone(), options),
            // Few programs need it.
            weaver_of_loaded: LazyLock::new(Box::new(move || Weaver::sharing(shared, of_loaded))),
            weaver_of_jdk: Weaver::of_named_jdk_classes(model),
            numbers: Numbers::default(),
            specials: Specials::default(),
            planned: Mutex::default(),
            has_tests: AtomicBool::new(false),
            too_early: AtomicBool::new(false),
            seen: AtomicU64::new(0),
            woven: AtomicU64::new(0),
            weaving: AtomicU64::new(0),
            property_sites: model.properties.iter().map(|_| AtomicU64::new(0)).collect(),
            event_sites: model.events.iter().map(|_| AtomicU64::new(0)).collect(),
            uncalled: Uncalled::new(model, call_events(settings)),
            notes: Mutex::new(Vec::new()),
            linked: Mutex::default(),
            strangers: Mutex::default(),
            silenced,
            doubted: AtomicBool::new(unsound),
            begun: Instant::now(),
        })
    }

    /// Whether a class, by its name with dots, is to be woven.
    pub fn includes(&self, class: &str) -> bool {
        self.weaver.includes(class) || self.is_named(class)
    }

    /// Whether a class of the JDK is woven only because properties name it.
    fn is_named(&self, class: &str) -> bool {
        self.weaver_of_jdk.as_ref().is_some_and(|named| named.includes(class))
            && !self.weaver.includes(class)
    }

    /// How many sites a property has so far.
    pub fn sites_of(&self, property: PropertyId) -> u64 {
        self.property_sites[property.index()].load(Ordering::Relaxed)
    }

    /// Whether an event has a site.
    pub fn has_site(&self, event: EventId) -> bool {
        self.event_sites[event.index()].load(Ordering::Relaxed) > 0
    }

    /// What a user should know about single methods.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.lock().map(|notes| notes.clone()).unwrap_or_default()
    }

    /// Messages at the end, in addition to the totals of the run.
    pub fn ending(&self, totals: watchword_monitor::Totals) -> Ending {
        Ending {
            totals,
            classes: self.seen.load(Ordering::Relaxed),
            woven: self.woven.load(Ordering::Relaxed),
            weaving: self.weaving.load(Ordering::Relaxed),
        }
    }

    /// A class is loaded, by its name with dots, that is not among those analysed.
    fn doubt(&self, class: &str, judged: Judged) {
        if judged == Judged::Fine || class.starts_with("watchword.") {
            return;
        }
        self.doubted.store(true, Ordering::Relaxed);
        if let Ok(mut strangers) = self.strangers.lock() {
            let list = match judged {
                Judged::Differs => &mut strangers.0,
                _ => &mut strangers.1,
            };
            list.count += 1;
            if list.count == 1 {
                list.first = class.to_owned();
                list.since = self.begun.elapsed().as_millis() as u64;
            }
        }
    }

    /// The properties of which what is seen may be wrong from now on.
    pub fn doubted(&self) -> &[PropertyId] {
        match self.doubted.load(Ordering::Relaxed) {
            true => &self.silenced,
            false => &[],
        }
    }

    /// The classes that differ from the analysed classes, if there are any.
    pub fn about_strangers(&self) -> Vec<Limit> {
        let Ok(strangers) = self.strangers.lock() else { return Vec::new() };
        let (differ, unknown) = &*strangers;
        let limit = |(were_analysed, strange): (bool, &Strange)| {
            let Strange { count, first, since } = strange;
            Limit::Strangers(Strangers {
                were_analysed,
                count: *count,
                first: first.clone(),
                since: *since,
                silenced: self.silenced.clone(),
                refute_proof: false,
            })
        };
        let kinds = [(true, differ), (false, unknown)].into_iter();
        kinds.filter(|(_, strange)| strange.count > 0).map(limit).collect()
    }

    pub fn note(&self, notes: Vec<Note>) {
        if notes.is_empty() {
            return;
        }
        if let Ok(mut known) = self.notes.lock() {
            for note in notes {
                if known.len() < MAX_NOTES && !known.contains(&note) {
                    known.push(note);
                }
            }
        }
    }
}

impl Agent {
    /// Whether objects can hold their identities: the classes for that are in the JDK's module.
    pub(super) fn holds_identities(&self) -> bool {
        self.settings.patched
    }

    /// What objects hold: only the engine needs the identity of every one.
    fn held(&self) -> Held {
        match (self.homes.is_empty(), self.homes.has_all(&self.model)) {
            (true, _) => Held::Identity,
            (false, true) => Held::Cell,
            (false, false) => Held::Both,
        }
    }

    /// Whether a class, by its name with dots, is the JDK's own, or made by the JDK: its names alone do
    /// not say so, as programs and libraries have classes in some of its packages, too.
    fn is_of_the_jdk(&self, loader: Object, class: &str, bytes: &[u8]) -> bool {
        const MADE: [&str; 3] = ["java.", "jdk.internal.", "sun.reflect."];
        let name = || class.replace('.', "/");
        is_jdk(class)
            && (MADE.iter().any(|package| class.starts_with(package))
                || loader.is_null() && self.classes.is_of_the_image(&name())
                || self.classes.is_as_in_the_image(&name(), bytes))
    }

    /// Looks at a class that is being loaded or redefined; answers what it is to be instead.
    pub fn transform(
        &self,
        jni: Jni,
        redefined: Class,
        loader: Object,
        name: Option<String>,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let is_own = |name: &str| {
            runtime::is_own(name) || self.settings.code.iter().any(|(own, _)| own == name)
        };
        if self.is_stopped() || name.as_deref().is_some_and(is_own) {
            return None;
        }
        if name.as_deref().is_some_and(testing::is_framework) {
            self.loading.has_tests.store(true, Ordering::Relaxed);
        }
        let start = Instant::now();
        self.loading.seen.fetch_add(1, Ordering::Relaxed);
        if self.holds_identities()
            && loader.is_null()
            && name.as_deref().is_some_and(hiding::hands_out)
        {
            return hiding::filtered(bytes);
        }
        if self.holds_identities() && name.as_deref() == Some(modules::BOOTSTRAP) {
            return modules::without_ours(bytes, &self.settings.base);
        }
        // The VM refuses a class file that cannot be parsed.
        let class = ClassFile::parse(bytes).ok()?;
        if loader.is_null() && redefined.is_null() && self.is_left_alone(&class, bytes) {
            self.loading.weaving.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            return None;
        }
        let facts = Arc::new(ClassFacts::of(&class).ok()?);
        // A class that is transformed again may show what it was given.
        if redefined.is_null() {
            self.classes.add(&facts);
        }
        let can_ask = self.live.load(Ordering::Relaxed) && !jni.is_null() && !loader.is_null();
        let work = || {
            let seen = Seen::new(&self.classes, can_ask.then_some((jni, loader)));
            self.reshape(jni, &facts, (loader, redefined), bytes, &seen)
        };
        let new = if can_ask { self.muted(jni, thread_key(jni), work) } else { work() };
        self.loading.weaving.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        new
    }

    /// Whether a class of the JDK stays as it is, and can be looked up again should somebody ask:
    /// most are such, and a program loads many before it begins.
    fn is_left_alone(&self, class: &ClassFile<'_>, bytes: &[u8]) -> bool {
        let Ok(name) = class.name() else { return false };
        let name = name.to_str();
        let is_special = *name == *"java/lang/Thread"
            || class.super_name().ok().flatten().is_some_and(|above| above == hiding::PROXY);
        // The last costs most: it reads all of it.
        let may_copy = || self.holds_identities() && copies::may_clone(bytes);
        !is_special
            && !self.loading.includes(&dotted(&name))
            && self.classes.is_of_the_image(&name)
            && !self.classes.is_tracked_class(class, &Seen::new(&self.classes, None))
            && !may_copy()
    }

    /// Whether a loaded class was given what it takes to hold an identity.
    fn is_shaped(&self, jni: Jni, class: Class) -> bool {
        let Ok(above) = self.tools.interfaces(class) else {
            // The JVM has not linked the class yet, and only says what its objects are.
            let tracked = jni.find_class(runtime::TRACKED);
            let is = |class: Class| !class.is_null() && jni.is_assignable(class, tracked);
            return !tracked.is_null() && is(class) && !is(jni.super_class(class));
        };
        above.into_iter().any(|interface| {
            let signature = self.tools.class_signature(interface).unwrap_or_default();
            signature.get(1..signature.len().saturating_sub(1)) == Some(runtime::TRACKED)
        })
    }

    /// Whether a loaded class was given the method that links references.
    fn is_linked(&self, class: Class) -> bool {
        if class.is_null() {
            return false;
        }
        let linker = |method| self.tools.method_name(method).is_ok_and(|name| name == LINKER);
        match self.tools.methods(class) {
            Ok(methods) => methods.into_iter().any(linker),
            // The JVM has not linked the class yet.
            Err(_) => {
                let name = dotted_type(&self.tools.class_signature(class).unwrap_or_default());
                self.loading.linked.lock().is_ok_and(|linked| linked.contains(&name))
            }
        }
    }

    /// What a class that is being loaded or redefined is to be instead; one that is redefined keeps the
    /// members that it was loaded with.
    fn reshape(
        &self,
        jni: Jni,
        facts: &Arc<ClassFacts>,
        (loader, redefined): (Object, Class),
        bytes: &[u8],
        seen: &dyn Hierarchy,
    ) -> Option<Vec<u8>> {
        let new = self.rewrite(jni, facts, (loader, redefined), bytes, seen);
        match self.is_linked(redefined) {
            true => restore_linker(new.as_deref().unwrap_or(bytes)).or(new),
            false => new,
        }
    }

    fn rewrite(
        &self,
        jni: Jni,
        facts: &Arc<ClassFacts>,
        (loader, redefined): (Object, Class),
        bytes: &[u8],
        seen: &dyn Hierarchy,
    ) -> Option<Vec<u8>> {
        // A redefined class must keep the members with which it was loaded.
        let holds = self.holds_identities();
        let takes = holds && (redefined.is_null() || self.is_shaped(jni, redefined));
        let linked = self.is_linked(redefined);
        let redefined = !redefined.is_null();
        let held = self.held();
        let is_proxy = facts.super_name.as_deref() == Some(hiding::PROXY);
        let mut new = if takes && is_proxy { hiding::tamed_proxy(bytes) } else { None };
        let counts = facts.field(cells::COUNTERS).is_some();
        if holds && held != Held::Identity && facts.name == "java/lang/Thread" && !counts {
            new = cells::count_in(bytes).ok();
        }
        let original = bytes;
        let changed = new.clone();
        let bytes = changed.as_deref().unwrap_or(bytes);
        let told_apart = if takes { copies::told_apart(bytes, seen, held) } else { None };
        let bytes = told_apart.as_deref().unwrap_or(bytes);
        new = told_apart.clone().or(new);
        let injected = match takes {
            true if redefined => identity::restore(bytes, seen, held),
            true if self.classes.takes_identity(facts, seen) => {
                identity::inject(bytes, seen, held).ok()
            }
            _ => None,
        };
        new = injected.or(new);
        let class = dotted(&facts.name);
        if self.loading.is_named(&class) {
            let current = new.as_deref().unwrap_or(bytes);
            return self.weave_named(jni, class, current, seen).or(new);
        }
        let weaver = if redefined && !linked {
            &self.loading.weaver_of_loaded
        } else {
            &self.loading.weaver
        };
        let judge = || match weaver.silenced().judge(&class, original) {
            // An analysis expects the classes that the JDK makes of handlers.
            Judged::Unknown if is_proxy && class.contains("$Proxy") => Judged::Fine,
            // It was judged when it was woven, and is another file since.
            Judged::Differs if is_woven_ahead(original) => Judged::Fine,
            Judged::Unknown if self.is_of_the_jdk(loader, &class, original) => Judged::Fine,
            judged => judged,
        };
        // Who redefines a class may have begun with what the agent made of it. Whatever is not woven
        // runs all the same, and proofs are about the classes that were analysed.
        if !weaver.includes(&class) || redefined && calls_hooks(bytes) {
            self.loading.doubt(&class, judge());
            return new;
        }
        // Classes of the JDK that a VM needs to begin cannot call hooks: there is none yet.
        if !self.live.load(Ordering::Relaxed) {
            if !self.loading.too_early.swap(true, Ordering::Relaxed) {
                let text = "it is loaded before monitoring begins: such classes are not monitored";
                self.loading.note(vec![Note { class, method: None, text: text.into() }]);
            }
            return new;
        }
        let current = new.as_deref().unwrap_or(bytes);
        let judged = judge();
        let weave = || match judged {
            Judged::Fine if new.is_none() => {
                weaver.weave_known(bytes, facts, seen, &self.loading.numbers)
            }
            Judged::Fine => weaver.weave(current, seen, &self.loading.numbers),
            _ => weaver.weave_fully(current, seen, &self.loading.numbers),
        };
        let mut woven = weave();
        if !self.loading.specials.define(jni, &self.homes) {
            // None of them is used any more.
            woven = weave();
        }
        self.loading.doubt(&class, judged);
        self.take(jni, class, woven).or(new)
    }

    /// A class of the JDK that is woven because properties name it. It may be loaded before Java can be called: its
    /// hooks do nothing until then, if the classes that they call are there.
    fn weave_named(
        &self,
        jni: Jni,
        class: String,
        bytes: &[u8],
        seen: &dyn Hierarchy,
    ) -> Option<Vec<u8>> {
        let can_call = self.holds_identities() || self.live.load(Ordering::Relaxed);
        let weaver = self.loading.weaver_of_jdk.as_ref().filter(|_| can_call)?;
        if calls_hooks(bytes) {
            return None;
        }
        let woven = weaver.weave_fully(bytes, seen, &self.loading.numbers);
        self.take(jni, class, woven)
    }

    /// A hidden class that the program defines. It keeps its shape: the identities of its objects are
    /// kept beside them.
    pub fn transform_hidden(&self, jni: Jni, loader: Object, bytes: &[u8]) -> Option<Vec<u8>> {
        let class = ClassFile::parse(bytes).ok()?;
        let name = class.name().ok()?.to_str().into_owned();
        let weaver = &self.loading.weaver_of_loaded;
        let is_of_program = self.live.load(Ordering::Relaxed)
            && !self.is_stopped()
            && !loader.is_null()
            && !hidden::is_of_the_jdk(&name);
        if !is_of_program {
            return None;
        }
        let class = dotted(&name);
        if !self.is_of_the_jdk(loader, &class, bytes) {
            self.loading.doubt(&class, weaver.silenced().judge(&class, bytes));
        }
        if !weaver.includes(&class) || calls_hooks(bytes) {
            return None;
        }
        self.muted(jni, thread_key(jni), || {
            let seen = Seen::new(&self.classes, Some((jni, loader)));
            let weave = || weaver.weave_fully(bytes, &seen, &self.loading.numbers);
            let mut woven = weave();
            if !self.loading.specials.define(jni, &self.homes) {
                woven = weave();
            }
            self.take(jni, class, woven)
        })
    }

    /// Learns the sites of a class that was woven; answers its new class file.
    fn take(&self, jni: Jni, class: String, woven: Outcome) -> Option<Vec<u8>> {
        let woven = match woven {
            Outcome::Unchanged { notes } => {
                self.loading.note(notes);
                return None;
            }
            Outcome::Left { reason } => {
                self.loading.note(vec![Note { class, method: None, text: reason }]);
                return None;
            }
            Outcome::Woven(woven) => woven,
        };
        for site in &woven.sites {
            let mut properties: Vec<_> =
                site.emits.iter().flat_map(|e| e.properties.iter().copied()).collect();
            properties.sort_unstable();
            properties.dedup();
            for property in properties {
                self.loading.property_sites[property.index()].fetch_add(1, Ordering::Relaxed);
            }
            self.loading.uncalled.see(site);
            for emit in &site.emits {
                self.loading.event_sites[emit.event.index()].fetch_add(1, Ordering::Relaxed);
            }
            let number = site.id.index();
            let planned = self.loading.planned.lock().ok().and_then(|mut all| all.remove(&number));
            let planned = planned
                .unwrap_or_else(|| Planned::new(&self.model, site, &self.homes, &self.texts));
            let operations = planned.operations;
            if planned.odd {
                let text = "an event with several objects is ignored: one of them is a number";
                self.loading.note(vec![Note {
                    class: class.clone(),
                    method: None,
                    text: text.into(),
                }]);
            }
            if !self.sites.add(number, planned) {
                self.fail("there are more sites than the agent can count");
                return None;
            }
            if operations != Operations::default() {
                self.tell_operations(jni, number, operations);
            }
        }
        if let Ok(mut linked) = self.loading.linked.lock()
            && woven.links
        {
            linked.insert(class);
        }
        self.loading.note(woven.notes);
        self.loading.woven.fetch_add(1, Ordering::Relaxed);
        Some(woven.bytes)
    }
}

/// The properties that an analysis decided something about before the run.
fn silenced(model: &Model, silenced: &Silenced) -> Vec<PropertyId> {
    let properties = model.properties.iter().enumerate();
    let decided = properties.filter(|(_, p)| p.is_proven() || silenced.concerns(&p.name));
    decided.map(|(index, _)| PropertyId::from_index(index)).collect()
}

fn weaver_options(settings: &Settings) -> Result<Options, String> {
    let mut scope = Scope::default();
    for pattern in &settings.scope {
        match pattern.strip_prefix('!') {
            Some(without) => scope.without.push(Glob::new(without)),
            None => scope.within.push(Glob::new(pattern)),
        }
    }
    let mut silenced = Silenced::default();
    for text in &settings.silenced {
        silenced.add(text).map_err(|e| e.to_string())?;
    }
    let events = call_events(settings);
    let hooks = Some(hook_of as fn(&Site) -> Option<String>);
    let outlines = Some(outline_of as fn(&Outline) -> Option<String>);
    Ok(Options { scope, events, silenced, hooks, outlines, ..Default::default() })
}

fn call_events(settings: &Settings) -> CallEvents {
    match settings.events {
        Events::Caller => CallEvents::Caller,
        Events::Callee => CallEvents::Callee,
    }
}

/// The class with the hook of a site: one made for it, if that can be, else that for any site.
fn hook_of(site: &Site) -> Option<String> {
    let made = || {
        let agent = get().filter(|agent| agent.live.load(Ordering::Relaxed))?;
        if agent.homes.is_empty() {
            return None;
        }
        let planned = Planned::new(&agent.model, site, &agent.homes, &agent.texts);
        // What the engine wants as well goes through the hooks for any site.
        let operations = planned.operations;
        if let Ok(mut all) = agent.loading.planned.lock() {
            all.insert(site.id.index(), planned);
        }
        (operations.packed > 0).then(|| agent.loading.specials.class(operations, site.shape()))?
    };
    Some(made().unwrap_or_else(|| runtime::HOOK.to_string()))
}

/// The class that does the work of a handler.
fn outline_of(outline: &Outline) -> Option<String> {
    let agent = get().filter(|agent| agent.live.load(Ordering::Relaxed))?;
    agent.loading.specials.outlined(outline)
}

/// Whether a class file is woven already.
fn calls_hooks(bytes: &[u8]) -> bool {
    let woven = |class: ClassFile<'_>| names_class(&class, runtime::is_hook);
    ClassFile::parse(bytes).is_ok_and(woven)
}

/// Whether a class file has a constant for such a class, by its internal name.
pub fn names_class(class: &ClassFile<'_>, is_such: impl Fn(&str) -> bool) -> bool {
    let pool = class.pool();
    pool.iter().any(|(index, constant)| {
        matches!(constant, Constant::Class { .. })
            && pool.class_name(index).is_ok_and(|name| is_such(&name.to_str()))
    })
}
