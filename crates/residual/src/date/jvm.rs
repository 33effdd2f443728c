//! Residuals of the properties of a model for the classes of a program.
//!
//! Objects are distinguished by their class and by the place that creates them. For every class of
//! the program, the types at the sites determine which events can concern its objects. Every place
//! that creates an object starts a walk through its method, which follows the object as the most
//! recent one created there, or as an older one. After the object has left the method, any event
//! that other sites can raise for its class may happen to it, in any order.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::simulate::has_receiver;
use watchword_classfile::{Constants, access};
use watchword_model::{JvmSource, JvmTerm, Model, Origin, PointKind, PropertyId, Source};
use watchword_select::{Called, KnownTypes};

use super::apply::{Lost, apply, lost};
use super::automaton::{Arm, Date, Edge, Part, States};
use super::cfg::{Depth, mark, no_effect};
use super::makers::Makers;
use super::reduce::{Dates, Live, Reduced, union};
use crate::analysis::{
    Assumed, PropertyReport, SiteReport, Sites, Status, Tier, find_sites, site_report,
};
use crate::body::{Body, BodyId, EventAt, NodeId, Op, Operand, When};
use crate::certify::{View, leaving, made_at};
use crate::equality;
use crate::flow::{Flow, Flows, NULL, OUTSIDE, Objects, OriginKey, old_bit, recent_bit};
use crate::jvm::lower::Names;
use crate::jvm::methods;
use crate::jvm::program::{Program, instructions};
use crate::jvm::property::PropertyWorld;
use crate::jvm::select::{Found, Selector, is_followed};
use crate::machine::{LetterInfo, Letters, Machines, Unsupported, iter};
use crate::world::World;

/// The residual of one property.
#[derive(Clone, Debug)]
pub struct PropertyResidual {
    /// The property.
    pub property: PropertyId,
    /// The reason if the property was not changed.
    pub unsupported: Option<String>,
    /// The number of transitions of the original property.
    pub transitions: usize,
    /// The number of states of the original property.
    pub states: usize,
    /// The removed parts.
    pub lost: Lost,
    /// Its sites in the analysed classes.
    pub sites: Vec<SiteReport>,
    /// Whether it can report something even if no event happens at these sites.
    pub elsewhere: bool,
}

/// The residuals of the properties of a model.
#[derive(Clone, Debug)]
pub struct Residual {
    /// By property of the model.
    pub properties: Vec<PropertyResidual>,
    /// The model without the removed parts. Proven properties have no states.
    pub model: Model,
}

impl Residual {
    /// The model with proven properties marked as such. `silent` says for which properties no site
    /// is left.
    pub fn left(&self, silent: &[bool]) -> Model {
        super::apply::proven(&self.model, |at| {
            let lost = self.properties.get(at).is_some_and(|p| p.lost.proven);
            (lost, silent.get(at).copied().unwrap_or(false))
        })
    }
}

/// The assumption of the results, in addition to [`crate::analysis::assumptions`].
pub const ASSUMPTION: Assumed = Assumed {
    name: "objects made by the program",
    text: "objects of the program's classes are made by the classes that were analysed, or by what these call",
};

/// Analyses all properties of a model. `earlier` contains the results of the other tiers: the sites
/// that they silenced are not part of the program any more.
pub fn analyse(
    program: &Program<'_>,
    model: &Model,
    earlier: &[PropertyReport],
    depth: Depth,
) -> Residual {
    let resolved = &*equality::resolved(program, model);
    let (mut dates, others) = Dates::of(resolved);
    if equality::may_change(program, resolved) {
        for date in &mut dates.all {
            date.keep_first_of_equals(resolved);
        }
    }
    let mut views = Vec::new();
    for date in &dates.all {
        let name = &model.properties[date.property.index()].name;
        let report = earlier.iter().find(|r| r.name == *name);
        views.push(ProgramView::new(program, resolved, date, report));
    }
    let mut reduced = {
        let parts = dates.all.iter().zip(&views);
        let parts: Vec<Part> = parts
            .map(|(date, view)| {
                let possible = view.possible(program, resolved, date);
                date.restricted(&possible, view.present(date, &BTreeSet::new()))
            })
            .collect();
        dates.reduce(&parts)
    };
    let mut silenced: Vec<BTreeSet<usize>> = views.iter().map(|v| v.gone.clone()).collect();
    let mut changes = depth > Depth::Absent;
    while changes {
        let before = (reduced.clone(), silenced.clone());
        let mut parts = Vec::new();
        for (at, date) in dates.all.iter().enumerate() {
            let view = &views[at];
            let more = view.silence(date, &reduced.parts[at], &reduced.live, &silenced[at]);
            silenced[at].extend(more);
            parts.push(view.union1(date, &reduced.parts[at], &reduced.live, &silenced[at]));
        }
        reduced = dates.reduce(&parts);
        if depth == Depth::Flow {
            let mut parts = Vec::new();
            for (at, date) in dates.all.iter().enumerate() {
                parts.push(views[at].uses(program, date, &reduced.parts[at], &silenced[at]));
            }
            reduced = dates.reduce(&parts);
        }
        changes = (&reduced, &silenced) != (&before.0, &before.1);
    }
    finish(program, model, &dates, &others, &views, &reduced, &silenced)
}

fn finish(
    program: &Program<'_>,
    model: &Model,
    dates: &Dates<'_>,
    others: &[(PropertyId, Unsupported)],
    views: &[ProgramView],
    reduced: &Reduced,
    silenced: &[BTreeSet<usize>],
) -> Residual {
    let mut properties = Vec::new();
    for (at, property) in model.properties.iter().enumerate() {
        let id = PropertyId::from_index(at);
        let mut residual = PropertyResidual {
            property: id,
            unsupported: others.iter().find(|(p, _)| *p == id).map(|(_, why)| why.0.clone()),
            transitions: property.transitions.len(),
            states: property.states.len(),
            lost: Lost::default(),
            sites: Vec::new(),
            elsewhere: true,
        };
        if let Some(number) = dates.all.iter().position(|d| d.property == id) {
            let (date, part) = (&dates.all[number], &reduced.parts[number]);
            residual.lost = lost(date, property, part);
            let view = &views[number];
            let beside = view.sites.all.iter().enumerate().filter(|(site, (body, _))| {
                !program.is_own(*body) && !silenced[number].contains(site)
            });
            let others = beside.fold(view.anywhere, |set, (_, (_, found))| set | 1 << found.letter);
            residual.elsewhere = !residual.lost.proven && may_report(date, part, others);
            for (site, (body, found)) in view.sites.all.iter().enumerate() {
                if program.is_own(*body) && !view.gone.contains(&site) {
                    let status = match silenced[number].contains(&site) {
                        true => Status::Silenced(Tier::Residual),
                        false => Status::Left(needed(date, part, found.letter)),
                    };
                    let machines = &view.machines;
                    residual.sites.push(site_report(
                        program,
                        machines,
                        &view.sites,
                        site,
                        &Some(status),
                    ));
                }
            }
        }
        properties.push(residual);
    }
    Residual { properties, model: apply(model, &dates.all, &reduced.parts) }
}

/// Whether something can be reported if only some of the program's events happen.
fn may_report(date: &Date, part: &[bool], happening: Letters) -> bool {
    // An instance may begin because other properties need it.
    let may_begin = happening != 0 || date.params == 0 || !date.alone;
    let at_once = date.pending >> date.start & 1 == 1 || date.starts_seen;
    let moves = date.restricted(part, happening | date.internal());
    moves.contains(&true) || may_begin && at_once
}

/// Why an event is needed.
fn needed(date: &Date, part: &[bool], letter: usize) -> String {
    if let Some(why) = date.letters[letter].pinned {
        return format!("needed: {why}");
    }
    let name = |state: usize| match date.states.get(state) {
        Some(name) => name.as_str(),
        None => "drop",
    };
    let taken = |e: &&Edge| e.letters() >> letter & 1 == 1;
    let edge = date.edges.iter().zip(part).filter(|(_, p)| **p).map(|(e, _)| e).find(taken);
    match edge {
        Some(edge) => {
            format!("needed: it may lead from `{}` to `{}`", name(edge.from), name(edge.to))
        }
        None => "needed: it may concern an object that is not tracked".to_owned(),
    }
}

impl PropertyReport {
    /// The report of the other tiers, completed by the residual of the property.
    pub fn with(mut self, residual: &PropertyResidual) -> PropertyReport {
        if residual.unsupported.is_some() {
            return self;
        }
        if let Some(why) = self.unsupported.take() {
            self.coarse = Some(why);
            self.sites.clone_from(&residual.sites);
            self.elsewhere = residual.elsewhere;
            let classes: HashSet<&String> = self.sites.iter().map(|s| &s.class).collect();
            self.classes = classes.len();
            let methods: HashSet<_> =
                self.sites.iter().map(|s| (&s.class, &s.method, &s.descriptor)).collect();
            self.methods = methods.len();
            return self;
        }
        let silenced: HashSet<_> = residual
            .sites
            .iter()
            .filter(|s| matches!(s.status, Status::Silenced(_)))
            .map(key)
            .collect();
        for site in &mut self.sites {
            if matches!(site.status, Status::Left(_)) && silenced.contains(&key(site)) {
                site.status = Status::Silenced(Tier::Residual);
            }
        }
        self
    }
}

/// The names of the class initialisers of a program.
fn initialisers(program: &Program<'_>) -> Vec<String> {
    let classes = program.code.classes.iter().filter_map(|class| class.name().ok());
    let full = classes.map(|name| format!("{}.<clinit>", name.to_str().replace('/', ".")));
    full.flat_map(|name| [name.replace('$', "."), name]).collect()
}

/// By site of a method: its letter, and the names of the called methods, if they are known.
fn names_of(
    program: &Program<'_>,
    types: &KnownTypes<'_>,
    body: BodyId,
    sites: &[(u32, Found)],
) -> Vec<(usize, Option<Vec<String>>)> {
    let method = program.method(body);
    let code = instructions(method).unwrap_or_default();
    let names = |offset: u32| {
        let instruction = code.iter().find(|i| i.offset == offset)?;
        let member = method.class().pool().member(instruction.constant()?).ok()?;
        let (class, name) = (member.class.to_str(), member.name.to_str());
        let descriptor = member.descriptor.to_str();
        let on_object = has_receiver(instruction.opcode);
        methods::names(&Called::new(&class, &name, &descriptor, on_object)?, types)
    };
    sites.iter().map(|(_, found)| (found.letter, names(found.offset))).collect()
}

type Key = (String, String, String, u32, String);

fn key(site: &SiteReport) -> Key {
    let SiteReport { class, method, descriptor, offset, event, .. } = site;
    (class.clone(), method.clone(), descriptor.clone(), *offset, event.clone())
}

/// Kinds of objects that are distinguished.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Objects of a class of the program.
    Class(String),
    /// All other objects.
    Other,
}

/// A program as one property sees it.
struct ProgramView {
    machines: Machines,
    sites: Sites,
    /// Sites that were silenced before.
    gone: BTreeSet<usize>,
    kinds: Vec<Kind>,
    /// By kind: the sites that may concern its objects.
    about: Vec<Vec<bool>>,
    /// Letters that may happen to any object at any time.
    anywhere: Letters,
    /// Those of them that may concern any method, and not only class initialisers.
    named: Letters,
    /// Letters that happen at calls and at other places, perhaps at the same instruction.
    mixed: Letters,
    /// The names of these.
    initialisers: Vec<String>,
    makers: Makers,
    /// Types that sites bind.
    bound: HashSet<String>,
}

impl ProgramView {
    fn new(
        program: &Program<'_>,
        model: &Model,
        date: &Date,
        earlier: Option<&PropertyReport>,
    ) -> ProgramView {
        // Events at places other than calls, or about objects that are not part of the call, may
        // happen anywhere. Events without a source in a JVM never happen.
        let mut calls = model.clone();
        let (mut anywhere, mut mixed, mut started) = (0, 0, 0);
        let property = &model.properties[date.property.index()];
        let initialisers = initialisers(program);
        for (at, letter) in date.letters.iter().enumerate().filter(|(_, l)| !l.internal) {
            let decl = &mut calls.events[letter.event.index()];
            let filter = property.observes(letter.event).and_then(|o| o.filter.as_ref());
            let starts = filter.is_none_or(|f| methods::may_hold(f, &initialisers));
            let names_methods = decl.names_methods();
            let Origin::World(sources) = &mut decl.origin else { continue };
            // A class initialiser has a name like other methods.
            if names_methods {
                let is_start = |s: &Source| matches!(s, Source::Jvm(s) if s.point.kind == PointKind::ClassInit);
                if starts && sources.iter().any(is_start) {
                    started |= 1 << at;
                }
                sources.retain(|s| !is_start(s));
            }
            let binds = |argument: usize| {
                let bound = letter.binds.as_ref();
                bound.is_none_or(|b| b.iter().any(|(_, bound)| *bound as usize == argument))
            };
            let unfollowed =
                |s: &JvmSource| s.captures.iter().any(|c| binds(c.param) && !is_followed(&c.term));
            let elsewhere = |s: &Source| matches!(s, Source::Jvm(s) if s.point.kind != PointKind::Call || unfollowed(s));
            if sources.iter().any(elsewhere) {
                anywhere |= 1 << at;
                mixed |= 1 << at;
            }
            sources.retain(|s| !elsewhere(s));
            // If objects are compared by `equals`, kinds are not distinguished below.
            for source in sources {
                let Source::Jvm(source) = source else { continue };
                for capture in &mut source.captures {
                    if let JvmTerm::Equal(inner) = &capture.term {
                        capture.term = (**inner).clone();
                    }
                }
            }
        }
        let world = date.letters.iter().filter(|l| !l.internal);
        let machines = Machines {
            name: date.name.clone(),
            params: Vec::new(),
            letters: world
                .map(|l| LetterInfo {
                    event: l.event,
                    name: l.name.clone(),
                    binds: l.binds.clone().unwrap_or_default(),
                    params: 0,
                })
                .collect(),
            machines: Vec::new(),
        };
        let sites = match Selector::new(&calls, &machines) {
            Ok(selector) => find_sites(program, &selector.observed_by(&calls, property)),
            // All events that are not at calls were removed.
            Err(_) => Sites {
                all: Vec::new(),
                types: Vec::new(),
                by_method: HashMap::new(),
                references: Vec::new(),
                handles: date.set(|l| !l.internal),
            },
        };
        anywhere |= sites.elsewhere();
        let mut view = ProgramView {
            named: anywhere,
            initialisers,
            gone: BTreeSet::new(),
            kinds: vec![Kind::Other],
            about: Vec::new(),
            anywhere: anywhere | started,
            mixed,
            makers: Makers::default(),
            bound: sites.types.iter().flatten().flatten().cloned().collect(),
            machines,
            sites,
        };
        if let Some(report) = earlier {
            let silent: HashSet<Key> = report
                .sites
                .iter()
                .filter(|s| matches!(s.status, Status::Silenced(_)))
                .map(key)
                .collect();
            for site in 0..view.sites.all.len() {
                let found = site_report(program, &view.machines, &view.sites, site, &None);
                if silent.contains(&key(&found)) {
                    view.gone.insert(site);
                }
            }
        }
        if date.identity {
            view.find_kinds(program);
        }
        view.about = view
            .kinds
            .iter()
            .map(|kind| {
                (0..view.sites.all.len()).map(|s| view.binds(program, date, s, kind)).collect()
            })
            .collect();
        view
    }

    /// The classes of the program whose objects sites may bind, and the places that create them.
    fn find_kinds(&mut self, program: &Program<'_>) {
        let mut names = Vec::new();
        for class in &program.code.classes {
            let Ok(name) = class.name() else { continue };
            let name = name.to_str().into_owned();
            let made = !class.has_access(access::INTERFACE) && !class.has_access(access::ABSTRACT);
            let below = |ty: &String| program.types.is_subtype(&name, ty) != Some(false);
            if made && self.bound.iter().any(below) {
                names.push(name);
            }
        }
        self.makers = Makers::of(program, &names);
        self.kinds.extend(names.into_iter().map(Kind::Class));
    }

    /// Whether a site may concern objects of a kind.
    fn binds(&self, program: &Program<'_>, date: &Date, site: usize, kind: &Kind) -> bool {
        let letter = self.sites.all[site].1.letter;
        let one = date.letters[letter].binds.as_ref().is_some_and(|b| b.len() == 1);
        let ty = self.sites.types[site].first().cloned().flatten();
        let Some(ty) = ty.filter(|_| one && date.identity) else { return true };
        match kind {
            Kind::Class(name) => program.types.is_subtype(name, &ty) != Some(false),
            Kind::Other => program.class_file(&ty).is_none_or(|c| c.has_access(access::INTERFACE)),
        }
    }

    fn everybody(&self, date: &Date) -> Letters {
        date.set(|l| l.binds.as_ref().is_none_or(Vec::is_empty))
    }

    fn letters(
        &self,
        date: &Date,
        silenced: &BTreeSet<usize>,
        like: impl Fn(usize) -> bool,
    ) -> Letters {
        let sites = self.sites.all.iter().enumerate();
        let left = sites.filter(|(at, _)| !silenced.contains(at) && like(*at));
        left.fold(self.anywhere | date.internal(), |set, (_, (_, found))| set | 1 << found.letter)
    }

    /// The edges whose labels match methods that the program calls.
    fn possible(&self, program: &Program<'_>, model: &Model, date: &Date) -> Part {
        let property = &model.properties[date.property.index()];
        let mut called: Vec<(usize, Option<Vec<String>>)> = Vec::new();
        if date.letters.iter().any(|l| model.events[l.event.index()].names_methods()) {
            let types = KnownTypes::open(program);
            for (body, found) in &self.sites.by_method {
                called.extend(names_of(program, &types, *body, found));
            }
        }
        let may_match = |label: &watchword_model::Label| {
            let (Some(event), Some(guard)) = (label.event, &label.guard) else { return true };
            let Some(letter) = date.letters.iter().position(|l| l.event == event) else {
                return true;
            };
            let fits = |names: &Option<Vec<String>>| {
                names.as_ref().is_none_or(|names| methods::may_hold(guard, names))
            };
            !model.events[event.index()].names_methods()
                || self.named >> letter & 1 == 1
                || self.anywhere >> letter & 1 == 1 && methods::may_hold(guard, &self.initialisers)
                || called.iter().any(|(at, names)| *at == letter && fits(names))
        };
        let possible = |edge: &Edge| match edge.arm {
            Arm::Then(id) => property.transitions[id.index()].labels.iter().all(may_match),
            Arm::Otherwise(_) | Arm::Deadline(_) => true,
        };
        date.edges.iter().map(possible).collect()
    }

    /// The letters of the program.
    fn present(&self, date: &Date, silenced: &BTreeSet<usize>) -> Letters {
        let gone: BTreeSet<usize> = silenced.union(&self.gone).copied().collect();
        self.letters(date, &gone, |_| true)
    }

    /// The letters that may concern objects of a kind.
    fn letters_of(&self, date: &Date, kind: usize, silenced: &BTreeSet<usize>) -> Letters {
        self.letters(date, silenced, |site| {
            self.about[kind][site] || self.everybody(date) >> self.sites.all[site].1.letter & 1 == 1
        })
    }

    fn residual1(
        &self,
        date: &Date,
        part: &[bool],
        live: &Live,
        kind: usize,
        silenced: &BTreeSet<usize>,
    ) -> Part {
        date.reduced(&date.restricted(part, self.letters_of(date, kind, silenced)), live)
    }

    fn union1(&self, date: &Date, part: &[bool], live: &Live, silenced: &BTreeSet<usize>) -> Part {
        let mut all = vec![false; part.len()];
        for kind in 0..self.kinds.len() {
            union(&mut all, &self.residual1(date, part, live, kind, silenced));
        }
        all
    }

    fn silence(
        &self,
        date: &Date,
        part: &[bool],
        live: &Live,
        silenced: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let residuals: Vec<Part> = (0..self.kinds.len())
            .map(|kind| self.residual1(date, part, live, kind, silenced))
            .collect();
        let idle = |site: &usize| {
            let letter = self.sites.all[*site].1.letter;
            let is_told_apart = self.mixed >> letter & 1 == 0 && !self.sites.is_doubled(*site);
            is_told_apart
                && (0..self.kinds.len()).all(|kind| {
                    !self.about[kind][*site] || no_effect(date, &residuals[kind], letter)
                })
        };
        (0..self.sites.all.len()).filter(idle).collect()
    }

    /// The second residual before reduction: the edges that objects of some kind can use.
    fn uses(
        &self,
        program: &Program<'_>,
        date: &Date,
        part: &[bool],
        silenced: &BTreeSet<usize>,
    ) -> Part {
        if !date.identity || date.registers {
            return date.restricted(part, self.present(date, silenced));
        }
        // Kinds whose objects are not followed may use everything that concerns them; the others
        // only what remains when they are followed.
        let any = |at: usize| date.restricted(part, self.letters_of(date, at, silenced));
        let mut used = vec![false; part.len()];
        let mut followed: Vec<(usize, &String)> = Vec::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            let copied =
                |name: &String, ty: &str| program.types.is_subtype(name, ty) != Some(false);
            match kind {
                Kind::Class(name)
                    if !copied(name, "java/io/Serializable")
                        && !copied(name, "java/lang/Cloneable") =>
                {
                    followed.push((at, name));
                }
                _ => union(&mut used, &any(at)),
            }
        }
        followed.retain(|(at, _)| any(*at).iter().zip(&used).any(|(new, known)| *new && !known));
        if followed.is_empty() {
            return used;
        }
        let world = PropertyWorld::new(program, self.sites.by_method.clone(), self.bound.clone());
        world.silence(silenced.iter().map(|s| *s as u32));
        let flows = Flows::new(&world);
        let mut known: HashMap<BodyId, Option<(Rc<Body>, Flow)>> = HashMap::new();
        let mut bodies: Vec<BodyId> = self.sites.by_method.keys().copied().collect();
        bodies.extend(self.makers.methods());
        bodies.sort_unstable();
        bodies.dedup();
        for id in bodies {
            let body = world.body(id);
            let flow = body.as_ref().and_then(|body| flows.of(id, body));
            known.insert(id, body.zip(flow));
        }
        let private = self.private(&known);
        for (at, name) in followed {
            let outside = self
                .letters(date, silenced, |site| self.about[at][site] && !private.contains(&site));
            let always = self.anywhere | date.internal() | self.everybody(date) & outside;
            let class = program.class(name);
            let makers = self.makers.of_class(name);
            let mut walk = Walk { date, part, outside, always, used: vec![false; part.len()] };
            let followed = makers.is_some_and(|makers| {
                makers.iter().all(|id| match known.get(id) {
                    Some(Some((body, flow))) => walk.method(body, flow, class),
                    _ => false,
                })
            });
            union(&mut used, &if followed { walk.used } else { any(at) });
        }
        used
    }

    /// The sites that concern only objects that their own method creates.
    fn private(&self, known: &HashMap<BodyId, Option<(Rc<Body>, Flow)>>) -> HashSet<usize> {
        let mut private: HashSet<usize> = (0..self.sites.all.len()).collect();
        for (id, sites) in &self.sites.by_method {
            let Some(Some((body, flow))) = known.get(id) else {
                private.retain(|p| !sites.iter().any(|(site, _)| *site as usize == *p));
                continue;
            };
            let own = flow.origins.iter().enumerate().filter(|(_, o)| match o.key {
                OriginKey::Node(node) => matches!(body.nodes[node as usize].op, Op::New(..)),
                OriginKey::View(..) => false,
            });
            let own = own.fold(NULL, |set, (o, _)| set | recent_bit(o) | old_bit(o));
            for (node, code) in body.nodes.iter().enumerate() {
                for event in &code.events {
                    let reached = flow.before[node].is_some();
                    let view = View::of(flow, body, node as NodeId, event.when);
                    let bound = event.operands.first().map_or(!0, |o| view.objects(*o));
                    if reached && bound & !own != 0 {
                        private.remove(&(event.site as usize));
                    }
                }
            }
        }
        private
    }
}

/// Whether the followed object is the most recent one of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Age {
    Recent,
    Old,
}

/// A place in a method: the next node, whether the object is recent or old, and whether it may have
/// left.
type Place = (NodeId, Age, bool);

/// The edges that objects of a class use.
struct Walk<'w> {
    date: &'w Date,
    part: &'w [bool],
    /// The events that may happen to an object that has left its method.
    outside: Letters,
    /// The events that may happen to any object at any time.
    always: Letters,
    used: Part,
}

impl Walk<'_> {
    /// Follows all objects of a class that a method creates. Fails if one cannot be followed.
    fn method(&mut self, body: &Body, flow: &Flow, class: crate::body::ClassName) -> bool {
        for (node, code) in body.nodes.iter().enumerate() {
            if matches!(code.op, Op::New(_, made) if made == class) && flow.before[node].is_some() {
                let key = OriginKey::Node(node as NodeId);
                match flow.origins.iter().position(|o| o.key == key) {
                    Some(origin) => self.origin(body, flow, origin, node as NodeId),
                    None => return false,
                }
            }
        }
        true
    }

    fn origin(&mut self, body: &Body, flow: &Flow, origin: usize, made: NodeId) {
        let mut at: HashMap<Place, States> = HashMap::new();
        let mut work: Vec<Place> = Vec::new();
        let mut add = |work: &mut Vec<Place>, place: Place, states: States| {
            let known = at.entry(place).or_default();
            if *known | states != *known {
                *known |= states;
                work.push(place);
            }
            *known
        };
        for next in &body.nodes[made as usize].next {
            add(&mut work, (*next, Age::Recent, false), 1 << self.date.start);
        }
        while let Some(place) = work.pop() {
            let states = add(&mut work, place, 0);
            for (to, states) in self.node(body, flow, origin, place, states) {
                add(&mut work, to, states);
            }
        }
    }

    /// Applies letters to states; the edges that they take are marked as used.
    fn close(&mut self, states: States, letters: Letters) -> States {
        let closed = self.date.closure(self.part, states, letters);
        mark(self.date, self.part, closed, letters, &mut self.used);
        closed
    }

    fn node(
        &mut self,
        body: &Body,
        flow: &Flow,
        origin: usize,
        (node, age, left): Place,
        states: States,
    ) -> Vec<(Place, States)> {
        let code = &body.nodes[node as usize];
        let Some(before) = &flow.before[node as usize] else { return Vec::new() };
        let bit = |age: Age| match age {
            Age::Recent => recent_bit(origin),
            Age::Old => old_bit(origin),
        };
        let left = left || age == Age::Recent && before.escaped >> origin & 1 == 1;
        let leaves = left || leaving(flow, body, node) & bit(age) != 0;
        let surroundings = |left: bool, walk: &Self| match left {
            true => walk.always | walk.outside,
            false => walk.always,
        };
        let around = surroundings(left, self);
        let mut now = self.close(states, around);
        for event in code.events.iter().filter(|e| e.when == When::Before) {
            let view = View::of(flow, body, node, When::Before);
            now = self.event(event, view.objects(operand(event)), bit(age), left, now);
            now = self.close(now, around);
        }
        // The called code may act on the object, and so may any code after the object has left.
        let mut during = surroundings(leaves, self);
        if let Op::Call(call) = &code.op {
            let effect = flow.effects.get(&node);
            for (index, arg) in call.args.iter().enumerate() {
                let Some(arg) = arg else { continue };
                if before.vars[usize::from(*arg)] & bit(age) != 0 {
                    during |= effect.map_or(!0, |e| e.emits[index]) & self.date.set(|_| true);
                }
            }
        }
        let after = self.close(now, during);
        let around = surroundings(leaves, self);
        let mut to = Vec::new();
        let aged = match made_at(flow, body, node).contains(&origin) {
            true => Age::Old,
            false => age,
        };
        for (when, age, next) in
            [(When::After, aged, &code.next), (When::Throwing, age, &code.handlers)]
        {
            let mut now = after;
            for event in code.events.iter().filter(|e| e.when == when) {
                let view = View::of(flow, body, node, when);
                now = self.event(event, view.objects(operand(event)), bit(age), leaves, now);
                now = self.close(now, around);
            }
            to.extend(next.iter().map(|n| ((*n, age, leaves), now)));
        }
        to
    }

    fn event(
        &mut self,
        event: &EventAt,
        bound: Objects,
        own: Objects,
        left: bool,
        states: States,
    ) -> States {
        let outside = left && bound & OUTSIDE != 0;
        if bound & own == 0 && !outside {
            return states;
        }
        mark(self.date, self.part, states, 1 << event.letter, &mut self.used);
        let next = self.date.step(self.part, states, event.letter);
        let must = bound == own && own.count_ones() == 1 && event.certain && self.is_recent(own);
        if must { next } else { next | states }
    }

    /// The bits of recent objects are the lower ones of each pair.
    fn is_recent(&self, own: Objects) -> bool {
        (0..crate::flow::MAX_ORIGINS).any(|o| own == recent_bit(o))
    }
}

fn operand(event: &EventAt) -> Operand {
    event.operands.first().copied().unwrap_or(Operand::Unknown)
}

/// The letters of a set by name.
pub fn names(date: &Date, letters: Letters) -> Vec<&str> {
    iter(letters).filter_map(|l| date.letters.get(l)).map(|l| l.name.as_str()).collect()
}
