//! Compilers as programs that are watched.

use crate::java::artifacts::{class_path, joined};
use crate::java::{java, jdks};
use crate::support::Dir;

const HELLO: &str = "\
fun main() {
    val all = mutableListOf(1, 2, 3)
    for (each in all) println(each)
    println(all.map { it * 2 }.sum())
}
";

/// The archive is shrunk by ProGuard.
#[test]
fn the_kotlin_compiler_compiles_a_file() {
    let Some(jdk) = jdks().first() else { return };
    let compiler = "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.1.0";
    let Some(jars) = class_path(&[compiler]) else { return };
    let is_library = |name: &str| name.starts_with("kotlin-stdlib-");
    let library =
        jars.iter().find(|jar| jar.file_name().is_some_and(|n| is_library(&n.to_string_lossy())));
    let library = library.unwrap().display().to_string();
    let dir = Dir::new();
    dir.write("hello.kt", HELLO);
    let path = joined(&jars);
    let main = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler";
    let verified = ["-Xverify:all", "-cp", &path, main, "-no-stdlib", "-no-reflect"];
    let arguments = [&verified[..], &["-cp", &library, "-d", "out", "hello.kt"]].concat();
    let compiled = java(jdk, &dir, &["-q", "-p", "std/jdk"], &arguments).expect(0);
    assert_eq!(compiled.stdout, "", "{}", compiled.stderr);
    let path = format!("out:{library}");
    let ran = java(jdk, &dir, &["-q", "-p", "std/jdk"], &["-cp", &path, "HelloKt"]).expect(0);
    assert_eq!(ran.stdout, "1\n2\n3\n12\n", "{}", ran.stderr);
}
