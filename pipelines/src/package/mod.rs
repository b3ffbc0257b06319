// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of an exported preset. The same version gives the same bytes.

pub mod core;

use crate::alchitry_cu::CLOCKS;
use crate::{AlchitryCu, DecoderTop, Preset};
use anyhow::Result;
use coretrace_hdl_etm::{LaneResult, PairResult};
use coretrace_hdl_verilog::{Direction, verilog};
use coretrace_hdl_verilog::{waiver_file, waivers};
use rust_hdl::fpga::toolchains::icestorm::generate_pcf;
use rust_hdl::prelude::Block;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// The version that goes into the manifest.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The text of every file of a preset, by its name.
///
/// # Errors
/// If the export lint finds something; see `coretrace_hdl_verilog`.
pub fn package(preset: Preset) -> Result<Vec<(String, String)>> {
    match preset {
        Preset::Etm4Core => core::ETM4_CORE.files(),
        Preset::Etm4CoreStm => core::ETM4_CORE_STM.files(),
        Preset::Etm4CoreItm => core::ETM4_CORE_ITM.files(),
        Preset::FlowCore => core::FLOW_CORE.files(),
        Preset::FlowCoreX2 => core::FLOW_CORE_X2.files(),
        Preset::TraceCompressor => core::TRACE_COMPRESSOR.files(),
        Preset::TraceCompressorX1 => core::TRACE_COMPRESSOR_X1.files(),
        Preset::TraceCompressorM4 => core::TRACE_COMPRESSOR_M4.files(),
        Preset::TraceCompressorRBase => core::TRACE_COMPRESSOR_RBASE.files(),
        Preset::Recompressor => core::RECOMPRESSOR.files(),
        Preset::RecompressorXe => core::RECOMPRESSOR_XE.files(),
        Preset::Decoder(decoder) => decoder_package(decoder),
    }
}

/// The text of every file of a decoder, by its name.
///
/// # Errors
/// As [`package`].
fn decoder_package(preset: DecoderTop) -> Result<Vec<(String, String)>> {
    let name = preset.name();
    let verilog_file = format!("{name}.v");
    let mut files = vec![
        (verilog_file.clone(), preset.verilog()?),
        ("etm4_result.vh".to_owned(), result_header()),
        (waiver_file(name), waivers(name)),
        ("files.f".to_owned(), format!("{verilog_file}\n")),
    ];
    let manifest = json!({
        "schema": "etm4.manifest/2",
        "preset": name,
        "summary": preset.summary(),
        "version": VERSION,
        "language": "Verilog-2001",
        "top": name,
        "clock": "aclk",
        "reset": "aresetn",
        "bytes_per_cycle": preset.bytes_per_cycle(),
        "ports": port_list(preset.ports()),
        "results": result_fields(),
        "files": digests(&files),
    });
    files.push(manifest_file(&manifest)?);
    Ok(files)
}

/// Name of the board's top, see [`crate::alchitry_cu`].
pub const BOARD: &str = "alchitry_cu";

/// The text of every file of the Alchitry Cu probe, by its name: Verilog, waivers, and the pins
/// and clocks.
///
/// # Errors
/// As [`package`].
pub fn board_package() -> Result<Vec<(String, String)>> {
    let mut board = AlchitryCu::default();
    board.connect_all();
    Ok(vec![
        (format!("{BOARD}.v"), verilog(AlchitryCu::default(), BOARD)?),
        (waiver_file(BOARD), waivers(BOARD)),
        (
            format!("{BOARD}.pcf"),
            generate_pcf(&board) + &frequencies(),
        ),
    ])
}

/// The constraints of the board's clocks.
fn frequencies() -> String {
    CLOCKS
        .map(|(net, mhz)| format!("set_frequency {net} {mhz}\n"))
        .concat()
}

/// Writes the files of a package; returns their names.
///
/// # Errors
/// If the directory cannot be written.
pub fn write_package(files: Vec<(String, String)>, directory: &Path) -> Result<Vec<String>> {
    std::fs::create_dir_all(directory)?;
    for (name, text) in &files {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// The files of a manifest.
pub(crate) fn digests(files: &[(String, String)]) -> Vec<Value> {
    let digest = |(name, text): &(String, String)| {
        let sha256 = Sha256::digest(text)
            .iter()
            .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        json!({ "name": name, "sha256": sha256 })
    };
    files.iter().map(digest).collect()
}

/// The manifest, as a file.
pub(crate) fn manifest_file(manifest: &Value) -> Result<(String, String)> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    Ok(("manifest.json".to_owned(), text))
}

/// The ports of the manifest.
pub(crate) fn port_list(ports: Vec<coretrace_hdl_verilog::Port>) -> Vec<Value> {
    let port = |port: coretrace_hdl_verilog::Port| {
        let direction = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        json!({ "name": port.name, "direction": direction, "width": port.width })
    };
    ports.into_iter().map(port).collect()
}

/// Name, lowest bit and width of a field.
type Fields = &'static [(&'static str, u32, u32)];

/// The result ports: prefix of the port names, and their fields.
const RESULTS: [(&str, Fields); 2] = [("lane", LaneResult::FIELDS), ("pair", PairResult::FIELDS)];

fn result_fields() -> Value {
    let field = |&(name, low, width): &(&str, u32, u32)| json!({ "name": name, "low": low, "width": width });
    let list = |fields: Fields| fields.iter().map(field).collect::<Vec<_>>();
    RESULTS
        .iter()
        .map(|(port, fields)| ((*port).to_owned(), list(fields).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Verilog macros with the place of every field of a result port.
fn result_header() -> String {
    let mut text = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Fields of the m_axis_lane and m_axis_pair ports, made by cargo export; do not edit.\n\
         // Use: wire [7:0] header = m_axis_lane_0[`ETM4_LANE_HEADER];\n",
    );
    for (port, fields) in RESULTS {
        for (name, low, width) in fields {
            let high = low + width - 1;
            let (port, name) = (port.to_uppercase(), name.to_uppercase());
            writeln!(text, "`define ETM4_{port}_{name} {high}:{low}").expect("writing to a string");
        }
    }
    text
}
