//! The class files of the runtime are those of its sources.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use watchword_classfile::{ClassFile, print_instruction};
use watchword_weave::runtime;

use crate::java::{Scratch, classes, run};
use crate::jdk::{Jdk, jdks};

/// The release of the language and of the class files: every JVM that is supported takes them.
const RELEASE: &str = "11";
/// The JDK whose compiler makes the class files; others may write the same code differently.
const MAKER: &str = "17";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java").join(name)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the sources are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The class files of the sources. Debug information would change with every comment.
fn compiled(jdk: &Jdk, out: &Path) -> BTreeMap<String, Vec<u8>> {
    let patched = format!("{}:{}", folder("base").display(), folder("stubs").display());
    let made = out.display().to_string();
    for (patch, sources) in [
        (&patched, sources(&folder("base/java/util"))),
        (&made, sources(&folder("boot/watchword"))),
    ] {
        let mut javac = Command::new(jdk.tool("javac"));
        javac.args(["--release", RELEASE, "-g:none", "-proc:none", "-implicit:none"]);
        javac.args(["-Xlint:all", "-Werror"]);
        javac.arg(format!("--patch-module=java.base={patch}")).arg("-d").arg(out).args(sources);
        let done = javac.output().expect("javac starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    classes(out)
}

fn release(jdk: &Jdk) -> String {
    let text = std::fs::read_to_string(jdk.home.join("release")).expect("a JDK says what it is");
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\"")).unwrap();
    version.split(['.', '"', '-']).next().unwrap().to_string()
}

/// Members and code, whatever the order of constants.
fn structure(bytes: &[u8]) -> String {
    let class = ClassFile::parse(bytes).unwrap();
    let above: Vec<String> =
        class.interface_names().map(|name| name.unwrap().to_string()).collect();
    let mut text = format!(
        "{} {:x} {:?} {above:?}\n",
        class.name().unwrap(),
        class.access,
        class.super_name().unwrap().map(|name| name.to_string())
    );
    for member in class.fields().chain(class.methods()) {
        let (name, descriptor) = (member.name().unwrap(), member.descriptor().unwrap());
        let _ = writeln!(text, "{:x} {name}{descriptor}", member.access());
        for instruction in member.code().unwrap().iter().flat_map(|code| code.instructions()) {
            let printed = print_instruction(&instruction.unwrap(), class.pool());
            let _ = writeln!(text, "    {printed}");
        }
    }
    text
}

#[test]
fn class_files_of_the_runtime_are_those_of_its_sources() {
    let kept: BTreeMap<String, Vec<u8>> = runtime::BASE
        .into_iter()
        .chain(runtime::BOOT)
        .map(|(name, bytes)| (name.to_string(), bytes.to_vec()))
        .collect();
    let refresh = std::env::var_os("WATCHWORD_REFRESH").is_some();
    let mut made_by_maker = false;
    for jdk in jdks().iter().filter(|jdk| !refresh || release(jdk) == MAKER) {
        let scratch = Scratch::new("runtime");
        let made = compiled(jdk, &scratch.0);
        let names =
            |classes: &BTreeMap<String, Vec<u8>>| classes.keys().cloned().collect::<Vec<_>>();
        let by_maker = release(jdk) == MAKER;
        made_by_maker |= by_maker;
        if refresh {
            for (name, bytes) in &made {
                std::fs::write(folder("classes").join(format!("{name}.class")), bytes).unwrap();
            }
            continue;
        }
        assert_eq!(names(&made), names(&kept));
        for (name, bytes) in &made {
            assert_eq!(structure(bytes), structure(&kept[name]), "{name}, {}", jdk.name());
            let same = !by_maker || *bytes == kept[name];
            assert!(same, "{name} is not made from its source; WATCHWORD_REFRESH=1 writes it");
        }
    }
    let ci = std::env::var("CI").as_deref() == Ok("true");
    assert!(made_by_maker || !ci, "CI needs a JDK {MAKER} to compare class files");
}

/// A JVM verifies what it loads from the bootstrap path only if it is told to.
#[test]
fn classes_of_the_runtime_verify() {
    for jdk in jdks() {
        let scratch = Scratch::new("verify");
        for (name, bytes) in runtime::BASE {
            scratch.write(&format!("base/{name}.class"), bytes);
        }
        for (name, bytes) in runtime::BOOT {
            scratch.write(&format!("boot/{name}.class"), bytes);
        }
        let all = runtime::BASE.into_iter().chain(runtime::BOOT);
        let names: String =
            all.map(|(name, _)| format!("\"{}\",", name.replace('/', "."))).collect();
        let program = format!(
            "class Load {{ public static void main(String[] a) throws Exception {{
                for (String name : new String[] {{{names}}}) Class.forName(name, true, null);
                System.out.println(\"loaded\");
            }} }}"
        );
        let program = scratch.write("Load.java", program.as_bytes());
        crate::java::compile(jdk, &[program], &[], &scratch.0);
        let base = format!("--patch-module=java.base={}/base", scratch.0.display());
        let boot = format!("-Xbootclasspath/a:{}/boot", scratch.0.display());
        let home = scratch.0.display().to_string();
        assert_eq!(run(jdk, &[&base, &boot, "-cp", &home, "Load"]), "loaded\n");
    }
}
