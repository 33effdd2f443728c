//! Property files and shipped properties, loaded.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_model::{Model, Severity};
use watchword_spec::classes::{ClassConstants, NoClasses};
use watchword_spec::diagnostic::Code;
use watchword_spec::given::{GivenTexts, JavaRules, Setting};
use watchword_spec::lint::{in_words_of, lint_for};
use watchword_spec::{Diagnostic, Lang, Loaded, SourceFile, lang_of};

use crate::Reported;
use crate::args::{Boxes, Classes, Global, Reading};

/// A property that comes with Watchword.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The family it belongs to: `std/` and this name stands for all of them.
    pub family: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($family:literal in $folder:literal: $($name:literal),*;)*) => {
        /// The shipped properties, in the order they are listed.
        pub const SHIPPED: &[Shipped] = &[$($(Shipped {
            name: concat!("std/", $name),
            family: $family,
            text: include_str!(concat!("../../../", $folder, "/", $name, ".ww")),
        }),*),*];
    };
}

shipped! {
    "basics" in "examples/properties":
        "safe-iterator", "has-next", "bounded", "taint", "reply", "closed", "login";
    "jdk" in "properties/jdk":
        "buffer-misused", "builder-misused", "cause-set-twice", "channel-closed", "channel-source-closed", "channel-state",
        "charset-coder", "cipher-init", "collection-empty", "condition-lock", "datagram-socket-closed",
        "deflater-ended", "directory-stream-reused", "enumeration-exhausted", "file-system-closed",
        "formatter-closed", "future-result", "immutable-collection", "input-stream-closed",
        "iterator-comodification", "iterator-exhausted", "iterator-remove", "jdbc-auto-commit",
        "jdbc-connection-closed", "jdbc-result-set-closed", "jdbc-row", "jdbc-statement-closed",
        "key-agreement-init", "lock-unlock", "mac-init", "map-view-comodification", "mark-reset",
        "matcher-match", "object-stream-inactive", "optional-get", "output-stream-closed",
        "phaser-parties", "process-running", "publisher-closed", "queue-full",
        "random-access-file-closed", "reader-closed", "scanner-closed", "scanner-exhausted",
        "selection-key-cancelled", "selector-closed", "signature-init", "socket-closed",
        "socket-output-shut", "socket-stream-closed", "stream-reused", "thread-configured-late", "thread-joined-early", "thread-started-twice",
        "timer-cancelled", "timer-task-rescheduled", "traversal-comodification",
        "url-connection-late", "wait-notify", "watch-service-closed", "wrapped-closed", "writer-closed",
        "zip-entry-open", "zip-file-closed";
    "jdk-advice" in "properties/jdk-advice":
        "buffer-not-flipped", "executor-after-shutdown", "format-shared", "hash-set-element",
        "jdbc-never-closed", "jdbc-transaction-open", "lock-never-released", "lock-order", "never-closed",
        "server-socket-closed", "synchronized-iteration", "synchronized-map-iteration",
        "thread-run-called", "writer-unflushed";
    "posix" in "properties/posix":
        "accept-before-listen", "addrinfo-freed", "cond-wait", "dir-closed", "double-free", "fd-closed",
        "library-closed", "mutex-destroyed", "mutex-relocked", "mutex-unlock", "rwlock-unlock",
        "sem-destroyed", "send-after-shutdown", "socket-state", "stdio-closed", "thread-joined";
    "posix-advice" in "properties/posix-advice": "fd-closed-twice", "stdio-alternated";
    "log" in "properties/log":
        "delivered-once", "exclusive-owner", "failed-logins", "heartbeat", "offsets-increase",
        "one-leader", "request-answered", "response-in-time", "session-access";
}

/// The largest property file; a trace that is passed by mistake is larger.
const MAX_FILE: u64 = 64 << 20;

/// Loads property files; mistakes in them are diagnostics, mistakes with them are errors.
pub fn load(
    names: &[String],
    reading: &Reading,
    constants: &dyn ClassConstants,
) -> anyhow::Result<Loaded> {
    let mut files = Vec::new();
    for name in names {
        files.extend(find(name, reading.lang)?);
    }
    let mut functions = Vec::new();
    for name in &reading.functions {
        functions.push(SourceFile { name: name.clone(), text: read(name)? });
    }
    if !functions.is_empty() && !files.iter().any(|(_, lang)| *lang == Lang::Verde) {
        bail!("--functions is for properties in Verde's language, but there is none");
    }
    let mut given = GivenTexts {
        set: reading.set.clone(),
        bind: reading.bind.clone(),
        java: JavaRules { allowed: reading.allow_java, broken: Vec::new() },
    };
    let load = |given: &GivenTexts| {
        watchword_spec::load_given(&files, &functions, given, constants, &import)
    };
    let mut loaded = load(&given);
    let java = loaded.model.iter().flat_map(|model| &model.java).cloned();
    given.java.broken = reading.compiler.compile(&java.collect::<Vec<_>>(), &loaded.files)?.broken;
    if !given.java.broken.is_empty() {
        loaded = load(&given);
    }
    if reading.boxes == Boxes::Identity {
        let properties = loaded.model.iter_mut().flat_map(|model| &mut model.properties);
        for property in properties.filter(|property| property.lang == Lang::Topl) {
            property.boxes = watchword_model::Boxes::ByIdentity;
        }
    }
    Ok(loaded)
}

/// Loads property files that must be free of errors; prints what is wrong with them.
pub fn load_valid(
    names: &[String],
    reading: &Reading,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>)> {
    valid(names, load(names, reading, &NoClasses)?, global)
}

/// The same, with the `param`s of the properties.
pub fn load_valid_settings(
    names: &[String],
    reading: &Reading,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>, Vec<Setting>)> {
    let mut loaded = load(names, reading, &NoClasses)?;
    let settings = std::mem::take(&mut loaded.settings);
    let (model, files) = valid(names, loaded, global)?;
    Ok((model, files, settings))
}

/// Loads property files that must be free of errors, for a program whose classes are known.
pub fn load_valid_for(
    names: &[String],
    reading: &Reading,
    classes: &Classes,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>)> {
    let Some(classes) = crate::classes::Loaded::read(classes)? else {
        return load_valid(names, reading, global);
    };
    let classes = classes.classes();
    let mut loaded = load(names, reading, &classes)?;
    // Some mistakes only show beside the methods there are.
    let found = loaded.model.iter().flat_map(|model| lint_for(model, &classes));
    let errors: Vec<Diagnostic> = found.filter(Diagnostic::is_error).collect();
    let errors = in_words_of(errors, &loaded.langs);
    if !errors.is_empty() {
        loaded.model = None;
        loaded.diagnostics.extend(errors);
    }
    valid(names, loaded, global)
}

/// The same, for a program whose classes know the constants: every event must be one that a program
/// can have.
pub fn load_valid_with(
    names: &[String],
    reading: &Reading,
    constants: &dyn ClassConstants,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>)> {
    valid(names, for_programs(load(names, reading, constants)?), global)
}

/// What was loaded, for programs: an event that is only known by its name never happens in one, which
/// is an error beside events that do.
pub fn for_programs(mut loaded: Loaded) -> Loaded {
    let never = loaded.diagnostics.iter_mut().filter(|d| d.code == Code::NotOfProgram.text());
    for diagnostic in never {
        diagnostic.severity = Severity::Error;
        loaded.model = None;
    }
    loaded
}

fn valid(
    names: &[String],
    loaded: Loaded,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>)> {
    let (result, said) = judged(names, loaded, global);
    for text in said {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
    result
}

/// Whether files are free of errors, and what is to be said of them: [`Reported`] stands for errors
/// that are among that.
pub fn judged(
    names: &[String],
    loaded: Loaded,
    global: &Global,
) -> (anyhow::Result<(Model, Vec<SourceFile>)>, Vec<String>) {
    let color = global.color_on_stderr();
    let render = |diagnostic: &Diagnostic| diagnostic.render(&loaded.files, color);
    let Some(model) = loaded.model else {
        let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
        return (Err(Reported.into()), errors.map(render).collect());
    };
    if model.properties.is_empty() {
        let what = format!("{} contains no property, only declarations", names.join(", "));
        return (Err(anyhow::Error::msg(what)), Vec::new());
    }
    let mut said = Vec::new();
    if !global.quiet {
        // Events need not be declared. One whose name is nearly that of another hardly ever happens.
        let is_misspelt = |d: &&Diagnostic| {
            d.code == Code::UndeclaredEvent.text()
                || d.code == Code::NotOfProgram.text() && d.fix.is_some()
        };
        said.extend(loaded.diagnostics.iter().filter(is_misspelt).map(render));
        said.extend(refused(&loaded.diagnostics, &loaded.files, color));
    }
    (Ok((model, loaded.files)), said)
}

/// Which specifications are not monitored; of many, how many.
fn refused(diagnostics: &[Diagnostic], files: &[SourceFile], color: bool) -> Vec<String> {
    let refused = diagnostics.iter().filter(|d| d.code == Code::MopRefused.text());
    let refused: Vec<&Diagnostic> = refused.collect();
    if refused.len() > MAX_REFUSED {
        let count = refused.len();
        return vec![format!(
            "warning: {count} specifications are not monitored; `watchword lint` prints the reasons"
        )];
    }
    refused.into_iter().map(|diagnostic| diagnostic.render(files, color)).collect()
}

/// More specifications that are left out are counted, not listed.
const MAX_REFUSED: usize = 5;

/// One property file, or a shipped property, and its language.
pub fn find_one(name: &str, lang: Option<Lang>) -> anyhow::Result<(SourceFile, Lang)> {
    let mut found = find(name, lang)?;
    match found.pop() {
        Some(one) if found.is_empty() => Ok(one),
        _ => bail!("{name} stands for several files; name one"),
    }
}

/// The files a name on the command line stands for.
fn find(name: &str, lang: Option<Lang>) -> anyhow::Result<Vec<(SourceFile, Lang)>> {
    if let Some(members) = several(name) {
        return members.iter().map(|name| Ok((shipped(name)?, Lang::Ww))).collect();
    }
    if name.starts_with("std/") && !Path::new(name).exists() {
        return Ok(vec![(shipped(name)?, Lang::Ww)]);
    }
    if name != "-" && Path::new(name).is_dir() {
        return in_folder(name, lang);
    }
    let is_missing = name != "-" && !Path::new(name).exists();
    if let Some(shipped) = shipped_like(name).filter(|_| is_missing) {
        bail!("there is no file {name}; did you mean the shipped `{shipped}`?");
    }
    if lang.is_none() {
        check_language(name)?;
    }
    if is_missing {
        let is_property = |path: &Path| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            EXTENSIONS.contains(&extension)
        };
        let near = file_like(name, &is_property);
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        bail!("cannot read {name}: there is no such file{near}");
    }
    let text = read(name)?;
    let lang = lang.unwrap_or_else(|| lang_of(name, &text));
    Ok(vec![(SourceFile { name: name.to_string(), text }, lang)])
}

/// The shipped property, or the family of them, that has this name behind `std/`.
fn shipped_like(name: &str) -> Option<String> {
    let name = name.trim_end_matches(".ww");
    let shipped = format!("std/{name}");
    SHIPPED.iter().any(|s| s.name == shipped || s.family == name).then_some(shipped)
}

/// A file in the same folder that has nearly this name, among those that are wanted.
pub fn file_like(name: &str, is_wanted: &dyn Fn(&Path) -> bool) -> Option<String> {
    let path = Path::new(name);
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let here: Vec<String> = files
        .filter(|file| is_wanted(file))
        .filter_map(|file| Some(path.with_file_name(file.file_name()?).display().to_string()))
        .collect();
    watchword_model::nearest(name, here.iter().map(String::as_str)).map(str::to_string)
}

/// What property files end in.
const EXTENSIONS: [&str; 6] = ["ww", "topl", "infer", "prop", "lrv", "mop"];
/// Whether a word is hardly anything but the name of a property.
pub fn is_name(word: &str) -> bool {
    let extension = word.rsplit_once('.').map(|(_, extension)| extension);
    word.starts_with("std/") || extension.is_some_and(|e| EXTENSIONS.contains(&e))
}

/// A folder with more property files is none of properties.
const MAX_FILES: usize = 1000;

/// The property files in a folder and the folders below it, by name.
fn in_folder(name: &str, lang: Option<Lang>) -> anyhow::Result<Vec<(SourceFile, Lang)>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![PathBuf::from(name)];
    while let Some(folder) = folders.pop() {
        let context = || format!("cannot read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(context)? {
            let entry = entry.with_context(context)?;
            let kind = entry.file_type().with_context(context)?;
            let path = entry.path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && EXTENSIONS.contains(&extension) {
                files.push(path);
            }
        }
        if files.len() > MAX_FILES {
            bail!("{name} has more than {MAX_FILES} property files");
        }
    }
    if files.is_empty() {
        bail!("{name} has no property files (.{})", EXTENSIONS.join(", ."));
    }
    files.sort();
    let read_one = |path: &PathBuf| {
        let name = path.to_string_lossy().into_owned();
        let text = read(&name)?;
        let lang = lang.unwrap_or_else(|| lang_of(&name, &text));
        Ok((SourceFile { name, text }, lang))
    };
    files.iter().map(read_one).collect()
}

/// The shipped properties a name stands for, if it stands for several: all, a family, or those
/// whose names begin alike, as `std/iterator` does for `std/iterator-remove` and others.
pub fn several(name: &str) -> Option<Vec<&'static str>> {
    let wanted = name.strip_prefix("std/")?;
    let all = |is_member: &dyn Fn(&Shipped) -> bool| {
        let names: Vec<&str> = SHIPPED.iter().filter(|s| is_member(s)).map(|s| s.name).collect();
        (!names.is_empty()).then_some(names)
    };
    if SHIPPED.iter().any(|s| s.name == name) {
        return None;
    }
    all(&|s| wanted == "all" || s.family == wanted).or_else(|| {
        let begins = |s: &Shipped| s.name.strip_prefix(name).is_some_and(|r| r.starts_with('-'));
        all(&begins)
    })
}

/// A shipped property by name.
pub fn shipped(name: &str) -> anyhow::Result<SourceFile> {
    match SHIPPED.iter().find(|s| s.name == name) {
        Some(found) => Ok(SourceFile::new(found.name, found.text)),
        None => {
            let families = SHIPPED.iter().map(|s| format!("std/{}", s.family));
            let families: BTreeSet<String> = families.chain(["std/all".to_string()]).collect();
            let begins =
                |s: &'static Shipped| s.name.match_indices('-').map(|(at, _)| &s.name[..at]);
            let names = SHIPPED.iter().map(|s| s.name).chain(SHIPPED.iter().flat_map(begins));
            let known = families.iter().map(String::as_str).chain(names);
            let near = watchword_model::nearest(name, known);
            let near = near.map_or(String::new(), |n| format!(", did you mean `{n}`?"));
            bail!("there is no shipped property `{name}`{near}; `watchword list` lists them")
        }
    }
}

/// The text of a property file; `-` is standard input.
pub fn read(name: &str) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    // What is no file, a pipe for instance, has no size, and perhaps no end.
    if name == "-" {
        let mut input = io::stdin().lock().take(MAX_FILE + 1);
        input.read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let context = || format!("cannot read {name}");
        let metadata = fs::metadata(name).with_context(context)?;
        if metadata.is_dir() {
            bail!("{name} is a directory, not a property file");
        }
        if metadata.len() > MAX_FILE {
            bail!("{name} is larger than any property file; is it a trace?");
        }
        let file = fs::File::open(name).with_context(context)?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).with_context(context)?;
    }
    if bytes.len() as u64 > MAX_FILE {
        bail!("{name} is larger than any property file; is it a trace?");
    }
    String::from_utf8(bytes).map_err(|e| {
        let valid = e.utf8_error().valid_up_to();
        let line = memchr::memchr_iter(b'\n', &e.as_bytes()[..valid]).count() + 1;
        anyhow::anyhow!("{name}:{line}: not a property file: it is not UTF-8 text")
    })
}

/// Refuses languages that are not read, by name rather than by a puzzling syntax error.
pub fn check_language(name: &str) -> anyhow::Result<()> {
    match Path::new(name).extension().and_then(|e| e.to_str()) {
        _ if name == "-" => Ok(()),
        Some(extension) if EXTENSIONS.contains(&extension) => Ok(()),
        Some("jsonl" | "csv" | "log" | "ndjson") => {
            bail!("{name} looks like a trace, not like a property file")
        }
        Some("scn") => {
            bail!(
                "{name} is a scenario; `watchword run --scenario` reads it, `watchword lint` checks it"
            )
        }
        _ => bail!("{name}: a property file ends in .ww; for another name, pass `--lang ww`"),
    }
}

/// Whether a file is a scenario, not a property.
pub fn is_scenario(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == "scn")
}

/// Finds an imported file: a shipped one, or one beside the file that imports it.
pub fn import(importer: &str, path: &str) -> Result<SourceFile, String> {
    if path.starts_with("std/") {
        return shipped(path.trim_end_matches(".ww")).map_err(|e| e.to_string());
    }
    let beside: PathBuf = Path::new(importer).parent().unwrap_or(Path::new("")).join(path);
    let name = beside.to_string_lossy().into_owned();
    // Whoever opens a pipe waits for somebody to write to it, and an editor with them.
    if fs::metadata(&beside).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return Err(format!("{name} is not a file"));
    }
    let text = read(&name).map_err(|e| format!("{e:#}"))?;
    Ok(SourceFile { name, text })
}
