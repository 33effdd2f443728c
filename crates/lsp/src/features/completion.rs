//! What may come next.
//!
//! The text before the cursor rarely parses, so this looks at its tokens: which block the cursor is
//! in, and the words of the line so far.

use serde_json::{Value, json};
use watchword_model::{Builtin, Type};
use watchword_spec::given::TYPES;
use watchword_spec::ww::lexer::{Lexer, Punct, TokenKind};

use super::{Analysis, hover};
use crate::index::{Index, Kind, Symbol};
use crate::text;

/// A block the cursor is in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Property(String),
    Context(String),
    State,
    /// The sources of an event.
    Sources,
    /// Statements; of a function, its name.
    Statements(Option<String>),
}

/// Where the cursor is.
struct Here {
    blocks: Vec<Block>,
    /// The words and marks since the thing began that the cursor is in.
    words: Vec<String>,
    /// Open parentheses in it.
    open: usize,
    /// Inside a text.
    in_text: bool,
    /// Inside a placeholder of a text.
    in_placeholder: bool,
}

/// Completions at a byte of the document.
pub fn of(analysis: &Analysis, offset: usize) -> Vec<Value> {
    if !analysis.own {
        return Vec::new();
    }
    let (start, _) = text::word_at(analysis.text(), offset);
    let here = look(&analysis.text()[..start]);
    let mut list = List { items: Vec::new() };
    if here.in_text && !here.in_placeholder {
        return list.items;
    }
    suggest(&here, &analysis.index, &mut list);
    list.items
}

/// Reads the text before the cursor.
fn look(before: &str) -> Here {
    let mut here = Here {
        blocks: Vec::new(),
        words: Vec::new(),
        open: 0,
        in_text: false,
        in_placeholder: false,
    };
    let mut lexer = Lexer::new(before);
    loop {
        let mut token = lexer.next_token();
        let regex = matches!(here.words.last().map(String::as_str), Some("log" | "==" | "!="))
            && token.kind == TokenKind::Punct(Punct::Slash);
        if regex {
            token = lexer.regex_at(token);
        }
        let word = &before[token.range()];
        match token.kind {
            TokenKind::End => break,
            TokenKind::Str => {
                let closed = word.len() > 1 && word.ends_with('"');
                here.in_text = !closed;
                here.in_placeholder =
                    here.in_text && word.rfind('{').is_some_and(|at| !word[at..].contains('}'));
                here.words.push("\"".to_string());
            }
            TokenKind::Punct(Punct::BraceOpen) => here.enter(),
            TokenKind::Punct(Punct::BraceClose) => {
                here.blocks.pop();
                here.words.clear();
                // What follows a block of a transition belongs to it: `{ … } -> Target`.
                if here.blocks.last() == Some(&Block::State) {
                    here.words.push("on".to_string());
                    here.words.push("}".to_string());
                }
                here.open = 0;
            }
            _ => {
                if token.newline_before && here.open == 0 && here.begins(word) {
                    here.words.clear();
                }
                match token.kind {
                    TokenKind::Punct(Punct::ParenOpen) => here.open += 1,
                    TokenKind::Punct(Punct::ParenClose) => here.open = here.open.saturating_sub(1),
                    _ => {}
                }
                here.words.push(word.to_string());
            }
        }
    }
    // The cursor is on a new line: another thing may begin.
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    if last_line.trim().is_empty() && here.open == 0 && before.contains('\n') {
        here.words.clear();
    }
    here
}

impl Here {
    /// Whether a word at the beginning of a line begins another thing here.
    fn begins(&self, word: &str) -> bool {
        match self.blocks.last() {
            None => ITEMS.iter().any(|(w, _, _)| *w == word),
            Some(Block::Property(_) | Block::Context(_)) => {
                MEMBERS.iter().any(|(w, _, _)| *w == word) || word == "property"
            }
            Some(Block::State) => word == "on" || word == "enter",
            Some(Block::Sources) => ["jvm", "native", "log", "program"].contains(&word),
            Some(Block::Statements(_)) => true,
        }
    }

    /// A brace opens.
    fn enter(&mut self) {
        let words = std::mem::take(&mut self.words);
        let first = words.first().map_or("", String::as_str);
        let name = || words.get(1).cloned().unwrap_or_default();
        let block = match (first, self.blocks.last()) {
            ("property", _) => Block::Property(name()),
            ("context", _) => Block::Context(name()),
            ("function", _) => Block::Statements(Some(name())),
            ("event", _) => Block::Sources,
            ("start" | "bad" | "good" | "pending" | "state", Some(Block::Property(_)))
                if !words.iter().any(|w| w == "else") || words.iter().any(|w| w == "}") =>
            {
                Block::State
            }
            (_, Some(Block::Statements(function))) => Block::Statements(function.clone()),
            _ => Block::Statements(None),
        };
        self.open = 0;
        // `within 5 s else { … } Target {`: the rest of the line still is of the state.
        self.blocks.push(block);
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    /// The property, contexts and function the cursor is in.
    fn owners(&self, index: &Index) -> Vec<usize> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Property(name) => index.owner_named(Kind::Property, name),
                Block::Context(name) => index.owner_named(Kind::Context, name),
                Block::Statements(Some(name)) => index.owner_named(Kind::Function, name),
                _ => None,
            })
            .collect()
    }
}

/// Words, what they are for, and what is inserted.
type Word = (&'static str, &'static str, &'static str);

const ITEMS: [Word; 6] = [
    ("event", "an event", "event ${1:name}(${2:x})"),
    (
        "property",
        "a property",
        "property ${1:Name}(${2:x}) {\n  start state ${3:Start} {\n    on ${4:event}($2) -> ${5:Bad}\n  }\n  bad state $5\n}",
    ),
    ("context", "properties that share variables", "context ${1:Name}(${2:x}) {\n  $0\n}"),
    ("channel", "an event properties raise", "channel ${1:name}(${2:x})"),
    ("function", "a function", "function ${1:name}(${2:x}) {\n  return $0\n}"),
    ("import", "the declarations of another file", "import \"$0\""),
];

const MEMBERS: [Word; 21] = [
    ("severity", "error, warning or note", "severity "),
    ("tags", "words by which properties are selected", "tags "),
    ("message", "the text of every report", "message \"$0\""),
    ("boxes", "strings and boxes compare by value", "boxes by value"),
    ("also", "observe these events too", "also "),
    ("creation", "an instance begins with these", "creation "),
    ("rule", "how instances are created", "rule "),
    ("ends", "an event that ends the life of a value", "ends ${1:x} on ${2:event}($1)"),
    ("param", "a value chosen for a run", "param ${1:limit}: ${2:duration} = ${3:5 s}"),
    ("var", "a variable of each instance", "var ${1:n}: ${2:int} = ${3:0}"),
    ("clock", "a clock of each instance", "clock ${1:t}"),
    (
        "window",
        "a value computed from recent events",
        "window ${1:n} = count ${2:event}(${3:x}) within ${4:1 min}",
    ),
    ("start", "the state to begin in", "start state ${1:Name} {\n  on $0\n}"),
    ("bad", "a violation", "bad state ${1:Name}"),
    ("good", "a satisfaction", "good state ${1:Name}"),
    ("pending", "a violation at the end", "pending state ${1:Name} {\n  on $0\n}"),
    ("state", "a state", "state ${1:Name} {\n  on $0\n}"),
    ("never", "a pattern that must not occur", "never "),
    ("only", "a pattern of all allowed events", "only "),
    ("ltl", "a temporal formula", "ltl always ($0)"),
    ("proven", "proven for a program, not monitored", "proven"),
];

const STATEMENTS: [&str; 13] = [
    "var", "if", "while", "for", "break", "continue", "return", "send", "print", "do", "reset",
    "stop", "else",
];

const SOURCES: [Word; 7] = [
    (
        "jvm before call",
        "a Java method is called",
        "jvm before call ${1:Type}+.${2:method}(..) on ${3:x}",
    ),
    (
        "jvm after call",
        "a Java method returned",
        "jvm after call ${1:Type}+.${2:method}(..) on ${3:x} returns ${4:y}",
    ),
    (
        "native before call",
        "a native function is called",
        "native before call ${1:function} with ${2:x} = arg 0",
    ),
    (
        "native write",
        "a native variable is written",
        "native write ${1:variable} with ${2:x} = value",
    ),
    ("log /…/", "a line of a log", "log /(?<${1:x}>\\\\S+)$0/"),
    ("log record", "a record of a log", "log record \"${1:name}\" with ${2:x} = .${3:field}"),
    (
        "log where",
        "a record of a log, by its fields",
        "log where .${1:field} == \"${2:value}\" with ${3:x} = .${4:field}",
    ),
];

const OPERATORS: [&str; 17] = [
    "always",
    "eventually",
    "next",
    "until",
    "weak-until",
    "release",
    "once",
    "historically",
    "previous",
    "since",
    "not",
    "and",
    "or",
    "implies",
    "iff",
    "true",
    "false",
];

/// The numbers the protocol has for kinds of completions.
mod kind {
    pub const FUNCTION: u32 = 3;
    pub const VARIABLE: u32 = 6;
    pub const KEYWORD: u32 = 14;
    pub const SNIPPET: u32 = 15;
    pub const ENUM_MEMBER: u32 = 20;
    pub const EVENT: u32 = 23;
    pub const TYPE: u32 = 25;
}

struct List {
    items: Vec<Value>,
}

impl List {
    fn word(&mut self, word: &str, kind: u32, detail: &str) {
        self.items.push(json!({"label": word, "kind": kind, "detail": detail}));
    }

    fn snippet(&mut self, label: &str, kind: u32, detail: &str, snippet: &str) {
        self.items.push(json!({
            "label": label, "kind": kind, "detail": detail,
            "insertText": snippet, "insertTextFormat": 2,
        }));
    }

    fn words(&mut self, words: &[&str]) {
        for word in words {
            self.word(word, kind::KEYWORD, hover::keyword(word).unwrap_or_default());
        }
    }

    fn snippets(&mut self, words: &[Word]) {
        for (word, detail, snippet) in words {
            self.snippet(word, kind::SNIPPET, detail, snippet);
        }
    }

    fn symbol(&mut self, symbol: &Symbol, kind: u32) {
        self.items.push(json!({
            "label": symbol.name, "kind": kind, "detail": symbol.detail,
            "documentation": symbol.doc,
        }));
    }

    /// Events, with their arguments as the property at the cursor would write them.
    fn events(&mut self, index: &Index, owners: &[usize], with_args: bool) {
        for (id, symbol) in index.symbols.iter().enumerate() {
            if !matches!(symbol.kind, Kind::Event | Kind::Channel) {
                continue;
            }
            let params = index.events.get(&id).map_or(&[][..], |(list, _)| list);
            if !with_args || params.is_empty() {
                self.symbol(symbol, kind::EVENT);
                continue;
            }
            let is_own = |name: &str| {
                let own = |s: &&Symbol| s.kind == Kind::Param && s.name == name;
                owners.iter().any(|o| index.members(*o).any(|s| own(&s)))
            };
            let args: Vec<String> = params
                .iter()
                .enumerate()
                .map(|(i, param)| {
                    let name = &index.symbols[*param].name;
                    match is_own(name) {
                        true => name.clone(),
                        false => format!("${{{}:?{name}}}", i + 1),
                    }
                })
                .collect();
            let snippet = format!("{}({})", symbol.name, args.join(", "));
            self.items.push(json!({
                "label": symbol.name, "kind": kind::EVENT, "detail": symbol.detail,
                "documentation": symbol.doc, "insertText": snippet, "insertTextFormat": 2,
            }));
        }
    }

    /// What can be named in an expression.
    fn values(&mut self, index: &Index, owners: &[usize]) {
        for owner in owners {
            for symbol in index.members(*owner) {
                match symbol.kind {
                    Kind::Param
                    | Kind::Setting
                    | Kind::Variable
                    | Kind::Clock
                    | Kind::Window
                    | Kind::Register
                    | Kind::Binder
                    | Kind::Local => {
                        self.symbol(symbol, kind::VARIABLE);
                    }
                    _ => {}
                }
            }
        }
        for symbol in index.symbols.iter().filter(|s| s.kind == Kind::Function) {
            self.symbol(symbol, kind::FUNCTION);
        }
        for (builtin, name, _) in Builtin::TABLE {
            let (args, does) = hover::builtin_doc(builtin);
            self.snippet(
                name,
                kind::FUNCTION,
                &format!("{name}({args}): {does}"),
                &format!("{name}($0)"),
            );
        }
        self.words(&["and", "or", "not", "true", "false", "null", "now"]);
    }

    fn members(&mut self, index: &Index, owners: &[usize], wanted: Kind, number: u32) {
        for owner in owners {
            for symbol in index.members(*owner).filter(|s| s.kind == wanted) {
                self.symbol(symbol, number);
            }
        }
    }
}

fn suggest(here: &Here, index: &Index, list: &mut List) {
    let owners = here.owners(index);
    let last = here.last();
    if here.in_placeholder {
        return list.values(index, &owners);
    }
    match last {
        "->" | "=>" => {
            list.members(index, &owners, Kind::State, kind::ENUM_MEMBER);
            return list.words(&["drop"]);
        }
        ":" if here.has("param") => {
            for ty in TYPES {
                list.word(ty.name(), kind::TYPE, "");
            }
            return;
        }
        "within" | "at" => return list.members(index, &owners, Kind::Setting, kind::VARIABLE),
        ":" if here.open > 0 || here.has("var") => {
            for ty in Type::ALL {
                list.word(ty.name(), kind::TYPE, "");
            }
            return;
        }
        "severity" => return list.words(&["error", "warning", "note"]),
        "rule" => return list.words(&["chen-rosu", "verde", "larva"]),
        "reset" | "stop" => return list.members(index, &owners, Kind::Clock, kind::VARIABLE),
        "send" => {
            for symbol in index.symbols.iter().filter(|s| s.kind == Kind::Channel) {
                list.symbol(symbol, kind::EVENT);
            }
            return;
        }
        _ => {}
    }
    let first = here.words.first().map_or("", String::as_str);
    match here.blocks.last() {
        None if here.words.is_empty() => list.snippets(&ITEMS),
        None if first == "event" && last == "=" => list.snippets(&SOURCES),
        None => {}
        Some(Block::Sources) if here.words.is_empty() => list.snippets(&SOURCES),
        Some(Block::Sources) => {}
        Some(Block::Property(_) | Block::Context(_)) => match first {
            "" => {
                list.snippets(&MEMBERS);
                if matches!(here.blocks.last(), Some(Block::Context(_))) {
                    list.snippets(&ITEMS[1..3]);
                }
            }
            "also" | "creation" if !here.has("if") => list.events(index, &owners, false),
            "never" | "only" if here.open == 0 || !here.has("if") => {
                list.events(index, &owners, false);
                list.words(&["any", "end"]);
            }
            "ltl" => {
                list.events(index, &owners, false);
                list.words(&OPERATORS);
            }
            "ends" if last == "on" => list.events(index, &owners, true),
            "ends" => list.members(index, &owners, Kind::Param, kind::VARIABLE),
            "start" if here.words.len() == 1 => list.words(&["state", "bad", "good", "pending"]),
            "bad" | "good" | "pending" if here.words.len() == 1 => list.words(&["state"]),
            _ if last == "else" => {
                list.members(index, &owners, Kind::State, kind::ENUM_MEMBER);
                list.words(&["drop"]);
            }
            "var" | "also" | "never" | "only" => list.values(index, &owners),
            _ => {}
        },
        Some(Block::State) => match last {
            "" | "}" => {
                list.snippet("on", kind::KEYWORD, "a transition", "on ");
                list.snippet("enter", kind::KEYWORD, "executed on every entry", "enter { $0 }");
                if last == "}" {
                    list.words(&["else"]);
                }
            }
            "on" | "or" | "then" if !here.has("if") || last != "or" => {
                list.events(index, &owners, true);
                list.members(index, &owners, Kind::Clock, kind::VARIABLE);
                list.words(&["any", "end"]);
            }
            _ if here.open > 0 || here.has("if") => list.values(index, &owners),
            _ => list.words(&["if", "or", "then", "else"]),
        },
        Some(Block::Statements(_)) => {
            if here.words.is_empty() {
                list.words(&STATEMENTS);
            }
            list.values(index, &owners);
        }
    }
}
