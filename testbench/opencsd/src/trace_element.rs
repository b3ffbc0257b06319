// SPDX-License-Identifier: MIT OR Apache-2.0
//! An element as the library shows it: `ocsd_generic_trace_elem` of version 1.3.

/// `ocsd_pe_context`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PeContext {
    /// `ocsd_sec_level`: 0 secure, 1 non-secure, 2 root, 3 realm.
    pub security: u32,
    /// Exception level.
    pub level: u32,
    /// Context ID.
    pub cid: u32,
    /// VMID.
    pub vmid: u32,
    flags: u32,
}

impl PeContext {
    /// AArch64 state.
    pub fn is_64_bit(&self) -> bool {
        self.flags & 1 != 0
    }

    /// The context ID, if it is known.
    pub fn cid(&self) -> Option<u32> {
        (self.flags & 2 != 0).then_some(self.cid)
    }

    /// The exception level is known.
    pub fn has_level(&self) -> bool {
        self.flags & 8 != 0
    }

    /// The VMID, if it is known.
    pub fn vmid(&self) -> Option<u32> {
        (self.flags & 4 != 0).then_some(self.vmid)
    }
}

/// The beginning of `ocsd_generic_trace_elem`, up to the second word of its payload.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TraceElement {
    /// `ocsd_gen_trc_elem_t`.
    pub kind: u32,
    /// `ocsd_isa`: 0 A32, 1 T32, 2 A64.
    pub isa: u32,
    /// First address.
    pub start: u64,
    /// Address behind the last instruction, or the preferred return address.
    pub end: u64,
    /// The context.
    pub context: PeContext,
    /// The timestamp.
    pub timestamp: u64,
    /// Cycles.
    pub cycle_count: u32,
    /// `ocsd_instr_type` of the last instruction.
    pub last_type: u32,
    /// `ocsd_instr_subtype` of the last instruction.
    pub last_subtype: u32,
    flags: u32,
    /// Instructions of a range, the number of an exception, the reason of a loss, an end or a Trace
    /// On, the step of a transaction, the kind of a marker.
    pub payload: u32,
    /// The value of a marker.
    pub marker_value: u32,
}

const _: () = assert!(
    std::mem::offset_of!(TraceElement, marker_value) == 76,
    "as the C compiler has it"
);

impl TraceElement {
    fn flag(&self, bit: u32) -> bool {
        self.flags >> bit & 1 != 0
    }

    /// Whether the last instruction was executed.
    pub fn was_executed(&self) -> bool {
        self.flag(0)
    }

    /// Bytes of the last instruction.
    pub fn last_size(&self) -> u32 {
        self.flags >> 1 & 7
    }

    /// The cycle count, if there is one.
    pub fn cycles(&self) -> Option<u32> {
        self.flag(4).then_some(self.cycle_count)
    }

    /// The preferred return address of an exception, if there is one.
    pub fn return_address(&self) -> Option<u64> {
        self.flag(6).then_some(self.end)
    }

    /// Kind and number of an event.
    pub fn event(&self) -> (u16, u16) {
        (self.payload as u16, (self.payload >> 16) as u16)
    }

    /// Whether the last instruction has a condition.
    pub fn is_conditional(&self) -> bool {
        self.flag(10)
    }

    /// Whether the return address of an exception is also the target of the branch before.
    pub fn is_target(&self) -> bool {
        self.flag(11)
    }
}
