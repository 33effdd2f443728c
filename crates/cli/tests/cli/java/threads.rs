//! Many threads: what the agent found is what the reference finds in the trace it wrote.

use serde_json::Value as Json;

use super::{compile, java, jdks, report};
use crate::support::Dir;

const PROPERTIES: &str = "\
event create(c, i) = jvm after call java.util.Collection+.iterator() on c returns i
event update(c)    = jvm before call java.util.Collection+.{add, clear}(..) on c
event next(i)      = jvm before call java.util.Iterator+.next() on i
event ask(i, more: bool) = jvm after call java.util.Iterator+.hasNext() on i returns more
event value(x: int) = jvm before call Threads.value(int) args (x)
property SafeIterator(c, i) {
  never create next* update+ next
}
property HasNext(i) {
  start state Unknown { on ask(i, true) -> More
                        on next(i) -> Careless }
  state More { on next(i) -> Unknown }
  bad state Careless { on ask(i, true) -> More }
}
property Twice {
  start state Idle { on value(?x) => Seen }
  state Seen { on value(x) -> Again }
  bad state Again
}
";

/// Random work on shared lists; the lists themselves are safe for threads, so nothing is thrown.
const PROGRAM: &str = r#"
import java.util.*;
import java.util.concurrent.*;

public class Threads {
    static void value(int x) { }

    static void work(List<List<Integer>> lists, long seed, int steps) {
        Random random = new Random(seed);
        List<Iterator<Integer>> iterators = new ArrayList<>();
        for (int n = 0; n < steps; n++) {
            List<Integer> list = lists.get(random.nextInt(lists.size()));
            switch (random.nextInt(6)) {
                case 0: iterators.add(list.iterator()); break;
                case 1: list.add(n); break;
                case 2: if (random.nextInt(20) == 0) list.clear(); break;
                case 3: value(random.nextInt(1000)); break;
                default:
                    if (iterators.isEmpty()) break;
                    Iterator<Integer> i = iterators.get(random.nextInt(iterators.size()));
                    if (random.nextInt(3) == 0 || i.hasNext()) {
                        try { i.next(); } catch (NoSuchElementException e) { }
                    }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[1]);
        int steps = Integer.parseInt(args[2]);
        List<List<Integer>> lists = new ArrayList<>();
        for (int i = 0; i < 5; i++) lists.add(new CopyOnWriteArrayList<>(List.of(1, 2, 3)));
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            long mine = seed * 1000 + t;
            threads[t] = new Thread(() -> work(lists, mine, steps));
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
    }
}
"#;

/// Property, state, binding and number of every violation, sorted.
fn verdicts(report: &Json) -> Vec<String> {
    let mut all: Vec<String> = report["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| {
            format!("{} {} {} {}", v["property"], v["state"], v["binding"], v["first"]["index"])
        })
        .collect();
    all.sort();
    all
}

#[test]
fn collected_traces_replay_to_the_same_verdicts() {
    let dir = Dir::new();
    dir.write("p.ww", PROPERTIES).write("Threads.java", PROGRAM);
    compile(&[dir.path().join("Threads.java")], dir.path());
    for jdk in jdks() {
        // The reference is slow: long runs are left to the engine, which is compared with it
        // elsewhere.
        for (threads, steps, engine) in [
            ("1", "300", "reference"),
            ("8", "40", "reference"),
            ("8", "1000", "engine"),
            ("1000", "50", "engine"),
        ] {
            let flags = ["-p", "p.ww", "--collect-trace", "t.jsonl", "--report", "out.json"];
            let flags = [&flags[..], &["--no-dedup", "--max-violations", "1000000"]].concat();
            java(
                jdk,
                &dir,
                &[&flags[..], &["-q"]].concat(),
                &["-cp", ".", "Threads", threads, "7", steps],
            )
            .expect(0);
            let found = verdicts(&report(&dir, "out.json"));
            assert!(!found.is_empty());
            let replayed = dir.run(&[
                "replay",
                "-p",
                "p.ww",
                "--engine",
                engine,
                "--no-dedup",
                "--format",
                "json",
                "--max-violations",
                "1000000",
                "t.jsonl",
            ]);
            let wanted = verdicts(&replayed.json());
            assert!(found == wanted, "{threads} threads: {} and {}", found.len(), wanted.len());
        }
    }
}

const REPLY: &str = "\
event asked    = jvm before call Reply.ask()
event answered = jvm before call Reply.answer()
property InTime() {
  start state Idle { on asked -> Open }
  state Open within 10 ms else Late { on answered -> Idle }
  bad state Late
}
";

const ENDS: &str = r#"
public class Reply {
    static void ask() { }
    static void answer() { }

    public static void main(String[] args) throws Exception {
        ask();
        Thread.sleep(50);
        if (args[0].equals("exit")) System.exit(0);
        if (args[0].equals("halt")) Runtime.getRuntime().halt(0);
        if (args[0].equals("throw")) throw new IllegalStateException();
    }
}
"#;

#[test]
fn collected_traces_say_when_the_program_ended() {
    let dir = Dir::new();
    dir.write("p.ww", REPLY).write("Reply.java", ENDS);
    compile(&[dir.path().join("Reply.java")], dir.path());
    for jdk in jdks() {
        for (how, status) in [("return", 0), ("exit", 0), ("halt", 0), ("throw", 1)] {
            let flags = ["-q", "-p", "p.ww", "--collect-trace", "t.jsonl", "--report", "out.json"];
            java(jdk, &dir, &flags, &["-cp", ".", "Reply", how]).expect(status);
            assert_eq!(verdicts(&report(&dir, "out.json")).len(), 1, "{how}");
            let replayed = dir.run(&["replay", "-p", "p.ww", "--format", "json", "t.jsonl"]);
            assert_eq!(verdicts(&replayed.json()).len(), 1, "{how}");
        }
    }
}
