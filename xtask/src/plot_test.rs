// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture is checked as text: tags, points, labels.

use super::*;

fn point(name: &str, kind: Kind, lut: f64, rate: f64) -> Point {
    Point {
        name: name.to_owned(),
        kind,
        lut,
        rate,
        source: "A & B, <2021>".to_owned(),
    }
}

fn sample() -> Vec<Point> {
    vec![
        point("etm4_x4", Kind::Estimated, 5300.0, 0.5),
        point("etm4_jump_x4", Kind::Estimated, 2900.0, 2.0),
        point("etm4_jump_x8", Kind::Estimated, 6400.0, 3.8),
        point("thesis", Kind::Claimed, 2899.0, 1.0),
        point("older", Kind::Claimed, 3160.0, 0.125),
    ]
}

/// Panics unless every tag is closed in order and no bare `&` or `<` is in the text.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').expect("a tag without an end") + start;
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "a bare < before {tag}");
        let name = tag.split([' ', '\n']).next().unwrap();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else if !tag.ends_with('/') && !tag.starts_with('!') {
            open.push(name);
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for entity in svg.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;"];
        assert!(
            known.iter().any(|name| entity.starts_with(name)),
            "{entity}"
        );
    }
}

#[test]
fn the_picture_is_well_formed_and_has_every_point() {
    let points = sample();
    let text = svg(&points);
    assert_well_formed(&text);
    for point in &points {
        assert!(text.contains(&format!(">{}</text>", escape(&point.label()))));
        assert!(text.contains(&format!("<g><title>{}</title>", escape(&point.sentence()))));
    }
    assert_eq!(
        text.matches("<circle class=\"estimated\"").count(),
        3 + 1,
        "and the legend"
    );
    assert_eq!(
        text.matches("<path class=\"claimed\"").count(),
        2 + 1,
        "and the legend"
    );
    assert!(text.contains("prefers-color-scheme: dark"));
}

#[test]
#[should_panic(expected = "assertion")]
fn the_check_of_the_picture_finds_a_tag_that_is_not_closed() {
    assert_well_formed("<svg><g></svg>");
}

#[test]
fn a_logarithmic_axis_has_its_values_inside_and_equal_ratios_equally_far() {
    let axis = Axis::around([30.0, 3000.0].into_iter(), 0.0, 100.0);
    assert_eq!((axis.low, axis.high), (20.0, 5000.0));
    assert!((axis.at(200.0) - axis.at(20.0) - (axis.at(5000.0) - axis.at(500.0))).abs() < 1e-9);
    assert_eq!(axis.ticks().count(), 8);
}
