#!/usr/bin/env python3
"""What scripts/flink-cluster.sh needs besides a shell: traces, questions to the cluster, a comparison."""

import collections
import glob
import json
import os
import random
import sys
import time
import urllib.request

PROPERTIES = """
event request(id: int)
event reply(id: int)
event create(c: int, i: int)
event update(c: int)
event next(i: int)

property Reply(id) {
  start state Idle { on request(id) -> Waiting }
  pending state Waiting within 5 s else Late { on reply(id) -> Idle }
  bad state Late
}

property Safe(c, i) {
  start state New { on create(c, i) -> Made }
  state Made { on update(c) -> Stale }
  state Stale { on next(i) -> Used }
  bad state Used
}

property Beat {
  start state Up within 40 s else Down { on request(_) -> Up }
  bad state Down { on request(_) -> Up }
}
"""


def traces(events, work):
    """Three traces whose times are up to 50 ms out of order; no two events have the same time."""
    with open(f"{work}/all.ww", "w") as file:
        file.write(PROPERTIES)
    for part in range(3):
        rng = random.Random(part)
        now = 10**12
        with open(f"{work}/logs/{part}.jsonl", "w") as file:
            for number in range(events):
                now += 41 * 10**9 if rng.randrange(2000) == 0 else 10**6 + rng.randrange(4 * 10**6)
                at = (now - rng.randrange(5 * 10**7)) // 10**6 * 10**6 + number % 10000 * 3 + part
                kind = rng.randrange(100)
                if kind < 30:
                    event, args = "request", str(rng.randrange(400))
                elif kind < 75:
                    event, args = "reply", str(rng.randrange(400))
                elif kind < 85:
                    event, args = "create", f"{rng.randrange(60)},{number}"
                elif kind < 88:
                    event, args = "update", str(rng.randrange(60))
                else:
                    event, args = "next", str(max(0, number - rng.randrange(60)))
                seconds, rest = divmod(at, 10**9)
                file.write(f'{{"event":"{event}","args":[{args}],"time":{seconds}.{rest:09}}}\n')


def get(path):
    with urllib.request.urlopen(f"http://127.0.0.1:18081/{path}", timeout=10) as answer:
        return json.load(answer)


def await_managers(wanted):
    for _ in range(240):
        try:
            if len(get("taskmanagers")["taskmanagers"]) >= wanted:
                return
        except OSError:
            pass
        time.sleep(0.5)
    sys.exit(f"there are no {wanted} task managers")


def ask(what, job):
    if what == "state":
        print(get(f"jobs/{job}")["state"])
    else:
        print(get(f"jobs/{job}/checkpoints").get("counts", {}).get("completed", 0))


def verdicts(files):
    counts = collections.Counter()
    for name in files:
        with open(name) as file:
            for line in file:
                found = json.loads(line)
                found["time"] = found.pop("first", {}).get("time")
                place = found.pop("location", {})
                found["location"] = [os.path.basename(place.get("file", "")), place.get("line")]
                keys = ["property", "message", "binding", "state", "cause", "time", "location"]
                counts[json.dumps([found.get(key) for key in keys])] += 1
    return counts


def finished(folder):
    """The finished files of a sink."""
    names = glob.glob(f"{folder}/**/*", recursive=True)
    return [name for name in names if os.path.isfile(name) and "inprogress" not in name]


def compare(work):
    expected = verdicts([f"{work}/alerts"])
    found = verdicts(finished(f"{work}/found/violations"))
    late = sum(len(open(name).readlines()) for name in finished(f"{work}/found/late"))
    missing, more = expected - found, found - expected
    print(f"{sum(expected.values())} violations by replay, {sum(found.values())} by the job, {late} late events")
    for what, some in [("missing", missing), ("too many", more)]:
        for line, count in some.most_common(3):
            print(f"{what}, {count} times: {line}")
    if missing or more or late or not expected:
        sys.exit(1)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["traces", events, work]:
            traces(int(events), work)
        case ["await", wanted]:
            await_managers(int(wanted))
        case ["ask", what, job]:
            ask(what, job)
        case ["compare", work]:
            compare(work)
        case _:
            sys.exit(__doc__)
