//! Variables that are watched: where they are now, and what their place hangs on.
//!
//! `p->next->size` is an object only as long as `p` and `p->next` keep their values. So every
//! pointer (and index) on the way is watched too, and when one changes, the rest of the chain is
//! found anew.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::term;
use watchword_debug::expr::{Expr, Object, Unary};
use watchword_debug::info::Kind;
use watchword_debug::{
    Access, Debugger, ErrorKind, FunctionName, Owner, PointId, ProcessId, Result, ThreadId, Value,
    WatchMethod, When,
};

/// What a source watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// One per activation of the function the variable belongs to; one in all for globals, or one
    /// per thread.
    pub chains: Vec<Chain>,
    /// Where activations begin (past the prologue), and where they end (the function's entry,
    /// told after its return).
    pub begins: HashSet<PointId>,
    pub ends: HashSet<PointId>,
    /// Whether the variable was found.
    found: bool,
    /// Whether every thread has one of its own.
    pub is_thread_local: bool,
}

/// One object that is watched, with what it hangs on.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// The activation it belongs to: its thread and the stack pointer before its call.
    frame: Option<(ThreadId, u64)>,
    /// The thread whose own it is.
    thread: Option<ThreadId>,
    /// The value of the event's parameter it was made for: fields of all known objects.
    pub of: Option<(usize, u64)>,
    /// The program or libraries a global variable is in, and where they begin.
    home: Vec<(PathBuf, u64)>,
    /// The whole, and what it hangs on.
    whole: Expr,
    links: Vec<Expr>,
    /// Where they are watched now.
    armed: Vec<ArmedPlace>,
    /// The object itself, if it exists.
    pub object: Option<Value>,
}

#[derive(Clone, Copy, Debug)]
struct ArmedPlace {
    address: u64,
    size: u64,
    point: PointId,
    is_object: bool,
}

/// What a watchpoint of a chain stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The object itself.
    Object,
    /// Something its place hangs on.
    Link,
}

/// How chains are watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub access: Access,
    /// Page protection is told before the access; debug registers cost nothing until then.
    pub method: WatchMethod,
    pub owner: Owner,
}

impl Watched {
    /// Activations of a thread become those of its copy.
    pub fn rename_thread(&mut self, from: ThreadId, to: ThreadId) {
        for chain in &mut self.chains {
            let frame = chain.frame.as_mut().map(|(thread, _)| thread);
            for thread in frame.into_iter().chain(chain.thread.as_mut()) {
                if *thread == from {
                    *thread = to;
                }
            }
        }
    }

    pub fn is_prepared(&self) -> bool {
        self.found
    }

    /// Finds a global variable; true when it is found for the first time, or again after its
    /// library was unloaded.
    pub fn find_global(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        term: &Expr,
        manner: Option<Manner>,
    ) -> Result<bool> {
        let process = debugger.tracer().process_of(thread)?;
        self.leave_unloaded(debugger, process)?;
        self.found = !self.chains.is_empty();
        if self.found {
            return Ok(false);
        }
        let resolve = |debugger: &mut Debugger, e: &Expr| debugger.evaluate_globally(thread, e);
        let (whole, links) = match resolve_chain(debugger, term, &resolve, Pointers::InMemory) {
            // The dynamic linker has not made the thread-local variables yet.
            Err(e) if e.kind() == ErrorKind::Memory && thread_pointer(debugger, thread)? == 0 => {
                return Ok(false);
            }
            other => other?,
        };
        self.found = true;
        let mut chain = Chain::unarmed(whole, links);
        chain.home = home(debugger, process, &chain.whole);
        self.is_thread_local = is_thread_local(debugger, thread, &chain.whole)?;
        if self.is_thread_local {
            chain.thread = Some(thread);
            debugger.tracer_mut().tell_threads(true);
        }
        self.add(debugger, thread, chain, manner)?;
        if self.is_thread_local {
            for other in debugger.tracer().threads(process) {
                if other != thread && debugger.tracer().is_stopped(other) {
                    self.begin_thread(debugger, other, term, manner)?;
                }
            }
        }
        Ok(true)
    }

    /// A thread begins, which has a thread-local variable of its own.
    pub fn begin_thread(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        term: &Expr,
        manner: Option<Manner>,
    ) -> Result<()> {
        let resolve = |debugger: &mut Debugger, e: &Expr| debugger.evaluate_globally(thread, e);
        let (whole, links) = resolve_chain(debugger, term, &resolve, Pointers::InMemory)?;
        let chain = Chain { thread: Some(thread), ..Chain::unarmed(whole, links) };
        self.add(debugger, thread, chain, manner)
    }

    /// A thread has ended, and its thread-local variable with it.
    pub fn end_thread(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        thread: ThreadId,
    ) -> Result<()> {
        let mut result = Ok(());
        self.chains.retain_mut(|chain| {
            let is_over = chain.thread == Some(thread);
            if is_over {
                let done = chain.disarm(debugger, process);
                result = std::mem::replace(&mut result, Ok(())).and(done);
            }
            !is_over
        });
        result
    }

    /// Stops watching what was in libraries that are gone: other memory may come there.
    fn leave_unloaded(&mut self, debugger: &mut Debugger, process: ProcessId) -> Result<()> {
        let modules = debugger.modules(process);
        let is_loaded = |(path, start): &(PathBuf, u64)| {
            modules.iter().any(|m| m.path == *path && m.start == *start)
        };
        let (kept, gone): (Vec<Chain>, Vec<Chain>) =
            self.chains.drain(..).partition(|c| c.home.iter().all(is_loaded));
        self.chains = kept;
        gone.into_iter().try_for_each(|mut chain| chain.disarm(debugger, process))
    }

    /// Waits for activations of the function a local variable belongs to; true when the function
    /// is found for the first time, or again after its library was unloaded.
    pub fn find_scope(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        function: &str,
        owner: Owner,
    ) -> Result<bool> {
        let is_armed = |p: &PointId| debugger.tracer().point_address(process, *p).is_some();
        self.begins.retain(is_armed);
        self.ends.retain(is_armed);
        self.found = !self.begins.is_empty();
        if self.found {
            return Ok(false);
        }
        for module in debugger.modules(process).to_vec() {
            let targets = debugger.functions_in(process, &module, FunctionName::Exactly(function));
            for target in &targets {
                for address in debugger.prologue_ends(process, target) {
                    let point = debugger.arm_address(process, address, owner, &[])?;
                    self.begins.insert(point);
                }
                let one = std::slice::from_ref(target);
                let armed = debugger.arm_targets(process, one, When::After, owner, Vec::new())?;
                self.ends.extend(armed.points);
            }
            if !self.begins.is_empty() {
                self.found = true;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An activation of the function begins: its frame is set up.
    pub fn begin(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        term: &Expr,
        manner: Option<Manner>,
    ) -> Result<()> {
        let frame = debugger.backtrace(thread, 1)?;
        let cfa = frame.first().map_or(0, |f| f.cfa);
        // Frames below this one were left without a return.
        self.end(debugger, thread, cfa)?;
        let resolve = |debugger: &mut Debugger, e: &Expr| debugger.evaluate(thread, 0, e);
        let (whole, links) = resolve_chain(debugger, term, &resolve, Pointers::InMemory)?;
        let frame = Some((thread, cfa));
        self.add(debugger, thread, Chain { frame, ..Chain::unarmed(whole, links) }, manner)
    }

    /// Activations of the thread whose frames lie at or below this stack pointer have ended.
    pub fn end(&mut self, debugger: &mut Debugger, thread: ThreadId, sp: u64) -> Result<()> {
        let process = debugger.tracer().process_of(thread)?;
        let is_over = |c: &Chain| c.frame.is_some_and(|(t, cfa)| t == thread && cfa <= sp);
        let mut result = Ok(());
        self.chains.retain_mut(|chain| {
            if !is_over(chain) {
                return true;
            }
            for place in chain.armed.drain(..) {
                let done = debugger.tracer_mut().unwatch(process, place.point);
                result = std::mem::replace(&mut result, Ok(())).and(done);
            }
            false
        });
        result
    }

    /// Objects whose fields are to be watched will be told.
    pub fn expect_fields(&mut self) {
        self.found = true;
    }

    /// Watches a field of one more object of a type.
    pub fn watch_field(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        term: &Expr,
        (param, name, ty): (usize, &str, &str),
        object: u64,
        manner: Option<Manner>,
    ) -> Result<()> {
        if self.chains.iter().any(|c| c.of == Some((param, object))) {
            return Ok(());
        }
        let typed = Expr::Cast(ty.into(), 1, Box::new(Expr::Number(i128::from(object))));
        let put = |e: &Expr| substitute(e, &|n| (n == name).then(|| typed.clone()));
        let whole = put(term);
        // The object's own address does not change.
        let is_object = |l: &&Expr| matches!(l, Expr::Name(n) if n == name);
        let links = term::links(term).into_iter().filter(|l| !is_object(l)).map(put).collect();
        let of = Some((param, object));
        self.add(debugger, thread, Chain { of, ..Chain::unarmed(whole, links) }, manner)
    }

    /// Stops watching fields of objects no monitor knows any more.
    pub fn keep_fields(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        live: &dyn Fn(u64) -> bool,
    ) -> Result<()> {
        for chain in &mut self.chains {
            if chain.of.is_some_and(|(_, object)| !live(object)) {
                chain.disarm(debugger, process)?;
            }
        }
        self.chains.retain(|c| c.of.is_none_or(|(_, object)| live(object)));
        Ok(())
    }

    fn add(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        mut chain: Chain,
        manner: Option<Manner>,
    ) -> Result<()> {
        let result = manner.map_or(Ok(()), |manner| chain.arm(debugger, thread, manner));
        self.chains.push(chain);
        result
    }

    /// Takes all watchpoints away, or puts them back where the variables are now.
    pub fn set_armed(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        manner: Option<Manner>,
    ) -> Result<()> {
        let process = debugger.tracer().process_of(thread)?;
        for chain in &mut self.chains {
            match manner {
                Some(manner) => chain.arm(debugger, thread, manner)?,
                None => chain.disarm(debugger, process)?,
            }
        }
        Ok(())
    }

    /// Puts back what was watched at another time; `None`: what is watched is found anew.
    pub fn replace(
        &mut self,
        debugger: &mut Debugger,
        thread: ThreadId,
        chains: Option<Vec<Chain>>,
        manner: Option<Manner>,
    ) -> Result<()> {
        let process = debugger.tracer().process_of(thread)?;
        for chain in &mut self.chains {
            chain.disarm(debugger, process)?;
        }
        if let Some(chains) = chains {
            self.chains = chains;
        }
        for chain in &mut self.chains {
            chain.armed.clear();
            if let Some(manner) = manner {
                chain.arm(debugger, thread, manner)?;
            }
        }
        Ok(())
    }

    /// The chain and the role of a watchpoint.
    pub fn role_of(&mut self, point: PointId) -> Option<(&mut Chain, Role)> {
        for chain in &mut self.chains {
            if let Some(place) = chain.armed.iter().find(|p| p.point == point) {
                let role = if place.is_object { Role::Object } else { Role::Link };
                return Some((chain, role));
            }
        }
        None
    }

    /// All watchpoints.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.chains.iter().flat_map(|c| c.armed.iter().map(|p| p.point))
    }
}

impl Chain {
    fn unarmed(whole: Expr, links: Vec<Expr>) -> Chain {
        let (home, armed) = (Vec::new(), Vec::new());
        let (frame, thread, of) = (None, None, None);
        Chain { frame, thread, of, home, whole, links, armed, object: None }
    }

    /// The object an expression of a person means in a frame now.
    pub fn new(
        debugger: &mut Debugger,
        thread: ThreadId,
        frame: usize,
        e: &Expr,
        manner: Manner,
    ) -> Result<Chain> {
        let resolve = |debugger: &mut Debugger, e: &Expr| debugger.evaluate(thread, frame, e);
        let (whole, links) = resolve_chain(debugger, e, &resolve, Pointers::OfNow)?;
        let mut chain = Chain::unarmed(whole, links);
        chain.arm(debugger, thread, manner)?;
        if chain.armed.is_empty() {
            return Err(watchword_debug::Error::new(
                ErrorKind::Expression,
                "the value is not in memory",
            ));
        }
        Ok(chain)
    }

    /// Whether a watchpoint belongs to it, and as what.
    pub fn role(&self, point: PointId) -> Option<Role> {
        let place = self.armed.iter().find(|p| p.point == point)?;
        Some(if place.is_object { Role::Object } else { Role::Link })
    }

    /// The addresses that are watched.
    pub fn addresses(&self) -> Vec<u64> {
        self.armed.iter().map(|p| p.address).collect()
    }

    /// Watches the chain where it is now. A pointer that leads nowhere ends it early: it goes on
    /// when the pointer changes.
    pub fn arm(&mut self, debugger: &mut Debugger, thread: ThreadId, manner: Manner) -> Result<()> {
        let process = debugger.tracer().process_of(thread)?;
        let mut wanted: Vec<(u64, u64, bool)> = Vec::new();
        self.object = None;
        let mut broken = false;
        for link in &self.links {
            match debugger.evaluate_globally(thread, link) {
                Ok(value) => {
                    // Arrays do not change their place; only pointers and indexes do.
                    let may_change = value.ty.is_pointer() || value.ty.is_integral();
                    if let Some(address) = value.address().filter(|_| may_change) {
                        wanted.push((address, value.ty.size.max(1), false));
                    }
                }
                Err(e) if e.is_gone() => return Err(e),
                Err(_) => {
                    broken = true;
                    break;
                }
            }
        }
        if !broken {
            match debugger.evaluate_globally(thread, &self.whole) {
                Ok(value) => {
                    if let Some(address) = value.address() {
                        wanted.push((address, value.ty.size.max(1), true));
                    }
                    self.object = Some(value);
                }
                Err(e) if e.kind() == ErrorKind::Memory => {}
                Err(e) => return Err(e),
            }
        }
        let mut result = Ok(());
        self.armed.retain(|p| {
            let keep = wanted.contains(&(p.address, p.size, p.is_object));
            if !keep {
                let done = debugger.tracer_mut().unwatch(process, p.point);
                result = std::mem::replace(&mut result, Ok(())).and(done);
            }
            keep
        });
        result?;
        for (address, size, is_object) in wanted {
            let is_same =
                |p: &ArmedPlace| (p.address, p.size, p.is_object) == (address, size, is_object);
            if self.armed.iter().any(is_same) {
                continue;
            }
            let (access, method) = match is_object {
                true => (manner.access, manner.method),
                false => (Access::Write, WatchMethod::Any),
            };
            let tracer = debugger.tracer_mut();
            let point = match tracer.watch(process, address, size, access, method, manner.owner) {
                Ok(point) => point,
                // A wild pointer is as good as a null one.
                Err(e) if e.kind() == ErrorKind::Memory => continue,
                Err(e) => return Err(e),
            };
            self.armed.push(ArmedPlace { address, size, point, is_object });
        }
        Ok(())
    }

    pub fn disarm(&mut self, debugger: &mut Debugger, process: ProcessId) -> Result<()> {
        for place in self.armed.drain(..) {
            debugger.tracer_mut().unwatch(process, place.point)?;
        }
        Ok(())
    }

    /// The value of the whole now.
    pub fn value(&self, debugger: &mut Debugger, thread: ThreadId) -> Option<Value> {
        debugger.evaluate_globally(thread, &self.whole).ok()
    }

    /// Where the object is.
    pub fn address(&self) -> Option<u64> {
        self.object.as_ref().and_then(|v| v.address())
    }
}

/// What to make of a pointer that is in a register, where it cannot be watched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointers {
    /// It has to be in memory: what it points to later matters, too.
    InMemory,
    /// It stands for what it points to now.
    OfNow,
}

/// The names of a chain replaced by the objects they mean now, once: a local variable is found
/// through its frame, which may be out of reach when somebody else writes to it.
fn resolve_chain(
    debugger: &mut Debugger,
    whole: &Expr,
    resolve: &dyn Fn(&mut Debugger, &Expr) -> Result<Value>,
    pointers: Pointers,
) -> Result<(Expr, Vec<Expr>)> {
    let mut names = Vec::new();
    collect_names(whole, &mut names);
    let mut objects: Vec<(String, Expr)> = Vec::new();
    for name in names {
        let value = resolve(debugger, &Expr::Name(name.clone()))?;
        // Enumerators are constants; they have no place and need none.
        if value.address().is_none() && matches!(value.ty.kind, Kind::Enumeration { .. }) {
            continue;
        }
        let Some(address) = value.address() else {
            let is_part = *whole != Expr::Name(name.clone());
            if pointers == Pointers::OfNow
                && is_part
                && let Kind::Pointer(target) = &value.ty.kind
                && let Ok(ty) = target.get()
            {
                let object = Expr::Object(Object { ty, address: value.as_u64()? });
                objects.push((name, Expr::Unary(Unary::AddressOf, Box::new(object))));
                continue;
            }
            return Err(watchword_debug::Error::new(
                ErrorKind::OptimizedOut,
                format!("`{name}` is kept in a register here and cannot be watched"),
            ));
        };
        objects.push((name, Expr::Object(Object { ty: value.ty.clone(), address })));
    }
    let find = |name: &str| objects.iter().find(|(n, _)| n == name).map(|(_, e)| e.clone());
    let links = term::links(whole).into_iter().map(|link| substitute(link, &find)).collect();
    Ok((substitute(whole, &find), links))
}

fn thread_pointer(debugger: &mut Debugger, thread: ThreadId) -> Result<u64> {
    Ok(debugger.tracer_mut().registers(thread)?.thread_pointer())
}

/// Whether an object of a resolved chain is one of those that the thread has for itself: they lie below
/// its thread pointer, and in no module.
fn is_thread_local(debugger: &mut Debugger, thread: ThreadId, e: &Expr) -> Result<bool> {
    const MOST: u64 = 1 << 24;
    let pointer = thread_pointer(debugger, thread)?;
    let process = debugger.tracer().process_of(thread)?;
    let mut found = false;
    visit(e, &mut |part| {
        if let Expr::Object(object) = part {
            let is_below = (pointer.saturating_sub(MOST)..pointer).contains(&object.address);
            let is_in = |m: &std::rc::Rc<watchword_debug::Module>| {
                (m.start..m.end).contains(&object.address)
            };
            found |= is_below && !debugger.modules(process).iter().any(is_in);
        }
    });
    Ok(found)
}

/// The modules that the objects of a resolved chain are in.
fn home(debugger: &Debugger, process: ProcessId, e: &Expr) -> Vec<(PathBuf, u64)> {
    let mut addresses = Vec::new();
    visit(e, &mut |part| {
        if let Expr::Object(object) = part {
            addresses.push(object.address);
        }
    });
    let modules = debugger.modules(process).iter();
    modules
        .filter(|m| addresses.iter().any(|a| (m.start..m.end).contains(a)))
        .map(|m| (m.path.clone(), m.start))
        .collect()
}

pub(crate) fn collect_names(e: &Expr, names: &mut Vec<String>) {
    visit(e, &mut |part| match part {
        Expr::Name(name) if !names.contains(name) => names.push(name.clone()),
        _ => {}
    });
}

fn visit(e: &Expr, look: &mut dyn FnMut(&Expr)) {
    look(e);
    e.parts().into_iter().for_each(|part| visit(part, look));
}

fn substitute(e: &Expr, find: &dyn Fn(&str) -> Option<Expr>) -> Expr {
    let again = |inner: &Expr| Box::new(substitute(inner, find));
    match e {
        Expr::Name(name) => find(name).unwrap_or_else(|| e.clone()),
        Expr::Unary(operator, inner) => Expr::Unary(*operator, again(inner)),
        Expr::Member(inner, field) => Expr::Member(again(inner), field.clone()),
        Expr::Arrow(inner, field) => Expr::Arrow(again(inner), field.clone()),
        Expr::Index(array, index) => Expr::Index(again(array), again(index)),
        Expr::Binary(operator, a, b) => Expr::Binary(*operator, again(a), again(b)),
        Expr::Cast(ty, stars, inner) => Expr::Cast(ty.clone(), *stars, again(inner)),
        Expr::Choice(all) => Expr::Choice(Box::new([0, 1, 2].map(|i| substitute(&all[i], find)))),
        other => other.clone(),
    }
}
