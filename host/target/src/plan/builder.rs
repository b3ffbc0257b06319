// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes steps from the register map.

use coretrace_coresight::map::Register;

use super::step::{Action, Inverse, Part, Step};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::{Index, Topology};

/// Steps as they are made.
pub struct Builder<'a> {
    /// What they are for.
    pub topology: &'a Topology,
    /// The steps so far.
    pub steps: Vec<Step>,
}

impl<'a> Builder<'a> {
    /// No steps.
    pub fn new(topology: &'a Topology) -> Builder<'a> {
        Builder {
            topology,
            steps: Vec::new(),
        }
    }

    /// Adds a step with a register of a component; `index` chooses one of a row.
    pub fn add(
        &mut self,
        component: Index,
        (register, index): (&Register, u32),
        role: Role,
        rule: RuleId,
        action: Action,
    ) -> &mut Step {
        let of = &self.topology.components[component];
        let number = if register.count > 1 {
            index.to_string()
        } else {
            String::new()
        };
        let place = format!("{}.{}{number}", of.name, register.name);
        let address = of.base + u64::from(register.at(index));
        self.push(
            Part::Component(component),
            place,
            address,
            role,
            rule,
            action,
        )
    }

    /// Adds a step with the register of a clock.
    pub fn add_clock(&mut self, clock: Index, action: Action) -> &mut Step {
        let of = &self.topology.clocks[clock];
        let (place, address) = (of.register.clone(), of.address);
        self.push(
            Part::Clock(clock),
            place,
            address,
            Role::Clock,
            RuleId::Clock,
            action,
        )
    }

    /// Adds a step with any register.
    pub(super) fn push(
        &mut self,
        part: Part,
        place: String,
        address: u64,
        role: Role,
        rule: RuleId,
        action: Action,
    ) -> &mut Step {
        let place_in_fragment = self.steps.len();
        self.steps.push(Step {
            part,
            place,
            address,
            role,
            action,
            rules: vec![rule],
            inverse: Inverse::None,
            place_in_fragment,
        });
        &mut self.steps[place_in_fragment]
    }

    /// The register has one of these values under a mask.
    pub fn check(
        &mut self,
        component: Index,
        register: &Register,
        role: Role,
        rule: RuleId,
        (mask, values): (u32, &[u32]),
    ) {
        let values = values.to_vec();
        self.add(
            component,
            (register, 0),
            role,
            rule,
            Action::Check { mask, values },
        );
    }

    /// Writes the whole register.
    pub fn write(
        &mut self,
        component: Index,
        register: &Register,
        role: Role,
        rule: RuleId,
        value: u32,
    ) -> &mut Step {
        let action = Action::Write {
            mask: u32::MAX,
            value,
        };
        self.add(component, (register, 0), role, rule, action)
    }

    /// Waits for bits.
    pub fn wait(
        &mut self,
        component: Index,
        register: &Register,
        role: Role,
        rule: RuleId,
        (mask, value): (u32, u32),
    ) {
        let step = self.add(
            component,
            (register, 0),
            role,
            rule,
            Action::Wait { mask, value },
        );
        step.rules.push(RuleId::Wait);
    }

    /// Writes a word of configuration and reads it back.
    pub fn configure(
        &mut self,
        component: Index,
        place: (&Register, u32),
        rule: RuleId,
        value: u32,
    ) {
        let write = Action::Write {
            mask: u32::MAX,
            value,
        };
        self.add(component, place, Role::Configure, rule, write);
        let check = Action::Check {
            mask: u32::MAX,
            values: vec![value],
        };
        self.add(component, place, Role::Verify, RuleId::Verify, check);
    }
}
