// SPDX-License-Identifier: MIT OR Apache-2.0
//! Snapshots on disk.

use std::fs;
use std::path::Path;

use coretrace_capture::snapshot::{Framing, Snapshot};

/// A snapshot of two sources in one buffer, as OpenCSD has them, with every file.
const GOOD: [(&str, &str); 5] = [
    (
        "snapshot.ini",
        "; two cores\r\n[snapshot]\r\nversion=1.0\r\n\r\n[device_list]\r\ndevice0=cpu_0.ini\r\n\
         device1=etm_0.ini\r\ndevice2=funnel.ini\r\n\r\n[trace]\r\nmetadata=trace.ini\r\n\
         [clusters]\r\ncluster_0=cpu_0\r\n",
    ),
    (
        "cpu_0.ini",
        "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x80\n\
         [dump1]\nfile=kernel.bin\naddress=0xffffffc000081000\nlength=0x10\n",
    ),
    (
        "etm_0.ini",
        "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\nlocation=address:0x22040000\n\
         [regs]\nTRCTRACEIDR(0x010)=0x00000010\nTRCCONFIGR(0x004)=0xC1\n",
    ),
    (
        "funnel.ini",
        "[device]\nname=FUNNEL_0\nclass=link\ntype=CSTF\n",
    ),
    (
        "trace.ini",
        "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=a.bin,b.bin\n\
         format=coresight\n[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n",
    ),
];

/// The snapshot with one text replaced in one file.
fn snapshot(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in GOOD {
        let text = if name == file {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        } else {
            text.to_owned()
        };
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn error(file: &str, from: &str, to: &str) -> String {
    let folder = snapshot(file, from, to);
    let error = Snapshot::open(folder.path()).expect_err(to);
    let text = format!("{error:#}");
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn a_snapshot_is_read_from_its_folder_and_from_its_index() {
    let folder = snapshot("snapshot.ini", "", "");
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let index = folder.path().join("snapshot.ini");
    assert_eq!(snapshot, Snapshot::open(&index).unwrap());
    let [buffer] = snapshot.buffers.as_slice() else {
        panic!("{snapshot:?}");
    };
    assert_eq!(
        (buffer.name.as_str(), buffer.framing),
        ("ETB_0", Framing::CoreSight)
    );
    let files = ["a.bin", "b.bin"].map(|file| folder.path().join(file));
    assert_eq!(buffer.files, files);
    let [source] = buffer.sources.as_slice() else {
        panic!("{buffer:?}");
    };
    assert_eq!(
        (source.name.as_str(), source.trace_id),
        ("ETM_0", Some(0x10))
    );
    assert_eq!(source.core.as_deref(), Some("Cortex-A53"));
    assert_eq!(source.registers["TRCCONFIGR"], 0xC1);
    assert_eq!(snapshot.dumps[0].address, 0xFFFF_FFC0_0008_1000);
    assert_eq!(snapshot.skipped, ["FUNNEL_0 (CSTF)"]);
}

#[test]
fn sources_without_buffer_or_trace_id_are_skipped_with_a_reason() {
    for (file, from, to, want) in [
        (
            "etm_0.ini",
            "0x00000010",
            "0x0",
            "ETM_0 (ETM4): its registers give no trace ID",
        ),
        (
            "trace.ini",
            "ETM_0=ETB_0",
            "ETM_0=ETB_1",
            "ETM_0 (ETM4): it feeds no buffer",
        ),
        (
            "trace.ini",
            "ETM_0=ETB_0",
            "PTM_0=ETB_0",
            "PTM_0: it is no trace source",
        ),
    ] {
        let folder = snapshot(file, from, to);
        let snapshot = Snapshot::open(folder.path()).unwrap();
        assert_eq!(snapshot.buffers[0].sources, []);
        let skipped = &snapshot.skipped;
        assert!(
            skipped.iter().any(|text| text.starts_with(want)),
            "{skipped:?}"
        );
    }
}

#[test]
fn a_core_of_unknown_type_is_no_core() {
    for (file, from, to) in [
        ("cpu_0.ini", "Cortex-A53", "unknown"),
        ("cpu_0.ini", "name=cpu_0", "name=cpu_1"),
        ("trace.ini", "cpu_0=ETM_0", ""),
    ] {
        let folder = snapshot(file, from, to);
        let snapshot = Snapshot::open(folder.path()).unwrap();
        assert_eq!(snapshot.buffers[0].sources[0].core, None, "{to}");
    }
}

#[test]
fn a_core_names_its_source_by_location_as_well() {
    let folder = snapshot("trace.ini", "cpu_0=ETM_0", "cpu_0=@address:0x22040000");
    let snapshot = Snapshot::open(folder.path()).unwrap();
    let core = snapshot.buffers[0].sources[0].core.as_deref();
    assert_eq!(core, Some("Cortex-A53"));
}

#[test]
fn all_sources_feed_an_only_buffer_whose_sources_are_not_named() {
    let folder = snapshot("trace.ini", "[source_buffers]\nETM_0=ETB_0\n", "");
    let snapshot = Snapshot::open(folder.path()).unwrap();
    assert_eq!(snapshot.buffers[0].sources.len(), 1);
}

#[test]
fn the_data_stream_of_a_source_is_skipped() {
    let pairs = "ETM_0(stream:0)=ETB_0\nETM_0(stream:1)=ETB_0";
    let folder = snapshot("trace.ini", "ETM_0=ETB_0", pairs);
    let snapshot = Snapshot::open(folder.path()).unwrap();
    assert_eq!(snapshot.buffers[0].sources.len(), 1);
    let data = "ETM_0 (stream 1): it is data trace";
    assert_eq!(snapshot.skipped, ["FUNNEL_0 (CSTF)", data]);
}

#[test]
fn every_mistake_in_a_snapshot_names_its_file_and_line() {
    for (file, from, to, want) in [
        (
            "snapshot.ini",
            "version=1.0",
            "version=2.0",
            "line 3: version",
        ),
        ("snapshot.ini", "metadata=trace.ini", "", "no trace"),
        (
            "snapshot.ini",
            "=trace.ini",
            "=../trace.ini",
            "inside the folder",
        ),
        (
            "snapshot.ini",
            "=etm_0.ini",
            "=/etm_0.ini",
            "snapshot.ini, line 7",
        ),
        (
            "snapshot.ini",
            "=etm_0.ini",
            "=absent.ini",
            "is the name right?",
        ),
        (
            "etm_0.ini",
            "0xC1",
            "enabled",
            "etm_0.ini, line 8: TRCCONFIGR",
        ),
        (
            "cpu_0.ini",
            "address=0x",
            "address=x",
            "cpu_0.ini, line 9: address",
        ),
        (
            "trace.ini",
            "=coresight",
            "=etb",
            "trace.ini, line 6: format",
        ),
        (
            "trace.ini",
            "[buffer0]",
            "buffer0",
            "trace.ini, line 3: write",
        ),
    ] {
        let text = error(file, from, to);
        assert!(text.contains(want), "{to}: {text}");
    }
    let folder = snapshot("snapshot.ini", "=etm_0.ini", "=etm");
    fs::create_dir(folder.path().join("etm")).unwrap();
    let text = Snapshot::open(folder.path()).unwrap_err().to_string();
    assert!(text.contains("is not a file"), "{text}");
    let absent = Snapshot::open(Path::new("no/such/snapshot")).unwrap_err();
    assert!(format!("{absent:#}").contains("is the name right?"));
}

#[test]
fn long_files_and_long_lists_are_refused() {
    let long = format!("[x]\n{}", ";\n".repeat(1 << 19));
    assert!(error("funnel.ini", "[device]", &long).contains("too long"));
    let many = "d=funnel.ini\n".repeat(5000);
    let text = error("snapshot.ini", "device2=funnel.ini", &many);
    assert!(text.contains("at most 4096 devices"), "{text}");
    let large = format!("[device]\n;{}", "x".repeat(1 << 19));
    let folder = snapshot("funnel.ini", "[device]", &large);
    let index = fs::read_to_string(folder.path().join("snapshot.ini")).unwrap();
    let index = index.replace("device2=funnel.ini", &"d=funnel.ini\n".repeat(40));
    fs::write(folder.path().join("snapshot.ini"), index).unwrap();
    let error = Snapshot::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("all files"), "{error:#}");
}
