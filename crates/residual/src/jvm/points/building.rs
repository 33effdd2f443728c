//! Building the network: what the program's instructions, calls and the JDK's callbacks lead where.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::{ClassFile, FieldType, MethodDescriptor, access};

use super::contents::Handle;
use super::graph::CallAt;
use super::{
    BORROWED, CONSTANT, ELEMENTS, LENT, NOTHING, OPEN, Object, Place, Referred, SERIALISING,
    Solver, THROWN, UNKNOWN, WRITTEN, call_of,
};
use crate::body::{BodyId, ClassName};
use crate::flow::{Classes, Flows};
use crate::hash::{FastMap, FastSet};
use crate::jvm::hooks::hands_through;
use crate::jvm::lower::{Names, Target};
use crate::jvm::program::Program;
use crate::jvm::property::PropertyWorld;
use crate::jvm::select::Term;
use crate::jvm::{jdk, reflected};
use crate::mistake::Mistake;
use crate::world::{Receiver, Returns, Targets, World};

/// Where the arguments of all calls of a target meet, and what they return.
struct Hub {
    args: Vec<Place>,
    result: Place,
}

/// Methods that return an object of their own that nobody has seen and no event has concerned: it may
/// count as made by their caller.
pub(super) fn factories(world: &PropertyWorld<'_, '_>) -> HashMap<BodyId, Classes> {
    const ROUNDS: usize = 3;
    const MAX_NODES: usize = 400;
    let program = world.program;
    let mut candidates = Vec::new();
    // A finaliser gets objects as they were made, and so does serialisation.
    let gets = |id: BodyId| {
        let name = program.method(id).name();
        name.is_ok_and(|name| name == "finalize" || SERIALISING.iter().any(|n| name == *n))
    };
    let taking: FastSet<ClassName> =
        program.bodies().filter(|id| gets(*id)).map(|id| program.class_of(id)).collect();
    let taken = |classes: Classes| {
        let one = |class: &ClassName| program.types.is_below(*class, &taking) != Some(false);
        classes.known().is_none_or(|all| all.iter().any(one)) && !taking.is_empty()
    };
    for id in program.bodies() {
        let returns = MethodDescriptor::parse(match program.method(id).descriptor() {
            Ok(descriptor) => descriptor,
            Err(_) => continue,
        });
        let class = returns.ok().and_then(|d| d.result()).and_then(FieldType::class_name);
        let followed = class.is_some_and(|class| world.matters(program.class(&class.to_str())));
        if followed && world.body(id).is_some_and(|body| body.nodes.len() <= MAX_NODES) {
            candidates.push(id);
        }
    }
    let flows = Flows::of_threads(world);
    let mut found = HashMap::new();
    for _ in 0..ROUNDS {
        let before = found.len();
        for id in &candidates {
            if !found.contains_key(id)
                && let Some(classes) = flows.factory(*id)
                && !taken(classes)
            {
                found.insert(*id, classes);
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

impl Solver<'_, '_, '_> {
    pub(super) fn seed(&mut self) {
        let library = self.object(Object::Library);
        let any = self.object(Object::Any(None));
        self.origins.any = any;
        self.origins.lent = self.object(Object::Lent(None));
        self.put(BORROWED, self.origins.lent);
        self.put(CONSTANT, library);
        self.put(THROWN, any);
        self.put(UNKNOWN, any);
        // Where anything may be, it stands for elements of which views or iterators may be made.
        if !Mistake::NothingDerivedByOthers.is_made() {
            self.origins.derived.add(any);
            self.handle_at(ELEMENTS, Handle::Derive);
        }
        for part in jdk::Part::ALL {
            if !Mistake::NothingIsOpen.is_made() {
                self.handle_at(OPEN, Handle::Read(part, ELEMENTS));
                self.handle_at(OPEN, Handle::Write(part, UNKNOWN));
            }
            self.handle_at(LENT, Handle::Read(part, LENT));
            self.handle_at(LENT, Handle::Write(part, WRITTEN));
        }
        if self.world.program.hooks().replaces && !Mistake::ViewsUnwalked.is_made() {
            self.handle_at(LENT, Handle::Walk);
        }
        self.known.reflected = self.place();
        if self.world.program.reflected().is_wide() {
            self.edge(self.known.reflected, ELEMENTS, None);
        }
        // Handles behind interfaces give what the JDK calls them with to methods, fields and collections.
        if self.world.program.reflected().is_behind() {
            self.edge(LENT, ELEMENTS, None);
        }
        let graph = self.graph;
        for (from, to) in &graph.copies {
            self.edge(*from, *to, None);
        }
        for (from, to, class) in &graph.casts {
            self.edge(*from, *to, Some(*class));
        }
        for place in &graph.empty {
            let made = self.object(Object::Made);
            self.put(*place, made);
        }
        for (array, to) in graph.elements.iter().filter(|_| !Mistake::EmptyArrays.is_made()) {
            let read = self.reading(*array, jdk::Part::Values);
            self.edge(read, *to, None);
        }
        for (value, array) in &graph.stored {
            let write = self.writing(*array, jdk::Part::Values);
            self.edge(*value, write, None);
        }
    }

    /// Puts new objects where they are made.
    pub(super) fn make(&mut self) {
        let graph = self.graph;
        let library = self.object(Object::Library);
        for (index, (place, class)) in graph.news.iter().enumerate() {
            if self.world.is_tracked(*class) || self.is_entry(*class) || self.is_array(*class) {
                let object = self.object(Object::New(index as u32));
                self.put(*place, object);
            } else if self.world.program.types.class_name(*class).starts_with('[') {
                self.put(*place, library);
            }
        }
    }

    pub(super) fn calls(&mut self, receivers: &HashMap<u32, Rc<Vec<Receiver>>>) {
        let graph = self.graph;
        let program = self.world.program;
        let mut hubs: FastMap<(u32, &[Receiver]), Hub> = FastMap::default();
        for (index, call) in graph.calls.iter().enumerate() {
            match &*program.target_of(call.target) {
                Target::Concat => {
                    call.args.iter().for_each(|arg| self.handle_at(*arg, Handle::Show));
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Lambda { .. } if Mistake::NoLambdas.is_made() => {}
                Target::Lambda { class, name, descriptor, kind, serialisable, .. } => {
                    self.lambda(index, call, class, name, descriptor, *kind);
                    if *serialisable || program.hooks().reads_captures() {
                        call.args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                    }
                    self.edge(CONSTANT, call.result, None);
                }
                Target::Dynamic => {
                    call.args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                    self.edge(UNKNOWN, call.result, None);
                }
                // An array of a length, with nothing in it.
                Target::Method { class, name, descriptor, .. }
                    if class == "java/lang/reflect/Array"
                        && name == "newInstance"
                        && descriptor.starts_with("(Ljava/lang/Class;I)")
                        && call.result != NOTHING =>
                {
                    let array = Classes::of(Some(program.class("[Ljava/lang/Object;")));
                    self.known.made.insert(index as u32, array);
                    let object = self.object(Object::Fresh(index as u32));
                    self.put(call.result, object);
                }
                Target::Method { class, name, descriptor, .. } => {
                    let known = call_of(call.target, call.args.len(), call.dispatched);
                    let first = receivers.get(&(index as u32));
                    let on: &[Receiver] = match first.filter(|_| call.dispatched) {
                        Some(on) => on,
                        None => &[Receiver::Any],
                    };
                    let targets: Vec<Rc<Targets>> =
                        on.iter().map(|on| self.world.targets(&known, *on)).collect();
                    let contents = self.contents_of(call, &targets);
                    let hub = hubs.entry((call.target, on)).or_insert_with(|| {
                        self.hub(call, &targets, descriptor, contents.is_some())
                    });
                    let (args, result) = (hub.args.clone(), hub.result);
                    for (arg, to) in call.args.iter().zip(args) {
                        self.edge(*arg, to, None);
                    }
                    if let Some(classes) = self.factory(&targets) {
                        if call.result != NOTHING {
                            let object = self.object(Object::Fresh(index as u32));
                            self.known.made.insert(index as u32, classes);
                            self.put(call.result, object);
                            for body in targets.iter().flat_map(|targets| &targets.bodies) {
                                if let Some(returned) = graph.returns.get(body) {
                                    self.rename(object, *returned);
                                }
                            }
                        }
                        continue;
                    }
                    self.edge(result, call.result, None);
                    if reflected::passes(class) {
                        // Elements of what is passed on are given to anybody, too. The receiver is the
                        // method, and not what it is called with.
                        let given = call.args.get(usize::from(call.has_receiver)..);
                        for arg in given.unwrap_or_default().iter().filter(|a| **a != NOTHING) {
                            let elements = self.reading(*arg, jdk::Part::Values);
                            self.edge(*arg, ELEMENTS, None);
                            self.edge(elements, ELEMENTS, None);
                        }
                        self.edge(self.known.reflected, call.result, None);
                    }
                    let keeps = targets.iter().filter_map(|targets| targets.library.as_ref());
                    let keeps = keeps.map(|library| library.keeps).reduce(|one, two| one | two);
                    if let (Some(contents), Some(keeps)) = (contents, keeps) {
                        self.handle_contents(index, call, &contents, keeps);
                        if contents.gives.is_some() {
                            continue;
                        }
                    }
                    for library in targets.iter().filter_map(|targets| targets.library.as_ref()) {
                        // Every view of an object is known by the object, however it was obtained.
                        let returns = match library.view {
                            Some(view) => Returns::View(view),
                            // What is wrapped is the JDK's.
                            None if hands_through(class, name)
                                && (first.is_some_and(|on| self.is_plain(on))
                                    || Mistake::WrapsNothing.is_made()) =>
                            {
                                Returns::Made
                            }
                            None => library.returns.clone(),
                        };
                        self.returned(index, call, returns, descriptor);
                    }
                }
            }
        }
    }

    /// Whether no object of these is of a class of the program.
    pub(super) fn is_plain(&self, on: &[Receiver]) -> bool {
        let program = self.world.program;
        on.iter().all(|on| match on {
            Receiver::Any => false,
            Receiver::Library => true,
            Receiver::Exactly(class) => !program.is_own_class(&program.types.class_name(*class)),
        })
    }

    /// What the JDK returns from a call.
    pub(super) fn returned(
        &mut self,
        index: usize,
        call: &CallAt,
        returns: Returns,
        descriptor: &str,
    ) {
        if call.result == NOTHING {
            return;
        }
        match returns {
            Returns::Unknown => self.edge(UNKNOWN, call.result, self.result_type(descriptor)),
            Returns::Made => {
                let made = self.object(Object::Made);
                self.put(call.result, made);
            }
            Returns::Part => {
                let part = self.object(Object::Part(index as u32));
                self.put(call.result, part);
            }
            Returns::Wrapper => {
                let part = self.object(Object::Part(index as u32));
                self.put(call.result, part);
                let wrapper = match descriptor.ends_with("Map;") {
                    true => "java/util/Collections$UnmodifiableMap",
                    false => "java/util/Collections$UnmodifiableCollection",
                };
                let wrapper = self.world.program.class(wrapper);
                if let Some(from) = call.args.first().filter(|_| !Mistake::WrappersAreNew.is_made())
                {
                    self.edge(*from, call.result, Some(wrapper));
                }
            }
            Returns::Fresh(_) => {
                let object = self.object(Object::Fresh(index as u32));
                self.put(call.result, object);
            }
            Returns::Argument(arg) => {
                let from = call.args.get(arg).copied().unwrap_or(UNKNOWN);
                self.edge(from, call.result, None);
            }
            // Objects that are not tracked are nowhere, and their views would be nowhere too: maps of
            // the program that are only asked by their own names.
            Returns::View(name) => match call.args.first() {
                Some(receiver) if *receiver != NOTHING && self.world.is_watched(call.target) => {
                    self.net.views.entry(*receiver).or_default().push((call.result, name));
                }
                _ => self.edge(UNKNOWN, call.result, None),
            },
        }
    }

    /// The static type of what an event of a call binds.
    pub(super) fn type_of(&self, target: u32, term: Term) -> Option<ClassName> {
        let program = self.world.program;
        let Target::Method { class, descriptor, .. } = &*program.target_of(target) else {
            return None;
        };
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let ty = match term {
            Term::Receiver => return Some(program.class(class)),
            Term::Arg(n) => parsed.ok()?.parameters().nth(n as usize)?.class_name()?.to_str(),
            Term::Result => parsed.ok()?.result()?.class_name()?.to_str(),
            Term::Other => return None,
        };
        Some(program.class(&ty))
    }

    /// What the JDK returns is of the type it says.
    pub(super) fn result_type(&self, descriptor: &str) -> Option<ClassName> {
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let result = parsed.ok()?.result()?.class_name()?.to_str().into_owned();
        (result != "java/lang/Object").then(|| self.world.program.class(&result))
    }

    /// The classes of what a call returns, if it always is a new object of the program.
    pub(super) fn factory(&self, targets: &[Rc<Targets>]) -> Option<Classes> {
        let other = |targets: &Rc<Targets>| targets.unknown || targets.library.is_some();
        if targets.iter().any(other) || Mistake::EmptyResults.is_made() {
            return None;
        }
        let bodies = targets.iter().flat_map(|targets| &targets.bodies);
        let mut all = bodies.map(|body| self.known.factories.get(body).copied());
        let first = all.next()??;
        all.try_fold(first, |known, classes| Some(known.or(classes?)))
    }

    /// What calls of a target have in common. If it `handles` contents, what the JDK does is known call
    /// by call.
    fn hub(
        &mut self,
        call: &CallAt,
        targets: &[Rc<Targets>],
        descriptor: &str,
        handles: bool,
    ) -> Hub {
        let args: Vec<Place> = call.args.iter().map(|_| self.place()).collect();
        let result = self.place();
        for targets in targets {
            if targets.unknown {
                args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
                // It may be code of the program that says nothing true about its result.
                let declared = self.result_type(descriptor).filter(|_| targets.bodies.is_empty());
                self.edge(UNKNOWN, result, declared.filter(|_| self.is_of_jdk(call)));
            }
            if let Some(library) = targets.library.as_ref().filter(|_| !handles) {
                let looks = self.looks(call.target);
                for (index, arg) in args.iter().enumerate() {
                    let looked = looks.is_some_and(|looks| looks >> index.min(63) & 1 == 1);
                    if looked {
                        self.handle_at(*arg, Handle::Show);
                        continue;
                    }
                    self.edge(*arg, LENT, None);
                    if looks.is_some() {
                        continue;
                    }
                    self.edge(*arg, OPEN, None);
                    if library.keeps >> index.min(63) & 1 == 1 {
                        self.edge(*arg, ELEMENTS, None);
                    }
                }
            }
            for body in &targets.bodies {
                // What the JDK may call gets what the JDK is lent.
                let borrows = (targets.library.is_some() || targets.unknown)
                    && self.known.called.contains(body);
                if !borrows && !Mistake::EmptyCalls.is_made() {
                    self.enter(*body, &args, call.dispatched);
                }
                if let Some(returned) = self.graph.returns.get(body)
                    && !Mistake::EmptyResults.is_made()
                {
                    self.edge(*returned, result, None);
                }
            }
        }
        Hub { args, result }
    }

    /// See [`jdk::looks`].
    pub(super) fn looks(&self, target: u32) -> Option<u64> {
        match &*self.world.program.target_of(target) {
            Target::Method { class, name, .. } => jdk::looks(class, name),
            _ => None,
        }
    }

    /// Whether a call is of a method of the JDK that is not overridden in the program: a static one, or
    /// one that no class of the program has.
    pub(super) fn is_of_jdk(&self, call: &CallAt) -> bool {
        match &*self.world.program.target_of(call.target) {
            Target::Method { class, .. } => {
                let program = self.world.program;
                !program.is_own_class(class)
                    && program.types.is_known(class)
                    && (!call.dispatched || program.below(class).is_empty())
            }
            _ => false,
        }
    }

    /// Arguments go into a method.
    pub(super) fn enter(&mut self, body: BodyId, args: &[Place], dispatched: bool) {
        let Some(params) = self.graph.params.get(&body) else {
            // No body: native.
            args.iter().for_each(|arg| self.edge(*arg, ELEMENTS, None));
            return;
        };
        for (index, (arg, param)) in args.iter().zip(params).enumerate() {
            let class = (index == 0 && dispatched).then(|| self.world.program.class_of(body));
            self.edge(*arg, *param, class);
        }
    }

    /// A lambda: what it captures is given to its method, the rest comes from whoever calls it.
    pub(super) fn lambda(
        &mut self,
        index: usize,
        call: &CallAt,
        class: &str,
        name: &str,
        descriptor: &str,
        kind: u8,
    ) {
        const INVOKE_VIRTUAL: u8 = 5;
        const INVOKE_STATIC: u8 = 6;
        const NEW: u8 = 8;
        const INVOKE_INTERFACE: u8 = 9;
        let dispatched = kind == INVOKE_VIRTUAL || kind == INVOKE_INTERFACE;
        let count = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()))
            .map_or(0, |d| d.parameters().count());
        let count = count + usize::from(kind != INVOKE_STATIC);
        let program = self.world.program;
        let target = program.target(Target::Method {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
            dispatched,
        });
        let targets = self.world.targets(&call_of(target, count, dispatched), Receiver::Any);
        let mut args: Vec<Place> = call.args.clone();
        if kind == NEW {
            // The object is made behind the scenes.
            args.insert(0, CONSTANT);
        }
        args.resize(args.len().max(count), BORROWED);
        let made = CallAt {
            target,
            args: args.clone(),
            result: NOTHING,
            dispatched,
            has_receiver: kind != INVOKE_STATIC,
        };
        let hub = self.hub(&made, &[targets], descriptor, false);
        for (index, (arg, to)) in args.iter().zip(&hub.args).enumerate() {
            // What comes from outside is cast.
            let cast = match index.checked_sub(usize::from(made.has_receiver)) {
                None => self.type_of(target, Term::Receiver),
                Some(index) => self.type_of(target, Term::Arg(index as u32)),
            };
            self.edge(*arg, *to, cast.filter(|_| *arg == BORROWED));
        }
        self.edge(hub.result, ELEMENTS, None);
        let has_receiver = kind != INVOKE_STATIC;
        self.known.referred.insert(index, Referred { args: hub.args, has_receiver });
    }

    /// Methods that the JDK may call.
    pub(super) fn callbacks(&mut self) {
        if Mistake::NoCallbacks.is_made() {
            return;
        }
        let program = self.world.program;
        let called = program.called_back();
        for id in program.bodies() {
            let method = program.method(id);
            let (Ok(name), Ok(descriptor)) = (method.name(), method.descriptor()) else { continue };
            let key = (name.to_str().into_owned(), descriptor.to_str().into_owned());
            let this = self.graph.params.get(&id).and_then(|params| params.first().copied());
            match (key.0.as_str(), this) {
                // The launcher calls it on an object that it makes, since JDK 25.
                ("main", Some(this)) => self.edge(CONSTANT, this, None),
                // The JDK may make the object, by name.
                ("<init>", Some(this)) => {
                    self.edge(CONSTANT, this, None);
                    if program.is_made_with_arguments(program.class_of(id), &key.1) {
                        self.reflect(id, &key.0, &key.1);
                    }
                }
                // The VM calls it for every object; serialisation for every one it gets to by fields,
                // also those of collections.
                (name, Some(this)) if name == "finalize" || SERIALISING.contains(&name) => {
                    let class = program.class_of(id);
                    for (place, made) in &self.graph.news {
                        if program.types.extends(*made, class) != Some(false) {
                            self.edge(*place, this, None);
                        }
                    }
                }
                _ => {}
            }
            let restoring = SERIALISING.contains(&key.0.as_str());
            let known = restoring || called.contains(&key);
            let reflected = program.reflected();
            if reflected.calls(&key.0, method.access()) {
                self.reflect(id, &key.0, &key.1);
            }
            let by_jdk = known && !method.has_access(access::STATIC);
            if !by_jdk && !reflected.is_asked_from_outside(&key.0) {
                continue;
            }
            let count = self.graph.params.get(&id).map_or(0, Vec::len);
            self.known.called.insert(id);
            self.enter(id, &vec![BORROWED; count], true);
            if let Some(returned) = self.graph.returns.get(&id) {
                self.edge(*returned, ELEMENTS, None);
            }
        }
    }

    /// Reflection may call a method, with whatever the JDK was given.
    pub(super) fn reflect(&mut self, id: BodyId, name: &str, descriptor: &str) {
        let graph = self.graph;
        let program = self.world.program;
        let params = graph.params.get(&id).map_or(&[][..], |params| params);
        let parsed = MethodDescriptor::parse(watchword_classfile::JStr::new(descriptor.as_bytes()));
        let types = parsed.iter().flat_map(|parsed| parsed.parameters());
        let mut types: Vec<Option<ClassName>> =
            types.map(|ty| Some(program.class(&ty.class_name()?.to_str()))).collect();
        if types.len() < params.len() {
            types.insert(0, Some(program.class_of(id)));
        }
        for (index, (param, ty)) in params.iter().zip(types).enumerate() {
            let made = index == 0 && name == "<init>";
            // Reflection checks that what is passed as an interface implements it, handles do not.
            let unchecked = program.reflected().has_handles();
            let checked = ty.filter(|ty| !unchecked || !program.types.is_interface(*ty));
            self.edge(if made { CONSTANT } else { UNKNOWN }, *param, checked.filter(|_| !made));
        }
        if let Some(returned) = graph.returns.get(&id) {
            self.edge(*returned, self.known.reflected, None);
        }
    }
}

impl Program<'_> {
    /// Names and descriptors of methods that the JDK may call on objects of the program: those
    /// that supertypes of the program's classes have which are the JDK's.
    fn called_back(&self) -> &HashSet<(String, String)> {
        self.facts.called.get_or_init(|| {
            let mut seen: HashSet<String> = HashSet::new();
            let mut called = HashSet::new();
            for class in &self.code.classes {
                let Ok(name) = class.name() else { continue };
                let Some(above) = self.types.supertypes(&name.to_str()) else { continue };
                for name in above.iter().filter(|name| !self.is_own_class(name)) {
                    if seen.insert(name.clone()) {
                        self.methods_of(name, &mut called);
                    }
                }
            }
            called
        })
    }

    /// Whether the JDK itself makes objects of a class of the program by a constructor with arguments:
    /// records that it reads from streams, exceptions, when it throws one on in another thread, and services
    /// of providers.
    fn is_made_with_arguments(&self, class: ClassName, descriptor: &str) -> bool {
        if Mistake::NothingReadAnew.is_made() {
            return false;
        }
        let class = self.types.class_name(class);
        let is = |above: &str| self.types.is_subtype(&class, above) != Some(false);
        match descriptor {
            "(Ljava/lang/Throwable;)V" if is("java/lang/Throwable") => true,
            // Those of smart cards take any object.
            "(Ljava/lang/Object;)V" if is("javax/smartcardio/TerminalFactorySpi") => true,
            "(Ljava/security/SecureRandomParameters;)V"
            | "(Ljava/security/cert/CertStoreParameters;)V"
            | "(Ljava/security/Policy$Parameters;)V"
            | "(Ljavax/crypto/KDFParameters;)V"
            | "(Ljavax/security/auth/login/Configuration$Parameters;)V" => true,
            _ => is("java/lang/Record") && is("java/io/Serializable"),
        }
    }

    fn methods_of(&self, class: &str, called: &mut HashSet<(String, String)>) {
        let Some(bytes) = self.types.platform_class(class) else { return };
        let Ok(class) = ClassFile::parse(&bytes) else { return };
        for method in class.methods() {
            let hidden = method.has_access(access::STATIC) || method.has_access(access::PRIVATE);
            if let (false, Ok(name), Ok(descriptor)) = (hidden, method.name(), method.descriptor())
            {
                called.insert((name.to_str().into_owned(), descriptor.to_str().into_owned()));
            }
        }
    }
}
