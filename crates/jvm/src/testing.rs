//! Which test a thread is in, and whether the test expects an exception: both are read off the stack.
//!
//! A framework calls a test by reflection, from a method of its own that is known by name; the next frame inside is
//! the test. An assertion such as `assertThrows` is a frame between the test and the call that it is about, and
//! JUnit 4 has a frame of its own for `@Test(expected = …)`. Nothing is woven for this, and tests that wait for
//! another thread are not found from there.

/// Where frameworks call tests: class and method.
const RUNNERS: [(&str, &str); 5] = [
    ("org.junit.jupiter.engine.execution.MethodInvocation", "proceed"),
    ("org.junit.runners.model.FrameworkMethod$1", "runReflectiveCall"),
    ("junit.framework.TestCase", "runTest"),
    ("org.testng.internal.invokers.MethodInvocationHelper", "invokeMethod"),
    ("org.testng.internal.MethodInvocationHelper", "invokeMethod"),
];

/// Packages of what is between a runner and its test.
const BETWEEN: [&str; 8] = [
    "java.lang.reflect.",
    "java.lang.invoke.",
    "jdk.internal.",
    "sun.reflect.",
    "org.junit.platform.",
    "org.junit.jupiter.engine.",
    "org.testng.internal.",
    "junit.framework.TestCase",
];

/// Frames within which an exception is what the test wants: class, and the beginning of the method.
const EXPECTING: [(&str, &str); 8] = [
    ("org.junit.jupiter.api.AssertThrows", "assertThrows"),
    ("org.junit.jupiter.api.AssertThrowsExactly", "assertThrowsExactly"),
    ("org.junit.Assert", "assertThrows"),
    ("org.junit.internal.runners.statements.ExpectException", "evaluate"),
    ("org.testng.Assert", "assertThrows"),
    ("org.testng.Assert", "expectThrows"),
    ("org.assertj.core.api.ThrowableAssert", "catchThrowable"),
    ("org.hamcrest.MatcherAssert", "assertThrows"),
];

/// A test, as far as the stack tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Its class and method.
    pub name: Option<String>,
    /// Whether it expects an exception of what it calls now.
    pub expected: bool,
}

/// Whether a class, by its internal name, belongs to a framework for tests.
pub fn is_framework(name: &str) -> bool {
    ["org/junit/", "junit/framework/", "org/testng/"].iter().any(|start| name.starts_with(start))
}

impl Test {
    /// Of a stack: classes and methods, innermost first. If tests run tests, it is the outer one.
    pub fn of(stack: &[(String, String)]) -> Test {
        let is_runner = |(class, method): &(String, String)| {
            RUNNERS.iter().any(|(runner, calls)| class == runner && method == calls)
        };
        let Some(runner) = stack.iter().rposition(is_runner) else { return Test::default() };
        let is_between =
            |(class, _): &&(String, String)| BETWEEN.iter().any(|start| class.starts_with(start));
        let test = stack[..runner].iter().rev().find(|frame| !is_between(frame));
        let expects = |(class, method): &(String, String)| {
            EXPECTING
                .iter()
                .any(|(expecting, start)| class == expecting && method.starts_with(start))
        };
        Test {
            name: test.map(|(class, method)| format!("{class}.{method}")),
            expected: test.is_some() && stack.iter().any(expects),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(frames: &[&str]) -> Test {
        let pair = |frame: &&str| {
            let (class, method) = frame.rsplit_once('.').unwrap();
            (class.to_string(), method.to_string())
        };
        Test::of(&frames.iter().map(pair).collect::<Vec<_>>())
    }

    const JUPITER: [&str; 4] = [
        "java.lang.reflect.Method.invoke",
        "org.junit.platform.commons.util.ReflectionUtils.invokeMethod",
        "org.junit.jupiter.engine.execution.MethodInvocation.proceed",
        "app.Main.main",
    ];

    #[test]
    fn a_test_of_junit_5_is_found_and_what_it_asserts() {
        let inside = ["app.Cart.sum", "app.CartTest.adds"];
        let test = of(&[&inside[..], &JUPITER].concat());
        assert_eq!(test, Test { name: Some("app.CartTest.adds".into()), expected: false });
        let asserts = [
            "app.Cart.sum",
            "org.junit.jupiter.api.AssertThrows.assertThrows",
            "app.CartTest.adds",
        ];
        let test = of(&[&asserts[..], &JUPITER].concat());
        assert_eq!(test, Test { name: Some("app.CartTest.adds".into()), expected: true });
    }

    #[test]
    fn a_test_of_junit_4_may_expect_an_exception() {
        let frames = [
            "app.Cart.sum",
            "app.CartTest.fails",
            "java.lang.reflect.Method.invoke",
            "org.junit.runners.model.FrameworkMethod$1.runReflectiveCall",
            "org.junit.internal.runners.statements.InvokeMethod.evaluate",
            "org.junit.internal.runners.statements.ExpectException.evaluate",
        ];
        let name = Some("app.CartTest.fails".to_string());
        assert_eq!(of(&frames), Test { name: name.clone(), expected: true });
        assert_eq!(of(&frames[..5]), Test { name, expected: false });
    }

    #[test]
    fn of_tests_that_run_tests_the_outer_one_counts() {
        let inner = ["app.Inner.test"];
        let outer = ["org.junit.runner.JUnitCore.run", "app.Outer.test"];
        let test = of(&[&inner[..], &JUPITER[..3], &outer[..], &JUPITER].concat());
        assert_eq!(test.name.as_deref(), Some("app.Outer.test"));
    }

    #[test]
    fn other_programs_have_no_test() {
        assert_eq!(of(&["app.Main.main"]), Test::default());
        assert_eq!(of(&["org.junit.jupiter.api.AssertThrows.assertThrows"]), Test::default());
    }
}
