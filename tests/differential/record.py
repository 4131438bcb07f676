#!/usr/bin/env python3
"""Asks real Spark and DuckDB what the cases of tests/differential give, and records it.

    pip install pyspark==4.3.0 duckdb       # and Java 17
    python3 tests/differential/record.py    # from the top of the repository; --all asks everything anew

Writes testdata/functions.txt (the functions that each engine has) and testdata/answers.jsonl.gz.
Session zone UTC, ANSI mode, one thread. Answers that are there already are kept.
"""
import argparse
import datetime
import decimal
import gzip
import json
import logging
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERS = os.path.join(HERE, "testdata", "answers.jsonl.gz")
FUNCTIONS = os.path.join(HERE, "testdata", "functions.txt")


class Duck:
    """An answer is {"t": [types], "r": [[values]]} or {"e": class of the error}. A value is null, text, a list,
    or {"": [[key, value], …]} for a map and a struct."""

    def __init__(self):
        import duckdb

        self.error = duckdb.Error
        self.db = duckdb.connect()
        self.db.execute("SET TimeZone='UTC'; SET threads=1")

    def functions(self):
        rows = self.db.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
        return sorted(r[0].lower() for r in rows if re.fullmatch(r"\w+", r[0]))

    def ask(self, case):
        sql = case["duckdb"]
        if case["kind"] == "expr":
            sql = f"SELECT {sql} AS v"
        try:
            types = [str(r[1]) for r in self.db.execute(f"DESCRIBE {sql}").fetchall()]
            return {"t": types, "r": self.rows(sql, types)}
        except self.error as e:
            return {"e": type(e).__name__, "m": str(e).split("\n")[0][:120]}
        except UnicodeDecodeError:
            return {"e": "NOT_TEXT"}  # VARCHAR that is not UTF-8: nothing to compare

    def rows(self, sql, types):
        """Times and intervals as text, because Python has no year 10000 and no month."""
        names = [f"c{i}" for i in range(len(types))]
        cols = [f"CAST({n} AS VARCHAR)" if self.as_text(t) else n for n, t in zip(names, types)]
        rows = self.db.execute(f"SELECT {', '.join(cols)} FROM ({sql}) AS t({', '.join(names)})").fetchall()
        return [[leaf(nested_keys(v)) if t.startswith("MAP(") else leaf(v) for t, v in zip(types, r)] for r in rows]

    @staticmethod
    def as_text(t):
        return t in ("DATE", "INTERVAL", "UUID", "BIT", "JSON") or t.startswith("TIME") and not t.endswith("]")


class Pairs(list):
    """A map whose keys are nested."""


def nested_keys(v):
    """Python has no map with keys that are lists: DuckDB gives two lists then."""
    if isinstance(v, dict) and set(v) == {"key", "value"} and isinstance(v["key"], list):
        return Pairs(zip(v["key"], v["value"]))
    return v


def leaf(v):
    if isinstance(v, Pairs):
        return {"": [[leaf(k), leaf(x)] for k, x in v]}
    if v is None or isinstance(v, str):
        return v
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return "NaN" if math.isnan(v) else repr(v)
    if isinstance(v, bytes):
        return v.hex()
    if isinstance(v, (list, tuple)):
        return [leaf(x) for x in v]
    if isinstance(v, dict):
        return {"": [[leaf(k), leaf(x)] for k, x in v.items()]}
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, (datetime.date, datetime.datetime, datetime.time)):
        return str(v)
    return str(v)


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession

        conf = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "2g",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.parser.escapedStringLiterals": "true",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.leafNodeDefaultParallelism": "1",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.timeType.enabled": "true",
            "spark.log.level": "OFF",
        }
        b = SparkSession.builder.master("local[1]")
        for k, v in conf.items():
            b = b.config(k, v)
        self.spark = b.getOrCreate()
        self.spark.sparkContext.setLogLevel("OFF")
        logging.getLogger("SQLQueryContextLogger").disabled = True

    def functions(self):
        rows = self.spark.sql("SHOW SYSTEM FUNCTIONS").collect()
        return sorted(r[0].lower() for r in rows if re.fullmatch(r"\w+", r[0]))

    JSON = "map('ignoreNullFields', 'false', 'timestampFormat', \"yyyy-MM-dd HH:mm:ss.SSSSSS\", " \
           "'timestampNTZFormat', \"yyyy-MM-dd HH:mm:ss.SSSSSS\")"

    def ask(self, case):
        return self.ask_all([case])[0]

    def ask_all(self, cases):
        """Expressions go together into one SELECT; if that fails, by halves."""
        if cases[0]["kind"] == "query":
            return [self.query(c["spark"]) for c in cases]
        try:
            return self.expressions([c["spark"] for c in cases])
        except Exception as e:
            if len(cases) == 1:
                return [self.failed(e, cases[0])]
        half = len(cases) // 2
        return self.ask_all(cases[:half]) + self.ask_all(cases[half:])

    def expressions(self, exprs):
        cols = ", ".join(f"to_json(named_struct('v', ({e})), {self.JSON}), typeof({e})" for e in exprs)
        row = self.spark.sql("SELECT " + cols).collect()[0]
        return [{"t": [row[2 * i + 1]], "r": [[self.value(row[2 * i + 1], row[2 * i])]]} for i in range(len(exprs))]

    def value(self, type_, text):
        v = spark_leaf(json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=lambda p: {"": [list(x) for x in p]}))
        return unbase64(type_, v[""][0][1])

    def query(self, sql):
        try:
            df = self.spark.sql(sql)
            types = [f.dataType.simpleString() for f in df.schema]
            names = ", ".join(f"c{i}" for i in range(len(types)))
            rows = self.spark.sql(f"SELECT to_json(struct(*), {self.JSON}) FROM ({sql}) AS t({names})").collect()
            out = []
            for r in rows:
                cells = spark_leaf(json.loads(r[0], parse_int=str, parse_float=str, object_pairs_hook=lambda p: {"": [list(x) for x in p]}))
                out.append([unbase64(t, c[1]) for t, c in zip(types, cells[""])])
            return {"t": types, "r": out}
        except Exception as e:
            return self.failed(e, None)

    def failed(self, e, case):
        name = condition(e)
        if case is not None and name.startswith("DATATYPE_MISMATCH.CANNOT_CONVERT_TO_JSON"):
            try:
                return self.as_text(case["spark"])
            except Exception as again:
                e, name = again, condition(again)
        return {"e": name, "m": str(e).split("\n")[0][:120]}

    def as_text(self, expr):
        df = self.spark.sql(f"SELECT {expr}")
        text = self.spark.sql(f"SELECT CAST(({expr}) AS STRING)").collect()[0][0]
        return {"t": [df.schema[0].dataType.simpleString()], "r": [[text]]}


def condition(e):
    for get in ("getCondition", "getErrorClass"):
        if hasattr(e, get):
            try:
                if getattr(e, get)():
                    return getattr(e, get)()
            except Exception:
                pass
    text = str(e)
    found = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", text)
    if found:
        return found.group(1)
    found = re.search(r"([A-Za-z]+(?:Exception|Error))", text)
    return found.group(1) if found else type(e).__name__


def spark_leaf(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, list):
        return [spark_leaf(x) for x in v]
    if isinstance(v, dict):
        return {"": [[k, spark_leaf(x)] for k, x in v[""]]}
    return v


def unbase64(type_, v):
    import base64

    if v is None:
        return None
    if type_ == "binary":
        return base64.b64decode(v).hex()
    if type_ == "array<binary>":
        return [unbase64("binary", x) for x in v]
    return v


def load():
    old = {"spark": {}, "duckdb": {}}
    if not os.path.exists(ANSWERS):
        return old
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as f:
        for line in f:
            c = json.loads(line)
            for name in old:
                if name in c:
                    old[name][c["kind"], c[name]] = c["answers"][name]
    return old


def write(cases):
    lines = "".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) + "\n" for c in cases)
    with open(ANSWERS, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:
        f.write(lines.encode("utf-8", "surrogatepass"))


def generate():
    out = subprocess.run(["go", "run", "./tests/differential/generate"], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.decode("utf-8").splitlines()]


def answer(engine, name, cases, old):
    """Asks for what is not known. Cases whose answer is an error here too are asked one by one."""
    todo = [c for c in cases if name in c and (c["kind"], c[name]) not in old[name]]
    together, group = [], []
    for c in todo:
        if name == "duckdb" or c["kind"] == "query" or c.get("solo"):
            together.append([c])
            continue
        if group and (len(group) >= 40):
            together.append(group)
            group = []
        group.append(c)
    if group:
        together.append(group)
    done = 0
    for group in together:
        answers = engine.ask_all(group) if name == "spark" else [engine.ask(c) for c in group]
        for c, a in zip(group, answers):
            old[name][c["kind"], c[name]] = a
        done += len(group)
        if done % 300 < len(group):
            print(f"{name}: {done} of {len(todo)}", file=sys.stderr)
            save(old, cases)
    save(old, cases)


def save(old, cases):
    """Writes the cases whose answers are all known: a recording that was cut off goes on where it was."""
    known = []
    for c in cases:
        if all((c["kind"], c[n]) in old[n] for n in old if n in c):
            c = {k: v for k, v in c.items() if k != "solo"}
            c["answers"] = {n: old[n][c["kind"], c[n]] for n in old if n in c}
            known.append(c)
    write(known)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--all", action="store_true", help="forget the answers that are recorded")
    a = p.parse_args()
    os.nice(2)
    engines = {"spark": Spark(), "duckdb": Duck()}
    with open(FUNCTIONS, "w") as f:
        for name, e in engines.items():
            f.writelines(f"{name} {n}\n" for n in e.functions())
    old = {"spark": {}, "duckdb": {}} if a.all else load()
    cases = generate()
    for name, e in reversed(engines.items()):
        answer(e, name, cases, old)
    print(f"{len(cases)} cases, {os.path.getsize(ANSWERS)} bytes")


if __name__ == "__main__":
    main()
