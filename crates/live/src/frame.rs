//! What changed since a page last looked, as JSON.

use watchword_view::json::Json;

use crate::hub::{Board, Dated, Shown};

/// What changed since then, and until when.
pub(crate) fn since(board: &Board, seen: u64) -> (String, u64) {
    let fresh = |all: &mut dyn Iterator<Item = &Dated>| {
        Json::List(all.filter(|(at, _)| *at > seen).map(|(_, item)| item.clone()).collect())
    };
    let mut frame = Json::object([("time", (board.begun.elapsed().as_millis() as u64).into())]);
    if board.layout > seen {
        frame =
            frame.with("properties", Json::List(board.properties.iter().map(described).collect()));
    }
    let rows: Vec<Json> = board
        .properties
        .iter()
        .enumerate()
        .filter_map(|(at, shown)| rows(at, shown, if board.layout > seen { 0 } else { seen }))
        .collect();
    if !rows.is_empty() {
        frame = frame.with("rows", Json::List(rows));
    }
    let lists = [
        ("events", fresh(&mut board.events.iter())),
        ("verdicts", fresh(&mut board.verdicts.iter())),
        ("texts", fresh(&mut board.texts.iter())),
        ("checkpoints", fresh(&mut board.checkpoints.iter().map(|(_, dated)| dated))),
        ("forgotten", fresh(&mut board.forgotten.iter())),
    ];
    for (name, list) in lists {
        if matches!(&list, Json::List(items) if !items.is_empty()) {
            frame = frame.with(name, list);
        }
    }
    if board.status.0 > seen {
        frame = frame.with("status", board.status.1.clone());
    }
    if board.name.0 > seen {
        frame = frame.with("name", board.name.1.clone());
    }
    if board.selected.0 > seen {
        frame = frame.with("selected", board.selected.1.clone());
    }
    if board.is_over {
        frame = frame.with("over", true);
    }
    (frame.to_string(), board.version)
}

fn described(shown: &Shown) -> Json {
    let edge =
        |(from, to): &(usize, usize)| Json::List(vec![(*from as u64).into(), (*to as u64).into()]);
    Json::object([
        ("monitor", u64::from(shown.monitor).into()),
        ("name", shown.name.as_str().into()),
        ("svg", shown.svg.as_str().into()),
        ("states", Json::List(shown.states.iter().map(|s| s.as_str().into()).collect())),
        ("kinds", Json::List(shown.kinds.iter().map(|kind| (*kind).into()).collect())),
        ("edges", Json::List(shown.edges.iter().map(edge).collect())),
        ("gone", shown.is_gone.into()),
    ])
}

/// The rows of a property that changed: binding, state, variables, moves.
fn rows(at: usize, shown: &Shown, seen: u64) -> Option<Json> {
    let is_new = shown.replaced.max(shown.since) > seen;
    let changed = shown.rows.iter().filter(|row| is_new || row.version > seen);
    let changed: Vec<Json> = changed
        .map(|row| {
            Json::List(vec![
                row.binding.as_str().into(),
                row.state.map_or(Json::Null, |s| (s as u64).into()),
                row.variables.as_str().into(),
                row.moves.into(),
            ])
        })
        .collect();
    if changed.is_empty() && !is_new && shown.counted <= seen {
        return None;
    }
    let rows = Json::object([("property", (at as u64).into()), ("changed", Json::List(changed))])
        .with("unlisted", shown.unlisted);
    Some(if is_new { rows.with("replace", true) } else { rows })
}
