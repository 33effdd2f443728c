//! The agent: made once when it is loaded, reached by callbacks and hooks.

mod ending;
mod events;
mod identities;
mod loading;
mod shown;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use watchword_model::{EventDecl, Glob, Model, Type, Value};
use watchword_monitor::{Listing, Options};
use watchword_weave::{Note, Read, cells, dotted_type, runtime};
use watchword_wire::{Bundle, Record, Settings};

use crate::classes::{Classes, Seen};
use crate::deaths::Deaths;
use crate::homes::Homes;
use crate::java::JavaCode;
use crate::monitor::{Monitor, ThreadKey};
use crate::order::Order;
use crate::outlet::{Outlet, with_pid};
use crate::sites::{Fetch, Operations, Sites};
use crate::texts::Texts;
use crate::trace::Trace;
use crate::vm::{Argument, Class, Jni, MethodId, Tools};
use crate::{hiding, hooks, values};

pub use events::Violated;
use identities::Identities;
use loading::Loading;
pub use loading::names_class;

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

/// Everything the agent has. What belongs to one phase is in that phase's file.
pub struct Agent {
    /// The VM's tools.
    pub tools: Tools,
    /// What is checked.
    pub model: Arc<Model>,
    /// What was asked for.
    pub settings: Settings,
    /// When it sees classes, among other agents.
    pub order: Order,
    /// The monitors.
    pub monitor: Monitor,
    /// Objects that events talk about.
    pub identities: Identities,
    classes: Classes,
    loading: Loading,
    sites: Sites,
    /// The properties whose state is in the objects.
    homes: Homes,
    /// By property: the strings it takes for texts.
    texts: Vec<Option<Arc<Texts>>>,
    runtime: OnceLock<Runtime>,
    outlet: Outlet,
    /// The Java code of properties.
    pub java: JavaCode,
    /// Java can be called.
    live: AtomicBool,
    /// Exceptions have no stack traces, and events ask who threw them.
    traceless: AtomicBool,
    /// Monitoring has failed or ended.
    stopped: AtomicBool,
}

/// The runtime's class for the agent, and what is called of it.
struct Runtime {
    class: Class,
    id: MethodId,
    take: MethodId,
    site: MethodId,
    test: MethodId,
    choice: MethodId,
    mute: MethodId,
    act: MethodId,
    ended: MethodId,
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
            test: method("test", "(II)V")?,
            choice: method("choice", "(II)V")?,
            mute: method("mute", "(I)V")?,
            act: method("act", "(IILjava/lang/Object;Ljava/lang/Object;I)V")?,
            ended: method("ended", "()V")?,
        })
    }
}

// SAFETY: a global reference and ids, which belong to no thread.
unsafe impl Send for Runtime {}
// SAFETY: as above.
unsafe impl Sync for Runtime {}

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
    let options = Options {
        history: settings.history,
        max_instances: settings.max_instances,
        max_memory: settings.max_memory,
        keep: settings.keep,
        moves: settings.shown,
        ..Options::default()
    };
    let home = tools.property(c"java.home").map_err(|e| e.to_string())?;
    let classes = Classes::new(PathBuf::from(home));
    if let Ok(path) = tools.property(c"java.class.path") {
        classes.set_class_path(&path);
    }
    let loading = Loading::new(&model, &settings)?;
    classes.set_roots(loading.weaver.operand_types(&Seen::new(&classes, None)));
    let listing =
        Listing { most: settings.max_violations, unique: settings.unique, traces: HashSet::new() };
    // A trace has every event in one order, a limit is one on all instances, and somebody who looks at
    // instances sees those of the engine.
    let inline = early
        && settings.patched
        && !settings.shown
        && trace.is_none()
        && settings.max_instances.is_none()
        && settings.max_memory.is_none()
        && settings.history <= MAX_INLINE_HISTORY;
    let homes = if inline { Homes::new(&model) } else { Homes::default() };
    let deaths = Deaths::of_interest(!homes.has_all(&model));
    let agent = Agent {
        tools,
        monitor: Monitor::new(&model, options, listing, trace),
        homes,
        texts: model.properties.iter().map(|p| Texts::of(&model, p)).collect(),
        runtime: OnceLock::new(),
        identities: Identities { deaths, ..Identities::default() },
        classes,
        loading,
        sites: Sites::new(),
        outlet,
        java: JavaCode::default(),
        live: AtomicBool::new(false),
        traceless: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        order,
        model,
        settings,
    };
    if AGENT.set(agent).is_err() {
        return Err("the agent is already loaded in this program".to_string());
    }
    Ok(AGENT.get())
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

/// Whether the JVM makes exceptions without stack traces, as one tells that the JDK throws.
fn makes_no_traces(jni: Jni) -> bool {
    let look = || {
        let class = jni.find_class("java/lang/Integer");
        let parse = jni.static_method(class, "valueOf", "(Ljava/lang/String;)Ljava/lang/Integer;");
        if parse.is_null() {
            return false;
        }
        jni.call_static_object(class, parse, &[Argument { object: jni.string("x") }]);
        let thrown = jni.exception();
        if !jni.clear_exception() {
            return false;
        }
        let trace = "()[Ljava/lang/StackTraceElement;";
        let trace = jni.method(jni.class_of(thrown), "getStackTrace", trace);
        if trace.is_null() {
            return false;
        }
        let trace = jni.call_object(thrown, trace, &[]);
        !jni.clear_exception() && jni.objects_of(trace).is_empty()
    };
    let answer = jni.framed(256, look);
    jni.clear_exception();
    answer.unwrap_or(false)
}

impl Agent {
    /// Whether the command line receives messages.
    pub fn is_heard(&self) -> bool {
        self.outlet.is_heard()
    }

    /// Stops monitoring; the program goes on.
    pub fn fail(&self, why: &str) {
        if !self.stopped.swap(true, Ordering::SeqCst) {
            self.outlet.tell(&Record::Failed(why.to_string()));
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

    /// The VM runs.
    pub fn begin(&self, jni: Jni) {
        if let Ok(path) = self.tools.property(c"java.class.path") {
            self.classes.set_class_path(&path);
        }
        if let Err(why) = self.start(jni).and_then(|()| self.order.follow()) {
            self.fail(&why);
        }
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
        self.java.define(jni, &self.model.java, &self.settings.code)?;
        for name in ["start", "listen"] {
            let method = jni.static_method(class, name, "()V");
            if !method.is_null() {
                jni.call_static_void(class, method, &[]);
            }
            if method.is_null() || jni.clear_exception() {
                return Err("the hooks cannot be switched on".to_string());
            }
        }
        let asks = self.model.events.iter().any(EventDecl::asks_who_threw);
        self.traceless.store(asks && makes_no_traces(jni), Ordering::Relaxed);
        self.live.store(true, Ordering::SeqCst);
        self.watch_the_clock();
        self.begin_showing();
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
        if operations.tests != 0 {
            let tests = [Argument { int: site as i32 }, Argument { int: operations.tests as i32 }];
            jni.aside(|| jni.call_static_void(runtime.class, runtime.test, &tests));
        }
        jni.aside(|| jni.call_static_void(runtime.class, runtime.site, &args));
    }

    /// The cases that a choice has for objects of a class.
    pub fn cases(&self, jni: Jni, choice: usize, class: Class) -> i32 {
        let given = values::Given { agent: self, jni, objects: &[class], ids: &[], longs: &[] };
        let value = |read: &Read| {
            let fetch = Fetch::Read(Box::new(read.clone()), Type::Str);
            self.muted(jni, thread_key(jni), || match values::fetch(&given, &fetch) {
                values::Fetched::Value(value) => value,
                values::Fetched::Id(_) => Value::Null,
            })
        };
        let is = |ty: &str| values::is_of(&given, class, ty);
        cells::pack_cases(self.homes.choices.of_class(choice, &value, &is))
    }

    /// A thread of the program ends: what is kept for it goes.
    pub fn thread_ends(&self, jni: Jni) {
        self.monitor.forget_thread(thread_key(jni));
        if let Some(runtime) = self.runtime.get().filter(|_| !self.homes.is_empty()) {
            jni.aside(|| jni.call_static_void(runtime.class, runtime.ended, &[]));
        }
    }

    /// Runs something on the agent's behalf: it raises no events.
    pub fn muted<T>(&self, jni: Jni, thread: ThreadKey, body: impl FnOnce() -> T) -> T {
        // At the end of a stack it may fail, and must not be taken back then.
        let mute = |by: i32| {
            let runtime = self.runtime.get().filter(|_| !self.homes.is_empty());
            runtime.is_some_and(|runtime| {
                jni.aside(|| {
                    jni.call_static_void(runtime.class, runtime.mute, &[Argument { int: by }]);
                    !jni.clear_exception()
                })
            })
        };
        let is_muted = mute(1);
        let result = self.monitor.muted(thread, body);
        if is_muted {
            mute(-1);
        }
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
                        && (self.loading.includes(&dotted_type(&signature))
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
                    self.loading.note(vec![Note { class, method: None, text }]);
                }
            }
            Ok(())
        })
        .unwrap_or(Ok(()))
    }
}

/// The key of the thread an environment belongs to.
#[inline]
pub fn thread_key(jni: Jni) -> ThreadKey {
    jni.address()
}
