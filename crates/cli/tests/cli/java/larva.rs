//! LARVA scripts that ask the program: arguments behind `where`, fields in conditions.

use super::{compile, java, jdks, report};
use crate::support::Dir;

const MENU: &str = "\
package app;
public class Menu {
    static class User {
        boolean activated;
        User(boolean activated) { this.activated = activated; }
    }
    void login(User who) {}
    void pay(User payer) {}
    public static void main(String[] args) {
        User first = new User(true);
        User second = new User(false);
        Menu menu = new Menu();
        menu.login(first);
        menu.pay(first);
        menu.login(second);
        menu.pay(second);            // 16: not activated
        menu.login(null);
    }
}
";

const SCRIPT: &str = r"
IMPORTS { import app.Menu; import app.Menu.User; }
GLOBAL {
  FOREACH (User u) {
    EVENTS {
      login(User u1) = {*.login(User who)uponReturning()} where {u1 = who; u = u1;}
      pay(User u1)   = {*.pay(User payer)} where {u1 = payer; u = u1;}
    }
    PROPERTY Paid {
      STATES { BAD { bad } NORMAL { inside } STARTING { outside } }
      TRANSITIONS {
        outside -> inside [login]
        outside -> bad    [pay]
        inside -> bad     [pay\!u.activated\]
      }
    }
  }
}
";

#[test]
fn fields_in_conditions_are_read_where_the_event_happens() {
    let dir = Dir::new();
    dir.write("Menu.java", MENU).write("p.lrv", SCRIPT);
    compile(&[dir.path().join("Menu.java")], dir.path());
    let lines = |file: &str| -> Vec<u64> {
        let report = report(&dir, file);
        let violations = report["violations"].as_array().unwrap();
        violations.iter().map(|v| v["location"]["line"].as_u64().unwrap()).collect()
    };
    // The same, written in Watchword's own language.
    dir.run(&["convert", "p.lrv", "--to", "ww", "-o", "p.ww"]).expect(0);
    for jdk in jdks() {
        for property in ["p.lrv", "p.ww"] {
            let flags = ["-p", property, "--report", "r.json", "--collect-trace", "t.jsonl"];
            let ran = java(jdk, &dir, &flags, &["-cp", ".", "app.Menu"]).expect(0);
            assert_eq!(lines("r.json"), [16], "{property}: {}", ran.stderr);
            dir.run(&["replay", "t.jsonl", "-p", property, "--report", "r.json"]);
            assert_eq!(lines("r.json"), [16], "{property}");
        }
    }
}
