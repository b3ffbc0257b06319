// SPDX-License-Identifier: MIT OR Apache-2.0
//! The buses of the registers of a core by the names of their fields.
//!
//! | block | from | to |
//! |---|---|---|
//! | `StatusFields` | a port for each status field | `status` |
//! | `PulseFields` | `pulses` | a port for each pulse |
//!
//! Both are made of the register table, as are the layouts. Combinational. Who calls [`buses!`] has the
//! names of `coretrace_hdl_dataflow` and of rust-hdl that they need.

use coretrace_abi::registers::SOURCES;

// The fields of the buses are those of one source.
const _: () = assert!(SOURCES == 1);

/// The type of a port by its width.
macro_rules! signal {
    (1) => { Bit };
    ($width:literal) => { Bits<$width> };
}

/// Sorts the fields of all registers by the bus that has them, then declares the buses.
macro_rules! buses {
    (global { $($global:tt)* } source { $($source:tt)* }) => {
        buses! { registers $($global)* $($source)* }
    };
    (registers $($name:ident at $offset:literal, $text:literal { $($field:tt)* })*) => {
        buses! { settings [] pulses [] status [] of $($($field)*)* }
    };

    (settings $settings:tt pulses $pulses:tt status $status:tt of
        constant $name:ident [$low:literal; $width:tt] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses $pulses status $status of $($rest)* }
    };
    (settings [$($settings:tt)*] pulses $pulses:tt status $status:tt of
        setting $name:ident ($signal:ident) [$low:literal; $width:tt] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings [$($settings)* $signal: $width,] pulses $pulses status $status of $($rest)* }
    };
    (settings $settings:tt pulses $pulses:tt status $status:tt of
        kinds $name:ident ($signal:ident) [$low:literal; $width:tt] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses $pulses status $status of
            setting $name ($signal) [$low; $width] = $reset, $text; $($rest)* }
    };
    (settings $settings:tt pulses [$($pulses:tt)*] status $status:tt of
        pulse $name:ident ($signal:ident) [$low:literal; 1] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses [$($pulses)* $signal,] status $status of $($rest)* }
    };
    (settings $settings:tt pulses [$($pulses:tt)*] status $status:tt of
        event $name:ident ($signal:ident) [$low:literal; 1] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses [$($pulses)* $signal,] status $status of
            live $name ($signal) [$low; 1] = $reset, $text; $($rest)* }
    };
    (settings $settings:tt pulses $pulses:tt status [$($status:tt)*] of
        live $name:ident ($signal:ident) [$low:literal; $width:tt] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses $pulses status [$($status)* $signal: $width,] of $($rest)* }
    };
    (settings $settings:tt pulses $pulses:tt status $status:tt of
        snapshot $name:ident ($signal:ident) [$low:literal; $width:tt] = $reset:expr, $text:literal; $($rest:tt)*
    ) => {
        buses! { settings $settings pulses $pulses status $status of
            live $name ($signal) [$low; $width] = $reset, $text; $($rest)* }
    };

    (settings [$($setting:ident: $setting_width:tt,)*]
        pulses [$($pulse:ident,)*]
        status [$($status:ident: $status_width:tt,)*] of
    ) => {
        layout! {
            /// What software writes.
            pub struct Settings { $($setting: $setting_width,)* }
        }

        layout! {
            /// 1 for a cycle where software wrote 1.
            pub struct Pulses { $($pulse: 1,)* }
        }

        layout! {
            /// What software reads.
            pub struct Status { $($status: $status_width,)* }
        }

        kernel_block! {
            /// Status fields to their bus; see the module text.
            pub struct StatusFields;
            inputs StatusInputs { $($status: signal!($status_width),)* }
            lane_inputs {}
            outputs StatusOutputs { bus: Bus<STATUS_W>, }
            lane_outputs {}
            kernel status_fields;
        }

        fn status_fields<T: Word, const N: usize>(
            i: StatusInputs<T::Port, N>,
        ) -> StatusOutputs<T, N> {
            let status = Status { $($status: T::field(&i.$status, 0, $status_width),)* };
            StatusOutputs { bus: status.pack() }
        }

        kernel_block! {
            /// Pulses from their bus; see the module text.
            pub struct PulseFields;
            inputs PulseInputs { bus: Bus<PULSES_W>, }
            lane_inputs {}
            outputs PulseOutputs { $($pulse: Bit,)* }
            lane_outputs {}
            kernel pulse_fields;
        }

        fn pulse_fields<T: Word, const N: usize>(
            i: PulseInputs<T::Port, N>,
        ) -> PulseOutputs<T, N> {
            let pulses = Pulses::<T>::unpack(&i.bus);
            PulseOutputs { $($pulse: vec![pulses.$pulse],)* }
        }

        /// Bits of the settings.
        pub const SETTINGS_W: usize = Settings::WIDTH;
        /// Bits of the pulses.
        pub const PULSES_W: usize = Pulses::WIDTH;
        /// Bits of the status.
        pub const STATUS_W: usize = Status::WIDTH;
    };
}
pub(super) use {buses, signal};
