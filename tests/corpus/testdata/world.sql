-- The world of the corpus: what its statements name. A section is for the ids and groups of
-- its head; the first object of a name counts, those of the statement before those of its
-- group. Tables that stand nowhere are made up (world.go).
-- # nf-ddl! nr-ddl! fd-ddl!
-- # nf-view-bid!
CREATE SOURCE nexmark (event_type INT, bid STRUCT<auction: BIGINT, bidder: BIGINT, price: BIGINT, channel: STRING, url: STRING, extra: STRING>, "dateTime" TIMESTAMP);
INSERT INTO nexmark SELECT 2, named_struct('auction', 1, 'bidder', 2, 'price', 3, 'channel', 'apple', 'url', 'http://a/b/c/d', 'extra', 'x'), TIMESTAMP '2024-01-01 00:00:00';
-- # nf-q12
CREATE SOURCE "B" (bidder BIGINT, p_time TIMESTAMP, WATERMARK FOR p_time AS p_time - INTERVAL '4' SECOND);
INSERT INTO "B" VALUES (1, TIMESTAMP '2024-01-01 00:00:00'), (2, TIMESTAMP '2024-01-01 00:01:00'), (NULL, NULL);
-- # nf-q13
CREATE TABLE side_input (key BIGINT, "value" STRING);
INSERT INTO side_input VALUES (1, 'one'), (2, 'two');
-- # nf-q20
CREATE SINK q20_sink (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, at TIMESTAMP, extra STRING, "itemName" STRING, description STRING, "initialBid" BIGINT, reserve BIGINT, a_at TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, a_extra STRING) WITH (connector = 'memory');
-- # nf-q14
CREATE FUNCTION count_char(s STRING, c STRING) RETURNS BIGINT RETURN length(s) - length(replace(s, c, ''));
-- # nexmark-flink
CREATE SOURCE bid (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, "dateTime" TIMESTAMP, extra STRING, WATERMARK FOR "dateTime" AS "dateTime" - INTERVAL '4' SECOND);
INSERT INTO bid VALUES (1, 1, 2000000, 'apple', 'http://a/b/c/d?channel_id=7', TIMESTAMP '2024-01-01 00:00:01', 'cc'), (2, 1, 30, 'x', 'http://a/b/c/d', TIMESTAMP '2024-01-01 00:00:20', 'c'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE SOURCE auction (id BIGINT, "itemName" STRING, description STRING, "initialBid" BIGINT, reserve BIGINT, "dateTime" TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, extra STRING, WATERMARK FOR "dateTime" AS "dateTime" - INTERVAL '4' SECOND);
INSERT INTO auction VALUES (1, 'i', 'd', 5, 10, TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-01 00:10:00', 7, 10, 'x'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE SOURCE person (id BIGINT, name STRING, "emailAddress" STRING, "creditCard" STRING, city STRING, state STRING, "dateTime" TIMESTAMP, extra STRING, WATERMARK FOR "dateTime" AS "dateTime" - INTERVAL '4' SECOND);
INSERT INTO person VALUES (7, 'ana', 'e', 'c', 'city', 'OR', TIMESTAMP '2024-01-01 00:00:00', 'x'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
-- # ns-q6
CREATE SOURCE winning_bids (seller BIGINT, final BIGINT, date_time TIMESTAMP, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND);
INSERT INTO winning_bids VALUES (7, 10, TIMESTAMP '2024-01-01 00:00:01'), (7, 20, TIMESTAMP '2024-01-01 00:00:02');
-- # nexmark-spark nexmark-pg
CREATE SOURCE bid (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, date_time TIMESTAMP, extra STRING, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND);
INSERT INTO bid VALUES (1, 1, 2000000, 'apple', 'http://a/b/c/d?channel_id=7', TIMESTAMP '2024-01-01 00:00:01', 'cc'), (2, 1, 30, 'x', 'http://a/b/c/d', TIMESTAMP '2024-01-01 00:00:20', 'c'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE SOURCE auction (id BIGINT, item_name STRING, date_time TIMESTAMP, expires TIMESTAMP, seller BIGINT, category BIGINT, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND);
INSERT INTO auction VALUES (1, 'i', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-01 00:10:00', 7, 10), (NULL, NULL, NULL, NULL, NULL, NULL);
CREATE SOURCE person (id BIGINT, name STRING, city STRING, state STRING, date_time TIMESTAMP, WATERMARK FOR date_time AS date_time - INTERVAL '4' SECOND);
INSERT INTO person VALUES (7, 'ana', 'city', 'or', TIMESTAMP '2024-01-01 00:00:00'), (NULL, NULL, NULL, NULL, NULL);
-- # w-col-named-window-both
CREATE SOURCE t (window INT, x INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
INSERT INTO t VALUES (1, 2, TIMESTAMP '2024-01-01 00:00:01'), (NULL, NULL, NULL);
-- # w-window-clause w-window-clause-frame
CREATE SOURCE t (k STRING, x INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
INSERT INTO t VALUES ('a', 2, TIMESTAMP '2024-01-01 00:00:01'), (NULL, NULL, NULL);
-- # w-bare-window-col
CREATE SOURCE events (window INT);
INSERT INTO events VALUES (1), (NULL);
-- # windows emit
CREATE SOURCE events (ts TIMESTAMP, event_time TIMESTAMP, k STRING, user_id STRING, device STRING, v INT, price INT, amount DECIMAL(10, 2), ok BOOLEAN, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO events VALUES (TIMESTAMP '2024-01-01 00:00:01', TIMESTAMP '2024-01-01 00:00:01', 'a', 'u1', 'd', 1, 2, 3.5, true), (TIMESTAMP '2024-01-01 01:00:01', TIMESTAMP '2024-01-01 01:00:01', 'b', 'u2', 'e', 2, 3, 4.5, false), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
-- # windows
CREATE SOURCE bid (ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO bid VALUES (TIMESTAMP '2024-01-01 00:00:01', 3), (NULL, NULL);
CREATE SOURCE orders (ts TIMESTAMP, user_id STRING, amount INT, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO orders VALUES (TIMESTAMP '2024-01-01 00:00:01', 'u', 3), (NULL, NULL, NULL);
CREATE SOURCE l (ts TIMESTAMP, k STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO l VALUES (TIMESTAMP '2024-01-01 00:00:01', 'u'), (NULL, NULL);
CREATE SOURCE r (ts TIMESTAMP, k STRING, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO r VALUES (TIMESTAMP '2024-01-01 00:00:01', 'u'), (NULL, NULL);
CREATE SOURCE m (ts TIMESTAMP, v INT, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO m VALUES (TIMESTAMP '2024-01-01 00:00:01', 3), (NULL, NULL);
-- # c-timestamp c-timestamptz
CREATE SOURCE t (x STRING);
INSERT INTO t VALUES ('2024-01-01 00:00:00'), (NULL);
-- # c-array-pg
CREATE SOURCE t (x ARRAY<INT>);
INSERT INTO t SELECT ARRAY[1];
-- # c-array c-map-struct
CREATE SOURCE t (x JSON);
INSERT INTO t VALUES (NULL);
-- # c-binary-json
CREATE SOURCE t (x STRING);
INSERT INTO t VALUES (NULL);
-- # c-boolean
CREATE SOURCE t (x STRING);
INSERT INTO t VALUES ('true'), (NULL);
-- # c-pg-chain
CREATE SOURCE t (x INT, y INT, a INT, b INT);
INSERT INTO t VALUES (1, 2, 3, 4), (NULL, NULL, NULL, NULL);
CREATE FUNCTION f(x INT, y INT) RETURN x + y;
-- # c-pg-index
CREATE SOURCE t (arr ARRAY<INT>, a BOOLEAN);
INSERT INTO t SELECT ARRAY[1, 2], true;
-- # o-concat-where
CREATE SOURCE t (a STRING, b STRING, c BOOLEAN);
INSERT INTO t VALUES ('x', 'y', true), (NULL, NULL, NULL);
-- # o-is-true
CREATE SOURCE t (a BOOLEAN, b BOOLEAN, c BOOLEAN, d INT, e INT, f INT);
INSERT INTO t VALUES (true, false, true, 1, 2, 3), (NULL, NULL, NULL, NULL, NULL, NULL);
-- # o-unary
CREATE SOURCE t (x INT, a BOOLEAN);
INSERT INTO t VALUES (1, true), (NULL, NULL);
-- # o-precedence
CREATE SOURCE t (a INT, b INT, c BOOLEAN, d INT, e INT);
INSERT INTO t VALUES (1, 2, true, 3, 4), (NULL, NULL, NULL, NULL, NULL);
-- # o-any
CREATE SOURCE t (x INT, arr ARRAY<INT>, y INT, z INT);
INSERT INTO t SELECT 1, ARRAY[1], 2, 3;
-- # o-overlaps
CREATE SOURCE t (a TIMESTAMP, b TIMESTAMP, c TIMESTAMP, d TIMESTAMP);
INSERT INTO t VALUES (TIMESTAMP '2024-01-01 00:00:01', TIMESTAMP '2024-01-01 00:00:03', TIMESTAMP '2024-01-01 00:00:02', TIMESTAMP '2024-01-01 00:00:04'), (NULL, NULL, NULL, NULL);
-- # n-index
CREATE SOURCE t (a ARRAY<ARRAY<INT>>, i INT, m MAP<STRING, INT>, x INT);
INSERT INTO t SELECT ARRAY[ARRAY[1, 2]], 1, MAP['k', 1], 1;
CREATE FUNCTION f(x INT) RETURN MAP[0, x];
-- # n-slice
CREATE SOURCE t (a ARRAY<INT>);
INSERT INTO t SELECT ARRAY[1, 2, 3];
-- # n-field n-struct-star
CREATE SOURCE t (s STRUCT<a: STRUCT<b: INT>, c: STRING>, x INT);
INSERT INTO t SELECT named_struct('a', named_struct('b', 1), 'c', 'x'), 1;
CREATE FUNCTION f(x INT) RETURN named_struct('y', named_struct('z', x));
-- # n-field-deep
CREATE SOURCE t (a STRUCT<b: STRUCT<c: STRUCT<d: INT>>>, db STRUCT<t: STRUCT<col: INT>>);
INSERT INTO t SELECT named_struct('b', named_struct('c', named_struct('d', 1))), named_struct('t', named_struct('col', 1));
-- # n-field-after-index
CREATE SOURCE t (arr ARRAY<STRUCT<name: STRING>>, x INT, m MAP<STRING, STRUCT<z: INT>>);
INSERT INTO t SELECT ARRAY[named_struct('name', 'n')], 1, MAP['k', named_struct('z', 1)];
CREATE FUNCTION f(x INT) RETURN named_struct('y', x);
-- # n-lambda-nested
CREATE SOURCE t (arr ARRAY<STRUCT<items: ARRAY<INT>, k: INT>>);
INSERT INTO t SELECT ARRAY[named_struct('items', ARRAY[1, 2], 'k', 3)];
-- # n-lateral-table-flink n-left-lateral-table
CREATE SOURCE t (id INT, line STRING);
INSERT INTO t VALUES (1, 'a b'), (NULL, NULL);
CREATE FUNCTION split_words(line STRING) RETURNS TABLE (word STRING) RETURN SELECT explode(split(line, ' ')) AS word;
-- # n-unnest-comma n-unnest-ord n-unnest-cross n-lateral-view
CREATE SOURCE t (id INT, items ARRAY<INT>);
INSERT INTO t SELECT 1, ARRAY[1, 2];
-- # n-lateral-view-outer
CREATE SOURCE t (id INT, m MAP<STRING, INT>, arr ARRAY<INT>);
INSERT INTO t SELECT 1, MAP['k', 1], ARRAY[1, 2];
-- # n-read-file n-file-literal n-csv-spark
CREATE SINK parquet_file (a INT) WITH (connector = 'file', path = '/data', format = 'parquet');
INSERT INTO parquet_file VALUES (1), (2);
CREATE SINK parquet_file_x (a INT) WITH (connector = 'file', path = '/data/x', format = 'parquet');
INSERT INTO parquet_file_x VALUES (1), (2);
CREATE SINK csv_file (a INT) WITH (connector = 'file', path = '/events.csv', format = 'csv');
INSERT INTO csv_file VALUES (1), (2);
-- # f-ts-diff
CREATE SOURCE t (a TIMESTAMP, b TIMESTAMP);
INSERT INTO t VALUES (TIMESTAMP '2024-01-01 00:00:01', TIMESTAMP '2024-01-01 00:00:03'), (NULL, NULL);
-- # f-namespaced
CREATE FUNCTION my.udf(x INT) RETURN x + 1;
CREATE FUNCTION cat.sch.udf(y INT) RETURN y + 2;
-- # f-named-args
CREATE FUNCTION make_thing(b STRING, a INT) RETURN concat(b, a);
-- # f-substring f-trim f-position f-left-right f-format f-hash o-similar o-pg-regex o-rlike o-collate
CREATE SOURCE t (a STRING, b STRING, c STRING, x INT);
INSERT INTO t VALUES ('xy', 'y', 'z', 1), (NULL, NULL, NULL, NULL);
-- # f-to-timestamp
CREATE SOURCE t (s STRING, ms BIGINT);
INSERT INTO t VALUES (NULL, 1);
-- # f-if
CREATE SOURCE t (a INT, b INT);
INSERT INTO t VALUES (1, 2), (NULL, NULL);
-- # f-space-call
CREATE SOURCE t (x INT, a STRING);
INSERT INTO t VALUES (1, 'a');
-- # a-filter
CREATE SOURCE t (k STRING, ok BOOLEAN, x INT, y BOOLEAN, z BOOLEAN);
INSERT INTO t VALUES ('a', true, 1, true, false), (NULL, NULL, NULL, NULL, NULL);
-- # a-stddev
CREATE SOURCE t (x INT, y INT, b BOOLEAN);
INSERT INTO t VALUES (1, 2, true), (2, 3, false), (NULL, NULL, NULL);
-- # v-qualify-full
CREATE SOURCE t (k STRING, x INT, a BOOLEAN);
INSERT INTO t VALUES ('a', 1, true), (NULL, NULL, NULL);
-- # over
CREATE SOURCE t (k STRING, x INT, y INT, g INT, ok BOOLEAN, ts TIMESTAMP, WATERMARK FOR ts AS ts);
INSERT INTO t VALUES ('a', 1, 2, 3, true, TIMESTAMP '2024-01-01 00:00:01'), (NULL, NULL, NULL, NULL, NULL, NULL);
-- # j-full-sub
CREATE SOURCE a (id INT, x INT);
CREATE SOURCE b (id INT, y INT);
-- # j-using
CREATE SOURCE a (id INT, k INT);
CREATE SOURCE b (id INT, y INT);
CREATE SOURCE c (id INT, k INT);
-- # j-temporal-flink
CREATE SOURCE orders (id INT, cur STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts);
INSERT INTO orders VALUES (1, 'EUR', TIMESTAMP '2024-01-01 00:00:05');
CREATE SOURCE rates (cur STRING, rate INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
INSERT INTO rates VALUES ('EUR', 2, TIMESTAMP '2024-01-01 00:00:01');
-- # q-pivot
CREATE SOURCE t (q STRING, x INT);
INSERT INTO t VALUES ('a', 1), ('b', 2), (NULL, NULL);
-- # q-unpivot
CREATE SOURCE t (a INT, b INT);
INSERT INTO t VALUES (1, 2), (NULL, NULL);
-- # q-tablesample
CREATE SOURCE t (a INT, b INT);
INSERT INTO t VALUES (1, 2), (NULL, NULL);
-- # d-create-view-cols
CREATE SOURCE t (x INT, y INT);
-- # d-create-mv d-create-mv-with d-create-mv-emit d-create-temp-view d-create-table-as d-drop-source x-describe x-desc-ext d-index d-watermark-delay-of d-watermark-spark-ish d-watermark-for-from d-with-watermark d-alter-source
CREATE SOURCE events (id INT, ts TIMESTAMP, user_id STRING, amount INT, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
INSERT INTO events VALUES (1, TIMESTAMP '2024-01-01 00:00:01', 'u', 20), (NULL, NULL, NULL, NULL);
CREATE SOURCE clicks (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL '10' SECOND);
-- # d-create-sink-from d-create-sink-as d-create-sink-into x-show-create d-drop d-alter-mv
CREATE SOURCE events (id INT);
CREATE TABLE t (id INT);
CREATE MATERIALIZED VIEW mv AS SELECT id FROM events;
-- # d-drop-table d-alter
CREATE TABLE t (a INT);
-- # m-insert-cte m-cte-insert
CREATE TABLE t (a INT);
-- # m-insert-values m-insert-cols m-insert-overwrite m-insert-overwrite-part m-copy
CREATE TABLE t (a INT, b STRING);
CREATE TABLE u (x INT, y STRING, a INT);
-- # x-start-query x-stop-query
CREATE SOURCE s (a INT);
CREATE SINK k WITH (connector = 'memory');
INSERT INTO k SELECT a FROM s WITH (name = 'q1');
-- # y-unicode-ident
CREATE SOURCE "données" ("größe" INT, "名前" STRING, "café" STRUCT<"naïve": INT>);
INSERT INTO "données" SELECT 1, 'x', named_struct('naïve', 1);
