// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the packets of a stream are among its bytes.

use coretrace_abi::record_stream::{MAGIC, MAX_PACKET_WORDS, TAIL_WORDS, head, tail};

/// Within so many bytes of a stream, from wherever it is cut, a packet begins.
pub const BEGINNING_BYTES: usize = 2 * WORD_BYTES * MAX_PACKET_WORDS;

/// Whether a packet seems to begin in these bytes: its magic word is there.
pub fn begins_packet(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, &MAGIC.to_le_bytes()).is_some()
}

/// What is next in the bytes of a stream.
pub(crate) enum Part<'a> {
    /// So many bytes that are no part of a packet.
    Skipped(u64),
    /// The words of a packet without its tail, the CRC being right.
    Packet(&'a [u32]),
}

/// Finds packets in bytes that come in pieces. A packet may begin at any byte, and words of 0
/// outside of packets are padding.
///
/// Memory: a packet and what has come after its beginning, at most [`PIECE`] bytes more.
#[derive(Clone, Debug)]
pub(crate) struct Packets {
    /// The first word of a packet.
    magic: [u8; WORD_BYTES],
    /// Words of a head.
    head_words: usize,
    /// The bytes that may begin a packet.
    waiting: Vec<u8>,
    /// Words of them that are no tail.
    scanned: usize,
    /// Bytes that are no part of a packet, and the zeros behind them.
    skipped: u64,
    zeros: u64,
    words: Vec<u32>,
}

/// What is known of bytes that begin with the magic word.
enum Verdict {
    /// A packet with so many words before its tail.
    Whole(usize),
    /// No packet.
    Not,
    /// The end is not there yet.
    Unknown,
}

const WORD_BYTES: usize = 4;

/// Bytes that are added at a time to those that wait.
const PIECE: usize = 2 * WORD_BYTES * MAX_PACKET_WORDS;

/// The packets of a record stream.
impl Default for Packets {
    fn default() -> Packets {
        Packets::new(MAGIC, head::WORDS)
    }
}

impl Packets {
    /// Finds packets that begin with a magic word and have heads of so many words.
    pub fn new(magic: u32, head_words: usize) -> Packets {
        Packets {
            magic: magic.to_le_bytes(),
            head_words,
            waiting: Vec::new(),
            scanned: 0,
            skipped: 0,
            zeros: 0,
            words: Vec::new(),
        }
    }

    /// Takes bytes; `sink` gets what is complete with them, in order.
    pub fn bytes(&mut self, mut bytes: &[u8], sink: &mut impl FnMut(Part<'_>)) {
        while !bytes.is_empty() {
            if self.waiting.is_empty() {
                let read = self.read(bytes, false, sink);
                self.waiting.extend(&bytes[read..]);
                return;
            }
            let mut waiting = std::mem::take(&mut self.waiting);
            let before = waiting.len();
            waiting.extend(&bytes[..bytes.len().min(PIECE)]);
            let read = self.read(&waiting, false, sink);
            let added = waiting.len() - before;
            bytes = if read < before {
                waiting.drain(..read);
                &bytes[added..]
            } else {
                waiting.clear();
                &bytes[read - before..]
            };
            self.waiting = waiting;
        }
    }

    /// The stream ends here.
    pub fn finish(&mut self, sink: &mut impl FnMut(Part<'_>)) {
        let waiting = std::mem::take(&mut self.waiting);
        self.read(&waiting, true, sink);
        self.report_skipped(sink);
    }

    /// Reads what is complete; returns the number of bytes that need not be seen again.
    fn read(&mut self, bytes: &[u8], is_all: bool, sink: &mut impl FnMut(Part<'_>)) -> usize {
        let magic = self.magic;
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            if !rest.starts_with(&magic) {
                let found = memchr::memmem::find(rest, &magic);
                let some = if is_all {
                    0
                } else {
                    rest.len().min(WORD_BYTES - 1)
                };
                let skipped = found.unwrap_or(rest.len() - some);
                self.skip(&rest[..skipped]);
                at += skipped;
                if found.is_none() {
                    return at;
                }
                continue;
            }
            match self.judge(rest) {
                Verdict::Whole(words) => {
                    self.report_skipped(sink);
                    let words_of = rest[..words * WORD_BYTES].chunks_exact(WORD_BYTES);
                    self.words.clear();
                    let word =
                        |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                    self.words.extend(words_of.map(word));
                    sink(Part::Packet(&self.words));
                    at += (words + TAIL_WORDS) * WORD_BYTES;
                }
                Verdict::Unknown if !is_all => return at,
                Verdict::Unknown | Verdict::Not => {
                    self.skip(&rest[..1]);
                    at += 1;
                }
            }
            self.scanned = 0;
        }
    }

    /// Whether bytes that begin with the magic word are a packet.
    fn judge(&mut self, bytes: &[u8]) -> Verdict {
        const LAST: usize = MAX_PACKET_WORDS - TAIL_WORDS;
        let all = bytes.as_chunks::<WORD_BYTES>().0;
        let first = self.scanned.max(self.head_words).min(all.len());
        let end = all.len().min(LAST + 1);
        let mark = (tail(0) as u16).to_le_bytes();
        for at in memchr::memmem::find_iter(all[first..end.max(first)].as_flattened(), &mark) {
            let words = first + at / WORD_BYTES;
            let Some(crc) = all.get(words + 1) else {
                break;
            };
            if all[words] == tail(words).to_le_bytes()
                && crc32fast::hash(all[..words].as_flattened()).to_le_bytes() == *crc
            {
                return Verdict::Whole(words);
            }
        }
        if all.len() > LAST + 1 {
            return Verdict::Not;
        }
        self.scanned = first.max(all.len().saturating_sub(1));
        Verdict::Unknown
    }

    fn skip(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte != 0 {
                self.skipped += self.zeros + 1;
                self.zeros = 0;
            } else if self.skipped > 0 {
                self.zeros += 1;
            }
        }
    }

    fn report_skipped(&mut self, sink: &mut impl FnMut(Part<'_>)) {
        if self.skipped > 0 {
            sink(Part::Skipped(self.skipped));
        }
        (self.skipped, self.zeros) = (0, 0);
    }
}
