//! ETMv4 and ETE packet grammar and CoreSight formatter frames: the one home of every encoding.
#![no_std]
#![forbid(unsafe_code)]
