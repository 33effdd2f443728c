//! What the classes of the program under check say: values of constants, methods that exist.
//!
//! [`load_for`](crate::load_for) asks a [`ClassConstants`] for the constants that properties name;
//! [`Classes`] answers from class files, a JVM may answer from what it has loaded. With the same
//! [`Classes`], [`lint_for`](crate::lint::lint_for) knows which methods there are.
//!
//! ```
//! use watchword_classfile::source::MemoryClasses;
//! use watchword_spec::classes::{ClassConstants, Classes};
//!
//! let nothing = MemoryClasses::default();
//! let classes = Classes::new(&nothing, None);
//! assert_eq!(classes.constant("app.Limits.MAX").unwrap_err(), "there is no class `app.Limits`");
//! ```

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use watchword_classfile::source::ClassSource;
use watchword_classfile::{
    ClassFile, Constant, Constants, Decoded, FieldType, Hierarchy, MethodDescriptor, access,
};
use watchword_model::{Glob, Value, internal_names, source_name};
use watchword_select::ClassFacts;

/// Supplies the values of class constants.
pub trait ClassConstants {
    /// The value of `a.b.C.NAME`, or why it is not known.
    ///
    /// # Errors
    /// A sentence about the reason.
    fn constant(&self, name: &str) -> Result<Value, String>;
}

/// Nothing is known of any class.
pub struct NoClasses;

impl ClassConstants for NoClasses {
    fn constant(&self, name: &str) -> Result<Value, String> {
        Err(format!("the value of `{name}` is known only if the classes are given"))
    }
}

/// The classes of a program, and those of the Java library.
pub struct Classes<'s> {
    program: &'s dyn ClassSource,
    library: Option<&'s dyn ClassSource>,
    hierarchy: RefCell<Hierarchy>,
    /// The names of all classes, with slashes: the program's and the library's.
    names: OnceCell<(BTreeSet<String>, BTreeSet<String>)>,
    /// Names of methods, and the classes of the library that declare them.
    declared: OnceCell<BTreeMap<String, Vec<String>>>,
    /// What selectors asked about classes.
    facts: RefCell<HashMap<String, Option<Arc<ClassFacts>>>>,
    /// By class: its methods, as they were found before.
    methods: RefCell<HashMap<String, Rc<[Rc<Method>]>>>,
}

/// A method as labels see it.
#[derive(Clone, Debug)]
pub struct Method {
    /// Every name it goes by, the first by its class.
    pub names: Vec<String>,
    /// How many arguments a `call` or `return` of it has.
    pub arguments: usize,
    /// How many values a `done` of it has.
    pub values: usize,
    /// Whether it has no receiver.
    pub is_static: bool,
    /// Whether it returns nothing.
    pub is_void: bool,
    /// The names of its annotations, and of those of its class and the supertypes of that.
    pub annotations: Vec<String>,
    /// The types of the values of a `done`; classes with slashes.
    pub types: Vec<String>,
}

impl Method {
    /// The types of its parameters.
    pub fn parameters(&self) -> &[String] {
        &self.types[usize::from(!self.is_static)..self.types.len() - 1]
    }
}

impl<'s> Classes<'s> {
    /// The classes of these sources. Without a library, what `java.util` has is not known, and
    /// nothing is said about names that do not exist.
    pub fn new(program: &'s dyn ClassSource, library: Option<&'s dyn ClassSource>) -> Self {
        Classes {
            program,
            library,
            hierarchy: RefCell::default(),
            names: OnceCell::new(),
            declared: OnceCell::new(),
            facts: RefCell::default(),
            methods: RefCell::default(),
        }
    }

    /// Whether a class that is not found does not exist.
    pub fn is_complete(&self) -> bool {
        self.library.is_some()
    }

    fn bytes(&self, internal: &str) -> Option<Vec<u8>> {
        let sources = std::iter::once(self.program).chain(self.library);
        // A class that cannot be read is one that is not there.
        sources.into_iter().find_map(|s| s.class(internal).ok().flatten().map(|b| b.into_owned()))
    }

    /// The class that a name with dots means: `a.b.C.D` is `a/b/C$D` if there is no package
    /// `a.b.C`.
    fn find(&self, dotted: &str) -> Option<(String, Vec<u8>)> {
        internal_names(dotted).find_map(|internal| {
            let bytes = self.bytes(&internal)?;
            Some((internal, bytes))
        })
    }

    fn class_names(&self) -> &(BTreeSet<String>, BTreeSet<String>) {
        let names = |source: &dyn ClassSource| {
            let mut names = BTreeSet::new();
            let listed = source.for_each_name(&mut |name| {
                names.insert(name.to_string());
            });
            // What could be listed before a mistake counts.
            let _ = listed;
            names
        };
        self.names
            .get_or_init(|| (names(self.program), self.library.map(names).unwrap_or_default()))
    }

    /// Whether a class of that name, with dots, exists.
    pub fn has_class(&self, dotted: &str) -> bool {
        self.find(dotted).is_some()
    }

    /// All class names with dots, for suggestions.
    pub fn all_names(&self) -> Vec<String> {
        let (program, library) = self.class_names();
        program.iter().chain(library).map(|n| n.replace('/', ".")).collect()
    }

    /// The methods of the program's classes, and those library methods whose class a pattern may
    /// mean.
    pub fn methods(&self, patterns: &[Glob]) -> Vec<Rc<Method>> {
        let (program, library) = self.class_names();
        let meant = |name: &&String| {
            let beginning = format!("{}.", name.replace('/', "."));
            let nested = beginning.contains('$').then(|| beginning.replace('$', "."));
            let may = |beginning: &str| patterns.iter().any(|p| p.may_begin(beginning));
            may(&beginning) || nested.is_some_and(|nested| may(&nested))
        };
        let mut methods = Vec::new();
        for name in program.iter().chain(library.iter().filter(meant)) {
            methods.extend(self.methods_of(name).iter().cloned());
        }
        methods
    }

    /// The methods of a name that classes of the library declare themselves.
    pub fn library_methods(&self, name: &Glob, visit: &mut dyn FnMut(&Rc<Method>)) {
        let declared = self.declared.get_or_init(|| self.declared_methods());
        let mut classes: Vec<&String> =
            declared.iter().filter(|(n, _)| name.matches(n)).flat_map(|(_, c)| c).collect();
        classes.sort();
        classes.dedup();
        for class in classes {
            self.methods_of(class).iter().for_each(&mut *visit);
        }
    }

    /// The names of methods, and which classes of the library declare one.
    fn declared_methods(&self) -> BTreeMap<String, Vec<String>> {
        let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for class in &self.class_names().1 {
            let Some(bytes) = self.bytes(class) else { continue };
            let Ok(parsed) = ClassFile::parse(&bytes) else { continue };
            for name in parsed.methods().filter_map(|m| m.name().ok()) {
                declared.entry(name.to_str().into_owned()).or_default().push(class.clone());
            }
        }
        declared
    }

    /// A type and its supertypes, with dots; only itself if it is no class or not known.
    pub fn with_supertypes(&self, ty: &str) -> Vec<String> {
        let mut hierarchy = self.hierarchy.borrow_mut();
        let loaded = hierarchy.load(ty, &Both(self)).unwrap_or(false);
        match hierarchy.supertypes(ty) {
            Ok(names) if loaded => names.iter().map(|n| n.replace('/', ".")).collect(),
            _ => vec![ty.replace('/', ".")],
        }
    }

    /// The methods of one class, inherited ones included.
    pub fn methods_of(&self, internal: &str) -> Rc<[Rc<Method>]> {
        if let Some(known) = self.methods.borrow().get(internal) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.find_methods(internal, &mut found);
        let found: Rc<[Rc<Method>]> = found.into_iter().map(Rc::new).collect();
        self.methods.borrow_mut().insert(internal.to_string(), found.clone());
        found
    }

    fn find_methods(&self, internal: &str, methods: &mut Vec<Method>) {
        let mut hierarchy = self.hierarchy.borrow_mut();
        let source = Both(self);
        if !hierarchy.load(internal, &source).unwrap_or(false) {
            return;
        }
        let supertypes: Vec<String> = match hierarchy.supertypes(internal) {
            Ok(names) => names.into_iter().map(str::to_string).collect(),
            Err(_) => return,
        };
        let of_classes: Vec<String> = supertypes
            .iter()
            .filter_map(|c| watchword_select::Hierarchy::class(self, c))
            .flat_map(|c| c.annotations.clone())
            .collect();
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        for (at, class) in supertypes.iter().enumerate() {
            let Some(bytes) = self.bytes(class) else { continue };
            let Ok(parsed) = ClassFile::parse(&bytes) else { continue };
            for member in parsed.methods() {
                let (Ok(name), Ok(descriptor)) = (member.name(), member.descriptor()) else {
                    continue;
                };
                let name = name.to_str().into_owned();
                // Constructors and private methods are not inherited.
                let own = name.starts_with('<') || member.has_access(access::PRIVATE);
                if at > 0 && own {
                    continue;
                }
                let key = (name.clone(), descriptor.to_str().into_owned());
                let Ok(types) = MethodDescriptor::parse(descriptor) else { continue };
                if !seen.insert(key) {
                    continue;
                }
                let parameters: Vec<FieldType<'_>> = types.parameters().collect();
                let Ok(mut names) = hierarchy.call_names(internal, &name, parameters.len()) else {
                    continue;
                };
                let nested: Vec<String> = names.iter().filter_map(|n| source_name(n)).collect();
                names.extend(nested);
                let is_static = member.has_access(access::STATIC);
                let constructor = name == "<init>";
                let receiver = usize::from(!is_static);
                let mut listed = Vec::new();
                listed.extend((!is_static).then(|| internal.to_string()));
                listed.extend(parameters.iter().map(|p| type_name(*p)));
                listed.push(types.result().map_or("void".to_string(), type_name));
                methods.push(Method {
                    names,
                    arguments: parameters.len() + if constructor { 0 } else { receiver },
                    values: parameters.len() + receiver + 1,
                    is_static,
                    is_void: types.result().is_none() && !constructor,
                    annotations: [annotations(&member), of_classes.clone()].concat(),
                    types: listed,
                });
            }
        }
    }
}

/// The internal name of a class, the name of a primitive type.
fn type_name(ty: FieldType<'_>) -> String {
    match ty.class_name() {
        Some(class) => class.to_str().into_owned(),
        None => match ty.descriptor().to_str().as_ref() {
            "Z" => "boolean".into(),
            "B" => "byte".into(),
            "C" => "char".into(),
            "S" => "short".into(),
            "I" => "int".into(),
            "J" => "long".into(),
            "F" => "float".into(),
            "D" => "double".into(),
            array => array.to_string(),
        },
    }
}

fn annotations(member: &watchword_classfile::Member<'_, '_>) -> Vec<String> {
    let pool = member.class().pool();
    let mut names = Vec::new();
    for attribute in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"] {
        let Ok(Some(Decoded::Annotations(list))) = member.attribute(attribute) else { continue };
        for annotation in list {
            let Ok(text) = pool.utf8(annotation.kind) else { continue };
            let text = text.to_str();
            let name = text.strip_prefix('L').and_then(|t| t.strip_suffix(';'));
            names.extend(name.map(|n| n.replace('/', ".")));
        }
    }
    names
}

impl watchword_select::Hierarchy for Classes<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(known) = self.facts.borrow().get(name) {
            return known.clone();
        }
        let found = self.bytes(name).and_then(|bytes| {
            let facts = ClassFile::parse(&bytes).and_then(|class| ClassFacts::of(&class)).ok()?;
            Some(Arc::new(facts))
        });
        self.facts.borrow_mut().insert(name.to_string(), found.clone());
        found
    }
}

/// Both sources as one.
struct Both<'c, 's>(&'c Classes<'s>);

impl ClassSource for Both<'_, '_> {
    fn class(&self, name: &str) -> watchword_classfile::Result<Option<std::borrow::Cow<'_, [u8]>>> {
        Ok(self.0.bytes(name).map(std::borrow::Cow::Owned))
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> watchword_classfile::Result<()> {
        self.0.program.for_each_name(visit)?;
        self.0.library.map_or(Ok(()), |l| l.for_each_name(visit))
    }
}

impl ClassConstants for Classes<'_> {
    fn constant(&self, name: &str) -> Result<Value, String> {
        let (class, field) = name.rsplit_once('.').unwrap_or(("", name));
        let found = self.find(class).or_else(|| self.find(&format!("java.lang.{class}")));
        let Some((internal, _)) = found else {
            return Err(format!("there is no class `{class}`"));
        };
        let mut hierarchy = self.hierarchy.borrow_mut();
        let loaded = hierarchy.load(&internal, &Both(self)).map_err(|e| e.to_string())?;
        if !loaded {
            return Err(format!("the class `{class}` cannot be read"));
        }
        let supertypes = hierarchy.supertypes(&internal).map_err(|e| e.to_string())?;
        for owner in supertypes {
            let Some(bytes) = self.bytes(owner) else { continue };
            let parsed = ClassFile::parse(&bytes).map_err(|e| e.to_string())?;
            let member = parsed.fields().find(|f| f.name().is_ok_and(|n| n == field));
            let Some(member) = member else { continue };
            if !member.has_access(access::STATIC) {
                return Err(format!("`{name}` is not static"));
            }
            let Ok(Some(Decoded::ConstantValue(index))) = member.attribute("ConstantValue") else {
                return Err(format!("`{name}` gets its value only while the program runs"));
            };
            let kind = member.descriptor().map_err(|e| e.to_string())?;
            let constant = parsed.pool().constant(index).map_err(|e| e.to_string())?;
            let value = match constant {
                Constant::Integer(i) if kind == "Z" => Value::Bool(i != 0),
                Constant::Integer(i) => Value::Int(i64::from(i)),
                Constant::Long(i) => Value::Int(i),
                Constant::Float(bits) => Value::Float(f64::from(f32::from_bits(bits))),
                Constant::Double(bits) => Value::Float(f64::from_bits(bits)),
                Constant::String { utf8 } => {
                    let text = parsed.pool().utf8(utf8).map_err(|e| e.to_string())?;
                    Value::str(&text.to_str())
                }
                _ => return Err(format!("`{name}` is not a constant")),
            };
            return Ok(value);
        }
        Err(format!("`{class}` has no field `{field}`"))
    }
}
