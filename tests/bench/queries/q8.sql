-- mode: changelog
SELECT p.id, p.name, p.window_start
FROM (
  SELECT id, name, window.start AS window_start FROM person GROUP BY id, name, window(date_time, '10 seconds')
) p JOIN (
  SELECT seller, window.start AS window_start FROM auction GROUP BY seller, window(date_time, '10 seconds')
) a ON p.id = a.seller AND p.window_start = a.window_start
