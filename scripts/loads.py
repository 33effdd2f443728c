#!/usr/bin/env python3
"""How many JavaMOP specifications of a folder load, and why the others do not.

    scripts/loads.py WATCHWORD FOLDER [--allow-java]

Prints a table in Markdown: a row for every reason, with the number of specifications it concerns.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    watchword, folder, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    files = len(list(pathlib.Path(folder).rglob("*.mop")))
    done = subprocess.run(
        [watchword, "lint", "--format", "json", *flags, folder], capture_output=True, text=True
    )
    if not done.stdout:
        sys.exit(done.stderr)
    reasons = collections.Counter()
    dead = set()
    for said in json.loads(done.stdout)["diagnostics"]:
        found = re.match(r"`(.*?)` is not monitored: (.*)", said["message"])
        if found:
            reasons[re.sub(r"`[^`]*`", "`…`", found[2].split(" (line")[0])] += 1
        elif said["severity"] == "error":
            reasons["an error: " + said["message"]] += 1
        elif said["code"] == "WW1014":
            dead.add((said.get("file"), said["message"]))
    refused = sum(reasons.values())
    print("| specifications | number |\n|---|---|")
    print(f"| files | {files} |\n| refused | {refused} |\n| loaded | {files - refused} |")
    for reason, count in reasons.most_common():
        print(f"| refused: {reason} | {count} |")


if __name__ == "__main__":
    main()
