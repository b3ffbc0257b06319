// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of CoreSight components: what a control plane and a simulator of one both read.
//!
//! | module | what it holds |
//! |---|---|
//! | `kind` | the kinds of components, and how they identify themselves |
//! | `register` | the types of registers and fields, and the macro of the tables |
//! | `common` | the management registers of every component |
//! | `trace_unit` | ETMv4 |
//! | `tmc` | ETB, ETR and ETF |
//! | `tpiu` | the trace port |
//! | `links` | funnels, replicators and the timestamp generator |
//! | `rom` | ROM tables |
//! | `triggers` | cross triggers and the system trace |
//!
//! Source: Arm IHI 0029 (architecture), IHI 0064 (trace unit), DDI 0461 (TMC), DDI 0480 (SoC-400).

pub mod common;
mod kind;
pub mod links;
mod register;
pub mod rom;
pub mod tmc;
pub mod tpiu;
pub mod trace_unit;
pub mod triggers;

pub use kind::{ARM, ComponentKind};
pub use register::{Access, Class, Field, Mark, Register};

/// Bytes of the registers of a component.
pub const COMPONENT_BYTES: u64 = 0x1000;

/// The register at a byte offset of a component.
pub fn find(kind: ComponentKind, offset: u32) -> Option<&'static Register> {
    let mut all = kind.registers().iter().chain(common::REGISTERS);
    all.find(|register| register.covers(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registers_of_a_component_do_not_overlap() {
        for kind in ComponentKind::ALL {
            let mut places = [0u8; COMPONENT_BYTES as usize / 4];
            for register in kind.registers().iter().chain(common::REGISTERS) {
                for index in 0..register.count {
                    places[register.at(index) as usize / 4] += 1;
                }
            }
            assert!(places.iter().all(|&count| count < 2), "{kind:?}");
        }
    }

    #[test]
    fn the_fields_of_a_register_do_not_overlap() {
        for kind in ComponentKind::ALL {
            for register in kind.registers().iter().chain(common::REGISTERS) {
                let masks = register.fields.iter().map(Field::mask);
                let sum: u64 = masks.clone().map(u64::from).sum();
                let union = masks.fold(0, |union, mask| union | mask);
                assert_eq!(sum, u64::from(union), "{}", register.name);
            }
        }
    }

    #[test]
    fn a_register_is_found_by_any_offset_of_its_row() {
        let found = |kind, offset| find(kind, offset).map(|register| register.name);
        assert_eq!(found(ComponentKind::Etf, 0x020), Some("CTL"));
        assert_eq!(found(ComponentKind::Etf, 0xFB0), Some("LAR"));
        assert_eq!(found(ComponentKind::Etm4, 0x208), Some("TRCRSCTLR"));
        assert_eq!(found(ComponentKind::Etm4, 0x27C), Some("TRCRSCTLR"));
        assert_eq!(found(ComponentKind::Funnel, 0x020), None);
    }

    #[test]
    fn no_two_kinds_identify_themselves_alike() {
        for (place, one) in ComponentKind::ALL.iter().enumerate() {
            for other in &ComponentKind::ALL[..place] {
                // A TMC is an ETB, an ETR or an ETF by its DEVTYPE.
                let same_part = one.parts().iter().any(|part| other.parts().contains(part));
                let both = same_part && one.devtype() == other.devtype();
                assert!(
                    !both || one.is_memory() && other.is_memory(),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
