//! Software reference decoder: trace port, frames, demultiplexer and ETMv4 packets.
