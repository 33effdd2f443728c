//! Watchword core model.
