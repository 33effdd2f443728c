//! Finite automata and register automata.
