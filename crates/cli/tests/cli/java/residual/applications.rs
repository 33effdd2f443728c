//! The same for applications that people use, at the versions named here: Maven gets them.

use watchword_cli::classes::{self, Classes};

use super::{Known, PROPERTIES, compare, image, java, jdks, model, read_trace};
use crate::java::artifacts::{class_path, joined};
use crate::support::Dir;

struct Application {
    artifact: &'static str,
    /// Files it is given.
    files: &'static [(&'static str, &'static str)],
    /// Its main class and arguments; the runs of several are one after the other.
    runs: &'static [&'static [&'static str]],
    /// Whether sites are silenced that its runs reach.
    silences: bool,
}

const SCRIPT: &str = "\
create table t(id int primary key, name varchar(20), size int);
create index i on t(size);
insert into t select x, 'n' || x, mod(x, 7) from system_range(1, 300);
create view v as select size, count(*) as c from t group by size having count(*) > 2;
select v.size, t.name from v join t on t.size = v.size where t.id < 20 order by t.name desc;
update t set size = size + 1 where id in (select id from t where mod(id, 5) = 0);
delete from t where exists (select 1 from v where v.size = t.size and v.c < 40);
merge into t key(id) values (1, 'again', 2), (900, 'new', 3);
with recursive r(n) as (select 1 union all select n + 1 from r where n < 20) select sum(n) from r;
alter table t add column more varchar default 'x';
drop table t cascade;
";

const OLD: &str = "\
package shop;
import java.util.*;
public class Old {
    private List items = new ArrayList();
    private int unused;
    public int total(int limit) {
        int sum = 0;
        for (Iterator i = items.iterator(); i.hasNext();) {
            Integer next = (Integer) i.next();
            if (next.intValue() > limit) { } else sum += next.intValue();
        }
        try { sum = sum / limit; } catch (ArithmeticException e) { }
        return sum;
    }
}
";

const SHOP: &str = "\
/** @constructor */ function Shop(name) { this.name = name; this.items = []; }
Shop.prototype.add = function(item) { this.items.push(item); return this; };
Shop.prototype.total = function() {
  var sum = 0;
  for (var i = 0; i < this.items.length; i++) { sum += this.items[i].price; }
  return sum;
};
var shop = new Shop('x').add({price: 1}).add({price: 2});
window.alert(shop.name + shop.total());
";

const APPLICATIONS: [Application; 4] = [
    Application {
        artifact: "pmd:pmd:4.2.5",
        files: &[("src/Old.java", OLD)],
        runs: &[&["net.sourceforge.pmd.PMD", "src", "text", "rulesets/basic.xml"]],
        silences: true,
    },
    Application {
        artifact: "com.h2database:h2:2.1.214",
        files: &[("script.sql", SCRIPT)],
        runs: &[&["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:t", "-script", "script.sql"]],
        silences: true,
    },
    Application {
        artifact: "org.apache.pdfbox:pdfbox-tools:2.0.27",
        files: &[("text.txt", SHOP)],
        runs: &[
            &["org.apache.pdfbox.tools.TextToPDF", "made.pdf", "text.txt"],
            &["org.apache.pdfbox.tools.ExtractText", "made.pdf", "read.txt"],
        ],
        silences: true,
    },
    Application {
        artifact: "com.google.javascript:closure-compiler:v20131014",
        files: &[("shop.js", SHOP)],
        runs: &[&["com.google.javascript.jscomp.CommandLineRunner", "--js", "shop.js"]],
        silences: true,
    },
];

/// So many events of a run are compared: objects of a trace never die, and are checked one by one.
const MAX_EVENTS: usize = 200_000;

/// An old archive has a class file that no JVM reads: without all classes little is silenced.
pub const UNREADABLE: &str = "icu4j-2.6.1.jar";

#[test]
fn applications_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let (model, image) = (model(PROPERTIES), image(jdk));
    for Application { artifact, files, runs, silences } in APPLICATIONS {
        let dir = Dir::new();
        dir.write("p.ww", PROPERTIES);
        for (name, text) in files {
            std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            dir.write(name, text);
        }
        let Some(mut jars) = class_path(&[artifact]) else { return };
        jars.retain(|jar| !jar.ends_with(UNREADABLE));
        let mut known = Known::default();
        let classes = Classes::read_for(&jars, classes::release_of(jdk)).unwrap();
        known.add(&classes.borrowed(), &image, &model, false);
        let path = joined(&jars);
        for run in runs {
            let flags = ["-q", "-p", "p.ww", "--collect-trace", "trace.jsonl", "--history", "0"];
            java(jdk, &dir, &flags, &[&["-cp", &path], *run].concat()).expect(0);
            let mut trace = read_trace(&dir.path().join("trace.jsonl"), &model);
            trace.truncate(MAX_EVENTS);
            match compare(&model, &trace, &known) {
                Ok(found) => {
                    println!(
                        "{}: {} of {} sites silenced, {} of {} events, {} reports",
                        run[0],
                        known.silenced.len(),
                        known.all.len(),
                        found.silenced,
                        found.events,
                        found.reports
                    );
                    assert!(found.events > 1000, "{artifact}: hardly an event");
                    assert_eq!(found.silenced > 0, silences, "{artifact}");
                }
                Err(why) => panic!("{artifact}: {why}"),
            }
        }
    }
}
