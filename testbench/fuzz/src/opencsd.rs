// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model against OpenCSD.

use anyhow::Result;
use coretrace_test_opencsd::OpenCsd;

use crate::faults::Fault;
use crate::{Case, Pair, Totals, Verdict, expected, reference, report};

/// The model, with the known faults of OpenCSD, and OpenCSD.
pub struct ModelAndOpenCsd<F> {
    /// OpenCSD.
    pub library: OpenCsd,
    /// Which faults are known.
    pub is_known: F,
}

impl ModelAndOpenCsd<fn(&Fault) -> bool> {
    /// With all known faults.
    pub fn new(library: OpenCsd) -> Self {
        ModelAndOpenCsd {
            library,
            is_known: |_| true,
        }
    }
}

impl<F: Fn(&Fault) -> bool + Sync> Pair for ModelAndOpenCsd<F> {
    fn compare(&self, case: &Case) -> Result<Verdict> {
        let model = expected::rows(case, &self.is_known);
        let opencsd = reference::rows(self.library, case)?;
        if model.rows != opencsd {
            return Ok(Verdict::Different(report::difference(
                ["model", "OpenCSD"],
                [&model.rows, &opencsd],
            )));
        }
        let kinds = opencsd.iter().filter_map(|row| row.kind);
        Ok(Verdict::Equal(
            Totals::of(case, kinds).with_hits(model.hits),
        ))
    }
}
