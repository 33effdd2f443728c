//! Objects that are compared by `equals`, as those of FOREACH are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use watchword_classfile::source::JImage;
use watchword_residual::analysis::{PropertyReport, Status, analyse};
use watchword_residual::date::cfg::Depth;
use watchword_residual::date::jvm;
use watchword_residual::jvm::program::Program;
use watchword_residual::mistake::{Mistake, make};

use super::larva;
use crate::programs::{classes, compile, jdk};

const SCRIPT: &str = r"
GLOBAL { FOREACH (Account a) {
  EVENTS { open(Account a) = {a.open()} close(Account a) = {a.close()} }
  PROPERTY P {
    STATES { BAD { bad } NORMAL { closed } STARTING { s } }
    TRANSITIONS { s -> closed [close] closed -> bad [open] }
  } } }
";

/// Two kinds of accounts: one is opened, the other one is closed.
fn program(equals: &str) -> String {
    format!(
        "class Account {{ int number; void open() {{}} void close() {{}} {equals} }}\n\
         class Old extends Account {{}}\nclass Young extends Account {{}}\n\
         class Main {{ public static void main(String[] a) {{\n\
         Old old = new Old(); old.close();\nYoung young = new Young(); young.open(); }} }}\n"
    )
}

const EQUALS: &str = "public boolean equals(Object o) { return o instanceof Account; } \
                      public int hashCode() { return 1; }";

/// The events at sites that are left; `None` without a JDK.
fn left(java: &str, folder: &str, mistake: Option<Mistake>) -> Option<BTreeSet<String>> {
    left_of(SCRIPT, java, folder, mistake)
}

pub(super) fn left_of(
    script: &str,
    java: &str,
    folder: &str,
    mistake: Option<Mistake>,
) -> Option<BTreeSet<String>> {
    let home = jdk()?;
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder).join("Main.java");
    fs::create_dir_all(source.parent().expect("a folder")).expect("a folder can be made");
    fs::write(&source, java).expect("a file can be written");
    let out = compile(&[source], &format!("{folder}-classes"));
    let all = classes(&out);
    let platform = JImage::parse(fs::read(home.join("lib/modules")).expect("an image"));
    let platform = platform.expect("an image");
    let own = all.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let program = Program::new(own, Vec::new(), &platform, true);
    let model = larva(script);
    make(mistake);
    let earlier: Vec<PropertyReport> =
        vec![analyse(&program, &model, watchword_model::PropertyId(0))];
    let found = jvm::analyse(&program, &model, &earlier, Depth::Flow);
    make(None);
    let reports = earlier.into_iter().zip(&found.properties).map(|(e, r)| e.with(r));
    let sites = reports.flat_map(|r| r.sites).filter(|s| matches!(s.status, Status::Left(_)));
    Some(sites.map(|s| s.event).collect())
}

#[test]
fn objects_of_different_classes_may_be_equal() {
    let both = BTreeSet::from(["close".to_owned(), "open".to_owned()]);
    let Some(found) = left(&program(EQUALS), "equality", None) else { return };
    assert_eq!(found, both);
    // Whoever does not look at `equals` takes them for two.
    let wrong = left(&program(EQUALS), "equality-wrong", Some(Mistake::NobodySaysWhatIsEqual));
    assert_eq!(wrong, Some(BTreeSet::new()));
    // Without an `equals` of their own they are two.
    assert_eq!(left(&program(""), "equality-identity", None), Some(BTreeSet::new()));
}

#[test]
fn nested_classes_are_found_by_their_names() {
    let script = SCRIPT.replace("Account a", "Main.Bank.Account a");
    let java = |equals: &str| {
        let nested = |text: &str| text.replace("class ", "static class ");
        let program = program(equals);
        let (accounts, main) = program.split_once("class Main {").expect("a class");
        format!("class Main {{ static class Bank {{\n{} }}\n{main}", nested(accounts))
            .replace("Old old = new Old", "Bank.Old old = new Bank.Old")
            .replace("Young young = new Young", "Bank.Young young = new Bank.Young")
    };
    let both = BTreeSet::from(["close".to_owned(), "open".to_owned()]);
    let Some(found) = left_of(&script, &java(EQUALS), "equality-nested", None) else { return };
    assert_eq!(found, both);
    let identity = left_of(&script, &java(""), "equality-nested-identity", None);
    assert_eq!(identity, Some(BTreeSet::new()));
}

#[test]
fn an_equals_further_up_counts() {
    let java = program("").replace("class Account {", "class Account extends java.util.Date {");
    let Some(found) = left(&java, "equality-above", None) else { return };
    assert_eq!(found, BTreeSet::from(["close".to_owned(), "open".to_owned()]));
}

/// The first of equal objects stands for all; a silenced event would let another one be the first.
#[test]
fn where_what_is_equal_may_change_every_event_stays() {
    let script = SCRIPT
        .replace("close(Account a) =", "touch(Account a) = {a.touch()} close(Account a) =")
        .replace("s -> closed", "s -> s [touch] s -> closed");
    let java = |number: &str| {
        format!(
            "class Account {{ {number} number; Account(int n) {{ number = n; }}\n\
             void open() {{}} void close() {{}} void touch() {{}}\n\
             public boolean equals(Object o) {{\n\
             return o instanceof Account && ((Account) o).number == number; }}\n\
             public int hashCode() {{ return 0; }} }}\n\
             class Main {{ public static void main(String[] x) {{\n\
             Account a = new Account(1), b = new Account(2);\n\
             a.touch(); b.close(); b.open(); }} }}\n"
        )
    };
    let left =
        |number: &str, folder: &str, mistake| left_of(&script, &java(number), folder, mistake);
    let all = BTreeSet::from(["close", "open", "touch"].map(str::to_owned));
    let some = BTreeSet::from(["close", "open"].map(str::to_owned));
    let Some(found) = left("int", "equality-changes", None) else { return };
    assert_eq!(found, all);
    assert_eq!(left("final Object", "equality-of-anything", None), Some(all));
    let wrong = left("int", "equality-changes-wrong", Some(Mistake::EqualForGood));
    assert_eq!(wrong, Some(some.clone()));
    // What is final stays as it is.
    assert_eq!(left("final int", "equality-stays", None), Some(some.clone()));
    assert_eq!(left("final Integer", "equality-stays-boxed", None), Some(some));
}
