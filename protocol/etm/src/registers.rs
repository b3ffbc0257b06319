// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace unit registers that change how bytes are read.
//!
//! Source: Arm IHI 0064 (ETMv4) and the ETE part of Arm DDI 0487.

/// Makes [`Registers`] of a table of fields and names.
macro_rules! registers {
    ($($(#[$text:meta])+ $field:ident $name:ident,)+) => {
        /// The registers as read from the trace unit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub struct Registers {
            $($(#[$text])+ pub $field: u32,)+
        }

        impl Registers {
            /// The names, in the order of [`Registers::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The register with each name; `value` gives it.
            pub fn from_fn(mut value: impl FnMut(&'static str) -> u32) -> Registers {
                Registers { $($field: value(stringify!($name)),)+ }
            }

            /// The first registers in the order of [`Registers::NAMES`]; the others are 0.
            ///
            /// # Panics
            /// If there are more values than registers.
            pub const fn from_values(values: &[u32]) -> Registers {
                let mut registers = Registers::ZERO;
                let mut place = 0;
                $(
                    if place < values.len() {
                        registers.$field = values[place];
                        place += 1;
                    }
                )+
                assert!(place == values.len(), "more values than registers");
                registers
            }

            /// All registers 0.
            pub const ZERO: Registers = Registers { $($field: 0,)+ };

            /// The values, in the order of [`Registers::NAMES`].
            pub const fn values(&self) -> [u32; Registers::NAMES.len()] {
                [$(self.$field),+]
            }
        }
    };
}

// The order is that of the words in the START of a record stream: a new one goes last.
registers! {
    /// TRCCONFIGR, trace configuration.
    trcconfigr TRCCONFIGR,
    /// TRCIDR0, capabilities.
    trcidr0 TRCIDR0,
    /// TRCIDR1, architecture version of an ETMv4.
    trcidr1 TRCIDR1,
    /// TRCIDR2, field sizes.
    trcidr2 TRCIDR2,
    /// TRCIDR8, MAXSPEC.
    trcidr8 TRCIDR8,
    /// TRCDEVARCH, architecture version of an ETE.
    trcdevarch TRCDEVARCH,
}

impl Registers {
    /// Names and values.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u32)> {
        Registers::NAMES.iter().copied().zip(self.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_the_same_by_name_and_in_order() {
        let registers = Registers::from_values(&[1, 2, 3]);
        assert_eq!((registers.trcconfigr, registers.trcidr0), (1, 2));
        assert!(registers.values()[3..].iter().all(|&value| value == 0));
        let value = |name| registers.named().find(|known| known.0 == name).unwrap().1;
        assert_eq!(Registers::from_fn(value), registers);
        assert_eq!(Registers::from_values(&registers.values()), registers);
    }
}
