//! The beginning and the end of a session.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use serde_json::json;
use watchword_native::session::{Go, Origin, Surroundings};
use watchword_native::{Session, signals};

use super::client::EditorClient;
use super::output::Outlet;
use super::points::Points;
use super::running::Standing;
use super::{Adapter, Answer, Debuggee, words};
use crate::protocol::message::Request;

/// What we can do.
pub(super) fn initialize(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.first_line = i64::from(request.flag("linesStartAt1").unwrap_or(true));
    Ok(json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsExceptionInfoRequest": true,
        "supportsExceptionFilterOptions": false,
        "exceptionBreakpointFilters": [
            {
                "filter": "violation",
                "label": "Violations of properties",
                "description": "Stop where a property is violated",
                "default": true,
            },
            { "filter": "throw", "label": "C++: on throw", "default": false },
            { "filter": "catch", "label": "C++: on catch", "default": false },
        ],
        "supportTerminateDebuggee": true,
        "supportsTerminateRequest": true,
        "supportsCompletionsRequest": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsModulesRequest": true,
        "supportsDelayedStackTraceLoading": true,
    }))
}

pub(super) fn launch(adapter: &mut Adapter, request: &Request) -> Answer {
    begin(adapter, request, false)
}

pub(super) fn attach(adapter: &mut Adapter, request: &Request) -> Answer {
    begin(adapter, request, true)
}

fn begin(adapter: &mut Adapter, request: &Request, joins: bool) -> Answer {
    if adapter.debuggee.is_some() {
        return Err("there is a program already".to_string());
    }
    let mut configuration = adapter.host.defaults();
    configuration.take(request)?;
    let origin = match (joins, configuration.process) {
        (true, Some(pid)) => Origin::Process(pid),
        (true, None) => return Err("which process? `pid` names it".to_string()),
        (false, _) => Origin::Command(
            configuration.command().ok_or("which program? `program` names it".to_string())?,
        ),
    };
    let mut surroundings = Surroundings {
        directory: configuration.cwd.clone(),
        environment: configuration.env.clone(),
        ..Surroundings::default()
    };
    let mut outlets = Vec::new();
    if !joins {
        for (i, category) in [(1, "stdout"), (2, "stderr")] {
            let (outlet, theirs) = Outlet::open(category, adapter.writer.clone()).map_err(words)?;
            outlets.push(outlet);
            surroundings.streams[i] = Some(Arc::new(theirs));
        }
        let input = configuration.input.clone().unwrap_or_else(|| "/dev/null".into());
        let file = File::open(&input).map_err(|e| format!("{}: {e}", input.display()))?;
        surroundings.streams[0] = Some(Arc::new(OwnedFd::from(file)));
    }
    let mut session =
        Session::new_in(origin, adapter.host.settings(), surroundings).map_err(words)?;
    let mut console = adapter.host.console();
    console.add_client(Box::new(EditorClient {
        writer: adapter.writer.clone(),
        noticed: adapter.noticed.clone(),
    }));
    // The editor moves the program, commands do not.
    console.hand_over();
    // What stands in the way of a session that was asked for ends it: nothing runs unwatched.
    let prepared = prepare(&mut session, &mut console, &configuration);
    let interrupter = session.program().interrupter().map_err(words)?;
    signals::interrupt(interrupter.clone());
    adapter.wire.set_interrupter(interrupter);
    // Nobody wants to look: what would stop the program is only told.
    let is_run = request.flag("noDebug") == Some(true);
    let mut points = Points::default();
    if is_run {
        session.pass_signals();
        points.passes_violations = true;
    }
    let process = session.program().process();
    let name = match &configuration.program {
        Some(program) if !joins => program.to_string_lossy().into_owned(),
        _ => format!("process {process}"),
    };
    adapter.debuggee = Some(Debuggee {
        session,
        console,
        configuration,
        points,
        handles: Default::default(),
        standing: Standing::plain("entry"),
        threads: Vec::new(),
        outlets,
        is_configured: false,
        at_checkpoint: None,
        stops: 0,
    });
    if let Err(why) = prepared {
        let _ = adapter.let_go();
        adapter.debuggee = None;
        return Err(why);
    }
    adapter.later.push((
        "process",
        json!({
            "name": name,
            "systemProcessId": process.raw(),
            "isLocalProcess": true,
            "startMethod": if joins { "attach" } else { "launch" },
        }),
    ));
    adapter.later.push(("initialized", json!({})));
    Ok(json!({}))
}

/// Loads what the program is watched with.
fn prepare(
    session: &mut Session,
    console: &mut watchword_session::Console,
    configuration: &crate::Configuration,
) -> Result<(), String> {
    let told = |e: watchword_session::Error| match e.is_reported() {
        true => "a property or scenario has mistakes; the debug console shows them".to_string(),
        false => e.to_string(),
    };
    if !configuration.properties.is_empty() {
        console.load(session, &configuration.properties).map_err(told)?;
    }
    if let Some(scenario) = &configuration.scenario {
        console.load_scenario(session, scenario).map_err(told)?;
    }
    for line in &configuration.commands {
        console.execute(session, line).map_err(told)?;
    }
    Ok(())
}

/// All breakpoints are there: the program goes on.
pub(super) fn configured(adapter: &mut Adapter, _: &Request) -> Answer {
    let debuggee = adapter.debuggee()?;
    if debuggee.is_configured || !debuggee.session.is_alive() {
        return Ok(json!({}));
    }
    debuggee.is_configured = true;
    let stops = debuggee.configuration.stop_on_entry;
    if !stops {
        adapter.going = Some(Go::Continue);
        return Ok(json!({}));
    }
    if debuggee.session.is_attached() || debuggee.session.is_running() {
        adapter.stands(Standing::plain("entry"));
        return Ok(json!({}));
    }
    let Some(main) = debuggee.session.main_function() else {
        // A program without symbols: before its first instruction.
        adapter.stands(Standing::plain("entry"));
        return Ok(json!({}));
    };
    let number = debuggee.session.set_break(main, None, true, false).map_err(words)?;
    debuggee.points.entry = Some(number);
    adapter.going = Some(Go::Continue);
    Ok(json!({}))
}

pub(super) fn disconnect(adapter: &mut Adapter, request: &Request) -> Answer {
    adapter.is_over = true;
    adapter.going = None;
    let Some(debuggee) = &mut adapter.debuggee else { return Ok(json!({})) };
    if !debuggee.session.is_alive() {
        return Ok(json!({}));
    }
    let ends = request.flag("terminateDebuggee").unwrap_or(!debuggee.session.is_attached());
    match ends {
        true => debuggee.session.end_run(&mut debuggee.console).map_err(words)?,
        false => debuggee.session.detach().map_err(words)?,
    }
    Ok(json!({}))
}

/// Ends the program; the editor stays.
pub(super) fn terminate(adapter: &mut Adapter, _: &Request) -> Answer {
    adapter.going = None;
    let debuggee = adapter.debuggee()?;
    if debuggee.session.is_alive() {
        match debuggee.session.is_attached() {
            true => debuggee.session.detach().map_err(words)?,
            false => debuggee.session.end_run(&mut debuggee.console).map_err(words)?,
        }
    }
    debuggee.outlets.iter().for_each(Outlet::show);
    adapter.later.push(("terminated", json!({})));
    Ok(json!({}))
}
