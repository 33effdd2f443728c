//! The table of commands.

use crate::error::bail;
use watchword_native::Session;

use super::parse::{self, Parse};
use super::{
    Console, Done, bodies, examine, info, memory, monitors, printing, refused, running, settings,
    signals,
};

/// A command.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    aliases: &'static [&'static str],
    /// How it is used.
    usage: &'static str,
    /// What it does.
    help: &'static str,
    /// Whether an empty line repeats it.
    pub repeats: bool,
    pub(super) run: Run,
}

/// What a command does.
pub(super) enum Run {
    /// It is a request, which the rest of the line completes.
    Asks(Parse),
    /// It is about the prompt, or about text for people.
    Does(fn(&mut Console, &mut Session, &str) -> Done),
}
use Run::{Asks, Does};

impl Command {
    /// Whether this is its name, or another one it has.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

macro_rules! commands {
    ($($name:literal $aliases:expr, $usage:literal, $help:literal, $repeats:literal, $run:expr;)*) => {
        /// All commands, in the order they are explained.
        pub const COMMANDS: &[Command] = &[$(Command {
            name: $name,
            aliases: &$aliases,
            usage: $usage,
            help: $help,
            repeats: $repeats,
            run: $run,
        }),*];
    };
}

commands! {
    "run" ["r", "run-with-program"], "run", "start the program from the beginning", false, Asks(parse::run);
    "start" [], "start", "start the program and stop in main", false, Asks(parse::start);
    "continue" ["c", "cont", "fg"], "continue [N | thread N…]", "go on; pass the breakpoint here N-1 times, or let only these threads go on", true, Asks(parse::proceed);
    "step" ["s"], "step [N]", "to another source line, into calls", true, Asks(parse::step);
    "next" ["n"], "next [N]", "to another source line, over calls", true, Asks(parse::next);
    "stepi" ["si"], "stepi [N]", "one instruction, into calls", true, Asks(parse::stepi);
    "nexti" ["ni"], "nexti [N]", "one instruction, over calls", true, Asks(parse::nexti);
    "finish" ["fin"], "finish", "run until the selected frame returns", true, Asks(parse::finish);
    "until" ["u"], "until [PLACE]", "to a later line of this frame, or to a place", true, Asks(parse::until);
    "advance" [], "advance PLACE", "to a place", false, Asks(parse::advance);
    "kill" ["k"], "kill", "end the program", false, Asks(parse::kill);
    "jump" ["j"], "jump PLACE", "go on at another place of the same function", false, Does(running::jump);
    "return" [], "return [EXPRESSION]", "leave the selected frame now, with this result; the rest of its function is not executed", false, Does(running::leave);
    "signal" [], "signal SIGNAL", "go on with this signal; 0: without the one that came", false, Does(running::signal);
    "detach" [], "detach", "let the program go on without the debugger", false, Asks(parse::detach);
    "break" ["b", "br", "brea", "hbreak"], "break PLACE [thread N] [if CONDITION]", "stop at a function, FILE:LINE, LINE or *ADDRESS", false, Asks(parse::set_break);
    "tbreak" ["tb", "thbreak"], "tbreak PLACE [if CONDITION]", "stop there once", false, Asks(parse::set_tbreak);
    "watch" [], "watch [-l] EXPRESSION", "stop when its value changes; -l: that of the object that is there now", false, Asks(parse::watch);
    "rwatch" ["rw"], "rwatch EXPRESSION", "stop when it is read", false, Asks(parse::rwatch);
    "awatch" ["aw"], "awatch EXPRESSION", "stop when it is read or written", false, Asks(parse::awatch);
    "delete" ["d"], "delete [N…]", "remove breakpoints, or all", false, Asks(parse::delete);
    "clear" [], "clear PLACE", "remove breakpoints at a place", false, Does(running::clear);
    "disable" ["dis"], "disable [N…]", "turn breakpoints off", false, Asks(parse::disable);
    "enable" ["en"], "enable [N…]", "turn breakpoints on", false, Asks(parse::enable);
    "condition" [], "condition N [EXPRESSION]", "stop at breakpoint N only if it holds", false, Asks(parse::condition);
    "ignore" [], "ignore N COUNT", "pass the next COUNT hits of breakpoint N", false, Asks(parse::ignore);
    "commands" [], "commands [N…]", "run the lines up to `end` when breakpoint N (or the last one) is hit; `silent` first: say nothing else", false, Does(bodies::attach);
    "define" [], "define NAME", "the lines up to `end` are the command NAME; $arg0, $arg1, … are its arguments, $argc their number", false, Does(bodies::define);
    "if" [], "if EXPRESSION", "run the lines up to `else` or `end` if it is not 0", false, Does(bodies::conditional);
    "while" [], "while EXPRESSION", "run the lines up to `end` as long as it is not 0", false, Does(bodies::repeat);
    "backtrace" ["bt", "where"], "backtrace [full] [N | -N]", "how the program got here: all, the N innermost, or the N outermost frames; full: with their variables", false, Asks(parse::backtrace);
    "frame" ["f", "select-frame"], "frame [N | function NAME | apply all|N… COMMAND]", "look at a frame, or run a command for several", false, Does(info::frame);
    "up" [], "up [N]", "look at the caller", true, Does(info::up);
    "down" [], "down [N]", "look at what it called", true, Does(info::down);
    "thread" ["t"], "thread [N] | thread apply all|N… COMMAND", "look at a thread, or run a command for several", false, Does(info::thread);
    "info" ["i"], "info WHAT", "breakpoints, locals, args, registers, threads, functions, variables, types, scope FUNCTION, symbol ADDRESS, address NAME, source, line, frame, program, proc, sharedlibrary, checkpoints, monitors, scenario, display, signals", false, Does(info::info);
    "list" ["l"], "list [PLACE | A,B]", "show the source", true, Does(info::list);
    "print" ["p", "inspect"], "print[/FORMAT] EXPRESSION", "the value of an expression, which may change something (i++, x = 1); formats x z d u o t c a f s; $1 is the first result, $ the last, $$ the one before; *p@3 three objects; 'file.c'::x, f::x, ::x; {int} ADDRESS", false, Asks(parse::print);
    "output" [], "output[/FORMAT] EXPRESSION", "the value, without a number", false, Does(printing::output);
    "x" [], "x[/COUNT FORMAT SIZE] [ADDRESS]", "memory, as x d u o t c a f s i; sizes b h w g; without an address: what follows; $_ is the last address, $__ what is there", true, Does(memory::memory);
    "ptype" [], "ptype[/o] EXPRESSION | ptype TYPE", "a type, with its members; /o: with where they are", false, Does(examine::ptype);
    "whatis" [], "whatis EXPRESSION | whatis TYPE", "the name of a type", false, Does(examine::whatis);
    "set" [], "set var PLACE = EXPRESSION", "change the program; also: set $NAME (a variable of yours), set args, set environment NAME = VALUE, set cwd, set listsize, set scheduler-locking off|step|on, set state, set slice-variable, set scenario-variable", false, Does(settings::set);
    "show" [], "show WHAT", "what was set: args, environment, cwd, listsize, scheduler-locking, convenience ($NAMEs), values (results), user (defined commands), version", false, Does(settings::show);
    "unset" [], "unset environment NAME", "take a variable from the program's environment", false, Does(settings::unset);
    "pwd" [], "pwd", "the folder of this session", false, Does(settings::pwd);
    "call" [], "call FUNCTION(ARGS)", "call a function of the program", false, Does(examine::call);
    "display" [], "display[/FORMAT] [EXPRESSION]", "show a value at every stop", false, Does(examine::display);
    "undisplay" [], "undisplay [N]", "show it no longer", false, Does(examine::undisplay);
    "echo" [], "echo TEXT", "show text; \\n ends the line", false, Does(printing::echo);
    "printf" [], "printf \"FORMAT\", EXPRESSION, …", "show values as C's printf does", false, Does(printing::printf);
    "checkpoint" ["ch"], "checkpoint [LABEL]", "save program and monitors", false, Asks(parse::checkpoint);
    "restart" [], "restart [N]", "go back to a checkpoint", false, Asks(parse::restart);
    "reverse-continue" ["rc"], "reverse-continue", "go back to the last checkpoint", false, Asks(parse::reverse_continue);
    "reverse-step" ["rs"], "reverse-step [N]", "back to the source line before, into calls, if the program does the same again from the last checkpoint", true, Asks(parse::reverse_step);
    "reverse-next" ["rn"], "reverse-next [N]", "back to the source line before, over calls", true, Asks(parse::reverse_next);
    "reverse-stepi" ["rsi"], "reverse-stepi [N]", "back by one instruction, into calls", true, Asks(parse::reverse_stepi);
    "reverse-nexti" ["rni"], "reverse-nexti [N]", "back by one instruction, over calls", true, Asks(parse::reverse_nexti);
    "reverse-finish" [], "reverse-finish", "back to the call of this function", false, Asks(parse::reverse_finish);
    "delete-checkpoint" [], "delete-checkpoint N", "forget a checkpoint", false, Asks(parse::delete_checkpoint);
    "monitors" [], "monitors", "the properties and what came of them", false, Asks(parse::monitors);
    "slices" [], "slices [PROPERTY]", "the instances of properties: binding, state, variables", false, Asks(parse::slices);
    "violations" [], "violations", "what was found, also in runs that were undone", false, Asks(parse::violations);
    "graph" ["show-graph"], "graph [PROPERTY] [dot]", "the automaton, with who is where", false, Does(monitors::graph);
    "load-property" [], "load-property FILE [FUNCTIONS]", "watch the program with another property", false, Asks(parse::load_property);
    "unload" ["unload-property"], "unload N", "stop watching with a property file", false, Asks(parse::unload);
    "load-scenario" [], "load-scenario FILE", "let a scenario decide what happens", false, Asks(parse::load_scenario);
    "unload-scenario" [], "unload-scenario", "no scenario any more", false, Asks(parse::unload_scenario);
    "verde" [], "verde COMMAND", "the commands under the names that Verde has for them: load-property, load-scenario, show-graph, run-with-program", false, Does(verde);
    "disassemble" ["disas"], "disassemble [PLACE]", "the instructions of a function", false, Asks(parse::disassemble);
    "handle" [], "handle SIGNAL… stop|nostop print|noprint pass|nopass", "what is done when the program gets a signal: whether it stops, whether that is shown, whether the program gets it; SIGNAL is a name, a number, a range or `all`", false, Does(signals::handle);
    "shell" ["!"], "shell COMMAND", "run a command of the shell", false, Does(running::shell);
    "source" [], "source FILE", "run commands from a file", false, Does(running::source);
    "apropos" [], "apropos WORD", "the commands whose explanation has this word", false, Does(apropos);
    "help" ["h"], "help [COMMAND]", "this", false, Does(help);
    "quit" ["q", "exit"], "quit", "end the session; a program that was started ends, one that was joined goes on", false, Does(running::quit);
}

/// The command a line begins with, and the rest. Unique beginnings of names do.
pub(super) fn find(line: &str) -> crate::Result<(&'static Command, &str)> {
    let end =
        line.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let rest = rest.trim();
    let exact = |c: &&Command| c.is_called(word);
    if let Some(command) = COMMANDS.iter().find(exact) {
        return Ok((command, rest));
    }
    let found: Vec<&Command> =
        COMMANDS.iter().filter(|c| !word.is_empty() && c.name.starts_with(word)).collect();
    match found.as_slice() {
        [one] => Ok((one, rest)),
        [] => match refused::instead(word) {
            Some(instead) => bail!("there is no `{word}` here: {instead}"),
            None => bail!("there is no command `{word}`; `help` lists them"),
        },
        many => {
            let names: Vec<&str> = many.iter().map(|c| c.name).collect();
            bail!("`{word}` may mean {}", names.join(", "))
        }
    }
}

/// The request that a line is; what the prompt does by itself is a command.
#[cfg(test)]
pub(super) fn parse(line: &str) -> crate::Result<crate::Request> {
    let (command, rest) = find(line)?;
    match command.run {
        Asks(parse) => parse(rest),
        Does(_) => Ok(crate::Request::Command(line.to_string())),
    }
}

fn verde(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    match rest {
        "" => bail!("verde load-property | load-scenario | show-graph | run-with-program | …"),
        line => console.execute(session, line),
    }
}

fn help(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    if !rest.is_empty() {
        let (command, _) = find(rest)?;
        let aliases = match command.aliases {
            [] => String::new(),
            names => format!(" (also {})", names.join(", ")),
        };
        console.say(&format!("{}{aliases}\n  {}", command.usage, command.help));
        return Ok(super::Then::Next);
    }
    let width = COMMANDS.iter().map(|c| c.usage.len()).max().unwrap_or(0).min(34);
    for command in COMMANDS {
        console.say(&format!("{:width$}  {}", command.usage, command.help));
    }
    console.say("An empty line repeats the last step. Names may be shortened.");
    Ok(super::Then::Next)
}

fn apropos(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    let wanted = rest.to_lowercase();
    let has = |c: &&Command| {
        [c.name, c.usage, c.help].iter().any(|text| text.to_lowercase().contains(&wanted))
    };
    for command in COMMANDS.iter().filter(has) {
        console.say(&format!("{} — {}", command.usage, command.help));
    }
    Ok(super::Then::Next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_shortened() {
        let name = |line: &str| find(line).map(|(c, rest)| (c.name, rest.to_string()));
        assert_eq!(name("b main").unwrap(), ("break", "main".to_string()));
        assert_eq!(name("p/x a+1").unwrap(), ("print", "/x a+1".to_string()));
        assert_eq!(name("conti").unwrap().0, "continue");
        assert_eq!(name("x/4xw $sp").unwrap(), ("x", "/4xw $sp".to_string()));
        assert_eq!(name("verde show-graph").unwrap(), ("verde", "show-graph".to_string()));
        assert!(name("de").is_err());
        assert!(name("frobnicate").is_err());
    }

    #[test]
    fn no_two_commands_share_a_name() {
        let mut all: Vec<&str> =
            COMMANDS.iter().flat_map(|c| c.aliases.iter().copied().chain([c.name])).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
