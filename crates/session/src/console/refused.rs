//! Commands of GDB that this prompt does not have, and what to use instead.

/// Names, and a sentence for the person who types them.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["catch", "tcatch"],
        "`break __cxa_throw` stops where C++ throws, `handle SIGNAL stop` at a signal, `break` at a function of the C library at its system call; `exec` stops by itself",
    ),
    (&["rbreak"], "`info functions PATTERN` lists functions, `break NAME` stops at one"),
    (&["queue-signal"], "`signal SIGNAL` sends a signal and goes on"),
    (&["attach"], "`watchword debug --attach PID` joins a process; a session is about one program"),
    (
        &["target", "core-file", "core"],
        "`watchword debug` starts or joins a program; cores and other machines are for GDB",
    ),
    (
        &["file", "exec-file", "symbol-file", "add-symbol-file"],
        "the program is named behind `--` on the command line; its debug information is found by itself",
    ),
    (
        &["directory", "dir"],
        "sources are looked for where they were compiled, and in the folder the session was started in",
    ),
    (
        &["record", "reverse-search"],
        "`checkpoint` saves the program, `reverse-step` and its like go back from there",
    ),
    (
        &["tui", "layout", "focus", "winheight", "refresh"],
        "GDB's text user interface works with this session: `watchword debug --gdb stdio`; `--view` shows it in a browser",
    ),
    (
        &["generate-core-file", "gcore", "dump", "append", "restore"],
        "connect GDB for that: `watchword debug --gdb stdio`, then `generate-core-file` or `dump`",
    ),
    (
        &["find"],
        "`x/s` and `x/64xb` show memory; to search it, connect GDB: `watchword debug --gdb stdio`",
    ),
    (&["macro"], "macros are not known here; type what they stand for"),
    (&["compile"], "`call` calls functions of the program; new code is not compiled"),
    (
        &["python", "py", "guile"],
        "`define`, `if` and `while` make commands; scenarios (`load-scenario`) react to monitors; for Python connect GDB: `watchword debug --gdb stdio`",
    ),
    (&["document"], "`define NAME` makes a command; it has no help text"),
    (&["alias"], "`define NAME` makes a command that runs another one"),
    (&["skip"], "`finish` leaves a function that was entered; `next` steps over calls"),
    (&["save"], "write the commands into a file: `source FILE` and `-x FILE` run it"),
    (&["tty"], "start Watchword where the program is to have its terminal"),
    (&["cd"], "start Watchword in that folder; `set cwd DIRECTORY` is for the program"),
    (
        &["print-object", "po", "explore"],
        "`print` shows values with their members, `ptype` their types",
    ),
    (&["search", "forward-search"], "`list FUNCTION` and `shell grep` show the source"),
    (&["edit"], "`shell` runs an editor; editors connect with `--dap`"),
    (
        &["inferior", "add-inferior", "clone-inferior"],
        "a session is about one program; `run --follow-children` monitors children, too",
    ),
    (
        &["trace", "tstart", "tstop", "tfind"],
        "`commands` runs commands where a breakpoint is hit; `run --collect-trace FILE` writes events down",
    ),
    (&["maintenance", "maint"], "`help` lists the commands"),
    (
        &["load", "monitor"],
        "the commands of monitors are commands here: `slices`, `graph`, `load-property`",
    ),
];

/// What to use instead of a command, if GDB has it and this prompt has not.
pub(super) fn instead(word: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(names, _)| names.contains(&word)).map(|(_, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_command_is_refused_that_exists() {
        for name in super::REFUSED.iter().flat_map(|(names, _)| *names) {
            let found = super::super::COMMANDS.iter().find(|c| c.is_called(name));
            assert!(found.is_none(), "{name}");
        }
    }
}
