// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decode tree of the library for one source, and who listens to it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};

use crate::OpenCsd;
use crate::library::Tree;

const TRC_SRC_SINGLE: u32 = 1;
const OP_DATA: u32 = 0;
const OP_EOT: u32 = 1;
const OP_RESET: u32 = 3;
/// The first response that says that decoding cannot go on.
const RESP_WAIT: u32 = 3;

/// The library keeps its trees in lists without a lock.
static TREES: Mutex<()> = Mutex::new(());

/// The C structure that configures a decoder.
///
/// # Safety
/// The layout is the one that the library has for the decoder of this name, and the library keeps no pointer
/// to it.
pub(crate) unsafe trait DecoderConfig {
    /// The name of the decoder.
    const NAME: &CStr;
}

/// A tree, and the listener that the library's callback writes to.
pub(crate) struct DecodeTree<L> {
    pub library: OpenCsd,
    pub tree: Tree,
    /// Of a box: it must stay where it is.
    listener: *mut L,
}

impl<L> DecodeTree<L> {
    /// A tree with a decoder of a kind for a source. `attach` hands the listener to the library,
    /// given the tree and the decoder's ID; it returns the library's error, 0 for none.
    ///
    /// # Errors
    /// If the library refuses the registers or the listener.
    pub fn new<C: DecoderConfig>(
        library: OpenCsd,
        config: &C,
        kind: c_int,
        listener: L,
        attach: impl FnOnce(Tree, u8, *mut L) -> c_int,
    ) -> Result<DecodeTree<L>> {
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the function takes any values.
        let tree = unsafe { (library.create_tree)(TRC_SRC_SINGLE, 0) };
        ensure!(!tree.is_null(), "OpenCSD makes no decode tree");
        let listener = Box::into_raw(Box::new(listener));
        let (mut id, config) = (0, std::ptr::from_ref(config).cast::<c_void>());
        // SAFETY: the tree is alive, the name ends in 0, and `config` is the structure that goes with
        // the name and is copied by the library.
        let made =
            unsafe { (library.create_decoder)(tree, C::NAME.as_ptr(), kind, config, &mut id) };
        let errors = (made, attach(tree, id, listener));
        drop(_lock);
        let made = DecodeTree {
            library,
            tree,
            listener,
        };
        ensure!(
            errors == (0, 0),
            "OpenCSD makes no decoder: errors {errors:?}"
        );
        Ok(made)
    }

    /// Who listens.
    pub fn listener(&mut self) -> &mut L {
        // SAFETY: the listener lives as long as the tree, and the library uses it in `run` alone.
        unsafe { &mut *self.listener }
    }

    /// Sends a whole stream through the decoder.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<()> {
        let len = u32::try_from(stream.len()).context("the stream is too long for OpenCSD")?;
        let (process, tree) = (self.library.process, self.tree);
        let mut done = 0;
        // SAFETY: the tree is alive, and the pointer and length are those of one slice.
        let responses = unsafe {
            [
                process(tree, OP_RESET, 0, 0, null(), &mut 0),
                process(tree, OP_DATA, 0, len, stream.as_ptr(), &mut done),
                process(tree, OP_EOT, 0, 0, null(), &mut 0),
            ]
        };
        ensure!(
            done == len && responses.iter().all(|&response| response < RESP_WAIT),
            "OpenCSD stopped after {done} of {len} bytes: {responses:?}"
        );
        Ok(())
    }
}

impl<L> Drop for DecodeTree<L> {
    fn drop(&mut self) {
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the tree is alive and nobody else has it; the listener is that of a box, and nobody
        // has it once the tree is gone.
        unsafe {
            (self.library.destroy_tree)(self.tree);
            drop(Box::from_raw(self.listener));
        }
    }
}
