//! `watchword explain CODE`.

use std::fmt::Write;

use anyhow::bail;

use crate::Outcome;
use crate::args::Global;
use crate::output::json::Json;
use crate::read::error::Fault;

/// Tell more about a diagnostic: the rule, an example, how to mend it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  watchword explain WW0101\n  watchword explain          all codes"
)]
pub struct Args {
    /// The code, such as WW0101; without one, all codes are listed
    code: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("explain")?;
    let Some(code) = &args.code else {
        return list(json);
    };
    let code = code.trim().to_ascii_uppercase();
    let Some(text) = page(&code) else {
        bail!("there is no diagnostic `{code}`; `watchword explain` lists them");
    };
    if json {
        let json = Json::object([
            ("watchword", 1u64.into()),
            ("code", code.as_str().into()),
            ("text", text.into()),
        ]);
        super::print(&format!("{json}\n"))?;
    } else {
        super::print(&format!("{}\n", text.trim_end()))?;
    }
    Ok(Outcome::Clean)
}

fn page(code: &str) -> Option<&'static str> {
    let of_reader = || Fault::TABLE.iter().find(|(_, c, _)| *c == code).map(|(_, _, text)| *text);
    watchword_spec::explain(code).or_else(of_reader)
}

fn list(json: bool) -> anyhow::Result<Outcome> {
    let title = |text: &'static str| {
        let first = text.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    };
    let of_reader = Fault::TABLE.iter().map(|(_, code, text)| (*code, title(text)));
    let all: Vec<(&str, &str)> = watchword_spec::all_codes().chain(of_reader).collect();
    if json {
        let codes = all
            .iter()
            .map(|(code, title)| {
                Json::object([("code", (*code).into()), ("title", (*title).into())])
            })
            .collect::<Vec<_>>();
        let json = Json::object([("watchword", 1u64.into()), ("codes", codes.into())]);
        super::print(&format!("{json}\n"))?;
    } else {
        let mut text = String::new();
        for (code, title) in all {
            let _ = writeln!(text, "{code}  {title}");
        }
        super::print(&text)?;
    }
    Ok(Outcome::Clean)
}
