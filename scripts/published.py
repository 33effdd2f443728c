#!/usr/bin/env python3
"""Which published verdicts of TOPL and Infer are right, and which scripts of LARVA load.

    scripts/published.py WATCHWORD [--topl CHECKOUT] [--infer CHECKOUT] [--larva CHECKOUT]

The checkouts are of the repositories that publish the files; nothing of them is kept. The tests of TOPL's checker are
programs with the properties that they break. Infer's tests are methods, and it says of each whether some run of it
breaks a property: a driver calls each method once, with values made by reflection, in a JVM of its own. Tests that
Infer does not run itself are left out, and issues that it calls latent, which depend on the caller.

Prints tables in Markdown, and names the cases that are not right.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

# Calls one method with made values, as code that nobody monitors.
DRIVER = """
import java.lang.reflect.*;
import java.util.*;
public class PublishedDriver {
  public static void main(String[] args) throws Throwable {
    for (Method m : Class.forName(args[0]).getDeclaredMethods()) {
      if (!m.toString().contains(args[1])) continue;
      m.setAccessible(true);
      Object on = Modifier.isStatic(m.getModifiers()) ? null : make(m.getDeclaringClass(), 0);
      Object[] values = new Object[m.getParameterCount()];
      for (int i = 0; i < values.length; i++) values[i] = make(m.getParameterTypes()[i], 0);
      try { m.invoke(on, values); } catch (InvocationTargetException e) { }
      return;
    }
    throw new IllegalArgumentException(args[1]);
  }
  static Object make(Class<?> c, int depth) throws Exception {
    if (c == void.class) return null;
    if (Modifier.isAbstract(c.getModifiers()) && !c.isInterface() && !c.isPrimitive() && !c.isArray())
      try { c = Class.forName("Made" + c.getName()); } catch (ClassNotFoundException e) { return null; }
    if (c == boolean.class) return true;
    if (c.isPrimitive()) return Array.get(Array.newInstance(c, 1), 0);
    if (c.isArray()) return Array.newInstance(c.getComponentType(), 4);
    if (c == String.class) return "text";
    if (c == ArrayList.class || c == List.class || c == Collection.class)
      return new ArrayList<>(List.of(1, 2, 3, 4));
    if (c == Map.class) return new HashMap<>(Map.of(1, 2));
    if (c == java.io.PrintWriter.class) return new java.io.PrintWriter(new java.io.StringWriter());
    if (c.isInterface())
      return Proxy.newProxyInstance(c.getClassLoader(), new Class<?>[] {c},
          (p, m, a) -> m.getName().equals("hashCode") ? 1 : m.getName().equals("equals") ? p == a[0]
              : make(m.getReturnType(), depth + 1));
    for (Constructor<?> k : c.getDeclaredConstructors()) {
      if (depth > 3 || Modifier.isAbstract(c.getModifiers())) break;
      k.setAccessible(true);
      Object[] values = new Object[k.getParameterCount()];
      for (int i = 0; i < values.length; i++) values[i] = make(k.getParameterTypes()[i], depth + 1);
      return k.newInstance(values);
    }
    return null;
  }
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("watchword", type=lambda text: pathlib.Path(text).resolve())
    for name in ["topl", "infer", "larva"]:
        parser.add_argument(f"--{name}", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        for name, measure in [("TOPL", topl), ("Infer", infer)]:
            checkout = getattr(given, name.lower())
            if checkout:
                verdicts(name, list(measure(given.watchword, checkout.resolve(), place)))
    if given.larva:
        larva(given.watchword, given.larva)


def verdicts(name, cases):
    """Prints a table: by folder, how many verdicts are right. A case: folder, what, expected, found."""
    print(f"\n| {name}: tests in | verdicts | right |\n|---|---|---|")
    by_folder = collections.defaultdict(list)
    for folder, what, expected, found in cases:
        by_folder[folder].append((what, expected, found))
    for folder, all_of_it in by_folder.items():
        right = sum(expected == found for _, expected, found in all_of_it)
        print(f"| {folder} | {len(all_of_it)} | {right} |")
    print(f"| all | {len(cases)} | {sum(case[2] == case[3] for case in cases)} |\n")
    for folder, what, expected, found in cases:
        if expected != found:
            print(f"- {folder}: {what}: published {expected}, here {found}")


def topl(watchword, checkout, place):
    for good in sorted(checkout.glob("tests/*/good.err")):
        test = good.parent
        properties = test / "prop.topl"
        # The tests named after Infer are for the part of TOPL that ran without the program.
        if not properties.exists() or test.name.startswith("infer"):
            continue
        text = properties.read_text()
        said = {}
        for block in re.split(r"^(?=property\b)", text, flags=re.M):
            if name := re.match(r"property\s+(\w+)", block):
                message = re.search(r'message\s+"(.*?)"', block)
                said[message[1] if message else name[1]] = name[1]
        expected = {said.get(line) for line in re.findall(r"^TOPL: (.*)$", good.read_text(), re.M)}
        # `Config.java` belongs to the checker.
        sources = [source for source in test.glob("*.java") if source.name != "Config.java"]
        if any("topl." in source.read_text() for source in sources):
            print(f"- {test.name}: left out, its program calls the checker")
            continue
        classes = compile_java(place / test.name, sources, [])
        found = violated(watchword, place, ["-p", properties, "--lang", "topl", "--events", "callee"],
                         ["-cp", classes, "Main"])
        for name in said.values():
            yield test.name, name, name in expected, name in found if found is not None else "not read"


def infer(watchword, checkout, place):
    folder = checkout / "infer/tests/codetoanalyze/java/topl"
    makefile = (folder / "Makefile").read_text().replace("\\\n", " ")
    for name in re.search(r"^SUBDIRS *=(.*)$", makefile, re.M)[1].split():
        test = folder / name
        issues = test / "issues.exp"
        jars = [str(jar) for jar in test.glob("*.jar")]
        sources = sorted(test.glob("*.java"))
        driver = place / "PublishedDriver.java"
        driver.write_text(DRIVER)
        classes = compile_java(place / test.name, [*sources, driver], jars)
        made = [text for text in map(concrete, sorted(classes.glob("*.class"))) if text]
        if made:
            driver.with_name("Made.java").write_text("\n".join(made))
            compile_java(classes, [driver.with_name("Made.java")], [str(classes)])
        path = ":".join([str(classes), *jars])
        found = re.findall(r", (\S+\(.*?\):\S+), \d+, (TOPL_\w+)", issues.read_text())
        wrong = {name for name, kind in found if kind == "TOPL_ERROR"}
        latent = {name for name, _ in found} - wrong
        for name, listed in methods(classes, wrong, latent):
            owner, rest = name.split("(")[0].rsplit(".", 1)[0], name.split(":")[0]
            simple = rest[len(owner) + 1:].replace(", ", ",")
            properties = next(test.glob("*.topl"))
            found = violated(watchword, place, ["-p", properties, "--lang", "infer"],
                             ["-cp", path, "PublishedDriver", owner, "." + simple])
            yield test.name, f"{owner}.{simple}", listed, bool(found) if found is not None else "not read"


def concrete(compiled):
    """A class that can be made below an abstract one; nothing for others."""
    shown = subprocess.run(["javap", "-p", compiled], capture_output=True, text=True).stdout
    abstract = re.search(r"^(?:public )?abstract class (\w+)", shown, re.M)
    if not abstract:
        return None
    value = lambda ty: {"void": "", "java.lang.String": 'return "text";'}.get(ty, "return new Object();")
    bodies = [f"  {ty} {name}({', '.join(f'{one} a{at}' for at, one in enumerate(filter(None, given.split(', '))))}) "
              f"{{ {value(ty)} }}"
              for ty, name, given in re.findall(r"abstract (\S+) (\w+)\((.*?)\);", shown)]
    return f"class Made{abstract[1]} extends {abstract[1]} {{\n" + "\n".join(bodies) + "\n}"


def methods(classes, wrong, latent):
    """The methods that are named as tests or have an issue, and whether they have one."""
    names = set(wrong)
    simple = lambda name: name.split("(")[0]
    for compiled in sorted(classes.rglob("*.class")):
        shown = subprocess.run(["javap", "-p", compiled], capture_output=True, text=True).stdout
        owner = re.search(r"(?:class|interface) ([\w.$]+)", shown)[1]
        for line in shown.splitlines():
            if found := re.search(r"(\w*(?:Ok|Bad|Ok\d|OK|_FP|_FN))\(([^)]*)\)", line):
                name = f"{owner}.{found[1]}({found[2].replace(', ', ',')})"
                if not any(simple(known) == simple(name) for known in names | latent):
                    names.add(name + ":")
    for name in sorted(names):
        yield name, name in wrong


def compile_java(folder, sources, jars):
    folder.mkdir(exist_ok=True)
    command = ["javac", "-nowarn", "-g", "-d", folder, *(["-cp", ":".join(jars)] if jars else []), *sources]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def violated(watchword, place, flags, program):
    """The properties that a run breaks; `None` if they are not read."""
    report = place / "report.json"
    report.unlink(missing_ok=True)
    subprocess.run([watchword, "java", "-q", *flags, "--report", report, "--", *program],
                   capture_output=True, cwd=place, timeout=300)
    if not report.exists():
        return None
    return {one["property"] for one in json.loads(report.read_text())["violations"]}


def larva(watchword, checkout):
    seen, reasons, loaded = set(), collections.Counter(), 0
    for script in sorted(checkout.rglob("*.lrv")):
        text = script.read_bytes()
        if text in seen:
            continue
        seen.add(text)
        done = subprocess.run([watchword, "lint", "--format", "json", "--lang", "larva", script],
                              capture_output=True, text=True)
        errors = [one for one in json.loads(done.stdout)["diagnostics"] if one["severity"] == "error"]
        loaded += not errors
        if errors:
            first = errors[0]
            print(f"- {script.relative_to(checkout)}:{first.get('line', '?')}: {first['code']}: {first['message']}")
            reasons[re.sub(r"`[^`]*`", "`…`", first["message"])] += 1
    print(f"\n| scripts of LARVA | number |\n|---|---|\n| different files | {len(seen)} |\n| loaded | {loaded} |")
    for reason, count in reasons.most_common():
        print(f"| refused: {reason} | {count} |")


if __name__ == "__main__":
    main()
