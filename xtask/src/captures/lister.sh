#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A lister for tests: it prints the list that lies in the folder of the snapshot.
[ "$1" = -help ] || cat "$2/list.txt"
