//! Shards in this process, and jobs on a real cluster.

mod cluster;
mod shards;
mod support;
