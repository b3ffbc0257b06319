// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of trace units: typical ones by name, and random ones.

use crate::Rng;
use coretrace_etm::{ArchProfile, Config, Protocol, Registers, SourceConfig};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// A trace unit to generate streams for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterSet {
    /// Short name.
    pub name: &'static str,
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// A core name that has the profile.
    pub core: &'static str,
    /// Profile of the core.
    pub profile: ArchProfile,
    /// The registers.
    pub registers: Registers,
}

const fn set(
    name: &'static str,
    protocol: Protocol,
    core: &'static str,
    profile: ArchProfile,
    registers: &[u32],
) -> RegisterSet {
    RegisterSet {
        name,
        protocol,
        core,
        profile,
        registers: Registers::from_values(registers),
    }
}

impl RegisterSet {
    /// The named sets.
    pub const ALL: [RegisterSet; 6] = [
        // A Cortex-A53: ETMv4.0, no commit fields, VMID of 1 byte.
        set(
            "a53",
            Protocol::Etm4,
            "Cortex-A53",
            ArchProfile::A,
            &[0x8D9, 0x2800_0EA1, 0x4100_F403, 0x488],
        ),
        // ETMv4.6 with everything on: conditional and data trace, Q, commit fields, VMID of 4
        // bytes.
        set(
            "v46-all",
            Protocol::Etm4,
            "Cortex-A53",
            ArchProfile::A,
            &[0x1_07D7, 0x0801_8EF9, 0x4100_F463, 0x1000_1088, 20],
        ),
        // ETMv4.2 with commit fields and VMID of 2 bytes.
        set(
            "commopt0",
            Protocol::Etm4,
            "Cortex-A57",
            ArchProfile::A,
            &[0xD1, 0x0800_0EA1, 0x4100_F423, 0x0600_0888, 32],
        ),
        // Armv7-M.
        set(
            "v7m",
            Protocol::Etm4,
            "Cortex-M7",
            ArchProfile::M7,
            &[0x1, 0x0800_0EA1, 0x4100_F400, 0x4],
        ),
        // Armv8-M with function returns.
        set(
            "v8m",
            Protocol::Etm4,
            "Cortex-M33",
            ArchProfile::M8,
            &[0x1, 0x0800_0EA1, 0x4100_F423, 0x4],
        ),
        // ETE 1.3.
        set(
            "ete",
            Protocol::Ete,
            "ARM-AA64",
            ArchProfile::A,
            &[0xD1, 0x0801_8EA1, 0x4100_FFF0, 0x1000_1088, 20, 0x4773_5A13],
        ),
    ];

    /// The set with this name.
    pub fn by_name(name: &str) -> Option<RegisterSet> {
        RegisterSet::ALL.into_iter().find(|set| set.name == name)
    }

    /// Any trace unit that the architecture allows: COMMOPT, sizes, MAXSPEC, version, profile,
    /// conditional and data trace, Q, ETE.
    pub fn random(rng: &mut Rng) -> RegisterSet {
        let mut pick = |values: &[u32]| *values.choose(rng).expect("a list of values");
        let ete = pick(&[0, 0, 0, 1]) == 1;
        let minor = pick(&[0, 1, 2, 3, 4, 5, 6]);
        let (conditional, data) = if ete {
            (0, 0)
        } else {
            (pick(&[0, 1]), pick(&[0, 1]))
        };
        let trcidr0 = 0x0800_0EA1
            | pick(&[0, 1 << 29])
            | conditional << 6
            | (data * 3) << 3
            | pick(&[0, 1, 2, 3]) << 15;
        let vmid = if ete || minor > 0 {
            pick(&[0, 1, 2, 4])
        } else {
            pick(&[0, 1])
        };
        let trcidr2 = pick(&[0, 4]) << 5 | vmid << 10 | pick(&[0, 3, 8]) << 25 | 8;
        let conditions = conditional * (pick(&[1, 3, 7]) << 8);
        let trcconfigr = 1 | conditions | (data * 0x1_0006);
        let (profile, core) = if ete {
            (ArchProfile::A, "ARM-AA64")
        } else {
            match pick(&[0, 0, 1, 2]) {
                0 => (ArchProfile::A, "Cortex-A53"),
                1 => (ArchProfile::M7, "Cortex-M7"),
                _ => (ArchProfile::M8, "Cortex-M33"),
            }
        };
        let devarch = if ete {
            0x4770_5A13 | pick(&[0, 1, 3]) << 16
        } else {
            0
        };
        let trcidr1 = if ete {
            0x4100_FFF0
        } else {
            0x4100_F403 | minor << 4
        };
        let protocol = if ete { Protocol::Ete } else { Protocol::Etm4 };
        let values = [
            trcconfigr,
            trcidr0,
            trcidr1,
            trcidr2,
            pick(&[0, 4, 20, 128]),
            devarch,
        ];
        set("random", protocol, core, profile, &values)
    }

    /// The decoder configuration.
    pub fn config(&self) -> Config {
        Config::new(self.protocol, self.profile, &self.registers)
    }

    /// The source that has this trace unit, under any policy but lenient.
    pub fn source(&self) -> SourceConfig {
        SourceConfig {
            protocol: self.protocol,
            profile: self.profile,
            registers: self.registers,
            lenient: false,
        }
    }

    /// A named set three times out of four, else a random one.
    pub fn any(rng: &mut Rng) -> RegisterSet {
        if rng.random_bool(0.75) {
            *RegisterSet::ALL.choose(rng).expect("there are named sets")
        } else {
            RegisterSet::random(rng)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_set_contradicts_itself() {
        for set in RegisterSet::ALL {
            assert_eq!(
                Config::check(set.protocol, &set.registers),
                Ok(()),
                "{}",
                set.name
            );
        }
        for seed in 0..500 {
            let set = RegisterSet::random(&mut crate::rng(seed));
            assert_eq!(
                Config::check(set.protocol, &set.registers),
                Ok(()),
                "seed {seed}: {set:?}"
            );
        }
    }
}
