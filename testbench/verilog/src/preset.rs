// SPDX-License-Identifier: MIT OR Apache-2.0
//! Presets in Verilator: the same words in and out as their simulation in
//! `coretrace_pipelines::sim`.

use crate::engine::{Engine, Field, Sample};
use anyhow::Result;
use coretrace_etm::SourceConfig;
use coretrace_etm::{ArchProfile, Protocol};
use coretrace_hdl_coresight::SOURCES;
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::DRAIN_CYCLES;
use coretrace_pipelines::sim::{InputWord, PortSource, ResultWord};

/// Cycles before the first word: one with the reset asserted, one for its register to let go.
const RESET_CYCLES: u64 = 2;

/// A preset, exported and compiled.
pub struct PresetEngine {
    preset: DecoderTop,
    engine: Engine,
}

/// The result port of one source.
struct ResultPort {
    valid: Field,
    user: Field,
    keep: Field,
    pending: Field,
    lanes: Vec<Field>,
    pairs: Vec<Field>,
}

impl ResultPort {
    /// Finds the port of a source; `source` is its number if the preset has several.
    fn find(engine: &Engine, preset: DecoderTop, source: Option<usize>) -> Result<ResultPort> {
        let single = |name: &str| engine.output(&port_name(name, source));
        let each = |name: &str, count: usize| {
            let port = |number: usize| match source {
                Some(_) => port_name(&format!("{name}{number}"), source),
                None => port_name(name, Some(number)),
            };
            let fields = (0..count).map(|number| engine.output(&port(number)));
            fields.collect::<Result<Vec<_>>>()
        };
        Ok(ResultPort {
            valid: single("m_axis_tvalid")?,
            user: single("m_axis_tuser")?,
            keep: single("m_axis_tkeep")?,
            pending: single("m_axis_pending")?,
            lanes: each("m_axis_lane", preset.bytes_per_cycle())?,
            pairs: each("m_axis_pair", preset.pairs())?,
        })
    }

    fn read(&self, outputs: &[u8]) -> Option<ResultWord> {
        let wides = |fields: &[Field]| fields.iter().map(|field| field.get_all(outputs)).collect();
        (self.valid.get(outputs) == 1).then(|| ResultWord {
            discontinuity: self.user.get(outputs) == 1,
            keep: self.keep.get(outputs) as u32,
            pending: self.pending.get(outputs) as u32,
            lanes: wides(&self.lanes),
            pairs: wides(&self.pairs),
        })
    }
}

/// The name of a port, of an element if it is an array.
pub fn port_name(name: &str, element: Option<usize>) -> String {
    element.map_or(name.to_owned(), |element| format!("{name}_{element}"))
}

/// The configuration ports of one source.
struct ConfigPort {
    fields: Vec<(Field, u64)>,
}

impl ConfigPort {
    /// Finds the ports; `source` as for [`ResultPort::find`].
    fn find(engine: &Engine, config: &SourceConfig, source: Option<usize>) -> Result<ConfigPort> {
        let registers = &config.registers;
        let values = [
            ("cfg_ete", u64::from(config.protocol == Protocol::Ete)),
            ("cfg_v8m", u64::from(config.profile == ArchProfile::M8)),
            ("cfg_trcconfigr", registers.trcconfigr.into()),
            ("cfg_trcidr0", registers.trcidr0.into()),
            ("cfg_trcidr1", registers.trcidr1.into()),
            ("cfg_trcidr2", registers.trcidr2.into()),
            ("cfg_trcdevarch", registers.trcdevarch.into()),
        ];
        let field = |(name, value)| Ok((engine.input(&port_name(name, source))?, value));
        Ok(ConfigPort {
            fields: values.into_iter().map(field).collect::<Result<_>>()?,
        })
    }

    fn set(&self, frame: &mut [u8]) {
        self.fields
            .iter()
            .for_each(|(field, value)| field.set(frame, *value));
    }
}

/// The input with idle cycles: before it for the reset, after it for its results.
fn framed_by_gaps<T>(words: impl Iterator<Item = Option<T>>) -> impl Iterator<Item = Option<T>> {
    let gaps = |cycles| std::iter::repeat_with(|| None).take(cycles);
    gaps(RESET_CYCLES as usize)
        .chain(words)
        .chain(gaps(DRAIN_CYCLES))
}

impl PresetEngine {
    /// Exports and compiles a preset, or reuses the compiled one.
    ///
    /// # Errors
    /// If the export finds something, or Verilator is missing or refuses the text.
    pub fn new(preset: DecoderTop) -> Result<PresetEngine> {
        let engine = Engine::new(&preset.verilog()?, preset.name(), &preset.ports())?;
        Ok(PresetEngine { preset, engine })
    }

    /// The preset.
    pub fn preset(&self) -> DecoderTop {
        self.preset
    }

    /// As `coretrace_pipelines::sim::simulate_source`.
    ///
    /// # Errors
    /// If the preset has no single source at its input, or the compiled program fails.
    pub fn run_source(
        &self,
        config: &SourceConfig,
        words: impl Iterator<Item = Option<InputWord>> + Send,
        mut sink: impl FnMut(u64, &ResultWord),
    ) -> Result<()> {
        let engine = &self.engine;
        let results = ResultPort::find(engine, self.preset, None)?;
        let config_port = ConfigPort::find(engine, config, None)?;
        let lenient = engine.input("cfg_lenient")?;
        let resetn = engine.input("aresetn")?;
        let (data, keep) = (engine.input("s_axis_tdata")?, engine.input("s_axis_tkeep")?);
        let (valid, user) = (
            engine.input("s_axis_tvalid")?,
            engine.input("s_axis_tuser")?,
        );
        let mut words = framed_by_gaps(words);
        let drive = move |cycle: u64, frame: &mut [u8]| {
            config_port.set(frame);
            lenient.set(frame, config.lenient.into());
            resetn.set(frame, u64::from(cycle > 0));
            let Some(word) = words.next() else {
                return false;
            };
            let input = word.unwrap_or_default();
            valid.set(frame, word.is_some().into());
            data.set_wide(frame, input.data);
            user.set(frame, input.discontinuity.into());
            keep.set(frame, input.keep.into());
            true
        };
        engine.run(
            Sample::BeforeEdge,
            Some(results.valid),
            drive,
            |cycle, outputs| {
                if let Some(word) = results.read(outputs) {
                    sink(cycle.saturating_sub(RESET_CYCLES + 1), &word);
                }
            },
        )
    }

    /// As `coretrace_pipelines::sim::simulate_port`, except for the status.
    ///
    /// # Errors
    /// If the preset has no trace port at its input, or the compiled program fails.
    pub fn run_port(
        &self,
        sources: &[PortSource],
        words: impl Iterator<Item = Option<u32>> + Send,
        mut sink: impl FnMut(usize, u64, &ResultWord),
    ) -> Result<()> {
        let engine = &self.engine;
        let sources = &sources[..sources.len().min(SOURCES)];
        let results = (0..sources.len())
            .map(|source| ResultPort::find(engine, self.preset, Some(source)))
            .collect::<Result<Vec<_>>>()?;
        let configs = sources
            .iter()
            .enumerate()
            .map(|(source, port)| ConfigPort::find(engine, &port.config, Some(source)))
            .collect::<Result<Vec<_>>>()?;
        let ids = sources
            .iter()
            .enumerate()
            .map(|(source, port)| {
                Ok((
                    engine.input(&port_name("cfg_id", Some(source)))?,
                    port.trace_id,
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        let (lenient, enables) = (engine.input("cfg_lenient")?, engine.input("cfg_enables")?);
        let (resetn, data, valid) = (
            engine.input("aresetn")?,
            engine.input("s_axis_tdata")?,
            engine.input("s_axis_tvalid")?,
        );
        let is_lenient = sources.first().is_some_and(|source| source.config.lenient);
        let all_enabled = (1u64 << sources.len()) - 1;
        let mut words = framed_by_gaps(words);
        let drive = move |cycle: u64, frame: &mut [u8]| {
            configs.iter().for_each(|config| config.set(frame));
            ids.iter()
                .for_each(|(field, id)| field.set(frame, (id & 0x7F).into()));
            lenient.set(frame, is_lenient.into());
            enables.set(frame, all_enabled);
            resetn.set(frame, u64::from(cycle > 0));
            let Some(word) = words.next() else {
                return false;
            };
            valid.set(frame, word.is_some().into());
            data.set(frame, word.unwrap_or(0).into());
            true
        };
        engine.run(Sample::BeforeEdge, None, drive, |cycle, outputs| {
            for (source, port) in results.iter().enumerate() {
                if let Some(word) = port.read(outputs) {
                    sink(source, cycle.saturating_sub(RESET_CYCLES + 1), &word);
                }
            }
        })
    }
}
