// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named fields of a bus.

/// Declares a struct of kernel words and its place on a bus, first field in the lowest bits:
/// `WIDTH`, `FIELDS` (name, lowest bit, width), `unpack` and `pack`, `wide` and `of_wide`.
#[macro_export]
macro_rules! layout {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field:ident : $width:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name<T> {
            $($(#[$field_meta])* pub $field: T,)*
        }

        impl $name<()> {
            /// Bits of the bus.
            pub const WIDTH: usize = 0 $(+ $width)*;
            /// Name, lowest bit and width of every field.
            #[allow(dead_code)]
            pub const FIELDS: &'static [(&'static str, u32, u32)] = &{
                let mut fields = [$((stringify!($field), 0u32, $width as u32)),*];
                let mut index = 1;
                while index < fields.len() {
                    fields[index].1 = fields[index - 1].1 + fields[index - 1].2;
                    index += 1;
                }
                fields
            };
        }

        impl<V: Into<u64>> $name<V> {
            /// The bus as a number.
            #[allow(dead_code)]
            pub fn number(self) -> u64 {
                let mut number = 0;
                let mut low = 0u32;
                $(
                    number |= self.$field.into() << low;
                    low += $width as u32;
                )*
                let _ = low;
                number
            }
        }

        impl<V: Into<u64>> $name<V> {
            /// The bus as the value of a signal.
            #[allow(dead_code)]
            pub fn wide(self) -> $crate::Wide {
                let mut wide = $crate::Wide::default();
                let mut low = 0u32;
                $(
                    wide.or_field(low, $width as u32, self.$field.into());
                    low += $width as u32;
                )*
                let _ = low;
                wide
            }
        }

        impl $name<u64> {
            /// The fields of the value of a signal, each of at most 64 bits.
            #[allow(dead_code)]
            pub fn of_wide(wide: &$crate::Wide) -> Self {
                let mut low = 0u32;
                $(
                    let $field = wide.field(low, $width as u32);
                    low += $width as u32;
                )*
                let _ = low;
                $name { $($field,)* }
            }
        }

        impl $name<()> {
            /// A table of such buses, by their index.
            #[allow(dead_code)]
            pub fn table<V: Into<u64>>(entry: impl Fn(usize) -> $name<V>) -> $crate::Table {
                $crate::Table::new(Self::WIDTH as u32, |index| entry(index).number())
            }
        }

        impl<T: $crate::Word> $crate::naming::Words<T> for $name<T> {
            fn words(&self, name: &str, give: &mut dyn FnMut(T, &str)) {
                $(give(self.$field, &format!("{name}_{}", stringify!($field)));)*
            }
        }

        impl<T: $crate::Word> $name<T> {
            /// The fields of a port.
            #[allow(dead_code)]
            pub fn unpack(port: &T::Port) -> Self {
                Self::unpack_at(port, 0)
            }

            /// The fields of a port, from bit `low` on.
            #[allow(dead_code)]
            pub fn unpack_at(port: &T::Port, low: usize) -> Self {
                let mut low = low as u32;
                $(
                    let $field = T::field(port, low, $width as u32);
                    low += $width as u32;
                )*
                let _ = low;
                $name { $($field,)* }
            }

            /// The fields of a word (a bus of at most 64 bits).
            #[allow(dead_code)]
            pub fn split(word: T) -> Self {
                let mut low = 0u32;
                $(
                    let $field = word.slice(low, $width as u32);
                    low += $width as u32;
                )*
                let _ = low;
                $name { $($field,)* }
            }

            /// The fields of `yes` where a bit is 1, else those of `no`.
            #[allow(dead_code)]
            pub fn mux(bit: T, yes: Self, no: Self) -> Self {
                $name { $($field: bit.mux(yes.$field, no.$field),)* }
            }

            /// The same change to every field.
            #[allow(dead_code)]
            pub fn map(self, change: impl Fn(T) -> T) -> Self {
                $name { $($field: change(self.$field),)* }
            }

            /// The fields, lowest bits first.
            #[allow(dead_code)]
            pub fn pack(self) -> Vec<T> {
                $(debug_assert_eq!(self.$field.width(), $width as u32, stringify!($field));)*
                vec![$(self.$field,)*]
            }
        }
    };
}
