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
    /// Reads SOURCE_CONTROL.
    pub fn source_control(&mut self, source: u32) -> SourceControl {
        SourceControl(self.0.read(SourceControl::offset(source)))
    }
    /// Writes SOURCE_CONTROL.
    pub fn set_source_control(&mut self, source: u32, value: SourceControl) {
        self.0.write(SourceControl::offset(source), value.0);
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
    /// Reads EVENTS.
    pub fn events(&mut self, source: u32) -> Events {
        Events(self.0.read(Events::offset(source)))
    }
    /// Reads LOST_EVENTS.
    pub fn lost_events(&mut self, source: u32) -> LostEvents {
        LostEvents(self.0.read(LostEvents::offset(source)))
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
    pub const RESET: Self = Self(0x54434d50);
    /// ASCII `TCMP`.
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
    pub const RESET: Self = Self(0x41801);
    /// Number of cores whose branches are compressed.
    pub const fn sources(self) -> u32 {
        self.0 & 0xff
    }
    /// Bytes of a branch event at the input.
    pub const fn beat_bytes(self) -> u32 {
        (self.0 & 0xff00) >> 8
    }
    /// Greatest value of BLOCK_SIZE.
    pub const fn greatest_size(self) -> u32 {
        (self.0 & 0x70000) >> 16
    }
}

/// Control of the whole core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control(pub u32);

impl Control {
    /// Byte offset.
    pub const OFFSET: u32 = 0x00c;
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Write 1 to sample all counters in one cycle.
    pub const fn with_snapshot(self, value: bool) -> Self {
        Self((self.0 & !0x100) | if value { 0x100 } else { 0 })
    }
    /// Write 1 to clear all counters; with SNAPSHOT, after sampling.
    pub const fn with_clear(self, value: bool) -> Self {
        Self((self.0 & !0x200) | if value { 0x200 } else { 0 })
    }
    /// Write 1 to close the block behind the events so far, if it has any.
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
    /// Events are taken.
    pub const fn running(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// An event waits, a block has an event, or a block is on its way out.
    pub const fn busy(self) -> bool {
        self.0 & 0x2 != 0
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
    /// An event was lost.
    pub const fn loss(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// An event was lost.
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

/// Source settings. Change all but ENABLE only while ENABLE is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceControl(pub u32);

impl SourceControl {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x100 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Take events. When it becomes 0, the last block is closed and sent.
    pub const fn enable(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// Take events. When it becomes 0, the last block is closed and sent.
    pub const fn with_enable(self, value: bool) -> Self {
        Self((self.0 & !0x1) | if value { 0x1 } else { 0 })
    }
    /// The instructions are A32, not A64; blocks say so.
    pub const fn a32(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// The instructions are A32, not A64; blocks say so.
    pub const fn with_a32(self, value: bool) -> Self {
        Self((self.0 & !0x2) | if value { 0x2 } else { 0 })
    }
    /// Trace ID, which blocks have.
    pub const fn trace_id(self) -> u32 {
        (self.0 & 0x7f00) >> 8
    }
    /// Trace ID, which blocks have.
    pub const fn with_trace_id(self, value: u32) -> Self {
        Self((self.0 & !0x7f00) | ((value << 8) & 0x7f00))
    }
}

/// Size of the blocks. Change it only while ENABLE is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSize(pub u32);

impl BlockSize {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x104 + 0x80 * source
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
        0x108 + 0x80 * source
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

/// Events taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events(pub u32);

impl Events {
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

/// Events lost: those that met a full FIFO, and those behind them until it was half empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostEvents(pub u32);

impl LostEvents {
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

/// Blocks sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks(pub u32);

impl Blocks {
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

/// Words of 32 bits sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words(pub u32);

impl Words {
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

/// The most events that waited at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostWaiting(pub u32);

impl MostWaiting {
    /// Byte offset.
    pub const fn offset(source: u32) -> u32 {
        0x150 + 0x80 * source
    }
    /// The value after reset.
    pub const RESET: Self = Self(0x0);
    /// Events, those in the encoder included.
    pub const fn count(self) -> u32 {
        self.0 & 0xffff
    }
}
