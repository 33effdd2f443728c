//! Source files, read once.

use std::collections::HashMap;
use std::path::Path;

/// Source files by the names the program knows them by.
#[derive(Debug, Default)]
pub(super) struct Sources {
    files: HashMap<String, Option<Vec<String>>>,
    /// Where `list` goes on.
    pub next: Option<(String, u32)>,
    /// Where it began the last time.
    pub shown: Option<(String, u32)>,
}

/// A line with blanks instead of tabs, which are no characters for a terminal that somebody else may see.
fn untabbed(line: &str) -> String {
    const WIDTH: usize = 8;
    let mut out = String::new();
    let mut column = 0;
    for c in line.chars() {
        let step = if c == '\t' { WIDTH - column % WIDTH } else { 1 };
        match c {
            '\t' => out.push_str(&" ".repeat(step)),
            c => out.push(c),
        }
        column += step;
    }
    out
}

impl Sources {
    fn file(&mut self, name: &str) -> Option<&Vec<String>> {
        let read = || {
            // As it was compiled, or here under its own name.
            let beside = Path::new(name).file_name().map(|f| f.to_string_lossy().into_owned());
            let text = std::fs::read(name).ok().or_else(|| std::fs::read(beside?).ok())?;
            Some(String::from_utf8_lossy(&text).lines().map(str::to_string).collect())
        };
        self.files.entry(name.to_string()).or_insert_with(read).as_ref()
    }

    /// A line, if the file is at hand.
    pub fn line(&mut self, name: &str, line: u32) -> Option<String> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        self.file(name)?.get(at).map(|text| untabbed(text))
    }

    /// Lines with their numbers, from the first to the last that exist.
    pub fn lines(&mut self, name: &str, first: u32, last: u32) -> Vec<(u32, String)> {
        let first = first.max(1);
        (first..=last).map_while(|n| self.line(name, n).map(|text| (n, text))).collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn tabs_become_blanks() {
        assert_eq!(super::untabbed("\tif (a)\tb"), "        if (a)  b");
    }
}
