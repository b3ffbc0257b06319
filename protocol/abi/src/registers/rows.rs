// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a register table: what they are, those that all cores behind a trace port have, and how
//! they become constants.
//!
//! A row is `NAME at OFFSET, "text" { fields }`, a field is
//! `kind NAME(signal)[lowest bit; width] = reset value, "text";`, fields with the lowest bits first.
//!
//! | kind | software | hardware |
//! |---|---|---|
//! | `constant` | reads | none |
//! | `setting` | reads and writes | a field of the settings |
//! | `kinds` | a field for each `FilterKind`, as a `setting` | one field of the settings for all |
//! | `pulse` | writes 1 | a field of the pulses, 1 for a cycle |
//! | `event` | reads 1 once it has happened, writes 1 to clear | a field of the status and one of the pulses |
//! | `live` | reads the value of now | a field of the status |
//! | `snapshot` | reads the value as of the last snapshot | a field of the status |

use super::map::Access::ReadWrite;
use super::map::Field;

/// Hands the rows of a core behind a trace port to the macro `$make`: its own, and between them those that
/// every such core has.
#[macro_export]
macro_rules! trace_port_registers {
    ($make:ident
        global { $($first:tt)* } then { $($last:tt)* }
        source { $($control:tt)* } then { $($settings:tt)* } then { $($counts:tt)* } then { $($errors:tt)* }
    ) => {
        $make! {
            global {
                $($first)*
                FRAMES at 0x20, "Complete frames received." {
                    snapshot COUNT(frames)[0; 32] = 0, "Saturating count.";
                }
                SYNC_LOSSES at 0x24, "Losses of frame synchronisation." {
                    snapshot COUNT(sync_losses)[0; 32] = 0, "Saturating count.";
                }
                SYNC_ACQUISITIONS at 0x28, "Acquisitions of frame synchronisation." {
                    snapshot COUNT(sync_acquisitions)[0; 32] = 0, "Saturating count.";
                }
                NULL_DROPS at 0x2C, "Dropped bytes: null trace ID." {
                    snapshot COUNT(null_drops)[0; 32] = 0, "Saturating count.";
                }
                RESERVED_DROPS at 0x30, "Dropped bytes: reserved trace ID." {
                    snapshot COUNT(reserved_drops)[0; 32] = 0, "Saturating count.";
                }
                UNCLAIMED_DROPS at 0x34, "Dropped bytes: trace ID not enabled, or not known yet." {
                    snapshot COUNT(unclaimed_drops)[0; 32] = 0, "Saturating count.";
                }
                LOST_WORDS at 0x38, "Port words dropped since reset: those behind a full FIFO, until it was half empty. Unaffected by CLEAR." {
                    snapshot COUNT(lost_words)[0; 32] = 0, "Saturating count.";
                }
                $($last)*
            }
            source {
                $($control)*
                TRCCONFIGR at 0x04, "Copy of TRCCONFIGR of the source's trace unit." {
                    setting VALUE(trcconfigr)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR0 at 0x08, "Copy of TRCIDR0 of the source's trace unit." {
                    setting VALUE(trcidr0)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR1 at 0x0C, "Copy of TRCIDR1 of the source's trace unit." {
                    setting VALUE(trcidr1)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR2 at 0x10, "Copy of TRCIDR2 of the source's trace unit." {
                    setting VALUE(trcidr2)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCDEVARCH at 0x14, "Copy of TRCDEVARCH of the source's trace unit." {
                    setting VALUE(trcdevarch)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR8 at 0x18, "Copy of TRCIDR8 of the source's trace unit." {
                    setting VALUE(trcidr8)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                $($settings)*
                BYTES at 0x40, "Bytes received from the source." {
                    snapshot COUNT(bytes)[0; 32] = 0, "Saturating count.";
                }
                $($counts)*
                LOSSES at 0x4C, "Losses at the trace port reported to the source." {
                    snapshot COUNT(losses)[0; 32] = 0, "Saturating count.";
                }
                $($errors)*
            }
        }
    };
}

/// A field to be filled in.
pub(super) const FIELD: Field = Field {
    name: "",
    low: 0,
    width: 1,
    access: ReadWrite,
    reset: 0,
    text: "",
};

/// The fields that a line of a row makes.
macro_rules! fields {
    (kinds, $field:ident, $low:literal, $width:literal, $reset:expr, $text:literal) => {{
        assert!($width == $field.len());
        &$field
    }};
    ($kind:ident, $field:ident, $low:literal, $width:literal, $reset:expr, $text:literal) => {
        &[$crate::registers::Field {
            name: stringify!($field),
            low: $low,
            width: $width,
            access: fields!($kind),
            reset: $reset,
            text: $text,
        }]
    };
    (constant) => {
        $crate::registers::Access::Constant
    };
    (setting) => {
        $crate::registers::Access::ReadWrite
    };
    (pulse) => {
        $crate::registers::Access::Pulse
    };
    (event) => {
        $crate::registers::Access::Event
    };
    (live) => {
        $crate::registers::Access::Live
    };
    (snapshot) => {
        $crate::registers::Access::Snapshot
    };
}

/// Rows as constants.
macro_rules! table {
    (global { $($global:tt)* } source { $($source:tt)* }) => {
        /// The registers of the whole core.
        pub const GLOBAL: &[$crate::registers::Register] = table!($($global)*);

        /// The registers of each source.
        pub const SOURCE: &[$crate::registers::Register] = table!($($source)*);
    };
    ($($name:ident at $offset:literal, $text:literal {
        $($kind:ident $field:ident $(($signal:ident))? [$low:literal; $width:literal]
            = $reset:expr, $what:literal;)*
    })*) => {
        &[$($crate::registers::Register {
            name: stringify!($name),
            offset: $offset,
            fields: {
                const LINES: &[&[$crate::registers::Field]] = &[
                    $(fields!($kind, $field, $low, $width, $reset, $what)),*
                ];
                const FIELDS: [$crate::registers::Field; $crate::registers::rows::count(LINES)] =
                    $crate::registers::rows::joined(LINES);
                &FIELDS
            },
            text: $text,
        }),*]
    };
}

pub(super) use {fields, table};

/// Fields in all lines of a register.
pub(super) const fn count(lines: &[&[Field]]) -> usize {
    let (mut line, mut count) = (0, 0);
    while line < lines.len() {
        count += lines[line].len();
        line += 1;
    }
    count
}

/// The fields of all lines of a register.
pub(super) const fn joined<const N: usize>(lines: &[&[Field]]) -> [Field; N] {
    let mut fields = [FIELD; N];
    let (mut line, mut place) = (0, 0);
    while line < lines.len() {
        let mut at = 0;
        while at < lines[line].len() {
            fields[place] = lines[line][at];
            place += 1;
            at += 1;
        }
        line += 1;
    }
    fields
}
