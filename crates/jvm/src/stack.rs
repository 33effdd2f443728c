//! The stack of the current thread, as people read it.

use watchword_model::Location;
use watchword_weave::{dotted_type, runtime};

use crate::vm::{Jni, Tools};

/// How many frames an event may have in the runtime.
const OWN: usize = 12;

/// How many frames are looked at to find a test.
const DEEPEST: usize = 4096;

/// Class and method of all frames of the current thread, innermost first.
pub fn names(tools: Tools, jni: Jni) -> Vec<(String, String)> {
    let frames = tools.stack(DEEPEST).unwrap_or_default();
    let name = |frame: crate::vm::Frame| {
        let class = tools.method_class(frame.method).ok()?;
        let signature = tools.class_signature(class).unwrap_or_default();
        jni.delete_local(class);
        Some((dotted_type(&signature), tools.method_name(frame.method).unwrap_or_default()))
    };
    frames.into_iter().filter_map(name).collect()
}

/// The innermost frames, without those of the hooks.
pub fn frames(tools: Tools, jni: Jni, most: usize) -> Vec<Location> {
    // The hooks' own frames come first and are left out.
    let Ok(frames) = tools.stack(most + OWN) else { return Vec::new() };
    let mut shown = Vec::new();
    for frame in frames {
        let Ok(class) = tools.method_class(frame.method) else { continue };
        let signature = tools.class_signature(class).unwrap_or_default();
        let name = dotted_type(&signature);
        let method = tools.method_name(frame.method).unwrap_or_default();
        let is_own = signature.strip_prefix('L').is_some_and(runtime::is_own);
        if !is_own && shown.len() < most {
            let line = if frame.at < 0 { None } else { tools.line_of(frame.method, frame.at) };
            shown.push(Location {
                file: tools.source_file(class).ok().map(Into::into),
                line,
                function: Some(format!("{name}.{method}").into()),
            });
        }
        jni.delete_local(class);
    }
    shown
}
