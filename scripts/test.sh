#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Runs tests with cargo-nextest where it is installed, with `cargo test` otherwise.
#     scripts/test.sh gate [PACKAGES AND TARGETS]      what every change must pass
#     scripts/test.sh nightly [PACKAGES AND TARGETS]   the ignored tests, minutes each
# What they print is in target/tests-TIER.log too, because a stage of the night shows the sums alone.
set -euo pipefail
cd "$(dirname "$0")/.."

tier=$1
shift
[ $# -gt 0 ] || set -- --workspace

case "$tier" in
    gate) profile=ci ignored=default only=() ;;
    nightly)
        profile=nightly ignored=only only=(-- --ignored)
        # A test that is skipped passes, and cargo-nextest hides that it says so.
        export ETM4_LONG_RUNS=1 ETM4_REQUIRE_TOOLS=1
        ;;
    *) echo "usage: scripts/test.sh gate|nightly [PACKAGES AND TARGETS]" >&2; exit 2 ;;
esac
mkdir -p target
exec > >(tee "target/tests-$tier.log") 2>&1
if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --locked --profile "$profile" --run-ignored "$ignored" --no-tests=pass "$@"
    # nextest runs no documentation tests.
    if [ "$tier $*" = "gate --workspace" ]; then
        cargo test --workspace --doc --locked --quiet
    fi
else
    cargo test --locked "$@" "${only[@]}"
fi
