# SPDX-License-Identifier: MIT OR Apache-2.0
"""What both examples share: their arguments, the command of a shard, and the functions of a program."""

import argparse
import subprocess


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("capture", help="capture folder, snapshot or perf.data, where every worker can read it")
    parser.add_argument("out", help="folder for the Parquet files")
    parser.add_argument("--etm4", default="etm4", help="the program (default: etm4)")
    parser.add_argument("--shards", type=int, default=4, help="parts of the capture (default: 4)")
    parser.add_argument("--workers", type=int, default=2, help="parts at the same time (default: 2)")
    parser.add_argument("--functions", help="what `nm -S --defined-only PROGRAM` prints")
    parser.add_argument("--top", type=int, default=10, help="rows of the profile (default: 10)")
    parser.add_argument("options", nargs="*", help="more options of `etm4 elements`, behind --")
    return parser.parse_args()


def decode(shard, args):
    """Writes the Parquet files of one shard; what it warns of."""
    command = [args.etm4, "elements", args.capture, "--shard", f"{shard}/{args.shards}"]
    command += ["--format", "parquet", "--out", args.out, *args.options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # 1: nothing could be decoded, which is so for a shard that has no A-Sync.
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return done.stderr


def functions(path):
    """Start, end and name of the functions that `nm -S` lists."""
    rows = []
    with open(path) as lines:
        for line in lines:
            columns = line.split(None, 3)
            if len(columns) == 4 and columns[2] in "tTwW":
                start, size = int(columns[0], 16), int(columns[1], 16)
                rows.append((start, start + size, columns[3].strip()))
    return rows
