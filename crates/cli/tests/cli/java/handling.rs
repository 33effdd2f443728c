//! `uponHandling` of LARVA scripts: who handles an exception is the object whose method does.

use super::{compile, java, jdks, report};
use crate::support::Dir;

#[test]
fn who_handles_an_exception_is_known() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    let program = "class Worker {
      final String name;
      Worker(String name) { this.name = name; }
      String getName() { return name; }
      void work(int n) { try { if (n > 1) throw new IllegalStateException(); } catch (IllegalStateException e) { } }
      void other() { try { throw new IllegalStateException(); } catch (IllegalStateException e) { } }
    }
    public class Main {
      public static void main(String[] args) {
        Worker a = new Worker(\"a\"), b = new Worker(\"b\");
        a.work(1); a.other(); b.work(2); a.work(2); b.work(3);
      }
    }";
    dir.write("Main.java", program);
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    dir.write(
        "handled.lrv",
        r"GLOBAL { FOREACH (Worker w) {
            EVENTS { handled(Worker w, Exception e, String n) = {Worker w.work(*) uponHandling(IllegalStateException e)} where n = w.getName(); }
            PROPERTY Twice {
              STATES { BAD { twice } NORMAL { once } STARTING { s } }
              TRANSITIONS { s -> once [handled] once -> twice [handled\n.equals(\x22b\x22)\] }
            }
        } }"
        .replace(r"\x22", "\""),
    );
    dir.run(&["convert", "handled.lrv", "--to", "ww", "-o", "handled.ww"]).expect(0);
    dir.run(&["convert", "handled.ww", "--to", "lrv", "-o", "again.lrv"]).expect(0);
    for file in ["handled.lrv", "handled.ww", "again.lrv"] {
        let flags = ["-p", file, "--report", "out.json"];
        let ran = java(jdk, &dir, &flags, &["-cp", "classes", "Main"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let json = report(&dir, "out.json");
        assert_eq!(json["violations"].as_array().unwrap().len(), 1, "{file}: {json}");
        assert_eq!(json["properties"][0]["events"], 3, "{file}: {json}");
        assert_eq!(json["properties"][0]["instances"], 2, "{file}: {json}");
    }
}
