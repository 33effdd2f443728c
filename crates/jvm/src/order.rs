//! The place of the agent among the agents of a JVM.
//!
//! The VM shows a class file to one environment of the tool interface after the other, each of which
//! sees what those before it made of it: first, in the order in which they were made, the environments
//! that cannot transform loaded classes again, then, in the same order, those that can. The agent has
//! three of them.
//!
//! * The first is made when the library is loaded. It sees the classes of the JDK that a VM loads
//!   before it runs.
//! * The [second](Order::follow) takes over when the VM runs. The agents of the command line have made
//!   theirs by then, so class files reach them as they are: JaCoCo names a class by a checksum of it.
//! * The [third](Order::come_last) can transform again. Only such environments are asked when a loaded
//!   class is transformed again. The VM begins with what the second made of the class, so it stays
//!   woven; but some libraries (Byte Buddy, and so Mockito) describe the class by reflection, which does not
//!   show what the agent has put into it, and the VM refuses a class that lost an interface. The third
//!   puts back what is missing. It has to come after such libraries, so it is made anew whenever a Java agent
//!   announces that it transforms classes again: the native method by which the JDK announces that is
//!   wrapped.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::agent::{self, guarded};
use crate::callbacks::class_hook;
use crate::vm::{
    Callbacks, Capabilities, Capability, JVMTI_VERSION, Notice, Object, Tools, environment,
};
use crate::wrapped::Wrapped;

/// The native method by which the JDK announces a Java agent that transforms classes again:
/// `(long agent, boolean transforms) -> void`.
pub static ANNOUNCEMENT: Wrapped = Wrapped::new(
    "Lsun/instrument/InstrumentationImpl;",
    "setHasRetransformableTransformers",
    announce as *const c_void,
);

/// The environments that come after other agents.
pub struct Order {
    /// A `JavaVM*`.
    vm: usize,
    /// Whether the second has taken over.
    follows: AtomicBool,
    last: Mutex<Option<Tools>>,
}

impl Order {
    /// For a VM.
    ///
    /// # Safety
    /// `vm` must be a `JavaVM*`.
    pub unsafe fn new(vm: *mut c_void) -> Order {
        Order { vm: vm as usize, follows: AtomicBool::new(false), last: Mutex::new(None) }
    }

    fn environment(&self) -> Result<Tools, String> {
        // SAFETY: `new` was given the VM, which outlives the library.
        unsafe { environment(self.vm as *mut c_void, JVMTI_VERSION) }
    }

    /// An environment that sees classes after those that are there.
    fn hook(&self, capabilities: &[Capability], callbacks: &Callbacks) -> Result<Tools, String> {
        let tools = self.environment()?;
        let wanted = capabilities
            .iter()
            .fold(Capabilities::default(), |all, capability| all.with(*capability));
        let hook = || {
            tools.add_capabilities(wanted.and(tools.potential()?))?;
            tools.set_callbacks(callbacks)?;
            tools.notify(Notice::ClassFileLoadHook, true)
        };
        hook().map_err(|error| error.to_string())?;
        Ok(tools)
    }

    /// From now on, classes are seen after the agents of the command line have seen them.
    pub fn follow(&self) -> Result<(), String> {
        self.hook(&[Capability::AllClassHooks], &Callbacks::new().class_hook(after_others))?;
        self.follows.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Whether the second environment sees classes, and the first does no more.
    pub fn follows(&self) -> bool {
        self.follows.load(Ordering::SeqCst)
    }

    /// From now on, classes that are transformed again are seen after everybody else.
    fn come_last(&self) -> Result<(), String> {
        let wanted =
            [Capability::AllClassHooks, Capability::Retransform, Capability::RetransformAny];
        let Ok(mut last) = self.last.lock() else { return Ok(()) };
        let before = last.replace(self.hook(&wanted, &Callbacks::new().class_hook(at_last))?);
        if let Some(before) = before {
            before.dispose().map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

class_hook!(
    /// The hook of the second environment.
    after_others,
    |agent, _| agent.order.follows()
);

class_hook!(
    /// The hook of the third environment.
    at_last,
    |_, redefined| !redefined.is_null()
);

/// In place of the method that announces agents.
extern "system" fn announce(jni: *mut c_void, this: Object, java_agent: i64, transforms: u8) {
    type Announce = extern "system" fn(*mut c_void, Object, i64, u8);
    // SAFETY: the method takes these.
    if let Some(original) = unsafe { ANNOUNCEMENT.original::<Announce>() } {
        original(jni, this, java_agent, transforms);
    }
    let Some(agent) = agent::get().filter(|_| transforms != 0) else { return };
    guarded(|| {
        if let Err(why) = agent.order.come_last() {
            agent.warn(&format!("classes that are transformed again may be refused: {why}"));
        }
    });
}
