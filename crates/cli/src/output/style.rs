//! Colour, where there is any, and numbers for people.

/// Paints text, or does not.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    color: bool,
}

impl Style {
    /// With or without colour.
    pub fn new(color: bool) -> Style {
        Style { color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// What went wrong.
    pub fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// What looks wrong.
    pub fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// What is fine.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// What matters.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What is beside the point.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}

/// A count as people read it: `7`, `9 120`, `310 k`, `1.2 M`.
pub fn count(n: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let x = n as f64 / unit;
        if x < 10.0 { format!("{x:.1} {name}") } else { format!("{x:.0} {name}") }
    };
    match n {
        0..1_000 => n.to_string(),
        1_000..10_000 => format!("{} {:03}", n / 1000, n % 1000),
        10_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// A count with its noun: `1 violation`, `2 violations`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Text of an input, harmless for a terminal.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_024, "1 024"),
            (12_345, "12 k"),
            (310_000, "310 k"),
            (1_234_567, "1.2 M"),
            (45_000_000, "45 M"),
            (2_000_000_000, "2.0 G"),
        ];
        for (n, want) in cases {
            assert_eq!(count(n), want);
        }
        assert_eq!(counted(1, "event"), "1 event");
        assert_eq!(counted(2, "event"), "2 events");
    }
}
