//! LARVA scripts on the command line.

use crate::support::{Dir, root};

#[test]
fn a_script_is_checked_explained_and_drawn() {
    let dir = Dir::new();
    let example = |name: &str| root().join("examples/larva").join(name).display().to_string();
    let script = example("logins.lrv");
    let ran = dir.run(&["replay", "-p", &script, &example("logins.jsonl")]).expect(1);
    assert_eq!(ran.stdout.matches("violation: ").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("violation: Logins: entered `locked`"), "{}", ran.stdout);
    assert!(ran.stdout.contains("with u = \"ann\""), "{}", ran.stdout);
    assert!(ran.stdout.contains("violation: Logins: entered `expired`"), "{}", ran.stdout);
    dir.run(&["lint", &script]).expect(0);
    dir.run(&["explain", &script]).expect(0);
    let picture = dir.run(&["graph", "--format", "svg", &script]).expect(0).stdout;
    assert!(picture.starts_with("<svg") || picture.contains("<svg"), "{picture}");
    dir.write("bad.lrv", "GLOBAL { EVENTS { } PROPERTY }");
    let refused = dir.run(&["lint", "bad.lrv"]).expect(2);
    assert!(refused.stdout.contains("bad.lrv:1:"), "{} {}", refused.stdout, refused.stderr);
}

#[test]
fn scripts_are_written_in_other_words_and_back() {
    let dir = Dir::new();
    let example = |name: &str| root().join("examples/larva").join(name).display().to_string();
    dir.run(&["convert", &example("logins.lrv"), "--to", "ww", "-o", "logins.ww"]).expect(0);
    dir.run(&["fmt", "--check", "logins.ww"]).expect(0);
    dir.run(&["convert", "logins.ww", "--to", "lrv", "-o", "again.lrv"]).expect(0);
    let violations = |property: &str| {
        let args = ["replay", "--format", "json", "-p", property, &example("logins.jsonl")];
        dir.run(&args).expect(1).json()["violations"].as_array().unwrap().len()
    };
    let all = violations(&example("logins.lrv"));
    assert_eq!(all, 2);
    assert_eq!(violations("logins.ww"), all);
    assert_eq!(violations("again.lrv"), all);
    // The other form of the example is what conversion writes.
    let ww = dir.run(&["convert", &example("payment/risk.lrv"), "--to", "ww"]).expect(0).stdout;
    assert_eq!(ww, std::fs::read_to_string(example("payment/risk.ww")).unwrap());
    // What a script cannot say is refused with its place.
    let reply = root().join("examples/properties/reply.ww").display().to_string();
    let refused = dir.run(&["convert", &reply, "--to", "lrv"]).expect(2);
    assert!(refused.stderr.contains("reply.ww:"), "{}", refused.stderr);
    let already = dir.run(&["convert", &example("logins.lrv"), "--to", "lrv"]).expect(2);
    assert!(already.stderr.contains("a LARVA script already"), "{}", already.stderr);
}

#[test]
fn converted_scripts_are_loaded_together() {
    let dir = Dir::new();
    for name in ["A", "B"] {
        let script = format!(
            "GLOBAL {{ FOREACH (int k) {{ VARIABLES {{ int n = 0; }}\n\
             EVENTS {{ t(int k) = {{Main *.tick(int k)}} }}\n\
             PROPERTY {name} {{ STATES {{ BAD {{ b }} STARTING {{ s }} }}\n\
             TRANSITIONS {{ s -> b [t\\n > 0\\] s -> s [t\\\\n = n == 0 ? 1 : 2;] }} }} }} }}\n"
        );
        let (from, to) = (format!("{name}.lrv"), format!("{name}.ww"));
        dir.write(&from, script);
        dir.run(&["convert", &from, "--to", "ww", "-o", &to]).expect(0);
        dir.run(&["fmt", "--check", &to]).expect(0);
    }
    dir.write("t.csv", "t,1\nt,2\nt,1\n");
    let both = ["replay", "-p", "A.ww", "-p", "B.ww", "--format", "json", "t.csv"];
    let told = dir.run(&both).expect(1).json();
    assert_eq!(told["violations"].as_array().unwrap().len(), 2, "{told}");
}
