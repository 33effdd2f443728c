//! Property files and shipped properties, loaded.

use std::cell::RefCell;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_model::Model;
use watchword_spec::{Diagnostic, Lang, SourceFile};
use watchword_wire::{Files, Import};

use crate::Reported;
use crate::args::Global;

/// A property that comes with Watchword.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// What it is called on the command line.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The shipped properties, in the order they are listed.
        pub const SHIPPED: &[Shipped] = &[$(Shipped {
            name: concat!("std/", $name),
            text: include_str!(concat!("../../../examples/properties/", $name, ".ww")),
        }),*];
    };
}

shipped!("safe-iterator", "bounded", "taint", "reply", "closed", "login");

/// The longest property file anybody writes; a trace given by mistake is longer.
const MAX_FILE: u64 = 16 << 20;

/// What was loaded.
pub struct Loaded {
    /// The model, if there were no errors.
    pub model: Option<Model>,
    /// What is wrong or looks wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The files, imported ones included.
    pub files: Vec<SourceFile>,
}

/// Loads property files; mistakes in them are diagnostics, mistakes with them are errors.
pub fn load(names: &[String], lang: Option<Lang>) -> anyhow::Result<Loaded> {
    let mut files = Vec::new();
    for name in names {
        files.extend(find(name, lang)?);
    }
    let loaded = watchword_spec::load_with(&files, &import);
    Ok(Loaded { model: loaded.model, diagnostics: loaded.diagnostics, files: loaded.files })
}

/// Loads property files that must be free of errors; prints what is wrong with them.
pub fn load_valid(
    names: &[String],
    lang: Option<Lang>,
    global: &Global,
) -> anyhow::Result<(Model, Vec<SourceFile>)> {
    let loaded = load(names, lang)?;
    let color = global.color_on_stderr();
    let Some(model) = loaded.model else {
        for diagnostic in loaded.diagnostics.iter().filter(|d| d.is_error()) {
            let text = diagnostic.render(&loaded.files, color);
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        return Err(Reported.into());
    };
    if model.properties.is_empty() {
        bail!("{} holds no property, only declarations", names.join(", "));
    }
    Ok((model, loaded.files))
}

/// Loads property files that must be free of errors, with all that is needed to load them again
/// elsewhere.
pub fn load_bundle(
    names: &[String],
    lang: Option<Lang>,
    global: &Global,
) -> anyhow::Result<(Model, Files)> {
    let (model, _) = load_valid(names, lang, global)?;
    let mut roots = Vec::new();
    for name in names {
        roots.extend(find(name, lang)?);
    }
    let imports = RefCell::new(Vec::new());
    watchword_spec::load_with(&roots, &|importer, path| {
        let file = import(importer, path)?;
        imports.borrow_mut().push(Import {
            importer: importer.to_string(),
            path: path.to_string(),
            name: file.name.clone(),
            text: file.text.clone(),
        });
        Ok(file)
    });
    let roots =
        roots.into_iter().map(|(file, lang)| (file.name, (file.text, lang.name().to_string())));
    Ok((model, Files { roots: roots.collect(), imports: imports.into_inner() }))
}

/// The files a name on the command line stands for.
fn find(name: &str, lang: Option<Lang>) -> anyhow::Result<Vec<(SourceFile, Lang)>> {
    if name == "std/all" {
        return Ok(SHIPPED.iter().map(|s| (SourceFile::new(s.name, s.text), Lang::Ww)).collect());
    }
    if name.starts_with("std/") && !Path::new(name).exists() {
        return Ok(vec![(shipped(name)?, Lang::Ww)]);
    }
    if lang.is_none() {
        check_language(name)?;
    }
    let text = read(name)?;
    let lang = lang.unwrap_or_else(|| Lang::of_file(name, &text));
    Ok(vec![(SourceFile { name: name.to_string(), text }, lang)])
}

/// A shipped property by name.
pub fn shipped(name: &str) -> anyhow::Result<SourceFile> {
    match SHIPPED.iter().find(|s| s.name == name) {
        Some(found) => Ok(SourceFile::new(found.name, found.text)),
        None => {
            let names: Vec<&str> = SHIPPED.iter().map(|s| s.name).collect();
            bail!("there is no shipped property `{name}`; there are {}", names.join(", "))
        }
    }
}

/// The text of a property file; `-` is standard input.
pub fn read(name: &str) -> anyhow::Result<String> {
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        let mut input = std::io::Read::take(std::io::stdin().lock(), MAX_FILE + 1);
        std::io::Read::read_to_end(&mut input, &mut bytes).context("cannot read standard input")?;
        bytes
    } else {
        let metadata = fs::metadata(name).with_context(|| format!("cannot read {name}"))?;
        if metadata.is_dir() {
            bail!("{name} is a directory, not a property file");
        }
        if metadata.len() > MAX_FILE {
            bail!("{name} is larger than any property file; is it a trace?");
        }
        fs::read(name).with_context(|| format!("cannot read {name}"))?
    };
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
    let language = match Path::new(name).extension().and_then(|e| e.to_str()) {
        _ if name == "-" => return Ok(()),
        Some("ww" | "topl" | "infer") => return Ok(()),
        Some("prop") => "Verde",
        Some("lrv") => "LARVA",
        Some("mop") => "MOP",
        Some("jsonl" | "csv" | "log" | "ndjson") => {
            bail!("{name} looks like a trace; properties come after `-p`, traces at the end")
        }
        _ => bail!("{name}: a property file ends in .ww; for another name, say `--lang ww`"),
    };
    bail!("{name}: properties in the language of {language} are not read yet")
}

/// Refuses files that are not in Watchword's own language, for commands that print it.
pub fn check_own_language(name: &str, what: &str) -> anyhow::Result<()> {
    check_language(name)?;
    match Path::new(name).extension().and_then(|e| e.to_str()) {
        Some("ww") | None => Ok(()),
        Some(other) => bail!("{name}: {what} files in .ww, not in .{other} yet"),
    }
}

/// Finds an imported file: a shipped one, or one beside the file that imports it.
fn import(importer: &str, path: &str) -> Result<SourceFile, String> {
    if path.starts_with("std/") {
        return shipped(path.trim_end_matches(".ww")).map_err(|e| e.to_string());
    }
    let beside: PathBuf = Path::new(importer).parent().unwrap_or(Path::new("")).join(path);
    let name = beside.to_string_lossy().into_owned();
    let text = read(&name).map_err(|e| format!("{e:#}"))?;
    Ok(SourceFile { name, text })
}
