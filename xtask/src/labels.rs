// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places for the labels of a plot, so that none covers another one or a mark.

/// Width of a character at the size of the labels, for a wide font.
const CHARACTER: f64 = 6.6;
const HEIGHT: f64 = 15.0;
/// Steps of height up and down that are tried.
const STEPS: usize = 24;

/// An area of the picture; `y` grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Least `x`.
    pub left: f64,
    /// Least `y`.
    pub top: f64,
    /// Greatest `x`.
    pub right: f64,
    /// Greatest `y`.
    pub bottom: f64,
}

impl Rectangle {
    /// Whether two areas share more than an edge.
    pub fn overlaps(&self, other: &Rectangle) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn contains(&self, other: &Rectangle) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// The place of a label.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Where the text is.
    pub area: Rectangle,
    /// A line from the mark, if the text is not right beside it.
    pub leader: Option<((f64, f64), (f64, f64))>,
}

/// Places the labels of marks beside them: right, left, then further up and down.
///
/// `mark` is half the size of a mark, `taken` what no label may cover, and `frame` what none may
/// leave. A label for which there is no room at all goes to the right of its mark.
pub fn place(
    wanted: &[(String, (f64, f64))],
    mark: f64,
    mut taken: Vec<Rectangle>,
    frame: Rectangle,
) -> Vec<Label> {
    let mut labels = Vec::new();
    for (text, at) in wanted {
        let width = CHARACTER * text.chars().count() as f64;
        let all = candidates(*at, width, mark);
        let free = |label: &&Label| {
            frame.contains(&label.area) && !taken.iter().any(|area| area.overlaps(&label.area))
        };
        let label = *all.iter().find(free).unwrap_or(&all[0]);
        taken.push(label.area);
        labels.push(label);
    }
    labels
}

fn candidates((x, y): (f64, f64), width: f64, mark: f64) -> Vec<Label> {
    let heights = (0..=STEPS).flat_map(|step| {
        let away = step as f64 * HEIGHT / 2.0;
        [-away, away]
    });
    let at = |shift: f64| {
        let (top, bottom) = (y + shift - HEIGHT / 2.0, y + shift + HEIGHT / 2.0);
        let gap = if shift == 0.0 {
            mark + 2.0
        } else {
            mark + 10.0
        };
        [x + gap, x - gap - width].map(|left| {
            let area = Rectangle {
                left,
                top,
                right: left + width,
                bottom,
            };
            let edge = if left > x {
                left - 2.0
            } else {
                area.right + 2.0
            };
            let leader = ((x, y), (edge, y + shift));
            Label {
                area,
                leader: (shift != 0.0).then_some(leader),
            }
        })
    };
    heights.flat_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rectangle = Rectangle {
        left: 0.0,
        top: 0.0,
        right: 700.0,
        bottom: 400.0,
    };

    #[test]
    fn labels_of_close_marks_cover_neither_each_other_nor_a_mark() {
        let spots = [
            (350.0, 200.0),
            (352.0, 202.0),
            (350.0, 200.0),
            (695.0, 3.0),
            (5.0, 396.0),
        ];
        let wanted: Vec<_> = spots
            .iter()
            .enumerate()
            .map(|(number, spot)| (format!("a decoder with a long name {number}"), *spot))
            .collect();
        let marks: Vec<Rectangle> = spots
            .iter()
            .map(|(x, y)| Rectangle {
                left: x - 4.0,
                top: y - 4.0,
                right: x + 4.0,
                bottom: y + 4.0,
            })
            .collect();
        let labels = place(&wanted, 4.0, marks.clone(), FRAME);
        assert_eq!(labels.len(), spots.len());
        for (number, label) in labels.iter().enumerate() {
            assert!(FRAME.contains(&label.area), "{label:?}");
            assert!(
                !marks.iter().any(|mark| mark.overlaps(&label.area)),
                "{label:?}"
            );
            let mut others = labels[..number].iter();
            assert!(
                !others.any(|other| other.area.overlaps(&label.area)),
                "{label:?}"
            );
        }
    }

    #[test]
    fn a_label_with_room_is_right_beside_its_mark() {
        let wanted = [("name".to_owned(), (100.0, 100.0))];
        let label = place(&wanted, 4.0, Vec::new(), FRAME)[0];
        assert_eq!(label.area.left, 106.0);
        assert!(label.leader.is_none());
    }
}
