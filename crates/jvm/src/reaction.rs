//! What happens to the program on a violation, besides the report.

use watchword_weave::runtime;
use watchword_wire::OnViolation;

use crate::agent::{Agent, Violated};
use crate::monitor::ThreadKey;
use crate::vm::{Argument, Jni};

/// Reacts to violations of one site. Outside of the critical section: Java will run.
pub fn react(agent: &Agent, jni: Jni, thread: ThreadKey, found: &[Violated]) {
    let Some(first) = found.first() else { return };
    match &agent.settings.on_violation {
        OnViolation::Report => {}
        OnViolation::Throw => {
            let class = jni.find_class(runtime::VIOLATION);
            if !class.is_null() {
                jni.throw_new(class, &format!("{}: {}", first.property, first.message));
            }
        }
        OnViolation::Exit(status) => {
            let class = jni.find_class("java/lang/System");
            let exit = jni.static_method(class, "exit", "(I)V");
            if !exit.is_null() {
                let status = Argument { int: *status as i32 };
                jni.call_static_void(class, exit, &[status]);
            }
        }
        OnViolation::Call(class, method) => {
            agent.muted(jni, thread, || {
                for violated in found {
                    call(agent, jni, class, method, violated);
                    if jni.exception_pending() {
                        return;
                    }
                }
            });
        }
    }
}

/// Calls the user's method; an exception it throws is the program's.
fn call(agent: &Agent, jni: Jni, class: &str, method: &str, violated: &Violated) {
    jni.framed(16, || {
        let loader = jni.find_class("java/lang/ClassLoader");
        let system = "()Ljava/lang/ClassLoader;";
        let system = jni.static_method(loader, "getSystemClassLoader", system);
        let load = "(Ljava/lang/String;)Ljava/lang/Class;";
        let load = jni.method(loader, "loadClass", load);
        if system.is_null() || load.is_null() {
            return;
        }
        let loader = jni.call_static_object(loader, system, &[]);
        let found = jni.call_object(loader, load, &[Argument { object: jni.string(class) }]);
        if jni.clear_exception() || found.is_null() {
            agent.fail(&format!("--on-violation call: there is no class {class}"));
            return;
        }
        let target = jni.static_method(found, method, "(Ljava/lang/String;Ljava/lang/String;)V");
        if target.is_null() {
            agent.fail(&format!(
                "--on-violation call: {class} has no static method {method}(String, String)"
            ));
            return;
        }
        let args = [&violated.property, &violated.message]
            .map(|text| Argument { object: jni.string(text) });
        jni.call_static_void(found, target, &args);
    });
}
