// SPDX-License-Identifier: MIT OR Apache-2.0
//! AUXTRACE_INFO: the trace units of the CPUs and their registers.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use coretrace_coresight::TraceId;

use super::constants::info::{
    CS_ETM, ETE, ETE_PARAMETERS, ETM3, ETM3_PARAMETERS, ETM4, ETM4_PARAMETERS, KINDS,
    TRACE_ID_PARAMETER, TRACE_ID_UNUSED,
};
use super::input::u32_at;
use crate::SourceDescription;

/// The trace unit of a CPU.
#[derive(Clone, Debug)]
pub struct TraceUnit {
    /// The CPU.
    pub cpu: u32,
    /// The trace unit without a trace ID.
    description: SourceDescription,
    /// The trace ID programmed, and whether HW_ID records stand in its place.
    trace_id: Option<u8>,
    unused: bool,
}

impl TraceUnit {
    /// The trace ID in the registers; where HW_ID records give the IDs it may not count.
    pub fn trace_id(&self, has_hw_ids: bool) -> Option<u8> {
        self.trace_id.filter(|_| !(has_hw_ids && self.unused))
    }

    /// The description with a trace ID.
    pub fn source(&self, trace_id: Option<u8>) -> SourceDescription {
        SourceDescription {
            trace_id,
            ..self.description.clone()
        }
    }
}

/// Whether a trace unit can have this trace ID.
pub fn is_trace_id(id: u8) -> bool {
    TraceId::new(id).is_some_and(TraceId::is_source)
}

/// Reads the body of the record: the trace units, and whether the record ends in one of them.
///
/// # Errors
/// If it describes another kind of trace than CoreSight.
pub fn parse(body: &[u8]) -> Result<(Vec<TraceUnit>, bool)> {
    let kind = u32_at(body, 0).unwrap_or_default();
    if kind != CS_ETM {
        let known = KINDS.iter().find(|(number, _)| *number == kind);
        let name = known.map_or("of an unknown kind", |(_, name)| name);
        bail!("its trace is {name}, not CoreSight: record with perf record -e cs_etm//");
    }
    let words = body.get(8..).unwrap_or_default().as_chunks().0;
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let Some(([version, cpus, _snapshot], mut rest)) = words.split_first_chunk() else {
        return Ok((Vec::new(), true));
    };
    let cpus = *cpus as u32;
    let mut units = Vec::new();
    for _ in 0..cpus {
        let Some((unit, behind)) = unit(rest, *version) else {
            return Ok((units, true));
        };
        units.push(unit);
        rest = behind;
    }
    Ok((units, false))
}

/// The first trace unit, and the words behind it. The header of version 0 has no count of parameters.
fn unit(words: &[u64], version: u64) -> Option<(TraceUnit, &[u64])> {
    let ([magic, cpu], rest) = words.split_first_chunk()?;
    let (protocol, names) = match *magic {
        ETM3 => ("ETM3", &ETM3_PARAMETERS[..]),
        ETM4 => ("ETM4", &ETM4_PARAMETERS[..]),
        ETE => ("ETE", &ETE_PARAMETERS[..]),
        _ => return None,
    };
    let (count, rest) = match version {
        0 => (names.len(), rest),
        _ => {
            let (count, rest) = rest.split_first()?;
            (usize::try_from(*count).ok()?, rest)
        }
    };
    let (parameters, rest) = rest.split_at_checked(count)?;
    let is_register = |(place, _): &(usize, (&&str, &u64))| *place != TRACE_ID_PARAMETER;
    let registers: BTreeMap<String, u32> = names
        .iter()
        .zip(parameters)
        .enumerate()
        .filter(is_register)
        .map(|(_, (name, value))| ((*name).to_owned(), *value as u32))
        .collect();
    let id = parameters.get(TRACE_ID_PARAMETER).copied().unwrap_or(0);
    let cpu = *cpu as u32;
    let description = SourceDescription {
        name: format!("cpu{cpu}"),
        protocol: protocol.to_owned(),
        registers,
        ..SourceDescription::default()
    };
    let unit = TraceUnit {
        cpu,
        description,
        trace_id: Some((id & 0x7F) as u8).filter(|&id| is_trace_id(id)),
        unused: id & TRACE_ID_UNUSED != 0,
    };
    Some((unit, rest))
}
