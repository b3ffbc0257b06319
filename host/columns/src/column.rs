// SPDX-License-Identifier: MIT OR Apache-2.0
//! A column of a row group.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};

/// Texts that are written together.
const TEXTS: usize = 4096;

/// The values of a column.
#[derive(Debug)]
enum Values {
    /// UINT_64.
    Wide(Vec<i64>),
    /// UINT_32.
    Number(Vec<i32>),
    /// BOOLEAN.
    Flag(Vec<bool>),
    /// STRING: numbers of the few texts that there are.
    Text(Vec<u16>, Vec<ByteArray>),
}

/// A column: the values of the rows that have one.
#[derive(Debug)]
pub struct Column {
    name: &'static str,
    values: Values,
    /// For each row 1 if it has a value, else 0. None if every row has one.
    levels: Option<Vec<i16>>,
}

impl Column {
    fn new(name: &'static str, values: Values) -> Column {
        Column {
            name,
            values,
            levels: Some(Vec::new()),
        }
    }

    /// A column of 64-bit numbers without sign.
    pub fn wide(name: &'static str) -> Column {
        Column::new(name, Values::Wide(Vec::new()))
    }

    /// A column of 32-bit numbers without sign.
    pub fn number(name: &'static str) -> Column {
        Column::new(name, Values::Number(Vec::new()))
    }

    /// A column of flags.
    pub fn flag(name: &'static str) -> Column {
        Column::new(name, Values::Flag(Vec::new()))
    }

    /// A column of texts, of which there are few.
    pub fn text(name: &'static str) -> Column {
        Column::new(name, Values::Text(Vec::new(), Vec::new()))
    }

    /// Every row has a value.
    pub fn required(mut self) -> Column {
        self.levels = None;
        self
    }

    /// What it is in the schema of the file.
    pub fn schema(&self) -> Result<TypePtr> {
        let (physical, logical) = match self.values {
            Values::Wide(_) => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
            Values::Number(_) => (PhysicalType::INT32, Some(LogicalType::integer(32, false))),
            Values::Flag(_) => (PhysicalType::BOOLEAN, None),
            Values::Text(..) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = match self.levels {
            Some(_) => Repetition::OPTIONAL,
            None => Repetition::REQUIRED,
        };
        let column = Type::primitive_type_builder(self.name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition)
            .build()?;
        Ok(Arc::new(column))
    }

    /// The next row has this value.
    pub fn set_wide(&mut self, value: u64) {
        if let Values::Wide(values) = &mut self.values {
            values.push(value.cast_signed());
            self.has_value(true);
        }
    }

    /// The next row has this value.
    pub fn set_number(&mut self, value: u32) {
        if let Values::Number(values) = &mut self.values {
            values.push(value.cast_signed());
            self.has_value(true);
        }
    }

    /// The next row has this value.
    pub fn set_flag(&mut self, value: bool) {
        if let Values::Flag(values) = &mut self.values {
            values.push(value);
            self.has_value(true);
        }
    }

    /// The next row has this value.
    pub fn set_text(&mut self, value: &str) {
        if let Values::Text(values, texts) = &mut self.values {
            let known = texts
                .iter()
                .position(|text| text.data() == value.as_bytes());
            let number = known.unwrap_or_else(|| {
                texts.push(ByteArray::from(value));
                texts.len() - 1
            });
            values.push(number as u16);
            self.has_value(true);
        }
    }

    /// A row ends: if nothing was set, it has no value.
    pub fn end_row(&mut self, rows: usize) {
        if self
            .levels
            .as_ref()
            .is_some_and(|levels| levels.len() < rows)
        {
            self.has_value(false);
        }
    }

    fn has_value(&mut self, has: bool) {
        if let Some(levels) = &mut self.levels {
            levels.push(has.into());
        }
    }

    /// Writes all values, and forgets them.
    pub fn write(&mut self, out: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let levels = self.levels.as_deref();
        match &mut self.values {
            Values::Wide(values) => put::<Int64Type>(out, values, levels)?,
            Values::Number(values) => put::<Int32Type>(out, values, levels)?,
            Values::Flag(values) => put::<BoolType>(out, values, levels)?,
            Values::Text(values, texts) => {
                put_texts(out, values, texts, levels)?;
                values.clear();
            }
        }
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        Ok(())
    }
}

fn put<T: DataType>(
    out: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: Option<&[i16]>,
) -> Result<()> {
    out.typed::<T>().write_batch(values, levels, None)?;
    values.clear();
    Ok(())
}

/// Writes texts some at a time: they take more memory than their numbers.
fn put_texts(
    out: &mut SerializedColumnWriter<'_>,
    values: &[u16],
    texts: &[ByteArray],
    levels: Option<&[i16]>,
) -> Result<()> {
    let out = out.typed::<ByteArrayType>();
    let text = |number: &u16| texts[usize::from(*number)].clone();
    let Some(levels) = levels else {
        for values in values.chunks(TEXTS) {
            let values: Vec<ByteArray> = values.iter().map(text).collect();
            out.write_batch(&values, None, None)?;
        }
        return Ok(());
    };
    let mut left = values;
    for levels in levels.chunks(TEXTS) {
        let count = levels.iter().filter(|level| **level == 1).count();
        let (values, rest) = left.split_at(count);
        left = rest;
        let values: Vec<ByteArray> = values.iter().map(text).collect();
        out.write_batch(&values, Some(levels), None)?;
    }
    Ok(())
}
