//! A page of Markdown.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1.
    pub level: usize,
    /// Its text.
    pub text: String,
    /// What links call it.
    pub anchor: String,
}

/// A block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The language it says it is in, and what else it says.
    pub info: String,
    /// The text.
    pub text: String,
    /// The line it begins at, from 1.
    pub line: usize,
}

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it is, below `docs/`.
    pub path: String,
    /// The Markdown.
    pub text: String,
    /// The headings.
    pub headings: Vec<Heading>,
    /// Where links lead, and the line they are at.
    pub links: Vec<(String, usize)>,
    /// The blocks of code.
    pub blocks: Vec<Block>,
}

/// How Markdown is read.
pub fn options() -> Options {
    Options::ENABLE_TABLES
}

impl Page {
    /// Reads a page.
    pub fn new(path: &str, text: &str) -> Page {
        let mut page = Page {
            path: path.to_string(),
            text: text.to_string(),
            headings: Vec::new(),
            links: Vec::new(),
            blocks: Vec::new(),
        };
        let mut heading: Option<(usize, String)> = None;
        let mut block: Option<Block> = None;
        for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
            let line = || text[..range.start].matches('\n').count() + 1;
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some((level as usize, String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, text)) = heading.take() {
                        let anchor = page.anchor(&text);
                        page.headings.push(Heading { level, text, anchor });
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((dest_url.to_string(), line()));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    block = Some(Block { info, text: String::new(), line: line() });
                }
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some((_, text)) = &mut heading {
                        text.push_str(&part);
                    }
                    if let Some(block) = &mut block {
                        block.text.push_str(&part);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// What the page is called.
    pub fn title(&self) -> &str {
        self.headings.first().map_or(&self.path, |h| &h.text)
    }

    /// What a heading is called in links, as the common renderers do it: small letters, blanks are
    /// hyphens, other marks are dropped, and the second of a name gets a number.
    fn anchor(&self, text: &str) -> String {
        let plain: String = text
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c if c.is_alphanumeric() => Some(c),
                _ => None,
            })
            .collect();
        let taken = |anchor: &str| self.headings.iter().any(|h| h.anchor == anchor);
        (0..)
            .map(|n| if n == 0 { plain.clone() } else { format!("{plain}-{n}") })
            .find(|anchor| !taken(anchor))
            .unwrap_or(plain)
    }
}
