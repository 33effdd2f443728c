//! Residuals of properties with symbolic state.

mod conditions;
mod equality;
mod figures;
mod makers;
mod payment;
mod random;

use std::rc::Rc;

use watchword_model::Model;
use watchword_residual::date::automaton::{Arm, Date};
use watchword_residual::date::cfg::{Alias, Cfg, Site, Step};
use watchword_spec::SourceFile;

/// The model of a LARVA script.
pub fn larva(text: &str) -> Rc<Model> {
    let file = SourceFile::new("test.lrv", text);
    let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
    let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
    let errors: Vec<String> = errors.map(|d| d.render(&loaded.files, false)).collect();
    Rc::new(loaded.model.unwrap_or_else(|| panic!("{text}\n{}", errors.join("\n"))))
}

/// A program from lines such as `0 s.open 1`, or `0 - 1` where nothing happens. Identifiers are
/// different objects, each always the same.
pub fn cfg(text: &str) -> Cfg {
    let mut names: Vec<String> = Vec::new();
    let mut cfg = Cfg::default();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let [from, what, to] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
        cfg.nodes = cfg.nodes.max(from + 1).max(to + 1);
        let site = what.split_once('.').map(|(object, event)| {
            let identifier = names.iter().position(|n| n == object).unwrap_or_else(|| {
                names.push(object.to_owned());
                names.len() - 1
            });
            cfg.sites.push(Site { event: event.to_owned(), identifier });
            cfg.sites.len() - 1
        });
        cfg.steps.push(Step { from, to, site });
    }
    let relation = |one, two| if one == two { Alias::Must } else { Alias::Never };
    let all = 0..names.len();
    cfg.alias = all.clone().map(|i| all.clone().map(|j| relation(i, j)).collect()).collect();
    cfg
}

/// The transitions of a part: `from event to`, sorted, without deadlines.
pub fn shown(model: &Model, date: &Date, part: &[bool]) -> Vec<String> {
    let property = &model.properties[date.property.index()];
    let mut lines: Vec<String> = date
        .edges
        .iter()
        .zip(part)
        .filter(|(_, p)| **p)
        .filter_map(|(edge, _)| {
            let Arm::Then(id) = edge.arm else { return None };
            let label = &property.transitions[id.index()].labels[0];
            let event = label.event.map_or("any", |e| model.events[e.index()].name.as_str());
            let to = date.states.get(edge.to).map_or("drop", String::as_str);
            Some(format!("{} {event} {to}", date.states[edge.from]))
        })
        .collect();
    lines.sort();
    lines
}
