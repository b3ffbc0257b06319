// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields of the registers, in words.
//!
//! Source: Arm IHI 0064, section 7.3; for an ETE Arm DDI 0487.

/// A field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterField {
    /// Name of the register.
    pub register: &'static str,
    /// Name of the field.
    pub name: &'static str,
    /// Its lowest bit.
    pub low: u8,
    /// Its bits.
    pub bits: u8,
    /// What it means if it is not 0.
    pub text: &'static str,
}

impl RegisterField {
    /// The value of the field in a register's value.
    pub const fn of(&self, value: u32) -> u32 {
        value >> self.low & ((1u64 << self.bits) - 1) as u32
    }
}

macro_rules! fields {
    ($($register:ident { $($name:ident $low:literal $bits:literal $text:literal,)+ })+) => {
        /// The fields that say what is traced and what a trace unit can do.
        pub const REGISTER_FIELDS: &[RegisterField] = &[$($(RegisterField {
            register: stringify!($register),
            name: stringify!($name),
            low: $low,
            bits: $bits,
            text: $text,
        },)+)+];
    };
}

fields! {
    TRCCONFIGR {
        INSTP0 1 2 "loads or stores are traced as P0 elements",
        BB 3 1 "branch broadcast",
        CCI 4 1 "cycle counts",
        CID 6 1 "context IDs",
        VMID 7 1 "virtual context IDs",
        COND 8 3 "conditional instructions",
        TS 11 1 "timestamps",
        RS 12 1 "return stack",
        QE 13 2 "Q elements",
        VMIDOPT 15 1 "virtual context IDs from CONTEXTIDR_EL2",
        DA 16 1 "data addresses",
        DV 17 1 "data values",
    }
    TRCIDR0 {
        TRCBB 5 1 "can broadcast branches",
        TRCCOND 6 1 "can trace conditional instructions",
        TRCCCI 7 1 "can count cycles",
        RETSTACK 9 1 "has a return stack",
        QSUPP 15 2 "can send Q elements",
        TSSIZE 24 5 "timestamp size, 6 is 48 bits and 8 is 64 bits",
        COMMOPT 29 1 "cycle counts carry no commit",
    }
    TRCIDR1 {
        TRCARCHMAJ 8 4 "major version",
        TRCARCHMIN 4 4 "minor version",
    }
    TRCIDR2 {
        IASIZE 0 5 "address bytes",
        CIDSIZE 5 5 "context ID bytes",
        VMIDSIZE 10 5 "virtual context ID bytes",
        CCSIZE 25 4 "cycle count bits above 12",
    }
    TRCIDR8 {
        MAXSPEC 0 32 "speculative P0 elements at most",
    }
    TRCDEVARCH {
        ARCHVER 12 4 "major version, 5 is an ETE",
        REVISION 16 4 "minor version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registers;

    #[test]
    fn every_register_has_fields_and_they_do_not_overlap() {
        for name in Registers::NAMES {
            let fields = REGISTER_FIELDS.iter().filter(|f| f.register == *name);
            let mut taken = 0u32;
            for field in fields {
                let mask = ((1u64 << field.bits) - 1) << field.low;
                assert!(mask <= u64::from(u32::MAX), "{field:?}");
                assert_eq!(taken & mask as u32, 0, "{field:?}");
                taken |= mask as u32;
            }
            assert_ne!(taken, 0, "{name}");
        }
    }

    #[test]
    fn a_field_is_cut_out_of_its_register() {
        let field = REGISTER_FIELDS
            .iter()
            .find(|f| f.name == "VMIDSIZE")
            .unwrap();
        assert_eq!(field.of(0x9488), 5);
    }
}
