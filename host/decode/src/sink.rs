// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who gets packets.

use coretrace_etm::Record;

/// Takes what a decoder finds, in order.
pub trait PacketSink {
    /// A packet, error or stretch of unread bytes.
    fn record(&mut self, record: &Record);

    /// A packet of a common kind. Its record is made for this call alone: if this is inlined, what is not
    /// read of it costs nothing.
    #[inline]
    fn plain(&mut self, record: &Record) {
        self.record(record);
    }

    /// A packet that is its header alone, and the atoms in it as bits, the oldest in bit 0; 1 is E. As
    /// [`PacketSink::plain`] otherwise, as those below.
    #[inline]
    fn alone(&mut self, record: &Record, _pattern: u32) {
        self.plain(record);
    }

    /// An Atom packet, as [`PacketSink::alone`].
    #[inline]
    fn atoms(&mut self, record: &Record, pattern: u32) {
        self.alone(record, pattern);
    }

    /// A packet with an address and without a context, a Q among them.
    #[inline]
    fn address(&mut self, record: &Record) {
        self.plain(record);
    }

    /// A packet with lead bytes or continuation fields alone: a cycle count, an exception, a commit.
    #[inline]
    fn fields(&mut self, record: &Record) {
        self.plain(record);
    }
}

/// Hands on records.
pub struct Records<F>(pub F);

impl<F: FnMut(&Record)> PacketSink for Records<F> {
    #[inline]
    fn record(&mut self, record: &Record) {
        (self.0)(record);
    }
}
