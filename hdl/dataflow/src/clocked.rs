// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels with registers as rust-hdl blocks.

use super::naming;
use super::netlist::Symbol;
use super::symbol::{Driven, Outputs, render};
use super::word::{STEADY, Word, latest};
use rust_hdl::core::ast::Verilog;

/// Delays all fields of all outputs to the stage of the latest one.
pub fn align<T: Word>(outputs: &mut [(&str, &mut Vec<T>)]) {
    let fields = outputs
        .iter()
        .flat_map(|(_, fields)| fields.iter().copied());
    let stage = latest(fields);
    if stage == STEADY {
        return;
    }
    for (name, fields) in outputs {
        let since = naming::mark::<T>();
        for field in fields.iter_mut() {
            *field = field.at_stage(stage);
        }
        naming::made_for::<T>(since, name);
    }
}

/// Prints a kernel with registers: `run` makes its ports and runs it.
pub fn print_clocked(run: impl FnOnce() -> Driven) -> Verilog {
    Verilog::Custom(render(Outputs::Registers, || aligned(run())))
}

fn aligned(mut driven: Driven) -> Driven {
    let mut outputs: Vec<(&str, &mut Vec<Symbol>)> = driven
        .iter_mut()
        .map(|(name, fields)| (name.as_str(), fields))
        .collect();
    align(&mut outputs);
    driven
}

/// Declares a clocked block of `N` lanes and `P` pairs of lanes whose logic is a kernel with
/// registers: `fn kernel<T: Word, const N: usize, const P: usize>(Inputs<T, N>) -> Outputs<T, N, P>`.
/// All outputs are registers, valid in the same cycle.
#[macro_export]
macro_rules! clocked_block {
    (
        $(#[$meta:meta])*
        pub struct $name:ident;
        inputs $inputs:ident { $($input:ident : $input_type:ty,)* }
        lane_inputs { $($lane_input:ident : $lane_input_type:ty,)* }
        outputs $outputs:ident { $($output:ident : $output_type:ty,)* }
        lane_outputs { $($lane_output:ident : $lane_output_type:ty,)* }
        pair_outputs { $($pair_output:ident : $pair_output_type:ty,)* }
        kernel $kernel:ident;
    ) => {
        /// What the kernel reads.
        pub struct $inputs<Q, const N: usize> {
            $(pub $input: Q,)*
            $(pub $lane_input: [Q; N],)*
        }

        /// What the kernel drives: the fields of each port, lowest bits first.
        pub struct $outputs<T, const N: usize, const P: usize> {
            $(pub $output: Vec<T>,)*
            $(pub $lane_output: [Vec<T>; N],)*
            $(pub $pair_output: [Vec<T>; P],)*
        }

        $(#[$meta])*
        #[derive(LogicBlock)]
        pub struct $name<const N: usize, const P: usize> {
            pub clock: Signal<In, Clock>,
            $(pub $input: Signal<In, $input_type>,)*
            $(pub $lane_input: [Signal<In, $lane_input_type>; N],)*
            $(pub $output: Signal<Out, $output_type>,)*
            $(pub $lane_output: [Signal<Out, $lane_output_type>; N],)*
            $(pub $pair_output: [Signal<Out, $pair_output_type>; P],)*
            _registers: $crate::Registers,
        }

        impl<const N: usize, const P: usize> Default for $name<N, P> {
            fn default() -> Self {
                Self {
                    clock: Default::default(),
                    $($input: Default::default(),)*
                    $($lane_input: std::array::from_fn(|_| Default::default()),)*
                    $($output: Default::default(),)*
                    $($lane_output: std::array::from_fn(|_| Default::default()),)*
                    $($pair_output: std::array::from_fn(|_| Default::default()),)*
                    _registers: Default::default(),
                }
            }
        }

        impl<const N: usize, const P: usize> Logic for $name<N, P> {
            fn update(&mut self) {
                use $crate::{Carrier, Value, Wide, align, evaluate};
                if !self.clock.pos_edge() {
                    return;
                }
                let inputs = $inputs::<Wide, N> {
                    $($input: self.$input.val().to_wide(),)*
                    $($lane_input: std::array::from_fn(|lane| self.$lane_input[lane].val().to_wide()),)*
                };
                let outputs = self._registers.step(|| {
                    let mut outputs = $kernel::<Value, N, P>(inputs);
                    let mut fields = vec![$((stringify!($output), &mut outputs.$output),)*];
                    $(fields.extend(outputs.$lane_output.iter_mut().map(|f| (stringify!($lane_output), f)));)*
                    $(fields.extend(outputs.$pair_output.iter_mut().map(|f| (stringify!($pair_output), f)));)*
                    align(&mut fields);
                    outputs
                });
                $(self.$output.next = Carrier::from_wide(&evaluate(&outputs.$output));)*
                $(for (signal, fields) in self.$lane_output.iter_mut().zip(&outputs.$lane_output) {
                    signal.next = Carrier::from_wide(&evaluate(fields));
                })*
                $(for (signal, fields) in self.$pair_output.iter_mut().zip(&outputs.$pair_output) {
                    signal.next = Carrier::from_wide(&evaluate(fields));
                })*
            }

            fn connect(&mut self) {
                $(self.$output.connect();)*
                $(self.$lane_output.iter_mut().for_each(|signal| signal.connect());)*
                $(self.$pair_output.iter_mut().for_each(|signal| signal.connect());)*
            }

            fn hdl(&self) -> rust_hdl::core::ast::Verilog {
                use $crate::block::{drive_lanes, port, port_name};
                use $crate::{Symbol, print_clocked};
                print_clocked(|| {
                    let outputs = $kernel::<Symbol, N, P>($inputs {
                        $($input: port(stringify!($input), None, <$input_type as Synth>::BITS),)*
                        $($lane_input: std::array::from_fn(|lane| {
                            port(stringify!($lane_input), Some(lane), <$lane_input_type as Synth>::BITS)
                        }),)*
                    });
                    let mut driven = Vec::new();
                    $(driven.push((port_name(stringify!($output), None), outputs.$output));)*
                    $(drive_lanes(&mut driven, stringify!($lane_output), outputs.$lane_output.into());)*
                    $(drive_lanes(&mut driven, stringify!($pair_output), outputs.$pair_output.into());)*
                    driven
                })
            }
        }
    };
}
