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
pub const SOURCES: u32 = 1;

/// The registers behind a bus; `source` is the number of a source.
pub struct Registers<B>(pub B);

impl<B: Bus> Registers<B> {
    /// Reads ID.
    pub fn id(&mut self) -> Id {
        Id(self.0.read(Id::OFFSET))
    }
    /// Reads VERSION.
    pub fn version(&mut self) -> Version {
        Version(self.0.read(Version::OFFSET))
    }
    /// Reads CAPABILITIES.
    pub fn capabilities(&mut self) -> Capabilities {
        Capabilities(self.0.read(Capabilities::OFFSET))
    }
    /// Reads CONTROL.
    pub fn control(&mut self) -> Control {
        Control(self.0.read(Control::OFFSET))
    }
    /// Writes CONTROL.
    pub fn set_control(&mut self, value: Control) {
        self.0.write(Control::OFFSET, value.0);
    }
    /// Reads STATUS.
    pub fn status(&mut self) -> Status {
        Status(self.0.read(Status::OFFSET))
    }
    /// Reads INTERRUPT_STATUS.
    pub fn interrupt_status(&mut self) -> InterruptStatus {
        InterruptStatus(self.0.read(InterruptStatus::OFFSET))
    }
    /// Writes INTERRUPT_STATUS.
    pub fn set_interrupt_status(&mut self, value: InterruptStatus) {
        self.0.write(InterruptStatus::OFFSET, value.0);
    }
    /// Reads INTERRUPT_ENABLE.
    pub fn interrupt_enable(&mut self) -> InterruptEnable {
        InterruptEnable(self.0.read(InterruptEnable::OFFSET))
    }
    /// Writes INTERRUPT_ENABLE.
    pub fn set_interrupt_enable(&mut self, value: InterruptEnable) {
        self.0.write(InterruptEnable::OFFSET, value.0);
    }
    /// Reads ENCODER.
    pub fn encoder(&mut self) -> Encoder {
        Encoder(self.0.read(Encoder::OFFSET))
    }
    /// Reads FRAMES.
    pub fn frames(&mut self) -> Frames {
        Frames(self.0.read(Frames::OFFSET))
    }
    /// Reads SYNC_LOSSES.
    pub fn sync_losses(&mut self) -> SyncLosses {
        SyncLosses(self.0.read(SyncLosses::OFFSET))
    }
    /// Reads SYNC_ACQUISITIONS.
    pub fn sync_acquisitions(&mut self) -> SyncAcquisitions {
        SyncAcquisitions(self.0.read(SyncAcquisitions::OFFSET))
    }
    /// Reads NULL_DROPS.
    pub fn null_drops(&mut self) -> NullDrops {
        NullDrops(self.0.read(NullDrops::OFFSET))
    }
    /// Reads RESERVED_DROPS.
    pub fn reserved_drops(&mut self) -> ReservedDrops {
        ReservedDrops(self.0.read(ReservedDrops::OFFSET))
    }
    /// Reads UNCLAIMED_DROPS.
    pub fn unclaimed_drops(&mut self) -> UnclaimedDrops {
        UnclaimedDrops(self.0.read(UnclaimedDrops::OFFSET))
    }
    /// Reads LOST_WORDS.
    pub fn lost_words(&mut self) -> LostWords {
        LostWords(self.0.read(LostWords::OFFSET))
    }
    /// Reads SOURCE_CONTROL.
    pub fn source_control(&mut self, source: u32) -> SourceControl {
        SourceControl(self.0.read(SourceControl::offset(source)))
    }
    /// Writes SOURCE_CONTROL.
    pub fn set_source_control(&mut self, source: u32, value: SourceControl) {
        self.0.write(SourceControl::offset(source), value.0);
    }
    /// Reads TRCCONFIGR.
    pub fn trcconfigr(&mut self, source: u32) -> Trcconfigr {
        Trcconfigr(self.0.read(Trcconfigr::offset(source)))
    }
    /// Writes TRCCONFIGR.
    pub fn set_trcconfigr(&mut self, source: u32, value: Trcconfigr) {
        self.0.write(Trcconfigr::offset(source), value.0);
    }
    /// Reads TRCIDR0.
    pub fn trcidr0(&mut self, source: u32) -> Trcidr0 {
        Trcidr0(self.0.read(Trcidr0::offset(source)))
    }
    /// Writes TRCIDR0.
    pub fn set_trcidr0(&mut self, source: u32, value: Trcidr0) {
        self.0.write(Trcidr0::offset(source), value.0);
    }
    /// Reads TRCIDR1.
    pub fn trcidr1(&mut self, source: u32) -> Trcidr1 {
        Trcidr1(self.0.read(Trcidr1::offset(source)))
    }
    /// Writes TRCIDR1.
    pub fn set_trcidr1(&mut self, source: u32, value: Trcidr1) {
        self.0.write(Trcidr1::offset(source), value.0);
    }
    /// Reads TRCIDR2.
    pub fn trcidr2(&mut self, source: u32) -> Trcidr2 {
        Trcidr2(self.0.read(Trcidr2::offset(source)))
    }
    /// Writes TRCIDR2.
    pub fn set_trcidr2(&mut self, source: u32, value: Trcidr2) {
        self.0.write(Trcidr2::offset(source), value.0);
    }
    /// Reads TRCDEVARCH.
    pub fn trcdevarch(&mut self, source: u32) -> Trcdevarch {
        Trcdevarch(self.0.read(Trcdevarch::offset(source)))
    }
    /// Writes TRCDEVARCH.
    pub fn set_trcdevarch(&mut self, source: u32, value: Trcdevarch) {
        self.0.write(Trcdevarch::offset(source), value.0);
    }
    /// Reads TRCIDR8.
    pub fn trcidr8(&mut self, source: u32) -> Trcidr8 {
        Trcidr8(self.0.read(Trcidr8::offset(source)))
    }
    /// Writes TRCIDR8.
    pub fn set_trcidr8(&mut self, source: u32, value: Trcidr8) {
        self.0.write(Trcidr8::offset(source), value.0);
    }
    /// Reads BLOCK_SIZE.
    pub fn block_size(&mut self, source: u32) -> BlockSize {
        BlockSize(self.0.read(BlockSize::offset(source)))
    }
    /// Writes BLOCK_SIZE.
    pub fn set_block_size(&mut self, source: u32, value: BlockSize) {
        self.0.write(BlockSize::offset(source), value.0);
    }
    /// Reads TIME_OUT.
    pub fn time_out(&mut self, source: u32) -> TimeOut {
        TimeOut(self.0.read(TimeOut::offset(source)))
    }
    /// Writes TIME_OUT.
    pub fn set_time_out(&mut self, source: u32, value: TimeOut) {
        self.0.write(TimeOut::offset(source), value.0);
    }
    /// Reads BYTES.
    pub fn bytes(&mut self, source: u32) -> Bytes {
        Bytes(self.0.read(Bytes::offset(source)))
    }
    /// Reads ELEMENTS.
    pub fn elements(&mut self, source: u32) -> Elements {
        Elements(self.0.read(Elements::offset(source)))
    }
    /// Reads GAPS.
    pub fn gaps(&mut self, source: u32) -> Gaps {
        Gaps(self.0.read(Gaps::offset(source)))
    }
    /// Reads LOSSES.
    pub fn losses(&mut self, source: u32) -> Losses {
        Losses(self.0.read(Losses::offset(source)))
    }
    /// Reads BLOCKS.
    pub fn blocks(&mut self, source: u32) -> Blocks {
        Blocks(self.0.read(Blocks::offset(source)))
    }
    /// Reads WORDS.
    pub fn words(&mut self, source: u32) -> Words {
        Words(self.0.read(Words::offset(source)))
    }
    /// Reads MOST_WAITING.
    pub fn most_waiting(&mut self, source: u32) -> MostWaiting {
        MostWaiting(self.0.read(MostWaiting::offset(source)))
    }
}

/// Identifies the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub u32);

impl Id {
    /// Byte offset.
    pub const OFFSET: u32 = 0x000;
    /// The value after reset.
    pub const RESET: Self = Self(0x52435845);
    /// ASCII `RCXE`.
    pub const fn id(self) -> u32 {
        self.0
    }
}

/// Versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version(pub u32);

impl Version {
    /// Byte offset.
    pub const OFFSET: u32 = 0x004;
    /// The value after reset.
    pub const RESET: Self = Self(0x20100);
    /// Minor version of this map.
    pub const fn minor(self) -> u32 {
        self.0 & 0xff
    }
    /// Major version of this map.
    pub const fn major(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
    /// Version of the blocks.
    pub const fn block_format(self) -> u32 {
        (self.0 & 0xff0000) >> 16
    }
}

/// Capabilities of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities(pub u32);

impl Capabilities {
    /// Byte offset.
    pub const OFFSET: u32 = 0x008;
    /// The value after reset.
    pub const RESET: Self = Self(0x40400);
    /// Width of the trace port in bytes per cycle.
    pub const fn bytes_per_cycle(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
    /// Greatest value of BLOCK_SIZE.
    pub const fn greatest_size(self) -> u32 {
        (self.0 & 0x70000) >> 16
    }
}

/// Control of the whole core. Change bit 0 only while ENABLE of the source is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control(pub u32);

impl Control {
    /// Byte offset.
    pub const OFFSET: u32 = 0x00c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Error policy: 0 resync, 1 lenient.
    pub const fn lenient(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Error policy: 0 resync, 1 lenient.
    pub const fn with_lenient(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// Write 1 to sample all counters in one cycle.
    pub const fn with_snapshot(self, value: bool) -> Self {
        Self((self.0 & !0x100) | if value { 0x100 } else { 0 })
    }
    /// Write 1 to clear the counters of the port, the source and the blocks; with SNAPSHOT, after sampling.
    pub const fn with_clear(self, value: bool) -> Self {
        Self((self.0 & !0x200) | if value { 0x200 } else { 0 })
    }
    /// Write 1 to close the block behind the elements so far, if it has any.
    pub const fn with_flush(self, value: bool) -> Self {
        Self((self.0 & !0x400) | if value { 0x400 } else { 0 })
    }
}

/// Current state of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    /// Byte offset.
    pub const OFFSET: u32 = 0x010;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// The trace port is synchronised to frames.
    pub const fn in_sync(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// The source is being decoded.
    pub const fn running(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// The source is being decoded, or what came of it is not out yet: settings keep their values.
    pub const fn busy(self) -> bool {
        self.0 & 0x4 != 0
    }
}

/// What has happened. The output `irq` is 1 while a bit is 1 here and in INTERRUPT_ENABLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterruptStatus(pub u32);

impl InterruptStatus {
    /// Byte offset.
    pub const OFFSET: u32 = 0x014;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Words or frames of the trace port were lost, or elements.
    pub const fn loss(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Words or frames of the trace port were lost, or elements.
    pub const fn with_loss(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// The last beat of a block was taken.
    pub const fn block(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// The last beat of a block was taken.
    pub const fn with_block(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// The source is disabled, and its last block was taken.
    pub const fn stopped(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// The source is disabled, and its last block was taken.
    pub const fn with_stopped(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
    }
}

/// Which bits of INTERRUPT_STATUS interrupt. May be changed at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterruptEnable(pub u32);

impl InterruptEnable {
    /// Byte offset.
    pub const OFFSET: u32 = 0x018;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Interrupt while LOSS is 1.
    pub const fn loss(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Interrupt while LOSS is 1.
    pub const fn with_loss(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// Interrupt while BLOCK is 1.
    pub const fn block(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// Interrupt while BLOCK is 1.
    pub const fn with_block(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Interrupt while STOPPED is 1.
    pub const fn stopped(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// Interrupt while STOPPED is 1.
    pub const fn with_stopped(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
    }
}

/// The encoder of the core, as the first word of a block has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoder(pub u32);

impl Encoder {
    /// Byte offset.
    pub const OFFSET: u32 = 0x01c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Number of the preset.
    pub const fn preset(self) -> u32 {
        self.0 & 0xff
    }
    /// Number of the encoder.
    pub const fn kind(self) -> u32 {
        (self.0 & 0xf00) >> 8
    }
}

/// Complete frames received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames(pub u32);

impl Frames {
    /// Byte offset.
    pub const OFFSET: u32 = 0x020;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Losses of frame synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncLosses(pub u32);

impl SyncLosses {
    /// Byte offset.
    pub const OFFSET: u32 = 0x024;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Acquisitions of frame synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncAcquisitions(pub u32);

impl SyncAcquisitions {
    /// Byte offset.
    pub const OFFSET: u32 = 0x028;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Dropped bytes: null trace ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NullDrops(pub u32);

impl NullDrops {
    /// Byte offset.
    pub const OFFSET: u32 = 0x02c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Dropped bytes: reserved trace ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedDrops(pub u32);

impl ReservedDrops {
    /// Byte offset.
    pub const OFFSET: u32 = 0x030;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Dropped bytes: trace ID not enabled, or not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnclaimedDrops(pub u32);

impl UnclaimedDrops {
    /// Byte offset.
    pub const OFFSET: u32 = 0x034;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Port words dropped since reset: those behind a full FIFO, until it was half empty. Unaffected by CLEAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostWords(pub u32);

impl LostWords {
    /// Byte offset.
    pub const OFFSET: u32 = 0x038;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Source settings. Change them and the copies below only while ENABLE and BUSY are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceControl(pub u32);

impl SourceControl {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x100 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Decode the source. When it becomes 0, the last block is closed and sent.
    pub const fn enable(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Decode the source. When it becomes 0, the last block is closed and sent.
    pub const fn with_enable(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// The trace unit is an ETE, not an ETMv4.
    pub const fn ete(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// The trace unit is an ETE, not an ETMv4.
    pub const fn with_ete(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// The traced core is an Armv8-M.
    pub const fn v8m(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// The traced core is an Armv8-M.
    pub const fn with_v8m(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
    }
    /// Trace ID of the source, which blocks have.
    pub const fn trace_id(self) -> u32 {
        (self.0 & 0x7f00) >> 8
    }
    /// Trace ID of the source, which blocks have.
    pub const fn with_trace_id(self, value: u32) -> Self {
        Self((self.0 & !0x7f00) | ((value << 8) & 0x7f00))
    }
}

/// Copy of TRCCONFIGR of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcconfigr(pub u32);

impl Trcconfigr {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x104 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Copy of TRCIDR0 of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcidr0(pub u32);

impl Trcidr0 {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x108 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Copy of TRCIDR1 of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcidr1(pub u32);

impl Trcidr1 {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x10c + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Copy of TRCIDR2 of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcidr2(pub u32);

impl Trcidr2 {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x110 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Copy of TRCDEVARCH of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcdevarch(pub u32);

impl Trcdevarch {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x114 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Copy of TRCIDR8 of the source's trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trcidr8(pub u32);

impl Trcidr8 {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x118 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Value of the register in the trace unit.
    pub const fn value(self) -> u32 {
        self.0
    }
    /// Value of the register in the trace unit.
    pub const fn with_value(self, value: u32) -> Self {
        Self(value)
    }
}

/// Size of the blocks. Change it only while ENABLE is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSize(pub u32);

impl BlockSize {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x11c + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x2);
    /// 4 KiB times 2 to the power of this; a value above 4 counts as 4.
    pub const fn size(self) -> u32 {
        self.0 & 0x7
    }
    /// 4 KiB times 2 to the power of this; a value above 4 counts as 4.
    pub const fn with_size(self, value: u32) -> Self {
        Self((self.0 & !0x7) | (value & 0x7))
    }
}

/// How long a block may be open. May be changed at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOut(pub u32);

impl TimeOut {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x120 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x2dc6c0);
    /// Cycles from the first event of a block until it is closed; 0: for ever.
    pub const fn cycles(self) -> u32 {
        self.0
    }
    /// Cycles from the first event of a block until it is closed; 0: for ever.
    pub const fn with_cycles(self, value: u32) -> Self {
        Self(value)
    }
}

/// Bytes received from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u32);

impl Bytes {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x140 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Elements taken, and notes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements(pub u32);

impl Elements {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x144 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Losses behind which elements began again, at an A-Sync. Blocks count them from the begin of the source on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps(pub u32);

impl Gaps {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x148 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Losses at the trace port reported to the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses(pub u32);

impl Losses {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x14c + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Blocks sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks(pub u32);

impl Blocks {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x150 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Words of 32 bits sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words(pub u32);

impl Words {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x154 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The most events that waited at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostWaiting(pub u32);

impl MostWaiting {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x158 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Events, those in the encoder included.
    pub const fn count(self) -> u32 {
        self.0 & 0xffff
    }
}
