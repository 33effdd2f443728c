//! Nothing an editor sends ends the server.

use serde_json::{Value, json};

use crate::client::URI;
use crate::protocol::{answers, framed, request};

/// Small numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn rounds() -> usize {
    let rounds = std::env::var("WATCHWORD_FUZZ").ok().and_then(|r| r.parse().ok());
    rounds.unwrap_or(6_000) / 6
}

const TEXT: &str = "\
import \"events.ww\"
event read(u, file: string) = log /(?<u>\\S+) read (?<file>\\S+)/
function twice(a) {
  return a * 2
}
property P(u) {
  var n: int = 0
  clock t
  start state A within 5 s else B { on login -> A }
  state C { on read(u, ?file) if n < twice(2) { n += 1 } -> B \"{file}\" }
  bad state B
}
property Q { start state S { on read(?u, _) => S } }
";

const METHODS: [&str; 10] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/completion",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/formatting",
    "textDocument/documentSymbol",
    "textDocument/codeAction",
];

fn session(random: &mut Random) -> Vec<Vec<u8>> {
    let position = |r: &mut Random| json!({"line": r.below(16), "character": r.below(40)});
    let mut messages = vec![framed(&request(1, "initialize", json!({})))];
    let document = json!({"uri": URI, "languageId": "watchword", "version": 1, "text": TEXT});
    let open = json!({"textDocument": document});
    messages
        .push(framed(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open})));
    for id in 2..8 {
        if random.below(2) == 0 {
            let words = ["", "x", "{", "}", "event e(a)\n", "->", "\"", "§", "property P {", "("];
            let range = json!({"start": position(random), "end": position(random)});
            let change = json!({"range": range, "text": words[random.below(words.len())]});
            let params = json!({
                "textDocument": {"uri": URI, "version": id}, "contentChanges": [change],
            });
            messages.push(framed(
                &json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}),
            ));
        }
        let at = position(random);
        let params = json!({
            "textDocument": {"uri": URI}, "position": at, "newName": "renamed",
            "range": {"start": at, "end": at}, "options": {}, "context": {"diagnostics": []},
        });
        messages.push(framed(&request(id, METHODS[random.below(METHODS.len())], params)));
    }
    messages
}

/// Every request of a session whose documents are damaged has an answer.
#[test]
fn damaged_documents() {
    let mut random = Random(0x5eed);
    for round in 0..rounds() {
        let mut messages = session(&mut random);
        messages.push(framed(&request(99, "shutdown", Value::Null)));
        let input: Vec<u8> = messages.concat();
        let (answers, orderly) = answers(&input);
        assert!(orderly, "round {round}");
        let requests = answers.iter().filter(|a| a.get("id").is_some()).count();
        assert_eq!(requests, 8, "round {round}");
        let defects = answers.iter().filter(|a| a["error"]["code"] == -32603).count();
        assert_eq!(defects, 0, "round {round}: {}", String::from_utf8_lossy(&input));
    }
}

/// Whatever happens to the bytes of messages, the next whole message is answered.
#[test]
fn damaged_messages() {
    let mut random = Random(0xfeed);
    for round in 0..rounds() {
        let mut messages = session(&mut random);
        let damaged = 1 + random.below(messages.len() - 1);
        let bytes = &mut messages[damaged];
        for _ in 0..1 + random.below(4) {
            let header = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(0) + 4;
            // The length stays true, or the rest of the stream would be its body.
            let at = header + random.below(bytes.len() - header);
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] = b"{}[]\",:0"[random.below(8)],
                _ => bytes[at..].fill(b' '),
            }
        }
        messages.push(b"\r\nNo-Header: at all\r\n".to_vec());
        messages.push(framed(&request(99, "shutdown", Value::Null)));
        let input: Vec<u8> = messages.concat();
        let (answers, orderly) = answers(&input);
        assert!(orderly, "round {round}: {}", String::from_utf8_lossy(&input));
        assert!(answers.iter().any(|a| a["id"] == 99), "round {round}");
        let defects = answers.iter().filter(|a| a["error"]["code"] == -32603).count();
        assert_eq!(defects, 0, "round {round}: {}", String::from_utf8_lossy(&input));
    }
}
