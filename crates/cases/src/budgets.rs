//! What fixed workloads may cost, in counters that no busy machine disturbs.
//!
//! `bench/budgets.toml` has a budget for every counter. A test measures, and fails if a counter is
//! above its budget: a change that costs more has to change the file, where a reviewer sees it.
//! `WATCHWORD_BUDGETS=write` lets the tests write the file anew instead.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

type Tables = BTreeMap<String, BTreeMap<String, u64>>;

const HEAD: &str = "\
# What fixed workloads may cost. Exact counters, not times; tests compare them, and write this file
# anew if they are run with WATCHWORD_BUDGETS=write.
";

/// The budgets, and what was found by now.
#[derive(Debug)]
pub struct Budgets {
    allowed: Tables,
    found: Tables,
    exceeded: Vec<String>,
}

impl Budgets {
    /// The budgets of the file.
    pub fn open() -> Budgets {
        let text = std::fs::read_to_string(file()).unwrap_or_default();
        let allowed = toml::from_str(&text).unwrap_or_else(|e| panic!("bench/budgets.toml: {e}"));
        Budgets { allowed, found: Tables::new(), exceeded: Vec::new() }
    }

    /// Counts what was found against its budget. Counters that depend a little on compilers may be
    /// so many per cent above it.
    pub fn spend(&mut self, table: &str, counter: &str, found: u64, tolerance: u64) {
        let budget = self.allowed.get(table).and_then(|table| table.get(counter)).copied();
        match budget {
            Some(budget) if found <= budget + budget * tolerance / 100 => {}
            Some(budget) => {
                self.exceeded.push(format!("{table}: {counter} is {found}, budget {budget}"))
            }
            None => self.exceeded.push(format!("{table}: {counter} is {found}, no budget")),
        }
        self.found.entry(table.to_owned()).or_default().insert(counter.to_owned(), found);
    }

    /// Fails if a budget was exceeded, or writes what was found where that was asked for.
    pub fn close(self) {
        if std::env::var_os("WATCHWORD_BUDGETS").is_some_and(|asked| asked == "write") {
            let mut all = self.allowed;
            all.extend(self.found);
            std::fs::write(file(), written(&all)).expect("bench/budgets.toml can be written");
            return;
        }
        assert!(
            self.exceeded.is_empty(),
            "over budget:\n{}\n(bench/budgets.toml says how to change a budget)",
            self.exceeded.join("\n")
        );
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench/budgets.toml")
}

fn written(tables: &Tables) -> String {
    let mut text = HEAD.to_owned();
    for (name, counters) in tables {
        let _ = write!(text, "\n[{name:?}]\n");
        for (counter, budget) in counters {
            let _ = writeln!(text, "{counter:?} = {budget}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let counters = BTreeMap::from([("visited".to_owned(), 7), ("a b".to_owned(), 0)]);
        let tables = Tables::from([("chain, zipf".to_owned(), counters)]);
        assert_eq!(toml::from_str::<Tables>(&written(&tables)).unwrap(), tables);
    }

    #[test]
    #[should_panic(expected = "t: n is 12, budget 10")]
    fn what_is_over_its_budget_is_told() {
        let allowed = BTreeMap::from([("m".to_owned(), 10), ("n".to_owned(), 10)]);
        let allowed = Tables::from([("t".to_owned(), allowed)]);
        let mut budgets = Budgets { allowed, found: Tables::new(), exceeded: Vec::new() };
        budgets.spend("t", "m", 11, 10);
        budgets.spend("t", "n", 12, 10);
        budgets.close();
    }
}
