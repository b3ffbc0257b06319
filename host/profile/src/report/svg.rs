// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts over time as bars, in SVG.

use std::fmt::Write;

use crate::{Bucket, MAX_BUCKETS, Timeline};

const WIDTH: usize = 4 * MAX_BUCKETS;
const HEIGHT: usize = 120;
/// Height of the strip below the bars that shows where words were lost.
const STRIP: usize = 6;

/// Appends a picture: a bar for each bucket, as high as its count, and a mark below it where words
/// were lost. A bar shows its numbers in a tooltip.
pub fn write(out: &mut String, timeline: &Timeline, label: &str, count: impl Fn(&Bucket) -> u64) {
    let highest = timeline
        .buckets
        .iter()
        .map(&count)
        .max()
        .unwrap_or(0)
        .max(1);
    let bar_width = WIDTH as f64 / timeline.buckets.len().max(1) as f64;
    // Writing to a string never fails.
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{label}\">",
        HEIGHT + STRIP
    );
    for (index, bucket) in timeline.buckets.iter().enumerate() {
        let from = timeline.width.saturating_mul(index as u64);
        let from = timeline.origin.saturating_add(from);
        let number = count(bucket);
        let height = HEIGHT as f64 * number as f64 / highest as f64;
        let x = bar_width * index as f64;
        if number > 0 {
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{:.2}\" width=\"{bar_width:.2}\" height=\"{height:.2}\">\
                 <title>from {from}: {number}</title></rect>",
                HEIGHT as f64 - height
            );
        }
        if bucket.losses > 0 {
            let _ = writeln!(
                out,
                "<rect class=\"loss\" x=\"{x:.2}\" y=\"{HEIGHT}\" width=\"{bar_width:.2}\" \
                 height=\"{STRIP}\"><title>from {from}: {} losses</title></rect>",
                bucket.losses
            );
        }
    }
    out.push_str("</svg>\n");
}
