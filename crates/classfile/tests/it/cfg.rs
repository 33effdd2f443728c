//! Control-flow graphs of compiled sources, and of the JDKs.

use watchword_classfile::cfg::{BlockId, Cfg};
use watchword_classfile::simulate::{MethodContext, StackKinds, Types};
use watchword_classfile::{ClassFile, Flags, print_cfg};

use crate::java::{Scratch, compile};
use crate::jdk::{hash, jdks, soak};

/// Set this variable to rewrite the `.expected` files.
const REFRESH: &str = "WATCHWORD_REFRESH";

#[test]
fn graphs_of_sources_are_as_expected() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cfg");
    for jdk in jdks() {
        for name in ["Loops", "Exceptions", "Switches"] {
            let scratch = Scratch::new("cfg");
            let source = format!("../cfg/{name}.java");
            compile(jdk, &[&source], &["--release", "11"], &scratch.0);
            let bytes = std::fs::read(scratch.0.join(format!("{name}.class"))).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            let mut text = String::new();
            for method in class.methods().filter(|m| m.name().unwrap() != "<init>") {
                let code = method.code().unwrap().unwrap();
                text += &print_cfg(&method, &Cfg::of(&code, class.pool()).unwrap());
            }
            let expected = directory.join(format!("{name}.expected"));
            if std::env::var_os(REFRESH).is_some() {
                std::fs::write(&expected, &text).unwrap();
            }
            let expected = std::fs::read_to_string(&expected).unwrap_or_default();
            assert!(
                text == expected,
                "{name} on {}: set {REFRESH}=1 to accept\n{text}",
                jdk.name()
            );
        }
    }
}

/// What must hold of any graph.
fn check(cfg: &Cfg<'_>) {
    let dominators = cfg.dominators();
    let loops = cfg.loops();
    let mut next = 0;
    for id in cfg.ids() {
        let block = cfg.block(id);
        assert_eq!(block.range.start, next, "blocks tile the code");
        next = block.range.end;
        assert_eq!(cfg.block_at(block.range.end - 1), Some(id));
        for edge in &block.successors {
            assert!(cfg.block(edge.to).predecessors.contains(&id));
        }
        for edge in block.exceptional_successors() {
            assert!(cfg.block(edge.to).exceptional_predecessors.contains(&id));
        }
        for from in block.all_predecessors() {
            assert!(cfg.block(from).all_successors().any(|to| to == id));
        }
        let (last, before) = cfg.block_instructions(id).split_last().unwrap();
        assert!(before.iter().all(|i| i.falls_through() && !i.opcode.is(Flags::BRANCH)));
        assert_eq!(
            block.successors.is_empty(),
            last.opcode.is(Flags::STOPS) && last.targets().next().is_none()
        );
    }
    for &id in cfg.reverse_post_order() {
        assert!(dominators.dominates(Cfg::ENTRY, id));
        assert_eq!(dominators.immediate(id).is_none(), id == Cfg::ENTRY);
    }
    for (index, found) in loops.all().iter().enumerate() {
        let id = watchword_classfile::cfg::LoopId(index as u32);
        assert!(found.latches.iter().all(|latch| loops.contains(id, *latch)));
        assert!(loops.blocks(id).all(|block| dominators.dominates(found.header, block)));
        assert_eq!(found.depth, found.parent.map_or(1, |p| loops.get(p).depth + 1));
    }
}

/// Dominance by its definition: `b` cannot be reached when `a` is removed.
fn dominates_by_definition(cfg: &Cfg<'_>, a: BlockId, b: BlockId) -> bool {
    if a == b {
        return true;
    }
    let mut seen = vec![false; cfg.blocks().len()];
    let mut work = vec![Cfg::ENTRY];
    while let Some(id) = work.pop() {
        if id == a || std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        work.extend(cfg.block(id).all_successors());
    }
    !seen[b.index()]
}

#[test]
fn graphs_stacks_and_types_of_jdk_methods_are_consistent() {
    for jdk in jdks() {
        let (mut methods, mut walked) = (0, 0);
        for resource in jdk.image.resources() {
            let resource = resource.unwrap();
            let Some(name) = resource.class_name() else { continue };
            if !soak() && hash(&name) % 10 != 3 {
                continue;
            }
            let content = jdk.image.content(&resource).unwrap();
            let class = ClassFile::parse(&content).unwrap();
            for method in class.methods() {
                let Some(code) = method.code().unwrap() else { continue };
                let cfg = match Cfg::of(&code, class.pool()) {
                    Ok(cfg) => cfg,
                    Err(error) if error.is_unsupported() => continue,
                    Err(error) => panic!("{name}.{method}: {error}"),
                };
                check(&cfg);
                if cfg.blocks().len() < 40 && hash(&format!("{name}.{method}")).is_multiple_of(20) {
                    let dominators = cfg.dominators();
                    for &a in cfg.reverse_post_order() {
                        for &b in cfg.reverse_post_order() {
                            let expected = dominates_by_definition(&cfg, a, b);
                            assert_eq!(dominators.dominates(a, b), expected);
                        }
                    }
                }
                // The two simulations agree with each other and with the compiler.
                let kinds = StackKinds::of(&code, class.pool())
                    .unwrap_or_else(|e| panic!("{name}.{method}: {e}"));
                assert!(kinds.max_stack() <= code.max_stack, "{name}.{method}");
                methods += 1;
                if class.major < 51 {
                    continue;
                }
                let frames = code.stack_map(class.pool()).unwrap();
                let frames = frames.map_or(vec![], |t| t.iter().map(|f| f.unwrap()).collect());
                let context = MethodContext::of(method).unwrap();
                let pool = class.pool().clone();
                let mut types = Types::new(code.bytecode, 0, frames, context, pool).unwrap();
                while let Some((instruction, state)) =
                    types.advance().unwrap_or_else(|e| panic!("{name}.{method}: {e}"))
                {
                    let state = state.expect("current compilers leave no code without a frame");
                    let seen: Vec<_> = state.stack.iter().map(|v| v.kind().unwrap()).collect();
                    let known = kinds.before(instruction.offset);
                    assert!(known.is_none_or(|k| k == seen), "{name}.{method} {instruction:?}");
                    assert!(state.locals.len() <= usize::from(code.max_locals));
                }
                walked += 1;
            }
        }
        println!("{}: {methods} graphs, {walked} methods typed", jdk.name());
        assert!(methods > 5_000);
    }
}
