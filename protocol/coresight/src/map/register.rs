// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a register of a component is, and the macro of the tables.

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Measured by this project, on an emulator or with a real kernel.
    M,
    /// Read on silicon, and published by others.
    F,
    /// Published text or source code.
    S,
    /// One thesis alone.
    T,
    /// Inferred: only used behind a check at run time.
    I,
}

/// What software may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only read.
    ReadOnly,
    /// Read and written.
    ReadWrite,
    /// Only written.
    WriteOnly,
    /// Read, which changes something.
    ReadEffect,
}

/// When software may use a register, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Says what the component is.
    Identity,
    /// Says who may use the component: locks, claims, power.
    Access,
    /// Starts, stops, routes or flushes.
    Control,
    /// Written only while the component is disabled, idle or stopped.
    Configuration,
    /// The state now.
    Status,
}

/// Some bits of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in the Arm document.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Bits.
    pub bits: u32,
    /// What it means.
    pub text: &'static str,
}

impl Field {
    /// Its bits in the register.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.low
    }

    /// The value of the field in a value of the register.
    pub const fn of(&self, register: u32) -> u32 {
        (register & self.mask()) >> self.low
    }

    /// A value of the register with this value in the field and 0 elsewhere.
    pub const fn with(&self, value: u32) -> u32 {
        (value << self.low) & self.mask()
    }
}

/// A register of 32 bits, or a row of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name in the Arm document.
    pub name: &'static str,
    /// Bytes from the base of the component.
    pub offset: u32,
    /// How many there are, one word after the other.
    pub count: u32,
    /// What software may do.
    pub access: Access,
    /// When and for what.
    pub class: Class,
    /// Value after reset, if the document gives one.
    pub reset: Option<u32>,
    /// How sure all this is.
    pub mark: Mark,
    /// Fields, if software reads or writes parts of it.
    pub fields: &'static [Field],
    /// What it is for.
    pub text: &'static str,
}

impl Register {
    /// The byte offset of one of a row.
    pub const fn at(&self, index: u32) -> u32 {
        self.offset + 4 * index
    }

    /// Whether a byte offset is that of the register or of one of its row.
    pub const fn covers(&self, offset: u32) -> bool {
        self.offset <= offset && offset < self.at(self.count) && offset.is_multiple_of(4)
    }
}

/// Makes a constant of each register, a module with the constants of its fields, and the table of all.
///
/// A row is: name, module, offset, words, access, class, reset value or `_`, mark, text, fields.
macro_rules! registers {
    (@reset _) => { None };
    (@reset $value:literal) => { Some($value) };
    ($($name:ident $module:ident $offset:literal $count:literal $access:ident $class:ident
        $reset:tt $mark:ident $text:literal {
            $($field:ident $low:literal $bits:literal $meaning:literal,)*
        })+) => {
        $(
            #[doc = $text]
            pub const $name: $crate::map::Register = $crate::map::Register {
                name: stringify!($name),
                offset: $offset,
                count: $count,
                access: $crate::map::Access::$access,
                class: $crate::map::Class::$class,
                reset: registers!(@reset $reset),
                mark: $crate::map::Mark::$mark,
                fields: &[$($module::$field),*],
                text: $text,
            };

            #[doc = concat!("Fields of ", stringify!($name), ".")]
            pub mod $module {
                $(
                    #[doc = $meaning]
                    pub const $field: $crate::map::Field = $crate::map::Field {
                        name: stringify!($field),
                        low: $low,
                        bits: $bits,
                        text: $meaning,
                    };
                )*
            }
        )+

        /// All of them, by offset.
        pub const REGISTERS: &[$crate::map::Register] = &[$($name),+];
    };
}
pub(crate) use registers;
