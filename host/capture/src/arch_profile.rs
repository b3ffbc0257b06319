// SPDX-License-Identifier: MIT OR Apache-2.0
//! The architecture profile of a core, by the name of the core.

use std::fmt;

use coretrace_etm::ArchProfile;

/// Armv8-M cores.
const ARMV8M_CORES: [&str; 6] = [
    "Cortex-M23",
    "Cortex-M33",
    "Cortex-M35P",
    "Cortex-M52",
    "Cortex-M55",
    "Cortex-M85",
];

/// Armv6-M and Armv7-M cores.
const ARMV7M_CORES: [&str; 6] = [
    "Cortex-M0",
    "Cortex-M0+",
    "Cortex-M1",
    "Cortex-M3",
    "Cortex-M4",
    "Cortex-M7",
];

/// How the names of application and real-time cores, and of their architectures, begin.
const A_AND_R: [&str; 9] = [
    "Cortex-A", "Cortex-R", "Cortex-X", "Neoverse", "ARM-AA64", "ARMv7-A", "ARMv7-R", "ARMv8",
    "ARMv9",
];

/// The name of a microcontroller core that is not known, so its profile is not either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCore(String);

impl fmt::Display for UnknownCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "core {:?} is not known, and its profile decides how packets are read: name its \
             architecture, ARMv7-M or ARMv8-M.main",
            self.0
        )
    }
}

impl std::error::Error for UnknownCore {}

/// The profile of a core, by its name in OpenCSD: `Cortex-M33`, or an architecture such as
/// `ARMv8-M.main` or `ARMv7-M`. Every other name is an application or real-time core.
///
/// # Errors
/// If it is a microcontroller core that is not known.
pub fn arch_profile(core: &str) -> Result<ArchProfile, UnknownCore> {
    let is = |name: &str| core.eq_ignore_ascii_case(name);
    if ARMV8M_CORES.into_iter().any(is) || is_armv8m_architecture(core) {
        Ok(ArchProfile::M8)
    } else if ARMV7M_CORES.into_iter().any(is)
        || ["ARMv7-M", "ARMv7E-M", "ARMv6-M"]
            .into_iter()
            .any(|name| starts(core, name))
    {
        Ok(ArchProfile::M7)
    } else if starts(core, "Cortex-M") {
        Err(UnknownCore(core.to_owned()))
    } else {
        Ok(ArchProfile::A)
    }
}

/// Whether a core was taken for an application core only because its name says nothing.
pub fn is_guessed(core: &str) -> bool {
    arch_profile(core) == Ok(ArchProfile::A) && !A_AND_R.into_iter().any(|name| starts(core, name))
}

fn starts(core: &str, name: &str) -> bool {
    core.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
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
            assert_eq!(arch_profile(core), Ok(want), "{core}");
        }
    }

    #[test]
    fn names_that_say_nothing_are_known_and_m_cores_refused() {
        for core in ["Cortex-Z99", "é", "cpu0"] {
            assert!(is_guessed(core), "{core}");
        }
        for core in ["Cortex-A53", "neoverse-n1", "ARMv8.3-A", "Cortex-M4"] {
            assert!(!is_guessed(core), "{core}");
        }
        let error = arch_profile("Cortex-M99").unwrap_err().to_string();
        assert!(
            error.contains("Cortex-M99") && error.contains("ARMv7-M"),
            "{error}"
        );
    }
}
