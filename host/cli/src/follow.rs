// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a traced program did: the elements of the sources of a trace.

mod chunked;
mod shard;
mod sink;
mod workers;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::{MemoryImage, Pass, StreamSink, Trace};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Image, Images, Processes, StreamFlow};

use crate::engine::OnError;
use crate::error::say;
use crate::images::{images, only_addresses, parse_image};
use crate::progress::Progress;
use crate::selection::{Protocols, select_beside};
use crate::trace_id;
use crate::traced::Traced;
use chunked::Chunked;
use shard::Extent;
pub use shard::Shard;
use sink::STEP_BYTES;
pub use sink::{FlowSink, Followed, TraceSource};
use workers::work;

/// How a program is followed.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// Decode the source with this trace ID (hexadecimal) only
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    pub id: Option<TraceId>,

    /// A program that was traced, as an ELF file; at this address, or where processes mapped it, or where
    /// it is linked to be. May be given several times; where files overlap the last one counts
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    pub elf: Vec<PathBuf>,

    /// A memory dump: bytes at this address, in every context or in a memory space such as EL1N, of a
    /// VMID, of a context ID. May be given several times; a later one counts, and a program more
    #[arg(long, value_name = "FILE@ADDRESS[,space=S][,vmid=N][,cid=N]", value_parser = parse_image)]
    pub image: Vec<MemoryImage>,

    /// What to do after bytes that are not a packet
    #[arg(long, value_enum, default_value_t)]
    pub on_error: OnError,

    /// How many threads follow the program. What comes out is the same for any number. The sources of
    /// a pipe with several are followed by one thread
    #[arg(long, value_name = "N", default_value = "1")]
    pub threads: NonZero<u8>,

    /// Follow one of N parts of the trace only: K is from 0, below N. The parts are cut at A-Syncs;
    /// together they are the whole, with nothing twice and nothing missing
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

impl FollowArgs {
    /// The programs of a trace. OpenCSD knows no processes.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub fn traced(&self, trace: &Trace) -> Result<Traced> {
        Traced::new(&self.elf, trace, self.on_error != OnError::OpenCsd)
    }

    /// Whether there is any memory image of a trace and its programs.
    pub fn has_images(&self, trace: &Trace, traced: &Traced) -> bool {
        let mut programs = traced.program.images();
        !trace.memory.is_empty() || !self.image.is_empty() || programs.next().is_some()
    }

    /// Follows the sources of a trace.
    ///
    /// # Errors
    /// If the trace or a memory image cannot be read, or no source can be decoded.
    pub fn follow(
        &self,
        trace: &Trace,
        traced: &Traced,
        sync_limit: u64,
        sink: &mut impl FlowSink,
    ) -> Result<Followed> {
        self.follow_beside(Protocols::Instructions, trace, traced, sync_limit, sink)
    }

    /// As [`FollowArgs::follow`], for a command that shows sources of these protocols.
    ///
    /// # Errors
    /// If the trace or a memory image cannot be read, or no source can be decoded.
    pub fn follow_beside(
        &self,
        shown: Protocols,
        trace: &Trace,
        traced: &Traced,
        sync_limit: u64,
        sink: &mut impl FlowSink,
    ) -> Result<Followed> {
        let mut images = images(trace, &self.image, &traced.program)?;
        if images.is_empty() {
            say(
                "warning: there are no memory images, so it is not known which instructions ran: --elf \
                 names programs, --image memory dumps",
            );
        }
        if self.on_error == OnError::OpenCsd {
            only_addresses(&mut images);
        }
        sink.images(&images);
        let memory = Memory {
            images,
            processes: Arc::clone(&traced.processes),
        };
        let policy = Policy::from(self.on_error);
        let mut followed = Followed::default();
        for part in select_beside(trace, self.id, Protocols::Instructions, shown)? {
            let mut progress = part.progress("flow")?;
            for pass in part.passes(policy, sync_limit) {
                let is_one = pass.sources.len() == 1;
                if is_one && (self.threads.get() > 1 || self.shard.is_some()) {
                    self.follow_chunks(&pass, &memory, sink, &mut progress, &mut followed)?;
                    continue;
                }
                ensure!(
                    self.shard.is_none(),
                    "a shard of a pipe is not possible: store the trace in a file"
                );
                let mut following = Following::new(&pass, &memory, sink, &mut progress);
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

    /// Follows the only source of a pass, with threads, or a shard of it.
    fn follow_chunks<S: FlowSink>(
        &self,
        pass: &Pass<'_>,
        memory: &Memory,
        sink: &mut S,
        progress: &mut Option<Progress>,
        followed: &mut Followed,
    ) -> Result<()> {
        let Some((source, flow)) = source_flow(pass, pass.sources[0], memory) else {
            return Ok(());
        };
        let extent = match self.shard {
            None => Extent::default(),
            Some(shard) => shard.of_pass(pass)?,
        };
        let threads = match self.threads.get() {
            1 => 0,
            threads => usize::from(threads),
        };
        let (sender, jobs) = channel();
        let jobs = &Mutex::new(jobs);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| work(jobs, S::is_full));
            }
            let workers = (threads > 0).then_some((threads, sender));
            let mut chunked = Chunked::new(source, flow, extent, workers, sink, progress);
            pass.run_streams(&mut chunked)?;
            chunked.end(followed);
            Ok(())
        })
    }
}

/// What was in memory.
struct Memory {
    images: Vec<Image>,
    processes: Arc<Processes>,
}

/// A source of a buffer, and a flow of it that has not begun; none without a decoder.
fn source_flow(
    pass: &Pass<'_>,
    index: usize,
    memory: &Memory,
) -> Option<(TraceSource, StreamFlow)> {
    let source = &pass.buffer.sources[index];
    let config = source.config?;
    let config = SourceConfig {
        protocol: config.protocol,
        profile: config.profile,
        registers: source.registers,
        lenient: pass.policy == Policy::Lenient,
    };
    let processes = Arc::clone(&memory.processes);
    let images = Images::of_processes(memory.images.clone(), processes);
    let source = TraceSource {
        id: source.trace_id.unwrap_or(0),
        cpu: cpu_of(&source.name),
        registers: source.registers,
    };
    Some((source, StreamFlow::new(&config, images, pass.policy)))
}

/// The number of the CPU whose trace unit has this name, as recordings of perf have it.
fn cpu_of(name: &str) -> Option<u32> {
    name.strip_prefix("cpu")?.parse().ok()
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
        memory: &Memory,
        sink: &'a mut S,
        progress: &'a mut Option<Progress>,
    ) -> Following<'a, S> {
        let flow = |&index: &usize| {
            let (source, flow) = source_flow(pass, index, memory)?;
            Some(SourceFlow {
                source,
                flow,
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
            followed.doubts += flow.doubts().count();
            self.sink.end(&source, part);
            self.sink.doubts(&source, flow.doubts());
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
