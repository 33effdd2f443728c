//! What monitoring costs JVM programs: nine applications from Debian, some programs that show how
//! costs grow, and an equivalent aspect as a peer.
//!
//! Every round runs every configuration of a workload once, so that a slow moment of the machine
//! hits all of them; ratios are of processor time, of one round, and the median of all rounds is
//! shown, with the bound that the true median is below with 95 % confidence.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::report::Report;

/// Where Debian puts jars.
pub const JARS: &str = "/usr/share/java";

/// An application: its jars, and what java gets after them. `IN` is the folder of inputs, `OUT` one
/// for output, `SOURCES` the generated Java files.
pub struct Workload {
    pub name: &'static str,
    pub jars: &'static [&'static str],
    arguments: &'static [&'static str],
    /// It says how many problems it found, in its own way.
    pub any_status: bool,
}

pub const WORKLOADS: [Workload; 9] = [
    Workload {
        name: "jgrapht",
        jars: &["jgrapht-core", "jheaps"],
        arguments: &["GraphRun"],
        any_status: false,
    },
    Workload {
        name: "h2",
        jars: &["h2"],
        arguments: &["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:t", "-script", "IN/w.sql"],
        any_status: false,
    },
    Workload {
        name: "closure-compiler",
        jars: &["closure-compiler", "args4j", "guava", "json", "rhino", "js", "jsr305", "ant"],
        arguments: &[
            "com.google.javascript.jscomp.CommandLineRunner",
            "--js",
            "IN/big.js",
            "--js_output_file",
            "OUT/out.js",
            "--warning_level",
            "QUIET",
        ],
        any_status: false,
    },
    Workload {
        name: "javac",
        jars: &[],
        arguments: &[
            "-m",
            "jdk.compiler/com.sun.tools.javac.Main",
            "-nowarn",
            "-proc:none",
            "-d",
            "OUT",
            "SOURCES",
        ],
        any_status: false,
    },
    Workload {
        name: "checkstyle",
        jars: &[
            "antlr4-runtime",
            "commons-lang3",
            "commons-beanutils",
            "commons-collections3",
            "guava",
            "commons-cli",
            "commons-logging",
            "picocli",
            "Saxon-HE",
            "reflections",
            "checkstyle",
            "antlr",
        ],
        arguments: &[
            "com.puppycrawl.tools.checkstyle.Main",
            "-c",
            "/sun_checks.xml",
            "-o",
            "OUT/out.txt",
            "IN/gen",
        ],
        any_status: true,
    },
    Workload {
        name: "plantuml",
        jars: &["../plantuml/plantuml"],
        arguments: &[
            "-Djava.awt.headless=true",
            "net.sourceforge.plantuml.Run",
            "-o",
            "OUT",
            "IN/seq.puml",
        ],
        any_status: false,
    },
    Workload {
        name: "pdfbox",
        jars: &["pdfbox2", "pdfbox2-tools", "fontbox2", "commons-logging"],
        arguments: &["org.apache.pdfbox.tools.PDFBox", "ExtractText", "IN/doc.pdf", "OUT/out.txt"],
        any_status: false,
    },
    Workload {
        name: "fop",
        jars: &[
            "commons-io",
            "serializer",
            "xalan2",
            "xml-apis",
            "batik-all",
            "commons-logging",
            "xercesImpl",
            "xmlgraphics-commons",
            "xml-apis-ext",
            "fontbox2",
            "fop",
            "qdox",
        ],
        arguments: &[
            "-Djava.awt.headless=true",
            "org.apache.fop.cli.Main",
            "-q",
            "IN/doc.fo",
            "OUT/doc.pdf",
        ],
        any_status: false,
    },
    Workload {
        name: "jython",
        jars: &[
            "jython",
            "guava",
            "jnr-posix",
            "jnr-constants",
            "jnr-netdb",
            "jffi",
            "antlr3-runtime",
            "icu4j",
            "commons-compress",
            "netty-all",
            "asm",
            "asm-commons",
            "bcprov",
            "bcpkix",
            "xercesImpl",
            "jline2",
        ],
        arguments: &["-Dpython.home=/usr/share/jython", "org.python.util.jython", "IN/w.py"],
        any_status: false,
    },
];

/// Names, and properties: files relative to the repository, or those that are shipped. What is shipped has bars of its
/// own, for the geometric mean and for the worst of the applications.
pub const CONFIGURATIONS: [(&str, &[&str]); 6] = [
    ("HasNext", &["examples/java/has-next-called.ww"]),
    ("SafeListIterator", &["examples/java/safe-list-iterator.ww"]),
    ("SafeMapIterator", &["examples/java/safe-map-iterator.ww"]),
    (
        "all three",
        &[
            "examples/java/has-next-called.ww",
            "examples/java/safe-list-iterator.ww",
            "examples/java/safe-map-iterator.ww",
        ],
    ),
    ("std/safe-iterator", &["std/safe-iterator"]),
    ("std/jdk", &["std/jdk"]),
];

/// The bars of what is shipped, and those of the rest together.
const SHIPPED: [(&str, [f64; 2]); 2] =
    [("std/safe-iterator", [1.08, 1.25]), ("std/jdk", [1.35, 1.8])];
const TUNED: [f64; 2] = [1.3, 2.0];

/// How much is run.
pub struct Amount {
    /// Rounds of every workload.
    pub runs: usize,
    /// How many of the workloads.
    pub workloads: usize,
    /// If not empty: workloads and tables (`growth`, `attach`, `topl`) to be measured.
    pub only: Vec<String>,
}

impl Amount {
    fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// Measures something and adds a table.
type Table = fn(&Bench<'_>, &mut Report);

/// The tables beside that of the applications.
const TABLES: [(&str, Table); 4] =
    [("loops", loops), ("growth", growth), ("attach", attach), ("topl", topl)];

/// One run of a program.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub cpu: f64,
    pub wall: f64,
    /// Most resident memory, in MiB.
    pub memory: f64,
    events: u64,
    instances: u64,
    violations: u64,
}

/// A folder to work in, and what to run in it.
pub struct Bench<'b> {
    pub scratch: &'b Path,
    pub ours: PathBuf,
    root: PathBuf,
    runs: usize,
}

/// Measures, and adds the tables.
pub fn all(report: &mut Report, scratch: &Path, amount: &Amount) {
    report.line("\n# Watchword, JVM programs");
    let bench = Bench::new(scratch, amount.runs);
    if let Err(why) = bench.prepare() {
        report.line(format!("\nnothing was measured: {why}"));
        return;
    }
    let known = WORKLOADS.iter().map(|w| w.name).chain(TABLES.map(|(name, _)| name));
    let known: Vec<&str> = known.collect();
    for name in amount.only.iter().filter(|name| !known.contains(&name.as_str())) {
        report.line(format!("\nthere is no {name}: there are {}", known.join(", ")));
    }
    let cells = applications(&bench, report, amount);
    for (_, table) in TABLES.iter().filter(|(name, _)| amount.has(name)) {
        table(&bench, report);
    }
    let is_shipped = |name: &str| SHIPPED.iter().any(|(shipped, _)| *shipped == name);
    for (name, bars) in SHIPPED.into_iter().chain([("tuned properties", TUNED)]) {
        let of = |cell: &&Cell| cell.0 == name || name == "tuned properties" && !is_shipped(cell.0);
        let ratios: Vec<f64> = cells.iter().filter(of).map(|cell| cell.1).collect();
        if ratios.is_empty() {
            continue;
        }
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let mean = (ratios.iter().map(|c| c.ln()).sum::<f64>() / ratios.len() as f64).exp();
        report.bar(&format!("JVM applications, {name}, geometric mean"), mean, bars[0], "×");
        report.bar(&format!("JVM applications, {name}, worst"), worst, bars[1], "×");
    }
}

/// A configuration, and its ratio for one application.
type Cell = (&'static str, f64);

/// The nine applications; answers the ratios.
fn applications(bench: &Bench<'_>, report: &mut Report, amount: &Amount) -> Vec<Cell> {
    if !WORKLOADS.iter().any(|workload| amount.has(workload.name)) {
        return Vec::new();
    }
    report.table(
        &format!("Applications ({} interleaved runs)", bench.runs),
        &["", "", "CPU", "95 %", "time", "peak memory", "events", "instances", "violations"],
    );
    let mut cells = Vec::new();
    let mut missing = Vec::new();
    let mut left = amount.workloads;
    for workload in WORKLOADS.iter().filter(|workload| amount.has(workload.name)) {
        let Some(arguments) = bench.arguments(workload) else {
            missing.push(workload.name);
            continue;
        };
        if left == 0 {
            continue;
        }
        left -= 1;
        let peer = (workload.name == "jgrapht").then(|| bench.aspect(&arguments)).flatten();
        let mut commands: Vec<(&str, Vec<String>)> =
            vec![("plain", bench.plain(&arguments)), ("plain again", bench.plain(&arguments))];
        for (name, properties) in CONFIGURATIONS {
            commands.push((name, bench.monitored(properties, &[], &arguments)));
        }
        // A peer that does not run is left out, and not the workload.
        let runs = |peer: &Vec<String>| bench.run(peer, workload.any_status).is_some();
        match peer {
            Some(peer) if runs(&peer) => commands.push(("HasNext, AspectJ", peer)),
            Some(_) => missing.push("AspectJ's weaver, which fails"),
            None if workload.name == "jgrapht" => missing.push("AspectJ's weaver"),
            None => {}
        }
        let samples = bench.rounds(&commands, workload.any_status);
        let Some(samples) = samples else {
            report.row(&[workload.name.into(), "could not be run".into()]);
            continue;
        };
        for ((name, _), runs) in commands.iter().zip(&samples) {
            let ratio = Ratio::of(runs, &samples[0]);
            if let Some((known, _)) = CONFIGURATIONS.iter().find(|(known, _)| known == name) {
                cells.push((*known, ratio.median));
            }
            report.row(&row(workload.name, name, runs, &ratio));
        }
    }
    if !missing.is_empty() {
        report.line(format!(
            "\nleft out, because what they need is not installed (`scripts/bench-jvm.sh`): {}",
            missing.join(", ")
        ));
    }
    cells
}

/// The properties the TOPL paper checked on real programs (its §8.2), on the versions Debian has.
/// PMD is not in Debian: it is taken from the local repository of Maven, or `PMD_JARS` names it.
fn topl(bench: &Bench<'_>, report: &mut Report) {
    report.table(
        "TOPL on real programs",
        &["", "", "CPU", "95 %", "time", "peak memory", "events", "instances", "violations"],
    );
    let classes = bench.scratch.join("classes").display().to_string();
    let tomcat: Vec<String> = std::fs::read_dir(JARS)
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path().display().to_string())
        .filter(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.starts_with("tomcat9-")
                || ["servlet-api.jar", "el-api.jar", "jsp-api.jar"].contains(&name)
        })
        .collect();
    let mut programs: Vec<(&str, String, Vec<&str>)> = Vec::new();
    if bench.scratch.join("classes/TomcatRun.class").is_file() {
        let path = format!("{classes}:{}", tomcat.join(":"));
        programs.push(("tomcat", path, vec!["TomcatRun", "1500"]));
    }
    let script = bench.scratch.join("in/w.sql").display().to_string();
    if Path::new(JARS).join("h2.jar").is_file() {
        let main = ["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:t", "-script", &script];
        programs.push(("h2", jar_path(&["h2"]), main.to_vec()));
    }
    let sources = bench.scratch.join("in/old").display().to_string();
    if let Some(pmd) = std::env::var("PMD_JARS").ok().or_else(maven_pmd) {
        let rules = "rulesets/basic.xml,rulesets/unusedcode.xml";
        programs.push(("pmd", pmd, vec!["net.sourceforge.pmd.PMD", &sources, "text", rules]));
    }
    for (name, path, main) in &programs {
        let mut arguments = vec!["-Xmx1g".to_string(), "-cp".to_string(), path.clone()];
        arguments.extend(main.iter().map(|word| word.to_string()));
        let file = format!("examples/topl/programs/{name}.topl");
        let mut commands = vec![("plain", bench.plain(&arguments))];
        for (limit, flags) in [
            ("no limit", &[][..]),
            ("at most 0", &["--max-instances", "0"]),
            ("at most 10", &["--max-instances", "10"]),
            ("at most 100", &["--max-instances", "100"]),
        ] {
            commands.push((limit, bench.monitored(&[&file], flags, &arguments)));
        }
        let Some(samples) = bench.rounds(&commands, *name == "pmd") else {
            report.row(&[name.to_string(), "could not be run".into()]);
            continue;
        };
        for ((which, _), runs) in commands.iter().zip(&samples) {
            report.row(&row(name, which, runs, &Ratio::of(runs, &samples[0])));
        }
    }
    for name in ["tomcat", "h2", "pmd"] {
        if !programs.iter().any(|(known, ..)| known == &name) {
            report.line(format!("\n{name} was left out: it is not installed"));
        }
    }
}

/// PMD 4.2.5, which the paper checked, as `mvn dependency:get` leaves it, with what it needs.
pub fn maven_pmd() -> Option<String> {
    let repository = Path::new(&std::env::var_os("HOME")?).join(".m2/repository");
    let jars = ["pmd/pmd/4.2.5/pmd-4.2.5", "jaxen/jaxen/1.1.1/jaxen-1.1.1", "asm/asm/3.1/asm-3.1"];
    let jars = jars.map(|jar| repository.join(format!("{jar}.jar")));
    let path: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
    jars.iter().all(|jar| jar.is_file()).then(|| path.join(":"))
}

/// What an element of a loop over a list costs in code that C2 has compiled, in processor time of the threads that loop,
/// each over a list of its own.
fn loops(bench: &Bench<'_>, report: &mut Report) {
    report.table("Loops over a list of 1000, ns per element", &["", "one thread", "two threads"]);
    let arguments = |threads: u32| -> Vec<String> {
        let classes = bench.scratch.join("classes").display().to_string();
        ["-cp", &classes, "Loop", "1000", &threads.to_string()].map(str::to_string).to_vec()
    };
    // What an element may cost above that of a plain loop.
    let all: [(&str, Option<&str>, f64); 5] = [
        ("plain", None, 0.0),
        ("std/safe-iterator", Some("std/safe-iterator"), 2.0),
        ("std/has-next", Some("std/has-next"), 1.0),
        ("std/jdk", Some("std/jdk"), 8.0),
        ("SafeListIterator", Some("examples/java/safe-list-iterator.ww"), f64::INFINITY),
    ];
    let mut samples = vec![[Vec::new(), Vec::new()]; all.len()];
    for _ in 0..bench.runs {
        for ((_, property, _), samples) in all.iter().zip(&mut samples) {
            for (threads, samples) in (1..).zip(samples) {
                let arguments = arguments(threads);
                let command = match property {
                    None => bench.plain(&arguments),
                    Some(property) => bench.monitored(&[property], &[], &arguments),
                };
                let Ok(ran) = Command::new(&command[0]).args(&command[1..]).output() else {
                    return;
                };
                let text = String::from_utf8_lossy(&ran.stdout);
                samples.extend(text.trim().parse::<f64>());
            }
        }
    }
    let each: Vec<[f64; 2]> =
        samples.into_iter().map(|two| two.map(|one| median(one.into_iter()))).collect();
    let plain = each[0];
    for ((name, _, most), [one, two]) in all.into_iter().zip(each) {
        report.row(&[name.to_string(), format!("{one:.2}"), format!("{two:.2}")]);
        if most > 0.0 && most.is_finite() {
            report.bar(&format!("loop, {name}, above plain"), one - plain[0], most, " ns");
            // As slow with two threads as with one, but for what the machine does beside.
            let ratio = (two / plain[1]) / (one / plain[0]);
            report.bar(&format!("loop, {name}, two threads to one"), ratio, 1.2, "×");
        }
    }
}

/// How costs grow with the length of a run.
fn growth(bench: &Bench<'_>, report: &mut Report) {
    report.table(
        "Growth",
        &["", "", "CPU", "95 %", "time", "peak memory", "events", "instances", "violations"],
    );
    let classes = bench.scratch.join("classes");
    let micro = |what: &str, count: &str| {
        ["-Xmx256m", "-cp", &classes.display().to_string(), "Micro", what, count]
            .map(str::to_string)
            .to_vec()
    };
    let engine: &[&str] = &["examples/residual/maps.ww"];
    let loops = [
        ("keySet loops", "keys", CONFIGURATIONS[2].1, [("10^5", "100000"), ("10^6", "1000000")]),
        // The engine's instances of dead iterators must not be stepped by every change.
        ("loops with changes, engine", "changes", engine, [("10^4", "10000"), ("10^5", "100000")]),
    ];
    for (what, program, property, counts) in loops {
        let mut times = Vec::new();
        for (power, count) in counts {
            let arguments = micro(program, count);
            let commands = vec![
                ("plain", bench.plain(&arguments)),
                ("SafeMapIterator", bench.monitored(property, &[], &arguments)),
            ];
            let Some(samples) = bench.rounds(&commands, false) else { continue };
            for ((which, _), runs) in commands.iter().zip(&samples) {
                let ratio = Ratio::of(runs, &samples[0]);
                report.row(&row(&format!("{power} {what}"), which, runs, &ratio));
            }
            times.push((
                median(samples[1].iter().map(|r| r.cpu)),
                median(samples[1].iter().map(|r| r.memory)),
            ));
        }
        if let [few, many] = times[..] {
            report.bar(&format!("ten times the {what}, time"), many.0 / few.0, 12.0, "×");
            report.bar(&format!("ten times the {what}, memory"), many.1 / few.1, 1.3, "×");
        }
    }
    collections(bench, report, &micro("iterators", "100000000"));
}

/// How often many short-lived iterators are run, plain and monitored by turns, to see the garbage
/// collections they bring about.
const COLLECTION_ROUNDS: usize = 3;

/// Rounds of work per iterator of a plain program, to see how long one takes.
const WORK: usize = 100;

/// Garbage collections that many short-lived iterators bring about: how many, and for how long the
/// program stood still at one of them, as the JVM logs it. The lower quartile, of one collecting
/// thread: a pause lasts less than a millisecond, and the machine has other things to do.
///
/// A pause lasts longer if the last one is long ago, monitored or not: caches are cold, and threads
/// sleep deeper. So there is also a plain program that works as long between two iterators as the
/// monitored one takes.
fn collections(bench: &Bench<'_>, report: &mut Report, program: &[String]) {
    let run = |what: &str, properties: Option<&[&str]>, pace: usize| {
        eprintln!("collections: {what}");
        let log = bench.scratch.join("gc.log");
        let mut arguments = vec![format!("-Xlog:gc:file={}", log.display())];
        let flags = ["-Xmn16m", "-XX:ParallelGCThreads=1", "-XX:-DoEscapeAnalysis"];
        arguments.extend(flags.map(str::to_string));
        arguments.extend(program.iter().cloned());
        arguments.push(pace.to_string());
        let command = match properties {
            None => bench.plain(&arguments),
            Some(properties) => bench.monitored(properties, &[], &arguments),
        };
        let cpu = bench.run(&command, false)?.cpu;
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let lines = text.lines().filter(|line| line.contains("Pause"));
        let lengths = lines.filter_map(|line| line.rsplit(' ').next()?.strip_suffix("ms"));
        Some((cpu, lengths.filter_map(|length| length.parse().ok()).collect::<Vec<f64>>()))
    };
    let (Some((quick, _)), Some((slow, _))) = (run("plain", None, 0), run("pace", None, WORK))
    else {
        return;
    };
    let all = [("plain", None)].into_iter();
    let all = all.chain(CONFIGURATIONS.map(|(name, files)| (name, Some(files))));
    let mut plain = (0.0, 0.0);
    let mut worst = [0.0_f64; 3];
    for (name, properties) in all {
        let mut of = [Vec::new(), Vec::new()];
        let mut cpu = Vec::new();
        for round in 1..=COLLECTION_ROUNDS {
            let what = format!("{name}, round {round} of {COLLECTION_ROUNDS}");
            let Some((took, pauses)) = run(&what, properties, 0) else { return };
            let pace = (WORK as f64 * (took - quick) / (slow - quick)).max(0.0) as usize;
            let Some((_, paced)) = run("plain, as slow", None, pace) else { return };
            of[0].extend(pauses);
            of[1].extend(paced);
            cpu.push(took);
        }
        let [(count, pause), (_, paced)] = of.map(|mut pauses| {
            pauses.sort_by(f64::total_cmp);
            let quartile = pauses.get(pauses.len() / 4).copied().unwrap_or(f64::NAN);
            (pauses.len() as f64 / COLLECTION_ROUNDS as f64, quartile)
        });
        report.line(format!(
            "\n10^8 short-lived iterators, {name}: {count:.0} collections of {pause:.2} ms \
             (plain and as slow: {paced:.2} ms), {:.1} s CPU",
            median(cpu.into_iter())
        ));
        if properties.is_none() {
            plain = (count, pause);
            continue;
        }
        let ratios = [count / plain.0, pause / paced, pause / plain.1];
        worst = std::array::from_fn(|at| worst[at].max(ratios[at]));
    }
    report.bar("10^8 iterators, collections", worst[0], 1.2, "×");
    report.bar("10^8 iterators, pause, plain as slow", worst[1], 1.2, "×");
    report.bar("10^8 iterators, pause, plain", worst[2], 1.2, "×");
}

/// What it costs to be there at all: a program of 190 classes, each used once, and one that works
/// for about a second, as the one others have published figures of.
fn attach(bench: &Bench<'_>, report: &mut Report) {
    report.table(
        "A program of 190 classes",
        &["", "", "CPU", "95 %", "time", "peak memory", "events", "instances", "violations"],
    );
    let arguments = |times: u32| -> Vec<String> {
        let classes = bench.scratch.join("small").display().to_string();
        ["-cp", &classes, "Small", &times.to_string()].map(str::to_string).to_vec()
    };
    let Some(second) = a_second_of(|times| bench.run(&bench.plain(&arguments(times)), false))
    else {
        return;
    };
    for (what, times) in [("each used once", 1), ("a second of work", second)] {
        let arguments = arguments(times);
        let commands = vec![
            ("plain", bench.plain(&arguments)),
            ("one property", bench.monitored(CONFIGURATIONS[0].1, &[], &arguments)),
            ("all shipped", bench.command(&["-p", "std/all"], &arguments)),
        ];
        let Some(samples) = bench.rounds(&commands, false) else { return };
        for ((name, _), runs) in commands.iter().zip(&samples) {
            report.row(&row(what, name, runs, &Ratio::of(runs, &samples[0])));
        }
        if times > 1 {
            let ratio = |at: usize| Ratio::of(&samples[at], &samples[0]).median;
            report.bar("190 classes, one property", ratio(1), 1.15, "×");
            report.bar("190 classes, all shipped", ratio(2), 1.5, "×");
        }
    }
}

/// How often a program has to be told to work for a second of processor time, as the published one
/// does. Machines differ.
fn a_second_of(run: impl Fn(u32) -> Option<Run>) -> Option<u32> {
    const FEW: u32 = 1;
    const MANY: u32 = 200_000;
    let cpu = |times| {
        let runs: Option<Vec<Run>> = (0..3).map(|_| run(times)).collect();
        runs.map(|runs| median(runs.iter().map(|run| run.cpu)))
    };
    let (start, worked) = (cpu(FEW)?, cpu(MANY)?);
    Some((f64::from(MANY) * (1.0 - start) / (worked - start)).max(1000.0) as u32)
}

fn row(workload: &str, name: &str, runs: &[Run], ratio: &Ratio) -> Vec<String> {
    let last = runs.last().cloned().unwrap_or_default();
    vec![
        workload.to_string(),
        name.to_string(),
        format!("{:.2}×", ratio.median),
        format!("≤ {:.2}×", ratio.bound),
        format!("{:.2} s", median(runs.iter().map(|r| r.wall))),
        format!("{:.0} MiB", median(runs.iter().map(|r| r.memory))),
        last.events.to_string(),
        last.instances.to_string(),
        last.violations.to_string(),
    ]
}

/// A ratio of processor times, round by round.
struct Ratio {
    median: f64,
    /// The true median is below, with 95 % confidence.
    bound: f64,
}

impl Ratio {
    fn of(runs: &[Run], base: &[Run]) -> Ratio {
        let mut ratios: Vec<f64> =
            runs.iter().zip(base).map(|(run, base)| run.cpu / base.cpu.max(0.01)).collect();
        ratios.sort_by(f64::total_cmp);
        let bound = ratios[upper(ratios.len())];
        Ratio { median: median(ratios.into_iter()), bound }
    }
}

/// The position, among so many sorted samples, of one that is above the median with 95 %
/// confidence: fewer than that many of them fall below it in 95 % of all cases.
fn upper(samples: usize) -> usize {
    let mut ways = 0.5f64.powi(samples as i32);
    let mut below = 0.0;
    for k in 0..samples {
        below += ways;
        if below >= 0.95 {
            return k;
        }
        ways *= (samples - k) as f64 / (k + 1) as f64;
    }
    samples.saturating_sub(1)
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

impl<'b> Bench<'b> {
    /// A folder, and how often to run everything.
    pub fn new(scratch: &'b Path, runs: usize) -> Bench<'b> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let ours =
            std::env::current_exe().expect("this program has a path").with_file_name("watchword");
        Bench { scratch, ours, root, runs }
    }

    /// Generates inputs and compiles drivers.
    pub fn prepare(&self) -> Result<(), String> {
        let sources = self.root.join("bench/jvm");
        let classes = self.scratch.join("classes");
        let inputs = self.scratch.join("in");
        let jars = jar_path(&[
            "jgrapht-core",
            "jheaps",
            "aspectjrt",
            "tomcat9-embed-core",
            "tomcat9-api",
            "tomcat9-catalina",
            "tomcat9-coyote",
            "tomcat9-util",
            "tomcat9-juli",
            "tomcat9-servlet-api",
            "servlet-api",
        ]);
        let tool = |program: &str, arguments: &[&str]| {
            let done = Command::new(program).args(arguments).stdout(Stdio::null()).status();
            match done {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("{program} {}: {status}", arguments.join(" "))),
                Err(error) => Err(format!("{program}: {error}")),
            }
        };
        let classes_text = classes.display().to_string();
        let compile = |file: &str, release: &str| {
            let file = sources.join(file).display().to_string();
            let flags = ["--release", release, "-nowarn", "-g", "-d", &classes_text];
            tool("javac", &[&flags[..], &["-cp", &jars, &file]].concat())
        };
        compile("Inputs.java", "17")?;
        compile("Micro.java", "17")?;
        compile("Loop.java", "17")?;
        // These need packages; their rows are left out without them. Debian's weaver of AspectJ does
        // not know newer class files.
        let _ = compile("GraphRun.java", "11");
        let _ = compile("HasNextAspect.java", "11");
        let _ = compile("TomcatRun.java", "17");
        tool("java", &["-cp", &classes_text, "Inputs", &inputs.display().to_string()])?;
        let small = self.scratch.join("small").display().to_string();
        let folder = inputs.join("small").display().to_string();
        tool(
            "javac",
            &["-nowarn", "-d", &small, "-sourcepath", &folder, &format!("{folder}/Small.java")],
        )?;
        let aop = classes.join("META-INF");
        std::fs::create_dir_all(&aop).map_err(|e| e.to_string())?;
        let text = "<aspectj><aspects><aspect name=\"HasNextAspect\"/></aspects>\
            <weaver options=\"-nowarn -Xlint:ignore\"/></aspectj>";
        std::fs::write(aop.join("aop.xml"), text).map_err(|e| e.to_string())
    }

    /// The arguments of java for a workload; `None` if something is not installed.
    pub fn arguments(&self, workload: &Workload) -> Option<Vec<String>> {
        let classes = self.scratch.join("classes");
        let missing = |jar: &&&str| !Path::new(JARS).join(format!("{jar}.jar")).is_file();
        if workload.jars.iter().any(|jar| missing(&jar)) {
            return None;
        }
        let out = self.scratch.join("out");
        std::fs::create_dir_all(&out).ok()?;
        let mut arguments = vec!["-Xmx1g".to_string(), "-cp".to_string()];
        arguments.push(format!("{}:{}", classes.display(), jar_path(workload.jars)));
        for argument in workload.arguments {
            if *argument == "SOURCES" {
                let mut files: Vec<String> = std::fs::read_dir(self.scratch.join("in/gen"))
                    .ok()?
                    .flatten()
                    .map(|file| file.path().display().to_string())
                    .collect();
                files.sort();
                arguments.extend(files);
                continue;
            }
            let inputs = self.scratch.join("in").display().to_string();
            let text = argument.replace("IN/", &format!("{inputs}/"));
            arguments.push(match text.as_str() {
                "OUT" => out.display().to_string(),
                text => text.replace("OUT/", &format!("{}/", out.display())),
            });
        }
        Some(arguments)
    }

    pub fn plain(&self, arguments: &[String]) -> Vec<String> {
        std::iter::once("java".to_string()).chain(arguments.iter().cloned()).collect()
    }

    fn monitored(&self, properties: &[&str], flags: &[&str], arguments: &[String]) -> Vec<String> {
        let files: Vec<String> = properties.iter().map(|file| self.property(file)).collect();
        let mut all: Vec<&str> = files.iter().flat_map(|file| ["-p", file]).collect();
        all.extend(flags);
        self.command(&all, arguments)
    }

    /// A property as the command line takes it.
    fn property(&self, name: &str) -> String {
        match name.starts_with("std/") {
            true => name.to_string(),
            false => self.root.join(name).display().to_string(),
        }
    }

    pub fn command(&self, flags: &[&str], arguments: &[String]) -> Vec<String> {
        let report = self.scratch.join("report.json").display().to_string();
        let mut all = vec![self.ours.display().to_string(), "java".to_string()];
        all.extend(flags.iter().map(|flag| flag.to_string()));
        // The classes of the compiler are the program there.
        if arguments.iter().any(|a| a.starts_with("jdk.compiler/")) {
            all.extend(["--scope", "com.sun.tools.*"].map(str::to_string));
        }
        all.extend(["--report", &report, "-q", "--"].map(str::to_string));
        all.extend(arguments.iter().cloned());
        all
    }

    /// The equivalent aspect, woven while classes load; `None` if the package is not installed.
    fn aspect(&self, arguments: &[String]) -> Option<Vec<String>> {
        let weaver = format!("{JARS}/aspectjweaver.jar");
        if !Path::new(&weaver).is_file()
            || !self.scratch.join("classes/HasNextAspect.class").is_file()
        {
            return None;
        }
        let mut all = vec!["java".to_string(), format!("-javaagent:{weaver}")];
        all.extend(["--add-opens", "java.base/java.lang=ALL-UNNAMED"].map(str::to_string));
        all.extend(arguments.iter().cloned());
        let at = all.iter().position(|a| a == "-cp")? + 1;
        let path = format!("{}:{JARS}/aspectjrt.jar", all[at]);
        all[at] = path;
        Some(all)
    }

    /// Runs every command once per round. `None` if one of them fails.
    pub fn rounds(
        &self,
        commands: &[(&str, Vec<String>)],
        any_status: bool,
    ) -> Option<Vec<Vec<Run>>> {
        let mut samples = vec![Vec::new(); commands.len()];
        let start = Instant::now();
        for round in 1..=self.runs {
            for ((name, command), samples) in commands.iter().zip(&mut samples) {
                // Tells whoever waits what is going on: rounds take minutes.
                let seconds = start.elapsed().as_secs();
                eprintln!("round {round} of {}, {seconds} s so far: {name}", self.runs);
                match self.run(command, any_status) {
                    Some(run) => samples.push(run),
                    None => {
                        eprintln!("failed ({name}): {}", command.join(" "));
                        return None;
                    }
                }
            }
        }
        Some(samples)
    }

    pub fn run(&self, command: &[String], any_status: bool) -> Option<Run> {
        let report = self.scratch.join("report.json");
        let _ = std::fs::remove_file(&report);
        let (start, before) = (Instant::now(), children_cpu());
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(self.scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (status, memory) = watch(&mut child)?;
        let wall = start.elapsed().as_secs_f64();
        if !status && !any_status {
            return None;
        }
        let mut run = Run { cpu: children_cpu() - before, wall, memory, ..Run::default() };
        if let Ok(text) = std::fs::read_to_string(&report) {
            let properties = text.split("\"properties\":[").nth(1)?.split(']').next()?;
            let sum = |key: &str| {
                let key = format!("\"{key}\":");
                let parts = properties.split(&key).skip(1);
                parts
                    .filter_map(|rest| rest.split([',', '}']).next()?.trim().parse::<u64>().ok())
                    .sum()
            };
            (run.events, run.instances) = (sum("events"), sum("instances"));
            run.violations = sum("violations");
        }
        Some(run)
    }
}

fn jar_path(jars: &[&str]) -> String {
    jars.iter().fold(String::new(), |mut path, jar| {
        let _ = write!(path, "{JARS}/{jar}.jar:");
        path
    })
}

/// Waits for a process; answers whether it went well, and the most memory it or a child of it had.
fn watch(child: &mut Child) -> Option<(bool, f64)> {
    let mut most = 0.0f64;
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some((status.success(), most));
        }
        let pid = child.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.unwrap_or_default();
        for pid in std::iter::once(pid.to_string()).chain(children.split(' ').map(str::to_string)) {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
            most = most.max(kib.unwrap_or(0.0) / 1024.0);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processor time of all processes that were waited for, in seconds.
pub fn children_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    // After the name: state is the first; the children's user and system time are 14th and 15th.
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(14) + ticks(15)) / 100.0
}
