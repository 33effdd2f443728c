//! Labels of pictures and names on pages are whole, on large screens and on phones.

use watchword_testing::{Browser, Page, browser};

use crate::support::{Dir, root};

/// Texts of pictures that reach out of their picture, labels of sites that reach out of their code, and
/// parts of the page that reach out of the window: what a reader cannot see without scrolling sideways.
const CLIPPED: &str = "(() => {
  const found = [];
  const out = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1
    || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
  for (const text of document.querySelectorAll('svg text')) {
    const picture = text.ownerSVGElement.getBoundingClientRect();
    if (picture.width > 0 && out(text.getBoundingClientRect(), picture)) found.push(text.textContent);
  }
  for (const label of document.querySelectorAll('pre small')) {
    const code = label.closest('pre').getBoundingClientRect();
    if (out(label.getBoundingClientRect(), code)) found.push(label.textContent);
  }
  if (document.documentElement.scrollWidth > window.innerWidth) {
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  }
  return found;
})()";

fn clipped(browser: &mut Browser, page: &Page) -> Vec<String> {
    let found = browser.value(page, CLIPPED);
    found.as_array().unwrap().iter().map(ToString::to_string).collect()
}

fn open(browser: &mut Browser, dir: &Dir, file: &str, width: u32) -> Page {
    browser.open(&format!("file://{}", dir.path().join(file).display()), width, 900)
}

#[test]
fn labels_of_shipped_properties_are_whole() {
    let Some(name) = browser("labels_of_shipped_properties_are_whole") else { return };
    let dir = Dir::new();
    let mut browser = Browser::start(name, dir.path());
    for property in ["std/jdk", "std/posix", "std/log", "std/basics"] {
        let picture = dir.run(&["graph", property, "--format", "svg"]).expect(0).stdout;
        dir.write("picture.html", format!("<!doctype html><body>{picture}</body>"));
        let page = open(&mut browser, &dir, "picture.html", 1200);
        let texts = browser.value(&page, "document.querySelectorAll('svg text').length");
        assert!(texts.as_u64().unwrap() > 5, "{property}: {texts}");
        assert_eq!(clipped(&mut browser, &page), Vec::<String>::new(), "{property}");
    }
}

/// Long names of a property, a parameter, states and events.
const LONG: &str = "\
event superclass_was_initialised(object) = jvm before call java.lang.Object.<init>() on object
property APropertyWhoseNameIsMuchLongerThanNamesOfPropertiesUsuallyAre(object) {
  start state BeforeTheSuperclass { on superclass_was_initialised(object) -> AfterTheSuperclassWasInitialised }
  state AfterTheSuperclassWasInitialised { on superclass_was_initialised(object) -> TwiceInitialised }
  bad state TwiceInitialised
}
event never(object) = jvm before call com.example.Nothing.never() on object
property WithoutSites(object) { start state A { on never(object) -> B } bad state B }
";

#[test]
fn the_page_of_an_analysis_is_whole() {
    let Some(name) = browser("the_page_of_an_analysis_is_whole") else { return };
    let dir = Dir::new();
    dir.write("long.ww", LONG);
    let classes = root().join("crates/weave/java/classes").display().to_string();
    let page =
        dir.run(&["analyze", "-p", "long.ww", &classes, "--format", "html"]).expect(0).stdout;
    // A property without sites is named, and has no picture.
    assert!(page.contains("WithoutSites"), "{page}");
    assert_eq!(page.matches("<svg ").count(), 1);
    dir.write("page.html", &page);
    let mut browser = Browser::start(name, dir.path());
    for width in [1200, 390] {
        let page = open(&mut browser, &dir, "page.html", width);
        let open = "document.querySelectorAll('details').forEach(part => part.open = true)";
        browser.value(&page, open);
        browser.wait_for(&page, "APropertyWhoseNameIsMuchLonger");
        let labels = browser.value(&page, "document.querySelectorAll('pre small').length");
        assert!(labels.as_u64().unwrap() > 5, "{labels}");
        assert_eq!(clipped(&mut browser, &page), Vec::<String>::new(), "{width}");
    }
}
