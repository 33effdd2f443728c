//! Lines of the prompt as requests.

use watchword_debug::Access;
use watchword_native::session::{Back, Go, Locking};

use crate::error::{Context, bail};
use crate::request::Request;

/// What a line asks for: the part behind the name of the command is given.
pub(super) type Parse = fn(&str) -> crate::Result<Request>;

fn times(text: &str) -> crate::Result<u32> {
    match text {
        "" => Ok(1),
        n => n.parse().with_context(|| format!("`{n}` is no number of times")),
    }
}

fn number<N: std::str::FromStr>(text: &str, what: &str) -> crate::Result<N> {
    text.parse().ok().with_context(|| format!("`{text}` is no number of {what}"))
}

/// Numbers of points; none means all.
fn numbers(text: &str) -> crate::Result<Vec<i64>> {
    let text = text.strip_prefix("breakpoints").unwrap_or(text);
    text.split_whitespace().map(|n| number(n, "a breakpoint")).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_string()).filter(|t| !t.is_empty())
}

// ---- going on ----------------------------------------------------------------------------

pub(super) fn run(rest: &str) -> crate::Result<Request> {
    match rest {
        "" => Ok(Request::Run),
        _ => bail!("`set args` gives the program other arguments than those behind `--`"),
    }
}

pub(super) fn start(_: &str) -> crate::Result<Request> {
    Ok(Request::Start)
}

pub(super) fn proceed(rest: &str) -> crate::Result<Request> {
    if let Some(threads) = rest.strip_prefix("thread") {
        let words = threads.split([' ', ',']).filter(|w| !w.is_empty());
        let threads: Vec<u32> = words.map(|w| number(w, "a thread")).collect::<Result<_, _>>()?;
        if threads.is_empty() {
            bail!("continue thread N…");
        }
        return Ok(Request::ContinueThreads { threads });
    }
    Ok(match times(rest)? {
        1 => Request::Continue,
        hit => Request::ContinuePast { hit },
    })
}

fn go(rest: &str, how: Go) -> crate::Result<Request> {
    Ok(Request::Go { how, times: times(rest)? })
}

pub(super) fn step(rest: &str) -> crate::Result<Request> {
    go(rest, Go::Step)
}

pub(super) fn next(rest: &str) -> crate::Result<Request> {
    go(rest, Go::Next)
}

pub(super) fn stepi(rest: &str) -> crate::Result<Request> {
    go(rest, Go::StepInstruction)
}

pub(super) fn nexti(rest: &str) -> crate::Result<Request> {
    go(rest, Go::NextInstruction)
}

pub(super) fn finish(_: &str) -> crate::Result<Request> {
    Ok(Request::Finish)
}

pub(super) fn until(rest: &str) -> crate::Result<Request> {
    match rest {
        "" => go("", Go::Until),
        place => advance(place),
    }
}

pub(super) fn advance(rest: &str) -> crate::Result<Request> {
    match rest {
        "" => bail!("advance to where? A function, FILE:LINE or LINE"),
        place => go("", Go::Advance(place.to_string())),
    }
}

fn back(rest: &str, how: Back) -> crate::Result<Request> {
    Ok(Request::GoBack { how, times: times(rest)? })
}

pub(super) fn reverse_step(rest: &str) -> crate::Result<Request> {
    back(rest, Back::Step)
}

pub(super) fn reverse_next(rest: &str) -> crate::Result<Request> {
    back(rest, Back::Next)
}

pub(super) fn reverse_stepi(rest: &str) -> crate::Result<Request> {
    back(rest, Back::StepInstruction)
}

pub(super) fn reverse_nexti(rest: &str) -> crate::Result<Request> {
    back(rest, Back::NextInstruction)
}

pub(super) fn reverse_finish(rest: &str) -> crate::Result<Request> {
    back(rest, Back::Finish)
}

pub(super) fn reverse_continue(_: &str) -> crate::Result<Request> {
    Ok(Request::Restore { number: None })
}

pub(super) fn kill(_: &str) -> crate::Result<Request> {
    Ok(Request::Kill)
}

pub(super) fn detach(_: &str) -> crate::Result<Request> {
    Ok(Request::Detach)
}

// ---- points ------------------------------------------------------------------------------

fn stop_at(rest: &str, once: bool) -> crate::Result<Request> {
    let (place, condition) = match rest.split_once(" if ") {
        Some((place, condition)) => (place, some(condition.trim())),
        None => match rest.strip_prefix("if ") {
            Some(condition) => ("", some(condition.trim())),
            None => (rest, None),
        },
    };
    Ok(Request::Break { place: place.trim().to_string(), condition, once })
}

pub(super) fn set_break(rest: &str) -> crate::Result<Request> {
    stop_at(rest, false)
}

pub(super) fn set_tbreak(rest: &str) -> crate::Result<Request> {
    stop_at(rest, true)
}

fn watched(rest: &str, access: Access) -> crate::Result<Request> {
    match rest {
        "" => bail!("watch what? An expression such as q->count"),
        rest => Ok(Request::Watch { expression: rest.to_string(), access }),
    }
}

pub(super) fn watch(rest: &str) -> crate::Result<Request> {
    watched(rest, Access::Write)
}

pub(super) fn rwatch(rest: &str) -> crate::Result<Request> {
    watched(rest, Access::Read)
}

pub(super) fn awatch(rest: &str) -> crate::Result<Request> {
    watched(rest, Access::ReadWrite)
}

pub(super) fn delete(rest: &str) -> crate::Result<Request> {
    if let Some(number) = rest.strip_prefix("display") {
        return Ok(Request::Command(format!("undisplay {}", number.trim())));
    }
    match rest.strip_prefix("checkpoint") {
        Some(rest) => delete_checkpoint(rest.trim()),
        None => Ok(Request::Delete { numbers: numbers(rest)? }),
    }
}

pub(super) fn disable(rest: &str) -> crate::Result<Request> {
    match rest.strip_prefix("display") {
        Some(rest) => Ok(Request::Command(format!("undisplay {rest}"))),
        None => Ok(Request::Enable { numbers: numbers(rest)?, on: false }),
    }
}

pub(super) fn enable(rest: &str) -> crate::Result<Request> {
    Ok(Request::Enable { numbers: numbers(rest)?, on: true })
}

pub(super) fn condition(rest: &str) -> crate::Result<Request> {
    let (point, condition) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = point.parse().context("condition N [EXPRESSION]")?;
    Ok(Request::Condition { number, condition: some(condition.trim()) })
}

pub(super) fn ignore(rest: &str) -> crate::Result<Request> {
    const USAGE: &str = "ignore N COUNT";
    let (number, hits) = rest.split_once(' ').context(USAGE)?;
    let (number, hits) = (number.parse().context(USAGE)?, hits.trim().parse().context(USAGE)?);
    Ok(Request::Ignore { number, hits })
}

// ---- looking -----------------------------------------------------------------------------

pub(super) fn backtrace(rest: &str) -> crate::Result<Request> {
    Ok(match rest {
        "" => Request::Frames { limit: None },
        rest if rest.starts_with('-') => Request::Command(format!("info outermost {}", &rest[1..])),
        rest if rest.starts_with("full") => Request::Command(format!("info stack {rest}")),
        n => Request::Frames { limit: Some(number(n, "frames")?) },
    })
}

pub(super) fn print(rest: &str) -> crate::Result<Request> {
    let (format, expression) = super::examine::format(rest)?;
    if expression.is_empty() {
        bail!("print what? An expression such as q->count");
    }
    Ok(Request::Evaluate { expression: expression.to_string(), format: format.letter })
}

pub(super) fn disassemble(rest: &str) -> crate::Result<Request> {
    Ok(Request::Disassemble { place: some(rest) })
}

// ---- checkpoints, properties, scenarios --------------------------------------------------

pub(super) fn checkpoint(rest: &str) -> crate::Result<Request> {
    Ok(Request::Checkpoint { label: some(rest) })
}

pub(super) fn restart(rest: &str) -> crate::Result<Request> {
    let number = match rest {
        "" => None,
        n => Some(number(n, "a checkpoint")?),
    };
    Ok(Request::Restore { number })
}

pub(super) fn delete_checkpoint(rest: &str) -> crate::Result<Request> {
    Ok(Request::DropCheckpoint { number: number(rest, "a checkpoint")? })
}

pub(super) fn monitors(_: &str) -> crate::Result<Request> {
    Ok(Request::Monitors)
}

pub(super) fn slices(rest: &str) -> crate::Result<Request> {
    Ok(Request::Slices { property: some(rest) })
}

pub(super) fn violations(_: &str) -> crate::Result<Request> {
    Ok(Request::Verdicts)
}

pub(super) fn load_property(rest: &str) -> crate::Result<Request> {
    let mut words = rest.split_whitespace().map(str::to_string);
    let file = words.next().context("load-property FILE [FUNCTIONS]")?;
    Ok(Request::LoadProperty { file, functions: words.next() })
}

pub(super) fn unload(rest: &str) -> crate::Result<Request> {
    let monitor = rest.parse().ok().with_context(|| {
        format!("`{rest}` is no number of a property file; `monitors` lists them")
    })?;
    Ok(Request::Unload { monitor })
}

pub(super) fn load_scenario(rest: &str) -> crate::Result<Request> {
    Ok(Request::LoadScenario { file: some(rest).context("load-scenario FILE")? })
}

pub(super) fn unload_scenario(_: &str) -> crate::Result<Request> {
    Ok(Request::UnloadScenario)
}

/// `set scheduler-locking`.
pub(super) fn locking(rest: &str) -> crate::Result<Request> {
    let locking = Locking::named(rest).context("set scheduler-locking off|step|on")?;
    Ok(Request::Lock { locking })
}

#[cfg(test)]
mod tests {
    use super::super::commands;
    use super::*;

    fn read(line: &str) -> Result<Request, String> {
        commands::parse(line).map_err(|e| e.to_string())
    }

    #[test]
    fn lines_are_requests() {
        let text = |t: &str| t.to_string();
        for (line, request) in [
            ("c", Request::Continue),
            ("continue 3", Request::ContinuePast { hit: 3 }),
            ("cont thread 1,2 3", Request::ContinueThreads { threads: vec![1, 2, 3] }),
            ("n 4", Request::Go { how: Go::Next, times: 4 }),
            ("until f", Request::Go { how: Go::Advance(text("f")), times: 1 }),
            ("rs", Request::GoBack { how: Back::Step, times: 1 }),
            ("rc", Request::Restore { number: None }),
            (
                "b f if n > 2",
                Request::Break { place: text("f"), condition: Some(text("n > 2")), once: false },
            ),
            ("tb", Request::Break { place: text(""), condition: None, once: true }),
            ("awatch p->x", Request::Watch { expression: text("p->x"), access: Access::ReadWrite }),
            ("d 1 2", Request::Delete { numbers: vec![1, 2] }),
            ("delete checkpoint 2", Request::DropCheckpoint { number: 2 }),
            ("dis", Request::Enable { numbers: vec![], on: false }),
            ("condition 1", Request::Condition { number: 1, condition: None }),
            ("p/x a + 1", Request::Evaluate { expression: text("a + 1"), format: Some('x') }),
            ("bt 3", Request::Frames { limit: Some(3) }),
            ("verde load-property a.ww", Request::Command(text("verde load-property a.ww"))),
            ("i line 3", Request::Command(text("i line 3"))),
            ("unload 2", Request::Unload { monitor: 2 }),
            ("echo c", Request::Command(text("echo c"))),
        ] {
            assert_eq!(read(line), Ok(request), "{line}");
        }
        for wrong in [
            "next x",
            "continue thread",
            "ignore 1",
            "condition x",
            "watch",
            "print",
            "run 3",
            "restart one",
            "unload x",
            "no-such-command",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
