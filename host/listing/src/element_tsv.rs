// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements as tab-separated columns.

use coretrace_flow::{Element, Range};

use super::element::{element_name, element_text};
use super::write;

/// Ranges whose text is kept, one for each low part of an address. A power of two.
const KEPT: usize = 4096;

/// Writes the elements of one trace ID. Programs run in loops, so the text of a range is kept, in at
/// most a megabyte.
#[derive(Clone, Debug)]
pub struct ElementTsv {
    id: u8,
    ranges: Vec<Option<(Range, Box<str>)>>,
}

impl ElementTsv {
    /// A writer for this trace ID.
    pub fn new(id: u8) -> ElementTsv {
        ElementTsv {
            id,
            ranges: vec![None; KEPT],
        }
    }

    /// Appends the columns offset, trace ID, name and `text=`, and a line end.
    pub fn element(&mut self, out: &mut String, offset: u64, element: &Element) {
        write::decimal(out, offset);
        match element {
            Element::Range(range) => out.push_str(self.range(range)),
            _ => columns(out, self.id, element),
        }
    }

    fn range(&mut self, range: &Range) -> &str {
        let address = (range.start ^ range.end << 3) as usize;
        let place = (address ^ range.outcome as usize) % KEPT;
        let kept = &mut self.ranges[place];
        if !matches!(kept, Some((known, _)) if known == range) {
            *kept = None;
        }
        let (_, text) = kept.get_or_insert_with(|| {
            let mut text = String::new();
            columns(&mut text, self.id, &Element::Range(*range));
            (*range, text.into())
        });
        text
    }
}

/// What is behind the offset.
fn columns(out: &mut String, id: u8, element: &Element) {
    out.push('\t');
    write::hex(out, id.into(), 2);
    out.push('\t');
    out.push_str(element_name(element));
    out.push_str("\ttext=");
    element_text(out, element);
    out.push('\n');
}
