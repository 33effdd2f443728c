#!/usr/bin/env python3
"""Windows and joins beside DuckDB: the same log, the same questions, whole processes.

    scripts/bench-duckdb.py WATCHWORD [ROUNDS [FILE]]

Needs the Python package `duckdb` (tried with 2.0). Both programs read the same CSV file and must find
the same number of violations; otherwise the script fails. Times are processor times of the whole
process, start-up included; DuckDB gets one thread, because Watchword is given one (`--jobs 1`).
The best of ROUNDS interleaved runs is shown.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

EVENTS = 1_000_000

WINDOW = """
event pay(u: int, amount: int)
property Limits(u) {{
  window often = count pay(u, _) within {within} ms
  window spent = sum pay(u, ?amount) of amount within {within} ms
  start state Ok {{ on pay(u, _) if often > 12 or spent > 900 -> Over }}
  bad state Over {{
    on pay(u, _) if often > 12 or spent > 900 -> Over
    on pay(u, _) -> Ok
  }}
}}
"""

WINDOW_SQL = """
select count(*) from (
  select count(*) over last as often, sum(amount) over last as spent
  from read_csv('{log}')
  window last as (partition by u order by ms range between {within} preceding and current row)
) where often > 12 or spent > 900
"""

JOIN = """
event login(u: int)
event logout(u: int)
event open(f: int)
event close(f: int)
event access(u: int, f: int)
property Access(u, f) {
  also login, logout, open, close
  ltl always (access implies (not logout since login) and (not close since open))
}
"""

JOIN_SQL = """
with log as (select ms, event, u, f from read_csv('{log}')),
  users as (select ms, u, event = 'login' as good from log where event in ('login', 'logout')),
  files as (select ms, f, event = 'open' as good from log where event in ('open', 'close')),
  used as (select ms, u, f from log where event = 'access')
select count(distinct (used.u, used.f)) from used
  asof left join users on used.u = users.u and used.ms > users.ms
  asof left join files on used.f = files.f and used.ms > files.ms
where not coalesce(users.good, false) or not coalesce(files.good, false)
"""


def keys(draw, count, how, number):
    """So many keys, all alike or the k-th in proportion to 1/k."""
    if how == "zipf":
        return draw.choices(range(count), [1 / (k + 1) for k in range(count)], k=number)
    return [draw.randrange(count) for _ in range(number)]


def windows(path, count, how):
    """Payments of users; about six of a user are in a window."""
    draw = random.Random(1)
    ms = 0
    with open(path, "w") as log:
        log.write("ms,event,u,amount\n")
        for u in keys(draw, count, how, EVENTS):
            ms += 1 + draw.randrange(3)
            log.write(f"{ms},pay,{u},{draw.randrange(100)}\n")
    within = 12 * count
    return WINDOW.format(within=within), WINDOW_SQL.format(log=path, within=within)


def joins(path, count, how):
    """Users who log in and out, files that are opened and closed, and accesses."""
    draw = random.Random(2)
    kinds = ["login", "logout", "open", "close"] + 12 * ["access"]
    with open(path, "w") as log:
        log.write("ms,event,u,f\n")
        pairs = zip(keys(draw, count, how, EVENTS), keys(draw, count, how, EVENTS))
        for ms, (u, f) in enumerate(pairs):
            kind = draw.choice(kinds)
            user = u if kind in ("login", "logout", "access") else ""
            file = f if kind in ("open", "close", "access") else ""
            log.write(f"{ms},{kind},{user},{file}\n")
    return JOIN, JOIN_SQL.format(log=path)


def timed(command):
    """What a command prints, and its processor time in seconds."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    if child.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed with status {child.returncode}")
    return text, used.ru_utime + used.ru_stime


def ours(watchword, prop, log):
    flags = ["--jobs", "1", "--history", "0", "--max-violations", "1", "--time-format", "millis"]
    flags += ["--time-field", "ms", "--format", "json", "--quiet"]
    text, seconds = timed([watchword, "replay", "-p", prop, *flags, log])
    return json.loads(text)["properties"][0]["violations"], seconds


def theirs(sql):
    code = (
        "import duckdb, sys\n"
        "db = duckdb.connect()\n"
        "db.execute('set threads = 1')\n"
        "db.execute('set enable_progress_bar = false')\n"
        "print(db.execute(sys.argv[1]).fetchone()[0])\n"
    )
    text, seconds = timed([sys.executable, "-c", code, sql])
    return int(text), seconds


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    watchword = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    lines = [
        f"# Beside DuckDB, {EVENTS:,} events, whole processes",
        "",
        "| question | keys | violations | DuckDB | Watchword | ratio |",
        "|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        log, prop = os.path.join(folder, "log.csv"), os.path.join(folder, "p.ww")
        for name, make in (("windows: count and sum", windows), ("join: user and file", joins)):
            for count in (100, 10_000, 100_000):
                for how in ("uniform", "zipf"):
                    text, sql = make(log, count, how)
                    with open(prop, "w") as file:
                        file.write(text)
                    us, them = [], []
                    for _ in range(rounds):
                        found, seconds = ours(watchword, prop, log)
                        us.append(seconds)
                        expected, seconds = theirs(sql)
                        them.append(seconds)
                        if found != expected:
                            sys.exit(f"{name}, {count} {how}: {found} found, DuckDB {expected}")
                    best, peer = min(us), min(them)
                    lines.append(
                        f"| {name} | {count:,} {how} | {found:,} | {peer:.2f} s | {best:.2f} s "
                        f"| {best / peer:.2f} |"
                    )
                    print(lines[-1], flush=True)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as file:
            file.write("\n".join(lines) + "\n")


main()
