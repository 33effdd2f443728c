//! Weaving, tested by what woven programs do.
