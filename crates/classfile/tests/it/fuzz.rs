//! Damaged input: an error or a faithful copy, never a panic. The bodies are plain functions.

use watchword_classfile::cfg::Cfg;
use watchword_classfile::simulate::{MethodContext, StackKinds, Types};
use watchword_classfile::source::{ClassSource, JImage, Jar, Manifest, Zip};
use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Hierarchy, Landing, Opcode, PoolEditor, Snippet, print_cfg,
    print_class,
};

use crate::java::Scratch;
use crate::jdk::{hash, jdks, soak};
use crate::mutate::{Random, mutate};
use crate::sources::build_image;

/// Everything the crate can do with a class. Returns whether it parsed, and was valid.
pub fn check_class(bytes: &[u8]) -> (bool, bool) {
    let class = match ClassFile::parse(bytes) {
        Ok(class) => class,
        Err(error) => {
            assert!(
                error.is_limit() || error.offset().is_some_and(|at| at <= bytes.len()),
                "{error}"
            );
            return (false, false);
        }
    };
    assert!(class.to_bytes().unwrap() == bytes, "a class that parses is written as it was");
    assert!(ClassEditor::new(&class).to_bytes().unwrap() == bytes);
    let valid = class.validate().is_ok();
    let _ = print_class(&class);
    let _ = Hierarchy::new().add(&class);
    let mut pool = PoolEditor::new(class.pool());
    for method in class.methods() {
        let Ok(Some(code)) = method.code() else { continue };
        if let Ok(cfg) = Cfg::of(&code, class.pool()) {
            let _ = print_cfg(&method, &cfg);
        }
        let _ = StackKinds::of(&code, class.pool());
        if let (Ok(context), Ok(frames)) = (MethodContext::of(method), code.stack_map(class.pool()))
        {
            let frames: Result<Vec<_>, _> = frames.iter().flat_map(|t| t.iter()).collect();
            let frames = frames.unwrap_or_default();
            if let Ok(mut types) =
                Types::new(code.bytecode, 0, frames, context, class.pool().clone())
            {
                while let Ok(Some(_)) = types.advance() {}
            }
        }
        let Ok(Some(mut editor)) = CodeEditor::new(method) else { continue };
        let old = method
            .attributes()
            .iter()
            .find(|a| a.name(class.pool()).is_ok_and(|name| name == "Code"));
        if let Ok(new) = editor.clone().finish(&mut pool) {
            assert!(old.unwrap().info == new, "an unedited method stays as it was");
        }
        let mut nops = Snippet::new();
        for _ in 0..1 + 40_000 * (code.bytecode.len() % 2) / editor.instructions().len() {
            nops.op(Opcode::NOP);
        }
        for instruction in editor.instructions().to_vec() {
            editor.insert_before(instruction.offset, Landing::Before, nops.clone()).unwrap();
        }
        let _ = editor.finish(&mut pool);
    }
    (true, valid)
}

/// Everything the crate can do with an archive.
pub fn check_zip(bytes: &[u8]) -> bool {
    let Ok(zip) = Zip::parse(bytes) else { return false };
    for entry in zip.entries() {
        if let Ok(content) = zip.content(entry) {
            assert_eq!(content.len() as u64, entry.size);
        }
    }
    if let Ok(jar) = Jar::parse(bytes, 17) {
        for name in jar.names().unwrap() {
            let _ = jar.class(&name);
        }
    }
    true
}

/// Everything the crate can do with an image.
pub fn check_image(bytes: &[u8]) -> bool {
    let Ok(image) = JImage::parse(bytes) else { return false };
    for resource in image.resources().take(100).flatten() {
        let _ = image.content(&resource);
        let _ = resource.class_name();
    }
    for name in ["p/q/A", "r/C", "", "p/q/A$B"] {
        let _ = image.class(name);
    }
    let _ = image.find("/m.two/r/text.properties");
    true
}

/// Everything the crate can do with a manifest.
pub fn check_manifest(bytes: &[u8]) -> bool {
    let Ok(manifest) = Manifest::parse(bytes) else { return false };
    let _ = (manifest.main_class(), manifest.class_path().count(), manifest.is_multi_release());
    true
}

/// Small classes of the JDK, chosen by hash, with some of every kind of attribute.
fn class_seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for jdk in jdks() {
        for name in jdk.image.names().unwrap() {
            if hash(&name) % 300 == 7 {
                let bytes = jdk.image.class(&name).unwrap().unwrap();
                if bytes.len() < 6_000 {
                    seeds.push(bytes.into_owned());
                }
            }
        }
    }
    seeds
}

#[test]
fn damaged_classes() {
    let seeds = class_seeds();
    if seeds.is_empty() {
        return;
    }
    let rounds = if soak() { 400_000 } else { 8_000 };
    let mut random = Random::new(1);
    let (mut parsed, mut valid) = (0, 0);
    for _ in 0..rounds {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let (p, v) = check_class(&mutate(seed, other, &mut random));
        parsed += usize::from(p);
        valid += usize::from(v);
    }
    println!(
        "{} seeds: of {rounds} damaged classes {parsed} parsed, {valid} were valid",
        seeds.len()
    );
    assert!(parsed > rounds / 50 && valid > rounds / 200, "the mutator is too coarse");
    assert!(parsed < rounds * 9 / 10, "the mutator is too fine");
}

#[test]
fn damaged_archives_images_and_manifests() {
    let rounds = if soak() { 200_000 } else { 6_000 };
    let mut random = Random::new(2);
    let mut accepted = [0; 3];

    let manifest =
        b"Manifest-Version: 1.0\r\nMain-Class: app.\r\n Main\r\nMulti-Release: true\r\n\r\nName: a/B.class\r\nX: y\r\n\r\n";
    let resources = [
        ["m.one", "p/q", "A", "class"],
        ["m.one", "p/q", "B", "class"],
        ["m.two", "r", "C", "class"],
        ["m.two", "r", "text", "properties"],
        ["packages", "", "p", "q"],
    ];
    let package = [0u32.to_le_bytes(), 1u32.to_le_bytes()].concat();
    let contents = vec![vec![1; 50], vec![2; 60], vec![3; 70], b"k=v".to_vec(), package];
    let image = build_image(&resources, &contents, false);
    for _ in 0..rounds {
        accepted[0] += usize::from(check_manifest(&mutate(manifest, &image, &mut random)));
        accepted[1] += usize::from(check_image(&mutate(&image, manifest, &mut random)));
    }
    if let Some(jdk) = jdks().first() {
        let dir = Scratch::new("fuzz");
        dir.write("m.txt", b"Multi-Release: true\n");
        dir.write("in/a/A.class", &[1; 300]);
        dir.write("in/META-INF/versions/11/a/A.class", &[2; 300]);
        let jar = |arguments: &[&str]| {
            let mut command = std::process::Command::new(jdk.tool("jar"));
            assert!(command.args(arguments).current_dir(&dir.0).status().unwrap().success());
        };
        jar(&["cfm", "in/lib.jar", "m.txt", "-C", "in", "."]);
        std::fs::create_dir_all(dir.0.join("in/BOOT-INF/lib")).unwrap();
        std::fs::rename(dir.0.join("in/lib.jar"), dir.0.join("in/BOOT-INF/lib/l.jar")).unwrap();
        jar(&["cfm0", "out.jar", "m.txt", "-C", "in", "."]);
        let seed = std::fs::read(dir.0.join("out.jar")).unwrap();
        assert!(check_zip(&seed));
        for _ in 0..rounds {
            accepted[2] += usize::from(check_zip(&mutate(&seed, &image, &mut random)));
        }
        assert!(accepted[2] > rounds / 20 && accepted[2] < rounds, "{accepted:?}");
    }
    println!("of {rounds} each: {accepted:?} manifests, images, archives were accepted");
    assert!(accepted[0] > rounds / 20 && accepted[0] < rounds, "{accepted:?}");
    assert!(accepted[1] > rounds / 20 && accepted[1] < rounds, "{accepted:?}");
}

/// `Code` inside `Code` inside `Code`: legal structure, and a trap for whoever recurses.
#[test]
fn deep_nesting_is_refused() {
    const LEVELS: u32 = 50_000;
    let mut class = ClassEditor::create(52, 0x21, "Deep", "java/lang/Object").unwrap();
    let name = class.pool.utf8("Code").unwrap();
    let mut info = Vec::new();
    for level in 0..=LEVELS {
        let last = level == LEVELS;
        info.extend([0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, u8::from(!last)]);
        if !last {
            info.extend(name.to_be_bytes());
            info.extend((13 + 19 * (LEVELS - level - 1)).to_be_bytes());
        }
    }
    class.add_attribute("Code", info).unwrap();
    // Annotations in annotations, too.
    let mut nested = vec![0, 1];
    for _ in 0..LEVELS {
        nested.extend([0, 1, 0, 1, 0, 1, b'@']);
    }
    class.add_attribute("RuntimeVisibleAnnotations", nested).unwrap();
    let bytes = class.to_bytes().unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    assert!(class.validate().unwrap_err().is_limit());
    assert!(class.attributes()[1].decode(class.pool()).unwrap_err().is_limit());
    assert_eq!(check_class(&bytes), (true, false));
}
