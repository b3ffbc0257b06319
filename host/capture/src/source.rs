// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace source and its registers.

use std::fmt;

use anyhow::{Context, Result, ensure};
use coretrace_coresight::TraceId;
use coretrace_data_trace::Keys;
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};
use coretrace_software_trace::{self as software_trace, ItmConfig};

use crate::{SourceDescription, arch_profile};

/// The protocol of a source's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceProtocol {
    /// ETMv4 instruction trace.
    Etm4,
    /// ETE instruction trace.
    Ete,
    /// ETMv4 data trace.
    Etm4Data,
    /// STM software trace.
    Stm,
    /// ITM software trace.
    Itm,
    /// Anything else, by its name.
    Other(String),
}

impl SourceProtocol {
    /// The protocol with this name. A version after a dot (`ETM4.2`) is ignored: the registers have
    /// it.
    fn from_name(name: &str) -> SourceProtocol {
        match name.split('.').next().unwrap_or_default() {
            "ETM4" => SourceProtocol::Etm4,
            "ETE" => SourceProtocol::Ete,
            "ETM4DATA" => SourceProtocol::Etm4Data,
            "STM" => SourceProtocol::Stm,
            "ITM" => SourceProtocol::Itm,
            _ => SourceProtocol::Other(name.to_owned()),
        }
    }

    /// The packet protocol, if it is one of instruction trace that has a decoder.
    pub fn grammar(&self) -> Option<Protocol> {
        match self {
            SourceProtocol::Etm4 => Some(Protocol::Etm4),
            SourceProtocol::Ete => Some(Protocol::Ete),
            _ => None,
        }
    }
}

impl fmt::Display for SourceProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceProtocol::Etm4 => "ETM4",
            SourceProtocol::Ete => "ETE",
            SourceProtocol::Etm4Data => "ETM4DATA",
            SourceProtocol::Stm => "STM",
            SourceProtocol::Itm => "ITM",
            SourceProtocol::Other(name) => name,
        })
    }
}

/// One trace source of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name of the trace unit.
    pub name: String,
    /// Trace ID, of the description or of TRCTRACEIDR; optional in a raw capture.
    pub trace_id: Option<u8>,
    /// Protocol of its bytes.
    pub protocol: SourceProtocol,
    /// Name of the traced core.
    pub core: Option<String>,
    /// Profile of the core.
    pub profile: ArchProfile,
    /// The registers that change decoding.
    pub registers: Registers,
    /// The decoder configuration, of instruction trace that has a decoder.
    pub config: Option<Config>,
    /// The protocol and its configuration, of software trace.
    pub software: Option<software_trace::Protocol>,
    /// The numbers of keys, of data trace: 0 if their registers are not known.
    pub data: Option<Keys>,
}

impl Source {
    /// Whether there is a decoder for its protocol.
    pub fn has_decoder(&self) -> bool {
        self.config.is_some() || self.software.is_some()
    }

    /// Checks a description and derives the configuration of the decoder.
    ///
    /// # Errors
    /// If a register that decoding needs is missing, if registers contradict each other or the
    /// trace ID, if a source cannot have this trace ID, or if its core is not known.
    pub fn new(description: &SourceDescription) -> Result<Source> {
        Source::checked(description)
            .with_context(|| format!("source {:?} cannot be used", description.name))
    }

    fn checked(description: &SourceDescription) -> Result<Source> {
        let protocol = SourceProtocol::from_name(&description.protocol);
        let core = description.core.clone();
        let profile = core.as_deref().map_or(Ok(ArchProfile::A), arch_profile)?;
        let registers = registers(description);
        if let Some(id) = description.trace_id {
            ensure!(
                TraceId::new(id).is_some_and(TraceId::is_source),
                "trace_id is {id:#04x}: a trace source has 0x01 to 0x6f"
            );
        }
        let mut config = None;
        if let Some(grammar) = protocol.grammar() {
            require(description, grammar)?;
            trace_id_agrees(description)?;
            Config::check(grammar, &registers).context(
                "its registers contradict each other: read them from the trace unit again",
            )?;
            config = Some(Config::new(grammar, profile, &registers));
        }
        Ok(Source {
            name: description.name.clone(),
            trace_id: description.trace_id.or_else(|| programmed_id(description)),
            software: software(&protocol, description),
            data: (protocol == SourceProtocol::Etm4Data).then(|| keys(description)),
            protocol,
            core,
            profile,
            registers,
            config,
        })
    }
}

fn keys(description: &SourceDescription) -> Keys {
    let register = |name: &str| description.registers.get(name).copied().unwrap_or(0);
    Keys {
        parents: register("TRCIDR9").into(),
        addresses: register("TRCIDR10").into(),
        special: register("TRCIDR11").into(),
    }
}

/// The protocol of software trace, with what registers change in it. OpenCSD and Arm have a name each for
/// the register of an ITM.
fn software(
    protocol: &SourceProtocol,
    description: &SourceDescription,
) -> Option<software_trace::Protocol> {
    let register = |name: &str| description.registers.get(name).copied();
    match protocol {
        SourceProtocol::Stm => Some(software_trace::Protocol::Stm),
        SourceProtocol::Itm => {
            let itm_tcr = register("ITMTCR").or_else(|| register("CONTROL_REGISTER"));
            let itm_tcr = itm_tcr.unwrap_or(0);
            Some(software_trace::Protocol::Itm(ItmConfig { itm_tcr }))
        }
        _ => None,
    }
}

fn registers(description: &SourceDescription) -> Registers {
    Registers::from_fn(|name| description.registers.get(name).copied().unwrap_or(0))
}

/// Packet lengths depend on these registers: a made-up value for a missing one would misalign the
/// packets.
fn require(description: &SourceDescription, grammar: Protocol) -> Result<()> {
    let version = match grammar {
        Protocol::Etm4 => "TRCIDR1",
        Protocol::Ete => "TRCDEVARCH",
    };
    for name in ["TRCCONFIGR", "TRCIDR0", version, "TRCIDR2"] {
        ensure!(
            description.registers.contains_key(name),
            "{} needs register {name}: add it to its registers",
            description.protocol
        );
    }
    Ok(())
}

/// The trace ID in TRCTRACEIDR, if that is there and has one of a source.
fn programmed_id(description: &SourceDescription) -> Option<u8> {
    let register = description.registers.get("TRCTRACEIDR")?;
    let id = TraceId::new((register & 0x7F) as u8)?;
    id.is_source().then(|| id.value())
}

fn trace_id_agrees(description: &SourceDescription) -> Result<()> {
    if let (Some(id), Some(register)) = (
        description.trace_id,
        description.registers.get("TRCTRACEIDR"),
    ) {
        let programmed = register & 0x7F;
        ensure!(
            programmed == u32::from(id),
            "trace_id is {id:#04x} but TRCTRACEIDR says {programmed:#04x}: correct one of them"
        );
    }
    Ok(())
}
