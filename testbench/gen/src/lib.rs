//! Random ETMv4 streams, framing and damage, from a seed.
