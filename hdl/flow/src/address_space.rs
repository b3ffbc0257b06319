// SPDX-License-Identifier: MIT OR Apache-2.0
//! The address space of a context: the number of the first rule that holds.

use coretrace_abi::flow_table::{
    LEVEL_MASK, LEVELS, NO_SPACE, SPACE_BITS, SPACE_RULES, SpaceRules,
};
use coretrace_hdl_dataflow::{Wide, Word, all, join, layout, mux_tree, priority_mux};

/// Bits of a set of levels.
const LEVELS_W: usize = LEVELS as usize;

layout! {
    /// A [`SpaceRule`] as it is held.
    pub struct HeldRule {
        valid: 1,
        uses_vmid: 1,
        uses_cid: 1,
        levels: LEVELS_W,
        vmid: 32,
        cid: 32,
    }
}

/// Bits of all rules.
pub const RULES_W: usize = SPACE_RULES * HeldRule::WIDTH;

/// The bits of a level in a context information byte, the lowest first.
fn level_bits() -> impl Iterator<Item = u32> {
    (0..u8::BITS).filter(|bit| LEVEL_MASK >> bit & 1 == 1)
}

/// Rules as the value of a signal.
pub fn held_rules(rules: &SpaceRules) -> Wide {
    let mut wide = Wide::default();
    for (number, rule) in rules.iter().enumerate() {
        let Some(rule) = rule else { continue };
        let held = HeldRule::<u64> {
            valid: 1,
            uses_vmid: rule.vmid.is_some().into(),
            uses_cid: rule.cid.is_some().into(),
            levels: rule.levels.into(),
            vmid: rule.vmid.unwrap_or_default().into(),
            cid: rule.cid.unwrap_or_default().into(),
        };
        let low = (number * HeldRule::WIDTH) as u32;
        let held = held.wide();
        for bit in 0..HeldRule::WIDTH as u32 {
            wide.or_field(low + bit, 1, held.field(bit, 1));
        }
    }
    wide
}

/// The address space of a context by the rules of a port, which are steady; one cycle later.
pub(super) fn address_space<T: Word>(rules: &T::Port, info: T, vmid: T, cid: T) -> T {
    let level = join(level_bits().map(|bit| info.bit(bit)));
    let cases = (0..SPACE_RULES).map(|number| {
        let rule = HeldRule::<T>::unpack_at(rules, number * HeldRule::WIDTH).map(T::steady);
        let levels: Vec<T> = (0..LEVELS).map(|bit| rule.levels.bit(bit)).collect();
        let may_be = |uses: T, is: T| uses.not().or(is);
        let holds = all(&[
            rule.valid,
            mux_tree(&levels, level, LEVELS.ilog2()),
            may_be(rule.uses_vmid, rule.vmid.eq_on_carry(vmid)),
            may_be(rule.uses_cid, rule.cid.eq_on_carry(cid)),
        ]);
        (holds.reg(), T::constant(number as u64, SPACE_BITS))
    });
    let cases: Vec<(T, T)> = cases.collect();
    priority_mux(&cases, T::constant(NO_SPACE.into(), SPACE_BITS))
}
