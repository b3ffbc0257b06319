// SPDX-License-Identifier: MIT OR Apache-2.0
//! From bytes per instruction to what holds them.

use super::window::WINDOWS;

/// Clock of the decoders, in MHz.
const DECODER_MHZ: f64 = 250.0;
/// Bytes per cycle of the decoders that there are.
const DECODER_BYTES: [u32; 3] = [4, 8, 16];
/// Bytes of a word of the port.
const PORT_BYTES: f64 = 4.0;
/// Bytes of a formatter frame for the bytes of the trace in it.
const FRAME_SHARE: f64 = 16.0 / 15.0;

/// The cores that are traced.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    pub mhz: f64,
    pub ipc: f64,
    pub cores: u32,
}

/// What was counted for a program under settings.
#[derive(Clone, Copy, Debug)]
pub struct Row<'p> {
    pub program: &'p str,
    pub configuration: &'static str,
    pub instructions: u64,
    pub bytes: u64,
    /// Bytes per instruction in the worst window of each length.
    pub worst: [f64; WINDOWS.len()],
}

impl Row<'_> {
    /// Bytes per instruction.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.instructions.max(1) as f64
    }

    /// Megabytes per second of one core on average.
    pub fn average_mb_s(&self, core: &Core) -> f64 {
        self.rate() * core.mhz * core.ipc
    }

    /// Megabytes per second of one core in its worst long window.
    pub fn worst_mb_s(&self, core: &Core) -> f64 {
        self.worst[WINDOWS.len() - 1] * core.mhz * core.ipc
    }

    /// Bytes per cycle of the smallest decoder that holds one core; none if the largest does not.
    pub fn decoder(&self, core: &Core) -> Option<u32> {
        let needed = self.worst_mb_s(core) / DECODER_MHZ;
        DECODER_BYTES
            .into_iter()
            .find(|bytes| f64::from(*bytes) >= needed)
    }

    /// The clock of a 32-bit port that holds all cores, in MHz.
    pub fn port_mhz(&self, core: &Core) -> f64 {
        self.worst_mb_s(core) * f64::from(core.cores) * FRAME_SHARE / PORT_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_per_instruction_and_clock_give_the_decoder_and_the_port() {
        let row = Row {
            program: "p",
            configuration: "all",
            instructions: 1000,
            bytes: 500,
            worst: [2.0, 1.5],
        };
        let core = Core {
            mhz: 1000.0,
            ipc: 1.0,
            cores: 2,
        };
        assert_eq!(row.average_mb_s(&core), 500.0);
        assert_eq!(row.worst_mb_s(&core), 1500.0);
        assert_eq!(row.decoder(&core), Some(8));
        assert_eq!(row.port_mhz(&core), 800.0);
        let faster = Core {
            mhz: 3000.0,
            ..core
        };
        assert_eq!(row.decoder(&faster), None);
    }
}
