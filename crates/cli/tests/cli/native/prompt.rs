//! The prompt: at a terminal, and under commands nobody would type.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{alone, compile, example, left_behind, run_with};
use crate::support::{Dir, binary};

/// A person at a terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<String>>,
    /// How much of the screen was read.
    read: usize,
}

impl Terminal {
    /// Starts watchword in a terminal of its own.
    fn open(dir: &Dir, args: &str) -> Terminal {
        let command = format!("exec timeout --foreground 300 {} {args}", binary());
        let mut child = Command::new("script")
            .args(["--quiet", "--return", "--command", &command, "/dev/null"])
            .current_dir(dir.path())
            .env("XDG_STATE_HOME", dir.path())
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let keys = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let shared = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = output.read(&mut bytes) {
                shared.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..n]));
            }
        });
        Terminal { child, keys, screen, read: 0 }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Whether the text comes up within this time.
    fn sees(&mut self, text: &str, within: Duration) -> bool {
        let end = Instant::now() + within;
        loop {
            let screen = self.screen.lock().unwrap().clone();
            if let Some(at) = screen[self.read..].find(text) {
                self.read += at + text.len();
                return true;
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    fn see(&mut self, text: &str) {
        let found = self.sees(text, Duration::from_secs(120));
        assert!(found, "{text:?} is missing in\n{:?}", &self.screen.lock().unwrap()[self.read..]);
    }
}

const PROMPT: &str = "(watchword) ";

#[test]
fn lines_are_edited_completed_and_remembered() {
    let Some(dir) = example("queue", &["-O0"]) else { return };
    let _lock = alone();
    let mut t = Terminal::open(&dir, "debug -- ./queue 1 1");
    t.see(PROMPT);
    t.press("tbre\tqueue_pu\t\r");
    t.see("Temporary breakpoint 1 at queue_push");
    t.see(PROMPT);
    // A letter too many, a word in front of the line.
    t.press("startX\x7f\r");
    t.see("main (argc=3");
    t.see(PROMPT);
    t.press("main\x01tbreak \r");
    t.see("Temporary breakpoint 3 at main");
    t.see(PROMPT);
    // The line before the one before.
    t.press("\x1b[A\x1b[A\x1b[A\r");
    t.see("Temporary breakpoint 4 at queue_push");
    t.see(PROMPT);
    t.press("quit\r");
    assert_eq!(t.child.wait().unwrap().code(), Some(0));
    let history = dir.read("watchword/history");
    assert!(history.contains("tbreak queue_push\nstart\n"), "{history}");
    assert!(left_behind(&dir).is_empty());
}

#[test]
fn an_interrupt_stops_the_program_and_not_the_debugger() {
    let dir = Dir::new();
    dir.write(
        "forever.c",
        "#include <signal.h>\nvolatile long n;\n\
         int main(int c, char **v) { if (c > 1) signal(SIGINT, SIG_IGN); for (;;) n++; }\n",
    );
    if !compile(&dir, "gcc", &["-g", "forever.c", "-o", "forever"]) {
        return;
    }
    let _lock = alone();
    for args in ["debug -- ./forever", "debug -- ./forever ignoring"] {
        let mut t = Terminal::open(&dir, args);
        t.see(PROMPT);
        // The second time it is another process.
        for _ in 0..2 {
            t.press("start\r");
            t.see("main (c=");
            t.see(PROMPT);
            t.press("continue\r");
            // Until the program runs, the key belongs to the prompt. A key that is late on a busy
            // machine must not be pressed twice: the second one would interrupt the next start.
            let mut patience = Duration::from_millis(300);
            while !t.sees("Interrupted.", patience) {
                t.press("\x03");
                patience = Duration::from_secs(20);
            }
            t.see("forever.c:3");
            t.see(PROMPT);
        }
        t.press("print n >= 0\r");
        t.see(" = 1");
        // Before the prompt is there, the terminal takes this key for itself.
        t.see(PROMPT);
        t.press("\x04");
        assert_eq!(t.child.wait().unwrap().code(), Some(0));
        assert!(left_behind(&dir).is_empty());
    }
}

/// A small generator of numbers that do not repeat soon.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Commands; `E` is an expression, `P` a place, `N` a small number.
const TEMPLATES: &[&str] = &[
    "run",
    "start",
    "continue",
    "continue",
    "continue N",
    "step",
    "step N",
    "next",
    "next N",
    "stepi",
    "stepi N",
    "nexti",
    "nexti N",
    "finish",
    "until",
    "until P",
    "advance P",
    "kill",
    "break P",
    "break P",
    "break P if E",
    "tbreak P",
    "break if E",
    "watch E",
    "rwatch E",
    "awatch E",
    "delete",
    "delete N",
    "clear P",
    "disable N",
    "enable N",
    "disable",
    "enable",
    "condition N E",
    "condition N",
    "ignore N N",
    "bt",
    "bt N",
    "bt full",
    "bt -N",
    "frame N",
    "up",
    "down",
    "up N",
    "thread N",
    "thread apply all bt 2",
    "info breakpoints",
    "info locals",
    "info args",
    "info registers",
    "info threads",
    "info functions queue",
    "info sharedlibrary",
    "info checkpoints",
    "info frame",
    "info line P",
    "info display",
    "info scenario",
    "info N",
    "list",
    "list P",
    "list N,N",
    "print E",
    "print/x E",
    "print/s E",
    "print/c E",
    "print E = N",
    "x/8xg $sp",
    "x/3i $pc",
    "x/s E",
    "x/Nxb E",
    "x/Ni E",
    "ptype E",
    "set var E = E",
    "set var E = N",
    "call queue_new(N)",
    "call E",
    "display E",
    "display/i $pc",
    "undisplay N",
    "undisplay",
    "checkpoint",
    "checkpoint",
    "checkpoint here",
    "restart",
    "restart N",
    "reverse-continue",
    "delete-checkpoint N",
    "monitors",
    "slices",
    "slices NoOverflow",
    "violations",
    "graph",
    "graph dot",
    "load-property queue.ww",
    "load-property nothing.ww",
    "unload N",
    "load-scenario queue.scn",
    "unload-scenario",
    "set state NoOverflow N Open",
    "set state NoOverflow N Nowhere",
    "set slice-variable NoOverflow N room = N",
    "set scenario-variable seen = N",
    "source more.txt",
    "source nothing.txt",
    "help",
    "help break",
    "echo x",
    "",
    "",
    "E",
    "set E",
    "x",
    "print",
    "/",
    "print /x",
    "break",
    "watch",
];

const EXPRESSIONS: &[&str] = &[
    "q",
    "*q",
    "q->count",
    "q->items[1]",
    "shared",
    "shared->count",
    "*shared",
    "item",
    "left",
    "&left",
    "shared->items",
    "*shared->items@3",
    "$pc",
    "$sp",
    "$rip + 4",
    "$rax",
    "$nothing",
    "0",
    "1",
    "-1",
    "0xffffffffffffffff",
    "1/0",
    "*0",
    "*(int*)8",
    "(char)65",
    "left + 1",
    "left == 3",
    "queue_push",
    "&queue_push",
    "main",
    "shared->lock",
    "q->q",
    "((((left))))",
    "$1",
    "sizeof(queue_t)",
    "\"text\"",
    "'c'",
    "left++",
    "é",
    "left &&",
    "(",
    "threads[0]",
    "me",
    "queue_pop(shared)",
    "per_producer << 70",
    "9223372036854775807 + 1",
    "a.b.c",
    "**argv",
    "argv[0]",
];

const PLACES: &[&str] = &[
    "queue_push",
    "queue_pop",
    "main",
    "produce",
    "consume",
    "queue.c:45",
    "queue.c:9999",
    "12",
    "*0",
    "*main",
    "nothing",
    "pthread_create",
    "malloc",
    "*0xffffffffffffffff",
    "*$pc",
    "queue.c",
    "",
    "write",
    "exit",
    "pthread_mutex_lock",
];

fn command(random: &mut Random) -> String {
    let mut text = String::new();
    for word in random.pick(TEMPLATES).chars() {
        match word {
            'E' => text.push_str(random.pick(EXPRESSIONS)),
            'P' => text.push_str(random.pick(PLACES)),
            'N' => text.push_str(random.pick(&["0", "1", "2", "3", "7", "99999999999999999999"])),
            c => text.push(c),
        }
    }
    text
}

#[test]
fn no_row_of_commands_hangs_or_breaks_the_prompt() {
    let Some(dir) = example("queue", &["-O0"]) else { return };
    // Values that were set may make the program wait for ever.
    dir.write(
        "limit.c",
        "#include <unistd.h>\n__attribute__((constructor)) static void limit(void) { alarm(2); }\n",
    );
    dir.write("queue.scn", "seen := 0\non entering any state do seen := seen + 1\n");
    let _ = compile(&dir, "gcc", &["-g", "-pthread", "queue.c", "limit.c", "-o", "queue"]);
    let _lock = alone();
    let soak = std::env::var_os("WATCHWORD_SOAK").is_some();
    let first: u64 = std::env::var("WATCHWORD_SEED").map_or(1, |s| s.parse().unwrap());
    for seed in first..first + if soak { 300 } else { 8 } {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut input = String::from(if seed % 4 == 0 { "" } else { "break queue_push\nrun\n" });
        for _ in 0..30 {
            input.push_str(&command(&mut random));
            input.push('\n');
        }
        dir.write("more.txt", "print left\nsource more.txt\n");
        let args = ["debug", "-p", "queue.ww", "--", "./queue", "2", "3", "1"];
        let ran = run_with(&dir, &args, &input);
        assert!(ran.status == 0, "seed {seed}: status {}\n{input}\n{}", ran.status, ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "seed {seed}\n{input}\n{}", ran.stderr);
    }
}
