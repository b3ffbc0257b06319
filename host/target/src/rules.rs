// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules of a session, as data: a condition, why it holds, and which steps it orders.
//!
//! Steps that no rule orders may change places.

use coretrace_coresight::map::ComponentKind;
use serde::{Deserialize, Serialize};

use crate::role::Role;

/// The name of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the table has the text of each")]
pub enum RuleId {
    Clock,
    Ident,
    Owner,
    Auth,
    Claim,
    Lock,
    OsLock,
    Power,
    Idle,
    Busy,
    TmcDis,
    Sink,
    Format,
    Filter,
    Flush,
    Wait,
    Verify,
    Decode,
    Core,
    Pattern,
    ReadOut,
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub id: RuleId,
    /// The name in listings.
    pub name: &'static str,
    /// What must hold.
    pub condition: &'static str,
    /// What happens otherwise.
    pub why: &'static str,
    /// Where it is written.
    pub source: &'static str,
    /// Kinds of components that it orders the steps of; empty for all.
    pub kinds: &'static [ComponentKind],
    /// Roles of a component: each of the first list before each of the second.
    pub orders: &'static [(&'static [Role], &'static [Role])],
}

use ComponentKind::{Etb, Etf, Etm4, Etr, Stm, Tpiu};
use Role::{
    Allowed, Capable, Claim, Claimed, Class, Configure, Enable, Enabled, Halt, Halted, Ident, Note,
    OsNote, OsUnlock, OsUnlocked, Owner, Power, Powered, Taken, Unlock, Unlocked, Verify,
};

/// What changes how a component traces.
const SET_UP: &[Role] = &[Power, Halt, Configure, Enable];

/// What uses the registers of a trace unit that need power and an open OS lock.
const TRACE_REGISTERS: &[Role] = &[
    Capable, Halt, Halted, Configure, Verify, Taken, Enable, Enabled,
];

#[rustfmt::skip]
const NONE: Rule = Rule { id: RuleId::Clock, name: "", condition: "", why: "", source: "", kinds: &[], orders: &[] };

/// Every rule. CLOCK, IDENT, OWNER and AUTH also come before any write, and SINK orders components: see
/// [`order`](crate::plan::order).
pub const RULES: &[Rule] = &[
    Rule {
        id: RuleId::Clock,
        name: "CLOCK",
        condition: "a component is accessed only after each of its clocks was read as running",
        why: "an access without a clock aborts or hangs the machine",
        source: "AMD UG1087, CRF_APB",
        ..NONE
    },
    Rule {
        id: RuleId::Ident,
        name: "IDENT",
        condition: "CIDR, PIDR, DEVTYPE and DEVARCH are those of the topology before any other access",
        why: "another component at an address takes writes that are meant for this one",
        source: "Arm IHI 0029, component identification",
        orders: &[
            (&[Class], &[Ident, Owner, Allowed, Note]),
            (&[Ident], &[Owner, Note]),
        ],
        ..NONE
    },
    Rule {
        id: RuleId::Owner,
        name: "OWNER",
        condition: "no claim tag is set and no capture runs before the first write, and no tag of another at the end",
        why: "a debugger or another session would lose its trace",
        source: "Arm IHI 0029, claim tags",
        ..NONE
    },
    Rule {
        id: RuleId::Auth,
        name: "AUTH",
        condition: "the system allows non-invasive debug to a source, and invasive debug to an ETR, before the first write",
        why: "the session would begin and capture nothing",
        source: "Arm IHI 0029, AUTHSTATUS",
        ..NONE
    },
    Rule {
        id: RuleId::Claim,
        name: "CLAIM",
        condition: "claim tag 1 is set and read back before other writes, and cleared last",
        why: "others see who uses a component",
        source: "Arm IHI 0029, claim tags",
        orders: &[(&[Claim], &[Claimed]), (&[Claim, Claimed], SET_UP)],
        ..NONE
    },
    Rule {
        id: RuleId::Lock,
        name: "LOCK",
        condition: "the software lock is opened and read as open before writes, and closed if it was",
        why: "writes to a locked component are ignored without a sign",
        source: "Arm IHI 0029, lock access",
        orders: &[
            (&[Note], &[Unlock]),
            (&[Unlock], &[Unlocked]),
            (
                &[Unlock, Unlocked],
                &[Claim, Power, Halt, Configure, Enable],
            ),
        ],
        ..NONE
    },
    Rule {
        id: RuleId::OsLock,
        name: "OSLOCK",
        condition: "the OS lock is open before any trace register is accessed",
        why: "trace registers answer with an error while it is set",
        source: "Arm IHI 0064, access permissions",
        kinds: &[Etm4],
        orders: &[
            (&[OsNote], &[OsUnlock]),
            (&[OsUnlock], &[OsUnlocked]),
            (&[OsUnlock, OsUnlocked], TRACE_REGISTERS),
        ],
    },
    Rule {
        id: RuleId::Power,
        name: "POWER",
        condition: "PU is set and POWER is read before any trace register; PU is dropped after IDLE",
        why: "without power trace registers answer with an error, and lose their values",
        source: "Arm IHI 0064, TRCPDCR and TRCPDSR",
        kinds: &[Etm4],
        orders: &[(&[Power], &[Powered]), (&[Power, Powered], TRACE_REGISTERS)],
    },
    Rule {
        id: RuleId::Idle,
        name: "IDLE",
        condition: "a trace unit is configured and read back between IDLE and EN only",
        why: "writes are unpredictable and reads unknown while it is enabled",
        source: "Arm IHI 0064, TRCPRGCTLR",
        kinds: &[Etm4],
        orders: &[
            (&[Halt], &[Halted]),
            (&[Halted], &[Configure]),
            (&[Configure, Verify, Taken], &[Enable]),
            (&[Enable], &[Enabled]),
        ],
    },
    Rule {
        id: RuleId::Busy,
        name: "BUSY",
        condition: "an STM is configured while EN and BUSY are 0, and has stopped when BUSY is 0",
        why: "what it still sends would have another trace ID, or arrive behind the flush",
        source: "Arm DDI 0528, STMTCSR (that EN must be 0 is inferred)",
        kinds: &[Stm],
        orders: &[
            (&[Halt], &[Halted]),
            (&[Halted], &[Configure, Enable]),
            (&[Configure], &[Enable]),
        ],
    },
    Rule {
        id: RuleId::TmcDis,
        name: "TMC-DIS",
        condition: "MODE, EnFt and BUFWM are written in Disabled, width and FSCR in FtStopped only",
        why: "the effect of other writes is unpredictable",
        source: "Arm DDI 0461, TMC states; DDI 0480, TPIU",
        kinds: &[Etb, Etf, Etr, Tpiu],
        orders: &[
            (&[Halt], &[Halted]),
            (&[Halted], &[Configure]),
            (&[Configure], &[Enable]),
        ],
    },
    Rule {
        id: RuleId::Sink,
        name: "SINK",
        condition: "everything below a component is on before it passes trace; the source is last",
        why: "trace that reaches a component that is off is lost, or stalls the rest",
        source: "Arm IHI 0029, ATB",
        ..NONE
    },
    Rule {
        id: RuleId::Format,
        name: "FORMAT",
        condition: "every TMC and the TPIU format",
        why: "without frames nobody knows the trace ID of a byte",
        source: "Arm IHI 0029, trace formatter",
        ..NONE
    },
    Rule {
        id: RuleId::Filter,
        name: "FILTER",
        condition: "a replicator passes trace to the wanted outputs and blocks the others",
        why: "a sink that is off stalls the replicator",
        source: "Arm DDI 0480, replicator",
        ..NONE
    },
    Rule {
        id: RuleId::Flush,
        name: "FLUSH",
        condition: "the source stops, then each buffer is flushed and stopped, and then what feeds it closes",
        why: "trace that is still on its way would be lost",
        source: "Arm DDI 0461, stopping a TMC",
        ..NONE
    },
    Rule {
        id: RuleId::Wait,
        name: "WAIT",
        condition: "every wait has a bit, a limit of time, and an error",
        why: "a component that does not answer must not hang or be ignored",
        source: "this project",
        ..NONE
    },
    Rule {
        id: RuleId::Verify,
        name: "VERIFY",
        condition: "every configuration write is read back where that can be done",
        why: "a write that had no effect would give trace that nobody can read",
        source: "this project",
        ..NONE
    },
    Rule {
        id: RuleId::Decode,
        name: "DECODE",
        condition: "the registers on which the lengths of packets depend are read from the trace unit",
        why: "a value of a document or of another chip would shift every packet",
        source: "Arm IHI 0064, TRCIDR0 to TRCIDR8",
        ..NONE
    },
    Rule {
        id: RuleId::Core,
        name: "CORE",
        condition: "buffers are posted, then a core gets the registers of the trace unit from the trace unit, then it is enabled, then its port",
        why: "the beginning of the trace would be lost, or read with the registers of another session",
        source: "docs/integration.md, a session",
        ..NONE
    },
    Rule {
        id: RuleId::Pattern,
        name: "PATTERN",
        condition: "no test pattern is selected when a trace port starts",
        why: "a port that makes a pattern sends that in place of trace",
        source: "Arm DDI 0480, TPIU, test patterns",
        ..NONE
    },
    Rule {
        id: RuleId::ReadOut,
        name: "READ-OUT",
        condition: "a buffer is read when it is Stopped, between its flush and the end of its capture",
        why: "RRD gives nothing while it runs, or when it is disabled",
        source: "Arm DDI 0461, RRD",
        ..NONE
    },
];

impl RuleId {
    /// The rule.
    pub fn rule(self) -> &'static Rule {
        let found = RULES.iter().find(|rule| rule.id == self);
        found.expect("every rule is in the table")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_orders_two_roles_both_ways() {
        let pairs: Vec<(Role, Role)> = RULES
            .iter()
            .flat_map(|rule| rule.orders)
            .flat_map(|(from, to)| from.iter().flat_map(|a| to.iter().map(|b| (*a, *b))))
            .collect();
        for (a, b) in &pairs {
            assert!(!pairs.contains(&(*b, *a)), "{a:?} {b:?}");
        }
    }
}
