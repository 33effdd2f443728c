//! Finds the selected program points of a method.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use watchword_classfile::simulate::{VType, effect, has_receiver};
use watchword_classfile::{
    ClassFile, Constant, ConstantPool, Constants, Flags, Instruction, JStr, Kind, Member, Opcode,
    Operand, Result, access,
};
use watchword_model::{JvmWhen, MethodPattern, PointKind, ProgramEvent};
use watchword_select::{
    Accessed, Answer, Called, Of, Point as Selected, Ty, descriptor_of, dotted, dotted_type,
    full_name, is_within, matches_execution, selects,
};

use crate::answered::Known;
use crate::body::Body;
use crate::draft::{Draft, Drafting};
use crate::point::{Loc, Locals, Point, Val};
use crate::selectors::Selector;
use crate::site::PointName;
use crate::target::Target;

/// The position of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// At the beginning of the method; in a constructor, after `this` has become an object.
    Entry,
    /// Before an instruction, and before everything else at this position.
    Front,
    /// Before an instruction, with access to its operands.
    Before,
    /// After an instruction.
    After,
    /// When an instruction throws.
    Throwing,
    /// When an exception leaves the method.
    Unwind,
}

/// A hook to be woven.
#[derive(Clone, Debug)]
pub struct Hook {
    /// The position.
    pub at: At,
    /// The instruction.
    pub offset: u32,
    /// The site.
    pub draft: Draft,
    /// The class that it calls, if this is not the hook class.
    pub class: Option<String>,
}

const LOCKS: [PointKind; 2] = [PointKind::Lock, PointKind::Unlock];

type Matched = Rc<[(usize, Answer)]>;

/// Finds program points in the methods of one class.
pub struct Finder<'d> {
    drafting: &'d Drafting<'d>,
    /// By constant: the sources of calls that a call of it matches.
    calls: RefCell<HashMap<(u16, bool), Matched>>,
    /// By descriptor: whether an allocation is selected.
    made: RefCell<HashMap<String, bool>>,
    /// Notes about the current method for the user.
    notes: RefCell<BTreeSet<String>>,
}

/// The points of one method, while they are being found.
struct Search<'f, 'c, 'a> {
    finder: &'f Finder<'f>,
    body: &'f Body<'c, 'a>,
    hooks: Vec<Hook>,
    /// Sources whose `within` includes the method.
    selectors: Vec<usize>,
    /// Offsets of the constructor calls that initialise objects created here.
    constructions: OnceCell<Vec<u32>>,
}

impl<'d> Finder<'d> {
    /// A finder for one class.
    pub fn new(drafting: &'d Drafting<'d>) -> Finder<'d> {
        let (calls, made) = (RefCell::default(), RefCell::default());
        Finder { drafting, calls, made, notes: RefCell::default() }
    }

    /// The hooks of a method, and notes for the user.
    pub fn find(&self, body: &Body<'_, '_>) -> Result<(Vec<Hook>, BTreeSet<String>)> {
        let world = self.drafting.world;
        let all = &self.drafting.selectors.all;
        let (class, method) = body.home();
        let selectors = (0..all.len())
            .filter(|i| is_within(&all[*i].within, &class, method, world) == Answer::Yes)
            .collect::<Vec<_>>();
        if selectors.is_empty() {
            return Ok((Vec::new(), BTreeSet::new()));
        }
        let constructions = OnceCell::new();
        let mut search = Search { finder: self, body, hooks: Vec::new(), selectors, constructions };
        search.run()?;
        let hooks = search.hooks;
        Ok((hooks, std::mem::take(&mut self.notes.borrow_mut())))
    }

    /// The sources of calls that match, for all sides. Not called for constructors in `super(…)`
    /// and `this(…)`.
    pub fn matching_calls(&self, index: u16, target: &Target, point: &Point) -> Matched {
        let key = (index, target.virtual_call);
        if let Some(known) = self.calls.borrow().get(&key) {
            return known.clone();
        }
        let found: Matched = self.matching(target, point).into();
        self.calls.borrow_mut().insert(key, found.clone());
        found
    }

    /// Whether a call through a method reference is selected.
    pub fn selects(&self, target: &Target) -> bool {
        let point = Point { target: Some(target.clone()), ..Point::default() };
        !self.matching(target, &point).is_empty()
    }

    /// Whether a call of a method with this name may be selected.
    pub fn may_select(&self, method: &str) -> bool {
        self.drafting.selectors.may_call(method)
    }

    fn matching(&self, target: &Target, point: &Point) -> Vec<(usize, Answer)> {
        let Drafting { selectors, world, answered, .. } = self.drafting;
        let mut point = point.clone();
        point.annotations = self.annotations(target);
        let called = target.called();
        let ask = |i: usize| {
            let selector = &selectors.all[i];
            let point_of_call = match selector.point.kind {
                kind @ PointKind::ThreadStart => {
                    let starts = is_thread_start(target)
                        && world.is_subtype(&target.owner, "java/lang/Thread");
                    if !starts {
                        return Answer::No;
                    }
                    Selected::of_type(kind, Ty::of_class(&target.owner))
                }
                _ if selector.in_callee => return Answer::No,
                _ => Selected::call(&called),
            };
            let answer = selects(&selector.point, &point_of_call, *world);
            let matches = answer.may() && self.drafting.is_interesting(selector, target, &point);
            if matches { answer } else { Answer::No }
        };
        let matching = |(i, answer): (usize, Answer)| answer.may().then_some((i, answer));
        if let Some(known) = answered.of(target) {
            let again = |(i, answer): &Known| (*i, answer.clone().unwrap_or_else(|| ask(*i)));
            return known.iter().map(again).filter_map(matching).collect();
        }
        let asked = selectors.of_calls(&target.name).into_iter().map(|i| {
            let (answer, fixed) = world.fixed(|| ask(i));
            // What such an event carries is not the method alone.
            (i, answer, fixed && selectors.all[i].letter.is_none())
        });
        let asked: Vec<(usize, Answer, bool)> = asked.collect();
        answered.keep(target, &asked);
        asked.into_iter().map(|(i, answer, _)| (i, answer)).filter_map(matching).collect()
    }

    /// Whether the class has constants for calls of methods with selected names.
    pub fn may_call(&self, class: &ClassFile<'_>) -> Result<bool> {
        let pool = class.pool();
        for (index, constant) in pool.iter() {
            if matches!(constant, Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. })
                && self.drafting.selectors.may_call(&pool.member(index)?.name.to_str())
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a method may have points, if only calls, allocations and locks are selected. Most
    /// methods have none and need no further analysis.
    pub fn may_have_points(&self, method: Member<'_, '_>) -> Result<bool> {
        let Some(code) = method.code()? else { return Ok(false) };
        let kinds = self.drafting.selectors.kinds;
        let pool = method.class().pool();
        let mut found = kinds.any(&LOCKS) && method.has_access(access::SYNCHRONIZED);
        for instruction in code.instructions() {
            let instruction = instruction?;
            let opcode = instruction.opcode;
            if opcode.is(Flags::INVOKE) {
                found = found || self.may_be_selected(&instruction, pool)?;
            } else if kinds.any(&[PointKind::New]) && opcode.is(Flags::ALLOCATES) {
                found |= allocated(&instruction, pool)?.is_some_and(|ty| self.makes(&ty));
            } else {
                found |= kinds.any(&LOCKS) && opcode.is(Flags::MONITOR);
            }
        }
        Ok(found)
    }

    /// Whether a call may be selected. Constructors are not tested before it is known whether they
    /// belong to `super(…)`.
    fn may_be_selected(
        &self,
        instruction: &Instruction<'_>,
        pool: &ConstantPool<'_>,
    ) -> Result<bool> {
        let index = instruction.constant().filter(|_| instruction.opcode != Opcode::INVOKEDYNAMIC);
        let Some(index) = index else { return Ok(false) };
        let member = pool.member(index)?;
        let name = member.name.to_str();
        if !self.drafting.selectors.may_call(&name) {
            return Ok(false);
        }
        if name == "<init>" {
            return Ok(true);
        }
        let (owner, descriptor) = (member.class.to_str(), member.descriptor.to_str());
        let receiver = has_receiver(instruction.opcode);
        let Some(target) = Target::new(&owner, &name, &descriptor, receiver) else {
            return Ok(false);
        };
        let point = Point { target: Some(target.clone()), ..Point::default() };
        Ok(!self.matching_calls(index, &target, &point).is_empty())
    }

    /// Whether an allocation of a type, given by its descriptor, is selected.
    fn makes(&self, ty: &str) -> bool {
        if let Some(known) = self.made.borrow().get(ty) {
            return *known;
        }
        let Drafting { selectors, world, .. } = self.drafting;
        let made = Selected::of_type(PointKind::New, Ty::of_descriptor(ty));
        let mut news = selectors.news.iter().map(|i| &selectors.all[*i]);
        let makes = news.any(|selector| selects(&selector.point, &made, *world).may());
        self.made.borrow_mut().insert(ty.to_string(), makes);
        makes
    }

    /// Annotations of a method, of the class on which it is called, and of the supertypes of that
    /// class, if some event needs them.
    fn annotations(&self, target: &Target) -> Vec<String> {
        let selectors = &self.drafting.selectors.all;
        if !selectors.iter().any(|s| s.letter == Some(ProgramEvent::Done)) {
            return Vec::new();
        }
        let world = self.drafting.world;
        let method = world.resolve_method(&target.owner, &target.name, &target.descriptor);
        let mut all = method.map(|(_, method)| method.annotations).unwrap_or_default();
        for class in world.supertypes(&target.owner).iter().filter_map(|name| world.class(name)) {
            let new = class.annotations.iter().filter(|name| !all.contains(name));
            let new: Vec<String> = new.cloned().collect();
            all.extend(new);
        }
        all
    }
}

/// The descriptor of the type that an instruction allocates.
fn allocated(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> Result<Option<String>> {
    Ok(Some(match instruction.operand {
        Operand::ElementType(code) => {
            let element = b"ZCFDBSIJ".get(usize::from(code.wrapping_sub(4)));
            format!("[{}", char::from(*element.unwrap_or(&b'I')))
        }
        Operand::MultiArray { class, .. } => pool.class_name(class)?.to_str().into_owned(),
        Operand::Constant(class) => {
            let name = descriptor_of(&pool.class_name(class)?.to_str());
            if instruction.opcode == Opcode::ANEWARRAY { format!("[{name}") } else { name }
        }
        _ => return Ok(None),
    }))
}

fn is_thread_start(target: &Target) -> bool {
    target.name == "start" && target.descriptor == "()V" && target.virtual_call
}

impl Search<'_, '_, '_> {
    fn run(&mut self) -> Result<()> {
        let kinds = self.finder.drafting.selectors.kinds;
        let body = self.body;
        // The method for a reference is only called by the call that stands for the reference.
        if let Some(origin) = &body.origin {
            let call = body.instructions.iter().find(|i| i.offset == origin.call);
            return call.map_or(Ok(()), |call| self.call(call));
        }
        self.whole_method();
        if kinds.any(&[PointKind::Handler]) {
            self.handlers()?;
        }
        if kinds.any(&[PointKind::Block]) {
            self.blocks();
        }
        for instruction in &body.instructions {
            let opcode = instruction.opcode;
            if kinds.any(&[PointKind::Opcode]) {
                self.opcode(instruction);
            }
            if kinds.any(&[PointKind::Call, PointKind::ThreadStart, PointKind::New])
                && opcode.is(Flags::INVOKE)
            {
                self.call(instruction)?;
            } else if kinds.any(&[PointKind::Get, PointKind::Set]) && opcode.is(Flags::FIELD) {
                self.field(instruction)?;
            } else if kinds.any(&[PointKind::ArrayRead, PointKind::ArrayWrite])
                && opcode.is(Flags::ARRAY)
            {
                self.array(instruction)?;
            }
            if kinds.any(&[PointKind::New]) && opcode.is(Flags::ALLOCATES) {
                self.allocation(instruction)?;
            }
            if kinds.any(&[PointKind::Cast]) && opcode == Opcode::CHECKCAST {
                self.cast(instruction)?;
            }
            if kinds.any(&LOCKS) && opcode.is(Flags::MONITOR) {
                self.monitor(instruction);
            }
            if kinds.any(&[PointKind::Raise]) && opcode == Opcode::ATHROW {
                self.raise(instruction);
            }
            if kinds.any(&[PointKind::Branch]) && opcode.is(Flags::CONDITIONAL) {
                self.branch(instruction);
            }
        }
        Ok(())
    }

    /// Adds the hooks for the sources that match a point on one side.
    fn add(
        &mut self,
        at: At,
        point: &Point,
        kind: PointKind,
        name: &str,
        when: JvmWhen,
        matched: Vec<(usize, Answer)>,
    ) {
        if matched.is_empty() || !self.body.is_live(point.offset) {
            return;
        }
        let drafting = self.finder.drafting;
        let matched: Vec<(&Selector, Answer)> =
            matched.into_iter().map(|(i, v)| (&drafting.selectors.all[i], v)).collect();
        let name = PointName { kind, name: name.to_string() };
        let notes = &mut self.finder.notes.borrow_mut();
        for draft in drafting.draft(point, name, when, &matched, self.body, notes) {
            self.hooks.push(Hook { at, offset: point.offset, draft, class: None });
        }
    }

    /// The sources on one side that select a point.
    fn matching(&self, when: JvmWhen, point: Selected<'_>) -> Vec<(usize, Answer)> {
        let Drafting { selectors, world, .. } = self.finder.drafting;
        let on_side = |i: &&usize| {
            let selector = &selectors.all[**i];
            selector.when == when && !selector.in_callee
        };
        let answers = self
            .selectors
            .iter()
            .filter(on_side)
            .map(|i| (*i, selects(&selectors.all[*i].point, &point, *world)));
        answers.filter(|(_, answer)| answer.may()).collect()
    }

    fn note(&self, text: impl Into<String>) {
        self.finder.notes.borrow_mut().insert(text.into());
    }

    fn full_name(&self) -> String {
        full_name(&self.body.class, &self.body.name)
    }

    /// The descriptor of a value on the stack, counted from the top; `Object` if it is not known.
    fn stack_type(&self, offset: u32, from_top: usize) -> String {
        let found = self.body.state(offset).and_then(|state| {
            match state.stack.get(state.stack.len().checked_sub(from_top + 1)?)? {
                VType::Object(name) => Some(descriptor_of(&JStr::new(name).to_str())),
                _ => None,
            }
        });
        found.unwrap_or_else(|| "Ljava/lang/Object;".to_string())
    }

    fn is_uninitialized(&self, offset: u32, from_top: usize) -> bool {
        match self.body.state(offset) {
            Some(state) => state
                .stack
                .len()
                .checked_sub(from_top + 1)
                .is_some_and(|at| state.stack[at].is_uninitialized()),
            None => self.body.super_call().is_some_and(|call| offset <= call),
        }
    }

    /// Whether a constructor call initialises an object created here, and is not `super(…)` or
    /// `this(…)`.
    fn constructs(&self, offset: u32) -> bool {
        self.constructions.get_or_init(|| self.body.constructions()).contains(&offset)
    }

    fn call(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let pool = self.body.file().pool();
        let (Some(index), offset) = (instruction.constant(), instruction.offset) else {
            return Ok(());
        };
        if instruction.opcode == Opcode::INVOKEDYNAMIC {
            return Ok(());
        }
        let member = pool.member(index)?;
        let name = member.name.to_str();
        let constructor = name == "<init>";
        let selectors = self.finder.drafting.selectors;
        let owner = member.class.to_str();
        let news = selectors.kinds.any(&[PointKind::New])
            && constructor
            && self.finder.makes(&descriptor_of(&owner));
        if !news && !selectors.may_call(&name) {
            return Ok(());
        }
        let receiver = has_receiver(instruction.opcode);
        let target = match &self.body.origin {
            Some(origin) => Some(origin.target.clone()),
            None => Target::new(&owner, &name, &member.descriptor.to_str(), receiver),
        };
        let Some(target) = target else { return Ok(()) };
        if constructor && !self.constructs(offset) || self.is_bridging(&target) {
            return Ok(());
        }
        let shift = usize::from(receiver);
        let object = receiver.then(|| Val::new(Loc::Pop(0), descriptor_of(&owner)));
        let args = target.params.iter().enumerate();
        let args = args.map(|(i, ty)| Some(Val::new(Loc::Pop(i + shift), ty.clone()))).collect();
        let point = Point {
            offset,
            mnemonic: instruction.opcode.mnemonic(),
            receiver: object.clone().filter(|_| !constructor),
            object: object.clone().filter(|_| !constructor),
            args,
            target: Some(target.clone()),
            ..Point::default()
        };
        let matched = self.finder.matching_calls(index, &target, &point);
        if matched.is_empty() && !news {
            return Ok(());
        }
        let point = Point { annotations: self.finder.annotations(&target), ..point };
        let all = &self.finder.drafting.selectors.all;
        let select = |when: JvmWhen, starts: bool| {
            let mut list: Vec<(usize, Answer)> = matched.to_vec();
            list.retain(|(i, _)| {
                let is_start = all[*i].point.kind == PointKind::ThreadStart;
                all[*i].when == when && is_start == starts && self.selectors.contains(i)
            });
            list
        };
        let (before, after) = (select(JvmWhen::Before, false), select(JvmWhen::After, false));
        let throwing = select(JvmWhen::Throwing, false);
        let starts = [JvmWhen::Before, JvmWhen::After].map(|when| select(when, true));
        let full_name = target.full_name();
        let owner_name = dotted(&target.owner);
        self.add(At::Before, &point, PointKind::Call, &full_name, JvmWhen::Before, before);
        let [starting, started] = starts;
        self.add(
            At::Before,
            &point,
            PointKind::ThreadStart,
            &owner_name,
            JvmWhen::Before,
            starting,
        );
        let done = Point {
            receiver: object.clone(),
            object: object.clone(),
            result: (target.result != "V").then(|| Val::new(Loc::Push, target.result.clone())),
            locals: Locals::After,
            ..point.clone()
        };
        if news {
            let made = self.matching(
                JvmWhen::After,
                Selected::of_type(PointKind::New, Ty::of_class(&target.owner)),
            );
            self.add(At::After, &done, PointKind::New, &owner_name, JvmWhen::After, made);
        }
        self.add(At::After, &done, PointKind::Call, &full_name, JvmWhen::After, after);
        self.add(At::After, &done, PointKind::ThreadStart, &owner_name, JvmWhen::After, started);
        let exception = Some(Val::new(Loc::Exception, "Ljava/lang/Throwable;"));
        let thrown = Point { exception, ..point };
        if !throwing.is_empty() && !self.body.can_catch(offset) {
            self.note(format!(
                "{}: exceptions of a call before `super(…)` are not observed",
                self.full_name()
            ));
            return Ok(());
        }
        self.add(At::Throwing, &thrown, PointKind::Call, &full_name, JvmWhen::Throwing, throwing);
        Ok(())
    }

    fn field(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let Some(index) = instruction.constant() else { return Ok(()) };
        let member = self.body.file().pool().member(index)?;
        let (owner, name) = (member.class.to_str(), member.name.to_str());
        let ty = member.descriptor.to_str();
        let opcode = instruction.opcode;
        let reads = matches!(opcode, Opcode::GETFIELD | Opcode::GETSTATIC);
        let on_object = matches!(opcode, Opcode::GETFIELD | Opcode::PUTFIELD);
        let offset = instruction.offset;
        let accessed =
            Accessed { owner: &owner, name: &name, ty: Ty::of_descriptor(&ty), on_object };
        let kind = if reads { PointKind::Get } else { PointKind::Set };
        let access = Selected { kind, of: Of::Field(accessed) };
        let before = self.matching(JvmWhen::Before, access);
        let after = self.matching(JvmWhen::After, access);
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        let receiver = on_object && !self.is_uninitialized(offset, usize::from(!reads));
        let value = Val::new(Loc::Pop(usize::from(on_object)), ty.to_string());
        let point = Point {
            offset,
            mnemonic: opcode.mnemonic(),
            receiver: receiver.then(|| Val::new(Loc::Pop(0), descriptor_of(&owner))),
            value: (!reads).then_some(value),
            ..Point::default()
        };
        let full = full_name(&owner, &name);
        self.add(At::Before, &point, kind, &full, JvmWhen::Before, before);
        let mut done = Point { locals: Locals::After, ..point };
        if reads {
            done.value = Some(Val::new(Loc::Push, ty.to_string()));
        }
        self.add(At::After, &done, kind, &full, JvmWhen::After, after);
        Ok(())
    }

    fn array(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let opcode = instruction.opcode;
        let reads = (Opcode::IALOAD.byte()..=Opcode::SALOAD.byte()).contains(&opcode.byte());
        let writes = (Opcode::IASTORE.byte()..=Opcode::SASTORE.byte()).contains(&opcode.byte());
        if !reads && !writes {
            return Ok(());
        }
        let offset = instruction.offset;
        let array = self.stack_type(offset, if reads { 1 } else { 2 });
        let row =
            opcode.byte() - if reads { Opcode::IALOAD.byte() } else { Opcode::IASTORE.byte() };
        let by_opcode = ["I", "J", "F", "D", "Ljava/lang/Object;", "B", "C", "S"];
        let element = match array.strip_prefix('[') {
            Some(element) => element.to_string(),
            None => by_opcode[usize::from(row)].to_string(),
        };
        let ty = Ty::of_descriptor(&element);
        let kind = if reads { PointKind::ArrayRead } else { PointKind::ArrayWrite };
        let access = Selected::of_type(kind, ty);
        let point = Point {
            offset,
            mnemonic: opcode.mnemonic(),
            array: Some(Val::new(Loc::Pop(0), array)),
            index: Some(Val::new(Loc::Pop(1), "I")),
            value: writes.then(|| Val::new(Loc::Pop(2), element.clone())),
            ..Point::default()
        };
        let name = dotted_type(&element);
        let before = self.matching(JvmWhen::Before, access);
        let after = self.matching(JvmWhen::After, access);
        self.add(At::Before, &point, kind, &name, JvmWhen::Before, before);
        let mut done = Point { locals: Locals::After, ..point };
        if reads {
            done.value = Some(Val::new(Loc::Push, element.clone()));
        }
        self.add(At::After, &done, kind, &name, JvmWhen::After, after);
        Ok(())
    }

    fn allocation(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let ty = allocated(instruction, self.body.file().pool())?;
        let Some(ty) = ty.filter(|ty| self.finder.makes(ty)) else { return Ok(()) };
        let made = Selected::of_type(PointKind::New, Ty::of_descriptor(&ty));
        let point = Point {
            offset: instruction.offset,
            mnemonic: instruction.opcode.mnemonic(),
            ..Point::default()
        };
        let name = dotted_type(&ty);
        let before = self.matching(JvmWhen::Before, made);
        self.add(At::Before, &point, PointKind::New, &name, JvmWhen::Before, before);
        // An object exists when its constructor has run: see `call`.
        if instruction.opcode != Opcode::NEW {
            let object = Some(Val::new(Loc::Push, ty.clone()));
            let after = self.matching(JvmWhen::After, made);
            let done = Point { object, locals: Locals::After, ..point };
            self.add(At::After, &done, PointKind::New, &name, JvmWhen::After, after);
        }
        Ok(())
    }

    fn cast(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let Some(index) = instruction.constant() else { return Ok(()) };
        let ty = descriptor_of(&self.body.file().pool().class_name(index)?.to_str());
        let offset = instruction.offset;
        let point = Point {
            offset,
            mnemonic: instruction.opcode.mnemonic(),
            object: Some(Val::new(Loc::Pop(0), self.stack_type(offset, 0))),
            ..Point::default()
        };
        let name = dotted_type(&ty);
        let cast = Selected::of_type(PointKind::Cast, Ty::of_descriptor(&ty));
        let before = self.matching(JvmWhen::Before, cast);
        let after = self.matching(JvmWhen::After, cast);
        self.add(At::Before, &point, PointKind::Cast, &name, JvmWhen::Before, before);
        let object = Some(Val::new(Loc::Push, ty.clone()));
        let done = Point { object, locals: Locals::After, ..point };
        self.add(At::After, &done, PointKind::Cast, &name, JvmWhen::After, after);
        Ok(())
    }

    fn lock_test(&self, enters: bool, when: JvmWhen, ty: &str) -> Vec<(usize, Answer)> {
        let ty = Ty::of_descriptor(ty);
        let kind = if enters { PointKind::Lock } else { PointKind::Unlock };
        self.matching(when, Selected::of_type(kind, ty))
    }

    fn monitor(&mut self, instruction: &Instruction<'_>) {
        let enters = instruction.opcode == Opcode::MONITORENTER;
        let offset = instruction.offset;
        let ty = self.stack_type(offset, 0);
        let kind = if enters { PointKind::Lock } else { PointKind::Unlock };
        let name = dotted_type(&ty);
        for (at, when, locals) in [
            (At::Before, JvmWhen::Before, Locals::Before),
            (At::After, JvmWhen::After, Locals::After),
        ] {
            let point = Point {
                offset,
                mnemonic: instruction.opcode.mnemonic(),
                object: Some(Val::new(Loc::Pop(0), ty.clone())),
                locals,
                ..Point::default()
            };
            let matched = self.lock_test(enters, when, &ty);
            self.add(at, &point, kind, &name, when, matched);
        }
    }

    fn raise(&mut self, instruction: &Instruction<'_>) {
        let offset = instruction.offset;
        let ty = match self.stack_type(offset, 0) {
            unknown if unknown == "Ljava/lang/Object;" => "Ljava/lang/Throwable;".to_string(),
            known => known,
        };
        let thrown = Some(Val::new(Loc::Pop(0), ty.clone()));
        let mnemonic = instruction.opcode.mnemonic();
        let (object, exception) = (thrown.clone(), thrown);
        let point = Point { offset, mnemonic, object, exception, ..Point::default() };
        let raise = Selected::of_type(PointKind::Raise, Ty::of_descriptor(&ty));
        let before = self.matching(JvmWhen::Before, raise);
        self.add(At::Before, &point, PointKind::Raise, &dotted_type(&ty), JvmWhen::Before, before);
        if [JvmWhen::After, JvmWhen::Throwing].iter().any(|w| !self.matching(*w, raise).is_empty())
        {
            self.note("`after raise` is not possible: use `before raise`");
        }
    }

    fn branch(&mut self, instruction: &Instruction<'_>) {
        let offset = instruction.offset;
        let mnemonic = instruction.opcode.mnemonic();
        let point = Point { offset, mnemonic, ..Point::default() };
        let name = self.full_name();
        let before =
            self.matching(JvmWhen::Before, Selected { kind: PointKind::Branch, of: Of::Nothing });
        self.add(At::Front, &point, PointKind::Branch, &name, JvmWhen::Before, before);
        if !self
            .matching(JvmWhen::After, Selected { kind: PointKind::Branch, of: Of::Nothing })
            .is_empty()
        {
            self.note("`after branch` is not possible: use `before branch`, or `before block`");
        }
    }

    fn opcode(&mut self, instruction: &Instruction<'_>) {
        let offset = instruction.offset;
        let mnemonic = instruction.opcode.mnemonic();
        let point = Point { offset, mnemonic, ..Point::default() };
        let before = self.matching(
            JvmWhen::Before,
            Selected { kind: PointKind::Opcode, of: Of::Mnemonic(mnemonic) },
        );
        self.add(At::Front, &point, PointKind::Opcode, mnemonic, JvmWhen::Before, before);
        let after = self.matching(
            JvmWhen::After,
            Selected { kind: PointKind::Opcode, of: Of::Mnemonic(mnemonic) },
        );
        if after.is_empty() {
            return;
        }
        if instruction.falls_through() && !instruction.opcode.is(Flags::BRANCH) {
            let done = Point { locals: Locals::After, ..point };
            self.add(At::After, &done, PointKind::Opcode, mnemonic, JvmWhen::After, after);
        } else {
            self.note(format!(
                "`after opcode` is not possible for `{mnemonic}`: no instruction follows it"
            ));
        }
    }

    fn blocks(&mut self) {
        let Some((graph, _)) = self.body.graph() else {
            self.note("blocks are not known in code with subroutines (jsr)");
            return;
        };
        let name = self.full_name();
        for id in graph.ids() {
            let block = graph.block(id);
            let instructions = graph.block_instructions(id);
            let Some(last) = instructions.last() else { continue };
            let point = Point { offset: block.range.start, ..Point::default() };
            let before = self
                .matching(JvmWhen::Before, Selected { kind: PointKind::Block, of: Of::Nothing });
            self.add(At::Front, &point, PointKind::Block, &name, JvmWhen::Before, before);
            let point = Point { offset: last.offset, ..Point::default() };
            let after =
                self.matching(JvmWhen::After, Selected { kind: PointKind::Block, of: Of::Nothing });
            let falls = last.falls_through() && !last.opcode.is(Flags::BRANCH);
            let at = if falls { At::After } else { At::Front };
            self.add(at, &point, PointKind::Block, &name, JvmWhen::After, after);
        }
    }

    fn handlers(&mut self) -> Result<()> {
        let pool = self.body.file().pool();
        let mut caught: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for row in self.body.code.exception_table.iter() {
            let name = pool.optional_class_name(row.catch_type)?;
            let name = name.map_or("java/lang/Throwable".into(), |name| name.to_str());
            let types = caught.entry(row.handler.into()).or_default();
            if !types.iter().any(|known| *known == *name) {
                types.push(name.into_owned());
            }
        }
        for (offset, types) in caught {
            let classes: Vec<&str> = types.iter().map(String::as_str).collect();
            let ty = match &types[..] {
                [one] => descriptor_of(one),
                _ => "Ljava/lang/Throwable;".to_string(),
            };
            let point =
                Point { offset, exception: Some(Val::new(Loc::Exception, ty)), ..Point::default() };
            let name = dotted(&types[0]);
            for when in [JvmWhen::Before, JvmWhen::After] {
                let handler = Selected { kind: PointKind::Handler, of: Of::Classes(&classes) };
                let matched = self.matching(when, handler);
                self.add(At::Front, &point, PointKind::Handler, &name, when, matched);
            }
        }
        Ok(())
    }

    /// Executions, class initialisers and the locks of synchronized methods.
    fn whole_method(&mut self) {
        let body = self.body;
        let kinds = self.finder.drafting.selectors.kinds;
        let locks = kinds.any(&LOCKS) && body.member.has_access(access::SYNCHRONIZED);
        let initialises = kinds.any(&[PointKind::ClassInit]) && body.name == "<clinit>";
        if !(kinds.any(&[PointKind::Execution]) || locks || initialises) {
            return;
        }
        let receiver = body.has_this_throughout().then(|| Val::new(Loc::Param(0), body.own_type()));
        if receiver.is_none() && !body.is_static() {
            self.note("`this` cannot be found in the constructor: events about the new object are not observed");
        }
        let args = body.params.iter();
        let args = args.map(|(slot, ty)| Some(Val::new(Loc::Param(*slot), ty.clone()))).collect();
        let Some(target) =
            Target::new(&body.class, &body.name, &body.descriptor, !body.is_static())
        else {
            return;
        };
        let first = match body.super_call() {
            Some(call) => {
                let next = body.instructions.iter().find(|i| i.offset > call);
                next.map_or(call, |i| i.offset)
            }
            None => 0,
        };
        let entry = Point {
            offset: first,
            receiver,
            args,
            annotations: self.finder.annotations(&target),
            target: Some(target.clone()),
            ..Point::default()
        };
        let lock = match body.is_static() {
            true if body.file().major >= 49 => Some(Val::new(Loc::OwnClass, "Ljava/lang/Class;")),
            true => None,
            false => entry.receiver.clone(),
        };
        let unwind = Point {
            exception: Some(Val::new(Loc::Exception, "Ljava/lang/Throwable;")),
            locals: Locals::Unwinding,
            ..entry.clone()
        };
        let full = self.full_name();
        let owner = dotted(&body.class);

        let before = self.executions(&target, JvmWhen::Before, &entry);
        let after = self.executions(&target, JvmWhen::After, &entry);
        let throwing = self.executions(&target, JvmWhen::Throwing, &entry);
        let constructed = Point { object: entry.receiver.clone(), ..entry.clone() };
        self.add(At::Entry, &constructed, PointKind::Execution, &full, JvmWhen::Before, before);
        self.add(At::Unwind, &unwind, PointKind::Execution, &full, JvmWhen::Throwing, throwing);
        let (starts, ends, fails) = (
            self.class_inits(JvmWhen::Before),
            self.class_inits(JvmWhen::After),
            self.class_inits(JvmWhen::Throwing),
        );
        if initialises {
            self.add(At::Entry, &entry, PointKind::ClassInit, &owner, JvmWhen::Before, starts);
            self.add(At::Unwind, &unwind, PointKind::ClassInit, &owner, JvmWhen::Throwing, fails);
        }
        let lock_type = lock.as_ref().map_or("Ljava/lang/Object;", |val| &val.ty).to_string();
        if locks {
            let point = Point { object: lock.clone(), ..entry.clone() };
            let name = dotted_type(&lock_type);
            for when in [JvmWhen::Before, JvmWhen::After] {
                let entered = self.lock_test(true, when, &lock_type);
                self.add(At::Entry, &point, PointKind::Lock, &name, when, entered);
                let left = self.lock_test(false, when, &lock_type);
                let point = Point { object: lock.clone(), ..unwind.clone() };
                self.add(At::Unwind, &point, PointKind::Unlock, &name, when, left);
            }
        }
        for instruction in body.instructions.iter().filter(|i| i.opcode.is(Flags::RETURN)) {
            let exit = Point {
                offset: instruction.offset,
                mnemonic: instruction.opcode.mnemonic(),
                result: (target.result != "V")
                    .then(|| Val::new(Loc::Pop(0), target.result.clone())),
                ..entry.clone()
            };
            self.add(At::Before, &exit, PointKind::Execution, &full, JvmWhen::After, after.clone());
            if initialises {
                self.add(
                    At::Before,
                    &exit,
                    PointKind::ClassInit,
                    &owner,
                    JvmWhen::After,
                    ends.clone(),
                );
            }
            if locks {
                for when in [JvmWhen::Before, JvmWhen::After] {
                    let left = self.lock_test(false, when, &lock_type);
                    let point = Point { object: lock.clone(), ..exit.clone() };
                    self.add(
                        At::Before,
                        &point,
                        PointKind::Unlock,
                        &dotted_type(&lock_type),
                        when,
                        left,
                    );
                }
            }
        }
    }

    /// Whether a call goes from a method that the compiler generated (such as `Object next()`
    /// beside `String next()`) to the one in the source: for the user, both are one call.
    fn is_bridging(&self, target: &Target) -> bool {
        self.body.member.has_access(access::BRIDGE) && target.name == self.body.name
    }

    /// Whether the method only calls the method in the source, in the same class.
    fn is_bridge(&self) -> bool {
        let body = self.body;
        let to_own = |i: &Instruction<'_>| {
            let member = i.constant().and_then(|index| body.file().pool().member(index).ok());
            member.is_some_and(|m| m.class.to_str() == *body.class && m.name.to_str() == *body.name)
        };
        body.member.has_access(access::BRIDGE)
            && body.instructions.iter().any(|i| i.opcode.is(Flags::INVOKE) && to_own(i))
    }

    fn executions(&self, target: &Target, when: JvmWhen, point: &Point) -> Vec<(usize, Answer)> {
        if self.is_bridge() {
            return Vec::new();
        }
        let drafting = self.finder.drafting;
        let all = &drafting.selectors.all;
        let called = target.called();
        let executed = |i: &usize| {
            let selector = &all[*i];
            let is_one = selector.point.kind == PointKind::Execution || selector.in_callee;
            let Some(pattern) = selector.point.method().filter(|_| is_one) else { return false };
            // A class initialiser is a program point of its own.
            selector.when == when
                && target.name != "<clinit>"
                && self.executes(pattern, &called, selector.in_callee)
                && drafting.is_interesting(selector, target, point)
        };
        self.selectors.iter().copied().filter(executed).map(|i| (i, Answer::Yes)).collect()
    }

    /// Whether the method being executed matches: as it is declared or, where `overriding`, as a
    /// supertype declares it.
    fn executes(&self, pattern: &MethodPattern, called: &Called<'_>, overriding: bool) -> bool {
        let world = self.finder.drafting.world;
        if matches_execution(pattern, called, world) == Answer::Yes {
            return true;
        }
        overriding
            && !pattern.negated
            && world.overridden(called).iter().any(|owner| {
                let above = Called { owner, ..called.clone() };
                matches_execution(pattern, &above, world) == Answer::Yes
            })
    }

    fn class_inits(&self, when: JvmWhen) -> Vec<(usize, Answer)> {
        let class = Ty::of_class(&self.body.class);
        self.matching(when, Selected::of_type(PointKind::ClassInit, class))
    }
}

/// The kinds of values that an instruction pops and pushes.
pub fn stack_effect(
    instruction: &Instruction<'_>,
    body: &Body<'_, '_>,
) -> Result<(Vec<Kind>, Option<Kind>)> {
    let effect = effect(instruction, body.file().pool())?;
    Ok((effect.pops, effect.push))
}
