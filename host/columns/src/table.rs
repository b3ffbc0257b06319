// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Parquet file that is written row by row.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use crate::column::Column;

/// Rows of a group.
const ROWS: usize = 1 << 16;

/// A row: its fields are those that are set, each at most once.
pub struct Row<'t> {
    columns: &'t mut [Column],
    number: usize,
}

impl Row<'_> {
    /// Sets a column of 64-bit numbers.
    pub fn wide(&mut self, column: usize, value: u64) {
        self.columns[column].set_wide(self.number, value);
    }

    /// Sets a column of 32-bit numbers.
    pub fn number(&mut self, column: usize, value: u32) {
        self.columns[column].set_number(self.number, value);
    }

    /// Sets a column of flags.
    pub fn flag(&mut self, column: usize, value: bool) {
        self.columns[column].set_flag(self.number, value);
    }

    /// Sets a column of texts.
    pub fn text(&mut self, column: usize, value: &str) {
        self.columns[column].set_text(self.number, value);
    }

    /// Sets a column of texts to a trace ID.
    pub fn id(&mut self, column: usize, id: u8) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let text = [id >> 4, id & 15].map(|digit| DIGITS[usize::from(digit)]);
        self.text(column, core::str::from_utf8(&text).unwrap_or_default());
    }
}

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
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("etm4 ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true);
        for name in columns.iter().filter_map(Column::sequence_name) {
            let column = ColumnPath::from(name);
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
        Ok(Table {
            file: SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))?,
            columns,
            rows: 0,
        })
    }

    /// Adds a row: `fill` sets the columns that have a value in it, none of them twice.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn row(&mut self, fill: impl FnOnce(&mut Row<'_>)) -> Result<()> {
        fill(&mut Row {
            columns: &mut self.columns,
            number: self.rows,
        });
        self.rows += 1;
        if self.rows == ROWS {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut out) = group.next_column()? {
                column.write(self.rows, &mut out)?;
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
