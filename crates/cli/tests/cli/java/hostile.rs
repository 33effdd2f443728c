//! Places where a monitor could be noticed, or miss something: several of them in each JVM.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

/// Breaks SafeListIterator once per call.
const BREAK: &str = "
public class Break {
    public static void it() {
        java.util.List<Integer> list = new java.util.ArrayList<>(java.util.List.of(1, 2, 3));
        java.util.Iterator<Integer> i = list.iterator();
        list.add(4);
        try { i.next(); } catch (java.util.ConcurrentModificationException e) { }
    }
}
";

const PLACES: &str = r#"
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

public class Places {
    public static void main(String[] args) throws Throwable {
        // Class loaders that come and go, each with a class of its own of the same name.
        URL[] here = {Path.of(".").toUri().toURL()};
        for (int n = 0; n < 50; n++) {
            try (URLClassLoader loader = new URLClassLoader(here, null)) {
                loader.loadClass("Break").getMethod("it").invoke(null);
            }
            if (n % 10 == 0) System.gc();
        }
        System.out.println("loaders");
        // A hidden class, and a lambda that serves as an iterator's source.
        byte[] bytes = Files.readAllBytes(Path.of("Break.class"));
        Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
        hidden.getMethod("it").invoke(null);
        Iterable<Integer> lambda = () -> List.of(1, 2).iterator();
        int sum = 0;
        for (int x : lambda) sum += x;
        System.out.println("hidden " + hidden.isHidden() + " " + sum);
        // A thousand threads.
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 1000; t++) {
            Thread thread = new Thread(() -> {
                try { start.await(); } catch (InterruptedException e) { return; }
                Break.it();
            });
            threads.add(thread);
            thread.start();
        }
        start.countDown();
        for (Thread thread : threads) thread.join();
        System.out.println("threads");
        // Virtual threads, where there are some.
        try {
            Method virtual = Thread.class.getMethod("startVirtualThread", Runnable.class);
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < 1000; t++) all.add((Thread) virtual.invoke(null, (Runnable) Break::it));
            for (Thread thread : all) thread.join();
            System.out.println("virtual");
        } catch (NoSuchMethodException e) {
            for (int t = 0; t < 1000; t++) Break.it();
            System.out.println("virtual");
        }
        // Exceptions that nobody catches, in a thread; errors; and a stack that is used up.
        Thread doomed = new Thread(() -> { Break.it(); throw new IllegalStateException(); });
        doomed.setUncaughtExceptionHandler((t, e) -> System.out.println(e.getClass().getName()));
        doomed.start();
        doomed.join();
        System.out.println(deep(0) > 100);
        try { long[][] all = new long[100000][]; for (int n = 0; ; n++) all[n] = new long[1 << 22]; }
        catch (OutOfMemoryError e) { System.out.println("memory"); }
        Break.it();
        // Fields of a thread, of an iterator and of the classes in between, as others see them.
        List<String> names = new ArrayList<>();
        for (Class<?> c : List.of(Thread.class, ArrayList.class, Class.forName("java.util.ArrayList$Itr"))) {
            for (Field f : c.getDeclaredFields()) names.add(f.getName());
            for (Method m : c.getDeclaredMethods()) names.add(m.getName());
            for (Class<?> i : c.getInterfaces()) names.add(i.getName());
        }
        System.out.println(names.stream().filter(n -> n.toLowerCase().contains("watchword")).toList());
    }

    static int deep(int n) {
        try { List<Integer> l = new ArrayList<>(); l.add(1); for (int x : l) n += x; return deep(n); }
        catch (StackOverflowError e) { return n; }
    }
}
"#;

#[test]
fn nothing_is_changed_and_nothing_is_missed() {
    let dir = Dir::new();
    dir.write("Break.java", BREAK).write("Places.java", PLACES);
    compile(&["Break.java", "Places.java"].map(|f| dir.path().join(f)), dir.path());
    let property = root().join("examples/java/safe-list-iterator.ww").display().to_string();
    for jdk in jdks() {
        let arguments = ["-Xmx128m", "-Xss512k", "-cp", ".", "Places"];
        let plain = Command::new(jdk.join("bin/java"))
            .args(arguments)
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
        let plain = String::from_utf8(plain.stdout).unwrap();
        // The state is in the objects, then in the engine.
        for more in [&[][..], &["--history", "11"]] {
            let flags = [&["-p", &property, "--report", "out.json"][..], more].concat();
            let ran = java(jdk, &dir, &flags, &arguments).expect(0);
            assert_eq!(ran.stdout, plain, "{}", ran.stderr);
            let report = report(&dir, "out.json");
            // Loaders, a hidden class, threads, virtual ones, one, the last.
            let found = report["properties"][0]["violations"].as_u64();
            assert_eq!(found, Some(50 + 1 + 1000 + 1000 + 1 + 1), "{more:?}: {}", ran.stderr);
        }
    }
}

const OTHER_AGENT: &str = r#"
import java.lang.instrument.*;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.*;

public class Other {
    static final AtomicInteger seen = new AtomicInteger();
    public static void premain(String args, Instrumentation tools) throws Exception {
        tools.addTransformer(new ClassFileTransformer() {
            public byte[] transform(ClassLoader l, String name, Class<?> c, ProtectionDomain d, byte[] bytes) {
                seen.incrementAndGet();
                return name != null && name.startsWith("Br") ? bytes.clone() : null;
            }
        }, true);
        tools.retransformClasses(java.util.ArrayList.class);
        // Classes of the program, with fields of the monitor, transformed again and replaced.
        for (Class<?> own : new Class<?>[] { Own.class, Class.forName("Break") }) {
            tools.retransformClasses(own);
            byte[] bytes = own.getResourceAsStream("/" + own.getName() + ".class").readAllBytes();
            tools.redefineClasses(new ClassDefinition(own, bytes));
        }
    }
}

class Own implements java.util.Iterator<String> {
    public boolean hasNext() { return false; }
    public String next() { return ""; }
}
"#;

/// Another agent beside ours, that looks at classes and changes some.
#[test]
fn another_agent_is_welcome() {
    let dir = Dir::new();
    let main = "public class Main { public static void main(String[] a) {
        for (int n = 0; n < 3; n++) Break.it(); System.out.println(Other.seen.get() > 1); } }";
    dir.write("Break.java", BREAK).write("Other.java", OTHER_AGENT).write("Main.java", main);
    dir.write(
        "manifest.txt",
        "Premain-Class: Other\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n",
    );
    compile(&["Break.java", "Other.java", "Main.java"].map(|f| dir.path().join(f)), dir.path());
    let property = root().join("examples/java/safe-list-iterator.ww").display().to_string();
    for jdk in jdks() {
        let jar = Command::new(jdk.join("bin/jar"))
            .args(["-cfm", "other.jar", "manifest.txt", "Other.class", "Other$1.class"])
            .current_dir(dir.path())
            .status()
            .unwrap();
        assert!(jar.success());
        let flags = ["-p", &property, "--report", "out.json"];
        let arguments = ["-javaagent:other.jar", "-cp", ".", "Main"];
        let ran = java(jdk, &dir, &flags, &arguments).expect(0);
        assert_eq!(ran.stdout, "true\n", "{}", ran.stderr);
        let report = report(&dir, "out.json");
        assert_eq!(report["properties"][0]["violations"], 3, "{}", ran.stderr);
    }
}

/// Deadlines pass although nothing happens any more.
#[test]
fn deadlines_are_noticed_when_they_pass() {
    let dir = Dir::new();
    let property = "event ask(x: int) = jvm before call Slow.ask(int) args (x)
event answer(x: int) = jvm before call Slow.answer(int) args (x)
property Answered(x) {
  start state Idle { on ask(x) -> Waiting }
  state Waiting within 1 ms else Late { on answer(x) -> Idle }
  bad state Late
}
";
    // It waits until the report of its own violation is there, which nothing else can bring about.
    let text = "public class Slow {
    static void ask(int x) { }
    static void answer(int x) { }
    public static void main(String[] a) throws Exception { ask(1); System.in.read(); }
}";
    dir.write("slow.ww", property).write("Slow.java", text);
    compile(&[dir.path().join("Slow.java")], dir.path());
    let Some(jdk) = jdks().first() else { return };
    let mut child = Command::new(crate::support::binary())
        .args(["java", "-p", "slow.ww", "--java"])
        .arg(jdk.join("bin/java"))
        .args(["--", "-cp", ".", "Slow"])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", super::cache())
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let found = lines.map_while(Result::ok).any(|line| line.contains("Late"));
    drop(child.stdin.take());
    assert!(found);
    assert!(child.wait().unwrap().success());
}

/// `--events callee`: calls from anywhere are seen, also reflective ones, in methods that are woven.
#[test]
fn callees_see_every_caller() {
    let dir = Dir::new();
    let property = "event use(x) = jvm before call Thing+.use() on x
property Once(x) {
  start state New { on use(x) -> Used }
  state Used { on use(x) -> Again }
  bad state Again
}
";
    let text = "public class Thing {
    public void use() { }
    static class Sub extends Thing { public void use() { } }
    public static void main(String[] a) throws Exception {
        Thing direct = new Thing(); direct.use(); direct.use();
        Thing sub = new Sub(); sub.use();
        Thing.class.getMethod(\"use\").invoke(sub);
        Runnable reference = new Thing()::use; reference.run(); reference.run();
    }
}";
    dir.write("once.ww", property).write("Thing.java", text);
    compile(&[dir.path().join("Thing.java")], dir.path());
    for jdk in jdks() {
        for (events, violations) in [("callee", 3), ("call", 2)] {
            let flags = ["-p", "once.ww", "--events", events, "--report", "out.json"];
            let ran = java(jdk, &dir, &flags, &["-cp", ".", "Thing"]).expect(0);
            let report = report(&dir, "out.json");
            let found = &report["properties"][0]["violations"];
            assert_eq!(found, violations, "{events}: {}", ran.stderr);
            // What is not seen is said.
            let warned = ran.stderr.contains("java.lang.reflect.Method are not observed");
            assert_eq!(warned, events == "call", "{}", ran.stderr);
        }
    }
}

/// A program that runs is joined, and tells what it does from then on.
/// A JVM that waits, and breaks a property twice for every byte it reads.
struct Server {
    java: Child,
    property: String,
    dir: Dir,
}

impl Server {
    fn start(jdk: &Path) -> Server {
        let dir = Dir::new();
        let text = "public class Server { public static void main(String[] a) throws Exception {
            System.out.println(\"ready\");
            while (System.in.read() >= 0) { Break.it(); Break.it(); } } }";
        dir.write("Break.java", BREAK).write("Server.java", text);
        compile(&["Break.java", "Server.java"].map(|f| dir.path().join(f)), dir.path());
        let mut java = Command::new(jdk.join("bin/java"))
            .args(["-XX:+EnableDynamicAgentLoading", "-cp", ".", "Server"])
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(java.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let property = root().join("examples/java/safe-list-iterator.ww").display().to_string();
        Server { java, property, dir }
    }

    /// Joins it; gives what is told.
    fn join(&self) -> (Child, Lines<BufReader<ChildStderr>>) {
        let mut joined = Command::new(crate::support::binary())
            .args(["java", "-p", &self.property, "--report", "out.json", "--attach"])
            .arg(self.java.id().to_string())
            .current_dir(self.dir.path())
            .env("XDG_CACHE_HOME", super::cache())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(joined.stderr.take().unwrap()).lines();
        (joined, told)
    }

    fn goes_on(&mut self) {
        self.java.stdin.as_mut().unwrap().write_all(b".").unwrap();
    }

    fn ends(mut self) {
        drop(self.java.stdin.take());
        assert!(self.java.wait().unwrap().success());
    }
}

#[test]
fn a_running_program_is_joined() {
    for jdk in jdks() {
        let mut server = Server::start(jdk);
        let (mut joined, mut told) = server.join();
        // It says when it is there: the program waits until then.
        let first = told.next().unwrap().unwrap();
        assert!(first.contains("attached to process"), "{first}");
        server.goes_on();
        let dir = std::mem::replace(&mut server.dir, Dir::new());
        server.ends();
        let rest: Vec<String> = told.map_while(Result::ok).collect();
        assert_eq!(joined.wait().unwrap().code(), Some(1), "{rest:?}");
        assert_eq!(report(&dir, "out.json")["properties"][0]["violations"], 2, "{rest:?}");
    }
}

#[test]
fn who_leaves_a_running_program_keeps_what_was_found() {
    let Some(jdk) = jdks().first() else { return };
    let mut server = Server::start(jdk);
    let (mut joined, mut told) = server.join();
    told.next().unwrap().unwrap();
    server.goes_on();
    let first = told.next().unwrap().unwrap();
    assert!(first.contains("violation"), "{first}");
    let status = Command::new("kill").args(["-INT", &joined.id().to_string()]).status();
    assert!(status.unwrap().success());
    let rest: Vec<String> = told.map_while(Result::ok).collect();
    assert_eq!(joined.wait().unwrap().code(), Some(1), "{rest:?}");
    let found = report(&server.dir, "out.json");
    assert_eq!(found["violations"].as_array().unwrap().len(), 1, "{found}");
    assert!(found["limits"][0].as_str().unwrap().contains("left before it ended"), "{found}");
    // It has an agent already.
    let (mut again, told) = server.join();
    let told: Vec<String> = told.map_while(Result::ok).collect();
    assert_eq!(again.wait().unwrap().code(), Some(2), "{told:?}");
    assert!(told[0].contains("attach to a JVM once"), "{told:?}");
    server.goes_on();
    server.ends();
}
