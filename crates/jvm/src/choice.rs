//! How the case of an event is found where it happens: without asking the agent, if a truth value,
//! the presence of an object or the class of an object decides.

use std::collections::HashMap;
use std::sync::Mutex;

use watchword_model::{Object, Value};
use watchword_plan::Letter;
use watchword_weave::cells::{self, Bit, Choice};
use watchword_weave::{Read, Start, Step};

use crate::sites::Fetch;

/// At most so many choices: the runtime has so many bits for their numbers.
const MOST: usize = 1 << cells::CHOICE_BITS;

/// What is known of an argument that a condition looks at.
#[derive(Clone, Debug)]
enum Input {
    /// Its value, or one that every condition takes for it.
    Fixed(Value),
    /// The value where the bit is 0, and where it is 1.
    Bit([Value; 2]),
    /// What these steps lead to from the class of the object; null if there is no object.
    Class(Vec<Step>),
}

/// How the conditions of a letter are decided at a site.
#[derive(Clone, Debug, Default)]
struct Deciding {
    inputs: Vec<(u32, Input)>,
    bit: Option<Bit>,
    class: Option<bool>,
}

/// The choices so far, by number. The first is case 0.
pub struct Choices {
    all: Mutex<All>,
    /// How many of them the runtime knows.
    told: Mutex<usize>,
}

struct All {
    known: Vec<Known>,
    by_text: HashMap<String, usize>,
}

struct Known {
    choice: Choice,
    /// What decides if the class matters.
    by_class: ByClass,
}

/// What the class of an object decides.
#[derive(Clone)]
enum ByClass {
    Nothing,
    /// The case of a letter.
    Case(Box<(Letter, Deciding)>),
    /// Whether it is of a type, by its internal name, or is not: case 1 if so.
    Test(String, bool),
}

impl Default for Choices {
    fn default() -> Choices {
        let known = vec![Known { choice: Choice::default(), by_class: ByClass::Nothing }];
        let all = Mutex::new(All { known, by_text: HashMap::new() });
        Choices { all, told: Mutex::new(1) }
    }
}

impl Choices {
    /// The number of the choice of a letter whose event has these arguments; `None` if only the
    /// agent can find its case out.
    pub fn number(&self, letter: &Letter, args: &[Fetch]) -> Option<usize> {
        if letter.conditions.is_empty() {
            return Some(0);
        }
        let deciding = Deciding::new(letter, args)?;
        let cases = deciding.cases(letter, &|_| Value::Null);
        let choice = match (deciding.bit, deciding.class) {
            (None, None) if cases[0] == 0 => return Some(0),
            (bit, class) => Choice { cases, bit, class },
        };
        let (text, by_class) = match choice.class {
            Some(_) => (
                format!("{choice:?} {:?} {deciding:?}", letter.conditions),
                ByClass::Case(Box::new((letter.clone(), deciding))),
            ),
            None => (format!("{choice:?}"), ByClass::Nothing),
        };
        self.add(text, choice, by_class)
    }

    /// The number of the choice that is case 1 if an object of the hook, its second if that is said, is of
    /// a type, or is not; else case 0.
    pub fn test(&self, ty: &str, negated: bool, second: bool) -> Option<usize> {
        let choice = Choice { cases: [negated.into(); 2], bit: None, class: Some(second) };
        let text = format!("{choice:?} {ty} {negated}");
        self.add(text, choice, ByClass::Test(ty.to_string(), negated))
    }

    fn add(&self, text: String, choice: Choice, by_class: ByClass) -> Option<usize> {
        let mut all = self.all.lock().ok()?;
        if let Some(number) = all.by_text.get(&text) {
            return Some(*number);
        }
        let number = all.known.len();
        if number == MOST {
            return None;
        }
        all.known.push(Known { choice, by_class });
        all.by_text.insert(text, number);
        Some(number)
    }

    /// A choice by its number.
    pub fn get(&self, number: usize) -> Choice {
        let known = |all: &All| all.known.get(number).map(|known| known.choice);
        self.all.lock().ok().and_then(|all| known(&all)).unwrap_or_default()
    }

    /// Hands on those that the runtime does not know. When it returns, it knows all so far, whichever
    /// thread has told it.
    pub fn tell(&self, mut tell: impl FnMut(usize, Choice)) {
        let Ok(mut told) = self.told.lock() else { return };
        let fresh: Vec<Choice> = match self.all.lock() {
            Ok(all) => all.known[*told..].iter().map(|known| known.choice).collect(),
            Err(_) => return,
        };
        for choice in fresh {
            tell(*told, choice);
            *told += 1;
        }
    }

    /// The cases that a choice has for objects of a class; `value` says what steps lead to from it, `is`
    /// whether it is of a type.
    pub fn of_class(
        &self,
        number: usize,
        value: &impl Fn(&Read) -> Value,
        is: &impl Fn(&str) -> bool,
    ) -> [u8; 2] {
        // What it takes to know the class may take locks of the program.
        let by_class = || Some(self.all.lock().ok()?.known.get(number)?.by_class.clone());
        let (letter, deciding) = match by_class() {
            Some(ByClass::Case(case)) => *case,
            Some(ByClass::Test(ty, negated)) => return [(is(&ty) != negated).into(); 2],
            Some(ByClass::Nothing) | None => return [0; 2],
        };
        deciding.cases(&letter, &|steps| {
            value(&Read { start: Start::Operand(0), steps: steps.to_vec() })
        })
    }
}

impl Deciding {
    /// `None` if more than a bit and a class is to be known.
    fn new(letter: &Letter, args: &[Fetch]) -> Option<Deciding> {
        let mut this = Deciding::default();
        for arg in letter.conditions.iter().flat_map(|condition| condition.args()) {
            if this.inputs.iter().any(|(known, _)| *known == arg) {
                continue;
            }
            let input = match args.get(arg as usize) {
                None => Input::Fixed(Value::Null),
                Some(Fetch::Const(value)) => Input::Fixed(value.clone()),
                // Conditions compare with null and truth values: any number will do.
                Some(Fetch::Int(_) | Fetch::Float(_)) => Input::Fixed(Value::Int(0)),
                Some(Fetch::Bool(0)) => {
                    this.bit_is(Bit::Number)?;
                    Input::Bit([Value::Bool(false), Value::Bool(true)])
                }
                Some(Fetch::Id(at @ (0 | 1))) => {
                    this.bit_is(Bit::There(*at == 1))?;
                    let any = Value::Ref(Object { id: u64::MAX, class: None });
                    Input::Bit([Value::Null, any])
                }
                Some(Fetch::Read(read, _)) => match (&read.start, &read.steps[..]) {
                    (Start::Operand(at @ (0 | 1)), [first, rest @ ..])
                        if first.name == "getClass" && !rest.is_empty() =>
                    {
                        let second = *at == 1;
                        if this.class.is_some_and(|known| known != second) {
                            return None;
                        }
                        this.class = Some(second);
                        Input::Class(rest.to_vec())
                    }
                    _ => return None,
                },
                Some(_) => return None,
            };
            this.inputs.push((arg, input));
        }
        Some(this)
    }

    fn bit_is(&mut self, bit: Bit) -> Option<()> {
        (*self.bit.get_or_insert(bit) == bit).then_some(())
    }

    /// The case where the bit is 0, and where it is 1.
    fn cases(&self, letter: &Letter, class: &impl Fn(&[Step]) -> Value) -> [u8; 2] {
        [0, 1].map(|bit| {
            let arg = |at: u32| match self.inputs.iter().find(|(arg, _)| *arg == at) {
                None => Value::Null,
                Some((_, Input::Fixed(value))) => value.clone(),
                Some((_, Input::Bit(values))) => values[bit].clone(),
                Some((_, Input::Class(steps))) => class(steps),
            };
            letter.case(&arg) as u8
        })
    }
}
