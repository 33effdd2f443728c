//! Break- and watchpoints of the person and of scenarios, by number.

use watchword_debug::expr::{self, Expr};
use watchword_debug::{
    Access, Error, ErrorKind, FunctionName, Owner, PointId, Result, ThreadId, WatchMethod, When,
};

use super::Session;
use crate::watching::{Chain, Manner};

/// A break- or watchpoint with a number.
#[derive(Debug)]
pub struct UserPoint {
    /// What it waits for.
    pub kind: PointKind,
    /// As it was asked for.
    pub text: String,
    /// Whether it goes away when it was hit.
    pub once: bool,
    /// Whether it is on.
    pub enabled: bool,
    /// It stops the program only if this holds.
    pub condition: Option<String>,
    /// So many hits are to be passed by.
    pub ignore: u64,
    /// How often it was hit.
    pub hits: u64,
    /// Which of its hits count; without, all do.
    pub counted: Option<Hits>,
    /// Instead of stopping, this is shown; `{expression}` stands for a value.
    pub log: Option<String>,
    /// A scenario's, not the person's.
    pub of_scenario: bool,
    pub(super) points: Vec<PointId>,
    /// The addresses in the code, or of the object.
    pub addresses: Vec<u64>,
    pub(super) chain: Option<Chain>,
    /// A watched local variable ends with its frame: where that is seen, and the frame.
    pub(super) frame_end: Option<(PointId, ThreadId, u64)>,
}

/// Which hits of a point count, by their number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hits {
    /// This one and all that follow.
    From(u64),
    /// Only this one.
    Only(u64),
    /// Those before it.
    Before(u64),
    /// Every so many.
    Every(u64),
}

impl Hits {
    /// As editors write it: `5` and `>= 5`, `> 5`, `== 5`, `< 5`, `<= 5`, `% 5`. `None` if it is
    /// nothing of that.
    pub fn parse(text: &str) -> Option<Hits> {
        let text = text.trim();
        let at = text.find(|c: char| c.is_ascii_digit())?;
        let number: u64 = text[at..].parse().ok()?;
        Some(match text[..at].trim() {
            "" | ">=" => Hits::From(number),
            ">" => Hits::From(number.checked_add(1)?),
            "=" | "==" => Hits::Only(number),
            "<" => Hits::Before(number),
            "<=" => Hits::Before(number.checked_add(1)?),
            "%" if number > 0 => Hits::Every(number),
            _ => return None,
        })
    }

    /// Whether the hit with this number counts.
    pub fn count(self, number: u64) -> bool {
        match self {
            Hits::From(first) => number >= first,
            Hits::Only(only) => number == only,
            Hits::Before(end) => number < end,
            Hits::Every(step) => number.is_multiple_of(step),
        }
    }
}

/// What a point waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// The program arrives somewhere.
    Break,
    /// An object is accessed.
    Watch(Access),
}

impl Session {
    /// The points, by number.
    pub fn points(&self) -> impl Iterator<Item = (i64, &UserPoint)> {
        self.points.iter().map(|(n, p)| (*n, p))
    }

    /// The function that a program in C, C++, Rust or Go begins with, as its author sees it; a program
    /// without symbols has none that could be found.
    pub fn main_function(&mut self) -> Option<&'static str> {
        let is_there = |name: &&str| self.locate(name).is_ok_and(|all| !all.is_empty());
        ["main", "main.main"].into_iter().find(is_there)
    }

    /// Where a place in the source is in the code: a function, `file:line`, a line of the current
    /// file, `*address`. Functions are stopped at when their frame is set up.
    pub fn locate(&mut self, place: &str) -> Result<Vec<u64>> {
        if !self.is_alive() {
            return Err(super::not_run());
        }
        let process = self.program.process();
        let place = place.trim();
        if let Some(address) = place.strip_prefix('*') {
            let value = match self.thread() {
                Ok(thread) => self.program.debugger.eval(thread, self.frame, address)?,
                Err(e) => return Err(e),
            };
            let is_code = matches!(value.ty.kind, watchword_debug::info::Kind::Function);
            return Ok(vec![match value.address().filter(|_| is_code) {
                Some(entry) => entry,
                None => value.as_u64()?,
            }]);
        }
        let line_of = |text: &str| text.parse::<u32>().ok();
        if let Some((file, line)) = place.rsplit_once(':')
            && let Some(line) = line_of(line)
            && !file.ends_with(':')
        {
            return self.lines(file, line);
        }
        if let Some(line) = line_of(place) {
            let file = self.current_file()?;
            return self.lines(&file, line);
        }
        let mut found = Vec::new();
        for module in self.program.debugger.modules(process).to_vec() {
            let name = FunctionName::Loosely(place);
            for target in self.program.debugger.functions_in(process, &module, name) {
                found.extend(self.program.debugger.prologue_ends(process, &target));
                if found.is_empty() && target.function.inlined > 0 {
                    return Err(Error::new(
                        ErrorKind::NotFound,
                        format!("`{place}` exists only inlined; break at a line of it"),
                    ));
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        if found.is_empty() {
            let close = self.program.debugger.similar_functions(process, place);
            let hint = match close.is_empty() {
                true => String::new(),
                false => format!("; there is `{}`", close.join("`, `")),
            };
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("no function named `{place}`{hint}"),
            ));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn lines(&mut self, file: &str, line: u32) -> Result<Vec<u64>> {
        let process = self.program.process();
        // Code that belongs to no line has line 0 in the tables of compilers.
        if line == 0 {
            return Err(Error::new(ErrorKind::Expression, "lines are counted from 1"));
        }
        let found = self.program.debugger.addresses_of_line(process, file, line);
        if found.is_empty() {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no code at line {line} of {file}"),
            ));
        }
        Ok(found.into_iter().map(|(a, _)| a).collect())
    }

    /// The source file the person looks at.
    pub fn current_file(&mut self) -> Result<String> {
        let process = self.program.process();
        if let Ok(thread) = self.thread() {
            let frames = self.program.debugger.backtrace(thread, self.frame + 1)?;
            if let Some(line) = frames.get(self.frame).and_then(|f| f.line.clone()) {
                return Ok(line.file);
            }
        }
        // Before the program has begun: where its `main` is.
        let main = self.program.debugger.functions(process, "main");
        let entry = main.first().and_then(|t| t.entries().first().copied());
        let line = entry.and_then(|e| self.program.debugger.line_at(process, e));
        line.map(|l| l.file)
            .ok_or_else(|| Error::new(ErrorKind::NotFound, "the current place has no source file"))
    }

    /// Sets a breakpoint. A function that is not there yet may come with a library; the answer
    /// says whether it is there.
    pub fn set_break(
        &mut self,
        place: &str,
        condition: Option<&str>,
        once: bool,
        of_scenario: bool,
    ) -> Result<i64> {
        if let Some(condition) = condition {
            expr::parse_statement(condition)?;
        }
        let place = match place.trim() {
            "" => format!("*{:#x}", {
                let thread = self.thread()?;
                self.program.debugger.tracer_mut().registers(thread)?.pc()
            }),
            other => other.to_string(),
        };
        let mut point = UserPoint {
            kind: PointKind::Break,
            text: place,
            once,
            enabled: true,
            condition: condition.map(str::to_string),
            ignore: 0,
            hits: 0,
            counted: None,
            log: None,
            of_scenario,
            points: Vec::new(),
            addresses: Vec::new(),
            chain: None,
            frame_end: None,
        };
        match self.arm_point(&mut point) {
            // Before its libraries are loaded, much of a program is missing.
            Err(e) if e.kind() == ErrorKind::NotFound && !self.program.has_started() => {}
            other => other?,
        }
        Ok(self.add_point(point))
    }

    fn add_point(&mut self, point: UserPoint) -> i64 {
        let number = self.next_point;
        self.next_point += 1;
        self.points.insert(number, point);
        number
    }

    fn owner_of(point: &UserPoint) -> Owner {
        if point.of_scenario { Owner::Scenario(1) } else { Owner::Person }
    }

    fn arm_point(&mut self, point: &mut UserPoint) -> Result<()> {
        let process = self.program.process();
        if point.kind != PointKind::Break || !point.points.is_empty() {
            return Ok(());
        }
        point.addresses = self.locate(&point.text.clone())?;
        for address in &point.addresses {
            let owner = Session::owner_of(point);
            let tracer = self.program.debugger.tracer_mut();
            point.points.push(tracer.arm(process, *address, When::Before, owner)?);
        }
        Ok(())
    }

    /// Sets a watchpoint on what an expression names now.
    pub fn set_watch(&mut self, text: &str, access: Access, of_scenario: bool) -> Result<i64> {
        let thread = self.thread()?;
        let e = expr::parse(text)?;
        let owner = if of_scenario { Owner::Scenario(1) } else { Owner::Person };
        let manner = Manner { access, method: WatchMethod::Any, owner };
        let chain = Chain::new(&mut self.program.debugger, thread, self.frame, &e, manner)?;
        let frame_end = self.frame_end(thread, &e, owner)?;
        let point = UserPoint {
            kind: PointKind::Watch(access),
            text: text.to_string(),
            once: false,
            enabled: true,
            condition: None,
            ignore: 0,
            hits: 0,
            counted: None,
            log: None,
            of_scenario,
            points: Vec::new(),
            addresses: chain.addresses(),
            chain: Some(chain),
            frame_end,
        };
        Ok(self.add_point(point))
    }

    /// If the expression is about the frame's own variables: where that frame ends.
    fn frame_end(
        &mut self,
        thread: ThreadId,
        e: &Expr,
        owner: Owner,
    ) -> Result<Option<(PointId, ThreadId, u64)>> {
        let process = self.program.process();
        let frames = self.program.debugger.backtrace(thread, self.frame + 2)?;
        let (Some(frame), Some(caller)) = (frames.get(self.frame), frames.get(self.frame + 1))
        else {
            return Ok(None);
        };
        // Functions that call nothing may keep variables below the stack pointer.
        const RED_ZONE: u64 = 128;
        let sp = frame.registers.sp().wrapping_sub(RED_ZONE);
        let mut names = Vec::new();
        crate::watching::collect_names(e, &mut names);
        let mut is_local = false;
        for name in names {
            let value = self.program.debugger.evaluate(thread, self.frame, &Expr::Name(name))?;
            is_local |= value.address().is_some_and(|a| (sp..frame.cfa).contains(&a));
        }
        if !is_local {
            return Ok(None);
        }
        let tracer = self.program.debugger.tracer_mut();
        let point = tracer.arm(process, caller.pc, When::Before, owner)?;
        Ok(Some((point, thread, frame.cfa)))
    }

    /// Removes a point.
    pub fn remove_point(&mut self, number: i64) -> Result<()> {
        let Some(mut point) = self.points.remove(&number) else {
            return Err(no_point(number));
        };
        self.disarm_point(&mut point)
    }

    fn disarm_point(&mut self, point: &mut UserPoint) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        let process = self.program.process();
        for id in point.points.drain(..) {
            // Points in a library that was unloaded are gone already.
            let _ = self.program.debugger.tracer_mut().disarm(process, id);
        }
        if let Some((id, ..)) = point.frame_end.take() {
            let _ = self.program.debugger.tracer_mut().disarm(process, id);
        }
        if let Some(chain) = &mut point.chain {
            chain.disarm(&mut self.program.debugger, process)?;
        }
        Ok(())
    }

    /// Turns a point on or off.
    pub fn enable_point(&mut self, number: i64, on: bool) -> Result<()> {
        let point = self.points.get_mut(&number).ok_or_else(|| no_point(number))?;
        point.enabled = on;
        Ok(())
    }

    /// Lets the next hits of a point pass.
    pub fn ignore_point(&mut self, number: i64, hits: u64) -> Result<()> {
        let point = self.points.get_mut(&number).ok_or_else(|| no_point(number))?;
        point.ignore = hits;
        Ok(())
    }

    /// Gives a point a condition, or takes it away.
    pub fn set_condition(&mut self, number: i64, condition: Option<&str>) -> Result<()> {
        if let Some(condition) = condition {
            expr::parse_statement(condition)?;
        }
        let point = self.points.get_mut(&number).ok_or_else(|| no_point(number))?;
        point.condition = condition.map(str::to_string);
        Ok(())
    }

    /// Says which hits of a point count.
    pub fn count_hits_of(&mut self, number: i64, counted: Option<Hits>) -> Result<()> {
        let point = self.points.get_mut(&number).ok_or_else(|| no_point(number))?;
        point.counted = counted;
        Ok(())
    }

    /// Makes a point show a text instead of stopping the program, or stop it again.
    pub fn set_log(&mut self, number: i64, log: Option<String>) -> Result<()> {
        let point = self.points.get_mut(&number).ok_or_else(|| no_point(number))?;
        point.log = log;
        Ok(())
    }

    /// A text with values in place of `{expression}`; `{{` and `}}` are braces.
    pub(super) fn filled_in(&mut self, text: &str, thread: ThreadId) -> String {
        let process = self.program.process();
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let brace = &rest[at..at + 1];
            let after = &rest[at + 1..];
            if after.starts_with(brace) || brace == "}" {
                out.push_str(brace);
                rest = after.strip_prefix(brace).unwrap_or(after);
                continue;
            }
            let Some(end) = after.find('}') else {
                out.push_str(&rest[at..]);
                return out;
            };
            let debugger = &mut self.program.debugger;
            match debugger.eval(thread, 0, &after[..end]) {
                Ok(value) => out.push_str(&debugger.show(process, &value)),
                Err(e) => out.push_str(&format!("<{e}>")),
            }
            rest = &after[end + 1..];
        }
        out.push_str(rest);
        out
    }

    /// Arms breakpoints that are not armed: in a new process, or in libraries that came.
    pub(super) fn rearm_points(&mut self) -> Result<()> {
        let numbers: Vec<i64> = self.points.keys().copied().collect();
        let process = self.program.process();
        for number in numbers {
            let Some(mut point) = self.points.remove(&number) else { continue };
            let tracer = self.program.debugger.tracer();
            point.points.retain(|p| tracer.point_address(process, *p).is_some());
            match point.kind {
                PointKind::Break => {
                    // What is not found now may be found when a library comes.
                    let _ = self.arm_point(&mut point);
                    self.points.insert(number, point);
                }
                // Objects of the process before are gone.
                PointKind::Watch(_) if tracer.threads(process).is_empty() => {}
                PointKind::Watch(_) => {
                    self.points.insert(number, point);
                }
            }
        }
        Ok(())
    }

    /// The process is gone, or is another program: watchpoints are gone with it, and breakpoints have
    /// to be armed anew.
    pub(super) fn forget_armed(&mut self) {
        self.remote = super::remote::Points::default();
        self.points.retain(|_, p| p.kind == PointKind::Break);
        // A new tracer may give their numbers to others.
        self.points.values_mut().for_each(|p| p.points.clear());
    }

    /// The number of the point an event belongs to.
    pub(super) fn number_of(&self, id: PointId) -> Option<i64> {
        let has = |p: &UserPoint| {
            p.points.contains(&id) || p.chain.as_ref().is_some_and(|c| c.role(id).is_some())
        };
        self.points.iter().find(|(_, p)| has(p)).map(|(n, _)| *n)
    }
}

pub(super) fn no_point(number: i64) -> Error {
    Error::new(ErrorKind::NotFound, format!("there is no breakpoint number {number}"))
}

#[cfg(test)]
mod tests {
    use super::Hits;

    #[test]
    fn hits_are_read_as_editors_write_them() {
        let counted = |text: &str| {
            let hits = Hits::parse(text).unwrap();
            (1..=6).filter(|n| hits.count(*n)).collect::<Vec<u64>>()
        };
        assert_eq!(counted("3"), [3, 4, 5, 6]);
        assert_eq!(counted(">= 3"), [3, 4, 5, 6]);
        assert_eq!(counted(">3"), [4, 5, 6]);
        assert_eq!(counted("== 3"), [3]);
        assert_eq!(counted("<= 2"), [1, 2]);
        assert_eq!(counted("% 2"), [2, 4, 6]);
        for wrong in ["", "x", "% 0", "3 x", "!= 3", "> 18446744073709551615"] {
            assert_eq!(Hits::parse(wrong), None, "{wrong}");
        }
    }
}
