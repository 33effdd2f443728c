//! Text to specifications.

use std::rc::Rc;

use watchword_model::{FileId, Severity, Span};

use super::tree::{Advice, Event, Pointcut, Property, Refused, Specification, Token, TypeName};
use crate::diagnostic::{Code, Diagnostic};
use crate::larva::cursor::{Cursor, Parsed};
use crate::larva::lexer::{Tok, lex};
use crate::ww::tree::Name;

/// Logics of properties, those that are not read included.
const LOGICS: [&str; 11] =
    ["ere", "fsm", "ltl", "ptltl", "cfg", "ptcaret", "srs", "po", "pda", "tfsm", "dl"];

/// What JavaMOP imports into every specification.
const IMPORTED: [&str; 2] = ["java.util.*", "java.util.concurrent.*"];

/// Pointcuts that are nested deeper are refused, so that recursion over them is safe.
const MAX_DEPTH: u32 = 60;

/// The specifications of a file. Mistakes are added to the list.
pub fn parse(file: FileId, text: &str, found: &mut Vec<Diagnostic>) -> Vec<Specification> {
    let tokens = lex(file, text, found);
    let mut parser =
        Parser { text, tokens: &tokens, cursor: Cursor::new(&tokens, found), depth: 0 };
    let mut specifications = Vec::new();
    if parser.file(&mut specifications).is_ok() && specifications.is_empty() {
        parser.cursor.unexpected("a specification, such as `Name(Type x) { … }`");
    }
    specifications
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    cursor: Cursor<'t>,
    /// How deep in a pointcut.
    depth: u32,
}

impl Parser<'_> {
    fn file(&mut self, into: &mut Vec<Specification>) -> Parsed<()> {
        let (mut imports, mut statics) = (Vec::new(), Vec::new());
        if self.at("package") {
            self.path()?;
        }
        while self.at("import") {
            let is_static = matches!(self.cursor.peek(1), Tok::Name(name) if name == "static");
            let path = self.path()?;
            if is_static { &mut statics } else { &mut imports }.push(path);
        }
        let missing = |path: &&str| !imports.iter().any(|import| import == path);
        let more: Vec<String> =
            IMPORTED.iter().filter(|path| missing(path)).map(|path| path.to_string()).collect();
        imports.extend(more);
        let (imports, statics) = (Rc::new(imports), Rc::new(statics));
        while !self.cursor.at_end() {
            let specification = self.specification(&imports, &statics)?;
            into.push(specification);
        }
        Ok(())
    }

    /// Whether exactly this word comes next.
    fn at(&self, word: &str) -> bool {
        matches!(self.cursor.peek(0), Tok::Name(name) if name == word)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.at(word);
        if found {
            self.cursor.skip();
        }
        found
    }

    /// `import a.b.*;`, `package a.b;`
    fn path(&mut self) -> Parsed<String> {
        self.cursor.skip();
        self.eat("static");
        let mut path = self.cursor.name("a package or class")?.text;
        while self.cursor.eat(".") {
            path.push('.');
            if self.cursor.eat("*") {
                path.push('*');
                break;
            }
            path.push_str(&self.cursor.name("a name, or `*`")?.text);
        }
        self.cursor.expect(";")?;
        Ok(path)
    }

    fn specification(
        &mut self,
        imports: &Rc<Vec<String>>,
        static_imports: &Rc<Vec<String>>,
    ) -> Parsed<Specification> {
        let begins = self.cursor.span();
        let before = self.cursor.last_span();
        let mut words = vec![self.cursor.name("the name of a specification")?];
        while !self.cursor.is("(") && !self.cursor.is("{") {
            // `full-binding` is one word.
            if self.cursor.eat("-") {
                continue;
            }
            words.push(self.cursor.name("`(` or `{`")?);
        }
        let within = words.iter().position(|w| w.text == "within" || w.text == "includes");
        let mut foreign = within.map(|at| {
            Refused::new(words[at].span, format!("`{}` is not supported", words[at].text))
        });
        let name =
            words.remove(within.unwrap_or(words.len()).saturating_sub(1).min(words.len() - 1));
        let params = if self.cursor.is("(") { self.params()? } else { Vec::new() };
        if self.at("within") || self.at("includes") {
            let span = self.cursor.span();
            let word = self.cursor.name("`{`")?.text;
            foreign.get_or_insert(Refused::new(span, format!("`{word}` is not supported")));
            while !self.cursor.is("{") && !self.cursor.at_end() {
                self.cursor.skip();
            }
        }
        let mut specification = Specification {
            name,
            modifiers: words,
            params,
            imports: imports.clone(),
            static_imports: static_imports.clone(),
            members: Vec::new(),
            severity: self.severity(before, begins),
            events: Vec::new(),
            properties: Vec::new(),
            foreign,
        };
        self.cursor.expect("{")?;
        while !self.cursor.eat("}") {
            if self.cursor.at_end() {
                return Err(self.cursor.unexpected("`}`"));
            }
            self.member(&mut specification)?;
        }
        Ok(specification)
    }

    /// What the comment before a specification says: `@severity warning`.
    fn severity(&self, before: Span, begins: Span) -> Severity {
        let from = if before.end <= begins.start { before.end } else { 0 };
        let comment = self.text.get(from as usize..begins.start as usize).unwrap_or_default();
        let said = comment.split("@severity").nth(1).unwrap_or_default();
        match said.split_whitespace().next() {
            Some("warning") => Severity::Warning,
            Some("suggestion" | "note") => Severity::Note,
            _ => Severity::Error,
        }
    }

    fn params(&mut self) -> Parsed<Vec<(TypeName, Name)>> {
        self.cursor.expect("(")?;
        let mut params = Vec::new();
        while !self.cursor.eat(")") {
            if !params.is_empty() {
                self.cursor.expect(",")?;
            }
            let ty = self.cursor.type_name()?;
            params.push((ty, self.cursor.name("the name of a parameter")?));
        }
        Ok(params)
    }

    fn member(&mut self, specification: &mut Specification) -> Parsed<()> {
        let is_event = ["creation", "blocking", "static"].iter().any(|word| {
            self.at(word) && matches!(self.cursor.peek(1), Tok::Name(name) if name == "event")
        });
        if is_event || self.at("event") {
            let event = self.event(specification)?;
            specification.events.push(event);
            return Ok(());
        }
        let logic = LOGICS.iter().any(|logic| self.at(logic));
        if logic && matches!(self.cursor.peek(1), Tok::Mark(":")) {
            let property = self.property()?;
            specification.properties.push(property);
            return Ok(());
        }
        let member = self.declaration()?;
        if !member.is_empty() {
            specification.members.push(member);
        }
        Ok(())
    }

    /// A declaration in Java: up to its semicolon, or the end of its block.
    fn declaration(&mut self) -> Parsed<Vec<Token>> {
        let start = self.cursor.mark();
        let mut is_field = false;
        while !self.cursor.at_end() && !self.cursor.is("}") {
            is_field |= self.cursor.is("=");
            if self.cursor.is("{") {
                self.braces()?;
                // `int[] all = { 1, 2 };` goes on.
                if is_field {
                    continue;
                }
                return Ok(self.tokens[start..self.cursor.mark()].to_vec());
            }
            if self.cursor.eat(";") {
                let member = &self.tokens[start..self.cursor.mark()];
                return Ok(if member.len() > 1 { member.to_vec() } else { Vec::new() });
            }
            self.cursor.skip();
        }
        Err(self.cursor.unexpected("an event, a property or a declaration"))
    }

    /// What is between braces.
    fn braces(&mut self) -> Parsed<Vec<Token>> {
        self.cursor.expect("{")?;
        self.until("{", "}")
    }

    /// What comes before the mark that closes something that is open.
    fn until(&mut self, open: &str, close: &str) -> Parsed<Vec<Token>> {
        let (start, mut depth) = (self.cursor.mark(), 0usize);
        while !self.cursor.at_end() {
            if self.cursor.is(open) {
                depth += 1;
            } else if self.cursor.is(close) {
                if depth == 0 {
                    let inside = self.tokens[start..self.cursor.mark()].to_vec();
                    self.cursor.skip();
                    return Ok(inside);
                }
                depth -= 1;
            }
            self.cursor.skip();
        }
        Err(self.cursor.unexpected(&format!("`{close}`")))
    }

    fn event(&mut self, specification: &mut Specification) -> Parsed<Event> {
        let mut creation = false;
        while !self.eat("event") {
            let word = self.cursor.name("`event`")?;
            creation |= word.text == "creation";
            if word.text != "creation" {
                let why = format!("`{} event` is not supported", word.text);
                specification.foreign.get_or_insert(Refused::new(word.span, why));
            }
        }
        let name = self.cursor.name("the name of the event")?;
        let mut around = None;
        let mut advice = match self.cursor.name("`before` or `after`")? {
            word if word.text == "before" => Advice::Before,
            word if word.text == "after" => Advice::After,
            word => {
                // The type of what `around` returns comes before it.
                around = Some(word.span);
                while !self.cursor.at_end() && !self.cursor.is("(") && !self.cursor.is(":") {
                    self.cursor.skip();
                }
                Advice::Before
            }
        };
        let params = if self.cursor.is("(") { self.params()? } else { Vec::new() };
        let mut result = None;
        for (word, meant) in [("returning", Advice::Returning), ("throwing", Advice::Throwing)] {
            if self.eat(word) {
                advice = meant;
                if self.cursor.is("(") {
                    result = self.params()?.into_iter().next();
                }
            }
        }
        self.cursor.expect(":")?;
        let pointcut = self.pointcut()?;
        let body = self.braces()?;
        Ok(Event { creation, around, name, advice, params, result, pointcut, body })
    }

    fn pointcut(&mut self) -> Parsed<Pointcut> {
        let mut one = vec![self.all()?];
        while self.cursor.eat("||") {
            one.push(self.all()?);
        }
        Ok(if one.len() == 1 { one.remove(0) } else { Pointcut::One(one) })
    }

    fn all(&mut self) -> Parsed<Pointcut> {
        let mut all = vec![self.unary()?];
        while self.cursor.eat("&&") {
            all.push(self.unary()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Pointcut::All(all) })
    }

    fn unary(&mut self) -> Parsed<Pointcut> {
        if self.depth >= MAX_DEPTH {
            let span = self.cursor.span();
            let error = Diagnostic::error(Code::TooDeep, span, "this is nested too deeply");
            return Err(self.cursor.report(error.rule(format!("at most {MAX_DEPTH} levels"))));
        }
        self.depth += 1;
        let result = self.operand();
        self.depth -= 1;
        result
    }

    fn operand(&mut self) -> Parsed<Pointcut> {
        if self.cursor.eat("!") {
            return Ok(Pointcut::Not(Box::new(self.unary()?)));
        }
        if self.cursor.eat("(") {
            let inner = self.pointcut()?;
            self.cursor.expect(")")?;
            return Ok(inner);
        }
        let name = self.cursor.name("a pointcut, such as `call(…)`")?;
        self.cursor.expect("(")?;
        Ok(Pointcut::Atom(name, self.until("(", ")")?))
    }

    fn property(&mut self) -> Parsed<Property> {
        let logic = self.cursor.name("a logic")?;
        self.cursor.expect(":")?;
        let start = self.cursor.mark();
        while !self.cursor.at_end() && !self.cursor.is("@") && !self.cursor.is("}") {
            self.cursor.skip();
        }
        let formula = self.tokens[start..self.cursor.mark()].to_vec();
        let mut handlers = Vec::new();
        while self.cursor.eat("@") {
            let category = self.cursor.name("the name of a handler")?;
            handlers.push((category, self.braces()?));
        }
        Ok(Property { logic, formula, handlers })
    }
}
