// SPDX-License-Identifier: MIT OR Apache-2.0
//! The architecture profile of a core, by the name of the core.

use coretrace_etm::ArchProfile;

/// Armv8-M cores. The other cores named Cortex-M are Armv6-M or Armv7-M.
const ARMV8M_CORES: [&str; 6] = [
    "Cortex-M23",
    "Cortex-M33",
    "Cortex-M35P",
    "Cortex-M52",
    "Cortex-M55",
    "Cortex-M85",
];

/// The profile of a core, by its name in OpenCSD: `Cortex-M33`, or an architecture such as
/// `ARMv8-M.main` or `ARMv7-M`. Every other name is an application or real-time core.
pub fn arch_profile(core: &str) -> ArchProfile {
    let is = |name: &str| core.eq_ignore_ascii_case(name);
    let starts = |name: &str| {
        core.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if ARMV8M_CORES.into_iter().any(is) || is_armv8m_architecture(core) {
        ArchProfile::M8
    } else if starts("Cortex-M") || starts("ARMv7-M") || starts("ARMv7E-M") || starts("ARMv6-M") {
        ArchProfile::M7
    } else {
        ArchProfile::A
    }
}

/// `ARMv8-M` and its parts: `ARMv8-M.main`, `ARMv8.1-M`.
fn is_armv8m_architecture(core: &str) -> bool {
    let core = core.to_ascii_lowercase();
    core.strip_prefix("armv8").is_some_and(|rest| {
        let minor = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        minor == "-m" || minor.starts_with("-m.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microcontroller_cores_are_recognised() {
        for (core, want) in [
            ("Cortex-M33", ArchProfile::M8),
            ("cortex-m85", ArchProfile::M8),
            ("ARMv8-M.main", ArchProfile::M8),
            ("ARMv8.1-M", ArchProfile::M8),
            ("Cortex-M3", ArchProfile::M7),
            ("Cortex-M7", ArchProfile::M7),
            ("ARMv7-M", ArchProfile::M7),
            ("ARMv7E-M", ArchProfile::M7),
            ("Cortex-A53", ArchProfile::A),
            ("Cortex-R52", ArchProfile::A),
            ("ARM-AA64", ArchProfile::A),
            ("ARMv8-A", ArchProfile::A),
            ("ARMv8.3-A", ArchProfile::A),
            ("é", ArchProfile::A),
        ] {
            assert_eq!(arch_profile(core), want, "{core}");
        }
    }
}
