// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder derives from the registers of the trace unit.
//!
//! Source: Arm IHI 0064 (ETMv4) and the ETE part of Arm DDI 0487, trace unit ID registers and
//! TRCCONFIGR.

use crate::registers::Registers;
use core::fmt;

/// Which trace unit wrote the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Protocol {
    /// ETMv4; the version is TRCIDR1\[11:4\].
    #[default]
    Etm4,
    /// ETE; the version is TRCDEVARCH\[15:12\] and \[19:16\].
    Ete,
}

/// The architecture profile of the traced core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ArchProfile {
    /// Application or real-time profile.
    #[default]
    A,
    /// Armv6-M or Armv7-M.
    M7,
    /// Armv8-M.
    M8,
}

impl ArchProfile {
    /// Either microcontroller profile.
    pub const fn is_m(self) -> bool {
        matches!(self, ArchProfile::M7 | ArchProfile::M8)
    }
}

/// A condition under which a header is legal. Bit `Gate as u32` of [`Config::gates`] is 1 if it
/// holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Gate {
    /// In every configuration.
    Always,
    /// In none: reserved.
    Never,
    /// ETMv4 only.
    Etm4,
    /// ETE only.
    Ete,
    /// ETE 1.3 or later.
    EteV13,
    /// Armv8-M with ETMv4.2 or later.
    FunctionReturn,
    /// ETMv4.3 or later, or ETE.
    Ignore,
    /// ETMv4.6 or later, or ETE.
    TimestampMarker,
    /// Conditional instruction trace present and enabled (never in an ETE).
    Conditional,
    /// Data trace present and enabled (never in an ETE).
    DataSync,
    /// Q elements supported.
    Q,
}

impl Gate {
    /// Every gate, in bit order.
    pub const ALL: [Gate; 11] = [
        Gate::Always,
        Gate::Never,
        Gate::Etm4,
        Gate::Ete,
        Gate::EteV13,
        Gate::FunctionReturn,
        Gate::Ignore,
        Gate::TimestampMarker,
        Gate::Conditional,
        Gate::DataSync,
        Gate::Q,
    ];

    /// This gate's bit in [`Config::gates`].
    pub const fn mask(self) -> u16 {
        1 << self as u16
    }
}

/// Registers that contradict each other or the architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// TRCIDR1 does not name ETMv4 (the major version found).
    NotEtm4(u8),
    /// TRCDEVARCH does not name an ETE (the major version found).
    NotEte(u8),
    /// TRCIDR2.CIDSIZE is neither 0 nor 4 (the value found).
    CidSize(u8),
    /// TRCIDR2.VMIDSIZE is not 0, 1, 2 or 4 (the value found).
    VmidSize(u8),
    /// TRCIDR2.VMIDSIZE is 2 or 4 in an ETMv4.0.
    VmidSizeNeedsV41(u8),
    /// TRCCONFIGR enables cycle counting, which TRCIDR0 says is not implemented.
    CycleCounting,
    /// TRCCONFIGR enables conditional trace, which TRCIDR0 says is not implemented.
    Conditional,
    /// TRCCONFIGR enables data trace, which TRCIDR0 says is not implemented.
    DataTrace,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEtm4(v) => write!(f, "TRCIDR1[11:8] is {v}: an ETMv4 has 4 there"),
            Self::NotEte(v) => write!(f, "TRCDEVARCH[15:12] is {v}: an ETE has 5 there"),
            Self::CidSize(v) => write!(f, "TRCIDR2.CIDSIZE is {v}: only 0 and 4 exist"),
            Self::VmidSize(v) => write!(f, "TRCIDR2.VMIDSIZE is {v}: only 0, 1, 2 and 4 exist"),
            Self::VmidSizeNeedsV41(v) => {
                write!(
                    f,
                    "TRCIDR2.VMIDSIZE is {v}, which needs ETMv4.1: TRCIDR1 says 4.0"
                )
            }
            Self::CycleCounting => {
                write!(
                    f,
                    "TRCCONFIGR.CCI is 1 but TRCIDR0.TRCCCI says that cycle counting is not there"
                )
            }
            Self::Conditional => {
                write!(
                    f,
                    "TRCCONFIGR.COND is set but TRCIDR0.TRCCOND says that conditional trace is not there"
                )
            }
            Self::DataTrace => {
                write!(
                    f,
                    "TRCCONFIGR.DA or DV is 1 but TRCIDR0.TRCDATA says that data trace is not there"
                )
            }
        }
    }
}

impl core::error::Error for ConfigError {}

/// Everything a decoder needs to know of the trace unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// Profile of the core: the meaning of exception numbers.
    pub profile: ArchProfile,
    /// Which headers are legal, one bit a [`Gate`].
    pub gates: u16,
    /// Cycle count packets carry no commit field.
    pub commopt: bool,
    /// Bytes of a context ID: 0 or 4.
    pub cid_bytes: u8,
    /// Bytes of a VMID: 0, 1, 2 or 4.
    pub vmid_bytes: u8,
    /// Bits of a cycle count: 12 to 27.
    pub count_bits: u8,
    /// MAXSPEC, the speculation depth.
    pub max_spec: u32,
}

const fn field(value: u32, low: u32, bits: u32) -> u32 {
    (value >> low) & ((1 << bits) - 1)
}

impl Config {
    /// Derives the configuration. A decoder works with any register values; [`Config::check`] finds
    /// values that no trace unit has.
    pub const fn new(protocol: Protocol, profile: ArchProfile, r: &Registers) -> Config {
        let ete = matches!(protocol, Protocol::Ete);
        let minor = field(r.trcidr1, 4, 4);
        let mut gates = Gate::Always.mask();
        if ete {
            gates |= Gate::Ete.mask();
            if field(r.trcdevarch, 16, 4) >= 3 {
                gates |= Gate::EteV13.mask();
            }
        } else {
            gates |= Gate::Etm4.mask();
            if minor >= 2 && matches!(profile, ArchProfile::M8) {
                gates |= Gate::FunctionReturn.mask();
            }
        }
        if ete || minor >= 3 {
            gates |= Gate::Ignore.mask();
        }
        if ete || minor >= 6 {
            gates |= Gate::TimestampMarker.mask();
        }
        if field(r.trcidr0, 6, 1) == 1 && field(r.trcconfigr, 8, 3) != 0 {
            gates |= Gate::Conditional.mask();
        }
        if field(r.trcidr0, 3, 2) == 3
            && field(r.trcconfigr, 1, 2) != 0
            && field(r.trcconfigr, 16, 2) != 0
        {
            gates |= Gate::DataSync.mask();
        }
        if field(r.trcidr0, 15, 2) != 0 {
            gates |= Gate::Q.mask();
        }
        let wide_vmid = ete || minor >= 1;
        let vmid_bytes = match field(r.trcidr2, 10, 5) {
            1 => 1,
            2 if wide_vmid => 2,
            4 if wide_vmid => 4,
            _ => 0,
        };
        Config {
            protocol,
            profile,
            gates,
            commopt: field(r.trcidr0, 29, 1) == 1 && field(r.trcidr0, 7, 1) == 1,
            cid_bytes: if field(r.trcidr2, 5, 5) == 4 { 4 } else { 0 },
            vmid_bytes,
            count_bits: 12 + field(r.trcidr2, 25, 4) as u8,
            max_spec: r.trcidr8,
        }
    }

    /// Checks that one trace unit can have these register values.
    ///
    /// # Errors
    /// The first contradiction found.
    pub const fn check(protocol: Protocol, r: &Registers) -> Result<(), ConfigError> {
        let ete = matches!(protocol, Protocol::Ete);
        if ete {
            let major = field(r.trcdevarch, 12, 4) as u8;
            if major != 5 {
                return Err(ConfigError::NotEte(major));
            }
        } else {
            let major = field(r.trcidr1, 8, 4) as u8;
            if major != 4 {
                return Err(ConfigError::NotEtm4(major));
            }
        }
        let cid = field(r.trcidr2, 5, 5) as u8;
        if !matches!(cid, 0 | 4) {
            return Err(ConfigError::CidSize(cid));
        }
        let vmid = field(r.trcidr2, 10, 5) as u8;
        if !matches!(vmid, 0 | 1 | 2 | 4) {
            return Err(ConfigError::VmidSize(vmid));
        }
        if !ete && field(r.trcidr1, 4, 4) == 0 && vmid > 1 {
            return Err(ConfigError::VmidSizeNeedsV41(vmid));
        }
        if field(r.trcconfigr, 4, 1) == 1 && field(r.trcidr0, 7, 1) == 0 {
            return Err(ConfigError::CycleCounting);
        }
        if !ete && field(r.trcconfigr, 8, 3) != 0 && field(r.trcidr0, 6, 1) == 0 {
            return Err(ConfigError::Conditional);
        }
        if !ete && field(r.trcconfigr, 16, 2) != 0 && field(r.trcidr0, 3, 2) != 3 {
            return Err(ConfigError::DataTrace);
        }
        Ok(())
    }

    /// Whether a gate is open.
    pub const fn allows(&self, gate: Gate) -> bool {
        self.gates & gate.mask() != 0
    }

    /// Whether the stream comes from an ETE.
    pub const fn is_ete(&self) -> bool {
        matches!(self.protocol, Protocol::Ete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A53: Registers = Registers {
        trcconfigr: 0xC1,
        trcidr0: 0x2800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x488,
        ..Registers::ZERO
    };

    #[test]
    fn both_microcontroller_profiles_are_m() {
        let profiles = [ArchProfile::A, ArchProfile::M7, ArchProfile::M8];
        assert_eq!(profiles.map(ArchProfile::is_m), [false, true, true]);
    }

    #[test]
    fn a_cortex_a53_has_commopt_and_small_vmids() {
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &A53);
        assert!(config.commopt);
        assert_eq!(
            (config.cid_bytes, config.vmid_bytes, config.count_bits),
            (4, 1, 12)
        );
        assert!(!config.allows(Gate::Ignore) && !config.allows(Gate::Q));
        assert_eq!(Config::check(Protocol::Etm4, &A53), Ok(()));
    }

    #[test]
    fn contradictions_are_named() {
        let with = |f: fn(&mut Registers)| {
            let mut r = A53;
            f(&mut r);
            Config::check(Protocol::Etm4, &r)
        };
        assert_eq!(with(|r| r.trcidr1 = 0), Err(ConfigError::NotEtm4(0)));
        assert_eq!(
            with(|r| r.trcidr2 = 0x1088),
            Err(ConfigError::VmidSizeNeedsV41(4))
        );
        assert_eq!(with(|r| r.trcidr2 = 0x40), Err(ConfigError::CidSize(2)));
        assert_eq!(
            with(|r| r.trcconfigr = 0x100),
            Err(ConfigError::Conditional)
        );
        assert_eq!(
            Config::check(Protocol::Ete, &A53),
            Err(ConfigError::NotEte(0))
        );
    }
}
