// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages: checks that take too long for the gate.

/// When a stage runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// At most 30 minutes each and three hours in all, on two cores.
    Nightly,
    /// Hours.
    Weekly,
}

impl Tier {
    /// Minutes that a stage of this tier may take.
    pub fn limit_minutes(self) -> u64 {
        match self {
            Tier::Nightly => 30,
            Tier::Weekly => 10 * 60,
        }
    }
}

/// A check. What its command prints goes into the document, so it prints little.
#[derive(Debug)]
pub struct Stage {
    pub tier: Tier,
    pub name: &'static str,
    /// Commands of a shell, run at the root of the repository.
    pub command: &'static str,
}

const fn nightly(name: &'static str, command: &'static str) -> Stage {
    Stage {
        tier: Tier::Nightly,
        name,
        command,
    }
}

const fn weekly(name: &'static str, command: &'static str) -> Stage {
    Stage {
        tier: Tier::Weekly,
        name,
        command,
    }
}

/// All stages, in the order in which they run. Cargo keeps unpacked and compiled packages by their version
/// alone, so that `publish` throws them away first.
#[rustfmt::skip]
pub const STAGES: &[Stage] = &[
    nightly("versions", "rustc --version\nverilator --version\nyosys -V | cut -d' ' -f1-2\ndpkg-query -W -f 'OpenCSD ${Version}\\n' libopencsd-dev"),
    nightly("long-seeds", "scripts/test.sh nightly --workspace --test random_streams --test workloads --test alignment --test core --test overload 2>&1 | grep -E 'Summary|test result'\nETM4_NIGHT=1 ETM4_LONG_RUNS=1 scripts/test.sh gate --workspace --test equals_model --test alignment --test core --test core_limits --test core_life --test flow_path --test paths --test golden_hw --test random_streams --test faults --test throughput --test engines 2>&1 | grep -E 'Summary|test result'"),
    nightly("software-seeds", "ETM4_NIGHT=1 ETM4_LONG_RUNS=1 scripts/test.sh gate --workspace --test software_records --test software --test one_port --test trace_compressor 2>&1 | grep -E 'Summary|test result'"),
    nightly("flow-path", "scripts/test.sh nightly --workspace --test flow_path 2>&1 | grep -E 'Summary|test result'"),
    nightly("recompressor", "scripts/test.sh nightly --workspace --test recompressor 2>&1 | grep -E 'Summary|test result'"),
    nightly("refutations", "scripts/test.sh nightly --workspace --test proofs --test properties 2>&1 | grep -E 'Summary|test result'"),
    nightly("cocotb", "scripts/test.sh nightly --workspace --test cocotb 2>&1 | grep -E 'Summary|test result'"),
    nightly("fusesoc", "scripts/test.sh nightly --workspace --test fusesoc 2>&1 | grep -E 'Summary|test result'"),
    nightly("viewers", "scripts/test.sh nightly --workspace --test flow --test report 2>&1 | grep -E 'Summary|test result'"),
    nightly("at-scale", "scripts/test.sh nightly --workspace --test at_scale 2>&1 | grep -E 'Summary|test result'"),
    nightly("cosim", "scripts/test.sh nightly --workspace --test cosim 2>&1 | grep -E 'Summary|test result'"),
    nightly("lint", "scripts/test.sh nightly --workspace --test core_package --test lint 2>&1 | grep -E 'Summary|test result'"),
    nightly("rustdoc", "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet && echo the documentation has no warnings"),
    nightly("fuzz-opencsd", "cargo etm4-fuzz opencsd --packets 1000000 | grep -v '^ '"),
    nightly("fuzz-stm", "cargo etm4-fuzz stm"),
    nightly("itm-crate", "cargo run --release --locked --quiet --manifest-path testbench/itm-crate/Cargo.toml --target-dir target"),
    nightly("fuzz-walk", "cargo etm4-fuzz walk"),
    nightly("fuzz-flow", "cargo etm4-fuzz flow --atoms 50000000"),
    nightly("fuzz-flow-on", "cargo etm4-fuzz flow --atoms 50000000 --from 1000000"),
    nightly("fuzz-verilog", "cargo etm4-fuzz verilog --packets 200000"),
    nightly("trace-unit", "scripts/test.sh nightly --workspace --test trace_unit --test counts 2>&1 | grep -E 'Summary|test result'"),
    nightly("compressors", "scripts/test.sh nightly --workspace --test round_trip --test executed --test compressors --test branches 2>&1 | grep -E 'Summary|test result'"),
    nightly("encoders", "scripts/test.sh nightly --workspace --test encoders 2>&1 | grep -E 'Summary|test result'"),
    nightly("target", "scripts/test.sh nightly -p coretrace-target-sim -p coretrace-test-target --test sessions 2>&1 | grep -E 'Summary|test result'\ncargo test --locked --quiet -p coretrace-target-sim --test sessions -- --include-ignored --nocapture swaps faults | grep -o 'judged: .*' | sort"),
    nightly("aarch64", "scripts/test.sh nightly -p etm4 --test aarch64 2>&1 | grep -E 'Summary|test result'"),
    nightly("pgo", "cargo xtask pgo"),
    nightly("faults", "cargo faults | tail -n 1"),
    nightly("mutants", "groups=(Decoders 'Port Streams' 'Software Core' Flow 'Counters Properties')\ncargo xtask mutants ${groups[$(date +%-j) % 5]} | tail -n 1"),
    nightly("model-mutants", "(cargo mutants --shard=$(( $(date +%-j) % 48 ))/48 --baseline skip --timeout 60 -o target/model-mutants || [ $? -eq 3 ]) | tail -n 1"),
    nightly("alchitry", "cargo xtask alchitry | sed '$d'"),
    nightly("publish", "rm -rf target/publish \"${CARGO_HOME:-$HOME/.cargo}\"/registry/src/-*\nCARGO_TARGET_DIR=target/publish cargo publish --workspace --dry-run --allow-dirty --quiet 2>/dev/null && echo every published crate packs and builds"),
    nightly("dependencies", "cargo deny check bans licenses sources 2>&1 | tail -n 1"),
    weekly("proofs", "ETM4_NIGHT=1 cargo test -p coretrace-test-blocks --test properties --test proofs -- --include-ignored | grep '^test .* \\.\\.\\. ' | LC_ALL=C sort"),
    weekly("mutants-decoders", "cargo xtask mutants Decoders Port | tail -n 1"),
    weekly("mutants-streams", "cargo xtask mutants Streams Software | tail -n 1"),
    weekly("mutants-core", "cargo xtask mutants Core | tail -n 1"),
    weekly("mutants-places", "cargo xtask mutants Places | tail -n 1"),
    weekly("mutants-flow", "cargo xtask mutants Flow | tail -n 1"),
    weekly("mutants-compressors", "cargo xtask mutants Compressors | tail -n 1"),
    weekly("mutants-counters", "cargo xtask mutants Counters Properties | tail -n 1"),
    weekly("fuzz-opencsd-10m", "cargo etm4-fuzz opencsd"),
    weekly("fuzz-verilog-x4", "cargo etm4-fuzz verilog"),
    weekly("fuzz-verilog-x16", "cargo etm4-fuzz verilog --preset etm4_jump_x16"),
    weekly("long-stream-x4", "cargo etm4-fuzz long"),
    weekly("long-stream-x16", "cargo etm4-fuzz long --preset etm4_jump_x16"),
    weekly("coverage", "CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo tarpaulin --engine ptrace --skip-clean --out Stdout \\\n    -p coretrace-etm -p coretrace-decode -p coretrace-streams --include-files 'protocol/etm/src/*' \\\n    --include-files 'host/decode/src/*' --include-files 'host/streams/src/*' 2>/dev/null |\n    sed -n -e 's/^|| \\(.*: [0-9]*\\)\\/\\([0-9]*\\).*/\\1 of \\2/p' \\\n        -e 's/^\\([0-9.]*% coverage, [0-9]*\\)\\/\\([0-9]*\\)/\\1 of \\2/p'"),
    weekly("report", "cargo xtask report --no-route | sed -n '/^| design | LUT/,/^$/p'"),
    weekly("routed-report", "cargo xtask report --preset etm4_x4 --preset etm4_onehot_x4 --preset etm4_jump_x4 --seeds 3 --limit 20 |\n    sed -n '/^| design | ECP5/,/^$/p'"),
];
