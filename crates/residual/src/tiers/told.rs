//! What keeps a site, in words.

use std::collections::HashMap;
use std::rc::Rc;

use watchword_model::ParamId;

use super::Run;
use super::t2_methods::Kept;
use crate::analysis::{Status, site_report};
use crate::body::{BodyId, NodeId, Op, Operand, Source};
use crate::certify::What;
use crate::flow::Flow;
use crate::hash::{FastMap, FastSet};
use crate::jvm::lower::line;
use crate::jvm::points::{ObjectId, Points};
use crate::jvm::property::PropertyWorld;
use crate::machine::Machines;
use crate::world::World;

/// Tells what keeps a site.
pub(super) struct Teller<'t, 'p, 'a> {
    pub world: &'t PropertyWorld<'p, 'a>,
    pub id: BodyId,
    pub body: &'t crate::body::Body,
    pub flow: &'t Flow,
    pub machines: &'t Machines,
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

    pub fn tell(&self, kept: &Kept) -> String {
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
                        "needed: `{}` at {place} may be reported",
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

impl Run<'_, '_> {
    /// Where objects are reported for what others do to them, says who does.
    pub(super) fn name_others(&mut self, points: &Points) {
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
                && self.reported.contains(&(site as u32))
            {
                why.push_str(other);
            }
        }
    }
}

fn place(file: Option<&str>, line: Option<u32>, offset: u32) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("offset {offset}"),
    }
}
