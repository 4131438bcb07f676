-- A small part of the dialect corpus, for machines that have not the whole one.
-- Header fields as there: tidb= is what the inner grammar alone does with the
-- text, front= what this front end must do.
-- # q-plain tidb=as-is front=ok
SELECT user_id, count(*) AS n FROM events WHERE amount > 10 GROUP BY user_id HAVING count(*) > 1 ORDER BY n DESC LIMIT 5;
-- # w-tumble tidb=winoff front=ok
SELECT window.start, count(*) FROM events GROUP BY window(event_time, '10 minutes');
-- # w-tvf tidb=no front=ok
SELECT window_start, sum(price) FROM TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start;
-- # d-source tidb=no front=ok
CREATE SOURCE events (ts TIMESTAMP, user_id STRING, amount DECIMAL(10,2), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH (connector = 'file', path = 'in', format = 'json');
-- # d-sink tidb=no front=ok
CREATE SINK s AS SELECT * FROM mv WITH (connector = 'kafka', topic = 'out') FORMAT UPSERT ENCODE JSON;
-- # d-mv tidb=no front=ok
CREATE MATERIALIZED VIEW w AS SELECT window_start, count(*) FROM TUMBLE(events, ts, INTERVAL '1 minute') GROUP BY window_start EMIT ON WINDOW CLOSE;
-- # d-nested tidb=no front=ok
CREATE TABLE n (a ARRAY<STRUCT<x: INT, y: MAP<STRING, ARRAY<DOUBLE>>>>, b ROW<p INT, q STRING>, c INT[]);
-- # e-mode tidb=no front=ok
INSERT INTO sink SELECT k, count(*) FROM events GROUP BY k OUTPUT MODE UPDATE TRIGGER EVERY '5 seconds';
-- # m-values tidb=as-is front=ok
INSERT INTO t VALUES (1, 'a'), (2, NULL);
-- # m-set tidb=no front=ok
EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT * FROM x; INSERT INTO b SELECT * FROM x; END;
-- # j-full tidb=WRONG front=ok
SELECT * FROM a FULL JOIN b ON a.id = b.id WHERE a.x > 1;
-- # j-temporal tidb=no front=ok
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur;
-- # j-asof tidb=no front=ok
SELECT * FROM trades t LEFT ASOF JOIN quotes q MATCH_CONDITION (t.ts >= q.ts) ON t.sym = q.sym;
-- # s-cte tidb=as-is front=ok
WITH x AS (SELECT a FROM t), y(b) AS (SELECT a + 1 FROM x) SELECT * FROM x JOIN y ON x.a = y.b;
-- # s-setops tidb=as-is front=ok
(SELECT a FROM t) UNION ALL (SELECT a FROM u ORDER BY a LIMIT 3) ORDER BY 1;
-- # n-access tidb=no front=ok
SELECT a[1], m['k'].z, (f(x)).y, t.a.b.c.d, j:user.items[0]::int, a[1:2], transform(arr, x -> x + 1) FROM t;
-- # n-view tidb=no front=ok
SELECT id, k, v FROM t LATERAL VIEW OUTER explode(m) x AS k, v WHERE k > 'a';
-- # o-mixed tidb=no front=ok
SELECT * FROM t WHERE NOT a = b OR c AND d IS DISTINCT FROM e AND f ~ '^x' AND g = ANY(arr) AND h IN (SELECT 1) AND EXISTS (SELECT 2);
-- # o-literals tidb=WRONG front=ok
SELECT 1_000, 1L, 1.5BD, 2.5D, 0xFF, E'a\n', X'CAFE', $$raw$$, TIMESTAMP_LTZ '2024-01-01 00:00:00', INTERVAL '1 02:03:04.5' DAY TO SECOND;
-- # a-many tidb=no front=ok
SELECT count(DISTINCT a) FILTER (WHERE ok) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), listagg(s, ',') WITHIN GROUP (ORDER BY s) FROM t GROUP BY ROLLUP (a, b);
-- # v-qualify tidb=no front=ok
SELECT k FROM t QUALIFY row_number() OVER w <= 3 WINDOW w AS (ORDER BY x);
-- # v-sample tidb=no front=ok
SELECT k FROM t TABLESAMPLE (5 ROWS) REPEATABLE (3) WHERE x > 1 GROUP BY k, () USING SAMPLE reservoir(50%);
-- # v-place tidb=no front=ok
SELECT #1, -#2 AS b, #3.f FROM t WHERE #1 > 1 ORDER BY #2;
-- # x-explain tidb=no front=ok
EXPLAIN (FORMAT JSON, VERBOSE) SELECT * FROM a FULL JOIN b ON a.x = b.x;
-- # x-show tidb=no front=ok
SHOW CREATE MATERIALIZED VIEW mv;
-- # x-stop tidb=no front=ok
STOP QUERY q1 WITH SAVEPOINT;
-- # z-comma tidb=no front=reject
SELECT a b c FROM t;
-- # z-string tidb=no front=reject
SELECT 'abc FROM t;
-- # z-order tidb=no front=reject
SELECT a FROM t GROUP BY a WHERE a > 1;
-- # z-type tidb=no front=reject
SELECT CAST(x AS BIGNIT) FROM t;
-- # z-delete tidb=as-is front=reject
DELETE FROM t WHERE a = 1;
-- # x-recurring tidb=no front=ok
WITH RECURSIVE r AS (SELECT id AS n FROM t UNION SELECT x.n + y.n FROM recurring.r AS x JOIN r AS y ON x.n = y.n WHERE x.n < 9) SELECT n FROM r;
-- # x-using-key tidb=no front=ok
WITH RECURSIVE r (n, v) USING KEY (n, max(v)) AS (SELECT id, 1 FROM t UNION ALL SELECT n, v + 1 FROM r WHERE v < 3) SELECT n, v FROM r;
-- # x-recursive-view tidb=no front=ok
CREATE RECURSIVE VIEW counted (n) AS SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 4;
-- # x-named-join tidb=no front=ok
SELECT j.k FROM (a JOIN b USING (k)) AS j (k, x, y) JOIN ((c)) d ON j.k = d.k;
