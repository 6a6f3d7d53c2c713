"""Runs queries with an engine. Its argument is duckdb or clickhouse. Each line of standard input is an object with views, a list of
statements, and queries, an object of a statement each; the answer is a line with an object of the rows of each query."""
import json
import sys


def duckdb_rows(views, queries):
    import duckdb

    with duckdb.connect() as c:
        for statement in views:
            c.execute(statement)
        return {name: c.execute(q).fetchall() for name, q in queries.items()}


sessions = []


def clickhouse_rows(views, queries):
    from chdb import session

    if not sessions:
        sessions.append(session.Session())
    s = sessions[0]
    for view in ("calls", "points", "traces"):
        s.query("DROP VIEW IF EXISTS " + view)
    for statement in views:
        s.query(statement)
    rows = {}
    for name, q in queries.items():
        lines = str(s.query(q, "JSONCompactEachRow")).splitlines()
        rows[name] = [json.loads(line) for line in lines]
    return rows


ask = {"duckdb": duckdb_rows, "clickhouse": clickhouse_rows}[sys.argv[1]]
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(ask(asked["views"], asked["queries"])), flush=True)
