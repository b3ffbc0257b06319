#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A lister for tests: it copies the list that lies in the folder of the snapshot.
# -ss_dir SNAPSHOT -src_name BUFFER -pkt_mon -logfilename LIST
[ "$3" = -help ] || cp "$2/list.txt" "$7"
