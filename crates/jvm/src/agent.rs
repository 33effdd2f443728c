//! The agent: made once when it is loaded, reached by callbacks and hooks.

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use watchword_classfile::{ClassFile, Constant, Constants};
use watchword_model::{EventId, Glob, Location, Model, Object as Referred, Type, Value, ValueRef};
use watchword_monitor::{Cause, Found, Limit, Listing, Options, Report, Strangers, Totals};
use watchword_weave::identity::Held;
use watchword_weave::{
    CallEvents, ClassFacts, Hierarchy, Judged, LINKER, Note, Numbers, Outcome, Read, Scope,
    Silenced, Site, Uncalled, Weaver, cells, dotted, dotted_type, identity, is_woven_ahead,
    restore_linker, runtime,
};
use watchword_wire::{self as wire, Bundle, Ending, Events, OnViolation, Record, Settings};

use crate::classes::{Classes, Seen};
use crate::deaths::Deaths;
use crate::equals::Equals;
use crate::homes::{Counted, Homes, Told};
use crate::ids::ClassNumbers;
use crate::monitor::{Monitor, State, ThreadKey};
use crate::order::Order;
use crate::outlet::{Outlet, with_pid};
use crate::sites::{Asked, Fetch, Operations, Planned, Sites};
use crate::special::Specials;
use crate::texts::Texts;
use crate::trace::Trace;
use crate::vm::{Argument, Class, Jni, MethodId, Object, Tools, text_at};
use crate::{copies, hidden, hiding, hints, hooks, modules, naming, reaction, stack, values};

/// At most this many notes about single methods are told.
const MAX_NOTES: usize = 100;
/// How many values an event of a site has at most on the fast path.
const FAST_ARGS: usize = 16;

/// How often deadlines are looked for.
const TICK: Duration = Duration::from_millis(20);
/// What stands for the thread that does; no environment has this address.
const CLOCK: ThreadKey = 3;
/// With more history than this wanted, state is not kept in the objects, which remember little.
const MAX_INLINE_HISTORY: usize = 10;

/// Tells the classes in the JDK's own module that fit this agent from those of other builds.
const RUNTIME: u32 = watchword_wire::fingerprint(&runtime::BASE_BYTES);

/// The one agent of this process.
static AGENT: OnceLock<Agent> = OnceLock::new();

/// Everything the agent has.
pub struct Agent {
    /// The VM's tools.
    pub tools: Tools,
    /// What is checked.
    pub model: Arc<Model>,
    /// What was asked for.
    pub settings: Settings,
    /// The monitors.
    pub monitor: Monitor,
    /// Numbers of classes whose objects have identities.
    pub class_numbers: ClassNumbers,
    /// Objects that are compared by `equals`.
    pub equals: Equals,
    /// Objects that died.
    pub deaths: Deaths,
    weaver: Weaver,
    /// For classes that are loaded already.
    weaver_of_loaded: Weaver,
    classes: Classes,
    numbers: Numbers,
    sites: Sites,
    /// The properties whose state is in the objects.
    homes: Homes,
    /// By property: the strings it takes for texts.
    texts: Vec<Option<Arc<Texts>>>,
    runtime: OnceLock<Runtime>,
    specials: Specials,
    outlet: Outlet,
    /// Java can be called.
    live: AtomicBool,
    /// Monitoring has failed or ended.
    stopped: AtomicBool,
    /// A class was to be woven before that was possible.
    too_early: AtomicBool,
    seen: AtomicU64,
    woven: AtomicU64,
    weaving: AtomicU64,
    /// Sites of each property.
    property_sites: Vec<AtomicU64>,
    /// How many sites each event has.
    event_sites: Vec<AtomicU64>,
    /// Methods that labels name and nobody calls.
    uncalled: Uncalled,
    notes: Mutex<Vec<Note>>,
    /// How many classes differ from those analysed, or were not analysed at all, and the first.
    strangers: Mutex<(Strange, Strange)>,
    /// When it sees classes, among other agents.
    pub order: Order,
}

/// The runtime's class for the agent, and what is called of it.
struct Runtime {
    class: Class,
    id: MethodId,
    take: MethodId,
    site: MethodId,
    choice: MethodId,
    mute: MethodId,
    act: MethodId,
}

impl Runtime {
    /// `None` if the class is not as expected.
    fn of(jni: Jni, class: Class) -> Option<Runtime> {
        let method = |name: &str, descriptor: &str| {
            let id = jni.static_method(class, name, descriptor);
            (!id.is_null()).then_some(id)
        };
        Some(Runtime {
            class: jni.global(class),
            id: method("id", "(Ljava/lang/Object;)J")?,
            take: method("take", "()J")?,
            site: method("site", "(IJJ)V")?,
            choice: method("choice", "(II)V")?,
            mute: method("mute", "(I)V")?,
            act: method("act", "(IILjava/lang/Object;Ljava/lang/Object;I)V")?,
        })
    }
}

// SAFETY: a global reference and ids, which belong to no thread.
unsafe impl Send for Runtime {}
// SAFETY: as above.
unsafe impl Sync for Runtime {}

/// How many classes, and the first of them.
type Strange = (u64, String);

/// The agent, if it was loaded.
pub fn get() -> Option<&'static Agent> {
    AGENT.get()
}

/// Makes the agent; `None` in a program that is to be left alone. Errors are the reason why there
/// will be no monitoring.
pub fn create(
    tools: Tools,
    order: Order,
    options: &str,
    early: bool,
) -> Result<Option<&'static Agent>, String> {
    let bytes = std::fs::read(options)
        .map_err(|e| format!("cannot read the bundle of properties {options}: {e}"))?;
    let Bundle { model, settings } = Bundle::from_bytes(&bytes).map_err(|e| e.to_string())?;
    if settings.runtime != RUNTIME {
        return Err(watchword_wire::OTHER_BUILD.to_string());
    }
    let main = tools.property(c"sun.java.command").unwrap_or_default();
    if settings.skip.iter().any(|pattern| Glob::new(pattern).matches(&main)) {
        return Ok(None);
    }
    let model = Arc::new(model);
    let outlet = Outlet::open(&settings.output)
        .map_err(|e| format!("cannot write to {}: {e}", settings.output))?;
    let trace = match &settings.trace {
        Some(path) => {
            let path = PathBuf::from(with_pid(path));
            let create = Trace::create(&path, &model);
            Some(create.map_err(|e| format!("cannot write {}: {e}", path.display()))?)
        }
        None => None,
    };
    let weaver_options = weaver_options(&settings)?;
    let options = Options {
        history: settings.history,
        max_instances: settings.max_instances,
        keep: settings.keep,
        ..Options::default()
    };
    let home = tools.property(c"java.home").map_err(|e| e.to_string())?;
    let classes = Classes::new(PathBuf::from(home));
    if let Ok(path) = tools.property(c"java.class.path") {
        classes.set_class_path(&path);
    }
    let loaded_options = watchword_weave::Options { keep_shape: true, ..weaver_options.clone() };
    let weaver = Weaver::new(&model, weaver_options);
    classes.set_roots(weaver.operand_types(&Seen::new(&classes, None)));
    let listing =
        Listing { most: settings.max_violations, unique: settings.unique, traces: HashSet::new() };
    // A trace has every event in one order, and a limit is one on all instances.
    let inline = early
        && settings.patched
        && trace.is_none()
        && settings.max_instances.is_none()
        && settings.history <= MAX_INLINE_HISTORY;
    let homes = if inline { Homes::new(&model) } else { Homes::default() };
    let agent = Agent {
        tools,
        monitor: Monitor::new(&model, options, listing, trace),
        homes,
        texts: model.properties.iter().map(|p| Texts::of(&model, p)).collect(),
        runtime: OnceLock::new(),
        specials: Specials::default(),
        class_numbers: ClassNumbers::default(),
        equals: Equals::default(),
        deaths: Deaths::default(),
        weaver,
        weaver_of_loaded: Weaver::new(&model, loaded_options),
        classes,
        numbers: Numbers::default(),
        sites: Sites::new(),
        outlet,
        live: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        too_early: AtomicBool::new(false),
        seen: AtomicU64::new(0),
        woven: AtomicU64::new(0),
        weaving: AtomicU64::new(0),
        property_sites: model.properties.iter().map(|_| AtomicU64::new(0)).collect(),
        event_sites: model.events.iter().map(|_| AtomicU64::new(0)).collect(),
        uncalled: Uncalled::new(&model, call_events(&settings)),
        notes: Mutex::new(Vec::new()),
        strangers: Mutex::default(),
        order,
        model,
        settings,
    };
    if AGENT.set(agent).is_err() {
        return Err("the agent is in this program already".to_string());
    }
    Ok(AGENT.get())
}

fn weaver_options(settings: &Settings) -> Result<watchword_weave::Options, String> {
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
    Ok(watchword_weave::Options { scope, events, silenced, hooks, ..Default::default() })
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
        let agent = AGENT.get().filter(|agent| agent.live.load(Ordering::Relaxed))?;
        if agent.homes.is_empty() {
            return None;
        }
        let planned = Planned::new(&agent.model, site, &agent.homes, &agent.texts);
        // What the engine wants as well goes through the hooks for any site.
        let operations = planned.operations;
        (operations.packed > 0).then(|| agent.specials.class(operations, site.shape()))?
    };
    Some(made().unwrap_or_else(|| runtime::HOOK.to_string()))
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

/// Runs something of ours on a thread of the program. A panic is our defect, not the program's:
/// monitoring stops, the program goes on.
pub fn guarded<T>(body: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => Some(result),
        Err(what) => {
            let text = what
                .downcast_ref::<&str>()
                .map(|s| s.to_string())
                .or_else(|| what.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let _ = catch_unwind(AssertUnwindSafe(|| {
                if let Some(agent) = AGENT.get() {
                    agent.fail(&format!("internal error in the agent: {text}"));
                }
            }));
            None
        }
    }
}

impl Agent {
    /// Stops monitoring; the program goes on.
    pub fn fail(&self, why: &str) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            self.outlet.tell(&Record::Failed(why.to_string()));
        }
    }

    /// Whether objects can hold their identities: the classes for that are in the JDK's module.
    fn holds_identities(&self) -> bool {
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

    /// Says something that a person should know.
    pub fn warn(&self, text: &str) {
        self.outlet.tell(&Record::Warning(text.to_string()));
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Makes classes of ours known to the VM.
    fn define(&self, jni: Jni, classes: &[runtime::Class]) -> Result<(), String> {
        for (name, bytes) in classes {
            let class = jni.define_boot_class(name, bytes);
            if jni.clear_exception() || class.is_null() {
                return Err(format!("the class {name} cannot be defined"));
            }
        }
        Ok(())
    }

    /// Java can be called from now on: the hooks get their code and go live.
    pub fn start(&self, jni: Jni) -> Result<(), String> {
        if !self.holds_identities() {
            self.define(jni, &runtime::BASE)?;
        }
        self.define(jni, &runtime::BOOT)?;
        let class = jni.find_class(runtime::AGENT);
        if class.is_null() {
            return Err(format!("the class {} cannot be loaded", runtime::AGENT));
        }
        // SAFETY: `hooks` lists functions that take what their descriptors say.
        if !unsafe { jni.register_natives(class, &hooks::natives()) } {
            return Err("the hooks cannot be registered".to_string());
        }
        let runtime = Runtime::of(jni, class);
        if runtime.is_none_or(|runtime| self.runtime.set(runtime).is_err()) {
            return Err(format!("the class {} is not as expected", runtime::AGENT));
        }
        self.prepare_homes(jni, class)?;
        for name in ["start", "listen"] {
            let method = jni.static_method(class, name, "()V");
            if !method.is_null() {
                jni.call_static_void(class, method, &[]);
            }
            if method.is_null() || jni.clear_exception() {
                return Err("the hooks cannot be switched on".to_string());
            }
        }
        self.live.store(true, Ordering::SeqCst);
        self.watch_the_clock();
        let vm = self.tools.property(c"java.vm.version").unwrap_or_default();
        self.outlet.tell(&Record::Started { pid: std::process::id(), vm });
        Ok(())
    }

    /// Deadlines pass whether or not anything happens: a thread that the VM knows nothing of looks
    /// for them.
    fn watch_the_clock(&self) {
        if !self.monitor.is_timed() {
            return;
        }
        let watch = || {
            guarded(|| {
                while let Some(agent) = AGENT.get().filter(|agent| !agent.is_stopped()) {
                    std::thread::sleep(TICK);
                    agent.monitor.enter(CLOCK, |state| {
                        if state.pass_time() && state.run.has_news() {
                            agent.take_news(None, state, None);
                        }
                    });
                }
            });
        };
        // Without such a thread they are noticed at the next event.
        let _ = std::thread::Builder::new().name("watchword".to_string()).spawn(watch);
    }

    /// Tells the runtime of properties whose state is in the objects.
    fn prepare_homes(&self, jni: Jni, class: Class) -> Result<(), String> {
        if self.homes.is_empty() {
            return Ok(());
        }
        let thread = jni.find_class("java/lang/Thread");
        if thread.is_null() || jni.field(thread, cells::COUNTERS, "[J").is_null() {
            return Err("threads cannot count events".to_string());
        }
        self.homes.install(jni, class)?;
        // Identities in cells are found on the heap as those in objects are.
        let cell = jni.find_class(runtime::CELL);
        if !cell.is_null() {
            let _ = self.tools.set_tag(cell, 1);
        }
        Ok(())
    }

    /// Tells the runtime of choices that it does not know.
    fn tell_choices(&self, jni: Jni) {
        let Some(runtime) = self.runtime.get() else { return };
        self.homes.choices.tell(|number, choice| {
            let args = [Argument { int: number as i32 }, Argument { int: choice.bits() }];
            jni.aside(|| jni.call_static_void(runtime.class, runtime.choice, &args));
        });
    }

    /// Tells the runtime what to do at a site.
    fn tell_operations(&self, jni: Jni, site: usize, operations: Operations) {
        let Some(runtime) = self.runtime.get() else { return };
        self.tell_choices(jni);
        let args = [
            Argument { int: site as i32 },
            Argument { long: operations.packed },
            Argument { long: operations.choices },
        ];
        jni.aside(|| jni.call_static_void(runtime.class, runtime.site, &args));
    }

    /// The cases that a choice has for objects of a class.
    fn cases(&self, jni: Jni, choice: usize, class: Class) -> i32 {
        let given = values::Given { agent: self, jni, objects: &[class], ids: &[], longs: &[] };
        let value = |read: &Read| {
            let fetch = Fetch::Read(Box::new(read.clone()), Type::Str);
            self.muted(jni, thread_key(jni), || match values::fetch(&given, &fetch) {
                values::Fetched::Value(value) => value,
                values::Fetched::Id(_) => Value::Null,
            })
        };
        cells::pack_cases(self.homes.choices.of_class(choice, &value))
    }

    /// Runs something on the agent's behalf: it raises no events.
    pub fn muted<T>(&self, jni: Jni, thread: ThreadKey, body: impl FnOnce() -> T) -> T {
        let mute = |by: i32| {
            if let Some(runtime) = self.runtime.get().filter(|_| !self.homes.is_empty()) {
                let by = Argument { int: by };
                jni.aside(|| jni.call_static_void(runtime.class, runtime.mute, &[by]));
            }
        };
        mute(1);
        let result = self.monitor.muted(thread, body);
        mute(-1);
        result
    }

    /// Joins a program that runs: classes that are loaded keep their shape and are woven again.
    pub fn join(&self, jni: Jni) -> Result<(), String> {
        self.define(jni, &runtime::BASE)?;
        self.start(jni)?;
        jni.framed(1000, || {
            let classes = self.tools.loaded_classes().map_err(|e| e.to_string())?;
            let wanted: Vec<Class> = classes
                .into_iter()
                .filter(|class| {
                    let signature = self.tools.class_signature(*class).unwrap_or_default();
                    signature.starts_with('L')
                        && (self.weaver_of_loaded.includes(&dotted_type(&signature))
                            || hiding::hands_out(&signature[1..signature.len() - 1]))
                        && self.tools.is_modifiable(*class).unwrap_or(false)
                })
                .collect();
            // One at a time: a class that cannot be woven must not keep others from it.
            for class in wanted {
                if let Err(error) = self.tools.retransform(&[class]) {
                    let signature = self.tools.class_signature(class).unwrap_or_default();
                    let text = format!("it was loaded already and cannot be woven: {error}");
                    let class = dotted_type(&signature);
                    self.note(vec![Note { class, method: None, text }]);
                }
            }
            Ok(())
        })
        .unwrap_or(Ok(()))
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
        if self.is_stopped() || name.as_deref().is_some_and(runtime::is_own) {
            return None;
        }
        let start = Instant::now();
        self.seen.fetch_add(1, Ordering::Relaxed);
        if self.holds_identities()
            && loader.is_null()
            && name.as_deref().is_some_and(hiding::hands_out)
        {
            return hiding::filtered(bytes);
        }
        if self.holds_identities() && name.as_deref() == Some(modules::BOOTSTRAP) {
            return modules::without_ours(bytes, &self.settings.base);
        }
        // A class file nobody can read is the VM's to refuse.
        let class = ClassFile::parse(bytes).ok()?;
        if loader.is_null() && redefined.is_null() && self.is_left_alone(&class, bytes) {
            self.weaving.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
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
            self.reshape(jni, &facts, redefined, bytes, &seen)
        };
        let new = if can_ask { self.muted(jni, thread_key(jni), work) } else { work() };
        self.weaving.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
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
            && !self.weaver.includes(&dotted(&name))
            && self.classes.is_of_the_image(&name)
            && !self.classes.is_tracked_class(class, &Seen::new(&self.classes, None))
            && !may_copy()
    }

    /// Whether a loaded class was given what it takes to hold an identity.
    fn is_shaped(&self, class: Class) -> bool {
        let above = self.tools.interfaces(class).unwrap_or_default();
        above.into_iter().any(|interface| {
            let signature = self.tools.class_signature(interface).unwrap_or_default();
            signature.get(1..signature.len().saturating_sub(1)) == Some(runtime::TRACKED)
        })
    }

    /// Whether a loaded class was given the method that links references.
    fn is_linked(&self, class: Class) -> bool {
        let linker = |method| self.tools.method_name(method).is_ok_and(|name| name == LINKER);
        !class.is_null() && self.tools.methods(class).is_ok_and(|all| all.into_iter().any(linker))
    }

    /// What a class that is being loaded or redefined is to be instead; one that is redefined keeps the
    /// members that it was loaded with.
    fn reshape(
        &self,
        jni: Jni,
        facts: &Arc<ClassFacts>,
        redefined: Class,
        bytes: &[u8],
        seen: &dyn Hierarchy,
    ) -> Option<Vec<u8>> {
        let new = self.rewrite(jni, facts, redefined, bytes, seen);
        match self.is_linked(redefined) {
            true => restore_linker(new.as_deref().unwrap_or(bytes)).or(new),
            false => new,
        }
    }

    fn rewrite(
        &self,
        jni: Jni,
        facts: &Arc<ClassFacts>,
        redefined: Class,
        bytes: &[u8],
        seen: &dyn Hierarchy,
    ) -> Option<Vec<u8>> {
        // A class that somebody redefines has to keep the shape it was loaded with.
        let takes = self.holds_identities() && (redefined.is_null() || self.is_shaped(redefined));
        let linked = self.is_linked(redefined);
        let redefined = !redefined.is_null();
        let held = self.held();
        let is_proxy = facts.super_name.as_deref() == Some(hiding::PROXY);
        let mut new = if takes && is_proxy { hiding::tamed_proxy(bytes) } else { None };
        let counts = facts.field(cells::COUNTERS).is_some();
        if takes && held != Held::Identity && facts.name == "java/lang/Thread" && !counts {
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
        let weaver = if redefined && !linked { &self.weaver_of_loaded } else { &self.weaver };
        // Who redefines a class may have begun with what the agent made of it.
        if !weaver.includes(&class) || redefined && calls_hooks(bytes) {
            return new;
        }
        // Classes of the JDK that a VM needs to begin cannot call hooks: there is none yet.
        if !self.live.load(Ordering::Relaxed) {
            if !self.too_early.swap(true, Ordering::Relaxed) {
                let text = "it is loaded before monitoring begins: it and others like it \
                            are not watched";
                self.note(vec![Note { class, method: None, text: text.into() }]);
            }
            return new;
        }
        let current = new.as_deref().unwrap_or(bytes);
        let judged = match weaver.silenced().judge(&class, original) {
            // It was judged when it was woven, and is another file since.
            Judged::Differs if is_woven_ahead(original) => Judged::Fine,
            judged => judged,
        };
        let weave = || match judged {
            Judged::Fine if new.is_none() => weaver.weave_known(bytes, facts, seen, &self.numbers),
            Judged::Fine => weaver.weave(current, seen, &self.numbers),
            _ => weaver.weave_fully(current, seen, &self.numbers),
        };
        let mut woven = weave();
        if !self.specials.define(jni, &self.homes) {
            // None of them is used any more.
            woven = weave();
        }
        if judged != Judged::Fine {
            self.strange(&class, judged);
        }
        self.take(jni, class, woven).or(new)
    }

    /// A hidden class that the program defines. It keeps its shape: the identities of its objects are
    /// kept beside them.
    pub fn transform_hidden(&self, jni: Jni, loader: Object, bytes: &[u8]) -> Option<Vec<u8>> {
        let class = ClassFile::parse(bytes).ok()?;
        let name = class.name().ok()?.to_str().into_owned();
        let weaver = &self.weaver_of_loaded;
        let is_wanted = self.live.load(Ordering::Relaxed)
            && !self.is_stopped()
            && !loader.is_null()
            && !hidden::is_of_the_jdk(&name)
            && weaver.includes(&dotted(&name))
            && !calls_hooks(bytes);
        if !is_wanted {
            return None;
        }
        self.muted(jni, thread_key(jni), || {
            let seen = Seen::new(&self.classes, Some((jni, loader)));
            let weave = || weaver.weave_fully(bytes, &seen, &self.numbers);
            let mut woven = weave();
            if !self.specials.define(jni, &self.homes) {
                woven = weave();
            }
            self.take(jni, dotted(&name), woven)
        })
    }

    /// Learns the sites of a class that was woven; answers its new class file.
    fn take(&self, jni: Jni, class: String, woven: Outcome) -> Option<Vec<u8>> {
        let woven = match woven {
            Outcome::Unchanged { notes } => {
                self.note(notes);
                return None;
            }
            Outcome::Left { reason } => {
                self.note(vec![Note { class, method: None, text: reason }]);
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
                self.property_sites[property.index()].fetch_add(1, Ordering::Relaxed);
            }
            self.uncalled.see(site);
            for emit in &site.emits {
                self.event_sites[emit.event.index()].fetch_add(1, Ordering::Relaxed);
            }
            let planned = Planned::new(&self.model, site, &self.homes, &self.texts);
            let operations = planned.operations;
            if planned.odd {
                let text = "an event about several objects is left out: one is a number";
                self.note(vec![Note { class: class.clone(), method: None, text: text.into() }]);
            }
            if !self.sites.add(site.id.index(), planned) {
                self.fail("there are more sites than the agent can count");
                return None;
            }
            if operations.packed != 0 {
                self.tell_operations(jni, site.id.index(), operations);
            }
        }
        self.note(woven.notes);
        self.woven.fetch_add(1, Ordering::Relaxed);
        Some(woven.bytes)
    }

    /// A class is loaded that is not among those analysed.
    fn strange(&self, class: &str, judged: Judged) {
        if let Ok(mut strangers) = self.strangers.lock() {
            let list = match judged {
                Judged::Differs => &mut strangers.0,
                _ => &mut strangers.1,
            };
            list.0 += 1;
            if list.1.is_empty() {
                list.1 = class.to_owned();
            }
        }
    }

    /// The classes that are not as they were analysed, if there are any.
    fn about_strangers(&self) -> Vec<Limit> {
        let Ok(strangers) = self.strangers.lock() else { return Vec::new() };
        let (differ, unknown) = &*strangers;
        let limit = |(were_analysed, (count, first)): (bool, &Strange)| {
            let (were_analysed, count, first) = (were_analysed, *count, first.clone());
            Limit::Strangers(Strangers { were_analysed, count, first, refute_proof: false })
        };
        let kinds = [(true, differ), (false, unknown)].into_iter();
        kinds.filter(|(_, (count, _))| *count > 0).map(limit).collect()
    }

    fn note(&self, notes: Vec<Note>) {
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

    /// An event of a site.
    #[inline]
    fn event(&self, jni: Jni, site: usize, objects: &[Object], ids: &[i64], longs: &[i64]) {
        let thread = thread_key(jni);
        if self.monitor.is_inside(thread) {
            return;
        }
        let Some(planned) = self.sites.get(site) else { return };
        let by_identity = |at: &usize| {
            ids.get(*at).is_none_or(|id| *id == 0 || self.equals.is_identity(*id as u64))
        };
        let news = if planned.plain && planned.equal.iter().all(by_identity) {
            self.monitor.enter(thread, |state| {
                for emit in &planned.emits {
                    let mut args = [ValueRef::Null; FAST_ARGS];
                    let only = emit.only.as_deref();
                    let count = emit.args.len();
                    if count <= FAST_ARGS {
                        for (arg, fetch) in args.iter_mut().zip(&emit.args) {
                            *arg = plain(fetch, ids, longs);
                        }
                        let args = &args[..count];
                        state.step(thread, emit.event, args, planned, only, &self.class_numbers);
                    } else {
                        let args: Vec<ValueRef<'_>> =
                            emit.args.iter().map(|fetch| plain(fetch, ids, longs)).collect();
                        state.step(thread, emit.event, &args, planned, only, &self.class_numbers);
                    }
                }
                self.after(jni, state, &planned.location)
            })
        } else {
            self.slow_event(jni, thread, site, planned, objects, ids, longs)
        };
        if let Some(Some(found)) = news {
            reaction::react(self, jni, thread, &found);
        }
    }

    /// An event that needs more than what the hook passed.
    #[cold]
    #[allow(clippy::too_many_arguments, reason = "what a hook passes")]
    fn slow_event(
        &self,
        jni: Jni,
        thread: ThreadKey,
        site: usize,
        planned: &Planned,
        objects: &[Object],
        ids: &[i64],
        longs: &[i64],
    ) -> Option<Option<Vec<Violated>>> {
        // What runs Java runs outside of the critical section: it may wait for other threads.
        let given = values::Given { agent: self, jni, objects, ids, longs };
        let values: Vec<Vec<values::Fetched>> = self.muted(jni, thread, || {
            if !planned.tests.iter().all(|test| values::passes(&given, test)) {
                return None;
            }
            Some(
                planned
                    .emits
                    .iter()
                    .map(|e| e.args.iter().map(|f| values::fetch(&given, f)).collect())
                    .collect(),
            )
        })?;
        for asked in &planned.asked {
            self.ask(site, &given, asked);
            if jni.exception_pending() {
                return None;
            }
        }
        if planned.emits.is_empty() {
            return None;
        }
        self.monitor.enter(thread, |state| {
            for (emit, values) in planned.emits.iter().zip(&values) {
                let args: Vec<ValueRef<'_>> = values.iter().map(values::Fetched::as_ref).collect();
                let only = emit.only.as_deref();
                state.step(thread, emit.event, &args, planned, only, &self.class_numbers);
            }
            self.after(jni, state, &planned.location)
        })
    }

    /// Has the runtime step objects that it could not find itself.
    fn ask(&self, site: usize, given: &values::Given<'_>, asked: &Asked) {
        let Some(runtime) = self.runtime.get() else { return };
        let jni = given.jni;
        jni.framed(16, || {
            let object = |fetch: &Fetch| match fetch {
                Fetch::Id(at) => given.objects.get(*at).copied().unwrap_or(std::ptr::null_mut()),
                _ => std::ptr::null_mut(),
            };
            let [a, b] = &asked.objects;
            let fetched: Vec<(u32, Value)> = asked
                .values
                .iter()
                .map(|(at, fetch)| match values::fetch(given, fetch) {
                    values::Fetched::Value(value) => (*at, value),
                    values::Fetched::Id(0) => (*at, Value::Null),
                    values::Fetched::Id(id) => (*at, Value::Ref(Referred { id, class: None })),
                })
                .collect();
            let value = |at: u32| {
                let found = fetched.iter().find(|(known, _)| *known == at);
                found.map_or(Value::Null, |(_, value)| value.clone())
            };
            let case = self.homes.case(asked.letter, &value);
            let args = [
                Argument { int: site as i32 },
                Argument { int: asked.letter as i32 },
                Argument { object: object(a) },
                Argument { object: object(b) },
                Argument { int: case as i32 },
            ];
            jni.call_static_void(runtime.class, runtime.act, &args);
        });
    }

    /// A slice whose state is in the objects comes to be reported.
    fn told(&self, jni: Jni, site: usize, told: &Told) {
        let thread = thread_key(jni);
        if self.monitor.is_inside(thread) {
            return;
        }
        let Some(planned) = self.sites.get(site) else { return };
        let here = &planned.location;
        let key = (site, told.letter, told.case, told.code);
        let news = self.monitor.enter(thread, |state| {
            // What is neither told again nor reacted to need not be put into words.
            if let Some((kind, property, entered)) = state.told_before.get(&key).copied()
                && matches!(self.settings.on_violation, OnViolation::Report)
                && state.run.add_again(kind, property, entered, here)
            {
                return None;
            }
            let mut report = self.homes.report(&self.model, told, here, &self.sites)?;
            state.told_before.insert(key, (report.kind, report.property, report.state));
            let number = state.thread(thread);
            let counts = self.homes.counts(jni);
            let own = counts.iter().find(|counted| counted.property == report.property);
            report.index = own.map_or(0, Counted::events).max(1);
            let extra = report.history.len().saturating_sub(self.settings.history);
            report.history.drain(..extra);
            if let Some(last) = report.history.last_mut() {
                (last.index, last.thread) = (report.index, Some(number));
            }
            let found = vec![state.run.add(report, here)];
            Some(self.tell_found(Some(jni), Some(here), found))
        });
        if let Some(Some(found)) = news {
            reaction::react(self, jni, thread, &found);
        }
    }

    /// After the events of a site, still inside: what was found, and what died.
    #[inline]
    fn after(&self, jni: Jni, state: &mut State, here: &Arc<Location>) -> Option<Vec<Violated>> {
        if self.deaths.is_due(state) {
            self.deaths.bury(self.tools, state);
        }
        if !state.run.has_news() {
            return None;
        }
        Some(self.take_news(Some(jni), state, Some(here)))
    }

    /// Takes and tells what came of events.
    #[cold]
    fn take_news(
        &self,
        jni: Option<Jni>,
        state: &mut State,
        here: Option<&Arc<Location>>,
    ) -> Vec<Violated> {
        let found = state.run.collect(|_| here.cloned());
        for text in state.run.take_printed() {
            let text = naming::named_text(&text, &self.class_numbers);
            self.outlet.tell(&Record::Printed(text));
        }
        self.tell_found(jni, here, found)
    }

    /// Tells what is to be listed; answers all violations.
    fn tell_found(
        &self,
        jni: Option<Jni>,
        here: Option<&Arc<Location>>,
        found: Vec<Found>,
    ) -> Vec<Violated> {
        let mut violated = Vec::new();
        for Found { report, listed, certain } in found {
            let here = here.filter(|_| report.cause == Cause::Event);
            let report = naming::readable(report, &self.class_numbers);
            if report.kind == watchword_monitor::ReportKind::Violation {
                violated.push(Violated::new(self, &report));
            }
            if listed.number.is_some() {
                let (thread, stack) = match (jni, here) {
                    (Some(jni), Some(_)) => self.thread_and_stack(jni),
                    _ => (None, Vec::new()),
                };
                let location = listed.location;
                let found = wire::Found { report, location, thread, stack, certain };
                self.outlet.tell(&Record::Found(Box::new(found)));
            }
        }
        violated
    }

    /// The name of this thread, and its stack.
    fn thread_and_stack(&self, jni: Jni) -> (Option<String>, Vec<Location>) {
        let (mut thread, mut frames) = (None, Vec::new());
        jni.framed(64, || {
            thread = self.tools.thread_name(jni, std::ptr::null_mut()).ok();
            frames = stack::frames(self.tools, jni, self.settings.stack);
        });
        (thread, frames)
    }

    /// The program ends: the last reports, the totals.
    pub fn finish(&self, jni: Option<Jni>) {
        let thread = jni.map_or(1, thread_key);
        let counts = jni.map(|jni| self.homes.counts(jni)).unwrap_or_default();
        let totals = self.monitor.enter(thread, |state| {
            let ended = state.end();
            self.take_news(None, state, None);
            if let Some(mut trace) = state.trace.take() {
                state.trace_failed |= trace.finish(ended).is_err();
            }
            let totals = self.totals(state, &counts);
            state.over = true;
            totals
        });
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(totals) = &totals {
            let seen = Seen::new(&self.classes, None);
            let has_sites =
                |event: EventId| self.event_sites[event.index()].load(Ordering::Relaxed) > 0;
            for (property, totals) in self.model.properties.iter().zip(&totals.properties) {
                let hint = match (totals.sites.unwrap_or(0), totals.events) {
                    _ if property.is_proven() => continue,
                    (0, _) | (_, 0) if self.weaver.silenced().concerns(&property.name) => continue,
                    (0, _) => hints::no_site(&self.model, property, &self.classes, &seen),
                    (sites, 0) => hints::no_event(property, sites),
                    _ => match hints::mistaken(&self.model, property, &has_sites, &seen) {
                        Some(hint) => hint,
                        None => continue,
                    },
                };
                self.outlet.tell(&Record::Warning(hint));
            }
            self.tell_uncalled(&seen);
        }
        for note in self.notes.lock().map(|n| n.clone()).unwrap_or_default() {
            let method = note.method.map(|m| format!(".{m}")).unwrap_or_default();
            let text = format!("{}{method}: {}", note.class, note.text);
            self.outlet.tell(&Record::Warning(text));
        }
        if let Some(totals) = totals {
            self.outlet.tell(&Record::Finished(Box::new(Ending {
                totals,
                classes: self.seen.load(Ordering::Relaxed),
                woven: self.woven.load(Ordering::Relaxed),
                weaving: self.weaving.load(Ordering::Relaxed),
            })));
        }
        let path = self.outlet.close();
        if let [command, args @ ..] = &self.settings.reporter[..] {
            let _ = std::process::Command::new(command)
                .args(args)
                .arg(path)
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::null())
                .status();
        }
    }

    /// Warns about methods that labels wait for and no watched class calls.
    fn tell_uncalled(&self, seen: &Seen<'_>) {
        let classes: Vec<_> = self.classes.loaded();
        let watched: Vec<_> =
            classes.into_iter().filter(|c| self.weaver.includes(&dotted(&c.name))).collect();
        for (index, property) in self.model.properties.iter().enumerate() {
            let id = watchword_model::PropertyId::from_index(index);
            // A property that is silenced somewhere need not have sites.
            if property.is_proven() || self.weaver.silenced().concerns(&property.name) {
                continue;
            }
            for method in self.uncalled.of(id, &watched, seen) {
                let text = format!(
                    "{}: no watched class calls {method}, so its events do not occur; if the JVM or \
                     a library calls it, `--events callee` sees it",
                    property.name
                );
                self.outlet.tell(&Record::Warning(text));
            }
        }
    }

    fn totals(&self, state: &State, counts: &[Counted]) -> Totals {
        let mut totals = state.run.totals();
        for (i, own) in totals.properties.iter_mut().enumerate() {
            let sites = self.property_sites[i].load(Ordering::Relaxed);
            own.sites = Some(sites);
            if let Some(counted) = counts.iter().find(|counted| counted.property.index() == i) {
                // The engine monitors what is no object.
                own.events += counted.events();
                own.instances = own.instances.map(|made| made + counted.instances);
                own.by_event.iter_mut().for_each(|(event, n)| *n += counted.of(*event));
            } else if sites == 0 {
                // Events of other properties, and instances it shares with them, are not its own.
                (own.events, own.instances) = (0, Some(0));
                own.by_event.iter_mut().for_each(|(_, n)| *n = 0);
            }
        }
        totals.events += counts.iter().map(Counted::events).sum::<u64>();
        if state.trace_failed {
            totals.limits.push(Limit::TraceCut);
        }
        totals.limits.extend(self.about_strangers());
        totals
    }

    /// The identity of an object that cannot hold one itself.
    pub fn side_id(&self, jni: Jni, object: Object) -> i64 {
        let known = self.tools.tag(object).unwrap_or(0);
        if crate::ids::is_id(known as u64) {
            return known;
        }
        let Some(runtime) = self.runtime.get() else { return 0 };
        let class = jni.class_of(object);
        let bits = self.class_bits(class);
        jni.delete_local(class);
        // Two threads may see the object for the first time at once.
        let Ok(_tagging) = self.deaths.tagging.lock() else { return 0 };
        let known = self.tools.tag(object).unwrap_or(0);
        if crate::ids::is_id(known as u64) {
            return known;
        }
        let id = bits as i64 | jni.call_static_long(runtime.class, runtime.take, &[]);
        let _ = self.tools.set_tag(object, id);
        id
    }

    /// The bits of the identities of a class whose objects are tagged.
    fn class_bits(&self, class: Class) -> u64 {
        let signature = self.tools.class_signature(class).unwrap_or_default();
        self.class_numbers.side(&dotted_type(&signature))
    }

    /// The identity of any object that is not null, found from here.
    pub fn id_of(&self, jni: Jni, object: Object) -> i64 {
        let Some(runtime) = self.runtime.get() else { return 0 };
        jni.call_static_long(runtime.class, runtime.id, &[Argument { object }])
    }

    /// Members or interfaces without those that were injected; the array itself if there are none.
    fn hide(&self, jni: Jni, members: Object) -> Object {
        if members.is_null() {
            return members;
        }
        jni.framed_object(64, || {
            let signature = self.tools.class_signature(jni.class_of(members)).unwrap_or_default();
            let element = signature.trim_start_matches("[L").trim_end_matches(';').to_string();
            let class = jni.find_class(&element);
            let all = jni.objects_of(members);
            let is_ours = |member: Object| match &*element {
                "java/lang/Class" => {
                    let signature = self.tools.class_signature(member).unwrap_or_default();
                    signature.trim_start_matches('L').trim_end_matches(';') == runtime::TRACKED
                }
                _ => {
                    let field = jni.field(class, "name", "Ljava/lang/String;");
                    let name = match field.is_null() {
                        true => std::ptr::null_mut(),
                        false => jni.object_field(member, field),
                    };
                    let name = if name.is_null() { String::new() } else { jni.text_of(name) };
                    let synthetic = || {
                        let field = jni.field(class, "modifiers", "I");
                        !field.is_null()
                            && matches!(jni.primitive_field(member, field, b'I'),
                                watchword_model::Value::Int(bits) if bits & 0x1000 != 0)
                    };
                    // The number of a serialised class is pinned by a field that it did not have.
                    name.starts_with("$watchword$") || (name == "serialVersionUID" && synthetic())
                }
            };
            let visible: Vec<Object> = all.iter().copied().filter(|m| !is_ours(*m)).collect();
            if visible.len() == all.len() || class.is_null() {
                return members;
            }
            let array = jni.new_array(class, &visible);
            if array.is_null() { members } else { array }
        })
    }

    /// Numbers a class whose objects hold identities, and has the heap walk look at them.
    pub fn number_class(&self, class: Class) -> i64 {
        let signature = self.tools.class_signature(class).unwrap_or_default();
        if self.tools.tag(class).unwrap_or(0) == 0 {
            let _ = self.tools.set_tag(class, 1);
        }
        self.class_numbers.add(&dotted_type(&signature)) as i64
    }
}

/// A violation a reaction may be for.
pub struct Violated {
    /// The property.
    pub property: String,
    /// What to tell a person.
    pub message: String,
}

impl Violated {
    fn new(agent: &Agent, report: &Report) -> Violated {
        Violated {
            property: agent.model.properties[report.property.index()].name.clone(),
            message: report.message.clone(),
        }
    }
}

/// The key of the thread an environment belongs to.
#[inline]
pub fn thread_key(jni: Jni) -> ThreadKey {
    jni.address()
}

/// An argument that is at hand.
#[inline]
fn plain<'a>(fetch: &'a Fetch, ids: &[i64], longs: &[i64]) -> ValueRef<'a> {
    let long = |at: &usize| longs.get(*at).copied().unwrap_or(0);
    match fetch {
        Fetch::Id(at) | Fetch::Equal(at) => match ids.get(*at) {
            None | Some(0) => ValueRef::Null,
            Some(id) => ValueRef::Ref(*id as u64, None),
        },
        Fetch::Int(at) => ValueRef::Int(long(at)),
        Fetch::Bool(at) => ValueRef::Bool(long(at) != 0),
        Fetch::Float(at) => ValueRef::Float(f64::from_bits(long(at) as u64)),
        Fetch::IntAsFloat(at) => ValueRef::Float(long(at) as f64),
        Fetch::FloatAsInt(at) => {
            let value = f64::from_bits(long(at) as u64);
            match watchword_model::Value::Float(value).coerce(Type::Int) {
                Some(watchword_model::Value::Int(i)) => ValueRef::Int(i),
                _ => ValueRef::Null,
            }
        }
        Fetch::Const(value) => ValueRef::from(value),
        Fetch::Content(..)
        | Fetch::Text(..)
        | Fetch::Char(_)
        | Fetch::Thread
        | Fetch::Read(..)
        | Fetch::Types(_) => ValueRef::Null,
    }
}

/// An event, from a hook.
#[inline]
pub fn event(env: *mut c_void, site: i32, objects: &[Object], ids: &[i64], longs: &[i64]) {
    let Some(agent) = AGENT.get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the hook.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.event(jni, site as usize, objects, ids, longs));
}

/// An event with more values than parameters are passed for.
pub fn event_in_arrays(env: *mut c_void, site: i32, objects: Object, longs: Object) {
    let Some(agent) = AGENT.get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the hook.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| {
        if agent.monitor.is_inside(thread_key(jni)) {
            return;
        }
        jni.framed(300, || {
            let objects = jni.objects_of(objects);
            let ids: Vec<i64> = objects
                .iter()
                .map(|object| if object.is_null() { 0 } else { agent.id_of(jni, *object) })
                .collect();
            agent.event(jni, site as usize, &objects, &ids, &jni.longs_of(longs));
        });
    });
}

/// A slice whose state is in the objects comes to be reported.
pub fn told(env: *mut c_void, site: i32, told: &Told) {
    let Some(agent) = AGENT.get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.told(jni, site as usize, told));
}

/// Whether what this thread does is the agent's doing.
pub fn is_inside(env: *mut c_void) -> bool {
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    AGENT.get().is_some_and(|agent| agent.monitor.is_inside(thread_key(jni)))
}

/// The identity of an object that is gone, for the runtime; 0 if there are no more.
pub fn gone() -> i64 {
    AGENT.get().and_then(|agent| guarded(|| agent.deaths.next_gone())).unwrap_or(0)
}

/// The identity of an object that cannot hold one.
pub fn side_id(env: *mut c_void, object: Object) -> i64 {
    let Some(agent) = AGENT.get() else { return 0 };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.side_id(jni, object)).unwrap_or(0)
}

/// What the program may see of members or interfaces.
pub fn hide(env: *mut c_void, members: Object) -> Object {
    let Some(agent) = AGENT.get() else { return members };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.hide(jni, members)).filter(|array| !array.is_null()).unwrap_or(members)
}

/// The cases that a choice has for objects of a class, as the runtime has them.
pub fn cases(env: *mut c_void, choice: i32, class: Class) -> i32 {
    let Some(agent) = AGENT.get() else { return 0 };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.cases(jni, choice as usize, class)).unwrap_or(0)
}

/// The bits of the identities of a class.
pub fn class_number(_env: *mut c_void, class: Class) -> i64 {
    let Some(agent) = AGENT.get() else { return 0 };
    guarded(|| agent.number_class(class)).unwrap_or(0)
}

/// The class hook.
#[allow(clippy::too_many_arguments, reason = "the signature is the VM's")]
pub extern "system" fn class_hook(
    _tools: *mut c_void,
    jni: *mut c_void,
    redefined: Class,
    loader: Object,
    name: *const c_char,
    _domain: Object,
    length: i32,
    data: *const u8,
    new_length: *mut i32,
    new_data: *mut *mut u8,
) {
    let Some(agent) = AGENT.get().filter(|agent| !agent.order.follows()) else { return };
    // SAFETY: the arguments are those of the VM.
    unsafe {
        replace_class(jni, name, length, data, new_length, new_data, |jni, name, bytes| {
            agent.transform(jni, redefined, loader, name, bytes)
        });
    }
}

/// Has a class file replaced by what `new` makes of it, if anything.
///
/// # Safety
/// The arguments must be those of a class hook that the VM calls.
pub unsafe fn replace_class(
    jni: *mut c_void,
    name: *const c_char,
    length: i32,
    data: *const u8,
    new_length: *mut i32,
    new_data: *mut *mut u8,
    new: impl FnOnce(Jni, Option<String>, &[u8]) -> Option<Vec<u8>>,
) {
    let Some(agent) = AGENT.get() else { return };
    guarded(|| {
        // SAFETY: the VM passes the environment of this thread (or null, very early), a name that
        // ends in NUL or null, and a class file of that length.
        let (jni, name, bytes) = unsafe {
            let name = (!name.is_null()).then(|| text_at(name));
            let length = usize::try_from(length).unwrap_or(0);
            (Jni::from_raw(jni), name, std::slice::from_raw_parts(data, length))
        };
        let Some(new) = new(jni, name, bytes) else { return };
        let Ok(length) = i32::try_from(new.len()) else { return };
        if let Ok(memory) = agent.tools.allocate(&new) {
            // SAFETY: out-parameters of the VM, which takes the memory over.
            unsafe {
                *new_length = length;
                *new_data = memory;
            }
        }
    });
}

/// The VM runs.
pub extern "system" fn vm_init(_tools: *mut c_void, jni: *mut c_void, _thread: Object) {
    let Some(agent) = AGENT.get() else { return };
    guarded(|| {
        // SAFETY: the VM passes the environment of this thread.
        let jni = unsafe { Jni::from_raw(jni) };
        if let Ok(path) = agent.tools.property(c"java.class.path") {
            agent.classes.set_class_path(&path);
        }
        if let Err(why) = agent.start(jni).and_then(|()| agent.order.follow()) {
            agent.fail(&why);
        }
    });
}

/// The VM ends.
pub extern "system" fn vm_death(_tools: *mut c_void, jni: *mut c_void) {
    let Some(agent) = AGENT.get() else { return };
    // SAFETY: the VM passes the environment of this thread.
    let jni = unsafe { Jni::from_raw(jni) };
    guarded(|| agent.finish(Some(jni)));
}

/// A thread ends.
pub extern "system" fn thread_end(_tools: *mut c_void, jni: *mut c_void, _thread: Object) {
    let Some(agent) = AGENT.get() else { return };
    // SAFETY: the VM passes the environment of this thread.
    let jni = unsafe { Jni::from_raw(jni) };
    guarded(|| agent.monitor.forget_thread(thread_key(jni)));
}

/// A garbage collection is over. Called while the VM stands still: nothing but a mark is made.
pub extern "system" fn collected(_tools: *mut c_void) {
    if let Some(agent) = AGENT.get() {
        agent.deaths.collected();
    }
}

/// A tagged object was collected.
pub extern "system" fn freed(_tools: *mut c_void, tag: i64) {
    if let Some(agent) = AGENT.get() {
        agent.deaths.freed(tag);
    }
}

/// The options the VM passes, as text.
///
/// # Safety
/// `options` must be null or end in NUL.
pub unsafe fn options_text(options: *const c_char) -> String {
    if options.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it. Options are the bytes of the command line.
    unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
}
