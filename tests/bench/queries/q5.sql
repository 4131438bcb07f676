-- mode: changelog
WITH counts AS (
  SELECT auction, window, count(*) AS num
  FROM bid
  GROUP BY auction, window(date_time, '10 seconds', '2 seconds')
), most AS (
  SELECT window, max(num) AS mx FROM counts GROUP BY window
)
SELECT c.window.start AS window_start, c.auction, c.num
FROM counts c JOIN most m ON c.window = m.window AND c.num >= m.mx
