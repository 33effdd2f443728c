//! Messages: requests of the editor; responses and events for it.

use serde_json::{Map, Value, json};

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its number, which the response repeats.
    pub number: i64,
    /// What is asked for.
    pub command: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

impl Request {
    /// Reads a message; `None` if it is none that asks for anything, such as a response.
    ///
    /// # Errors
    /// Why it is no message.
    pub fn parse(text: &[u8]) -> Result<Option<Request>, String> {
        let message: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        let Value::Object(mut message) = message else {
            return Err("a message is an object".to_string());
        };
        if message.get("type").and_then(Value::as_str) != Some("request") {
            return Ok(None);
        }
        let Some(command) = message.get("command").and_then(Value::as_str).map(str::to_string)
        else {
            return Err("a request has a `command`".to_string());
        };
        let number = message.get("seq").and_then(Value::as_i64).unwrap_or(0);
        let arguments = match message.remove("arguments") {
            Some(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        Ok(Some(Request { number, command, arguments }))
    }

    /// A text among the arguments.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }

    /// A text that has to be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn wanted_text(&self, name: &str) -> Result<&str, String> {
        self.text(name).ok_or_else(|| format!("`{}` needs a text `{name}`", self.command))
    }

    /// A number among the arguments.
    pub fn number(&self, name: &str) -> Option<i64> {
        number(self.arguments.get(name)?)
    }

    /// A number that has to be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn wanted_number(&self, name: &str) -> Result<i64, String> {
        self.number(name).ok_or_else(|| format!("`{}` needs a number `{name}`", self.command))
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.arguments.get(name).and_then(Value::as_bool)
    }

    /// A list among the arguments; none is an empty one.
    pub fn list(&self, name: &str) -> &[Value] {
        self.arguments.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// An integer; some clients write it with a fraction.
pub fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().filter(|f| f.abs() < 9e15).map(|f| f as i64))
}

/// What a request comes to. Messages are numbered when they are sent.
pub fn response(request: &Request, answer: Result<Value, String>) -> Value {
    let mut message = json!({
        "seq": 0,
        "type": "response",
        "request_seq": request.number,
        "command": request.command,
        "success": answer.is_ok(),
    });
    match answer {
        Ok(Value::Null) => {}
        Ok(body) => message["body"] = body,
        Err(text) => {
            message["message"] = text.clone().into();
            // Words of ours, not a format with variables.
            let format = text.replace('{', "(").replace('}', ")");
            message["body"] = json!({ "error": { "id": 1, "format": format, "showUser": true } });
        }
    }
    message
}

/// Something that happened.
pub fn event(name: &str, body: Value) -> Value {
    json!({ "seq": 0, "type": "event", "event": name, "body": body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let text = br#"{"seq":3,"type":"request","command":"next","arguments":{"threadId":1.0}}"#;
        let request = Request::parse(text).unwrap().unwrap();
        assert_eq!((request.number, request.command.as_str()), (3, "next"));
        assert_eq!(request.wanted_number("threadId"), Ok(1));
        assert!(request.wanted_text("threadId").is_err());
        assert_eq!(Request::parse(br#"{"type":"response"}"#), Ok(None));
        for wrong in ["", "[]", "{\"type\":\"request\"}", "{", "7"] {
            assert!(Request::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn responses_say_whether_it_was_done() {
        let request = Request { number: 7, command: "x".into(), arguments: Map::new() };
        let good = response(&request, Ok(json!({"a": 1})));
        assert_eq!((&good["success"], &good["body"]["a"]), (&json!(true), &json!(1)));
        let bad = response(&request, Err("no {it}".into()));
        assert_eq!((&bad["success"], &bad["message"]), (&json!(false), &json!("no {it}")));
        assert_eq!(bad["request_seq"], 7);
        assert_eq!(bad["body"]["error"]["format"], "no (it)");
    }
}
