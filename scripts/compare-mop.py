#!/usr/bin/env python3
"""The same programs under JavaMOP's agent and under Watchword: which violations does only one of them report?

    scripts/compare-mop.py --watchword BINARY --specifications FOLDER
        --weaver aspectjweaver.jar --agent all-java-api-properties.jar --runtime CLASSES
        (--suite NAME ... | --scope PACKAGE -- JAVA ARGUMENTS)

FOLDER has the `.mop` files of JavaMOP's property database. The agent is the jar with the woven form of the same
files, which JavaMOP's repository has under `examples/agent`; CLASSES is its run time, compiled from the module
`rv-monitor-rt` of RV-Monitor. A suite is one of `bench/projects/projects.toml`; Maven resolves its class path.

Both sides monitor the classes of one package and the packages in it. A violation is a specification and a source
line; a specification that only one of the sides has is left out. Prints a row of a Markdown table per program, and
below it every violation that only one side reports.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.10.2"
# Classes with tests, as Maven's own runner finds them.
TESTS = r"^(Test.*|.+[.$]Test.*|.*Tests?|.*TestCase)$"
# Seconds. What was reported until then counts.
LONGEST = 600

# Which classes JavaMOP's aspect weaves, in place of the scope that its authors compiled into the jar.
SCOPE = """
package mop;
@org.aspectj.lang.annotation.Aspect
public class BaseAspect {
  @org.aspectj.lang.annotation.Pointcut("within(%s..*)")
  public void notwithin() {}
}
"""
WOVEN = '<aspectj><weaver options="-nowarn -Xlint:ignore"><include within="%s..*"/></weaver></aspectj>'
# The run time prints to the output that a program has when the first violation happens, which tests replace.
LOG = """
package com.runtimeverification.rvmonitor.java.rt;
public class RVMLoggingAll extends RVMLogging {
  private static final java.io.PrintStream FILE;
  static {
    try {
      FILE = new java.io.PrintStream(new java.io.FileOutputStream(System.getProperty("compare.log")), true);
    } catch (java.io.IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
  public RVMLoggingAll(java.io.PrintStream ignored) {}
  public void println(Level l) { FILE.println(); }
%s}
"""
# The run time's own class fails on frames without a source file, while the lock of all monitors is held, and
# the next event then waits for ever.
PLACES = """
package com.runtimeverification.rvmonitor.java.rt;
public class ViolationRecorder {
  private static final ViolationRecorder ONE = new ViolationRecorder();
  public static ViolationRecorder get() { return ONE; }
  public void record(String name) {}
  public static String getLineOfCode() {
    for (StackTraceElement at : new Exception().getStackTrace()) {
      String file = String.valueOf(at.getFileName()), name = at.getClassName();
      boolean own = name.startsWith("com.runtimeverification.") || name.startsWith("mop.");
      if (!own && !file.endsWith(".aj")) return at.toString();
    }
    return "(Unknown)";
  }
}
"""
KINDS = ["boolean", "char", "char[]", "double", "float", "int", "long", "Object", "String"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["watchword", "specifications", "weaver", "agent", "runtime"]:
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--suite", nargs="+", default=[])
    parser.add_argument("--without", default=[], action="append", metavar="REGEX", help="test classes to leave out")
    parser.add_argument("--scope")
    parser.add_argument("--work", type=pathlib.Path, help="keep class paths and outputs in this folder")
    parser.add_argument("java", nargs="*")
    given = parser.parse_args()
    if not given.suite and not given.scope:
        parser.error("give --suite, or --scope and the arguments of java")
    with tempfile.TemporaryDirectory() as temporary:
        work = (given.work or pathlib.Path(temporary)).resolve()
        programs = [suite(work, name, given.without) for name in given.suite]
        if given.scope:
            programs.append(("the program", given.scope, None, [], given.java))
        compare_all(given, work, programs)


def compare_all(given, work, programs):
    ours_loaded = loaded(given)
    # The jar has classes beside those of specifications.
    theirs_loaded = monitored_by(given.agent) & {path.stem for path in given.specifications.rglob("*.mop")}
    both = ours_loaded & theirs_loaded
    texts = {path.stem: path.read_text(errors="replace") for path in given.specifications.rglob("*.mop")}
    print(f"{len(both)} specifications on both sides; only Watchword: {listed(ours_loaded - theirs_loaded)}; "
          f"only JavaMOP: {listed(theirs_loaded - ours_loaded)}\n")
    print("| program | JavaMOP | Watchword | on both sides | only JavaMOP: `@fail` again | no initialiser | others "
          "| only Watchword | CPU alone | JavaMOP | Watchword |\n|" + "---|" * 11)
    for name, scope, folder, flags, arguments in programs:
        place = work / (folder or "program")
        place.mkdir(parents=True, exist_ok=True)
        alone = run(["java", *flags, *arguments], place, "alone")
        theirs, their_cpu = javamop(given, place, scope, flags, arguments)
        ours, our_cpu = watchword(given, place, scope, flags, arguments)
        theirs, ours = [{pair for pair in side if pair[0] in both} for side in (theirs, ours)]
        reasons = collections.Counter(known_reason(texts[pair[0]]) for pair in theirs - ours)
        print(f"| {name} | {len(theirs)} | {len(ours)} | {len(theirs & ours)} | {reasons['again']} "
              f"| {reasons['initialiser']} | {reasons['']} | {len(ours - theirs)} | {alone:.1f} s | {their_cpu:.1f} s | {our_cpu:.1f} s |", flush=True)
        for side, only in [("JavaMOP", theirs - ours), ("Watchword", ours - theirs)]:
            for specification, line in sorted(only):
                why = known_reason(texts[specification]) if side == "JavaMOP" else ""
                print(f"  only {side}: {specification} {line} {why}", file=sys.stderr, flush=True)


def known_reason(specification):
    """What `docs/mop.md` says why only JavaMOP reports a line: it reports a failure again at every later event
    of the same instance, and it sees classes without a static initialiser."""
    if "@fail" in specification and "__RESET" not in specification:
        return "again"
    return "initialiser" if "staticinitialization" in specification else ""


def listed(names):
    return ", ".join(sorted(names)) or "none"


def loaded(given):
    """The specifications that Watchword does not refuse."""
    files = {path.stem for path in given.specifications.rglob("*.mop")}
    done = subprocess.run([given.watchword, "lint", "--format", "json", "--allow-java", given.specifications],
                          capture_output=True, text=True)
    said = json.loads(done.stdout)["diagnostics"]
    refused = [re.match(r"`(.*?)` is not monitored", one["message"]) for one in said]
    return files - {found[1] for found in refused if found}


def monitored_by(agent):
    names = [re.fullmatch(r"mop/(.*?)(Raw)?Monitor\.class", name) for name in zipfile.ZipFile(agent).namelist()]
    return {found[1] for found in names if found}


def javamop(given, place, scope, flags, arguments):
    """The violations that JavaMOP's agent reports, and its CPU time."""
    patch, log = place / "patch", place / "javamop.txt"
    shutil.rmtree(patch, ignore_errors=True)
    (patch / "META-INF").mkdir(parents=True)
    (patch / "META-INF/aop.xml").write_text(WOVEN % scope)
    methods = "".join(f"  public void {name}(Level l, {kind} x) {{ FILE.{name}(x); }}\n"
                      for kind in KINDS for name in ["print", "println"])
    sources = {"BaseAspect": SCOPE % scope, "RVMLoggingAll": LOG % methods, "ViolationRecorder": PLACES}
    for name, text in sources.items():
        (place / f"{name}.java").write_text(text)
    subprocess.run(["javac", "-nowarn", "-d", patch, "-cp", f"{given.weaver}:{given.runtime}",
                    *[place / f"{name}.java" for name in sources]], check=True, capture_output=True)
    log.write_bytes(b"")
    before = [patch, given.agent.resolve(), given.runtime.resolve()]
    agent = [f"-javaagent:{given.weaver.resolve()}", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
             f"-Dcompare.log={log}"]
    cpu = run(["java", *agent, *flags, *in_front(arguments, before)], place, "javamop")
    text = log.read_text(errors="replace")
    return set(re.findall(r"Specification (\w+) has been violated on line .*?\(([^()]*)\)\. Documentation", text)), cpu


def in_front(arguments, jars):
    """The arguments of java with more jars at the beginning of the class path."""
    at = next(at for at, word in enumerate(arguments) if word in ("-cp", "-classpath", "--class-path")) + 1
    return [*arguments[:at], os.pathsep.join([*map(str, jars), arguments[at]]), *arguments[at + 1:]]


def watchword(given, place, scope, flags, arguments):
    """The violations that Watchword reports, and its CPU time."""
    report = place / "watchword.json"
    report.unlink(missing_ok=True)
    command = [given.watchword.resolve(), "java", "-q", "--allow-java", "-p", given.specifications.resolve(),
               "--scope", f"{scope}.*", "--max-violations", "1000000", "--report", report, "--"]
    cpu = run([*command, *flags, *arguments], place, "watchword")
    violations = json.loads(report.read_text())["violations"]
    # At the end of the program JavaMOP has no line.
    place_of = lambda one: "Unknown" if one["cause"] == "end" else line_of(one.get("location"))
    return {(one["property"], place_of(one)) for one in violations}, cpu


def line_of(location):
    """A place as Java prints it in stack traces."""
    if not location:
        return "Unknown"
    return f"{location['file']}:{location['line']}" if location.get("line") else location["file"]


def run(command, place, name):
    """Runs a command to its end, its output into files, and returns its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(place / f"{name}.out", "wb") as out, open(place / f"{name}.err", "wb") as err:
        process = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            process.wait(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            print(f"  {name} was ended after {LONGEST} s", file=sys.stderr, flush=True)
            # Told to end, Watchword has its JVM end and writes its report.
            process.terminate()
            process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def suite(work, name, left_out):
    """A suite of tests: its name, the package of its classes, its folder, flags and arguments for java."""
    suites = tomllib.loads((ROOT / "bench/projects/projects.toml").read_text())["suite"]
    found = next((one for one in suites if one["name"].split()[0] == name), None)
    if found is None:
        sys.exit(f"there is no suite `{name}` in bench/projects/projects.toml")
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    jars = class_path(folder, [*found["needs"], found["tests"]])
    tests_name = "-".join(found["tests"].split(":")[1:]) + ".jar"
    tests = next(jar for jar in jars if pathlib.Path(jar).name == tests_name)
    classes = folder / "target/test-classes"
    if not classes.exists():
        zipfile.ZipFile(tests).extractall(classes)
        (folder / "src/test").mkdir(parents=True)
        (folder / "src/test/resources").symlink_to("../../target/test-classes")
    # The console has its own JUnit 5.
    jars = [jar for jar in jars if jar != tests and not re.search("/org/junit/(jupiter|platform|vintage)/", jar)]
    (work / "console").mkdir(exist_ok=True)
    path = [str(classes), *class_path(work / "console", [CONSOLE]), *jars]
    packages = found.get("packages", [])
    chosen = [word for package in packages for word in ("--select-package", package)]
    without = [word for expression in [*found.get("without", []), *left_out] for word in ("--exclude-classname", expression)]
    arguments = ["-Xmx1g", "-Djava.awt.headless=true", "-cp", os.pathsep.join(path),
                 "org.junit.platform.console.ConsoleLauncher", "execute",
                 *(chosen or ["--scan-classpath", str(classes)]), *without,
                 "--include-classname", TESTS, "--details", "none", "--disable-banner"]
    return found["name"], package_of(classes), name, found.get("jvm", []), arguments


def package_of(classes):
    """The package that all classes of a folder are in."""
    packages = {path.parent.relative_to(classes).parts for path in classes.rglob("*.class")}
    return ".".join(os.path.commonprefix(sorted(packages)))


def class_path(folder, artifacts):
    """The jars of artifacts and of what they depend on."""
    answer = folder / "path.txt"
    if not answer.exists():
        (folder / "pom.xml").write_text(pom(artifacts))
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath"
        subprocess.run(["mvn", "--batch-mode", "--quiet", goal, "-Dmdep.outputFile=path.txt"],
                       cwd=folder, check=True)
    return answer.read_text().strip().split(os.pathsep)


def pom(artifacts):
    tags = ["groupId", "artifactId", "version", "classifier"]
    dependencies = ["".join(f"<{tag}>{part}</{tag}>" for tag, part in zip(tags, artifact.split(":")))
                    for artifact in artifacts]
    inside = "".join(f"<dependency>{one}</dependency>" for one in dependencies)
    return ("<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>"
            f"<version>1</version><packaging>pom</packaging><dependencies>{inside}</dependencies></project>")


if __name__ == "__main__":
    main()
