//! Hooks that are made for one list of operations.
//!
//! The hooks of the runtime can do what any site asks for: they look up what that is (see
//! [`cells`](crate::cells)). A program has few different lists of operations. For each, a class is
//! made whose hook has the tables in its code, finds out that nothing is to be done without asking
//! anybody, and changes the state of one object by itself. What is left goes to the runtime.

use std::fmt::Write as _;

use watchword_classfile::{ClassEditor, Result, access};

use crate::assembler::{VERSION, method};
use crate::cells::{Bit, Choice, OperationKind};
use crate::hook::{ENTRY, Shape, TESTED};
use crate::runtime::PREFIX;

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The letter's number.
    pub letter: usize,
    /// Its effect, and the objects that it concerns.
    pub kind: OperationKind,
    /// By case: the code each code leads to, four bits for each, and whether that is reported.
    pub tables: Vec<(u64, u16)>,
    /// Whether the first and the second object are the hook's second.
    pub objects: [bool; 2],
    /// How the case is found, and the number of that choice.
    pub choice: (usize, Choice),
}

const STATIC: u16 = access::PUBLIC | access::STATIC;

/// The internal name of a class with a hook, by number: in the package of the runtime, whose classes
/// it uses, and which every class loader finds.
pub fn name(number: usize) -> String {
    format!("{PREFIX}Hook{number}")
}

/// Has a JVM compile methods of that name once, not again and again into whoever calls them: a
/// program calls hooks at many places, and compiling them there takes longer than calling them.
/// HotSpot obeys for classes of the bootstrap loader; others do not know the annotation.
pub(crate) fn apart(class: &mut ClassEditor<'static>, name: &str) -> Result<()> {
    let attribute = class.pool.utf8("RuntimeVisibleAnnotations")?;
    let annotation = class.pool.utf8("Ljdk/internal/vm/annotation/DontInline;")?;
    let name = class.pool.utf8(name)?;
    // One annotation, without values.
    let info: Vec<u8> = [1, annotation, 0].iter().flat_map(|n| n.to_be_bytes()).collect();
    for method in class.methods.iter_mut().filter(|method| method.name == name) {
        method.set_attribute(attribute, info.clone());
    }
    Ok(())
}

/// The class of that internal name, with the hook of a shape. `tests` is 0 or the choices that decide
/// whether there is an event, see [`tests`](crate::cells::tests).
pub fn class(
    name: &'static str,
    shape: Shape,
    operations: &[Operation],
    tests: u32,
) -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(VERSION, flags, name, "java/lang/Object")?;
    let descriptor = shape.descriptor();
    let writer = Writer { shape, many: operations.len() > 1, text: String::new() };
    let text = writer.hook(operations, tests);
    method(&mut class, name, STATIC, (ENTRY, &descriptor), [12, LOCALS], &text)?;
    let tested = descriptor.replacen('(', "(Z", 1);
    let mut text = String::from("iload 0|ifeq end|iload 1");
    for object in 0..shape.objects {
        let _ = write!(text, "|aload {}", 2 + object);
    }
    if shape.longs > 0 {
        let _ = write!(text, "|lload {}", 2 + shape.objects);
    }
    let _ = write!(text, "|invokestatic {name}.{ENTRY}{descriptor}|end:|return");
    method(&mut class, name, STATIC, (TESTED, &tested), [6, 0], &text)?;
    apart(&mut class, ENTRY)?;
    class.to_bytes()
}

/// Counters, two cells, and these.
const LOCALS: u16 = 7;
const STATE: usize = 3;
const TABLE: usize = 4;
const CASE: usize = 6;

struct Writer {
    shape: Shape,
    many: bool,
    text: String,
}

impl Writer {
    fn add(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// The local variable after the parameters.
    fn local(&self, at: usize) -> usize {
        1 + self.shape.objects + 2 * self.shape.longs + at
    }

    fn hook(mut self, operations: &[Operation], tests: u32) -> String {
        self.add(
            "getstatic Hook.live:Z|ifeq end
             getstatic Hook.muted:I|ifeq heard
             getstatic Agent.agent:LAgent;|invokevirtual Agent.inside()Z|ifne end
             heard:",
        );
        if tests != 0 {
            let (first, second) = (self.given(0), self.given(1));
            self.add(format!(
                "int {}|{first}|{second}|invokestatic Choices.pass(ILObject;LObject;)Z|ifeq end",
                tests as i32
            ));
        }
        let counts = self.local(0);
        self.add(format!("invokestatic Counts.of()[J|astore {counts}"));
        for at in [false, true] {
            let looks = |o: &Operation| o.looks_at() == Some(at);
            if operations.iter().any(looks) {
                self.find(at, "first");
            }
        }
        for (number, operation) in operations.iter().enumerate() {
            let letter = operation.letter;
            self.add(format!("aload {counts}|int {letter}|dup2|laload|long 1|ladd|lastore"));
            if operation.moved() == 0 {
                continue;
            }
            self.operation(number, operation);
            self.add(format!("slow{number}:"));
            self.work(number, operation);
            self.add(format!("changed{number}:"));
            // What has been done may have given an object its cell.
            for at in [false, true] {
                let looks = |o: &Operation| o.looks_at() == Some(at);
                if operations[number + 1..].iter().any(looks) {
                    self.find(at, &format!("again{number}"));
                }
            }
            self.add(format!("next{number}:"));
        }
        self.add("end:|return");
        self.text
    }

    fn object(&self, second: bool) -> usize {
        1 + usize::from(second)
    }

    fn cell(&self, second: bool) -> usize {
        self.local(1 + usize::from(second))
    }

    /// Finds the cell of an object: here, so that the JVM learns which classes come by here.
    fn find(&mut self, second: bool, label: &str) {
        let (object, cell) = (self.object(second), self.cell(second));
        let label = format!("{label}{}", u8::from(second));
        self.add(format!(
            "aload {object}|instanceof Tracked|ifeq other{label}
             aload {object}|checkcast Tracked|invokeinterface Tracked.$watchword$cell()LCell;
             goto found{label}
             other{label}:|aload {object}|invokestatic Steps.find(LObject;)LCell;
             found{label}:|astore {cell}"
        ));
    }

    /// An object of the hook; null if it has none there.
    fn given(&self, at: usize) -> String {
        match at < self.shape.objects {
            true => format!("aload {}", 1 + at),
            false => "aconst_null".to_string(),
        }
    }

    /// Finds the case out, if it takes more than a look at a value.
    fn decide(&mut self, operation: &Operation) {
        let (number, choice) = operation.choice;
        if choice.class.is_none() {
            return;
        }
        let Shape { objects, longs } = self.shape;
        let (first, second) = (self.given(0), self.given(1));
        let long = if longs > 0 { format!("lload {}", 1 + objects) } else { "long 0".into() };
        let case = self.local(CASE);
        self.add(format!(
            "int {number}|{first}|{second}|{long}
             invokestatic Choices.of(ILObject;LObject;J)I|istore {case}"
        ));
    }

    /// Pushes the case.
    fn case(&mut self, label: &str, operation: &Operation) {
        if operation.choice.1.class.is_some() {
            let case = self.local(CASE);
            return self.add(format!("iload {case}"));
        }
        let cases = operation.choice.1.cases.map(|case| format!("int {case}"));
        self.choose(label, operation, cases);
    }

    /// Pushes what depends on the bit of a choice.
    fn choose(&mut self, label: &str, operation: &Operation, values: [String; 2]) {
        let [no, yes] = values;
        let test = match operation.choice.1.bit {
            _ if no == yes => return self.add(no),
            None => return self.add(no),
            Some(Bit::Number) => format!("lload {}|l2i|ifne", 1 + self.shape.objects),
            Some(Bit::There(second)) => format!("aload {}|ifnonnull", self.object(second)),
        };
        self.add(format!("{test} {label}|{no}|goto {label}b|{label}:|{yes}|{label}b:"));
    }

    /// Pushes a table of the case: the codes it leads to.
    fn next(&mut self, label: &str, operation: &Operation) {
        let (choice, letter) = (operation.choice.1, operation.letter);
        if choice.class.is_some() {
            let place = self.place(letter);
            return self.add(format!("getstatic Tables.next:[J|{place}|laload"));
        }
        let table = |case: u8| format!("long {}", operation.table(case).0 as i64);
        self.choose(label, operation, choice.cases.map(table));
    }

    /// Pushes a table of the case: the codes from which it is reported.
    fn reports(&mut self, label: &str, operation: &Operation) {
        let (choice, letter) = (operation.choice.1, operation.letter);
        if choice.class.is_some() {
            let place = self.place(letter);
            return self.add(format!("getstatic Tables.reports:[I|{place}|iaload"));
        }
        let table = |case: u8| format!("int {}", operation.table(case).1);
        self.choose(label, operation, choice.cases.map(table));
    }

    /// Where the runtime has a table of a letter and the case.
    fn place(&self, letter: usize) -> String {
        format!("int {}|iload {}|ior", letter << 4, self.local(CASE))
    }

    /// Lets the runtime do it.
    fn work(&mut self, number: usize, operation: &Operation) {
        let [first, second] = operation.objects.map(|second| self.object(second));
        let letter = operation.letter;
        let site = self.site();
        self.add(format!("{site}|int {letter}|aload {first}|aload {second}"));
        self.case(&format!("work{number}"), operation);
        self.add("invokestatic Steps.work(IILObject;LObject;I)V");
    }

    /// The site, and whether several properties receive the event.
    fn site(&self) -> &'static str {
        if self.many { "iload 0|int 1073741824|ior" } else { "iload 0" }
    }

    /// Pushes how shared cells know the event.
    fn key(&mut self, number: usize, operation: &Operation) {
        let (site, letter) = (self.site(), operation.letter);
        self.add(format!("{site}|int {letter}"));
        self.case(&format!("key{number}"), operation);
        self.add("invokestatic Steps.key(III)J");
    }

    /// Goes to `next` if nothing is left to be done, to `changed` if an object has another cell
    /// now, else to `slow`, which follows.
    fn operation(&mut self, number: usize, operation: &Operation) {
        let cell = self.cell(operation.objects[0]);
        let [first, second] = operation.objects.map(|second| self.object(second));
        let some = |test: fn(&(u64, u16)) -> bool| operation.possible().any(|table| test(&table));
        let table = format!("table{number}");
        let report = format!("report{number}");
        match operation.kind {
            OperationKind::Lane(shift) => {
                let (state, next) = (self.local(STATE), self.local(TABLE));
                let word = ["lanes", "lanes1", "lanes2", "lanes3"][shift as usize / 64 % 4];
                let bit = shift % 64;
                let absent = match some(|(next, report)| next & 15 != 0 || report & 1 != 0) {
                    true => format!("int 0|goto state{number}"),
                    false => format!("goto next{number}"),
                };
                self.add(format!(
                    "aload {cell}|ifnonnull there{number}|aload {first}|ifnull next{number}
                     {absent}
                     there{number}:|aload {cell}|getfield Cell.{word}:J|int {bit}|lushr|l2i
                     int 15|iand
                     state{number}:|istore {state}"
                ));
                if operation.choice.1.class.is_some() {
                    // The class is looked at only where it may matter.
                    let moved = operation.moved();
                    self.add(format!(
                        "int {moved}|iload {state}|iushr|int 1|iand|ifeq next{number}"
                    ));
                }
                self.decide(operation);
                if some(|(_, report)| *report != 0) {
                    self.reports(&report, operation);
                    self.add(format!("iload {state}|iushr|int 1|iand|ifne slow{number}"));
                }
                self.next(&table, operation);
                self.add(format!(
                    "lstore {next}
                     lload {next}|iload {state}|int 2|ishl|lushr|l2i|int 15|iand
                     iload {state}|if_icmpeq next{number}
                     aload {first}|aload {cell}"
                ));
                self.key(number, operation);
                let site = self.site();
                self.add(format!(
                    "invokestatic Steps.isMoved(LObject;LCell;J)Z|ifne changed{number}
                     iload {state}|ifeq slow{number}
                     aload {cell}|instanceof Shared|ifne slow{number}
                     aload {cell}|int {shift}|lload {next}|iload {state}
                     {site}"
                ));
                self.case(&format!("tag{number}"), operation);
                self.add(format!(
                    "invokestatic Steps.tag(II)I
                     invokevirtual Cell.moveFrom(IJII)Z|ifne next{number}"
                ));
            }
            OperationKind::Leaf(chain) => {
                self.add(format!("aload {cell}|ifnull next{number}"));
                if operation.choice.1.class.is_some() {
                    self.add(format!(
                        "aload {cell}|getfield Cell.links:LLink;|ifnull next{number}"
                    ));
                }
                self.decide(operation);
                self.add(format!("aload {cell}|int {chain}"));
                self.next(&table, operation);
                self.reports(&report, operation);
                self.add(format!("invokestatic Steps.isCalm(LCell;IJI)Z|ifne next{number}"));
            }
            OperationKind::Root(chain) => {
                self.add(format!(
                    "aload {cell}|ifnull next{number}
                     aload {cell}|int {chain}|invokevirtual Cell.isLookedAt(I)Z|ifeq next{number}"
                ));
                self.decide(operation);
            }
            OperationKind::Link(_) => {
                self.decide(operation);
                self.add(format!("aload {first}|aload {second}"));
                self.key(number, operation);
                self.add(format!(
                    "invokestatic Steps.isLinked(LObject;LObject;J)Z|ifne changed{number}"
                ));
            }
            OperationKind::Grow(chain) => {
                self.add(format!(
                    "aload {cell}|ifnull next{number}
                     aload {cell}|getfield Cell.links:LLink;|ifnull next{number}"
                ));
                self.decide(operation);
                self.add(format!("aload {first}|aload {second}"));
                self.key(number, operation);
                self.add(format!(
                    "int {chain}
                     invokestatic Steps.isGrown(LObject;LObject;JI)Z|ifne changed{number}"
                ));
            }
        }
    }
}

impl Operation {
    fn table(&self, case: u8) -> (u64, u16) {
        self.tables[usize::from(case)]
    }

    /// The tables of the cases that can be here.
    fn possible(&self) -> impl Iterator<Item = (u64, u16)> {
        let choice = self.choice.1;
        let cases: Vec<usize> = match (choice.class, choice.bit) {
            (Some(_), _) => (0..self.tables.len()).collect(),
            (None, None) => vec![choice.cases[0].into()],
            (None, Some(_)) => choice.cases.map(usize::from).to_vec(),
        };
        cases.into_iter().map(|case| self.tables[case])
    }

    /// The codes from which some case leads away, or to a report, as bits.
    fn moved(&self) -> u16 {
        self.possible().fold(0, |all, (next, report)| {
            let leaves = |code: &u64| next >> (4 * code) & 15 != *code;
            (0..16).filter(leaves).fold(all | report, |all, code| all | 1 << code)
        })
    }

    /// Whose cell decides whether anything is to be done: the hook's second object's?
    fn looks_at(&self) -> Option<bool> {
        match self.kind {
            OperationKind::Link(_) => None,
            _ => Some(self.objects[0]),
        }
    }
}
