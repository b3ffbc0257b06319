// SPDX-License-Identifier: MIT OR Apache-2.0
//! A full decoder for one source: packets and program flow.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use coretrace_etm::SourceConfig;

use crate::OpenCsd;
use crate::config::Etm4Config;
use crate::trace_element::TraceElement;
use crate::tree::DecodeTree;

const CREATE_FULL_DECODER: c_int = 2;
const MEM_SPACE_ANY: u32 = 0x1F;
const RESP_CONT: u32 = 0;

/// Who gets the elements.
pub trait Elements {
    /// An element.
    fn element(&mut self, element: &TraceElement);
}

/// A full decoder for one source.
pub struct FullDecoder<S: Elements> {
    tree: DecodeTree<S>,
    /// The library reads from them, so they go after the tree.
    _images: Vec<(u64, Arc<[u8]>)>,
}

impl<S: Elements> FullDecoder<S> {
    /// A decoder for a trace unit, and images by their addresses.
    ///
    /// # Errors
    /// If the library refuses the registers or the images.
    pub fn new(
        library: OpenCsd,
        source: &SourceConfig,
        images: Vec<(u64, Arc<[u8]>)>,
        sink: S,
    ) -> Result<FullDecoder<S>> {
        let attach = |tree, _id, sink: *mut S| {
            let callback = seen::<S> as *const c_void;
            // SAFETY: the tree is alive, `seen` has the type of an element callback, and `sink` lives
            // as long as the tree.
            unsafe { (library.set_elements)(tree, callback, sink.cast()) }
        };
        let decoder = FullDecoder {
            tree: DecodeTree::new(
                library,
                &Etm4Config::new(source),
                CREATE_FULL_DECODER,
                sink,
                attach,
            )?,
            _images: images.clone(),
        };
        for (address, bytes) in &images {
            let len = u32::try_from(bytes.len()).context("a long image")?;
            let tree = decoder.tree.tree;
            // SAFETY: the tree is alive, and the bytes live as long as it.
            let error =
                unsafe { (library.add_image)(tree, *address, MEM_SPACE_ANY, bytes.as_ptr(), len) };
            ensure!(error == 0, "OpenCSD refuses an image: error {error}");
        }
        Ok(decoder)
    }

    /// Who gets the elements.
    pub fn sink(&mut self) -> &mut S {
        self.tree.listener()
    }

    /// Decodes a whole stream.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<()> {
        self.tree.run(stream)
    }
}

/// The library calls this for every element.
extern "C" fn seen<S: Elements>(
    sink: *mut S,
    _offset: u32,
    _source: u8,
    element: *const TraceElement,
) -> u32 {
    // SAFETY: `sink` is that of the decoder, which nothing else uses meanwhile, and the element is
    // one.
    unsafe { (*sink).element(&*element) };
    RESP_CONT
}
