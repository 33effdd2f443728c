//! The book on a phone: 390 pixels wide, in Chromium.

use std::path::Path;

use serde_json::json;
use watchword_book::Book;
use watchword_testing::{Browser, Scratch, browser};

/// Whether nothing reaches out of the window, and all pictures are there.
const FITS: &str = "(() => {
  const wide = document.documentElement.scrollWidth;
  const pictures = [...document.querySelectorAll('main img')];
  const broken = pictures.filter((i) => !i.complete || i.naturalWidth === 0);
  const outside = pictures.filter((i) => i.getBoundingClientRect().right > window.innerWidth);
  return { wide, pictures: pictures.length, broken: broken.length, outside: outside.length };
})()";

/// Where the search field and what it found are, and how large the letters.
const SEARCH: &str = "(() => {
  const whole = (e) => {
    const r = e.getBoundingClientRect();
    return r.width > 0 && r.left >= 0 && r.right <= window.innerWidth && r.top >= 0;
  };
  const input = document.getElementById('search');
  const links = [...document.querySelectorAll('#found a')];
  return {
    input: whole(input), width: input.getBoundingClientRect().width,
    found: links.length, whole: links.every(whole),
    sideways: document.getElementById('found').scrollWidth - document.getElementById('found').clientWidth,
  };
})()";

#[test]
fn the_book_fits_a_phone() {
    let Some(name) = browser("the_book_fits_a_phone") else { return };
    let scratch = Scratch::new("book-phone");
    let book = Book::read(&crate::root()).unwrap();
    let site = scratch.0.join("site");
    book.write(&site).unwrap();
    let mut browser = Browser::start(name, &scratch.0);
    let address = |file: &Path| format!("file://{}", file.display());
    let page = browser.open(&address(&site.join("index.html")), 390, 844);
    let mut pictures = 0;
    // One of the many pages of diagnostics is like the others.
    let paths = book.pages.iter().map(|page| page.path.as_str());
    let paths = paths.filter(|p| !p.starts_with("diagnostics/") || p.ends_with("WW0101.md"));
    for path in paths {
        let file = site.join(watchword_book::file_name(path));
        browser.tell(&page, "Page.navigate", json!({"url": address(&file)}));
        let there = format!(
            "location.href === {} && document.readyState === 'complete'",
            json!(address(&file))
        );
        browser.wait(&page, &there);
        let fits = browser.value(&page, FITS);
        pictures += fits["pictures"].as_u64().unwrap();
        let none = json!({"wide": 390, "pictures": fits["pictures"], "broken": 0, "outside": 0});
        assert_eq!(fits, none, "{path}");
    }
    assert!(pictures > 5, "{pictures} pictures");

    // The search: typed into, everything that it finds is in the window.
    browser.press(&page, "/");
    browser.wait(&page, "document.activeElement.id === 'search'");
    browser.tell(&page, "Input.insertText", json!({"text": "residual"}));
    browser.wait(&page, "document.querySelectorAll('#found a').length > 3");
    let search = browser.value(&page, SEARCH);
    assert_eq!((&search["input"], &search["whole"]), (&json!(true), &json!(true)), "{search}");
    assert!(search["width"].as_f64().unwrap() >= 100.0, "{search}");
    assert!(search["sideways"].as_f64().unwrap() <= 0.0, "{search}");
    // The first hit is a link that leads there.
    browser.press(&page, "Enter");
    browser.wait(&page, "location.href.includes('residual')");
}
