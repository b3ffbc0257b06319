// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Parquet file that is written row by row.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::column::Column;

/// Rows of a group.
const ROWS: usize = 1 << 16;

/// A Parquet file, and the rows of it that are not written yet.
pub struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
}

impl<W: Write + Send> Table<W> {
    /// A file with these columns and no rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W, columns: Vec<Column>) -> Result<Table<W>> {
        let fields = columns.iter().map(Column::schema).collect::<Result<_>>()?;
        let schema = Type::group_type_builder("schema")
            .with_fields(fields)
            .build()?;
        // Statistics of pages, and where pages are, would be kept up to the end of the file.
        let properties = WriterProperties::builder()
            .set_created_by(concat!("etm4 ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .build();
        Ok(Table {
            file: SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?,
            columns,
            rows: 0,
        })
    }

    /// Adds a row: `fill` sets the columns that have a value in it, none of them twice.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn row(&mut self, fill: impl FnOnce(&mut [Column])) -> Result<()> {
        fill(&mut self.columns);
        self.rows += 1;
        for column in &mut self.columns {
            column.end_row(self.rows);
        }
        if self.rows == ROWS {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut out) = group.next_column()? {
                column.write(&mut out)?;
                out.close()?;
            }
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    /// Writes what is left, and the end of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.file.finish()?;
        Ok(())
    }
}
