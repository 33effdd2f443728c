//! What the fuzz tests of all languages share: mutilating texts, and what must hold of whatever is
//! said about them.

use watchword_model::Span;
use watchword_spec::{Diagnostic, Lang, Loaded, format_as};

use watchword_testing::Random;

/// How many rounds a fuzz test runs.
pub fn rounds() -> usize {
    match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().expect("WATCHWORD_FUZZ is a number of rounds"),
        Err(_) => 6_000,
    }
}

/// A text of a corpus with a few faults.
pub fn mutate(random: &mut Random, chosen: &str, corpus: &[&str], tokens: &[&str]) -> String {
    let mut bytes = chosen.as_bytes().to_vec();
    // A window, so that small faults are not drowned in a large file.
    if bytes.len() > 1500 && random.below(3) > 0 {
        let from = random.below(bytes.len() - 800);
        bytes = bytes[from..from + 800].to_vec();
    }
    for _ in 0..1 + random.below(8) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(9) {
            0 => bytes[at] = random.next() as u8,
            1 => {
                bytes.remove(at);
            }
            2 => bytes.insert(at, *random.pick(b"<>{}()[]\"/\\\n?!*=-:;`|,. ")),
            3 => bytes.truncate(at),
            4 | 5 => {
                let token = random.pick(tokens);
                bytes.splice(at..at, format!(" {token} ").into_bytes());
            }
            6 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            7 => {
                let end = (at + random.below(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let other = random.pick(corpus).as_bytes();
                let from = random.below(other.len());
                let end = (from + random.below(80)).min(other.len());
                bytes.splice(at..at, other[from..end].to_vec());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Places are inside the file, and everything can be shown.
pub fn check(text: &str, loaded: &Loaded, said: &[Diagnostic]) {
    if loaded.model.is_none() {
        assert!(said.iter().any(|d| d.is_error()), "no model and no error: {text:?}");
    }
    for (at, diagnostic) in said.iter().enumerate() {
        assert!(diagnostic.help.as_ref().is_some_and(|h| !h.is_empty()), "no mend: {diagnostic:?}");
        assert!(
            !diagnostic.is_error() || diagnostic.span != Span::NONE,
            "no place: {diagnostic:?}"
        );
        let spans =
            std::iter::once(diagnostic.span).chain(diagnostic.labels.iter().map(|l| l.span));
        for span in spans.filter(|s| *s != Span::NONE) {
            let file = &loaded.files[span.file.index()];
            let range = span.start as usize..span.end as usize;
            assert!(file.text.get(range).is_some(), "{diagnostic:?} is outside of {text:?}");
        }
        if at < 20 {
            let _ = diagnostic.range(&loaded.files);
            assert!(diagnostic.render(&loaded.files, at % 2 == 0).contains(diagnostic.code));
        }
    }
}

/// What can be laid out is laid out once and for all.
pub fn check_layout(lang: Lang, text: &str) {
    match format_as(lang, text) {
        Ok(once) => {
            assert_eq!(format_as(lang, &once).as_ref(), Ok(&once), "from {text:?}");
            let solid = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(
                solid(&once).trim_start_matches('\u{feff}'),
                solid(text).trim_start_matches('\u{feff}')
            );
        }
        Err(errors) => assert!(!errors.is_empty()),
    }
}
