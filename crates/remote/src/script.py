"""Watchword's commands in GDB: print this file with `watchword debug --gdb-script`, and load it
with GDB's `source`.

checkpoint [LABEL]              save program and monitors
restart [N]                     go back to a checkpoint, or to the last one
verde load-property FILE [FUNCTIONS]
verde load-scenario FILE
verde show-graph [PROPERTY] [dot]
verde run-with-program          let the program run
verde COMMAND                   any other command of Watchword's prompt
"""

import os
import gdb


def is_connected():
    """Whether GDB is connected to Watchword; a program of GDB's own has no `monitor`."""
    target = gdb.selected_inferior().connection
    return target is not None and target.type in ("remote", "extended-remote")


def monitor(line):
    if not is_connected():
        raise gdb.GdbError(
            "GDB is not connected to Watchword: target remote | watchword debug --gdb stdio -- PROGRAM"
        )
    return gdb.execute("monitor " + line, to_string=True)


def go_back(number):
    objection = monitor("select-checkpoint " + number).strip()
    if objection:
        raise gdb.GdbError(objection)
    gdb.execute("reverse-continue")


class Checkpoint(gdb.Command):
    """Save program and monitors: checkpoint [LABEL]"""

    def __init__(self):
        super().__init__("checkpoint", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        print(monitor("checkpoint " + argument), end="")


class Restart(gdb.Command):
    """Go back to a checkpoint: restart [N]"""

    def __init__(self):
        super().__init__("restart", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        go_back(argument.strip())


def absolute(words):
    """Files are those of GDB's folder; Watchword may have been started in another one."""
    return " ".join(os.path.abspath(w) if os.path.exists(w) else w for w in words)


class Verde(gdb.Command):
    """Commands of Watchword: verde load-property, load-scenario, show-graph, run-with-program, ..."""

    NAMES = ("load-property", "load-scenario", "show-graph", "run-with-program", "slices", "monitors")

    def __init__(self):
        super().__init__("verde", gdb.COMMAND_DATA)

    def complete(self, text, word):
        return [name for name in self.NAMES if name.startswith(text)]

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if not words:
            raise gdb.GdbError("verde " + " | ".join(self.NAMES))
        name, rest = words[0], words[1:]
        if name in ("load-property", "load-scenario"):
            print(monitor(name + " " + absolute(rest)), end="")
        elif name == "run-with-program":
            extended = gdb.selected_inferior().connection
            if gdb.selected_inferior().pid == 0 and extended is not None:
                gdb.execute("run")
            else:
                gdb.execute("continue")
        elif name == "restart":
            go_back(" ".join(rest))
        else:
            print(monitor(argument), end="")


# A program with much debug information takes some seconds until it answers for the first time.
if (gdb.parameter("remotetimeout") or 0) < 60:
    gdb.execute("set remotetimeout 60")

# Watchword runs on this machine: files need not go over the connection, and GDB finds the pretty
# printers that belong to libraries only by their own names.
if gdb.parameter("sysroot") == "target:":
    gdb.execute("set sysroot /")

Checkpoint()
Restart()
Verde()
