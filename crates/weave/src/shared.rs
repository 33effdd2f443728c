//! Cells that many objects have in common.
//!
//! Most objects that are monitored live shortly and do the same as others before them: they are made
//! at the same place, and the same calls follow. What their cells would hold is the same, too. So an
//! object begins with a *shared* cell, which never changes: an event hangs another one onto the
//! object, that which the same event led to last time.
//!
//! ```java
//! final class Shared extends Cell { Shared parent, top; int size; }
//! final class Edge { final long key; final Cell from; final Shared to; final int counter; int used; }
//! ```
//!
//! A cell has *edges* to those that follow it: by letter, flag and site. The edges of an event that
//! joins an object to a root or middle are in the cell of that one, and hold as long as the root has
//! not changed since. `parent` leads back, so that a loop finds the cell it has been in before;
//! `size` counts the cells under `top`, which are limited.
//!
//! An object gets a cell of its own, with the same content, as soon as it needs one: because it is a
//! root or a middle, because it is reported or is to catch up with its root, or because there are too
//! many shared cells already. It keeps that one.

use watchword_classfile::{ClassEditor, Result, access};

use crate::assembler::method;
use crate::hook::CLASS;
use crate::runtime::{CELL, EDGE, SHARED, apart};

const STATIC: u16 = access::PUBLIC | access::STATIC;
const LOCKED: u16 = access::PUBLIC | access::SYNCHRONIZED;

/// `java/util/WatchwordEdge`.
pub(crate) fn edge_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, EDGE, "java/lang/Object")?;
    let constant = access::PUBLIC | access::FINAL;
    class.add_field(constant, "key", "J")?;
    class.add_field(constant, "from", "Ljava/util/WatchwordCell;")?;
    class.add_field(constant, "to", "Ljava/util/WatchwordShared;")?;
    class.add_field(constant, "counter", "I")?;
    class.add_field(access::PUBLIC, "used", "I")?;
    method(
        &mut class,
        EDGE,
        access::PUBLIC,
        ("<init>", "(JLCell;LShared;I)V"),
        [3, 0],
        "aload 0|invokespecial Object.<init>()V
         aload 0|lload 1|putfield Edge.key:J
         aload 0|aload 3|putfield Edge.from:LCell;
         aload 0|aload 4|putfield Edge.to:LShared;
         aload 0|iload 5|putfield Edge.counter:I|return",
    )?;
    class.to_bytes()
}

/// `java/util/WatchwordShared`.
pub(crate) fn shared_class() -> Result<Vec<u8>> {
    let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
    let mut class = ClassEditor::create(49, flags, SHARED, CELL)?;
    class.add_field(access::PUBLIC, "parent", "Ljava/util/WatchwordShared;")?;
    class.add_field(access::PUBLIC, "top", "Ljava/util/WatchwordShared;")?;
    class.add_field(access::PUBLIC, "size", "I")?;
    let mut add = |access, signature, locals, text| {
        method(&mut class, SHARED, access, signature, [12, locals], text)
    };
    add(access::PUBLIC, ("<init>", "()V"), 0, "aload 0|invokespecial Cell.<init>()V|return")?;
    // A cell like this one, under the same top; none if there are too many.
    add(
        access::PUBLIC,
        ("successor", "()LShared;"),
        1,
        "aload 0|getfield Shared.top:LShared;|getfield Shared.size:I
         aload 0|getfield Shared.top:LShared;|getstatic Cell.blank:LShared;|if_acmpeq large
         int 256|goto limit
         large:|int 16384
         limit:|if_icmplt fits|aconst_null|areturn
         fits:|new Shared|dup|invokespecial Shared.<init>()V|astore 1
         aload 1|aload 0|invokevirtual Cell.copy(LCell;)V
         aload 1|aload 0|getfield Cell.links:LLink;|putfield Cell.links:LLink;
         aload 1|aload 0|putfield Shared.parent:LShared;
         aload 1|aload 0|getfield Shared.top:LShared;|putfield Shared.top:LShared;
         aload 1|areturn",
    )?;
    // A cell that is to follow, or one with the same content on the way here.
    add(
        access::PUBLIC,
        ("known", "(LShared;)LShared;"),
        2,
        "aload 0|astore 2|int 16|istore 3
         again:|aload 2|ifnull unknown|iload 3|ifeq unknown
         aload 2|getfield Cell.lanes:J|aload 1|getfield Cell.lanes:J|lcmp|ifne other
         aload 2|getfield Cell.h0:J|aload 1|getfield Cell.h0:J|lcmp|ifne other
         aload 2|getfield Cell.h1:J|aload 1|getfield Cell.h1:J|lcmp|ifne other
         aload 2|getfield Cell.links:LLink;|aload 1|getfield Cell.links:LLink;
         invokestatic Shared.alike(LLink;LLink;)Z|ifeq other
         aload 2|areturn
         other:|aload 2|getfield Shared.parent:LShared;|astore 2
         iload 3|int 1|isub|istore 3|goto again
         unknown:
         aload 0|getfield Shared.top:LShared;|dup|getfield Shared.size:I|int 1|iadd|putfield Shared.size:I
         aload 1|areturn",
    )?;
    add(
        STATIC,
        ("alike", "(LLink;LLink;)Z"),
        0,
        "again:|aload 0|aload 1|if_acmpeq yes
         aload 0|ifnull no|aload 1|ifnull no
         aload 0|getfield Link.up:LCell;|aload 1|getfield Link.up:LCell;|if_acmpne no
         aload 0|getfield Link.middle:LCell;|aload 1|getfield Link.middle:LCell;|if_acmpne no
         aload 0|getfield Link.chain:I|aload 1|getfield Link.chain:I|if_icmpne no
         aload 0|getfield Link.state:I|aload 1|getfield Link.state:I|if_icmpne no
         aload 0|getfield Link.stamp:I|aload 1|getfield Link.stamp:I|if_icmpne no
         aload 0|getfield Link.next:LLink;|astore 0
         aload 1|getfield Link.next:LLink;|astore 1|goto again
         yes:|int 1|ireturn
         no:|int 0|ireturn",
    )?;
    // (key, shift, next, tag, counter): the edge of an event that moves a lane; none if there are
    // too many cells. Edge 8, to 9, code 10.
    add(
        LOCKED,
        ("lane", "(JIJII)LEdge;"),
        3,
        "aload 0|lload 1|aload 0|invokevirtual Cell.edge(JLCell;)LEdge;|dup|astore 8|ifnonnull there
         aload 0|invokevirtual Shared.successor()LShared;|dup|astore 9|ifnull there
         aload 0|getfield Cell.lanes:J|iload 3|lushr|l2i|int 15|iand|istore 10
         aload 9|aload 9|getfield Cell.lanes:J
         iload 10|lload 4|iload 10|int 2|ishl|lushr|l2i|int 15|iand|ixor|i2l|iload 3|lshl|lxor
         putfield Cell.lanes:J
         iload 10|ifeq begins|int 0|istore 7
         begins:
         aload 0|lload 1|aload 9|iload 6|iload 7|invokevirtual Shared.learn(JLShared;II)LEdge;|astore 8
         there:|aload 8|areturn",
    )?;
    // (key, chain, next, tag): the edge of an event of a leaf. Edge 7, to 8, link 9.
    add(
        LOCKED,
        ("leaf", "(JIJI)LEdge;"),
        3,
        "aload 0|lload 1|aload 0|invokevirtual Cell.edge(JLCell;)LEdge;|dup|astore 7|ifnonnull there
         aload 0|invokevirtual Shared.successor()LShared;|dup|astore 8|ifnull there
         aload 8|aload 0|getfield Cell.links:LLink;|invokestatic Cell.copies(LLink;)LLink;
         dup|astore 9|putfield Cell.links:LLink;
         again:|aload 9|ifnull done
         aload 9|getfield Link.chain:I|iload 3|if_icmpne other
         aload 9|lload 4|aload 9|getfield Link.state:I|int 2|ishl|lushr|l2i|int 15|iand|putfield Link.state:I
         other:|aload 9|getfield Link.next:LLink;|astore 9|goto again
         done:
         aload 0|lload 1|aload 8|iload 6|int 0|invokevirtual Shared.learn(JLShared;II)LEdge;|astore 7
         there:|aload 7|areturn",
    )?;
    // (key, to, tag, counter): makes an edge.
    add(
        access::PUBLIC,
        ("learn", "(JLShared;II)LEdge;"),
        1,
        "aload 3|iload 4|invokevirtual Cell.push(I)V
         new Edge|dup|lload 1|aload 0|aload 0|aload 3|invokevirtual Shared.known(LShared;)LShared;|iload 5
         invokespecial Edge.<init>(JLCell;LShared;I)V|astore 6
         aload 0|aload 6|invokevirtual Cell.keep(LEdge;)V
         aload 6|areturn",
    )?;
    ["lane", "leaf", "learn", "known"].iter().try_for_each(|name| apart(&mut class, name))?;
    class.to_bytes()
}

/// What every cell has of it.
pub(crate) fn add_to_cell(class: &mut ClassEditor<'static>) -> Result<()> {
    let constant = access::PUBLIC | access::STATIC | access::FINAL;
    class.add_field(constant, "blank", "Ljava/util/WatchwordShared;")?;
    class.add_field(constant, "once", "[Ljava/util/WatchwordEdge;")?;
    let mut add = |access, signature, locals, text| {
        method(class, CELL, access, signature, [14, locals], text)
    };
    // (object, where its class has the cell or 0, that class, before, after): changes the cell of
    // an object, in one atomic step.
    add(
        STATIC,
        ("swap", "(LTracked;JLClass;LCell;LCell;)Z"),
        0,
        "lload 1|long 0|lcmp|ifne known
         getstatic Cell.unsafe:LUnsafe;|aload 3|text $watchword$cell
         invokevirtual Unsafe.objectFieldOffset(LClass;Ljava/lang/String;)J|lstore 1
         aload 0|lload 1|invokeinterface Tracked.$watchword$setPlace(J)V
         known:
         getstatic Cell.unsafe:LUnsafe;|aload 0|lload 1|aload 4|aload 5
         invokevirtual Unsafe.compareAndSetReference(LObject;JLObject;LObject;)Z|ireturn",
    )?;
    // The same for old class files, whose code cannot name its class.
    add(
        STATIC | access::SYNCHRONIZED,
        ("swap", "(LTracked;LCell;LCell;)Z"),
        0,
        "aload 0|invokeinterface Tracked.$watchword$cell()LCell;|aload 1|if_acmpne no
         aload 0|aload 2|invokeinterface Tracked.$watchword$setCell(LCell;)V|int 1|ireturn
         no:|int 0|ireturn",
    )?;
    // The cell of an object, its own.
    add(
        STATIC,
        ("own", "(LTracked;)LCell;"),
        2,
        "again:|aload 0|invokeinterface Tracked.$watchword$cell()LCell;|dup|astore 1|ifnull fresh
         aload 1|instanceof Shared|ifne fresh|aload 1|areturn
         fresh:|new Cell|dup|invokespecial Cell.<init>()V|astore 2
         aload 1|ifnull put
         aload 2|aload 1|invokevirtual Cell.copy(LCell;)V
         aload 2|aload 1|getfield Cell.links:LLink;|invokestatic Cell.copies(LLink;)LLink;|putfield Cell.links:LLink;
         put:|aload 0|aload 1|aload 2|invokeinterface Tracked.$watchword$swap(LCell;LCell;)Z|ifeq again
         aload 2|areturn",
    )?;
    // The identity in a cell, and of an object that has it there.
    add(
        STATIC,
        ("idOf", "(LCell;)J"),
        0,
        "aload 0|ifnull none|aload 0|getfield Cell.id:J|lreturn|none:|long 0|lreturn",
    )?;
    add(
        STATIC,
        ("name", "(LTracked;J)V"),
        0,
        "aload 0|invokestatic Cell.own(LTracked;)LCell;|lload 1|putfield Cell.id:J|return",
    )?;
    add(
        access::PUBLIC,
        ("copy", "(LCell;)V"),
        0,
        "aload 0|aload 1|getfield Cell.lanes:J|putfield Cell.lanes:J
         aload 0|aload 1|getfield Cell.h0:J|putfield Cell.h0:J
         aload 0|aload 1|getfield Cell.h1:J|putfield Cell.h1:J|return",
    )?;
    add(
        STATIC,
        ("copies", "(LLink;)LLink;"),
        3,
        "aconst_null|astore 1|aconst_null|astore 2
         again:|aload 0|ifnull done
         new Link|dup|invokespecial Link.<init>()V|astore 3
         aload 3|aload 0|getfield Link.chain:I|putfield Link.chain:I
         aload 3|aload 0|getfield Link.up:LCell;|putfield Link.up:LCell;
         aload 3|aload 0|getfield Link.middle:LCell;|putfield Link.middle:LCell;
         aload 3|aload 0|getfield Link.epochs:[I|putfield Link.epochs:[I
         aload 3|aload 0|getfield Link.stamp:I|putfield Link.stamp:I
         aload 3|aload 0|getfield Link.state:I|putfield Link.state:I
         aload 2|ifnull first|aload 2|aload 3|putfield Link.next:LLink;|goto more
         first:|aload 3|astore 1
         more:|aload 3|astore 2|aload 0|getfield Link.next:LLink;|astore 0|goto again
         done:|aload 1|areturn",
    )?;
    add(
        STATIC,
        ("place", "(J[LEdge;)I"),
        0,
        "lload 0|lload 0|int 32|lushr|lxor|l2i|int -1640531535|imul|int 20|iushr
         aload 2|arraylength|int 1|isub|iand|ireturn",
    )?;
    // (key, from): the edge of an event; none if there is none. Edges 4, place 5, edge 6.
    add(
        access::PUBLIC,
        ("edge", "(JLCell;)LEdge;"),
        3,
        "aload 0|getfield Cell.edges:[LEdge;|dup|astore 4|ifnull none
         aload 4|arraylength|ifeq none
         lload 1|aload 4|invokestatic Cell.place(J[LEdge;)I|istore 5
         aload 4|iload 5|aaload|dup|astore 6|ifnull second
         aload 6|getfield Edge.key:J|lload 1|lcmp|ifne second
         aload 6|getfield Edge.from:LCell;|aload 3|if_acmpne second
         aload 6|areturn
         second:
         aload 4|iload 5|int 1|ixor|aaload|dup|astore 6|ifnull none
         aload 6|getfield Edge.key:J|lload 1|lcmp|ifne none
         aload 6|getfield Edge.from:LCell;|aload 3|if_acmpne none
         aload 6|areturn
         none:|aconst_null|areturn",
    )?;
    // (edge, edges): puts it where it belongs, if that is free or its own place.
    add(
        STATIC,
        ("put", "(LEdge;[LEdge;)Z"),
        3,
        "aload 0|getfield Edge.key:J|aload 1|invokestatic Cell.place(J[LEdge;)I|istore 2|int 2|istore 4
         again:|aload 1|iload 2|aaload|dup|astore 3|ifnull free
         aload 3|getfield Edge.key:J|aload 0|getfield Edge.key:J|lcmp|ifne other
         aload 3|getfield Edge.from:LCell;|aload 0|getfield Edge.from:LCell;|if_acmpeq free
         other:|iload 2|int 1|ixor|istore 2|iload 4|int 1|isub|dup|istore 4|ifne again
         int 0|ireturn
         free:|aload 1|iload 2|aload 0|aastore|int 1|ireturn",
    )?;
    // Keeps an edge; if there is no room for all of them, instead of another. Edges 2, old 3, at 4.
    add(
        access::PUBLIC,
        ("keep", "(LEdge;)V"),
        3,
        "aload 0|getfield Cell.edges:[LEdge;|dup|astore 2|ifnull fresh
         aload 2|arraylength|ifne again
         fresh:|int 4|anewarray Edge|astore 2
         again:|aload 1|aload 2|invokestatic Cell.put(LEdge;[LEdge;)Z|ifne done
         aload 2|arraylength
         aload 0|getstatic Cell.blank:LShared;|if_acmpeq large
         int 64|goto limit
         large:|int 4096
         limit:|if_icmplt grow
         aload 2|aload 1|getfield Edge.key:J|aload 2|invokestatic Cell.place(J[LEdge;)I|aload 1|aastore|goto done
         grow:|aload 2|astore 3|aload 3|arraylength|int 1|ishl|anewarray Edge|astore 2|int 0|istore 4
         move:|iload 4|aload 3|arraylength|if_icmpge again
         aload 3|iload 4|aaload|ifnull none
         aload 3|iload 4|aaload|aload 2|invokestatic Cell.put(LEdge;[LEdge;)Z|pop
         none:|iload 4|int 1|iadd|istore 4|goto move
         done:|aload 0|aload 2|putfield Cell.edges:[LEdge;|return",
    )?;
    // (key, from, up, middle, chain, state, tag, counter): the edge of an event that joins objects
    // to the one that has this cell; none if it is better that the object has a cell of its own:
    // because it is the first, or because the root has always changed before another one came.
    // Edge 10, to 11, link 12, count 13.
    add(
        LOCKED,
        ("join", "(JLCell;LCell;LCell;IIII)LEdge;"),
        4,
        "aload 0|getfield Cell.edges:[LEdge;|ifnonnull second
         aload 0|getstatic Cell.once:[LEdge;|putfield Cell.edges:[LEdge;|aconst_null|areturn
         second:
         aload 0|lload 1|aload 3|invokevirtual Cell.edge(JLCell;)LEdge;|dup|astore 10|ifnull make
         aload 10|getfield Edge.to:LShared;|getfield Cell.links:LLink;|getfield Link.stamp:I
         aload 4|getfield Cell.epochs:[I|iload 6|int 1|ishl|iaload|if_icmpne stale
         aload 10|areturn
         stale:|aload 10|getfield Edge.used:I|ifgt make
         aload 10|aload 10|getfield Edge.used:I|int 1|isub|putfield Edge.used:I
         aload 10|getfield Edge.used:I|int -8|if_icmplt make|aconst_null|areturn
         make:|int 0|istore 13
         aload 3|ifnull few|aload 3|getfield Cell.links:LLink;|astore 12
         again:|aload 12|ifnull few
         iload 13|int 1|iadd|dup|istore 13|int 8|if_icmpge many
         aload 12|getfield Link.next:LLink;|astore 12|goto again
         many:|aconst_null|areturn
         few:|new Shared|dup|invokespecial Shared.<init>()V|astore 11
         new Link|dup|invokespecial Link.<init>()V|astore 12
         aload 3|ifnull bare
         aload 11|aload 3|invokevirtual Cell.copy(LCell;)V
         aload 12|aload 3|getfield Cell.links:LLink;|putfield Link.next:LLink;
         bare:
         aload 12|iload 6|putfield Link.chain:I
         aload 12|aload 4|putfield Link.up:LCell;
         aload 12|aload 5|putfield Link.middle:LCell;
         aload 12|aload 4|getfield Cell.epochs:[I|putfield Link.epochs:[I
         aload 12|aload 4|getfield Cell.epochs:[I|iload 6|int 1|ishl|iaload|putfield Link.stamp:I
         aload 12|iload 7|putfield Link.state:I
         aload 4|getfield Cell.epochs:[I|iload 6|int 1|ishl|int 1|iadd|int 1|iastore
         aload 11|aload 12|putfield Cell.links:LLink;
         aload 11|aload 11|putfield Shared.top:LShared;
         aload 11|iload 8|invokevirtual Cell.push(I)V
         new Edge|dup|lload 1|aload 3|aload 11|iload 9|invokespecial Edge.<init>(JLCell;LShared;I)V|astore 10
         aload 0|aload 10|invokevirtual Cell.keep(LEdge;)V
         aload 10|areturn",
    )
}

/// What the hook class does with shared cells.
pub(crate) fn add_to_hook(class: &mut ClassEditor<'static>) -> Result<()> {
    let mut add =
        |signature, locals, text| method(class, CLASS, STATIC, signature, [12, locals], text);
    // (site, letter, flag): how edges know an event. Bits 26 to 29 are for a state.
    add(
        ("key", "(III)J"),
        0,
        "iload 1|i2l|int 32|lshl
         iload 2|int 24|ishl|iload 0|iload 2|invokestatic Hook.tag(II)I|ior|i2l|lor|lreturn",
    )?;
    // (object, its cell, to, counter): whether the object has taken that step.
    add(
        ("follow", "(LObject;LCell;LEdge;)Z"),
        1,
        "aload 0|checkcast Tracked|aload 1|aload 2|getfield Edge.to:LShared;
         invokeinterface Tracked.$watchword$swap(LCell;LCell;)Z|ifeq no
         aload 2|getfield Edge.counter:I|dup|istore 3|ifeq yes
         iload 3|invokestatic Hook.count(I)V
         yes:|int 1|ireturn
         no:|int 0|ireturn",
    )?;
    // (object 0, its cell 1, key 2): from 4, edge 5. Whether an event of one object was seen in this
    // situation before, and the same has been done again.
    add(
        ("swift", "(LObject;LCell;J)Z"),
        2,
        "aload 1|ifnonnull there
         aload 0|instanceof Tracked|ifeq no
         getstatic Cell.blank:LShared;|astore 4|goto look
         there:|aload 1|instanceof Shared|ifeq no
         aload 1|astore 4
         look:|aload 4|lload 2|aload 4|invokevirtual Cell.edge(JLCell;)LEdge;|dup|astore 5|ifnull no
         aload 0|aload 1|aload 5|invokestatic Hook.follow(LObject;LCell;LEdge;)Z|ireturn
         no:|int 0|ireturn",
    )?;
    // (anchor 0, object 1, key 2, chain 4): cell 5, edge 6, link 7. The same for an object that is
    // joined to the one of that cell.
    add(
        ("joined", "(LCell;LObject;JI)Z"),
        3,
        "aload 0|ifnull no|aload 1|instanceof Tracked|ifeq no
         aload 1|checkcast Tracked|invokeinterface Tracked.$watchword$cell()LCell;|astore 5
         aload 0|lload 2|aload 5|invokevirtual Cell.edge(JLCell;)LEdge;|dup|astore 6|ifnull no
         aload 6|getfield Edge.to:LShared;|getfield Cell.links:LLink;|astore 7
         aload 7|getfield Link.epochs:[I|iload 4|int 1|ishl|iaload|aload 7|getfield Link.stamp:I|if_icmpne no
         aload 6|getfield Edge.used:I|ifgt used|aload 6|int 1|putfield Edge.used:I
         used:|aload 1|aload 5|aload 6|invokestatic Hook.follow(LObject;LCell;LEdge;)Z|ireturn
         no:|int 0|ireturn",
    )?;
    add(
        ("linked", "(LObject;LObject;JI)Z"),
        0,
        "aload 0|invokestatic Hook.find(LObject;)LCell;|aload 1|lload 2|iload 4
         invokestatic Hook.joined(LCell;LObject;JI)Z|ireturn",
    )?;
    // (middle 0, object 1, key 2, chain 4): cell 5, link 6. A middle has a state, which has to be
    // that of the time before.
    add(
        ("grown", "(LObject;LObject;JI)Z"),
        2,
        "aload 0|invokestatic Hook.find(LObject;)LCell;|dup|astore 5|ifnull no
         aload 5|iload 4|invokestatic Hook.only(LCell;I)LLink;|dup|astore 6|ifnull no
         aload 6|getfield Link.epochs:[I|iload 4|int 1|ishl|iaload|aload 6|getfield Link.stamp:I|if_icmpne no
         aload 5|aload 1|lload 2|aload 6|getfield Link.state:I|i2l|int 26|lshl|lor|iload 4
         invokestatic Hook.joined(LCell;LObject;JI)Z|ireturn
         no:|int 0|ireturn",
    )?;
    // (cell, chain): its link to a root, if there is exactly one of that chain. Link 2, found 3.
    add(
        ("only", "(LCell;I)LLink;"),
        2,
        "aload 0|getfield Cell.links:LLink;|astore 2|aconst_null|astore 3
         again:|aload 2|ifnull done
         aload 2|getfield Link.chain:I|iload 1|if_icmpne other
         aload 2|getfield Link.middle:LCell;|ifnonnull other
         aload 3|ifnull first|aconst_null|areturn
         first:|aload 2|astore 3
         other:|aload 2|getfield Link.next:LLink;|astore 2|goto again
         done:|aload 3|areturn",
    )?;
    // (cell, chain, up, middle): whether it has that link.
    add(
        ("has", "(LCell;ILCell;LCell;)Z"),
        1,
        "aload 0|getfield Cell.links:LLink;|astore 4
         again:|aload 4|ifnull no
         aload 4|getfield Link.chain:I|iload 1|if_icmpne other
         aload 4|getfield Link.up:LCell;|aload 2|if_acmpne other
         aload 4|getfield Link.middle:LCell;|aload 3|if_acmpne other
         int 1|ireturn
         other:|aload 4|getfield Link.next:LLink;|astore 4|goto again
         no:|int 0|ireturn",
    )?;
    // (cell, chain, report): whether no link of a chain is to catch up or to be reported.
    add(
        ("quiet", "(LCell;II)Z"),
        1,
        "aload 0|getfield Cell.links:LLink;|astore 3
         again:|aload 3|ifnull yes
         aload 3|getfield Link.chain:I|iload 1|if_icmpne other
         aload 3|getfield Link.epochs:[I|iload 1|int 1|ishl|iaload|aload 3|getfield Link.stamp:I|if_icmpne no
         iload 2|aload 3|getfield Link.state:I|iushr|int 1|iand|ifne no
         other:|aload 3|getfield Link.next:LLink;|astore 3|goto again
         yes:|int 1|ireturn
         no:|int 0|ireturn",
    )
}
