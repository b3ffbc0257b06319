#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The first steps on a board, as docs/first-board.md has them: each proves what the next one needs, and the
# first one that fails is the last. Prints a row for each, for the log of boards in docs/target.md.
#     scripts/first-board.sh TOPOLOGY
# Variables: ETM4 is the program, BUS the bus, CPU the core, OUT the folder that is made for all files. With
# MEMORY, as ADDRESS:BYTES, the ETR is tried too, and with RING the core behind the trace port.
set -u
topology=${1:?the topology, such as zcu104}
etm4=${ETM4:-etm4}
bus=${BUS:-linux}
cpu=${CPU:-0}
out=${OUT:-first-board}
mkdir "$out" || exit 2

model=$(tr -d '\0' 2>/dev/null </proc/device-tree/model) || model="no device tree"
board="$model, Linux $(uname -r), $("$etm4" --version | head -n 1)"

# step NAME ARGUMENTS: runs a command, and prints its row. A capture without packets has failed, too.
step() {
    name=$1
    shift
    said=$out/$name.txt
    "$etm4" target "$@" --topology "$topology" --bus "$bus" --session "$out/session" >"$said" 2>&1
    code=$?
    if [ -d "$out/$name" ]; then
        seen=$("$etm4" info "$out/$name" 2>&1 | grep -m 1 ' packets, ') || code=1 seen="no packets"
    else
        seen=$(grep -m 1 -e '^error' -e ' is to be a ' "$said") || seen="$(wc -l <"$said") lines"
    fi
    seen=$(echo "$seen" | tr -s ' |' ' /')
    echo "| $board | $(date -u +%F) | \`etm4 target $* --topology $topology --bus $bus\` | exit $code: ${seen# } |"
    [ "$code" -eq 0 ] || exit "$code"
}

step status status
step discover discover
step etf2 capture --cpu "$cpu" --sink etf2 --out "$out/etf2"
[ -z "${MEMORY:-}" ] || step etr capture --cpu "$cpu" --sink etr --memory "$MEMORY" --out "$out/etr"
[ -n "${RING:-}" ] || exit 0
step pattern pattern
step core capture --cpu "$cpu" --sink core --ring "$RING" --out "$out/core"
