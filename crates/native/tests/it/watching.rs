//! Variables as events.

use std::path::Path;
use std::sync::Arc;

use watchword_model::Model;
use watchword_native::Settings;

use crate::support::{compile, guarded, model, plain, run};

/// What the properties say about a run of `watched.c`.
fn said(events: &str, labels: &str) -> Vec<String> {
    let program = compile("watched.c", &["-O0"]);
    let model = model(&format!("{events}\nproperty P {{ start state S {{ {labels} }} }}"));
    let ran = run(&program, &[], &model, Settings::default());
    let expected = plain(&program, &[]);
    assert_eq!((ran.output.as_slice(), ran.status.shell_code()), (&*expected.0, expected.1));
    ran.said
}

#[test]
fn writes_and_reads_are_told_apart() {
    guarded(60, || {
        let written = "event w(v: int) = native write counter with v = value";
        let read = "event r(v: int) = native read counter with v = value";
        let both = format!("{written}\n{read}");
        let labels = "on w(?v) { print \"w{v}\" } on r(?v) { print \"r{v}\" }";
        assert_eq!(said(&both, labels), ["w1", "w1", "w2", "r2"]);
    });
}

#[test]
fn before_a_write_the_old_value_is_there() {
    guarded(60, || {
        let events = "event b(v: int) = native before write counter with v = value\n\
                      event w(v: int) = native write counter with v = value";
        let labels = "on b(?v) { print \"b{v}\" } on w(?v) { print \"w{v}\" }";
        assert_eq!(said(events, labels), ["b0", "w1", "b1", "w1", "b1", "w2"]);
    });
}

#[test]
fn an_expression_follows_its_pointer() {
    guarded(60, || {
        let events = "event h(v: int) = native update head->value with v = value";
        let changes = said(events, "on h(?v) { print \"{v}\" }");
        // Its object changes twice, and each object changes once while it is pointed to; what
        // happens to the stack after `main` is nobody's business.
        assert_eq!(changes[..4], ["1", "5", "2", "7"]);
    });
}

#[test]
fn local_variables_and_wide_objects() {
    guarded(60, || {
        // A parameter may be called as the variable.
        for name in ["v", "total"] {
            let events = format!(
                "event t({name}: int) = native write total in sum with {name} = value\n\
                 event w(a: ptr) = native write wide with a = address"
            );
            let labels = "on t(?v) { print \"t{v}\" } on w(_) { print \"wide\" }";
            assert_eq!(said(&events, labels), ["wide", "t0", "t0", "t1", "t3", "t6"]);
        }
    });
}

#[test]
fn more_watched_variables_than_registers() {
    guarded(60, || {
        let mut events = String::new();
        let mut labels = String::new();
        for i in 0..6 {
            events.push_str(&format!(
                "event e{i}(v: int) = native write wide[{}] with v = value\n",
                68 + i
            ));
            labels.push_str(&format!("on e{i}(?v) {{ print \"{i}:{{v}}\" }} "));
        }
        assert_eq!(said(&events, &labels), ["2:3"]);
    });
}

#[test]
fn a_bit_field_is_written_with_its_neighbours_and_updated_alone() {
    guarded(60, || {
        let program = compile("bits.c", &["-O0"]);
        for (source, expected) in
            [("write", &["1", "2", "2", "2", "2"][..]), ("update", &["1", "2"])]
        {
            let model = model(&format!(
                "event w(v: int) = native {source} flags.low with v = value\n\
                 property P {{ start state S {{ on w(?v) {{ print \"{{v}}\" }} }} }}"
            ));
            let ran = run(&program, &[], &model, Settings::default());
            assert_eq!(ran.said, expected, "{source}");
            assert_eq!(ran.output, plain(&program, &[]).0);
        }
    });
}

/// A property of the lengths of all queues that were made.
fn counted(label: &str) -> Arc<Model> {
    model(&format!(
        "event made(q) = native after call queue_new with q = ret\n\
         event len(q, n: int) = native write q->count in queue_t with n = value\n\
         property Count(q) {{ start state S {{ on made(q) -> T }}\n\
           state T {{ {label} }}\n bad state Bad }}"
    ))
}

#[test]
fn fields_of_all_known_objects() {
    guarded(120, || {
        let program = compile("queue.c", &["-O1"]);
        let model = counted("on len(q, ?n) if n > 4 -> Bad \"{n}\"");
        let ran = run(&program, &["2", "2", "1"], &model, Settings::default());
        assert_eq!(ran.found.len(), 1);
        assert_eq!(ran.found[0].report.message, "5");
        assert_eq!(ran.found[0].backtrace[0].function, "queue_push");
    });
}

#[test]
fn a_variable_called_as_the_object_is_not_the_object() {
    guarded(120, || {
        let program = compile("objects.c", &["-O0"]);
        let model = counted("on len(q, ?n) { print \"{q}={n}\" }");
        let ran = run(&program, &[], &model, Settings::default());
        let told: Vec<(&str, &str)> =
            ran.said.iter().filter_map(|line| line.split_once('=')).collect();
        let counts: Vec<&str> = told.iter().map(|(_, n)| *n).collect();
        assert_eq!(counts, ["1", "1", "2", "3"], "{:?}", ran.said);
        assert!(told[0].0 != told[1].0 && told[1].0 == told[3].0, "{:?}", ran.said);
    });
}

#[test]
fn variables_of_libraries_are_watched_where_they_are_loaded() {
    guarded(120, || {
        let program = compile("reloader.c", &["-ldl"]);
        let library = compile("reloaded.c", &["-shared", "-fPIC"]);
        let values: Vec<String> = (0..3).flat_map(|_| 1..=4).map(|n| format!("w{n}")).collect();
        for where_to in ["same", "elsewhere"] {
            let args = [library.to_str().unwrap(), where_to];
            for source in ["write level", "update level"] {
                let model = model(&format!(
                    "event w(v: int) = native {source} with v = value\n\
                     property P {{ start state S {{ on w(?v) {{ print \"w{{v}}\" }} }} }}"
                ));
                let ran = run(&program, &args, &model, Settings::default());
                assert_eq!(ran.said, values, "{source}, {where_to}");
                assert_eq!(ran.output, plain(&program, &args).0);
                assert_eq!(ran.warnings(), [""; 0]);
            }
            for source in ["before write level", "write twice in set_level"] {
                let model = model(&format!(
                    "event w = native {source}\n\
                     property P {{ start state S {{ on w -> S }} }}"
                ));
                let ran = run(&program, &args, &model, Settings::default());
                assert_eq!(ran.trace.len(), 12, "{source}, {where_to}");
                assert_eq!(ran.output, plain(&program, &args).0);
                assert_eq!(ran.warnings(), [""; 0]);
            }
        }
    });
}

#[test]
fn thread_local_variables_are_watched_in_every_thread() {
    guarded(60, || {
        let program = compile("thread_local.c", &["-O0"]);
        let model = model(
            "event set(v: int, t: int) = native write mine with v = value, t = thread\n\
             property P { start state A { on set(7, _) -> B  on set(_, _) -> A } bad state B }",
        );
        // The program may end while the end of its last thread is dealt with.
        for _ in 0..20 {
            check_threads(&program, &model);
        }
    });
}

/// Every write of `thread_local.c` is told, by the thread that made it.
fn check_threads(program: &Path, model: &Arc<Model>) {
    let ran = run(program, &[], model, Settings::default());
    let (output, status) = plain(program, &[]);
    assert_eq!((ran.output.as_slice(), ran.status.shell_code()), (&*output, status));
    assert_eq!(ran.warnings(), [""; 0]);
    let mut by_thread: Vec<(u64, Vec<String>)> = Vec::new();
    for event in &ran.trace {
        let (thread, value) = (event.thread.unwrap(), event.args[0].to_string());
        match by_thread.iter_mut().find(|(t, _)| *t == thread) {
            Some((_, values)) => values.push(value),
            None => by_thread.push((thread, vec![value])),
        }
    }
    let values: Vec<&[String]> = by_thread.iter().map(|(_, v)| v.as_slice()).collect();
    assert_eq!(values, [&["5", "7"][..], &["11", "21", "31"], &["21", "41", "61"]]);
    assert_eq!(ran.found.len(), 1);
}
