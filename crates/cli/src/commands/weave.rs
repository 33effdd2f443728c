//! `watchword weave -p PROP… IN… -o OUT`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::{ClassPath, JImage, Jar, MemoryClasses};
use watchword_classfile::{ClassFile, Constant, Constants};
use watchword_model::{Glob, Model, Origin, PropertyId, Source};
use watchword_spec::diagnostic::nearest;
use watchword_weave::{
    CallEvents, Hierarchy, Judged, Note, Numbers, Options, Outcome as Woven, Scope, Silenced, Site,
    SourceHierarchy, Weaver, dotted, hook,
};

use crate::Outcome;
use crate::args::{Global, Reading};
use crate::classes::{ProgramClasses, entries};
use crate::compiled::Compiler;
use crate::jvm::archive::{Rewriter, is_archive};
use crate::jvm::{ahead, flags};
use crate::output::json::Json;
use crate::output::progress::Progress;
use crate::output::style::{Style, count, counted};
use crate::output::{atomic, warning};
use crate::properties;
use crate::residual::{self, Assumption, Request};

/// Instrument jars, zips and folders ahead of time.
///
/// Run the woven program with `watchword java` and the same properties; nothing is left to
/// instrument then. Without Watchword it behaves as before.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword weave -p std/safe-iterator app.jar -o app-woven.jar\n  \
    watchword weave -p locks.ww build/classes -o build/woven --cp 'lib/a.jar:lib/b.jar'\n  \
    watchword weave -p locks.ww a.jar b.jar -o woven/\n  \
    watchword weave -p std/safe-iterator --residual app.jar -o app-woven.jar\n  \
    watchword java -p std/safe-iterator -- -jar app-woven.jar")]
pub struct Args {
    /// A property file, or a shipped property such as std/safe-iterator; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP", required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    /// Jars, zips and folders of classes
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The output: a file or folder for one input, a folder for several
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Jars and folders that the program needs but that are not woven, separated by `:`; may be
    /// repeated
    #[arg(long, value_name = "PATH")]
    cp: Vec<String>,
    /// The JDK whose classes the program uses; default: that of JAVA_HOME or PATH
    #[arg(long, value_name = "HOME")]
    jdk: Option<PathBuf>,
    /// Weave only classes that match, e.g. com.example.*; !PATTERN excludes classes; may be
    /// repeated. Default: all classes except those of the JDK
    #[arg(long, value_name = "PATTERN")]
    scope: Vec<String>,
    /// Where calls are observed: at the call, or in the called method (as in the TOPL tool)
    #[arg(long, value_name = "WHERE", default_value = "call")]
    events: flags::CallEvents,
    /// A file of sites that need not be monitored; may be repeated
    #[arg(long, value_name = "FILE")]
    silenced: Vec<PathBuf>,
    /// Analyse the program first, and leave out sites that need not be monitored: see `analyze`
    #[arg(long)]
    residual: bool,
    /// What --residual may assume about the program
    #[arg(long, value_name = "WHAT", requires = "residual")]
    assume: Vec<Assumption>,
    /// Do not let --residual assume that iterators of collections of unknown class are new objects
    #[arg(long, requires = "residual")]
    strict: bool,
    /// Remove the signatures of signed jars; without this flag, signed jars are refused
    #[arg(long)]
    strip_signatures: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("weave")?;
    let classes =
        ProgramClasses::new(|| Ok(args.inputs.iter().cloned().chain(entries(&args.cp)).collect()));
    let class_path = args.inputs.iter().cloned().chain(entries(&args.cp)).collect();
    let reading = Reading { compiler: Compiler { java: None, class_path }, ..args.reading.clone() };
    let (model, _) = properties::load_valid_with(&args.properties, &reading, &classes, global)?;
    if args.residual && !model.java.is_empty() {
        bail!("--residual: {}", residual::JAVA_CODE);
    }
    let mut options = args.options(&model, global)?;
    let analysed = match args.residual {
        true => Some(args.leave_out(&model, &mut options, global)?),
        false => None,
    };
    let weaver = Weaver::new(&model, options);
    flags::needs_sources(&model, &weaver)?;
    let targets = targets(&args.inputs, &args.output)?;
    let inputs =
        args.inputs.iter().map(|path| Input::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let libraries = libraries(&args.cp)?;
    let jdk = jdk(args.jdk.as_deref())?;
    if jdk.is_none() && !global.quiet {
        let text =
            "no JDK was found (JAVA_HOME, PATH, --jdk): subtypes among its classes are unknown";
        warning(global.color_on_stderr(), text);
    }
    let mut path = ClassPath::new();
    for input in inputs.iter().chain(&libraries) {
        input.add_to(&mut path)?;
    }
    if let Some(jdk) = &jdk {
        path.push(jdk);
    }
    let hierarchy = SourceHierarchy::new(path);
    let total = inputs.iter().map(Input::size).sum();
    let mut weaving = Weaving {
        weaver: &weaver,
        hierarchy: &hierarchy,
        analysed,
        done: Done::default(),
        progress: Progress::counting(!global.quiet && !json, Some(total), "classes"),
    };
    let mut outputs = Vec::new();
    for input in &inputs {
        outputs.push(weaving.input(input, args.strip_signatures)?);
    }
    weaving.progress.clear();
    let mut done = weaving.done;
    for property in &model.properties {
        if weaver.silenced().concerns(&property.name) {
            done.silenced.insert(property.name.clone());
        }
    }
    for ((target, output), input) in targets.iter().zip(outputs).zip(&inputs) {
        output.write(target, input)?;
    }
    if json {
        super::print(&format!("{}\n", done.to_json(&model)))?;
    } else if !global.quiet {
        done.tell(&model, global);
    }
    Ok(Outcome::Clean)
}

impl Args {
    fn options(&self, model: &Model, global: &Global) -> anyhow::Result<Options> {
        let mut scope = Scope::default();
        for pattern in &self.scope {
            match pattern.strip_prefix('!') {
                Some(without) => scope.without.push(Glob::new(without)),
                None => scope.within.push(Glob::new(pattern)),
            }
        }
        let mut silenced = Silenced::default();
        for path in &self.silenced {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let text = flags::silenced_by(path, &text, model, flags::RENEW, global)?;
            silenced.add(&text).map_err(|bad| anyhow::anyhow!("{}: {bad}", path.display()))?;
        }
        let events = match self.events {
            flags::CallEvents::Call => CallEvents::Caller,
            flags::CallEvents::Callee => CallEvents::Callee,
        };
        Ok(Options { scope, events, silenced, ahead: true, ..Options::default() })
    }
}

impl Args {
    /// Analyses the inputs and leaves out what need not be watched.
    fn leave_out(
        &self,
        model: &Model,
        options: &mut Options,
        global: &Global,
    ) -> anyhow::Result<String> {
        if options.events == CallEvents::Callee {
            bail!("--residual analyses calls, but with --events callee no events are at calls");
        }
        let beside = self.cp.iter().flat_map(|path| path.split(':')).filter(|p| !p.is_empty());
        let beside: Vec<PathBuf> = beside.map(PathBuf::from).collect();
        let jdk = self.jdk.clone().or_else(crate::classes::find_jdk);
        let (jdk, assume, strict) = (jdk.as_deref(), &self.assume[..], self.strict);
        // Classes that are woven ahead do not see with which others they run.
        let distrust_missing = true;
        let request =
            Request { jdk, cached: true, assume, strict, distrust_missing, ..Request::default() };
        let found = residual::for_run(&request, model, &self.inputs, &beside, &self.scope, global)?;
        if !global.quiet {
            for line in &found.lines {
                eprintln!("residual: {line}");
            }
        }
        let added = options.silenced.add(&found.silenced);
        added.map_err(|bad| anyhow::anyhow!("the analysed classes: {bad}"))?;
        Ok(found.silenced)
    }
}

/// Where each input goes. One input goes to the output itself, unless that is a folder that
/// exists and the input is a file.
fn targets(inputs: &[PathBuf], output: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut targets = Vec::new();
    let slash = output.as_os_str().to_string_lossy().ends_with('/');
    for input in inputs {
        if !input.exists() {
            bail!("there is no {}", input.display());
        }
        let inside = inputs.len() > 1 || (input.is_file() && (output.is_dir() || slash));
        let target = match (inside, input.file_name()) {
            (true, Some(name)) => output.join(name),
            _ => output.to_path_buf(),
        };
        let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(input, &target) {
            bail!("{} would be overwritten by its own woven copy", input.display());
        }
        if targets.contains(&target) {
            bail!("two inputs would be written to {}", target.display());
        }
        let full = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut e| e.next().is_some());
        if input.is_dir() && full(&target) {
            bail!("{} exists and is not empty", target.display());
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Something to be woven, or that is needed to know the types.
enum Input {
    Archive { path: PathBuf, bytes: Vec<u8> },
    Folder { path: PathBuf, files: Vec<(String, Vec<u8>)> },
}

impl Input {
    fn read(path: &Path) -> anyhow::Result<Input> {
        let context = || format!("cannot read {}", path.display());
        if path.is_dir() {
            let mut files = Vec::new();
            let mut work = vec![path.to_path_buf()];
            while let Some(folder) = work.pop() {
                for entry in fs::read_dir(&folder).with_context(context)? {
                    let at = entry.with_context(context)?.path();
                    if at.is_dir() {
                        work.push(at);
                        continue;
                    }
                    let inside =
                        at.strip_prefix(path).unwrap_or(&at).to_string_lossy().into_owned();
                    let bytes =
                        fs::read(&at).with_context(|| format!("cannot read {}", at.display()))?;
                    files.push((inside, bytes));
                }
            }
            files.sort();
            return Ok(Input::Folder { path: path.to_path_buf(), files });
        }
        let bytes = fs::read(path).with_context(context)?;
        if !is_archive(&path.to_string_lossy()) && !bytes.starts_with(b"PK") {
            bail!("{} is neither an archive nor a folder", path.display());
        }
        Ok(Input::Archive { path: path.to_path_buf(), bytes })
    }

    fn size(&self) -> u64 {
        match self {
            Input::Archive { bytes, .. } => bytes.len() as u64,
            Input::Folder { files, .. } => files.iter().map(|(_, b)| b.len() as u64).sum(),
        }
    }

    fn add_to<'s>(&'s self, path: &mut ClassPath<'s>) -> anyhow::Result<()> {
        match self {
            Input::Archive { path: name, bytes } => {
                let jar = Jar::parse(&bytes[..], u16::MAX)
                    .with_context(|| format!("cannot read {}", name.display()))?;
                path.push(jar);
            }
            Input::Folder { files, .. } => {
                let classes = files.iter().filter_map(|(name, bytes)| {
                    Some((name.strip_suffix(".class")?.to_string(), bytes.clone()))
                });
                path.push(MemoryClasses(classes.collect()));
                for (name, bytes) in files.iter().filter(|(name, _)| is_archive(name)) {
                    let jar = Jar::parse(&bytes[..], u16::MAX)
                        .with_context(|| format!("cannot read {name}"))?;
                    path.push(jar);
                }
            }
        }
        Ok(())
    }
}

fn libraries(paths: &[String]) -> anyhow::Result<Vec<Input>> {
    let parts = paths.iter().flat_map(|path| path.split(':')).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let path = Path::new(part);
            if !path.exists() {
                bail!("--cp: there is no {part}");
            }
            Input::read(path)
        })
        .collect()
}

/// The classes of the JDK: of the one given, or of the `java` that would be run.
fn jdk(given: Option<&Path>) -> anyhow::Result<Option<JImage<Vec<u8>>>> {
    let by_path = || {
        let path = std::env::var_os("PATH")?;
        let java = std::env::split_paths(&path).map(|f| f.join("java")).find(|j| j.is_file())?;
        Some(java.canonicalize().ok()?.parent()?.parent()?.to_path_buf())
    };
    let home = match given {
        Some(home) => Some(home.to_path_buf()),
        None => std::env::var_os("JAVA_HOME").map(PathBuf::from).or_else(by_path),
    };
    let Some(home) = home else { return Ok(None) };
    let modules = home.join("lib/modules");
    if !modules.is_file() {
        if given.is_some() {
            bail!("{} is not a JDK: it has no lib/modules", home.display());
        }
        return Ok(None);
    }
    let context = || format!("cannot read {}", modules.display());
    let bytes = fs::read(&modules).with_context(context)?;
    JImage::parse(bytes).with_context(context).map(Some)
}

/// A woven input.
enum Output {
    /// Nothing changed.
    Same,
    Archive(Vec<u8>),
    /// The files that changed or are new.
    Folder(BTreeMap<String, Vec<u8>>),
}

impl Output {
    /// Writes it, completely or not at all.
    fn write(self, target: &Path, input: &Input) -> anyhow::Result<()> {
        if let Some(folder) = target.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        match (self, input) {
            (output, Input::Archive { path, bytes }) => {
                match &output {
                    Output::Archive(woven) => atomic::write(target, woven)?,
                    _ => atomic::write(target, bytes)?,
                }
                // An archive may be a program.
                let permissions = fs::metadata(path).map(|m| m.permissions());
                let done = permissions.and_then(|p| fs::set_permissions(target, p));
                done.with_context(|| format!("cannot set the permissions of {}", target.display()))
            }
            (output, Input::Folder { files, .. }) => {
                let mut all: BTreeMap<&str, &[u8]> =
                    files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
                let changed = match &output {
                    Output::Folder(changed) => changed.clone(),
                    _ => BTreeMap::new(),
                };
                all.extend(changed.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])));
                atomic::write_folder(target, &all)
            }
        }
    }
}

/// Weaving all inputs.
struct Weaving<'w> {
    weaver: &'w Weaver,
    hierarchy: &'w dyn Hierarchy,
    /// What was analysed and what is silenced, for [`ahead::ENTRY`].
    analysed: Option<String>,
    done: Done,
    progress: Progress,
}

/// What came of it.
#[derive(Default)]
struct Done {
    classes: u64,
    bytes: u64,
    woven: u64,
    /// Per property and event, how many sites.
    sites: BTreeMap<(PropertyId, usize), u64>,
    notes: BTreeSet<Note>,
    /// Methods that are called somewhere.
    called: BTreeSet<String>,
    /// Properties some of whose sites are silenced.
    silenced: BTreeSet<String>,
}

impl Weaving<'_> {
    fn input(&mut self, input: &Input, strip_signatures: bool) -> anyhow::Result<Output> {
        let path = hook::CLASS.to_string() + ".class";
        let analysed = self.analysed.iter();
        let analysed = analysed.map(|text| (ahead::ENTRY.to_string(), text.clone().into_bytes()));
        let analysed: Vec<(String, Vec<u8>)> = analysed.collect();
        let extra = [&[(path, hook::empty_class()?)], &analysed[..]].concat();
        match input {
            Input::Archive { path, bytes } => {
                let mut class = |bytes: &[u8]| self.class(bytes);
                let mut rewriter = Rewriter { class: &mut class, strip_signatures, extra: &extra };
                let new = rewriter.archive(&path.to_string_lossy(), bytes)?;
                Ok(new.map_or(Output::Same, Output::Archive))
            }
            Input::Folder { path, files } => {
                let mut changed = BTreeMap::new();
                for (name, bytes) in files {
                    let new = if name.ends_with(".class") {
                        self.class(bytes)
                    } else if is_archive(name) {
                        let mut class = |bytes: &[u8]| self.class(bytes);
                        let mut rewriter =
                            Rewriter { class: &mut class, strip_signatures, extra: &[] };
                        rewriter.archive(&path.join(name).to_string_lossy(), bytes)?
                    } else {
                        None
                    };
                    changed.extend(new.map(|new| (name.clone(), new)));
                }
                if changed.is_empty() {
                    return Ok(Output::Same);
                }
                let is_module = files.iter().any(|(name, _)| name == "module-info.class");
                changed.extend(if is_module { analysed } else { extra });
                Ok(Output::Folder(changed))
            }
        }
    }

    fn class(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.done.classes += 1;
        self.done.bytes += bytes.len() as u64;
        self.progress.update(self.done.bytes, self.done.classes);
        let class = ClassFile::parse(bytes).ok();
        if let Some(class) = &class {
            self.done.note_calls(class);
        }
        let name = class.as_ref().and_then(|c| c.name().ok().map(|n| dotted(&n.to_str())));
        let name = name.unwrap_or_else(|| "a class".to_string());
        // Of a class that is there twice, for several releases of Java, one was analysed.
        let woven = match self.weaver.silenced().judge(&name, bytes) {
            Judged::Fine => self.weaver.weave(bytes, self.hierarchy, &Numbers::default()),
            _ => self.weaver.weave_fully(bytes, self.hierarchy, &Numbers::default()),
        };
        match woven {
            Woven::Unchanged { notes } => {
                self.done.notes.extend(notes);
                None
            }
            Woven::Left { reason } => {
                let text = format!("not woven: {reason}");
                self.done.notes.insert(Note { class: name, method: None, text });
                None
            }
            Woven::Woven(woven) => {
                self.done.woven += 1;
                self.done.notes.extend(woven.notes);
                woven.sites.iter().for_each(|site| self.done.count(site));
                Some(woven.bytes)
            }
        }
    }
}

impl Done {
    fn count(&mut self, site: &Site) {
        for emit in &site.emits {
            for property in &emit.properties {
                *self.sites.entry((*property, emit.event.index())).or_default() += 1;
            }
        }
    }

    fn note_calls(&mut self, class: &ClassFile<'_>) {
        for (index, constant) in class.pool().iter() {
            if matches!(constant, Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. })
                && let Ok(member) = class.pool().member(index)
            {
                let owner = dotted(&member.class.to_str());
                self.called.insert(format!("{owner}.{}", member.name));
            }
        }
    }

    /// Sites per event of a property.
    fn of(&self, property: PropertyId) -> impl Iterator<Item = (usize, u64)> {
        let all = self.sites.range((property, 0)..=(property, usize::MAX));
        all.map(|((_, event), count)| (*event, *count))
    }

    fn tell(&self, model: &Model, global: &Global) {
        let style = Style::new(global.color_on_stderr());
        let mut text = String::new();
        for (index, property) in model.properties.iter().enumerate() {
            if property.is_proven() {
                let name = style.bold(&property.name);
                let _ = writeln!(text, "{name}: proven, nothing to weave");
                continue;
            }
            let id = PropertyId::from_index(index);
            let events: Vec<String> = self
                .of(id)
                .map(|(event, sites)| format!("{} {sites}", model.events[event].name))
                .collect();
            let total: u64 = self.of(id).map(|(_, count)| count).sum();
            let _ = write!(text, "{}: {}", style.bold(&property.name), counted(total, "site"));
            if !events.is_empty() {
                let _ = write!(text, " ({})", events.join(", "));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{} of {} classes woven", count(self.woven), count(self.classes));
        eprint!("{text}");
        for note in &self.notes {
            let method = note.method.as_ref().map_or(String::new(), |m| format!(".{m}"));
            warning(global.color_on_stderr(), &format!("{}{method}: {}", note.class, note.text));
        }
        for text in self.silence(model) {
            warning(global.color_on_stderr(), &text);
        }
    }

    /// Why properties have no site.
    fn silence(&self, model: &Model) -> Vec<String> {
        let mut warnings = Vec::new();
        for (index, property) in model.properties.iter().enumerate() {
            let silenced = self.silenced.contains(&property.name) || property.is_proven();
            if silenced || self.of(PropertyId::from_index(index)).next().is_some() {
                continue;
            }
            let mut text =
                format!("{}: these classes contain none of its program points", property.name);
            let mut named = BTreeSet::new();
            for observed in &property.alphabet {
                let Origin::World(sources) = &model.events[observed.event.index()].origin else {
                    continue;
                };
                for source in sources {
                    let Source::Jvm(source) = source else { continue };
                    let Some(pattern) = source.point.called() else { continue };
                    if pattern.name.text() != "*" {
                        let wanted = format!("{}.{}", pattern.owner.name, pattern.name);
                        named.extend(self.near(&wanted, &pattern.name).map(|n| (wanted, n)));
                    }
                }
            }
            for (wanted, near) in named.iter().take(3) {
                let _ = write!(text, "; there is no call of {wanted}, but of {near}");
            }
            warnings.push(text);
        }
        warnings
    }

    /// The called method nearest to a pattern: of a similar name, or of the same in another class.
    fn near(&self, wanted: &str, method: &Glob) -> Option<String> {
        let by_name = || {
            let same = |name: &&String| {
                name.rsplit_once('.').is_some_and(|(_, called)| method.matches(called))
            };
            self.called.iter().find(same).map(String::as_str)
        };
        nearest(wanted, self.called.iter().map(String::as_str)).or_else(by_name).map(String::from)
    }

    fn to_json(&self, model: &Model) -> Json {
        let properties = model.properties.iter().enumerate().map(|(index, property)| {
            let id = PropertyId::from_index(index);
            let events = self.of(id).map(|(event, count)| {
                Json::object([])
                    .with("name", model.events[event].name.as_str())
                    .with("sites", count)
            });
            Json::object([])
                .with("name", property.name.as_str())
                .with("sites", self.of(id).map(|(_, count)| count).sum::<u64>())
                .with("events", events.collect::<Vec<Json>>())
        });
        let notes = self.notes.iter().map(|note| {
            Json::object([])
                .with("class", note.class.as_str())
                .with_some("method", note.method.as_deref())
                .with("text", note.text.as_str())
        });
        Json::object([])
            .with("watchword", 1u64)
            .with("classes", self.classes)
            .with("woven", self.woven)
            .with("properties", properties.collect::<Vec<Json>>())
            .with("notes", notes.collect::<Vec<Json>>())
            .with("warnings", self.silence(model).into_iter().map(Json::Text).collect::<Vec<_>>())
    }
}
