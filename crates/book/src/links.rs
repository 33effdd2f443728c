//! Broken links, and pages that are not listed.

use std::path::{Component, Path, PathBuf};

use crate::Book;
use crate::page::Page;

/// Tells what is wrong.
pub fn check(book: &Book, found: &mut Vec<String>) {
    for entry in &book.entries {
        if let Some(path) = &entry.path
            && !book.root().join("docs").join(path).is_file()
        {
            found.push(format!("SUMMARY.md: there is no docs/{path}"));
        }
    }
    for page in &book.pages {
        if !book.is_listed(&page.path) {
            found.push(format!("SUMMARY.md: docs/{} is not listed", page.path));
        }
        check_page(book, page, "docs", found);
    }
    // Pages beside the book that lead into it.
    let beside = [
        "README.md",
        "ARCHITECTURE.md",
        "editors/README.md",
        "examples/README.md",
        "examples/ci/README.md",
        "examples/java/README.md",
        "examples/topl/README.md",
    ];
    for path in beside {
        if let Ok(text) = std::fs::read_to_string(book.root().join(path)) {
            check_page(book, &Page::new(path, &text), "", found);
        }
    }
}

fn check_page(book: &Book, page: &Page, folder: &str, found: &mut Vec<String>) {
    let here = Path::new(folder).join(&page.path);
    for (link, line) in &page.links {
        let problem = match target(link) {
            Target::Elsewhere => None,
            Target::Here(anchor) => {
                let known = page.headings.iter().any(|h| h.anchor == anchor);
                (!known).then(|| format!("there is no heading #{anchor}"))
            }
            Target::File(path, anchor) => {
                let there = plain(&here.parent().unwrap_or(Path::new("")).join(path));
                leads(book, &there, anchor)
            }
        };
        if let Some(problem) = problem {
            found.push(format!("{}:{line}: {link}: {problem}", here.display()));
        }
    }
}

/// Why a link to a file leads nowhere.
fn leads(book: &Book, there: &Path, anchor: Option<&str>) -> Option<String> {
    if !book.root().join(there).exists() {
        return Some(format!("there is no {}", there.display()));
    }
    let anchor = anchor?;
    let page = there.strip_prefix("docs").ok().and_then(|p| book.page(&p.to_string_lossy()))?;
    let known = page.headings.iter().any(|h| h.anchor == anchor);
    (!known).then(|| format!("docs/{} has no heading #{anchor}", page.path))
}

/// Where a link leads.
pub enum Target<'l> {
    /// Out of the repository.
    Elsewhere,
    /// A heading of the same page.
    Here(&'l str),
    /// A file, and perhaps a heading of it.
    File(&'l str, Option<&'l str>),
}

/// Where a link leads.
pub fn target(link: &str) -> Target<'_> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Target::Elsewhere;
    }
    match link.split_once('#') {
        Some(("", anchor)) => Target::Here(anchor),
        Some((path, anchor)) => Target::File(path, Some(anchor)),
        None => Target::File(link, None),
    }
}

/// A path without `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}
