// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rate against LUTs as an SVG picture, both axes logarithmic.
//!
//! Numbers beside the marks lead to the names in the legend.

use super::measure::Report;
use super::published::Kind;
use anyhow::{Result, anyhow};
use plotters::prelude::*;

const SIZE: (u32, u32) = (900, 480);
const TITLE: &str = "Worst-case rate of trace decoders against their LUTs";
const LICENCE: &str =
    "<!-- SPDX-License-Identifier: MIT OR Apache-2.0. Made by cargo xtask report; do not edit. -->";
const ESTIMATED: RGBColor = RGBColor(9, 105, 218);
const CLAIMED: RGBColor = RGBColor(188, 76, 0);
const GRID: RGBColor = RGBColor(208, 215, 222);

/// A decoder in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Name in the legend.
    pub name: String,
    /// How the figures came about.
    pub kind: Kind,
    /// LUTs, shift registers and memories included.
    pub lut: f64,
    /// Bytes per cycle times clock frequency, in GB/s.
    pub rate: f64,
}

impl Point {
    /// Rates between which the truth is expected.
    fn range(&self) -> [f64; 2] {
        match self.kind {
            Kind::Estimated => [0.75 * self.rate, 1.25 * self.rate],
            Kind::Claimed => [self.rate; 2],
        }
    }

    fn colour(&self) -> RGBColor {
        match self.kind {
            Kind::Estimated => ESTIMATED,
            Kind::Claimed => CLAIMED,
        }
    }

    /// A mark around `at`; its shape distinguishes the kinds without the colour.
    fn mark(&self, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
        let corners = match self.kind {
            Kind::Estimated => vec![
                (x - 4, y - 4),
                (x + 4, y - 4),
                (x + 4, y + 4),
                (x - 4, y + 4),
            ],
            Kind::Claimed => vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)],
        };
        Polygon::new(corners, self.colour().filled())
    }
}

/// The designs of a run and the published decoders whose LUTs are known.
pub fn points(report: &Report) -> Vec<Point> {
    let designs = report.presets.iter().map(|measured| Point {
        name: measured.preset.clone(),
        kind: Kind::Estimated,
        lut: measured.estimated.area.lut_sites as f64,
        rate: measured.estimated_gb_per_s,
    });
    let published = report.published.iter().filter_map(|decoder| {
        Some(Point {
            name: decoder.name.to_owned(),
            kind: decoder.kind,
            lut: decoder.lut? as f64,
            rate: decoder.rate(),
        })
    });
    designs.chain(published).collect()
}

/// The range of an axis, with room around the values.
fn range(values: impl Iterator<Item = f64> + Clone) -> std::ops::Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    low / 1.4..values.fold(0.0, f64::max) * 1.4
}

/// The picture as SVG text, the same for the same points.
///
/// # Errors
/// If there is no point.
pub fn svg(points: &[Point]) -> Result<String> {
    anyhow::ensure!(!points.is_empty(), "no design to plot");
    let mut text = String::new();
    draw(points, &mut text).map_err(|error| anyhow!("the plot: {error}"))?;
    let end = text.find('>').map_or(0, |end| end + 1);
    text.insert_str(end, &format!("\n{LICENCE}\n<title>{TITLE}</title>"));
    Ok(text.trim_end().to_owned() + "\n")
}

fn draw(
    points: &[Point],
    text: &mut String,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (plot, legend) = root.split_horizontally(610);
    let mut chart = ChartBuilder::on(&plot)
        .caption(TITLE, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(
            range(points.iter().map(|point| point.lut)).log_scale(),
            range(points.iter().flat_map(Point::range)).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("LUT, shift registers and memories included")
        .y_desc("GB/s: bytes per cycle x clock")
        .label_style(("sans-serif", 15))
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .x_label_formatter(&|lut| format!("{lut:.0}"))
        .draw()?;
    for (index, point) in points.iter().enumerate() {
        let [low, high] = point.range();
        let bar = [(point.lut, low), (point.lut, high)];
        chart.draw_series([PathElement::new(bar, BLACK)])?;
        let number = Text::new((index + 1).to_string(), (7, -6), ("sans-serif", 15));
        let mark = EmptyElement::at((point.lut, point.rate)) + point.mark((0, 0)) + number;
        chart.draw_series([mark])?;
        let top = 60 + 22 * index as i32;
        let kind = point.kind.name();
        let entry = format!("{} {} ({kind})", index + 1, point.name);
        legend.draw(&point.mark((8, top)))?;
        legend.draw(&Text::new(entry, (20, top - 6), ("sans-serif", 15)))?;
    }
    let note = "bars: 25 % either way of an estimate";
    legend.draw(&Text::new(note, (2, 28), ("sans-serif", 15)))?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Point> {
        let point = |name: &str, kind, lut, rate| Point {
            name: name.to_owned(),
            kind,
            lut,
            rate,
        };
        vec![
            point("etm4_jump_x4", Kind::Estimated, 2900.0, 2.0),
            point("A & B <2021>", Kind::Claimed, 2899.0, 1.0),
        ]
    }

    #[test]
    fn the_picture_names_every_point_and_is_the_same_each_time() {
        let text = svg(&sample()).unwrap();
        assert_eq!(text, svg(&sample()).unwrap());

        assert!(text.contains("1 etm4_jump_x4 (estimated)"), "{text}");
        assert!(
            text.contains("2 A &amp; B &lt;2021&gt; (claimed)"),
            "{text}"
        );
        assert!(text.contains(LICENCE) && text.ends_with("</svg>\n"));
    }

    #[test]
    fn a_picture_without_points_is_an_error() {
        assert!(svg(&[]).is_err());
    }
}
