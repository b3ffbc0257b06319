// SPDX-License-Identifier: MIT OR Apache-2.0
//! An overlay of a device tree with the nodes of an include.

/// The root of an overlay, with addresses and sizes as the root of the board has them.
const ROOT: &str = "
/dts-v1/;
/plugin/;

&{/} {
\t#address-cells = <2>;
\t#size-cells = <2>;

";

/// The overlay for a tree that was compiled with its symbols. The include has one root node.
pub fn overlay(include: &str) -> String {
    include.replacen("\n/ {\n", ROOT, 1)
}
