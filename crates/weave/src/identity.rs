//! Identities of objects, kept in the objects.
//!
//! A class that [takes](inject) an identity implements [`TRACKED`], whose methods read and write
//! hidden fields: an identity, 0 until the runtime sets it, or a cell that has it. Subclasses inherit it, so only
//! the topmost class of a hierarchy that can take it gets it. Objects of other classes are the
//! business of a side table.

use std::fmt;
use std::sync::Arc;

use watchword_classfile::simulate::MethodContext;
use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Constant, Error, JStr, Kind, Opcode, Snippet, access,
};
use watchword_select::{ClassFacts, Hierarchy, KnownTypes};

use crate::runtime::{self, TRACKED};
use crate::serial;

/// Name of the field, of type `long`.
pub const FIELD: &str = "$watchword$id";
/// Reads the identity: `()J`.
pub const GETTER: &str = "$watchword$id";
/// Writes it: `(J)V`.
pub const SETTER: &str = "$watchword$setId";

/// Name of the field with the object's cell, of type [`CELL`](crate::runtime::CELL), and of the
/// method that reads it.
pub const CELL: &str = "$watchword$cell";
/// Writes it.
pub const CELL_SETTER: &str = "$watchword$setCell";
/// Writes it if it is still the one before.
pub const CELL_SWAP: &str = "$watchword$swap";
/// Name of the static field that remembers where the cell is in an object; 0 until it is known.
pub const PLACE: &str = "$watchword$place";
/// Writes that.
pub const PLACE_SETTER: &str = "$watchword$setPlace";

/// What objects hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// An identity.
    Identity,
    /// A cell, which has the identity, if one is needed.
    Cell,
    /// An identity and a cell.
    Both,
}

/// Why a class cannot take an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An interface, annotation or module: it has no instances of its own.
    NoInstances,
    /// A record: its components are what it is made of.
    Record,
    /// An enum: few objects, held forever.
    Enum,
    /// The JVM knows the layout of its objects, or makes them before anything can be changed.
    KnownToTheVm,
    /// A superclass has it already.
    Inherited,
    /// Value-based or hidden: identity is not to be relied upon.
    NoIdentity,
    /// A member of that name is there already.
    Taken,
    /// The class file could not be read or written.
    Malformed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NoInstances => "it has no instances of its own",
            Refusal::Record => "it is a record",
            Refusal::Enum => "it is an enum",
            Refusal::KnownToTheVm => "the JVM knows the layout of its objects",
            Refusal::Inherited => "a superclass has an identity field already",
            Refusal::NoIdentity => "its objects have no identity of their own",
            Refusal::Taken => "it has a member of that name already",
            Refusal::Malformed(why) => return f.write_str(why),
        })
    }
}

impl std::error::Error for Refusal {}

/// Classes whose objects the JVM makes or lays out itself, before or beside what can be changed.
const KNOWN_TO_THE_VM: [&str; 12] = [
    "java/lang/Object",
    "java/lang/String",
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/Throwable",
    "java/lang/StackTraceElement",
    "java/lang/ref/Reference",
    "java/lang/invoke/MemberName",
    "java/lang/invoke/ResolvedMethodName",
    "java/lang/invoke/MethodType",
    "java/lang/invoke/CallSite",
];

/// The package of classes that are parts of the JVM. With objects of one of them, which must be as small as objects
/// can be, it fills gaps in the heap; others end with a stack.
const PARTS_OF_THE_VM: &str = "jdk/internal/vm/";

/// Classes whose objects are compared by value; in newer JDKs an annotation tells.
const BOXES: [&str; 9] = [
    "java/lang/Number",
    "java/lang/Boolean",
    "java/lang/Character",
    "java/lang/Byte",
    "java/lang/Short",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Float",
    "java/lang/Double",
];

/// Whether a class could take an identity, as far as the class alone decides.
pub fn refuses(class: &ClassFacts) -> Option<Refusal> {
    let name = class.name.as_str();
    if class.access & (access::INTERFACE | access::MODULE) != 0 {
        return Some(Refusal::NoInstances);
    }
    if class.access & access::ENUM != 0 || class.super_name.as_deref() == Some("java/lang/Enum") {
        return Some(Refusal::Enum);
    }
    if name == "java/lang/Enum" {
        return Some(Refusal::Enum);
    }
    if name == "java/lang/Record" || class.super_name.as_deref() == Some("java/lang/Record") {
        return Some(Refusal::Record);
    }
    if KNOWN_TO_THE_VM.contains(&name) || name.starts_with(PARTS_OF_THE_VM) {
        return Some(Refusal::KnownToTheVm);
    }
    let value_based = |a: &String| a == "jdk.internal.ValueBased";
    if BOXES.contains(&name) || class.annotations.iter().any(value_based) {
        return Some(Refusal::NoIdentity);
    }
    let taken = |name: &str| name == FIELD || name == GETTER || name == SETTER;
    if class.fields.iter().any(|f| taken(&f.name)) || class.methods.iter().any(|m| taken(&m.name)) {
        return Some(Refusal::Taken);
    }
    None
}

/// Adds the field, the accessors and the interface to a class. A serialisable class without a
/// `serialVersionUID` gets the one it had. The caller sees to it that no superclass has an
/// identity already, and that the class is not loaded yet: shapes cannot change afterwards.
///
/// A program may make a proxy of all interfaces of an object. The proxy is then `Tracked`, too; a
/// runtime must not call the accessors of a `java.lang.reflect.Proxy`.
pub fn inject(bytes: &[u8], hierarchy: &dyn Hierarchy, held: Held) -> Result<Vec<u8>, Refusal> {
    let malformed = |error: Error| Refusal::Malformed(error.to_string());
    let class = ClassFile::parse(bytes).map_err(malformed)?;
    let facts = ClassFacts::of(&class).map_err(malformed)?;
    if let Some(refusal) = refuses(&facts) {
        return Err(refusal);
    }
    let world = KnownTypes::new(hierarchy, Arc::new(facts));
    add_members(&class, &world, held).map_err(malformed)
}

/// A class that was given all this when it was loaded and that somebody redefines: what is missing by
/// now is added again, in the same order. `None` if nothing is missing, or if the class cannot be read.
pub fn restore(bytes: &[u8], hierarchy: &dyn Hierarchy, held: Held) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).ok()?;
    let facts = ClassFacts::of(&class).ok()?;
    if Missing::in_class(&facts, held).is_nothing() {
        return None;
    }
    let world = KnownTypes::new(hierarchy, Arc::new(facts));
    add_members(&class, &world, held).ok()
}

fn add_members(
    class: &ClassFile<'_>,
    world: &KnownTypes<'_>,
    held: Held,
) -> watchword_classfile::Result<Vec<u8>> {
    let name = class.name()?;
    let own = name.to_str().into_owned();
    let mut editor = ClassEditor::new(class);
    let serialised = world.is_subtype(&own, "java/io/Serializable")
        || world.is_subtype(&own, "java/io/Externalizable");
    let mut fields = class.fields();
    if serialised && !fields.any(|f| f.name().is_ok_and(|n| n == serial::FIELD)) {
        let uid = serial::default_uid(class)?;
        let constant = editor.pool.add(Constant::Long(uid))?;
        let attribute = editor.pool.utf8("ConstantValue")?;
        let flags = access::PRIVATE | access::STATIC | access::FINAL | access::SYNTHETIC;
        let field = editor.add_field(flags, serial::FIELD, "J")?;
        field.set_attribute(attribute, constant.to_be_bytes().to_vec());
    }
    let missing = Missing::in_class(&ClassFacts::of(class)?, held);
    for (flags, field, descriptor) in &missing.fields {
        editor.add_field(*flags, field, descriptor)?;
    }
    for (method, descriptor) in missing.methods {
        // Not final: where classes of one name differ, a class and one above it may both get them, and then
        // the objects of the lower one use its own.
        let flags = access::PUBLIC | access::SYNTHETIC;
        let context = MethodContext {
            class: name,
            name: JStr::new(method.as_bytes()),
            descriptor: JStr::new(descriptor.as_bytes()),
            access: flags,
        };
        let mut code = CodeEditor::create(class.major, context, STACK)?;
        code.append(&accessor(&mut editor, &own, class.major, held, method)?);
        let code = code.finish(&mut editor.pool)?;
        editor.add_method(flags, method, descriptor, Some(code))?;
    }
    if missing.interface {
        editor.add_interface(TRACKED)?;
    }
    editor.to_bytes()
}

/// What a class has to get.
struct Missing {
    fields: Vec<Field>,
    methods: Vec<(&'static str, &'static str)>,
    interface: bool,
}

impl Missing {
    fn in_class(class: &ClassFacts, held: Held) -> Missing {
        let mut fields = fields(held);
        fields.retain(|(_, field, _)| class.field(field).is_none());
        let mut methods = accessors(held).to_vec();
        methods.retain(|(name, descriptor)| class.method(name, descriptor).is_none());
        let interface = !class.interfaces.iter().any(|above| above == TRACKED);
        Missing { fields, methods, interface }
    }

    fn is_nothing(&self) -> bool {
        self.fields.is_empty() && self.methods.is_empty() && !self.interface
    }
}

/// Type of the cell, and the class that has what accessors call.
const CELL_TYPE: &str = "Ljava/util/WatchwordCell;";
/// How much stack an accessor needs.
pub const STACK: u16 = 6;

/// Names and descriptors of the methods that reach what an object holds.
pub fn accessors(held: Held) -> &'static [(&'static str, &'static str)] {
    const ALL: [(&str, &str); 6] = [
        (GETTER, "()J"),
        (SETTER, "(J)V"),
        (CELL, "()Ljava/util/WatchwordCell;"),
        (CELL_SETTER, "(Ljava/util/WatchwordCell;)V"),
        (CELL_SWAP, "(Ljava/util/WatchwordCell;Ljava/util/WatchwordCell;)Z"),
        (PLACE_SETTER, "(J)V"),
    ];
    if held == Held::Identity { &ALL[..2] } else { &ALL }
}

/// A field: its flags, name and descriptor.
type Field = (u16, &'static str, &'static str);

/// The hidden fields.
fn fields(held: Held) -> Vec<Field> {
    let flags = access::PRIVATE | access::TRANSIENT | access::SYNTHETIC;
    let identity = (flags, FIELD, "J");
    let cell = [(flags, CELL, CELL_TYPE), (flags | access::STATIC, PLACE, "J")];
    match held {
        Held::Identity => vec![identity],
        Held::Cell => cell.to_vec(),
        Held::Both => [&[identity], &cell[..]].concat(),
    }
}

/// Adds the hidden fields.
pub fn add_fields(editor: &mut ClassEditor<'_>, held: Held) -> watchword_classfile::Result<()> {
    for (flags, field, descriptor) in fields(held) {
        editor.add_field(flags, field, descriptor)?;
    }
    Ok(())
}

/// The code of one of the accessors of a class, by its internal name.
pub fn accessor(
    editor: &mut ClassEditor<'_>,
    own: &str,
    major: u16,
    held: Held,
    method: &str,
) -> watchword_classfile::Result<Snippet> {
    let pool = &mut editor.pool;
    let cell = runtime::CELL;
    let mut body = Snippet::new();
    if method == PLACE_SETTER {
        let place = pool.field(own, PLACE, "J")?;
        body.load(Kind::Long, 1).with_constant(Opcode::PUTSTATIC, place).ret(None);
        return Ok(body);
    }
    body.load(Kind::Reference, 0);
    match method {
        GETTER if held == Held::Cell => {
            let field = pool.field(own, CELL, CELL_TYPE)?;
            let read = pool.method(cell, "idOf", "(Ljava/util/WatchwordCell;)J")?;
            body.with_constant(Opcode::GETFIELD, field);
            body.with_constant(Opcode::INVOKESTATIC, read).ret(Some(Kind::Long));
        }
        SETTER if held == Held::Cell => {
            let write = pool.method(cell, "name", "(Ljava/util/WatchwordTracked;J)V")?;
            body.load(Kind::Long, 1).with_constant(Opcode::INVOKESTATIC, write).ret(None);
        }
        GETTER => {
            let field = pool.field(own, FIELD, "J")?;
            body.with_constant(Opcode::GETFIELD, field).ret(Some(Kind::Long));
        }
        SETTER => {
            let field = pool.field(own, FIELD, "J")?;
            body.load(Kind::Long, 1).with_constant(Opcode::PUTFIELD, field).ret(None);
        }
        CELL => {
            let field = pool.field(own, CELL, CELL_TYPE)?;
            body.with_constant(Opcode::GETFIELD, field).ret(Some(Kind::Reference));
        }
        CELL_SETTER => {
            let field = pool.field(own, CELL, CELL_TYPE)?;
            body.load(Kind::Reference, 1).with_constant(Opcode::PUTFIELD, field).ret(None);
        }
        _ => {
            let cells = "Ljava/util/WatchwordCell;Ljava/util/WatchwordCell;)Z";
            let swap = if major >= FIRST_WITH_CLASSES {
                let place = pool.field(own, PLACE, "J")?;
                let class = pool.class(own)?;
                body.with_constant(Opcode::GETSTATIC, place).with_constant(Opcode::LDC_W, class);
                format!("(Ljava/util/WatchwordTracked;JLjava/lang/Class;{cells}")
            } else {
                format!("(Ljava/util/WatchwordTracked;{cells}")
            };
            let swap = pool.method(cell, "swap", &swap)?;
            body.load(Kind::Reference, 1).load(Kind::Reference, 2);
            body.with_constant(Opcode::INVOKESTATIC, swap).ret(Some(Kind::Int));
        }
    }
    Ok(body)
}

/// The first version of class files whose code can name classes as constants.
const FIRST_WITH_CLASSES: u16 = 49;
