//! An analysis that the documentation builds on the library.

use super::super::{compile, java, jdks};
use crate::support::{Dir, root};

#[path = "../../../../examples/small_analysis.rs"]
mod small_analysis;

const READ: &str = "\
import java.util.*;
public class Read {
    static int sum(List<Integer> list) {
        int sum = 0;
        for (Iterator<Integer> i = list.iterator(); i.hasNext();) sum += i.next();
        return sum;
    }
    public static void main(String[] args) { System.out.println(sum(List.of(1, 2))); }
}
";

/// The page has the example as it is, and what that writes is what `java --silenced` reads.
#[test]
fn the_analysis_of_the_documentation_works() {
    let example = root().join("crates/cli/examples/small_analysis.rs");
    let example = std::fs::read_to_string(example).unwrap();
    let page = std::fs::read_to_string(root().join("docs/residual-library.md")).unwrap();
    let shown = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(shown, example, "docs/residual-library.md shows another analysis than there is");

    let Some(jdk) = jdks().first() else { return };
    let property = root().join("examples/residual/iterators.ww");
    let text = std::fs::read_to_string(&property).unwrap();
    let dir = Dir::new();
    let classes = [dir.path().join("classes")];
    let run = |name: &str| {
        dir.write("app.silenced", small_analysis::silenced(&text, &classes).unwrap());
        let flags = ["-p", property.to_str().unwrap(), "--silenced", "app.silenced"];
        java(jdk, &dir, &flags, &["-cp", "classes", name]).expect(0).stderr
    };
    // Nobody changes a list: nothing is left.
    dir.write("Read.java", READ);
    compile(&[dir.path().join("Read.java")], &classes[0]);
    let told = run("Read");
    assert!(told.contains("SafeIterator: 0 sites, 0 events"), "{told}");
    // Somebody does: everything is.
    let write = READ
        .replace("sum(List.of(1, 2))", "args.length")
        .replace("int sum = 0;", "int sum = 0; list.add(1);");
    dir.write("Read.java", write);
    compile(&[dir.path().join("Read.java")], &classes[0]);
    let told = run("Read");
    assert!(told.contains("SafeIterator: 3 sites"), "{told}");
}
