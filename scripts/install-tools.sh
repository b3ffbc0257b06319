#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Installs what the full test suite needs beside Rust: Verilator with a compiler cache, Icarus Verilog
# and Yosys for the exported Verilog, Tcl for the Vivado scripts, dtc for the device tree, OpenCSD with its
# packet lister for comparisons, LLVM and BOLT, which read profiles; Python with its venv module, into which the cocotb bench, the tools of
# the board and of the report, and the messages of Perfetto are installed, and the spelling checker of the
# gate. For Debian and its descendants.
#
# `scripts/install-tools.sh nightly` adds Chromium for the page of `etm4 report`, QEMU, which runs the
# programs that are made faster, and the compiler and the standard library of a static `etm4` for aarch64.
#
# The gate uses cargo-deny, and scripts/test.sh cargo-nextest, where they are installed; the nightly
# and weekly stages need all of
#     cargo install --locked cargo-nextest cargo-deny cargo-mutants cargo-tarpaulin inferno
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(verilator iverilog yosys tcl device-tree-compiler libopencsd-dev libopencsd-bin xz-utils python3-venv ccache
    clang-19 lld-19 llvm-19 bolt-19)
[ "${1:-}" != nightly ] || packages+=(chromium qemu-user openjdk-17-jre-headless
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -q
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

if [ "${1:-}" = nightly ] && command -v rustup >/dev/null; then
    rustup target add aarch64-unknown-linux-gnu
fi

typos=typos==1.52.0
tools=target/gate-tools
if [ "$(cat "$tools/installed" 2>/dev/null)" != "$typos" ]; then
    mkdir -p target
    python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check "$typos"
    echo "$typos" >"$tools/installed"
fi
