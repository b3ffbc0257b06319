// SPDX-License-Identifier: MIT OR Apache-2.0
//! The architecture profile of a core, by the name of the core.

use coretrace_etm::Profile;

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
pub fn arch_profile(core: &str) -> Profile {
    let is = |name: &str| core.eq_ignore_ascii_case(name);
    let starts = |name: &str| {
        core.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if ARMV8M_CORES.into_iter().any(is) || is_armv8m_architecture(core) {
        Profile::M8
    } else if starts("Cortex-M") || starts("ARMv7-M") || starts("ARMv7E-M") || starts("ARMv6-M") {
        Profile::M7
    } else {
        Profile::A
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
            ("Cortex-M33", Profile::M8),
            ("cortex-m85", Profile::M8),
            ("ARMv8-M.main", Profile::M8),
            ("ARMv8.1-M", Profile::M8),
            ("Cortex-M3", Profile::M7),
            ("Cortex-M7", Profile::M7),
            ("ARMv7-M", Profile::M7),
            ("ARMv7E-M", Profile::M7),
            ("Cortex-A53", Profile::A),
            ("Cortex-R52", Profile::A),
            ("ARM-AA64", Profile::A),
            ("ARMv8-A", Profile::A),
            ("ARMv8.3-A", Profile::A),
            ("é", Profile::A),
        ] {
            assert_eq!(arch_profile(core), want, "{core}");
        }
    }
}
