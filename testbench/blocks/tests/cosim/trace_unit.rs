// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace units: the values of a decoder's configuration ports.

use coretrace_capture::SourceStream;
use coretrace_etm::{ArchProfile, Protocol};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use coretrace_test_gen::{RegisterSet, Rng};
use rand::RngExt;
use rust_hdl::prelude::*;

/// The values of the ports that describe the trace unit to a decoder.
#[derive(Clone, Copy, Default)]
pub struct TraceUnit {
    ete: bool,
    v8m: bool,
    /// TRCCONFIGR, TRCIDR0, TRCIDR1, TRCIDR2, TRCDEVARCH.
    registers: [u32; 5],
}

impl TraceUnit {
    fn new(protocol: Protocol, profile: ArchProfile, r: &coretrace_etm::Registers) -> TraceUnit {
        TraceUnit {
            ete: protocol == Protocol::Ete,
            v8m: profile == ArchProfile::M8,
            registers: [r.trcconfigr, r.trcidr0, r.trcidr1, r.trcidr2, r.trcdevarch],
        }
    }

    /// Any bits at all.
    pub fn random(rng: &mut Rng) -> TraceUnit {
        TraceUnit {
            ete: rng.random(),
            v8m: rng.random(),
            registers: rng.random(),
        }
    }

    /// The settings of a source of this unit, with trace ID 0.
    pub fn settings(&self, lenient: bool) -> Bus<SOURCE_SETTINGS_W> {
        let [trcconfigr, trcidr0, trcidr1, trcidr2, trcdevarch] = self.registers.map(u64::from);
        let settings = SourceSettings {
            ete: self.ete.into(),
            v8m: self.v8m.into(),
            trcconfigr,
            trcidr0,
            trcidr1,
            trcidr2,
            trcdevarch,
            trcidr8: 0,
            lenient: lenient.into(),
            trace_id: 0,
        };
        Bus(settings.wide())
    }

    /// Sets the ports; the registers in the order of TRCCONFIGR, TRCIDR0 to 2, TRCDEVARCH.
    pub fn set(
        &self,
        ete: &mut Signal<In, Bit>,
        v8m: &mut Signal<In, Bit>,
        registers: [&mut Signal<In, Bits<32>>; 5],
    ) {
        ete.next = self.ete;
        v8m.next = self.v8m;
        for (port, value) in registers.into_iter().zip(self.registers) {
            port.next = u64::from(value).into();
        }
    }
}

impl From<&RegisterSet> for TraceUnit {
    fn from(set: &RegisterSet) -> TraceUnit {
        TraceUnit::new(set.protocol, set.profile, &set.registers)
    }
}

impl From<&SourceStream> for TraceUnit {
    fn from(stream: &SourceStream) -> TraceUnit {
        let source = &stream.source;
        TraceUnit::new(stream.protocol, source.profile, &source.registers)
    }
}
