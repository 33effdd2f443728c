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
