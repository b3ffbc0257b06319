// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as text, TSV and JSON.

use serde_json::{Value, json};

use super::load::{Core, Row};

/// The names of the figures, in the order of TSV.
const COLUMNS: [&str; 11] = [
    "program",
    "configuration",
    "instructions",
    "bytes",
    "bytes_per_instruction",
    "worst_1000",
    "worst_10000",
    "average_mb_s",
    "worst_mb_s",
    "decoder_bytes",
    "port_mhz",
];

pub fn text_head(core: &Core) -> String {
    let Core { mhz, ipc, cores } = core;
    format!(
        "bytes are modelled; assumed: {mhz} MHz, {ipc} instructions per cycle, {cores} cores at the port\n\n\
         {:<16} {:<16} {:>9} {:>10} {:>11} {:>9} {:>9} {:>8} {:>9}\n",
        "program",
        "configuration",
        "B/instr",
        "worst 1000",
        "worst 10000",
        "MB/s",
        "worst MB/s",
        "decoder",
        "port MHz"
    )
}

pub fn text(row: &Row<'_>, core: &Core) -> String {
    let decoder = row
        .decoder(core)
        .map_or("none".to_owned(), |bytes| format!("x{bytes}"));
    format!(
        "{:<16} {:<16} {:>9.4} {:>10.4} {:>11.4} {:>9.1} {:>10.1} {decoder:>8} {:>9.1}\n",
        row.program,
        row.configuration,
        row.rate(),
        row.worst[0],
        row.worst[1],
        row.average_mb_s(core),
        row.worst_mb_s(core),
        row.port_mhz(core)
    )
}

pub fn tsv_head() -> String {
    COLUMNS.join("\t") + "\n"
}

/// The figures of a row by name.
pub fn json(row: &Row<'_>, core: &Core) -> Value {
    json!({
        "program": row.program,
        "configuration": row.configuration,
        "instructions": row.instructions,
        "bytes": row.bytes,
        "bytes_per_instruction": rounded(row.rate()),
        "worst_1000": rounded(row.worst[0]),
        "worst_10000": rounded(row.worst[1]),
        "average_mb_s": rounded(row.average_mb_s(core)),
        "worst_mb_s": rounded(row.worst_mb_s(core)),
        "decoder_bytes": row.decoder(core),
        "port_mhz": rounded(row.port_mhz(core)),
    })
}

pub fn tsv(row: &Row<'_>, core: &Core) -> String {
    let figures = json(row, core);
    let cell = |name| match &figures[name] {
        Value::String(text) => text.clone(),
        // No decoder is wide enough.
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    COLUMNS.map(cell).join("\t") + "\n"
}

/// With six digits behind the point.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
