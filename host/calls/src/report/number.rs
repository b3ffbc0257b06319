// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers and texts as a page shows them.

use crate::event::Axis;

/// A number with a comma after each three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `part` of `all` as a percentage.
pub fn percent(part: u64, all: u64) -> f64 {
    if all == 0 {
        0.0
    } else {
        100.0 * part as f64 / all as f64
    }
}

/// A stretch of time with its unit.
pub fn duration(time: u64, axis: Axis, frequency: Option<f64>) -> String {
    match (axis, frequency) {
        (Axis::Ticks, Some(hertz)) => {
            let seconds = time as f64 / hertz;
            let (scale, unit) = match seconds {
                s if s >= 1.0 => (1.0, "s"),
                s if s >= 1e-3 => (1e3, "ms"),
                s if s >= 1e-6 => (1e6, "µs"),
                _ => (1e9, "ns"),
            };
            format!("{:.3} {unit}", seconds * scale)
        }
        _ => format!("{} {}", grouped(time), axis.unit()),
    }
}

/// Text for an element or an attribute: names of files and symbols may contain anything.
pub fn escaped(text: &str) -> String {
    let is_shown = |c: char| !c.is_control() || c == '\t';
    let shown = text
        .chars()
        .map(|c| if is_shown(c) { c } else { '\u{fffd}' });
    html_escape::encode_quoted_attribute(&shown.collect::<String>()).into_owned()
}

/// Characters of a name in the drawings, at most.
pub const MAX_NAME: usize = 200;

/// The beginning of a text, at most this many characters, with dots if there is more.
pub fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), want);
        }
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        let of = |time, hertz| duration(time, Axis::Ticks, hertz);
        assert_eq!(of(1500, None), "1,500 ticks");
        assert_eq!(of(1500, Some(1e6)), "1.500 ms");
        assert_eq!(of(3_000_000, Some(1e6)), "3.000 s");
        assert_eq!(duration(7, Axis::Cycles, Some(1e6)), "7 cycles");
    }
}
