//! Random programs in C++, with the events that are to be told of them.
//!
//! What a program does depends on nothing but its text: every thread has numbers of its own. It counts
//! the calls of each function itself and prints them, so both back ends are compared with the program,
//! too, and not only with each other.

use std::fmt::Write;

use watchword_testing::Random;

/// A program.
pub struct Generated {
    pub source: String,
    /// Declarations of events, and a property that observes them all.
    pub property: String,
    pub flags: Vec<&'static str>,
    /// A property of single values and threads, if there are functions for it.
    pub keyed: Option<String>,
    /// For each function, the event at its entry, if there is one.
    pub entries: Vec<Option<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Byte,
    Short,
    Int,
    Unsigned,
    Long,
    Bool,
    Double,
    Float,
    Node,
    Reference,
    Pair,
}

use Kind::*;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Byte => "unsigned char",
            Short => "short",
            Int => "int",
            Unsigned => "unsigned",
            Long => "long",
            Bool => "bool",
            Double => "double",
            Float => "float",
            Node => "struct Node *",
            Reference => "int &",
            Pair => "Pair",
        }
    }

    /// The type of an event's parameter.
    fn declared(self) -> &'static str {
        match self {
            Bool => ": bool",
            Double | Float => ": float",
            Node => "",
            _ => ": int",
        }
    }
}

/// How frames are left other than by returning: mixing the two is undefined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    Throwing,
    Jumping,
}

struct Function {
    params: Vec<Kind>,
    result: Option<Kind>,
}

/// The program of a seed.
pub fn program(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let leaving = if random.chance(65) { Leaving::Throwing } else { Leaving::Jumping };
    let functions: Vec<Function> =
        (0..6 + random.below(8)).map(|_| function(&mut random)).collect();
    let mut w = Writer { random, functions, leaving, text: String::from(HEAD) };
    w.declarations();
    for k in (0..w.functions.len()).rev() {
        w.function(k);
    }
    w.roots();
    let (property, entries) = w.events();
    let keyed = w.keyed();
    const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
    const OTHERS: [&str; 6] = [
        "-fno-omit-frame-pointer",
        "-fcf-protection",
        "-static",
        "-fno-plt",
        "-no-pie",
        "-fno-optimize-sibling-calls",
    ];
    let mut flags = vec!["-w", *w.random.pick(&LEVELS)];
    if w.random.chance(70) {
        flags.push(*w.random.pick(&OTHERS));
    }
    Generated { source: w.text, property, keyed, flags, entries }
}

fn function(random: &mut Random) -> Function {
    const PARAMS: [Kind; 14] = [
        Byte, Short, Int, Int, Int, Unsigned, Long, Long, Bool, Double, Float, Node, Node,
        Reference,
    ];
    const RESULTS: [Kind; 10] = [Byte, Short, Int, Int, Unsigned, Long, Bool, Double, Float, Node];
    let count = *random.pick(&[0, 1, 1, 2, 2, 3, 4, 5, 6, 8]);
    let mut params: Vec<Kind> = (0..count).map(|_| *random.pick(&PARAMS)).collect();
    if random.chance(8) {
        params.push(Pair);
    }
    let result = random.chance(85).then(|| *random.pick(&RESULTS));
    Function { params, result }
}

const HEAD: &str = r#"
#include <alloca.h>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
struct Node { long value; Node *next; int small; };
struct Pair { long a; double b; };
Node nodes[4] = {{3, &nodes[1], 7}, {4, &nodes[2], -8}, {-5, 0, 9}, {6, (Node *)16, 10}};
std::atomic<long> calls[64];
thread_local int budget = 60;
thread_local bool is_worker = false;
thread_local jmp_buf *top = 0;
thread_local int spare = 5;
static inline unsigned long mix(unsigned long x) { return x * 31 + 7; }
static inline unsigned long mix(double x) { return (unsigned long)(long)(x * 8) * 31 + 9; }
static inline unsigned long mix(Node *n) { return n ? 5 : 6; }
static inline unsigned long mix(Pair p) { return mix((unsigned long)p.a) + mix(p.b); }
template <class T> static inline unsigned long mix(T x) { return mix((unsigned long)x); }
static Node *node(unsigned long n) { return n % 6 == 5 ? 0 : n % 6 == 4 ? (Node *)24 : &nodes[n % 6]; }
__attribute__((noipa)) long sum(int n, ...) {
    va_list list;
    va_start(list, n);
    long all = 0;
    while (n-- > 0) all += va_arg(list, long);
    va_end(list);
    return all;
}
__attribute__((noipa)) void leave_scope(unsigned long n) { calls[63]++; spare += (int)(n & 3); }
struct Scope { unsigned long n; ~Scope() { leave_scope(n); } };
"#;

struct Writer {
    random: Random,
    functions: Vec<Function>,
    leaving: Leaving,
    text: String,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn head(&self, k: usize) -> String {
        let f = &self.functions[k];
        let params: Vec<String> =
            f.params.iter().enumerate().map(|(i, p)| format!("{} p{i}", p.name())).collect();
        let result = f.result.map_or("void", Kind::name);
        format!("__attribute__((noipa)) {result} f{k}({})", params.join(", "))
    }

    fn declarations(&mut self) {
        for k in 0..self.functions.len() {
            let head = self.head(k);
            self.line(&format!("{head};"));
        }
        self.line(
            "static void handler(int) { int old = budget; budget = old > 3 ? 3 : old; spare += 1;",
        );
        let call = self.call(0, "1ul");
        self.line(&match self.leaving {
            Leaving::Throwing => format!("  try {{ {call}; }} catch (int) {{ spare += 2; }}"),
            Leaving::Jumping => format!(
                "  jmp_buf here, *outer = top; top = &here; if (!setjmp(here)) {{ {call}; }} top = outer;"
            ),
        });
        self.line("  budget = old; }");
    }

    fn function(&mut self, k: usize) {
        let head = self.head(k);
        let result = self.functions[k].result;
        let params = self.functions[k].params.clone();
        self.line(&format!("{head} {{\n  calls[{k}]++;"));
        let early = match result {
            None => "return".to_string(),
            Some(Node) => "return &nodes[1]".to_string(),
            Some(r) => format!("return ({})1", r.name()),
        };
        // Some do their work before anything else; a short way out makes short functions.
        self.line(&format!("  if (--budget < 0) {early};"));
        let first = self.random.below(1000);
        self.line(&format!("  unsigned long acc = {first};"));
        for (i, p) in params.iter().enumerate() {
            self.line(&format!("  acc = acc * 31 + mix(p{i});"));
            if *p == Reference && self.random.chance(50) {
                self.line(&format!("  p{i} = (p{i} * 3 + 1) & 0xffff;"));
            }
        }
        for n in 0..1 + self.random.below(4) {
            self.statement(k, n);
        }
        self.line(&match result {
            None => "}".to_string(),
            Some(Node) => "  return node(acc >> 3);\n}".to_string(),
            Some(Double | Float) => "  return (long)(acc >> 4 & 0xfff) * 0.25;\n}".to_string(),
            Some(r) => format!("  return ({})(acc >> 5);\n}}", r.name()),
        });
    }

    /// A function that may be called from another one: a later one, or itself.
    fn callee(&mut self, k: usize) -> usize {
        let is_loop = self.functions[k].result.is_some() && self.random.chance(15);
        if is_loop { k } else { self.later(k).unwrap_or(k) }
    }

    /// A function that may be called at the end of another one. A call of itself there is a loop for
    /// the compiler, and no event.
    fn later(&mut self, k: usize) -> Option<usize> {
        let left = self.functions.len() - k - 1;
        (left > 0).then(|| k + 1 + self.random.below(left))
    }

    /// A call whose arguments depend on `acc`.
    fn call(&mut self, k: usize, acc: &str) -> String {
        let params = self.functions[k].params.clone();
        let args: Vec<String> = params
            .iter()
            .map(|p| {
                let (by, add) = (1 + self.random.below(9), self.random.below(500));
                let some = format!("({acc} * {by} + {add})");
                match p {
                    Node => format!("node({some} >> 4)"),
                    Reference => "spare".to_string(),
                    Pair => format!("Pair{{(long){some}, {by}.5}}"),
                    Double | Float => format!("({})(((long){some} & 0xffff) * 0.5)", p.name()),
                    _ => format!("({}){some}", p.name()),
                }
            })
            .collect();
        format!("f{k}({})", args.join(", "))
    }

    /// A statement that calls a function and adds what it answers.
    fn use_call(&mut self, k: usize) -> String {
        let callee = self.callee(k);
        if callee == k && self.functions[k].result.is_none() {
            return "acc++;".into();
        }
        let call = self.call(callee, "acc");
        match self.functions[callee].result {
            Some(_) => format!("acc += mix({call});"),
            None => format!("{call}; acc++;"),
        }
    }

    fn statement(&mut self, k: usize, n: usize) {
        let rare = self.random.below(7);
        let text = match (self.random.below(16), self.leaving) {
            (0..=2, _) => self.use_call(k),
            (3, _) => {
                format!("for (int i = (int)(acc % 3); i >= 0; i--) {{ {} }}", self.use_call(k))
            }
            (4 | 5, Leaving::Throwing) => {
                let again = if self.random.chance(40) { "if (acc % 3 == 0) throw;" } else { "" };
                format!("try {{ {} }} catch (int e) {{ acc += e; {again} }}", self.use_call(k))
            }
            (6 | 7, Leaving::Throwing) => {
                format!("if (acc % 7 == {rare}) throw (int)(acc & 15);")
            }
            (8, Leaving::Throwing) => format!("Scope scope{n}{{acc}}; {}", self.use_call(k)),
            (4 | 5, Leaving::Jumping) => format!(
                "{{ jmp_buf here; jmp_buf *volatile outer = top; top = &here; volatile unsigned long kept = acc; \
                 if (!setjmp(here)) {{ {} kept = acc; }} else acc = kept + 3; top = outer; }}",
                self.use_call(k)
            ),
            (6..=8, Leaving::Jumping) => {
                format!("if (acc % 7 == {rare} && top) longjmp(*top, 1);")
            }
            (9, _) => match self.functions[k].result {
                // A jump to another function, if the compiler likes.
                Some(result) => {
                    let later = self.later(k);
                    match later.filter(|f| self.functions[*f].result == Some(result)) {
                        Some(f) => format!("if (acc % 3 == 0) return {};", self.call(f, "acc")),
                        None => self.use_call(k),
                    }
                }
                None => self.use_call(k),
            },
            (10, _) => {
                "{ char *m = (char *)malloc(acc % 100 + 1); m[0] = 1; acc += m[0]; free(m); }"
                    .into()
            }
            (11, _) => {
                "{ volatile char *a = (char *)alloca(acc % 64 + 16); a[3] = 1; acc += a[3]; }"
                    .into()
            }
            (12, _) => "if (acc % 5 == 2) raise(SIGUSR1);".into(),
            (13, _) => format!("if (is_worker && acc % 11 == {rare}) pthread_exit(0);"),
            (14, _) => format!(
                "if (is_worker && acc % 11 == {rare}) {{ pthread_cancel(pthread_self()); pthread_testcancel(); }}"
            ),
            _ => "acc += sum(3, (long)acc, 2l, 5l);".into(),
        };
        self.line(&format!("  {text}"));
    }

    /// What begins: threads, fibers, children, and the first thread.
    fn roots(&mut self) {
        let mut calls = String::new();
        for _ in 0..3 + self.random.below(4) {
            let k = self.random.below(self.functions.len().min(4));
            let call = self.call(k, "n");
            let call = match self.functions[k].result {
                Some(_) => format!("n += mix({call});"),
                None => format!("{call}; n++;"),
            };
            let _ = match self.leaving {
                Leaving::Throwing => {
                    writeln!(calls, "  budget = 60; try {{ {call} }} catch (int e) {{ n += e; }}")
                }
                Leaving::Jumping => writeln!(
                    calls,
                    "  {{ budget = 60; jmp_buf here; top = &here; volatile unsigned long kept = n; \
                     if (!setjmp(here)) {{ {call} }} else n = kept + 1; top = 0; }}"
                ),
            };
        }
        self.line(&format!(
            "static unsigned long root(unsigned long n) {{\n{calls}  return n;\n}}"
        ));
        self.line(
            "static void *worker(void *n) { is_worker = true; return (void *)root((unsigned long)n); }\n\
             static ucontext_t home, fiber; static unsigned long fibers;\n\
             static void run_fiber() { fibers += root(77); swapcontext(&fiber, &home); fibers += root(78); }",
        );
        self.line("int main() {\n  signal(SIGUSR1, handler);\n  unsigned long all = root(1);");
        let threads = self.random.below(4);
        if threads > 0 {
            self.line(&format!(
                "  pthread_t t[{threads}]; for (long i = 0; i < {threads}; i++) pthread_create(&t[i], 0, worker, (void *)(i + 2));\n\
                   for (int i = 0; i < {threads}; i++) {{ void *r; pthread_join(t[i], &r); all += (unsigned long)r; }}"
            ));
        }
        if self.random.chance(30) {
            self.line(
                "  char *stack = (char *)malloc(1 << 18); getcontext(&fiber); fiber.uc_stack.ss_sp = stack;\n\
                   fiber.uc_stack.ss_size = 1 << 18; fiber.uc_link = &home; makecontext(&fiber, run_fiber, 0);\n\
                   swapcontext(&home, &fiber); all += root(5); swapcontext(&home, &fiber); all += fibers;",
            );
        }
        if self.random.chance(40) {
            self.line(
                "  fflush(stdout); int status; pid_t child = fork();\n\
                   if (!child) _exit((int)(root(9) & 63));\n\
                   waitpid(child, &status, 0); all += (unsigned)status;",
            );
        }
        if self.random.chance(40) {
            self.line(
                "  int gone; pid_t other = vfork(); if (!other) _exit(5);\n\
                   waitpid(other, &gone, 0); all += (unsigned)gone + root(3);",
            );
        }
        self.line("  for (int i = 0; i < 64; i++) printf(\"%ld \", calls[i].load());");
        self.line("  printf(\"\\n%lu\\n\", all); return (int)(all & 127);\n}");
    }

    /// The events, as a property declares them, and which function has one at its entry.
    fn events(&mut self) -> (String, Vec<Option<String>>) {
        let mut declared = String::new();
        let mut observed = String::new();
        let mut entries = Vec::new();
        for k in 0..self.functions.len() {
            let which = self.random.below(3);
            let mut entry = None;
            if which != 1 {
                self.event(k, false, &mut declared, &mut observed);
                entry = Some(format!("b{k}"));
            }
            if which != 0 {
                self.event(k, true, &mut declared, &mut observed);
            }
            entries.push(entry);
        }
        declared.push_str(
            "event scope(n: int) = native before call leave_scope with n = arg 0\n\
             event scoped(n: int) = native after call leave_scope with n = arg 0\n\
             event summed(n: int, r: int) = native after call sum with n = arg 0, r = ret\n",
        );
        observed
            .push_str("    on scope(_) -> A\n    on scoped(_) -> A\n    on summed(_, _) -> A\n");
        let property = format!(
            "{declared}property P {{\n  start state A {{\n    on summed(99, _) -> B\n{observed}  }}\n  bad state B\n}}\n"
        );
        (property, entries)
    }

    /// A node that one function was given is not given to another one afterwards. There are few nodes.
    fn keyed(&mut self) -> Option<String> {
        let of = |f: &Function| f.params.iter().position(|p| *p == Node);
        let mut all: Vec<(usize, usize)> = Vec::new();
        for (k, f) in self.functions.iter().enumerate() {
            all.extend(of(f).map(|i| (k, i)));
        }
        let (k, i) = all.first()?;
        let mut text = format!(
            "event met(k, t: int) = native before call f{k} with k = arg {i}, t = thread\n"
        );
        text.push_str("event used(k, t: int) {\n");
        for (k, i) in all.get(1..).filter(|others| !others.is_empty())? {
            let when = *self.random.pick(&["before", "after"]);
            let _ = writeln!(text, "  native {when} call f{k} with k = arg {i}, t = thread");
        }
        text.push_str(
            "}\nproperty Keyed(k, t) {\n  start state A { on met(k, t) -> B }\n  \
             state B { on used(k, t) -> C }\n  state C { on met(k, t) -> B  on used(k, t) -> D }\n  bad state D\n}\n",
        );
        Some(text)
    }

    fn event(&mut self, k: usize, after: bool, declared: &mut String, observed: &mut String) {
        let f = &self.functions[k];
        let mut params = Vec::new();
        let mut values = Vec::new();
        for (i, p) in f.params.iter().enumerate() {
            if params.len() >= 3 || !self.random.chance(60) {
                continue;
            }
            params.push(format!("a{i}{}", p.declared()));
            let path = match p {
                Pair => ".a",
                _ => "",
            };
            values.push(format!("a{i} = arg {i}{path}"));
            if *p == Node && self.random.chance(60) {
                let path = *self.random.pick(&["value", "small", "next->value"]);
                params.push(format!("v{i}: int"));
                values.push(format!("v{i} = arg {i}->{path}"));
            }
        }
        if let Some(result) = f.result.filter(|_| after) {
            params.push(format!("r{}", result.declared()));
            values.push("r = ret".into());
        }
        let (name, when) =
            if after { (format!("a{k}"), "after") } else { (format!("b{k}"), "before") };
        let with =
            if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) };
        let _ = writeln!(
            declared,
            "event {name}({}) = native {when} call f{k}{with}",
            params.join(", ")
        );
        let holes = vec!["_"; params.len()].join(", ");
        let _ = writeln!(observed, "    on {name}({holes}) -> A");
    }
}
