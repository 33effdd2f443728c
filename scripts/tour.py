#!/usr/bin/env python3
"""Types what a page of the documentation says, in a root of another system, and compares what comes out.

    scripts/tour.py ROOT [PAGE]

ROOT is a folder with a system in it in which Watchword is installed (made by debootstrap, for instance);
PAGE is README.md if nothing else is said. Every `sh` block that is marked as tested is run there by bash,
in one new folder below /root, and must print the `text` block behind it, in which `…` stands for anything. Blocks
that need a program which is not there are left out and named. Needs an administrator's rights.
"""

import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Where packages put the examples that pages speak of; an archive is unpacked below /usr/local.
EXAMPLES = ["/usr/share/doc/watchword/examples", "/usr/local/share/doc/watchword/examples"]


def blocks(text):
    """The fenced blocks: language, text, and the programs that a tested one needs (else None)."""
    found, needs, language, lines = [], None, None, []
    for line in text.splitlines():
        if language is not None:
            if line.startswith("```"):
                found.append((language, "\n".join(lines) + "\n", needs))
                language, needs, lines = None, None, []
            else:
                lines.append(line)
        elif line.startswith("```"):
            language = line[3:]
        elif match := re.fullmatch(r"<!-- tested:?(.*) -->", line.strip()):
            needs = match[1].split()
        elif line.startswith("<!--"):
            needs = None
    return found


def is_like(printed, want):
    """Whether a text is as a page shows it: `…` is any part of a line, and alone on a line any lines."""
    pattern = ""
    for line in want.strip().splitlines():
        if line == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, printed.strip() + "\n") is not None


def main():
    """Runs the page; the status is 1 if something differs."""
    root = os.path.abspath(sys.argv[1])
    page = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "README.md")

    def run(script):
        there = ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/root", "LANG=C.UTF-8"]
        told = subprocess.run(
            ["chroot", root, "/usr/bin/env", "-i", *there, "/bin/bash", "-c", f"exec 2>&1\n{script}"],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return told.returncode, told.stdout.decode(errors="replace")

    begun = time.monotonic()
    examples = next((at for at in EXAMPLES if os.path.isdir(root + at)), None)
    if examples is None:
        sys.exit(f"tour: {root} has no examples of Watchword: is it installed there?")
    place = f"/root/tour-{os.getpid()}"
    status, told = run(f"set -e; mkdir {place}; cp -r {examples} {place}/examples; command -v watchword")
    if status != 0:
        sys.exit(f"tour: {root}: {told}")
    with open(page, encoding="utf-8") as file:
        parts = blocks(file.read())
    ran, wrong, left_out = 0, 0, []
    for i, (language, text, needs) in enumerate(parts):
        if language != "sh" or needs is None:
            continue
        missing = [tool for tool in needs if run(f"command -v {tool}")[0] != 0]
        if missing:
            left_out += missing
            continue
        status, printed = run(f"cd {place}\n{text}")
        after = parts[i + 1] if i + 1 < len(parts) else None
        is_right = is_like(printed, after[1]) if after and after[0] == "text" else status == 0
        if not is_right:
            wrong += 1
            print(f"tour: this\n{text}printed\n{printed}", file=sys.stderr)
        ran += 1
    run(f"rm -r {place}")
    took = time.monotonic() - begun
    print(
        f"tour: {os.path.basename(page)} in {root}: {ran} blocks, {wrong} wrong, {took:.0f} s"
        + (f"; left out: no {', '.join(left_out)}" if left_out else ""),
        file=sys.stderr,
    )
    sys.exit(1 if wrong or not ran else 0)


if __name__ == "__main__":
    main()
