-- Orders arrive as JSON files, some of them twice and some late. Every ten minutes
-- of event time, count and sum them per shop, once, into Parquet files.
CREATE SOURCE orders (
  id     STRING,
  shop   STRING,
  amount DECIMAL(10,2),
  at     TIMESTAMP,
  WATERMARK FOR at AS at - INTERVAL '10' MINUTE
) WITH (connector = 'file', path = 'in', format = 'json', max_files_per_trigger = 1);

CREATE SINK per_shop WITH (connector = 'file', path = 'out', format = 'parquet');

INSERT INTO per_shop
SELECT window.start AS start, shop, count(*) AS orders, sum(amount) AS amount
FROM drop_duplicates(TABLE orders, DESCRIPTOR(id, at)) AS o
GROUP BY window(at, '10 minutes'), shop
EMIT APPEND
TRIGGER AVAILABLE NOW;

AWAIT QUERY per_shop;

-- What was published, as a table. (FROM 'out' would find the columns by itself, but only
-- when there are files.)
CREATE TABLE result (start TIMESTAMP, shop STRING, orders BIGINT, amount DECIMAL(20,2))
WITH (connector = 'file', path = 'out', format = 'parquet');

SELECT * FROM result ORDER BY start, shop;
