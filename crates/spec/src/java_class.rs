//! Java code of property files as one class, which the JDK's compiler compiles.
//!
//! Code of the file stands in the class as it was written, line by line, so that mistakes that the compiler
//! finds can be shown where they are. The agent calls the method `run` with the number of a method, the
//! objects and the primitive values it is given; it gets a text whose first letter says what comes back.

use std::fmt::Write;

use watchword_model::{JavaClass, JavaHandler, Span};

use crate::larva::tree::TypeName;

/// Primitive types, and how a value of one is made of the `long` that passes it.
const PRIMITIVES: [(&str, &str); 8] = [
    ("boolean", "n[@] != 0"),
    ("byte", "(byte) n[@]"),
    ("char", "(char) n[@]"),
    ("short", "(short) n[@]"),
    ("int", "(int) n[@]"),
    ("long", "n[@]"),
    ("float", "(float) Double.longBitsToDouble(n[@])"),
    ("double", "Double.longBitsToDouble(n[@])"),
];

/// The class while it is written.
#[derive(Default)]
pub struct ClassWriter {
    /// The specification or script.
    of: String,
    /// Imported types.
    imports: Vec<String>,
    /// Imported static members.
    static_imports: Vec<String>,
    /// Fields and methods.
    pub members: Vec<Piece>,
    /// What reports call.
    pub handlers: Vec<JavaHandler>,
    /// Whether there is an object for every slice.
    pub has_state: bool,
    methods: Vec<Method>,
    lines: Vec<(u32, Span)>,
}

/// A method that an event or a report calls.
pub struct Method {
    /// The declarations of its parameters, and how they are passed.
    pub params: Vec<(String, String)>,
    /// How the object that it is called on is found.
    pub on: String,
    /// What has to hold.
    pub conditions: Vec<Piece>,
    /// What it does then.
    pub does: Does,
}

/// What a method does.
pub enum Does {
    /// Nothing: it says that the conditions hold.
    Nothing,
    /// Statements; it gives what they print.
    Run(Piece),
}

/// Code as it was written.
pub struct Piece {
    /// The code.
    pub text: String,
    /// Where it begins.
    pub span: Span,
}

/// Whether a type is primitive.
pub fn is_primitive(ty: &str) -> bool {
    PRIMITIVES.iter().any(|(primitive, _)| *primitive == ty)
}

/// A type as the class writes it; type arguments do not matter.
pub fn type_of(ty: &TypeName) -> String {
    ty.name.replace('$', ".")
}

/// The declaration of the parameter at a position, and how it is passed.
pub fn passed(ty: &str, name: &str, at: usize) -> (String, String) {
    let at = at.to_string();
    let passed = match PRIMITIVES.iter().find(|(primitive, _)| *primitive == ty) {
        Some((_, passed)) => passed.replace('@', &at),
        None => format!("({ty}) o[{at}]"),
    };
    (format!("{ty} {name}"), passed)
}

impl ClassWriter {
    /// A class without methods yet.
    pub fn new(of: String, imports: Vec<String>, static_imports: Vec<String>) -> ClassWriter {
        ClassWriter { of, imports, static_imports, ..ClassWriter::default() }
    }

    /// The name of the class.
    pub fn name(&self) -> String {
        format!("Watchword_{}", self.of)
    }

    /// Adds a method; its number.
    pub fn add(&mut self, method: Method) -> u32 {
        self.methods.push(method);
        self.methods.len() as u32 - 1
    }

    /// The class, if it has a method.
    pub fn finish(mut self) -> Option<JavaClass> {
        let methods = std::mem::take(&mut self.methods);
        if methods.is_empty() {
            return None;
        }
        let mut source = String::new();
        self.header(&mut source);
        for piece in std::mem::take(&mut self.members) {
            self.put(&mut source, &piece);
        }
        for (number, method) in methods.iter().enumerate() {
            self.write(&mut source, number, method);
        }
        let name = self.name();
        dispatch(&mut source, &name, &methods);
        if self.has_state {
            source.push_str(&SLICES.replace("NAME", &name));
        }
        let _ = writeln!(source, "    private static final {name} CODE = new {name}();");
        let uses = |word: &str| mentions(&source, word);
        let (levels, signature) = (uses("Level"), uses("Signature"));
        source.push_str(OUT);
        if levels {
            source.push_str(LEVELS);
        }
        if signature {
            source.push_str(SIGNATURE);
        }
        source.push_str("}\n");
        let (lines, handlers, ordered) = (self.lines, self.handlers, self.has_state);
        Some(JavaClass { name, of: self.of, source, lines, handlers, ordered })
    }

    fn header(&self, source: &mut String) {
        for path in &self.imports {
            let _ = writeln!(source, "import {path};");
        }
        for path in &self.static_imports {
            let _ = writeln!(source, "import static {path};");
        }
        let name = self.name();
        let _ = writeln!(source, "@SuppressWarnings(\"all\")\npublic final class {name} {{");
    }

    /// Puts code where a line begins.
    fn put(&mut self, source: &mut String, piece: &Piece) {
        let line = source.matches('\n').count() as u32 + 1;
        self.lines.push((line, piece.span));
        source.push_str(&piece.text);
        source.push('\n');
    }

    fn write(&mut self, source: &mut String, number: usize, method: &Method) {
        let params: Vec<&str> = method.params.iter().map(|(declared, _)| &**declared).collect();
        let params = params.join(", ");
        for (at, condition) in method.conditions.iter().enumerate() {
            let _ = writeln!(
                source,
                "    private boolean watchwordHolds{number}_{at}({params}) throws Throwable {{ return ("
            );
            self.put(source, condition);
            source.push_str("    ); }\n");
        }
        match &method.does {
            Does::Nothing => {}
            Does::Run(body) => {
                let _ = writeln!(
                    source,
                    "    private void watchwordRun{number}({params}) throws Throwable {{"
                );
                self.put(source, body);
                source.push_str("    }\n");
            }
        }
    }
}

/// Whether a text has a word in it.
fn mentions(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// The method that the agent calls.
fn dispatch(source: &mut String, class: &str, methods: &[Method]) {
    source.push_str(
        "    public static String run(int watchwordMethod, Object[] o, long[] n) {\n\
         \x20       WatchwordOut.begin();\n        try {\n            switch (watchwordMethod) {\n",
    );
    for (number, method) in methods.iter().enumerate() {
        let passed: Vec<&str> = method.params.iter().map(|(_, passed)| &**passed).collect();
        let passed = passed.join(", ");
        let on = &method.on;
        let _ = writeln!(
            source,
            "                case {number}: {{ {class} watchwordOn = {on};\n                    if (watchwordOn == null) return \"F\";"
        );
        for at in 0..method.conditions.len() {
            let _ = writeln!(
                source,
                "                    if (!watchwordOn.watchwordHolds{number}_{at}({passed})) return \"F\";"
            );
        }
        let _ = match method.does {
            Does::Nothing => writeln!(source, "                    return \"T\"; }}"),
            Does::Run(_) => writeln!(
                source,
                "                    watchwordOn.watchwordRun{number}({passed});\n                    return WatchwordOut.said(); }}"
            ),
        };
    }
    source.push_str(
        "                default: return \"N\";\n            }\n\
         \x20       } catch (Throwable thrown) {\n            return WatchwordOut.threw(thrown);\n        }\n    }\n",
    );
}

/// What code prints, and what it asks about the place it runs for.
const OUT: &str = r#"
    static final class WatchwordOut {
        static final String DEFAULT = "the specification is violated";
        static final Printer out = new Printer(), err = out;
        private static final ThreadLocal<StringBuilder> SAID = new ThreadLocal<>();
        private static final int LONGEST = 4000;
        static void begin() { SAID.remove(); }
        static void say(Object what) {
            StringBuilder said = SAID.get();
            if (said == null) SAID.set(said = new StringBuilder());
            String text = String.valueOf(what).trim();
            if (text.isEmpty() || text.equals(DEFAULT) || said.length() > LONGEST) return;
            if (said.length() > 0) said.append(' ');
            said.append(text, 0, Math.min(text.length(), LONGEST));
        }
        static String said() {
            StringBuilder said = SAID.get();
            if (said == null) return "N";
            return said.length() == 0 ? "S" + DEFAULT : "S" + said;
        }
        static String threw(Throwable thrown) {
            String name = thrown.getClass().getName();
            try {
                String message = thrown.getMessage();
                return "!" + name + (message == null ? "" : ": " + message);
            } catch (Throwable again) {
                return "!" + name;
            }
        }
        private static boolean isProgram(StackWalker.StackFrame frame) {
            String name = frame.getClassName();
            return !name.startsWith("Watchword_") && !name.startsWith("java.util.Watchword")
                && !name.startsWith("watchword.");
        }
        static String where() {
            return StackWalker.getInstance().walk(frames -> frames.filter(WatchwordOut::isProgram)
                .findFirst().map(frame -> frame.getClassName() + "." + frame.getMethodName() + "("
                    + frame.getFileName() + ":" + frame.getLineNumber() + ")").orElse("(Unknown)"));
        }
        static Class<?> declaring() {
            return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(WatchwordOut::isProgram).findFirst()
                    .<Class<?>>map(StackWalker.StackFrame::getDeclaringClass).orElse(null));
        }
        static final class Printer {
            void println() { say(""); }
            void println(Object what) { say(what); }
            void println(Object level, Object what) { say(what); }
            void print(Object what) { say(what); }
            void print(Object level, Object what) { say(what); }
            void printf(String format, Object... args) { say(String.format(format, args)); }
            void format(String format, Object... args) { say(String.format(format, args)); }
        }
    }
"#;

/// The objects of slices, by the identities of what they are about, as long as that lives.
const SLICES: &str = r#"
    private WatchwordSlices.Part[] watchwordParts;
    private Object watchwordPart(int at) { return watchwordParts[at].get(); }
    static final class WatchwordSlices {
        private static final java.util.HashMap<java.util.List<Long>, NAME> ALL = new java.util.HashMap<>();
        private static final java.lang.ref.ReferenceQueue<Object> DEAD = new java.lang.ref.ReferenceQueue<>();
        static final class Part extends java.lang.ref.WeakReference<Object> {
            final java.util.List<Long> slice;
            Part(Object of, java.util.List<Long> slice) { super(of, DEAD); this.slice = slice; }
        }
        static synchronized NAME of(boolean begins, Object[] o, long[] n, int first, int... parts) {
            java.util.List<Long> slice = slice(n, first);
            if (slice.contains(0L)) return null;
            NAME found = ALL.get(slice);
            if (found == null && begins) {
                for (Object dead; (dead = DEAD.poll()) != null; ) ALL.remove(((Part) dead).slice);
                found = new NAME();
                found.watchwordParts = new Part[parts.length];
                for (int i = 0; i < parts.length; i++) found.watchwordParts[i] = new Part(o[parts[i]], slice);
                ALL.put(slice, found);
            }
            return found;
        }
        static synchronized NAME known(long[] n) { return ALL.get(slice(n, 0)); }
        private static java.util.List<Long> slice(long[] n, int first) {
            java.util.List<Long> slice = new java.util.ArrayList<>();
            for (int i = first; i < n.length; i++) slice.add(n[i]);
            return slice;
        }
    }
"#;

const LEVELS: &str =
    "    enum Level { CRITICAL, ERROR, WARNING, INFO, DEBUG, MESSAGE, ALL, OFF }\n";

const SIGNATURE: &str = r#"
    static final class Signature {
        private final Class<?> type;
        Signature(Class<?> type) { this.type = type; }
        Class getDeclaringType() { return type; }
        String getDeclaringTypeName() { return type == null ? "?" : type.getName(); }
        String getName() { return "<clinit>"; }
        public String toString() { return getDeclaringTypeName() + ".<clinit>"; }
    }
"#;
