//! What keeps a site, in words.

use super::t2_methods::Kept;
use crate::body::{BodyId, NodeId, Op, Operand, Source};
use crate::certify::What;
use crate::flow::Flow;
use crate::jvm::lower::line;
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
            Kept::Old => "several objects created here may be involved".to_owned(),
            Kept::Unreachable => "no path leads here".to_owned(),
            Kept::TooLarge => "too many combinations of objects".to_owned(),
            Kept::Unknown(None, Operand::Var(_)) => {
                "unknown: the object is a parameter, `this` or from several places".to_owned()
            }
            Kept::Unknown(None, _) => "unknown: the bound value is not tracked".to_owned(),
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
                        None => "a caught exception, or an object with several origins".to_owned(),
                    },
                    Op::New(..) => "an object with too many origins".to_owned(),
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
                    What::TooLarge => "too many states to explore".to_owned(),
                }
            }
        }
    }
}

pub(super) fn place(file: Option<&str>, line: Option<u32>, offset: u32) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("offset {offset}"),
    }
}
