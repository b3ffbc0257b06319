// SPDX-License-Identifier: MIT OR Apache-2.0
//! The register table as text for documents, software and tools.

mod c_header;
mod ip_xact;
mod markdown;
mod rust_accessors;
mod system_rdl;

pub use c_header::c_header;
pub use ip_xact::ip_xact;
pub use markdown::markdown;
pub use rust_accessors::rust_accessors;
pub use system_rdl::system_rdl;
