"""Exports a folder of traces on the workers of a Spark cluster, and asks them as one table.

    spark-submit job.py --tracex /usr/local/bin/tracex --traces /data/traces --dataset /data/fleet

The folders, and the program tracex, must be at the same paths on all workers, such as on a network file system. A task runs
"tracex export parquet" for one trace. It may be run again, by Spark or by a person, as often as it takes: a trace appears in
the dataset whole and once.
"""

import argparse
import json
import os
import subprocess
import sys

from pyspark.sql import SparkSession

# Exit code of tracex for a trace of which a part is missing, as its program was killed: the rest is exported.
DAMAGED = 4


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tracex", default="tracex", help="the program, on the workers")
    p.add_argument("--traces", required=True, help="folder of *.packedtrace and *.bin")
    p.add_argument("--dataset", required=True, help="folder of the dataset; it is made, or added to")
    p.add_argument("--flag", action="append", default=[], help="for tracex export: --flag=--no-values; repeatable")
    p.add_argument("--method", help="list the calls of this method, such as Account.withdraw")
    p.add_argument("--repeated", type=int, default=10, help="N+1: show calls that are made more often than this by one call")
    p.add_argument("--rows", type=int, default=30, help="rows of each answer; 0 for all")
    p.add_argument("--sql", help="file of more queries, each with a ; at its end and a line '-- name' at its begin")
    p.add_argument("--export-only", action="store_true", help="ask only whether all rows are there")
    p.add_argument("--json", action="store_true", help="answers as JSON lines")
    return p.parse_args()


def traces(folder):
    """Returns the paths of all traces of a folder."""
    names = sorted(n for n in os.listdir(folder) if n.endswith((".packedtrace", ".bin")) and not n.startswith("."))
    return [os.path.join(folder, n) for n in names]


def export(tracex, dataset, flags):
    """Returns a function that exports a trace on a worker."""

    def run(path):
        done = subprocess.run([tracex, "export", "parquet", "-o", dataset, *flags, path], capture_output=True, text=True)
        if done.returncode not in (0, DAMAGED):
            raise RuntimeError(f"{path}: {done.stderr.strip()}")  # Spark tries again
        return path, done.returncode, done.stdout.strip()

    return run


VIEWS = """
CREATE OR REPLACE TEMPORARY VIEW {view} USING parquet
OPTIONS (path '{dataset}', recursiveFileLookup 'true', pathGlobFilter '{file}.parquet')
"""

# The questions. docs/fleet.md has more.
TOP = """
SELECT c.trace, c.class, c.method, c.parameters, count(*) AS n, sum(c.self_ns) AS self, count(c.exception) AS threw
FROM calls c GROUP BY c.trace, c.class, c.method, c.parameters ORDER BY self DESC, n DESC, c.trace, c.method
"""
FLEET = """
SELECT c.class, c.method, c.parameters, count(*) AS n, sum(c.self_ns) AS self, percentile(c.dur_ns, 0.99) AS p99,
       count(DISTINCT c.trace) AS in_traces
FROM calls c GROUP BY c.class, c.method, c.parameters ORDER BY self DESC, n DESC, c.method
"""
CALLS = """
SELECT c.trace, c.event, c.thread, c.dur_ns, c.self_ns, get(c.args, 0).text AS arg1, c.result.text AS result, c.exception, c.caller
FROM calls c WHERE c.method = '{method}' ORDER BY c.trace, c.event
"""
REPEATED = """
SELECT c.trace, c.parent, c.caller, c.method, c.line, count(*) AS n
FROM calls c WHERE c.parent IS NOT NULL
GROUP BY c.trace, c.parent, c.caller, c.method, c.line HAVING count(*) > {repeated} ORDER BY n DESC, c.trace, c.parent
"""
# No call is there twice, and all that a trace has are there.
WHOLE = """
SELECT t.trace, t.title, t.calls, count(c.event) AS found, count(DISTINCT c.first) AS distinct
FROM traces t LEFT JOIN calls c ON c.trace = t.trace GROUP BY t.trace, t.title, t.calls ORDER BY t.title
"""


def answer(name, rows, limit, as_json):
    """Prints the rows of an answer."""
    shown = rows.limit(limit) if limit else rows
    if not as_json:
        print(f"\n{name}")
        shown.show(limit or 1_000_000, truncate=60)
        return
    for r in shown.collect():
        print(json.dumps({"answer": name, **r.asDict(recursive=True)}), flush=True)


def main():
    o = arguments()
    spark = SparkSession.builder.appName("tracex").getOrCreate()
    paths = traces(o.traces)
    if not paths:
        sys.exit(f"there are no traces in {o.traces}")
    # A task for each trace: they differ in size, and what is lost with a worker is little.
    done = spark.sparkContext.parallelize(paths, len(paths)).map(export(o.tracex, o.dataset, o.flag)).collect()
    for path, code, said in done:
        if not o.json:
            print(said + (" (a part of it is missing)" if code == DAMAGED else ""))
    for view, file in (("calls", "calls"), ("points", "points"), ("traces", "trace")):
        spark.sql(VIEWS.format(view=view, file=file, dataset=o.dataset.replace("'", "\\'")))
    answer("whole", spark.sql(WHOLE), 0, o.json)
    if not o.export_only:
        ask(spark, o)
    spark.stop()


def ask(spark, o):
    """Answers all questions."""
    answer("fleet", spark.sql(FLEET), o.rows, o.json)
    answer("top", spark.sql(TOP), o.rows, o.json)
    if o.method:
        answer("calls", spark.sql(CALLS.format(method=o.method.replace("'", "\\'"))), o.rows, o.json)
    answer("repeated", spark.sql(REPEATED.format(repeated=o.repeated)), o.rows, o.json)
    for name, statement in statements(o.sql):
        answer(name, spark.sql(statement), o.rows, o.json)


def statements(path):
    """Returns the names and the texts of the statements in a file."""
    if not path:
        return
    with open(path, encoding="utf-8") as f:
        for text in f.read().split(";"):
            if text.strip():
                name = text.strip().splitlines()[0].removeprefix("--").strip()
                yield name, text


if __name__ == "__main__":
    main()
