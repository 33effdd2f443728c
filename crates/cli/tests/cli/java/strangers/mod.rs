//! Programs and tools that nobody here wrote, monitored with everything that is shipped: they print
//! and return what they do without.

mod agents;
mod compilers;
mod coverage;
mod mocks;
mod shrunk;
mod swapped;
mod telemetry;
