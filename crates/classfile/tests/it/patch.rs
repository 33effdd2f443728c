//! Patching whole classes as a weaver does, and running the result.

use watchword_classfile::simulate::{MethodContext, TypeState, Types, effect};
use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Constants, Flags, Handler, JStr, Kind, Landing, Opcode,
    Snippet, access,
};

use crate::java::{Scratch, compile, run};
use crate::jdk::jdks;

/// Spills the operands of every call that takes initialised objects into fresh locals, bumps a
/// counter through a helper with branches, reloads, and guards the call with a handler that counts
/// and rethrows. Also adds an interface, a field and a method that prints the counts at the end.
fn weave(class: &ClassFile<'_>) -> Vec<u8> {
    let mut editor = ClassEditor::new(class);
    editor.add_interface("java/lang/Cloneable").unwrap();
    editor.add_field(access::STATIC | access::SYNTHETIC, "calls", "I").unwrap();
    editor.add_field(access::STATIC | access::SYNTHETIC, "thrown", "I").unwrap();
    assert!(editor.add_field(0, "calls", "I").unwrap_err().is_edit());
    let calls = editor.pool.field("Patched", "calls", "I").unwrap();
    let thrown = editor.pool.field("Patched", "thrown", "I").unwrap();
    let hook = editor.pool.method("Patched", "ww$call", "(I)V").unwrap();
    let report = editor.pool.method("Patched", "ww$report", "()V").unwrap();
    let mut sites = 0;
    for method in class.methods() {
        let context = MethodContext::of(method).unwrap();
        let is_main = method.name().unwrap() == "main";
        editor
            .edit_code(method, |code, pool| {
                let states = states(class, method);
                for (instruction, state) in code.instructions().to_vec().iter().zip(&states) {
                    let at = instruction.offset;
                    if is_main && instruction.opcode == Opcode::RETURN {
                        let mut end = Snippet::new();
                        end.with_constant(Opcode::INVOKESTATIC, report);
                        code.insert_before(at, Landing::Before, end)?;
                    }
                    if !instruction.opcode.is(Flags::INVOKE) {
                        continue;
                    }
                    let pops = effect(instruction, class.pool())?.pops;
                    let operands = &state.stack[state.stack.len() - pops.len()..];
                    if operands.iter().any(|value| value.is_uninitialized()) {
                        continue;
                    }
                    sites += 1;
                    // Spill, call the hook, reload.
                    let mut slots = Vec::new();
                    let mut before = Snippet::new();
                    for kind in pops.iter().rev() {
                        let slot = code.fresh_local(kind.slots())?;
                        slots.push((*kind, slot));
                        before.store(*kind, slot);
                    }
                    before.int(sites % 7).with_constant(Opcode::INVOKESTATIC, hook);
                    slots.iter().rev().for_each(|(kind, slot)| {
                        before.load(*kind, *slot);
                    });
                    let (start, end, handler) =
                        (code.new_label(), code.new_label(), code.new_label());
                    before.bind(start);
                    code.insert_before(at, Landing::Before, before)?;
                    let mut after = Snippet::new();
                    after.bind(end);
                    code.insert_after(at, after)?;
                    code.grow_stack(1)?;
                    // The handler sees the locals of the call; uninitialised ones cannot be named
                    // there, but here none is.
                    let mut catch = Snippet::new();
                    let locals = TypeState { stack: Vec::new(), ..state.clone() };
                    let watchword_classfile::FrameKind::Full { locals, .. } =
                        locals.to_frame(pool)?
                    else {
                        unreachable!("states become full frames")
                    };
                    let throwable = pool.class("java/lang/Throwable")?;
                    catch
                        .bind(handler)
                        .frame(locals, vec![watchword_classfile::FrameType::Object(throwable)])
                        .with_constant(Opcode::GETSTATIC, thrown)
                        .int(1)
                        .op(Opcode::IADD)
                        .with_constant(Opcode::PUTSTATIC, thrown)
                        .op(Opcode::ATHROW);
                    let caught = code.new_label();
                    catch.bind(caught);
                    // What caught the exception before catches it when it is rethrown.
                    for outer in code.handlers_at(at) {
                        code.handlers.push(Handler { start: handler, end: caught, ..outer });
                    }
                    code.append(&catch);
                    code.handlers.insert(0, Handler { start, end, handler, catch_type: 0 });
                }
                code.max_stack = code.max_stack.max(4);
                Ok(())
            })
            .unwrap_or_else(|e| panic!("{context:?}: {e}"));
    }
    add_helpers(&mut editor, class.major, calls, thrown);
    editor.to_bytes().unwrap()
}

/// The types before every instruction.
fn states(
    class: &ClassFile<'_>,
    method: watchword_classfile::Member<'_, '_>,
) -> Vec<TypeState<'static>> {
    let code = method.code().unwrap().unwrap();
    let frames = code.stack_map(class.pool()).unwrap();
    let frames = frames.map_or(vec![], |table| table.iter().map(|f| f.unwrap()).collect());
    let context = MethodContext::of(method).unwrap();
    let mut types = Types::new(code.bytecode, 0, frames, context, class.pool().clone()).unwrap();
    let mut states = Vec::new();
    while let Some((_, state)) = types.advance().unwrap() {
        states.push(state.unwrap().clone().into_owned());
    }
    states
}

/// `ww$call(int)`: counts, by a loop and a switch, so that frames of new code are needed.
/// `ww$report()`: prints the counts.
fn add_helpers(editor: &mut ClassEditor<'_>, major: u16, calls: u16, thrown: u16) {
    let flags = access::STATIC | access::SYNTHETIC;
    let context = |name: &'static str, descriptor: &'static str| MethodContext {
        class: JStr::new(b"Patched"),
        name: JStr::new(name.as_bytes()),
        descriptor: JStr::new(descriptor.as_bytes()),
        access: flags,
    };
    use watchword_classfile::FrameType::Integer;
    let mut code = CodeEditor::create(major, context("ww$call", "(I)V"), 2).unwrap();
    let (again, done, odd) = (code.new_label(), code.new_label(), code.new_label());
    let mut body = Snippet::new();
    body.with_constant(Opcode::GETSTATIC, calls).int(1).op(Opcode::IADD);
    body.with_constant(Opcode::PUTSTATIC, calls);
    body.load(Kind::Int, 0).switch(&[(1, odd), (3, odd), (5, odd)], again).unwrap();
    body.bind(odd).frame(vec![Integer], vec![]).op(Opcode::NOP);
    body.bind(again).frame(vec![Integer], vec![]);
    body.load(Kind::Int, 0).jump(Opcode::IFLE, done);
    body.load(Kind::Int, 0).int(1).op(Opcode::ISUB).store(Kind::Int, 0);
    body.jump(Opcode::GOTO, again);
    body.bind(done).frame(vec![Integer], vec![]).ret(None);
    code.append(&body);
    let info = code.finish(&mut editor.pool).unwrap();
    editor.add_method(flags, "ww$call", "(I)V", Some(info)).unwrap();

    let out = editor.pool.field("java/lang/System", "out", "Ljava/io/PrintStream;").unwrap();
    let print =
        editor.pool.method("java/io/PrintStream", "println", "(Ljava/lang/String;)V").unwrap();
    let concat = editor
        .pool
        .method("java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;")
        .unwrap();
    let to_string =
        editor.pool.method("java/lang/Integer", "toString", "(I)Ljava/lang/String;").unwrap();
    let prefix = editor.pool.string("counted ").unwrap();
    let comma = editor.pool.string(" thrown ").unwrap();
    let mut code = CodeEditor::create(major, context("ww$report", "()V"), 4).unwrap();
    let mut body = Snippet::new();
    body.with_constant(Opcode::GETSTATIC, out).load_constant(prefix);
    body.with_constant(Opcode::GETSTATIC, calls).with_constant(Opcode::INVOKESTATIC, to_string);
    body.with_constant(Opcode::INVOKEVIRTUAL, concat).load_constant(comma);
    body.with_constant(Opcode::INVOKEVIRTUAL, concat);
    body.with_constant(Opcode::GETSTATIC, thrown).with_constant(Opcode::INVOKESTATIC, to_string);
    body.with_constant(Opcode::INVOKEVIRTUAL, concat);
    body.with_constant(Opcode::INVOKEVIRTUAL, print).ret(None);
    code.append(&body);
    let info = code.finish(&mut editor.pool).unwrap();
    editor.add_method(flags, "ww$report", "()V", Some(info)).unwrap();
}

#[test]
fn a_woven_program_prints_the_same_and_its_counts() {
    for jdk in jdks() {
        for release in ["8", "17"] {
            let scratch = Scratch::new("patch");
            let plain = scratch.0.join("plain");
            compile(jdk, &["Patched.java"], &["-Xlint:-options", "--release", release], &plain);
            let bytes = std::fs::read(plain.join("Patched.class")).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            scratch.write("woven/Patched.class", &weave(&class));
            let run_in = |directory: &str| {
                let path = scratch.0.join(directory).display().to_string();
                run(jdk, &["-Xverify:all".into(), "-cp".into(), path, "Patched".into()])
            };
            let expected = run_in("plain");
            let woven = run_in("woven");
            let (printed, counts) = woven.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(printed, expected.trim_end());
            let counts: Vec<u32> = counts.split(' ').filter_map(|word| word.parse().ok()).collect();
            // Two calls of charAt fail; hashCode of null fails and passes through main's call.
            assert_eq!(counts[1], 4, "{woven}");
            assert!(counts[0] > 60, "{woven}");
        }
    }
}

#[test]
fn calls_are_redirected_in_place() {
    for jdk in jdks() {
        let scratch = Scratch::new("redirect");
        compile(jdk, &["Patched.java"], &["--release", "17"], &scratch.0);
        let path = scratch.0.join("Patched.class");
        let bytes = std::fs::read(&path).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let mut editor = ClassEditor::new(&class);
        for method in class.methods() {
            editor
                .edit_code(method, |code, pool| {
                    let min = pool.method("java/lang/Math", "min", "(JJ)J")?;
                    for instruction in code.instructions().to_vec() {
                        let Some(index) = instruction.constant() else {
                            assert!(
                                code.set_constant(instruction.offset, 1).unwrap_err().is_edit()
                            );
                            continue;
                        };
                        if class.pool().member(index).is_ok_and(|m| m.name == "max") {
                            code.set_constant(instruction.offset, min)?;
                        }
                    }
                    Ok(())
                })
                .unwrap();
        }
        let run = || run(jdk, &["-cp".into(), scratch.0.display().to_string(), "Patched".into()]);
        let before = run();
        std::fs::write(&path, editor.to_bytes().unwrap()).unwrap();
        let after = run();
        // mixed(10, 0.5, "xyz", 1) is 10 + 'y' + 1 with max, 0 + 'y' + 1 with min.
        assert!(before.lines().any(|line| line == "132"), "{before}");
        assert!(after.lines().any(|line| line == "122"), "{after}");
        assert_eq!(before.lines().count(), after.lines().count());
    }
}
