//! State in the objects: what the hook class does without calling the agent.
//!
//! For properties whose plan says so (see `home` in `watchword-plan`), an object has a *cell*, made
//! when it first takes part in a slice:
//!
//! ```java
//! final class Cell {
//!     long lanes;      // four bits per property of one parameter: the code of its state
//!     long h0, h1;     // the last six events that changed something: 21 bits each, the site and a flag
//!     long id;         // the identity of an object that is a root or a middle
//!     Link links;      // slices of chains this object is the leaf (or middle) of
//!     int[] epochs;    // of a root, per chain: how often it changed, and whether anybody looked since
//!     Edge[] edges;    // what follows: see `shared`
//! }
//! final class Link { Cell up, middle; int chain, state, stamp, told; int[] epochs; Link next; }
//! ```
//!
//! A site of the program has up to four *operations*, fifteen bits each: which letter, which
//! operands, whether the last one is a flag; the sign bit says that the engine wants the event as
//! well. What changes nothing is found out without a lock; lanes change in one atomic step, what is
//! more than that is done in a synchronized method of the cell. Events of a root only count: `epochs`. A link that has another
//! number than its root catches up when it is its turn, and copies the place of the root's last
//! change into the history of its own cell.
//!
//! Where no order is enforced by the program, either order is right: an event happens when its
//! thread looks. What an order of the program enforces is seen, because the fields are read after
//! and written before whatever enforces it.
//!
//! Reports are made by the native method `told`, outside of all locks.

use watchword_classfile::{ClassEditor, Result, access};

use crate::assembler::method;
use crate::hook::CLASS;
use crate::runtime::{CELL, EDGE, LINK, SHARED, apart};
use crate::shared;

/// Name of the field of `java.lang.Thread` that has a thread's counters.
pub const COUNTERS: &str = "$watchword$counts";
/// Name and descriptor of the native method that makes reports.
pub const TOLD: (&str, &str) = ("told", "(IIIJJJIJJ)V");
/// Name and descriptor of the native method that says whether this thread is the agent's.
pub const INSIDE: (&str, &str) = ("inside", "()Z");
/// Name and descriptor of the native method that gives, one by one, identities of objects that are
/// gone and had their cell beside them; 0 if there are no more.
pub const GONE: (&str, &str) = ("gone", "()J");

/// What an operation says to the objects, as the hook class knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// The state is in the lane at this bit.
    Lane(u32),
    /// The leaf of a chain.
    Leaf(u32),
    /// The root of a chain.
    Root(u32),
    /// Root, and leaf or middle.
    Link(u32),
    /// Middle and leaf.
    Grow(u32),
}

impl OperationKind {
    /// As a number; `counter` counts the instances that begin.
    pub fn bits(self, counter: usize) -> i32 {
        let (role, what) = match self {
            OperationKind::Lane(shift) => (0, shift),
            OperationKind::Leaf(chain) => (1, chain),
            OperationKind::Root(chain) => (2, chain),
            OperationKind::Link(chain) => (3, chain),
            OperationKind::Grow(chain) => (4, chain),
        };
        (role | what << 8 | (counter as u32) << 16) as i32
    }
}

/// How many operations a site can have.
pub const MAX_OPERATIONS: usize = 4;

/// One operation of a site: the letter, whether the first and the second object are the hook's
/// second, and whether the hook's `long` is the flag.
pub fn operation(letter: usize, first: bool, second: bool, flag: bool) -> i64 {
    i64::from(first) | i64::from(second) << 1 | i64::from(flag) << 2 | (letter as i64) << 3
}

/// All operations of a site in one number; `also` if the agent wants the event, too. 0 if there are
/// none: the hook class takes anything else for at least one.
pub fn operations(all: &[i64], also: bool) -> i64 {
    if all.is_empty() {
        return 0;
    }
    let packed = all.iter().rev().fold(0, |packed, one| packed << 15 | one);
    if also { packed | i64::MIN } else { packed }
}

/// What is not done at most events. One in the other they make code that takes a JVM long to
/// compile, again and again, each time something in one of them turns out to be possible.
const APART: [&str; 11] = [
    "handled", "work", "counters", "make", "beside", "lane", "leaf", "link", "grow", "join", "tell",
];
/// The same of cells.
const APART_IN_CELLS: [&str; 8] =
    ["own", "copies", "catchUp", "leaf", "link", "bump", "keep", "join"];

const STATIC: u16 = access::PUBLIC | access::STATIC;
const LOCKED: u16 = access::PUBLIC | access::SYNCHRONIZED;

/// `java/util/WatchwordCell` and what cells are made of.
pub(crate) fn classes() -> Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        (LINK, link_class()?),
        (CELL, cell_class()?),
        (SHARED, shared::shared_class()?),
        (EDGE, shared::edge_class()?),
    ])
}

fn data_class(name: &'static str, fields: &[(&str, &str)]) -> Result<ClassEditor<'static>> {
    let flags = access::PUBLIC | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, name, "java/lang/Object")?;
    for (field, descriptor) in fields {
        class.add_field(access::PUBLIC, field, descriptor)?;
    }
    let text = "aload 0|invokespecial Object.<init>()V|return";
    method(&mut class, name, access::PUBLIC, ("<init>", "()V"), [1, 0], text)?;
    Ok(class)
}

fn link_class() -> Result<Vec<u8>> {
    let cell = "Ljava/util/WatchwordCell;";
    data_class(
        LINK,
        &[
            ("up", cell),
            ("middle", cell),
            ("next", "Ljava/util/WatchwordLink;"),
            ("epochs", "[I"),
            ("chain", "I"),
            ("state", "I"),
            ("stamp", "I"),
            ("told", "I"),
        ],
    )?
    .to_bytes()
}

fn cell_class() -> Result<Vec<u8>> {
    let mut class = data_class(
        CELL,
        &[
            ("lanes", "J"),
            ("h0", "J"),
            ("h1", "J"),
            ("id", "J"),
            ("links", "Ljava/util/WatchwordLink;"),
            ("epochs", "[I"),
            ("edges", "[Ljava/util/WatchwordEdge;"),
        ],
    )?;
    let constant = access::PUBLIC | access::STATIC | access::FINAL;
    class.add_field(constant, "unsafe", "Ljdk/internal/misc/Unsafe;")?;
    class.add_field(constant, "offset", "J")?;
    shared::add_to_cell(&mut class)?;
    let mut add = |access, signature, locals, text| {
        method(&mut class, CELL, access, signature, [14, locals], text)
    };
    add(
        access::STATIC,
        ("<clinit>", "()V"),
        1,
        "invokestatic Unsafe.getUnsafe()LUnsafe;|dup|putstatic Cell.unsafe:LUnsafe;
         ldc_w Cell|text lanes
         invokevirtual Unsafe.objectFieldOffset(Ljava/lang/Class;Ljava/lang/String;)J
         putstatic Cell.offset:J
         new Shared|dup|invokespecial Shared.<init>()V|astore 0
         aload 0|aload 0|putfield Shared.top:LShared;
         aload 0|putstatic Cell.blank:LShared;
         int 0|anewarray Edge|putstatic Cell.once:[LEdge;|return",
    )?;
    // The history: the last event is in the lowest bits. What several properties say of one event,
    // which bit 21 tells, is in it once.
    add(
        access::PUBLIC,
        ("push", "(I)V"),
        0,
        "iload 1|ifeq nothing
         iload 1|int 2097152|iand|ifeq alone
         iload 1|int 2097151|iand|istore 1
         aload 0|getfield Cell.h0:J|l2i|int 2097151|iand|iload 1|if_icmpeq nothing
         alone:
         aload 0|aload 0|getfield Cell.h1:J|int 21|lshl
         aload 0|getfield Cell.h0:J|int 42|lushr|lor|long 9223372036854775807|land|putfield Cell.h1:J
         aload 0|aload 0|getfield Cell.h0:J|int 21|lshl|iload 1|i2l|lor
         long 9223372036854775807|land|putfield Cell.h0:J
         nothing:|return",
    )?;
    // (shift, next, tag) → the code before.
    add(
        access::PUBLIC,
        ("move", "(IJI)I"),
        1,
        "again:|aload 0|getfield Cell.lanes:J|iload 1|lushr|l2i|int 15|iand|istore 5
         aload 0|iload 1|lload 2|iload 5|iload 4|invokevirtual Cell.moveFrom(IJII)Z|ifeq again
         iload 5|ireturn",
    )?;
    // (shift, next, code, tag): whether it was in that code, and has moved on.
    add(
        access::PUBLIC,
        ("moveFrom", "(IJII)Z"),
        2,
        "aload 0|getfield Cell.lanes:J|lstore 6
         lload 6|iload 1|lushr|l2i|int 15|iand|iload 4|if_icmpne no
         getstatic Cell.unsafe:LUnsafe;|aload 0|getstatic Cell.offset:J|lload 6
         lload 6|iload 4|lload 2|iload 4|int 2|ishl|lushr|l2i|int 15|iand|ixor|i2l|iload 1|lshl|lxor
         invokevirtual Unsafe.compareAndSetLong(LObject;JJJ)Z|ifeq no
         aload 0|iload 5|invokevirtual Cell.push(I)V
         int 1|ireturn
         no:|int 0|ireturn",
    )?;
    // A link catches up with its root.
    add(
        access::PUBLIC,
        ("refresh", "(LLink;J)V"),
        2,
        "aload 1|getfield Link.epochs:[I|aload 1|getfield Link.chain:I|int 1|ishl|iaload|dup|istore 4
         aload 1|getfield Link.stamp:I|if_icmpeq same
         aload 1|iload 4|putfield Link.stamp:I
         aload 1|getfield Link.epochs:[I|aload 1|getfield Link.chain:I|int 1|ishl|int 1|iadd|int 1|iastore
         lload 2|aload 1|getfield Link.state:I|int 2|ishl|lushr|l2i|int 15|iand|istore 5
         iload 5|aload 1|getfield Link.state:I|if_icmpeq same
         aload 1|iload 5|putfield Link.state:I
         aload 0|aload 1|getfield Link.up:LCell;|getfield Cell.h0:J|long 2097151|land|l2i
         invokevirtual Cell.push(I)V
         same:|return",
    )?;
    // (chain, root): all links of a chain catch up.
    add(
        LOCKED,
        ("catchUp", "(IJ)V"),
        1,
        "aload 0|getfield Cell.links:LLink;|astore 4
         again:|aload 4|ifnull done
         aload 4|getfield Link.chain:I|iload 1|if_icmpne other
         aload 0|aload 4|lload 2|invokevirtual Cell.refresh(LLink;J)V
         other:|aload 4|getfield Link.next:LLink;|astore 4|goto again
         done:|return",
    )?;
    // (link, next, report) → whether the state changed or is reported. Steps a link.
    add(
        access::PUBLIC,
        ("step", "(LLink;JI)Z"),
        2,
        "aload 1|getfield Link.state:I|istore 5
         lload 2|iload 5|int 2|ishl|lushr|l2i|int 15|iand|istore 6
         iload 4|iload 5|iushr|int 1|iand|ifeq silent
         aload 1|iload 5|int 1|iadd|putfield Link.told:I
         aload 1|iload 6|putfield Link.state:I|int 1|ireturn
         silent:|iload 5|iload 6|if_icmpne moved|int 0|ireturn
         moved:|aload 1|iload 6|putfield Link.state:I|int 1|ireturn",
    )?;
    // (chain, next, report, root, tag) → the links, some of which may have to be told of.
    add(
        LOCKED,
        ("leaf", "(IJIJI)LLink;"),
        2,
        "aload 0|getfield Cell.links:LLink;|astore 8|int 0|istore 9
         again:|aload 8|ifnull done
         aload 8|getfield Link.chain:I|iload 1|if_icmpne other
         aload 0|aload 8|lload 5|invokevirtual Cell.refresh(LLink;J)V
         iload 9|aload 0|aload 8|lload 2|iload 4|invokevirtual Cell.step(LLink;JI)Z|ior|istore 9
         other:|aload 8|getfield Link.next:LLink;|astore 8|goto again
         done:|iload 9|ifeq quiet
         aload 0|iload 7|invokevirtual Cell.push(I)V
         quiet:|aload 0|getfield Cell.links:LLink;|areturn",
    )?;
    // (up, middle, chain, next, report, root, tag, from) → the link between them, if there is one.
    add(
        LOCKED,
        ("link", "(LCell;LCell;IJIJII)LLink;"),
        2,
        "aload 0|getfield Cell.links:LLink;|astore 11
         again:|aload 11|ifnull absent
         aload 11|getfield Link.chain:I|iload 3|if_icmpne other
         aload 11|getfield Link.up:LCell;|aload 1|if_acmpne other
         aload 11|getfield Link.middle:LCell;|aload 2|if_acmpne other
         aload 0|aload 11|lload 7|invokevirtual Cell.refresh(LLink;J)V
         aload 0|aload 11|lload 4|iload 6|invokevirtual Cell.step(LLink;JI)Z|ifeq same
         aload 0|iload 9|invokevirtual Cell.push(I)V
         same:|aload 11|areturn
         other:|aload 11|getfield Link.next:LLink;|astore 11|goto again
         absent:
         lload 4|iload 10|int 2|ishl|lushr|l2i|int 15|iand|istore 12
         iload 12|iload 10|if_icmpne begin|aconst_null|areturn
         begin:|new Link|dup|invokespecial Link.<init>()V|astore 11
         aload 11|iload 3|putfield Link.chain:I
         aload 11|aload 1|putfield Link.up:LCell;
         aload 11|aload 2|putfield Link.middle:LCell;
         aload 11|aload 1|getfield Cell.epochs:[I|putfield Link.epochs:[I
         aload 11|aload 1|getfield Cell.epochs:[I|iload 3|int 1|ishl|iaload|putfield Link.stamp:I
         aload 11|iload 12|putfield Link.state:I
         aload 11|iload 6|iload 10|iushr|int 1|iand|iload 10|int 1|iadd|imul|int 32|ior|putfield Link.told:I
         aload 11|aload 0|getfield Cell.links:LLink;|putfield Link.next:LLink;
         aload 0|aload 11|putfield Cell.links:LLink;
         aload 1|getfield Cell.epochs:[I|iload 3|int 1|ishl|int 1|iadd|int 1|iastore
         aload 0|iload 9|invokevirtual Cell.push(I)V
         aload 11|areturn",
    )?;
    // What is to be told of a link, once: the code before plus one; 32 if it is new.
    add(
        LOCKED,
        ("taken", "(LLink;)I"),
        1,
        "aload 1|getfield Link.told:I|istore 2|aload 1|int 0|putfield Link.told:I|iload 2|ireturn",
    )?;
    add(
        LOCKED,
        ("ready", "(I)V"),
        0,
        "aload 0|getfield Cell.epochs:[I|ifnonnull there
         aload 0|iload 1|int 1|ishl|newarray 10|putfield Cell.epochs:[I
         there:|return",
    )?;
    // (chain, tag): a root changes.
    add(
        LOCKED,
        ("bump", "(II)V"),
        0,
        "aload 0|getfield Cell.epochs:[I|iload 1|int 1|ishl|dup2|iaload|int 1|iadd|iastore
         aload 0|getfield Cell.epochs:[I|iload 1|int 1|ishl|int 1|iadd|int 0|iastore
         aload 0|iload 2|invokevirtual Cell.push(I)V|return",
    )?;
    APART_IN_CELLS.iter().try_for_each(|name| apart(&mut class, name))?;
    class.to_bytes()
}

/// The fields and methods of the hook class.
pub(crate) fn add_to_hook(class: &mut ClassEditor<'static>) -> Result<()> {
    for (name, descriptor) in [
        ("ops", "[J"),
        ("next", "[J"),
        ("reports", "[I"),
        ("infos", "[I"),
        ("roots", "[J"),
        ("muted", "I"),
        ("counters", "I"),
        ("shared", "[J"),
        ("sides", "Ljava/util/HashMap;"),
        ("all", "Ljava/util/ArrayList;"),
    ] {
        class.add_field(STATIC, name, descriptor)?;
    }
    for (name, descriptor) in [TOLD, INSIDE, GONE] {
        class.add_method(STATIC | access::NATIVE, name, descriptor, None)?;
    }
    set_up(class)?;
    cells_of_objects(class)?;
    events(class)?;
    shared::add_to_hook(class)?;
    APART.iter().try_for_each(|name| apart(class, name))
}

/// What the agent calls to say what there is.
fn set_up(class: &mut ClassEditor<'static>) -> Result<()> {
    let mut add = |access, signature, locals, text| {
        method(class, CLASS, access, signature, [8, locals], text)
    };
    let locked = STATIC | access::SYNCHRONIZED;
    // (letters, chains, counters)
    add(
        STATIC,
        ("inline", "(III)V"),
        0,
        "iload 0|int 3|imul|newarray 11|putstatic Hook.next:[J
         iload 0|int 3|imul|newarray 10|putstatic Hook.reports:[I
         iload 0|newarray 10|putstatic Hook.infos:[I
         iload 1|newarray 11|putstatic Hook.roots:[J
         iload 2|putstatic Hook.counters:I
         iload 2|newarray 11|putstatic Hook.shared:[J
         new List|dup|invokespecial List.<init>()V|putstatic Hook.all:LList;
         getstatic Hook.all:LList;|getstatic Hook.shared:[J|invokevirtual List.add(LObject;)Z|pop
         new Cell|dup|invokespecial Cell.<init>()V|pop
         int 1024|newarray 11|putstatic Hook.ops:[J|return",
    )?;
    // (letter, flag, next, report, info)
    add(
        STATIC,
        ("letter", "(IIJII)V"),
        0,
        "getstatic Hook.next:[J|iload 0|int 3|imul|iload 1|iadd|lload 2|lastore
         getstatic Hook.reports:[I|iload 0|int 3|imul|iload 1|iadd|iload 4|iastore
         getstatic Hook.infos:[I|iload 0|iload 5|iastore|return",
    )?;
    add(STATIC, ("chain", "(IJ)V"), 0, "getstatic Hook.roots:[J|iload 0|lload 1|lastore|return")?;
    // (site, operations)
    add(
        locked,
        ("site", "(IJ)V"),
        1,
        "getstatic Hook.ops:[J|astore 3
         iload 0|aload 3|arraylength|if_icmplt fits
         aload 3|iload 0|int 1|ishl|invokestatic java/util/Arrays.copyOf([JI)[J|astore 3
         fits:|aload 3|iload 0|lload 1|lastore
         aload 3|putstatic Hook.ops:[J|return",
    )?;
    add(
        locked,
        ("mute", "(I)V"),
        0,
        "getstatic Hook.muted:I|iload 0|iadd|putstatic Hook.muted:I|return",
    )?;
    // The counters of all threads, added up.
    add(
        locked,
        ("total", "()[J"),
        4,
        "getstatic Hook.counters:I|newarray 11|astore 0|int 0|istore 1
         threads:|iload 1|getstatic Hook.all:LList;|invokevirtual List.size()I|if_icmpge done
         getstatic Hook.all:LList;|iload 1|invokevirtual List.get(I)LObject;|checkcast [J|astore 2
         int 0|istore 3
         again:|iload 3|aload 0|arraylength|if_icmpge more
         aload 0|iload 3|dup2|laload|aload 2|iload 3|laload|ladd|lastore
         iload 3|int 1|iadd|istore 3|goto again
         more:|iload 1|int 1|iadd|istore 1|goto threads
         done:|aload 0|areturn",
    )?;
    // The counters of a thread that has none yet. There may be millions of virtual threads: they
    // share theirs, and may lose a count.
    add(
        locked,
        ("counters", "(LThread;)[J"),
        1,
        "aload 0|invokevirtual Object.getClass()Ljava/lang/Class;
         invokevirtual java/lang/Class.getName()Ljava/lang/String;
         text java.lang.VirtualThread|invokevirtual java/lang/String.equals(LObject;)Z|ifeq own
         getstatic Hook.shared:[J|areturn
         own:|getstatic Hook.counters:I|newarray 11|astore 1
         aload 0|aload 1|putfield Thread.$watchword$counts:[J
         getstatic Hook.all:LList;|aload 1|invokevirtual List.add(LObject;)Z|pop
         aload 1|areturn",
    )
}

/// `find` and `make`: the cell of an object, if it has one, and one of its own.
fn cells_of_objects(class: &mut ClassEditor<'static>) -> Result<()> {
    let mut add = |access, signature, locals, text| {
        method(class, CLASS, access, signature, [8, locals], text)
    };
    let locked = STATIC | access::SYNCHRONIZED;
    add(
        STATIC,
        ("find", "(LObject;)LCell;"),
        0,
        "aload 0|instanceof Tracked|ifeq other
         aload 0|checkcast Tracked|invokeinterface Tracked.$watchword$cell()LCell;|areturn
         other:|aload 0|ifnull none|getstatic Hook.sides:LMap;|ifnull none
         aload 0|invokestatic Hook.side(LObject;)J|int 0|invokestatic Hook.beside(JI)LCell;|areturn
         none:|aconst_null|areturn",
    )?;
    add(
        STATIC,
        ("make", "(LObject;)LCell;"),
        0,
        "aload 0|instanceof Tracked|ifeq other
         aload 0|checkcast Tracked|invokestatic Cell.own(LTracked;)LCell;|areturn
         other:|aload 0|invokestatic Hook.side(LObject;)J|int 1|invokestatic Hook.beside(JI)LCell;|areturn",
    )?;
    // Cells of objects that cannot hold one, by identity.
    add(
        locked,
        ("beside", "(JI)LCell;"),
        4,
        "getstatic Hook.sides:LMap;|ifnonnull there
         new Map|dup|invokespecial Map.<init>()V|putstatic Hook.sides:LMap;
         there:|invokestatic Hook.gone()J|lstore 3|lload 3|long 0|lcmp|ifeq buried
         getstatic Hook.sides:LMap;|lload 3|invokestatic Long.valueOf(J)LLong;
         invokevirtual Map.remove(LObject;)LObject;|pop|goto there
         buried:|getstatic Hook.sides:LMap;|lload 0|invokestatic Long.valueOf(J)LLong;
         invokevirtual Map.get(LObject;)LObject;|checkcast Cell|astore 5
         aload 5|ifnonnull found|iload 2|ifeq found
         new Cell|dup|invokespecial Cell.<init>()V|astore 5
         aload 5|lload 0|putfield Cell.id:J
         getstatic Hook.sides:LMap;|lload 0|invokestatic Long.valueOf(J)LLong;|aload 5
         invokevirtual Map.put(LObject;LObject;)LObject;|pop
         found:|aload 5|areturn",
    )
}

/// What happens at a site.
fn events(class: &mut ClassEditor<'static>) -> Result<()> {
    let mut add =
        |signature, locals, text| method(class, CLASS, STATIC, signature, [16, locals], text);
    // (site, first, second, flag) → whether nothing is left for the agent.
    add(
        ("handled", "(ILObject;LObject;J)Z"),
        6,
        "getstatic Hook.ops:[J|astore 5|aload 5|ifnull no
         iload 0|aload 5|arraylength|if_icmpge no
         aload 5|iload 0|laload|lstore 6
         lload 6|long 0|lcmp|ifeq no
         getstatic Hook.muted:I|ifeq heard
         invokestatic Hook.inside()Z|ifeq heard|int 1|ireturn
         heard:|lload 6|long 9223372036854775807|land|lstore 8
         lload 8|int 15|lushr|long 0|lcmp|ifeq again
         iload 0|int 1073741824|ior|istore 0
         again:|lload 8|l2i|int 32767|iand|istore 10
         iload 0|iload 10|int 3|iushr
         iload 10|int 1|iand|ifeq firsta|aload 2|goto firstb
         firsta:|aload 1
         firstb:|iload 10|int 2|iand|ifeq seconda|aload 2|goto secondb
         seconda:|aload 1
         secondb:|iload 10|int 4|iand|ifeq unflagged|lload 3|l2i|goto flagged
         unflagged:|int 0
         flagged:|invokestatic Hook.act(IILObject;LObject;I)V
         lload 8|int 15|lushr|dup2|lstore 8|long 0|lcmp|ifne again
         lload 6|long 0|lcmp|ifle no
         int 1|ireturn
         no:|int 0|ireturn",
    )?;
    add(
        ("counts", "()[J"),
        1,
        "invokestatic Thread.currentThread()LThread;|dup|getfield Thread.$watchword$counts:[J
         dup|astore 0|ifnull fresh
         pop|aload 0|areturn
         fresh:|invokestatic Hook.counters(LThread;)[J|areturn",
    )?;
    add(
        ("count", "(I)V"),
        0,
        "invokestatic Hook.counts()[J|iload 0|dup2|laload|long 1|ladd|lastore|return",
    )?;
    // How the history knows a site and a flag; 0 if it cannot. Bit 30 of a site says that several
    // properties are told of the event, bit 21 of the answer says it.
    add(
        ("tag", "(II)I"),
        0,
        "iload 0|int 1073741823|iand|int 1048574|if_icmplt known|int 0|ireturn
         known:|iload 0|int 1073741823|iand|int 1|iadd|int 1|ishl|iload 1|int 1|iand|ior
         iload 0|int 9|iushr|int 2097152|iand|ior|ireturn",
    )?;
    // (site, letter, first, second, flag)
    add(
        ("act", "(IILObject;LObject;I)V"),
        0,
        "iload 1|invokestatic Hook.count(I)V
         iload 0|iload 1|aload 2|aload 3|iload 4|invokestatic Hook.work(IILObject;LObject;I)V
         return",
    )?;
    // The same without counting it.
    add(
        ("work", "(IILObject;LObject;I)V"),
        4,
        "getstatic Hook.infos:[I|iload 1|iaload|istore 5
         getstatic Hook.next:[J|iload 1|int 3|imul|iload 4|iadd|laload|lstore 6
         getstatic Hook.reports:[I|iload 1|int 3|imul|iload 4|iadd|iaload|istore 8
         iload 5|int 7|iand|switch 0:lane 1:leaf 2:root 3:link 4:grow grow
         lane:|iload 0|iload 1|aload 2|iload 4|iload 5|lload 6|iload 8|invokestatic Hook.lane(IILObject;IIJI)V|return
         leaf:|iload 0|iload 1|aload 2|iload 4|iload 5|lload 6|iload 8|invokestatic Hook.leaf(IILObject;IIJI)V|return
         root:|iload 0|aload 2|iload 4|iload 5|invokestatic Hook.root(ILObject;II)V|return
         link:|iload 0|iload 1|aload 2|aload 3|iload 4|iload 5|lload 6|iload 8|invokestatic Hook.link(IILObject;LObject;IIJI)V|return
         grow:|iload 0|iload 1|aload 2|aload 3|iload 4|iload 5|lload 6|iload 8|invokestatic Hook.grow(IILObject;LObject;IIJI)V|return",
    )?;
    // (site 0, letter 1, object 2, flag 3, info 4, next 5, report 7): cell 8, before 9, edge 10.
    add(
        ("lane", "(IILObject;IIJI)V"),
        3,
        "again:|aload 2|invokestatic Hook.find(LObject;)LCell;|astore 8
         aload 8|ifnonnull there
         aload 2|ifnull nothing
         int 0|goto state
         there:
         aload 8|getfield Cell.lanes:J|iload 4|int 8|iushr|int 63|iand|lushr|l2i|int 15|iand
         state:|istore 9
         iload 7|iload 9|iushr|int 1|iand|ifne own
         lload 5|iload 9|int 2|ishl|lushr|l2i|int 15|iand|iload 9|if_icmpeq nothing
         aload 2|instanceof Tracked|ifeq own
         aload 8|ifnonnull mine
         getstatic Cell.blank:LShared;|goto share
         mine:|aload 8|instanceof Shared|ifeq own
         aload 8|checkcast Shared
         share:
         iload 0|iload 1|iload 3|invokestatic Hook.key(III)J|iload 4|int 8|iushr|int 63|iand|lload 5
         iload 0|iload 3|invokestatic Hook.tag(II)I|iload 4|int 16|iushr
         invokevirtual Shared.lane(JIJII)LEdge;|dup|astore 10|ifnull own
         aload 2|aload 8|aload 10|invokestatic Hook.follow(LObject;LCell;LEdge;)Z|ifeq again
         nothing:|return
         own:|aload 2|invokestatic Hook.make(LObject;)LCell;|astore 8
         aload 8|iload 4|int 8|iushr|int 63|iand|lload 5|iload 0|iload 3|invokestatic Hook.tag(II)I
         invokevirtual Cell.move(IJI)I|istore 9
         iload 9|ifne known|iload 4|int 16|iushr|invokestatic Hook.count(I)V
         known:|iload 7|iload 9|iushr|int 1|iand|ifeq done
         iload 0|iload 1|iload 3|aload 2|invokestatic Hook.id(LObject;)J|long 0|long 0|iload 9
         aload 8|getfield Cell.h0:J|aload 8|getfield Cell.h1:J|invokestatic Hook.told(IIIJJJIJJ)V
         done:|return",
    )?;
    // (cell 0, chain 1, next 2, report 4): link 5, state 6. Whether an event of a leaf changes none
    // of its links.
    add(
        ("calm", "(LCell;IJI)Z"),
        2,
        "aload 0|getfield Cell.links:LLink;|astore 5
         again:|aload 5|ifnull yes
         aload 5|getfield Link.chain:I|iload 1|if_icmpne other
         aload 5|getfield Link.epochs:[I|iload 1|int 1|ishl|iaload|aload 5|getfield Link.stamp:I|if_icmpne no
         aload 5|getfield Link.state:I|istore 6
         lload 2|iload 6|int 2|ishl|lushr|l2i|int 15|iand|iload 6|if_icmpne no
         iload 4|iload 6|iushr|int 1|iand|ifne no
         other:|aload 5|getfield Link.next:LLink;|astore 5|goto again
         yes:|int 1|ireturn
         no:|int 0|ireturn",
    )?;
    // As `lane`: cell 8, link 9, chain 10, edge 11.
    add(
        ("leaf", "(IILObject;IIJI)V"),
        4,
        "again:|aload 2|invokestatic Hook.find(LObject;)LCell;|dup|astore 8|ifnull nothing
         iload 4|int 8|iushr|int 255|iand|istore 10
         aload 8|iload 10|lload 5|iload 7|invokestatic Hook.calm(LCell;IJI)Z|ifne nothing
         aload 8|instanceof Shared|ifeq own
         aload 8|iload 10|iload 7|invokestatic Hook.quiet(LCell;II)Z|ifeq make
         aload 8|checkcast Shared|iload 0|iload 1|iload 3|invokestatic Hook.key(III)J|iload 10|lload 5
         iload 0|iload 3|invokestatic Hook.tag(II)I|invokevirtual Shared.leaf(JIJI)LEdge;|dup|astore 11|ifnull make
         aload 2|aload 8|aload 11|invokestatic Hook.follow(LObject;LCell;LEdge;)Z|ifeq again
         return
         make:|aload 2|invokestatic Hook.make(LObject;)LCell;|astore 8
         own:|aload 8|iload 10|lload 5|iload 7|getstatic Hook.roots:[J|iload 10|laload
         iload 0|iload 3|invokestatic Hook.tag(II)I|invokevirtual Cell.leaf(IJIJI)LLink;|astore 9
         tell:|aload 9|ifnull done
         aload 9|getfield Link.told:I|ifeq silent
         iload 0|iload 1|iload 3|aload 2|aload 8|aload 9|iload 10|invokestatic Hook.tell(IIILObject;LCell;LLink;I)V
         silent:|aload 9|getfield Link.next:LLink;|astore 9|goto tell
         done:|return
         nothing:|return",
    )?;
    // (site 0, letter 1, flag 2, leaf 3, its cell 4, link 5, chain 6): tells what is to be told of a
    // link. A link that was told of by another chain's event is that one's.
    add(
        ("tell", "(IIILObject;LCell;LLink;I)V"),
        1,
        "aload 5|getfield Link.chain:I|iload 6|if_icmpne nothing
         aload 4|aload 5|invokevirtual Cell.taken(LLink;)I|int 31|iand|dup|istore 7|ifeq nothing
         iload 0|iload 1|iload 2|aload 3|invokestatic Hook.id(LObject;)J
         aload 5|getfield Link.middle:LCell;|ifnonnull long
         long 0|goto both
         long:|aload 5|getfield Link.middle:LCell;|getfield Cell.id:J
         both:|aload 5|getfield Link.up:LCell;|getfield Cell.id:J
         iload 7|int 1|isub|aload 4|getfield Cell.h0:J|aload 4|getfield Cell.h1:J
         invokestatic Hook.told(IIIJJJIJJ)V
         nothing:|return",
    )?;
    // (site 0, object 1, flag 2, info 3): cell 4, chain 5.
    add(
        ("root", "(ILObject;II)V"),
        2,
        "aload 1|invokestatic Hook.find(LObject;)LCell;|dup|astore 4|ifnull nothing
         aload 4|getfield Cell.epochs:[I|ifnull nothing
         iload 3|int 8|iushr|int 255|iand|istore 5
         aload 4|getfield Cell.epochs:[I|iload 5|int 1|ishl|int 1|iadd|iaload|ifeq nothing
         aload 4|iload 5|iload 0|iload 2|invokestatic Hook.tag(II)I|invokevirtual Cell.bump(II)V
         nothing:|return",
    )?;
    // The cell of a root or middle: its own, with its identity.
    add(
        ("named", "(LObject;)LCell;"),
        1,
        "aload 0|invokestatic Hook.make(LObject;)LCell;|astore 1
         aload 1|getfield Cell.id:J|long 0|lcmp|ifne known
         aload 1|aload 0|invokestatic Hook.id(LObject;)J|putfield Cell.id:J
         known:|aload 1|areturn",
    )?;
    // (site 0, letter 1, root 2, child 3, flag 4, info 5, next 6, report 8): up 9, cell 10.
    add(
        ("link", "(IILObject;LObject;IIJI)V"),
        2,
        "aload 2|ifnull nothing|aload 3|ifnull nothing
         lload 6|l2i|int 15|iand|ifne begins
         aload 3|invokestatic Hook.find(LObject;)LCell;|dup|astore 10|ifnull nothing
         aload 10|getfield Cell.links:LLink;|ifnull nothing
         begins:
         aload 2|invokestatic Hook.named(LObject;)LCell;|astore 9
         aload 9|getfield Cell.epochs:[I|ifnonnull ready
         aload 9|getstatic Hook.roots:[J|arraylength|invokevirtual Cell.ready(I)V
         ready:
         iload 0|iload 1|iload 4|aload 3|aload 9|aload 9|aconst_null|iload 5|lload 6|iload 8|int 0
         invokestatic Hook.join(IIILObject;LCell;LCell;LCell;IJII)V
         nothing:|return",
    )?;
    // (site 0, letter 1, flag 2, leaf 3, the cell that has the edges 4, up 5, middle 6, info 7,
    // next 8, report 10, from 11): link 12, chain 13, cell 14, edge 15, state 16.
    add(
        ("join", "(IIILObject;LCell;LCell;LCell;IJII)V"),
        5,
        "iload 7|int 8|iushr|int 255|iand|istore 13
         lload 8|iload 11|int 2|ishl|lushr|l2i|int 15|iand|istore 16
         aload 3|invokestatic Hook.find(LObject;)LCell;|astore 14
         aload 14|ifnull alone
         aload 14|iload 13|aload 5|aload 6|invokestatic Hook.has(LCell;ILCell;LCell;)Z|ifne own
         alone:|iload 16|iload 11|if_icmpeq nothing
         iload 10|iload 11|iushr|int 1|iand|ifne own
         aload 4|ifnull own|aload 3|instanceof Tracked|ifeq own
         aload 14|ifnull share|aload 14|instanceof Shared|ifeq own
         share:
         aload 4|iload 0|iload 1|iload 2|invokestatic Hook.key(III)J|iload 11|i2l|int 26|lshl|lor
         aload 14|aload 5|aload 6|iload 13|iload 16
         iload 0|iload 2|invokestatic Hook.tag(II)I|iload 7|int 16|iushr
         invokevirtual Cell.join(JLCell;LCell;LCell;IIII)LEdge;|dup|astore 15|ifnull own
         aload 3|aload 14|aload 15|invokestatic Hook.follow(LObject;LCell;LEdge;)Z|ifne nothing
         own:|aload 3|invokestatic Hook.make(LObject;)LCell;|astore 14
         aload 14|aload 5|aload 6|iload 13|lload 8|iload 10|getstatic Hook.roots:[J|iload 13|laload
         iload 0|iload 2|invokestatic Hook.tag(II)I|iload 11
         invokevirtual Cell.link(LCell;LCell;IJIJII)LLink;|dup|astore 12|ifnull nothing
         aload 12|getfield Link.told:I|ifeq nothing
         aload 12|getfield Link.told:I|int 32|iand|ifeq old
         iload 7|int 16|iushr|invokestatic Hook.count(I)V
         old:|iload 0|iload 1|iload 2|aload 3|aload 14|aload 12|iload 13
         invokestatic Hook.tell(IIILObject;LCell;LLink;I)V
         nothing:|return",
    )?;
    // (site 0, letter 1, middle 2, leaf 3, flag 4, info 5, next 6, report 8): cell 9, link 10,
    // chain 11, the only link 12.
    add(
        ("grow", "(IILObject;LObject;IIJI)V"),
        4,
        "aload 3|ifnull nothing
         aload 2|invokestatic Hook.find(LObject;)LCell;|dup|astore 9|ifnull nothing
         aload 9|getfield Cell.links:LLink;|ifnull nothing
         aload 2|invokestatic Hook.named(LObject;)LCell;|astore 9
         iload 5|int 8|iushr|int 255|iand|istore 11
         aload 9|iload 11|getstatic Hook.roots:[J|iload 11|laload|invokevirtual Cell.catchUp(IJ)V
         aload 9|iload 11|invokestatic Hook.only(LCell;I)LLink;|astore 12
         aload 9|getfield Cell.links:LLink;|astore 10
         again:|aload 10|ifnull nothing
         aload 10|getfield Link.chain:I|iload 11|if_icmpne other
         aload 10|getfield Link.middle:LCell;|ifnonnull other
         iload 0|iload 1|iload 4|aload 3
         aload 12|ifnonnull single|aconst_null|goto anchor
         single:|aload 9
         anchor:|aload 10|getfield Link.up:LCell;|aload 9|iload 5|lload 6|iload 8|aload 10|getfield Link.state:I
         invokestatic Hook.join(IIILObject;LCell;LCell;LCell;IJII)V
         other:|aload 10|getfield Link.next:LLink;|astore 10|goto again
         nothing:|return",
    )
}

/// Adds the field for counters to `java/lang/Thread`.
pub fn count_in(bytes: &[u8]) -> Result<Vec<u8>> {
    let class = watchword_classfile::ClassFile::parse(bytes)?;
    let mut editor = ClassEditor::new(&class);
    let flags = access::PUBLIC | access::TRANSIENT | access::SYNTHETIC;
    editor.add_field(flags, COUNTERS, "[J")?;
    editor.to_bytes()
}
