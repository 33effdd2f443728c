//! The table of requests.

use super::{Adapter, Answer, memory, points, running, stack, start, values, watched};
use crate::protocol::message::Request;

type Serve = fn(&mut Adapter, &Request) -> Answer;

const REQUESTS: &[(&str, Serve)] = &[
    ("initialize", start::initialize),
    ("launch", start::launch),
    ("attach", start::attach),
    ("configurationDone", start::configured),
    ("disconnect", start::disconnect),
    ("terminate", start::terminate),
    ("setBreakpoints", points::in_source),
    ("setFunctionBreakpoints", points::at_functions),
    ("setInstructionBreakpoints", points::at_instructions),
    ("setExceptionBreakpoints", points::at_exceptions),
    ("dataBreakpointInfo", points::about_data),
    ("setDataBreakpoints", points::at_data),
    ("continue", running::proceed),
    ("next", running::next),
    ("stepIn", running::step_in),
    ("stepOut", running::step_out),
    ("stepBack", running::step_back),
    ("reverseContinue", running::reverse),
    ("pause", running::pause),
    ("threads", stack::threads),
    ("stackTrace", stack::frames),
    ("scopes", stack::scopes),
    ("modules", stack::modules),
    ("exceptionInfo", stack::exception),
    ("variables", values::variables),
    ("setVariable", values::set_variable),
    ("setExpression", values::set_expression),
    ("evaluate", values::evaluate),
    ("completions", values::completions),
    ("readMemory", memory::read),
    ("writeMemory", memory::write),
    ("disassemble", memory::disassemble),
    ("watchword/monitors", watched::monitors),
    ("watchword/checkpoints", watched::checkpoints),
    ("watchword/checkpoint", watched::checkpoint),
    ("watchword/restore", watched::restore),
];

/// Who serves a request.
pub(super) fn find(command: &str) -> Option<Serve> {
    REQUESTS.iter().find(|(name, _)| *name == command).map(|(_, serve)| *serve)
}
