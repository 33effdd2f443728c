//! Declarations of a file.

use super::{Parsed, Parser};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Channel, Event, File, Function, Import, Item, Name, Param, Params};

const ITEMS: [&str; 6] = ["event", "property", "context", "channel", "function", "import"];

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek().kind != TokenKind::End {
            match self.item() {
                Ok(item) => file.items.push(item),
                Err(_) => {
                    self.recover(|p| {
                        let token = p.peek();
                        ITEMS.contains(&p.text_of(token))
                    });
                    // A brace that closes nothing was part of what could not be understood.
                    while self.eat(Punct::BraceClose) {}
                }
            }
        }
        file
    }

    fn item(&mut self) -> Parsed<Item> {
        let doc = self.doc();
        self.begin();
        let token = self.peek();
        let word = if token.kind == TokenKind::Ident { self.text_of(token) } else { "" };
        match word {
            "import" => self.import().map(Item::Import),
            "event" => self.event(doc).map(Item::Event),
            "channel" => self.channel(doc).map(Item::Channel),
            "function" => self.function().map(Item::Function),
            "property" => self.property(doc).map(Item::Property),
            "context" => self.context().map(Item::Context),
            _ => self.unexpected_word("a declaration", &ITEMS),
        }
    }

    fn import(&mut self) -> Parsed<Import> {
        self.bump();
        let (path, token) = self.expect_string("the path of a file, in quotes")?;
        Ok(Import { path, span: self.span_of(token) })
    }

    fn event(&mut self, doc: String) -> Parsed<Event> {
        let start = self.bump().start;
        let name = self.name("the name of the event")?;
        let params = if self.at(Punct::ParenOpen) { self.params()? } else { Params::default() };
        let mut span = self.since(start);
        let mut sources = Vec::new();
        self.next_column = Some(super::Column::Equals);
        if self.eat(Punct::Eq) {
            sources.push(self.source()?);
            span = self.since(start);
        } else if self.at(Punct::BraceOpen) {
            self.next_column = None;
            let open = self.bump();
            while !self.at(Punct::BraceClose) {
                if self.peek().kind == TokenKind::End || self.at_item() {
                    return self.unclosed(open);
                }
                self.begin();
                match self.source() {
                    Ok(source) => sources.push(source),
                    Err(_) => self.recover(|p| p.at_source()),
                }
            }
            self.bump();
        }
        self.next_column = None;
        Ok(Event { doc, name, params, sources, span })
    }

    /// An event with its source, as a command line has it: `log` and `log where` may be left out.
    pub(super) fn binding(&mut self) -> Parsed<Event> {
        let start = self.peek().start;
        let name = self.name("the name of an event")?;
        let params = if self.at(Punct::ParenOpen) { self.params()? } else { Params::default() };
        if !self.at(Punct::Eq) {
            return self.unexpected_with("`=`", |d| {
                d.help("write the event, `=` and its source: `--bind request='/…/'`")
            });
        }
        self.bump();
        let source = self.bound_source()?;
        if self.peek().kind != TokenKind::End {
            return self.unexpected("the end of the source");
        }
        let span = self.since(start);
        Ok(Event { doc: String::new(), name, params, sources: vec![source], span })
    }

    fn channel(&mut self, doc: String) -> Parsed<Channel> {
        self.bump();
        let name = self.name("the name of the channel")?;
        let params = if self.at(Punct::ParenOpen) { self.params()? } else { Params::default() };
        Ok(Channel { doc, name, params })
    }

    fn function(&mut self) -> Parsed<Function> {
        let start = self.bump().start;
        let name = self.name("the name of the function")?;
        let params = self.params()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(Function { name, params, body, span })
    }

    /// `(a, b: int, u by lower(u), ..)`.
    pub(super) fn params(&mut self) -> Parsed<Params> {
        self.expect_tight(Punct::ParenOpen)?;
        self.glue();
        let mut params = Params::default();
        while !self.at(Punct::ParenClose) {
            if self.eat(Punct::DotDot) {
                params.variadic = true;
                break;
            }
            let name = self.name("the name of a parameter")?;
            let ty = self.optional_type()?;
            let key = if self.eat_word("by") { Some(self.expr()?) } else { None };
            params.list.push(Param { name, ty, key });
            if !self.at(Punct::Comma) {
                break;
            }
            self.comma();
        }
        if !self.at(Punct::ParenClose) {
            return self.unexpected("`,` or `)`");
        }
        self.expect_tight(Punct::ParenClose)?;
        Ok(params)
    }

    /// `: int`, if it comes next.
    pub(super) fn optional_type(&mut self) -> Parsed<Option<Name>> {
        if !self.at(Punct::Colon) {
            return Ok(None);
        }
        self.glue();
        self.bump();
        self.name("a type").map(Some)
    }
}
