#!/usr/bin/env python3
"""Which temporal policies of the test corpus of `dogwood-language` Watchword expresses, and with which verdicts.

    scripts/dogwood.py WATCHWORD FOLDER [--show CASE]

FOLDER has a folder for every case: policies (`policy_N.dw`), traces (`trace_N.log`) and the expected decisions
(`expected_N.out`). For every action that a trace asks a decision of, the policies become two properties: one that
every allowed request violates, one that every denied request violates. A formula of a policy becomes one formula;
the fields of the request that it compares earlier events with become parameters. Every trace becomes JSON Lines.
A case is *equal* if Watchword reports every request of every trace by exactly one of both properties, and by the
one that is expected. Prints a table in Markdown, with a row for every reason why a case is not expressed.
--show prints the properties of a case instead, its expected decisions and what Watchword reports.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'''\s+|//[^\n]*|(?P<str>"(?:\\.|[^"\\])*")|(?P<num>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)
  |(?P<sigil>[?$][A-Za-z_]\w*)|(?P<op>::|&&|\|\||==|!=|<=|>=|[-+*(){}\[\],;:.<>!@%=?|&])''', re.X)


class Refused(Exception):
    """Why something is not expressed."""


def tokens(text):
    at, out = 0, []
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise Refused("lex " + text[at:at + 20])
        if m.lastgroup:
            out.append((m.lastgroup, m.group()))
        at = m.end()
    out.append(("end", ""))
    return out

# Units of time in seconds.
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Parser:
    """Policies, with their macros, as trees of tuples whose first element says what they are."""

    def __init__(self, text):
        self.t = tokens(text)
        self.i = 0
        self.defs = {}

    def peek(self, k=0):
        return self.t[min(self.i + k, len(self.t) - 1)][1]

    def kind(self, k=0):
        return self.t[min(self.i + k, len(self.t) - 1)][0]

    def take(self):
        v = self.t[self.i]
        self.i += 1
        return v[1]

    def got(self, v):
        if self.peek() == v and self.kind() != "str":
            self.i += 1
            return True
        return False

    def want(self, v):
        if not self.got(v):
            raise Refused(f'want {v} got {self.peek()} near {[x[1] for x in self.t[max(0, self.i - 8):self.i + 5]]}')

    def file(self):
        policies = []
        while self.kind() != "end":
            if self.peek() == "def":
                self.definition()
                continue
            while self.got("@"):
                self.take()
                if self.got("("):
                    self.take()
                    self.want(")")
            policies.append(self.policy())
        return policies

    def definition(self):
        self.take()
        dialect = self.take()
        name = self.take()
        self.want("(")
        params = []
        while not self.got(")"):
            params.append(self.take()[1:])
            self.got(",")
        self.want("{")
        depth = 1
        first = self.i
        while depth:
            v = self.take()
            if self.t[self.i - 1][0] != "str":
                depth += (v == "{") - (v == "}")
        body = self.t[first:self.i - 1]
        self.want(";")
        self.defs[name] = (dialect, params, body)

    def policy(self):
        effect = self.take()
        self.want("(")
        scope = {}
        for _ in range(3):
            var = self.take()
            if self.got("is"):
                scope[var] = ("is", self.path(), None)
                if self.got("in"):
                    scope[var] = ("is", scope[var][1], self.cedar_add())
            elif self.peek() in ("==", "in"):
                op = self.take()
                scope[var] = (op, self.cedar_add())
            self.got(",")
        self.want(")")
        conds = []
        while not self.got(";"):
            word = self.take()
            if self.got("temporal"):
                self.want("{")
                c = ("temporal", self.condition())
                self.want("}")
            elif self.got("guardrails"):
                self.want("{")
                c = ("cedar", self.cedar())
                self.want("}")
            else:
                self.want("{")
                c = ("cedar", self.cedar())
                self.want("}")
            conds.append((word, c))
        return (effect, scope, conds)

    def path(self):
        p = self.take()
        while self.got("::"):
            p += "::" + self.take()
        return p

    def cedar(self):
        if self.got("if"):
            a = self.cedar()
            self.want("then")
            b = self.cedar()
            self.want("else")
            return ("if", a, b, self.cedar())
        e = self.cedar_and()
        while self.got("||"):
            e = ("or", e, self.cedar_and())
        return e

    def cedar_and(self):
        e = self.cedar_rel()
        while self.got("&&"):
            e = ("and", e, self.cedar_rel())
        return e

    def cedar_rel(self):
        e = self.cedar_add()
        if self.kind() == "op" and self.peek() in ("==", "!=", "<", "<=", ">", ">="):
            op = self.take()
            return ("cmp", op, e, self.cedar_add())
        if self.peek() in ("in", "has", "like", "is") and self.kind() == "name":
            op = self.take()
            if op == "is":
                return ("is", e, self.path())
            return (op, e, self.cedar_add())
        return e

    def cedar_add(self):
        e = self.cedar_mul()
        while self.kind() == "op" and self.peek() in "+-":
            e = ("arith", self.take(), e, self.cedar_mul())
        return e

    def cedar_mul(self):
        e = self.cedar_unary()
        while self.kind() == "op" and self.peek() == "*":
            e = ("arith", self.take(), e, self.cedar_unary())
        return e

    def cedar_unary(self):
        if self.got("!"):
            return ("not", self.cedar_unary())
        if self.got("-"):
            return ("neg", self.cedar_unary())
        e = self.cedar_primary()
        while True:
            if self.got("."):
                f = self.take()
                if self.got("("):
                    e = ("method", e, f, self.cedar_list(")"))
                else:
                    e = ("field", e, f)
            elif self.got("["):
                e = ("field", e, lit(self.take()))
                self.want("]")
            else:
                return e

    def cedar_list(self, close):
        out = []
        while not self.got(close):
            out.append(self.cedar())
            self.got(",")
        return out

    def cedar_primary(self):
        k, v = self.t[self.i]
        if v == "temporal" and self.peek(1) == "{":
            self.i += 2
            c = self.condition()
            self.want("}")
            return ("temporal", c)
        if self.got("("):
            e = self.cedar()
            self.want(")")
            return e
        if self.got("["):
            return ("set", self.cedar_list("]"))
        if self.got("{"):
            rec = {}
            while not self.got("}"):
                n = self.take()
                self.want(":")
                rec[n] = self.cedar()
                self.got(",")
            return ("record", rec)
        self.i += 1
        if k == "str":
            return ("const", lit(v))
        if k == "num":
            return ("const", int(v))
        if v in ("true", "false"):
            return ("const", v == "true")
        if k == "sigil":
            return ("sigil", v[1:])
        if k == "name":
            while self.got("::"):
                if self.kind() == "str":
                    return ("entity", v + "::" + self.take())
                v += "::" + self.take()
            if self.got("("):
                return ("call", v, self.cedar_list(")"))
            return ("var", v)
        raise Refused("cedar primary " + v)

    def condition(self):
        e = self.since()
        while self.got("&&"):
            e = ("and", e, self.since())
        return e

    def since(self):
        n = 0
        while self.got("!"):
            n += 1
        e = self.conjunct()
        if n % 2:
            e = ("not", e)
        if self.got("since"):
            w = self.within()
            e = ("since", w, e, self.atom())
        return e

    def within(self):
        self.want("within")
        return self.interval()

    def interval(self):
        if self.kind() == "sigil":
            return self.take()
        neg = self.got("-")
        n = int(self.take())
        u = self.take()
        return (-n if neg else n) * UNITS[u]

    def try_(self, f):
        at = self.i
        try:
            return f()
        except (Refused, IndexError, KeyError, ValueError):
            self.i = at
            return None

    def comparison(self):
        a = self.arith()
        if self.kind() != "op" or self.peek() not in ("==", "!=", "<", "<=", ">", ">="):
            raise Refused("no comparison")
        op = self.take()
        return ("cmp", op, a, self.arith())

    def conjunct(self):
        c = self.try_(self.comparison)
        if c:
            return c
        if self.got("("):
            c = self.condition()
            self.want(")")
            return c
        if self.got("formerly"):
            w = self.within()
            return ("formerly", w, self.atom())
        if self.got("previous"):
            w = self.within()
            return ("previous", w, self.atom())
        if self.got("exists"):
            b = self.binder()
            self.want(".")
            return ("exists", b, self.condition())
        return self.plain()

    def plain(self):
        if self.peek() == "tp" and self.peek(1) == "(":
            self.i += 2
            v = self.take()
            self.want(")")
            return ("tp", v)
        if self.kind() == "name" and self.peek(1) == "(":
            return self.macro()
        if self.kind() == "sigil":
            e = ("sigil", self.take()[1:])
        else:
            e = self.predicate()
        while self.got("{"):
            e = ("refine", e, self.fields())
        return e

    def macro(self):
        name = self.take()
        self.want("(")
        args = []
        while not self.got(")"):
            if self.kind() == "num" and self.kind(1) == "name":
                args.append(("interval", self.interval()))
            else:
                at = self.i
                c = self.try_(lambda: self.end_arg(self.condition))
                if c is None:
                    c = self.end_arg(self.term)
                args.append(c)
            self.got(",")
        return ("macro", name, args)

    def end_arg(self, f):
        e = f()
        if self.peek() not in (",", ")"):
            raise Refused("arg")
        return e

    def predicate(self):
        p = self.take()
        if self.kind(-1) != "name":
            raise Refused("predicate " + p)
        while self.got("::"):
            if self.kind() == "str":
                action = p + "::" + lit(self.take())
                self.want("::")
                kind = self.take()
                self.want("{")
                return ("event", action, kind, self.fields())
            p += "::" + self.take()
        raise Refused("predicate " + p)

    def fields(self):
        out = []
        while not self.got("}"):
            f = self.take()
            while self.got("."):
                f += "." + self.take()
            self.want(":")
            out.append((f, self.term()))
            self.got(",")
        return out

    def atom(self):
        c = self.try_(lambda: self.paren())
        if c:
            return c
        c = self.try_(self.plain)
        if c:
            return c
        return self.comparison()

    def paren(self):
        self.want("(")
        c = self.condition()
        self.want(")")
        return c

    def binder(self):
        self.want("(")
        n = self.take()
        self.want(":")
        t = self.path()
        self.want(")")
        return (n, t)

    def binders(self):
        self.want("for")
        out = [self.binder()]
        while self.got(","):
            out.append(self.binder())
        self.want(".")
        self.want("where")
        return out

    def ends(self, f):
        e = f()
        if self.kind() != "end":
            raise Refused("more than one value")
        return e

    def arith(self):
        e = self.arith_mul()
        while self.kind() == "op" and self.peek() in ("+", "-"):
            e = ("arith", self.take(), e, self.arith_mul())
        return e

    def arith_mul(self):
        e = self.term()
        while self.kind() == "op" and self.peek() == "*":
            self.take()
            e = ("arith", "*", e, self.term())
        return e

    def term(self):
        k, v = self.t[self.i]
        if k == "str":
            self.i += 1
            return ("const", lit(v))
        if k == "num":
            self.i += 1
            return ("const", int(v))
        if v == "-" and self.kind(1) == "num":
            self.i += 2
            return ("const", -int(self.t[self.i - 1][1]))
        if self.got("["):
            out = []
            while not self.got("]"):
                out.append(self.term())
                self.got(",")
            return ("set", out)
        if self.got("("):
            e = self.arith()
            self.want(")")
            return e
        if v == "count" and self.peek(1) == "for" or (v == "sum" and self.peek(2) == "for"):
            self.i += 1
            s = self.take() if v == "sum" else None
            b = self.binders()
            return (v, s, b, self.condition())
        if v == "*":
            self.i += 1
            return ("any",)
        if k == "sigil":
            self.i += 1
            return ("sigil", v[1:])
        if k != "name":
            raise Refused("term " + v)
        self.i += 1
        if v in ("true", "false"):
            return ("const", v == "true")
        if v == "_":
            return ("any",)
        if v == "decimal" and self.got("("):
            s = lit(self.take())
            self.want(")")
            return ("decimal", s)
        while self.got("::"):
            if self.kind() == "str":
                return ("entity", v + "::" + self.take())
            v += "::" + self.take()
        if self.got("("):
            self.i -= 2
            return self.macro()
        if v in ("context", "principal", "resource"):
            p = v
            while self.got("."):
                p += "." + self.take()
            return ("ctx", p)
        return ("var", v)


ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def lit(quoted):
    """The text between quotes."""
    def one(found):
        code = found[1]
        if code[0] in "xu":
            return chr(int(code[1:].strip("{}").replace("_", ""), 16))
        return ESCAPES.get(code, code)
    return re.sub(r"\\(u\{[0-9a-fA-F_]*\}|x[0-9a-fA-F]{2}|.)", one, quoted[1:-1])


def entity(text):
    """An entity as a text that no string of a trace is."""
    kind, name = re.match(r'(.*?)::(".*")$', text, re.S).groups()
    return f"entity {kind} {lit(name)}"


def decimal(text):
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, part = digits.partition(".")
    text = f"{int(whole)}.{part.rstrip('0')}"
    return f"decimal {sign if text != '0.' else ''}{text}"


# Traces


class Values(Parser):
    """Reads the lines of a trace."""

    def value(self):
        kind, text = self.t[self.i]
        self.i += 1
        if kind == "str":
            return lit(text)
        if text == "-":
            found = self.value()
            return decimal("-" + found[8:]) if isinstance(found, str) else -found
        if kind == "num":
            return decimal(text) if "." in text else int(text)
        if text == "[":
            return self.all("]", self.value)
        if text == "{":
            return dict(self.all("}", self.entry))
        if kind != "name":
            raise Refused(f"value {text}")
        if text in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[text]
        while self.got("::"):
            if self.kind() == "str":
                return entity(text + "::" + self.take())
            text += "::" + self.take()
        raise Refused(f"value {text}")

    def entry(self):
        name = lit(self.take()) if self.kind() == "str" else self.take()
        self.want(":")
        return name, self.value()

    def known(self):
        name = self.value()
        self.want(":")
        self.want("{")
        attributes = dict(self.all("}", self.entry))
        parents = []
        if self.got("in"):
            self.want("[")
            parents = self.all("]", self.value)
        return name, (attributes, parents)

    def all(self, close, one):
        found = []
        while not self.got(close):
            found.append(one())
            self.got(",")
        return found

    def fields(self):
        self.want("(")
        return dict(self.all(")", self.entry))

    def event(self):
        event = {"scope": {}, "entities": {}, "context": {}}
        while self.peek() in ("scope", "entities", "request_context") and self.peek(1) == "(":
            word = self.take()
            if word == "entities":
                self.want("(")
                event["entities"] = dict(self.all(")", self.known))
            else:
                event["scope" if word == "scope" else "context"] = self.fields()
        name = self.take()
        while True:
            self.want("::")
            if self.kind() == "str":
                break
            name += "::" + self.take()
        event["action"] = name + "::" + lit(self.take())
        self.want("::")
        event["kind"] = self.take()
        event["fields"] = self.fields()
        return event


def flat(fields, prefix=""):
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        elif value is not None:
            yield prefix + name, value


def read_trace(text):
    events = []
    for line in text.removeprefix("\ufeff").splitlines():
        if not line.strip():
            continue
        time, rest = line.strip().split(None, 1)
        events.append((int(time[1:]), Values(rest).event()))
    return events


# Policies


def subst(e, f):
    """Replaces what `f` has a replacement for, from outside to inside."""
    if isinstance(e, list):
        return [subst(x, f) for x in e]
    if not isinstance(e, tuple):
        return e
    new = f(e)
    return new if new is not None else tuple(subst(x, f) for x in e)


class Macros:
    def __init__(self, defs):
        self.defs = defs
        self.fresh = 0

    def expand(self, e):
        def one(e):
            if e[:1] == ("refine",) and len(e) == 3:
                base = self.expand(e[1])
                if base[0] != "event":
                    raise Refused("fields added to what is no event")
                return ("event", base[1], base[2], base[3] + self.expand(e[2]))
            if e[:1] == ("macro",) and len(e) == 3:
                return self.call(e[1], e[2])
            if e[:1] == ("call",) and len(e) == 3 and e[1] in self.defs:
                return self.call(e[1], e[2])
            return None
        return subst(e, one)

    def call(self, name, args):
        if name not in self.defs:
            raise Refused("a macro that is not defined")
        dialect, params, body = self.defs[name]
        args = dict(zip(params, args))
        self.fresh += 1
        parser = Parser("")
        parser.t = body + [("end", "")]
        if dialect == "cedar":
            tree = parser.cedar()
        else:
            at = parser.i
            tree = parser.try_(lambda: parser.ends(parser.arith))
            if tree is None:
                parser.i = at
                tree = parser.ends(parser.condition)

        def name_of(slot):
            if not isinstance(slot, str) or slot[:1] not in "?$" or slot == "":
                return slot
            if slot[0] == "$":
                return f"{slot[1:]} {self.fresh}"
            found = args.get(slot[1:])
            return found[1] if found and found[0] == "var" else slot

        def one(e):
            if e[:1] == ("sigil",) and len(e) == 2:
                if e[1] in args:
                    return args[e[1]]
                return ("var", f"{e[1]} {self.fresh}")
            if e[:1] in (("formerly",), ("previous",), ("since",)) and isinstance(e[1], str) and e[1][:1] == "?":
                found = args[e[1][1:]]
                if found[0] != "interval":
                    raise Refused("a bound that is no interval")
                return (e[0], found[1]) + tuple(subst(x, one) for x in e[2:])
            if e[:1] == ("tp",) and len(e) == 2:
                return ("tp", name_of(e[1]))
            if e[:1] == ("exists",) and len(e) == 3:
                return ("exists", (name_of(e[1][0]), e[1][1]), subst(e[2], one))
            if e[:1] in (("sum",), ("count",)) and len(e) == 4:
                binders = [(name_of(n), t) for n, t in e[2]]
                return (e[0], name_of(e[1]), binders, subst(e[3], one))
            return None
        return self.expand(subst(tree, one))


def mentions(e, var):
    """How often a variable is mentioned."""
    count = 0
    def seen(x):
        nonlocal count
        count += x in (("var", var), ("tp", var)) or (x[:1] == ("sum",) and len(x) == 4 and x[1] == var)
    walk(e, seen)
    return count


def walk(e, f):
    if isinstance(e, tuple):
        f(e)
    if isinstance(e, (tuple, list)):
        for x in e:
            walk(x, f)


def conjuncts(e):
    return conjuncts(e[1]) + conjuncts(e[2]) if e[0] == "and" else [e]


def conjunction(parts):
    whole = ("true",)
    for part in parts:
        whole = part if whole == ("true",) else ("and", whole, part)
    return whole


def is_event(e):
    return e[0] == "event"


def has(e, *kinds):
    found = False
    def seen(x):
        nonlocal found
        found |= bool(x) and isinstance(x[0], str) and x[0] in kinds
    walk(e, seen)
    return found


COMPARE = {
    "==": lambda a, b: a == b and type(a) is type(b),
    "!=": lambda a, b: a != b or type(a) is not type(b),
    "<": lambda a, b: type(a) is type(b) is int and a < b,
    "<=": lambda a, b: type(a) is type(b) is int and a <= b,
    ">": lambda a, b: type(a) is type(b) is int and a > b,
    ">=": lambda a, b: type(a) is type(b) is int and a >= b,
}


def constant(term):
    """The value of a literal, or None."""
    if term[0] == "const":
        return term[1]
    if term[0] == "entity":
        return entity(term[1])
    if term[0] == "decimal":
        return decimal(term[1])
    if term[0] == "arith":
        a, b = constant(term[2]), constant(term[3])
        if type(a) is type(b) is int:
            return {"+": a + b, "-": a - b, "*": a * b}[term[1]]
    return None


def text_of(value):
    """A literal of `.ww`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(text_of(v) for v in value) + "]"
    out = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    out = out.replace("\r", "\\r").replace("\0", "\\0").replace("{", "\\{").replace("}", "\\}")
    return f'"{out}"'


# Formulas of Watchword: texts, and two constants.

TRUE, FALSE = "true", "false"


def no(a):
    return {TRUE: FALSE, FALSE: TRUE}.get(a, f"not ({a})")


def both(a, b):
    if FALSE in (a, b):
        return FALSE
    return b if a == TRUE else a if b == TRUE else a if a == b else f"({a} and {b})"


def either(a, b):
    if TRUE in (a, b):
        return TRUE
    return b if a == FALSE else a if b == FALSE else a if a == b else f"({a} or {b})"


class Case:
    """The policies of a case, and what its traces consist of."""

    def __init__(self, folder, defaults):
        parser = Parser(defaults)
        parser.file()
        self.policies = []
        for file in sorted(folder.glob("macros*.dw")) + sorted(folder.glob("policy_*.dw")):
            new = Parser(file.read_text())
            new.defs = parser.defs
            self.policies += new.file()
        macros = Macros(parser.defs)
        self.policies = [(effect, scope, macros.expand(conds)) for effect, scope, conds in self.policies]
        self.traces = []
        for file in sorted(folder.glob("trace_*.log")):
            expected = {}
            wanted = file.with_name(file.name.replace("trace", "expected")).with_suffix(".out")
            for line in wanted.read_text().split("\n"):
                found = re.match(r"@-?\d+ \(time point (\d+)\): (true|false)", line)
                if found:
                    expected[int(found[1])] = found[2] == "true"
            self.traces.append((file.stem, read_trace(file.read_text()), expected))
        schema = folder / "event.dwschema"
        self.decision = "request"
        self.pins, self.pinned = [], {}
        if schema.exists():
            source = re.sub(r"//[^\n]*", "", schema.read_text())
            self.decision = re.search(r"decision\s+event\s+<\w+>::(\w+)", source)[1]
            blocks = re.findall(r"event\s+<\w+>::(\w+)\s*\{(.*?)\n\}", source, re.S)
            self.pinned = {kind: sorted(set(pins(body))) for kind, body in blocks}
            # What is pinned in all kinds of events splits the trace; the rest is a condition of events only.
            self.pins = [p for p in self.pinned[self.decision] if all(p in of for of in self.pinned.values())]
        self.groups = {}
        actions = folder / "schema.cedarschema"
        if actions.exists():
            self.groups = groups(actions.read_text())
        self.signatures()

    def signatures(self):
        """The fields of every event, and those of the request that asks for a decision."""
        self.events = {}
        self.always = {}
        self.context = {}
        for _, trace, _ in self.traces:
            for _, event in trace:
                key = (event["action"], event["kind"])
                own = dict(flat(event["fields"]))
                self.events.setdefault(key, {}).update(dict.fromkeys(own))
                self.always[key] = self.always.get(key, set(own)) & set(own)
                if event["kind"] == self.decision:
                    context = asked(event)
                    known = self.context.setdefault(event["action"], {})
                    for name in context:
                        known[name] = known.get(name, 0) + 1
                    known[""] = known.get("", 0) + 1

        def seen(e):
            if e[:1] == ("event",):
                self.events.setdefault((e[1], e[2]), {}).update((f, None) for f, _ in e[3])
        walk(self.policies, seen)
        for _, scope, _ in self.policies:
            op, value, *_ = scope.get("action", (None, None))
            if op == "==":
                space, name = re.match(r'(.*?)::(".*")$', value[1], re.S).groups()
                self.events.setdefault((f"{space}::{lit(name)}", self.decision), {})
        for key, fields in self.events.items():
            fields.update((f, None) for f, _ in self.pinned.get(key[1], []))
            if key[1] == self.decision:
                self.context.setdefault(key[0], {"": 0})
        self.names = {}
        for key in self.events:
            wanted = re.sub(r"\W", "_", key[0].split("::")[-1]) + "_" + key[1]
            while wanted in self.names.values():
                wanted += "_"
            self.names[key] = wanted

    def args(self, key):
        """The parameters of an event."""
        found = ["n"] + [arg("f", f) for f in self.events[key]]
        if key[1] == self.decision:
            found += [arg("c", c) for c in self.context[key[0]] if c]
        return found

    def declarations(self):
        return [f"event {self.names[key]}({', '.join(self.args(key))})" for key in self.events]

    def records(self, trace):
        for at, (time, event) in enumerate(trace):
            key = (event["action"], event["kind"])
            args = {"n": at}
            args.update((arg("f", f), v) for f, v in flat(event["fields"]))
            if event["kind"] == self.decision:
                args.update((arg("c", c), v) for c, v in asked(event).items())
            yield json.dumps({"event": self.names[key], "time": time, "args": args})


def arg(prefix, path):
    return prefix + "_" + re.sub(r"\W", "_", path)


def pins(body):
    """Pinned fields and what they are pinned to."""
    group = ""
    for line in re.split(r"[\n,]", body):
        opened = re.search(r"(\w+):\s*\{", line)
        if opened:
            group = opened[1] + "."
        found = re.search(r"pin\s+(\w+)\s*:[^=]*=\s*([\w.]+)", line)
        if found:
            yield group + found[1], found[2]
        if "}" in line:
            group = ""


def groups(text):
    """The groups an action is in."""
    found = {}
    space = ""
    parser = Parser(text)
    depth = []
    while parser.kind() != "end":
        word = parser.take()
        if word == "namespace":
            space = parser.path() + "::"
        if word == "action" and parser.kind() in ("str", "name"):
            names = []
            while True:
                names.append(lit(parser.take()) if parser.kind() == "str" else parser.take())
                if not parser.got(","):
                    break
            parents = []
            if parser.got("in"):
                bracket = parser.got("[")
                while True:
                    name = ""
                    while parser.kind() == "name":
                        name += parser.take() + "::"
                        parser.want("::") if parser.peek() == "::" else None
                    whole = name if "::Action" in name else space + (name or "Action::")
                    parents.append(whole + (lit(parser.take()) if parser.kind() == "str" else ""))
                    if not bracket or not parser.got(","):
                        break
            for name in names:
                found[f"{space}Action::{name}"] = parents
    return found


def asked(event):
    """What a policy can ask about a request."""
    found = {"context." + name: value for name, value in flat(event["context"])}
    for root in ("principal", "resource"):
        uid = event["scope"].get(root)
        if uid is not None:
            found[root] = uid
            attributes, parents = event["entities"].get(uid, ({}, []))
            found.update((f"{root}.{name}", value) for name, value in flat(attributes))
            found[root + " in"] = parents
    return found


class Property:
    """The property of the requests of one action."""

    def __init__(self, case, action):
        self.case = case
        self.action = action
        self.key = (action, case.decision)
        self.known = case.context[action]
        self.params = {}
        self.windows = {}
        self.constants = {}

    # What a request carries

    def request(self, path):
        """Whether requests carry this; refused if only some do."""
        if path not in self.known:
            return False
        if self.known[path] != self.known[""]:
            raise Refused("a field of the request that only some requests have")
        return True

    def param(self, path):
        return self.params.setdefault(path, f"p{len(self.params) + 1}")

    # Formulas

    def formula(self, e, top):
        """A condition as a formula. At the `top`, the event is the request itself."""
        kind = e[0]
        if kind == "true":
            return TRUE
        if kind == "and":
            return self.all(conjuncts(e), top)
        if kind == "not":
            return no(self.formula(e[1], top))
        if kind in ("formerly", "previous"):
            body = self.formula(e[2], False)
            if e[1] < 0 or body == FALSE:
                return FALSE
            word = "once" if kind == "formerly" else "previous"
            return f"({word} within {e[1]} s {body})"
        if kind == "since":
            left, right = self.formula(e[2], False), self.formula(e[3], False)
            if e[1] < 0 or right == FALSE:
                return FALSE
            return f"(({left}) since within {e[1]} s {right})"
        if kind == "exists":
            return self.exists(e, top)
        if kind == "cmp":
            return self.compare(e, top)
        if kind == "event":
            return self.event(e, [])
        raise Refused(f"`{kind}`")

    def all(self, parts, top):
        """A conjunction. Comparisons with a value of an event are part of the event's condition."""
        events = [p for p in parts if is_event(p)]
        rest = [p for p in parts if not is_event(p)]
        bound = {}
        for event in events:
            for _, term in event[3]:
                if term[0] == "var":
                    bound.setdefault(term[1], []).append(event)
        whole = TRUE
        guards = {id(e): [] for e in events}
        for part in rest:
            of = [t[1] for t in part[2:] if t[0] == "var"] if part[0] == "cmp" else []
            if of:
                owners = {id(o[0]) for v in of for o in [bound.get(v, [None])] if o[0] is not None}
                if len(owners) != 1 or any(v not in bound for v in of):
                    raise Refused("joins earlier events on a value that the request does not carry")
                guards[owners.pop()].append(part)
            elif part[0] == "not" and any(mentions(part, v) for v in bound):
                event = self.excluded(part[1], bound, guards)
                if event is not None:
                    whole = both(whole, event)
            else:
                whole = both(whole, self.formula(part, top))
        for event in events:
            whole = both(whole, self.event(event, guards[id(event)]))
        for v, owners in bound.items():
            if len({id(o) for o in owners}) > 1:
                raise Refused("joins earlier events on a value that the request does not carry")
        return whole

    def excluded(self, e, bound, guards):
        """`!E{a: x}` beside `E{a: x}`: the fields of one event, which has one value of each."""
        if not is_event(e):
            raise Refused("joins earlier events on a value that the request does not carry")
        fields = []
        for field, term in e[3]:
            if term[0] == "var" and term[1] in bound:
                owner = bound[term[1]][0]
                if (owner[1], owner[2]) != (e[1], e[2]) or (field, term) not in owner[3]:
                    raise Refused("joins earlier events on a value that the request does not carry")
                continue
            fields.append((field, term))
        return no(self.event(("event", e[1], e[2], fields), []))

    def exists(self, e, top):
        (name, _), body = e[1], e[2]
        parts = conjuncts(body)
        # `exists n. (aggregate) == n && …`: n is another name for the aggregate.
        for part in parts:
            if part[0] == "cmp" and part[1] == "==":
                for this, other in ((part[2], part[3]), (part[3], part[2])):
                    if this == ("var", name) and not mentions(other, name):
                        others = [p for p in parts if p is not part]
                        new = subst(conjunction(others), lambda x: other if x == ("var", name) else None)
                        return self.formula(new, top)
        pushed = push(body, name)
        return self.formula(pushed, top)

    def event(self, e, guards):
        """An event, with conditions on the variables that its fields bind."""
        _, action, kind, fields = e
        key = (action, kind)
        own = self.case.events[key]
        patterns = dict.fromkeys(own, "_")
        names, conditions = {}, []
        for field, path in self.case.pinned.get(kind, []):
            if not self.request(path):
                return FALSE
            patterns[field] = self.param(path)
        for field, term in fields:
            name = arg("f", field)
            value = constant(term)
            if value is not None:
                new = text_of(value)
                if isinstance(value, list):
                    conditions.append(f"{name} == {new}")
                    continue
            elif term[0] == "ctx":
                if not self.request(term[1]):
                    return FALSE
                new = self.param(term[1])
            elif term[0] == "var" and term[1] in names:
                conditions.append(f"{name} == {names[term[1]]}")
                continue
            elif term[0] in ("any", "var"):
                if term[0] == "var":
                    names[term[1]] = name
                if field not in self.case.always.get(key, ()):
                    conditions.append(f"{name} != null")
                continue
            else:
                raise Refused(f"a field that is compared with `{term[0]}`")
            if patterns[field] == "_":
                patterns[field] = new
            elif patterns[field] != new:
                conditions.append(f"{name} == {new}")
        for guard in guards:
            conditions.append(self.guard(guard, names))
        args = ["_", *patterns.values()]
        args += ["_"] * (len(self.case.args(key)) - len(args))
        label = f"{self.case.names[key]}({', '.join(args)})"
        return label + (f" if ({' and '.join(conditions)})" if conditions else "")

    def guard(self, e, names):
        _, op, a, b = e
        sides = []
        for term in (a, b):
            value = constant(term)
            if value is not None:
                sides.append(text_of(value))
            elif term[0] == "var":
                sides.append(names[term[1]])
            elif term[0] == "ctx":
                if op != "==" or not self.request(term[1]):
                    raise Refused("compares a value of an earlier event with one of the request by order")
                sides.append(self.param(term[1]))
            else:
                raise Refused(f"a comparison of an event with `{term[0]}`")
        kinds = [type(constant(t)) for t in (a, b) if constant(t) is not None]
        if op not in ("==", "!=") and any(k is not int for k in kinds):
            return FALSE
        return f"{sides[0]} {op} {sides[1]}"

    # Comparisons that no event is part of

    def compare(self, e, top):
        _, op, a, b = e
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return TRUE if COMPARE[op](x, y) else FALSE
        if has((a, b), "sum", "count"):
            return self.aggregates(e, top)
        paths = []
        walk((a, b), lambda t: paths.append(t[1]) if t[:1] == ("ctx",) else None)
        if any(not self.request(p) for p in paths):
            return FALSE
        guard = f"{self.value(a)} {op} {self.value(b)}"
        if top:
            return self.at_request(guard)
        # Of an earlier event it cannot be asked: the request is not known yet. It holds or not, whenever it
        # is asked, so the formula is written for both.
        if guard not in self.constants:
            self.constants[guard] = None
        chosen = self.constants[guard]
        return chosen if chosen is not None else TRUE

    def at_request(self, guard):
        args = ["_"] * len(self.case.args(self.key))
        return f"{self.case.names[self.key]}({', '.join(args)}) if ({guard})"

    def value(self, term):
        """A value of the request that is decided, as an expression."""
        known = constant(term)
        if known is not None:
            return text_of(known)
        if term[0] == "ctx":
            return arg("c", term[1])
        if term[0] == "arith":
            return f"({self.value(term[2])} {term[1]} {self.value(term[3])})"
        raise Refused(f"a comparison with `{term[0]}`")

    # Aggregates

    def aggregates(self, e, top):
        """A comparison of aggregates: windows, or what the present event alone decides."""
        _, op, a, b = e
        found = []
        walk((a, b), lambda t: found.append(t) if t[:1] in (("sum",), ("count",)) and len(t) == 4 else None)
        parts = [(t, self.aggregate(t, top)) for t in found]
        return self.chosen(e, dict(), parts, top)

    def chosen(self, e, values, parts, top):
        if not parts:
            new = subst(e, lambda t: values.get(repr(t)))
            x, y = constant(new[2]), constant(new[3])
            if x is not None and y is not None:
                return TRUE if COMPARE[new[1]](x, y) else FALSE
            return self.windowed(new, top)
        (term, cases), rest = parts[0], parts[1:]
        whole = FALSE
        for condition, value in cases:
            whole = either(whole, both(condition, self.chosen(e, {**values, repr(term): value}, rest, top)))
        return whole

    def windowed(self, e, top):
        """A comparison of windows, of a value of the present event, and of constants."""
        own = []
        walk(e, lambda t: own.append(t) if t[:1] == ("own",) else None)
        context = has(e, "ctx")

        def expr(t):
            if t[0] in ("window", "own"):
                return t[1]
            if t[0] == "arith":
                return f"({expr(t[2])} {t[1]} {expr(t[3])})"
            if t[0] == "ctx":
                if not self.request(t[1]):
                    raise Refused("a field of the request that only some requests have")
                return arg("c", t[1])
            value = constant(t)
            if value is None:
                raise Refused(f"an aggregate that is compared with `{t[0]}`")
            return text_of(value)
        guard = f"{expr(e[2])} {e[1]} {expr(e[3])}"
        if context and not top:
            raise Refused("compares an aggregate of the past with a value of the request")
        if own:
            if context or len({o[2] for o in own}) > 1:
                raise Refused("compares values of several events")
            label = own[0][2]
            args = ["_"] * len(self.case.args(label))
            return f"{self.case.names[label]}({', '.join(args)}) if ({guard})"
        return self.at_request(guard) if context or top else f"any if ({guard})"

    def aggregate(self, t, top):
        """The values an aggregate may have, each with the condition under which it has it."""
        kind, column, binders, body = t
        names = [n for n, _ in binders]
        times = [n for n, ty in binders if ty == "Timepoint"]
        data = [n for n in names if n not in times]
        parts = conjuncts(body)
        # Variables that are not aggregated over exist.
        # A part that binds none of the variables holds or not.
        free = [p for p in parts if not any(mentions(p, n) for n in names)]
        parts = [p for p in parts if p not in free]
        condition = TRUE
        for p in free:
            condition = both(condition, self.formula(p, top))
        zero = ("const", 0)
        def choices(holds, value):
            holds = both(condition, holds)
            return [(holds, value), (no(holds), zero)]
        here = [p for p in parts if p[0] == "tp"]
        if here and len(times) == 1:
            parts = [p for p in parts if p[0] != "tp"]
            if any(mentions(p, times[0]) for p in parts):
                raise Refused("counts pairs of events")
            return self.single(kind, column, data, conjunction(parts), top, choices)
        if not times and not any(p[0] in ("formerly", "since") for p in parts):
            return self.single(kind, column, data, conjunction(parts), top, choices)
        scans = [p for p in parts if p[0] == "formerly"]
        filters = [p for p in parts if p[0] == "cmp"]
        if len(scans) == 1 and len(scans) + len(filters) == len(parts):
            inner = conjuncts(scans[0][2]) + filters
            stamps = [p for p in inner if p[0] == "tp"]
            inner = [p for p in inner if p[0] != "tp"]
            if [p[1] for p in stamps] == times or (not stamps and not times):
                return choices(TRUE, self.window(kind, column, data, bool(times), scans[0][1], inner))
        previous = [p for p in parts if p[0] == "previous"]
        if len(previous) == 1 == len(parts) and len(times) == 1 and not data and kind == "count":
            inner = [p for p in conjuncts(previous[0][2]) if p[0] != "tp"]
            if not any(mentions(p, times[0]) for p in inner):
                return choices(self.formula(("previous", previous[0][1], conjunction(inner)), top), ("const", 1))
        raise Refused("aggregates pairs of events" if len(times) > 1 else f"a {kind} of what is no window")

    def single(self, kind, column, data, body, top, choices):
        """An aggregate over the present event."""
        if kind == "count":
            if len(data) > 0:
                body = close(body, data)
            return choices(self.formula(body, top) if body != ("true",) else TRUE, ("const", 1))
        parts = conjuncts(body)
        events = [p for p in parts if is_event(p) and any(t == ("var", column) for _, t in p[3])]
        if len(events) != 1 or len(parts) > 1:
            raise Refused("a sum of what is no window")
        field = next(f for f, t in events[0][3] if t == ("var", column))
        return choices(self.event(events[0], []), ("own", arg("f", field), (events[0][1], events[0][2])))

    def window(self, kind, column, data, timed, within, parts):
        """A window over events of one name."""
        events = [p for p in parts if is_event(p)]
        filters = [p for p in parts if p[0] == "cmp"]
        if len(events) > 1 and len({(e[1], e[2]) for e in events}) > 1 and len(events) + len(filters) == len(parts):
            return ("const", 0)
        if len(events) != 1 or len(filters) + 1 != len(parts):
            negated = [p for p in parts if p[0] == "not" and is_event(p[1])]
            if len(events) == 1 and len(negated) + len(filters) + 1 == len(parts):
                return self.window_without(kind, column, data, timed, within, events[0], filters, negated)
            raise Refused("an aggregate over what is no event")
        return self.make(kind, column, data, timed, within, self.event(events[0], filters), events[0])

    def window_without(self, kind, column, data, timed, within, event, filters, negated):
        """Events of a name but for some."""
        label = self.event(event, filters)
        conditions = []
        for n in negated:
            e = n[1]
            if (e[1], e[2]) != (event[1], event[2]):
                continue
            tests = []
            for field, term in e[3]:
                if (field, term) in event[3] or term[0] == "any":
                    continue
                value = constant(term)
                if value is None:
                    raise Refused("an aggregate over what is no event")
                tests.append(f"{arg('f', field)} == {text_of(value)}")
            conditions.append(f"not ({' and '.join(tests) or 'true'})")
        if conditions:
            conditions = " and ".join(conditions)
            label = f"{label[:-1]} and {conditions})" if " if (" in label else f"{label} if ({conditions})"
        return self.make(kind, column, data, timed, within, label, event)

    def make(self, kind, column, data, timed, within, label, event):
        if label == FALSE or within < 0:
            return ("const", 0)
        fields = {t[1]: f for f, t in event[3] if t[0] == "var"}
        if kind == "sum":
            if not timed:
                raise Refused("a sum of different values")
            text = f"sum {label} of {arg('f', fields[column])}"
        elif timed:
            text = f"count {label}"
        elif len(data) == 1:
            text = f"count distinct {label} of {arg('f', fields[data[0]])}"
        else:
            raise Refused("counts different tuples of values")
        return ("window", self.windows.setdefault(f"{text} within {within} s", f"w{len(self.windows) + 1}"))

    # Cedar

    def cedar(self, e):
        """A condition on the request itself."""
        if e[0] == "temporal":
            return self.formula(e[1], True)
        if e[0] in ("and", "or"):
            return (both if e[0] == "and" else either)(self.cedar(e[1]), self.cedar(e[2]))
        if e[0] == "not":
            return no(self.cedar(e[1]))
        if e == ("const", True) or e == ("const", False):
            return TRUE if e[1] else FALSE
        if e[0] == "if":
            chosen, then, otherwise = (self.cedar(part) for part in e[1:])
            return either(both(chosen, then), both(no(chosen), otherwise))
        if e[0] == "cmp":
            return self.compare(("cmp", e[1], cedar_term(e[2]), cedar_term(e[3])), True)
        raise Refused(f"Cedar's `{e[0]}`")

    def applies(self, scope):
        """Whether a policy is about requests of this action; then the rest of what its head requires."""
        condition = TRUE
        for var, (op, value, *more) in scope.items():
            if var == "action":
                wanted = value[1] if value[0] == "set" else [value]
                names = set()
                for w in wanted:
                    space, name = re.match(r'(.*?)::(".*")$', w[1], re.S).groups()
                    names.add(f"{space}::{lit(name)}")
                mine, todo = set(), [self.action]
                while todo:
                    a = todo.pop()
                    if a not in mine:
                        mine.add(a)
                        todo += self.case.groups.get(a, [])
                if not ({self.action} if op == "==" else mine) & names:
                    return FALSE
            elif op == "==":
                condition = both(condition, self.compare(("cmp", "==", ("ctx", var), value), True))
            elif op == "in" and value[0] == "entity":
                uid = text_of(entity(value[1]))
                self.request(var)
                test = f"{arg('c', var)} == {uid} or contains({arg('c', var + ' in')}, {uid})"
                condition = both(condition, self.at_request(test))
            elif op == "is" and more == [None]:
                test = f"starts_with({arg('c', var)}, {text_of('entity ' + value + ' ')})"
                condition = both(condition, self.at_request(test))
            else:
                raise Refused("a hierarchy of entities")
        return condition

    def allowed(self):
        permitted, forbidden = FALSE, FALSE
        for effect, scope, conds in self.case.policies:
            holds = self.applies(scope)
            if holds == FALSE:
                continue
            for word, (dialect, body) in conds:
                one = self.formula(body, True) if dialect == "temporal" else self.cedar(body)
                holds = both(holds, no(one) if word == "unless" else one)
            if effect == "permit":
                permitted = either(permitted, holds)
            else:
                forbidden = either(forbidden, holds)
        return both(permitted, no(forbidden))

    def text(self):
        """The properties that denied and allowed requests violate."""
        allowed = self.allowed()
        if self.constants:
            tests = list(self.constants)
            if len(tests) > 3:
                raise Refused("more than three conditions on the request under operators of the past")
            allowed = FALSE
            for chosen in range(1 << len(tests)):
                whole = TRUE
                for i, test in enumerate(tests):
                    held = bool(chosen >> i & 1)
                    self.constants[test] = TRUE if held else FALSE
                    asked_now = self.at_request(test)
                    whole = both(whole, asked_now if held else no(asked_now))
                allowed = either(allowed, both(whole, self.allowed()))
        for _, path in self.case.pins:
            if self.request(path):
                self.param(path)
        patterns = ["d"] + ["_"] * len(self.case.events[self.key])
        patterns += [self.params.get(c, "_") for c in self.known if c]
        name = self.case.names[self.key]
        decision = f"{name}({', '.join(patterns)})"
        head = f"(d{''.join(', ' + p for p in self.params.values())})"
        seen = []
        if not self.case.pins:
            # Every event concerns every instance: a time point of the policy is an event of the trace.
            seen = [f"  also {', '.join(self.case.names.values())}"]
            body = "always ({} implies {})"
        else:
            # A pinned policy sees the events of its own key only.
            mine = [self.event(("event", *key, []), []) for key in self.case.events]
            everything = " or ".join(mine)
            body = f"always (({everything} or true) and ({{}} implies {{}}))"
        lines = []
        for verdict, formula in (("denied", allowed), ("allowed", no(allowed))):
            lines.append(f"property {verdict}_{name}{head} {{")
            lines += seen
            lines += [f"  window {w} = {text}" for text, w in self.windows.items()]
            lines.append(f"  ltl {body.format(decision, formula)}")
            lines.append("}")
        return "\n".join(lines)


def close(body, data):
    """Variables of data that a single event binds: their values do not matter."""
    for name in data:
        body = push(body, name)
    return body


def cedar_term(e):
    if e[0] == "field" and isinstance(e[2], str):
        inner = cedar_term(e[1])
        if inner[0] == "ctx":
            return ("ctx", f"{inner[1]}.{e[2]}")
    if e[0] == "var" and e[1] in ("context", "principal", "resource"):
        return ("ctx", e[1])
    if e[0] == "neg":
        value = constant(e[1])
        return ("const", -value)
    if e[0] in ("const", "entity"):
        return e
    if e[0] == "arith":
        return ("arith", e[1], cedar_term(e[2]), cedar_term(e[3]))
    raise Refused(f"Cedar's `{e[0]}`")


JOIN = "joins earlier events on a value that the request does not carry"


def push(e, var):
    """Moves `exists var` to the event that binds it, where comparisons with it are conditions."""
    parts = conjuncts(e)
    about = [p for p in parts if mentions(p, var)]
    if not about:
        return e
    rest = [p for p in parts if not mentions(p, var)]
    filters = [p for p in about if p[0] == "cmp" and not has(p, "sum", "count")]
    others = [p for p in about if p not in filters]
    if len(others) == 1:
        one = others[0]
        if is_event(one):
            return conjunction(rest + [one] + filters)
        if one[0] in ("formerly", "previous"):
            return conjunction(rest + [(one[0], one[1], push(conjunction([one[2]] + filters), var))])
        if one[0] == "since" and not mentions(one[2], var):
            return conjunction(rest + [("since", one[1], one[2], push(conjunction([one[3]] + filters), var))])
        if one[0] == "exists":
            return conjunction(rest + [("exists", one[1], push(conjunction([one[2]] + filters), var))])
        raise Refused(JOIN)
    negated = [p for p in others if p[0] == "not" and is_event(p[1])]
    if len(others) - len(negated) == 1 and all(is_event(p) for p in others if p not in negated):
        return e
    raise Refused(JOIN)


# Runs


def check(watchword, case, scratch, show):
    """The reason why a case is not expressed, or None; and the decisions that differ."""
    properties = []
    actions = {e["action"] for _, trace, expected in case.traces for at, (_, e) in enumerate(trace) if at in expected}
    for action in sorted(actions or case.context):
        properties.append(Property(case, action).text())
    file = scratch / "policy.ww"
    file.write_text("\n".join(case.declarations() + properties) + "\n")
    if show:
        print(file.read_text())
    differ, decisions = [], 0
    for name, trace, expected in case.traces:
        log = scratch / "trace.jsonl"
        log.write_text("".join(line + "\n" for line in case.records(trace)))
        done = subprocess.run(
            [watchword, "replay", "--format", "json", "-p", file, log],
            capture_output=True, text=True,
        )
        if done.returncode not in (0, 1):
            said = done.stderr or done.stdout
            if show:
                print(said)
            return said, [], 0
        found = collections.defaultdict(set)
        report = json.loads(done.stdout)
        for v in report["violations"]:
            found[v["binding"]["d"]].add(v["property"].startswith("allowed"))
        for at, allowed in sorted(expected.items()):
            decisions += 1
            got = found.get(at, set())
            if show:
                print(name, at, "expected", allowed, "reported", sorted(got))
            if got != {allowed}:
                differ.append(f"{name}, event {at}: allowed is {allowed}, reported {sorted(got)}")
    return None, differ, decisions


def main():
    args = sys.argv[1:]
    shown = args.pop(args.index("--show") + 1) if "--show" in args[:-1] else None
    args = [a for a in args if a != "--show"]
    if len(args) != 2:
        sys.exit(__doc__)
    watchword, root = args[0], pathlib.Path(args[1])
    defaults = root.parents[3] / "configuration" / "default_macros.dw"
    defaults = defaults.read_text() if defaults.exists() else ""
    reasons, unequal = collections.defaultdict(list), []
    cases = equal = decisions = traces = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(p for p in root.iterdir() if p.is_dir()):
            if shown not in (None, folder.name):
                continue
            cases += 1
            try:
                case = Case(folder, defaults)
                reason, differ, count = check(watchword, case, pathlib.Path(scratch), shown)
            except Refused as refused:
                reason = str(refused)
            if reason is not None:
                said = re.search(r"error[^\n]*", reason)
                reasons[said[0] if said else reason].append(folder.name)
                continue
            decisions += count
            traces += len(case.traces)
            equal += not differ
            unequal += [f"{folder.name}: {'; '.join(differ)}"] if differ else []
    print("| cases | number |\n|---|---|")
    print(f"| all | {cases} |\n| expressed | {cases - sum(map(len, reasons.values()))} |\n| equal | {equal} |")
    for reason, names in sorted(reasons.items(), key=lambda r: -len(r[1])):
        print(f"| not expressed: {reason} (such as {names[0]}) | {len(names)} |")
    print(f"\n{decisions} decisions in {traces} traces of the cases that are expressed.")
    print("\n".join(unequal))


if __name__ == "__main__":
    main()
