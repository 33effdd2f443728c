//! The book holds together: links lead somewhere, pages are listed, examples load, and the site
//! has what the pages have.

mod architecture;
mod phone;

use std::path::{Path, PathBuf};

use watchword_book::Book;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn nothing_is_wrong_with_the_book() {
    let book = Book::read(&root()).unwrap();
    assert!(book.pages.len() > 100, "{} pages", book.pages.len());
    let problems = book.problems();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_kind_of_problem_is_found() {
    let folder = std::env::temp_dir().join(format!("watchword-book-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("docs")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join("docs").join(name), text);
    write("SUMMARY.md", "- [A](a.md)\n- [Gone](gone.md)\n").unwrap();
    write(
        "a.md",
        "# A\n\n[b](b.md) [c](c.md) [d](#nowhere) [e](#a) [f](b.md#b-b) [g](b.md#none)\n\n\
         ```ww\nevent (\n```\n\n```klingon\nqapla\n```\n",
    )
    .unwrap();
    write("b.md", "# B b\n").unwrap();
    let problems = Book::read(&folder).unwrap().problems();
    let wanted = [
        "there is no docs/gone.md",
        "docs/b.md is not listed",
        "c.md: there is no docs/c.md",
        "#nowhere: there is no heading",
        "docs/b.md has no heading #none",
        "docs/a.md:5: WW0101",
        "`klingon` is no language",
    ];
    for part in wanted {
        assert!(problems.iter().any(|p| p.contains(part)), "{part}\n{problems:#?}");
    }
    assert_eq!(problems.len(), wanted.len(), "{problems:#?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_site_has_every_page_and_its_own_links_only() {
    let book = Book::read(&root()).unwrap();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = std::fs::remove_dir_all(&out);
    let pages = book.write(&out).unwrap();
    assert_eq!(pages, book.pages.len() + 1);
    let mut links = 0;
    let mut folders = vec![out.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|e| e != "html") {
                continue;
            }
            let page = std::fs::read_to_string(&path).unwrap();
            for part in page.split("href=\"").skip(1).chain(page.split("src=\"").skip(1)) {
                let link = part.split('"').next().unwrap().split('#').next().unwrap();
                let outside = link.is_empty() || link.contains("://") || link.starts_with("data:");
                if !outside {
                    let there = path.parent().unwrap().join(link);
                    assert!(there.exists(), "{}: {link}", path.display());
                    links += 1;
                }
            }
            // Nothing is fetched from elsewhere: neither pictures, styles nor scripts.
            assert!(!page.contains("src=\"http"), "{}", path.display());
            assert!(!page.contains("<!-- tested"), "{}", path.display());
        }
    }
    assert!(links > 1000, "{links} links");
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("aria-current=page"), "the contents show where one is");
    let grammar = std::fs::read_to_string(out.join("grammar.html")).unwrap();
    assert!(grammar.contains("<b id=\"Transition\">"), "rules can be linked");
    assert!(grammar.contains("<a href=\"#Label\">Label</a>"));
    let language = std::fs::read_to_string(out.join("language.html")).unwrap();
    assert!(language.contains("<span class=k>property</span>"), "examples are coloured");
}
