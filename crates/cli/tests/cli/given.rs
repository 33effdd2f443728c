//! Values of params and sources of events from the command line.

use crate::support::{Dir, root};

fn sample(name: &str) -> String {
    root().join("examples/logs").join(name).to_str().unwrap().to_string()
}

const FAILED: &str = r"login_failed=/Failed password for (?<user>\S+) from/";
const ACCEPTED: &str = r"login_succeeded=/Accepted \w+ for (?<user>\S+) from/";

#[test]
fn shipped_properties_check_foreign_logs() {
    let dir = Dir::new();
    let bound = ["-p", "std/failed-logins", "--bind", FAILED, "--bind", ACCEPTED];
    for log in ["syslog.log", "syslog-iso.log", "syslog-5424.log"] {
        let log = sample(log);
        let ran = dir.run(&[&["replay"], &bound[..], &[&log]].concat()).expect(1);
        assert!(ran.stdout.contains("root fails to log in 5 times within 1 min"), "{}", ran.stdout);
        assert!(
            ran.stdout.contains("FailedLogins: 6 events, 1 instance, 1 violation"),
            "{}",
            ran.stdout
        );
        for set in ["limit=6", "FailedLogins.limit=6"] {
            dir.run(&[&["replay"], &bound[..], &["--set", set, &log]].concat()).expect(0);
        }
        // Times of the old format are whole seconds.
        let status = i32::from(log.ends_with("/syslog.log"));
        let short = ["--set", "period=1us", log.as_str()];
        dir.run(&[&["replay"], &bound[..], &short].concat()).expect(status);
    }
    let json = sample("journald.json");
    let source = r#"login_failed=.SYSLOG_IDENTIFIER == "sshd" and .MESSAGE == "Failed password*" with user = ._HOSTNAME"#;
    let args = ["replay", "-p", "std/failed-logins", "--bind", source, "--set", "limit=3", &json];
    let ran = dir.run(&args).expect(1);
    assert!(ran.stdout.contains("web1 fails to log in 3 times"), "{}", ran.stdout);
}

#[test]
fn fields_give_the_parameters_of_their_names() {
    let dir = Dir::new();
    dir.write(
        "app.jsonl",
        "{\"time\":\"2024-05-01T09:00:00Z\",\"kind\":\"request\",\"id\":7}\n\
         {\"time\":\"2024-05-01T09:00:03Z\",\"kind\":\"reply\",\"id\":7}\n",
    );
    let bound = [
        "replay",
        "-p",
        "std/reply",
        "--bind",
        "request=.kind == \"request\"",
        "--bind",
        "reply=.kind == \"reply\"",
        "app.jsonl",
    ];
    dir.run(&bound).expect(0);
    let ran = dir.run(&[&bound[..], &["--set", "limit=2s"]].concat()).expect(1);
    assert!(ran.stdout.contains("Reply: no reply within 2 s"), "{}", ran.stdout);
    assert!(ran.stdout.contains("with id = 7"), "{}", ran.stdout);
}

#[test]
fn every_command_that_reads_properties_takes_them() {
    let dir = Dir::new();
    for command in [
        &["replay"][..],
        &["java"],
        &["env", "java"],
        &["weave"],
        &["analyze"],
        &["model"],
        &["run"],
        &["debug"],
        &["lint"],
        &["explain"],
        &["graph"],
        &["convert"],
    ] {
        let help = dir.run(&[command, &["--help"]].concat()).expect(0).stdout;
        assert!(help.contains("--set <NAME=VALUE>"), "{command:?}");
        assert!(help.contains("--bind <EVENT=SOURCE>"), "{command:?}");
    }
    for command in ["lint", "explain", "graph"] {
        let ran = dir.run(&[command, "std/reply", "--set", "limit=2s"]).expect(0);
        assert!(command == "lint" || ran.stdout.contains("2 s"), "{}", ran.stdout);
        let ran = dir.run(&[command, "std/reply", "--set", "limti=2s"]).expect(2);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("did you mean `limit`?") && said.contains("--set:1:1"), "{said}");
        let ran = dir.run(&[command, "std/reply", "--bind", "reply=/(?<di>.)/"]).expect(2);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("WW0501") && said.contains("--bind:1:"), "{said}");
    }
    let ran = dir.run(&["lint", "std/reply", "--set", "limit=2", "--format", "json"]).expect(2);
    let said = &ran.json()["diagnostics"][0];
    assert_eq!((&said["code"], &said["file"]), (&"WW0401".into(), &"--set".into()));
}

#[test]
fn params_are_documented() {
    let dir = Dir::new();
    let told = dir.run(&["explain", "std/reply", "--set", "limit=2s"]).expect(0).stdout;
    let line = "  limit: duration = 2 s, by default 5 s  How long a request may wait\n";
    assert!(told.contains(line), "{told}");
    let told = dir.run(&["explain", "std/reply", "--format", "json"]).expect(0).json();
    let param = &told["properties"][0]["params"][0];
    assert_eq!((&param["name"], &param["default"]), (&"limit".into(), &"5 s".into()));
    let bind = "request=/GET (?<id>.)/";
    let told = dir.run(&["explain", "std/reply", "--bind", bind]).expect(0).stdout;
    assert!(told.contains("  request=/GET (?<id>.)/\n"), "{told}");
    let listed = dir.run(&["list", "--family", "log"]).expect(0).stdout;
    assert!(listed.contains("--set period=1min  Within this time"), "{listed}");
    let ran = dir.run(&["explain", "std/log", "--set", "limit=2s"]).expect(2);
    assert!(ran.stderr.contains("stands for several files"), "{}", ran.stderr);
}

#[test]
fn a_second_declaration_shows_how_to_bind() {
    let dir = Dir::new();
    dir.write("mine.ww", "event reply(id) = log /(?<id>.)/\n").write("t.jsonl", "");
    let ran = dir.run(&["replay", "-p", "std/reply", "-p", "mine.ww", "t.jsonl"]).expect(2);
    assert!(
        ran.stderr.contains("WW0201") && ran.stderr.contains("--bind 'reply=…'"),
        "{}",
        ran.stderr
    );
}
