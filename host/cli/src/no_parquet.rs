// SPDX-License-Identifier: MIT OR Apache-2.0
//! In place of Parquet files in a program that is built without them.

use std::path::Path;

use anyhow::{Result, bail};
use coretrace_etm::{Config, Record};
use coretrace_flow::Element;
use coretrace_software_trace as software_trace;

/// Files of elements: there are none.
pub enum ElementFiles {}

/// Files of packets: there are none.
pub enum PacketFiles {}

fn refused<T>() -> Result<T> {
    bail!("this etm4 was built without Parquet: build it with the feature `parquet`")
}

impl ElementFiles {
    /// Refused.
    pub fn new(_: Option<&Path>, _: u32) -> Result<ElementFiles> {
        refused()
    }

    pub fn begin(&mut self, _: u8) {
        match *self {}
    }

    pub fn elements(&mut self, _: u8, _: &[(u64, Element)]) {
        match *self {}
    }

    pub fn software(&mut self, _: u64, _: u8, _: &software_trace::Element<'_>) {
        match *self {}
    }

    pub fn finish(self) {
        match self {}
    }
}

impl PacketFiles {
    /// Refused.
    pub fn new(_: Option<&Path>, _: u32) -> Result<PacketFiles> {
        refused()
    }

    pub fn begin(&mut self, _: u8) {
        match *self {}
    }

    pub fn packet(&mut self, _: u8, _: &Record, _: &Config) {
        match *self {}
    }

    pub fn software(&mut self, _: u8, _: &software_trace::Record) {
        match *self {}
    }

    pub fn finish(self) {
        match self {}
    }
}
