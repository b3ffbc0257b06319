// SPDX-License-Identifier: MIT OR Apache-2.0
//! A full decoder for one source: packets and program flow.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::{Arc, PoisonError};

use anyhow::{Context as _, Result, ensure};
use coretrace_etm::SourceConfig;

use crate::OpenCsd;
use crate::library::Tree;
use crate::processor::{self, DECODER, Etm4Config, TRC_SRC_SINGLE, TREES};
use crate::trace_element::TraceElement;

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
    library: OpenCsd,
    tree: Tree,
    /// Of a box. The library's callback writes to it, so it must stay where it is.
    sink: *mut S,
    /// The library reads from them.
    _images: Vec<(u64, Arc<[u8]>)>,
}

impl<S: Elements> FullDecoder<S> {
    /// A decoder for an ETMv4 with these registers, and images by their addresses.
    ///
    /// # Errors
    /// If the library refuses the registers or the images.
    pub fn new(
        library: OpenCsd,
        source: &SourceConfig,
        images: Vec<(u64, Arc<[u8]>)>,
        sink: S,
    ) -> Result<FullDecoder<S>> {
        let config = Etm4Config::new(source.protocol, source.profile, &source.registers);
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the function takes any values.
        let tree = unsafe { (library.create_tree)(TRC_SRC_SINGLE, 0) };
        ensure!(!tree.is_null(), "OpenCSD makes no decode tree");
        let sink = Box::into_raw(Box::new(sink));
        let (mut id, config) = (0, (&raw const config).cast());
        // SAFETY: the tree is alive, the name ends in 0, `config` is the structure that goes with
        // the name and is copied by the library, `seen` has the type of an element callback, and
        // `sink` lives as long as the tree.
        let errors = unsafe {
            let made = (library.create_decoder)(
                tree,
                DECODER.as_ptr(),
                CREATE_FULL_DECODER,
                config,
                &mut id,
            );
            let callback = seen::<S> as *const c_void;
            (made, (library.set_elements)(tree, callback, sink.cast()))
        };
        drop(_lock);
        let decoder = FullDecoder {
            library,
            tree,
            sink,
            _images: images.clone(),
        };
        ensure!(
            errors == (0, 0),
            "OpenCSD makes no decoder: errors {errors:?}"
        );
        for (address, bytes) in &images {
            let len = u32::try_from(bytes.len()).context("a long image")?;
            // SAFETY: the tree is alive, and the bytes live as long as it.
            let error =
                unsafe { (library.add_image)(tree, *address, MEM_SPACE_ANY, bytes.as_ptr(), len) };
            ensure!(error == 0, "OpenCSD refuses an image: error {error}");
        }
        Ok(decoder)
    }

    /// Who gets the elements.
    pub fn sink(&mut self) -> &mut S {
        // SAFETY: the sink lives as long as the decoder, and the library uses it in `run` alone.
        unsafe { &mut *self.sink }
    }

    /// Decodes a whole stream.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<()> {
        processor::run(&self.library, self.tree, stream)
    }
}

impl<S: Elements> Drop for FullDecoder<S> {
    fn drop(&mut self) {
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the tree is alive and nobody else has it; the sink is that of a box, and nobody
        // has it once the tree is gone.
        unsafe {
            (self.library.destroy_tree)(self.tree);
            drop(Box::from_raw(self.sink));
        }
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
