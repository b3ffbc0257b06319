// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which process a context belongs to.

use coretrace_etm::Registers;
use hashbrown::HashMap;

/// TRCCONFIGR.CID: contexts have the context ID.
const CID: u32 = 1 << 6;
/// TRCCONFIGR.VMID: contexts have the VMID.
const VMID: u32 = 1 << 7;
/// TRCCONFIGR.VMIDOPT: the VMID is CONTEXTIDR_EL2.
const VMIDOPT: u32 = 1 << 15;

/// The thread of a context that has none: before a trace names one, its numbers are 0.
pub const NO_THREAD: u32 = 0;

/// Processes by their threads.
///
/// Linux writes the number of the thread to CONTEXTIDR_EL1, which is the context ID, or, where it runs
/// at EL2, to CONTEXTIDR_EL2, which is the VMID of a trace unit that is set so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    /// The thread is the VMID, where there is one.
    is_vmid: bool,
    processes: HashMap<u32, u32>,
}

impl Processes {
    /// Processes by the numbers of their threads, in the contexts of a trace unit with these registers.
    pub fn new(registers: &Registers, threads: impl IntoIterator<Item = (u32, u32)>) -> Processes {
        Processes {
            is_vmid: has_vmid_as_thread(registers),
            processes: threads.into_iter().collect(),
        }
    }

    /// Whether the contexts of a trace unit may have the number of a thread.
    pub fn has_threads(registers: &Registers) -> bool {
        registers.trcconfigr & CID != 0 || has_vmid_as_thread(registers)
    }

    /// The thread of a context, if that has one.
    pub fn thread(&self, vmid: Option<u32>, cid: Option<u32>) -> Option<u32> {
        if self.is_vmid { vmid } else { cid }
    }

    /// The process of a context, if it is known. One without a thread is that of [`NO_THREAD`].
    pub fn of(&self, vmid: Option<u32>, cid: Option<u32>) -> Option<u32> {
        let thread = self.thread(vmid, cid).unwrap_or(NO_THREAD);
        self.processes.get(&thread).copied()
    }
}

fn has_vmid_as_thread(registers: &Registers) -> bool {
    let bits = VMID | VMIDOPT;
    registers.trcconfigr & bits == bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(trcconfigr: u32) -> Registers {
        Registers {
            trcconfigr,
            ..Registers::ZERO
        }
    }

    #[test]
    fn a_thread_is_the_context_id_or_the_vmid_of_a_kernel_at_el2() {
        for (trcconfigr, has_threads, thread) in [
            (1, false, 20),
            (0x41, true, 20),
            (0x81, false, 20),
            (0xC1, true, 20),
            (0x8081, true, 10),
            (0x80C1, true, 10),
        ] {
            let registers = registers(trcconfigr);
            let processes = Processes::new(&registers, []);
            assert_eq!(
                Processes::has_threads(&registers),
                has_threads,
                "{trcconfigr:#x}"
            );
            assert_eq!(
                processes.thread(Some(10), Some(20)),
                Some(thread),
                "{trcconfigr:#x}"
            );
        }
    }
}
