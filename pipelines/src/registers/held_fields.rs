// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the settings of several cores have in common, of the fields of their layouts.

/// TRCCONFIGR.RS.
pub const RETURN_STACK_BIT: u32 = 12;

/// The [`SourceSettings`](coretrace_hdl_etm::SourceSettings) of held settings; `$v8m`: the core is an Armv8-M.
macro_rules! source_settings {
    ($held:ident, $v8m:expr) => {
        coretrace_hdl_etm::SourceSettings {
            ete: $held.ete,
            v8m: $v8m,
            trcconfigr: $held.trcconfigr,
            trcidr0: $held.trcidr0,
            trcidr1: $held.trcidr1,
            trcidr2: $held.trcidr2,
            trcdevarch: $held.trcdevarch,
            trcidr8: $held.trcidr8,
            lenient: $held.lenient,
            trace_id: $held.trace_id,
        }
    };
}

/// The [`HeldRule`](coretrace_hdl_flow::HeldRule)s of held settings, as words of the port `rules`.
macro_rules! held_rules {
    ($held:ident) => {
        [
            coretrace_hdl_flow::HeldRule {
                valid: $held.rule_0,
                uses_vmid: $held.rule_0_uses_vmid,
                uses_cid: $held.rule_0_uses_cid,
                levels: $held.rule_0_levels,
                vmid: $held.rule_0_vmid,
                cid: $held.rule_0_cid,
            },
            coretrace_hdl_flow::HeldRule {
                valid: $held.rule_1,
                uses_vmid: $held.rule_1_uses_vmid,
                uses_cid: $held.rule_1_uses_cid,
                levels: $held.rule_1_levels,
                vmid: $held.rule_1_vmid,
                cid: $held.rule_1_cid,
            },
            coretrace_hdl_flow::HeldRule {
                valid: $held.rule_2,
                uses_vmid: $held.rule_2_uses_vmid,
                uses_cid: $held.rule_2_uses_cid,
                levels: $held.rule_2_levels,
                vmid: $held.rule_2_vmid,
                cid: $held.rule_2_cid,
            },
            coretrace_hdl_flow::HeldRule {
                valid: $held.rule_3,
                uses_vmid: $held.rule_3_uses_vmid,
                uses_cid: $held.rule_3_uses_cid,
                levels: $held.rule_3_levels,
                vmid: $held.rule_3_vmid,
                cid: $held.rule_3_cid,
            },
        ]
        .into_iter()
        .flat_map(coretrace_hdl_flow::HeldRule::pack)
        .collect()
    };
}

pub(super) use {held_rules, source_settings};
