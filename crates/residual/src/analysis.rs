//! The sound analysis of a JVM program: what of a property's sites can be silenced, and why not more.
//!
//! The [tiers](crate::tiers) do the work, cheap ones first:
//!
//! * **T0**: letters that are idle given the letters the program has.
//! * **T1a**: the same per site, with the letters of sites that can share its objects by type.
//! * **T1c**: the same with the letters of sites that can share its objects by their origins.
//! * **T1b**: the same for objects that live in one confined field.
//! * **T2**: methods one by one, see [`crate::certify`]; T3, summaries of calls, is part of it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use watchword_classfile::{Member, MethodDescriptor};
use watchword_model::{Model, PropertyId};
use watchword_select::KnownTypes;

use crate::body::BodyId;
use crate::equality;
use crate::jvm::lower::line;
use crate::jvm::points::Points;
use crate::jvm::program::{Program, instructions};
use crate::jvm::property::PropertyWorld;
use crate::jvm::select::{Found, Selector, Term};
use crate::machine::{Letters, Machines, iter};
use crate::proof::{Proof, Proofs};
use crate::quick::is_idle;
use crate::tiers::Run;
pub use crate::tiers::Tier;

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

/// A site that keeps others from being silenced: it raises another event of the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// Where it is.
    pub place: String,
    /// Its event.
    pub event: String,
    /// Where an object that it has in common with others comes from.
    pub object: Option<String>,
    /// How many sites it holds back, alone or with others.
    pub holds: usize,
    /// Of how many it is the only one.
    pub alone: usize,
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
    /// The sites that hold back most others, in order.
    pub blockers: Vec<Blocker>,
}

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
        let index = index.ok_or_else(|| "the property was not requested".to_owned())?;
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
        let sites = find_sites(program, &selector).merged(&machines);
        if let Some(site) = (0..sites.all.len()).find(|site| sites.is_doubled(*site)) {
            let name = &machines.letters[sites.all[site].1.letter].name;
            return Err(format!("`{name}` happens twice at one call, and only both are silenced"));
        }
        let mut status: Vec<Option<Status>> = vec![None; sites.all.len()];
        Run::new("", program, &machines, &sites, &mut status).prepare();
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

/// Something that a result assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// What it is called where there is one line for all.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// What every result assumes.
pub fn assumptions(fresh_iterators: bool, alone: bool, unreflected: bool) -> Vec<Assumed> {
    let mut all = vec![
        Assumed {
            name: "same classes",
            text: "the program runs exactly the analysed classes, and none that was missing",
        },
        Assumed { name: "identity", text: "objects are compared by identity" },
        Assumed {
            name: "nothing hidden calls or reads",
            text: "no reflection, method handle or native code calls selected methods on objects that do not escape from the program, and no native code reads fields that contain them",
        },
        Assumed {
            name: "reflection by constant names",
            text: "reflection finds methods of reflection, of method handles and of `Unsafe` only by names that \
         are constants, at the call or in a class that uses what they are methods of",
        },
        Assumed {
            name: "the table of the JDK",
            text: "the JDK uses its arguments as Watchword's table says",
        },
        Assumed {
            name: "closed fields of the JDK",
            text: "no code accesses fields of the JDK's own objects (by `--add-opens` or native code), and `Unsafe` accesses only fields whose offsets were requested",
        },
        Assumed {
            name: "computed names are the program's own",
            text: "members that are found by computed names belong to classes of the program, classes of the JDK that read objects from streams are named where they are used, and no style sheet or script calls methods of the program",
        },
    ];
    if fresh_iterators {
        all.push(
            Assumed { name: "new iterators", text: "iterators of collections of unknown class are new objects (the JDK's one exception is \
             the iterator of Collections.emptyIterator, on which `next` always throws)" },
        );
    }
    if unreflected {
        all.push(Assumed {
            name: "no reflection",
            text: "reflection neither calls methods of the program nor accesses its fields",
        });
    }
    if alone {
        all.push(Assumed {
            name: "a single thread",
            text: "only one thread uses the objects of the property",
        });
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

    /// The same sites, where an event that several of its sources select at one instruction happens once
    /// if that makes no difference.
    fn merged(self, machines: &Machines) -> Sites {
        let doubled = (0..self.all.len()).any(|site| self.is_doubled(site));
        if !doubled {
            return self;
        }
        let mut sites = Sites {
            all: Vec::new(),
            types: Vec::new(),
            by_method: HashMap::new(),
            references: self.references,
            handles: self.handles,
        };
        let alike = |one: &Found, other: &Found| {
            (one.offset, one.letter, one.when) == (other.offset, other.letter, other.when)
                && one.terms == other.terms
                && machines.is_repeatable(one.letter)
        };
        for ((id, found), types) in self.all.into_iter().zip(self.types) {
            let here = sites.by_method.entry(id).or_default();
            match here.iter_mut().find(|(_, known)| alike(known, &found)) {
                Some((number, known)) => {
                    known.certain |= found.certain;
                    sites.all[*number as usize].1.certain = known.certain;
                }
                None => {
                    here.push((sites.all.len() as u32, found.clone()));
                    sites.types.push(types);
                    sites.all.push((id, found));
                }
            }
        }
        sites
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
                blockers: Vec::new(),
            };
        }
    };
    let Prepared { machines, sites, status } = prepared;
    let mut status = status.clone();
    let mut run = Run::new(&name, program, machines, sites, &mut status);
    let world = PropertyWorld::new(program, sites.by_method.clone(), prepared.bound());
    world.silence(run.silenced());
    let shared = asked.shared;
    let origins = || shared.origins(program, model);
    let points = run.rounds(&world, &mut asked, &origins);
    if let Some(proofs) = asked.given {
        run.expect_all(proofs);
    }
    let rejected = run.rejected();
    let blockers = std::mem::take(&mut run.blockers);
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
        blockers,
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
