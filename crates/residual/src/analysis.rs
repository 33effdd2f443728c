//! The sound analysis of a JVM program: what of a property's sites can be silenced, and why not more.
//!
//! Tiers, cheap ones first; each is proven against the program that the earlier ones leave:
//!
//! * **T0**: letters that are idle given the letters the program has.
//! * **T1a**: the same per site, with the letters of sites that can share its objects by type.
//! * **T1c**: the same with the letters of sites that can share its objects by their origins, see
//!   [`crate::groups`].
//! * **T1b**: the same for objects that live in one confined field, see [`crate::confined`].
//! * **T2**: methods one by one, see [`crate::certify`]; T3, summaries of calls, is part of it.
//!
//! From T1c on this is repeated: a list that is filled by the method that makes it, and only read by
//! others, is never changed once T2 has silenced what fills it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::{Member, MethodDescriptor};
use watchword_model::{Model, ParamId, PropertyId};
use watchword_select::KnownTypes;

use crate::body::{BodyId, NodeId, Op, Operand, Source};
use crate::certify::What;
use crate::check;
use crate::confined;
use crate::equality;
use crate::flow::{Flow, Flows};
use crate::groups;
use crate::hash::{FastMap, FastSet};
use crate::jvm::lower::line;
use crate::jvm::points::{ObjectId, Points};
use crate::jvm::program::{Program, PropertyWorld, instructions};
use crate::jvm::select::{Found, Selector, Term};
use crate::local::{self, Kept, Local};
use crate::machine::{Letters, Machines, iter};
use crate::proof::{Proof, Proofs};
use crate::quick::is_idle;
use crate::world::World;

/// Which tier silenced a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Quick Check.
    T0,
    /// Label groups.
    T1a,
    /// Confined fields.
    T1b,
    /// Origins of objects.
    T1c,
    /// Certificates.
    T2,
    /// Residuals of properties, see [`crate::date`].
    Residual,
}

impl Tier {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tier::T0 => "T0",
            Tier::T1a => "T1a",
            Tier::T1b => "T1b",
            Tier::T1c => "T1c",
            Tier::T2 => "T2",
            Tier::Residual => "R",
        }
    }
}

/// A site of a property.
#[derive(Clone, Debug)]
pub struct SiteReport {
    /// The class, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Bytecode offset.
    pub offset: u32,
    /// The event's name.
    pub event: String,
    /// The source file.
    pub file: Option<String>,
    /// The source line.
    pub line: Option<u32>,
    /// What became of it.
    pub status: Status,
}

/// What became of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It may be silenced.
    Silenced(Tier),
    /// It is left, and why.
    Left(String),
}

/// The result for one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// The property.
    pub name: String,
    /// Why it was not analysed, if it was not.
    pub unsupported: Option<String>,
    /// Why only what is left of the property itself tells which of its sites are needed, if so.
    pub coarse: Option<String>,
    /// Its sites in the classes asked about, in order.
    pub sites: Vec<SiteReport>,
    /// Whether something may be reported of events that happen elsewhere than at these sites: at places
    /// that are no calls, by method handles and references, in the classes beside.
    pub elsewhere: bool,
    /// Events of method references of the classes asked about. They are always monitored.
    pub references: usize,
    /// Methods with sites.
    pub methods: usize,
    /// Classes with sites.
    pub classes: usize,
    /// Points in all certificates, each checked a second time.
    pub points: usize,
    /// Certificates that were given and do not prove what they say: the method, and what is wrong.
    pub rejected: Vec<String>,
}

/// How often the tiers from T1c on are repeated.
const MAX_ROUNDS: usize = 4;

/// How the reason of a site ends without which a report would be missed.
const REPORTED: &str = " may be reported";

/// What is asked beside the property.
pub struct Asked<'q> {
    /// Whether it is assumed that there is one thread only.
    pub alone: bool,
    /// Is told how many methods are done, and of how many.
    pub progress: &'q mut dyn FnMut(usize, usize),
    /// Gets the certificates.
    pub keep: Option<&'q mut dyn FnMut(Proof)>,
    /// Certificates that are checked, instead of looking for any.
    pub given: Option<&'q Proofs>,
    /// What is found out once for all properties that are analysed.
    pub shared: &'q Shared,
}

/// What the analyses of several properties of a model have in common, for one program: where objects
/// come from is found out once for the objects of all.
pub struct Shared {
    properties: Vec<PropertyId>,
    prepared: Vec<OnceCell<Result<Prepared, String>>>,
    origins: OnceCell<Option<Rc<Points>>>,
}

impl Shared {
    /// For the analyses of these.
    pub fn of(properties: Vec<PropertyId>) -> Shared {
        let prepared = properties.iter().map(|_| OnceCell::new()).collect();
        Shared { properties, prepared, origins: OnceCell::new() }
    }

    /// What is found out first about one of the properties.
    fn prepared(
        &self,
        program: &Program<'_>,
        model: &Model,
        property: PropertyId,
    ) -> Result<&Prepared, String> {
        let index = self.properties.iter().position(|p| *p == property);
        let index = index.ok_or_else(|| "it was not asked for".to_owned())?;
        let known = self.prepared[index].get_or_init(|| Prepared::of(program, model, property));
        known.as_ref().map_err(Clone::clone)
    }

    /// Where objects come from that sites of any of the properties bind.
    fn origins(&self, program: &Program<'_>, model: &Model) -> Option<Rc<Points>> {
        let found = self.origins.get_or_init(|| {
            let all = self.properties.iter().map(|p| self.prepared(program, model, *p));
            let mut sites: HashMap<BodyId, Vec<(u32, Found)>> = HashMap::new();
            let mut bound = HashSet::new();
            let mut number = 0;
            for prepared in all.flatten() {
                bound.extend(prepared.bound());
                for ((id, found), status) in prepared.sites.all.iter().zip(&prepared.status) {
                    if status.is_none() {
                        sites.entry(*id).or_default().push((number, found.clone()));
                        number += 1;
                    }
                }
            }
            Points::of(&PropertyWorld::new(program, sites, bound)).map(Rc::new)
        });
        found.clone()
    }
}

/// A property's sites, and what becomes of them by its letters alone.
struct Prepared {
    machines: Machines,
    sites: Sites,
    status: Vec<Option<Status>>,
}

impl Prepared {
    fn of(program: &Program<'_>, model: &Model, property: PropertyId) -> Result<Prepared, String> {
        let model = &*equality::resolved(program, model);
        let machines = Machines::of(model, property).map_err(|why| why.0)?;
        let selector = Selector::new(model, &machines).map_err(|why| why.0)?;
        if let Some(why) = selector.unfollowed() {
            return Err(why.0);
        }
        let sites = find_sites(program, &selector);
        if let Some(site) = (0..sites.all.len()).find(|site| sites.is_doubled(*site)) {
            let name = &machines.letters[sites.all[site].1.letter].name;
            return Err(format!("`{name}` happens twice at one call, and only both are silenced"));
        }
        let mut status: Vec<Option<Status>> = vec![None; sites.all.len()];
        let mut run = Run {
            name: "",
            program,
            machines: &machines,
            sites: &sites,
            status: &mut status,
            rejected: Vec::new(),
        };
        run.quick();
        run.groups();
        Ok(Prepared { machines, sites, status })
    }

    /// Types of what sites bind.
    fn bound(&self) -> HashSet<String> {
        self.sites.types.iter().flatten().flatten().cloned().collect()
    }
}

impl PropertyReport {
    /// How many sites are silenced.
    pub fn silenced(&self) -> usize {
        self.sites.iter().filter(|s| matches!(s.status, Status::Silenced(_))).count()
    }

    /// Whether there are sites and none is left, and nothing happens elsewhere.
    pub fn is_proven(&self) -> bool {
        self.unsupported.is_none()
            && !self.elsewhere
            && !self.sites.is_empty()
            && self.silenced() == self.sites.len()
    }
}

/// What every result assumes.
pub fn assumptions(fresh_iterators: bool, alone: bool, unreflected: bool) -> Vec<&'static str> {
    let mut all = vec![
        "the classes that run are the classes that were analysed, and none that was missing",
        "objects are compared by identity",
        "no reflection, method handle or native code calls selected methods on objects that the \
         program keeps to itself, and no native code reads fields that hold them",
        "the JDK does with its arguments what Watchword's table says",
        "nothing reaches fields of the JDK's own objects (by `--add-opens` or native code), and \
         `Unsafe` only fields whose offsets it was asked for",
    ];
    if fresh_iterators {
        all.push(
            "iterators of collections of unknown class are new objects (the JDK's one exception is \
             the iterator of Collections.emptyIterator, on which `next` always throws)",
        );
    }
    if unreflected {
        all.push("no reflection calls methods of the program or reaches its fields");
    }
    if alone {
        all.push("only one thread uses the objects that the property is about");
    }
    all
}

/// All sites of a property.
pub struct Sites {
    /// By site: the method and what was found there.
    pub all: Vec<(BodyId, Found)>,
    /// By site, for every bound parameter: the static type of what is bound to it.
    pub types: Vec<Vec<Option<String>>>,
    /// By method.
    pub by_method: HashMap<BodyId, Vec<(u32, Found)>>,
    /// Events that method references may raise.
    pub references: Vec<(BodyId, Found)>,
    /// Letters that other method handles may raise.
    pub handles: Letters,
}

impl Sites {
    /// Whether the event of a site happens once more at its instruction: whoever silences one
    /// silences both.
    pub fn is_doubled(&self, site: usize) -> bool {
        let (body, found) = &self.all[site];
        let beside = self.by_method.get(body).map_or(&[][..], Vec::as_slice);
        let like = |(other, at): &&(u32, Found)| {
            *other as usize != site && (at.offset, at.letter) == (found.offset, found.letter)
        };
        beside.iter().any(|one| like(&one))
    }

    /// Letters that may be raised elsewhere than at sites.
    pub fn elsewhere(&self) -> Letters {
        self.references.iter().fold(self.handles, |set, (_, found)| set | 1 << found.letter)
    }
}

/// Finds the sites of a property.
pub fn find_sites(program: &Program<'_>, selector: &Selector<'_>) -> Sites {
    let types = KnownTypes::open(program);
    let mut sites = Sites {
        all: Vec::new(),
        types: Vec::new(),
        by_method: HashMap::new(),
        references: Vec::new(),
        handles: program.handle_letters(selector),
    };
    for id in program.bodies() {
        let method = program.method(id);
        let Ok(code) = instructions(method) else { continue };
        let referred = selector.references(method, &code, &types);
        sites.references.extend(referred.into_iter().map(|found| (id, found)));
        for found in selector.sites(method, &code, &types) {
            let number = sites.all.len() as u32;
            sites.types.push(static_types(method, &code, &found));
            sites.by_method.entry(id).or_default().push((number, found.clone()));
            sites.all.push((id, found));
        }
    }
    sites
}

fn static_types(
    method: Member<'_, '_>,
    code: &[watchword_classfile::Instruction<'_>],
    found: &Found,
) -> Vec<Option<String>> {
    use watchword_classfile::Constants;
    let at = code.iter().find(|i| i.offset == found.offset);
    let member = at.and_then(|i| i.constant()).and_then(|c| method.class().pool().member(c).ok());
    let Some(member) = member else { return vec![None; found.terms.len()] };
    let descriptor = MethodDescriptor::parse(member.descriptor).ok();
    let term = |term: &Term| match term {
        Term::Receiver => Some(member.class.to_str().into_owned()),
        Term::Arg(n) => {
            let ty = descriptor?.parameters().nth(*n as usize)?;
            ty.class_name().map(|name| name.to_str().into_owned())
        }
        Term::Result => descriptor?.result()?.class_name().map(|n| n.to_str().into_owned()),
        Term::Other => None,
    };
    found.terms.iter().map(term).collect()
}

/// Analyses one property.
pub fn analyse(program: &Program<'_>, model: &Model, property: PropertyId) -> PropertyReport {
    analyse_with(program, model, property, false, &mut |_, _| {})
}

/// Analyses one property; tells how many methods are done, and of how many. With `alone` it is
/// assumed that there is one thread only.
pub fn analyse_with(
    program: &Program<'_>,
    model: &Model,
    property: PropertyId,
    alone: bool,
    progress: &mut dyn FnMut(usize, usize),
) -> PropertyReport {
    let shared = Shared::of(vec![property]);
    let asked = Asked { alone, progress, keep: None, given: None, shared: &shared };
    analyse_as(program, model, property, asked)
}

/// Analyses one property as it is asked for.
pub fn analyse_as(
    program: &Program<'_>,
    model: &Model,
    property: PropertyId,
    mut asked: Asked<'_>,
) -> PropertyReport {
    let name = model.properties[property.index()].name.clone();
    let prepared = match asked.shared.prepared(program, model, property) {
        Ok(prepared) => prepared,
        Err(why) => {
            return PropertyReport {
                name,
                unsupported: Some(why),
                coarse: None,
                sites: Vec::new(),
                elsewhere: true,
                references: 0,
                methods: 0,
                classes: 0,
                points: 0,
                rejected: Vec::new(),
            };
        }
    };
    let Prepared { machines, sites, status } = prepared;
    let mut status = status.clone();
    let mut run =
        Run { name: &name, program, machines, sites, status: &mut status, rejected: Vec::new() };
    let world = PropertyWorld::new(program, sites.by_method.clone(), prepared.bound());
    world.silence(run.silenced());
    let shared = asked.shared;
    let origins = || shared.origins(program, model);
    let points = run.rounds(&world, &mut asked, &origins);
    if let Some(proofs) = asked.given {
        run.expect_all(proofs);
    }
    let rejected = std::mem::take(&mut run.rejected);
    let beside = (0..sites.all.len()).filter(|s| {
        !program.is_own(sites.all[*s].0) && !matches!(status[*s], Some(Status::Silenced(_)))
    });
    let others = beside.fold(sites.elsewhere(), |set, s| set | 1 << sites.all[s].1.letter);
    let elsewhere = iter(others).any(|letter| !is_idle(machines, letter, others, 0));
    let reports = (0..sites.all.len()).filter(|s| program.is_own(sites.all[*s].0));
    let reports: Vec<SiteReport> =
        reports.map(|s| site_report(program, machines, sites, s, &status[s])).collect();
    PropertyReport {
        name,
        unsupported: None,
        coarse: None,
        methods: count(&reports, |s| (&s.class, &s.method, &s.descriptor)),
        classes: count(&reports, |s| &s.class),
        sites: reports,
        elsewhere,
        references: sites.references.iter().filter(|(id, _)| program.is_own(*id)).count(),
        points,
        rejected,
    }
}

fn count<'s, K: std::hash::Hash + Eq>(
    sites: &'s [SiteReport],
    key: impl Fn(&'s SiteReport) -> K,
) -> usize {
    sites.iter().map(key).collect::<HashSet<K>>().len()
}

/// Where a site is, in names.
pub fn site_report(
    program: &Program<'_>,
    machines: &Machines,
    sites: &Sites,
    site: usize,
    status: &Option<Status>,
) -> SiteReport {
    let (id, found) = &sites.all[site];
    let method = program.method(*id);
    let text = |name: watchword_classfile::Result<watchword_classfile::JStr<'_>>| {
        name.map(|n| n.to_str().into_owned()).unwrap_or_default()
    };
    let class = method.class();
    let code = method.code().ok().flatten();
    SiteReport {
        class: text(class.name()).replace('/', "."),
        method: text(method.name()),
        descriptor: text(method.descriptor()),
        offset: found.offset,
        event: machines.letters[found.letter].name.clone(),
        file: class.source_file().ok().flatten().map(|f| f.to_str().into_owned()),
        line: code.and_then(|code| line(&code, class, found.offset)),
        status: status.clone().unwrap_or_else(|| Status::Left("not analysed".to_owned())),
    }
}

struct Run<'r, 'a> {
    name: &'r str,
    program: &'r Program<'a>,
    machines: &'r Machines,
    sites: &'r Sites,
    status: &'r mut Vec<Option<Status>>,
    rejected: Vec<String>,
}

impl Run<'_, '_> {
    fn silenced(&self) -> HashSet<u32> {
        let silent = |s: &usize| matches!(self.status[*s], Some(Status::Silenced(_)));
        (0..self.status.len()).filter(silent).map(|s| s as u32).collect()
    }

    fn present(&self) -> Letters {
        let left = (0..self.status.len())
            .filter(|s| !matches!(self.status[*s], Some(Status::Silenced(_))));
        left.fold(self.sites.elsewhere(), |set, s| set | 1 << self.sites.all[s].1.letter)
    }

    /// T0.
    fn quick(&mut self) {
        let present = self.present();
        let idle = (0..self.machines.letters.len())
            .filter(|l| is_idle(self.machines, *l, present, 0))
            .fold(0 as Letters, |set, l| set | 1 << l);
        for (site, (_, found)) in self.sites.all.iter().enumerate() {
            if idle >> found.letter & 1 == 1 {
                self.status[site] = Some(Status::Silenced(Tier::T0));
            }
        }
    }

    /// T1a. Sites of one letter and the same types are judged together.
    fn groups(&mut self) {
        type Group<'g> = (usize, &'g Vec<Option<String>>);
        let mut groups: HashMap<Group<'_>, Vec<usize>> = HashMap::new();
        for site in 0..self.status.len() {
            if self.status[site].is_none() {
                let letter = self.sites.all[site].1.letter;
                groups.entry((letter, &self.sites.types[site])).or_default().push(site);
            }
        }
        let keys: Vec<Group<'_>> = groups.keys().copied().collect();
        let share = |one: &Group<'_>, two: &Group<'_>| {
            let binds = |g: &Group<'_>| self.machines.letters[g.0].binds.clone();
            binds(one).iter().zip(one.1).all(|((param, _), ty)| {
                binds(two).iter().zip(two.1).all(|((other, _), other_ty)| {
                    let (Some(a), Some(b)) = (ty, other_ty) else { return true };
                    param != other || self.program.may_share(a, b)
                })
            })
        };
        let mut idle = Vec::new();
        for one in &keys {
            let letters = keys
                .iter()
                .filter(|two| share(one, two))
                .fold(self.sites.elsewhere(), |set, two| set | 1 << two.0);
            if is_idle(self.machines, one.0, letters, self.machines.letters[one.0].params) {
                idle.extend(groups[one].iter().copied());
            }
        }
        for site in idle {
            self.status[site] = Some(Status::Silenced(Tier::T1a));
        }
    }

    /// The other tiers, while they find something; returns how many points all certificates have.
    fn rounds(
        &mut self,
        world: &PropertyWorld<'_, '_>,
        asked: &mut Asked<'_>,
        origins: &dyn Fn() -> Option<Rc<Points>>,
    ) -> usize {
        let mut points = 0;
        if self.silenced().len() == self.sites.all.len() {
            return points;
        }
        let origins = origins();
        if let Some(origins) = &origins {
            world.inform(origins.clone());
        }
        for round in 0..MAX_ROUNDS {
            let before = self.silenced().len();
            if let Some(origins) = &origins {
                self.origins(world, origins);
            }
            self.confined(world);
            let known = self.silenced().len();
            if round > 0 && known == before {
                break;
            }
            points += self.local(world, asked, round);
            let found = self.silenced();
            if found.len() == known {
                break;
            }
            world.silence(found);
        }
        if let Some(origins) = &origins {
            self.name_others(origins);
        }
        points
    }

    /// Where objects are reported for what others do to them, says who does.
    fn name_others(&mut self, points: &Points) {
        let left = |site: &usize| matches!(self.status[*site], Some(Status::Left(_)));
        let left: Vec<usize> = (0..self.status.len()).filter(left).collect();
        // What a site binds, by parameter. Many sites bind the same set.
        let bound = |site: usize| {
            let (body, found) = &self.sites.all[site];
            let binds = self.machines.letters[found.letter].binds.iter();
            binds.zip(&found.terms).filter_map(|((param, _), term)| {
                Some((*param, points.operand(*body, found.offset, *term)?))
            })
        };
        // By parameter, object and letter: the first site.
        let mut sites: FastMap<(ParamId, ObjectId, usize), usize> = FastMap::default();
        let mut seen = FastSet::default();
        for site in &left {
            let letter = self.sites.all[*site].1.letter;
            for (param, set) in bound(*site) {
                if seen.insert((param, Rc::as_ptr(&set), letter)) {
                    for object in set.iter() {
                        sites.entry((param, *object, letter)).or_insert(*site);
                    }
                }
            }
        }
        let mut first = FastMap::default();
        let mut told: HashMap<BodyId, Option<String>> = HashMap::new();
        for site in left {
            let id = self.sites.all[site].0;
            let other = told.entry(id).or_insert_with(|| {
                let own = self.sites.by_method[&id].iter().map(|(site, _)| *site as usize);
                let own: Vec<usize> =
                    own.filter(|s| matches!(self.status[*s], Some(Status::Left(_)))).collect();
                let letters = own.iter().fold(0, |set, s| set | 1 << self.sites.all[*s].1.letter);
                let others = (0..self.machines.letters.len())
                    .filter(|l| letters >> l & 1 == 0 && !self.machines.is_reported(*l));
                let named: Vec<_> = own.iter().flat_map(|site| bound(*site)).collect();
                let mut found = others.flat_map(|letter| named.iter().map(move |n| (letter, n)));
                let found = found.find_map(|(letter, (param, set))| {
                    *first.entry((*param, Rc::as_ptr(set), letter)).or_insert_with(|| {
                        set.iter().find_map(|o| sites.get(&(*param, *o, letter)).copied())
                    })
                });
                found.map(|other| {
                    let report = site_report(self.program, self.machines, self.sites, other, &None);
                    let place = place(report.file.as_deref(), report.line, report.offset);
                    format!(" after `{}` at {place}", report.event)
                })
            });
            if let (Some(other), Some(Status::Left(why))) = (other, &mut self.status[site])
                && why.ends_with(REPORTED)
            {
                why.push_str(other);
            }
        }
    }

    /// T1c. What is silenced may make more letters idle, so until nothing is.
    fn origins(&mut self, world: &PropertyWorld<'_, '_>, points: &Points) {
        loop {
            let status = &self.status;
            let left = |site: usize| !matches!(status[site], Some(Status::Silenced(_)));
            let found = groups::silence(points, self.machines, self.sites, &left);
            if found.is_empty() {
                break;
            }
            for site in &found {
                self.status[*site] = Some(Status::Silenced(Tier::T1c));
            }
            world.silence(found.iter().map(|site| *site as u32));
        }
    }

    /// T1b.
    fn confined(&mut self, world: &PropertyWorld<'_, '_>) {
        let found = confined::silence(world, self.machines, self.present());
        for site in &found {
            self.status[*site as usize] = Some(Status::Silenced(Tier::T1b));
        }
        world.silence(found);
    }

    /// T2; returns how many points its certificates have.
    fn local(
        &mut self,
        world: &PropertyWorld<'_, '_>,
        asked: &mut Asked<'_>,
        round: usize,
    ) -> usize {
        let alone = asked.alone;
        let flows = if alone { Flows::new(world) } else { Flows::of_threads(world) };
        let mut points = 0;
        let mut methods: Vec<BodyId> = self.sites.by_method.keys().copied().collect();
        methods.retain(|id| self.program.is_own(*id));
        methods.sort_unstable();
        let all = methods.len();
        for (done, id) in methods.into_iter().enumerate() {
            (asked.progress)(done, all);
            let left: Vec<u32> = self.sites.by_method[&id]
                .iter()
                .map(|(site, _)| *site)
                .filter(|s| !matches!(self.status[*s as usize], Some(Status::Silenced(_))))
                .collect();
            if left.is_empty() {
                continue;
            }
            left.iter().for_each(|site| self.status[*site as usize] = None);
            let body = world.body(id);
            let flow = body.as_ref().and_then(|body| flows.of(id, body));
            let (Some(body), Some(flow)) = (body, flow) else {
                for site in left {
                    let why = "its method is too large or cannot be analysed".to_owned();
                    self.status[site as usize] = Some(Status::Left(why));
                }
                continue;
            };
            let found = match asked.given {
                None => Ok(local::silence(&body, &flow, self.machines, alone)),
                Some(proofs) => self.given(proofs, (id, round), &left, &body, &flow),
            };
            let found = found.unwrap_or_else(|why| {
                self.rejected.push(why);
                Local::default()
            });
            let agreed = check::check(&body, &flow, self.machines, alone, &found);
            match (&agreed, &mut asked.keep) {
                (Err(why), _) => self.rejected.push(format!("{}: {why}", self.full_name(id))),
                (Ok(()), Some(keep)) if !found.silenced.is_empty() => {
                    keep(self.proof((id, round), &found));
                }
                _ => {}
            }
            for site in &found.silenced {
                self.status[*site as usize] = Some(match &agreed {
                    Ok(()) => Status::Silenced(Tier::T2),
                    Err(why) => Status::Left(format!("its certificate was not confirmed: {why}")),
                });
            }
            points += found.certificates.iter().map(|c| c.points.len()).sum::<usize>();
            let teller = Teller { world, id, body: &body, flow: &flow, machines: self.machines };
            for (site, kept) in &found.kept {
                let slot = &mut self.status[*site as usize];
                slot.get_or_insert_with(|| Status::Left(teller.tell(kept)));
            }
            if asked.given.is_some() {
                for site in left {
                    self.status[site as usize]
                        .get_or_insert_with(|| Status::Left("no certificate".to_owned()));
                }
            }
        }
        points
    }

    /// Class with dots, name and descriptor of a method.
    fn names(&self, id: BodyId) -> [String; 3] {
        let method = self.program.method(id);
        let text = |name: watchword_classfile::Result<watchword_classfile::JStr<'_>>| {
            name.map(|n| n.to_str().into_owned()).unwrap_or_default()
        };
        let class = text(method.class().name()).replace('/', ".");
        [class, text(method.name()), text(method.descriptor())]
    }

    fn full_name(&self, id: BodyId) -> String {
        let [class, method, descriptor] = self.names(id);
        format!("{class}.{method}{descriptor}")
    }

    /// What was found out about a method, to be written down.
    fn proof(&self, (id, round): (BodyId, usize), found: &Local) -> Proof {
        let mut sites: Vec<u32> = found.silenced.iter().copied().collect();
        sites.sort_unstable();
        let site = |site: &u32| {
            let found = &self.sites.all[*site as usize].1;
            (found.offset, self.machines.letters[found.letter].name.clone())
        };
        Proof {
            method: self.names(id),
            round,
            sites: sites.iter().map(site).collect(),
            certificates: found.certificates.clone(),
        }
    }

    /// What a proof says about a method in a round.
    fn given(
        &self,
        proofs: &Proofs,
        (id, round): (BodyId, usize),
        left: &[u32],
        body: &crate::body::Body,
        flow: &Flow,
    ) -> Result<Local, String> {
        let [class, method, descriptor] = self.names(id);
        let Some(proof) = proofs.find(self.name, [&class, &method, &descriptor], round) else {
            return Ok(Local::default());
        };
        let number = |offset: u32, event: &str| {
            left.iter().copied().find(|site| {
                let found = &self.sites.all[*site as usize].1;
                found.offset == offset && self.machines.letters[found.letter].name == event
            })
        };
        let local = proof.local(body, flow, self.machines, &number);
        local.map_err(|why| format!("{}: {why}", self.full_name(id)))
    }

    /// Every site that proofs are about is silenced now.
    fn expect_all(&mut self, proofs: &Proofs) {
        let silenced: HashSet<(BodyId, u32, usize)> = (0..self.status.len())
            .filter(|site| matches!(self.status[*site], Some(Status::Silenced(_))))
            .map(|site| (self.sites.all[site].0, &self.sites.all[site].1))
            .map(|(id, found)| (id, found.offset, found.letter))
            .collect();
        let methods = self.sites.by_method.keys().map(|id| (self.names(*id), *id));
        let methods: HashMap<[String; 3], BodyId> = methods.collect();
        let letter = |event: &str| self.machines.letters.iter().position(|l| l.name == event);
        for (_, proof) in proofs.iter().filter(|(property, _)| *property == self.name) {
            let id = methods.get(&proof.method);
            for (offset, event) in &proof.sites {
                let known = id
                    .zip(letter(event))
                    .is_some_and(|(id, letter)| silenced.contains(&(*id, *offset, letter)));
                let [class, method, descriptor] = &proof.method;
                let place = format!("{class}.{method}{descriptor}");
                if !known && !self.rejected.iter().any(|why| why.starts_with(&place)) {
                    let why = format!("{place}: no site of `{event}` at {offset} is silenced");
                    self.rejected.push(why);
                }
            }
        }
        self.rejected.sort_unstable();
    }
}

fn place(file: Option<&str>, line: Option<u32>, offset: u32) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("offset {offset}"),
    }
}

/// Tells what keeps a site.
struct Teller<'t, 'p, 'a> {
    world: &'t PropertyWorld<'p, 'a>,
    id: BodyId,
    body: &'t crate::body::Body,
    flow: &'t Flow,
    machines: &'t Machines,
}

impl Teller<'_, '_, '_> {
    fn place(&self, node: NodeId) -> String {
        let method = self.world.program.method(self.id);
        let class = method.class();
        let offset = self.body.nodes[node as usize].offset;
        let file = class.source_file().ok().flatten().map(|f| f.to_str().into_owned());
        let code = method.code().ok().flatten();
        place(file.as_deref(), code.and_then(|code| line(&code, class, offset)), offset)
    }

    fn tell(&self, kept: &Kept) -> String {
        match kept {
            Kept::Left(node, how) => format!("escapes: {how} at {}", self.place(*node)),
            Kept::Old => "more than one object made here may be meant".to_owned(),
            Kept::Unreachable => "no path leads here".to_owned(),
            Kept::TooLarge => "too many combinations of objects".to_owned(),
            Kept::Unknown(None, Operand::Var(_)) => {
                "unknown: the object is a parameter, `this` or from several places".to_owned()
            }
            Kept::Unknown(None, _) => "unknown: what is bound is not followed".to_owned(),
            Kept::Unknown(Some(node), _) => {
                let what = match &self.body.nodes[*node as usize].op {
                    Op::Load(_, field) => {
                        format!("read from field {}", self.world.field_name(*field))
                    }
                    Op::Call(call) => {
                        let name = self.world.target_name(call.target);
                        let blame = self.flow.effects.get(node).and_then(|effect| effect.blame);
                        match blame.map(|body| self.world.program.full_name(body)) {
                            Some(body) if body != name => format!("returned by {name} ({body})"),
                            _ => format!("returned by {name}"),
                        }
                    }
                    Op::Move(moves) => match moves.iter().find_map(|(_, s)| match s {
                        Source::Unknown(what) => Some(*what),
                        Source::Constant | Source::Array(_) => Some("an array or a constant"),
                        Source::Element(_) => Some("an element of an array"),
                        _ => None,
                    }) {
                        Some(what) => what.to_owned(),
                        None => "caught or of several origins".to_owned(),
                    },
                    Op::New(..) => "one of too many origins".to_owned(),
                    _ => "caught".to_owned(),
                };
                format!("unknown: the object is {what} at {}", self.place(*node))
            }
            Kept::Refused(refusal) => {
                let place = self.place(refusal.node);
                match refusal.what {
                    What::Report(letter) => format!(
                        "needed: `{}` at {place}{REPORTED}",
                        self.machines.letters[letter].name
                    ),
                    What::End => format!("needed: the run may end at {place}"),
                    What::Leaves => format!("needed: objects of its slice live on at {place}"),
                    What::TooLarge => "too much to explore".to_owned(),
                }
            }
        }
    }
}
