// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes as bars in an SVG picture, on a logarithmic axis.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::results::{Results, Size};

/// Pixels: the width, the height of a bar with the room around it, and what is around all bars.
const WIDTH: u32 = 760;
/// See [`WIDTH`].
const ROW: u32 = 24;
/// See [`WIDTH`].
const AROUND: u32 = 110;
const TITLE: &str = "Bits per instruction";
const BAR: RGBColor = RGBColor(9, 105, 218);
const GRID: RGBColor = RGBColor(208, 215, 222);
const FONT: (&str, i32) = ("sans-serif", 14);

/// The picture as SVG text, the same for the same sizes.
///
/// # Errors
/// If it cannot be drawn.
pub fn svg(results: &Results) -> Result<String> {
    let mut text = String::new();
    draw(results, &mut text).map_err(|error| anyhow!("the plot: {error}"))?;
    let end = text.find('>').map_or(0, |end| end + 1);
    text.insert_str(end, &format!("\n<title>{TITLE}</title>"));
    Ok(text)
}

/// A mark of the axis that has a text: 1, 2 or 5 and zeros.
fn label(bits: f64) -> String {
    let decade = 10_f64.powf(bits.log10().floor());
    let digit = (bits / decade).round();
    if [1.0, 2.0, 5.0].contains(&digit) {
        let digits = -bits.log10().floor().min(0.0) as usize;
        format!("{bits:.digits$}")
    } else {
        String::new()
    }
}

fn draw(results: &Results, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let sizes = &results.sizes;
    let bits = |size: &Size| results.bits(size).max(f64::MIN_POSITIVE);
    let least = sizes.iter().map(bits).fold(f64::INFINITY, f64::min) / 2.0;
    let most = sizes.iter().map(bits).fold(0.0, f64::max) * 2.0;
    let rows = sizes.len() as u32;
    let root = SVGBackend::with_string(text, (WIDTH, ROW * rows + AROUND)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(TITLE, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(80)
        .build_cartesian_2d((least..most).log_scale(), (0..rows).into_segmented())?;
    // The first size is at the top.
    let row = |row: u32| SegmentValue::Exact(rows - 1 - row);
    let name = |place: &SegmentValue<u32>| match place {
        SegmentValue::CenterOf(place) => {
            let size = rows.checked_sub(1 + place);
            size.map_or(String::new(), |size| sizes[size as usize].name.to_owned())
        }
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(sizes.len())
        .y_label_formatter(&name)
        .x_label_formatter(&|bits| label(*bits))
        .label_style(FONT)
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .draw()?;
    for (number, size) in (0..).zip(sizes) {
        let place = row(number);
        let above = SegmentValue::Exact(rows - number);
        let mut bar = Rectangle::new(
            [(least, place.clone()), (bits(size), above.clone())],
            BAR.filled(),
        );
        bar.set_margin(4, 4, 0, 0);
        chart.draw_series([bar])?;
        let figure = Text::new(format!("{:.4}", results.bits(size)), (4, 5), FONT);
        chart.draw_series([EmptyElement::at((bits(size), above)) + figure])?;
    }
    root.present()?;
    Ok(())
}
