//! What is printed, kept for the file of results, and held against the bars.

use std::fmt::Write;
use std::fs::File;
use std::path::Path;

/// A report in Markdown, printed as it comes about.
#[derive(Default)]
pub struct Report {
    text: String,
    marks: Vec<Mark>,
    /// Where every line goes at once, so that a run that is interrupted leaves what it found.
    file: Option<File>,
}

/// One number beside its bar.
struct Mark {
    what: String,
    found: String,
    bar: String,
    /// A bar must be kept; a goal is aimed at.
    is_goal: bool,
    met: bool,
}

impl Report {
    /// A report that is written to a file as it comes about.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn in_file(path: &Path) -> std::io::Result<Report> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Report { file: Some(File::create(path)?), ..Report::default() })
    }

    /// A line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        println!("{}", line.as_ref());
        let _ = writeln!(self.text, "{}", line.as_ref());
        if let Some(file) = &mut self.file {
            let _ = std::io::Write::write_all(file, format!("{}\n", line.as_ref()).as_bytes());
        }
    }

    /// A heading and the head of a table.
    pub fn table(&mut self, heading: &str, columns: &[&str]) {
        self.line(format!("\n## {heading}\n"));
        self.line(format!("| {} |", columns.join(" | ")));
        self.line(format!("|{}", "---|".repeat(columns.len())));
    }

    /// A row of a table.
    pub fn row(&mut self, cells: &[String]) {
        self.line(format!("| {} |", cells.join(" | ")));
    }

    /// A number that must not be above its bar.
    pub fn bar(&mut self, what: &str, found: f64, most: f64, unit: &str) {
        self.marks.push(Mark {
            what: what.to_string(),
            found: format!("{found:.2}{unit}"),
            bar: format!("≤ {most}{unit}"),
            is_goal: false,
            met: found <= most,
        });
    }

    /// A number that should not be below its goal.
    pub fn goal(&mut self, what: &str, found: f64, least: f64, unit: &str) {
        self.marks.push(Mark {
            what: what.to_string(),
            found: format!("{found:.2}{unit}"),
            bar: format!("≥ {least}{unit}"),
            is_goal: true,
            met: found >= least,
        });
    }

    /// Everything held against its bar or goal.
    pub fn marks(&mut self) {
        self.table("Bars and goals", &["", "found", "wanted", "", "met"]);
        for mark in std::mem::take(&mut self.marks) {
            let kind = if mark.is_goal { "goal" } else { "bar" };
            let met = if mark.met { "yes" } else { "**no**" };
            self.row(&[mark.what, mark.found, mark.bar, kind.to_string(), met.to_string()]);
        }
    }

    /// Writes everything to a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, &self.text)
    }
}
