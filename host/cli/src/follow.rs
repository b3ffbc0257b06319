// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a traced program did: the elements of the sources of a trace.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use coretrace_capture::{MemoryImage, Pass, StreamSink, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::{Registers, SourceConfig};
use coretrace_flow::{Doubt, ElementSink, Image, Images, Places, Spaces, StreamFlow};
use coretrace_program::Program;

use crate::engine::OnError;
use crate::error::say;
use crate::programs::programs;
use crate::progress::Progress;
use crate::selection::select_sources;
use crate::trace_id;

/// Bytes that are followed before the elements are taken.
const STEP_BYTES: usize = 1 << 13;

/// How a program is followed.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// Decode the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    pub id: Option<TraceId>,

    /// A program that was traced, as an ELF file; at this address, or where it was mapped, or where it
    /// is linked to be. May be given several times; where files overlap the last one counts
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    pub elf: Vec<PathBuf>,

    /// What to do after bytes that are not a packet
    #[arg(long, value_enum, default_value_t)]
    pub on_error: OnError,
}

/// A source of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceSource {
    /// Its trace ID; 0 if it has none.
    pub id: u8,
    /// The number of its CPU, if the trace says so.
    pub cpu: Option<u32>,
    /// The registers of its trace unit.
    pub registers: Registers,
}

/// Takes the elements of the sources of a trace. The elements of a source come in order; those of
/// other sources of the buffer may come between them.
pub trait FlowSink {
    /// Where elements of one source go.
    type Part: ElementSink;

    /// A source begins.
    fn begin(&mut self, source: &TraceSource) -> Self::Part;

    /// Takes what is in a part, and leaves it empty: it gets the next elements of the source. What is
    /// small may stay in the part up to its end.
    fn take(&mut self, part: &mut Self::Part);

    /// A part gets no more elements. Parts of a source end in their order.
    fn end(&mut self, _source: &TraceSource, mut part: Self::Part) {
        self.take(&mut part);
    }

    /// The source contradicts an image.
    fn doubt(&mut self, _source: &TraceSource, _: &Image, _: Doubt, _: &Places) {}
}

/// What was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Some source has an A-Sync.
    pub is_decoded: bool,
    /// How often the trace contradicts the images.
    pub doubts: u64,
}

impl FollowArgs {
    /// The programs of a trace.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub fn program(&self, trace: &Trace) -> Result<Program> {
        programs(&self.elf, &trace.mappings)
    }

    /// Whether there is any memory image of a trace and its programs.
    pub fn has_images(trace: &Trace, program: &Program) -> bool {
        !trace.memory.is_empty() || program.images().next().is_some()
    }

    /// Follows the sources of a trace.
    ///
    /// # Errors
    /// If the trace or a memory image cannot be read, or no source can be decoded.
    pub fn follow(
        &self,
        trace: &Trace,
        program: &Program,
        sync_limit: u64,
        sink: &mut impl FlowSink,
    ) -> Result<Followed> {
        let mut images = images(trace, program)?;
        if images.is_empty() {
            say(
                "warning: there are no memory images, so it is not known which instructions ran: --elf \
                 names programs",
            );
        }
        if self.on_error == OnError::OpenCsd {
            only_addresses(&mut images);
        }
        let policy = Policy::from(self.on_error);
        let mut followed = Followed::default();
        for part in select_sources(trace, self.id)? {
            let bytes = part.buffer.bytes.len()?;
            let groups: Vec<&[usize]> = if part.buffer.bytes.is_repeatable() {
                part.sources.chunks(1).collect()
            } else {
                vec![&part.sources]
            };
            let mut progress =
                bytes.map(|bytes| Progress::new("flow", bytes * groups.len() as u64));
            for sources in groups {
                let pass = Pass {
                    buffer: part.buffer,
                    sources,
                    policy,
                    sync_limit,
                };
                let mut following = Following::new(&pass, &images, sink, &mut progress);
                pass.run_streams(&mut following)?;
                following.end(&mut followed);
            }
        }
        if !followed.is_decoded {
            say(
                "warning: nothing was decoded: no source has an A-Sync, so check the format and the \
                 trace IDs",
            );
        }
        Ok(followed)
    }
}

/// The number of the CPU whose trace unit has this name, as recordings of perf have it.
fn cpu_of(name: &str) -> Option<u32> {
    name.strip_prefix("cpu")?.parse().ok()
}

/// The images of the trace, and over them the programs.
fn images(trace: &Trace, program: &Program) -> Result<Vec<Image>> {
    let mut images: Vec<Image> = trace.memory.iter().map(image).collect::<Result<_>>()?;
    images.extend(program.images().map(|(file, address, bytes)| Image {
        name: file.display().to_string(),
        ..Image::new(address, bytes)
    }));
    Ok(images)
}

fn image(image: &MemoryImage) -> Result<Image> {
    let mut spaces = Spaces::ANY;
    if let Some(name) = &image.space {
        let named = Spaces::of_name(name);
        if named.is_none() {
            let file = image.file.display();
            say(&format!(
                "warning: {file}: there is no memory space {name:?}, so every context sees it"
            ));
        }
        spaces = named.unwrap_or(spaces);
    }
    Ok(Image {
        name: image.file.display().to_string(),
        spaces,
        vmid: image.vmid,
        cid: image.cid,
        ..Image::new(image.address, image.read()?)
    })
}

/// OpenCSD knows no image of one VMID or context ID, and where several overlap its first one counts.
fn only_addresses(images: &mut [Image]) {
    images.reverse();
    for image in images {
        (image.vmid, image.cid) = (None, None);
    }
}

/// A pass in which the sources are followed.
struct Following<'a, S: FlowSink> {
    sink: &'a mut S,
    /// None without a decoder.
    flows: Vec<Option<SourceFlow<S::Part>>>,
    progress: &'a mut Option<Progress>,
}

/// The flow of a source, and its elements that are not taken yet.
struct SourceFlow<P> {
    source: TraceSource,
    flow: StreamFlow,
    part: P,
}

impl<'a, S: FlowSink> Following<'a, S> {
    fn new(
        pass: &Pass<'a>,
        images: &[Image],
        sink: &'a mut S,
        progress: &'a mut Option<Progress>,
    ) -> Following<'a, S> {
        let buffer = pass.buffer;
        let flow = |&index: &usize| {
            let source = &buffer.sources[index];
            let config = source.config?;
            let config = SourceConfig {
                protocol: config.protocol,
                profile: config.profile,
                registers: source.registers,
                lenient: pass.policy == Policy::Lenient,
            };
            let source = TraceSource {
                id: source.trace_id.unwrap_or(0),
                cpu: cpu_of(&source.name),
                registers: source.registers,
            };
            Some(SourceFlow {
                source,
                flow: StreamFlow::new(&config, Images::new(images.to_vec()), pass.policy),
                part: sink.begin(&source),
            })
        };
        Following {
            flows: pass.sources.iter().map(flow).collect(),
            sink,
            progress,
        }
    }

    fn each(&mut self, mut run: impl FnMut(&mut StreamFlow, &mut S::Part)) {
        for SourceFlow { flow, part, .. } in self.flows.iter_mut().flatten() {
            run(flow, part);
            self.sink.take(part);
        }
    }

    fn end(self, followed: &mut Followed) {
        for SourceFlow { source, flow, part } in self.flows.into_iter().flatten() {
            followed.is_decoded |= flow.has_async();
            for (image, doubt, places) in flow.doubts() {
                followed.doubts += places.count;
                self.sink.doubt(&source, image, doubt, places);
            }
            self.sink.end(&source, part);
        }
    }
}

impl<S: FlowSink> StreamSink for Following<'_, S> {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        if let Some(SourceFlow { flow, part, .. }) = &mut self.flows[source] {
            for step in bytes.chunks(STEP_BYTES) {
                flow.feed(step, part);
                self.sink.take(part);
            }
        }
    }

    fn lost(&mut self) {
        self.each(|flow, part| flow.discontinuity(part));
    }

    fn finish(&mut self) {
        self.each(|flow, part| flow.finish(part));
    }

    fn is_synced(&self) -> bool {
        let mut flows = self.flows.iter().flatten();
        flows.any(|source| source.flow.has_async())
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }
}
