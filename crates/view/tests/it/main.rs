//! Reports, judged by their schemas, by an XML parser and by a browser.

mod browser;
mod everything;
mod expression;
mod hostile;
mod page;
mod sample;
mod schema;
mod way;
