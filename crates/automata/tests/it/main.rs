//! Every operation against its definition, word by word, on small random automata.

mod finite;
mod register;
