//! What people type who know GDB.

use std::path::Path;

use crate::prompt::Prompt;

fn program(name: &str) -> Prompt {
    Prompt::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name), &[])
}

/// A prompt in `main`, when all its variables have values.
fn in_main() -> Prompt {
    let mut prompt = program("familiar.c");
    prompt.check(&[("break inner", "Breakpoint 1"), ("run", "inner (depth=3)"), ("up", "main ()")]);
    prompt
}

#[test]
fn values_look_as_people_know_them() {
    let _alone = watchword_testing::alone();
    in_main().check(&[
        ("p *p", "= {next = 0x0, name = \"first\", at = {x = 1, y = 2}, weight = 3.25, act = 0x"),
        ("p zeros", "= {0 <repeats 100 times>}"),
        ("p bytes", "= \"\\001\\002\\377\\000ABC\""),
        ("p tiny", "= 200 '\\310'"),
        ("p 'a'", "= 97 'a'"),
        ("p '\\n'", "= 10 '\\n'"),
        ("p '\\x41' + '\\101'", "= 130"),
        ("p rights", "= (READ | RUN)"),
        ("p (enum rights) 9", "= (READ | unknown: 0x8)"),
        ("p color", "= GREEN"),
        ("p small", "= 0.5"),
        ("p 1e-300", "= 1e-300"),
        ("p 0b101", "= 5"),
        ("p/x matrix", "= {{0x1, 0x2, 0x3}, {0x4, 0x5, 0x6}}"),
        ("p/x -1", "= 0xffffffff"),
        ("p/x large", "= 0xfffffffed5fa0e00"),
        ("p/d bytes", "= {1, 2, -1, 0, 65, 66, 67, 0}"),
        ("p/x *p", "= {next = 0x0, name = {0x66, "),
        ("p/t tiny", "= 11001000"),
        ("p/c 65", "= 65 'A'"),
        ("p/a main", " <main>"),
        ("p/a &first.at", " <first+24>"),
        ("p/f d", "= {1.5, -2.25}"),
        ("p/s text", "\"hello\\tworld\""),
        ("p/z 5", "= 0x00000005"),
        ("p/q 5", "error: `q` is no format"),
        ("p \"abc\"", "= \"abc\""),
        ("p sizeof(\"abc\")", "= 4"),
        ("p \"abc\"[1]", "= 98 'b'"),
        ("output/x 255", "0xff"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn places_change_by_expressions() {
    let _alone = watchword_testing::alone();
    in_main().check(&[
        ("p +i", "= 0"),
        ("p i++", "= 0"),
        ("p i", "= 1"),
        ("p ++i", "= 2"),
        ("p i += 5", "= 7"),
        ("p i -= 1, i * 2", "= 12"),
        ("p i = 3", "= 3"),
        ("p matrix[i - 2][0]--", "= 4"),
        ("p matrix[1][0]", "= 3"),
        ("p ratio *= 2", "= 5"),
        ("p p->at.x = 9", "= 9"),
        ("set var room = \"xyz\"", ""),
        ("p room", "= \"xyz\""),
        ("set var text = \"other\"", "error: the program has no memory with this text"),
        ("set $n = 0", ""),
        ("p $n++", "= 0"),
        ("p $n++ + $n", "= 3"),
        ("p $n", "= 2"),
        ("set $q = p", ""),
        ("p $q->name", "= \"first\""),
        ("set $point = pt", ""),
        ("p $point.y", "= 4"),
        ("p $nobody", "error: there is no register and no variable $nobody; `set $nobody = …`"),
        ("p $1 = 3", "error: $1 is a result, which cannot be changed"),
        ("p $eax = 7", "error: $eax was not preserved"),
        ("frame 0", "inner"),
        ("p $eax = 7", "= 7"),
        ("p $al", "= 7"),
        ("frame 1", "main"),
        ("show convenience", "$n = 2"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn results_are_used_again() {
    let _alone = watchword_testing::alone();
    in_main().check(&[
        ("p $", "error: there is no result yet"),
        ("p d", "$1 = {1.5, -2.25}"),
        ("p $1[1]", "$2 = -2.25"),
        ("p $", "$3 = -2.25"),
        ("p $$2", "$4 = {1.5, -2.25}"),
        ("p $$", "$5 = -2.25"),
        ("p pt", "$6 = {x = 3, y = 4}"),
        ("p $.x", "$7 = 3"),
        ("p *&$6", "$8 = {x = 3, y = 4}"),
        ("p matrix[1]@1", "$9 = {{4, 5, 6}}"),
        ("p d[0]@2", "$10 = {1.5, -2.25}"),
        ("p $99", "error: there is no result $99"),
        ("show values", "$1 = {1.5, -2.25}"),
        ("run", "inner (depth=3)"),
        // They stay when the program is started again.
        ("p $7 + 1", "$11 = 4"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn names_say_where_they_are() {
    let _alone = watchword_testing::alone();
    let mut prompt = in_main();
    prompt.check(&[
        ("p ::counter", "= 0"),
        ("p 'familiar.c'::shared", "= 42"),
        ("p familiar.c::shared", "= 42"),
        ("p 'nowhere.c'::shared", "error: no function and no file `nowhere.c`"),
        ("p inner::calls", "= 0"),
        ("p inner::local", "= "),
        ("p choose::chosen", "error: "),
        ("p &((struct node *) 0)->at", "= 0x18"),
        ("p (long) &((struct node *) 0)->weight", "= 32"),
        ("p sizeof(((struct node *) 0)->name)", "= 16"),
        ("p {int} &counter", "= 0"),
        ("p {point_t} anything", "= {x = 3, y = 4}"),
        ("p *anything", "error: a void pointer must be cast"),
        ("p &*p == p", "= 1"),
        ("info symbol first", "first in /"),
        ("info symbol &first.at", "first+24 in /"),
        ("info symbol 0", "No symbol is at 0x0."),
        ("info address counter", "variable counter is at 0x"),
        ("info address main", "function main is at 0x"),
        ("info scope inner", "static variable calls: int"),
        ("info scope inner", "parameter depth: int"),
        ("info scope nobody", "error: "),
        ("info source", "familiar.c"),
        ("info source", "Compiler: "),
        ("info types poi", "point_t"),
        ("info types nothing_like_that", "no such type"),
        ("info variables rati", "ratio"),
        ("info program", "It stands at inner (depth=3)"),
        ("info proc", "command = "),
        ("info proc mappings", "[stack]"),
        ("info display", "There are no displays"),
        ("info nothing", "error: info about what?"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn types_are_told_without_calling_or_changing() {
    let _alone = watchword_testing::alone();
    in_main().check(&[
        ("ptype struct node", "    char name[16];\n"),
        ("ptype struct node", "    int (*act)(int);\n"),
        ("ptype/o struct node", "/*   24 |    8 */    point_t at;"),
        ("ptype main", "type = int (void)"),
        ("ptype p->act", "type = int (*)(int)"),
        ("whatis square(3)", "type = int"),
        ("whatis i++", "type = int"),
        ("p i", "= 0"),
        ("whatis i + 1", "type = int"),
        ("whatis i + large", "type = long"),
        ("whatis i + 1.0", "type = double"),
        ("whatis square(i++) + 1", "error: for its type nothing is called"),
        ("whatis ((struct node *) 0)->at", "type = point_t"),
        ("whatis 'a'", "type = char"),
        ("whatis 1", "type = int"),
        ("whatis \"abc\"", "type = char[4]"),
        ("whatis matrix[0]", "type = int[3]"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn functions_are_called_with_what_they_take() {
    let _alone = watchword_testing::alone();
    in_main().check(&[
        ("p half(3)", "= 1.5"),
        ("p half(d[1])", "= -1.125"),
        ("p length(\"four\")", "= 4"),
        ("p length(text)", "= 11"),
        ("p strlen(\"three\")", "= 5"),
        ("p mirror(pt)", "= {x = 4, y = 3}"),
        ("p mirror(pt).x + 1", "= 5"),
        // More than fit into registers, of both kinds.
        ("p mixed(1, 2, 3, 4, 5, 6, 7, 8)", "= 891"),
        (
            "p make(7)",
            "= {next = 0x0, name = \"made\", at = {x = 7, y = 7}, weight = 1.5, act = 0x",
        ),
        ("p p->act(6)", "= 36"),
        ("p square(square(2))", "= 16"),
        ("p square()", "error: the function takes 1 arguments"),
        ("p square(1, 2)", "error: the function takes only 1 arguments"),
        ("p mirror(3)", "error: it takes a point_t"),
        ("p counter(3)", "error: a value of type int cannot be called"),
        ("call on_signal(5)", ""),
        ("p counter", "= 5"),
        ("p d", "= {1.5, -2.25}"),
        ("p i", "= 0"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn methods_and_overloaded_functions_are_called() {
    let _alone = watchword_testing::alone();
    program("classes.cpp").check(&[
        ("break stop_here", "Breakpoint 1"),
        ("run", "stop_here"),
        ("up", "main"),
        ("p ns::twice(2)", "= 4"),
        ("p ns::twice(2.5)", "= 5"),
        ("p box.get()", "= 7"),
        ("p derived.own()", "= 30"),
        // The object says which one it is.
        ("p base->which()", "= 2"),
        ("p base->own()", "error: "),
        ("p derived.base_only(5)", "= 15"),
        ("p x", "= 2"),
        ("p ::x", "= 1"),
        ("p ns::x", "= 5"),
        ("p ns::S::count", "= 3"),
        ("p take(x)", "= 3"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn memory_is_shown_in_every_form() {
    let _alone = watchword_testing::alone();
    let mut prompt = in_main();
    prompt.check(&[
        // The type of the expression says how large the numbers are.
        ("x/2f &d", ":  1.5  -2.25"),
        ("x/2f d", ":  1.5  -2.25"),
        ("x/f &small", " <small>:  0.5"),
        ("x/2xw matrix", " <matrix>:  0x00000001  0x00000002"),
        ("x", " <matrix+8>:  0x00000003"),
        ("x/2g matrix", " <matrix>:  0x0000000200000001"),
        ("x/4xb bytes", ":  0x01  0x02  0xff  0x00"),
        ("x/2dh matrix", ":  1  0"),
        ("x/3dw matrix", ":  1  2  3"),
        ("x/2uw matrix", ":  1  2"),
        ("x/2ow &matrix[1][2]", ":  06  "),
        ("x/tb bytes", ":  1"),
        ("x/4c bytes", ":  1 '\\001'  2 '\\002'  -1 '\\377'  0 '\\000'"),
        ("x/s text", ": \"hello\\tworld\""),
        ("x/3s names[0]", ": \"eve\""),
        ("x/a &p->act", " <square>"),
        ("x/2i $pc", "=> 0x"),
        ("x/2i main", " <main"),
        ("x/wx &counter", ":  0x00000000"),
        ("p $_", "= 0x"),
        ("p *$_", "= 0"),
        ("p $__", "= 0"),
        ("x/2x 0", "error: there is no memory at 0x0"),
        ("x/-2x d", "error: memory is shown forwards"),
        ("x/y d", "error: `y` is no format"),
        ("x/bf d", "error: floating-point numbers have sizes"),
        ("display/i $pc", "=> 0x"),
        ("display/x tiny", "2: tiny = 0xc8"),
        ("info display", "1: /i $pc"),
        ("undisplay 9", "error: there is no display 9"),
        ("delete display 1", ""),
        ("next", "2: tiny = <no variable"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn text_is_printed_as_by_c() {
    let _alone = watchword_testing::alone();
    let mut prompt = in_main();
    prompt.check(&[
        (
            "printf \"%d %s %5.2f|%-6d|%06d\\n\", tiny, text, ratio, 5, -42",
            "200 hello\tworld  2.50|5     |-00042\n",
        ),
        (
            "printf \"%c%c %x %#lx %lu %p %%\\n\", 65, 'b', 255, large, 7, p",
            "Ab ff 0xfffffffed5fa0e00 7 0x",
        ),
        ("printf \"%s %s\\n\", names[1], room", "bob abc\n"),
        ("printf \"%g %e\\n\", small, ratio", "0.5 2.500000e+00\n"),
        ("printf \"plain\\n\"", "plain\n"),
        ("printf \"%d\\n\"", "error: the format wants more values"),
        ("printf \"x\\n\", 1", "error: there are more values"),
        ("printf \"%d %y\\n\", 1, 2", "error: `%y"),
        ("printf plain", "error: printf \"FORMAT\""),
        ("echo a\\tb\\n", "a\tb\n"),
        ("define line", ""),
        ("echo one,\\040", ""),
        ("output tiny", ""),
        ("printf \" %d\\n\", 3", ""),
        ("end", ""),
        ("line", "one, 200 '\\310' 3\n"),
        ("kill", "The program was ended."),
    ]);
}

#[test]
fn threads_go_on_elsewhere() {
    let _alone = watchword_testing::alone();
    let mut prompt = program("familiar.c");
    prompt.check(&[
        ("break choose", "Breakpoint 1"),
        ("run", "choose (which=1)"),
        ("next", "if (which == 1)"),
        // Into the branch that is not taken.
        ("tbreak familiar.c:68", "Temporary breakpoint 2"),
        ("jump 67", "Continuing at choose+"),
        ("p chosen", "= 20"),
        ("return 33", "#0  main ()"),
        ("next", "raise"),
        ("p counter", "= 33"),
        ("jump nowhere", "error: "),
        // The signal is kept from the program, or another one is sent.
        ("continue", "The program got SIGUSR1"),
        ("tbreak familiar.c:87", "Temporary breakpoint 3"),
        ("signal 0", "Continuing without a signal."),
        ("p counter", "= 33"),
        ("tbreak on_signal", "Temporary breakpoint 4"),
        ("signal SIGUSR1", "on_signal (signal=10)"),
        ("return", "#0  "),
        ("p counter", "= 33"),
        ("signal nonsense", "error: there is no signal `nonsense`"),
        ("kill", "The program was ended."),
        ("return", "error: the program is not being run"),
    ]);
}

#[test]
fn frames_and_points_are_named() {
    let _alone = watchword_testing::alone();
    let mut prompt = program("familiar.c");
    prompt.check(&[
        ("break inner if $_thread == 1 && $hits++ >= 0", "Breakpoint 1"),
        ("set $hits = 0", ""),
        ("run", "inner (depth=3)"),
        ("continue 2", "inner (depth=1)"),
        ("p $hits", "= 3"),
        ("frame function main", "#3  main ()"),
        ("frame function nobody", "error: no frame is of a function `nobody`"),
        ("frame level 1", "#1  inner (depth=2)"),
        ("frame 2", "#2  inner (depth=3)"),
        ("frame nine", "error: `nine` is no number of a frame"),
        ("bt 1", "#0  inner (depth=1)"),
        ("bt -1", "_start"),
        ("frame apply 2 p depth", "= 2"),
        ("frame apply all p 1 + 1", "main ()"),
        ("delete", ""),
        ("break choose thread 1", "Breakpoint 2"),
        ("break square thread 7", "Breakpoint 3"),
        ("info breakpoints", "if $_thread == 7"),
        ("p $bpnum", "= 3"),
        ("watch -l p->at.x", "error: "),
        ("frame function main", "main ()"),
        ("watch -l p->at.x", "Watchpoint 4: {int} 0x"),
        ("rwatch ratio", "Read watchpoint 5"),
        ("awatch shared", "Access watchpoint 6"),
        ("break *main", "Breakpoint 7 at main"),
        ("delete 5 6", ""),
        ("continue", "choose (which=1)"),
        ("p p->at.x", "error: "),
        ("finish", "Value returned is $"),
        ("p first.at.x = 50", "= 50"),
        ("until", ""),
        ("clear", "error: there is no breakpoint at this place"),
        ("handle SIGUSR1 nostop noprint", ""),
        ("delete", ""),
        ("continue", "has ended"),
        ("p $_exitcode", "= "),
        ("p $_exitcode * 0 + 1", "= 1"),
        ("p counter", "error: the program is not being run"),
        ("show convenience", "$_exitcode = "),
    ]);
}

#[test]
fn settings_are_set_and_shown() {
    let _alone = watchword_testing::alone();
    let mut prompt = in_main();
    prompt.check(&[
        ("show args", "The program has no arguments."),
        ("set args 'two words' x", "when it is run"),
        ("show args", "'two words' x"),
        ("set environment WATCHED = yes", "when it is run"),
        ("show environment WATCHED", "WATCHED=yes"),
        ("unset environment WATCHED", "from the next `run` on"),
        ("show environment WATCHED", "`WATCHED` is not in"),
        ("set cwd /nowhere", "error: there is no folder"),
        ("set cwd /", "when it is run"),
        ("show cwd", "started in /"),
        ("set listsize 3", ""),
        ("list 10,", "10\t"),
        ("show listsize", "3 lines"),
        ("set listsize none", "error: `none` is no number of lines"),
        ("show scheduler-locking", "off: all threads go on"),
        ("show version", "Watchword "),
        ("show", "The program is started in /"),
        ("show nonsense", "error: `nonsense` cannot be shown"),
        // What scripts for GDB set, and what is always so here.
        ("set pagination off", ""),
        ("set confirm off", ""),
        ("set width 0", ""),
        ("set height unlimited", ""),
        ("set print pretty on", "error: `print pretty` is always off"),
        ("set disassembly-flavor att", "error: `disassembly-flavor` is always intel"),
        ("set nonsense", "error: set var PLACE = EXPRESSION, or one of args"),
        ("set i = 5", ""),
        ("p i", "= 5"),
        ("set i++", ""),
        ("p i", "= 6"),
        ("pwd", "/"),
        ("list inner", "int local = depth"),
        ("list -", ""),
        ("apropos checkpoint", "reverse-continue"),
        ("define twice", ""),
        ("p $arg0", ""),
        ("end", ""),
        ("show user", "define twice"),
        ("frame 0", "inner"),
        ("info registers rip", "inner"),
        ("info registers eflags", "IF"),
        ("info registers eax xmm0", "v4_float"),
        ("info all-registers", "st0"),
        ("p $eflags", "IF"),
        ("p $al", "= "),
        ("p $xmm0", "v2_double"),
        ("p $pc", "<inner"),
        ("run", "inner (depth=3)"),
        ("kill", "The program was ended."),
    ]);
    // What is not here is refused with what to use instead.
    for (line, instead) in [
        ("catch throw", "break __cxa_throw"),
        ("tui enable", "--gdb"),
        ("layout src", "--view"),
        ("record", "checkpoint"),
        ("python print(1)", "define"),
        ("generate-core-file", "--gdb stdio"),
        ("attach 1", "--attach PID"),
        ("macro expand X", "type what they stand for"),
        ("thread name x", "info threads"),
        ("disassemble /r main", "x/20i"),
        ("skip square", "finish"),
    ] {
        let said = prompt.line(line);
        assert!(said.starts_with("error: ") && said.contains(instead), "`{line}`: {said}");
    }
}

#[test]
fn a_call_that_is_left_does_not_return_for_monitors() {
    let _alone = watchword_testing::alone();
    let mut prompt = program("back.c");
    let model = crate::model(
        "event doubled(n: int) = native after call twice with n = ret\n\
         property Doubled() {\n  var seen: int = 0\n  var sum: int = 0\n\
         \x20 start state Counting {\n    on doubled(?n) if seen < 9 { seen += 1  sum += n }\n\
         \x20   on doubled(_) -> Enough \"too many\"\n  }\n  bad state Enough\n}\n",
    );
    prompt.session.load("left.ww", model).unwrap();
    prompt.check(&[
        ("break twice", "Breakpoint 1"),
        ("run", "twice (n=1)"),
        ("return 100", "#0  sum"),
        ("delete", ""),
        ("break 25", "Breakpoint 2"),
        ("continue", "Breakpoint 2, "),
        ("p first", "= 110"),
        // The other two calls returned 4 and 6.
        ("slices", "seen = 2, sum = 10"),
        ("kill", "The program was ended."),
    ]);
}
