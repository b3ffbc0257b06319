// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control and status registers, made by cargo export; do not edit.
//!
//! A register is read as a value of its type, changed field by field, and written:
//! `let value = registers.control().with_snapshot(true); registers.set_control(value)`.

/// Words of 32 bits at byte offsets from the first register.
pub trait Bus {
    /// Reads a word.
    fn read(&mut self, offset: u32) -> u32;
    /// Writes a word.
    fn write(&mut self, offset: u32, value: u32);
}

impl<B: Bus + ?Sized> Bus for &mut B {
    fn read(&mut self, offset: u32) -> u32 {
        (**self).read(offset)
    }
    fn write(&mut self, offset: u32, value: u32) {
        (**self).write(offset, value)
    }
}

/// Trace sources, each with registers of its own.
pub const SOURCES: u32 = 0;

/// The registers behind a bus; `source` is the number of a source.
pub struct Registers<B>(pub B);

impl<B: Bus> Registers<B> {
    /// Reads SOFTWARE_KIND.
    pub fn software_kind(&mut self) -> SoftwareKind {
        SoftwareKind(self.0.read(SoftwareKind::OFFSET))
    }
    /// Reads SOFTWARE_CONTROL.
    pub fn software_control(&mut self) -> SoftwareControl {
        SoftwareControl(self.0.read(SoftwareControl::OFFSET))
    }
    /// Writes SOFTWARE_CONTROL.
    pub fn set_software_control(&mut self, value: SoftwareControl) {
        self.0.write(SoftwareControl::OFFSET, value.0);
    }
    /// Reads SOFTWARE_ITM_TCR.
    pub fn software_itm_tcr(&mut self) -> SoftwareItmTcr {
        SoftwareItmTcr(self.0.read(SoftwareItmTcr::OFFSET))
    }
    /// Writes SOFTWARE_ITM_TCR.
    pub fn set_software_itm_tcr(&mut self, value: SoftwareItmTcr) {
        self.0.write(SoftwareItmTcr::OFFSET, value.0);
    }
    /// Reads SOFTWARE_STATUS.
    pub fn software_status(&mut self) -> SoftwareStatus {
        SoftwareStatus(self.0.read(SoftwareStatus::OFFSET))
    }
    /// Reads SOFTWARE_BYTES.
    pub fn software_bytes(&mut self) -> SoftwareBytes {
        SoftwareBytes(self.0.read(SoftwareBytes::OFFSET))
    }
    /// Reads SOFTWARE_RECORDS.
    pub fn software_records(&mut self) -> SoftwareRecords {
        SoftwareRecords(self.0.read(SoftwareRecords::OFFSET))
    }
    /// Reads SOFTWARE_LOSSES.
    pub fn software_losses(&mut self) -> SoftwareLosses {
        SoftwareLosses(self.0.read(SoftwareLosses::OFFSET))
    }
    /// Reads SOFTWARE_LOST_ROWS.
    pub fn software_lost_rows(&mut self) -> SoftwareLostRows {
        SoftwareLostRows(self.0.read(SoftwareLostRows::OFFSET))
    }
}

/// What the source of software trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareKind(pub u32);

impl SoftwareKind {
    /// Byte offset.
    pub const OFFSET: u32 = 0x080;
    /// The value after reset.
    pub const RESET: Self = Self(0x100);
    /// It is an ITM, otherwise an STM.
    pub const fn itm(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Version of the software stream.
    pub const fn format(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
}

/// Settings of the source of software trace. While ENABLE or SOFTWARE_STATUS.BUSY is 1, changes of the others wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareControl(pub u32);

impl SoftwareControl {
    /// Byte offset.
    pub const OFFSET: u32 = 0x084;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Record the source.
    pub const fn enable(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Record the source.
    pub const fn with_enable(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// Error policy: 0 resync, 1 lenient.
    pub const fn lenient(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// Error policy: 0 resync, 1 lenient.
    pub const fn with_lenient(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Trace ID of the source.
    pub const fn trace_id(self) -> u32 {
        (self.0 & 0x7f00) >> 8
    }
    /// Trace ID of the source.
    pub const fn with_trace_id(self, value: u32) -> Self {
        Self((self.0 & !0x7f00) | ((value << 8) & 0x7f00))
    }
    /// Write 1 to end the packet of the software stream.
    pub const fn with_flush(self, value: bool) -> Self {
        Self((self.0 & !0x10000) | if value { 0x10000 } else { 0 })
    }
}

/// Copy of ITM_TCR of an ITM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareItmTcr(pub u32);

impl SoftwareItmTcr {
    /// Byte offset.
    pub const OFFSET: u32 = 0x088;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Current state of the source of software trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareStatus(pub u32);

impl SoftwareStatus {
    /// Byte offset.
    pub const OFFSET: u32 = 0x08c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Its bytes are taken.
    pub const fn running(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// They are taken, or its stream has not rested for 4096 cycles since: records may wait.
    pub const fn busy(self) -> bool {
        self.0 & 0x2 != 0
    }
}

/// Bytes received from the source of software trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareBytes(pub u32);

impl SoftwareBytes {
    /// Byte offset.
    pub const OFFSET: u32 = 0x090;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Packets and errors decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareRecords(pub u32);

impl SoftwareRecords {
    /// Byte offset.
    pub const OFFSET: u32 = 0x094;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Losses at the trace port reported to the source of software trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareLosses(pub u32);

impl SoftwareLosses {
    /// Byte offset.
    pub const OFFSET: u32 = 0x098;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Rows of the trace port dropped since the source was enabled, because nobody read its stream or its records were too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoftwareLostRows(pub u32);

impl SoftwareLostRows {
    /// Byte offset.
    pub const OFFSET: u32 = 0x09c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count. Unaffected by CLEAR.
    pub const fn count(self) -> u32 {
        self.0
    }
}
