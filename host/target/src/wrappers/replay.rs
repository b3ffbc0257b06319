// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log as a bus: it fails at the first access that differs.

use super::recorded::Access;
use crate::bus::{Bus, BusError};

/// The rest of a log.
pub struct Replay<'a>(pub &'a [Access]);

impl Replay<'_> {
    fn next(&mut self, wanted: &str) -> Result<Access, BusError> {
        let Some((first, rest)) = self.0.split_first() else {
            return Err(BusError::Refused(format!("the log ends before {wanted}")));
        };
        self.0 = rest;
        Ok(*first)
    }
}

impl Bus for Replay<'_> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let wanted = format!("R {address:010x}");
        match self.next(&wanted)? {
            Access::Read(at, value) if at == address => Ok(value),
            other => Err(BusError::Refused(format!(
                "the log has {other}, not {wanted}"
            ))),
        }
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        let wanted = Access::Write(address, value);
        match self.next(&wanted.to_string())? {
            access if access == wanted => Ok(()),
            other => Err(BusError::Refused(format!(
                "the log has {other}, not {wanted}"
            ))),
        }
    }
}
