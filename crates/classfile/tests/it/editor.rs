//! The editor's contract, on small hand-made methods.

use watchword_classfile::cfg::Cfg;
use watchword_classfile::simulate::{MethodContext, StackKinds};
use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Constants, Decoded, Instruction, JStr, Kind, Landing,
    Opcode, PoolEditor, Result, Snippet, access,
};

use crate::java::{Scratch, run};
use crate::jdk::jdks;

/// A class `T` with a static method `f(I)I` of this code, `max_stack` 4 and `max_locals` 4.
fn class_with(major: u16, bytecode: &[u8]) -> Vec<u8> {
    let mut class =
        ClassEditor::create(major, access::PUBLIC | access::SUPER, "T", "java/lang/Object")
            .unwrap();
    let mut info = vec![0, 4, 0, 4];
    info.extend((bytecode.len() as u32).to_be_bytes());
    info.extend_from_slice(bytecode);
    info.extend([0, 0, 0, 0]);
    class.add_method(access::STATIC | access::PUBLIC, "f", "(I)I", Some(info)).unwrap();
    class.to_bytes().unwrap()
}

/// Edits `f` and returns the new mnemonics, or the error.
fn edit(
    bytes: &[u8],
    edit: impl FnOnce(&mut CodeEditor<'_>, &mut PoolEditor<'_>) -> Result<()>,
) -> Result<Vec<String>> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = ClassEditor::new(&class);
    assert!(editor.edit_code(class.method("f", "(I)I").unwrap(), edit)?);
    let bytes = editor.to_bytes()?;
    let class = ClassFile::parse(&bytes)?;
    class.validate()?;
    let code = class.method("f", "(I)I").unwrap().code()?.unwrap();
    code.instructions()
        .map(|i| {
            let i: Instruction<'_> = i?;
            let opcode = i.opcode;
            let target = i.targets().next().map_or(String::new(), |to| format!(" {to}"));
            Ok(format!("{opcode}{target}"))
        })
        .collect()
}

fn one(opcode: Opcode) -> Snippet {
    let mut snippet = Snippet::new();
    snippet.op(opcode);
    snippet
}

/// 0 iload_0, 1 ifeq 6, 4 iconst_1, 5 ireturn, 6 iconst_2, 7 ireturn
const BRANCH: [u8; 8] = [0x1a, 0x99, 0, 5, 0x04, 0xac, 0x05, 0xac];

#[test]
fn jumps_land_where_the_caller_says() {
    let bytes = class_with(49, &BRANCH);
    let before = edit(&bytes, |code, _| code.insert_before(6, Landing::Before, one(Opcode::NOP)));
    let expected = ["iload_0", "ifeq 6", "iconst_1", "ireturn", "nop", "iconst_2", "ireturn"];
    assert_eq!(before.unwrap(), expected);
    // Nothing falls through to offset 6, so code that jumps skip is code nobody runs.
    let skipped = edit(&bytes, |code, _| code.insert_before(6, Landing::After, one(Opcode::NOP)));
    assert_eq!(
        skipped.unwrap(),
        ["iload_0", "ifeq 6", "iconst_1", "ireturn", "iconst_2", "ireturn"]
    );
    // Offset 4 is reached by falling through: jumps elsewhere do not matter.
    let fallen = edit(&bytes, |code, _| code.insert_before(4, Landing::After, one(Opcode::NOP)));
    assert_eq!(fallen.unwrap()[2], "nop");
}

#[test]
fn code_at_one_place_runs_in_the_documented_order() {
    let bytes = class_with(49, &[0x1a, 0x00, 0xac]);
    let all = edit(&bytes, |code, _| {
        code.insert_before(1, Landing::Before, one(Opcode::ICONST_4))?;
        code.insert_before(1, Landing::After, one(Opcode::ICONST_2))?;
        code.insert_after(0, one(Opcode::ICONST_0))?;
        code.insert_before(1, Landing::Before, one(Opcode::ICONST_5))?;
        code.insert_before(1, Landing::After, one(Opcode::ICONST_3))?;
        code.insert_after(0, one(Opcode::ICONST_1))?;
        code.replace(1, one(Opcode::POP))
    });
    let expected = [
        "iload_0", "iconst_0", "iconst_1", "iconst_2", "iconst_3", "iconst_4", "iconst_5", "pop",
        "ireturn",
    ];
    assert_eq!(all.unwrap(), expected);
}

#[test]
fn snippets_take_the_shortest_form() {
    let bytes = class_with(49, &[0x1a, 0x00, 0xac]);
    let mut snippet = Snippet::new();
    snippet
        .int(-1)
        .int(6)
        .int(-129)
        .load(Kind::Long, 3)
        .load(Kind::Long, 4)
        .store(Kind::Double, 300);
    snippet.increment(2, -5).increment(300, 1).increment(1, 200).new_array(10).load_constant(300);
    let sizes = [1, 2, 3, 1, 2, 4, 3, 6, 6, 2, 3];
    assert_eq!(snippet.size(), sizes.iter().sum::<usize>());
    let class = ClassFile::parse(&bytes).unwrap();
    let method = class.methods().next().unwrap();
    let mut code = CodeEditor::new(method).unwrap().unwrap();
    let mut copies = Snippet::new();
    for instruction in code.instructions().to_vec() {
        copies.copy(&instruction).unwrap();
    }
    assert_eq!(copies.size(), 3);
    code.insert_before(1, Landing::Before, snippet).unwrap();
    let mut pool = PoolEditor::new(class.pool());
    let info = code.finish(&mut pool).unwrap();
    let Decoded::Code(code) = Decoded::parse(b"Code", &info, 0).unwrap() else {
        panic!("the contents of Code")
    };
    let found: Vec<(usize, Option<u16>)> =
        code.instructions().map(|i| i.unwrap()).map(|i| (i.size as usize, i.local())).collect();
    assert_eq!(found[1..12].iter().map(|f| f.0).collect::<Vec<_>>(), sizes);
    let locals: Vec<u16> = found[1..12].iter().filter_map(|f| f.1).collect();
    assert_eq!(locals, [3, 4, 300, 2, 300, 1]);
    let bytes = class_with(49, &BRANCH);
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.methods().next().unwrap().code().unwrap().unwrap();
    let jump = code.instructions().nth(1).unwrap().unwrap();
    assert!(Snippet::new().copy(&jump).unwrap_err().is_edit());
}

#[test]
fn impossible_edits_are_errors() {
    let bytes = class_with(49, &BRANCH);
    let error = edit(&bytes, |code, _| code.insert_after(5, one(Opcode::NOP))).unwrap_err();
    assert!(error.is_edit() && error.to_string().contains("ireturn at offset 5"), "{error}");
    let error = edit(&bytes, |code, _| code.insert_before(2, Landing::Before, one(Opcode::NOP)));
    assert!(error.unwrap_err().is_edit(), "offset 2 is inside an instruction");
    let error = edit(&bytes, |code, _| {
        let nowhere = code.new_label();
        let mut jump = Snippet::new();
        jump.jump(Opcode::GOTO, nowhere);
        code.insert_before(0, Landing::Before, jump)
    });
    assert!(error.unwrap_err().is_edit(), "the label is not bound");
    let error = edit(&bytes, |code, _| {
        let mut nops = Snippet::new();
        (0..70_000).for_each(|_| {
            nops.op(Opcode::NOP);
        });
        code.insert_before(0, Landing::Before, nops)
    })
    .unwrap_err();
    assert!(error.is_limit() && error.to_string().contains("T.f(I)I"), "{error}");
    assert!(edit(&bytes, |code, _| code.fresh_local(65_535).map(drop)).unwrap_err().is_limit());
}

#[test]
fn malformed_code_is_refused_with_its_offset() {
    let cases: [(&[u8], &str); 7] = [
        (&[0x1a, 0x99, 0, 1, 0x04, 0xac], "start at offset 2"),
        (&[0x1a, 0x99, 0, 4, 0x04, 0xac, 0x05], "fall off the end"),
        (&[0x99, 0x7f, 0xff, 0xac], "branch target"),
        (&[0xcb, 0xac], "an opcode"),
        (&[0xc4, 0x00, 0xac], "after wide"),
        (&[0xb9, 0, 1, 1], "the code ends"),
        (&[0xaa, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff], "the code ends"),
    ];
    for (bytecode, expected) in cases {
        let bytes = class_with(49, bytecode);
        let class = ClassFile::parse(&bytes).unwrap();
        let method = class.methods().next().unwrap();
        let code = method.code().unwrap().unwrap();
        let error = match Cfg::of(&code, class.pool()) {
            Err(error) => error,
            Ok(_) => panic!("{bytecode:x?}"),
        };
        assert!(error.to_string().contains(expected), "{bytecode:x?}: {error}");
        let at = error.offset().unwrap();
        let start = code.bytecode_offset as usize;
        assert!((start..start + bytecode.len()).contains(&at), "{at} in {start}");
    }
}

/// A version 48 method whose subroutine runs twice; `f(n)` is `4 + 3n`.
const SUBROUTINE: [u8; 20] = [
    0x04, 0x3c, // x = 1
    0xa8, 0, 9, 0xa8, 0, 6, // jsr 11, twice
    0x1b, 0xac, 0x00, // return x
    0x4d, 0x1b, 0x1a, 0x60, 0x1b, 0x60, 0x3c, // x = x + n + x
    0xa9, 2, // ret
];

#[test]
fn old_subroutines_are_edited_and_widened() {
    let bytes = class_with(48, &SUBROUTINE);
    let class = ClassFile::parse(&bytes).unwrap();
    let method = class.methods().next().unwrap();
    let code = method.code().unwrap().unwrap();
    let error = Cfg::of(&code, class.pool()).map(drop).unwrap_err();
    assert!(error.is_unsupported() && error.to_string().contains("jsr at offset 2"), "{error}");
    assert!(StackKinds::of(&code, class.pool()).unwrap_err().is_unsupported());

    let mut editor = ClassEditor::new(&class);
    editor
        .edit_code(method, |code, _| {
            let mut nops = Snippet::new();
            (0..33_000).for_each(|_| {
                nops.op(Opcode::NOP);
            });
            code.insert_before(10, Landing::Before, nops)
        })
        .unwrap();
    let pool = &mut editor.pool;
    let out = pool.field("java/lang/System", "out", "Ljava/io/PrintStream;").unwrap();
    let print = pool.method("java/io/PrintStream", "println", "(I)V").unwrap();
    let f = pool.method("T", "f", "(I)I").unwrap();
    let context = MethodContext {
        class: JStr::new(b"T"),
        name: JStr::new(b"main"),
        descriptor: JStr::new(b"([Ljava/lang/String;)V"),
        access: access::STATIC,
    };
    let mut main = CodeEditor::create(48, context, 2).unwrap();
    let mut body = Snippet::new();
    body.with_constant(Opcode::GETSTATIC, out).int(5).with_constant(Opcode::INVOKESTATIC, f);
    body.with_constant(Opcode::INVOKEVIRTUAL, print).op(Opcode::RETURN);
    main.append(&body);
    let main = main.finish(pool).unwrap();
    let flags = access::PUBLIC | access::STATIC;
    editor.add_method(flags, "main", "([Ljava/lang/String;)V", Some(main)).unwrap();
    let bytes = editor.to_bytes().unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let code = class.methods().next().unwrap().code().unwrap().unwrap();
    let long = code.instructions().filter(|i| i.as_ref().unwrap().opcode == Opcode::JSR_W).count();
    assert_eq!(long, 2);
    assert_eq!(class.pool().member(f).unwrap().name, "f");
    for jdk in jdks() {
        let scratch = Scratch::new("old");
        scratch.write("T.class", &bytes);
        let path = scratch.0.display().to_string();
        let printed = run(jdk, &["-Xverify:all".into(), "-cp".into(), path, "T".into()]);
        assert_eq!(printed.trim(), "19", "{}", jdk.name());
    }
}
