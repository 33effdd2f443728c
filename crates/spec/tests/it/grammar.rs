//! The published grammar is the grammar of the parser, in both directions: sentences made from it
//! are accepted, and what the parser accepts it can derive.

use std::collections::{BTreeSet, HashMap};

use watchword_model::FileId;
use watchword_spec::ww::lexer::{Lexer, Punct, Token, TokenKind};
use watchword_spec::ww::parser::parse;

use crate::format::corpus;
use watchword_testing::Random;

const EBNF: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grammar.ebnf"));

#[derive(Clone, Debug)]
enum Rule {
    Word(String),
    Name(String),
    Sequence(Vec<Rule>),
    Choice(Vec<Rule>),
    Optional(Box<Rule>),
    Repeat(Box<Rule>),
    /// The next token touches the one before.
    Touching,
    /// The next token is on the line of the one before.
    SameLine,
}

const TOKENS: [&str; 11] = [
    "NAME", "WORD", "VALUE", "TARGET", "EVENT", "ATOM", "INT", "FLOAT", "TEXT", "TEMPLATE", "REGEX",
];

/// Words that are no names where a token class stands.
fn excluded(class: &str) -> &'static [&'static str] {
    match class {
        "VALUE" => &["and", "or", "not", "if", "else", "then", "on"],
        "TARGET" => &[
            "var", "if", "while", "for", "break", "continue", "return", "send", "do", "print",
            "reset", "stop",
        ],
        "EVENT" => &["any", "end", "if", "or", "then"],
        "ATOM" => &[
            "any",
            "end",
            "if",
            "or",
            "then",
            "and",
            "not",
            "implies",
            "iff",
            "until",
            "weak",
            "release",
            "since",
            "always",
            "eventually",
            "next",
            "once",
            "historically",
            "previous",
            "within",
            "between",
            "true",
            "false",
        ],
        _ => &[],
    }
}

struct Grammar {
    rules: HashMap<String, Rule>,
    /// How deep the shallowest derivation of each rule is.
    heights: HashMap<String, usize>,
}

impl Grammar {
    fn read(text: &str) -> Grammar {
        let mut tokens: Vec<String> = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let mut rest = line.trim_start();
            if !line.starts_with(' ') && !rest.is_empty() {
                tokens.push("NEW".to_string());
            }
            while !rest.is_empty() {
                let length = if let Some(word) = rest.strip_prefix('"') {
                    word.find('"').expect("a closing quote") + 2
                } else if rest.starts_with(|c: char| c.is_alphabetic()) {
                    rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
                } else {
                    1
                };
                tokens.push(rest[..length].to_string());
                rest = rest[length..].trim_start();
            }
        }
        let mut rules = HashMap::new();
        let mut at = 0;
        while at < tokens.len() {
            assert_eq!(tokens[at], "NEW");
            let name = tokens[at + 1].clone();
            assert_eq!(tokens[at + 2], "=", "after {name}");
            at += 3;
            let rule = choice(&tokens, &mut at);
            assert!(rules.insert(name.clone(), rule).is_none(), "{name} is defined twice");
        }
        let mut grammar = Grammar { rules, heights: HashMap::new() };
        for _ in 0..grammar.rules.len() {
            let heights =
                grammar.rules.iter().map(|(n, r)| (n.clone(), grammar.height(r))).collect();
            grammar.heights = heights;
        }
        for rule in grammar.rules.values() {
            grammar.check(rule);
        }
        grammar
    }

    fn height(&self, rule: &Rule) -> usize {
        const NEVER: usize = 1_000_000;
        match rule {
            Rule::Name(name) if self.rules.contains_key(name) => {
                (1 + self.heights.get(name).copied().unwrap_or(NEVER)).min(NEVER)
            }
            Rule::Sequence(parts) => parts.iter().map(|p| self.height(p)).max().unwrap_or(0),
            Rule::Choice(parts) => parts.iter().map(|p| self.height(p)).min().unwrap_or(0),
            _ => 0,
        }
    }

    fn check(&self, rule: &Rule) {
        match rule {
            Rule::Name(name) => assert!(
                self.rules.contains_key(name)
                    || TOKENS.contains(&name.as_str())
                    || ["EOL", "GAP"].contains(&name.as_str()),
                "{name} is not defined"
            ),
            Rule::Sequence(parts) | Rule::Choice(parts) => {
                parts.iter().for_each(|p| self.check(p));
            }
            Rule::Optional(part) | Rule::Repeat(part) => self.check(part),
            Rule::Word(_) | Rule::Touching | Rule::SameLine => {}
        }
    }
}

fn choice(tokens: &[String], at: &mut usize) -> Rule {
    let mut choices = vec![sequence(tokens, at)];
    while tokens.get(*at).is_some_and(|t| t == "|") {
        *at += 1;
        choices.push(sequence(tokens, at));
    }
    if choices.len() == 1 { choices.remove(0) } else { Rule::Choice(choices) }
}

fn sequence(tokens: &[String], at: &mut usize) -> Rule {
    let mut parts = Vec::new();
    while let Some(token) = tokens.get(*at) {
        let rule = match token.as_str() {
            "NEW" | "|" | ")" | "]" | "}" => break,
            open @ ("(" | "[" | "{") => {
                *at += 1;
                let inner = choice(tokens, at);
                let close = &tokens[*at];
                match (open, close.as_str()) {
                    ("(", ")") => inner,
                    ("[", "]") => Rule::Optional(Box::new(inner)),
                    ("{", "}") => Rule::Repeat(Box::new(inner)),
                    _ => panic!("{open} is closed by {close}"),
                }
            }
            "~" => Rule::Touching,
            "_" => Rule::SameLine,
            word if word.starts_with('"') => Rule::Word(word.trim_matches('"').to_string()),
            name => Rule::Name(name.to_string()),
        };
        *at += 1;
        parts.push(rule);
    }
    Rule::Sequence(parts)
}

/// Makes sentences.
struct Maker<'a> {
    grammar: &'a Grammar,
    random: Random,
    out: String,
    touching: bool,
    same_line: bool,
    depth: usize,
    used: BTreeSet<String>,
}

impl Maker<'_> {
    fn put(&mut self, text: &str) {
        if !std::mem::take(&mut self.touching) {
            let line_may_end = !self.same_line && self.random.below(12) == 0;
            self.out.push_str(if line_may_end { "\n" } else { " " });
        }
        self.same_line = false;
        self.out.push_str(text);
    }

    fn token(&mut self, class: &str) -> String {
        let names = ["a", "b1", "Foo", "_x", "é", "`state`", "`and`", "on_", "x$y"];
        let pick = |random: &mut Random, items: &[&str]| random.pick(items).to_string();
        let random = &mut self.random;
        match class {
            "INT" => pick(random, &["0", "7", "1_000"]),
            "FLOAT" => pick(random, &["1.5", "2e3", "0.25e-2"]),
            "TEXT" => pick(random, &["\"\"", "\"text\"", "\"\\n\\u{41}\\\"\"", "\"é\""]),
            "TEMPLATE" => pick(random, &["\"m\"", "\"{x}\"", "\"a {x + 1} {{}}\""]),
            "REGEX" => pick(random, &["/a+/", "/(?<a>\\S+) \\/ x/"]),
            "WORD" => pick(random, &["a", "get", "_", "x$1"]),
            _ => pick(random, &names),
        }
    }

    fn make(&mut self, rule: &Rule) {
        self.depth += 1;
        // Deep in, choose what ends soonest.
        let deep = self.depth > 60;
        match rule {
            Rule::Word(word) => self.put(word),
            Rule::Touching => self.touching = true,
            Rule::SameLine => self.same_line = true,
            Rule::Name(name) if name == "EOL" => {
                self.out.push('\n');
            }
            Rule::Name(name) if name == "GAP" => {}
            Rule::Name(name) if TOKENS.contains(&name.as_str()) => {
                let text = self.token(name);
                self.put(&text);
            }
            Rule::Name(name) => {
                self.used.insert(name.clone());
                let rule = &self.grammar.rules[name];
                self.make(rule);
            }
            Rule::Sequence(parts) => parts.iter().for_each(|p| self.make(p)),
            Rule::Choice(choices) => {
                let chosen = if deep {
                    let height = |c: &usize| self.grammar.height(&choices[*c]);
                    (0..choices.len()).min_by_key(height).unwrap_or(0)
                } else {
                    self.random.below(choices.len())
                };
                self.make(&choices[chosen]);
            }
            Rule::Optional(part) => {
                if !deep && self.random.below(3) == 0 {
                    self.make(part);
                }
            }
            Rule::Repeat(part) => {
                let times = if deep { 0 } else { [0, 0, 1, 1, 2][self.random.below(5)] };
                for _ in 0..times {
                    self.make(part);
                }
            }
        }
        self.depth -= 1;
    }
}

#[test]
fn sentences_of_the_grammar_are_accepted() {
    let grammar = Grammar::read(EBNF);
    let mut used = BTreeSet::new();
    let mut sizes = 0;
    for seed in 0..6000 {
        let mut maker = Maker {
            grammar: &grammar,
            random: Random::new(seed),
            out: String::new(),
            touching: false,
            same_line: false,
            depth: 0,
            used: BTreeSet::new(),
        };
        let start = ["Item", "Property", "Context", "Event", "Function"][seed as usize % 5];
        maker.make(&Rule::Name(start.to_string()));
        let output = parse(&maker.out, FileId(0));
        let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).collect();
        assert!(errors.is_empty(), "{}\n{errors:#?}", maker.out);
        used.append(&mut maker.used);
        sizes += maker.out.len();
    }
    let unused: Vec<&String> =
        grammar.rules.keys().filter(|r| !used.contains(*r) && *r != "File").collect();
    assert!(unused.is_empty(), "never made: {unused:?}");
    assert!(sizes > 200_000, "{sizes} bytes were made");
}

/// Whether the grammar derives a file.
struct Deriver<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    tokens: Vec<Token>,
    known: HashMap<(String, usize), BTreeSet<usize>>,
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text);
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        let mut token = lexer.next_token();
        let before = tokens.last().map(|t| &text[t.range()]);
        let begins_regex = matches!(before, Some("log" | "==" | "!="));
        if begins_regex && token.kind == TokenKind::Punct(Punct::Slash) {
            token = lexer.regex_at(token);
        }
        if token.kind == TokenKind::End {
            return lexer.errors.is_empty().then_some(tokens);
        }
        tokens.push(token);
    }
}

impl<'a> Deriver<'a> {
    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| &self.text[t.range()])
    }

    fn is_token(&self, class: &str, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let text = self.text_at(at);
        let name = token.kind == TokenKind::Quoted
            || (token.kind == TokenKind::Ident && text != "_" && !excluded(class).contains(&text));
        match class {
            "INT" => token.kind == TokenKind::Int,
            "FLOAT" => token.kind == TokenKind::Float,
            "TEXT" | "TEMPLATE" => token.kind == TokenKind::Str,
            "REGEX" => token.kind == TokenKind::Regex,
            "WORD" => {
                matches!(token.kind, TokenKind::Ident | TokenKind::Quoted | TokenKind::Int)
            }
            _ => name,
        }
    }

    /// Where a rule that begins at a token may end.
    fn ends(&mut self, rule: &Rule, at: usize) -> BTreeSet<usize> {
        let one =
            |holds: bool, to: usize| if holds { BTreeSet::from([to]) } else { BTreeSet::new() };
        match rule {
            Rule::Word(word) => {
                let quoted = self
                    .tokens
                    .get(at)
                    .is_some_and(|t| matches!(t.kind, TokenKind::Quoted | TokenKind::Str));
                one(!quoted && self.text_at(at) == word, at + 1)
            }
            Rule::Touching => {
                let touches = at > 0
                    && at < self.tokens.len()
                    && self.tokens[at - 1].touches(&self.tokens[at]);
                one(touches, at)
            }
            Rule::SameLine => one(self.tokens.get(at).is_some_and(|t| !t.newline_before), at),
            Rule::Name(name) if name == "EOL" => {
                let ends =
                    self.tokens.get(at).is_none_or(|t| t.newline_before) || self.text_at(at) == "}";
                one(ends, at)
            }
            Rule::Name(name) if name == "GAP" => {
                let touches = at > 0
                    && self.text_at(at) == "("
                    && self.tokens[at - 1].touches(&self.tokens[at]);
                one(!touches, at)
            }
            Rule::Name(name) if TOKENS.contains(&name.as_str()) => {
                one(self.is_token(name, at), at + 1)
            }
            Rule::Name(name) => {
                let key = (name.clone(), at);
                if let Some(known) = self.known.get(&key) {
                    return known.clone();
                }
                let grammar = self.grammar;
                let ends = self.ends(&grammar.rules[name], at);
                self.known.insert(key, ends.clone());
                ends
            }
            Rule::Sequence(parts) => {
                let mut ends = BTreeSet::from([at]);
                for part in parts {
                    ends = ends.into_iter().flat_map(|e| self.ends(part, e)).collect();
                }
                ends
            }
            Rule::Choice(parts) => parts.iter().flat_map(|p| self.ends(p, at)).collect(),
            Rule::Optional(part) => {
                let mut ends = self.ends(part, at);
                ends.insert(at);
                ends
            }
            Rule::Repeat(part) => {
                let mut all = BTreeSet::from([at]);
                let mut todo = vec![at];
                while let Some(from) = todo.pop() {
                    for end in self.ends(part, from) {
                        if all.insert(end) {
                            todo.push(end);
                        }
                    }
                }
                all
            }
        }
    }
}

fn derives(grammar: &Grammar, text: &str) -> bool {
    let Some(tokens) = tokens(text) else { return false };
    let count = tokens.len();
    let mut deriver = Deriver { grammar, text, tokens, known: HashMap::new() };
    deriver.ends(&Rule::Name("File".to_string()), 0).contains(&count)
}

fn accepts(text: &str) -> bool {
    parse(text, FileId(0)).diagnostics.iter().all(|d| !d.is_error())
}

#[test]
fn what_the_parser_accepts_the_grammar_derives() {
    let grammar = Grammar::read(EBNF);
    for text in corpus() {
        assert!(derives(&grammar, &text), "the grammar does not derive\n{text}");
    }
    assert!(!derives(&grammar, "property P(x) { start stat A }"));
}

/// A token is dropped, doubled, swapped or replaced; parser and grammar must agree on the result.
#[test]
fn parser_and_grammar_agree_on_near_misses() {
    let grammar = Grammar::read(EBNF);
    let mut random = Random::new(23);
    // One declaration at a time, so that a fault is not hidden by another.
    let mut pieces: Vec<String> = Vec::new();
    for text in corpus() {
        let mut start = 0;
        for (at, _) in text.match_indices("\n}\n") {
            pieces.push(text[start..at + 3].to_string());
            start = at + 3;
        }
    }
    let words: Vec<String> = pieces
        .iter()
        .filter_map(|p| tokens(p).map(|t| (p, t)))
        .flat_map(|(p, t)| t.into_iter().map(|t| p[t.range()].to_string()).collect::<Vec<_>>())
        .collect();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..8000 {
        let piece = random.pick(&pieces);
        let Some(list) = tokens(piece) else { continue };
        if list.len() < 3 || list.len() > 250 {
            continue;
        }
        let token = *random.pick(&list);
        let mut text = piece.clone();
        match random.below(4) {
            0 => text.replace_range(token.range(), ""),
            1 => {
                let copy = format!("{0} {0}", &piece[token.range()]);
                text.replace_range(token.range(), &copy);
            }
            2 => text.replace_range(token.range(), random.pick(&words).as_str()),
            _ => text.insert_str(token.start as usize, &format!(" {} ", random.pick(&words))),
        }
        // Placeholders and numbers have rules of their own, which the grammar tells in prose.
        let prose = ["WW0003", "WW0004", "WW0104", "WW0303"];
        let output = parse(&text, FileId(0));
        if output.diagnostics.iter().any(|d| prose.contains(&d.code)) {
            continue;
        }
        let (parser, derived) = (accepts(&text), derives(&grammar, &text));
        assert_eq!(
            parser,
            derived,
            "parser accepts: {parser}, grammar derives: {derived}\n{text}\n{:#?}",
            output.diagnostics.first()
        );
        if parser { accepted += 1 } else { refused += 1 }
    }
    assert!(accepted > 500 && refused > 1000, "{accepted} accepted, {refused} refused");
}
