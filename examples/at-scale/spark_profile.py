# SPDX-License-Identifier: MIT OR Apache-2.0
"""The profile of a long trace with Spark: it maps `etm4` over the shards, and queries their Parquet.

In local mode the workers are threads of this machine. On a cluster set another master, and let the
capture, the program and the folder be where every worker finds them under the same name.
"""

import os
import sys

from pyspark.sql import SparkSession

from shards import arguments, decode, functions

BY_RANGE = """
    SELECT id, start, `end`, sum(instructions) AS instructions, count(*) AS times
    FROM elements WHERE kind = 'INSTR_RANGE'
    GROUP BY id, start, `end` ORDER BY instructions DESC, id, start, `end` LIMIT {top}
"""

BY_FUNCTION = """
    SELECT id, name, sum(instructions) AS instructions
    FROM elements JOIN functions
        ON elements.start >= functions.start AND elements.start < functions.end
    WHERE kind = 'INSTR_RANGE'
    GROUP BY id, name ORDER BY instructions DESC, id, name LIMIT {top}
"""


def main():
    args = arguments(__doc__.splitlines()[0])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local[{args.workers}]")
        .appName("etm4")
        .config("spark.ui.enabled", "false")
        # A trace ID is two hexadecimal digits, also where they look like a decimal number.
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.sql.shuffle.partitions", args.workers)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shards.py"))
    shards = spark.sparkContext.parallelize(range(args.shards), args.shards)
    for warnings in shards.map(lambda shard: decode(shard, args)).collect():
        print(warnings, end="")
    spark.read.parquet(args.out).createOrReplaceTempView("elements")
    total = spark.sql("SELECT count(*), sum(instructions) FROM elements").first()
    print(f"elements {total[0]}, instructions {total[1]}")
    print("id  range  instructions  times")
    for id, start, end, instructions, times in spark.sql(BY_RANGE.format(top=args.top)).collect():
        print(f"{id}  {int(start):#x}-{int(end):#x}  {instructions}  {times}")
    if args.functions:
        # Addresses without sign do not fit into a 64-bit column of Spark.
        rows = [(str(start), str(end), name) for start, end, name in functions(args.functions)]
        table = spark.createDataFrame(rows, "start string, end string, name string")
        table = table.selectExpr(
            "cast(start AS decimal(20)) AS start", "cast(`end` AS decimal(20)) AS `end`", "name"
        )
        table.createOrReplaceTempView("functions")
        print("id  function  instructions")
        for row in spark.sql(BY_FUNCTION.format(top=args.top)).collect():
            print(*row, sep="  ")
    spark.stop()


if __name__ == "__main__":
    main()
