# SPDX-License-Identifier: MIT OR Apache-2.0
"""The profile of a long trace on one machine: shards to Parquet side by side, and DuckDB over them."""

from concurrent.futures import ThreadPoolExecutor

import duckdb

from shards import arguments, decode, functions

BY_RANGE = """
    SELECT id, start, "end", sum(instructions) AS instructions, count(*) AS times
    FROM elements WHERE kind = 'INSTR_RANGE'
    GROUP BY ALL ORDER BY instructions DESC, id, start, "end" LIMIT ?
"""

BY_FUNCTION = """
    SELECT id, name, sum(instructions) AS instructions
    FROM elements JOIN functions
        ON elements.start >= functions.start AND elements.start < functions.end
    WHERE kind = 'INSTR_RANGE'
    GROUP BY ALL ORDER BY instructions DESC, id, name LIMIT ?
"""


def main():
    args = arguments(__doc__)
    with ThreadPoolExecutor(args.workers) as pool:
        for warnings in pool.map(lambda shard: decode(shard, args), range(args.shards)):
            print(warnings, end="")
    database = duckdb.connect()
    # A trace ID is two hexadecimal digits, also where they look like a decimal number.
    database.execute(
        "CREATE VIEW elements AS SELECT * FROM read_parquet("
        f"'{args.out}/*/*.parquet', hive_partitioning = true, hive_types = {{'id': VARCHAR}})"
    )
    total = "SELECT count(*), sum(instructions) FROM elements"
    print("elements {}, instructions {}".format(*database.execute(total).fetchone()))
    print("id  range  instructions  times")
    for id, start, end, instructions, times in database.execute(BY_RANGE, [args.top]).fetchall():
        print(f"{id}  {start:#x}-{end:#x}  {instructions}  {times}")
    if args.functions:
        database.execute('CREATE TABLE functions (start UBIGINT, "end" UBIGINT, name VARCHAR)')
        database.executemany("INSERT INTO functions VALUES (?, ?, ?)", functions(args.functions))
        print("id  function  instructions")
        for row in database.execute(BY_FUNCTION, [args.top]).fetchall():
            print(*row, sep="  ")


if __name__ == "__main__":
    main()
