// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes of a trace, as a table and as JSON.

use clap::ValueEnum;
use serde::Serialize;

use crate::output::Output;

/// Output format of the sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// A table for people
    #[default]
    Text,
    /// One JSON object a line for each encoder
    Json,
}

/// What something makes of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// What it is.
    pub name: &'static str,
    /// So many bytes.
    pub bytes: u64,
}

/// The sizes; the first one is of the trace itself.
pub struct Results {
    /// Instructions of the trace.
    pub instructions: u64,
    /// What each encoder made of it.
    pub sizes: Vec<Size>,
}

/// A line of JSON.
#[derive(Serialize)]
struct Line {
    encoder: &'static str,
    bytes: u64,
    instructions: u64,
    bits_per_instruction: f64,
}

impl Results {
    /// The bits per instruction of a size.
    pub fn bits(&self, size: &Size) -> f64 {
        (8 * size.bytes) as f64 / self.instructions as f64
    }

    /// Writes them to standard output.
    pub fn write(&self, format: CompareFormat) {
        let mut output = Output::new();
        match format {
            CompareFormat::Text => output.text_of(&self.text()),
            CompareFormat::Json => output.text_of(&self.json()),
        }
        output.finish();
    }

    fn text(&self) -> String {
        let trace = self.sizes.first().map_or(0, |size| size.bytes);
        let mut text = format!(
            "{} instructions\n\n{:<10}{:>14}{:>22}{:>16}\n",
            self.instructions, "encoder", "bytes", "bits per instruction", "trace : this"
        );
        for size in &self.sizes {
            let times = trace as f64 / size.bytes.max(1) as f64;
            text.push_str(&format!(
                "{:<10}{:>14}{:>22.5}{times:>16.1}\n",
                size.name,
                size.bytes,
                self.bits(size)
            ));
        }
        text
    }

    fn json(&self) -> String {
        let line = |size: &Size| {
            let line = Line {
                encoder: size.name,
                bytes: size.bytes,
                instructions: self.instructions,
                bits_per_instruction: self.bits(size),
            };
            serde_json::to_string(&line).unwrap_or_default() + "\n"
        };
        self.sizes.iter().map(line).collect()
    }
}
