//! After an edit, every table says about an instruction what it said before.

use std::collections::BTreeMap;

use watchword_classfile::{
    ClassEditor, ClassFile, Code, Constants, Decoded, Frame, FrameKind, FrameType, Instruction,
    Landing, Member, Opcode, Snippet, TypeTarget,
};

use crate::jdk::{hash, jdks, soak};

/// What tables say, with offsets replaced by the number of the instruction they name.
#[derive(PartialEq, Debug, Default)]
struct Facts {
    opcodes: Vec<Opcode>,
    targets: Vec<Vec<usize>>,
    /// By instruction: rows of the exception table that cover it.
    covered: Vec<Vec<usize>>,
    handlers: Vec<usize>,
    lines: Vec<Option<u16>>,
    /// By instruction: local variables in scope, by slot: names and types.
    locals: Vec<BTreeMap<(u16, bool), (u16, u16)>>,
    frames: Vec<(usize, Vec<FrameKind>)>,
    annotations: Vec<(usize, u8)>,
}

/// Collects the facts. `numbers` maps an offset to the number of the original instruction whose
/// place it is; `exact` to the instruction itself.
fn facts(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    number: &dyn Fn(u32) -> usize,
    exact: &dyn Fn(u32) -> usize,
) -> Facts {
    let mut facts = Facts::default();
    let rows: Vec<_> = code.exception_table.iter().collect();
    let mut lines = code.line_numbers(class.pool()).unwrap();
    lines.sort_by_key(|row| row.start);
    facts.handlers = rows.iter().map(|row| number(row.handler.into())).collect();
    for instruction in instructions {
        let at = instruction.offset;
        facts.opcodes.push(instruction.opcode);
        facts.targets.push(instruction.targets().map(number).collect());
        let covers = |start: u16, end: u32| (u32::from(start)..end).contains(&at);
        let covering = rows.iter().enumerate().filter(|(_, r)| covers(r.start, r.end.into()));
        facts.covered.push(covering.map(|(i, _)| i).collect());
        let line = lines.iter().rfind(|row| u32::from(row.start) <= at);
        facts.lines.push(line.map(|row| row.line));
        let mut locals = BTreeMap::new();
        for attribute in &code.attributes {
            let (table, generic) = match attribute.decode(class.pool()).unwrap() {
                Decoded::LocalVariableTable(table) => (table, false),
                Decoded::LocalVariableTypeTable(table) => (table, true),
                _ => continue,
            };
            for row in table.iter() {
                if covers(row.start, u32::from(row.start) + u32::from(row.length)) {
                    locals.insert((row.slot, generic), (row.name, row.descriptor));
                }
            }
        }
        facts.locals.push(locals);
    }
    let named = |t: &FrameType| match t {
        FrameType::Uninitialized(at) => FrameType::Uninitialized(exact((*at).into()) as u16),
        other => *other,
    };
    for frame in code.stack_map(class.pool()).unwrap().iter().flat_map(|table| table.iter()) {
        let Frame { offset, kind, .. } = frame.unwrap();
        let list = |types: &[FrameType]| types.iter().map(named).collect::<Vec<_>>();
        let kind = match &kind {
            FrameKind::SameLocals1(t) => FrameKind::SameLocals1(named(t)),
            FrameKind::Append(types) => FrameKind::Append(list(types)),
            FrameKind::Full { locals, stack } => {
                FrameKind::Full { locals: list(locals), stack: list(stack) }
            }
            other => other.clone(),
        };
        facts.frames.push((number(offset), vec![kind]));
    }
    for attribute in &code.attributes {
        let Decoded::TypeAnnotations(list) = attribute.decode(class.pool()).unwrap() else {
            continue;
        };
        for annotation in list {
            match annotation.target {
                TypeTarget::Offset(at) | TypeTarget::Argument(at, _) => {
                    facts.annotations.push((exact(at.into()), annotation.target_type));
                }
                _ => {}
            }
        }
    }
    facts
}

/// Inserts nops around every instruction and compares. Returns how many annotations and frames
/// were followed.
fn check(class: &ClassFile<'_>, method: Member<'_, '_>, before: usize) -> Option<(usize, usize)> {
    let code = method.code().unwrap()?;
    let old: Vec<Instruction<'_>> = code.instructions().map(|i| i.unwrap()).collect();
    // A nop of our own kind: pairs of them, so that original ones can be told apart by position.
    let mut nops = Snippet::new();
    (0..before).for_each(|_| {
        nops.op(Opcode::NOP);
    });
    let mut editor = ClassEditor::new(class);
    let edited = editor.edit_code(method_of(class, method.index()), |code, _| {
        for instruction in &old {
            code.insert_before(instruction.offset, Landing::Before, nops.clone())?;
        }
        Ok(())
    });
    if edited.is_err_and(|error| error.is_limit()) {
        return None;
    }
    let bytes = editor.to_bytes().unwrap();
    let new_class = ClassFile::parse(&bytes).unwrap();
    new_class.validate().unwrap();
    let new_method = method_of(&new_class, method.index());
    let new_code = new_method.code().unwrap().unwrap();
    let all: Vec<Instruction<'_>> = new_code.instructions().map(|i| i.unwrap()).collect();
    if all.len() != old.len() * (before + 1) {
        // Some branch was widened; then positions do not correspond.
        return None;
    }
    let new: Vec<Instruction<'_>> = all.iter().skip(before).step_by(before + 1).copied().collect();
    let index = |list: &[Instruction<'_>], at: u32| {
        list.binary_search_by_key(&at, |i| i.offset).unwrap_or_else(|_| panic!("{at} is no start"))
    };
    let old_number = |at: u32| index(&old, at);
    let new_exact = |at: u32| index(&new, at);
    // A place is where the code inserted before the instruction starts.
    let new_number = |at: u32| {
        let position = index(&all, at);
        assert_eq!(position % (before + 1), 0, "a place is before the inserted code");
        position / (before + 1)
    };
    let expected = facts(class, &code, &old, &old_number, &old_number);
    let found = facts(&new_class, &new_code, &new, &new_number, &new_exact);
    assert_eq!(found, expected, "{method}");
    Some((expected.annotations.len(), expected.frames.len()))
}

fn method_of<'c, 'a>(class: &'c ClassFile<'a>, index: usize) -> Member<'c, 'a> {
    class.methods().nth(index).unwrap()
}

#[test]
fn tables_follow_their_instructions() {
    let (mut methods, mut annotations, mut frames) = (0, 0, 0);
    for jdk in jdks() {
        for resource in jdk.image.resources() {
            let resource = resource.unwrap();
            let Some(name) = resource.class_name() else { continue };
            if !soak() && hash(&name) % 100 != 3 {
                continue;
            }
            let content = jdk.image.content(&resource).unwrap();
            let class = ClassFile::parse(&content).unwrap();
            for method in class.methods() {
                if let Some((a, f)) = check(&class, method, 1 + (hash(&name) % 3) as usize) {
                    methods += 1;
                    annotations += a;
                    frames += f;
                }
            }
        }
    }
    println!("{methods} methods, {frames} frames, {annotations} instruction annotations followed");
    assert!(jdks().is_empty() || (methods > 1_000 && frames > 1_000));
}

/// The JDK has hardly any type annotations or local-variable tables, so some are compiled.
#[test]
fn tables_of_annotated_sources_follow() {
    for jdk in jdks() {
        let scratch = crate::java::Scratch::new("tables");
        crate::java::compile(jdk, &["Annotated.java"], &["--release", "11"], &scratch.0);
        let (mut annotations, mut frames) = (0, 0);
        for entry in std::fs::read_dir(&scratch.0).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            for method in class.methods() {
                if let Some(code) = method.code().unwrap() {
                    for row in code.local_variables(class.pool()).unwrap() {
                        let at = u32::from(row.start);
                        let found = code.local_name(row.slot, at, class.pool()).unwrap();
                        assert_eq!(found.unwrap().0, class.pool().utf8(row.name).unwrap());
                    }
                }
                for before in 1..4 {
                    if let Some((a, f)) = check(&class, method, before) {
                        annotations += a;
                        frames += f;
                    }
                }
            }
        }
        assert!(annotations > 10 && frames > 10, "{annotations} {frames}");
    }
}
