//! A table of functions: types of C, C++, Rust and Go, in every situation in which a value is passed
//! or returned, at two levels of optimisation, with and without debug information. What an event
//! carries is what the program passed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use watchword_native::Settings;

use crate::support::*;

/// A value that a function is given or gives back.
struct Row {
    /// Its type in the program.
    declared: &'static str,
    /// What makes it.
    value: &'static str,
    /// What an event reads, with `$` for the parameter or the result.
    read: &'static str,
    /// The type of the event's parameter.
    ty: &'static str,
    /// What the event carries, as text.
    expected: &'static str,
}

const fn row(
    declared: &'static str,
    value: &'static str,
    read: &'static str,
    ty: &'static str,
    expected: &'static str,
) -> Row {
    Row { declared, value, read, ty, expected }
}

/// A function of the table and the event that is expected of it.
struct Function {
    name: String,
    when: &'static str,
    read: String,
    ty: &'static str,
    expected: &'static str,
}

/// Runs a program and compares the one event of each function with what is expected.
fn check(program: &Path, functions: &[Function], what: &str) {
    let (mut events, mut labels) = (String::new(), String::new());
    for (i, f) in functions.iter().enumerate() {
        let Function { name, when, read, ty, .. } = f;
        let _ = writeln!(events, "event e{i}(v: {ty}) = native {when} call {name} with v = {read}");
        let _ = writeln!(labels, "on e{i}(..) -> S");
    }
    let text = format!("{events}property P {{ start state S {{ {labels} }} }}");
    let ran = run(program, &[], &model(&text), Settings::default());
    let mut wrong = Vec::new();
    for (i, f) in functions.iter().enumerate() {
        let is_it = |e: &&watchword_model::Event| e.kind.index() == i + 1;
        let seen: Vec<String> =
            ran.trace.iter().filter(is_it).map(|e| e.args[0].to_string()).collect();
        if seen != [f.expected] {
            let reasons: Vec<String> = ran
                .notes
                .iter()
                .map(|n| format!("{n:?}"))
                .filter(|n| n.contains(&format!("\"e{i}\"")))
                .collect();
            let seen: Vec<String> = seen.iter().map(|s| s.chars().take(60).collect()).collect();
            wrong.push(format!(
                "{} {} {}: {seen:?} for {:?} {reasons:?}",
                f.when, f.name, f.read, f.expected
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{what}: {} of {}:\n{}",
        wrong.len(),
        functions.len(),
        wrong.join("\n")
    );
}

/// Writes a source file of the table.
fn write(name: &str, text: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("table-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

const CPP: &[Row] = &[
    row("bool", "true", "$", "bool", "true"),
    row("char", "'x'", "$", "int", "120"),
    row("signed char", "-5", "$", "int", "-5"),
    row("unsigned char", "250", "$", "int", "250"),
    row("short", "-300", "$", "int", "-300"),
    row("unsigned short", "60000", "$", "int", "60000"),
    row("int", "-70000", "$", "int", "-70000"),
    row("unsigned", "4000000000u", "$", "int", "4000000000"),
    row("long", "-5000000000", "$", "int", "-5000000000"),
    row("unsigned long", "5000000000", "$", "int", "5000000000"),
    row("long long", "-1", "$", "int", "-1"),
    row("float", "1.5f", "$", "float", "1.5"),
    row("double", "-2.25", "$", "float", "-2.25"),
    row("long double", "3.5L", "$", "float", "3.5"),
    row("Colour", "Green", "$", "string", "Green"),
    row("Colour", "Green", "$", "int", "7"),
    row("Small", "Small::Low", "$", "int", "-3"),
    row("const char *", "\"hello\"", "$", "string", "hello"),
    row("int *", "&number", "*$", "int", "42"),
    row("int *", "numbers", "$[2]", "int", "30"),
    row("int &", "number", "$", "int", "42"),
    row("Pair", "(Pair{1, 2})", "$.b", "int", "2"),
    row("Mixed", "(Mixed{0.5, 9})", "$.d", "float", "0.5"),
    row("Mixed", "(Mixed{0.5, 9})", "$.i", "int", "9"),
    row("Big", "(Big{11, 22, 33})", "$.c", "int", "33"),
    row("Bits", "(Bits{5, -4})", "$.b", "int", "-4"),
    row("Pair *", "&pair", "$->b", "int", "4"),
    row("const Pair &", "pair", "$.a", "int", "3"),
    row("std::string", "std::string(\"by value\")", "$", "string", "by value"),
    row("const std::string &", "longer", "$", "string", "a text that is too long to be inside"),
    row("std::string *", "&longer", "$", "string", "a text that is too long to be inside"),
    row("const std::string &", "longer", "$.size", "int", "36"),
    row("Counted", "(Counted(8))", "$.n", "int", "8"),
    row("Holder", "(Holder{Counted(9)})", "$.inner.n", "int", "9"),
    row("Virtual", "Virtual()", "$.n", "int", "12"),
    row("std::string_view", "std::string_view(\"view\")", "$", "string", "view"),
    row("const std::vector<int> &", "vector", "$", "list", "[1, 2, 3]"),
    row("const std::vector<int> &", "vector", "$[1]", "int", "2"),
    row("const std::vector<int> &", "vector", "$.size", "int", "3"),
    row("std::vector<std::string> &", "words", "$", "list", "[one, two]"),
    row("Derived *", "&derived", "$->base", "int", "6"),
];

const CPP_HEAD: &str = "#include <string>\n#include <string_view>\n#include <vector>\n\
    enum Colour { Red, Green = 7 };\nenum class Small : short { Low = -3 };\n\
    struct Pair { int a, b; };\nstruct Mixed { double d; int i; };\nstruct Big { long a, b, c; };\n\
    struct Bits { unsigned a : 3; int b : 5; };\n\
    struct Counted { int n; Counted(int n) : n(n) {} Counted(const Counted &o) : n(o.n) {} };\n\
    struct Holder { Counted inner; };\n\
    struct Virtual { int n = 12; virtual void method() {} };\n\
    struct Base { int base; };\nstruct Derived : Base { int own; };\n\
    int number = 42, numbers[] = {10, 20, 30};\nPair pair = {3, 4};\nDerived derived = {{6}, 7};\n\
    std::string longer = \"a text that is too long to be inside\";\n\
    std::vector<int> vector = {1, 2, 3};\nstd::vector<std::string> words = {\"one\", \"two\"};\n\
    #define APART __attribute__((noipa))\n\
    #define USE(v) __asm__ volatile(\"\" : : \"r\"(&v) : \"memory\")\n";

/// Parameters before the one that counts, and what is passed for them.
const LONGS: (&str, &str) = ("long, long, long, long, long, long, ", "1, 2, 3, 4, 5, 6, ");
const DOUBLES: (&str, &str) = (
    "double, double, double, double, double, double, double, double, ",
    "1, 2, 3, 4, 5, 6, 7, 8, ",
);

#[test]
fn types_of_cpp_are_read_in_every_situation() {
    let (mut text, mut calls) = (CPP_HEAD.to_string(), String::new());
    let mut functions = Vec::new();
    for (i, Row { declared, value, read, ty, expected }) in CPP.iter().enumerate() {
        let situations = [("first", ("", "")), ("late", LONGS), ("float", DOUBLES)];
        for (situation, (before, passed)) in situations {
            let _ =
                writeln!(text, "APART void f{i}_{situation}({before}{declared} v) {{ USE(v); }}");
            let _ = writeln!(calls, "f{i}_{situation}({passed}{value});");
        }
        let _ = writeln!(
            text,
            "struct M{i} {{ APART void take({declared} v) {{ USE(v); USE(*this); }} }} m{i};"
        );
        let _ = writeln!(text, "APART {declared} f{i}_result() {{ return {value}; }}");
        let _ = writeln!(calls, "m{i}.take({value}); f{i}_result();");
        let names = ["first", "late", "float"].map(|s| format!("f{i}_{s}"));
        for name in names.into_iter().chain([format!("M{i}::take")]) {
            functions.push(Function {
                name,
                when: "before",
                read: read.replace('$', "v"),
                ty,
                expected,
            });
        }
        let name = format!("f{i}_result");
        functions.push(Function {
            name,
            when: "after",
            read: read.replace('$', "ret"),
            ty,
            expected,
        });
    }
    let _ = writeln!(text, "int main() {{ {calls} return 0; }}");
    let source = write("table.cpp", &text);
    assert!(functions.len() >= 150);
    guarded(300, || {
        for level in ["-O0", "-O2"] {
            check(&compile_file(&source, &["-std=c++17", level]), &functions, level);
        }
    });
}

/// Without debug information a cast says what is read.
const UNTYPED: &[Row] = &[
    row("signed char", "-5", "(signed char) $", "int", "-5"),
    row("unsigned char", "250", "(unsigned char) $", "int", "250"),
    row("short", "-300", "(short) $", "int", "-300"),
    row("unsigned short", "60000", "(unsigned short) $", "int", "60000"),
    row("int", "-70000", "(int) $", "int", "-70000"),
    row("unsigned", "4000000000u", "(unsigned) $", "int", "4000000000"),
    row("long", "-5000000000", "$", "int", "-5000000000"),
    row("const char *", "\"hello\"", "$", "string", "hello"),
];

#[test]
fn types_are_cast_where_there_is_no_debug_information() {
    let (mut text, mut calls) =
        (String::from("#define APART __attribute__((noipa))\n"), String::new());
    let mut functions = Vec::new();
    for (i, Row { declared, value, read, ty, expected }) in UNTYPED.iter().enumerate() {
        // What is in the upper half of a register is not the argument's business.
        let _ = writeln!(
            text,
            "APART void f{i}_first({declared} v) {{ __asm__ volatile(\"\" : : \"r\"(v)); }}"
        );
        let _ = writeln!(
            text,
            "APART void f{i}_last(double d, long a, long b, long c, long e, long f, {declared} v) {{ __asm__ volatile(\"\" : : \"r\"(v)); }}"
        );
        let _ = writeln!(text, "APART {declared} f{i}_result(void) {{ return {value}; }}");
        let _ = writeln!(
            calls,
            "f{i}_first({value}); f{i}_last(0, 1, 2, 3, 4, 5, {value}); f{i}_result();"
        );
        for (situation, when, what) in
            [("first", "before", "arg 0"), ("last", "before", "arg 5"), ("result", "after", "ret")]
        {
            let (name, read) = (format!("f{i}_{situation}"), read.replace('$', what));
            functions.push(Function { name, when, read, ty, expected });
        }
    }
    let _ = writeln!(text, "int main(void) {{ {calls} return 0; }}");
    let source = write("untyped.c", &text);
    guarded(120, || {
        for level in ["-O0", "-O2"] {
            check(&compile_file(&source, &["-g0", level]), &functions, level);
        }
    });
}

const RUST: &[Row] = &[
    row("i8", "-5", "$", "int", "-5"),
    row("u8", "250", "$", "int", "250"),
    row("i16", "-300", "$", "int", "-300"),
    row("u16", "60000", "$", "int", "60000"),
    row("i32", "-70000", "$", "int", "-70000"),
    row("u32", "4000000000", "$", "int", "4000000000"),
    row("i64", "-5000000000", "$", "int", "-5000000000"),
    row("usize", "5000000000", "$", "int", "5000000000"),
    row("bool", "true", "$", "bool", "true"),
    row("char", "'x'", "$", "int", "120"),
    row("f32", "1.5", "$", "float", "1.5"),
    row("f64", "-2.25", "$", "float", "-2.25"),
    row("&'static str", "\"a slice\"", "$", "string", "a slice"),
    row("String", "String::from(\"owned\")", "$", "string", "owned"),
    row("&'static String", "kept(String::from(\"borrowed\"))", "$", "string", "borrowed"),
    row("Vec<i32>", "vec![1, 2, 3]", "$", "list", "[1, 2, 3]"),
    row("Vec<i32>", "vec![1, 2, 3]", "$[2]", "int", "3"),
    row("Vec<String>", "vec![String::from(\"a\"), String::from(\"b\")]", "$", "list", "[a, b]"),
    row("&'static [i32]", "&[4, 5]", "$", "list", "[4, 5]"),
    row("&'static [i32]", "&[4, 5]", "$.length", "int", "2"),
    row("Option<String>", "Some(String::from(\"present\"))", "$", "string", "present"),
    row("Option<String>", "None", "$", "string", "null"),
    row("Option<&'static i32>", "None", "$", "ptr", "null"),
    row("&'static Option<u32>", "kept(Some(7))", "*$", "int", "7"),
    row("&'static Option<u32>", "kept(None)", "*$", "int", "null"),
    row("&'static Shape", "kept(Shape::Circle(2))", "*$", "string", "Circle"),
    row("Point", "Point { a: 1, b: 2, c: 3 }", "$.b", "int", "2"),
    row("&'static Point", "kept(Point { a: 1, b: 2, c: 3 })", "$->c", "int", "3"),
    row("Wrapper", "Wrapper(77)", "$.__0", "int", "77"),
];

const RUST_HEAD: &str = "#![allow(dead_code)]\nuse std::hint::black_box;\n\
    pub enum Shape { Circle(u8), Square(u16), Nothing }\n\
    pub struct Point { a: i32, b: i64, c: i64 }\npub struct Wrapper(u32);\n\
    fn kept<T>(value: T) -> &'static T { Box::leak(Box::new(value)) }\n";

#[test]
fn types_of_rust_are_read_in_every_situation() {
    let (mut text, mut calls) = (RUST_HEAD.to_string(), String::new());
    let mut functions = Vec::new();
    for (i, Row { declared, value, read, ty, expected }) in RUST.iter().enumerate() {
        for (situation, before, passed) in
            [("first", "", ""), ("third", "a: i64, b: f64, ", "1, 2.0, ")]
        {
            // Functions that do the same are made one by the compiler.
            let used = match before {
                "" => format!("(&v, {i})"),
                _ => format!("(&v, a, b, {i})"),
            };
            let _ = writeln!(
                text,
                "#[unsafe(no_mangle)] #[inline(never)] pub fn f{i}_{situation}({before}v: {declared}) {{ black_box({used}); }}"
            );
            let _ = writeln!(calls, "f{i}_{situation}({passed}{value});");
            let name = format!("f{i}_{situation}");
            functions.push(Function {
                name,
                when: "before",
                read: read.replace('$', "v"),
                ty,
                expected,
            });
        }
        let _ = writeln!(
            text,
            "#[unsafe(no_mangle)] #[inline(never)] pub fn f{i}_result() -> {declared} {{ black_box({i}); black_box({value}) }}"
        );
        let _ = writeln!(calls, "black_box(f{i}_result());");
        let name = format!("f{i}_result");
        functions.push(Function {
            name,
            when: "after",
            read: read.replace('$', "ret"),
            ty,
            expected,
        });
    }
    let _ = writeln!(text, "fn main() {{ {calls} }}");
    let source = write("table.rs", &text);
    guarded(300, || {
        for level in ["0", "2"] {
            let out = source.with_file_name(format!("table-rust-{level}"));
            let mut command = std::process::Command::new("rustc");
            command.args(["--edition", "2024", "-g", "-C", &format!("opt-level={level}")]);
            let built = command.arg("-o").arg(&out).arg(&source).output().unwrap();
            assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
            check(&out, &functions, level);
        }
    });
}

const GO: &[Row] = &[
    row("int", "-7", "$", "int", "-7"),
    row("int8", "-5", "$", "int", "-5"),
    row("uint16", "60000", "$", "int", "60000"),
    row("bool", "true", "$", "bool", "true"),
    row("float64", "-2.25", "$", "float", "-2.25"),
    row("string", "\"a text\"", "$", "string", "a text"),
    row("[]int", "[]int{1, 2, 3}", "$", "list", "[1, 2, 3]"),
    row("*Pair", "&Pair{3, 4}", "$->b", "int", "4"),
];

#[test]
fn types_of_go_are_read() {
    if installed("go").is_none() {
        return;
    }
    let mut text = String::from("package main\ntype Pair struct { a, b int }\nvar sink any\n");
    let (mut calls, mut functions) = (String::new(), Vec::new());
    for (i, Row { declared, value, read, ty, expected }) in GO.iter().enumerate() {
        for (situation, before, passed) in
            [("first", "", ""), ("third", "a int, b float64, ", "1, 2, ")]
        {
            let _ = writeln!(
                text,
                "//go:noinline\nfunc f{i}_{situation}({before}v {declared}) {{ sink = v }}"
            );
            let _ = writeln!(calls, "f{i}_{situation}({passed}{value})");
            let name = format!("main.f{i}_{situation}");
            functions.push(Function {
                name,
                when: "before",
                read: read.replace('$', "v"),
                ty,
                expected,
            });
        }
    }
    let _ = writeln!(text, "func main() {{\n{calls}}}");
    let source = write("table.go", &text);
    guarded(300, || check(&go(&source), &functions, "go"));
}
