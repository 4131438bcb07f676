-- mode: changelog
SELECT seller, id, avg(final) OVER (PARTITION BY seller ORDER BY expires, id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS avg10
FROM (
  SELECT a.id, a.seller, a.expires, max(b.price) AS final
  FROM auction a JOIN bid b ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
  GROUP BY a.id, a.seller, a.expires
) t
