//! The site.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd, html};

use crate::highlight::{escape, ww};
use crate::links::{Target, plain, target};
use crate::page::{Page, options};
use crate::{Book, grammar};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// The folder of pictures, below `docs/` and in the site.
const PICTURES: &str = "pictures";

/// Writes every page.
pub fn write(book: &Book, to: &Path) -> io::Result<usize> {
    fs::create_dir_all(to)?;
    fs::write(to.join("style.css"), STYLE)?;
    fs::write(to.join("script.js"), format!("{}\n{SCRIPT}", search_index(book)))?;
    let up = up_to_root(book, to);
    let order: Vec<&str> = book.entries.iter().filter_map(|e| e.path.as_deref()).collect();
    for page in &book.pages {
        let path = to.join(file_name(&page.path));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let at = order.iter().position(|p| *p == page.path);
        let before = at.and_then(|at| at.checked_sub(1)).map(|at| order[at]);
        let after = at.and_then(|at| order.get(at + 1).copied());
        let body = format!("{}{}", body(page, &up), around(book, page, before, after));
        fs::write(path, whole(book, &page.path, page.title(), &body))?;
    }
    copy_pictures(&book.root().join("docs").join(PICTURES), &to.join(PICTURES))?;
    let text = fs::read_to_string(book.root().join("docs/grammar.ebnf"))?;
    let body = grammar::html(&text);
    fs::write(to.join("grammar.html"), whole(book, "grammar.ebnf", "The grammar", &body))?;
    Ok(book.pages.len() + 1)
}

/// Where a page is in the site.
pub fn file_name(path: &str) -> String {
    let stem = path.trim_end_matches(".md").trim_end_matches(".ebnf");
    match stem.strip_suffix("README") {
        Some(folder) => format!("{folder}index.html"),
        None => format!("{stem}.html"),
    }
}

/// From the site to the repository, for links to files that are no pages.
fn up_to_root(book: &Book, to: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (root, to) = (absolute(book.root()), absolute(to));
    match to.strip_prefix(&root) {
        Ok(below) => "../".repeat(below.components().count()),
        Err(_) => format!("{}/", root.display()),
    }
}

/// From a page of the site to its top.
fn up(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

fn body(page: &Page, up_to_root: &str) -> String {
    let mut headings = page.headings.iter();
    let mut code: Option<String> = None;
    let mut text = String::new();
    let events = Parser::new_ext(&page.text, options()).filter_map(|event| match event {
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            let anchor = headings.next().map(|h| CowStr::from(h.anchor.clone()));
            Some(Event::Start(Tag::Heading { level, id: anchor, classes, attrs }))
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = CowStr::from(site_link(&page.path, &dest_url, up_to_root));
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let dest_url = CowStr::from(picture_link(&page.path, &dest_url));
            Some(Event::Start(Tag::Image { link_type, dest_url, title, id }))
        }
        Event::Start(Tag::CodeBlock(kind)) => {
            let info = match kind {
                CodeBlockKind::Fenced(info) => info.to_string(),
                CodeBlockKind::Indented => String::new(),
            };
            code = Some(info);
            text.clear();
            None
        }
        Event::Text(part) if code.is_some() => {
            text.push_str(&part);
            None
        }
        Event::End(TagEnd::CodeBlock) => {
            let info = code.take().unwrap_or_default();
            let language = info.split_whitespace().next().unwrap_or_default();
            let shown = if language == "ww" { ww(&text) } else { escape(&text) };
            let class = escape(language);
            Some(Event::Html(
                format!("<pre class=\"code {class}\"><code>{shown}</code></pre>\n").into(),
            ))
        }
        // Comments of the source are notes for the tests.
        Event::Html(part) if part.trim_start().starts_with("<!--") => None,
        event => Some(event),
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    // Tables may be wider than a phone: they scroll by themselves.
    out.replace("<table>", "<div class=table><table>").replace("</table>", "</table></div>")
}

/// A link as the site has it.
fn site_link(page: &str, link: &str, up_to_root: &str) -> String {
    let Target::File(path, anchor) = target(link) else { return link.to_string() };
    let folder = Path::new("docs").join(page);
    let there = plain(&folder.parent().map_or(PathBuf::new(), |f| f.join(path)));
    let anchor = anchor.map_or(String::new(), |a| format!("#{a}"));
    match there.strip_prefix("docs") {
        Ok(inside) if path.ends_with(".md") || path.ends_with("grammar.ebnf") => {
            format!("{}{}{anchor}", up(page), file_name(&inside.to_string_lossy()))
        }
        _ => format!("{}{up_to_root}{}{anchor}", up(page), there.display()),
    }
}

/// Where the site has a picture of `docs/pictures`: pictures go with it. Others stay where they are.
fn picture_link(page: &str, link: &str) -> String {
    let there = plain(&Path::new(page).parent().map_or(PathBuf::new(), |f| f.join(link)));
    match there.starts_with(PICTURES) {
        true => format!("{}{}", up(page), there.display()),
        false => link.to_string(),
    }
}

/// Copies the pictures of the pages, if there are any.
fn copy_pictures(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Links to the pages before and after.
fn around(book: &Book, page: &Page, before: Option<&str>, after: Option<&str>) -> String {
    let link = |path: Option<&str>, class: &str| {
        let Some(path) = path else { return String::new() };
        let entry = book.entries.iter().find(|e| e.path.as_deref() == Some(path));
        let title = entry.map_or(path, |e| &e.title);
        let to = format!("{}{}", up(&page.path), file_name(path));
        format!("<a class={class} href=\"{to}\">{}</a>", escape(title))
    };
    format!("<nav class=around>{}{}</nav>", link(before, "before"), link(after, "after"))
}

fn whole(book: &Book, path: &str, title: &str, body: &str) -> String {
    let up = up(path);
    let mut contents = String::new();
    for entry in &book.entries {
        match &entry.path {
            None => contents.push_str(&format!("<p class=part>{}</p>", escape(&entry.title))),
            Some(to) => {
                let current = if to == path { " aria-current=page" } else { "" };
                contents.push_str(&format!(
                    "<a class=d{} href=\"{up}{}\"{current}>{}</a>",
                    entry.depth,
                    file_name(to),
                    escape(&entry.title)
                ));
            }
        }
    }
    format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <title>{} · Watchword</title>\n<link rel=icon href=\"data:,\">\n\
         <link rel=stylesheet href=\"{up}style.css\">\n</head>\n<body data-up=\"{up}\">\n\
         <a class=skip href=\"#main\">To the text</a>\n\
         <header><button id=menu aria-expanded=false aria-controls=contents>Contents</button>\
         <a class=home href=\"{up}index.html\">Watchword</a>\
         <input id=search type=search placeholder=\"Search  ( / )\" aria-label=Search>\
         <ul id=found hidden></ul></header>\n\
         <nav id=contents>{contents}</nav>\n<main id=main>\n{body}\n</main>\n\
         <script src=\"{up}script.js\"></script>\n</body>\n</html>\n",
        escape(title)
    )
}

/// Headings and where they are, for the search.
fn search_index(book: &Book) -> String {
    let quoted = |text: &str| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('<', "\\u003c");
        format!("\"{text}\"")
    };
    let mut entries = Vec::new();
    for page in &book.pages {
        for heading in &page.headings {
            let to = match heading.level {
                1 => file_name(&page.path),
                _ => format!("{}#{}", file_name(&page.path), heading.anchor),
            };
            let entry = [quoted(&heading.text), quoted(page.title()), quoted(&to)];
            entries.push(format!("[{}]", entry.join(",")));
        }
    }
    format!("const HEADINGS = [{}];", entries.join(","))
}
