#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs what the full test suite needs beside Rust: Verilator with a compiler cache, Icarus Verilog
# and Yosys for the exported Verilog, Tcl for the Vivado scripts, OpenCSD for the comparison bench, and
# Python with its venv module, into which the cocotb bench and the tools of the board and of the report
# are installed. For Debian and its descendants.
set -euo pipefail

packages=(verilator iverilog yosys tcl libopencsd-dev xz-utils python3-venv ccache)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update -q
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
