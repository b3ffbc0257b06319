// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes an input smaller while it keeps a property.

/// The smallest input found that still has the property: no byte of it can be left out, and none
/// can be 0 that is not.
pub fn minimise(bytes: &[u8], mut has_property: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = bytes.to_vec();
    loop {
        let before = best.clone();
        let mut chunk = best.len();
        while chunk > 0 {
            leave_out(&mut best, chunk, &mut has_property);
            chunk /= 2;
        }
        for index in 0..best.len() {
            let mut smaller = best.clone();
            smaller[index] = 0;
            if smaller != best && has_property(&smaller) {
                best = smaller;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// Leaves out chunks of this many bytes, the last ones first.
fn leave_out(best: &mut Vec<u8>, chunk: usize, has_property: &mut impl FnMut(&[u8]) -> bool) {
    let mut start = best.len();
    while start > 0 {
        start = start.saturating_sub(chunk);
        let end = (start + chunk).min(best.len());
        let smaller = [&best[..start], &best[end..]].concat();
        if has_property(&smaller) {
            *best = smaller;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let bytes: Vec<u8> = (0..=255).collect();
        let has = |bytes: &[u8]| {
            let found = |byte| bytes.iter().position(|&b| b == byte);
            matches!((found(17), found(200)), (Some(a), Some(b)) if a < b) && bytes.len() > 2
        };
        assert_eq!(minimise(&bytes, has).len(), 3);
        assert_eq!(minimise(&bytes, |bytes| bytes.contains(&7)), [7]);
    }
}
