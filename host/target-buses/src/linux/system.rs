// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the C library says: flags of files, the size of a page.

use std::fs::OpenOptions;

use super::access::Access;

/// How a device is opened; with O_SYNC, so that memory of `/dev/mem` is not cached.
pub fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(access == Access::ReadWrite);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_SYNC);
    options
}

/// Bytes of a page: map n of a UIO node begins at page n.
pub fn page_bytes() -> u64 {
    page_size::get() as u64
}
