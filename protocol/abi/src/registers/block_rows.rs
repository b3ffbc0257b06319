// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of cores that send blocks of a compressed trace.

use crate::compressed::block::{SIZES, size_number};

/// The number of the usual size of a block, and of the greatest one.
pub(super) const USUAL_SIZE: u32 = size_number(SIZES[1]);
pub(super) const GREATEST_SIZE: u32 = size_number(SIZES[2]);

/// 10 ms at 300 MHz.
pub(super) const TIME_OUT: u32 = 3_000_000;

/// Hands the rows of blocks to the macro `$rows`, at these offsets, and with them the name `$make`: settings of
/// blocks, counts of events, counts of blocks.
#[macro_export]
macro_rules! block_registers {
    ($rows:ident $make:ident
        settings $size:literal $time_out:literal
        events $events:literal $lost:literal
        blocks $blocks:literal $words:literal $waiting:literal
    ) => {
        $crate::$rows! { $make
            settings {
                BLOCK_SIZE at $size, "Size of the blocks. Change it only while ENABLE is 0." {
                    setting SIZE(size)[0; 3] = USUAL_SIZE, "4 KiB times 2 to the power of this; a value above 4 counts as 4.";
                }
                TIME_OUT at $time_out, "How long a block may be open. May be changed at any time." {
                    setting CYCLES(most_cycles)[0; 32] = TIME_OUT, "Cycles from the first event of a block until it is closed; 0: for ever.";
                }
            }
            events {
                EVENTS at $events, "Events taken." {
                    snapshot COUNT(events)[0; 32] = 0, "Saturating count.";
                }
                LOST_EVENTS at $lost, "Events lost: those that met a full FIFO, and those behind them until it was half empty." {
                    snapshot COUNT(lost_events)[0; 32] = 0, "Saturating count.";
                }
            }
            blocks {
                BLOCKS at $blocks, "Blocks sent." {
                    snapshot COUNT(blocks)[0; 32] = 0, "Saturating count.";
                }
                WORDS at $words, "Words of 32 bits sent." {
                    snapshot COUNT(words)[0; 32] = 0, "Saturating count.";
                }
                MOST_WAITING at $waiting, "The most events that waited at a time." {
                    snapshot COUNT(most_waiting)[0; 16] = 0, "Events, those in the encoder included.";
                }
            }
        }
    };
}
