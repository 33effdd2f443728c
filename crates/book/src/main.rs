//! `watchword-book [ROOT [OUT]]`: checks the book and writes the site, by default to target/book.

use std::path::PathBuf;
use std::process::ExitCode;

use watchword_book::Book;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let root = args.next().unwrap_or_else(|| PathBuf::from("."));
    let out = args.next().unwrap_or_else(|| root.join("target/book"));
    let book = match Book::read(&root) {
        Ok(book) => book,
        Err(error) => {
            eprintln!("error: cannot read the book in {}: {error}", root.display());
            return ExitCode::from(2);
        }
    };
    let problems = book.problems();
    for problem in &problems {
        eprintln!("{problem}");
    }
    match book.write(&out) {
        Ok(pages) => println!("{pages} pages in {}", out.join("index.html").display()),
        Err(error) => {
            eprintln!("error: cannot write to {}: {error}", out.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::from(u8::from(!problems.is_empty()))
}
