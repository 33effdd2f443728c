//! Measures what one event costs on this machine.
//!
//! ```text
//! cargo run --release -p watchword-debug --example stop_costs -- PROGRAM FUNCTION [ARGS…]
//! ```
//!
//! Runs the program three times: stopping before each call of the function, reading its first
//! argument as well, and stopping after each return. Prints the time per event.

use std::time::Instant;

use watchword_debug::{Debugger, Launch, Owner, Reason, Result, When};

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(program), Some(function)) = (args.next(), args.next()) else {
        eprintln!("usage: stop_costs PROGRAM FUNCTION [ARGS…]");
        std::process::exit(2);
    };
    let rest: Vec<String> = args.collect();
    let cases: [(&str, When, &[&str]); 3] = [
        ("before", When::Before, &[]),
        ("before, one argument", When::Before, &["arg 0"]),
        ("after, argument and result", When::After, &["arg 0", "ret"]),
    ];
    for (name, when, captures) in cases {
        let start = Instant::now();
        let (mut debugger, process) = Debugger::launch(Launch::new(&program).args(&rest))?;
        debugger.arm_call(process, &function, when, Owner::Monitor(0), captures)?;
        let armed = start.elapsed();
        debugger.resume_all()?;
        let mut events = 0u32;
        let mut first = None;
        let elapsed = loop {
            let event = debugger.wait()?;
            match event.stop.reason {
                Reason::Exited(_) => break first.map_or(start.elapsed(), |f: Instant| f.elapsed()),
                Reason::Points { .. } => {
                    events += 1;
                    first.get_or_insert_with(Instant::now);
                }
                _ => {}
            }
            debugger.resume(event.stop.thread)?;
        };
        let each = elapsed.as_secs_f64() * 1e6 / f64::from(events.max(1));
        println!("{name}: {events} events, {each:.1} µs each; armed after {armed:?}");
    }
    Ok(())
}
