// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files that the program wrote.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::SerializedFileReader;

/// The file at a path.
pub fn open(path: &Path) -> SerializedFileReader<File> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    SerializedFileReader::new(file).expect("a Parquet file")
}
