//! JSON as the documented formats have it: keys in the documented order, numbers exact.

use std::fmt;

use watchword_model::{Location, Time, Value};
use watchword_trace::write::quote;

pub use watchword_trace::write::seconds;

/// A JSON value to be printed.
#[derive(Clone, Debug)]
pub enum Json {
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, as it is spelt.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
    }

    /// Adds a member to an object.
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Json {
        if let Json::Object(members) = &mut self {
            members.push((key.to_string(), value.into()));
        }
        self
    }

    /// Adds a member to an object if there is one.
    pub fn with_some(self, key: &str, value: Option<impl Into<Json>>) -> Json {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_string())
    }
}

impl From<u64> for Json {
    fn from(n: u64) -> Json {
        Json::Number(n.to_string())
    }
}

impl From<bool> for Json {
    fn from(b: bool) -> Json {
        Json::Bool(b)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Json {
        Json::List(items)
    }
}

/// As traces write values, so that what was printed can be read again.
impl From<&Value> for Json {
    fn from(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Int(i) => Json::Number(i.to_string()),
            Value::Float(f) if f.is_finite() => Json::Number(format!("{f:?}")),
            Value::Float(f) => {
                let name = if f.is_nan() {
                    "nan"
                } else if *f > 0.0 {
                    "inf"
                } else {
                    "-inf"
                };
                Json::object([("float", name.into())])
            }
            Value::Str(s) => Json::Text(s.to_string()),
            Value::Ref(o) => {
                Json::object([("ref", o.id.into())]).with_some("class", o.class.as_deref())
            }
            Value::Ptr(p) => Json::object([("ptr", Json::Text(format!("{p:#x}")))]),
            Value::List(items) => Json::List(items.iter().map(Json::from).collect()),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(k, v)| (Value::from(k.clone()).to_string(), Json::from(v)))
                    .collect(),
            ),
        }
    }
}

impl From<&Location> for Json {
    fn from(location: &Location) -> Json {
        Json::Object(Vec::new())
            .with_some("file", location.file.as_deref())
            .with_some("line", location.line.map(u64::from))
            .with_some("function", location.function.as_deref())
    }
}

/// Seconds, exactly.
pub fn time(nanos: Time) -> Json {
    Json::Number(seconds(nanos))
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Number(n) => f.write_str(n),
            Json::Text(text) => quote(f, text),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (i, (key, value)) in members.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    quote(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_json() {
        let json = Json::object([("a\"\u{1}\n", Json::List(vec![Json::Null, 17u64.into()]))])
            .with("é", "x\\y")
            .with_some("none", None::<u64>);
        let parsed: serde_json::Value = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(parsed, serde_json::json!({"a\"\u{1}\n": [null, 17], "é": "x\\y"}));
    }

    #[test]
    fn times_are_exact() {
        assert_eq!(seconds(1_700_000_000_123_456_789), "1700000000.123456789");
        assert_eq!(seconds(-1_500_000_000), "-1.5");
        assert_eq!(seconds(3_000_000_000), "3");
        assert_eq!(seconds(1), "0.000000001");
    }
}
