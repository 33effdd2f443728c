#!/usr/bin/env python3
"""What an event of a native program costs: breakpoints, code inside the program, and a peer.

    scripts/bench-native.py [ROUNDS] [OUT.md]

All ways take turns; medians are shown. The peer is GDB with a breakpoint in Python; it is left out
where it is not installed. `make bench-native` builds what is measured.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WATCHWORD = str(TARGET / "release" / "watchword")

BEFORE = """
event e(k: int, n: int) = native before call event with k = arg 0, n = arg 1
property P(k) {
  start state A { on e(k, _) -> B }
  state B { on e(k, -1) -> D  on e(k, _) -> C }
  state C { on e(k, -1) -> D  on e(k, _) -> B }
  bad state D
}
"""
BOTH = """
event e(k: int, n: int) = native before call event with k = arg 0, n = arg 1
event r(k: int, n: int) = native after call event with k = arg 0, n = ret
property P(k) {
  start state A { on e(k, _) -> B }
  state B { on r(k, -1) -> D  on r(k, _) -> C }
  state C { on e(k, -1) -> D  on e(k, _) -> B }
  bad state D
}
"""
GDB = """
import gdb
class Enter(gdb.Breakpoint):
    def stop(self):
        int(gdb.selected_frame().read_var("key"))
        if BOTH: Leave(internal=True)
        return False
class Leave(gdb.FinishBreakpoint):
    def stop(self):
        return False
BOTH = %s
Enter("event")
gdb.execute("run")
"""
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i<200000)
  insert into t select i, 'row '||i, i*1.5 from n;
create index ti on t(b);
select count(*), sum(c) from t where b like 'row 1%';
update t set c = c+1 where a%3=0;
delete from t where a%7=0;
select length(group_concat(b)) from t;
"""
PYTHON = """import json, re
d = {i: {'a': str(i), 'b': [i] * 5} for i in range(60000)}
s = json.dumps(d)
e = json.loads(s)
print(len(s), len(re.findall(r'\\d+', s)), len(e))
"""


def ns(command):
    """Nanoseconds per round, as the program itself measures them; None if it cannot be run."""
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb"ns ([0-9.]+)", out.stdout)
    return float(found.group(1)) if found else None


def seconds(command, stdin=None):
    """Seconds of a whole run."""
    with open(stdin or os.devnull, "rb") as given:
        start = time.monotonic()
        done = subprocess.run(command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start if done.returncode == 0 else None


def turns(rounds, ways):
    """Medians of ways that take turns."""
    taken = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            value = way()
            if value is not None:
                taken[name].append(value)
    return {name: statistics.median(values) if values else None for name, values in taken.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="watchword-bench-"))
    program = str(scratch / "loops")
    source = str(ROOT / "bench" / "native" / "loops.c")
    subprocess.run(["cc", "-O2", "-g", "-pthread", "-falign-functions=32", source, "-o", program], check=True)
    for name, text in {"before.ww": BEFORE, "both.ww": BOTH, "x.sql": SQL, "x.py": PYTHON,
                       "before.gdb.py": GDB % False, "both.gdb.py": GDB % True}.items():
        (scratch / name).write_text(text)

    def run(backend, prop, *command):
        return [WATCHWORD, "run", "--backend", backend, "-p", str(prop), "--", *command]

    def cell(value, unit=""):
        return "–" if value is None else f"{value:,.0f}{unit}".replace(",", " ")

    def ratio(value, base):
        return "–" if value is None or not base else f"{value / base:.2f}×"

    lines = [f"Medians of {rounds}, in turns; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}.", "",
             "| ns per call | alone | inside | breakpoint | GDB, Python |", "|---|---|---|---|---|"]
    for name, kind in (("before a call, sliced", "before"), ("before and after", "both")):
        prop = scratch / f"{kind}.ww"
        ways = {
            "alone": lambda: ns([program, "calls", "3000000"]),
            "inside": lambda: ns(run("auto", prop, program, "calls", "1000000")),
            "int3": lambda: ns(run("int3", prop, program, "calls", "10000")),
        }
        if shutil.which("gdb"):
            script = str(scratch / f"{kind}.gdb.py")
            ways["gdb"] = lambda: ns(["gdb", "--batch", "-q", "-x", script, "--args", program, "calls", "500"])
        got = turns(rounds, ways)
        row = [cell(got.get(way)) for way in ("alone", "inside", "int3", "gdb")]
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    heap = turns(rounds, {
        "alone": lambda: ns([program, "heap", "3000000"]),
        "inside": lambda: ns(run("auto", "std/double-free", program, "heap", "1000000")),
        "int3": lambda: ns(run("int3", "std/double-free", program, "heap", "5000")),
    })
    lines.append(f"| `malloc` and `free`, `std/double-free` | {cell(heap['alone'])} | {cell(heap['inside'])} | {cell(heap['int3'])} | – |")
    lines += ["", "| `std/posix`, seconds | alone | inside | ratio |", "|---|---|---|---|"]
    programs = [("four threads", [program, "threads", "40000"], None)]
    if shutil.which("sqlite3"):
        programs.append(("sqlite3", ["sqlite3", ":memory:"], str(scratch / "x.sql")))
    programs.append(("python3", [os.path.realpath(sys.executable), "-S", "-E", str(scratch / "x.py")], None))
    for name, command, stdin in programs:
        ways = {
            "alone": lambda: seconds(command, stdin),
            "inside": lambda: seconds(run("auto", "std/posix", *command), stdin),
        }
        got = turns(rounds, ways)
        base, inside = got["alone"], got["inside"]
        lines.append(f"| {name} | {base or 0:.2f} | {inside or 0:.2f} | {ratio(inside, base)} |")
    text = "\n".join(lines)
    print(text)
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text + "\n")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
