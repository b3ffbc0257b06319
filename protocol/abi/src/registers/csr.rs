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
    /// Reads RECORD_GAPS.
    pub fn record_gaps(&mut self) -> RecordGaps {
        RecordGaps(self.0.read(RecordGaps::OFFSET))
    }
    /// Reads PROFILE_GAPS.
    pub fn profile_gaps(&mut self) -> ProfileGaps {
        ProfileGaps(self.0.read(ProfileGaps::OFFSET))
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
    /// Reads FILTER.
    pub fn filter(&mut self, source: u32) -> Filter {
        Filter(self.0.read(Filter::offset(source)))
    }
    /// Writes FILTER.
    pub fn set_filter(&mut self, source: u32, value: Filter) {
        self.0.write(Filter::offset(source), value.0);
    }
    /// Reads RANGE_FIRST_LOW.
    pub fn range_first_low(&mut self, source: u32) -> RangeFirstLow {
        RangeFirstLow(self.0.read(RangeFirstLow::offset(source)))
    }
    /// Writes RANGE_FIRST_LOW.
    pub fn set_range_first_low(&mut self, source: u32, value: RangeFirstLow) {
        self.0.write(RangeFirstLow::offset(source), value.0);
    }
    /// Reads RANGE_FIRST_HIGH.
    pub fn range_first_high(&mut self, source: u32) -> RangeFirstHigh {
        RangeFirstHigh(self.0.read(RangeFirstHigh::offset(source)))
    }
    /// Writes RANGE_FIRST_HIGH.
    pub fn set_range_first_high(&mut self, source: u32, value: RangeFirstHigh) {
        self.0.write(RangeFirstHigh::offset(source), value.0);
    }
    /// Reads RANGE_LAST_LOW.
    pub fn range_last_low(&mut self, source: u32) -> RangeLastLow {
        RangeLastLow(self.0.read(RangeLastLow::offset(source)))
    }
    /// Writes RANGE_LAST_LOW.
    pub fn set_range_last_low(&mut self, source: u32, value: RangeLastLow) {
        self.0.write(RangeLastLow::offset(source), value.0);
    }
    /// Reads RANGE_LAST_HIGH.
    pub fn range_last_high(&mut self, source: u32) -> RangeLastHigh {
        RangeLastHigh(self.0.read(RangeLastHigh::offset(source)))
    }
    /// Writes RANGE_LAST_HIGH.
    pub fn set_range_last_high(&mut self, source: u32, value: RangeLastHigh) {
        self.0.write(RangeLastHigh::offset(source), value.0);
    }
    /// Reads BYTES.
    pub fn bytes(&mut self, source: u32) -> Bytes {
        Bytes(self.0.read(Bytes::offset(source)))
    }
    /// Reads PACKETS.
    pub fn packets(&mut self, source: u32) -> Packets {
        Packets(self.0.read(Packets::offset(source)))
    }
    /// Reads ASYNCS.
    pub fn asyncs(&mut self, source: u32) -> Asyncs {
        Asyncs(self.0.read(Asyncs::offset(source)))
    }
    /// Reads LOSSES.
    pub fn losses(&mut self, source: u32) -> Losses {
        Losses(self.0.read(Losses::offset(source)))
    }
    /// Reads RESERVED_HEADERS.
    pub fn reserved_headers(&mut self, source: u32) -> ReservedHeaders {
        ReservedHeaders(self.0.read(ReservedHeaders::offset(source)))
    }
    /// Reads BAD_SEQUENCES.
    pub fn bad_sequences(&mut self, source: u32) -> BadSequences {
        BadSequences(self.0.read(BadSequences::offset(source)))
    }
}

/// Identifies the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub u32);

impl Id {
    /// Byte offset.
    pub const OFFSET: u32 = 0x000;
    /// The value after reset.
    pub const RESET: Self = Self(0x45544d34);
    /// ASCII `ETM4`.
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
    pub const RESET: Self = Self(0x20202);
    /// Minor version of this map.
    pub const fn minor(self) -> u32 {
        self.0 & 0xff
    }
    /// Major version of this map.
    pub const fn major(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
    /// Version of the record stream.
    pub const fn record_format(self) -> u32 {
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
    pub const RESET: Self = Self(0x401);
    /// Number of trace sources decoded at a time.
    pub const fn sources(self) -> u32 {
        self.0 & 0xff
    }
    /// Width of the trace port in bytes per cycle.
    pub const fn bytes_per_cycle(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
}

/// Control of the whole core. Change bits 2:0 only while ENABLE of the source is 0.
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
    /// Send the record stream.
    pub const fn records(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// Send the record stream.
    pub const fn with_records(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Send the profile stream.
    pub const fn profile(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// Send the profile stream.
    pub const fn with_profile(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
    }
    /// Write 1 to sample all counters in one cycle.
    pub const fn with_snapshot(self, value: bool) -> Self {
        Self((self.0 & !0x100) | if value { 0x100 } else { 0 })
    }
    /// Write 1 to clear all counters; with SNAPSHOT, after sampling.
    pub const fn with_clear(self, value: bool) -> Self {
        Self((self.0 & !0x200) | if value { 0x200 } else { 0 })
    }
    /// Write 1 to send all profile sums, followed by a mark; requests during a flush share its mark.
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
    /// The source is being decoded: its START has been made.
    pub const fn running(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// For 1023 cycles no byte of the source was decoded and nothing of the record stream waited: all that came so far has been sent.
    pub const fn quiet(self) -> bool {
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
    /// Words or frames of the trace port were lost, or a stream left out a stretch.
    pub const fn loss(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Words or frames of the trace port were lost, or a stream left out a stretch.
    pub const fn with_loss(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// The mark of a flush has been sent.
    pub const fn flush_done(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// The mark of a flush has been sent.
    pub const fn with_flush_done(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// The source sent bytes that are not a packet.
    pub const fn error(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// The source sent bytes that are not a packet.
    pub const fn with_error(self, value: bool) -> Self {
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
    /// Interrupt while FLUSH_DONE is 1.
    pub const fn flush_done(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// Interrupt while FLUSH_DONE is 1.
    pub const fn with_flush_done(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Interrupt while ERROR is 1.
    pub const fn error(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// Interrupt while ERROR is 1.
    pub const fn with_error(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
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

/// Stretches that the record stream left out because nobody read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordGaps(pub u32);

impl RecordGaps {
    /// Byte offset.
    pub const OFFSET: u32 = 0x03c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Stretches that the profile stream left out because nobody read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileGaps(pub u32);

impl ProfileGaps {
    /// Byte offset.
    pub const OFFSET: u32 = 0x040;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Saturating count.
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// Source settings. Change them and the copies below only while ENABLE is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceControl(pub u32);

impl SourceControl {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x100 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Decode the source.
    pub const fn enable(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Decode the source.
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
    /// Write every address of the record stream in full.
    pub const fn full_addresses(self) -> bool {
        self.0 & 0x8 != 0
    }
    /// Write every address of the record stream in full.
    pub const fn with_full_addresses(self, value: bool) -> Self {
        Self((self.0 & !0x8) | if value { 0x8 } else { 0 })
    }
    /// Trace ID of the source.
    pub const fn trace_id(self) -> u32 {
        (self.0 & 0x7f00) >> 8
    }
    /// Trace ID of the source.
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

/// Kinds of records to omit. While any bit is 1, every address is written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter(pub u32);

impl Filter {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x11c + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Omit atoms.
    pub const fn atoms(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Omit atoms.
    pub const fn with_atoms(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// Omit addresses; with context, only if CONTEXT is set too.
    pub const fn addresses(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// Omit addresses; with context, only if CONTEXT is set too.
    pub const fn with_addresses(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Omit contexts; with an address, only if ADDRESSES is set too.
    pub const fn context(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// Omit contexts; with an address, only if ADDRESSES is set too.
    pub const fn with_context(self, value: bool) -> Self {
        Self((self.0 & !0x4) | if value { 0x4 } else { 0 })
    }
    /// Omit exceptions, exception returns and function returns.
    pub const fn exceptions(self) -> bool {
        self.0 & 0x8 != 0
    }
    /// Omit exceptions, exception returns and function returns.
    pub const fn with_exceptions(self, value: bool) -> Self {
        Self((self.0 & !0x8) | if value { 0x8 } else { 0 })
    }
    /// Omit timestamps and their markers.
    pub const fn timestamps(self) -> bool {
        self.0 & 0x10 != 0
    }
    /// Omit timestamps and their markers.
    pub const fn with_timestamps(self, value: bool) -> Self {
        Self((self.0 & !0x10) | if value { 0x10 } else { 0 })
    }
    /// Omit cycle counts.
    pub const fn cycles(self) -> bool {
        self.0 & 0x20 != 0
    }
    /// Omit cycle counts.
    pub const fn with_cycles(self, value: bool) -> Self {
        Self((self.0 & !0x20) | if value { 0x20 } else { 0 })
    }
    /// Omit events.
    pub const fn events(self) -> bool {
        self.0 & 0x40 != 0
    }
    /// Omit events.
    pub const fn with_events(self, value: bool) -> Self {
        Self((self.0 & !0x40) | if value { 0x40 } else { 0 })
    }
    /// Omit commits, cancels and mispredictions.
    pub const fn speculation(self) -> bool {
        self.0 & 0x80 != 0
    }
    /// Omit commits, cancels and mispredictions.
    pub const fn with_speculation(self, value: bool) -> Self {
        Self((self.0 & !0x80) | if value { 0x80 } else { 0 })
    }
    /// Omit conditional instructions, results and flushes.
    pub const fn conditionals(self) -> bool {
        self.0 & 0x100 != 0
    }
    /// Omit conditional instructions, results and flushes.
    pub const fn with_conditionals(self, value: bool) -> Self {
        Self((self.0 & !0x100) | if value { 0x100 } else { 0 })
    }
    /// Omit data synchronization markers.
    pub const fn data_syncs(self) -> bool {
        self.0 & 0x200 != 0
    }
    /// Omit data synchronization markers.
    pub const fn with_data_syncs(self, value: bool) -> Self {
        Self((self.0 & !0x200) | if value { 0x200 } else { 0 })
    }
    /// Omit Q elements.
    pub const fn q(self) -> bool {
        self.0 & 0x400 != 0
    }
    /// Omit Q elements.
    pub const fn with_q(self, value: bool) -> Self {
        Self((self.0 & !0x400) | if value { 0x400 } else { 0 })
    }
    /// Omit instrumentation.
    pub const fn instrumentation(self) -> bool {
        self.0 & 0x800 != 0
    }
    /// Omit instrumentation.
    pub const fn with_instrumentation(self, value: bool) -> Self {
        Self((self.0 & !0x800) | if value { 0x800 } else { 0 })
    }
    /// Omit starts and commits of transactions.
    pub const fn transactions(self) -> bool {
        self.0 & 0x1000 != 0
    }
    /// Omit starts and commits of transactions.
    pub const fn with_transactions(self, value: bool) -> Self {
        Self((self.0 & !0x1000) | if value { 0x1000 } else { 0 })
    }
    /// Omit ignore packets.
    pub const fn ignore(self) -> bool {
        self.0 & 0x2000 != 0
    }
    /// Omit ignore packets.
    pub const fn with_ignore(self, value: bool) -> Self {
        Self((self.0 & !0x2000) | if value { 0x2000 } else { 0 })
    }
    /// Omit records whose newest address is outside RANGE_FIRST to RANGE_LAST.
    pub const fn range(self) -> bool {
        self.0 & 0x80000000 != 0
    }
    /// Omit records whose newest address is outside RANGE_FIRST to RANGE_LAST.
    pub const fn with_range(self, value: bool) -> Self {
        Self((self.0 & !0x80000000) | if value { 0x80000000 } else { 0 })
    }
}

/// First address of the range, low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeFirstLow(pub u32);

impl RangeFirstLow {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x120 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Address bits.
    pub const fn address(self) -> u32 {
        self.0
    }
    /// Address bits.
    pub const fn with_address(self, value: u32) -> Self {
        Self(value)
    }
}

/// First address of the range, high half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeFirstHigh(pub u32);

impl RangeFirstHigh {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x124 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Address bits.
    pub const fn address(self) -> u32 {
        self.0
    }
    /// Address bits.
    pub const fn with_address(self, value: u32) -> Self {
        Self(value)
    }
}

/// Last address of the range, low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeLastLow(pub u32);

impl RangeLastLow {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x128 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Address bits.
    pub const fn address(self) -> u32 {
        self.0
    }
    /// Address bits.
    pub const fn with_address(self, value: u32) -> Self {
        Self(value)
    }
}

/// Last address of the range, high half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeLastHigh(pub u32);

impl RangeLastHigh {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x12c + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Address bits.
    pub const fn address(self) -> u32 {
        self.0
    }
    /// Address bits.
    pub const fn with_address(self, value: u32) -> Self {
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

/// Packets and errors decoded, without those that RECORD_GAPS counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets(pub u32);

impl Packets {
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

/// A-Sync packets decoded, without those that RECORD_GAPS counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asyncs(pub u32);

impl Asyncs {
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

/// Errors: headers that are reserved, or not supported by the trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedHeaders(pub u32);

impl ReservedHeaders {
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

/// Errors: header 0x00 without a valid packet after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSequences(pub u32);

impl BadSequences {
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
