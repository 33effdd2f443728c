//! What is written is read back equal: events of every program point, with every kind of value.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_cases::fuzz::Random;
use watchword_model::{
    About, Capture, Event, EventDecl, EventId, EventRef, FieldPattern, Glob, JoinPoint, JvmSource,
    JvmTerm, JvmWhen, Key, Location, LogSelect, LogSource, LogTerm, MethodPattern, Model,
    NativeAbout, NativeKind, NativePattern, NativePoint, NativeSource, NativeTerm, NativeVariable,
    NativeWhen, Object, Origin, Param, PointKind, PointPattern, PropertyId, Source, ThrownBy, Time,
    Type, TypePattern, Value, ValueRef,
};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::write::{self, Arguments, AsTheyAre, Beside};
use watchword_trace::{BadLines, Format, Reader};

/// One of every kind of program point of a JVM.
fn join_points() -> Vec<JoinPoint> {
    let ty = TypePattern::any;
    let method = || MethodPattern {
        owner: ty(),
        name: Glob::new("*"),
        params: None,
        returns: None,
        annotations: Vec::new(),
        negated: false,
        supers: true,
    };
    let field =
        || FieldPattern { owner: ty(), name: Glob::new("*"), ty: None, annotations: Vec::new() };
    let pattern = |about: About| match about {
        About::Method => PointPattern::Method(method()),
        About::Field => PointPattern::Field(field()),
        About::Type | About::Object | About::Element => PointPattern::Type(ty()),
        About::Mnemonic => PointPattern::Mnemonic(Glob::new("*")),
        About::Nothing => PointPattern::All,
    };
    let points = PointKind::ALL.iter();
    points.map(|f| JoinPoint { kind: f.kind, pattern: pattern(f.about) }).collect()
}

/// Every kind of source, on every side of its point.
fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for when in [JvmWhen::Before, JvmWhen::After, JvmWhen::Throwing] {
        sources.extend(join_points().into_iter().map(|point| {
            let captures = vec![Capture { param: 0, term: JvmTerm::Receiver }];
            let within = Vec::new();
            Source::Jvm(JvmSource {
                when,
                point,
                thrown: None,
                thrown_by: ThrownBy::Anybody,
                saying: None,
                instances: Vec::new(),
                within,
                captures,
            })
        }));
    }
    let variable = || NativeVariable { term: NativeTerm::Name("v".into()), scope: None };
    for when in [NativeWhen::Before, NativeWhen::After] {
        let points = NativeKind::ALL.iter().map(|facts| {
            let pattern = match facts.about {
                NativeAbout::Variable => NativePattern::Variable(variable()),
                _ => NativePattern::Named(Glob::new("*")),
            };
            NativePoint { kind: facts.kind, pattern }
        });
        sources.extend(points.map(|point| {
            let captures = vec![Capture { param: 0, term: NativeTerm::Value }];
            Source::Native(NativeSource { when, point, module: None, caller: None, captures })
        }));
    }
    let captures = vec![Capture { param: 0, term: LogTerm::Field(vec!["x".into()]) }];
    sources.push(Source::Log(LogSource { select: LogSelect::Record("r".into()), captures }));
    sources
}

/// An event without a source, and one for each.
fn model() -> Model {
    let mut model = Model::default();
    let sources = std::iter::once(Vec::new()).chain(sources().into_iter().map(|s| vec![s]));
    for (number, sources) in sources.enumerate() {
        let param = |name: &str, ty| Param { name: name.into(), ty };
        model.events.push(EventDecl {
            params: vec![param("a \"b\"", Type::Any), param("time", Type::Any)],
            // Calls of any arity carry more than what is declared.
            variadic: number % 3 == 0,
            origin: Origin::World(sources),
            ..EventDecl::named(&format!("event {number}\n"))
        });
    }
    model
}

fn text(random: &mut Random) -> String {
    let letters = ['a', '"', '\\', '\n', '\t', '\r', '\u{1}', '\u{7f}', 'é', '😀', '{', ',', ' '];
    (0..random.below(6)).map(|_| letters[random.below(letters.len())]).collect()
}

fn value(random: &mut Random, depth: usize) -> Value {
    let kinds = if depth == 0 { 7 } else { 9 };
    match random.below(kinds) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::Int([0, -1, 17, i64::MIN, i64::MAX][random.below(5)]),
        3 => {
            let numbers = [0.0, -0.0, 1.0, 0.1, 1e300, -5e-324, f64::MAX, 2f64.powi(63)];
            let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            Value::Float(if random.below(3) > 0 {
                numbers[random.below(numbers.len())]
            } else {
                odd[random.below(3)]
            })
        }
        4 => Value::str(&text(random)),
        5 => {
            let class = (random.below(2) == 0).then(|| Arc::from(format!("a.{}", text(random))));
            Value::Ref(Object { id: [0, 7, u64::MAX][random.below(3)], class })
        }
        6 => Value::Ptr([0, 0x7f00, u64::MAX][random.below(3)]),
        7 => {
            Value::List(Arc::new((0..random.below(4)).map(|_| value(random, depth - 1)).collect()))
        }
        _ => {
            let mut map = BTreeMap::new();
            for _ in 0..random.below(4) {
                // One key alone may mean an object or an address.
                let key = format!("k{}", text(random));
                map.insert(Key::Str(key.into()), value(random, depth - 1));
            }
            Value::Map(Arc::new(map))
        }
    }
}

fn location(random: &mut Random) -> Option<Arc<Location>> {
    let mut maybe = |text: &str| (random.below(3) > 0).then(|| Arc::from(text));
    let (file, function) = (maybe("a b/É.java"), maybe("a.B.<init>"));
    let line = (random.below(3) > 0).then_some([1, 9, u32::MAX][random.below(3)]);
    let known = file.is_some() || function.is_some() || line.is_some();
    known.then(|| Arc::new(Location { file, line, function }))
}

fn event(random: &mut Random, model: &Model, time: Time) -> Event {
    let kind = EventId::from_index(1 + random.below(model.events.len() - 1));
    let decl = &model.events[kind.index()];
    let most = decl.params.len() + if decl.variadic { 2 } else { 0 };
    Event {
        kind,
        args: (0..random.below(most + 1)).map(|_| value(random, 2)).collect(),
        time: (random.below(4) > 0).then_some(time),
        thread: (random.below(4) > 0).then_some([0, 5, u64::MAX][random.below(3)]),
        location: location(random),
    }
}

/// Events as they come, with the names of the properties they are for.
struct Heard(Vec<(Event, Option<Vec<Value>>)>);

impl Sink for Heard {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0.push((event.to_event(), None));
        Ok(())
    }

    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<(), Box<Flaw>> {
        self.0.push((event.to_event(), Some(properties.to_vec())));
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        panic!("a record that was written is no event");
    }
}

/// The same event as a text: what is missing at the end is null, floats by their bits.
fn shown(model: &Model, event: &Event, only: Option<&[Value]>) -> String {
    let mut args = event.args.clone();
    let declared = model.events[event.kind.index()].params.len();
    args.resize(declared.max(args.len()), Value::Null);
    format!(
        "{:?} {args:?} {:?} {:?} {:?} {only:?}",
        event.kind, event.time, event.thread, event.location
    )
}

#[test]
fn what_is_written_is_read_back_equal() {
    let mut model = model();
    let with_properties = watchword_spec::load(
        &[watchword_spec::SourceFile::new(
            "p.ww",
            "event e(x)\nproperty P(x) { start state A { on e(x) -> B } bad state B }\n\
             property Q(x) { start state A { on e(x) -> B } bad state B }",
        )],
        &|_, path| Err(path.to_string()),
    );
    model.properties = with_properties.model.unwrap().properties;
    let rounds: usize = std::env::var("WATCHWORD_FUZZ").map_or(20_000, |n| n.parse().unwrap());
    let mut random = Random(0x7ace);
    let mut counted = vec![0u64; model.events.len()];
    for seq in 1..=rounds as u64 {
        let event = event(&mut random, &model, seq as Time * 1_234_567 - 1_000_000_000);
        counted[event.kind.index()] += 1;
        let ids = [PropertyId(1), PropertyId(0)];
        let only = (random.below(3) == 0).then(|| &ids[random.below(2)..]);
        let beside = Beside {
            arguments: [Arguments::ByName, Arguments::ByPosition][random.below(2)],
            only,
            site: (random.below(2) == 0).then_some("a/B m()V 17"),
            seq,
        };
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let mut line = String::new();
        write::event(&mut line, &model, &EventRef::of(&event, &args), &beside, &AsTheyAre);
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        let mut reader = Reader::new(&model, BadLines::Refuse).unwrap();
        let mut heard = Heard(Vec::new());
        reader
            .read("t", line.as_bytes(), Some(Format::Jsonl), &mut heard, |_, _| {})
            .unwrap_or_else(|e| panic!("{e}\n{line}"));
        let [(read, names)] = &heard.0[..] else { panic!("{} events: {line}", heard.0.len()) };
        // Without a place of its own, an event is where it was read.
        let mut read = read.clone();
        if event.location.is_none() {
            read.location = None;
        }
        let wanted: Option<Vec<Value>> = only.map(|only| {
            only.iter().map(|id| Value::str(&model.properties[id.index()].name)).collect()
        });
        assert_eq!(
            shown(&model, &read, names.as_deref()),
            shown(&model, &event, wanted.as_deref()),
            "{line}"
        );
    }
    assert!(counted[1..].iter().all(|count| *count > 0 || rounds < 5_000));
}

#[test]
fn the_end_of_a_run_is_a_time() {
    struct Until(Option<Time>);
    impl Sink for Until {
        fn event(&mut self, _: &EventRef<'_>) -> Result<(), Box<Flaw>> {
            panic!("the end of a run is no event");
        }
        fn time(&mut self, time: Time) -> Result<(), Box<Flaw>> {
            self.0 = Some(time);
            Ok(())
        }
    }
    for time in [0, 1, -1, 1_500_000_000, i64::MAX, -999_999_999_999] {
        let mut line = String::new();
        write::end(&mut line, time);
        let mut until = Until(None);
        let mut reader = Reader::new(&Model::default(), BadLines::Refuse).unwrap();
        reader.read("t", line.as_bytes(), None, &mut until, |_, _| {}).unwrap();
        assert_eq!(until.0, Some(time), "{line}");
    }
}
