//! Captures on disk: trace files, their registers and golden lists.
