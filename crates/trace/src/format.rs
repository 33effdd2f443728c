//! The formats of traces, in one table.

/// How a trace is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values.
    Csv,
    /// `key=value` pairs.
    Logfmt,
    /// Lines of text, in which patterns of the property find events.
    Text,
}

/// What is known of a format.
pub struct Entry {
    /// The format.
    pub format: Format,
    /// What users call it, the usual name first.
    pub names: &'static [&'static str],
    /// Extensions of file names that say so, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// One line about it for the help.
    pub about: &'static str,
}

impl Format {
    /// Every format.
    pub const TABLE: [Entry; 4] = [
        Entry {
            format: Format::Jsonl,
            names: &["jsonl", "json", "ndjson"],
            extensions: &["jsonl", "ndjson", "json"],
            about: "One JSON object per line",
        },
        Entry {
            format: Format::Csv,
            names: &["csv"],
            extensions: &["csv"],
            about: "Comma-separated values",
        },
        Entry {
            format: Format::Logfmt,
            names: &["logfmt"],
            extensions: &["logfmt"],
            about: "`key=value` pairs",
        },
        Entry {
            format: Format::Text,
            names: &["text", "log"],
            // Only if there are patterns for lines.
            extensions: &["log", "txt"],
            about: "Lines of text, in which patterns of the property find events",
        },
    ];

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::TABLE.iter().find(|entry| entry.names.contains(&name)).map(|entry| entry.format)
    }

    /// The format that the extension of a file name says, be the file compressed or not.
    pub fn of_file(name: &str) -> Option<Format> {
        let (_, extension) = plain_name(name).rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let entry = Format::TABLE.iter().find(|entry| entry.extensions.contains(&&*extension))?;
        Some(entry.format)
    }
}

/// Extensions that say nothing about what is inside.
const COMPRESSED: [&str; 4] = [".gz", ".gzip", ".zst", ".zstd"];

/// A name without the extension of a compressed file: `app.log.gz` holds an `app.log`.
pub fn plain_name(name: &str) -> &str {
    COMPRESSED.iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compressed_files() {
        assert_eq!(plain_name("app.jsonl.gz"), "app.jsonl");
        assert_eq!(plain_name("app.log.zst"), "app.log");
        assert_eq!(plain_name("app.log"), "app.log");
    }

    #[test]
    fn names_and_extensions_mean_one_format_each() {
        let names = Format::TABLE.iter().flat_map(|e| e.names.iter().map(|n| (*n, e.format)));
        for (name, format) in names {
            assert_eq!(Format::named(name), Some(format), "{name}");
        }
        let files = Format::TABLE.iter().flat_map(|e| e.extensions.iter().map(|x| (*x, e.format)));
        for (extension, format) in files {
            assert_eq!(Format::of_file(&format!("a.b/c.{extension}.gz")), Some(format));
            let upper = extension.to_ascii_uppercase();
            assert_eq!(Format::of_file(&format!("c.{upper}")), Some(format), "{upper}");
        }
        assert_eq!(Format::of_file("trace"), None);
    }
}
