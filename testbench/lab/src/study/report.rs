// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as text, TSV and JSON.

use serde_json::{Value, json};

use super::configuration::{CONFIGURATIONS, Configuration};
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
         {:<24} {:<16} {:>9} {:>10} {:>11} {:>9} {:>9} {:>8} {:>9}\n",
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
    format!(
        "{:<24} {:<16} {:>9.4} {:>10.4} {:>11.4} {:>9.1} {:>10.1} {:>8} {:>9.1}\n",
        row.program,
        row.configuration,
        row.rate(),
        row.worst[0],
        row.worst[1],
        row.average_mb_s(core),
        row.worst_mb_s(core),
        decoder(row, core),
        row.port_mhz(core)
    )
}

fn decoder(row: &Row<'_>, core: &Core) -> String {
    let bytes = row.decoder(core);
    bytes.map_or("none".to_owned(), |bytes| format!("x{bytes}"))
}

pub fn tsv_head() -> String {
    COLUMNS.join("\t") + "\n"
}

/// The figures of a row by name.
pub fn json(row: &Row<'_>, core: &Core) -> Value {
    json!({
        "schema": "etm4.study.1",
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

/// Tables of a document: bytes per instruction on average and in the worst long window, by program and
/// configuration, and what holds the worst program of each configuration.
pub fn markdown(rows: &[Row<'_>], core: &Core) -> String {
    let mut text = pivot("bytes per instruction", rows, |row| row.rate());
    text += &pivot("bytes per instruction, worst 1000", rows, |row| {
        row.worst[0]
    });
    text += &pivot("bytes per instruction, worst 10000", rows, |row| {
        row.worst[1]
    });
    text += "| configuration | worst program | MB/s of a core | decoder | 32-bit port, MHz |\n\
             |---|---|---:|---:|---:|\n";
    for Configuration { name, .. } in &CONFIGURATIONS {
        let of_it = rows.iter().filter(|row| row.configuration == *name);
        let worst = of_it.max_by(|a, b| a.worst[1].total_cmp(&b.worst[1]));
        text += &worst.map_or(String::new(), |row| {
            format!(
                "| {name} | {} | {:.0} | {} | {:.0} |\n",
                row.program,
                row.worst_mb_s(core),
                decoder(row, core),
                row.port_mhz(core)
            )
        });
    }
    text
}

/// A figure by program and configuration.
fn pivot(title: &str, rows: &[Row<'_>], figure: impl Fn(&Row<'_>) -> f64) -> String {
    let mut text = format!("| {title} |");
    for configuration in &CONFIGURATIONS {
        text += &format!(" {} |", configuration.name);
    }
    text += "\n|---|";
    text += &"---:|".repeat(CONFIGURATIONS.len());
    for rows in rows.chunks(CONFIGURATIONS.len()) {
        text += &format!("\n| {} |", rows.first().map_or("", |row| row.program));
        for row in rows {
            text += &format!(" {:.3} |", figure(row));
        }
    }
    text + "\n\n"
}

/// With six digits behind the point.
fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
