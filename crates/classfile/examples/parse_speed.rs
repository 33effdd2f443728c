//! How fast classes are read, copied, and woven: `parse_speed PATH/lib/modules [ONLY]`, where `ONLY`
//! is part of the name of a figure.
//!
//! Run with `--release`. Each figure is the best of five passes over all classes of the image, in
//! input bytes per second of processor time on one thread (wall-clock time where the system does
//! not tell processor time).

use std::sync::LazyLock;
use std::time::Instant;

use watchword_classfile::cfg::Cfg;
use watchword_classfile::source::JImage;
use watchword_classfile::{
    ClassEditor, ClassFile, Flags, Hierarchy, Landing, Opcode, Result, Snippet,
};

/// Seconds this thread has run.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()) {
        Some(nanos) => nanos / 1e9,
        None => START.elapsed().as_secs_f64(),
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: parse_speed PATH/lib/modules")?;
    let image = JImage::parse(std::fs::read(path)?)?;
    let mut classes = Vec::new();
    for resource in image.resources() {
        let resource = resource?;
        if resource.class_name().is_some() {
            classes.push(image.content(&resource)?);
        }
    }
    let bytes: usize = classes.iter().map(|class| class.len()).sum();
    println!("{} classes, {bytes} bytes", classes.len());
    let only = std::env::args().nth(2).unwrap_or_default();
    let measure = |what: &str, work: &dyn Fn(&[u8]) -> Result<usize>| {
        if !what.contains(&only) {
            return;
        }
        let mut best = f64::INFINITY;
        let mut sum = 0;
        for _ in 0..5 {
            let start = now();
            sum =
                classes.iter().map(|class| work(class).expect("classes of the JDK are fine")).sum();
            best = best.min(now() - start);
        }
        println!("{what:32} {:8.0} MB/s ({sum})", bytes as f64 / best / 1e6);
    };
    measure("read structure, methods", &|bytes| {
        ClassFile::parse(bytes).map(|class| class.methods().len())
    });
    measure("decode instructions", &|bytes| {
        let class = ClassFile::parse(bytes)?;
        let mut count = 0;
        for method in class.methods() {
            count += method.code()?.map_or(0, |code| code.instructions().count());
        }
        Ok(count)
    });
    measure("write back, bytes", &|bytes| Ok(ClassFile::parse(bytes)?.to_bytes()?.len()));
    measure("control-flow graphs, blocks", &|bytes| {
        let class = ClassFile::parse(bytes)?;
        let mut count = 0;
        for method in class.methods() {
            if let Some(code) = method.code()? {
                count += Cfg::of(&code, class.pool()).map_or(0, |cfg| cfg.blocks().len());
            }
        }
        Ok(count)
    });
    measure("hook before every call, calls", &|bytes| {
        let class = ClassFile::parse(bytes)?;
        let mut editor = ClassEditor::new(&class);
        let mut count = 0;
        for method in class.methods() {
            let done = editor.edit_code(method, |code, pool| {
                let hook = pool.method("Hooks", "call", "()V")?;
                let mut call = Snippet::new();
                call.with_constant(Opcode::INVOKESTATIC, hook);
                for instruction in code.instructions().to_vec() {
                    if instruction.opcode.is(Flags::INVOKE) {
                        code.insert_before(instruction.offset, Landing::Before, call.clone())?;
                        count += 1;
                    }
                }
                Ok(())
            });
            if let Err(error) = done
                && !error.is_limit()
            {
                return Err(error);
            }
        }
        editor.to_bytes()?;
        Ok(count)
    });
    let start = now();
    let mut hierarchy = Hierarchy::new();
    let count = hierarchy.add_all(&image)?;
    println!("hierarchy of {count} classes in {:.0} ms", (now() - start) * 1e3);
    Ok(())
}
