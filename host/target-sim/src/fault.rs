// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong in a world.

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// These bits of an address read as this value for ever: an identification or a status that is wrong.
    Read {
        /// Physical address.
        address: u64,
        /// Bits.
        mask: u32,
        /// Their value.
        value: u32,
    },
    /// A write to an address has no effect.
    DropWrite {
        /// Physical address.
        address: u64,
        /// Writes to it that have one before.
        skip: usize,
    },
    /// All components of a clock stop answering after so many accesses.
    ClockLost {
        /// The clock.
        clock: usize,
        /// Accesses.
        after: usize,
    },
    /// A trace unit loses its power after so many accesses.
    PowerLost {
        /// The component.
        component: usize,
        /// Accesses.
        after: usize,
    },
    /// A debugger takes a component, with its claim tag, after so many accesses.
    Stolen {
        /// The component.
        component: usize,
        /// Accesses.
        after: usize,
    },
    /// Software clears all claim tags of a component after so many accesses.
    Unclaimed {
        /// The component.
        component: usize,
        /// Accesses.
        after: usize,
    },
    /// Software closes the lock of a component after so many accesses.
    Locked {
        /// The component.
        component: usize,
        /// Accesses.
        after: usize,
    },
}
