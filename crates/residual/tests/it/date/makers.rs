//! Objects that are made otherwise than by `new` are not followed from there.

use std::collections::BTreeSet;

use watchword_residual::mistake::Mistake;

use super::equality::left_of;

const SCRIPT: &str = r"
GLOBAL { FOREACH (Account a) {
  EVENTS { use(Account a) = {a.use()} close(Account a) = {a.close()} }
  PROPERTY P {
    STATES { BAD { bad } NORMAL { closed } STARTING { s } }
    TRANSITIONS { s -> closed [close] closed -> bad [use] }
  } } }
";

/// A program that uses an account after it has closed it.
fn program(made: &str, used: &str) -> String {
    format!(
        "class Account {{ void use() {{}} void close() {{}} }}\n\
         class Main {{ public static void main(String[] x) throws Exception {{\n\
         {made}\n{used} }} }}\n"
    )
}

#[test]
fn objects_are_followed_only_from_where_all_are_made() {
    let used = "a.close(); a.use();";
    let by_new = program("Account a = new Account();", "a.use(); a.close();");
    let Some(none) = left_of(SCRIPT, &by_new, "makers-new", None) else { return };
    assert_eq!(none, BTreeSet::new(), "an object that is made by `new` is followed");
    let both = BTreeSet::from(["close".to_owned(), "use".to_owned()]);
    let otherwise = [
        (
            "reference",
            "java.util.function.Supplier<Account> s = Account::new; Account a = s.get();",
        ),
        ("reflection", "Account a = Account.class.getDeclaredConstructor().newInstance();"),
        (
            "name",
            "Account a = (Account) Class.forName(x[0]).getDeclaredConstructor().newInstance();",
        ),
        ("loader", "Account a = java.util.ServiceLoader.load(Account.class).iterator().next();"),
    ];
    for (name, made) in otherwise {
        let java =
            program(&format!("Account b = new Account(); b.use(); b.close();\n{made}"), used);
        let folder = format!("makers-{name}");
        assert_eq!(left_of(SCRIPT, &java, &folder, None), Some(both.clone()), "{java}");
    }
    let java = program(otherwise[0].1, used);
    let wrong = left_of(SCRIPT, &java, "makers-wrong", Some(Mistake::MadeByNewOnly));
    assert_eq!(wrong, Some(BTreeSet::new()));
}
