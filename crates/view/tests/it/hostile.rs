//! What comes from outside stays text.

use watchword_view::Snippet;
use watchword_view::report::Format;

use crate::sample::Sample;

/// Texts that would be markup, scripts or the end of an attribute.
pub const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'--></style><svg onload=alert(1)>",
    "` </code><b>",
    "</title><h1>",
    "\u{202e}\u{0}\u{1b}[31m&lt;",
];

/// A page with a hostile text in every place a text can be.
pub fn page(text: &str) -> String {
    let sample = Sample::with(text);
    let source = |_: &watchword_model::Location| {
        Some(Snippet { first: 9, lines: vec![text.to_string(); 5], file: Some(text.to_string()) })
    };
    Format::Html.render(&sample.outcome(Vec::new(), &source, text))
}

#[test]
fn a_page_has_only_the_elements_it_was_made_of() {
    let elements = |page: &str| {
        let mut names: Vec<String> = page
            .split('<')
            .skip(1)
            .map(|tag| tag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect())
            .collect();
        names.sort();
        // The same text in other lines is drawn in more lines, never in other elements.
        names.dedup();
        names
    };
    let plain = elements(&page("ship"));
    for text in HOSTILE {
        let page = page(text);
        assert_eq!(elements(&page), plain, "{text}");
        assert_eq!(page.matches("<script").count(), 1, "{text}");
        assert!(!page.contains("<img") && !page.contains("onload=alert(1)>"), "{text}");
        assert!(!page.contains(['\0', '\u{1b}']), "{text}");
    }
}

#[test]
fn pictures_are_well_formed_whatever_is_written_in_them() {
    use watchword_view::diagram::{Diagram, Edge, Node};
    for text in HOSTILE {
        let mut diagram = Diagram::new(text);
        let a = diagram.add(Node { note: text.to_string(), ..Node::start(text) });
        let b = diagram.add(Node::plain(&text.repeat(20)));
        diagram.connect(Edge::new(a, b, &text.repeat(30)));
        diagram.connect(Edge::new(b, b, text));
        let drawn = watchword_view::svg::draw(&[diagram.clone(), diagram]);
        roxmltree::Document::parse(&drawn).unwrap_or_else(|e| panic!("{e}: {drawn}"));
    }
}
