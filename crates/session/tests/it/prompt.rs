//! The prompt on a program of the examples.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use watchword_native::session::Origin;
use watchword_native::{Session, Settings};
use watchword_session::{Client, Console, Happening, NoProperties, Options};

struct Texts(Rc<RefCell<String>>);

impl Client for Texts {
    fn happened(&mut self, happening: &Happening) {
        if let Some((text, _)) = happening.text() {
            self.0.borrow_mut().push_str(text);
            self.0.borrow_mut().push('\n');
        }
    }
}

/// Writes down what becomes of checkpoints and of the program.
struct Fates(Rc<RefCell<Vec<String>>>);

impl Client for Fates {
    fn happened(&mut self, happening: &Happening) {
        let fate = match happening {
            Happening::Checkpointed(made) => format!("made {}", made.number),
            Happening::Forgotten { numbers } => format!("forgotten {numbers:?}"),
            Happening::Exited { signal, .. } => format!("exited {signal:?}"),
            _ => return,
        };
        self.0.borrow_mut().push(fate);
    }
}

/// A prompt at a program, and what it said.
pub struct Prompt {
    pub session: Session,
    pub console: Console,
    said: Rc<RefCell<String>>,
}

impl Prompt {
    /// At a program of the examples.
    pub fn at(source: &str, args: &[&str]) -> Prompt {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/native");
        Prompt::of(&here.join(source), args)
    }

    pub fn of(source: &Path, args: &[&str]) -> Prompt {
        let program = watchword_testing::compile(
            source,
            &Path::new(env!("CARGO_TARGET_TMPDIR")).join("prompt"),
        );
        let words = [program.into_os_string()].into_iter().chain(args.iter().map(|a| a.into()));
        let origin = Origin::Command(words.collect());
        let session = Session::new(origin, Settings::default()).unwrap();
        let mut console = Console::new(Options::default(), Box::new(NoProperties));
        let said = Rc::new(RefCell::new(String::new()));
        console.add_client(Box::new(Texts(said.clone())));
        Prompt { session, console, said }
    }

    /// What a line says.
    pub fn line(&mut self, line: &str) -> String {
        self.said.borrow_mut().clear();
        if let Err(e) = self.console.execute(&mut self.session, line) {
            return format!("error: {e}");
        }
        self.said.borrow().clone()
    }

    /// Checks lines and what they say.
    pub fn check(&mut self, checks: &[(&str, &str)]) {
        for (line, want) in checks {
            let said = self.line(line);
            assert!(said.contains(want), "`{line}`: no `{want}` in `{said}`");
        }
    }
}

#[test]
fn expressions_that_people_know_from_gdb() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["2", "2"]);
    prompt.check(&[
        ("break queue_push", "Breakpoint 1 at"),
        ("run", "Breakpoint 1, "),
        ("p q", "$1 = 0x"),
        ("p $1->capacity", "$2 = 4"),
        ("p *$1", "$3 = {capacity = 4"),
        ("p $3.capacity + $2", "$4 = 8"),
        ("p $9", "error: there is no result $9"),
        ("p sizeof(int)", "= 4"),
        ("p sizeof(queue_t)", "= "),
        ("p sizeof(struct queue) == sizeof(*q)", "= 1"),
        ("p sizeof(queue_t *)", "= 8"),
        ("p sizeof item", "= 4"),
        ("p sizeof(nobody)", "error: "),
        ("p q->items[0]@3", "= {0, 0, 0}"),
        ("p *q->items@2", "= {0, 0}"),
        ("p item@-1", "error: "),
        ("p 3@2", "error: the value before `@` is not in memory"),
        ("ptype queue_t", "int capacity;"),
        ("ptype struct queue", "int count;"),
        ("ptype q", "type = "),
        ("whatis int", "type = int"),
        ("ptype nobody_knows", "error: "),
        ("info threads", "* "),
        ("info threads", "\"queue_c-"),
    ]);
    prompt.line("kill");
}

#[test]
fn breakpoints_run_commands_and_people_define_their_own() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["1", "1"]);
    prompt.check(&[
        ("break queue_new", "Breakpoint 1 at"),
        ("commands", ""),
        ("silent", ""),
        ("p capacity", ""),
        ("continue", ""),
        ("end", ""),
        ("tbreak queue_push", "Temporary breakpoint 2"),
    ]);
    let said = prompt.line("run");
    assert!(said.contains("$1 = 4"), "{said}");
    assert!(!said.contains("Breakpoint 1,"), "it was to be silent: {said}");
    assert!(said.contains("Breakpoint 2, "), "it went on: {said}");
    prompt.check(&[
        ("define both", ""),
        ("p $arg0", ""),
        ("p $argc", ""),
        ("end", ""),
        ("both item", "$2 = 0\n$3 = 1\n"),
        ("define print", "error: `print` is a command already"),
        ("define a b", "error: define NAME"),
        ("commands 99", "error: there is no breakpoint number 99"),
        ("define bad", ""),
        ("frobnicate", ""),
        ("p 1", ""),
        ("end", ""),
        ("bad", "error: there is no command `frobnicate`"),
        ("p 2", "$4 = 2"),
    ]);
    // Commands that call themselves end, and the next line is served.
    prompt.check(&[
        ("define forever", ""),
        ("forever", ""),
        ("end", ""),
        ("forever", "error: `forever`: 200 commands call each other"),
        ("p 3", "$5 = 3"),
    ]);
    // What begins anew is told what it loses.
    prompt.check(&[
        ("checkpoint", "Checkpoint 1"),
        ("watch left", "Watchpoint 3"),
        ("run", "1 checkpoint and 1 watchpoint gone"),
    ]);
    if prompt.session.is_alive() {
        prompt.line("kill");
    }
}

#[test]
fn clients_are_told_which_checkpoints_are_gone() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["1", "1"]);
    let fates = Rc::new(RefCell::new(Vec::new()));
    prompt.console.add_client(Box::new(Fates(fates.clone())));
    let mut step = |line: &str, expected: &[&str]| {
        let said = prompt.line(line);
        assert!(!said.starts_with("error"), "{line}: {said}");
        assert_eq!(std::mem::take(&mut *fates.borrow_mut()), expected, "{line}");
    };
    step("start", &[]);
    for expected in ["made 1", "made 2", "made 3"] {
        step("checkpoint", &[expected]);
    }
    step("delete-checkpoint 2", &["forgotten [2]"]);
    step("kill", &["exited Some(9)", "forgotten [1, 3]"]);
    step("start", &[]);
    step("checkpoint", &["made 4"]);
    step("start", &["forgotten [4]"]);
    step("checkpoint", &["made 5"]);
    step("continue", &["exited None", "forgotten [5]"]);
}

#[test]
fn bodies_have_conditions_loops_and_variables() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["1", "1"]);
    prompt.check(&[
        ("break queue_push", "Breakpoint 1 at"),
        ("run", "Breakpoint 1, "),
        ("set $i = 0", ""),
        ("while $i < 3", ""),
        ("p $i", ""),
        ("if $i == 1", ""),
        ("echo one\\n", ""),
        ("else", ""),
        ("echo other\\n", ""),
        ("end", ""),
        ("set $i = $i + 1", ""),
        ("end", "$1 = 0\nother\n$2 = 1\none\n$3 = 2\nother\n"),
        ("p $", "= 2"),
        ("set $q = q", ""),
        ("p $q->capacity", "= 4"),
        ("p $rip == $pc", "= 1"),
        ("p $nobody", "error: "),
        ("if nobody", ""),
        ("end", "error: "),
        ("p 7", "= 7"),
        // The rest of a command goes on after a stop; the rest of a breakpoint's commands does not.
        ("define hop", ""),
        ("next", ""),
        ("echo hopped", ""),
        ("end", ""),
        ("hop", "hopped"),
        ("commands 1", ""),
        ("silent", ""),
        ("set $hits = 1", ""),
        ("next", ""),
        ("echo never", ""),
        ("end", ""),
        ("info breakpoints", "set $hits = 1"),
    ]);
    let said = prompt.line("continue");
    assert!(!said.contains("never") && !said.contains("Breakpoint 1,"), "{said}");
    prompt.check(&[
        ("p $hits", "= 1"),
        // A body inside a body.
        ("define arm", ""),
        ("commands 1", ""),
        ("echo armed", ""),
        ("end", ""),
        ("echo done", ""),
        ("end", ""),
        ("arm", "done"),
        ("continue", "armed"),
        ("commands 1", ""),
        ("end", ""),
    ]);
    assert!(!prompt.line("continue").contains("armed"));
    prompt.line("kill");
}

#[test]
fn names_and_members_are_completed() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["1", "1"]);
    prompt.check(&[("break queue_push", "Breakpoint 1 at"), ("run", "Breakpoint 1, ")]);
    let mut completed = |line: &str| {
        let (start, found) = prompt.console.complete(&mut prompt.session, line, None);
        let all: Vec<String> = found.into_iter().map(|c| c.text).collect();
        (start, all.join(" "))
    };
    assert_eq!(completed("p q->cap"), (5, "capacity".to_string()));
    assert!(completed("p (*q).").1.contains("capacity count"), "{:?}", completed("p (*q)."));
    assert_eq!(completed("p ite"), (2, "item".to_string()));
    assert_eq!(completed("p 1-ite"), (4, "item".to_string()));
    assert_eq!(completed("b queue_pu"), (2, "queue_push".to_string()));
    assert_eq!(completed("reverse-c"), (0, "reverse-continue".to_string()));
    assert_eq!(completed("info thr"), (5, "threads".to_string()));
    assert_eq!(completed("source /proc/self/statu"), (7, "/proc/self/status".to_string()));
    // What stands before the arrow is no expression.
    assert_eq!(completed("p €->").0, 7);
    assert_eq!(completed("p nobody->x").1, "");
    prompt.line("kill");
}

#[test]
fn classes_have_the_names_of_their_constructors_and_methods_name_members() {
    let _alone = watchword_testing::alone();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/bank.cpp");
    let mut prompt = Prompt::of(&here, &[]);
    prompt.check(&[
        ("break Savings::add", "Breakpoint 1"),
        ("run", "Savings::add (this=0x"),
        ("ptype Account", "int balance;"),
        ("ptype Savings", "int total;"),
        ("p sizeof(Account) == sizeof(savings.owner) + 8", "error: "),
        ("p sizeof(Account) > 30", "= 1"),
        ("p total", "= 100"),
        ("p total + amount", "= 107"),
        ("next", "total += amount"),
        ("break Account::deposit", "Breakpoint 2"),
        ("p nobody", "error: no variable named `nobody` here"),
        ("up", "main"),
        ("p total", "= 1"),
        ("p savings.total", "= 100"),
        ("run", "Savings::add"),
        ("continue", "Account::deposit"),
        ("p balance", "= 0"),
        ("p owner", "\"ada\""),
    ]);
}

#[test]
fn values_of_every_kind_are_shown_and_changed() {
    let _alone = watchword_testing::alone();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/values.cpp");
    let mut prompt = Prompt::of(&here, &[]);
    prompt.check(&[
        ("set args 'two words' \"it's\" a\\ b", "when it is run"),
        ("break values.cpp:38", "Breakpoint 1"),
        ("break values.cpp:0", "error: lines are counted from 1"),
        ("run", "Breakpoint 1"),
        ("p argc", "= 4"),
        ("p argv[1]", "\"two words\""),
        ("p argv[2]", "\"it's\""),
        ("p argv[3]", "\"a b\""),
        // Objects that are too large to be read whole.
        ("p numbers", "= {0, 1, 2, 3,"),
        ("p numbers[999999]", "= 999999"),
        ("p text", "= \"abcdefghij"),
        ("p wide", "= {first = 1, middle = \"\", last = 9}"),
        ("p &wide.last - &wide.first", "= 500001"),
        // Enumerators beyond what a signed byte holds.
        ("p kind", "= Large"),
        ("p kind == Kind::Large", "= 1"),
        ("p Kind::Small", "= Small"),
        ("p Kind::Large == 200", "= 1"),
        ("p Other::Large", "error: no variable named `Other::Large`"),
        ("set var kind = Kind::Small", ""),
        ("p kind", "= Small"),
        // Numbers with a fraction.
        ("p ratio * 2 + 0.5", "= 5.5"),
        ("p 1e3 / 8", "= 125"),
        ("p ratio > 2.25 && ratio < 3.0", "= 1"),
        ("p ratio % 2", "error: this operator is not for floating-point numbers"),
        ("set var ratio = -1.25e1", ""),
        ("p ratio", "= -12.5"),
        ("set var count = 8.9", ""),
        ("p count", "= 8"),
        // What languages have words for, and choices.
        ("set var no = true", ""),
        ("p no", "= true"),
        ("set var no = false", ""),
        ("p here == nullptr", "= 0"),
        ("set var here = nullptr", ""),
        ("p here", "= 0x0"),
        ("set var here = &point", ""),
        ("p count > 5 ? point.x : point.y", "= 3"),
        ("p count > 50 ? point.x : nobody", "error: no variable named `nobody`"),
        // References are what they refer to.
        ("p alias", ": 8"),
        ("set var alias = 70", ""),
        ("p count", "= 70"),
        ("p &alias == &count", "= 1"),
        ("p alias + 1", "= 71"),
        ("p numbers[alias]", "= 70"),
        ("p (long)alias", "= 70"),
        ("p -alias", "= -70"),
        ("p !never", "= 1"),
        ("p never || no", "= 0"),
        ("p pointer->y", "= 4"),
        ("p (*pointer).y", "= 4"),
        ("p same", ": {x = 3, y = 4}"),
        ("p same.y", "= 4"),
        ("p sizeof(same)", "= 8"),
        ("p alias", ": 70"),
        ("p $", "= 70"),
        ("p ratio", "= -12.5"),
        ("p $ * 2", "= -25"),
        // Texts, functions.
        ("set var name = \"grace\"", ""),
        ("p name", "= \"grace\""),
        ("set var name = \"too long for it\"", "error: the array has room for 7 characters"),
        ("set var here = \"x\"", "error: the program has no memory with this text"),
        ("set var chosen = grow", ""),
        ("p chosen", "<grow"),
        ("p is_even(alias)", "= true"),
        ("p is_even(count)", "= true"),
        ("p half(3)", "= 1.5"),
        ("p half(5) * 2", "= 5"),
        ("p corner(2)", "= {x = 2, y = 2}"),
        ("p grow(2)", "= 2"),
        ("whatis point", "type = Point\n"),
        ("ptype point", "int x;"),
    ]);
    assert_eq!(prompt.line("whatis point"), "type = Point\n");
    prompt.line("kill");
}

/// All watchpoints of a frame end with it, also those that watch the same variable.
#[test]
fn watchpoints_end_with_their_frame() {
    let _alone = watchword_testing::alone();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/bank.cpp");
    let mut prompt = Prompt::of(&here, &[]);
    prompt.check(&[
        ("break Account::deposit", "Breakpoint 1"),
        ("run", "Account::deposit"),
        ("watch amount", "Watchpoint 2"),
        ("watch amount", "Watchpoint 3"),
        (
            "continue",
            "Watchpoint 2 is gone: the function of `amount` has returned.\nWatchpoint 3 is gone",
        ),
        ("continue", "The program has ended."),
    ]);
}

/// Breakpoints can be set when the program has ended, for its next run.
#[test]
fn a_breakpoint_is_set_after_the_program_has_ended() {
    let _alone = watchword_testing::alone();
    let mut prompt = Prompt::at("queue.c", &["1", "1", "1"]);
    prompt.check(&[
        ("run", "The program has ended"),
        ("bt", "error: the program is not being run"),
        ("break queue_new", "ready to run again.\nBreakpoint 1 at queue_new"),
        ("run", "Breakpoint 1, queue_new"),
        ("finish", "Run till exit"),
        ("continue", "The program has ended"),
        ("start", "main (argc=4"),
    ]);
}
