//! How the VM loads the agent: the three functions it looks for.

use std::ffi::{c_char, c_void};

use crate::agent::{self, Agent, guarded};
use crate::callbacks;
use crate::order::Order;
use crate::vm::{
    Callbacks, Capabilities, Capability, JVMTI_VERSION, Jni, Notice, Tools, environment,
};
use crate::wrapped;

/// What is asked for; what the VM does not have is done without.
const WANTED: [Capability; 7] = [
    Capability::TagObjects,
    Capability::SourceFileName,
    Capability::LineNumbers,
    Capability::AllClassHooks,
    Capability::GarbageCollections,
    Capability::ObjectFrees,
    Capability::VirtualThreads,
];
/// The same, of an agent that weaves classes when they are loaded. When others have these transformed
/// again, they begin with what it made of them, and it is not asked a second time.
const WANTED_EARLY: [Capability; 2] = [Capability::EarlyClassHooks, Capability::NativeMethodBinds];
/// The same, of an agent that comes to classes that are there.
const WANTED_LATE: [Capability; 2] = [Capability::Retransform, Capability::RetransformAny];

/// The VM loads the agent before it loads its first class.
///
/// # Safety
/// Called by the VM with a `JavaVM*` and the options as a text that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut c_void,
    options: *const c_char,
    _reserved: *mut c_void,
) -> i32 {
    guarded(|| {
        // SAFETY: the VM's own arguments.
        let (tools, order, options) = unsafe {
            (environment(vm, JVMTI_VERSION), Order::new(vm), callbacks::options_text(options))
        };
        if let Err(why) = tools.and_then(|tools| load(tools, order, &options, true)) {
            complain(&why);
        }
        if agent::get().is_some_and(Agent::is_heard) {
            end_with_parent();
        }
    });
    // Whatever happened: the program runs.
    0
}

/// The VM loads the agent into a program that runs.
///
/// # Safety
/// Called by the VM with a `JavaVM*` and the options as a text that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(
    vm: *mut c_void,
    options: *const c_char,
    _reserved: *mut c_void,
) -> i32 {
    let done = guarded(|| {
        // SAFETY: the VM's own arguments; the calling thread is attached to it.
        let (tools, jni, order, options) = unsafe {
            let options = callbacks::options_text(options);
            (environment(vm, JVMTI_VERSION), crate::vm::jni(vm), Order::new(vm), options)
        };
        let attached = tools.and_then(|tools| {
            let jni: Jni = jni?;
            load(tools, order, &options, false)?.map_or(Ok(()), |agent| agent.join(jni))
        });
        attached.map_err(|why| complain(&why)).is_ok()
    });
    if done == Some(true) { 0 } else { 1 }
}

/// The VM unloads the library; everything was said at its death.
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnUnload(_vm: *mut c_void) {}

/// Has the program told to end if the command line that started it and waits for what it tells is
/// killed. Others that may be started with an agent have a parent that knows nothing of it.
fn end_with_parent() {
    // SAFETY: sets an attribute of this process; the arguments are a number and unused.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong, 0, 0, 0) };
}

fn load(
    tools: Tools,
    order: Order,
    options: &str,
    early: bool,
) -> Result<Option<&'static Agent>, String> {
    // What a panic says goes to the report, not between the lines of the program.
    std::panic::set_hook(Box::new(|_| {}));
    let Some(agent) = agent::create(tools, order, options, early)? else { return Ok(None) };
    if early && agent.settings.patched {
        // Other agents ask for the class files of what a class implements. That the module `java.base` has more
        // classes the JDK does not know, see [`modules`](crate::modules).
        tools.append_to_boot_path(&agent.settings.base).map_err(|e| e.to_string())?;
    }
    let potential = tools.potential().map_err(|e| e.to_string())?;
    let more = if early { &WANTED_EARLY[..] } else { &WANTED_LATE };
    let wanted = WANTED.iter().chain(more);
    let wanted = wanted.fold(Capabilities::default(), |all, capability| all.with(*capability));
    let granted = wanted.and(potential);
    tools.add_capabilities(granted).map_err(|e| e.to_string())?;
    let callbacks = Callbacks::new()
        .vm_init(callbacks::vm_init)
        .vm_death(callbacks::vm_death)
        .thread_end(callbacks::thread_end)
        .class_hook(callbacks::class_hook_at_first)
        .native_bind(wrapped::native_bind)
        .collected(callbacks::collected)
        .freed(callbacks::freed);
    tools.set_callbacks(&callbacks).map_err(|e| e.to_string())?;
    let notices = [
        (Notice::VmInit, true),
        (Notice::VmDeath, true),
        (Notice::ThreadEnd, true),
        (Notice::ClassFileLoadHook, true),
        (Notice::NativeMethodBind, granted.has(Capability::NativeMethodBinds)),
        (Notice::GarbageCollectionFinish, granted.has(Capability::GarbageCollections)),
        (Notice::ObjectFree, granted.has(Capability::ObjectFrees)),
    ];
    for (notice, _) in notices.into_iter().filter(|(_, on)| *on) {
        tools.notify(notice, true).map_err(|e| e.to_string())?;
    }
    Ok(Some(agent))
}

/// Reports why there is no monitoring: to the command line, otherwise on standard error.
fn complain(why: &str) {
    match agent::get() {
        Some(agent) => agent.fail(why),
        None => {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("watchword: not monitored: {why}\n").as_bytes(),
            );
        }
    }
}
