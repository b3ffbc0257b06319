// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rate against LUTs as an SVG picture, both axes logarithmic.
//!
//! The background is left open and the colours follow the reader's light or dark theme.

use crate::labels::{Rectangle, place};
use crate::measure::Report;
use crate::published::Kind;
use std::fmt::{Result, Write};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
/// Where the axes are.
const FRAME: Rectangle = Rectangle {
    left: 70.0,
    top: 64.0,
    right: 740.0,
    bottom: 404.0,
};
/// Half the size of a mark, its outline included.
const MARK: f64 = 6.0;
const TITLE: &str = "Worst-case rate of trace decoders against their LUTs";

const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: #d0d7de; stroke-width: 1; }
.error, .leader { stroke: #6e7781; stroke-width: 1; }
.estimated { fill: #0969da; stroke: #0969da; stroke-width: 2; }
.claimed { fill: none; stroke: #bc4c00; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.grid { stroke: #30363d; }
.error, .leader { stroke: #8b949e; }
.estimated { fill: #58a6ff; stroke: #58a6ff; }
.claimed { stroke: #f0883e; }
}";

/// A decoder in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What stands beside the mark.
    pub name: String,
    /// How the figures came about.
    pub kind: Kind,
    /// Shift registers included.
    pub lut: f64,
    /// Bytes per cycle times clock frequency, in GB/s.
    pub rate: f64,
    /// Device and source of the figures.
    pub source: String,
}

impl Point {
    fn label(&self) -> String {
        format!("{} ({})", self.name, self.kind.name())
    }

    /// Rates between which the truth is expected.
    fn range(&self) -> [f64; 2] {
        match self.kind {
            Kind::Estimated => [0.75 * self.rate, 1.25 * self.rate],
            Kind::Claimed => [self.rate; 2],
        }
    }

    fn sentence(&self) -> String {
        format!(
            "{}: {:.2} GB/s, {} LUT, {}. {}",
            self.name,
            self.rate,
            self.lut,
            self.kind.name(),
            self.source
        )
    }
}

/// The presets of a run and the published decoders whose LUTs are known.
pub fn points(report: &Report) -> Vec<Point> {
    let presets = report.presets.iter().map(|measured| Point {
        name: measured.preset.to_owned(),
        kind: Kind::Estimated,
        lut: measured.estimated.area.lut_and_srl as f64,
        rate: measured.estimated_gb_per_s,
        source: format!(
            "{}, Yosys and cargo xtask report, +-25 % of the frequency.",
            crate::estimate::DEVICE
        ),
    });
    let published = report.published.iter().filter_map(|decoder| {
        Some(Point {
            name: decoder.name.to_owned(),
            kind: decoder.kind,
            lut: decoder.lut? as f64,
            rate: decoder.rate(),
            source: format!("{}: {}.", decoder.device, decoder.source),
        })
    });
    presets.chain(published).collect()
}

/// A logarithmic axis.
struct Axis {
    low: f64,
    high: f64,
    /// Coordinates of the two.
    from: f64,
    to: f64,
}

impl Axis {
    /// Bounds at a tick, with room around the values.
    fn around(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min) / 1.2;
        let high = values.fold(0.0, f64::max) * 1.2;
        let below = ticks().filter(|&tick| tick <= low).last();
        let above = ticks().find(|&tick| tick >= high);
        Axis {
            low: below.unwrap_or(low),
            high: above.unwrap_or(high),
            from,
            to,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let part = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + part * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        ticks().filter(|&tick| tick >= self.low && tick <= self.high)
    }
}

/// 1, 2 and 5 times the powers of ten, from a thousandth to a hundred million.
fn ticks() -> impl Iterator<Item = f64> {
    (-3..9).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(power)))
}

/// The picture as SVG text.
pub fn svg(points: &[Point]) -> String {
    let mut text = String::new();
    write(points, &mut text).expect("writing to a string");
    text
}

fn write(points: &[Point], text: &mut String) -> Result {
    let sentences: Vec<String> = points.iter().map(Point::sentence).collect();
    writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-labelledby=\"title description\">\n\
         <!-- SPDX-License-Identifier: MIT OR Apache-2.0. Made by cargo xtask report; do not edit. -->\n\
         <title id=\"title\">{TITLE}</title>\n\
         <desc id=\"description\">{}</desc>\n<style>\n{STYLE}\n</style>",
        escape(&sentences.join(" "))
    )?;
    writeln!(
        text,
        "<text class=\"title\" x=\"{}\" y=\"22\">{TITLE}</text>",
        FRAME.left
    )?;
    legend(text)?;
    let luts = points.iter().map(|point| point.lut);
    let rates = points.iter().flat_map(Point::range);
    let x = Axis::around(luts, FRAME.left, FRAME.right);
    let y = Axis::around(rates, FRAME.bottom, FRAME.top);
    axes(&x, &y, text)?;
    let marks: Vec<(f64, f64)> = points.iter().map(|p| (x.at(p.lut), y.at(p.rate))).collect();
    let mut taken: Vec<Rectangle> = marks.iter().map(|&at| mark(at)).collect();
    for (point, &(left, _)) in points.iter().zip(&marks) {
        let [low, high] = point.range().map(|rate| y.at(rate));
        taken.push(Rectangle {
            left: left - 1.0,
            top: high,
            right: left + 1.0,
            bottom: low,
        });
    }
    let wanted: Vec<_> = points
        .iter()
        .map(Point::label)
        .zip(marks.iter().copied())
        .collect();
    let labels = place(&wanted, MARK, taken, FRAME);
    for ((point, &(left, top)), label) in points.iter().zip(&marks).zip(&labels) {
        writeln!(text, "<g><title>{}</title>", escape(&point.sentence()))?;
        let [low, high] = point.range().map(|rate| y.at(rate));
        writeln!(
            text,
            "<path class=\"error\" d=\"M{left:.1} {low:.1}V{high:.1}\"/>"
        )?;
        shape(point.kind, left, top, text)?;
        if let Some((from, to)) = label.leader {
            writeln!(
                text,
                "<path class=\"leader\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                from.0, from.1, to.0, to.1
            )?;
        }
        writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            label.area.left,
            label.area.bottom - 3.0,
            escape(&point.label())
        )?;
    }
    writeln!(text, "</svg>")
}

fn legend(text: &mut String) -> Result {
    let entries = [
        (Kind::Estimated, "estimated from a netlist, +-25 %"),
        (
            Kind::Claimed,
            "claimed by its authors or those who cite them",
        ),
    ];
    for (left, (kind, words)) in [FRAME.left + MARK, FRAME.left + 240.0]
        .into_iter()
        .zip(entries)
    {
        shape(kind, left, 42.0, text)?;
        writeln!(text, "<text x=\"{}\" y=\"46\">{words}</text>", left + 12.0)?;
    }
    Ok(())
}

/// The mark of a kind: the shape tells it without the colour.
fn shape(kind: Kind, x: f64, y: f64, text: &mut String) -> Result {
    let class = kind.name();
    match kind {
        Kind::Estimated => {
            writeln!(
                text,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
            )
        }
        Kind::Claimed => writeln!(
            text,
            "<path class=\"{class}\" d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\"/>",
            y - 5.0
        ),
    }
}

fn mark((x, y): (f64, f64)) -> Rectangle {
    Rectangle {
        left: x - MARK,
        top: y - MARK,
        right: x + MARK,
        bottom: y + MARK,
    }
}

fn axes(x: &Axis, y: &Axis, text: &mut String) -> Result {
    for tick in x.ticks() {
        let at = x.at(tick);
        writeln!(
            text,
            "<path class=\"grid\" d=\"M{at:.1} {}V{}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            FRAME.top,
            FRAME.bottom,
            FRAME.bottom + 18.0
        )?;
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        writeln!(
            text,
            "<path class=\"grid\" d=\"M{} {at:.1}H{}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            FRAME.left,
            FRAME.right,
            FRAME.left - 8.0,
            at + 4.0
        )?;
    }
    let middle = (FRAME.left + FRAME.right) / 2.0;
    let height = (FRAME.top + FRAME.bottom) / 2.0;
    writeln!(
        text,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">LUT, shift registers included</text>\n\
         <text transform=\"translate(18 {height}) rotate(-90)\" text-anchor=\"middle\">GB/s: bytes \
         per cycle x clock</text>",
        FRAME.bottom + 42.0
    )
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

#[cfg(test)]
#[path = "plot_test.rs"]
mod tests;
