//! Shows a session in a browser: a page on the loopback interface shows the automaton with the states
//! of the instances, their moves, the events and the verdicts, and has buttons to continue and to go
//! back.
//!
//! [`Live`] is a [`Client`](watchword_session::Client) of a session. It keeps the present state of
//! everything that pages show in one place, and every open page reads what has changed since its
//! previous request. Changes that a page has not read yet are merged. So a slow page, or a program
//! whose monitors move a hundred thousand times a second, needs no additional memory.
//! [`Live::recording`] returns a page that shows the session without a server.
//!
//! Only somebody who knows the address, which contains a random token, gets anything; requests from
//! other sites are refused. The page loads nothing from elsewhere.
//!
//! # Example
//!
//! A property is loaded, an instance moves, and the recording shows both. In a debugger, the
//! [`Console`](watchword_session::Console) of the session tells the same to every client.
//!
//! ```
//! use std::sync::Arc;
//! use watchword_live::{Live, Server};
//! use watchword_model::Value;
//! use watchword_session::{Client, Happening, Moved};
//! use watchword_spec::{SourceFile, load};
//!
//! let text = "
//!     event open(f)
//!     event close(f)
//!     property Closed(f) {
//!       start state New { on open(f) -> Open }
//!       pending state Open { on close(f) -> New }
//!     }";
//! let loaded = load(&[SourceFile::new("closed.ww", text)], &|_, path| Err(format!("no {path}")));
//! let model = Arc::new(loaded.model.expect("the file has no errors"));
//!
//! let mut live = Live::new();
//! live.record();
//! // Pages can be opened at any time; 0 chooses a port. Without an `Input`, pages only show.
//! let server = Server::start(&live, 0, None)?;
//! assert!(server.address().starts_with("http://127.0.0.1:"));
//!
//! let properties = vec!["Closed".to_string()];
//! live.happened(&Happening::Loaded { monitor: 1, properties, model, text: String::new() });
//! live.happened(&Happening::Moved(Moved {
//!     monitor: 1,
//!     property: "Closed".into(),
//!     binding: vec![("f".into(), Value::str("notes.txt"))],
//!     from: "New".into(),
//!     to: Some("Open".into()),
//!     event: Some("open(notes.txt)".into()),
//!     index: 1,
//! }));
//! live.end();
//!
//! let page = live.recording();
//! assert!(page.contains("notes.txt"));
//! // What was never told is not there.
//! assert!(!page.contains("passwd"));
//! # Ok::<(), std::io::Error>(())
//! ```

#![cfg(unix)]

mod frame;
pub mod http;
mod hub;
mod page;
mod server;

pub use hub::Live;
pub use server::{Input, Server};
