//! Commands other than `replay`.

use std::process::{Command, Stdio};

use crate::support::{BOUNDED, Dir, binary, root};

const BROKEN: &str = "event e(x)\nproperty P(x) {\n  start state A { on e(x) -> Nowhere }\n}\n";

#[test]
fn help_lists_every_command_and_has_examples() {
    let dir = Dir::new();
    let help = dir.run(&["--help"]).expect(0).stdout;
    for command in [
        "replay", "init", "check", "java", "env", "weave", "analyze", "model", "run", "debug",
        "lint", "explain", "fmt", "new", "list", "graph", "convert", "doctor", "demo",
    ] {
        assert!(help.contains(command), "{command} is not listed");
        let help = dir.run(&[command, "--help"]).expect(0).stdout;
        assert!(help.contains("Examples:"), "{command} --help has no examples");
        assert!(help.contains("--format"), "{command} --help does not tell of --format");
    }
}

#[test]
fn bad_usage_is_status_2() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED);
    let empty = Dir::new();
    let no_properties = empty.path().to_str().unwrap();
    for args in [
        &["frobnicate"][..],
        &["replay"],
        &["replay", "-p", "p.ww"],
        &["replay", "-p", "missing.ww", "t.jsonl"],
        &["replay", "-p", "p.ww", "missing.jsonl"],
        &["replay", "-p", "p.ww", "."],
        &["replay", "-p", "p.ww", "--sort-window", "5", "-"],
        &["replay", "-p", "p.ww", "--report", "out.txt", "-"],
        &["replay", "-p", "p.ww", "--report", "a.xml", "--report", "a.xml", "-"],
        &["replay", "-p", "p.ww", "--baseline", "missing.txt", "-"],
        &["replay", "-p", "p.ww", "--baseline", "p.ww", "-"],
        &["replay", "-p", "p.ww", "--write-baseline", "nowhere/b.txt", "-"],
        &["replay", "-p", "p.ww", "--report", "nowhere/out.json", "-"],
        &["replay", "-p", "p.ww", "--format", "dot", "-"],
        &["replay", "-p", "p.ww", "--evict", "random", "-"],
        &["replay", "-p", "std/nothing", "-"],
        &["replay", "-p", no_properties, "-"],
        &["lint", "missing.ww"],
        &["lint", "p.prop"],
        &["explain", "WW9999"],
        &["graph", "p.ww", "--only", "Nothing"],
        &["convert", "p.ww", "--to", "lrv"],
        &["new", "---"],
    ] {
        let ran = dir.run(args);
        assert_eq!(ran.status, 2, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("error"), "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
    }
    // The commonest of all.
    let ran = dir.run(&["java", "-p", "p.ww", "-jar", "app.jar"]).expect(2);
    assert!(
        ran.stderr.contains("come after `--`: watchword java -p PROP -- -jar"),
        "{}",
        ran.stderr
    );
    for (args, said) in [
        (&["replay", "p.ww", "t.log"][..], "A property needs `-p`: watchword replay -p p.ww t.log"),
        (&["run", "--", "./a.topl"], "`watchword list` names them"),
        (&["replay", "t.log"], "`-p my.ww`"),
        (&["debug", "./program"], "watchword debug -p PROP -- ./program"),
    ] {
        let ran = dir.run(args).expect(2);
        assert!(ran.stderr.contains(said), "{args:?}: {}", ran.stderr);
    }
    // Something else is missing.
    let ran = dir.run(&["replay", "-p", "p.ww"]).expect(2);
    assert!(!ran.stderr.contains("needs `-p`"), "{}", ran.stderr);
    assert_eq!(dir.names(), ["p.ww"], "nothing is half-written");
}

#[test]
fn lint_tells_code_place_and_fix() {
    let dir = Dir::new();
    dir.write("good.ww", BOUNDED).write("bad.ww", BROKEN);
    assert!(dir.run(&["lint", "good.ww"]).expect(0).stdout.contains("1 property"));
    let ran = dir.run(&["lint", "bad.ww"]).expect(2);
    assert!(ran.stdout.contains("bad.ww:3:"), "{}", ran.stdout);
    let ran = dir.run(&["lint", "--format", "json", "good.ww", "bad.ww"]).expect(2);
    let report = ran.json();
    assert_eq!(report["watchword"], 1);
    let first = &report["diagnostics"][0];
    assert_eq!(first["severity"], "error");
    assert_eq!(first["file"], "bad.ww");
    assert_eq!(first["span"]["start"]["line"], 3);
    assert!(first["span"]["end"]["column"].as_u64() > first["span"]["start"]["column"].as_u64());
    let code = first["code"].as_str().unwrap();
    let page = dir.run(&["explain", code]).expect(0).stdout;
    assert!(!page.trim().is_empty());
    assert!(dir.run(&["explain", &code.to_lowercase()]).expect(0).stdout == page);
    dir.run(&["lint", "--format", "json", "good.ww"]).expect(0);
}

#[test]
fn warnings_fail_only_if_asked() {
    let dir = Dir::new();
    dir.write("w.ww", "event e(x)\nproperty P(x) { start state A { on e(x) -> A } }\n");
    let ran = dir.run(&["lint", "w.ww"]).expect(0);
    assert!(ran.stdout.contains("warning"), "{}", ran.stdout);
    dir.run(&["lint", "--strict", "w.ww"]).expect(1);
}

#[test]
fn every_code_is_explained() {
    let dir = Dir::new();
    let codes = dir.run(&["explain", "--format", "json"]).expect(0).json();
    let codes = codes["codes"].as_array().unwrap();
    assert!(codes.len() > 20);
    let mut seen = std::collections::HashSet::new();
    for code in codes {
        let code = code["code"].as_str().unwrap();
        assert!(seen.insert(code), "{code} occurs twice");
        let page = crate::support::root().join(format!("docs/diagnostics/{code}.md"));
        let page = std::fs::read_to_string(page).expect("every code has a page");
        assert!(page.starts_with(&format!("# {code}: ")), "{code}: title");
    }
    let index = crate::support::root().join("docs/diagnostics/README.md");
    let index = std::fs::read_to_string(index).expect("the list of pages");
    for code in &seen {
        assert!(index.contains(&format!("[{code}]({code}.md)")), "{code} is not listed");
    }
    for code in ["WW0101", "WW2002"] {
        assert!(seen.contains(code));
        dir.run(&["explain", code]).expect(0);
    }
}

#[test]
fn fmt_checks_formats_and_leaves_broken_files_alone() {
    let dir = Dir::new();
    let messy = "event   e( x )\nproperty P(x){start state A{on e(x)->B}\nbad state B}\n";
    dir.write("messy.ww", messy).write("broken.ww", "property {{{");
    let ran = dir.run(&["fmt", "--check", "messy.ww"]).expect(1);
    assert!(ran.stdout.contains("messy.ww"), "{}", ran.stdout);
    assert_eq!(dir.read("messy.ww"), messy, "--check writes nothing");
    dir.run(&["fmt", "messy.ww", "broken.ww"]).expect(2);
    assert_eq!(dir.read("messy.ww"), messy, "nothing is written if a file is broken");
    dir.run(&["fmt", "messy.ww"]).expect(0);
    let formatted = dir.read("messy.ww");
    assert_ne!(formatted, messy);
    dir.run(&["fmt", "--check", "messy.ww"]).expect(0);
    assert_eq!(dir.run_with(&["fmt", "-"], messy.as_bytes()).expect(0).stdout, formatted);
    assert_eq!(dir.run(&["convert", "messy.ww", "--to", "ww"]).expect(0).stdout, formatted);
    assert_eq!(dir.names(), ["broken.ww", "messy.ww"], "no temporary files are left");
}

#[test]
fn a_new_property_works_as_it_is() {
    let dir = Dir::new();
    dir.run(&["new", "file-use"]).expect(0);
    let text = dir.read("file-use.ww");
    assert!(text.contains("property FileUse"), "{text}");
    dir.run(&["lint", "--strict", "file-use.ww"]).expect(0);
    dir.run(&["fmt", "--check", "file-use.ww"]).expect(0);
    let ran = dir.run(&["new", "file-use"]).expect(2);
    assert!(ran.stderr.contains("exists"), "{}", ran.stderr);
    assert_eq!(dir.read("file-use.ww"), text);
    assert_eq!(dir.run(&["new", "file-use", "--stdout"]).expect(0).stdout, text);
    let ran = dir.run_with(&["replay", "-p", "file-use.ww", "-"], b"open,1\nread,2\n").expect(1);
    assert!(ran.stdout.contains("read while closed"), "{}", ran.stdout);
}

#[test]
fn graphs_for_graphviz() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED);
    let dot = dir.run(&["graph", "p.ww", "--format", "dot"]).expect(0).stdout;
    assert!(dot.starts_with("digraph"), "{dot}");
    assert!(dot.contains("push(q, ?") && dot.contains("n < 2"), "{dot}");
    assert!(dot.contains("doubleoctagon"), "bad states stand out: {dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

#[test]
fn doctor_always_answers() {
    let dir = Dir::new();
    let report = dir.run(&["doctor", "--format", "json"]).expect(0).json();
    assert_eq!(report["watchword"], 1);
    let checks = report["checks"].as_array().unwrap();
    for name in ["kernel", "ptrace", "java", "gdb", "gcc"] {
        let check = checks.iter().find(|c| c["name"] == name).unwrap();
        let status = check["status"].as_str().unwrap();
        assert!(["ok", "limited", "missing"].contains(&status));
        assert!(status == "ok" || check["fix"].is_string(), "{check}");
    }
    let commands = report["commands"].as_array().unwrap();
    assert!(commands.iter().any(|c| c["commands"] == "run, debug"), "{report}");
    for command in commands {
        let missing = command["missing"].as_array().unwrap();
        assert_eq!(command["status"] == "ok", missing.is_empty(), "{command}");
    }
    let told = dir.run(&["doctor"]).expect(0).stdout;
    assert!(told.contains("works    replay, lint"), "{told}");
    // Without tools on the path, it says which command lacks what, and how to get it.
    let bare = Command::new(binary()).arg("doctor").env("PATH", "/nowhere").output().unwrap();
    let told = String::from_utf8(bare.stdout).unwrap();
    let line =
        told.lines().find(|line| line.contains("needs gcc")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.starts_with("lacks    demo") && line.contains("apt-get install gcc"), "{line}");
}

#[test]
fn the_version_names_the_commit() {
    let told = Dir::new().run(&["--version"]).expect(0).stdout;
    let (version, commit) = told.trim().split_once(" (").unwrap();
    assert_eq!(version, concat!("watchword ", env!("CARGO_PKG_VERSION")));
    let commit = commit.strip_suffix(')').unwrap();
    let is_hash = |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(commit == "commit unknown" || is_hash(commit.split(' ').next().unwrap()), "{told}");
}

#[test]
fn the_list_can_be_searched() {
    let dir = Dir::new();
    let told = dir.run(&["list", "Iterator", "REMOVE"]).expect(0).stdout;
    assert!(told.contains("std/iterator-remove") && !told.contains("std/reply"), "{told}");
    let json = dir.run(&["list", "--format", "json", "--family", "jdk", "jdbc"]).expect(0).json();
    let listed = json["properties"].as_array().unwrap();
    assert!(listed.len() >= 5 && listed.iter().all(|p| p["family"] == "jdk"), "{json}");
    let none = dir.run(&["list", "wombat"]).expect(0);
    assert!(none.stdout.is_empty() && none.stderr.contains("no property"), "{}", none.stderr);
}

#[test]
fn misspelt_properties_have_near_names() {
    let dir = Dir::new();
    dir.write("access.ww", BOUNDED);
    for (name, near) in [
        ("acess.ww", "did you mean `access.ww`?"),
        ("./acess.ww", "did you mean `./access.ww`?"),
        ("reply", "did you mean the shipped `std/reply`?"),
        ("jdk", "did you mean the shipped `std/jdk`?"),
        ("std/replay", "did you mean `std/reply`?"),
    ] {
        let ran = dir.run(&["replay", "-p", name, "-"]).expect(2);
        assert!(ran.stderr.contains(near), "{name}: {}", ran.stderr);
    }
    let ran = dir.run(&["replay", "-p", "nothing-like-it.ww", "-"]).expect(2);
    assert!(!ran.stderr.contains("did you mean"), "{}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_success() {
    // Nobody reads: the first write fails.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(binary())
        .args(["list", "--show", "std/bounded"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let dir = Dir::new();
    dir.write("bad.ww", BROKEN);
    assert!(!dir.run(&["lint", "bad.ww"]).stdout.contains('\x1b'));
    assert!(dir.run(&["lint", "--color", "always", "bad.ww"]).stdout.contains('\x1b'));
}

#[test]
fn imports_are_found_beside_the_file() {
    let dir = Dir::new();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    let (events, property) = BOUNDED.split_at(BOUNDED.find("/// Two").unwrap());
    dir.write("sub/events.ww", events);
    dir.write("sub/p.ww", format!("import \"events.ww\"\n{property}"));
    let ran = dir.run_with(&["replay", "-p", "sub/p.ww", "-"], b"push,1,2\n").expect(0);
    assert!(ran.stdout.contains("Bounded: 1 event"), "{}", ran.stdout);
    dir.write("q.ww", "import \"nothing.ww\"\n");
    let ran = dir.run(&["lint", "q.ww"]).expect(2);
    assert!(ran.stdout.contains("nothing.ww"), "{}", ran.stdout);
}

/// What every command prints for programs begins with the version of the format.
#[test]
fn json_of_every_command() {
    let dir = Dir::new();
    dir.write("p.ww", BOUNDED).write("ugly.ww", BOUNDED.replace("  var", "var"));
    let example = root().join("examples/topl/HasNext.topl");
    let topl = example.to_str().unwrap();
    let told = |args: &[&str], status: i32| {
        let json = dir.run(&[args, &["--format", "json"]].concat()).expect(status).json();
        assert_eq!(json["watchword"], 1, "{args:?}");
        json
    };
    let graph = &told(&["graph", "p.ww"], 0)["graphs"][0];
    assert_eq!(graph["title"], "Bounded(q)");
    assert_eq!(graph["states"][1]["kind"], "bad");
    assert_eq!(graph["transitions"][1]["to"], 1);
    let converted = told(&["convert", topl, "--to", "ww"], 0);
    assert_eq!(converted["language"], "ww");
    assert!(converted["text"].as_str().unwrap().contains("property HasNext"));
    let converted = told(&["convert", topl, "--to", "ww", "-o", "h.ww"], 0);
    assert_eq!(converted["file"], "h.ww");
    assert_eq!(converted["text"].as_str().unwrap(), dir.read("h.ww"));
    let formatted = told(&["fmt", "--check", "p.ww", "ugly.ww"], 1);
    assert_eq!(formatted["files"][0]["changed"], false);
    assert_eq!(formatted["files"][1]["changed"], true);
    assert_eq!(told(&["fmt", "ugly.ww"], 0)["files"][0]["changed"], true);
    assert_eq!(told(&["fmt", "ugly.ww"], 0)["files"][0]["changed"], false);
    assert_eq!(told(&["new", "mine"], 0)["file"], "mine.ww");
    assert!(told(&["new", "mine", "--stdout"], 0)["text"].as_str().unwrap().contains("property"));
    assert_eq!(told(&["demo"], 0)["stops"][0]["property"], "std/login");
    for args in [&["lint", "p.ww"][..], &["list"], &["doctor"], &["explain"], &["explain", "p.ww"]]
    {
        told(args, 0);
    }
}

/// The commands of the example workflow exist, with the flags it gives them.
#[test]
fn the_workflow_says_what_the_command_line_understands() {
    use clap::Parser;
    let workflow = std::fs::read_to_string(root().join("examples/ci/github.yml")).unwrap();
    // Folded lines are one command; a command inside $(…) ends there.
    let text = workflow.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut commands = 0;
    for part in text.split("watchword ").skip(1) {
        let end = ["- name:", ")\"", "if:"].iter().filter_map(|e| part.find(e)).min();
        let words: Vec<&str> = part[..end.unwrap_or(part.len())].split(' ').collect();
        let known = ["replay", "lint", "env", "run", "java", "mvn"];
        if !known.contains(&words[0]) {
            continue;
        }
        let words = words.iter().map(|w| w.trim_matches('\'')).filter(|w| !w.is_empty());
        let line = std::iter::once("watchword").chain(words);
        let parsed = watchword_cli::args::Cli::try_parse_from(line);
        assert!(parsed.is_ok(), "{part}: {}", parsed.err().unwrap());
        commands += 1;
    }
    assert_eq!(commands, 4);
}

#[test]
fn java_is_not_among_the_arguments_of_java() {
    let dir = Dir::new();
    let args = ["java", "-p", "std/safe-iterator", "--", "java", "-cp", ".", "Main"];
    let ran = dir.run(&args).expect(2);
    assert!(ran.stderr.contains("leave out `java` after `--`"), "{}", ran.stderr);
}

#[test]
fn a_misspelt_family_is_recognised() {
    let ran = Dir::new().run(&["env", "java", "-p", "std/jkd"]).expect(2);
    assert!(ran.stderr.contains("did you mean `std/jdk`?"), "{}", ran.stderr);
}

#[test]
fn a_misspelt_trace_is_recognised() {
    let dir = Dir::new();
    dir.write("access.log", "x\n");
    let ran = dir.run(&["replay", "-p", "std/login", "acess.log"]).expect(2);
    assert!(ran.stderr.contains("did you mean `access.log`?"), "{}", ran.stderr);
}
