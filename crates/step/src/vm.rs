//! The stack machine for guards, updates and functions.

use core::cmp::Ordering;

use crate::{Binary, Builtin, Host, Kind, Op, Output, Place, Program, Tag, Unary, Word, integral};

/// How many loop rounds and calls one evaluation may take.
pub const BUDGET: u32 = 100_000;
/// How deep calls may nest.
pub const MAX_DEPTH: u32 = 64;

/// An evaluation that has no value, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRelevant {
    /// A number that no 64-bit integer is.
    Overflow,
    /// Division by zero, or the rest of it.
    DivisionByZero,
    /// A value of a kind the operation does not know, or that a place is not declared for.
    WrongKind,
    /// A built-in function that has no answer to its arguments: no such element, no number.
    NoAnswer,
    /// Too many rounds, calls too deep, or a text, list or map that is too large.
    Limit,
    /// A list, a map, a text or a window needs more memory than there is.
    Memory,
    /// Timers go off and are set again, again and again, while nothing else happens. No evaluation ends
    /// so: it is why an instance is inconclusive.
    Endless,
}

impl NotRelevant {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            NotRelevant::Overflow => "a number became too large",
            NotRelevant::DivisionByZero => "a division by zero",
            NotRelevant::WrongKind => "a value of the wrong type",
            NotRelevant::NoAnswer => "a function had no answer, such as a missing element",
            NotRelevant::Limit => "an evaluation took too long or grew too large",
            NotRelevant::Memory => "there was no more memory (--max-memory)",
            NotRelevant::Endless => {
                "between two events, timers went off and were set again more than 100 000 times"
            }
        }
    }
}

/// The memory of one evaluation; all of it the caller's.
#[derive(Debug)]
pub struct Frame<'f> {
    /// The parameters of the instance; unbound ones are [`Word::UNSET`].
    pub params: &'f [Word],
    /// The variables of the instance.
    pub vars: &'f mut [Word],
    /// The registers of the configuration.
    pub registers: &'f mut [Word],
    /// The arguments of the event.
    pub args: &'f [Word],
    /// Locals of the transition first, then the operands.
    pub stack: &'f mut [Word],
}

impl Frame<'_> {
    /// What a place holds; [`Word::UNSET`] if nothing.
    #[inline]
    pub fn read(&self, place: Place, program: &Program<'_>) -> Word {
        match place {
            Place::Param(i) => self.params.get(i as usize).copied(),
            Place::Var(i) => self.vars.get(i as usize).copied(),
            Place::Register(i) => self.registers.get(i as usize).copied(),
            Place::Local(i) => self.stack.get(i as usize).copied(),
            // A missing argument is null, and null is something.
            Place::Arg(i) => Some(self.args.get(i as usize).copied().unwrap_or(Word::NULL)),
            Place::Constant(i) => program.constants.get(i as usize).copied(),
        }
        .unwrap_or(Word::UNSET)
    }

    /// Stores a value as it is.
    pub fn write(&mut self, place: Place, word: Word) {
        let cell = match place {
            Place::Var(i) => self.vars.get_mut(i as usize),
            Place::Register(i) => self.registers.get_mut(i as usize),
            Place::Local(i) => self.stack.get_mut(i as usize),
            Place::Param(_) | Place::Arg(_) | Place::Constant(_) => None,
        };
        if let Some(cell) = cell {
            *cell = word;
        }
    }
}

/// Whether two words are the same value.
#[inline]
pub fn same<H: Host>(a: Word, b: Word, host: &H) -> bool {
    if a.is_heap() || b.is_heap() {
        return a.tag == b.tag && host.same(a, b);
    }
    match (a.key(), b.key()) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// A word as a place declared for `kind` holds it.
#[inline]
pub fn coerce(word: Word, kind: Kind) -> Option<Word> {
    let Kind::Of(tag) = kind else { return Some(word) };
    match (word.tag, tag) {
        (Tag::Null | Tag::Unset, _) => Some(Word::NULL),
        (Tag::Int, Tag::Float) => Some(Word::float(word.as_int() as f64)),
        (Tag::Int, Tag::Ptr) => Some(Word::ptr(word.bits)),
        (Tag::Float, Tag::Int) => integral(word.as_float()).map(Word::int),
        (found, expected) if found == expected => Some(word),
        _ => None,
    }
}

/// Runs the code at `entry` and gives what is on top at its end, null if nothing is.
///
/// # Errors
/// If the evaluation is not relevant; variables and registers may then be half written, and the
/// caller restores them.
pub fn run<H: Host>(
    program: &Program<'_>,
    entry: u32,
    frame: &mut Frame<'_>,
    host: &mut H,
    budget: &mut u32,
) -> Result<Word, NotRelevant> {
    let mut vm = Vm {
        program,
        sp: program.locals as usize,
        base: 0,
        depth: 0,
        frame,
        host: &mut *host,
        budget,
    };
    let result = vm.run(entry);
    if let Err(why) = result {
        host.failed(why);
    }
    result
}

struct Vm<'v, 'f, H> {
    program: &'v Program<'v>,
    sp: usize,
    base: usize,
    depth: u32,
    frame: &'v mut Frame<'f>,
    host: &'v mut H,
    budget: &'v mut u32,
}

impl<H: Host> Vm<'_, '_, H> {
    fn push(&mut self, word: Word) -> Result<(), NotRelevant> {
        let word = match word.tag {
            Tag::Unset => Word::NULL,
            Tag::Str | Tag::List | Tag::Map if !self.host.fits(word) => {
                return Err(NotRelevant::Limit);
            }
            _ => word,
        };
        self.push_raw(word)
    }

    #[inline]
    fn push_raw(&mut self, word: Word) -> Result<(), NotRelevant> {
        *self.frame.stack.get_mut(self.sp).ok_or(NotRelevant::Limit)? = word;
        self.sp += 1;
        Ok(())
    }

    #[inline]
    fn pop(&mut self) -> Result<Word, NotRelevant> {
        self.sp = self.sp.checked_sub(1).ok_or(NotRelevant::Limit)?;
        self.frame.stack.get(self.sp).copied().ok_or(NotRelevant::Limit)
    }

    fn pop_bool(&mut self) -> Result<bool, NotRelevant> {
        let word = self.pop()?;
        if word.tag == Tag::Bool { Ok(word.bits != 0) } else { Err(NotRelevant::WrongKind) }
    }

    /// What a place that is declared for `kind` will hold.
    fn pop_kept(&mut self, kind: Kind) -> Result<Word, NotRelevant> {
        let word = coerce(self.pop()?, kind).ok_or(NotRelevant::WrongKind)?;
        if self.host.keeps(word) { Ok(word) } else { Err(NotRelevant::Memory) }
    }

    fn spend(&mut self) -> Result<(), NotRelevant> {
        *self.budget = self.budget.checked_sub(1).ok_or(NotRelevant::Limit)?;
        Ok(())
    }

    /// The top `count` words, which leave the stack.
    fn take(&mut self, count: usize) -> Result<core::ops::Range<usize>, NotRelevant> {
        let start = self.sp.checked_sub(count).ok_or(NotRelevant::Limit)?;
        let range = start..self.sp;
        self.sp = start;
        Ok(range)
    }

    fn run(&mut self, entry: u32) -> Result<Word, NotRelevant> {
        let bottom = self.sp;
        let mut pc = entry as usize;
        loop {
            let op = *self.program.code.get(pc).ok_or(NotRelevant::Limit)?;
            pc += 1;
            match op {
                Op::Constant(i) => self.push(self.frame.read(Place::Constant(i), self.program))?,
                Op::Param(i) => self.push(self.frame.read(Place::Param(i), self.program))?,
                Op::Var(i) => self.push(self.frame.read(Place::Var(i), self.program))?,
                Op::Register(i) => self.push(self.frame.read(Place::Register(i), self.program))?,
                Op::Arg(i) => self.push(self.frame.read(Place::Arg(i), self.program))?,
                Op::Local(i) => {
                    let at = self.base + i as usize;
                    self.push(self.frame.stack.get(at).copied().unwrap_or(Word::NULL))?;
                }
                Op::Window(i, aggregate) => {
                    let held = self.frame.read(Place::Var(i), self.program);
                    let word = self.host.window(held, aggregate).ok_or(NotRelevant::NoAnswer)?;
                    self.push_raw(word)?;
                }
                Op::Now => self.push(Word::int(self.host.now()))?,
                Op::SetVar(i, kind) => {
                    let word = self.pop_kept(kind)?;
                    self.frame.write(Place::Var(u32::from(i)), word);
                }
                Op::SetRegister(i, kind) => {
                    let word = self.pop_kept(kind)?;
                    self.frame.write(Place::Register(u32::from(i)), word);
                }
                Op::SetLocal(i) => {
                    let word = self.pop()?;
                    let at = self.base + i as usize;
                    *self.frame.stack.get_mut(at).ok_or(NotRelevant::Limit)? = word;
                }
                Op::Unary(op) => {
                    let word = self.pop()?;
                    self.push_raw(unary(op, word)?)?;
                }
                Op::Binary(op) => {
                    let right = self.pop()?;
                    let left = self.pop()?;
                    let word = binary(op, left, right, self.host)?;
                    self.push(word)?;
                }
                Op::Truth => {
                    let b = self.pop_bool()?;
                    self.push_raw(Word::bool(b))?;
                }
                Op::Jump(to) => pc = to as usize,
                Op::JumpIfFalse(to) => {
                    if !self.pop_bool()? {
                        pc = to as usize;
                    }
                }
                Op::JumpIfTrue(to) => {
                    if self.pop_bool()? {
                        pc = to as usize;
                    }
                }
                Op::Spend => self.spend()?,
                Op::Call(function, args) => {
                    self.spend()?;
                    pc = self.call(function as usize, args as usize, pc)?;
                }
                Op::Return => {
                    let word = self.pop()?;
                    pc = self.leave()?;
                    self.push_raw(word)?;
                }
                Op::Builtin(builtin, args) => {
                    let args = self.take(args as usize)?;
                    let args = self.frame.stack.get(args).ok_or(NotRelevant::Limit)?;
                    if let (Builtin::ToStr, [word]) = (builtin, args)
                        && let Some(answer) = self.shows(*word, pc)
                    {
                        self.push_raw(Word::bool(answer))?;
                        pc += 2;
                        continue;
                    }
                    let word =
                        call_builtin(builtin, args, self.host).ok_or(NotRelevant::NoAnswer)?;
                    self.push(word)?;
                }
                Op::List(items) => {
                    let items = self.take(items as usize)?;
                    let items = self.frame.stack.get(items).ok_or(NotRelevant::Limit)?;
                    let word = self.host.list(items).ok_or(NotRelevant::Limit)?;
                    self.push(word)?;
                }
                Op::Map(pairs) => {
                    let pairs = self.take(pairs as usize * 2)?;
                    let pairs = self.frame.stack.get(pairs).ok_or(NotRelevant::Limit)?;
                    let word = self.host.map(pairs).ok_or(NotRelevant::NoAnswer)?;
                    self.push(word)?;
                }
                Op::Pop(count) => {
                    self.take(count as usize)?;
                }
                Op::Squash(count) => {
                    let top = self.pop()?;
                    self.take(count as usize)?;
                    self.push_raw(top)?;
                }
                Op::Iterate => {
                    let word = self.pop()?;
                    if !word.is_heap() {
                        return Err(NotRelevant::WrongKind);
                    }
                    let list = self.host.walk(word).ok_or(NotRelevant::WrongKind)?;
                    self.push_raw(list)?;
                    self.push_raw(Word::int(0))?;
                }
                Op::Next(local) => {
                    let position = self.pop()?;
                    let list = self.pop()?;
                    if let Some(item) = self.host.element(list, position.bits as usize) {
                        self.spend()?;
                        self.push_raw(list)?;
                        self.push_raw(Word::int(position.as_int() + 1))?;
                        let at = self.base + local as usize;
                        *self.frame.stack.get_mut(at).ok_or(NotRelevant::Limit)? = item;
                        pc += 1;
                    }
                }
                Op::Send(event, args) => {
                    let args = self.take(args as usize)?;
                    let args = self.frame.stack.get(args).ok_or(NotRelevant::Limit)?;
                    self.host.output(Output::Send(event, args));
                }
                Op::Print => {
                    let word = self.pop()?;
                    self.host.output(Output::Print(word));
                }
                Op::Action(name, args) => {
                    let args = self.take(args as usize)?;
                    let args = self.frame.stack.get(args).ok_or(NotRelevant::Limit)?;
                    self.host.output(Output::Action(name, args));
                }
                Op::ResetClock(clock) => self.host.output(Output::ResetClock(clock)),
                Op::SetClock(clock) => {
                    let after = self.pop()?;
                    if after.tag != Tag::Int {
                        return Err(NotRelevant::WrongKind);
                    }
                    self.host.output(Output::SetClock(clock, after.as_int().max(0)));
                }
                Op::StopClock(clock) => self.host.output(Output::StopClock(clock)),
                Op::Halt => {
                    return if self.sp > bottom { self.pop() } else { Ok(Word::NULL) };
                }
            }
        }
    }

    /// If the code that follows compares the text of a value with a constant text: what comes of it. So no
    /// text is made that nobody keeps.
    fn shows(&self, word: Word, pc: usize) -> Option<bool> {
        let [Op::Constant(i), Op::Binary(op @ (Binary::Eq | Binary::Ne))] =
            *self.program.code.get(pc..pc + 2)?
        else {
            return None;
        };
        let text = self.frame.read(Place::Constant(i), self.program);
        let is_shown = self.host.shows(word, text)?;
        Some(is_shown == (op == Binary::Eq))
    }

    /// Lays out a call: arguments become the first locals, above them the way back.
    fn call(&mut self, function: usize, args: usize, back: usize) -> Result<usize, NotRelevant> {
        if self.depth == MAX_DEPTH {
            return Err(NotRelevant::Limit);
        }
        let row = *self.program.functions.get(function).ok_or(NotRelevant::Limit)?;
        let base = self.sp.checked_sub(args).ok_or(NotRelevant::Limit)?;
        let top = base + (row.locals as usize).max(args);
        let way =
            Word { bits: (back as u64) << 32 | self.base as u64, aux: top as u32, tag: Tag::Unset };
        self.frame.stack.get_mut(self.sp..top).ok_or(NotRelevant::Limit)?.fill(Word::UNSET);
        *self.frame.stack.get_mut(top).ok_or(NotRelevant::Limit)? = way;
        // The way back lies right above the locals; its position is found again through the
        // word below the new operands, so remember it there.
        let link = Word { bits: base as u64, aux: top as u32, tag: Tag::Unset };
        *self.frame.stack.get_mut(top + 1).ok_or(NotRelevant::Limit)? = link;
        self.base = base;
        self.sp = top + 2;
        self.depth += 1;
        Ok(row.entry as usize)
    }

    /// Undoes a call. At a return the operands of the function are gone, so that the link is on
    /// top.
    fn leave(&mut self) -> Result<usize, NotRelevant> {
        let link = self.pop()?;
        let way = *self.frame.stack.get(link.aux as usize).ok_or(NotRelevant::Limit)?;
        self.sp = link.bits as usize;
        self.base = (way.bits & 0xffff_ffff) as usize;
        self.depth -= 1;
        Ok((way.bits >> 32) as usize)
    }
}

fn unary(op: Unary, word: Word) -> Result<Word, NotRelevant> {
    match (op, word.tag) {
        (Unary::Not, Tag::Bool) => Ok(Word::bool(word.bits == 0)),
        (Unary::Neg, Tag::Int) => {
            word.as_int().checked_neg().map(Word::int).ok_or(NotRelevant::Overflow)
        }
        (Unary::Neg, Tag::Float) => Ok(Word::float(-word.as_float())),
        (Unary::BitNot, Tag::Int) => Ok(Word::int(!word.as_int())),
        _ => Err(NotRelevant::WrongKind),
    }
}

/// What an operation on two integers gives; `None` if it is not relevant.
#[inline]
pub fn of_integers(op: Binary, a: i64, b: i64) -> Option<Word> {
    Some(match op {
        Binary::Eq => Word::bool(a == b),
        Binary::Ne => Word::bool(a != b),
        Binary::Lt => Word::bool(a < b),
        Binary::Le => Word::bool(a <= b),
        Binary::Gt => Word::bool(a > b),
        Binary::Ge => Word::bool(a >= b),
        _ => Word::int(integers(op, a, b)?),
    })
}

fn binary<H: Host>(op: Binary, a: Word, b: Word, host: &mut H) -> Result<Word, NotRelevant> {
    if a.tag == Tag::Int && b.tag == Tag::Int {
        let result = of_integers(op, a.as_int(), b.as_int());
        return result.ok_or_else(|| without_result(op, a, b));
    }
    let holds: fn(Ordering) -> bool = match op {
        Binary::Eq => return Ok(Word::bool(same(a, b, host))),
        Binary::Ne => return Ok(Word::bool(!same(a, b, host))),
        Binary::Lt => Ordering::is_lt,
        Binary::Le => Ordering::is_le,
        Binary::Gt => Ordering::is_gt,
        Binary::Ge => Ordering::is_ge,
        Binary::Add if a.tag == Tag::Str || b.tag == Tag::Str => {
            return host.concat(a, b).ok_or(NotRelevant::Limit);
        }
        _ => return arithmetic(op, a, b),
    };
    let order = match (a.tag, b.tag) {
        (Tag::Int | Tag::Float, Tag::Int | Tag::Float) | (Tag::Ptr, Tag::Ptr) => a.order(b),
        (Tag::Str, Tag::Str) => Some(host.order(a, b)),
        _ => return Err(NotRelevant::WrongKind),
    };
    // Only a NaN has no order among comparable values, and no comparison with it holds.
    Ok(Word::bool(order.is_some_and(holds)))
}

fn arithmetic(op: Binary, a: Word, b: Word) -> Result<Word, NotRelevant> {
    match (a.number(), b.number()) {
        (Some(x), Some(y)) => {
            floats(op, x, y).map(Word::float).ok_or_else(|| without_result(op, a, b))
        }
        _ => Err(NotRelevant::WrongKind),
    }
}

/// Why two numbers have no result.
#[cold]
fn without_result(op: Binary, a: Word, b: Word) -> NotRelevant {
    let divides = matches!(op, Binary::Div | Binary::Rem | Binary::FloorDiv | Binary::FloorRem);
    match op {
        _ if divides && b.number() == Some(0.0) => NotRelevant::DivisionByZero,
        // Floats have no bits to work on.
        _ if a.tag != Tag::Int || b.tag != Tag::Int => NotRelevant::WrongKind,
        _ => NotRelevant::Overflow,
    }
}

#[inline]
fn integers(op: Binary, a: i64, b: i64) -> Option<i64> {
    let shift = || u32::try_from(b).ok().filter(|b| *b < 64);
    match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div(b),
        // The rest is 0 where the quotient is too large.
        Binary::Rem if b != 0 => Some(a.wrapping_rem(b)),
        Binary::FloorDiv => {
            let quotient = a.checked_div(b)?;
            Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
        }
        Binary::FloorRem => {
            let rest = (b != 0).then(|| a.wrapping_rem(b))?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::Shl => Some(a << shift()?),
        Binary::Shr => Some(a >> shift()?),
        _ => None,
    }
}

fn floats(op: Binary, a: f64, b: f64) -> Option<f64> {
    let divides = matches!(op, Binary::Div | Binary::Rem | Binary::FloorDiv | Binary::FloorRem);
    if divides && b == 0.0 {
        return None;
    }
    match op {
        Binary::Add => Some(a + b),
        Binary::Sub => Some(a - b),
        Binary::Mul => Some(a * b),
        Binary::Div => Some(a / b),
        Binary::Rem => Some(a % b),
        Binary::FloorDiv => Some(floor(a / b)),
        Binary::FloorRem => Some(a - b * floor(a / b)),
        _ => None,
    }
}

/// `f64::floor` is not in `core`.
fn floor(f: f64) -> f64 {
    const EXACT: f64 = 4_503_599_627_370_496.0; // 2^52: from here on every float is integral
    // Not the negation of a comparison with NaN: NaN and large floats are their own floor.
    if !(-EXACT..EXACT).contains(&f) {
        return f;
    }
    let whole = (f as i64) as f64;
    if whole == f {
        f // keeps −0.0
    } else if whole > f {
        whole - 1.0
    } else {
        whole
    }
}

/// `f64::abs` without `std`: clears the sign.
fn abs(f: f64) -> f64 {
    f64::from_bits(f.to_bits() & !(1 << 63))
}

fn call_builtin<H: Host>(builtin: Builtin, args: &[Word], host: &mut H) -> Option<Word> {
    match (builtin, args) {
        (Builtin::Abs, [w]) => match w.tag {
            Tag::Int => w.as_int().checked_abs().map(Word::int),
            Tag::Float => Some(Word::float(abs(w.as_float()))),
            _ => None,
        },
        (Builtin::Min | Builtin::Max, [a, b]) => {
            (a.number().is_some() && b.number().is_some()).then_some(())?;
            let order = a.order(*b)?;
            let first = if builtin == Builtin::Min { order.is_le() } else { order.is_ge() };
            Some(if first { *a } else { *b })
        }
        (Builtin::ToInt, [w]) => match w.tag {
            Tag::Int => Some(*w),
            Tag::Bool | Tag::Ptr => Some(Word::int(w.bits as i64)),
            Tag::Float => {
                let f = w.as_float();
                const LIMIT: f64 = 9_223_372_036_854_775_808.0;
                (-LIMIT..LIMIT).contains(&f).then_some(Word::int(f as i64))
            }
            _ => host.builtin(builtin, args),
        },
        (Builtin::ToFloat, [w]) => match w.number() {
            Some(f) => Some(Word::float(f)),
            None => host.builtin(builtin, args),
        },
        (Builtin::Wrap32, [w]) => {
            (w.tag == Tag::Int).then(|| Word::int(i64::from(w.as_int() as i32)))
        }
        _ => host.builtin(builtin, args),
    }
}
