SELECT category, avg(final) AS avg_final
FROM (
  SELECT a.id, a.category, max(b.price) AS final
  FROM auction a JOIN bid b ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
  GROUP BY a.id, a.category
) t
GROUP BY category
