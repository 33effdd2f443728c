//! The entry point.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use watchword_classfile::{
    ClassEditor, ClassFile, CodeEditor, Constant, Constants, Error, Result, access,
};
use watchword_model::{Glob, Model, PointKind};
use watchword_select::{ClassFacts, Hierarchy, KnownTypes, dotted};

use crate::ahead;
use crate::answered::Answered;
use crate::body::{Body, Origin};
use crate::code;
use crate::draft::Drafting;
use crate::lambda::{self, Reference};
use crate::options::{Options, Scope};
use crate::points::{Finder, Hook};
use crate::selectors::Selectors;
use crate::silenced::Silenced;
use crate::site::{Place, Site, SiteId};
use crate::spun::{self, Spun};

/// Hands out site numbers, from 0. All weavers of one program share it.
#[derive(Debug, Default)]
pub struct Numbers(AtomicU32);

impl Numbers {
    /// The first of `count` consecutive numbers.
    pub fn reserve(&self, count: u32) -> u32 {
        self.0.fetch_add(count, Ordering::Relaxed)
    }

    /// How many have been handed out.
    pub fn used(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something a user should know about a woven class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Note {
    /// The class, with dots.
    pub class: String,
    /// The method and its descriptor, where it concerns one.
    pub method: Option<String>,
    /// What.
    pub text: String,
}

/// What became of a class.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing selected is in it; the original bytes stay.
    Unchanged {
        /// What a user should know.
        notes: Vec<Note>,
    },
    /// It was woven.
    Woven(Woven),
    /// It should have been looked at but could not; the original bytes stay.
    Left {
        /// Why.
        reason: String,
    },
}

/// A woven class.
#[derive(Debug)]
pub struct Woven {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Its sites; their ids are consecutive.
    pub sites: Vec<Site>,
    /// What a user should know.
    pub notes: Vec<Note>,
    /// Whether it got the method [`LINKER`](crate::LINKER).
    pub links: bool,
}

/// Members that are put into classes have names that begin like this.
pub const OWN_MEMBERS: &str = "$watchword$";

/// Weaves classes for a model.
#[derive(Debug)]
pub struct Weaver {
    model: Arc<Model>,
    options: Options,
    /// The same, and nothing is silenced.
    fully: Options,
    selectors: Selectors,
    answered: Answered,
}

impl Weaver {
    /// A weaver for the events of a model that have sources in a JVM.
    pub fn new(model: &Model, options: Options) -> Weaver {
        Weaver::sharing(Arc::new(model.clone()), options)
    }

    /// The same, with a model that others use as well.
    pub fn sharing(model: Arc<Model>, options: Options) -> Weaver {
        let selectors = Selectors::new(&model, options.events);
        let Options { scope, events, ahead, keep_shape, hooks, outlines, .. } = &options;
        let (scope, silenced) = (scope.clone(), Silenced::default());
        let (events, ahead, keep_shape) = (*events, *ahead, *keep_shape);
        let (hooks, outlines) = (*hooks, *outlines);
        let fully = Options { scope, events, silenced, ahead, keep_shape, hooks, outlines };
        Weaver { model, options, fully, selectors, answered: Answered::default() }
    }

    /// A weaver for the classes of the JDK in which a model observes executions, because its selectors
    /// name them one by one; nothing else in these classes is woven, and they get no members. `None` if there
    /// are none.
    pub fn of_named_jdk_classes(model: &Arc<Model>) -> Option<Weaver> {
        let (selectors, names) = Selectors::of_named_jdk_classes(model)?;
        let within = names.iter().map(|name| Glob::new(name)).collect();
        let scope = Scope { within, without: Vec::new() };
        let options = Options { scope, keep_shape: true, ..Options::default() };
        let (model, fully, answered) = (model.clone(), options.clone(), Answered::default());
        Some(Weaver { model, fully, options, selectors, answered })
    }

    /// Whether there is anything to be found in a JVM at all.
    pub fn has_sources(&self) -> bool {
        !self.selectors.all.is_empty()
    }

    /// Whether a class, by its name with dots, is to be woven.
    pub fn includes(&self, class: &str) -> bool {
        self.options.scope.includes(class)
    }

    /// The silenced sites.
    pub fn silenced(&self) -> &Silenced {
        &self.options.silenced
    }

    /// Weaves a class. Numbers are reserved once, after the last question to the hierarchy; ids of
    /// methods that turn out too large stay unused.
    pub fn weave(&self, class: &[u8], hierarchy: &dyn Hierarchy, numbers: &Numbers) -> Outcome {
        let woven = self.try_weave(class, None, &self.options, hierarchy, numbers);
        woven.unwrap_or_else(|error| Outcome::Left { reason: error.to_string() })
    }

    /// The same for a class whose facts, [`ClassFacts::of`] these bytes, are at hand.
    pub fn weave_known(
        &self,
        class: &[u8],
        facts: &Arc<ClassFacts>,
        hierarchy: &dyn Hierarchy,
        numbers: &Numbers,
    ) -> Outcome {
        let woven = self.try_weave(class, Some(facts), &self.options, hierarchy, numbers);
        woven.unwrap_or_else(|error| Outcome::Left { reason: error.to_string() })
    }

    /// Weaves a class of which nothing is silenced, whatever the options say: it is not the class
    /// that was analysed.
    pub fn weave_fully(
        &self,
        class: &[u8],
        hierarchy: &dyn Hierarchy,
        numbers: &Numbers,
    ) -> Outcome {
        let woven = self.try_weave(class, None, &self.fully, hierarchy, numbers);
        woven.unwrap_or_else(|error| Outcome::Left { reason: error.to_string() })
    }

    fn try_weave(
        &self,
        bytes: &[u8],
        facts: Option<&Arc<ClassFacts>>,
        options: &Options,
        hierarchy: &dyn Hierarchy,
        numbers: &Numbers,
    ) -> Result<Outcome> {
        let class = ClassFile::parse(bytes)?;
        let name = class.name()?.to_str().into_owned();
        let unchanged = Outcome::Unchanged { notes: Vec::new() };
        if class.has_access(access::MODULE) || !self.includes(&dotted(&name)) {
            return Ok(unchanged);
        }
        if ahead::is_woven(&class) {
            if self.options.ahead {
                return Err(Error::edit("it is woven already"));
            }
            let (model, selectors) = (&self.model, &self.selectors);
            let woven = ahead::adopt(&class, bytes, model, selectors, options, numbers)?;
            return Ok(Outcome::Woven(woven));
        }
        let facts = match facts {
            Some(facts) => facts.clone(),
            None => Arc::new(ClassFacts::of(&class)?),
        };
        let world = KnownTypes::new(hierarchy, facts);
        let drafting = Drafting {
            model: &self.model,
            selectors: &self.selectors,
            options,
            world: &world,
            answered: &self.answered,
        };
        self.weave_class(&class, &drafting, numbers)
    }

    fn weave_class(
        &self,
        class: &ClassFile<'_>,
        drafting: &Drafting<'_>,
        numbers: &Numbers,
    ) -> Result<Outcome> {
        let finder = &Finder::new(drafting);
        let world = drafting.world;
        let name = dotted(&class.name()?.to_str());
        let mut notes = Vec::new();
        let kinds = self.selectors.kinds;
        if kinds.any(&[PointKind::Call])
            && let Some(what) = reflection(class)
        {
            let text = format!("calls through {what} are not observed; `execution` observes them");
            notes.push(Note { class: name.clone(), method: None, text });
        }
        let initialises =
            kinds.any(&[PointKind::ClassInit]) && class.method("<clinit>", "()V").is_some();
        let shows = kinds.show_in_instructions() && !initialises;
        let alone = [PointKind::New, PointKind::Lock, PointKind::Unlock];
        if shows && !kinds.any(&alone) && !finder.may_call(class)? {
            return Ok(Outcome::Unchanged { notes });
        }
        let keep_shape = self.options.keep_shape;
        let references = lambda::find(class, finder, world, keep_shape, &mut notes)?;
        let spun = spin(class, drafting, &references, &mut notes)?;
        let mut found = Vec::new();
        for method in class.methods() {
            let label = method.to_string();
            // The JVM looks at this method before it runs anything.
            if name == "java.lang.Object" && method.name()? == "finalize" {
                continue;
            }
            if label.starts_with(OWN_MEMBERS) {
                continue;
            }
            if shows && !finder.may_have_points(method)? {
                continue;
            }
            let Some(body) = Body::of(method, None)? else { continue };
            let (hooks, texts) = finder.find(&body)?;
            let note = |text| Note { class: name.clone(), method: Some(label.clone()), text };
            notes.extend(texts.into_iter().map(note));
            if !hooks.is_empty() {
                found.push((body, hooks));
            }
        }
        if found.is_empty() && spun.is_empty() {
            return self.without_sites(class, drafting, notes);
        }
        // The interface of identities has no supertypes and is not part of the program. A class that this JDK
        // does not have, but another, does not exist here.
        let is_told = |name: &&String| *name != crate::runtime::TRACKED && !is_only_of_jdks(name);
        for missing in world.missing().iter().filter(is_told) {
            let text =
                format!("{} is not known: its supertypes were not considered", dotted(missing));
            notes.push(Note { class: name.clone(), method: None, text });
        }
        let referring = spun.iter().flat_map(|spun| &spun.hooks).map(Vec::len).sum::<usize>();
        let count = found.iter().map(|(_, hooks)| hooks.len()).sum::<usize>() + referring;
        let count = count as u32;
        let mut editor = ClassEditor::new(class);
        let mut next = match self.options.ahead {
            true => ahead::first_number(&editor.pool, count),
            false => numbers.reserve(count),
        };
        let mut sites = Vec::new();
        let mut texts = HashMap::new();
        // By method: the references that are linked to classes of ours.
        let mut linked: BTreeMap<usize, Vec<(u32, u16)>> = BTreeMap::new();
        let linker = match spun.is_empty() {
            true => 0,
            false => lambda::add_linker(class, &mut editor)?,
        };
        for one in spun {
            let reference = one.reference;
            let (bytes, own) = self.weave_spun(one, next)?;
            next += own.len() as u32;
            let (constant, text) = lambda::redirect(&mut editor, linker, reference, &bytes)?;
            for site in own.iter().filter(|_| self.options.ahead) {
                texts.insert(site.id, (text, ahead::number_in(&bytes, site.id)?));
            }
            let (method, offset) = reference.home;
            linked.entry(method).or_default().push((offset, constant));
            sites.extend(own);
        }
        for (body, hooks) in &mut found {
            let first = SiteId(next);
            let own = self.numbered(next, body, hooks);
            next += hooks.len() as u32;
            let links = linked.get(&body.member.index());
            let edited = editor.edit_code(body.member, |code, pool| {
                code::weave(code, pool, body, hooks, first, self.options.outlines)?;
                link(code, links)
            });
            if let Err(error) = edited {
                let text = format!("not woven: {}", error.without_context());
                let method = Some(body.member.to_string());
                notes.push(Note { class: name.clone(), method, text });
                continue;
            }
            linked.remove(&body.member.index());
            sites.extend(own);
        }
        for method in class.methods() {
            if let Some(links) = linked.get(&method.index()) {
                editor.edit_code(method, |code, _| link(code, Some(links)))?;
            }
        }
        if sites.is_empty() {
            return Ok(Outcome::Unchanged { notes });
        }
        if self.options.ahead {
            ahead::attach(&mut editor, &sites, &texts, &self.model)?;
        }
        notes.sort();
        let links = linker != 0;
        Ok(Outcome::Woven(Woven { bytes: editor.to_bytes()?, sites, notes, links }))
    }

    /// A class in which nothing is left to weave. Of one whose sites are silenced that is written down,
    /// or it would be woven when it is loaded.
    fn without_sites(
        &self,
        class: &ClassFile<'_>,
        drafting: &Drafting<'_>,
        mut notes: Vec<Note>,
    ) -> Result<Outcome> {
        let name = dotted(&class.name()?.to_str());
        if !self.options.ahead || !drafting.options.silenced.names(&name) {
            return Ok(Outcome::Unchanged { notes });
        }
        let mut editor = ClassEditor::new(class);
        ahead::attach(&mut editor, &[], &HashMap::new(), &self.model)?;
        notes.sort();
        let sites = Vec::new();
        Ok(Outcome::Woven(Woven { bytes: editor.to_bytes()?, sites, notes, links: false }))
    }

    /// The sites of a method's hooks, from a number on; they learn which class they call.
    fn numbered(&self, first: u32, body: &Body<'_, '_>, hooks: &mut [Hook]) -> Vec<Site> {
        let own: Vec<Site> =
            (first..).zip(hooks.iter()).map(|(id, hook)| site(id, body, hook)).collect();
        if let Some(class) = self.options.hooks {
            hooks.iter_mut().zip(&own).for_each(|(hook, site)| hook.class = class(site));
        }
        own
    }

    /// Weaves the class of a reference.
    fn weave_spun(&self, spun: Referring<'_, '_>, first: u32) -> Result<(Vec<u8>, Vec<Site>)> {
        let class = ClassFile::parse(&spun.class.bytes)?;
        let mut editor = ClassEditor::new(&class);
        let mut sites = Vec::new();
        for ((descriptor, call), mut hooks) in spun.class.calls.iter().zip(spun.hooks) {
            let body = spun_body(&class, spun.reference, descriptor, *call)?;
            let first = first + sites.len() as u32;
            let own = self.numbered(first, &body, &mut hooks);
            editor.edit_code(body.member, |code, pool| {
                code::weave(code, pool, &body, &hooks, SiteId(first), self.options.outlines)
            })?;
            sites.extend(own);
        }
        Ok((editor.to_bytes()?, sites))
    }

    /// Types (internal names) whose objects can be operands of events, as far as selectors and
    /// the signatures of the methods they name tell: candidates for [`identity`](crate::identity),
    /// together with their subtypes. Sorted.
    pub fn operand_types(&self, hierarchy: &dyn Hierarchy) -> Vec<String> {
        crate::operands::types(&self.model, &self.selectors, hierarchy)
    }
}

/// A reference, the class that stands for it, and the hooks of each of its calls.
struct Referring<'r, 'a> {
    reference: &'r Reference<'a>,
    class: Spun,
    hooks: Vec<Vec<Hook>>,
}

/// The classes of the references that have hooks.
fn spin<'r, 'a>(
    class: &ClassFile<'a>,
    drafting: &Drafting<'_>,
    references: &'r [Reference<'a>],
    notes: &mut Vec<Note>,
) -> Result<Vec<Referring<'r, 'a>>> {
    let mut all = Vec::new();
    for (number, reference) in references.iter().enumerate() {
        let own = class.name()?.to_str().into_owned();
        let made = match spun::class(&format!("{own}$$Lambda${number}"), reference) {
            Ok(made) => made,
            Err(error) => {
                let why = format!("is not seen: {error}");
                notes.push(lambda::note(&reference.origin.place, &reference.member, &why));
                continue;
            }
        };
        let file = ClassFile::parse(&made.bytes)?;
        let finder = Finder::new(drafting);
        let mut hooks = Vec::new();
        for (descriptor, call) in &made.calls {
            let body = spun_body(&file, reference, descriptor, *call)?;
            let (found, texts) = finder.find(&body)?;
            let Place { class, method, descriptor, .. } = &reference.origin.place;
            notes.extend(texts.into_iter().map(|text| Note {
                class: class.clone(),
                method: Some(format!("{method}{descriptor}")),
                text,
            }));
            hooks.push(found);
        }
        if hooks.iter().any(|found| !found.is_empty()) {
            all.push(Referring { reference, class: made, hooks });
        }
    }
    Ok(all)
}

/// A method of a reference's class that makes the call.
fn spun_body<'c, 'a>(
    class: &'c ClassFile<'a>,
    reference: &Reference<'_>,
    descriptor: &str,
    call: u32,
) -> Result<Body<'c, 'a>> {
    let origin = Origin { call, ..reference.origin.clone() };
    let member = class.method(&reference.method, descriptor);
    let body = member.map(|member| Body::of(member, Some(origin))).transpose()?.flatten();
    body.ok_or_else(|| Error::edit("a method reference without its call"))
}

/// Gives references the constants by which they are linked to classes of ours.
fn link(code: &mut CodeEditor<'_>, links: Option<&Vec<(u32, u16)>>) -> Result<()> {
    links
        .into_iter()
        .flatten()
        .try_for_each(|(offset, constant)| code.set_constant(*offset, *constant))
}

fn site(id: u32, body: &Body<'_, '_>, hook: &Hook) -> Site {
    Site {
        id: SiteId(id),
        place: body.place(hook.offset),
        when: hook.draft.when,
        point: hook.draft.name.clone(),
        operands: hook.draft.values.iter().map(|(_, o)| o.clone()).collect(),
        emits: hook.draft.emits.clone(),
        tests: hook.draft.tests.clone(),
    }
}

/// Whether nothing but a JDK can have a class, given its internal name.
fn is_only_of_jdks(name: &str) -> bool {
    ["java/", "jdk/", "sun/"].iter().any(|package| name.starts_with(package))
}

/// What a class calls methods through, other than by calling them.
fn reflection(class: &ClassFile<'_>) -> Option<&'static str> {
    let pool = class.pool();
    pool.iter().find_map(|(index, constant)| {
        if !matches!(constant, Constant::MethodRef { .. }) {
            return None;
        }
        let member = pool.member(index).ok()?;
        match (member.class.as_bytes(), member.name.as_bytes()) {
            (b"java/lang/reflect/Method", b"invoke") => Some("java.lang.reflect.Method"),
            (b"java/lang/reflect/Constructor", b"newInstance") => {
                Some("java.lang.reflect.Constructor")
            }
            (b"java/lang/invoke/MethodHandle", _) => Some("java.lang.invoke.MethodHandle"),
            _ => None,
        }
    })
}
