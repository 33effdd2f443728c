#!/usr/bin/env python3
"""Lists what the binary is made of, with licences, as SPDX 2.3 in JSON.

    scripts/spdx.py > watchword.spdx.json

Every package that the command line or its JVM agent is built from is listed: those of this workspace
and those of the registry, without what only tests and build scripts of tests need. Fails if a package
says no licence.
"""

import hashlib
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILT = ["watchword", "watchword-jvm"]


def metadata():
    """What cargo knows of the packages, for the platform that packages are made for."""
    told = subprocess.run(
        [os.environ.get("CARGO", "cargo"), "metadata", "--locked", "--format-version", "1"]
        + ["--filter-platform", "x86_64-unknown-linux-gnu"],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(told.stdout)


def checksums():
    """Checksums of registry packages by name and version, as Cargo.lock has them."""
    found, package = {}, {}
    with open(os.path.join(ROOT, "Cargo.lock"), encoding="utf-8") as lock:
        for line in lock:
            key, _, value = line.strip().partition(" = ")
            if line.startswith("[[package]]"):
                package = {}
            elif key in ("name", "version", "checksum"):
                package[key] = value.strip('"')
                if key == "checksum":
                    found[package["name"], package["version"]] = package["checksum"]
    return found


def parts(known):
    """The packages that the built ones need to be built, and who needs whom."""
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    todo = [package for package in packages if packages[package]["name"] in BUILT]
    needs = {}
    while todo:
        package = todo.pop()
        if package in needs:
            continue
        wanted = nodes[package]["deps"]
        wanted = [dep for dep in wanted if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
        needs[package] = sorted(dep["pkg"] for dep in wanted)
        todo.extend(needs[package])
    return packages, needs


def spdx_id(package):
    return f"SPDXRef-{package['name']}-{package['version']}".replace("_", "-").replace("+", "-")


def main():
    packages, needs = parts(metadata())
    known_sums = checksums()
    listed, relations, silent = [], [], []
    for package in sorted((packages[name] for name in needs), key=lambda p: (p["name"], p["version"])):
        name, version = package["name"], package["version"]
        # Before SPDX expressions, alternatives were written with a slash.
        licence = (package["license"] or "").replace("/", " OR ")
        if not licence:
            silent.append(f"{name} {version}")
        ours = package["source"] is None
        entry = {
            "SPDXID": spdx_id(package),
            "name": name,
            "versionInfo": version,
            "downloadLocation": "NOASSERTION" if ours else f"https://crates.io/crates/{name}/{version}",
            "filesAnalyzed": False,
            "licenseConcluded": licence or "NOASSERTION",
            "licenseDeclared": licence or "NOASSERTION",
            "copyrightText": "NOASSERTION",
        }
        if (name, version) in known_sums:
            entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": known_sums[name, version]}]
        if not ours:
            purl = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl"}
            entry["externalRefs"] = [{**purl, "referenceLocator": f"pkg:cargo/{name}@{version}"}]
        listed.append(entry)
        for needed in needs[package["id"]]:
            relations.append((spdx_id(package), "DEPENDS_ON", spdx_id(packages[needed])))
    # It is linked, too, but no package of cargo's.
    rustc = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True)
    rust = {
        "SPDXID": "SPDXRef-rust-standard-library",
        "name": "rust-standard-library",
        "versionInfo": rustc.stdout.split()[1],
        "downloadLocation": "https://www.rust-lang.org/",
        "filesAnalyzed": False,
        "licenseConcluded": "MIT OR Apache-2.0",
        "licenseDeclared": "MIT OR Apache-2.0",
        "copyrightText": "NOASSERTION",
    }
    listed.append(rust)
    for name in BUILT:
        package = next(p for p in packages.values() if p["name"] == name)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id(package)))
        relations.append((spdx_id(package), "DEPENDS_ON", rust["SPDXID"]))
    if silent:
        sys.exit("no licence is said by " + ", ".join(silent))
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    version = next(p["version"] for p in packages.values() if p["name"] == "watchword")
    content = hashlib.sha256(json.dumps([listed, relations]).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"watchword-{version}",
        "documentNamespace": f"urn:sha256:{content}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "creators": ["Tool: scripts/spdx.py"],
        },
        "packages": listed,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in relations
        ],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
