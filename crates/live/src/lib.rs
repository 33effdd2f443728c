//! A session in a browser: a page on the loopback interface shows the automaton with the states of
//! the instances, their moves, the events and the verdicts, and has buttons to go on and to go back.
//!
//! [`Live`] is a [`Client`](watchword_session::Client) of a session. It keeps what is worth showing
//! in one place; every page that is open reads from there what changed since it last did. A page
//! that is slow, or a program whose monitors move a hundred thousand times a second, therefore costs
//! no memory: what a page has not read yet is merged. [`Live::recording`] is a page that shows the
//! same without a server.
//!
//! Only somebody who knows the address, which contains a random token, gets anything; requests from
//! other sites are refused. The page loads nothing from elsewhere.

#![cfg(unix)]

mod frame;
pub mod http;
mod hub;
mod page;
mod server;

pub use hub::Live;
pub use server::{Input, Server};
