//! The book: turns `docs/` into a web site without a server, and checks it.
//!
//! `docs/SUMMARY.md` is the table of contents.
//!
//! | function | what it does |
//! |---|---|
//! | [`Book::read`] | reads the table of contents and every page |
//! | [`Book::problems`] | finds links that lead nowhere, pages that are not listed, and examples that do not load |
//! | [`Book::write`] | writes the site: one folder of HTML with one script, which loads nothing from other servers |
//!
//! `make book` runs all three; the tests of this package run the same checks. Examples of shell
//! commands are not run here but by the tests of the command line.
//!
//! ```
//! use std::path::Path;
//! use watchword_book::Book;
//!
//! let book = Book::read(Path::new("../.."))?;
//! let page = book.page("residual.md").expect("the page exists");
//! assert!(page.title().starts_with("Residual analysis"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod examples;
mod grammar;
mod highlight;
mod html;
mod links;
mod page;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use html::file_name;
pub use page::{Heading, Page};

/// A line of the table of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How deep it is.
    pub depth: usize,
    /// What it is called.
    pub title: String,
    /// The page, below `docs/`; `None`: the title of a part.
    pub path: Option<String>,
}

/// The book.
#[derive(Debug)]
pub struct Book {
    root: PathBuf,
    /// The table of contents.
    pub entries: Vec<Entry>,
    /// The pages, in the order of the contents; those it does not list, last.
    pub pages: Vec<Page>,
}

impl Book {
    /// Reads the book of a repository.
    pub fn read(root: &Path) -> io::Result<Book> {
        let docs = root.join("docs");
        let entries = contents(&fs::read_to_string(docs.join("SUMMARY.md"))?);
        let mut pages = Vec::new();
        let mut paths: Vec<String> = entries.iter().filter_map(|e| e.path.clone()).collect();
        let mut files = Vec::new();
        markdown_files(&docs, "", &mut files)?;
        files.sort();
        for file in files {
            if file != "SUMMARY.md" && !paths.contains(&file) {
                paths.push(file);
            }
        }
        for path in paths.into_iter().filter(|p| p.ends_with(".md")) {
            // A page that is listed and missing is a problem that is told, not an error.
            if let Ok(text) = fs::read_to_string(docs.join(&path)) {
                pages.push(Page::new(&path, &text));
            }
        }
        Ok(Book { root: root.to_path_buf(), entries, pages })
    }

    /// What is wrong with it, a line each.
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        links::check(self, &mut found);
        for page in &self.pages {
            examples::check(page, &mut found);
        }
        found
    }

    /// Writes the site; how many pages it has.
    pub fn write(&self, to: &Path) -> io::Result<usize> {
        html::write(self, to)
    }

    /// The page at a path below `docs/`.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.iter().find(|p| p.path == path)
    }

    /// The repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a page is in the contents, or one of many that a page in the contents lists.
    pub fn is_listed(&self, path: &str) -> bool {
        self.entries.iter().any(|e| e.path.as_deref() == Some(path))
            || (path.starts_with("diagnostics/") && self.is_listed("diagnostics/README.md"))
    }
}

/// The entries of a table of contents: `# Part`, `- [Title](page.md)`.
fn contents(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for line in text.lines() {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let line = line.trim();
        if let Some(title) = line.strip_prefix("## ") {
            entries.push(Entry { depth: 0, title: title.to_string(), path: None });
        } else if let Some(rest) = line.strip_prefix("- [")
            && let Some((title, rest)) = rest.split_once("](")
        {
            let path = rest.trim_end_matches(')').to_string();
            entries.push(Entry { depth, title: title.to_string(), path: Some(path) });
        }
    }
    entries
}

fn markdown_files(folder: &Path, below: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{below}{name}");
        if entry.file_type()?.is_dir() {
            markdown_files(&entry.path(), &format!("{path}/"), found)?;
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    Ok(())
}
