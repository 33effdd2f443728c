//! Streams, and what an editor may get wrong.

use std::io::{self, BufReader};

use serde_json::{Value, json};
use watchword_lsp::serve;

use crate::client::disk;

pub fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// What a server answers to a stream, and whether it was left in good order.
pub fn answers(input: &[u8]) -> (Vec<Value>, bool) {
    let mut output = Vec::new();
    let orderly = serve(&mut BufReader::new(input), &mut output, &disk).unwrap();
    let mut found = Vec::new();
    let mut rest = &output[..];
    while !rest.is_empty() {
        let text = std::str::from_utf8(rest).unwrap();
        let (header, body) = text.split_once("\r\n\r\n").unwrap();
        let length: usize = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        found.push(serde_json::from_str(&body[..length]).unwrap());
        rest = &rest[header.len() + 4 + length..];
    }
    (found, orderly)
}

pub fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or(0)
}

#[test]
fn a_session_from_hello_to_goodbye() {
    let mut input = framed(&request(1, "initialize", json!({})));
    input.extend(framed(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}})));
    input.extend(framed(&request(2, "shutdown", Value::Null)));
    input.extend(framed(&request(3, "textDocument/hover", json!({}))));
    input.extend(framed(&json!({"jsonrpc": "2.0", "method": "exit"})));
    input.extend(framed(&request(4, "initialize", json!({}))));
    let (answers, orderly) = answers(&input);
    assert!(orderly);
    assert_eq!(answers.len(), 3, "nothing is answered after `exit`");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "watchword");
    let capabilities = &answers[0]["result"]["capabilities"];
    for provider in ["hover", "definition", "rename", "documentFormatting", "codeAction"] {
        assert!(!capabilities[format!("{provider}Provider")].is_null(), "{provider}");
    }
    assert_eq!(answers[1]["result"], Value::Null);
    assert_eq!(code(&answers[2]), -32600);
}

#[test]
fn leaving_without_a_goodbye_is_noticed() {
    let (_, orderly) = answers(&framed(&json!({"jsonrpc": "2.0", "method": "exit"})));
    assert!(!orderly);
    assert!(!answers(b"").1);
    assert!(!answers(b"Content-Length: 99\r\n\r\n{").1);
}

#[test]
fn bad_messages_are_answered_and_the_server_goes_on() {
    let bad: Vec<(Vec<u8>, i64)> = vec![
        (b"Content-Length: 7\r\n\r\nnothing".to_vec(), -32700),
        (b"Content-Length: soon\r\n\r\n".to_vec(), -32700),
        (b"Content-Length: 2\r\n\r\n\xff\xff".to_vec(), -32700),
        (framed(&json!({"jsonrpc": "2.0", "id": 9})), -32600),
        (framed(&json!(["what"])), -32600),
        (framed(&json!([])), -32600),
        (framed(&json!(17)), -32600),
        (framed(&request(9, "textDocument/hover", json!({}))), -32602),
        (framed(&request(9, "textDocument/hover", json!([1, 2]))), -32602),
        (framed(&request(9, "textDocument/hover", json!({"textDocument": {"uri": "x"}}))), -32602),
        (framed(&request(9, "textDocument/nonsense", json!({}))), -32601),
    ];
    for (bytes, wanted) in bad {
        let mut input = framed(&request(1, "initialize", json!({})));
        input.extend(&bytes);
        input.extend(framed(&request(2, "shutdown", Value::Null)));
        let (answers, orderly) = answers(&input);
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        assert!(orderly, "{shown}");
        assert_eq!(answers.len(), 3, "{shown}");
        assert_eq!(code(&answers[1]), wanted, "{shown}\n{}", answers[1]);
    }
}

#[test]
fn requests_before_initialize_are_refused() {
    let (answers, _) = answers(&framed(&request(1, "textDocument/hover", json!({}))));
    assert_eq!(code(&answers[0]), -32002);
}

#[test]
fn headers_are_read_generously() {
    let body = request(1, "initialize", json!({})).to_string();
    let input = format!(
        "garbage\r\ncontent-length: {}\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(answers(input.as_bytes()).0.len(), 1);
}

/// A stream that breaks.
struct Broken;

impl io::Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the cable was cut"))
    }
}

#[test]
fn a_broken_stream_is_an_error() {
    assert!(serve(&mut BufReader::new(Broken), &mut Vec::new(), &disk).is_err());
}
