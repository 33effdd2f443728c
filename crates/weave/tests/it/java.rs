//! Compiling, weaving and running Java programs in a directory of our own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use watchword_classfile::source::{ClassPath, ClassSource, MemoryClasses};
use watchword_model::{Model, Value};
use watchword_weave::hook;
use watchword_weave::{
    Arg, Emit, Note, Numbers, OperandKind, Options, Outcome, Site, SiteId, SourceHierarchy, Start,
    Test, Weaver,
};

use crate::jdk::Jdk;

pub use watchword_testing::Scratch;

pub fn compile(jdk: &Jdk, files: &[PathBuf], options: &[&str], out: &Path) {
    let mut javac = Command::new(jdk.tool("javac"));
    javac.arg("-g").arg("-nowarn").args(options).arg("-d").arg(out).args(files);
    let done = javac.output().expect("javac starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs a class and returns what it printed; anything but success is a failure of the test.
pub fn run(jdk: &Jdk, arguments: &[&str]) -> String {
    let mut java = Command::new(jdk.tool("java"));
    java.args(["-XX:ErrorFile=/dev/stderr", "-XX:-CreateCoredumpOnCrash", "-Xverify:all"]);
    let done = java.args(arguments).output().expect("java starts");
    let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}\n{stdout}\n{stderr}", jdk.name());
    stdout
}

/// All class files below a directory, by internal name.
pub fn classes(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut work = vec![directory.to_path_buf()];
    while let Some(at) = work.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "class") {
                let name = path.strip_prefix(directory).unwrap().with_extension("");
                let name = name.to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A program after weaving.
pub struct WovenProgram {
    pub classes: BTreeMap<String, Vec<u8>>,
    pub sites: BTreeMap<SiteId, Site>,
    pub notes: Vec<Note>,
}

/// Weaves all classes of a program.
pub fn weave(
    model: &Model,
    options: Options,
    classes: &BTreeMap<String, Vec<u8>>,
    jdk: &dyn ClassSource,
) -> WovenProgram {
    let weaver = Weaver::new(model, options);
    let mut path = ClassPath::new();
    path.push(MemoryClasses(classes.clone()));
    path.push(jdk);
    let hierarchy = SourceHierarchy::new(path);
    let numbers = Numbers::default();
    let mut woven =
        WovenProgram { classes: BTreeMap::new(), sites: BTreeMap::new(), notes: Vec::new() };
    for (name, bytes) in classes {
        let bytes = match weaver.weave(bytes, &hierarchy, &numbers) {
            Outcome::Unchanged { notes } => {
                woven.notes.extend(notes);
                bytes.clone()
            }
            Outcome::Woven(class) => {
                woven.notes.extend(class.notes);
                woven.sites.extend(class.sites.into_iter().map(|site| (site.id, site)));
                class.bytes
            }
            Outcome::Left { reason } => panic!("{name}: {reason}"),
        };
        woven.classes.insert(name.clone(), bytes);
    }
    woven
}

/// Java source of a hook class that writes down what it is called with.
pub fn recording_hook() -> String {
    let mut text = String::from(
        r##"package watchword;
import java.util.*;
public final class Hook {
    static final IdentityHashMap<Object, String> names = new IdentityHashMap<>();
    static final Map<String, Integer> counts = new HashMap<>();
    static final java.io.PrintStream log;
    static {
        try {
            log = new java.io.PrintStream(System.getProperty("watchword.log"), "UTF-8");
        } catch (java.io.IOException e) {
            throw new Error(e);
        }
    }
    static String name(Object o) {
        if (o == null) return "null";
        if (o instanceof String) return "\"" + o + "\"";
        if (o instanceof Number || o instanceof Boolean) return o.toString();
        String known = names.get(o);
        if (known == null) {
            String kind = o instanceof Class ? "Class:" + ((Class<?>) o).getSimpleName()
                : o.getClass().isSynthetic() ? "Lambda" : o.getClass().getSimpleName();
            int n = counts.merge(kind, 1, Integer::sum);
            names.put(o, known = kind + "#" + n);
        }
        return known;
    }
    static synchronized void record(int site, Object[] objects, long[] longs) {
        StringBuilder line = new StringBuilder().append(site);
        for (Object o : objects) line.append("\t").append(name(o));
        for (long l : longs) line.append("\t").append(l);
        log.println(line);
    }
    public static void e(int site, Object[] objects, long[] longs) { record(site, objects, longs); }
    public static void t(boolean test, int site, Object[] objects, long[] longs) {
        if (test) record(site, objects, longs);
    }
"##,
    );
    for objects in 0..=hook::MAX_EACH {
        for longs in 0..=hook::MAX_EACH {
            let o: Vec<String> = (0..objects).map(|i| format!("o{i}")).collect();
            let l: Vec<String> = (0..longs).map(|i| format!("l{i}")).collect();
            let params: String = o
                .iter()
                .map(|o| format!(", Object {o}"))
                .chain(l.iter().map(|l| format!(", long {l}")))
                .collect();
            let body = format!(
                "record(site, new Object[] {{{}}}, new long[] {{{}}});",
                o.join(", "),
                l.join(", ")
            );
            let _ = writeln!(text, "    public static void e(int site{params}) {{ {body} }}");
            let _ = writeln!(
                text,
                "    public static void t(boolean test, int site{params}) {{ if (test) {body} }}"
            );
        }
    }
    text + "}\n"
}

/// The events that a log of the recording hook stands for, one a line.
pub fn events(model: &Model, sites: &BTreeMap<SiteId, Site>, log: &str) -> String {
    let mut text = String::new();
    for line in log.lines() {
        let mut fields = line.split('\t');
        let id: u32 = fields.next().unwrap().parse().unwrap();
        let site = sites.get(&SiteId(id)).unwrap_or_else(|| panic!("no site {id}"));
        let values: Vec<String> = fields
            .zip(&site.operands)
            .map(|(field, operand)| match operand.kind {
                OperandKind::Object | OperandKind::Int => field.to_string(),
                OperandKind::Bool => (field == "1").to_string(),
                OperandKind::Char => {
                    format!("'{}'", char::from_u32(field.parse().unwrap()).unwrap())
                }
                OperandKind::Float => {
                    format!("{:?}", f64::from_bits(field.parse::<i64>().unwrap() as u64))
                }
            })
            .collect();
        assert_eq!(values.len(), site.operands.len(), "{line}: {site:?}");
        for emit in &site.emits {
            let _ = writeln!(text, "{}", event(model, site, emit, &values));
        }
    }
    text
}

fn event(model: &Model, site: &Site, emit: &Emit, values: &[String]) -> String {
    let args: Vec<String> = emit
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Operand(n) => values[*n].clone(),
            Arg::Const(Value::Str(text)) => format!("{text:?}"),
            Arg::Const(Value::List(items)) => {
                // Supertypes differ between JDKs; the static type comes first.
                let item = |item: &Value| match item {
                    Value::List(names) => names.first().map_or("?".into(), Value::to_string),
                    other => other.to_string(),
                };
                format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(", "))
            }
            Arg::Const(value) => value.to_string(),
            Arg::Thread => "thread".to_string(),
            Arg::Java { class, method, .. } => format!("{class}.{method}()"),
            Arg::Read(read) => {
                let mut text = match read.start {
                    Start::Operand(n) => values[n].clone(),
                    Start::Thread => "thread".to_string(),
                    Start::Static => "static".to_string(),
                };
                for step in &read.steps {
                    let _ = write!(text, ".{}", step.name);
                    if step.is_call() {
                        text += "()";
                    }
                }
                text
            }
        })
        .collect();
    let name = &model.events[emit.event.index()].name;
    let line = site.place.line.map_or(String::new(), |line| format!(" :{line}"));
    let by_runtime = site.tests.iter().filter(|test| test.by_runtime);
    let not = |test: &Test| if test.negated { "not " } else { "" };
    let test: String = by_runtime.map(|test| format!(" if {}{}", not(test), test.ty)).collect();
    let properties: Vec<&str> =
        emit.properties.iter().map(|id| model.properties[id.index()].name.as_str()).collect();
    let only = if emit.for_all { String::new() } else { format!(" [{}]", properties.join(" ")) };
    format!("{name}({}){test}{only}{line}", args.join(", "))
}
