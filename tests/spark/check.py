#!/usr/bin/env python3
"""Real PySpark reads what the file sink wrote: as a batch and as a stream, through the
log of the sink, in the middle of a query's life and after 26 batches (two compactions).

    pip install pyspark==4.3.0        # and Java 17
    go build -o sqlstream ./cmd/sqlstream
    python3 tests/spark/check.py ./sqlstream

Not part of CI: it starts a JVM and takes a minute or two. Four queries run over one
input: windows over deduplicated rows into Parquet, rows into partitioned Parquet, rows
into JSON, and the rows once more with small files merged, which Spark reads as a batch
only. After some batches each output is read and compared with what this script computes
itself; one streaming reader per output goes on from its own checkpoint, and must see each
row once.
"""

import collections
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

FILES = 26
STAGES = (1, 9, 10, 25, FILES)  # files that have arrived, one batch each

SCRIPT = """
CREATE SOURCE clicks (id BIGINT, who STRING, at TIMESTAMP, v DECIMAL(10,2), day DATE, tags ARRAY<STRING>,
  WATERMARK FOR at AS at - INTERVAL '10' MINUTE)
  WITH (connector = 'file', format = 'json', path = 'in', max_files_per_trigger = 1);
CREATE SINK windows WITH (connector = 'file', format = 'parquet', path = 'windows');
CREATE SINK rows PARTITIONED BY (day, who) WITH (connector = 'file', format = 'parquet', path = 'rows');
CREATE SINK merged PARTITIONED BY (day, who) WITH (connector = 'file', format = 'parquet', path = 'merged',
  compact_files = 3, removal_delay = '0');
CREATE SINK lines WITH (connector = 'file', format = 'json', path = 'lines');
INSERT INTO windows SELECT window.start AS start, window.end AS stop, who, count(*) AS n, sum(v) AS total
  FROM drop_duplicates(TABLE clicks, DESCRIPTOR(id, at)) AS d
  GROUP BY window(at, '10 minutes'), who EMIT APPEND TRIGGER AVAILABLE NOW;
INSERT INTO rows SELECT id, at, v, tags, day, who FROM clicks TRIGGER AVAILABLE NOW;
INSERT INTO merged SELECT id, at, v, tags, day, who FROM clicks TRIGGER AVAILABLE NOW;
INSERT INTO lines SELECT id, who, at, v FROM clicks TRIGGER AVAILABLE NOW;
"""

UTC = datetime.timezone.utc
START = datetime.datetime(2024, 1, 1, tzinfo=UTC)
NAMES = ["ana", "bo", "cy=d", "d e", None]  # a partition value to be escaped, and NULL


def make_files():
    """Rows in order of time, some twice: nothing is late."""
    rng, files, number = random.Random(1), [], 0
    for i in range(FILES):
        rows = []
        for _ in range(20):
            number += 1
            if rows and rng.random() < 0.2:
                rows.append(rng.choice(rows))
                continue
            at = START + datetime.timedelta(minutes=7 * i, seconds=rng.randrange(500))
            rows.append({
                "id": number, "who": rng.choice(NAMES), "at": at.isoformat(),
                "v": f"{rng.randrange(10000) / 100:.2f}", "day": at.date().isoformat(),
                "tags": [str(k) for k in range(rng.randrange(3))]})
        files.append(rows)
    return files


def expected(files):
    """The three outputs over some files, as counters of tuples of text."""
    seen, windows, watermark = set(), {}, None
    rows, lines = collections.Counter(), collections.Counter()
    for file in files:
        for r in file:
            at = datetime.datetime.fromisoformat(r["at"])
            rows[(r["id"], str(at), r["v"], tuple(r["tags"]), r["day"], r["who"])] += 1
            lines[(r["id"], r["who"], str(at), r["v"])] += 1
            watermark = max(watermark or at, at)
            if (r["id"], at) in seen:
                continue
            seen.add((r["id"], at))
            start = at - datetime.timedelta(minutes=at.minute % 10, seconds=at.second)
            n, total = windows.get((start, r["who"]), (0, 0))
            windows[(start, r["who"])] = (n + 1, total + round(float(r["v"]) * 100))
    closed = watermark - datetime.timedelta(minutes=10)
    done = collections.Counter()
    for (start, who), (n, total) in windows.items():
        stop = start + datetime.timedelta(minutes=10)
        if stop <= closed:
            done[(str(start), str(stop), who, n, f"{total / 100:.2f}")] += 1
    return {"windows": done, "rows": rows, "lines": lines, "merged": rows}


def utc(t):
    return str(t.replace(tzinfo=UTC))


SHAPES = {
    "windows": lambda r: (utc(r.start), utc(r.stop), r.who, r.n, str(r.total)),
    "rows": lambda r: (r.id, utc(r["at"]), str(r.v), tuple(r.tags), str(r.day), r.who),
    "merged": lambda r: (r.id, utc(r["at"]), str(r.v), tuple(r.tags), str(r.day), r.who),
    "lines": lambda r: (r.id, r.who, utc(r["at"]), str(r.v)),
}


class Check:
    def __init__(self, binary, home):
        from pyspark.sql import SparkSession
        self.binary, self.home = os.path.abspath(binary), home
        self.spark = (SparkSession.builder.master("local[1]").appName("sqlstream")
                      .config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false")
                      .config("spark.ui.showConsoleProgress", "false")
                      .config("spark.sql.shuffle.partitions", "1").getOrCreate())
        self.spark.sparkContext.setLogLevel("ERROR")
        self.streamed = {name: collections.Counter() for name in SHAPES}
        self.schemas = {"lines": "id BIGINT, who STRING, at TIMESTAMP, v DECIMAL(10,2)"}

    def path(self, *parts):
        return os.path.join(self.home, *parts)

    def run(self):
        done = subprocess.run([self.binary, "-f", "q.sql"], cwd=self.home, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"sqlstream: status {done.returncode}\n{done.stderr}")

    def batch(self, name):
        reader = self.spark.read
        frame = reader.schema(self.schemas[name]).json(self.path(name)) if name == "lines" else reader.parquet(self.path(name))
        self.schemas.setdefault(name, frame.schema)
        return collections.Counter(SHAPES[name](r) for r in frame.collect())

    def stream(self, name):
        """What a streaming reader sees that was not there before."""
        got = collections.Counter()

        def take(frame, _):
            got.update(SHAPES[name](r) for r in frame.collect())

        reader = self.spark.readStream.schema(self.schemas[name])
        frame = reader.json(self.path(name)) if name == "lines" else reader.parquet(self.path(name))
        query = (frame.writeStream.foreachBatch(take).option("checkpointLocation", self.path("reader", name))
                 .trigger(availableNow=True).start())
        query.awaitTermination()
        self.streamed[name].update(got)
        return self.streamed[name]

    def compare(self, what, got, want):
        if got == want:
            print(f"ok   {what}: {sum(got.values())} rows")
            return
        missing, extra = want - got, got - want
        sys.exit(f"FAIL {what}: {sum(missing.values())} rows missing, {sum(extra.values())} too many\n"
                 f"missing {list(missing)[:3]}\nextra {list(extra)[:3]}")

    def main(self):
        os.mkdir(self.path("in"))
        with open(self.path("q.sql"), "w", encoding="utf-8") as f:
            f.write(SCRIPT)
        files, there = make_files(), 0
        for stage in STAGES:
            for i in range(there, stage):
                with open(self.path("in", f"{i:03}.json"), "w", encoding="utf-8") as f:
                    f.writelines(json.dumps(r) + "\n" for r in files[i])
                os.utime(self.path("in", f"{i:03}.json"), (1717200000 + i, 1717200000 + i))
            there = stage
            self.run()
            want = expected(files[:stage])
            for name in SHAPES:
                self.compare(f"{name}, batch, after {stage} batches", self.batch(name), want[name])
                if name == "merged":  # its streaming reader would see merged rows again
                    continue
                self.compare(f"{name}, stream, after {stage} batches", self.stream(name), want[name])
        logs = sorted(os.listdir(self.path("rows", "_spark_metadata")))
        if "9.compact" not in logs or "19.compact" not in logs:
            sys.exit(f"FAIL no compaction: {logs}")
        count = {name: sum(len(f) for _, _, f in os.walk(self.path(name))) for name in ("rows", "merged")}
        if count["merged"] > count["rows"] / 2:
            sys.exit(f"FAIL no merging: {count}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = tempfile.mkdtemp(prefix="sqlstream-spark-")
    try:
        Check(sys.argv[1], directory).main()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print("PySpark and sqlstream agree")
