// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes in, lines of elements out.

use std::collections::BTreeMap;

use clap::ValueEnum;
use coretrace_capture::{StreamSink, TraceBuffer};
use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Doubt, Element, ElementSink, Image, Images, Places, StreamFlow};
use coretrace_listing::{ElementTsv, element_json, element_line, element_name};

use crate::output::Output;
use crate::progress::Progress;

/// Output format of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ElementFormat {
    /// Columns for people
    #[default]
    Text,
    /// Tab-separated, as OpenCSD writes them
    Tsv,
    /// One JSON object a line
    Json,
    /// How many there are of each kind, and of instructions
    Count,
}

/// Elements of each kind, and instructions.
#[derive(Default)]
struct Counts {
    /// Of the last kind: most elements are of one kind.
    last: (&'static str, u64),
    kinds: BTreeMap<&'static str, u64>,
    instructions: u64,
}

impl Counts {
    fn add(&mut self, element: &Element) {
        if let Element::Range(range) = element {
            self.instructions += u64::from(range.count);
        }
        let name = element_name(element);
        if self.last.0 != name {
            self.change_to(name);
        }
        self.last.1 += 1;
    }

    fn change_to(&mut self, name: &'static str) {
        let (last, count) = std::mem::replace(&mut self.last, (name, 0));
        if count > 0 {
            *self.kinds.entry(last).or_default() += count;
        }
    }
}

/// Where the elements of the sources of a pass go.
struct Lines {
    /// None: elements are not listed.
    format: Option<ElementFormat>,
    output: Output,
    counts: Counts,
    sources: Vec<Source>,
}

/// A source of the pass.
struct Source {
    id: u8,
    tsv: ElementTsv,
}

impl Lines {
    fn put(&mut self, source: usize, offset: u64, element: &Element) {
        let Source { id, tsv } = &mut self.sources[source];
        let out = &mut self.output.text;
        match self.format {
            Some(ElementFormat::Text) => element_line(out, offset, *id, element),
            Some(ElementFormat::Tsv) => tsv.element(out, offset, element),
            Some(ElementFormat::Json) => element_json(out, offset, *id, element),
            Some(ElementFormat::Count) => self.counts.add(element),
            None => {}
        }
        self.output.flush_full();
    }
}

/// Appends a line of a doubt: trace ID, image, how often, what, and the first addresses.
fn doubt_line(out: &mut String, id: u8, image: &str, doubt: Doubt, places: &Places) {
    let what = match doubt {
        Doubt::NotTaken => "a branch without a condition was not taken",
        Doubt::OtherTarget => "the program did not go on here",
        Doubt::ReturnAddress => "an exception returns to where the program was not",
        Doubt::EmptyStack => "a return without a call",
    };
    let addresses = places.first.iter().map(|address| format!("{address:#x}"));
    let addresses: Vec<String> = addresses.collect();
    let (count, addresses) = (places.count, addresses.join(" "));
    out.push_str(&format!(
        "ID {id:02x}  {image}  {count} x {what}: {addresses}\n"
    ));
}

/// Writes the elements of sources.
pub struct Lister {
    images: Vec<Image>,
    policy: Policy,
    lines: Lines,
    /// The flow of each source of the pass; none without a decoder.
    flows: Vec<Option<StreamFlow>>,
    is_decoded: bool,
    /// How often the trace contradicted the images.
    pub doubts: u64,
    /// How far the work is, if that is known.
    pub progress: Option<Progress>,
}

impl Lister {
    /// A lister that has listed nothing. Without a format it lists where the trace contradicts the
    /// images.
    pub fn new(format: Option<ElementFormat>, images: Vec<Image>, policy: Policy) -> Lister {
        Lister {
            images,
            policy,
            lines: Lines {
                format,
                output: Output::new(),
                counts: Counts::default(),
                sources: Vec::new(),
            },
            flows: Vec::new(),
            is_decoded: false,
            doubts: 0,
            progress: None,
        }
    }

    /// Begins a pass over the buffer, for these sources. Those without a decoder give no elements.
    pub fn begin_pass(&mut self, buffer: &TraceBuffer, sources: &[usize]) {
        for source in sources.iter().map(|&index| &buffer.sources[index]) {
            let flow = source.config.map(|config| {
                let config = SourceConfig {
                    protocol: config.protocol,
                    profile: config.profile,
                    registers: source.registers,
                    lenient: self.policy == Policy::Lenient,
                };
                let images = Images::new(self.images.clone());
                StreamFlow::new(&config, images, self.policy)
            });
            self.flows.push(flow);
            let id = source.trace_id.unwrap_or(0);
            self.lines.sources.push(Source {
                id,
                tsv: ElementTsv::new(id),
            });
        }
    }

    /// Ends the pass.
    pub fn end_pass(&mut self) {
        let lines = &mut self.lines;
        for (source, flow) in self.flows.drain(..).enumerate() {
            let Some(flow) = flow else { continue };
            self.is_decoded |= flow.has_async();
            for (image, doubt, places) in flow.doubts() {
                self.doubts += places.count;
                if lines.format.is_none() {
                    let id = lines.sources[source].id;
                    doubt_line(&mut lines.output.text, id, &image.name, doubt, places);
                }
            }
        }
        lines.sources.clear();
        lines.output.flush_full();
    }

    fn each(&mut self, mut run: impl FnMut(&mut StreamFlow, &mut LinesOf<'_>)) {
        let lines = &mut self.lines;
        for (source, flow) in self.flows.iter_mut().enumerate() {
            if let Some(flow) = flow {
                run(flow, &mut LinesOf { lines, source });
            }
        }
    }

    /// Ends the listing; returns whether anything was decoded.
    pub fn end(mut self) -> bool {
        if self.lines.format == Some(ElementFormat::Count) {
            self.lines.counts.change_to("");
            let Counts {
                kinds,
                instructions,
                ..
            } = &self.lines.counts;
            let text = &mut self.lines.output.text;
            for (kind, count) in kinds {
                text.push_str(&format!("{count:>12}  {kind}\n"));
            }
            text.push_str(&format!("{instructions:>12}  instructions\n"));
        }
        self.lines.output.finish();
        self.is_decoded
    }
}

/// Where the elements of one source go.
struct LinesOf<'l> {
    lines: &'l mut Lines,
    source: usize,
}

impl ElementSink for LinesOf<'_> {
    fn element(&mut self, offset: u64, element: &Element) {
        self.lines.put(self.source, offset, element);
    }
}

impl StreamSink for Lister {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        let lines = &mut self.lines;
        if let Some(flow) = &mut self.flows[source] {
            flow.feed(bytes, &mut LinesOf { lines, source });
        }
    }

    fn lost(&mut self) {
        self.each(|flow, lines| flow.discontinuity(lines));
    }

    fn finish(&mut self) {
        self.each(|flow, lines| flow.finish(lines));
    }

    fn is_synced(&self) -> bool {
        self.flows.iter().flatten().any(StreamFlow::has_async)
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }
}
