//! Code inserted at every instruction passes the JVM's verifier and changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use watchword_classfile::source::ClassSource;
use watchword_classfile::{
    ClassEditor, ClassFile, Flags, Kind, Landing, Member, Opcode, Result, Snippet,
};

use crate::java::{Scratch, compile, run};
use crate::jdk::{Jdk, hash, jdks, soak};

/// What is inserted at every instruction.
#[derive(Clone, Copy, Debug)]
enum Style {
    NopBefore,
    NopAfter,
    PushPop,
    FreshLocal,
}

const STYLES: [Style; 4] = [Style::NopBefore, Style::NopAfter, Style::PushPop, Style::FreshLocal];

/// Inserts at every instruction of one method.
fn insert<'a>(class: &mut ClassEditor<'a>, method: Member<'_, 'a>, style: Style) -> Result<bool> {
    class.edit_code(method, |code, _| {
        let instructions = code.instructions().to_vec();
        let mut snippet = Snippet::new();
        match style {
            Style::NopBefore | Style::NopAfter => {
                snippet.op(Opcode::NOP);
            }
            Style::PushPop => {
                code.grow_stack(3)?;
                snippet.int(5).op(Opcode::LCONST_1).op(Opcode::POP2).op(Opcode::POP);
            }
            Style::FreshLocal => {
                code.grow_stack(2)?;
                let slot = code.fresh_local(2)?;
                snippet.op(Opcode::DCONST_1).store(Kind::Double, slot);
                snippet.load(Kind::Double, slot).op(Opcode::POP2);
            }
        }
        for instruction in instructions {
            let at = instruction.offset;
            match style {
                Style::NopAfter if instruction.falls_through() => {
                    code.insert_after(at, snippet.clone())?;
                    code.insert_before(at, Landing::After, snippet.clone())?;
                }
                Style::NopAfter => code.insert_before(at, Landing::After, snippet.clone())?,
                _ => code.insert_before(at, Landing::Before, snippet.clone())?,
            }
        }
        Ok(())
    })
}

fn woven(class: &ClassFile<'_>, style: Style, too_long: &mut usize) -> Vec<u8> {
    let mut editor = ClassEditor::new(class);
    for method in class.methods() {
        match insert(&mut editor, method, style) {
            Ok(_) => {}
            Err(error) if error.is_limit() => {
                assert!(error.to_string().contains(&method.name().unwrap().to_string()), "{error}");
                *too_long += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    editor.to_bytes().unwrap()
}

/// Boots a JVM whose own classes are woven, and links all of them with verification on.
fn jdk_links_when_woven(jdk: &Jdk, share: u64) {
    let scratch = Scratch::new("insertion");
    let mut modules: BTreeMap<String, usize> = BTreeMap::new();
    let (mut names, mut count, mut too_long, mut bytes) = (String::new(), 0, 0, 0);
    for resource in jdk.image.resources() {
        let resource = resource.unwrap();
        let Some(name) = resource.class_name() else { continue };
        let key = hash(&name);
        if name.ends_with("module-info") || !key.is_multiple_of(share) {
            continue;
        }
        // HotSpot tells classes with finalizers by `finalize` not being empty; once the one of
        // `Object` is not, every object has one, long before finalization works.
        if name == "java/lang/Object" {
            continue;
        }
        let content = jdk.image.content(&resource).unwrap();
        let class = ClassFile::parse(&content).unwrap();
        let style = STYLES[(key / share) as usize % STYLES.len()];
        let new = woven(&class, style, &mut too_long);
        let module = resource.module.to_string();
        scratch.write(&format!("{module}/{name}.class"), &new);
        *modules.entry(module.clone()).or_default() += 1;
        writeln!(names, "{module} {}", name.replace('/', ".")).unwrap();
        count += 1;
        bytes += content.len();
    }
    let list = scratch.write("names", names.as_bytes());
    compile(jdk, &["LinkAll.java"], &[], &scratch.0.join("driver"));
    let mut arguments: Vec<String> =
        ["-Xverify:all", "-XX:-UsePerfData", "-Xshare:off", "-XX:TieredStopAtLevel=1"]
            .map(String::from)
            .to_vec();
    arguments.extend(["--add-modules".into(), "ALL-SYSTEM".into()]);
    for module in modules.keys() {
        arguments.push("--patch-module".into());
        arguments.push(format!("{module}={}", scratch.0.join(module).display()));
    }
    arguments.extend(["-cp".into(), scratch.0.join("driver").display().to_string()]);
    arguments.extend(["LinkAll".into(), list.display().to_string()]);
    let output = run(jdk, &arguments);
    let bad: Vec<&str> = output.lines().filter(|l| l.starts_with("FAILED")).collect();
    assert!(bad.is_empty(), "{} of {count}: {:#?}", bad.len(), &bad[..bad.len().min(20)]);
    let linked = output.lines().find_map(|l| l.strip_prefix("LINKED ")).unwrap();
    println!(
        "{}: {linked} of {count} woven classes ({bytes} bytes) linked under -Xverify:all, {too_long} methods too long",
        jdk.name()
    );
    assert!(linked.parse::<usize>().unwrap() * 100 >= count * 97, "{output}");
}

#[test]
fn woven_jdk_classes_verify() {
    for jdk in jdks() {
        jdk_links_when_woven(jdk, if soak() { 1 } else { 20 });
    }
}

/// ASM checks more of the tables than the JVM does. JDKs up to 23 have a copy of it inside.
#[test]
fn woven_classes_satisfy_asm() {
    for jdk in jdks() {
        if jdk
            .image
            .class("jdk/internal/org/objectweb/asm/util/CheckClassAdapter")
            .unwrap()
            .is_none()
        {
            eprintln!("SKIPPED: {} has no ASM inside", jdk.name());
            continue;
        }
        let scratch = Scratch::new("asm");
        let share = if soak() { 5 } else { 100 };
        let (mut files, mut too_long) = (Vec::new(), 0);
        for name in jdk.image.names().unwrap() {
            let key = hash(&name);
            if !key.is_multiple_of(share) {
                continue;
            }
            let content = jdk.image.class(&name).unwrap().unwrap();
            let class = ClassFile::parse(&content).unwrap();
            let style = STYLES[(key / share) as usize % STYLES.len()];
            let new = woven(&class, style, &mut too_long);
            let path = scratch.write(&format!("{}.class", files.len()), &new);
            let original = scratch.write(&format!("{}.original", files.len()), &content);
            files.push(format!("{} {}", path.display(), original.display()));
        }
        let list = scratch.write("names", files.join("\n").as_bytes());
        let exports = [
            "--add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.org.objectweb.asm.util=ALL-UNNAMED",
        ];
        compile(jdk, &["AsmCheck.java"], &exports, &scratch.0.join("driver"));
        let mut arguments: Vec<String> = exports.map(String::from).to_vec();
        arguments.extend(["-cp".into(), scratch.0.join("driver").display().to_string()]);
        arguments.extend(["AsmCheck".into(), list.display().to_string()]);
        let output = run(jdk, &arguments);
        let last = output.lines().last().unwrap_or_default();
        assert_eq!(last, format!("CHECKED {}", files.len()), "{output}");
        assert!(!output.contains("FAILED"), "{output}");
        println!("{}: {last}", jdk.name());
    }
}

/// Puts 33 000 nops in front of one instruction of every method, so that each branch across it must
/// be widened. Notes the opcodes in front of each `goto_w`.
fn padded(class: &ClassFile<'_>, variant: u64, long: &mut Vec<Opcode>) -> Vec<u8> {
    let mut nops = Snippet::new();
    (0..33_000).for_each(|_| {
        nops.op(Opcode::NOP);
    });
    let mut editor = ClassEditor::new(class);
    for method in class.methods() {
        editor
            .edit_code(method, |code, _| {
                let instructions = code.instructions();
                let choice = hash(&method.to_string()).wrapping_add(variant * 7919);
                // Mostly right behind a branch, where the fall-through needs a frame.
                let behind: Vec<u32> = (instructions.windows(2))
                    .filter(|pair| variant % 5 == 4 || pair[0].opcode.is(Flags::CONDITIONAL))
                    .map(|pair| pair[1].offset)
                    .collect();
                let at = match behind.len() as u64 {
                    0 => 0,
                    len => behind[(choice % len) as usize],
                };
                let landing =
                    if variant.is_multiple_of(2) { Landing::Before } else { Landing::After };
                code.insert_before(at, landing, nops.clone())
            })
            .unwrap();
    }
    let bytes = editor.to_bytes().unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    for code in class.methods().filter_map(|m| m.code().unwrap()) {
        let opcodes: Vec<Opcode> = code.instructions().map(|i| i.unwrap().opcode).collect();
        let pairs = opcodes.windows(2).filter(|pair| pair[1] == Opcode::GOTO_W);
        long.extend(pairs.map(|pair| pair[0]));
    }
    bytes
}

#[test]
fn long_jumps_behave_like_short_ones() {
    let variants = if soak() { 300 } else { 30 };
    for (index, jdk) in jdks().iter().enumerate() {
        // Release 8 compiles strings and nests differently from later ones.
        for release in if soak() { vec!["8", "17"] } else { vec![["8", "17"][index % 2]] } {
            let scratch = Scratch::new("widen");
            let plain = scratch.0.join("plain");
            compile(jdk, &["RunAll.java"], &[], &scratch.0.join("driver"));
            compile(jdk, &["Widen.java"], &["-Xlint:-options", "--release", release], &plain);
            let bytes = std::fs::read(plain.join("Widen.class")).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            let mut directories = vec![plain.display().to_string()];
            let mut long = Vec::new();
            for variant in 0..variants {
                let new = padded(&class, variant, &mut long);
                let path = scratch.write(&format!("{variant}/Widen.class"), &new);
                directories.push(path.parent().unwrap().display().to_string());
            }
            let mut arguments: Vec<String> = vec!["-Xverify:all".into(), "-cp".into()];
            arguments.push(scratch.0.join("driver").display().to_string());
            arguments.extend(["RunAll".into(), "Widen".into()]);
            arguments.extend(directories);
            let output = run(jdk, &arguments);
            let runs: Vec<&str> = output.split("== ").skip(1).collect();
            assert_eq!(runs.len() as u64, variants + 1);
            let printed = |run: &str| run.split_once('\n').unwrap().1.to_owned();
            let expected = printed(runs[0]);
            assert!(expected.lines().count() > 100, "{expected}");
            for (variant, run) in runs[1..].iter().enumerate() {
                assert_eq!(printed(run), expected, "variant {variant}");
            }
            let inverted: BTreeSet<Opcode> =
                long.iter().copied().filter(|opcode| opcode.is(Flags::CONDITIONAL)).collect();
            println!("{}: release {release}, {} long jumps, {inverted:?}", jdk.name(), long.len());
            assert_eq!(inverted.len(), 16, "a conditional branch was never widened");
        }
    }
}
