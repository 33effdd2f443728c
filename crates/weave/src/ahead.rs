//! Classes woven ahead of time: they carry their sites with them.
//!
//! A class attribute lists the sites, with events and properties by name, and the constants that
//! hold their numbers, or the texts of classes that do (see [`lambda`](crate::lambda)). Whoever loads the class numbers the sites anew, by changing those constants
//! in place, and drops what the properties at hand do not ask for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use watchword_classfile::{ClassEditor, ClassFile, Constant, Constants, Error, PoolEditor, Result};
use watchword_model::{EventId, JvmWhen, Model, PointKind, PropertyId, Value};

use crate::options::Options;
use crate::selectors::Selectors;
use crate::site::{
    Arg, Emit, Operand, OperandKind, Place, PointName, Read, Site, SiteId, Start, Step, Test,
};
use crate::weaver::{Note, Numbers, Woven};

/// The class attribute.
const ATTRIBUTE: &str = "watchword.Woven";
/// The layout of its contents.
const VERSION: u8 = 5;

/// A first number such that none of `count` numbers is a constant of the class already.
pub fn first_number(pool: &PoolEditor<'_>, count: u32) -> u32 {
    let taken: BTreeSet<u32> = (1..pool.count() as u16)
        .filter_map(|index| match pool.constant(index) {
            Ok(Constant::Integer(value)) => Some(value as u32),
            _ => None,
        })
        .collect();
    let mut first = 0x5757_0000;
    while let Some(clash) = taken.range(first..first + count).next_back() {
        first = clash + 1;
    }
    first
}

/// Where in the text of a class the number of a site is: two digits a byte.
pub fn number_in(class: &[u8], site: SiteId) -> Result<u32> {
    let parsed = ClassFile::parse(class)?;
    let pool = parsed.pool();
    let holds = |constant: &Constant<'_>| *constant == Constant::Integer(site.0 as i32);
    let found = pool.iter().find(|(_, constant)| holds(constant));
    Ok(found.map_or(0, |(index, _)| 2 * (pool.constant_offset(index) as u32 + 1)))
}

/// Attaches the sites to a class. Of those that are in texts of it, `texts` says where.
pub fn attach(
    editor: &mut ClassEditor<'_>,
    sites: &[Site],
    texts: &HashMap<SiteId, (u16, u32)>,
    model: &Model,
) -> Result<()> {
    let mut out = Writer(vec![VERSION]);
    out.list(&model.properties, |out, property| out.text(&property.name));
    let mut constants = Vec::new();
    for site in sites {
        constants.push(match texts.get(&site.id) {
            Some(place) => *place,
            None => (editor.pool.add(Constant::Integer(site.id.0 as i32))?, 0),
        });
    }
    let numbered: Vec<((u16, u32), &Site)> = constants.into_iter().zip(sites).collect();
    out.list(&numbered, |out, ((constant, at), site)| {
        out.number((*constant).into());
        out.number(*at);
        out.site(site, model);
    });
    editor.add_attribute(ATTRIBUTE, out.0)
}

/// Whether a class file is one of a class that was woven ahead of time.
pub fn is_woven_ahead(bytes: &[u8]) -> bool {
    ClassFile::parse(bytes).is_ok_and(|class| is_woven(&class))
}

/// Whether a class was woven ahead of time.
pub fn is_woven(class: &ClassFile<'_>) -> bool {
    attribute(class).is_some()
}

fn attribute<'a>(class: &ClassFile<'a>) -> Option<&'a [u8]> {
    let named = |a: &&watchword_classfile::Attribute<'a>| {
        a.name(class.pool()).is_ok_and(|name| name == ATTRIBUTE)
    };
    class.attributes().iter().find(named).map(|a| a.info)
}

/// Numbers the sites of a class that was woven ahead of time.
pub fn adopt(
    class: &ClassFile<'_>,
    bytes: &[u8],
    model: &Model,
    selectors: &Selectors,
    options: &Options,
    numbers: &Numbers,
) -> Result<Woven> {
    let name = watchword_select::dotted(&class.name()?.to_str());
    let info = attribute(class).unwrap_or_default();
    let mut reader = Reader { bytes: info, at: 0 };
    let Stored { properties, sites } = reader
        .stored()
        .filter(|_| reader.at == info.len())
        .ok_or_else(|| Error::edit("woven ahead of time by another version of Watchword"))?;
    let known = |property: &str| properties.iter().any(|name| name == property);
    let mut unwoven: Vec<&str> = Vec::new();
    for id in selectors.all.iter().flat_map(|s| &selectors.observers[s.event.index()]) {
        let property = model.properties[id.index()].name.as_str();
        if !known(property) && !unwoven.contains(&property) {
            unwoven.push(property);
        }
    }
    let notes = unwoven.iter().map(|property| Note {
        class: name.clone(),
        method: None,
        text: format!("woven ahead of time without {property}: it is not monitored here"),
    });
    let (bytes, notes) = (bytes.to_vec(), notes.collect());
    let mut woven = Woven { bytes, sites: Vec::new(), notes, links: false };
    let first = numbers.reserve(sites.len() as u32);
    for (number, stored) in (first..).zip(sites) {
        let id = SiteId(number);
        let start = class.pool().constant_offset(stored.constant);
        let (at, number) = match class.pool().constant(stored.constant)? {
            Constant::Integer(_) => (start + 1, id.0.to_be_bytes().to_vec()),
            Constant::Utf8(text) if stored.at as usize + 8 <= text.as_bytes().len() => {
                (start + 3 + stored.at as usize, format!("{:08x}", id.0).into_bytes())
            }
            _ => return Err(Error::edit("a site whose number is no constant")),
        };
        match woven.bytes.get_mut(at..at + number.len()) {
            Some(place) => place.copy_from_slice(&number),
            None => return Err(Error::edit("a site whose number is nowhere")),
        }
        let mut site = stored.site;
        site.id = id;
        for stored in stored.emits {
            let Some(event) = stored.event(model) else { continue };
            let mut properties: Vec<PropertyId> =
                stored.properties.iter().filter_map(|name| model.property(name)).collect();
            properties.sort_unstable();
            properties.retain(|id| {
                let property = &model.properties[id.index()].name;
                selectors.observers[event.index()].contains(id)
                    && !options.silenced.silences(property, &stored.name, &site.place)
            });
            if properties.is_empty() {
                continue;
            }
            let for_all = selectors.observers[event.index()] == properties;
            site.emits.push(Emit { event, args: stored.args, properties, for_all });
        }
        woven.sites.push(site);
    }
    Ok(woven)
}

/// What the attribute holds.
struct Stored {
    properties: Vec<String>,
    sites: Vec<StoredSite>,
}

struct StoredSite {
    constant: u16,
    /// Where in it the number is, if it is a text.
    at: u32,
    /// The site, without its events.
    site: Site,
    emits: Vec<StoredEmit>,
}

/// An event by its name and the number of its parameters.
struct StoredEmit {
    name: String,
    params: u32,
    args: Vec<Arg>,
    properties: Vec<String>,
}

impl StoredEmit {
    fn event(&self, model: &Model) -> Option<EventId> {
        let same = |decl: &watchword_model::EventDecl| {
            decl.name == self.name && decl.params.len() == self.params as usize
        };
        model.events.iter().position(same).map(EventId::from_index)
    }
}

const WHENS: [JvmWhen; 3] = [JvmWhen::Before, JvmWhen::After, JvmWhen::Throwing];
const KINDS: [OperandKind; 5] = [
    OperandKind::Object,
    OperandKind::Int,
    OperandKind::Bool,
    OperandKind::Char,
    OperandKind::Float,
];

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Writer, &T)) {
        self.number(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
    }

    fn optional<T>(&mut self, item: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.0.push(item.is_some().into());
        if let Some(item) = item {
            write(self, item);
        }
    }

    fn site(&mut self, site: &Site, model: &Model) {
        let Place { class, method, descriptor, offset, line, file } = &site.place;
        [class, method, descriptor].into_iter().for_each(|text| self.text(text));
        self.number(*offset);
        self.optional(*line, Writer::number);
        self.optional(file.as_deref(), Writer::text);
        self.0.push(WHENS.iter().position(|w| *w == site.when).unwrap_or(0) as u8);
        self.text(site.point.kind.facts().words);
        self.text(&site.point.name);
        self.list(&site.operands, |out, operand| {
            out.0.push(KINDS.iter().position(|k| *k == operand.kind).unwrap_or(0) as u8);
            out.text(&operand.ty);
        });
        self.list(&site.tests, |out, test| {
            out.number(test.operand as u32);
            out.text(&test.ty);
            out.0.push(test.negated.into());
            out.0.push(test.by_runtime.into());
        });
        self.list(&site.emits, |out, emit| {
            let decl = &model.events[emit.event.index()];
            out.text(&decl.name);
            out.number(decl.params.len() as u32);
            out.list(&emit.args, Writer::arg);
            out.list(&emit.properties, |out, id| out.text(&model.properties[id.index()].name));
        });
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Operand(n) => {
                self.0.push(0);
                self.number(*n as u32);
            }
            Arg::Thread => self.0.push(1),
            Arg::Const(value) => {
                self.0.push(2);
                self.value(value);
            }
            Arg::Read(read) => {
                self.0.push(3);
                let start = match read.start {
                    Start::Operand(n) => n as u32 + 2,
                    Start::Thread => 1,
                    Start::Static => 0,
                };
                self.number(start);
                self.list(&read.steps, |out, step| {
                    [&step.owner, &step.name, &step.descriptor]
                        .into_iter()
                        .for_each(|text| out.text(text));
                });
            }
            Arg::Java { class, method, args, keys } => {
                self.0.push(4);
                self.text(class);
                self.number(*method);
                self.list(args, |out, (arg, primitive)| {
                    out.0.push((*primitive).into());
                    out.arg(arg);
                });
                self.list(keys, |out, key| out.number(*key));
            }
        }
    }

    /// Static context is null, a truth value, a number, a text, or a list of these.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(truth) => self.0.extend([1, (*truth).into()]),
            Value::Int(value) => {
                self.0.push(2);
                self.0.extend(value.to_be_bytes());
            }
            Value::Str(text) => {
                self.0.push(3);
                self.text(text);
            }
            Value::List(items) => {
                self.0.push(4);
                self.list(items, |out, item| out.value(item));
            }
            _ => self.0.push(0),
        }
    }
}

/// Lists in lists are read to this depth.
const MAX_DEPTH: usize = 8;

struct Reader<'r> {
    bytes: &'r [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            _ => read(self).map(Some),
        }
    }

    fn stored(&mut self) -> Option<Stored> {
        if self.byte()? != VERSION {
            return None;
        }
        let properties = self.list(Reader::text)?;
        let sites = self.list(|reader| {
            let constant = u16::try_from(reader.number()?).ok()?;
            let at = reader.number()?;
            let (site, emits) = reader.site()?;
            Some(StoredSite { constant, at, site, emits })
        })?;
        Some(Stored { properties, sites })
    }

    fn site(&mut self) -> Option<(Site, Vec<StoredEmit>)> {
        let place = Place {
            class: self.text()?,
            method: self.text()?,
            descriptor: self.text()?,
            offset: self.number()?,
            line: self.optional(Reader::number)?,
            file: self.optional(Reader::text)?,
        };
        let when = *WHENS.get(usize::from(self.byte()?))?;
        let kind = PointKind::of_words(&self.text()?)?;
        let point = PointName { kind, name: self.text()? };
        let operands = self.list(|reader| {
            let kind = *KINDS.get(usize::from(reader.byte()?))?;
            Some(Operand { kind, ty: reader.text()? })
        })?;
        let count = operands.len();
        let tests = self.list(|reader| {
            let operand = reader.number()? as usize;
            let (ty, negated) = (reader.text()?, reader.byte()? != 0);
            let by_runtime = reader.byte()? != 0;
            (operand < count).then_some(Test { operand, ty, negated, by_runtime })
        })?;
        let emits = self.list(|reader| {
            Some(StoredEmit {
                name: reader.text()?,
                params: reader.number()?,
                args: reader.list(|reader| reader.arg(count, 0))?,
                properties: reader.list(Reader::text)?,
            })
        })?;
        let id = SiteId(0);
        Some((Site { id, place, when, point, operands, emits: Vec::new(), tests }, emits))
    }

    fn arg(&mut self, operands: usize, depth: usize) -> Option<Arg> {
        let operand = |n: u32| Some(n as usize).filter(|n| *n < operands);
        Some(match self.byte()? {
            0 => Arg::Operand(operand(self.number()?)?),
            1 => Arg::Thread,
            2 => Arg::Const(self.value(0)?),
            3 => {
                let start = match self.number()? {
                    0 => Start::Static,
                    1 => Start::Thread,
                    n => Start::Operand(operand(n - 2)?),
                };
                let steps = self.list(|reader| {
                    Some(Step {
                        owner: reader.text()?,
                        name: reader.text()?,
                        descriptor: reader.text()?,
                    })
                })?;
                Arg::Read(Read { start, steps })
            }
            // What code is given is nothing that other code computes.
            4 if depth == 0 => Arg::Java {
                class: self.text()?,
                method: self.number()?,
                args: self.list(|reader| {
                    let primitive = reader.byte()? != 0;
                    Some((reader.arg(operands, 1)?, primitive))
                })?,
                keys: self.list(Reader::number)?,
            },
            _ => return None,
        })
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        Some(match self.byte()? {
            0 => Value::Null,
            1 => Value::Bool(self.byte()? != 0),
            2 => Value::Int(i64::from_be_bytes(*self.take(8)?.first_chunk()?)),
            3 => Value::str(&self.text()?),
            4 if depth < MAX_DEPTH => {
                Value::List(Arc::new(self.list(|reader| reader.value(depth + 1))?))
            }
            _ => return None,
        })
    }
}
