//! Time zones by name: offsets, rules, and files of the system's database.

use std::path::{Component, Path, PathBuf};

use watchword_trace::zone::Zone;

/// Where the database is, unless `TZDIR` says otherwise.
const DATABASE: &str = "/usr/share/zoneinfo";
/// The zone of this machine, unless `TZ` says otherwise.
const LOCAL: &str = "/etc/localtime";

/// The zone that `--zone` names: `local`, an offset, a rule, or a name of the database.
pub fn open(name: &str) -> Result<Zone, String> {
    if name == "local" {
        return local();
    }
    let known = Zone::fixed(name).or_else(|| rule(name));
    known.map_or_else(|| of_database(name), Ok)
}

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; names of the database have no commas.
fn rule(text: &str) -> Option<Zone> {
    Zone::from_rule(text).filter(|_| text.contains(','))
}

/// The zone of this machine.
fn local() -> Result<Zone, String> {
    let said = std::env::var("TZ").ok();
    match said.as_deref().map(|said| said.strip_prefix(':').unwrap_or(said)) {
        None => read("local", Path::new(LOCAL)),
        Some("") => Zone::fixed("UTC").ok_or_else(|| "UTC is no zone".to_string()),
        Some(path) if path.starts_with('/') => read("local", Path::new(path)),
        Some(name) => match of_database(name) {
            Err(why) => Zone::from_rule(name).ok_or(why),
            found => found,
        },
    }
}

fn of_database(name: &str) -> Result<Zone, String> {
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_inside {
        return Err(
            "expected a name such as Europe/Berlin, an offset such as +02:00, or `local`".into()
        );
    }
    let folder = std::env::var_os("TZDIR").map_or_else(|| PathBuf::from(DATABASE), PathBuf::from);
    if !folder.is_dir() {
        return Err(format!(
            "{} is not there: install the time zone database (package tzdata), or say an offset such as \
             +02:00",
            folder.display()
        ));
    }
    let path = folder.join(name);
    if !path.is_file() {
        return Err(format!(
            "there is no time zone of this name in {}; names are such as Europe/Berlin",
            folder.display()
        ));
    }
    read(name, &path)
}

fn read(name: &str, path: &Path) -> Result<Zone, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|why| format!("cannot read {shown}: {why}"))?;
    Zone::from_tzif(name, &bytes).map_err(|why| format!("{shown}: {why}"))
}
