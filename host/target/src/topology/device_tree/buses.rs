// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of a node as those of the processor: each bus above it maps its addresses to those of the bus
//! above, by its property `ranges`.

use dtoolkit::fdt::FdtNode;

/// The buses above a node, the outermost first.
#[derive(Clone, Debug, Default)]
pub struct Buses(Vec<Vec<Window>>);

/// Addresses of a bus, and where they are on the bus above.
#[derive(Clone, Copy, Debug)]
struct Window {
    here: u64,
    above: u64,
    bytes: u64,
}

impl Buses {
    /// The buses above the nodes below a bus; `None` if the processor does not reach them.
    pub fn below(&self, bus: &FdtNode<'_>) -> Option<Buses> {
        let windows = bus.ranges().ok()??.map(|range| {
            Some(Window {
                here: range.child_bus_address().ok()?,
                above: range.parent_bus_address().ok()?,
                bytes: range.length().ok()?,
            })
        });
        let mut buses = self.clone();
        buses.0.push(windows.flatten().collect());
        Some(buses)
    }

    /// The address of the processor for one of a node; `None` if it reaches none. A bus without windows has
    /// the addresses of the one above.
    pub fn address(&self, of_node: u64) -> Option<u64> {
        let through = |address: u64, windows: &Vec<Window>| {
            let mut places = windows.iter().filter_map(|window| {
                let offset = address.checked_sub(window.here)?;
                (offset < window.bytes).then(|| window.above.checked_add(offset))?
            });
            match windows.is_empty() {
                true => Some(address),
                false => places.next(),
            }
        };
        self.0.iter().rev().try_fold(of_node, through)
    }

    /// The first address of the registers of a node.
    pub fn base(&self, node: &FdtNode<'_>) -> Option<u64> {
        let address = node.reg().ok()??.next()?.address().ok()?;
        self.address(address)
    }
}
