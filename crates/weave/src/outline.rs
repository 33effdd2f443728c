//! Handlers whose work is done elsewhere.
//!
//! A hook that observes what a call throws is in a handler of its own. Programs call `next` and `add` at thousands of
//! places and hardly any of these calls throws; but every handler is loaded, verified and compiled with its method. So
//! what a handler asks, and the hooks that it then calls, are a static method of a class in the runtime's package. Each
//! list of hooks has one, whichever the calls are; woven code passes to it what differs.

use watchword_classfile::{ClassEditor, Kind, Opcode, PoolEditor, Result, Snippet, access};
use watchword_model::ThrownBy;

use crate::assembler::VERSION;
use crate::hook::{ASKED, ENTRY, Shape, TESTED, asked};
use crate::point::Loc;
use crate::points::Hook;
use crate::runtime::HOOK;
use crate::site::{OperandKind, SiteId};
use crate::{special, spun};

/// Name of the static method.
pub const METHOD: &str = "thrown";
/// The first site, the exception, up to two other objects, and the name of the called method, or null.
pub const DESCRIPTOR: &str =
    "(ILjava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/String;)V";
/// The locals of the site, of the exception, of the name, and how many objects are between these.
const SITE: u16 = 0;
const EXCEPTION: u16 = 1;
const NAME: u16 = 4;
/// How many objects are passed besides the exception.
pub const OBJECTS: usize = 2;
/// How many parameters the method has.
pub const PARAMETERS: u16 = NAME + 1;

/// What a handler around a call does: a step for each of its hooks, whose sites have consecutive numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outline(Vec<Step>);

/// A hook: where its values are, and what must hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Step {
    class: String,
    values: Vec<u16>,
    tests: Vec<(u16, String, bool)>,
    thrown: Option<Thrown>,
}

/// Who must have thrown the exception, and what it must say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thrown {
    by: ThrownBy,
    saying: Option<String>,
}

impl Outline {
    /// What the handler of these hooks does, and where the other objects are that it passes; `None` if one of the hooks
    /// needs more than can be passed.
    pub fn of(hooks: &[(SiteId, &Hook)]) -> Option<(Outline, Vec<Loc>)> {
        let first = hooks.first()?.0;
        let mut passed = Vec::new();
        let mut steps = Vec::new();
        for ((id, hook), expected) in hooks.iter().zip(first.0..) {
            if id.0 != expected {
                return None;
            }
            let draft = &hook.draft;
            let mut values = Vec::new();
            for (loc, operand) in &draft.values {
                if operand.kind != OperandKind::Object {
                    return None;
                }
                values.push(local(*loc, &mut passed)?);
            }
            let woven = draft.tests.iter().filter(|test| !test.by_runtime);
            steps.push(Step {
                class: hook.class.clone()?,
                tests: woven.map(|t| (values[t.operand], t.ty.clone(), t.negated)).collect(),
                thrown: draft
                    .thrown
                    .as_ref()
                    .map(|thrown| Thrown { by: thrown.by, saying: thrown.saying.clone() }),
                values,
            });
        }
        Some((Outline(steps), passed))
    }

    /// The class with the static method, under that internal name.
    pub fn class(&self, name: &'static str) -> Result<Vec<u8>> {
        let flags = access::PUBLIC | access::FINAL | access::SUPER | access::SYNTHETIC;
        let mut class = ClassEditor::create(VERSION, flags, name, "java/lang/Object")?;
        let mut body = Snippet::new();
        for (step, at) in self.0.iter().zip(0..) {
            step.call(&mut body, &mut class.pool, at)?;
        }
        body.op(Opcode::RETURN);
        spun::add(&mut class, access::PUBLIC | access::STATIC, METHOD, DESCRIPTOR, STACK, &body)?;
        special::apart(&mut class, METHOD)?;
        class.to_bytes()
    }
}

/// The answer of a test, a site and its objects; or an answer, an exception and two texts.
const STACK: u16 = 6;

/// The local of the static method with a value that a handler has.
fn local(loc: Loc, passed: &mut Vec<Loc>) -> Option<u16> {
    if loc == Loc::Exception {
        return Some(EXCEPTION);
    }
    if !matches!(loc, Loc::Pop(_)) {
        return None;
    }
    let at = passed.iter().position(|known| *known == loc).unwrap_or_else(|| {
        passed.push(loc);
        passed.len() - 1
    });
    (at < OBJECTS).then_some(EXCEPTION + 1 + at as u16)
}

impl Step {
    fn call(&self, body: &mut Snippet, pool: &mut PoolEditor<'_>, at: i16) -> Result<()> {
        let mut is_tested = false;
        for (local, ty, negated) in &self.tests {
            let ty = pool.class(ty)?;
            body.load(Kind::Reference, *local).with_constant(Opcode::INSTANCEOF, ty);
            if *negated {
                body.int(1).op(Opcode::IXOR);
            }
            if is_tested {
                body.op(Opcode::IAND);
            }
            is_tested = true;
        }
        if let Some(Thrown { by, saying }) = &self.thrown {
            if !is_tested {
                body.int(1);
            }
            body.load(Kind::Reference, EXCEPTION).load(Kind::Reference, NAME);
            match saying {
                Some(text) => {
                    let text = pool.string(text)?;
                    body.with_constant(Opcode::LDC_W, text)
                }
                None => body.op(Opcode::ACONST_NULL),
            };
            let asks = pool.method(HOOK, asked(*by), ASKED)?;
            body.with_constant(Opcode::INVOKESTATIC, asks);
            is_tested = true;
        }
        body.load(Kind::Int, SITE);
        if at > 0 {
            body.int(at).op(Opcode::IADD);
        }
        for local in &self.values {
            body.load(Kind::Reference, *local);
        }
        let mut descriptor = Shape { objects: self.values.len(), longs: 0 }.descriptor();
        let mut method = ENTRY;
        if is_tested {
            (method, descriptor) = (TESTED, descriptor.replacen('(', "(Z", 1));
        }
        let hook = pool.method(&self.class, method, &descriptor)?;
        body.with_constant(Opcode::INVOKESTATIC, hook);
        Ok(())
    }
}
