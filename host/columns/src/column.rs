// SPDX-License-Identifier: MIT OR Apache-2.0
//! A column of a row group.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};

/// The columns of a table in their order: a constant with the number of each one, and all of them.
macro_rules! columns {
    ($($number:ident = $column:expr;)*) => {
        columns!(@ 0, $($number)*);

        fn columns() -> Vec<Column> {
            vec![$($column),*]
        }
    };
    (@ $at:expr, $number:ident $($behind:ident)*) => {
        const $number: usize = $at;
        columns!(@ $at + 1, $($behind)*);
    };
    (@ $at:expr,) => {};
}

pub(crate) use columns;

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
    /// For each row 1 if it has a value, else 0; shorter than the rows where the last ones have none.
    /// None if every row has one.
    levels: Option<Vec<i16>>,
    /// The values differ from row to row.
    is_sequence: bool,
}

impl Column {
    fn new(name: &'static str, values: Values) -> Column {
        Column {
            name,
            values,
            levels: Some(Vec::new()),
            is_sequence: false,
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

    /// The values differ from row to row, and a little: they are written as differences.
    pub fn sequence(mut self) -> Column {
        self.is_sequence = true;
        self
    }

    /// Its name, if its values are written as differences.
    pub fn sequence_name(&self) -> Option<&'static str> {
        self.is_sequence.then_some(self.name)
    }

    /// Row `row` has this value.
    pub fn set_wide(&mut self, row: usize, value: u64) {
        if let Values::Wide(values) = &mut self.values {
            values.push(value.cast_signed());
            self.has_value(row);
        }
    }

    /// Row `row` has this value.
    pub fn set_number(&mut self, row: usize, value: u32) {
        if let Values::Number(values) = &mut self.values {
            values.push(value.cast_signed());
            self.has_value(row);
        }
    }

    /// Row `row` has this value.
    pub fn set_flag(&mut self, row: usize, value: bool) {
        if let Values::Flag(values) = &mut self.values {
            values.push(value);
            self.has_value(row);
        }
    }

    /// Row `row` has this value.
    pub fn set_text(&mut self, row: usize, value: &str) {
        if let Values::Text(values, texts) = &mut self.values {
            let is_text = |text: &ByteArray| text.data() == value.as_bytes();
            // Most rows have the text of the row before.
            let last = values.last().copied();
            let known = last.filter(|last| texts.get(usize::from(*last)).is_some_and(is_text));
            let number = known.unwrap_or_else(|| {
                let known = texts.iter().position(is_text);
                let number = known.unwrap_or_else(|| {
                    texts.push(ByteArray::from(value));
                    texts.len() - 1
                });
                number as u16
            });
            values.push(number);
            self.has_value(row);
        }
    }

    fn has_value(&mut self, row: usize) {
        if let Some(levels) = &mut self.levels {
            levels.resize(row, 0);
            levels.push(1);
        }
    }

    /// Writes all values of so many rows, and forgets them.
    pub fn write(&mut self, rows: usize, out: &mut SerializedColumnWriter<'_>) -> Result<()> {
        if let Some(levels) = &mut self.levels {
            levels.resize(rows, 0);
        }
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
