// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels as rust-hdl blocks.

use super::bus::Wide;
use super::netlist::Symbol;
use super::symbol::{Driven, Outputs, SymbolPort, render};
use super::value::Value;
use super::word::Word;
use rust_hdl::core::ast::Verilog;

/// Packs the fields that a kernel returned.
pub fn evaluate(fields: &[Value]) -> Wide {
    let mut wide = Wide::default();
    let mut low = 0;
    for field in fields {
        wide.or_field(low, field.width(), field.bits());
        low += field.width();
    }
    wide
}

/// Prints a kernel: `run` makes its ports and runs it.
pub fn print(run: impl FnOnce() -> Driven) -> Verilog {
    Verilog::Custom(render(Outputs::Wires, run))
}

/// A port of a kernel that prints itself.
pub fn port(name: &str, lane: Option<usize>, width: usize) -> SymbolPort {
    SymbolPort::new(port_name(name, lane), width as u32)
}

/// The name of a port, or of one element of an array of ports, in the Verilog module.
pub fn port_name(name: &str, lane: Option<usize>) -> String {
    match lane {
        Some(lane) => format!("{name}${lane}"),
        None => name.to_owned(),
    }
}

/// Adds an array of outputs to what a kernel drives.
pub fn drive_lanes(driven: &mut Driven, name: &str, lanes: Vec<Vec<Symbol>>) {
    for (lane, fields) in lanes.into_iter().enumerate() {
        driven.push((port_name(name, Some(lane)), fields));
    }
}

/// Declares a combinational block of `N` lanes whose logic is a kernel:
/// `fn kernel<T: Word, const N: usize>(Inputs<T, N>) -> Outputs<T, N>`.
/// Scalar ports come first, then the ports of each lane.
#[macro_export]
macro_rules! kernel_block {
    (
        $(#[$meta:meta])*
        pub struct $name:ident;
        inputs $inputs:ident { $($input:ident : $input_type:ty,)* }
        lane_inputs { $($lane_input:ident : $lane_input_type:ty,)* }
        outputs $outputs:ident { $($output:ident : $output_type:ty,)* }
        lane_outputs { $($lane_output:ident : $lane_output_type:ty,)* }
        kernel $kernel:ident;
    ) => {
        /// What the kernel reads.
        pub struct $inputs<P, const N: usize> {
            $(pub $input: P,)*
            $(pub $lane_input: [P; N],)*
        }

        /// What the kernel drives: the fields of each port, lowest bits first.
        pub struct $outputs<T, const N: usize> {
            $(pub $output: Vec<T>,)*
            $(pub $lane_output: [Vec<T>; N],)*
        }

        $(#[$meta])*
        #[derive(LogicBlock)]
        pub struct $name<const N: usize> {
            $(pub $input: Signal<In, $input_type>,)*
            $(pub $lane_input: [Signal<In, $lane_input_type>; N],)*
            $(pub $output: Signal<Out, $output_type>,)*
            $(pub $lane_output: [Signal<Out, $lane_output_type>; N],)*
            /// The kernel has been evaluated: outputs change only when an input has changed.
            _is_evaluated: bool,
        }

        impl<const N: usize> Default for $name<N> {
            fn default() -> Self {
                Self {
                    $($input: Default::default(),)*
                    $($lane_input: std::array::from_fn(|_| Default::default()),)*
                    $($output: Default::default(),)*
                    $($lane_output: std::array::from_fn(|_| Default::default()),)*
                    _is_evaluated: false,
                }
            }
        }

        impl<const N: usize> Logic for $name<N> {
            fn update(&mut self) {
                use $crate::{Carrier, Value, Wide, evaluate};
                let has_changed = $(self.$input.has_changed()
                    ||)* $(self.$lane_input.iter().any(|lane| lane.has_changed()) ||)* false;
                if self._is_evaluated && !has_changed {
                    return;
                }
                self._is_evaluated = true;
                let inputs = $inputs::<Wide, N> {
                    $($input: self.$input.val().to_wide(),)*
                    $($lane_input: std::array::from_fn(|lane| self.$lane_input[lane].val().to_wide()),)*
                };
                let outputs = $kernel::<Value, N>(inputs);
                $(self.$output.next = Carrier::from_wide(&evaluate(&outputs.$output));)*
                $(for (signal, fields) in self.$lane_output.iter_mut().zip(&outputs.$lane_output) {
                    signal.next = Carrier::from_wide(&evaluate(fields));
                })*
            }

            fn connect(&mut self) {
                $(self.$output.connect();)*
                $(self.$lane_output.iter_mut().for_each(|signal| signal.connect());)*
            }

            fn hdl(&self) -> rust_hdl::core::ast::Verilog {
                use $crate::block::{drive_lanes, port, port_name};
                use $crate::{Symbol, print};
                print(|| {
                    let outputs = $kernel::<Symbol, N>($inputs {
                        $($input: port(stringify!($input), None, <$input_type as Synth>::BITS),)*
                        $($lane_input: std::array::from_fn(|lane| {
                            port(stringify!($lane_input), Some(lane), <$lane_input_type as Synth>::BITS)
                        }),)*
                    });
                    let mut driven = Vec::new();
                    $(driven.push((port_name(stringify!($output), None), outputs.$output));)*
                    $(drive_lanes(&mut driven, stringify!($lane_output), outputs.$lane_output.into());)*
                    driven
                })
            }
        }
    };
}
