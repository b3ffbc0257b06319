// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of the perf.data format: what Linux calls `perf_event_header.type` and so on.
//!
//! Source: `include/uapi/linux/perf_event.h`, and `tools/perf` of Linux: its document
//! `perf.data-file-format.txt` and its `cs_etm` header.

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"PERFILE2";
/// Bytes of the header of a file.
pub const FILE_HEADER: u64 = 104;
/// Bytes of the header of the pipe form.
pub const PIPE_HEADER: u64 = 16;
/// The header feature with the build IDs.
pub const FEATURE_BUILD_ID: u32 = 2;

/// Types of records.
pub mod record {
    /// A mapping.
    pub const MMAP: u32 = 1;
    /// Records that were lost.
    pub const LOST: u32 = 2;
    /// The name of a thread.
    pub const COMM: u32 = 3;
    /// The end of a thread.
    pub const EXIT: u32 = 4;
    /// The beginning of a thread.
    pub const FORK: u32 = 7;
    /// A mapping with its protection, and its file or build ID.
    pub const MMAP2: u32 = 10;
    /// A stretch of an AUX buffer.
    pub const AUX: u32 = 11;
    /// A thread begins to be traced.
    pub const ITRACE_START: u32 = 12;
    /// The trace ID of a CPU.
    pub const AUX_OUTPUT_HW_ID: u32 = 21;
    /// Pipe form: an event and its IDs.
    pub const HEADER_ATTR: u32 = 64;
    /// Pipe form: a size; that many bytes follow the record.
    pub const HEADER_TRACING_DATA: u32 = 66;
    /// Pipe form: the build ID of a file.
    pub const HEADER_BUILD_ID: u32 = 67;
    /// The trace units of the CPUs.
    pub const AUXTRACE_INFO: u32 = 70;
    /// Bytes of an AUX buffer; they follow the record.
    pub const AUXTRACE: u32 = 71;
    /// Other records, packed.
    pub const COMPRESSED: u32 = 81;
    /// Other records, packed, with a size of their own.
    pub const COMPRESSED2: u32 = 83;
    /// From here on simpleperf's own; the upper half of their size is in `misc`.
    pub const SIMPLEPERF: u32 = 32768;
}

/// Bits of `misc` in the header of a record.
pub mod misc {
    /// MMAP: of data, not of instructions.
    pub const MMAP_DATA: u16 = 1 << 13;
    /// COMM: the process executes another program.
    pub const COMM_EXEC: u16 = 1 << 13;
    /// FORK: of a process that was there before, so it has its memory already.
    pub const FORK_EXEC: u16 = 1 << 13;
    /// MMAP2: a build ID is in place of device and inode.
    pub const MMAP_BUILD_ID: u16 = 1 << 14;
    /// A build ID is followed by its size.
    pub const BUILD_ID_SIZE: u16 = 1 << 15;
}

/// MMAP2: instructions can be executed.
pub const PROT_EXEC: u32 = 4;

/// Flags of an AUX record.
pub mod aux {
    /// Trace was lost.
    pub const TRUNCATED: u64 = 1;
    /// Snapshot: the offset is the end of the stretch.
    pub const OVERWRITE: u64 = 2;
    /// Trace was off for a part of the time.
    pub const PARTIAL: u64 = 4;
    /// Another user of the trace unit got in between.
    pub const COLLISION: u64 = 8;
    /// How the bytes are framed.
    pub const FORMAT: u64 = 0xFF00;
    /// The bytes of one trace unit, without frames.
    pub const FORMAT_RAW: u64 = 0x100;
}

/// Bits of `sample_type`: the fields of a sample.
pub mod sample {
    /// Process and thread.
    pub const TID: u64 = 1 << 1;
    /// Time.
    pub const TIME: u64 = 1 << 2;
    /// Event.
    pub const ID: u64 = 1 << 6;
    /// CPU.
    pub const CPU: u64 = 1 << 7;
    /// Stream of the event.
    pub const STREAM_ID: u64 = 1 << 9;
    /// Event, always in the same place.
    pub const IDENTIFIER: u64 = 1 << 16;
}

/// The bit of the attribute flags that says that every record ends with fields of a sample.
pub const SAMPLE_ID_ALL: u64 = 1 << 18;

/// AUXTRACE_INFO.
pub mod info {
    /// The kinds of trace and their names.
    pub const KINDS: [(u32, &str); 7] = [
        (1, "Intel PT"),
        (2, "Intel BTS"),
        (CS_ETM, "CoreSight"),
        (4, "Arm SPE"),
        (5, "S/390 CPUMF"),
        (6, "HiSilicon PTT"),
        (7, "PowerPC VPA DTL"),
    ];
    /// CoreSight.
    pub const CS_ETM: u32 = 3;
    /// A trace unit before ETMv4.
    pub const ETM3: u64 = 0x3030_3030_3030_3030;
    /// ETMv4.
    pub const ETM4: u64 = 0x4040_4040_4040_4040;
    /// ETE.
    pub const ETE: u64 = 0x5050_5050_5050_5050;
    /// The parameters of each.
    pub const ETM3_PARAMETERS: [&str; 4] = ["ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR"];
    /// ETMv4; then the source of the timestamps.
    pub const ETM4_PARAMETERS: [&str; 7] = [
        "TRCCONFIGR",
        "TRCTRACEIDR",
        "TRCIDR0",
        "TRCIDR1",
        "TRCIDR2",
        "TRCIDR8",
        "TRCAUTHSTATUS",
    ];
    /// ETE; then the source of the timestamps.
    pub const ETE_PARAMETERS: [&str; 8] = [
        "TRCCONFIGR",
        "TRCTRACEIDR",
        "TRCIDR0",
        "TRCIDR1",
        "TRCIDR2",
        "TRCIDR8",
        "TRCAUTHSTATUS",
        "TRCDEVARCH",
    ];
    /// The place of the trace ID in the parameters.
    pub const TRACE_ID_PARAMETER: usize = 1;
    /// The trace ID is not in use: HW_ID records have another.
    pub const TRACE_ID_UNUSED: u64 = 1 << 31;
}

/// AUX_OUTPUT_HW_ID: trace ID in bits 7 to 0, sink ID in bits 39 to 8, which are 0 before minor
/// version 1.
pub mod hw_id {
    /// The first bit of the sink ID.
    pub const SINK: u32 = 8;
    /// The first bit of the minor version, of 4 bits.
    pub const MINOR: u32 = 56;
    /// The first bit of the major version, of 4 bits.
    pub const MAJOR: u32 = 60;
}
