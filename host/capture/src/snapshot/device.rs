// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device file of a snapshot: a trace source, a core with its memory dumps, or another component.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use coretrace_coresight::TraceId;
use coretrace_etm::Registers;

use super::ini::{Entry, Ini, Section};
use crate::MemoryImage;
use crate::path::path_inside;

/// Where a protocol has the trace ID: register and lowest bit. OpenCSD and Arm have a name each for the
/// register of an ITM.
const TRACE_ID_REGISTERS: [(&str, &str, u32); 8] = [
    ("ETM4", "TRCTRACEIDR", 0),
    ("ETE", "TRCTRACEIDR", 0),
    ("ETM3", "ETMTRACEIDR", 0),
    ("PTM", "ETMTRACEIDR", 0),
    ("PFT", "ETMTRACEIDR", 0),
    ("STM", "STMTCSR", 16),
    ("ITM", "ITMTCR", 16),
    ("ITM", "CONTROL_REGISTER", 16),
];

/// The registers that can hold the trace ID of a source, each with the lowest bit of the ID.
pub(super) fn trace_id_registers(protocol: &str) -> impl Iterator<Item = (&'static str, u32)> {
    TRACE_ID_REGISTERS
        .into_iter()
        .filter(|(start, ..)| protocol.starts_with(start))
        .map(|(_, register, shift)| (register, shift))
}

/// What one device file says.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) name: String,
    /// `core`, `trace_source`, ...; lower case.
    pub(super) class: String,
    /// The protocol of a source, the name of a core.
    pub(super) kind: String,
    /// Where the writer of the snapshot found the device.
    pub(super) location: Option<String>,
    /// Registers of a trace source, of up to 32 bits.
    pub(super) registers: BTreeMap<String, u32>,
    pub(super) dumps: Vec<MemoryImage>,
}

impl Device {
    /// Reads a device file; `key` is its key in the list of devices.
    ///
    /// # Errors
    /// If a register of a trace source or a dump is not well-formed.
    pub(super) fn new(ini: &Ini, key: &str, folder: &Path) -> Result<Device> {
        let value = |key| ini.entry("device", key).map(|entry| entry.value.clone());
        let class = value("class").unwrap_or_default().to_ascii_lowercase();
        let core = ini.entry("global", "core").map(|entry| entry.value.clone());
        let mut registers = BTreeMap::new();
        if class == TRACE_SOURCE {
            for entry in ini.entries("regs") {
                registers.extend(register(ini, entry)?);
            }
        }
        Ok(Device {
            name: value("name").unwrap_or_else(|| key.to_owned()),
            kind: value("type").or(core).unwrap_or_default(),
            location: value("location"),
            class,
            registers,
            dumps: ini
                .sections(is_dump)
                .map(|section| dump(ini, section, folder))
                .collect::<Result<_>>()?,
        })
    }

    /// Whether it is a trace source.
    pub(super) fn is_source(&self) -> bool {
        self.class == TRACE_SOURCE
    }

    /// Whether it has nothing but memory.
    pub(super) fn is_memory(&self) -> bool {
        self.class == "memory_space"
    }

    /// Whether it is a core.
    pub(super) fn is_core(&self) -> bool {
        self.class == "core"
    }

    /// The trace ID in its registers, if a source can have it.
    pub(super) fn trace_id(&self) -> Option<u8> {
        let protocol = self.protocol();
        let mut ids = trace_id_registers(&protocol)
            .filter_map(|(name, shift)| Some(self.registers.get(name)? >> shift & 0x7F));
        let id = ids.next()?;
        TraceId::new(id as u8)
            .filter(|id| id.is_source())
            .map(TraceId::value)
    }

    /// The protocol of a source.
    pub(super) fn protocol(&self) -> String {
        self.kind.to_ascii_uppercase()
    }
}

const TRACE_SOURCE: &str = "trace_source";

/// `NAME=value` or `NAME(offset)=value`. Decoders need some registers; another one whose value is not
/// a number of 32 bits is left out, such as an address comparator.
fn register(ini: &Ini, entry: &Entry) -> Result<Option<(String, u32)>> {
    let name = entry.key.split('(').next().unwrap_or_default().trim();
    let name = name.to_ascii_uppercase();
    let value = ini.number(entry).and_then(|value| {
        let fits = u32::try_from(value);
        fits.map_err(|_| ini.at(entry, &format!("{name} has 32 bits: correct its value")))
    });
    let is_needed = Registers::NAMES.contains(&name.as_str())
        || TRACE_ID_REGISTERS.iter().any(|(_, id, _)| *id == name);
    match value {
        Ok(value) => Ok(Some((name, value))),
        Err(error) if is_needed => Err(error),
        Err(_) => Ok(None),
    }
}

/// `dump` with any suffix.
fn is_dump(section: &str) -> bool {
    section.to_ascii_lowercase().starts_with("dump")
}

fn dump(ini: &Ini, section: &Section, folder: &Path) -> Result<MemoryImage> {
    let optional = |key| {
        let entry = ini.optional_in(section, key);
        entry.map(|entry| ini.number(entry)).transpose()
    };
    let file = ini.required_in(section, "file")?;
    Ok(MemoryImage {
        file: path_inside(folder, &file.value).map_err(|error| ini.at(file, &error.to_string()))?,
        address: ini.number(ini.required_in(section, "address")?)?,
        length: optional("length")?,
        offset: optional("offset")?,
        space: ini
            .optional_in(section, "space")
            .map(|entry| entry.value.clone()),
        vmid: None,
        cid: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(text: &str) -> Result<Device> {
        let ini = Ini::parse("device.ini", text).unwrap();
        Device::new(&ini, "device0", Path::new("snapshot"))
    }

    #[test]
    fn registers_are_read_with_and_without_offset() {
        let device = device(
            "[device]\nname=E\nclass=trace_source\ntype=etm4.2\n\
             [regs]\nTRCIDR0(0x78)=0x20000CA1\ntrctraceidr=7\nTRCACVR0(size:64)=0x100000000\n\
             TRCCIDCVR0(size:64,0x180)=0x12340000123400000\n",
        )
        .unwrap();
        assert_eq!(device.registers["TRCIDR0"], 0x2000_0CA1);
        assert_eq!(device.registers.len(), 2);
        assert_eq!(
            (device.protocol().as_str(), device.trace_id()),
            ("ETM4.2", Some(7))
        );
    }

    #[test]
    fn software_traces_have_their_id_in_their_own_register() {
        for (kind, register) in [
            ("STM", "STMTCSR=0xa00007"),
            ("ITM", "CONTROL_REGISTER=0x200000"),
            ("ITM", "ITMTCR(0xE80)=0x200000"),
        ] {
            let text = format!("[device]\nclass=trace_source\ntype={kind}\n[regs]\n{register}\n");
            assert_eq!(device(&text).unwrap().trace_id(), Some(0x20), "{kind}");
        }
    }

    #[test]
    fn an_id_that_no_source_can_have_is_none() {
        for id in ["0", "0x70", "0x7f"] {
            let text =
                format!("[device]\nclass=trace_source\ntype=ETE\n[regs]\nTRCTRACEIDR={id}\n");
            assert_eq!(device(&text).unwrap().trace_id(), None, "{id}");
        }
    }

    #[test]
    fn the_registers_of_a_core_are_not_read() {
        let device = device("[device]\nclass=core\ntype=Cortex-M33\n[regs]\nPC=unknown\n").unwrap();
        assert_eq!(
            (device.name.as_str(), device.registers.len()),
            ("device0", 0)
        );
        assert!(device.is_core() && !device.is_source());
    }

    #[test]
    fn dumps_are_read() {
        let text = "[dump1]\nfile=a.bin\naddress=0x10000000000\n\
                    [dump2]\nfile=b/c.bin\naddress=16\nlength=0x20\noffset=4\nspace=EL1N\n[damp]\n";
        let dumps = device(text).unwrap().dumps;
        assert_eq!(dumps.len(), 2);
        assert_eq!(dumps[0].address, 1 << 40);
        assert_eq!(dumps[1].file, Path::new("snapshot/b/c.bin"));
        let (length, offset) = (dumps[1].length, dumps[1].offset);
        assert_eq!((length, offset), (Some(32), Some(4)));
        assert_eq!(dumps[1].space.as_deref(), Some("EL1N"));
    }

    #[test]
    fn what_is_wrong_with_a_device_is_said_with_its_line() {
        for (text, want) in [
            (
                "[dump1]\nfile=../a\naddress=0",
                "device.ini, line 2: \"../a\"",
            ),
            (
                "[dump1]\nfile=a",
                "device.ini, line 1: [dump1] has no `address`",
            ),
            ("[dump1]\naddress=0", "has no `file`"),
            ("[dump1]\nfile=a\naddress=x", "line 3: address"),
            (
                "[device]\nclass=trace_source\n[regs]\nTRCIDR0=0x100000000",
                "line 4: TRCIDR0 has 32 bits",
            ),
            (
                "[device]\nclass=trace_source\n[regs]\nTRCTRACEIDR=?",
                "line 4: TRCTRACEIDR",
            ),
        ] {
            let error = device(text).unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
    }
}
