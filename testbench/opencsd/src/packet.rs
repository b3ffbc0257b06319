// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet as the library shows it: `ocsd_etmv4_i_pkt` of version 1.3. Bit fields of the C
//! structure are words here, with a method for each field that is read.

/// `ocsd_pkt_vaddr`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Address {
    size: u32,
    /// The address; not set before the first address or Trace Info.
    pub value: u64,
    packet_bits: u8,
    valid_bits: u8,
}

/// `etmv4_context_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Context {
    flags: u32,
    /// Context ID.
    pub cid: u32,
    /// VMID.
    pub vmid: u32,
}

/// The timestamp.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// All bits known so far.
    pub value: u64,
    bits_changed: u8,
}

/// `ocsd_pkt_atom`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Atoms {
    /// Bit 0 is the oldest atom; 1 is E.
    pub bits: u32,
    /// Number of atoms.
    pub count: u8,
}

/// A conditional instruction packet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CondInstr {
    key: u32,
    /// Number of conditional elements.
    pub elements: u8,
    flags: u32,
}

/// A conditional result packet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CondResult {
    /// The keys of format 1.
    pub keys: [u32; 2],
    flags: u32,
}

/// A Q packet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Q {
    /// The number of instructions.
    pub count: u32,
    flags: u32,
}

/// `ocsd_etmv4_i_pkt`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// `ocsd_etmv4_i_pkt_type`.
    pub kind: u32,
    /// The newest address.
    pub address: Address,
    /// The instruction set of the newest address.
    pub address_is: u8,
    /// The newest context; not set before the first one.
    pub context: Context,
    timestamp: Timestamp,
    cc_threshold: u32,
    /// The atoms of this packet.
    pub atoms: Atoms,
    cycle_count: u32,
    curr_spec_depth: u32,
    p0_key: u32,
    commit_elements: u32,
    /// The elements that a packet cancels; stale in packets that cancel none.
    pub cancel_elements: u32,
    trace_info: u32,
    exception_info: u32,
    /// Which address register an exact match names.
    pub match_index: u8,
    /// Data synchronization marker: its number, or the number of atoms.
    pub data_sync: u8,
    /// The bits of an Event packet.
    pub event: u8,
    /// Conditional instruction.
    pub cond_instr: CondInstr,
    /// Conditional result.
    pub cond_result: CondResult,
    /// Q.
    pub q: Q,
    valid: u32,
    /// The kind that an error seemed to be before it was one.
    pub error_kind: u32,
    /// The header of a reserved packet.
    pub error_header: u8,
    protocol_version: u8,
}

const _: () = assert!(size_of::<Packet>() == 152, "as the C compiler has it");

const fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

impl Context {
    /// Exception level.
    pub fn el(&self) -> u32 {
        bits(self.flags, 0, 2)
    }

    /// AArch64 state.
    pub fn sf(&self) -> bool {
        bits(self.flags, 2, 1) == 1
    }

    /// Non-secure state.
    pub fn ns(&self) -> bool {
        bits(self.flags, 3, 1) == 1
    }

    /// Whether this packet has a context.
    pub fn is_updated(&self) -> bool {
        bits(self.flags, 4, 1) == 1
    }

    /// Whether this packet has a context ID.
    pub fn has_cid(&self) -> bool {
        bits(self.flags, 5, 1) == 1
    }

    /// Whether this packet has a VMID.
    pub fn has_vmid(&self) -> bool {
        bits(self.flags, 6, 1) == 1
    }

    /// Root or Realm state.
    pub fn nse(&self) -> bool {
        bits(self.flags, 7, 1) == 1
    }
}

impl CondInstr {
    /// Whether the last element has the key of the one before it (format 3).
    pub fn is_final(&self) -> bool {
        bits(self.flags, 1, 1) == 1
    }

    /// Whether the key is a new one (format 2).
    pub fn has_new_key(&self) -> bool {
        bits(self.flags, 2, 1) == 1
    }
}

impl CondResult {
    /// The results of format 1.
    pub fn results(&self) -> [u32; 2] {
        [bits(self.flags, 0, 4), bits(self.flags, 4, 4)]
    }

    /// The CI bits of format 1.
    pub fn ci(&self) -> [bool; 2] {
        [bits(self.flags, 8, 1) == 1, bits(self.flags, 9, 1) == 1]
    }

    /// By how much the key grows (format 2).
    pub fn key_increment(&self) -> u32 {
        bits(self.flags, 12, 2)
    }

    /// The token of formats 2 and 4.
    pub fn token(&self) -> u32 {
        bits(self.flags, 14, 2)
    }

    /// The tokens of format 3.
    pub fn tokens(&self) -> u32 {
        bits(self.flags, 16, 12)
    }
}

impl Q {
    /// Whether the packet has an address or names one.
    pub fn has_address(&self) -> bool {
        bits(self.flags, 0, 1) == 1
    }

    /// Whether the address is an exact match.
    pub fn is_match(&self) -> bool {
        bits(self.flags, 1, 1) == 1
    }

    /// Whether the packet has a count.
    pub fn has_count(&self) -> bool {
        bits(self.flags, 2, 1) == 1
    }

    /// TYPE.
    pub fn form(&self) -> u32 {
        bits(self.flags, 3, 4)
    }
}

impl Packet {
    fn if_valid<T>(&self, bit: u32, value: T) -> Option<T> {
        (bits(self.valid, bit, 1) == 1).then_some(value)
    }

    /// The timestamp, if there was one since the last Trace Info.
    pub fn timestamp(&self) -> Option<u64> {
        self.if_valid(1, self.timestamp.value)
    }

    /// The speculation depth that Trace Info named last.
    pub fn spec_depth(&self) -> Option<u32> {
        self.if_valid(2, self.curr_spec_depth)
    }

    /// The P0 key that Trace Info named last.
    pub fn p0_key(&self) -> Option<u32> {
        self.if_valid(3, self.p0_key)
    }

    /// What Trace Info said last.
    pub fn trace_info(&self) -> Option<u32> {
        self.if_valid(6, self.trace_info)
    }

    /// The cycle threshold that Trace Info named last.
    pub fn cycle_threshold(&self) -> Option<u32> {
        self.if_valid(7, self.cc_threshold)
    }

    /// The cycle count of this packet.
    pub fn cycle_count(&self) -> Option<u32> {
        self.if_valid(8, self.cycle_count)
    }

    /// The elements that this packet commits.
    pub fn commit(&self) -> Option<u32> {
        self.if_valid(9, self.commit_elements)
    }

    /// The number of an exception.
    pub fn exception(&self) -> u32 {
        bits(self.exception_info, 0, 10)
    }

    /// What the address behind an exception means.
    pub fn interpretation(&self) -> u32 {
        bits(self.exception_info, 10, 2)
    }

    /// Microcontroller profile: a serious fault is pending.
    pub fn fault_pending(&self) -> bool {
        bits(self.exception_info, 12, 1) == 1
    }

    /// Whether the exception is one of the microcontroller profile.
    pub fn is_m_profile(&self) -> bool {
        bits(self.exception_info, 13, 1) == 1
    }
}
